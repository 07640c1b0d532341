//! Young brothers wait with split nodes (Feldmann 1993), to be compared with the scheme of [threads](crate::threads).
//!
//! A thread that has searched the first move of a node without a cut offers others the rest: near the leaves if it sees that some are
//! idle, further up always, so that whoever becomes idle later takes the work that is nearest to the root. All
//! take moves from one list and share the best value. A cut ends their work at the node and below. Whoever offered the node waits
//! until the last has finished its move, and meanwhile helps the others below that node, but nowhere else (*helpful master*).

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::search::{Frame, INFINITY, Search, mark};
use super::view::{Action, Level, Rated, Side, View};
use crate::threads::{IDLE, WAITED, variant};
use crate::{Evaluator, Game, MoveOrder, OutOfBudget};

/// The fewest plies left at a node that is split, unless `NPLY_SPLIT` says otherwise.
const SPLIT_DEPTH: u32 = 3;

/// The fewest plies left at a node that is split even if nobody is idle yet, unless `NPLY_EAGER` says otherwise.
const EAGER_DEPTH: u32 = 5;

/// How often an idle thread looks for work before it sleeps, unless `NPLY_LOOKS` says otherwise.
const LOOKS: usize = 64;

/// The longest sleep: only a panic is noticed no sooner.
const SLEEP: Duration = Duration::from_millis(5);

/// A node whose moves several threads search.
pub(super) struct Split<G: Game> {
    game: G,
    frame: Frame,
    high: i64,
    /// The most that can be found.
    most: i64,
    actions: Vec<Rated<G::Move>>,
    parent: Option<Arc<Split<G>>>,
    /// Nothing more is to be done here.
    over: AtomicBool,
    state: Mutex<State<G::Move>>,
}

/// What has been found at a split node. Changes only while the pool is locked.
#[derive(Clone, Debug)]
pub(super) struct State<M> {
    pub(super) best: i64,
    pub(super) low: i64,
    pub(super) code: u32,
    pub(super) mark: u8,
    /// The best action, if it was found here.
    pub(super) action: Option<Action<M>>,
    pub(super) line: Vec<Action<M>>,
    /// Horizons that threads other than the owner have met.
    pub(super) horizons: u64,
    /// At the root, the numbers of the moves that became the best, the last of them at the end.
    chosen: Vec<u32>,
    next: usize,
    working: usize,
    is_open: bool,
    /// The budget has ended the search of a move.
    failed: bool,
}

impl<M> State<M> {
    /// What the owner has found so far.
    pub(super) fn new(best: i64, low: i64, code: u32, mark: u8) -> State<M> {
        State { best, low, code, mark, ..State::default() }
    }
}

