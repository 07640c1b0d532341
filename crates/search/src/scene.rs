//! How a position looks, as data: [`Scene`].
//!
//! A game describes its fields, cards and pieces once, with [`Notation::scene`](crate::Notation::scene), and each move as what a
//! person would click, with [`Notation::clicks`](crate::Notation::clicks). Terminal pictures (`Display` of a scene), [`svg`] and web
//! pages draw the same scene and know nothing of the rules. A game without a scene is played by text.
//!
//! A field is about one unit wide; x grows to the right, y grows downwards.
//!
//! ```
//! use nply::scene::{Align, Figure, Label, Piece, Place, Scene, Seat};
//! use nply::Player;
//! let mut scene = Scene::new(2.5, 1.0, [Seat::numbered(Player::new(0)), Seat::numbered(Player::new(1))].into());
//! scene.labels.push(Label::new(0.25, 0.5, Align::End, "1"));
//! scene.places.push(Place::field("a1", 1.0, 0.5));
//! scene.places.push(Place::field("b1", 2.0, 0.5));
//! scene.pieces.push(Piece::new("b1", Player::new(1), Figure::Disc));
//! scene.turn = Some(Player::new(0));
//! assert_eq!(scene.to_string(), "1 . 2\nplayer 1 to move\n");
//! ```

mod shapes;
mod svg;
mod text;

use std::collections::HashMap;

use crate::{MAX_PLAYERS, Player};

pub use shapes::{figure_path, mark_path, suit_path};
pub use svg::{Arrow, SvgOptions, Theme, svg};

/// How a position looks to the players it was made for.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The width of everything, in units.
    pub width: f32,
    /// The height of everything, in units.
    pub height: f32,
    /// Where pieces and cards can be, and what can be clicked.
    pub places: Vec<Place>,
    /// Pairs of places joined by a line: the nodes of a tree, from the first place down, each parent before its children.
    pub links: Vec<(String, String)>,
    /// Coordinates and captions.
    pub labels: Vec<Label>,
    /// What is on the places; those of one place from the lowest level up.
    pub pieces: Vec<Piece>,
    /// The looks of the players.
    pub players: Vec<Seat>,
    /// The player to move; `None` once the game is over.
    pub turn: Option<Player>,
    /// What else is to be known, in one line; may be empty. Once the game is over, how it ended.
    pub status: String,
    /// Characters of the fullest field, for terminals: a picture then has the same width throughout a game.
    pub text_width: usize,
    /// What the last move clicked, in order. Games leave it empty; whoever knows the move fills it in.
    pub last: Vec<String>,
}

impl Scene {
    /// An empty scene of this size.
    pub fn new(width: f32, height: f32, players: Vec<Seat>) -> Scene {
        let (places, links, labels, pieces, last) = Default::default();
        let status = String::new();
        Scene { width, height, places, links, labels, pieces, players, turn: None, status, text_width: 1, last }
    }

    /// The place with this id.
    pub fn place(&self, id: &str) -> Option<&Place> {
        self.places.iter().find(|place| place.id == id)
    }

    /// The pieces by the ids of their places.
    fn pieces_by_place(&self) -> HashMap<&str, Vec<&Piece>> {
        let mut all: HashMap<&str, Vec<&Piece>> = HashMap::new();
        for piece in &self.pieces {
            all.entry(&piece.place).or_default().push(piece);
        }
        all
    }
}

/// Where a piece or a card can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// What clicks name; no two places of a scene have the same.
    pub id: String,
    /// The center.
    pub x: f32,
    /// The center.
    pub y: f32,
    /// The outline.
    pub shape: Shape,
    /// The width; 1 for most fields.
    pub size: f32,
    /// What it is for.
    pub role: Role,
    /// Whose hand, reserve or node it is.
    pub owner: Option<Player>,
    /// Whose goal it is.
    pub goal: Option<Player>,
    /// 0 or 1 for the two colors of a checkerboard, 2 for special fields.
    pub tone: u8,
    /// A text on it, such as a result.
    pub label: Option<String>,
}

impl Place {
    /// A square field of size 1, which belongs to nobody.
    pub fn field(id: impl Into<String>, x: f32, y: f32) -> Place {
        let (owner, goal, label) = (None, None, None);
        Place { id: id.into(), x, y, shape: Shape::Square, size: 1.0, role: Role::Field, owner, goal, tone: 0, label }
    }
}

/// Declares an enum whose variants have a name in JSON.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$what])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// Its name in JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }
    };
}

