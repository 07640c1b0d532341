//! Any text as a file of matches.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{Plan, Scale};

fuzz_target!(|text: &str| {
    match Plan::parse(text) {
        Ok(plan) => {
            for index in 0..plan.matches.len() {
                let _ = plan.scaled(index, Scale { games: 0.1, budget: 1000.0 });
            }
        }
        Err(error) => assert!(!error.message.is_empty() && !error.message.contains('\n')),
    }
});
