//! The agents, their options, and how each is made for a game.

use std::sync::Arc;

use nply::{
    Agent, Brs, BrsPlus, Budget, Evaluator, FirstMove, FirstPlay, Greedy, Maxn, Mcts, MoveOrder, Noisy, Notation,
    Order, OutOfTurn, Paranoid, Parts, PlayoutPolicy, PlayoutTies, Pruning, Random, Score, ScoreForm, Solver, Ties,
    TreePolicy, Worlds, mix,
};

use super::{GameInfo, Registered};
use crate::error::Error;
use crate::program::Program;
use crate::protocol::GameLine;
use crate::session::{Chance, Fault};
use crate::spec::{Kind, OptionInfo, Options, Spec};

/// What is said of an agent: its name and options.
#[derive(Clone, Copy, Debug)]
pub struct AgentInfo {
    /// The name.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The limits on its thinking that mean something to it, of [`LIMITS`].
    pub limits: &'static [&'static str],
    /// Whether it thinks for as long as it may, so that one of its limits has to be given.
    is_endless: bool,
    /// Its options, in groups that agents share.
    groups: &'static [&'static [OptionInfo]],
}

impl AgentInfo {
    /// The options; in a game, also those that the game's ordering adds.
    pub fn options(&self, game: Option<&GameInfo>) -> Vec<OptionInfo> {
        let mut options: Vec<OptionInfo> = self.groups.iter().copied().flatten().copied().collect();
        if options.iter().any(|option| ["order", "playout"].contains(&option.key)) {
            options.extend(game.map_or(&[][..], |game| game.order_options));
        }
        options
    }
}

/// What is said of each agent.
pub fn agents() -> &'static [AgentInfo] {
    AGENTS
}

/// The limits on what a decision may cost, which are options of the agents that take them.
pub const LIMITS: &[&str] = &["depth", "nodes", "playouts", "time"];

/// Those of the tree searches.
const DEEPENING: &[&str] = &["depth", "nodes", "time"];

/// The agent inside `worlds`.
pub(crate) fn inner(agent: &Spec) -> Option<Spec> {
    let inner = agent.pairs.iter().find(|(key, _)| key == "agent").map_or("maxn", |(_, inner)| inner.as_str());
    if agent.name == "worlds" { Spec::parse(inner).ok() } else { None }
}

/// Whether a budget ends the agent's thinking; an agent nobody knows is not judged.
pub(crate) fn is_limited(agent: &Spec, budget: &Budget) -> bool {
    let Some(info) = AGENTS.iter().find(|info| info.name == agent.name) else { return true };
    if let Some(inner) = inner(agent) {
        return is_limited(&inner, budget);
    }
    let has = |limit: &&str| match *limit {
        "depth" => budget.depth.is_some(),
        "nodes" => budget.nodes.is_some(),
        "playouts" => budget.playouts.is_some(),
        _ => budget.time.is_some(),
    };
    !info.is_endless || info.limits.iter().any(has)
}

