//! Any text as moves of any game from its start.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{NamedGame, Request, Spec, infos};

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let info = infos().nth(choice as usize % infos().count()).expect("there are games");
    let game = NamedGame::new(&Spec::parse(info.name).expect("a name")).expect("a game");
    let mut session = game.open(&Request::default()).expect("a start");
    let _ = session.play_all(text);
    while session.undo() {}
});
