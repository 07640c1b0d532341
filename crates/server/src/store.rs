//! The file of sessions: SQLite, one row for each session and one for each move.
//!
//! A change is on the disk before it is answered (`synchronous=FULL`), so that what was acknowledged survives the end of the process,
//! however it ends. One server at a time uses a file: it holds a lock on a file beside it, which the system releases when it dies.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use nply::Error;
use rusqlite::{Connection, OptionalExtension, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Marks a file as ours: `nplS` in ASCII.
const APPLICATION: i32 = 0x6e_70_6c_53;
/// The format of the tables.
const FORMAT: i32 = 1;

const TABLES: &str = "
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        start TEXT NOT NULL, -- a JSON object
        seats TEXT NOT NULL, -- a JSON array
        resigned INTEGER, -- the player who did
        over INTEGER NOT NULL,
        plies INTEGER NOT NULL,
        updated INTEGER NOT NULL -- milliseconds since 1970
    ) WITHOUT ROWID;
    CREATE TABLE moves (
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        ply INTEGER NOT NULL,
        move TEXT NOT NULL,
        thought TEXT, -- a JSON object: what the agent found
        PRIMARY KEY (session, ply)
    ) WITHOUT ROWID;
    CREATE TABLE tournaments (
        id TEXT PRIMARY KEY,
        settings TEXT NOT NULL, -- a JSON object
        created INTEGER NOT NULL
    ) WITHOUT ROWID;";

/// What a session starts from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    /// The game with its options.
    pub(crate) game: String,
    pub(crate) players: usize,
    pub(crate) seed: u64,
    pub(crate) position: Option<String>,
}

/// Who plays a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Seat {
    /// A person.
    Human {
        /// What the person is called.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// An agent.
    Agent {
        /// Its name with settings, as in `nply search --agent`.
        agent: String,
        /// Its limits, such as `time=200ms` or `nodes=10k`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<String>,
        /// The level it was chosen by.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<String>,
    },
    /// The agent that the game has for a level.
    Level {
        /// The level: easy, medium, hard or strongest.
        level: String,
    },
}

/// A move with what its agent found.
#[derive(Clone, Debug)]
pub(crate) struct StoredMove {
    pub(crate) text: String,
    pub(crate) thought: Option<Value>,
}

/// A session as it is kept.
pub(crate) struct Stored {
    pub(crate) start: Start,
    pub(crate) seats: Vec<Seat>,
    pub(crate) resigned: Option<usize>,
    pub(crate) moves: Vec<StoredMove>,
}

/// A session in the list of all.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Summary {
    pub(crate) id: String,
    /// The game with its options.
    pub(crate) game: String,
    pub(crate) players: usize,
    /// Number of moves played.
    pub(crate) ply: usize,
    /// Whether the game is over.
    pub(crate) over: bool,
    /// When it last changed, in milliseconds since 1970.
    pub(crate) updated: u64,
    pub(crate) seats: Vec<Seat>,
}

/// The file of sessions.
pub(crate) struct Store {
    connection: Mutex<Connection>,
    path: PathBuf,
    /// Locked while this server uses the file.
    _lock: File,
}

type Kept<T> = rusqlite::Result<T>;

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_millis() as u64)
}

