//! What is special to Hearts: its points, the weight of a hand, and the rating of moves.

use nply::Player;

use super::eval::weigh;
use super::order::{Fate, Scene};
use super::{Card, Hand, Suit, Tricks};

/// The points of cards: one for each heart, 13 for the queen of spades.
#[inline]
pub(super) fn points(cards: Hand) -> usize {
    cards.of(Suit::Hearts).len() + 13 * usize::from(cards.contains(Card::QUEEN))
}

/// The weight of a player in the forecast of what is still open, before it is made positive.
///
/// Fitted, by least squares of the points taken in the end, to 15,000 positions of games played by [`Order`](super::Order)
/// with a random move in twelve.
#[inline]
pub(super) fn weight(game: &Tricks, player: usize) -> i32 {
    const HEARTS: [i32; 6] = [11, 7, 6, 3, 1, -2];
    const SPADES_WITH_QUEEN: [i32; 6] = [9, 4, 2, 2, 0, 0];
    const OTHERS: [i32; 6] = [10, 7, 5, 4, 3, 3];
    let hand = game.hands[player];
    let others = game.held() & !hand;
    let queen = (hand | others).contains(Card::QUEEN);
    let spades = if queen { &SPADES_WITH_QUEEN } else { &OTHERS };
    // The more spades go with it, the safer the queen is.
    let own_queen = if hand.contains(Card::QUEEN) { 26 - 5 * hand.of(Suit::Spades).len().min(5) as i32 } else { 0 };
    let lead = if game.laid == 0 && game.leader as usize == player { 4 } else { 0 };
    weigh(hand, others, Suit::Spades, spades)
        + weigh(hand, others, Suit::Hearts, &HEARTS)
        + weigh(hand, others, Suit::Diamonds, &OTHERS)
        + weigh(hand, others, Suit::Clubs, &OTHERS)
        + own_queen
        + lead
        - 20
}

/// The highest card that loses, the queen of spades before all; or by the harm to a player.
#[inline]
pub(super) fn rate(scene: &Scene, card: Card) -> i32 {
    match scene.victim {
        Some(victim) => harm(scene, victim, card),
        None => own(scene, card),
    }
}

/// For the mover's own good: avoid tricks, and discard what would take them later.
#[inline]
fn own(scene: &Scene, card: Card) -> i32 {
    let game = scene.game;
    let queen = card == Card::QUEEN;
    match scene.fate(card) {
        Fate::Loses if queen => 2000,
        // A discard: what may take the queen, then hearts, then high cards.
        Fate::Loses if scene.led(card) != card.suit() => {
            let catches = card.tops(Card::QUEEN) && (game.held() | game.laid_cards()).contains(Card::QUEEN);
            let first = if catches { 400 } else { 200 * i32::from(card.suit() == Suit::Hearts) };
            1000 + first + scene.height(card)
        }
        Fate::Loses => 1000 + scene.height(card),
        _ if queen => -1000,
        // Low, so that somebody may go higher.
        Fate::Open => 500 - scene.height(card),
        // The trick is taken anyway: use a card that would take another.
        Fate::Wins if game.laid > 0 => scene.height(card),
        Fate::Wins => -scene.height(card),
    }
}

/// For the harm of a player: points to that player's tricks, none to others.
fn harm(scene: &Scene, victim: Player, card: Card) -> i32 {
    let (game, own) = (scene.game, own(scene, card));
    let points = points(Hand::from_iter([card])) as i32;
    match scene.holder {
        Some((holder, _)) if holder == victim => match scene.fate(card) {
            Fate::Loses => own + 10_000 + 1000 * points,
            _ => own - 1000 * self::points(game.laid_cards()) as i32,
        },
        Some(_) if game.laid_by(victim).is_some() => own - 1000 * points,
        _ => own,
    }
}
