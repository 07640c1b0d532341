//! Tournaments with outside agents and openings that are killed at random moments, again and again: no game is lost or played twice, and no process is
//! left. `NPLY_KILLS` is how often each is killed.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::{NPLY, command, stdout};
use nply::{Rng, mix};

/// How often a tournament is killed.
fn kills() -> usize {
    std::env::var("NPLY_KILLS").map_or(5, |text| text.parse().expect("NPLY_KILLS is a number"))
}

/// A mark in the environment of a tournament, which everything that it starts inherits.
const MARK: &str = "NPLY_KILLS_MARK";

/// The processes with this mark: their numbers and what they run.
fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").expect("it is there").flatten() {
        // One that ends meanwhile, or belongs to somebody else, is not ours.
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        if environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes()) {
            let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
            found.push(format!(
                "{} {}",
                process.file_name().display(),
                String::from_utf8_lossy(&words).replace('\0', " ")
            ));
        }
    }
    found
}

/// A tournament that is killed with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(args: &[&str], mark: &str) -> Running {
    let mut command: Command = command(args);
    Running(command.env(MARK, mark).spawn().expect("it starts"))
}

/// Kills a tournament at random moments. Nothing that it started may outlive it.
fn kill_again_and_again(args: &[&str], whole: Duration, mark: &str) {
    let (mut rng, mut hits) = (Rng::new(mix(whole.as_nanos() as u64)), 0);
    // A run goes on where the one before was killed, so that all together are about as long as one that is not.
    let moment = whole.div_f64(kills() as f64);
    for _ in 0..kills() {
        let mut running = start(args, mark);
        std::thread::sleep(Duration::from_millis(20) + moment.mul_f64(rng.below(1000) as f64 / 600.0));
        running.0.kill().expect("it can be killed");
        hits += usize::from(!running.0.wait().expect("it ends").success());
        let killed = Instant::now();
        while !marked(mark).is_empty() {
            assert!(killed.elapsed() < Duration::from_secs(10), "these are left: {:#?}", marked(mark));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    assert!(2 * hits >= kills(), "only {hits} runs were killed before their end");
}

/// The games of a file as JSON.
fn games(db: &str) -> Vec<serde_json::Value> {
    let parsed = |line: &str| serde_json::from_str(line).expect("a JSON object per line");
    stdout(&["report", db, "--list-games", "--json"]).lines().map(parsed).collect()
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a plain path").into()
}

/// A program that answers at once, and does not end by itself when nobody asks any more.
fn stubborn(folder: &Path) -> String {
    let (name, script) = (
        path(folder, "agent.sh"),
        "#!/bin/sh
trap '' HUP INT TERM PIPE
while :; do
    read line || { sleep 1; continue; }
    case $line in nply*) echo ready;; moves*) set -- $line;; go*) echo move $2;; quit) exit;; esac
done
",
    );
    fs::write(&name, script).expect("a file");
    assert!(Command::new("chmod").args(["+x", &name]).status().expect("chmod is there").success());
    name
}

/// Number of games, every seating equally often, of which each run can play some.
fn total() -> usize {
    30.max(6 * kills())
}

/// A tournament of three agents.
fn tournament(agents: &str, more: &[&str]) -> Vec<String> {
    let total = total().to_string();
    let start = ["tournament", "rolit", "--players", "3", "--seed", "3", "--quiet", "--threads", "2"];
    [&start[..], &["--agents", agents, "--games", &total], more].concat().iter().map(ToString::to_string).collect()
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// One agent of nply, a program that does not end by itself, and one that does.
fn agents(folder: &Path) -> String {
    let (stubborn, engine) = (stubborn(folder), "args=(engine rolit --agent greedy:eval=discs)");
    format!("brs:eval=discs program:path={stubborn},patience=1m program:path={NPLY},{engine},patience=1m,start=1m")
}

#[test]
fn with_budgets_of_nodes_a_killed_tournament_has_the_same_rows_as_one_that_was_never_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, killed) = (path(folder.path(), "whole.db"), path(folder.path(), "killed.db"));
    let agents = agents(folder.path());
    let more = ["--nodes", "200", "--openings", "random:5"];
    let (never, again) = [&whole, &killed].map(|db| tournament(&agents, &[&more[..], &["--db", db]].concat())).into();
    let started = Instant::now();
    stdout(&words(&never));
    kill_again_and_again(&words(&again), started.elapsed(), &format!("{}-nodes", std::process::id()));
    stdout(&words(&again));
    let untimed = |db: &str| {
        let mut games = games(db);
        for game in &mut games {
            ["time_ms", "overrun_ms", "ply_time_ms"].iter().for_each(|column| drop(game[column].take()));
        }
        games
    };
    let (whole, killed) = (untimed(&whole), untimed(&killed));
    assert!(whole.len() == total() && whole == killed, "{} games, and {} of the killed one", whole.len(), killed.len());
    assert!(whole.iter().all(|game| game["ending"] == "normal"), "{whole:?}");
    assert!(whole.iter().all(|game| game["opening"].as_array().is_some_and(|moves| moves.len() == 5)), "{whole:?}");
}

/// Openings of the game above.
const BOOK: &str = "d6 c5\nf6 d3 c4\nd6 c5 c6 b6\n";

#[test]
fn with_clocks_every_game_of_a_killed_tournament_is_there_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (agents, db) = (agents(folder.path()), path(folder.path(), "killed.db"));
    let book = path(folder.path(), "book.txt");
    fs::write(&book, BOOK).expect("a file");
    let args = tournament(&agents, &["--clock", "300ms+3ms", "--openings", &book, "--db", &db]);
    // About the time that all games take.
    let whole = Duration::from_millis(250) * total() as u32;
    kill_again_and_again(&words(&args), whole, &format!("{}-clock", std::process::id()));
    stdout(&words(&args));
    let games = games(&db);
    let numbers: Vec<u64> = games.iter().map(|game| game["game"].as_u64().expect("a number")).collect();
    assert_eq!(numbers, (0..total() as u64).collect::<Vec<u64>>());
    let lines: Vec<&str> = BOOK.lines().collect();
    for (number, game) in games.iter().enumerate() {
        let moves: Vec<&str> = game["opening"].as_array().expect("a list").iter().filter_map(|m| m.as_str()).collect();
        assert_eq!(moves.join(" "), lines[number / 6 % lines.len()], "game {number}");
    }
}
