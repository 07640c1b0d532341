//! Games and agents by name: [`Registry`].
//!
//! A game is registered by its [`Declaration`], which is all that has to be written about it; it then has every agent. The standard
//! registry has the games of `nply-games`; other crates add theirs:
//!
//! ```
//! use nply::Tree;
//! use nply_arena::Registry;
//! let registry = Registry::empty().game::<Tree>();
//! assert_eq!(registry.find("tree:sum=10").unwrap().to_string(), "tree:sum=10");
//! assert!(registry.find("focus").is_err());
//! ```

mod agents;
mod best;
mod json;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use nply::settings::{self, Setting};
use nply::{
    Algorithm, AlgorithmFor, AlgorithmVisitor, BenchPosition, Budget, Code, Declaration, Error, GameVisitor, Notation,
    OutOfTurn, PositionError, Spec, Tree, check_given_name,
};
use serde_json::Value;

use crate::program::ProgramSettings;
use crate::session::{Session, TypedSession};
use agents::{For, InTurn, Maker, OutOfTurnMaker};

pub(crate) use agents::Scope;
pub use agents::{AgentInfo, NamedAgent};
pub(crate) use best::defaults as best_defaults;
pub use best::{BestEntry, Shown, with_entry};
pub use json::{read_json, schema, write_json};

/// The games that have a name, each with its agents.
#[derive(Clone)]
pub struct Registry {
    games: Vec<Arc<dyn AnyGame>>,
    agents: Vec<AgentInfo>,
}

impl Registry {
    /// Every agent and no game.
    pub fn empty() -> Registry {
        let mut agents = AgentList(Vec::new());
        algorithms(&mut agents);
        agents.0.push(best::info());
        Registry { games: Vec::new(), agents: agents.0 }
    }

    /// The games of `nply-games` and games drawn by hand: see [`standard_games`].
    pub fn standard() -> Registry {
        let mut registry = Registry::empty();
        standard_games(&mut registry);
        registry
    }

    /// Adds a game in which players only move in turn. A game of the same name is replaced.
    pub fn game<D: Declaration>(mut self) -> Registry {
        GameVisitor::game::<D>(&mut self);
        self
    }

    /// Adds a game in which players may move out of turn, as Best-Reply Search has them do.
    pub fn game_out_of_turn<D: Declaration>(mut self) -> Registry
    where
        D::Game: OutOfTurn,
    {
        GameVisitor::game_out_of_turn::<D>(&mut self);
        self
    }

    /// Adds an agent to one game, which is there already.
    ///
    /// # Panics
    /// If the game is not there.
    pub fn agent<D: Declaration, A: AlgorithmFor<D>>(mut self) -> Registry {
        let entry = self.games.iter_mut().find(|entry| entry.info().name == D::NAME);
        let entry = entry.unwrap_or_else(|| panic!("register the game {} before agents for it", D::NAME));
        let registered = entry.as_any().downcast_ref::<Registered<D>>();
        let mut registered = registered.expect("the game of this name has this declaration").clone();
        registered.makers.retain(|maker| maker.defaults().info().name != A::NAME);
        registered.makers.push(Arc::new(For::<A>::NEW));
        *entry = Arc::new(registered);
        match self.agents.iter_mut().find(|info| info.name == A::NAME) {
            Some(info) => info.games.iter_mut().for_each(|games| games.push(D::NAME)),
            None => self.agents.push(AgentInfo { games: Some(vec![D::NAME]), ..AgentInfo::new::<A>() }),
        }
        self
    }

    /// Adds a game that is declared while the program runs, as one in another language is: under the name and for the players of
    /// `info`, where the options of `start` stand for what the declaration has as defaults. If `info` says so, players may move out of
    /// turn. A game of the same name is replaced.
    pub fn game_as<D: Declaration>(mut self, info: GameInfo, start: D::Options) -> Registry
    where
        D::Game: OutOfTurn,
    {
        let makers = if info.is_out_of_turn {
            let mut makers = OutOfTurnMakers::<D>(Vec::new());
            algorithms(&mut makers);
            makers.0
        } else {
            let mut makers = InTurnMakers::<D>(Vec::new());
            algorithms(&mut makers);
            makers.0
        };
        self.add(Registered { info, makers, start });
        self
    }

    fn add<D: Declaration>(&mut self, game: Registered<D>) {
        match self.games.iter_mut().find(|entry| entry.info().name == game.info.name) {
            Some(entry) => *entry = Arc::new(game),
            None => self.games.push(Arc::new(game)),
        }
    }

