//! Cards and suits.

use std::fmt;

/// The ranks by their letters, high to low.
pub(super) const RANKS: &[u8; 13] = b"AKQJT98765432";

/// One of the four suits, in the order in which cards are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suit {
    /// Trump in Spades.
    Spades,
    /// The suit that counts in Hearts.
    Hearts,
    /// Diamonds.
    Diamonds,
    /// Clubs.
    Clubs,
}

impl Suit {
    /// All four, in order.
    pub const ALL: [Suit; 4] = [Suit::Spades, Suit::Hearts, Suit::Diamonds, Suit::Clubs];

    /// The letter of the suit in text.
    pub const fn letter(self) -> char {
        ['S', 'H', 'D', 'C'][self as usize]
    }

    /// The sign of the suit on cards.
    pub const fn sign(self) -> char {
        ['♠', '♥', '♦', '♣'][self as usize]
    }
}

/// A card, which is also a move. Its text is rank and suit: `QS`, `TD`, `2C`.
///
/// ```
/// use nply_games::cards::{Card, Suit};
/// let queen = Card::new(Suit::Spades, 2);
/// assert_eq!(queen.to_string(), "QS");
/// assert_eq!(Card::parse("QS"), Some(queen));
/// ```
// The number is 16 × suit + rank, so cards in listing order are numbers in order and a suit is a lane of 16 bits in a hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The queen of spades, 13 points in Hearts.
    pub const QUEEN: Card = Card::new(Suit::Spades, 2);

    /// The card of a suit with a rank from 0, the ace, to 12, the two.
    ///
    /// # Panics
    /// If the rank is above 12.
    pub const fn new(suit: Suit, rank: u8) -> Card {
        assert!(rank < 13, "a suit has thirteen cards");
        Card(suit as u8 * 16 + rank)
    }

    /// The card with this [`index`](Card::index).
    #[inline]
    pub(super) const fn from_index(index: u32) -> Card {
        Card(index as u8)
    }

    /// A number below 64; of two cards of a suit the higher card has the lower number.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The suit.
    #[inline]
    pub const fn suit(self) -> Suit {
        Suit::ALL[self.index() >> 4]
    }

    /// The rank, from 0, the ace, to 12, the two.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 & 15
    }

    /// Whether the card is higher than another of the same suit.
    #[inline]
    pub const fn tops(self, other: Card) -> bool {
        self.0 >> 4 == other.0 >> 4 && self.0 < other.0
    }

    /// The card that a text stands for.
    pub fn parse(text: &str) -> Option<Card> {
        let [rank, suit] = text.as_bytes() else { return None };
        let rank = RANKS.iter().position(|letter| letter == rank)?;
        let suit = Suit::ALL.into_iter().find(|s| s.letter() == char::from(*suit))?;
        Some(Card::new(suit, rank as u8))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(RANKS[self.rank() as usize]), self.suit().letter())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
