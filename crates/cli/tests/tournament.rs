//! Tournaments as scripts see them: files of games that survive interruptions, tables, reports, replays.

mod common;

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::{command, failure, nply, stdout};

/// The games of a file without their times.
fn games(db: &str) -> Vec<String> {
    let untimed = |line: &str| {
        let mut game: serde_json::Value = serde_json::from_str(line).expect("a JSON object per line");
        for column in ["time_ms", "overrun_ms", "ply_time_ms"] {
            assert!(game[column].is_array(), "{game}");
            game[column].take();
        }
        game.to_string()
    };
    stdout(&["report", db, "--list-games", "--json"]).lines().map(untimed).collect()
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a plain path").into()
}

#[test]
fn errors_are_reported_before_anything_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, db) = (path(folder.path(), "matches.toml"), path(folder.path(), "games.db"));
    let text = "game = 'rolit'\ngames = 1\n[[match]]\nname = 'one'\nagents = ['random']\n[[match]]\nname = 'two'\nagents = ['brz']\n";
    std::fs::write(&file, text).expect("a file");
    let right = path(folder.path(), "right.toml");
    std::fs::write(&right, text.replace("brz", "brs")).expect("a file");
    for (args, code, expected) in [
        (&["tournament", &file, "--db", &db][..], 2, "match two: unknown agent \"brz\""),
        (&["reproduce", &file, "--db", &db], 2, "match two: unknown agent \"brz\""),
        (
            &["tournament", &right, "--db", &db, "--match", "three"],
            2,
            "unknown match \"three\"\n  help: there are one, two",
        ),
        (
            &["tournament", &file, "--db", &db, "--nodes", "9"],
            2,
            "leave out --agents, --players, --openings and limits",
        ),
        (&["tournament", &right, "--db", &db, "--svg", "rates.svg"], 2, "rates.svg can hold the plot of one match"),
        (&quick("6", &["--db", &db, "--csv", "no-such-folder/games.csv"]), 1, "cannot write no-such-folder/games.csv"),
    ] {
        let (found, message) = failure(args);
        assert!(message.contains(expected), "{args:?}: {message}");
        assert_eq!((found, Path::new(&db).exists()), (code, false), "{args:?}: {message}");
    }
}

#[test]
fn wrong_limits_are_reported_before_a_table_is_built() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, db) = (folder.path().join("cache"), path(folder.path(), "games.db"));
    let tree = ["tournament", "tree", "--agents", "random", "--games", "2", "--db", &db, "--quiet"];
    stdout(&tree);
    let checkers = ["tournament", "chinese-checkers", "--games", "1", "--agents"];
    for (more, expected) in [
        (&["brs:playouts=5"][..], "brs does not take the limit \"playouts\""),
        (&["brs maxn:depth=0"], "depth does not take \"0\""),
        (&["brs paranoid", "--playouts", "10"], "does not end the thinking of"),
        (&["brs", "--csv", "no-such-folder/games.csv"], "cannot write no-such-folder/games.csv"),
        (&["brs", "--db", "no-such-folder/games.db"], "cannot write no-such-folder/games.db"),
        (&["brs", "--db", &db], "has the game \"tree\", not \"chinese-checkers\""),
    ] {
        let mut command = command(&[&checkers[..], more].concat());
        let output = command.env("XDG_CACHE_HOME", &cache).env("HOME", &cache).output().expect("it starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(expected), "{more:?}: {message}");
        assert!(!cache.exists(), "{more:?}: something was built");
    }
}

/// A quick tournament: three agents, 36 seatings, games of some milliseconds.
const QUICK: &[&str] = &[
    "tournament",
    "rolit",
    "--agents",
    "brs:eval=discs greedy:eval=discs random",
    "--nodes",
    "300",
    "--quiet",
    "--seed",
    "5",
];

fn quick<'a>(games: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [QUICK, &["--games", games], more].concat()
}

