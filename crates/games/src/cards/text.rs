//! Positions and moves as text; the module's page describes the format.

use std::fmt::Write;

use nply::scene::{Clicks, Scene};
use nply::{Game, Notation, Player, PositionError};

use super::card::RANKS;
use super::rules::{MOST, Suits};
use super::scene::scene;
use super::{Card, Hand, Rules, Suit, Tricks};

impl Notation for Tricks {
    const MOVE_FORM: &'static str = "a card, rank and suit, `QS`";

    fn to_text(&self) -> String {
        let players = self.player_count();
        let mut text = format!("{}:", self.leader());
        for player in Player::all(players) {
            let suits = Suit::ALL.map(|suit| ranks(self.hand(player).of(suit)));
            let gap = if player.index() == 0 { "" } else { " " };
            write!(text, "{gap}{}", suits.join(".")).expect("a String takes everything");
        }
        if self.laid > 0 {
            text += &format!(" table={}", list(self.table()));
        }
        if self.taken != [0; 4] {
            text += &format!(" taken={}", list(&self.taken[..players]));
        }
        if self.lacks != [0; 4] {
            text += &format!(" lacks={}", list(&self.lacks.map(suits)[..players]));
        }
        if self.broken {
            text += " broken";
        }
        match self.out {
            Some(out) if !self.is_whole() => text + &format!(" out={out}"),
            _ => text,
        }
    }

    fn scene(&self, viewers: &[Player]) -> Option<Scene> {
        Some(scene(self, viewers))
    }

    /// The card.
    fn clicks(&self, m: Card) -> Clicks {
        Clicks::on([m.to_string()])
    }

    fn read(&self, text: &str) -> Result<Tricks, PositionError> {
        let mut game = Tricks::empty(self.rules, self.player_count(), self.options);
        let mut reader = Reader { text, used: Hand::NONE };
        let mut words = text.split_whitespace();
        let hands = reader.hands(&mut game, &mut words)?;
        let more = reader.more(&mut game, words)?;
        reader.check(&mut game, &hands, &more)?;
        game.key = game.fresh_key();
        Ok(game)
    }

    fn move_to_text(&self, m: Card) -> String {
        m.to_string()
    }
}

impl Tricks {
    /// Whether every card but the one left out is in a hand or on the table.
    fn is_whole(&self) -> bool {
        self.players == 3 && self.held().len() + self.laid as usize == 51
    }
}

/// The ranks of cards of one suit.
pub(super) fn ranks(cards: Hand) -> String {
    cards.iter().map(|card| char::from(RANKS[card.rank() as usize])).collect()
}

/// The letters of suits, `-` for none.
pub(super) fn suits(set: Suits) -> String {
    let letters: String = Suit::ALL.into_iter().filter(|&suit| set >> suit as u8 & 1 != 0).map(Suit::letter).collect();
    if letters.is_empty() { "-".into() } else { letters }
}

fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// Reads a position from left to right; conditions on several words are checked at the end.
struct Reader<'a> {
    text: &'a str,
    /// Cards read so far.
    used: Hand,
}

/// The words after the hands, where there are any: for errors.
#[derive(Default)]
struct More<'a> {
    table: Option<&'a str>,
    taken: Option<&'a str>,
    lacks: Option<&'a str>,
    broken: Option<&'a str>,
    out: Option<&'a str>,
}

impl<'a> Reader<'a> {
    fn error<T>(&self, part: &str, expected: impl Into<String>) -> Result<T, PositionError> {
        Err(PositionError::at(self.text, part, expected))
    }

