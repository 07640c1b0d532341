//! Matches: games between the same agents under the same settings, every seating equally often, in parallel.
//!
//! Seating and seed of a game follow from its number, so results do not depend on which worker plays which game when. All
//! seatings of a round share one seed, and with it the deal of a card game and the noise.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nply::{Budget, mix, standard_depth};

use crate::error::Error;
use crate::fingerprint::FINGERPRINT;
use crate::limits::{budget_text, check_limits, own_budget};
use crate::record::{Cost, DecisionRecord, Ending, Forfeit, GameRecord};
use crate::registry::{NamedGame, Request};
use crate::seating::seatings;
use crate::spec::Spec;
use crate::store::{Claim, Keeper, MatchSettings, Store};

/// Games between the same agents under the same settings.
#[derive(Clone)]
pub struct Match {
    /// The game with its options.
    pub game: NamedGame,
    /// Number of players in a game.
    pub players: usize,
    /// The agents. One with limits among its options has a budget of its own.
    pub agents: Vec<Spec>,
    /// Number of games, rounded up so that every seating is played equally often.
    pub games: u64,
    /// Budget of each decision.
    pub budget: Budget,
    /// Random seed.
    pub seed: u64,
    /// Number of games played at the same time.
    pub threads: usize,
    /// Receives the progress of slow preparations before the first game, as in a [`Request`].
    pub progress: fn(&str, f64),
}

/// Whether an agent's depth counts levels of replies, which stand for the moves of all opponents.
fn counts_replies(agent: &Spec) -> bool {
    agent.name == "brs"
}

/// Whether an agent measures its own time. An outside program does: its first answer includes its start, which is not
/// thinking.
fn measures_time(agent: &Spec) -> bool {
    agent.name == "program"
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
            return Err(Error::unknown("match", text, names));
        }
        selected.extend(found);
    }
    selected.sort_unstable();
    selected.dedup();
    Ok(selected)
}

impl Match {
    /// The seatings that are played equally often.
    pub fn seatings(&self) -> Vec<Vec<usize>> {
        seatings(self.agents.len(), self.players)
    }

    /// Number of games that are played: a multiple of the seatings.
    pub fn total(&self) -> u64 {
        let seatings = self.seatings().len() as u64;
        self.games.checked_next_multiple_of(seatings).unwrap_or(u64::MAX / seatings * seatings)
    }

    /// The settings that the games depend on, which are kept with them.
    pub fn settings(&self) -> MatchSettings {
        MatchSettings {
            game: self.game.spec.to_string(),
            players: self.players,
            agents: self.agents.iter().map(Spec::to_string).collect(),
            budget: budget_text(&self.budget),
            seed: self.seed,
            version: env!("CARGO_PKG_VERSION").into(),
            fingerprint: Some(FINGERPRINT.into()),
        }
    }

    /// Plays all games and calls `watch` with each as it ends. The records are in the order of their numbers. Setting `stop`
    /// abandons the games under way and returns those that are finished.
    pub fn run(&self, stop: &Arc<AtomicBool>, watch: impl FnMut(&GameRecord) + Send) -> Result<Vec<GameRecord>, Error> {
        self.check()?;
        self.fill(None, stop, watch)
    }

