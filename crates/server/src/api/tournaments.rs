//! Tournaments, and results that were kept before.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::extract::{Body, Path, Query};
use super::{Answer, blocking};
use crate::App;
use crate::error::ApiError;
use crate::events::events;
use crate::results::{self, Results, ResultsFile};
use crate::tournaments::{Entry, Progress, Replay, Setup, Whole};

pub(crate) async fn create(
    Shared(app): Shared<Arc<App>>,
    Body(setup): Body<Setup>,
) -> Result<(StatusCode, Json<Entry>), ApiError> {
    let entry = blocking(app, move |app| {
        crate::seed(setup.seed.unwrap_or(1))?;
        app.tournaments.create(app, setup)
    });
    Ok((StatusCode::ACCEPTED, entry.await?))
}

pub(crate) async fn list(Shared(app): Shared<Arc<App>>) -> Answer<Vec<Entry>> {
    blocking(app, |app| app.tournaments.list(app)).await
}

pub(crate) async fn get(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Answer<Whole> {
    blocking(app, move |app| app.tournaments.whole(app, &id)).await
}

pub(crate) async fn stop(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Answer<Entry> {
    blocking(app, move |app| app.tournaments.stop(app, &id)).await
}

pub(crate) async fn resume(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Answer<Entry> {
    blocking(app, move |app| app.tournaments.resume(app, &id)).await
}

pub(crate) async fn delete(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Result<StatusCode, ApiError> {
    let done = blocking(app, move |app| app.tournaments.delete(app, &id)).await;
    done.map(|_| StatusCode::NO_CONTENT)
}

pub(crate) async fn game(Shared(app): Shared<Arc<App>>, Path((id, number)): Path<(String, u64)>) -> Answer<Replay> {
    blocking(app, move |app| app.tournaments.game(app, &id, number)).await
}

/// The least time between two tables of a stream.
const PAUSE: Duration = Duration::from_millis(250);

pub(crate) async fn watch(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let (asked, name) = (app.clone(), id.clone());
    let entry = blocking(asked, move |app| app.tournaments.entry(app, &name)).await?.0;
    let states = match app.tournaments.watch(&id) {
        Some(states) => states,
        // It ran before the server was started: there is one state, the last.
        None => tokio::sync::watch::Sender::new(Progress::of(&entry)).subscribe(),
    };
    let stop = app.stop.subscribe();
    Ok(events(states, stop, move |progress: Progress| {
        let (app, id) = (app.clone(), id.clone());
        async move {
            let is_final = progress.status.is_final();
            if !is_final {
                tokio::time::sleep(PAUSE).await;
            }
            let table = blocking(app, move |app| app.tournaments.table(app, &id)).await;
            match table {
                Ok(Json(table)) => {
                    let table = serde_json::to_value(table).unwrap_or(Value::Null);
                    (if is_final { "done" } else { "table" }, table, is_final)
                }
                Err(error) => ("error", serde_json::json!({ "error": error.detail }), true),
            }
        }
    }))
}

pub(crate) async fn all_results(Shared(app): Shared<Arc<App>>) -> Answer<Vec<ResultsFile>> {
    blocking(app, |app| results::list(app)).await
}

pub(crate) async fn results_file(Shared(app): Shared<Arc<App>>, Path(file): Path<String>) -> Answer<Results> {
    blocking(app, move |app| results::whole(app, &file)).await
}

/// A game of a file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameQuery {
    /// Name of the match.
    #[serde(rename = "match")]
    name: String,
    /// Number of the game in the match, from 0.
    game: u64,
}

pub(crate) async fn results_game(
    Shared(app): Shared<Arc<App>>,
    Path(file): Path<String>,
    Query(query): Query<GameQuery>,
) -> Answer<Replay> {
    blocking(app, move |app| results::game(app, &file, &query.name, query.game)).await
}
