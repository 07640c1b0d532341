//! Every agent's settings as text and back, and the errors of those that are wrong.

use std::collections::HashSet;

use nply::settings::{self, Domain, Setting};
use nply::tree::{LeafScores, TreeOptions};
use nply::{
    Agent, AgentSettings, Algorithm, AlgorithmVisitor, AsListed, Budget, Chance, Code, Declaration, Error, Evaluation,
    Kit, Rng, Spec, Tree, algorithms,
};

/// Texts that a setting takes: all words, the bounds of ranges and something in between.
fn values(setting: &Setting) -> Vec<String> {
    let word = |or: &Option<&str>| or.map(String::from).into_iter();
    let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<String>>();
    match &setting.domain {
        Domain::Words(words) => texts(words),
        Domain::Flag => texts(&["yes", "no"]),
        Domain::Whole { min, max, or } => {
            let numbers = [*min, *max, min + (max - min) / 2, min + (max - min) / 3].map(|number| number.to_string());
            numbers.into_iter().chain(word(or)).collect()
        }
        Domain::Number { min, max } => [*min, *max, min + (max - min) / 3.0].map(|number| number.to_string()).into(),
        Domain::Size { or } => texts(&["1", "1k", "64M", "1G", "12345"]).into_iter().chain(word(or)).collect(),
        Domain::Time => texts(&["0ms", "200ms", "1.5s", "2m"]),
        Domain::Evaluation => texts(&["leaves"]),
        Domain::Agent => texts(&["brs", "maxn:ties=cautious", "worlds:n=5,agent=(brs+:top=2,special=own)"]),
        Domain::Path => texts(&["a", "./a b"]),
        Domain::List => texts(&["", "a", "a (b c) ()"]),
    }
}

/// A text that a setting does not take, if there is one.
fn wrong_value(setting: &Setting) -> Option<String> {
    match setting.domain {
        Domain::Whole { max, .. } => Some(max.checked_add(1).map_or("-1".into(), |more| more.to_string())),
        Domain::Agent => Some("a b".into()),
        Domain::Evaluation | Domain::Path | Domain::List => None,
        _ => Some("nonsense".into()),
    }
}

fn to_text<A: AgentSettings>(settings: &A) -> String {
    settings::spec(A::NAME, settings::changed(settings)).to_string()
}

fn from_text<A: AgentSettings>(text: &str) -> Result<A, Error> {
    let mut settings = A::default();
    let spec = Spec::parse(text)?;
    assert_eq!(spec.name, A::NAME);
    spec.pairs.iter().try_for_each(|(key, value)| settings::set(&mut settings, key, Some(value)))?;
    Ok(settings)
}

