//! The settings of Monte-Carlo tree search, and how the agent is made from them.

use crate::agent::visit_lines;
use crate::settings::{Choice, Visitor};
use crate::{
    AgentSettings, Algorithm, Declaration, Error, Judging, Kit, Limit, Made, OutOfTurn, ScoreForm, Settings,
    refuse_out_of_turn,
};

use super::playout::{PlayoutPolicy, PlayoutTies};
use super::{AnyTurn, Mcts, Reward, Solver};

/// The settings of [`Mcts`].
#[derive(Clone, Debug, PartialEq)]
pub struct MctsSettings {
    /// C, the weight of exploration.
    pub c: f64,
    /// W, the weight of Progressive History; 0 for none.
    pub w: f64,
    /// ε, the probability of a random move in a playout.
    pub epsilon: f64,
    /// Moves that a two-ply search looks at on each ply, in playouts and for priors.
    pub k: usize,
    /// How the moves of playouts are chosen.
    pub playout: PlayoutPolicy,
    /// α, the learning rate of [`PlayoutPolicy::Ppa`].
    pub learning: f64,
    /// What the players want in the tree.
    pub policy: TreePolicy,
    /// How results are proven.
    pub solver: Solver,
    /// Plies after which the evaluation ends a playout; `None` for the end of the game.
    pub cutoff: Option<u32>,
    /// What the result of a simulated game is worth.
    pub reward: Reward,
    /// α, the weight of implicit evaluations against the mean of results; 0 for none.
    pub implicit: f64,
    /// c, by which children are opened: ⌊c · (N + 1)^a⌋ of them, at least one, at a node with N visits; 0 for all at once.
    pub widen: f64,
    /// a, the power of progressive widening.
    pub widen_power: f64,
    /// `ref`: a node with more visits than this has statistics of all moves that are used at and below it (GRAVE), instead of exploration and
    /// history; `None` for UCT.
    pub grave: Option<u32>,
    /// The bias of GRAVE.
    pub bias: f64,
    /// k of opponent move abstraction, by which it outweighs a child's own visits; `None` for none.
    pub oma: Option<u32>,
    /// Virtual visits that a new child has, at the chances that a two-ply search of the first [`k`](MctsSettings::k) moves finds below it;
    /// 0 for none.
    pub prior: f64,
    /// How simulations are divided among the moves of the root.
    pub root: RootRule,
    /// Which move of the root is played in the end.
    pub choose: FinalChoice,
    /// Leaves that are evaluated together; above 1 only with a [`cutoff`](MctsSettings::cutoff) of 0.
    pub batch: usize,
    /// Whether two-ply playouts keep killer moves.
    pub killers: bool,
    /// Which child of a node is tried first.
    pub first: FirstPlay,
    /// How one-ply and two-ply playouts choose among equal moves.
    pub ties: PlayoutTies,
    /// What one-ply and two-ply playouts maximize; `None` for the mover's score in one ply and the difference in two.
    pub score: Option<ScoreForm>,
    /// Whether the tree is kept from one decision to the next.
    pub reuse: bool,
    /// The most bytes that the tree takes.
    pub memory: usize,
    /// The number of best moves that a decision [lists](crate::Decision::lines).
    pub lines: usize,
    /// Threads that search one tree.
    pub threads: usize,
    /// The evaluation, where the agent is made by name; [`Mcts::new`] is given one.
    pub judging: Judging,
}

/// The settings of *Playout Search for Monte-Carlo Tree Search in Multi-Player Games*, with one-ply playouts.
impl Default for MctsSettings {
    fn default() -> MctsSettings {
        MctsSettings {
            c: 0.2,
            w: 5.0,
            epsilon: 0.05,
            k: 5,
            playout: PlayoutPolicy::OnePly,
            learning: 1.0,
            policy: TreePolicy::MaxN,
            solver: Solver::Standard,
            cutoff: None,
            reward: Reward::Win,
            implicit: 0.0,
            widen: 0.0,
            widen_power: 0.5,
            grave: None,
            bias: 1e-5,
            oma: None,
            prior: 0.0,
            root: RootRule::Ucb,
            choose: FinalChoice::Rate,
            batch: 1,
            killers: true,
            first: FirstPlay::StaticOrder,
            ties: PlayoutTies::StaticOrder,
            score: None,
            reuse: true,
            memory: 1 << 30,
            lines: 1,
            threads: 1,
            // Simulated games differ without noise, which would only break ties before the ordering can.
            judging: Judging { eval: None, noise: Some(false) },
        }
    }
}

impl Settings for MctsSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        self.visit_for(v, false);
    }
}

