//! The command line, as clap reads it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use nply::{Budget, Clock, Error, quantity, recording};
use nply_arena::statistics::Sprt;
use nply_arena::{
    Adjudication, NamedGame, Registry, Request, Schedule, Seating, Session, Shard, USUAL_WAIT, Wait, set_wait, tune,
};

/// Search for games of two to six players.
#[derive(Parser)]
#[command(name = "nply", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Nply {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What every command understands.
#[derive(Args, Clone, Copy)]
pub(crate) struct Common {
    /// Write JSON: one object, or one per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Write nothing but results
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Number of threads, where several can work [default: one per core, but one for a search]
    #[arg(long, global = true, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
}

impl Common {
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, |cores| cores.get()), |t| t as usize)
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the games with their players and options
    Games,
    /// List the agents with their settings
    Agents(Agents),
    /// Draw a position, as the player to move sees it
    Show(Show),
    /// List the legal moves, sorted as bytes
    Moves(Position),
    /// Count the positions after a number of plies
    Perft(Perft),
    /// Ask an agent for a move
    Search(Search),
    /// Show the tree that an agent's search visits, with the reason of every cut
    Explain(Explain),
    /// Find what one player can be sure of against everybody else, to the end of the game
    Solve(Solve),
    /// Play a game in the terminal
    Play(Play),
    /// Play one or several matches between agents, every seating equally often
    Tournament(Tournament),
    /// Bring games of the same matches together in one file, such as those of shards
    Merge(Merge),
    /// Name the shards of a tournament that have games to play
    Missing(Missing),
    /// Write tables and plots of the games in a file
    Report(Report),
    /// Show a game of a file move by move
    Replay(Replay),
    /// Play an experiment, a table of a paper, and compare the figures
    Reproduce(Reproduce),
    /// Serve the page: play, analyze and watch tournaments in a browser
    #[cfg(feature = "serve")]
    Serve(Box<nply_server::Options>),
    /// Let another program drive an agent, line by line on standard input and output
    Engine(Engine),
    /// Check whether a program speaks the protocol
    EngineCheck(EngineCheck),
    /// Search fixed positions with every search; the total of nodes is a checksum of their behavior
    Bench,
    /// Fit chances, the players' shares of the win, to evaluations by play
    Calibrate(Calibrate),
    /// Measure how often a player can lower an opponent's evaluation
    Impact(Impact),
    /// Find the strongest agent and settings for a game, by matches in which the better half goes on
    Tune(Tune),
    /// Build, verify or find a table that an evaluation needs
    #[command(subcommand)]
    Table(Table),
    /// Learn an evaluation from recorded games
    #[command(subcommand)]
    Learn(Learn),
    /// Write completions for a shell
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page, or that of a command
    Man {
        /// Command, such as `search`
        command: Option<String>,
    },
}

#[derive(Args)]
pub(crate) struct Agents {
    /// List the settings in this game, and with `--json` a JSON Schema of them
    pub(crate) game: Option<String>,
    /// Write the settings as Markdown tables
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// A game and a position in it.
#[derive(Args, Clone)]
pub(crate) struct Position {
    /// Game, with options: `name[:key=value,…]`; `nply games` lists them
    pub(crate) game: String,
    /// Number of players [default: the game's usual number]
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
    /// Position to start from, as `nply show` writes it [default: the start]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,
    /// Moves to play first, separated by spaces
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    pub(crate) moves: String,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl Position {
    /// The game by its name.
    pub(crate) fn game(&self, registry: &Registry) -> Result<NamedGame, Error> {
        registry.find(&self.game)
    }

    /// What a session starts from.
    pub(crate) fn request(&self) -> Request {
        Request {
            players: self.players,
            position: self.position.clone(),
            moves: self.moves.clone(),
            seed: self.seed,
            noise: false,
            programs: true,
            progress: crate::output::progress,
        }
    }

    /// A session in the position.
    pub(crate) fn open(&self, registry: &Registry) -> Result<Box<dyn Session>, Error> {
        self.game(registry)?.open(&self.request())
    }
}

#[derive(Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) position: Position,
    /// Show hidden cards as well
    #[arg(long)]
    pub(crate) all: bool,
    /// Write only the position, as other programs have it
    #[arg(long, value_name = "N", value_enum)]
    pub(crate) notation: Option<OtherNotation>,
    /// Write the position as a drawing
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Background of the drawing; `auto` is light, and dark where a browser asks for it
    #[arg(long, value_name = "T", default_value = "auto", requires = "svg")]
    pub(crate) theme: DrawingTheme,
    /// Moves to draw as arrows, which follow the position: "a1-b2 c3-d4"
    #[arg(long, value_name = "MOVES", requires = "svg", allow_hyphen_values = true)]
    pub(crate) arrows: Option<String>,
}

/// A notation of other programs.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum OtherNotation {
    /// Positions of Four-Player Chess
    Fen4,
}

