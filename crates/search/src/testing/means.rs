//! Plain Max-Prob, for comparison with the fast one.

use super::plain::Of;
use crate::{Evaluator, Game, Player, ScoreForm, Ties};

/// Numbers within this are equal.
const EQUAL: f64 = 1e-9;

/// How good numbers are for a player.
type Worth<'a> = Box<dyn Fn(&[f64], Player) -> f64 + 'a>;

/// What the plain version of a search that averages needs to know.
pub struct PlainMeans<'a, G: Game> {
    /// The player who searches.
    pub root: Player,
    /// The numbers of a position as it stands, one for each player.
    pub leaf: Of<'a, G, Vec<f64>>,
    /// Lists the moves of a position from left to right.
    pub list: Of<'a, G, Vec<G::Move>>,
    /// How good such numbers are for a player.
    pub worth: Worth<'a>,
    /// What becomes of several children that are equally good.
    pub ties: Ties,
}

impl<G: Game> PlainMeans<'_, G> {
    /// The value of a position, and the number of the move that is expected, if there is one: every move of every position is played.
    ///
    /// ```
    /// use nply::testing::{PlainMeans, plain_moves, plain_leaf, plain_worth};
    /// use nply::{AsListed, Game, ScoreForm, Ties, Tree, tree::LeafScores};
    /// let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
    /// let plain = PlainMeans {
    ///     root: tree.turn(),
    ///     leaf: Box::new(|game: &Tree| plain_leaf(game, &LeafScores, ScoreForm::Own)),
    ///     list: Box::new(|game: &Tree| plain_moves(game, &AsListed, None, None)),
    ///     worth: Box::new(|value, player| plain_worth(value, ScoreForm::Own, player)),
    ///     ties: Ties::Average,
    /// };
    /// assert_eq!(plain.value(&tree, 2), (vec![6.0, 2.0, 5.5], Some(0)));
    /// ```
    pub fn value(&self, game: &G, depth: u32) -> (Vec<f64>, Option<usize>) {
        if depth == 0 || game.payoff().is_some() {
            return ((self.leaf)(game), None);
        }
        let children: Vec<Vec<f64>> = (self.list)(game)
            .into_iter()
            .map(|m| {
                let mut child = game.clone();
                child.play(m);
                self.value(&child, depth - 1).0
            })
            .collect();
        let worths: Vec<f64> = children.iter().map(|value| (self.worth)(value, game.turn())).collect();
        let most = worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best: Vec<usize> = (0..children.len()).filter(|&at| worths[at] >= most - EQUAL).collect();
        match self.ties {
            Ties::Left => (children[best[0]].clone(), Some(best[0])),
            Ties::Cautious => {
                let left = |at: usize| (self.worth)(&children[at], self.root);
                let least = best.iter().map(|&at| left(at)).fold(f64::INFINITY, f64::min);
                let chosen = *best.iter().find(|&&at| left(at) <= least + EQUAL).expect("the least is among them");
                (children[chosen].clone(), Some(chosen))
            }
            Ties::Average => {
                let mean = |player: usize| best.iter().map(|&at| children[at][player]).sum::<f64>() / best.len() as f64;
                ((0..game.player_count()).map(mean).collect(), Some(best[0]))
            }
        }
    }
}

/// The numbers of a position as it stands: scores, or shares of the win.
pub fn plain_leaf<G: Game>(game: &G, evaluator: &impl Evaluator<G>, score: ScoreForm) -> Vec<f64> {
    if score != ScoreForm::Share {
        return evaluator.scores(game).as_slice().iter().map(|&score| score.into()).collect();
    }
    if let Some(payoff) = game.payoff() {
        return payoff.as_slice().iter().map(|&share| share.into()).collect();
    }
    match evaluator.chances(game) {
        Some(chances) => chances.as_slice().to_vec(),
        None => evaluator.shares(game).as_slice().iter().map(|&share| share.into()).collect(),
    }
}

/// What numbers are worth to a player under a score form.
pub fn plain_worth(value: &[f64], score: ScoreForm, player: Player) -> f64 {
    let (own, sum) = (value[player.index()], value.iter().sum::<f64>());
    match score {
        ScoreForm::Own | ScoreForm::Share => own,
        ScoreForm::Difference => own - (sum - own),
        ScoreForm::Relative => value.len() as f64 * own - sum,
    }
}
