//! What is special to Spades: its points, the weight of a hand, and the rating of moves.

use nply::Player;

use super::eval::weigh;
use super::order::{Fate, Scene};
use super::{Card, Hand, Suit, Tricks};

/// A trick is one point, whatever is in it.
#[inline]
pub(super) fn points(_trick: Hand) -> usize {
    1
}

/// The weight of a player in the forecast of what is still open, before it is made positive.
///
/// Fitted, by least squares of the tricks taken in the end, to 15,000 positions of games played by [`Order`](super::Order)
/// with a random move in twelve.
#[inline]
pub(super) fn weight(game: &Tricks, player: usize) -> i32 {
    const TRUMPS: [i32; 6] = [13, 11, 9, 8, 7, 6];
    const OTHERS: [i32; 6] = [5, 2, 1, 0, 0, 0];
    let hand = game.hands[player];
    let others = game.held() & !hand;
    weigh(hand, others, Suit::Spades, &TRUMPS)
        + weigh(hand, others, Suit::Hearts, &OTHERS)
        + weigh(hand, others, Suit::Diamonds, &OTHERS)
        + weigh(hand, others, Suit::Clubs, &OTHERS)
        - 8
}

/// The cheapest card that wins, else the cheapest; or the cheapest that keeps the trick from a player.
#[inline]
pub(super) fn rate(scene: &Scene, card: Card) -> i32 {
    let cost = scene.height(card) + if card.suit() == Suit::Spades { 13 } else { 0 };
    let good = match scene.victim {
        Some(victim) => foils(scene, victim, card),
        None => scene.fate(card) == Fate::Wins,
    };
    if good { 1000 - cost } else { -cost }
}

/// Whether the card keeps the trick from a player who might win it: it beats that player's card, or the player cannot beat it.
fn foils(scene: &Scene, victim: Player, card: Card) -> bool {
    let game = scene.game;
    match scene.holder {
        Some((_, best)) if !game.rules.beats(card, best) => false,
        Some((holder, _)) if game.laid_by(victim).is_some() => holder == victim,
        _ => !game.rules.can_beat(game.hand(victim), scene.led(card), card),
    }
}
