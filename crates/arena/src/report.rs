//! Tables of what was played, as text, Markdown, CSV, LaTeX or JSON.

use serde_json::{Value, json};

use crate::measure::{Distances, overruns};
use crate::rating::ratings;
use crate::store::Settings;
use crate::tally::{Course, Row, course, interval, normal, tally, wilson};
use crate::tournament::{Forfeit, Played};

/// A table of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// How tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// In columns, for the terminal.
    #[default]
    Text,
    /// Markdown.
    Markdown,
    /// Comma-separated values, an empty line between tables.
    Csv,
    /// LaTeX, for the package `booktabs`.
    Latex,
}

impl Table {
    /// The table as text.
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Text => self.columns(),
            Format::Markdown => self.markdown(),
            Format::Csv => self.csv(),
            Format::Latex => self.latex(),
        }
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.header).chain(&self.rows)
    }

    fn widths(&self) -> Vec<usize> {
        let width =
            |column: usize| self.lines().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        (0..self.header.len()).map(|column| width(column).unwrap_or(0)).collect()
    }

    fn columns(&self) -> String {
        let widths = self.widths();
        let mut text = format!("{}\n", self.caption);
        for row in self.lines() {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(&format!("{cell:width$}  "));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn markdown(&self) -> String {
        let widths = self.widths();
        let line = |row: &[String]| {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{:width$}", cell.replace('|', "\\|")));
            format!("| {} |\n", cells.collect::<Vec<String>>().join(" | "))
        };
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width.max(3))).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("**{}**\n\n{}| {} |\n{rows}", self.caption, line(&self.header), rule.join(" | "))
    }

    fn csv(&self) -> String {
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(|cell| csv_field(cell)).collect();
            format!("{}\n", cells.join(","))
        };
        self.lines().map(line).collect()
    }

    fn latex(&self) -> String {
        let line = |row: &[String]| {
            let cells: Vec<String> = row.iter().map(|cell| latex_text(cell)).collect();
            format!("    {} \\\\\n", cells.join(" & "))
        };
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!(
            "\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\begin{{tabular}}{{l{}}}\n    \\toprule\n{}    \\midrule\n{rows}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n",
            latex_text(&self.caption),
            "r".repeat(self.header.len().saturating_sub(1)),
            line(&self.header),
        )
    }
}

/// A field of a line of comma-separated values, in quotes where it needs them.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

fn latex_text(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '^' => escaped.push_str("\\^{}"),
            '~' => escaped.push_str("\\~{}"),
            '±' => escaped.push_str("$\\pm$"),
            '–' => escaped.push_str("--"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The tables of one experiment: results, thinking, and seats.
pub fn tables(settings: &Settings, games: &[Played]) -> Vec<Table> {
    let rows = tally(settings.agents.len(), games);
    vec![results(settings, &rows, games), thinking(settings, &rows, games), by_seat(settings, &rows, games)]
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.into()).collect()
}

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

fn with_ends(rate: f64, (low, high): (f64, f64)) -> String {
    format!("{} ({:.1} to {:.1})", percent(rate), 100.0 * low, 100.0 * high)
}

/// Who won how often. Columns that say nothing of any kind are left out.
fn results(settings: &Settings, rows: &[Row], games: &[Played]) -> Table {
    let maybe = |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.2}"));
    let distances = Distances::of(settings, games);
    let has_forfeits = rows.iter().any(|row| row.forfeits > 0);
    let has_raw = rows.iter().any(|row| row.raw.is_some());
    let mut table = Table {
        caption: format!("{}, {} players: {} games", settings.game, settings.players, games.len()),
        header: words(&["agent", "games", "points", "rate (95 % interval)", "moves to win", "rating"]),
        rows: Vec::new(),
    };
    table.header.extend(distances.is_some().then(|| "moves from winning".into()));
    table.header.extend(has_forfeits.then(|| "forfeits".into()));
    table.header.extend(has_raw.then(|| "raw points".into()));
    let ratings = ratings(rows.len(), games);
    for (kind, ((name, row), rating)) in settings.agents.iter().zip(rows).zip(&ratings).enumerate() {
        let mut line = vec![
            name.clone(),
            row.games.to_string(),
            format!("{:.1}", row.points),
            with_ends(row.rate(), row.interval()),
            maybe(row.moves_to_win),
            format!("{:.1} ± {:.1}", rating.mean, 2.0 * rating.deviation),
        ];
        line.extend(distances.as_ref().map(|distances| maybe(distances.mean(kind, games))));
        line.extend(has_forfeits.then(|| row.forfeits.to_string()));
        line.extend(has_raw.then(|| maybe(row.raw)));
        table.rows.push(line);
    }
    table
}

