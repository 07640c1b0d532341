//! Alpha-beta with everything that goes with it: the search behind Paranoid, Best-Reply Search and BRS+.
//!
//! All three turn a game for many into one for two sides, the root player against the rest, and differ only in who may
//! play what and when. That difference is a [`View`]; the search of the two-sided tree is here, once:
//!
//! - *principal variation search* (Marsland and Campbell 1982): the first move of a node is searched with the whole
//!   window, the others with an empty one that only asks whether they are better, and again if they are;
//! - a *transposition table*, two-deep. A result is used only for the very depth it was found for, or if no line of it
//!   was cut off by the depth, and only to show that a value lies outside the window. So the value is exactly that of
//!   plain minimax, and the principal variation is whole;
//! - *killers*, tried before what the static ordering puts first, and *history*, which sorts the moves that it rates
//!   alike;
//! - *immediate pruning*: a side that already has the most that the evaluation's bounds allow looks no further.
//!
//! Values are seen from the root player. Within a node everything is seen from the side to move, so that more is
//! better.
//!
//! At the root, the first move of the static ordering among those with the highest value is chosen: what is searched
//! first has no say in it, so the choice is the same with and without table, killers and history.
//!
//! References: D. E. Knuth, R. W. Moore, *An Analysis of Alpha-Beta Pruning*, 1975; T. A. Marsland, M. Campbell,
//! *Parallel Search of Strongly Ordered Game Trees*, 1982; R. E. Korf, *Multi-Player Alpha-Beta Pruning*, 1991
//! (immediate pruning).

use std::cmp::Reverse;

use crate::{
    Budget, ByPlayer, Decision, Evaluator, Game, History, Iteration, Killers, Meter, MoveOrder, OutOfBudget, Parts,
    Player, Score, ScoreForm, Stance, TranspositionTable, code, deepen, mix,
};

/// What a search has done, readable after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes at which a move was too good for the other side to let it happen.
    pub cut_nodes: u64,
    /// Moves searched at those nodes, the one that made the cut included.
    pub cut_moves: u64,
    /// Nodes that the transposition table answered.
    pub table_cuts: u64,
}

impl Statistics {
    /// Moves searched at a cut node, on average: 1 if the best is always tried first.
    pub fn moves_per_cut(&self) -> f64 {
        self.cut_moves as f64 / self.cut_nodes as f64
    }
}

/// Who is to move in the two-sided tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The root player.
    Max,
    /// The opponents.
    Min,
    /// The opponents, one of whom has already made the regular move that BRS+ allows them.
    Spent,
}

/// A ply of the two-sided tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Action<M> {
    /// The move; `None` if the turn is passed on.
    pub(crate) m: Option<M>,
    /// Whose move it is, in turn or not.
    pub(crate) player: Player,
    /// Whether it is a special move of BRS+.
    pub(crate) special: bool,
}

/// What an algorithm makes of a game for many: a tree with two sides.
pub(crate) trait View<G: Game> {
    /// Lists what may be played.
    fn list<O: MoveOrder<G>>(&self, game: &mut G, level: Level, list: &mut List<'_, G, O>);

    /// Plays what was listed, calls `f` with the child and its level, takes it back.
    fn visit<R>(&self, game: &mut G, level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R;

    /// Calls `f` with the position as the side to move finds it.
    #[inline]
    fn prepare<R>(&self, game: &mut G, _level: Level, f: impl FnOnce(&mut G) -> R) -> R {
        f(game)
    }

    /// Whether nothing more can happen in this view, though the game goes on.
    #[inline]
    fn is_over(&self, _game: &G, _level: Level) -> bool {
        false
    }
}

/// An action with what decides its place in the order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rated<M> {
    action: Action<M>,
    /// The static rating.
    rate: i32,
    /// The place among those listed at the node: settles ties.
    index: u32,
    code: u32,
    /// Everything but the place; higher is first.
    rank: u64,
}

/// Collects and rates what may be played at a node.
pub(crate) struct List<'a, G: Game, O> {
    order: &'a O,
    stance: Option<Stance>,
    width: usize,
    moves: &'a mut Vec<G::Move>,
    stack: &'a mut Vec<Rated<G::Move>>,
    /// Where this node's part of the stack begins.
    start: usize,
}

