//! Any text as the names of games and agents with their options and limits, and as quantities.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply_arena::{Error, NamedGame, Request, Spec, budget_text, own_budget, quantity};

fn check(error: &Error) {
    assert!(!error.message.is_empty() && !error.message.contains('\n'));
}

fuzz_target!(|text: &str| {
    let _ = (quantity::count(text), quantity::size(text), quantity::time(text));
    let specs = Spec::parse_list(text).inspect_err(check).unwrap_or_default();
    let game = NamedGame::new(&Spec::parse("focus").expect("a name")).expect("a game");
    let mut session = game.open(&Request::default()).expect("a start");
    for spec in specs {
        assert_eq!(Spec::parse(&spec.to_string()).expect("what was written reads back"), spec);
        if let Ok((_, Some(budget))) = own_budget(&spec).inspect_err(check) {
            Spec::parse(&format!("limits:{}", budget_text(&budget))).expect("what was written reads back");
        }
        let _ = NamedGame::new(&spec).inspect_err(check);
        let _ = session.seat(&spec, 1).inspect_err(check);
    }
});
