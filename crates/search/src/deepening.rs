//! Iterative deepening: search one ply deep, then two, then three, until the budget is used up.
//!
//! Each iteration finds in the table what the last one learned, so all of them together cost little more than the last
//! alone, and there is always a move to play. The deepening ends
//!
//! - at the depth of the budget (or at [`MAX_DEPTH`]),
//! - when the budget runs out,
//! - with an iteration that proves a win for the root player, or
//! - with an iteration that was nowhere cut off by the depth: the rest of the game has been searched, and more depth would
//!   change nothing.
//!
//! An iteration that the budget ends is not lost ([`Parts::partial`](crate::Parts::partial)). Once the move of the previous
//! iteration has been searched in it, the best move so far is at least as good one ply deeper, and it is played, with its value,
//! scores and line. Before that, or if unfinished iterations do not count, the previous iteration stands. The depth of the decision
//! is that of the last completed iteration either way. If not even the first was completed, the best move found in it is played, or
//! else the first move of the static ordering.

use crate::{Budget, Decision, Line, Meter, OutOfBudget};

/// The deepest iteration of any search, whatever the budget: deeper ones occur only where nobody has a choice, and a
/// recursive search must not run out of stack.
pub const MAX_DEPTH: u32 = 500;

/// The result of an iteration.
#[derive(Clone, Debug)]
pub struct Iteration<M> {
    /// The chosen move, with its value, what its line leads to, and the line.
    pub line: Line<M>,
    /// The best of the other moves, best first, if [several](crate::Decision::lines) were asked for.
    pub others: Vec<Line<M>>,
    /// Whether more depth would change nothing, because the value is a proven win or no line was cut off by the depth.
    pub is_final: bool,
}

impl<M: Copy + PartialEq> Iteration<M> {
    /// Adds the best of the other moves, until there are so many lines. `next` finds one more, given the moves of those that are
    /// there; if the budget ends it, they are left in `partial`.
    pub(crate) fn with_others(
        mut self,
        lines: usize,
        partial: &mut Option<Iteration<M>>,
        mut next: impl FnMut(&[M]) -> Result<Line<M>, OutOfBudget>,
    ) -> Result<Iteration<M>, OutOfBudget> {
        let mut known = vec![self.line.pv[0]];
        while known.len() < lines {
            match next(&known) {
                Ok(line) => {
                    known.push(line.pv[0]);
                    self.others.push(line);
                }
                Err(error) => {
                    *partial = Some(self);
                    return Err(error);
                }
            }
        }
        Ok(self)
    }

    /// The decision of an unfinished iteration after that of the one before, whose other lines fill the places that this one had no
    /// time for.
    fn before(self, previous: Decision<M>, meter: &Meter) -> Decision<M> {
        let first = self.line.clone();
        let mut decision = self.decision(previous.depth, meter);
        let known = previous.lines.len();
        if decision.lines.len() < known {
            if decision.lines.is_empty() {
                decision.lines.push(first);
            }
            for line in previous.lines {
                if decision.lines.len() < known && decision.lines.iter().all(|other| other.pv[0] != line.pv[0]) {
                    decision.lines.push(line);
                }
            }
        }
        decision
    }

    fn decision(self, depth: u32, meter: &Meter) -> Decision<M> {
        let Line { value, scores, chances, pv } = self.line.clone();
        let mut lines = self.others;
        if !lines.is_empty() {
            lines.insert(0, self.line);
        }
        Decision {
            value,
            scores,
            chances,
            depth,
            nodes: meter.nodes(),
            time: meter.elapsed(),
            lines,
            ..Decision::along(pv)
        }
    }
}

