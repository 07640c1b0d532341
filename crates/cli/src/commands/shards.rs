//! `nply merge`, `nply missing`, and where the games of a match are kept.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nply::Error;
use nply_arena::{GameRecord, Match, Merged, Missing, Shard, array_text};
use serde_json::json;

use super::App;
use super::stop::{is_stopped, listen};
use crate::args;
use crate::output::{Failure, Out, note, table};

/// Where games are kept, and which of them are played.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The file; `None` if they are not kept.
    pub(super) db: Option<&'a Path>,
    /// The shard; `None` for all games.
    pub(super) shard: Option<Shard>,
}

impl<'a> Place<'a> {
    /// A shard needs a file.
    pub(super) fn new(db: Option<&'a Path>, shard: Option<Shard>) -> Result<Place<'a>, Error> {
        match shard.filter(|_| db.is_none()) {
            Some(shard) => {
                let error = Error::usage("the games of a shard are kept in a file of its own");
                Err(error.help(format!("write --db part-{}.db", shard.index())))
            }
            None => Ok(Place { db, shard }),
        }
    }

    /// Enters all matches in the file of a shard, so that it knows of each even if it is stopped before.
    pub(super) fn begin(self, matches: &[(String, Match)]) -> Result<(), Error> {
        let (Some(db), Some(shard)) = (self.db, self.shard) else { return Ok(()) };
        matches.iter().try_for_each(|(name, game)| game.begin_shard(shard, db, name))
    }

    /// Number of games of a match that are played here.
    pub(super) fn total(self, game: &Match) -> u64 {
        self.shard.map_or_else(|| game.total(), |shard| game.shard_total(shard))
    }

    /// Plays the games of a match.
    pub(super) fn play(
        self,
        game: &Match,
        name: &str,
        stop: &Arc<AtomicBool>,
        watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<u64, Error> {
        match (self.db, self.shard) {
            (Some(db), Some(shard)) => game.run_shard(shard, db, name, stop, watch),
            (db, _) => game.run_through(db.map(|db| (db, name)), stop, watch),
        }
    }
}

/// `nply merge`.
pub(super) fn merge(asked: &args::Merge, app: &App, out: &mut Out) -> Result<(), Failure> {
    asked.waiting.set(is_stopped);
    let _ = listen();
    let mut merge = nply_arena::Merge::new(&asked.db)?;
    let (mut new, mut known, mut other) = (0, 0, 0);
    for part in &asked.parts {
        match merge.add(part, &is_stopped)? {
            Merged::Games(added) => {
                (new, known, other) = (new + added.new, known + added.known + added.other, other + added.other);
            }
            Merged::Empty => note(&format!("{} is empty, without a game", part.display())),
            Merged::Itself => {}
        }
    }
    if other > 0 {
        note(&format!(
            "{other} games were played twice and went another way, as they may with limits of time; the first are kept"
        ));
    }
    let games = merge.finish()?;
    let db = asked.db.display();
    if app.common.json {
        writeln!(out, "{}", json!({ "db": asked.db, "games": games, "new": new, "known": known, "other": other }))?;
    } else {
        writeln!(out, "{db}: {games} games, {new} of them new; {known} were there already")?;
    }
    Ok(())
}

/// `nply missing`.
pub(super) fn missing(asked: &args::Missing, app: &App, out: &mut Out) -> Result<(), Failure> {
    asked.waiting.set(|| false);
    let found = nply_arena::missing(&asked.files, asked.name.as_deref())?;
    let shards = found[0].shards;
    if let Some(other) = found.iter().find(|each| each.shards != shards) {
        let message =
            format!("match {:?} has {shards} shards, and match {:?} has {}", found[0].name, other.name, other.shards);
        return Err(Error::usage(message).help("select matches with --match").into());
    }
    let mut all: Vec<u32> = found.iter().flat_map(|each| &each.left).map(|&(shard, _)| shard).collect();
    all.sort_unstable();
    all.dedup();
    let array = array_text(&all);
    if app.common.json {
        let of = |each: &Missing| {
            let Missing { name, games, played, left, .. } = each;
            let left: Vec<_> = left.iter().map(|(shard, games)| json!({ "shard": shard, "games": games })).collect();
            json!({ "match": name, "games": games, "played": played, "missing": games - played, "shards": left })
        };
        let missing: u64 = found.iter().map(|each| each.games - each.played).sum();
        let matches: Vec<_> = found.iter().map(of).collect();
        let line = json!({ "count": shards, "array": array, "shards": all, "missing": missing, "matches": matches });
        writeln!(out, "{line}")?;
        return Ok(());
    }
    if !app.common.quiet {
        let mut rows = vec![["match", "games", "played", "missing", "shards to run"].map(String::from).to_vec()];
        rows.extend(found.iter().map(|each| {
            let own: Vec<u32> = each.left.iter().map(|&(shard, _)| shard).collect();
            let counts = [each.games, each.played, each.games - each.played].map(|count| count.to_string());
            let which = if own.is_empty() { "none".into() } else { format!("{} of {shards}", array_text(&own)) };
            std::iter::once(each.name.clone()).chain(counts).chain([which]).collect()
        }));
        let mut text = Vec::new();
        table(&mut text, &rows)?;
        eprintln!("{}", String::from_utf8_lossy(&text).trim_end());
    }
    if !array.is_empty() {
        writeln!(out, "{array}")?;
    }
    Ok(())
}
