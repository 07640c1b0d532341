//! The distance table: how many moves a player needs alone.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{env, fmt, thread};

use etcetera::BaseStrategy;
use nply::{Player, mix};
use thiserror::Error;

use super::map::Map;
use super::rank::PLACEMENTS;
use super::{Board, ChineseCheckers, build};

/// For each of the 170,230,452 placements of a player's six pieces on the small board, the least number of moves that fills the
/// goal if nobody else is on the board (N. Sturtevant, "An Analysis of UCT in Multi-Player Games", 2008).
///
/// The rules hold: a piece that starts in the goal must end there. The largest value is 28; the start needs 17 moves.
///
/// The table is worked out once, which takes less than a minute, and kept as a file in the user's cache folder, or in the folder that
/// the environment variable `NPLY_CACHE` names. The file is mapped, so many agents and processes share one copy.
pub struct DistanceTable {
    map: Map,
}

/// The header: magic, version, number of values, checksum of the values, checksum of the header so far; rest zero.
const HEADER: usize = 64;
const MAGIC: [u8; 8] = *b"NPLYDIST";
const VERSION: u64 = 1;

impl DistanceTable {
    /// How many placements have each value from 0: what every right table has.
    pub const HISTOGRAM: [u32; 29] = [
        1, 10, 89, 608, 3_437, 16_065, 62_789, 206_857, 585_980, 1_452_445, 3_180_010, 6_147_847, 10_504_645,
        15_855_678, 21_098_749, 24_669_918, 25_195_502, 22_336_979, 17_079_283, 11_170_938, 6_202_375, 2_889_801,
        1_111_144, 349_000, 89_435, 17_899, 2_678, 279, 11,
    ];

    /// Where the table is kept.
    pub fn path() -> Result<PathBuf, TableError> {
        let folder = match env::var_os("NPLY_CACHE").filter(|folder| !folder.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None => etcetera::choose_base_strategy().map_err(|_| TableError::NoFolder)?.cache_dir().join("nply"),
        };
        Ok(folder.join("chinese-checkers-distance.table"))
    }

    /// The table of this process: loaded, or built and kept, by whoever asks first. `progress` is told which part of the
    /// building is done, from 0 to 1.
    pub fn shared(progress: &dyn Fn(f64)) -> Result<&'static DistanceTable, TableError> {
        static TABLE: OnceLock<DistanceTable> = OnceLock::new();
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

    /// Loads the table from where it is kept.
    pub fn load() -> Result<DistanceTable, TableError> {
        DistanceTable::open(&DistanceTable::path()?)
    }

    /// Loads the table from where it is kept; if it is not there or damaged, builds it and keeps it.
    pub fn load_or_build(progress: &dyn Fn(f64)) -> Result<DistanceTable, TableError> {
        DistanceTable::open_or_build(&DistanceTable::path()?, progress)
    }

    /// Loads a table from a file and checks all of it.
    pub fn open(path: &Path) -> Result<DistanceTable, TableError> {
        let file = File::open(path).map_err(TableError::io("open", path))?;
        let map = Map::new(&file).map_err(TableError::io("map", path))?;
        let damaged = |what: &'static str| Err(TableError::Damaged { path: path.into(), what });
        if map.len() < HEADER || map[..8] != MAGIC {
            return damaged("it does not begin as a distance table does");
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

    /// Loads a table from a file; if there is none or a damaged one, builds it and writes the file.
    ///
    /// Several processes may do this at once: one builds, the others wait for it. The file appears whole or not at all.
    pub fn open_or_build(path: &Path, progress: &dyn Fn(f64)) -> Result<DistanceTable, TableError> {
        match DistanceTable::open(path) {
            Err(error) if error.is_mended_by_building() => (),
            loaded => return loaded,
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(TableError::io("make the folder of", path))?;
        }
        let lock_path = path.with_extension("lock");
        let lock = File::create(&lock_path).map_err(TableError::io("make", &lock_path))?;
        lock.lock().map_err(TableError::io("lock", &lock_path))?;
        // Somebody else may have built it meanwhile.
        match DistanceTable::open(path) {
            Err(error) if error.is_mended_by_building() => (),
            loaded => return loaded,
        }
        let threads = thread::available_parallelism().map_or(1, |count| count.get());
        DistanceTable::write(path, &DistanceTable::build(threads, progress))?;
        DistanceTable::open(path)
    }

    /// Works out all values, by the number of the placement, on this many threads.
    pub fn build(threads: usize, progress: &dyn Fn(f64)) -> Vec<u8> {
        build::build(threads, progress)
    }

    /// Writes a table next to its place and then renames it.
    fn write(path: &Path, values: &[u8]) -> Result<(), TableError> {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..16].copy_from_slice(&VERSION.to_le_bytes());
        header[16..24].copy_from_slice(&(values.len() as u64).to_le_bytes());
        header[24..32].copy_from_slice(&checksum(values).to_le_bytes());
        let sum = checksum(&header[..32]);
        header[32..40].copy_from_slice(&sum.to_le_bytes());
        // Only who holds the lock writes, so what a killed process left under this name may be overwritten.
        let new = path.with_extension("new");
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(&header)?;
            file.write_all(values)?;
            file.sync_all()
        });
        written.map_err(TableError::io("write", &new))?;
        fs::rename(&new, path).map_err(TableError::io("write", path))
    }

    /// Checks the file at `path` in every way there is, and returns its histogram.
    pub fn verify(path: &Path) -> Result<[u32; 29], TableError> {
        let histogram = DistanceTable::open(path)?.histogram();
        match histogram == DistanceTable::HISTOGRAM {
            true => Ok(histogram),
            false => Err(TableError::Damaged { path: path.into(), what: "its values are wrong" }),
        }
    }

    /// How many placements have each value from 0.
    pub fn histogram(&self) -> [u32; 29] {
        // Equal values follow each other: four counts are faster than one.
        let mut counts = [[0; 256]; 4];
        for values in self.map[HEADER..].chunks(4) {
            for (value, counts) in values.iter().zip(&mut counts) {
                counts[*value as usize] += 1;
            }
        }
        std::array::from_fn(|value| counts.iter().map(|count| count[value]).sum())
    }

    /// The least number of moves with which `player` alone, from where the pieces are now, fills the goal.
    ///
    /// # Panics
    /// If the game is not played on the small board.
    #[inline]
    pub fn value(&self, game: &ChineseCheckers, player: Player) -> u8 {
        assert!(game.board == Board::Small, "the distance table is for the small board");
        self.map[HEADER + game.ranks[player.index()] as usize]
    }
}

impl fmt::Debug for DistanceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DistanceTable")
    }
}

/// A number of the header.
fn number(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A checksum that any change within eight bytes changes for certain, and others with all but certainty.
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
    /// The evaluation `table` was asked for on another than the small board.
    #[error("the evaluation \"table\" is for board=small only: use \"distance\"")]
    LargeBoard,
    /// The user has no home.
    #[error("there is no cache folder to keep the distance table in: set NPLY_CACHE to a folder")]
    NoFolder,
    /// A file could not be read or written.
    #[error("cannot {act} {}: {source} (NPLY_CACHE names another folder)", path.display())]
    Io {
        /// What was tried.
        act: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A file is not the table that was written.
    #[error("{} is no good distance table: {what}", path.display())]
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

    fn is_mended_by_building(&self) -> bool {
        match self {
            TableError::Damaged { .. } => true,
            TableError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }
}
