//! Tables of the results of a match, as text, Markdown, CSV, LaTeX or JSON.

use serde_json::{Value, json};

use crate::record::csv_field;
use crate::statistics::{Estimate, Row, Tally, normal_interval, wilson_interval};

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
            '∞' => escaped.push_str("$\\infty$"),
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

/// The tables of a match: results, who finishes ahead of whom, costs of decisions, rates by seat, and totals. Agents are in the
/// order of their rates.
pub fn tables(tally: &Tally) -> Vec<Table> {
    let rows = tally.rows();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    // The sort is stable: equals stay in the order in which they were given.
    order.sort_by(|&one, &other| rows[other].rate.value.total_cmp(&rows[one].rate.value));
    let match_of = Sorted { tally, rows, order };
    let mut tables = vec![match_of.results()];
    tables.extend((match_of.rows.len() > 1).then(|| match_of.head_to_head()));
    tables.extend([match_of.thinking(), match_of.by_seat(), match_of.totals()]);
    tables
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.into()).collect()
}

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

fn with_ends(rate: Estimate) -> String {
    format!("{} ({:.1} to {:.1})", percent(rate.value), 100.0 * rate.low, 100.0 * rate.high)
}

fn maybe(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.2}"))
}

/// A difference of ratings; those of agents that won or lost everything are infinite.
fn rating(value: f64) -> String {
    match value {
        value if value.is_infinite() => if value > 0.0 { "+∞" } else { "-∞" }.into(),
        value if value.round() == 0.0 => "0".into(),
        value => format!("{value:+.0}"),
    }
}

/// A match with its agents in the order of their rates.
struct Sorted<'a> {
    tally: &'a Tally,
    rows: Vec<Row>,
    order: Vec<usize>,
}

