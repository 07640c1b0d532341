//! Games kept in a file: SQLite, one row for each game.
//!
//! A file holds any number of experiments, each with a name and the settings that its games depend on. A game has a
//! number in its experiment, and the pair is unique, so nothing is ever counted twice. Before a game is played it is
//! claimed; a claim is good for as long as its owner lives, and that is known by a lock on a file beside the database,
//! which the system takes away from the dead.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde_json::{Value, json};

use crate::error::Error;
use crate::tournament::{Cost, Forfeit, Played, Step};

/// What marks a file as ours: `nply` in letters.
const APPLICATION: i32 = 0x6e_70_6c_79;
/// The form of the tables.
const FORM: i32 = 1;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS experiments (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        game TEXT NOT NULL,
        players INTEGER NOT NULL,
        agents TEXT NOT NULL, -- a JSON array of texts
        budget TEXT NOT NULL,
        seed TEXT NOT NULL,
        version TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS games (
        experiment INTEGER NOT NULL REFERENCES experiments (id),
        number INTEGER NOT NULL,
        seed TEXT NOT NULL,
        seating TEXT NOT NULL, -- this and those below: JSON arrays with an item for each seat or ply
        payoffs TEXT NOT NULL,
        points TEXT,
        plies INTEGER NOT NULL,
        decisions TEXT NOT NULL,
        depth TEXT NOT NULL,
        standard_depth TEXT NOT NULL,
        nodes TEXT NOT NULL,
        time_ns TEXT NOT NULL,
        over_ns TEXT NOT NULL,
        ply_seat TEXT NOT NULL,
        ply_depth TEXT NOT NULL,
        ply_nodes TEXT NOT NULL,
        ply_time_ns TEXT NOT NULL,
        moves TEXT NOT NULL, -- separated by spaces
        forfeit TEXT, -- a JSON array: the seat at fault and why
        PRIMARY KEY (experiment, number)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS claims (
        experiment INTEGER NOT NULL,
        number INTEGER NOT NULL,
        owner TEXT NOT NULL,
        PRIMARY KEY (experiment, number)
    ) WITHOUT ROWID;";

/// What the games of an experiment depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The game with its options.
    pub game: String,
    /// How many play.
    pub players: usize,
    /// The kinds of agents with their options.
    pub agents: Vec<String>,
    /// The common budget.
    pub budget: String,
    /// What all chance depends on.
    pub seed: u64,
    /// The version that plays.
    pub version: String,
}

impl Settings {
    /// The first setting that differs: its name, the value here and the value there.
    fn difference(&self, other: &Settings) -> Option<(&'static str, String, String)> {
        let pairs = [
            ("game", self.game.clone(), other.game.clone()),
            ("number of players", self.players.to_string(), other.players.to_string()),
            ("agents", self.agents.join(" "), other.agents.join(" ")),
            ("budget", self.budget.clone(), other.budget.clone()),
            ("seed", self.seed.to_string(), other.seed.to_string()),
            ("version of nply", self.version.clone(), other.version.clone()),
        ];
        pairs.into_iter().find(|(_, here, there)| here != there)
    }
}

/// An experiment in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experiment {
    id: i64,
    /// Its name, unique in the file.
    pub name: String,
    /// What its games depend on.
    pub settings: Settings,
    /// How many games are kept.
    pub games: u64,
}

