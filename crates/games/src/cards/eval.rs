//! The evaluation: what has been taken, and a forecast of what will be.

use nply::{Bounds, ByPlayer, Evaluator, Game, Score};

use super::order::favorite;
use super::{Hand, Rules, Suit, Tricks, hearts, spades};

/// Points taken so far, plus a forecast from the cards held.
///
/// In Spades a score is the tricks taken. In Hearts it is the points in play less those taken, where the points in
/// play are those taken and those of the cards in hands and on the table: 26 in a full deal, 25 or 13 if the card left out
/// counts, fewer in a small deal. The forecast shares out exactly the points still open, so all scores of a position and of
/// its successors have the same sum: the tricks of the deal, or the points in play times the number of players less one. The
/// current trick is first played to its end by the first cards of [`Order`](super::Order); what is then open is shared by
/// the high cards held.
///
/// There is no random factor: scores are few and exact, and noise would blur the sum that pruning relies on; deals make games
/// differ anyway.
#[derive(Clone, Copy, Debug, Default)]
pub struct Eval;

impl Tricks {
    /// The points, or tricks, that can still be taken.
    #[inline]
    fn open(&self) -> usize {
        match self.rules {
            Rules::Hearts => hearts::points(self.held() | self.laid_cards()),
            Rules::Spades => self.tricks_left(),
        }
    }

    /// The scores of players who have taken, or are forecast to take, so many points or tricks.
    #[inline]
    fn scores(&self, taken: [u32; 4]) -> ByPlayer<Score> {
        let taken = ByPlayer::from_fn(self.players as usize, |player| taken[player.index()] as Score);
        match self.rules {
            Rules::Hearts => {
                let all = taken.sum();
                taken.map(|points| all - points)
            }
            Rules::Spades => taken,
        }
    }
}

impl Evaluator<Tricks> for Eval {
    /// What is certain: in Spades the tricks taken, in Hearts the points that others have taken.
    fn bounds(&self, game: &Tricks) -> Bounds {
        let min = game.scores(game.taken.map(u32::from));
        let shares = match game.rules {
            Rules::Hearts => game.players as usize - 1,
            Rules::Spades => 1,
        };
        Bounds { min, max_sum: min.sum() + (shares * game.open()) as Score }
    }

    fn evaluate(&self, game: &Tricks) -> ByPlayer<Score> {
        if game.laid > 0 {
            return self.scores(&finish_trick(game));
        }
        let mut taken = game.taken.map(u32::from);
        let players = game.players as usize;
        let mut weights = [1; 4];
        for (player, weight) in weights[..players].iter_mut().enumerate() {
            let fitted = match game.rules {
                Rules::Hearts => hearts::weight(game, player),
                Rules::Spades => spades::weight(game, player),
            };
            *weight = fitted.max(1) as u32;
        }
        share_out(game.open() as u32, &weights[..players], &mut taken[..players]);
        game.scores(taken)
    }

    /// The exact final scores.
    fn terminal(&self, game: &Tricks, _: &ByPlayer<f32>) -> ByPlayer<Score> {
        game.scores(game.taken.map(u32::from))
    }
}

/// The position after the current trick, if everybody plays the first card of the ordering.
fn finish_trick(game: &Tricks) -> Tricks {
    let mut game = game.clone();
    while game.laid > 0 {
        let Some(card) = favorite(&game) else { break };
        game.play_unkeyed(card);
    }
    game
}

/// The weight of a player's cards of a suit in the forecast: `worth` by the number of higher cards that the others hold, the
/// last entry for five or more.
#[inline]
pub(super) fn weigh(hand: Hand, others: Hand, suit: Suit, worth: &[i32; 6]) -> i32 {
    hand.of(suit).iter().map(|card| worth[(others & Hand::above(card)).len().min(5)]).sum()
}

/// Adds whole shares of `open` in proportion to the weights: what rounding down leaves over goes to the largest remainders,
/// the first of equals.
#[inline]
fn share_out(open: u32, weights: &[u32], taken: &mut [u32]) {
    let all: u32 = weights.iter().sum();
    let mut remainders = [0; 4];
    let mut left = open;
    for (index, &weight) in weights.iter().enumerate() {
        let share = open * weight / all;
        taken[index] += share;
        left -= share;
        remainders[index] = open * weight % all + 1;
    }
    for _ in 0..left {
        let mut most = 0;
        for index in 1..weights.len() {
            if remainders[index] > remainders[most] {
                most = index;
            }
        }
        taken[most] += 1;
        remainders[most] = 0;
    }
}
