//! BRS+, and the generalized Best-Reply Search that it is a case of: one opponent moves freely, the others play special
//! moves.
//!
//! Best-Reply Search lets all opponents but one pass, which leads to positions that cannot arise. Generalized BRS lets
//! them play a *special move* instead, in proper turn order. With a pass for a special move it is Best-Reply Search
//! again ([`Pass`]); with the first move of the static ordering ([`FirstMove`]) it is BRS+, which visits only positions
//! that can arise and so works for every game, card games too.
//!
//! ```text
//! gbrs(s, d, regular) = value(s)                                   if s is over or d = 0
//!                       max over moves m of gbrs(s·m, d - 1, no)       if the root player is to move in s
//!                       min over the actions below                 otherwise
//!     every move m:       gbrs(s·m, d - 1, yes)                    if nobody has made a regular move since the root player's
//!     the special move p: gbrs(s·p, d - 1, regular)                if somebody has, or if somebody other than the root
//!                                                                  player is to move after it
//! ```
//!
//! So between two moves of the root player exactly one opponent makes a regular move. A special move does not count as
//! one (an implementation that counts it never searches the second opponent's replies), and the last opponent before
//! the root player must make it if nobody has. Every action is a ply of depth, special ones too; with passes, the values
//! are those of Best-Reply Search at the depths 1, n, n + 1, 2n, … of n players.
//!
//! # In detail
//!
//! - A special move that is the first of the ordering is also one of the regular moves. Played as the special one it
//!   leaves the opponents everything that it would leave them as a regular one, and a regular move besides; if the root
//!   player is next, the two are the same. So the regular twin is never searched, and all this comes to: *between two
//!   moves of the root player at most one opponent leaves the first move of the ordering*.
//! - The special move is a function of the position alone: of the static ordering, and with `top` of the position's key
//!   and the seed (Rand-Top-k). Table, killers and history put regular moves in order, but never choose the special
//!   one.
//! - The turn order may be any: players may be skipped, move twice, or be eliminated. A pass goes to the next player
//!   who is in. If the root player is out and the regular move is made, passes lead nowhere, and the position is judged
//!   as it is.
//! - [`Parts::width`] limits the regular moves; the special move comes on top if it is not one of them, and is drawn from the first
//!   `width` if `top` is more.
//!
//! # Example
//!
//! Player 1 has one move, then players 2 and 3 answer; the ordering is as listed. If player 2 keeps to the first move,
//! player 3 is free and leaves player 1 with 5. If player 2 leaves it, player 3 must play the first move, and player 1
//! has 9 or 6. So player 1 is sure of 5, where Paranoid, with both of them free, sees 0.
//!
//! ```
//! use nply::{Agent, AsListed, BrsPlus, Budget, Paranoid, ScoreForm, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 (3 7,0,0 5,0,0) (3 9,0,0 1,0,0) (3 6,0,0 0,0,0)))".parse().unwrap();
//! let mut search = BrsPlus::new(LeafScores, AsListed);
//! search.score = ScoreForm::Own;
//! assert_eq!(search.choose(&tree, &Budget::depth(3)).value, Some(5.0));
//! let mut paranoid = Paranoid::new(LeafScores, AsListed);
//! paranoid.score = ScoreForm::Own;
//! assert_eq!(paranoid.choose(&tree, &Budget::depth(3)).value, Some(0.0));
//! ```
//!
//! Reference: M. Esser, M. Gras, M. H. M. Winands, M. P. D. Schadd, M. Lanctot, *Improving Best-Reply Search*, 2013.

use crate::ScoreForm;
use crate::alphabeta::{Action, Level, List, Memory, Side, Statistics, TwoSided, View};
use crate::{Agent, Budget, Decision, Evaluator, Game, MoveOrder, OutOfTurn, Parts, Player, Stance, mix};

/// The special move is the first of the static ordering: BRS+.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstMove {
    /// Whether the ordering is by the mover's own good (as max^n assumes); otherwise by the root player's harm.
    pub own: bool,
    /// The special move is drawn from the first so many, by the position's key and the seed (Rand-Top-k); at least 1.
    pub top: usize,
    /// The seed of that draw.
    pub seed: u64,
}

impl Default for FirstMove {
    fn default() -> FirstMove {
        FirstMove { own: false, top: 1, seed: 1 }
    }
}

/// The special move is a pass: Best-Reply Search in another guise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pass;

/// Searches as if between two moves of the root player one opponent moved freely and the others played special moves.
#[derive(Clone, Debug)]
pub struct BrsPlus<G: Game, E, O, S = FirstMove> {
    /// What judges the positions.
    pub evaluator: E,
    /// What sorts the moves, and chooses the special ones.
    pub order: O,
    /// What the special move is: [`FirstMove`] or [`Pass`].
    pub special: S,
    /// How the root player's value is made from the scores.
    pub score: ScoreForm,
    /// What is switched on.
    pub parts: Parts,
    memory: Memory<G::Move>,
}