/// [`Theme`](nply::scene::Theme) as a word.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum DrawingTheme {
    Auto,
    Light,
    Dark,
}

#[derive(Args)]
pub(crate) struct Perft {
    #[command(flatten)]
    pub(crate) position: Position,
    /// Number of plies
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) depth: u32,
    /// Split the last count by the first move
    #[arg(long)]
    pub(crate) divide: bool,
}

/// Limits on the thinking of agents.
#[derive(Args, Clone, Copy)]
pub(crate) struct Limits {
    /// Deepest iteration, in plies
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
    /// Positions visited, such as 250k
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    pub(crate) nodes: Option<u64>,
    /// Playouts, for agents that make any
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    pub(crate) playouts: Option<u64>,
    /// Time, such as 200ms or 1.5s
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    pub(crate) time: Option<Duration>,
}

impl Limits {
    /// The budget, or `otherwise` if no limit was given.
    pub(crate) fn budget_or(&self, otherwise: Budget) -> Budget {
        let Limits { depth, nodes, playouts, time } = *self;
        let budget = Budget { depth, nodes, playouts, time, stop: None };
        if budget == Budget::default() { otherwise } else { budget }
    }
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("limit").args(["depth", "nodes", "playouts", "time"]).multiple(true).required(true))]
pub(crate) struct Search {
    #[command(flatten)]
    pub(crate) position: Position,
    /// Agent: `name[:key=value,…]`; `nply agents` lists them
    #[arg(long, value_name = "A")]
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) position: Position,
    /// Agent: `name[:key=value,…]`; `nply agents` lists them
    #[arg(long, value_name = "A")]
    pub(crate) agent: String,
    /// Plies to search, for agents that deepen
    #[arg(long, value_name = "D", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: u32,
    /// Playouts, for agents that make any
    #[arg(long, value_name = "N", default_value = "100", value_parser = quantity::count)]
    pub(crate) playouts: u64,
    /// Most nodes to record
    #[arg(long, value_name = "N", default_value_t = recording::NODES as u64, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) limit: u64,
    /// Draw the tree to FILE as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Draw the tree to FILE for LaTeX with TikZ
    #[arg(long, value_name = "FILE")]
    pub(crate) tikz: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Solve {
    /// Game, with options: `name[:key=value,…]`; `nply games` lists them
    #[arg(required_unless_present = "verify")]
    pub(crate) game: Option<String>,
    /// Player who is asked for, from 1
    #[arg(long, value_name = "P", required_unless_present = "verify")]
    pub(crate) player: Option<usize>,
    /// Ask only whether the player gets this much: points, such as 12, or a share of the win, such as 1/2 [default: find the most]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) at_least: Option<String>,
    /// What is counted at the end [default: points, where the game counts them]
    #[arg(long, value_enum)]
    pub(crate) by: Option<SolveBy>,
    /// Number of players [default: the game's usual number]
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
    /// Position to start from, as `nply show` writes it [default: the start]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,
    /// Moves to play first, separated by spaces
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    pub(crate) moves: String,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Positions expanded for each question, such as 250k
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    pub(crate) nodes: Option<u64>,
    /// Time for each question, such as 1.5s or 10m
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    pub(crate) time: Option<Duration>,
    /// Memory of the table, such as 64M
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = quantity::size)]
    pub(crate) table: u64,
    /// Write what was found to FILE with proofs that can be checked
    #[arg(long, value_name = "FILE")]
    pub(crate) proof: Option<PathBuf>,
    /// Most moves that a proof may choose, about the bytes of the file
    #[arg(long, value_name = "N", default_value = "100M", value_parser = quantity::count, requires = "proof")]
    pub(crate) proof_limit: u64,
    /// Check the proofs of FILE by the rules, without any search
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "player", "at_least", "by", "players", "position", "moves", "seed", "nodes", "time", "table", "proof"])]
    pub(crate) verify: Option<PathBuf>,
}

