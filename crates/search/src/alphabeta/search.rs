//! One iteration of the search.

use std::array;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::split::{Pool, Split, State};
use super::view::{Action, Level, List, Rated, Side, View};
use super::{Own, Shared, TwoSided};
use crate::recording::{Found, Kind, Reason, Why, Window};
use crate::threads::{DIVIDED_DEPTH, id};
use crate::{ByPlayer, Evaluator, Game, Meter, MoveOrder, OutOfBudget, Parts, Player, ScoreForm, Stance, code, mix};

/// Beyond any value.
pub(super) const INFINITY: i64 = i64::MAX / 4;

/// A table entry: the value as the side to move sees it, the code of the best move, and the marks below.
pub(super) type Known = (i64, u32, u8);

/// An entry as the table keeps it.
#[inline]
fn packed((value, code, marks): Known) -> [u64; 2] {
    [value as u64, u64::from(code) << 32 | u64::from(marks)]
}

#[inline]
fn unpacked([value, rest]: [u64; 2]) -> Known {
    (value as i64, (rest >> 32) as u32, rest as u8)
}

/// The value is at least this.
const LOWER: u8 = 1;
/// The value is at most this.
const UPPER: u8 = 2;
/// No line was cut off by the depth: the value holds for any greater depth too.
const COMPLETE: u8 = 4;
/// The best move is not learned.
pub(super) const SPECIAL: u8 = 8;

/// The mark of a best move.
#[inline]
pub(super) fn mark(is_learned: bool) -> u8 {
    if is_learned { 0 } else { SPECIAL }
}

/// What stays the same during a decision.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub(super) root: Player,
    pub(super) stance: Option<Stance>,
    pub(super) width: usize,
    /// What the root player's value is made of.
    pub(super) weights: ByPlayer<i64>,
    /// Whether the evaluation judges moves that are not played, all moves are searched, and leaves are evaluated as they stand.
    judges: bool,
    /// What turns the key of a position into that of a node, by side and count.
    salts: [[u64; Level::COUNTS]; 2],
    /// The range of the root player's value.
    least: i64,
    most: i64,
    /// The value of a sole win.
    pub(super) won: i64,
}

impl Terms {
    pub(super) fn most(&self) -> i64 {
        self.most
    }

    pub(super) fn new<G: Game, E: Evaluator<G>, O, V>(plan: &TwoSided<'_, E, O, V>, game: &G) -> Terms {
        let root = game.turn();
        let bounds = plan.evaluator.bounds(game);
        let (mut worst, mut best) = (bounds.min, bounds.min);
        best[root] = bounds.max(root);
        // At worst one opponent has everything that is open; it does not matter which.
        let other = root.next(game.player_count());
        worst[other] = bounds.max(other);
        let stance = plan.parts.stance(Stance::Against(root), root);
        let width = plan.parts.width.unwrap_or(usize::MAX).max(1);
        let weights = plan.score.weights(game.player_count(), root);
        // A table serves one decision, but it costs nothing to keep apart what other decisions would store.
        let what = mix(root.index() as u64 + 8 * plan.score as u64);
        Terms {
            root,
            stance,
            width,
            weights,
            judges: width == usize::MAX
                && !(G::HAS_LOUD_MOVES && plan.parts.switches.quiet > 0)
                && plan.evaluator.judge(game, &weights, &[], |_| ()),
            salts: [
                array::from_fn(|count| mix(what ^ (1 + 16 * count as u64))),
                array::from_fn(|count| mix(what ^ (2 + count as u64))),
            ],
            least: plan.score.value(&worst, root),
            most: plan.score.value(&best, root),
            won: plan.score.value(&plan.evaluator.win(game, root), root),
        }
    }
}

fn kind(level: Level) -> Kind {
    match level.side {
        Side::Max => Kind::Max,
        Side::Min => Kind::Min,
    }
}

