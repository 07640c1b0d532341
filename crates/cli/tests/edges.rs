//! What surrounds the command goes wrong: locked, deleted and damaged files, full disks, odd terminals.

mod common;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{NPLY, command, failure, nply, stdout};
use rusqlite::Connection;

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a plain path").into()
}

/// A tournament of short games.
fn quick<'a>(games: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let start = ["tournament", "rolit", "--agents", "greedy:eval=discs random", "--games", games];
    [&start, more].concat()
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_locked_file_is_mentioned_after_two_seconds_and_given_up_after_the_wait() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    stdout(&quick("2", &["--db", &db, "--quiet"]));
    let other = Connection::open(&db).expect("a database");
    // A rollback journal, so that readers wait too.
    other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").expect("nobody else has it");
    let commands = [
        quick("4", &["--db", &db]),
        vec!["report", &db],
        vec!["replay", &db, "0"],
        vec!["reproduce", "brs-2011-4", "--db", &db, "--games", "1"],
    ];
    let started = Instant::now();
    let waiting = commands.each_ref().map(|args| {
        let args = [&args[..], &["--wait", "2.5s"]].concat();
        command(&args).spawn().expect("it starts")
    });
    for (child, args) in waiting.into_iter().zip(&commands) {
        let message = error(&child.wait_with_output().expect("it ends"));
        assert!(started.elapsed() > Duration::from_millis(2400), "{args:?}: {message}");
        assert_eq!(message.matches("note: waiting up to 2.5s for").count(), 1, "{args:?}: {message}");
        assert!(message.contains("games.db is locked by"), "{args:?}: {message}");
        assert!(message.contains("wait longer than 2.5s with --wait"), "{args:?}: {message}");
        if cfg!(target_os = "linux") {
            assert!(message.contains(&format!("locked by process {} (", std::process::id())), "{args:?}: {message}");
        }
    }
    // Quietly, and at once.
    let message = failure(&["report", &db, "--wait", "0s", "--quiet"]).1;
    assert!(message.starts_with("error: ") && message.contains("is locked by"), "{message}");
    // A file that becomes free in time is read.
    let child = command(&["report", &db]).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(300));
    other.execute_batch("COMMIT").expect("it is ours");
    assert!(child.wait_with_output().expect("it ends").status.success());
}

#[cfg(unix)]
#[test]
fn a_file_deleted_in_the_middle_of_a_tournament_is_an_error_and_its_games_are_rescued() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, rescued) = (path(folder.path(), "games.db"), path(folder.path(), "games.db.rescued"));
    let args = |db| quick("100k", &["--db", db, "--quiet", "--threads", "2"]);
    let child = command(&args(&db)).spawn().expect("it starts");
    let count = |db: &str| -> i64 {
        let count = |base: Connection| base.query_row("SELECT count(*) FROM games", [], |row| row.get(0));
        Connection::open_with_flags(db, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(count).unwrap_or(0)
    };
    while count(&db) < 5 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = count(&db);
    std::fs::remove_file(&db).expect("it can be deleted");
    let message = error(&child.wait_with_output().expect("it ends"));
    assert!(message.contains("games.db was deleted while a match was being played"), "{message}");
    assert!(message.contains("games.db.rescued resumes the match"), "{message}");
    let after = count(&rescued);
    assert!(after >= before, "{before} games before, {after} after");
    let total = format!("{}", after + 2);
    stdout(&quick(&total, &["--db", &rescued, "--quiet"]));
    let mut left: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").flatten().collect();
    left.retain(|entry| entry.file_name() != "games.db.rescued");
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn damaged_files_get_a_message_in_the_users_words_from_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let (good, db) = (path(folder.path(), "good.db"), path(folder.path(), "games.db"));
    stdout(&quick("4", &["--db", &good, "--quiet", "--match", "mine"]));
    // Without a log beside it, so that the file alone is all of it.
    Connection::open(&good).and_then(|base| base.execute_batch("PRAGMA journal_mode = DELETE")).expect("a database");
    let columns = ["game", "seed", "seats", "payoffs", "points", "decisions", "nodes", "time_ms", "moves", "ply_seats"];
    let values = [
        "'['",
        "'[1]'",
        "'x'",
        "x'00'",
        "-1",
        "1e300",
        "'[-1,0,0,0]'",
        "'[18446744073709551615,18446744073709551615,1,1]'",
    ];
    for (column, value) in columns.iter().flat_map(|column| values.map(|value| (column, value))) {
        std::fs::copy(&good, &db).expect("a copy");
        let damage = format!("UPDATE games SET {column} = {value} WHERE game = 2");
        Connection::open(&db).and_then(|base| base.execute_batch(&damage)).expect("it is ours");
        for args in
            [&["report", &db][..], &["replay", &db, "2"], &quick("6", &["--db", &db, "--match", "mine", "--quiet"])]
        {
            let output = nply(args);
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{damage}, {args:?}: {message}");
            if output.status.code() == Some(1) {
                let is_clear = message.contains("games.db is damaged: in ") && message.contains("match \"mine\"");
                let is_illegal = args[0] == "replay" && message.contains("ply 1: ");
                // Of two lists of different lengths, either may be the wrong one.
                let is_named = message.contains(column.trim_end_matches("seats"));
                assert!((is_clear && is_named) || is_illegal, "{damage}, {args:?}: {message}");
                assert!(message.contains("help: "), "{damage}, {args:?}: {message}");
            }
        }
    }
    let bytes = std::fs::read(&good).expect("it is there");
    for length in [1, 50, 100, 1000, 4096, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&db, &bytes[..length]).expect("a file");
        for args in
            [&["report", &db][..], &["replay", &db, "2"], &quick("6", &["--db", &db, "--match", "mine", "--quiet"])]
        {
            let output = nply(args);
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{length} bytes, {args:?}: {message}");
            let is_clear = message.contains("games.db is damaged: ") || message.contains("games.db is not a database");
            assert!(
                output.status.success() || (is_clear && message.contains("help: ")),
                "{length}, {args:?}: {message}"
            );
        }
    }
}

