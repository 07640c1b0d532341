//! Chances: from the scores of an evaluation to each player's share of the win.
//!
//! A score says who is ahead, in units that only its evaluation knows. A chance says by how much in the one unit that all games
//! share: the part of the win that a player can expect. With scores s and a temperature T,
//!
//! ```text
//! chance_i = exp(s_i / T) / Σ_j exp(s_j / T)      over the players who are still in
//! ```
//!
//! A low temperature means that a small lead decides the game, a high one that even a large lead says little. The temperature
//! belongs to a game, a number of players and an evaluation and, where that predicts better, to a stage of the game
//! ([`Declaration::stage`]). `nply calibrate` fits it to games that it plays, and writes the lines that
//! [`Declaration::CHANCES`] holds ([`Temperatures`]). A finished game has its payoff, at any temperature.
//!
//! ```
//! use nply::{ByPlayer, chances};
//! let even = chances::of(&ByPlayer::from_slice(&[7, 7]), |_| true, 100.0);
//! assert_eq!(even.as_slice(), [0.5, 0.5]);
//! // A lead of ln 3 temperatures: three to one.
//! let ahead = chances::of(&ByPlayer::from_slice(&[110, 0]), |_| true, 100.0);
//! assert!((ahead.as_slice()[0] - 0.75).abs() < 0.001);
//! ```
//!
//! A tree whose inner nodes are worth the number of their moves to player 1, at a temperature of 1 / ln 2: each move more doubles the odds.
//! A search has the chances of the position at the end of its line. At depth 1 that is the node with three moves, eight to one for player 1; at
//! depth 2 the game is over:
//!
//! ```text
//!                1
//!         ┌──────┴──────▲
//!         2             2: 8/9, 1/9
//!         │        ┌────┼────▲
//!        1,0      1,0  1,0  0,1
//! ```
//!
//! ```
//! use nply::tree::{LeafScores, Tree};
//! use nply::{Agent, AsListed, Bounds, Budget, ByPlayer, Evaluator, Game, Maxn, Score, chances};
//! #[derive(Clone)]
//! struct Freedom;
//! impl Evaluator<Tree> for Freedom {
//!     fn bounds(&self, game: &Tree) -> Bounds {
//!         Bounds { min: ByPlayer::splat(2, 0), max_sum: 3 }
//!     }
//!     fn evaluate(&self, game: &Tree) -> ByPlayer<Score> {
//!         let mut moves = Vec::new();
//!         game.moves(&mut moves);
//!         ByPlayer::from_slice(&[moves.len() as Score, 0])
//!     }
//!     fn temperature(&self, _: &Tree) -> Option<f64> {
//!         Some(1.0 / 2f64.ln())
//!     }
//! }
//! let tree: Tree = "(1 (2 1,0) (2 1,0 1,0 0,1))".parse().unwrap();
//! let found = |depth| Maxn::new(Freedom, AsListed).choose(&tree, &Budget::depth(depth));
//! let ninths = found(1).chances.unwrap().map(|chance| (chance * 9.0 * 1e9).round() / 1e9);
//! assert_eq!((found(1).m, ninths.as_slice()), (2, &[8.0, 1.0][..]));
//! // Now player 2 is seen to win by the last move there.
//! assert_eq!((found(2).m, found(2).chances.unwrap().as_slice()), (1, &[1.0, 0.0][..]));
//! // An evaluation without a temperature has chances only where the game is over.
//! let at = |depth| Maxn::new(LeafScores, AsListed).choose(&tree, &Budget::depth(depth)).chances;
//! assert_eq!((at(1), at(2).is_some()), (None, true));
//! assert!(chances::in_position(&LeafScores, &tree).is_none());
//! ```
//!
//! An evaluation without a fitted temperature has no chances, rather than some that look measured and are not.
//!
//! The exponential function is written here ([`exp`]): those of the platforms differ in the last digit, and the same seed must
//! give the same game on every machine.

use std::fmt;
use std::sync::Arc;