impl<G: Game, O: MoveOrder<G>> List<'_, G, O> {
    /// Adds the moves of the player to move, as many of the first as the width allows.
    #[inline]
    pub(crate) fn add(&mut self, game: &G) {
        let from = self.stack.len();
        self.add_rated(game, self.stance);
        self.narrow(from);
    }

    /// Adds a turn passed on, after everything else.
    pub(crate) fn add_pass(&mut self, game: &G) {
        self.push(Action { m: None, player: game.turn(), special: true }, i32::MIN);
    }

    /// Adds only the special move: one of the first `top` by a stance, chosen by `draw`.
    pub(crate) fn add_special(&mut self, game: &G, stance: Stance, top: usize, draw: u64) {
        let special = self.special(game, stance, top, draw);
        self.push(Action { m: Some(special), player: game.turn(), special: true }, 0);
    }

    /// Adds the moves of the player to move, of which the special one counts as special only.
    pub(crate) fn add_with_special(&mut self, game: &G, stance: Stance, top: usize, draw: u64) {
        let from = self.stack.len();
        self.add_rated(game, self.stance);
        let special = match self.stance {
            Some(sorted) if sorted == stance => self.draw(from, top, draw),
            _ => self.special(game, stance, top, draw),
        };
        self.narrow(from);
        match self.stack[from..].iter_mut().find(|rated| rated.action.m == Some(special)) {
            Some(rated) => rated.action.special = true,
            None => self.push(Action { m: Some(special), player: game.turn(), special: true }, i32::MAX),
        }
    }

    /// The special move of the player to move.
    fn special(&mut self, game: &G, stance: Stance, top: usize, draw: u64) -> G::Move {
        if top.min(self.width) == 1 {
            game.distinct(self.moves);
            let first = self.order.first(game, stance, self.moves);
            self.moves.clear();
            return first;
        }
        let from = self.stack.len();
        self.add_rated(game, Some(stance));
        let special = self.draw(from, top, draw);
        self.stack.truncate(from);
        special
    }

    /// One of the first `top` moves of those from `from` on.
    fn draw(&mut self, from: usize, top: usize, draw: u64) -> G::Move {
        let rated = &mut self.stack[from..];
        let top = top.min(self.width).min(rated.len());
        let place = ((u128::from(draw) * top as u128) >> 64) as usize;
        let (_, drawn, _) = rated.select_nth_unstable_by_key(place, |rated| (Reverse(rated.rate), rated.index));
        drawn.action.m.expect("a move, not a pass")
    }

    /// Leaves of the moves from `from` on as many of the first as the width allows.
    #[inline]
    fn narrow(&mut self, from: usize) {
        if self.stack.len() - from > self.width {
            self.stack[from..].select_nth_unstable_by_key(self.width - 1, |rated| (Reverse(rated.rate), rated.index));
            self.stack.truncate(from + self.width);
        }
    }

    #[inline]
    fn add_rated(&mut self, game: &G, stance: Option<Stance>) {
        game.distinct(self.moves);
        let player = game.turn();
        for at in 0..self.moves.len() {
            let m = self.moves[at];
            let rate = stance.map_or(0, |stance| self.order.rate(game, stance, m));
            self.push(Action { m: Some(m), player, special: false }, rate);
        }
        self.moves.clear();
    }

    #[inline]
    fn push(&mut self, action: Action<G::Move>, rate: i32) {
        let index = (self.stack.len() - self.start) as u32;
        self.stack.push(Rated { action, rate, index, code: 0, rank: 0 });
    }
}

/// Beyond any value.
const INFINITY: i64 = i64::MAX / 4;

/// What the table keeps: the value as the side to move sees it, the code of the best move, and the marks below.
type Known = (i64, u32, u8);
/// The value is at least this.
const LOWER: u8 = 1;
/// The value is at most this.
const UPPER: u8 = 2;
/// No line was cut off by the depth: the value holds for any greater depth too.
const COMPLETE: u8 = 4;

/// What a search keeps from node to node, and its memory from decision to decision.
#[derive(Clone, Debug)]
pub(crate) struct Memory<M> {
    table: TranspositionTable<Known>,
    killers: Killers,
    history: History,
    /// Moves being listed.
    moves: Vec<M>,
    /// What is still to be searched at each node of the path, one node after another.
    stack: Vec<Rated<M>>,
    /// The best line from each ply of the path.
    lines: Vec<Vec<Action<M>>>,
    /// How often the depth has cut off a line.
    horizons: u64,
    /// Whether a position that is not over was judged to be as good as won: then such a value proves nothing.
    optimistic: bool,
    statistics: Statistics,
}

impl<M> Default for Memory<M> {
    fn default() -> Memory<M> {
        Memory {
            table: TranspositionTable::new(0),
            killers: Killers::default(),
            history: History::default(),
            moves: Vec::new(),
            stack: Vec::new(),
            lines: Vec::new(),
            horizons: 0,
            optimistic: false,
            statistics: Statistics::default(),
        }
    }
}

