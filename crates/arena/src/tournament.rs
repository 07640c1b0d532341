//! Tournaments: many games between kinds of agents, every seating equally often, in parallel.
//!
//! A game is named by its number: seating and seed follow from it, so that results do not depend on who plays which game
//! when. All seatings of a round share one seed, and with it the deal of a card game and the noise.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nply::{Budget, mix, standard_depth};

use crate::error::Error;
use crate::limits::{budget_text, check_limits, own_budget};
use crate::registry::{NamedGame, Request};
use crate::seating::seatings;
use crate::spec::Spec;
use crate::store::{Claim, Keeper, Settings};

/// What is played.
#[derive(Clone)]
pub struct Tournament {
    /// The game.
    pub game: NamedGame,
    /// How many play in a game.
    pub players: usize,
    /// The kinds of agents; one with limits among its options has a budget of its own.
    pub agents: Vec<Spec>,
    /// How many games; made up to the next multiple of the seatings.
    pub games: u64,
    /// What each decision may cost.
    pub budget: Budget,
    /// What all chance depends on.
    pub seed: u64,
    /// Games played at the same time.
    pub threads: usize,
    /// Told of what takes long before the first game, as in a [`Request`].
    pub progress: fn(&str, f64),
}

/// One game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The game's number, from 0.
    pub number: u64,
    /// The kind of agent on each seat.
    pub seating: Vec<usize>,
    /// What chance in it depended on.
    pub seed: u64,
    /// Each seat's share of the win.
    pub payoff: Vec<f32>,
    /// Raw points, where the game counts them.
    pub points: Option<Vec<f32>>,
    /// The moves.
    pub moves: Vec<String>,
    /// What each move cost, in the same order.
    pub steps: Vec<Step>,
    /// What each seat's thinking cost.
    pub costs: Vec<Cost>,
    /// Whose fault ended the game before its end, if anybody's.
    pub forfeit: Option<Forfeit>,
}

/// The end of a game by the fault of an agent, an outside program.
///
/// All seats of its kind lose, so that a kind never profits from its own fault; the others share the win equally, as if they had drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// The seat at fault, from 0.
    pub seat: usize,
    /// What it did.
    pub why: String,
}

/// In one line: `seat 2: it did not answer within 1000 ms`.
impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}: {}", self.seat + 1, self.why)
    }
}

impl Forfeit {
    /// Each seat's share of the win.
    fn payoff(&self, seating: &[usize]) -> Vec<f32> {
        // Where all are of one kind, only the seat itself loses.
        let is_alone = seating.iter().all(|&kind| kind == seating[self.seat]);
        let loses = |seat: usize| if is_alone { seat == self.seat } else { seating[seat] == seating[self.seat] };
        let winners = (0..seating.len()).filter(|&seat| !loses(seat)).count();
        (0..seating.len()).map(|seat| if loses(seat) { 0.0 } else { 1.0 / winners as f32 }).collect()
    }
}

/// One decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who made it, from 0.
    pub seat: usize,
    /// Plies of the last completed iteration.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
    /// Time from question to answer.
    pub time: Duration,
}

/// What one seat's decisions cost in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// How many decisions.
    pub moves: u64,
    /// Their depths added up.
    pub depth: u64,
    /// The same in plies of the game: in Best-Reply Search a level of replies stands for those of all opponents.
    pub standard: u64,
    /// Their nodes added up.
    pub nodes: u64,
    /// Their time added up.
    pub time: Duration,
    /// The most by which one took longer than its budget.
    pub over: Duration,
}

impl Tournament {
    /// The seatings that are played equally often.
    pub fn seatings(&self) -> Vec<Vec<usize>> {
        seatings(self.agents.len(), self.players)
    }

    /// How many games are played: a multiple of the seatings.
    pub fn total(&self) -> u64 {
        let seatings = self.seatings().len() as u64;
        self.games.checked_next_multiple_of(seatings).unwrap_or(u64::MAX / seatings * seatings)
    }