#[test]
fn a_tournament_that_is_killed_again_and_again_ends_with_the_same_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, killed) = (path(folder.path(), "whole.db"), path(folder.path(), "killed.db"));
    let started = Instant::now();
    let table = stdout(&quick("500", &["--db", &whole, "--threads", "1"]));
    let length = started.elapsed();
    // Moments spread over the run by a simple generator; the run gets further each time.
    let (mut state, mut hits) = (12345u64, 0);
    for _ in 0..20 {
        let mut child = command(&quick("500", &["--db", &killed, "--threads", "2"])).spawn().expect("it starts");
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        std::thread::sleep(length.mul_f64((state >> 33) as f64 / (1u64 << 31) as f64 / 12.0));
        child.kill().expect("it can be killed");
        hits += u32::from(!child.wait().expect("it ends").success());
    }
    assert!(hits >= 4, "only {hits} runs were killed before their end");
    let resumed = stdout(&quick("500", &["--db", &killed, "--threads", "2"]));
    assert_eq!(games(&whole).len(), 504);
    assert_eq!(games(&whole), games(&killed));
    // The tables agree in all that does not depend on the clock.
    let untimed = |table: &str| table.split("Thinking").next().map(String::from);
    assert_eq!(untimed(&table), untimed(&resumed));
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).expect("it is there").map(|file| file.expect("a file").file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("lock")), "{left:?}");
}

#[test]
fn two_processes_fill_one_file_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let (alone, shared) = (path(folder.path(), "alone.db"), path(folder.path(), "shared.db"));
    stdout(&quick("108", &["--db", &alone, "--threads", "8"]));
    let both: Vec<Child> = (0..2)
        .map(|_| command(&quick("108", &["--db", &shared, "--threads", "1", "--json"])).spawn().expect("it starts"))
        .collect();
    for child in both {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        // Each ends with the games of both.
        assert_eq!((&result["games"], &result["done"]), (&108.into(), &true.into()));
    }
    assert_eq!(games(&alone), games(&shared));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_finished_games_and_says_how_to_resume() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    let child = command(&quick("100k", &["--db", &db])).spawn().expect("it starts");
    while std::fs::metadata(&db).is_ok_and(|file| file.len() == 0) || !Path::new(&db).exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(700));
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(interrupted.success());
    let output = child.wait_with_output().expect("it ends");
    let (table, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("stopped after") && message.contains("the same command resumes the match"), "{message}");
    assert!(table.contains("rate (95 % interval)"), "{table}");
    assert!(!games(&db).is_empty());
}

#[test]
fn errors_say_what_would_be_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, file) = (path(folder.path(), "games.db"), path(folder.path(), "matches.toml"));
    std::fs::write(&file, "[[match]]\nname = \"a\"\ngame = \"tree\"\nagents = [\"greedy\"]\ngmes = 3\n")
        .expect("a file");
    stdout(&quick("36", &["--db", &db]));
    stdout(&["tournament", "tree", "--agents", "random", "--games", "2", "--db", &db, "--match", "second", "--quiet"]);
    let tree = ["tournament", "tree", "--agents", "random", "--games", "2"];
    for (args, code, expected) in [
        (
            &["tournament", "rolit", "--agents", "random", "--games", "9", "--db", &db][..],
            1,
            "has the agents \"brs:eval=discs greedy:eval=discs random\"",
        ),
        (&["tournament", "tree", "--games", "9"], 2, "a tournament needs agents"),
        (&["tournament", "tree", "--agents", "random"], 2, "a tournament needs a number of games"),
        (&[&tree[..], &["--sprt"]].concat(), 2, "--sprt compares two agents, and here are 1"),
        (&[&tree[..], &["--sprt=0.9"]].concat(), 2, "between 0 and 0.5"),
        (&[&tree[..], &["--db", &file]].concat(), 1, "is not a database"),
        (&["tournament", "tree", "--agents", "greedy:nodes=x", "--games", "9"], 2, "such as 250k"),
        (&["tournament", &file], 2, "line 5: unknown field `gmes`"),
        (&["tournament", "none.toml"], 1, "cannot read none.toml"),
        (&["tournament", "none.toml", "--agents", "random"], 2, "the file has the agents, players and limits"),
        (&["report", "none.db"], 1, "there is no file none.db"),
        (&["report", &db, "--match", "secnd"], 2, "did you mean \"second\"?"),
        (&["report", &db, "--list-games", "--format", "latex"], 2, "--format csv"),
        (&["report", &db, "--format", "parquet"], 2, "only games are written as Parquet"),
        (&["reproduce", "brs-2011-4", "--format", "parquet"], 2, "a comparison is not written as games are"),
        (&["replay", &db, "3"], 2, "name one of tournament, second with --match"),
        (&["replay", &db, "second/99"], 1, "it has 2 games, from 0 to 1"),
        (&["replay", &db, "second/x"], 2, "write its number, or NAME/NUMBER"),
        (&["replay", &db, "second/0", "--match", "second"], 2, "the match is named twice"),
        (&["report", &db, "--svg", "x.svg"], 2, "select one match with --match"),
        (&["report", &db, "--games"], 2, "--games"),
        (&["reproduce", "brs-2011-4", "--budget", "0.1"], 2, "--budget-scale"),
        (&["reproduce", "brs-2011-9"], 2, "unknown experiment"),
        (&["reproduce", "brs-2011-4", "--match", "-7-"], 2, "there are chinese-checkers-3-250"),
        (&["reproduce", "brs-2011-4", "--match", "chess"], 2, "there are chinese-checkers-3-250"),
        (&["reproduce", "brs-2011-4", "--scale", "0"], 2, "write a factor above 0"),
    ] {
        let (found, message) = failure(args);
        assert!(message.contains(expected), "{args:?}: {message}");
        assert_eq!(found, code, "{args:?}: {message}");
    }
}

