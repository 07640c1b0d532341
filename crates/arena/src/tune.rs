//! Tuning: the strongest settings for a game, a number of players and a budget, by successive halving.
//!
//! All candidates play each other, the better half goes on and plays twice as many games each, until one is left (Karnin, Koren and
//! Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013). It is done twice: first among families of agents with
//! the evaluations that the game has, and then among the two that are left and the settings that are worth varying, one or two of
//! them at a time. The winner then meets the agent that was called best before, in a sequential test of games that no choice was
//! made by.
//!
//! Nothing is played here. [`Tuning::run`] is given how to play a match: by threads of this process, or by many machines. Each match
//! follows from the results of those before, so that whoever keeps their games can go on after any interruption.

use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

use nply::settings::Domain;
use nply::{Budget, Code, Error, Spec, quantity};
use serde::Serialize;
use serde_json::{Value, json};

use crate::matches::Match;
use crate::openings::Openings;
use crate::registry::{BestEntry, NamedAgent, NamedGame, Registry, Request, Shown};
use crate::schedule::{Schedule, Seating};
use crate::statistics::{Sprt, Tally, Verdict, verdict_text};
use crate::terms::Terms;

/// What somebody asks for besides a game, players and a budget. The default is what nobody needs to ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Agents to choose from, separated by spaces; `None` for every family, and then settings of the last two.
    pub candidates: Option<String>,
    /// Number of games of each candidate in the first match; it doubles from match to match.
    pub games: u64,
    /// Most games of the sequential test at the end.
    pub last: u64,
    /// Distance of a rate from one half that matters in that test.
    pub sprt: f64,
    /// Where the games start, as text; `None` for the usual openings.
    pub openings: Option<String>,
    /// Random seed. The sequential test has another one.
    pub seed: u64,
}

impl Default for Asked {
    fn default() -> Asked {
        Asked { candidates: None, games: 12, last: 1000, sprt: 0.05, openings: None, seed: 1 }
    }
}

impl Asked {
    /// What `games` may be.
    pub const GAMES: RangeInclusive<u64> = 1..=1_000_000;
    /// What `last` may be.
    pub const LAST: RangeInclusive<u64> = 1..=1_000_000_000;

    fn check(&self) -> Result<(), Error> {
        for (key, number, range) in [("games", self.games, Asked::GAMES), ("last", self.last, Asked::LAST)] {
            if !range.contains(&number) {
                let error = Error::new(Code::BadValue, format!("{key}={number} is not in {range:?}"));
                return Err(error.help(format!("write a number of games from {} to {}", range.start(), range.end())));
            }
        }
        Sprt::check(self.sprt)
    }
}

/// What is tuned, and how.
#[derive(Clone)]
pub struct Tuning {
    /// The game with its options.
    pub game: NamedGame,
    /// Number of players in a game.
    pub players: usize,
    /// Budget of each decision.
    pub budget: Budget,
    /// Candidates, numbers of games and seed.
    pub asked: Asked,
    /// Where the games start; `None` for the game's own start.
    pub openings: Option<Openings>,
    /// Number of games played at the same time.
    pub threads: usize,
    /// Receives the progress of slow preparations, as in a [`Request`].
    pub progress: fn(&str, f64),
}

/// A match of a tuning as it was played: all of its games, or as many as its test needed.
pub struct Played {
    /// The games that count.
    pub tally: Tally,
    /// The verdict of the sequential test, if there was a test and it was decided.
    pub verdict: Option<Verdict>,
}

/// What a match of a tuning came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rung {
    /// Its name in a file of games.
    #[serde(rename = "match")]
    pub name: String,
    /// Number of agents.
    pub agents: usize,
    /// Number of games that count.
    pub games: u64,
    /// The agent that was first or, in the last match, is shown to be stronger.
    pub first: Option<String>,
}

/// What a tuning found. It is written for people as text, and for programs as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The game with its options.
    pub game: String,
    /// Number of players in a game.
    pub players: usize,
    /// Budget of each decision.
    pub budget: String,
    /// The candidate that was left.
    pub winner: String,
    /// The outcome of the last match, in words.
    pub verdict: String,
    /// What follows for the table of strongest agents.
    pub entry: BestEntry,
    /// The matches in their order.
    pub matches: Vec<Rung>,
}

