//! Mutated command lines and conversations: nothing panics, everything can be ended, every failure is one clear message.
//!
//! `NPLY_MUTATIONS` is how many of each are tried, or which, such as `5000..6000`. What a number stands for never depends on the others,
//! so that a failure can be tried again alone. `NPLY_TRIED` is another program to try, such as an optimized build.
#![cfg(unix)]

mod common;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::{NPLY, stdout};
use nply::{Rng, mix};

/// Right command lines, at least one for every command. Files are those of [`prepare`].
const LINES: &[&str] = &[
    "games",
    "games --json",
    "agents",
    "agents focus --json",
    "agents --markdown",
    "show focus --players 3 --all",
    "show hearts:hidden=yes --seed 3 --svg board.svg --theme dark",
    "show tree --position '(1 5,4,1 (2 4,6,0 0,5,5))' --arrows 1 --svg a.svg",
    "moves rolit --moves 'f4 c5' --json",
    "moves four-player-chess",
    "perft othello --depth 2 --divide --threads 2",
    "search tree --position '(1 5,4,1 (2 4,6,0 0,5,5))' --agent maxn:pruning=shallow --depth 2",
    "search focus --players 2 --agent brs:table=1M,width=5 --nodes 50 --time 50ms --seed 7",
    "search rolit --agent mcts:playout=random,memory=4M,cutoff=5 --playouts 5",
    "search hearts:hidden=yes --agent 'worlds:n=2,agent=(paranoid:table=1M)' --nodes 50 --json",
    "solve tree --player 1 --at-least 5 --by points --nodes 50 --table 1M --proof new.proof --proof-limit 9",
    "solve tree --position '(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))' --player 2 --by share --time 100ms --json",
    "solve --verify matches.toml --json",
    "explain tree --agent maxn --depth 2 --limit 50 --svg tree.svg --tikz tree.tex",
    "explain rolit --agent mcts:eval=discs,memory=4M --playouts 5",
    "play tree --seats 'human random random' --depth 2 --hint greedy",
    "play --resume saved.json tree --quiet",
    "tournament tree --agents 'maxn random' --games 4 --depth 2 --threads 2 --db new.db --match first --wait 1s",
    "tournament rolit --agents 'greedy:eval=discs random' --games 2 --csv games.csv --svg rates.svg --seed 9",
    "tournament tree --agents 'random greedy' --games 20 --sprt=0.1 --nodes 9",
    "tournament matches.toml --games 2 --match one --json --parquet games.parquet",
    "tournament tree --agents 'program:path=./agent.sh,start=100ms random' --games 2 --quiet",
    "tournament tree --agents 'maxn random' --games 12 --depth 2 --shard 2/3 --db part-2.db --quiet",
    "merge games.db part.db games.db.gz --db merged.db --wait 1s --json",
    "missing part.db --match tournament --json",
    "report games.db",
    "report games.db --match first --list-games --format csv",
    "report games.db --format latex --svg plots",
    "report games.db.gz --json",
    "replay games.db 1",
    "replay games.db first/0 --json --wait 1s",
    "reproduce",
    "reproduce matches.toml --games 2 --match two --with equals=random --seating fixed --format markdown",
    "reproduce brs-2011-4 --scale 0.001 --budget-scale 0.001 --match focus --db new.db",
    "serve --port 0 --db sessions.db --results . --max-time 1s",
    "engine rolit --agent brs --players 3",
    "engine-check ./agent.sh --game tree --start 100ms --grace 100ms --patience 100ms -- more words",
    "bench --quiet",
    "calibrate tree --games 12 --eval leaves --svg chances.svg",
    "impact rolit --games 3 --eval discs --players 3",
    "calibrate rolit --games 12 --eval discs --players 3 --agent greedy:eval=discs --nodes 50",
    "tune tree --candidates 'maxn random best:nodes=9' --nodes 20 --games 1 --last 6 --sprt 0.1 --db tuned.db --for 2s --quiet",
    "tune connect-four --players 2 --nodes 5 --time 1ms --openings random:2 --db tuned.db --for 500ms --write --json --wait 1s",
    "table path chinese-checkers",
    "table verify chinese-checkers --json",
    "table build chinese-checkers --quiet",
    "learn rolit --wthor . --out patterns.bin --until 1999",
    "completions bash",
    "man search",
    "help tournament",
    "--version",
];

