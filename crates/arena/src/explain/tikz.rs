//! The tree as a picture for LaTeX with plain TikZ.

use std::fmt::Write;

use nply::recording::Kind;

use super::Explanation;
use super::layout::{Drawn, Layout};

impl Explanation {
    /// A `tikzpicture`, which needs nothing but `\usepackage{tikz}`. Choices are drawn thick, what was left out is dashed with its reason.
    pub fn to_tikz(&self) -> String {
        let layout = Layout::new(self);
        let nodes = &self.recording.nodes;
        let letters = |id: usize| self.label(id).iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let stump = |id: usize| self.stump_label(id).map_or(0, |(reason, moves)| reason.len().max(moves.len()));
        let widest = (0..nodes.len()).map(|id| letters(id).max(stump(id))).max().unwrap_or(0);
        // Letters of \footnotesize are about 1.6 mm wide.
        let slot = 0.16 * widest as f64 + 0.6;
        let place = |drawn: &Drawn| format!("({:.2},{:.2})", drawn.x * slot, -1.5 * drawn.level as f64);
        let mut tikz = format!("% {}\n% {}\n", comment(&self.agent), comment(self.rule));
        tikz.push_str(
            "\\begin{tikzpicture}[font=\\footnotesize, every node/.style={inner sep=2.5pt},
  own/.style={draw, rounded corners=4pt, align=center}, max/.style={own}, min/.style={draw, align=center},
  leaf/.style={align=center}, played/.style={fill=white, inner sep=1pt, font=\\scriptsize},
  chosen/.style={very thick}, again/.style={densely dotted}, cut/.style={dashed}]\n",
        );
        for (id, node) in nodes.iter().enumerate() {
            let style = match node.kind {
                Kind::Own => "own",
                Kind::Max => "max",
                Kind::Min => "min",
                Kind::Leaf => "leaf",
            };
            let label: Vec<String> = self.label(id).iter().map(|line| escape(line)).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(
                tikz,
                "  \\node[{style}] (n{id}) at {} {{{}}};",
                place(&layout.nodes[id]),
                label.join(" \\\\ ")
            );
        }
        for (id, node) in nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                let style = match (node.is_chosen, node.again) {
                    (true, _) => "[chosen]",
                    (false, Some(_)) => "[again]",
                    (false, None) => "",
                };
                let label = escape(&self.edge_label(id));
                let _ = writeln!(tikz, "  \\draw{style} (n{parent}) -- node[played] {{{label}}} (n{id});");
            }
            if let (Some(stump), Some((reason, moves))) = (&layout.stumps[id], self.stump_label(id)) {
                let lines =
                    if moves.is_empty() { reason.to_string() } else { format!("{reason} \\\\ {}", escape(&moves)) };
                let _ = writeln!(
                    tikz,
                    "  \\node[leaf] (c{id}) at {} {{{lines}}};\n  \\draw[cut] (n{id}) -- (c{id});",
                    place(stump)
                );
            }
        }
        if let Some(note) = self.note() {
            let _ = writeln!(tikz, "  % {}", comment(&note));
        }
        tikz.push_str("\\end{tikzpicture}\n");
        tikz
    }
}

/// A text in one line of a comment.
fn comment(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// A text as LaTeX writes it.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(letter);
            }
            '≤' => out.push_str("$\\le$"),
            '≥' => out.push_str("$\\ge$"),
            '×' => out.push_str("$\\times$"),
            '-' => out.push_str("{-}"),
            letter => out.push(letter),
        }
    }
    out
}
