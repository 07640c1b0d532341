//! The games, each with its options and how its parts are made.

use std::sync::Arc;

use nply::tree::{LeafScores, MAX_SCORE};
use nply::{AsListed, Budget, Score, Tree};

use super::{AnyEntry, Entry, GameInfo, game};
use crate::error::Error;
use crate::spec::{Kind, OptionInfo, Options, Spec};

/// Every game, in the order of listings.
pub(super) fn all() -> Vec<Arc<dyn AnyEntry>> {
    vec![game(tree())]
}

fn tree() -> Entry<Tree, LeafScores, AsListed> {
    const SUM: OptionInfo = OptionInfo {
        key: "sum",
        kind: Kind::Whole { min: 0, max: 6 * MAX_SCORE as u64, or: Some("largest") },
        default: "largest",
        about: "the greatest sum of scores; by default the largest among the leaves",
    };
    Entry {
        info: GameInfo {
            name: "tree",
            about: "a game drawn by hand: `(P child …)` is player P's move, a leaf is one score per player",
            players: &[2, 3, 4, 5, 6],
            usual: 3,
            options: &[SUM],
            evals: &[("leaves", "the scores of the leaves")],
            order_options: &[],
            is_out_of_turn: false,
        },
        start: start_tree,
        eval: |_, _| Ok(LeafScores),
        order: |_| AsListed,
        noise: 0,
        refuse: refuse_half_trees,
    }
}

/// The tree of figure 2 in the pruning paper, with a score of 0 for every further player.
fn start_tree(players: usize, options: &Options, _seed: u64) -> Tree {
    let leaf = |scores: [Score; 3]| {
        let all = scores.iter().chain(&[0; 3]).take(players).map(Score::to_string);
        all.collect::<Vec<String>>().join(",")
    };
    let text = format!("(1 {} (2 {} {}))", leaf([5, 4, 1]), leaf([4, 6, 0]), leaf([0, 5, 5]));
    let sum = options.whole("sum").map(|sum| sum as Score);
    let drawn = Tree::parse(&text, Some(players), sum);
    // A sum below this tree's can only go with another position; that is read with the sum as it was said.
    drawn.unwrap_or_else(|_| Tree::parse(&vec!["0"; players].join(","), Some(players), sum).expect("zeros fit any sum"))
}

fn refuse_half_trees(game: &Tree, agent: &Spec, budget: &Budget) -> Result<(), Error> {
    let height = game.height();
    if agent.name == "greedy" && height > 1 {
        return Err(Error::failed("greedy looks one ply ahead, and inner nodes of a tree have no scores"));
    }
    match budget.depth {
        Some(depth) if depth < height => {
            Err(Error::failed(format!("inner nodes of a tree have no scores, and depth {depth} ends there"))
                .help(format!("search this tree with --depth {height}")))
        }
        _ => Ok(()),
    }
}