impl Sorted<'_> {
    /// A line for each agent, its name first.
    fn lines(&self, cells: impl Fn(usize, &Row) -> Vec<String>) -> Vec<Vec<String>> {
        let line = |&agent: &usize| {
            let name = self.tally.settings().label(agent).into();
            std::iter::once(name).chain(cells(agent, &self.rows[agent])).collect()
        };
        self.order.iter().map(line).collect()
    }

    /// The results. Columns without a value for any agent are left out.
    fn results(&self) -> Table {
        let settings = self.tally.settings();
        let has_forfeits = self.rows.iter().any(|row| row.forfeits > 0);
        let has_late = self.rows.iter().any(|row| row.out_of_time > 0);
        let has_raw = self.rows.iter().any(|row| row.raw.is_some());
        let is_rated = self.rows.len() > 1;
        let mut header = words(&["agent", "games", "points", "rate (95 % interval)", "mean rank"]);
        let first = settings.label(0);
        // A long name would widen the table; the first agent of the match is the one with 0.
        let first = if first.chars().count() <= 16 { first } else { "the one with 0" };
        header.extend(is_rated.then(|| format!("rating to {first}")));
        header.extend(has_forfeits.then(|| "forfeits".into()));
        header.extend(has_late.then(|| "on time".into()));
        header.extend(has_raw.then(|| "raw points".into()));
        let cells = |agent: usize, row: &Row| {
            let mut cells = vec![
                row.games.to_string(),
                format!("{:.1}", row.points),
                with_ends(row.rate),
                maybe(row.rank.map(|rank| rank.value)),
            ];
            let rated =
                |found: Estimate| format!("{} ({} to {})", rating(found.value), rating(found.low), rating(found.high));
            let first = if agent == 0 { "0" } else { "-" };
            cells.extend(is_rated.then(|| self.tally.rating(agent).map_or_else(|| first.into(), rated)));
            cells.extend(has_forfeits.then(|| row.forfeits.to_string()));
            cells.extend(has_late.then(|| row.out_of_time.to_string()));
            cells.extend(has_raw.then(|| maybe(row.raw)));
            cells
        };
        let caption = format!("{}, {} players: {} games", settings.game, settings.players, self.tally.games());
        Table { caption, header, rows: self.lines(cells) }
    }

    /// How often each agent finishes ahead of each other one, in percent.
    fn head_to_head(&self) -> Table {
        let mut header = words(&["agent"]);
        header.extend((1..=self.order.len()).map(|place| place.to_string()));
        let cell = |found: Estimate| {
            format!("{:.0} ({:.0} to {:.0})", 100.0 * found.value, 100.0 * found.low, 100.0 * found.high)
        };
        let mut rows = self.lines(|agent, _| {
            let against = |&other: &usize| self.tally.ahead(agent, other).filter(|_| agent != other);
            self.order.iter().map(|other| against(other).map_or_else(|| "-".into(), cell)).collect()
        });
        rows.iter_mut().enumerate().for_each(|(place, row)| row[0] = format!("{} {}", place + 1, row[0]));
        let caption = "Finishes ahead, in % of the games of both, with 95 % intervals; a tie counts half".into();
        Table { caption, header, rows }
    }

    /// The moves and the costs of decisions; overruns where there is a time budget, playouts where there are any.
    fn thinking(&self) -> Table {
        let is_timed = self.rows.iter().any(|row| row.overruns.is_some());
        let has_playouts = self.rows.iter().any(|row| row.playouts.is_some());
        let has_left = self.rows.iter().any(|row| row.moves_from_winning.is_some());
        let mut header = words(&["agent", "moves", "moves to win"]);
        header.extend(has_left.then(|| "moves left".into()));
        header.extend(words(&["depth", "game plies", "nodes/move"]));
        header.extend(has_playouts.then(|| "playouts/move".into()));
        header.push("ms/move".into());
        header.extend(is_timed.then(|| "overruns (longest)".into()));
        let cells = |_: usize, row: &Row| {
            let mut cells = vec![row.moves.to_string(), maybe(row.moves_to_win)];
            cells.extend(has_left.then(|| maybe(row.moves_from_winning)));
            cells.push(format!("{:.2}", row.depth.map_or(0.0, |depth| depth.value)));
            cells.push(format!("{:.2}", row.standard));
            cells.push(format!("{:.0}", row.nodes));
            let playouts = || row.playouts.map_or_else(|| "-".into(), |playouts| format!("{playouts:.0}"));
            cells.extend(has_playouts.then(playouts));
            cells.push(format!("{:.3}", row.time.as_secs_f64() * 1e3));
            let late = |late: u64| format!("{late} ({:.1} ms)", row.over.as_secs_f64() * 1e3);
            cells.extend(is_timed.then(|| row.overruns.map_or_else(|| "-".into(), late)));
            cells
        };
        let caption = format!("Thinking, with {}", self.tally.settings().limits_text());
        Table { caption, header, rows: self.lines(cells) }
    }

    /// Rates by seat.
    fn by_seat(&self) -> Table {
        let mut header = words(&["agent"]);
        header.extend((1..=self.tally.settings().players).map(|seat| format!("seat {seat}")));
        let rate = |&(times, points): &(u64, f64)| if times == 0 { "-".into() } else { percent(points / times as f64) };
        let mut rows = self.lines(|_, row| row.seats.iter().map(rate).collect());
        let all = self.tally.totals().seats.into_iter().map(|(_, rate)| rate.map_or_else(|| "-".into(), with_ends));
        rows.push(std::iter::once("all".into()).chain(all).collect());
        Table { caption: "Rates by seat".into(), header, rows }
    }

    /// Totals over all games.
    fn totals(&self) -> Table {
        let totals = self.tally.totals();
        let (mean, least, most) = totals.plies;
        let signed = |part: f64| format!("{:+.1}", 100.0 * part);
        let first = totals.first_seat().map_or_else(
            || "-".into(),
            |first| format!("{} % ({} to {})", signed(first.value), signed(first.low), signed(first.high)),
        );
        let mut header = words(&["games", "distinct", "draws", "by the ply limit"]);
        let counts = [totals.games, totals.distinct, totals.draws, totals.cut_off];
        let mut row: Vec<String> = counts.iter().map(u64::to_string).collect();
        if totals.adjudicated > 0 {
            header.push("adjudicated".into());
            row.push(totals.adjudicated.to_string());
        }
        header.extend(words(&["forfeits", "plies", "advantage of seat 1"]));
        row.extend([totals.forfeits.to_string(), format!("{mean:.1} ({least} to {most})"), first]);
        Table { caption: "All games".into(), header, rows: vec![row] }
    }
}

