//! Search for games of two to six players.
//!
//! Implement [`Game`] for a position and [`Evaluator`] for its scores, and every agent of this crate plays the game: max^n,
//! Paranoid, Best-Reply Search, BRS+, OPPS, best-first and Monte-Carlo tree search. A whole game, searched:
//!
//! ```
#![doc = include_str!("../examples/sticks.rs")]
//! ```
//!
//! # Which agent when
//!
//! | agent | use it when | module |
//! | --- | --- | --- |
//! | [`Maxn`] | every player plays for itself; scores with a bounded sum can be pruned | [`maxn`] |
//! | [`SoftMaxn`] | nobody knows what the others want, or what they do when it is all the same to them | [`soft_maxn`] |
//! | [`ProbMaxn`] | the same, and their moves can be learned from | [`prob_maxn`] |
//! | [`Paranoid`] | depth matters more than a realistic model of the opponents; with two players it is alpha-beta | [`paranoid`], [`alphabeta`] |
//! | [`Brs`] | there are many opponents and players may move out of turn, as in Chinese Checkers or Focus | [`brs`] |
//! | [`BrsPlus`] | the same, but every position searched must be reachable, as in chess or card games | [`brs_plus`] |
//! | [`Opps`] | opponents threaten most with two moves in a row, or with moves that the ordering rates high | [`opps`] |
//! | [`Mix`] | players can harm each other, and who leads changes what they want | [`mp_mix`] |
//! | [`Ubfm`] | the evaluation is good, and depth matters most along the expected line | [`ubfm`] |
//! | [`Mcts`] | there is no good evaluation, or a lot of time | [`mcts`] |
//! | [`Ismcts`] | cards are hidden: one tree over what the player sees | [`ismcts`] |
//! | [`Worlds`] | cards are hidden: it asks another agent in several guesses of what is hidden | [`worlds`] |
//! | [`Greedy`], [`Random`] | as baselines | [`greedy`], [`random`] |
//!
//! The modules describe each algorithm with its formula, an example whose numbers are tested, and its references.
//! [`GeneralizedBrs`] is there to check that Best-Reply Search is a case of what BRS+ generalizes.
//!
//! [`solve`] is for questions about the end of the game: what one player is sure of against everybody else, with [proofs](proof) that
//! can be checked; [`dfpn`] is its search.
//!
//! An agent is given a position and a [`Budget`] and answers with a [`Decision`]. Given the same seed and budget of nodes, it
//! gives the same answer on every machine.
//!
//! # What a game can add
//!
//! - [`OutOfTurn`]: players may move out of turn, which Best-Reply Search needs.
//! - [`MoveOrder`]: which moves look promising; without one, pass [`AsListed`].
//! - [`Notation`]: text for positions and moves.
//! - [`Numbered`](numbers::Numbered): positions as planes and numbered moves, for programs that learn.
//! - [`Declaration`]: its name, players, options and evaluations, for programs that work with games by name.
//!
//! [`testing`] has conformance tests for all of them, and [`tree`] is a game drawn by hand, for examples and figures.
//!
//! # Agents by name
//!
//! The [`settings`] of an agent are a type that reads and writes `name:key=value,…`. [`algorithms`] goes through all agents, and
//! [`Algorithm`] makes one for any declared game. An algorithm of your own that turns a game into one of two sides is a
//! [`View`](alphabeta::View) of the [`alphabeta`] search.

mod agent;
mod algorithm;
pub mod alphabeta;
pub mod brs;
pub mod brs_plus;
mod budget;
pub mod chances;
mod clock;
mod declaration;
pub mod deepening;
pub mod dfpn;
mod error;
mod eval;
mod game;
pub mod generalized_brs;
pub mod greedy;
pub mod history;
pub mod ismcts;
pub mod killers;
pub mod maxn;
pub mod mcts;
pub mod mp_mix;
pub mod numbers;
pub mod opps;
pub mod paranoid;
mod parts;
mod player;
pub mod prob_maxn;
pub mod proof;
pub mod quantity;
pub mod random;
pub mod recording;
mod rng;
pub mod scene;
mod score;
pub mod settings;
pub mod soft_maxn;
pub mod solve;
mod spec;
mod switches;
mod tally;
pub mod testing;
pub mod threads;
pub mod transposition;
pub mod tree;
pub mod ubfm;
mod vectors;
pub mod worlds;

