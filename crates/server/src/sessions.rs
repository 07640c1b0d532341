//! Sessions: games under way, in memory as far as they are used, and always in the file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use nply::{Code, Error, mix};
use nply_arena::{MoveClicks, NamedGame, Request, Session, scene_json};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::App;
use crate::error::ApiError;
use crate::searches::{Found, Plan, Search};
use crate::store::{Seat, Start, Stored, StoredMove};
use crate::{agents, searches};

/// A game as everybody may see it who looks over the shoulders of its viewers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct State {
    /// The session; absent for a position without one.
    pub(crate) id: Option<String>,
    /// Name of the game.
    pub(crate) game: String,
    /// Options that differ from their defaults.
    pub(crate) options: Value,
    pub(crate) players: usize,
    /// Random seed; absent while it would show hidden cards.
    pub(crate) seed: Option<u64>,
    /// The position that the game started from, if not the game's own.
    pub(crate) start: Option<String>,
    /// The ply that is shown.
    pub(crate) ply: usize,
    /// Number of moves played.
    pub(crate) plies: usize,
    /// The player to move, from 0; absent if the game is over.
    pub(crate) turn: Option<usize>,
    /// The result, once the game is over.
    pub(crate) over: Option<Over>,
    pub(crate) seats: Vec<Seat>,
    /// The position in one line; absent while it would show hidden cards.
    pub(crate) text: Option<String>,
    /// The position as a picture in text, as the viewers may see it.
    pub(crate) picture: String,
    /// The position as the viewers may see it: places, pieces, labels; absent if the game has no scene.
    pub(crate) scene: Option<Value>,
    /// The legal moves, if the viewers may know them.
    pub(crate) moves: Vec<Choice>,
    pub(crate) history: Vec<Played>,
    /// Raw points, where the game counts them.
    pub(crate) points: Option<Vec<f32>>,
    /// Whether something is hidden from some player.
    pub(crate) hidden: bool,
    /// The players whose cards are shown.
    pub(crate) viewers: Vec<usize>,
    /// Each player's share of the win: the result, or what the agent expected who moved last.
    pub(crate) chances: Option<Vec<f64>>,
    /// The search of the agent at turn, if it is under way.
    pub(crate) search: Option<String>,
}

/// How a game ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Over {
    /// Each player's share of the win.
    pub(crate) payoff: Vec<f32>,
    /// `played` to its end, or `resigned`.
    pub(crate) reason: &'static str,
    /// The player who resigned.
    pub(crate) player: Option<usize>,
}

/// A legal move.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Choice {
    /// The move as it is written.
    pub(crate) text: String,
    /// The ids of places that a person clicks, in order; empty if the game has no scene.
    pub(crate) clicks: Vec<String>,
    /// What is asked after the last click, where several moves have the same.
    pub(crate) choice: Option<String>,
}

/// A move that was played.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Played {
    pub(crate) ply: usize,
    pub(crate) player: usize,
    #[serde(rename = "move")]
    pub(crate) m: String,
    /// The ids of places that a person would have clicked.
    pub(crate) clicks: Vec<String>,
    /// Each player's share of the win, as the agent expected that played it.
    pub(crate) chances: Option<Vec<f64>>,
    /// What the agent found that played it.
    pub(crate) thought: Option<Value>,
}

/// A game and a position in it, as a request names them.
pub(crate) struct Opening<'a> {
    pub(crate) game: &'a Value,
    pub(crate) players: Option<usize>,
    pub(crate) seed: u64,
    pub(crate) position: Option<&'a str>,
    pub(crate) moves: &'a [String],
}

/// A game under way.
pub(crate) struct Live {
    id: Option<String>,
    game: NamedGame,
    start: Start,
    seats: Vec<Seat>,
    session: Box<dyn Session>,
    /// Who moved at each ply, with what the agent found.
    past: Vec<(usize, Option<Value>)>,
    resigned: Option<usize>,
    is_hidden: bool,
    is_deleted: bool,
    thinking: Option<Arc<Search>>,
}

