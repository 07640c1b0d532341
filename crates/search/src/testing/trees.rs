//! Random trees for comparing searches.

use std::fmt::Write;

use crate::{Player, Rng, Score, Tree};

/// The shape of a random tree.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Number of players.
    pub players: usize,
    /// The greatest number of plies to a leaf.
    pub height: u32,
    /// The greatest number of children of a node.
    pub width: usize,
    /// Scores are from 0 to this: the fewer there are, the more ties.
    pub most: Score,
    /// Whether the scores of every leaf sum to `most`.
    pub constant_sum: bool,
    /// Whether any player may be next to move, including the same one; otherwise they take turns.
    pub any_turn: bool,
}

impl Shape {
    /// A random shape for 2 to 6 players, small enough for tens of thousands of trees.
    pub fn random(rng: &mut Rng) -> Shape {
        let width = 2 + rng.below(3);
        Shape {
            players: 2 + rng.below(5),
            height: 1 + rng.below(if width == 2 { 7 } else { 5 }) as u32,
            width,
            most: 1 + rng.below(8) as Score,
            constant_sum: rng.below(2) == 0,
            any_turn: rng.below(2) == 0,
        }
    }
}

/// A random tree: uneven, with leaves at any depth.
///
/// ```
/// use nply::testing::{Shape, check_game, random_tree};
/// let mut rng = nply::Rng::new(1);
/// let shape = Shape { players: 3, height: 4, width: 3, most: 5, constant_sum: true, any_turn: true };
/// let tree = random_tree(&mut rng, shape);
/// assert!(tree.height() <= 4);
/// check_game(&tree, 10);
/// ```
pub fn random_tree(rng: &mut Rng, shape: Shape) -> Tree {
    let mut text = String::new();
    let first = Player::new(rng.below(shape.players));
    grow(rng, &shape, first, shape.height, &mut text);
    let sum = if shape.constant_sum { shape.most } else { shape.most * shape.players as Score };
    Tree::parse(&text, Some(shape.players), Some(sum)).expect("a tree as text")
}

fn grow(rng: &mut Rng, shape: &Shape, mover: Player, height: u32, text: &mut String) {
    // The root is an inner node; below it one node in six is an early leaf.
    if height == 0 || (height < shape.height && rng.below(6) == 0) {
        leaf(rng, shape, text);
        return;
    }
    write!(text, "({mover}").expect("text grows");
    for _ in 0..1 + rng.below(shape.width) {
        text.push(' ');
        let next = if shape.any_turn { Player::new(rng.below(shape.players)) } else { mover.next(shape.players) };
        grow(rng, shape, next, height - 1, text);
    }
    text.push(')');
}

fn leaf(rng: &mut Rng, shape: &Shape, text: &mut String) {
    let mut scores = vec![0; shape.players];
    if shape.constant_sum {
        for _ in 0..shape.most {
            scores[rng.below(shape.players)] += 1;
        }
    } else {
        scores.fill_with(|| rng.below(shape.most as usize + 1) as Score);
    }
    let texts: Vec<String> = scores.iter().map(Score::to_string).collect();
    text.push_str(&texts.join(","));
}