impl Store {
    /// Opens the file, or makes a new one.
    pub(crate) fn open(path: &Path) -> Result<Store, Error> {
        let shown = path.display();
        let wrong =
            |error: &dyn std::fmt::Display| Error::file(format!("cannot use the file of sessions {shown}: {error}"));
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| wrong(&error))?;
        }
        let beside = beside(path, "lock");
        let lock = File::options().create(true).append(true).open(&beside).map_err(|error| wrong(&error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("another server uses the file of sessions {shown}");
                return Err(Error::file(message).help("end it, or name another file with --db FILE"));
            }
            Err(TryLockError::Error(error)) => return Err(wrong(&error)),
        }
        let connection = Connection::open(path).map_err(|error| wrong(&error))?;
        let store = Store { connection: Mutex::new(connection), path: path.into(), _lock: lock };
        store.prepare().map_err(|error| wrong(&error))??;
        Ok(store)
    }

    /// The path of a file that belongs to this one.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        beside(&self.path, name)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().expect("nobody panics with it")
    }

    fn prepare(&self) -> Kept<Result<(), Error>> {
        let connection = self.lock();
        connection.busy_timeout(Duration::from_secs(10))?;
        let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        let (mark, format) = (pragma("application_id")?, pragma("user_version")?);
        let shown = self.path.display();
        if mark != APPLICATION && (mark != 0 || tables > 0) {
            let message = format!("{shown} is not a file of sessions");
            return Ok(
                Err(Error::file(message).help("name a new file with --db FILE, or one that `nply serve` wrote")),
            );
        }
        if format > FORMAT {
            let message = format!("{shown} has format {format}, and this version of nply reads formats up to {FORMAT}");
            return Ok(Err(Error::file(message).help("use a newer version of nply, or another file")));
        }
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        if format == 0 {
            let making = connection.unchecked_transaction()?;
            making.execute_batch(TABLES)?;
            making.pragma_update(None, "application_id", APPLICATION)?;
            making.pragma_update(None, "user_version", FORMAT)?;
            making.commit()?;
        }
        Ok(Ok(()))
    }

    /// Adds a session, unless there are `most` already; whether it was added.
    pub(crate) fn insert(&self, id: &str, session: &Stored, over: bool, most: usize) -> Kept<bool> {
        let connection = self.lock();
        let change = connection.unchecked_transaction()?;
        let count: i64 = change.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0))?;
        if count >= most as i64 {
            return Ok(false);
        }
        change.execute(
            "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)",
            params![
                id,
                text(&session.start),
                text(&session.seats),
                session.resigned.map(|player| player as i64),
                over,
                session.moves.len() as i64,
                now() as i64
            ],
        )?;
        for (ply, played) in session.moves.iter().enumerate() {
            insert_move(&change, id, ply, played)?;
        }
        change.commit()?;
        Ok(true)
    }

    /// Adds a move.
    pub(crate) fn append(&self, id: &str, ply: usize, played: &StoredMove, over: bool) -> Kept<()> {
        let connection = self.lock();
        let change = connection.unchecked_transaction()?;
        insert_move(&change, id, ply, played)?;
        change.execute(
            "UPDATE sessions SET plies = ?2, over = ?3, updated = ?4 WHERE id = ?1",
            params![id, ply as i64 + 1, over, now() as i64],
        )?;
        change.commit()
    }

    /// Goes back to a ply.
    pub(crate) fn truncate(&self, id: &str, ply: usize) -> Kept<()> {
        let connection = self.lock();
        let change = connection.unchecked_transaction()?;
        change.execute("DELETE FROM moves WHERE session = ? AND ply >= ?", params![id, ply as i64])?;
        change.execute(
            "UPDATE sessions SET plies = ?2, over = FALSE, resigned = NULL, updated = ?3 WHERE id = ?1",
            params![id, ply as i64, now() as i64],
        )?;
        change.commit()
    }

    pub(crate) fn resign(&self, id: &str, player: usize) -> Kept<()> {
        let set = "UPDATE sessions SET resigned = ?2, over = TRUE, updated = ?3 WHERE id = ?1";
        self.lock().execute(set, params![id, player as i64, now() as i64]).map(drop)
    }

    pub(crate) fn set_seats(&self, id: &str, seats: &[Seat]) -> Kept<()> {
        let set = "UPDATE sessions SET seats = ?2, updated = ?3 WHERE id = ?1";
        self.lock().execute(set, params![id, text(&seats), now() as i64]).map(drop)
    }

    /// Removes a session; whether there was one.
    pub(crate) fn delete(&self, id: &str) -> Kept<bool> {
        Ok(self.lock().execute("DELETE FROM sessions WHERE id = ?", [id])? > 0)
    }

    pub(crate) fn load(&self, id: &str) -> Kept<Option<Stored>> {
        let connection = self.lock();
        let query = "SELECT start, seats, resigned FROM sessions WHERE id = ?";
        let read = |row: &rusqlite::Row<'_>| Ok((json(row, 0)?, json(row, 1)?, row.get::<_, Option<i64>>(2)?));
        let Some((start, seats, resigned)) = connection.query_row(query, [id], read).optional()? else {
            return Ok(None);
        };
        let mut query = connection.prepare("SELECT move, thought FROM moves WHERE session = ? ORDER BY ply")?;
        let read = |row: &rusqlite::Row<'_>| {
            let thought = match row.get_ref(1)? {
                rusqlite::types::ValueRef::Null => None,
                _ => Some(json(row, 1)?),
            };
            Ok(StoredMove { text: row.get(0)?, thought })
        };
        let moves = query.query_map([id], read)?.collect::<Kept<Vec<StoredMove>>>()?;
        Ok(Some(Stored { start, seats, resigned: resigned.map(|player| player as usize), moves }))
    }

    /// All sessions, the last changed first.
    pub(crate) fn list(&self) -> Kept<Vec<Summary>> {
        let connection = self.lock();
        let query = "SELECT id, start, seats, over, plies, updated FROM sessions ORDER BY updated DESC, id";
        let mut query = connection.prepare(query)?;
        let read = |row: &rusqlite::Row<'_>| {
            let Start { game, players, .. } = json(row, 1)?;
            let (seats, over, ply) = (json(row, 2)?, row.get(3)?, row.get::<_, i64>(4)? as usize);
            Ok(Summary { id: row.get(0)?, game, players, ply, over, updated: row.get::<_, i64>(5)? as u64, seats })
        };
        query.query_map([], read)?.collect()
    }

    /// Adds a tournament, unless there are `most` already; whether it was added.
    pub(crate) fn insert_tournament(&self, id: &str, settings: &Value, most: usize) -> Kept<bool> {
        let connection = self.lock();
        let change = connection.unchecked_transaction()?;
        let count: i64 = change.query_row("SELECT count(*) FROM tournaments", [], |row| row.get(0))?;
        if count >= most as i64 {
            return Ok(false);
        }
        change.execute("INSERT INTO tournaments VALUES (?, ?, ?)", params![id, text(settings), now() as i64])?;
        change.commit()?;
        Ok(true)
    }

    pub(crate) fn delete_tournament(&self, id: &str) -> Kept<bool> {
        Ok(self.lock().execute("DELETE FROM tournaments WHERE id = ?", [id])? > 0)
    }

    /// All tournaments, the newest first.
    pub(crate) fn tournaments(&self) -> Kept<Vec<(String, Value)>> {
        let connection = self.lock();
        let mut query = connection.prepare("SELECT id, settings FROM tournaments ORDER BY created DESC, id")?;
        query.query_map([], |row| Ok((row.get(0)?, json(row, 1)?)))?.collect()
    }

    pub(crate) fn tournament(&self, id: &str) -> Kept<Option<Value>> {
        let connection = self.lock();
        connection.query_row("SELECT settings FROM tournaments WHERE id = ?", [id], |row| json(row, 0)).optional()
    }
}

