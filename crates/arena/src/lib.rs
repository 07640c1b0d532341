//! Games and agents by name: the registry, sessions in text, matches and their statistics.
//!
//! Types are forgotten here, once: below this crate everything is generic, above it everything is text. [`NamedGame`] finds a
//! game by its name and opens a [`Session`].
//!
//! ```
//! use nply_arena::{NamedGame, Request, Spec};
//! let game = NamedGame::new(&Spec::parse("tree").unwrap()).unwrap();
//! let mut session = game.open(&Request::default()).unwrap();
//! assert_eq!(session.moves(), ["1", "2"]);
//! session.play("2").unwrap();
//! assert_eq!(session.position(), "(2 4,6,0 0,5,5)");
//! ```

mod bench;
mod conformance;
mod engine;
mod error;
mod experiment;
mod fingerprint;
mod limits;
mod matches;
mod parquet;
mod plot;
mod process;
mod program;
mod protocol;
pub mod quantity;
mod record;
mod registry;
pub mod report;
mod seating;
mod session;
mod spec;
pub mod statistics;
mod store;

pub use bench::{BenchRow, bench};
pub use conformance::{Check, Outcome, check};
pub use engine::Engine;
pub use error::Error;
pub use experiment::{Cell, Comparison, EXPERIMENTS, Found, MatchEntry, MatchFile, Scale, experiment};
pub use fingerprint::FINGERPRINT;
pub use limits::{budget_text, check_ends, own_budget};
pub use matches::{Match, select_matches};
pub use parquet::Parquet;
pub use plot::{Mark, Moves, factors_svg, games_svg, lengths_svg, lines_svg, moves_svg, rates_svg};
pub use process::Launch;
pub use record::{
    COLUMNS, Column, ColumnType, Cost, DecisionRecord, Ending, Forfeit, GameRecord, Shape, csv_header, game_json,
    games_csv,
};
pub use registry::{AgentInfo, GameInfo, LIMITS, NamedGame, Request, agents, infos};
pub use seating::seatings;
pub use session::{Chance, Session, Thought};
pub use spec::{Kind, OptionInfo, Options, Spec};
pub use store::{KeptMatch, MatchSettings, Store};
