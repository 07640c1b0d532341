//! Fitting chances to evaluations by play: [`Calibration`].
//!
//! # How games are played
//!
//! Every game starts with random plies, from none to four for each player, so that positions differ and somebody is often
//! ahead. Then one agent of [`MIX`] plays all seats, with the random factor of tournaments; games take them in turn. So the
//! result depends on the position and not on who is the stronger agent. From every game [`SAMPLES`] positions after the opening
//! are drawn at random, few, because positions of one game are not independent.
//!
//! # How temperatures are fitted
//!
//! Half of the games are fitted: the temperature T minimizes −Σ payoff · ln chance, the log-loss, which is convex in 1/T. It is
//! also fitted for each of [`STAGES`] stages of the game alone. A quarter of the games decides whether these are used: they must
//! lower the log-loss by more than twice its standard error over games. The last quarter has had no influence on anything, and
//! the report is about it: the log-loss, that of equal shares for all who are still in, and the reliability diagram, which shows
//! for chances around x which share of the win the players really had.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nply::chances::{self, Temperatures};
use nply::{Budget, ByPlayer, Error, Rng, mix};
use serde_json::{Value, json};

use crate::registry::{NamedAgent, NamedGame, Request};
use crate::session::{Judgement, Session};
use crate::terms::Terms;

/// The agents that play the games, one at all seats of a game, each with its limits.
pub const MIX: [&str; 3] = ["greedy", "maxn:table=off,nodes=300", "paranoid:table=off,nodes=300"];
/// Positions from each game, at most.
pub const SAMPLES: usize = 6;
/// Stages for which temperatures are tried.
pub const STAGES: usize = 4;
/// Bins of a reliability diagram.
pub const BINS: usize = 10;
/// A bin with fewer chances than this is too uncertain to be compared.
pub const ENOUGH: u64 = 500;
/// A stage with fewer positions than this has the temperature of all stages.
const FEW: usize = 100;

/// What to fit: the evaluations of a game for a number of players.
#[derive(Clone)]
pub struct Calibration {
    /// The game.
    pub game: NamedGame,
    /// The number of players.
    pub players: usize,
    /// The evaluations, all fitted to the same positions.
    pub evaluations: Vec<String>,
    /// The number of games.
    pub games: u64,
    /// Random seed.
    pub seed: u64,
    /// The number of threads; it changes nothing else.
    pub threads: usize,
    /// An agent whose decisions' chances are compared with the results as well, and its budget.
    pub agent: Option<(NamedAgent, Budget)>,
    /// Called while something slow is prepared, such as a table.
    pub progress: fn(&str, f64),
}

/// A position of a game, and how the game ended.
struct Sample {
    game: u64,
    /// By evaluation.
    judged: Vec<Judgement>,
    /// What the agent expects.
    found: Option<ByPlayer<f64>>,
    payoff: ByPlayer<f64>,
}

/// The result for one evaluation, or for the decisions of an agent.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// The game with its options.
    pub game: String,
    /// The number of players.
    pub players: usize,
    /// The evaluation or the agent.
    pub name: String,
    /// The fitted temperatures; none for an agent, which has its own chances.
    pub temperatures: Temperatures,
    /// Games played.
    pub games: u64,
    /// Random seed.
    pub seed: u64,
    /// The chances on the games that nothing was fitted to.
    pub reliability: Reliability,
}

/// Chances compared with results.
#[derive(Clone, Debug, Default)]
pub struct Reliability {
    /// Positions.
    pub positions: u64,
    /// Mean log-loss of a position.
    pub loss: f64,
    /// The same for equal shares of all who are still in.
    pub equal: f64,
    /// Chances by tenths.
    pub bins: [Bin; BINS],
}

/// The chances of a reliability diagram that are about the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// How many there are: one for each position and player who is still in.
    pub count: u64,
    /// Their mean.
    pub chance: f64,
    /// The mean share of the win that these players had.
    pub share: f64,
}

