//! What only Hearts has: its points, what a hand fears, and the order of its moves.

use nply::{Game, Player, Stance};

use super::order::{Fate, fate, height};
use super::{Card, Hand, Suit, Tricks};

/// The points of cards: one for each heart, 13 for the queen of spades.
#[inline]
pub(super) fn points(cards: Hand) -> usize {
    cards.of(Suit::Hearts).len() + 13 * usize::from(cards.contains(Card::QUEEN))
}

/// How much each player must expect to take: high cards take tricks.
pub(super) fn strengths(game: &Tricks) -> [u32; 4] {
    let queen = game.held().contains(Card::QUEEN);
    let mut strengths = [1; 4];
    for suit in Suit::ALL {
        let factor = match suit {
            Suit::Hearts => 3,
            Suit::Spades if queen => 4,
            _ => 1,
        };
        super::eval::add_high_cards(game, suit, factor, &mut strengths);
    }
    strengths
}

/// The highest card that loses, the queen of spades before all.
pub(super) fn rate(game: &Tricks, stance: Stance, card: Card) -> i32 {
    match stance {
        Stance::Against(victim) if victim != game.turn() => harm(game, victim, card),
        _ => own(game, card),
    }
}

/// The own good: keep out of tricks, and get rid of what takes them later.
fn own(game: &Tricks, card: Card) -> i32 {
    let queen = card == Card::QUEEN;
    match fate(game, card) {
        Fate::Loses if queen => 2000,
        // A discard: what may take the queen, then hearts, then high cards.
        Fate::Loses if game.table()[0].suit() != card.suit() => {
            let catches = card.tops(Card::QUEEN) && (game.held() | game.laid_cards()).contains(Card::QUEEN);
            let first = if catches { 400 } else { 200 * i32::from(card.suit() == Suit::Hearts) };
            1000 + first + height(card)
        }
        Fate::Loses => 1000 + height(card),
        _ if queen => -1000,
        // Low, in the hope that somebody goes higher.
        Fate::Open => 500 - height(card),
        // The trick is taken anyway: with a card that would take another.
        Fate::Wins if game.laid > 0 => height(card),
        Fate::Wins => -height(card),
    }
}

/// A player's harm: points to a trick that is the player's, none to any other.
fn harm(game: &Tricks, victim: Player, card: Card) -> i32 {
    let own = own(game, card);
    let points = points(Hand::from_iter([card])) as i32;
    match game.holder() {
        Some((holder, _)) if holder == victim => match fate(game, card) {
            Fate::Loses => own + 10_000 + 1000 * points,
            _ => own - 1000 * self::points(game.laid_cards()) as i32,
        },
        Some(_) if game.laid_by(victim).is_some() => own - 1000 * points,
        _ => own,
    }
}