    /// What the games depend on, which is kept with them.
    pub fn settings(&self) -> Settings {
        Settings {
            game: self.game.spec.to_string(),
            players: self.players,
            agents: self.agents.iter().map(Spec::to_string).collect(),
            budget: budget_text(&self.budget),
            seed: self.seed,
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }

    /// Plays all games, and tells `watch` of each as it ends. The answer is in the order of their numbers; it is shorter if
    /// `stop` was set, which also breaks off the games under way.
    pub fn run(&self, stop: &Arc<AtomicBool>, watch: impl FnMut(&Played) + Send) -> Result<Vec<Played>, Error> {
        self.fill(None, stop, watch)
    }

    /// The same, but every game is kept in a file under the experiment's name, and what is there already is not played
    /// again; `watch` is told of that too. Several processes may fill one file at the same time.
    pub fn run_kept(
        &self,
        path: &Path,
        name: &str,
        stop: &Arc<AtomicBool>,
        watch: impl FnMut(&Played) + Send,
    ) -> Result<Vec<Played>, Error> {
        self.check()?;
        let keeper = Keeper::new(path, name, &self.settings())?;
        self.fill(Some(keeper), stop, watch)
    }

    /// Says what is wrong with an agent's name or options, before anything is played.
    pub fn check(&self) -> Result<(), Error> {
        let mut trial = self.open(self.seed)?;
        for agent in &self.agents {
            trial.seat(agent, 0)?;
            let own = own_budget(agent)?.1;
            check_limits(agent, own.as_ref().unwrap_or(&self.budget))?;
        }
        Ok(())
    }

    fn fill(
        &self,
        keeper: Option<Keeper>,
        stop: &Arc<AtomicBool>,
        watch: impl FnMut(&Played) + Send,
    ) -> Result<Vec<Played>, Error> {
        self.check()?;
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
                        let Some(played) = self.play(number, &seatings, &budgets)? else { break };
                        ledger.lock().expect("a watcher does not panic").enter(played)?;
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
            // All are waited for before the first failure is told.
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

    /// What each kind may spend, with the common flag to stop.
    fn budgets(&self, stop: &Arc<AtomicBool>) -> Result<Vec<Budget>, Error> {
        let budget = |spec| {
            let own = own_budget(spec)?.1.unwrap_or_else(|| self.budget.clone());
            Ok(Budget { stop: Some(stop.clone()), ..own })
        };
        self.agents.iter().map(budget).collect()
    }

    /// Plays one game; nothing if it was stopped.
    fn play(&self, number: u64, seatings: &[Vec<usize>], budgets: &[Budget]) -> Result<Option<Played>, Error> {
        let round = number / seatings.len() as u64;
        let seating = &seatings[(number % seatings.len() as u64) as usize];
        let seed = mix(self.seed ^ mix(round));
        let mut session = self.open(seed)?;
        for (seat, &kind) in seating.iter().enumerate() {
            session.seat(&self.agents[kind], mix(seed.wrapping_add(seat as u64)))?;
        }
        let mut costs = vec![Cost::default(); self.players];
        let mut steps = Vec::new();
        let (payoff, points, forfeit) = loop {
            if let Some(payoff) = session.payoff() {
                break (payoff, session.points(), None);
            }
            let seat = session.turn() - 1;
            let (kind, cost) = (seating[seat], &mut costs[seat]);
            let started = Instant::now();
            let thought = session.think(seat, &budgets[kind], &mut |_| ());
            let mut time = started.elapsed();
            if budgets[kind].stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            let thought = match thought {
                Err(Error { forfeit: Some(why), .. }) => {
                    let forfeit = Forfeit { seat, why };
                    break (forfeit.payoff(seating), None, Some(forfeit));
                }
                thought => thought?,
            };
            // A program's first question waits for it to start, which is not thinking.
            if self.agents[kind].name == "program" {
                time = thought.time;
            }
            let is_brs = self.agents[kind].name == "brs";
            let standard = if is_brs { standard_depth(thought.depth, self.players) } else { thought.depth };
            cost.moves += 1;
            cost.depth += u64::from(thought.depth);
            cost.standard += u64::from(standard);
            // An outside program may tell any number.
            cost.nodes = cost.nodes.saturating_add(thought.nodes);
            cost.time += time;
            if let Some(limit) = budgets[kind].time {
                cost.over = cost.over.max(time.saturating_sub(limit));
            }
            steps.push(Step { seat, depth: thought.depth, nodes: thought.nodes, time });
            session.play(&thought.m)?;
        };
        let (seating, moves) = (seating.clone(), session.played());
        Ok(Some(Played { number, seating, seed, payoff, points, moves, steps, costs, forfeit }))
    }
}

/// Which games there are and which are left.
struct Ledger<W> {
    keeper: Option<Keeper>,
    total: u64,
    next: u64,
    /// Games that another process is playing.
    elsewhere: VecDeque<u64>,
    games: BTreeMap<u64, Played>,
    watch: W,
}

/// What a worker does next.
enum Next {
    Play(u64),
    /// All that is left is being played by other processes.
    Wait,
    Done,
}

impl<W: FnMut(&Played)> Ledger<W> {
    /// Reads what was kept before.
    fn load(&mut self) -> Result<(), Error> {
        let Some(keeper) = &self.keeper else { return Ok(()) };
        let (games, total) = (keeper.games()?, self.total);
        for played in games.into_iter().filter(|played| played.number < total) {
            self.add(played);
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

    /// Whether a game is ours to play; if it is not, notes what becomes of it.
    fn claim(&mut self, number: u64) -> Result<bool, Error> {
        let Some(keeper) = &mut self.keeper else { return Ok(true) };
        match keeper.claim(number)? {
            Claim::Ours => return Ok(true),
            Claim::Taken => self.elsewhere.push_back(number),
            Claim::Done(played) => self.add(*played),
        }
        Ok(false)
    }

    fn enter(&mut self, played: Played) -> Result<(), Error> {
        let kept = match &mut self.keeper {
            Some(keeper) => keeper.keep(played)?,
            None => played,
        };
        self.add(kept);
        Ok(())
    }

    fn add(&mut self, played: Played) {
        (self.watch)(&played);
        self.games.insert(played.number, played);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forfeit_costs_the_kind_and_the_others_share_the_win() {
        let payoff = |seat, seating: &[usize]| Forfeit { seat, why: String::new() }.payoff(seating);
        assert_eq!(payoff(1, &[0, 1, 2, 2, 0]), [0.25, 0.0, 0.25, 0.25, 0.25]);
        assert_eq!(payoff(0, &[1, 0, 1]), [0.0, 1.0, 0.0]);
        assert_eq!(payoff(2, &[0, 0, 0]), [0.5, 0.5, 0.0]);
    }

    /// Half-deep games of three kinds with a node budget.
    fn tournament(threads: usize) -> Tournament {
        Tournament {
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

    /// What does not depend on the clock.
    pub(crate) fn timeless(games: &[Played]) -> Vec<Played> {
        let mut games = games.to_vec();
        for played in &mut games {
            played.steps.iter_mut().for_each(|step| step.time = Duration::ZERO);
            played.costs.iter_mut().for_each(|cost| cost.time = Duration::ZERO);
        }
        games
    }

    #[test]
    fn any_number_of_workers_plays_the_same_games() {
        let run = |threads| timeless(&tournament(threads).run(&Arc::default(), |_| ()).unwrap());
        let one = run(1);
        assert_eq!(one.len(), 24);
        assert_eq!(one, run(2));
        assert_eq!(one, run(8));
    }

    #[test]
    fn an_agent_keeps_to_its_own_budget() {
        let games = tournament(2).run(&Arc::default(), |_| ()).unwrap();
        let of = |kind: usize| {
            games
                .iter()
                .flat_map(move |played| played.steps.iter().filter(move |step| played.seating[step.seat] == kind))
        };
        assert!(of(0).all(|step| step.nodes <= 200) && of(0).any(|step| step.nodes > 50));
        assert!(of(2).all(|step| step.depth <= 1));
        // Where a level of replies counts for two plies of the game, three levels are four.
        let brs =
            games.iter().flat_map(|played| played.costs.iter().zip(&played.seating)).find(|(_, kind)| **kind == 0);
        let cost = brs.unwrap().0;
        assert!(cost.standard > cost.depth, "{cost:?}");
    }

    #[test]
    fn a_time_budget_that_cannot_be_kept_is_recorded_as_such() {
        let slow =
            Tournament { agents: Spec::parse_list("greedy:time=0ms,eval=discs").unwrap(), games: 1, ..tournament(1) };
        let games = slow.run(&Arc::default(), |_| ()).unwrap();
        assert!(games[0].costs.iter().all(|cost| cost.over > Duration::ZERO), "{:?}", games[0].costs);
        assert!(tournament(1).run(&Arc::default(), |_| ()).unwrap()[0].costs[0].over.is_zero());
    }

    #[test]
    fn agents_that_would_think_for_ever_are_refused() {
        for (agents, budget) in [
            ("brs greedy", Budget::playouts(10)),
            ("mcts random", Budget::depth(3)),
            ("worlds:agent=(maxn)", Budget::playouts(10)),
        ] {
            let endless = Tournament { agents: Spec::parse_list(agents).unwrap(), budget, ..tournament(1) };
            let error = endless.run(&Arc::default(), |_| ()).unwrap_err();
            assert!(error.message.contains("does not end the thinking of"), "{error}");
            assert!(error.is_usage && error.help.is_some(), "{error}");
        }
        let mixed = Budget { playouts: Some(10), ..Budget::depth(1) };
        let agents = Spec::parse_list("brs:eval=discs mcts:eval=discs random").unwrap();
        Tournament { agents, budget: mixed, ..tournament(1) }.check().unwrap();
    }

    #[test]
    fn a_stopped_tournament_has_only_whole_games() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut seen = 0;
        let games = tournament(2)
            .run(&stop, |_| {
                seen += 1;
                stop.store(seen >= 5, Ordering::Relaxed);
            })
            .unwrap();
        assert!((5..24).contains(&games.len()), "{}", games.len());
        assert!(games.iter().all(|played| played.payoff.iter().sum::<f32>() > 0.99));
    }
}