#[test]
fn a_file_of_matches_is_played_and_reported_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, file) = (path(folder.path(), "games.db"), path(folder.path(), "matches.toml"));
    let text = "agents = [\"greedy:eval=discs\", \"random\"]\ngame = \"rolit\"\ngames = 10\n\
        [[match]]\nname = \"two\"\nplayers = 2\n[[match]]\nname = \"three\"\nplayers = 3\nseed = 4\n";
    std::fs::write(&file, text).expect("a file");
    let table = stdout(&["tournament", &file, "--db", &db, "--quiet"]);
    assert!(table.contains("rolit, 2 players: 10 games, 2 seatings, seed 1"), "{table}");
    assert!(table.contains("rolit, 3 players: 12 games, 6 seatings, seed 4"), "{table}");
    for (format, expected) in [
        ("text", "Rates by seat"),
        ("markdown", "| agent"),
        ("csv", "agent,games,points"),
        ("latex", "\\toprule"),
        ("json", "\"rating\":{"),
    ] {
        let report = stdout(&["report", &db, "--format", format]);
        assert!(report.contains(expected), "{format}: {report}");
    }
    let plots = path(folder.path(), "plots");
    stdout(&["report", &db, "--experiment", "three", "--svg", &plots]);
    let single = path(folder.path(), "two.svg");
    stdout(&["report", &db, "--match", "two", "--svg", &single]);
    assert!(std::fs::read_to_string(&single).expect("it was drawn").contains("2 players, 10 games"));
    for (name, title) in [
        ("rates", "Rates"),
        ("lengths", "Lengths of games"),
        ("depths", "Depth by move"),
        ("times", "Time by move"),
        ("moves", "Moves to win"),
        ("games", "Moves to win, game by game"),
    ] {
        let svg = std::fs::read_to_string(format!("{plots}/three-{name}.svg")).expect("it was drawn");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains(&format!("\">{title}: rolit, 3 players, 12 games</text>")), "{svg}");
        let has_bands = svg.contains("bands: 95 % intervals");
        assert_eq!(has_bands, ["depths", "times"].contains(&name), "{svg}");
    }
    // No agent has several budgets here.
    assert!(!folder.path().join("plots/rolit-3-depth-by-time.svg").exists());
    let csv = stdout(&["report", &db, "--list-games", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 23);
    assert!(csv.starts_with("match,game,seed,seats,payoffs"), "{csv}");
    let parquet = ["report", &db, "--list-games", "--format", "parquet"];
    if cfg!(not(feature = "parquet")) {
        let (code, message) = failure(&parquet);
        assert!(code == 2 && message.contains("without the feature `parquet`"), "{message}");
        return;
    }
    let parquet = nply(&parquet).stdout;
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    // The names are in the metadata, which is not compressed.
    let text = String::from_utf8_lossy(&parquet);
    for column in csv.lines().next().expect("a header").split(',').chain(["greedy:eval=discs"]) {
        assert!(text.contains(column), "{column}");
    }
}