use crate::{Bounds, ByPlayer, Code, Declaration, Error, Evaluator, Game, Player, Progress, Score, Spec, settings};

/// e to the power of `x`, the same bits on every machine, within a few units in the last place.
///
/// `x` is a multiple of ln 2 and a rest of at most half of it, whose exponential is the Taylor polynomial of degree 13. Only
/// operations that IEEE 754 defines exactly are used.
///
/// ```
/// assert_eq!(nply::chances::exp(0.0), 1.0);
/// assert_eq!(nply::chances::exp(-1e9), 0.0);
/// ```
pub fn exp(x: f64) -> f64 {
    // The first part of ln 2 has so few digits that its products below are exact.
    const LN_2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
    if x.is_nan() {
        return x;
    }
    if x > 709.79 {
        return f64::INFINITY;
    }
    if x < -745.14 {
        return 0.0;
    }
    let twos = (x * std::f64::consts::LOG2_E).round();
    let rest = (x - twos * LN_2.0) - twos * LN_2.1;
    let mut sum = 1.0;
    for n in (1..=13u8).rev() {
        sum = 1.0 + rest * sum / f64::from(n);
    }
    // In two steps, so that neither power of two is out of range where the result is not.
    let twos = twos as i64;
    let power = |twos: i64| f64::from_bits(((1023 + twos) as u64) << 52);
    sum * power(twos / 2) * power(twos - twos / 2)
}

/// The chances of players with these scores at a temperature above 0. Those who are not in have none. All sum to 1.
///
/// If nobody is in, everybody has the same.
pub fn of<T: Into<f64> + Copy + Default>(
    scores: &ByPlayer<T>,
    is_in: impl Fn(Player) -> bool,
    temperature: f64,
) -> ByPlayer<f64> {
    let scores: ByPlayer<f64> = scores.map(Into::into);
    let most = scores.iter().filter(|&(player, _)| is_in(player)).map(|(_, score)| score).reduce(f64::max);
    let Some(most) = most else { return ByPlayer::splat(scores.len(), 1.0 / scores.len() as f64) };
    let weight = |player| if is_in(player) { exp((scores[player] - most) / temperature) } else { 0.0 };
    let weights = ByPlayer::from_fn(scores.len(), weight);
    let sum = weights.sum();
    weights.map(|weight| weight / sum)
}

/// The chances in a position: the payoff if the game is over, otherwise by the evaluation, if it has any.
pub fn in_position<G: Game, E: Evaluator<G>>(evaluator: &E, game: &G) -> Option<ByPlayer<f64>> {
    match game.payoff() {
        Some(payoff) => Some(payoff.map(f64::from)),
        None => evaluator.chances(game),
    }
}

/// The temperatures of an evaluation: one for each of as many equal stages of the game; none if they have not been fitted.
///
/// They are read from lines of text, as `nply calibrate` writes them: game, number of players, evaluation, temperatures. What
/// follows `#` is a comment, usually where the numbers come from.
///
/// ```
/// use nply::{Spec, chances::Temperatures};
/// let lines = "sticks 2 parity 3.5 # 1000 games\nsticks 3 parity 4 2.5\nsticks:pile=30 3 parity 9";
/// let find = |game: &str, players| Temperatures::find(lines, &Spec::parse(game).unwrap(), players, "parity");
/// assert_eq!(find("sticks", 2).at(0.7), Some(3.5));
/// assert_eq!(find("sticks", 3).at(0.7), Some(2.5));
/// assert_eq!(find("sticks:pile=30", 3).at(0.7), Some(9.0));
/// // Other options have the temperatures of the default ones.
/// assert_eq!(find("sticks:pile=21", 3).at(0.2), Some(4.0));
/// assert_eq!(find("sticks", 4).at(0.5), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Temperatures(Arc<[f64]>);

impl Temperatures {
    /// One temperature for each of so many equal stages.
    pub fn new(by_stage: &[f64]) -> Temperatures {
        Temperatures(by_stage.into())
    }

