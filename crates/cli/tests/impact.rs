//! `nply impact` as scripts see it.

mod common;

use common::{failure, stdout};
use serde_json::Value;

fn json(args: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = ["impact"].iter().chain(args).chain(&["--json", "--quiet"]).copied().collect();
    stdout(&all).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_line_of_json_for_each_evaluation_has_fractions_that_add_up() {
    let all = json(&["rolit", "--players", "3", "--eval", "discs", "--games", "4"]);
    let [measured] = &all[..] else { panic!("{all:?}") };
    assert_eq!(
        (&measured["game"], &measured["players"], &measured["eval"]),
        (&"rolit".into(), &3.into(), &"discs".into())
    );
    // Four games are made six, so that every agent plays equally often; six positions of each.
    assert_eq!((&measured["games"], &measured["positions"], &measured["count"]), (&6.into(), &36.into(), &72.into()));
    let number = |value: &Value| value.as_f64().expect("a number");
    let (impact, any) = (number(&measured["impact"]), number(&measured["any"]));
    assert!(0.0 < impact && impact <= any && any <= 1.0, "{measured}");
    let (low, high) = (number(&measured["interval"][0]), number(&measured["interval"][1]));
    assert!(0.0 <= low && low <= impact && impact <= high && high <= 1.0, "{measured}");
    let seats = measured["by_seat"].as_array().expect("a list");
    let harmed: f64 = seats.iter().map(|seat| number(&seat["impact"]) * number(&seat["count"])).sum();
    assert_eq!(seats.len(), 2);
    assert!((harmed - impact * 72.0).abs() < 1e-6, "{measured}");
}

#[test]
fn the_seed_decides_and_threads_do_not() {
    let run =
        |seed, threads| json(&["connect-four", "--players", "2", "--games", "6", "--seed", seed, "--threads", threads]);
    assert_eq!(run("1", "1"), run("1", "2"));
    assert_ne!(run("1", "1"), run("2", "1"));
}

#[test]
fn a_table_is_printed_for_people() {
    let text = stdout(&["impact", "rolit", "--eval", "discs", "--players", "2", "--games", "3", "--quiet"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "rolit, 2 players, discs");
    assert_eq!(lines[1], "positions  18");
    assert!(lines[2].starts_with("impact     ") && lines[3].starts_with("anybody    "), "{text}");
    assert!(lines[4].starts_with("seats after the mover"), "{text}");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let (code, message) = failure(&["impact", "tree", "--games", "3"]);
    assert!(code != 0 && message.contains("no scores before the end"), "{message}");
    let (code, message) = failure(&["impact", "focus", "--eval", "discs"]);
    assert!(code == 2 && message.contains("unknown evaluation of focus \"discs\""), "{message}");
    let (code, message) = failure(&["impact", "focs"]);
    assert!(code == 2 && message.contains("did you mean \"focus\"?"), "{message}");
}