/// A file of games.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens a file of games, which is made if it is not there.
    pub fn create(path: &Path) -> Result<Store, Error> {
        let connection = Connection::open(path).map_err(|error| told(path, &error))?;
        let store = Store { connection, path: path.into() };
        store.prepare().map_err(|error| told(path, &error))??;
        Ok(store)
    }

    /// Opens a file of games that must be there.
    pub fn open(path: &Path) -> Result<Store, Error> {
        if !path.is_file() {
            let message = format!("there is no file {}", path.display());
            return Err(Error::failed(message).help("`nply tournament … --db FILE` makes one"));
        }
        if path.metadata().is_ok_and(|file| file.len() == 0) {
            return Err(Error::failed(format!("{} is empty", path.display())));
        }
        Store::create(path)
    }

    fn prepare(&self) -> rusqlite::Result<Result<(), Error>> {
        let connection = &self.connection;
        connection.busy_timeout(Duration::from_secs(60))?;
        // In this order: somebody may be making the tables right now, and the mark comes with them.
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        let (mark, form) = (self.pragma("application_id")?, self.pragma("user_version")?);
        let path = self.path.display();
        if mark != APPLICATION && (mark != 0 || tables > 0) {
            let message = format!("{path} is a database of something else");
            return Ok(Err(Error::failed(message).help("name a new file, or one that a tournament wrote")));
        }
        if mark == APPLICATION && form != FORM {
            let message = format!("{path} has form {form}, and this version of nply reads form {FORM}");
            return Ok(Err(Error::failed(message).help("use the version of nply that wrote it, or a new file")));
        }
        // Others may be at the same point, and SQLite does not always wait for them here.
        let mut tries = 0;
        while let Err(error) = connection.pragma_update(None, "journal_mode", "WAL") {
            tries += 1;
            if tries > 200 || error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) {
                return Err(error);
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        if mark != APPLICATION {
            let making = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            making.execute_batch(TABLES)?;
            making.pragma_update(None, "application_id", APPLICATION)?;
            making.pragma_update(None, "user_version", FORM)?;
            making.commit()?;
        }
        Ok(Ok(()))
    }

    fn pragma(&self, name: &str) -> rusqlite::Result<i32> {
        self.connection.pragma_query_value(None, name, |row| row.get(0))
    }

    /// The experiments in the file, oldest first.
    pub fn experiments(&self) -> Result<Vec<Experiment>, Error> {
        let read = || {
            let mut query = self.connection.prepare(
                "SELECT id, name, game, players, agents, budget, seed, version,
                    (SELECT count(*) FROM games WHERE experiment = id) FROM experiments ORDER BY id",
            )?;
            query.query_map([], experiment)?.collect::<rusqlite::Result<Vec<Experiment>>>()
        };
        read().map_err(|error| told(&self.path, &error))
    }

    /// The experiment of this name; without a name, the only one there is.
    pub fn experiment(&self, name: Option<&str>) -> Result<Experiment, Error> {
        let all = self.experiments()?;
        let names: Vec<&str> = all.iter().map(|experiment| experiment.name.as_str()).collect();
        let found = match name {
            Some(name) => all.iter().find(|experiment| experiment.name == name),
            None if all.len() > 1 => {
                let message = format!("{} holds {} experiments", self.path.display(), all.len());
                return Err(Error::usage(message).help(format!("name one of {}", names.join(", "))));
            }
            None => all.first(),
        };
        match (found, name) {
            (Some(found), _) => Ok(found.clone()),
            (None, Some(name)) => Err(Error::unknown("experiment", name, &names)),
            (None, None) => Err(Error::failed(format!("{} holds no experiment", self.path.display()))),
        }
    }

    /// All games of an experiment in the order of their numbers.
    pub fn games(&self, experiment: &Experiment) -> Result<Vec<Played>, Error> {
        let games = self.read_games(experiment.id)?;
        let Settings { players, agents, .. } = &experiment.settings;
        let is_whole = |played: &Played| {
            played.seating.len() == *players && played.seating.iter().all(|&kind| kind < agents.len())
        };
        match games.iter().find(|played| !is_whole(played)) {
            Some(bad) => {
                Err(Error::failed(format!("{} is damaged: game {} does not fit", self.path.display(), bad.number)))
            }
            None => Ok(games),
        }
    }

    fn read_games(&self, id: i64) -> Result<Vec<Played>, Error> {
        let read = || {
            let mut query = self.connection.prepare("SELECT * FROM games WHERE experiment = ? ORDER BY number")?;
            query.query_map([id], played)?.collect::<rusqlite::Result<Vec<Played>>>()
        };
        read().map_err(|error| told(&self.path, &error))
    }

    /// Finds an experiment by its name or enters it; settings that differ from those it has are refused.
    fn enter(&self, name: &str, settings: &Settings) -> Result<Experiment, Error> {
        let agents = Value::from(settings.agents.clone()).to_string();
        let enter = || {
            self.connection.execute(
                "INSERT OR IGNORE INTO experiments (name, game, players, agents, budget, seed, version)
                    VALUES (?, ?, ?, ?, ?, ?, ?)",
                params![
                    name,
                    settings.game,
                    settings.players as i64,
                    agents,
                    settings.budget,
                    settings.seed.to_string(),
                    settings.version
                ],
            )
        };
        enter().map_err(|error| told(&self.path, &error))?;
        let kept = self.experiment(Some(name))?;
        match settings.difference(&kept.settings) {
            None => Ok(kept),
            Some((what, here, there)) => {
                let path = self.path.display();
                let message = format!("experiment {name} in {path} has the {what} {there}, not {here}");
                let help = "ask for the same again to go on with it, or keep the new one in another --db, or under another --name of `nply tournament`";
                Err(Error::failed(message).help(help))
            }
        }
    }
}