/// What `nply solve` counts at the end of a game.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SolveBy {
    /// Points: discs, tricks, points of leaves, points avoided in Hearts
    Points,
    /// Share of the win
    Share,
}

#[derive(Args)]
pub(crate) struct Play {
    #[command(flatten)]
    pub(crate) position: Position,
    /// Who plays: `human` or an agent for each seat, separated by spaces [default: you against the agent `best`]
    #[arg(long)]
    pub(crate) seats: Option<String>,
    /// Show hidden cards as well
    #[arg(long)]
    pub(crate) all: bool,
    /// Agent that gives hints [default: best]
    #[arg(long, value_name = "A")]
    pub(crate) hint: Option<String>,
    /// Resume a saved game, or a game as text, `*.npgn` or `*.pgn4`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "moves", "players", "seed"])]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Args)]
pub(crate) struct Tournament {
    /// Game with options, `name[:key=value,…]`, or a file of matches, `*.toml`
    #[arg(value_name = "GAME|FILE")]
    pub(crate) game: String,
    /// Number of players [default: the game's usual number]
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
    /// Agents, separated by spaces; one with limits, such as `brs:nodes=10k`, has a budget of its own, and `fast=brs:nodes=10k` is called fast in tables and files
    #[arg(long, value_name = "AGENTS")]
    pub(crate) agents: Option<String>,
    /// Number of games, rounded up so that every seating is played equally often; fewer than seatings are a balanced sample of them
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    pub(crate) games: Option<u64>,
    /// Who meets in a game [default: all, or as the file of matches says]
    #[arg(long, value_enum)]
    pub(crate) schedule: Option<Meetings>,
    /// Clock of each player: the time for a whole game and, after a plus sign, what is added after each move, such as 60s+0.5s
    #[arg(long, value_name = "TIME[+INC]", value_parser = str::parse::<Clock>)]
    pub(crate) clock: Option<Clock>,
    /// End games as shared, such as repetition=3 when a position occurs for the third time, or plies=200; separated by commas
    #[arg(long, value_name = "RULES", value_parser = str::parse::<Adjudication>)]
    pub(crate) adjudicate: Option<Adjudication>,
    /// Start games with random moves, such as random:4 for four plies, or from the positions or moves in the lines of a file; the same for all seatings of a round
    #[arg(long, value_name = "random:PLIES|FILE")]
    pub(crate) openings: Option<String>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Keep every game in FILE, and resume a match that is there
    #[arg(long, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Name of the match in the file of games [default: tournament]; of a file of matches, those to play, as `nply report` selects them
    #[arg(long = "match", value_name = "NAME", alias = "name", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    /// Stop as soon as one of two agents is shown to be stronger, or both rates to be within D of one half
    #[arg(long, value_name = "D", num_args = 0..=1, require_equals = true, default_missing_value = "0.05", value_parser = difference)]
    pub(crate) sprt: Option<f64>,
    /// Play only shard I of N, from 1, of every match, into a file of its own; `nply merge` brings the files together
    #[arg(long, value_name = "I/N", value_parser = str::parse::<Shard>)]
    pub(crate) shard: Option<Shard>,
    /// Write every game to FILE as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write every game to FILE as Parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) parquet: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plots: Plots,
    #[command(flatten)]
    pub(crate) waiting: Waiting,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Args)]
pub(crate) struct Merge {
    /// Files of games, such as those that `nply tournament --shard` wrote
    #[arg(value_name = "FILE", required = true)]
    pub(crate) parts: Vec<PathBuf>,
    /// File to bring them together in; one that is there already is added to
    #[arg(long, value_name = "FILE")]
    pub(crate) db: PathBuf,
    #[command(flatten)]
    pub(crate) waiting: Waiting,
}

#[derive(Args)]
pub(crate) struct Missing {
    /// Merged file, or the files of the shards
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Only the match of this name or, if there is none, those whose names contain it; several texts are separated by commas [default: all that are played in shards]
    #[arg(long = "match", value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) waiting: Waiting,
}

/// How commands wait for files of games.
#[derive(Args)]
pub(crate) struct Waiting {
    /// Longest time to wait for a file of games that another program has locked
    #[arg(long, value_name = "T", default_value = USUAL_WAIT, value_parser = quantity::time)]
    pub(crate) wait: Duration,
}

impl Waiting {
    /// Lets every file of games be waited for like this; `is_stopped` ends a wait early.
    pub(crate) fn set(&self, is_stopped: fn() -> bool) {
        set_wait(Wait { longest: self.wait, notice: crate::output::note, is_stopped });
    }
}

