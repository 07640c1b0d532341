//! Plain implicit backups, for comparison with those that are made after every simulation.

use super::plain::Of;
use crate::{Game, Player};

/// What the plain version of implicit backups needs to know.
pub struct PlainImplicit<'a, G: Game> {
    /// The numbers of a position as it stands, one for each player.
    pub leaf: Of<'a, G, Vec<f64>>,
    /// How good such numbers are for a player.
    pub worth: &'a dyn Fn(&[f64], Player) -> f64,
    /// The moves that have been listed after a sequence of moves, in their order; `None` where none have been.
    #[allow(clippy::type_complexity, reason = "a function")]
    pub listed: &'a dyn Fn(&[G::Move]) -> Option<Vec<G::Move>>,
}

impl<G: Game> PlainImplicit<'_, G> {
    /// The implicit vector of a position that is reached by a sequence of moves: that of the child that is best for the mover, the first
    /// of equals, or its own numbers where no children have been listed.
    ///
    /// ```
    /// use nply::testing::{PlainImplicit, plain_leaf, plain_worth};
    /// use nply::{ScoreForm, Tree, tree::LeafScores};
    /// let tree: Tree = "(1 (2 9,0,0 0,9,0) (2 5,5,0 0,0,1))".parse().unwrap();
    /// let sixths = |inner: &[&[u32]]| -> Vec<f64> {
    ///     let listed = |path: &[u32]| inner.contains(&path).then(|| vec![1, 2]);
    ///     let leaf = Box::new(|game: &Tree| plain_leaf(game, &LeafScores, ScoreForm::Share));
    ///     let worth = |value: &[f64], player| plain_worth(value, ScoreForm::Own, player);
    ///     let plain = PlainImplicit { leaf, worth: &worth, listed: &listed };
    ///     plain.vector(&tree, &mut Vec::new()).iter().map(|share| (share * 6.0).round()).collect()
    /// };
    /// // Nothing is known of inner nodes, where everybody has a third.
    /// assert_eq!(sixths(&[&[]]), [2.0, 2.0, 2.0]);
    /// // On the right player 2 will take the half. On the left it will win, so player 1 will go right.
    /// assert_eq!(sixths(&[&[], &[2]]), [3.0, 3.0, 0.0]);
    /// assert_eq!(sixths(&[&[], &[1]]), [2.0, 2.0, 2.0]);
    /// assert_eq!(sixths(&[&[], &[1], &[2]]), [3.0, 3.0, 0.0]);
    /// ```
    pub fn vector(&self, game: &G, path: &mut Vec<G::Move>) -> Vec<f64> {
        let Some(moves) = (self.listed)(path) else { return (self.leaf)(game) };
        let below = |m| {
            let mut child = game.clone();
            child.play(m);
            path.push(m);
            let vector = self.vector(&child, path);
            path.pop();
            vector
        };
        let vectors: Vec<Vec<f64>> = moves.into_iter().map(below).collect();
        let worth = |vector: &Vec<f64>| (self.worth)(vector, game.turn());
        vectors.into_iter().reduce(|a, b| if worth(&b) > worth(&a) { b } else { a }).expect("a node has children")
    }
}
