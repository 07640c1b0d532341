//! The running tally of a match, from which tables, plots and the live line derive: [`Tally`].
//!
//! It is fed one game at a time and keeps sums, so that no number of games fills the memory. What grows with the games is a hash
//! of 64 bits for each distinct one: two of 400,000 games are taken for one with a probability of 4 in a billion.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use super::distance::Distances;
use super::interval::{Estimate, Ratio};
use super::measure::limits_of;
use super::rating::difference;
use super::series::{ByMove, MovesNeeded, Needed, Progress, Series, needed};
use crate::record::{Ending, GameRecord};
use crate::registry::Registry;
use crate::store::MatchSettings;

/// The largest number of marks that can be distinguished in one plot; of more games, the first are kept for it.
const MARKS: usize = 200;

/// The least time by which a decision must exceed its budget to count as an overrun, unless a twentieth of the budget is more: what
/// takes less is the system's clock and scheduling, and no fault of the agent.
const OVERRUN: Duration = Duration::from_millis(5);

/// The games of a match, added up: fed one game at a time, in the order of their numbers.
#[derive(Clone)]
pub struct Tally {
    settings: MatchSettings,
    /// Number of games in a round.
    seatings: u64,
    /// The plies after which a game is drawn.
    limit: Option<usize>,
    distances: Option<Distances>,
    games: u64,
    distinct: Distinct,
    agents: Vec<AgentTally>,
    /// For each pair of agents, the first index smaller: how often a seat of the one finishes ahead of one of the other.
    pairs: BTreeMap<(usize, usize), Ratio>,
    seats: Vec<Ratio>,
    /// Number of games of each length.
    lengths: BTreeMap<usize, u64>,
    draws: u64,
    cut_off: u64,
    adjudicated: u64,
    forfeits: u64,
}

/// What is added up for one agent.
#[derive(Clone, Default)]
struct AgentTally {
    /// Its time budget.
    limit: Option<Duration>,
    points: Ratio,
    rank: Ratio,
    forfeits: u64,
    out_of_time: u64,
    /// The number of the first game that it forfeited, and why.
    first_forfeit: Option<(u64, String)>,
    seats: Vec<(u64, f64)>,
    moves: u64,
    depth: Ratio,
    standard: u64,
    nodes: u64,
    playouts: u64,
    time: Duration,
    over: Duration,
    overruns: u64,
    won: u64,
    won_moves: u64,
    raw: (f64, u64),
    left: (f64, u64),
    depths: ByMove,
    times: ByMove,
    progress: Progress,
    needed: Needed,
    marks: Vec<MovesNeeded>,
}

/// The results of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number of games in which it took part.
    pub games: u64,
    /// Games that it forfeited, on time or otherwise.
    pub forfeits: u64,
    /// Games that it forfeited on time.
    pub out_of_time: u64,
    /// Sum of its shares of wins over its seats.
    pub points: f64,
    /// Points per game, with the interval.
    pub rate: Estimate,
    /// Mean rank of its seats, from 1, ties averaged; `None` without games.
    pub rank: Option<Estimate>,
    /// For each seat: number of games there, and points made there.
    pub seats: Vec<(u64, f64)>,
    /// Number of decisions.
    pub moves: u64,
    /// Mean depth of the last completed iteration; `None` without decisions.
    pub depth: Option<Estimate>,
    /// The same in plies of the game, which differs for Best-Reply Search.
    pub standard: f64,
    /// Mean nodes of a decision.
    pub nodes: f64,
    /// Mean playouts of a decision; `None` for an agent that makes none.
    pub playouts: Option<f64>,
    /// Mean time of a decision.
    pub time: Duration,
    /// The longest time by which a decision exceeded its budget.
    pub over: Duration,
    /// Number of decisions that exceeded the time budget by 5 ms or 5 %, whichever is more; `None` if it has none.
    pub overruns: Option<u64>,
    /// Mean number of its moves in games that it won alone, forfeits excluded.
    pub moves_to_win: Option<f64>,
    /// Mean of the moves it would still have needed at the end, 0 where it won; where the game knows.
    pub moves_from_winning: Option<f64>,
    /// Mean of its raw points, where the game counts them.
    pub raw: Option<f64>,
}

