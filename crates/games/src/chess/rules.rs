//! The position, playing moves and taking them back, eliminations and draws.

use nply::{ByPlayer, Game, OutOfTurn, Player, Rng, mix};

use super::Move;
use super::board::Board;
use super::line::{NEAR, ZONE};
use super::pawn::{PAWNS, direction_after};
use super::piece::{BISHOP, EMPTY, KING, KNIGHT, PAWN, Piece, QUEEN, ROOK, direction, kind, owner, piece};
use super::square::{FORWARD, NOWHERE, column, row, square, turned};
use crate::check_players;

/// The number of plies for each living player without progress after which the game is drawn.
pub(super) const PATIENCE: u32 = 50;

/// A position in Four-Player Chess. The players are White, Red, Black and Blue.
pub struct FourPlayerChess {
    pub(super) board: Board,
    pub(super) state: State,
    /// The keys of the positions in which somebody was to move, this one last; those before `state.since` cannot recur.
    pub(super) seen: Vec<u64>,
    /// The pieces of the eliminated, while a move may be taken back.
    pub(super) removed: Vec<(u8, Piece)>,
}

/// What a move changes besides the pieces, and what taking it back restores.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) key: u64,
    pub(super) plies: u32,
    /// Plies without a capture, a pawn move or an elimination.
    pub(super) clock: u32,
    /// Where in `seen` the positions begin that can recur.
    pub(super) since: u32,
    pub(super) turn: u8,
    /// One bit per player.
    pub(super) living: u8,
    /// Two bits per player: the king's side, the queen's side.
    pub(super) rights: u8,
    /// The square that each player's last double step passed, while it can be captured there.
    pub(super) passed: [u8; 4],
    /// The attackers of each living player's king: one bit per opponent.
    pub(super) danger: [u8; 4],
    /// Whether some position since `since` has occurred twice.
    pub(super) repeated: bool,
    pub(super) drawn: bool,
}

/// What is needed to take a move back.
struct Undo {
    state: State,
    moved: Piece,
    captured: Piece,
    /// A pawn captured en passant.
    pawn: Piece,
    pawn_at: u8,
    removed: usize,
    seen: usize,
}

/// The pieces on the edge, from left to right as the owner sees them.
const HOME: [u8; 8] = [ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK];

/// One of a player's two ways of castling: king's side or queen's side.
pub(super) struct Castling {
    pub(super) king: u8,
    pub(super) rook: u8,
    /// The square that the king goes to.
    pub(super) to: u8,
    /// The square that the king crosses and the rook goes to.
    pub(super) over: u8,
}

const fn castling(player: usize, side: usize) -> Castling {
    let [rook, to, over] = if side == 0 { [10, 9, 8] } else { [3, 5, 6] };
    Castling {
        king: turned(square(7, 0), player),
        rook: turned(square(rook, 0), player),
        to: turned(square(to, 0), player),
        over: turned(square(over, 0), player),
    }
}

/// By right: twice the player plus the side.
pub(super) static CASTLING: [Castling; 8] = [
    castling(0, 0),
    castling(0, 1),
    castling(1, 0),
    castling(1, 1),
    castling(2, 0),
    castling(2, 1),
    castling(3, 0),
    castling(3, 1),
];

/// By square, the rights that are lost when a piece moves from or to it.
static LOST: [u8; 256] = {
    let mut table = [0; 256];
    let mut right = 0;
    while right < 8 {
        let way = castling(right / 2, right % 2);
        table[way.king as usize] |= 1 << right;
        table[way.rook as usize] |= 1 << right;
        right += 1;
    }
    table
};

/// The parts of a key: one number for every piece on a square, turn, set of living players, set of rights, and passed square.
fn key_of_piece(s: u8, piece: Piece) -> u64 {
    mix((piece as u64) << 8 | s as u64)
}

fn key_of_turn(turn: u8) -> u64 {
    const KEYS: [u64; 4] = [mix(1 << 16), mix(1 << 16 | 1), mix(1 << 16 | 2), mix(1 << 16 | 3)];
    KEYS[turn as usize & 3]
}

fn key_of_living(living: u8) -> u64 {
    mix(2 << 16 | living as u64)
}

fn key_of_rights(rights: u8) -> u64 {
    mix(3 << 16 | rights as u64)
}

fn key_of_passed(s: u8) -> u64 {
    if s == NOWHERE { 0 } else { mix(4 << 16 | s as u64) }
}

impl Clone for FourPlayerChess {
    fn clone(&self) -> FourPlayerChess {
        FourPlayerChess { seen: self.seen.clone(), removed: self.removed.clone(), ..*self }
    }