    /// The same, but every game is kept in a file under the match's name, and games that are there already are not played
    /// again; `watch` sees those too. Several processes may fill one file at the same time.
    ///
    /// A match that another program began is not resumed: its games would be of two kinds. If all games are there, nothing is
    /// played, and it does not matter who played them.
    pub fn run_kept(
        &self,
        path: &Path,
        name: &str,
        stop: &Arc<AtomicBool>,
        mut watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<Vec<GameRecord>, Error> {
        self.check()?;
        let (store, settings, total) = (Store::create(path)?, self.settings(), self.total());
        let mut kept = store.kept(name, &settings)?;
        kept.retain(|record| record.number < total);
        if kept.len() as u64 == total {
            kept.iter().for_each(&mut watch);
            return Ok(kept);
        }
        self.fill(Some(Keeper::new(store, name, &settings)?), stop, watch)
    }

    /// Checks the agents' options and limits before anything is played; what can be slow comes last.
    pub fn check(&self) -> Result<(), Error> {
        self.check_limits()?;
        let mut trial = self.open(self.seed)?;
        self.agents.iter().try_for_each(|agent| trial.seat(agent, 0).map(drop))
    }

    /// Checks that the match can be kept in an existing file under this name: there is none, or it has the same settings.
    pub fn check_kept(&self, path: &Path, name: &str) -> Result<(), Error> {
        Store::create(path)?.check(name, &self.settings(), self.total())
    }

    /// Checks that every agent takes its limits and that they end its thinking; quick.
    pub fn check_limits(&self) -> Result<(), Error> {
        self.agents.iter().try_for_each(|agent| {
            let own = own_budget(agent)?.1;
            check_limits(agent, own.as_ref().unwrap_or(&self.budget))
        })
    }

    fn fill(
        &self,
        keeper: Option<Keeper>,
        stop: &Arc<AtomicBool>,
        watch: impl FnMut(&GameRecord) + Send,
    ) -> Result<Vec<GameRecord>, Error> {
        let seatings = self.seatings();
        let budgets = self.budgets(stop)?;
        let mut ledger =
            Ledger { keeper, total: self.total(), next: 0, elsewhere: VecDeque::new(), games: BTreeMap::new(), watch };
        ledger.load()?;
        let ledger = Mutex::new(ledger);
        // One worker's failure ends the others' games too.
        let failed = AtomicBool::new(false);
        let work = || -> Result<(), Error> {
            while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
                let next = ledger.lock().expect("a watcher does not panic").take()?;
                match next {
                    Next::Play(number) => {
                        let Some(record) = self.play(number, &seatings, &budgets)? else { break };
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
        Ok(ledger.into_inner().expect("no worker panicked").games.into_values().collect())
    }

    fn open(&self, seed: u64) -> Result<Box<dyn crate::Session>, Error> {
        let (players, progress) = (Some(self.players), self.progress);
        self.game.open(&Request { players, seed, noise: true, programs: true, progress, ..Request::default() })
    }

    /// Each agent's budget, with the common stop flag.
    fn budgets(&self, stop: &Arc<AtomicBool>) -> Result<Vec<Budget>, Error> {
        let budget = |spec| {
            let own = own_budget(spec)?.1.unwrap_or_else(|| self.budget.clone());
            Ok(Budget { stop: Some(stop.clone()), ..own })
        };
        self.agents.iter().map(budget).collect()
    }

    /// Plays one game; `None` if it was stopped.
    fn play(&self, number: u64, seatings: &[Vec<usize>], budgets: &[Budget]) -> Result<Option<GameRecord>, Error> {
        let round = number / seatings.len() as u64;
        let seating = &seatings[(number % seatings.len() as u64) as usize];
        let seed = mix(self.seed ^ mix(round));
        let mut session = self.open(seed)?;
        for (seat, &agent) in seating.iter().enumerate() {
            session.seat(&self.agents[agent], mix(seed.wrapping_add(seat as u64)))?;
        }
        let mut costs = vec![Cost::default(); self.players];
        let mut decisions = Vec::new();
        let (payoff, points, ending) = loop {
            if let Some(payoff) = session.payoff() {
                break (payoff, session.points(), Ending::Normal);
            }
            let seat = session.turn() - 1;
            let (agent, cost) = (seating[seat], &mut costs[seat]);
            let started = Instant::now();
            let thought = session.think(seat, &budgets[agent], &mut |_| ());
            let mut time = started.elapsed();
            if budgets[agent].stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            let thought = match thought {
                Err(Error { forfeit: Some(reason), .. }) => {
                    let forfeit = Forfeit { seat, reason };
                    break (forfeit.payoff(seating), None, Ending::Forfeit(forfeit));
                }
                thought => thought?,
            };
            if measures_time(&self.agents[agent]) {
                time = thought.time;
            }
            let is_reply_depth = counts_replies(&self.agents[agent]);
            let standard = if is_reply_depth { standard_depth(thought.depth, self.players) } else { thought.depth };
            cost.moves += 1;
            cost.depth += u64::from(thought.depth);
            cost.standard += u64::from(standard);
            // An outside program may report any number.
            cost.nodes = cost.nodes.saturating_add(thought.nodes);
            cost.time += time;
            if let Some(limit) = budgets[agent].time {
                cost.over = cost.over.max(time.saturating_sub(limit));
            }
            decisions.push(DecisionRecord { seat, depth: thought.depth, nodes: thought.nodes, time });
            session.play(&thought.m)?;
        };
        let (seating, moves) = (seating.clone(), session.played());
        Ok(Some(GameRecord { number, seating, seed, payoff, points, moves, decisions, costs, ending }))
    }
}

/// The finished games and those left to play.
struct Ledger<W> {
    keeper: Option<Keeper>,
    total: u64,
    next: u64,
    /// Games being played by another process.
    elsewhere: VecDeque<u64>,
    games: BTreeMap<u64, GameRecord>,
    watch: W,
}

/// A worker's next task.
enum Next {
    Play(u64),
    /// Other processes are playing all games that are left.
    Wait,
    Done,
}

impl<W: FnMut(&GameRecord)> Ledger<W> {
    /// Reads the games that are kept already.
    fn load(&mut self) -> Result<(), Error> {
        let Some(keeper) = &self.keeper else { return Ok(()) };
        let (games, total) = (keeper.games()?, self.total);
        for record in games.into_iter().filter(|record| record.number < total) {
            self.add(record);
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Next, Error> {
        while self.next < self.total {
            let number = self.next;
            self.next += 1;
            if !self.games.contains_key(&number) && self.claim(number)? {
                return Ok(Next::Play(number));
            }
        }
        for _ in 0..self.elsewhere.len() {
            let Some(number) = self.elsewhere.pop_front() else { break };
            if self.claim(number)? {
                return Ok(Next::Play(number));
            }
        }
        Ok(if self.elsewhere.is_empty() { Next::Done } else { Next::Wait })
    }

    /// Claims a game; `false` if it is done, or another process plays it.
    fn claim(&mut self, number: u64) -> Result<bool, Error> {
        let Some(keeper) = &mut self.keeper else { return Ok(true) };
        match keeper.claim(number)? {
            Claim::Ours => return Ok(true),
            Claim::Taken => self.elsewhere.push_back(number),
            Claim::Done(record) => self.add(*record),
        }
        Ok(false)
    }

    fn enter(&mut self, record: GameRecord) -> Result<(), Error> {
        let kept = match &mut self.keeper {
            Some(keeper) => keeper.keep(record)?,
            None => record,
        };
        self.add(kept);
        Ok(())
    }

    fn add(&mut self, record: GameRecord) {
        (self.watch)(&record);
        self.games.insert(record.number, record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Short games of three agents with node budgets and a depth.
    fn sample(threads: usize) -> Match {
        Match {
            game: NamedGame::new(&Spec::parse("rolit").unwrap()).unwrap(),
            players: 3,
            agents: Spec::parse_list("brs:nodes=200,eval=discs greedy:eval=discs maxn:depth=1,eval=discs").unwrap(),
            games: 20,
            budget: Budget::nodes(50),
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
    fn a_time_budget_that_cannot_be_kept_is_recorded_as_such() {
        let slow = Match { agents: Spec::parse_list("greedy:time=0ms,eval=discs").unwrap(), games: 1, ..sample(1) };
        let games = slow.run(&Arc::default(), |_| ()).unwrap();
        assert!(games[0].costs.iter().all(|cost| cost.over > Duration::ZERO), "{:?}", games[0].costs);
        assert!(sample(1).run(&Arc::default(), |_| ()).unwrap()[0].costs[0].over.is_zero());
    }

    #[test]
    fn agents_that_would_think_for_ever_are_refused() {
        for (agents, budget) in [
            ("brs greedy", Budget::playouts(10)),
            ("mcts random", Budget::depth(3)),
            ("worlds:agent=(maxn)", Budget::playouts(10)),
        ] {
            let endless = Match { agents: Spec::parse_list(agents).unwrap(), budget, ..sample(1) };
            let error = endless.run(&Arc::default(), |_| ()).unwrap_err();
            assert!(error.message.contains("does not end the thinking of"), "{error}");
            assert!(error.is_usage && error.help.is_some(), "{error}");
        }
        let mixed = Budget { playouts: Some(10), ..Budget::depth(1) };
        let agents = Spec::parse_list("brs:eval=discs mcts:eval=discs random").unwrap();
        Match { agents, budget: mixed, ..sample(1) }.check().unwrap();
    }

    #[test]
    fn a_stopped_match_has_only_whole_games() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut seen = 0;
        let games = sample(2)
            .run(&stop, |_| {
                seen += 1;
                stop.store(seen >= 5, Ordering::Relaxed);
            })
            .unwrap();
        assert!((5..24).contains(&games.len()), "{}", games.len());
        assert!(games.iter().all(|record| record.payoff.iter().sum::<f32>() > 0.99));
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
