//! Scenes of random games.

use std::collections::{HashMap, HashSet};

use super::random_game;
use crate::scene::{Arrow, Clicks, Scene, SvgOptions, Theme, svg};
use crate::{Notation, Player, Rng};

/// Checks the scenes and clicks of random games: places have different ids and lie inside; every piece, link and click has its place;
/// moves with the same clicks have different choices; what viewers cannot see makes no difference to what they see.
///
/// # Panics
/// If one of these does not hold, or the game has no scene.
pub fn check_scene<G: Notation>(start: &G, games: u64) {
    for seed in 0..games {
        let mut rng = Rng::new(seed);
        random_game(start, seed, |game, _| {
            let text = game.to_text();
            let all: Vec<Player> = Player::all(game.player_count()).collect();
            let scene = game.scene(&all).unwrap_or_else(|| panic!("no scene of {text}"));
            check_parts(&scene, &text);
            assert_eq!(scene.players.len(), all.len(), "everybody is in the scene of {text}");
            let turn = game.payoff().is_none().then(|| game.turn());
            assert_eq!(scene.turn, turn, "the scene says whose turn it is in {text}");
            for &viewer in &all {
                let seen = game.scene(&[viewer]).expect("a scene for all is a scene for everybody");
                check_parts(&seen, &text);
                let other = game.determinize(viewer, &mut rng).scene(&[viewer]);
                assert_eq!(other.as_ref(), Some(&seen), "player {viewer} sees nothing hidden in {text}");
            }
            let mover = game.scene(&[game.turn()]).expect("a scene for all is a scene for everybody");
            let clicks = check_clicks(game, &mover);
            check_svg(&mover, clicks, &text);
        });
    }
}

fn check_parts(scene: &Scene, text: &str) {
    let ids: HashSet<&str> = scene.places.iter().map(|place| place.id.as_str()).collect();
    assert_eq!(ids.len(), scene.places.len(), "places have different ids in {text}");
    for place in &scene.places {
        let is_inside = |x: f32, most: f32| (0.0..=most).contains(&x);
        let inside = is_inside(place.x, scene.width) && is_inside(place.y, scene.height);
        assert!(inside && place.size > 0.0, "{place:?} lies inside in {text}");
    }
    for label in &scene.labels {
        let inside = (-0.5..=scene.width + 0.5).contains(&label.x) && (0.0..=scene.height).contains(&label.y);
        assert!(inside, "{label:?} lies inside in {text}");
    }
    let mut levels: HashMap<&str, u32> = HashMap::new();
    for piece in &scene.pieces {
        assert!(ids.contains(piece.place.as_str()), "{piece:?} stands on a place in {text}");
        let level = levels.entry(&piece.place).or_default();
        assert_eq!(piece.level, *level, "{piece:?} lies on those before it in {text}");
        *level += 1;
        assert!(!(piece.hidden && (piece.text.is_some() || piece.player.is_some())), "{piece:?} is hidden in {text}");
    }
    for (a, b) in &scene.links {
        assert!(ids.contains(a.as_str()) && ids.contains(b.as_str()), "{a} and {b} are places in {text}");
    }
    assert!(scene.last.is_empty(), "a game leaves the last move to others in {text}");
}

fn check_clicks<G: Notation>(game: &G, scene: &Scene) -> Vec<Clicks> {
    let (mut moves, text) = (Vec::new(), game.to_text());
    game.moves(&mut moves);
    let all: Vec<Clicks> = moves.iter().map(|&m| game.clicks(m)).collect();
    for (clicks, &m) in all.iter().zip(&moves) {
        let name = game.move_to_text(m);
        for id in &clicks.places {
            assert!(scene.place(id).is_some(), "{id}, a click of {name}, is a place in {text}");
        }
        assert!(!clicks.places.is_empty() || clicks.choice.is_some(), "{name} can be made in {text}");
        let same = all.iter().filter(|other| *other == clicks).count();
        assert_eq!(same, 1, "{name} differs from other moves in {text}");
        let choices = all.iter().filter(|other| other.places == clicks.places).count();
        assert!(choices == 1 || clicks.choice.is_some(), "{name} is chosen among others in {text}");
    }
    all
}

fn check_svg(scene: &Scene, clicks: Vec<Clicks>, text: &str) {
    let arrows = clicks.into_iter().map(|clicks| Arrow { player: scene.turn, places: clicks.places });
    let options = SvgOptions { arrows: arrows.take(3).collect(), title: text.into(), ..SvgOptions::default() };
    let drawing = svg(scene, &options);
    assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "everything has a place in the drawing of {text}");
    let plain = svg(scene, &SvgOptions { theme: Theme::Light, ..options });
    assert!(!plain.contains("class=") && !plain.contains("<style"), "a drawing for one background has no rules");
}
