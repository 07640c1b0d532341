//! `nply tournament --openings`, and what other commands show of openings.

mod common;

use std::fs;
use std::path::Path;

use common::{failure, stdout};

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a plain path").into()
}

fn lines(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON object per line")).collect()
}

#[test]
fn openings_are_kept_reported_replayed_and_written_as_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, book, text) =
        (path(folder.path(), "games.db"), path(folder.path(), "book.txt"), path(folder.path(), "games.npgn"));
    fs::write(&book, "c4 c3 # two plies\n\nmoves f5\n").expect("a file");
    let base = ["tournament", "othello", "--agents", "greedy random", "--nodes", "50", "--db", &db, "--quiet"];
    let args = |more: &[&'static str]| [&base[..], &["--openings", &book], more].concat().join("\n");
    let run = |args: &str| stdout(&args.split('\n').collect::<Vec<&str>>());
    let report = lines(&run(&args(&["--games", "4", "--json"]))).remove(0);
    assert!(report["openings"].as_str().is_some_and(|text| text.starts_with("book.txt#")), "{report}");
    let games = lines(&stdout(&["report", &db, "--list-games", "--json"]));
    let openings: Vec<String> = games.iter().map(|game| game["opening"].to_string()).collect();
    assert_eq!(openings, [r#"["c4","c3"]"#, r#"["c4","c3"]"#, r#"["f5"]"#, r#"["f5"]"#]);
    let csv = stdout(&["report", &db, "--list-games", "--format", "csv"]);
    assert!(csv.lines().next().is_some_and(|header| header.contains(",position,opening,moves,")), "{csv}");
    // A game is replayed without the file, from its opening on.
    fs::remove_file(&book).expect("it is there");
    let replay = stdout(&["replay", &db, "0"]);
    assert!(replay.contains("\n1. the opening has player 1 (") && replay.contains(") play c4\n"), "{replay}");
    assert!(replay.contains("\n3. player 1 ("), "{replay}");
    let plies = lines(&stdout(&["replay", &db, "0", "--json"]));
    let is_opening: Vec<bool> = plies.iter().take(3).map(|ply| ply["opening"] == true).collect();
    assert_eq!((is_opening, &plies[0]["depth"]), (vec![true, true, false], &serde_json::Value::Null));
    // The text has the same games and tables.
    fs::write(&text, stdout(&["report", &db, "--list-games", "--format", "npgn"])).expect("a file");
    assert_eq!(lines(&stdout(&["report", &text, "--list-games", "--json"])), games);
    assert_eq!(stdout(&["report", &text]), stdout(&["report", &db]));
    // A changed file is not the one that the match began with.
    fs::write(&book, "c4 c3\nf5 f6\n").expect("a file");
    let more = args(&["--games", "8"]);
    let (status, message) = failure(&more.split('\n').collect::<Vec<&str>>());
    assert!(status == 1 && message.contains("the openings of book.txt have changed since match"), "{message}");
    fs::write(&book, "c4 c3\nf5").expect("a file");
    run(&more);
    assert_eq!(lines(&stdout(&["report", &db, "--list-games", "--json"])).len(), 8);
}

#[test]
fn a_bad_opening_is_reported_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, book) = (path(folder.path(), "games.db"), path(folder.path(), "book.txt"));
    fs::write(&book, "c4\nc4 a1\n").expect("a file");
    let base = ["tournament", "othello", "--agents", "random", "--games", "2", "--db", &db, "--openings"];
    for (openings, code, expected) in [
        (book.as_str(), 1, "book.txt line 2: move 2: no legal move \"a1\" here"),
        ("random:0", 2, "\"random:0\" is no number of random plies"),
        ("random:200", 2, "openings of 200 random plies end the game"),
        ("missing", 1, "cannot read missing"),
    ] {
        let (status, message) = failure(&[&base[..], &[openings]].concat());
        assert!(status == code && message.contains(expected) && message.contains("help: "), "{message}");
        assert!(!Path::new(&db).exists(), "{openings}");
    }
}

#[cfg(unix)]
#[test]
fn an_outside_program_gets_the_position_and_the_ply_after_the_opening() {
    let folder = tempfile::tempdir().expect("a folder");
    let (agent, log) = (path(folder.path(), "agent.sh"), path(folder.path(), "log"));
    let script = format!(
        "#!/bin/sh
while read line; do
    echo \"$line\" >> {log}
    case $line in nply*) echo ready;; moves*) set -- $line;; go*) echo move $2;; quit) exit;; esac
done
"
    );
    fs::write(&agent, script).expect("a file");
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let (book, agents) = (path(folder.path(), "book.txt"), format!("program:path={agent},patience=1m random"));
    fs::write(&book, "c4 c3\n").expect("a file");
    // One game after the other, or the log has the lines of two programs in any order.
    let agents = ["--agents", &agents, "--threads", "1"];
    stdout(&[&["tournament", "othello", "--games", "2", "--depth", "1", "--openings", &book], &agents[..]].concat());
    let log = fs::read_to_string(&log).expect("it was asked");
    let position = stdout(&["show", "othello", "--moves", "c4 c3", "--json"]);
    let position: serde_json::Value = serde_json::from_str(&position).expect("JSON");
    let position = position["position"].as_str().expect("a position");
    let starts: Vec<usize> = log.match_indices("\ngame ").map(|(at, _)| at).collect();
    // It moves first in one game and second in the other; the label of a program is asked for without a game.
    assert_eq!(starts.len(), 2, "{log}");
    assert!(log.contains(&format!("position {position}\nturn 1\n")), "{log}");
    assert!(log.contains("\nplayed c4 c3\ngo depth 1 ply 2\n"), "{log}");
    assert!(log.lines().any(|line| line.starts_with("played c4 c3 ") && line.split(' ').count() == 4), "{log}");
    assert!(log.contains("\ngo depth 1 ply 3\n") && !log.contains("ply 0\n"), "{log}");
}
