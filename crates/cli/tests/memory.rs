//! The memory that a tournament and a report take does not grow with the games.

#![cfg(target_os = "linux")]

mod common;

use std::path::Path;
use std::time::Duration;

use common::command;

/// The most memory that a run of the command had at any time, in kilobytes.
fn peak(args: &[&str]) -> u64 {
    let mut child = command(args).stdout(std::process::Stdio::null()).spawn().expect("the command starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        most = most.max(peak.unwrap_or(0));
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            assert!(status.success(), "{args:?}");
            return most;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn memory_does_not_grow_with_the_number_of_games() {
    // Kept games would take several kilobytes each: 20 MB and more between these two. What is written in the order of games
    // waits for a thread that has lost its core, which on a busy machine takes a few megabytes.
    const FEW: &str = "500";
    const MANY: &str = "6000";
    const MOST: u64 = 10_000;
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain path").to_string();
    let (few, many) = (path("few.db"), path("many.db"));
    let csv = path("games.csv");
    let tournament = |games: &'static str| {
        vec!["tournament", "connect-four", "--agents", "random random", "--games", games, "--quiet"]
    };
    let grown = |name: &str, [few, many]: [Vec<&str>; 2]| {
        let (few, many) = (peak(&few), peak(&many));
        assert!(few > 1000 && many < few + MOST, "{name}: from {few} to {many} KB");
    };
    grown("without a file", [FEW, MANY].map(tournament));
    let with = |games, more: &[&'static str]| [tournament(games), more.to_vec()].concat();
    let csv: &'static str = Box::leak(csv.into_boxed_str());
    let [few, many]: [&'static str; 2] = [few, many].map(|path| &*Box::leak(path.into_boxed_str()));
    grown("with --csv", [with(FEW, &["--csv", csv]), with(MANY, &["--csv", csv])]);
    assert_eq!(std::fs::read_to_string(Path::new(csv)).expect("it was written").lines().count(), 6001);
    grown("with --db", [with(FEW, &["--db", few]), with(MANY, &["--db", many])]);
    grown("a match that is complete", [with(FEW, &["--db", few]), with(MANY, &["--db", many])]);
    grown("a report", [vec!["report", few], vec!["report", many]]);
    grown("a list of games", [few, many].map(|db| vec!["report", db, "--list-games", "--format", "csv"]));
}