impl Reliability {
    /// Compares chances with shares of the win, given for each position with the number of players who are still in; players
    /// who are not have no chance.
    fn new<'a>(positions: impl Iterator<Item = (&'a ByPlayer<f64>, &'a ByPlayer<f64>, Vec<bool>)>) -> Reliability {
        let mut found = Reliability::default();
        for (chances, payoff, is_in) in positions {
            found.positions += 1;
            found.loss += loss(chances, payoff);
            found.equal += (is_in.iter().filter(|is_in| **is_in).count() as f64).ln();
            for ((player, chance), _) in chances.iter().zip(is_in).filter(|(_, is_in)| *is_in) {
                let bin = &mut found.bins[((chance * BINS as f64) as usize).min(BINS - 1)];
                bin.count += 1;
                bin.chance += chance;
                bin.share += payoff[player];
            }
        }
        let positions = found.positions.max(1) as f64;
        (found.loss, found.equal) = (found.loss / positions, found.equal / positions);
        for bin in &mut found.bins {
            let count = bin.count.max(1) as f64;
            (bin.chance, bin.share) = (bin.chance / count, bin.share / count);
        }
        found
    }

    /// The greatest distance from the diagonal of a bin with [`ENOUGH`] chances, if there is one.
    pub fn worst(&self) -> Option<f64> {
        let distance = |bin: &Bin| (bin.chance - bin.share).abs();
        self.bins.iter().filter(|bin| bin.count >= ENOUGH).map(distance).reduce(f64::max)
    }
}

impl Calibrated {
    /// The line for [`Declaration::CHANCES`](nply::Declaration::CHANCES), with where it comes from.
    pub fn line(&self) -> String {
        let Calibrated { game, players, name, temperatures, games, seed, reliability } = self;
        let Reliability { loss, equal, .. } = reliability;
        let worst = reliability.worst().map_or_else(String::new, |worst| format!(", off by {worst:.3}"));
        format!(
            "{game} {players} {name} {temperatures} # {games} games, seed {seed}: log-loss {loss:.3}, equal shares {equal:.3}{worst}"
        )
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let Reliability { positions, loss, equal, bins } = &self.reliability;
        let bin = |bin: &Bin| json!({ "count": bin.count, "chance": bin.chance, "share": bin.share });
        json!({
            "game": self.game, "players": self.players, "name": self.name, "games": self.games, "seed": self.seed,
            "temperatures": self.temperatures.by_stage(), "positions": positions, "log_loss": loss,
            "equal_log_loss": equal, "off": self.reliability.worst(), "bins": bins.iter().map(bin).collect::<Vec<Value>>(),
        })
    }
}

/// The part of the games that a game belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Fit,
    Choose,
    Report,
}

impl Part {
    /// The parts have the agents of the mix equally often.
    fn of(game: u64) -> Part {
        match game / MIX.len() as u64 % 4 {
            0 | 1 => Part::Fit,
            2 => Part::Choose,
            _ => Part::Report,
        }
    }
}

impl Calibration {
    /// The number of games, rounded up so that all parts have all agents of the mix equally often.
    pub fn total(&self) -> u64 {
        self.games.max(1).next_multiple_of(4 * MIX.len() as u64)
    }