impl Found {
    /// All of it as JSON.
    pub fn json(&self) -> Value {
        json!(self)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Found { game, players, budget, winner, verdict, entry, .. } = self;
        writeln!(f, "{game}, {players} players, {budget}")?;
        writeln!(f, "winner   {winner}")?;
        writeln!(f, "verdict  {verdict}")?;
        writeln!(f, "best     {}: {}\n", entry.agent, entry.describe())?;
        f.write_str(&entry.to_toml())
    }
}

/// A part of the tuning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Among families of agents, or among the candidates that somebody named.
    Families,
    /// Among settings of the last two.
    Settings,
}

impl Pass {
    /// Its name in the names of matches.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Families => "families",
            Pass::Settings => "settings",
        }
    }

    /// What its matches add to the seed. No pass has so many matches that they meet.
    fn seed(self) -> u64 {
        match self {
            Pass::Families => 0,
            Pass::Settings => 100,
        }
    }
}

/// What the last match adds to the seed.
const LAST_SEED: u64 = 1000;

/// The standing of a match names so many agents.
const SHOWN: usize = 8;

/// A family of agents: where it is worth trying, how it starts, and the settings that are worth varying, with values.
struct Family {
    agent: &'static str,
    fits: fn(&Place) -> bool,
    /// Settings of the candidates of the first pass; each is also tried with every evaluation.
    starts: &'static [&'static str],
    /// Settings of the second pass.
    settings: &'static [(&'static str, &'static [&'static str])],
}

/// Where a family may be tried.
struct Place {
    players: usize,
    is_out_of_turn: bool,
    /// Whether players see less than the whole position.
    hides: bool,
}

const DEEPER: (&str, &[&str]) = ("deeper", &["yes"]);
const REDUCE: (&str, &[&str]) = ("reduce", &["yes"]);
const QUIET: (&str, &[&str]) = ("quiet", &["4"]);
const NULL: (&str, &[&str]) = ("null", &["yes"]);
const OWN: (&str, &[&str]) = ("score", &["own"]);
const WIDTH: (&str, &[&str]) = ("width", &["8"]);

/// The search space. Settings that never change what is played with the same nodes, and those in units of an evaluation, are left
/// out.
const FAMILIES: &[Family] = &[
    Family {
        agent: "alphabeta",
        fits: |place| place.players == 2 && !place.hides,
        starts: &[""],
        settings: &[DEEPER, REDUCE, QUIET, NULL, OWN, WIDTH],
    },
    Family {
        agent: "paranoid",
        fits: |place| place.players > 2 && !place.hides,
        starts: &[""],
        settings: &[DEEPER, REDUCE, QUIET, OWN, WIDTH],
    },
    Family {
        agent: "brs",
        fits: |place| place.players > 2 && place.is_out_of_turn && !place.hides,
        starts: &[""],
        settings: &[DEEPER, REDUCE, QUIET, OWN, WIDTH],
    },
    Family {
        agent: "brs+",
        fits: |place| place.players > 2 && !place.hides,
        starts: &[""],
        settings: &[("special", &["own"]), ("top", &["3"]), DEEPER, REDUCE, QUIET, OWN],
    },
    Family {
        agent: "opps",
        fits: |place| place.players > 2 && !place.hides,
        starts: &[""],
        settings: &[("opponents", &["0", "2"]), ("best", &["10"]), ("others", &["2"]), DEEPER, REDUCE, OWN],
    },
    Family {
        agent: "maxn",
        fits: |place| place.players > 2 && !place.hides,
        starts: &["", "pruning=shallow"],
        settings: &[("ties", &["cautious", "average"]), ("score", &["difference", "relative"]), WIDTH],
    },
    Family {
        agent: "ubfm",
        fits: |place| !place.hides,
        starts: &["", "policy=paranoid"],
        settings: &[("epsilon", &["0.05", "0.2"])],
    },
    Family {
        agent: "mcts",
        fits: |place| !place.hides,
        starts: &["", "cutoff=4", "playout=random"],
        settings: &[
            ("c", &["0.1", "0.5", "1"]),
            ("w", &["0", "20"]),
            ("implicit", &["0.2", "0.4"]),
            ("reward", &["rank", "lead"]),
            ("policy", &["paranoid"]),
            ("choose", &["visits"]),
        ],
    },
    Family {
        agent: "worlds",
        fits: |place| place.hides,
        starts: &["", "agent=(paranoid)", "agent=(brs+)", "agent=(mcts)"],
        settings: &[("n", &["5", "10", "40"])],
    },
    Family {
        agent: "ismcts",
        fits: |place| place.hides,
        starts: &["", "cutoff=4", "playout=random"],
        settings: &[("c", &["0.1", "0.5", "1"]), ("w", &["0", "20"]), ("reward", &["rank", "lead"])],
    },
];