/// What decisions cost; overruns are counted where there is a time budget.
fn thinking(settings: &Settings, rows: &[Row], games: &[Played]) -> Table {
    let mut table = Table {
        caption: format!("Thinking, with {} a move unless the agent says otherwise", settings.budget),
        header: words(&["agent", "moves", "depth", "plies of the game", "nodes/move", "ms/move", "longest overrun"]),
        rows: Vec::new(),
    };
    let late: Vec<Option<u64>> = (0..rows.len()).map(|kind| overruns(kind, settings, games)).collect();
    let is_timed = late.iter().any(Option::is_some);
    table.header.extend(is_timed.then(|| "overruns".into()));
    for ((name, row), late) in settings.agents.iter().zip(rows).zip(late) {
        let over = if row.over.is_zero() { "-".into() } else { format!("{:.1} ms", row.over.as_secs_f64() * 1e3) };
        let mut line = vec![
            name.clone(),
            row.moves.to_string(),
            format!("{:.2}", row.depth),
            format!("{:.2}", row.standard),
            format!("{:.0}", row.nodes),
            format!("{:.3}", row.time.as_secs_f64() * 1e3),
            over,
        ];
        line.extend(is_timed.then(|| late.map_or_else(|| "-".into(), |late| late.to_string())));
        table.rows.push(line);
    }
    table
}

/// Rates by seat, and what the games had in common.
fn by_seat(settings: &Settings, rows: &[Row], games: &[Played]) -> Table {
    let course = course(games);
    let ((mean, least, most), draws) = (course.plies, course.draws);
    let (first, (low, high)) = first_seat(&course);
    let seat = format!("{:+.1} % ({:+.1} to {:+.1})", 100.0 * first, 100.0 * low, 100.0 * high);
    let repeats = if course.repeats > 0 { format!(", {} repeat others", course.repeats) } else { String::new() };
    let caption = format!(
        "Rates by seat; games have {mean:.1} plies ({least} to {most}), {draws} are shared{repeats}; advantage of seat 1: {seat}"
    );
    let mut table = Table { caption, header: words(&["agent"]), rows: Vec::new() };
    table.header.extend((1..=settings.players).map(|seat| format!("seat {seat}")));
    for (name, row) in settings.agents.iter().zip(rows) {
        let rate = |&(times, points): &(u64, f64)| if times == 0 { "-".into() } else { percent(points / times as f64) };
        table.rows.push(std::iter::once(name.clone()).chain(row.seats.iter().map(rate)).collect());
    }
    let all = course.seats.iter().map(|points| {
        let rate = points / course.games.max(1) as f64;
        with_ends(rate, interval(rate, course.games))
    });
    table.rows.push(std::iter::once("all".into()).chain(all).collect());
    table
}

/// By how much the rate of the first seat is above an equal share, and the ends of its 95 % interval.
fn first_seat(course: &Course) -> (f64, (f64, f64)) {
    let share = 1.0 / course.seats.len().max(1) as f64;
    let rate = course.seats.first().map_or(share, |points| points / course.games.max(1) as f64);
    let (low, high) = interval(rate, course.games);
    (rate - share, (low - share, high - share))
}

/// The same as JSON, with all digits.
pub fn json(settings: &Settings, games: &[Played]) -> Value {
    let kinds = settings.agents.len();
    let (rows, course, ratings) = (tally(kinds, games), course(games), ratings(kinds, games));
    let distances = Distances::of(settings, games);
    let agents = settings.agents.iter().zip(&rows).zip(&ratings).enumerate().map(|(kind, ((name, row), rating))| {
        let seats: Vec<Value> =
            row.seats.iter().map(|(games, points)| json!({ "games": games, "points": points })).collect();
        json!({
            "agent": name, "games": row.games, "forfeits": row.forfeits, "points": row.points, "rate": row.rate(),
            "interval": row.interval(), "normal": normal(row.rate(), row.games),
            "wilson": wilson(row.rate(), row.games), "seats": seats, "moves": row.moves,
            "depth": row.depth, "standard_depth": row.standard, "nodes": row.nodes,
            "time_ms": row.time.as_secs_f64() * 1e3, "overrun_ms": row.over.as_secs_f64() * 1e3,
            "overruns": overruns(kind, settings, games), "moves_to_win": row.moves_to_win,
            "moves_from_winning": distances.as_ref().and_then(|distances| distances.mean(kind, games)),
            "raw_points": row.raw,
            "rating": { "mean": rating.mean, "deviation": rating.deviation },
        })
    });
    let seats = course.seats.iter().map(|points| {
        let rate = points / course.games.max(1) as f64;
        let (low, high) = interval(rate, course.games);
        json!({ "points": points, "rate": rate, "interval": [low, high] })
    });
    let (first, ends) = first_seat(&course);
    json!({
        "first_seat": { "advantage": first, "interval": ends },
        "game": settings.game, "players": settings.players, "budget": settings.budget, "seed": settings.seed,
        "version": settings.version, "games": course.games, "draws": course.draws, "repeats": course.repeats,
        "plies": { "mean": course.plies.0, "least": course.plies.1, "most": course.plies.2 },
        "seats": seats.collect::<Vec<Value>>(), "agents": agents.collect::<Vec<Value>>(),
    })
}