impl<M> Default for State<M> {
    fn default() -> State<M> {
        State {
            best: -INFINITY,
            low: -INFINITY,
            code: 0,
            mark: 0,
            action: None,
            line: Vec::new(),
            horizons: 0,
            chosen: Vec::new(),
            next: 0,
            working: 0,
            is_open: true,
            failed: false,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<G: Game> Split<G> {
    /// Whether a cut here or above has made all work at this node useless.
    pub(super) fn is_over(&self) -> bool {
        let mut split = self;
        loop {
            if split.over.load(Relaxed) {
                return true;
            }
            match &split.parent {
                Some(parent) => split = parent,
                None => return false,
            }
        }
    }

    fn is_over_above(&self) -> bool {
        self.parent.as_ref().is_some_and(|parent| parent.is_over())
    }

    fn is_below(&self, other: &Split<G>) -> bool {
        let mut split = self;
        while let Some(parent) = &split.parent {
            if std::ptr::eq(&**parent, other) {
                return true;
            }
            split = parent;
        }
        false
    }

    fn is_root(&self) -> bool {
        self.frame.ply == 0
    }

    /// What an action has to beat.
    fn low(&self, state: &State<G::Move>, rated: &Rated<G::Move>) -> i64 {
        match state.chosen.last() {
            // Ties: a move with a lower number need only be as good.
            Some(&chosen) if rated.index < chosen => state.best - 1,
            Some(_) => state.best,
            None => state.low,
        }
    }
}

/// The split nodes of an iteration.
pub(super) struct Pool<G: Game> {
    splits: Mutex<Vec<Arc<Split<G>>>>,
    /// Wakes those who have nothing to do, and those who wait for others.
    work: Condvar,
    done: Condvar,
    idle: AtomicUsize,
    /// Threads that sleep until there is work, and until others are done.
    asleep: AtomicUsize,
    waiting: AtomicUsize,
    /// Split nodes that have moves left.
    open: AtomicUsize,
    ended: AtomicBool,
    pub(super) split_depth: u32,
    /// With so many plies left a node is split whether others are idle or not, so that they find work near the root later.
    pub(super) eager_depth: u32,
    looks: usize,
    /// Whether those who wait help below the node that they split.
    is_helpful: bool,
}

impl<G: Game> Default for Pool<G> {
    fn default() -> Pool<G> {
        let [idle, asleep, waiting, open] = [const { AtomicUsize::new(0) }; 4];
        let (splits, ended) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        Pool {
            splits,
            work: Condvar::new(),
            done: Condvar::new(),
            idle,
            asleep,
            waiting,
            open,
            ended,
            split_depth: variant("NPLY_SPLIT", SPLIT_DEPTH as usize) as u32,
            eager_depth: variant("NPLY_EAGER", EAGER_DEPTH as usize) as u32,
            looks: variant("NPLY_LOOKS", LOOKS),
            is_helpful: variant("NPLY_HELPFUL", 1) != 0,
        }
    }
}

impl<G: Game> Pool<G> {
    /// Whether more threads are idle than split nodes have work for.
    #[inline]
    pub(super) fn is_wanting(&self) -> bool {
        self.idle.load(Relaxed) > self.open.load(Relaxed)
    }

    /// The iteration is over.
    pub(super) fn end(&self) {
        let _guard = lock(&self.splits);
        self.ended.store(true, Relaxed);
        self.work.notify_all();
    }

    fn add(&self, split: &Arc<Split<G>>) {
        let mut splits = lock(&self.splits);
        splits.push(split.clone());
        self.open.fetch_add(1, Relaxed);
        // One of the moves is for the owner.
        for _ in 0..self.asleep.load(Relaxed).min(split.actions.len() - 1) {
            self.work.notify_one();
        }
        self.wake_waiting();
    }

    fn wake_waiting(&self) {
        if self.waiting.load(Relaxed) > 0 {
            self.done.notify_all();
        }
    }

    fn close(&self, state: &mut State<G::Move>) {
        if state.is_open {
            state.is_open = false;
            self.open.fetch_sub(1, Relaxed);
        }
    }

    /// Takes a move of a split node, and says what it has to beat.
    fn take(&self, split: &Split<G>) -> Option<(Rated<G::Move>, i64)> {
        let _guard = lock(&self.splits);
        self.take_locked(split)
    }

    fn take_locked(&self, split: &Split<G>) -> Option<(Rated<G::Move>, i64)> {
        let state = &mut *lock(&split.state);
        while !split.is_over() && state.next < split.actions.len() {
            let rated = split.actions[state.next];
            state.next += 1;
            if state.next == split.actions.len() {
                self.close(state);
            }
            let low = split.low(state, &rated);
            // Immediate pruning.
            if low < split.most {
                state.working += 1;
                return Some((rated, low));
            }
        }
        self.close(state);
        None
    }

    /// The work nearest to the root, of all or only of what is below a split node.
    fn find(&self, splits: &[Arc<Split<G>>], below: Option<&Split<G>>) -> Option<(Arc<Split<G>>, Rated<G::Move>, i64)> {
        if self.open.load(Relaxed) == 0 {
            return None;
        }
        let mut candidates: Vec<_> =
            splits.iter().filter(|split| below.is_none_or(|owned| split.is_below(owned))).collect();
        candidates.sort_by_key(|split| split.frame.ply);
        candidates.into_iter().find_map(|split| {
            let (rated, low) = self.take_locked(split)?;
            Some((split.clone(), rated, low))
        })
    }
}

/// Gives a move back that was not searched to the end, if the thread panics.
struct Working<'a, G: Game> {
    pool: &'a Pool<G>,
    split: &'a Split<G>,
}

impl<G: Game> Drop for Working<'_, G> {
    fn drop(&mut self) {
        let _guard = lock(&self.pool.splits);
        let state = &mut *lock(&self.split.state);
        state.working -= 1;
        state.failed |= thread::panicking();
        if state.working == 0 {
            self.pool.wake_waiting();
        }
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>, V: View<G>> Search<'_, '_, G, E, O, V> {
    /// A node whose actions at these places of the stack are still to be searched.
    #[cold]
    #[inline(never)]
    pub(super) fn new_split(
        &self,
        game: &G,
        frame: Frame,
        (high, most): (i64, i64),
        places: Range<usize>,
        state: State<G::Move>,
    ) -> Arc<Split<G>> {
        Arc::new(Split {
            game: game.clone(),
            frame,
            high,
            most,
            actions: self.memory.stack[places].to_vec(),
            parent: self.split.clone(),
            over: AtomicBool::new(false),
            state: Mutex::new(state),
        })
    }

    /// Searches what is left of a node together with others.
    #[cold]
    #[inline(never)]
    pub(super) fn split(
        &mut self,
        pool: &Pool<G>,
        game: &mut G,
        split: Arc<Split<G>>,
    ) -> Result<State<G::Move>, OutOfBudget> {
        let (end, state) = self.split_and_wait(pool, game, split);
        end.map(|()| state)
    }

    fn split_and_wait(
        &mut self,
        pool: &Pool<G>,
        game: &mut G,
        split: Arc<Split<G>>,
    ) -> (Result<(), OutOfBudget>, State<G::Move>) {
        let before = self.split.replace(split.clone());
        pool.add(&split);
        let mut end = Ok(());
        while let (Ok(()), Some((rated, low))) = (end, pool.take(&split)) {
            end = self.share(pool, &split, game, rated, low, true);
        }
        if end.is_ok() {
            end = self.wait(pool, &split);
        }
        self.split = before;
        let mut splits = lock(&pool.splits);
        splits.retain(|other| !Arc::ptr_eq(other, &split));
        let state = &mut *lock(&split.state);
        pool.close(state);
        // Whoever is still at work here does so in vain.
        split.over.store(true, Relaxed);
        if state.failed {
            end = Err(OutOfBudget);
        }
        (end, state.clone())
    }

    /// Waits until nobody is at work at a split node, and helps below it.
    fn wait(&mut self, pool: &Pool<G>, split: &Arc<Split<G>>) -> Result<(), OutOfBudget> {
        let mut splits = lock(&pool.splits);
        loop {
            if split.is_over_above() {
                return Err(OutOfBudget);
            }
            if split.over.load(Relaxed) || lock(&split.state).working == 0 {
                return Ok(());
            }
            if pool.is_helpful
                && let Some((other, rated, low)) = pool.find(&splits, Some(split))
            {
                drop(splits);
                self.join(pool, other, rated, low)?;
                splits = lock(&pool.splits);
                continue;
            }
            self.meter.check()?;
            let began = Instant::now();
            pool.waiting.fetch_add(1, Relaxed);
            splits = pool.done.wait_timeout(splits, SLEEP).unwrap_or_else(PoisonError::into_inner).0;
            pool.waiting.fetch_sub(1, Relaxed);
            WAITED.fetch_add(began.elapsed().as_nanos() as u64, Relaxed);
        }
    }

    /// Helps at a split node of another thread, beginning with a move that has been taken.
    fn join(
        &mut self,
        pool: &Pool<G>,
        split: Arc<Split<G>>,
        mut rated: Rated<G::Move>,
        mut low: i64,
    ) -> Result<(), OutOfBudget> {
        let mut game = split.game.clone();
        let before = self.split.replace(split.clone());
        let end = loop {
            let end = self.share(pool, &split, &mut game, rated, low, false);
            if end.is_err() {
                // Not this thread's concern, unless the budget is used up.
                break if split.is_over() { Ok(()) } else { end };
            }
            match pool.take(&split) {
                Some(next) => (rated, low) = next,
                None => break Ok(()),
            }
        };
        self.split = before;
        end
    }

    /// What helpers do during an iteration.
    pub(super) fn help(&mut self, pool: &Pool<G>, depth: u32) {
        (self.memory.loud, self.memory.null) = (0, 0);
        if self.memory.lines.len() <= depth as usize {
            self.memory.lines.resize(depth as usize + 1, Vec::new());
        }
        self.memory.stack.clear();
        while !pool.ended.load(Relaxed) && self.meter.check().is_ok() {
            let found = pool.find(&lock(&pool.splits), None);
            let Some((split, rated, low)) = found else {
                let began = Instant::now();
                pool.idle.fetch_add(1, Relaxed);
                let has_work = || pool.open.load(Relaxed) > 0 || pool.ended.load(Relaxed);
                let is_soon = (0..pool.looks).any(|_| {
                    thread::yield_now();
                    has_work()
                });
                if !is_soon {
                    let splits = lock(&pool.splits);
                    pool.asleep.fetch_add(1, Relaxed);
                    if !has_work() {
                        drop(pool.work.wait_timeout(splits, SLEEP).unwrap_or_else(PoisonError::into_inner));
                    }
                    pool.asleep.fetch_sub(1, Relaxed);
                }
                pool.idle.fetch_sub(1, Relaxed);
                IDLE.fetch_add(began.elapsed().as_nanos() as u64, Relaxed);
                continue;
            };
            self.split = None;
            if self.join(pool, split, rated, low).is_err() {
                break;
            }
        }
    }

    /// Searches a move that has been taken from a split node, and notes there what is found. Fails if the budget is used up, or if
    /// nothing above the node is of use any more.
    fn share(
        &mut self,
        pool: &Pool<G>,
        split: &Split<G>,
        game: &mut G,
        rated: Rated<G::Move>,
        low: i64,
        is_owner: bool,
    ) -> Result<(), OutOfBudget> {
        let working = Working { pool, split };
        let (place, horizons) = (self.memory.stack.len(), self.memory.horizons);
        self.memory.stack.push(rated);
        let found = self.one(pool, split, game, rated, low, place);
        self.memory.stack.truncate(place);
        let is_open = split.high - low > 1;
        {
            let _guard = lock(&pool.splits);
            let state = &mut *lock(&split.state);
            if !is_owner {
                state.horizons += self.memory.horizons - horizons;
            }
            if let Ok((value, low)) = found
                && !split.over.load(Relaxed)
            {
                let Rated { action, code, index, .. } = rated;
                let is_better = if split.is_root() {
                    let chosen = state.chosen.last().copied().unwrap_or(u32::MAX);
                    value > low && (value > state.best || (value == state.best && index < chosen))
                } else {
                    value > state.best
                };
                if is_better {
                    (state.best, state.code, state.mark) = (value, code, mark(action.learned));
                    state.action = Some(action);
                    self.memory.coded.note(code, action);
                    if split.is_root() || value > state.low {
                        state.low = value;
                        if is_open && value < split.high {
                            state.line.clear();
                            state.line.push(action);
                            state.line.extend_from_slice(&self.memory.lines[split.frame.ply as usize + 1]);
                        }
                        if split.is_root() {
                            state.chosen.push(index);
                        } else if value >= split.high || value >= split.most {
                            split.over.store(true, Relaxed);
                            pool.close(state);
                            pool.wake_waiting();
                        }
                    }
                }
            } else if found.is_err() && !split.is_over() {
                state.failed = true;
                split.over.store(true, Relaxed);
                pool.close(state);
                pool.wake_waiting();
                drop(_guard);
                return Err(OutOfBudget);
            }
        }
        drop(working);
        // A cut at this node ends the work, but is no failure.
        if split.is_over_above() { Err(OutOfBudget) } else { Ok(()) }
    }

    /// The value of an action of a split node as the side to move sees it, and what it had to beat.
    fn one(
        &mut self,
        pool: &Pool<G>,
        split: &Split<G>,
        game: &mut G,
        rated: Rated<G::Move>,
        mut low: i64,
        place: usize,
    ) -> Result<(i64, i64), OutOfBudget> {
        let Split { frame: Frame { level, ply, depth, .. }, high, .. } = *split;
        let max = level.side == Side::Max;
        self.meter.tick()?;
        self.plan.view.visit(game, level, rated.action, |child, level| {
            let mut ask = |low: i64, high: i64| -> Result<i64, OutOfBudget> {
                let (alpha, beta) = if max { (low, high) } else { (-high, -low) };
                let value = self.search(child, Frame { level, ply: ply + 1, depth: depth - 1, alpha, beta }, place)?;
                Ok(if max { value } else { -value })
            };
            // Principal variation search.
            if high - low > 1 {
                let value = ask(low, low + 1)?;
                if value <= low || value >= high {
                    return Ok((value, low));
                }
                let _guard = lock(&pool.splits);
                low = low.max(split.low(&lock(&split.state), &rated));
            }
            ask(low, high).map(|value| (value, low))
        })
    }

    /// Searches the moves of the root after the first together with others.
    #[cold]
    #[inline(never)]
    pub(super) fn split_root(
        &mut self,
        game: &mut G,
        moves: &[Action<G::Move>],
        queue: &mut [usize],
        depth: u32,
        (best, chosen): (i64, usize),
        found: &mut Option<i64>,
    ) -> Result<(), OutOfBudget> {
        let Some(pool) = self.pool else { return Ok(()) };
        self.memory.stack.clear();
        for &number in &queue[1..] {
            self.memory.stack.push(Rated::new(moves[number], Some(0), number as u32));
        }
        let state = State { best, low: best, chosen: vec![chosen as u32], ..State::default() };
        let frame = Frame { level: Level::ROOT, ply: 0, depth, alpha: best, beta: INFINITY };
        let most = self.terms.most();
        let split = self.new_split(game, frame, (INFINITY, most), 0..self.memory.stack.len(), state);
        let (end, state) = self.split_and_wait(pool, game, split);
        self.memory.horizons += state.horizons;
        for &number in &state.chosen[1..] {
            let at = queue.iter().position(|&other| other == number as usize).unwrap_or(0);
            queue[..=at].rotate_right(1);
        }
        if state.chosen.len() > 1 {
            *found = Some(state.best);
            self.memory.lines[0] = state.line;
        }
        end
    }
}