#[track_caller]
fn check_text<A: AgentSettings>(settings: &A) {
    let text = to_text(settings);
    let read = from_text::<A>(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(&read, settings, "{text}");
    assert_eq!(to_text(&read), text);
}

/// Goes through all algorithms with a function that any of them can be given.
struct RoundTrips(Vec<&'static str>);

impl AlgorithmVisitor for RoundTrips {
    fn agent<A: Algorithm>(&mut self) {
        self.0.push(A::NAME);
        assert_eq!(to_text(&A::default()), A::NAME, "defaults are left out");
        let all = settings::list(&mut A::default());
        for setting in &all {
            assert!(!setting.about.is_empty() && !setting.about.ends_with('.'), "{} of {}", setting.key, A::NAME);
            for text in values(setting) {
                let mut settings = A::default();
                settings::set(&mut settings, setting.key, Some(&text)).unwrap_or_else(|error| panic!("{error}"));
                check_text(&settings);
            }
        }
        let mut rng = Rng::new(13);
        for _ in 0..1000 {
            let mut settings = A::default();
            for setting in &all {
                let texts = values(setting);
                let text = &texts[rng.below(texts.len())];
                if rng.below(3) > 0 {
                    settings::set(&mut settings, setting.key, Some(text)).unwrap();
                }
            }
            check_text(&settings);
        }
    }
}

#[test]
fn every_agent_with_every_value_survives_text_and_back() {
    let mut visitor = RoundTrips(Vec::new());
    algorithms(&mut visitor);
    let names = visitor.0;
    let unique: HashSet<&str> = names.iter().copied().collect();
    assert!(names.len() >= 9 && unique.len() == names.len(), "{names:?}");
}

struct Refusals;

impl AlgorithmVisitor for Refusals {
    fn agent<A: Algorithm>(&mut self) {
        let all = settings::list(&mut A::default());
        let error = from_text::<A>(&format!("{}:nonsense=1", A::NAME)).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::UnknownSetting, "unknown setting \"nonsense\""));
        let keys: Vec<&str> = all.iter().map(|setting| setting.key).collect();
        let known = if keys.is_empty() { "there are none".into() } else { format!("there are {}", keys.join(", ")) };
        assert_eq!(error.help, Some(known));
        for setting in &all {
            let Some(text) = wrong_value(setting) else { continue };
            let error = from_text::<A>(&format!("{}:{}=({text})", A::NAME, setting.key)).unwrap_err();
            assert_eq!(error.code, Code::BadValue, "{error}");
            assert_eq!(error.message, format!("{} does not take {text:?}", setting.key));
            assert_eq!(error.help, Some(format!("it takes {}", setting.domain.describe())));
            let error = from_text::<A>(&format!("{}:{}=({text}", A::NAME, setting.key)).unwrap_err();
            assert!(error.message.ends_with("has a `(` without a `)` after it"), "{error}");
        }
    }
}

#[test]
fn unknown_settings_and_wrong_values_get_an_error_that_says_what_would_be_right() {
    algorithms(&mut Refusals);
}

/// The tree, with an evaluation that must not be made.
struct Slow;

impl Declaration for Slow {
    type Game = Tree;
    type Options = TreeOptions;
    type Eval = LeafScores;
    type Order = AsListed;
    const NAME: &'static str = "slow";
    const ABOUT: &'static str = "a game that takes long to prepare";
    const PLAYERS: &'static [usize] = Tree::PLAYERS;
    const USUAL_PLAYERS: usize = 3;
    const EVALUATIONS: &'static [Evaluation<Tree, LeafScores>] =
        &[Evaluation { name: "slow", about: "what takes long", make: |_, _| panic!("made too early") }];

    fn start(players: usize, options: &TreeOptions, seed: u64) -> Tree {
        Tree::start(players, options, seed)
    }
}

/// Checks an agent's settings and makes it for three players.
struct Making<'a, D>(&'a str, Option<Result<Made, Error>>, std::marker::PhantomData<D>);

type Made = Box<dyn Agent<Tree>>;

impl<D: Declaration<Game = Tree>> AlgorithmVisitor for Making<'_, D> {
    fn agent<A: Algorithm>(&mut self) {
        if Spec::parse(self.0).unwrap().name != A::NAME {
            return;
        }
        let game = D::start(3, &D::Options::default(), 0);
        let kit: Kit<'_, D> = Kit {
            game: &game,
            spec: &Spec { name: D::NAME.into(), pairs: Vec::new() },
            order: &D::Order::default(),
            chance: Chance { own: 1, common: 2, noise: false },
            programs: false,
            progress: &|_, _| (),
            make: &|spec| make::<D>(&spec.to_string()),
        };
        let settings = from_text::<A>(self.0);
        self.1 = Some(settings.and_then(|settings| {
            settings.check(3)?;
            settings.agent(&kit)
        }));
    }
}

fn make<D: Declaration<Game = Tree>>(text: &str) -> Result<Made, Error> {
    let mut making: Making<'_, D> = Making(text, None, std::marker::PhantomData);
    algorithms(&mut making);
    making.1.unwrap_or_else(|| panic!("no agent {text}"))
}

