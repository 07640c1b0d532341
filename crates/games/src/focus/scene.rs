//! How a position looks, and what a person clicks.

use std::fmt;

use nply::Player;
use nply::scene::{Clicks, Color, Figure, Piece, Place, Role, Scene, Seat, Shape};

use super::board::{FIELDS, LETTERS};
use super::rules::{COLORS, State};
use super::stack::Stack;
use super::text::NAMES;
use super::{Focus, Move};
use crate::grid::{Grid, name};

const PAINTS: [Color; COLORS] = [Color::Red, Color::Green, Color::Blue, Color::Yellow];

const GRID: Grid = Grid { columns: 8, rows: 8, is_down: false, has_numbers: true };

/// The board, and below it each player's reserve and captured pieces. Stacks are listed from the bottom to the top, so the last
/// piece is their owner's.
pub(super) fn scene(game: &Focus) -> Scene {
    let players = Player::all(game.players as usize);
    let seats = players.clone().map(|player| {
        let index = player.index();
        Seat { about: about(game, player), ..Seat::named(NAMES[index], LETTERS[index], PAINTS[index]) }
    });
    let mut scene = GRID.scene(seats.collect());
    scene.text_width = Stack::MOST;
    for row in (0..8).rev() {
        for column in 0..8 {
            let field = 8 * column + row;
            if FIELDS >> field & 1 == 0 {
                continue;
            }
            let tone = u8::from((1..7).contains(&column) && (1..7).contains(&row));
            scene.places.push(Place { tone, ..GRID.field(column, row) });
            for (level, color) in (0..).zip(game.stacks[field].pieces()) {
                scene.pieces.push(Piece { level, ..Piece::new(name(column, row), Player::new(color), Figure::Token) });
            }
        }
    }
    let (top, room) = (scene.height + 0.5, scene.width / 2.0);
    scene.height += players.len().div_ceil(2) as f32;
    for player in players {
        let (mut x, y) = (room * (player.index() % 2) as f32 + 0.45, top + (player.index() / 2) as f32);
        let own = (reserve(player), player, 0.9, game.reserve(player));
        let captured = game.others(player).map(|from| {
            let id = format!("captured{player}{}", LETTERS[from.index()]);
            (id, from, 0.6, game.captured(player, from))
        });
        for (id, color, size, count) in [own].into_iter().chain(captured) {
            let place = Place { shape: Shape::Circle, size, role: Role::Reserve, ..Place::field(&id, x, y) };
            scene.places.push(Place { owner: Some(player), ..place });
            if count > 0 {
                scene.pieces.push(Piece { count: Some(count), ..Piece::new(id, color, Figure::Token) });
            }
            x += size + 0.4;
        }
    }
    scene.turn = (game.state == State::Open).then_some(game.turn);
    scene.status = match game.state {
        State::Open => format!("ply {} of {}", game.ply + 1, game.limit),
        State::Won(winner) => format!("{} has won after {} plies", NAMES[winner.index()], game.ply),
        State::Drawn => format!("drawn after {} plies", game.ply),
    };
    scene
}

/// The id of a player's reserve.
fn reserve(player: Player) -> String {
    format!("reserve{player}")
}

fn about(game: &Focus, player: Player) -> String {
    let stacks = game.stacks(player);
    let word = if stacks == 1 { "stack" } else { "stacks" };
    let mut about = format!("{stacks:>2} {word}, {:>2} in reserve", game.reserve(player));
    let captured =
        game.others(player).map(|from| LETTERS[from.index()].to_string().repeat(game.captured(player, from) as usize));
    let captured: Vec<String> = captured.filter(|letters| !letters.is_empty()).collect();
    if !captured.is_empty() {
        about += &format!(", captured {}", captured.join(" "));
    }
    about
}

/// The two fields, which are as far apart as pieces are moved; or the reserve and a field.
pub(super) fn clicks(game: &Focus, m: Move) -> Clicks {
    let name = |field: usize| name(field / 8, field % 8);
    if m == Move::PASS {
        Clicks::pass()
    } else if m.is_placement() {
        Clicks::on([reserve(game.turn), name(m.to())])
    } else {
        Clicks::on([name(m.from()), name(m.to())])
    }
}

impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scene(self).fmt(f)
    }
}
