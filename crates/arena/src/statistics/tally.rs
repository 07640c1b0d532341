//! Tallies of games: points, rates with their intervals, results by seat, and what decisions cost.

use std::collections::HashSet;
use std::time::Duration;

use super::interval::interval;
use crate::record::{Ending, GameRecord};

/// The results of one agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Number of games in which it took part.
    pub games: u64,
    /// Games that it forfeited, on time or otherwise.
    pub forfeits: u64,
    /// Games that it forfeited on time.
    pub out_of_time: u64,
    /// Sum of its shares of wins over its seats.
    pub points: f64,
    /// For each seat: number of games there, and points made there.
    pub seats: Vec<(u64, f64)>,
    /// Number of decisions.
    pub moves: u64,
    /// Mean depth of the last completed iteration.
    pub depth: f64,
    /// The same in plies of the game, which differs for Best-Reply Search.
    pub standard: f64,
    /// Mean nodes of a decision.
    pub nodes: f64,
    /// Mean time of a decision.
    pub time: Duration,
    /// The longest time by which a decision exceeded its budget.
    pub over: Duration,
    /// Mean number of its moves in games that it won alone, forfeits excluded.
    pub moves_to_win: Option<f64>,
    /// Mean of its raw points, where the game counts them.
    pub raw: Option<f64>,
}

impl Row {
    /// Points per game.
    pub fn rate(&self) -> f64 {
        if self.games == 0 { 0.0 } else { self.points / self.games as f64 }
    }

    /// The 95 % interval of the rate.
    pub fn interval(&self) -> (f64, f64) {
        interval(self.rate(), self.games)
    }
}

/// One row for each agent.
pub fn tally(agents: usize, games: &[GameRecord]) -> Vec<Row> {
    (0..agents).map(|agent| row(agent, games)).collect()
}

fn row(agent: usize, games: &[GameRecord]) -> Row {
    let mut row = Row::default();
    let (mut depth, mut standard, mut nodes, mut time) = (0, 0, 0u64, Duration::ZERO);
    let (mut won, mut won_moves, mut raw, mut raw_count) = (0u64, 0u64, 0.0, 0u64);
    for record in games.iter().filter(|record| record.seating.contains(&agent)) {
        row.games += 1;
        let has_lost = record.ending.forfeit().is_some_and(|forfeit| record.seating[forfeit.seat] == agent);
        row.forfeits += u64::from(has_lost);
        row.out_of_time += u64::from(has_lost && matches!(record.ending, Ending::OutOfTime(_)));
        row.seats.resize(record.seating.len(), (0, 0.0));
        for seat in record.seats_of(agent) {
            let (points, cost) = (f64::from(record.payoff[seat]), &record.costs[seat]);
            row.points += points;
            row.seats[seat].0 += 1;
            row.seats[seat].1 += points;
            row.moves += cost.moves;
            row.over = row.over.max(cost.over);
            depth += cost.depth;
            standard += cost.standard;
            nodes = nodes.saturating_add(cost.nodes);
            time += cost.time;
            if record.winner() == Some(seat) {
                won += 1;
                won_moves += cost.moves;
            }
            if let Some(points) = &record.points {
                raw += f64::from(points[seat]);
                raw_count += 1;
            }
        }
    }
    let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
    let moves = row.moves.max(1) as f64;
    Row {
        depth: depth as f64 / moves,
        standard: standard as f64 / moves,
        nodes: nodes as f64 / moves,
        time: time.div_f64(moves),
        moves_to_win: mean(won_moves as f64, won),
        raw: mean(raw, raw_count),
        ..row
    }
}

/// Totals over all games, whoever played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Number of games.
    pub games: u64,
    /// Mean, least and greatest number of plies.
    pub plies: (f64, usize, usize),
    /// Games that were played to the end and shared.
    pub draws: u64,
    /// Games that were adjudicated.
    pub adjudicated: u64,
    /// Games that repeat another one with the same seating move by move, and so show nothing new.
    pub repeats: u64,
    /// Points made on each seat.
    pub seats: Vec<f64>,
}

impl Totals {
    /// The advantage of the first seat: by how much its rate exceeds an equal share, with the ends of the 95 % interval.
    pub fn first_seat(&self) -> (f64, (f64, f64)) {
        let share = 1.0 / self.seats.len().max(1) as f64;
        let rate = self.seats.first().map_or(share, |points| points / self.games.max(1) as f64);
        let (low, high) = interval(rate, self.games);
        (rate - share, (low - share, high - share))
    }
}

