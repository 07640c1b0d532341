//! Plots as SVG for print, in colors that color-blind people can distinguish; shapes and dashes differ as well.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::calibrate::{Calibrated, ENOUGH};
use crate::statistics::Point;

/// Okabe and Ito's palette, without yellow, which is too pale on white.
const COLORS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#000000"];
/// Dashes of lines. Seven colors and five of these make 35 different lines.
const DASHES: [&str; 5] = ["none", "9 4", "3 3", "12 3 3 3", "7 3 2 3 2 3"];
/// Keeps text readable on what is behind it.
const HALO: &str = r##"paint-order="stroke" stroke="#ffffff" stroke-width="4" stroke-linejoin="round""##;
/// An upper bound of the mean width of a letter of size 1.
const LETTER: f64 = 0.6;
/// The margin around everything.
const MARGIN: f64 = 24.0;

pub(crate) fn color(index: usize) -> &'static str {
    COLORS[index % COLORS.len()]
}

/// The approximate width of a text of this size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    LETTER * size * text.chars().count() as f64
}

/// A text that fits: first smaller, down to size 9, then cut in the middle, since names of agents differ at both ends.
fn fitted(text: &str, size: f64, room: f64) -> (String, f64) {
    let size = (size * room / width(text, size).max(1.0)).clamp(9.0, size);
    let (count, most) = (text.chars().count(), (room / (LETTER * size)) as usize);
    if count <= most {
        return (escape(text), size);
    }
    let half = most.saturating_sub(1) / 2;
    let (start, end) = (text.chars().take(half), text.chars().skip(count - half));
    (escape(&start.chain(['…']).chain(end).collect::<String>()), size)
}

/// The opening of a picture of this size, with its title.
fn open(title: &str, wide: f64, high: f64) -> String {
    // Letters of titles are bold, and so a tenth wider.
    let (title, size) = fitted(title, 17.0, (wide - 2.0 * MARGIN) / 1.1);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0}" height="{high:.0}" viewBox="0 0 {wide:.0} {high:.0}" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" font-size="14">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="{MARGIN}" y="30" font-size="{size:.1}" font-weight="bold">{title}</text>
"##
    )
}

/// A bar with a pale part at its end.
struct Bar<'a> {
    name: &'a str,
    solid: f64,
    pale: f64,
    interval: Option<(f64, f64)>,
    label: String,
}

/// Bars from the left, a row each.
struct Bars<'a> {
    rows: &'a [Bar<'a>],
    /// Where the axis ends, which begins at 0.
    most: f64,
    /// A value marked by a dashed line.
    even: Option<f64>,
    note: &'a str,
}

