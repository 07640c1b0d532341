//! Boards of square fields, for scenes.

use nply::scene::{Align, Label, Place, Scene, Seat};

/// A board of square fields with letters for columns, and numbers for rows if they are named.
pub(crate) struct Grid {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    /// Whether row 1 is at the top, with the letters above it, and not at the bottom.
    pub(crate) is_down: bool,
    pub(crate) has_numbers: bool,
}

/// Room for coordinates.
const EDGE: f32 = 0.5;

impl Grid {
    /// The scene with the coordinates.
    pub(crate) fn scene(&self, players: Vec<Seat>) -> Scene {
        let left = if self.has_numbers { EDGE } else { 0.0 };
        let mut scene = Scene::new(left + self.columns as f32, EDGE + self.rows as f32, players);
        let y = if self.is_down { EDGE / 2.0 } else { self.rows as f32 + EDGE / 2.0 };
        for column in 0..self.columns {
            let [x, _] = self.at(column, 0);
            scene.labels.push(Label::new(x, y, Align::Middle, letter(column)));
        }
        for row in (0..self.rows).filter(|_| self.has_numbers) {
            let [_, y] = self.at(0, row);
            scene.labels.push(Label::new(0.4, y, Align::End, (row + 1).to_string()));
        }
        scene
    }

    /// The center of a field.
    pub(crate) fn at(&self, column: usize, row: usize) -> [f32; 2] {
        let left = if self.has_numbers { EDGE } else { 0.0 };
        let y = if self.is_down { EDGE + row as f32 } else { (self.rows - 1 - row) as f32 };
        [left + column as f32 + 0.5, y + 0.5]
    }

    /// A field.
    pub(crate) fn field(&self, column: usize, row: usize) -> Place {
        let [x, y] = self.at(column, row);
        Place::field(name(column, row), x, y)
    }
}

/// The name of a field: `d3`.
pub(crate) fn name(column: usize, row: usize) -> String {
    format!("{}{}", letter(column), row + 1)
}

/// The letter of a column.
pub(crate) fn letter(column: usize) -> char {
    (b'a' + column as u8) as char
}
