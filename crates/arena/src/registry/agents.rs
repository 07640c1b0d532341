//! Agents by name, with settings checked for a game: [`NamedAgent`].

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use nply::settings::{self, Domain, Field, Setting, Visitor};
use nply::{
    Agent, AgentSettings, Algorithm, AlgorithmFor, Budget, Code, Declaration, Error, Kit, Limit, Notation, OutOfTurn,
    Rng, Settings, Spec,
};
use serde_json::{Value, json};

use super::json::setting_json;
use super::{AnyGame, GameInfo, Registered, best, schema};
use crate::program::ProgramSettings;

/// An agent's declaration.
#[derive(Clone, Debug)]
pub struct AgentInfo {
    /// The name, as users write it.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The rule of its search in one sentence, if its tree can be shown.
    pub rule: Option<&'static str>,
    /// The limits that mean something to it; they are among its settings wherever it is named.
    pub limits: &'static [Limit],
    /// Whether it thinks until a limit ends it.
    pub needs_limit: bool,
    /// Whether it uses the game's move ordering, whose settings are then among its own.
    pub uses_order: bool,
    /// Whether its own measure of time counts.
    pub keeps_time: bool,
    /// Its settings, with their defaults.
    pub settings: Vec<Setting>,
    /// The games it plays, if not all.
    pub games: Option<Vec<&'static str>>,
}

impl AgentInfo {
    pub(super) fn new<A: AgentSettings>() -> AgentInfo {
        AgentInfo {
            name: A::NAME,
            about: A::ABOUT,
            rule: A::RULE,
            limits: A::LIMITS,
            needs_limit: A::NEEDS_LIMIT,
            uses_order: A::USES_ORDER,
            keeps_time: A::KEEPS_TIME,
            settings: settings::list(&mut A::default()),
            games: None,
        }
    }

    /// Its settings in a game: its own, those of the game's ordering, its limits.
    pub fn settings_in(&self, game: &GameInfo) -> Vec<Setting> {
        let mut all = self.settings.clone();
        if self.uses_order {
            all.extend(game.order.iter().cloned());
        }
        let mut budget = Budget::default();
        all.extend(settings::list(&mut Limited { budget: &mut budget, limits: self.limits }));
        all
    }

    /// A JSON Schema of its settings in a game.
    pub fn schema(&self, game: &GameInfo) -> Value {
        let names: Vec<&str> = game.evaluations.iter().map(|(name, _)| *name).collect();
        schema(self.name, self.about, &self.settings_in(game), &names)
    }
}

/// The settings of an agent whose type is forgotten.
pub(crate) trait AnySettings: Settings + Send + Sync {
    fn info(&self) -> AgentInfo;
    fn check(&self, players: usize) -> Result<(), Error>;
    fn inner(&self) -> Option<&str>;
    fn fixed_depth(&self) -> Option<u32>;
    fn standard_depth(&self, depth: u32, players: usize) -> u32;
    /// The settings that differ from their defaults.
    fn changed(&self) -> Vec<Setting>;
    fn boxed(&self) -> Box<dyn AnySettings>;
    fn as_any(&self) -> &dyn Any;
}

impl<A: AgentSettings> AnySettings for A {
    fn info(&self) -> AgentInfo {
        AgentInfo::new::<A>()
    }

    fn check(&self, players: usize) -> Result<(), Error> {
        AgentSettings::check(self, players)
    }

    fn inner(&self) -> Option<&str> {
        AgentSettings::inner(self)
    }

    fn fixed_depth(&self) -> Option<u32> {
        AgentSettings::fixed_depth(self)
    }

    fn standard_depth(&self, depth: u32, players: usize) -> u32 {
        AgentSettings::standard_depth(self, depth, players)
    }

    fn changed(&self) -> Vec<Setting> {
        settings::changed(self)
    }

