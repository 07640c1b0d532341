//! The weights of `eval=regression`, and how they are written down.

use std::fmt::Write;
use std::sync::OnceLock;

use nply::{ByPlayer, Error, Player, Score};

use super::Focus;
use super::board::{self, FIELDS, bits};
use super::stack::Stack;

/// The weights that come with this crate.
const SHIPPED: &str = include_str!("../../data/focus.regression");

/// The most captures that the short game asks for.
const MOST_NEEDED: usize = 6;

/// What a piece of a stack is by: the height of the stack, its own level, 1 being the bottom, and whether its color controls the
/// stack. The top piece always does.
const KINDS: [(usize, usize, bool); Stack::MOST * Stack::MOST] = {
    let mut kinds = [(0, 0, true); Stack::MOST * Stack::MOST];
    let (mut height, mut number) = (1, 0);
    while height <= Stack::MOST {
        let mut level = height;
        while level > 0 {
            kinds[number] = (height, level, true);
            number += 1;
            if level < height {
                kinds[number] = (height, level, false);
                number += 1;
            }
            level -= 1;
        }
        height += 1;
    }
    kinds
};

/// The number of kinds of pieces on the board, of a reserve piece, and of captures needed.
pub(super) const FEATURES: usize = KINDS.len() + 1 + MOST_NEEDED;

/// By height, level and control, the number of a piece's kind; what cannot be is 0.
static KIND: [[[u8; 2]; Stack::MOST + 1]; Stack::MOST + 1] = {
    let mut table = [[[0; 2]; Stack::MOST + 1]; Stack::MOST + 1];
    let mut number = 0;
    while number < KINDS.len() {
        let (height, level, controls) = KINDS[number];
        table[height][level][controls as usize] = number as u8;
        number += 1;
    }
    table
};

/// What counts for a player in a position of the short game: the kinds of pieces, pieces in reserve, captures needed.
pub(super) fn features(game: &Focus, player: Player) -> [f32; FEATURES] {
    let mut features = [0.0; FEATURES];
    for field in bits(FIELDS) {
        for kind in kinds(game.stacks[field], player.index()) {
            features[kind] += 1.0;
        }
    }
    features[KINDS.len()] = game.reserve(player) as f32;
    if let needed @ 1.. = game.needed(player) as usize {
        features[KINDS.len() + needed] = 1.0;
    }
    features
}

/// The kinds of a color's pieces in a stack.
fn kinds(stack: Stack, color: usize) -> impl Iterator<Item = usize> {
    let (height, controls) = (stack.height(), stack.top() == Some(color));
    let pieces = stack.pieces().zip(1..).filter(move |&(owner, _)| owner == color);
    pieces.map(move |(_, level)| KIND[height][level][usize::from(controls)] as usize)
}

/// The weights for a number of players, in thousandths of the logarithm of a chance.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    players: usize,
    each: [i16; FEATURES],
    /// By stack, what each color's pieces are worth.
    stacks: Box<[[i16; 4]; 2 << (2 * Stack::MOST)]>,
}

impl Weights {
    pub(super) fn new(players: usize, each: [i16; FEATURES]) -> Weights {
        let mut stacks = Box::new([[0; 4]; 2 << (2 * Stack::MOST)]);
        for (bits, worth) in stacks.iter_mut().enumerate().skip(1) {
            let stack = Stack::from_bits(bits as u16);
            *worth = [0, 1, 2, 3].map(|color| kinds(stack, color).map(|kind| each[kind]).sum());
        }
        Weights { players, each, stacks }
    }

