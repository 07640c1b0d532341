//! The move ordering.

use nply::settings::Visitor;
use nply::{Game, MoveOrder, Player, Settings, Stance};

use super::{Card, Hand, Rules, Suit, Tricks, hearts, spades};

/// Hearts: the highest card that loses. Spades: the cheapest card that wins, else the cheapest.
///
/// Against a player, Hearts gives points to that player's tricks and to no others, and Spades wins only what that player
/// would. It looks at all hands: in a hidden game, show it a determinization.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order;

impl Settings for Order {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

/// What happens to a card in its trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// A card on the table beats it.
    Loses,
    /// Somebody still to play can beat it.
    Open,
    /// Nobody can beat it.
    Wins,
}

/// What is common to all cards that the player to move may play.
pub(super) struct Scene<'a> {
    pub(super) game: &'a Tricks,
    /// The player with the best card of the trick so far, and the card.
    pub(super) holder: Option<(Player, Card)>,
    /// The player to harm.
    pub(super) victim: Option<Player>,
    /// The hands of those who play to the trick after the player to move.
    later: [Hand; 3],
    /// The cards in the others' hands and on the table.
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

    /// The height of a card among those of the others: 13 if nothing is above it. Equivalent cards of a hand have the same
    /// height, as [`Game::distinct`] requires.
    #[inline]
    pub(super) fn height(&self, card: Card) -> i32 {
        13 - (self.others & Hand::above(card)).len() as i32
    }

    /// What happens to a card that the player to move plays.
    #[inline]
    pub(super) fn fate(&self, card: Card) -> Fate {
        let rules = self.game.rules;
        if self.holder.is_some_and(|(_, best)| !rules.beats(card, best)) {
            return Fate::Loses;
        }
        let led = self.led(card);
        if self.later.iter().any(|&hand| rules.can_beat(hand, led, card)) { Fate::Open } else { Fate::Wins }
    }

    /// The suit led, which is the card's own if it leads.
    #[inline]
    pub(super) fn led(&self, card: Card) -> Suit {
        self.game.table().first().unwrap_or(&card).suit()
    }

    #[inline]
    fn rate(&self, card: Card) -> i32 {
        match self.game.rules {
            Rules::Hearts => hearts::rate(self, card),
            Rules::Spades => spades::rate(self, card),
        }
    }

    /// The first of equals with the highest rate.
    #[inline]
    fn first(&self, cards: impl Iterator<Item = Card>) -> Option<Card> {
        let rated = cards.map(|card| (self.rate(card), card));
        rated.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, card)| card)
    }
}

/// The card that the ordering puts first.
#[inline]
pub(super) fn favorite(game: &Tricks) -> Option<Card> {
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