impl<G: Game, E, O> BrsPlus<G, E, O> {
    /// BRS+ with everything as usual.
    pub fn new(evaluator: E, order: O) -> BrsPlus<G, E, O> {
        BrsPlus::with_special(FirstMove::default(), evaluator, order)
    }
}

impl<G: OutOfTurn, E, O> BrsPlus<G, E, O, Pass> {
    /// Generalized BRS with passes, everything else as usual.
    pub fn passing(evaluator: E, order: O) -> BrsPlus<G, E, O, Pass> {
        BrsPlus::with_special(Pass, evaluator, order)
    }
}

impl<G: Game, E, O, S> BrsPlus<G, E, O, S> {
    /// Generalized BRS with the given special move, everything else as usual.
    pub fn with_special(special: S, evaluator: E, order: O) -> BrsPlus<G, E, O, S> {
        let (score, parts) = (ScoreForm::default(), Parts::default());
        BrsPlus { evaluator, order, special, score, parts, memory: Memory::default() }
    }

    /// What the last search did.
    pub fn statistics(&self) -> Statistics {
        self.memory.statistics()
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for BrsPlus<G, E, O, FirstMove> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let BrsPlus { evaluator, order, special, score, parts, memory } = self;
        let root = game.turn();
        let stance = if special.own { Stance::Own } else { Stance::Against(root) };
        let view = SpecialMoves { root, stance, top: special.top.max(1), seed: special.seed };
        TwoSided { evaluator, order, view, score: *score, parts }.decide(memory, game, budget, watch)
    }
}

impl<G: OutOfTurn, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for BrsPlus<G, E, O, Pass> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let BrsPlus { evaluator, order, score, parts, memory, .. } = self;
        let view = Passes { root: game.turn() };
        TwoSided { evaluator, order, view, score: *score, parts }.decide(memory, game, budget, watch)
    }
}

/// The level of a child in which `turn` is to move. The count is that of the opponents' regular moves since the root player's.
#[inline]
fn child_level(root: Player, turn: Player, level: Level, is_regular: bool) -> Level {
    match level.side {
        _ if turn == root => Level::max(0),
        Side::Max => Level::min(0),
        Side::Min => Level::min(level.count + u8::from(is_regular)),
    }
}

/// Everybody moves in turn; of the opponents only one leaves the special move.
#[derive(Clone, Copy, Debug)]
pub struct SpecialMoves {
    /// The player who searches.
    pub root: Player,
    /// The ordering whose first move is the special one.
    pub stance: Stance,
    /// The special move is drawn from the first so many, by the position's key and the seed; at least 1.
    pub top: usize,
    /// The seed of that draw.
    pub seed: u64,
}

impl SpecialMoves {
    /// The special move of the player to move.
    #[inline]
    fn special<G: Game, O: MoveOrder<G>>(&self, game: &G, list: &mut List<'_, G, O>) -> G::Move {
        if self.top.min(list.width()) == 1 {
            return list.first(game, self.stance);
        }
        let from = list.len();
        list.add_all(game, Some(self.stance));
        let special = self.draw(game, list, from);
        list.truncate(from);
        special
    }

    /// One of the first moves of those from number `from` on, which are ordered by the stance.
    #[inline]
    fn draw<G: Game, O: MoveOrder<G>>(&self, game: &G, list: &mut List<'_, G, O>, from: usize) -> G::Move {
        let top = self.top.min(list.width()).min(list.len() - from);
        let draw = if self.top > 1 { mix(game.key() ^ mix(self.seed)) } else { 0 };
        let place = ((u128::from(draw) * top as u128) >> 64) as usize;
        list.nth(from, place).m.expect("a move, not a pass")
    }
}

impl<G: Game> View<G> for SpecialMoves {
    #[inline]
    fn list<O: MoveOrder<G>>(&self, game: &mut G, level: Level, list: &mut List<'_, G, O>) {
        if level.side == Side::Max {
            return list.add(game);
        }
        let special = |m| Action { learned: false, ..Action::new(game.turn(), m) };
        // The regular move is made: only special ones are left.
        if level.count > 0 {
            let m = self.special(game, list);
            return list.push(special(m), 0);
        }
        // All moves, of which the special one counts as special only.
        let from = list.len();
        list.add_all(game, list.stance());
        let m = match list.stance() {
            Some(stance) if stance == self.stance => self.draw(game, list, from),
            _ => self.special(game, list),
        };
        list.narrow(from);
        match list.find(from, m) {
            Some(action) => action.learned = false,
            None => list.push(special(m), i32::MAX),
        }
    }

    #[inline]
    fn visit<R>(&self, game: &mut G, level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R {
        let m = action.m.expect("nobody passes");
        game.visit(m, |child| {
            let level = child_level(self.root, child.turn(), level, action.learned);
            f(child, level)
        })
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

    #[inline]
    fn is_over(&self, game: &G, level: Level) -> bool {
        level.count > 0 && !game.is_in(self.root)
    }
}
