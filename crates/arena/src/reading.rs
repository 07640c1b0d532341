//! Opens a database to read it: also one that may only be read, or that lies on a disk that cannot be written to.
//!
//! SQLite keeps two files beside a database with a write-ahead log while it is open, `-wal` and `-shm`. Where it cannot make
//! them, the file is declared immutable if there is no log, so that neither is needed; with a log, both files are copied.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::store::in_memory;

/// Opens an existing database. Nothing is left beside it, and nothing in it changes.
pub(crate) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    // Without the right to write, SQLite would still make the two files in a folder where it may, and leave them there.
    if is_writable(path) {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        // A lock is no reason to read it in another way; whoever reads waits with `patiently`.
        connection.busy_timeout(Duration::ZERO)?;
        if !is_blocked(&connection) {
            return Ok(connection);
        }
    }
    unwritable(path)
}

/// Without opening it, which could give up [locks](crate::store::opened).
#[cfg(unix)]
fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(path: &Path) -> bool {
    fs::OpenOptions::new().append(true).open(path).is_ok()
}

/// Whether the database cannot be read for want of the files beside it. Any other trouble is for the caller to report.
fn is_blocked(connection: &Connection) -> bool {
    let read: rusqlite::Result<i64> = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0));
    let code = read.err().and_then(|error| error.sqlite_error_code());
    matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

fn unwritable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let log = beside(path, "-wal");
    if !log.metadata().is_ok_and(|log| log.len() > 0) {
        return Connection::open_with_flags(immutable(path), flags | OpenFlags::SQLITE_OPEN_URI);
    }
    // Somebody else may be writing to it, and then its own files tell what can be read.
    if beside(path, "-shm").exists() {
        let connection = Connection::open_with_flags(path, flags)?;
        if !is_blocked(&connection) {
            return Ok(connection);
        }
    }
    copied(path, &log)
}

/// A copy in memory of a database and its log, by way of a folder for temporary files.
fn copied(path: &Path, log: &Path) -> rusqlite::Result<Connection> {
    let unopened = |error: std::io::Error| {
        let failure = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN);
        rusqlite::Error::SqliteFailure(failure, Some(format!("it cannot be copied: {error}")))
    };
    let unique = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    let folder = std::env::temp_dir().join(format!("nply-{}-{unique:x}", std::process::id()));
    fs::create_dir(&folder).map_err(unopened)?;
    let copy = folder.join("games.db");
    let read = || {
        // What the copies may be is not decided by what the originals may be.
        fs::write(&copy, fs::read(path)?)?;
        fs::write(beside(&copy, "-wal"), fs::read(log)?)
    };
    let connected = read().map_err(unopened).and_then(|()| {
        let mut connection = Connection::open(&copy)?;
        let bytes = connection.serialize("main")?.to_vec();
        in_memory(bytes)
    });
    // A temporary folder that stays does no harm.
    let _ = fs::remove_dir_all(&folder);
    connected
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

/// The address of a file that nobody changes, as SQLite writes it.
fn immutable(path: &Path) -> String {
    let mut address = String::from("file:");
    // A path with a drive begins with a slash.
    if cfg!(windows) && path.is_absolute() {
        address.push('/');
    }
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => address.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                address.push(char::from(byte))
            }
            byte => address.push_str(&format!("%{byte:02x}")),
        }
    }
    address + "?immutable=1"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder whose name has what an address gives a meaning to, with a database that has a write-ahead log.
    fn database() -> (tempfile::TempDir, PathBuf, Connection) {
        let folder = tempfile::Builder::new().prefix("a b%20?x#ö").tempdir().unwrap();
        let path = folder.path().join("games.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.execute_batch("CREATE TABLE numbers (number INTEGER); INSERT INTO numbers VALUES (1), (2)").unwrap();
        (folder, path, connection)
    }

    fn sum(connection: &Connection) -> i64 {
        connection.query_row("SELECT sum(number) FROM numbers", [], |row| row.get(0)).unwrap()
    }

    fn files(folder: &Path) -> Vec<(OsString, Vec<u8>)> {
        let entry = |entry: std::io::Result<fs::DirEntry>| {
            let entry = entry.unwrap();
            (entry.file_name(), fs::read(entry.path()).unwrap())
        };
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(entry).collect();
        files.sort();
        files
    }

    #[test]
    fn a_database_is_read_without_a_file_beside_it() {
        let (folder, path, connection) = database();
        drop(connection);
        let before = files(folder.path());
        assert_eq!(before.len(), 1);
        let reading = unwritable(&path).unwrap();
        assert_eq!((sum(&reading), files(folder.path())), (3, before.clone()));
        drop(reading);
        assert_eq!(files(folder.path()), before);
        // Where files can be made, they are gone afterwards.
        let reading = connect(&path).unwrap();
        assert_eq!(sum(&reading), 3);
        drop(reading);
        assert_eq!(files(folder.path()), before);
    }

    #[test]
    fn what_a_log_holds_is_read_too() {
        let (folder, path, connection) = database();
        // As if the writer had been killed: the log is not yet in the database.
        let other = tempfile::tempdir().unwrap();
        for (name, content) in files(folder.path()) {
            fs::write(other.path().join(name), content).unwrap();
        }
        drop(connection);
        let copy = other.path().join(path.file_name().unwrap());
        assert!(beside(&copy, "-wal").metadata().unwrap().len() > 0);
        fs::remove_file(beside(&copy, "-shm")).unwrap();
        let before = files(other.path());
        assert_eq!(sum(&unwritable(&copy).unwrap()), 3);
        assert_eq!(files(other.path()), before);
    }
}
