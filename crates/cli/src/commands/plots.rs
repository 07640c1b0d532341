//! The plots of `nply tournament` and `nply report`.

use std::collections::BTreeMap;
use std::path::Path;

use nply_arena::{
    Distances, Error, Experiment, Mark, Moves, Played, Settings, Spec, Step, factors_svg, games_svg, lengths_svg,
    lines_svg, moves_svg, own_budget, rates_svg, student, tally,
};

use super::tournament::save;

/// Marks that can be told apart in one plot; of more games, only the first have theirs.
const MARKS: usize = 200;
/// Points of a line; of more moves, each is the mean of several.
const POINTS: usize = 60;

/// What a line goes through.
type Points = Vec<(f64, f64)>;
/// Something for each kind, through points.
type Lines = Vec<(String, Points)>;

fn title(settings: &Settings, games: &[Played]) -> String {
    format!("{}, {} players, {} games", settings.game, settings.players, games.len())
}

/// The plot of the rates.
pub(super) fn rates(settings: &Settings, games: &[Played]) -> String {
    let kinds = settings.agents.len();
    let rows = tally(kinds, games);
    let rates: Vec<(String, f64, (f64, f64))> =
        settings.agents.iter().zip(&rows).map(|(name, row)| (name.clone(), row.rate(), row.interval())).collect();
    rates_svg(&title(settings, games), &rates, 1.0 / kinds.min(settings.players) as f64)
}

fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

/// How deep agents come in which time, where one has played with several budgets.
#[derive(Default)]
pub(super) struct DepthByTime {
    /// For each game and number of players, for each agent without its limits: milliseconds and depth, on average.
    games: BTreeMap<(String, usize), BTreeMap<String, Points>>,
}

impl DepthByTime {
    pub(super) fn add(&mut self, settings: &Settings, games: &[Played]) {
        let lines = self.games.entry((settings.game.clone(), settings.players)).or_default();
        for (name, row) in settings.agents.iter().zip(tally(settings.agents.len(), games)) {
            let bare = Spec::parse(name).and_then(|spec| own_budget(&spec));
            let name = bare.map_or_else(|_| name.clone(), |(bare, _)| bare.to_string());
            if row.depth > 0.0 && !row.time.is_zero() {
                lines.entry(name).or_default().push((row.time.as_secs_f64() * 1e3, row.depth));
            }
        }
    }

