//! Scenes in characters.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};

use super::{Align, Label, Piece, Place, Role, SUITS, Scene, SuitStyle, card};
use crate::Player;

/// For what matters little: empty fields, coordinates.
const DIM: &str = "2";

/// How the empty fields of each player's goal are drawn.
const GOALS: [char; crate::MAX_PLAYERS] = ['₁', '₂', '₃', '₄', '₅', '₆'];

/// Fields where their coordinates put them, stacks from the bottom to the top, or a tree, indented; then a line for each player of whom there is something
/// to say, with the hand and an arrow at the player to move; then the status. The alternate form `{:#}` has colors.
impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = self.pieces_by_place();
        if !self.links.is_empty() {
            return self.outline(f, &on);
        }
        let mut rows = self.rows(&on);
        let first = rows.iter().flatten().map(|item| item.column).min().unwrap_or(0);
        for row in &mut rows {
            row.sort_by_key(|item| item.column);
            let mut at = first;
            for item in row.iter() {
                let gap = (item.column - at).max(i32::from(at > first)) as usize;
                write!(f, "{:gap$}", "")?;
                at += gap as i32 + item.width;
                for (code, text) in &item.parts {
                    paint(f, code, text)?;
                }
            }
            writeln!(f)?;
        }
        let has_hands = self.places.iter().any(|place| place.role == Role::Hand || place.role == Role::Trick);
        let are_listed = has_hands || self.players.iter().any(|seat| !seat.about.is_empty());
        if are_listed {
            self.list(f, has_hands, &on)?;
        }
        match self.turn.filter(|_| !are_listed).map(|turn| &self.players[turn.index()]) {
            Some(seat) => {
                let name = seat.name.map_or_else(|| format!("player {}", seat.letter), str::to_string);
                paint(f, seat.style().ansi, name)?;
                f.write_str(" to move")?;
                if !self.status.is_empty() {
                    write!(f, ", {}", self.status)?;
                }
                writeln!(f)
            }
            None if self.status.is_empty() => Ok(()),
            None => writeln!(f, "{}", self.status),
        }
    }
}

/// Writes text in a color if the alternate form is requested, and plainly otherwise.
fn paint(f: &mut fmt::Formatter<'_>, code: &str, text: impl fmt::Display) -> fmt::Result {
    if f.alternate() { write!(f, "\x1b[{code}m{text}\x1b[0m") } else { write!(f, "{text}") }
}

/// Something that takes some characters of a row.
struct Item {
    column: i32,
    width: i32,
    /// Texts with their colors.
    parts: Vec<(&'static str, String)>,
}

impl Item {
    fn new(column: i32, parts: Vec<(&'static str, String)>) -> Item {
        let width = parts.iter().map(|(_, text)| text.chars().count() as i32).sum();
        Item { column, width, parts }
    }
}

impl Scene {
    fn column(&self, x: f32) -> i32 {
        (x * (self.text_width + 1) as f32).round() as i32
    }

    /// The rows of the board from the top.
    fn rows(&self, on: &Pieces<'_>) -> Vec<Vec<Item>> {
        let fields: Vec<&Place> = self.places.iter().filter(|place| place.role == Role::Field).collect();
        let labels: Vec<&Label> = self.labels.iter().filter(|label| label.player.is_none()).collect();
        let mut heights: Vec<f32> = fields.iter().map(|place| place.y).collect();
        heights.extend(labels.iter().map(|label| label.y));
        heights.sort_by(f32::total_cmp);
        heights.dedup_by(|next, last| *next - *last < 0.1);
        let row_of = |y: f32| heights.partition_point(|&height| height <= y + 0.05) - 1;
        let mut rows: Vec<Vec<Item>> = heights.iter().map(|_| Vec::new()).collect();
        for place in &fields {
            rows[row_of(place.y)].push(Item::new(self.column(place.x), self.field(place, on)));
        }
        let columns: BTreeSet<i32> = fields.iter().map(|place| self.column(place.x)).collect();
        let near = self.text_width as i32 / 2 + 1;
        for label in labels {
            let (at, width) = (self.column(label.x), label.text.chars().count() as i32);
            let row = &rows[row_of(label.y)];
            // One space between a label and the fields beside it, in whatever row, however far they are in the scene.
            let column = match label.align {
                Align::Middle => at,
                Align::End => columns.iter().copied().filter(|&c| c >= at + near).min().unwrap_or(at + 2) - 1 - width,
                Align::Start => row.iter().map(|item| item.column + item.width).max().unwrap_or(at - 1) + 1,
            };
            let row = &mut rows[row_of(label.y)];
            row.push(Item::new(column, vec![(DIM, label.text.clone())]));
        }
        rows
    }

    /// What is on a field.
    fn field(&self, place: &Place, on: &Pieces<'_>) -> Vec<(&'static str, String)> {
        let pieces: Vec<_> = pieces_on(on, place).iter().map(|piece| self.piece(piece)).collect();
        match place.goal {
            _ if !pieces.is_empty() => pieces,
            _ if place.label.is_some() => vec![(DIM, place.label.clone().unwrap_or_default())],
            Some(goal) => vec![(self.players[goal.index()].style().ansi, GOALS[goal.index()].into())],
            None => vec![(DIM, ".".into())],
        }
    }

