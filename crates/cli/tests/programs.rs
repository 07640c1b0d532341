//! Outside programs: good ones play as the agents they are, bad ones of every kind forfeit and leave nothing behind.
#![cfg(unix)]

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{NPLY, nply, stdout};

/// A script for `sh` that plays the first legal move. `AT_START` and `AT_GO` are replaced by what goes wrong.
const FIRST: &str = r#"echo $$ >> "$0.pids"
AT_START
while read -r word rest; do
    case $word in
        nply) echo ready ;;
        moves) moves=$rest ;;
        go) AT_GO
            echo "move ${moves%% *}" ;;
        quit) exit ;;
    esac
done
"#;

/// A folder that is there until the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("nply {name} {}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a plain path").into()
    }

    /// A script that does something else at the start or when it is asked.
    fn program(&self, name: &str, at_start: &str, at_go: &str) -> String {
        let path = self.path(name);
        fs::write(&path, FIRST.replace("AT_START", at_start).replace("AT_GO", at_go)).expect("it is written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The agent that a script is. It is not started by itself: a file just written cannot be while another test forks.
fn sh(script: &str) -> String {
    format!("program:path=sh,args=(({script}))")
}

/// Whether a process still runs; one that ended and was not waited for by whoever should does not.
fn runs(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat"));
    match state {
        Ok(state) => !state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
        Err(_) if Path::new("/proc/self").exists() => false,
        Err(_) => Command::new("kill").args(["-0", pid]).output().is_ok_and(|output| output.status.success()),
    }
}

/// The processes that a program wrote down: how many, and that none of them is left.
fn all_gone(program: &str) -> usize {
    let pids = fs::read_to_string(format!("{program}.pids")).expect("it ran");
    for pid in pids.lines() {
        let until = Instant::now() + Duration::from_secs(5);
        while runs(pid) {
            assert!(Instant::now() < until, "process {pid} of {program} is left");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    pids.lines().count()
}

/// The games of a tournament: seats, payoffs, plies, moves, and the seat and reason of a forfeit.
fn tournament(folder: &Folder, game: &str, agents: &str, more: &[&str]) -> Vec<[String; 5]> {
    let csv = folder.path("games.csv");
    let mut args = vec!["tournament", game, "--agents", agents, "--quiet", "--csv", &csv];
    args.extend(more);
    stdout(&args);
    let text = fs::read_to_string(&csv).expect("the games");
    let header = fields(text.lines().next().expect("a header"));
    let game = |line: &str| {
        let fields = fields(line);
        let value = |name: &str| fields[header.iter().position(|column| column == name).expect(name)].clone();
        let forfeit = match value("ending").as_str() {
            "forfeit" => format!("seat {}: {}", value("ending_seat"), value("ending_reason")),
            ending => {
                assert_eq!(ending, "normal");
                String::new()
            }
        };
        [value("seats"), value("payoffs"), value("plies"), value("moves"), forfeit]
    };
    text.lines().skip(1).map(game).collect()
}

/// The fields of a line of comma-separated values; what is in quotes may have commas, and quotes that are doubled.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().expect("there is always one");
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            letter => field.push(letter),
        }
    }
    fields
}

#[test]
fn a_misbehaving_program_of_any_kind_costs_only_its_own_games() {
    let folder = Folder::new("misbehaving");
    let twice = "n=$((n + 1)); [ $n -lt 3 ] ||";
    let kinds = [
        ("crash at start", "echo no luck >&2; exit 3", "", "it ended (exit status: 3); its last words: no luck"),
        ("crash later", "", &format!("{twice} exit 4"), "it ended (exit status: 4)"),
        ("killed", "", "kill -9 $$", "it ended (signal: 9 (SIGKILL))"),
        ("hang at start", "sleep 1000", "", "it did not answer within 1000 ms"),
        ("hang later", "", &format!("{twice} sleep 1000"), "it did not answer within 1000 ms"),
        (
            "deaf",
            "trap '' TERM INT HUP; sleep 1000 & echo $! >> \"$0.pids\"; sleep 1000",
            "",
            "it did not answer within 1000 ms",
        ),
        ("busy", "", "while :; do :; done", "it did not answer within 1000 ms"),
        ("garbage at start", "echo Welcome", "", "it wrote \"Welcome\", which is not `name …`, `info …` or `ready`"),
        (
            "garbage later",
            "",
            "echo 'I like d3'; continue",
            "it wrote \"I like d3\", which is not `info …` or `move …`",
        ),
        ("not text", "", r"printf '\377\376\n'; continue", "which is not `info …` or `move …`"),
        ("illegal", "", "moves=z99", "it wrote \"move z99\", which is not a legal move"),
        ("no move", "", "moves=", "it wrote \"move\", which is not a legal move"),
        ("two answers", "", "echo \"move ${moves%% *}\"; echo \"move ${moves%% *}\"; sleep 0.2", "it wrote \"move "),
        ("long line", "", "head -c 3000000 /dev/zero | tr '\\0' x", "it wrote a line of more than 65536 bytes"),
        ("flood", "", "yes info depth 1 nodes 1 pv z", "it wrote more than 1048576 bytes instead of an answer"),
        ("flood without reading", "yes info hello", "", "it wrote more than 1048576 bytes instead of an answer"),
        ("closed output", "", "exec >&-; sleep 1000", "it ended (it closed its output)"),
        ("gives up", "", "echo error too hard; continue", "it says: too hard"),
    ];
    for (name, at_start, at_go, expected) in kinds {
        let path = folder.program(name, at_start, at_go);
        // Short limits only where they are met, so that a busy machine changes nothing.
        let (limits, players) = match (expected.contains("within"), at_start.is_empty()) {
            (true, true) => (",patience=1s", 2),
            (true, false) => (",start=1s", 2),
            (false, _) => ("", 3),
        };
        let agents = format!("random {}{limits}{}", sh(&path), if players == 3 { " greedy" } else { "" });
        let count = players.to_string();
        let every = if players == 3 { "6" } else { "2" };
        let games = tournament(&folder, "rolit", &agents, &["--players", &count, "--games", every, "--nodes", "50"]);
        assert_eq!(games.len().to_string(), every, "{name}");
        for [seats, payoffs, _, _, forfeit] in &games {
            let seat = seats.split("program").next().unwrap().split_whitespace().count();
            assert!(forfeit.contains(expected), "{name}: {forfeit}");
            assert!(forfeit.starts_with(&format!("seat {}: ", seat + 1)), "{name}: {seats} {forfeit}");
            let mut shares = vec![if players == 3 { "0.5" } else { "1" }; players];
            shares[seat] = "0";
            assert_eq!(payoffs, &shares.join(" "), "{name}");
        }
        assert!(all_gone(&path) >= games.len(), "{name}");
    }
}

#[test]
fn a_slow_program_forfeits_and_games_without_it_go_on() {
    let folder = Folder::new("slow");
    let slow = folder.program("slow", "", "sleep 2");
    let agents = format!("random {},grace=200ms greedy", sh(&slow));
    let games = tournament(&folder, "othello", &agents, &["--games", "6", "--time", "50ms"]);
    let (with, without): (Vec<_>, Vec<_>) = games.iter().partition(|[seats, ..]| seats.contains("program"));
    assert!(!with.is_empty() && !without.is_empty());
    assert!(with.iter().all(|[.., forfeit]| forfeit.contains("it did not answer within 250 ms")));
    assert!(without.iter().all(|[_, _, plies, _, forfeit]| forfeit.is_empty() && plies.parse::<u32>().unwrap() > 9));
    all_gone(&slow);
}

#[test]
fn forfeits_are_kept_and_not_played_again() {
    let folder = Folder::new("kept");
    let (bad, db) = (folder.program("bad", "", "moves=z99"), folder.path("games.db"));
    let agents = format!("random {}", sh(&bad));
    let play =
        |games: &str| nply(&["tournament", "othello", "--agents", &agents, "--games", games, "--db", &db, "--quiet"]);
    let first = play("2");
    assert!(String::from_utf8_lossy(&first.stdout).contains("forfeits"));
    let reported = String::from_utf8_lossy(&first.stderr);
    assert!(
        reported.contains("bad)) forfeited 2 games, the first of them game 0: it wrote \"move z99\""),
        "{reported}"
    );
    assert_eq!(reported.matches("program:path").count(), 1, "{reported}");
    assert_eq!(all_gone(&bad), 3);
    play("6");
    assert_eq!(all_gone(&bad), 8, "one start for each game, and one each time for the name");
    let games = stdout(&["report", &db, "--list-games", "--json"]);
    for (number, line) in games.lines().enumerate() {
        let game: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let seat = if game["seats"][0] == "random" { 2 } else { 1 };
        assert_eq!((&game["game"], &game["ending_seat"]), (&number.into(), &seat.into()), "{line}");
        let reason = game["ending_reason"].as_str().expect("a text");
        assert_eq!(reason, "it wrote \"move z99\", which is not a legal move");
    }
    assert_eq!(games.lines().count(), 6);
    let report: serde_json::Value = serde_json::from_str(&stdout(&["report", &db, "--json"])).expect("JSON");
    assert_eq!((&report["agents"][0]["points"], &report["agents"][1]["forfeits"]), (&6.0.into(), &6.into()));
    assert!(
        stdout(&["replay", &db, "5"]).contains("forfeits the game: it wrote \"move z99\", which is not a legal move")
    );
}

#[test]
fn an_agent_plays_the_same_through_the_protocol() {
    let folder = Folder::new("same");
    for (game, agent) in [
        ("rolit", "brs"),
        ("focus:rules=standard,limit=40", "brs+:top=3"),
        ("four-player-chess", "paranoid"),
        ("othello", "greedy"),
        ("hearts:hidden=yes", "maxn:pruning=speculative"),
        ("spades:hidden=yes,break=yes", "worlds:n=4,agent=(maxn)"),
        ("spades", "random"),
    ] {
        let name = game.split(':').next().unwrap();
        let through = format!("program:path=({NPLY}),args=(engine {name} --agent {agent})");
        let more = ["--games", "2", "--nodes", "60"];
        let play = |agent: &str| tournament(&folder, game, &format!("{agent} random"), &more);
        let (direct, through) = (play(agent), play(&through));
        assert!(direct.len() >= 2 && direct.len() == through.len());
        for (direct, through) in direct.iter().zip(&through) {
            assert_eq!(direct[1..], through[1..], "{game} {agent}");
            assert!(direct[4].is_empty());
        }
    }
}

#[test]
fn a_program_can_be_an_agent_inside_another() {
    let json = |agent: &str| {
        let text = stdout(&["search", "hearts:hidden=yes", "--agent", agent, "--nodes", "300", "--json", "--quiet"]);
        let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        value["time_ms"] = 0.into();
        value
    };
    let inside = format!("worlds:n=3,agent=(program:path=({NPLY}),args=(engine hearts --agent maxn))");
    assert_eq!(json(&inside), json("worlds:n=3,agent=(maxn)"));
    assert_eq!(json(&format!("program:path=({NPLY}),args=(engine hearts --agent maxn)")), json("maxn"));
    let bad = nply(&["search", "hearts", "--agent", "worlds:agent=(program:path=false)", "--nodes", "300"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&bad.stderr).contains("worlds:agent=(program:path=false) forfeits the game: it ended")
    );
}

#[test]
fn a_program_is_told_nothing_that_its_player_does_not_know() {
    let folder = Folder::new("hidden");
    let path = folder.program("spy", "exec 3>\"$0.heard\"", "echo \"$word $rest\" >&3");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("    case", "    echo \"$word $rest\" >&3\n    case"))
        .unwrap();
    let game = ["hearts:hidden=yes", "--seed", "77"];
    let hands = |text: &str| text.split(' ').map(String::from).collect::<Vec<String>>();
    let truth: serde_json::Value =
        serde_json::from_str(&stdout(&["show", game[0], game[1], game[2], "--json"])).expect("JSON");
    let truth = hands(truth["position"].as_str().expect("a position"));
    stdout(&["search", game[0], game[1], game[2], "--agent", &sh(&path), "--nodes", "1"]);
    let heard = fs::read_to_string(format!("{path}.heard")).unwrap();
    let line = |word: &str| heard.lines().find_map(|line| line.strip_prefix(word)).expect("it was sent").trim();
    let sent = hands(line("position"));
    assert_eq!(sent[0], truth[0], "the player's own hand");
    assert!((1..4).all(|player| sent[player] != truth[player]), "{sent:?} {truth:?}");
    assert!(!line("game").split(' ').any(|word| word == "77"), "{heard}");
}