    fn end(&self) -> &'a str {
        &self.text[self.text.len()..]
    }

    /// Reads the leader and the hands, and returns the words of the hands.
    fn hands(
        &mut self,
        game: &mut Tricks,
        words: &mut impl Iterator<Item = &'a str>,
    ) -> Result<Vec<&'a str>, PositionError> {
        let players = game.player_count();
        let first = words.next().unwrap_or(self.end());
        let leader = first.bytes().next().map_or(0, |byte| byte.wrapping_sub(b'0'));
        if !(1..=players as u8).contains(&leader) {
            return self.error(first, format!("the leader's number, from 1 to {players}"));
        }
        game.leader = leader - 1;
        let Some(mut word) = first[1..].strip_prefix(':') else {
            return self.error(&first[1..], "a colon after the leader's number");
        };
        let mut found = Vec::new();
        for player in 0..players {
            if player > 0 {
                word = words.next().unwrap_or(self.end());
            }
            game.hands[player] = self.hand(word, player)?;
            found.push(word);
        }
        Ok(found)
    }

    /// A hand, spades.hearts.diamonds.clubs.
    fn hand(&mut self, word: &str, player: usize) -> Result<Hand, PositionError> {
        let mut hand = Hand::NONE;
        let mut suits = Suit::ALL.into_iter();
        let mut suit = suits.next();
        let mut last = None;
        for (at, letter) in word.char_indices() {
            let part = &word[at..];
            let Some(now) = suit else { return self.error(part, "the end of the hand, after four suits") };
            if letter == '.' {
                (suit, last) = (suits.next(), None);
                if suit.is_none() {
                    return self.error(part, "the end of the hand, after four suits");
                }
                continue;
            }
            let Some(rank) = RANKS.iter().position(|&rank| char::from(rank) == letter) else {
                return self.error(part, "a rank of AKQJT98765432, or a dot before the next suit");
            };
            if last.is_some_and(|last| last >= rank) {
                return self.error(part, "the cards of a suit from high to low");
            }
            last = Some(rank);
            let card = Card::new(now, rank as u8);
            self.take(part, card)?;
            hand.insert(card);
        }
        match suit {
            Some(Suit::Clubs) => Ok(hand),
            _ => {
                let number = player + 1;
                self.error(&word[word.len()..], format!("player {number}'s hand: spades.hearts.diamonds.clubs"))
            }
        }
    }

    /// Records that a card is in use.
    fn take(&mut self, part: &str, card: Card) -> Result<(), PositionError> {
        if self.used.contains(card) {
            return self.error(part, format!("another card: {card} is there already"));
        }
        self.used.insert(card);
        Ok(())
    }

    /// A card that is not in use.
    fn card(&mut self, part: &str) -> Result<Card, PositionError> {
        let Some(card) = Card::parse(part) else { return self.error(part, "a card, rank and suit, `QS`") };
        self.take(part, card)?;
        Ok(card)
    }

    /// The words after the hands, in any order.
    fn more(&mut self, game: &mut Tricks, words: impl Iterator<Item = &'a str>) -> Result<More<'a>, PositionError> {
        let players = game.player_count();
        let mut more = More::default();
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, &word[word.len()..]));
            let place = match name {
                "table" => &mut more.table,
                "taken" => &mut more.taken,
                "lacks" => &mut more.lacks,
                "broken" if word == name => &mut more.broken,
                "out" if players == 3 => &mut more.out,
                _ => {
                    let out = if players == 3 { ", out=" } else { "" };
                    return self.error(word, format!("table=, taken=, lacks=, broken{out} or the end"));
                }
            };
            if place.replace(value).is_some() {
                return self.error(word, format!("{name} only once"));
            }
            let parts = value.split(',').zip(0..);
            match name {
                "table" => {
                    for (part, index) in parts {
                        if index + 1 >= players {
                            return self.error(part, format!("at most {} cards on the table", players - 1));
                        }
                        game.table[index] = self.card(part)?;
                        game.laid += 1;
                    }
                }
                "taken" => {
                    self.one_each(value, players)?;
                    for (part, index) in parts {
                        let number = part.parse().ok().filter(|&n| n as usize <= MOST && !part.starts_with('+'));
                        let Some(number) = number else { return self.error(part, "points taken, at most 26") };
                        game.taken[index] = number;
                    }
                }
                "lacks" => {
                    self.one_each(value, players)?;
                    for (part, index) in parts {
                        game.lacks[index] = self.suits(part)?;
                    }
                }
                "broken" => game.broken = true,
                _ => game.out = Some(self.card(value)?),
            }
        }
        Ok(more)
    }

    /// A list must have one part for each player.
    fn one_each(&self, value: &str, players: usize) -> Result<(), PositionError> {
        if value.split(',').count() == players {
            return Ok(());
        }
        self.error(value, format!("{players} parts with commas between, one for each player"))
    }

    /// Letters of suits, or `-`.
    fn suits(&self, part: &str) -> Result<Suits, PositionError> {
        let set = (0..16).find(|&set| suits(set) == part);
        set.map_or_else(|| self.error(part, "letters of suits, in the order SHDC, or `-`"), Ok)
    }

    /// Checks conditions on several words.
    fn check(&mut self, game: &mut Tricks, hands: &[&str], more: &More) -> Result<(), PositionError> {
        let tricks = game.tricks_left();
        for (after, player) in (0..hands.len()).map(|after| (after, game.seat(after))) {
            let cards = tricks - usize::from(after < game.laid as usize);
            if game.hands[player].len() != cards {
                return self.error(hands[player], format!("a hand of {cards}, to go with the leader's"));
            }
        }
        if game.is_whole() {
            let rest = !(game.held() | game.laid_cards());
            game.out = rest.iter().next();
            self.used = Hand::ALL;
        }
        self.check_table(game, more.table.unwrap_or(self.end()))?;
        for player in 0..hands.len() {
            let wrong = |suit| game.lacks(Player::new(player), suit) && !game.hands[player].of(suit).is_empty();
            if Suit::ALL.into_iter().any(wrong) {
                let part = more.lacks.and_then(|value| value.split(',').nth(player)).unwrap_or(self.end());
                return self.error(part, format!("suits of which player {} holds none", player + 1));
            }
        }
        if !can_be_taken(game, !self.used) {
            let taken = more.taken.unwrap_or(self.end());
            return self.error(taken, "points that the cards no longer there can have given");
        }
        Ok(())
    }

    /// Checks that the current trick was played by the rules, and records what it shows.
    fn check_table(&self, game: &mut Tricks, part: &str) -> Result<(), PositionError> {
        let Some(&led) = game.table().first() else { return Ok(()) };
        let own = game.rules.suit();
        for after in 1..game.laid as usize {
            if game.table[after].suit() == led.suit() {
                continue;
            }
            let player = game.seat(after);
            if !game.hands[player].of(led.suit()).is_empty() {
                return self.error(part, format!("cards that follow suit: player {} can", player + 1));
            }
            game.lacks[player] |= 1 << led.suit() as u8;
            game.broken |= game.table[after].suit() == own;
        }
        if game.options.breaking && !game.broken && led.suit() == own {
            let leader = game.leader as usize;
            if game.hands[leader].of(own) != game.hands[leader] {
                return self.error(part, format!("another lead, or broken: player {} holds other suits", leader + 1));
            }
            game.lacks[leader] |= 0b1111 ^ 1 << own as u8;
        }
        Ok(())
    }
}

/// Whether the points taken can come from tricks with these cards.
fn can_be_taken(game: &Tricks, gone: Hand) -> bool {
    let taken: usize = game.taken.iter().map(|&points| points as usize).sum();
    let hearts = gone.of(Suit::Hearts).len();
    match game.rules {
        Rules::Spades => game.player_count() * taken <= gone.len(),
        Rules::Hearts if taken <= hearts => true,
        Rules::Hearts => {
            let queen = gone.contains(Card::QUEEN) && game.taken.iter().any(|&points| points >= 13);
            queen && taken <= hearts + 13
        }
    }
}
