//! Searches: under way, waiting for a thread, or finished and still known.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use nply::{Budget, Code};
use nply_arena::{MoveClicks, NamedAgent, Session, Thought, ThoughtLine};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

use crate::error::{ApiError, Detail};
use crate::{App, new_id};

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// It waits for a thread.
    #[default]
    Queued,
    Running,
    Done,
    /// It was cancelled, and has what it found until then.
    Cancelled,
    Failed,
}

impl Status {
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Status::Done | Status::Cancelled | Status::Failed)
    }
}

/// What a search has found.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Found {
    /// The search.
    pub(crate) search: String,
    pub(crate) status: Status,
    /// Whether it has ended.
    pub(crate) done: bool,
    /// The agent that searches.
    pub(crate) agent: String,
    /// The best move so far; absent while there is none, and where it would show hidden cards.
    #[serde(rename = "move")]
    pub(crate) m: Option<String>,
    /// The mover's score, in the evaluation's units, or share of the win.
    pub(crate) value: Option<f64>,
    /// The same for every player.
    pub(crate) scores: Option<Vec<f64>>,
    /// Each player's share of the win, as far as the agent can tell.
    pub(crate) chances: Option<Vec<f64>>,
    /// Plies of the last completed iteration; 0 where it would show hidden cards.
    pub(crate) depth: u32,
    /// Positions visited; 0 where it would show hidden cards.
    pub(crate) nodes: u64,
    /// Time used; 0 where it would show hidden cards.
    pub(crate) time_ms: f64,
    /// The principal variation.
    pub(crate) pv: Vec<String>,
    /// What a person would click for it, move by move.
    pub(crate) pv_clicks: Vec<Vec<String>>,
    /// The best few moves, best first, where several were asked for.
    pub(crate) lines: Vec<BestMove>,
    /// Why it failed.
    pub(crate) error: Option<Detail>,
}

/// One of the best few moves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct BestMove {
    #[serde(rename = "move")]
    pub(crate) m: String,
    /// The mover's score or share of the win.
    pub(crate) value: Option<f64>,
    /// The same for every player.
    pub(crate) scores: Option<Vec<f64>>,
    /// Each player's share of the win.
    pub(crate) chances: Option<Vec<f64>>,
    /// The principal variation that starts with the move.
    pub(crate) pv: Vec<String>,
}

/// JSON has no infinities.
fn finite(number: Option<f64>) -> Option<f64> {
    number.filter(|number| number.is_finite())
}

fn all_finite(numbers: Option<Vec<f64>>) -> Option<Vec<f64>> {
    numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()))
}

impl Found {
    fn fill(&mut self, thought: &Thought, clicks: Vec<MoveClicks>) {
        let Thought { m, value, scores, chances, depth, nodes, time, pv, lines } = thought.clone();
        (self.m, self.value) = (Some(m), finite(value));
        (self.scores, self.chances) = (all_finite(scores), all_finite(chances));
        (self.depth, self.nodes, self.time_ms, self.pv) = (depth, nodes, time.as_secs_f64() * 1e3, pv);
        self.pv_clicks = clicks.into_iter().map(|one| one.clicks).collect();
        let best = |ThoughtLine { value, scores, chances, pv }| BestMove {
            m: pv.first().cloned().unwrap_or_default(),
            value: finite(value),
            scores: all_finite(scores),
            chances: all_finite(chances),
            pv,
        };
        self.lines = lines.into_iter().map(best).collect();
    }

    /// Only what shows nothing of the agent's cards: even its depth, nodes and time depend on how many moves it has, and a
    /// program's own words on anything.
    pub(crate) fn veiled(&self) -> Found {
        let Found { search, status, done, agent, error, .. } = self.clone();
        let error = error.map(|error| {
            if error.code == Code::Forfeit.as_str() {
                Detail {
                    message: "the agent failed to choose; the reason could show its cards".into(),
                    help: None,
                    ..error
                }
            } else {
                error
            }
        });
        Found { search, status, done, agent, error, ..Found::default() }
    }
}

/// A search.
pub(crate) struct Search {
    pub(crate) id: String,
    stop: Arc<AtomicBool>,
    found: watch::Sender<Found>,
    /// Whether what it finds would show hidden cards.
    is_secret: bool,
}

impl Search {
    /// What it has found as far as everybody may know, now and later.
    pub(crate) fn watch(&self) -> watch::Receiver<Found> {
        self.found.subscribe()
    }

    pub(crate) fn found(&self) -> Found {
        self.shown(&self.found.borrow())
    }

