//! Files of games: SQLite, one row for each game.
//!
//! A file holds any number of matches, each with a name and the settings that its games depend on. A game has a number in its
//! match, and the pair is unique, so nothing is ever counted twice. Before a game is played it is claimed. A claim is valid
//! while its owner holds a lock on a file beside the database, which the system releases when the owner dies.
//!
//! The columns of a game are those of [`COLUMNS`]. A file of an older format is read through a query that has the same columns,
//! and rewritten in the current format when a match is added or resumed; reading changes nothing.

pub(crate) mod opened;
mod parts;

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nply::{Budget, Error, Limit, Spec, settings};
use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::gzip;
use crate::matches::select_matches;
use crate::npgn::{NAMELESS, Reader};
use crate::openings;
use crate::presence::{Change, Presence, refuges, with_end};
use crate::reading;
use crate::record::{COLUMNS, Column, ColumnType, GameRecord, Shape, plain};
use crate::registry::Registry;
use crate::schedule::{self, Schedule, Seating, Seatings};
use crate::waiting::patiently;
use opened::{Opened, START};

pub use parts::{Added, Merge, Merged, Missing, missing};

/// Marks a file as ours: `nply` in ASCII.
const APPLICATION: i32 = 0x6e_70_6c_79;
/// The current format of the tables; all older ones can be read.
const FORMAT: i32 = 5;

/// The tables of the current format, but for the games.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS matches (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        settings TEXT NOT NULL -- a JSON object
    );
    CREATE TABLE claims (
        match INTEGER NOT NULL,
        game INTEGER NOT NULL,
        owner TEXT NOT NULL,
        PRIMARY KEY (match, game)
    ) WITHOUT ROWID;";

/// The matches and games of format 1 with the columns of the current one.
const MATCHES_1: &str = "(SELECT id, name, json_object('game', game, 'players', players, 'agents', json(agents),
    'budget', budget, 'seed', json(seed), 'version', version) AS settings FROM experiments)";
const GAMES_1: &str = "(SELECT experiment AS match, number AS game, seed, seating AS seats, payoffs, points, plies,
    decisions, depth AS depths, standard_depth AS standard_depths, nodes, NULL AS playouts,
    (SELECT json_group_array(value / 1e6) FROM json_each(time_ns)) AS time_ms,
    (SELECT json_group_array(value / 1e6) FROM json_each(over_ns)) AS overrun_ms, NULL AS position, NULL AS opening, moves,
    (SELECT json_group_array(value + 1) FROM json_each(ply_seat)) AS ply_seats,
    ply_depth AS ply_depths, ply_nodes, NULL AS ply_playouts,
    (SELECT json_group_array(value / 1e6) FROM json_each(ply_time_ns)) AS ply_time_ms,
    iif(forfeit IS NULL, 'normal', 'forfeit') AS ending, (forfeit ->> 0) + 1 AS ending_seat,
    forfeit ->> 1 AS ending_reason FROM games)";

/// The settings that the games of a match depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchSettings {
    /// The game with its options.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// The agents with their options.
    pub agents: Vec<String>,
    /// The names of the agents that have one, by the user or, for a program, by itself; empty if none has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<Option<String>>,
    /// The common budget.
    pub budget: String,
    /// Each player's clock; none in files that do not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// When games are adjudicated; empty for never, as in files that do not say so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub adjudicate: String,
    /// Where the games start: `random:4`, or a file with a hash of its openings, `book.txt#0123456789abcdef`; at the game's own start in
    /// files that do not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<String>,
    /// Which seatings are played; all in files that do not say so.
    #[serde(default, skip_serializing_if = "Seating::is_all")]
    pub seating: Seating,
    /// Who meets in a game; everybody in files that do not say so.
    #[serde(default, skip_serializing_if = "Schedule::is_all")]
    pub schedule: Schedule,
    /// Whether a balanced sample of the seatings is played instead of all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sampled: bool,
    /// Random seed.
    pub seed: u64,
    /// The version of nply that played.
    pub version: String,
    /// The fingerprint of its search behavior; none in files of format 1.
    pub fingerprint: Option<String>,
}

impl MatchSettings {
    /// The settings as names and values.
    pub fn json(&self) -> Value {
        json!(self)
    }

    /// How an agent is called in tables, plots and files: by its name or else by its settings; `?` if there is none of this
    /// index.
    pub fn label(&self, agent: usize) -> &str {
        let name = self.names.get(agent).and_then(Option::as_ref);
        name.or(self.agents.get(agent)).map_or("?", String::as_str)
    }

    /// The index of the agent with these settings and this name.
    pub(crate) fn index_of(&self, agent: &str, name: Option<&str>) -> Option<usize> {
        let name_of = |index: usize| self.names.get(index).and_then(Option::as_deref);
        (0..self.agents.len()).find(|&index| self.agents[index] == agent && name_of(index) == name)
    }

    /// Adds the agents, with their names, that are not there yet.
    pub(crate) fn add_agents<'a>(&mut self, agents: impl Iterator<Item = (&'a str, Option<&'a str>)>) {
        for (agent, name) in agents {
            if self.index_of(agent, name).is_some() {
                continue;
            }
            self.agents.push(agent.into());
            if name.is_some() || !self.names.is_empty() {
                self.names.resize(self.agents.len() - 1, None);
                self.names.push(name.map(String::from));
            }
        }
    }

    /// The labels of all agents, in their order.
    pub fn labels(&self) -> Vec<String> {
        (0..self.agents.len()).map(|agent| self.label(agent).into()).collect()
    }

    /// An agent without its limits, and the budget that it had: its own, or the common one.
    pub fn agent_budget(&self, agent: usize) -> Option<(Spec, Budget)> {
        let mut spec = Spec::parse(self.agents.get(agent)?).ok()?;
        let mut own = Budget::default();
        spec.pairs.retain(|(key, value)| {
            let is_limit = Limit::ALL.iter().any(|limit| limit.key() == key);
            !is_limit || settings::set(&mut own, key, Some(value)).is_err()
        });
        let budget = if own == Budget::default() { self.common_budget()? } else { own };
        Some((spec, budget))
    }

    /// The budget of agents without limits of their own, if it can be read. Older versions wrote `none` for no limits.
    pub(crate) fn common_budget(&self) -> Option<Budget> {
        if self.budget == "none" { Some(Budget::default()) } else { self.budget.parse().ok() }
    }

    /// The limits of thinking, in words.
    pub fn limits_text(&self) -> String {
        let budget = (!self.budget.is_empty() || self.clock.is_none())
            .then(|| format!("{} per move unless the agent has its own budget", self.budget));
        let clock = self.clock.as_ref().map(|clock| format!("a clock of {clock} per player and game"));
        budget.into_iter().chain(clock).collect::<Vec<String>>().join(", and ")
    }

    /// The rate of agents of equal strength, in the games in which they take part.
    pub fn even_rate(&self) -> f64 {
        let different = if self.schedule == Schedule::Pairs { 2 } else { self.players };
        1.0 / self.agents.len().min(different).max(1) as f64
    }

    /// Number of games in a round, which share a seed: every seating once or, in a sample, a block of games.
    pub fn round_length(&self) -> u64 {
        let all = Seatings::new(self.agents.len(), self.players, self.seating, self.schedule);
        schedule::round_length(&all, self.sampled).max(1)
    }

    /// The round of a game.
    pub fn round(&self, number: u64) -> u64 {
        number / self.round_length()
    }

    /// The first setting that differs: its name, the value here and the value there.
    pub(crate) fn difference(&self, other: &MatchSettings) -> Option<(&'static str, String, String)> {
        let (mut here, mut there) = (self.json(), other.json());
        // A name changes no game: it differs only where both have one.
        let differs =
            |(one, other): (&Option<String>, &Option<String>)| one.is_some() && other.is_some() && one != other;
        if !self.names.iter().zip(&other.names).any(differs) {
            (here["names"], there["names"]) = (Value::Null, Value::Null);
        }
        // A file of openings may have another name, but not other openings.
        let same_openings = |one: &MatchSettings, other: &MatchSettings| {
            one.openings.as_deref().map(openings::identity) == other.openings.as_deref().map(openings::identity)
        };
        if same_openings(self, other) {
            (here["openings"], there["openings"]) = (Value::Null, Value::Null);
        }
        // Those of the program come last, after those that were asked for.
        let keys = [
            "game",
            "players",
            "agents",
            "names",
            "budget",
            "clock",
            "adjudicate",
            "openings",
            "seating",
            "schedule",
            "sampled",
            "seed",
            "version",
            "fingerprint",
        ];
        let name = keys.into_iter().find(|name| here[name] != there[name])?;
        let shown = |value: &Value| match name {
            "seating" | "schedule" if value.is_null() => "all".into(),
            _ => plain(value),
        };
        Some((name, shown(&here[name]), shown(&there[name])))
    }

    /// What must change so that the match can be resumed with these settings.
    fn mismatch(&self, kept: &MatchSettings, name: &str, path: &Path) -> Option<Error> {
        let (what, here, there) = self.difference(kept)?;
        let path = path.display();
        let help = match what {
            "version" | "fingerprint" => {
                "`nply report` and `nply replay` still read its games; play the match from its start in another --db, or under another --match name"
            }
            _ => {
                "repeat the original settings to resume it, or keep this match in another --db, or under another --match name"
            }
        };
        let message = match what {
            "version" => format!("match {name:?} in {path} was begun by nply {there}, and this is nply {here}"),
            "fingerprint" if there.is_empty() => format!(
                "match {name:?} in {path} cannot be resumed: it has no fingerprint of the search behavior that began it"
            ),
            "fingerprint" => format!(
                "match {name:?} in {path} was begun by a program with other search behavior: fingerprint {there}, and this one has {here}"
            ),
            "openings" => {
                let [here, there] = [&self.openings, &kept.openings].map(|text| openings::described(text.as_deref()));
                match here == there {
                    true => format!("{here} have changed since match {name:?} in {path} was begun"),
                    false => format!("match {name:?} in {path} was begun with {there}, not with {here}"),
                }
            }
            "sampled" if kept.sampled => {
                format!("match {name:?} in {path} plays a sample of its seatings, not all of them")
            }
            "sampled" => format!("match {name:?} in {path} plays all of its seatings, not a sample"),
            _ => format!("match {name:?} in {path} has the {what} {there:?}, not {here:?}"),
        };
        Some(Error::failed(message).help(help))
    }
}

