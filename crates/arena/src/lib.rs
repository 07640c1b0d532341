//! Games and agents by name: the registry, and sessions in text.
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
mod limits;
mod measure;
mod parquet;
mod plot;
mod process;
mod program;
mod protocol;
pub mod quantity;
mod rating;
mod registry;
pub mod report;
mod seating;
mod session;
mod spec;
mod sprt;
mod store;
mod tally;
mod tournament;

pub use bench::{BenchRow, bench};
pub use conformance::{Check, Outcome, check};
pub use engine::Engine;
pub use error::Error;
pub use experiment::{Cell, Comparison, EXPERIMENTS, Found, Match, Plan, Scale, experiment};
pub use limits::{budget_text, check_ends, own_budget};
pub use measure::{Distances, Estimate, Measure};
pub use parquet::Parquet;
pub use plot::{Mark, Moves, factors_svg, games_svg, lengths_svg, lines_svg, moves_svg, rates_svg};
pub use process::Launch;
pub use rating::{Rating, ratings};
pub use registry::{AgentInfo, GameInfo, LIMITS, NamedGame, Request, agents, infos};
pub use seating::seatings;
pub use session::{Chance, Session, Thought};
pub use spec::{Kind, OptionInfo, Options, Spec};
pub use sprt::{Referee, Sprt, Verdict};
pub use store::{Experiment, Settings, Store};
pub use tally::{Course, Row, course, interval, margin, normal, student, tally, wilson};
pub use tournament::{Cost, Forfeit, Played, Step, Tournament};
