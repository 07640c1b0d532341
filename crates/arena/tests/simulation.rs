//! The error rates that the sequential test and the intervals promise, in simulated matches: sampled seatings, openings that
//! favor a seat, and games that repeat others.

use std::collections::HashMap;

use nply::Rng;
use nply_arena::statistics::{Measure, Referee, Verdict};
use nply_arena::{GameRecord, Games, MatchSettings, Registry, Schedule, Seating, Seatings};

/// Matches between agents of some strengths. A game is a draw of lots: a seat wins in proportion to its agent's strength and to
/// what the round's opening gives it.
struct World<'a> {
    seats: usize,
    strengths: &'a [f64],
    is_sampled: bool,
    /// With a number of openings, games are determined by opening and seating, and repeat when the openings come again.
    book: Option<u64>,
}

impl World<'_> {
    fn settings(&self) -> MatchSettings {
        let agents = (0..self.strengths.len()).map(|agent| format!("a{agent}")).collect();
        MatchSettings { players: self.seats, agents, sampled: self.is_sampled, ..MatchSettings::default() }
    }

    /// What an opening gives each seat.
    fn opening(&self, rng: &mut Rng) -> Vec<f64> {
        (0..self.seats).map(|_| (1.5 * (rng.unit() + rng.unit() + rng.unit() - 1.5)).exp()).collect()
    }

    fn chances(&self, opening: &[f64], seating: &[usize]) -> Vec<f64> {
        let weights: Vec<f64> =
            opening.iter().zip(seating).map(|(gift, &agent)| gift * self.strengths[agent]).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    /// The games of a match, one after another, until `watch` says so.
    fn play(&self, rng: &mut Rng, mut watch: impl FnMut(GameRecord) -> bool) {
        let all = Seatings::new(self.strengths.len(), self.seats, Seating::All, Schedule::All);
        let length = self.settings().round_length();
        let (mut games, own) = (Games::new(all, self.is_sampled, rng.bits()), rng.bits());
        let mut winners = HashMap::new();
        for number in 0.. {
            let (seating, round) = (games.seating(number), number / length);
            let opening = self.book.map_or(round, |size| round % size);
            let gifts = self.opening(&mut Rng::new(nply::mix(own ^ opening)));
            let mut lot = || {
                let mut at = rng.unit();
                let chances = self.chances(&gifts, &seating);
                let winner = chances.iter().position(|chance| {
                    at -= chance;
                    at < 0.0
                });
                winner.unwrap_or(self.seats - 1)
            };
            let (winner, line) = match self.book {
                Some(_) => (*winners.entry((opening, seating.clone())).or_insert_with(lot), opening),
                None => (lot(), number),
            };
            let payoff = (0..self.seats).map(|seat| if seat == winner { 1.0 } else { 0.0 }).collect();
            let moves = vec![format!("{line}-{winner}")];
            if watch(GameRecord { number, seating, payoff, moves, ..GameRecord::default() }) {
                return;
            }
        }
    }

    /// How many of `runs` matches of at most so many games end with each verdict, or undecided.
    fn verdicts(&self, delta: f64, runs: u32, most: u64) -> [f64; 4] {
        let (mut rng, mut ends) = (Rng::new(5), [0.0; 4]);
        for _ in 0..runs {
            let mut referee = Referee::new(delta, self.settings().round_length());
            self.play(&mut rng, |record| referee.see(&record).is_some() || record.number + 1 >= most);
            let end = match referee.verdict() {
                Some(Verdict::First) => 0,
                Some(Verdict::Second) => 1,
                Some(Verdict::Equal) => 2,
                None => 3,
            };
            ends[end] += 1.0 / f64::from(runs);
        }
        ends
    }

    /// The first agent's rate over all seatings and openings.
    fn rate(&self) -> f64 {
        let all = Seatings::new(self.strengths.len(), self.seats, Seating::All, Schedule::All);
        let (mut rng, mut points, mut games) = (Rng::new(1), 0.0, 0.0);
        for _ in 0..3000 {
            let gifts = self.opening(&mut rng);
            let seating = all.get(rng.below(all.count() as usize) as u64);
            if seating.contains(&0) {
                let chances = self.chances(&gifts, &seating);
                points += chances
                    .iter()
                    .zip(&seating)
                    .filter(|(_, agent)| **agent == 0)
                    .map(|(chance, _)| chance)
                    .sum::<f64>();
                games += 1.0;
            }
        }
        points / games
    }

    /// The part of 95 % intervals of the first agent's rate, from matches of so many games, that hold the true one.
    fn covered(&self, runs: u32, games: u64) -> f64 {
        let (mut rng, mut covered, rate) = (Rng::new(9), 0, self.rate());
        for _ in 0..runs {
            let mut records = Vec::new();
            self.play(&mut rng, |record| {
                records.push(record);
                records.len() as u64 == games
            });
            let found = Measure::Rate.estimate(&Registry::empty(), 0, &self.settings(), &records);
            let found = found.expect("rates need no registry").expect("the first agent took part");
            covered += u32::from((found.low..=found.high).contains(&(100.0 * rate)));
        }
        f64::from(covered) / f64::from(runs)
    }
}

#[test]
fn equals_are_called_different_in_at_most_one_match_of_twenty_with_samples_openings_and_repeated_games() {
    for (seats, is_sampled, book) in [
        (6, true, None),
        (4, true, None),
        (3, false, None),
        (6, true, Some(40)),
        (3, false, Some(30)),
        (4, true, Some(1)),
    ] {
        let world = World { seats, strengths: &[1.0, 1.0], is_sampled, book };
        let ends = world.verdicts(0.1, 200, 2000);
        assert!(ends[0] + ends[1] <= 0.05, "{seats} seats, sampled {is_sampled}, book {book:?}: {ends:?}");
        // With few games that differ there is nothing to decide.
        assert!(book.is_some() || ends[2] >= 0.9, "{seats} seats, sampled {is_sampled}, book {book:?}: {ends:?}");
        assert!(book != Some(1) || ends[..3] == [0.0; 3], "{ends:?}");
    }
}

#[test]
fn a_difference_is_missed_in_at_most_one_match_of_twenty_with_samples_and_openings() {
    for seats in [2, 4, 6] {
        let world = World { seats, strengths: &[2.0, 1.0], is_sampled: true, book: None };
        assert!(world.rate() > 0.55, "{}", world.rate());
        let ends = world.verdicts(0.05, 100, 20_000);
        assert!(ends[1] + ends[2] + ends[3] <= 0.05, "{seats} seats: {ends:?}");
    }
}

#[test]
fn intervals_hold_the_true_rate_in_nineteen_matches_of_twenty_with_samples_openings_and_repeated_games() {
    let (equal, different) = (&[1.0; 5][..], &[1.6, 1.0, 1.0, 0.8, 0.6, 1.2][..]);
    for (seats, strengths, is_sampled, book, games) in [
        (3, equal, true, None, 200),
        (4, different, true, None, 300),
        (4, &different[..3], true, None, 90),
        (3, &different[..2], false, None, 120),
        (3, &different[..3], false, Some(20), 300),
        (4, different, true, Some(25), 600),
    ] {
        let world = World { seats, strengths, is_sampled, book };
        let covered = world.covered(400, games);
        // Two standard errors of 400 matches below 95 %.
        assert!(covered >= 0.93, "{} agents, {seats} seats, book {book:?}: {covered}", strengths.len());
    }
}
