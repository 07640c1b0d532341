//! Agents that strangers name: checked against what the server allows.

use nply::settings::Domain;
use nply::{Budget, Spec, quantity};
use nply_arena::{AgentInfo, NamedAgent, NamedGame};

use crate::App;
use crate::error::ApiError;
use crate::levels::level;
use crate::store::Seat;

/// The longest text of an agent.
const LONGEST: usize = 2000;

/// Finds an agent and its budget; the budget never has more time than allowed. Nothing slow is done yet.
pub(crate) fn agent(
    app: &App,
    game: &NamedGame,
    players: usize,
    text: &str,
    budget: Option<&str>,
) -> Result<(NamedAgent, Budget), ApiError> {
    let given: Option<Budget> = budget.map(str::parse).transpose()?;
    let expected = given.clone().unwrap_or_else(usual);
    let mut agent = game.agent(&allowed(app, game, players, text, &expected)?.to_string(), players)?;
    let common = match given {
        Some(given) => given,
        None if agent.budget.is_none() && agent.info().needs_limit => usual(),
        None => Budget::default(),
    };
    agent.check_ends(&common)?;
    let mut budget = agent.budget_or(&common);
    agent.budget = None;
    let most = app.options.limits.max_time;
    budget.time = Some(budget.time.map_or(most, |time| time.min(most)));
    Ok((agent, budget))
}

/// The usual budget of `nply play`.
fn usual() -> Budget {
    Budget::time(std::time::Duration::from_secs(1))
}

/// An agent's name with its settings, if the server allows them; memory is limited where the name leaves it open. `best` is
/// replaced by what it stands for with this budget.
pub(crate) fn allowed(
    app: &App,
    game: &NamedGame,
    players: usize,
    text: &str,
    budget: &Budget,
) -> Result<Spec, ApiError> {
    if text.len() > LONGEST {
        return Err(ApiError::refused("limit", format!("an agent is written in at most {LONGEST} bytes")));
    }
    let infos = game.agents();
    limited(app, &infos, meant(game, players, text, budget)?)
}

/// An agent's name with its settings, where `best` is replaced by what it stands for.
pub(crate) fn meant(game: &NamedGame, players: usize, text: &str, budget: &Budget) -> Result<Spec, ApiError> {
    let spec = Spec::parse(text)?;
    // An agent that cannot be named is refused in whichever way whoever asks has for it.
    let named = game.agent_within(text, players, budget).ok().filter(|agent| agent.asked.is_some());
    Ok(named.map_or(spec, |agent| agent.spec()))
}

fn limited(app: &App, infos: &[AgentInfo], mut spec: Spec) -> Result<Spec, ApiError> {
    // An unknown name is reported with those that are known by whoever looks it up.
    let Some(info) = infos.iter().find(|info| info.name == spec.name) else { return Ok(spec) };
    let most = app.options.limits.max_memory;
    for setting in &info.settings {
        let given = spec.pairs.iter().position(|(key, _)| key == setting.key);
        let value = given.map(|at| spec.pairs[at].1.clone()).or_else(|| setting.value.clone());
        let refused =
            |what: String| Err(ApiError::refused("limit", format!("{}: {} {what} here", spec.name, setting.key)));
        match (&setting.domain, value) {
            (Domain::Path, _) if !app.options.allow_programs => {
                let message = format!("{} is not allowed here: it uses files of the server's machine", spec.name);
                return Err(ApiError::refused("not-allowed", message).help("start the server with --allow-programs"));
            }
            (Domain::Size { .. }, Some(value)) => match quantity::size(&value) {
                Ok(size) if size > most && given.is_none() => {
                    spec.pairs.push((setting.key.into(), quantity::size_text(most)));
                }
                Ok(size) if size > most => return refused(format!("is at most {}", quantity::size_text(most))),
                // A word that stands for none, or an error that is reported with the name.
                Ok(_) | Err(_) => {}
            },
            (Domain::Whole { .. }, Some(value))
                if setting.key == "threads"
                    && quantity::count(&value).is_ok_and(|count| count > app.threads as u64) =>
            {
                return refused(format!("is at most {}", app.threads));
            }
            (Domain::Agent, Some(value)) => {
                let inner = limited(app, infos, Spec::parse(&value)?)?.to_string();
                match given {
                    Some(at) => spec.pairs[at].1 = inner,
                    None if inner != value => spec.pairs.push((setting.key.into(), inner)),
                    None => {}
                }
            }
            _ => {}
        }
    }
    Ok(spec)
}

/// The longest name of a person.
const LONGEST_NAME: usize = 100;

/// A seat as it is kept: checked, a level replaced by its agent.
pub(crate) fn seat(app: &App, game: &NamedGame, players: usize, seat: &Seat) -> Result<Seat, ApiError> {
    match seat {
        Seat::Human { name } if name.as_ref().is_some_and(|name| name.len() > LONGEST_NAME) => {
            Err(ApiError::refused("limit", format!("a name has at most {LONGEST_NAME} bytes")))
        }
        Seat::Human { .. } => Ok(seat.clone()),
        Seat::Agent { agent: text, budget, level } => {
            if level.is_some() {
                return Err(ApiError::refused("usage", "a seat has an agent or a level, not both"));
            }
            agent(app, game, players, text, budget.as_deref())?;
            let text = kept(game, players, text, budget.as_deref())?;
            Ok(Seat::Agent { agent: text, budget: budget.clone(), level: None })
        }
        Seat::Level { level: name } => {
            let level = level(game, players, name)?;
            let budget = Some(level.budget).filter(|budget| !budget.is_empty());
            Ok(Seat::Agent {
                agent: kept(game, players, level.agent, budget)?,
                budget: budget.map(String::from),
                level: Some(level.name.into()),
            })
        }
    }
}

/// The text of an agent as it is kept: `best` as what it stands for now.
fn kept(game: &NamedGame, players: usize, text: &str, budget: Option<&str>) -> Result<String, ApiError> {
    let budget = budget.map_or_else(|| Ok(usual()), str::parse)?;
    Ok(game.agent_within(text, players, &budget)?.to_string())
}

/// The most moves that a decision lists.
const MOST_LINES: usize = 20;

/// An agent that lists so many best moves, if it is one that can.
pub(crate) fn with_lines(
    game: &NamedGame,
    players: usize,
    (text, budget): (&str, Option<&str>),
    lines: Option<usize>,
) -> Result<String, ApiError> {
    let Some(lines) = lines else { return Ok(text.into()) };
    if lines == 0 || lines > MOST_LINES {
        return Err(ApiError::refused("limit", format!("1 to {MOST_LINES} moves are listed")));
    }
    let budget = budget.map_or_else(|| Ok(usual()), str::parse)?;
    let mut spec = meant(game, players, text, &budget)?;
    let infos = game.agents();
    let info = infos.iter().find(|info| info.name == spec.name);
    let can = info.is_some_and(|info| info.settings.iter().any(|setting| setting.key == "lines"));
    if can && spec.pairs.iter().all(|(key, _)| key != "lines") {
        spec.pairs.push(("lines".into(), lines.to_string()));
    }
    Ok(spec.to_string())
}
