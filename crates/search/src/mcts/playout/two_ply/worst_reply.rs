//! The replies of Paranoid and Best-Reply Search.

use crate::mcts::AnyTurn;
use crate::{Evaluator, Game, MoveOrder, OutOfBudget, Player};

use super::own_reply::own_reply;
use super::{Ply, Reply, TwoPly};

/// The reply minimizes the mover's value.
pub(in super::super) struct WorstReply<G> {
    /// Any opponent replies; without it, the next player does.
    pub(in super::super) any_turn: Option<AnyTurn<G>>,
}

impl<G: Game> Reply<G> for WorstReply<G> {
    const CUTS: bool = true;

    fn value<E: Evaluator<G>, O: MoveOrder<G>>(
        search: &TwoPly<'_, E, O, Self>,
        game: &mut G,
        mover: Player,
        alpha: i64,
        ply: Ply<'_, G::Move>,
    ) -> Result<i64, OutOfBudget> {
        // A mover who moves again is not its own opponent.
        if search.reply.any_turn.is_none() && game.turn() == mover {
            return own_reply(search, game, mover, ply);
        }
        worst_reply(search, game, mover, alpha, ply)
    }
}

/// The mover's value after the reply that is worst for the mover, or anything not above `alpha`. Killers are tried before
/// other moves are rated, and before they are listed if the game knows without a list whether a move is legal.
fn worst_reply<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    search: &TwoPly<'_, E, O, WorstReply<G>>,
    game: &mut G,
    mover: Player,
    alpha: i64,
    ply: Ply<'_, G::Move>,
) -> Result<i64, OutOfBudget> {
    let Ply { moves, replies, killers, rng, meter } = ply;
    let any = search.reply.any_turn;
    let mut value = i64::MAX;
    let mut worst = None;
    let mut try_reply = |game: &mut G, player: Player, m: G::Move| {
        meter.tick()?;
        let reply = game.visit(m, |child| search.judge.value(child, mover));
        if reply < value {
            (value, worst) = (reply, Some((player, m)));
        }
        Ok(value <= alpha)
    };
    let takes_part = |game: &G, player| match any {
        Some(any) => player != mover && any.is_in(game, player),
        None => player == game.turn(),
    };
    // Whose moves are listed: often one list serves two killers and the rest.
    let mut listed = None;
    let mut list = |game: &G, moves: &mut Vec<G::Move>| {
        if listed != Some(game.turn()) {
            listed = Some(game.turn());
            moves.clear();
            game.moves(moves);
        }
    };
    let mut room = search.k;
    let mut done = false;
    for (player, m) in killers.0.into_iter().flatten() {
        if done || room == 0 || !takes_part(game, player) {
            continue;
        }
        hand(any, game, player, |game| {
            let is_legal = game.allows(m).unwrap_or_else(|| {
                list(game, moves);
                moves.contains(&m)
            });
            if is_legal {
                room -= 1;
                done = try_reply(game, player, m)?;
            }
            Ok(())
        })?;
    }
    if !done && room > 0 {
        let mut rank = |game: &mut G| {
            list(game, moves);
            search.judge.rank(game, killers, room, moves, rng, replies);
        };
        match any {
            Some(any) => {
                for player in any.opponents(game, mover) {
                    hand(Some(any), game, player, &mut rank);
                }
            }
            None => rank(game),
        }
        for reply in replies.iter() {
            if hand(any, game, reply.player, |game| try_reply(game, reply.player, reply.m))? {
                break;
            }
        }
    }
    // Nobody is left to reply: the position stands.
    let Some((player, m)) = worst else { return Ok(search.judge.value(game, mover)) };
    search.note(killers, player, m);
    Ok(value)
}

/// Calls `f` with the turn handed to a player.
#[inline]
fn hand<G: Game, R>(any: Option<AnyTurn<G>>, game: &mut G, player: Player, mut f: impl FnMut(&mut G) -> R) -> R {
    match any {
        Some(any) if game.turn() != player => {
            let mut result = None;
            any.with_turn(game, player, &mut |game| result = Some(f(game)));
            result.expect("with_turn calls back")
        }
        _ => f(game),
    }
}
