//! Any bytes as a file of recorded Othello games, and as one of learned patterns.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_games::rolit::{Patterns, wthor};

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = wthor::read("x.wtb", bytes) {
        assert!(!error.to_string().contains('\n'));
    }
    if let Err(error) = Patterns::from_bytes(bytes) {
        assert!(!error.to_string().contains('\n'));
    }
});