impl MctsSettings {
    /// Shows a visitor all settings, or those that a tree with a new deal in each simulation has too.
    pub(crate) fn visit_for(&mut self, v: &mut Visitor<'_>, is_hidden: bool) {
        v.number("c", &mut self.c, 0.0..=1e9, "weight of exploration");
        v.number("w", &mut self.w, 0.0..=1e9, "weight of Progressive History");
        v.number("epsilon", &mut self.epsilon, 0.0..=1.0, "probability of a random move in a playout");
        let about = match is_hidden {
            true => "moves that a two-ply playout looks at on each ply",
            false => "moves that a two-ply search looks at on each ply, in playouts and for priors",
        };
        v.whole("k", &mut self.k, 1..=1_000_000, about);
        v.choice("playout", &mut self.playout, "how the moves of playouts are chosen");
        v.number("learning", &mut self.learning, 0.0..=100.0, "rate at which the weights of playout=ppa adapt");
        if !is_hidden {
            v.choice("policy", &mut self.policy, "what the players want in the tree");
            v.choice(
                "solver",
                &mut self.solver,
                "what is proven if all children are proven and none is won for the mover",
            );
        }
        v.whole_or("cutoff", &mut self.cutoff, "off", 0..=1_000_000, "plies after which the evaluation ends a playout");
        v.choice("reward", &mut self.reward, "what the result of a simulated game is worth; only win is proven");
        if !is_hidden {
            let about = "weight of the evaluations that minimax backs up, against the mean of results; 0 for none";
            v.number("implicit", &mut self.implicit, 0.0..=1.0, about);
            let about = "c of progressive widening, floor(c * (N+1)^a) children at N visits; 0 opens all";
            v.number("widen", &mut self.widen, 0.0..=1e9, about);
            v.number("widen-power", &mut self.widen_power, 0.0..=1.0, "a of progressive widening");
            let about =
                "visits above which a node's statistics of all moves decide, instead of c and w (GRAVE); often 100";
            v.whole_or("grave", &mut self.grave, "off", 0..=1_000_000, about);
            v.number("bias", &mut self.bias, 0.0..=1e9, "bias of GRAVE, by which those statistics fade");
            let about =
                "k of opponent move abstraction: own moves also have results whatever the opponents did; often 30";
            v.whole_or("oma", &mut self.oma, "off", 1..=1_000_000, about);
            let about =
                "virtual visits of a new child, at the chances that two plies of the first k moves find; 0 for none";
            v.number("prior", &mut self.prior, 0.0..=1e6, about);
            v.choice("root", &mut self.root, "how simulations are divided among the moves of the root");
        }
        v.choice("choose", &mut self.choose, "which move of the root is played, where halving does not decide");
        if !is_hidden {
            v.whole(
                "batch",
                &mut self.batch,
                1..=65_536,
                "leaves that are evaluated together; more than 1 needs cutoff=0",
            );
        }
        v.flag("killers", &mut self.killers, "killer moves in two-ply playouts");
        if !is_hidden {
            v.choice("first", &mut self.first, "order in which the children of a node are tried");
        }
        v.choice("ties", &mut self.ties, "what decides among equal moves in playouts; order leaves the rest to chance");
        let forms = [ScoreForm::Own, ScoreForm::Difference];
        let about = "what playouts maximize; by default own in one ply, difference in two";
        v.open_choice("score", &mut self.score, &forms, about);
        if !is_hidden {
            v.flag("reuse", &mut self.reuse, "keep the tree from one move to the next");
        }
        v.size("memory", &mut self.memory, "most memory that the tree takes");
        visit_lines(&mut self.lines, v);
        if !is_hidden {
            v.whole("threads", &mut self.threads, 1..=256, "threads that search one tree; only one is repeatable");
        }
        v.evaluation(
            "eval",
            &mut self.judging.eval,
            "evaluation of positions in playouts; by default the game's first",
        );
        let mut noise = self.judging.noise == Some(true);
        v.flag("noise", &mut noise, "small random factor in the evaluation, the same in every playout");
        self.judging.noise = Some(noise);
    }
}

