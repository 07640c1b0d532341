//! The distance table: the number of moves that a player needs alone on the board.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::{env, fmt, thread};

use etcetera::BaseStrategy;
use nply::{Code, Player, mix};
use thiserror::Error;

use super::draft::Draft;
use super::map::Map;
use super::rank::PLACEMENTS;
use super::{Board, ChineseCheckers, build};

/// For each of the 170,230,452 placements of a player's six pieces on the small board, the least number of moves that fills the
/// goal if nobody else is on the board (N. Sturtevant, "An Analysis of UCT in Multi-Player Games", 2008).
///
/// The rules apply: a piece that starts in the goal must end there. The largest value is 28; the start needs 17 moves.
///
/// The table is built once, which takes less than a minute, and kept as a file in the user's cache folder, or in the folder
/// that the environment variable `NPLY_CACHE` names. The file is memory-mapped, so agents and processes share one copy.
pub struct DistanceTable {
    map: Map,
}

/// The table of this process.
static TABLE: OnceLock<DistanceTable> = OnceLock::new();

/// The header: magic, version, number of values, checksum of the values, checksum of the header so far; rest zero.
const HEADER: usize = 64;
const MAGIC: [u8; 8] = *b"NPLYDIST";
const VERSION: u64 = 1;
/// The length of the file.
const LENGTH: u64 = (HEADER + PLACEMENTS) as u64;

impl DistanceTable {
    /// The number of placements with each value from 0, in a correct table.
    pub const HISTOGRAM: [u32; 29] = [
        1, 10, 89, 608, 3_437, 16_065, 62_789, 206_857, 585_980, 1_452_445, 3_180_010, 6_147_847, 10_504_645,
        15_855_678, 21_098_749, 24_669_918, 25_195_502, 22_336_979, 17_079_283, 11_170_938, 6_202_375, 2_889_801,
        1_111_144, 349_000, 89_435, 17_899, 2_678, 279, 11,
    ];

    /// The path of the file.
    pub fn path() -> Result<PathBuf, TableError> {
        let folder = match env::var_os("NPLY_CACHE").filter(|folder| !folder.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None => etcetera::choose_base_strategy().map_err(|_| TableError::NoFolder)?.cache_dir().join("nply"),
        };
        Ok(folder.join("chinese-checkers-distance.table"))
    }

    /// The table of this process, which the first call loads, or builds and saves. `progress` is called with the part of the
    /// building that is done, from 0 to 1.
    pub fn shared(progress: &dyn Fn(f64)) -> Result<&'static DistanceTable, TableError> {
        static LOADING: Mutex<()> = Mutex::new(());
        let _loading = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        match TABLE.get() {
            Some(table) => Ok(table),
            None => {
                let table = DistanceTable::load_or_build(progress)?;
                Ok(TABLE.get_or_init(|| table))
            }
        }
    }

    /// The table of this process if it can be had without building it. The first call looks for the file.
    pub fn kept() -> Option<&'static DistanceTable> {
        static LOOK: Once = Once::new();
        LOOK.call_once(|| {
            if let Ok(table) = DistanceTable::load() {
                TABLE.get_or_init(|| table);
            }
        });
        TABLE.get()
    }

    /// Loads the table from its file.
    pub fn load() -> Result<DistanceTable, TableError> {
        DistanceTable::open(&DistanceTable::path()?)
    }

    /// Loads the table from its file; builds and saves it if the file is missing or damaged.
    pub fn load_or_build(progress: &dyn Fn(f64)) -> Result<DistanceTable, TableError> {
        DistanceTable::open_or_build(&DistanceTable::path()?, progress)
    }

    /// Loads a table from a file and checks all of it.
    pub fn open(path: &Path) -> Result<DistanceTable, TableError> {
        let file = File::open(path).map_err(TableError::io("open", path))?;
        let map = Map::new(&file).map_err(TableError::io("map", path))?;
        let damaged = |what: &'static str| Err(TableError::Damaged { path: path.into(), what });
        if map.len() < HEADER || map[..8] != MAGIC {
            return damaged("it does not start like a distance table");
        }
        if number(&map, 8) != VERSION {
            return damaged("it has another version");
        }
        if checksum(&map[..32]) != number(&map, 32) || number(&map, 16) != PLACEMENTS as u64 {
            return damaged("its header is wrong");
        }
        if map.len() != HEADER + PLACEMENTS {
            return damaged("it has the wrong length");
        }
        if checksum(&map[HEADER..]) != number(&map, 24) {
            return damaged("its checksum is wrong");
        }
        Ok(DistanceTable { map })
    }

    /// Loads a table from a file; builds it and writes the file if that is missing or damaged.
    ///
    /// Safe in several processes at once: one builds, the others wait for it. The file is replaced as a whole. If it cannot be
    /// written, that shows before the building starts.
    pub fn open_or_build(path: &Path, progress: &dyn Fn(f64)) -> Result<DistanceTable, TableError> {
        match DistanceTable::open(path) {
            Err(error) if error.is_fixed_by_building() => (),
            loaded => return loaded,
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(TableError::io("make the folder of", path))?;
        }
        let lock_path = path.with_extension("lock");
        let lock = File::create(&lock_path).map_err(TableError::io("make", &lock_path))?;
        match lock.lock() {
            // Then several may build at once, and each replaces the file as a whole.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => (),
            locked => locked.map_err(TableError::io("lock", &lock_path))?,
        }
        // Another process may have built it meanwhile.
        match DistanceTable::open(path) {
            Err(error) if error.is_fixed_by_building() => (),
            loaded => return loaded,
        }
        let threads = thread::available_parallelism().map_or(1, |count| count.get());
        let draft = Draft::new(path, LENGTH).map_err(TableError::io("write", path))?;
        DistanceTable::write(draft, &DistanceTable::build(threads, progress)).map_err(TableError::io("write", path))?;
        DistanceTable::open(path)
    }

    /// Computes all values, indexed by the number of the placement, on this many threads.
    pub fn build(threads: usize, progress: &dyn Fn(f64)) -> Vec<u8> {
        build::build(threads, progress)
    }

    /// Writes the file.
    fn write(draft: Draft, values: &[u8]) -> io::Result<()> {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..16].copy_from_slice(&VERSION.to_le_bytes());
        header[16..24].copy_from_slice(&(values.len() as u64).to_le_bytes());
        header[24..32].copy_from_slice(&checksum(values).to_le_bytes());
        let sum = checksum(&header[..32]);
        header[32..40].copy_from_slice(&sum.to_le_bytes());
        draft.keep(&[&header, values])
    }

    /// Checks the file at `path` completely, and returns its histogram.
    pub fn verify(path: &Path) -> Result<[u32; 29], TableError> {
        let histogram = DistanceTable::open(path)?.histogram();
        match histogram == DistanceTable::HISTOGRAM {
            true => Ok(histogram),
            false => Err(TableError::Damaged { path: path.into(), what: "its values are wrong" }),
        }
    }

    /// The number of placements with each value from 0.
    pub fn histogram(&self) -> [u32; 29] {
        // Equal values often follow each other: four counters are faster than one.
        let mut counts = [[0; 256]; 4];
        for values in self.map[HEADER..].chunks(4) {
            for (value, counts) in values.iter().zip(&mut counts) {
                counts[*value as usize] += 1;
            }
        }
        std::array::from_fn(|value| counts.iter().map(|count| count[value]).sum())
    }

    /// The least number of moves with which `player`, alone on the board, fills the goal.
    ///
    /// # Panics
    /// If the game is not played on the small board.
    #[inline]
    pub fn value(&self, game: &ChineseCheckers, player: Player) -> u8 {
        assert!(game.board == Board::Small, "the distance table is for the small board");
        self.at(game.ranks[player.index()])
    }

    /// The number of moves from the placement with a number.
    #[inline]
    pub(super) fn at(&self, rank: u32) -> u8 {
        self.map[HEADER + rank as usize]
    }
}

