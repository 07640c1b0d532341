//! What is hidden stays hidden, and hints are for whoever asks alone: the same game twice, with other cards where nobody looks.

mod common;

use common::{nply_with, stdout};
use serde_json::Value;

const AGENTS: [&str; 5] = ["greedy", "paranoid", "mcts", "ismcts", "worlds:n=3,agent=(maxn)"];

/// The deal of a seed, and others in which players 3 and 4 have exchanged one card each.
fn deals(game: &str) -> Vec<String> {
    let text = stdout(&["show", game, "--seed", "3", "--all", "--json"]);
    let shown: Value = serde_json::from_str(&text).expect("JSON");
    let text = shown["position"].as_str().expect("a position").to_string();
    let (leader, hands) = text.split_once(':').expect("a leader");
    let hands: Vec<Vec<String>> = hands.split(' ').map(|hand| hand.split('.').map(String::from).collect()).collect();
    let mut deals = vec![text.clone()];
    for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 3), (3, 0)] {
        let mut other = hands.clone();
        let (mine, theirs) = (other[2][from].pop(), other[3][to].pop());
        let (Some(mine), Some(theirs)) = (mine, theirs) else { continue };
        other[2][to].push(theirs);
        other[3][from].push(mine);
        for suit in other.iter_mut().flatten() {
            let mut ranks: Vec<char> = suit.chars().collect();
            ranks.sort_by_key(|rank| "AKQJT98765432".find(*rank));
            *suit = ranks.into_iter().collect();
        }
        let hands: Vec<String> = other.iter().map(|hand| hand.join(".")).collect();
        deals.push(format!("{leader}:{}", hands.join(" ")));
    }
    assert!(deals.len() >= 4);
    deals
}

/// The cards of player 1, each on a line: whoever is given them all plays one that is legal.
fn own_cards(deal: &str) -> String {
    let hand = deal.split_once(':').expect("a leader").1.split(' ').next().expect("a hand");
    let suits = hand.split('.').zip(["S", "H", "D", "C"]);
    suits.flat_map(|(ranks, suit)| ranks.chars().map(move |rank| format!("{rank}{suit}\n"))).collect()
}

#[test]
fn nothing_that_a_player_sees_depends_on_hidden_cards() {
    for game in ["hearts:hidden=yes", "spades:hidden=yes"] {
        let deals = deals(game);
        let input = format!("hint\nmoves\n{}", own_cards(&deals[0])).repeat(4);
        let mut hidden = 0;
        for agent in AGENTS {
            let seats = format!("human {agent} {agent} {agent}");
            for form in ["--players=4", "--json"] {
                let play = |deal: &String| {
                    let limits = ["--nodes", "300", "--playouts", "20"];
                    let args =
                        ["play", game, "--position", deal, "--seed", "3", "--seats", &seats, "--hint", agent, form];
                    let output = nply_with(&[&args[..], &limits].concat(), &input);
                    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
                    let error = text(output.stderr);
                    assert!(output.status.success(), "{error}");
                    // The time that a hint took is the asker's own.
                    (text(output.stdout) + &error).lines().map(untimed).collect::<Vec<String>>()
                };
                let first = play(&deals[0]);
                for deal in &deals[1..] {
                    let other = play(deal);
                    let same = first.iter().zip(&other).take_while(|(first, other)| first == other).count();
                    let is_move_of = |line: &String, player: usize| {
                        line.starts_with(&format!("player {player} ("))
                            || line.contains(&format!("\"player\":{player}"))
                    };
                    hidden += first[..same].iter().filter(|line| is_move_of(line, 3) || is_move_of(line, 4)).count();
                    // The first difference is the choice of a card by a player who has other cards.
                    if let (Some(first), Some(other)) = (first.get(same), other.get(same)) {
                        let is_choice =
                            [3, 4].iter().any(|&player| is_move_of(first, player) && is_move_of(other, player));
                        assert!(
                            is_choice && without_move(first) == without_move(other),
                            "{game} {agent}:\n{first}\n{other}"
                        );
                    }
                }
            }
        }
        assert!(hidden >= 20, "{game}: only {hidden} moves of players with other cards were the same");
    }
}