/// A candidate that cannot play, and why.
pub type Refused = (String, Error);

impl Tuning {
    /// A tuning of one thread that reports no progress. What is asked for is checked, except for the candidates.
    pub fn new(
        registry: &Registry,
        game: NamedGame,
        players: usize,
        budget: Budget,
        asked: Asked,
    ) -> Result<Tuning, Error> {
        asked.check()?;
        let read = |text: &String| Openings::read(text, Path::new(""), registry, &game, players);
        let openings = match &asked.openings {
            Some(text) => Some(read(text)?),
            None => usual_openings(&game, players)?,
        };
        Ok(Tuning { game, players, budget, asked, openings, threads: 1, progress: |_, _| () })
    }

    /// The candidates of the first match. `note` receives which others are left out, and why.
    pub fn field(&self, mut note: impl FnMut(&str)) -> Result<Vec<NamedAgent>, Error> {
        let field = match &self.asked.candidates {
            Some(texts) => self.named(texts)?,
            None => noted(self.families()?, &mut note),
        };
        if field.len() < 2 {
            let message = format!("there are {} different candidates to choose from", field.len());
            return Err(Error::usage(message).help("write two or more, such as --candidates \"brs brs+ mcts\""));
        }
        Ok(field)
    }

    /// The candidates of these texts, each once.
    fn named(&self, texts: &str) -> Result<Vec<NamedAgent>, Error> {
        let mut field: Vec<NamedAgent> = Vec::new();
        for agent in self.game.agent_list_within(texts, self.players, &self.budget)? {
            let agent = self.candidate(&agent.to_string()).map_err(|error| error.within(&agent))?;
            if !field.contains(&agent) {
                field.push(agent);
            }
        }
        Ok(field)
    }

    /// Plays everything, from the first match of a [`field`](Tuning::field) to the last.
    ///
    /// `play` is given each match with its name in a file of games and, for the last, the distance that matters to its sequential test;
    /// its error ends the tuning. `note` receives the standings, and which candidates are left out.
    pub fn run<E: From<Error>>(
        &self,
        field: Vec<NamedAgent>,
        play: impl FnMut(&str, &Match, Option<f64>) -> Result<Played, E>,
        note: impl FnMut(&str),
    ) -> Result<Found, E> {
        let mut ladder = Ladder { tuning: self, play, note, rungs: Vec::new() };
        let mut ranked = ladder.halve(Pass::Families, field)?;
        if self.asked.candidates.is_none() {
            let variants = noted(self.variants(&ranked)?, &mut ladder.note);
            ranked = ladder.halve(Pass::Settings, variants)?;
        }
        let opponent = self.opponent(&ranked[0], &ranked[1])?;
        let (name, last) = self.last(&ranked[0], &opponent);
        let Played { tally, verdict } = (ladder.play)(&name, &last, Some(self.asked.sprt))?;
        let first = match verdict {
            Some(Verdict::First) => Some(&last.agents[0]),
            Some(Verdict::Second) => Some(&last.agents[1]),
            Some(Verdict::Equal) | None => None,
        };
        ladder.add(name, &tally, first);
        Ok(Found {
            game: self.game.to_string(),
            players: self.players,
            budget: self.budget.to_string(),
            winner: ranked[0].to_string(),
            verdict: verdict_text(verdict, &last.settings()),
            entry: self.entry(&tally, &last.agents, verdict, &self.source()),
            matches: ladder.rungs,
        })
    }

    /// The command that finds the same again.
    fn source(&self) -> String {
        let Asked { candidates, games, last, sprt, openings, seed } = &self.asked;
        let mut words = vec!["nply tune".to_string(), quoted(&self.game.to_string())];
        words.push(format!("--players {}", self.players));
        let Budget { nodes, time, .. } = &self.budget;
        words.extend(nodes.map(|nodes| format!("--nodes {}", quantity::count_text(nodes))));
        words.extend(time.map(|time| format!("--time {}", quantity::time_text(time))));
        words.extend(candidates.as_ref().map(|texts| format!("--candidates {}", quoted(texts))));
        words.push(format!("--games {games} --last {last} --sprt {sprt}"));
        words.extend(openings.as_ref().map(|text| format!("--openings {}", quoted(text))));
        words.push(format!("--seed {seed}"));
        words.join(" ")
    }