const AGENTS: &[AgentInfo] = &[
    AgentInfo {
        name: "random",
        about: "any legal move, each as likely as any other",
        limits: &[],
        is_endless: false,
        groups: &[],
    },
    AgentInfo {
        name: "greedy",
        about: "the move whose position looks best for the mover; equals at random",
        limits: &["nodes", "time"],
        is_endless: false,
        groups: &[EVALUATION],
    },
    AgentInfo {
        name: "alphabeta",
        about: "alpha-beta, for two players",
        limits: DEEPENING,
        is_endless: true,
        groups: &[AGAINST, TREE, DYNAMIC, EVALUATION],
    },
    AgentInfo {
        name: "maxn",
        about: "max^n: every player does what is best for that player",
        limits: DEEPENING,
        is_endless: true,
        groups: &[MAXN, TREE, STATIC, EVALUATION],
    },
    AgentInfo {
        name: "paranoid",
        about: "Paranoid: all others are against the player to move",
        limits: DEEPENING,
        is_endless: true,
        groups: &[AGAINST, TREE, DYNAMIC, EVALUATION],
    },
    AgentInfo {
        name: "brs",
        about: "Best-Reply Search: between two own moves only one opponent moves, whoever does most harm",
        limits: DEEPENING,
        is_endless: true,
        groups: &[AGAINST, TREE, DYNAMIC, EVALUATION],
    },
    AgentInfo {
        name: "brs+",
        about: "BRS+: one opponent replies, the others play a special move, so that turns stay in order",
        limits: DEEPENING,
        is_endless: true,
        groups: &[BRS_PLUS, AGAINST, TREE, DYNAMIC, EVALUATION],
    },
    AgentInfo {
        name: "mcts",
        about: "Monte-Carlo tree search: UCT with Progressive History, a solver and Playout Search",
        limits: &["nodes", "playouts", "time"],
        is_endless: true,
        groups: &[MCTS, QUIET_EVALUATION],
    },
    AgentInfo {
        name: "worlds",
        about: "imagines what is hidden in several ways, asks an agent in each, and takes a vote",
        limits: LIMITS,
        is_endless: true,
        groups: &[WORLDS],
    },
    AgentInfo {
        name: "program",
        about: "an outside program that speaks nply's protocol",
        limits: LIMITS,
        is_endless: true,
        groups: &[PROGRAM],
    },
];

const YES_NO: Kind = Kind::Choice(&["yes", "no"]);

const MAXN: &[OptionInfo] = &[
    OptionInfo {
        key: "pruning",
        kind: Kind::Choice(&["none", "shallow", "bound", "last-branch", "speculative"]),
        default: "none",
        about: "what is left out; never changes the value",
    },
    OptionInfo {
        key: "ties",
        kind: Kind::Choice(&["left", "cautious"]),
        default: "left",
        about: "what a player does who does not care: the first move, or the worst for the root",
    },
    OptionInfo {
        key: "score",
        kind: Kind::Choice(&["own", "difference", "relative"]),
        default: "own",
        about: "what a player wants the most of: the score, less the others', or less the average",
    },
    OptionInfo {
        key: "mu",
        kind: Kind::Choice(&["1", "0"]),
        default: "1",
        about: "the least difference between two scores; 0 prunes as if scores were not whole",
    },
];

const AGAINST: &[OptionInfo] = &[OptionInfo {
    key: "score",
    kind: Kind::Choice(&["difference", "own"]),
    default: "difference",
    about: "what the root wants the most of: the score less the others', or the score",
}];

const BRS_PLUS: &[OptionInfo] = &[
    OptionInfo {
        key: "special",
        kind: Kind::Choice(&["against", "own", "pass"]),
        default: "against",
        about: "the special move: the first of an ordering, or a pass, which gives Best-Reply Search",
    },
    OptionInfo {
        key: "top",
        kind: Kind::Whole { min: 1, max: 1000, or: None },
        default: "1",
        about: "draws the special move among the first so many",
    },
];

/// What all tree searches share.
const TREE: &[OptionInfo] = &[
    OptionInfo {
        key: "table",
        kind: Kind::Size { or: Some("off") },
        default: "64M",
        about: "the size of the transposition table",
    },
    OptionInfo {
        key: "order",
        kind: Kind::Choice(&["own", "against", "none"]),
        default: "",
        about: "the static ordering; by default own in max^n and against in the others",
    },
    OptionInfo {
        key: "width",
        kind: Kind::Whole { min: 1, max: 1_000_000, or: Some("all") },
        default: "all",
        about: "only the first so many moves of the ordering at every node",
    },
];

/// Orderings learned during the search.
const DYNAMIC: &[OptionInfo] = &[
    OptionInfo { key: "killers", kind: YES_NO, default: "yes", about: "whether killer moves are tried early" },
    OptionInfo { key: "history", kind: YES_NO, default: "yes", about: "whether the history heuristic sorts moves" },
];

