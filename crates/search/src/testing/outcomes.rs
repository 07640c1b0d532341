//! Max^n with every rule for ties at once, for comparison with searches that have their own.

use crate::{ByPlayer, Evaluator, Game, Player, Score};

/// A move that max^n may choose at the root, and the value that it may have there.
pub type Outcome<M> = (M, ByPlayer<Score>);

/// What max^n may choose in a game that is not over, searched to the end of the game: a move and its value for every rule by which
/// players might decide between moves that are equally good for them. `None` if the tree has more than so many nodes, which are counted down.
///
/// A value of a child can be that of its parent if it gives the mover at least as much as the least that each other child can have. Without
/// ties there is one.
///
/// ```
/// use nply::{Tree, testing::plain_outcomes, tree::LeafScores};
/// let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
/// let outcomes = plain_outcomes(&tree, &LeafScores, &|scores, player| scores[player].into(), &mut 10).unwrap();
/// let scores: Vec<(u32, &[i32])> = outcomes.iter().map(|(m, scores)| (*m, scores.as_slice())).collect();
/// // Player 2 is indifferent on the right, and player 1 goes there only if player 2 goes left.
/// assert_eq!(scores, [(1, &[6, 2, 6][..]), (2, &[7, 2, 9])]);
/// ```
pub fn plain_outcomes<G: Game>(
    game: &G,
    evaluator: &impl Evaluator<G>,
    worth: &impl Fn(&ByPlayer<Score>, Player) -> i64,
    nodes: &mut u64,
) -> Option<Vec<Outcome<G::Move>>> {
    let mut moves = Vec::new();
    game.distinct(&mut moves);
    let mut children: Vec<Vec<ByPlayer<Score>>> = Vec::new();
    for &m in &moves {
        *nodes = nodes.checked_sub(1)?;
        let mut child = game.clone();
        child.play(m);
        children.push(match child.payoff() {
            Some(payoff) => vec![evaluator.terminal(&child, &payoff)],
            None => {
                let mut all: Vec<ByPlayer<Score>> = Vec::new();
                for (_, scores) in plain_outcomes(&child, evaluator, worth, nodes)? {
                    if !all.contains(&scores) {
                        all.push(scores);
                    }
                }
                all
            }
        });
    }
    let least = |values: &Vec<ByPlayer<Score>>| values.iter().map(|scores| worth(scores, game.turn())).min();
    let outcomes = moves.iter().zip(&children).enumerate().flat_map(|(place, (&m, values))| {
        let others = children.iter().enumerate().filter(move |&(other, _)| other != place);
        let needed = others.filter_map(|(_, values)| least(values)).max().unwrap_or(i64::MIN);
        values.iter().filter(move |scores| worth(scores, game.turn()) >= needed).map(move |scores| (m, *scores))
    });
    Some(outcomes.collect())
}