impl Live {
    /// Opens a game without a session.
    pub(crate) fn open(app: &App, opening: &Opening<'_>) -> Result<Live, ApiError> {
        let game = app.registry.find_json(opening.game)?;
        let most = app.options.limits.max_plies;
        if opening.moves.len() > most {
            return Err(ApiError::refused("limit", format!("a game has at most {most} plies here")));
        }
        let request = Request {
            players: opening.players,
            position: opening.position.map(String::from),
            seed: opening.seed,
            programs: app.options.allow_programs,
            ..Request::default()
        };
        let session = game.open(&request)?;
        let players = session.player_count();
        let start = Start { game: game.to_string(), players, seed: opening.seed, position: request.position.clone() };
        let is_hidden = hides(&*session);
        let seats = vec![Seat::Human { name: None }; players];
        let mut live = Live {
            id: None,
            game,
            start,
            seats,
            session,
            past: Vec::new(),
            resigned: None,
            is_hidden,
            is_deleted: false,
            thinking: None,
        };
        for (index, text) in opening.moves.iter().enumerate() {
            live.play(text, None).map_err(|error| error.within(format_args!("move {}", index + 1)))?;
        }
        Ok(live)
    }

    fn load(app: &App, id: &str, stored: Stored) -> Result<Live, ApiError> {
        let Stored { start, seats, resigned, moves } = stored;
        let game = Value::String(start.game.clone());
        let opening = Opening {
            game: &game,
            players: Some(start.players),
            seed: start.seed,
            position: start.position.as_deref(),
            moves: &[],
        };
        let mut live = Live::open(app, &opening)?;
        for played in moves {
            live.play(&played.text, played.thought)?;
        }
        Ok(Live { id: Some(id.into()), seats, resigned, ..live })
    }

    fn play(&mut self, text: &str, thought: Option<Value>) -> Result<(), Error> {
        let player = self.session.turn() - 1;
        self.session.play(text)?;
        self.past.push((player, thought));
        Ok(())
    }

    pub(crate) fn game(&self) -> &NamedGame {
        &self.game
    }

    pub(crate) fn players(&self) -> usize {
        self.start.players
    }

    pub(crate) fn ply(&self) -> usize {
        self.past.len()
    }

    fn over(&self) -> Option<Over> {
        if let Some(player) = self.resigned {
            let share = 1.0 / (self.players() - 1) as f32;
            let payoff = (0..self.players()).map(|other| if other == player { 0.0 } else { share }).collect();
            return Some(Over { payoff, reason: "resigned", player: Some(player) });
        }
        let payoff = self.session.payoff()?;
        Some(Over { payoff, reason: "played", player: None })
    }

    fn is_human(&self, player: usize) -> bool {
        matches!(self.seats[player], Seat::Human { .. })
    }

    fn has_humans(&self) -> bool {
        (0..self.players()).any(|player| self.is_human(player))
    }

    /// Whether cards are hidden now: until the game is over.
    fn hides(&self) -> bool {
        self.is_hidden && self.over().is_none()
    }

    /// The players whose cards are shown, checked: while the game lasts, nobody sees an agent's cards in a game with people.
    fn viewers(&self, asked: Option<&[usize]>) -> Result<Vec<usize>, ApiError> {
        let all = || (0..self.players()).collect::<Vec<usize>>();
        let Some(asked) = asked else {
            let humans: Vec<usize> = all().into_iter().filter(|&player| self.is_human(player)).collect();
            return Ok(if !self.hides() || self.id.is_none() {
                all()
            } else if humans.len() == 1 {
                humans
            } else {
                Vec::new()
            });
        };
        if let Some(player) = asked.iter().find(|&&player| player >= self.players()) {
            return Err(ApiError::refused("viewers", format!("there is no player {player}"))
                .help(format!("players are numbered from 0 to {}", self.players() - 1)));
        }
        if let Some(player) = asked.iter().find(|&&player| self.hides() && self.has_humans() && !self.is_human(player))
        {
            let message = format!("the cards of player {player}, an agent, are hidden until the game is over");
            return Err(ApiError::refused("viewers", message));
        }
        Ok(all().into_iter().filter(|player| asked.contains(player)).collect())
    }

