//! Plain OPPS, for comparison with the fast one.

use super::Plain;
use crate::Game;

/// The value of a position for the root player under OPPS, in the plainest way: between two moves of the root player at most
/// `opponents` moves are not special, `made` of which have been made.
///
/// `ranks` lists the special moves of the opponent to move, and those that it may play instead as long as some are left.
///
/// ```
/// use nply::testing::{Plain, plain_opps};
/// use nply::{Tree, tree::LeafScores};
/// let tree: Tree = "(1 (2 (3 7,0,0 5,0,0) (3 9,0,0 1,0,0)))".parse().unwrap();
/// let value = |opponents| plain_opps(&Plain::new(&tree, LeafScores), &|_| (vec![1], vec![2]), &tree, 3, opponents, 0);
/// assert_eq!([0, 1, 2].map(value), [7, 5, 1]);
/// ```
#[allow(clippy::type_complexity, reason = "two lists of moves")]
pub fn plain_opps<G: Game>(
    plain: &Plain<'_, G>,
    ranks: &dyn Fn(&G) -> (Vec<G::Move>, Vec<G::Move>),
    game: &G,
    depth: u32,
    opponents: u32,
    made: u32,
) -> i64 {
    if depth == 0 || game.payoff().is_some() {
        return (plain.value)(game);
    }
    let value = |m, made| {
        let mut child = game.clone();
        child.play(m);
        plain_opps(plain, ranks, &child, depth - 1, opponents, made)
    };
    if game.turn() == plain.root {
        return (plain.moves)(game).into_iter().map(|m| value(m, 0)).max().expect("a move");
    }
    let (special, free) = ranks(game);
    let mut values: Vec<i64> = special.into_iter().map(|m| value(m, made)).collect();
    if made < opponents {
        values.extend(free.into_iter().map(|m| value(m, made + 1)));
    }
    values.into_iter().min().expect("a move")
}