/// The command with limits of the shell, such as `ulimit -f 100`.
fn limited(limits: &str, args: &[&str], cache: &Path) -> Output {
    let script = format!("{limits}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, NPLY]).args(args).env("NPLY_CACHE", cache).stdin(Stdio::null());
    command.output().expect("there is a shell")
}

#[cfg(unix)]
#[test]
fn a_disk_without_room_shows_before_the_distance_table_is_built_and_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let search = ["search", "chinese-checkers", "--agent", "brs", "--depth", "1"];
    for args in [&["table", "build", "chinese-checkers"][..], &search] {
        let started = Instant::now();
        // Writing beyond the limit fails as it does on a full disk, once the signal is ignored.
        let message = error(&limited("trap '' XFSZ; ulimit -f 20000", args, folder.path()));
        assert!(message.contains("cannot write ") && message.contains("chinese-checkers-distance.table"), "{message}");
        assert!(message.contains("set NPLY_CACHE to a folder with room for 163M"), "{message}");
        assert!(message.contains("eval=distance"), "{message}");
        assert!(!message.contains('%'), "building began: {message}");
        assert!(started.elapsed() < Duration::from_secs(10));
        let names: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").flatten().collect();
        assert!(names.iter().all(|entry| entry.file_name() == "chinese-checkers-distance.lock"), "{names:?}");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_reported_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    for args in
        [&["table", "build", "chinese-checkers"][..], &["search", "chinese-checkers", "--agent", "brs", "--depth", "1"]]
    {
        let message = error(&command(args).env("NPLY_CACHE", &file).output().expect("it starts"));
        assert!(message.contains("set NPLY_CACHE to a folder") && message.contains("eval=distance"), "{message}");
    }
    let without = ["search", "chinese-checkers", "--agent", "brs:eval=distance", "--depth", "1"];
    assert!(command(&without).env("NPLY_CACHE", &file).output().expect("it starts").status.success());
}

#[test]
fn agents_that_may_take_too_much_memory_are_refused_and_much_is_mentioned() {
    let Some(memory) = nply_arena::Memory::here() else { return };
    let tournament =
        |agents| ["tournament", "tree", "--agents", agents, "--games", "2", "--threads", "2", "--nodes", "9"];
    let (most, much) = (format!("mcts:memory={}", memory.total), format!("mcts:memory={}", memory.total / 8));
    let file = tempfile::Builder::new().suffix(".toml").tempfile().expect("a file");
    let text = format!("game = 'tree'\ngames = 1\nplayers = 3\n[[match]]\nname = 'one'\nagents = ['{most}']\n");
    std::fs::write(file.path(), text).expect("a file");
    let seats = format!("human random {most}");
    for args in [
        &tournament(&most)[..],
        &["play", "tree", "--seats", &seats],
        &["reproduce", file.path().to_str().expect("a plain path")],
    ] {
        let args = if args[0] == "play" { [args, &["--hint", "mcts:memory=1G"]].concat() } else { args.to_vec() };
        let (code, message) = failure(&args);
        assert_eq!(code, 2, "{args:?}: {message}");
        assert!(
            message.contains("error: the agents may take ") || message.contains(": the agents may take "),
            "{message}"
        );
        assert!(message.contains("this machine has ") && message.contains("a smaller memory="), "{message}");
        assert_eq!(message.contains("--threads"), args[0] == "tournament", "{message}");
    }
    let output = nply(&tournament(&much));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert_eq!(message.matches("note: the agents may take ").count(), 1, "{message}");
    let output = nply(&tournament("mcts:memory=1M brs:table=1M"));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("memory"));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error_of_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = path(folder.path(), "games.db");
    stdout(&quick("2", &["--db", &db, "--quiet"]));
    let mut wrong = Vec::new();
    for args in [
        &["--help"][..],
        &["--version"],
        &["help", "search"],
        &["report", "--help"],
        &["games"],
        &["agents"],
        &["show", "focus"],
        &["moves", "focus"],
        &["perft", "focus", "--depth", "1"],
        &["search", "tree", "--agent", "maxn", "--depth", "2"],
        &["explain", "tree", "--agent", "maxn"],
        &["play", "tree"],
        &quick("2", &[]),
        &["report", &db],
        &["replay", &db, "0"],
        &["reproduce"],
        &["engine", "tree", "--agent", "maxn"],
        &["engine-check", "--game", "tree", NPLY, "engine", "tree", "--agent", "random"],
        &["table", "path", "chinese-checkers"],
        &["completions", "bash"],
        &["man"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("it is there");
        let mut child = command(args).stdin(Stdio::piped()).stdout(full).spawn().expect("it starts");
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("it is piped"), b"nply 1\n");
        let output = child.wait_with_output().expect("it ends");
        let message = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(1) || !message.contains("error: cannot write the output: No space left") {
            wrong.push(format!("{args:?}: {}: {message}", output.status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_or_full_standard_error_is_no_reason_to_fail() {
    for args in [
        quick("2", &[]),
        vec!["search", "tree", "--agent", "maxn", "--depth", "2"],
        vec!["perft", "focus", "--depth", "2"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("it is there");
        let output = command(&args).stderr(full).output().expect("it starts");
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}: {}", output.status);
    }
}

/// What a command writes to a terminal of 40 columns, as its standard error.
#[cfg(unix)]
fn on_terminal(term: &str, args: &[&str]) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};
    use std::io::Read;
    use std::os::unix::ffi::OsStrExt;
    let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&own).and_then(|()| unlockpt(&own)).expect("it is ours");
    let name = ptsname(&own, Vec::new()).expect("it has a name");
    let other = std::fs::OpenOptions::new().read(true).write(true).open(std::ffi::OsStr::from_bytes(name.as_bytes()));
    let other = other.expect("it opens");
    tcsetwinsize(&other, Winsize { ws_row: 24, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0 }).expect("any size will do");
    let mut command = command(args);
    // Where many programs are run, `CI` is set; it must not matter.
    command.env("TERM", term).env("CI", "true").env_remove("NO_COLOR").stdout(Stdio::null()).stderr(other);
    let mut child = command.spawn().expect("it starts");
    // Or the terminal stays open here.
    drop(command);
    let (mut own, mut text) = (std::fs::File::from(own), Vec::new());
    // The end of a terminal is an error.
    let _ = own.read_to_end(&mut text);
    child.wait().expect("it ends");
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(unix)]
#[test]
fn a_dumb_terminal_gets_neither_color_nor_bars_and_on_a_narrow_one_nothing_overlaps() {
    let args = quick("600", &["--threads", "2"]);
    let dumb = on_terminal("dumb", &args);
    assert!(!dumb.contains('\x1b') && !dumb.replace("\r\n", "").contains('\r'), "{dumb:?}");
    assert!(dumb.contains("next, keep the games"), "{dumb:?}");
    let wrong = on_terminal("dumb", &["show", "nothing"]);
    assert!(wrong.starts_with("error: unknown game"), "{wrong:?}");
    assert!(on_terminal("xterm", &["show", "nothing"]).starts_with("\x1b[1;31merror:"));
    assert!(!on_terminal("dumb", &["show", "--nothing"]).contains('\x1b'));
    let narrow = on_terminal("xterm", &args);
    let drawn = narrow.split("next, keep").next().expect("a part");
    assert!(drawn.contains("/602, "), "{drawn:?}");
    // Each line is drawn after the one before is cleared, and none is wider than the terminal.
    let mut widest = 0;
    for piece in drawn.split(['\r', '\n']) {
        let plain: String = piece
            .split('\x1b')
            .enumerate()
            .map(|(at, part)| {
                if at == 0 {
                    part
                } else {
                    part.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest)
                }
            })
            .collect();
        widest = widest.max(plain.trim_end().chars().count());
    }
    assert!((10..=40).contains(&widest), "{widest}: {drawn:?}");
}