impl<M> Memory<M> {
    pub(crate) fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Forgets everything, so that a decision does not depend on the one before.
    fn begin(&mut self, parts: &Parts) {
        self.table.resize(parts.table);
        self.killers.clear();
        self.history.clear();
        self.horizons = 0;
        self.optimistic = false;
        self.statistics = Statistics::default();
    }
}

impl<M: Copy> Memory<M> {
    /// The best line from a ply is this action and the best line after it.
    fn extend_line(&mut self, ply: u32, action: Action<M>) {
        let (before, after) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut before[ply as usize];
        line.clear();
        line.push(action);
        line.extend_from_slice(&after[0]);
    }
}

/// What to search for, and how.
pub(crate) struct Plan<'a, E, O, V> {
    pub(crate) evaluator: &'a E,
    pub(crate) order: &'a O,
    pub(crate) view: V,
    pub(crate) score: ScoreForm,
    pub(crate) parts: &'a Parts,
}

impl<E, O, V> Plan<'_, E, O, V> {
    /// Chooses a move by iterative deepening.
    pub(crate) fn decide<G: Game>(
        &self,
        memory: &mut Memory<G::Move>,
        game: &G,
        budget: &Budget,
        watch: &mut dyn FnMut(&Decision<G::Move>),
    ) -> Decision<G::Move>
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
        V: View<G>,
    {
        let mut meter = Meter::new(budget);
        memory.begin(self.parts);
        let mut position = game.clone();
        let terms = Terms::new(self, game);
        let moves = Search { plan: self, memory: &mut *memory, meter: &mut meter, terms }.root_moves(&mut position);
        let mut queue: Vec<usize> = (0..moves.len()).collect();
        let first = moves[0].m.expect("the root player moves");
        deepen(budget, &mut meter, first, watch, |depth, meter, partial| {
            let horizons = memory.horizons;
            let mut search = Search { plan: self, memory: &mut *memory, meter, terms };
            let value = search.iterate(&mut position, &moves, &mut queue, depth, partial)?;
            let line = &memory.lines[0];
            let scores = self.end_of_line(&mut position, Level::Max, line);
            debug_assert_eq!(self.score.value(&scores, terms.root), value, "the line belongs to the value");
            Ok(Iteration {
                pv: playable(game, line),
                value: value as f64,
                scores: Some(scores.map(f64::from)),
                is_final: (value >= terms.won && !memory.optimistic) || memory.horizons == horizons,
            })
        })
    }

    /// The scores at the end of a line.
    fn end_of_line<G: Game>(&self, game: &mut G, level: Level, line: &[Action<G::Move>]) -> ByPlayer<Score>
    where
        E: Evaluator<G>,
        V: View<G>,
    {
        if let Some(payoff) = game.payoff() {
            return self.evaluator.terminal(game, &payoff);
        }
        if self.view.is_over(game, level) {
            return self.evaluator.evaluate(game);
        }
        self.view.prepare(game, level, |game| match line.split_first() {
            None => self.evaluator.evaluate(game),
            Some((&action, rest)) => {
                self.view.visit(game, level, action, |child, level| self.end_of_line(child, level, rest))
            }
        })
    }
}

/// The beginning of a line that can be played in turn: all of it, unless somebody passes or moves out of turn.
fn playable<G: Game>(game: &G, line: &[Action<G::Move>]) -> Vec<G::Move> {
    let mut game = game.clone();
    let mut moves = Vec::new();
    for action in line {
        let Some(m) = action.m.filter(|_| action.player == game.turn()) else { break };
        moves.push(m);
        game.play(m);
    }
    moves
}

/// What does not change during a decision.
#[derive(Clone, Copy)]
struct Terms {
    root: Player,
    stance: Option<Stance>,
    width: usize,
    /// What makes keys of positions keys of nodes, one for each level.
    salts: [u64; 3],
    /// The least and the most that the root player's value can be.
    least: i64,
    most: i64,
    /// What a sole win is worth.
    won: i64,
}

impl Terms {
    fn new<G: Game, E: Evaluator<G>, O, V>(plan: &Plan<'_, E, O, V>, game: &G) -> Terms {
        let root = game.turn();
        let bounds = plan.evaluator.bounds(game);
        let (mut worst, mut best) = (bounds.min, bounds.min);
        best[root] = bounds.max(root);
        // At worst another player has all that is open; it does not matter which.
        let other = root.next(game.player_count());
        worst[other] = bounds.max(other);
        let stance = plan.parts.order.stance(Stance::Against(root), root);
        // A table serves one decision; that it could serve more costs nothing.
        let what = mix(root.index() as u64 + 8 * plan.score as u64);
        Terms {
            root,
            stance,
            width: plan.parts.width.unwrap_or(usize::MAX).max(1),
            salts: [1, 2, 3].map(|level| mix(what ^ level)),
            least: plan.score.value(&worst, root),
            most: plan.score.value(&best, root),
            won: plan.score.value(&plan.evaluator.win(game, root), root),
        }
    }
}

