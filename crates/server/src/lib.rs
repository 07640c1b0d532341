//! The page: games, searches and tournaments over HTTP, for every game of a registry.
//!
//! There are no rules of any game here: everything goes through [`nply_arena::Session`]. Sessions are in memory while they are used
//! and always in a file ([`Options::db`]); searches run on a bounded pool of threads; the client in the browser is compiled in.

mod agents;
mod api;
mod client;
mod error;
mod events;
mod levels;
mod limits;
mod openapi;
mod queue;
mod results;
mod searches;
mod security;
mod server;
mod sessions;
mod store;
mod tournaments;

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::{Args, Parser};
use nply_arena::Registry;
use serde_json::{Map, Value};
use tokio::sync::watch;

use error::ApiError;

pub use limits::Limits;
pub use server::{Server, Stopper, run};

/// The options of a server.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Port to listen on; 0 for any that is free
    #[arg(long, value_name = "P", default_value_t = 7979)]
    pub port: u16,
    /// Address to listen on; others than this machine can reach the server only if it is not a loopback address
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub listen: IpAddr,
    /// Another name that the server is reached by, such as that of a proxy; may be given several times
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// File of sessions [default: in the folder for data of the user]
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Folder with files of games to show, `*.db` or `*.db.gz`
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Allow agents that are programs or use files, to everybody who reaches the server
    #[arg(long)]
    pub allow_programs: bool,
    /// Limits, each with an error that names it.
    #[command(flatten)]
    pub limits: Limits,
}

/// What `nply serve` does without options.
impl Default for Options {
    fn default() -> Options {
        #[derive(Parser)]
        struct Alone {
            #[command(flatten)]
            options: Options,
        }
        Alone::parse_from(["nply"]).options
    }
}

/// Everything that requests share.
pub(crate) struct App {
    pub(crate) registry: Registry,
    pub(crate) options: Options,
    /// Number of threads that search.
    pub(crate) threads: usize,
    pub(crate) store: store::Store,
    pub(crate) sessions: sessions::Sessions,
    pub(crate) searches: searches::Searches,
    pub(crate) tournaments: tournaments::Tournaments,
    pub(crate) pool: queue::Pool,
    /// The thread of tournaments, so that they never keep a player waiting.
    pub(crate) background: queue::Pool,
    pub(crate) buckets: limits::Buckets,
    pub(crate) names: security::Names,
    /// Set when the server stops.
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) runtime: tokio::runtime::Handle,
}

/// The largest seed: every program that reads JSON can hold it exactly.
pub(crate) const LARGEST_SEED: u64 = (1 << 53) - 1;

/// A seed that a request names.
pub(crate) fn seed(seed: u64) -> Result<u64, ApiError> {
    let error = || ApiError::refused("bad-value", format!("a seed is at most {LARGEST_SEED}"));
    Some(seed).filter(|&seed| seed <= LARGEST_SEED).ok_or_else(error)
}

/// A number that nobody can guess.
fn secret() -> u64 {
    // The standard library seeds its hashers from the system's randomness.
    RandomState::new().hash_one(std::time::Instant::now())
}

pub(crate) fn new_seed() -> u64 {
    secret() & LARGEST_SEED
}

/// A name that nobody can guess.
pub(crate) fn new_id() -> String {
    format!("{:016x}{:016x}", secret(), secret())
}

/// A game's name with options, as the registry reads it.
pub(crate) fn named(game: &str, options: Option<&Map<String, Value>>) -> Result<Value, ApiError> {
    let Some(options) = options.filter(|options| !options.is_empty()) else { return Ok(Value::String(game.into())) };
    if options.contains_key("name") {
        return Err(ApiError::refused("unknown-setting", "a game has no option \"name\""));
    }
    let mut named = options.clone();
    named.insert("name".into(), Value::String(game.into()));
    Ok(Value::Object(named))
}