impl Tally {
    /// A tally without games.
    pub fn new(registry: &Registry, settings: &MatchSettings) -> Tally {
        let agent = |agent: usize| AgentTally {
            limit: limits_of(agent, settings).and_then(|budget| budget.time),
            seats: vec![(0, 0.0); settings.players],
            ..AgentTally::default()
        };
        Tally {
            seatings: settings.round_length(),
            limit: ply_limit(registry, settings),
            distances: Distances::of(registry, settings),
            games: 0,
            distinct: Distinct::default(),
            agents: (0..settings.agents.len()).map(agent).collect(),
            pairs: BTreeMap::new(),
            seats: vec![Ratio::default(); settings.players],
            lengths: BTreeMap::new(),
            draws: 0,
            cut_off: 0,
            adjudicated: 0,
            forfeits: 0,
            settings: settings.clone(),
        }
    }

    /// The tally of these games.
    pub fn of(registry: &Registry, settings: &MatchSettings, games: &[GameRecord]) -> Tally {
        let mut tally = Tally::new(registry, settings);
        games.iter().for_each(|record| tally.add(record));
        tally
    }

    /// Adds a game whose number is greater than those of all before it.
    pub fn add(&mut self, record: &GameRecord) {
        let round = record.number / self.seatings;
        self.games += 1;
        self.distinct.add(record);
        *self.lengths.entry(record.moves.len()).or_default() += 1;
        self.draws += u64::from(is_draw(record));
        self.cut_off += u64::from(self.limit.is_some_and(|limit| cut_off(record, limit)));
        self.adjudicated += u64::from(matches!(record.ending, Ending::Adjudicated(_)));
        self.forfeits += u64::from(record.ending.forfeit().is_some());
        for (seat, &share) in self.seats.iter_mut().zip(&record.payoff) {
            seat.add(round, share.into(), 1.0);
        }
        let ranks = ranks(record);
        let approach = self.distances.as_ref().and_then(|distances| distances.approach(record));
        let most = (MARKS / self.agents.len().max(1)).max(20) as u64;
        for (agent, tally) in self.agents.iter_mut().enumerate().filter(|(agent, _)| record.seating.contains(agent)) {
            tally.add(agent, round, record, &ranks);
            if let Some(approach) = &approach {
                let left: f64 = record.seats_of(agent).map(|seat| approach.left[seat]).sum();
                tally.left = (tally.left.0 + left, tally.left.1 + record.seats_of(agent).count() as u64);
                let courses: Vec<&[f64]> = record.seats_of(agent).map(|seat| &approach.course[seat][..]).collect();
                tally.progress.add(round, &courses);
            }
            let left = approach.as_ref().map(|approach| &approach.left[..]);
            if let Some(needed) = needed(agent, record, self.distances.is_some(), left) {
                tally.needed.add(round, needed);
                if self.games <= most {
                    tally.marks.push(needed);
                }
            }
        }
        for one in 0..self.agents.len() {
            for other in one + 1..self.agents.len() {
                if let Some(share) = ahead(record, &ranks, one, other) {
                    self.pairs.entry((one, other)).or_default().add(round, share, 1.0);
                }
            }
        }
    }

