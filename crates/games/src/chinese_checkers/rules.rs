//! The position, its moves and the end of the game.

use nply::{ByPlayer, Game, MAX_PLAYERS, OutOfTurn, Player, Rng, mix};

use super::board::{Board, FIELDS, MIDDLE, Star, fields};
use super::paths::{Paths, Reached, Walk};
use super::{Options, rank};
use crate::check_players;

/// A position of Chinese Checkers.
#[derive(Clone)]
pub struct ChineseCheckers {
    pub(super) star: &'static Star,
    pub(super) board: Board,
    /// Each player's pieces, one bit per field.
    pub(super) pieces: [u128; MAX_PLAYERS],
    /// Each player's score of [`Eval::Distance`](super::Eval::Distance).
    pub(super) progress: [i16; MAX_PLAYERS],
    /// On the small board, the numbers of the players' placements in the distance table.
    pub(super) ranks: [u32; MAX_PLAYERS],
    pub(super) key: u64,
    pub(super) plies: u32,
    pub(super) limit: u32,
    pub(super) players: u8,
    pub(super) turn: Player,
    pub(super) winner: Option<Player>,
    /// Each player's goal, a corner.
    pub(super) goals: [u8; MAX_PLAYERS],
    /// Whether the position is one of a playout.
    is_playout: bool,
}

/// A move of a piece from one field to another, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    pub(super) from: u8,
    pub(super) to: u8,
}

impl Move {
    /// The move of a player who has no other; it changes only the turn and the ply count.
    pub const PASS: Move = Move { from: 0, to: 0 };
}

impl ChineseCheckers {
    pub(super) fn new(players: usize, &Options { board, limit }: &Options) -> ChineseCheckers {
        check_players::<ChineseCheckers>(players);
        let star = board.star();
        let mut pieces = [0; MAX_PLAYERS];
        for (own, &home) in pieces.iter_mut().zip(homes(players)) {
            *own = star.corners[home as usize];
        }
        ChineseCheckers::set(players, board, limit, pieces, Player::new(0), 0)
    }

    /// Any position: computes everything that follows from the pieces.
    pub(super) fn set(
        players: usize,
        board: Board,
        limit: u32,
        pieces: [u128; MAX_PLAYERS],
        turn: Player,
        plies: u32,
    ) -> ChineseCheckers {
        let mut goals = [MIDDLE; MAX_PLAYERS];
        for (goal, &home) in goals.iter_mut().zip(homes(players)) {
            *goal = opposite(home);
        }
        let star = board.star();
        let mut game = ChineseCheckers {
            star,
            board,
            pieces,
            progress: [0; MAX_PLAYERS],
            ranks: [0; MAX_PLAYERS],
            key: KEYS.turn[turn.index()],
            plies,
            limit,
            players: players as u8,
            turn,
            winner: None,
            goals,
            is_playout: false,
        };
        for player in Player::all(players) {
            for field in fields(game.pieces[player.index()]) {
                game.key ^= KEYS.piece[player.index()][field as usize];
                game.progress[player.index()] += game.worth(player, field);
            }
            game.ranks[player.index()] = game.rank(player);
        }
        // As after a ply of the previous player.
        let mover = (turn.index() + players - 1) % players;
        let mut in_turn = (mover..mover + players).map(|index| Player::new(index % players));
        game.winner = in_turn.find(|&player| game.has_won(player));
        game
    }

