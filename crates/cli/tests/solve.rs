//! `nply solve`: answers, files of proofs, and what is refused.

mod common;

use std::fs;

use common::{failure, stdout};

/// Player 1 is sure of 5, player 2 of 2 and player 3 of 1.
const TREE: &str = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))";

fn solve(args: &[&str]) -> String {
    stdout(&[&["solve", "tree", "--position", TREE], args].concat())
}

/// The line of the output that starts with a word.
fn line<'a>(text: &'a str, word: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    line.unwrap_or_else(|| panic!("no line {word:?} in\n{text}")).trim()
}

#[test]
fn the_most_that_a_player_is_sure_of_is_found() {
    for (player, value) in [("1", "points of 5"), ("2", "points of 2"), ("3", "points of 1")] {
        assert_eq!(line(&solve(&["--player", player]), "value"), value, "player {player}");
    }
    assert_eq!(line(&solve(&["--player", "1"]), "line"), "2 2");
    assert_eq!(line(&solve(&["--player", "3", "--by", "share"]), "value"), "share of 0");
    let json: serde_json::Value = serde_json::from_str(&solve(&["--player", "1", "--json"])).unwrap();
    assert_eq!((&json["least"], &json["most"], &json["by"]), (&5.into(), &5.into(), &"points".into()));
    assert_eq!(json["line"], serde_json::json!(["2", "2"]));
}

#[test]
fn one_amount_is_proved_or_disproved_or_stays_open() {
    assert_eq!(line(&solve(&["--player", "1", "--at-least", "5"]), "answer"), "proved");
    assert_eq!(line(&solve(&["--player", "1", "--at-least", "6"]), "answer"), "disproved");
    assert_eq!(line(&solve(&["--player", "1", "--at-least", "6", "--nodes", "0"]), "answer"), "unknown");
    assert_eq!(line(&solve(&["--player", "1", "--at-least", "1/2", "--by", "share"]), "answer"), "disproved");
    let open = solve(&["--player", "1", "--nodes", "0"]);
    assert_eq!(line(&open, "value"), "points from 0 to 18");
    let three = ["solve", "connect-four:columns=3,rows=3,line=3", "--players", "2", "--player"];
    assert_eq!(line(&stdout(&[&three[..], &["1"]].concat()), "value"), "share of 1/2");
}

#[test]
fn small_boards_are_solved_in_no_time() {
    for (player, discs) in [("1", "discs of 3"), ("2", "discs of 3"), ("3", "discs of 3")] {
        let text = stdout(&["solve", "rolit:size=4", "--players", "3", "--player", player, "--table", "1M"]);
        assert_eq!(line(&text, "value"), discs);
        assert_eq!(line(&text, "line").split(' ').count(), 12, "{text}");
    }
}

#[test]
fn a_proof_is_written_and_verified_and_a_wrong_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let path = path.to_str().unwrap();
    let text = stdout(&["solve", "rolit:size=4", "--players", "4", "--player", "4", "--proof", path]);
    assert!(text.contains("proof   discs of at least 1: 0 positions"), "{text}");
    assert!(text.contains("proof   discs of less than 2: "), "{text}");
    let verified = stdout(&["solve", "--verify", path]);
    assert!(verified.starts_with("rolit:size=4, 4 players: .....RY..BG..... R\n"), "{verified}");
    assert_eq!(verified.matches("verified: player 4 gets points of ").count(), 2, "{verified}");
    let json: serde_json::Value = serde_json::from_str(&stdout(&["solve", "--verify", path, "--json"])).unwrap();
    assert_eq!((&json["verified"][1]["proved"], &json["verified"][1]["at_least"]), (&false.into(), &"2".into()));

    let bytes = fs::read(path).unwrap();
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap();
    let (head, rest) = (String::from_utf8(bytes[..end].to_vec()).unwrap(), &bytes[end..]);
    let refused = |head: &str, rest: &[u8]| {
        fs::write(path, [head.as_bytes(), rest].concat()).unwrap();
        let (code, error) = failure(&["solve", "--verify", path]);
        assert!(code > 0, "{error}");
        error
    };
    // A claim that is not true.
    let error = refused(&head.replace("disproved 2 ", "disproved 1 "), rest);
    assert!(error.contains("the proof is wrong: ") && error.contains("; position "), "{error}");
    // Another position than the proof is about.
    let error = refused(&head.replace("RY..BG..... R", "RY..BG..... G"), rest);
    assert!(error.contains("the proof is wrong: "), "{error}");
    assert!(refused(&head, &rest[..rest.len() - 1]).contains("damaged: it ends too early"));
    assert!(refused(&head.replace("players 4", "players 5"), rest).contains("it is for 2, 3, 4"));
    assert!(refused(&head.replace("rolit", "rolt"), rest).contains("did you mean \"rolit\"?"));
    assert!(refused("x", b"").contains("not a file of proofs"));
    let few = ["--proof", path, "--proof-limit", "3"];
    let (code, error) = failure(&[&["solve", "rolit:size=4", "--players", "4", "--player", "4"][..], &few].concat());
    assert_eq!(code, 1);
    assert!(error.contains("no proof was written: the proof chooses more than 3 moves"), "{error}");
}

