//! Plain Paranoid, for comparison with the fast one.

use super::Plain;
use crate::Game;

/// The value of a position for the root player under Paranoid, in the plainest way.
///
/// ```
/// use nply::testing::{Plain, plain_paranoid};
/// use nply::{Tree, tree::LeafScores};
/// let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
/// assert_eq!(plain_paranoid(&Plain::new(&tree, LeafScores), &tree, 2), -3);
/// ```
pub fn plain_paranoid<G: Game>(plain: &Plain<'_, G>, game: &G, depth: u32) -> i64 {
    if depth == 0 || game.payoff().is_some() {
        return (plain.value)(game);
    }
    let values = (plain.moves)(game).into_iter().map(|m| {
        let mut child = game.clone();
        child.play(m);
        plain_paranoid(plain, &child, depth - 1)
    });
    if game.turn() == plain.root { values.max() } else { values.min() }.expect("a move")
}
