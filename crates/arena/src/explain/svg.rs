//! The tree as SVG.

use std::fmt::Write;

use nply::recording::Kind;

use super::Explanation;
use super::layout::{Drawn, Layout};
use crate::plot::{color, escape, width};

const MARGIN: f64 = 24.0;
/// Where the root is.
const TOP: f64 = 92.0;
const LEVEL: f64 = 84.0;
const LINE: f64 = 16.0;
const SIZE: f64 = 13.0;

impl Explanation {
    /// The tree as a picture: choices are drawn bold, what was left out is dashed with its reason, nodes have their mover's color.
    /// Nodes say why where SVG shows titles.
    pub fn to_svg(&self) -> String {
        let layout = Layout::new(self);
        let nodes = &self.recording.nodes;
        let labels: Vec<Vec<String>> = (0..nodes.len()).map(|id| self.label(id)).collect();
        let stumps = (0..nodes.len()).filter_map(|id| self.stump_label(id));
        let words = labels.iter().flatten().cloned().chain(stumps.flat_map(|(reason, moves)| [reason.into(), moves]));
        let widest = words.map(|word| width(&word, SIZE)).fold(24.0, f64::max);
        let slot = widest + 26.0;
        let rule = wrapped(self.rule, 110);
        let note = self.note().unwrap_or_default();
        let title = self.agent.as_str();
        let words = rule.iter().map(|line| width(line, 12.0)).chain([width(title, 17.0) * 1.1, width(&note, 12.0)]);
        let wide = (layout.slots * slot).max(words.fold(0.0, f64::max)) + 2.0 * MARGIN;
        let top = TOP + 16.0 * rule.len() as f64 - 16.0;
        let high = top + LEVEL * (layout.levels - 1) as f64 + 64.0;
        let left = (wide - layout.slots * slot) / 2.0;
        let place = |drawn: &Drawn| (left + (drawn.x + 0.5) * slot, top + LEVEL * drawn.level as f64);

        let mut svg = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0}" height="{high:.0}" viewBox="0 0 {wide:.0} {high:.0}" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" font-size="{SIZE}">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="{MARGIN}" y="30" font-size="17" font-weight="bold">{}</text>
"##,
            escape(title)
        );
        for (index, line) in rule.iter().enumerate() {
            // Writing to a string cannot fail.
            let y = 50.0 + 16.0 * index as f64;
            let _ =
                writeln!(svg, r##"<text x="{MARGIN}" y="{y}" font-size="12" fill="#555555">{}</text>"##, escape(line));
        }
        // Lines first, so that nodes are on top of them.
        for (id, node) in nodes.iter().enumerate() {
            let (x, y) = place(&layout.nodes[id]);
            if let Some(parent) = node.parent {
                let (from_x, from_y) = place(&layout.nodes[parent]);
                let stroke = match (node.is_chosen, node.again) {
                    (true, _) => r##"stroke="#222222" stroke-width="3""##,
                    (false, Some(_)) => r##"stroke="#777777" stroke-width="1.2" stroke-dasharray="2 3""##,
                    (false, None) => r##"stroke="#777777" stroke-width="1.2""##,
                };
                let _ =
                    writeln!(svg, r##"<line x1="{from_x:.1}" y1="{from_y:.1}" x2="{x:.1}" y2="{y:.1}" {stroke}/>"##);
                let at = 0.55;
                let (label_x, label_y) = (from_x + at * (x - from_x), from_y + at * (y - from_y) + 4.0);
                let _ = writeln!(
                    svg,
                    r##"<text x="{label_x:.1}" y="{label_y:.1}" {HALO} text-anchor="middle" font-size="11.5" fill="#333333">{}</text>"##,
                    escape(&self.edge_label(id))
                );
            }
            if let (Some(stump), Some((reason, moves))) = (&layout.stumps[id], self.stump_label(id)) {
                let (end_x, end_y) = place(stump);
                let _ = writeln!(
                    svg,
                    r##"<line x1="{x:.1}" y1="{y:.1}" x2="{end_x:.1}" y2="{:.1}" stroke="#b00020" stroke-width="1.4" stroke-dasharray="5 4"/>
<text x="{end_x:.1}" y="{:.1}" text-anchor="middle" fill="#b00020">{reason}</text>
<text x="{end_x:.1}" y="{:.1}" text-anchor="middle" font-size="11.5" fill="#b00020">{}</text>"##,
                    end_y - 16.0,
                    end_y - 2.0,
                    end_y + 14.0,
                    escape(&moves)
                );
            }
        }
        for (id, node) in nodes.iter().enumerate() {
            let (x, y) = place(&layout.nodes[id]);
            let label = &labels[id];
            let box_wide = label.iter().map(|line| width(line, SIZE)).fold(16.0, f64::max) + 10.0;
            let box_high = LINE * label.len() as f64 + 8.0;
            let stroke = match (node.kind, node.player) {
                (Kind::Leaf, _) => "#999999",
                (_, Some(player)) => color(player.index()),
                (_, None) => "#222222",
            };
            // What minimizes has corners, what maximizes is round.
            let (line, corner) = match node.kind {
                Kind::Leaf => (1.0, 0.0),
                Kind::Min => (2.4, 0.0),
                Kind::Own | Kind::Max => (2.4, 9.0),
            };
            let why = node.cut.as_ref().map_or(String::new(), |cut| format!(". {}: {}", cut.reason.word(), cut.why));
            let _ = writeln!(
                svg,
                r##"<g><title>{}</title><rect x="{:.1}" y="{:.1}" width="{box_wide:.1}" height="{box_high:.1}" rx="{corner}" fill="#ffffff" stroke="{stroke}" stroke-width="{line}"/>"##,
                escape(&format!("#{id} {}{why}", super::node_text(node))),
                x - box_wide / 2.0,
                y - box_high / 2.0,
            );
            for (index, text) in label.iter().enumerate() {
                let line_y = y - box_high / 2.0 + LINE * (index as f64 + 1.0);
                let _ =
                    writeln!(svg, r##"<text x="{x:.1}" y="{line_y:.1}" text-anchor="middle">{}</text>"##, escape(text));
            }
            svg.push_str("</g>\n");
        }
        if !note.is_empty() {
            let y = high - 12.0;
            let _ = writeln!(
                svg,
                r##"<text x="{MARGIN}" y="{y:.1}" font-size="12" fill="#555555">{}</text>"##,
                escape(&note)
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Keeps text readable on what is behind it.
const HALO: &str = r##"paint-order="stroke" stroke="#ffffff" stroke-width="4" stroke-linejoin="round""##;

/// A text in lines of at most so many letters.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}
