//! Helpers for tests and benches that walk the list of games.

#![allow(dead_code, reason = "no test uses all of it")]

use std::fs;
use std::path::PathBuf;

use nply::settings::{self, Domain};
use nply::{Agent, Budget, Code, Declaration, Game, Greedy, Notation, Rng, Settings};

/// All combinations of the settings that are words or flags.
pub(crate) fn variants<S: Settings + Clone + Default>() -> Vec<S> {
    let mut all = vec![S::default()];
    for setting in settings::list(&mut S::default()) {
        let words = match setting.domain {
            Domain::Words(words) => words,
            Domain::Flag => vec!["no", "yes"],
            _ => continue,
        };
        let with = |old: &S, word| {
            let mut new = old.clone();
            settings::set(&mut new, setting.key, Some(word)).expect("a word that is declared");
            new
        };
        all = words.iter().flat_map(|word| all.iter().map(|old| with(old, word)).collect::<Vec<S>>()).collect();
    }
    all
}

/// Every number of players with every combination of options.
pub(crate) fn configurations<D: Declaration>() -> impl Iterator<Item = (usize, D::Options)> {
    D::PLAYERS.iter().flat_map(|&players| variants::<D::Options>().into_iter().map(move |options| (players, options)))
}

/// The options with a draw limit of so many plies, if the game has one.
pub(crate) fn limited<D: Declaration>(options: &D::Options, plies: u32) -> D::Options {
    let mut options = options.clone();
    match settings::set(&mut options, "limit", Some(&plies.to_string())) {
        Err(error) if error.code != Code::UnknownSetting => panic!("{}: {error}", D::NAME),
        _ => options,
    }
}

/// The positions before each move of a finished game, which is random where the rules end it. Where only a limit of plies would end most
/// random games, with a draw for all, the players mostly take what looks best, and the limit is one ply after the end of their game: so its
/// last plies have winners, and little can follow them.
pub(crate) fn past<D: Declaration>(players: usize, options: &D::Options, seed: u64, rng: &mut Rng) -> Vec<D::Game> {
    let start = D::start(players, options, seed);
    let is_limited = settings::list(&mut options.clone()).iter().any(|setting| setting.key == "limit");
    let mut greedy = is_limited.then(|| Greedy::new(evaluations::<D>(&start).swap_remove(0).1, rng.bits()));
    let (mut game, mut line) = (start.clone(), Vec::new());
    while game.payoff().is_none() {
        let m = match &mut greedy {
            Some(greedy) if rng.below(10) > 0 => greedy.choose(&game, &Budget::default()).m,
            _ => game.random_move(&mut Vec::new(), rng),
        };
        line.push(m);
        game.play(m);
    }
    let mut game = D::start(players, &limited::<D>(options, line.len() as u32 + 1), seed);
    let before = |m| {
        let before = game.clone();
        game.play(m);
        before
    };
    line.into_iter().map(before).collect()
}

/// The evaluations of a game with their names, without those that refuse it and without a usual one that the bench avoids
/// because it takes long to prepare.
pub(crate) fn evaluations<D: Declaration>(game: &D::Game) -> Vec<(&'static str, D::Eval)> {
    let usual = D::usual_evaluation(game);
    let is_slow =
        |name| name == usual && D::BENCH.iter().any(|position| position.eval.is_some_and(|eval| eval != usual));
    let quick = D::EVALUATIONS.iter().filter(|evaluation| !is_slow(evaluation.name));
    let made = quick.filter_map(|evaluation| match (evaluation.make)(game, &|_, _| ()) {
        Ok(eval) => Some((evaluation.name, eval)),
        Err(error) if error.code == Code::Refused => None,
        Err(error) => panic!("{} {}: {error}", D::NAME, evaluation.name),
    });
    let made: Vec<_> = made.collect();
    assert!(!made.is_empty(), "{} has an evaluation that is quick to make", D::NAME);
    made
}

/// A line of data: `PLAYERS [OPTIONS] | POSITION | NUMBERS`. The position may be `start`, a number may be `-` if it is unknown.
pub(crate) struct Line<D: Declaration> {
    /// The whole line, for messages.
    pub text: String,
    pub players: usize,
    pub options: D::Options,
    pub game: D::Game,
    pub numbers: Vec<Option<u64>>,
}

impl<D: Declaration> Line<D> {
    pub(crate) fn parse(text: &str) -> Line<D> {
        let fail = |what: &str| -> ! { panic!("{}: {what} in the line {text:?}", D::NAME) };
        let parts: Vec<&str> = text.split(" | ").collect();
        let [who, position, numbers] = parts[..] else { fail("not three parts separated by ` | `") };
        let (players, changes) = who.split_once(' ').unwrap_or((who, ""));
        let Ok(players) = players.parse() else { fail("no number of players") };
        let mut options = D::Options::default();
        settings::read(&mut options, changes).unwrap_or_else(|error| fail(&error.to_string()));
        let start = D::start(players, &options, 1);
        let game = match position {
            "start" => start,
            text => start.read(text).unwrap_or_else(|error| fail(&error.to_string())),
        };
        let number = |word: &str| match word {
            "-" => None,
            word => Some(word.parse().unwrap_or_else(|_| fail("no number"))),
        };
        Line { text: text.into(), players, options, game, numbers: numbers.split(' ').map(number).collect() }
    }
}

/// The path of a data file.
pub(crate) fn path(folder: &str, name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", folder, &format!("{name}.txt")].iter().collect()
}

/// The lines of a game's perft file.
pub(crate) fn perft_lines<D: Declaration>() -> Vec<Line<D>> {
    let path = path("perft", D::NAME);
    let file = fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}\n  help: write lines such as `2 | start | 7 49 343`, with their source as a comment: \
             players and options, position, number of positions after 1, 2, 3, … plies",
            path.display()
        )
    });
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(Line::parse).collect()
}
