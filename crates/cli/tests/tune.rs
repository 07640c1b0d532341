//! `nply tune` and the agent `best` as scripts see them.

mod common;

use std::fs;
use std::path::Path;
use std::time::Duration;

use common::{command, failure, nply, stdout};
use serde_json::Value;

/// A game that is soon over, in which looking ahead wins.
const SMALL: [&str; 9] =
    ["tune", "connect-four:columns=4,rows=4,line=3", "--players", "2", "--nodes", "100", "--games", "6", "--quiet"];
const CANDIDATES: [&str; 4] =
    ["--candidates", "random alphabeta greedy:eval=lines mcts:playout=random", "--last", "60"];

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

fn tuned(db: &str, more: &[&str]) -> Vec<Value> {
    let args = [&SMALL[..], &CANDIDATES, &["--db", db, "--json"], more].concat();
    stdout(&args).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_stronger_candidate_wins_with_any_number_of_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["1", "2"].map(|threads| tuned(&path(folder.path(), threads), &["--threads", threads]));
    assert_eq!(one, two);
    let [found] = &one[..] else { panic!("{one:?}") };
    assert_eq!((&found["winner"], &found["budget"]), (&"alphabeta".into(), &"nodes=100".into()));
    let entry = &found["entry"];
    assert_eq!((&entry["agent"], &entry["players"]), (&"alphabeta".into(), &serde_json::json!([2])));
    let [rate, low, high] = [0, 1, 2].map(|part| entry["rate"][part].as_f64().expect("a number"));
    assert!(low <= rate && rate <= high && rate > 50.0, "{entry}");
    // Four, two, and the last match, which ends as soon as it is decided.
    let matches = found["matches"].as_array().expect("matches");
    let agents: Vec<u64> = matches.iter().map(|each| each["agents"].as_u64().expect("a number")).collect();
    assert_eq!(agents, [4, 2, 2]);
    let games: Vec<u64> = matches.iter().map(|each| each["games"].as_u64().expect("a number")).collect();
    assert!(games[0] >= 12 && games[1] >= 12 && games[2] <= 60, "{games:?}");
    // Another seed plays other games.
    let other = tuned(&path(folder.path(), "other"), &["--seed", "2", "--threads", "2"]);
    assert_ne!(other, one);
}

#[test]
fn a_tuning_that_is_killed_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = tuned(&path(folder.path(), "whole.db"), &[]);
    let db = path(folder.path(), "killed.db");
    let args = [&SMALL[..], &CANDIDATES, &["--db", &db, "--json"]].concat();
    for kill in 1..=6 {
        let mut child = command(&args).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(40 * kill));
        let _ = child.kill();
        let _ = child.wait();
    }
    assert_eq!(tuned(&db, &[]), whole);
    // Everything is there now, and no game is played again.
    let count = |db: &str| stdout(&["report", db, "--list-games", "--format", "csv"]).lines().count();
    let before = count(&db);
    assert_eq!((tuned(&db, &[]), count(&db)), (whole, before));
}

#[test]
fn a_tuning_that_has_no_time_left_says_so_and_prints_no_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    let loud: Vec<&str> = SMALL.iter().filter(|word| **word != "--quiet").copied().collect();
    let output = nply(&[&loud[..], &CANDIDATES, &["--db", &db, "--for", "1ms"]].concat());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && output.stdout.is_empty(), "{message}");
    assert!(message.contains("the time is over; the same command goes on"), "{message}");
    assert_eq!(tuned(&db, &[]).len(), 1);
}

#[test]
fn without_candidates_families_are_tried_and_then_settings_of_the_last_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    let game = ["tune", "connect-four:columns=3,rows=3,line=3", "--players", "2", "--nodes", "20", "--nodes", "5"];
    let more = ["--games", "1", "--last", "4", "--db", &db, "--json", "--quiet", "--threads", "1"];
    let text = stdout(&[&game[..], &more].concat());
    let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(all.iter().map(|found| &found["budget"]).collect::<Vec<_>>(), ["nodes=20", "nodes=5"]);
    for found in &all {
        let names: Vec<&str> =
            found["matches"].as_array().expect("matches").iter().map(|each| each["match"].as_str().unwrap()).collect();
        assert!(names[0].ends_with("-families-1") && names.last().unwrap().ends_with("-last"), "{names:?}");
        assert!(names.iter().any(|name| name.ends_with("-settings-1")), "{names:?}");
    }
}

