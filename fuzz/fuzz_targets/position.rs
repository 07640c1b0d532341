//! Any text as a position of any game: refused, or something that reads back and can be played on.
//!
//! The first line names the game, the rest is the position.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{Registry, Request};

fuzz_target!(|text: &str| {
    let Some((name, position)) = text.split_once('\n') else { return };
    let Ok(game) = Registry::standard().find(name) else { return };
    let request = |position: String| Request { position: Some(position), ..Request::default() };
    let mut session = match game.open(&request(position.into())) {
        Ok(session) => session,
        Err(error) => return assert!(!error.message.is_empty() && !error.message.contains('\n')),
    };
    let again = game.open(&request(session.position())).expect("what was written reads back");
    assert_eq!(again.position(), session.position());
    assert_eq!(again.moves(), session.moves());
    assert!(!session.picture(true).is_empty());
    // A few plies; which moves, the text decides.
    for byte in position.bytes().rev().take(6) {
        let moves = session.moves();
        assert_eq!(moves.is_empty(), session.payoff().is_some());
        if moves.is_empty() {
            return;
        }
        session.play(&moves[byte as usize % moves.len()]).expect("a legal move");
    }
});
