//! Tournaments in shards: merged they are what one process plays, and what is missing is known at each stage.

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{command, failure, nply, stdout};
use serde_json::Value;

/// A folder, and paths in it as text.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("text").into()
    }
}

const FILE: &str = "game = 'rolit'\nplayers = 3\nnodes = 40\n\
    [[match]]\nname = 'one'\ngames = 24\nopenings = 'random:4'\nagents = ['brs:eval=discs', 'random']\n\
    [[match]]\nname = 'two'\ngames = 5\nagents = ['greedy:eval=discs', 'random', 'maxn:eval=discs']\n";

/// The games of a file, without times.
fn games(db: &str) -> Vec<Value> {
    let parsed = |line: &str| {
        let mut game: Value = serde_json::from_str(line).expect("a JSON object per line");
        let columns = game.as_object_mut().expect("an object");
        assert_eq!(["time_ms", "overrun_ms", "ply_time_ms"].map(|name| columns.remove(name).is_some()), [true; 3]);
        game
    };
    stdout(&["report", db, "--list-games", "--json"]).lines().map(parsed).collect()
}

/// The tables of a file, without times: the last column of the table on thinking.
fn report(db: &str) -> Vec<String> {
    let text = stdout(&["report", db, "--format", "csv"]);
    let mut is_timed = false;
    let line = |line: &str| {
        is_timed = line.ends_with("ms/move") || is_timed && !line.is_empty();
        if is_timed { line.rsplit_once(',').map_or(line, |(start, _)| start).into() } else { line.into() }
    };
    text.lines().map(line).collect()
}

/// What `nply missing` prints.
fn missing(files: &[&str]) -> String {
    let args: Vec<&str> = ["missing", "--quiet"].iter().chain(files).copied().collect();
    stdout(&args).trim_end().into()
}