/// Words that trip readers of numbers, names, paths and lists.
const WORDS: &[&str] = &[
    "",
    " ",
    "-",
    "--",
    "-1",
    "+1",
    "0",
    "00",
    "1",
    "7",
    "255",
    "65536",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e9",
    "1e999",
    "inf",
    "nan",
    "0.1",
    ".5",
    "1k",
    "2.5G",
    "999999999G",
    "1ms",
    "1000h",
    "-5s",
    "=",
    ":",
    ",",
    "a=b",
    "a:b=c,d=(e",
    "((((((((",
    "))",
    "(()",
    "\"",
    "'",
    "\\",
    "%s",
    "{}",
    "$HOME",
    "`",
    "*",
    "é",
    "ß∞𝄞",
    "\u{202e}\u{200b}",
    "\u{feff}",
    "\n",
    "a\nb",
    "\r",
    "\t",
    "\x1b[31m",
    "\x07",
    "\x7f",
    "no/such/folder/file",
    "none.db",
    "none.toml",
    ".",
    "games.db",
    "folder",
    "folder.toml",
    "/dev/null",
    "/dev/full",
    "empty",
    "text",
    "broken.toml",
    "human",
    "program:path=.",
    "program:path=text",
    "program:path=none",
    "worlds:agent=(worlds:agent=(worlds))",
    "mcts:threads=256",
    "maxn:table=1",
    "--json",
    "--quiet",
    "--help",
    "-h",
    "-V",
    "-q",
    "-j",
];

/// Bytes with a meaning to some reader.
const ODD: &[u8] = b"0123456789-+.,:=()[]{}\"'\\ \t\nkMGs";

