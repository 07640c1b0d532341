//! Generalized Best-Reply Search with passes: one opponent moves freely, the others pass, in turn order.
//!
//! This is [`brs_plus`](crate::brs_plus) with a pass as its special move. The paper uses it to show that Best-Reply Search is a
//! case of generalized Best-Reply Search: its values at the depths 1, n, n + 1, 2n, … of n players are those of
//! [`Brs`](crate::Brs) at 1, 2, 3, 4, …, since every pass costs a ply here, as long as all n players are in. It has no other
//! advantage over `Brs`.
//!
//! ```text
//!                      1
//!                      │
//!                      2
//!          ┌───────────┴───────────┐
//!     moves: 3 passes       passes: 3 moves
//!          │                       │
//!          1                       1
//! ```
//!
//! ```
//! use nply::testing::{HashedScores, Track};
//! use nply::{Agent, AsListed, Brs, Budget, GeneralizedBrs, standard_depth};
//! let (mut game, evaluator) = (Track::new(4, 3), HashedScores { most: 9, seed: 1 });
//! game.captures = false;
//! let brs = Brs::new(evaluator, AsListed).choose(&game, &Budget::depth(3));
//! let passing = GeneralizedBrs::new(evaluator, AsListed).choose(&game, &Budget::depth(standard_depth(3, 4)));
//! assert_eq!((passing.value, passing.m), (brs.value, brs.m));
//! ```
//!
//! A pass hands the turn to the next player who is in. If the root player is out and the regular move is made, passes lead
//! nowhere, and the position is evaluated as it stands.
//!
//! Reference: M. Esser, M. Gras, M. H. M. Winands, M. P. D. Schadd, M. Lanctot, *Improving Best-Reply Search*, 2013.

use crate::alphabeta::{Action, Level, List, Memory, Side, Statistics, TwoSided, View};
use crate::brs_plus::child_level;
use crate::{
    Agent, BrsSettings, Budget, Context, Decision, Dice, Evaluator, Explained, Game, MoveOrder, OutOfTurn, Player,
};

/// Searches as if between two moves of the root player one opponent moved freely and the others passed: the agent
/// `brs+:special=pass`.
#[derive(Clone, Debug)]
pub struct GeneralizedBrs<G: Game, E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering.
    pub order: O,
    /// Everything else.
    pub settings: BrsSettings,
    /// Chooses among equal moves, if that is [left to chance](crate::Parts::equals).
    pub dice: Dice,
    memory: Memory<G::Move>,
}

impl<G: Game, E, O> GeneralizedBrs<G, E, O> {
    /// A search with the default settings.
    pub fn new(evaluator: E, order: O) -> GeneralizedBrs<G, E, O> {
        GeneralizedBrs {
            evaluator,
            order,
            settings: BrsSettings::default(),
            dice: Dice::default(),
            memory: Memory::default(),
        }
    }

    /// What the last search did.
    pub fn statistics(&self) -> Statistics {
        self.memory.statistics()
    }
}

impl<G: OutOfTurn, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for GeneralizedBrs<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let GeneralizedBrs { evaluator, order, settings: BrsSettings { score, parts, .. }, dice, memory } = self;
        let view = Passes { root: game.turn() };
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

/// Everybody moves in turn; all opponents but one pass.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    /// The player who searches.
    pub root: Player,
}

impl Passes {
    /// Who gets the turn if the player to move passes.
    #[inline]
    fn next<G: OutOfTurn>(game: &G) -> Player {
        let (turn, count) = (game.turn(), game.player_count());
        let mut next = turn.next(count);
        while next != turn && !game.is_in(next) {
            next = next.next(count);
        }
        next
    }
}

impl<G: OutOfTurn> View<G> for Passes {
    #[inline]
    fn list<O: MoveOrder<G>>(&self, game: &mut G, level: Level, list: &mut List<'_, G, O>) {
        if level.count == 0 {
            list.add(game);
        }
        if level.count > 0 || (level.side == Side::Min && Passes::next(game) != self.root) {
            list.push(Action::pass(game.turn()), i32::MIN);
        }
    }

    #[inline]
    fn visit<R>(&self, game: &mut G, level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R {
        match action.m {
            Some(m) => game.visit(m, |child| {
                let level = child_level(self.root, child.turn(), level, true);
                f(child, level)
            }),
            None => {
                let next = Passes::next(game);
                let level = child_level(self.root, next, level, false);
                game.with_turn(next, |game| f(game, level))
            }
        }
    }

    /// A null move is the one regular move.
    #[inline]
    fn null(&self, level: Level, turn: Player) -> Option<Level> {
        (level.count == 0).then(|| child_level(self.root, turn, level, true))
    }

    #[inline]
    fn is_over(&self, game: &G, level: Level) -> bool {
        level.count > 0 && !game.is_in(self.root)
    }
}