#[test]
fn shards_of_a_file_of_matches_merged_are_the_tournament_of_one_process() {
    let folder = Folder::new();
    let (file, whole, all) = (folder.path("m.toml"), folder.path("whole.db"), folder.path("all.db"));
    fs::write(&file, FILE).expect("a file");
    stdout(&["tournament", &file, "--db", &whole, "--quiet"]);
    let parts: Vec<String> = (1..=7).map(|shard| folder.path(&format!("part-{shard}.db"))).collect();
    let play = |shard: usize, threads: &str| {
        let which = format!("{shard}/7");
        let text = stdout(&[
            "tournament",
            &file,
            "--shard",
            &which,
            "--db",
            &parts[shard - 1],
            "--threads",
            threads,
            "--quiet",
        ]);
        assert!(text.contains(&format!("shard {which} of 24 games")), "{text}");
    };
    let merge = |which: &[&str]| {
        let args: Vec<&str> = ["merge"].iter().chain(which).chain(&["--db", &all]).copied().collect();
        stdout(&args)
    };
    play(2, "1");
    play(5, "3");
    assert_eq!(missing(&[&parts[1], &parts[4]]), "1,3-4,6-7");
    assert_eq!(merge(&[&parts[1], &parts[4]]), format!("{all}: 9 games, 9 of them new; 0 were there already\n"));
    assert_eq!(missing(&[&all]), "1,3-4,6-7");
    // The second match has five games for seven shards, so that two have none of it.
    (3..=7).filter(|&shard| shard != 5).for_each(|shard| play(shard, "2"));
    merge(&parts[1..].iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(missing(&[&all]), "1");
    let json: Value = serde_json::from_str(&stdout(&["missing", &all, "--json"])).expect("JSON");
    assert_eq!((&json["array"], &json["count"], &json["missing"]), (&"1".into(), &7.into(), &5.into()));
    assert_eq!(json["matches"][0]["shards"][0]["games"], 4);
    assert_eq!(missing(&[&all, "--match", "two"]), "1");
    play(1, "1");
    let mut everything: Vec<&str> = parts.iter().map(String::as_str).collect();
    everything.push(&all);
    merge(&everything);
    assert_eq!(missing(&[&all]), "");
    assert_eq!(games(&all), games(&whole));
    assert_eq!((games(&all).len(), report(&all)), (29, report(&whole)));
    // It is a file like any other: nothing is left to play, and more games can be.
    let text = stdout(&["tournament", &file, "--db", &all, "--quiet"]);
    assert_eq!(text.matches(" games, ").count(), 2);
    let (before, again) = (fs::read(&all).expect("a file"), merge(&everything));
    assert!(again.contains("29 games, 0 of them new"), "{again}");
    assert_eq!(fs::read(&all).expect("a file"), before);
}

#[test]
fn a_shard_that_is_killed_and_played_again_is_the_same() {
    let folder = Folder::new();
    let (whole, all, part) = (folder.path("whole.db"), folder.path("all.db"), folder.path("part.db"));
    let line = [
        "tournament",
        "focus",
        "--players",
        "3",
        "--agents",
        "brs random",
        "--games",
        "600",
        "--nodes",
        "60",
        "--quiet",
        "--threads",
        "2",
    ];
    let with = |more: &[&str]| line.iter().chain(more).map(|word| word.to_string()).collect::<Vec<String>>();
    let words = with(&["--db", &part, "--shard", "1/3"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut child = command(&words).spawn().expect("it starts");
    let (started, mut played) = (Instant::now(), 0);
    // Some games, but not all of them.
    while played < 3 {
        assert!(started.elapsed() < Duration::from_secs(120), "no game is played");
        std::thread::sleep(Duration::from_millis(5));
        let is_there = Path::new(&part).metadata().is_ok_and(|file| file.len() > 0);
        let output = nply(&["missing", &part, "--json"]);
        if is_there && output.status.success() {
            let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            played = json["matches"][0]["played"].as_u64().expect("a number");
        }
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    stdout(&["merge", &part, "--db", &all]);
    let before = games(&all).len();
    assert!((3..200).contains(&before), "{before} games before it was killed");
    assert_eq!(missing(&[&all]), "1-3");
    for shard in ["1", "2", "3"] {
        let db = if shard == "1" { part.clone() } else { folder.path(&format!("part-{shard}.db")) };
        let words = with(&["--db", &db, "--shard", &format!("{shard}/3")]);
        stdout(&words.iter().map(String::as_str).collect::<Vec<_>>());
        stdout(&["merge", &db, "--db", &all]);
    }
    assert_eq!(missing(&[&all]), "");
    let words = with(&["--db", &whole]);
    stdout(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(games(&all), games(&whole));
    assert_eq!(report(&all), report(&whole));
}

#[test]
fn an_experiment_is_played_in_shards_and_compared_when_they_are_merged() {
    let folder = Folder::new();
    let (whole, all) = (folder.path("whole.db"), folder.path("all.db"));
    let line = ["reproduce", "thesis-2020-3", "--match", "greedy", "--games", "3", "--quiet"];
    let run = |more: &[&str]| stdout(&line.iter().chain(more).copied().collect::<Vec<_>>());
    let one = run(&["--db", &whole]);
    let parts = ["1", "2"].map(|shard| folder.path(&format!("part-{shard}.db")));
    for (shard, part) in ["1/2", "2/2"].iter().zip(&parts) {
        run(&["--db", part, "--shard", shard]);
    }
    stdout(&["merge", &parts[0], &parts[1], "--db", &all]);
    assert_eq!(run(&["--db", &all]), one);
    assert_eq!(games(&all), games(&whole));
    // A plan keeps packed files of its own.
    let (status, message) = failure(&["reproduce", "--plan", "plan.toml", "--shard", "1/2"]);
    assert!(status == 2 && message.contains("cannot be used with"), "{message}");
}

#[test]
fn what_is_not_a_part_of_the_tournament_is_refused_with_a_reason() {
    let folder = Folder::new();
    let (part, all) = (folder.path("part-1.db"), folder.path("all.db"));
    let line = ["tournament", "tree", "--agents", "maxn random", "--games", "12", "--quiet", "--depth"];
    let with = |more: &[&'static str]| line.iter().chain(more).copied().collect::<Vec<&'static str>>();
    let run = |more: &[&'static str], db: &str| {
        let mut words = with(more);
        words.extend(["--db", db]);
        let output = nply(&words);
        let text = if output.status.success() { output.stdout } else { output.stderr };
        (output.status.code().expect("no signal"), String::from_utf8(text).expect("text"))
    };
    for (more, expected) in [
        (&["2", "--shard", "1/4"][..], "a file of its own"),
        (&["2", "--shard", "0/4"], "there is no shard 0/4"),
        (&["2", "--shard", "5/4"], "there is no shard 5/4"),
        (&["2", "--shard", "x"], "is not a shard"),
    ] {
        let (status, message) = failure(&with(more));
        assert!(status == 2 && message.contains(expected), "{message}");
    }
    let (status, message) = run(&["2", "--shard", "1/4", "--sprt"], &part);
    assert!(status == 2 && message.contains("a shard knows only its own"), "{message}");
    assert!(!Path::new(&part).exists());
    assert_eq!(run(&["2", "--shard", "1/4"], &part).0, 0);
    for (more, expected) in [
        (&["2", "--shard", "2/4"][..], "has shard 1/4 of match \"tournament\", not 2/4"),
        (&["2", "--shard", "1/5"], "has shard 1/4 of match \"tournament\", not 1/5"),
        (&["2"], "has shard 1/4 of match \"tournament\""),
        (&["3", "--shard", "1/4"], "has the budget \"depth=2\", not \"depth=3\""),
    ] {
        let (status, message) = run(more, &part);
        assert!(status == 1 && message.contains(expected), "{message}");
    }
    // A part with other settings does not get in.
    let other = folder.path("other.db");
    assert_eq!(run(&["3", "--shard", "2/4"], &other).0, 0);
    let (status, message) = failure(&["merge", &part, &other, "--db", &all]);
    assert!(status == 1 && message.contains("has the budget \"depth=2\" in"), "{message}");
    assert!(!Path::new(&all).exists());
    stdout(&["merge", &part, "--db", &all]);
    let (status, message) = run(&["2", "--shard", "2/4"], &all);
    assert!(status == 1 && message.contains("as a whole, not a shard of it"), "{message}");
    // Files that are none, or not of shards.
    assert!(failure(&["merge", &folder.path("none.db"), "--db", &all]).1.contains("there is no file"));
    fs::write(folder.path("text.db"), "not a database at all").expect("a file");
    assert!(failure(&["merge", &folder.path("text.db"), "--db", &all]).1.contains("is not a database"));
    let whole = folder.path("whole.db");
    assert_eq!(run(&["2"], &whole).0, 0);
    let (status, message) = failure(&["missing", &whole]);
    assert!(status == 1 && message.contains("is not played in shards"), "{message}");
    // What a whole file has counts for the shards all the same.
    stdout(&["merge", &whole, "--db", &all]);
    assert_eq!(missing(&[&all]), "");
    // More games of the same match: the shards have more to do.
    let mut more = with(&["2", "--shard", "1/4", "--db"]);
    more[5] = "24";
    let words: Vec<&str> = more.iter().copied().chain([part.as_str()]).collect();
    stdout(&words);
    stdout(&["merge", &part, "--db", &all]);
    assert_eq!(missing(&[&all]), "2-4");
}
