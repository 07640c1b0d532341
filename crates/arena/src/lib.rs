//! Games and agents by name, and games between them: the registry, sessions, matches and their results.
mod bench;
mod conformance;
mod engine;
mod process;
mod program;
mod protocol;
mod registry;
mod session;
pub use bench::{BenchRow, FINGERPRINT, bench, fingerprint};
pub use conformance::{Check, Outcome, check};
pub use engine::Engine;
pub use process::Launch;
pub use program::ProgramSettings;
pub use registry::{AgentInfo, GameInfo, NamedAgent, NamedGame, Registry, Request, read_json, schema, write_json};
pub use session::{Course, CourseEnd, DecisionRecord, Session, Thought};
