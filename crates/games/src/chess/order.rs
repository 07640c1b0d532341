//! The move ordering: captures by victim and attacker, then quiet moves by the square gained.

use nply::settings::Visitor;
use nply::{Game, MoveOrder, Player, Settings, Stance};

use super::line::{KNIGHTS, NEAR, ZONE};
use super::pawn::{AHEAD, PAWNS, direction_after};
use super::piece::{BISHOP, EMPTY, KING, KNIGHT, PAWN, Piece, QUEEN, ROOK, direction, kind, owner, piece};
use super::square::{FORWARD, column, row};
use super::{Eval, FourPlayerChess, Move};

/// The static ordering: the most valuable victim first, and of equal ones the cheapest attacker.
///
/// Against a player, captures of that player's pieces come first, then other captures, likewise ordered. Quiet moves follow:
/// promotions, checks, then by the square gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Whether captures of equal victims are ordered by the attacker.
    pub attacker: bool,
}

impl Default for Order {
    fn default() -> Order {
        Order { attacker: true }
    }
}

impl Settings for Order {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.flag("attacker", &mut self.attacker, "order captures of equal victims by the cheapest attacker");
    }
}

/// A capture of the harmed player's pieces comes before all others.
const HARM: i32 = 1 << 24;
/// A capture comes before all quiet moves.
const CAPTURE: i32 = 1 << 20;
/// A quiet promotion comes before a check, a check before the rest.
const PROMOTION: i32 = 1 << 12;
const CHECK: i32 = 1 << 8;

/// The value of a victim; a king, which only Best-Reply Search can capture, is worth more than anything.
fn worth(kind: u8) -> i32 {
    if kind == KING { 4000 } else { Eval::DEFAULT.worth[kind as usize - 1] }
}

impl MoveOrder<FourPlayerChess> for Order {
    #[inline]
    fn rate(&self, game: &FourPlayerChess, stance: Stance, m: Move) -> i32 {
        if m == Move::PASS {
            return 0;
        }
        let harmed = match stance {
            Stance::Against(player) if player != game.turn() => Some(player),
            _ => None,
        };
        let moved = game.board.at(m.from);
        let mut rate = 0;
        let mut strike = |victim: Piece| {
            rate = (rate | CAPTURE) + (worth(kind(victim)) << 5);
            if harmed == Some(Player::new(owner(victim))) {
                rate |= HARM;
            }
        };
        let taken = game.board.at(m.to);
        if taken != EMPTY {
            strike(taken);
        }
        if kind(moved) == PAWN
            && let Some(victim) = game.passed_here(owner(moved), m.from, m.to)
        {
            strike(game.board.at(m.to.wrapping_add(FORWARD[victim])));
        }
        if rate > 0 {
            // Less than one point of the victim, so that it only breaks ties.
            let cost = if self.attacker { kind(moved) as i32 } else { 0 };
            return rate + m.promotion as i32 * 8 - cost;
        }
        if m.promotion != 0 {
            rate += PROMOTION + worth(m.promotion);
        } else if gives_check(game, m) {
            rate += CHECK;
        }
        rate + gain(moved, m)
    }
}

/// Whether the moved piece attacks an opponent's king from its new square; discovered checks do not count.
fn gives_check(game: &FourPlayerChess, m: Move) -> bool {
    let (board, moved) = (&game.board, game.board.at(m.from));
    let prey = board.kinds[KING as usize].without(board.sets[owner(moved)]);
    let attacked = match kind(moved) {
        KNIGHT => KNIGHTS[m.to as usize],
        PAWN => {
            let pawn = piece(PAWN, direction_after(moved, m.from, m.to), owner(moved));
            let takes = PAWNS[(pawn & 15) as usize][m.to as usize].takes;
            return takes.into_iter().any(|s| prey.has(s));
        }
        KING => return false,
        // Most squares are in line with no king.
        _ if (ZONE[m.to as usize] & prey).is_empty() => return false,
        BISHOP => board.bishop(m.to),
        ROOK => board.rook(m.to),
        _ => board.bishop(m.to) | board.rook(m.to),
    };
    !(attacked & prey).is_empty()
}

/// How much better the square is than the one left, for this kind of piece: from -60 to 60.
fn gain(moved: Piece, m: Move) -> i32 {
    match kind(moved) {
        PAWN => {
            let left = |s: u8, way: usize| AHEAD[way][s as usize] as i32;
            let way = direction_after(moved, m.from, m.to);
            30 + 2 * (left(m.from, direction(moved)) - left(m.to, way)) - left(m.to, way)
        }
        // Castling is worth having; other steps of the king are not.
        KING if !NEAR[m.from as usize].has(m.to) => 40,
        KING => -20,
        QUEEN => central(m.to) - central(m.from),
        _ => 3 * (central(m.to) - central(m.from)),
    }
}

/// How near the center a square is: from 0 to 12.
fn central(s: u8) -> i32 {
    let near = |c: usize| c.min(13 - c) as i32;
    near(column(s)) + near(row(s))
}
