//! Scenes as JSON.

use nply::scene::{Color, Figure, Mark, PLAYER_STYLES, SUITS, Scene, Style, figure_path, mark_path, suit_path};
use nply::{MAX_PLAYERS, Player};
use serde_json::{Map, Value, json};

/// What a person clicks to make a move, with the move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveClicks {
    /// Whose move it is.
    pub player: Player,
    /// The move.
    pub text: String,
    /// The ids of places, in order; empty in a game without a scene.
    pub clicks: Vec<String>,
    /// What is asked after the last click, where moves have the same clicks; `pass` for a pass.
    pub choice: Option<String>,
}

impl MoveClicks {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({ "player": self.player.index(), "text": self.text, "clicks": self.clicks, "choice": self.choice })
    }
}

/// A coordinate with the digits that matter.
fn number(x: f32) -> Value {
    json!((f64::from(x) * 1000.0).round() / 1000.0)
}

/// A scene as JSON. Players are numbers from 0; what a player looks like is in `players`.
pub fn scene_json(scene: &Scene) -> Value {
    let index = |player: Option<Player>| player.map(Player::index);
    let places = scene.places.iter().map(|place| {
        json!({
            "id": place.id, "x": number(place.x), "y": number(place.y), "shape": place.shape.name(),
            "size": number(place.size), "role": place.role.name(), "owner": index(place.owner),
            "goal": index(place.goal), "tone": place.tone, "label": place.label,
        })
    });
    let labels = scene.labels.iter().map(|label| {
        json!({
            "x": number(label.x), "y": number(label.y), "align": label.align.name(), "text": label.text,
            "player": index(label.player),
        })
    });
    let pieces = scene.pieces.iter().map(|piece| {
        json!({
            "place": piece.place, "player": index(piece.player), "figure": piece.figure.name(), "level": piece.level,
            "text": piece.text, "hidden": piece.hidden, "count": piece.count, "faded": piece.faded,
        })
    });
    let players = scene.players.iter().map(|seat| {
        let mut player = style_json(seat.style());
        player["name"] = json!(seat.title());
        player["letter"] = json!(seat.letter.to_string());
        player["about"] = json!(seat.about);
        player
    });
    json!({
        "width": number(scene.width),
        "height": number(scene.height),
        "places": places.collect::<Vec<Value>>(),
        "links": scene.links,
        "labels": labels.collect::<Vec<Value>>(),
        "pieces": pieces.collect::<Vec<Value>>(),
        "players": players.collect::<Vec<Value>>(),
        "turn": index(scene.turn),
        "status": scene.status,
        "last": scene.last,
    })
}

fn style_json(style: &Style) -> Value {
    let &Style { color, light, dark, ink, mark, .. } = style;
    json!({ "color": color.name(), "light": light, "dark": dark, "ink": ink, "mark": mark.name() })
}

/// Everything that drawings of scenes share, as JSON: the looks of players by number, of all colors by name, and the outlines of
/// marks, figures and suits as SVG path data in boxes of 100 by 100.
pub fn styles_json() -> Value {
    let figures = Figure::ALL.iter().filter_map(|&figure| Some((figure.name(), figure_path(figure)?)));
    let suits = SUITS.iter().map(|suit| (suit.sign, json!({ "color": suit.color, "path": suit_path(suit.sign) })));
    let object =
        |pairs: &mut dyn Iterator<Item = (String, Value)>| Value::Object(pairs.collect::<Map<String, Value>>());
    json!({
        "players": PLAYER_STYLES[..MAX_PLAYERS].iter().map(style_json).collect::<Vec<Value>>(),
        "colors": object(&mut Color::ALL.iter().map(|color| (color.name().into(), style_json(color.style())))),
        "marks": object(&mut Mark::ALL.iter().map(|&mark| (mark.name().into(), json!(mark_path(mark))))),
        "figures": object(&mut figures.map(|(name, path)| (name.into(), json!(path)))),
        "suits": object(&mut suits.map(|(sign, suit)| (sign.into(), suit))),
    })
}
