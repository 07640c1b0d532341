//! Every search on every game: against its plain version, with several threads, and to the end of endgames.

mod best_first;
mod ismcts;
mod judged;
mod mcts;
mod plain;
mod solve;
mod threads;
#[path = "../walk/mod.rs"]
mod walk;
