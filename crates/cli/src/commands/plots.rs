//! The plots of matches: `--svg`.

use std::path::Path;

use nply::Error;
use nply_arena::statistics::{DepthByTime, MovesNeeded, Row, Series, Tally};
use nply_arena::{Mark, Moves, factors_svg, games_svg, lengths_svg, lines_svg, moves_svg, rates_svg};

use super::tournament::save;

/// The plots that `--svg PATH` writes: a file `*.svg` gets the rates of one match, any other path is a folder for all plots.
pub(super) struct Plots<'a> {
    path: &'a Path,
    by_time: DepthByTime,
}

impl<'a> Plots<'a> {
    /// Checks that the path can hold the plots of so many matches, and makes the folder.
    pub(super) fn new(path: &'a Path, matches: usize) -> Result<Plots<'a>, Error> {
        let shown = path.display();
        let plots = Plots { path, by_time: DepthByTime::default() };
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
    pub(super) fn draw(&mut self, name: &str, tally: &Tally) -> Result<(), Error> {
        if self.is_file() {
            return save(self.path, rates(tally));
        }
        self.by_time.add(tally);
        for (what, svg) in plots(tally) {
            save(&self.path.join(format!("{}-{what}.svg", file_name(name))), &svg)?;
        }
        Ok(())
    }

    /// Draws what several matches have in common.
    pub(super) fn finish(self) -> Result<(), Error> {
        for ((game, players), lines) in self.by_time.series() {
            let title = format!("Depth by time: {game}, {players} players");
            let svg = factors_svg(&title, "mean time in ms per move", "mean depth", &lines);
            save(&self.path.join(format!("{}-{players}-depth-by-time.svg", file_name(&game))), &svg)?;
        }
        Ok(())
    }
}

fn title(what: &str, tally: &Tally) -> String {
    let settings = tally.settings();
    format!("{what}: {}, {} players, {} games", settings.game, settings.players, tally.games())
}

fn rates(tally: &Tally) -> String {
    let settings = tally.settings();
    let rate = |(name, row): (String, Row)| (name, row.rate.value, (row.rate.low, row.rate.high));
    let rates: Vec<(String, f64, (f64, f64))> = settings.labels().into_iter().zip(tally.rows()).map(rate).collect();
    rates_svg(&title("Rates", tally), &rates, settings.even_rate())
}

fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

/// All plots of a match, by name.
fn plots(tally: &Tally) -> Vec<(&'static str, String)> {
    let lines = |what, up, series: &Series| lines_svg(&title(what, tally), "own move", up, series);
    let mut plots = vec![
        ("rates", rates(tally)),
        ("lengths", lengths_svg(&title("Lengths of games", tally), tally.lengths())),
        ("depths", lines("Depth by move", "mean depth", &tally.depths())),
        ("moves", moves(tally)),
        ("games", marks(tally)),
    ];
    // Packed files have no times of single moves.
    if let Some(times) = tally.times() {
        plots.push(("times", lines("Time by move", "mean time in ms", &times)));
    }
    if let Some(progress) = tally.progress() {
        plots.push(("progress", lines("Distance from winning by move", "mean moves from winning", &progress)));
    }
    plots
}

/// What the moves of [`moves`] and [`marks`] are.
fn moves_title(tally: &Tally) -> &'static str {
    if tally.knows_distances() { "Moves made and still needed" } else { "Moves to win" }
}

/// The moves that each agent made and, where that is known, would still have needed.
fn moves(tally: &Tally) -> String {
    let row = |(agent, name): (usize, String)| {
        let (made, left, interval) = tally.moves_needed(agent);
        Moves { name, made, left, interval }
    };
    let rows: Vec<Moves> = tally.settings().labels().into_iter().enumerate().map(row).collect();
    let note = match tally.knows_distances() {
        true => "games won: moves made + moves still needed at the end (pale), with 95 % intervals",
        false => "own moves in games won alone, with 95 % intervals",
    };
    moves_svg(&title(moves_title(tally), tally), &rows, note)
}

/// Game by game what [`moves`] shows on average.
fn marks(tally: &Tally) -> String {
    let mark = |needed: &MovesNeeded| {
        let MovesNeeded { game, made, left, is_winner } = *needed;
        Mark { game, value: made + left, is_won: is_winner }
    };
    let marks = |agent: usize| tally.marks(agent).iter().map(mark).collect();
    let names = tally.settings().labels().into_iter().enumerate();
    let agents: Vec<(String, Vec<Mark>)> = names.map(|(agent, name)| (name, marks(agent))).collect();
    let mut title = title(&format!("{}, game by game", moves_title(tally)), tally);
    if tally.marked() < tally.games() {
        title.push_str(&format!(", the first {}", tally.marked()));
    }
    let up = if tally.knows_distances() { "moves made and still needed" } else { "own moves to win" };
    games_svg(&title, up, &agents)
}