/// Compiled for each game only, not for each view of it.
impl<M: Copy + Eq> Own<M> {
    /// Records the side to move, the mover if there is only one, and whether the table answers, so that no move is searched.
    #[cold]
    #[inline(never)]
    fn record_node(&mut self, level: Level, start: usize, is_known: bool) {
        let Own { stack, recorder, .. } = self;
        let player = stack[start].action.player;
        let is_one = stack[start..].iter().all(|rated| rated.action.player == player);
        if let Some(recorder) = recorder {
            recorder.expand(kind(level), is_one.then_some(player));
            if is_known {
                recorder.cut(Reason::Table, Why::Table, stack[start..].iter().map(|rated| rated.action.step()));
            }
        }
    }

    /// Records the best child so far, with its value for the side to move, and the cut that follows from it, if there is one.
    #[cold]
    #[inline(never)]
    pub(super) fn record_choice(&mut self, level: Level, value: i64, high: i64, most: i64, rest: Range<usize>) {
        let Own { stack, recorder, .. } = self;
        let Some(recorder) = recorder else { return };
        recorder.choose();
        let is_max = level.side == Side::Max;
        let root_value = if is_max { value } else { -value };
        let (reason, why) = if value >= high {
            let window = recorder.window().unwrap_or(Window { alpha: None, beta: None });
            (Reason::AlphaBeta, Why::Window { value: root_value, is_max, window })
        } else if value >= most {
            (Reason::Immediate, Why::Range { value: root_value, is_max })
        } else {
            return;
        };
        if !rest.is_empty() {
            recorder.cut(reason, why, stack[rest].iter().map(|rated| rated.action.step()));
        }
    }
}

/// One iteration.
pub(super) struct Search<'a, 'p, G: Game, E, O, V> {
    pub(super) plan: &'a TwoSided<'p, E, O, V>,
    pub(super) shared: &'a Shared,
    pub(super) memory: &'a mut Own<G::Move>,
    pub(super) meter: &'a mut Meter,
    pub(super) terms: Terms,
    /// Of young brothers wait.
    pub(super) pool: Option<&'a Pool<G>>,
    /// The innermost split node on the path.
    pub(super) split: Option<Arc<Split<G>>>,
    /// The variant of lazy SMP: 1 for the root's order, 2 for that of inner nodes, 4 for bounds of others.
    pub(super) lazy: usize,
}

/// A node and its window: the search finds the node's value if that lies between `alpha` and `beta` (as the root player
/// sees it), otherwise only a bound that shows that it does not.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) level: Level,
    pub(super) ply: u32,
    pub(super) depth: u32,
    pub(super) alpha: i64,
    pub(super) beta: i64,
}

