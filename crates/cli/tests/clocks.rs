//! Clocks, adjudication and names as scripts and outside programs see them.
#![cfg(unix)]

mod common;

use std::fs;
use std::path::Path;

use common::{NPLY, failure, nply, nply_with, stdout};
use serde_json::Value;

/// A script for `sh` that plays the first legal move, after `AT_START`, and after `AT_GO` when it is asked.
const FIRST: &str = r#"AT_START
while read -r word rest; do
    case $word in
        nply) echo ready ;;
        moves) moves=$rest ;;
        clock) clock=$rest ;;
        go) AT_GO
            echo "move ${moves%% *}" ;;
        quit) exit ;;
    esac
done
"#;

/// The agent that such a script is.
fn script(folder: &Path, name: &str, at_start: &str, at_go: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, FIRST.replace("AT_START", at_start).replace("AT_GO", at_go)).expect("it is written");
    format!("program:path=sh,args=(({}))", path.display())
}

/// The games of a tournament of Othello, as JSON.
fn games(folder: &Path, agents: &str, more: &[&str]) -> Vec<Value> {
    let db = folder.join("games.db").to_str().expect("a plain path").to_string();
    let _ = fs::remove_file(&db);
    stdout(&[&["tournament", "othello", "--agents", agents, "--db", &db, "--quiet"], more].concat());
    let text = stdout(&["report", &db, "--list-games", "--json"]);
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_program_that_sleeps_forfeits_on_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let slow = script(folder.path(), "slow", "", "sleep 1000");
    let games = games(folder.path(), &format!("random {slow},grace=100s"), &["--games", "2", "--clock", "700ms+10ms"]);
    assert_eq!(games.len(), 2);
    for game in &games {
        let seat = if game["seats"][0] == "random" { 2 } else { 1 };
        assert_eq!((&game["ending"], &game["ending_seat"]), (&"time".into(), &seat.into()), "{game}");
        let reason = "its time ran out: it did not answer within the 700 ms that it had left";
        assert_eq!(game["ending_reason"], reason, "{game}");
        assert_eq!(game["payoffs"][seat - 1], 0.0, "{game}");
    }
    let db = folder.path().join("games.db").to_str().expect("a plain path").to_string();
    let report: Value = serde_json::from_str(&stdout(&["report", &db, "--json"])).expect("JSON");
    assert_eq!((&report["agents"][1]["forfeits"], &report["agents"][1]["out_of_time"]), (&2.into(), &2.into()));
    assert_eq!(report["clock"], "700ms+10ms");
    let text = stdout(&["report", &db]);
    assert!(text.contains("on time") && text.contains("a clock of 700ms+10ms per player and game"), "{text}");
    assert!(stdout(&["replay", &db, "0"]).contains("forfeits the game: its time ran out"));
}

#[test]
fn a_program_that_knows_no_clocks_gets_a_time_to_keep_to_and_one_that_does_gets_all_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let heard = folder.path().join("heard");
    let spy = script(folder.path(), "spy", "", &format!("echo \"$clock: $rest\" >> '{}'", heard.display()));
    let more = ["--games", "2", "--clock", "60s+0.5s"];
    let games = games(folder.path(), &format!("{spy} random"), &more);
    assert!(games.iter().all(|game| game["ending"] == "normal"), "{games:?}");
    let heard = fs::read_to_string(heard).expect("it was asked");
    let mut questions = 0;
    for line in heard.lines() {
        let (clock, go) = line.split_once(": ").expect("both");
        let words: Vec<&str> = clock.split(' ').collect();
        assert_eq!((words.len(), words[2], words[3]), (4, "increment", "500"), "{line}");
        let left: Vec<f64> = words[..2].iter().map(|time| time.parse().expect("a number")).collect();
        // Nobody takes half a second here, so that the clocks stay full.
        assert!(left.iter().all(|&left| left > 50_000.0), "{line}");
        let time = go.strip_prefix("time ").and_then(|rest| rest.split(' ').next()).expect("a time");
        let time: f64 = time.parse().expect("a number");
        assert!(time > 500.0 && time < left[0] / 2.0, "{line}");
        questions += 1;
    }
    assert!(questions > 20, "{questions}");
    // With a further limit, both are sent.
    let heard = folder.path().join("most");
    let spy = script(folder.path(), "second", "", &format!("echo \"$clock: $rest\" >> '{}'", heard.display()));
    let seen = games_of_tree(&spy);
    assert!(seen, "the game was played");
    let line = fs::read_to_string(heard).expect("it was asked");
    assert!(line.starts_with("60000 60000 60000 increment 0 most 250: time 250 ply "), "{line}");
}