#[test]
fn failures_outside_tournaments_are_reported() {
    let folder = Folder::new("failures");
    let bad = folder.program("bad", "", "moves=z99");
    let good = folder.program("good", "", "");
    let plain = folder.path("plain");
    fs::write(&plain, "not a program").expect("a file");
    for (agent, code, expected) in [
        (sh(&bad), 1, "forfeits the game: it wrote \"move z99\", which is not a legal move"),
        ("program".into(), 2, "program needs a path"),
        ("program:path=./no-such-program".into(), 2, "there is no program ./no-such-program"),
        ("program:path=no-such-program".into(), 2, "there is no program no-such-program among the installed ones"),
        (format!("program:path=({plain})"), 1, "cannot start"),
        (format!("{},grace=soon", sh(&good)), 2, "grace does not take \"soon\""),
        (
            format!(
                "program:path=({NPLY}),start=99999999999h,patience=99999999999h,args=(engine rolit --agent nobody)"
            ),
            1,
            "unknown agent \"nobody\"",
        ),
        (format!("program:path=({NPLY}),args=(engine focus --agent brs)"), 1, "it says: this plays focus, not rolit"),
        (format!("program:path=({NPLY}),args=(engine rolit --agent nobody)"), 1, "unknown agent \"nobody\""),
    ] {
        let output = nply(&["search", "rolit", "--agent", &agent, "--nodes", "9"]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(expected), "{agent}: {message}");
        assert_eq!(output.status.code(), Some(code), "{agent}: {message}");
    }
    let seats = format!("{} {} random", sh(&good), sh(&bad));
    let text = stdout(&["play", "rolit", "--players", "3", "--seats", &seats, "--nodes", "9", "--quiet"]);
    assert!(
        text.contains("bad))) forfeits the game: it wrote") && text.contains("which is not a legal move"),
        "{text}"
    );
    assert!(text.contains("bad))): 0 of the win") && text.contains("(random): 0.5 of the win"), "{text}");
    all_gone(&good);
    all_gone(&bad);
}