    /// The candidates of the first pass: the families that fit, with every evaluation that the game has, and what is called
    /// best now. Those that cannot play are left out.
    pub fn families(&self) -> Result<(Vec<NamedAgent>, Vec<Refused>), Error> {
        let place = self.place()?;
        let mut texts = vec!["best".to_string()];
        for family in FAMILIES.iter().filter(|family| (family.fits)(&place)) {
            for start in family.starts {
                let spec = with(&Spec::parse(family.agent)?, start)?;
                texts.push(spec.to_string());
                let others = self.game.info().evaluations.iter().skip(1);
                texts.extend(others.filter_map(|(name, _)| Some(self.evaluating(&spec, name)?.to_string())));
            }
        }
        Ok(self.candidates(&texts))
    }

    /// The candidates of the second pass: these agents, which were left in the first, and the same with one or two settings changed.
    pub fn variants(&self, left: &[NamedAgent]) -> Result<(Vec<NamedAgent>, Vec<Refused>), Error> {
        let mut texts: Vec<String> = left.iter().map(NamedAgent::to_string).collect();
        for spec in left.iter().map(NamedAgent::spec) {
            let family = FAMILIES.iter().find(|family| family.agent == spec.name);
            // A setting that it has already stays.
            let is_open = |key: &str| spec.pairs.iter().all(|(own, _)| own != key);
            let settings = family.map_or(&[][..], |family| family.settings).iter().filter(|(key, _)| is_open(key));
            let changes = settings.flat_map(|(key, values)| values.iter().map(move |value| (*key, value)));
            let changes: Vec<(&str, String)> = changes.map(|(key, value)| (key, format!("{key}={value}"))).collect();
            for (index, (key, one)) in changes.iter().enumerate() {
                texts.push(with(&spec, one)?.to_string());
                for (_, other) in changes[index + 1..].iter().filter(|(second, _)| second != key) {
                    texts.push(with(&with(&spec, one)?, other)?.to_string());
                }
            }
        }
        Ok(self.candidates(&texts))
    }

    /// The agents of these texts, each once, without those that cannot play.
    fn candidates(&self, texts: &[String]) -> (Vec<NamedAgent>, Vec<Refused>) {
        let (mut found, mut refused, mut names) = (Vec::new(), Vec::new(), HashSet::new());
        for text in texts {
            match self.candidate(text) {
                Ok(agent) => found.extend(Some(agent).filter(|agent| names.insert(agent.to_string()))),
                Err(error) => refused.push((text.clone(), error)),
            }
        }
        (found, refused)
    }

    /// An agent that can play.
    pub fn candidate(&self, text: &str) -> Result<NamedAgent, Error> {
        let agent = self.game.agent_within(text, self.players, &self.budget)?;
        agent.check_budget(&self.budget)?;
        let request = Request {
            players: Some(self.players),
            programs: true,
            progress: self.progress,
            seed: self.asked.seed,
            ..Request::default()
        };
        self.game.open(&request)?.try_agents(&[&agent])?;
        Ok(agent)
    }

    /// The same agent with another evaluation, inside if that is where positions are evaluated; `None` if it has none.
    fn evaluating(&self, spec: &Spec, evaluation: &str) -> Option<Spec> {
        let infos = self.game.agents();
        let info = infos.iter().find(|info| info.name == spec.name)?;
        if info.settings.iter().any(|setting| setting.domain == Domain::Evaluation) {
            return with(spec, &format!("eval={evaluation}")).ok();
        }
        let inside = info.settings.iter().find(|setting| setting.domain == Domain::Agent)?;
        let mut spec = spec.clone();
        let at = spec.pairs.iter().position(|(key, _)| key == inside.key);
        let inner = at.map_or_else(|| inside.value.clone(), |at| Some(spec.pairs[at].1.clone()))?;
        let inner = self.evaluating(&Spec::parse(&inner).ok()?, evaluation)?.to_string();
        match at {
            Some(at) => spec.pairs[at].1 = inner,
            None => spec.pairs.push((inside.key.into(), inner)),
        }
        Some(spec)
    }

