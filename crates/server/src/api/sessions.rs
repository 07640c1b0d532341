//! Sessions: games that people and agents play.

use std::sync::Arc;

use axum::Json;
use axum::extract::State as Shared;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::extract::{Body, Path, Query};
use super::{Answer, blocking};
use crate::error::ApiError;
use crate::sessions::{Live, Opening, State};
use crate::store::{Seat, Summary};
use crate::{App, named, new_seed};

/// A new session.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSession {
    /// Name of the game, with options as in `nply play` or without.
    game: String,
    /// Options of the game.
    options: Option<serde_json::Map<String, Value>>,
    /// Number of players; the game's usual number if it is left out.
    players: Option<usize>,
    /// Random seed; a new one if it is left out.
    #[schemars(range(max = crate::LARGEST_SEED))]
    seed: Option<u64>,
    /// Position to start from.
    position: Option<String>,
    /// Moves to play first.
    moves: Option<Vec<String>>,
    /// Who plays, one for each player.
    seats: Vec<Seat>,
}

pub(crate) async fn create(
    Shared(app): Shared<Arc<App>>,
    Body(asked): Body<NewSession>,
) -> Result<(StatusCode, Json<State>), ApiError> {
    let state = blocking(app, move |app| {
        let opening = Opening {
            game: &named(&asked.game, asked.options.as_ref())?,
            players: asked.players,
            seed: crate::seed(asked.seed.unwrap_or_else(new_seed))?,
            position: asked.position.as_deref(),
            moves: asked.moves.as_deref().unwrap_or_default(),
        };
        app.sessions.create(app, Live::open(app, &opening)?, &asked.seats)
    });
    Ok((StatusCode::CREATED, state.await?))
}

pub(crate) async fn list(Shared(app): Shared<Arc<App>>) -> Answer<Vec<Summary>> {
    blocking(app, |app| Ok(app.store.list()?)).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateQuery {
    /// The players whose cards are shown, from 0, separated by commas; if it is left out, the only person.
    viewers: Option<String>,
    /// The ply to show; the last if it is left out.
    ply: Option<usize>,
}

pub(crate) async fn get(
    Shared(app): Shared<Arc<App>>,
    Path(id): Path<String>,
    Query(query): Query<StateQuery>,
) -> Answer<State> {
    let viewers = query.viewers.as_deref().map(super::viewers).transpose()?;
    blocking(app, move |app| app.sessions.with(app, &id, |live| live.state(query.ply, viewers.as_deref()))).await
}

pub(crate) async fn delete(Shared(app): Shared<Arc<App>>, Path(id): Path<String>) -> Result<StatusCode, ApiError> {
    let done = blocking(app, move |app| app.sessions.delete(app, &id)).await;
    done.map(|_| StatusCode::NO_CONTENT)
}

/// A person's move.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMove {
    /// The move, as it is written.
    #[serde(rename = "move")]
    m: String,
    /// The ply that it is for: the number of moves played before it.
    ply: usize,
    /// The players whose cards the answer shows.
    viewers: Option<Vec<usize>>,
}

pub(crate) async fn play(
    Shared(app): Shared<Arc<App>>,
    Path(id): Path<String>,
    Body(asked): Body<NewMove>,
) -> Answer<State> {
    changed(app, id, asked.viewers, move |app, live| live.person_moves(app, asked.ply, &asked.m)).await
}

/// Changes a session and answers with its new state.
async fn changed(
    app: Arc<App>,
    id: String,
    viewers: Option<Vec<usize>>,
    change: impl FnOnce(&Arc<App>, &mut Live) -> Result<(), ApiError> + Send + 'static,
) -> Answer<State> {
    blocking(app, move |app| {
        app.sessions.with(app, &id, |live| {
            // Viewers who may not look are refused before anything changes.
            live.state(Some(0), viewers.as_deref())?;
            change(app, live)?;
            live.state(None, viewers.as_deref())
        })
    })
    .await
}

/// A ply of a session.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AtPly {
    /// The number of moves played before it.
    ply: usize,
}

/// A search that was started.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Started {
    search: String,
}

pub(crate) async fn think(
    Shared(app): Shared<Arc<App>>,
    Path(id): Path<String>,
    Body(asked): Body<AtPly>,
) -> Result<(StatusCode, Json<Started>), ApiError> {
    let started = blocking(app, move |app| {
        app.sessions.with(app, &id, |live| Ok(Started { search: live.think(app, asked.ply)? }))
    });
    Ok((StatusCode::ACCEPTED, started.await?))
}

/// A question what to play.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hint {
    /// The number of moves played before it.
    ply: usize,
    /// The agent to ask; the one of the level hard if it is left out.
    agent: Option<String>,
    /// Its limits.
    budget: Option<String>,
}

pub(crate) async fn hint(
    Shared(app): Shared<Arc<App>>,
    Path(id): Path<String>,
    Body(asked): Body<Hint>,
) -> Result<(StatusCode, Json<Started>), ApiError> {
    let started = blocking(app, move |app| {
        app.sessions.with(app, &id, |live| {
            let search = live.hint(app, asked.ply, asked.agent.as_deref(), asked.budget.as_deref())?;
            Ok(Started { search })
        })
    });
    Ok((StatusCode::ACCEPTED, started.await?))
}

pub(crate) async fn undo(
    Shared(app): Shared<Arc<App>>,
    Path(id): Path<String>,
    Body(asked): Body<AtPly>,
) -> Answer<State> {
    changed(app, id, None, move |app, live| live.undo(app, asked.ply)).await
}

/// Who resigns.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resign {
    /// The player, from 0.
    player: usize,
}

pub(crate) async fn resign(
    Shared(app): Shared<Arc<App>>,
    Path(id): Path<String>,
    Body(asked): Body<Resign>,
) -> Answer<State> {
    changed(app, id, None, move |app, live| live.resign(app, asked.player)).await
}

pub(crate) async fn take_seat(
    Shared(app): Shared<Arc<App>>,
    Path((id, player)): Path<(String, usize)>,
    Body(seat): Body<Seat>,
) -> Answer<State> {
    changed(app, id, None, move |app, live| live.take_seat(app, player, &seat)).await
}