#[test]
fn the_check_passes_what_is_right_and_says_what_is_wrong() {
    let folder = Folder::new("check");
    let good = folder.program("good", "", "");
    let text = stdout(&["engine-check", "--grace", "20s", "sh", &good]);
    assert!(text.lines().all(|line| line.starts_with("ok ")), "{text}");
    assert!(text.contains("hearts:hidden=yes, 4 players: 24 legal moves"), "{text}");
    all_gone(&good);

    let text = stdout(&["engine-check", "--grace", "20s", "--json", NPLY, "engine", "rolit", "--agent", "brs"]);
    let checks: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(checks.iter().all(|check| check["outcome"] != "failed"), "{text}");
    assert!(
        checks.iter().any(|check| check["outcome"] == "skipped" && check["about"] == "this plays rolit, not focus")
    );
    assert!(checks.iter().any(|check| check["outcome"] == "ok" && check["check"] == "rolit, 4 players"), "{text}");

    let engine = ["--game", "othello", "--grace", "20s", NPLY, "engine", "othello", "--agent", "mcts:playout=random"];
    let text = stdout(&[&["engine-check"][..], &engine].concat());
    assert!(text.lines().all(|line| line.starts_with("ok ")), "{text}");

    let limits = ["--game", "rolit", "--start", "2s", "--grace", "500ms", "--patience", "2s"];
    for (name, at_start, at_go, expected) in [
        ("silent", "sleep 1000", "", "failed   handshake: it did not answer within 2000 ms"),
        ("illegal", "", "moves=z99", "failed   rolit, 4 players: it wrote \"move z99\""),
        ("slow", "", "case $rest in *time*) sleep 2 ;; esac", "failed   100 ms: it did not answer within 600 ms"),
        ("unkind", "trap '' TERM", "rest=", "failed   quit: it still ran"),
        ("no game", "", "echo error I play go; continue", "failed   any game: it plays none of them"),
    ] {
        let path = folder.program(name, at_start, at_go);
        if name == "unkind" {
            let text = fs::read_to_string(&path).unwrap().replace("quit) exit ;;", "quit) sleep 1000 ;;");
            fs::write(&path, text).unwrap();
        }
        let mut args = vec!["engine-check"];
        args.extend(limits);
        args.extend(["sh", &path]);
        let output = nply(&args);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{name}: {text}");
        assert!(text.contains(expected) && text.contains("hint: "), "{name}: {text}");
        all_gone(&path);
    }
}