    /// Plays the games, fits and compares; `watch` is called after each game. Nothing if it was stopped.
    pub fn run(&self, stop: &Arc<AtomicBool>, watch: &(dyn Fn() + Sync)) -> Result<Option<Vec<Calibrated>>, Error> {
        let Some(samples) = self.samples(stop, watch)? else { return Ok(None) };
        let calibrated = |name: &str, temperatures: Temperatures, reliability: Reliability| Calibrated {
            game: self.game.to_string(),
            players: self.players,
            name: name.into(),
            temperatures,
            games: self.total(),
            seed: self.seed,
            reliability,
        };
        let mut all = Vec::new();
        for (index, name) in self.evaluations.iter().enumerate() {
            let rows: Vec<Row<'_>> = samples.iter().map(|sample| Row::new(sample, &sample.judged[index])).collect();
            let temperatures = fit(&rows);
            let found: Vec<ByPlayer<f64>> =
                rows.iter().map(|row| row.chances(temperatures.at(row.stage).unwrap_or(1.0))).collect();
            let tested = samples.iter().zip(&found).filter(|(sample, _)| Part::of(sample.game) == Part::Report);
            let reliability = Reliability::new(
                tested.map(|(sample, chances)| (chances, &sample.payoff, sample.judged[index].is_in.clone())),
            );
            all.push(calibrated(name, temperatures, reliability));
        }
        if let Some((agent, budget)) = &self.agent {
            let tested = samples.iter().filter(|sample| Part::of(sample.game) == Part::Report);
            let reliability = Reliability::new(tested.filter_map(|sample| {
                let found = sample.found.as_ref()?;
                Some((found, &sample.payoff, sample.judged[0].is_in.clone()))
            }));
            let name = match agent.budget_or(budget).to_string() {
                limits if agent.budget_or(&Budget::default()).to_string() == limits => agent.to_string(),
                limits => format!("{agent} {limits}"),
            };
            all.push(calibrated(&name, Temperatures::default(), reliability));
        }
        Ok(Some(all))
    }

    /// Plays all games; nothing if it was stopped.
    fn samples(&self, stop: &Arc<AtomicBool>, watch: &(dyn Fn() + Sync)) -> Result<Option<Vec<Sample>>, Error> {
        in_parallel(self.total(), self.threads, stop, watch, |number| self.play(number, stop))
    }

    /// Plays one game and takes its positions; nothing if it was stopped.
    fn play(&self, number: u64, stop: &Arc<AtomicBool>) -> Result<Option<Vec<Sample>>, Error> {
        let played = Played::new(&self.game, self.players, (self.seed, number), self.progress, stop)?;
        let Some(Played { mut session, mut plies, payoff, mut rng }) = played else { return Ok(None) };
        // Last, so that whether an agent is asked does not change which positions are drawn.
        let asked = match &self.agent {
            Some((agent, budget)) => {
                let budget = Budget { stop: Some(stop.clone()), ..budget.clone() };
                Some((session.seat(agent, rng.bits())?, budget))
            }
            None => None,
        };
        let mut samples = Vec::new();
        while let Some(ply) = plies.pop() {
            while session.played().len() > ply {
                session.undo();
            }
            let judged = self.evaluations.iter().map(|name| session.judge(Some(name))).collect::<Result<_, Error>>()?;
            let mut found = None;
            if let Some((seat, budget)) = &asked {
                found = session.think(*seat, budget, &mut |_| ())?.chances.as_deref().map(ByPlayer::from_slice);
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
            }
            samples.push(Sample { game: number, judged, found, payoff: ByPlayer::from_slice(&payoff) });
        }
        Ok(Some(samples))
    }
}

/// Plays so many games on so many threads, and collects what each yields in the order of their numbers; nothing if it was stopped.
/// `watch` is called after each game.
pub(crate) fn in_parallel<T: Send>(
    total: u64,
    threads: usize,
    stop: &AtomicBool,
    watch: &(dyn Fn() + Sync),
    play: impl Fn(u64) -> Result<Option<Vec<T>>, Error> + Sync,
) -> Result<Option<Vec<T>>, Error> {
    let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let work = || -> Result<Vec<(u64, Vec<T>)>, Error> {
        let mut all = Vec::new();
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= total {
                break;
            }
            let Some(samples) = play(number)? else { break };
            all.push((number, samples));
            watch();
        }
        Ok(all)
    };
    let work = || work().inspect_err(|_| failed.store(true, Ordering::Relaxed));
    let games = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let ends: Vec<_> = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect();
        ends.into_iter().collect::<Result<Vec<_>, Error>>()
    })?;
    let mut games: Vec<(u64, Vec<T>)> = games.into_iter().flatten().collect();
    if (games.len() as u64) < total {
        return Ok(None);
    }
    // Sums of numbers depend on their order, and the result must not depend on the threads.
    games.sort_by_key(|(number, _)| *number);
    Ok(Some(games.into_iter().flat_map(|(_, samples)| samples).collect()))
}

