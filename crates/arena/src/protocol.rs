//! The lines that a driver and a program send each other; `docs/engine.md` describes the protocol.
//!
//! A line is words separated by spaces, the first of which is its kind. Both sides write and read lines with the same types, so
//! that they cannot drift apart.

use std::fmt::{self, Write};
use std::time::Duration;

use nply::settings::{self, Field};
use nply::{Budget, Chance, Clocks, Limit, Spec, quantity};

/// The version of the protocol.
pub(crate) const VERSION: u32 = 1;

/// The first word of a line, and the rest.
pub(crate) fn split(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim_start()))
}

/// A text as part of one line: control characters become spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control()).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The game: `game focus:rules=short,limit=300 players 4 seed 1 common 2 noise no`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameLine {
    pub(crate) game: Spec,
    pub(crate) players: Option<usize>,
    pub(crate) chance: Chance,
}

impl fmt::Display for GameLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}", self.game)?;
        if let Some(players) = self.players {
            write!(f, " players {players}")?;
        }
        let Chance { own, common, noise } = self.chance;
        write!(f, " seed {own} common {common} noise {}", if noise { "yes" } else { "no" })
    }
}

impl GameLine {
    /// Reads what follows the word `game`; unknown words and their values are skipped.
    pub(crate) fn read(text: &str) -> Result<GameLine, String> {
        let (spec, rest) = split(text);
        let game = Spec::parse(spec).map_err(|error| error.message)?;
        let mut line = GameLine { game, players: None, chance: Chance { own: 1, common: 1, noise: false } };
        for (key, value) in pairs(rest) {
            let number = || value.parse::<u64>().map_err(|_| format!("{key} {value:?} is not a whole number"));
            match key {
                "players" => line.players = Some(number()? as usize),
                "seed" => line.chance.own = number()?,
                "common" => line.chance.common = number()?,
                "noise" => {
                    line.chance.noise = match value {
                        "yes" => true,
                        "no" => false,
                        _ => return Err(format!("noise {value:?} is neither yes nor no")),
                    }
                }
                _ => {}
            }
        }
        Ok(line)
    }
}

fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut words = text.split_whitespace();
    std::iter::from_fn(move || Some((words.next()?, words.next().unwrap_or(""))))
}

/// A question, as a line: `go nodes 250000 time 200 ply 12`, the time in milliseconds.
pub(crate) fn go(budget: &Budget, ply: Option<u32>) -> String {
    let mut line = String::from("go");
    settings::each(&mut budget.clone(), |Field { key, value, .. }| {
        let Some(text) = value.text() else { return };
        let number = quantity::count(&text).map(|count| count.to_string());
        let number = number.or_else(|_| quantity::time(&text).map(millis));
        let _ = write!(line, " {key} {}", number.expect("a limit is a count or a time"));
    });
    if let Some(ply) = ply {
        let _ = write!(line, " ply {ply}");
    }
    line
}

/// A time in milliseconds, to a microsecond.
fn millis(time: Duration) -> String {
    (time.as_micros() as f64 / 1e3).to_string()
}

/// Reads a time: in milliseconds, or with its unit.
fn read_time(text: &str) -> Option<Duration> {
    quantity::time(&format!("{text}ms")).or_else(|_| quantity::time(text)).ok()
}

/// Everybody's clock, as a line before a question: `clock 59000 60000 increment 500 most 2000`, in milliseconds.
pub(crate) fn clock(clocks: &Clocks) -> String {
    let mut line = String::from("clock");
    clocks.left.iter().for_each(|&left| line.extend([" ", &millis(left)]));
    line.extend([" increment ", &millis(clocks.increment)]);
    clocks.most.iter().for_each(|&most| line.extend([" most ", &millis(most)]));
    line
}

/// Reads what follows the word `clock`: a time for each player, and then words with values, of which unknown ones are skipped.
pub(crate) fn read_clock(text: &str) -> Result<Clocks, String> {
    let times: Vec<Duration> = text.split_whitespace().map_while(read_time).collect();
    let rest: Vec<&str> = text.split_whitespace().skip(times.len()).collect();
    let mut clocks = Clocks { left: times, increment: Duration::ZERO, most: None };
    for (key, value) in pairs(&rest.join(" ")) {
        let time = || read_time(value).ok_or_else(|| format!("{key} {value:?} is not a time"));
        match key {
            "increment" => clocks.increment = time()?,
            "most" => clocks.most = Some(time()?),
            _ => {}
        }
    }
    Ok(clocks)
}