    fn boxed(&self) -> Box<dyn AnySettings> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An agent with its settings, checked for a game. Displays as `name[:key=value,…]`: declared order, defaults omitted. Its
/// [`label`](NamedAgent::label) is not part of that.
pub struct NamedAgent {
    pub(crate) settings: Box<dyn AnySettings>,
    info: AgentInfo,
    /// Settings of the game's ordering that differ from their defaults.
    order: Vec<Setting>,
    /// The agent inside, which does the thinking.
    inner: Option<Box<NamedAgent>>,
    /// How it is called in tables and files, if not by its settings.
    pub label: Option<String>,
    /// The text by which it was asked for, if `best` in it stands for something: the agent is what it stands for.
    pub asked: Option<String>,
    /// A budget of its own, in place of the common one: an agent that has any limit among its settings has one.
    pub budget: Option<Budget>,
}

impl Clone for NamedAgent {
    fn clone(&self) -> NamedAgent {
        let NamedAgent { settings, info, order, inner, label, asked, budget } = self;
        let (info, order, inner, budget) = (info.clone(), order.clone(), inner.clone(), budget.clone());
        NamedAgent {
            settings: settings.boxed(),
            info,
            order,
            inner,
            label: label.clone(),
            asked: asked.clone(),
            budget,
        }
    }
}

impl fmt::Display for NamedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec().fmt(f)
    }
}

impl fmt::Debug for NamedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamedAgent({self})")
    }
}

/// By name and settings.
impl PartialEq for NamedAgent {
    fn eq(&self, other: &NamedAgent) -> bool {
        self.spec() == other.spec()
    }
}

impl NamedAgent {
    /// The agent's declaration.
    pub fn info(&self) -> &AgentInfo {
        &self.info
    }

    /// The settings that differ from their defaults, those of the ordering and the limits included.
    pub fn changed(&self) -> Vec<Setting> {
        let mut changed = self.settings.changed();
        // An agent inside is named in the same way.
        if let Some(inner) = &self.inner {
            for setting in changed.iter_mut().filter(|setting| setting.domain == Domain::Agent) {
                setting.value = Some(inner.to_string());
            }
        }
        changed.extend(self.order.iter().cloned());
        changed.extend(self.budget.iter().flat_map(settings::changed));
        changed
    }

    /// Its name with the settings that differ from their defaults.
    pub fn spec(&self) -> Spec {
        settings::spec(self.info.name, self.changed())
    }

    /// How it is called: by its label or else by its settings.
    pub fn called(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.to_string())
    }

    /// The text that means this agent in any game: where `best` was asked for, it may be another one there.
    pub fn asked_text(&self) -> String {
        self.asked.clone().unwrap_or_else(|| self.to_string())
    }

    /// The program that it is, if it is one.
    pub(crate) fn program(&self) -> Option<&ProgramSettings> {
        (*self.settings).as_any().downcast_ref()
    }

    /// The same as JSON: `{"name": "brs", "score": "own", "nodes": 10000}`, with its `label` if it has one.
    pub fn to_json(&self) -> Value {
        let mut json = json!({ "name": self.info.name });
        if let Some(label) = &self.label {
            json["label"] = json!(label);
        }
        for setting in self.changed() {
            json[setting.key] = setting_json(&setting);
        }
        json
    }

    /// The plies of the game that a depth of its search stands for.
    pub fn standard_depth(&self, depth: u32, players: usize) -> u32 {
        self.settings.standard_depth(depth, players)
    }

    /// The agent inside this one.
    pub(crate) fn inner(&self) -> Option<&NamedAgent> {
        self.inner.as_deref()
    }

    /// Of agents inside agents, the innermost.
    fn thinker(&self) -> &NamedAgent {
        self.inner.as_deref().map_or(self, NamedAgent::thinker)
    }

    /// Whether it evaluates positions, so that making it may be slow.
    pub(crate) fn evaluates(&self) -> bool {
        self.thinker().info.settings.iter().any(|setting| setting.domain == Domain::Evaluation)
    }

    /// What it may spend, if the common budget is this: its own, if it has one.
    pub fn budget_or(&self, common: &Budget) -> Budget {
        let own = self.budget.as_ref().unwrap_or(common).clone();
        Budget { stop: common.stop.clone(), ..own }
    }

    /// Refuses a common budget that does not end the agent's thinking, such as playouts for a tree search.
    pub fn check_budget(&self, common: &Budget) -> Result<(), Error> {
        self.check_limits(&self.budget_or(common))
    }

    /// The same for limits that are the agent's own.
    pub(crate) fn check_limits(&self, budget: &Budget) -> Result<(), Error> {
        let thinker = &self.thinker().info;
        if !thinker.needs_limit || thinker.limits.iter().any(|limit| limit.is_in(budget)) {
            return Ok(());
        }
        let text = budget.to_string();
        let message = if text.is_empty() {
            format!("nothing ends the thinking of {self}")
        } else {
            format!("{text} does not end the thinking of {self}")
        };
        let keys: Vec<&str> = thinker.limits.iter().map(|limit| limit.key()).collect();
        Err(Error::usage(message).help(format!("it takes {}", keys.join(", "))))
    }

    /// The same where a depth ends everything: agents that do not deepen think for a fixed while then.
    pub fn check_ends(&self, common: &Budget) -> Result<(), Error> {
        if common.depth.is_some() || self.budget.is_some() { Ok(()) } else { self.check_budget(common) }
    }

    /// The limits of a common budget that mean nothing to it although it thinks until a limit ends it: playouts for a tree search,
    /// a depth for playouts.
    pub fn idle_limits(&self, common: &Budget) -> Vec<Limit> {
        let AgentInfo { needs_limit, limits, .. } = self.info;
        if !needs_limit || self.budget.is_some() {
            return Vec::new();
        }
        Limit::ALL.iter().copied().filter(|limit| limit.is_in(common) && !limits.contains(limit)).collect()
    }

    /// Refuses a search that ends before positions have scores.
    pub(crate) fn check_depth(&self, least: u32, budget: &Budget) -> Result<(), Error> {
        let thinker = self.thinker();
        if let Some(depth) = thinker.settings.fixed_depth().filter(|&depth| depth < least) {
            let name = thinker.info.name;
            return Err(Error::refused(format!("{name} looks {depth} plies ahead, where positions have no scores")));
        }
        match budget.depth {
            Some(depth) if depth < least => Err(Error::refused(format!("positions at depth {depth} have no scores"))
                .help(format!("search with depth {least} or more"))),
            _ => Ok(()),
        }
    }
}