/// Number of games that differ in their seating or in a move.
pub fn distinct(games: &[GameRecord]) -> u64 {
    games.iter().map(|record| (&record.seating, &record.moves)).collect::<HashSet<_>>().len() as u64
}

/// Whether a game was drawn by a limit of so many plies.
pub fn cut_off(record: &GameRecord, limit: usize) -> bool {
    record.ending == Ending::Normal && record.winner().is_none() && record.moves.len() >= limit
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

/// Totals over all games.
pub fn totals(games: &[GameRecord]) -> Totals {
    let lengths = || games.iter().map(|record| record.moves.len());
    let mut seats = vec![0.0; games.first().map_or(0, |record| record.payoff.len())];
    for record in games {
        seats.iter_mut().zip(&record.payoff).for_each(|(sum, &share)| *sum += f64::from(share));
    }
    let is_draw = |record: &&GameRecord| record.ending == Ending::Normal && record.winner().is_none();
    let mean = lengths().sum::<usize>() as f64 / games.len().max(1) as f64;
    Totals {
        games: games.len() as u64,
        plies: (mean, lengths().min().unwrap_or(0), lengths().max().unwrap_or(0)),
        draws: games.iter().filter(is_draw).count() as u64,
        adjudicated: games.iter().filter(|record| matches!(record.ending, Ending::Adjudicated(_))).count() as u64,
        repeats: games.len() as u64 - distinct(games),
        seats,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cost, Forfeit};

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

    #[test]
    fn games_are_added_up_by_agent_and_by_seat() {
        let games = [game(&[0, 1, 1], &[1.0, 0.0, 0.0], 9), game(&[1, 0, 1], &[0.5, 0.0, 0.5], 11)];
        let rows = tally(2, &games);
        assert_eq!((rows[0].points, rows[1].points), (1.0, 1.0));
        assert_eq!(rows[0].seats, [(1, 1.0), (1, 0.0), (0, 0.0)]);
        assert_eq!((rows[0].moves, rows[0].depth, rows[0].standard), (5, 12.0 / 5.0, 16.0 / 5.0));
        assert_eq!((rows[0].moves_to_win, rows[1].moves_to_win), (Some(2.0), None));
        assert_eq!((rows[0].raw, rows[1].raw), (Some(5.0), Some(2.5)));
        let all = totals(&games);
        assert_eq!((all.plies, all.draws, all.repeats), ((10.0, 9, 11), 1, 0));
        assert_eq!(all.seats, [1.5, 0.0, 0.5]);
        assert_eq!(totals(&[&games[..], &games[1..]].concat()).repeats, 1);
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
    fn impossible_node_counts_are_added_up() {
        let mut games = [game(&[0, 0], &[1.0, 0.0], 9)];
        games[0].costs.iter_mut().for_each(|cost| cost.nodes = u64::MAX);
        assert_eq!(tally(1, &games)[0].nodes, u64::MAX as f64 / 5.0);
    }

    #[test]
    fn a_forfeit_is_neither_a_draw_nor_a_win_in_so_many_moves() {
        let ending = Ending::Forfeit(Forfeit { seat: 1, ..Forfeit::default() });
        let alone = GameRecord { ending: ending.clone(), ..game(&[0, 1], &[1.0, 0.0], 9) };
        let shared = GameRecord { ending, ..game(&[0, 1, 0], &[0.5, 0.0, 0.5], 9) };
        let games = [alone, shared];
        let rows = tally(2, &games);
        assert_eq!((rows[0].forfeits, rows[1].forfeits), (0, 2));
        assert_eq!((rows[0].points, rows[0].moves_to_win), (2.0, None));
        assert_eq!(totals(&games).draws, 0);
        assert_eq!((rows[1].out_of_time, totals(&games).adjudicated), (0, 0));
    }

    #[test]
    fn a_forfeit_on_time_and_an_adjudicated_game_are_counted_as_such() {
        let late = Ending::OutOfTime(Forfeit { seat: 1, ..Forfeit::default() });
        let late = GameRecord { ending: late, ..game(&[0, 1], &[1.0, 0.0], 9) };
        let ended = Ending::Adjudicated("9 plies were played".into());
        let games = [late, GameRecord { ending: ended, ..game(&[1, 0], &[0.5, 0.5], 9) }];
        let rows = tally(2, &games);
        assert_eq!((rows[1].forfeits, rows[1].out_of_time, rows[0].out_of_time), (1, 1, 0));
        assert_eq!((rows[0].points, rows[1].points), (1.5, 0.5));
        let totals = totals(&games);
        assert_eq!((totals.adjudicated, totals.draws), (1, 0));
    }
}