/// `sessions.db` and `lock` make `sessions.db.lock`.
fn beside(path: &Path, name: &str) -> PathBuf {
    let mut file = path.as_os_str().to_owned();
    file.push(".");
    file.push(name);
    file.into()
}

fn insert_move(connection: &Connection, id: &str, ply: usize, played: &StoredMove) -> Kept<()> {
    let mut insert = connection.prepare("INSERT INTO moves VALUES (?, ?, ?, ?)")?;
    insert.execute(params![id, ply as i64, played.text, played.thought.as_ref().map(text)]).map(drop)
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it has nothing that JSON does not")
}

fn json<T: serde::de::DeserializeOwned>(row: &rusqlite::Row<'_>, column: usize) -> Kept<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(moves: &[&str]) -> Stored {
        let start = Start { game: "tree".into(), players: 2, seed: 1, position: None };
        let moves = moves.iter().map(|m| StoredMove { text: m.to_string(), thought: None }).collect();
        Stored { start, seats: vec![Seat::Human { name: None }; 2], resigned: None, moves }
    }

    fn texts(store: &Store, id: &str) -> Vec<String> {
        store.load(id).unwrap().unwrap().moves.into_iter().map(|played| played.text).collect()
    }

    #[test]
    fn what_was_kept_is_there_after_opening_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/sessions.db");
        let store = Store::open(&path).unwrap();
        assert!(store.insert("a", &stored(&["1", "2"]), false, 2).unwrap());
        let thought = Some(serde_json::json!({ "depth": 3 }));
        store.append("a", 2, &StoredMove { text: "3".into(), thought: thought.clone() }, true).unwrap();
        assert!(store.insert("b", &stored(&[]), false, 2).unwrap());
        assert!(!store.insert("c", &stored(&[]), false, 2).unwrap(), "there is room for two");
        drop(store);
        let store = Store::open(&path).unwrap();
        assert_eq!(texts(&store, "a"), ["1", "2", "3"]);
        assert_eq!(store.load("a").unwrap().unwrap().moves[2].thought, thought);
        assert!(store.load("c").unwrap().is_none());
        store.truncate("a", 1).unwrap();
        assert_eq!(texts(&store, "a"), ["1"]);
        let list = store.list().unwrap();
        let find = |id: &str| list.iter().find(|summary| summary.id == id).unwrap();
        assert_eq!((find("a").ply, find("a").over, find("b").ply), (1, false, 0));
        assert!(store.delete("a").unwrap() && !store.delete("a").unwrap());
    }

    #[test]
    fn a_file_in_use_or_of_another_program_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.db");
        let store = Store::open(&path).unwrap();
        let error = Store::open(&path).err().unwrap();
        assert!(error.message.contains("another server uses"), "{error}");
        drop(store);
        let other = folder.path().join("other.db");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE things (x)").unwrap();
        let error = Store::open(&other).err().unwrap();
        assert!(error.message.contains("not a file of sessions"), "{error}");
    }
}