/// An estimate as JSON; infinite ends are missing.
fn estimate_json(found: Estimate) -> Value {
    json!({ "value": finite(found.value), "interval": [finite(found.low), finite(found.high)], "games": found.games })
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// The results of a match as JSON, with all digits. Agents are in the order in which they were given.
pub fn json(name: &str, tally: &Tally) -> Value {
    let (settings, rows, totals) = (tally.settings(), tally.rows(), tally.totals());
    let agents = settings.labels().into_iter().zip(&rows).enumerate().map(|(agent, (name, row))| {
        let seats: Vec<Value> =
            row.seats.iter().map(|(games, points)| json!({ "games": games, "points": points })).collect();
        let Estimate { value: rate, low, high, .. } = row.rate;
        let ahead: Vec<Value> = (0..rows.len())
            .map(|other| tally.ahead(agent, other).filter(|_| agent != other).map_or(Value::Null, estimate_json))
            .collect();
        json!({
            "agent": name, "settings": settings.agents[agent], "games": row.games, "forfeits": row.forfeits,
            "out_of_time": row.out_of_time, "points": row.points, "rate": rate,
            "interval": [low, high], "normal": normal_interval(rate, row.games),
            "wilson": wilson_interval(rate, row.games), "rank": row.rank.map(estimate_json), "ahead_of": ahead,
            "seats": seats, "moves": row.moves, "depth": row.depth.map_or(0.0, |depth| depth.value),
            "standard_depth": row.standard, "nodes": row.nodes, "playouts": row.playouts, "time_ms": row.time.as_secs_f64() * 1e3,
            "overrun_ms": row.over.as_secs_f64() * 1e3, "overruns": row.overruns, "moves_to_win": row.moves_to_win,
            "moves_from_winning": row.moves_from_winning, "raw_points": row.raw,
            "rating": tally.rating(agent).map(estimate_json),
        })
    });
    let seats = totals.seats.iter().map(|(points, rate)| {
        let rate = rate.unwrap_or(Estimate { value: 0.0, low: 0.0, high: 1.0, games: 0 });
        json!({ "points": points, "rate": rate.value, "interval": [rate.low, rate.high] })
    });
    let first = totals.first_seat();
    json!({
        "match": name,
        "first_seat": first.map(|first| json!({ "advantage": first.value, "interval": [first.low, first.high] })),
        "game": settings.game, "players": settings.players, "budget": settings.budget, "clock": settings.clock,
        "adjudicate": settings.adjudicate, "openings": settings.openings, "seed": settings.seed, "version": settings.version, "fingerprint": settings.fingerprint, "games": totals.games,
        "distinct": totals.distinct, "repeats": totals.games - totals.distinct, "draws": totals.draws,
        "cut_off": totals.cut_off, "adjudicated": totals.adjudicated, "forfeits": totals.forfeits,
        "plies": { "mean": totals.plies.0, "least": totals.plies.1, "most": totals.plies.2 },
        "seats": seats.collect::<Vec<Value>>(), "agents": agents.collect::<Vec<Value>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cost, GameRecord};
    use crate::registry::Registry;
    use crate::store::MatchSettings;

    fn table() -> Table {
        let text = |words: &[&str]| words.iter().map(|&word| word.into()).collect::<Vec<String>>();
        Table {
            caption: "A & B".into(),
            header: text(&["agent", "rate"]),
            rows: vec![text(&["max^n, \"x\"|y", "5 %"])],
        }
    }

    /// Four games of three agents with three seats and points: the second agent wins three, and the first and the third share one.
    fn sample(budget: &str, playouts: u64) -> Vec<Table> {
        let settings = MatchSettings {
            game: "rolit".into(),
            players: 3,
            agents: ["brs", "paranoid", "maxn:ties=cautious"].map(String::from).into(),
            budget: budget.into(),
            ..MatchSettings::default()
        };
        let game = |number: u64, payoff: [f32; 3], points: [f32; 3]| GameRecord {
            number,
            seating: vec![0, 1, 2],
            payoff: payoff.into(),
            points: Some(points.into()),
            moves: vec![number.to_string(); 40],
            costs: vec![Cost { moves: 14, depth: 56, standard: 70, nodes: 280_000, playouts, ..Cost::default() }; 3],
            ..GameRecord::default()
        };
        let games = [
            game(0, [0.0, 1.0, 0.0], [20.0, 30.0, 14.0]),
            game(1, [0.0, 1.0, 0.0], [20.0, 30.0, 14.0]),
            game(2, [0.0, 1.0, 0.0], [14.0, 30.0, 20.0]),
            game(3, [0.5, 0.0, 0.5], [25.0, 14.0, 25.0]),
        ];
        tables(&Tally::of(&Registry::empty(), &settings, &games))
    }

    fn column<'a>(table: &'a Table, name: &str) -> Option<Vec<&'a str>> {
        let at = table.header.iter().position(|header| header == name)?;
        Some(table.rows.iter().map(|row| row[at].as_str()).collect())
    }

    #[test]
    fn agents_are_in_the_order_of_their_rates_and_equals_in_that_of_the_match() {
        let tables = sample("nodes=20k", 0);
        for table in &tables[..4] {
            let names = column(table, "agent").unwrap();
            let bare: Vec<&str> =
                names.iter().take(3).map(|name| name.trim_start_matches(|c| " 123".contains(c))).collect();
            assert_eq!(bare, ["paranoid", "brs", "maxn:ties=cautious"], "{}", table.caption);
        }
        assert_eq!(column(&tables[0], "points").unwrap(), ["3.0", "0.5", "0.5"]);
        // Second twice, third once, and first together with another.
        assert_eq!(column(&tables[0], "mean rank").unwrap(), ["1.50", "2.12", "2.38"]);
        assert_eq!(tables[0].rows[0][3], "75.0 % (30.1 to 95.4)");
    }

    #[test]
    fn who_finishes_ahead_of_whom_has_a_cell_for_each_pair() {
        let tables = sample("nodes=20k", 0);
        assert_eq!(tables[1].rows[0], ["1 paranoid", "-", "75 (30 to 95)", "75 (30 to 95)"]);
        // Ahead twice, behind once, and a tie.
        assert_eq!(tables[1].rows[1], ["2 brs", "25 (5 to 70)", "-", "62 (22 to 91)"]);
        // As differences of ratings to the first agent of the match.
        assert_eq!(column(&tables[0], "rating to brs").unwrap(), ["+191 (-147 to +528)", "0", "-89 (-398 to +220)"]);
        assert_eq!(
            (rating(f64::INFINITY), rating(f64::NEG_INFINITY), rating(-0.3)),
            ("+∞".into(), "-∞".into(), "0".into())
        );
    }

    #[test]
    fn columns_are_there_where_they_mean_something() {
        let (plain, timed, playing) = (sample("nodes=20k", 0), sample("time=100ms", 0), sample("nodes=20k", 700));
        for (name, tables, is_there) in [
            ("overruns (longest)", &plain, false),
            ("overruns (longest)", &timed, true),
            ("playouts/move", &plain, false),
            ("playouts/move", &playing, true),
            ("forfeits", &plain, false),
        ] {
            let table = &tables[if name == "forfeits" { 0 } else { 2 }];
            assert_eq!(column(table, name).is_some(), is_there, "{name}: {table:?}");
        }
        assert_eq!(column(&playing[2], "playouts/move").unwrap(), ["50"; 3]);
        let totals = &plain[4];
        assert_eq!(totals.rows[0][..6], ["4", "4", "1", "0", "0", "40.0 (40 to 40)"], "{totals:?}");
    }

    #[test]
    fn tables_are_readable_at_100_columns() {
        for table in sample("nodes=20k", 0).iter().chain(&sample("time=100ms", 0)) {
            for line in table.write(Format::Text).lines() {
                assert!(line.chars().count() <= 100, "{line}");
            }
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
