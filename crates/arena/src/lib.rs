//! Games and agents by name: the registry, sessions, matches, their results and statistics.
//!
//! Types are forgotten here, once: below this crate everything is generic, above it everything is text. A [`Registry`] finds a game
//! by its name, and a [`NamedGame`] opens a [`Session`].
//!
//! ```
//! use nply_arena::{Registry, Request};
//! let game = Registry::standard().find("tree").unwrap();
//! let mut session = game.open(&Request::default()).unwrap();
//! assert_eq!(session.moves(), ["1", "2"]);
//! session.play("2").unwrap();
//! assert_eq!(session.position(), "(2 4,6,0 0,5,5)");
//! ```

mod bench;
pub mod calibrate;
mod conformance;
mod engine;
mod experiment;
mod explain;
mod failing;
#[cfg(unix)]
mod guard;
mod gzip;
pub mod impact;
mod matches;
mod memory;
pub mod npgn;
mod openings;
mod page;
mod parquet;
pub mod pgn4;
mod plain;
mod plan;
mod plot;
mod presence;
mod process;
mod program;
mod protocol;
mod reading;
mod record;
mod registry;
pub mod report;
mod scene;
mod schedule;
mod session;
mod shard;
mod signals;
mod solving;
pub mod statistics;
mod store;
mod terms;
pub mod tune;
mod waiting;

pub use bench::{BenchRow, FINGERPRINT, bench, fingerprint};
pub use conformance::{Check, Outcome, check};
pub use engine::Engine;
pub use experiment::{
    Cell, Compared, Comparison, EXPERIMENTS, Found, MatchEntry, MatchFile, Scale, changed, compare, experiment,
    experiment_or_file,
};
pub use explain::Explanation;
pub use failing::{caught, fail};
pub use gzip::pack as gzip;
pub use matches::{Match, select_matches};
pub use memory::{Demand, Memory};
pub use openings::{Book, Opening, Openings};
pub use page::{Claim, Relation, Results, claims};
pub use parquet::Parquet;
pub use plan::{Plan, Planned, Run};
pub use plot::{
    Heat, Mark, Moves, Panel, PanelRow, factors_svg, games_svg, heat_svg, lengths_svg, lines_svg, moves_svg,
    panels_svg, rates_svg, reliability_svg,
};
pub use process::Launch;
pub use program::ProgramSettings;
pub use record::{
    COLUMNS, Column, ColumnType, Cost, DecisionRecord, Ending, Forfeit, GameRecord, Shape, csv_header, game_json,
    games_csv,
};
pub use registry::{
    AgentInfo, BestEntry, GameInfo, NamedAgent, NamedGame, Registry, Request, Shown, read_json, schema, standard_games,
    with_entry, write_json,
};
pub use scene::{MoveClicks, scene_json, styles_json};
pub use schedule::{Games, Schedule, Seating, Seatings, seatings};
pub use session::{Course, Judgement, Session, Thought, ThoughtLine};
pub use shard::{Shard, array_text};
pub use signals::ignores_hangup;
pub use solving::{ProofClaim, ProofFile, ProvedClaim, Solved, Solving, SolvingState, amount_text};
pub use store::{Added, KeptMatch, MatchSettings, Merge, Merged, Missing, Store, missing};
pub use terms::{Adjudication, Terms};
pub use waiting::{USUAL_WAIT, Wait, set_wait};