    /// The size of the star.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The number of plies played.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.winner.is_some() || self.plies >= self.limit
    }

    /// All occupied fields.
    #[inline]
    pub(super) fn occupied(&self) -> u128 {
        self.pieces.iter().fold(0, |all, own| all | own)
    }

    /// The goal of the player to move.
    #[inline]
    pub(super) fn goal(&self) -> u8 {
        self.goals[self.turn.index()]
    }

    /// Whether the goal of `player` is full, at least one of the pieces being the player's.
    #[inline]
    fn has_won(&self, player: Player) -> bool {
        let goal = self.star.corners[self.goals[player.index()] as usize];
        self.pieces[player.index()] & goal != 0 && self.occupied() & goal == goal
    }

    /// What a piece on `field` adds to the score of [`Eval::Distance`](super::Eval::Distance).
    #[inline]
    pub(super) fn worth(&self, player: Player, field: u8) -> i16 {
        let goal = self.goals[player.index()];
        self.star.worth[goal as usize][field as usize]
    }

    /// On the small board, the number of a player's placement as seen from the home corner.
    #[inline]
    fn rank(&self, player: Player) -> u32 {
        if self.board != Board::Small {
            return 0;
        }
        rank::rank(self.placement(player, self.pieces[player.index()]))
    }

    /// The fields as a player sees them from the home corner.
    #[inline]
    pub(super) fn turned(&self, player: Player) -> &[u8; FIELDS] {
        &self.star.turned[opposite(self.goals[player.index()]) as usize]
    }

    /// On the small board, pieces as a player sees them from the home corner.
    #[inline]
    pub(super) fn placement(&self, player: Player, pieces: u128) -> [u8; rank::PIECES] {
        let turned = self.turned(player);
        let mut placement = [0; rank::PIECES];
        for (piece, field) in placement.iter_mut().zip(fields(pieces)) {
            *piece = turned[field as usize];
        }
        placement
    }

    /// Whether the game may be over after a move, whose corner is full then: no other move ends it, but the last before the limit.
    #[inline]
    pub(super) fn may_end(&self, m: Move, occupied: u128) -> bool {
        let corner = self.star.corner_of[m.to as usize];
        if corner == MIDDLE {
            return false;
        }
        let (goal, after) = (self.star.corners[corner as usize], occupied & !(1 << m.from) | 1 << m.to);
        m == Move::PASS || after & goal == goal
    }

    /// Whether the player to move has more than so many moves, not counting a pass.
    fn reaches_more_than(&self, count: usize) -> bool {
        let mut paths = Paths::new(self.star, self.occupied());
        let mut reached = 0;
        fields(self.pieces[self.turn.index()]).any(|from| {
            reached += paths.targets(from, self.goal()).len();
            reached > count
        })
    }

    /// Appends the moves of the player to move, or a pass, if `targets` are the fields that a piece can reach.
    #[inline]
    fn list(&self, out: &mut Vec<Move>, mut targets: impl FnMut(u8) -> u128) {
        let before = out.len();
        for from in fields(self.pieces[self.turn.index()]) {
            out.extend(fields(targets(from)).map(|to| Move { from, to }));
        }
        if out.len() == before {
            out.push(Move::PASS);
        }
    }

    /// Plays a move without updating the key.
    #[inline]
    fn shift(&mut self, m: Move) {
        let Move { from, to } = m;
        let mover = self.turn.index();
        self.pieces[mover] ^= (1 << from) ^ (1 << to);
        self.progress[mover] += self.worth(self.turn, to) - self.worth(self.turn, from);
        self.ranks[mover] = self.rank(self.turn);
        self.plies += 1;
        // Only the goal that is entered can have become full.
        let corner = self.star.corner_of[to as usize];
        if corner != MIDDLE {
            let player = self.goals.iter().position(|&goal| goal == corner);
            self.winner = player.map(Player::new).filter(|&player| self.has_won(player));
        }
        self.turn = self.turn.next(self.players as usize);
    }
}

impl Game for ChineseCheckers {
    type Move = Move;

    const HAS_NULL_MOVES: bool = true;

    #[inline]
    fn player_count(&self) -> usize {
        self.players as usize
    }

    #[inline]
    fn turn(&self) -> Player {
        self.turn
    }

    fn moves(&self, out: &mut Vec<Move>) {
        if self.is_over() {
            return;
        }
        // A position of a playout follows none that is like it, and on the small board most pieces reach something else then.
        if self.is_playout && self.board == Board::Small {
            let mut paths = Paths::new(self.star, self.occupied());
            self.list(out, |from| paths.target_set(from, self.goal()));
        } else {
            let mut reached = Reached::new(self.board, self.star, self.occupied());
            self.list(out, |from| reached.targets(from, self.goal()));
        }
    }

    fn allows(&self, m: Move) -> Option<bool> {
        let (own, occupied) = (self.pieces[self.turn.index()], self.occupied());
        if m == Move::PASS {
            return Some(!self.is_over() && !self.reaches_more_than(0));
        }
        let is_possible = !self.is_over() && own >> m.from & 1 == 1 && occupied >> m.to & 1 == 0;
        let targets = || Reached::new(self.board, self.star, occupied).targets(m.from, self.goal());
        Some(is_possible && targets() >> m.to & 1 == 1)
    }

    fn is_forced(&self, _scratch: &mut Vec<Move>) -> bool {
        !self.is_over() && !self.reaches_more_than(1)
    }