    /// The game as the viewers may see it at a ply.
    pub(crate) fn state(&self, ply: Option<usize>, viewers: Option<&[usize]>) -> Result<State, ApiError> {
        let viewers = self.viewers(viewers)?;
        let (plies, hides) = (self.past.len(), self.hides() && viewers.len() < self.players());
        let ply = ply.unwrap_or(plies);
        let at = self.session.fork(ply).ok_or_else(|| {
            ApiError::refused("ply", format!("there is no ply {ply}")).help(format!("plies are from 0 to {plies}"))
        })?;
        let over = self.over().filter(|_| ply == plies);
        let turn = if over.is_some() || at.payoff().is_some() { None } else { Some(at.turn() - 1) };
        let may_know = |player: usize| !hides || viewers.contains(&player);
        let moves = match turn {
            Some(turn) if may_know(turn) => at.clicks().into_iter().map(choice).collect(),
            _ => Vec::new(),
        };
        let history = self.session.played_clicks().into_iter().zip(&self.past).enumerate();
        let history = history.map(|(ply, (MoveClicks { text, clicks, .. }, (player, thought)))| {
            let thought = thought.as_ref().filter(|_| may_know(*player)).cloned();
            let chances = thought.as_ref().and_then(|thought| shares(&thought["chances"]));
            Played { ply, player: *player, m: text, clicks, chances, thought }
        });
        let history: Vec<Played> = history.collect();
        let chances = match &over {
            Some(over) => Some(over.payoff.iter().map(|&share| f64::from(share)).collect()),
            None => history[..ply].last().and_then(|played| played.chances.clone()),
        };
        let numbers: Vec<usize> = viewers.iter().map(|player| player + 1).collect();
        let thinking = self.thinking.as_ref().filter(|search| !search.found().done);
        Ok(State {
            id: self.id.clone(),
            game: self.game.info().name.into(),
            options: self.game.options_json(),
            players: self.players(),
            seed: (!hides).then_some(self.start.seed),
            start: self.start.position.clone().filter(|_| !hides),
            ply,
            plies,
            turn,
            over,
            seats: self.seats.clone(),
            text: (!hides).then(|| at.position()),
            picture: at.picture_for(&numbers, false),
            scene: at.scene(&numbers).map(|scene| scene_json(&scene)),
            moves,
            history,
            points: at.points(),
            hidden: self.is_hidden,
            viewers,
            chances,
            search: thinking.map(|search| search.id.clone()),
        })
    }

    /// A search in the position of the last ply. Its randomness depends on the game's seed and the ply, and on nothing that others ask.
    pub(crate) fn plan(&self, app: &App, agent: &str, budget: Option<&str>, is_secret: bool) -> Result<Plan, ApiError> {
        if self.over().is_some() {
            return Err(ApiError::conflict("over", "the game is over"));
        }
        let (agent, budget) = agents::agent(app, &self.game, self.players(), agent, budget)?;
        let session = self.session.fork(self.ply()).expect("it is the last ply");
        let seed = mix(self.start.seed ^ mix(self.ply() as u64));
        Ok(Plan { session, agent, budget, seed, is_hidden: self.hides(), is_secret })
    }

    fn cancel(&mut self) {
        if let Some(search) = self.thinking.take() {
            search.cancel();
        }
    }

    fn at_ply(&self, ply: usize) -> Result<(), ApiError> {
        if ply == self.ply() {
            return Ok(());
        }
        let message = format!("the game is at ply {}, not {ply}", self.ply());
        Err(ApiError::conflict("ply", message).help("another window may have moved: ask for the session again"))
    }

    fn id(&self) -> &str {
        self.id.as_deref().expect("a session has one")
    }

    /// Plays a move and keeps it; it is on the disk when this returns.
    fn keep(&mut self, app: &App, text: &str, thought: Option<Value>) -> Result<(), ApiError> {
        let most = app.options.limits.max_plies;
        if self.ply() >= most {
            return Err(ApiError::refused("limit", format!("a game has at most {most} plies here")));
        }
        self.play(text, thought.clone()).map_err(|error| self.careful(error, text))?;
        let ply = self.ply() - 1;
        let played = StoredMove { text: self.session.played().pop().expect("it was just played"), thought };
        if let Err(error) = app.store.append(self.id(), ply, &played, self.over().is_some()) {
            self.session.undo();
            self.past.pop();
            return Err(error.into());
        }
        self.cancel();
        Ok(())
    }

    /// An error that does not list the moves of a hidden hand.
    fn careful(&self, error: Error, text: &str) -> ApiError {
        if self.hides() && error.code == Code::Move {
            let short: String = text.chars().take(20).collect();
            return Error::new(Code::Move, format!("no legal move {short:?} here")).into();
        }
        error.into()
    }

