//! A sequential test: a match between two agents ends as soon as one is shown to be stronger, or both to be nearly equal.
//!
//! It looks at rounds, in which every seating is played once or, in a sample, a seating and its opposite, so that the effects of
//! seats cancel: what counts is the part x of a round's points that the first agent makes. If the agents are equally strong, the mean of x is ½ in any
//! game, and rounds are independent.
//!
//! A bettor starts with a capital of 1 and bets on x at fair odds. If the mean of x is m or less, the capital
//! Π (1 + λ (x − m)) is expected to shrink, and the probability that it ever reaches 1/α is at most α (Ville's inequality),
//! however often one looks and however x is distributed. The bet λ is spread over several sizes. Four bettors run at the same
//! time:
//!
//! | against | reaches | then |
//! | --- | --- | --- |
//! | the first is no stronger | 40 | it is stronger |
//! | the second is no stronger | 40 | it is stronger |
//! | the first makes ½ + δ or more, and: the second does | both 20 | they differ by less than δ |
//!
//! So equal agents are called different in at most 5 % of all matches (2.5 % for each side), and agents that differ by δ or
//! more are called equal in at most 5 %.
//!
//! References: J. Ville, *Étude critique de la notion de collectif*, 1939; I. Waudby-Smith, A. Ramdas, *Estimating means of
//! bounded random variables by betting*, 2024; the three-way decision after M. Sobel, A. Wald, 1949.

use std::collections::{BTreeMap, HashSet};

use nply::{Code, Error};

use crate::record::GameRecord;
use crate::store::MatchSettings;

/// The sizes of the bets, as parts of the largest bet that can never lose all.
const SIZES: [f64; 8] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9];
/// Capital at which an agent is called stronger: an error of 2.5 %.
const STRONGER: f64 = 40.0;
/// Capital at which a difference is ruled out: an error of 5 %.
const RULED_OUT: f64 = 20.0;

/// The outcome of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first agent is stronger.
    First,
    /// The second agent is stronger.
    Second,
    /// Both rates are within the given distance of one half.
    Equal,
}

/// The outcome of the test of a match in words; `None` is one that is not decided.
pub fn verdict_text(verdict: Option<Verdict>, settings: &MatchSettings) -> String {
    match verdict {
        Some(Verdict::First) => format!("{} is stronger", settings.label(0)),
        Some(Verdict::Second) => format!("{} is stronger", settings.label(1)),
        Some(Verdict::Equal) => "both rates are within the given distance of one half".into(),
        None => "undecided".into(),
    }
}

/// A bettor that the mean is more than `null`, or less.
#[derive(Clone, Debug)]
struct Bettor {
    null: f64,
    is_up: bool,
    capitals: [f64; SIZES.len()],
}

impl Bettor {
    fn new(null: f64, is_up: bool) -> Bettor {
        Bettor { null, is_up, capitals: [1.0; SIZES.len()] }
    }

    fn see(&mut self, x: f64) {
        let (gain, worst) = if self.is_up { (x - self.null, self.null) } else { (self.null - x, 1.0 - self.null) };
        for (capital, size) in self.capitals.iter_mut().zip(SIZES) {
            *capital *= 1.0 + size * gain / worst;
        }
    }

    fn capital(&self) -> f64 {
        self.capitals.iter().sum::<f64>() / SIZES.len() as f64
    }
}

/// The test, one round at a time.
///
/// ```
/// use nply_arena::statistics::{Sprt, Verdict};
/// let mut test = Sprt::new(0.05);
/// let rounds = (1..).find(|_| {
///     test.see(0.8);
///     test.verdict().is_some()
/// });
/// assert_eq!((rounds, test.verdict()), (Some(13), Some(Verdict::First)));
/// ```
#[derive(Clone, Debug)]
pub struct Sprt {
    delta: f64,
    first: Bettor,
    second: Bettor,
    not_first: Bettor,
    not_second: Bettor,
}

impl Sprt {
    /// A test that distinguishes a rate of ½ from one of ½ ± `delta`, which must be between 0 and ½.
    pub fn new(delta: f64) -> Sprt {
        assert!(delta > 0.0 && delta < 0.5, "a difference between 0 and one half");
        Sprt {
            delta,
            first: Bettor::new(0.5, true),
            second: Bettor::new(0.5, false),
            not_first: Bettor::new(0.5 + delta, false),
            not_second: Bettor::new(0.5 - delta, true),
        }
    }

    /// Checks a least difference that matters.
    pub fn check(delta: f64) -> Result<(), Error> {
        if delta > 0.0 && delta < 0.5 {
            return Ok(());
        }
        let error = Error::new(Code::BadValue, format!("{delta} is no difference that a sequential test can look for"));
        Err(error.help("write a difference between 0 and 0.5, such as 0.05"))
    }

    /// The least difference that matters.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// Adds a round: the first agent's part of its points.
    pub fn see(&mut self, x: f64) {
        for bettor in [&mut self.first, &mut self.second, &mut self.not_first, &mut self.not_second] {
            bettor.see(x);
        }
    }

    /// The verdict, once there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        let is_equal = self.not_first.capital() >= RULED_OUT && self.not_second.capital() >= RULED_OUT;
        match () {
            () if self.first.capital() >= STRONGER => Some(Verdict::First),
            () if self.second.capital() >= STRONGER => Some(Verdict::Second),
            () if is_equal => Some(Verdict::Equal),
            () => None,
        }
    }
}