/// A line without how long something took.
fn untimed(line: &str) -> String {
    match line.split_once(" nodes, ") {
        Some((before, after)) if line.starts_with("  depth") => {
            format!("{before} nodes{}", after.split_once(": ").map_or("", |(_, line)| line))
        }
        _ => line.into(),
    }
}

/// The line of a move without the card.
fn without_move(line: &str) -> String {
    match serde_json::from_str::<Value>(line) {
        Ok(mut entry) => {
            entry["move"].take();
            entry.to_string()
        }
        Err(_) => line.rsplit_once(": ").expect("a move").0.into(),
    }
}

#[test]
fn what_agents_thought_is_shown_when_the_game_is_over() {
    let deal = &deals("hearts:hidden=yes")[0];
    let args = ["play", "hearts:hidden=yes", "--position", deal, "--seats", "human paranoid greedy mcts", "--playouts"];
    let args = [&args[..], &["20", "--nodes", "100"]].concat();
    let input = own_cards(deal).repeat(13);
    let text = String::from_utf8(nply_with(&args, &input).stdout).expect("text");
    let (during, after) = text.split_once("points: ").expect("the game ends");
    assert!(!during.contains("depth") && !during.contains("nodes"), "{during}");
    assert_eq!(after.lines().filter(|line| line.starts_with("  depth")).count(), 39, "{after}");
    let text = String::from_utf8(nply_with(&[&args[..], &["--json"]].concat(), &input).stdout).expect("text");
    let (during, last) = text.trim_end().rsplit_once('\n').expect("lines");
    assert!(!during.contains("nodes") && !during.contains("time_ms"), "{during}");
    let last: Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(last["thoughts"].as_array().expect("thoughts").len(), 39, "{last}");
    assert!(last["thoughts"][0]["nodes"].is_u64() && last["thoughts"][0]["player"] == 2, "{last}");
    // A move that was taken back is forgotten.
    let input = format!("{}undo\n{input}", own_cards(deal));
    let text = String::from_utf8(nply_with(&[&args[..], &["--json"]].concat(), &input).stdout).expect("text");
    let last: Value = serde_json::from_str(text.lines().last().expect("lines")).expect("JSON");
    assert_eq!(last["thoughts"].as_array().expect("thoughts").len(), 39, "{last}");
}

#[test]
fn hints_change_nothing_that_others_play() {
    let squares =
        || ('a'..='h').flat_map(|file| (1..=8).map(move |rank| format!("{file}{rank}\n"))).collect::<String>();
    let cards = "23456789TJQKA".chars().flat_map(|rank| "CDSH".chars().map(move |suit| format!("{rank}{suit}\n")));
    let cards: String = cards.collect();
    for (game, all) in [
        ("hearts:hidden=yes", cards.clone()),
        ("spades:hidden=yes", cards),
        ("rolit", squares()),
        ("othello", squares()),
    ] {
        for (opponent, hint) in [
            ("mcts", "mcts"),
            ("random", "random"),
            ("paranoid", "worlds:n=2,agent=(mcts)"),
            ("greedy:noise=yes", "greedy"),
        ] {
            let players = if game == "othello" { 1 } else { 3 };
            let seats = format!("human{}", format!(" {opponent}").repeat(players));
            let moves = |input: &str| {
                let args = ["play", game, "--seed", "7", "--seats", &seats, "--hint", hint, "--json", "--quiet"];
                let output = nply_with(&[&args[..], &["--nodes", "200", "--playouts", "20"]].concat(), input);
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let text = String::from_utf8(output.stdout).expect("text");
                let told = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
                told.map(|line| (line["move"].clone(), line["undo"].clone())).collect::<Vec<(Value, Value)>>()
            };
            let rounds = |word: &str| {
                let once = format!("{word}{all}");
                format!("{once}{once}{word}undo\n{once}{once}{word}undo\n{word}undo\n{once}{once}{once}")
            };
            let (without, with) = (moves(&rounds("")), moves(&rounds("hint\nhint\n")));
            assert!(without.len() > 10, "{game} {opponent}: {without:?}");
            assert_eq!(without, with, "{game} {opponent} {hint}");
        }
    }
}
