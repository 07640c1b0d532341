//! Tournaments: many games between kinds of agents, every seating equally often, in parallel.
//!
//! A game is named by its number: seating and seed follow from it, so that results do not depend on who plays which game
//! when. All seatings of a round share one seed, and with it the deal of a card game and the noise.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use nply::{Budget, mix};

use crate::error::Error;
use crate::registry::{NamedGame, Request};
use crate::seating::seatings;
use crate::spec::Spec;

/// What is played.
#[derive(Clone)]
pub struct Tournament {
    /// The game.
    pub game: NamedGame,
    /// How many play in a game.
    pub players: usize,
    /// The kinds of agents.
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
    /// Each seat's share of the win.
    pub payoff: Vec<f32>,
    /// Raw points, where the game counts them.
    pub points: Option<Vec<f32>>,
    /// The moves.
    pub moves: Vec<String>,
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

/// What one seat's decisions cost in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// How many decisions.
    pub moves: u64,
    /// Their depths added up.
    pub depth: u64,
    /// Their nodes added up.
    pub nodes: u64,
    /// Their time added up.
    pub time: Duration,
}

impl Tournament {
    /// The seatings that are played equally often.
    pub fn seatings(&self) -> Vec<Vec<usize>> {
        seatings(self.agents.len(), self.players)
    }

    /// How many games are played: a multiple of the seatings.
    pub fn total(&self) -> u64 {
        self.games.next_multiple_of(self.seatings().len() as u64)
    }

    /// Plays all games, and tells `watch` of each as it ends. The answer is in the order of their numbers; it is shorter if
    /// `stop` was set.
    pub fn run(&self, stop: &AtomicBool, watch: impl FnMut(&Played) + Send) -> Result<Vec<Played>, Error> {
        // What is wrong with an agent's name or options is said before anything is played.
        let mut trial = self.open(self.seed)?;
        for agent in &self.agents {
            trial.seat(agent, 0)?;
        }
        let seatings = self.seatings();
        let (next, total) = (AtomicU64::new(0), self.total());
        let done = Mutex::new((Vec::new(), watch));
        let work = || -> Result<(), Error> {
            while !stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= total {
                    break;
                }
                let played = self.play(number, &seatings)?;
                let (games, watch) = &mut *done.lock().expect("a watcher does not panic");
                watch(&played);
                games.push(played);
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
        })?;
        let (mut games, _) = done.into_inner().expect("no worker panicked");
        games.sort_by_key(|played| played.number);
        Ok(games)
    }

    fn open(&self, seed: u64) -> Result<Box<dyn crate::Session>, Error> {
        let (players, progress) = (Some(self.players), self.progress);
        self.game.open(&Request { players, seed, noise: true, programs: true, progress, ..Request::default() })
    }

    fn play(&self, number: u64, seatings: &[Vec<usize>]) -> Result<Played, Error> {
        let round = number / seatings.len() as u64;
        let seating = &seatings[(number % seatings.len() as u64) as usize];
        let seed = mix(self.seed ^ mix(round));
        let mut session = self.open(seed)?;
        for (seat, &kind) in seating.iter().enumerate() {
            session.seat(&self.agents[kind], mix(seed.wrapping_add(seat as u64)))?;
        }
        let mut costs = vec![Cost::default(); self.players];
        let (payoff, points, forfeit) = loop {
            if let Some(payoff) = session.payoff() {
                break (payoff, session.points(), None);
            }
            let seat = session.turn() - 1;
            let thought = match session.think(seat, &self.budget, &mut |_| ()) {
                Err(error) if error.is_forfeit => {
                    let forfeit = Forfeit { seat, why: error.message };
                    break (forfeit.payoff(seating), None, Some(forfeit));
                }
                thought => thought?,
            };
            let cost = &mut costs[seat];
            cost.moves += 1;
            cost.depth += u64::from(thought.depth);
            cost.nodes += thought.nodes;
            cost.time += thought.time;
            session.play(&thought.m)?;
        };
        Ok(Played { number, seating: seating.clone(), payoff, points, moves: session.played(), costs, forfeit })
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
}
