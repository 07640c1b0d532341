//! Matches: games between the same agents under the same settings, every seating equally often or a balanced sample of them, in
//! parallel.
//!
//! Seating and seed of a game follow from its number, so results do not depend on which worker plays which game when. All
//! seatings of a round share one seed, and with it the deal of a card game, the noise, and the opening.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nply::{Budget, Code, Error, mix};

use crate::bench::FINGERPRINT;
use crate::failing::caught;
use crate::openings::{self, Opening, Openings};
use crate::record::{Cost, GameRecord};
use crate::registry::{NamedAgent, NamedGame, Request};
use crate::schedule::{self, Games, Schedule, Seating, Seatings};
use crate::session::Course;
use crate::shard::{Numbers, Shard};
use crate::store::{Claim, Keeper, KeptMatch, MatchSettings, Store};
use crate::terms::Terms;

/// Games between the same agents under the same settings.
#[derive(Clone)]
pub struct Match {
    /// The game with its options.
    pub game: NamedGame,
    /// Number of players in a game.
    pub players: usize,
    /// The agents. One with limits among its settings has a budget of its own.
    pub agents: Vec<NamedAgent>,
    /// Number of games. If there are as many as seatings, it is rounded up so that every seating is played equally often.
    pub games: u64,
    /// Budget of each decision.
    pub budget: Budget,
    /// Clock and adjudication of each game.
    pub terms: Terms,
    /// Where the games start; `None` for the game's own start.
    pub openings: Option<Openings>,
    /// Which seatings are played.
    pub seating: Seating,
    /// Who meets in a game.
    pub schedule: Schedule,
    /// Whether a balanced sample of the seatings is played instead of all; `None` for one if there are fewer games than seatings.
    pub sampled: Option<bool>,
    /// Random seed.
    pub seed: u64,
    /// Number of games played at the same time.
    pub threads: usize,
    /// Receives the progress of slow preparations before the first game, as in a [`Request`].
    pub progress: fn(&str, f64),
}

/// The matches whose names are selected by `texts`, separated by commas: a text selects the match of that name or, if there is
/// none, all whose names contain it. The answer has their indexes in order.
///
/// ```
/// use nply_arena::select_matches;
/// let names = ["focus-3", "focus-3-long", "rolit-3"];
/// assert_eq!(select_matches(&names, "focus-3").unwrap(), [0]);
/// assert_eq!(select_matches(&names, "focus,rolit").unwrap(), [0, 1, 2]);
/// assert!(select_matches(&names, "chess").is_err());
/// ```
pub fn select_matches(names: &[&str], texts: &str) -> Result<Vec<usize>, Error> {
    let mut selected = Vec::new();
    for text in texts.split(',') {
        let is_exact = names.contains(&text);
        let fits = |name: &str| if is_exact { name == text } else { name.contains(text) };
        let found: Vec<usize> = (0..names.len()).filter(|&index| fits(names[index])).collect();
        if found.is_empty() {
            return Err(Error::unknown(Code::UnknownName, "match", text, names));
        }
        selected.extend(found);
    }
    selected.sort_unstable();
    selected.dedup();
    Ok(selected)
}

impl Match {
    /// The seatings that are played equally often, or sampled.
    pub fn seatings(&self) -> Seatings {
        Seatings::new(self.agents.len(), self.players, self.seating, self.schedule)
    }

    /// Whether a balanced sample of the seatings is played.
    pub fn is_sampled(&self) -> bool {
        self.sampled.unwrap_or_else(|| u128::from(self.games) < self.seatings().count())
    }

    /// Number of games that are played: those asked for or, if all seatings are played, a multiple of the seatings.
    pub fn total(&self) -> u64 {
        if self.is_sampled() {
            return self.games;
        }
        let seatings = self.round_length();
        self.games.checked_next_multiple_of(seatings).unwrap_or(u64::MAX / seatings * seatings)
    }

    /// Number of games in a round, which share a seed: every seating once or, in a sample, a block of games.
    pub fn round_length(&self) -> u64 {
        schedule::round_length(&self.seatings(), self.is_sampled()).max(1)
    }

    /// The round of a game.
    pub fn round(&self, number: u64) -> u64 {
        number / self.round_length()
    }

    /// The match as it was begun in a file, if it is there and this one does not say: it stays a sample, or a match of all
    /// seatings, with any number of games.
    pub fn resumed(&self, path: &Path, name: &str) -> Result<Match, Error> {
        let is_there = path.metadata().is_ok_and(|file| file.len() > 0);
        let kept = if is_there { Store::open(path)?.find(name)? } else { None };
        Ok(kept.map_or_else(|| self.clone(), |kept| self.begun(&kept.settings)))
    }

    fn begun(&self, kept: &MatchSettings) -> Match {
        Match { sampled: self.sampled.or(Some(kept.sampled)), ..self.clone() }
    }

