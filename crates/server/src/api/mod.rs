//! The interface: one list of operations, from which both the router and the OpenAPI document are made.

pub(crate) mod extract;
mod games;
mod searches;
mod sessions;
mod tournaments;

use std::sync::Arc;

use axum::http::Method;
use axum::routing::{MethodRouter, delete, get, post, put};
use axum::{Json, Router};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::App;
use crate::error::ApiError;
use crate::sessions::State;
use crate::store::{Seat, Summary};
use crate::tournaments::{Entry, Replay, Setup, Whole};

/// Where the interface is.
pub(crate) const ROOT: &str = "/api/v1";

/// What a handler answers with.
pub(crate) type Answer<T> = Result<Json<T>, ApiError>;

/// Makes the schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// An operation of the interface.
pub(crate) struct Operation {
    pub(crate) method: Method,
    /// The path after [`ROOT`].
    pub(crate) path: &'static str,
    pub(crate) id: &'static str,
    pub(crate) about: &'static str,
    pub(crate) query: Option<SchemaOf>,
    pub(crate) body: Option<SchemaOf>,
    /// The status of success, and what it answers.
    pub(crate) success: (u16, Content),
    /// Whether it can conflict with the state of what it is about.
    pub(crate) conflicts: bool,
    handler: MethodRouter<Arc<App>>,
}

/// What an answer has in it.
pub(crate) enum Content {
    Nothing,
    Json(SchemaOf),
    Events,
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The schema itself, not a reference to it.
fn whole_schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

impl Operation {
    fn new(
        method: Method,
        path: &'static str,
        id: &'static str,
        about: &'static str,
        handler: MethodRouter<Arc<App>>,
    ) -> Operation {
        let success = (200, Content::Nothing);
        Operation { method, path, id, about, query: None, body: None, success, conflicts: false, handler }
    }

    fn query<T: JsonSchema>(self) -> Operation {
        Operation { query: Some(whole_schema::<T>), ..self }
    }

    fn body<T: JsonSchema>(self) -> Operation {
        Operation { body: Some(schema::<T>), ..self }
    }

    fn answers<T: JsonSchema>(self, status: u16) -> Operation {
        Operation { success: (status, Content::Json(schema::<T>)), ..self }
    }

    fn streams(self) -> Operation {
        Operation { success: (200, Content::Events), ..self }
    }

    fn removes(self) -> Operation {
        Operation { success: (204, Content::Nothing), ..self }
    }