    /// A person's move; the same move again at the same ply is answered as if it had just been played.
    pub(crate) fn person_moves(&mut self, app: &App, ply: usize, text: &str) -> Result<(), ApiError> {
        if ply < self.ply() && self.session.played()[ply] == text {
            return Ok(());
        }
        self.at_ply(ply)?;
        if self.over().is_some() {
            return Err(ApiError::conflict("over", "the game is over"));
        }
        let turn = self.session.turn() - 1;
        if !self.is_human(turn) {
            let message = format!("player {turn} is an agent");
            return Err(ApiError::conflict("agent", message).help("let it think, or take the seat over"));
        }
        self.keep(app, text, None)
    }

    /// Lets the agent at turn think and play; a search that is under way already is the same.
    pub(crate) fn think(&mut self, app: &Arc<App>, ply: usize) -> Result<String, ApiError> {
        self.at_ply(ply)?;
        if let Some(search) = self.thinking.as_ref().filter(|search| !search.found().done && !search.is_cancelled()) {
            return Ok(search.id.clone());
        }
        let turn = self.session.turn() - 1;
        let (agent, budget) = match &self.seats[turn] {
            Seat::Agent { agent, budget, .. } => (agent.clone(), budget.clone()),
            Seat::Human { .. } | Seat::Level { .. } => {
                return Err(ApiError::conflict("human", format!("player {turn} is a person")).help("ask for a hint"));
            }
        };
        let plan = self.plan(app, &agent, budget.as_deref(), self.hides() && self.has_humans())?;
        let (owner, id) = (app.clone(), self.id().to_string());
        let search = searches::start(app, self.id(), plan, move |search, found| {
            if search.is_cancelled() {
                return Ok(());
            }
            owner.sessions.agent_moves(&owner, &id, ply, search, found)
        })?;
        self.thinking = Some(search.clone());
        Ok(search.id.clone())
    }

    /// A person asks an agent what to play.
    pub(crate) fn hint(
        &mut self,
        app: &Arc<App>,
        ply: usize,
        agent: Option<&str>,
        budget: Option<&str>,
    ) -> Result<String, ApiError> {
        self.at_ply(ply)?;
        if self.over().is_some() {
            return Err(ApiError::conflict("over", "the game is over"));
        }
        let turn = self.session.turn() - 1;
        if self.hides() && !self.is_human(turn) {
            return Err(ApiError::conflict("agent", format!("player {turn} is an agent, whose cards are hidden")));
        }
        let usual = crate::levels::level(&self.game, self.players(), HINT)?;
        let (agent, budget) = match agent {
            Some(agent) => (agent, budget),
            None => (usual.agent, budget.or(Some(usual.budget))),
        };
        let plan = self.plan(app, agent, budget, false)?;
        Ok(searches::start(app, self.id(), plan, |_, _| Ok(()))?.id.clone())
    }

    /// Goes back to a ply.
    pub(crate) fn undo(&mut self, app: &App, ply: usize) -> Result<(), ApiError> {
        if ply > self.ply() {
            self.at_ply(ply)?;
        }
        app.store.truncate(self.id(), ply)?;
        self.cancel();
        self.resigned = None;
        while self.ply() > ply {
            self.session.undo();
            self.past.pop();
        }
        Ok(())
    }

    pub(crate) fn resign(&mut self, app: &App, player: usize) -> Result<(), ApiError> {
        if player >= self.players() {
            return Err(ApiError::refused("player", format!("there is no player {player}")));
        }
        if self.resigned == Some(player) {
            return Ok(());
        }
        if self.over().is_some() {
            return Err(ApiError::conflict("over", "the game is over"));
        }
        if !self.is_human(player) {
            return Err(ApiError::conflict("agent", format!("player {player} is an agent and does not resign")));
        }
        app.store.resign(self.id(), player)?;
        self.cancel();
        self.resigned = Some(player);
        Ok(())
    }

    /// Gives a seat to somebody else.
    pub(crate) fn take_seat(&mut self, app: &App, player: usize, seat: &Seat) -> Result<(), ApiError> {
        if player >= self.players() {
            return Err(ApiError::not_found(format_args!("player {player}")));
        }
        let mut seats = self.seats.clone();
        seats[player] = agents::seat(app, &self.game, self.players(), seat)?;
        app.store.set_seats(self.id(), &seats)?;
        self.cancel();
        self.seats = seats;
        Ok(())
    }
}

/// Whether something is hidden in a position: where nothing is, nobody sees as much as all together.
pub(crate) fn hides(session: &dyn Session) -> bool {
    session.picture_for(&[], false) != session.picture(false)
}