/// The limits of a budget that mean something to an agent, as settings.
struct Limited<'a> {
    budget: &'a mut Budget,
    limits: &'static [Limit],
}

impl Settings for Limited<'_> {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        let limits = self.limits;
        settings::each(self.budget, |Field { key, about, value }| {
            if limits.iter().any(|limit| limit.key() == key) {
                v.field(key, value, about);
            }
        });
    }
}

/// Where an agent is named: what `best` stands for there depends on it.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The game's name with options.
    pub(crate) options: &'a Spec,
    pub(crate) players: usize,
    /// The common budget, or an empty one where none is known yet.
    pub(crate) budget: &'a Budget,
    /// Whether the agent is inside another.
    pub(crate) is_inside: bool,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(options: &'a Spec, players: usize, budget: &'a Budget) -> Scope<'a> {
        Scope { options, players, budget, is_inside: false }
    }
}

impl<D: Declaration> Registered<D> {
    fn maker(&self, name: &str) -> Result<&dyn Maker<D>, Error> {
        let found = self.makers.iter().find(|maker| maker.defaults().info().name == name);
        found.map(|maker| &**maker).ok_or_else(|| {
            let infos = self.infos();
            let names: Vec<&str> = infos.iter().map(|info| info.name).collect();
            Error::unknown(Code::UnknownName, "agent", name, &names)
        })
    }

    /// The declarations of its agents; the last is `best`, which stands for one of the others.
    pub(super) fn infos(&self) -> Vec<AgentInfo> {
        self.makers.iter().map(|maker| maker.defaults().info()).chain([best::info()]).collect()
    }

