//! The plots of matches: `--svg`.

use std::path::Path;

use nply::Error;
use nply_arena::statistics::{DepthByTime, Distances, MovesNeeded, by_move, mean_moves, moves_needed, progress, tally};
use nply_arena::{
    GameRecord, Mark, MatchSettings, Moves, Registry, factors_svg, games_svg, lengths_svg, lines_svg, moves_svg,
    rates_svg,
};

use super::tournament::save;

/// The largest number of marks that can be distinguished in one plot; of more games, the first are drawn.
const MARKS: usize = 200;

/// The plots that `--svg PATH` writes: a file `*.svg` gets the rates of one match, any other path is a folder for all plots.
pub(super) struct Plots<'a> {
    path: &'a Path,
    registry: &'a Registry,
    by_time: DepthByTime,
}

impl<'a> Plots<'a> {
    /// Checks that the path can hold the plots of so many matches, and makes the folder.
    pub(super) fn new(path: &'a Path, registry: &'a Registry, matches: usize) -> Result<Plots<'a>, Error> {
        let shown = path.display();
        let plots = Plots { path, registry, by_time: DepthByTime::default() };
        if !plots.is_file() {
            let made = std::fs::create_dir_all(path);
            made.map_err(|error| Error::file(format!("cannot make the folder {shown}: {error}")))?;
        } else if matches > 1 {
            let message = format!("{shown} can hold the plot of one match, and there are {matches}");
            return Err(Error::usage(message).help("name a folder for --svg, or select one match with --match"));
        } else {
            super::tournament::try_writing(path)?;
        }
        Ok(plots)
    }

    fn is_file(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "svg")
    }

    /// Draws the plots of a match; their files are named after it.
    pub(super) fn draw(&mut self, name: &str, settings: &MatchSettings, games: &[GameRecord]) -> Result<(), Error> {
        if self.is_file() {
            return save(self.path, rates(settings, games));
        }
        self.by_time.add(settings, games);
        for (what, svg) in plots(self.registry, settings, games) {
            save(&self.path.join(format!("{}-{what}.svg", file_name(name))), &svg)?;
        }
        Ok(())
    }

    /// Draws what several matches have in common.
    pub(super) fn finish(self) -> Result<(), Error> {
        for ((game, players), lines) in self.by_time.series() {
            let title = format!("{game}, {players} players");
            let svg = factors_svg(&title, "mean time in ms per move", "mean depth", &lines);
            save(&self.path.join(format!("{}-{players}-depth-by-time.svg", file_name(&game))), &svg)?;
        }
        Ok(())
    }
}

fn title(settings: &MatchSettings, games: &[GameRecord]) -> String {
    format!("{}, {} players, {} games", settings.game, settings.players, games.len())
}

fn rates(settings: &MatchSettings, games: &[GameRecord]) -> String {
    let rows = tally(settings.agents.len(), games);
    let rates: Vec<(String, f64, (f64, f64))> =
        settings.labels().into_iter().zip(&rows).map(|(name, row)| (name, row.rate(), row.interval())).collect();
    rates_svg(&title(settings, games), &rates, settings.even_rate())
}

fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

/// All plots of a match, by name.
fn plots(registry: &Registry, settings: &MatchSettings, games: &[GameRecord]) -> Vec<(&'static str, String)> {
    let title = title(settings, games);
    let lengths: Vec<usize> = games.iter().map(|record| record.moves.len()).collect();
    let distances = Distances::of(registry, settings, games);
    let depths = by_move(settings, games, |decision| decision.depth.into());
    let mut plots = vec![
        ("rates", rates(settings, games)),
        ("lengths", lengths_svg(&title, &lengths)),
        ("depths", lines_svg(&title, "own move", "mean depth", &depths)),
        ("moves", moves(settings, games, distances.as_ref())),
        ("games", marks(settings, games, distances.as_ref())),
    ];
    // Packed files have no times of single moves.
    if games.iter().any(GameRecord::has_times) {
        let times = by_move(settings, games, |decision| decision.time.as_secs_f64() * 1e3);
        plots.push(("times", lines_svg(&title, "own move", "mean time in ms", &times)));
    }
    if let Some(distances) = &distances {
        let progress = progress(settings, games, distances);
        plots.push(("progress", lines_svg(&title, "own move", "mean moves from winning", &progress)));
    }
    plots
}

/// The moves that each agent made and, where that is known, would still have needed.
fn moves(settings: &MatchSettings, games: &[GameRecord], distances: Option<&Distances>) -> String {
    let row = |(agent, name): (usize, String)| {
        let (made, left, interval) = mean_moves(&moves_needed(agent, games, distances));
        Moves { name, made, left, interval }
    };
    let rows: Vec<Moves> = settings.labels().into_iter().enumerate().map(row).collect();
    let note = match distances {
        Some(_) => "games won: moves made + moves still needed at the end (pale), with 95 % intervals",
        None => "own moves in games won alone, with 95 % intervals",
    };
    moves_svg(&title(settings, games), &rows, note)
}

/// Game by game what [`moves`] shows on average.
fn marks(settings: &MatchSettings, games: &[GameRecord], distances: Option<&Distances>) -> String {
    let most = (MARKS / settings.agents.len().max(1)).max(20);
    let shown = &games[..games.len().min(most)];
    let mark = |MovesNeeded { game, made, left, is_winner }| Mark { game, value: made + left, is_won: is_winner };
    let marks = |agent: usize| moves_needed(agent, shown, distances).into_iter().map(mark).collect();
    let agents: Vec<_> = settings.labels().into_iter().enumerate().map(|(agent, name)| (name, marks(agent))).collect();
    let mut title = title(settings, games);
    if shown.len() < games.len() {
        title.push_str(&format!(": the first {most}"));
    }
    let up = if distances.is_some() { "moves made and still needed" } else { "own moves to win" };
    games_svg(&title, up, &agents)
}
