//! How a position looks, and what a person clicks.

use std::fmt;

use nply::scene::{Align, Figure, Label, Piece, Place, Role, Scene, Seat, Shape};
use nply::{Game, Player};

use super::card::RANKS;
use super::text::suits;
use super::{Card, Rules, Tricks};

/// The distances of neighboring cards in a hand: what is left of a card shows rank and suit.
const ACROSS: f32 = 0.54;
const DOWN: f32 = 0.36;
/// The height of a card, which is one unit wide, and of a caption.
const CARD: f32 = 1.4;
const CAPTION: f32 = 0.6;
/// The width of the cards of the trick, which lie alone.
const TRICK: f32 = 1.25;

/// Where a player sits.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Bottom,
    Left,
    Top,
    Right,
}

/// The table with the trick in the middle and the hands around it. Hands of players who are not among the viewers show backs, if
/// cards are hidden; a single viewer sits at the bottom.
pub(super) fn scene(game: &Tricks, viewers: &[Player]) -> Scene {
    let count = game.player_count();
    let players = Player::all(count);
    let is_seen = |player: &Player| !game.options.hidden || viewers.contains(player);
    let bottom = match viewers {
        [one] => one.index(),
        _ => 0,
    };
    let sides: &[Side] = if count == 3 {
        &[Side::Bottom, Side::Left, Side::Right]
    } else {
        &[Side::Bottom, Side::Left, Side::Top, Side::Right]
    };
    let most = 52 / count;
    let (wide, high) = ((most - 1) as f32 * ACROSS + 1.0, (most - 1) as f32 * DOWN + CARD);
    let wide = wide.max(7.6);
    let above = if count == 3 { 0.0 } else { CAPTION + CARD + 0.1 };
    let below = above + CAPTION + high + CAPTION + 0.1;
    let mut scene =
        Scene::new(wide, below + CAPTION + CARD, players.clone().map(|player| seat(game, player)).collect());
    for player in players.clone() {
        let side = sides[(player.index() + count - bottom) % count];
        let hand = game.hand(player);
        let first = |step: f32| step * (hand.len() as f32 - 1.0) / 2.0;
        let (middle, [x, y], [dx, dy]) =
            (above + CAPTION + high / 2.0, center(side, [wide, above, high, below]), step(side));
        for (index, card) in hand.iter().enumerate() {
            let (x, y) = (x + dx * index as f32 - first(dx), y + dy * index as f32 - first(dy));
            let is_seen = is_seen(&player);
            let id = if is_seen { card.to_string() } else { format!("hand{player}-{}", index + 1) };
            scene.pieces.push(Piece {
                text: is_seen.then(|| text(card)),
                hidden: !is_seen,
                ..Piece::new(&id, None, Figure::Card)
            });
            scene.places.push(Place {
                shape: Shape::Card,
                role: Role::Hand,
                owner: Some(player),
                ..Place::field(id, x, y)
            });
        }
        let [dx, dy] = toward(side);
        let laid = game.laid_by(player);
        let id = laid.map_or_else(|| format!("trick{player}"), |card| card.to_string());
        if let Some(card) = laid {
            scene.pieces.push(Piece { text: Some(text(card)), ..Piece::new(&id, None, Figure::Card) });
        }
        let label = Some(if player == game.leader() { "leads" } else { "plays" }.into());
        let place = Place { size: TRICK, ..Place::field(id, wide / 2.0 + TRICK * dx, middle + TRICK * dy) };
        scene.places.push(Place { shape: Shape::Card, role: Role::Trick, owner: Some(player), label, ..place });
        let (x, y, align) = match side {
            Side::Bottom => (wide / 2.0, below + CAPTION / 2.0, Align::Middle),
            Side::Left => (0.0, above + CAPTION / 2.0, Align::Start),
            Side::Top => (wide / 2.0, CAPTION / 2.0, Align::Middle),
            // Below its hand: beside the left one there may be no room.
            Side::Right => (wide, below - CAPTION / 2.0 - 0.05, Align::End),
        };
        let text = scene.players[player.index()].title();
        scene.labels.push(Label { player: Some(player), ..Label::new(x, y, align, text) });
    }
    scene.turn = game.payoff().is_none().then(|| game.turn());
    let mut status = Vec::new();
    // Unknown while cards are hidden.
    if let Some(out) = game.out.filter(|_| players.clone().all(|player| is_seen(&player))) {
        status.push(format!("left out: {out}"));
    }
    if game.options.breaking {
        let suit = if game.rules == Rules::Hearts { "hearts" } else { "spades" };
        status.push(format!("{suit} {}", if game.broken { "broken" } else { "not broken" }));
    }
    scene.status = status.join(", ");
    scene
}

/// The middle of a hand on a table of these measures.
fn center(side: Side, [wide, above, high, below]: [f32; 4]) -> [f32; 2] {
    match side {
        Side::Bottom => [wide / 2.0, below + CAPTION + CARD / 2.0],
        Side::Left => [0.5, above + CAPTION + high / 2.0],
        Side::Top => [wide / 2.0, CAPTION + CARD / 2.0],
        Side::Right => [wide - 0.5, above + CAPTION + high / 2.0],
    }
}

/// From one card of a hand to the next.
fn step(side: Side) -> [f32; 2] {
    match side {
        Side::Bottom | Side::Top => [ACROSS, 0.0],
        Side::Left | Side::Right => [0.0, DOWN],
    }
}

/// From the middle of the table to a player's card of the trick.
fn toward(side: Side) -> [f32; 2] {
    match side {
        Side::Bottom => [0.0, 0.8],
        Side::Left => [-1.2, 0.0],
        Side::Top => [0.0, -0.8],
        Side::Right => [1.2, 0.0],
    }
}

fn seat(game: &Tricks, player: Player) -> Seat {
    let mut about = format!("taken {}", game.taken(player));
    if game.options.hidden && game.lacks[player.index()] != 0 {
        about += &format!(", lacks {}", suits(game.lacks[player.index()]));
    }
    Seat { about, ..Seat::numbered(player) }
}

fn text(card: Card) -> String {
    format!("{}{}", char::from(RANKS[card.rank() as usize]), card.suit().sign())
}

impl fmt::Display for Tricks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scene(self, &Player::all(self.player_count()).collect::<Vec<Player>>()).fmt(f)
    }
}
