//! Quantities that tables of papers give, each with its interval: [`Measure`].

use nply::{Notation, Player};
use nply_games::chinese_checkers::{Board, ChineseCheckers, DistanceTable};
use serde::Deserialize;

use crate::error::Error;
use crate::limits::own_budget;
use crate::registry::{NamedGame, Request};
use crate::session::Session;
use crate::spec::Spec;
use crate::store::Settings;
use crate::tally::{interval, student};
use crate::tournament::Played;

/// A quantity of one kind of agent in a tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Points a game, in per cent.
    #[default]
    Rate,
    /// Mean depth of the last completed iteration.
    Depth,
    /// The same in plies of the game, which differs for Best-Reply Search.
    StandardDepth,
    /// Mean nodes of a decision.
    Nodes,
    /// Mean seconds of a decision.
    Seconds,
    /// Playouts a second, where the budget is a number of playouts.
    PlayoutsPerSecond,
    /// Mean raw points of a seat.
    Points,
    /// Moves made and, for those who did not win, still needed: Chinese Checkers on the small board.
    Moves,
    /// Moves still needed when somebody wins: Chinese Checkers on the small board.
    Distance,
    /// Plies left at the first decision that was searched to the end of the game.
    Complete,
    /// Mean depth of the decisions that were not searched to the end of the game.
    Partial,
}

/// A measured value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The lower end; without end if a single game tells nothing of the spread.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The games it rests on.
    pub games: u64,
}

impl Measure {
    /// What it is, for headers of tables.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Rate => "win rate (%)",
            Measure::Depth => "depth",
            Measure::StandardDepth => "depth in plies of the game",
            Measure::Nodes => "nodes a move",
            Measure::Seconds => "seconds a move",
            Measure::PlayoutsPerSecond => "playouts a second",
            Measure::Points => "points",
            Measure::Moves => "moves to win",
            Measure::Distance => "moves from winning",
            Measure::Complete => "plies left at the first complete search",
            Measure::Partial => "depth of incomplete searches",
        }
    }

    /// The value for one kind; nothing if no game says anything about it.
    pub fn estimate(self, kind: usize, settings: &Settings, games: &[Played]) -> Result<Option<Estimate>, Error> {
        let games: Vec<&Played> = games.iter().filter(|played| played.seating.contains(&kind)).collect();
        let seats = |played: &Played| {
            (0..played.seating.len()).filter(|&seat| played.seating[seat] == kind).collect::<Vec<_>>()
        };
        // What is left to the end says nothing where the end was a forfeit.
        let is_whole = |played: &&&Played| played.forfeit.is_none();
        // What a game adds to the sum, and with what weight.
        let over_costs = |value: fn(&crate::Cost) -> f64| {
            let game = |played: &&Played| {
                let costs = || seats(played).into_iter().map(|seat| &played.costs[seat]);
                (costs().map(value).sum(), costs().map(|cost| cost.moves as f64).sum())
            };
            games.iter().map(game).collect::<Vec<(f64, f64)>>()
        };
        let parts: Vec<(f64, f64)> = match self {
            Measure::Rate => {
                let points =
                    |played: &&Played| seats(played).iter().map(|&seat| f64::from(played.payoff[seat])).sum::<f64>();
                let count = games.len() as u64;
                let rate = games.iter().map(points).sum::<f64>() / count.max(1) as f64;
                let (low, high) = interval(rate, count);
                let estimate = Estimate { value: 100.0 * rate, low: 100.0 * low, high: 100.0 * high, games: count };
                return Ok((count > 0).then_some(estimate));
            }
            Measure::Depth => over_costs(|cost| cost.depth as f64),
            Measure::StandardDepth => over_costs(|cost| cost.standard as f64),
            Measure::Nodes => over_costs(|cost| cost.nodes as f64),
            Measure::Seconds => over_costs(|cost| cost.time.as_secs_f64()),
            Measure::PlayoutsPerSecond => {
                return Ok(playouts_per_second(kind, settings, &over_costs(|cost| cost.time.as_secs_f64())));
            }
            Measure::Points => {
                let game = |played: &&Played| {
                    let points = played.points.as_ref()?;
                    let seats = seats(played);
                    Some((seats.iter().map(|&seat| f64::from(points[seat])).sum(), seats.len() as f64))
                };
                games.iter().filter_map(game).collect()
            }
            Measure::Moves | Measure::Distance => {
                let mut parts = Vec::new();
                for played in games.iter().filter(is_whole) {
                    let (left, seats) = (moves_left(settings, played)?, seats(played));
                    let made = |seat: usize| if self == Measure::Moves { played.costs[seat].moves as f64 } else { 0.0 };
                    parts.push((seats.iter().map(|&seat| left[seat] + made(seat)).sum(), seats.len() as f64));
                }
                parts
            }
            Measure::Complete | Measure::Partial => {
                let limit = nodes_of(kind, settings);
                games.iter().filter(is_whole).filter_map(|played| searched(self, kind, limit, played)).collect()
            }
        };
        let estimate = ratio(&parts);
        // All but points are never below nothing.
        let least = if self == Measure::Points { f64::NEG_INFINITY } else { 0.0 };
        Ok(estimate
            .map(|found| if found.low.is_finite() { Estimate { low: found.low.max(least), ..found } } else { found }))
    }
}