    /// The temperatures for a game with options, a number of players and an evaluation, among lines of text. Where the game has
    /// no line with exactly these options, the line without options counts. Lines that cannot be read are passed over.
    pub fn find(lines: &str, game: &Spec, players: usize, evaluation: &str) -> Temperatures {
        let rows = || lines.lines().filter_map(Temperatures::read);
        let find = |name: &str| {
            let is_it = |row: &(&str, usize, &str, Temperatures)| (row.0, row.1, row.2) == (name, players, evaluation);
            rows().find(is_it).map(|row| row.3)
        };
        find(&game.to_string()).or_else(|| find(&game.name)).unwrap_or_default()
    }

    /// Reads a line: the game with its options, the number of players, the evaluation, the temperatures. `None` for a comment, an
    /// empty line, or a line in another form.
    pub fn read(line: &str) -> Option<(&str, usize, &str, Temperatures)> {
        let mut words = line.split('#').next()?.split_whitespace();
        let (game, players, evaluation) = (words.next()?, words.next()?.parse().ok()?, words.next()?);
        let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
        let numbers = numbers.filter(|numbers| !numbers.is_empty() && numbers.iter().all(|&t| t > 0.0 && t < 1e300))?;
        Some((game, players, evaluation, Temperatures(numbers.into())))
    }

    /// The temperature at a stage of the game, from 0 to 1.
    pub fn at(&self, stage: f64) -> Option<f64> {
        self.0.get(self.index(stage)).copied()
    }

    /// The number of the temperature at a stage.
    fn index(&self, stage: f64) -> usize {
        ((stage.clamp(0.0, 1.0) * self.0.len() as f64) as usize).min(self.0.len().saturating_sub(1))
    }

    /// The temperatures, one for each stage.
    pub fn by_stage(&self) -> &[f64] {
        &self.0
    }
}

/// The temperatures as in a line, four digits each.
impl fmt::Display for Temperatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, temperature) in self.0.iter().enumerate() {
            let digits = (3 - temperature.log10().floor() as i32).clamp(0, 9) as usize;
            write!(f, "{}{temperature:.digits$}", if index > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

/// A declared evaluation with its temperatures.
pub struct Calibrated<D: Declaration> {
    /// The evaluation.
    pub inner: D::Eval,
    /// Its temperatures.
    pub temperatures: Temperatures,
}

impl<D: Declaration> Calibrated<D> {
    /// The evaluation of this name, or the usual one, for a game with the options of its name; any position of it is given.
    pub fn new(
        game: &D::Game,
        spec: &Spec,
        evaluation: Option<&str>,
        progress: Progress<'_>,
    ) -> Result<Calibrated<D>, Error> {
        let name = evaluation.unwrap_or_else(|| D::usual_evaluation(game));
        let Some(evaluation) = D::EVALUATIONS.iter().find(|evaluation| evaluation.name == name) else {
            let names: Vec<&str> = D::EVALUATIONS.iter().map(|evaluation| evaluation.name).collect();
            return Err(Error::unknown(Code::BadValue, &format!("evaluation of {}", D::NAME), name, &names));
        };
        // Options that are written out although they are the defaults make no difference.
        let mut options = D::Options::default();
        for (key, value) in &spec.pairs {
            settings::set(&mut options, key, Some(value)).map_err(|error| error.within(D::NAME))?;
        }
        let spec = settings::spec(D::NAME, settings::changed(&options));
        let temperatures = Temperatures::find(D::CHANCES, &spec, game.player_count(), name);
        Ok(Calibrated { inner: (evaluation.make)(game, progress)?, temperatures })
    }
}

impl<D: Declaration> Calibrated<D> {
    /// Each player's share of the win with these scores.
    fn cooled(&self, game: &D::Game, scores: &ByPlayer<Score>, temperature: f64) -> ByPlayer<f32> {
        of(scores, |player| game.is_in(player), temperature).map(|chance| chance as f32)
    }
}

impl<D: Declaration> Clone for Calibrated<D> {
    fn clone(&self) -> Self {
        Calibrated { inner: self.inner.clone(), temperatures: self.temperatures.clone() }
    }
}

impl<D: Declaration> fmt::Debug for Calibrated<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calibrated").field("temperatures", &self.temperatures).finish_non_exhaustive()
    }
}

