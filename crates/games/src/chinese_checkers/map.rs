//! A file as memory.

use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of a file, shared with every process that maps the same file.
pub(super) struct Map(memmap2::Mmap);

impl Map {
    #[expect(
        unsafe_code,
        reason = "a mapped table starts at once, and many processes share one copy; the mapping is sound as long as nobody \
                  changes the file, and tables are only ever replaced by renaming another file over them"
    )]
    pub(super) fn new(file: &File) -> io::Result<Map> {
        // SAFETY: see the reason above.
        unsafe { memmap2::Mmap::map(file) }.map(Map)
    }
}

impl Deref for Map {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}
