//! Whether a path still leads to the file that was opened there, and a place for what was written if it does not.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

/// The file that a path led to.
pub(crate) struct Presence {
    path: PathBuf,
    file: Option<Identity>,
}

/// How a path changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Deleted,
    Replaced,
}

impl Change {
    /// The change as a participle.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Change::Deleted => "deleted",
            Change::Replaced => "replaced by another file",
        }
    }
}

type Identity = (u64, u64);

/// Device and number of a file. Where a system has none, all files are the same.
#[cfg(unix)]
fn identity(file: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    (0, 0)
}

impl Presence {
    /// The file that is there now, if there is one.
    pub(crate) fn new(path: PathBuf) -> Presence {
        let file = path.metadata().ok().as_ref().map(identity);
        Presence { path, file }
    }

    /// How the path changed since then.
    pub(crate) fn change(&self) -> Option<Change> {
        let before = self.file?;
        match self.path.metadata() {
            Ok(now) => (identity(&now) != before).then_some(Change::Replaced),
            Err(_) => Some(Change::Deleted),
        }
    }

    /// Removes the file, if it is still the same one.
    pub(crate) fn remove(&self) {
        if self.file.is_some() && self.change().is_none() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// New, empty files for a copy of a file, best first: beside it, and in the folder for temporary files, in case its own folder is
/// gone or full.
pub(crate) fn refuges(path: &Path) -> impl Iterator<Item = PathBuf> {
    let elsewhere = std::env::temp_dir().join(path.file_name().unwrap_or_default());
    [path.to_path_buf(), elsewhere].into_iter().filter_map(|start| {
        let names = (1..=1000).map(|count| if count == 1 { ".rescued".into() } else { format!(".rescued-{count}") });
        names.map(|end| with_end(&start, &end)).find(|path| File::create_new(path).is_ok())
    })
}

/// A path with something added to its name.
pub(crate) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deleted_and_a_replaced_file_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&path, "1").unwrap();
        let presence = Presence::new(path.clone());
        std::fs::write(&path, "22").unwrap();
        assert_eq!(presence.change(), None);
        std::fs::write(&other, "3").unwrap();
        if cfg!(unix) {
            std::fs::rename(&other, &path).unwrap();
            assert_eq!(presence.change(), Some(Change::Replaced));
            presence.remove();
        }
        Presence::new(path.clone()).remove();
        assert!(!path.exists());
        assert_eq!(presence.change(), Some(Change::Deleted));
        let none = Presence::new(path.clone());
        std::fs::write(&path, "4").unwrap();
        none.remove();
        assert!(path.exists() && none.change().is_none());
    }
}
