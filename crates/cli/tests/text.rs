//! Games as text, in and out: reports, replays and saved games.

mod common;

use std::path::Path;

use common::{failure, nply, nply_with, stdout};
use serde_json::Value;

/// A small tournament in a file, and the same games as text.
fn sample(folder: &Path) -> [String; 2] {
    let [db, text] = ["games.db", "games.npgn"].map(|name| folder.join(name).display().to_string());
    for (name, game) in [("first", "connect-four:columns=5,rows=4"), ("second", "hearts")] {
        let agents = "greedy:noise=no wild=random maxn:depth=1,noise=no";
        let args = ["tournament", game, "--players", "3", "--agents", agents, "--games", "6", "--nodes", "100"];
        stdout(&[&args[..], &["--db", &db, "--match", name, "--quiet"]].concat());
    }
    std::fs::write(&text, stdout(&["report", &db, "--list-games", "--format", "npgn"])).unwrap();
    [db, text]
}

#[test]
fn a_text_of_games_gives_the_same_reports_and_replays_as_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let [db, text] = sample(folder.path());
    for args in [
        &["report", "FILE"][..],
        &["report", "FILE", "--format", "latex", "--match", "second"],
        &["report", "FILE", "--json"],
        &["report", "FILE", "--list-games", "--format", "csv"],
        &["report", "FILE", "--list-games", "--json"],
        &["report", "FILE", "--list-games", "--format", "npgn"],
        &["report", "FILE", "--list-games", "--format", "npgn", "--match", "first"],
        &["replay", "FILE", "first/3"],
        &["replay", "FILE", "2", "--match", "second"],
        &["replay", "FILE", "second/5", "--json"],
    ] {
        let of =
            |file: &str| stdout(&args.iter().map(|&arg| if arg == "FILE" { file } else { arg }).collect::<Vec<&str>>());
        assert_eq!(of(&text), of(&db), "{args:?}");
        assert!(!of(&text).is_empty(), "{args:?}");
    }
    for (args, message) in [
        (&["replay", &text, "3"][..], "name one of first, second with --match"),
        (&["replay", &text, "first/99"], "it has 6 games, from 0 to 5"),
        (&["replay", &text, "third/1"], "unknown match \"third\""),
        (&["replay", &text, "--match", "first"], "match first has 6 games"),
        (&["report", &text, "--list-games", "--format", "npgn", "--match", "third"], "unknown match \"third\""),
        (&["report", &text, "--format", "npgn"], "write --list-games --format npgn"),
        (&["reproduce", "brs-2011-4", "--format", "npgn"], "is not written as games are"),
        (&["replay", &db, "first/1", "--step", "--json"], "--step is for people"),
    ] {
        let (_, found) = failure(args);
        assert!(found.contains(message), "{args:?}: {found}");
    }
    // What is not a game by the rules is refused, with its line.
    let damaged = folder.path().join("damaged.npgn").display().to_string();
    let whole = std::fs::read_to_string(&text).unwrap();
    let (before, after) = whole.split_once("\n1. ").unwrap();
    std::fs::write(&damaged, format!("{before}\n1. z9 {}", after.split_once(' ').unwrap().1)).unwrap();
    let (code, message) = failure(&["report", &damaged]);
    assert!(
        code == 1 && message.contains("damaged.npgn line 1") && message.contains("no legal move \"z9\""),
        "{message}"
    );
    // One game twice.
    let twice = std::fs::read_to_string(&text).unwrap().repeat(2);
    std::fs::write(&damaged, twice).unwrap();
    assert!(failure(&["report", &damaged]).1.contains("game 0 of match \"first\" stands there twice"));
    // Two games under one name.
    let mixed = std::fs::read_to_string(&text).unwrap().replace("\"second\"", "\"first\"");
    std::fs::write(&damaged, mixed).unwrap();
    assert!(
        failure(&["report", &damaged])
            .1
            .contains("has games with the game \"connect-four:columns=5,rows=4\" and with \"hearts\"")
    );
}