    /// What everybody may know.
    pub(crate) fn shown(&self, found: &Found) -> Found {
        if self.is_secret { found.veiled() } else { found.clone() }
    }

    /// Ends it soon; it keeps what it found.
    pub(crate) fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn set(&self, change: impl FnOnce(&mut Found)) {
        self.found.send_modify(change);
    }
}

/// What a search does.
pub(crate) struct Plan {
    /// A session of its own.
    pub(crate) session: Box<dyn Session>,
    pub(crate) agent: NamedAgent,
    pub(crate) budget: Budget,
    pub(crate) seed: u64,
    /// Whether cards are hidden, so that nothing but the next move may be compared with the true position.
    pub(crate) is_hidden: bool,
    /// Whether what it finds would show cards to those who should not see them.
    pub(crate) is_secret: bool,
}

/// The least time between two reports of a search.
const PAUSE: Duration = Duration::from_millis(40);

impl Plan {
    /// Searches on this thread.
    fn run(mut self, search: &Search) -> Result<(), ApiError> {
        let number = self.session.seat(&self.agent, self.seed)?;
        let budget = Budget { stop: Some(search.stop.clone()), ..self.budget };
        let still = self.session.fork(self.session.played().len()).expect("it is the last ply");
        let fill = |thought: &Thought| {
            let known = if self.is_hidden { &thought.pv[..thought.pv.len().min(1)] } else { &thought.pv[..] };
            let clicks = still.line_clicks(known);
            search.set(|found| found.fill(thought, clicks));
        };
        let mut last: Option<Instant> = None;
        let thought = self.session.think(number, &budget, &mut |thought| {
            // How often something is found would show something as well.
            if !self.is_secret && last.is_none_or(|last| last.elapsed() >= PAUSE) {
                last = Some(Instant::now());
                fill(thought);
            }
        })?;
        fill(&thought);
        Ok(())
    }
}

/// All searches that are known.
#[derive(Default)]
pub(crate) struct Searches {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    searches: HashMap<String, Arc<Search>>,
    /// Those that have ended, the oldest first.
    finished: VecDeque<String>,
}

impl Searches {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("nobody panics with it")
    }

    pub(crate) fn get(&self, id: &str) -> Result<Arc<Search>, ApiError> {
        self.lock().searches.get(id).cloned().ok_or_else(|| ApiError::not_found(format_args!("search {id:?}")))
    }

    pub(crate) fn cancel_all(&self) {
        self.lock().searches.values().for_each(|search| search.cancel());
    }

    fn forget(&self, id: &str) {
        self.lock().searches.remove(id);
    }

    fn finish(&self, id: &str, most: usize) {
        let mut known = self.lock();
        known.finished.push_back(id.into());
        while known.finished.len() > most {
            let oldest = known.finished.pop_front().expect("there are too many");
            known.searches.remove(&oldest);
        }
    }
}

/// Queues a search. When it has ended, `then` is called with what it found, before anybody else learns that it is done.
pub(crate) fn start(
    app: &Arc<App>,
    key: &str,
    plan: Plan,
    then: impl FnOnce(&Search, &Found) -> Result<(), ApiError> + Send + 'static,
) -> Result<Arc<Search>, ApiError> {
    let id = new_id();
    let found = Found { search: id.clone(), agent: plan.agent.to_string(), ..Found::default() };
    let is_secret = plan.is_secret;
    let search = Arc::new(Search { id: id.clone(), stop: Arc::default(), found: watch::Sender::new(found), is_secret });
    app.searches.lock().searches.insert(id.clone(), search.clone());
    let (running, owner) = (search.clone(), app.clone());
    let pushed = app.pool.push(key, move || {
        let mut result = Ok(());
        if !running.is_cancelled() {
            running.set(|found| found.status = Status::Running);
            let failed = |_| Err(ApiError::internal("the search failed unexpectedly"));
            result = catch_unwind(AssertUnwindSafe(|| plan.run(&running))).unwrap_or_else(failed);
        }
        let found = running.found.borrow().clone();
        let result = result.and_then(|()| then(&running, &found));
        // Before its end is told: searches are forgotten in the order in which anybody learns that they are done.
        owner.searches.finish(&running.id, owner.options.limits.max_finished);
        running.set(|found| {
            (found.status, found.error) = match result {
                Err(error) => (Status::Failed, Some(error.detail)),
                Ok(()) if running.is_cancelled() => (Status::Cancelled, None),
                Ok(()) => (Status::Done, None),
            };
            found.done = true;
        });
    });
    if let Err(error) = pushed {
        app.searches.forget(&id);
        return Err(error);
    }
    Ok(search)
}