/// The files that commands are tried on.
fn prepare(folder: &Path) {
    let write = |name: &str, content: &str| fs::write(folder.join(name), content).expect("a file");
    write("empty", "");
    write("text", "no program\nand no database\n");
    write(
        "matches.toml",
        "game = 'tree'\nplayers = 3\ngames = 2\n[[match]]\nname = 'one'\nagents = ['maxn:depth=2', 'random']\n[[match]]\nname = 'two'\nagents = ['greedy']\n",
    );
    write("broken.toml", "game = [\n[[match");
    write(
        "agent.sh",
        "#!/bin/sh\nwhile read line; do case $line in nply*) echo ready;; moves*) set -- $line;; go*) echo move $2;; quit) exit;; esac; done\n",
    );
    write("saved.json", "{}");
    fs::create_dir(folder.join("folder")).expect("a folder");
    fs::create_dir(folder.join("folder.toml")).expect("a folder");
    let is_run = Command::new("chmod").args(["+x", "agent.sh"]).current_dir(folder).status();
    assert!(is_run.expect("chmod is there").success());
    let quick = [
        "tournament",
        "tree",
        "--agents",
        "maxn random",
        "--games",
        "4",
        "--depth",
        "2",
        "--quiet",
        "--db",
        "games.db",
        "--match",
    ];
    for name in ["first", "second"] {
        let played = Command::new(NPLY).args(quick).arg(name).current_dir(folder).stdout(Stdio::null()).status();
        assert!(played.expect("it starts").success());
    }
    let shard = ["tournament", "tree", "--agents", "maxn random", "--games", "12", "--depth", "2", "--quiet"];
    let shard = Command::new(NPLY).args(shard).args(["--shard", "1/3", "--db", "part.db"]).current_dir(folder).output();
    assert!(shard.expect("it starts").status.success());
    let packed = Command::new(NPLY)
        .args(["play", "tree", "--seats", "human random random"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut child = packed.expect("it starts");
    child.stdin.take().expect("it is piped").write_all(b"save saved.json\nquit\n").expect("it reads");
    assert!(child.wait().expect("it ends").success());
    let bytes = fs::read(folder.join("games.db")).expect("it is there");
    fs::write(folder.join("games.db.gz"), nply_arena::gzip(&bytes)).expect("a file");
}

/// The words of a line, of which those between apostrophes are one.
fn split(line: &str) -> Vec<OsString> {
    let quoted = line.split('\'').enumerate();
    quoted
        .flat_map(|(index, part)| if index % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .map(OsString::from)
        .collect()
}

/// The commands of README and docs that start nply alone, with budgets that end soon.
fn documented() -> Vec<Vec<OsString>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs =
        fs::read_dir(root.join("docs")).expect("the docs are there").map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<_> =
        docs.filter(|path| path.extension().is_some_and(|end| end == "md")).chain([root.join("README.md")]).collect();
    pages.sort();
    let mut lines = Vec::new();
    for page in pages {
        let text = fs::read_to_string(page).expect("a page");
        for line in
            text.lines().filter_map(|line| line.strip_prefix("$ nply ")).filter(|line| !line.contains(['|', '>']))
        {
            let mut words = split(&line.replace('"', "'"));
            for at in 1..words.len() {
                let small = match words[at - 1].to_str() {
                    Some("--games") => "2",
                    Some("--nodes" | "--playouts") => "20",
                    Some("--depth") => "1",
                    Some("--time") => "5ms",
                    _ => continue,
                };
                words[at] = small.into();
            }
            lines.push(words);
        }
    }
    lines
}

/// The commands, and all options of all of them, as the help tells.
fn options() -> (Vec<String>, Vec<OsString>) {
    let help = stdout(&["--help"]);
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Descriptions that need more than a line are set in further.
    let list = list.filter(|line| !line.starts_with("   "));
    let commands: Vec<String> = list.filter_map(|line| line.split_whitespace().next()).map(String::from).collect();
    let mut options = BTreeSet::new();
    for command in commands.iter().filter(|command| *command != "help") {
        let help = stdout(&[command, "--help"]);
        let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        options.extend(words.filter(|word| word.starts_with("--") && word.len() > 3).map(OsString::from));
    }
    (commands, options.into_iter().collect())
}

/// What mutations draw from.
struct Material {
    lines: Vec<Vec<OsString>>,
    words: Vec<OsString>,
}

impl Material {
    fn new(lines: Vec<Vec<OsString>>, more: Vec<OsString>) -> Material {
        let own: BTreeSet<&OsString> = lines.iter().flatten().collect();
        let words = own.into_iter().cloned().chain(more).chain(WORDS.iter().map(OsString::from)).collect();
        Material { lines, words }
    }

    /// A line with some changes; one in twenty stays as it is.
    fn mutated(&self, rng: &mut Rng) -> Vec<OsString> {
        let mut words = self.lines[rng.below(self.lines.len())].clone();
        let changes = if rng.below(20) == 0 { 0 } else { 1 + rng.below(4) };
        for _ in 0..changes {
            self.change(&mut words, rng);
        }
        // An argument cannot hold a zero byte.
        words.iter_mut().for_each(|word| {
            *word = OsString::from_vec(word.as_bytes().iter().copied().filter(|&byte| byte > 0).collect())
        });
        words
    }

    fn change(&self, words: &mut Vec<OsString>, rng: &mut Rng) {
        let (at, new) = (rng.below(words.len() + 1), self.words[rng.below(self.words.len())].clone());
        let is_inside = at < words.len();
        match rng.below(10) {
            0 if is_inside => drop(words.remove(at)),
            1 if is_inside => words.insert(at, words[at].clone()),
            2 if is_inside => {
                let with = rng.below(words.len());
                words.swap(at, with);
            }
            3 | 4 if is_inside => words[at] = new,
            5..=7 if is_inside => words[at] = self.damaged(&words[at], rng),
            8 if is_inside => {
                let mut joined = words[at].clone();
                joined.push(["=", ":", ",", " ", ""][rng.below(5)]);
                joined.push(new);
                words[at] = joined;
            }
            _ => words.insert(at, new),
        }
    }

    /// A word with a byte or a few changed.
    fn damaged(&self, word: &OsStr, rng: &mut Rng) -> OsString {
        let mut bytes = word.as_bytes().to_vec();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(bytes.len() + 1);
            let byte = match rng.below(3) {
                0 => rng.below(256) as u8,
                1 => ODD[rng.below(ODD.len())],
                _ => b'a' + rng.below(26) as u8,
            };
            match rng.below(4) {
                0 if at < bytes.len() => drop(bytes.remove(at)),
                1 if at < bytes.len() => bytes[at] = byte,
                2 if at < bytes.len() => {
                    let part = bytes[at..].to_vec();
                    bytes.extend(part);
                }
                _ => bytes.insert(at, byte),
            }
        }
        bytes.truncate(10_000);
        OsString::from_vec(bytes)
    }
}

/// Whether a line keeps to the folder and to this machine.
fn is_harmless(words: &[OsString]) -> bool {
    words.iter().all(|word| {
        let text = word.to_string_lossy();
        let absolute = text.match_indices('/').any(|(at, _)| {
            let is_start = at == 0 || text[..at].ends_with(['=', '(', ' ', ',', ':']);
            is_start && !text[at..].starts_with("/dev/null") && !text[at..].starts_with("/dev/full")
        });
        !absolute && !text.contains("..") && !text.contains("listen")
    })
}

/// Which inputs are tried.
fn numbers(usual: u64) -> Range<u64> {
    let Ok(text) = std::env::var("NPLY_MUTATIONS") else { return 0..usual };
    let number = |text: &str| text.parse().expect("NPLY_MUTATIONS is a count, or FROM..TO");
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => 0..number(&text),
    }
}

