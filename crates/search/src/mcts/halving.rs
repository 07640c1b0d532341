//! Sequential halving: how simulations are divided among the moves of the root.
//!
//! All moves get the same number of simulations, then the half with the better rates twice as many each, and so on, until one is left: a
//! search that is judged by its last move alone need not earn anything on the way, as UCB does. With k moves there are ⌈log2 k⌉
//! rounds, and in each the survivors S get ⌊B / (|S| · ⌈log2 k⌉)⌋ of B playouts each. What rounding leaves over goes to the last one. Where the number of playouts is not
//! known beforehand, rounds have one simulation for each survivor, and all of it is repeated as long as there is time: the anytime form.
//! Statistics are never reset, so a later pass knows what earlier ones have shown. A tie goes to the move that is tried first.
//!
//! Four moves, of which the second wins and the last is a draw. With 16 playouts there are two rounds: ⌊16 / (4 · 2)⌋ = 2 simulations for
//! each of the four, then ⌊16 / (2 · 2)⌋ = 4 for each of the two that are left. With 15 it is one each, then three, and the five that rounding leaves over go
//! to the survivor. UCB spends on the best move what it can:
//!
//! ```text
//!                   1
//!     ┌────────▲────┴───┬────────┐
//!    0,1      1,0      0,1      1,1
//!     2        2        2        2      first round
//!              4                 4      second round
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, settings, tree::LeafScores};
//! let tree: Tree = "(1 0,1 1,0 0,1 1,1)".parse().unwrap();
//! let visits = |root: &str, playouts| {
//!     let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//!     settings::read(&mut mcts.settings, &format!("root={root},solver=off,w=0")).unwrap();
//!     assert_eq!(mcts.choose(&tree, &Budget::playouts(playouts)).m, 2);
//!     mcts.statistics().iter().map(|m| m.visits).collect::<Vec<_>>()
//! };
//! assert_eq!(visits("halving", 16), [2, 6, 2, 6]);
//! assert_eq!(visits("halving", 15), [1, 9, 1, 4]);
//! assert_eq!(visits("ucb", 16), [1, 13, 1, 1]);
//! ```
//!
//! Only the moves of the root are halved; Pepels and others do so deeper in the tree, too. A move that is out stays out, however unlucky it was, until the next
//! pass of the anytime form. The search ends early if the root is proven.
//!
//! References: Z. Karnin, T. Koren, O. Somekh, *Almost Optimal Exploration in Multi-Armed Bandits*, 2013; T. Pepels, T. Cazenave,
//! M.H.M. Winands, M. Lanctot, *Minimizing Simple and Cumulative Regret in Monte-Carlo Tree Search*, 2014; D. Sagers, M.H.M. Winands, D.J.N.J. Soemers,
//! *Anytime Sequential Halving in Monte-Carlo Tree Search*, 2024.

use std::sync::{Mutex, PoisonError};

use crate::{Evaluator, Game, MoveOrder};

use super::arena::Children;
use super::decision::Standing;
use super::search::Search;

/// The course of sequential halving.
pub(super) struct Halving {
    /// The playouts to be divided; `None` if nobody knows how many there will be.
    playouts: Option<u64>,
    /// The moves of the root.
    count: usize,
    /// Places of the moves that are left, each with the simulations that it has begun in this round.
    survivors: Vec<(usize, u64)>,
    /// Simulations for each of them in this round.
    quota: u64,
    /// The survivor of the last pass that was completed.
    last: Option<usize>,
}

impl Halving {
    pub(super) fn new(playouts: Option<u64>) -> Halving {
        Halving { playouts, count: 0, survivors: Vec::new(), quota: 0, last: None }
    }

    /// Begins a pass over so many moves.
    fn begin(&mut self, count: usize) {
        self.count = count;
        self.survivors = (0..count).map(|place| (place, 0)).collect();
        self.set_quota();
    }

    fn set_quota(&mut self) {
        let rounds = u64::from(self.count.next_power_of_two().ilog2());
        self.quota = match self.playouts {
            Some(playouts) if rounds > 0 => (playouts / (self.survivors.len() as u64 * rounds)).max(1),
            _ => 1,
        };
    }

    /// The place of the next move to be simulated, of so many. `better` tells whether the first of two is better.
    fn next(&mut self, count: usize, better: impl Fn(usize, usize) -> bool) -> usize {
        if self.count != count {
            self.begin(count);
        }
        loop {
            let is_last = self.survivors.len() == 1;
            if is_last && self.playouts.is_none() && count > 1 {
                self.last = Some(self.survivors[0].0);
                self.begin(count);
                continue;
            }
            let quota = if is_last { u64::MAX } else { self.quota };
            let least = self.survivors.iter_mut().reduce(|a, b| if b.1 < a.1 { b } else { a });
            let least = least.expect("somebody survives");
            if least.1 < quota {
                least.1 += 1;
                return least.0;
            }
            // Insertion by pairwise comparison, the first of equals first: there are few moves.
            let mut ranked: Vec<usize> = Vec::new();
            for &(place, _) in &self.survivors {
                let at = ranked.iter().position(|&other| better(place, other)).unwrap_or(ranked.len());
                ranked.insert(at, place);
            }
            ranked.truncate(self.survivors.len().div_ceil(2));
            ranked.sort_unstable();
            self.survivors = ranked.into_iter().map(|place| (place, 0)).collect();
            self.set_quota();
        }
    }

    /// Whether a move is still in question: the survivor of the last pass is, or, before that, all that are left.
    pub(super) fn survives(&self, place: usize) -> bool {
        match self.last {
            Some(last) => place == last,
            None => self.survivors.iter().any(|&(survivor, _)| survivor == place),
        }
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// The place of the move of the root that is simulated next.
    pub(super) fn survivor(&self, halving: &Mutex<Halving>, children: Children) -> usize {
        let (block, turn) = (self.tree.arena.children(children), self.tree.game.turn());
        let standing = |place: usize| Standing::of(block.node(place), self.tree.key.players, turn);
        let better = |a: usize, b: usize| standing(a).beats(&standing(b), self.settings.choose);
        let mut halving = halving.lock().unwrap_or_else(PoisonError::into_inner);
        halving.next(children.count as usize, better)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use crate::testing::plain_halving;

    #[test]
    fn rounds_have_the_sizes_of_the_definition() {
        let mut rng = Rng::new(1);
        for (count, playouts) in [(8, 240), (2, 10), (5, 100), (6, 1000), (13, 777), (1, 9), (3, 2), (4, 16), (4, 15)] {
            for _ in 0..20 {
                // Few different rates, so that some are equal.
                let rates: Vec<f64> = (0..count).map(|_| rng.below(5) as f64).collect();
                let mut halving = Halving::new(Some(playouts));
                let mut given = vec![0; count];
                (0..playouts).for_each(|_| given[halving.next(count, |a, b| rates[a] > rates[b])] += 1);
                let (expected, last) = plain_halving(&rates, playouts);
                assert_eq!(given, expected, "{rates:?}, {playouts} playouts");
                if let Some(last) = last {
                    assert!((0..count).all(|place| halving.survives(place) == (place == last)), "{rates:?} {last}");
                }
            }
        }
    }

    #[test]
    fn without_a_number_of_playouts_passes_are_repeated() {
        let mut halving = Halving::new(None);
        let mut given = vec![0; 4];
        // Each pass: four, then the better two.
        (0..600).for_each(|_| given[halving.next(4, |a, b| a > b)] += 1);
        assert_eq!(given, [100, 100, 200, 200]);
        assert!(halving.next(4, |a, b| a > b) == 0 && halving.survives(3) && !halving.survives(2));
    }
}
