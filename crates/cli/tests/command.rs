//! The command as scripts see it: what it prints where, and how it ends.

mod common;

use common::{failure, nply, nply_with, stdout};

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
        (&["show", "tre"][..], 2, "did you mean \"tree\"?"),
        (&["show", "tree:sums=3"], 2, "did you mean \"sum\"?"),
        (&["show", "tree:sum=x"], 2, "it takes largest|0 to 6M"),
        (&["show", "tree", "--players", "9"], 2, "it is for 2, 3, 4, 5, 6"),
        (&["show", "tree", "--position", "(1 2,3"], 1, "expected a child or `)` at character 7, found the end"),
        (&["moves", "tree", "--moves", "2 7"], 1, "move 2: no legal move \"7\" here"),
        (&["moves", "tree", "--moves", "1 1"], 1, "the game is over"),
        (&["search", "tree", "--agent", "greed", "--depth", "2"], 2, "did you mean \"greedy\"?"),
        (&["search", "tree", "--agent", "greedy:eval=x", "--depth", "1"], 2, "there are leaves"),
        (&["search", "tree", "--agent", "random", "--nodes", "many"], 2, "not a count; write 250, 250k or 1M"),
        (&["search", "tree", "--agent", "random", "--time", "5"], 2, "not a time; write 200ms, 1.5s or 2m"),
        (&["search", "tree", "--agent", "random"], 2, "--nodes <N>"),
        (&["search", "tree", "--agent", "maxn", "--playouts", "9"], 2, "playouts=9 does not end the thinking of maxn"),
        (&["search", "tree", "--agent", "mcts:depth=2", "--nodes", "9"], 2, "it takes nodes, playouts, time"),
        (&["search", "tree", "--agent", "random", "--moves", "1", "--depth", "1"], 1, "the game is over"),
        (&["perft", "tree", "--depth", "0"], 2, "0 is not in 1..=1000"),
        (&["play", "tree", "--seats", "human"], 2, "3 players need as many seats, and 1 are given"),
        (&["play", "tree", "--resume", "no-such-file"], 1, "cannot read no-such-file"),
        (
            &["play", "tree", "--seats", "human maxn human", "--playouts", "9"],
            2,
            "playouts=9 does not end the thinking",
        ),
        (&["play", "tree", "--hint", "greed"], 2, "--hint: unknown agent"),
        (&["man", "serch"], 2, "did you mean \"search\"?"),
        (&["reproduce", "--match", "3-250"], 2, "which experiment?"),
        (&["reproduce", "brs-2011-4", "--games", "0"], 2, "0 games show nothing"),
        (&["reproduce", "thesis-2020-1", "--budget-scale", "0.1"], 2, "--budget-scale changes nothing in match 1-2"),
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
fn agents_name_the_limits_they_take() {
    let text = stdout(&["agents"]);
    for (agent, limits) in [
        ("random", "none"),
        ("greedy", "nodes, time"),
        ("brs", "depth, nodes, time"),
        ("mcts", "nodes, playouts, time"),
    ] {
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("{agent}: ")));
        assert_eq!(lines.nth(1), Some(format!("  limits: {limits}").as_str()), "{agent}");
    }
    let json: serde_json::Value = serde_json::from_str(&stdout(&["agents", "--json"])).expect("JSON");
    for agent in json["agents"].as_array().expect("agents") {
        let (name, limits) = (agent["name"].as_str().expect("a name"), agent["limits"].as_array().expect("limits"));
        // Each is taken as an option, and the others are not.
        for (limit, value) in [("depth", "1"), ("nodes", "9"), ("playouts", "9"), ("time", "1s")] {
            let path = if name == "program" { "path=true," } else { "" };
            let words = ["search", "tree", "--moves", "2", "--depth", "1", "--agent"];
            let output = common::nply(&[&words[..], &[&format!("{name}:{path}{limit}={value}")]].concat());
            let refused =
                String::from_utf8_lossy(&output.stderr).contains(&format!("{name} does not take the limit {limit:?}"));
            assert_eq!(refused, !limits.contains(&limit.into()), "{name} {limit}");
        }
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
    assert!(saved.starts_with("[Game \"tree\"]\n[Players \"3\"]\n") && saved.ends_with("\n\n1. 2 *\n\n"), "{saved}");
    let output = nply_with(&["play", "tree", "--resume", name], "2\n");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("player 2 (human): 0.5 of the win") && text.contains("points: 0 5 5"), "{text}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn a_game_is_written_as_json_and_people_are_talked_to_elsewhere() {
    let tree = "(1 (2 (1 1,0 0,1) 0,1) (2 0,1 (1 1,0)))";
    let args = ["play", "tree", "--position", tree, "--seats", "human maxn", "--depth", "3", "--json"];
    let output = nply_with(&args, "1\nundo\n2\nundo\n1\n1\n");
    let lines: Vec<serde_json::Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is an object"))
        .collect();
    let moves: Vec<_> = lines.iter().filter_map(|line| line["move"].as_str()).collect();
    // Player 2 wins at once after the first move, so it cannot be taken back.
    assert_eq!(moves, ["1", "2"]);
    assert_eq!((&lines[1]["player"], &lines[1]["agent"], &lines[1]["value"]), (&2.into(), &"maxn".into(), &1.0.into()));
    assert_eq!(lines.last().expect("lines")["payoff"], serde_json::json!([0.0, 1.0]));
    assert!(String::from_utf8_lossy(&output.stderr).contains("player 1>"));

    let args = ["play", "tree", "--seats", "human human human", "--json"];
    let output = nply_with(&args, "2\nundo\n2\n2\n");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("{\"undo\":1}\n") && text.contains("\"points\":[0.0,5.0,5.0]"), "{text}");
}