words! {
    /// The outline of a place.
    Shape {
        /// A square.
        Square = "square",
        /// A circle.
        Circle = "circle",
        /// A hexagon.
        Hexagon = "hexagon",
        /// An octagon.
        Octagon = "octagon",
        /// A card, upright: 1.4 times as high as wide.
        Card = "card",
        /// A hole in an upright board.
        Slot = "slot",
        /// A box for text, half as high as a field.
        Box = "box",
    }
}

words! {
    /// What a place is for.
    Role {
        /// Part of the board.
        Field = "field",
        /// A card in a hand.
        Hand = "hand",
        /// Pieces beside the board.
        Reserve = "reserve",
        /// Where a player's card of the current trick lies.
        Trick = "trick",
        /// Something to click that is not a field, such as a pass.
        Action = "action",
    }
}

words! {
    /// What a piece looks like.
    Figure {
        /// A flat disc.
        Disc = "disc",
        /// A ball.
        Marble = "marble",
        /// A chess piece.
        Pawn = "pawn",
        /// A chess piece.
        Knight = "knight",
        /// A chess piece.
        Bishop = "bishop",
        /// A chess piece.
        Rook = "rook",
        /// A chess piece.
        Queen = "queen",
        /// A chess piece.
        King = "king",
        /// A playing card.
        Card = "card",
        /// A chip on which others can lie.
        Token = "token",
    }
}

words! {
    /// A shape that stands for a player beside the color.
    Mark {
        /// A circle.
        Circle = "circle",
        /// A square.
        Square = "square",
        /// A triangle.
        Triangle = "triangle",
        /// A diamond.
        Diamond = "diamond",
        /// A star.
        Star = "star",
        /// A cross.
        Cross = "cross",
    }
}

words! {
    /// Which part of a label its position is.
    Align {
        /// The left end.
        Start = "start",
        /// The middle.
        Middle = "middle",
        /// The right end.
        End = "end",
    }
}

/// A text beside the fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where it is, by [`align`](Label::align).
    pub x: f32,
    /// The middle of its height.
    pub y: f32,
    /// Which part of it is at `x`.
    pub align: Align,
    /// The text.
    pub text: String,
    /// Whom it names; `None` for coordinates. Terminals leave names out, as they list the players.
    pub player: Option<Player>,
}

impl Label {
    /// A coordinate.
    pub fn new(x: f32, y: f32, align: Align, text: impl Into<String>) -> Label {
        Label { x, y, align, text: text.into(), player: None }
    }
}

/// Something on a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The id of its place.
    pub place: String,
    /// Whose it is; `None` if it is nobody's, as cards are.
    pub player: Option<Player>,
    /// What it looks like.
    pub figure: Figure,
    /// The number of pieces below it on the same place.
    pub level: u32,
    /// A card as rank and suit, `Q♠`, or a letter that tells it from others: the notation's for chess pieces.
    pub text: Option<String>,
    /// Whether only its back is seen.
    pub hidden: bool,
    /// How many such pieces it stands for, where that is shown as a number.
    pub count: Option<u32>,
    /// Whether it no longer takes part.
    pub faded: bool,
}

impl Piece {
    /// A player's piece at the bottom of a place.
    pub fn new(place: impl Into<String>, player: impl Into<Option<Player>>, figure: Figure) -> Piece {
        let (text, count) = (None, None);
        Piece { place: place.into(), player: player.into(), figure, level: 0, text, hidden: false, count, faded: false }
    }
}

/// The looks of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Seat {
    /// What the game calls the player, such as the color; `None` if players have only numbers.
    pub name: Option<&'static str>,
    /// The letter or digit of the player's pieces in text.
    pub letter: char,
    /// The color, with the mark that goes with it.
    pub color: Color,
    /// Points and the like, in a few words; may be empty.
    pub about: String,
}

impl Seat {
    /// A player known by number.
    pub fn numbered(player: Player) -> Seat {
        let letter = char::from(b'1' + player.index() as u8);
        Seat { name: None, letter, color: Color::of(player), about: String::new() }
    }

    /// A player known by color.
    pub fn named(name: &'static str, letter: char, color: Color) -> Seat {
        Seat { name: Some(name), letter, color, about: String::new() }
    }

    /// The name, or `Player 1`.
    pub fn title(&self) -> String {
        self.name.map_or_else(|| format!("Player {}", self.letter), str::to_string)
    }

    /// How the color looks.
    pub const fn style(&self) -> &'static Style {
        self.color.style()
    }
}