    fn place(&self) -> Result<Place, Error> {
        let mut session = self.game.open(&Request { players: Some(self.players), ..Request::default() })?;
        // What is hidden is dealt anew for each look.
        let first = session.view();
        let hides = (0..4).any(|_| session.view() != first);
        Ok(Place { players: self.players, is_out_of_turn: self.game.info().is_out_of_turn, hides })
    }

    /// A match of a pass, from 1, with its name in a file of games.
    pub fn rung(&self, pass: Pass, number: u32, field: &[NamedAgent]) -> (String, Match) {
        let each = self.asked.games.saturating_mul(1 << (number - 1).min(40));
        let seats = (field.len() as u64).saturating_mul(each);
        let seed = self.asked.seed.wrapping_add(pass.seed() + u64::from(number));
        let mut rung = self.match_of(field.to_vec(), seats.div_ceil(self.players as u64), seed);
        // Whole blocks of a sample, in which everybody sits on every seat.
        if rung.is_sampled() {
            rung.games = rung.games.checked_next_multiple_of(rung.round_length()).unwrap_or(rung.games);
        }
        (self.name(&format!("{}-{number}", pass.name())), rung)
    }

    /// The better half of a field, the strongest first. Of equals the earlier counts as stronger.
    pub fn better_half(&self, field: &[NamedAgent], tally: &Tally) -> Vec<NamedAgent> {
        let ranked = self.ranked(field, tally);
        ranked.into_iter().take(field.len().div_ceil(2)).map(|(agent, _)| agent.clone()).collect()
    }

    /// A field with its points per seat, the strongest first.
    pub fn ranked<'a>(&self, field: &'a [NamedAgent], tally: &Tally) -> Vec<(&'a NamedAgent, f64)> {
        let rows = tally.rows();
        let mean = |agent: usize| {
            let seats: u64 = rows[agent].seats.iter().map(|(games, _)| games).sum();
            if seats == 0 { 0.0 } else { rows[agent].points / seats as f64 }
        };
        let mut ranked: Vec<(&NamedAgent, f64)> =
            field.iter().enumerate().map(|(index, agent)| (agent, mean(index))).collect();
        ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        ranked
    }

    /// Whom the winner meets in the last match: what is called best now. If it is that itself, then what `best` would be in a game
    /// without an entry, and if it is that too, the second.
    pub fn opponent(&self, winner: &NamedAgent, second: &NamedAgent) -> Result<NamedAgent, Error> {
        let best = self.candidate("best")?;
        if best != *winner {
            return Ok(best);
        }
        let place = self.place()?;
        let usual = crate::registry::best_defaults(self.game.info(), self.players, place.hides);
        let usual = usual.into_iter().find_map(|text| self.candidate(text).ok());
        Ok(usual.filter(|usual| usual != winner).unwrap_or_else(|| second.clone()))
    }

    /// The last match, with its name in a file of games.
    pub fn last(&self, winner: &NamedAgent, opponent: &NamedAgent) -> (String, Match) {
        let agents = vec![winner.clone(), opponent.clone()];
        let last = self.match_of(agents, self.asked.last, self.asked.seed.wrapping_add(LAST_SEED));
        (self.name("last"), Match { sampled: Some(false), ..last })
    }

    /// What the last match of two agents says, as an entry of the table: the second, which is called best now, stays unless the first
    /// is shown to be stronger. If the first is called best now, it is the other way round.
    pub fn entry(&self, tally: &Tally, agents: &[NamedAgent], verdict: Option<Verdict>, source: &str) -> BestEntry {
        let is_best = self.candidate("best").is_ok_and(|best| best == agents[0]);
        let index = match verdict {
            Some(Verdict::First) => 0,
            Some(Verdict::Second) => 1,
            Some(Verdict::Equal) | None => usize::from(!is_best),
        };
        let shown = match verdict {
            Some(Verdict::First | Verdict::Second) => Shown::Stronger,
            Some(Verdict::Equal) => Shown::Equal,
            None => Shown::Undecided,
        };
        let rate = tally.rate(index);
        BestEntry {
            // It was shown with these options and no others.
            game: self.game.whole_spec().to_string(),
            players: vec![self.players],
            budget: self.budget.to_string(),
            agent: agents[index].to_string(),
            shown,
            against: Some(agents[1 - index].to_string()),
            games: Some(tally.games()),
            rate: Some([rate.value, rate.low, rate.high].map(|part| (1000.0 * part).round() / 10.0)),
            source: source.into(),
        }
    }

    /// The name of a match in a file of games.
    fn name(&self, what: &str) -> String {
        let whole = format!("{}-{}-{}-{what}", self.game, self.players, self.budget);
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        format!("tune-{}", whole.chars().map(plain).collect::<String>())
    }

    fn match_of(&self, agents: Vec<NamedAgent>, games: u64, seed: u64) -> Match {
        Match {
            game: self.game.clone(),
            players: self.players,
            agents,
            games: games.max(1),
            budget: self.budget.clone(),
            terms: Terms::default(),
            openings: self.openings.clone(),
            seating: Seating::All,
            schedule: Schedule::All,
            sampled: None,
            seed,
            threads: self.threads,
            progress: self.progress,
        }
    }
}

