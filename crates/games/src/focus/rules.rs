//! The position, its moves and the end of the game.

use nply::{ByPlayer, Game, OutOfTurn, Player, Rng, mix};

use super::board::{self, FIELDS, PLACES, SIZE, TARGETS, bits};
use super::stack::Stack;
use super::{Move, Options};
use crate::check_players;

/// The most colors that a set-up has.
pub(super) const COLORS: usize = 4;

/// How a game is won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// By captures: 6 with two players; 10 in all or 3 from each opponent with three, 10 in all or 2 from each with four. And
    /// by leaving nobody else able to move or place.
    #[default]
    Short,
    /// Only by leaving nobody else able to move or place.
    Standard,
}

/// A position of Focus.
#[derive(Clone, Debug)]
pub struct Focus {
    pub(super) stacks: [Stack; SIZE],
    /// The fields whose top piece is of a color.
    pub(super) control: [u64; COLORS],
    /// By player, the pieces taken off the board: one byte per color, the player's own color being the reserve.
    pub(super) taken: [u32; COLORS],
    /// The squared heights of the pieces on the board, added up: sixteen bits per color.
    pub(super) heights: u64,
    /// The key, but for the turn.
    pub(super) key: u64,
    pub(super) ply: u32,
    pub(super) limit: u32,
    /// By player, the captures still needed for the nearer finish of the short game.
    pub(super) needed: [u8; COLORS],
    pub(super) turn: Player,
    pub(super) players: u8,
    pub(super) rules: Rules,
    pub(super) state: State,
}

/// Whether the game continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    Won(Player),
    Drawn,
}

/// Bits that keep the keys of pieces off the board, of stacks and of turns apart.
const TAKEN_KEYS: u64 = 1 << 40;
const TURN_KEYS: u64 = 1 << 41;

impl Focus {
    pub(super) fn new(players: usize, &Options { rules, limit }: &Options) -> Focus {
        check_players::<Focus>(players);
        let mut game = Focus {
            stacks: board::start(players),
            control: [0; COLORS],
            taken: [0; COLORS],
            heights: 0,
            key: 0,
            ply: 0,
            limit,
            needed: [0; COLORS],
            turn: Player::new(0),
            players: players as u8,
            rules,
            state: if limit == 0 { State::Drawn } else { State::Open },
        };
        game.rebuild();
        game
    }

    /// The number of pieces in a player's reserve.
    #[inline]
    pub fn reserve(&self, player: Player) -> u32 {
        self.taken(player, player)
    }

    /// The number of pieces of `from`'s color that `player` has captured.
    #[inline]
    pub fn captured(&self, player: Player, from: Player) -> u32 {
        if player == from { 0 } else { self.taken(player, from) }
    }

    /// The number of stacks that a player controls.
    #[inline]
    pub fn stacks(&self, player: Player) -> u32 {
        self.control[player.index()].count_ones()
    }

    /// How far a player is from winning.
    ///
    /// In the short game, the pieces still to capture for the nearer finish: in all, or from each opponent. The
    /// standard game has no such number; the nearest is what opponents could still move: the stacks they control and the
    /// pieces in their reserves. Either is 0 once the player has won that way.
    #[inline]
    pub fn needed(&self, player: Player) -> u32 {
        match self.rules {
            Rules::Short => u32::from(self.needed[player.index()]),
            Rules::Standard => self.others(player).map(|other| self.stacks(other) + self.reserve(other)).sum(),
        }
    }

    /// The most that [`needed`](Focus::needed) can be.
    pub(super) fn most_needed(&self) -> u32 {
        match self.rules {
            Rules::Short => 6,
            Rules::Standard => (self.players as u32 - 1) * board::pieces(self.players as usize),
        }
    }

    #[inline]
    fn taken(&self, player: Player, color: Player) -> u32 {
        self.taken[player.index()] >> (8 * color.index()) & 0xff
    }

    /// Everybody but `player`.
    #[inline]
    pub(super) fn others(&self, player: Player) -> impl Iterator<Item = Player> + use<> {
        Player::all(self.players as usize).filter(move |&other| other != player)
    }

    /// Whether a player can move or place.
    #[inline]
    pub(super) fn is_able(&self, player: Player) -> bool {
        self.control[player.index()] != 0 || self.reserve(player) != 0
    }

