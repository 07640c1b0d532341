//! Iterative deepening: search one ply deep, then two, then three, until the budget is used up.
//!
//! Each iteration finds in the table what the last one learned, so all of them together cost little more than the last
//! alone, and there is always a move to play. The deepening ends
//!
//! - at the depth of the budget (or at [`MAX_DEPTH`]),
//! - when the budget runs out: the move of the last completed iteration is played, or, if not even the first was completed,
//!   the best move found in it, or else the first move of the static ordering,
//! - with an iteration that proves a win for the root player, or
//! - with an iteration that was nowhere cut off by the depth: the rest of the game has been searched, and more depth would
//!   change nothing.

use crate::{Budget, ByPlayer, Decision, Meter, OutOfBudget};

/// The deepest iteration of any search, whatever the budget: deeper ones occur only where nobody has a choice, and a
/// recursive search must not run out of stack.
pub const MAX_DEPTH: u32 = 500;

/// The result of a completed iteration.
#[derive(Clone, Debug)]
pub struct Iteration<M> {
    /// The principal variation, the chosen move first.
    pub pv: Vec<M>,
    /// The root player's value.
    pub value: f64,
    /// The scores at the end of the line.
    pub scores: Option<ByPlayer<f64>>,
    /// The [`chances`](crate::chances) at the end of the line.
    pub chances: Option<ByPlayer<f64>>,
    /// Whether more depth would change nothing, because the value is a proven win or no line was cut off by the depth.
    pub is_final: bool,
}

/// Searches deeper and deeper within a budget.
///
/// `first` is played if nothing is searched. `iterate` searches to the depth it is given, and keeps in its last argument the
/// best move of the iteration so far. Every completed iteration is reported to `watch`.
pub fn deepen<M: Copy>(
    budget: &Budget,
    meter: &mut Meter,
    first: M,
    watch: &mut dyn FnMut(&Decision<M>),
    mut iterate: impl FnMut(u32, &mut Meter, &mut Option<M>) -> Result<Iteration<M>, OutOfBudget>,
) -> Decision<M> {
    let mut decision = Decision::blind(first);
    for depth in 1..=budget.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH) {
        let mut partial = None;
        let Ok(found) = iterate(depth, meter, &mut partial) else {
            if let Some(m) = partial.filter(|_| decision.depth == 0) {
                decision = Decision::blind(m);
            }
            break;
        };
        decision = Decision {
            m: found.pv[0],
            value: Some(found.value),
            scores: found.scores,
            chances: found.chances,
            depth,
            nodes: meter.nodes(),
            time: meter.elapsed(),
            pv: found.pv,
        };
        watch(&decision);
        if found.is_final {
            break;
        }
    }
    Decision { nodes: meter.nodes(), time: meter.elapsed(), ..decision }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deepens where an iteration of depth d costs d nodes and finds move d; those from `is_final` on are final.
    fn run(budget: Budget, is_final: u32) -> (Decision<u32>, Vec<u32>) {
        let mut depths = Vec::new();
        let mut watch = |decision: &Decision<u32>| depths.push(decision.depth);
        let mut meter = Meter::new(&budget);
        let decision = deepen(&budget, &mut meter, 0, &mut watch, |depth, meter, partial| {
            for node in 0..depth {
                meter.tick()?;
                *partial = Some(100 + node);
            }
            Ok(Iteration { pv: vec![depth], value: 1.0, scores: None, chances: None, is_final: depth >= is_final })
        });
        (decision, depths)
    }

    #[test]
    fn the_last_completed_iteration_stands() {
        let (decision, depths) = run(Budget::nodes(8), 10);
        assert_eq!((decision.m, decision.depth, decision.nodes), (3, 3, 8));
        assert_eq!(depths, [1, 2, 3]);
    }

    #[test]
    fn deepening_ends_at_the_depth_of_the_budget_and_with_a_final_iteration() {
        assert_eq!(run(Budget::depth(4), 10).0.depth, 4);
        assert_eq!(run(Budget::depth(4), 2).0.depth, 2);
        assert_eq!(run(Budget::default(), u32::MAX).0.depth, MAX_DEPTH);
        assert_eq!(run(Budget::depth(u32::MAX), u32::MAX).0.depth, MAX_DEPTH);
    }

    #[test]
    fn without_one_iteration_the_best_so_far_is_played_else_the_first() {
        let (decision, depths) = run(Budget::nodes(0), 10);
        assert_eq!((decision.m, decision.depth, decision.value, depths.len()), (0, 0, None, 0));
        assert_eq!(run(Budget::depth(0), 10).0.m, 0);
        let budget = Budget::nodes(1);
        let mut meter = Meter::new(&budget);
        let decision = deepen(&budget, &mut meter, 0, &mut |_| (), |_, meter, partial| {
            meter.tick()?;
            *partial = Some(7);
            meter.tick()?;
            unreachable!()
        });
        assert_eq!((decision.m, decision.depth, decision.pv), (7, 0, vec![7]));
    }
}
