//! What a player maximizes: [`ScoreForm`].

use crate::settings::{Choice, Visitor};
use crate::{Bounds, ByPlayer, Player, Score};

/// What a player maximizes, given the scores of all players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScoreForm {
    /// The player's score less the sum of the others'.
    #[default]
    Difference,
    /// The player's score alone.
    Own,
    /// The player's score less the average, times the number of players. The values of all players sum to zero, so
    /// max^n can prune with any evaluation.
    Relative,
    /// The player's share of the win, by its [chances](crate::chances): for searches whose leaves are shares instead of scores. Of
    /// scores it is the player's own.
    Share,
}

impl Choice for ScoreForm {
    const WORDS: &'static [(ScoreForm, &'static str)] = &[
        (ScoreForm::Difference, "difference"),
        (ScoreForm::Own, "own"),
        (ScoreForm::Relative, "relative"),
        (ScoreForm::Share, "share"),
    ];
}

impl ScoreForm {
    /// Shows a visitor what the root player maximizes in a search against all others.
    pub(crate) fn visit_against(&mut self, v: &mut Visitor<'_>) {
        let about = "what the root player maximizes: its score less the sum of the others', or its score alone";
        v.choice_of("score", self, &[ScoreForm::Difference, ScoreForm::Own], about);
    }

    /// The value of a score vector for a player.
    ///
    /// ```
    /// use nply::{ByPlayer, Player, ScoreForm};
    /// let (scores, player) = (ByPlayer::from_slice(&[6, 2, 6]), Player::new(0));
    /// assert_eq!(ScoreForm::Difference.value(&scores, player), -2);
    /// assert_eq!(ScoreForm::Own.value(&scores, player), 6);
    /// assert_eq!(ScoreForm::Relative.value(&scores, player), 4);
    /// ```
    #[inline]
    pub fn value(self, scores: &ByPlayer<Score>, player: Player) -> i64 {
        let own = i64::from(scores[player]);
        let sum = || scores.as_slice().iter().map(|&score| i64::from(score)).sum::<i64>();
        match self {
            ScoreForm::Difference => 2 * own - sum(),
            ScoreForm::Own | ScoreForm::Share => own,
            ScoreForm::Relative => scores.len() as i64 * own - sum(),
        }
    }

    /// What each player's score is multiplied by in the value of `player`, which is the sum of that.
    ///
    /// ```
    /// use nply::{ByPlayer, Player, ScoreForm};
    /// assert_eq!(ScoreForm::Difference.weights(3, Player::new(0)), ByPlayer::from_slice(&[1, -1, -1]));
    /// assert_eq!(ScoreForm::Own.weights(3, Player::new(0)), ByPlayer::from_slice(&[1, 0, 0]));
    /// assert_eq!(ScoreForm::Relative.weights(3, Player::new(0)), ByPlayer::from_slice(&[2, -1, -1]));
    /// ```
    pub fn weights(self, players: usize, player: Player) -> ByPlayer<i64> {
        ByPlayer::from_fn(players, |other| {
            let unit = ByPlayer::from_fn(players, |each| Score::from(each == other));
            self.value(&unit, player)
        })
    }

    /// The least value of each player and the greatest sum of all values, for scores within `bounds`.
    ///
    /// ```
    /// use nply::{Bounds, ByPlayer, ScoreForm};
    /// let bounds = Bounds { min: ByPlayer::from_slice(&[0, 1, 2]), max_sum: 10 };
    /// assert_eq!(ScoreForm::Difference.bounds(&bounds), (ByPlayer::from_slice(&[-10, -8, -6]), -3));
    /// assert_eq!(ScoreForm::Own.bounds(&bounds), (ByPlayer::from_slice(&[0, 1, 2]), 10));
    /// assert_eq!(ScoreForm::Relative.bounds(&bounds), (ByPlayer::from_slice(&[-10, -7, -4]), 0));
    /// ```
    #[inline]
    pub fn bounds(self, bounds: &Bounds) -> (ByPlayer<i64>, i64) {
        let (min, sum) = (bounds.min.map(i64::from), i64::from(bounds.max_sum));
        let players = min.len() as i64;
        match self {
            // The values sum to 2 - n times the sum of the scores: the most where the scores are the least.
            ScoreForm::Difference => (min.map(|min| 2 * min - sum), (2 - players) * min.sum()),
            ScoreForm::Own | ScoreForm::Share => (min, sum),
            ScoreForm::Relative => (min.map(|min| players * min - sum), 0),
        }
    }
}
