//! The positions, their moves and the end of the games.

use nply::{ByPlayer, Game, OutOfTurn, Player, Rng, mix, shares};

use super::discs::{self, Discs, Move, Size};
use crate::check_players;

/// A position of Rolit.
///
/// A disc goes where it flips discs between itself and another of its color, as in Othello, whatever mix of colors lies
/// between. A player who can flip nothing puts a disc on any empty field next to a disc, so nobody passes, and the game ends
/// with a full board, after 60 plies on 8 by 8 fields. Most discs win; ties share. With fewer than four players the discs of the colors
/// without a player stay, can be flipped, and score for nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rolit {
    /// The discs of each color, with a player or without.
    pub(super) discs: [u64; 4],
    /// All of them together.
    pub(super) occupied: u64,
    /// The fields of the board.
    pub(super) board: u64,
    pub(super) turn: Player,
    pub(super) players: u8,
}

impl Rolit {
    pub(super) fn new(players: usize, size: Size) -> Rolit {
        check_players::<Rolit>(players);
        let [red, yellow, blue, green] = size.middle();
        Rolit::with([red, green, yellow, blue], size.board(), Player::new(0), players as u8)
    }

    pub(super) fn with(discs: [u64; 4], board: u64, turn: Player, players: u8) -> Rolit {
        Rolit { discs, occupied: discs[0] | discs[1] | discs[2] | discs[3], board, turn, players }
    }

    /// The discs of the player to move, and all others.
    #[inline]
    fn sides(&self) -> (u64, u64) {
        let own = self.discs[self.turn.index()];
        (own, self.occupied & !own)
    }

    /// Where the player to move may put a disc; nowhere if the board is full.
    #[inline]
    fn targets(&self) -> u64 {
        let (own, others) = self.sides();
        match discs::flipping(own, others) & self.board {
            0 => discs::neighbors(own | others) & self.board,
            flipping => flipping,
        }
    }
}

impl Discs for Rolit {
    #[inline]
    fn discs(&self, player: Player) -> u64 {
        self.discs[player.index()]
    }

    #[inline]
    fn occupied(&self) -> u64 {
        self.occupied
    }

    #[inline]
    fn board(&self) -> u64 {
        self.board
    }

    /// Nobody passes, so the number of empty fields decides.
    #[inline]
    fn last_mover(&self) -> Option<Player> {
        let empty = (self.board & !self.occupied).count_ones() as usize;
        let turns = (empty > 0).then(|| self.turn.index() + empty - 1)?;
        Some(Player::new(turns % self.player_count()))
    }
}

impl Game for Rolit {
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
        discs::list(self.targets(), out);
    }

    #[inline]
    fn allows(&self, m: Move) -> Option<bool> {
        Some(self.targets() & m.bit() != 0)
    }

    #[inline]
    fn is_forced(&self, _: &mut Vec<Move>) -> bool {
        self.targets().count_ones() == 1
    }

    #[inline]
    fn play(&mut self, m: Move) {
        let (own, others) = self.sides();
        let flips = discs::flips(m, own, others);
        for discs in &mut self.discs {
            *discs &= !flips;
        }
        self.discs[self.turn.index()] |= flips | m.bit();
        self.occupied |= m.bit();
        self.turn = self.turn.next(self.player_count());
    }

    #[inline]
    fn payoff(&self) -> Option<ByPlayer<f32>> {
        if self.occupied != self.board {
            return None;
        }
        Some(shares(&ByPlayer::from_fn(self.player_count(), |player| self.discs(player).count_ones())))
    }

    /// Computed from the bitboards: no more work than updating it with every flip, and none in playouts.
    #[inline]
    fn key(&self) -> u64 {
        let key = |color: usize| mix(self.discs[color] ^ mix(color as u64));
        key(0) ^ key(1) ^ key(2) ^ key(3) ^ mix(4 + self.turn.index() as u64)
    }

    #[inline]
    fn random_move(&self, _: &mut Vec<Move>, rng: &mut Rng) -> Move {
        discs::pick(self.targets(), rng)
    }

    fn points(&self) -> Option<ByPlayer<f32>> {
        Some(ByPlayer::from_fn(self.player_count(), |player| self.discs(player).count_ones() as f32))
    }
}

impl OutOfTurn for Rolit {
    #[inline]
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let turn = std::mem::replace(&mut self.turn, player);
        let result = f(self);
        self.turn = turn;
        result
    }
}

