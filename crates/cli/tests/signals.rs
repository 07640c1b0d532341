//! What a signal leaves: tables, files of games, moves found so far, saved games.
#![cfg(unix)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{NPLY, command};

/// The signals that stop a command, with their numbers. If the tests themselves run under `nohup`, so do the commands, and ignore SIGHUP.
fn signals() -> impl Iterator<Item = (&'static str, i32)> {
    let all = [("-INT", 2), ("-TERM", 15), ("-HUP", 1)];
    all.into_iter().filter(|(signal, _)| *signal != "-HUP" || !nply_arena::ignores_hangup())
}

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
    for (signal, _) in signals() {
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
fn a_tournament_forecasts_its_time_and_goes_on() {
    let args = ["tournament", "othello", "--agents", "greedy:eval=discs", "--games", "1M", "--threads", "2"];
    let mut child = command(&args).spawn().expect("it starts");
    let progress = BufReader::new(child.stderr.take().expect("it is piped"));
    let (tell, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || progress.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
    let forecast = std::iter::from_fn(|| heard.recv_timeout(Duration::from_secs(60)).ok())
        .find(|line| line.contains("judging by the first"));
    send("-INT", &child);
    until("it ends", || child.try_wait().expect("a child").is_some());
    assert!(forecast.is_some_and(|line| line.contains(" for the other 99999")));
    let output = child.wait_with_output().expect("it ended");
    assert!(String::from_utf8_lossy(&output.stdout).contains("rate (95 % interval)"));
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

#[test]
fn a_search_that_is_stopped_answers_with_the_best_move_so_far() {
    for (signal, number) in signals() {
        for json in [false, true] {
            let args = ["search", "rolit", "--agent", "brs", "--time", "1h"];
            let more = if json { &["--json"][..] } else { &[] };
            let mut child = command(&[&args[..], more].concat()).spawn().expect("it starts");
            let mut progress = BufReader::new(child.stderr.take().expect("it is piped"));
            let mut line = String::new();
            progress.read_line(&mut line).expect("an iteration");
            send(signal, &child);
            let mut rest = String::new();
            progress.read_to_string(&mut rest).expect("more of them");
            let Output { status, stdout, .. } = child.wait_with_output().expect("it ends");
            let (text, last) =
                (String::from_utf8(stdout).expect("text"), rest.lines().last().unwrap_or(&line).to_string());
            assert_eq!(status.code(), Some(128 + number), "{text} {last}");
            let found = last.rsplit(": ").next().and_then(|line| line.split(' ').next()).expect("a move").trim();
            if json {
                let thought: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                assert_eq!(thought["move"], found, "{text}");
                assert!(thought["depth"].as_u64() >= Some(1), "{text}");
            } else {
                assert!(text.starts_with(&format!("move    {found}\n")) && text.contains("\nline    "), "{text}");
            }
        }
    }
}

/// A game that is being played, and what it says.
struct Playing {
    child: Child,
    said: std::process::ChildStdout,
}

impl Playing {
    fn start(seats: &str, more: &[&str]) -> Playing {
        let args = ["play", "othello", "--seats", seats];
        let mut child = command(&[&args[..], more].concat()).stdin(Stdio::piped()).spawn().expect("it starts");
        let said = child.stdout.take().expect("it is piped");
        Playing { child, said }
    }

    /// Reads until this was said.
    fn hears(&mut self, what: &str) {
        let mut text = Vec::new();
        while !text.ends_with(what.as_bytes()) {
            let mut byte = [0];
            assert_eq!(self.said.read(&mut byte).expect("text"), 1, "{}", String::from_utf8_lossy(&text));
            text.push(byte[0]);
        }
    }

    fn says(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().expect("it is open"), "{line}").expect("it reads");
    }

    /// Its exit status, and the rest of what it said.
    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).expect("text");
        (self.child.wait().expect("it ends").code(), rest)
    }
}

const OFFER: &str = "save the game? name a file, or press Enter to discard it: ";

#[test]
fn a_game_that_is_interrupted_can_be_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game").display().to_string();
    // At the prompt, and the first name is no good.
    let mut game = Playing::start("human human", &[]);
    game.hears("player 1> ");
    game.says("d3");
    game.hears("player 2> ");
    send("-INT", &game.child);
    game.hears(OFFER);
    game.says(&format!("{file}/no-such-folder/game"));
    game.hears(OFFER);
    game.says(&file);
    let (status, rest) = game.end();
    assert_eq!(status, Some(130), "{rest}");
    assert!(rest.contains(&format!("saved; resume with: nply play othello --resume {file}")), "{rest}");
    let resumed = common::nply_with(&["play", "othello", "--resume", &file, "--json"], "");
    assert!(String::from_utf8_lossy(&resumed.stderr).contains("after: d3"), "{resumed:?}");
    // While an agent thinks; Enter discards it.
    let mut game = Playing::start("brs:time=1h human", &[]);
    game.hears("\n\n");
    send("-INT", &game.child);
    game.hears(OFFER);
    game.says("");
    assert_eq!(game.end(), (Some(130), String::new()));
}

#[test]
fn nobody_is_asked_who_cannot_answer() {
    // The input has ended.
    let mut game = Playing::start("brs:time=1h human", &[]);
    drop(game.child.stdin.take());
    game.hears("\n\n");
    send("-INT", &game.child);
    assert_eq!(game.end(), (Some(130), String::new()));
    // The second one ends it at once.
    let mut game = Playing::start("human human", &[]);
    game.hears("player 1> ");
    send("-INT", &game.child);
    game.hears(OFFER);
    send("-INT", &game.child);
    assert_eq!(game.end(), (Some(130), String::new()));
    for (signal, number) in signals().skip(1) {
        let mut game = Playing::start("human human", &[]);
        game.hears("player 1> ");
        send(signal, &game.child);
        assert_eq!(game.end(), (Some(128 + number), String::new()));
    }
}
