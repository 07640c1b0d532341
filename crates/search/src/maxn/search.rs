//! One iteration of the search.

use std::{array, mem};

use super::path::Path;
use super::{Entry, Maxn, MaxnSettings, Pruning, Shared, Ties, WORDS};
use crate::recording::{self, Kind, Reason, Recorder, Step, Why};
use crate::threads::id;
use crate::{ByPlayer, Equals, Evaluator, Game, MAX_PLAYERS, Meter, MoveOrder, OutOfBudget, Score, Stance, code};

/// An entry as the table keeps it.
#[inline]
fn packed((scores, horizon): Entry) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for (word, pair) in words.iter_mut().zip(scores.chunks(2)) {
        *word = pair.iter().rev().fold(0, |word, &score| word << 32 | u64::from(score as u32));
    }
    words[WORDS - 1] = u64::from(horizon);
    words
}

#[inline]
fn unpacked(words: [u64; WORDS]) -> Entry {
    (array::from_fn(|at| (words[at / 2] >> (at % 2 * 32)) as Score), words[WORDS - 1] != 0)
}

/// What the search of a node finds.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// The max^n value of the node, whatever lies above it.
    Exact(ByPlayer<Score>),
    /// The node is dead up to this depth: the value of the node of the path there does not come from it.
    Dead(usize),
}

/// A child whose value is not known, dead up to somewhere above its parent.
#[derive(Clone, Copy, Debug)]
struct Queued {
    at: u32,
    head: usize,
}

/// What is the same for all children of a node.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The node's depth.
    depth: usize,
    /// Remaining plies.
    plies: u32,
    /// Nodes of the path above this depth do not count.
    floor: usize,
    /// Where the node's moves begin.
    moves: usize,
    /// Where the node's queue begins.
    queue: usize,
    /// Where the children begin that are put off.
    late: usize,
    /// The node's key, if threads divide its children among them.
    divided: Option<u64>,
}

/// One iteration of the search.
pub(super) struct Search<'a, G: Game, E, O> {
    maxn: &'a Maxn<E, O>,
    shared: &'a Shared,
    meter: &'a mut Meter,
    stance: Option<Stance>,
    path: Path,
    /// The moves of all nodes on the path.
    moves: Vec<G::Move>,
    /// The queues of all nodes on the path.
    queue: Vec<Queued>,
    /// The children of all nodes on the path that other threads were searching, so that they were put off.
    late: Vec<u32>,
    /// For each depth the line from the node searched last to the leaf whose value it has.
    lines: Vec<Vec<G::Move>>,
    /// A buffer for sorting moves.
    rated: Vec<(i64, G::Move)>,
    /// Whether the depth cut off a line.
    horizon: bool,
    /// The value of the root, when it is known.
    value: Option<ByPlayer<Score>>,
    /// Takes down the search, if it is to be explained.
    recorder: Option<&'a mut Recorder<G::Move>>,
    /// Moves of the root that are not searched, but never all of them.
    left_out: &'a [G::Move],
    /// Moves of the root that have been searched.
    done: Vec<G::Move>,
}

impl<'a, G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'a, G, E, O> {
    pub(super) fn new(
        maxn: &'a Maxn<E, O>,
        game: &G,
        shared: &'a Shared,
        meter: &'a mut Meter,
        recorder: Option<&'a mut Recorder<G::Move>>,
        left_out: &'a [G::Move],
    ) -> Self {
        let MaxnSettings { pruning, ties, score, mu, parts, .. } = &maxn.settings;
        let victim = (*ties == Ties::Cautious).then(|| game.turn());
        Search {
            maxn,
            shared,
            meter,
            stance: parts.stance(Stance::Own, game.turn()),
            path: Path::new(game.player_count(), *pruning, *score, victim, *mu),
            moves: Vec::new(),
            queue: Vec::new(),
            late: Vec::new(),
            lines: Vec::new(),
            rated: Vec::new(),
            horizon: false,
            value: None,
            recorder,
            left_out,
            done: Vec::new(),
        }
    }