/// Plays one game of a small tree with a clock and a time for each decision.
fn games_of_tree(spy: &str) -> bool {
    let args = ["tournament", "tree", "--agents", spy, "--games", "1", "--clock", "60s", "--time", "250ms", "--quiet"];
    stdout(&args).contains("games")
}

#[test]
fn an_engine_plans_its_own_time_by_its_clock() {
    let ask = |lines: &str| {
        let output = nply_with(&["engine", "focus", "--agent", "brs"], lines);
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("text")
    };
    let started = std::time::Instant::now();
    let clock = "clock 4000 9000 9000 9000 increment 0";
    // What the driver planned, an hour, is not what it takes.
    for go in ["go time 3600000", "go", "go ply 40"] {
        assert!(ask(&format!("{clock}\n{go}\n")).contains("\nmove "), "{go}");
    }
    assert!(ask("clock 3600000 1 1 1 increment 0 most 50\ngo\n").contains("\nmove "));
    assert!(started.elapsed() < std::time::Duration::from_secs(60));
    // The line is for one question.
    assert!(ask(&format!("{clock}\ngo nodes 5\ngo nodes 5\n")).matches("move ").count() == 2);
    assert_eq!(ask("clock 1 2\ngo nodes 5\n"), "error the clock has 2 times, and there are 4 players\n");
    assert_eq!(ask("clock 1 increment soon\ngo nodes 5\n"), "error increment \"soon\" is not a time\n");
}

#[test]
fn engines_and_agents_play_by_the_clock_without_running_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = format!("program:path=({NPLY}),args=(engine othello --agent brs)");
    let games = games(folder.path(), &format!("{engine} maxn"), &["--games", "2", "--clock", "2s+50ms"]);
    for game in &games {
        assert_eq!(game["ending"], "normal", "{game}");
        for seat in 0..2 {
            let (time, moves) = (game["time_ms"][seat].as_f64().unwrap(), game["decisions"][seat].as_f64().unwrap());
            assert!(time <= 2000.0 + 50.0 * moves, "{game}");
            assert!(time > 500.0, "it has two seconds, and thinks: {game}");
        }
    }
}

#[test]
fn the_check_of_a_program_covers_clocks() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, at_go, is_good) in [("good", "", true), ("slow", "case $clock in 2000*) sleep 20 ;; esac", false)] {
        script(folder.path(), name, "", at_go);
        let path = folder.path().join(name).to_str().expect("a plain path").to_string();
        let output = nply(&["engine-check", "--game", "rolit", "--grace", "20s", "sh", &path]);
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.success(), is_good, "{text}");
        assert!(text.contains("ok       a clock with a minute left: answered in "), "{text}");
        let line = if is_good {
            "ok       a clock with two seconds"
        } else {
            "failed   a clock with two seconds left: its time"
        };
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn adjudicated_games_are_told_from_others_in_reports_and_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, csv) = (folder.path().join("games.db"), folder.path().join("games.csv"));
    let (db, csv) = (db.to_str().expect("a plain path"), csv.to_str().expect("a plain path"));
    let args = ["tournament", "rolit", "--agents", "random greedy", "--games", "2", "--players", "2", "--quiet"];
    let text = stdout(&[&args[..], &["--adjudicate", "repetition=3,plies=5", "--db", db, "--csv", csv]].concat());
    let words = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let totals =
        "games distinct draws by the ply limit adjudicated forfeits plies advantage of seat 1 2 2 0 0 2 0 5.0 (5 to 5)";
    assert!(words.contains(totals), "{text}");
    let games = fs::read_to_string(csv).expect("the games");
    assert_eq!(games.matches(",adjudicated,,5 plies were played\n").count(), 2, "{games}");
    assert!(stdout(&["replay", db, "0"]).contains("\nthe game is adjudicated: 5 plies were played\n"));
    let (code, message) = failure(&[&args[..], &["--db", db]].concat());
    assert!(code == 1 && message.contains("has the adjudicate \"repetition=3,plies=5\", not \"\""), "{message}");
    for (option, wrong, expected) in [
        ("--adjudicate", "repetition", "repetition"),
        ("--adjudicate", "plies=0", "plies does not take \"0\""),
        ("--clock", "60", "\"60\" is not a clock; write 60s or 60s+0.5s"),
        ("--clock", "0s+1s", "is not a clock"),
    ] {
        let (code, message) = failure(&[&args[..], &[option, wrong]].concat());
        assert!(code == 2 && message.contains(expected), "{option} {wrong}: {message}");
    }
}