    /// The declarations of all games.
    pub fn games(&self) -> impl Iterator<Item = &GameInfo> {
        self.games.iter().map(|entry| entry.info())
    }

    /// The declarations of all agents.
    pub fn agents(&self) -> &[AgentInfo] {
        &self.agents
    }

    /// Finds a game by its name and checks its options: `name[:key=value,…]`.
    pub fn find(&self, text: &str) -> Result<NamedGame, Error> {
        self.find_spec(&Spec::parse(text)?)
    }

    /// Finds a game by JSON: a string as it is written in text, or an object with a name, `{"name": "focus", "limit": 300}`.
    pub fn find_json(&self, json: &Value) -> Result<NamedGame, Error> {
        self.find_spec(&json::spec(json)?)
    }

    /// Finds a game by a name that is already taken apart.
    pub fn find_spec(&self, spec: &Spec) -> Result<NamedGame, Error> {
        let Some(entry) = self.games.iter().find(|entry| entry.info().name == spec.name) else {
            let names: Vec<&str> = self.games().map(|info| info.name).collect();
            return Err(Error::unknown(Code::UnknownName, "game", &spec.name, &names));
        };
        let spec = entry.check(spec)?;
        Ok(NamedGame { entry: entry.clone(), spec })
    }
}

impl GameVisitor for Registry {
    fn game<D: Declaration>(&mut self) {
        let mut makers = InTurnMakers::<D>(Vec::new());
        algorithms(&mut makers);
        self.add(Registered::<D>::new(makers.0, false));
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        let mut makers = OutOfTurnMakers::<D>(Vec::new());
        algorithms(&mut makers);
        self.add(Registered::<D>::new(makers.0, true));
    }
}

/// Goes through the games of the [standard](Registry::standard) registry.
pub fn standard_games<V: GameVisitor>(v: &mut V) {
    nply_games::games(v);
    v.game::<Tree>();
}

/// Every agent that plays any game: the library's, and outside programs.
fn algorithms<V: AlgorithmVisitor>(v: &mut V) {
    nply::algorithms(v);
    v.agent::<ProgramSettings>();
}

struct AgentList(Vec<AgentInfo>);

impl AlgorithmVisitor for AgentList {
    fn agent<A: Algorithm>(&mut self) {
        self.0.push(AgentInfo::new::<A>());
    }
}

struct InTurnMakers<D: Declaration>(Vec<Arc<dyn Maker<D>>>);

impl<D: Declaration> AlgorithmVisitor for InTurnMakers<D> {
    fn agent<A: Algorithm>(&mut self) {
        self.0.push(Arc::new(InTurn::<A>::NEW));
    }
}

struct OutOfTurnMakers<D: Declaration>(Vec<Arc<dyn Maker<D>>>);

impl<D: Declaration> AlgorithmVisitor for OutOfTurnMakers<D>
where
    D::Game: OutOfTurn,
{
    fn agent<A: Algorithm>(&mut self) {
        self.0.push(Arc::new(OutOfTurnMaker::<A>::NEW));
    }
}

/// A game's declaration, without its types.
#[derive(Clone, Debug)]
pub struct GameInfo {
    /// The name, as users write it.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The numbers of players that can play.
    pub players: &'static [usize],
    /// The number of players where none is given.
    pub usual_players: usize,
    /// The options, with their defaults.
    pub options: Vec<Setting>,
    /// The evaluations, each with one line of what it is; the usual one first.
    pub evaluations: Vec<(&'static str, &'static str)>,
    /// Settings that the game's move ordering adds to the agents that use it.
    pub order: Vec<Setting>,
    /// Whether players may move out of turn, as Best-Reply Search has them do.
    pub is_out_of_turn: bool,
    /// How to write a move.
    pub move_form: &'static str,
    /// Positions for the bench.
    pub bench: &'static [BenchPosition],
}

impl GameInfo {
    /// What a declaration says, of a game in which players may move out of turn or not.
    pub fn new<D: Declaration>(is_out_of_turn: bool) -> GameInfo {
        GameInfo {
            name: D::NAME,
            about: D::ABOUT,
            players: D::PLAYERS,
            usual_players: D::USUAL_PLAYERS,
            options: settings::list(&mut D::Options::default()),
            evaluations: D::EVALUATIONS.iter().map(|evaluation| (evaluation.name, evaluation.about)).collect(),
            order: settings::list(&mut D::Order::default()),
            is_out_of_turn,
            move_form: <D::Game as Notation>::MOVE_FORM,
            bench: D::BENCH,
        }
    }