/// Writes the names in settings as they are written now; older versions kept them as they were given.
pub(crate) type Canonical<'a> = &'a dyn Fn(&MatchSettings) -> MatchSettings;

/// A match in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptMatch {
    id: i64,
    /// Its name, unique in the file.
    pub name: String,
    /// The settings that its games depend on.
    pub settings: MatchSettings,
    /// Number of games in the file.
    pub games: u64,
}

/// A file of games.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// Unless the database is in memory or nobody else knows its file.
    opened: Option<Opened>,
}

impl Store {
    /// Opens a file of games, or makes a new one.
    pub fn create(path: &Path) -> Result<Store, Error> {
        if is_packed(path) || is_called_packed(path) {
            let message = format!("{} is packed: its games can be read, and none added", path.display());
            return Err(Error::usage(message).help("unpack it first, with gunzip, or name another file"));
        }
        check_start(path)?;
        let opened = Some(Opened::new(path));
        let connection = Connection::open(path).map_err(|error| reported(path, &error))?;
        let store = Store { connection, path: path.into(), opened };
        patiently(path, || store.check_format())??;
        Ok(store)
    }

    /// Opens a file of games that must exist, to read it: also a packed one, `*.gz`, and one that cannot be written to.
    pub fn open(path: &Path) -> Result<Store, Error> {
        if !path.is_file() {
            let message = format!("there is no file {}", path.display());
            return Err(Error::file(message).help("`nply tournament … --db FILE` makes one"));
        }
        if path.metadata().is_ok_and(|file| file.len() == 0) {
            return Err(Error::failed(format!("{} is empty", path.display())));
        }
        if is_packed(path) || is_called_packed(path) {
            return Store::unpack(path);
        }
        check_start(path)?;
        let opened = Some(Opened::new(path));
        let connection = reading::connect(path).map_err(|error| reported(path, &error))?;
        let store = Store { connection, path: path.into(), opened };
        patiently(path, || store.check_format())??;
        Ok(store)
    }

    /// Reads a packed file into memory.
    fn unpack(path: &Path) -> Result<Store, Error> {
        let shown = path.display();
        let packed = std::fs::read(path).map_err(|error| Error::file(format!("cannot read {shown}: {error}")))?;
        let damaged = || Error::file(format!("{shown} is damaged: it cannot be unpacked"));
        let bytes = gzip::unpack(&packed).ok_or_else(damaged)?;
        let connection = in_memory(bytes).map_err(|error| reported(path, &error))?;
        let store = Store { connection, path: path.into(), opened: None };
        patiently(path, || store.check_format())??;
        Ok(store)
    }

    /// Reads games as text into a database of its own, which is gone with the store. Unfinished games are left out; the number is
    /// theirs. Memory does not grow with the games: the database is a temporary file.
    pub fn read_text(path: &Path, registry: &Registry) -> Result<(Store, u64), Error> {
        let failed = |error: rusqlite::Error| reported(path, &error);
        let store = Store { connection: Connection::open("").map_err(failed)?, path: path.into(), opened: None };
        store.upgrade().map_err(failed)?;
        let adding = Transaction::new_unchecked(&store.connection, TransactionBehavior::Immediate).map_err(failed)?;
        let mut matches: Vec<(String, MatchSettings, u64)> = Vec::new();
        let mut unfinished = 0;
        for game in Reader::open(path)? {
            let game = game?.check(registry)?;
            let name = game.name.as_deref().unwrap_or(NAMELESS);
            let settings = game.settings();
            let known = match matches.iter().position(|(known, ..)| known == name) {
                Some(known) => known,
                None => {
                    let query = "INSERT INTO matches (id, name, settings) VALUES (?, ?, '')";
                    adding.execute(query, params![matches.len() as i64, name]).map_err(failed)?;
                    let (agents, names) = (Vec::new(), Vec::new());
                    matches.push((name.into(), MatchSettings { agents, names, ..settings.clone() }, 0));
                    matches.len() - 1
                }
            };
            let (_, common, count) = &mut matches[known];
            let (agents, names) = (common.agents.clone(), common.names.clone());
            let same_agents = MatchSettings { agents, names, ..settings };
            if let Some((what, here, there)) = same_agents.difference(common) {
                let message =
                    format!("{}: match {name:?} has games with the {what} {there:?} and with {here:?}", path.display());
                return Err(Error::file(message).help("give the games another tag Match"));
            }
            common.add_agents(game.agents());
            let number = game.number.unwrap_or(*count);
            let Some(record) = game.record(number, common)? else {
                unfinished += 1;
                continue;
            };
            *count += 1;
            if !insert(&adding, known as i64, &record).map_err(failed)? {
                let message = format!("{}: game {number} of match {name:?} stands there twice", path.display());
                return Err(Error::file(message).help("give one of them another tag Number, or another tag Match"));
            }
        }
        // All agents are known only now.
        for (id, (_, settings, _)) in matches.iter().enumerate() {
            let values = params![settings.json().to_string(), id as i64];
            adding.execute("UPDATE matches SET settings = ? WHERE id = ?", values).map_err(failed)?;
        }
        adding.commit().map_err(failed)?;
        Ok((store, unfinished))
    }

