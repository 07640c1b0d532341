//! Files of games that can only be read: packed, without the right to write, on a disk that cannot be written to.

#![cfg(unix)]

mod common;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output};

use common::{NPLY, stdout};
use nply_arena::Store;

/// Runs the command while a folder cannot be written to. Rights do not stop root, so its folder becomes a mount of its own that is
/// read-only for the command alone.
fn unwritable(folder: &Path, args: &[&str]) -> Output {
    let is_root = folder.metadata().expect("it is there").uid() == 0;
    if is_root {
        let script =
            r#"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && ! touch "$0/probe" 2>/dev/null && exec "$@""#;
        let mut command = Command::new("unshare");
        return command.args(["-m", "sh", "-c", script]).arg(folder).arg(NPLY).args(args).output().expect("unshare");
    }
    let set = |mode: u32| fs::set_permissions(folder, Permissions::from_mode(mode)).expect("it is ours");
    set(0o555);
    let output = Command::new(NPLY).args(args).output().expect("the command starts");
    set(0o755);
    output
}

#[test]
fn a_file_that_cannot_be_written_to_is_reported_and_replayed_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (db, packed) = (folder.path().join("games.db"), folder.path().join("games.db.gz"));
    let [db, packed] = [&db, &packed].map(|path| path.to_str().expect("a plain path"));
    stdout(&["tournament", "tree", "--agents", "maxn random", "--games", "12", "--db", db, "--quiet"]);
    fs::write(packed, Store::open(Path::new(db)).expect("it opens").pack().expect("it packs")).expect("it is written");
    let report = |path: &str| stdout(&["report", path, "--list-games", "--format", "csv"]);
    let (whole, replayed) = (report(db), stdout(&["replay", db, "3"]));
    assert!(replayed.contains("shares of the win"), "{replayed}");
    // Packed files have no times of single moves.
    let seats = |csv: &str| -> Vec<String> {
        csv.lines().map(|line| line.split(',').take(7).collect::<Vec<&str>>().join(",")).collect()
    };
    assert_eq!(seats(&report(packed)), seats(&whole));
    assert!(stdout(&["replay", packed, "3"]).contains("shares of the win"));
    for path in [db, packed] {
        fs::set_permissions(path, Permissions::from_mode(0o444)).expect("it is ours");
    }
    let files = || {
        let entries = fs::read_dir(folder.path()).expect("it is there").map(|entry| entry.expect("a file").path());
        let mut files: Vec<_> = entries.map(|path| (path.clone(), fs::read(path).expect("it can be read"))).collect();
        files.sort();
        files
    };
    let before = files();
    assert_eq!(before.len(), 2);
    for (path, same) in [(db, true), (packed, false)] {
        let output = unwritable(folder.path(), &["report", path, "--list-games", "--format", "csv"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(if same { text == whole } else { seats(&text) == seats(&whole) }, "{path}: {text}");
        let output = unwritable(folder.path(), &["replay", path, "3"]);
        assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("shares of the win"), "{path}");
        // The tables are the same, too.
        let output = unwritable(folder.path(), &["report", path]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), stdout(&["report", path]));
        assert!(files() == before, "{path}: nothing is left or changed");
    }
}