    pub(super) fn draw(self, folder: &Path) -> Result<(), Error> {
        for ((game, players), lines) in self.games {
            let mut lines: Lines = lines.into_iter().filter(|(_, points)| points.len() > 1).collect();
            for (_, points) in &mut lines {
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
            if !lines.is_empty() {
                let svg =
                    factors_svg(&format!("{game}, {players} players"), "mean time in ms a move", "mean depth", &lines);
                save(&folder.join(format!("{}-{players}-depth-by-time.svg", file_name(&game))), &svg)?;
            }
        }
        Ok(())
    }
}

/// Draws all plots of an experiment; their files are named after it.
pub(super) fn draw(folder: &Path, experiment: &Experiment, games: &[Played]) -> Result<(), Error> {
    let settings = &experiment.settings;
    let name = file_name(&experiment.name);
    let title = title(settings, games);
    let lengths: Vec<usize> = games.iter().map(|played| played.moves.len()).collect();
    let distances = Distances::of(settings, games);
    let depths = by_move(settings, games, |step| step.depth.into());
    let times = by_move(settings, games, |step| step.time.as_secs_f64() * 1e3);
    let mut plots = vec![
        ("rates", rates(settings, games)),
        ("lengths", lengths_svg(&title, &lengths)),
        ("depths", lines_svg(&title, "own move", "mean depth", &depths)),
        ("times", lines_svg(&title, "own move", "mean time in ms", &times)),
        ("moves", moves(settings, games, distances.as_ref())),
        ("games", marks(settings, games, distances.as_ref())),
    ];
    if let Some(distances) = &distances {
        let progress = progress(settings, games, distances);
        plots.push(("progress", lines_svg(&title, "own move", "mean moves from winning", &progress)));
    }
    for (what, svg) in plots {
        save(&folder.join(format!("{name}-{what}.svg")), &svg)?;
    }
    Ok(())
}

/// What a kind needed in a game that somebody won.
struct Needed {
    game: u64,
    /// The moves it made, and would still have needed: the mean over its seats.
    made: f64,
    left: f64,
    is_winner: bool,
}

/// What a kind needed in each game that one player won, by nobody's fault; where distances are not known, only in those that it
/// won.
fn needed(kind: usize, games: &[Played], distances: Option<&Distances>) -> Vec<Needed> {
    let of = |(at, played): (usize, &Played)| {
        let winner = played.payoff.iter().position(|&share| share > 0.999).filter(|_| played.forfeit.is_none())?;
        let is_winner = played.seating[winner] == kind;
        let seats: Vec<usize> = match distances {
            Some(_) => (0..played.seating.len()).filter(|&seat| played.seating[seat] == kind).collect(),
            None => is_winner.then_some(winner).into_iter().collect(),
        };
        let left = distances.map_or(Some(&[][..]), |distances| distances.left[at].as_deref())?;
        let mean =
            |value: &dyn Fn(usize) -> f64| seats.iter().map(|&seat| value(seat)).sum::<f64>() / seats.len() as f64;
        let made = mean(&|seat| played.costs[seat].moves as f64);
        let left = mean(&|seat| left.get(seat).copied().unwrap_or(0.0));
        (!seats.is_empty()).then_some(Needed { game: played.number, made, left, is_winner })
    };
    games.iter().enumerate().filter_map(of).collect()
}

/// The moves that each kind made and, where that is known, would still have needed.
fn moves(settings: &Settings, games: &[Played], distances: Option<&Distances>) -> String {
    let row = |(kind, name): (usize, &String)| {
        let needed = needed(kind, games, distances);
        let mean = |value: fn(&Needed) -> f64| needed.iter().map(value).sum::<f64>() / needed.len().max(1) as f64;
        let interval = spread(&needed.iter().map(|needed| needed.made + needed.left).collect::<Vec<f64>>());
        Moves { name: name.clone(), made: mean(|needed| needed.made), left: mean(|needed| needed.left), interval }
    };
    let rows: Vec<Moves> = settings.agents.iter().enumerate().map(row).collect();
    let note = match distances {
        Some(_) => "games won: moves made + moves still needed at the end (pale), with 95 % intervals",
        None => "own moves in games won alone, with 95 % intervals",
    };
    moves_svg(&title(settings, games), &rows, note)
}

/// The 95 % interval of a mean; nothing is known of it with a single value.
fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let margin = student(values.len()) * (variance / n).sqrt();
    (values.len() > 1).then_some((mean - margin, mean + margin))
}

/// Game by game what [`moves`] shows on average.
fn marks(settings: &Settings, games: &[Played], distances: Option<&Distances>) -> String {
    let most = (MARKS / settings.agents.len().max(1)).max(20);
    let shown = &games[..games.len().min(most)];
    let marks = |kind: usize| {
        let needed = needed(kind, shown, distances).into_iter();
        needed
            .map(|Needed { game, made, left, is_winner }| Mark { game, value: made + left, is_won: is_winner })
            .collect()
    };
    let kinds: Vec<_> = settings.agents.iter().enumerate().map(|(kind, name)| (name.clone(), marks(kind))).collect();
    let mut title = title(settings, games);
    if shown.len() < games.len() {
        title.push_str(&format!(": the first {most}"));
    }
    let up = if distances.is_some() { "moves made and still needed" } else { "own moves to win" };
    games_svg(&title, up, &kinds)
}