    /// The settings that the games depend on, which are kept with them.
    pub fn settings(&self) -> MatchSettings {
        MatchSettings {
            game: self.game.to_string(),
            players: self.players,
            agents: self.agents.iter().map(NamedAgent::to_string).collect(),
            names: if self.agents.iter().all(|agent| agent.label.is_none()) {
                Vec::new()
            } else {
                self.agents.iter().map(|agent| agent.label.clone()).collect()
            },
            budget: self.budget.to_string(),
            clock: self.terms.clock.map(|clock| clock.to_string()),
            adjudicate: self.terms.adjudication.to_string(),
            openings: self.openings.as_ref().map(Openings::to_string),
            seating: self.seating,
            schedule: self.schedule,
            sampled: self.is_sampled(),
            seed: self.seed,
            version: env!("CARGO_PKG_VERSION").into(),
            fingerprint: Some(FINGERPRINT.into()),
        }
    }

    /// Plays all games and calls `watch` with each, as [`run_through`](Match::run_through) does, and returns them all.
    pub fn run(&self, stop: &Arc<AtomicBool>, watch: impl FnMut(&GameRecord) + Send) -> Result<Vec<GameRecord>, Error> {
        self.collect(None, stop, watch)
    }

    /// The same, but every game is kept in a file under the match's name.
    pub fn run_kept(
        &self,
        path: &Path,
        name: &str,
        stop: &Arc<AtomicBool>,
        watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<Vec<GameRecord>, Error> {
        self.collect(Some((path, name)), stop, watch)
    }

    fn collect(
        &self,
        kept: Option<(&Path, &str)>,
        stop: &Arc<AtomicBool>,
        mut watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<Vec<GameRecord>, Error> {
        let mut games = Vec::new();
        self.run_through(kept, stop, |record| {
            watch(record);
            games.push(record.clone());
        })?;
        Ok(games)
    }

    /// Plays all games and calls `watch` with each in the order of their numbers, as soon as it and all before it have ended.
    /// No game is held in memory for longer than that. Setting `stop` abandons the games under way; those that are finished are
    /// shown. The answer is the number of games that were shown.
    ///
    /// With a file and the match's name there, every game is kept, and games that are there already are not played again;
    /// `watch` sees those too. Several processes may fill one file at the same time.
    ///
    /// A match that another program began is not resumed: its games would be of two kinds. If all games are there, nothing is
    /// played, and it does not matter who played them.
    pub fn run_through(
        &self,
        kept: Option<(&Path, &str)>,
        stop: &Arc<AtomicBool>,
        watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<u64, Error> {
        self.check()?;
        match kept {
            Some((path, name)) => self.run_in(path, name, None, stop, watch),
            None => self.fill(None, self.numbers(None), stop, watch),
        }
    }

    /// The same for the games of one shard, in a file of its own: it remembers which shard it is, and takes no other.
    pub fn run_shard(
        &self,
        shard: Shard,
        path: &Path,
        name: &str,
        stop: &Arc<AtomicBool>,
        watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<u64, Error> {
        self.check()?;
        self.run_in(path, name, Some(shard), stop, watch)
    }

    /// Plays exactly these games of the match and returns them in the order of their numbers, for whoever divides the work in
    /// another way than into shards; [`Store::add`] keeps them. `watch` and `stop` are those of [`run`](Match::run).
    pub fn play_games(
        &self,
        numbers: &[u64],
        stop: &Arc<AtomicBool>,
        mut watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<Vec<GameRecord>, Error> {
        self.check()?;
        let mut games = Vec::new();
        self.fill(None, self.these(numbers)?, stop, |record| {
            watch(record);
            games.push(record.clone());
        })?;
        Ok(games)
    }

    /// Enters the match in the file of a shard, so that the file knows of it before the first of its games has ended; nothing
    /// if the file has all games of the shard.
    pub fn begin_shard(&self, shard: Shard, path: &Path, name: &str) -> Result<(), Error> {
        let (store, begun) = self.open_kept(path, name, Some(shard))?;
        let is_complete = begun.complete(&store, name, &begun.numbers(Some(shard)))?.is_some();
        if is_complete { Ok(()) } else { store.begin_shard(name, &begun.settings(), shard, begun.total()) }
    }

    /// Opens a file for the games of a shard, or for all; the match is as it was begun there.
    fn open_kept(&self, path: &Path, name: &str, shard: Option<Shard>) -> Result<(Store, Match), Error> {
        let store = Store::create(path)?;
        store.check_shard(name, shard)?;
        let begun = store.find(name)?.map_or_else(|| self.clone(), |kept| self.begun(&kept.settings));
        Ok((store, begun))
    }

    /// The match in a file if all of these games are there, whoever played them.
    fn complete(&self, store: &Store, name: &str, numbers: &Numbers) -> Result<Option<KeptMatch>, Error> {
        let Some(kept) = store.kept(name, &self.settings(), &|kept| self.canonical(kept))? else { return Ok(None) };
        Ok(if store.count(&kept, numbers)? == numbers.count() { Some(kept) } else { None })
    }

    fn run_in(
        &self,
        path: &Path,
        name: &str,
        shard: Option<Shard>,
        stop: &Arc<AtomicBool>,
        mut watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<u64, Error> {
        let (store, begun) = self.open_kept(path, name, shard)?;
        let numbers = begun.numbers(shard);
        if let Some(kept) = begun.complete(&store, name, &numbers)? {
            store.each(&kept, 0..numbers.end(), u64::MAX, |record| {
                if numbers.contains(record.number) {
                    watch(&record);
                }
            })?;
            return Ok(numbers.count());
        }
        if let Some(shard) = shard {
            store.begin_shard(name, &begun.settings(), shard, begun.total())?;
        }
        begun.fill(Some(Keeper::new(store, name, &begun.settings())?), numbers, stop, watch)
    }

    /// Checks the agents' options and limits before anything is played; what can be slow comes last.
    pub fn check(&self) -> Result<(), Error> {
        self.check_schedule()?;
        self.check_limits()?;
        caught(|| self.check_openings())?;
        let agents: Vec<&NamedAgent> = self.agents.iter().collect();
        caught(|| self.open(self.seed, &Opening::default())?.try_agents(&agents))
    }

    /// Checks that the match, or a shard of it, can be kept in an existing file under this name: there is none, or it has the
    /// same settings and is of the same shard.
    pub fn check_kept(&self, path: &Path, name: &str, shard: Option<Shard>) -> Result<(), Error> {
        let (store, begun) = self.open_kept(path, name, shard)?;
        store.check(name, &begun.settings(), begun.numbers(shard).count(), &|kept| self.canonical(kept))
    }

    /// Whether a kept match has the settings of this one, whoever played it and whatever its agents are called.
    pub fn is_same(&self, kept: &MatchSettings) -> bool {
        let MatchSettings { version, fingerprint, names, .. } = kept.clone();
        self.canonical(kept) == MatchSettings { version, fingerprint, names, ..self.settings() }
    }

    /// Starts each outside program that has no label once, to ask for its own name. Of programs with the same name, and where
    /// the name is that of another agent, those that come later get a number as well. Setting `stop` ends it early.
    pub fn label_programs(&mut self, stop: &AtomicBool) {
        let mut taken: HashSet<String> = self.agents.iter().map(NamedAgent::called).collect();
        for agent in self.agents.iter_mut().filter(|agent| agent.label.is_none()) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let Some(name) = agent.program().and_then(|program| program.own_name(stop)) else { continue };
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            agent.label = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
            taken.extend(agent.label.clone());
        }
    }

    /// Refuses a label that another agent has, too.
    fn check_labels(&self) -> Result<(), Error> {
        for (index, agent) in self.agents.iter().enumerate() {
            let others = self.agents.iter().enumerate().filter(|&(other, _)| other != index);
            if agent.label.is_some() && others.into_iter().any(|(_, other)| other.called() == agent.called()) {
                let message = format!("two agents are called {:?}", agent.called());
                return Err(Error::usage(message).help("give each agent a name of its own: first=brs second=brs"));
            }
        }
        Ok(())
    }

    /// The settings of a kept match, with names as they are written now.
    fn canonical(&self, kept: &MatchSettings) -> MatchSettings {
        let agent =
            |text: &String| self.game.agent(text, self.players).map_or_else(|_| text.clone(), |a| a.to_string());
        MatchSettings {
            game: self.game.same(&kept.game).map_or_else(|_| kept.game.clone(), |game| game.to_string()),
            agents: kept.agents.iter().map(agent).collect(),
            budget: kept.common_budget().map_or_else(|| kept.budget.clone(), |budget| budget.to_string()),
            openings: self.same_openings(kept).or_else(|| kept.openings.clone()),
            ..kept.clone()
        }
    }

    /// Checks that the agents are as many as their seating and schedule need.
    pub fn check_schedule(&self) -> Result<(), Error> {
        let (agents, players) = (self.agents.len(), self.players);
        if self.seating == Seating::Fixed && agents != players {
            let message = format!("a fixed seating has an agent for each of {players} seats, not {agents}");
            return Err(Error::usage(message).help("name as many agents as there are players"));
        }
        if self.seating == Seating::Fixed && self.schedule != Schedule::All {
            let message = "a fixed seating has everybody in every game";
            return Err(Error::usage(message).help("leave out the schedule or the seating"));
        }
        if self.schedule != Schedule::All && agents < 2 {
            let message = "a schedule of pairs or with one against the field has at least two agents, and here is one";
            return Err(Error::usage(message).help("name more agents, or leave out the schedule"));
        }
        Ok(())
    }

    /// Checks that agents have different labels, and that every agent takes its limits and they end its thinking; quick.
    pub fn check_limits(&self) -> Result<(), Error> {
        self.check_labels()?;
        let clock = self.terms.clock.map(|clock| clock.time);
        self.agents.iter().try_for_each(|agent| {
            let budget = agent.budget_or(&self.budget);
            // A clock limits the time of every decision.
            agent.check_limits(&Budget { time: budget.time.or(clock), ..budget })
        })
    }

    /// Checks that openings leave something to play.
    fn check_openings(&self) -> Result<(), Error> {
        let Some(openings) = &self.openings else { return Ok(()) };
        let (longest, most) = (openings.longest(), self.terms.adjudication.plies);
        if let Some(most) = most.filter(|&most| longest >= most as usize) {
            let message = format!("an opening has {longest} plies, and games are adjudicated after {most}");
            return Err(Error::usage(message).help("ask for shorter openings, or adjudicate later"));
        }
        self.opening(0).map(drop)
    }

    /// The openings of a kept match as this one writes them, if they are the same.
    fn same_openings(&self, kept: &MatchSettings) -> Option<String> {
        let own = self.openings.as_ref()?.to_string();
        (openings::identity(kept.openings.as_ref()?) == openings::identity(&own)).then_some(own)
    }

    /// The seed of a round.
    fn round_seed(&self, round: u64) -> u64 {
        mix(self.seed ^ mix(round))
    }

    /// The opening of a round.
    pub fn opening(&self, round: u64) -> Result<Opening, Error> {
        let get = |openings: &Openings| openings.get(&self.game, self.players, round, self.round_seed(round));
        self.openings.as_ref().map_or_else(|| Ok(Opening::default()), get)
    }

    fn fill(
        &self,
        keeper: Option<Keeper>,
        numbers: Numbers,
        stop: &Arc<AtomicBool>,
        watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<u64, Error> {
        let seatings = || Games::new(self.seatings(), self.is_sampled(), self.seed);
        if let Some(keeper) = &keeper {
            check_seatings(keeper, seatings())?;
        }
        let seatings = seatings();
        let budget = Budget { stop: Some(stop.clone()), ..self.budget.clone() };
        let mut ledger = Ledger {
            keeper,
            numbers,
            next: 0,
            seatings,
            elsewhere: BTreeMap::new(),
            before: Vec::new(),
            waiting: BTreeMap::new(),
            shown: 0,
            count: 0,
            watch,
        };
        ledger.load()?;
        let ledger = Mutex::new(ledger);
        // One worker's failure ends the others' games too.
        let failed = AtomicBool::new(false);
        let work = || -> Result<(), Error> {
            while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
                let next = ledger.lock().expect("a watcher does not panic").take()?;
                match next {
                    Next::Play(number, seating) => {
                        let Some(record) = caught(|| self.play(number, &seating, &budget))? else { break };
                        ledger.lock().expect("a watcher does not panic").enter(record)?;
                    }
                    Next::Wait => std::thread::sleep(Duration::from_millis(50)),
                    Next::Done => break,
                }
            }
            Ok(())
        };
        let work = || work().inspect_err(|_| failed.store(true, Ordering::Relaxed));
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(work)).collect();
            // Wait for all before reporting the first failure.
            let ends: Vec<_> =
                workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect();
            ends.into_iter().collect::<Result<(), Error>>()
        })?;
        ledger.into_inner().expect("no worker panicked").finish()
    }

    fn open(&self, seed: u64, opening: &Opening) -> Result<Box<dyn crate::Session>, Error> {
        let (progress, request) = (self.progress, opening.request(self.players, seed));
        self.game.open(&Request { noise: true, programs: true, progress, ..request })
    }

    /// Plays one game; `None` if it was stopped.
    fn play(&self, number: u64, seating: &[usize], budget: &Budget) -> Result<Option<GameRecord>, Error> {
        let round = self.round(number);
        let (seed, opening) = (self.round_seed(round), self.opening(round)?);
        let mut session = self.open(seed, &opening)?;
        for (seat, &agent) in seating.iter().enumerate() {
            session.seat(&self.agents[agent], mix(seed.wrapping_add(seat as u64)))?;
        }
        let Some(course) = session.play_out(&vec![budget.clone(); self.players], &self.terms)? else { return Ok(None) };
        let costs = self.costs(seating, &course);
        let Course { decisions, payoff, points, ending } = course;
        let payoff = match ending.forfeit() {
            Some(forfeit) => forfeit.payoff(seating),
            None => payoff.expect("a game that is over has a payoff"),
        };
        let (seating, moves) = (seating.to_vec(), session.played().split_off(opening.moves.len()));
        Ok(Some(GameRecord { number, seating, seed, payoff, points, opening, moves, decisions, costs, ending }))
    }

    /// What each seat's decisions cost together.
    fn costs(&self, seating: &[usize], course: &Course) -> Vec<Cost> {
        let mut costs = vec![Cost::default(); self.players];
        for decision in &course.decisions {
            let (agent, cost) = (&self.agents[seating[decision.seat]], &mut costs[decision.seat]);
            cost.moves += 1;
            cost.depth += u64::from(decision.depth);
            cost.standard += u64::from(agent.standard_depth(decision.depth, self.players));
            // An outside program may report any number.
            cost.nodes = cost.nodes.saturating_add(decision.nodes);
            cost.playouts += decision.playouts;
            cost.time += decision.time;
            if let Some(limit) = agent.budget_or(&self.budget).time {
                cost.over = cost.over.max(decision.time.saturating_sub(limit));
            }
        }
        costs
    }
}

/// Games that may wait in memory until all before them have ended; with a file of games, more are read back from it.
const WAITING: usize = 256;

/// The finished games and those left to play.
struct Ledger<W> {
    keeper: Option<Keeper>,
    /// The games to play or to find in the file.
    numbers: Numbers,
    next: u64,
    seatings: Games,
    /// Games being played by another process.
    elsewhere: BTreeMap<u64, Vec<usize>>,
    /// Games that were in the file at the start, as ranges of numbers in order.
    before: Vec<Range<u64>>,
    /// Games that have ended and wait for those before them; `None` for those that are read back from the file.
    waiting: BTreeMap<u64, Option<Box<GameRecord>>>,
    /// All games below this number have been shown.
    shown: u64,
    /// Number of games shown.
    count: u64,
    watch: W,
}

/// A worker's next task.
enum Next {
    /// The game of this number with this seating.
    Play(u64, Vec<usize>),
    /// Other processes are playing all games that are left.
    Wait,
    Done,
}

/// Refuses to go on with games of another schedule: the fingerprint is that of searches, and says nothing about schedules.
fn check_seatings(keeper: &Keeper, mut seatings: Games) -> Result<(), Error> {
    let Some(first) = keeper.ranges()?.into_iter().next() else { return Ok(()) };
    let mut differs = None;
    keeper.each(first, WAITING as u64, |record| {
        if differs.is_none() && seatings.seating(record.number) != record.seating {
            differs = Some(record.number);
        }
    })?;
    let Some(number) = differs else { return Ok(()) };
    let message = format!("game {number} in the file has another seating than this program would give it");
    Err(Error::usage(message).help("finish the match with the program that began it, or keep it in another file"))
}

impl<W: FnMut(&GameRecord)> Ledger<W> {
    /// Shows the games that are kept already, up to the first that is missing.
    fn load(&mut self) -> Result<(), Error> {
        if let Some(keeper) = &self.keeper {
            self.before = keeper.ranges()?;
        }
        self.show()
    }

    fn take(&mut self) -> Result<Next, Error> {
        while let Some(number) = self.numbers.from(self.next) {
            if let Some(range) = self.before_with(number) {
                self.next = range.end;
                continue;
            }
            self.next = number + 1;
            let seating = self.seatings.seating(number);
            if self.claim(number, &seating)? {
                return Ok(Next::Play(number, seating));
            }
        }
        let mut from = 0;
        while let Some((&number, _)) = self.elsewhere.range(from..).next() {
            let seating = self.elsewhere.remove(&number).expect("it was found there");
            from = number + 1;
            if self.claim(number, &seating)? {
                return Ok(Next::Play(number, seating));
            }
        }
        Ok(if self.elsewhere.is_empty() { Next::Done } else { Next::Wait })
    }

    /// The range of games in the file at the start that has this one.
    fn before_with(&self, number: u64) -> Option<&Range<u64>> {
        let at = self.before.partition_point(|range| range.end <= number);
        self.before.get(at).filter(|range| range.contains(&number))
    }

    /// Claims a game; `false` if it is done, or another process plays it.
    fn claim(&mut self, number: u64, seating: &[usize]) -> Result<bool, Error> {
        let Some(keeper) = &mut self.keeper else { return Ok(true) };
        match keeper.claim(number)? {
            Claim::Ours => return Ok(true),
            Claim::Taken => drop(self.elsewhere.insert(number, seating.to_vec())),
            Claim::Done(record) => self.add(record)?,
        }
        Ok(false)
    }

    fn enter(&mut self, record: GameRecord) -> Result<(), Error> {
        let kept = match &mut self.keeper {
            Some(keeper) => keeper.keep(record)?,
            None => record,
        };
        self.add(Box::new(kept))
    }

    fn add(&mut self, record: Box<GameRecord>) -> Result<(), Error> {
        if record.number >= self.shown {
            let is_held = self.keeper.is_none() || self.waiting.len() < WAITING;
            self.waiting.insert(record.number, is_held.then_some(record));
        }
        self.show()
    }

    /// Shows the games that have ended, up to the first that has not.
    fn show(&mut self) -> Result<(), Error> {
        while let Some(number) = self.numbers.from(self.shown) {
            match self.waiting.remove(&number) {
                Some(Some(record)) => {
                    (self.count, self.shown) = (self.count + 1, number + 1);
                    (self.watch)(&record);
                }
                Some(None) => self.read_back(number)?,
                None if self.before_with(number).is_some() => self.read_back(number)?,
                None if self.elsewhere.contains_key(&number) && self.read(number..number + 1)? => {}
                None => break,
            }
        }
        // What another process has played in the meantime need not be claimed.
        self.elsewhere = self.elsewhere.split_off(&self.shown);
        Ok(())
    }

    /// Reads some games from the file, from one on that is there.
    fn read_back(&mut self, number: u64) -> Result<(), Error> {
        if self.read(number..self.numbers.end())? {
            return Ok(());
        }
        Err(Error::file(format!("game {number} is no longer in the file of games"))
            .help("restore the file, or play the match into a new one"))
    }

    /// Reads some games of a range from the file; `false` if the first of them is not there.
    fn read(&mut self, numbers: Range<u64>) -> Result<bool, Error> {
        let Some(keeper) = &self.keeper else { return Ok(false) };
        let (waiting, own, first) = (&mut self.waiting, &self.numbers, numbers.start);
        keeper.each(numbers, WAITING as u64, |record| {
            if own.contains(record.number) {
                waiting.insert(record.number, Some(Box::new(record)));
            }
        })?;
        Ok(self.waiting.contains_key(&first))
    }

    /// Shows the rest: where the match was stopped, games before them may be missing.
    fn finish(self) -> Result<u64, Error> {
        let Ledger { keeper, numbers, waiting, shown, mut count, mut watch, .. } = self;
        let mut pass = |record: &GameRecord| {
            if numbers.contains(record.number) {
                count += 1;
                watch(record);
            }
        };
        match keeper {
            Some(keeper) => keeper.each(shown..numbers.end(), u64::MAX, |record| pass(&record))?,
            None => waiting.into_values().flatten().for_each(|record| pass(&record)),
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    fn agents(text: &str) -> Vec<NamedAgent> {
        Registry::standard().find("rolit").unwrap().agent_list(text, 3).unwrap()
    }

    /// Short games of three agents with node budgets and a depth.
    fn sample(threads: usize) -> Match {
        let game = Registry::standard().find("rolit").unwrap();
        Match {
            agents: agents("brs:nodes=200,eval=discs greedy:eval=discs maxn:depth=1,eval=discs"),
            game,
            players: 3,
            games: 20,
            budget: Budget::nodes(50),
            terms: Terms::default(),
            openings: None,
            seating: Seating::All,
            schedule: Schedule::All,
            sampled: Some(false),
            seed: 7,
            threads,
            progress: |_, _| (),
        }
    }

    /// The records without their times.
    pub(crate) fn timeless(games: &[GameRecord]) -> Vec<GameRecord> {
        let mut games = games.to_vec();
        for record in &mut games {
            record.decisions.iter_mut().for_each(|decision| decision.time = Duration::ZERO);
            record.costs.iter_mut().for_each(|cost| cost.time = Duration::ZERO);
        }
        games
    }

    #[test]
    fn any_number_of_workers_plays_the_same_games() {
        let run = |threads| timeless(&sample(threads).run(&Arc::default(), |_| ()).unwrap());
        let one = run(1);
        assert_eq!(one.len(), 24);
        assert_eq!(one, run(2));
        assert_eq!(one, run(8));
    }

    #[test]
    fn an_agent_keeps_to_its_own_budget() {
        let games = sample(2).run(&Arc::default(), |_| ()).unwrap();
        let of = |agent: usize| {
            games.iter().flat_map(move |record| {
                record.decisions.iter().filter(move |decision| record.seating[decision.seat] == agent)
            })
        };
        assert!(of(0).all(|decision| decision.nodes <= 200) && of(0).any(|decision| decision.nodes > 50));
        assert!(of(2).all(|decision| decision.depth <= 1));
        // Where a level of replies counts for two plies of the game, three levels are four.
        let brs =
            games.iter().flat_map(|record| record.costs.iter().zip(&record.seating)).find(|(_, agent)| **agent == 0);
        let cost = brs.unwrap().0;
        assert!(cost.standard > cost.depth, "{cost:?}");
    }

    #[test]
    fn playouts_are_counted_where_there_are_any() {
        let games = Match { agents: agents("mcts:playouts=7,eval=discs random"), games: 6, ..sample(1) };
        for record in games.run(&Arc::default(), |_| ()).unwrap() {
            for (cost, &agent) in record.costs.iter().zip(&record.seating) {
                // The solver ends a search that has proved its result.
                let (least, most) = if agent == 0 { (1, 7 * cost.moves) } else { (0, 0) };
                assert!((least..=most).contains(&cost.playouts), "{cost:?}");
            }
            let sum: u64 = record.decisions.iter().map(|decision| decision.playouts).sum();
            assert_eq!(sum, record.costs.iter().map(|cost| cost.playouts).sum::<u64>());
        }
    }

    #[test]
    fn a_time_budget_that_cannot_be_kept_is_recorded_as_such() {
        let slow = Match { agents: agents("greedy:time=0ms,eval=discs"), games: 1, ..sample(1) };
        let games = slow.run(&Arc::default(), |_| ()).unwrap();
        assert!(games[0].costs.iter().all(|cost| cost.over > Duration::ZERO), "{:?}", games[0].costs);
        assert!(sample(1).run(&Arc::default(), |_| ()).unwrap()[0].costs[0].over.is_zero());
    }

    #[test]
    fn agents_that_would_think_for_ever_are_refused() {
        for (text, budget) in [
            ("brs greedy", Budget::playouts(10)),
            ("mcts random", Budget::depth(3)),
            ("worlds:agent=(maxn)", Budget::playouts(10)),
        ] {
            let endless = Match { agents: agents(text), budget, ..sample(1) };
            let error = endless.run(&Arc::default(), |_| ()).unwrap_err();
            assert!(error.message.contains("does not end the thinking of"), "{error}");
            assert!(error.code.is_usage() && error.help.is_some(), "{error}");
        }
        let mixed = Budget { playouts: Some(10), ..Budget::depth(1) };
        Match { agents: agents("brs:eval=discs mcts:eval=discs random"), budget: mixed, ..sample(1) }.check().unwrap();
    }

    #[test]
    fn a_stopped_match_has_only_whole_games() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut seen = 0;
        // Many: while one thread waits for a core, the other goes on playing.
        let game = Match { games: 2400, ..sample(2) };
        let games = game
            .run(&stop, |_| {
                seen += 1;
                stop.store(seen >= 5, Ordering::Relaxed);
            })
            .unwrap();
        assert!((5..2400).contains(&games.len()), "{}", games.len());
        assert!(games.iter().all(|record| record.payoff.iter().sum::<f32>() > 0.99));
    }

    #[test]
    fn fewer_games_than_seatings_are_a_sample_and_the_beginning_of_a_longer_one() {
        let few = |games, threads| Match { games, sampled: None, ..sample(threads) };
        let run = |games, threads| timeless(&few(games, threads).run(&Arc::default(), |_| ()).unwrap());
        let five = run(5, 1);
        assert_eq!((few(5, 1).total(), five.len()), (5, 5));
        assert_eq!((&five, &five[..4]), (&run(5, 2), &run(4, 8)[..]));
        // Rounds of three games, in which everybody sits everywhere, share a seed.
        let (seeds, seats): (Vec<u64>, Vec<usize>) = five.iter().map(|record| (record.seed, record.seating[0])).unzip();
        assert!(seeds[0] == seeds[2] && seeds[2] != seeds[3] && seeds[3] == seeds[4], "{seeds:?}");
        assert!((0..3).all(|agent| seats[..3].contains(&agent)), "{seats:?}");
        assert_eq!((few(5, 1).round(2), few(5, 1).round(3), few(6, 1).round(5)), (0, 1, 0));
    }

    #[test]
    fn a_kept_match_stays_what_it_was_when_it_began() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let run = |name, games| {
            let game = Match { games, sampled: None, ..sample(2) };
            game.check_kept(&path, name, None).unwrap();
            let total = game.resumed(&path, name).unwrap().total();
            let games = timeless(&game.run_kept(&path, name, &Arc::default(), |_| ()).unwrap());
            assert_eq!(games.len() as u64, total);
            games
        };
        let (few, more) = (run("sample", 4), run("sample", 8));
        assert_eq!((few.len(), more.len(), &more[..4]), (4, 8, &few[..]));
        let (all, first) = (run("all", 8), run("all", 4));
        assert_eq!((all.len(), first.len(), &all[..6]), (12, 6, &first[..]));
        assert_ne!(all[..4], few);
        let sampled: Vec<bool> =
            Store::open(&path).unwrap().matches().unwrap().iter().map(|kept| kept.settings.sampled).collect();
        assert_eq!(sampled, [true, false]);
        let error = sample(1).run_kept(&path, "sample", &Arc::default(), |_| ()).unwrap_err();
        assert!(error.message.contains("plays a sample of its seatings, not all of them"), "{error}");
        let exchanged = "UPDATE games SET seats = (SELECT seats FROM games AS other
            WHERE other.match = games.match AND other.game = 1 - games.game) WHERE game < 2";
        assert_eq!(rusqlite::Connection::open(&path).unwrap().execute(exchanged, []).unwrap(), 4);
        let other = Match { games: 9, sampled: None, ..sample(1) };
        let error = other.run_kept(&path, "sample", &Arc::default(), |_| ()).unwrap_err();
        assert!(error.message.contains("has another seating"), "{error}");
    }

    #[test]
    fn schedules_choose_who_meets() {
        let four = agents("random greedy:eval=discs maxn:depth=1,eval=discs maxn:depth=2,eval=discs");
        let of = |schedule, games| {
            let scheduled = Match { agents: four.clone(), schedule, games, sampled: None, ..sample(2) };
            (scheduled.settings(), scheduled.run(&Arc::default(), |_| ()).unwrap())
        };
        let kinds = |record: &GameRecord| (0..4).filter(|agent| record.seating.contains(agent)).count();
        for games in [7, 36] {
            let (settings, pairs) = of(Schedule::Pairs, games);
            assert!(pairs.iter().all(|record| kinds(record) == 2));
            assert_eq!((pairs.len() as u64, settings.even_rate()), (games, 0.5));
            let (settings, gauntlet) = of(Schedule::Gauntlet, games / 2);
            assert!(gauntlet.iter().all(|record| record.seating.contains(&0) && kinds(record) == 3));
            assert_eq!((gauntlet.len() as u64, settings.even_rate()), (games / 2, 1.0 / 3.0));
        }
        // In a whole round of pairs each agent is in half of the games.
        let (_, pairs) = of(Schedule::Pairs, 36);
        let played = |agent: usize| pairs.iter().filter(|record| record.seating.contains(&agent)).count();
        assert_eq!([0, 1, 2, 3].map(played), [18; 4]);
        let error = Match { agents: four[..1].to_vec(), schedule: Schedule::Pairs, ..sample(1) }.check().unwrap_err();
        assert!(error.message.contains("at least two agents"), "{error}");
        let fixed = Match { seating: Seating::Fixed, schedule: Schedule::Pairs, ..sample(1) };
        assert!(fixed.check().unwrap_err().message.contains("everybody in every game"));
    }

    #[test]
    fn games_are_shown_in_the_order_of_their_numbers_however_they_are_spread_over_processes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let whole = sample(1).run(&Arc::default(), |_| ()).unwrap();
        let numbers = |games: &[GameRecord]| games.iter().map(|record| record.number).collect::<Vec<u64>>();
        let mut keeper = Keeper::new(Store::create(&path).unwrap(), "test", &sample(1).settings()).unwrap();
        // Games that are there at the start, with gaps.
        for number in [0, 1, 2, 9, 10, 23] {
            keeper.keep(whole[number].clone()).unwrap();
        }
        // Another process has claimed two, and ends one of them while we play and one when all others are done.
        let claims = [4, 7].map(|number| matches!(keeper.claim(number).unwrap(), Claim::Ours));
        assert_eq!(claims, [true; 2]);
        let keeper = Mutex::new(keeper);
        let mut seen = Vec::new();
        let shown = sample(3).run_through(Some((&path, "test")), &Arc::default(), |record| {
            seen.push(record.clone());
            let ends = match record.number {
                3 => &whole[4],
                6 => &whole[7],
                _ => return,
            };
            keeper.lock().unwrap().keep(ends.clone()).unwrap();
        });
        assert_eq!((shown.unwrap(), numbers(&seen)), (24, (0..24).collect()));
        assert_eq!(timeless(&seen), timeless(&whole));
        // With a stop, what is there is shown in order, and no more.
        let other = folder.path().join("other.db");
        let mut keeper = Keeper::new(Store::create(&other).unwrap(), "test", &sample(1).settings()).unwrap();
        for number in [0, 5, 6] {
            keeper.keep(whole[number].clone()).unwrap();
        }
        drop(keeper);
        let stopped = Arc::new(AtomicBool::new(true));
        assert_eq!(numbers(&sample(2).run_kept(&other, "test", &stopped, |_| ()).unwrap()), [0, 5, 6]);
    }