#[test]
fn threads_go_to_the_agent_that_can_use_them() {
    let args = |agent, limit| ["search", "tree", "--agent", agent, limit, "9", "--threads", "257"];
    for (agent, limit) in [("mcts", "--playouts"), ("maxn", "--depth"), ("brs+", "--depth")] {
        let (status, message) = failure(&args(agent, limit));
        assert!(status == 2 && message.contains("it takes 1 to 256"), "{message}");
    }
    // An agent's own number goes first, and agents that do not search use one thread.
    stdout(&args("mcts:threads=2", "--playouts"));
    stdout(&args("maxn:threads=2", "--depth"));
    stdout(&args("random", "--depth"));
    // The same of those who play.
    let play = |seat| {
        failure(&["play", "tree", "--seats", &format!("{seat} random random"), "--depth", "9", "--threads", "257"])
    };
    assert!(play("paranoid").1.contains("it takes 1 to 256"));
    assert!(play("maxn:threads=2,table=off").1.contains("share the search through the table"));
}

#[test]
fn a_search_finds_the_same_with_any_number_of_threads() {
    for agent in ["alphabeta", "paranoid", "maxn", "brs", "brs+", "brs+:special=pass", "maxn:pruning=speculative"] {
        let found = |threads| {
            let args =
                ["search", "othello", "--agent", agent, "--depth", "5", "--json", "--quiet", "--threads", threads];
            let found: serde_json::Value = serde_json::from_str(&stdout(&args)).expect("JSON");
            ["move", "value", "depth"].map(|key| found[key].clone())
        };
        let one = found("1");
        assert!(one.iter().all(|value| !value.is_null()), "{one:?}");
        for threads in ["2", "3", "8"] {
            assert_eq!(found(threads), one, "{agent}, {threads} threads");
        }
    }
}

/// How many cards a player's line of a picture shows.
fn cards(line: &str) -> usize {
    let hand = line.split("taken").next().expect("a first part").chars().skip("> 1 ".len());
    hand.filter(|c| "AKQJT98765432".contains(*c)).count()
}