pub use agent::{Agent, Context, Decision, Explained, Line};
pub use algorithm::{
    AgentSettings, Algorithm, AlgorithmFor, AlgorithmVisitor, Chance, Judging, Kit, Limit, Made, refuse_out_of_turn,
};
pub use alphabeta::{AlphaBetaSettings, Statistics};
pub use brs::{Brs, BrsSettings, standard_depth};
pub use brs_plus::{BrsPlus, BrsPlusSettings, Special};
pub use budget::{Budget, Count, Meter, OutOfBudget};
pub use chances::Calibrated;
pub use clock::{Clock, Clocks, moves_left};
pub use declaration::{BenchDepths, BenchPosition, Declaration, Evaluation, GameVisitor, MovesToWin, Progress};
pub use deepening::{Iteration, MAX_DEPTH, deepen};
pub use error::{Code, Error, nearest};
pub use eval::{AsListed, Bounds, Evaluator, MoveOrder, Noisy, Score, Stance};
pub use game::{Game, MoveError, Notation, OutOfTurn, PositionError, shares};
pub use generalized_brs::GeneralizedBrs;
pub use greedy::{Greedy, GreedySettings};
pub use history::{History, code};
pub use ismcts::{Ismcts, IsmctsSettings};
pub use killers::Killers;
pub use maxn::{Maxn, MaxnSettings, Pruning, Ties};
pub use mcts::playout::{PlayoutPolicy, PlayoutTies};
pub use mcts::{
    AnyTurn, FinalChoice, FirstPlay, Mcts, MctsSettings, MoveStatistics, PLAYOUTS, Proof, Reward, RootRule, Solver,
    TreePolicy,
};
pub use mp_mix::{Mix, MixSettings, Strategy};
pub use opps::{Opps, OppsSettings};
pub use paranoid::{Paranoid, ParanoidSettings};
pub use parts::{Equals, OrderBy, Parts};
pub use player::{ByPlayer, MAX_PLAYERS, Player};
pub use prob_maxn::{ProbMaxn, ProbMaxnSettings};
pub use random::{Random, RandomSettings};
pub use recording::Recording;
pub use rng::{Dice, Rng, mix};
pub use score::ScoreForm;
pub use settings::Settings;
pub use soft_maxn::{Choose, SoftMaxn, SoftMaxnSettings};
pub use spec::{Spec, check_given_name, given_name};
pub use switches::Switches;
pub use tally::{Decided, Question, Tally, WHOLE};
pub use transposition::TranspositionTable;
pub use tree::Tree;
pub use ubfm::{BestFirstPolicy, Ubfm, UbfmSettings};
pub use worlds::{Worlds, WorldsSettings};

/// Shows every algorithm of this package to a visitor, in the order in which they are listed.
pub fn algorithms<V: AlgorithmVisitor>(v: &mut V) {
    v.agent::<RandomSettings>();
    v.agent::<GreedySettings>();
    v.agent::<AlphaBetaSettings>();
    v.agent::<MaxnSettings>();
    v.agent::<SoftMaxnSettings>();
    v.agent::<ProbMaxnSettings>();
    v.agent::<ParanoidSettings>();
    v.agent::<BrsSettings>();
    v.agent::<BrsPlusSettings>();
    v.agent::<OppsSettings>();
    v.agent::<MixSettings>();
    v.agent::<UbfmSettings>();
    v.agent::<MctsSettings>();
    v.agent::<IsmctsSettings>();
    v.agent::<WorldsSettings>();
}