    /// Reuses the memory: simulations begin with a copy.
    fn clone_from(&mut self, other: &FourPlayerChess) {
        (self.board, self.state) = (other.board, other.state);
        self.seen.clone_from(&other.seen);
        self.removed.clone_from(&other.removed);
    }
}

impl FourPlayerChess {
    pub(super) fn new(players: usize) -> FourPlayerChess {
        check_players::<FourPlayerChess>(players);
        let mut board = Board::empty();
        for player in 0..4 {
            for (x, kind) in HOME.into_iter().enumerate() {
                board.put(turned(square(3 + x, 0), player), piece(kind, 0, player));
                board.put(turned(square(3 + x, 1), player), piece(PAWN, player, player));
            }
        }
        let state = State {
            key: 0,
            plies: 0,
            clock: 0,
            since: 0,
            turn: 0,
            living: 0b1111,
            rights: 0xff,
            passed: [NOWHERE; 4],
            danger: [0; 4],
            repeated: false,
            drawn: false,
        };
        FourPlayerChess::arriving(board, state, Vec::new())
    }

    /// The position after the turn has come to the player to move.
    pub(super) fn arriving(board: Board, state: State, seen: Vec<u64>) -> FourPlayerChess {
        let mut game = FourPlayerChess { board, state, seen, removed: Vec::new() };
        game.state.key = game.fresh_key();
        game.look_around();
        game.arrive();
        game.forget();
        game
    }

    /// The key, computed from scratch.
    fn fresh_key(&self) -> u64 {
        let state = &self.state;
        let mut key = key_of_turn(state.turn) ^ key_of_living(state.living) ^ key_of_rights(state.rights);
        for s in state.passed {
            key ^= key_of_passed(s);
        }
        self.board.occupied().each(|s| key ^= key_of_piece(s, self.board.at(s)));
        key
    }

    /// The number of plies played.
    pub fn plies(&self) -> u32 {
        self.state.plies
    }

    pub(super) fn lives(&self, player: usize) -> bool {
        self.state.living >> player & 1 != 0
    }

    fn living_count(&self) -> u32 {
        self.state.living.count_ones()
    }

    fn set_turn(&mut self, turn: u8) {
        self.state.key ^= key_of_turn(self.state.turn) ^ key_of_turn(turn);
        self.state.turn = turn;
    }

    fn pass_turn(&mut self) {
        let mut next = (self.state.turn + 1) & 3;
        while !self.lives(next as usize) && next != self.state.turn {
            next = (next + 1) & 3;
        }
        self.set_turn(next);
    }

    #[inline]
    fn set_rights(&mut self, rights: u8) {
        if rights != self.state.rights {
            self.state.key ^= key_of_rights(self.state.rights) ^ key_of_rights(rights);
            self.state.rights = rights;
        }
    }

    /// Nothing can be captured en passant from this player any longer.
    #[inline]
    fn lapse(&mut self, player: usize) {
        if self.state.passed[player] != NOWHERE {
            self.state.key ^= key_of_passed(self.state.passed[player]);
            self.state.passed[player] = NOWHERE;
        }
    }

    fn put(&mut self, s: u8, piece: Piece) {
        self.board.put(s, piece);
        self.state.key ^= key_of_piece(s, piece);
    }

    fn take(&mut self, s: u8) -> Piece {
        let piece = self.board.take(s);
        self.state.key ^= key_of_piece(s, piece);
        piece
    }

    /// Removes the piece on a square from the game: a king only in positions that only Best-Reply Search reaches.
    fn capture(&mut self, s: u8) -> Piece {
        let piece = self.take(s);
        let loser = owner(piece);
        self.state.clock = 0;
        if kind(piece) == KING {
            self.eliminate(loser);
        } else if kind(piece) == PAWN
            && self.state.passed[loser] != NOWHERE
            && self.state.passed[loser].wrapping_add(FORWARD[loser]) == s
        {
            self.lapse(loser);
        }
        piece
    }

    /// Eliminates a player, whose pieces leave the board.
    #[cold]
    fn eliminate(&mut self, player: usize) {
        self.board.sets[player].each(|s| {
            let piece = self.take(s);
            self.removed.push((s, piece));
        });
        let living = self.state.living & !(1 << player);
        self.state.key ^= key_of_living(self.state.living) ^ key_of_living(living);
        self.state.living = living;
        self.set_rights(self.state.rights & !(3 << (2 * player)));
        self.lapse(player);
        self.state.clock = 0;
    }

