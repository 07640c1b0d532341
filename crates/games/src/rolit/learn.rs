//! Learning the [pattern evaluation](Patterns) from recorded games.
//!
//! Every position before a disc is placed counts, from both sides' view. There are two [methods](Method).
//!
//! *Averages*, `eval=patterns`: each of a position's patterns gets the final difference of the game, and a pattern's value is the
//! plain average of those. Patterns never seen are worth 0. *Regression*, `eval=regression`: all values of a stage together are
//! those with which the scores come closest to the final differences.
//!
//! How both do on games that they were not learned from: values of the 92,695 games of WTHOR from 1977 to 2005, compared with
//! the final differences of the 7,151 games from 2006 to 2008. The last line compares the averages of all games with 400 games
//! of Rolit for four, played greedily by such averages with one ply in five at random.
//!
//! | plies                     | 0–4 | 5–9 | 10–14 | 15–19 | 20–24 | 25–29 | 30–34 | 35–39 | 40–44 | 45–49 | 50–54 | 55–59 |
//! | ------------------------- | --- | --- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- |
//! | averages, correlation     | .04 | .13 | .24   | .37   | .46   | .53   | .59   | .64   | .69   | .75   | .80   | .87   |
//! | averages, mean error      | 21.7 | 21.7 | 21.7 | 21.6 | 21.5  | 21.3  | 21.0  | 20.5  | 20.0  | 19.3  | 18.5  | 16.3  |
//! | regression, correlation   | .08 | .18 | .31   | .43   | .51   | .59   | .65   | .71   | .77   | .84   | .91   | .97   |
//! | regression, mean error    | 21.7 | 21.4 | 20.8 | 19.7 | 18.8  | 17.4  | 16.5  | 15.0  | 13.5  | 11.3  | 8.6   | 4.7   |
//! | averages in Rolit for four | −.01 | −.01 | .01 | .10  | .23   | .36   | .50   | .60   | .69   | .78   | .86   | .93   |
//!
//! Averages shrunk towards 0 for rare patterns (ten ties added to each) gain at most .011 in Othello, and lose up to .06 in the
//! middle of Rolit, where rare patterns are common: so the averages are plain, as in the paper.
//!
//! The weight of the regularization was chosen before any game was played with the values, among 30, 100, 300, 1,000 and 3,000:
//! learned from the games up to 2003, 100 is within .03 discs of the best at every stage of those of 2004 and 2005. Before ply
//! 20 none of them came closer to those games than averages, by up to .3 discs. Without regularization, the values of rare
//! patterns would repeat the results of single games.

use nply::{Game, Player};

use super::patterns::{
    self, Family, Method, PATTERNS, PLACES, Patterns, Provenance, STAGES, families, indices, others,
};
use super::regression::{self, RIDGE, Sample};
use super::wthor::Record;
use super::{Discs, Move, Othello};

/// A comparison of scores with results in one stage of the games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stage {
    /// The number of positions.
    pub positions: u64,
    /// The correlation of the scores with the final differences, both from either side's view; 0 without positions.
    pub correlation: f64,
    /// The average distance of the score from the final difference, in discs.
    pub error: f64,
}

/// A comparison of scores with results of games.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The number of games.
    pub games: u64,
    /// The number of positions in them.
    pub positions: u64,
    /// Each stage, the earliest first.
    pub stages: [Stage; STAGES],
}

/// The values that all positions of the games lead to. `source` describes the games in one line, which a file of the values
/// keeps.
pub fn learn(method: Method, source: &str, games: &[Record]) -> Patterns {
    let mut stages: [Vec<Sample>; STAGES] = Default::default();
    for game in games {
        for_each_position(game, |own, occupied| {
            stages[patterns::stage(occupied)].push(Sample { own, occupied, difference: game.difference });
        });
    }
    let families: Vec<Family> = families().collect();
    let mut values = patterns::no_values();
    for (samples, values) in stages.iter().zip(values.iter_mut()) {
        let found = match method {
            Method::Averages => averages(samples, &families),
            Method::Regression => fitted(samples),
        };
        families.iter().zip(found).for_each(|(family, value)| patterns::set(values, family, value));
    }
    let years = games.iter().map(|game| game.year);
    let years = (years.clone().min().unwrap_or(0), years.max().unwrap_or(0));
    let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
    let positions = stages.iter().map(|samples| samples.len() as u64).sum();
    Patterns::new(values, Provenance { method, source, years, games: games.len() as u64, positions })
}

/// The average of each family of patterns. White's view of a position is Black's with the colors exchanged, so it contributes
/// the opposite values.
fn averages(samples: &[Sample], families: &[Family]) -> Vec<i16> {
    let mut sums = vec![0i64; PATTERNS];
    let mut counts = vec![0u32; PATTERNS];
    for &Sample { own, occupied, difference } in samples {
        for index in indices(own, &others(occupied)) {
            sums[index as usize] += i64::from(difference);
            counts[index as usize] += 1;
        }
    }
    let average_of = |family: &Family| {
        let [a, b] = family.opposites;
        let sum = sums[family.pattern] + sums[family.reverse] - sums[a] - sums[b];
        let count = counts[family.pattern] + counts[family.reverse] + counts[a] + counts[b];
        average(sum, i64::from(count))
    };
    families.iter().map(average_of).collect()
}

/// An average of differences in steps of a value, rounded to the nearest, halves away from 0; 0 without any.
fn average(sum: i64, count: i64) -> i16 {
    let units = 1000 / i64::from(Method::Averages.unit());
    (2 * units * sum + sum.signum() * count).checked_div(2 * count).unwrap_or(0) as i16
}

/// The fitted value of each family of patterns: 42 times what it adds to a score, in steps of a value.
fn fitted(samples: &[Sample]) -> Vec<i16> {
    let (step, most) = (f64::from(Method::Regression.unit()), f64::from(Method::Regression.most()));
    let value = |discs: f64| (discs * 1000.0 * PLACES as f64 / step).round().clamp(-most, most) as i16;
    regression::fit(samples, RIDGE).into_iter().map(value).collect()
}

impl Report {
    /// Compares scores with how the games ended.
    pub fn new(patterns: &Patterns, games: &[Record]) -> Report {
        // Sums of score², difference² and score × difference; and of the distances.
        let mut sums = [[0f64; 4]; STAGES];
        let mut stages = [Stage::default(); STAGES];
        for game in games {
            let difference = f64::from(game.difference);
            for_each_position(game, |own, occupied| {
                let score = f64::from(patterns.score(own, occupied)) / 1000.0;
                let stage = patterns::stage(occupied);
                stages[stage].positions += 1;
                let add = [score * score, difference * difference, score * difference, (score - difference).abs()];
                sums[stage].iter_mut().zip(add).for_each(|(sum, more)| *sum += more);
            });
        }
        for (stage, [scores, differences, both, distance]) in stages.iter_mut().zip(sums) {
            if scores * differences > 0.0 {
                stage.correlation = both / (scores * differences).sqrt();
            }
            if stage.positions > 0 {
                stage.error = distance / stage.positions as f64;
            }
        }
        let positions = stages.iter().map(|stage| stage.positions).sum();
        Report { games: games.len() as u64, positions, stages }
    }
}

/// Calls `see` with Black's discs and all discs of every board before a disc is placed.
fn for_each_position(game: &Record, mut see: impl FnMut(u64, u64)) {
    let mut position = Othello::new(2);
    for &m in &game.moves {
        if m != Move::PASS {
            see(position.discs(Player::new(0)), position.occupied());
        }
        position.play(m);
    }
}
