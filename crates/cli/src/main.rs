//! The command `nply`.

fn main() -> std::process::ExitCode {
    nply_cli::run(nply_arena::Registry::standard())
}
