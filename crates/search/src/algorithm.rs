//! Declarations of agents: [`AgentSettings`]; and how an agent is made for any game: [`Algorithm`].
//!
//! An algorithm's settings type is free of game types. It has the algorithm's name and description, knows which limits
//! apply to it, and makes the agent from a [`Kit`]: the game's evaluation and ordering, seeds, and whatever else
//! agents are made of. [`algorithms`](crate::algorithms) goes through all of this package.

use std::fmt::Debug;

use crate::settings::{self, Visitor};
use crate::{Agent, Budget, Calibrated, Declaration, Dice, Error, Noisy, OutOfTurn, Progress, Settings, Spec};

/// A limit of a [`Budget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The deepest iteration.
    Depth,
    /// Positions visited.
    Nodes,
    /// Playouts.
    Playouts,
    /// Time.
    Time,
}

impl Limit {
    /// All limits, in the order in which they are listed.
    pub const ALL: &'static [Limit] = &[Limit::Depth, Limit::Nodes, Limit::Playouts, Limit::Time];
    /// Those of searches by iterative deepening.
    pub const DEEPENING: &'static [Limit] = &[Limit::Depth, Limit::Nodes, Limit::Time];

    /// The key of the limit among settings, and its option in commands.
    pub fn key(self) -> &'static str {
        match self {
            Limit::Depth => "depth",
            Limit::Nodes => "nodes",
            Limit::Playouts => "playouts",
            Limit::Time => "time",
        }
    }

    /// Whether a budget has this limit.
    pub fn is_in(self, budget: &Budget) -> bool {
        match self {
            Limit::Depth => budget.depth.is_some(),
            Limit::Nodes => budget.nodes.is_some(),
            Limit::Playouts => budget.playouts.is_some(),
            Limit::Time => budget.time.is_some(),
        }
    }
}

/// The settings of an agent, with what is declared about the agent itself.
pub trait AgentSettings: Settings + Clone + Default + PartialEq + Debug + Send + Sync + 'static {
    /// The agent's name, in lower case: `brs`.
    const NAME: &'static str;
    /// A description in one line.
    const ABOUT: &'static str;
    /// The rule of its search in one sentence, if it searches a tree that [`Agent::explain`] can record.
    const RULE: Option<&'static str> = None;
    /// The limits that apply to it.
    const LIMITS: &'static [Limit];
    /// Whether it searches until a limit ends it, so that one of its limits must be given.
    const NEEDS_LIMIT: bool = true;
    /// Whether it uses the game's move ordering, so that the settings of the ordering are among its own.
    const USES_ORDER: bool = false;
    /// Whether the time in its decisions counts, because waiting for it may include the start of a program.
    const KEEPS_TIME: bool = false;

    /// Refuses settings that do not go together, or not with this number of players.
    fn check(&self, _players: usize) -> Result<(), Error> {
        Ok(())
    }

    /// The agent inside this one, which does the search.
    fn inner(&self) -> Option<&str> {
        None
    }

    /// The depth of its search, where that does not depend on the budget.
    fn fixed_depth(&self) -> Option<u32> {
        None
    }

    /// The plies of the game that a depth of this search stands for.
    fn standard_depth(&self, depth: u32, _players: usize) -> u32 {
        depth
    }
}

/// An agent that plays any game.
pub trait Algorithm: AgentSettings {
    /// Makes the agent for a game in which players may only move in turn. The settings have passed
    /// [`check`](AgentSettings::check). Whatever else can be refused is refused before anything slow, such as making an
    /// evaluation.
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Made<D::Game>;

