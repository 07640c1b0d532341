//! Max^n whose values are no leaf's: ties that are averaged, and leaves that are shares of the win.

use super::{MaxnSettings, Ties};
use crate::vectors::{Children, EQUAL, Leaves, Rule};
use crate::{ByPlayer, Player, ScoreForm};

/// What players choose, and what becomes of several children that are equally good for the mover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means {
    pub(crate) ties: Ties,
    pub(crate) score: ScoreForm,
    /// The root player.
    pub(crate) root: Player,
    /// The player whose number the root player minimizes, instead of maximizing its own.
    pub(crate) target: Option<Player>,
}

impl Means {
    pub(crate) fn new(settings: &MaxnSettings, root: Player) -> Means {
        Means { ties: settings.ties, score: settings.score, root, target: None }
    }

    /// What a value is worth to a player.
    fn worth(&self, value: &[f64], player: Player) -> f64 {
        if let Some(target) = self.target.filter(|_| player == self.root) {
            return -value[target.index()];
        }
        let own = value[player.index()];
        let sum = || value.iter().sum::<f64>();
        match self.score {
            ScoreForm::Difference => 2.0 * own - sum(),
            ScoreForm::Own | ScoreForm::Share => own,
            ScoreForm::Relative => value.len() as f64 * own - sum(),
        }
    }
}

/// The leaves that a score form needs.
pub(crate) fn leaves(score: ScoreForm) -> Leaves {
    match score {
        ScoreForm::Difference | ScoreForm::Own | ScoreForm::Relative => Leaves::Scores,
        ScoreForm::Share => Leaves::Shares,
    }
}

impl Rule for Means {
    fn leaf(&self, scores: &ByPlayer<f64>, out: &mut Vec<f64>) {
        out.extend_from_slice(scores.as_slice());
    }

    fn combine(&self, mover: Player, _is_root: bool, children: &Children<'_>, out: &mut Vec<f64>) -> usize {
        let worth = |at: usize| self.worth(children.value(at), mover);
        let most = (0..children.len()).map(worth).fold(f64::NEG_INFINITY, f64::max);
        let best = || (0..children.len()).filter(|&at| worth(at) >= most - EQUAL);
        let first = best().next().expect("the best child is one of them");
        match self.ties {
            Ties::Left => out.extend_from_slice(children.value(first)),
            Ties::Cautious => {
                let left = |at: usize| self.worth(children.value(at), self.root);
                let least = best().map(left).fold(f64::INFINITY, f64::min);
                let chosen = best().find(|&at| left(at) <= least + EQUAL).unwrap_or(first);
                out.extend_from_slice(children.value(chosen));
                return chosen;
            }
            Ties::Average => {
                let from = out.len();
                out.extend_from_slice(children.value(first));
                let mut count = 1.0;
                for at in best().skip(1) {
                    out[from..].iter_mut().zip(children.value(at)).for_each(|(sum, number)| *sum += number);
                    count += 1.0;
                }
                out[from..].iter_mut().for_each(|sum| *sum /= count);
            }
        }
        first
    }

    fn scores(&self, value: &[f64]) -> ByPlayer<f64> {
        ByPlayer::from_slice(value)
    }
}