words! {
    /// A color that players have, which is an index of [`PLAYER_STYLES`].
    Color {
        /// Vermilion; the first player's unless the game says otherwise.
        Red = "red",
        /// Bluish green.
        Green = "green",
        /// Blue.
        Blue = "blue",
        /// Yellow.
        Yellow = "yellow",
        /// Reddish purple.
        Purple = "purple",
        /// Sky blue.
        Cyan = "cyan",
        /// For games whose players are known by it.
        White = "white",
        /// For games whose players are known by it.
        Black = "black",
    }
}

impl Color {
    /// The color of a player known by number.
    pub const fn of(player: Player) -> Color {
        Color::ALL[player.index()]
    }

    /// How it looks.
    pub const fn style(self) -> &'static Style {
        &PLAYER_STYLES[self as usize]
    }
}

/// How a player's color looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The color it is for.
    pub color: Color,
    /// On a light background, as `#rrggbb`.
    pub light: &'static str,
    /// On a dark background.
    pub dark: &'static str,
    /// For marks and text on it.
    pub ink: &'static str,
    /// Drawn on the player's pieces.
    pub mark: Mark,
    /// The terminal's code.
    ansi: &'static str,
}

/// The looks of [`Color`]s: those of players 1 to 6, then those that only some games use.
///
/// The colors are those of Okabe and Ito, which color-blind people can tell apart; marks differ as well.
pub const PLAYER_STYLES: [Style; MAX_PLAYERS + 2] = {
    const fn style(color: Color, [light, dark, ink]: [&'static str; 3], mark: Mark, ansi: &'static str) -> Style {
        Style { color, light, dark, ink, mark, ansi }
    }
    [
        style(Color::Red, ["#d55e00", "#e66b1a", "#ffffff"], Mark::Circle, "1;31"),
        style(Color::Green, ["#009e73", "#12b487", "#ffffff"], Mark::Square, "1;32"),
        style(Color::Blue, ["#0072b2", "#2583c6", "#ffffff"], Mark::Triangle, "1;34"),
        style(Color::Yellow, ["#f0d52e", "#f0e442", "#3a3000"], Mark::Diamond, "1;33"),
        style(Color::Purple, ["#cc79a7", "#d98bb6", "#3b1029"], Mark::Star, "1;35"),
        style(Color::Cyan, ["#56b4e9", "#8fd0f7", "#06304a"], Mark::Cross, "1;36"),
        style(Color::White, ["#ffffff", "#f4f4f4", "#333333"], Mark::Square, "1;37"),
        style(Color::Black, ["#2b2b2b", "#101010", "#ffffff"], Mark::Star, "1;32"),
    ]
};

/// How a suit of cards looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuitStyle {
    /// The last character of a card's text.
    pub sign: char,
    /// Its color, on a card, which is white everywhere.
    pub color: &'static str,
    /// The terminal's code.
    ansi: &'static str,
}

/// The suits in the order in which hands are sorted. Four colors are easier to tell apart on a screen than two.
pub const SUITS: [SuitStyle; 4] = [
    SuitStyle { sign: '♠', color: "#1d2229", ansi: "1;37" },
    SuitStyle { sign: '♥', color: "#c8102e", ansi: "1;31" },
    SuitStyle { sign: '♦', color: "#b35900", ansi: "1;33" },
    SuitStyle { sign: '♣', color: "#0a7a4b", ansi: "1;32" },
];

/// A card's text as rank and suit; `None` if it is no card's.
fn card(text: &str) -> Option<(&str, &'static SuitStyle)> {
    let sign = text.chars().next_back()?;
    let suit = SUITS.iter().find(|suit| suit.sign == sign)?;
    Some((&text[..text.len() - sign.len_utf8()], suit))
}

/// What a person clicks to make a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clicks {
    /// The ids of places in order: a chain of hops has all of them.
    pub places: Vec<String>,
    /// What is asked after the last click where several moves have the same clicks, such as what a pawn becomes; `pass` for a
    /// pass, which has no clicks.
    pub choice: Option<String>,
}

impl Clicks {
    /// Clicks on these places, after which there is nothing to choose.
    pub fn on(places: impl IntoIterator<Item = String>) -> Clicks {
        Clicks { places: places.into_iter().collect(), choice: None }
    }

    /// The move of a player who has no other.
    pub fn pass() -> Clicks {
        Clicks { places: Vec::new(), choice: Some("pass".into()) }
    }
}