impl Bars<'_> {
    const TOP: f64 = 56.0;
    const WIDTH: f64 = 420.0;

    /// Whether names are above their bars, as long ones are.
    fn is_above(&self) -> bool {
        self.longest() > 230.0
    }

    fn longest(&self) -> f64 {
        self.rows.iter().map(|row| width(row.name, 14.0)).fold(0.0, f64::max)
    }

    fn left(&self) -> f64 {
        if self.is_above() { MARGIN } else { MARGIN + self.longest() + 10.0 }
    }

    fn row_height(&self) -> f64 {
        if self.is_above() { 62.0 } else { 44.0 }
    }

    fn bottom(&self) -> f64 {
        Bars::TOP + self.row_height() * self.rows.len() as f64 + 6.0
    }

    fn wide(&self) -> f64 {
        let labels = self.rows.iter().map(|row| width(&row.label, 14.0)).fold(0.0, f64::max);
        let names = if self.is_above() { self.longest().min(640.0) } else { 0.0 };
        let words = names.max(width(self.note, 12.0)) + 2.0 * MARGIN;
        words.max(self.left() + Bars::WIDTH + 8.0 + labels + MARGIN)
    }

    fn x(&self, value: f64) -> f64 {
        self.left() + Bars::WIDTH * (value / self.most).clamp(0.0, 1.0)
    }

    /// The picture; `tick` writes the numbers of the axis.
    fn draw(&self, title: &str, tick: &dyn Fn(f64) -> String) -> String {
        let (top, bottom) = (Bars::TOP, self.bottom());
        let mut svg = open(title, self.wide(), bottom + 56.0);
        for at in ticks((0.0, self.most), false) {
            let (x, text) = (self.x(at), tick(at));
            // Writing to a string cannot fail.
            let _ = writeln!(
                svg,
                r##"<line x1="{x:.1}" y1="{top}" x2="{x:.1}" y2="{bottom:.1}" stroke="#dddddd"/>
<text x="{x:.1}" y="{:.1}" text-anchor="middle" fill="#555555">{text}</text>"##,
                bottom + 20.0
            );
        }
        // Text is on top of everything else.
        let mut words = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            self.bar(index, row, &mut svg, &mut words);
        }
        if let Some(even) = self.even.map(|even| self.x(even)) {
            let dashes = r##"stroke="#222222" stroke-dasharray="4 4""##;
            let _ = writeln!(svg, r##"<line x1="{even:.1}" y1="{top}" x2="{even:.1}" y2="{bottom:.1}" {dashes}/>"##);
        }
        svg.push_str(&words);
        let (note, at) = (escape(self.note), bottom + 42.0);
        let _ = writeln!(svg, r##"<text x="{MARGIN}" y="{at:.1}" fill="#555555" font-size="12">{note}</text>"##);
        svg.push_str("</svg>\n");
        svg
    }

    fn bar(&self, index: usize, row: &Bar<'_>, svg: &mut String, words: &mut String) {
        let top = Bars::TOP + self.row_height() * index as f64 + 8.0;
        let y = if self.is_above() { top + 18.0 } else { top };
        let (left, middle, base) = (self.left(), y + 14.0, y + 19.0);
        let (solid, end) = (self.x(row.solid), self.x(row.solid + row.pale));
        let (name, size) = fitted(row.name, 14.0, self.wide() - 2.0 * MARGIN);
        let _ = match self.is_above() {
            true => {
                let base = top + 12.0;
                writeln!(words, r##"<text x="{left:.1}" y="{base:.1}" font-size="{size:.1}" {HALO}>{name}</text>"##)
            }
            false => {
                let at = left - 10.0;
                writeln!(words, r##"<text x="{at:.1}" y="{base:.1}" text-anchor="end">{name}</text>"##)
            }
        };
        for (from, to, opacity) in
            [(left, solid, 0.85), (solid, end, 0.3)].into_iter().filter(|(from, to, _)| from < to)
        {
            let (wide, color) = (to - from, color(index));
            let paint = format!(r##"fill="{color}" fill-opacity="{opacity}""##);
            let _ = writeln!(svg, r##"<rect x="{from:.1}" y="{y:.1}" width="{wide:.1}" height="28" {paint}/>"##);
        }
        let mut after = end;
        if let Some((low, high)) = row.interval.map(|(low, high)| (self.x(low), self.x(high))) {
            after = end.max(high);
            let ends = middle - 6.0;
            let path = format!("M{low:.1} {middle:.1}H{high:.1}M{low:.1} {ends:.1}v12M{high:.1} {ends:.1}v12");
            let _ = writeln!(svg, r##"<path d="{path}" stroke="#222222" stroke-width="1.6" fill="none"/>"##);
        }
        let (at, label) = (after + 8.0, escape(&row.label));
        let _ = writeln!(words, r##"<text x="{at:.1}" y="{base:.1}" {HALO}>{label}</text>"##);
    }
}

/// A bar for each name with its rate and the ends of its interval; `even` is the rate of equals.
///
/// ```
/// let rates = [("brs".into(), 0.6, (0.5, 0.7)), ("random".into(), 0.4, (0.3, 0.5))];
/// let svg = nply_arena::rates_svg("A match", &rates, 0.5);
/// assert!(svg.contains("60.0 %"));
/// ```
pub fn rates_svg<'a>(title: &str, rates: &'a [(String, f64, (f64, f64))], even: f64) -> String {
    let bar = |(name, rate, interval): &'a (String, f64, (f64, f64))| {
        let label = format!("{:.1} %", 100.0 * rate);
        Bar { name, solid: *rate, pale: 0.0, interval: Some(*interval), label }
    };
    let rows: Vec<Bar<'a>> = rates.iter().map(bar).collect();
    let note = "share of the points, with 95 % intervals; dashed: equal strength";
    Bars { rows: &rows, most: 1.0, even: Some(even), note }.draw(title, &|at| format!("{:.0} %", 100.0 * at))
}

/// The moves that an agent needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Moves {
    /// The agent.
    pub name: String,
    /// Mean of the moves it made; 0 together with `left` if no game shows it.
    pub made: f64,
    /// Mean of the moves it would still have needed.
    pub left: f64,
    /// The 95 % interval of their sum, if the spread is known.
    pub interval: Option<(f64, f64)>,
}

/// A bar for each agent: the moves it made and, paler, those that it would still have needed to win.
///
/// ```
/// use nply_arena::{Moves, moves_svg};
/// let rows = [Moves { name: "brs".into(), made: 22.0, left: 1.5, interval: Some((22.9, 24.1)) }];
/// assert!(moves_svg("A match", &rows, "moves").contains("22.0 + 1.5"));
/// ```
pub fn moves_svg<'a>(title: &str, rows: &'a [Moves], note: &str) -> String {
    let has_left = rows.iter().any(|row| row.left > 0.0);
    let bar = |row: &'a Moves| {
        let Moves { made, left, interval, .. } = *row;
        let label = match has_left {
            _ if made + left == 0.0 => "-".into(),
            true => format!("{made:.1} + {left:.1}"),
            false => format!("{made:.1}"),
        };
        Bar { name: &row.name, solid: made, pale: left, interval, label }
    };
    let rows: Vec<Bar<'a>> = rows.iter().map(bar).collect();
    let most =
        rows.iter().map(|row| row.interval.map_or(0.0, |ends| ends.1).max(row.solid + row.pale)).fold(1.0, f64::max);
    Bars { rows: &rows, most, even: None, note }.draw(title, &number)
}

/// The frame of a plot with two axes: where data lies on the paper.
struct Axes<'a> {
    x: (f64, f64),
    y: (f64, f64),
    title: &'a str,
    /// The titles of the axes.
    across: &'a str,
    up: &'a str,
    /// Whether the vertical axis has whole numbers only, as a linear horizontal one has.
    is_whole: bool,
    /// Whether the horizontal axis is logarithmic.
    is_log: bool,
    note: &'a str,
}

