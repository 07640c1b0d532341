//! The games of nply: one module per game, with its rules, evaluation, ordering and text.

pub mod cards;
pub mod chess;
#[allow(dead_code)]
mod draw;
#[allow(dead_code)]
mod text;

pub mod chinese_checkers;
pub mod focus;
pub mod rolit;