    /// Whether a player who has just moved has won.
    #[inline(always)]
    pub(super) fn has_won(&self, player: Player) -> bool {
        let captures = self.rules == Rules::Short && self.needed[player.index()] == 0;
        captures || !self.others(player).any(|other| self.is_able(other))
    }

    /// The captures that a player who has taken these pieces still needs for the nearer finish of the short game.
    pub(super) fn count_needed(&self, player: Player, taken: u32) -> u8 {
        let (total, each) = match self.players {
            2 => (6, 6),
            3 => (10, 3),
            _ => (10, 2),
        };
        let captured = |from: Player| taken >> (8 * from.index()) & 0xff;
        let in_all: u32 = self.others(player).map(captured).sum();
        let of_each: u32 = self.others(player).map(|from| each - captured(from).min(each)).sum();
        of_each.min(total - in_all.min(total)) as u8
    }

    /// Recomputes everything that follows from the stacks and the pieces taken.
    pub(super) fn rebuild(&mut self) {
        (self.control, self.heights, self.key) = ([0; COLORS], 0, 0);
        for field in bits(FIELDS) {
            let stack = self.stacks[field];
            if let Some(top) = stack.top() {
                self.control[top] |= 1 << field;
            }
            self.heights += stack.heights();
            self.key ^= stack_key(field, stack);
        }
        for player in Player::all(self.players as usize) {
            self.key ^= taken_key(player, self.taken[player.index()]);
            self.needed[player.index()] = self.count_needed(player, self.taken[player.index()]);
        }
    }

    /// Plays a move and, if `KEYED`, updates the key.
    #[inline]
    fn advance<const KEYED: bool>(&mut self, m: Move) {
        let mover = self.turn;
        if m != Move::PASS {
            let (to, count) = (m.to(), m.pieces());
            let lifted = if m.is_placement() {
                self.set_taken::<KEYED>(mover, self.taken[mover.index()] - (1 << (8 * mover.index())));
                mover.index() as u32
            } else {
                self.lift::<KEYED>(m.from(), count)
            };
            self.land::<KEYED>(to, lifted, count);
        }
        self.ply += 1;
        self.turn = mover.next(self.players as usize);
        if self.has_won(mover) {
            self.state = State::Won(mover);
        } else if self.ply >= self.limit {
            self.state = State::Drawn;
        }
    }

    /// Takes the top pieces of a stack that the mover controls.
    #[inline]
    fn lift<const KEYED: bool>(&mut self, from: usize, count: u32) -> u32 {
        let (rest, lifted) = self.stacks[from].split(count);
        self.control[self.turn.index()] &= !(1 << from);
        if let Some(top) = rest.top() {
            self.control[top] |= 1 << from;
        }
        self.set_stack::<KEYED>(from, rest);
        lifted
    }

    /// Puts pieces, the mover's on top, on a field; pieces over five leave at the bottom.
    #[inline]
    fn land<const KEYED: bool>(&mut self, to: usize, pieces: u32, count: u32) {
        let mover = self.turn;
        for control in &mut self.control {
            *control &= !(1 << to);
        }
        self.control[mover.index()] |= 1 << to;
        let (stack, lost) = self.stacks[to].join(pieces, count);
        self.set_stack::<KEYED>(to, stack);
        if lost != Stack::EMPTY {
            self.set_taken::<KEYED>(mover, self.taken[mover.index()] + lost.colors());
            self.needed[mover.index()] = self.count_needed(mover, self.taken[mover.index()]);
        }
    }

    #[inline]
    fn set_stack<const KEYED: bool>(&mut self, field: usize, stack: Stack) {
        let old = self.stacks[field];
        // Lanes may borrow from each other between the two steps; after both they are correct.
        self.heights = self.heights.wrapping_add(stack.heights()).wrapping_sub(old.heights());
        if KEYED {
            self.key ^= stack_key(field, old) ^ stack_key(field, stack);
        }
        self.stacks[field] = stack;
    }

    #[inline]
    fn set_taken<const KEYED: bool>(&mut self, player: Player, taken: u32) {
        if KEYED {
            self.key ^= taken_key(player, self.taken[player.index()]) ^ taken_key(player, taken);
        }
        self.taken[player.index()] = taken;
    }
}

#[inline]
fn stack_key(field: usize, stack: Stack) -> u64 {
    mix((field as u64) << 16 | stack.bits() as u64)
}

#[inline]
fn taken_key(player: Player, taken: u32) -> u64 {
    mix(TAKEN_KEYS | (player.index() as u64) << 32 | taken as u64)
}

