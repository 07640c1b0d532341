//! `nply reproduce --plan`: plays what is missing in a folder of results.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, SystemTime};

use nply::Error;
use nply_arena::{FINGERPRINT, KeptMatch, Match, Plan, Planned, Results as Measured, Run, Store};

use super::App;
use super::shards::Place;
use super::stop::{is_stopped, stop_after};
use super::tournament::{check_memory, play};
use crate::args::Reproduce;
use crate::output::{self, Failure};

/// How often games under way are packed, so that an interruption loses no more.
const INTERVAL: Duration = Duration::from_secs(180);

/// Reads a plan; its folder is that of the results.
pub(super) fn read(path: &Path) -> Result<(Plan, PathBuf), Error> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| Error::file(format!("cannot read {shown}: {error}")))?;
    let plan = Plan::parse(&text).map_err(|error| error.within(&shown))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((plan, folder.into()))
}

/// Plays the missing games of a plan in its order; one process for each file at a time.
pub(super) fn run(asked: &Reproduce, app: &App, path: &Path) -> Result<(), Failure> {
    let (plan, folder) = read(path)?;
    let only = asked.only.as_deref().unwrap_or_default();
    let is_asked = |run: &&Run| only.split(',').any(|prefix| run.file_name().starts_with(prefix));
    let runs: Vec<&Run> = plan.runs.iter().filter(is_asked).collect();
    if runs.is_empty() {
        let names: BTreeSet<String> = plan.runs.iter().map(Run::table).collect();
        let names = names.into_iter().collect::<Vec<String>>().join(", ");
        return Err(Error::usage(format!("no file of the plan starts with {only:?}")).help(names).into());
    }
    // All are checked before the first game.
    let mut planned = Vec::new();
    for run in runs {
        let file = run.file(&app.registry, &folder)?;
        let mut matches = run.matches(&app.registry, &file, plan.games(run))?;
        for each in &mut matches {
            (each.game.threads, each.game.progress) = (app.common.threads(), output::progress);
            let checked = each.game.check_limits().and_then(|()| check_memory(&each.game.demand()).map(drop));
            checked.map_err(|error| error.within(format_args!("match {}", each.name)))?;
        }
        planned.push((folder.join(run.file_name()), matches));
    }
    if !asked.replace {
        planned.iter().try_for_each(|(packed, matches)| check_kept(packed, matches))?;
    }
    if let Some(time) = asked.time {
        stop_after(time);
    }
    for (packed, matches) in &planned {
        let missing = missing(packed, matches, asked.replace)?;
        if missing.is_empty() {
            continue;
        }
        let Some(results) = Results::open(packed, app)? else { continue };
        for each in missing {
            results.play(each, asked.replace, app)?;
            results.pack()?;
            if is_stopped() {
                break;
            }
        }
        results.close();
        if is_stopped() {
            break;
        }
    }
    let left = |(packed, matches): &(PathBuf, Vec<Planned>)| Ok(missing(packed, matches, asked.replace)?.len());
    match planned.iter().map(left).sum::<Result<usize, Error>>()? {
        0 => app.note("all matches of the plan are complete"),
        left if asked.time.is_none() && is_stopped() => {
            let error = Error::failed(format!("stopped with {left} matches to play"));
            return Err(error.help("the same command resumes them").into());
        }
        left => app.note(&format!("{left} matches are left; the same command resumes them")),
    }
    Ok(())
}

/// Writes the blocks of a page anew, and its plots; with `--check`, compares them with what is there.
pub(super) fn write_page(asked: &Reproduce, app: &App, page: &Path) -> Result<(), Failure> {
    let (plan, folder) = read(asked.plan.as_deref().unwrap_or(Path::new("results/plan.toml")))?;
    let results = Measured::read(&app.registry, &plan, &folder)?;
    let shown = page.display();
    let old = fs::read_to_string(page).map_err(|error| Error::file(format!("cannot read {shown}: {error}")))?;
    let (text, plots) = results.write(&old).map_err(|error| error.within(&shown))?;
    let beside = page.parent().unwrap_or(Path::new(""));
    let files = plots.into_iter().map(|(path, svg)| (beside.join(path), svg));
    for (path, content) in std::iter::once((page.to_path_buf(), text)).chain(files) {
        if fs::read_to_string(&path).is_ok_and(|there| there == content) {
            continue;
        }
        if asked.check {
            let message = format!("{} is not what the results give", path.display());
            let help = format!("`nply reproduce --page={shown}` writes it anew");
            return Err(Error::failed(message).help(help).into());
        }
        let failed = |error: std::io::Error| Error::file(format!("cannot write {}: {error}", path.display()));
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
        fs::write(&path, content).map_err(failed)?;
        app.note(&format!("{} is written", path.display()));
    }
    Ok(())
}

impl App {
    /// Reports what goes on, in a line.
    pub(super) fn note(&self, text: &str) {
        if !self.common.quiet {
            eprintln!("{text}");
        }
    }
}

