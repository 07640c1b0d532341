//! Where results go and how failures are reported.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nply::Error;
use serde_json::json;

/// Standard output, written in large pieces.
pub(crate) type Out = BufWriter<StdoutLock<'static>>;

/// Why a command ended early.
pub(crate) enum Failure {
    /// An error to report.
    Reported(Error),
    /// The options were wrong, or help was requested.
    Usage(clap::Error),
    /// The output could not be written.
    Io(io::Error),
    /// This signal ended it, and everything there was to say has been written.
    Stopped(u8),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Reported(error)
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

/// Reports what went wrong, as JSON if `--json` was given; 0 done, 1 failed, 2 wrong usage, 128 and its number for a signal.
pub(crate) fn finish(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(error)) if error.use_stderr() && is_json() => {
            let text = error.render().to_string();
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let message = lines.next().unwrap_or_default().trim_start_matches("error: ");
            report(&Error::usage(message).help(lines.collect::<Vec<&str>>().join("; ")))
        }
        Err(Failure::Usage(error)) => match print_usage(&error) {
            Err(failed) if !error.use_stderr() && failed.kind() != io::ErrorKind::BrokenPipe => report(&lost(&failed)),
            _ => ExitCode::from(error.exit_code() as u8),
        },
        // Whoever reads has seen enough, as `head` does.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => report(&lost(&error)),
        Err(Failure::Reported(error)) => report(&error),
        Err(Failure::Stopped(signal)) => ExitCode::from(128 + signal),
    }
}

/// Prints help or an error of the options by the same rule of colors as everything else: clap's own follows `CI` too.
fn print_usage(error: &clap::Error) -> io::Result<()> {
    fn print(stream: &mut (impl IsTerminal + Write), text: &clap::builder::StyledStr) -> io::Result<()> {
        if color(stream) {
            write!(stream, "{}", text.ansi())?
        } else {
            write!(stream, "{text}")?
        }
        stream.flush()
    }
    let text = error.render();
    if error.use_stderr() { print(&mut io::stderr(), &text) } else { print(&mut io::stdout(), &text) }
}

/// The error of results that nobody gets.
fn lost(error: &io::Error) -> Error {
    Error::file(format!("cannot write the output: {error}"))
}

/// Whether errors are written as JSON: the options may be what is wrong, so they are not consulted.
fn is_json() -> bool {
    std::env::args_os().any(|word| word == "--json")
}

fn report(error: &Error) -> ExitCode {
    let (red, plain) = if color(&io::stderr()) { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
    let _ = if is_json() {
        let Error { code, message, help } = error;
        writeln!(io::stderr(), "{}", json!({ "error": { "code": code.as_str(), "message": message, "help": help } }))
    } else {
        writeln!(io::stderr(), "{red}error:{plain} {error}")
    };
    ExitCode::from(if error.code.is_usage() { 2 } else { 1 })
}

/// Standard output for results.
pub(crate) fn out() -> Out {
    BufWriter::new(io::stdout().lock())
}

/// Whether to write colors there: only on a capable terminal, and never with `NO_COLOR`.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    is_capable(stream) && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether it is a terminal on which a line can be drawn again: with `TERM=dumb` it is not.
fn is_capable(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The bar of so many games, with room for a message. On a terminal of 40 columns all of it is in one line.
pub(crate) fn bar(total: u64, quiet: bool) -> ProgressBar {
    let is_shown = !quiet && is_capable(&io::stderr());
    bar_on(total, if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() })
}

fn bar_on(total: u64, target: ProgressDrawTarget) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:10} {pos}/{len}, {eta} left: {wide_msg}");
    ProgressBar::with_draw_target(Some(total), target).with_style(style.expect("the template is right"))
}

/// Whether nothing but results and errors is written.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Turns progress off or on.
pub(crate) fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Writes a line to standard error, above a bar if there is one. If nobody can read it, there is nobody to tell.
pub(crate) fn say(text: fmt::Arguments<'_>) {
    let write = || drop(writeln!(io::stderr(), "{text}"));
    match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Writes a note to standard error, unless only results are wanted.
pub(crate) fn note(text: &str) {
    if !QUIET.load(Ordering::Relaxed) {
        eprintln!("note: {text}");
    }
}

/// The bar that is shown.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Lets [`say`] know of the bar that is shown, or that there is none any more.
pub(crate) fn set_bar(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Writes the progress of something slow to standard error: in place on a terminal, a line for each quarter elsewhere.
pub(crate) fn progress(what: &str, done: f64) {
    static SHOWN: AtomicU32 = AtomicU32::new(u32::MAX);
    let on_terminal = is_capable(&io::stderr());
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use indicatif::TermLike;

    use super::*;

    /// A terminal that remembers what was written to it.
    #[derive(Clone, Debug)]
    struct Fake {
        width: u16,
        written: Arc<Mutex<String>>,
    }

    impl Fake {
        fn add(&self, text: &str) -> io::Result<()> {
            self.written.lock().unwrap().push_str(text);
            Ok(())
        }
    }

    impl TermLike for Fake {
        fn width(&self) -> u16 {
            self.width
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            self.add("\n")
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            self.add("\n")
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            self.add("\n")
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            self.add("\n")
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.add(&format!("{text}\n"))
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.add(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.add("\n")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_bar_is_one_line_on_narrow_terminals() {
        for width in [40, 60, 100] {
            let written = Arc::default();
            let term = Fake { width, written: Arc::clone(&written) };
            let bar = bar_on(100_000, ProgressDrawTarget::term_like_with_hz(Box::new(term), 255));
            for _ in 0..5 {
                bar.set_position(99_999);
                bar.set_message("brs 60.0 % ± 1.2, paranoid 36.7 % ± 1.2, maxn:ties=cautious 3.3 % ± 0.9, räuber 3 %");
                bar.force_draw();
            }
            bar.abandon();
            let text = written.lock().unwrap().clone();
            assert!(text.contains("99999/100000") && text.contains("brs"), "{text:?}");
            let widest = text.split(['\n', '\r']).map(|line| line.trim_end().chars().count()).max();
            assert!(widest <= Some(width.into()), "{width}: {text:?}");
        }
    }
}
