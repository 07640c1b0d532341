//! What a signal leaves: tables, files of games, moves found so far, saved games.
#![cfg(unix)]

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{NPLY, command};

/// The signals that stop a command, with their numbers.
const SIGNALS: [(&str, i32); 3] = [("-INT", 2), ("-TERM", 15), ("-HUP", 1)];

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

/// Waits for something that must come soon.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A tournament that takes hours; games are kept in a file.
fn tournament(db: &Path) -> Vec<String> {
    let words = "tournament othello --agents random --games 1M --threads 2 --quiet --db";
    words.split(' ').map(String::from).chain([db.display().to_string()]).collect()
}

/// Number of games in a file.
fn kept(db: &Path) -> usize {
    if !db.exists() {
        return 0;
    }
    let output = common::nply(&["report", db.to_str().expect("a plain path"), "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    report["games"].as_u64().unwrap_or(0) as usize
}

#[test]
fn a_tournament_prints_its_table_at_any_signal_and_keeps_its_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("games.db");
    let mut before = 0;
    for (signal, _) in SIGNALS {
        let words = tournament(&db);
        let child = command(&words.iter().map(String::as_str).collect::<Vec<&str>>()).spawn().expect("it starts");
        until("games are kept", || kept(&db) > before);
        send(signal, &child);
        let output = child.wait_with_output().expect("it ends");
        let (table, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{signal}: {message}");
        assert!(message.contains("stopped after") && message.contains("the same command resumes"), "{message}");
        assert!(table.contains("rate (95 % interval)"), "{signal}: {table}");
        let after = kept(&db);
        assert!(message.contains(&format!("stopped after {after} of")), "{signal}: {message} {after}");
        before = after;
    }
}

#[test]
fn a_hangup_does_not_stop_what_was_started_to_survive_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("games.db");
    let words = tournament(&db);
    // As `nohup` does, which would redirect the output as well.
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", NPLY])
        .args(&words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    until("games are kept", || kept(&db) > 0);
    send("-HUP", &child);
    let before = kept(&db);
    until("it goes on", || kept(&db) > before);
    assert_eq!(child.try_wait().expect("a child"), None);
    send("-TERM", &child);
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(1));
}