#[test]
fn old_spellings_of_the_match_name_still_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    for name in ["one", "two"] {
        stdout(&["tournament", "tree", "--agents", "random", "--games", "2", "--db", &db, "--name", name, "--quiet"]);
    }
    assert_eq!(stdout(&["report", &db, "--experiment", "one"]), stdout(&["report", &db, "--match", "one"]));
    assert!(stdout(&["report", &db, "--match", "one,two"]).contains("two, seed 1"));
}

#[test]
fn a_tournament_ends_with_its_table_its_plot_and_what_to_try_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let (svg, parquet) = (path(folder.path(), "rates.svg"), path(folder.path(), "games.parquet"));
    let agents = "greedy:eval=discs random";
    let mut args = vec!["tournament", "rolit", "--agents", agents, "--games", "14", "--svg", &svg];
    if cfg!(feature = "parquet") {
        args.extend(["--parquet", &parquet]);
    }
    let output = nply(&args);
    let (table, messages) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(table.contains("rate (95 % interval)") && table.ends_with(&format!("plot: {svg}\n")), "{table}");
    assert_eq!(cfg!(feature = "parquet"), std::fs::read(&parquet).is_ok_and(|file| file.starts_with(b"PAR1")));
    let mut next = messages.lines().skip_while(|line| !line.starts_with("next")).skip(1);
    let (more, report) = (next.next().expect("a command"), next.next().expect("another"));
    assert!(
        more.contains("--agents 'greedy:eval=discs random' --games 140") && more.ends_with("--db games.db"),
        "{messages}"
    );
    // Both can be typed as they stand.
    for line in [more.replace("140", "28"), report.into()] {
        let output = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().expect("a shell");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(folder.path().join("plots/tournament-games.svg").exists());
}

#[test]
fn depth_is_drawn_by_time_where_an_agent_has_several_budgets() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, plots) = (path(folder.path(), "games.db"), path(folder.path(), "plots"));
    let agents = "paranoid:eval=discs,depth=1 paranoid:eval=discs,depth=3 greedy:eval=discs";
    stdout(&["tournament", "rolit", "--players", "3", "--agents", agents, "--games", "6", "--db", &db]);
    stdout(&["report", &db, "--svg", &plots]);
    let svg = std::fs::read_to_string(format!("{plots}/rolit-3-depth-by-time.svg")).expect("it was drawn");
    // One line, of Paranoid; greedy has one budget.
    assert!(svg.contains(">paranoid:eval=discs<") && !svg.contains("greedy") && svg.contains("mean time"), "{svg}");
}

#[test]
fn overruns_and_the_advantage_of_the_first_seat_are_reported() {
    let args =
        ["tournament", "rolit", "--players", "2", "--agents", "greedy:eval=discs,time=0ms random", "--games", "40"];
    let table = stdout(&args);
    assert!(table.lines().any(|line| line.ends_with("overruns (longest)")), "{table}");
    assert!(table.contains("advantage of seat 1"), "{table}");
    let untimed = stdout(&quick("36", &[]));
    assert!(!untimed.contains("overrun"), "{untimed}");
    let json: serde_json::Value = serde_json::from_str(&stdout(&[&args[..], &["--json"]].concat())).expect("JSON");
    // Every decision is late, but hardly any by as much as 5 ms.
    let of = |name: &str| json["agents"][0][name].as_f64().expect("a number");
    assert!(of("overrun_ms") > 0.0 && of("overruns") < of("moves") / 2.0, "{json}");
    assert!(json["agents"][1]["overruns"].is_null());
    let first = &json["first_seat"];
    let rate = json["seats"][0]["rate"].as_f64().expect("a rate");
    assert!((first["advantage"].as_f64().expect("a number") - (rate - 0.5)).abs() < 1e-9, "{json}");
    for interval in ["interval", "normal", "wilson"] {
        let ends = &json["agents"][0][interval];
        let rate = json["agents"][0]["rate"].as_f64();
        assert!(ends[0].as_f64() < rate && rate <= ends[1].as_f64(), "{interval}: {json}");
    }
}

