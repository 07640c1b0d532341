//! Searches: analyses, progress, cancelling.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Json;
use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;

use super::extract::{Body, Path, Peer};
use super::{Answer, blocking};
use crate::error::ApiError;
use crate::events::events;
use crate::searches::{self, Found};
use crate::sessions::{Live, Opening};
use crate::{App, named};

/// A position, and the agents that are to search it side by side.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analysis {
    /// Name of the game, with options as in `nply search` or without.
    game: String,
    /// Options of the game.
    options: Option<serde_json::Map<String, Value>>,
    /// Number of players; the game's usual number if it is left out.
    players: Option<usize>,
    /// Random seed; 1 if it is left out.
    #[schemars(range(max = crate::LARGEST_SEED))]
    seed: Option<u64>,
    /// Position to start from.
    position: Option<String>,
    /// Moves to play first.
    moves: Option<Vec<String>>,
    agents: Vec<Analyst>,
}

/// An agent that analyzes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analyst {
    /// Its name with settings, as in `nply search --agent`.
    agent: String,
    /// Its limits, such as `time=5s`; a second if it is left out.
    budget: Option<String>,
    /// Number of best moves to list, by agents that can: 1 to 20.
    #[schemars(range(min = 1, max = 20))]
    lines: Option<usize>,
}

/// Searches that were started.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AllStarted {
    /// One for each agent, in their order.
    searches: Vec<String>,
}

/// The most agents of one analysis.
const MOST: usize = 8;

pub(crate) async fn analyze(
    Shared(app): Shared<Arc<App>>,
    Peer(address): Peer,
    Body(asked): Body<Analysis>,
) -> Result<(StatusCode, Json<AllStarted>), ApiError> {
    let started = blocking(app, move |app| {
        if asked.agents.is_empty() || asked.agents.len() > MOST {
            return Err(ApiError::refused("agents", format!("an analysis has 1 to {MOST} agents")));
        }
        let opening = Opening {
            game: &named(&asked.game, asked.options.as_ref())?,
            players: asked.players,
            seed: crate::seed(asked.seed.unwrap_or(1))?,
            position: asked.position.as_deref(),
            moves: asked.moves.as_deref().unwrap_or_default(),
        };
        let live = Live::open(app, &opening)?;
        // All of them are checked before the first one starts.
        let plan = |analyst: &Analyst| {
            let (budget, lines) = (analyst.budget.as_deref(), analyst.lines);
            let agent = crate::agents::with_lines(live.game(), live.players(), (&analyst.agent, budget), lines)?;
            live.plan(app, &agent, budget, false)
        };
        let plans = asked.agents.iter().map(plan).collect::<Result<Vec<_>, ApiError>>()?;
        let mut begun = Vec::new();
        for plan in plans {
            match searches::start(app, &format!("address {address}"), plan, |_, _| Ok(())) {
                Ok(search) => begun.push(search),
                Err(error) => {
                    begun.iter().for_each(|search| search.cancel());
                    return Err(error);
                }
            }
        }
        Ok(AllStarted { searches: begun.iter().map(|search| search.id.clone()).collect() })
    });
    Ok((StatusCode::ACCEPTED, started.await?))
}

/// A position, and the agent whose search is to be seen.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTree {
    /// Name of the game, with options as in `nply explain` or without.
    game: String,
    /// Options of the game.
    options: Option<serde_json::Map<String, Value>>,
    /// Number of players; the game's usual number if it is left out.
    players: Option<usize>,
    /// Random seed; 1 if it is left out.
    #[schemars(range(max = crate::LARGEST_SEED))]
    seed: Option<u64>,
    /// Position to start from.
    position: Option<String>,
    /// Moves to play first.
    moves: Option<Vec<String>>,
    /// The agent with its settings, as in `nply explain --agent`.
    agent: String,
    /// Depth of a tree search; 2 if it is left out.
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// Playouts of Monte-Carlo tree search; 60 if they are left out.
    #[schemars(range(min = 1, max = 10_000))]
    playouts: Option<u64>,
}

/// The most nodes of a tree.
const TREE_NODES: usize = 2000;
/// The most time for a tree: one of that many nodes is done long before.
const TREE_TIME: Duration = Duration::from_secs(1);

pub(crate) async fn tree(
    Shared(app): Shared<Arc<App>>,
    Peer(address): Peer,
    Body(asked): Body<NewTree>,
) -> Answer<Value> {
    let within = |what: &str, given: Option<u64>, usual: u64, most: u64| match given.unwrap_or(usual) {
        number if (1..=most).contains(&number) => Ok(number),
        number => Err(ApiError::refused("bad-value", format!("{what} is from 1 to {most}, not {number}"))),
    };
    let depth = within("depth", asked.depth.map(u64::from), 2, 20)?;
    let playouts = within("playouts", asked.playouts, 60, 10_000)?;
    let (sender, receiver) = oneshot::channel();
    // Whoever goes away does not want the tree any more.
    let stop = StopOnDrop::default();
    let flag = stop.0.clone();
    let Json(()) = blocking(app, move |app| {
        let opening = Opening {
            game: &named(&asked.game, asked.options.as_ref())?,
            players: asked.players,
            seed: crate::seed(asked.seed.unwrap_or(1))?,
            position: asked.position.as_deref(),
            moves: asked.moves.as_deref().unwrap_or_default(),
        };
        let live = Live::open(app, &opening)?;
        let mut plan = live.plan(app, &asked.agent, Some(&format!("depth={depth},playouts={playouts}")), false)?;
        plan.budget.time = plan.budget.time.map(|time| time.min(TREE_TIME));
        plan.budget.stop = Some(flag);
        app.pool.push(&format!("address {address}"), move || {
            let explain = || plan.session.explain(&plan.agent, plan.seed, &plan.budget, TREE_NODES);
            let explained = catch_unwind(AssertUnwindSafe(explain));
            let _ = sender.send(match explained {
                Ok(found) => found.map(|found| found.to_json(true)).map_err(ApiError::from),
                Err(_) => Err(ApiError::internal("the search failed unexpectedly")),
            });
        })
    })
    .await?;
    receiver.await.unwrap_or_else(|_| Err(ApiError::busy("stopping", "the server is stopping"))).map(Json)
}

/// Sets a stop flag when it is dropped.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(crate) async fn get(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Answer<Found> {
    Ok(Json(app.searches.get(&id)?.found()))
}

pub(crate) async fn cancel(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Answer<Found> {
    let search = app.searches.get(&id)?;
    search.cancel();
    // Searches look at the flag often: the answer has what was found in the end.
    let mut found = search.watch();
    let patience = std::time::Duration::from_millis(500);
    let _ = tokio::time::timeout(patience, found.wait_for(|found| found.done)).await;
    Ok(Json(search.found()))
}

pub(crate) async fn watch(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let search = app.searches.get(&id)?;
    let states = search.watch();
    Ok(events(states, app.stop.subscribe(), move |found: Found| {
        let shown = search.shown(&found);
        let name = if found.status == searches::Status::Failed {
            "error"
        } else if found.status.is_final() {
            "done"
        } else {
            "thought"
        };
        std::future::ready((name, shown, found.status.is_final()))
    }))
}