fn choice(MoveClicks { text, clicks, choice, .. }: MoveClicks) -> Choice {
    Choice { text, clicks, choice }
}

/// Numbers of a JSON array.
fn shares(json: &Value) -> Option<Vec<f64>> {
    json.as_array()?.iter().map(Value::as_f64).collect()
}

/// The level that gives hints.
const HINT: &str = "hard";

/// The sessions that are in memory.
#[derive(Default)]
pub(crate) struct Sessions {
    live: Mutex<HashMap<String, Arc<Mutex<Live>>>>,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Mutex<Live>>>> {
        self.live.lock().expect("nobody panics with it")
    }

    /// Keeps a new session; who plays in it was not checked yet.
    pub(crate) fn create(&self, app: &App, mut live: Live, seats: &[Seat]) -> Result<State, ApiError> {
        if seats.len() != live.players() {
            let message = format!("{} players need as many seats, and {} are given", live.players(), seats.len());
            return Err(ApiError::refused("seats", message));
        }
        let checked = seats.iter().map(|seat| agents::seat(app, &live.game, live.players(), seat));
        live.seats = checked.collect::<Result<Vec<Seat>, ApiError>>()?;
        let id = crate::new_id();
        live.id = Some(id.clone());
        let moves = live.session.played().into_iter().map(|text| StoredMove { text, thought: None }).collect();
        let stored = Stored { start: live.start.clone(), seats: live.seats.clone(), resigned: None, moves };
        let most = app.options.limits.max_sessions;
        if !app.store.insert(&id, &stored, live.over().is_some(), most)? {
            return Err(ApiError::busy("sessions", format!("there are {most} sessions, and no room for more"))
                .help("delete one, or start the server with a larger --max-sessions"));
        }
        let state = live.state(None, None)?;
        self.lock().insert(id, Arc::new(Mutex::new(live)));
        Ok(state)
    }

    /// Does something with a session.
    pub(crate) fn with<T>(
        &self,
        app: &App,
        id: &str,
        call: impl FnOnce(&mut Live) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let entry = self.entry(app, id)?;
        // A panic is a fault of the server, but what is in the file is right: it is read again.
        let mut live = match entry.lock() {
            Ok(live) => live,
            Err(_) => {
                self.lock().remove(id);
                return Err(ApiError::internal("the session failed; try again"));
            }
        };
        if live.is_deleted {
            return Err(missing(id));
        }
        call(&mut live)
    }

    fn entry(&self, app: &App, id: &str) -> Result<Arc<Mutex<Live>>, ApiError> {
        if let Some(entry) = self.lock().get(id) {
            return Ok(entry.clone());
        }
        let stored = app.store.load(id)?.ok_or_else(|| missing(id))?;
        let loaded = Arc::new(Mutex::new(Live::load(app, id, stored)?));
        let entry = self.lock().entry(id.into()).or_insert(loaded).clone();
        // It may have been deleted since it was read.
        if app.store.load(id)?.is_none() {
            self.lock().remove(id);
            return Err(missing(id));
        }
        Ok(entry)
    }

    pub(crate) fn delete(&self, app: &App, id: &str) -> Result<(), ApiError> {
        let entry = self.lock().remove(id);
        if let Some(Ok(mut live)) = entry.as_ref().map(|entry| entry.lock()) {
            live.is_deleted = true;
            live.cancel();
        }
        if app.store.delete(id)? { Ok(()) } else { Err(missing(id)) }
    }

    /// Plays what an agent found, unless the game has gone on without it.
    fn agent_moves(&self, app: &App, id: &str, ply: usize, search: &Search, found: &Found) -> Result<(), ApiError> {
        self.with(app, id, |live| {
            let is_current = live.thinking.as_ref().is_some_and(|thinking| thinking.id == search.id);
            let Some(m) = found.m.as_ref().filter(|_| is_current && live.ply() == ply) else {
                return Err(ApiError::conflict("ply", "the game has gone on without this search"));
            };
            let thought = Found { status: searches::Status::Done, done: true, ..found.clone() };
            let thought = serde_json::to_value(&thought).expect("it has nothing that JSON does not");
            // It is about to end by itself, so that it is not cancelled.
            live.thinking = None;
            live.keep(app, m, Some(thought))
        })
    }
}

fn missing(id: &str) -> ApiError {
    ApiError::not_found(format_args!("session {id:?}"))
}
