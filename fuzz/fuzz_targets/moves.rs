//! Any text as moves of any game from its start: the first line names the game.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{Registry, Request};

fuzz_target!(|text: &str| {
    let Some((name, moves)) = text.split_once('\n') else { return };
    let Ok(game) = Registry::standard().find(name) else { return };
    let mut session = game.open(&Request::default()).expect("a start");
    let start = session.position();
    if let Err(error) = session.play_all(moves) {
        assert!(!error.message.is_empty() && !error.message.contains('\n'));
    }
    while session.undo() {}
    assert_eq!(session.position(), start);
});
