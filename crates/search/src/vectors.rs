//! Search without pruning, where the value of a node is a list of numbers that a [`Rule`] makes of those of its children.
//!
//! [Max^n](crate::maxn) passes one of its leaves up, and can prune. Rules that mix what they find cannot: the value of a node is
//! then no leaf's, so no bound on leaves says where it ends up. What is left is the table, threads and deepening. They are here once
//! for all such rules, which are free of game types, so that a game has this search compiled once.
//!
//! The table keeps exact values only, of searches exactly as deep. It does not know lines. If it answers on the principal
//! variation, the rest of that line is searched again, child by child, when the iteration is over.

use std::array;

use crate::recording::{Found, Kind, Reason, Recorder, Step, Why};
use crate::threads::{HELPED_DEPTH, Searched, id, together};
use crate::{
    Budget, ByPlayer, Decision, Dice, Equals, Evaluator, Game, Iteration, Line, MAX_PLAYERS, Meter, MoveOrder,
    OutOfBudget, Parts, Player, Stance, TranspositionTable, chances, code, deepen,
};

/// What is made of the values of children.
pub(crate) trait Rule: Sync {
    /// Appends the value of a leaf to `out`.
    fn leaf(&self, scores: &ByPlayer<f64>, out: &mut Vec<f64>);

    /// Appends the value of a node to `out`, given those of its children from left to right, of which there is at least one. Returns
    /// the number of the child that is expected to be played. At the root the value is that of the decision.
    fn combine(&self, mover: Player, is_root: bool, children: &Children<'_>, out: &mut Vec<f64>) -> usize;

    /// What a value is to each player.
    fn scores(&self, value: &[f64]) -> ByPlayer<f64>;
}

/// The values of a node's children, from left to right.
pub(crate) struct Children<'a> {
    values: &'a [f64],
    spans: &'a [Span],
}

impl<'a> Children<'a> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The value of a child.
    pub(crate) fn value(&self, at: usize) -> &'a [f64] {
        let Span { value: (from, to), .. } = self.spans[at];
        &self.values[from..to]
    }
}

/// What leaves are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Scores as evaluated.
    Scores,
    /// Each player's share of the win: its [chances](crate::chances), or, where the evaluation has none, what it makes of the end of
    /// a playout.
    Shares,
}

/// Where the numbers and the line of a child are on their stacks; empty if the child has not been searched.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    value: (usize, usize),
    line: (usize, usize),
}

impl Span {
    fn is_searched(&self) -> bool {
        self.value.0 < self.value.1
    }
}

/// The words of a table entry: the numbers, how many they are, and whether a line was cut off by the depth. Values of more numbers
/// are not kept.
const WORDS: usize = MAX_PLAYERS + 1;

/// What [threads](crate::threads) share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    table: TranspositionTable<WORDS>,
    searched: Searched,
}

impl Shared {
    pub(crate) fn new() -> Shared {
        Shared { table: TranspositionTable::new(0), searched: Searched::alone() }
    }
}

/// A search.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a, E, O> {
    pub(crate) evaluator: &'a E,
    pub(crate) order: &'a O,
    pub(crate) rule: &'a dyn Rule,
    pub(crate) leaves: Leaves,
    /// The static ordering; `None` to leave moves as listed.
    pub(crate) stance: Option<Stance>,
    pub(crate) parts: &'a Parts,
    pub(crate) dice: Dice,
}

