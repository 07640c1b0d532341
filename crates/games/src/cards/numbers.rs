//! Positions as planes, and the numbers of moves.

use nply::numbers::{Numbered, Plane, Planes};

use super::rules::MOST;
use super::{Card, Hand, Suit, Tricks};

fn mark(mut plane: Plane<'_>, cards: Hand) {
    for card in cards.iter() {
        plane.mark(card.suit() as usize, card.rank().into());
    }
}

/// A row for each suit, in the order in which cards are listed, and a column for each rank, the ace first. There are planes for each
/// player's hand, which is empty where it is hidden, and card in the current trick; for the card left out, unless it is hidden; for the
/// cards that are gone; for the suits that each player has shown to lack; for who leads, or led; for what each player has taken, as the
/// part of 26; and for whether the suit of the game's name is broken. Who played the cards that are gone is not shown.
impl Numbered for Tricks {
    fn grid(&self) -> [usize; 2] {
        [4, 13]
    }

    fn draw(&self, planes: &mut Planes) {
        let hidden = self.options.hidden;
        for player in planes.players() {
            let cards = if hidden && !planes.sees(player) { Hand::NONE } else { self.hand(player) };
            mark(planes.plane(format_args!("hand of {}", planes.who(player))), cards);
        }
        for player in planes.players() {
            let cards = self.laid_by(player).into_iter().collect();
            mark(planes.plane(format_args!("card laid by {}", planes.who(player))), cards);
        }
        let out: Hand = self.out.into_iter().collect();
        let seen = if hidden && !planes.sees_all() { Hand::NONE } else { out };
        mark(planes.plane(format_args!("card left out")), seen);
        mark(planes.plane(format_args!("card that is gone")), !(self.held() | self.laid_cards() | out));
        for player in planes.players() {
            let lacks = Suit::ALL.into_iter().filter(|&suit| self.lacks(player, suit));
            let suits = lacks.fold(Hand::NONE, |all, suit| all | Hand::suit(suit));
            mark(planes.plane(format_args!("suit that {} lacks", planes.who(player))), suits);
        }
        for player in planes.players() {
            let leads = u8::from(player == self.leader());
            planes.all(format_args!("{} leads", planes.who(player)), leads.into());
        }
        for player in planes.players() {
            planes.part(format_args!("taken by {}", planes.who(player)), self.taken(player) as u32, MOST as u32);
        }
        planes.all(format_args!("broken"), u8::from(self.broken).into());
    }

    fn move_count(&self) -> usize {
        Hand::ALL.len()
    }

    /// In the order in which cards are listed.
    fn move_number(&self, m: Card) -> usize {
        13 * m.suit() as usize + usize::from(m.rank())
    }
}