/// Whether a kept match is what the plan asks for, and all of it.
fn is_complete(kept: &KeptMatch, game: &Match, replace: bool) -> bool {
    let is_current = kept.settings.fingerprint.as_deref() == Some(FINGERPRINT);
    kept.games >= game.total() && game.is_same(&kept.settings) && (is_current || !replace)
}

/// Checks that what is kept of these matches is complete, or can be resumed.
fn check_kept(packed: &Path, matches: &[Planned]) -> Result<(), Error> {
    for each in missing(packed, matches, false)? {
        let kept = if packed.exists() { Store::open(packed)?.matches()? } else { Vec::new() };
        if let Some(kept) = kept.iter().find(|kept| kept.name == each.name && !is_resumable(kept, &each.game)) {
            let is_same = each.game.is_same(&kept.settings);
            let how =
                if is_same { "begun by a program with other search behavior" } else { "played with other settings" };
            let message = format!("match {} in {} was {how}", kept.name, packed.display());
            return Err(Error::failed(message).help("--replace plays it anew, and --only PREFIX leaves out files"));
        }
    }
    Ok(())
}

/// Whether this program may add games to a kept match.
fn is_resumable(kept: &KeptMatch, game: &Match) -> bool {
    game.is_same(&kept.settings) && kept.settings.fingerprint.as_deref() == Some(FINGERPRINT)
}

/// The matches that are not complete in a packed file.
fn missing<'a>(packed: &Path, matches: &'a [Planned], replace: bool) -> Result<Vec<&'a Planned>, Error> {
    let kept = if packed.exists() { Store::open(packed)?.matches()? } else { Vec::new() };
    let is_there =
        |each: &Planned| kept.iter().any(|kept| kept.name == each.name && is_complete(kept, &each.game, replace));
    Ok(matches.iter().filter(|each| !is_there(each)).collect())
}

/// A packed file being added to, by way of an unpacked one beside it.
struct Results<'a> {
    packed: &'a Path,
    /// The unpacked file, which is gone when nothing is under way.
    db: PathBuf,
    lock: PathBuf,
    _locked: File,
}

impl<'a> Results<'a> {
    /// Unpacks a file; `None` if another process adds to it.
    fn open(packed: &'a Path, app: &App) -> Result<Option<Results<'a>>, Error> {
        let (db, lock) = (packed.with_extension(""), packed.with_extension("lock"));
        let failed = |error: std::io::Error| Error::file(format!("cannot write {}: {error}", lock.display()));
        let file = File::create(&lock).map_err(failed)?;
        if file.try_lock().is_err() {
            app.note(&format!("{} is being written by another process: skipped", packed.display()));
            return Ok(None);
        }
        // One that is left is newer than the packed one if the process was killed.
        let log = with_suffix(&db, "-wal");
        if changed(packed) >= changed(&db).max(changed(&log)) {
            [&db, &log, &with_suffix(&db, "-shm")].into_iter().for_each(|left| drop(fs::remove_file(left)));
        }
        if packed.exists() && !db.exists() {
            Store::extract(packed, &db)?;
        }
        Ok(Some(Results { packed, db, lock, _locked: file }))
    }

    /// Plays the games of a match that are missing and packs the file from time to time.
    fn play(&self, planned: &Planned, replace: bool, app: &App) -> Result<(), Failure> {
        let Planned { name, game, .. } = planned;
        if replace {
            self.remove_other(name, game)?;
        }
        app.note(&format!("{name}: {} games, {}", game.total(), game.budget));
        let (done, under_way) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let packing = scope.spawn(move || {
                while under_way.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    self.pack()?;
                }
                Ok::<(), Error>(())
            });
            let place = Place { db: Some(&self.db), shard: None };
            let outcome = play(game, name, place, None, app, |_| Ok(()));
            drop(done);
            packing.join().expect("packing does not panic")?;
            outcome.map(drop)
        })
    }

    /// Removes a match of this name that another program played, or that was played with other settings.
    fn remove_other(&self, name: &str, game: &Match) -> Result<(), Error> {
        if !self.db.exists() {
            return Ok(());
        }
        let store = Store::create(&self.db)?;
        let others = store.matches()?.into_iter().filter(|kept| kept.name == name && !is_resumable(kept, game));
        others.into_iter().try_for_each(|kept| store.remove(&kept))
    }

    /// Packs the file as it is now, in one step.
    fn pack(&self) -> Result<(), Error> {
        if !self.db.exists() {
            return Ok(());
        }
        let part = self.packed.with_extension("part");
        let failed = |error: std::io::Error| Error::file(format!("cannot write {}: {error}", self.packed.display()));
        fs::write(&part, Store::create(&self.db)?.pack()?).map_err(failed)?;
        fs::rename(&part, self.packed).map_err(failed)
    }

    /// Removes the unpacked file, all of which is packed.
    fn close(self) {
        let _ = fs::remove_file(&self.db);
        let _ = fs::remove_file(&self.lock);
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// When a file was last changed; none if there is none.
fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|file| file.modified()).ok()
}
