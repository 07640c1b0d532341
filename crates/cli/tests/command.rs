//! The command as scripts see it: what it prints where, and how it ends.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn nply(args: &[&str]) -> Output {
    nply_with(args, "")
}

fn nply_with(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nply"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// What goes to standard output of a command that must succeed.
fn stdout(args: &[&str]) -> String {
    let output = nply(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The exit status and the message of a command that must fail.
fn failure(args: &[&str]) -> (i32, String) {
    let output = nply(args);
    assert!(!output.status.success(), "{args:?} succeeds");
    assert!(output.stdout.is_empty(), "{args:?} prints a result: {}", String::from_utf8_lossy(&output.stdout));
    (output.status.code().expect("no signal"), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn legal_moves_are_listed_one_per_line() {
    assert_eq!(stdout(&["moves", "tree"]), "1\n2\n");
    assert_eq!(stdout(&["moves", "tree", "--moves", "1"]), "over 1 0 0\n");
    assert_eq!(
        stdout(&["moves", "tree", "--moves", "2", "--json"]),
        "{\"moves\":[\"1\",\"2\"],\"payoff\":null,\"turn\":2}\n"
    );
}

#[test]
fn perft_prints_a_line_for_each_depth() {
    assert_eq!(stdout(&["perft", "tree", "--depth", "3"]), "1 2\n2 2\n3 0\n");
    assert_eq!(stdout(&["perft", "tree", "--depth", "2", "--divide"]), "1 2\n2 2\n1 0\n2 2\n");
}

#[test]
fn perft_is_the_same_on_any_number_of_threads() {
    let tree = "(1 (2 (3 1,1,1 (1 1,1,1 2,2,2)) (3 (1 0,0,0 1,1,1) 0,0,0)) (2 (3 (1 1,1,1) 1,1,1)))";
    let perft =
        |threads| stdout(&["perft", "tree", "--position", tree, "--depth", "4", "--divide", "--threads", threads]);
    assert_eq!(perft("1"), perft("4"));
    assert!(perft("1").contains("4 5\n"), "{}", perft("1"));
}

#[test]
fn bad_words_are_answered_with_what_would_be_right() {
    for (args, code, expected) in [
        (&["show", "tre"][..], 2, "did you mean tree?"),
        (&["show", "tree:sums=3"], 2, "did you mean sum?"),
        (&["show", "tree:sum=x"], 2, "sum takes largest|0 to 6000000"),
        (&["show", "tree", "--players", "9"], 2, "it is for 2, 3, 4, 5, 6"),
        (&["show", "tree", "--position", "(1 2,3"], 1, "expected a child or `)` at character 7, found the end"),
        (&["moves", "tree", "--moves", "2 7"], 1, "move 2: no legal move \"7\" here"),
        (&["moves", "tree", "--moves", "1 1"], 1, "the game is over"),
        (&["search", "tree", "--agent", "greed", "--depth", "2"], 2, "did you mean greedy?"),
        (&["search", "tree", "--agent", "greedy:eval=x", "--depth", "1"], 2, "eval takes leaves"),
        (&["search", "tree", "--agent", "random", "--nodes", "many"], 2, "not a count; write 250, 250k or 1M"),
        (&["search", "tree", "--agent", "random", "--time", "5"], 2, "not a time; write 200ms, 1.5s or 2m"),
        (&["search", "tree", "--agent", "random"], 2, "--nodes <N>"),
        (&["search", "tree", "--agent", "random", "--moves", "1", "--depth", "1"], 1, "the game is over"),
        (&["perft", "tree", "--depth", "0"], 2, "0 is not in 1..=1000"),
        (&["play", "tree", "--seats", "human"], 2, "3 players need as many seats, and 1 are given"),
        (&["play", "tree", "--resume", "no-such-file"], 1, "cannot read no-such-file"),
        (&["tournament", "tree", "--agents", "", "--games", "1"], 2, "needs agents"),
        (&["tournament", "tree", "--agents", "random", "--games", "0"], 2, "0 games"),
        (&["nonsense"], 2, "unrecognized subcommand"),
    ] {
        let (found, message) = failure(args);
        assert!(message.contains(expected), "{args:?}: {message}");
        assert_eq!(found, code, "{args:?}: {message}");
    }
}

#[test]
fn a_person_can_play_take_back_ask_save_and_go_on() {
    let folder = std::env::temp_dir().join(format!("nply-play-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("game.txt");
    let name = file.to_str().expect("a plain path");
    let input = format!("2\nundo\nbad\nmoves\nhelp\n2\nsave {name}\n");
    let output = nply_with(&["play", "tree", "--seats", "human human human"], &input);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("no legal move \"bad\" here") && text.contains("no more input"), "{text}");
    let saved = std::fs::read_to_string(&file).expect("it was saved");
    assert_eq!(saved, "game tree\nplayers 3\nseed 1\nseats human human human\nmoves 2\n");
    let output = nply_with(&["play", "tree", "--resume", name], "2\n");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("player 2 (human): 0.5 of the win") && text.contains("points: 0 5 5"), "{text}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let (completions, manual) = (stdout(&["completions", "bash"]), stdout(&["man"]));
    for command in ["games", "agents", "show", "moves", "perft", "search", "play", "tournament", "engine"] {
        assert!(completions.contains(command) && manual.contains(command), "{command}");
    }
}