#[derive(Args)]
pub(crate) struct Plots {
    /// Draw plots: the rates of one match to a file `*.svg`, or all plots to any other path, a folder
    #[arg(long, value_name = "PATH")]
    pub(crate) svg: Option<PathBuf>,
}

/// What `calibrate` and `impact` look at.
#[derive(Args)]
pub(crate) struct Judged {
    /// Game, with options: `name[:key=value,…]`; `nply games` lists them
    pub(crate) game: String,
    /// Number of players [default: the game's usual number]
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
    /// Every number of players, one after another
    #[arg(long, conflicts_with = "players")]
    pub(crate) all_players: bool,
    /// Evaluation; may be given several times [default: all]
    #[arg(long, value_name = "E")]
    pub(crate) eval: Vec<String>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Args)]
pub(crate) struct Calibrate {
    #[command(flatten)]
    pub(crate) judged: Judged,
    /// Number of games for each number of players, rounded up to a multiple of 12
    #[arg(long, value_name = "G", default_value = "3000", value_parser = quantity::count)]
    pub(crate) games: u64,
    /// Draw reliability diagrams to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Compare also the chances in this agent's decisions with the results
    #[arg(long, value_name = "A")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Args)]
pub(crate) struct Impact {
    #[command(flatten)]
    pub(crate) judged: Judged,
    /// Number of games for each number of players, rounded up to a multiple of 3
    #[arg(long, value_name = "G", default_value = "300", value_parser = quantity::count)]
    pub(crate) games: u64,
}

#[derive(Args)]
pub(crate) struct Tune {
    /// Game, with options: `name[:key=value,…]`; `nply games` lists them
    pub(crate) game: String,
    /// Number of players [default: the game's usual number]
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
    /// Positions visited in a decision, such as 10k; may be given several times, for one tuning after another [default: 10k]
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    pub(crate) nodes: Vec<u64>,
    /// Time of a decision, such as 200ms; may be given several times, for one tuning after another
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    pub(crate) time: Vec<Duration>,
    /// Keep every game in FILE; the same command resumes
    #[arg(long, value_name = "FILE")]
    pub(crate) db: PathBuf,
    /// Agents to choose from, separated by spaces [default: every family with the game's evaluations, then settings of the last two]
    #[arg(long, value_name = "AGENTS")]
    pub(crate) candidates: Option<String>,
    /// Number of games of each candidate in the first match; it doubles as the field halves
    #[arg(long, value_name = "N", default_value_t = tune::Asked::default().games, value_parser = clap::value_parser!(u64).range(tune::Asked::GAMES))]
    pub(crate) games: u64,
    /// Most games of the last match, a sequential test of the winner against the agent that was best before
    #[arg(long, value_name = "N", default_value_t = tune::Asked::default().last, value_parser = clap::value_parser!(u64).range(tune::Asked::LAST))]
    pub(crate) last: u64,
    /// Distance of a rate from one half that matters in the last match
    #[arg(long, value_name = "D", default_value_t = tune::Asked::default().sprt, value_parser = difference)]
    pub(crate) sprt: f64,
    /// Start games with random moves, such as random:4, or from a file, as in a tournament [default: random moves, if the start is not dealt]
    #[arg(long, value_name = "random:PLIES|FILE")]
    pub(crate) openings: Option<String>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = tune::Asked::default().seed)]
    pub(crate) seed: u64,
    /// Stop after this time, such as 120m; the same command goes on later
    #[arg(long = "for", value_name = "TIME", value_parser = quantity::time)]
    pub(crate) limit: Option<Duration>,
    /// Write the entries to the table of the project in whose folder this is run, crates/arena/best.toml
    #[arg(long)]
    pub(crate) write: bool,
    #[command(flatten)]
    pub(crate) waiting: Waiting,
}

#[derive(Args)]
pub(crate) struct Engine {
    #[command(flatten)]
    pub(crate) position: Position,
    /// Agent: `name[:key=value,…]`; `nply agents` lists them
    #[arg(long, value_name = "A")]
    pub(crate) agent: String,
}

#[derive(Args)]
pub(crate) struct EngineCheck {
    /// Game to try, with options; may be given several times [default: all]
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Vec<String>,
    /// Time the program may take to get ready
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    pub(crate) start: Option<Duration>,
    /// Time it may take beyond a budget's time
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    pub(crate) grace: Option<Duration>,
    /// Time it may take for a move where the budget has none
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    pub(crate) patience: Option<Duration>,
    /// Program to check
    pub(crate) path: PathBuf,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
}

