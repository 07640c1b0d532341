//! Any lines as what a driver sends to an engine, which answers in the words of the protocol.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use nply_arena::{Engine, NamedGame, Request, Spec};

fuzz_target!(|input: &[u8]| {
    // The game of the first line that names one, so that the engine does not refuse it.
    let text = String::from_utf8_lossy(input);
    let asked = text.lines().find_map(|line| line.strip_prefix("game ")?.split_whitespace().next());
    let spec = Spec::parse(asked.unwrap_or("tree"));
    let game = spec.and_then(|spec| NamedGame::new(&spec));
    let game = game.unwrap_or_else(|_| NamedGame::new(&Spec::parse("tree").expect("a name")).expect("a game"));
    let agent = Spec::parse("random").expect("a name");
    let mut engine = Engine::new(game, Request::default(), agent).expect("an agent of every game");
    let mut out = Vec::new();
    engine.serve(Cursor::new(input.to_vec()), &mut out).expect("memory takes everything");
    for line in String::from_utf8(out).expect("text").lines() {
        let word = line.split(' ').next().unwrap_or_default();
        assert!(["name", "ready", "info", "move", "error"].contains(&word), "{line:?}");
    }
});
