//! Any text as the names of games and agents with their options and limits, and as quantities.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nply::{Error, Spec, quantity};
use nply_arena::{Registry, Request};

fn check(error: &Error) {
    assert!(!error.message.is_empty() && !error.message.contains('\n'));
}

fuzz_target!(|text: &str| {
    let _ = (quantity::count(text), quantity::size(text), quantity::time(text));
    let specs = Spec::parse_list(text).inspect_err(check).unwrap_or_default();
    let registry = Registry::standard();
    let mut session = registry.find("focus").expect("a game").open(&Request::default()).expect("a start");
    for spec in specs {
        assert_eq!(Spec::parse(&spec.to_string()).expect("what was written reads back"), spec);
        let _ = registry.find_spec(&spec).inspect_err(check);
        if let Ok(agent) = session.agent(&spec.to_string()).inspect_err(check) {
            let again = session.agent(&agent.to_string()).expect("what was written reads back");
            assert_eq!(again, agent);
            let _ = session.seat(&agent, 1).inspect_err(check);
        }
    }
});
