//! The tree that a search visited, as text, JSON and pictures: [`Explanation`].

mod layout;
mod svg;
mod tikz;

use std::fmt::Write;

use nply::Player;
use nply::recording::{Cut, Found, Kind, RecordedNode, Recording, Step, Why, Window};
use serde_json::{Map, Value, json};

use crate::session::Thought;

/// What an agent found in a position, and the tree that it visited.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The agent, with its settings.
    pub agent: String,
    /// The rule of its search in one sentence.
    pub rule: &'static str,
    /// The number of players.
    pub players: usize,
    /// What it found.
    pub thought: Thought,
    /// The tree, with moves as text.
    pub recording: Recording<String>,
}

/// A node with its moves as text.
type Node = RecordedNode<String>;

impl Explanation {
    /// As JSON: nodes in visiting order, players numbered from 0, and the pictures if they are wanted.
    pub fn to_json(&self, pictures: bool) -> Value {
        let Recording { nodes, depth, visited, is_truncated, is_complete } = &self.recording;
        json!({
            "agent": self.agent,
            "rule": self.rule,
            "players": self.players,
            "thought": self.thought.to_json(),
            "depth": depth,
            "visited": visited,
            "truncated": is_truncated,
            "complete": is_complete,
            "nodes": nodes.iter().enumerate().map(|(id, node)| node_json(id, node)).collect::<Vec<Value>>(),
            "svg": pictures.then(|| self.to_svg()),
            "tikz": pictures.then(|| self.to_tikz()),
        })
    }

    /// As text: a line for each node, indented below its parent, and one for each cut.
    pub fn to_text(&self) -> String {
        let nodes = &self.recording.nodes;
        let mut text = String::new();
        let mut indents: Vec<usize> = Vec::new();
        for (id, node) in nodes.iter().enumerate() {
            let indent = node.parent.map_or(0, |parent| indents[parent] + 2);
            indents.push(indent);
            let mut line = format!("{:<5} {:indent$}", format!("#{id}"), "");
            if let Some(step) = &node.step {
                let mark = if node.is_chosen { "*" } else { "" };
                let _ = write!(line, "{}{mark}  ", self.step_text(node, step));
            }
            let _ = write!(line, "{}", node_text(node));
            if let Some(simulated) = &node.simulated {
                let terms: Vec<String> =
                    simulated.terms.iter().map(|(name, value)| format!("{name} {value:.3}")).collect();
                if !terms.is_empty() {
                    let sum: f64 = simulated.terms.iter().map(|(_, value)| value).sum();
                    let _ = write!(line, "  {} = {sum:.3}", terms.join(" + "));
                }
            }
            // Leaves have their value whatever was asked.
            if let Some(window) = node.window.filter(|_| node.kind != Kind::Leaf) {
                let _ = write!(line, "  {}", window_text(window));
            }
            if let Some(first) = node.again {
                let _ = write!(line, "  again, after #{first}");
            }
            let _ = writeln!(text, "{}", line.trim_end());
            if let Some(cut) = &node.cut {
                let _ =
                    writeln!(text, "{:<5} {:indent$}  ✂ {}: {}{}", "", "", cut.reason.word(), cut.why, left_out(cut));
            }
        }
        if let Some(note) = self.note() {
            let _ = writeln!(text, "{note}");
        }
        text
    }

    /// What is missing in the tree.
    pub fn note(&self) -> Option<String> {
        let Recording { nodes, visited, is_truncated, is_complete, .. } = &self.recording;
        let recorded = nodes.len() - 1;
        match (is_truncated, is_complete) {
            (true, _) => {
                Some(format!("{recorded} of {visited} nodes after the root are shown; the limit is {}", nodes.len()))
            }
            (false, false) => Some("the search was not completed".into()),
            (false, true) => None,
        }
    }

    /// A move, with its player if the parent is not that player's.
    fn step_text(&self, node: &Node, step: &Step<String>) -> String {
        let mover = node.parent.and_then(|parent| self.recording.nodes[parent].player);
        let m = step.m.as_deref().unwrap_or("pass");
        if mover == Some(step.player) { m.to_string() } else { format!("{}:{m}", step.player) }
    }
}

/// Who moves and what was found: `2: (6, 2, 6)`.
fn node_text(node: &Node) -> String {
    let found = found_text(node);
    match (node.kind, node.player) {
        (Kind::Leaf, _) => found,
        (_, Some(player)) => format!("{player}: {found}"),
        (Kind::Own | Kind::Max | Kind::Min, None) => format!("any: {found}"),
    }
}

