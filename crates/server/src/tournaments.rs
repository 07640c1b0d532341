//! Tournaments: matches that are played in the background, each kept in a file of its own that `nply report` reads as well.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use nply::{Budget, Error, Spec};
use nply_arena::statistics::{Row as AgentRow, Tally};
use nply_arena::{
    GameRecord, KeptMatch, Match, MatchSettings, NamedAgent, Opening, Openings, Schedule, Seating, Store, Terms,
    lengths_svg, rates_svg, report,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use crate::error::{ApiError, Detail};
use crate::{App, agents, new_id};

/// What to play. The page makes its form from the description of these fields in the interface.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setup {
    /// Name of the game, with options as in `nply tournament` or without.
    pub(crate) game: String,
    /// Options of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) options: Option<serde_json::Map<String, Value>>,
    /// Number of players; the game's usual number if it is left out.
    #[serde(default)]
    pub(crate) players: Option<usize>,
    /// The agents with their settings; `fast=brs:nodes=10k` gives one a name.
    pub(crate) agents: Vec<String>,
    /// Number of games, rounded up so that every seating is played equally often; with fewer games than seatings, a balanced sample
    /// of them is played.
    pub(crate) games: u64,
    /// Limits of a move, such as `nodes=1k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) budget: Option<String>,
    /// Who meets in a game: everybody, one against the field, or two kinds of agents at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schedules")]
    pub(crate) schedule: Option<Schedule>,
    /// Each player's time for a whole game and, after a plus sign, what is added after each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = "60s+0.5s")]
    pub(crate) clock: Option<String>,
    /// When games are ended as shared: how often a position may repeat, and the number of plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = "repetition=3,plies=200")]
    pub(crate) adjudicate: Option<String>,
    /// Random moves that games start with, and how many: the same for all seatings of a round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = "random:4")]
    pub(crate) openings: Option<String>,
    /// Random seed; 1 if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = crate::LARGEST_SEED))]
    pub(crate) seed: Option<u64>,
}

/// The words for schedules.
fn schedules(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Schedule::ALL, "default": Schedule::default() })
}

/// How far a tournament is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// It waits for the tournaments before it.
    Queued,
    Running,
    /// It was interrupted and can be resumed.
    Stopped,
    Done,
    Failed,
}

impl Phase {
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Phase::Stopped | Phase::Done | Phase::Failed)
    }
}

/// A tournament in the list of all.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) setup: Setup,
    pub(crate) status: Phase,
    /// Number of games that are finished.
    pub(crate) played: u64,
    /// Number of games in all.
    pub(crate) total: u64,
    /// Why it failed.
    pub(crate) error: Option<Detail>,
}

/// A tournament with its results so far.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Table {
    #[serde(flatten)]
    pub(crate) entry: Entry,
    /// Rates with 95 % intervals and more, as `nply report --json` writes them.
    pub(crate) report: Value,
}

/// A tournament with its plots and games.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Whole {
    #[serde(flatten)]
    table: Table,
    plots: Vec<Plot>,
    games: Vec<Row>,
}

/// A plot.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Plot {
    pub(crate) name: &'static str,
    pub(crate) svg: String,
}

/// A game in the list of all.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Row {
    pub(crate) game: u64,
    /// The agent of each seat.
    pub(crate) seats: Vec<String>,
    /// Each seat's share of the win.
    pub(crate) payoff: Vec<f32>,
    pub(crate) plies: usize,
}

/// A game to replay.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Replay {
    /// The game with its options.
    pub(crate) game: String,
    pub(crate) players: usize,
    pub(crate) number: u64,
    /// Random seed, in decimal: it has up to 64 bits.
    pub(crate) seed: String,
    pub(crate) seats: Vec<String>,
    pub(crate) payoff: Vec<f32>,
    pub(crate) points: Option<Vec<f32>>,
    /// The moves, those of an opening first.
    pub(crate) moves: Vec<String>,
    /// The position that the game started from.
    pub(crate) position: String,
}

/// The progress of a tournament that runs.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    pub(crate) status: Phase,
    pub(crate) played: u64,
    error: Option<Detail>,
}

struct Running {
    stop: Arc<AtomicBool>,
    progress: watch::Sender<Progress>,
}

/// The tournaments that ran since the server was started.
#[derive(Default)]
pub(crate) struct Tournaments {
    running: Mutex<HashMap<String, Arc<Running>>>,
}