fn told(path: &Path, error: &rusqlite::Error) -> Error {
    let path = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => Error::failed(format!("{path} is not a database"))
            .help("name a new file, or one that `nply tournament … --db FILE` wrote"),
        Some(ErrorCode::CannotOpen) => {
            Error::failed(format!("cannot open {path}: {error}")).help("its folder must be there and allow writing")
        }
        Some(ErrorCode::DatabaseCorrupt) => Error::failed(format!("{path} is damaged: {error}")),
        _ => Error::failed(format!("{path}: {error}")),
    }
}

fn experiment(row: &Row<'_>) -> rusqlite::Result<Experiment> {
    let settings = Settings {
        game: row.get(2)?,
        players: row.get::<_, i64>(3)? as usize,
        agents: array(row, "agents")?,
        budget: row.get(5)?,
        seed: parsed(row, "seed")?,
        version: row.get(7)?,
    };
    Ok(Experiment { id: row.get(0)?, name: row.get(1)?, settings, games: row.get::<_, i64>(8)? as u64 })
}

fn played(row: &Row<'_>) -> rusqlite::Result<Played> {
    let (moves, depths, standards) =
        (numbers(row, "decisions")?, numbers(row, "depth")?, numbers(row, "standard_depth")?);
    let (nodes, times, overs) = (numbers(row, "nodes")?, numbers(row, "time_ns")?, numbers(row, "over_ns")?);
    let at = |values: &[u64], index: usize| values.get(index).copied().unwrap_or(0);
    let cost = |seat: usize| Cost {
        moves: at(&moves, seat),
        depth: at(&depths, seat),
        standard: at(&standards, seat),
        nodes: at(&nodes, seat),
        time: Duration::from_nanos(at(&times, seat)),
        over: Duration::from_nanos(at(&overs, seat)),
    };
    let (seats, ply_depths) = (numbers(row, "ply_seat")?, numbers(row, "ply_depth")?);
    let (ply_nodes, ply_times) = (numbers(row, "ply_nodes")?, numbers(row, "ply_time_ns")?);
    let step = |(ply, &seat): (usize, &u64)| Step {
        seat: seat as usize,
        depth: at(&ply_depths, ply) as u32,
        nodes: at(&ply_nodes, ply),
        time: Duration::from_nanos(at(&ply_times, ply)),
    };
    let seating: Vec<usize> = array(row, "seating")?;
    let payoff: Vec<f32> = array(row, "payoffs")?;
    let points: Option<Vec<f32>> =
        if row.get::<_, Option<String>>("points")?.is_some() { Some(array(row, "points")?) } else { None };
    let forfeit: Option<String> = row.get("forfeit")?;
    let forfeit: Option<(usize, String)> =
        forfeit.map(|text| serde_json::from_str(&text).map_err(|error| wrong("forfeit", error))).transpose()?;
    let count = seating.len();
    let is_whole = payoff.len() == count
        && points.as_ref().is_none_or(|points| points.len() == count)
        && forfeit.as_ref().is_none_or(|(seat, _)| *seat < count);
    if !is_whole || seats.iter().any(|&seat| seat >= count as u64) {
        return Err(wrong("seating", std::io::Error::other("it does not fit the rest of the game")));
    }
    Ok(Played {
        number: row.get::<_, i64>("number")? as u64,
        seed: parsed(row, "seed")?,
        payoff,
        points,
        moves: row.get::<_, String>("moves")?.split_whitespace().map(String::from).collect(),
        steps: seats.iter().enumerate().map(step).collect(),
        costs: (0..seating.len()).map(cost).collect(),
        forfeit: forfeit.map(|(seat, why)| Forfeit { seat, why }),
        seating,
    })
}

