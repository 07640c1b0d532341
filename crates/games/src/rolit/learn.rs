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
//! Othello's values do not carry over to boards on which most discs are others'. For three and four players, `eval=regression` has values of its
//! own, from 40,000 games of Rolit each ([`Lessons::by_play`]), compared here with 2,000 others:
//!
//! | plies                     | 0–4 | 5–9 | 10–14 | 15–19 | 20–24 | 25–29 | 30–34 | 35–39 | 40–44 | 45–49 | 50–54 | 55–59 |
//! | ------------------------- | --- | --- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- |
//! | averages, three players, correlation | .09 | .16 | .23 | .28 | .37 | .44 | .52 | .63 | .74 | .84 | .91 | .94 |
//! | averages, mean error      | 19.5 | 19.4 | 19.3 | 19.3 | 19.1 | 18.8 | 18.3 | 17.3 | 15.8  | 13.9  | 12.2  | 11.1  |
//! | regression, correlation   | .10 | .16 | .23   | .29   | .39   | .48   | .59   | .72   | .83   | .90   | .95   | .97   |
//! | regression, mean error    | 19.4 | 19.1 | 18.8 | 18.4 | 17.6  | 16.7  | 15.1  | 12.9  | 10.4  | 8.0   | 6.0   | 4.5   |
//! | averages, four players, correlation | .07 | .15 | .24 | .36 | .44 | .52 | .60 | .69 | .78 | .86 | .91 | .94 |
//! | averages, mean error      | 17.3 | 17.2 | 17.2 | 17.0 | 16.7 | 16.3 | 15.7 | 14.6 | 13.4  | 12.0  | 10.8  | 9.9   |
//! | regression, correlation   | .09 | .16 | .25   | .38   | .48   | .58   | .67   | .77   | .85   | .91   | .95   | .97   |
//! | regression, mean error    | 17.2 | 17.1 | 16.6 | 15.7 | 14.8  | 13.6  | 12.2  | 10.5  | 8.7   | 6.8   | 5.4   | 4.2   |
//!
//! (These averages are of the same games, and nobody plays with them.)
//!
//! Averages shrunk towards 0 for rare patterns (ten ties added to each) gain at most .011 in Othello, and lose up to .06 in the
//! middle of Rolit, where rare patterns are common: so the averages are plain, as in the paper.
//!
//! The weight of the regularization was chosen before any game was played with the values, among 30, 100, 300, 1,000 and 3,000:
//! learned from the games up to 2003, 100 is within .03 discs of the best at every stage of those of 2004 and 2005. Before ply
//! 20 none of them came closer to those games than averages, by up to .3 discs. Without regularization, the values of rare
//! patterns would repeat the results of single games.

use nply::{Agent, Brs, Budget, Game, Player, Rng, mix};

use super::patterns::{
    self, Family, Method, PATTERNS, PLACES, Patterns, Provenance, STAGES, families, indices, others,
};
use super::regression::{self, RIDGE, Sample};
use super::wthor::Record;
use super::{Discs, Eval, Move, Order, Othello, Rolit, Size};

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

/// Boards of games to learn from, with the final differences.
#[derive(Clone, Debug)]
pub struct Lessons {
    players: usize,
    games: u64,
    years: (u16, u16),
    stages: [Vec<Sample>; STAGES],
}

/// Recorded games of Othello.
impl From<&[Record]> for Lessons {
    fn from(games: &[Record]) -> Lessons {
        let years = games.iter().map(|game| game.year);
        let years = (years.clone().min().unwrap_or(0), years.max().unwrap_or(0));
        let mut lessons = Lessons { players: 2, games: games.len() as u64, years, stages: Default::default() };
        for game in games {
            let mut position = Othello::new(2, Size::Eight);
            for &m in &game.moves {
                if m != Move::PASS {
                    let (own, occupied) = (position.discs(Player::new(0)), position.occupied());
                    lessons.add(Sample { own, occupied, difference: game.difference });
                }
                position.play(m);
            }
        }
        lessons
    }
}

