//! Opponent impact: how often a player can harm a given opponent ([`Impact`]).
//!
//! The opponent impact of a game and an evaluation is the fraction of positions from play in which the player to move has a move
//! after which a given opponent's evaluation is lower than before (Zuckerman, Felner and Kraus 2009). Where it is 0, as in a race
//! without blocking, nobody can harm anybody, and [`mix`](nply::mp_mix) has nothing to gain from playing against a leader.
//!
//! Games are played and positions drawn as [`calibrate`](crate::calibrate) does. Every position counts once for each opponent
//! who is still in. All legal moves are tried; one that ends the game counts with the scores of its end.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nply::Error;
use serde_json::{Value, json};

use crate::calibrate::{MIX, Played, in_parallel};
use crate::registry::NamedGame;

/// What to measure.
#[derive(Clone)]
pub struct Impact {
    /// The game.
    pub game: NamedGame,
    /// The number of players.
    pub players: usize,
    /// The evaluations, all measured in the same positions.
    pub evaluations: Vec<String>,
    /// The number of games.
    pub games: u64,
    /// Random seed.
    pub seed: u64,
    /// The number of threads; it changes nothing else.
    pub threads: usize,
    /// Called while something slow is prepared, such as a table.
    pub progress: fn(&str, f64),
}

/// A position of a game.
struct Sample {
    game: u64,
    /// By evaluation, the opponents of the mover by seats after it: whether each can be harmed, `None` for one who is out.
    opponents: Vec<Vec<Option<bool>>>,
}

/// How often opponents could be harmed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rate {
    /// Opponents in positions.
    pub count: u64,
    /// Those that could be harmed.
    pub harmed: u64,
}

impl Rate {
    fn add(&mut self, is_harmed: bool) {
        self.count += 1;
        self.harmed += u64::from(is_harmed);
    }

    /// The fraction.
    pub fn get(&self) -> f64 {
        self.harmed as f64 / self.count.max(1) as f64
    }
}

/// The opponent impact of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The game with its options.
    pub game: String,
    /// The number of players.
    pub players: usize,
    /// The evaluation.
    pub evaluation: String,
    /// Games played.
    pub games: u64,
    /// Random seed.
    pub seed: u64,
    /// Positions.
    pub positions: u64,
    /// All opponents.
    pub all: Rate,
    /// The 95 % interval of that, by the differences between games.
    pub interval: (f64, f64),
    /// Positions in which somebody can be harmed.
    pub any: Rate,
    /// The opponents so many seats after the mover, from 1 on.
    pub by_seat: Vec<Rate>,
}

impl Measured {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        let rate = |rate: &Rate| json!({ "impact": rate.get(), "count": rate.count });
        json!({
            "game": self.game, "players": self.players, "eval": self.evaluation, "games": self.games, "seed": self.seed,
            "positions": self.positions, "impact": self.all.get(), "count": self.all.count,
            "interval": [self.interval.0, self.interval.1], "any": self.any.get(),
            "by_seat": self.by_seat.iter().map(rate).collect::<Vec<Value>>(),
        })
    }
}

impl Impact {
    /// The number of games, rounded up so that every agent of the mix plays equally often.
    pub fn total(&self) -> u64 {
        self.games.max(1).next_multiple_of(MIX.len() as u64)
    }

    /// Plays the games and tries the moves; `watch` is called after each game. Nothing if it was stopped.
    pub fn run(&self, stop: &Arc<AtomicBool>, watch: &(dyn Fn() + Sync)) -> Result<Option<Vec<Measured>>, Error> {
        let samples = in_parallel(self.total(), self.threads, stop, watch, |number| self.play(number, stop))?;
        let all = |samples: Vec<Sample>| (0..self.evaluations.len()).map(|at| self.measured(at, &samples)).collect();
        Ok(samples.map(all))
    }

    fn play(&self, number: u64, stop: &Arc<AtomicBool>) -> Result<Option<Vec<Sample>>, Error> {
        let played = Played::new(&self.game, self.players, (self.seed, number), self.progress, stop)?;
        let Some(Played { mut session, mut plies, .. }) = played else { return Ok(None) };
        let mut samples = Vec::new();
        while let Some(ply) = plies.pop() {
            while session.played().len() > ply {
                session.undo();
            }
            let (is_in, mover) = (session.is_in(), session.turn() - 1);
            let by_seat = |harmed: Vec<bool>| -> Vec<Option<bool>> {
                let players = (1..self.players).map(|seats| (mover + seats) % self.players);
                players.map(|player| is_in[player].then_some(harmed[player])).collect()
            };
            let judged = self.evaluations.iter().map(|name| session.harmed(Some(name)).map(by_seat));
            samples.push(Sample { game: number, opponents: judged.collect::<Result<_, Error>>()? });
        }
        Ok(Some(samples))
    }

    fn measured(&self, evaluation: usize, samples: &[Sample]) -> Measured {
        let (mut all, mut any, mut by_seat) =
            (Rate::default(), Rate::default(), vec![Rate::default(); self.players - 1]);
        let mut by_game: Vec<(u64, Rate)> = Vec::new();
        for Sample { game, opponents } in samples {
            let opponents = &opponents[evaluation];
            any.add(opponents.contains(&Some(true)));
            if by_game.last().is_none_or(|(last, _)| last != game) {
                by_game.push((*game, Rate::default()));
            }
            for (rate, is_harmed) in by_seat.iter_mut().zip(opponents) {
                if let Some(is_harmed) = *is_harmed {
                    rate.add(is_harmed);
                    all.add(is_harmed);
                    by_game.last_mut().expect("it has one").1.add(is_harmed);
                }
            }
        }
        Measured {
            game: self.game.to_string(),
            players: self.players,
            evaluation: self.evaluations[evaluation].clone(),
            games: self.total(),
            seed: self.seed,
            positions: samples.len() as u64,
            interval: interval(all, by_game.iter().map(|(_, rate)| *rate)),
            all,
            any,
            by_seat,
        }
    }
}

/// The 95 % interval of a fraction whose parts differ, since positions of one game are alike.
fn interval(all: Rate, parts: impl Iterator<Item = Rate>) -> (f64, f64) {
    let (mut squares, mut count) = (0.0, 0.0);
    for part in parts {
        let off = part.harmed as f64 - all.get() * part.count as f64;
        (squares, count) = (squares + off * off, count + 1.0);
    }
    if count < 2.0 {
        return (0.0, 1.0);
    }
    let error = 1.96 * (squares * count / (count - 1.0)).sqrt() / all.count.max(1) as f64;
    ((all.get() - error).max(0.0), (all.get() + error).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_as_wide_as_games_differ() {
        let rate = |harmed, count| Rate { harmed, count };
        // All alike.
        assert_eq!(interval(rate(30, 60), (0..10).map(|_| rate(3, 6))), (0.5, 0.5));
        // All or nothing: as wide as that of ten throws of a coin.
        let (low, high) = interval(rate(30, 60), (0..10).map(|game| rate(if game % 2 == 0 { 6 } else { 0 }, 6)));
        assert!((high - low - 2.0 * 1.96 * (0.25f64 / 9.0).sqrt()).abs() < 1e-9, "{low} {high}");
        // One game says nothing about others.
        assert_eq!(interval(rate(3, 6), std::iter::once(rate(3, 6))), (0.0, 1.0));
    }
}