fn numbers(row: &Row<'_>, column: &str) -> rusqlite::Result<Vec<u64>> {
    array(row, column)
}

fn array<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<Vec<T>> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| wrong(column, error))
}

fn parsed(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    let text: String = row.get(column)?;
    text.parse().map_err(|error| wrong(column, error))
}

fn wrong(column: &str, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(0, format!("{column} ({error})"), rusqlite::types::Type::Text)
}

/// One experiment of a file being filled by this process.
pub(crate) struct Keeper {
    store: Store,
    experiment: Experiment,
    /// Who we are among those who fill the file.
    owner: String,
    /// The file whose lock says that we live.
    lock_path: PathBuf,
    _lock: File,
}

/// Whose a game is.
pub(crate) enum Claim {
    /// To be played here.
    Ours,
    /// Somebody else plays it.
    Taken,
    /// It was played.
    Done(Box<Played>),
}

impl Keeper {
    pub(crate) fn new(path: &Path, name: &str, settings: &Settings) -> Result<Keeper, Error> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let store = Store::create(path)?;
        let experiment = store.enter(name, settings)?;
        let started = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let owner = format!("{}-{started:x}-{count}", std::process::id());
        let lock_path = lock_path(path, &owner);
        // Nobody else makes or clears away lock files meanwhile, so those that are not locked are of the dead.
        let alone = Transaction::new_unchecked(&store.connection, TransactionBehavior::Immediate)
            .map_err(|error| told(path, &error))?;
        clear_locks(path);
        let lock = File::create(&lock_path).and_then(|file| file.lock().map(|()| file));
        let lock = lock.map_err(|error| Error::failed(format!("cannot lock {}: {error}", lock_path.display())))?;
        drop(alone);
        Ok(Keeper { store, experiment, owner, lock_path, _lock: lock })
    }

    pub(crate) fn games(&self) -> Result<Vec<Played>, Error> {
        self.store.games(&self.experiment)
    }

    /// Claims a game.
    pub(crate) fn claim(&mut self, number: u64) -> Result<Claim, Error> {
        let path = self.store.path.clone();
        self.try_claim(number).map_err(|error| told(&path, &error))
    }

    fn try_claim(&mut self, number: u64) -> rusqlite::Result<Claim> {
        let (id, number) = (self.experiment.id, number as i64);
        let path = &self.store.path;
        let claiming = self.store.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let find = "SELECT * FROM games WHERE experiment = ? AND number = ?";
        if let Some(played) = claiming.query_row(find, params![id, number], played).optional()? {
            return Ok(Claim::Done(Box::new(played)));
        }
        let find = "SELECT owner FROM claims WHERE experiment = ? AND number = ?";
        let owner: Option<String> = claiming.query_row(find, params![id, number], |row| row.get(0)).optional()?;
        if owner.is_some_and(|owner| owner != self.owner && is_alive(path, &owner)) {
            return Ok(Claim::Taken);
        }
        claiming.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", params![id, number, self.owner])?;
        claiming.commit()?;
        Ok(Claim::Ours)
    }

    /// Keeps a game that was claimed. The answer is the game that is in the file from now on.
    pub(crate) fn keep(&mut self, game: Played) -> Result<Played, Error> {
        let path = self.store.path.clone();
        self.try_keep(game).map_err(|error| told(&path, &error))
    }

    fn try_keep(&mut self, game: Played) -> rusqlite::Result<Played> {
        let by_seat = |value: fn(&Cost) -> u64| json!(game.costs.iter().map(value).collect::<Vec<u64>>()).to_string();
        let by_ply = |value: fn(&Step) -> u64| json!(game.steps.iter().map(value).collect::<Vec<u64>>()).to_string();
        let (id, number) = (self.experiment.id, game.number as i64);
        let keeping = self.store.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let new = keeping.execute(
            "INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                id,
                number,
                game.seed.to_string(),
                json!(game.seating).to_string(),
                shares(&game.payoff),
                game.points.as_deref().map(shares),
                game.moves.len() as i64,
                by_seat(|cost| cost.moves),
                by_seat(|cost| cost.depth),
                by_seat(|cost| cost.standard),
                by_seat(|cost| cost.nodes),
                by_seat(|cost| cost.time.as_nanos() as u64),
                by_seat(|cost| cost.over.as_nanos() as u64),
                by_ply(|step| step.seat as u64),
                by_ply(|step| step.depth.into()),
                by_ply(|step| step.nodes),
                by_ply(|step| step.time.as_nanos() as u64),
                game.moves.join(" "),
                game.forfeit.as_ref().map(|forfeit| json!([forfeit.seat, forfeit.why]).to_string()),
            ],
        )?;
        keeping.execute("DELETE FROM claims WHERE experiment = ? AND number = ?", params![id, number])?;
        let kept = match new {
            0 => {
                let find = "SELECT * FROM games WHERE experiment = ? AND number = ?";
                keeping.query_row(find, params![id, number], played)?
            }
            _ => game,
        };
        keeping.commit()?;
        Ok(kept)
    }
}