#[test]
fn a_person_steps_through_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let [db, text] = sample(folder.path());
    let whole = stdout(&["replay", &db, "first/0"]);
    let plies = whole.lines().filter(|line| line.contains(" plays ")).count();
    for file in [&db, &text] {
        let input = "\nn\nb\n5\ng 2\n\x1b[C\n\x1b[D\nlast\nn\nwhat\nfirst\n99\nb\n";
        let output = nply_with(&["replay", file, "first/0", "--step"], input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let shown = String::from_utf8(output.stdout).unwrap();
        let at: Vec<&str> = shown.lines().filter_map(|line| line.split("> ").next()?.strip_prefix("ply ")).collect();
        let at: Vec<usize> = at.into_iter().map(|at| at.split(' ').next().unwrap().parse().unwrap()).collect();
        assert_eq!(at, [0, 1, 2, 1, 5, 2, 3, 2, plies, plies, plies, 0, 0, 0], "{shown}");
        assert!(
            shown.contains(&format!("the game has {plies} plies")) && shown.contains("Enter or n: forward"),
            "{shown}"
        );
        // Every ply looks as in the whole replay.
        for part in whole.split("\n\n").filter(|part| part.contains(" plays ")) {
            let number: usize = part.trim().split('.').next().unwrap().parse().unwrap();
            assert_eq!(shown.contains(part.trim()), at.contains(&number), "{part}");
        }
        assert!(shown.contains("shares of the win: "), "{shown}");
        // Quitting ends it, and so does the end of the input.
        let output = nply_with(&["replay", file, "first/0", "--step"], "q\n\n\n");
        assert_eq!(String::from_utf8(output.stdout).unwrap().matches("> ").count(), 1);
        assert!(nply(&["replay", file, "first/0", "--step"]).status.success());
    }
}

/// The lines of a game that is played as JSON.
fn played(args: &[&str], input: &str) -> Vec<Value> {
    let output = nply_with(&[args, &["--json"]].concat(), input);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_saved_game_is_resumed_with_its_budgets_settings_and_hints() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("evening.npgn").display().to_string();
    let seats = "human brs:noise=no maxn:depth=1";
    let start = ["play", "connect-four:columns=5,rows=4", "--players", "3", "--seats", seats];
    let first =
        played(&[&start[..], &["--nodes", "37", "--hint", "maxn:depth=2"]].concat(), &format!("b\nsave {saved}\n"));
    assert_eq!(first.len(), 3, "{first:?}");
    let text = std::fs::read_to_string(&saved).unwrap();
    for line in [
        "[Game \"connect-four:columns=5,rows=4\"]",
        "[Seat2 \"brs:",
        "[Seat3 \"maxn:depth=1\"]",
        "[Budget \"nodes=37\"]",
        "[Hint \"maxn:depth=2\"]",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    // The next move of the person, then those of the agents, with what they had.
    let moves = stdout(&["replay", &saved, "--json"]);
    let moves: Vec<Value> = moves.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((moves.len(), &moves[3]["ending"]), (4, &"unfinished".into()));
    let position = moves[2]["position"].as_str().unwrap();
    let legal = stdout(&["moves", "connect-four:columns=5,rows=4", "--players", "3", "--position", position]);
    let next = format!("hint\n{}\n", legal.lines().next().unwrap());
    let resumed = played(&["play", "connect-four:columns=5,rows=4", "--resume", &saved], &next);
    let nodes: Vec<u64> = resumed[1..].iter().map(|line| line["nodes"].as_u64().unwrap()).collect();
    assert_eq!(nodes.len(), 2, "{resumed:?}");
    assert!(nodes[0] > 1 && nodes[0] <= 37, "{resumed:?}");
    assert_eq!(resumed[2]["depth"], 1, "{resumed:?}");
    let output = nply_with(&["play", "connect-four:columns=5,rows=4", "--resume", &saved], &next);
    assert!(String::from_utf8_lossy(&output.stdout).contains("maxn:depth=2: "), "the hint is the one asked for");
    // The command line comes first.
    let resumed = played(&["play", "connect-four:columns=5,rows=4", "--resume", &saved, "--nodes", "11"], &next);
    assert!(resumed[1]["nodes"].as_u64().unwrap() <= 11, "{resumed:?}");
    let (code, message) = failure(&["play", "focus", "--resume", &saved]);
    assert!(code == 2 && message.contains("is a game of connect-four:columns=5,rows=4, not of focus"), "{message}");
    std::fs::write(&saved, text.repeat(2)).unwrap();
    assert!(failure(&["play", "connect-four:columns=5,rows=4", "--resume", &saved]).1.contains("holds several games"));
}

#[test]
fn a_game_that_an_older_version_saved_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved").display().to_string();
    std::fs::write(&saved, "game tree\nplayers 3\nseed 1\nseats human human human\nmoves 2\n").unwrap();
    let output = nply_with(&["play", "tree", "--resume", &saved], "2\n");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("player 2 (human): 0.5 of the win") && text.contains("points: 0 5 5"), "{text}");
}

