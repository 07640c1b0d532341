//! Plots as SVG, good enough to print, in colours that colour-blind people can tell apart.

use std::fmt::Write;

/// Okabe and Ito's palette, without yellow, which is too pale on white.
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#000000"];

/// A bar for each name with its rate and the ends of its interval; `even` is the rate of equals.
///
/// ```
/// let rates = [("brs".into(), 0.6, (0.5, 0.7)), ("random".into(), 0.4, (0.3, 0.5))];
/// let svg = nply_arena::rates_svg("A match", &rates, 0.5);
/// assert!(svg.contains("60.0 %"));
/// ```
pub fn rates_svg(title: &str, rates: &[(String, f64, (f64, f64))], even: f64) -> String {
    const ROW: f64 = 44.0;
    const TOP: f64 = 56.0;
    const BARS: f64 = 420.0;
    let longest = rates.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let left = 24.0 + 8.2 * longest as f64;
    let height = TOP + ROW * rates.len() as f64 + 52.0;
    let (width, bottom) = (left + BARS + 90.0, height - 46.0);
    let x = |rate: f64| left + BARS * rate.clamp(0.0, 1.0);
    let mut svg = String::new();
    let out = &mut svg;
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="Helvetica, Arial, sans-serif" font-size="14">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="24" y="30" font-size="17" font-weight="bold">{}</text>"##,
        escape(title)
    );
    for percent in [0, 25, 50, 75, 100] {
        let at = x(f64::from(percent) / 100.0);
        let _ = writeln!(
            out,
            r##"<line x1="{at:.1}" y1="{TOP}" x2="{at:.1}" y2="{bottom:.1}" stroke="#dddddd"/>
<text x="{at:.1}" y="{:.1}" text-anchor="middle" fill="#555555">{percent} %</text>"##,
            bottom + 20.0
        );
    }
    for (index, (name, rate, (low, high))) in rates.iter().enumerate() {
        let (y, colour) = (TOP + ROW * index as f64 + 8.0, COLOURS[index % COLOURS.len()]);
        let (middle, low, high) = (y + 14.0, x(*low), x(*high));
        let _ = writeln!(
            out,
            r##"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>
<rect x="{left:.1}" y="{y:.1}" width="{:.1}" height="28" fill="{colour}" fill-opacity="0.8"/>
<path d="M{low:.1} {middle:.1}H{high:.1}M{low:.1} {:.1}v12M{high:.1} {:.1}v12" stroke="#222222" stroke-width="1.6" fill="none"/>
<text x="{:.1}" y="{:.1}">{:.1} %</text>"##,
            left - 10.0,
            middle + 5.0,
            escape(name),
            x(*rate) - left,
            middle - 6.0,
            middle - 6.0,
            high.max(x(*rate)) + 8.0,
            middle + 5.0,
            100.0 * rate
        );
    }
    let _ = writeln!(
        out,
        r##"<line x1="{0:.1}" y1="{TOP}" x2="{0:.1}" y2="{bottom:.1}" stroke="#222222" stroke-dasharray="4 4"/>
<text x="{left:.1}" y="{1:.1}" fill="#555555" font-size="12">share of the points, with 95 % intervals; dashed: equal strength</text>
</svg>"##,
        x(even),
        height - 8.0
    );
    svg
}

/// The frame of a plot with two axes: where data lies on the paper.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
}

impl Axes {
    const LEFT: f64 = 70.0;
    const TOP: f64 = 56.0;
    const WIDTH: f64 = 560.0;
    const HEIGHT: f64 = 280.0;

    fn x(&self, x: f64) -> f64 {
        Axes::LEFT + Axes::WIDTH * (x - self.x.0) / (self.x.1 - self.x.0)
    }

    fn y(&self, y: f64) -> f64 {
        Axes::TOP + Axes::HEIGHT * (1.0 - (y - self.y.0) / (self.y.1 - self.y.0))
    }

