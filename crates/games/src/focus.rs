//! Focus, also sold as Domination: stacks of pieces that move as far as they are tall, for two, three or four players.
//!
//! Sid Sackson's game of 1963, in the short form of the papers ([`Rules::Short`]) and in the long one
//! ([`Rules::Standard`]). Whoever owns the top piece of a stack controls it. A player moves the top *k* pieces of such a stack
//! exactly *k* fields in a straight line, over anything and onto anything, or places a piece of the own reserve on any
//! field. What is over five pieces leaves at the bottom: the mover's own go to the reserve, others' are captured.
//!
//! ```
//! use nply::{Game, Notation};
//! use nply_games::focus::{Focus, LIMIT, Rules};
//! let mut game = Focus::new(2, Rules::Short, LIMIT);
//! game.play(game.move_from_text("b3-b4").unwrap());
//! game.play(game.move_from_text("c4-b4").unwrap());
//! assert!(game.to_text().starts_with("..____../.RRGGRR./_GGRRGG_/_RRGGRR_/_(GRG)_RRGG_/__RGGRR_/"));
//! ```
//!
//! # What follows from the rules
//!
//! Every field has a neighbour and a placement may go anywhere, so a player is able to move exactly if they control a stack or
//! have a piece in reserve. Whoever has just moved or placed controls the stack that was made, so:
//!
//! - the last player who did not pass stays able until somebody else moves, and somebody is always able;
//! - a pass changes nothing but the turn and the count of plies, and never wins: the last player who did not pass is somebody
//!   else, and able;
//! - several players can be stuck at once, and move again as soon as a stack of theirs is uncovered;
//! - with two players nobody ever passes in turn, because the ply before would have won; handed the turn out of turn
//!   ([`OutOfTurn`]), a stuck player passes, with two players as with more;
//! - only the player who has just moved can have won: captures count for the mover alone, and everybody else is
//!   still short of them or the game would be over.
//!
//! # Text
//!
//! A position is five words: the board, the turn, the reserves, the captures and the number of plies played. The start for
//! two players:
//!
//! ```text
//! ..____../.RRGGRR./_GGRRGG_/_RRGGRR_/_GGRRGG_/_RRGGRR_/.GGRRGG./..____.. R 0,0 0,0/0,0 0
//! ```
//!
//! The board is written from row 8 down to row 1, with `/` between rows: `.` is a missing corner, `_` an empty field, a letter
//! one piece, `(RGB)` a stack of two to five pieces from its bottom to its top. The turn is a colour's letter. Reserves
//! are numbers in turn order. Captures are, for each player in turn order, the numbers of pieces taken of each colour in turn
//! order, the own colour's being 0.
//!
//! No colour may have more pieces, on the board, in reserve and captured, than it starts with; it may have fewer, so that
//! small positions can be set up by hand.
//!
//! Who has won is not written, because it follows: a text is read as if the player before the one to move had just
//! moved, and that player has won with the captures, or if nobody else can move or place. Nobody else can have won, so
//! a text that says so is refused: another player with the captures of a win, a single player able to move who is not that
//! one, or nobody able to move at all.

mod board;
mod eval;
mod moves;
mod order;
mod stack;
mod text;

use nply::{ByPlayer, Game, OutOfTurn, Player, Rng, mix};

use board::{FIELDS, PLACES, SIZE, TARGETS, bits};
pub use eval::{Eval, NOISE};
pub use moves::Move;
pub use order::Order;
use stack::Stack;

/// The numbers of players there are set-ups for.
pub const PLAYERS: &[usize] = &[2, 3, 4];

/// The usual draw limit, in plies.
pub const LIMIT: u32 = 300;

/// As many colours as the set-ups have.
const COLOURS: usize = 4;

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
    stacks: [Stack; SIZE],
    /// The fields whose top piece is of a colour.
    control: [u64; COLOURS],
    /// By player, the pieces taken off the board: one byte a colour, the own colour being the reserve.
    taken: [u32; COLOURS],
    /// The squared heights of the pieces on the board, added up: sixteen bits a colour.
    heights: u64,
    /// The key, but for the turn.
    key: u64,
    ply: u32,
    limit: u32,
    /// By player, the captures still needed for the nearer finish of the short game.
    needed: [u8; COLOURS],
    turn: Player,
    players: u8,
    rules: Rules,
    state: State,
}

/// Whether the game goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Won(Player),
    Drawn,
}

