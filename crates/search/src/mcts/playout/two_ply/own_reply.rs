//! The reply of max^n.

use crate::{Evaluator, Game, MoveOrder, OutOfBudget, Player};

use super::{Killers, Ply, Reply, TwoPly};

/// The next player maximizes its own value. Nothing can be pruned.
pub(in super::super) struct OwnReply;

impl<G: Game> Reply<G> for OwnReply {
    const CUTS: bool = false;

    fn value<E: Evaluator<G>, O: MoveOrder<G>>(
        search: &TwoPly<'_, E, O, Self>,
        game: &mut G,
        mover: Player,
        _: i64,
        ply: Ply<'_, G::Move>,
    ) -> Result<i64, OutOfBudget> {
        own_reply(search, game, mover, ply)
    }
}

/// The mover's value after the reply that is best for the replying player.
pub(super) fn own_reply<G: Game, E: Evaluator<G>, O: MoveOrder<G>, R>(
    search: &TwoPly<'_, E, O, R>,
    game: &mut G,
    mover: Player,
    ply: Ply<'_, G::Move>,
) -> Result<i64, OutOfBudget> {
    let Ply { moves, replies, rng, meter, .. } = ply;
    moves.clear();
    game.moves(moves);
    search.judge.rank(game, &Killers::NONE, search.k, moves, rng, replies);
    let mut best: Option<(i64, (i32, u32))> = None;
    let mut value = 0;
    for reply in replies.iter() {
        meter.tick()?;
        game.visit(reply.m, |child| {
            let key = (search.judge.value(child, reply.player), search.judge.preference(reply));
            if best.is_none_or(|best| key > best) {
                (best, value) = (Some(key), search.judge.value(child, mover));
            }
        });
    }
    Ok(value)
}
