//! Any text as a file of matches.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{MatchFile, Scale};

fuzz_target!(|text: &str| {
    match MatchFile::parse(text) {
        Ok(file) => {
            for index in 0..file.matches.len() {
                let _ = file.scaled(index, Scale { games: 0.1, budget: 1000.0 });
            }
        }
        Err(error) => assert!(!error.message.is_empty() && !error.message.contains('\n')),
    }
});
