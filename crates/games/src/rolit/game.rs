//! The rules of Rolit.

use std::fmt;

use nply::{ByPlayer, Game, Notation, OutOfTurn, Player, PositionError, Rng, mix, shares};

use super::discs::{self, Discs, Move};
use super::picture::{Disc, draw, read_fields, write_fields};
use crate::draw::Colour;
use crate::text::Words;

/// The colours in turn order.
const COLOURS: [Disc; 4] = [
    Disc { letter: 'R', name: "Red", colour: Colour::Red },
    Disc { letter: 'G', name: "Green", colour: Colour::Green },
    Disc { letter: 'Y', name: "Yellow", colour: Colour::Yellow },
    Disc { letter: 'B', name: "Blue", colour: Colour::Blue },
];

/// A position in Rolit.
///
/// A disc goes where it flips discs between itself and another of its colour, as in Othello, whatever mix of colours
/// lies between. A player who can flip nothing puts a disc on any empty field next to a disc, so nobody passes, and the
/// game ends with the board full, after 60 plies. Most discs win; ties share. With fewer than four players the later
/// colours' discs stay, can be flipped, and score for nobody.
///
/// ```
/// use nply::{Game, Notation, Player};
/// use nply_games::rolit::Rolit;
/// let mut game = Rolit::new(4).unwrap();
/// game.play(game.move_from_text("f4").unwrap());
/// assert_eq!(game.points().unwrap()[Player::new(0)], 3.0);
/// assert_eq!(game.to_text(), "...........................RRR.....BG........................... G");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rolit {
    /// The discs of each colour, players' or not.
    discs: [u64; 4],
    /// All of them together.
    occupied: u64,
    turn: Player,
    players: u8,
}

impl Rolit {
    /// The start position for two, three or four players.
    pub fn new(players: usize) -> Option<Rolit> {
        let discs = [Move::new(3, 3), Move::new(4, 4), Move::new(4, 3), Move::new(3, 4)].map(Move::bit);
        (2..=4).contains(&players).then(|| Rolit::with(discs, Player::new(0), players as u8))
    }

    fn with(discs: [u64; 4], turn: Player, players: u8) -> Rolit {
        Rolit { discs, occupied: discs[0] | discs[1] | discs[2] | discs[3], turn, players }
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
        match discs::flipping(own, others) {
            0 => discs::neighbours(own | others),
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
        if self.occupied != u64::MAX {
            return None;
        }
        Some(shares(&ByPlayer::from_fn(self.player_count(), |player| self.discs(player).count_ones())))
    }

    /// Made from the bitboards when asked: no more work than keeping it with every flip, and none in playouts.
    #[inline]
    fn key(&self) -> u64 {
        let key = |colour: usize| mix(self.discs[colour] ^ mix(colour as u64));
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

/// The text of a position: 64 characters, row 1 first, `.` or the first letter of a colour (`R`, `G`, `Y`, `B`); then
/// the colour to move. Any board with at least one disc is a position, whoever is to move.
impl Notation for Rolit {
    const MOVE_FORM: &'static str = "a field, `d3`";

    fn to_text(&self) -> String {
        format!("{} {}", write_fields(&self.discs, &COLOURS), COLOURS[self.turn.index()].letter)
    }

    fn read(&self, text: &str) -> Result<Rolit, PositionError> {
        let mut words = Words::new(text);
        let fields = words.word("64 fields")?;
        let discs: [u64; 4] = read_fields(&words, fields, &COLOURS)?;
        if discs == [0; 4] {
            return words.error(fields, "at least one disc");
        }
        let colours = &COLOURS[..self.player_count()];
        let turn = super::picture::read_turn(&mut words, colours)?;
        words.end()?;
        Ok(Rolit::with(discs, turn, self.players))
    }

    fn move_to_text(&self, m: Move) -> String {
        m.to_string()
    }
}

/// The board, row 1 at the top, and below it the discs of each player and who is to move.
impl fmt::Display for Rolit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = self.payoff().is_none().then_some(self.turn);
        draw(f, &self.discs, &COLOURS, self.player_count(), turn)
    }
}
