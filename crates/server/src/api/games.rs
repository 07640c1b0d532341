//! Games, agents, levels, positions.

use std::sync::Arc;

use axum::Json;
use axum::extract::State as Shared;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::extract::{Path, Query};
use super::{Answer, blocking, words};
use crate::error::ApiError;
use crate::levels::{Level, levels};
use crate::sessions::{Live, Opening, State, hides};
use crate::{App, named};

/// A game.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Game {
    name: &'static str,
    about: &'static str,
    /// The numbers of players that can play.
    players: &'static [usize],
    usual_players: usize,
    /// Whether its options can hide cards.
    hidden: bool,
    /// A JSON Schema of the options.
    options: Value,
    evaluations: Vec<Evaluation>,
    /// Whether its positions have a scene, as they have with the usual options.
    scene: bool,
    /// How moves are written.
    move_form: &'static str,
}

/// An evaluation of a game.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Evaluation {
    name: &'static str,
    about: &'static str,
}

pub(crate) async fn games(Shared(app): Shared<Arc<App>>) -> Answer<Vec<Game>> {
    blocking(app, |app| Ok(app.registry.games().map(|info| described(app, info)).collect())).await
}

fn described(app: &App, info: &nply_arena::GameInfo) -> Game {
    Game {
        name: info.name,
        about: info.about,
        players: info.players,
        usual_players: info.usual_players,
        hidden: can_hide(app, info),
        options: info.schema(),
        evaluations: info.evaluations.iter().map(|&(name, about)| Evaluation { name, about }).collect(),
        scene: opened(app, info.name).is_some_and(|session| session.scene(&[]).is_some()),
        move_form: info.move_form,
    }
}

/// Whether the game or one of its options that are switched on hides something from somebody.
fn can_hide(app: &App, info: &nply_arena::GameInfo) -> bool {
    let flags = info.options.iter().filter(|option| option.domain == nply::settings::Domain::Flag);
    let names = flags.map(|flag| format!("{}:{}=yes", info.name, flag.key));
    std::iter::once(info.name.to_string())
        .chain(names)
        .any(|name| opened(app, &name).is_some_and(|session| hides(&*session)))
}

/// The start of a game.
fn opened(app: &App, name: &str) -> Option<Box<dyn nply_arena::Session>> {
    app.registry.find(name).and_then(|game| game.open(&nply_arena::Request::default())).ok()
}

/// How players, pieces and suits look.
pub(crate) async fn styles() -> Answer<Value> {
    Ok(Json(nply_arena::styles_json()))
}

/// The agents and levels of a game.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Agents {
    levels: Vec<Level>,
    agents: Vec<Agent>,
}

/// An agent.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Agent {
    name: &'static str,
    about: &'static str,
    /// The limits that it takes.
    limits: Vec<&'static str>,
    /// Whether it needs one of them.
    needs_limit: bool,
    /// A JSON Schema of its settings.
    schema: Value,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentsQuery {
    /// Number of players; the game's usual number if it is left out.
    players: Option<usize>,
}

pub(crate) async fn agents(
    Shared(app): Shared<Arc<App>>,
    Path(name): Path<String>,
    Query(query): Query<AgentsQuery>,
) -> Answer<Agents> {
    let found = app.registry.games().any(|info| info.name == name);
    if !found {
        return Err(ApiError::not_found(format_args!("game {name:?}")));
    }
    let game = app.registry.find(&name)?;
    let players = game.player_count(query.players)?;
    // What the server refuses is not offered.
    let uses_files = |info: &nply_arena::AgentInfo| {
        info.settings.iter().any(|setting| setting.domain == nply::settings::Domain::Path)
    };
    let agents = game.agents().into_iter().filter(|info| app.options.allow_programs || !uses_files(info));
    let agent = |info: nply_arena::AgentInfo| Agent {
        name: info.name,
        about: info.about,
        limits: info.limits.iter().map(|limit| limit.key()).collect(),
        needs_limit: info.needs_limit,
        schema: info.schema(game.info()),
    };
    Ok(Json(Agents { levels: levels(&game, players), agents: agents.map(agent).collect() }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PositionQuery {
    /// Name of the game, with options as in `nply show` or without.
    game: String,
    /// Options of the game, as a JSON object.
    options: Option<String>,
    /// Number of players; the game's usual number if it is left out.
    players: Option<usize>,
    /// Random seed; 1 if it is left out.
    #[schemars(range(max = crate::LARGEST_SEED))]
    seed: Option<u64>,
    /// Position to start from.
    position: Option<String>,
    /// Moves to play first, separated by spaces.
    moves: Option<String>,
    /// The ply to show; the last if it is left out.
    ply: Option<usize>,
    /// The players whose cards are shown, from 0, separated by commas; all if it is left out.
    viewers: Option<String>,
}

pub(crate) async fn position(Shared(app): Shared<Arc<App>>, Query(query): Query<PositionQuery>) -> Answer<State> {
    let viewers = query.viewers.as_deref().map(super::viewers).transpose()?;
    blocking(app, move |app| {
        let options = query.options.as_deref().map(serde_json::from_str).transpose();
        let options: Option<serde_json::Map<String, Value>> =
            options.map_err(|_| ApiError::refused("bad-value", "the options are not a JSON object"))?;
        let opening = Opening {
            game: &named(&query.game, options.as_ref())?,
            players: query.players,
            seed: crate::seed(query.seed.unwrap_or(1))?,
            position: query.position.as_deref(),
            moves: &words(query.moves.as_deref().unwrap_or_default()),
        };
        Live::open(app, &opening)?.state(query.ply, viewers.as_deref())
    })
    .await
}