    /// The file as it is packed for keeping: without claims and gaps, and without the times of single decisions in matches
    /// without a time limit, which take half of the space.
    pub fn pack(&mut self) -> Result<Vec<u8>, Error> {
        let Store { connection, path, .. } = self;
        let failed = |error: rusqlite::Error| reported(path, &error);
        let bytes = connection.serialize("main").map_err(failed)?.to_vec();
        let mut copy = Store { connection: in_memory(bytes).map_err(failed)?, path: path.clone(), opened: None };
        copy.upgrade().map_err(failed)?;
        let matches = copy.matches()?;
        let is_timed = |kept: &&KeptMatch| {
            if kept.settings.clock.is_some() {
                return true;
            }
            let mut agents = 0..kept.settings.agents.len();
            agents.any(|agent| kept.settings.agent_budget(agent).is_none_or(|(_, budget)| budget.time.is_some()))
        };
        let mut pack = || {
            for kept in matches.iter().filter(|kept| !is_timed(kept)) {
                copy.connection.execute("UPDATE games SET ply_time_ms = NULL WHERE match = ?", [kept.id])?;
            }
            copy.connection.execute_batch("DELETE FROM claims; VACUUM;")?;
            Ok(gzip::pack(&copy.connection.serialize("main")?))
        };
        pack().map_err(failed)
    }

    /// Writes the content of a packed file to a new one that can be added to.
    pub fn extract(packed: &Path, path: &Path) -> Result<(), Error> {
        let mut store = Store::unpack(packed)?;
        let bytes = store.connection.serialize("main").map_err(|error| reported(packed, &error))?;
        std::fs::write(path, &*bytes).map_err(|error| Error::file(format!("cannot write {}: {error}", path.display())))
    }

    /// Removes a match and its games.
    pub fn remove(&self, kept: &KeptMatch) -> Result<(), Error> {
        let remove = || {
            self.upgrade()?;
            let removing = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            parts::forget(&removing, kept.id)?;
            for query in [
                "DELETE FROM games WHERE match = ?",
                "DELETE FROM claims WHERE match = ?",
                "DELETE FROM matches WHERE id = ?",
            ] {
                removing.execute(query, [kept.id])?;
            }
            removing.commit()
        };
        patiently(&self.path, remove)
    }

    /// Refuses files of other programs and of newer formats.
    fn check_format(&self) -> rusqlite::Result<Result<(), Error>> {
        // Whoever needs the file waits for it with `patiently`.
        self.connection.busy_timeout(Duration::ZERO)?;
        // In this order: another process may be making the tables right now, and the mark comes with them.
        let tables: i64 = self.connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        let (mark, format) = (self.pragma("application_id")?, self.format()?);
        let path = self.path.display();
        if mark != APPLICATION && (mark != 0 || tables > 0) {
            let message = format!("{path} is a database of another program");
            return Ok(Err(Error::file(message).help("name a new file, or one that a tournament wrote")));
        }
        if format > FORMAT {
            let message = format!("{path} has format {format}, and this version of nply reads formats up to {FORMAT}");
            return Ok(Err(Error::file(message).help("use a newer version of nply, or another file")));
        }
        Ok(Ok(()))
    }

    fn pragma(&self, name: &str) -> rusqlite::Result<i32> {
        self.connection.pragma_query_value(None, name, |row| row.get(0))
    }

    /// The format of the file; 0 for a file without tables.
    fn format(&self) -> rusqlite::Result<i32> {
        self.pragma("user_version")
    }

    /// Makes the tables, or rewrites those of an older format.
    fn upgrade(&self) -> rusqlite::Result<()> {
        let connection = &self.connection;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let making = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let format = self.format()?;
        if format == FORMAT {
            return Ok(());
        }
        let declarations: String = COLUMNS.iter().map(|column| format!("{}, ", declaration(column))).collect();
        making.execute_batch(&format!(
            "DROP TABLE IF EXISTS claims; {TABLES}
            CREATE TABLE new_games (match INTEGER NOT NULL REFERENCES matches (id), {declarations}
                PRIMARY KEY (match, game)) WITHOUT ROWID;"
        ))?;
        let names = names();
        match format {
            0 => {}
            1 => making.execute_batch(&format!(
                "INSERT INTO matches SELECT id, name, settings FROM {MATCHES_1};
                INSERT INTO new_games (match, {names}) SELECT match, {names} FROM {GAMES_1};
                DROP TABLE games; DROP TABLE experiments;"
            ))?,
            _ => making.execute_batch(&format!(
                "INSERT INTO new_games (match, {names}) SELECT match, {} FROM games; DROP TABLE games;",
                self.names()?
            ))?,
        }
        making.execute_batch("ALTER TABLE new_games RENAME TO games")?;
        making.pragma_update(None, "application_id", APPLICATION)?;
        making.pragma_update(None, "user_version", FORMAT)?;
        making.commit()
    }

    /// The matches in the file, oldest first.
    pub fn matches(&self) -> Result<Vec<KeptMatch>, Error> {
        let read = || {
            let (matches, games) = match self.format()? {
                0 => return Ok(Vec::new()),
                1 => (MATCHES_1, GAMES_1),
                _ => ("matches", "games"),
            };
            let mut query = self.connection.prepare(&format!(
                "SELECT id, name, settings, (SELECT count(*) FROM {games} WHERE match = id) FROM {matches} ORDER BY id"
            ))?;
            query.query_map([], kept_match)?.collect::<rusqlite::Result<Vec<KeptMatch>>>()
        };
        patiently(&self.path, read)
    }

    /// The matches that a text selects as [`select_matches`] does; all without a text, and at least one.
    pub fn select(&self, texts: Option<&str>) -> Result<Vec<KeptMatch>, Error> {
        let all = self.matches()?;
        if all.is_empty() {
            let error = Error::failed(format!("{} holds no match", self.path.display()));
            return Err(error.help("`nply tournament … --db FILE` adds one"));
        }
        let Some(texts) = texts else { return Ok(all) };
        let names: Vec<&str> = all.iter().map(|kept| kept.name.as_str()).collect();
        Ok(select_matches(&names, texts)?.into_iter().map(|index| all[index].clone()).collect())
    }

    /// The one match that a text selects, or the only one in the file.
    pub fn select_one(&self, text: Option<&str>) -> Result<KeptMatch, Error> {
        let mut selected = self.select(text)?;
        if selected.len() > 1 {
            let names: Vec<&str> = selected.iter().map(|kept| kept.name.as_str()).collect();
            let message = format!("{} holds {} such matches", self.path.display(), names.len());
            return Err(Error::usage(message).help(format!("name one of {} with --match", names.join(", "))));
        }
        Ok(selected.remove(0))
    }

    /// All games of a match in the order of their numbers.
    pub fn games(&self, kept: &KeptMatch) -> Result<Vec<GameRecord>, Error> {
        let mut games = Vec::new();
        self.each(kept, 0..u64::MAX, u64::MAX, |record| games.push(record))?;
        Ok(games)
    }

    /// The game of this number.
    pub fn game(&self, kept: &KeptMatch, number: u64) -> Result<Option<GameRecord>, Error> {
        let mut found = None;
        self.each(kept, number..number.saturating_add(1), 1, |record| found = Some(record))?;
        Ok(found)
    }

    /// Calls `call` with the games of a match whose numbers are in a range, in the order of their numbers and at most so many: one
    /// after the other, so that no number of games fills the memory.
    pub fn each(
        &self,
        kept: &KeptMatch,
        numbers: Range<u64>,
        most: u64,
        mut call: impl FnMut(GameRecord),
    ) -> Result<(), Error> {
        // Without bounds, so that a number that is none is found, too.
        let most_below = if numbers.end > i64::MAX as u64 { "" } else { "AND game < ?3" };
        // Who waits for the file goes on where it was locked.
        let mut from = if numbers.start == 0 { i64::MIN } else { sql(numbers.start) };
        let mut left = most;
        patiently(&self.path, || {
            let (source, names) = (self.source()?, self.names()?);
            let mut query = self.connection.prepare(&format!(
                "SELECT {names} FROM {source} WHERE match = ?1 AND game >= ?2 {most_below} ORDER BY game LIMIT ?4"
            ))?;
            let mut rows = query.query(params![kept.id, from, sql(numbers.end), sql(left)])?;
            while let Some(row) = rows.next()? {
                let record = record(row, kept)?;
                (from, left) = (sql(record.number + 1), left - 1);
                call(record);
            }
            Ok(())
        })
    }

