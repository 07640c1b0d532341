//! Any text as the names of games and agents, and as quantities.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{NamedGame, Request, Spec, quantity};

fuzz_target!(|text: &str| {
    let _ = (quantity::count(text), quantity::size(text), quantity::time(text));
    for spec in Spec::parse_list(text).unwrap_or_default() {
        assert_eq!(Spec::parse(&spec.to_string()).expect("what was written reads back"), spec);
        let _ = NamedGame::new(&spec);
        let game = NamedGame::new(&Spec::parse("tree").expect("a name")).expect("a game");
        let _ = game.open(&Request::default()).expect("a start").seat(&spec, 1);
    }
});