impl Game for Focus {
    type Move = Move;

    const HAS_LOUD_MOVES: bool = true;
    const HAS_NULL_MOVES: bool = true;

    #[inline]
    fn player_count(&self) -> usize {
        self.players as usize
    }

    #[inline]
    fn turn(&self) -> Player {
        self.turn
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Move>) {
        if self.state != State::Open {
            return;
        }
        let before = out.len();
        if self.reserve(self.turn) > 0 {
            out.extend_from_slice(&PLACES);
        }
        for field in bits(self.control[self.turn.index()]) {
            out.extend_from_slice(TARGETS[field][self.stacks[field].height()].moves());
        }
        if out.len() == before {
            out.push(Move::PASS);
        }
    }

    /// A capture of an opponent's piece.
    #[inline]
    fn is_loud(&self, m: Move) -> bool {
        let (target, count, mover) = (self.stacks[m.to()], m.pieces(), self.turn.index());
        if m == Move::PASS || target.height() + count as usize <= Stack::MOST {
            return false;
        }
        let lifted = if m.is_placement() { mover as u32 } else { self.stacks[m.from()].split(count).1 };
        target.join(lifted, count).1.colors() & !(0xff << (8 * mover)) != 0
    }

    /// Not for a player who has few stacks left, and may have to break up one that is better left alone.
    #[inline]
    fn null_move<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let is_possible = self.state == State::Open && self.stacks(self.turn) >= 4;
        is_possible.then(|| self.with_turn(self.turn.next(self.players as usize), f))
    }

    #[inline]
    fn allows(&self, m: Move) -> Option<bool> {
        let is_possible = if m == Move::PASS {
            !self.is_able(self.turn)
        } else if m.is_placement() {
            self.reserve(self.turn) > 0
        } else {
            let is_own = self.control[self.turn.index()] >> m.from() & 1 == 1;
            is_own && self.stacks[m.from()].height() >= m.pieces() as usize
        };
        Some(self.state == State::Open && is_possible)
    }

    #[inline]
    fn is_forced(&self, _: &mut Vec<Move>) -> bool {
        let control = self.control[self.turn.index()];
        let moves = |field: usize| TARGETS[field][self.stacks[field].height()].len();
        let is_one = || control.count_ones() == 1 && bits(control).all(|field| moves(field) == 1);
        self.state == State::Open && self.reserve(self.turn) == 0 && (control == 0 || is_one())
    }

    #[inline]
    fn play(&mut self, m: Move) {
        self.advance::<true>(m);
    }

    #[inline]
    fn play_unkeyed(&mut self, m: Move) {
        self.advance::<false>(m);
    }

    #[inline]
    fn payoff(&self) -> Option<ByPlayer<f32>> {
        let count = self.players as usize;
        match self.state {
            State::Open => None,
            State::Won(winner) => Some(ByPlayer::from_fn(count, |player| f32::from(u8::from(player == winner)))),
            State::Drawn => Some(ByPlayer::splat(count, 1.0 / count as f32)),
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key ^ mix(TURN_KEYS | self.turn.index() as u64)
    }

    /// Picks the move that the same draw would pick from the list of all.
    #[inline]
    fn random_move(&self, _scratch: &mut Vec<Move>, rng: &mut Rng) -> Move {
        let control = self.control[self.turn.index()];
        let targets = |field: usize| &TARGETS[field][self.stacks[field].height()];
        let places = if self.reserve(self.turn) > 0 { PLACES.len() } else { 0 };
        let count = places + bits(control).map(|field| targets(field).len()).sum::<usize>();
        if count == 0 {
            return Move::PASS;
        }
        let mut index = rng.below(count);
        if index < places {
            return PLACES[index];
        }
        index -= places;
        for field in bits(control) {
            let moves = targets(field).moves();
            if index < moves.len() {
                return moves[index];
            }
            index -= moves.len();
        }
        unreachable!("the index is below the count")
    }

    /// The draw limit is near.
    #[inline]
    fn history_matters(&self) -> bool {
        self.limit - self.ply <= 64
    }

    fn history_key(&self) -> Option<u64> {
        Some(self.ply.into())
    }
}

impl OutOfTurn for Focus {
    #[inline]
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let turn = std::mem::replace(&mut self.turn, player);
        let result = f(self);
        self.turn = turn;
        result
    }
}
