//! Searches whose values are vectors of means or sets of them, against plain versions: what their tests have in common.

mod max_prob;
mod prob_maxn;
mod soft_maxn;

use nply::settings::Choice;
use nply::soft_maxn::Model;
use nply::testing::{HashedOrder, Shape, random_tree};
use nply::{Equals, OrderBy, Parts, Rng, Tree};

const ORDERS: [Option<OrderBy>; 4] = [None, Some(OrderBy::Own), Some(OrderBy::Against), Some(OrderBy::AsListed)];

/// The parts, each singly off and on.
fn all_parts() -> Vec<Parts> {
    let all = Parts { table: 1 << 16, killers: false, history: false, ..Parts::default() };
    vec![
        all,
        Parts { table: 0, ..all },
        Parts { table: 1 << 9, ..all },
        Parts { partial: false, ..all },
        Parts { equals: Equals::Random, ..all },
        Parts { lines: 3, ..all },
        Parts { width: Some(2), ..all },
        Parts { threads: 3, ..all },
    ]
}

/// Calls `compare` with 12,000 random trees, an order, all parts in turn, and a depth.
fn on_random_trees(seed: u64, mut compare: impl FnMut(&Tree, HashedOrder, Parts, u32, &mut Rng)) {
    let mut rng = Rng::new(seed);
    for number in 0..12_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let parts = all_parts()[number % 8];
        // Threads cost more than such a tree.
        let parts = if number % 100 > 7 { Parts { threads: 1, ..parts } } else { parts };
        let order = HashedOrder { ratings: 3, seed: rng.bits() };
        let depth = if rng.below(3) == 0 { 1 + rng.below(4) as u32 } else { 10 };
        compare(&tree, order, parts, depth, &mut rng);
    }
}

fn names(models: &[Model]) -> Vec<String> {
    models.iter().map(|model| model.word().to_string()).collect()
}
