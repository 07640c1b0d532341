//! Parts of matches: files of shards, how they are merged, and what is still missing.
//!
//! The table `shards` says how the games of a match are divided. In the file of a shard it also says which one it is; a merged file
//! has none there. Files without the table are of matches that are not divided.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nply::{Error, Spec};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::{KeptMatch, MatchSettings, Store, find, insert, is_called_packed, is_packed, live_owner, reported};
use crate::presence::{Presence, with_end};
use crate::record::GameRecord;
use crate::shard::{Division, Numbers, Shard};
use crate::waiting::patiently;

/// Which shard a file has, if it has one, and what all shards together should have.
const SHARDS: &str = "
    CREATE TABLE IF NOT EXISTS shards (
        match INTEGER PRIMARY KEY REFERENCES matches (id),
        shard INTEGER, -- from 1; none in a file of all shards
        shards INTEGER NOT NULL,
        games INTEGER NOT NULL -- of the whole match
    );";

/// How a match in a file is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Divided {
    /// The shard that the file has; `None` if it may have all of them.
    shard: Option<u32>,
    count: u32,
    /// Number of games of the whole match.
    games: u64,
}

/// What became of games that were added to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// Games that were not there before.
    pub new: u64,
    /// Games that were there already, as they are.
    pub known: u64,
    /// Games that were there and went another way, which is no surprise where time or an outside program decides. The first stay.
    pub other: u64,
}

impl MatchSettings {
    /// Whether the same program plays the same games again: no agent is limited by time, is an outside program, or searches
    /// with several threads.
    pub fn is_repeatable(&self) -> bool {
        fn is_program(spec: &Spec) -> bool {
            spec.name == "program" || inner(spec).is_some_and(|inner| is_program(&inner))
        }
        let agent =
            |agent| self.agent_budget(agent).is_some_and(|(spec, budget)| budget.time.is_none() && !is_program(&spec));
        self.clock.is_none() && self.threads() == 1 && (0..self.agents.len()).all(agent)
    }

    /// The most threads that a decision of an agent takes.
    pub fn threads(&self) -> usize {
        fn threads(spec: &Spec) -> usize {
            let own = spec.pairs.iter().find(|(key, _)| key == "threads").and_then(|(_, value)| value.parse().ok());
            own.unwrap_or(1).max(inner(spec).map_or(1, |inner| threads(&inner)))
        }
        let agent = |text: &String| Spec::parse(text).map_or(1, |spec| threads(&spec));
        self.agents.iter().map(agent).max().unwrap_or(1)
    }
}

/// The agent that another one asks.
fn inner(spec: &Spec) -> Option<Spec> {
    let (_, text) = spec.pairs.iter().find(|(key, _)| key == "agent")?;
    Spec::parse(text).ok()
}

/// Whether two records are of the same game, however long it took.
fn is_same(one: &GameRecord, other: &GameRecord) -> bool {
    let timeless = |record: &GameRecord| {
        let mut record = record.clone();
        record.decisions.iter_mut().for_each(|decision| decision.time = Duration::ZERO);
        record.costs.iter_mut().for_each(|cost| (cost.time, cost.over) = (Duration::ZERO, Duration::ZERO));
        record
    };
    timeless(one) == timeless(other)
}