    /// The numbers of a match's games, as ranges in order.
    fn ranges(&self, kept: &KeptMatch) -> rusqlite::Result<Vec<Range<u64>>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        let query = format!("SELECT game FROM {} WHERE match = ? ORDER BY game", self.source()?);
        let mut query = self.connection.prepare(&query)?;
        let mut rows = query.query([kept.id])?;
        while let Some(row) = rows.next()? {
            let value = row.get_ref(0)?;
            let number = value.as_i64().ok();
            let Some(number) = number.and_then(|number| u64::try_from(number).ok()) else {
                let (name, value) = (kept.name.clone(), Some(shown(value)));
                return Err(Damage { kept: name, id: kept.id, number, column: "game", value }.error());
            };
            match ranges.last_mut() {
                Some(last) if last.end == number => last.end += 1,
                _ => ranges.push(number..number + 1),
            }
        }
        Ok(ranges)
    }

    /// The columns of a game as this file has them: nothing for those that are newer than its format.
    fn names(&self) -> rusqlite::Result<String> {
        if self.format()? == 1 {
            return Ok(names());
        }
        let mut query = self.connection.prepare("SELECT name FROM pragma_table_info('games')")?;
        let there = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<HashSet<String>>>()?;
        let column = |column: &Column| match there.contains(column.name) || !column.shape.is_optional() {
            true => column.name.into(),
            false => format!("NULL AS {}", column.name),
        };
        Ok(COLUMNS.iter().map(column).collect::<Vec<String>>().join(", "))
    }

    /// The table of games, or a query with the same columns.
    fn source(&self) -> rusqlite::Result<&'static str> {
        Ok(if self.format()? == 1 { GAMES_1 } else { "games" })
    }

    pub(crate) fn find(&self, name: &str) -> Result<Option<KeptMatch>, Error> {
        Ok(self.matches()?.into_iter().find(|kept| kept.name == name))
    }

    /// Checks that a match of this name, if there is one, can be completed with these settings.
    pub(crate) fn check(
        &self,
        name: &str,
        settings: &MatchSettings,
        total: u64,
        canonical: Canonical<'_>,
    ) -> Result<(), Error> {
        match self.find(name)? {
            Some(kept) if kept.games >= total => self.kept(name, settings, canonical).map(drop),
            Some(kept) => settings.mismatch(&kept.settings, name, &self.path).map_or(Ok(()), Err),
            None => Ok(()),
        }
    }

    /// The match of this name, none if it is new; an error if it has other settings, whoever played it.
    pub(crate) fn kept(
        &self,
        name: &str,
        settings: &MatchSettings,
        canonical: Canonical<'_>,
    ) -> Result<Option<KeptMatch>, Error> {
        let Some(kept) = self.find(name)? else { return Ok(None) };
        let there = canonical(&kept.settings);
        let MatchSettings { version, fingerprint, .. } = there.clone();
        let asked = MatchSettings { version, fingerprint, ..settings.clone() };
        asked.mismatch(&there, name, &self.path).map_or(Ok(Some(kept)), Err)
    }

    /// Finds the match of this name or adds it; an error if it was begun with other settings.
    fn enter(&self, name: &str, settings: &MatchSettings) -> Result<KeptMatch, Error> {
        if let Some(kept) = self.find(name)? {
            return settings.mismatch(&kept.settings, name, &self.path).map_or(Ok(kept), Err);
        }
        let add = || {
            self.upgrade()?;
            let query = "INSERT OR IGNORE INTO matches (name, settings) VALUES (?, ?)";
            self.connection.execute(query, params![name, settings.json().to_string()])
        };
        patiently(&self.path, add)?;
        // Another process may have added it first.
        self.enter(name, settings)
    }
}

/// Whether a file is a gzip file, whatever its name.
fn is_packed(path: &Path) -> bool {
    opened::start(path, 2) == gzip::MAGIC
}

/// Refuses a file that does not start as databases do. SQLite takes one of a few bytes for an empty database, and would
/// overwrite it.
fn check_start(path: &Path) -> Result<(), Error> {
    let start = opened::start(path, START.len() as u64);
    if !start.is_empty() && start != START { Err(no_database(path)) } else { Ok(()) }
}

fn no_database(path: &Path) -> Error {
    Error::file(format!("{} is not a database", path.display()))
        .help("name a new file, or one that `nply tournament … --db FILE` wrote")
}

fn is_called_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

/// A database in memory with this content.
pub(crate) fn in_memory(mut bytes: Vec<u8>) -> rusqlite::Result<Connection> {
    // A write-ahead log belongs to a file: the header's two bytes that ask for one are set to "none".
    if let Some(versions) = bytes.get_mut(18..20) {
        versions.fill(1);
    }
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact("main", &bytes[..], bytes.len(), false)?;
    Ok(connection)
}

pub(crate) fn reported(path: &Path, error: &rusqlite::Error) -> Error {
    if let rusqlite::Error::FromSqlConversionFailure(_, _, damage) = error
        && let Some(damage) = damage.downcast_ref::<Damage>()
    {
        return damage.report(path);
    }
    let (file, path) = (path, path.display());
    let damaged = |why: &dyn std::fmt::Display| {
        Error::file(format!("{path} is damaged: {why}"))
            .help(format!("restore it from a copy; `sqlite3 {path} .recover` shows what can still be read"))
    };
    if let rusqlite::Error::SqlInputError { msg, .. } = error {
        // Our queries are right, so a table or a column is missing.
        return damaged(msg);
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => no_database(file),
        Some(ErrorCode::CannotOpen) => {
            Error::file(format!("cannot open {path}: {error}")).help("its folder must exist and be writable")
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => damaged(error),
        Some(ErrorCode::DiskFull) => Error::file(format!("cannot write {path}: the disk is full"))
            .help("make room; the same command then resumes the match"),
        _ => Error::failed(format!("{path}: {error}")),
    }
}

/// A number as SQLite has it: the greatest there is for greater ones.
fn sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The names of the columns of a game, separated by commas.
fn names() -> String {
    COLUMNS.iter().map(|column| column.name).collect::<Vec<&str>>().join(", ")
}

/// A column of the table of games. Numbers in lists and seeds are text: a JSON array and all digits.
fn declaration(column: &Column) -> String {
    let is_integer = !column.shape.is_list() && column.kind == ColumnType::Count;
    let kind = if is_integer { "INTEGER" } else { "TEXT" };
    let null = if column.shape.is_optional() { "" } else { " NOT NULL" };
    format!("{} {kind}{null}", column.name)
}

/// Whether a column's values are written with spaces between them; other lists are JSON arrays.
fn is_words(column: &Column) -> bool {
    column.shape.is_list() && column.kind == ColumnType::Text
}

/// A column's value as it is kept.
fn to_sql(column: &Column, record: &GameRecord) -> Sql {
    match column.value(record) {
        Value::Null => Sql::Null,
        value if is_words(column) => Sql::Text(plain(&value)),
        Value::String(text) => Sql::Text(text),
        Value::Number(number) => number.as_i64().map_or(Sql::Null, Sql::Integer),
        value => Sql::Text(value.to_string()),
    }
}

/// The same back; `None` if it cannot be read.
fn from_sql(column: &Column, value: ValueRef<'_>) -> Option<Value> {
    match value {
        ValueRef::Null => Some(Value::Null),
        ValueRef::Integer(number) => Some(json!(number)),
        ValueRef::Text(text) => {
            let text = str::from_utf8(text).ok()?;
            match column.shape {
                _ if is_words(column) => Some(text.split_whitespace().collect()),
                Shape::One | Shape::Maybe => Some(json!(text)),
                _ => serde_json::from_str(text).ok(),
            }
        }
        ValueRef::Real(_) | ValueRef::Blob(_) => None,
    }
}

fn record(row: &Row<'_>, kept: &KeptMatch) -> rusqlite::Result<GameRecord> {
    let damage = |column: &'static str| {
        let of = |name: &str| COLUMNS.iter().position(|column| column.name == name).and_then(|at| row.get_ref(at).ok());
        let number = of("game").and_then(|number| number.as_i64().ok());
        Damage { kept: kept.name.clone(), id: kept.id, number, column, value: of(column).map(shown) }.error()
    };
    let mut values = Vec::new();
    for (index, column) in COLUMNS.iter().enumerate() {
        values.push(from_sql(column, row.get_ref(index)?).ok_or_else(|| damage(column.name))?);
    }
    let MatchSettings { players, agents, .. } = &kept.settings;
    // The others are compared with the seats, so these come first.
    let seats = COLUMNS.iter().zip(&values).find(|(column, _)| column.kind == ColumnType::Agent);
    if seats.and_then(|(_, value)| value.as_array()).is_none_or(|seats| seats.len() != *players) {
        return Err(damage("seats"));
    }
    let record = GameRecord::from_values(values).map_err(damage)?;
    if record.seating.iter().all(|&agent| agent < agents.len()) { Ok(record) } else { Err(damage("seats")) }
}