    /// A JSON Schema of the options.
    pub fn schema(&self) -> Value {
        schema(self.name, self.about, &self.options, &[])
    }
}

/// What a session starts from.
#[derive(Clone)]
pub struct Request {
    /// The number of players, or the game's usual number.
    pub players: Option<usize>,
    /// The position to start from, or the game's own.
    pub position: Option<String>,
    /// Moves to play first, separated by spaces.
    pub moves: String,
    /// Random seed of deals, agents and noise.
    pub seed: u64,
    /// Whether evaluations have a random factor unless an agent's settings say otherwise.
    pub noise: bool,
    /// Whether agents may be outside programs. They run with all rights of this process: not where strangers name them.
    pub programs: bool,
    /// Called while something slow is prepared before an agent can play, such as a table: what it is, and which part is done.
    pub progress: fn(&str, f64),
}

/// The game's own start, seed 1, no noise, no programs, no progress.
impl Default for Request {
    fn default() -> Request {
        let (noise, programs) = (false, false);
        Request { players: None, position: None, moves: String::new(), seed: 1, noise, programs, progress: |_, _| () }
    }
}

/// A game with its options, whatever its types. Displays as `name[:key=value,…]`, defaults omitted.
#[derive(Clone)]
pub struct NamedGame {
    entry: Arc<dyn AnyGame>,
    spec: Spec,
}

impl fmt::Display for NamedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl fmt::Debug for NamedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamedGame({})", self.spec)
    }
}

/// By name and options.
impl PartialEq for NamedGame {
    fn eq(&self, other: &NamedGame) -> bool {
        self.spec == other.spec
    }
}

impl NamedGame {
    /// The game's declaration.
    pub fn info(&self) -> &GameInfo {
        self.entry.info()
    }

    /// Its name with the options that differ from their defaults.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The options that differ from their defaults, as a JSON object.
    pub fn options_json(&self) -> Value {
        let declared = |key: &str| self.info().options.iter().find(|setting| setting.key == key).cloned();
        let typed = |(key, value): &(String, String)| {
            let setting = Setting { value: Some(value.clone()), ..declared(key)? };
            Some((key.clone(), json::setting_json(&setting)))
        };
        Value::Object(self.spec.pairs.iter().filter_map(typed).collect())
    }

    /// Opens sessions at positions whose type is known, without the way through text. The players and moves of the request do
    /// not matter. `None` if the game has another declaration.
    ///
    /// ```
    /// use nply::{Game, Tree};
    /// use nply_arena::{Registry, Request};
    /// let game = Registry::standard().find("tree").unwrap();
    /// let open = game.opener::<Tree>(&Request::default()).unwrap();
    /// let mut tree: Tree = "(1 (2 1,0 0,1) 3,4)".parse().unwrap();
    /// tree.play(1);
    /// assert_eq!((open(tree).turn(), game.opener::<nply_games::focus::Focus>(&Request::default()).is_none()), (2, true));
    /// ```
    pub fn opener<D: Declaration>(
        &self,
        request: &Request,
    ) -> Option<impl Fn(D::Game) -> Box<dyn Session> + Send + Sync + use<D>> {
        let registered = Arc::new(self.entry.as_any().downcast_ref::<Registered<D>>()?.clone());
        let mut options = registered.options(&self.spec).expect("they were checked with the name");
        let spec = settings::spec(registered.info.name, settings::list(&mut options));
        let request = request.clone();
        let open = move |game| TypedSession::new(registered.clone(), game, spec.clone(), &request);
        Some(move |game| Box::new(open(game)) as Box<dyn Session>)
    }

    /// The same game with the options of another name.
    pub(crate) fn same(&self, text: &str) -> Result<NamedGame, Error> {
        let spec = Spec::parse(text)?;
        if spec.name != self.spec.name {
            return Err(Error::usage(format!("{} is not {}", spec.name, self.spec.name)));
        }
        Ok(NamedGame { entry: self.entry.clone(), spec: self.entry.check(&spec)? })
    }

    /// The number of players that a request means.
    pub fn player_count(&self, players: Option<usize>) -> Result<usize, Error> {
        let info = self.info();
        match players {
            None => Ok(info.usual_players),
            Some(players) if info.players.contains(&players) => Ok(players),
            Some(players) => {
                let counts: Vec<String> = info.players.iter().map(usize::to_string).collect();
                let message = format!("{} is not for {players} players", info.name);
                Err(Error::refused(message).help(format!("it is for {}", counts.join(", "))))
            }
        }
    }