/// Searches deeper and deeper within a budget.
///
/// `first` is played if nothing is searched. `iterate` searches to the depth it is given. If the budget ends it and the move of the
/// previous iteration, if there was one, has been searched, it leaves the best so far in its last argument, which counts if `partial`
/// is set. Every completed iteration is reported to `watch`.
pub fn deepen<M: Copy + PartialEq>(
    budget: &Budget,
    meter: &mut Meter,
    first: M,
    partial: bool,
    watch: &mut dyn FnMut(&Decision<M>),
    mut iterate: impl FnMut(u32, &mut Meter, &mut Option<Iteration<M>>) -> Result<Iteration<M>, OutOfBudget>,
) -> Decision<M> {
    let mut decision = Decision::blind(first);
    for depth in 1..=budget.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH) {
        let mut best = None;
        let Ok(found) = iterate(depth, meter, &mut best) else {
            match best {
                Some(found) if partial => decision = found.before(decision, meter),
                Some(found) if decision.depth == 0 => decision = Decision::blind(found.line.pv[0]),
                _ => {}
            }
            break;
        };
        let is_final = found.is_final;
        decision = found.decision(depth, meter);
        watch(&decision);
        if is_final {
            break;
        }
    }
    Decision { nodes: meter.nodes(), time: meter.elapsed(), ..decision }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iteration(m: u32, is_final: bool) -> Iteration<u32> {
        let line = Line { value: Some(1.0), scores: None, chances: None, pv: vec![m] };
        Iteration { line, others: Vec::new(), is_final }
    }

    /// Deepens where an iteration of depth d costs d nodes and finds move d; those from `is_final` on are final. An unfinished one
    /// has found move 100 + n after n nodes.
    fn run(budget: Budget, partial: bool, is_final: u32) -> (Decision<u32>, Vec<u32>) {
        let mut depths = Vec::new();
        let mut watch = |decision: &Decision<u32>| depths.push(decision.depth);
        let mut meter = Meter::new(&budget);
        let decision = deepen(&budget, &mut meter, 0, partial, &mut watch, |depth, meter, best| {
            for node in 0..depth {
                meter.tick()?;
                *best = Some(iteration(100 + node, false));
            }
            Ok(iteration(depth, depth >= is_final))
        });
        (decision, depths)
    }

    #[test]
    fn an_unfinished_iteration_counts_if_that_is_wanted() {
        let (decision, depths) = run(Budget::nodes(8), false, 10);
        assert_eq!((decision.m, decision.depth, decision.nodes), (3, 3, 8));
        assert_eq!(depths, [1, 2, 3]);
        let (decision, depths) = run(Budget::nodes(8), true, 10);
        assert_eq!((decision.m, decision.depth, decision.nodes), (101, 3, 8));
        assert_eq!(depths, [1, 2, 3]);
        // No node of the next iteration was visited.
        assert_eq!(run(Budget::nodes(6), true, 10).0.m, 3);
    }

    #[test]
    fn an_unfinished_iteration_keeps_the_lines_that_it_had_no_time_for() {
        let budget = Budget::nodes(2);
        let mut meter = Meter::new(&budget);
        let line = |m| iteration(m, false).line;
        let decision = deepen(&budget, &mut meter, 0, true, &mut |_| (), |depth, meter, best| {
            meter.tick()?;
            if depth == 1 {
                return Ok(Iteration { others: vec![line(4), line(5)], ..iteration(3, false) });
            }
            *best = Some(iteration(4, false));
            meter.tick()?;
            unreachable!()
        });
        assert_eq!((decision.m, decision.depth), (4, 1));
        assert_eq!(decision.lines, [line(4), line(3), line(5)]);
    }

    #[test]
    fn deepening_ends_at_the_depth_of_the_budget_and_with_a_final_iteration() {
        assert_eq!(run(Budget::depth(4), true, 10).0.depth, 4);
        assert_eq!(run(Budget::depth(4), true, 2).0.depth, 2);
        assert_eq!(run(Budget::default(), true, u32::MAX).0.depth, MAX_DEPTH);
        assert_eq!(run(Budget::depth(u32::MAX), true, u32::MAX).0.depth, MAX_DEPTH);
    }

    #[test]
    fn without_one_iteration_the_best_so_far_is_played_else_the_first() {
        let (decision, depths) = run(Budget::nodes(0), true, 10);
        assert_eq!((decision.m, decision.depth, decision.value, depths.len()), (0, 0, None, 0));
        assert_eq!(run(Budget::depth(0), true, 10).0.m, 0);
        for (partial, value) in [(false, None), (true, Some(1.0))] {
            let budget = Budget::nodes(1);
            let mut meter = Meter::new(&budget);
            let decision = deepen(&budget, &mut meter, 0, partial, &mut |_| (), |_, meter, best| {
                meter.tick()?;
                *best = Some(iteration(7, false));
                meter.tick()?;
                unreachable!()
            });
            assert_eq!((decision.m, decision.depth, decision.value, decision.pv), (7, 0, value, vec![7]));
        }
    }
}