/// One iteration.
struct Search<'a, 'p, G: Game, E, O, V> {
    plan: &'a Plan<'p, E, O, V>,
    memory: &'a mut Memory<G::Move>,
    meter: &'a mut Meter,
    terms: Terms,
}

/// Where a node is, and what is asked of it: its value, if that lies between `alpha` and `beta` (as the root player
/// sees it), otherwise only that it does not.
#[derive(Clone, Copy)]
struct Frame {
    level: Level,
    ply: u32,
    depth: u32,
    alpha: i64,
    beta: i64,
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>, V: View<G>> Search<'_, '_, G, E, O, V> {
    /// The root player's moves in the static order.
    fn root_moves(&mut self, game: &mut G) -> Vec<Action<G::Move>> {
        self.memory.stack.clear();
        self.list(game, Level::Max, 0);
        self.memory.stack.sort_unstable_by_key(|rated| (Reverse(rated.rate), rated.index));
        self.memory.stack.drain(..).map(|rated| rated.action).collect()
    }

    /// Searches all moves of the root to a depth. `queue` has their numbers in the order in which they are searched,
    /// and takes the best to the front. Leaves the principal variation in the first line.
    fn iterate(
        &mut self,
        game: &mut G,
        moves: &[Action<G::Move>],
        queue: &mut [usize],
        depth: u32,
        partial: &mut Option<G::Move>,
    ) -> Result<i64, OutOfBudget> {
        self.memory.stack.clear();
        if self.memory.lines.len() <= depth as usize {
            self.memory.lines.resize(depth as usize + 1, Vec::new());
        }
        let mut best = -INFINITY;
        let mut chosen = usize::MAX;
        for at in 0..queue.len() {
            let number = queue[at];
            // Ties: an earlier move of the static order need only be as good, a later one must be better.
            let alpha = if number < chosen { best - 1 } else { best };
            // Immediate pruning.
            if alpha >= self.terms.most {
                continue;
            }
            self.meter.tick()?;
            let action = moves[number];
            let value = self.plan.view.visit(game, Level::Max, action, |child, level| {
                let frame = Frame { level, ply: 1, depth: depth - 1, alpha, beta: INFINITY };
                // Principal variation search: the first move sets the mark, the others are asked whether they pass it.
                if at > 0 {
                    let value = self.search(child, Frame { beta: alpha + 1, ..frame })?;
                    if value <= alpha {
                        return Ok(value);
                    }
                }
                self.search(child, frame)
            })?;
            if value > alpha {
                (best, chosen) = (value, number);
                *partial = action.m;
                self.memory.extend_line(0, action);
                queue[..=at].rotate_right(1);
            }
        }
        Ok(best)
    }

    /// The value of a position that somebody has moved to.
    fn search(&mut self, game: &mut G, frame: Frame) -> Result<i64, OutOfBudget> {
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
                let value = self.evaluate(game);
                self.memory.optimistic |= value >= self.terms.won;
                return Ok(value);
            }
            let max = frame.level == Level::Max;
            let (low, high) = if max { (frame.alpha, frame.beta) } else { (-frame.beta, -frame.alpha) };
            let value = self.node(game, frame, low, high)?;
            Ok(if max { value } else { -value })
        })
    }

    #[inline]
    fn evaluate(&self, game: &G) -> i64 {
        let evaluator = self.plan.evaluator;
        match self.plan.score {
            ScoreForm::Own => i64::from(evaluator.evaluate_for(game, self.terms.root)),
            form => form.value(&evaluator.evaluate(game), self.terms.root),
        }
    }

    /// The value of an inner node as the side to move sees it, if it lies between `low` and `high`; a bound of it
    /// otherwise.
    ///
    /// Long, because it is the whole of what happens at a node, in order.
    fn node(&mut self, game: &mut G, frame: Frame, mut low: i64, high: i64) -> Result<i64, OutOfBudget> {
        let Frame { level, ply, depth, .. } = frame;
        let open = high - low > 1;

        // Transposition table.
        let tabled = self.memory.table.is_on() && !game.history_matters();
        let mut key = 0;
        let mut known = 0;
        if tabled {
            key = game.key() ^ self.terms.salts[level as usize];
            let answer;
            (answer, known) = self.recall(key, depth, low, high);
            if let Some(value) = answer {
                return Ok(value);
            }
        }

        let start = self.memory.stack.len();
        self.list(game, level, start);
        let end = self.memory.stack.len();
        if start == end {
            return Ok(if level == Level::Max { self.evaluate(game) } else { -self.evaluate(game) });
        }
        self.rank(start, ply, known);

        let max = level == Level::Max;
        let most = if max { self.terms.most } else { -self.terms.least };
        let (floor, horizons) = (low, self.memory.horizons);
        let (mut best, mut best_code) = (-INFINITY, 0);
        for at in start..end {
            let Rated { action, code, .. } = self.pick(start, at, end);
            self.meter.tick()?;
            let value = self.plan.view.visit(game, level, action, |child, level| {
                let mut ask = |low: i64, high: i64| -> Result<i64, OutOfBudget> {
                    let (alpha, beta) = if max { (low, high) } else { (-high, -low) };
                    let value = self.search(child, Frame { level, ply: ply + 1, depth: depth - 1, alpha, beta })?;
                    Ok(if max { value } else { -value })
                };
                // Principal variation search.
                if at > start && open {
                    let value = ask(low, low + 1)?;
                    if value <= low || value >= high {
                        return Ok(value);
                    }
                }
                ask(low, high)
            })?;
            if value <= best {
                continue;
            }
            (best, best_code) = (value, code);
            if value <= low {
                continue;
            }
            low = value;
            // Alpha-beta pruning.
            if value >= high {
                self.reward(action, code, ply, depth);
                self.memory.statistics.cut_nodes += 1;
                self.memory.statistics.cut_moves += (at - start + 1) as u64;
                break;
            }
            self.memory.extend_line(ply, action);
            // Immediate pruning.
            if value >= most {
                break;
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
            self.memory.table.store(key, depth, (best, best_code, marks));
        }
        Ok(best)
    }

    /// What the table knows of a node: its value, if that settles what is asked, and the code of the best move.
    #[inline]
    fn recall(&mut self, key: u64, depth: u32, low: i64, high: i64) -> (Option<i64>, u32) {
        let mut best = 0;
        for (found_depth, (value, code, marks)) in self.memory.table.probe(key) {
            if best == 0 {
                best = code;
            }
            let complete = marks & COMPLETE != 0;
            let deep = found_depth == depth || (complete && found_depth < depth);
            let settles = (marks & LOWER != 0 && value >= high) || (marks & UPPER != 0 && value <= low);
            // A value within the window belongs to the principal variation, and then the line is wanted too.
            if deep && settles {
                self.memory.horizons += u64::from(!complete);
                self.memory.statistics.table_cuts += 1;
                return (Some(value), code);
            }
        }
        (None, best)
    }

    /// Lists what may be played, onto the stack.
    #[inline]
    fn list(&mut self, game: &mut G, level: Level, start: usize) {
        let Terms { stance, width, .. } = self.terms;
        let Memory { moves, stack, .. } = &mut *self.memory;
        self.plan.view.list(game, level, &mut List { order: self.plan.order, stance, width, moves, stack, start });
    }

    /// Gives the actions of a node their places: the table's move, killers, the static rating, history.
    #[inline]
    fn rank(&mut self, start: usize, ply: u32, known: u32) {
        let Parts { killers, history, .. } = *self.plan.parts;
        let actions = &mut self.memory.stack[start..];
        if actions.len() == 1 {
            return;
        }
        let [first, second] = if killers { self.memory.killers.at(ply) } else { [0, 0] };
        for rated in actions {
            let Action { m, player, special } = rated.action;
            let code = code(player, &m);
            rated.code = code;
            let favour: u64 = match code {
                _ if code == known => 3,
                _ if special => 0,
                _ if code == first => 2,
                _ if code == second => 1,
                _ => 0,
            };
            let rate = (rated.rate as u32 ^ 1 << 31) as u64;
            let tally = if history && !special { self.memory.history.at(code).min((1 << 30) - 1) } else { 0 };
            rated.rank = favour << 62 | rate << 30 | u64::from(tally);
        }
    }

    /// Moves the best of the actions from `at` to `end` to `at`. A cut needs one action or two; if it has not come by then,
    /// the rest is sorted at once.
    #[inline]
    fn pick(&mut self, start: usize, at: usize, end: usize) -> Rated<G::Move> {
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

    /// Remembers a move that made a cut. Special moves are the static ordering's alone.
    #[inline]
    fn reward(&mut self, action: Action<G::Move>, code: u32, ply: u32, depth: u32) {
        if action.special || code == 0 {
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