#[test]
fn kept_proofs_are_verified() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/proofs");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let verified = stdout(&["solve", "--verify", path.to_str().unwrap()]);
        // What the player is sure of, and that it is not more.
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let [_, size, players, player] = name.split('-').collect::<Vec<&str>>()[..] else { panic!("{name}") };
        let game = if size == "8" { "rolit".into() } else { format!("rolit:size={size}") };
        assert!(verified.starts_with(&format!("{game}, {players} players: ")), "{name}: {verified}");
        let amounts = |claim: &str| {
            let head = format!("verified: player {player} gets points of {claim} ");
            let amount =
                verified.lines().find_map(|line| line.strip_prefix(&head)?.split(':').next()?.parse::<u32>().ok());
            amount.unwrap_or_else(|| panic!("{name}: {verified}"))
        };
        assert_eq!(amounts("at least") + 1, amounts("less than"), "{name}");
        names.push((format!("{size}-{players}"), player.to_string(), amounts("at least")));
    }
    names.sort();
    let values = |board: &str| -> Vec<u32> {
        names.iter().filter(|(name, ..)| name == board).map(|(_, _, value)| *value).collect()
    };
    assert_eq!(["4-2", "4-3", "4-4"].map(values), [vec![7, 9], vec![3, 3, 3], vec![2, 2, 2, 1]]);
    assert_eq!(["6-3", "6-4"].map(values), [vec![0, 1, 0], vec![0, 0, 0, 1]]);
    assert_eq!(["8-3", "8-4"].map(values), [vec![0, 0, 1], vec![0, 0, 0, 1]]);
}

#[test]
fn what_cannot_be_solved_is_refused_with_what_would_be_right() {
    for (args, code, expected) in [
        (&["solve"][..], 2, "--player <P>"),
        (&["solve", "tree"], 2, "--player <P>"),
        (&["solve", "tre", "--player", "1"], 2, "did you mean \"tree\"?"),
        (&["solve", "tree", "--player", "4"], 2, "players are numbered from 1 to 3"),
        (&["solve", "tree", "--player", "0"], 2, "there is no player 0"),
        (&["solve", "tree", "--player", "x"], 2, "invalid value 'x' for '--player <P>'"),
        (&["solve", "tree", "--player", "1", "--at-least", "much"], 2, "write a whole number of points"),
        (&["solve", "tree", "--player", "1", "--by", "share", "--at-least", "2"], 2, "write a share of the win"),
        (&["solve", "connect-four", "--player", "1", "--by", "points"], 2, "connect-four counts no points"),
        (&["solve", "hearts:hidden=yes", "--player", "1"], 2, "cannot be solved where something is hidden"),
        (&["solve", "tree", "--moves", "1", "--player", "1"], 1, "the game is over"),
        (&["solve", "tree", "--player", "1", "--table", "big"], 2, "not a size; write 512k, 64M or 1G"),
        (&["solve", "tree", "--player", "1", "--table", "999999G"], 2, "give a smaller --table"),
        (&["solve", "tree", "--player", "1", "--proof", "no/such/folder"], 1, "cannot write no/such/folder"),
        (&["solve", "tree", "--player", "1", "--proof-limit", "9"], 2, "--proof <FILE>"),
        (&["solve", "--verify", "no-such-file"], 1, "cannot read no-such-file"),
        (&["solve", "tree", "--verify", "no-such-file"], 2, "cannot be used with"),
        (&["search", "rolit:size=6", "--agent", "brs:eval=patterns", "--depth", "2"], 2, "is for size=8 only"),
        (&["show", "rolit:size=5"], 2, "it takes 4|6|8"),
    ] {
        let (found, error) = failure(args);
        assert!(found == code && error.contains(expected), "{args:?}: {found}, {error}");
    }
}
