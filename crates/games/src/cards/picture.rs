//! The drawing of a position.

use std::fmt;

use nply::{Game, Player};

use super::text::{ranks, suits};
use super::{Rules, Suit, Tricks};
use crate::draw::{Color, paint};

/// The trick on the table, and each player's hand and points; an arrow points at the player to move.
impl fmt::Display for Tricks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let players: Vec<Player> = Player::all(self.player_count()).collect();
        Seen { game: self, players: &players }.fmt(f)
    }
}

/// The picture that these players together may see.
pub(super) fn picture(game: &Tricks, players: &[Player], color: bool) -> String {
    let all: Vec<Player> = Player::all(game.player_count()).collect();
    let seen = Seen { game, players: if game.options.hidden { players } else { &all } };
    if color { format!("{seen:#}") } else { format!("{seen}") }
}

/// A position of which only the hands of these players are shown.
struct Seen<'a> {
    game: &'a Tricks,
    players: &'a [Player],
}

impl Seen<'_> {
    /// A player's hand, or the number of cards if it is not shown; columns are as wide as the longest suit.
    fn hand(&self, player: Player, columns: [usize; 4], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hand = self.game.hand(player);
        if !self.players.contains(&player) {
            let width = columns.iter().map(|width| width + 3).sum::<usize>() - 1;
            let cards = if hand.len() == 1 { "1 card".into() } else { format!("{} cards", hand.len()) };
            write!(f, " ")?;
            return paint(f, Color::Dim, format_args!("{cards:<width$}"));
        }
        for (suit, width) in Suit::ALL.into_iter().zip(columns) {
            let cards = ranks(hand.of(suit));
            let cards = if cards.is_empty() { "-" } else { &cards };
            write!(f, " ")?;
            paint(f, color_of(suit), format_args!("{} {cards:<width$}", suit.sign()))?;
        }
        Ok(())
    }
}

impl fmt::Display for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seen { game, players } = *self;
        let over = game.payoff().is_some();
        let columns = Suit::ALL.map(|suit| {
            let lengths = players.iter().map(|&player| game.hand(player).of(suit).len());
            lengths.max().unwrap_or(0).max(1)
        });
        for player in Player::all(game.player_count()) {
            let arrow = if player == game.turn() && !over { '>' } else { ' ' };
            write!(f, "{arrow} {player} ")?;
            self.hand(player, columns, f)?;
            write!(f, "  ")?;
            paint(f, Color::Dim, "taken ")?;
            write!(f, "{}", game.taken(player))?;
            if game.options.hidden && game.lacks[player.index()] != 0 {
                paint(f, Color::Dim, format_args!("  lacks {}", suits(game.lacks[player.index()])))?;
            }
            if let Some(card) = game.laid_by(player) {
                f.write_str(if player == game.leader() { "  leads " } else { "  plays " })?;
                paint(f, color_of(card.suit()), card)?;
            }
            writeln!(f)?;
        }
        // Unknown while cards are hidden.
        if let Some(out) = game.out.filter(|_| players.len() == game.player_count()) {
            paint(f, Color::Dim, format_args!("left out: {out}"))?;
            writeln!(f)?;
        }
        if game.options.breaking {
            let state = if game.broken { "broken" } else { "not broken" };
            let suit = if game.rules == Rules::Hearts { "hearts" } else { "spades" };
            paint(f, Color::Dim, format_args!("{suit} {state}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Four colors, which are easier to tell apart on a screen than two.
fn color_of(suit: Suit) -> Color {
    match suit {
        Suit::Spades => Color::White,
        Suit::Hearts => Color::Red,
        Suit::Diamonds => Color::Yellow,
        Suit::Clubs => Color::Green,
    }
}