    fn piece(&self, piece: &Piece) -> (&'static str, String) {
        let text = piece.text.as_deref().unwrap_or_default();
        let seat = piece.player.map(|player| &self.players[player.index()]);
        match seat {
            _ if piece.hidden => (DIM, "?".into()),
            Some(seat) if piece.faded => (DIM, format!("{}{text}", seat.letter)),
            Some(seat) => (seat.style().ansi, format!("{}{text}", seat.letter)),
            None => (card(text).map_or(DIM, |(_, suit)| suit.ansi), text.into()),
        }
    }

    /// A line for each player.
    fn list(&self, f: &mut fmt::Formatter<'_>, has_hands: bool, on: &Pieces<'_>) -> fmt::Result {
        let title = |index: usize| {
            let seat = &self.players[index];
            seat.name.map_or_else(|| seat.letter.to_string(), str::to_string)
        };
        let wide = (0..self.players.len()).map(|index| title(index).chars().count()).max().unwrap_or(0);
        let hands: Vec<Vec<&Piece>> = Player::all(self.players.len()).map(|player| self.hand(player, on)).collect();
        let widths = SUITS.map(|suit| hands.iter().map(|hand| of_suit(hand, &suit).count()).max().unwrap_or(0).max(1));
        for (player, seat) in Player::all(self.players.len()).zip(&self.players) {
            write!(f, "{} ", if self.turn == Some(player) { '>' } else { ' ' })?;
            let wide = if has_hands || !seat.about.is_empty() { wide } else { 0 };
            paint(f, seat.style().ansi, format_args!("{:<wide$}", title(player.index())))?;
            if has_hands {
                f.write_char(' ')?;
                self.write_hand(f, &hands[player.index()], widths)?;
            }
            if !seat.about.is_empty() {
                f.write_str("  ")?;
                paint(f, DIM, &seat.about)?;
            }
            let trick = self.places.iter().filter(|place| place.role == Role::Trick && place.owner == Some(player));
            for place in trick {
                for (code, text) in pieces_on(on, place).iter().map(|piece| self.piece(piece)) {
                    write!(f, "  {} ", place.label.as_deref().unwrap_or("plays"))?;
                    paint(f, code, text)?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }

    /// The cards of a hand.
    fn hand<'a>(&self, player: Player, on: &Pieces<'a>) -> Vec<&'a Piece> {
        let places = self.places.iter().filter(|place| place.role == Role::Hand && place.owner == Some(player));
        places.flat_map(|place| pieces_on(on, place)).copied().collect()
    }

    /// A hand suit by suit, in columns of these widths; only the number of cards if they are hidden.
    fn write_hand(&self, f: &mut fmt::Formatter<'_>, hand: &[&Piece], widths: [usize; 4]) -> fmt::Result {
        let hidden = hand.iter().filter(|card| card.hidden).count();
        if hidden > 0 {
            let width = widths.iter().map(|width| width + 3).sum::<usize>() - 1;
            let cards = if hidden == 1 { "1 card".into() } else { format!("{hidden} cards") };
            f.write_char(' ')?;
            return paint(f, DIM, format_args!("{cards:<width$}"));
        }
        for (suit, width) in SUITS.iter().zip(widths) {
            let ranks: String = of_suit(hand, suit).collect();
            let ranks = if ranks.is_empty() { "-" } else { &ranks };
            f.write_char(' ')?;
            paint(f, suit.ansi, format_args!("{} {ranks:<width$}", suit.sign))?;
        }
        Ok(())
    }

    /// A tree below its first place, indented.
    fn outline(&self, f: &mut fmt::Formatter<'_>, on: &Pieces<'_>) -> fmt::Result {
        let places: HashMap<&str, &Place> = self.places.iter().map(|place| (place.id.as_str(), place)).collect();
        let mut children: HashMap<&str, Vec<&Place>> = HashMap::new();
        for (parent, child) in &self.links {
            if let Some(child) = places.get(child.as_str()) {
                children.entry(parent).or_default().push(child);
            }
        }
        match self.places.first() {
            Some(root) => self.node(f, root, &children, on, &mut String::new()),
            None => Ok(()),
        }
    }

    fn node(
        &self,
        f: &mut fmt::Formatter<'_>,
        place: &Place,
        children: &HashMap<&str, Vec<&Place>>,
        on: &Pieces<'_>,
        indent: &mut String,
    ) -> fmt::Result {
        for seat in pieces_on(on, place).iter().filter_map(|piece| Some(&self.players[piece.player?.index()])) {
            paint(f, seat.style().ansi, format_args!("player {}", seat.letter))?;
        }
        writeln!(f, "{}", place.label.as_deref().unwrap_or_default())?;
        let below: &[&Place] = children.get(place.id.as_str()).map_or(&[], |below| below);
        for (index, child) in below.iter().enumerate() {
            let is_last = index + 1 == below.len();
            write!(f, "{indent}{} {}: ", if is_last { "└─" } else { "├─" }, index + 1)?;
            let length = indent.len();
            indent.push_str(if is_last { "   " } else { "│  " });
            self.node(f, child, children, on, indent)?;
            indent.truncate(length);
        }
        Ok(())
    }
}

/// Pieces by the ids of their places.
type Pieces<'a> = HashMap<&'a str, Vec<&'a Piece>>;

fn pieces_on<'a, 'b>(on: &'b Pieces<'a>, place: &Place) -> &'b [&'a Piece] {
    on.get(place.id.as_str()).map_or(&[], |pieces| pieces)
}

/// The ranks of the cards of a suit that are seen.
fn of_suit<'a>(hand: &'a [&Piece], suit: &'a SuitStyle) -> impl Iterator<Item = &'a str> {
    hand.iter().filter_map(|card| card.text.as_deref()?.strip_suffix(suit.sign))
}