#[test]
fn hidden_cards_are_shown_to_their_player_alone() {
    let game = ["hearts:hidden=yes", "--players", "3", "--seed", "5"];
    let shown = |more: &[&str]| stdout(&[&["show"], &game[..], more].concat());
    let (seen, all) = (shown(&[]), shown(&["--all"]));
    let (seen, all): (Vec<&str>, Vec<&str>) = (seen.lines().collect(), all.lines().collect());
    assert!(seen[0].split_whitespace().eq(all[0].split_whitespace()), "the player's own hand: {} {}", seen[0], all[0]);
    for other in 1..3 {
        assert!(seen[other].starts_with(&format!("  {}  17 cards  ", other + 1)), "{}", seen[other]);
        assert_eq!((cards(seen[other]), cards(all[other])), (1, 17), "{} {}", seen[other], all[other]);
    }
    assert!(
        all.iter().any(|line| line.starts_with("left out: ")) && !seen.iter().any(|line| line.contains("left out"))
    );
    // The text is a position that the player cannot tell from the true one.
    let (guess, truth) = (seen.last().expect("a text"), all.last().expect("a text"));
    assert_ne!(guess, truth);
    assert_eq!(guess.split(' ').next(), truth.split(' ').next());
    let again = stdout(&["moves", "hearts:hidden=yes", "--players", "3", "--position", guess]);
    assert_eq!(again, stdout(&[&["moves"], &game[..]].concat()));
    let open = stdout(&["show", "hearts", "--players", "3", "--seed", "5"]);
    assert_eq!(open.lines().last(), all.last().copied());
}

#[test]
fn a_position_is_drawn_with_its_arrows_and_without_hidden_cards() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("position.svg");
    let file = path.to_str().expect("a path of text");
    let draw = |args: &[&str]| {
        stdout(&[&["show"], args, &["--svg", file]].concat());
        std::fs::read_to_string(&path).expect("a drawing")
    };
    let plain = draw(&["othello", "--theme", "light"]);
    assert!(plain.starts_with("<svg ") && plain.ends_with("</svg>\n"), "{plain}");
    let arrows = draw(&["othello", "--theme", "light", "--arrows", "d3 c3"]);
    assert!(arrows.matches("<circle").count() > plain.matches("<circle").count());
    let (status, message) = failure(&["show", "othello", "--svg", file, "--arrows", "a1"]);
    assert!(status == 1 && message.contains("--arrows: move 1"), "{status} {message}");
    // A card that is seen has a white face.
    let faces = |text: &str| text.matches("fill=\"#ffffff\" stroke=\"#8d939c\"").count();
    let cards = ["hearts:hidden=yes", "--players", "4", "--theme", "light"];
    assert_eq!(faces(&draw(&cards)), 13);
    assert_eq!(faces(&draw(&[&cards[..], &["--all"]].concat())), 52);
}