    /// Refuses an agent whose tree cannot be shown.
    pub(crate) fn check_rule(&self, agent: &NamedAgent) -> Result<&'static str, Error> {
        agent.info.rule.ok_or_else(|| {
            let infos = self.makers.iter().map(|maker| maker.defaults().info());
            let names: Vec<&str> = infos.filter(|info| info.rule.is_some()).map(|info| info.name).collect();
            let error = Error::refused(format!("{} does not search a tree that can be shown", agent.info.name));
            error.help(format!("these do: {}", names.join(", ")))
        })
    }

    /// Finds an agent and checks its settings.
    pub(crate) fn agent(&self, spec: &Spec, scope: &Scope<'_>) -> Result<NamedAgent, Error> {
        if spec.name == best::NAME {
            return self.best(spec, scope);
        }
        let mut settings = self.maker(&spec.name)?.defaults();
        let info = settings.info();
        let (mut order, mut budget) = (D::Order::default(), Budget::default());
        for (key, value) in &spec.pairs {
            let is_foreign = |limit: &Limit| limit.key() == key && !info.limits.contains(limit);
            if Limit::ALL.iter().any(is_foreign) && settings::list(&mut *settings).iter().all(|s| s.key != key) {
                let keys: Vec<&str> = info.limits.iter().map(|limit| limit.key()).collect();
                let help =
                    if keys.is_empty() { "it takes none".into() } else { format!("it takes {}", keys.join(", ")) };
                let message = format!("{} does not take the limit {key:?}", info.name);
                return Err(Error::new(Code::UnknownSetting, message).help(help));
            }
            let limited = Limited { budget: &mut budget, limits: info.limits };
            let taken = if info.uses_order {
                settings::set(&mut (&mut *settings, (&mut order, limited)), key, Some(value))
            } else {
                settings::set(&mut (&mut *settings, limited), key, Some(value))
            };
            taken
                .and_then(|()| check_evaluation(&self.info, &mut *settings))
                .map_err(|error| error.within(info.name))?;
        }
        settings.check(scope.players)?;
        let budget = Some(budget).filter(|budget| *budget != Budget::default());
        let mut asked = None;
        let inner = match settings.inner() {
            Some(inner) => {
                let inside = Scope { budget: budget.as_ref().unwrap_or(scope.budget), is_inside: true, ..*scope };
                let inner = self.agent(&Spec::parse(inner)?, &inside)?;
                if let Some(budget) = &inner.budget {
                    let message = format!("{budget} inside {} has no effect: it divides its own budget", info.name);
                    let key = agent_key(&mut *settings);
                    return Err(Error::refused(message).help(format!("write {}:{budget},{key}=(…)", info.name)));
                }
                // Whoever makes the agent inside names it again, and then nothing is known of the budget.
                if inner.asked.is_some() {
                    let key = agent_key(&mut *settings);
                    settings::set(&mut *settings, key, Some(&inner.to_string())).expect("it is an agent");
                    asked = Some(spec.to_string());
                }
                Some(Box::new(inner))
            }
            None => None,
        };
        Ok(NamedAgent { settings, info, order: settings::changed(&order), inner, label: None, asked, budget })
    }

    /// What `best` stands for: the nearest entry of the table, or else a default, that takes the limits.
    fn best(&self, spec: &Spec, scope: &Scope<'_>) -> Result<NamedAgent, Error> {
        let mut own = Budget::default();
        for (key, value) in &spec.pairs {
            settings::set(&mut own, key, Some(value)).map_err(|error| error.within(best::NAME))?;
        }
        let budget = if spec.pairs.is_empty() { scope.budget } else { &own };
        let options = self.options(scope.options)?;
        let entries = best::entries(self.info.name, &self.best_options(scope.options), scope.players, budget);
        let most = entries.first().map_or(0, |(options, _)| *options);
        // Entries that name fewer options are for other games, such as one in which nothing is hidden. Inside a vote over guesses
        // that is the game.
        let entries = entries.iter().filter(|(options, _)| *options == most || scope.is_inside);
        let is_hidden = !scope.is_inside
            && self.info.players.contains(&scope.players)
            && hides(&D::start(scope.players, &options, 1));
        let defaults = best::defaults(&self.info, scope.players, is_hidden);
        let texts = entries.map(|(_, entry)| entry.agent.as_str()).chain(defaults);
        let mut first = None;
        for text in texts {
            let mut named = Spec::parse(text)?;
            named.pairs.extend(spec.pairs.iter().cloned());
            let found = self.agent(&named, scope).map(|agent| {
                // A vote over guesses is for whoever does not see everything, and inside another agent everything is seen.
                let is_wrong = scope.is_inside && agent.inner.is_some();
                let is_ended = *budget == Budget::default() || agent.check_budget(budget).is_ok();
                (!is_wrong && is_ended, agent)
            });
            match found {
                Ok((true, agent)) => return Ok(NamedAgent { asked: Some(spec.to_string()), ..agent }),
                Ok((false, agent)) => first = first.or(Some(Ok(agent))),
                Err(error) => first = first.or(Some(Err(error))),
            }
        }
        // Whoever uses it reports what is wrong with the limits.
        let agent = first.expect("there are defaults")?;
        Ok(NamedAgent { asked: Some(spec.to_string()), ..agent })
    }

    /// Makes an agent.
    pub(crate) fn make(&self, agent: &NamedAgent, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        let mut order = D::Order::default();
        for Setting { key, value, .. } in &agent.order {
            settings::set(&mut order, key, value.as_deref()).expect("it was checked with the name");
        }
        self.maker(agent.info.name)?.make(&*agent.settings, &Kit { order: &order, ..*kit })
    }
}

