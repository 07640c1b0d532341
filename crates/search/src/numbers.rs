//! Positions and moves as numbers, for programs that learn: [`Numbered`].
//!
//! A position is a stack of planes, which have the same rows and columns: one has a 1 where the viewer's pieces are, the next where the
//! next player's are, and so on. Moves are numbered from 0. Planes and numbers of moves depend on the number of players and on the
//! options, and are the same from the start to the end.
//!
//! ```
//! use nply::numbers::{Numbered, Numbers, Planes};
//! use nply::{Player, Tree};
//! let tree: Tree = "(1 5,4,1 (2 4,6,0 0,5,5))".parse().unwrap();
//! assert_eq!(tree.move_count(), 2);
//! assert_eq!(tree.move_number(2), 1);
//! let mut planes = Planes::default();
//! planes.show(&tree, Some(Player::new(1)));
//! assert_eq!(planes.count(), 7);
//! assert_eq!(Numbers::NEW.layout(&tree).planes[1], "player+0 to move");
//! // The plane of the node, and whether the viewer is to move.
//! assert_eq!(planes.values()[..10], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
//! ```

use std::fmt;

use crate::{Game, Player};

/// A game whose positions are planes and whose moves have numbers.
///
/// [`check_numbers`](crate::testing::check_numbers) tests any implementation.
pub trait Numbered: Game {
    /// The rows and columns of every plane.
    fn grid(&self) -> [usize; 2];

    /// Adds the planes that [`Planes::viewer`] may see: the same ones, in the same order, in every position of a game.
    ///
    /// Planes of players stand in the order of [`Planes::players`], from the viewer on. Rows and columns do not turn with the viewer.
    fn draw(&self, planes: &mut Planes);

    /// The number of moves that the game can ever have.
    fn move_count(&self) -> usize;

    /// The number of a legal move: below [`move_count`](Numbered::move_count), and different for different moves.
    fn move_number(&self, m: Self::Move) -> usize;
}

/// What [`Numbered`] has, as a value: a [`Declaration`](crate::Declaration) has it or not.
pub struct Numbers<G: Game> {
    /// [`Numbered::grid`].
    pub grid: fn(&G) -> [usize; 2],
    /// [`Numbered::draw`].
    pub draw: fn(&G, &mut Planes),
    /// [`Numbered::move_count`].
    pub move_count: fn(&G) -> usize,
    /// [`Numbered::move_number`].
    pub move_number: fn(&G, G::Move) -> usize,
}

impl<G: Numbered> Numbers<G> {
    /// Those of the game.
    pub const NEW: Numbers<G> =
        Numbers { grid: G::grid, draw: G::draw, move_count: G::move_count, move_number: G::move_number };
}

/// How positions and moves of a game are numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The rows and columns of every plane.
    pub grid: [usize; 2],
    /// The names of the planes; `player+0` is the viewer, `player+1` the next player, and so on.
    pub planes: Vec<String>,
    /// The number of moves.
    pub moves: usize,
}

impl<G: Game> Numbers<G> {
    /// The layout of a game, of which any position is given.
    pub fn layout(&self, game: &G) -> Layout {
        let mut planes = Planes { names: Some(Vec::new()), ..Planes::default() };
        planes.show_with(self, game, None);
        let planes = planes.names.unwrap_or_default();
        Layout { grid: (self.grid)(game), planes, moves: (self.move_count)(game) }
    }
}

/// The planes of a position, as one viewer sees it.
#[derive(Clone, Debug)]
pub struct Planes {
    grid: [usize; 2],
    players: usize,
    viewer: Player,
    is_all_seen: bool,
    values: Vec<f32>,
    names: Option<Vec<String>>,
}

/// No planes yet.
impl Default for Planes {
    fn default() -> Planes {
        let viewer = Player::new(0);
        Planes { grid: [1, 1], players: 1, viewer, is_all_seen: true, values: Vec::new(), names: None }
    }
}

impl Planes {
    /// Draws a position as a player sees it; `None` sees everything, from the first player's seat. Memory is reused.
    ///
    /// Two kinds of planes follow those of the game, each filled with one value: for every player, from the viewer on, whether that
    /// player is to move (nobody is once the game is over), and for every seat, whether it is the viewer's.
    pub fn show<G: Numbered>(&mut self, game: &G, viewer: Option<Player>) {
        self.show_with(&Numbers::NEW, game, viewer);
    }

    /// The same, for a game by its [`Numbers`].
    pub fn show_with<G: Game>(&mut self, numbers: &Numbers<G>, game: &G, viewer: Option<Player>) {
        self.grid = (numbers.grid)(game);
        self.players = game.player_count();
        self.viewer = viewer.unwrap_or(Player::new(0));
        self.is_all_seen = viewer.is_none();
        self.values.clear();
        (numbers.draw)(game, self);
        let turn = game.payoff().is_none().then(|| game.turn());
        for player in self.players() {
            self.all(format_args!("{} to move", self.who(player)), f32::from(u8::from(turn == Some(player))));
        }
        for seat in Player::all(self.players) {
            self.all(format_args!("viewer in seat {}", seat.index()), f32::from(u8::from(seat == self.viewer)));
        }
    }

    /// Whose planes come first.
    pub fn viewer(&self) -> Player {
        self.viewer
    }

    /// The players from the viewer on, in turn order.
    pub fn players(&self) -> impl Iterator<Item = Player> + use<> {
        let (players, first) = (self.players, self.viewer.index());
        (0..players).map(move |after| Player::new((first + after) % players))
    }

    /// Whether the viewer sees what only this player sees.
    pub fn sees(&self, player: Player) -> bool {
        self.is_all_seen || player == self.viewer
    }

    /// Whether nothing is hidden from the viewer.
    pub fn sees_all(&self) -> bool {
        self.is_all_seen
    }

    /// A player in the name of a plane.
    pub fn who(&self, player: Player) -> Who {
        Who((player.index() + self.players - self.viewer.index()) % self.players)
    }

    /// The number of planes.
    pub fn count(&self) -> usize {
        self.values.len() / (self.grid[0] * self.grid[1])
    }

    /// All values, from 0 to 1: plane after plane, each row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Adds a plane of zeros.
    pub fn plane(&mut self, name: fmt::Arguments<'_>) -> Plane<'_> {
        if let Some(names) = &mut self.names {
            names.push(name.to_string());
        }
        let (begin, [rows, columns]) = (self.values.len(), self.grid);
        self.values.resize(begin + rows * columns, 0.0);
        Plane { values: &mut self.values[begin..], columns }
    }

    /// Adds a plane with the same value everywhere.
    pub fn all(&mut self, name: fmt::Arguments<'_>, value: f32) {
        self.plane(name).values.fill(value);
    }

    /// Adds a plane with a number of things everywhere, as the part of the most that there can be; 0 if there can be none.
    pub fn part(&mut self, name: fmt::Arguments<'_>, count: u32, most: u32) {
        self.all(name, (f64::from(count) / f64::from(most.max(1))) as f32);
    }
}

/// A plane that is being drawn.
#[derive(Debug)]
pub struct Plane<'a> {
    values: &'a mut [f32],
    columns: usize,
}

impl Plane<'_> {
    /// Puts a 1 somewhere.
    #[inline]
    pub fn mark(&mut self, row: usize, column: usize) {
        self.values[row * self.columns + column] = 1.0;
    }
}

/// A player, counted from the viewer.
#[derive(Clone, Copy, Debug)]
pub struct Who(usize);

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player+{}", self.0)
    }
}