fn kept_match(row: &Row<'_>) -> rusqlite::Result<KeptMatch> {
    let (id, name): (i64, Option<String>) = (row.get(0)?, row.get(1).ok());
    let damage = |column: &'static str, at: usize| {
        let kept = name.clone().unwrap_or_else(|| id.to_string());
        Damage { kept, id, number: None, column, value: row.get_ref(at).ok().map(shown) }.error()
    };
    let settings = row.get::<_, String>(2).ok().and_then(|text| serde_json::from_str(&text).ok());
    let settings = settings.ok_or_else(|| damage("settings", 2))?;
    let Some(name) = name.clone() else { return Err(damage("name", 1)) };
    Ok(KeptMatch { id, name, settings, games: row.get::<_, i64>(3)? as u64 })
}

/// A row that cannot be read.
#[derive(Debug)]
struct Damage {
    /// The match: its name, or its id if the name is what is damaged.
    kept: String,
    id: i64,
    /// The game; `None` for the match itself, or if the number is what is damaged.
    number: Option<i64>,
    column: &'static str,
    value: Option<String>,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} does not fit", self.column)
    }
}

impl std::error::Error for Damage {}

impl Damage {
    fn error(self) -> rusqlite::Error {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(self))
    }

    fn report(&self, path: &Path) -> Error {
        let Damage { kept, id, number, column, value } = self;
        let shown = path.display();
        let value = value.as_deref().unwrap_or("no value");
        let place = match number {
            Some(number) => format!("game {number} of match {kept:?}"),
            None => format!("match {kept:?}"),
        };
        let error = Error::file(format!("{shown} is damaged: in {place}, {column} does not fit: {value}"));
        match number {
            Some(number) if !is_packed(path) => error.help(format!(
                "restore it from a copy, or remove the game, and the command of its tournament plays it again: \
                 sqlite3 {shown} \"DELETE FROM games WHERE match = {id} AND game = {number}\""
            )),
            _ => error.help("restore it from a copy"),
        }
    }
}

/// The beginning of a value, for messages.
fn shown(value: ValueRef<'_>) -> String {
    const LENGTH: usize = 60;
    match value {
        ValueRef::Null => "no value".into(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Blob(bytes) => format!("{} bytes that are not text", bytes.len()),
        ValueRef::Text(text) => {
            let text = String::from_utf8_lossy(text);
            let start: String = text.chars().take(LENGTH).collect();
            if start.len() < text.len() { format!("{start:?}…") } else { format!("{start:?}") }
        }
    }
}

/// One match of a file being filled by this process.
pub(crate) struct Keeper {
    store: Store,
    kept: KeptMatch,
    /// Identifies this process and match among those that fill the file.
    owner: String,
    /// The file whose lock shows that we are alive.
    lock_path: PathBuf,
    _lock: File,
    /// The file, as long as it stays where it is.
    presence: Presence,
    /// Its log and the log's index.
    log: [Presence; 2],
    /// What became of it, if it did not.
    lost: Option<Error>,
}

/// The answer to a claim.
pub(crate) enum Claim {
    /// The game is ours to play.
    Ours,
    /// Another process is playing it.
    Taken,
    /// It is in the file already.
    Done(Box<GameRecord>),
}

impl Keeper {
    pub(crate) fn new(store: Store, name: &str, settings: &MatchSettings) -> Result<Keeper, Error> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let kept = store.enter(name, settings)?;
        let path = &store.path;
        patiently(path, || store.upgrade())?;
        let started = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let owner = format!("{}-{started:x}-{count}", std::process::id());
        let lock_path = lock_path(path, &owner);
        // In a transaction nobody else makes or removes lock files, so those that are not locked belong to the dead.
        let alone = patiently(path, || Transaction::new_unchecked(&store.connection, TransactionBehavior::Immediate))?;
        live_owner(path);
        let lock = File::create(&lock_path).and_then(|file| file.lock().map(|()| file));
        let lock = lock.map_err(|error| Error::file(format!("cannot lock {}: {error}", lock_path.display())))?;
        drop(alone);
        let presence = Presence::new(path.clone());
        let log = ["-wal", "-shm"].map(|end| Presence::new(with_end(path, end)));
        Ok(Keeper { store, kept, owner, lock_path, _lock: lock, presence, log, lost: None })
    }

    /// The numbers of the games in the file, as ranges in order.
    pub(crate) fn ranges(&self) -> Result<Vec<Range<u64>>, Error> {
        patiently(&self.store.path, || self.store.ranges(&self.kept))
    }

    /// Calls `call` with games of the match, as [`Store::each`] does.
    pub(crate) fn each(&self, numbers: Range<u64>, most: u64, call: impl FnMut(GameRecord)) -> Result<(), Error> {
        self.store.each(&self.kept, numbers, most, call)
    }

    /// Claims a game.
    pub(crate) fn claim(&mut self, number: u64) -> Result<Claim, Error> {
        let path = self.store.path.clone();
        let claim = patiently(&path, || self.try_claim(number))?;
        self.check_presence().map(|()| claim)
    }

    fn try_claim(&mut self, number: u64) -> rusqlite::Result<Claim> {
        let (id, number) = (self.kept.id, number as i64);
        let path = &self.store.path;
        let claiming = self.store.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let Some(record) = find(&claiming, &self.kept, number)? {
            return Ok(Claim::Done(Box::new(record)));
        }
        let query = "SELECT owner FROM claims WHERE match = ? AND game = ?";
        let owner: Option<String> = claiming.query_row(query, params![id, number], |row| row.get(0)).optional()?;
        if owner.is_some_and(|owner| owner != self.owner && is_alive(path, &owner)) {
            return Ok(Claim::Taken);
        }
        claiming.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", params![id, number, self.owner])?;
        claiming.commit()?;
        Ok(Claim::Ours)
    }

    /// Keeps a game that was claimed. The answer is the game that is in the file from now on.
    pub(crate) fn keep(&mut self, record: GameRecord) -> Result<GameRecord, Error> {
        let path = self.store.path.clone();
        let kept = patiently(&path, || self.try_keep(&record))?;
        self.check_presence()?;
        Ok(kept.unwrap_or(record))
    }

    /// Keeps a game; the answer is the game that was there before.
    fn try_keep(&mut self, record: &GameRecord) -> rusqlite::Result<Option<GameRecord>> {
        let (id, number) = (self.kept.id, record.number as i64);
        let keeping = self.store.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let is_new = insert(&keeping, id, record)?;
        keeping.execute("DELETE FROM claims WHERE match = ? AND game = ?", params![id, number])?;
        let before = if is_new { None } else { find(&keeping, &self.kept, number)? };
        keeping.commit()?;
        Ok(before)
    }

    /// Fails if the file was deleted or replaced since it was opened. The system keeps what we write to it until we end, so its
    /// games can still be copied; games that end later go to the copy.
    fn check_presence(&mut self) -> Result<(), Error> {
        if self.lost.is_none() {
            self.lost = self.presence.change().map(|change| self.rescue(change));
        }
        self.lost.clone().map_or(Ok(()), Err)
    }

    fn rescue(&mut self, change: Change) -> Error {
        let Store { connection, path, opened } = &mut self.store;
        let lost = Error::file(format!("{} was {} while a match was being played", path.display(), change.word()));
        let mut copy_to = |refuge: &Path| -> rusqlite::Result<()> {
            connection.execute("VACUUM INTO ?", [refuge.to_string_lossy()])?;
            let new = Opened::new(refuge);
            let copy = Connection::open(refuge)?;
            copy.busy_timeout(Duration::from_secs(1))?;
            *connection = copy;
            *opened = Some(new);
            Ok(())
        };
        let mut failure = None;
        for refuge in refuges(path) {
            match copy_to(&refuge) {
                Ok(()) => {
                    // It would be taken for the log of whatever file has the name next, and spoil it.
                    self.log.iter().for_each(Presence::remove);
                    let refuge = refuge.display();
                    return lost.help(format!("its games are kept in {refuge}; --db {refuge} resumes the match"));
                }
                Err(error) => {
                    let _ = std::fs::remove_file(&refuge);
                    failure = Some(error.to_string());
                }
            }
        }
        let failure = failure.unwrap_or_else(|| "no file can be made".into());
        lost.help(format!("its games could not be saved: {failure}"))
    }
}

