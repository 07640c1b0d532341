//! Plain max^n, for comparison with the fast one.

use crate::{ByPlayer, Evaluator, Game, Player, Score};

/// Max^n as it is defined: every move of every position is played, to a depth. Returns the value and the line to its leaf.
///
/// `list` lists the moves of a position from left to right. `rate` returns how good a value is for a player; the mover
/// chooses the best child, and the leftmost of equals.
///
/// ```
/// use nply::{Game, Tree, testing::plain_maxn, tree::LeafScores};
/// let tree: Tree = "(1 5,4,1 (2 4,6,0 0,5,5))".parse().unwrap();
/// let list = |game: &Tree| {
///     let mut moves = Vec::new();
///     game.moves(&mut moves);
///     moves
/// };
/// let (scores, line) = plain_maxn(&tree, 2, &LeafScores, &list, &|scores, player| scores[player]);
/// assert_eq!((scores.as_slice(), line), (&[5, 4, 1][..], vec![1]));
/// ```
pub fn plain_maxn<G: Game, R: PartialOrd>(
    game: &G,
    depth: u32,
    evaluator: &impl Evaluator<G>,
    list: &impl Fn(&G) -> Vec<G::Move>,
    rate: &impl Fn(&ByPlayer<Score>, Player) -> R,
) -> (ByPlayer<Score>, Vec<G::Move>) {
    let mut best: Option<(ByPlayer<Score>, Vec<G::Move>)> = None;
    if depth > 0 && game.payoff().is_none() {
        for m in list(game) {
            let mut child = game.clone();
            child.play(m);
            let (scores, mut line) = plain_maxn(&child, depth - 1, evaluator, list, rate);
            line.insert(0, m);
            let is_better = |best: &ByPlayer<Score>| rate(&scores, game.turn()) > rate(best, game.turn());
            if best.as_ref().is_none_or(|(best, _)| is_better(best)) {
                best = Some((scores, line));
            }
        }
    }
    best.unwrap_or_else(|| (evaluator.scores(game), Vec::new()))
}