/// A position of Othello.
///
/// A disc goes where it flips discs between itself and another of its color; a player who can flip nothing passes. Two passes
/// in succession, which are plies like any other, or a full board end the game. Most discs win; a tie is shared.
///
/// "In succession" means that both players have passed since the last disc was placed. Out of turn ([`OutOfTurn`]), a player
/// who passes twice does not end a game that the opponent can still play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Othello {
    /// The discs of the player to move.
    pub(super) own: u64,
    /// The opponent's.
    pub(super) other: u64,
    /// The fields of the board.
    pub(super) board: u64,
    pub(super) turn: Player,
    /// Bit 0: Black has passed since the last disc was placed; bit 1: White has.
    pub(super) passed: u8,
}

impl Othello {
    pub(super) fn new(players: usize, size: Size) -> Othello {
        check_players::<Othello>(players);
        let [upper_left, upper_right, lower_left, lower_right] = size.middle();
        let (black, white) = (upper_right | lower_left, upper_left | lower_right);
        Othello { own: black, other: white, board: size.board(), turn: Player::new(0), passed: 0 }
    }

    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.passed == 3 || self.occupied() == self.board
    }

    /// Where the player to move can flip anything.
    #[inline]
    fn targets(&self) -> u64 {
        discs::flipping(self.own, self.other) & self.board
    }

    #[inline]
    fn hand_over(&mut self) {
        std::mem::swap(&mut self.own, &mut self.other);
        self.turn = self.turn.next(2);
    }

    /// Black's discs and White's.
    pub(super) fn both(&self) -> [u64; 2] {
        [0, 1].map(|index| self.discs(Player::new(index)))
    }
}

impl Discs for Othello {
    #[inline]
    fn discs(&self, player: Player) -> u64 {
        if player == self.turn { self.own } else { self.other }
    }

    #[inline]
    fn occupied(&self) -> u64 {
        self.own | self.other
    }

    #[inline]
    fn board(&self) -> u64 {
        self.board
    }

    /// Anybody may have to pass.
    #[inline]
    fn last_mover(&self) -> Option<Player> {
        None
    }
}

impl Game for Othello {
    type Move = Move;

    #[inline]
    fn player_count(&self) -> usize {
        2
    }

    #[inline]
    fn turn(&self) -> Player {
        self.turn
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Move>) {
        match self.targets() {
            0 if self.is_over() => {}
            0 => out.push(Move::PASS),
            targets => discs::list(targets, out),
        }
    }

    #[inline]
    fn allows(&self, m: Move) -> Option<bool> {
        let is_empty = self.occupied() & m.bit() == 0;
        Some(match m {
            Move::PASS => !self.is_over() && self.targets() == 0,
            _ => is_empty && !self.is_over() && discs::flips(m, self.own, self.other) != 0,
        })
    }

    #[inline]
    fn is_forced(&self, _: &mut Vec<Move>) -> bool {
        !self.is_over() && self.targets().count_ones() <= 1
    }

    #[inline]
    fn play(&mut self, m: Move) {
        if m == Move::PASS {
            self.passed |= 1 << self.turn.index();
        } else {
            let flips = discs::flips(m, self.own, self.other);
            self.own |= flips | m.bit();
            self.other &= !flips;
            self.passed = 0;
        }
        self.hand_over();
    }

    #[inline]
    fn payoff(&self) -> Option<ByPlayer<f32>> {
        self.is_over().then(|| shares(&ByPlayer::from_slice(&self.both().map(u64::count_ones))))
    }

    /// Computed from the bitboards: no more work than updating it with every flip, and none in playouts.
    #[inline]
    fn key(&self) -> u64 {
        let state = self.turn.index() as u64 | u64::from(self.passed) << 1;
        mix(self.own ^ mix(0)) ^ mix(self.other ^ mix(1)) ^ mix(2 + state)
    }

    #[inline]
    fn random_move(&self, _: &mut Vec<Move>, rng: &mut Rng) -> Move {
        match self.targets() {
            0 => Move::PASS,
            targets => discs::pick(targets, rng),
        }
    }

    fn points(&self) -> Option<ByPlayer<f32>> {
        Some(ByPlayer::from_slice(&self.both().map(|discs| discs.count_ones() as f32)))
    }
}

impl OutOfTurn for Othello {
    #[inline]
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let handed = player != self.turn;
        if handed {
            self.hand_over();
        }
        let result = f(self);
        if handed {
            self.hand_over();
        }
        result
    }
}
