//! The games: rules, positions, notation, scenes and learned values, each against something independent.

mod cards;
mod chinese_checkers;
mod disc_board;
mod focus;
mod four_player_chess;
mod games;
mod othello;
mod patterns;
mod rolit;
mod scenes;
mod small_deals;
#[path = "../walk/mod.rs"]
mod walk;