impl Store {
    /// Adds games to a match, which is entered if it is new, all of them or none. Doing that twice changes nothing: a game that is
    /// there already stays. If it is there and went another way, that is an error in a match that is
    /// [repeatable](MatchSettings::is_repeatable).
    ///
    /// The games are those of [`Match::play_games`](crate::Match::play_games), from any process or machine, in any order.
    pub fn add(&self, name: &str, settings: &MatchSettings, games: &[GameRecord]) -> Result<Added, Error> {
        self.check_shard(name, None)?;
        let kept = self.enter(name, settings)?;
        patiently(&self.path, || self.upgrade())?;
        let adding =
            patiently(&self.path, || Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate))?;
        let mut added = Added::default();
        for record in games {
            let fits = record.seating.len() == kept.settings.players
                && record.seating.iter().all(|&agent| agent < kept.settings.agents.len());
            if !fits || i64::try_from(record.number).is_err() {
                return Err(Error::failed(format!("game {} does not fit match {name:?}", record.number)));
            }
            add(&adding, &kept, record, &mut added).map_err(|error| reported(&self.path, &error))?.map_err(|game| {
                let message = format!("game {game} of match {name:?} is another one in {}", self.path.display());
                Error::failed(message).help("both must be of the same program; remove the one that is wrong")
            })?;
        }
        adding.commit().map_err(|error| reported(&self.path, &error))?;
        Ok(added)
    }

    /// The numbers of a match's games, as ranges in order.
    pub fn numbers(&self, kept: &KeptMatch) -> Result<Vec<Range<u64>>, Error> {
        patiently(&self.path, || self.ranges(kept))
    }

    /// How many of these games are in the file.
    pub(crate) fn count(&self, kept: &KeptMatch, numbers: &Numbers) -> Result<u64, Error> {
        let count = |range: Range<u64>| numbers.count_below(range.end) - numbers.count_below(range.start);
        Ok(self.numbers(kept)?.into_iter().map(count).sum())
    }

    /// Checks that a match of this name is new, or that its file has this shard of it; without one, that the file is not that of a
    /// shard.
    pub(crate) fn check_shard(&self, name: &str, wanted: Option<Shard>) -> Result<(), Error> {
        let Some(kept) = self.find(name)? else { return Ok(()) };
        let there = patiently(&self.path, || self.divided(&kept))?;
        match there {
            Some(Divided { shard: Some(index), count, .. }) => {
                if wanted.is_some_and(|wanted| (wanted.index(), wanted.count()) == (index, count)) {
                    return Ok(());
                }
                let message = format!("{} has shard {index}/{count} of match {name:?}", self.path.display());
                let message = wanted.map_or_else(|| message.clone(), |wanted| format!("{message}, not {wanted}"));
                Err(Error::failed(message).help(format!(
                    "resume it with --shard {index}/{count}, or name another --db; `nply merge` brings shards together"
                )))
            }
            Some(Divided { shard: None, .. }) | None if wanted.is_some() => {
                let message = format!("{} has match {name:?} as a whole, not a shard of it", self.path.display());
                Err(Error::failed(message).help("name another --db for each shard, or leave out --shard"))
            }
            Some(Divided { shard: None, .. }) | None => Ok(()),
        }
    }

    /// Enters a match, if it is new, as a shard of one with so many games.
    pub(crate) fn begin_shard(
        &self,
        name: &str,
        settings: &MatchSettings,
        shard: Shard,
        games: u64,
    ) -> Result<(), Error> {
        if let Some(error) = self.find(name)?.and_then(|kept| settings.mismatch(&kept.settings, name, &self.path)) {
            return Err(error);
        }
        patiently(&self.path, || {
            self.upgrade()?;
            let adding = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            adding.execute_batch(SHARDS)?;
            let query = "INSERT OR IGNORE INTO matches (name, settings) VALUES (?, ?)";
            let is_new = adding.execute(query, params![name, settings.json().to_string()])? > 0;
            let id: i64 = adding.query_row("SELECT id FROM matches WHERE name = ?", [name], |row| row.get(0))?;
            if is_new {
                let divided = Divided { shard: Some(shard.index()), count: shard.count(), games };
                set_divided(&adding, id, divided)?;
            } else {
                // It may have been begun with fewer games.
                let query = "UPDATE shards SET games = max(games, ?) WHERE match = ?";
                adding.execute(query, params![super::sql(games), id])?;
            }
            adding.commit()
        })?;
        // Another process may have been first.
        self.check_shard(name, Some(shard))
    }

    /// How a match is divided, if it is.
    fn divided(&self, kept: &KeptMatch) -> rusqlite::Result<Option<Divided>> {
        if !has_shards(&self.connection)? {
            return Ok(None);
        }
        let query = "SELECT shard, shards, games FROM shards WHERE match = ?";
        let row = self.connection.query_row(query, [kept.id], |row| {
            Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        let Some((shard, count, games)) = row.optional()? else { return Ok(None) };
        let damage = |column, value: i64| {
            let (name, id) = (kept.name.clone(), kept.id);
            super::Damage { kept: name, id, number: None, column, value: Some(value.to_string()) }.error()
        };
        let within = |value: i64, most: u32| u32::try_from(value).ok().filter(|value| (1..=most).contains(value));
        let shards = within(count, Shard::MOST).ok_or_else(|| damage("shards", count))?;
        let shard = shard.map(|shard| within(shard, shards).ok_or_else(|| damage("shard", shard))).transpose()?;
        let games = u64::try_from(games).map_err(|_| damage("games", games))?;
        Ok(Some(Divided { shard, count: shards, games }))
    }
}

fn has_shards(connection: &Connection) -> rusqlite::Result<bool> {
    let query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'shards'";
    connection.query_row(query, [], |row| row.get::<_, i64>(0)).map(|tables| tables > 0)
}

/// Forgets how a match was divided.
pub(super) fn forget(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    if has_shards(connection)? {
        connection.execute("DELETE FROM shards WHERE match = ?", [id])?;
    }
    Ok(())
}

/// Notes how a match is divided.
fn set_divided(connection: &Connection, id: i64, divided: Divided) -> rusqlite::Result<()> {
    let Divided { shard, count, games } = divided;
    connection.execute_batch(SHARDS)?;
    let query = "INSERT OR REPLACE INTO shards (match, shard, shards, games) VALUES (?, ?, ?, ?)";
    connection.execute(query, params![id, shard, count, super::sql(games)]).map(drop)
}

/// Adds a game to a match that may have it already; the inner error is the number of one that is there and went another way.
fn add(
    connection: &Connection,
    kept: &KeptMatch,
    record: &GameRecord,
    added: &mut Added,
) -> rusqlite::Result<Result<(), u64>> {
    if insert(connection, kept.id, record)? {
        added.new += 1;
        return Ok(Ok(()));
    }
    let is_known = find(connection, kept, super::sql(record.number))?.is_some_and(|there| is_same(&there, record));
    match is_known {
        true => added.known += 1,
        false if !kept.settings.is_repeatable() => added.other += 1,
        false => return Ok(Err(record.number)),
    }
    Ok(Ok(()))
}

/// A match that several files have games of.
struct Part {
    name: String,
    settings: MatchSettings,
    divided: Option<Divided>,
    /// The file in which it was found first.
    origin: PathBuf,
}

/// The matches of several files.
#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    /// Enters a match of a file and answers with its index; an error names what differs from the files before.
    fn enter(&mut self, path: &Path, kept: &KeptMatch, divided: Option<Divided>) -> Result<usize, Error> {
        let KeptMatch { name, settings, .. } = kept;
        let Some(index) = self.0.iter().position(|part| part.name == *name) else {
            self.0.push(Part { name: name.clone(), settings: settings.clone(), divided, origin: path.into() });
            return Ok(self.0.len() - 1);
        };
        let part = &mut self.0[index];
        let (first, second) = (part.origin.display(), path.display());
        let refused = |message: String| {
            let help = "games of one match have the same settings and are played by the same program; leave out the files that do not belong";
            Err(Error::failed(message).help(help))
        };
        if let Some((what, here, there)) = settings.difference(&part.settings) {
            let kind = match what {
                "version" => "was played by nply",
                "fingerprint" => "was played by a program with the fingerprint",
                "sampled" => "has a sample of its seatings:",
                _ => {
                    return refused(format!(
                        "match {name:?} has the {what} {there:?} in {first} and {here:?} in {second}"
                    ));
                }
            };
            let shown = |value: String| if value.is_empty() { "none".into() } else { value };
            let (here, there) = (shown(here), shown(there));
            return refused(format!("match {name:?} {kind} {there} in {first} and {here} in {second}"));
        }
        part.divided = match (part.divided, divided) {
            (Some(one), Some(other)) if one.count != other.count => {
                return refused(format!(
                    "match {name:?} has {} shards in {first} and {} in {second}",
                    one.count, other.count
                ));
            }
            (Some(one), Some(other)) => Some(Divided { games: one.games.max(other.games), ..one }),
            (one, other) => one.or(other),
        };
        Ok(index)
    }
}