/// The same where the order of moves must not change.
const STATIC: &[OptionInfo] = &[
    OptionInfo {
        key: "killers",
        kind: Kind::Choice(&["no"]),
        default: "no",
        about: "max^n's value depends on the order",
    },
    OptionInfo {
        key: "history",
        kind: Kind::Choice(&["no"]),
        default: "no",
        about: "max^n's value depends on the order",
    },
];

const EVAL: OptionInfo =
    OptionInfo { key: "eval", kind: Kind::Eval, default: "", about: "the evaluation; by default the game's first" };

/// Options of whoever judges positions.
const EVALUATION: &[OptionInfo] = &[
    EVAL,
    OptionInfo {
        key: "noise",
        kind: Kind::Choice(&["no", "yes"]),
        default: "",
        about: "a small random factor in the evaluation; by default only in tournaments",
    },
];

/// Options of whoever judges positions in games that differ without noise.
const QUIET_EVALUATION: &[OptionInfo] = &[
    EVAL,
    OptionInfo {
        key: "noise",
        kind: Kind::Choice(&["no", "yes"]),
        default: "no",
        about: "a small random factor in the evaluation, the same in every playout that comes to a position",
    },
];

const MCTS: &[OptionInfo] = &[
    OptionInfo { key: "c", kind: POSITIVE, default: "0.2", about: "the weight of exploration" },
    OptionInfo { key: "w", kind: POSITIVE, default: "5", about: "the weight of Progressive History" },
    OptionInfo {
        key: "epsilon",
        kind: Kind::Number { min: 0.0, max: 1.0 },
        default: "0.05",
        about: "how often a playout plays at random whatever its policy",
    },
    OptionInfo {
        key: "k",
        kind: Kind::Whole { min: 1, max: 1_000_000, or: None },
        default: "5",
        about: "how many moves a playout's search looks at on each ply",
    },
    OptionInfo {
        key: "playout",
        kind: Kind::Choice(&["one-ply", "random", "move", "maxn", "paranoid", "brs"]),
        default: "one-ply",
        about: "how playouts are played",
    },
    OptionInfo {
        key: "policy",
        kind: Kind::Choice(&["maxn", "paranoid", "brs"]),
        default: "maxn",
        about: "who wants what in the tree",
    },
    OptionInfo {
        key: "solver",
        kind: Kind::Choice(&["standard", "paranoid", "first-winner", "off"]),
        default: "standard",
        about: "what is proven where all children are won by others",
    },
    OptionInfo {
        key: "cutoff",
        kind: Kind::Whole { min: 0, max: 1_000_000, or: Some("off") },
        default: "off",
        about: "the plies after which the evaluation ends a playout",
    },
    OptionInfo {
        key: "killers",
        kind: YES_NO,
        default: "yes",
        about: "whether searches in playouts keep killer moves",
    },
    OptionInfo {
        key: "first",
        kind: Kind::Choice(&["order", "random"]),
        default: "order",
        about: "which child of a node is tried first: by the static ordering, or by chance",
    },
    OptionInfo {
        key: "ties",
        kind: Kind::Choice(&["order", "random"]),
        default: "order",
        about: "what decides between equal positions in playouts: the static ordering and then chance, or chance",
    },
    OptionInfo {
        key: "score",
        kind: Kind::Choice(&["own", "difference"]),
        default: "",
        about: "what searches in playouts maximise; by default own in one-ply, difference in those of two plies",
    },
    OptionInfo { key: "reuse", kind: YES_NO, default: "yes", about: "whether the tree is kept from move to move" },
    OptionInfo { key: "memory", kind: Kind::Size { or: None }, default: "1G", about: "what the tree may take" },
    OptionInfo {
        key: "threads",
        kind: Kind::Whole { min: 1, max: 256, or: None },
        default: "1",
        about: "threads that search one tree; with more than one, answers are not repeatable",
    },
];

/// Any number that is not negative.
const POSITIVE: Kind = Kind::Number { min: 0.0, max: 1e9 };