/// The rank of an action that neither the table nor the killers put first.
#[inline]
pub(super) fn rank_of(rate: i32, tally: u32) -> u64 {
    u64::from(rate as u32 ^ 1 << 31) << 30 | u64::from(tally.min((1 << 30) - 1))
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>, V: View<G>> Search<'_, '_, G, E, O, V> {
    /// The root player's moves in the static order.
    pub(super) fn root_moves(&mut self, game: &mut G) -> Vec<Action<G::Move>> {
        self.memory.stack.clear();
        self.list(game, Level::ROOT, 0);
        self.rate(game, Level::ROOT, 0);
        self.memory.stack.sort_unstable_by_key(|rated| (Reverse(rated.rate), rated.index));
        self.memory.stack.drain(..).map(|rated| rated.action).collect()
    }

    /// Searches all moves of the root to a depth. Of equals the one with the lowest number is the best. `queue` holds their numbers in
    /// the order in which they are searched; the best moves to the front. Leaves the value of the best so far, and its principal
    /// variation in the first line.
    pub(super) fn iterate(
        &mut self,
        game: &mut G,
        moves: &[Action<G::Move>],
        queue: &mut [usize],
        depth: u32,
        found: &mut Option<i64>,
    ) -> Result<(), OutOfBudget> {
        // The iteration before may have been interrupted anywhere.
        (self.memory.loud, self.memory.null) = (0, 0);
        let plies = (depth + self.plan.parts.switches.quiet) as usize;
        if self.memory.lines.len() <= plies {
            self.memory.lines.resize(plies + 1, Vec::new());
        }
        if let Some(recorder) = &mut self.memory.recorder {
            recorder.begin(Kind::Max, self.terms.root, depth);
        }
        let divided = self.shared.searched.divides(depth);
        let shares = divided || self.lazy & 4 != 0;
        let key = if divided { game.key() } else { 0 };
        let mut best = -INFINITY;
        let mut chosen = usize::MAX;
        // The moves that are put off are those from here on.
        let mut late = queue.len();
        let mut at = 0;
        while at < queue.len() {
            if at == 1 && self.pool.is_some() && queue.len() > 2 {
                return self.split_root(game, moves, queue, depth, (best, chosen), found);
            }
            let number = queue[at];
            // Ties: a move with a lower number need only be as good, one with a higher number must be better.
            let mut alpha = if number < chosen { best - 1 } else { best };
            // A move is as good as the best of another thread. It still has to be found here, for its line.
            if shares && at > 0 {
                alpha = alpha.max(self.shared.best.load(Relaxed) - 1);
            }
            // Immediate pruning.
            if alpha >= self.terms.most {
                if let Some(recorder) = &mut self.memory.recorder {
                    recorder.skip(Why::Range { value: best, is_max: true }, moves[number].step());
                }
                at += 1;
                continue;
            }
            let action = moves[number];
            let noted = (divided && at > 0).then(|| id(key, depth, code(action.player, &action.m)));
            if let Some(id) = noted {
                if at < late && self.shared.searched.contains(id) {
                    queue[at..].rotate_left(1);
                    late -= 1;
                    continue;
                }
                self.shared.searched.begin(id);
            }
            self.meter.tick()?;
            self.memory.stack.clear();
            self.memory.stack.push(Rated::new(action, Some(0), 0));
            let value = self.plan.view.visit(game, Level::ROOT, action, |child, level| {
                let frame = Frame { level, ply: 1, depth: depth - 1, alpha, beta: INFINITY };
                // Principal variation search: the first move sets the value that the others have to beat.
                if at > 0 {
                    let value = self.search(child, Frame { beta: alpha + 1, ..frame }, 0)?;
                    if value <= alpha {
                        return Ok(value);
                    }
                }
                self.search(child, frame, 0)
            })?;
            if let Some(id) = noted {
                self.shared.searched.end(id);
            }
            if value > alpha {
                (best, chosen) = (value, number);
                *found = Some(value);
                if shares {
                    self.shared.best.fetch_max(value, Relaxed);
                }
                queue[..=at].rotate_right(1);
                self.memory.extend_line(0, action);
                if let Some(recorder) = &mut self.memory.recorder {
                    recorder.choose();
                }
            }
            at += 1;
        }
        if let Some(recorder) = &mut self.memory.recorder {
            recorder.end(Found::Value(best));
        }
        Ok(())
    }

    /// The value of a position below the root, to which the action at a place of the stack leads.
    #[inline]
    pub(super) fn search(&mut self, game: &mut G, frame: Frame, at: usize) -> Result<i64, OutOfBudget> {
        // All that a search which is not recorded does for the recording at every position.
        if self.memory.recorder.is_some() {
            return self.search_recorded(game, frame, at);
        }
        self.value(game, frame)
    }

    #[cold]
    #[inline(never)]
    fn search_recorded(&mut self, game: &mut G, frame: Frame, at: usize) -> Result<i64, OutOfBudget> {
        let step = self.memory.stack[at].action.step();
        if let Some(recorder) = &mut self.memory.recorder {
            recorder.enter_window(step, frame.depth, (frame.alpha, frame.beta));
        }
        let value = self.value(game, frame)?;
        if let Some(recorder) = &mut self.memory.recorder {
            recorder.leave_value(value);
        }
        Ok(value)
    }

    pub(super) fn value(&mut self, game: &mut G, frame: Frame) -> Result<i64, OutOfBudget> {
        if frame.beta - frame.alpha > 1 {
            self.memory.lines[frame.ply as usize].clear();
        }
        if let Some(payoff) = game.payoff() {
            return Ok(self.plan.score.value(&self.plan.evaluator.terminal(game, &payoff), self.terms.root));
        }
        if self.plan.view.is_over(game, frame.level) {
            return Ok(self.evaluate(game));
        }
        self.plan.view.prepare(game, frame.level, |game| {
            // Horizon.
            if frame.depth == 0 {
                self.memory.horizons += 1;
                if G::HAS_LOUD_MOVES && self.memory.loud < self.plan.parts.switches.quiet {
                    return self.quiesce(game, frame);
                }
                let value = self.evaluate(game);
                self.memory.optimistic |= value >= self.terms.won;
                return Ok(value);
            }
            let max = frame.level.side == Side::Max;
            let (low, high) = if max { (frame.alpha, frame.beta) } else { (-frame.beta, -frame.alpha) };
            let value = self.node(game, frame, low, high)?;
            Ok(if max { value } else { -value })
        })
    }

    #[inline]
    pub(super) fn evaluate(&self, game: &G) -> i64 {
        let evaluator = self.plan.evaluator;
        match self.plan.score {
            ScoreForm::Own => i64::from(evaluator.evaluate_for(game, self.terms.root)),
            form => form.value(&evaluator.evaluate(game), self.terms.root),
        }
    }

    /// The value of an inner node as the side to move sees it, if it lies between `low` and `high`; a bound of it
    /// otherwise.
    ///
    /// Long, because it is everything that happens at a node, in order.
    fn node(&mut self, game: &mut G, frame: Frame, mut low: i64, high: i64) -> Result<i64, OutOfBudget> {
        let Frame { level, ply, depth, .. } = frame;
        let open = high - low > 1;

        // Transposition table.
        let tabled = self.shared.table.is_on() && !game.history_matters();
        let horizons = self.memory.horizons;
        let mut key = 0;
        // The code of the table's move, and its mark.
        let (mut answer, mut known, mut known_mark) = (None, 0, 0);
        if tabled {
            key = game.key() ^ self.terms.salts[level.side as usize][level.count as usize];
            (answer, known, known_mark) = self.recall(key, depth, low, high);
            // A recording has the moves that are left out.
            if let Some(value) = answer
                && self.memory.recorder.is_none()
            {
                return Ok(value);
            }
        }

        if depth == 1
            && !open
            && self.terms.judges
            && self.memory.recorder.is_none()
            && let Some((best, code, mark)) = self.frontier(game, frame, (known, known_mark), high)?
        {
            if tabled {
                let bound = mark | if best >= high { LOWER } else { UPPER };
                let marks = if self.memory.horizons == horizons { bound | COMPLETE } else { bound };
                self.shared.table.store(key, depth, packed((best, code, marks)));
            }
            return Ok(best);
        }

        let start = self.memory.stack.len();
        self.list(game, level, start);
        let end = self.memory.stack.len();
        if start == end {
            return Ok(if level.side == Side::Max { self.evaluate(game) } else { -self.evaluate(game) });
        }
        let mut rest = self.rank(start, ply, known);
        if self.memory.recorder.is_some() {
            self.memory.record_node(level, start, answer.is_some());
            if let Some(value) = answer {
                self.memory.stack.truncate(start);
                return Ok(value);
            }
        }

        if let Some(split) = &self.split
            && depth > 1
            && split.is_over()
        {
            return Err(OutOfBudget);
        }
        self.meter.expand()?;
        if G::HAS_NULL_MOVES
            && self.plan.parts.switches.null
            && !open
            && self.passes(game, frame, (low, high), start)?
        {
            self.memory.stack.truncate(start);
            return Ok(high);
        }
        let max = level.side == Side::Max;
        let most = if max { self.terms.most } else { -self.terms.least };
        let (floor, horizons) = (low, self.memory.horizons);
        let (mut best, mut best_code, mut best_mark) = (-INFINITY, 0, 0);
        // Several threads divide the actions among them. Those that are put off are from `late` on.
        let divided = tabled && self.shared.searched.divides(depth);
        let watched = divided || (self.lazy & 4 != 0 && tabled && depth >= DIVIDED_DEPTH);
        let shuffled = self.lazy & 2 != 0 && self.memory.thread > 0 && depth >= DIVIDED_DEPTH;
        let (mut late, mut is_rated) = (end, false);
        // Beyond anything that can be found.
        let mut top = high;
        let mut at = start;
        while at < end {
            if at == rest && !is_rated {
                self.rate(game, level, rest);
                is_rated = true;
            }
            if shuffled && at == start + 1 {
                self.sort_rest(game, level, at, &mut rest, &mut is_rated);
                let (count, thread) = (end - at, self.memory.thread);
                self.memory.stack[at..end].rotate_left(thread % count);
            }
            if let Some(pool) = self.pool
                && at > start
                && depth >= pool.split_depth
                && end - at > 1
                && (depth >= pool.eager_depth || pool.is_wanting())
            {
                self.sort_rest(game, level, at, &mut rest, &mut is_rated);
                let state = State::new(best, low, best_code, best_mark);
                let split = self.new_split(game, frame, (high, most), at..end, state);
                let found = self.split(pool, game, split)?;
                (best, best_code, best_mark) = (found.best, found.code, found.mark);
                self.memory.horizons += found.horizons;
                if let Some(action) = found.action {
                    self.memory.coded.note(best_code, action);
                    if best >= high {
                        self.reward(action, best_code, ply, depth);
                    }
                }
                if !found.line.is_empty() {
                    self.memory.lines[ply as usize] = found.line;
                }
                break;
            }
            let is_picked = at < rest || at >= late;
            let Rated { action, code, .. } = if is_picked { self.memory.stack[at] } else { self.pick(rest, at, late) };
            let id = if divided { id(key, depth, code) } else { 0 };
            if watched {
                if divided && at > start && at < late && self.shared.searched.contains(id) {
                    self.memory.stack[at..end].rotate_left(1);
                    (late, rest) = (late - 1, if at < rest { rest - 1 } else { rest });
                    continue;
                }
                // Other threads may have finished this node, or know more about it.
                let (least, most) = self.bounds(key, depth, low, top);
                if least >= high || most <= floor {
                    self.memory.stack.truncate(start);
                    return Ok(if least >= high { least } else { most });
                }
                if best >= most {
                    break;
                }
                // Some action is as good as the best of another thread. It still has to be found here, for its line.
                if open {
                    (low, top) = (low.max(least - 1), top.min(most + 1));
                }
                if divided && at > start {
                    self.shared.searched.begin(id);
                }
            }
            let reduction = self.reduction(game, level, action, at - start, depth);
            self.meter.tick()?;
            let value = self.plan.view.visit(game, level, action, |child, level| {
                let mut ask = |low: i64, high: i64, depth: u32| -> Result<i64, OutOfBudget> {
                    let (alpha, beta) = if max { (low, high) } else { (-high, -low) };
                    let frame = Frame { level, ply: ply + 1, depth, alpha, beta };
                    let value = self.search(child, frame, at)?;
                    Ok(if max { value } else { -value })
                };
                // Late-move reductions.
                if reduction > 0 {
                    let value = ask(low, low + 1, depth - 1 - reduction)?;
                    if value <= low {
                        return Ok(value);
                    }
                }
                // Principal variation search.
                if at > start && open {
                    let value = ask(low, low + 1, depth - 1)?;
                    if value <= low || value >= top {
                        return Ok(value);
                    }
                }
                ask(low, top, depth - 1)
            })?;
            if divided && at > start {
                self.shared.searched.end(id);
            }
            at += 1;
            if value <= best {
                continue;
            }
            (best, best_code, best_mark) = (value, code, mark(action.learned));
            self.memory.coded.note(code, action);
            if value <= low {
                continue;
            }
            low = value;
            if self.memory.recorder.is_some() {
                self.memory.record_choice(level, value, high, most, at..end);
            }
            // Alpha-beta pruning.
            if value >= high {
                self.reward(action, code, ply, depth);
                self.memory.statistics.cut_nodes += 1;
                self.memory.statistics.cut_moves += (at - start) as u64;
                break;
            }
            self.memory.extend_line(ply, action);
            // Immediate pruning.
            if value >= most {
                break;
            }
            if watched {
                let marks = if self.memory.horizons == horizons { LOWER | COMPLETE } else { LOWER };
                self.shared.table.store(key, depth, packed((value, code, marks | best_mark)));
            }
        }
        self.memory.stack.truncate(start);

        if tabled {
            let mut marks = if best >= high {
                LOWER
            } else if best <= floor {
                UPPER
            } else {
                LOWER | UPPER
            };
            if self.memory.horizons == horizons {
                marks |= COMPLETE;
            }
            self.shared.table.store(key, depth, packed((best, best_code, marks | best_mark)));
        }
        Ok(best)
    }

    /// Sorts the actions of a node from `at` on.
    #[cold]
    #[inline(never)]
    fn sort_rest(&mut self, game: &mut G, level: Level, at: usize, rest: &mut usize, is_rated: &mut bool) {
        let end = self.memory.stack.len();
        if !*is_rated {
            if *rest < end {
                self.rate(game, level, *rest);
            }
            *is_rated = true;
        }
        self.memory.stack[at.max(*rest)..].sort_unstable_by_key(|rated| (Reverse(rated.rank), rated.index));
        *rest = end;
    }

    /// What the table knows about a node: its value, if that lies outside the window, and the code and mark of the best move.
    #[inline]
    fn recall(&mut self, key: u64, depth: u32, low: i64, high: i64) -> (Option<i64>, u32, u8) {
        let (mut best, mut mark) = (0, 0);
        for (found_depth, entry) in self.shared.table.probe(key) {
            let (value, code, marks) = unpacked(entry);
            if best == 0 {
                (best, mark) = (code, marks & SPECIAL);
            }
            let complete = marks & COMPLETE != 0;
            let deep =
                found_depth == depth || if found_depth < depth { complete } else { self.plan.parts.switches.deeper };
            let is_outside = (marks & LOWER != 0 && value >= high) || (marks & UPPER != 0 && value <= low);
            // A value within the window belongs to the principal variation, whose line the table does not know.
            if deep && is_outside {
                self.memory.horizons += u64::from(!complete);
                self.memory.statistics.table_cuts += 1;
                return (Some(value), code, marks & SPECIAL);
            }
        }
        (None, best, mark)
    }

    /// The bounds that the table knows for the value of a node, as far as they are better than these.
    #[cold]
    #[inline(never)]
    fn bounds(&mut self, key: u64, depth: u32, low: i64, top: i64) -> (i64, i64) {
        let (mut least, mut most) = (-INFINITY, INFINITY);
        for (found_depth, entry) in self.shared.table.probe(key) {
            let (value, _, marks) = unpacked(entry);
            let (is_least, is_most) = (marks & LOWER != 0 && value > low, marks & UPPER != 0 && value < top);
            let complete = marks & COMPLETE != 0;
            if (found_depth == depth || (complete && found_depth < depth)) && (is_least || is_most) {
                self.memory.horizons += u64::from(!complete);
                least = if is_least { least.max(value) } else { least };
                most = if is_most { most.min(value) } else { most };
            }
        }
        (least, most)
    }

    /// Lists the actions of a node on the stack.
    #[inline]
    pub(super) fn list(&mut self, game: &mut G, level: Level, start: usize) {
        let Terms { stance, width, .. } = self.terms;
        let Own { moves, stack, .. } = &mut *self.memory;
        let order = self.plan.order;
        self.plan.view.list(game, level, &mut List { order, stance, width, loud: false, moves, stack, start });
    }

    /// Ranks the actions of a node: the table's move, killers, the static rating, history. The first two go to the front, in order;
    /// the others begin at the place that is returned, and are rated only when they are needed. If there is one action only, it
    /// is not ranked.
    #[inline]
    pub(super) fn rank(&mut self, start: usize, ply: u32, known: u32) -> usize {
        let Parts { killers, history, .. } = *self.plan.parts;
        let actions = &mut self.memory.stack[start..];
        if actions.len() == 1 {
            return start + 1;
        }
        let [first, second] = if killers { self.memory.killers.at(ply) } else { [0, 0] };
        let (mut favored, mut count) = ([usize::MAX; 4], 0);
        for (at, rated) in actions.iter_mut().enumerate() {
            let Action { m, player, learned } = rated.action;
            let code = code(player, &m);
            rated.code = code;
            let favor = match code {
                _ if code == known => 3,
                _ if !learned => 0,
                _ if code == first => 2,
                _ if code == second => 1,
                _ => 0,
            };
            if favor > 0 {
                favored[favor] = at;
                count += 1;
            }
            // What is learned while the first actions are searched changes nothing here.
            let tally = if history && learned { self.memory.history.at(code) } else { 0 };
            rated.rank = (favor as u64) << 62 | u64::from(tally.min((1 << 30) - 1));
        }
        let places = favored.iter().filter(|&&at| at < usize::MAX).count();
        // Actions that share a code are told apart by their rating. A recording lists what is left out as the game does.
        if count == 0 || places < count || self.memory.recorder.is_some() {
            return start;
        }
        let mut front = 0;
        for favor in [3, 2, 1] {
            let at = favored[favor];
            if at < usize::MAX {
                actions.swap(front, at);
                favored.iter_mut().filter(|place| **place == front).for_each(|place| *place = at);
                front += 1;
            }
        }
        start + front
    }

    /// Rates the actions from `from` on that are not rated yet, and completes their ranks.
    #[inline]
    pub(super) fn rate(&mut self, game: &mut G, level: Level, from: usize) {
        let TwoSided { view, order, .. } = self.plan;
        let mut rest = &mut self.memory.stack[from..];
        while let Some(Rated { action: Action { player, .. }, is_rated, .. }) = rest.first().copied() {
            let same =
                rest.iter().take_while(|rated| rated.is_rated == is_rated && rated.action.player == player).count();
            let (group, others) = rest.split_at_mut(same);
            rest = others;
            if let (false, Some(stance)) = (is_rated, self.terms.stance) {
                view.as_listed(game, level, player, |game| {
                    for rated in &mut *group {
                        rated.rate = rated.action.m.map_or(0, |m| order.rate(game, stance, m));
                    }
                });
            }
            for rated in group {
                rated.rank |= u64::from(rated.rate as u32 ^ 1 << 31) << 30;
            }
        }
    }

    /// Moves the best of the actions from `at` to `end` to `at`. Most cuts need one action or two; after that the rest is
    /// sorted at once.
    #[inline]
    pub(super) fn pick(&mut self, start: usize, at: usize, end: usize) -> Rated<G::Move> {
        let actions = &mut self.memory.stack[at..end];
        match at - start {
            0 | 1 => {
                let mut best = 0;
                for next in 1..actions.len() {
                    if (actions[next].rank, actions[best].index) > (actions[best].rank, actions[next].index) {
                        best = next;
                    }
                }
                actions.swap(0, best);
            }
            2 => actions.sort_unstable_by_key(|rated| (Reverse(rated.rank), rated.index)),
            _ => (),
        }
        actions[0]
    }

    /// Remembers a move that made a cut.
    #[inline]
    pub(super) fn reward(&mut self, action: Action<G::Move>, code: u32, ply: u32, depth: u32) {
        if !action.learned || code == 0 {
            return;
        }
        if self.plan.parts.killers {
            self.memory.killers.add(ply, code);
        }
        if self.plan.parts.history {
            self.memory.history.add(code, depth);
        }
    }
}