#[test]
fn a_name_is_what_an_agent_is_called_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain path").to_string();
    let (db, csv, plots) = (path("games.db"), path("games.csv"), path("plots"));
    let args = ["tournament", "rolit", "--players", "2", "--games", "2", "--db", &db, "--quiet", "--agents"];
    let agents = "fast=brs:nodes=20 slow_2.0=brs:nodes=40";
    let text = stdout(&[&args[..], &[agents, "--csv", &csv, "--svg", &plots]].concat());
    assert!(text.lines().filter(|line| line.starts_with("fast ")).count() == 3, "{text}");
    assert!(!text.contains("brs"), "{text}");
    let games = fs::read_to_string(csv).expect("the games");
    assert!(games.contains(",fast slow_2.0,") && games.contains(",slow_2.0 fast,"), "{games}");
    assert!(fs::read_to_string(format!("{plots}/tournament-rates.svg")).expect("a plot").contains(">slow_2.0<"));
    let report: Value = serde_json::from_str(&stdout(&["report", &db, "--json"])).expect("JSON");
    let agent = &report["agents"][1];
    assert_eq!((&agent["agent"], &agent["settings"]), (&"slow_2.0".into(), &"brs:nodes=40".into()));
    assert!(stdout(&["replay", &db, "1"]).contains("plays") && stdout(&["replay", &db, "1"]).contains("(fast)"));
    // Names are labels: without them the match is the same, with others it is not.
    stdout(&[&args[..], &["brs:nodes=20 brs:nodes=40"]].concat());
    let (code, message) = failure(&[&args[..], &["quick=brs:nodes=20 brs:nodes=40"]].concat());
    assert!(code == 1 && message.contains("has the names \"fast slow_2.0\", not \"quick \""), "{message}");
    for (wrong, expected) in [
        ("a=brs a=random", "two agents are called \"a\""),
        ("brs=random brs", "two agents are called \"brs\""),
        ("a/b=brs random", "\"a/b\" cannot be the name of an agent"),
        ("=brs random", "\"\" cannot be the name of an agent"),
    ] {
        let (code, message) = failure(&[&args[..], &[wrong]].concat());
        assert!(code == 2 && message.contains(expected) && message.contains("help: "), "{wrong}: {message}");
    }
    let file = path("matches.toml");
    let matches = "game = 'rolit'\nplayers = 2\ngames = 2\nnodes = 20\n[[match]]\nname = 'one'\n\
        agents = ['a=random', { name = 'brs', label = 'b', nodes = 9 }]\n";
    fs::write(&file, matches).expect("a file");
    let text = stdout(&["tournament", &file, "--quiet"]);
    assert!(text.contains("\na  ") && text.contains("\nb  ") && !text.contains("brs"), "{text}");
}

#[test]
fn a_program_is_called_by_its_own_name_unless_it_is_given_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = script(folder.path(), "named", "echo name Deep Thought, v1.0", "");
    let nameless = script(folder.path(), "nameless", "", "");
    let called = |agents: &str| {
        let games = games(folder.path(), agents, &["--games", "2"]);
        let seats = games[0]["seats"].as_array().expect("a list").clone();
        seats.into_iter().map(|seat| seat.as_str().expect("a text").to_string()).collect::<Vec<String>>()
    };
    assert_eq!(called(&format!("{named} {named},grace=2s")), ["Deep-Thought-v1.0", "Deep-Thought-v1.0-2"]);
    assert_eq!(called(&format!("mine={named} random")), ["mine", "random"]);
    assert_eq!(called(&format!("{named} Deep-Thought-v1.0=random")), ["Deep-Thought-v1.0-2", "Deep-Thought-v1.0"]);
    assert!(called(&format!("{nameless} random"))[0].starts_with("program:path=sh,args="));
    // A match that another program of the same path began is not resumed.
    let db = folder.path().join("games.db").to_str().expect("a plain path").to_string();
    let _ = fs::remove_file(&db);
    let agents = format!("{named} random");
    let args =
        |games: &'static str| ["tournament", "othello", "--agents", &agents, "--db", &db, "--quiet", "--games", games];
    stdout(&args("2"));
    script(folder.path(), "named", "echo name Deep Thought v1.1", "");
    let (_, message) = failure(&args("4"));
    assert!(message.contains("has the names \"Deep-Thought-v1.0 \", not \"Deep-Thought-v1.1 \""), "{message}");
    script(folder.path(), "named", "", "");
    stdout(&args("4"));
}
