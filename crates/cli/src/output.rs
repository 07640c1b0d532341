//! Where results go and how failures are told.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use nply_arena::Error;

/// Standard output, written in large pieces.
pub(crate) type Out = BufWriter<StdoutLock<'static>>;

/// Why a command ended early.
pub(crate) enum Failure {
    /// Something to tell.
    Told(Error),
    /// The options were wrong, and clap tells it; or help was asked for.
    Usage(clap::Error),
    /// Writing or reading failed.
    Io(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Told(error)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Failure {
        Failure::Usage(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

/// Tells what went wrong; 0 done, 1 failed, 2 wrong usage.
pub(crate) fn finish(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(error)) => {
            let _ = error.print();
            ExitCode::from(error.exit_code() as u8)
        }
        // Whoever reads has seen enough, as `head` does.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => tell(&Error::failed(error.to_string())),
        Err(Failure::Told(error)) => tell(&error),
    }
}

fn tell(error: &Error) -> ExitCode {
    let (red, plain) = if colour(&io::stderr()) { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
    let _ = writeln!(io::stderr(), "{red}error:{plain} {error}");
    ExitCode::from(if error.is_usage { 2 } else { 1 })
}

/// Standard output for results.
pub(crate) fn out() -> Out {
    BufWriter::new(io::stdout().lock())
}

/// Whether to write colours there: only on a terminal, and never with `NO_COLOR`.
pub(crate) fn colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether nothing but results and errors is written.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, tells of progress only if asked to.
pub(crate) fn hush(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Tells on standard error how far something that takes long has come: in place on a terminal, a line for each quarter elsewhere.
pub(crate) fn progress(what: &str, done: f64) {
    static SHOWN: AtomicU32 = AtomicU32::new(u32::MAX);
    let on_terminal = io::stderr().is_terminal();
    let step = if on_terminal { 1 } else { 25 };
    let percent = (done.clamp(0.0, 1.0) * 100.0) as u32 / step * step;
    if QUIET.load(Ordering::Relaxed) || SHOWN.swap(percent, Ordering::Relaxed) == percent {
        return;
    }
    let _ = match (on_terminal, percent) {
        (false, _) => writeln!(io::stderr(), "{what}: {percent} %"),
        (true, 100) => writeln!(io::stderr(), "\r{what}: done "),
        (true, _) => write!(io::stderr(), "\r{what}: {percent} %"),
    };
}

/// A number as short as it can be exact to six digits: `1`, `0.5`, `0.333333`.
pub(crate) fn short(number: impl Into<f64>) -> String {
    let text = format!("{:.6}", number.into());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Numbers in one line.
pub(crate) fn shorts<T: Into<f64> + Copy>(numbers: &[T]) -> String {
    numbers.iter().map(|&number| short(number)).collect::<Vec<String>>().join(" ")
}

/// A number for JSON, as exact as its text.
pub(crate) fn number(number: impl Into<f64>) -> f64 {
    short(number).parse().expect("a number")
}

/// Numbers for JSON.
pub(crate) fn numbers<T: Into<f64> + Copy>(numbers: &[T]) -> Vec<f64> {
    numbers.iter().map(|&value| number(value)).collect()
}

/// Columns as wide as they need to be; the last may be of any length.
pub(crate) fn table(out: &mut impl Write, rows: &[Vec<String>]) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let mut line = String::new();
        for (cell, &width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
