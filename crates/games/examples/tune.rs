//! Tunes the evaluation of Four-Player Chess by games, and plays weights against others.
//!
//! ```text
//! tune spsa  FILE ROUNDS SEARCH NODES [WEIGHTS]             from these weights to better ones
//! tune match FILE ROUNDS SEARCH NODES WEIGHTS [WEIGHTS]     the first weights against the second
//! ```
//!
//! Weights are 26 numbers separated by commas, in the order of the fields of [`Eval`]; the defaults if omitted.
//! `SEARCH` is `brs+` or `paranoid`. A round is a line of FILE, and the same command resumes where it was interrupted.
//!
//! SPSA (J. C. Spall, 1992) changes all weights at once, each up or down at random, and plays the result against its opposite; then
//! every weight takes a small step to the side that won. So each game counts for every weight.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::ExitCode;
use std::thread;

use nply::{Agent, BrsPlus, Budget, Declaration, Dice, Game, Noisy, Paranoid, Parts, Player, Rng, Score, mix};
use nply_games::chess::{Eval, FourPlayerChess, Order};

/// The number of weights of an evaluation.
const WEIGHTS: usize = 26;

/// The number of rounds played at the same time.
const THREADS: usize = 2;

/// The number of random plies before each game.
const OPENING: usize = 8;

/// Two seats for each side in each of the six ways, opposites together.
const SEATINGS: [[usize; 4]; 6] = [[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tune: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<(), String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text:?} is not a number"));
    let weights = |at: usize| words.get(at).map_or(Ok(weights_of(&Eval::DEFAULT)), |text| read(text));
    let [what, file, rounds, search, nodes, ..] = words[..] else {
        return Err("spsa FILE ROUNDS SEARCH NODES, or match FILE ROUNDS SEARCH NODES WEIGHTS".into());
    };
    let (rounds, field) = (number(rounds)?, Field { search: search.parse()?, nodes: number(nodes)? });
    match what {
        "spsa" => spsa(file, rounds, field, weights(5)?),
        "match" => pit(file, rounds, field, [weights(5)?, weights(6)?]),
        _ => Err(format!("{what:?} is neither spsa nor match")),
    }
}

fn read(text: &str) -> Result<[Score; WEIGHTS], String> {
    let weights: Option<Vec<Score>> =
        text.split(',').map(|weight| weight.parse().ok().filter(|w| (0..=10_000).contains(w))).collect();
    let weights = weights.and_then(|weights| weights.try_into().ok());
    weights.ok_or_else(|| format!("{text:?} is not {WEIGHTS} weights from 0 to 10,000"))
}

fn eval_of(weights: [Score; WEIGHTS]) -> Eval {
    let [p, n, b, r, q, alive, on, ob, or, oq, shelter, siege, advance @ ..] = weights;
    Eval { worth: [p, n, b, r, q], alive, mobility: [on, ob, or, oq], shelter, siege, advance }
}

fn weights_of(eval: &Eval) -> [Score; WEIGHTS] {
    let Eval { worth: [p, n, b, r, q], alive, mobility: [on, ob, or, oq], shelter, siege, advance } = *eval;
    let mut weights = [0; WEIGHTS];
    weights[..12].copy_from_slice(&[p, n, b, r, q, alive, on, ob, or, oq, shelter, siege]);
    weights[12..].copy_from_slice(&advance);
    weights
}

