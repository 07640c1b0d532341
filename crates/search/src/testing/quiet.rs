//! Plain quiescence search, for comparison with the fast one.

use super::Plain;
use crate::Game;

/// The value of a leaf of Paranoid for the root player, in the plainest way: as it stands, or after one of at most so many
/// [loud](Game::is_loud) moves in a row, if that is better for whoever makes it.
///
/// ```
/// use nply::Game;
/// use nply::testing::{HashedScores, Plain, Track, plain_quiet};
/// let game = Track::new(3, 1);
/// assert!(game.is_loud(1), "the first token lands on the second");
/// let plain = Plain::new(&game, HashedScores { most: 9, seed: 1 });
/// assert!(plain_quiet(&plain, &game, 1) >= plain_quiet(&plain, &game, 0));
/// ```
pub fn plain_quiet<G: Game>(plain: &Plain<'_, G>, game: &G, plies: u32) -> i64 {
    let stand = (plain.value)(game);
    if plies == 0 || game.payoff().is_some() {
        return stand;
    }
    let moves = (plain.moves)(game).into_iter().filter(|&m| game.is_loud(m));
    let values = moves.map(|m| {
        let mut child = game.clone();
        child.play(m);
        plain_quiet(plain, &child, plies - 1)
    });
    let all = values.chain([stand]);
    if game.turn() == plain.root { all.max() } else { all.min() }.expect("the position as it stands")
}