    /// The agents that are registered for it.
    pub fn agents(&self) -> Vec<AgentInfo> {
        self.entry.agents()
    }

    /// Finds an agent by its name and checks its settings for so many players. A label may stand before it, as in
    /// `fast=brs:nodes=10k`. Nothing slow is done yet.
    pub fn agent(&self, text: &str, players: usize) -> Result<NamedAgent, Error> {
        self.agent_within(text, players, &Budget::default())
    }

    /// The same where the common budget is known, on which depends what `best` stands for.
    ///
    /// ```
    /// use nply::Budget;
    /// use nply_arena::Registry;
    /// let rolit = Registry::standard().find("rolit").unwrap();
    /// let best = |budget| rolit.agent_within("best", 3, &budget).unwrap().to_string();
    /// // Only one of the two makes playouts.
    /// assert_eq!((best(Budget::playouts(100)), best(Budget::depth(3))), ("mcts".into(), "brs".into()));
    /// ```
    pub fn agent_within(&self, text: &str, players: usize, budget: &Budget) -> Result<NamedAgent, Error> {
        self.labelled(Spec::parse_named(text)?, players, budget)
    }

    /// Finds an agent by JSON, as [`NamedAgent::to_json`] writes it, or by a JSON string, as it is written in text.
    pub fn agent_json(&self, json: &Value, players: usize) -> Result<NamedAgent, Error> {
        self.agent_json_within(json, players, &Budget::default())
    }

    /// The same where the common budget is known.
    pub fn agent_json_within(&self, json: &Value, players: usize, budget: &Budget) -> Result<NamedAgent, Error> {
        if let Value::String(text) = json {
            return self.agent_within(text, players, budget);
        }
        let mut json = json.clone();
        let label = json.as_object_mut().and_then(|object| object.remove("label"));
        let label = label.map(|label| json::json_text("label", &label)).transpose()?.flatten();
        label.as_deref().map_or(Ok(()), check_given_name)?;
        self.labelled((label, json::spec(&json)?), players, budget)
    }

    /// Finds several agents, separated by spaces.
    pub fn agent_list(&self, text: &str, players: usize) -> Result<Vec<NamedAgent>, Error> {
        self.agent_list_within(text, players, &Budget::default())
    }

    /// The same where the common budget is known.
    pub fn agent_list_within(&self, text: &str, players: usize, budget: &Budget) -> Result<Vec<NamedAgent>, Error> {
        Spec::parse_named_list(text)?.into_iter().map(|named| self.labelled(named, players, budget)).collect()
    }

    /// What the table of strongest agents has for so many players, smallest budget first.
    pub fn best_entries(&self, players: usize) -> Vec<&'static BestEntry> {
        let options = self.entry.best_options(&self.spec);
        let entries = best::entries(self.info().name, &options, players, &Budget::default());
        let most = entries.first().map_or(0, |(options, _)| *options);
        entries.into_iter().rev().filter(|(options, _)| *options == most).map(|(_, entry)| entry).collect()
    }

    /// Its name with all options, those that are defaults too.
    pub(crate) fn whole_spec(&self) -> Spec {
        Spec { name: self.spec.name.clone(), pairs: self.entry.options_list(&self.spec) }
    }

    fn labelled(
        &self,
        (label, spec): (Option<String>, Spec),
        players: usize,
        budget: &Budget,
    ) -> Result<NamedAgent, Error> {
        let mut agent = self.entry.agent(&spec, &Scope::new(&self.spec, players, budget))?;
        agent.label = label;
        Ok(agent)
    }

    /// Opens a session.
    pub fn open(&self, request: &Request) -> Result<Box<dyn Session>, Error> {
        let players = self.player_count(request.players)?;
        let Some(position) = &request.position else {
            let mut session = self.entry.open(players, &self.spec, request, None)?;
            session.play_all(&request.moves)?;
            return Ok(session);
        };
        // A position may itself imply the number of players: the usual one is tried first, and of the errors the one that
        // got furthest is reported.
        let counts = match request.players {
            Some(_) => vec![players],
            None => {
                let others = self.info().players.iter().copied().filter(|&count| count != players);
                std::iter::once(players).chain(others).collect()
            }
        };
        let mut furthest: Option<PositionError> = None;
        for count in counts {
            match self.entry.read(count, &self.spec, request.seed, position) {
                Ok(()) => {
                    let mut session = self.entry.open(count, &self.spec, request, Some(position))?;
                    session.play_all(&request.moves)?;
                    return Ok(session);
                }
                Err(error) => {
                    if furthest.as_ref().is_none_or(|best| error.at > best.at) {
                        furthest = Some(error);
                    }
                }
            }
        }
        Err(furthest.expect("at least one number of players was tried").into())
    }
}

