//! A file that replaces another one as a whole, or never appears.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Zeros, to claim room on the disk with.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// A file under a name of its own beside the one that it will replace. It is removed unless it is [kept](Draft::keep), and it
/// is locked as long as it is written, so that the draft of a process that was killed can be told from others.
pub(super) struct Draft {
    path: PathBuf,
    file: File,
    /// The file to replace.
    target: PathBuf,
}

impl Draft {
    /// A new draft that takes its room on the disk now, so that a full disk or missing permission shows before there is work to
    /// lose. Drafts that killed processes left are removed.
    pub(super) fn new(target: &Path, length: u64) -> io::Result<Draft> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        clear(target);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = target.with_extension(format!("new-{}-{count}", process::id()));
        let file = File::create_new(&path)?;
        // Where there are no locks, another process may remove the draft, and keeping it fails.
        let _ = file.lock();
        let mut draft = Draft { path, file, target: target.into() };
        let mut rest = length;
        while rest > 0 {
            let part = rest.min(ZEROS.len() as u64);
            draft.file.write_all(&ZEROS[..part as usize])?;
            rest -= part;
        }
        // Some systems find the room only now.
        draft.file.sync_all()?;
        draft.file.seek(SeekFrom::Start(0))?;
        Ok(draft)
    }

    /// Writes the content and replaces the target.
    pub(super) fn keep(mut self, parts: &[&[u8]]) -> io::Result<()> {
        parts.iter().try_for_each(|part| self.file.write_all(part))?;
        self.file.sync_all()?;
        fs::rename(&self.path, &self.target)
    }
}

/// Once it is kept, nothing has its name.
impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the drafts of a file that nobody is writing.
fn clear(target: &Path) {
    let (Some(folder), Some(start)) = (target.parent(), target.file_stem().and_then(|stem| stem.to_str())) else {
        return;
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let end = name.to_str().and_then(|name| name.strip_prefix(start)?.strip_prefix(".new"));
        // Versions before 0.2 had one name for all drafts.
        if end.is_some_and(|end| end.is_empty() || end.starts_with('-'))
            && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_draft_replaces_its_target_or_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.table");
        fs::write(&target, "old").unwrap();
        drop(Draft::new(&target, 100_000).unwrap());
        assert_eq!((names(folder.path()), fs::read(&target).unwrap()), (vec!["a.table".into()], b"old".into()));
        Draft::new(&target, 5).unwrap().keep(&[b"ne", b"wer"]).unwrap();
        assert_eq!((names(folder.path()), fs::read(&target).unwrap()), (vec!["a.table".into()], b"newer".into()));
    }

    #[test]
    fn drafts_of_the_dead_are_removed_and_those_of_the_living_stay() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.table");
        for name in ["a.new", "a.new-1-0", "a.news", "ab.new-1-0", "b.new"] {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        let (one, other) = (Draft::new(&target, 3).unwrap(), Draft::new(&target, 3).unwrap());
        assert_eq!(names(folder.path()).len(), 5, "{:?}", names(folder.path()));
        one.keep(&[b"one"]).unwrap();
        other.keep(&[b"two"]).unwrap();
        assert_eq!(names(folder.path()), ["a.news", "a.table", "ab.new-1-0", "b.new"]);
        assert_eq!(fs::read(&target).unwrap(), b"two");
    }
}
