//! Decisions that were written down: the same seed and settings give the same decisions in every version.

use super::*;
use crate::testing::{HashedOrder, HashedScores, Track};
use crate::tree::LeafScores;
use crate::{AsListed, Tree, settings};

/// Two decisions of a game, the second with the tree of the first: nodes, move and value.
fn decisions<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(game: &G, mut mcts: Mcts<G, E, O>, text: &str) -> String {
    settings::read(&mut mcts.settings, text).unwrap();
    let first = mcts.choose(game, &Budget::playouts(300));
    let mut next = game.clone();
    next.play(first.m);
    let second = mcts.choose(&next, &Budget::nodes(3000));
    let show = |d: &Decision<G::Move>| format!("{} {:?} {:.4}", d.nodes, d.m, d.value.unwrap());
    format!("{}, {}", show(&first), show(&second))
}

#[test]
fn decisions_on_a_track_are_those_of_earlier_versions() {
    let mut track = Track::new(4, 5);
    (track.length, track.odd) = (60, true);
    for (text, expected) in ON_A_TRACK {
        let mcts = Mcts::out_of_turn(HashedScores { most: 9, seed: 2 }, HashedOrder { ratings: 3, seed: 1 }, 7);
        assert_eq!(decisions(&track, mcts, text), *expected, "{text}");
    }
}

#[test]
fn decisions_in_a_tree_are_those_of_earlier_versions() {
    let tree: Tree = "(1 (2 (3 5,1,4 2,2,6 (1 1,9,0 9,0,1)) (3 (1 3,3,4 0,6,4) 6,2,2)) \
                      (3 (2 (1 5,5,0 0,5,5) (3 2,8,0 8,1,1)) (1 4,4,2 2,7,1)))"
        .parse()
        .unwrap();
    for (text, expected) in IN_A_TREE {
        assert_eq!(decisions(&tree, Mcts::new(LeafScores, AsListed, 7), text), *expected, "{text}");
    }
}

const ON_A_TRACK: &[(&str, &str)] = &[
    ("", "37475 1 0.3800, 3000 5 0.5029"),
    ("c=1", "32508 1 0.4037, 3000 5 0.5333"),
    ("w=0", "31394 3 0.4538, 3000 1 0.5434"),
    ("epsilon=0.5", "27676 4 0.4722, 3000 4 0.5779"),
    ("k=2,playout=maxn", "44546 1 0.3944, 3000 5 0.4853"),
    ("playout=random", "9373 3 0.5207, 3000 1 0.4070"),
    ("playout=move", "10887 4 0.5069, 3000 4 0.5394"),
    ("playout=maxn", "139234 3 0.3464, 3000 1 0.5794"),
    ("playout=paranoid", "80276 1 0.4375, 3000 5 0.4000"),
    ("playout=brs", "167747 4 0.3206, 3000 4 0.4059"),
    ("policy=paranoid", "35989 1 0.4025, 3000 4 0.6667"),
    ("policy=brs", "25653 1 0.5189, 3000 5 0.5000"),
    ("playout=brs,policy=brs", "132667 1 0.3764, 3000 2 1.0000"),
    ("playout=paranoid,policy=paranoid", "88537 1 0.3901, 3000 4 0.0000"),
    ("solver=paranoid,playout=random", "9373 3 0.5207, 3000 1 0.4483"),
    ("solver=first-winner,playout=random", "9373 3 0.5207, 3000 1 0.4070"),
    ("solver=off,playout=move", "9361 4 0.3056, 3000 4 0.4891"),
    ("cutoff=0", "1241 4 0.3014, 3000 2 0.2470"),
    ("cutoff=7,playout=random", "2947 2 0.2721, 3000 1 0.3314"),
    ("killers=no,playout=paranoid", "91756 1 0.3636, 3000 4 0.3333"),
    ("killers=no,playout=brs", "177428 4 0.4069, 3000 4 0.4848"),
    ("first=random", "29113 3 0.3738, 3000 1 0.6190"),
    ("ties=random", "35996 1 0.4605, 3000 5 0.4145"),
    ("ties=random,playout=paranoid", "83619 3 0.4013, 3000 1 0.6000"),
    ("score=difference", "39648 1 0.3333, 3000 5 0.5441"),
    ("score=own,playout=maxn", "168241 1 0.4000, 3000 5 0.3684"),
    ("reuse=no", "37475 1 0.3800, 3000 5 0.3750"),
    ("memory=1M,playout=random", "9373 3 0.5207, 3000 1 0.4070"),
];

const IN_A_TREE: &[(&str, &str)] = &[
    ("", "941 2 0.5052, 3000 1 0.0003"),
    ("w=0,c=0.7", "1073 2 0.4982, 3000 1 0.0003"),
    ("policy=paranoid", "776 2 0.4983, 26 1 0.0000"),
    ("solver=paranoid", "148 2 0.0000, 1873 1 0.0005"),
    ("solver=first-winner", "148 2 0.5000, 0 1 0.0000"),
    ("solver=off,playout=random,c=1", "1077 2 0.4484, 3000 1 0.0125"),
    ("solver=off,playout=maxn", "1138 2 0.4825, 3000 1 0.0041"),
    ("cutoff=1,solver=off", "1104 2 0.4846, 3000 1 0.0044"),
];