/// What was claimed and not played is free again.
impl Drop for Keeper {
    fn drop(&mut self) {
        // If this fails, the lock that is gone says the same.
        let _ = self.store.connection.execute("DELETE FROM claims WHERE owner = ?", [&self.owner]);
        let _ = std::fs::remove_file(&self.lock_path);
    }
}

fn lock_path(database: &Path, owner: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(format!("-{owner}.lock"));
    name.into()
}

/// Clears away the lock files of those who died without a claim, by whose owner they would be found.
fn clear_locks(database: &Path) {
    let Some(name) = database.file_name().and_then(|name| name.to_str()) else { return };
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = file.file_name();
        let rest = file.to_str().and_then(|file| file.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(".lock"));
        // Another database's name may begin with that of this one.
        if let Some(owner) = rest.filter(|rest| rest.split('-').count() == 3) {
            is_alive(database, owner);
        }
    }
}

/// Whether the owner of a claim still holds its lock; the lock file of a dead one is cleared away.
fn is_alive(database: &Path, owner: &str) -> bool {
    let path = lock_path(database, owner);
    let Ok(file) = File::open(&path) else { return false };
    match file.try_lock() {
        Ok(()) => {
            let _ = std::fs::remove_file(&path);
            false
        }
        Err(TryLockError::WouldBlock) => true,
        // Where locks do not work, nobody can tell; a game played twice is still kept once.
        Err(TryLockError::Error(_)) => false,
    }
}