#[test]
fn an_entry_is_written_to_the_table_of_the_project_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = [&SMALL[..], &CANDIDATES, &["--db", "games.db", "--write"]].concat();
    let run = |folder: &Path| command(&args).current_dir(folder).output().expect("it starts");
    let output = run(folder.path());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true), "{message}");
    assert!(message.contains("there is no crates/arena/best.toml here to write to"), "{message}");
    let arena = folder.path().join("crates/arena");
    fs::create_dir_all(&arena).expect("a folder");
    let own = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../arena/best.toml")).expect("the table");
    fs::write(arena.join("best.toml"), &own).expect("a file");
    let output = run(&folder.path().join("crates"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("text");
    let entry = &printed[printed.find("[[entry]]").expect("an entry")..];
    let written = fs::read_to_string(arena.join("best.toml")).expect("the table");
    assert_eq!(written, format!("{own}\n{entry}"));
    // The command in it finds the same.
    let source = entry.lines().find_map(|line| line.strip_prefix("source = ")).expect("a source");
    assert!(source.contains("nply tune") && source.contains("--nodes 100 --candidates"), "{source}");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    let small = |more: &[&'static str]| failure(&[&SMALL[..], &["--db", &db], more].concat());
    for (more, code, expected) in [
        (&["--candidates", "random"][..], 2, "there are 1 different candidates to choose from"),
        (&["--candidates", "alphabeta alphabeta:table=64M"], 2, "there are 1 different candidates"),
        (&["--candidates", "random brss"], 2, "unknown agent \"brss\""),
        (&["--candidates", "random alphabeta:depht=3"], 2, "unknown setting \"depht\""),
        (&["--candidates", "random maxn:eval=x"], 2, "unknown evaluation"),
        (&["--openings", "random:0"], 2, "is no number of random plies"),
        (&["--sprt", "0.7"], 2, "between 0 and 0.5"),
    ] {
        let (found, message) = small(more);
        assert!(message.contains(expected) && found == code, "{more:?}: {found} {message}");
    }
    assert!(!Path::new(&db).exists());
    let (code, message) = failure(&["tune", "focus", "--players", "7", "--db", &db]);
    assert!(code == 2 && message.contains("focus is not for 7 players"), "{message}");
    // Games of other candidates under the same name are not mixed.
    tuned(&db, &[]);
    let (_, message) = small(&["--candidates", "random alphabeta"]);
    assert!(message.contains("tune-connect-four-columns-4-rows-4-line-3-2-nodes-100-families-1"), "{message}");
}

#[test]
fn best_says_what_it_stands_for() {
    let args = ["search", "connect-four", "--players", "3", "--agent", "best", "--nodes", "50", "--quiet"];
    assert!(stdout(&args).starts_with("agent   maxn\nmove "));
    let json: Value = serde_json::from_str(&stdout(&[&args[..], &["--json"]].concat())).expect("JSON");
    assert_eq!(json["agent"], "maxn");
    let plain = args.map(|word| if word == "best" { "maxn" } else { word });
    let same: Value = serde_json::from_str(&stdout(&[&plain[..], &["--json"]].concat())).expect("JSON");
    assert_eq!((&same["move"], &same["nodes"], &same["agent"]), (&json["move"], &json["nodes"], &Value::Null));
    let listed = stdout(&["agents", "four-player-chess"]);
    let row = listed.lines().skip_while(|line| !line.contains("stands for:")).nth(1).expect("a row");
    assert!(row.contains("4 players  nodes=10k  brs+  chosen by short matches, 85.0 %"), "{row}");
    let listed: Value = serde_json::from_str(&stdout(&["agents", "rolit", "--json"])).expect("JSON");
    let best = listed["agents"].as_array().expect("a list").iter().find(|agent| agent["name"] == "best");
    assert_eq!(best.expect("it is there")["stands_for"][1]["agent"], "mcts");
}

#[test]
fn kept_games_have_what_best_stood_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    let args = ["tournament", "connect-four", "--players", "3", "--agents", "top=best random", "--games", "6"];
    let output = nply(&[&args[..], &["--nodes", "20", "--db", &db]].concat());
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && notes.contains("note: best is maxn"), "{notes}");
    let report: Value = serde_json::from_str(&stdout(&["report", &db, "--json"])).expect("JSON");
    assert!(report.to_string().contains("\"maxn\"") && !report.to_string().contains("\"best\""), "{report}");
    // The name of today's best resumes it.
    let named = args.map(|word| if word == "top=best random" { "top=maxn random" } else { word });
    stdout(&[&named[..], &["--nodes", "20", "--db", &db, "--quiet"]].concat());
}

#[test]
fn a_person_who_names_nothing_plays_against_the_best() {
    let output = common::nply_with(&["play", "connect-four", "--players", "3", "--nodes", "20", "--json"], "d\nhint\n");
    let text = String::from_utf8(output.stdout).expect("text");
    let agents: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(agents.iter().take(3).map(|ply| &ply["agent"]).collect::<Vec<_>>(), ["human", "maxn", "maxn"]);
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(talk.contains("note: best is maxn"), "{talk}");
}
