//! Counts of instructions: reading callgrind's, keeping them as text, comparing them with others.

use std::fmt::{self, Write};

/// How much a count may differ from the baseline's.
const TOLERANCE: f64 = 0.02;

/// The instructions that a call to another object, which is the C library, counts as.
const CALL: u64 = 50;

/// The command that writes the baseline.
pub(crate) const WRITE: &str = "cargo bench -p nply-games --bench instructions -- write";

/// Instructions for each operation, by name, of a program that this compiler made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Counts {
    pub compiler: String,
    pub rows: Vec<(String, f64)>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Instructions of each hot path, which ./check compares. Written by\n# {WRITE}")?;
        writeln!(f, "{}", self.compiler)?;
        self.rows.iter().try_for_each(|(name, count)| writeln!(f, "{name:<50} {count:>12.2}"))
    }
}

impl Counts {
    /// Reads what `Display` writes.
    pub(crate) fn read(text: &str) -> Result<Counts, String> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let compiler = lines.next().ok_or("there is no line with the compiler")?.to_string();
        let row = |line: &str| {
            let (name, count) = line.rsplit_once(' ')?;
            Some((name.trim_end().to_string(), count.parse().ok()?))
        };
        let rows = lines.map(|line| row(line).ok_or_else(|| format!("no name and count: {line:?}")));
        Ok(Counts { compiler, rows: rows.collect::<Result<_, String>>()? })
    }

    fn get(&self, name: &str) -> Option<f64> {
        self.rows.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// Compares with a baseline: a report for people, which is an error if something must be done. The baseline may have more rows than
    /// these if only a `part` was counted.
    ///
    /// Another compiler makes another program. Then the report is only for information.
    pub(crate) fn compare(&self, baseline: &Counts, part: bool) -> Result<String, String> {
        let (mut text, mut wrong) = (String::new(), 0);
        for (name, count) in &self.rows {
            let Some(before) = baseline.get(name) else {
                wrong += 1;
                let _ = writeln!(text, "{name:<50} {:>12} {count:>12.2}    not in the baseline", "");
                continue;
            };
            let change = count / before - 1.0;
            let is_wrong = change.abs() > TOLERANCE;
            wrong += usize::from(is_wrong);
            // Changes that round to nothing are not worth a line.
            if change.abs() >= 0.0005 {
                let mark = if is_wrong { "    beyond the tolerance" } else { "" };
                let _ = writeln!(text, "{name:<50} {before:>12.2} {count:>12.2} {:>+7.1} %{mark}", 100.0 * change);
            }
        }
        for (name, before) in baseline.rows.iter().filter(|row| !part && self.get(&row.0).is_none()) {
            wrong += 1;
            let _ = writeln!(text, "{name:<50} {before:>12.2} {:>12}    no longer counted", "");
        }
        let (all, percent) = (self.rows.len(), 100.0 * TOLERANCE);
        if self.compiler != baseline.compiler {
            let _ = write!(
                text,
                "warning: NOT ENFORCED: {wrong} of {all} counts differ by more than {percent} %, but the baseline is of another compiler\n  \
                 baseline: {}\n  this one: {}\n  help: use the baseline's, or accept the counts of this one: {WRITE}",
                baseline.compiler, self.compiler
            );
        } else if wrong > 0 {
            let _ = write!(
                text,
                "error: {wrong} of {all} counts differ from the baseline by more than {percent} %\n  \
                 help: if that is meant, accept the new counts: {WRITE}"
            );
            return Err(text);
        } else {
            let _ = write!(text, "{all} counts within {percent} % of the baseline");
        }
        Ok(text)
    }
}

/// The instructions of each part of a file that callgrind wrote with uncompressed names, the last of which is what was left at the end.
///
/// Only those of `program` itself are counted, and each call from it to another object as [`CALL`]: how many the C library takes
/// to copy memory depends on its version and on the processor.
pub(crate) fn read_callgrind(text: &str, program: &str) -> Result<Vec<u64>, String> {
    let (mut parts, mut is_own, mut is_own_callee) = (Vec::new(), false, false);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let number = |text: Option<&str>| -> Result<u64, String> {
            text.and_then(|text| text.parse().ok()).ok_or_else(|| format!("cannot read a line of callgrind: {line:?}"))
        };
        if line.starts_with("part:") {
            parts.push(0);
        } else if let Some(object) = line.strip_prefix("ob=") {
            is_own = object == program;
            is_own_callee = is_own;
        } else if let Some(object) = line.strip_prefix("cob=") {
            is_own_callee = object == program;
        } else if let Some(calls) = line.strip_prefix("calls=") {
            if is_own && !is_own_callee {
                *parts.last_mut().ok_or("a call before the first part")? += CALL * number(calls.split(' ').next())?;
            }
            // What the callee takes, which is counted where the callee is listed. The object of a callee is for one call.
            lines.next();
            is_own_callee = is_own;
        } else if is_own && line.starts_with(|first: char| first.is_ascii_digit()) {
            *parts.last_mut().ok_or("a cost before the first part")? += number(line.split(' ').nth(1))?;
        }
    }
    Ok(parts)
}
