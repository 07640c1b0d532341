//! A set of cards.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

use nply::Rng;

use super::{Card, Suit};
use crate::sets;

/// A set of cards, listed spades, hearts, diamonds, clubs, high to low.
///
/// ```
/// use nply_games::cards::{Card, Hand, Suit};
/// let hand: Hand = ["2C", "AS", "TD", "QS"].iter().filter_map(|text| Card::parse(text)).collect();
/// assert_eq!(format!("{hand:?}"), "[AS, QS, TD, 2C]");
/// assert_eq!(hand.of(Suit::Spades).len(), 2);
/// ```
// Bits stand in listing order, a suit in a lane of 16.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u64);

impl Hand {
    /// No card.
    pub const NONE: Hand = Hand(0);
    /// All 52 cards.
    pub const ALL: Hand = Hand(0x1fff_1fff_1fff_1fff);

    /// All cards of a suit.
    #[inline]
    pub const fn suit(suit: Suit) -> Hand {
        Hand(0x1fff << (16 * suit as u32))
    }

    /// The cards of a suit that are higher than this one.
    #[inline]
    pub const fn above(card: Card) -> Hand {
        Hand(((1 << card.index()) - 1) & Hand::suit(card.suit()).0)
    }

    /// The cards of a suit among these.
    #[inline]
    pub fn of(self, suit: Suit) -> Hand {
        self & Hand::suit(suit)
    }

    /// The number of cards.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are no cards.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the card is among these.
    #[inline]
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.index() & 1 != 0
    }

    /// Adds a card.
    #[inline]
    pub fn insert(&mut self, card: Card) {
        self.0 |= 1 << card.index();
    }

    /// Takes a card out.
    #[inline]
    pub fn remove(&mut self, card: Card) {
        self.0 &= !(1 << card.index());
    }

    /// The card with `n` others listed before it.
    ///
    /// # Panics
    /// If there are no more than `n` cards.
    #[inline]
    pub fn nth(self, n: usize) -> Card {
        let mut rest = self.0;
        for _ in 0..n {
            rest &= rest.wrapping_sub(1);
        }
        assert!(rest != 0, "no card with {n} before it");
        Card::from_index(rest.trailing_zeros())
    }

    /// A random card of a hand that is not empty, all equally likely.
    #[inline]
    pub(super) fn pick(self, rng: &mut Rng) -> Card {
        Card::from_index(sets::pick(self.0, rng))
    }

    /// The card that is listed last, which is the lowest if all are of one suit.
    #[inline]
    pub fn last(self) -> Option<Card> {
        (self.0 != 0).then(|| Card::from_index(63 - self.0.leading_zeros()))
    }

    /// The cards in listing order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Card> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let card = (rest != 0).then(|| Card::from_index(rest.trailing_zeros()))?;
            rest &= rest - 1;
            Some(card)
        })
    }
}

impl BitAnd for Hand {
    type Output = Hand;
    #[inline]
    fn bitand(self, other: Hand) -> Hand {
        Hand(self.0 & other.0)
    }
}

impl BitOr for Hand {
    type Output = Hand;
    #[inline]
    fn bitor(self, other: Hand) -> Hand {
        Hand(self.0 | other.0)
    }
}

/// The cards that are not among these.
impl Not for Hand {
    type Output = Hand;
    #[inline]
    fn not(self) -> Hand {
        Hand(!self.0) & Hand::ALL
    }
}

impl FromIterator<Card> for Hand {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Hand {
        let mut hand = Hand::NONE;
        cards.into_iter().for_each(|card| hand.insert(card));
        hand
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
