//! Any bytes as a file of recorded Othello games, as one of learned patterns, and as games in text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::Registry;
use nply_arena::npgn::{Reader, TextFormat};
use nply_games::rolit::{Patterns, wthor};

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = wthor::read("x.wtb", bytes) {
        assert!(!error.to_string().contains('\n'));
    }
    if let Err(error) = Patterns::from_bytes(bytes) {
        assert!(!error.to_string().contains('\n'));
    }
    let registry = Registry::standard();
    for format in [TextFormat::Npgn, TextFormat::Pgn4] {
        for game in Reader::new(bytes, format, "x") {
            if let Err(error) = game.and_then(|game| game.check(&registry)) {
                assert!(!error.message.contains('\n'));
            }
        }
    }
});