impl<D: Declaration> Evaluator<D::Game> for Calibrated<D> {
    fn begin(&mut self, ply: u32) {
        self.inner.begin(ply);
    }

    #[inline]
    fn bounds(&self, game: &D::Game) -> Bounds {
        self.inner.bounds(game)
    }

    // Always, so that it is no layer of its own in the leaves of a search.
    #[inline(always)]
    fn evaluate(&self, game: &D::Game) -> ByPlayer<Score> {
        self.inner.evaluate(game)
    }

    #[inline(always)]
    fn evaluate_for(&self, game: &D::Game, player: Player) -> Score {
        self.inner.evaluate_for(game, player)
    }

    #[inline(always)]
    fn judge(
        &self,
        game: &D::Game,
        weights: &ByPlayer<i64>,
        moves: &[<D::Game as Game>::Move],
        each: impl FnMut(Option<i64>),
    ) -> bool {
        self.inner.judge(game, weights, moves, each)
    }

    #[inline]
    fn terminal(&self, game: &D::Game, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        self.inner.terminal(game, payoff)
    }

    #[inline]
    fn win(&self, game: &D::Game, player: Player) -> ByPlayer<Score> {
        self.inner.win(game, player)
    }

    /// Its chances or, without temperatures, what the evaluation itself says.
    fn shares(&self, game: &D::Game) -> ByPlayer<f32> {
        match self.temperature(game) {
            Some(temperature) => self.cooled(game, &self.evaluate(game), temperature),
            None => self.inner.shares(game),
        }
    }

    fn shares_of_all(&self, games: &mut dyn Iterator<Item = &D::Game>, each: &mut dyn FnMut(ByPlayer<f32>)) {
        if self.temperatures.by_stage().is_empty() {
            return self.inner.shares_of_all(games, each);
        }
        let games: Vec<&D::Game> = games.collect();
        let mut left = games.iter();
        self.inner.evaluate_all(&mut games.iter().copied(), &mut |scores| {
            let game = left.next().expect("an evaluation judges every position once");
            let temperature = self.temperature(game).expect("every stage has a temperature");
            each(self.cooled(game, &scores, temperature));
        });
    }

    fn evaluate_all(&self, games: &mut dyn Iterator<Item = &D::Game>, each: &mut dyn FnMut(ByPlayer<Score>)) {
        self.inner.evaluate_all(games, each);
    }

    fn temperature(&self, game: &D::Game) -> Option<f64> {
        self.temperatures.at(D::stage(game))
    }