    /// The settings of the match.
    pub fn settings(&self) -> &MatchSettings {
        &self.settings
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of games that differ in their seating, their start or a move.
    pub fn distinct(&self) -> u64 {
        self.distinct.count()
    }

    /// How many different games would show as much as so many of these, if they repeat each other as all do.
    fn distinct_of(&self, games: u64) -> u64 {
        (u128::from(games) * u128::from(self.distinct.effective())).div_ceil(u128::from(self.games.max(1))) as u64
    }

    fn rated(&self, ratio: &Ratio) -> Option<Estimate> {
        ratio.estimate(self.distinct_of(ratio.games()), true)
    }

    fn mean(&self, ratio: &Ratio) -> Option<Estimate> {
        ratio.estimate(self.distinct_of(ratio.games()), false)
    }

    /// An agent's points per game; of no games, 0 of anything.
    pub fn rate(&self, agent: usize) -> Estimate {
        self.rated(&self.agents[agent].points).unwrap_or(Estimate { value: 0.0, low: 0.0, high: 1.0, games: 0 })
    }

    /// One row for each agent, in their order.
    pub fn rows(&self) -> Vec<Row> {
        let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
        let row = |(agent, tally): (usize, &AgentTally)| {
            let moves = tally.moves.max(1) as f64;
            Row {
                games: tally.points.games(),
                forfeits: tally.forfeits,
                out_of_time: tally.out_of_time,
                points: tally.points.sum(),
                rate: self.rate(agent),
                rank: self.mean(&tally.rank),
                seats: tally.seats.clone(),
                moves: tally.moves,
                depth: self.mean(&tally.depth),
                standard: tally.standard as f64 / moves,
                nodes: tally.nodes as f64 / moves,
                playouts: (tally.playouts > 0).then(|| tally.playouts as f64 / moves),
                time: tally.time.div_f64(moves),
                over: tally.over,
                overruns: tally.limit.map(|_| tally.overruns),
                moves_to_win: mean(tally.won_moves as f64, tally.won),
                moves_from_winning: mean(tally.left.0, tally.left.1),
                raw: mean(tally.raw.0, tally.raw.1),
            }
        };
        self.agents.iter().enumerate().map(row).collect()
    }

    /// How often one agent finishes ahead of another in the games in which both take part, a tie counting half; `None` if they
    /// did not meet. Where an agent has several seats, each of them is compared with each of the other's.
    pub fn ahead(&self, one: usize, other: usize) -> Option<Estimate> {
        if one > other {
            let Estimate { value, low, high, games } = self.ahead(other, one)?;
            return Some(Estimate { value: 1.0 - value, low: 1.0 - high, high: 1.0 - low, games });
        }
        self.rated(self.pairs.get(&(one, other))?)
    }

    /// By how much an agent's rating exceeds that of the first agent; `None` for the first, and if they did not meet.
    pub fn rating(&self, agent: usize) -> Option<Estimate> {
        Some(difference(self.ahead(agent, 0)?))
    }

    /// Totals over all games.
    pub fn totals(&self) -> Totals {
        let plies: u64 = self.lengths.iter().map(|(&length, &games)| length as u64 * games).sum();
        let of_seat = |seat: &Ratio| (seat.sum(), self.rated(seat));
        Totals {
            games: self.games,
            distinct: self.distinct(),
            plies: (
                plies as f64 / self.games.max(1) as f64,
                self.lengths.first_key_value().map_or(0, |(&length, _)| length),
                self.lengths.last_key_value().map_or(0, |(&length, _)| length),
            ),
            draws: self.draws,
            cut_off: self.cut_off,
            adjudicated: self.adjudicated,
            forfeits: self.forfeits,
            seats: self.seats.iter().map(of_seat).collect(),
        }
    }

    /// Number of games of each length.
    pub fn lengths(&self) -> &BTreeMap<usize, u64> {
        &self.lengths
    }

    /// The first game that an agent forfeited, and why.
    pub fn first_forfeit(&self, agent: usize) -> Option<(u64, &str)> {
        self.agents[agent].first_forfeit.as_ref().map(|(number, reason)| (*number, reason.as_str()))
    }

    fn series<'a>(&'a self, by_move: impl Fn(&'a AgentTally) -> &'a ByMove) -> Series {
        let distinct = |games| self.distinct_of(games);
        let lines = self.agents.iter().map(|tally| by_move(tally).line(&distinct));
        self.settings.labels().into_iter().zip(lines).collect()
    }

    /// Mean depth of each agent's first moves, second moves, and so on, while a quarter of its games last.
    pub fn depths(&self) -> Series {
        self.series(|tally| &tally.depths)
    }

    /// The same of the time in milliseconds; `None` if no game has the times of single moves.
    pub fn times(&self) -> Option<Series> {
        let is_known = self.agents.iter().any(|tally| !tally.times.is_empty());
        is_known.then(|| self.series(|tally| &tally.times))
    }

    /// Each agent's mean distance from winning after so many of its own moves, in games that know it. A game that has ended
    /// stays as it ended.
    pub fn progress(&self) -> Option<Series> {
        self.distances.as_ref()?;
        let distinct = |games| self.distinct_of(games);
        let lines = self.agents.iter().map(|tally| tally.progress.line(&distinct));
        Some(self.settings.labels().into_iter().zip(lines).collect())
    }

    /// Whether the game knows the distance from winning.
    pub fn knows_distances(&self) -> bool {
        self.distances.is_some()
    }

    /// Means of the moves that an agent made and still needed, and the interval of their sum, in games that one player won;
    /// without distances, only in those that the agent won.
    pub fn moves_needed(&self, agent: usize) -> (f64, f64, Option<(f64, f64)>) {
        self.agents[agent].needed.means(&|games| self.distinct_of(games))
    }

    /// The same for each of the first games.
    pub fn marks(&self, agent: usize) -> &[MovesNeeded] {
        &self.agents[agent].marks
    }

    /// Number of games that [`marks`](Tally::marks) are of.
    pub fn marked(&self) -> u64 {
        self.games.min((MARKS / self.agents.len().max(1)).max(20) as u64)
    }
}

impl AgentTally {
    fn add(&mut self, agent: usize, round: u64, record: &GameRecord, ranks: &[f64]) {
        if let Some(forfeit) = record.ending.forfeit().filter(|forfeit| record.seating[forfeit.seat] == agent) {
            self.forfeits += 1;
            self.out_of_time += u64::from(matches!(record.ending, Ending::OutOfTime(_)));
            self.first_forfeit.get_or_insert_with(|| (record.number, forfeit.reason.clone()));
        }
        let (mut points, mut rank, mut seats, mut moves, mut depth) = (0.0, 0.0, 0.0, 0, 0);
        for seat in record.seats_of(agent) {
            let (share, cost) = (f64::from(record.payoff[seat]), &record.costs[seat]);
            (points, rank, seats) = (points + share, rank + ranks[seat], seats + 1.0);
            self.seats[seat] = (self.seats[seat].0 + 1, self.seats[seat].1 + share);
            (moves, depth) = (moves + cost.moves, depth + cost.depth);
            self.over = self.over.max(cost.over);
            self.standard += cost.standard;
            // An outside program may report any number.
            self.nodes = self.nodes.saturating_add(cost.nodes);
            self.playouts += cost.playouts;
            self.time += cost.time;
            if record.winner() == Some(seat) {
                (self.won, self.won_moves) = (self.won + 1, self.won_moves + cost.moves);
            }
            if let Some(raw) = &record.points {
                self.raw = (self.raw.0 + f64::from(raw[seat]), self.raw.1 + 1);
            }
        }
        self.moves += moves;
        self.points.add(round, points, 1.0);
        self.rank.add(round, rank, seats);
        self.depth.add(round, depth as f64, moves as f64);
        let own = || record.decisions.iter().filter(|decision| record.seating[decision.seat] == agent);
        if let Some(limit) = self.limit {
            let late = limit.saturating_add(OVERRUN.max(limit / 20));
            self.overruns += own().filter(|decision| decision.time >= late).count() as u64;
        }
        self.depths.add(round, record.seating.len(), own().map(|decision| (decision.seat, decision.depth.into())));
        if record.has_times() {
            let times = own().map(|decision| (decision.seat, decision.time.as_secs_f64() * 1e3));
            self.times.add(round, record.seating.len(), times);
        }
    }
}

/// Totals over all games, whoever played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Number of games.
    pub games: u64,
    /// Number of games that differ from all before them in their seating or in a move.
    pub distinct: u64,
    /// Mean, least and greatest number of plies.
    pub plies: (f64, usize, usize),
    /// Games that were played to the end and shared.
    pub draws: u64,
    /// Those of them that a limit of plies ended.
    pub cut_off: u64,
    /// Games that were adjudicated.
    pub adjudicated: u64,
    /// Games that an agent forfeited.
    pub forfeits: u64,
    /// Points made on each seat, and the rate; `None` without games.
    pub seats: Vec<(f64, Option<Estimate>)>,
}