/// The test of a match under way. Games arrive in any order and are tested round by round, so the outcome does not depend on
/// the speed of the workers.
#[derive(Clone, Debug)]
pub struct Referee {
    test: Sprt,
    round_length: u64,
    open: BTreeMap<u64, Round>,
    rounds: u64,
    /// Hashes of the games in tested rounds.
    seen: HashSet<u64>,
}

/// A round that is not tested yet.
#[derive(Clone, Debug, Default)]
struct Round {
    /// The first agent's points.
    points: f64,
    /// Hashes of the games seen: of their seatings, starts and moves.
    games: Vec<u64>,
}

impl Referee {
    /// A test of a match with so many games in a round.
    pub fn new(delta: f64, round_length: u64) -> Referee {
        let (open, seen) = (BTreeMap::new(), HashSet::new());
        Referee { test: Sprt::new(delta), round_length, open, rounds: 0, seen }
    }

    /// Adds a game. Once there is a verdict, it stays.
    pub fn see(&mut self, record: &GameRecord) -> Option<Verdict> {
        let first = record.seating.iter().zip(&record.payoff).filter(|(agent, _)| **agent == 0);
        let points: f64 = first.map(|(_, &share)| f64::from(share)).sum();
        let round = self.open.entry(record.number / self.round_length).or_default();
        round.points += points;
        round.games.push(record.line());
        while self.test.verdict().is_none() {
            let next = self.open.first_entry().filter(|round| *round.key() == self.rounds);
            let Some(next) = next.filter(|round| round.get().games.len() as u64 == self.round_length) else { break };
            let Round { points, games } = next.remove();
            self.rounds += 1;
            // A round in which nothing is new shows nothing: if it counted, chance would look like a difference in the end.
            let before = self.seen.len();
            self.seen.extend(&games);
            if self.seen.len() > before {
                self.test.see((points / games.len() as f64).clamp(0.0, 1.0));
            }
        }
        self.verdict()
    }

    /// The verdict, once there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.test.verdict()
    }

    /// Number of games that the verdict is based on, or that were tested so far: those with numbers below this.
    pub fn games(&self) -> u64 {
        self.rounds * self.round_length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::Rng;

    /// How many of `runs` matches end with each verdict, or undecided after `most` rounds; and the mean of their rounds.
    /// A round is every seating of two agents in three seats; the first seat is worth a lot.
    fn simulate(strength: f64, delta: f64, runs: u32, most: u32) -> ([f64; 4], f64) {
        let seatings = crate::seatings(2, 3);
        let mut rng = Rng::new(11);
        let (mut ends, mut rounds) = ([0.0; 4], 0);
        for _ in 0..runs {
            let mut test = Sprt::new(delta);
            let mut left = most;
            while test.verdict().is_none() && left > 0 {
                let points = seatings.iter().filter(|seating| {
                    let weight = |seat: usize| [3.0, 1.0, 1.0][seat] * if seating[seat] == 0 { strength } else { 1.0 };
                    let at = rng.unit() * (weight(0) + weight(1) + weight(2));
                    let winner = if at < weight(0) {
                        0
                    } else if at < weight(0) + weight(1) {
                        1
                    } else {
                        2
                    };
                    seating[winner] == 0
                });
                test.see(points.count() as f64 / seatings.len() as f64);
                left -= 1;
                rounds += 1;
            }
            let end = match test.verdict() {
                Some(Verdict::First) => 0,
                Some(Verdict::Second) => 1,
                Some(Verdict::Equal) => 2,
                None => 3,
            };
            ends[end] += 1.0 / f64::from(runs);
        }
        (ends, f64::from(rounds) / f64::from(runs))
    }

    #[test]
    fn equals_are_called_different_in_at_most_one_match_of_twenty() {
        let (ends, rounds) = simulate(1.0, 0.05, 2000, 5000);
        assert!(ends[0] + ends[1] <= 0.05 && ends[0] <= 0.03 && ends[1] <= 0.03, "{ends:?}");
        assert!(ends[2] >= 0.95 && rounds < 400.0, "{ends:?} after {rounds} rounds");
    }

    #[test]
    fn a_real_difference_is_missed_in_at_most_one_match_of_twenty() {
        // At this strength the first agent makes 55 % of the points of all seatings.
        let (ends, rounds) = simulate(1.3079, 0.05, 2000, 5000);
        assert!(ends[1] + ends[2] + ends[3] <= 0.05, "{ends:?}");
        assert!(rounds < 400.0, "{rounds}");
        let (ends, rounds) = simulate(1.0 / 3.0, 0.05, 500, 5000);
        assert!(ends[1] >= 0.99 && rounds < 60.0, "{ends:?} after {rounds} rounds");
    }

    #[test]
    fn a_referee_tests_rounds_in_order_whatever_the_order_of_games() {
        let game = |number: u64| {
            let seating = crate::seatings(2, 2)[number as usize % 2].clone();
            let payoff = seating.iter().map(|&agent| if agent == 0 { 0.9 } else { 0.1 }).collect();
            GameRecord { number, seating, payoff, moves: vec![number.to_string()], ..GameRecord::default() }
        };
        let (mut forward, mut backward) = (Referee::new(0.1, 2), Referee::new(0.1, 2));
        for number in 0..100 {
            forward.see(&game(number));
            backward.see(&game(99 - number));
        }
        assert_eq!(forward.verdict(), Some(Verdict::First));
        assert_eq!((forward.verdict(), forward.games()), (backward.verdict(), backward.games()));
        assert!(forward.games() < 30, "{}", forward.games());
    }
}