#[test]
fn the_engine_answers_every_line() {
    let talk = |input: &str| {
        let mut child = Command::new(NPLY)
            .args(["engine", "tree", "--agent", "maxn"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        child.stdin.take().unwrap().write_all(input.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("text")
    };
    let ready = format!("name maxn of nply {}\nready 1\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(talk("nply 1\nquit\ngo depth 2\n"), ready);
    let found = "value 5 scores 5 4 1 chances 1 0 0 pv 1\n";
    assert_eq!(talk("go depth 2"), format!("info depth 1 nodes 2 {found}info depth 2 nodes 6 {found}move 1\n"));
    // A game without limits ends with the tree; a wrong line is reported with the next `go`, and corrected by a right one.
    assert!(talk("go\n").ends_with("move 1\n"));
    assert_eq!(talk("position (1 2\ngo\n"), "error no such position: expected 3 scores at character 4, found \"2\"\n");
    assert!(talk("position (1 2\nposition (2 1,2 3,4)\nsing\n\ngo depth 1\n").contains("error no such position"));
    assert!(
        talk("game tree players 2\nposition (2 1,2 3,4)\nsing\n\ngo depth 1\n")
            .starts_with("info unknown line \"sing\"\n")
    );
    assert!(talk("game tree players 2\nposition (2 1,2 3,4)\ngo depth 1\n").ends_with("move 2\n"));
    assert_eq!(talk("game focus\nposition (2 1,2 3,4)\ngo\n"), "error this plays tree, not focus\n");
    // It would never end.
    assert_eq!(talk("go playouts 5\n"), "error playouts=5 does not end the thinking of maxn\n");
    assert_eq!(talk("go time soon\n"), "error time does not take \"soon\"\n");
    assert!(talk("game tree\ngo depth 1\n").starts_with("error positions at depth 1 have no scores"));
}

/// An engine that thinks until it is stopped.
fn endless_engine() -> std::process::Child {
    Command::new(NPLY)
        .args(["engine", "focus", "--agent", "brs"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts")
}

#[test]
fn a_stopped_engine_answers_at_once() {
    let mut child = endless_engine();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"go\nstop\ngo time 3600000\n").expect("it reads");
    std::thread::sleep(Duration::from_millis(100));
    stdin.write_all(b"stop\ngo\n").expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().filter(|line| line.starts_with("move ")).count(), 3, "{text}");
}

#[test]
fn an_engine_stops_and_quits_while_several_searches_wait() {
    for (last, moves) in
        [(&b"go\ngo time 3600000\nstop\n"[..], 4), (b"go\ngo time 3600000\nquit\n", 4), (b"go\ngo\n", 4)]
    {
        let mut child = endless_engine();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"go\ngo\n").expect("it reads");
        std::thread::sleep(Duration::from_millis(50));
        stdin.write_all(last).expect("it reads");
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(text.lines().filter(|line| line.starts_with("move ")).count(), moves, "{text}");
    }
}

/// Sends a signal to a command.
fn send(signal: &str, child: &std::process::Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

#[test]
fn no_program_outlives_a_command_that_is_killed() {
    let folder = Folder::new("outlive");
    // One hears nothing any more once all have been asked, and both have children.
    let deaf = "trap '' TERM INT HUP; sleep 1000 & echo $! >> \"$0.pids\"";
    let first = folder.program("deaf", deaf, "n=$((n + 1)); [ $n -lt 2 ] || while :; do sleep 1000; done");
    let second = folder.program("parent", "sleep 1000 & echo $! >> \"$0.pids\"", "sleep 0.01");
    let (agents, db) = (format!("{} {}", sh(&first), sh(&second)), folder.path("games.db"));
    let play = ["tournament", "rolit", "--players", "4", "--agents", &agents, "--games", "1000", "--threads", "2"];
    let started = |path: &str| fs::read_to_string(format!("{path}.pids")).map_or(0, |pids| pids.lines().count());
    for signals in [&["-KILL"][..], &["-TERM", "-TERM"], &["-ABRT"]] {
        let before = [&first, &second].map(|path| started(path));
        let mut child = common::command(&play).args(["--db", &db]).spawn().expect("it starts");
        // Each is asked for its name and plays in two games; its child is written down as well.
        while !before.iter().zip([&first, &second]).all(|(count, path)| started(path) >= count + 6) {
            std::thread::sleep(Duration::from_millis(5));
        }
        for signal in signals {
            send(signal, &child);
            std::thread::sleep(Duration::from_millis(20));
        }
        let status = child.wait().expect("it ends");
        // The second one ends it at once.
        assert!(signals.len() == 1 || status.code() == Some(128 + 15), "{status}");
        all_gone(&first);
        all_gone(&second);
    }
}

#[test]
fn the_example_in_python_plays() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/agents/random_agent.py");
    let text =
        stdout(&["engine-check", "--grace", "20s", "--game", "rolit", "--game", "hearts:hidden=yes", "python3", path]);
    assert!(text.contains("it is \"Random in Python\""), "{text}");
    assert!(text.lines().all(|line| line.starts_with("ok ")), "{text}");
    let folder = Folder::new("python");
    let agents = format!("random program:path=python3,args=(({path}))");
    let games = tournament(&folder, "othello", &agents, &["--games", "4"]);
    assert!(games.iter().all(|[.., forfeit]| forfeit.is_empty()));
}
