//! The command `nply`, for any set of games.
//!
//! The whole command for a game of your own:
//!
//! ```no_run
//! use std::process::ExitCode;
//! use nply_arena::Registry;
//!
//! fn main() -> ExitCode {
//!     nply_cli::run(Registry::standard()) // .game::<Sticks>()
//! }
//! ```

/// The standard macro panics where standard error is closed or full.
macro_rules! eprintln {
    ($($text:tt)*) => { crate::output::say(format_args!($($text)*)) };
}

mod args;
mod commands;
mod output;

use std::process::ExitCode;

use nply_arena::Registry;

/// Reads the command line and carries it out, with the games of a registry: 0 done, 1 failed, 2 wrong usage; a search or a
/// game in the terminal that a signal ended: 128 and its number.
pub fn run(registry: Registry) -> ExitCode {
    output::finish(commands::run(registry))
}
