//! Tables of the results of a match, as text, Markdown, CSV, LaTeX or JSON.

use serde_json::{Value, json};

use crate::record::{GameRecord, csv_field};
use crate::registry::Registry;
use crate::statistics::{
    Distances, Estimate, Row, interval, normal_interval, overruns, ratings, tally, totals, wilson_interval,
};
use crate::store::MatchSettings;

/// A table of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The caption.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// A format of tables.
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

/// A figure with about three significant digits.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 || value == 0.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        size => format!("{value:.*}", 1 + (-size.log10()).ceil().min(17.0) as usize),
    }
}

/// An estimate with its interval.
pub fn estimate_text(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "-".into(),
        Some(Estimate { value, high, .. }) if high.is_infinite() => figure(value),
        Some(Estimate { value, low, high, .. }) => {
            format!("{} ({} to {})", figure(value), figure(low), figure(high))
        }
    }
}

/// The tables of a match: results, costs of decisions, and rates by seat.
pub fn tables(registry: &Registry, settings: &MatchSettings, games: &[GameRecord]) -> Vec<Table> {
    let rows = tally(settings.agents.len(), games);
    vec![results(registry, settings, &rows, games), thinking(settings, &rows, games), by_seat(settings, &rows, games)]
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

/// The results. Columns without a value for any agent are left out.
fn results(registry: &Registry, settings: &MatchSettings, rows: &[Row], games: &[GameRecord]) -> Table {
    let maybe = |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.2}"));
    let distances = Distances::of(registry, settings, games);
    let has_forfeits = rows.iter().any(|row| row.forfeits > 0);
    let has_late = rows.iter().any(|row| row.out_of_time > 0);
    let has_raw = rows.iter().any(|row| row.raw.is_some());
    let mut table = Table {
        caption: format!("{}, {} players: {} games", settings.game, settings.players, games.len()),
        header: words(&["agent", "games", "points", "rate (95 % interval)", "moves to win", "rating"]),
        rows: Vec::new(),
    };
    table.header.extend(distances.is_some().then(|| "moves from winning".into()));
    table.header.extend(has_forfeits.then(|| "forfeits".into()));
    table.header.extend(has_late.then(|| "on time".into()));
    table.header.extend(has_raw.then(|| "raw points".into()));
    let ratings = ratings(rows.len(), games);
    for (agent, ((name, row), rating)) in settings.labels().into_iter().zip(rows).zip(&ratings).enumerate() {
        let mut line = vec![
            name,
            row.games.to_string(),
            format!("{:.1}", row.points),
            with_ends(row.rate(), row.interval()),
            maybe(row.moves_to_win),
            format!("{:.1} ± {:.1}", rating.mean, 2.0 * rating.deviation),
        ];
        line.extend(distances.as_ref().map(|distances| maybe(distances.mean(agent, games))));
        line.extend(has_forfeits.then(|| row.forfeits.to_string()));
        line.extend(has_late.then(|| row.out_of_time.to_string()));
        line.extend(has_raw.then(|| maybe(row.raw)));
        table.rows.push(line);
    }
    table
}