/// Adds rounds to a file until it has the given number of lines, and returns them all. A round is called with the lines so far.
fn go_on(file: &str, rounds: u64, round: impl Fn(u64, &[f64]) -> f64 + Sync) -> Result<Vec<f64>, String> {
    let report = |error: std::io::Error| format!("{file}: {error}");
    let mut out = OpenOptions::new().create(true).append(true).open(file).map_err(report)?;
    let text = fs::read_to_string(file).map_err(report)?;
    let mut results: Vec<f64> = text.lines().map_while(|line| line.parse().ok()).collect();
    while (results.len() as u64) < rounds {
        let (round, known) = (&round, &results[..]);
        let numbers = (known.len() as u64..rounds).take(THREADS);
        let new: Vec<f64> = thread::scope(|scope| {
            let threads: Vec<_> = numbers.map(|number| scope.spawn(move || round(number, known))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a round does not panic")).collect()
        });
        for result in new {
            writeln!(out, "{result}").map_err(report)?;
            results.push(result);
        }
    }
    Ok(results)
}

/// The search and its budget.
#[derive(Clone, Copy)]
struct Field {
    search: Search,
    nodes: u64,
}

#[derive(Clone, Copy)]
enum Search {
    BrsPlus,
    Paranoid,
}

impl std::str::FromStr for Search {
    type Err = String;

    fn from_str(text: &str) -> Result<Search, String> {
        match text {
            "brs+" => Ok(Search::BrsPlus),
            "paranoid" => Ok(Search::Paranoid),
            _ => Err(format!("no search here is called {text:?}")),
        }
    }
}

impl Search {
    fn agent(self, eval: Noisy<Eval>) -> Box<dyn Agent<FourPlayerChess>> {
        let parts = Parts { table: 1 << 20, ..Parts::default() };
        match self {
            Search::BrsPlus => {
                let mut agent = BrsPlus::new(eval, Order::default());
                agent.settings.parts = parts;
                Box::new(agent)
            }
            Search::Paranoid => {
                let mut agent = Paranoid::new(eval, Order::default());
                agent.settings.parts = parts;
                Box::new(agent)
            }
        }
    }
}

/// Weights are this many times as fine in games as in text, so that small ones can change by little.
const FINE: Score = 8;

impl Field {
    /// The first side's share of the win in a game whose random plies and noise are a function of the seed.
    fn play(self, seed: u64, seats: [usize; 4], sides: [Eval; 2]) -> f64 {
        let (mut game, mut rng) = (FourPlayerChess::start(4, &(), 0), Rng::new(mix(seed)));
        let mut agents = seats.map(|side| {
            let noisy = Noisy {
                inner: sides[side],
                most: FourPlayerChess::noise(&sides[side]) * FINE,
                dice: Dice::new(rng.bits()),
            };
            self.search.agent(noisy)
        });
        let payoff = loop {
            if let Some(payoff) = game.payoff() {
                break payoff;
            }
            let m = match game.plies() < OPENING as u32 {
                true => game.random_move(&mut Vec::new(), &mut rng),
                false => agents[game.turn().index()].choose(&game, &Budget::nodes(self.nodes)).m,
            };
            game.play(m);
        };
        Player::all(4).filter(|player| seats[player.index()] == 0).map(|player| f64::from(payoff[player])).sum()
    }
}

/// A round is an opening in all six seatings.
fn pit(file: &str, rounds: u64, field: Field, sides: [[Score; WEIGHTS]; 2]) -> Result<(), String> {
    let sides = sides.map(|weights| eval_of(weights.map(|weight| weight * FINE)));
    let shares = go_on(file, rounds, |number, _| {
        let shares = SEATINGS.map(|seats| field.play(1 << 32 | number, seats, sides));
        shares.iter().sum::<f64>() / 6.0
    })?;
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0);
    println!("{} games: {:.1} % ± {:.1}", 6.0 * count, 100.0 * mean, 196.0 * (variance / count).sqrt());
    Ok(())
}

/// The weights that are tuned, each as a group that grows or shrinks together: all but the value of a pawn, which is the unit.
/// Pawns near their promotion are one group, those far from it another.
const GROUPS: [std::ops::Range<usize>; 13] =
    [1..2, 2..3, 3..4, 4..5, 5..6, 6..7, 7..8, 8..9, 9..10, 10..11, 11..12, 12..17, 17..26];
/// Natural logarithms of the factors by which the groups have changed.
type Change = [f64; GROUPS.len()];

/// How much weights differ from the center in a game, and how far they step after a win, as logarithms.
const SPREAD: f64 = 0.4;
const STEP: f64 = 0.012;

fn eval_with(weights: [Score; WEIGHTS], change: &Change) -> Eval {
    let mut fine = weights.map(|weight| weight * FINE);
    for (group, change) in GROUPS.into_iter().zip(change) {
        for weight in &mut fine[group] {
            *weight = (f64::from(*weight) * change.exp()).round() as Score;
        }
    }
    eval_of(fine)
}

/// Up or down for every group.
fn signs(number: u64) -> Change {
    let mut rng = Rng::new(mix(number));
    std::array::from_fn(|_| rng.pick(&[-1.0, 1.0]))
}

fn step(change: &mut Change, number: usize, gain: f64) {
    for (change, sign) in change.iter_mut().zip(signs(number as u64)) {
        *change += STEP * gain * sign;
    }
}

/// A round is an opening in two opposite seatings. The mean of the later half of all steps is the answer.
fn spsa(file: &str, rounds: u64, field: Field, weights: [Score; WEIGHTS]) -> Result<(), String> {
    let gains = go_on(file, rounds, |number, known| {
        let mut change = [0.0; GROUPS.len()];
        known.iter().enumerate().for_each(|(number, &gain)| step(&mut change, number, gain));
        let signs = signs(number);
        let side = |way: f64| {
            let side: Change = std::array::from_fn(|at| change[at] + way * SPREAD * signs[at]);
            eval_with(weights, &side)
        };
        let sides = [side(1.0), side(-1.0)];
        let seatings = &SEATINGS[2 * (number as usize % 3)..][..2];
        seatings.iter().map(|&seats| field.play(number, seats, sides) - 0.5).sum()
    })?;
    let (mut change, mut mean, later) = ([0.0; GROUPS.len()], [0.0; GROUPS.len()], gains.len() / 2);
    for (number, &gain) in gains.iter().enumerate() {
        step(&mut change, number, gain);
        if number >= later {
            (0..GROUPS.len()).for_each(|at| mean[at] += change[at] / (gains.len() - later) as f64);
        }
    }
    println!("{} games; by {:.2?}, now {:.2?}", 2 * gains.len(), mean.map(f64::exp), change.map(f64::exp));
    let found = weights_of(&eval_with(weights, &mean)).map(|weight| (weight + FINE / 2) / FINE);
    println!("{}", found.map(|weight| weight.to_string()).join(","));
    Ok(())
}