impl<E, O> Plan<'_, E, O> {
    /// Chooses a move by iterative deepening, and records that if there is a recorder.
    // It is compiled for every game.
    #[inline(never)]
    pub(crate) fn decide<G: Game>(
        &self,
        shared: &mut Shared,
        game: &G,
        budget: &Budget,
        watch: &mut dyn FnMut(&Decision<G::Move>),
        mut recorder: Option<&mut Recorder<G::Move>>,
    ) -> Decision<G::Move>
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
    {
        let Plan { parts, .. } = *self;
        let threads = if recorder.is_some() { 1 } else { parts.helpful_threads() };
        shared.table.resize(parts.table);
        if threads > 1 {
            shared.table.clear_to_share();
        }
        let mut helpers = vec![(); threads - 1];
        let mut meter = Meter::counting(parts.count, budget);
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let first = self.stance.map_or(moves[0], |stance| self.order.first(game, stance, &moves));
        moves.clear();
        game.distinct(&mut moves);
        let choices = moves.len().min(parts.width.unwrap_or(usize::MAX).max(1));
        let mut previous = None;
        deepen(budget, &mut meter, first, parts.partial, watch, |depth, meter, partial| {
            let mut iterate = |meter: &mut Meter, left_out: &[G::Move], recorder: Option<&mut Recorder<G::Move>>| {
                shared.searched.clear(threads);
                let helpers = if depth < HELPED_DEPTH { &mut [] } else { &mut helpers[..] };
                let shared = &*shared;
                let help = |_: &mut (), meter: &mut Meter| {
                    // What it finds is in the table; whether it got to the end does not matter.
                    let _ = Search::new(self, shared, meter, None, left_out).run(&mut game.clone(), depth);
                };
                together(meter, helpers, help, |meter| {
                    let mut search = Search::new(self, shared, meter, recorder, left_out);
                    let end = search.run(&mut game.clone(), depth);
                    let found = search.found(game, previous.filter(|_| left_out.is_empty()));
                    (found, search.horizon, end)
                })
            };
            let (found, met_horizon, end) = iterate(meter, &[], recorder.as_deref_mut());
            let found = found.map(|line| {
                let is_final = !met_horizon || self.is_won(game, &line);
                Iteration { line, is_final, others: Vec::new() }
            });
            if let Err(error) = end {
                *partial = found;
                return Err(error);
            }
            // The best few moves: the root is searched again without those that are already known, which is not recorded.
            let found = found.expect("the root player has a move");
            let found = found.with_others(parts.lines.min(choices), partial, |known| {
                let (other, _, end) = iterate(meter, known, None);
                end.map(|()| other.expect("there is a move left"))
            })?;
            previous = Some(found.line.pv[0]);
            Ok(found)
        })
    }

    /// The value of a position that is not over, searched to a depth without limits.
    pub(crate) fn value<G: Game>(&self, shared: &mut Shared, game: &G, depth: u32) -> Vec<f64>
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
    {
        shared.table.resize(self.parts.table);
        let mut meter = Meter::new(&Budget::default());
        let mut search = Search::new(self, shared, &mut meter, None, &[]);
        search.node(&mut game.clone(), depth.max(1), false, None).expect("there is no limit");
        search.values
    }

    /// The same of any position.
    pub(crate) fn value_of<G: Game>(&self, shared: &mut Shared, game: &G, depth: u32) -> Vec<f64>
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
    {
        let payoff = game.payoff();
        if depth > 0 && payoff.is_none() {
            return self.value(shared, game, depth);
        }
        let mut value = Vec::new();
        self.rule.leaf(&self.judge(game, payoff), &mut value);
        value
    }

    /// The numbers of a position as it stands, with its payoff if it is over.
    fn judge<G: Game>(&self, game: &G, payoff: Option<ByPlayer<f32>>) -> ByPlayer<f64>
    where
        E: Evaluator<G>,
    {
        match (self.leaves, payoff) {
            (Leaves::Scores, Some(payoff)) => self.evaluator.terminal(game, &payoff).map(f64::from),
            (Leaves::Scores, None) => self.evaluator.evaluate(game).map(f64::from),
            (Leaves::Shares, Some(payoff)) => payoff.map(f64::from),
            (Leaves::Shares, None) => {
                self.evaluator.chances(game).unwrap_or_else(|| self.evaluator.shares(game).map(f64::from))
            }
        }
    }

    /// Whether the root player wins by its own moves alone, so that no deeper search finds anything better.
    fn is_won<G: Game>(&self, game: &G, line: &Line<G::Move>) -> bool
    where
        E: Evaluator<G>,
    {
        let root = game.turn();
        let win = match self.leaves {
            Leaves::Scores => f64::from(self.evaluator.win(game, root)[root]),
            Leaves::Shares => 1.0,
        };
        if line.value.is_none_or(|value| value < win) {
            return false;
        }
        let mut game = game.clone();
        for &m in &line.pv {
            if game.turn() != root {
                return false;
            }
            game.play(m);
        }
        game.payoff().is_some_and(|payoff| payoff[root] == 1.0)
    }
}