impl Lessons {
    /// Games of Rolit that are played for this, the same for the same seed: eight plies at random, then best replies by the averages
    /// that come with this crate with 200 nodes a move, but one move in ten at random. Every player's view of every board counts.
    ///
    /// # Panics
    /// If a game of Rolit cannot have so many players.
    pub fn by_play(players: usize, games: std::ops::Range<u64>, seed: u64) -> Lessons {
        let mut lessons =
            Lessons { players, games: games.end - games.start, years: (0, 0), stages: Default::default() };
        let mut agent = Brs::new(Eval::default(), Order);
        let (mut boards, mut moves) = (Vec::new(), Vec::new());
        for number in games {
            let mut rng = Rng::new(mix(seed ^ mix(number)));
            let mut game = Rolit::new(players, Size::Eight);
            while game.payoff().is_none() {
                boards.push(game.clone());
                let is_random = boards.len() <= 8 || rng.below(10) == 0;
                let m = if is_random {
                    game.random_move(&mut moves, &mut rng)
                } else {
                    agent.choose(&game, &Budget::nodes(200)).m
                };
                game.play(m);
            }
            for board in boards.drain(..) {
                for player in Player::all(players) {
                    let difference = 2 * game.discs(player).count_ones() as i8 - game.occupied().count_ones() as i8;
                    lessons.add(Sample { own: board.discs(player), occupied: board.occupied(), difference });
                }
            }
        }
        lessons
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Adds the lessons of other games for as many players.
    pub fn extend(&mut self, other: Lessons) {
        assert_eq!(self.players, other.players);
        self.games += other.games;
        self.stages.iter_mut().zip(other.stages).for_each(|(stage, more)| stage.extend(more));
    }

    fn add(&mut self, sample: Sample) {
        self.stages[patterns::stage(sample.occupied)].push(sample);
    }
}

/// The values that the boards lead to. `source` describes the games in one line, which a file of the values keeps.
pub fn learn(method: Method, source: &str, lessons: &Lessons) -> Patterns {
    let families: Vec<Family> = families(lessons.players).collect();
    let mut values = patterns::no_values();
    for (samples, values) in lessons.stages.iter().zip(values.iter_mut()) {
        let found = match method {
            Method::Averages => averages(samples, &families),
            Method::Regression => fitted(samples, &families),
        };
        families.iter().zip(found).for_each(|(family, value)| patterns::set(values, family, value));
    }
    let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
    let positions = lessons.stages.iter().map(|samples| samples.len() as u64).sum();
    let &Lessons { players, games, years, .. } = lessons;
    Patterns::new(values, Provenance { method, players, source, years, games, positions })
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
        let (mut sum, mut count) =
            (sums[family.pattern] + sums[family.reverse], counts[family.pattern] + counts[family.reverse]);
        for opposite in family.opposites.into_iter().flatten() {
            (sum, count) = (sum - sums[opposite], count + counts[opposite]);
        }
        average(sum, i64::from(count))
    };
    families.iter().map(average_of).collect()
}

/// An average of differences in steps of a value, rounded to the nearest, halves away from 0; 0 without any.
fn average(sum: i64, count: i64) -> i16 {
    let units = 1000 / i64::from(Method::Averages.unit());
    (2 * units * sum + sum.signum() * count).checked_div(2 * count).unwrap_or(0) as i16
}

/// The fitted value of each family of patterns: 42 times what it adds to a score, in steps of a value. All places have an equal
/// part in the mean.
fn fitted(samples: &[Sample], families: &[Family]) -> Vec<i16> {
    let (step, most) = (f64::from(Method::Regression.unit()), f64::from(Method::Regression.most()));
    let is_even = families.iter().any(|family| family.opposites.is_some());
    let sum: f64 = samples.iter().map(|sample| f64::from(sample.difference)).sum();
    let mean = if is_even || samples.is_empty() { 0.0 } else { sum / samples.len() as f64 };
    let value = |discs: f64| ((discs * PLACES as f64 + mean) * 1000.0 / step).round().clamp(-most, most) as i16;
    regression::fit(samples, families, mean, RIDGE).into_iter().map(value).collect()
}

impl Report {
    /// Compares scores with how the games ended.
    pub fn new(patterns: &Patterns, lessons: &Lessons) -> Report {
        let compared = lessons.stages.each_ref().map(|samples| {
            // Sums of score², difference² and score × difference; and of the distances.
            let mut sums = [0f64; 4];
            // Two players' views have opposite scores and differences, so that the means are 0.
            let [score_mean, mean] = if lessons.players == 2 { [0.0; 2] } else { means(patterns, samples) };
            for &Sample { own, occupied, difference } in samples {
                let score = f64::from(patterns.score(own, occupied)) / 1000.0 - score_mean;
                let difference = f64::from(difference) - mean;
                let distance = (score + score_mean - difference - mean).abs();
                let add = [score * score, difference * difference, score * difference, distance];
                sums.iter_mut().zip(add).for_each(|(sum, more)| *sum += more);
            }
            (samples.len() as u64, sums)
        });
        let mut stages = [Stage::default(); STAGES];
        for (stage, (positions, [scores, differences, both, distance])) in stages.iter_mut().zip(compared) {
            stage.positions = positions;
            if scores * differences > 0.0 {
                stage.correlation = both / (scores * differences).sqrt();
            }
            if positions > 0 {
                stage.error = distance / positions as f64;
            }
        }
        let positions = stages.iter().map(|stage| stage.positions).sum();
        Report { games: lessons.games, positions, stages }
    }
}

/// The means of the scores and of the differences, in discs.
fn means(patterns: &Patterns, samples: &[Sample]) -> [f64; 2] {
    let sum_of = |value: &dyn Fn(&Sample) -> f64| samples.iter().map(value).sum::<f64>() / samples.len().max(1) as f64;
    let score = |sample: &Sample| f64::from(patterns.score(sample.own, sample.occupied)) / 1000.0;
    [sum_of(&score), sum_of(&|sample| f64::from(sample.difference))]
}
