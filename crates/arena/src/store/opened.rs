//! The databases that this process has open.
//!
//! On Unix, locks of a file belong to a process: closing any handle of the file gives up those that SQLite has on it. Another
//! program that opens and closes the file would then take it for unused and remove its log. So nothing but SQLite opens a
//! file that is open here.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What a database starts with.
pub(crate) const START: &[u8] = b"SQLite format 3\0";

static OPENED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A database counts as open until this is dropped, which must be after the connection.
pub(crate) struct Opened(PathBuf);

impl Opened {
    /// Must be called before SQLite opens the file.
    pub(crate) fn new(path: &Path) -> Opened {
        let name = name(path);
        with(|all| all.push(name.clone()));
        Opened(name)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        with(|all| all.iter().position(|name| *name == self.0).map(|at| all.swap_remove(at)));
    }
}

/// The first bytes of a file, at most so many; nothing if it cannot be read. Of one that is open here it is known that it is a
/// database.
pub(crate) fn start(path: &Path, length: u64) -> Vec<u8> {
    let name = name(path);
    with(|all| {
        let mut start = Vec::new();
        if all.contains(&name) {
            start.extend_from_slice(START);
        } else {
            let _ = File::open(path).and_then(|file| file.take(length).read_to_end(&mut start));
        }
        start
    })
}

fn with<T>(act: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    act(&mut OPENED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// One name for a file, whatever leads there; a new file is named by its folder.
fn name(path: &Path) -> PathBuf {
    let folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(folder).unwrap_or_else(|| path.into())
}