/// The matches of a tuning under way.
struct Ladder<'a, P, N> {
    tuning: &'a Tuning,
    play: P,
    note: N,
    rungs: Vec<Rung>,
}

impl<P, N: FnMut(&str)> Ladder<'_, P, N> {
    /// Halves a field until one is left, which comes first, and the one that it met last after it.
    fn halve<E>(&mut self, pass: Pass, mut field: Vec<NamedAgent>) -> Result<Vec<NamedAgent>, E>
    where
        P: FnMut(&str, &Match, Option<f64>) -> Result<Played, E>,
    {
        for number in 1.. {
            let (name, rung) = self.tuning.rung(pass, number, &field);
            let Played { tally, .. } = (self.play)(&name, &rung, None)?;
            let ranked = self.tuning.ranked(&field, &tally);
            for (place, (agent, mean)) in ranked.iter().enumerate().take(SHOWN) {
                (self.note)(&format!("  {:>2}. {:.3} points a seat  {agent}", place + 1, mean));
            }
            self.add(name, &tally, Some(ranked[0].0));
            if field.len() <= 2 {
                return Ok(ranked.into_iter().map(|(agent, _)| agent.clone()).collect());
            }
            field = self.tuning.better_half(&field, &tally);
        }
        unreachable!("a field that is halved comes to two")
    }

    fn add(&mut self, name: String, tally: &Tally, first: Option<&NamedAgent>) {
        let (agents, games) = (tally.settings().agents.len(), tally.games());
        self.rungs.push(Rung { name, agents, games, first: first.map(NamedAgent::to_string) });
    }
}

/// The candidates that can play; of the others there is a note.
fn noted((field, refused): (Vec<NamedAgent>, Vec<Refused>), note: &mut impl FnMut(&str)) -> Vec<NamedAgent> {
    refused.iter().for_each(|(text, error)| note(&format!("note: {text} is left out: {}", error.message)));
    field
}

/// A word quoted for a shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A name with a setting more; an empty text adds nothing.
fn with(spec: &Spec, setting: &str) -> Result<Spec, Error> {
    let mut spec = spec.clone();
    if !setting.is_empty() {
        spec.pairs.extend(Spec::parse(&format!("x:{setting}"))?.pairs);
    }
    Ok(spec)
}

/// The budget of a decision if nobody asks for another.
pub fn usual_budget() -> Budget {
    Budget::nodes(10_000)
}