/// Opens a part to read it; `None` if nothing has been written to it yet.
fn open_part(path: &Path) -> Result<Option<Store>, Error> {
    let is_empty = path.is_file() && path.metadata().is_ok_and(|file| file.len() == 0);
    if is_empty { Ok(None) } else { Store::open(path).map(Some) }
}

/// What a merged file has more than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// These games of the part.
    Games(Added),
    /// Nothing: the part is empty, as that of a process that was killed at once.
    Empty,
    /// Nothing: the part is the file itself.
    Itself,
}

/// Files being merged into one, which is replaced in one step at the end or stays as it is.
pub struct Merge {
    target: PathBuf,
    /// The target as it was, locked, with the file that it is; `None` if there was none.
    old: Option<Store>,
    new: Store,
    /// The new file, as long as it has its own name.
    unfinished: Unfinished,
    parts: Parts,
    /// The matches in the new file, in the order of the parts.
    kept: Vec<KeptMatch>,
    /// Whether the new file has anything that the target has not.
    is_changed: bool,
}

/// A file that is removed unless it gets its name.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Merge {
    /// Begins with what the target has, if it is there.
    pub fn new(target: &Path) -> Result<Merge, Error> {
        if is_packed(target) || is_called_packed(target) {
            let message = format!("{} is packed: its games can be read, and none added", target.display());
            return Err(Error::usage(message).help("name another file, such as all.db"));
        }
        let old = lock(target)?;
        let unfinished = Unfinished(with_end(target, &format!(".merging-{}", std::process::id())));
        let path = unfinished.0.clone();
        // One of a process with the same number that was killed.
        let _ = fs::remove_file(&path);
        let failed = |error: rusqlite::Error| reported(&path, &error);
        let new = Store { connection: Connection::open(&path).map_err(failed)?, path: path.clone(), opened: None };
        new.upgrade().map_err(failed)?;
        // Nobody else sees it, and if it does not get its name it is removed.
        new.connection.pragma_update(None, "journal_mode", "OFF").map_err(failed)?;
        new.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
        let (parts, kept) = (Parts::default(), Vec::new());
        let mut merge = Merge { target: target.into(), old: None, new, unfinished, parts, kept, is_changed: false };
        if let Some(old) = &old {
            merge.take(old, &|| false)?;
        }
        (merge.old, merge.is_changed) = (old, false);
        Ok(merge)
    }

    /// Adds the games of a part. `is_stopped` ends it early, with an error.
    pub fn add(&mut self, part: &Path, is_stopped: &dyn Fn() -> bool) -> Result<Merged, Error> {
        if self.old.is_some()
            && part.canonicalize().ok().is_some_and(|part| self.target.canonicalize().ok() == Some(part))
        {
            return Ok(Merged::Itself);
        }
        match open_part(part)? {
            Some(store) => self.take(&store, is_stopped).map(Merged::Games),
            None => Ok(Merged::Empty),
        }
    }

    fn take(&mut self, store: &Store, is_stopped: &dyn Fn() -> bool) -> Result<Added, Error> {
        let path = &store.path;
        let mut added = Added::default();
        for kept in store.matches()? {
            let divided = patiently(path, || store.divided(&kept))?.map(|divided| Divided { shard: None, ..divided });
            let index = self.parts.enter(path, &kept, divided)?;
            self.enter(index).map_err(|error| reported(&self.new.path, &error))?;
            let (connection, into, mut done) = (&self.new.connection, &self.kept[index], Ok(()));
            store.each(&kept, 0..u64::MAX, u64::MAX, |record| {
                if done.is_err() {
                    return;
                }
                done = match add(connection, into, &record, &mut added) {
                    _ if is_stopped() => Err(Error::failed(format!("stopped; {} is as it was", self.target.display()))),
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(game)) => {
                        let message = format!(
                            "game {game} of match {:?} in {} is another one than before",
                            kept.name,
                            path.display()
                        );
                        Err(Error::failed(message)
                            .help("the same program plays the same game; leave out the file that is wrong"))
                    }
                    Err(error) => Err(reported(&self.new.path, &error)),
                };
            })?;
            done?;
        }
        self.is_changed |= added.new > 0;
        Ok(added)
    }

    /// Makes the row of a match, and that of how it is divided, what they should be.
    fn enter(&mut self, index: usize) -> rusqlite::Result<()> {
        let Part { name, settings, divided, .. } = &self.parts.0[index];
        let connection = &self.new.connection;
        if index == self.kept.len() {
            let query = "INSERT INTO matches (name, settings) VALUES (?, ?)";
            connection.execute(query, params![name, settings.json().to_string()])?;
            let id = connection.last_insert_rowid();
            self.kept.push(KeptMatch { id, name: name.clone(), settings: settings.clone(), games: 0 });
            self.is_changed = true;
        }
        let kept = &self.kept[index];
        if let Some(divided) = divided.filter(|&divided| self.new.divided(kept).ok().flatten() != Some(divided)) {
            set_divided(connection, kept.id, divided)?;
            self.is_changed = true;
        }
        Ok(())
    }

    /// Gives the new file its name; the answer is the number of games in it. If it would be the same as before, it stays as it is.
    pub fn finish(self) -> Result<u64, Error> {
        let Merge { target, old, new, unfinished, kept, is_changed, .. } = self;
        if kept.is_empty() {
            let message = "the files hold no match";
            return Err(Error::failed(message).help("`nply tournament … --shard 1/10 --db FILE` makes one"));
        }
        let failed = |error: rusqlite::Error| reported(&new.path, &error);
        let games: i64 =
            new.connection.query_row("SELECT count(*) FROM games", [], |row| row.get(0)).map_err(failed)?;
        if !is_changed {
            return Ok(games as u64);
        }
        new.connection.execute_batch("COMMIT").map_err(failed)?;
        let Store { connection, path, .. } = new;
        connection.close().map_err(|(_, error)| reported(&path, &error))?;
        let unwritten = |error: std::io::Error| Error::file(format!("cannot write {}: {error}", target.display()));
        fs::File::open(&path).and_then(|file| file.sync_all()).map_err(unwritten)?;
        if old.is_none() && target.metadata().is_ok_and(|file| file.len() > 0) {
            let message = format!("{} was made by another process meanwhile", target.display());
            return Err(Error::file(message).help("the same command adds what it does not have"));
        }
        fs::rename(&path, &target).map_err(unwritten)?;
        // Only now may others have the old one.
        drop((old, unfinished));
        Ok(games as u64)
    }
}

