//! Any lines as what a driver sends to an engine, which answers in the words of the protocol.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use nply_arena::{Engine, Registry, Request};

fuzz_target!(|input: &[u8]| {
    // The game of the first line that names one, so that the engine does not refuse it.
    let text = String::from_utf8_lossy(input);
    let asked = text.lines().find_map(|line| line.strip_prefix("game ")?.split_whitespace().next());
    let registry = Registry::standard();
    let game = registry.find(asked.unwrap_or("tree")).or_else(|_| registry.find("tree")).expect("a game");
    let mut engine = Engine::new(registry, game, Request::default(), "random").expect("an agent of every game");
    let mut out = Vec::new();
    engine.serve(Cursor::new(input.to_vec()), &mut out).expect("memory takes everything");
    for line in String::from_utf8(out).expect("text").lines() {
        let word = line.split(' ').next().unwrap_or_default();
        assert!(["name", "ready", "info", "move", "error"].contains(&word), "{line:?}");
    }
});
