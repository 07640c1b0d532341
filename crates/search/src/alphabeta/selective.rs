//! What does not search every line to the same depth: late-move reductions, null moves and quiescence.
//!
//! References: D. F. Beal, *A Generalised Quiescence Search Algorithm*, 1990; C. Donninger, *Null Move and Deep Search*, 1993;
//! E. A. Heinz, *Adaptive Null-Move Pruning*, 1999.

use super::Own;
use super::search::{Frame, Search};
use super::view::{Action, Level, List, Rated, Side, View};
use crate::{Evaluator, Game, MoveOrder, OutOfBudget};

/// The fewest plies left at a node whose late moves are reduced, and the number of first moves that are not.
const REDUCED_DEPTH: u32 = 3;
const EARLY: usize = 3;
/// From so many plies left and so many moves on, two plies are left out instead of one.
const VERY_DEEP: u32 = 6;
const VERY_LATE: usize = 8;

/// The fewest plies left at a node that tries a null move, and the plies that are left out after it besides its own.
const NULL_DEPTH: u32 = 3;
const NULL_REDUCTION: u32 = 2;

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>, V: View<G>> Search<'_, '_, G, E, O, V> {
    /// The plies that are left out at first in the search of a move at a place of a node, from 0 on. The table's move and the killers
    /// come first, and so do not lose any.
    #[inline]
    pub(super) fn reduction(
        &self,
        game: &mut G,
        level: Level,
        action: Action<G::Move>,
        place: usize,
        depth: u32,
    ) -> u32 {
        if !self.plan.parts.switches.reduce
            || depth < REDUCED_DEPTH
            || place < EARLY
            || self.is_loud(game, level, action)
        {
            return 0;
        }
        if depth >= VERY_DEEP && place >= VERY_LATE { 2 } else { 1 }
    }

    /// Whether an action of a node is a loud move.
    #[inline]
    fn is_loud(&self, game: &mut G, level: Level, action: Action<G::Move>) -> bool {
        let loud = |m| self.plan.view.as_listed(game, level, action.player, |game| game.is_loud(m));
        G::HAS_LOUD_MOVES && action.m.is_some_and(loud)
    }

    /// Whether the side to move at a node is shown to have `high` even without a move. It is tried where the position as it stands is
    /// that good, and not twice in a row. A win is never claimed like that.
    ///
    /// The actions of the node are on the stack, from `start` on.
    #[cold]
    #[inline(never)]
    pub(super) fn passes(
        &mut self,
        game: &mut G,
        frame: Frame,
        (low, high): (i64, i64),
        start: usize,
    ) -> Result<bool, OutOfBudget> {
        let Frame { level, ply, depth, .. } = frame;
        let max = level.side == Side::Max;
        if depth < NULL_DEPTH || self.memory.null == ply || (max && high >= self.terms.won) || game.history_matters() {
            return Ok(false);
        }
        let stand = self.evaluate(game);
        if (if max { stand } else { -stand }) < high {
            return Ok(false);
        }
        let (player, at) = (game.turn(), self.memory.stack.len());
        let before = self.memory.null;
        let tried = game.null_move(|child| {
            let Some(level) = self.plan.view.null(level, child.turn()) else { return Ok(None) };
            self.meter.tick()?;
            self.memory.stack.push(Rated::new(Action::pass(player), Some(0), 0));
            self.memory.null = ply + 1;
            let (alpha, beta) = if max { (low, high) } else { (-high, -low) };
            let depth = depth - 1 - NULL_REDUCTION;
            self.search(child, Frame { level, ply: ply + 1, depth, alpha, beta }, at).map(Some)
        });
        let value = match tried {
            Some(tried) => tried?,
            None => None,
        };
        self.memory.null = before;
        self.memory.stack.truncate(at);
        let Some(value) = value.map(|value| if max { value } else { -value }).filter(|&value| value >= high) else {
            if let Some(recorder) = &mut self.memory.recorder {
                recorder.begin_step();
            }
            return Ok(false);
        };
        // It proves nothing about the rest of the game.
        self.memory.horizons += 1;
        if self.memory.recorder.is_some() {
            self.memory.record_choice(level, value, high, i64::MAX, start..at);
        }
        Ok(true)
    }

    /// The value of a position at the horizon, as the root player sees it: as it stands, or after a loud move if that is
    /// better for the side to move. The actions are not recorded, only counted.
    #[cold]
    #[inline(never)]
    pub(super) fn quiesce(&mut self, game: &mut G, frame: Frame) -> Result<i64, OutOfBudget> {
        let recorder = self.memory.recorder.take();
        let visits = self.memory.loud_visits;
        let value = self.quiet_value(game, frame);
        self.memory.recorder = recorder;
        if let Some(recorder) = &mut self.memory.recorder {
            recorder.pass_by(self.memory.loud_visits - visits);
        }
        value
    }

    fn quiet_value(&mut self, game: &mut G, frame: Frame) -> Result<i64, OutOfBudget> {
        let Frame { level, ply, .. } = frame;
        let max = level.side == Side::Max;
        let (mut low, high) = if max { (frame.alpha, frame.beta) } else { (-frame.beta, -frame.alpha) };
        let stand = self.evaluate(game);
        self.memory.optimistic |= stand >= self.terms.won;
        let mut best = if max { stand } else { -stand };
        if best >= high {
            return Ok(stand);
        }
        low = low.max(best);

        let start = self.memory.stack.len();
        self.list_loud(game, level, start);
        let end = self.memory.stack.len();
        if start < end {
            self.meter.expand()?;
        }
        self.memory.loud += 1;
        for at in start..end {
            let Rated { action, .. } = self.pick(start, at, end);
            self.meter.tick()?;
            self.memory.loud_visits += 1;
            let value = self.plan.view.visit(game, level, action, |child, level| {
                let (alpha, beta) = if max { (low, high) } else { (-high, -low) };
                self.value(child, Frame { level, ply: ply + 1, depth: 0, alpha, beta })
            })?;
            let value = if max { value } else { -value };
            best = best.max(value);
            if value <= low {
                continue;
            }
            low = value;
            if value >= high {
                break;
            }
            self.memory.extend_line(ply, action);
        }
        self.memory.loud -= 1;
        self.memory.stack.truncate(start);
        Ok(if max { best } else { -best })
    }

    /// Lists the loud moves of a node on the stack, with their ranks.
    fn list_loud(&mut self, game: &mut G, level: Level, start: usize) {
        let (stance, width, order) = (self.terms.stance, self.terms.width, self.plan.order);
        let Own { moves, stack, .. } = &mut *self.memory;
        self.plan.view.list(game, level, &mut List { order, stance, width, loud: true, moves, stack, start });
        // Views may add others.
        let mut kept = start;
        for at in start..self.memory.stack.len() {
            let rated = self.memory.stack[at];
            if self.is_loud(game, level, rated.action) {
                self.memory.stack[kept] = rated;
                kept += 1;
            }
        }
        self.memory.stack.truncate(kept);
        self.rate(game, level, start);
    }
}

