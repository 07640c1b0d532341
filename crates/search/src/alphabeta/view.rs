//! What may be played at a node of a two-sided tree: [`View`].

use std::cmp::Reverse;

use crate::recording::Step;
use crate::{Game, MoveOrder, Player, Stance};

/// A side of a two-sided tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The root player, who maximizes.
    Max,
    /// The opponents, who minimize.
    Min,
}

/// The side to move at a node, and a count that means something only to the [`View`].
///
/// Nodes of the same position but of different levels are different nodes: the transposition table keeps them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// Who is to move.
    pub side: Side,
    /// Below [`Level::COUNTS`].
    pub count: u8,
}

impl Level {
    /// How many counts there are.
    pub const COUNTS: usize = 8;
    /// The level of the root: the root player is to move, and the count is 0.
    pub const ROOT: Level = Level::max(0);

    /// The root player is to move.
    #[inline]
    pub const fn max(count: u8) -> Level {
        Level { side: Side::Max, count }
    }

    /// The opponents are to move.
    #[inline]
    pub const fn min(count: u8) -> Level {
        Level { side: Side::Min, count }
    }
}

/// A ply of a two-sided tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action<M> {
    /// The move; `None` for a pass that the rules of the game do not know.
    pub m: Option<M>,
    /// Who moves, in turn or not.
    pub player: Player,
    /// Whether killers and history rank the action and learn from it; otherwise its place is the static ordering's alone.
    pub learned: bool,
}

impl<M> Action<M> {
    /// A player's move.
    #[inline]
    pub fn new(player: Player, m: M) -> Action<M> {
        Action { m: Some(m), player, learned: true }
    }

    /// A pass that the rules of the game do not know.
    #[inline]
    pub fn pass(player: Player) -> Action<M> {
        Action { m: None, player, learned: false }
    }

    pub(super) fn step(self) -> Step<M> {
        Step { player: self.player, m: self.m }
    }
}

/// The two-sided tree that an algorithm makes of a game for many players: who may play what, and when.
///
/// A view may depend on nothing but the position and the level, or a transposition would change the value. At the root it lists
/// moves of the root player only, at least one.
pub trait View<G: Game>: Sync {
    /// Lists the actions at a node.
    fn list<O: MoveOrder<G>>(&self, game: &mut G, level: Level, list: &mut List<'_, G, O>);

    /// Plays a listed action, calls `f` with the child and its level, and takes the action back.
    fn visit<R>(&self, game: &mut G, level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R;

    /// Calls `f` with the position in which the moves of a player were added with [`List::add_later`], so that they can be rated
    /// there. The default is the position of the node.
    #[inline]
    fn as_listed<R>(&self, game: &mut G, _level: Level, _player: Player, f: impl FnOnce(&mut G) -> R) -> R {
        f(game)
    }

    /// Calls `f` with the position as the side to move sees it, such as with the turn handed to that side. It is called before
    /// a position that is not over is evaluated or its actions are listed.
    #[inline]
    fn prepare<R>(&self, game: &mut G, _level: Level, f: impl FnOnce(&mut G) -> R) -> R {
        f(game)
    }

    /// Whether the moves of a player, all of them and just as they are, are among the actions at a node; `None`, the default, if that is not all
    /// there is to say about the actions. They are listed in turn order from the one after the root player, whose moves are
    /// the last, and each in the position that [`as_listed`](View::as_listed) gives.
    ///
    /// Where this is known, actions can be tried before all are listed. [`special`](View::special) says what is special about one of them.
    #[inline]
    fn may_move(&self, _game: &G, _level: Level, _player: Player) -> Option<bool> {
        None
    }

    /// Whether one of the moves that [`may_move`](View::may_move) speaks of is special, and is not [learned](Action::learned): among the others, or alone
    /// because nothing else is listed. By default none is. There is one player then who may move.
    #[inline]
    fn special(&self, _level: Level) -> Special {
        Special::None
    }

    /// The special move among all moves of the player to move, where there is one.
    #[inline]
    fn special_move<O: MoveOrder<G>>(&self, _game: &G, _order: &O, _moves: &[G::Move]) -> Option<G::Move> {
        None
    }

    /// The level after a null move, where `turn` is to move next; `None`, as by default, if there is none at this level. What the side
    /// gets by it may not be more than it could get by a move of its own.
    #[inline]
    fn null(&self, _level: Level, _turn: Player) -> Option<Level> {
        None
    }

    /// Whether nothing more can happen in this view, though the game is not over. The position is then evaluated as it stands.
    #[inline]
    fn is_over(&self, _game: &G, _level: Level) -> bool {
        false
    }
}

/// Whether a node has a [special](View::special) move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// All moves are alike.
    None,
    /// One of the moves is special.
    One,
    /// Only the special one is listed.
    Alone,
}

/// An action with what decides its place in the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rated<M> {
    pub(super) action: Action<M>,
    /// The static rating, if it is known already.
    pub(super) rate: i32,
    pub(super) is_rated: bool,
    /// The place among those listed at the node: breaks ties.
    pub(super) index: u32,
    pub(super) code: u32,
    /// Everything but the place, and without the rating until that is known; higher is first.
    pub(super) rank: u64,
}

impl<M> Rated<M> {
    #[inline]
    pub(super) fn new(action: Action<M>, rate: Option<i32>, index: u32) -> Rated<M> {
        Rated { action, rate: rate.unwrap_or(0), is_rated: rate.is_some(), index, code: 0, rank: 0 }
    }
}