    /// Searches a position that is not over. Called once.
    pub(super) fn run(&mut self, game: &mut G, depth: u32) -> Result<(), OutOfBudget> {
        self.lines.resize(depth as usize + 1, Vec::new());
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(Kind::Own, game.turn(), depth);
        }
        match self.node(game, depth, 0, None)? {
            Found::Exact(scores) => self.value = Some(scores),
            Found::Dead(_) => unreachable!("there is nothing above the root"),
        }
        if let (Some(recorder), Some(scores)) = (&mut self.recorder, self.value) {
            recorder.end(recording::Found::Scores(scores));
        }
        Ok(())
    }

    /// The value of the root, or, if the budget ended the search, the best so far, provided that the move `previous` has been
    /// searched.
    pub(super) fn found(&self, previous: Option<G::Move>) -> Option<ByPlayer<Score>> {
        // What the search left behind when it ended: the path to the last node.
        self.value.or_else(|| self.path.root().filter(|_| previous.is_none_or(|m| self.done.contains(&m))))
    }

    /// The line to the best leaf so far.
    pub(super) fn line(&self) -> &[G::Move] {
        self.lines.first().map_or(&[], |line| line)
    }

    /// Whether a line was cut off by the depth.
    pub(super) fn met_horizon(&self) -> bool {
        self.horizon
    }

    /// Visits a node below the root.
    fn visit(&mut self, game: &mut G, plies: u32, floor: usize) -> Result<Found, OutOfBudget> {
        self.meter.tick()?;
        self.lines[self.path.len()].clear();
        if let Some(payoff) = game.payoff() {
            return Ok(Found::Exact(self.maxn.evaluator.terminal(game, &payoff)));
        }
        if plies == 0 {
            self.horizon = true;
            return Ok(Found::Exact(self.maxn.evaluator.evaluate(game)));
        }
        // Transposition table: exact values only, of searches exactly as deep. What may still become the value of the
        // root is searched anyway, so that its line is known.
        let key = (self.shared.table.is_on() && !game.history_matters()).then(|| game.key());
        if let Some((scores, horizon)) = key.and_then(|key| self.known(key, plies)) {
            let scores = ByPlayer::from_slice(&scores[..game.player_count()]);
            if self.path.is_refused(&scores, self.path.len()) {
                self.horizon |= horizon;
                if self.recorder.is_some() {
                    self.record_table(game);
                }
                return Ok(Found::Exact(scores));
            }
        }
        self.node(game, plies, floor, key)
    }

    /// Searches a node that has children; the result is stored under the key, if there is one.
    fn node(&mut self, game: &mut G, plies: u32, floor: usize, key: Option<u64>) -> Result<Found, OutOfBudget> {
        let depth = self.path.len();
        self.path.enter(game.turn(), || self.maxn.evaluator.bounds(game));
        if let Some(recorder) = &mut self.recorder {
            recorder.expand(Kind::Own, Some(game.turn()));
        }
        // Branch and bound: the position's own bounds may show that the node does not matter.
        if self.path.has_news()
            && let Some(head) = self.path.dead_up_to(0, floor)
        {
            if self.recorder.is_some() {
                let first = self.moves.len();
                self.list_moves(game);
                self.record_cut(first, 0, head, Some(Reason::Bound));
                self.moves.truncate(first);
            }
            self.path.leave();
            return Ok(Found::Dead(head));
        }
        if depth > 0 {
            self.meter.expand()?;
        }
        let (moves, queue, late) = (self.moves.len(), self.queue.len(), self.late.len());
        let is_divided = self.shared.searched.divides(plies);
        let divided = if is_divided && depth == 0 { Some(game.key()) } else { key.filter(|_| is_divided) };
        let frame = Frame { depth, plies, floor, moves, queue, late, divided };
        let before = mem::take(&mut self.horizon);
        self.list_moves(game);
        let found = self.children(game, frame)?;
        if let (Found::Exact(scores), Some(key)) = (found, key) {
            let mut kept = [0; MAX_PLAYERS];
            kept[..scores.len()].copy_from_slice(scores.as_slice());
            self.shared.table.store(key, plies, packed((kept, self.horizon)));
        }
        self.horizon |= before;
        self.moves.truncate(frame.moves);
        self.queue.truncate(frame.queue);
        self.late.truncate(frame.late);
        self.path.leave();
        Ok(found)
    }

    /// Searches the children of the last node of the path.
    fn children(&mut self, game: &mut G, frame: Frame) -> Result<Found, OutOfBudget> {
        let count = (self.moves.len() - frame.moves) as u32;
        // Children from `right` on have not come up yet; of those that were put off, the ones from `late` on are left.
        let (mut right, mut late) = (0, frame.late);
        loop {
            let is_late = right == count;
            let at = if !is_late {
                right += 1;
                right - 1
            } else if let Some(&at) = self.late.get(late) {
                late += 1;
                at
            } else {
                break;
            };
            let noted = frame.divided.filter(|_| at > 0).map(|key| {
                let m = self.moves[frame.moves + at as usize];
                id(key, frame.plies, code(game.turn(), &m))
            });
            if let Some(id) = noted {
                if !is_late && self.shared.searched.contains(id) {
                    self.late.push(at);
                    continue;
                }
                if let Some(found) = self.finished_elsewhere(game, frame) {
                    return Ok(found);
                }
                self.shared.searched.begin(id);
            }
            // The leftmost child that is left.
            let next = self.late.get(late).map_or(right, |&at| at);
            self.path.turn(at, next == count);
            let found = self.child(game, frame, at, frame.floor)?;
            if let Some(id) = noted {
                self.shared.searched.end(id);
            }
            if frame.depth == 0 {
                self.done.push(self.moves[at as usize]);
            }
            let is_better = match found {
                Found::Exact(scores) => self.offer(frame, at, scores),
                Found::Dead(head) => {
                    // A child that is dead up to this node cannot be its value.
                    if head < frame.depth {
                        self.queue.push(Queued { at, head });
                    }
                    false
                }
            };
            if !is_better || next == count || self.maxn.settings.pruning == Pruning::None {
                continue;
            }
            // Immediate pruning: the mover already has the most possible.
            if self.path.is_content(next) {
                if self.recorder.is_some() {
                    self.record_cut(frame.moves + next as usize, next, frame.depth, Some(Reason::Immediate));
                }
                break;
            }
            // Shallow, last-branch and speculative pruning: the demands of the players on the path add up to more than
            // the maximum.
            let first = self.queue[frame.queue..].iter().fold(next, |first, queued| first.min(queued.at));
            if let Some(head) = self.path.dead_up_to(first, frame.floor) {
                if self.recorder.is_some() {
                    self.record_cut(frame.moves + next as usize, first, head, None);
                }
                return Ok(Found::Dead(head));
            }
        }
        // Children that were put off may have been queued after others further right.
        if late > frame.late {
            self.queue[frame.queue..].sort_unstable_by_key(|queued| queued.at);
        }
        self.queued_children(game, frame)
    }

    /// The value of the last node of the path, if another thread has found it meanwhile, and a node above refuses it.
    fn finished_elsewhere(&mut self, game: &G, frame: Frame) -> Option<Found> {
        let key = frame.divided.filter(|_| frame.depth > 0)?;
        let (scores, horizon) = self.known(key, frame.plies)?;
        let scores = ByPlayer::from_slice(&scores[..game.player_count()]);
        self.path.is_refused(&scores, frame.depth).then(|| {
            self.horizon |= horizon;
            Found::Exact(scores)
        })
    }

    /// The other half of speculative pruning: searches queued children again unless a node above refuses the best anyway.
    fn queued_children(&mut self, game: &mut G, frame: Frame) -> Result<Found, OutOfBudget> {
        for next in frame.queue.. {
            let Some(head) = self.queue[next..].iter().map(|queued| queued.head).min() else { break };
            if self.path.best().is_none() {
                return Ok(Found::Dead(head));
            }
            if let Some(refuser) = self.path.refuser() {
                return Ok(Found::Dead(head.min(refuser)));
            }
            let at = self.queue[next].at;
            if self.path.is_content(at) {
                break;
            }
            // From here on nothing above this node counts: the child comes back exact or dead up to this node.
            self.path.turn(at, false);
            if let Found::Exact(scores) = self.child(game, frame, at, frame.depth)? {
                self.offer(frame, at, scores);
            }
        }
        Ok(Found::Exact(self.path.best().expect("the bounds hold, so not all children are refused")))
    }

    #[inline]
    fn child(&mut self, game: &mut G, frame: Frame, at: u32, floor: usize) -> Result<Found, OutOfBudget> {
        let m = self.moves[frame.moves + at as usize];
        if self.recorder.is_some() {
            return self.recorded_child(game, m, frame.plies - 1, floor);
        }
        game.visit(m, |child| self.visit(child, frame.plies - 1, floor))
    }

    #[cold]
    #[inline(never)]
    fn recorded_child(&mut self, game: &mut G, m: G::Move, plies: u32, floor: usize) -> Result<Found, OutOfBudget> {
        if let Some(recorder) = &mut self.recorder {
            recorder.step(Step { player: game.turn(), m: Some(m) });
            recorder.enter(plies, None);
        }
        let found = game.visit(m, |child| self.visit(child, plies, floor))?;
        if let Some(recorder) = &mut self.recorder {
            recorder.leave(match found {
                Found::Exact(scores) => recording::Found::Scores(scores),
                Found::Dead(head) => recording::Found::Dead(recorder.number(head)),
            });
        }
        Ok(found)
    }

    /// Records that the table answers, so that none of the moves is searched.
    #[cold]
    #[inline(never)]
    fn record_table(&mut self, game: &G) {
        let first = self.moves.len();
        self.list_moves(game);
        let skipped = self.moves.drain(first..).map(|m| Step { player: game.turn(), m: Some(m) });
        if let Some(recorder) = &mut self.recorder {
            recorder.expand(Kind::Own, Some(game.turn()));
            recorder.cut(Reason::Table, Why::Table, skipped);
        }
    }

    /// Records that the node is dead up to a depth: the moves from `skipped` on are left out, because no value of the child `next` and
    /// to the right of it is chosen.
    #[cold]
    #[inline(never)]
    fn record_cut(&mut self, skipped: usize, next: u32, head: usize, reason: Option<Reason>) {
        let Some(recorder) = &mut self.recorder else { return };
        let (needs, kind) = self.path.needs(next, head, |depth| recorder.number(depth));
        let player = self.path.mover();
        let steps = self.moves[skipped..].iter().map(|&m| Step { player, m: Some(m) });
        recorder.cut(reason.unwrap_or(kind), Why::Needs(needs), steps);
    }

    /// Offers a node the value of a child; returns whether it is the best so far.
    #[inline]
    fn offer(&mut self, frame: Frame, at: u32, scores: ByPlayer<Score>) -> bool {
        let is_better = self.path.offer(scores, frame.floor);
        if is_better {
            let (lines, below) = self.lines.split_at_mut(frame.depth + 1);
            let line = &mut lines[frame.depth];
            line.clear();
            line.push(self.moves[frame.moves + at as usize]);
            line.extend_from_slice(&below[0]);
            if let Some(recorder) = &mut self.recorder {
                recorder.choose();
            }
        }
        is_better
    }

    /// Appends the moves to search, in order.
    fn list_moves(&mut self, game: &G) {
        let first = self.moves.len();
        game.distinct(&mut self.moves);
        let moves = &mut self.moves[first..];
        let width = self.maxn.settings.parts.width.map_or(moves.len(), |width| width.clamp(1, moves.len()));
        if let Some(stance) = self.stance {
            // `MoveOrder::sort` without allocations.
            let rated = moves.iter().zip(0..).map(|(&m, at): (_, i64)| {
                let rate = self.maxn.order.rate(game, stance, m);
                ((!i64::from(rate) << 32) + at, m)
            });
            self.rated.clear();
            self.rated.extend(rated);
            if width < moves.len() {
                self.rated.select_nth_unstable_by_key(width - 1, |&(rank, _)| rank);
                self.rated.truncate(width);
            }
            self.rated.sort_unstable_by_key(|&(rank, _)| rank);
            self.rated.iter().zip(moves).for_each(|(&(_, m), place)| *place = m);
        }
        self.moves.truncate(first + width);
        // Only the root's moves are the first.
        if first == 0 {
            if self.maxn.settings.parts.equals == Equals::Random {
                self.maxn.dice.rng().shuffle(&mut self.moves);
            }
            self.moves.retain(|m| !self.left_out.contains(m));
        }
    }

    fn known(&self, key: u64, plies: u32) -> Option<Entry> {
        self.shared.table.probe(key).find(|&(depth, _)| depth == plies).map(|(_, entry)| unpacked(entry))
    }
}