/// A game that an agent of the [mix](MIX) has played against itself.
pub(crate) struct Played {
    /// At the end of the game.
    pub(crate) session: Box<dyn Session>,
    /// The plies of the positions that are drawn, ascending.
    pub(crate) plies: Vec<usize>,
    pub(crate) payoff: Vec<f64>,
    /// For what else is drawn.
    pub(crate) rng: Rng,
}

impl Played {
    /// Plays the game with this number of a seed; nothing if it was stopped.
    pub(crate) fn new(
        game: &NamedGame,
        players: usize,
        (seed, number): (u64, u64),
        progress: fn(&str, f64),
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Played>, Error> {
        let mut rng = Rng::new(mix(seed ^ mix(number)));
        let request = Request {
            players: Some(players),
            seed: rng.bits(),
            noise: true,
            programs: true,
            progress,
            ..Request::default()
        };
        let mut session = game.open(&request)?;
        for _ in 0..rng.below(4 * players + 1) {
            if session.payoff().is_none() {
                let moves = session.moves();
                session.play(&moves[rng.below(moves.len())])?;
            }
        }
        let opening = session.played().len();
        let agent = session.agent(MIX[(number % MIX.len() as u64) as usize])?;
        for _ in 0..players {
            session.seat(&agent, rng.bits())?;
        }
        let budget = Budget { stop: Some(stop.clone()), ..agent.budget_or(&Budget::default()) };
        let Some(course) = session.play_out(&vec![budget; players], &Terms::default())? else { return Ok(None) };
        let payoff: Vec<f64> =
            course.payoff.expect("these agents forfeit no game").into_iter().map(f64::from).collect();
        let mut plies: Vec<usize> = (opening..session.played().len()).collect();
        rng.shuffle(&mut plies);
        plies.truncate(SAMPLES);
        plies.sort_unstable();
        Ok(Some(Played { session, plies, payoff, rng }))
    }
}

/// A position as one evaluation sees it.
struct Row<'a> {
    game: u64,
    scores: ByPlayer<f64>,
    is_in: &'a [bool],
    stage: f64,
    payoff: &'a ByPlayer<f64>,
}

impl<'a> Row<'a> {
    fn new(sample: &'a Sample, judged: &'a Judgement) -> Row<'a> {
        let Judgement { scores, is_in, stage, .. } = judged;
        let scores = ByPlayer::from_fn(scores.len(), |player| f64::from(scores[player.index()]));
        Row { game: sample.game, scores, is_in, stage: *stage, payoff: &sample.payoff }
    }

    fn chances(&self, temperature: f64) -> ByPlayer<f64> {
        chances::of(&self.scores, |player| self.is_in[player.index()], temperature)
    }

    /// How the log-loss changes with 1/T: the expected score less the winner's.
    fn slope(&self, temperature: f64) -> f64 {
        let chances = self.chances(temperature);
        chances.iter().map(|(player, chance)| (chance - self.payoff[player]) * self.scores[player]).sum()
    }
}

/// −Σ payoff · ln chance. A chance that is too small for a number counts as the smallest that is not.
fn loss(chances: &ByPlayer<f64>, payoff: &ByPlayer<f64>) -> f64 {
    let part = |(player, share): (_, f64)| {
        if share > 0.0 { -share * chances[player].max(f64::MIN_POSITIVE).ln() } else { 0.0 }
    };
    payoff.iter().map(part).sum()
}