fn found_text(node: &Node) -> String {
    if let Some(simulated) = &node.simulated {
        let visits = match simulated.visits {
            1 => "1 visit".to_string(),
            visits => format!("{visits} visits"),
        };
        let proven = if simulated.is_proven { " proven" } else { "" };
        return match &simulated.shares {
            Some(shares) => {
                let shares: Vec<String> = shares.as_slice().iter().map(|share| format!("{share:.2}")).collect();
                format!("{visits} ({}){proven}", shares.join(", "))
            }
            None => visits,
        };
    }
    match &node.found {
        None => "?".into(),
        Some(Found::Value(value)) => value.to_string(),
        Some(Found::AtLeast(value)) => format!("≥ {value}"),
        Some(Found::AtMost(value)) => format!("≤ {value}"),
        Some(Found::Scores(scores)) => {
            let scores: Vec<String> = scores.as_slice().iter().map(ToString::to_string).collect();
            format!("({})", scores.join(", "))
        }
        Some(Found::Means(means)) => {
            // Up to four digits, without trailing zeros.
            let text = |mean: &f64| {
                let text = format!("{mean:.4}");
                text.trim_end_matches('0').trim_end_matches('.').to_string()
            };
            format!("({})", means.as_slice().iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Some(Found::Dead(head)) => format!("not #{head}'s value"),
    }
}

fn window_text(window: Window) -> String {
    let end = |end: Option<i64>, infinite: &str| end.map_or(infinite.to_string(), |end| end.to_string());
    format!("window {} to {}", end(window.alpha, "-∞"), end(window.beta, "∞"))
}

fn skipped(cut: &Cut<String>) -> Vec<String> {
    cut.skipped.iter().map(|step| step.m.clone().unwrap_or_else(|| "pass".into())).collect()
}

fn left_out(cut: &Cut<String>) -> String {
    const SHOWN: usize = 8;
    let mut moves = skipped(cut);
    let more = moves.len().saturating_sub(SHOWN);
    moves.truncate(SHOWN);
    match (moves.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!("; left out: {}", moves.join(" ")),
        (false, more) => format!("; left out: {} and {more} more", moves.join(" ")),
    }
}

fn node_json(id: usize, node: &Node) -> Value {
    let index = |player: Player| player.index();
    let (value, relation) = match &node.found {
        Some(Found::Value(value)) => (Some(value), Some("exact")),
        Some(Found::AtLeast(value)) => (Some(value), Some("at-least")),
        Some(Found::AtMost(value)) => (Some(value), Some("at-most")),
        Some(Found::Scores(_) | Found::Means(_) | Found::Dead(_)) | None => (None, None),
    };
    let vector = match &node.found {
        Some(Found::Scores(scores)) => Some(json!(scores.as_slice())),
        Some(Found::Means(means)) => Some(json!(means.as_slice())),
        _ => None,
    };
    let dead = match node.found {
        Some(Found::Dead(head)) => Some(head),
        _ => None,
    };
    let bounds = match node.cut.as_ref().map(|cut| &cut.why) {
        Some(Why::Needs(needs)) => Some(needs.bounds().as_slice().to_vec()),
        _ => None,
    };
    let cut = node
        .cut
        .as_ref()
        .map(|cut| json!({ "reason": cut.reason.word(), "detail": cut.why.to_string(), "skipped": skipped(cut) }));
    let simulated = node.simulated.as_ref();
    let terms = simulated.filter(|simulated| !simulated.terms.is_empty()).map(|simulated| {
        simulated.terms.iter().map(|(name, value)| (name.to_string(), json!(value))).collect::<Map<String, Value>>()
    });
    json!({
        "id": id,
        "parent": node.parent,
        "move": node.step.as_ref().map(|step| step.m.as_deref().unwrap_or("pass")),
        "by": node.step.as_ref().map(|step| index(step.player)),
        "player": node.player.map(index),
        "kind": node.kind.word(),
        "depth": node.depth,
        "value": value,
        "value_is": relation,
        "vector": vector,
        "dead": dead,
        "alpha": node.window.and_then(|window| window.alpha),
        "beta": node.window.and_then(|window| window.beta),
        "bounds": bounds,
        "cut": cut,
        "chosen": node.is_chosen,
        "again": node.again,
        "visits": simulated.map(|simulated| simulated.visits),
        "rate": simulated.and_then(|simulated| simulated.shares.as_ref().map(|shares| shares.as_slice().to_vec())),
        "terms": terms,
        "proven": simulated.map(|simulated| simulated.is_proven),
    })
}