/// Openings that are as good as any for a game: random moves, two for each player and six at least, or fewer where games are short;
/// none where the start is dealt at random.
fn usual_openings(game: &NamedGame, players: usize) -> Result<Option<Openings>, Error> {
    if crate::openings::is_dealt(game, players)? {
        return Ok(None);
    }
    let works = |openings: &Openings| (0..3).all(|round| openings.get(game, players, round, round).is_ok());
    let plies = [(2 * players).max(6), players, 1];
    Ok(plies.into_iter().map(Openings::Random).find(works))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::registry::Registry;

    fn tuning(game: &str, players: usize, budget: Budget) -> Tuning {
        let registry = Registry::standard();
        let game = registry.find(game).unwrap();
        let asked = Asked { games: 6, last: 40, ..Asked::default() };
        Tuning { threads: 2, ..Tuning::new(&registry, game, players, budget, asked).unwrap() }
    }

    fn names(agents: &[NamedAgent]) -> Vec<String> {
        agents.iter().map(NamedAgent::to_string).collect()
    }

    #[test]
    fn everything_in_the_search_space_can_be_named_somewhere() {
        let registry = Registry::standard();
        let games: Vec<(NamedGame, usize)> =
            [("rolit", 2), ("rolit", 3)].map(|(name, players)| (registry.find(name).unwrap(), players)).into();
        for family in FAMILIES {
            let settings = family.settings.iter();
            let changes = settings.flat_map(|(key, values)| values.iter().map(move |value| format!("{key}={value}")));
            for change in family.starts.iter().map(ToString::to_string).chain(changes) {
                let text = with(&Spec::parse(family.agent).unwrap(), &change).unwrap().to_string();
                let named = games.iter().filter_map(|(game, players)| game.agent(&text, *players).ok());
                let named: Vec<NamedAgent> = named.collect();
                // Each is something else than the default.
                assert!(!named.is_empty() && (change.is_empty() || named[0].to_string() != family.agent), "{text}");
            }
        }
    }

    #[test]
    fn candidates_fit_the_game_and_are_there_once() {
        let (found, refused) = tuning("othello", 2, Budget::nodes(100)).families().unwrap();
        let texts = names(&found);
        assert_eq!(texts[0], "alphabeta:eval=regression");
        assert!(texts.contains(&"alphabeta".into()) && texts.contains(&"mcts:cutoff=4,eval=discs".into()), "{texts:?}");
        assert!(!texts.iter().any(|text| text.starts_with("brs")), "{texts:?}");
        assert_eq!(texts.iter().collect::<HashSet<_>>().len(), texts.len());
        assert!(refused.is_empty(), "{refused:?}");
        // Patterns are for the full board.
        let (found, refused) = tuning("othello:size=4", 2, Budget::nodes(100)).families().unwrap();
        assert!(
            names(&found)[0] == "alphabeta" && refused.iter().all(|(text, _)| text.contains("eval=")),
            "{refused:?}"
        );
        let hidden = names(&tuning("hearts:hidden=yes", 3, Budget::nodes(100)).families().unwrap().0);
        assert!(hidden.iter().all(|text| text.starts_with("worlds") || text.starts_with("ismcts")), "{hidden:?}");
        // The limit means nothing to a tree search.
        let playouts = names(&tuning("connect-four", 2, Budget::playouts(9)).families().unwrap().0);
        assert!(playouts.iter().all(|text| text.starts_with("mcts")), "{playouts:?}");
    }

    #[test]
    fn variants_change_one_or_two_settings_and_keep_those_of_the_winner() {
        let tuning = tuning("connect-four", 2, Budget::nodes(100));
        let winner = tuning.candidate("alphabeta:reduce=yes,eval=lines").unwrap();
        let second = tuning.candidate("greedy").unwrap();
        let mut texts = names(&tuning.variants(&[winner.clone(), second]).unwrap().0);
        assert_eq!((texts.remove(1), &texts[0]), ("greedy".to_string(), &winner.to_string()));
        assert!(texts.iter().all(|text| text.contains("reduce=yes")), "{texts:?}");
        let changes = |text: &String| text.matches('=').count() - winner.to_string().matches('=').count();
        assert!(texts[1..].iter().all(|text| (1..=2).contains(&changes(text))), "{texts:?}");
        assert!(texts.iter().any(|text| text.contains("deeper=yes") && text.contains("score=own")), "{texts:?}");
    }

    #[test]
    fn games_double_as_the_field_halves_and_no_two_matches_share_a_seed() {
        let tuning = tuning("connect-four", 3, Budget::nodes(50));
        let field: Vec<NamedAgent> =
            ["maxn", "paranoid", "brs", "mcts", "greedy"].iter().map(|text| tuning.candidate(text).unwrap()).collect();
        let (first_name, first) = tuning.rung(Pass::Families, 1, &field);
        let (_, second) = tuning.rung(Pass::Families, 2, &field[..3]);
        let (last_name, last) = tuning.last(&field[0], &field[1]);
        let seats = |game: &Match| game.total() * 3 / game.agents.len() as u64;
        assert!(seats(&first) >= 6 && seats(&second) >= 12, "{} {}", first.total(), second.total());
        assert_eq!(last.total(), 42);
        assert_eq!(first_name, "tune-connect-four-3-nodes-50-families-1");
        assert_eq!(last_name, "tune-connect-four-3-nodes-50-last");
        let seeds = [first.seed, second.seed, tuning.rung(Pass::Settings, 1, &field).1.seed, last.seed];
        assert_eq!(seeds.iter().collect::<HashSet<_>>().len(), 4);
    }

    #[test]
    fn the_better_half_stays_and_an_entry_is_of_the_stronger() {
        let tuning = Tuning { openings: None, ..tuning("connect-four:columns=4,rows=4,line=3", 2, Budget::nodes(200)) };
        let field: Vec<NamedAgent> =
            ["random", "alphabeta", "greedy"].iter().map(|text| tuning.candidate(text).unwrap()).collect();
        let registry = Registry::standard();
        let play = |game: &Match| {
            let games = game.run(&Arc::default(), |_| ()).unwrap();
            Tally::of(&registry, &game.settings(), &games)
        };
        let (_, rung) = tuning.rung(Pass::Families, 1, &field);
        let half = tuning.better_half(&field, &play(&rung));
        assert_eq!((half.len(), half[0].to_string().as_str()), (2, "alphabeta"));
        let (_, last) = tuning.last(&field[0], &field[1]);
        let tally = play(&last);
        let entry = tuning.entry(&tally, &last.agents, Some(Verdict::Second), "a test");
        assert_eq!((entry.agent.as_str(), entry.against.as_deref()), ("alphabeta", Some("random")));
        let [rate, low, high] = entry.rate.unwrap();
        assert!(low <= rate && rate <= high && rate > 50.0, "{entry:?}");
        // Undecided, what is called best stays.
        assert_eq!(tuning.entry(&tally, &last.agents, None, "").agent, "alphabeta");
        assert_eq!(tuning.opponent(&field[0], &field[1]).unwrap().to_string(), "alphabeta");
        assert_eq!(tuning.opponent(&field[1], &field[0]).unwrap().to_string(), "random");
    }

    #[test]
    fn matches_are_played_as_somebody_says_until_one_fails() {
        let asked =
            Asked { candidates: Some("random alphabeta greedy".into()), games: 6, last: 40, ..Asked::default() };
        let game = "connect-four:columns=4,rows=4,line=3";
        let tuning = Tuning { asked, ..tuning(game, 2, Budget::nodes(200)) };
        let (registry, field) = (Registry::standard(), tuning.field(|_| ()).unwrap());
        let (mut played, mut notes) = (Vec::new(), Vec::new());
        let play = |name: &str, game: &Match, sprt: Option<f64>| -> Result<Played, Error> {
            played.push((name.to_string(), sprt));
            let tally = Tally::of(&registry, &game.settings(), &game.run(&Arc::default(), |_| ())?);
            Ok(Played { tally, verdict: sprt.map(|_| Verdict::First) })
        };
        let found = tuning.run(field.clone(), play, |text| notes.push(text.to_string())).unwrap();
        assert_eq!((found.winner.as_str(), notes.len()), ("alphabeta", 3 + 2));
        assert_eq!(found.matches.iter().map(|rung| rung.agents).collect::<Vec<_>>(), [3, 2, 2]);
        assert!(found.matches.iter().map(|rung| &rung.name).eq(played.iter().map(|(name, _)| name)));
        assert_eq!(played.iter().map(|(_, sprt)| *sprt).collect::<Vec<_>>(), [None, None, Some(0.05)]);
        assert_eq!(found.verdict, "alphabeta is stronger");
        assert!(found.to_string().ends_with(&found.entry.to_toml()), "{found}");
        assert!(found.entry.source.contains("--candidates 'random alphabeta greedy' --games 6"), "{found}");
        let failing = |_: &str, _: &Match, _| Err(Error::failed("no more"));
        assert_eq!(tuning.run(field, failing, |_| ()).unwrap_err().message, "no more");
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        let usual = Asked::default;
        for (asked, message) in [
            (Asked { games: 0, ..usual() }, "games=0 is not in 1..=1000000"),
            (Asked { last: 1 << 40, ..usual() }, "last=1099511627776 is not in 1..=1000000000"),
            (Asked { sprt: 0.5, ..usual() }, "0.5 is no difference that a sequential test can look for"),
            (Asked { openings: Some("random:0".into()), ..usual() }, "random:0"),
        ] {
            let registry = Registry::standard();
            let game = registry.find("connect-four").unwrap();
            let error = Tuning::new(&registry, game, 2, usual_budget(), asked).err().unwrap();
            assert!(error.message.contains(message) && error.code.is_usage(), "{error}");
        }
    }
}
