//! The extension module of the Python package `nply`: what its Python modules are made of.
//!
//! Games, agents and matches are those of the arena, in text. What is added here is what Python needs: exceptions, searches that end at
//! Ctrl-C, and a game whose rules are methods of a Python class.

mod distributed;
mod errors;
mod evaluation;
mod experiment;
mod own;
mod position;
mod registry;
mod running;
mod steps;
mod tournament;
mod tune;

#[pyo3::pymodule]
mod _nply {
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    /// Two programs with the same fingerprint search alike.
    #[pymodule_export]
    const FINGERPRINT: &str = nply_arena::FINGERPRINT;
    #[pymodule_export]
    use crate::distributed::{Collection, play_games};
    #[pymodule_export]
    use crate::experiment::{Compared, Experiment, experiment, experiments};
    #[pymodule_export]
    use crate::own::{check_rules, own};
    #[pymodule_export]
    use crate::position::{Position, open};
    #[pymodule_export]
    use crate::registry::{agents, check_agent, games, settings_of};
    #[pymodule_export]
    use crate::steps::Steps;
    #[pymodule_export]
    use crate::tournament::{Outcome, Prepared, prepare, read};
    #[pymodule_export]
    use crate::tune::{Found, Tuning, tuning};
}