/// One game as JSON.
pub fn game_json(settings: &Settings, played: &Played) -> Value {
    let seat = |(seat, &kind): (usize, &usize)| {
        let cost = &played.costs[seat];
        json!({
            "agent": settings.agents.get(kind), "payoff": exact(played.payoff[seat]), "decisions": cost.moves,
            "points": played.points.as_ref().map(|points| exact(points[seat])),
            "depth": cost.depth, "standard_depth": cost.standard, "nodes": cost.nodes,
            "time_ms": cost.time.as_secs_f64() * 1e3, "overrun_ms": cost.over.as_secs_f64() * 1e3,
        })
    };
    let seats: Vec<Value> = played.seating.iter().enumerate().map(seat).collect();
    let depths: Vec<u32> = played.steps.iter().map(|step| step.depth).collect();
    json!({
        "game": played.number, "seed": played.seed.to_string(), "seats": seats, "plies": played.moves.len(),
        "moves": played.moves, "depths": depths,
        "forfeit": forfeit_json(played),
    })
}

/// Whose fault ended a game, and why, as JSON; null if nobody's.
pub fn forfeit_json(played: &Played) -> Value {
    json!(played.forfeit.as_ref().map(|forfeit| json!({ "seat": forfeit.seat + 1, "why": forfeit.why })))
}

/// A number of 32 bits as it reads, not with the digits that 64 bits show.
fn exact(number: f32) -> f64 {
    number.to_string().parse().expect("a number")
}

/// The games as comma-separated values, a line each under a header: who sat where, who won, what was played.
pub fn games_csv(settings: &Settings, games: &[Played]) -> String {
    let mut text = String::from("game,seed,seats,payoffs,points,plies,decisions,depths,nodes,time_ms,moves,forfeit\n");
    for played in games {
        let seats: Vec<&str> = played.seating.iter().map(|&kind| settings.agents[kind].as_str()).collect();
        let joined = |numbers: &[f32]| numbers.iter().map(f32::to_string).collect::<Vec<String>>().join(" ");
        let of =
            |value: &dyn Fn(&crate::Cost) -> String| played.costs.iter().map(value).collect::<Vec<String>>().join(" ");
        let forfeit = played.forfeit.as_ref().map(Forfeit::to_string);
        let fields = [
            played.number.to_string(),
            played.seed.to_string(),
            seats.join(" "),
            joined(&played.payoff),
            played.points.as_deref().map(joined).unwrap_or_default(),
            played.moves.len().to_string(),
            of(&|cost| cost.moves.to_string()),
            of(&|cost| cost.depth.to_string()),
            of(&|cost| cost.nodes.to_string()),
            of(&|cost| format!("{:.3}", cost.time.as_secs_f64() * 1e3)),
            played.moves.join(" "),
            forfeit.unwrap_or_default(),
        ];
        text.push_str(&fields.map(|field| csv_field(&field)).join(","));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let text = |words: &[&str]| words.iter().map(|&word| word.into()).collect::<Vec<String>>();
        Table {
            caption: "A & B".into(),
            header: text(&["agent", "rate"]),
            rows: vec![text(&["max^n, \"x\"|y", "5 %"])],
        }
    }

    #[test]
    fn tables_are_written_in_every_format() {
        assert_eq!(table().write(Format::Text), "A & B\nagent         rate\nmax^n, \"x\"|y  5 %\n");
        assert_eq!(table().write(Format::Csv), "agent,rate\n\"max^n, \"\"x\"\"|y\",5 %\n");
        let markdown = table().write(Format::Markdown);
        assert!(markdown.starts_with("**A & B**\n\n| agent        | rate |\n| ------------ | ---- |\n"), "{markdown}");
        assert!(markdown.contains("max^n, \"x\"\\|y"), "{markdown}");
        let latex = table().write(Format::Latex);
        assert!(latex.contains("\\caption{A \\& B}") && latex.contains("max\\^{}n, \"x\"|y & 5 \\% \\\\"), "{latex}");
    }
}