/// One iteration of the search. Values and lines of nodes are left at the end of stacks.
struct Search<'a, 'p, G: Game, E, O> {
    plan: &'a Plan<'p, E, O>,
    shared: &'a Shared,
    meter: &'a mut Meter,
    recorder: Option<&'a mut Recorder<G::Move>>,
    /// Moves of the root that are not searched, but never all of them.
    left_out: &'a [G::Move],
    /// The moves of all nodes on the path, and what their children have.
    moves: Vec<G::Move>,
    spans: Vec<Span>,
    values: Vec<f64>,
    lines: Vec<G::Move>,
    /// The children of all nodes on the path that other threads were searching, so that they were put off.
    late: Vec<u32>,
    /// Buffers.
    rated: Vec<(i64, G::Move)>,
    value: Vec<f64>,
    line: Vec<G::Move>,
    /// Whether the depth cut off a line.
    horizon: bool,
    /// The number of the root's moves.
    choices: usize,
    /// The lengths of the root's value and of its line as far as that is known; `None` until it is searched.
    whole: Option<(usize, usize)>,
    /// Positions visited.
    visits: u64,
}

impl<'a, 'p, G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'a, 'p, G, E, O> {
    fn new(
        plan: &'a Plan<'p, E, O>,
        shared: &'a Shared,
        meter: &'a mut Meter,
        recorder: Option<&'a mut Recorder<G::Move>>,
        left_out: &'a [G::Move],
    ) -> Self {
        Search {
            plan,
            shared,
            meter,
            recorder,
            left_out,
            moves: Vec::new(),
            spans: Vec::new(),
            values: Vec::new(),
            lines: Vec::new(),
            late: Vec::new(),
            rated: Vec::new(),
            value: Vec::new(),
            line: Vec::new(),
            horizon: false,
            choices: 0,
            whole: None,
            visits: 0,
        }
    }