/// Collects and rates the actions of a node.
///
/// Most views need only [`add`](List::add). The other methods are what it is made of.
pub struct List<'a, G: Game, O> {
    pub(super) order: &'a O,
    pub(super) stance: Option<Stance>,
    pub(super) width: usize,
    /// Whether only loud moves are wanted; [`add_all`](List::add_all) adds the others too.
    pub(super) loud: bool,
    pub(super) moves: &'a mut Vec<G::Move>,
    pub(super) stack: &'a mut Vec<Rated<G::Move>>,
    /// Where this node's part of the stack begins.
    pub(super) start: usize,
}

impl<G: Game, O: MoveOrder<G>> List<'_, G, O> {
    /// Adds the moves of the player to move: as many of the first in the static ordering as the width allows.
    #[inline]
    pub fn add(&mut self, game: &G) {
        let from = self.len();
        self.moves_of(game);
        self.rate_all(game, self.stance);
        self.narrow(from);
    }

    #[inline]
    fn moves_of(&mut self, game: &G) {
        if G::HAS_LOUD_MOVES && self.loud { game.loud(self.moves) } else { game.distinct(self.moves) }
    }

    /// Adds the same as [`add`](List::add), but rates them only if the actions that the table and the killers put first leave
    /// something to search. [`View::as_listed`] gives the
    /// position in which they are rated. They have no place in the order yet, so [`nth`](List::nth) cannot be asked.
    #[inline]
    pub fn add_later(&mut self, game: &G) {
        if self.width < usize::MAX {
            return self.add(game);
        }
        self.moves_of(game);
        let player = game.turn();
        let rate = if self.stance.is_none() { Some(0) } else { None };
        let first = (self.stack.len() - self.start) as u32;
        let rated = self.moves.iter().zip(first..).map(|(&m, index)| Rated::new(Action::new(player, m), rate, index));
        // Faster than pushing one after the other.
        self.stack.extend(rated);
        self.moves.clear();
    }

    /// Adds all moves of the player to move, rated by a stance; without one all are rated alike.
    #[inline]
    pub fn add_all(&mut self, game: &G, stance: Option<Stance>) {
        game.distinct(self.moves);
        self.rate_all(game, stance);
    }

    #[inline]
    fn rate_all(&mut self, game: &G, stance: Option<Stance>) {
        let player = game.turn();
        for at in 0..self.moves.len() {
            let m = self.moves[at];
            let rate = stance.map_or(0, |stance| self.order.rate(game, stance, m));
            self.push(Action::new(player, m), rate);
        }
        self.moves.clear();
    }

    /// Adds one action. Higher rates come first, equals in the order in which they were added.
    #[inline]
    pub fn push(&mut self, action: Action<G::Move>, rate: i32) {
        let index = (self.stack.len() - self.start) as u32;
        self.stack.push(Rated::new(action, Some(rate), index));
    }

    /// Keeps of the actions from number `from` on only as many of the first as the width allows, and may reorder them.
    #[inline]
    pub fn narrow(&mut self, from: usize) {
        self.keep(from, self.width);
    }

    /// Keeps of the actions from number `from` on only as many of the first as this, at least one, and may reorder them.
    #[inline]
    pub fn keep(&mut self, from: usize, count: usize) {
        if self.len() - from > count {
            self.nth(from, count - 1);
            self.truncate(from + count);
        }
    }

    /// The first so many actions, at least one, in the static order of those from number `from` on, which may be reordered.
    #[inline]
    pub fn first_ones(&mut self, from: usize, count: usize) -> impl Iterator<Item = &mut Action<G::Move>> {
        let count = count.min(self.len() - from);
        if count < self.len() - from {
            self.nth(from, count - 1);
        }
        self.stack[self.start + from..][..count].iter_mut().map(|rated| &mut rated.action)
    }

    /// The action at a place, from 0, in the static order of those from number `from` on, which may be reordered.
    ///
    /// # Panics
    /// If there are not that many.
    #[inline]
    pub fn nth(&mut self, from: usize, place: usize) -> Action<G::Move> {
        let rated = &mut self.stack[self.start + from..];
        debug_assert!(rated.iter().all(|rated| rated.is_rated), "actions that are added later have no place yet");
        rated.select_nth_unstable_by_key(place, |rated| (Reverse(rated.rate), rated.index)).1.action
    }

    /// The move that the static ordering puts first by a stance, of all moves of the player to move. Adds nothing.
    #[inline]
    pub fn first(&mut self, game: &G, stance: Stance) -> G::Move {
        game.distinct(self.moves);
        let first = self.order.first(game, stance, self.moves);
        self.moves.clear();
        first
    }

    /// The action that plays a move, of those from number `from` on.
    #[inline]
    pub fn find(&mut self, from: usize, m: G::Move) -> Option<&mut Action<G::Move>> {
        let mut actions = self.stack[self.start + from..].iter_mut().map(|rated| &mut rated.action);
        actions.find(|action| action.m == Some(m))
    }

    /// Removes the actions from number `len` on.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.stack.truncate(self.start + len);
    }

    /// How many actions there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.stack.len() - self.start
    }

    /// Whether there are none yet.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The stance by which the search orders moves; `None` if they are left as listed.
    #[inline]
    pub fn stance(&self) -> Option<Stance> {
        self.stance
    }

    /// The most moves that a player may have at a node.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }
}
