//! The limits of a decision: [`Budget`]; and what it has used: [`Meter`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::settings::Choice;

/// The limits of one decision; whichever is met first ends it. Without any limit, a search continues to the end of the
/// game.
///
/// ```
/// use nply::Budget;
/// let budget = Budget { nodes: Some(250_000), ..Budget::default() };
/// assert_eq!(budget, Budget::nodes(250_000));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Positions visited after the root, or what else an agent [counts](Count); never exceeded.
    pub nodes: Option<u64>,
    /// Playouts, for agents that make any.
    pub playouts: Option<u64>,
    /// Time from the start of the decision.
    pub time: Option<Duration>,
    /// Ends the decision at once when it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// Only a limit of depth, in plies.
    pub fn depth(depth: u32) -> Budget {
        Budget { depth: Some(depth), ..Budget::default() }
    }

    /// Only a limit of nodes.
    pub fn nodes(nodes: u64) -> Budget {
        Budget { nodes: Some(nodes), ..Budget::default() }
    }

    /// Only a limit of playouts.
    pub fn playouts(playouts: u64) -> Budget {
        Budget { playouts: Some(playouts), ..Budget::default() }
    }

    /// Only a limit of time.
    pub fn time(time: Duration) -> Budget {
        Budget { time: Some(time), ..Budget::default() }
    }
}

/// Budgets are equal if their limits are, whatever their stop flags.
impl PartialEq for Budget {
    fn eq(&self, other: &Self) -> bool {
        (self.depth, self.nodes, self.playouts, self.time) == (other.depth, other.nodes, other.playouts, other.time)
    }
}

/// The budget is used up: unwinds a search, which then answers with its last completed iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBudget;

/// What a tree search counts as a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Count {
    /// A position that is visited.
    #[default]
    Visits,
    /// A position that is expanded, which is one whose moves are searched.
    Expansions,
}

impl Choice for Count {
    const WORDS: &'static [(Count, &'static str)] = &[(Count::Visits, "visits"), (Count::Expansions, "expansions")];
}

/// Counts the nodes of one decision and checks its limits.
#[derive(Debug)]
pub struct Meter {
    started: Instant,
    deadline: Option<Instant>,
    /// The budget's flag, and that of the iteration which threads search together.
    stops: [Option<Arc<AtomicBool>>; 2],
    nodes: u64,
    /// The nodes that may be counted without asking for more.
    limit: u64,
    /// The nodes that threads have left between them.
    left: Option<Arc<AtomicU64>>,
    /// What a visit adds to the nodes, and what an expansion adds: 1 and 0, or 0 and 1.
    weights: [u64; 2],
    /// The node count at which the clock and the stop flag are checked next.
    look: u64,
    /// When they were last checked, and the nodes from then to the next time.
    looked: Instant,
    stride: u64,
}

/// The most nodes between two checks of the clock: well under a millisecond, if positions are judged by a program.
pub(crate) const STRIDE: u64 = 256;

/// The time between two checks above which they are too far apart.
const SLOW: Duration = Duration::from_millis(1);

impl Meter {
    /// Starts the clock; nodes are visits.
    pub fn new(budget: &Budget) -> Meter {
        Meter::counting(Count::Visits, budget)
    }

    /// Starts the clock.
    pub fn counting(count: Count, budget: &Budget) -> Meter {
        let started = Instant::now();
        let deadline = budget.time.and_then(|time| started.checked_add(time));
        let limit = budget.nodes.unwrap_or(u64::MAX);
        let look = if deadline.is_some() || budget.stop.is_some() { 0 } else { limit };
        let weights = match count {
            Count::Visits => [1, 0],
            Count::Expansions => [0, 1],
        };
        let stops = [budget.stop.clone(), None];
        let (look, looked, stride) = (look.min(limit), started, 1);
        Meter { started, deadline, stops, nodes: 0, limit, left: None, weights, look, looked, stride }
    }