#[test]
fn four_player_chess_is_read_and_written_as_other_programs_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let [theirs, ours, back] =
        ["x.pgn4", "x.npgn", "y.pgn4"].map(|name| folder.path().join(name).display().to_string());
    let fen4 = stdout(&["show", "four-player-chess", "--notation", "fen4"]);
    assert!(fen4.starts_with("R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR,"), "{fen4}");
    let shown = stdout(&["show", "four-player-chess", "--position", fen4.trim()]);
    assert_eq!(shown, stdout(&["show", "four-player-chess"]));
    let (code, message) = failure(&["show", "focus", "--notation", "fen4"]);
    assert!(code == 2 && message.contains("positions of focus are not written as FEN4"), "{message}");
    let tags =
        format!("[GameNr \"4\"]\n[Variant \"FFA\"]\n[RuleVariants \"EnPassant\"]\n[StartFen4 \"{}\"]\n", fen4.trim());
    std::fs::write(&theirs, format!("{tags}\n1. d2-d4 .. b8-c8 .. k13-k11 .. m8-l8\n2. Nj1-i3\n")).unwrap();
    std::fs::write(&ours, stdout(&["report", &theirs, "--list-games", "--format", "npgn"])).unwrap();
    std::fs::write(&back, stdout(&["report", &ours, "--list-games", "--format", "pgn4"])).unwrap();
    assert_eq!(stdout(&["report", &back, "--list-games", "--format", "npgn"]), std::fs::read_to_string(&ours).unwrap());
    assert_eq!(stdout(&["replay", &theirs, "4"]), stdout(&["replay", &ours]));
    assert!(stdout(&["replay", &theirs]).contains("5. player 1 (?) plays j1-i3"), "their game is shown");
    let args = ["play", "four-player-chess", "--resume", &theirs, "--seats", "human human human human"];
    assert!(String::from_utf8_lossy(&nply_with(&args, "quit\n").stdout).contains("player 2> "));
    // What PGN4 cannot tell is left out and counted; if that is everything, it is an error.
    let text = std::fs::read_to_string(&ours).unwrap();
    let bent = "1. e2-e4 b4-c4 d13-d12 m4-l4 5. e4-e5 b5-c5 e13-e12 m5-l5 9. e5-f5 *\n\n";
    let bent = format!("{}\n\n{bent}", text.split_once("\n\n").unwrap().0)
        .replace("\"4\"]", "\"5\"]")
        .replace("[Players \"5\"]", "[Players \"4\"]");
    std::fs::write(&ours, format!("{text}{bent}")).unwrap();
    let output = nply(&["report", &ours, "--list-games", "--format", "pgn4"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("[Variant").count(), 1);
    let note = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(note.contains("1 games are left out") && note.contains("ply 9: the pawn on e5 bends off"), "{note}");
    std::fs::write(&ours, bent).unwrap();
    let (code, message) = failure(&["report", &ours, "--list-games", "--format", "pgn4"]);
    assert!(code == 1 && message.contains("ply 9: the pawn on e5 bends off"), "{message}");
}