    /// The turn comes to the player to move: others are hanged; if the player is mated, the turn moves on.
    fn arrive(&mut self) {
        loop {
            let q = self.state.turn as usize;
            self.lapse(q);
            self.hang(q);
            if self.living_count() == 1 || self.can_move() {
                break;
            }
            if !self.in_check(q) {
                self.state.drawn = self.living_count() == 2;
                break;
            }
            self.eliminate(q);
            self.look_around();
            self.pass_turn();
        }
        self.record();
    }

    /// Eliminates all whose king `q` attacks, as long as there are any.
    fn hang(&mut self, q: usize) {
        while let Some(p) = (0..4).find(|&p| p != q && self.state.danger[p] >> q & 1 != 0) {
            self.eliminate(p);
            self.look_around();
        }
    }

    /// Determines who attacks whose king.
    #[cold]
    fn look_around(&mut self) {
        for p in 0..4 {
            self.state.danger[p] =
                if self.lives(p) { self.board.attackers(self.board.kings[p]) & !(1 << p) } else { 0 };
        }
    }

    /// The same after a move that only changed these two squares: most kings do not see them.
    #[inline]
    fn look_again(&mut self, from: u8, to: u8) {
        for p in 0..4 {
            let king = self.board.kings[p];
            let zone = &ZONE[king as usize];
            if (zone.has(from) || zone.has(to)) && self.lives(p) {
                self.state.danger[p] = self.board.attackers(king) & !(1 << p);
            }
        }
    }

    fn in_check(&self, player: usize) -> bool {
        self.state.danger[player] != 0
    }

    /// Records the position, and whether it is drawn.
    fn record(&mut self) {
        let state = &mut self.state;
        if state.clock == 0 {
            state.since = self.seen.len() as u32;
            state.repeated = false;
        }
        let living = state.living.count_ones();
        let before = self.seen[state.since as usize..].iter().filter(|&&key| key == state.key).count();
        state.repeated |= before > 0;
        state.drawn |= self.board.count == living || before >= 2 || state.clock >= PATIENCE * living;
        state.drawn &= living > 1;
        self.seen.push(state.key);
    }

    /// Drops what is only needed to take moves back.
    fn forget(&mut self) {
        self.removed.clear();
        if self.state.since > 0 {
            self.seen.drain(..self.state.since as usize);
            self.state.since = 0;
        }
    }

    fn make(&mut self, m: Move) -> Undo {
        let (removed, seen) = (self.removed.len(), self.seen.len());
        let mut undo = Undo { state: self.state, moved: 0, captured: 0, pawn: 0, pawn_at: NOWHERE, removed, seen };
        self.state.plies += 1;
        self.state.clock += 1;
        // In turn this has lapsed already; out of turn it may not have.
        self.lapse(self.state.turn as usize);
        if m != Move::PASS {
            self.relocate(m, &mut undo);
        }
        self.pass_turn();
        self.arrive();
        undo
    }

    /// Moves the pieces.
    fn relocate(&mut self, m: Move, undo: &mut Undo) {
        let (from, to) = (m.from, m.to);
        let moved = self.take(from);
        let me = owner(moved);
        undo.moved = moved;
        if self.board.at(to) != EMPTY {
            undo.captured = self.capture(to);
        }
        let mut placed = moved;
        // Whether more than two squares change.
        let mut more = false;
        match kind(moved) {
            PAWN => {
                self.state.clock = 0;
                if let Some(victim) = self.passed_here(me, from, to) {
                    undo.pawn_at = to.wrapping_add(FORWARD[victim]);
                    undo.pawn = self.capture(undo.pawn_at);
                    more = true;
                }
                let way = direction_after(moved, from, to);
                placed = if m.promotion != 0 { piece(m.promotion, 0, me) } else { piece(PAWN, way, me) };
                if to == PAWNS[(moved & 15) as usize][from as usize].double {
                    let passed = from.wrapping_add(FORWARD[direction(moved)]);
                    self.state.passed[me] = passed;
                    self.state.key ^= key_of_passed(passed);
                }
            }
            KING => {
                if let Some(way) = Castling::of(from, to) {
                    let rook = self.take(way.rook);
                    self.put(way.over, rook);
                    more = true;
                }
            }
            _ => (),
        }
        self.put(to, placed);
        self.set_rights(self.state.rights & !LOST[from as usize] & !LOST[to as usize]);
        if more || self.state.living != undo.state.living {
            self.look_around();
        } else {
            self.look_again(from, to);
        }
    }

    /// Whether a move captures en passant.
    #[inline]
    fn takes_in_passing(&self, m: Move) -> bool {
        let moved = self.board.at(m.from);
        kind(moved) == PAWN && self.passed_here(owner(moved), m.from, m.to).is_some()
    }

