//! Plain soft-max^n, for comparison with the fast one.

use crate::soft_maxn::Model;
use crate::{Evaluator, Game};

/// The set of vectors that a position may lead to under soft-max^n, sorted, and the set of each child in the order of `list`, with
/// whether no other child dominates it: every move of every position is played, and no set is capped.
///
/// ```
/// use nply::testing::{plain_moves, plain_soft_maxn};
/// use nply::{AsListed, Tree, soft_maxn::Model, tree::LeafScores};
/// let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
/// let list = |game: &Tree| plain_moves(game, &AsListed, None, None);
/// let (set, children) = plain_soft_maxn(&tree, 2, &LeafScores, &list, &[Model::Own]);
/// assert_eq!((set.len(), children[0].0.len(), children[1].0.len()), (3, 1, 2));
/// ```
#[allow(clippy::type_complexity, reason = "sets of vectors")]
pub fn plain_soft_maxn<G: Game>(
    game: &G,
    depth: u32,
    evaluator: &impl Evaluator<G>,
    list: &dyn Fn(&G) -> Vec<G::Move>,
    models: &[Model],
) -> (Vec<Vec<f64>>, Vec<(Vec<Vec<f64>>, bool)>) {
    if depth == 0 || game.payoff().is_some() {
        let scores = evaluator.scores(game);
        return (vec![scores.as_slice().iter().map(|&score| score.into()).collect()], Vec::new());
    }
    let children: Vec<Vec<Vec<f64>>> = list(game)
        .into_iter()
        .map(|m| {
            let mut child = game.clone();
            child.play(m);
            plain_soft_maxn(&child, depth - 1, evaluator, list, models).0
        })
        .collect();
    let is_better = |model: Model, better: &[f64], worse: &[f64]| {
        model.worth(better, game.turn(), game.turn()) > model.worth(worse, game.turn(), game.turn()) + 1e-9
    };
    let dominates = |better: &[Vec<f64>], worse: &[Vec<f64>]| {
        models.iter().all(|&model| better.iter().all(|b| worse.iter().all(|w| is_better(model, b, w))))
    };
    let is_possible = |worse: &Vec<Vec<f64>>| !children.iter().any(|better| dominates(better, worse));
    let children: Vec<(Vec<Vec<f64>>, bool)> =
        children.iter().map(|child| (child.clone(), is_possible(child))).collect();
    let possible = children.iter().filter(|(_, is_possible)| *is_possible);
    let mut set: Vec<Vec<f64>> = possible.flat_map(|(child, _)| child.clone()).collect();
    set.sort_by(|a, b| a.partial_cmp(b).expect("scores are numbers"));
    set.dedup();
    (set, children)
}