/// A registered game with its types.
pub(crate) struct Registered<D: Declaration> {
    pub(crate) info: GameInfo,
    makers: Vec<Arc<dyn Maker<D>>>,
    /// The options where none are given.
    start: D::Options,
}

impl<D: Declaration> Clone for Registered<D> {
    fn clone(&self) -> Self {
        Registered { info: self.info.clone(), makers: self.makers.clone(), start: self.start.clone() }
    }
}

impl<D: Declaration> Registered<D> {
    fn new(makers: Vec<Arc<dyn Maker<D>>>, is_out_of_turn: bool) -> Registered<D> {
        Registered { info: GameInfo::new::<D>(is_out_of_turn), makers, start: D::Options::default() }
    }

    /// The options that a name has.
    fn options(&self, spec: &Spec) -> Result<D::Options, Error> {
        let mut options = self.start.clone();
        for (key, value) in &spec.pairs {
            settings::set(&mut options, key, Some(value)).map_err(|error| error.within(self.info.name))?;
        }
        Ok(options)
    }
}

/// A registered game whose types are forgotten.
pub(crate) trait AnyGame: Send + Sync {
    fn info(&self) -> &GameInfo;

    fn agents(&self) -> Vec<AgentInfo>;

    /// Checks the options of a name, and leaves out those that are defaults.
    fn check(&self, spec: &Spec) -> Result<Spec, Error>;

    /// All options that a name has, as text.
    fn options_list(&self, spec: &Spec) -> Vec<(String, String)>;

    /// The same beside the defaults.
    fn best_options(&self, spec: &Spec) -> best::Options {
        let usual = Spec { name: self.info().name.into(), pairs: Vec::new() };
        best::Options { own: self.options_list(spec), usual: self.options_list(&usual) }
    }

    /// Checks the settings of an agent.
    fn agent(&self, spec: &Spec, scope: &Scope<'_>) -> Result<NamedAgent, Error>;

    /// Whether a text is a position for so many players.
    fn read(&self, players: usize, spec: &Spec, seed: u64, text: &str) -> Result<(), PositionError>;

    /// Opens a session for so many players, from the start or from a position that can be read.
    fn open(
        &self,
        players: usize,
        spec: &Spec,
        request: &Request,
        position: Option<&str>,
    ) -> Result<Box<dyn Session>, Error>;

    fn as_any(&self) -> &dyn Any;
}

impl<D: Declaration> AnyGame for Registered<D> {
    fn info(&self) -> &GameInfo {
        &self.info
    }

    fn agents(&self) -> Vec<AgentInfo> {
        self.infos()
    }

    fn check(&self, spec: &Spec) -> Result<Spec, Error> {
        Ok(settings::spec(self.info.name, settings::changed(&self.options(spec)?)))
    }

    fn options_list(&self, spec: &Spec) -> Vec<(String, String)> {
        let mut options = self.options(spec).expect("they were checked with the name");
        settings::spec(self.info.name, settings::list(&mut options)).pairs
    }

    fn agent(&self, spec: &Spec, scope: &Scope<'_>) -> Result<NamedAgent, Error> {
        Registered::agent(self, spec, scope)
    }

    fn read(&self, players: usize, spec: &Spec, seed: u64, text: &str) -> Result<(), PositionError> {
        let options = self.options(spec).expect("they were checked with the name");
        D::start(players, &options, seed).read(text).map(drop)
    }

    fn open(
        &self,
        players: usize,
        spec: &Spec,
        request: &Request,
        position: Option<&str>,
    ) -> Result<Box<dyn Session>, Error> {
        let mut options = self.options(spec)?;
        let start = D::start(players, &options, request.seed);
        let game = position.map_or_else(|| Ok(start.clone()), |text| start.read(text))?;
        let spec = settings::spec(self.info.name, settings::list(&mut options));
        Ok(Box::new(TypedSession::new(Arc::new(self.clone()), game, spec, request)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