#[test]
fn a_person_does_not_see_the_cards_of_the_others() {
    let game = ["play", "hearts:hidden=yes", "--players", "3", "--seed", "5", "--nodes", "200"];
    let play = |seats: &str, more: &[&str], input: &str| {
        let output = nply_with(&[&game[..], &["--seats", seats], more].concat(), input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    // An agent plays first, then the person leaves.
    let text = play("paranoid human paranoid", &[], "quit\n");
    let hands: Vec<&str> = text.lines().filter(|line| line.contains("taken")).collect();
    assert_eq!(hands.len(), 6, "{text}");
    for (index, line) in hands.iter().enumerate() {
        assert_eq!(line.contains(" cards "), index % 3 != 1, "{line}");
    }
    assert!(!text.contains("depth") && !text.contains("nodes"), "{text}");
    // Two people at one screen: nobody's cards while an agent thinks.
    let text = play("paranoid human human", &[], "quit\n");
    let hidden = |line: &&str| line.contains(" cards ");
    let hands: Vec<&str> = text.lines().filter(|line| line.contains("taken")).collect();
    assert_eq!((hands[..3].iter().filter(|line| hidden(line)).count(), hidden(&hands[4])), (3, false), "{text}");
    let text = play("paranoid human paranoid", &["--all"], "quit\n");
    assert!(!text.contains(" cards ") && text.contains("left out"), "{text}");
}

#[test]
fn a_limit_that_means_nothing_to_an_agent_is_mentioned() {
    let focus = |words: &str| words.split(' ').map(String::from).collect::<Vec<String>>();
    let note = "note: the limit \"playouts\" means nothing to";
    for (command, agents, limits, expected) in [
        ("search focus --agent", "brs", "--depth 1 --playouts 9", format!("{note} brs\n")),
        // There they limit the worlds.
        ("search focus --agent", "worlds:agent=(brs)", "--depth 1 --playouts 9", String::new()),
        ("search focus --agent", "brs", "--depth 1 --nodes 9 --time 1s", String::new()),
        ("search focus --agent", "brs", "--depth 1 --playouts 9 --quiet", String::new()),
        ("search tree --agent", "mcts", "--nodes 9 --playouts 9", String::new()),
        (
            "tournament tree --games 1 --agents",
            "maxn paranoid",
            "--depth 2 --playouts 9",
            format!("{note} maxn and paranoid\n"),
        ),
        (
            "tournament tree --games 1 --agents",
            "maxn mcts random",
            "--depth 2 --playouts 9",
            format!("note: the limit \"depth\" means nothing to mcts; {} maxn\n", &note["note: ".len()..]),
        ),
        ("tournament tree --games 1 --agents", "maxn:depth=2 random", "--playouts 9", String::new()),
        ("play tree --hint random --seats", "maxn maxn human", "--depth 2 --playouts 9", format!("{note} maxn\n")),
    ] {
        let mut args = focus(command);
        args.push(agents.into());
        args.extend(focus(limits));
        let output = nply(&args.iter().map(String::as_str).collect::<Vec<&str>>());
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {message}");
        let notes: String = message
            .lines()
            .filter(|line| line.starts_with("note: the limit"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(notes, expected, "{args:?}: {message}");
    }
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let (completions, manual) = (stdout(&["completions", "bash"]), stdout(&["man"]));
    for command in ["games", "agents", "show", "moves", "perft", "search", "play", "tournament", "tune", "engine"] {
        assert!(completions.contains(command) && manual.contains(command), "{command}");
        let page = stdout(&["man", command]);
        assert!(page.contains(&format!(".TH nply-{command} 1")), "{page}");
    }
    assert!(stdout(&["man", "search"]).contains("playouts"));
}

#[test]
fn with_json_errors_are_json_with_stable_codes() {
    for (args, status, code, message) in [
        (&["show", "fokus"][..], 2, "unknown-name", "unknown game \"fokus\""),
        (&["show", "focus:rule=short"], 2, "unknown-setting", "focus: unknown setting \"rule\""),
        (&["show", "focus:rules=long"], 2, "bad-value", "focus: rules does not take \"long\""),
        (&["search", "tree", "--agent", "brs", "--depth", "2"], 2, "refused", "brs lets opponents move out of turn"),
        (&["show", "tree", "--position", "(1 2,3"], 1, "position", "no such position"),
        (&["moves", "tree", "--moves", "7"], 1, "move", "move 1: no legal move \"7\" here"),
        (&["search", "tree", "--agent", "program:path=false", "--depth", "2"], 1, "forfeit", "program:path=false"),
        (&["report", "no-such-file.db"], 1, "file", "there is no file no-such-file.db"),
        (&["search", "tree", "--agent", "maxn"], 2, "usage", "the following required arguments were not provided"),
        (&["nonsense"], 2, "usage", "unrecognized subcommand"),
    ] {
        let (found, text) = failure(&[args, &["--json"]].concat());
        let line = text.lines().last().expect("a line");
        let json: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{args:?}: {text}"));
        let error = &json["error"];
        assert_eq!((found, error["code"].as_str()), (status, Some(code)), "{args:?}: {text}");
        assert!(error["message"].as_str().is_some_and(|found| found.contains(message)), "{args:?}: {text}");
    }
}

#[test]
fn what_is_wrong_is_reported_before_a_table_is_built() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    let missing = folder.path().join("missing/file").display().to_string();
    let program = format!("brs program:path=({missing})");
    let seats = format!("brs {program}");
    // Player 1 has filled the goal.
    let over = "./../.../222222..../........./......../......./......../........./........../111/11/1 2 30";
    let tournament = ["tournament", "chinese-checkers", "--games", "6", "--agents"];
    for (args, expected) in [
        ([&tournament[..], &["brs paranoid", "--playouts", "5"]].concat(), "playouts=5 does not end the thinking"),
        ([&tournament[..], &["brs maxn:ties=right"]].concat(), "ties does not take \"right\""),
        ([&tournament[..], &[&program]].concat(), "there is no program"),
        ([&tournament[..], &["brs random", "--csv", &missing]].concat(), "cannot write"),
        ([&tournament[..], &["brs random", "--db", &missing]].concat(), "cannot write"),
        (vec!["play", "chinese-checkers", "--players", "3", "--seats", &seats], "there is no program"),
        (
            vec!["search", "chinese-checkers", "--agent", "brs", "--playouts", "5"],
            "playouts=5 does not end the thinking",
        ),
        (
            vec!["search", "chinese-checkers", "--position", over, "--agent", "brs", "--nodes", "5"],
            "nothing to search: the game is over",
        ),
        (vec!["learn", "rolit", "--wthor", "docs", "--out", &missing], "cannot write"),
    ] {
        let output = common::command(&args).env("NPLY_CACHE", &cache).output().expect("the command starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(expected), "{args:?}: {message}");
        assert!(!cache.exists(), "{args:?} builds the table first");
    }
}

#[test]
fn weights_of_focus_are_learned_from_games_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let learned = |name: &str, threads: &str| {
        let file = folder.path().join(name).display().to_string();
        let text = stdout(&["learn", "focus", "--play", "60", "--seed", "5", "--out", &file, "--threads", threads]);
        let first = text.lines().nth(1).expect("a line for two players");
        assert!(first.starts_with("2        60     720        0."), "{text}");
        std::fs::read_to_string(file).expect("it is written")
    };
    let text = learned("one", "1");
    assert_eq!(text, learned("three", "3"));
    assert!(text.contains("nply learn focus --play 60 --seed 5") && text.contains("\nplayers 4\n"), "{text}");
    let file = folder.path().join("json").display().to_string();
    let found: serde_json::Value =
        stdout(&["learn", "focus", "--play", "60", "--out", &file, "--json"]).parse().expect("JSON");
    let fits = found["fits"].as_array().expect("a list");
    assert_eq!(fits.len(), 3);
    assert!(fits.iter().all(|fit| fit["loss_of_height"].as_f64() < fit["loss_of_equal_chances"].as_f64()), "{found}");
    let (status, message) = failure(&["learn", "focus", "--play", "0", "--out", &file]);
    assert!(status == 2 && message.contains("1..=1000000"), "{message}");
}

#[test]
fn values_learned_from_games_played_for_it_are_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let learned = |name: &str, threads: &str| {
        let file = folder.path().join(name).display().to_string();
        let base = ["learn", "rolit", "--play", "110", "--players", "3", "--seed", "5", "--out", &file];
        let text = stdout(&[&base[..], &["--threads", threads]].concat());
        assert!(text.contains("learned from 110 games, 19800 positions"), "{text}");
        assert!(text.contains("compared with 6 other games, 1080 positions"), "{text}");
        std::fs::read(file).expect("it is written")
    };
    assert_eq!(learned("one", "1"), learned("three", "3"));
    let out = folder.path().join("none").display().to_string();
    for (args, expected) in [
        (&[][..], "--wthor"),
        (&["--wthor", "docs", "--play", "3"], "cannot be used with"),
        (&["--play", "3", "--until", "2005"], "cannot be used with"),
        (&["--wthor", "docs", "--seed", "3"], "cannot be used with"),
        (&["--play", "0"], "0"),
        (&["--play", "3", "--players", "5"], "5"),
    ] {
        let (status, message) = failure(&[&["learn", "rolit", "--out", &out], args].concat());
        assert!(status == 2 && message.contains(expected), "{args:?}: {message}");
    }
}
