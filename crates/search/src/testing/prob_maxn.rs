//! Plain prob-max^n, for comparison with the fast one.

use super::plain::Of;
use crate::soft_maxn::Model;
use crate::{Evaluator, Game, Player};

/// What the plain version of prob-max^n needs to know.
pub struct PlainProb<'a, G: Game> {
    /// The player who searches.
    pub root: Player,
    /// The models of every player, the first of which is the root player's.
    pub models: Vec<Model>,
    /// How likely the models of each player are.
    pub beliefs: Vec<Vec<f64>>,
    /// Lists the moves of a position from left to right.
    pub list: Of<'a, G, Vec<G::Move>>,
}

/// What is stored at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The score of each player.
    pub scores: Vec<f64>,
    /// The utility of each player and model.
    pub utilities: Vec<Vec<f64>>,
}

impl<G: Game> PlainProb<'_, G> {
    /// The value of a position: every utility of every player and model is passed up, and every move of every position is played.
    ///
    /// ```
    /// use nply::testing::{PlainProb, plain_moves};
    /// use nply::{AsListed, Game, Tree, soft_maxn::Model, tree::LeafScores};
    /// let tree: Tree = "(1 (2 9,5 0,2) (2 6,5 4,4))".parse().unwrap();
    /// let plain = PlainProb {
    ///     root: tree.turn(),
    ///     models: vec![Model::Own, Model::Against],
    ///     beliefs: vec![vec![0.5, 0.5]; 2],
    ///     list: Box::new(|game: &Tree| plain_moves(game, &AsListed, None, None)),
    /// };
    /// assert_eq!(plain.value(&tree, 2, &LeafScores).scores, [5.0, 4.5]);
    /// ```
    pub fn value(&self, game: &G, depth: u32, evaluator: &impl Evaluator<G>) -> Stored {
        if depth == 0 || game.payoff().is_some() {
            let scores: Vec<f64> = evaluator.scores(game).as_slice().iter().map(|&score| score.into()).collect();
            let utility = |player, model: &Model| model.worth(&scores, player, self.root);
            let utilities = Player::all(game.player_count())
                .map(|player| self.models.iter().map(|model| utility(player, model)).collect())
                .collect();
            return Stored { scores, utilities };
        }
        let children = self.children(game, depth, evaluator);
        let mover = game.turn().index();
        let count = if game.turn() == self.root { 1 } else { self.models.len() };
        let mut likely = vec![0.0; children.len()];
        for model in 0..count {
            let belief = if game.turn() == self.root { 1.0 } else { self.beliefs[mover][model] };
            for (likely, chosen) in likely.iter_mut().zip(PlainProb::<G>::chosen(&children, mover, model)) {
                *likely += belief * chosen;
            }
        }
        let mean = |number: &dyn Fn(&Stored) -> f64| {
            children.iter().zip(&likely).map(|(child, likely)| likely * number(child)).sum::<f64>()
        };
        let players = 0..game.player_count();
        Stored {
            scores: players.clone().map(|player| mean(&|child| child.scores[player])).collect(),
            utilities: players
                .map(|player| {
                    (0..self.models.len()).map(|model| mean(&|child| child.utilities[player][model])).collect()
                })
                .collect(),
        }
    }

    /// The values of the children of a position.
    pub fn children(&self, game: &G, depth: u32, evaluator: &impl Evaluator<G>) -> Vec<Stored> {
        let value = |m| {
            let mut child = game.clone();
            child.play(m);
            self.value(&child, depth - 1, evaluator)
        };
        (self.list)(game).into_iter().map(value).collect()
    }

    /// How likely a model of a player chooses each child.
    pub fn chosen(children: &[Stored], player: usize, model: usize) -> Vec<f64> {
        let utility = |child: &Stored| child.utilities[player][model];
        let most = children.iter().map(utility).fold(f64::NEG_INFINITY, f64::max);
        let best = children.iter().filter(|child| utility(child) >= most - 1e-9).count() as f64;
        children.iter().map(|child| if utility(child) >= most - 1e-9 { 1.0 / best } else { 0.0 }).collect()
    }
}
