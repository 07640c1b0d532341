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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