    /// Those that come with this crate.
    ///
    /// # Panics
    /// If the game cannot have so many players.
    pub(super) fn shipped(players: usize) -> &'static Weights {
        static SHIPPED_BY_PLAYERS: [OnceLock<Weights>; 3] = [const { OnceLock::new() }; 3];
        let read = || {
            let all = Weights::read(SHIPPED).expect("the weights in this crate are well-formed");
            all.into_iter().find(|weights| weights.players == players).expect("there are weights for every number")
        };
        SHIPPED_BY_PLAYERS[players - 2].get_or_init(read)
    }

    /// What each color's pieces in a stack are worth.
    #[inline]
    pub(super) fn stack(&self, stack: Stack) -> [i16; 4] {
        self.stacks[stack.bits() as usize % (2 << (2 * Stack::MOST))]
    }

    /// What everybody's pieces on the board are worth.
    #[inline]
    pub(super) fn board(&self, game: &Focus) -> [Score; 4] {
        let mut sums = [0; 4];
        let [a, b, c, d] = game.control;
        for field in bits(a | b | c | d) {
            let worth = self.stack(game.stacks[field]);
            sums.iter_mut().zip(worth).for_each(|(sum, worth)| *sum += Score::from(worth));
        }
        sums
    }

    /// Everybody's score.
    #[inline(never)]
    pub(super) fn evaluate(&self, game: &Focus) -> ByPlayer<Score> {
        let board = self.board(game);
        let rest = |player: Player| self.rest(game.reserve(player), game.needed(player));
        ByPlayer::from_fn(self.players, |player| board[player.index()] + rest(player))
    }

    /// What so many pieces in reserve and captures needed are worth.
    #[inline]
    pub(super) fn rest(&self, reserve: u32, needed: u32) -> Score {
        let of_needed = if needed == 0 { 0 } else { self.each[KINDS.len() + needed as usize] };
        reserve as Score * Score::from(self.each[KINDS.len()]) + Score::from(of_needed)
    }

    /// The least and the most that a player can have: every piece may be of any kind, in reserve or captured.
    pub(super) fn range(&self) -> (Score, Score) {
        let (pieces, needed) = self.each.split_at(KINDS.len() + 1);
        let of = |kinds: &[i16]| {
            let kinds = || kinds.iter().copied().map(Score::from);
            (kinds().min().unwrap_or(0).min(0), kinds().max().unwrap_or(0).max(0))
        };
        let ((worst, best), (least, most)) = (of(pieces), of(needed));
        let count = board::pieces(self.players) as Score;
        (count * worst + least, count * best + most)
    }

    /// Lines of text that [`read`](Weights::read) reads.
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("players {}\n", self.players);
        for (&(height, level, controls), weight) in KINDS.iter().zip(self.each) {
            let whose = if controls { "own" } else { "other" };
            let _ = writeln!(text, "stack of {height}, level {level}, {whose} {weight}");
        }
        let _ = writeln!(text, "reserve {}", self.each[KINDS.len()]);
        for (index, weight) in self.each[KINDS.len() + 1..].iter().enumerate() {
            let _ = writeln!(text, "needed {} {weight}", index + 1);
        }
        text
    }

    /// All weights of a file. Lines that begin with `#` are comments.
    ///
    /// # Errors
    /// If a line is not the one that follows in [`to_text`](Weights::to_text), or none follows.
    pub(super) fn read(text: &str) -> Result<Vec<Weights>, Error> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let mut all = Vec::new();
        while let Some(line) = lines.next() {
            let wrong = |line: &str| Error::file(format!("{line:?} is no weight of Focus here"));
            let players = line.strip_prefix("players ").and_then(|word| word.parse().ok());
            let players = players.filter(|players| (2..=4).contains(players)).ok_or_else(|| wrong(line))?;
            let names = Weights::new(players, [0; FEATURES]).to_text();
            let mut each = [0; FEATURES];
            for (weight, name) in each.iter_mut().zip(names.lines().skip(1)) {
                let line = lines.next().ok_or_else(|| wrong("the end"))?;
                let number = line.strip_prefix(name.strip_suffix('0').unwrap_or(name));
                *weight = number.and_then(|number| number.parse().ok()).ok_or_else(|| wrong(line))?;
            }
            all.push(Weights::new(players, each));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use nply::{Declaration, Game, Rng};

    use super::super::Options;
    use super::*;

    #[test]
    fn scores_are_the_weights_of_what_counts() {
        for players in 2..=4 {
            let weights = Weights::shipped(players);
            let (least, most) = weights.range();
            let mut rng = Rng::new(players as u64);
            for _ in 0..20 {
                let mut game = Focus::start(players, &Options::default(), 0);
                while game.payoff().is_none() {
                    for (player, score) in weights.evaluate(&game).iter() {
                        let counted = features(&game, player);
                        let expected: f32 = counted.iter().zip(weights.each).map(|(n, w)| n * f32::from(w)).sum();
                        assert_eq!(score, expected as Score);
                        assert!((least..=most).contains(&score));
                    }
                    game.play(game.random_move(&mut Vec::new(), &mut rng));
                }
            }
        }
    }

    #[test]
    fn weights_are_read_as_they_are_written() {
        let all = Weights::read(SHIPPED).unwrap();
        assert_eq!(all.iter().map(|weights| weights.players).collect::<Vec<_>>(), [2, 3, 4]);
        for weights in &all {
            assert_eq!(Weights::read(&weights.to_text()).unwrap()[0].each, weights.each);
        }
        let damaged = [("players 2", "players 5"), ("level 1, own", "level 7, own"), ("needed 6 ", "needed 6x")];
        for (text, other) in damaged {
            assert!(SHIPPED.contains(text) && Weights::read(&SHIPPED.replace(text, other)).is_err(), "{other}");
        }
        let short = SHIPPED.trim_end().rsplit_once('\n').unwrap().0;
        assert_eq!(Weights::read(short).unwrap_err().message, "\"the end\" is no weight of Focus here");
    }
}