/// Numbers as the shortest text that reads back as the same 32-bit number.
fn shares(numbers: &[f32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(f32::to_string).collect();
    format!("[{}]", numbers.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            game: "tree".into(),
            players: 3,
            agents: vec!["maxn".into(), "random".into()],
            budget: "nodes=10k".into(),
            seed: u64::MAX,
            version: "0".into(),
        }
    }

    fn game(number: u64) -> Played {
        let step = Step { seat: 2, depth: 3, nodes: 4, time: Duration::from_nanos(5) };
        let cost = Cost { moves: 1, depth: 3, standard: 4, nodes: 4, time: step.time, over: Duration::from_nanos(1) };
        Played {
            number,
            seating: vec![0, 1, 0],
            seed: u64::MAX - number,
            payoff: vec![1.0 / 3.0, 0.0, 2.0 / 3.0],
            points: Some(vec![0.1, -2.0, 7e9]),
            moves: vec!["a".into(), "b-c".into()],
            steps: vec![step],
            costs: vec![cost, Cost::default(), cost],
            forfeit: None,
        }
    }

    fn keeper(path: &Path) -> Keeper {
        Keeper::new(path, "test", &settings()).unwrap()
    }

    #[test]
    fn a_game_reads_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let forfeit = Some(Forfeit { seat: 1, why: "it wrote \"no, ä\"".into() });
        let forfeited = Played { points: None, forfeit, ..game(9) };
        let mut keeper = keeper(&path);
        keeper.keep(game(3)).unwrap();
        keeper.keep(forfeited.clone()).unwrap();
        assert_eq!(keeper.games().unwrap(), [game(3), forfeited]);
        let store = Store::open(&path).unwrap();
        let experiment = store.experiment(None).unwrap();
        assert_eq!((experiment.name.as_str(), experiment.games), ("test", 2));
        assert_eq!(experiment.settings, settings());
    }

    #[test]
    fn a_game_is_kept_once_and_the_first_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut keeper = keeper(&folder.path().join("games.db"));
        keeper.keep(game(3)).unwrap();
        let other = Played { seed: 5, ..game(3) };
        assert_eq!(keeper.keep(other).unwrap(), game(3));
        assert_eq!(keeper.games().unwrap().len(), 1);
        assert!(matches!(keeper.claim(3).unwrap(), Claim::Done(kept) if *kept == game(3)));
    }

    #[test]
    fn the_lock_files_of_the_dead_are_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let (dead, foreign) = (lock_path(&path, "1-2-3"), lock_path(&path, "other.db-1-2-3"));
        File::create(&dead).unwrap();
        File::create(&foreign).unwrap();
        let first = keeper(&path);
        assert!(!dead.exists() && foreign.exists());
        let second = keeper(&path);
        assert!(first.lock_path.exists() && second.lock_path.exists());
    }

    #[test]
    fn a_claim_is_good_while_its_owner_lives() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let (mut one, mut other) = (keeper(&path), keeper(&path));
        assert!(matches!(one.claim(0).unwrap(), Claim::Ours));
        assert!(matches!(other.claim(0).unwrap(), Claim::Taken));
        assert!(matches!(other.claim(1).unwrap(), Claim::Ours));
        // As if it was killed: nothing is tidied up, but the system takes the lock.
        let (claims, lock) = ("INSERT INTO claims VALUES (1, 7, 'dead')", lock_path(&path, "dead"));
        File::create(&lock).unwrap();
        one.store.connection.execute(claims, []).unwrap();
        assert!(matches!(other.claim(7).unwrap(), Claim::Ours));
        assert!(!lock.exists());
        drop(one);
        assert!(matches!(other.claim(0).unwrap(), Claim::Ours));
        drop(other);
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["games.db"], "nothing is left lying about");
    }

    #[test]
    fn other_settings_under_the_same_name_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        keeper(&path);
        let other = Settings { budget: "nodes=20k".into(), ..settings() };
        let error = Keeper::new(&path, "test", &other).err().unwrap();
        assert!(error.message.contains("has the budget nodes=10k, not nodes=20k"), "{error}");
        Keeper::new(&path, "second", &other).unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(store.experiments().unwrap().len(), 2);
        assert!(store.experiment(None).unwrap_err().help.unwrap().contains("test, second"));
        assert!(store.experiment(Some("tset")).unwrap_err().help.unwrap().contains("did you mean test?"));
    }

    #[test]
    fn a_damaged_game_is_told_and_nothing_breaks() {
        for damage in [
            "seating = '[0,1]'",
            "seating = '[0,1,9]'",
            "seating = '[0,1,0,1]', payoffs = '[0,1,0,0]', points = NULL",
            "payoffs = '[1]'",
            "points = '[]'",
            "ply_seat = '[7]'",
            "forfeit = '[3,\"late\"]'",
            "forfeit = 'late'",
            "seed = 'x'",
            "moves = NULL",
            "depth = 'deep'",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("games.db");
            keeper(&path).keep(game(3)).unwrap();
            let store = Store::open(&path).unwrap();
            let changed = store.connection.execute(&format!("UPDATE games SET {damage}"), []);
            if changed.is_ok() {
                let error = store.games(&store.experiment(None).unwrap()).unwrap_err();
                assert!(error.message.contains("games.db"), "{damage}: {error}");
            }
        }
    }

    #[test]
    fn files_of_something_else_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        let text = "not a database, but longer than the header of one, so that it is looked at closely. ".repeat(9);
        std::fs::write(&path, &text).unwrap();
        assert!(Store::open(&path).err().unwrap().message.contains("is not a database"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let path = folder.path().join("empty.db");
        std::fs::write(&path, "").unwrap();
        assert!(Store::open(&path).err().unwrap().message.contains("is empty"));
        assert_eq!(path.metadata().unwrap().len(), 0);
        let path = folder.path().join("other.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
        assert!(Store::create(&path).err().unwrap().message.contains("a database of something else"));
        assert!(Store::open(&folder.path().join("none.db")).err().unwrap().message.contains("there is no file"));
        let missing = folder.path().join("no/such/folder/games.db");
        assert!(Store::create(&missing).err().unwrap().help.unwrap().contains("its folder must be there"));
    }
}