#[test]
fn what_cannot_be_played_is_refused_before_the_evaluation_is_made() {
    for (text, message, help) in [
        ("alphabeta", "alphabeta is for two players, and there are 3", Some("paranoid is alpha-beta for more")),
        (
            "maxn:pruning=bound,ties=cautious",
            "max^n prunes only with ties=left",
            Some("with ties=cautious use pruning=none"),
        ),
        (
            "brs",
            "brs lets opponents move out of turn, which slow does not allow: its players move in turn",
            Some("brs+ keeps the turn order and plays it"),
        ),
        (
            "brs+:special=pass",
            "brs+:special=pass lets opponents move out of turn, which slow does not allow: its players move in turn",
            Some("special=against and special=own keep the turn order"),
        ),
        ("brs+:special=pass,top=2", "special=pass has only one special move, and top is 2", Some("leave out top")),
        ("opps:width=5", "opps has no width, and width is 5", Some("best and others limit the opponents' moves")),
        ("paranoid:table=8000000G", "table=8000000G is more than the available memory", Some("64M is the usual size")),
        (
            "worlds:agent=(maxn:table=8000000G)",
            "table=8000000G is more than the available memory",
            Some("64M is the usual size"),
        ),
    ] {
        let error = make::<Slow>(text).err().unwrap_or_else(|| panic!("{text} is made"));
        assert_eq!((error.message.as_str(), error.help.as_deref()), (message, help), "{text}");
        assert_eq!(error.code, Code::Refused, "{text}");
    }
}

/// The tree as a game whose positions have scores before the end, but no temperature.
struct Cold;

impl Declaration for Cold {
    type Game = Tree;
    type Options = TreeOptions;
    type Eval = LeafScores;
    type Order = AsListed;
    const NAME: &'static str = "cold";
    const ABOUT: &'static str = "a game that is not calibrated";
    const PLAYERS: &'static [usize] = Tree::PLAYERS;
    const USUAL_PLAYERS: usize = 3;
    const EVALUATIONS: &'static [Evaluation<Tree, LeafScores>] = Tree::EVALUATIONS;

    fn start(players: usize, options: &TreeOptions, seed: u64) -> Tree {
        Tree::start(players, options, seed)
    }
}

#[test]
fn shares_need_chances_unless_every_search_reaches_the_end() {
    assert!(make::<Tree>("maxn:score=share").is_ok() && make::<Cold>("maxn").is_ok());
    let error = make::<Cold>("maxn:score=share").err().unwrap();
    assert_eq!(error.message, "maxn:score=share needs chances, and this evaluation of cold has none");
    let help = "nply calibrate fits the temperature that turns scores into chances";
    assert_eq!((error.code, error.help.as_deref()), (Code::Refused, Some(help)));
}

#[test]
fn every_agent_plays_the_tree() {
    for text in [
        "random",
        "greedy:noise=yes",
        "maxn:pruning=speculative,score=relative",
        "maxn:ties=average,score=share",
        "paranoid:score=own,table=off",
        "brs+:special=own,top=3",
        "opps:opponents=2,best=3,others=2",
        "soft-maxn:models=(own leader),choose=mean",
        "prob-maxn:models=(own against),epsilon=0.2",
        "mix:defend=0,attack=1,calm=(opps:opponents=2),eval=leaves",
        "worlds:n=3,agent=(maxn:eval=leaves)",
    ] {
        let mut agent = make::<Tree>(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let decision = agent.choose(&Tree::start(3, &TreeOptions::default(), 0), &Budget::depth(2));
        assert!([1, 2].contains(&decision.m), "{text}");
    }
    let error = make::<Tree>("maxn:eval=leafs").err().unwrap();
    assert_eq!(
        error.to_string(),
        "unknown evaluation of tree \"leafs\"\n  help: did you mean \"leaves\"? There are leaves"
    );
    let error = make::<Tree>("brs").err().unwrap();
    assert!(error.message.ends_with("which tree does not allow: a tree says only what the player to move can do"));
}

#[test]
fn what_is_set_reaches_the_search() {
    let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
    let choose = |text: &str| make::<Tree>(text).unwrap().choose(&tree, &Budget::depth(2));
    assert_eq!((choose("maxn").m, choose("maxn:ties=cautious").m), (2, 1));
    assert_eq!((choose("paranoid").value, choose("paranoid:score=own").value), (Some(-3.0), Some(5.0)));
    assert_eq!(choose("paranoid:width=1").nodes, 1 + 2);
}
