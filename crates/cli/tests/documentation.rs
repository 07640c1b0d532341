//! The commands that README and docs show, run as a reader would.
//!
//! In a block that is fenced as `console`, a line that starts with `$ ` is a command, and what follows up to the next command is its
//! output: compared line by line, with all numbers alike; `…` alone on a line stands for any lines. A block marked `console,slow` or
//! `console,interactive` is not run.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command with the output that is shown, if any.
struct Shown {
    place: String,
    command: String,
    output: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).expect("the docs are there");
    let pages = docs.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    pages.sort();
    pages
}

/// The commands of a page that are to be run.
fn commands(page: &Path) -> Vec<Shown> {
    let text = fs::read_to_string(page).expect("a page");
    let mut all: Vec<Shown> = Vec::new();
    // Whether the line is in a block, and in one that is run.
    let (mut in_block, mut is_run) = (false, false);
    for (number, line) in text.lines().enumerate() {
        if let Some(fence) = line.trim_start().strip_prefix("```") {
            (in_block, is_run) = (!in_block, !in_block && fence == "console");
            assert!(
                !in_block
                    || !fence.starts_with("console")
                    || ["console", "console,slow", "console,interactive"].contains(&fence),
                "{}:{}: {fence}",
                page.display(),
                number + 1
            );
        } else if is_run && let Some(command) = line.strip_prefix("$ ") {
            let place = format!("{}:{}", page.display(), number + 1);
            all.push(Shown { place, command: command.into(), output: Vec::new() });
        } else if is_run && let Some(last) = all.last_mut() {
            last.output.push(line.into());
        }
    }
    all
}

/// A line with all numbers alike and single spaces.
fn masked(line: &str) -> String {
    let mut masked = String::new();
    for c in line.trim().chars() {
        let c = if c.is_ascii_digit() { '0' } else { c };
        let is_repeated = masked.ends_with(c) && (c == '0' || c == ' ' || c == '-');
        if !(is_repeated || c == '.' && masked.ends_with('0')) {
            masked.push(c);
        }
    }
    masked
}

/// Whether lines are those that are shown, where `…` is any number of lines.
fn fits(shown: &[String], found: &[String]) -> bool {
    match shown.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first.trim() == "…" => (0..=found.len()).any(|skipped| fits(rest, &found[skipped..])),
        Some((first, rest)) => {
            found.split_first().is_some_and(|(line, found)| masked(line) == masked(first) && fits(rest, found))
        }
    }
}

#[test]
fn every_command_shown_runs_and_prints_what_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(root()).expect("the root").map(|entry| entry.expect("an entry")) {
        if ["crates", "docs", "examples", "experiments", "results"].iter().any(|name| *name == entry.file_name()) {
            let target = entry.path().canonicalize().expect("a path");
            std::os::unix::fs::symlink(target, folder.path().join(entry.file_name())).expect("a link");
        }
    }
    let programs = Path::new(common::NPLY).parent().expect("a folder").display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let (mut run, mut wrong) = (0, Vec::new());
    for shown in pages().iter().flat_map(|page| commands(page)) {
        let output = Command::new("sh")
            .args(["-c", &shown.command])
            .env("PATH", &path)
            .current_dir(folder.path())
            .output()
            .expect("a shell");
        run += 1;
        let text = String::from_utf8_lossy(&output.stdout);
        let found: Vec<String> = text.lines().map(String::from).collect();
        let shown_lines: Vec<String> = shown.output.iter().filter(|line| !line.trim().is_empty()).cloned().collect();
        let found_lines: Vec<String> = found.iter().filter(|line| !line.trim().is_empty()).cloned().collect();
        if !output.status.success() {
            wrong.push(format!("{}: {}\n{}", shown.place, shown.command, String::from_utf8_lossy(&output.stderr)));
        } else if !shown_lines.is_empty() && !fits(&shown_lines, &found_lines) {
            wrong.push(format!("{}: {}\nprints\n{text}", shown.place, shown.command));
        }
    }
    assert!(wrong.is_empty(), "{} of {run} commands\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(run > 20, "{run}");
}

#[test]
fn the_page_on_agents_is_what_the_command_writes() {
    let page = fs::read_to_string(root().join("docs/agents.md")).expect("the page");
    let (_, tables) = page.split_at(page.find("## ").expect("a heading"));
    let written = common::stdout(&["agents", "--markdown"]);
    assert!(tables == written, "write docs/agents.md anew: its first paragraphs, then `nply agents --markdown`");
}

#[test]
fn lines_are_compared_with_all_numbers_alike() {
    let lines = |text: &str| text.lines().map(String::from).collect::<Vec<String>>();
    assert!(fits(&lines("move a1\n…\nnodes 12.5 k"), &lines("move a1\nx\ny\nnodes  3.25 k")));
    assert!(!fits(&lines("move a1"), &lines("move b1")));
    assert!(!fits(&lines("move a1"), &lines("move a1\nmore")));
}
