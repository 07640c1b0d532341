//! Two-ply playouts: Playout Search.

mod own_reply;
mod worst_reply;

use crate::{Evaluator, Game, Meter, MoveOrder, OutOfBudget, Player, Rng};

use super::epsilon_greedy::BestMove;
use super::{Judge, PlayoutTies, Scratch};

pub(super) use own_reply::OwnReply;
pub(super) use worst_reply::WorstReply;

/// The best move by a search of two plies, each over the first k moves of the static ordering.
pub(super) struct TwoPly<'a, E, O, R> {
    pub(super) judge: Judge<'a, E, O>,
    /// Moves on each ply, at least one.
    pub(super) k: usize,
    /// Whether killer moves are kept, if the reply has any.
    pub(super) killers: bool,
    pub(super) reply: R,
}

/// The second ply: who replies, and what the reply aims at.
pub(super) trait Reply<G: Game>: Sized {
    /// Whether a reply can cut off a move, so that killer moves save something.
    const CUTS: bool;

    /// The mover's value of a game that is not over after the reply, or anything not above `alpha`.
    fn value<E: Evaluator<G>, O: MoveOrder<G>>(
        search: &TwoPly<'_, E, O, Self>,
        game: &mut G,
        mover: Player,
        alpha: i64,
        ply: Ply<'_, G::Move>,
    ) -> Result<i64, OutOfBudget>;
}

/// What the second ply writes to.
pub(super) struct Ply<'a, M> {
    moves: &'a mut Vec<M>,
    /// Empty at first.
    replies: &'a mut Vec<Candidate<M>>,
    killers: &'a mut Killers<M>,
    rng: &'a mut Rng,
    meter: &'a mut Meter,
}

/// What two-ply playouts write to, and the killer moves that they remember.
pub(super) struct Memory<M> {
    first: Vec<Candidate<M>>,
    replies: Vec<Candidate<M>>,
    /// For each ply of the playout and both plies of its search.
    pub(super) killers: Vec<[Killers<M>; 2]>,
}

impl<M> Memory<M> {
    pub(super) fn new() -> Memory<M> {
        Memory { first: Vec::new(), replies: Vec::new(), killers: Vec::new() }
    }
}

/// A move that is searched.
#[derive(Clone, Copy)]
struct Candidate<M> {
    rate: i32,
    /// A random number that decides between moves of one rate.
    draw: u32,
    player: Player,
    m: M,
}

/// The last two moves that were best or gave a cutoff, the last one first.
#[derive(Clone, Copy)]
pub(super) struct Killers<M>(pub(super) [Option<(Player, M)>; 2]);

impl<M: Copy + Eq> Killers<M> {
    pub(super) const NONE: Killers<M> = Killers([None; 2]);

    fn note(&mut self, player: Player, m: M) {
        if self.0[0] != Some((player, m)) {
            self.0 = [Some((player, m)), self.0[0]];
        }
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>, R: Reply<G>> BestMove<G> for TwoPly<'_, E, O, R> {
    const EVALUATES: bool = true;

    fn best_move(
        &self,
        game: &mut G,
        ply: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> Result<G::Move, OutOfBudget> {
        let mover = game.turn();
        let Scratch { moves, two_ply: Memory { first, replies, killers }, .. } = scratch;
        if killers.len() <= ply {
            killers.resize(ply + 1, [Killers::NONE; 2]);
        }
        let [own, others] = &mut killers[ply];
        first.clear();
        let legal = own.0.into_iter().flatten().filter(|(player, m)| *player == mover && moves.contains(m));
        for (_, m) in legal.take(self.k) {
            first.push(self.judge.candidate(game, m, rng));
        }
        self.judge.rank(game, own, self.k, moves, rng, first);
        // Whatever is tried first, equal values go by preference: a move that is preferred to the best so far need only
        // be as good.
        let mut best: Option<(i64, (i32, u32), G::Move)> = None;
        for candidate in first.iter() {
            meter.tick()?;
            let preference = self.judge.preference(candidate);
            let alpha = best.map_or(i64::MIN, |(value, held, _)| value - i64::from(preference > held));
            let value = game.visit(candidate.m, |child| {
                if let Some(payoff) = child.payoff() {
                    return Ok(self.judge.result(child, &payoff, mover));
                }
                replies.clear();
                R::value(self, child, mover, alpha, Ply { moves, replies, killers: others, rng, meter })
            })?;
            if value > alpha {
                best = Some((value, preference, candidate.m));
            }
        }
        let (_, _, m) = best.expect("every value is above the least there is");
        self.note(own, mover, m);
        Ok(m)
    }
}

impl<E, O, R> TwoPly<'_, E, O, R> {
    /// Remembers a move that was best or gave a cutoff.
    fn note<G: Game>(&self, killers: &mut Killers<G::Move>, player: Player, m: G::Move)
    where
        R: Reply<G>,
    {
        if self.killers && R::CUTS {
            killers.note(player, m);
        }
    }
}

impl<E, O> Judge<'_, E, O> {
    /// Puts the moves that are among the best `room` into `out`, in order. Killers that are there already stay in front.
    fn rank<G: Game>(
        &self,
        game: &G,
        killers: &Killers<G::Move>,
        room: usize,
        moves: &[G::Move],
        rng: &mut Rng,
        out: &mut Vec<Candidate<G::Move>>,
    ) where
        O: MoveOrder<G>,
    {
        let player = game.turn();
        let killers = killers.0.map(|killer| killer.filter(|&(killer, _)| killer == player).map(|(_, m)| m));
        let is_killer = |m| killers.contains(&Some(m));
        let kept = out.iter().take_while(|other| other.player == player && is_killer(other.m)).count();
        for &m in moves {
            if is_killer(m) {
                continue;
            }
            let new = self.candidate(game, m, rng);
            let key = |candidate: &Candidate<G::Move>| (candidate.rate, candidate.draw);
            if out.len() == room {
                if room == kept || key(&out[room - 1]) >= key(&new) {
                    continue;
                }
                out.pop();
            }
            let at = out[kept..].iter().rposition(|other| key(other) >= key(&new)).map_or(kept, |at| kept + at + 1);
            out.insert(at, new);
        }
    }

    fn candidate<G: Game>(&self, game: &G, m: G::Move, rng: &mut Rng) -> Candidate<G::Move>
    where
        O: MoveOrder<G>,
    {
        Candidate { rate: self.rate(game, m), draw: (rng.bits() >> 32) as u32, player: game.turn(), m }
    }

    /// Decides between equal values: the greater is preferred.
    #[inline]
    fn preference<M>(&self, candidate: &Candidate<M>) -> (i32, u32) {
        match self.ties {
            PlayoutTies::StaticOrder => (candidate.rate, candidate.draw),
            PlayoutTies::Random => (0, candidate.draw),
        }
    }
}