impl Totals {
    /// The advantage of the first seat: by how much its rate exceeds an equal share; `None` without games.
    pub fn first_seat(&self) -> Option<Estimate> {
        let share = 1.0 / self.seats.len().max(1) as f64;
        let rate = self.seats.first()?.1?;
        Some(Estimate { value: rate.value - share, low: rate.low - share, high: rate.high - share, ..rate })
    }
}

/// The games that differ in their seating, their start or a move, as hashes.
#[derive(Clone, Default)]
struct Distinct {
    games: u64,
    seen: HashSet<u64>,
    /// How often games were seen that were seen more than once.
    again: HashMap<u64, u64>,
    /// Sum of the squares of how often each game was seen.
    squares: u64,
}

impl Distinct {
    fn add(&mut self, record: &GameRecord) {
        let game = record.line();
        self.games += 1;
        if self.seen.insert(game) {
            self.squares += 1;
            return;
        }
        let times = self.again.entry(game).or_insert(1);
        self.squares += 2 * *times + 1;
        *times += 1;
    }

    /// Number of games, each different from all others, that would show as much: as many as are distinct if each was seen equally
    /// often, and fewer otherwise.
    fn effective(&self) -> u64 {
        (u128::from(self.games).pow(2) / u128::from(self.squares.max(1))) as u64
    }

