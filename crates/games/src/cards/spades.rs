//! What only Spades has: its points, what a hand is worth, and the order of its moves.

use nply::{Game, Player, Stance};

use super::order::{Fate, fate, height};
use super::{Card, Hand, Suit, Tricks};

/// A trick is one point, whatever is in it.
#[inline]
pub(super) fn points(_trick: Hand) -> usize {
    1
}

/// How many tricks each player may expect: high cards, and trumps of any height.
pub(super) fn strengths(game: &Tricks) -> [u32; 4] {
    let mut strengths = [1; 4];
    for suit in Suit::ALL {
        let factor = if suit == Suit::Spades { 2 } else { 1 };
        super::eval::add_high_cards(game, suit, factor, &mut strengths);
    }
    for (strength, hand) in strengths.iter_mut().zip(game.hands) {
        *strength += 6 * hand.of(Suit::Spades).len() as u32;
    }
    strengths
}

/// The cheapest card that wins, else the cheapest.
pub(super) fn rate(game: &Tricks, stance: Stance, card: Card) -> i32 {
    let cost = height(card) + if card.suit() == Suit::Spades { 13 } else { 0 };
    let good = match stance {
        Stance::Against(victim) if victim != game.turn() => foils(game, victim, card),
        _ => fate(game, card) == Fate::Wins,
    };
    if good { 1000 - cost } else { -cost }
}

/// Whether the card keeps the trick from a player who might have it: it beats the player's, or the player cannot beat it.
fn foils(game: &Tricks, victim: Player, card: Card) -> bool {
    if fate(game, card) == Fate::Loses {
        return false;
    }
    if game.laid_by(victim).is_some() {
        return game.holder().is_some_and(|(holder, _)| holder == victim);
    }
    let led = game.table().first().unwrap_or(&card).suit();
    !game.kind.can_beat(game.hand(victim), led, card)
}