/// The sum of values over the sum of weights, with the interval of a ratio of means (by linearization).
fn ratio(parts: &[(f64, f64)]) -> Option<Estimate> {
    let (n, weight) = (parts.len() as f64, parts.iter().map(|part| part.1).sum::<f64>());
    if weight <= 0.0 {
        return None;
    }
    let value = parts.iter().map(|part| part.0).sum::<f64>() / weight;
    let squares: f64 = parts.iter().map(|(x, w)| (x - value * w).powi(2)).sum();
    // Of a single game nothing is known about the spread.
    let spread = if n > 1.0 { (squares * n / (n - 1.0)).sqrt() / weight } else { f64::INFINITY };
    let margin = student(parts.len()) * spread;
    Some(Estimate { value, low: value - margin, high: value + margin, games: parts.len() as u64 })
}

/// From the seconds that a fixed number of playouts took.
fn playouts_per_second(kind: usize, settings: &Settings, seconds: &[(f64, f64)]) -> Option<Estimate> {
    let playouts = limits_of(kind, settings)?.playouts? as f64;
    let Estimate { value, low, high, games } = ratio(seconds)?;
    if !high.is_finite() {
        return Some(Estimate { value: playouts / value, low, high, games });
    }
    // The interval of a quotient, by linearization again.
    let margin = playouts * (high - value) / (value * value);
    let value = playouts / value;
    Some(Estimate { value, low: value - margin, high: value + margin, games })
}

/// Plies left at a kind's first complete search of a game, or the depths of the others.
fn searched(measure: Measure, kind: usize, limit: Option<u64>, played: &Played) -> Option<(f64, f64)> {
    let plies = played.steps.len();
    let steps = played.steps.iter().enumerate().filter(|(_, step)| played.seating[step.seat] == kind);
    // A search that ends with nodes to spare has nothing left to look at.
    let is_complete = |(ply, step): &(usize, &crate::Step)| {
        step.depth as usize >= plies - ply || limit.is_some_and(|limit| step.nodes < limit)
    };
    if measure == Measure::Complete {
        let (ply, _) = steps.clone().find(is_complete)?;
        return Some(((plies - ply) as f64, 1.0));
    }
    let partial: Vec<f64> = steps.filter(|step| !is_complete(step)).map(|(_, step)| step.depth.into()).collect();
    (!partial.is_empty()).then(|| (partial.iter().sum(), partial.len() as f64))
}

fn limits_of(kind: usize, settings: &Settings) -> Option<nply::Budget> {
    let own = own_budget(&Spec::parse(settings.agents.get(kind)?).ok()?).ok()?.1;
    own.or_else(|| own_budget(&Spec::parse(&format!("any:{}", settings.budget)).ok()?).ok()?.1)
}

fn nodes_of(kind: usize, settings: &Settings) -> Option<u64> {
    limits_of(kind, settings)?.nodes
}