/// Opens the file that is to be replaced so that nobody else reads or writes it; `None` if there is none, or if it is empty.
fn lock(target: &Path) -> Result<Option<Store>, Error> {
    loop {
        if !target.metadata().is_ok_and(|file| file.len() > 0) {
            return Ok(None);
        }
        let presence = Presence::new(target.into());
        let store = Store::create(target)?;
        if live_owner(target) {
            let message = format!("games are being played into {}", target.display());
            return Err(Error::file(message).help("wait until they have ended, or merge into another file"));
        }
        patiently(target, || {
            // Without a log, which would be taken for that of the new file.
            store.connection.pragma_update(None, "journal_mode", "DELETE")?;
            store.connection.execute_batch("BEGIN EXCLUSIVE")
        })?;
        // Another process may have replaced it while we waited.
        if presence.change().is_some() {
            continue;
        }
        for kept in store.matches()? {
            if let Some(Divided { shard: Some(index), count, .. }) = patiently(target, || store.divided(&kept))? {
                let message = format!("{} has shard {index}/{count} of match {:?}", target.display(), kept.name);
                return Err(Error::usage(message).help("merge into another file, such as --db all.db"));
            }
        }
        return Ok(Some(store));
    }
}

/// What is missing of a match that is played in shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The name of the match.
    pub name: String,
    /// The number of shards.
    pub shards: u32,
    /// The number of games of the whole match.
    pub games: u64,
    /// How many of them are there.
    pub played: u64,
    /// The shards that have games to play, in order, and how many.
    pub left: Vec<(u32, u64)>,
}

