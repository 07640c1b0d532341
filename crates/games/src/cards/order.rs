//! Which card to try first.

use nply::{Game, MoveOrder, Player, Stance};

use super::{Card, Hand, Kind, Suit, Tricks, hearts, spades};

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

/// What all cards that the player to move may play have in common.
pub(super) struct Scene<'a> {
    pub(super) game: &'a Tricks,
    /// Who holds the trick, and with which card.
    pub(super) holder: Option<(Player, Card)>,
    /// Whom the player to move wants to harm.
    pub(super) victim: Option<Player>,
    /// The hands of those who play to the trick after the player to move.
    later: [Hand; 3],
    /// What the others hold, and what lies on the table.
    others: Hand,
}

impl Scene<'_> {
    #[inline]
    fn new(game: &Tricks, stance: Stance) -> Scene<'_> {
        let mut later = [Hand::NONE; 3];
        for (hand, after) in later.iter_mut().zip(game.laid as usize + 1..game.players as usize) {
            *hand = game.hands[game.seat(after)];
        }
        let victim = match stance {
            Stance::Against(victim) if victim != game.turn() => Some(victim),
            _ => None,
        };
        let others = (game.held() | game.laid_cards()) & !game.hands[game.turn().index()];
        Scene { game, holder: game.holder(), victim, later, others }
    }

    /// How high a card stands among what the others have: 13 if nothing is above it. Neighbours in a hand stand equally
    /// high, as [`Game::distinct`] asks.
    #[inline]
    pub(super) fn height(&self, card: Card) -> i32 {
        13 - (self.others & Hand::above(card)).len() as i32
    }

    /// What becomes of a card that the player to move plays.
    #[inline]
    pub(super) fn fate(&self, card: Card) -> Fate {
        let kind = self.game.kind;
        if self.holder.is_some_and(|(_, best)| !kind.beats(card, best)) {
            return Fate::Loses;
        }
        let led = self.led(card);
        if self.later.iter().any(|&hand| kind.can_beat(hand, led, card)) { Fate::Open } else { Fate::Wins }
    }

    /// The suit led, which is the card's own if it leads.
    #[inline]
    pub(super) fn led(&self, card: Card) -> Suit {
        self.game.table().first().unwrap_or(&card).suit()
    }

    #[inline]
    fn rate(&self, card: Card) -> i32 {
        match self.game.kind {
            Kind::Hearts => hearts::rate(self, card),
            Kind::Spades => spades::rate(self, card),
        }
    }

    /// The first of equals with the highest rate.
    #[inline]
    fn first(&self, cards: impl Iterator<Item = Card>) -> Option<Card> {
        let rated = cards.map(|card| (self.rate(card), card));
        rated.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, card)| card)
    }
}

/// The card that the player to move would try first.
#[inline]
pub(super) fn favourite(game: &Tricks) -> Option<Card> {
    Scene::new(game, Stance::Own).first(game.legal().iter())
}

impl MoveOrder<Tricks> for Order {
    #[inline]
    fn rate(&self, game: &Tricks, stance: Stance, card: Card) -> i32 {
        Scene::new(game, stance).rate(card)
    }

    /// The default, without allocating: a hand is small.
    fn sort(&self, game: &Tricks, stance: Stance, moves: &mut [Card]) {
        if moves.len() < 2 {
            return;
        }
        let scene = Scene::new(game, stance);
        let mut rates = [0; 52];
        for index in 0..moves.len() {
            let m = moves[index];
            let rate = scene.rate(m);
            let mut at = index;
            while at > 0 && rates[at - 1] < rate {
                (rates[at], moves[at]) = (rates[at - 1], moves[at - 1]);
                at -= 1;
            }
            (rates[at], moves[at]) = (rate, m);
        }
    }

    #[inline]
    fn first(&self, game: &Tricks, stance: Stance, moves: &[Card]) -> Card {
        Scene::new(game, stance).first(moves.iter().copied()).expect("there are moves")
    }
}
