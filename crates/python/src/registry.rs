//! What there is by name.

use std::collections::HashMap;
use std::sync::OnceLock;

use nply::settings::{self, Setting};
use nply::{Budget, Error, Spec};
use nply_arena::{AgentInfo, GameInfo, Registry, schema};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::raised;

/// The games and agents of nply.
pub(crate) fn standard() -> &'static Registry {
    static STANDARD: OnceLock<Registry> = OnceLock::new();
    STANDARD.get_or_init(Registry::standard)
}

/// The declarations of all games, as JSON.
#[pyfunction]
pub(crate) fn games() -> String {
    let game = |info: &GameInfo| {
        json!({
            "name": info.name, "about": info.about, "players": info.players, "usual_players": info.usual_players,
            "options": info.schema()["properties"], "evaluations": info.evaluations.iter().map(|(name, _)| *name).collect::<Vec<&str>>(),
            "out_of_turn": info.is_out_of_turn, "move_form": info.move_form,
        })
    };
    Value::from_iter(standard().games().map(game)).to_string()
}

/// The declarations of all agents, as JSON: each with its settings, those of the games' orderings and its limits, in order, with schemas.
#[pyfunction]
pub(crate) fn agents() -> String {
    let agent = |info: &AgentInfo| {
        let keywords = keywords(info);
        let all = schema(info.name, info.about, &keywords, &[]);
        let setting = |setting: &Setting| json!([setting.key, all["properties"][setting.key]]);
        let settings: Vec<Value> = keywords.iter().map(setting).collect();
        json!({ "name": info.name, "about": info.about, "rule": info.rule, "settings": settings })
    };
    Value::from_iter(standard().agents().iter().map(agent)).to_string()
}

/// Everything that may follow an agent's name in any game.
fn keywords(info: &AgentInfo) -> Vec<Setting> {
    let mut all = info.settings.clone();
    let has = |all: &[Setting], key: &str| all.iter().any(|setting| setting.key == key);
    for game in standard().games().filter(|_| info.uses_order) {
        let new: Vec<Setting> = game.order.iter().filter(|setting| !has(&all, setting.key)).cloned().collect();
        all.extend(new);
    }
    let limits = settings::list(&mut Budget::default());
    all.extend(limits.into_iter().filter(|limit| info.limits.iter().any(|own| own.key() == limit.key)));
    all
}

/// The settings in an agent's name, as texts.
#[pyfunction]
pub(crate) fn settings_of(py: Python<'_>, agent: &str) -> PyResult<HashMap<String, String>> {
    Ok(raised(py, Spec::parse(agent))?.pairs.into_iter().collect())
}

/// Checks an agent that is given as JSON, for any game that takes it, and returns its label and its name with settings.
#[pyfunction]
pub(crate) fn check_agent(py: Python<'_>, agent: &str) -> PyResult<(Option<String>, String)> {
    raised(py, checked(agent))
}

fn checked(agent: &str) -> Result<(Option<String>, String), Error> {
    let json: Value = serde_json::from_str(agent).map_err(|error| Error::usage(error.to_string()))?;
    let mut refused = None;
    for info in standard().games() {
        let game = standard().find(info.name)?;
        for &players in info.players {
            match game.agent_json(&json, players) {
                // What `best` stands for depends on the game it plays later.
                Ok(agent) => return Ok((agent.label.clone(), agent.asked_text())),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
    }
    Err(refused.expect("there are games"))
}