impl MctsSettings {
    /// The setting that lets players move out of turn, if there is one.
    pub(crate) fn out_of_turn(&self) -> Option<&'static str> {
        match (self.playout, self.policy) {
            (PlayoutPolicy::Brs, _) => Some("playout"),
            (_, TreePolicy::Brs) => Some("policy"),
            _ => None,
        }
    }

    /// Whether Progressive History has a part in selection.
    pub(super) fn has_history(&self) -> bool {
        self.w != 0.0 && self.grave.is_none()
    }

    /// Whether finished games are proofs.
    pub(super) fn proves(&self) -> bool {
        self.solver != Solver::Off && self.reward == Reward::Win
    }

    /// Refuses a batch of playouts that are longer than nothing: they are played one after another, each with all that the
    /// one before has shown.
    fn check_batch(&self) -> Result<(), Error> {
        if self.batch <= 1 || self.cutoff == Some(0) {
            return Ok(());
        }
        let (batch, given) = (self.batch, self.cutoff.map_or("off".into(), |plies| plies.to_string()));
        let message =
            format!("batch={batch} evaluates leaves together, and cutoff={given} plays each of them on first");
        Err(Error::refused(message).help("cutoff=0 evaluates the leaves themselves"))
    }

    /// Refuses settings that do not go together.
    pub(super) fn check_together(&self) -> Result<(), Error> {
        if let (Some(visits), Some(k)) = (self.grave, self.oma) {
            let message =
                format!("grave={visits} and oma={k} both stand in for the rate of a move that has few visits");
            return Err(Error::refused(message).help("use one of them"));
        }
        self.check_batch()
    }

    fn make<D: Declaration>(&self, kit: &Kit<'_, D>, any_turn: Option<AnyTurn<D::Game>>) -> Made<D::Game> {
        let evaluator = kit.evaluator(&self.judging)?;
        let mut mcts = Mcts::new(evaluator, kit.order.clone(), kit.chance.own);
        (mcts.settings, mcts.any_turn) = (self.clone(), any_turn);
        Ok(Box::new(mcts))
    }
}

impl AgentSettings for MctsSettings {
    const NAME: &'static str = "mcts";
    const ABOUT: &'static str = "Monte-Carlo tree search: UCT with Progressive History, a solver and Playout Search";
    const RULE: Option<&'static str> = Some(
        "Each simulation follows the moves with the highest sum of rate, exploration and history, adds one node and \
         plays the game out; in the end the move with the best rate is played.",
    );
    const LIMITS: &'static [Limit] = &[Limit::Nodes, Limit::Playouts, Limit::Time];
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        self.check_together()
    }
}

impl Algorithm for MctsSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Made<D::Game> {
        if let Some(key) = self.out_of_turn() {
            let error = refuse_out_of_turn(kit, &format!("mcts:{key}=brs"));
            return Err(error.help(format!("{key}=paranoid keeps the turn order")));
        }
        self.make(kit, None)
    }

    fn agent_out_of_turn<D: Declaration>(&self, kit: &Kit<'_, D>) -> Made<D::Game>
    where
        D::Game: OutOfTurn,
    {
        self.make(kit, Some(AnyTurn::new()))
    }
}

/// What the players want in the tree. Playouts are always played in turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TreePolicy {
    /// Every player maximizes its own share.
    #[default]
    MaxN,
    /// The root's opponents maximize what the root does not get.
    Paranoid,
    /// The same, and between two moves of the root only one opponent moves, any of them. Needs [`Mcts::any_turn`].
    Brs,
}

impl Choice for TreePolicy {
    const WORDS: &'static [(TreePolicy, &'static str)] =
        &[(TreePolicy::MaxN, "maxn"), (TreePolicy::Paranoid, "paranoid"), (TreePolicy::Brs, "brs")];
}

/// How simulations are divided among the moves of the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RootRule {
    /// As everywhere else in the tree.
    #[default]
    Ucb,
    /// By sequential halving.
    Halving,
}

impl Choice for RootRule {
    const WORDS: &'static [(RootRule, &'static str)] = &[(RootRule::Ucb, "ucb"), (RootRule::Halving, "halving")];
}

/// Which move of the root is played in the end. Proven wins come before all others, proven losses after them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FinalChoice {
    /// The one with the best rate, of equals the one with the most visits.
    #[default]
    Rate,
    /// The one with the most visits, of equals the one with the best rate.
    Visits,
    /// The one whose rate is at least so much with a probability of 97.5 %: the lower end of Wilson's interval.
    Lcb,
}

impl Choice for FinalChoice {
    const WORDS: &'static [(FinalChoice, &'static str)] =
        &[(FinalChoice::Rate, "rate"), (FinalChoice::Visits, "visits"), (FinalChoice::Lcb, "lcb")];
}

/// The order in which the children of a node are tried for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FirstPlay {
    /// The static ordering.
    #[default]
    StaticOrder,
    /// A random order.
    Random,
}