/// Reads what follows the word `go`; unknown words and their values are skipped. Counts and times may also be written as people
/// write them, `250k` and `1.5s`.
pub(crate) fn read_go(text: &str) -> Result<(Budget, Option<u32>), String> {
    let (mut budget, mut ply) = (Budget::default(), None);
    for (key, value) in pairs(text) {
        if key == "ply" {
            ply = Some(value.parse().map_err(|_| format!("ply {value:?} is not a whole number"))?);
        } else if let Some(limit) = Limit::ALL.iter().find(|limit| limit.key() == key) {
            // A time without a unit is in milliseconds.
            let in_ms = Some(format!("{value}ms")).filter(|ms| *limit == Limit::Time && quantity::time(ms).is_ok());
            let value = in_ms.as_deref().unwrap_or(value);
            settings::set(&mut budget, key, Some(value)).map_err(|error| error.message)?;
        }
    }
    Ok((budget, ply))
}

/// What a program has found so far: `info depth 3 nodes 812 value 5 scores 5 -2 chances 0.7 0.3 pv d3 c5`. All of it may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Info {
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    pub(crate) value: Option<f64>,
    pub(crate) scores: Option<Vec<f64>>,
    pub(crate) chances: Option<Vec<f64>>,
    pub(crate) pv: Vec<String>,
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "info depth {} nodes {}", self.depth, self.nodes)?;
        if let Some(value) = self.value {
            write!(f, " value {value}")?;
        }
        for (key, numbers) in [("scores", &self.scores), ("chances", &self.chances)] {
            if let Some(numbers) = numbers {
                write!(f, " {key}")?;
                numbers.iter().try_for_each(|number| write!(f, " {number}"))?;
            }
        }
        if self.pv.is_empty() { Ok(()) } else { write!(f, " pv {}", self.pv.join(" ")) }
    }
}

impl Info {
    /// Reads what follows the word `info`. It is only shown to people, so whatever makes no sense is skipped.
    pub(crate) fn read(text: &str) -> Info {
        let mut info = Info::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(key) = words.next() {
            match key {
                "depth" => info.depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(0),
                "nodes" => info.nodes = words.next().and_then(|word| word.parse().ok()).unwrap_or(0),
                "value" => info.value = words.next().and_then(number),
                "scores" | "chances" => {
                    let numbers = std::iter::from_fn(|| words.next_if(|word| number(word).is_some()).and_then(number));
                    let numbers = Some(numbers.collect());
                    *(if key == "scores" { &mut info.scores } else { &mut info.chances }) = numbers;
                }
                "pv" => info.pv = words.by_ref().map(String::from).collect(),
                _ => {}
            }
        }
        info
    }
}

fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;
    use std::time::Duration;

    #[test]
    fn lines_read_back() {
        for (players, noise) in [(Some(4), true), (None, false)] {
            let game = Spec::parse("focus:rules=short,limit=300").unwrap();
            let line = GameLine { game, players, chance: Chance { own: u64::MAX, common: 7, noise } };
            assert_eq!(GameLine::read(line.to_string().strip_prefix("game ").unwrap()), Ok(line));
        }
        let budgets = [
            Budget::default(),
            Budget::nodes(250_000),
            Budget { depth: Some(3), playouts: Some(9), ..Budget::time(Duration::from_micros(1_234_567)) },
        ];
        for budget in budgets {
            for ply in [None, Some(12)] {
                assert_eq!(read_go(go(&budget, ply).strip_prefix("go").unwrap()), Ok((budget.clone(), ply)));
            }
        }
        let ms = Duration::from_millis;
        for (increment, most) in [(ms(0), None), (Duration::from_micros(1500), Some(ms(2000)))] {
            for left in [vec![], vec![ms(59_000), Duration::ZERO, Duration::from_micros(7)]] {
                let clocks = Clocks { left, increment, most };
                assert_eq!(read_clock(clock(&clocks).strip_prefix("clock").unwrap()), Ok(clocks));
            }
        }
        let infos = [
            Info::default(),
            Info {
                depth: 3,
                nodes: 812,
                value: Some(0.1 + 0.2),
                scores: Some(vec![-5.0, 1.5e-7]),
                chances: Some(vec![0.25, 0.75]),
                pv: vec!["a1-b2".into(), "-".into()],
            },
        ];
        for info in infos {
            assert_eq!(Info::read(info.to_string().strip_prefix("info").unwrap()), info);
        }
    }

    #[test]
    fn no_text_makes_a_reader_of_lines_fail() {
        let samples = [
            "game focus:rules=short,limit=300 players 4 seed 1 common 2 noise no",
            "go depth 3 nodes 250000 playouts 5k time 200 ply 7",
            "info depth 3 nodes 812 value 5 scores 5 -2.5 chances 0.75 0.25 pv d3 c5",
            "clock 59000 60000.5 60s increment 500 most 2000",
            "  position 1/11/111 1 0",
        ];
        testing::mangle(&samples, 1_000_000, |text| {
            let (_, rest) = split(text);
            assert!(!one_line(text).contains(char::is_control), "{text:?}");
            match GameLine::read(rest) {
                Ok(line) => assert_eq!(GameLine::read(split(&line.to_string()).1), Ok(line), "{text:?}"),
                Err(error) => testing::check_error(&error, text),
            }
            match read_go(rest) {
                Ok((budget, ply)) if budget.time.is_none_or(|time| time < Duration::from_secs(1_000_000)) => {
                    // Times are written to a microsecond.
                    let time = budget.time.map(|time| Duration::from_micros(time.as_micros() as u64));
                    assert_eq!(read_go(split(&go(&budget, ply)).1), Ok((Budget { time, ..budget }, ply)), "{text:?}");
                }
                Ok(_) => {}
                Err(error) => testing::check_error(&error, text),
            }
            match read_clock(rest) {
                // Times are written to a microsecond, and beyond some weeks a floating-point number cannot tell it.
                Ok(clocks) if clocks.left.iter().max().is_none_or(|&left| left < Duration::from_secs(1_000_000)) => {
                    let line = clock(&clocks);
                    let read = read_clock(split(&line).1).unwrap();
                    assert_eq!(read.left.len(), clocks.left.len(), "{text:?}");
                }
                Ok(_) => {}
                Err(error) => testing::check_error(&error, text),
            }
            let info = Info::read(rest);
            assert_eq!(Info::read(split(&info.to_string()).1), info, "{text:?}");
        });
    }

    #[test]
    fn unknown_words_are_skipped() {
        let line = GameLine::read("tree colour red players 3 mood").unwrap();
        assert_eq!((line.game.to_string().as_str(), line.players), ("tree", Some(3)));
        assert_eq!(
            read_go("slowly yes nodes 2k time 1.5s"),
            Ok((Budget { nodes: Some(2000), ..Budget::time(Duration::from_millis(1500)) }, None))
        );
        let info = Info::read("string hello depth x value nan scores 1 2 speed 3 pv a depth");
        assert_eq!((info.depth, info.value), (0, None));
        assert_eq!(info.scores, Some(vec![1.0, 2.0]));
        assert_eq!(info.pv, ["a", "depth"]);
        let ms = Duration::from_millis;
        assert_eq!(
            read_clock("59000 1.5s flag red increment 20 moves"),
            Ok(Clocks { left: vec![ms(59_000), ms(1500)], increment: ms(20), most: None })
        );
        assert!(read_clock("59000 increment soon").is_err() && read_clock("5 most").is_err());
        assert!(read_go("nodes many").is_err() && read_go("time soon").is_err() && GameLine::read("a:b").is_err());
    }

    #[test]
    fn a_text_in_a_line_stays_in_it() {
        assert_eq!(one_line("no such\n  help: move\r\nfast"), "no such help: move fast");
        assert_eq!(split("  go  nodes 5 "), ("go", "nodes 5"));
    }
}
