//! The move ordering.

use nply::settings::Visitor;
use nply::{Game, MoveOrder, Player, Settings, Stance};

use super::{ConnectFour, Move};

/// Moves that win, then moves that keep an opponent from winning there, then the columns from the center outwards.
///
/// Of opponents, the player to harm comes first, then those who move sooner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order;

impl Settings for Order {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

/// A win comes before everything; a block comes before the center.
const WIN: i32 = 1000;
const BLOCK: i32 = 100;

impl MoveOrder<ConnectFour> for Order {
    fn rate(&self, game: &ConnectFour, stance: Stance, Move(column): Move) -> i32 {
        let (players, turn, row) = (game.player_count(), game.turn(), game.heights[column as usize]);
        let center = -(2 * i32::from(column) + 1 - i32::from(game.columns)).abs();
        if game.completes(turn, column as usize, row) {
            return WIN + center;
        }
        let mut block = 0;
        for later in 1..players {
            let opponent = Player::new((turn.index() + later) % players);
            if game.completes(opponent, column as usize, row) {
                let urgency = if stance == Stance::Against(opponent) { players } else { players - later };
                block = block.max(BLOCK * urgency as i32);
            }
        }
        block + center
    }
}

#[cfg(test)]
mod tests {
    use nply::{Declaration, Notation};

    use super::super::Options;
    use super::*;

    fn sorted(text: &str, players: usize, stance: Stance) -> String {
        let game = ConnectFour::start(players, &Options::default(), 0).read(text).unwrap();
        let mut moves = Vec::new();
        game.moves(&mut moves);
        Order.sort(&game, stance, &mut moves);
        moves.iter().map(|&m| game.move_to_text(m)).collect()
    }

    #[test]
    fn wins_come_first_then_blocks_then_the_center() {
        let start = ConnectFour::start(2, &Options::default(), 0).to_text();
        assert_eq!(sorted(&start, 2, Stance::Own), "dcebfag");
        let text = "......./......./......./1....../1.....2/1....22 2";
        assert_eq!(sorted(text, 2, Stance::Own), "adcebfg", "blocks");
        let text = "......./......./......./1.....2/1.....2/1.....2 2";
        assert_eq!(sorted(text, 2, Stance::Own), "gadcebf", "wins, then blocks");
    }

    #[test]
    fn the_player_to_harm_is_blocked_first() {
        let text = "........./........./........./........./2.......3/2.......3/2.......3 1";
        assert_eq!(&sorted(text, 3, Stance::Own)[..2], "ai", "the next player first");
        assert_eq!(&sorted(text, 3, Stance::Against(Player::new(2)))[..2], "ia");
    }
}
