//! The static move ordering of the papers.

use nply::settings::Visitor;
use nply::{Game, MoveOrder, Settings, Stance};

use super::{Focus, Move};

/// Moves that involve many pieces first.
///
/// For the mover's own good, a move is worth 10 (n + t) + s: n pieces moved, t pieces on the target, and s stacks gained, which is 1, 0
/// or −1 (*Playout Search for Monte-Carlo Tree Search in Multi-Player Games*, Nijssen and Winands, 2011). A placement moves
/// one piece and gains the stack unless the mover controlled it. A pass is worth 0.
///
/// Against a player, moves that harm them come first: those that capture more of their pieces, then those that take over a
/// stack they control, then the rest as above.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order;

impl Settings for Order {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

/// More than a move of ten pieces is worth, and more than that plus a stack taken over.
const TAKES_OVER: i32 = 1_000;
const CAPTURES: i32 = 10_000;

impl MoveOrder<Focus> for Order {
    #[inline]
    fn rate(&self, game: &Focus, stance: Stance, m: Move) -> i32 {
        if m == Move::PASS {
            return 0;
        }
        let mover = game.turn();
        let (target, count) = (game.stacks[m.to()], m.pieces());
        let (keeps, lifted) = if m.is_placement() {
            (true, mover.index() as u32)
        } else {
            let (rest, lifted) = game.stacks[m.from()].split(count);
            (rest.top() == Some(mover.index()), lifted)
        };
        let gained = i32::from(keeps) - i32::from(target.top() == Some(mover.index()));
        let value = 10 * (count as i32 + target.height() as i32) + gained;
        match stance {
            Stance::Against(victim) if victim != mover => {
                let (_, lost) = target.join(lifted, count);
                let captured = lost.colors() >> (8 * victim.index()) & 0xff;
                let takes = target.top() == Some(victim.index());
                CAPTURES * captured as i32 + TAKES_OVER * i32::from(takes) + value
            }
            _ => value,
        }
    }
}