/// The key of the setting that is an agent inside.
fn agent_key(settings: &mut dyn AnySettings) -> &'static str {
    let all = settings::list(settings);
    all.iter().find(|setting| setting.domain == Domain::Agent).map_or("agent", |setting| setting.key)
}

/// Whether the player to move does not see all of a position.
fn hides<G: Notation>(start: &G) -> bool {
    let (text, mut rng) = (start.to_text(), Rng::new(1));
    (0..4).any(|_| start.determinize(start.turn(), &mut rng).to_text() != text)
}

/// Refuses an evaluation that the game does not have.
fn check_evaluation(game: &GameInfo, settings: &mut (impl Settings + ?Sized)) -> Result<(), Error> {
    let names: Vec<&str> = game.evaluations.iter().map(|(name, _)| *name).collect();
    let named = settings::list(settings).into_iter().filter(|setting| setting.domain == Domain::Evaluation);
    match named.filter_map(|setting| setting.value).find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(Error::unknown(Code::BadValue, &format!("evaluation of {}", game.name), &name, &names)),
        None => Ok(()),
    }
}

/// Makes one agent for one game.
pub(crate) trait Maker<D: Declaration>: Send + Sync {
    /// The default settings.
    fn defaults(&self) -> Box<dyn AnySettings>;
    /// Makes the agent from settings that [`defaults`](Maker::defaults) gave.
    fn make(&self, settings: &dyn AnySettings, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error>;
}

/// An agent of a game in which players only move in turn.
pub(super) struct InTurn<A>(PhantomData<fn() -> A>);
/// An agent of a game in which players may move out of turn.
pub(super) struct OutOfTurnMaker<A>(PhantomData<fn() -> A>);
/// An agent for this game alone.
pub(super) struct For<A>(PhantomData<fn() -> A>);

impl<A> InTurn<A> {
    pub(super) const NEW: InTurn<A> = InTurn(PhantomData);
}

impl<A> OutOfTurnMaker<A> {
    pub(super) const NEW: OutOfTurnMaker<A> = OutOfTurnMaker(PhantomData);
}

impl<A> For<A> {
    pub(super) const NEW: For<A> = For(PhantomData);
}

/// The settings as the type that the maker knows.
fn typed<A: AgentSettings>(settings: &dyn AnySettings) -> &A {
    settings.as_any().downcast_ref().expect("settings go back to the maker that they came from")
}

impl<D: Declaration, A: Algorithm> Maker<D> for InTurn<A> {
    fn defaults(&self) -> Box<dyn AnySettings> {
        Box::new(A::default())
    }

    fn make(&self, settings: &dyn AnySettings, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        typed::<A>(settings).agent(kit)
    }
}

impl<D: Declaration, A: Algorithm> Maker<D> for OutOfTurnMaker<A>
where
    D::Game: OutOfTurn,
{
    fn defaults(&self) -> Box<dyn AnySettings> {
        Box::new(A::default())
    }

    fn make(&self, settings: &dyn AnySettings, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        typed::<A>(settings).agent_out_of_turn(kit)
    }
}

impl<D: Declaration, A: AlgorithmFor<D>> Maker<D> for For<A> {
    fn defaults(&self) -> Box<dyn AnySettings> {
        Box::new(A::default())
    }

    fn make(&self, settings: &dyn AnySettings, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        typed::<A>(settings).agent(kit)
    }
}