/// What sets the keys of pieces off the board apart from those of stacks, and both from those of turns.
const TAKEN_KEYS: u64 = 1 << 40;
const TURN_KEYS: u64 = 1 << 41;

impl Focus {
    /// The start of a game that is drawn after `limit` plies; with a limit of 0 it is drawn at once.
    ///
    /// # Panics
    /// If `players` is not one of [`PLAYERS`].
    pub fn new(players: usize, rules: Rules, limit: u32) -> Focus {
        assert!(PLAYERS.contains(&players), "Focus is for 2, 3 or 4 players");
        let mut game = Focus {
            stacks: board::start(players),
            control: [0; COLOURS],
            taken: [0; COLOURS],
            heights: 0,
            key: 0,
            ply: 0,
            limit,
            needed: [0; COLOURS],
            turn: Player::new(0),
            players: players as u8,
            rules,
            state: if limit == 0 { State::Drawn } else { State::Open },
        };
        game.rebuild();
        game
    }

    /// The pieces of a player's reserve.
    #[inline]
    pub fn reserve(&self, player: Player) -> u32 {
        self.taken(player, player)
    }

    /// The pieces of the colour of `from` that `player` has captured.
    #[inline]
    pub fn captured(&self, player: Player, from: Player) -> u32 {
        if player == from { 0 } else { self.taken(player, from) }
    }

    /// The stacks that a player controls.
    #[inline]
    pub fn stacks(&self, player: Player) -> u32 {
        self.control[player.index()].count_ones()
    }

    /// How far a player is from winning.
    ///
    /// In the short game, the pieces still to capture for the nearer finish: so many in all, or so many of each opponent. The
    /// standard game has no such number; what comes nearest to its goal is what opponents could still move: the stacks
    /// they control and the pieces of their reserves. Either is 0 once the player has won so.
    #[inline]
    pub fn needed(&self, player: Player) -> u32 {
        match self.rules {
            Rules::Short => u32::from(self.needed[player.index()]),
            Rules::Standard => self.others(player).map(|other| self.stacks(other) + self.reserve(other)).sum(),
        }
    }

    /// The most that [`needed`](Focus::needed) can be.
    fn most_needed(&self) -> u32 {
        match self.rules {
            Rules::Short => 6,
            Rules::Standard => (self.players as u32 - 1) * board::pieces(self.players as usize),
        }
    }

    #[inline]
    fn taken(&self, player: Player, colour: Player) -> u32 {
        self.taken[player.index()] >> (8 * colour.index()) & 0xff
    }

    /// Everybody but `player`.
    #[inline]
    fn others(&self, player: Player) -> impl Iterator<Item = Player> + use<> {
        Player::all(self.players as usize).filter(move |&other| other != player)
    }

    /// Whether a player can move or place.
    #[inline]
    fn is_able(&self, player: Player) -> bool {
        self.control[player.index()] != 0 || self.reserve(player) != 0
    }

    /// Whether a player who has just moved has won.
    #[inline]
    fn has_won(&self, player: Player) -> bool {
        let captures = self.rules == Rules::Short && self.needed[player.index()] == 0;
        captures || !self.others(player).any(|other| self.is_able(other))
    }

    /// The captures that a player still needs for the nearer finish of the short game.
    fn count_needed(&self, player: Player) -> u8 {
        let (total, each) = match self.players {
            2 => (6, 6),
            3 => (10, 3),
            _ => (10, 2),
        };
        let captured = |from| self.captured(player, from);
        let in_all: u32 = self.others(player).map(captured).sum();
        let of_each: u32 = self.others(player).map(|from| each - captured(from).min(each)).sum();
        of_each.min(total - in_all.min(total)) as u8
    }

    /// Works out from the stacks and what was taken everything else that is kept.
    fn rebuild(&mut self) {
        (self.control, self.heights, self.key) = ([0; COLOURS], 0, 0);
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
            self.needed[player.index()] = self.count_needed(player);
        }
    }

    /// Plays a move, with or without the key.
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

    /// Puts pieces, the mover's on top, on a field; what is too much leaves at the bottom.
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
            self.set_taken::<KEYED>(mover, self.taken[mover.index()] + lost.colours());
            self.needed[mover.index()] = self.count_needed(mover);
        }
    }

    #[inline]
    fn set_stack<const KEYED: bool>(&mut self, field: usize, stack: Stack) {
        let old = self.stacks[field];
        // Lanes may borrow from each other between the two steps; after both they are right again.
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

    /// The move that the same draw would pick from the list of all.
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