    /// Makes the agent for a game in which players may move out of turn.
    fn agent_out_of_turn<D: Declaration>(&self, kit: &Kit<'_, D>) -> Made<D::Game>
    where
        D::Game: OutOfTurn,
    {
        self.agent(kit)
    }
}

/// An agent that plays one game, or some.
pub trait AlgorithmFor<D: Declaration>: AgentSettings {
    /// Makes the agent.
    fn agent(&self, kit: &Kit<'_, D>) -> Made<D::Game>;
}

/// Seeds of an agent.
///
/// They are derived from the seeds of the game in a way that cannot be reversed, so that an agent learns nothing about the deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    /// The agent's own seed.
    pub own: u64,
    /// The seed that all agents of a game share: the random factor of evaluations.
    pub common: u64,
    /// Whether evaluations have a random factor unless the settings decide.
    pub noise: bool,
}

/// An agent, or why it cannot be made.
pub type Made<G> = Result<Box<dyn Agent<G>>, Error>;

/// What agents are made of.
pub struct Kit<'a, D: Declaration> {
    /// A position of the game, which knows players and options.
    pub game: &'a D::Game,
    /// The game's name, with all its options.
    pub spec: &'a Spec,
    /// The move ordering.
    pub order: &'a D::Order,
    /// Seeds.
    pub chance: Chance,
    /// Whether an agent may start a program.
    pub programs: bool,
    /// Where slow preparations report to.
    pub progress: Progress<'a>,
    /// Makes another agent by its name.
    pub make: &'a dyn Fn(&Spec) -> Made<D::Game>,
}

impl<D: Declaration> Kit<'_, D> {
    /// The evaluation that the settings name, with their random factor.
    pub fn evaluator(&self, judging: &Judging) -> Result<Noisy<Calibrated<D>>, Error> {
        let inner = Calibrated::new(self.game, self.spec, judging.eval.as_deref(), self.progress)?;
        let most = if judging.noise.unwrap_or(self.chance.noise) { D::noise(&inner.inner) } else { 0 };
        Ok(Noisy { inner, most, dice: Dice::new(self.chance.common) })
    }
}

/// The settings of an agent's evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judging {
    /// Name of the evaluation; `None` for the game's usual one.
    pub eval: Option<String>,
    /// Whether it has a small random factor; `None` for only in tournaments.
    pub noise: Option<bool>,
}

impl Settings for Judging {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.evaluation("eval", &mut self.eval, "evaluation of positions; by default the game's first");
        v.open_flag("noise", &mut self.noise, "small random factor in the evaluation; by default only in tournaments");
    }
}

impl Settings for Budget {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.open_whole("depth", &mut self.depth, 1..=u64::from(u32::MAX), "deepest iteration, in plies");
        v.open_whole("nodes", &mut self.nodes, 0..=u64::MAX, "positions visited");
        v.open_whole("playouts", &mut self.playouts, 0..=u64::MAX, "playouts, for agents that make any");
        v.open_time("time", &mut self.time, "time from the start of the decision");
    }
}

/// The limits as text, always the same for the same limits: `depth=3,nodes=250k,time=200ms`. Without limits it is empty.
///
/// ```
/// use nply::Budget;
/// assert_eq!(Budget::nodes(250_000).to_string(), "nodes=250k");
/// ```
impl std::fmt::Display for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&settings::write(self))
    }
}

impl std::str::FromStr for Budget {
    type Err = Error;

    fn from_str(text: &str) -> Result<Budget, Error> {
        let mut budget = Budget::default();
        settings::read(&mut budget, text)?;
        Ok(budget)
    }
}

/// Refuses to let players move out of turn in a game whose players move in turn; `what` names the agent or setting that would.
pub fn refuse_out_of_turn<D: Declaration>(kit: &Kit<'_, D>, what: &str) -> Error {
    let (game, why) = (&kit.spec.name, D::IN_TURN);
    Error::refused(format!("{what} lets opponents move out of turn, which {game} does not allow: {why}"))
}

/// Goes through a list of algorithms, whose types it then knows.
pub trait AlgorithmVisitor {
    /// An agent that plays any game.
    fn agent<A: Algorithm>(&mut self);
}