/// Tries inputs on several threads, each in a folder of its own, and reports what is wrong.
fn try_all(usual: u64, attempt: impl Fn(u64, &Path) -> Result<(), String> + Sync) {
    let template = tempfile::tempdir().expect("a folder");
    prepare(template.path());
    let (range, wrong) = (numbers(usual), Mutex::new(Vec::new()));
    let next = AtomicU64::new(range.start);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= range.end || wrong.lock().expect("nobody panics").len() >= 20 {
                break;
            }
            let folder = tempfile::tempdir().expect("a folder");
            let copied = Command::new("cp")
                .arg("-a")
                .arg(format!("{}/.", template.path().display()))
                .arg(folder.path())
                .status();
            assert!(copied.expect("cp is there").success());
            if let Err(problem) = attempt(number, folder.path()) {
                wrong.lock().expect("nobody panics").push(format!("{number}: {problem}"));
            }
            if number % 1000 == 999 {
                println!("{number}");
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("nobody panics");
    assert!(wrong.is_empty(), "{} of {range:?}\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// How a process ended, and what it wrote.
struct Ended {
    status: ExitStatus,
    /// Whether it had to be told to end.
    is_stopped: bool,
    out: String,
    err: String,
}

/// A command that can find no other program, and no file outside its folder.
fn start(words: &[OsString], folder: &Path) -> Child {
    let file = |name: &str| File::create(folder.join(name)).expect("a file");
    let mut command = Command::new(std::env::var_os("NPLY_TRIED").unwrap_or_else(|| NPLY.into()));
    command.args(words).current_dir(folder).env_clear().stdin(Stdio::piped());
    // No table is built: where it would be kept is a file.
    for (name, value) in [("PATH", "folder"), ("HOME", "folder"), ("NPLY_CACHE", "empty"), ("RUST_BACKTRACE", "0")] {
        command.env(name, folder.join(value));
    }
    command.stdout(file("stdout")).stderr(file("stderr"));
    command.spawn().expect("it starts")
}

/// Waits for the end; after `patience` the process is told to end, and must.
fn finish(mut child: Child, patience: Duration, folder: &Path) -> Result<Ended, String> {
    drop(child.stdin.take());
    let id = child.id().to_string();
    let mut ends = |time: Duration| {
        let started = Instant::now();
        loop {
            match child.try_wait().expect("it is ours") {
                Some(status) => return Some(status),
                None if started.elapsed() > time => return None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    };
    let by_itself = ends(patience);
    let is_stopped = by_itself.is_none();
    let status = by_itself.or_else(|| {
        let told = Command::new("kill").arg(&id).status();
        told.expect("kill is there");
        ends(Duration::from_secs(10))
    });
    let read = |name: &str| String::from_utf8_lossy(&fs::read(folder.join(name)).expect("it is there")).into_owned();
    match status {
        Some(status) => Ok(Ended { status, is_stopped, out: read("stdout"), err: read("stderr") }),
        None => {
            child.kill().expect("it is ours");
            child.wait().expect("it ends");
            Err("it cannot be ended".into())
        }
    }
}

/// What is wrong with the way a command ended.
fn problem(words: &[OsString], ended: &Ended) -> Option<String> {
    let Ended { status, is_stopped, err, .. } = ended;
    let is_json = words.iter().any(|word| word == "--json");
    let is_error = |line: &&str| if is_json { line.starts_with("{\"error\":") } else { line.starts_with("error: ") };
    let errors: Vec<&str> = err.lines().filter(is_error).collect();
    let what = if err.contains("panicked at") {
        "it panics"
    } else if *is_stopped {
        return None;
    } else if let Some(signal) = status.signal() {
        return Some(format!("it dies of signal {signal}"));
    } else {
        match status.code() {
            Some(0) if errors.is_empty() => return None,
            Some(0) => "an error and status 0",
            Some(1 | 2) if errors.len() == 1 && errors[0].len() > 12 => return None,
            // Without anything to do, the help is shown.
            Some(2) if errors.is_empty() && err.contains("Usage: ") => return None,
            Some(1 | 2) => "not one clear message",
            _ => "an odd status",
        }
    };
    Some(format!("{what} ({status})"))
}

fn shown(words: &[OsString]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<String>>().join(" ")
}

#[test]
fn no_command_line_panics_or_cannot_be_ended_and_failures_have_one_clear_message() {
    let (commands, options) = options();
    let own: Vec<Vec<OsString>> = LINES.iter().map(|line| split(line)).collect();
    for command in &commands {
        assert!(own.iter().any(|words| words[0] == OsStr::new(command)), "LINES has none for {command}");
    }
    let material = Material::new(own.into_iter().chain(documented()).collect(), options);
    try_all(300, |number, folder| {
        let mut rng = Rng::new(mix(number));
        let words = material.mutated(&mut rng);
        if !is_harmless(&words) {
            return Ok(());
        }
        let ended = finish(start(&words, folder), Duration::from_millis(1500), folder);
        let ended = ended.map_err(|problem| format!("{problem}: nply {}", shown(&words)))?;
        problem(&words, &ended)
            .map_or(Ok(()), |problem| Err(format!("{problem}: nply {}\n{}", shown(&words), ended.err)))
    });
}

/// Drivers of `nply engine`, and lines that they send.
const DRIVEN: &[&str] = &[
    "engine rolit --agent brs:eval=discs,table=1M",
    "engine tree --agent maxn:table=1M",
    "engine hearts:hidden=yes --agent worlds:n=2,agent=(greedy)",
    "engine focus --players 2 --agent mcts:memory=4M,playout=random",
];
const SENT: &[&str] = &[
    "nply 1",
    "game rolit players 4 seed 2716 common 88213 noise no",
    "game tree players 3 seed 1 common 2 noise yes",
    "game focus:rules=short,limit=300 players 2 seed 5 common 6 noise no",
    "position ...........................RY......BG........................... R",
    "position (1 5,4,1 (2 4,6,0 0,5,5))",
    "turn 1",
    "moves d6 f4 f6",
    "played",
    "played d6 f4 c3 e3",
    "go nodes 50 ply 0",
    "go depth 1",
    "go depth 2 nodes 20 playouts 3 time 5 ply 4",
    "go time 1.5",
    "go playouts 3",
    "go",
    "go",
    "stop",
    "quit",
];

/// Games in the terminal, and lines that people type.
const PLAYED: &[&str] = &[
    "play tree --seats 'human random random'",
    "play rolit --seats 'human human greedy:eval=discs random' --nodes 20 --hint greedy:eval=discs",
    "play hearts:hidden=yes --seats 'human random random random' --nodes 20 --json",
    "play connect-four --seats 'human human' --nodes 20 --quiet",
];
const TYPED: &[&str] = &["1", "2", "f4", "d6", "a", "moves", "undo", "hint", "save game.json", "save", "help", "quit"];

/// Lines, many of them changed, that end with a word or with the end of the input.
fn conversation(lines: &Material, last: &str, rng: &mut Rng) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..1 + rng.below(12) {
        let words =
            if rng.below(2) == 0 { lines.mutated(rng) } else { lines.lines[rng.below(lines.lines.len())].clone() };
        text.extend(words.join(OsStr::new(" ")).as_bytes());
        text.push(b'\n');
    }
    text.extend(last.as_bytes());
    text
}

fn converse(usual: u64, commands: &[&str], lines: &[&str], check: impl Fn(&Ended) -> Option<String> + Sync) {
    let commands: Vec<Vec<OsString>> = commands.iter().map(|line| split(line)).collect();
    let material =
        Material::new(lines.iter().map(|line| line.split(' ').map(OsString::from).collect()).collect(), Vec::new());
    try_all(usual, |number, folder| {
        let mut rng = Rng::new(mix(number));
        let words = &commands[rng.below(commands.len())];
        let last = ["\nquit\n", "", "quit"][rng.below(3)];
        let text = conversation(&material, last, &mut rng);
        if !is_harmless(&[OsString::from_vec(text.clone())]) {
            return Ok(());
        }
        let shown = format!("nply {}\n{}", shown(words), text.escape_ascii());
        let mut child = start(words, folder);
        // It may have ended before it has read everything.
        let _ = child.stdin.take().expect("it is piped").write_all(&text);
        let ended = finish(child, Duration::from_secs(2), folder).map_err(|problem| format!("{problem}: {shown}"))?;
        // At the end of the input a search may go on to its limit, but `quit` ends it.
        let problem = if ended.is_stopped && !last.is_empty() {
            Some("it does not end".into())
        } else {
            problem(words, &ended).or_else(|| check(&ended))
        };
        problem.map_or(Ok(()), |problem| Err(format!("{problem}: {shown}\n{}{}", ended.out, ended.err)))
    });
}

#[test]
fn no_conversation_with_an_engine_panics_and_each_ends_with_its_input() {
    converse(200, DRIVEN, SENT, |ended| {
        let kinds = ["name", "ready", "info", "move", "error"];
        let is_right = |line: &str| {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            kinds.contains(&kind) && (kind != "error" || rest.len() > 6)
        };
        ended.out.lines().find(|line| !is_right(line)).map(|line| format!("it writes {line:?}"))
    });
}

#[test]
fn nothing_that_is_typed_in_a_game_panics_and_each_game_ends_with_its_input() {
    converse(200, PLAYED, TYPED, |_| None);
}