/// What is missing of the matches in these files, which together have what has been played: parts, or a merged file. `texts` selects
/// matches as [`select_matches`](crate::select_matches) does; without it those that are played in shards, of which there must be one.
pub fn missing(paths: &[PathBuf], texts: Option<&str>) -> Result<Vec<Missing>, Error> {
    let (mut parts, mut played) = (Parts::default(), BTreeMap::<usize, Vec<Range<u64>>>::new());
    for path in paths {
        let Some(store) = open_part(path)? else { continue };
        for kept in store.matches()? {
            let divided = patiently(path, || store.divided(&kept))?;
            let index = parts.enter(path, &kept, divided)?;
            played.entry(index).or_default().extend(store.numbers(&kept)?);
        }
    }
    let names: Vec<&str> = parts.0.iter().map(|part| part.name.as_str()).collect();
    let selected = match texts {
        Some(texts) => crate::matches::select_matches(&names, texts)?,
        None => (0..names.len()).collect(),
    };
    let mut found = Vec::new();
    for index in selected {
        let Part { name, settings, divided, origin } = &parts.0[index];
        match divided {
            Some(divided) => {
                let ranges = union(played.remove(&index).unwrap_or_default());
                found.push(divided.missing(name, settings, &ranges));
            }
            None if texts.is_some() => return Err(undivided(name, origin)),
            None => {}
        }
    }
    match parts.0.first() {
        Some(part) if found.is_empty() => Err(undivided(&part.name, &part.origin)),
        None => {
            let error = Error::failed("the files hold no match");
            Err(error.help("`nply tournament … --shard 1/10 --db FILE` makes one"))
        }
        Some(_) => Ok(found),
    }
}

fn undivided(name: &str, path: &Path) -> Error {
    let message = format!("match {name:?} in {} is not played in shards", path.display());
    Error::failed(message).help("the command that began it plays what is missing; `nply report` counts its games")
}