    #[test]
    fn games_that_wait_for_long_are_read_back_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let many = Match { games: 3 * WAITING as u64, agents: agents("random random random"), ..sample(1) };
        let keeper = Keeper::new(Store::create(&path).unwrap(), "test", &many.settings()).unwrap();
        let mut seen = Vec::new();
        let mut ledger = Ledger {
            keeper: Some(keeper),
            numbers: many.numbers(None),
            next: 0,
            seatings: Games::new(many.seatings(), false, many.seed),
            elsewhere: BTreeMap::new(),
            before: Vec::new(),
            waiting: BTreeMap::new(),
            shown: 0,
            count: 0,
            watch: |record: &GameRecord| seen.push(record.number),
        };
        let game = |number| GameRecord { number, ..crate::record::tests::sample(3) };
        let last = many.total() - 1;
        (1..=last).for_each(|number| ledger.enter(game(number)).unwrap());
        let held = ledger.waiting.values().filter(|record| record.is_some()).count();
        assert_eq!((held, ledger.waiting.len() as u64, ledger.count), (WAITING, last, 0));
        ledger.enter(game(0)).unwrap();
        assert_eq!((ledger.waiting.len(), ledger.finish().unwrap()), (0, last + 1));
        assert_eq!(seen, (0..=last).collect::<Vec<u64>>());
    }

    #[test]
    fn a_match_of_another_program_is_shown_when_complete_and_never_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let run = |games| Match { games, ..sample(2) }.run_kept(&path, "test", &Arc::default(), |_| ());
        let games = run(20).unwrap();
        assert_eq!(run(20).unwrap(), games);
        let other = "UPDATE matches SET settings = json_set(settings, '$.fingerprint', 'other')";
        rusqlite::Connection::open(&path).unwrap().execute(other, []).unwrap();
        assert_eq!(run(20).unwrap(), games);
        let error = run(30).unwrap_err();
        assert!(error.message.contains("other search behavior: fingerprint other"), "{error}");
        assert!(error.help.unwrap().contains("another --db"));
        let old = "UPDATE matches SET settings = json_remove(settings, '$.fingerprint')";
        rusqlite::Connection::open(&path).unwrap().execute(old, []).unwrap();
        assert_eq!(run(6).unwrap(), games[..6]);
        assert!(run(30).unwrap_err().message.contains("it has no fingerprint"));
    }
}
