//! The command `nply`.

mod args;
mod commands;
mod output;

fn main() -> std::process::ExitCode {
    output::finish(commands::run())
}