/// Reads the distance of a rate from one half, such as 0.05.
fn difference(text: &str) -> Result<f64, String> {
    let delta = text.parse().unwrap_or(f64::NAN);
    Sprt::check(delta).map(|()| delta).map_err(|error| error.help.unwrap_or(error.message))
}

/// Reads a factor, such as 0.1.
fn factor(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if factor > 0.0 && factor <= 1000.0 => Ok(factor),
        _ => Err("write a factor above 0, such as 0.1".into()),
    }
}

/// The format of tables and games.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    /// Aligned columns
    #[default]
    Text,
    Markdown,
    Csv,
    Latex,
    Json,
    /// For data frames; games only
    Parquet,
    /// As text, a relative of PGN; games only
    Npgn,
    /// As text for other programs; games of Four-Player Chess only
    Pgn4,
}

#[derive(Args)]
pub(crate) struct Report {
    /// File of games: one that `nply tournament --db` wrote, or games as text, `*.npgn` or `*.pgn4`
    #[arg(value_name = "FILE")]
    pub(crate) db: PathBuf,
    /// Only the match of this name or, if there is none, those whose names contain it; several texts are separated by commas [default: all]
    #[arg(long = "match", value_name = "NAME", alias = "experiment", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Form,
    /// Write the games instead of tables: CSV, one JSON object per line with `--json`, text, or a Parquet file
    #[arg(long)]
    pub(crate) list_games: bool,
    #[command(flatten)]
    pub(crate) plots: Plots,
    #[command(flatten)]
    pub(crate) waiting: Waiting,
}

#[derive(Args)]
pub(crate) struct Replay {
    /// File of games: one that `nply tournament --db` wrote, or games as text, `*.npgn` or `*.pgn4`
    #[arg(value_name = "FILE")]
    pub(crate) db: PathBuf,
    /// Number of the game, or `NAME/NUMBER` with the name of its match [default: the only one]
    #[arg(value_name = "GAME-ID")]
    pub(crate) game: Option<String>,
    /// Match of the game, selected as in `nply report` [default: the only one in the file]
    #[arg(long = "match", value_name = "NAME", alias = "experiment", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    /// Step through the game, forward and back, by lines of standard input
    #[arg(long)]
    pub(crate) step: bool,
    #[command(flatten)]
    pub(crate) waiting: Waiting,
}

#[derive(Args)]
pub(crate) struct Reproduce {
    /// Experiment, such as brs-2011-4, or a file of matches, `*.toml` [default: list the experiments]
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Part of the paper's games to play
    #[arg(long, value_name = "X", default_value = "1", value_parser = factor)]
    pub(crate) scale: f64,
    /// Part of the paper's nodes, playouts or time per move; depths stay
    #[arg(long, value_name = "X", default_value = "1", value_parser = factor)]
    pub(crate) budget_scale: f64,
    /// Number of games of each match, instead of the paper's
    #[arg(long, value_name = "N", value_parser = quantity::count, conflicts_with = "scale")]
    pub(crate) games: Option<u64>,
    /// Only the match of this name or, if there is none, those whose names contain it; several texts are separated by commas
    #[arg(long = "match", value_name = "NAME", alias = "experiment", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,
    /// Keep every game in FILE, and resume matches that are there
    #[arg(long, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Settings added to every agent, such as equals=random
    #[arg(long, value_name = "SETTINGS")]
    pub(crate) with: Option<String>,
    /// Which seatings are played [default: as the experiment says, usually all]
    #[arg(long, value_enum)]
    pub(crate) seating: Option<Seats>,
    /// Play only shard I of N, from 1, of every match, into a file of its own; `nply merge` brings the files together
    #[arg(long, value_name = "I/N", value_parser = str::parse::<Shard>)]
    pub(crate) shard: Option<Shard>,
    /// Play what is missing of a plan, such as results/plan.toml, into packed files beside it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["id", "scale", "budget_scale", "games", "name", "db", "with", "seating", "format", "svg", "shard"])]
    pub(crate) plan: Option<PathBuf>,
    /// Write the figures and plots of a page anew from the results of the plan [default plan: results/plan.toml]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "docs/results.md",
        conflicts_with_all = ["id", "scale", "budget_scale", "games", "name", "db", "with", "seating", "format", "svg", "shard", "only", "time", "replace"])]
    pub(crate) page: Option<PathBuf>,
    /// Only compare the page with what would be written
    #[arg(long, requires = "page")]
    pub(crate) check: bool,
    /// Of the plan, only the files whose names start with PREFIX; several are separated by commas
    #[arg(long, value_name = "PREFIX", requires = "plan")]
    pub(crate) only: Option<String>,
    /// Stop after this time, such as 120m; the same command goes on later
    #[arg(long = "for", value_name = "TIME", requires = "plan", value_parser = quantity::time)]
    pub(crate) time: Option<Duration>,
    /// Play matches anew that another program played, or that were played with other settings
    #[arg(long, requires = "plan")]
    pub(crate) replace: bool,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Form,
    #[command(flatten)]
    pub(crate) plots: Plots,
    #[command(flatten)]
    pub(crate) waiting: Waiting,
}