impl Axes<'_> {
    const LEFT: f64 = 76.0;
    const TOP: f64 = 56.0;
    const WIDTH: f64 = 560.0;
    const HEIGHT: f64 = 280.0;
    const RIGHT: f64 = Axes::LEFT + Axes::WIDTH;
    const BOTTOM: f64 = Axes::TOP + Axes::HEIGHT;

    fn x(&self, x: f64) -> f64 {
        let (low, high) = self.x;
        let part = if self.is_log { (x / low).ln() / (high / low).ln() } else { (x - low) / (high - low) };
        Axes::LEFT + Axes::WIDTH * part
    }

    fn y(&self, y: f64) -> f64 {
        Axes::TOP + Axes::HEIGHT * (1.0 - (y - self.y.0) / (self.y.1 - self.y.0))
    }

    /// The opening of the picture: title, grid, axes, and a legend with a sign before each name, which is drawn around a
    /// point.
    fn open(&self, names: &[&str], sign: &dyn Fn(usize, f64, f64) -> String) -> String {
        let (left, right, bottom) = (Axes::LEFT, Axes::RIGHT, Axes::BOTTOM);
        let noted = if self.note.is_empty() { 0.0 } else { 22.0 };
        let mut svg = open(self.title, right + MARGIN, bottom + 60.0 + noted + 22.0 * names.len() as f64);
        for tick in ticks(self.y, self.is_whole) {
            let y = self.y(tick);
            let _ = writeln!(
                svg,
                r##"<line x1="{left}" y1="{y:.1}" x2="{right}" y2="{y:.1}" stroke="#dddddd"/>
<text x="{}" y="{:.1}" text-anchor="end" fill="#555555">{}</text>"##,
                left - 8.0,
                y + 5.0,
                number(tick)
            );
        }
        for tick in if self.is_log { factors(self.x) } else { ticks(self.x, true) } {
            let x = self.x(tick);
            let _ = writeln!(
                svg,
                r##"<line x1="{x:.1}" y1="{bottom}" x2="{x:.1}" y2="{:.1}" stroke="#222222"/>
<text x="{x:.1}" y="{:.1}" text-anchor="middle" fill="#555555">{}</text>"##,
                bottom + 5.0,
                bottom + 20.0,
                number(tick)
            );
        }
        let middle = Axes::TOP + Axes::HEIGHT / 2.0;
        let _ = writeln!(
            svg,
            r##"<line x1="{left}" y1="{bottom}" x2="{right}" y2="{bottom}" stroke="#222222"/>
<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>
<text x="22" y="{middle:.1}" text-anchor="middle" transform="rotate(-90 22 {middle:.1})">{}</text>"##,
            (left + right) / 2.0,
            bottom + 42.0,
            escape(self.across),
            escape(self.up),
        );
        for (index, name) in names.iter().enumerate() {
            let y = bottom + 68.0 + 22.0 * index as f64;
            let (name, size) = fitted(name, 14.0, Axes::WIDTH - 40.0);
            let _ = writeln!(svg, "{}", sign(index, left + 15.0, y - 5.0));
            let _ = writeln!(svg, r##"<text x="{}" y="{y:.1}" font-size="{size:.1}">{name}</text>"##, left + 40.0);
        }
        if !self.note.is_empty() {
            let (y, note) = (bottom + 68.0 + 22.0 * names.len() as f64, escape(self.note));
            let _ = writeln!(svg, r##"<text x="{left}" y="{y:.1}" fill="#555555" font-size="12">{note}</text>"##);
        }
        svg
    }
}

/// About five round numbers between two ends.
fn ticks((low, high): (f64, f64), is_whole: bool) -> Vec<f64> {
    let rough = (high - low).max(1e-9) / 5.0;
    let rough = if is_whole { rough.max(1.0) } else { rough };
    let power = 10f64.powf(rough.log10().floor());
    let fits = |step: &f64| *step >= rough * 0.999 && !(is_whole && step.fract() > 0.0);
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|digit| digit * power).find(fits).unwrap_or(rough);
    let first = (low / step - 1e-6).ceil() as i64;
    (first..).map(|index| index as f64 * step).take_while(|&tick| tick <= high + step * 1e-6).collect()
}

/// Round numbers between two ends, each about as many times the one before.
fn factors((low, high): (f64, f64)) -> Vec<f64> {
    let (from, to) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let digits: &[f64] = if to - from > 3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let all = (from..=to).flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
    all.filter(|tick| (low..=high).contains(tick)).collect()
}

fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// A histogram of the lengths of games: the number of games of each.
///
/// ```
/// let svg = nply_arena::lengths_svg("A match", &[(30, 1), (31, 2), (45, 1)].into());
/// assert!(svg.contains("plies") && svg.ends_with("</svg>\n"));
/// ```
pub fn lengths_svg(title: &str, lengths: &BTreeMap<usize, u64>) -> String {
    let end = |end: Option<(&usize, &u64)>| end.map_or(0, |(&length, _)| length);
    let (least, most) = (end(lengths.first_key_value()), end(lengths.last_key_value()));
    // At most 30 bars of whole plies.
    let wide = (most - least + 1).div_ceil(30).max(1);
    let mut counts = vec![0u64; (most - least + 1).div_ceil(wide)];
    lengths.iter().for_each(|(length, games)| counts[(length - least) / wide] += games);
    let tallest = counts.iter().max().copied().unwrap_or(1).max(1);
    // A number is under the middle of its bar; few bars are not drawn wide.
    let from = |index: usize| (least + wide * index) as f64 - 0.5;
    let spare = 10usize.saturating_sub(counts.len()) as f64 / 2.0;
    let axes = Axes {
        x: ((from(0) - spare).max(-0.5), from(counts.len()) + spare),
        y: (0.0, tallest as f64 * 1.05),
        title,
        across: "plies",
        up: "games",
        is_whole: true,
        is_log: false,
        note: "",
    };
    let mut svg = axes.open(&[], &|_, _, _| String::new());
    for (index, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (left, right, top) = (axes.x(from(index)), axes.x(from(index + 1)), axes.y(count as f64));
        let _ = writeln!(
            svg,
            r##"<rect x="{:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="{}" fill-opacity="0.85"/>"##,
            left + 0.5,
            (right - left - 1.0).max(0.5),
            axes.y(0.0) - top,
            COLORS[0]
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line for each name through points such as (move number, mean depth), in a band of their intervals.
///
/// ```
/// use nply_arena::statistics::Point;
/// let point = |x, y| Point { x, y, interval: Some((y - 0.5, y + 0.5)) };
/// let lines = [("brs".to_string(), vec![point(1.0, 4.0), point(2.0, 4.5)])];
/// let svg = nply_arena::lines_svg("A match", "own move", "mean depth", &lines);
/// assert!(svg.contains("<path") && svg.contains("95 % intervals"));
/// ```
pub fn lines_svg(title: &str, across: &str, up: &str, lines: &[(String, Vec<Point>)]) -> String {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let least = points().map(|point| point.x).fold(f64::INFINITY, f64::min);
    let least = if least.is_finite() { least } else { 0.0 };
    let most = points().map(|point| point.x).fold(least + 1.0, f64::max);
    let (x, y, note) = ((least, most), from_zero(lines), note_of(lines, "bands: 95 % intervals"));
    draw(&Axes { x, y, title, across, up, is_whole: false, is_log: false, note }, lines, false)
}

/// The same for few points such as (mean time, mean depth), which are marked, on a logarithmic horizontal axis.
///
/// ```
/// use nply_arena::statistics::Point;
/// let points = [(250.0, 4.0), (1000.0, 4.5), (5000.0, 5.2)].map(|(x, y)| Point { x, y, interval: None });
/// let svg = nply_arena::factors_svg("A match", "ms per move", "mean depth", &[("brs".into(), points.into())]);
/// assert!(svg.contains(">500<") && svg.contains(">1000<"));
/// ```
pub fn factors_svg(title: &str, across: &str, up: &str, lines: &[(String, Vec<Point>)]) -> String {
    let all = lines.iter().flat_map(|(_, points)| points).map(|point| point.x).filter(|x| *x > 0.0);
    let (low, high) = all.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
    let x = if low <= high { (low / 1.2, high * 1.2) } else { (1.0, 10.0) };
    let note = note_of(lines, "bars: 95 % intervals");
    draw(&Axes { x, y: from_zero(lines), title, across, up, is_whole: false, is_log: true, note }, lines, true)
}

/// The note on intervals, if there are any.
fn note_of<'a>(lines: &[(String, Vec<Point>)], note: &'a str) -> &'a str {
    let has_intervals = lines.iter().flat_map(|(_, points)| points).any(|point| point.interval.is_some());
    if has_intervals { note } else { "" }
}

/// The ends of the vertical axis. Intervals that are wide beside the values, as those of two games are, do not flatten the lines.
fn from_zero(lines: &[(String, Vec<Point>)]) -> (f64, f64) {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let top = points().map(|point| point.y).fold(0.0, f64::max);
    let ends = points().filter_map(|point| point.interval).map(|ends| ends.1.min(1.5 * top)).fold(top, f64::max) * 1.05;
    (0.0, if ends > 0.0 { ends } else { 1.0 })
}

/// A line for each name; its points are marked if `is_marked`, and a single point always. Intervals are bands, or bars at marks.
fn draw(axes: &Axes<'_>, lines: &[(String, Vec<Point>)], is_marked: bool) -> String {
    let stroke = |index: usize| {
        let dash = DASHES[index % DASHES.len()];
        let color = color(index);
        format!(
            r##"fill="none" stroke="{color}" stroke-width="2.2" stroke-linejoin="round" stroke-dasharray="{dash}""##
        )
    };
    let sign = |index: usize, x: f64, y: f64| {
        let line = format!(r##"<path d="M{:.1} {y:.1}h30" {}/>"##, x - 15.0, stroke(index));
        if is_marked { format!("{line}{}", shape(index, x, y, true)) } else { line }
    };
    let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
    let mut svg = axes.open(&names, &sign);
    let height = |y: f64| axes.y(y.clamp(axes.y.0, axes.y.1));
    for (index, (_, points)) in lines.iter().enumerate() {
        let ends = points.iter().filter_map(|point| point.interval.map(|ends| (axes.x(point.x), ends)));
        let color = color(index);
        if is_marked || points.len() == 1 {
            for (x, (low, high)) in ends {
                let (low, high, left) = (height(low), height(high), x - 4.0);
                let path = format!("M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h8M{left:.1} {high:.1}h8");
                let _ = writeln!(svg, r##"<path d="{path}" stroke="{color}" stroke-width="1.4" fill="none"/>"##);
            }
            continue;
        }
        let upper = ends.clone().map(|(x, ends)| format!("{x:.1} {:.1}", height(ends.1)));
        let lower = ends.rev().map(|(x, ends)| format!("{x:.1} {:.1}", height(ends.0)));
        let around: Vec<String> = upper.chain(lower).collect();
        if around.len() > 2 {
            let path = around.join("L");
            let _ = writeln!(svg, r##"<path d="M{path}Z" fill="{color}" fill-opacity="0.15" stroke="none"/>"##);
        }
    }
    for (index, (_, points)) in lines.iter().enumerate() {
        let path: Vec<String> =
            points.iter().map(|point| format!("{:.1} {:.1}", axes.x(point.x), axes.y(point.y))).collect();
        if path.len() > 1 {
            let _ = writeln!(svg, r##"<path d="M{}" {}/>"##, path.join("L"), stroke(index));
        }
        if is_marked || path.len() == 1 {
            svg.extend(points.iter().map(|point| shape(index, axes.x(point.x), axes.y(point.y), true)));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// An agent's value in a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// The game's number.
    pub game: u64,
    /// The value.
    pub value: f64,
    /// Whether it won.
    pub is_won: bool,
}

/// A mark for each agent and game; those of winners are filled.
///
/// ```
/// use nply_arena::{Mark, games_svg};
/// let marks = vec![Mark { game: 0, value: 22.0, is_won: true }, Mark { game: 1, value: 25.5, is_won: false }];
/// assert!(games_svg("A match", "moves to win", &[("brs".into(), marks)]).contains("filled: the winner"));
/// ```
pub fn games_svg(title: &str, up: &str, agents: &[(String, Vec<Mark>)]) -> String {
    let ends = |value: fn(&Mark) -> f64| {
        let all = agents.iter().flat_map(|(_, marks)| marks).map(value);
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        if low <= high { (low, high) } else { (0.0, 1.0) }
    };
    let (x, y) = (ends(|mark| mark.game as f64), ends(|mark| mark.value));
    let spare = ((y.1 - y.0) * 0.06).max(2.5);
    let axes = Axes {
        x: (x.0 - 0.7, x.1 + 0.7),
        y: ((y.0 - spare).max(0.0), y.1 + spare),
        title,
        across: "game",
        up,
        is_whole: false,
        is_log: false,
        note: "filled: the winner",
    };
    let names: Vec<&str> = agents.iter().map(|(name, _)| name.as_str()).collect();
    let mut svg = axes.open(&names, &|index, x, y| shape(index, x, y, true));
    // Side by side, as far as there is room.
    let room = (axes.x(1.0) - axes.x(0.0)) * 0.7;
    let step = (room / agents.len().max(1) as f64).min(9.0);
    for (index, (_, marks)) in agents.iter().enumerate() {
        let aside = step * (index as f64 - (agents.len() as f64 - 1.0) / 2.0);
        for mark in marks {
            svg.push_str(&shape(index, axes.x(mark.game as f64) + aside, axes.y(mark.value), mark.is_won));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// A small shape of its own for each of the first five; filled or hollow.
fn shape(index: usize, x: f64, y: f64, is_filled: bool) -> String {
    let path = match index % 5 {
        0 => "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
        1 => "m-3.3 -3.3h6.6v6.6h-6.6z",
        2 => "m0 -4.4l4.2 7.4h-8.4z",
        3 => "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
        _ => "m0 4.4l4.2 -7.4h-8.4z",
    };
    let color = color(index);
    let fill = if is_filled { color } else { "#ffffff" };
    format!("<path d=\"M{x:.1} {y:.1}{path}\" fill=\"{fill}\" stroke=\"{color}\" stroke-width=\"1.4\"/>\n")
}

/// Pairs of figures on one axis, such as a paper's beside ours.
pub struct Panel {
    /// What they are.
    pub title: String,
    /// Whether they are rates, on an axis from 0 to 100.
    pub is_rate: bool,
    /// The figures.
    pub rows: Vec<PanelRow>,
}

/// Two figures, each with its interval if that is known.
pub struct PanelRow {
    /// What was measured.
    pub name: String,
    /// The first figure, a hollow circle.
    pub hollow: (f64, Option<(f64, f64)>),
    /// The second, a filled one below it.
    pub filled: (f64, Option<(f64, f64)>),
}

/// Panels below each other; the legend says what hollow and filled circles are.
pub fn panels_svg(title: &str, legend: [&str; 2], panels: &[Panel]) -> String {
    const WIDTH: f64 = 460.0;
    const ROW: f64 = 20.0;
    let names = panels.iter().flat_map(|panel| &panel.rows).map(|row| width(&row.name, 11.0)).fold(80.0, f64::max);
    let left = MARGIN + names + 10.0;
    let panel_height = |panel: &Panel| 54.0 + ROW * panel.rows.len() as f64;
    let high = 66.0 + panels.iter().map(panel_height).sum::<f64>() + 10.0;
    let wide = left + WIDTH + MARGIN + 20.0;
    let mut svg = open(title, wide, high);
    let [hollow, filled] = legend.map(escape);
    let marks = [("#000000", "none", hollow, 0.0), (COLORS[0], COLORS[0], filled, 110.0)];
    for (stroke, fill, text, at) in marks {
        let x = MARGIN + 6.0 + at;
        let _ = writeln!(
            svg,
            r##"<circle cx="{x:.1}" cy="48" r="3.5" stroke="{stroke}" fill="{fill}"/><text x="{:.1}" y="52" font-size="12">{text}</text>"##,
            x + 9.0
        );
    }
    let mut top = 66.0;
    for panel in panels {
        let ends = panel.rows.iter().flat_map(|row| {
            [row.hollow, row.filled]
                .into_iter()
                .flat_map(|(value, ends)| [value, ends.map_or(value, |ends| ends.0), ends.map_or(value, |ends| ends.1)])
        });
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
        let (low, high) =
            if panel.is_rate { (0.0, 100.0) } else { (low.min(0.0), if high > low { high } else { low + 1.0 }) };
        let x = |value: f64| left + WIDTH * ((value - low) / (high - low)).clamp(0.0, 1.0);
        let bottom = top + 24.0 + ROW * panel.rows.len() as f64;
        let (heading, size) = fitted(&panel.title, 13.0, (wide - 2.0 * MARGIN) / 1.1);
        let _ = writeln!(
            svg,
            r##"<text x="{MARGIN}" y="{:.1}" font-size="{size:.1}" font-weight="bold">{heading}</text>"##,
            top + 14.0
        );
        for at in ticks((low, high), false) {
            let x = x(at);
            let _ = writeln!(
                svg,
                r##"<line x1="{x:.1}" y1="{:.1}" x2="{x:.1}" y2="{bottom:.1}" stroke="#dddddd"/><text x="{x:.1}" y="{:.1}" text-anchor="middle" fill="#555555" font-size="11">{}</text>"##,
                top + 22.0,
                bottom + 14.0,
                number(at)
            );
        }
        for (index, row) in panel.rows.iter().enumerate() {
            let y = top + 24.0 + ROW * (index as f64 + 0.5);
            let name = escape(&row.name);
            let _ = writeln!(
                svg,
                r##"<text x="{:.1}" y="{:.1}" text-anchor="end" font-size="11">{name}</text>"##,
                left - 8.0,
                y + 4.0
            );
            for (value, ends, y, stroke, fill) in [
                (row.hollow.0, row.hollow.1, y - 4.0, "#000000", "#ffffff"),
                (row.filled.0, row.filled.1, y + 4.0, COLORS[0], COLORS[0]),
            ] {
                if let Some((low, high)) = ends {
                    let (from, to) = (x(low), x(high));
                    let _ = writeln!(
                        svg,
                        r##"<line x1="{from:.1}" y1="{y:.1}" x2="{to:.1}" y2="{y:.1}" stroke="{stroke}" stroke-width="1.5"/>"##
                    );
                }
                let x = x(value);
                let _ = writeln!(svg, r##"<circle cx="{x:.1}" cy="{y:.1}" r="3" stroke="{stroke}" fill="{fill}"/>"##);
            }
        }
        top += panel_height(panel);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Rates as colors: one panel for each budget, beside each other.
pub struct Heat {
    /// The families of agents.
    pub columns: Vec<String>,
    /// The games, and the rate of equal agents in each, in percent.
    pub rows: Vec<(String, f64)>,
    /// Their titles, and the rates by row and column in percent; `None` where an agent did not play.
    pub panels: Vec<(String, Vec<Vec<Option<f64>>>)>,
}

/// Panels of colored cells: blue for more than the rate of equal agents, orange for less, and white for just that. A rate of four
/// times as much, or of a quarter, has the full color.
pub fn heat_svg(title: &str, heat: &Heat) -> String {
    const CELL: (f64, f64) = (46.0, 24.0);
    const FULL: f64 = 2.0;
    let left = MARGIN + heat.rows.iter().map(|(name, _)| width(name, 12.0)).fold(60.0, f64::max) + 8.0;
    // Names of columns are written upwards.
    let above = heat.columns.iter().map(|name| width(name, 12.0)).fold(40.0, f64::max) + 8.0;
    let panel = CELL.0 * heat.columns.len() as f64 + 24.0;
    let top = 70.0 + above;
    let bottom = top + CELL.1 * heat.rows.len() as f64;
    let wide = (left + panel * heat.panels.len() as f64 + MARGIN).max(600.0);
    let mut svg = open(title, wide, bottom + 56.0);
    for (index, (name, even)) in heat.rows.iter().enumerate() {
        let (y, name) = (top + CELL.1 * (index as f64 + 0.5) + 4.0, escape(name));
        let _ =
            writeln!(svg, r##"<text x="{:.1}" y="{y:.1}" text-anchor="end" font-size="12">{name}</text>"##, left - 8.0);
        for (at, (_, cells)) in heat.panels.iter().enumerate() {
            for (column, rate) in cells[index].iter().enumerate() {
                let x = left + panel * at as f64 + CELL.0 * column as f64;
                let y = top + CELL.1 * index as f64;
                let Some(rate) = rate else { continue };
                let part = ((rate / even).max(1e-9).log2() / FULL).clamp(-1.0, 1.0);
                let (base, letters) =
                    if part > 0.0 { ([0x00, 0x72, 0xb2], part > 0.6) } else { ([0xe6, 0x9f, 0x00], false) };
                let mixed = base.map(|full: i32| (255.0 + f64::from(full - 255) * part.abs()).round() as u8);
                let [red, green, blue] = mixed;
                let ink = if letters { "#ffffff" } else { "#000000" };
                let _ = writeln!(
                    svg,
                    r##"<rect x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="#{red:02x}{green:02x}{blue:02x}" stroke="#ffffff"/><text x="{:.1}" y="{:.1}" text-anchor="middle" font-size="11" fill="{ink}">{rate:.0}</text>"##,
                    CELL.0,
                    CELL.1,
                    x + CELL.0 / 2.0,
                    y + CELL.1 / 2.0 + 4.0,
                );
            }
        }
    }
    for (at, (name, _)) in heat.panels.iter().enumerate() {
        let start = left + panel * at as f64;
        let name = escape(name);
        let _ =
            writeln!(svg, r##"<text x="{start:.1}" y="56" font-size="13" font-weight="bold">{name} a move</text>"##);
        for (column, name) in heat.columns.iter().enumerate() {
            let (x, y, name) = (start + CELL.0 * (column as f64 + 0.5) + 4.0, top - 6.0, escape(name));
            let _ = writeln!(
                svg,
                r##"<text x="{x:.1}" y="{y:.1}" font-size="12" transform="rotate(-90 {x:.1} {y:.1})">{name}</text>"##
            );
        }
    }
    let notes = [
        "win rate in percent",
        "white: that of equal agents; blue: more, orange: less; full color: four times, or a quarter",
    ];
    for (line, note) in notes.into_iter().enumerate() {
        let (y, (note, size)) = (bottom + 24.0 + 16.0 * line as f64, fitted(note, 12.0, wide - 2.0 * MARGIN));
        let _ = writeln!(svg, r##"<text x="{MARGIN}" y="{y:.1}" font-size="{size:.1}" fill="#555555">{note}</text>"##);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Reliability diagrams, one for each evaluation or agent: chances across, the share of the win that players with such chances had
/// upwards. What is right lies on the diagonal; the band around it is 0.05 wide on each side. Bins with too few chances are hollow.
pub fn reliability_svg(title: &str, panels: &[Calibrated]) -> String {
    const SIDE: f64 = 200.0;
    const STEP: (f64, f64) = (SIDE + 64.0, SIDE + 92.0);
    const ACROSS: usize = 3;
    let columns = panels.len().clamp(1, ACROSS);
    let rows = panels.len().div_ceil(ACROSS).max(1);
    let (wide, high) = (MARGIN + STEP.0 * columns as f64 + 24.0, 48.0 + STEP.1 * rows as f64 + 24.0);
    let mut svg = open(title, wide.max(560.0), high);
    for (index, panel) in panels.iter().enumerate() {
        let left = MARGIN + 32.0 + STEP.0 * (index % ACROSS) as f64;
        let top = 72.0 + STEP.1 * (index / ACROSS) as f64;
        let (x, y) = (|chance: f64| left + SIDE * chance, |share: f64| top + SIDE * (1.0 - share));
        let (name, size) = fitted(&format!("{} players, {}", panel.players, panel.name), 14.0, SIDE + 20.0);
        let _ = writeln!(
            svg,
            r##"<text x="{left:.1}" y="{:.1}" font-size="{size:.1}">{name}</text>
<path d="M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z" fill="#0072b2" fill-opacity="0.12"/>
<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="#222222" stroke-dasharray="4 4"/>
<rect x="{left:.1}" y="{top:.1}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#888888"/>"##,
            top - 8.0,
            x(0.0),
            y(0.0),
            x(0.05),
            y(0.0),
            x(1.0),
            y(0.95),
            x(1.0),
            y(1.0),
            x(0.95),
            y(1.0),
            x(0.0),
            y(0.05),
            x(0.0),
            y(0.0),
            x(1.0),
            y(1.0),
        );
        for tick in [0.0, 0.5, 1.0] {
            let text = number(tick);
            let _ = writeln!(
                svg,
                r##"<text x="{:.1}" y="{:.1}" text-anchor="middle" fill="#555555" font-size="12">{text}</text>
<text x="{:.1}" y="{:.1}" text-anchor="end" fill="#555555" font-size="12">{text}</text>"##,
                x(tick),
                top + SIDE + 16.0,
                left - 6.0,
                y(tick) + 4.0,
            );
        }
        for bin in panel.reliability.bins.iter().filter(|bin| bin.count > 0) {
            let fill = if bin.count >= ENOUGH { COLORS[0] } else { "#ffffff" };
            let _ = writeln!(
                svg,
                r##"<circle cx="{:.1}" cy="{:.1}" r="4.5" fill="{fill}" stroke="{}" stroke-width="1.6"/>"##,
                x(bin.chance),
                y(bin.share),
                COLORS[0]
            );
        }
        let loss = format!("log-loss {:.3}, equal shares {:.3}", panel.reliability.loss, panel.reliability.equal);
        let at = top + SIDE + 34.0;
        let _ = writeln!(svg, r##"<text x="{left:.1}" y="{at:.1}" fill="#555555" font-size="12">{loss}</text>"##);
    }
    let at = high - 10.0;
    let note = "across: chances; up: share of the win; band: 0.05 off; hollow: fewer than 500 chances";
    let _ = writeln!(svg, r##"<text x="{MARGIN}" y="{at:.1}" fill="#555555" font-size="12">{note}</text>"##);
    svg.push_str("</svg>\n");
    svg
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_axes_are_round_and_few() {
        assert_eq!(ticks((0.0, 1.0), false), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks((0.0, 1.05), true), [0.0, 1.0]);
        assert_eq!(ticks((29.5, 45.5), true), [30.0, 35.0, 40.0, 45.0]);
        for most in 1..500 {
            let ticks = ticks((0.0, f64::from(most)), true);
            assert!(
                (2..=6).contains(&ticks.len()) && ticks.iter().all(|tick| tick.fract() == 0.0),
                "{most}: {ticks:?}"
            );
        }
    }

    #[test]
    fn factors_on_axes_are_round_and_few() {
        assert_eq!(factors((208.0, 6000.0)), [500.0, 1000.0, 2000.0, 5000.0]);
        assert_eq!(factors((0.04, 3000.0)), [0.1, 1.0, 10.0, 100.0, 1000.0]);
        for (low, high) in [(0.001, 0.002), (0.9, 1.1), (3.0, 3000.0), (1e-4, 1e4)] {
            assert!((1..=9).contains(&factors((low, high)).len()), "{low} to {high}: {:?}", factors((low, high)));
        }
    }

    #[test]
    fn texts_are_made_to_fit() {
        assert_eq!(fitted("brs", 14.0, 100.0), ("brs".into(), 14.0));
        let long = "mcts:playout=paranoid,policy=paranoid,solver=first-winner,playouts=36610";
        let (text, size) = fitted(long, 14.0, 500.0);
        assert!(text == long && size < 14.0 && width(&text, size) <= 500.1, "{text} {size}");
        let (text, size) = fitted(long, 14.0, 200.0);
        assert!(text.starts_with("mcts:") && text.ends_with("36610") && text.contains('…'), "{text}");
        assert!(width(&text, size) <= 200.0, "{text} {size}");
        assert_eq!(fitted("<a & b>", 14.0, 500.0).0, "&lt;a &amp; b&gt;");
    }

    #[test]
    fn lines_have_bands_and_marks_have_bars_within_the_axes() {
        let point = |x: f64, interval| Point { x, y: 2.0, interval };
        let lines =
            [("a".to_string(), vec![point(1.0, Some((-9.0, 99.0))), point(2.0, None), point(3.0, Some((1.0, 3.0)))])];
        let svg = lines_svg("t", "x", "y", &lines);
        // The axis ends at 1.05 · 1.5 · 2; points without an interval have no part in the band.
        let (top, bottom) = (Axes::TOP, Axes::BOTTOM);
        let at = |y: f64| bottom - (bottom - top) * y / 3.15;
        let band = format!(
            "<path d=\"M76.0 {top:.1}L636.0 {:.1}L636.0 {:.1}L76.0 {bottom:.1}Z\" fill=\"#0072b2\" fill-opacity",
            at(3.0),
            at(1.0)
        );
        assert!(svg.contains(&band) && svg.contains("bands: 95 % intervals"), "{band} {svg}");
        let bars = factors_svg("t", "x", "y", &lines);
        assert!(
            bars.contains("bars: 95 %") && bars.matches("h8M").count() == 2 && !bars.contains("fill-opacity"),
            "{bars}"
        );
        let none = lines_svg("t", "x", "y", &[("a".into(), vec![point(1.0, None), point(2.0, None)])]);
        assert!(!none.contains("intervals") && !none.contains("fill-opacity"), "{none}");
    }

    /// The value of an attribute of a tag.
    fn attribute(tag: &str, name: &str) -> Option<f64> {
        tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.parse().ok()
    }

    #[test]
    fn nothing_is_written_outside_the_picture() {
        let names: Vec<String> =
            ["brs", "max^n", "worlds:n=20,agent=(maxn:ties=cautious,pruning=none)", &"x".repeat(150)]
                .map(String::from)
                .to_vec();
        let rates: Vec<_> = names.iter().map(|name| (name.clone(), 0.25, (0.2, 0.3))).collect();
        let point = |x: f64| Point { x, y: x + 1.0, interval: Some((x, x + 2.0)) };
        let lines: Vec<_> = names.iter().map(|name| (name.clone(), vec![point(1.0), point(2.0)])).collect();
        let needed =
            |name: &String| Moves { name: name.clone(), made: 123.4, left: 12.3, interval: Some((130.0, 150.0)) };
        let moves: Vec<Moves> = names.iter().map(needed).collect();
        let points: Vec<_> =
            names.iter().map(|name| (name.clone(), vec![Mark { game: 1, value: 2.0, is_won: true }])).collect();
        let title = "a-game:board=large,limit=100, 6 players, 100000 games".repeat(2);
        for svg in [
            rates_svg(&title, &rates, 0.25),
            rates_svg(&title, &rates[..1], 0.25),
            moves_svg(&title, &moves, "moves made"),
            lines_svg(&title, "own move", "mean depth", &lines),
            factors_svg(&title, "ms per move", "mean depth", &lines),
            games_svg(&title, "moves to win", &points),
            lengths_svg(&title, &[(300, 5)].into()),
        ] {
            let head = svg.lines().next().unwrap();
            let (wide, high) = (attribute(head, "width").unwrap(), attribute(head, "height").unwrap());
            for tag in svg.lines().filter(|line| line.starts_with("<text")) {
                let text = tag.split('>').nth(1).unwrap().split('<').next().unwrap();
                let length = width(text, attribute(tag, "font-size").unwrap_or(14.0));
                let (x, y) = (attribute(tag, "x").unwrap(), attribute(tag, "y").unwrap());
                let from = match tag {
                    tag if tag.contains("rotate") => continue,
                    tag if tag.contains("\"end\"") => x - length,
                    tag if tag.contains("\"middle\"") => x - length / 2.0,
                    _ => x,
                };
                assert!(from >= 0.0 && from + length <= wide + 0.5 && y <= high - 4.0, "{wide} by {high}: {tag}");
            }
        }
    }
}
