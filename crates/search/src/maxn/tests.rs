//! What must hold of max^n.

use super::*;
use crate::testing::{AllEqual, Shape, Uniform, plain_maxn, random_tree};
use crate::tree::LeafScores;
use crate::{AsListed, Bounds, Notation, Order, Player, Rng, Tree, mix};

const PRUNINGS: [Pruning; 5] =
    [Pruning::None, Pruning::Shallow, Pruning::Bound, Pruning::LastBranch, Pruning::Speculative];
const FORMS: [ScoreForm; 3] = [ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative];

/// Max^n with a pruning and without a table.
fn maxn<E>(evaluator: E, pruning: Pruning, mu: Score) -> Maxn<E, AsListed> {
    let mut maxn = Maxn::new(evaluator, AsListed);
    (maxn.pruning, maxn.mu, maxn.parts) = (pruning, mu, Parts::plain());
    maxn
}

/// One iteration: the value, the line and the nodes.
fn iteration<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    maxn: &Maxn<E, O>,
    game: &G,
    depth: u32,
) -> ((ByPlayer<Score>, Vec<G::Move>), u64) {
    let (mut table, mut meter) = (Table::new(0), Meter::new(&Budget::default()));
    let mut search = Search::new(maxn, game, &mut table, &mut meter);
    let scores = search.run(&mut game.clone(), depth).unwrap();
    let line = search.line().to_vec();
    ((scores, line), meter.nodes())
}

fn listed<G: Game>(game: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}

/// Plain max^n with ties to the left.
fn plain<G: Game>(
    game: &G,
    depth: u32,
    evaluator: &impl Evaluator<G>,
    form: ScoreForm,
) -> (ByPlayer<Score>, Vec<G::Move>) {
    plain_maxn(game, depth, evaluator, &listed, &|scores, player| form.value(scores, player))
}

#[test]
fn every_pruning_equals_plain_maxn_on_random_trees() {
    let mut rng = Rng::new(2003);
    let mut nodes = [[0; PRUNINGS.len()]; 2];
    let mut worse = 0;
    for count in 0..100_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        for form in [ScoreForm::Own, FORMS[count % 3]] {
            let expected = plain(&tree, tree.height(), &LeafScores, form);
            for (mu, nodes) in nodes.iter_mut().enumerate() {
                let mut visited = [0; PRUNINGS.len()];
                for (index, pruning) in PRUNINGS.into_iter().enumerate() {
                    let mut maxn = maxn(LeafScores, pruning, mu as Score);
                    maxn.score = form;
                    let (found, visits) = iteration(&maxn, &tree, tree.height());
                    assert_eq!(found, expected, "{pruning:?}, mu={mu}, {form:?}: {} of {shape:?}", tree.to_text());
                    visited[index] = visits;
                    nodes[index] += visits;
                }
                // Without a search again a pruning leaves nodes out and never adds any.
                assert!(visited.is_sorted_by(|a, b| a >= b) || visited[4] > visited[3], "{}", tree.to_text());
                worse += u32::from(visited[4] > visited[0]);
            }
        }
    }
    println!("{nodes:?} {worse}");
    panic!();
}