/// Who meets in a game.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Meetings {
    /// Everybody, or as many as there are seats
    All,
    /// The first agent and others of the field
    Gauntlet,
    /// Two kinds of agents at a time
    Pairs,
}

impl Meetings {
    pub(crate) fn schedule(self) -> Schedule {
        match self {
            Meetings::All => Schedule::All,
            Meetings::Gauntlet => Schedule::Gauntlet,
            Meetings::Pairs => Schedule::Pairs,
        }
    }
}

/// Which seatings are played.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Seats {
    /// Every seating equally often
    All,
    /// The agents in their order
    Fixed,
}

impl Seats {
    pub(crate) fn seating(self) -> Seating {
        match self {
            Seats::All => Seating::All,
            Seats::Fixed => Seating::Fixed,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Learn {
    /// The patterns of Rolit and Othello, from WTHOR files or from games played for this
    Rolit(LearnRolit),
    /// The weights of Focus, from games played for this
    Focus(LearnFocus),
}

#[derive(clap::Args)]
pub(crate) struct LearnRolit {
    /// Folder with the files, `*.wtb`
    #[arg(long, value_name = "DIR", alias = "games", required_unless_present = "play")]
    pub(crate) wthor: Option<PathBuf>,
    /// Play so many games of Rolit and learn from them; a twentieth more are played to compare with
    #[arg(long, value_name = "N", conflicts_with_all = ["wthor", "until"], value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) play: Option<u64>,
    /// Number of players in these games
    #[arg(long, value_name = "N", default_value = "3", conflicts_with = "wthor", value_parser = clap::value_parser!(u64).range(2..=4))]
    pub(crate) players: u64,
    /// Seed of these games
    #[arg(long, value_name = "S", default_value = "1", conflicts_with = "wthor")]
    pub(crate) seed: u64,
    /// File to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Learn from games up to this year only, and compare with the later ones
    #[arg(long, value_name = "YEAR")]
    pub(crate) until: Option<u16>,
    /// How the values follow from the games
    #[arg(long, default_value = "averages")]
    pub(crate) method: Method,
}

#[derive(clap::Args)]
pub(crate) struct LearnFocus {
    /// Number of games to play and to learn from with each number of players; a tenth more are played to compare with
    #[arg(long, value_name = "N", default_value = "20000", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) play: u64,
    /// Seed of these games
    #[arg(long, value_name = "S", default_value = "1")]
    pub(crate) seed: u64,
    /// File to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

/// How `nply learn rolit` finds the values of patterns.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Method {
    /// Average result of the games in which the pattern was seen, as in the paper: `eval=patterns`
    Averages,
    /// All values fitted together by least squares: `eval=regression`
    Regression,
}

#[derive(Subcommand)]
pub(crate) enum Table {
    /// Build the table if it is not there or damaged
    Build {
        /// Game with a table
        game: Tabled,
    },
    /// Check every value of the table and show how many placements have which
    Verify {
        /// Game with a table
        game: Tabled,
    },
    /// Print where the table is kept
    Path {
        /// Game with a table
        game: Tabled,
    },
}

/// Games that have a table.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Tabled {
    ChineseCheckers,
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;

    #[test]
    fn no_text_makes_a_reader_of_fractions_fail() {
        testing::mangle(&["0.05", "0.1", "1", "1000", "5e-2"], 1_000_000, |text| {
            for (read, most) in [(difference(text), 0.5), (factor(text), 1000.0)] {
                match read {
                    Ok(number) => assert!(number > 0.0 && number <= most, "{text:?}"),
                    Err(error) => testing::check_error(&error, text),
                }
            }
        });
    }
}
