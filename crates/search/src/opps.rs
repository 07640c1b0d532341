//! OPPS, Opponent-Pruning Paranoid Search: few of the opponents' moves are free, and the rest are among the first.
//!
//! Paranoid searches every reply of every opponent, and most of its nodes are replies. BRS+ lets one opponent leave the first move
//! of the static ordering, and overlooks whatever takes two. OPPS has three numbers in between. Between two moves of the root player
//! at most [`opponents`](OppsSettings::opponents) of the opponents' moves may be any of the mover's first
//! [`best`](OppsSettings::best) by the static ordering. Every other move of an opponent is one of the mover's first
//! [`others`](OppsSettings::others).
//!
//! ```text
//! opps(s, d, made) =
//!   value(s)                                                   if s is over or d = 0
//!   max over moves m: opps(s·m, d - 1, 0)                      if the root player moves
//!   min over the moves m of these ranks:                       otherwise
//!     1 to others:        opps(s·m, d - 1, made)
//!     others + 1 to best: opps(s·m, d - 1, made + 1)           if made < opponents
//! ```
//!
//! Here *made* counts the moves beyond the first `others` since the root player last moved. A move among the first `others` is also
//! one of the first `best`, but to count it would only leave the opponents less, so it is never searched a second time as a free
//! one. Every move is one ply of depth.
//!
//! # What it contains
//!
//! - `opponents=1,best=all,others=1` is [BRS+](crate::brs_plus), node for node: one view of the game serves both.
//! - `opponents=n-1,best=all` is [Paranoid](crate::paranoid), wherever every opponent moves once between two moves of the root player.
//! - `opponents=0,others=1` expects the first move of the ordering from everybody.
//! - With a second turn in a row, an opponent spends a second free move on it: what is counted are moves, not players.
//!
//! # Details
//!
//! - The ranks are those of [`Parts::order`], by default the worst for the root player first. So, unlike in Paranoid and BRS+, the
//!   ordering changes the value. `order=none` ranks moves as the game lists them. Nothing that a search learns changes a rank: table,
//!   killers and history only decide which of the moves is searched first.
//! - With [`top`](OppsSettings::top) the one move that is not free is drawn from the first so many, as in BRS+. That needs
//!   `others=1`, and no more of them than `best`.
//! - [`Parts::width`] would be a fourth number for the same thing, and is refused. The root player's own moves are all searched.
//! - The transposition table keeps apart nodes of different counts and root players.
//!
//! The search itself is described in [`alphabeta`](crate::alphabeta).
//!
//! # Example
//!
//! Player 1 has one move, then players 2 and 3 answer; the ordering is as listed. With no free move players 2 and 3 play their
//! first moves, which leave player 1 with 7. With one, player 3 finds the 5, or player 2 the 9 or the 6, after which player 3 is not
//! free. With two they find the 0, as Paranoid does.
//!
//! ```text
//!                           1
//!                           │
//!                           2
//!         ┌─────────────────┼─────────────────┐
//!      3: made 0         3: made 1         3: made 1
//!      ┌────┴────▲         ▲────┐            ▲────┐
//!    7,0,0     5,0,0     9,0,0  ✂          6,0,0  ✂      opponents=1
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Opps, ScoreForm, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 (3 7,0,0 5,0,0) (3 9,0,0 1,0,0) (3 6,0,0 0,0,0)))".parse().unwrap();
//! let value = |opponents, best, others| {
//!     let mut search = Opps::new(LeafScores, AsListed);
//!     (search.settings.opponents, search.settings.best, search.settings.others) = (opponents, best, others);
//!     search.settings.score = ScoreForm::Own;
//!     search.choose(&tree, &Budget::depth(3)).value.unwrap()
//! };
//! assert_eq!([0, 1, 2].map(|opponents| value(opponents, None, 1)), [7.0, 5.0, 0.0]);
//! // Of player 2's moves the third is not among the best two.
//! assert_eq!(value(2, Some(2), 1), 1.0);
//! // Both moves of player 3 are among the first two, so it needs no free move.
//! assert_eq!(value(0, None, 2), 1.0);
//! assert_eq!(value(1, None, 2), 0.0);
//! ```
//!
//! Reference: H. Baier, M. Kaisers, *Opponent-Pruning Paranoid Search*, FDG 2020.

use crate::alphabeta::{Level, Memory, Statistics, TwoSided};
use crate::brs_plus::SpecialMoves;
use crate::settings::Visitor;
use crate::{
    Agent, AgentSettings, Algorithm, Budget, Context, Decision, Declaration, Dice, Error, Evaluator, Explained, Game,
    Judging, Kit, Limit, MoveOrder, Parts, ScoreForm, Settings, Stance,
};

/// Searches as if between two moves of the root player the opponents made few moves that are not among their first.
#[derive(Clone, Debug)]
pub struct Opps<G: Game, E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering, which also ranks the opponents' moves.
    pub order: O,
    /// Everything else.
    pub settings: OppsSettings,
    /// Seed of the draw among the first [`top`](OppsSettings::top) moves.
    pub seed: u64,
    /// Chooses among equal moves, if that is [left to chance](Parts::equals).
    pub dice: Dice,
    memory: Memory<G::Move>,
}