/// The temperatures of the rows: one, or one for each stage if that is better on games that are not fitted.
fn fit(rows: &[Row<'_>]) -> Temperatures {
    let fitted: Vec<&Row<'_>> = rows.iter().filter(|row| Part::of(row.game) == Part::Fit).collect();
    let single = temperature(&fitted);
    let stage_of = |row: &Row<'_>| ((row.stage * STAGES as f64) as usize).min(STAGES - 1);
    let staged: Vec<f64> = (0..STAGES)
        .map(|stage| {
            let rows: Vec<&Row<'_>> = fitted.iter().copied().filter(|row| stage_of(row) == stage).collect();
            if rows.len() < FEW { single } else { temperature(&rows) }
        })
        .collect();
    let (single, staged) = (Temperatures::new(&[single]), Temperatures::new(&staged));
    // The gain of each game.
    let mut gains: Vec<(u64, f64)> = Vec::new();
    for row in rows.iter().filter(|row| Part::of(row.game) == Part::Choose) {
        let loss =
            |temperatures: &Temperatures| loss(&row.chances(temperatures.at(row.stage).unwrap_or(1.0)), row.payoff);
        let gain = loss(&single) - loss(&staged);
        match gains.last_mut().filter(|(game, _)| *game == row.game) {
            Some((_, sum)) => *sum += gain,
            None => gains.push((row.game, gain)),
        }
    }
    let count = gains.len() as f64;
    let mean = gains.iter().map(|(_, gain)| gain).sum::<f64>() / count.max(1.0);
    let spread = gains.iter().map(|(_, gain)| (gain - mean) * (gain - mean)).sum::<f64>();
    let error = (spread / (count * (count - 1.0)).max(1.0)).sqrt();
    if mean > 2.0 * error { staged } else { single }
}

/// The temperature with the least log-loss, by bisection: the loss is convex in 1/T. It stays within a millionth and a million
/// times the greatest difference of scores, where an evaluation that predicts nothing, or everything, would leave them.
fn temperature(rows: &[&Row<'_>]) -> f64 {
    let spread = |row: &&Row<'_>| {
        let scores = row.scores.as_slice();
        scores.iter().copied().fold(f64::MIN, f64::max) - scores.iter().copied().fold(f64::MAX, f64::min)
    };
    let widest = rows.iter().map(spread).fold(1.0, f64::max);
    let (mut cold, mut hot) = (widest * 1e-6, widest * 1e6);
    while hot / cold > 1.0 + 1e-9 {
        let middle = (cold * hot).sqrt();
        // A positive slope asks for a smaller 1/T.
        let slope: f64 = rows.iter().map(|row| row.slope(middle)).sum();
        if slope > 0.0 { cold = middle } else { hot = middle }
    }
    (cold * hot).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    /// Positions of two players whose results follow a temperature exactly, in expectation.
    fn invented(temperatures: [f64; 2], seed: u64) -> Vec<Sample> {
        let mut rng = Rng::new(seed);
        (0..24_000)
            .map(|game| {
                let stage = rng.unit();
                let scores: Vec<i32> = (0..3).map(|_| rng.below(1000) as i32).collect();
                let is_in = vec![true, true, rng.below(3) > 0];
                let temperature = temperatures[usize::from(stage >= 0.5)];
                let chances = chances::of(&ByPlayer::from_slice(&scores), |player| is_in[player.index()], temperature);
                let mut left = rng.unit();
                let winner = chances.iter().find(|(_, chance)| {
                    left -= chance;
                    left < 0.0
                });
                let winner = winner.expect("chances sum to 1").0;
                let payoff = ByPlayer::from_fn(3, |player| f64::from(u8::from(player == winner)));
                let judged = vec![Judgement { scores, is_in, stage, chances: None, least: Vec::new(), most_sum: 0 }];
                Sample { game, judged, found: None, payoff }
            })
            .collect()
    }

    fn rows(samples: &[Sample]) -> Vec<Row<'_>> {
        samples.iter().map(|sample| Row::new(sample, &sample.judged[0])).collect()
    }

    #[test]
    fn the_temperature_that_made_the_results_is_found() {
        let samples = invented([300.0, 300.0], 1);
        let found = fit(&rows(&samples));
        assert_eq!(found.by_stage().len(), 1, "stages do not matter here: {found}");
        assert!((found.by_stage()[0] / 300.0 - 1.0).abs() < 0.05, "{found}");
    }

    #[test]
    fn stages_get_temperatures_where_they_differ() {
        let samples = invented([1000.0, 100.0], 2);
        let found = fit(&rows(&samples));
        assert_eq!(found.by_stage().len(), STAGES);
        for (&found, made) in found.by_stage().iter().zip([1000.0, 1000.0, 100.0, 100.0]) {
            assert!((found / made - 1.0_f64).abs() < 0.3, "{found} {made}");
        }
    }

    #[test]
    fn no_other_temperature_has_a_lower_loss() {
        let samples = invented([500.0, 50.0], 3);
        let rows = rows(&samples);
        let rows: Vec<&Row<'_>> = rows.iter().collect();
        let total = |temperature| rows.iter().map(|row| loss(&row.chances(temperature), row.payoff)).sum::<f64>();
        let found = temperature(&rows);
        for factor in [0.5, 0.9, 0.999, 1.001, 1.1, 2.0] {
            assert!(total(found) < total(found * factor), "{factor}");
        }
    }

    #[test]
    fn chances_that_are_right_lie_on_the_diagonal_and_others_do_not() {
        let samples = invented([300.0, 300.0], 4);
        let reliability = |temperature| {
            let rows = rows(&samples);
            let found: Vec<ByPlayer<f64>> = rows.iter().map(|row| row.chances(temperature)).collect();
            let positions = samples.iter().zip(&found);
            Reliability::new(
                positions.map(|(sample, chances)| (chances, &sample.payoff, sample.judged[0].is_in.clone())),
            )
        };
        let (right, wrong) = (reliability(300.0), reliability(60.0));
        assert!(right.worst().unwrap() < 0.03 && right.loss < right.equal, "{right:?}");
        assert!(wrong.worst().unwrap() > 0.1 && wrong.loss > right.loss, "{wrong:?}");
        assert_eq!(right.positions, 24_000);
        let pairs: usize =
            samples.iter().map(|sample| sample.judged[0].is_in.iter().filter(|is_in| **is_in).count()).sum();
        assert_eq!(right.bins.iter().map(|bin| bin.count).sum::<u64>(), pairs as u64);
    }

    fn calibration(game: &str, players: usize, threads: usize) -> Calibration {
        let game = Registry::standard().find(game).unwrap();
        let evaluations = game.info().evaluations.iter().map(|(name, _)| name.to_string()).collect();
        Calibration { game, players, evaluations, games: 30, seed: 1, threads, agent: None, progress: |_, _| () }
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let lines = |threads| -> Vec<String> {
            let found = calibration("rolit", 3, threads).run(&Arc::default(), &|| ()).unwrap().unwrap();
            found.iter().map(Calibrated::line).collect()
        };
        let alone = lines(1);
        assert_eq!(alone, lines(3));
        assert_eq!(alone.len(), 4);
        assert!(
            alone[0].starts_with("rolit 3 patterns ") && alone[0].contains(" # 36 games, seed 1: log-loss "),
            "{alone:?}"
        );
    }

    #[test]
    fn an_agent_is_asked_about_the_positions_that_are_drawn_without_it() {
        let alone = calibration("rolit", 3, 2);
        let (agent, budget) = (alone.game.agent("paranoid:table=off", 3).unwrap(), Budget::nodes(30));
        let asked = Calibration { agent: Some((agent, budget)), ..alone.clone() };
        let run = |calibration: &Calibration| calibration.run(&Arc::default(), &|| ()).unwrap().unwrap();
        let (alone, asked) = (run(&alone), run(&asked));
        let texts = |found: &[Calibrated]| found.iter().map(|found| found.to_json().to_string()).collect::<Vec<_>>();
        let (last, others) = asked.split_last().unwrap();
        assert_eq!(texts(&alone), texts(others));
        assert_eq!(last.name, "paranoid:table=off nodes=30");
        assert_eq!(last.reliability.positions, alone[0].reliability.positions);
    }

    #[test]
    fn a_stopped_calibration_has_no_result() {
        let stop = Arc::new(AtomicBool::new(true));
        assert!(calibration("connect-four", 2, 1).run(&stop, &|| ()).unwrap().is_none());
    }

    #[test]
    fn a_game_without_scores_before_its_end_is_refused() {
        let game = Registry::standard().find("tree").unwrap();
        let players = game.info().usual_players;
        let error = calibration("tree", players, 1).run(&Arc::default(), &|| ()).unwrap_err();
        assert!(error.message.contains("no scores"), "{error}");
    }
}
