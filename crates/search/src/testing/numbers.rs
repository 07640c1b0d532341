//! Positions and moves as numbers.

use std::collections::HashMap;

use super::random_game;
use crate::numbers::{Numbers, Planes};
use crate::{Game, Player, Rng, mix};

/// Plays `games` random games from a start position and checks what [`Numbered`](crate::numbers::Numbered) promises, of a game that is given
/// by its [`Numbers`].
///
/// At every position, the planes are the declared ones, with values from 0 to 1; a player who cannot tell two positions apart is shown the
/// same planes; legal moves have different numbers below the number declared. At some, where everything is seen, moves that lead to different
/// positions lead to different planes.
///
/// # Panics
/// If any of it does not hold, with the moves that lead there.
pub fn check_numbers<G: Game>(numbers: &Numbers<G>, start: &G, games: u64) {
    let layout = numbers.layout(start);
    let (mut planes, mut others, mut moves) = (Planes::default(), Planes::default(), Vec::new());
    for seed in 0..games {
        let mut rng = Rng::new(mix(seed));
        random_game(start, seed, |game, context| {
            for viewer in Player::all(game.player_count()) {
                planes.show_with(numbers, game, Some(viewer));
                assert_eq!(planes.count(), layout.planes.len(), "all planes are there; {}", context());
                let values = planes.values();
                assert!(
                    values.iter().all(|value| (0.0..=1.0).contains(value)),
                    "values are from 0 to 1; {}",
                    context()
                );
                others.show_with(numbers, &game.determinize(viewer, &mut rng), Some(viewer));
                assert_eq!(values, others.values(), "{viewer:?} sees what is hidden; {}", context());
            }
            moves.clear();
            game.moves(&mut moves);
            let mut numbered = HashMap::new();
            for &m in &moves {
                let number = (numbers.move_number)(game, m);
                assert!(number < layout.moves, "{m:?} is {number} of {}; {}", layout.moves, context());
                let other = numbered.insert(number, m);
                assert_eq!(other, None, "{m:?} has the same number {number}; {}", context());
            }
            if rng.below(8) > 0 {
                return;
            }
            assert_eq!(numbers.layout(game), layout, "the layout never changes; {}", context());
            let mut children: HashMap<Vec<u32>, u64> = HashMap::new();
            for &m in &moves {
                let mut child = game.clone();
                child.play(m);
                planes.show_with(numbers, &child, None);
                let values = planes.values().iter().map(|value| value.to_bits()).collect();
                let key = *children.entry(values).or_insert(child.key());
                assert_eq!(key, child.key(), "{m:?} leads to the planes of another position; {}", context());
            }
        });
    }
}
