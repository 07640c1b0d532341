//! Waiting for a file of games that another program has locked.
//!
//! How long to wait is a setting of the process, as its command line is: every file that it opens is waited for in the same way.

use std::path::Path;
use std::sync::{PoisonError, RwLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nply::{Error, quantity};
use rusqlite::ErrorCode;

#[cfg(target_os = "linux")]
use crate::presence::with_end;
use crate::store::reported;

/// How long to wait unless somebody says otherwise: the default of `--wait`.
pub const USUAL_WAIT: &str = "60s";

/// A wait of this length is mentioned.
const MENTIONED: Duration = Duration::from_secs(2);

/// The longest time between two attempts.
const PAUSE: Duration = Duration::from_millis(25);

/// How to wait for a file of games that another program has locked.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// The longest time; then the attempt fails.
    pub longest: Duration,
    /// Receives one line if a wait takes longer than two seconds.
    pub notice: fn(&str),
    /// Whether to give up now.
    pub is_stopped: fn() -> bool,
}

/// The [usual](USUAL_WAIT) time, in silence.
impl Default for Wait {
    fn default() -> Wait {
        let longest = quantity::time(USUAL_WAIT).expect("it is a time");
        Wait { longest, notice: |_| (), is_stopped: || false }
    }
}

static WAIT: RwLock<Option<Wait>> = RwLock::new(None);

/// Sets how this process waits for files from now on.
pub fn set_wait(wait: Wait) {
    *WAIT.write().unwrap_or_else(PoisonError::into_inner) = Some(wait);
}

/// Repeats an attempt on the file at `path` until nobody else has locked it, or the time of this process is over.
pub(crate) fn patiently<T>(path: &Path, attempt: impl FnMut() -> rusqlite::Result<T>) -> Result<T, Error> {
    let wait = *WAIT.read().unwrap_or_else(PoisonError::into_inner);
    patiently_for(wait.unwrap_or_default(), path, attempt)
}

fn patiently_for<T>(wait: Wait, path: &Path, mut attempt: impl FnMut() -> rusqlite::Result<T>) -> Result<T, Error> {
    let (started, mut is_mentioned, mut pause) = (Instant::now(), false, Duration::from_millis(1));
    loop {
        match attempt() {
            Err(error) if is_locked(&error) => (),
            done => return done.map_err(|error| reported(path, &error)),
        }
        let (waited, longest) = (started.elapsed(), quantity::time_text(wait.longest));
        if waited >= wait.longest || (wait.is_stopped)() {
            let message = format!("{} is locked by {}", path.display(), holder(path));
            let help = format!("end that program, or wait longer than {longest} with --wait");
            return Err(Error::file(message).help(help));
        }
        if waited >= MENTIONED && !is_mentioned {
            is_mentioned = true;
            let shown = path.display();
            (wait.notice)(&format!("waiting up to {longest} for {shown}, which {} has locked", holder(path)));
        }
        sleep(pause.min(wait.longest - waited));
        pause = PAUSE.min(pause * 2);
    }
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::FileLockingProtocolFailed))
}

/// Who has locked a file, as far as the system tells.
fn holder(path: &Path) -> String {
    process(path).unwrap_or_else(|| "another program".into())
}

/// The process that holds a lock for writing on a database or on the index of its log.
#[cfg(target_os = "linux")]
fn process(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let files = ["", "-shm"].into_iter().filter_map(|end| with_end(path, end).metadata().ok());
    let inodes: Vec<String> = files.map(|file| file.ino().to_string()).collect();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    // 1: POSIX  ADVISORY  WRITE 1234 08:01:5678 0 EOF
    let id = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, "WRITE", id, file, ..] = words[..] else { return None };
        let is_ours = id.parse() == Ok(std::process::id());
        (!is_ours && inodes.iter().any(|inode| file.rsplit(':').next() == Some(inode))).then_some(id)
    })?;
    let name = std::fs::read_to_string(format!("/proc/{id}/comm")).ok()?;
    Some(format!("process {id} ({})", name.trim()))
}

#[cfg(not(target_os = "linux"))]
fn process(_: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use rusqlite::Connection;

    #[test]
    fn a_locked_file_is_waited_for_mentioned_once_and_given_up() {
        static NOTICES: AtomicU32 = AtomicU32::new(0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let (other, own) = (Connection::open(&path).unwrap(), Connection::open(&path).unwrap());
        own.busy_timeout(Duration::ZERO).unwrap();
        other.execute_batch("CREATE TABLE x (y); BEGIN EXCLUSIVE").unwrap();
        let notice = |text: &str| {
            assert!(text.contains("games.db") && text.contains("waiting up to 2.4s"), "{text}");
            NOTICES.fetch_add(1, Ordering::Relaxed);
        };
        let wait = Wait { longest: Duration::from_millis(2400), notice, ..Wait::default() };
        let started = Instant::now();
        let error = patiently_for(wait, &path, || own.execute_batch("INSERT INTO x VALUES (1)")).unwrap_err();
        assert!(started.elapsed() >= wait.longest);
        assert!(error.message.contains("is locked by"), "{error}");
        assert!(error.help.unwrap().contains("longer than 2.4s with --wait"));
        assert_eq!(NOTICES.load(Ordering::Relaxed), 1);
        let stopped = Wait { is_stopped: || true, ..Wait::default() };
        patiently_for(stopped, &path, || own.execute_batch("INSERT INTO x VALUES (1)")).unwrap_err();
        // Other errors are no reason to wait, and a file that becomes free is used.
        patiently_for(Wait::default(), &path, || own.execute_batch("nonsense")).unwrap_err();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                sleep(Duration::from_millis(300));
                other.execute_batch("COMMIT").unwrap();
                drop(other);
            });
            patiently_for(Wait::default(), &path, || own.execute_batch("INSERT INTO x VALUES (1)")).unwrap();
        });
    }
}