#[test]
fn everything_but_times_is_the_same_with_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |threads: &str| {
        let (csv, db) = (path(folder.path(), &format!("{threads}.csv")), path(folder.path(), &format!("{threads}.db")));
        let plain = stdout(&quick("72", &["--threads", threads, "--csv", &csv]));
        let kept = stdout(&quick("72", &["--threads", threads, "--db", &db]));
        // The times of decisions are in one table, and in some columns of games.
        let untimed = |table: &str| {
            let (before, after) = table.split_once("Thinking").expect("the table");
            format!("{before}{}", after.split_once("Rates by seat").expect("the table").1)
        };
        assert_eq!(untimed(&plain), untimed(&kept));
        let text = std::fs::read_to_string(csv).expect("it was written");
        let games = text.lines().map(|line| line.split(',').take(11).collect::<Vec<&str>>().join(","));
        (untimed(&plain), games.collect::<Vec<String>>())
    };
    let (table, games) = run("1");
    assert!(table.contains("Finishes ahead") && games.len() == 73, "{table}");
    for threads in ["2", "7"] {
        assert_eq!(run(threads), (table.clone(), games.clone()), "{threads} threads");
    }
}

#[test]
fn a_report_shows_playouts_ranks_and_ratings() {
    let agents = "mcts:playouts=20,playout=random random";
    let args = ["tournament", "connect-four", "--agents", agents, "--games", "8", "--seed", "3"];
    let table = stdout(&args);
    for expected in ["mean rank  rating to the one with 0", "playouts/move", "distinct  draws"] {
        assert!(table.contains(expected), "{expected}: {table}");
    }
    // The stronger one is first in tables, wherever it was named.
    let (first, second) = (table.find("\nmcts").expect("a row"), table.find("\nrandom").expect("a row"));
    assert!(first < second, "{table}");
    let json: serde_json::Value = serde_json::from_str(&stdout(&[&args[..], &["--json"]].concat())).expect("JSON");
    let [mcts, random] = [0, 1].map(|agent| &json["agents"][agent]);
    assert!(mcts["playouts"].as_f64() > Some(1.0) && mcts["playouts"].as_f64() <= Some(20.0), "{json}");
    assert!(random["playouts"].is_null() && mcts["rating"].is_null() && random["rating"]["interval"].is_array());
    let ranks = [mcts, random].map(|agent| agent["rank"]["value"].as_f64().expect("a rank"));
    assert!((ranks[0] + ranks[1] - 3.0).abs() < 1e-9, "{json}");
    let ahead = [&mcts["ahead_of"][1], &random["ahead_of"][0]].map(|pair| pair["value"].as_f64().expect("a share"));
    assert!((ahead[0] + ahead[1] - 1.0).abs() < 1e-9 && mcts["ahead_of"][0].is_null(), "{json}");
    assert_eq!((&json["distinct"], &json["cut_off"], &json["forfeits"]), (&8.into(), &0.into(), &0.into()));
}

#[test]
fn a_kept_game_is_shown_move_by_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    // A deal depends on the seed, so this also shows that the seed of the game is kept.
    stdout(&[
        "tournament",
        "hearts",
        "--players",
        "3",
        "--agents",
        "greedy random",
        "--games",
        "6",
        "--db",
        &db,
        "--quiet",
    ]);
    let shown = stdout(&["replay", &db, "5"]);
    assert!(shown.contains("51. player") && shown.contains("shares of the win: "), "{shown}");
    let lines = stdout(&["replay", &db, "tournament/5", "--json"]);
    assert_eq!(lines.lines().count(), 52);
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().expect("lines")).expect("JSON");
    let kept: serde_json::Value = serde_json::from_str(games(&db).last().expect("games")).expect("JSON");
    assert_eq!((&last["points"], &last["ending"]), (&kept["points"], &"normal".into()));
    assert_eq!(stdout(&["replay", &db, "5", "--match", "tournament"]), shown);
}