impl<G: Game, E, O> Opps<G, E, O> {
    /// A search with the default settings, which are those of BRS+.
    pub fn new(evaluator: E, order: O) -> Opps<G, E, O> {
        Opps {
            evaluator,
            order,
            settings: OppsSettings::default(),
            seed: 1,
            dice: Dice::default(),
            memory: Memory::default(),
        }
    }

    /// What the last search did.
    pub fn statistics(&self) -> Statistics {
        self.memory.statistics()
    }
}

/// # Panics
/// If the settings do not pass their own check: [`OppsSettings::check_numbers`].
impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Opps<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        if let Err(error) = self.settings.check_numbers() {
            panic!("{error}");
        }
        let Opps { evaluator, order, settings, seed, dice, memory } = self;
        let OppsSettings { opponents, best, others, top, score, parts, .. } = settings;
        let root = game.turn();
        let view = SpecialMoves {
            root,
            stance: parts.stance(Stance::Against(root), root),
            top: *top,
            seed: *seed,
            opponents: *opponents as u8,
            best: best.unwrap_or(usize::MAX),
            others: *others,
        };
        TwoSided { evaluator, order, view, score: *score, parts, dice: *dice }.decide(memory, game, budget, watch)
    }

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        self.memory.record(nodes);
        let decision = self.choose(game, budget);
        self.memory.recording().map(|recording| (decision, recording))
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
        self.dice.begin(context.ply);
    }
}

/// The settings of the agent `opps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OppsSettings {
    /// How many of the opponents' moves between two of the root player's may be any of the best; below [`Level::COUNTS`].
    pub opponents: usize,
    /// How many of the mover's first moves those are, at least 1; `None` for all.
    pub best: Option<usize>,
    /// How many of the mover's first moves every other move of an opponent is one of; at least 1.
    pub others: usize,
    /// With `others=1`, that move is drawn from this many first moves, by the position's key and a seed; at least 1.
    pub top: usize,
    /// What the root player maximizes.
    pub score: ScoreForm,
    /// Table, ordering, killers and history. There is no width.
    pub parts: Parts,
    /// The evaluation.
    pub judging: Judging,
}

impl Default for OppsSettings {
    fn default() -> OppsSettings {
        OppsSettings {
            opponents: 1,
            best: None,
            others: 1,
            top: 1,
            score: ScoreForm::default(),
            parts: Parts::default(),
            judging: Judging::default(),
        }
    }
}

impl Settings for OppsSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        let about = "opponents' moves between two of the root player's that may be any of the best";
        v.whole("opponents", &mut self.opponents, 0..=Level::COUNTS as u64 - 1, about);
        v.whole_or("best", &mut self.best, "all", 1..=1_000_000, "first moves of the ordering that those may be");
        v.whole("others", &mut self.others, 1..=1_000_000, "first moves of the ordering that all others may be");
        v.whole("top", &mut self.top, 1..=1000, "draw the move that is not free from this many first moves");
        self.score.visit_against(v);
        self.parts.visit(v);
        self.judging.visit(v);
    }
}

impl OppsSettings {
    /// Refuses numbers that do not go together.
    pub fn check_numbers(&self) -> Result<(), Error> {
        let OppsSettings { opponents, best, others, top, parts, .. } = self;
        if let Some(width) = parts.width {
            let error = Error::refused(format!("opps has no width, and width is {width}"));
            return Err(error.help("best and others limit the opponents' moves"));
        }
        if *top > 1 && *others != 1 {
            let error = Error::refused(format!("top={top} draws one move, and others is {others}"));
            return Err(error.help("use top with others=1"));
        }
        if let Some(best) = best.filter(|best| best < top) {
            return Err(Error::refused(format!("top={top} draws from more moves than best={best} has")));
        }
        if *opponents >= Level::COUNTS || *others == 0 || *top == 0 || *best == Some(0) {
            let error = Error::refused(format!("opponents={opponents},others={others},top={top} is out of range"));
            return Err(error.help(format!("opponents is at most {}, the others are at least 1", Level::COUNTS - 1)));
        }
        Ok(())
    }
}

impl AgentSettings for OppsSettings {
    const NAME: &'static str = "opps";
    const ABOUT: &'static str = "OPPS: few of the opponents' moves are free, the rest are among the first";
    const RULE: Option<&'static str> = Some(
        "The opponents leave the root player the lowest value, but between two of its moves only a few of theirs may be \
         any of the best, and the others are among the first of the ordering.",
    );
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        self.check_numbers()?;
        self.parts.check()
    }
}

impl Algorithm for OppsSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        self.parts.switches.check_game(kit)?;
        let opps = Opps::new(kit.evaluator(&self.judging)?, kit.order.clone());
        let dice = Dice::new(kit.chance.own);
        Ok(Box::new(Opps { settings: self.clone(), seed: kit.chance.common, dice, ..opps }))
    }
}