const WORLDS: &[OptionInfo] = &[
    OptionInfo {
        key: "n",
        kind: Kind::Whole { min: 1, max: 1_000_000, or: None },
        default: "20",
        about: "how many worlds; they share the budget",
    },
    OptionInfo { key: "agent", kind: Kind::Agent, default: "maxn", about: "who searches them" },
];

const PROGRAM: &[OptionInfo] = &[
    OptionInfo { key: "path", kind: Kind::Path, default: "", about: "the program; it has to be said" },
    OptionInfo { key: "args", kind: Kind::Words, default: "", about: "its arguments; one with spaces in parentheses" },
    OptionInfo { key: "start", kind: Kind::Time, default: "30s", about: "how long it may take to get ready" },
    OptionInfo {
        key: "grace",
        kind: Kind::Time,
        default: "1s",
        about: "how much longer than the budget's time it may take",
    },
    OptionInfo {
        key: "patience",
        kind: Kind::Time,
        default: "60s",
        about: "how long it may take for a move where the budget has no time",
    },
];

/// Everything that making an agent needs.
pub(crate) struct AgentMaker<'a, G: Notation, E, O> {
    pub(crate) registered: &'a Arc<Registered<G, E, O>>,
    /// The position of the game, whose options an evaluation may depend on.
    pub(crate) game: &'a G,
    /// The game with all its options.
    pub(crate) spec: &'a Spec,
    pub(crate) chance: Chance,
    /// Whether it may be an outside program.
    pub(crate) programs: bool,
    /// Where an agent that cannot choose says so.
    pub(crate) fault: &'a Fault,
    pub(crate) progress: fn(&str, f64),
}

/// How the agents that hand the turn around are made.
pub(crate) type MakeOutOfTurn<G, E, O> = fn(&Making<'_, G, E, O>) -> Result<Box<dyn Agent<G>>, Error>;

/// One agent being made.
pub(crate) struct Making<'a, G: Notation, E, O> {
    maker: &'a AgentMaker<'a, G, E, O>,
    name: &'static str,
    options: Options,
}

impl<G, E, O> AgentMaker<'_, G, E, O>
where
    G: Notation + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    /// Finds an agent by its name, checks its options and makes it.
    pub(crate) fn make(&self, spec: &Spec) -> Result<Box<dyn Agent<G>>, Error> {
        let Some(info) = AGENTS.iter().find(|info| info.name == spec.name) else {
            let names: Vec<&str> = AGENTS.iter().map(|info| info.name).collect();
            return Err(Error::unknown("agent", &spec.name, &names));
        };
        let game = &self.registered.entry.info;
        let options = Options::check(spec, &info.options(Some(game)), &game.eval_names())?;
        Making { maker: self, name: info.name, options }.make()
    }
}