/// Decisions of a kind that took longer than its time budget; nothing if it has none.
pub(crate) fn overruns(kind: usize, settings: &Settings, games: &[Played]) -> Option<u64> {
    let limit = limits_of(kind, settings)?.time?;
    let late = |played: &Played| {
        played.steps.iter().filter(|step| played.seating[step.seat] == kind && step.time > limit).count() as u64
    };
    Some(games.iter().map(late).sum())
}

/// Chinese Checkers on the small board, which has a table of the moves that a player needs alone on the board.
fn tabled(settings: &Settings) -> Result<NamedGame, Error> {
    let spec = Spec::parse(&settings.game)?;
    let is_small = !spec.pairs.iter().any(|(key, value)| key == "board" && value == "large");
    if spec.name != "chinese-checkers" || !is_small {
        let message = format!("nobody knows how many moves are left in {}", settings.game);
        return Err(Error::failed(message).help("Chinese Checkers on the small board has a table for it"));
    }
    NamedGame::new(&spec)
}

/// The session's position.
fn typed(session: &dyn Session) -> Result<ChineseCheckers, Error> {
    Ok(ChineseCheckers::new(session.player_count(), Board::Small, u32::MAX).read(&session.position())?)
}

/// Says how many moves a player needs.
type Judge<'a> = &'a dyn Fn(&ChineseCheckers, Player) -> f64;

/// The moves that each player of Chinese Checkers would still need alone on the board; the winner none.
fn moves_left(settings: &Settings, played: &Played) -> Result<Vec<f64>, Error> {
    let (players, moves) = (Some(settings.players), played.moves.join(" "));
    let end = tabled(settings)?.open(&Request { players, moves, seed: played.seed, ..Request::default() })?;
    let table = DistanceTable::shared(&|_| ()).map_err(|error| Error::failed(error.to_string()))?;
    let game = typed(&*end)?;
    let left = |player: Player| match played.payoff[player.index()] {
        share if share > 0.999 => 0.0,
        _ => f64::from(table.value(&game, player)),
    };
    Ok(Player::all(settings.players).map(left).collect())
}

/// How far each seat was from winning in each game.
///
/// Known for Chinese Checkers on the small board, if its table is in the cache folder: nothing is built for this. A game that
/// was forfeited, or that another version played by other rules, says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distances {
    /// For each game, for each seat: the moves still needed at its end; the winner needs none.
    pub left: Vec<Option<Vec<f64>>>,
    /// For each game, for each seat: the moves still needed after none, one, two, … of its own.
    pub course: Vec<Option<Vec<Vec<f64>>>>,
}

impl Distances {
    /// Looks them up; nothing where nobody knows.
    pub fn of(settings: &Settings, games: &[Played]) -> Option<Distances> {
        let game = tabled(settings).ok()?;
        DistanceTable::path().ok().filter(|path| path.exists())?;
        let table = DistanceTable::shared(&|_| ()).ok()?;
        Some(Distances::judged(&game, settings, games, &|game, player| table.value(game, player).into()))
    }

    fn judged(game: &NamedGame, settings: &Settings, games: &[Played], judge: Judge<'_>) -> Distances {
        let mut distances = Distances::default();
        for played in games {
            let course = course(game, settings, played, judge).ok().filter(|_| played.forfeit.is_none());
            let left = course.as_ref().map(|course| {
                let last = |(seat, course): (usize, &Vec<f64>)| match played.payoff[seat] {
                    share if share > 0.999 => 0.0,
                    _ => course.last().copied().unwrap_or(0.0),
                };
                course.iter().enumerate().map(last).collect()
            });
            distances.left.push(left);
            distances.course.push(course);
        }
        distances
    }

    /// The mean of what a kind still needed, over its seats and games.
    pub fn mean(&self, kind: usize, games: &[Played]) -> Option<f64> {
        let seats = games.iter().zip(&self.left).flat_map(|(played, left)| {
            let left = left.iter().flatten().zip(&played.seating);
            left.filter(|(_, other)| **other == kind).map(|(left, _)| *left)
        });
        let (count, sum) = seats.fold((0u64, 0.0), |(count, sum), left| (count + 1, sum + left));
        (count > 0).then(|| sum / count as f64)
    }
}