/// Adds a game to a match; false if one of its number is there already.
fn insert(connection: &Connection, id: i64, record: &GameRecord) -> rusqlite::Result<bool> {
    let (names, places) = (names(), ", ?".repeat(COLUMNS.len()));
    let values = COLUMNS.iter().map(|column| to_sql(column, record));
    let values: Vec<Sql> = std::iter::once(Sql::Integer(id)).chain(values).collect();
    let insert = format!("INSERT OR IGNORE INTO games (match, {names}) VALUES (?{places})");
    Ok(connection.execute(&insert, rusqlite::params_from_iter(values))? > 0)
}

fn find(connection: &Connection, kept: &KeptMatch, number: i64) -> rusqlite::Result<Option<GameRecord>> {
    let query = format!("SELECT {} FROM games WHERE match = ? AND game = ?", names());
    connection.query_row(&query, params![kept.id, number], |row| record(row, kept)).optional()
}

/// Releases the games that were claimed and not played.
impl Drop for Keeper {
    fn drop(&mut self) {
        // If this fails, the missing lock says the same.
        let _ = self.store.connection.execute("DELETE FROM claims WHERE owner = ?", [&self.owner]);
        let _ = std::fs::remove_file(&self.lock_path);
    }
}

fn lock_path(database: &Path, owner: &str) -> PathBuf {
    with_end(database, &format!("-{owner}.lock"))
}

/// Whether a process is filling the file. The lock files of those that died without a claim are removed.
fn live_owner(database: &Path) -> bool {
    let Some(name) = database.file_name().and_then(|name| name.to_str()) else { return false };
    let mut is_live = false;
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = file.file_name();
        let rest = file.to_str().and_then(|file| file.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(".lock"));
        // The name of another database may begin with the name of this one.
        if let Some(owner) = rest.filter(|rest| rest.split('-').count() == 3) {
            is_live |= is_alive(database, owner);
        }
    }
    is_live
}