#[test]
fn a_match_ends_when_one_agent_is_shown_to_be_stronger() {
    let match_of = |agents: &str, threads: &str| {
        let args =
            ["tournament", "rolit", "--players", "2", "--agents", agents, "--games", "2000", "--sprt=0.1", "--json"];
        let text = stdout(&[&args[..], &["--threads", threads]].concat());
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let (one, two) = (match_of("greedy:eval=discs random", "1"), match_of("greedy:eval=discs random", "2"));
    assert_eq!(one["sprt"], "greedy:eval=discs is stronger");
    assert!(one["games"].as_u64() < Some(500), "{one}");
    // However many games were under way, those that count are the same.
    assert_eq!((&one["games"], &one["agents"][0]["points"]), (&two["games"], &two["agents"][0]["points"]));
    let equal = match_of("random random", "2");
    assert_eq!(equal["sprt"], "both rates are within the given distance of one half");
}

#[test]
fn experiments_are_listed_and_compared_with_the_paper() {
    let list = stdout(&["reproduce"]);
    assert!(list.contains("brs-2011-4") && list.contains("thesis-2020-4"), "{list}");
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    let args =
        ["reproduce", "brs-2011-5", "--match", "focus-3-250", "--scale", "0.01", "--budget-scale", "0.002", "--quiet"];
    let compared = stdout(&[&args[..], &["--db", &db]].concat());
    assert!(compared.contains("58 ± 3.1") && compared.contains("12     "), "{compared}");
    assert!(compared.contains("budgets are 0.002 times the paper's"), "{compared}");
    let again: serde_json::Value =
        serde_json::from_str(&stdout(&[&args[..], &["--db", &db, "--json"]].concat())).expect("JSON");
    assert_eq!(again["cells"][0]["here"]["games"], 12);
    let (_, message) = failure(&["reproduce", "brs-2011-5", "--match", "focus-3-250", "--games", "1", "--db", &db]);
    assert!(message.contains("has the budget \"nodes=500\", not \"nodes=250k\""), "{message}");
}

#[test]
fn fewer_games_than_seatings_are_a_sample_of_exactly_that_many_which_is_announced() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    let agents = "random greedy:eval=discs maxn:eval=discs paranoid:eval=discs brs:eval=discs";
    let play = |games: &str, more: &[&str]| {
        let args = ["tournament", "rolit", "--players", "3", "--agents", agents, "--nodes", "50", "--games", games];
        let output = nply(&[&args[..], more].concat());
        let (table, notes) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{notes}");
        (table.into_owned(), notes.into_owned())
    };
    let (table, notes) = play("7", &["--db", &db]);
    assert!(notes.starts_with("7 games, a balanced sample of 60 seatings\n"), "{notes}");
    assert!(table.contains("rolit, 3 players: 7 games, a sample of 60 seatings, seed 1"), "{table}");
    let few = games(&db);
    // It goes on as a sample, with the same games first.
    let (_, notes) = play("12", &["--db", &db, "--threads", "3"]);
    assert!(notes.starts_with("12 games, a balanced sample of 60 seatings\n"), "{notes}");
    assert_eq!((few.len(), &games(&db)[..7], games(&db).len()), (7, &few[..], 12));
    let (table, notes) = play("60", &["--schedule", "pairs"]);
    assert!(notes.starts_with("60 games: 60 seatings, each once\n"), "{notes}");
    assert!(table.contains("60 games, 60 seatings, seed 1"), "{table}");
    let (_, notes) = play("6", &["--schedule", "gauntlet", "--quiet"]);
    assert_eq!(notes, "");
    let (code, message) =
        failure(&["tournament", "rolit", "--agents", "random", "--games", "9", "--schedule", "pairs"]);
    assert!(code == 2 && message.contains("has at least two agents"), "{message}");
    let (code, message) = failure(&[
        "tournament",
        "rolit",
        "--agents",
        agents,
        "--players",
        "3",
        "--games",
        "7",
        "--nodes",
        "50",
        "--schedule",
        "gauntlet",
        "--db",
        &db,
    ]);
    assert!(code == 1 && message.contains("has the schedule \"all\", not \"gauntlet\""), "{message}");
}