/// What each player needs at the start and after each own move.
fn course(game: &NamedGame, settings: &Settings, played: &Played, judge: Judge<'_>) -> Result<Vec<Vec<f64>>, Error> {
    let request = Request { players: Some(settings.players), seed: played.seed, ..Request::default() };
    let mut session = game.open(&request)?;
    let start = typed(&*session)?;
    let mut course: Vec<Vec<f64>> = Player::all(settings.players).map(|player| vec![judge(&start, player)]).collect();
    for m in &played.moves {
        let seat = session.turn() - 1;
        session.play(m)?;
        course[seat].push(judge(&typed(&*session)?, Player::new(seat)));
    }
    Ok(course)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Cost, Step, Tournament};

    fn settings(agents: &[&str]) -> Settings {
        Settings {
            game: "hearts".into(),
            players: 2,
            agents: agents.iter().map(|agent| (*agent).into()).collect(),
            budget: "nodes=100".into(),
            seed: 1,
            version: String::new(),
        }
    }

    fn game(depths: &[(u32, u64)], points: f32) -> Played {
        let step = |(ply, &(depth, nodes)): (usize, &(u32, u64))| Step {
            seat: ply % 2,
            depth,
            nodes,
            time: Duration::from_millis(500),
        };
        let steps: Vec<Step> = depths.iter().enumerate().map(step).collect();
        let cost = |seat: usize| {
            let mine = || steps.iter().filter(move |step| step.seat == seat);
            Cost {
                moves: mine().count() as u64,
                depth: mine().map(|step| u64::from(step.depth)).sum(),
                nodes: mine().map(|step| step.nodes).sum(),
                time: mine().map(|step| step.time).sum(),
                ..Cost::default()
            }
        };
        Played {
            number: 0,
            seating: vec![0, 1],
            seed: 0,
            payoff: vec![1.0, 0.0],
            points: Some(vec![points, 0.0]),
            moves: vec![String::new(); depths.len()],
            costs: vec![cost(0), cost(1)],
            steps,
            forfeit: None,
        }
    }

    fn value(measure: Measure, kind: usize, settings: &Settings, games: &[Played]) -> f64 {
        measure.estimate(kind, settings, games).unwrap().unwrap().value
    }

    #[test]
    fn searches_to_the_end_are_told_from_the_others() {
        // Six plies; the first player sees 3, then to the end by depth; the second stops early for want of work.
        let games = [game(&[(3, 100), (2, 100), (4, 100), (2, 40), (2, 9), (1, 1)], 5.0)];
        let settings = settings(&["maxn", "paranoid"]);
        assert_eq!(value(Measure::Complete, 0, &settings, &games), 4.0);
        assert_eq!(value(Measure::Complete, 1, &settings, &games), 3.0);
        assert_eq!(value(Measure::Partial, 0, &settings, &games), 3.0);
        assert_eq!(value(Measure::Partial, 1, &settings, &games), 2.0);
        assert_eq!(value(Measure::Depth, 0, &settings, &games), 3.0);
        assert_eq!(value(Measure::Nodes, 1, &settings, &games), 47.0);
        assert_eq!(value(Measure::Rate, 0, &settings, &games), 100.0);
    }

    #[test]
    fn means_have_the_interval_of_their_spread() {
        let games = [game(&[(1, 1)], 4.0), game(&[(1, 1)], 6.0), game(&[(1, 1)], 8.0)];
        let found = Measure::Points.estimate(0, &settings(&["maxn", "paranoid"]), &games).unwrap().unwrap();
        assert_eq!(found.value, 6.0);
        // The standard deviation is 2.
        assert!((found.high - found.value - 4.303 * 2.0 / 3f64.sqrt()).abs() < 1e-9, "{found:?}");
        let one = Measure::Points.estimate(0, &settings(&["maxn", "paranoid"]), &games[..1]).unwrap().unwrap();
        assert!(one.high.is_infinite() && one.low.is_infinite());
        let one = Measure::Depth.estimate(0, &settings(&["maxn", "paranoid"]), &games[..1]).unwrap().unwrap();
        assert!(one.high.is_infinite() && one.low.is_infinite());
        assert_eq!(Measure::Points.estimate(0, &settings(&["maxn"]), &[]).unwrap(), None);
    }

    #[test]
    fn playouts_a_second_come_from_the_budget() {
        let games = [game(&[(1, 1), (1, 1)], 0.0), game(&[(1, 1), (1, 1)], 0.0)];
        assert_eq!(value(Measure::PlayoutsPerSecond, 0, &settings(&["mcts:playouts=200", "mcts"]), &games), 400.0);
        let none = Measure::PlayoutsPerSecond.estimate(1, &settings(&["mcts:playouts=200", "mcts"]), &games);
        assert_eq!(none.unwrap(), None);
    }

    #[test]
    fn the_way_to_the_goal_is_followed_move_by_move() {
        let tournament = Tournament {
            game: NamedGame::new(&Spec::parse("chinese-checkers:limit=60").unwrap()).unwrap(),
            players: 3,
            agents: Spec::parse_list("greedy:eval=distance random").unwrap(),
            games: 6,
            budget: nply::Budget::nodes(500),
            seed: 4,
            threads: 2,
            progress: |_, _| (),
        };
        let (settings, mut games) = (tournament.settings(), tournament.run(&Default::default(), |_| ()).unwrap());
        games[2].forfeit = Some(crate::Forfeit { seat: 0, why: String::new() });
        games[3].payoff = vec![0.0, 1.0, 0.0];
        // Any number that says something of a player's pieces will do: here what the text of the position makes of them.
        let judge = |game: &ChineseCheckers, player: Player| {
            let digit = char::from_digit(player.number() as u32, 10).unwrap();
            game.to_string().char_indices().filter(|(_, c)| *c == digit).map(|(at, _)| at as f64).sum::<f64>()
        };
        let found = Distances::judged(&tournament.game, &settings, &games, &judge);
        assert_eq!((&found.left[2], &found.course[2]), (&None, &None), "a forfeit says nothing");
        for (at, played) in games.iter().enumerate().filter(|(at, _)| *at != 2) {
            let (course, left) = (found.course[at].as_ref().unwrap(), found.left[at].as_ref().unwrap());
            for seat in 0..3 {
                // After k own moves of a player are 3 (k - 1) + seat + 1 plies.
                for (k, &value) in course[seat].iter().enumerate() {
                    let plies = if k == 0 { 0 } else { 3 * (k - 1) + seat + 1 };
                    let (players, moves) = (Some(3), played.moves[..plies].join(" "));
                    let there = tournament.game.open(&Request { players, moves, ..Request::default() }).unwrap();
                    assert_eq!(
                        value,
                        judge(&typed(&*there).unwrap(), Player::new(seat)),
                        "game {at}, seat {seat}, {k}"
                    );
                }
                assert_eq!(course[seat].len() as u64, played.costs[seat].moves + 1);
                let is_winner = played.payoff[seat] > 0.999;
                assert_eq!(left[seat], if is_winner { 0.0 } else { *course[seat].last().unwrap() });
            }
        }
        let of_kind = |kind: usize| {
            let seats = (0..6).filter(|&at| at != 2).flat_map(|at| (0..3).map(move |seat| (at, seat)));
            let of: Vec<f64> = seats
                .filter(|&(at, seat)| games[at].seating[seat] == kind)
                .map(|(at, seat)| found.left[at].as_ref().unwrap()[seat])
                .collect();
            of.iter().sum::<f64>() / of.len() as f64
        };
        for kind in 0..2 {
            assert!((found.mean(kind, &games).unwrap() - of_kind(kind)).abs() < 1e-9);
        }
        assert_eq!(found.mean(2, &games), None);
    }

    #[test]
    fn moves_left_are_known_only_where_there_is_a_table() {
        assert_eq!(Distances::of(&settings(&["maxn", "paranoid"]), &[game(&[(1, 1)], 0.0)]), None);
        let error = Measure::Moves.estimate(0, &settings(&["maxn", "paranoid"]), &[game(&[(1, 1)], 0.0)]).unwrap_err();
        assert!(error.message.contains("nobody knows how many moves are left in hearts"), "{error}");
    }
}