    /// Not for a player with at least half of the pieces in the goal, who may have to move one the wrong way.
    #[inline]
    fn null_move<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let own = self.pieces[self.turn.index()];
        let arrived = own & self.star.corners[self.goal() as usize];
        let is_possible = !self.is_over() && 2 * arrived.count_ones() < own.count_ones();
        is_possible.then(|| self.with_turn(self.turn.next(self.players as usize), f))
    }

    #[inline]
    fn play(&mut self, m: Move) {
        let keys = &KEYS.piece[self.turn.index()];
        self.key ^= keys[m.from as usize] ^ keys[m.to as usize];
        self.key ^= KEYS.turn[self.turn.index()];
        self.shift(m);
        self.key ^= KEYS.turn[self.turn.index()];
    }

    #[inline]
    fn play_unkeyed(&mut self, m: Move) {
        self.is_playout = true;
        self.shift(m);
    }

    #[inline]
    fn payoff(&self) -> Option<ByPlayer<f32>> {
        let count = self.player_count();
        match self.winner {
            Some(winner) => Some(ByPlayer::from_fn(count, |player| if player == winner { 1.0 } else { 0.0 })),
            None if self.plies >= self.limit => Some(ByPlayer::splat(count, 1.0 / count as f32)),
            None => None,
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    /// Draws without listing all moves: each piece in turn replaces the choice with a probability that is its share of the
    /// moves so far.
    fn random_move(&self, _scratch: &mut Vec<Move>, rng: &mut Rng) -> Move {
        let mut paths = Paths::new(self.star, self.occupied());
        let (mut chosen, mut total) = (Move::PASS, 0);
        for from in fields(self.pieces[self.turn.index()]) {
            let targets = paths.targets(from, self.goal());
            total += targets.len();
            if let Some(&to) = targets.get(rng.below(total)) {
                chosen = Move { from, to };
            }
        }
        chosen
    }

    /// Follows one path instead of finding all: draws a piece and a direction, a step or a hop there, and after every hop
    /// one of the next hops, or the end.
    fn playout_move(&self, scratch: &mut Vec<Move>, rng: &mut Rng) -> Move {
        let own = self.pieces[self.turn.index()];
        let count = own.count_ones() as usize;
        let walk = Walk::new(self.star, self.occupied());
        let inside = |field: u8| self.star.corner_of[field as usize] == self.goal();
        // A player who has a move finds one much sooner.
        for _ in 0..64 {
            let draw = rng.below(6 * count);
            let from = fields(own).nth(draw / 6).expect("as many pieces as there are");
            if let Some(to) = walk.end(from, draw % 6, rng)
                && (inside(to) || !inside(from))
            {
                return Move { from, to };
            }
        }
        self.random_move(scratch, rng)
    }

    /// Whether the limit is so near that a search could meet it.
    #[inline]
    fn history_matters(&self) -> bool {
        self.limit.saturating_sub(self.plies) <= 64
    }

    fn history_key(&self) -> Option<u64> {
        Some(self.plies.into())
    }
}

impl OutOfTurn for ChineseCheckers {
    #[inline]
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let turn = self.turn;
        let swap = KEYS.turn[turn.index()] ^ KEYS.turn[player.index()];
        self.turn = player;
        self.key ^= swap;
        let result = f(self);
        self.turn = turn;
        self.key ^= swap;
        result
    }
}

/// Home corners in turn order.
fn homes(players: usize) -> &'static [u8] {
    match players {
        2 => &[0, 3],
        3 => &[0, 2, 4],
        4 => &[1, 2, 4, 5],
        _ => &[0, 1, 2, 3, 4, 5],
    }
}

pub(super) fn opposite(corner: u8) -> u8 {
    (corner + 3) % 6
}

/// Zobrist keys.
struct Keys {
    piece: [[u64; FIELDS]; MAX_PLAYERS],
    turn: [u64; MAX_PLAYERS],
}

static KEYS: Keys = {
    let mut keys = Keys { piece: [[0; FIELDS]; MAX_PLAYERS], turn: [0; MAX_PLAYERS] };
    let mut player = 0;
    while player < MAX_PLAYERS {
        let mut field = 0;
        while field < FIELDS {
            keys.piece[player][field] = mix((player * FIELDS + field) as u64);
            field += 1;
        }
        keys.turn[player] = mix((MAX_PLAYERS * FIELDS + player) as u64);
        player += 1;
    }
    keys
};
