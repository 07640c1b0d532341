//! Any text as a position of any game: refused, or something that reads back and can be played on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{NamedGame, Request, Spec, infos};

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let info = infos().nth(choice as usize % infos().count()).expect("there are games");
    let game = NamedGame::new(&Spec::parse(info.name).expect("a name")).expect("a game");
    let request = |position: String| Request { position: Some(position), ..Request::default() };
    let Ok(mut session) = game.open(&request(text.into())) else { return };
    let again = game.open(&request(session.position())).expect("what was written reads back");
    assert_eq!(again.position(), session.position());
    if let Some(m) = session.moves().first() {
        session.play(m).expect("a legal move");
    }
});