impl Choice for FirstPlay {
    const WORDS: &'static [(FirstPlay, &'static str)] =
        &[(FirstPlay::StaticOrder, "order"), (FirstPlay::Random, "random")];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::LeafScores;
    use crate::{Agent, AsListed, Budget, Chance, Code, Spec, Tree, settings};

    fn start() -> Tree {
        "(1 (2 1,0,0 0,1,0) (2 0,0,1 (3 1,0,0)))".parse().unwrap()
    }

    fn agent(text: &str) -> Made<Tree> {
        let mut settings = MctsSettings::default();
        settings::read(&mut settings, text).unwrap();
        settings.agent(&Kit::<'_, Tree> {
            game: &start(),
            spec: &Spec::parse("tree").unwrap(),
            order: &AsListed,
            chance: Chance { own: 1, common: 2, noise: true },
            programs: false,
            progress: &|_, _| (),
            make: &|_| unreachable!("it has no agent inside"),
        })
    }

    #[test]
    fn settings_are_listed_with_their_defaults() {
        let all = settings::list(&mut MctsSettings::default());
        let line = |setting: &settings::Setting| format!("{}={}", setting.key, setting.value.as_deref().unwrap_or("?"));
        assert_eq!(
            all.iter().map(line).collect::<Vec<_>>().join(","),
            "c=0.2,w=5,epsilon=0.05,k=5,playout=one-ply,learning=1,policy=maxn,solver=standard,cutoff=off,reward=win,implicit=0,widen=0,\
             widen-power=0.5,grave=off,bias=0.00001,oma=off,prior=0,root=ucb,choose=rate,batch=1,killers=yes,first=order,ties=order,score=?,reuse=yes,memory=1G,lines=1,threads=1,eval=?,noise=no"
        );
    }

    #[test]
    fn best_replies_are_refused_where_players_move_in_turn() {
        for (text, key) in [("playout=brs", "playout"), ("policy=brs", "policy"), ("policy=brs,playout=brs", "playout")]
        {
            let error = agent(text).err().expect("it is refused");
            assert_eq!(error.code, Code::Refused);
            assert!(error.message.starts_with(&format!("mcts:{key}=brs lets opponents move out of turn")), "{error}");
            assert_eq!(error.help, Some(format!("{key}=paranoid keeps the turn order")));
        }
        assert!(agent("eval=discs").is_err_and(|error| error.code == Code::BadValue));
    }

    #[test]
    fn a_batch_of_playouts_is_refused() {
        for (text, given) in [("batch=16", "off"), ("batch=2,cutoff=3", "3")] {
            let mut settings = MctsSettings::default();
            settings::read(&mut settings, text).unwrap();
            let error = AgentSettings::check(&settings, 3).unwrap_err();
            assert_eq!(
                (error.code, error.help.as_deref()),
                (Code::Refused, Some("cutoff=0 evaluates the leaves themselves"))
            );
            assert!(error.message.contains(&format!("cutoff={given} plays each of them on first")), "{error}");
        }
        for text in ["batch=1", "batch=1,cutoff=3", "batch=64,cutoff=0"] {
            let mut settings = MctsSettings::default();
            settings::read(&mut settings, text).unwrap();
            assert_eq!(AgentSettings::check(&settings, 3), Ok(()));
        }
        for text in ["batch=0", "batch=1M", "batch=many"] {
            assert!(settings::read(&mut MctsSettings::default(), text).is_err(), "{text}");
        }
    }

    #[test]
    fn two_statistics_that_stand_in_for_the_rate_are_refused() {
        let mut settings = MctsSettings::default();
        settings::read(&mut settings, "grave=100,oma=30").unwrap();
        let error = AgentSettings::check(&settings, 3).unwrap_err();
        assert_eq!((error.code, error.help.as_deref()), (Code::Refused, Some("use one of them")));
        assert!(error.message.starts_with("grave=100 and oma=30 both"), "{error}");
        for text in ["grave=100", "oma=30", "grave=0,oma=off"] {
            let mut settings = MctsSettings::default();
            settings::read(&mut settings, text).unwrap();
            assert_eq!(AgentSettings::check(&settings, 3), Ok(()), "{text}");
        }
        for text in ["oma=0", "grave=-1", "bias=-1", "learning=1000"] {
            assert!(settings::read(&mut MctsSettings::default(), text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_agent_made_from_settings_follows_them() {
        let mut agent = agent("policy=paranoid,playout=random,solver=off,w=0").unwrap();
        let mut mcts = Mcts::new(LeafScores, AsListed, 1);
        (mcts.settings.policy, mcts.settings.playout) = (TreePolicy::Paranoid, PlayoutPolicy::Random);
        (mcts.settings.solver, mcts.settings.w) = (Solver::Off, 0.0);
        let (made, expected) =
            (agent.choose(&start(), &Budget::nodes(500)), mcts.choose(&start(), &Budget::nodes(500)));
        assert_eq!((made.m, made.scores, made.nodes), (expected.m, expected.scores, expected.nodes));
    }
}