/// A line of at most [`POINTS`] points, each the mean of as many neighbours as it takes, by their weights.
fn thinned(points: &[(f64, f64, f64)]) -> Vec<(f64, f64)> {
    let mean = |chunk: &[(f64, f64, f64)]| {
        let weight: f64 = chunk.iter().map(|point| point.2).sum();
        let over =
            |value: fn(&(f64, f64, f64)) -> f64| chunk.iter().map(|point| value(point) * point.2).sum::<f64>() / weight;
        (over(|point| point.0), over(|point| point.1))
    };
    points.chunks(points.len().div_ceil(POINTS).max(1)).map(mean).collect()
}

/// For each kind how far from winning it was on average after so many own moves; a game that has ended stays as it ended.
fn progress(settings: &Settings, games: &[Played], distances: &Distances) -> Lines {
    let line = |(kind, name): (usize, &String)| {
        let all = games.iter().zip(&distances.course);
        let seats = all.flat_map(|(played, course)| course.iter().flatten().zip(&played.seating));
        let courses: Vec<&Vec<f64>> = seats.filter(|(_, other)| **other == kind).map(|(course, _)| course).collect();
        let mut lengths: Vec<usize> = courses.iter().map(|course| course.len()).collect();
        lengths.sort_unstable();
        // While a quarter of the games last.
        let last = lengths.get(lengths.len() * 3 / 4).copied().unwrap_or(0);
        let at = |index: usize, course: &[f64]| course[index.min(course.len() - 1)];
        let mean = |index: usize| courses.iter().map(|course| at(index, course)).sum::<f64>() / courses.len() as f64;
        (name.clone(), thinned(&(0..last).map(|index| (index as f64, mean(index), 1.0)).collect::<Vec<_>>()))
    };
    settings.agents.iter().enumerate().map(line).collect()
}

/// For each kind the mean of a value over its first moves, its second moves, and so on, while a quarter of its games last.
fn by_move(settings: &Settings, games: &[Played], value: fn(&Step) -> f64) -> Lines {
    let mut sums: Vec<Vec<(u64, f64)>> = vec![Vec::new(); settings.agents.len()];
    for played in games {
        let mut made = vec![0; played.seating.len()];
        for step in &played.steps {
            let (kind, at) = (played.seating[step.seat], made[step.seat]);
            made[step.seat] += 1;
            let sums = &mut sums[kind];
            sums.resize(sums.len().max(at + 1), (0, 0.0));
            sums[at].0 += 1;
            sums[at].1 += value(step);
        }
    }
    let line = |(name, sums): (&String, &Vec<(u64, f64)>)| {
        let enough = sums.first().map_or(0, |first| first.0.div_ceil(4));
        let lasting = sums.iter().take_while(|(count, _)| *count >= enough).enumerate();
        let points = lasting.map(|(at, &(count, sum))| (at as f64 + 1.0, sum / count as f64, count as f64));
        (name.clone(), thinned(&points.collect::<Vec<_>>()))
    };
    settings.agents.iter().zip(&sums).map(line).collect()
}

#[cfg(test)]
mod tests {
    use nply_arena::{Cost, Forfeit};

    use super::*;

    fn played(number: u64, seating: &[usize], payoff: &[f32], moves: &[u64]) -> Played {
        Played {
            number,
            seating: seating.into(),
            seed: 0,
            payoff: payoff.into(),
            points: None,
            moves: Vec::new(),
            steps: Vec::new(),
            costs: moves.iter().map(|&moves| Cost { moves, ..Cost::default() }).collect(),
            forfeit: None,
        }
    }