/// The costs of decisions; overruns are counted where there is a time budget.
fn thinking(settings: &MatchSettings, rows: &[Row], games: &[GameRecord]) -> Table {
    let mut table = Table {
        caption: format!("Thinking, with {}", settings.limits_text()),
        header: words(&["agent", "moves", "depth", "plies of the game", "nodes/move", "ms/move", "longest overrun"]),
        rows: Vec::new(),
    };
    let late: Vec<Option<u64>> = (0..rows.len()).map(|agent| overruns(agent, settings, games)).collect();
    let is_timed = late.iter().any(Option::is_some);
    table.header.extend(is_timed.then(|| "overruns".into()));
    for ((name, row), late) in settings.labels().into_iter().zip(rows).zip(late) {
        let over = if row.over.is_zero() { "-".into() } else { format!("{:.1} ms", row.over.as_secs_f64() * 1e3) };
        let mut line = vec![
            name,
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

/// Rates by seat, and totals over all games.
fn by_seat(settings: &MatchSettings, rows: &[Row], games: &[GameRecord]) -> Table {
    let totals = totals(games);
    let ((mean, least, most), draws) = (totals.plies, totals.draws);
    let (first, (low, high)) = totals.first_seat();
    let seat = format!("{:+.1} % ({:+.1} to {:+.1})", 100.0 * first, 100.0 * low, 100.0 * high);
    let repeats = if totals.repeats > 0 { format!(", {} repeat others", totals.repeats) } else { String::new() };
    let ended = totals.adjudicated;
    let adjudicated = if ended > 0 { format!(", {ended} are adjudicated") } else { String::new() };
    let caption = format!(
        "Rates by seat; games have {mean:.1} plies ({least} to {most}), {draws} are shared{adjudicated}{repeats}; advantage of seat 1: {seat}"
    );
    let mut table = Table { caption, header: words(&["agent"]), rows: Vec::new() };
    table.header.extend((1..=settings.players).map(|seat| format!("seat {seat}")));
    for (name, row) in settings.labels().into_iter().zip(rows) {
        let rate = |&(times, points): &(u64, f64)| if times == 0 { "-".into() } else { percent(points / times as f64) };
        table.rows.push(std::iter::once(name).chain(row.seats.iter().map(rate)).collect());
    }
    let all = totals.seats.iter().map(|points| {
        let rate = points / totals.games.max(1) as f64;
        with_ends(rate, interval(rate, totals.games))
    });
    table.rows.push(std::iter::once("all".into()).chain(all).collect());
    table
}

/// The results of a match as JSON, with all digits.
pub fn json(registry: &Registry, name: &str, settings: &MatchSettings, games: &[GameRecord]) -> Value {
    let count = settings.agents.len();
    let (rows, totals, ratings) = (tally(count, games), totals(games), ratings(count, games));
    let distances = Distances::of(registry, settings, games);
    let agents =
        settings.labels().into_iter().zip(&rows).zip(&ratings).enumerate().map(|(agent, ((name, row), rating))| {
            let seats: Vec<Value> =
                row.seats.iter().map(|(games, points)| json!({ "games": games, "points": points })).collect();
            json!({
                "agent": name, "settings": settings.agents[agent], "games": row.games, "forfeits": row.forfeits,
                "out_of_time": row.out_of_time, "points": row.points, "rate": row.rate(),
                "interval": row.interval(), "normal": normal_interval(row.rate(), row.games),
                "wilson": wilson_interval(row.rate(), row.games), "seats": seats, "moves": row.moves,
                "depth": row.depth, "standard_depth": row.standard, "nodes": row.nodes,
                "time_ms": row.time.as_secs_f64() * 1e3, "overrun_ms": row.over.as_secs_f64() * 1e3,
                "overruns": overruns(agent, settings, games), "moves_to_win": row.moves_to_win,
                "moves_from_winning": distances.as_ref().and_then(|distances| distances.mean(agent, games)),
                "raw_points": row.raw,
                "rating": { "mean": rating.mean, "deviation": rating.deviation },
            })
        });
    let seats = totals.seats.iter().map(|points| {
        let rate = points / totals.games.max(1) as f64;
        let (low, high) = interval(rate, totals.games);
        json!({ "points": points, "rate": rate, "interval": [low, high] })
    });
    let (first, ends) = totals.first_seat();
    json!({
        "match": name,
        "first_seat": { "advantage": first, "interval": ends },
        "game": settings.game, "players": settings.players, "budget": settings.budget, "clock": settings.clock,
        "adjudicate": settings.adjudicate, "seed": settings.seed,
        "version": settings.version, "fingerprint": settings.fingerprint, "games": totals.games,
        "draws": totals.draws, "adjudicated": totals.adjudicated, "repeats": totals.repeats,
        "plies": { "mean": totals.plies.0, "least": totals.plies.1, "most": totals.plies.2 },
        "seats": seats.collect::<Vec<Value>>(), "agents": agents.collect::<Vec<Value>>(),
    })
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