    fn count(&self) -> u64 {
        self.seen.len() as u64
    }
}

/// Number of games that differ in their seating or in a move.
pub fn distinct(games: &[GameRecord]) -> u64 {
    let mut distinct = Distinct::default();
    games.iter().for_each(|record| distinct.add(record));
    distinct.count()
}

/// Whether a game was played to its end and shared.
pub fn is_draw(record: &GameRecord) -> bool {
    record.ending == Ending::Normal && record.winner().is_none()
}

/// Each seat's rank from 1, ties averaged: by its share of the win, and among equal shares by its points, where the game counts
/// them. In a game with points that are to be avoided, winners have few, and few are better.
fn ranks(record: &GameRecord) -> Vec<f64> {
    let count = record.payoff.len();
    let points = record.points.as_deref().filter(|_| record.ending == Ending::Normal).unwrap_or(&[]);
    let mean = points.iter().sum::<f32>() / count.max(1) as f32;
    let side: f32 = points.iter().zip(&record.payoff).map(|(points, share)| (points - mean) * share).sum();
    let key = |seat: usize| (record.payoff[seat], points.get(seat).map_or(0.0, |points| points * side.signum()));
    let rank = |seat: usize| {
        let others = (0..count).filter(|&other| other != seat);
        let behind = others.map(|other| match key(other).partial_cmp(&key(seat)) {
            Some(std::cmp::Ordering::Greater) => 1.0,
            Some(std::cmp::Ordering::Less) => 0.0,
            Some(std::cmp::Ordering::Equal) | None => 0.5,
        });
        1.0 + behind.sum::<f64>()
    };
    (0..count).map(rank).collect()
}

/// How often a seat of one agent finishes ahead of a seat of another in this game, a tie counting half; `None` if they did not meet.
fn ahead(record: &GameRecord, ranks: &[f64], one: usize, other: usize) -> Option<f64> {
    let (mut pairs, mut sum) = (0u32, 0.0);
    for seat in record.seats_of(one) {
        for rival in record.seats_of(other) {
            pairs += 1;
            sum += if ranks[seat] < ranks[rival] {
                1.0
            } else if ranks[seat] > ranks[rival] {
                0.0
            } else {
                0.5
            };
        }
    }
    (pairs > 0).then(|| sum / f64::from(pairs))
}

/// The plies after which a game of the match is drawn, if its rules have such a limit.
pub fn ply_limit(registry: &Registry, settings: &MatchSettings) -> Option<usize> {
    let game = registry.find(&settings.game).ok()?;
    let given = game.spec().pairs.iter().find(|(key, _)| key == "limit").map(|(_, value)| value.clone());
    let usual = || game.info().options.iter().find(|option| option.key == "limit")?.value.clone();
    nply::quantity::count(&given.or_else(usual)?).ok().map(|limit| limit as usize)
}

/// Whether a game was drawn by a limit of so many plies.
pub fn cut_off(record: &GameRecord, limit: usize) -> bool {
    is_draw(record) && record.opening.moves.len() + record.moves.len() >= limit
}

