//! Learning the [pattern evaluation](Patterns) from recorded games.
//!
//! Every position before a disc is placed counts, from both sides' view: each of its patterns gets the final difference of the
//! game, and a pattern's value is the plain average of those. Patterns never seen are worth 0.
//!
//! The correlation with games that were not learned from: averages of the 92,695 games of WTHOR from 1977 to 2005, compared with
//! the final differences of the 7,151 games from 2006 to 2008. The second line compares the averages of all games with 400 games
//! of Rolit for four, played greedily by such averages with one ply in five at random.
//!
//! | plies       | 0–4 | 5–9 | 10–14 | 15–19 | 20–24 | 25–29 | 30–34 | 35–39 | 40–44 | 45–49 | 50–54 | 55–59 |
//! | ----------- | --- | --- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- |
//! | Othello     | .04 | .13 | .24   | .37   | .46   | .53   | .59   | .64   | .69   | .75   | .80   | .87   |
//! | Rolit, four | −.01 | −.01 | .01   | .10   | .23   | .36   | .50   | .60   | .69   | .78   | .86   | .93   |
//!
//! Averages shrunk towards 0 for rare patterns (ten ties added to each) gain at most .011 in Othello, and lose up to .06 in the
//! middle of Rolit, where rare patterns are common: so the averages are plain, as in the paper.

use nply::{Game, Player};

use super::patterns::{self, Family, PATTERNS, Patterns, Provenance, STAGES, UNIT, families, indices, others};
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

/// Averages over all positions of the games. `source` describes the games in one line, which a file of the averages keeps.
pub fn learn(source: &str, games: &[Record]) -> Patterns {
    let mut sums = vec![0i64; STAGES * PATTERNS];
    let mut counts = vec![0u32; STAGES * PATTERNS];
    let mut positions = 0;
    for game in games {
        for_each_position(game, |black, occupied| {
            positions += 1;
            let offset = patterns::stage(occupied) * PATTERNS;
            for index in indices(black, &others(occupied)) {
                sums[offset + index as usize] += i64::from(game.difference);
                counts[offset + index as usize] += 1;
            }
        });
    }
    // White's view of a position is Black's with the colors exchanged, so it contributes the opposite values.
    let families: Vec<Family> = families().collect();
    let mut values = patterns::no_values();
    for (stage, values) in values.iter_mut().enumerate() {
        let range = stage * PATTERNS..(stage + 1) * PATTERNS;
        let (sums, counts) = (&sums[range.clone()], &counts[range]);
        for family in &families {
            let [a, b] = family.opposites;
            let sum = sums[family.pattern] + sums[family.reverse] - sums[a] - sums[b];
            let count = counts[family.pattern] + counts[family.reverse] + counts[a] + counts[b];
            patterns::set(values, family, average(sum, i64::from(count)));
        }
    }
    let years = games.iter().map(|game| game.year);
    let years = (years.clone().min().unwrap_or(0), years.max().unwrap_or(0));
    let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
    Patterns::new(values, Provenance { source, years, games: games.len() as u64, positions })
}

/// An average of differences in units of a value, rounded to the nearest, halves away from 0; 0 without any.
fn average(sum: i64, count: i64) -> i16 {
    let units = 1000 / i64::from(UNIT);
    (2 * units * sum + sum.signum() * count).checked_div(2 * count).unwrap_or(0) as i16
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
