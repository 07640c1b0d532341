//! The rules of Othello.

use std::fmt;

use nply::{ByPlayer, Game, Notation, OutOfTurn, Player, PositionError, Rng, mix, shares};

use super::discs::{self, Discs, Move};
use super::picture::{Disc, draw, read_fields, read_turn, write_fields};
use crate::draw::Colour;
use crate::text::Words;

/// The colours in turn order.
const COLOURS: [Disc; 2] = [
    Disc { letter: 'B', name: "Black", colour: Colour::Green },
    Disc { letter: 'W', name: "White", colour: Colour::White },
];

/// A position in Othello.
///
/// A disc goes where it flips discs between itself and another of its colour; a player who can flip nothing passes. Two
/// passes in succession, which are plies like any other, end the game. Most discs win; a tie is shared.
///
/// "In succession" means that both players have passed since the last disc was placed. In turn that is the same thing;
/// out of turn ([`OutOfTurn`]) a player who passes twice does not end a game that the opponent can still play.
///
/// ```
/// use nply::{Game, Notation};
/// use nply_games::rolit::Othello;
/// let mut game = Othello::new();
/// game.play(game.move_from_text("d3").unwrap());
/// assert_eq!(game.to_text(), "...................B.......BB......BW........................... W -");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Othello {
    /// The discs of the player to move.
    own: u64,
    /// The opponent's.
    other: u64,
    turn: Player,
    /// Bit 0: Black has passed since the last disc was placed; bit 1: White has.
    passed: u8,
}

impl Othello {
    /// The start position.
    pub fn new() -> Othello {
        let black = Move::new(4, 3).bit() | Move::new(3, 4).bit();
        let white = Move::new(3, 3).bit() | Move::new(4, 4).bit();
        Othello { own: black, other: white, turn: Player::new(0), passed: 0 }
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.passed == 3
    }

    /// Where the player to move can flip anything.
    #[inline]
    fn targets(&self) -> u64 {
        discs::flipping(self.own, self.other)
    }

    #[inline]
    fn hand_over(&mut self) {
        std::mem::swap(&mut self.own, &mut self.other);
        self.turn = self.turn.next(2);
    }

    /// Black's discs and White's.
    fn both(&self) -> [u64; 2] {
        [0, 1].map(|index| self.discs(Player::new(index)))
    }
}

impl Default for Othello {
    fn default() -> Othello {
        Othello::new()
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

    /// Made from the bitboards when asked: no more work than keeping it with every flip, and none in playouts.
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

/// The text of a position: 64 characters, row 1 first, `.`, `B` or `W`; the colour to move; and who has passed since
/// the last disc was placed, `-`, `B`, `W` or `BW`. Any board is a position, whoever is to move, but nobody has passed
/// who could flip something.
impl Notation for Othello {
    const MOVE_FORM: &'static str = "a field, `d3`; a pass is `-`";

    fn to_text(&self) -> String {
        let passed = ["-", "B", "W", "BW"][self.passed as usize];
        format!("{} {} {passed}", write_fields(&self.both(), &COLOURS), COLOURS[self.turn.index()].letter)
    }

    fn read(&self, text: &str) -> Result<Othello, PositionError> {
        let mut words = Words::new(text);
        let fields = words.word("64 fields")?;
        let discs: [u64; 2] = read_fields(&words, fields, &COLOURS)?;
        let turn = read_turn(&mut words, &COLOURS)?;
        let who = "who has passed since the last disc: -, B, W or BW";
        let word = words.word(who)?;
        let passed = match word {
            "-" => 0,
            "B" => 1,
            "W" => 2,
            "BW" => 3,
            _ => return words.error(word, who),
        };
        for (mover, colour) in COLOURS.iter().enumerate() {
            if passed >> mover & 1 == 1 && discs::flipping(discs[mover], discs[1 - mover]) != 0 {
                return words.error(word, format!("no pass of {}, who has a move,", colour.name));
            }
        }
        words.end()?;
        let mover = turn.index();
        Ok(Othello { own: discs[mover], other: discs[1 - mover], turn, passed })
    }

    fn move_to_text(&self, m: Move) -> String {
        m.to_string()
    }
}

/// The board, row 1 at the top, and below it the discs of each player and who is to move.
impl fmt::Display for Othello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw(f, &self.both(), &COLOURS, 2, (!self.is_over()).then_some(self.turn))
    }
}