/// The same numbers in order, each once.
fn union(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

impl Divided {
    fn missing(&self, name: &str, settings: &MatchSettings, ranges: &[Range<u64>]) -> Missing {
        let &Divided { count, games, .. } = self;
        let division = Division::new(count, settings.round_length());
        let total = |shard: u32| division.count_below(shard, games);
        let mut there = vec![0; count as usize];
        for range in ranges {
            let Range { start, end } = range.start.min(games)..range.end.min(games);
            if end - start < u64::from(count) {
                (start..end).for_each(|number| there[division.shard_of(number) as usize - 1] += 1);
            } else {
                let own = |shard: u32| division.count_below(shard, end) - division.count_below(shard, start);
                (1..=count).for_each(|shard| there[shard as usize - 1] += own(shard));
            }
        }
        let left = (1..=count).zip(&there).map(|(shard, there)| (shard, total(shard) - there));
        let left = left.filter(|&(_, left)| left > 0).collect();
        Missing { name: name.into(), shards: count, games, played: there.iter().sum(), left }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::record::tests::sample;
    use crate::store::Keeper;
    use crate::{Match, MatchFile, Registry};

    fn settings(budget: &str, agents: &[&str]) -> MatchSettings {
        MatchSettings {
            game: "tree".into(),
            players: 3,
            agents: agents.iter().map(|&agent| agent.into()).collect(),
            budget: budget.into(),
            version: "0".into(),
            fingerprint: Some("1234".into()),
            ..MatchSettings::default()
        }
    }

    fn usual() -> MatchSettings {
        settings("nodes=10k", &["maxn", "random"])
    }

    /// A match of 18 games, six seatings, with few nodes.
    fn short() -> Match {
        let text = "game = 'rolit'\nplayers = 3\ngames = 18\nnodes = 30\nseed = 5\n[[match]]\nname = 'm'\nagents = ['brs:eval=discs', 'random']";
        let registry = Registry::standard();
        MatchFile::parse(&registry, text).unwrap().get(&registry, 0).unwrap()
    }

    fn timeless(games: &[GameRecord]) -> Vec<GameRecord> {
        let mut games = games.to_vec();
        for record in &mut games {
            record.decisions.iter_mut().for_each(|decision| decision.time = Duration::ZERO);
            record.costs.iter_mut().for_each(|cost| cost.time = Duration::ZERO);
        }
        games
    }

    fn all_games(path: &Path) -> Vec<GameRecord> {
        let store = Store::open(path).unwrap();
        store.games(&store.select_one(None).unwrap()).unwrap()
    }

    fn left(path: &Path) -> (u64, Vec<(u32, u64)>) {
        let found = missing(&[path.into()], None).unwrap();
        (found[0].played, found[0].left.clone())
    }

    #[test]
    fn shards_merged_are_the_games_of_one_process_and_what_is_missing_is_known_at_each_stage() {
        let folder = tempfile::tempdir().unwrap();
        let (game, all) = (short(), folder.path().join("all.db"));
        let whole = game.run(&Arc::default(), |_| ()).unwrap();
        let part = |index: u32| folder.path().join(format!("part-{index}.db"));
        let run = |index: u32, stop| {
            let shard = Shard::new(index, 4).unwrap();
            let mut seen = Vec::new();
            let game = Match { threads: 2, ..game.clone() };
            game.run_shard(shard, &part(index), "m", &stop, |record| seen.push(record.number)).unwrap();
            (game.shard_games(shard).collect::<Vec<u64>>(), seen)
        };
        let merge = |parts: &[u32]| {
            let mut merge = Merge::new(&all).unwrap();
            for &index in parts {
                merge.add(&part(index), &|| false).unwrap();
            }
            merge.finish().unwrap()
        };
        for index in [3, 1] {
            let (expected, seen) = run(index, Arc::default());
            assert_eq!(expected, seen);
        }
        let sizes: Vec<u64> = (1..=4).map(|index| game.shard_total(Shard::new(index, 4).unwrap())).collect();
        assert_eq!(sizes.iter().sum::<u64>(), 18);
        assert_eq!(merge(&[1, 3]), sizes[0] + sizes[2]);
        assert_eq!(left(&all), (sizes[0] + sizes[2], vec![(2, sizes[1]), (4, sizes[3])]));
        // A shard that is stopped at once knows that it has games to play.
        assert!(run(2, Arc::new(true.into())).1.is_empty());
        assert_eq!(left(&part(2)).0, 0);
        run(4, Arc::default());
        assert_eq!(merge(&[2, 4]), 18 - sizes[1]);
        assert_eq!(left(&all).1, [(2, sizes[1])]);
        let parts: Vec<PathBuf> = (1..=4).map(part).collect();
        assert_eq!(missing(&parts, None).unwrap()[0].left, [(2, sizes[1])]);
        run(2, Arc::default());
        assert_eq!(merge(&[1, 2, 3, 4]), 18);
        assert_eq!(left(&all), (18, Vec::new()));
        assert_eq!(timeless(&all_games(&all)), timeless(&whole));
        // Once more, nothing changes, not even the file.
        let before = fs::read(&all).unwrap();
        assert_eq!((merge(&[4, 1, 2, 3]), fs::read(&all).unwrap()), (18, before));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "nothing is left beside the files");
    }

    #[test]
    fn exactly_the_games_asked_for_are_played_and_adding_them_twice_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (game, path) = (Match { threads: 3, ..short() }, folder.path().join("games.db"));
        let whole = game.run(&Arc::default(), |_| ()).unwrap();
        let some = game.play_games(&[11, 2, 3, 2], &Arc::default(), |_| ()).unwrap();
        assert_eq!(timeless(&some), timeless(&[whole[2].clone(), whole[3].clone(), whole[11].clone()]));
        let error = game.play_games(&[18], &Arc::default(), |_| ()).unwrap_err();
        assert!(error.message.contains("there is no game 18 in a match of 18 games"), "{error}");
        let store = Store::create(&path).unwrap();
        let add = |games: &[GameRecord]| store.add("m", &game.settings(), games);
        assert_eq!(add(&some).unwrap(), Added { new: 3, ..Added::default() });
        assert_eq!(add(&some).unwrap(), Added { known: 3, ..Added::default() });
        // As another process sends them.
        let sent: Vec<GameRecord> =
            whole.iter().rev().map(|record| GameRecord::from_json(record.to_json()).unwrap()).collect();
        assert_eq!(add(&sent).unwrap(), Added { new: 15, known: 3, other: 0 });
        assert_eq!(store.numbers(&store.select_one(None).unwrap()).unwrap(), std::slice::from_ref(&(0..18)));
        assert_eq!(timeless(&all_games(&path)), timeless(&whole));
        // All or none.
        let wrong = GameRecord { seed: 0, ..whole[4].clone() };
        let error = add(&[wrong]).unwrap_err();
        assert!(error.message.contains("game 4 of match \"m\" is another one"), "{error}");
        let shown = game.run_kept(&path, "m", &Arc::default(), |_| ()).unwrap();
        assert_eq!(timeless(&shown), timeless(&whole));
        // Records that do not fit the match are refused.
        let misfit = GameRecord { number: 99, seating: vec![0, 1], ..whole[4].clone() };
        assert!(add(&[misfit]).unwrap_err().message.contains("does not fit"));
    }

    fn keep(path: &Path, settings: &MatchSettings, games: &[GameRecord]) {
        let mut keeper = Keeper::new(Store::create(path).unwrap(), "test", settings).unwrap();
        games.iter().for_each(|record| drop(keeper.keep(record.clone()).unwrap()));
    }

    fn merged(target: &Path, parts: &[&Path]) -> Result<(Vec<Merged>, u64), Error> {
        let mut merge = Merge::new(target)?;
        let added = parts.iter().map(|part| merge.add(part, &|| false)).collect::<Result<Vec<Merged>, Error>>()?;
        Ok((added, merge.finish()?))
    }

    #[test]
    fn other_settings_programs_and_divisions_are_refused_by_name_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (first, second, all) = (path("first.db"), path("second.db"), path("all.db"));
        keep(&first, &usual(), &[sample(0)]);
        for (other, expected) in [
            (settings("nodes=20k", &["maxn", "random"]), "has the budget \"nodes=10k\" in"),
            (settings("nodes=10k", &["maxn", "greedy"]), "has the agents \"maxn random\" in"),
            (MatchSettings { seed: 9, ..usual() }, "has the seed \"0\" in"),
            (MatchSettings { sampled: true, ..usual() }, "has a sample of its seatings: none in"),
            (MatchSettings { version: "1".into(), ..usual() }, "was played by nply 0 in"),
            (MatchSettings { fingerprint: Some("x".into()), ..usual() }, "program with the fingerprint 1234 in"),
            (MatchSettings { fingerprint: None, ..usual() }, "program with the fingerprint 1234 in"),
        ] {
            let _ = fs::remove_file(&second);
            keep(&second, &other, &[sample(1)]);
            let error = merged(&all, &[&first, &second]).unwrap_err();
            for part in [expected, "first.db and ", "second.db"] {
                assert!(error.message.contains(part), "{error}");
            }
            assert_eq!(missing(&[first.clone(), second.clone()], None).unwrap_err().message, error.message);
            assert!(!all.exists());
        }
        let (third, tenth) = (path("third.db"), path("tenth.db"));
        for (path, count) in [(&third, 3), (&tenth, 10)] {
            let store = Store::create(path).unwrap();
            store.begin_shard("test", &usual(), Shard::new(3, count).unwrap(), 60).unwrap();
        }
        let error = merged(&all, &[&third, &tenth]).unwrap_err();
        assert!(error.message.contains("has 3 shards in") && error.message.contains("and 10 in"), "{error}");
        let error = merged(&third, &[&first]).unwrap_err();
        assert!(error.message.contains("third.db has shard 3/3"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "nothing is left");
    }

    #[test]
    fn the_same_game_twice_is_one_and_another_one_is_an_error_unless_time_decides() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (first, second, all) = (path("first.db"), path("second.db"), path("all.db"));
        let mut slower = sample(3);
        slower.costs.iter_mut().for_each(|cost| cost.time += Duration::from_secs(1));
        let other = GameRecord { moves: vec!["x".into(); sample(3).moves.len()], ..sample(3) };
        keep(&first, &usual(), &[sample(3), sample(4)]);
        keep(&second, &usual(), &[slower, sample(5)]);
        let games = |new, known, other| Merged::Games(Added { new, known, other });
        assert_eq!(
            merged(&all, &[&first, &second, &first]).unwrap(),
            (vec![games(2, 0, 0), games(1, 1, 0), games(0, 2, 0)], 3)
        );
        assert_eq!(all_games(&all), [sample(3), sample(4), sample(5)]);
        // The file itself may be among the parts, and one that is empty has nothing.
        fs::write(path("empty.db"), "").unwrap();
        assert_eq!(merged(&all, &[&all, &path("empty.db")]).unwrap(), (vec![Merged::Itself, Merged::Empty], 3));
        let before = fs::read(&all).unwrap();
        let wrong = path("wrong.db");
        keep(&wrong, &usual(), &[sample(6), other.clone()]);
        let error = merged(&all, &[&wrong]).unwrap_err();
        assert!(error.message.contains("game 3 of match \"test\" in"), "{error}");
        assert_eq!(fs::read(&all).unwrap(), before);
        let error = merged(&path("none.db"), &[&path("empty.db")]).unwrap_err();
        assert!(error.message.contains("hold no match"), "{error}");
        // With limits of time the first stays.
        for timed in [
            settings("time=1s", &["maxn", "random"]),
            settings("nodes=10k", &["maxn:time=1s", "random"]),
            settings("nodes=10k", &["program:path=x", "random"]),
            settings("nodes=10k", &["worlds:agent=(mcts:threads=2)", "random"]),
            MatchSettings { clock: Some("60s".into()), ..usual() },
        ] {
            assert!(!timed.is_repeatable(), "{timed:?}");
            [&first, &second, &all].into_iter().for_each(|path| drop(fs::remove_file(path)));
            keep(&first, &timed, &[sample(3)]);
            keep(&second, &timed, std::slice::from_ref(&other));
            assert_eq!(merged(&all, &[&first, &second]).unwrap(), (vec![games(1, 0, 0), games(0, 0, 1)], 1));
            assert_eq!(all_games(&all), [sample(3)]);
        }
        assert!(usual().is_repeatable() && settings("depth=2", &["worlds:agent=(mcts:threads=1)"]).is_repeatable());
        let threads = |agents: &[&str]| settings("depth=2", agents).threads();
        assert_eq!((threads(&["maxn"]), threads(&["mcts:threads=3", "worlds:agent=(mcts:threads=4)"])), (1, 4));
    }

    #[test]
    fn a_file_that_is_being_filled_is_not_replaced_and_packed_parts_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (part, all) = (path("part.db"), path("all.db"));
        keep(&part, &usual(), &[sample(1), sample(2)]);
        let mut keeper = Keeper::new(Store::create(&all).unwrap(), "test", &usual()).unwrap();
        keeper.keep(sample(0)).unwrap();
        let error = merged(&all, &[&part]).unwrap_err();
        assert!(error.message.contains("games are being played into"), "{error}");
        // A reader of the part, or a process that fills it, is no obstacle.
        keeper.keep(sample(7)).unwrap();
        let _other = Keeper::new(Store::create(&part).unwrap(), "test", &usual()).unwrap();
        drop(keeper);
        assert_eq!(merged(&all, &[&part]).unwrap().1, 4);
        assert!(!with_end(&all, "-wal").exists());
        fs::write(path("part.db.gz"), Store::create(&part).unwrap().pack().unwrap()).unwrap();
        assert_eq!(merged(&path("other.db"), &[&path("part.db.gz")]).unwrap().1, 2);
        let error = merged(&path("other.db.gz"), &[&part]).unwrap_err();
        assert!(error.message.contains("is packed"), "{error}");
        fs::write(path("bad.db.gz"), "\x1f").unwrap();
        assert!(merged(&all, &[&path("bad.db.gz")]).unwrap_err().message.contains("is damaged"));
        // A merged file resumes as any other.
        Store::create(&all).unwrap().add("test", &usual(), &[sample(8)]).unwrap();
        assert_eq!(all_games(&all).len(), 5);
    }

    #[test]
    fn a_damaged_division_is_reported_and_a_removed_match_leaves_none() {
        for (damage, expected) in [
            ("shards = 0", "shards does not fit: 0"),
            ("shard = 11", "shard does not fit: 11"),
            ("games = -1", "games does not fit: -1"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("part.db");
            let store = Store::create(&path).unwrap();
            store.begin_shard("test", &usual(), Shard::new(3, 10).unwrap(), 60).unwrap();
            store.connection.execute(&format!("UPDATE shards SET {damage}"), []).unwrap();
            let error = missing(&[path], None).unwrap_err();
            assert!(
                error.message.contains("part.db is damaged: in match \"test\", ") && error.message.contains(expected),
                "{error}"
            );
            store.remove(&store.select_one(None).unwrap()).unwrap();
            store.begin_shard("test", &usual(), Shard::new(1, 2).unwrap(), 60).unwrap();
            assert!(store.check_shard("test", Some(Shard::new(1, 2).unwrap())).is_ok());
        }
    }
}
