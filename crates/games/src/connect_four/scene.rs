//! How a position looks, and what a person clicks.

use std::fmt;

use nply::scene::{Clicks, Figure, Piece, Place, Scene, Seat, Shape};
use nply::{Game, Player};

use super::{ConnectFour, Move};
use crate::grid::{Grid, name};

/// The board with the letters of the columns below it.
pub(super) fn scene(game: &ConnectFour) -> Scene {
    let (columns, rows) = (game.columns as usize, game.rows as usize);
    let grid = Grid { columns, rows, is_down: false, has_numbers: false };
    let mut scene = grid.scene(Player::all(game.player_count()).map(Seat::numbered).collect());
    for row in (0..rows).rev() {
        for column in 0..columns {
            scene.places.push(Place { shape: Shape::Slot, ..grid.field(column, row) });
            if let Some(player) = game.owner(column, row) {
                scene.pieces.push(Piece::new(name(column, row), player, Figure::Disc));
            }
        }
    }
    scene.turn = game.payoff().is_none().then_some(game.turn);
    scene.status = match (game.winner, game.payoff()) {
        (Some(winner), _) => format!("player {winner} has won"),
        (None, Some(_)) => "drawn".into(),
        (None, None) => String::new(),
    };
    scene
}

/// The field where the piece comes to rest.
pub(super) fn clicks(game: &ConnectFour, m: Move) -> Clicks {
    let column = m.0 as usize;
    Clicks::on([name(column, game.heights[column] as usize)])
}

impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scene(self).fmt(f)
    }
}