#[cfg(test)]
mod tests {
    use crate::alphabeta::search::{Search, Terms};
    use crate::alphabeta::{Memory, TwoSided};
    use crate::paranoid::InTurn;
    use crate::testing::{HashedOrder, HashedScores, Track};
    use crate::{Budget, Dice, Game, Meter, OutOfBudget, Parts, ScoreForm, Switches};

    /// As helpers are when another thread is done with the iteration.
    #[test]
    fn an_iteration_that_is_interrupted_anywhere_leaves_nothing_for_the_next() {
        let game = Track::new(4, 4);
        let switches = Switches { quiet: 2, ..Switches::default() };
        let parts = Parts { table: 0, killers: false, history: false, switches, ..Parts::default() };
        let (evaluator, order) = (HashedScores { most: 50, seed: 1 }, HashedOrder { ratings: 3, seed: 2 });
        let view = InTurn { root: game.turn() };
        let score = ScoreForm::Difference;
        let plan = TwoSided { evaluator: &evaluator, order: &order, view, score, parts: &parts, dice: Dice::default() };
        let terms = Terms::new(&plan, &game);
        let iterate = |memory: &mut Memory<_>, budget: &Budget| {
            let Memory { shared, own, .. } = memory;
            let meter = &mut Meter::counting(parts.count, budget);
            let mut search =
                Search { plan: &plan, shared, memory: own, meter, terms, pool: None, split: None, lazy: 0 };
            let mut position = game.clone();
            let moves = search.root_moves(&mut position);
            let mut queue: Vec<usize> = (0..moves.len()).collect();
            let mut found = None;
            search.iterate(&mut position, &moves, &mut queue, 5, &mut found).map(|()| (found, search.meter.nodes()))
        };
        let mut fresh = Memory::default();
        let expected = iterate(&mut fresh, &Budget::default());
        assert!(fresh.own.loud_visits > 50, "{}", fresh.own.loud_visits);
        let mut interrupted = 0;
        for nodes in 0.. {
            let mut memory = Memory::default();
            if iterate(&mut memory, &Budget::nodes(nodes)) != Err(OutOfBudget) {
                break;
            }
            interrupted += 1;
            assert_eq!(iterate(&mut memory, &Budget::default()), expected, "after {nodes} nodes");
        }
        assert!(interrupted > 300, "{interrupted}");
    }
}