    /// Searches a position that is not over. Called once.
    fn run(&mut self, game: &mut G, depth: u32) -> Result<(), OutOfBudget> {
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(Kind::Own, game.turn(), depth);
        }
        self.node(game, depth, true, None)?;
        let values = self.values.len();
        if let Some(recorder) = &mut self.recorder {
            recorder.end(Found::Means(self.plan.rule.scores(&self.values)));
        }
        // The rest of the line, where the table answered.
        let recorder = self.recorder.take();
        let (visits, horizon) = (self.visits, self.horizon);
        let mut end = game.clone();
        let mut played = 0;
        let result = loop {
            self.lines[played..].iter().for_each(|&m| end.play(m));
            played = self.lines.len();
            self.whole = Some((values, played));
            let plies = depth - played as u32;
            if plies == 0 || end.payoff().is_some() {
                break Ok(());
            }
            if let Err(error) = self.node(&mut end, plies, false, None) {
                break Err(error);
            }
            self.values.truncate(values);
        };
        self.horizon = horizon;
        self.recorder = recorder;
        if let Some(recorder) = &mut self.recorder {
            recorder.revisit(self.visits - visits);
        }
        result
    }

    /// What was found of the root, or, if the budget ended the search, of the moves that have been searched, provided that
    /// `previous` is one of them.
    fn found(&mut self, game: &G, previous: Option<G::Move>) -> Option<Line<G::Move>> {
        if let Some((values, lines)) = self.whole {
            self.values.truncate(values);
            self.lines.truncate(lines);
        } else {
            // What the search left behind when it ended: the root's moves are the first on their stack.
            let mut count = 0;
            for at in 0..self.choices {
                if self.spans[at].is_searched() {
                    self.spans[count] = self.spans[at];
                    self.moves[count] = self.moves[at];
                    count += 1;
                }
            }
            if count == 0 || previous.is_some_and(|m| !self.moves[..count].contains(&m)) {
                return None;
            }
            self.finish((game.turn(), true), (0, 0, 0, 0), count);
        }
        let scores = self.plan.rule.scores(&self.values);
        let mut leaf = game.clone();
        self.lines.iter().for_each(|&m| leaf.play(m));
        let chances = match self.plan.leaves {
            Leaves::Scores => chances::in_position(self.plan.evaluator, &leaf),
            Leaves::Shares => Some(scores),
        };
        Some(Line { value: Some(scores[game.turn()]), scores: Some(scores), chances, pv: self.lines.clone() })
    }

    /// Visits a node below the root.
    fn visit(&mut self, game: &mut G, plies: u32) -> Result<(), OutOfBudget> {
        self.meter.tick()?;
        self.visits += 1;
        let payoff = game.payoff();
        if plies == 0 || payoff.is_some() {
            self.horizon |= payoff.is_none();
            self.plan.rule.leaf(&self.plan.judge(game, payoff), &mut self.values);
            return Ok(());
        }
        let key = (self.shared.table.is_on() && !game.history_matters()).then(|| game.key());
        if let Some(words) = key.and_then(|key| self.known(key, plies)) {
            self.recall(words);
            if self.recorder.is_some() {
                self.record_table(game);
            }
            return Ok(());
        }
        self.node(game, plies, false, key)
    }

    /// Searches a node that has children, and leaves its value and line at the end of their stacks; the value is stored under the
    /// key, if there is one.
    fn node(&mut self, game: &mut G, plies: u32, is_root: bool, key: Option<u64>) -> Result<(), OutOfBudget> {
        if let Some(recorder) = &mut self.recorder {
            recorder.expand(Kind::Own, Some(game.turn()));
        }
        if !is_root {
            self.meter.expand()?;
        }
        let (moves, spans, late) = (self.moves.len(), self.spans.len(), self.late.len());
        let start = (moves, spans, self.values.len(), self.lines.len());
        self.list_moves(game, is_root);
        let count = self.moves.len() - moves;
        if is_root {
            self.choices = count;
        }
        self.spans.resize(spans + count, Span::default());
        let before = std::mem::take(&mut self.horizon);
        let is_divided = self.shared.searched.divides(plies);
        let divided = if is_divided && is_root { Some(game.key()) } else { key.filter(|_| is_divided) };
        let (mut right, mut next) = (0, late);
        loop {
            let is_late = right == count;
            let at = if !is_late {
                right += 1;
                right - 1
            } else if let Some(&at) = self.late.get(next) {
                next += 1;
                at as usize
            } else {
                break;
            };
            let m = self.moves[moves + at];
            let noted = divided.filter(|_| at > 0).map(|key| id(key, plies, code(game.turn(), &m)));
            if let Some(id) = noted {
                if !is_late && self.shared.searched.contains(id) {
                    self.late.push(at as u32);
                    continue;
                }
                // Another thread may have finished this node.
                if let Some(words) = key.and_then(|key| self.known(key, plies)) {
                    self.moves.truncate(moves);
                    self.spans.truncate(spans);
                    self.values.truncate(start.2);
                    self.lines.truncate(start.3);
                    self.late.truncate(late);
                    self.horizon |= before;
                    self.recall(words);
                    return Ok(());
                }
                self.shared.searched.begin(id);
            }
            let (value, line) = (self.values.len(), self.lines.len());
            self.child(game, m, plies - 1)?;
            if let Some(id) = noted {
                self.shared.searched.end(id);
            }
            self.spans[spans + at] = Span { value: (value, self.values.len()), line: (line, self.lines.len()) };
        }
        let chosen = self.finish((game.turn(), is_root), start, count);
        if let Some(recorder) = &mut self.recorder {
            recorder.choose_child(chosen);
        }
        if let Some(key) = key {
            self.store(key, plies, start.2);
        }
        self.horizon |= before;
        self.late.truncate(late);
        Ok(())
    }

    /// Replaces the values and lines of so many children by those of their node. Takes where its moves, spans, values and lines
    /// begin, and returns the number of the child that is expected to be played.
    fn finish(&mut self, (mover, is_root): (Player, bool), start: (usize, usize, usize, usize), count: usize) -> usize {
        let (moves, spans, values, lines) = start;
        let children = Children { values: &self.values, spans: &self.spans[spans..spans + count] };
        self.value.clear();
        let chosen = self.plan.rule.combine(mover, is_root, &children, &mut self.value);
        let (from, to) = self.spans[spans + chosen].line;
        self.line.clear();
        self.line.push(self.moves[moves + chosen]);
        self.line.extend_from_slice(&self.lines[from..to]);
        self.values.truncate(values);
        self.values.extend_from_slice(&self.value);
        self.lines.truncate(lines);
        self.lines.extend_from_slice(&self.line);
        self.moves.truncate(moves);
        self.spans.truncate(spans);
        chosen
    }

    #[inline]
    fn child(&mut self, game: &mut G, m: G::Move, plies: u32) -> Result<(), OutOfBudget> {
        if self.recorder.is_some() {
            return self.recorded_child(game, m, plies);
        }
        game.visit(m, |child| self.visit(child, plies))
    }

    #[cold]
    #[inline(never)]
    fn recorded_child(&mut self, game: &mut G, m: G::Move, plies: u32) -> Result<(), OutOfBudget> {
        if let Some(recorder) = &mut self.recorder {
            recorder.step(Step { player: game.turn(), m: Some(m) });
            recorder.enter(plies, None);
        }
        let from = self.values.len();
        game.visit(m, |child| self.visit(child, plies))?;
        let found = Found::Means(self.plan.rule.scores(&self.values[from..]));
        if let Some(recorder) = &mut self.recorder {
            recorder.leave(found);
        }
        Ok(())
    }

    /// Records that the table answers, so that none of the moves is searched.
    #[cold]
    #[inline(never)]
    fn record_table(&mut self, game: &G) {
        let first = self.moves.len();
        self.list_moves(game, false);
        let skipped = self.moves.drain(first..).map(|m| Step { player: game.turn(), m: Some(m) });
        if let Some(recorder) = &mut self.recorder {
            recorder.expand(Kind::Own, Some(game.turn()));
            recorder.cut(Reason::Table, Why::Table, skipped);
        }
    }

    /// Appends the moves to search, in order.
    fn list_moves(&mut self, game: &G, is_root: bool) {
        let Plan { order, stance, parts, dice, .. } = self.plan;
        let first = self.moves.len();
        game.distinct(&mut self.moves);
        let moves = &mut self.moves[first..];
        let width = parts.width.map_or(moves.len(), |width| width.clamp(1, moves.len()));
        if let Some(stance) = *stance {
            // `MoveOrder::sort` without allocations.
            self.rated.clear();
            self.rated.extend(
                moves
                    .iter()
                    .zip(0..)
                    .map(|(&m, at): (_, i64)| ((!i64::from(order.rate(game, stance, m)) << 32) + at, m)),
            );
            self.rated.sort_unstable_by_key(|&(rank, _)| rank);
            self.rated.iter().zip(moves).for_each(|(&(_, m), place)| *place = m);
        }
        self.moves.truncate(first + width);
        if is_root {
            if parts.equals == Equals::Random {
                dice.rng().shuffle(&mut self.moves);
            }
            self.moves.retain(|m| !self.left_out.contains(m));
        }
    }

    /// What the table knows of a node.
    fn known(&self, key: u64, plies: u32) -> Option<[u64; WORDS]> {
        self.shared.table.probe(key).find(|&(depth, _)| depth == plies).map(|(_, words)| words)
    }

    /// Leaves a value that the table knows at the end of the stack, with an empty line.
    fn recall(&mut self, words: [u64; WORDS]) {
        let (count, horizon) = ((words[WORDS - 1] >> 1) as usize, words[WORDS - 1] & 1 != 0);
        self.values.extend(words[..count].iter().map(|&word| f64::from_bits(word)));
        self.horizon |= horizon;
    }

    /// Stores the value from here on to the end of the stack, if it is short enough.
    fn store(&mut self, key: u64, plies: u32, from: usize) {
        let value = &self.values[from..];
        if value.len() < WORDS {
            let mut words: [u64; WORDS] = array::from_fn(|at| value.get(at).map_or(0, |number| number.to_bits()));
            words[WORDS - 1] = (value.len() as u64) << 1 | u64::from(self.horizon);
            self.shared.table.store(key, plies, words);
        }
    }
}

/// Two worths of which neither is better: values within this are equal.
pub(crate) const EQUAL: f64 = 1e-9;
