//! The games of nply: one module per game, with its rules, evaluation, ordering and text.

pub mod cards;
pub mod chess;
pub mod chinese_checkers;
mod draw;
pub mod focus;
pub mod rolit;
mod text;
