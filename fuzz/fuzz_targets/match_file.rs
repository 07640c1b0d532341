//! Any text as a file of matches.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{MatchFile, Registry, Scale};

fuzz_target!(|text: &str| {
    let registry = Registry::standard();
    match MatchFile::parse(&registry, text) {
        Ok(file) => {
            for index in 0..file.matches.len() {
                let _ = file.scaled(&registry, index, Scale { games: 0.1, budget: 1000.0 });
            }
        }
        Err(error) => assert!(!error.message.is_empty() && !error.message.contains('\n')),
    }
});