impl<G, E, O> Making<'_, G, E, O>
where
    G: Notation + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    fn make(&self) -> Result<Box<dyn Agent<G>>, Error> {
        Ok(match self.name {
            "random" => Box::new(Random::new(self.maker.chance.own)),
            "greedy" => Box::new(Greedy::new(self.evaluator()?, self.maker.chance.own)),
            "alphabeta" if self.maker.game.player_count() > 2 => {
                let message = format!("alphabeta is for two players, and here are {}", self.maker.game.player_count());
                return Err(Error::usage(message).help("paranoid is alpha-beta for more"));
            }
            "alphabeta" | "paranoid" => self.paranoid()?,
            "maxn" => self.maxn()?,
            "brs+" if self.options.text("special") != "pass" => self.brs_plus()?,
            "brs" | "brs+" => match self.maker.registered.make_out_of_turn {
                Some(make) => make(self)?,
                None => return Err(self.refuse_out_of_turn()),
            },
            "mcts" => self.mcts()?,
            "worlds" => {
                let inner = self.maker.make(&Spec::parse(self.options.text("agent"))?)?;
                // Not the chance that the agent inside has.
                Box::new(Worlds::new(self.whole("n") as u64, inner, mix(self.maker.chance.own)))
            }
            "program" if !self.maker.programs => return Err(Error::usage("outside programs are not started here")),
            "program" => {
                let players = Some(self.maker.game.player_count());
                let line = GameLine { game: self.maker.spec.clone(), players, chance: self.maker.chance };
                Box::new(Program::new(&self.options, line, self.maker.fault)?)
            }
            other => unreachable!("{other} is declared but not made"),
        })
    }

    fn paranoid(&self) -> Result<Box<dyn Agent<G>>, Error> {
        let mut paranoid = Paranoid::new(self.evaluator()?, self.order());
        (paranoid.score, paranoid.parts) = (self.score(), self.parts()?);
        Ok(Box::new(paranoid))
    }

    fn maxn(&self) -> Result<Box<dyn Agent<G>>, Error> {
        let mut maxn = Maxn::new(self.evaluator()?, self.order());
        (maxn.score, maxn.parts) = (self.score(), self.parts()?);
        maxn.mu = Score::from(self.options.text("mu") == "1");
        maxn.ties = if self.options.text("ties") == "cautious" { Ties::Cautious } else { Ties::Left };
        maxn.pruning = match self.options.text("pruning") {
            "shallow" => Pruning::Shallow,
            "bound" => Pruning::Bound,
            "last-branch" => Pruning::LastBranch,
            "speculative" => Pruning::Speculative,
            _ => Pruning::None,
        };
        maxn.check().map_err(|error| Error::usage(error.to_string()))?;
        Ok(Box::new(maxn))
    }

    fn brs_plus(&self) -> Result<Box<dyn Agent<G>>, Error> {
        let mut brs_plus = BrsPlus::new(self.evaluator()?, self.order());
        (brs_plus.score, brs_plus.parts) = (self.score(), self.parts()?);
        brs_plus.special = FirstMove {
            own: self.options.text("special") == "own",
            top: self.whole("top"),
            seed: self.maker.chance.common,
        };
        Ok(Box::new(brs_plus))
    }

    fn mcts(&self) -> Result<Box<dyn Agent<G>>, Error> {
        let any_turn = || self.maker.registered.any_turn.ok_or_else(|| self.refuse_out_of_turn());
        let mut mcts = Mcts::new(self.evaluator()?, self.order(), self.maker.chance.own);
        (mcts.c, mcts.w, mcts.epsilon) =
            (self.options.number("c"), self.options.number("w"), self.options.number("epsilon"));
        mcts.k = self.whole("k");
        mcts.playout = match self.options.text("playout") {
            "random" => PlayoutPolicy::Random,
            "move" => PlayoutPolicy::Move,
            "maxn" => PlayoutPolicy::MaxN,
            "paranoid" => PlayoutPolicy::Paranoid,
            "brs" => PlayoutPolicy::Brs(any_turn()?),
            _ => PlayoutPolicy::OnePly,
        };
        mcts.policy = match self.options.text("policy") {
            "paranoid" => TreePolicy::Paranoid,
            "brs" => TreePolicy::Brs(any_turn()?),
            _ => TreePolicy::MaxN,
        };
        mcts.first = match self.options.text("first") {
            "random" => FirstPlay::Random,
            _ => FirstPlay::Order,
        };
        mcts.solver = match self.options.text("solver") {
            "paranoid" => Solver::Paranoid,
            "first-winner" => Solver::FirstWinner,
            "off" => Solver::Off,
            _ => Solver::Standard,
        };
        mcts.ties = match self.options.text("ties") {
            "random" => PlayoutTies::Random,
            _ => PlayoutTies::Order,
        };
        mcts.score = match self.options.text("score") {
            "own" => Some(ScoreForm::Own),
            "difference" => Some(ScoreForm::Difference),
            _ => None,
        };
        mcts.cutoff = self.options.whole("cutoff").map(|plies| plies as u32);
        (mcts.killers, mcts.reuse) = (self.options.yes("killers"), self.options.yes("reuse"));
        mcts.memory = self.options.size("memory").expect("it has no other word") as usize;
        mcts.threads = self.whole("threads");
        Ok(Box::new(mcts))
    }

    /// A whole number that has no other word.
    fn whole(&self, key: &str) -> usize {
        self.options.whole(key).expect("it has no other word") as usize
    }

    fn refuse_out_of_turn(&self) -> Error {
        let game = self.maker.registered.entry.info.name;
        let spec = match self.name {
            "brs" => "brs",
            "mcts" if self.options.text("playout") == "brs" => "mcts:playout=brs",
            "mcts" => "mcts:policy=brs",
            _ => "brs+:special=pass",
        };
        let why = if game == "tree" {
            "a tree says only what the player to move can do"
        } else {
            "who leads decides what the others may play, and a trick with a card missing means nothing"
        };
        Error::usage(format!("{spec} lets opponents move out of turn, which {game} does not have: {why}")).help(
            if self.name == "mcts" {
                "paranoid keeps the turn order"
            } else {
                "brs+ keeps the turn order and plays it"
            },
        )
    }

    fn score(&self) -> ScoreForm {
        match self.options.text("score") {
            "own" => ScoreForm::Own,
            "relative" => ScoreForm::Relative,
            _ => ScoreForm::Difference,
        }
    }

    fn parts(&self) -> Result<Parts, Error> {
        let table = self.options.size("table").unwrap_or(0);
        if !is_to_be_had(table) {
            let message = format!("{}:table={} is more memory than there is", self.name, self.options.text("table"));
            return Err(Error::usage(message).help("64M is the usual size"));
        }
        Ok(Parts {
            table: table as usize,
            killers: self.options.yes("killers"),
            history: self.options.yes("history"),
            width: self.options.whole("width").map(|width| width as usize),
            order: match self.options.text("order") {
                "own" => Order::Own,
                "against" => Order::Against,
                "none" => Order::None,
                _ => Order::Usual,
            },
        })
    }

    fn order(&self) -> O {
        (self.maker.registered.entry.order)(&self.options)
    }

    fn evaluator(&self) -> Result<Noisy<E>, Error> {
        let entry = &self.maker.registered.entry;
        let inner = (entry.eval)(self.options.text("eval"), self.maker.game, self.maker.progress)?;
        let noisy = match self.options.text("noise") {
            "" => self.maker.chance.noise,
            said => said == "yes",
        };
        let most = if noisy { (entry.noise)(&inner) } else { 0 };
        Ok(Noisy { inner, most, seed: self.maker.chance.common })
    }
}

/// Whether the system would give so many bytes. A table asks for them with its first result, when it is too late to say no.
fn is_to_be_had(bytes: u64) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let is_given = usize::try_from(bytes).is_ok_and(|bytes| room.try_reserve_exact(bytes).is_ok());
    // Otherwise the compiler may leave out what nobody uses.
    std::hint::black_box(&room);
    is_given
}

/// Makes Best-Reply Search, as such or as BRS+ with passes.
pub(super) fn make_out_of_turn<G, E, O>(making: &Making<'_, G, E, O>) -> Result<Box<dyn Agent<G>>, Error>
where
    G: Notation + OutOfTurn + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    let (evaluator, order) = (making.evaluator()?, making.order());
    if making.name == "brs" {
        let mut brs = Brs::new(evaluator, order);
        (brs.score, brs.parts) = (making.score(), making.parts()?);
        return Ok(Box::new(brs));
    }
    if making.options.whole("top") != Some(1) {
        return Err(Error::usage("brs+:special=pass has one special move, the pass").help("leave out top"));
    }
    let mut brs_plus = BrsPlus::passing(evaluator, order);
    (brs_plus.score, brs_plus.parts) = (making.score(), making.parts()?);
    Ok(Box::new(brs_plus))
}
