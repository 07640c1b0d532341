//! Which card to try first.

use nply::{MoveOrder, Stance};

use super::{Card, Kind, Tricks, hearts, spades};

/// Hearts: the highest card that loses. Spades: the cheapest card that wins, else the cheapest.
///
/// Against a player, Hearts gives points to tricks that are the player's and to no others, and Spades wins only what the
/// player would. All hands are looked at: in a hidden game, show it a determinization.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order;

/// What becomes of a card in its trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// A card on the table beats it.
    Loses,
    /// Somebody still to play can beat it.
    Open,
    /// Nobody can beat it.
    Wins,
}

/// What becomes of a card that the player to move plays.
pub(super) fn fate(game: &Tricks, card: Card) -> Fate {
    if game.holder().is_some_and(|(_, best)| !game.kind.beats(card, best)) {
        return Fate::Loses;
    }
    let led = game.table().first().unwrap_or(&card).suit();
    let mut later = (game.laid as usize + 1..game.players as usize).map(|after| game.hands[game.seat(after)]);
    if later.any(|hand| game.kind.can_beat(hand, led, card)) { Fate::Open } else { Fate::Wins }
}

/// From 0, a two, to 12, an ace.
pub(super) fn height(card: Card) -> i32 {
    12 - i32::from(card.rank())
}

impl MoveOrder<Tricks> for Order {
    #[inline]
    fn rate(&self, game: &Tricks, stance: Stance, card: Card) -> i32 {
        match game.kind {
            Kind::Hearts => hearts::rate(game, stance, card),
            Kind::Spades => spades::rate(game, stance, card),
        }
    }

    /// The default, without allocating: a hand is small.
    fn sort(&self, game: &Tricks, stance: Stance, moves: &mut [Card]) {
        let mut rates = [0; 52];
        for index in 0..moves.len() {
            let m = moves[index];
            let rate = self.rate(game, stance, m);
            let mut at = index;
            while at > 0 && rates[at - 1] < rate {
                (rates[at], moves[at]) = (rates[at - 1], moves[at - 1]);
                at -= 1;
            }
            (rates[at], moves[at]) = (rate, m);
        }
    }
}