    fn conflicts(self) -> Operation {
        Operation { conflicts: true, ..self }
    }
}

/// All operations.
pub(crate) fn operations() -> Vec<Operation> {
    let new = Operation::new;
    let (read, make, change, remove) = (Method::GET, Method::POST, Method::PUT, Method::DELETE);
    vec![
        new(read.clone(), "/openapi.json", "openapi", "Describe this interface", get(crate::openapi::document))
            .answers::<Value>(200),
        new(read.clone(), "/styles", "styles", "Describe how players, pieces and suits look", get(games::styles))
            .answers::<Value>(200),
        new(read.clone(), "/games", "games", "List the games", get(games::games)).answers::<Vec<games::Game>>(200),
        new(read.clone(), "/games/{name}/agents", "agents", "List the levels and agents of a game", get(games::agents))
            .query::<games::AgentsQuery>()
            .answers::<games::Agents>(200),
        new(read.clone(), "/position", "position", "Show a position without a session", get(games::position))
            .query::<games::PositionQuery>()
            .answers::<State>(200),
        new(make.clone(), "/sessions", "create-session", "Start a game", post(sessions::create))
            .body::<sessions::NewSession>()
            .answers::<State>(201),
        new(read.clone(), "/sessions", "sessions", "List the sessions", get(sessions::list))
            .answers::<Vec<Summary>>(200),
        new(read.clone(), "/sessions/{id}", "session", "Show a session", get(sessions::get))
            .query::<sessions::StateQuery>()
            .answers::<State>(200),
        new(remove.clone(), "/sessions/{id}", "delete-session", "Remove a session", delete(sessions::delete)).removes(),
        new(make.clone(), "/sessions/{id}/moves", "move", "Play a person's move", post(sessions::play))
            .body::<sessions::NewMove>()
            .answers::<State>(200)
            .conflicts(),
        new(make.clone(), "/sessions/{id}/think", "think", "Let the agent at turn play", post(sessions::think))
            .body::<sessions::AtPly>()
            .answers::<sessions::Started>(202)
            .conflicts(),
        new(make.clone(), "/sessions/{id}/hint", "hint", "Ask an agent what to play", post(sessions::hint))
            .body::<sessions::Hint>()
            .answers::<sessions::Started>(202)
            .conflicts(),
        new(make.clone(), "/sessions/{id}/undo", "undo", "Go back to a ply", post(sessions::undo))
            .body::<sessions::AtPly>()
            .answers::<State>(200)
            .conflicts(),
        new(make.clone(), "/sessions/{id}/resign", "resign", "Resign", post(sessions::resign))
            .body::<sessions::Resign>()
            .answers::<State>(200)
            .conflicts(),
        new(
            change,
            "/sessions/{id}/seats/{player}",
            "take-seat",
            "Give a seat to a person or an agent",
            put(sessions::take_seat),
        )
        .body::<Seat>()
        .answers::<State>(200),
        new(
            make.clone(),
            "/analyses",
            "analyze",
            "Search a position with agents side by side",
            post(searches::analyze),
        )
        .body::<searches::Analysis>()
        .answers::<searches::AllStarted>(202)
        .conflicts(),
        new(make.clone(), "/trees", "tree", "Show the tree that a search visits", post(searches::tree))
            .body::<searches::NewTree>()
            .answers::<Value>(200)
            .conflicts(),
        new(read.clone(), "/searches/{id}", "search", "Show what a search has found", get(searches::get))
            .answers::<crate::searches::Found>(200),
        new(
            remove.clone(),
            "/searches/{id}",
            "cancel-search",
            "Cancel a search, which keeps what it found",
            delete(searches::cancel),
        )
        .answers::<crate::searches::Found>(200),
        new(
            read.clone(),
            "/searches/{id}/events",
            "watch-search",
            "Watch a search: events thought, done, error",
            get(searches::watch),
        )
        .streams(),
        new(make.clone(), "/tournaments", "create-tournament", "Start a tournament", post(tournaments::create))
            .body::<Setup>()
            .answers::<Entry>(202),
        new(read.clone(), "/tournaments", "tournaments", "List the tournaments", get(tournaments::list))
            .answers::<Vec<Entry>>(200),
        new(read.clone(), "/tournaments/{id}", "tournament", "Show a tournament", get(tournaments::get))
            .answers::<Whole>(200),
        new(remove, "/tournaments/{id}", "delete-tournament", "Remove a tournament", delete(tournaments::delete))
            .removes()
            .conflicts(),
        new(
            read.clone(),
            "/tournaments/{id}/events",
            "watch-tournament",
            "Watch a tournament: events table, done, error",
            get(tournaments::watch),
        )
        .streams(),
        new(make.clone(), "/tournaments/{id}/stop", "stop-tournament", "Stop a tournament", post(tournaments::stop))
            .answers::<Entry>(200),
        new(make, "/tournaments/{id}/resume", "resume-tournament", "Resume a tournament", post(tournaments::resume))
            .answers::<Entry>(200),
        new(
            read.clone(),
            "/tournaments/{id}/games/{number}",
            "tournament-game",
            "Show a game of a tournament",
            get(tournaments::game),
        )
        .answers::<Replay>(200),
        new(read.clone(), "/results", "results", "List the files of results", get(tournaments::all_results))
            .answers::<Vec<crate::results::ResultsFile>>(200),
        new(
            read.clone(),
            "/results/{file}",
            "results-file",
            "Show the results of a file beside the paper's",
            get(tournaments::results_file),
        )
        .answers::<crate::results::Results>(200),
        new(read, "/results/{file}/game", "results-game", "Show a game of a file", get(tournaments::results_game))
            .query::<tournaments::GameQuery>()
            .answers::<Replay>(200),
    ]
}

/// The router of the interface.
pub(crate) fn router() -> Router<Arc<App>> {
    let add = |router: Router<Arc<App>>, Operation { path, handler, .. }| router.route(path, handler);
    operations().into_iter().fold(Router::new(), add)
}

/// Does something that takes time or waits for the disk, away from the threads that talk to the network.
pub(crate) async fn blocking<T: Send + 'static>(
    app: Arc<App>,
    call: impl FnOnce(&Arc<App>) -> Result<T, ApiError> + Send + 'static,
) -> Answer<T> {
    let done = tokio::task::spawn_blocking(move || call(&app)).await;
    done.unwrap_or_else(|_| Err(ApiError::internal("the request failed unexpectedly"))).map(Json)
}

/// Words separated by spaces.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// Players, separated by commas; none in an empty text.
fn viewers(text: &str) -> Result<Vec<usize>, ApiError> {
    let wrong =
        |_| ApiError::refused("viewers", format!("{text:?} is not a list of players")).help("write viewers=0,2");
    text.split(',').filter(|part| !part.is_empty()).map(|part| part.parse().map_err(wrong)).collect()
}