    /// Kind 1 wins, a draw, a forfeit, kind 0 wins.
    fn games() -> Vec<Played> {
        let forfeit = Some(Forfeit { seat: 1, why: String::new() });
        vec![
            played(0, &[0, 1, 0], &[0.0, 1.0, 0.0], &[20, 21, 22]),
            played(1, &[0, 1, 0], &[0.5, 0.5, 0.0], &[50, 50, 50]),
            Played { forfeit, ..played(2, &[0, 1, 1], &[1.0, 0.0, 0.0], &[3, 2, 2]) },
            played(3, &[1, 0, 0], &[0.0, 0.0, 1.0], &[30, 31, 29]),
        ]
    }

    fn found(kind: usize, distances: Option<&Distances>) -> Vec<(u64, f64, f64, bool)> {
        let needed = needed(kind, &games(), distances);
        needed.iter().map(|needed| (needed.game, needed.made, needed.left, needed.is_winner)).collect()
    }

    #[test]
    fn moves_are_those_of_games_that_somebody_won() {
        assert_eq!(found(0, None), [(3, 29.0, 0.0, true)]);
        assert_eq!(found(1, None), [(0, 21.0, 0.0, true)]);
        // Where it is known, losers have what they made and still needed.
        let left = [[4.0, 0.0, 6.0], [1.0; 3], [1.0; 3], [2.0, 3.0, 0.0]].map(|left| Some(left.to_vec()));
        let mut distances = Distances { left: left.into(), course: Vec::new() };
        assert_eq!(found(0, Some(&distances)), [(0, 21.0, 5.0, false), (3, 30.0, 1.5, true)]);
        assert_eq!(found(1, Some(&distances)), [(0, 21.0, 0.0, true), (3, 30.0, 2.0, false)]);
        distances.left[0] = None;
        assert_eq!(found(1, Some(&distances)), [(3, 30.0, 2.0, false)]);
    }

    #[test]
    fn progress_is_a_mean_in_which_ended_games_stay() {
        let settings = Settings { agents: vec!["a".into(), "b".into()], players: 2, ..Settings::default() };
        let games = [played(0, &[0, 1], &[1.0, 0.0], &[2, 1]), played(1, &[1, 0], &[1.0, 0.0], &[3, 3])];
        let course =
            vec![Some(vec![vec![9.0, 5.0, 0.0], vec![9.0, 7.0]]), Some(vec![vec![9.0; 4], vec![9.0, 8.0, 6.0, 4.0]])];
        let lines = progress(&settings, &games, &Distances { left: Vec::new(), course });
        assert_eq!(lines[0], ("a".into(), vec![(0.0, 9.0), (1.0, 6.5), (2.0, 3.0), (3.0, 2.0)]));
        assert_eq!(lines[1], ("b".into(), vec![(0.0, 9.0), (1.0, 8.0), (2.0, 8.0), (3.0, 8.0)]));
    }

    #[test]
    fn long_lines_are_thinned_by_weighted_means() {
        let points: Vec<(f64, f64, f64)> = (0..240).map(|at| (f64::from(at), f64::from(at % 4), 1.0)).collect();
        let thin = thinned(&points);
        assert_eq!((thin.len(), thin[0], thin[59]), (60, (1.5, 1.5), (237.5, 1.5)));
        assert_eq!(thinned(&[(1.0, 2.0, 5.0)]), [(1.0, 2.0)]);
        let heavy: Vec<(f64, f64, f64)> = (0..61)
            .map(|at| (f64::from(at), if at == 0 { 8.0 } else { 0.0 }, if at == 0 { 3.0 } else { 1.0 }))
            .collect();
        assert_eq!(thinned(&heavy)[0], (0.25, 6.0));
        assert!(thinned(&[]).is_empty());
    }

    #[test]
    fn the_interval_of_a_mean_comes_from_its_spread() {
        let (low, high) = spread(&[4.0, 6.0, 8.0]).unwrap();
        assert!((high - 6.0 - 4.303 * 2.0 / 3f64.sqrt()).abs() < 1e-9 && (low + high - 12.0).abs() < 1e-9);
        assert_eq!((spread(&[5.0]), spread(&[])), (None, None));
    }
}