/// Whether the owner of a claim still holds its lock; the lock file of a dead one is removed.
fn is_alive(database: &Path, owner: &str) -> bool {
    let path = lock_path(database, owner);
    let Ok(file) = File::open(&path) else { return false };
    match file.try_lock() {
        Ok(()) => {
            let _ = std::fs::remove_file(&path);
            false
        }
        Err(TryLockError::WouldBlock) => true,
        // Where locks do not work, this is unknown; a game played twice is still kept once.
        Err(TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::sample;
    use crate::record::{DecisionRecord, Ending, Forfeit};

    fn settings() -> MatchSettings {
        MatchSettings {
            game: "tree".into(),
            players: 3,
            agents: vec!["maxn".into(), "random".into()],
            names: Vec::new(),
            budget: "nodes=10k".into(),
            clock: None,
            adjudicate: String::new(),
            openings: None,
            seating: Seating::All,
            schedule: Schedule::All,
            sampled: false,
            seed: u64::MAX,
            version: "0".into(),
            fingerprint: Some("1234".into()),
        }
    }

    fn open(path: &Path, name: &str, settings: &MatchSettings) -> Result<Keeper, Error> {
        Keeper::new(Store::create(path)?, name, settings)
    }

    fn keeper(path: &Path) -> Keeper {
        open(path, "test", &settings()).unwrap()
    }

    #[test]
    fn a_game_reads_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let mut keeper = keeper(&path);
        let games: Vec<GameRecord> = (0..12).map(sample).collect();
        for record in &games {
            assert_eq!(&keeper.keep(record.clone()).unwrap(), record);
        }
        assert_eq!(keeper.store.games(&keeper.kept).unwrap(), games);
        assert_eq!(keeper.ranges().unwrap(), std::slice::from_ref(&(0..12)));
        let mut some = Vec::new();
        keeper.each(3..9, 4, |record| some.push(record)).unwrap();
        assert_eq!(some, games[3..7]);
        let kept = Store::open(&path).unwrap().select_one(None).unwrap();
        assert_eq!((kept.name.as_str(), kept.games), ("test", 12));
        assert_eq!(kept.settings, settings());
    }

    #[test]
    fn a_game_is_kept_once_and_the_first_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut keeper = keeper(&folder.path().join("games.db"));
        keeper.keep(sample(3)).unwrap();
        let other = GameRecord { seed: 5, ..sample(3) };
        assert_eq!(keeper.keep(other).unwrap(), sample(3));
        assert_eq!(keeper.ranges().unwrap(), std::slice::from_ref(&(3..4)));
        assert!(matches!(keeper.claim(3).unwrap(), Claim::Done(kept) if *kept == sample(3)));
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
        assert_eq!(left, ["games.db"], "no other file is left");
    }

    #[test]
    fn other_settings_under_the_same_name_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        keeper(&path);
        let other = MatchSettings { budget: "nodes=20k".into(), ..settings() };
        let error = open(&path, "test", &other).err().unwrap();
        assert!(error.message.contains("has the budget \"nodes=10k\", not \"nodes=20k\""), "{error}");
        let unlimited = folder.path().join("unlimited.db");
        open(&unlimited, "test", &MatchSettings { budget: String::new(), ..settings() }).unwrap();
        let error = open(&unlimited, "test", &other).err().unwrap();
        assert!(error.message.contains("has the budget \"\", not \"nodes=20k\""), "{error}");
        open(&path, "second", &other).unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(store.matches().unwrap().len(), 2);
        assert_eq!(store.select(Some("e")).unwrap().len(), 2);
        assert!(store.select_one(None).unwrap_err().help.unwrap().contains("test, second"));
        assert!(store.select_one(Some("tset")).unwrap_err().help.unwrap().contains("did you mean \"test\"?"));
    }

    #[test]
    fn a_name_is_kept_and_matters_only_where_both_have_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let named = |names: &[Option<&str>]| {
            let names = names.iter().map(|name| name.map(String::from)).collect();
            MatchSettings { names, ..settings() }
        };
        open(&path, "test", &named(&[Some("deep"), None])).unwrap();
        let kept = Store::open(&path).unwrap().select_one(None).unwrap().settings;
        assert_eq!(kept.labels(), ["deep", "random"]);
        for other in [named(&[]), named(&[Some("deep"), Some("dice")]), named(&[None, Some("dice")])] {
            open(&path, "test", &other).unwrap();
        }
        let error = open(&path, "test", &named(&[Some("shallow"), None])).err().unwrap();
        assert!(error.message.contains("has the names \"deep \", not \"shallow \""), "{error}");
        // A match without names is written as it always was.
        let plain = settings().json();
        let new = ["names", "clock", "adjudicate", "openings"];
        assert!(new.iter().all(|key| plain.get(key).is_none()), "{plain}");
        assert_eq!(settings().labels(), ["maxn", "random"]);
    }

    #[test]
    fn a_match_of_another_program_is_read_but_not_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        keeper(&path).keep(sample(3)).unwrap();
        for (other, expected) in [
            (MatchSettings { fingerprint: Some("99".into()), ..settings() }, "fingerprint 1234, and this one has 99"),
            (MatchSettings { version: "7".into(), ..settings() }, "was begun by nply 0, and this is nply 7"),
        ] {
            let error = open(&path, "test", &other).err().unwrap();
            assert!(error.message.contains(expected), "{error}");
            assert!(error.help.unwrap().contains("another --db"), "{expected}");
            let store = Store::open(&path).unwrap();
            let kept = store.kept("test", &other, &MatchSettings::clone).unwrap().unwrap();
            assert_eq!(store.games(&kept).unwrap(), [sample(3)]);
        }
    }

    /// Locks belong to the process, and closing any handle of a file gives them up.
    #[cfg(target_os = "linux")]
    #[test]
    fn looking_at_a_file_that_is_open_gives_up_no_lock() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let mut keeper = keeper(&path);
        keeper.keep(sample(3)).unwrap();
        let inode = format!(":{} ", path.metadata().unwrap().ino());
        let locks = || {
            let all = std::fs::read_to_string("/proc/locks").unwrap();
            all.lines().filter(|line| line.contains("POSIX") && line.contains(&inode)).count()
        };
        let before = locks();
        assert!(before > 0, "a connection with a log holds a lock");
        for _ in 0..2 {
            let read = Store::open(&path).unwrap();
            assert_eq!(read.matches().unwrap().len(), 1);
            drop(read);
            assert!(!crate::npgn::is_text(&path));
            drop(Store::create(&path).unwrap());
            assert_eq!(locks(), before);
        }
        keeper.keep(sample(4)).unwrap();
        drop(std::fs::File::open(&path).unwrap());
        assert!(locks() < before, "any other handle does");
    }

    /// A file as nply 0.1 wrote it, with two games.
    fn format_1(path: &Path) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE experiments (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, game TEXT NOT NULL,
                    players INTEGER NOT NULL, agents TEXT NOT NULL, budget TEXT NOT NULL, seed TEXT NOT NULL,
                    version TEXT NOT NULL);
                CREATE TABLE games (experiment INTEGER NOT NULL, number INTEGER NOT NULL, seed TEXT NOT NULL,
                    seating TEXT NOT NULL, payoffs TEXT NOT NULL, points TEXT, plies INTEGER NOT NULL,
                    decisions TEXT NOT NULL, depth TEXT NOT NULL, standard_depth TEXT NOT NULL, nodes TEXT NOT NULL,
                    time_ns TEXT NOT NULL, over_ns TEXT NOT NULL, ply_seat TEXT NOT NULL, ply_depth TEXT NOT NULL,
                    ply_nodes TEXT NOT NULL, ply_time_ns TEXT NOT NULL, moves TEXT NOT NULL, forfeit TEXT,
                    PRIMARY KEY (experiment, number)) WITHOUT ROWID;
                CREATE TABLE claims (experiment INTEGER NOT NULL, number INTEGER NOT NULL, owner TEXT NOT NULL,
                    PRIMARY KEY (experiment, number)) WITHOUT ROWID;
                INSERT INTO experiments VALUES (3, 'test', 'tree', 3, '[\"maxn\",\"random\"]', 'nodes=10k',
                    '18446744073709551615', '0');
                INSERT INTO games VALUES (3, 0, '18446744073709551615', '[0,1,0]', '[0.33333334,0,0.6666667]',
                    '[0.1,-2,7000000000]', 2, '[1,1,0]', '[3,4,0]', '[4,5,0]', '[40,50,0]', '[1234567,1,0]', '[0,9,0]',
                    '[0,1]', '[3,4]', '[40,50]', '[1234567,1]', 'a b-c', NULL);
                INSERT INTO games VALUES (3, 7, '5', '[1,0,1]', '[0.5,0,0.5]', NULL, 0, '[0,0,0]', '[0,0,0]', '[0,0,0]',
                    '[0,0,0]', '[0,0,0]', '[0,0,0]', '[]', '[]', '[]', '[]', '', '[1,\"it wrote \\\"ö\\\"\"]');
                PRAGMA application_id = 1852861561; PRAGMA user_version = 1;",
            )
            .unwrap();
        connection
    }

    #[test]
    fn a_file_of_format_1_is_read_as_it_is_and_rewritten_for_a_new_match() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let old = format_1(&path);
        let store = Store::open(&path).unwrap();
        let kept = store.select_one(None).unwrap();
        assert_eq!((kept.name.as_str(), kept.games), ("test", 2));
        assert_eq!(kept.settings, MatchSettings { fingerprint: None, ..settings() });
        let games = store.games(&kept).unwrap();
        let decision = |seat, depth, nodes, nanos| DecisionRecord {
            seat,
            depth,
            nodes,
            playouts: 0,
            time: Duration::from_nanos(nanos),
        };
        assert_eq!(games[0].decisions, [decision(0, 3, 40, 1_234_567), decision(1, 4, 50, 1)]);
        assert_eq!(games[0].costs[1].over, Duration::from_nanos(9));
        assert_eq!((games[0].seed, &games[0].moves), (u64::MAX, &vec!["a".to_string(), "b-c".into()]));
        assert_eq!(games[0].points.as_deref(), Some(&[0.1, -2.0, 7e9][..]));
        assert_eq!((&games[0].ending, games[1].moves.len()), (&Ending::Normal, 0));
        assert_eq!(games[1].ending, Ending::Forfeit(Forfeit { seat: 1, reason: "it wrote \"ö\"".into() }));
        // Its games are there for whoever asks for no more, but it is not resumed.
        assert_eq!(store.kept("test", &settings(), &MatchSettings::clone).unwrap().as_ref(), Some(&kept));
        assert_eq!(store.ranges(&kept).unwrap(), [0..1, 7..8]);
        let error = open(&path, "test", &settings()).err().unwrap();
        assert!(error.message.contains("it has no fingerprint"), "{error}");
        assert_eq!(store.format().unwrap(), 1);
        drop(old);
        open(&path, "new", &settings()).unwrap().keep(sample(1)).unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(store.format().unwrap(), FORMAT);
        let all = store.matches().unwrap();
        assert_eq!((&all[0], all.len()), (&kept, 2));
        assert_eq!(store.games(&all[0]).unwrap(), games);
        assert_eq!(store.games(&all[1]).unwrap(), [sample(1)]);
    }

    #[test]
    fn a_file_without_newer_columns_is_read_as_it_is_and_rewritten_for_a_new_match() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        keeper(&path).keep(sample(3)).unwrap();
        let format_3 = "ALTER TABLE games DROP COLUMN playouts; ALTER TABLE games DROP COLUMN ply_playouts;
            ALTER TABLE games DROP COLUMN position; ALTER TABLE games DROP COLUMN opening;
            PRAGMA user_version = 3;";
        Connection::open(&path).unwrap().execute_batch(format_3).unwrap();
        let mut expected = sample(3);
        expected.opening = crate::Opening::default();
        expected.costs.iter_mut().for_each(|cost| cost.playouts = 0);
        expected.decisions.iter_mut().for_each(|decision| decision.playouts = 0);
        let store = Store::open(&path).unwrap();
        let kept = store.select_one(None).unwrap();
        assert_eq!((store.games(&kept).unwrap(), store.format().unwrap()), (vec![expected.clone()], 3));
        open(&path, "new", &settings()).unwrap().keep(sample(4)).unwrap();
        let store = Store::open(&path).unwrap();
        let all = store.matches().unwrap();
        assert_eq!((store.format().unwrap(), store.games(&all[0]).unwrap()), (FORMAT, vec![expected]));
        assert_eq!(store.games(&all[1]).unwrap(), [sample(4)]);
    }

    #[test]
    fn a_file_of_a_newer_format_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        keeper(&path);
        Connection::open(&path).unwrap().pragma_update(None, "user_version", FORMAT + 1).unwrap();
        let error = Store::open(&path).err().unwrap();
        assert!(error.message.contains("has format 6, and this version of nply reads formats up to 5"), "{error}");
        assert!(error.help.unwrap().contains("newer version"));
    }

    #[test]
    fn a_damaged_game_is_reported() {
        for damage in [
            "seats = '[0,1]'",
            "seats = '[0,1,9]'",
            "seats = '[0,1,0,1]', payoffs = '[0,1,0,0]', points = NULL",
            "payoffs = '[1]'",
            "points = '[]'",
            "ply_seats = '[7,1,1,1]'",
            "ply_seats = '[0,1,1,1]'",
            "ply_nodes = '[1]'",
            "ending = 'forfeit', ending_seat = 4, ending_reason = 'late'",
            "ending = 'forfeit'",
            "ending = 'late'",
            "seed = 'x'",
            "moves = NULL",
            "depths = 'deep'",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("games.db");
            keeper(&path).keep(sample(3)).unwrap();
            let store = Store::open(&path).unwrap();
            let changed = store.connection.execute(&format!("UPDATE games SET {damage}"), []);
            if changed.is_ok() {
                let error = store.games(&store.select_one(None).unwrap()).unwrap_err();
                let column = damage.split(' ').next().unwrap();
                assert!(
                    error.message.contains("games.db is damaged: in game 3 of match \"test\", "),
                    "{damage}: {error}"
                );
                assert!(damage.contains(',') || error.message.contains(column), "{damage}: {error}");
                assert!(error.help.unwrap().contains("WHERE match = 1 AND game = 3"), "{damage}");
            }
        }
    }

    #[test]
    fn damaged_tables_and_settings_are_reported() {
        for (damage, expected) in [
            ("UPDATE matches SET settings = '{'", "in match \"test\", settings does not fit: \"{\""),
            ("UPDATE matches SET settings = x'00ff'", "settings does not fit: 2 bytes that are not text"),
            ("UPDATE matches SET settings = '[]'", "settings does not fit: \"[]\""),
            ("UPDATE games SET game = 'x'", "in match \"test\", game does not fit: \"x\""),
            ("UPDATE games SET game = -1", "in game -1 of match \"test\", game does not fit: -1"),
            ("UPDATE games SET moves = 'm0-x'", "in game 3 of match \"test\", moves does not fit: \"m0-x\""),
            ("DROP TABLE games", "no such table: games"),
            ("ALTER TABLE games DROP COLUMN nodes", "no such column: nodes"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("games.db");
            keeper(&path).keep(sample(3)).unwrap();
            Connection::open(&path).unwrap().execute_batch(damage).unwrap();
            let store = Store::open(&path).unwrap();
            let error = store.select_one(None).and_then(|kept| store.games(&kept)).unwrap_err();
            assert!(error.message.contains("games.db is damaged: ") && error.message.contains(expected), "{error}");
            assert!(error.help.unwrap().contains("from a copy"), "{damage}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_deleted_or_replaced_is_noticed_and_its_games_are_rescued() {
        for change in [Change::Deleted, Change::Replaced] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("games.db");
            let mut keeper = keeper(&path);
            keeper.keep(sample(0)).unwrap();
            assert!(matches!(keeper.claim(1).unwrap(), Claim::Ours));
            std::fs::remove_file(&path).unwrap();
            if change == Change::Replaced {
                std::fs::write(&path, "another").unwrap();
            }
            let error = keeper.keep(sample(1)).unwrap_err();
            assert!(error.message.contains(change.word()), "{error}");
            assert!(error.help.as_ref().unwrap().contains("games.db.rescued resumes the match"), "{error:?}");
            // Games that end later, and attempts to play more, fail as well; the games are kept.
            assert_eq!(keeper.keep(sample(2)).unwrap_err(), error);
            assert_eq!(keeper.claim(3).err(), Some(error));
            drop(keeper);
            let rescued = folder.path().join("games.db.rescued");
            let store = Store::open(&rescued).unwrap();
            let kept = store.select_one(None).unwrap();
            assert_eq!(store.games(&kept).unwrap(), [sample(0), sample(1), sample(2)]);
            drop(store);
            if change == Change::Deleted {
                // It can be put back.
                std::fs::rename(&rescued, &path).unwrap();
                let mut keeper = open(&path, "test", &settings()).unwrap();
                assert!(matches!(keeper.claim(2).unwrap(), Claim::Done(_)));
                assert!(matches!(keeper.claim(3).unwrap(), Claim::Ours));
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn games_are_rescued_even_if_the_folder_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        let mut keeper = keeper(&inside.join("gone.db"));
        std::fs::remove_dir_all(&inside).unwrap();
        let help = keeper.keep(sample(0)).unwrap_err().help.unwrap();
        let rescued = help.strip_prefix("its games are kept in ").unwrap().split(';').next().unwrap();
        let store = Store::open(Path::new(rescued)).unwrap();
        assert_eq!(store.select_one(None).unwrap().games, 1);
        drop((keeper, store));
        std::fs::remove_file(rescued).unwrap();
    }

    #[test]
    fn a_packed_file_is_read_as_it_is_without_single_times_and_never_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (path, packed) = (folder.path().join("games.db"), folder.path().join("games.db.gz"));
        let games: Vec<GameRecord> = (0..12).map(sample).collect();
        {
            let mut keeper = keeper(&path);
            games.iter().for_each(|record| drop(keeper.keep(record.clone()).unwrap()));
            std::fs::write(&packed, keeper.store.pack().unwrap()).unwrap();
        }
        let timeless = |record: &GameRecord| {
            let mut record = record.clone();
            record.decisions.iter_mut().for_each(|decision| decision.time = Duration::ZERO);
            record
        };
        let store = Store::open(&packed).unwrap();
        let kept = store.select_one(None).unwrap();
        assert_eq!(store.games(&kept).unwrap(), games.iter().map(timeless).collect::<Vec<_>>());
        assert!(!store.games(&kept).unwrap().iter().any(GameRecord::has_times));
        let error = Store::create(&packed).err().unwrap();
        assert!(error.message.contains("is packed"), "{error}");
        // What was packed can be unpacked and resumed, or a match of it removed.
        let other = folder.path().join("other.db");
        Store::extract(&packed, &other).unwrap();
        open(&other, "test", &settings()).unwrap().keep(sample(20)).unwrap();
        let store = Store::open(&other).unwrap();
        assert_eq!(store.select_one(None).unwrap().games, 13);
        store.remove(&kept).unwrap();
        assert!(store.matches().unwrap().is_empty());
        // With a time limit single times stay.
        let timed = MatchSettings { budget: "time=1s".into(), ..settings() };
        let mut keeper = open(&other, "timed", &timed).unwrap();
        keeper.keep(sample(3)).unwrap();
        std::fs::write(&packed, keeper.store.pack().unwrap()).unwrap();
        let store = Store::open(&packed).unwrap();
        assert_eq!(store.games(&store.select_one(None).unwrap()).unwrap(), [sample(3)]);
        std::fs::write(&packed, &std::fs::read(&packed).unwrap()[..500]).unwrap();
        assert!(Store::open(&packed).err().unwrap().message.contains("is damaged"));
        std::fs::write(&packed, "x").unwrap();
        assert!(Store::open(&packed).err().unwrap().message.contains("is damaged"));
    }

    #[test]
    fn files_of_other_programs_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        let text = "not a database, but longer than the header of one, so that it is looked at closely. ".repeat(9);
        std::fs::write(&path, &text).unwrap();
        assert!(Store::open(&path).err().unwrap().message.contains("is not a database"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::write(&path, "x").unwrap();
        for opened in [Store::open(&path), Store::create(&path)] {
            assert!(opened.err().unwrap().message.contains("is not a database"));
        }
        let path = folder.path().join("empty.db");
        std::fs::write(&path, "").unwrap();
        assert!(Store::open(&path).err().unwrap().message.contains("is empty"));
        assert_eq!(path.metadata().unwrap().len(), 0);
        let path = folder.path().join("other.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
        assert!(Store::create(&path).err().unwrap().message.contains("a database of another program"));
        assert!(Store::open(&folder.path().join("none.db")).err().unwrap().message.contains("there is no file"));
        let missing = folder.path().join("no/such/folder/games.db");
        assert!(Store::create(&missing).err().unwrap().help.unwrap().contains("its folder must exist"));
    }
}
