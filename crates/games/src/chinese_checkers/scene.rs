//! How a position looks, and what a person clicks.

use std::fmt;

use nply::scene::{Align, Clicks, Figure, Label, Piece, Place, Scene, Seat, Shape};
use nply::{Notation, Player};

use super::board::{FIELDS, OFF};
use super::text::letter;
use super::{ChineseCheckers, Move};

/// The corners clockwise from the north.
const CORNERS: [&str; 6] = ["north", "northeast", "southeast", "south", "southwest", "northwest"];

/// Room for the names of fields at both ends of a row.
const EDGE: f32 = 0.9;

/// The distance of rows whose fields are one unit apart.
const ROW: f32 = 0.866;

/// The star with the names of the first and the last field of each row.
pub(super) fn scene(game: &ChineseCheckers) -> Scene {
    let star = game.star;
    let players = Player::all(game.players as usize);
    let seats = players.clone().map(|player| {
        let goal = CORNERS[game.goals[player.index()] as usize];
        Seat { about: format!("goal: {goal}"), ..Seat::numbered(player) }
    });
    let widest = star.rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut scene = Scene::new(widest as f32 + 2.0 * EDGE, (star.rows.len() - 1) as f32 * ROW + 1.0, seats.collect());
    let at_corner = |corner: u8| players.clone().find(|player| game.goals[player.index()] == corner);
    for (index, row) in star.rows.iter().enumerate() {
        let y = 0.5 + index as f32 * ROW;
        let left = EDGE + 0.5 + star.indents[index] as f32 / 2.0;
        for (number, &field) in row.iter().enumerate() {
            let name = &star.names[field as usize];
            let corner = star.corner_of[field as usize];
            let (goal, owner) = match CORNERS.get(corner as usize) {
                Some(_) => (at_corner(corner), at_corner((corner + 3) % 6)),
                None => (None, None),
            };
            let place = Place::field(name, left + number as f32, y);
            scene.places.push(Place { shape: Shape::Circle, goal, owner, ..place });
            if let Some(player) = game.owner(field) {
                scene.pieces.push(Piece::new(name, player, Figure::Marble));
            }
        }
        let name = |number: usize| format!("{}{number}", letter(index));
        scene.labels.push(Label::new(left - 0.6, y, Align::End, name(1)));
        if row.len() > 1 {
            scene.labels.push(Label::new(left + row.len() as f32 - 0.4, y, Align::Start, name(row.len())));
        }
    }
    scene.turn = (!game.is_over()).then_some(game.turn);
    scene.status = match game.winner {
        Some(winner) => format!("player {winner} has won after {} plies", game.plies),
        None if game.is_over() => format!("drawn after {} plies", game.plies),
        None => format!("ply {} of {}", game.plies + 1, game.limit),
    };
    scene
}

/// The fields of a move: a step, or a shortest chain of hops.
pub(super) fn clicks(game: &ChineseCheckers, m: Move) -> Clicks {
    if m == Move::PASS {
        return Clicks::pass();
    }
    let around = &game.star.around;
    let mut path = vec![m.to];
    if around[m.from as usize].iter().all(|&(near, _)| near != m.to) {
        let full = game.pieces.iter().fold(1 << OFF, |all, own| all | own);
        let is_full = |field: u8| full >> field & 1 == 1;
        let mut before = [OFF; FIELDS];
        let mut found = vec![m.from];
        let mut next = 0;
        while next < found.len() && before[m.to as usize] == OFF {
            let at = found[next];
            next += 1;
            for (over, behind) in around[at as usize] {
                if is_full(over) && !is_full(behind) && before[behind as usize] == OFF {
                    before[behind as usize] = at;
                    found.push(behind);
                }
            }
        }
        while before[path[path.len() - 1] as usize] != m.from {
            path.push(before[path[path.len() - 1] as usize]);
        }
    }
    path.push(m.from);
    Clicks::on(path.iter().rev().map(|&field| game.star.names[field as usize].clone()))
}

impl fmt::Display for ChineseCheckers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scene(self).fmt(f)
    }
}

impl fmt::Debug for ChineseCheckers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChineseCheckers({:?})", self.to_text())
    }
}