    /// By its temperatures or, without any, what the evaluation itself says.
    fn chances(&self, game: &D::Game) -> Option<ByPlayer<f64>> {
        match self.temperature(game) {
            Some(temperature) => Some(of(&self.evaluate(game), |player| game.is_in(player), temperature)),
            None => self.inner.chances(game),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, testing};

    #[test]
    fn exp_is_within_1e_12_of_the_platforms() {
        let mut rng = Rng::new(1);
        let mut inputs: Vec<f64> = (0..2_000_000).map(|_| (rng.unit() - 0.5) * 1400.0).collect();
        inputs.extend((0..500_000).map(|_| (rng.unit() - 0.5) * 1e-3));
        inputs.extend((-1000..=1000).map(|n| f64::from(n) / 1000.0));
        inputs.extend([1e-300, -1e-300, 709.7, -708.0, 0.346_573_590_279_972_64]);
        for x in inputs {
            let (own, library) = (exp(x), x.exp());
            assert!((own - library).abs() <= 1e-12 * library, "{x}: {own} {library}");
        }
    }

    #[test]
    fn exp_has_the_same_bits_everywhere() {
        let expected: [(f64, u64); 8] = [
            (0.0, 0x3ff0_0000_0000_0000),
            (1.0, 0x4005_bf0a_8b14_576a),
            (-1.0, 0x3fd7_8b56_362c_ef38),
            (0.3, 0x3ff5_9905_8c8c_1a96),
            (-7.25, 0x3f47_455f_e323_fafe),
            (100.5, 0x48ff_cc37_a76f_9e76),
            (-700.125, 0x00ce_8cfc_0420_616b),
            (-740.0, 0x0000_0000_0000_0055),
        ];
        for (x, bits) in expected {
            assert_eq!(exp(x).to_bits(), bits, "{x}: {:#x}", exp(x).to_bits());
        }
    }

    #[test]
    fn exp_ends_where_the_numbers_do() {
        assert_eq!((exp(710.0), exp(f64::INFINITY)), (f64::INFINITY, f64::INFINITY));
        assert_eq!((exp(-746.0), exp(f64::NEG_INFINITY)), (0.0, 0.0));
        assert!(exp(f64::NAN).is_nan());
        assert!(exp(709.78).is_finite() && exp(-745.1) > 0.0);
    }

    #[test]
    fn chances_are_shares_that_sum_to_one_and_grow_with_the_score() {
        let mut rng = Rng::new(2);
        for _ in 0..100_000 {
            let players = 2 + rng.below(5);
            let scores = ByPlayer::from_fn(players, |_| rng.bits() as i32 >> rng.below(32));
            let is_in = ByPlayer::from_fn(players, |_| rng.below(4) > 0);
            let temperature = exp((rng.unit() - 0.5) * 40.0);
            let chances = of(&scores, |player| is_in[player], temperature);
            assert!((chances.sum() - 1.0).abs() < 1e-12, "{chances:?}");
            assert!(chances.as_slice().iter().all(|chance| (0.0..=1.0).contains(chance)), "{chances:?}");
            if is_in.as_slice().contains(&true) {
                for (player, other) in Player::all(players).flat_map(|p| Player::all(players).map(move |o| (p, o))) {
                    assert!(is_in[player] || chances[player] == 0.0);
                    if is_in[player] && is_in[other] && scores[player] <= scores[other] {
                        assert!(chances[player] <= chances[other], "{scores:?} {chances:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn temperatures_read_back_to_four_digits() {
        for (numbers, text) in [(&[812.345][..], "812.3"), (&[0.012_345, 98_765.4], "0.01235 98765"), (&[1.0], "1.000")]
        {
            let temperatures = Temperatures::new(numbers);
            assert_eq!(temperatures.to_string(), text);
            let line = format!("focus 3 height {temperatures} # anything");
            let (game, players, evaluation, read) = Temperatures::read(&line).unwrap();
            assert_eq!((game, players, evaluation), ("focus", 3, "height"));
            for (read, number) in read.by_stage().iter().zip(numbers) {
                assert!((read / number - 1.0).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn no_text_makes_a_reader_of_temperatures_fail() {
        testing::mangle(&["focus 3 height 812.3 # 4000 games", "a:b=c 2 d 1e9 2 3"], 100_000, |text| {
            if let Some((_, _, _, read)) = Temperatures::read(text) {
                assert!(read.by_stage().iter().all(|&t| t > 0.0 && t.is_finite()));
                assert!(read.at(f64::NAN).is_some() && read.at(1.0).is_some() && read.at(-3.0).is_some());
            }
        });
    }

    #[test]
    fn a_finished_game_has_its_payoff_and_others_need_a_temperature() {
        use crate::testing::{HashedScores, Track};
        let evaluator = HashedScores { most: 9, seed: 1 };
        let mut rng = Rng::new(3);
        let mut game = Track::new(4, 3);
        assert_eq!(in_position(&evaluator, &game), None);
        while game.payoff().is_none() {
            game.play(game.random_move(&mut Vec::new(), &mut rng));
        }
        assert_eq!(in_position(&evaluator, &game), game.payoff().map(|payoff| payoff.map(f64::from)));
    }
}