impl Tournaments {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        self.running.lock().expect("nobody panics with it")
    }

    fn get(&self, id: &str) -> Option<Arc<Running>> {
        self.lock().get(id).cloned()
    }

    pub(crate) fn stop_all(&self) {
        self.lock().values().for_each(|running| running.stop.store(true, Ordering::Relaxed));
    }

    /// Starts a new tournament.
    pub(crate) fn create(&self, app: &Arc<App>, setup: Setup) -> Result<Entry, ApiError> {
        let game = prepared(app, &setup)?;
        let id = new_id();
        let most = app.options.limits.max_tournaments;
        let kept = serde_json::to_value(&setup).expect("it has nothing that JSON does not");
        if !app.store.insert_tournament(&id, &kept, most)? {
            return Err(ApiError::busy("tournaments", format!("there are {most} tournaments, and no room for more"))
                .help("delete one, or start the server with a larger --max-tournaments"));
        }
        self.start(app, &id, game).inspect_err(|_| drop(app.store.delete_tournament(&id)))?;
        self.entry(app, &id)
    }

    /// Starts a tournament again that was stopped.
    pub(crate) fn resume(&self, app: &Arc<App>, id: &str) -> Result<Entry, ApiError> {
        let entry = self.entry(app, id)?;
        if entry.status == Phase::Stopped || entry.status == Phase::Failed {
            self.start(app, id, prepared(app, &entry.setup)?)?;
        }
        self.entry(app, id)
    }

    fn start(&self, app: &Arc<App>, id: &str, game: Match) -> Result<(), ApiError> {
        let (owner, name, path) = (app.clone(), id.to_string(), file(app, id));
        let mut game = game.resumed(&path, &name)?;
        let progress = Progress { status: Phase::Queued, played: 0, error: None };
        let running = Arc::new(Running { stop: Arc::default(), progress: watch::Sender::new(progress) });
        self.lock().insert(id.into(), running.clone());
        let pushed = app.background.push(id, move || {
            let stop = running.stop.clone();
            if !stop.load(Ordering::Relaxed) {
                running.progress.send_modify(|progress| progress.status = Phase::Running);
            }
            let (limit, late) = (owner.options.limits.max_tournament_time, stop.clone());
            let timer = owner.runtime.spawn(async move {
                tokio::time::sleep(limit).await;
                late.store(true, Ordering::Relaxed);
            });
            let watch = |_: &GameRecord| running.progress.send_modify(|progress| progress.played += 1);
            game.label_programs(&stop);
            let played = game.run_through(Some((&path, &name)), &stop, watch);
            timer.abort();
            running.progress.send_modify(|progress| {
                progress.status = match played {
                    Ok(games) if games == game.total() => Phase::Done,
                    Ok(_) => Phase::Stopped,
                    Err(error) => {
                        progress.error = Some(ApiError::from(error).detail);
                        Phase::Failed
                    }
                };
            });
        });
        pushed.inspect_err(|_| drop(self.lock().remove(id)))
    }

    pub(crate) fn stop(&self, app: &App, id: &str) -> Result<Entry, ApiError> {
        let entry = self.entry(app, id)?;
        if let Some(running) = self.get(id) {
            running.stop.store(true, Ordering::Relaxed);
        }
        Ok(entry)
    }

    pub(crate) fn delete(&self, app: &App, id: &str) -> Result<(), ApiError> {
        let entry = self.entry(app, id)?;
        if !entry.status.is_final() {
            return Err(ApiError::conflict("running", "the tournament is being played").help("stop it first"));
        }
        app.store.delete_tournament(id)?;
        self.lock().remove(id);
        // SQLite keeps two files beside it while it is open.
        for end in ["", "-wal", "-shm"] {
            let mut path = file(app, id).into_os_string();
            path.push(end);
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(ApiError::internal(format!("the file of games cannot be removed: {error}")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// All of them, the newest first.
    pub(crate) fn list(&self, app: &App) -> Result<Vec<Entry>, ApiError> {
        app.store.tournaments()?.into_iter().map(|(id, setup)| self.described(app, &id, setup)).collect()
    }

    pub(crate) fn entry(&self, app: &App, id: &str) -> Result<Entry, ApiError> {
        let setup = app.store.tournament(id)?.ok_or_else(|| missing(id))?;
        self.described(app, id, setup)
    }

    fn described(&self, app: &App, id: &str, setup: Value) -> Result<Entry, ApiError> {
        let setup: Setup = serde_json::from_value(setup)
            .map_err(|error| ApiError::internal(format!("tournament {id} is damaged: {error}")))?;
        let total = match prepared(app, &setup) {
            Ok(game) => game.resumed(&file(app, id), id)?.total(),
            Err(_) => setup.games,
        };
        let progress = self.get(id).map(|running| running.progress.borrow().clone());
        let (status, played, error) = match progress {
            Some(Progress { status, played, error }) => (status, played, error),
            None => {
                let played = kept(app, id)?.map_or(0, |(_, kept)| kept.games);
                (if played >= total { Phase::Done } else { Phase::Stopped }, played, None)
            }
        };
        Ok(Entry { id: id.into(), setup, status, played, total, error })
    }

    /// The progress of one that ran since the server was started.
    pub(crate) fn watch(&self, id: &str) -> Option<watch::Receiver<Progress>> {
        Some(self.get(id)?.progress.subscribe())
    }

    pub(crate) fn table(&self, app: &App, id: &str) -> Result<Table, ApiError> {
        Ok(self.results(app, id, |_, _| ())?.0)
    }

    /// The tally of a tournament's games, each of which `call` sees.
    fn results(
        &self,
        app: &App,
        id: &str,
        mut call: impl FnMut(&MatchSettings, &GameRecord),
    ) -> Result<(Table, Tally), ApiError> {
        let entry = self.entry(app, id)?;
        let tally = match kept(app, id)? {
            Some((store, kept)) => {
                let mut tally = Tally::new(&app.registry, &kept.settings);
                store.each(&kept, 0..u64::MAX, u64::MAX, |record| {
                    tally.add(&record);
                    call(&kept.settings, &record);
                })?;
                tally
            }
            None => Tally::new(&app.registry, &prepared(app, &entry.setup)?.settings()),
        };
        let report = report::json(id, &tally);
        Ok((Table { entry, report }, tally))
    }

    pub(crate) fn whole(&self, app: &App, id: &str) -> Result<Whole, ApiError> {
        let mut games = Vec::new();
        let (table, tally) = self.results(app, id, |settings, record| games.push(row(settings, record)))?;
        Ok(Whole { plots: plots(&tally), table, games })
    }

    pub(crate) fn game(&self, app: &App, id: &str, number: u64) -> Result<Replay, ApiError> {
        self.entry(app, id)?;
        let missing = || ApiError::not_found(format_args!("game {number}"));
        let (store, kept) = kept(app, id)?.ok_or_else(missing)?;
        replay(app, &kept.settings, &store.game(&kept, number)?.ok_or_else(missing)?)
    }
}

fn missing(id: &str) -> ApiError {
    ApiError::not_found(format_args!("tournament {id:?}"))
}

/// The plots of a match.
pub(crate) fn plots(tally: &Tally) -> Vec<Plot> {
    if tally.games() == 0 {
        return Vec::new();
    }
    let settings = tally.settings();
    let title =
        |what: &str| format!("{what}: {}, {} players, {} games", settings.game, settings.players, tally.games());
    let rate = |(name, row): (String, AgentRow)| (name, row.rate.value, (row.rate.low, row.rate.high));
    let rates: Vec<(String, f64, (f64, f64))> = settings.labels().into_iter().zip(tally.rows()).map(rate).collect();
    vec![
        Plot { name: "rates", svg: rates_svg(&title("Rates"), &rates, settings.even_rate()) },
        Plot { name: "lengths", svg: lengths_svg(&title("Lengths of games"), tally.lengths()) },
    ]
}

fn seats(settings: &MatchSettings, record: &GameRecord) -> Vec<String> {
    record.seating.iter().map(|&agent| settings.label(agent).into()).collect()
}

pub(crate) fn row(settings: &MatchSettings, record: &GameRecord) -> Row {
    let (payoff, plies) = (record.payoff.clone(), record.moves.len());
    Row { game: record.number, seats: seats(settings, record), payoff, plies }
}

pub(crate) fn replay(app: &App, settings: &MatchSettings, record: &GameRecord) -> Result<Replay, ApiError> {
    let start = Opening { moves: Vec::new(), ..record.opening.clone() };
    let position = app.registry.find(&settings.game)?.open(&start.request(settings.players, record.seed))?.position();
    Ok(Replay {
        game: settings.game.clone(),
        players: settings.players,
        number: record.number,
        seed: record.seed.to_string(),
        seats: seats(settings, record),
        payoff: record.payoff.clone(),
        points: record.points.clone(),
        moves: [&record.opening.moves[..], &record.moves[..]].concat(),
        position,
    })
}

fn file(app: &App, id: &str) -> PathBuf {
    app.store.beside("tournaments").join(format!("{id}.db"))
}

/// The file of a tournament and its match there, if it has one.
fn kept(app: &App, id: &str) -> Result<Option<(Store, KeptMatch)>, ApiError> {
    let path = file(app, id);
    if !path.metadata().is_ok_and(|file| file.len() > 0) {
        return Ok(None);
    }
    let store = Store::open(&path)?;
    let kept = store.matches()?.into_iter().next();
    Ok(kept.map(|kept| (store, kept)))
}

/// The most agents of a tournament.
const MOST_AGENTS: usize = 6;

/// A setting that is written as in the command.
fn read<T: FromStr<Err = Error>>(key: &str, text: &Option<String>) -> Result<Option<T>, Error> {
    text.as_deref().map(|text| text.parse().map_err(|error: Error| error.within(key))).transpose()
}

/// The match, checked against what the server allows.
fn prepared(app: &App, setup: &Setup) -> Result<Match, ApiError> {
    let limits = &app.options.limits;
    let game = app.registry.find_json(&crate::named(&setup.game, setup.options.as_ref())?)?;
    let players = game.player_count(setup.players)?;
    if setup.agents.is_empty() || setup.agents.len() > MOST_AGENTS {
        return Err(ApiError::refused("agents", format!("a tournament has 1 to {MOST_AGENTS} agents here")));
    }
    let clamped = |budget: Budget| {
        let time = Some(budget.time.unwrap_or(limits.max_move_time).min(limits.max_move_time));
        Budget { time, ..budget }
    };
    let common: Budget = setup.budget.as_deref().unwrap_or_default().parse()?;
    let terms = Terms {
        clock: read("clock", &setup.clock)?,
        adjudication: read("adjudicate", &setup.adjudicate)?.unwrap_or_default(),
    };
    let agent = |text: &String| -> Result<NamedAgent, ApiError> {
        let (label, spec) = Spec::parse_named(text)?;
        let spec = agents::allowed(app, &game, players, &spec.to_string(), &common)?;
        let mut agent = game.agent(&spec.to_string(), players)?;
        agent.label = label;
        agent.budget = agent.budget.take().map(clamped);
        Ok(agent)
    };
    let agents = setup.agents.iter().map(agent).collect::<Result<Vec<NamedAgent>, ApiError>>()?;
    // A file would be one of the server's.
    if let Some(openings) = setup.openings.as_ref().filter(|openings| !openings.starts_with("random:")) {
        let message = format!("openings are random here, and {openings:?} is something else");
        return Err(ApiError::refused("openings", message).help("write random:4 for four plies"));
    }
    let read = |text: &String| Openings::read(text, Path::new(""), &app.registry, &game, players);
    let openings = setup.openings.as_ref().map(read).transpose()?;
    let (games, seed, progress) = (setup.games, setup.seed.unwrap_or(1), (|_, _| ()) as fn(&str, f64));
    let mut game = Match {
        game,
        players,
        agents,
        games,
        budget: common,
        terms,
        openings,
        seating: Seating::All,
        schedule: setup.schedule.unwrap_or_default(),
        sampled: None,
        seed,
        threads: 1,
        progress,
    };
    game.check_schedule()?;
    game.check_limits()?;
    game.budget = clamped(game.budget);
    if games == 0 || games > limits.max_games || game.total() > limits.max_games {
        let message = format!("a tournament has 1 to {} games here", limits.max_games);
        return Err(ApiError::refused("games", message)
            .help(format!("the number is rounded up to a multiple of the {} seatings", game.seatings().count())));
    }
    Ok(game)
}

impl Progress {
    /// The progress of a tournament that does not run.
    pub(crate) fn of(entry: &Entry) -> Progress {
        Progress { status: entry.status, played: entry.played, error: entry.error.clone() }
    }
}