impl fmt::Debug for DistanceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DistanceTable")
    }
}

/// A number in the header.
fn number(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A checksum that any change within eight bytes changes, and other changes almost certainly.
fn checksum(bytes: &[u8]) -> u64 {
    // Four lanes, each step of each a bijection.
    let mut lanes = [1, 2, 3, bytes.len() as u64].map(mix);
    let mut add = |block: &[u8; 32]| {
        let (words, _) = block.as_chunks();
        for (lane, &word) in lanes.iter_mut().zip(words) {
            *lane = (*lane ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    };
    let (blocks, rest) = bytes.as_chunks();
    blocks.iter().for_each(&mut add);
    if !rest.is_empty() {
        let mut padded = [0; 32];
        padded[..rest.len()].copy_from_slice(rest);
        add(&padded);
    }
    lanes.into_iter().fold(0, |sum, lane| mix(sum ^ lane))
}

/// Why there is no distance table.
#[derive(Debug, Error)]
pub enum TableError {
    /// The board is not the small one.
    #[error("the evaluation \"table\" is for board=small only")]
    LargeBoard,
    /// The user has no home folder.
    #[error("there is no cache folder to keep the distance table in")]
    NoFolder,
    /// A file could not be read or written.
    #[error("cannot {act} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file is not a distance table.
    #[error("{} is not a valid distance table: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
}

impl TableError {
    fn io(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TableError {
        move |source| TableError::Io { act, path: path.into(), source }
    }

    fn is_fixed_by_building(&self) -> bool {
        match self {
            TableError::Damaged { .. } => true,
            TableError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }
}

impl From<TableError> for nply::Error {
    fn from(error: TableError) -> nply::Error {
        let message = error.to_string();
        match error {
            TableError::LargeBoard => nply::Error::refused(message).help("use eval=distance"),
            TableError::NoFolder => {
                nply::Error::new(Code::File, message).help("set NPLY_CACHE to a folder, or use eval=distance")
            }
            TableError::Io { .. } => {
                let size = LENGTH.div_ceil(1 << 20);
                nply::Error::new(Code::File, message).help(format!(
                    "set NPLY_CACHE to a folder with room for {size}M, or use eval=distance, which needs no table"
                ))
            }
            TableError::Damaged { .. } => nply::Error::new(Code::File, message),
        }
    }
}