    /// The opening of the picture: title, grid, numbers and what they count; a legend with a line for each name.
    fn open(&self, title: &str, across: &str, up: &str, legend: &[String]) -> String {
        let height = Axes::TOP + Axes::HEIGHT + 64.0 + 22.0 * legend.len() as f64;
        let (right, bottom) = (Axes::LEFT + Axes::WIDTH, Axes::TOP + Axes::HEIGHT);
        let mut svg = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="660" height="{height:.0}" viewBox="0 0 660 {height:.0}" font-family="Helvetica, Arial, sans-serif" font-size="14">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="24" y="30" font-size="17" font-weight="bold">{}</text>
"##,
            escape(title)
        );
        for tick in ticks(self.y) {
            let y = self.y(tick);
            let _ = writeln!(
                svg,
                r##"<line x1="{}" y1="{y:.1}" x2="{right}" y2="{y:.1}" stroke="#dddddd"/>
<text x="{}" y="{:.1}" text-anchor="end" fill="#555555">{}</text>"##,
                Axes::LEFT,
                Axes::LEFT - 8.0,
                y + 5.0,
                number(tick)
            );
        }
        for tick in ticks(self.x) {
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
<text x="20" y="{middle:.1}" text-anchor="middle" transform="rotate(-90 20 {middle:.1})">{}</text>"##,
            (Axes::LEFT + right) / 2.0,
            bottom + 42.0,
            escape(across),
            escape(up),
            left = Axes::LEFT,
        );
        for (index, name) in legend.iter().enumerate() {
            let (y, colour) = (bottom + 66.0 + 22.0 * index as f64, COLOURS[index % COLOURS.len()]);
            let _ = writeln!(
                svg,
                r##"<rect x="{}" y="{:.1}" width="14" height="14" fill="{colour}"/>
<text x="{}" y="{y:.1}">{}</text>"##,
                Axes::LEFT,
                y - 12.0,
                Axes::LEFT + 22.0,
                escape(name)
            );
        }
        svg
    }
}

/// About five round numbers between two ends.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low).max(1e-9) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|&step| step >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    (first..).map(|index| index as f64 * step).take_while(|&tick| tick <= high + step * 1e-6).collect()
}

fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// How many games had which length.
///
/// ```
/// let svg = nply_arena::lengths_svg("A match", &[30, 31, 31, 45]);
/// assert!(svg.contains("plies") && svg.ends_with("</svg>\n"));
/// ```
pub fn lengths_svg(title: &str, plies: &[usize]) -> String {
    let (least, most) = (plies.iter().min().copied().unwrap_or(0), plies.iter().max().copied().unwrap_or(0));
    // At most 30 bars of whole plies.
    let wide = (most - least + 1).div_ceil(30).max(1);
    let mut counts = vec![0usize; (most - least + 1).div_ceil(wide)];
    plies.iter().for_each(|length| counts[(length - least) / wide] += 1);
    let end = least + wide * counts.len();
    let tallest = counts.iter().max().copied().unwrap_or(1).max(1);
    let axes = Axes { x: (least as f64, end as f64), y: (0.0, tallest as f64 * 1.05) };
    let mut svg = axes.open(title, "plies", "games", &[]);
    for (index, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (axes.x((least + wide * index) as f64), axes.x((least + wide * (index + 1)) as f64));
        let (top, colour) = (axes.y(count as f64), COLOURS[0]);
        let _ = writeln!(
            svg,
            r##"<rect x="{:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="{colour}" fill-opacity="0.8"/>"##,
            from + 0.5,
            (to - from - 1.0).max(0.5),
            axes.y(0.0) - top
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line for each name through points such as (move number, mean depth).
///
/// ```
/// let lines = [("brs".to_string(), vec![(1.0, 4.0), (2.0, 4.5)])];
/// let svg = nply_arena::lines_svg("A match", "own move", "mean depth", &lines);
/// assert!(svg.contains("<path"));
/// ```
pub fn lines_svg(title: &str, across: &str, up: &str, lines: &[(String, Vec<(f64, f64)>)]) -> String {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let most = |value: fn(&(f64, f64)) -> f64| points().map(value).fold(0.0, f64::max);
    let least = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let least = if least.is_finite() { least } else { 0.0 };
    let axes =
        Axes { x: (least, most(|point| point.0).max(least + 1.0)), y: (0.0, most(|point| point.1).max(1.0) * 1.05) };
    let names: Vec<String> = lines.iter().map(|(name, _)| name.clone()).collect();
    let mut svg = axes.open(title, across, up, &names);
    for (index, (_, points)) in lines.iter().enumerate().filter(|(_, (_, points))| !points.is_empty()) {
        let path: Vec<String> = points.iter().map(|&(x, y)| format!("{:.1} {:.1}", axes.x(x), axes.y(y))).collect();
        let colour = COLOURS[index % COLOURS.len()];
        let _ = writeln!(
            svg,
            r##"<path d="M{}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-linejoin="round"/>"##,
            path.join("L")
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
