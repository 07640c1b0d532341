//! The evaluation: lines that can still be completed.

use nply::{Bounds, ByPlayer, Evaluator, Game, Player, Score};

use super::ConnectFour;
use super::rules::{DIRECTIONS, SIZE};

/// For each line of fields with pieces of only one player, that player has points, by the number of pieces missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Eval;

/// The value of an open line by the number of pieces missing; a line without pieces is nobody's.
const WORTH: [Score; 6] = [0, 32, 8, 2, 1, 1];

impl Eval {
    /// The number of lines on the board.
    fn lines(game: &ConnectFour) -> Score {
        let [columns, rows, line] = [game.columns, game.rows, game.line].map(Score::from);
        let (across, up) = ((columns - line + 1).max(0), (rows - line + 1).max(0));
        across * rows + columns * up + 2 * across * up
    }
}

impl Evaluator<ConnectFour> for Eval {
    /// A line counts for one player at most.
    fn bounds(&self, game: &ConnectFour) -> Bounds {
        Bounds { min: ByPlayer::splat(game.player_count(), 0), max_sum: WORTH[1] * Eval::lines(game) }
    }

    #[inline]
    fn evaluate(&self, game: &ConnectFour) -> ByPlayer<Score> {
        ByPlayer::from_fn(game.player_count(), |player| self.evaluate_for(game, player))
    }

    /// Goes through the lines of a column and a direction at once, one bit for the lowest field of each.
    fn evaluate_for(&self, game: &ConnectFour, player: Player) -> Score {
        let (own, line, columns) = (&game.pieces[player.index()], game.line as usize, game.columns as usize);
        let mut open = [0u16; SIZE];
        for (column, open) in open[..columns].iter_mut().enumerate() {
            let occupied = (1u32 << game.heights[column]) - 1;
            *open = ((1u32 << game.rows) - 1) as u16 & !(occupied as u16 & !own[column]);
        }
        let mut score = 0;
        for (right, up) in DIRECTIONS {
            for column in 0..columns.saturating_sub(right * (line - 1)) {
                // Lines that no other player has a piece in, and the number of the player's pieces as three bits.
                let (mut lines, mut ones, mut twos, mut fours) = (u16::MAX, 0, 0, 0);
                for n in 0..line {
                    let field = |columns: &[u16; SIZE]| {
                        let bits = columns[(column + right * n) % SIZE];
                        // A falling line is counted from its lower end, which is the last field.
                        let rise = if up < 0 { line - 1 - n } else { n * up as usize };
                        bits >> rise
                    };
                    lines &= field(&open);
                    let piece = field(own);
                    let carry = ones & piece;
                    ones ^= piece;
                    fours |= twos & carry;
                    twos ^= carry;
                }
                for count in 1..line {
                    let bit = |place: usize, bits: u16| if count >> place & 1 == 1 { bits } else { !bits };
                    let found = lines & bit(0, ones) & bit(1, twos) & bit(2, fours);
                    score += WORTH[line - count] * found.count_ones() as Score;
                }
            }
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use nply::{Declaration, Notation, Rng};

    use super::super::Options;
    use super::*;

    /// The score, field by field.
    fn slow(game: &ConnectFour, player: Player) -> Score {
        let (columns, rows, line) = (game.columns as i32, game.rows as i32, game.line as usize);
        let mut score = 0;
        for (right, up) in DIRECTIONS {
            for (column, row) in (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row))) {
                let fields = (0..line as i32).map(|n| (column + right as i32 * n, row + up * n));
                let owners: Vec<Option<Player>> = fields
                    .filter(|(column, row)| (0..columns).contains(column) && (0..rows).contains(row))
                    .map(|(column, row)| game.owner(column as usize, row as usize))
                    .collect();
                let own = owners.iter().filter(|&&owner| owner == Some(player)).count();
                if owners.len() == line
                    && own > 0
                    && owners.iter().all(|owner| owner.is_none_or(|owner| owner == player))
                {
                    score += WORTH[line - own];
                }
            }
        }
        score
    }

    #[test]
    fn lines_are_counted_as_field_by_field() {
        for line in 3..=6 {
            for players in 2..=4 {
                let start = ConnectFour::start(players, &Options { line, ..Options::default() }, 0);
                let (mut game, mut rng) = (start, Rng::new(u64::from(line)));
                while game.payoff().is_none() {
                    for player in Player::all(players) {
                        assert_eq!(Eval.evaluate_for(&game, player), slow(&game, player), "{}", game.to_text());
                    }
                    game.play(game.random_move(&mut Vec::new(), &mut rng));
                }
            }
        }
    }
}