    /// Meters for so many helpers that share what is left of this one's budget, until [`rejoin`](Meter::rejoin). The flag ends all of them.
    pub(crate) fn share(&mut self, helpers: usize, over: &Arc<AtomicBool>) -> Vec<Meter> {
        self.stops[1] = Some(over.clone());
        if self.limit < u64::MAX {
            self.left = Some(Arc::new(AtomicU64::new(self.limit - self.nodes)));
            self.limit = self.nodes;
        }
        self.look = self.nodes;
        let helper = |_| Meter {
            nodes: 0,
            limit: if self.left.is_some() { 0 } else { u64::MAX },
            look: 0,
            stops: self.stops.clone(),
            left: self.left.clone(),
            ..*self
        };
        (0..helpers).map(helper).collect()
    }

    /// Ends the sharing: counts what the helpers have counted, and takes back what they have left.
    pub(crate) fn rejoin(&mut self, helpers: Vec<Meter>) {
        self.stops[1] = None;
        for helper in helpers {
            self.nodes += helper.nodes;
            self.limit += if self.left.is_some() { helper.limit } else { 0 };
        }
        if let Some(left) = self.left.take() {
            self.limit += left.load(Ordering::Relaxed);
        }
        self.look = self.nodes;
    }

    /// Counts a visit, or fails if there is no budget for it.
    #[inline]
    pub fn tick(&mut self) -> Result<(), OutOfBudget> {
        self.add(self.weights[0])
    }

    /// Counts that a visited position is expanded, or fails if there is no budget for it.
    #[inline]
    pub fn expand(&mut self) -> Result<(), OutOfBudget> {
        if self.weights[1] == 0 { Ok(()) } else { self.add(self.weights[1]) }
    }

    #[inline]
    fn add(&mut self, nodes: u64) -> Result<(), OutOfBudget> {
        if self.nodes >= self.look {
            self.look_around()?;
        }
        self.nodes += nodes;
        Ok(())
    }

    /// Fails if time is up or the stop flag is set, whatever the number of nodes.
    pub fn check(&self) -> Result<(), OutOfBudget> {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let stopped = self.stops.iter().flatten().any(|stop| stop.load(Ordering::Relaxed));
        if late || stopped { Err(OutOfBudget) } else { Ok(()) }
    }

    #[cold]
    fn look_around(&mut self) -> Result<(), OutOfBudget> {
        if self.nodes >= self.limit {
            let left = self.left.as_ref().ok_or(OutOfBudget)?;
            let take = |left: u64| left.checked_sub(STRIDE.min(left));
            let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or(0);
            if before == 0 {
                return Err(OutOfBudget);
            }
            self.limit += before.min(STRIDE);
        }
        self.check()?;
        // An evaluation may be slow, as a network is: then every node is worth a look.
        let now = Instant::now();
        let is_slow = now.duration_since(self.looked) > SLOW;
        self.stride = if is_slow { (self.stride / 8).max(1) } else { (self.stride * 2).min(STRIDE) };
        self.looked = now;
        self.look = (self.nodes + self.stride).min(self.limit);
        Ok(())
    }

    /// Nodes counted so far.
    #[inline]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_budget_is_met_exactly() {
        for limit in [0, 1, 255, 256, 257, 1000] {
            for time in [None, Some(Duration::from_secs(3600))] {
                let mut meter = Meter::new(&Budget { time, ..Budget::nodes(limit) });
                while meter.tick().is_ok() {}
                assert_eq!(meter.nodes(), limit);
            }
        }
    }

    #[test]
    fn a_stop_flag_ends_the_search_within_a_stride() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut meter = Meter::new(&Budget { stop: Some(stop.clone()), ..Budget::default() });
        assert_eq!(meter.tick(), Ok(()));
        stop.store(true, Ordering::Relaxed);
        let more = (0..).take_while(|_| meter.tick().is_ok()).count();
        assert!(more < STRIDE as usize, "{more}");
    }

    #[test]
    fn slow_nodes_do_not_outlast_the_time() {
        let mut meter = Meter::new(&Budget::time(Duration::from_millis(30)));
        let nodes = (0..).take_while(|_| {
            let has_time = meter.tick().is_ok();
            std::thread::sleep(Duration::from_millis(5));
            has_time
        });
        let nodes = nodes.count();
        assert!(nodes <= 7, "{nodes}");
    }

    #[test]
    fn time_runs_out() {
        let mut meter = Meter::new(&Budget::time(Duration::ZERO));
        assert_eq!(meter.tick(), Err(OutOfBudget));
        assert_eq!(Meter::new(&Budget::time(Duration::MAX)).tick(), Ok(()));
    }
}