/// Whether a game ran in a cycle: for a quarter of its plies, each move is the one that was played some fixed number of plies
/// before, at most a tenth of the game. It need not last to the end, since searches see a limit that is near.
pub fn is_cycle(record: &GameRecord) -> bool {
    let (moves, most) = (&record.moves, record.moves.len() / 10);
    let longest = |period: usize| {
        let pairs = moves.iter().zip(&moves[period..]);
        let run = |run: &mut usize, (early, late): (&String, &String)| {
            *run = if early == late { *run + 1 } else { 0 };
            Some(*run)
        };
        pairs.scan(0, run).max().unwrap_or(0)
    };
    (1..=most).any(|period| longest(period) * 4 >= moves.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cost, DecisionRecord, Forfeit};
    use nply::Rng;

    fn game(seating: &[usize], payoff: &[f32], plies: usize) -> GameRecord {
        let cost = |seat: usize| Cost { moves: 2 + seat as u64, depth: 6, standard: 8, nodes: 20, ..Cost::default() };
        GameRecord {
            seating: seating.to_vec(),
            payoff: payoff.to_vec(),
            points: Some(payoff.iter().map(|share| 10.0 * share).collect()),
            moves: vec![String::new(); plies],
            costs: (0..seating.len()).map(cost).collect(),
            ..GameRecord::default()
        }
    }

    fn tally(agents: usize, games: &[GameRecord]) -> Tally {
        let settings = MatchSettings {
            players: games[0].seating.len(),
            agents: (0..agents).map(|agent| format!("a{agent}")).collect(),
            ..MatchSettings::default()
        };
        Tally::of(&Registry::empty(), &settings, games)
    }

    #[test]
    fn games_are_added_up_by_agent_and_by_seat() {
        let games = [game(&[0, 1, 1], &[1.0, 0.0, 0.0], 9), game(&[1, 0, 1], &[0.5, 0.0, 0.5], 11)];
        let (all, rows) = (tally(2, &games).totals(), tally(2, &games).rows());
        assert_eq!((rows[0].points, rows[1].points), (1.0, 1.0));
        assert_eq!(rows[0].seats, [(1, 1.0), (1, 0.0), (0, 0.0)]);
        assert_eq!((rows[0].moves, rows[0].depth.unwrap().value, rows[0].standard), (5, 12.0 / 5.0, 16.0 / 5.0));
        assert_eq!((rows[0].moves_to_win, rows[1].moves_to_win), (Some(2.0), None));
        assert_eq!((rows[0].raw, rows[1].raw), (Some(5.0), Some(2.5)));
        assert_eq!((all.plies, all.draws, all.distinct), ((10.0, 9, 11), 1, 2));
        assert_eq!(all.seats.iter().map(|seat| seat.0).collect::<Vec<f64>>(), [1.5, 0.0, 0.5]);
        let again = tally(2, &[&games[..], &games[1..]].concat()).totals();
        assert_eq!((again.games, again.distinct), (3, 2));
    }

    #[test]
    fn a_game_that_ends_in_a_cycle_is_told_from_one_that_does_not() {
        let ending = |moves: Vec<String>| GameRecord { moves, ..game(&[0, 1], &[0.5, 0.5], 0) };
        let start = (0..100).map(|ply| format!("start-{ply}"));
        let cycle = start.clone().chain((0..100).map(|ply| format!("cycle-{}", ply % 12)));
        assert!(is_cycle(&ending(cycle.clone().collect())));
        assert!(is_cycle(&ending(cycle.chain(["other".into()]).collect())));
        let short = start.clone().chain((0..30).map(|ply| format!("cycle-{}", ply % 12)));
        assert!(!is_cycle(&ending(short.collect())));
        assert!(!is_cycle(&ending(start.collect())) && !is_cycle(&ending(Vec::new())));
        assert!(cut_off(&game(&[0, 1], &[0.5, 0.5], 300), 300) && !cut_off(&game(&[0, 1], &[0.5, 0.5], 299), 300));
        assert!(!cut_off(&game(&[0, 1], &[1.0, 0.0], 300), 300));
    }

    #[test]
    fn seats_are_ranked_by_shares_and_then_by_points_with_ties_averaged() {
        let of = |payoff: &[f32], points: Option<&[f32]>| {
            ranks(&GameRecord { payoff: payoff.into(), points: points.map(Vec::from), ..GameRecord::default() })
        };
        assert_eq!(of(&[0.0, 1.0, 0.0], None), [2.5, 1.0, 2.5]);
        assert_eq!(of(&[0.0, 1.0, 0.0], Some(&[20.0, 30.0, 14.0])), [2.0, 1.0, 3.0]);
        // Points that are to be avoided, as in Hearts.
        assert_eq!(of(&[0.0, 1.0, 0.0, 0.0], Some(&[7.0, 0.0, 6.0, 13.0])), [3.0, 1.0, 2.0, 4.0]);
        assert_eq!(of(&[0.5, 0.5, 0.0], Some(&[1.0, 1.0, 24.0])), [1.5, 1.5, 3.0]);
        let ending = Ending::Forfeit(Forfeit::default());
        let forfeit = GameRecord {
            payoff: vec![0.0, 0.5, 0.5],
            points: Some(vec![9.0, 1.0, 5.0]),
            ending,
            ..GameRecord::default()
        };
        assert_eq!(ranks(&forfeit), [3.0, 1.5, 1.5]);
    }

    #[test]
    fn agents_on_several_seats_are_compared_seat_by_seat() {
        let found = tally(2, &[game(&[0, 1, 1], &[1.0, 0.0, 0.0], 9), game(&[1, 0, 0], &[1.0, 0.0, 0.0], 9)]);
        assert_eq!(found.ahead(0, 1).unwrap().value, 0.5);
        let found = tally(2, &[game(&[0, 1, 1], &[0.5, 0.5, 0.0], 9)]);
        assert_eq!((found.ahead(0, 1).unwrap().value, found.ahead(1, 0).unwrap().value), (0.75, 0.25));
        // Those who did not meet are not compared.
        assert_eq!(tally(3, &[game(&[0, 1], &[1.0, 0.0], 9)]).ahead(0, 2), None);
    }

    #[test]
    fn an_overrun_counts_from_five_milliseconds_or_a_twentieth() {
        let late = |budget: &str, millis: &[u64]| {
            let decision =
                |&millis: &u64| DecisionRecord { time: Duration::from_millis(millis), ..DecisionRecord::default() };
            let decisions = millis.iter().map(decision).collect();
            let record = GameRecord { decisions, ..game(&[0, 1], &[1.0, 0.0], 1) };
            let settings = MatchSettings {
                players: 2,
                agents: vec!["a".into(), "b".into()],
                budget: budget.into(),
                ..MatchSettings::default()
            };
            Tally::of(&Registry::empty(), &settings, &[record]).rows()[0].overruns
        };
        assert_eq!(late("time=20ms", &[20, 21, 24, 25, 26, 400]), Some(3));
        assert_eq!(late("time=1s", &[1004, 1049, 1050, 1051]), Some(2));
        assert_eq!(late("nodes=1k", &[1000]), None);
    }

    #[test]
    fn the_interval_after_one_game_says_how_little_that_is() {
        let one = tally(2, &[game(&[0, 1], &[1.0, 0.0], 9)]);
        let Estimate { value, low, high, .. } = one.rate(0);
        assert_eq!(format!("{value:.3} {low:.3} {high:.3}"), "1.000 0.207 1.000");
        let none = Tally::new(&Registry::empty(), one.settings());
        assert_eq!((none.rate(0).low, none.rate(0).high), (0.0, 1.0));
    }

    /// How often, in parts of all runs, the intervals of the first agent's rate and of how often it finishes ahead cover the truth.
    /// A match has twenty rounds of the six seatings of two agents in three seats. The results of the games come from `draw`, which
    /// is told the round and gets random numbers: the winning seat, and what identifies the game.
    fn coverage(runs: u32, mut draw: impl FnMut(u64, &mut Rng) -> (usize, u64)) -> [f64; 2] {
        let seatings = crate::seatings(2, 3);
        let mut rng = Rng::new(17);
        // What both are in the long run: every seat wins equally often, so the first agent wins half of the games, and it is
        // ahead of the other as often as behind it.
        let mut covered = [0u32; 2];
        for _ in 0..runs {
            let games: Vec<GameRecord> = (0..120u64)
                .map(|number| {
                    let (winner, game) = draw(number / 6, &mut rng);
                    let payoff = (0..3).map(|seat| if seat == winner { 1.0 } else { 0.0 }).collect();
                    let seating = seatings[number as usize % 6].clone();
                    let costs = vec![Cost::default(); 3];
                    GameRecord {
                        number,
                        seating,
                        payoff,
                        moves: vec![game.to_string()],
                        costs,
                        ..GameRecord::default()
                    }
                })
                .collect();
            let tally = tally(2, &games);
            for (covered, found) in covered.iter_mut().zip([tally.rate(0), tally.ahead(0, 1).unwrap()]) {
                *covered += u32::from((found.low..=found.high).contains(&0.5));
            }
        }
        covered.map(|covered| f64::from(covered) / f64::from(runs))
    }

    #[test]
    fn intervals_cover_as_often_as_they_promise_with_deals_shared_by_rounds_and_with_repeated_games() {
        let mut next = 0u64;
        let mut new = || {
            next += 1;
            next
        };
        let apart = coverage(500, |_, rng| (rng.below(3), new()));
        // In half of the rounds the deal decides which agent wins, whatever its seat: the seat here is that of the seating.
        let seatings = crate::seatings(2, 3);
        let (mut round_of, mut strong, mut at) = (u64::MAX, None, 0);
        let shared = coverage(500, |round, rng| {
            if round != round_of {
                (round_of, at) = (round, 0);
                strong = (rng.unit() < 0.5).then(|| rng.below(2));
            }
            let seating = &seatings[at];
            at = (at + 1) % 6;
            let seats: Vec<usize> = (0..3).filter(|&seat| strong.is_none_or(|agent| seating[seat] == agent)).collect();
            (seats[rng.below(seats.len())], new())
        });
        // A pool of eight games for each seating, from which every game is taken: some often, some never.
        let (mut pool, mut run) = (Vec::new(), 0u64);
        let mut count = 0u64;
        let repeated = coverage(500, |_, rng| {
            if count.is_multiple_of(120) {
                run += 1;
                pool = (0..48).map(|_| rng.below(3)).collect();
            }
            let at = rng.below(8) as u64 + 8 * (count % 6);
            count += 1;
            (pool[at as usize], run * 1000 + at)
        });
        for (name, found) in [("apart", apart), ("shared", shared), ("repeated", repeated)] {
            assert!(found.iter().all(|part| *part >= 0.93), "{name}: {found:?}");
        }
    }

    #[test]
    fn impossible_node_counts_are_added_up() {
        let mut games = [game(&[0, 0], &[1.0, 0.0], 9)];
        games[0].costs.iter_mut().for_each(|cost| cost.nodes = u64::MAX);
        assert_eq!(tally(1, &games).rows()[0].nodes, u64::MAX as f64 / 5.0);
    }

    #[test]
    fn a_forfeit_is_neither_a_draw_nor_a_win_in_so_many_moves() {
        let ending = Ending::Forfeit(Forfeit { seat: 1, reason: "it slept".into() });
        let alone = GameRecord { ending: ending.clone(), ..game(&[0, 1, 0], &[1.0, 0.0, 0.0], 9) };
        let shared = GameRecord { ending, ..game(&[0, 1, 0], &[0.5, 0.0, 0.5], 9) };
        let all = tally(2, &[alone, shared]);
        let rows = all.rows();
        assert_eq!((rows[0].forfeits, rows[1].forfeits), (0, 2));
        assert_eq!((rows[0].points, rows[0].moves_to_win), (2.0, None));
        assert_eq!((all.totals().draws, all.totals().forfeits), (0, 2));
        assert_eq!((all.first_forfeit(0), all.first_forfeit(1)), (None, Some((0, "it slept"))));
        assert_eq!((rows[1].out_of_time, all.totals().adjudicated), (0, 0));
    }

    #[test]
    fn a_forfeit_on_time_and_an_adjudicated_game_are_counted_as_such() {
        let late = Ending::OutOfTime(Forfeit { seat: 1, ..Forfeit::default() });
        let late = GameRecord { ending: late, ..game(&[0, 1], &[1.0, 0.0], 9) };
        let ended = Ending::Adjudicated("9 plies were played".into());
        let all = tally(2, &[late, GameRecord { ending: ended, ..game(&[1, 0], &[0.5, 0.5], 9) }]);
        let (rows, totals) = (all.rows(), all.totals());
        assert_eq!((rows[1].forfeits, rows[1].out_of_time, rows[0].out_of_time), (1, 1, 0));
        assert_eq!((rows[0].points, rows[1].points), (1.5, 0.5));
        assert_eq!((totals.adjudicated, totals.draws, totals.forfeits), (1, 0, 1));
    }
}