    /// The player whose pawn a pawn move of `me` captures en passant.
    #[inline]
    pub(super) fn passed_here(&self, me: usize, from: u8, to: u8) -> Option<usize> {
        let victim = (0..4).find(|&p| p != me && self.state.passed[p] == to)?;
        // A straight step takes nothing.
        let slanting = column(from) != column(to) && row(from) != row(to);
        slanting.then_some(victim)
    }

    fn unmake(&mut self, m: Move, undo: Undo) {
        self.seen.truncate(undo.seen);
        while self.removed.len() > undo.removed
            && let Some((s, piece)) = self.removed.pop()
        {
            self.board.put(s, piece);
        }
        self.state = undo.state;
        if m == Move::PASS {
            return;
        }
        self.board.take(m.to);
        self.board.put(m.from, undo.moved);
        if undo.captured != 0 {
            self.board.put(m.to, undo.captured);
        }
        if undo.pawn != 0 {
            self.board.put(undo.pawn_at, undo.pawn);
        }
        if kind(undo.moved) == KING
            && let Some(way) = Castling::of(m.from, m.to)
        {
            let rook = self.board.take(way.over);
            self.board.put(way.rook, rook);
        }
    }
}

impl Castling {
    /// The castling that a king's move stands for, if any.
    #[inline]
    pub(super) fn of(from: u8, to: u8) -> Option<&'static Castling> {
        if NEAR[from as usize].has(to) {
            return None;
        }
        CASTLING.iter().find(|way| way.king == from && way.to == to)
    }
}

impl Game for FourPlayerChess {
    type Move = Move;

    const HAS_LOUD_MOVES: bool = true;
    const HAS_NULL_MOVES: bool = true;

    fn player_count(&self) -> usize {
        4
    }

    #[inline]
    fn turn(&self) -> Player {
        Player::new(self.state.turn as usize)
    }

    fn moves(&self, out: &mut Vec<Move>) {
        self.list(out);
    }

    /// A capture.
    #[inline]
    fn is_loud(&self, m: Move) -> bool {
        m != Move::PASS && (self.board.at(m.to) != EMPTY || self.takes_in_passing(m))
    }

    #[inline]
    fn loud(&self, out: &mut Vec<Move>) {
        self.captures(out);
    }

    /// Not in check, and not for a player who has only pawns besides the king.
    fn null_move<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let me = self.state.turn as usize;
        let kinds = &self.board.kinds;
        let army = self.board.sets[me].without(kinds[PAWN as usize]).without(kinds[KING as usize]);
        if self.payoff().is_some() || self.in_check(me) || army.is_empty() {
            return None;
        }
        let next = (1..4).map(|step| (me + step) & 3).find(|&player| self.lives(player))?;
        Some(self.with_turn(Player::new(next), f))
    }

    fn play(&mut self, m: Move) {
        self.make(m);
        self.forget();
    }

    #[inline]
    fn payoff(&self) -> Option<ByPlayer<f32>> {
        let living = self.living_count();
        if living > 1 && !self.state.drawn {
            return None;
        }
        let share = 1.0 / living as f32;
        Some(ByPlayer::from_fn(4, |player| if self.lives(player.index()) { share } else { 0.0 }))
    }

    #[inline]
    fn key(&self) -> u64 {
        self.state.key
    }

    #[inline]
    fn visit<R>(&mut self, m: Move, f: impl FnOnce(&mut Self) -> R) -> R {
        let undo = self.make(m);
        let result = f(self);
        self.unmake(m, undo);
        result
    }

    #[inline]
    fn random_move(&self, scratch: &mut Vec<Move>, rng: &mut Rng) -> Move {
        self.draw(scratch, rng)
    }

    #[inline]
    fn is_in(&self, player: Player) -> bool {
        self.lives(player.index())
    }

    /// Whether a position has occurred twice since the last irreversible ply, or the limit is near.
    #[inline]
    fn history_matters(&self) -> bool {
        self.state.repeated || self.state.clock + 30 >= PATIENCE * self.living_count()
    }

    /// The clock, and the positions that can recur, in any order.
    fn history_key(&self) -> Option<u64> {
        let seen = &self.seen[self.state.since as usize..];
        let sum = seen.iter().fold(0u64, |sum, &key| sum.wrapping_add(mix(key)));
        Some(mix(sum ^ u64::from(self.state.clock)))
    }
}

impl OutOfTurn for FourPlayerChess {
    #[inline]
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let (turn, key) = (self.state.turn, self.state.key);
        self.set_turn(player.index() as u8);
        let result = f(self);
        (self.state.turn, self.state.key) = (turn, key);
        result
    }
}
