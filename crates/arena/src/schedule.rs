//! Who plays whom, and where: the seatings of a match, and the order in which they are played.
//!
//! A match with at least as many games as seatings plays all of them equally often, in lexical order, round by round. With fewer
//! games it plays a balanced sample, made block by block. In a block every agent sits on every seat once, so at any moment no
//! agent has been on a seat more than one game too often or too rarely. Blocks are chosen so that the pairs "a on seat i and b on
//! seat j" are as even as they can be. What is sampled depends on the match's seed and on nothing else, least of all on the number
//! of games: a sample is the beginning of any longer one.

use std::collections::{BTreeMap, VecDeque};

use nply::{Rng, mix};
use serde::{Deserialize, Serialize};

/// Which seatings a match plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seating {
    /// All of them equally often, so that no seat favors anybody.
    #[default]
    All,
    /// One: the agents in their order.
    Fixed,
}

impl Seating {
    /// Whether it is the usual one.
    pub(crate) fn is_all(&self) -> bool {
        *self == Seating::All
    }
}

/// Who meets in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Everybody: every agent in every game or, with more agents than seats, all choices of as many as there are seats.
    #[default]
    All,
    /// The first agent against the field: it is in every game. With no more agents than seats that is the same as `All`.
    Gauntlet,
    /// Two kinds of agents at a time.
    Pairs,
}

impl Schedule {
    /// All of them, the usual one first.
    pub const ALL: [Schedule; 3] = [Schedule::All, Schedule::Gauntlet, Schedule::Pairs];

    /// Whether it is the usual one.
    pub(crate) fn is_all(&self) -> bool {
        *self == Schedule::All
    }
}

/// The seatings of `agents` agents in `seats` seats: all assignments that use every agent, in lexical order.
///
/// Two agents have 2^n − 2 seatings. If there are more agents than seats, a seating has a different agent on every seat.
///
/// ```
/// use nply_arena::seatings;
/// assert_eq!(seatings(2, 3).len(), 6);
/// assert_eq!(seatings(3, 4).len(), 36);
/// assert_eq!(seatings(4, 4).len(), 24);
/// assert_eq!(seatings(3, 2), [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
/// ```
pub fn seatings(agents: usize, seats: usize) -> Vec<Vec<usize>> {
    let all = Seatings::new(agents, seats, Seating::All, Schedule::All);
    (0..all.count() as u64).map(|index| all.get(index)).collect()
}

/// The seatings of a match by their index in lexical order; none of them is kept in memory.
#[derive(Clone, Debug)]
pub struct Seatings {
    agents: usize,
    seats: usize,
    kind: Kind,
    /// In how many ways so many seats can be filled, if so many agents sit already, and the first among them or not.
    ways: Vec<Vec<[u128; 2]>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fixed,
    Together,
    WithFirst,
    Pairs,
}

impl Seatings {
    /// The seatings of so many agents on so many seats.
    pub fn new(agents: usize, seats: usize, seating: Seating, schedule: Schedule) -> Seatings {
        let kind = match (seating, schedule) {
            (Seating::Fixed, _) => Kind::Fixed,
            (Seating::All, Schedule::Gauntlet) if agents > seats => Kind::WithFirst,
            (Seating::All, Schedule::Pairs) if agents > 2 => Kind::Pairs,
            (Seating::All, _) => Kind::Together,
        };
        Seatings { agents, seats, kind, ways: ways(agents, seats) }
    }

    /// Their number; the largest possible one stands for any that is larger.
    pub fn count(&self) -> u128 {
        match self.kind {
            Kind::Fixed => 1,
            Kind::Together => self.ways[self.seats][0][1],
            Kind::WithFirst => self.ways[self.seats][0][0],
            Kind::Pairs => self.pairs().saturating_mul(self.patterns()),
        }
    }

    /// Number of pairs of agents.
    fn pairs(&self) -> u128 {
        (self.agents * (self.agents - 1) / 2) as u128
    }

    /// Number of seatings of two agents.
    fn patterns(&self) -> u128 {
        1u128.checked_shl(self.seats as u32).map_or(u128::MAX, |all| all - 2)
    }

    /// The seating of this index, below their number: the agent of each seat.
    pub fn get(&self, index: u64) -> Vec<usize> {
        let mut left = u128::from(index);
        match self.kind {
            Kind::Fixed => (0..self.seats).collect(),
            Kind::Pairs => {
                // Every pair in one seating, then in the next.
                let (pattern, mut pair) = (left / self.pairs() + 1, (left % self.pairs()) as usize);
                let mut first = 0;
                while pair >= self.agents - 1 - first {
                    pair -= self.agents - 1 - first;
                    first += 1;
                }
                let agent =
                    |seat: usize| if pattern >> (self.seats - 1 - seat) & 1 == 0 { first } else { first + 1 + pair };
                (0..self.seats).map(agent).collect()
            }
            Kind::Together | Kind::WithFirst => {
                let (mut seating, mut is_used) = (Vec::new(), vec![false; self.agents]);
                let (mut used, mut has_first) = (0, self.kind == Kind::Together);
                for seat in 0..self.seats {
                    for (agent, is_used) in is_used.iter_mut().enumerate() {
                        let (more, with) = (used + usize::from(!*is_used), has_first || agent == 0);
                        let rest = self.ways[self.seats - 1 - seat].get(more).map_or(0, |ways| ways[usize::from(with)]);
                        if left < rest {
                            seating.push(agent);
                            (*is_used, used, has_first) = (true, more, with);
                            break;
                        }
                        left -= rest;
                    }
                }
                seating
            }
        }
    }
}

impl Seatings {
    /// The agents of a seating whose weights have the largest sum.
    pub(crate) fn heaviest(&self, weights: &[u64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.agents).collect();
        order.sort_by_key(|&agent| std::cmp::Reverse(weights[agent]));
        let mut seating = match self.kind {
            Kind::Fixed => (0..self.seats).collect(),
            Kind::Pairs => order[..2].to_vec(),
            Kind::Together => order[..self.agents.min(self.seats)].to_vec(),
            Kind::WithFirst => {
                let others = order.iter().copied().filter(|&agent| agent != 0);
                std::iter::once(0).chain(others).take(self.seats).collect()
            }
        };
        seating.resize(self.seats, order[0]);
        seating.sort_unstable();
        seating
    }
}

/// See [`Seatings::ways`].
fn ways(agents: usize, seats: usize) -> Vec<Vec<[u128; 2]>> {
    let different = agents.min(seats);
    let mut ways = vec![vec![[0u128; 2]; different + 1]; seats + 1];
    ways[0][different][1] = 1;
    for left in 1..=seats {
        for used in 0..=different {
            for has_first in [false, true] {
                let same = ways[left - 1][used][usize::from(has_first)].saturating_mul(used as u128);
                let next = ways[left - 1].get(used + 1).copied().unwrap_or_default();
                let unused = agents - used;
                ways[left][used][usize::from(has_first)] = if has_first {
                    same.saturating_add(next[1].saturating_mul(unused as u128))
                } else {
                    let others = next[0].saturating_mul(unused.saturating_sub(1) as u128);
                    same.saturating_add(others).saturating_add(next[1])
                };
            }
        }
    }
    ways
}

/// The number of games in a round, which share a seed: every seating once, or a block of a sample.
pub(crate) fn round_length(seatings: &Seatings, is_sampled: bool) -> u64 {
    if is_sampled { seatings.block() as u64 } else { u64::try_from(seatings.count()).unwrap_or(u64::MAX) }
}

impl Seatings {
    /// The number of games in a block of a sample.
    fn block(&self) -> usize {
        match self.kind {
            Kind::Fixed => 1,
            Kind::WithFirst => self.seats,
            Kind::Together | Kind::Pairs => self.agents,
        }
    }
}

/// The seatings of the games of a match, by their numbers.
pub struct Games {
    seatings: Seatings,
    sample: Option<Sample>,
}

impl Games {
    /// All seatings again and again, or a sample.
    pub fn new(seatings: Seatings, is_sampled: bool, seed: u64) -> Games {
        let sample = is_sampled.then(|| Sample::new(&seatings, seed));
        Games { seatings, sample }
    }

    /// The seating of the game with this number. Numbers may be left out, but a sample never goes back.
    pub fn seating(&mut self, number: u64) -> Vec<usize> {
        match &mut self.sample {
            None => self.seatings.get((u128::from(number) % self.seatings.count()) as u64),
            Some(sample) => sample.seating(number),
        }
    }
}

/// A balanced sample of seatings, made block by block.
struct Sample {
    design: Design,
    /// Games that have been made, those of the current block among them.
    games: u64,
    /// The rest of the current block.
    block: VecDeque<Vec<usize>>,
}

/// How blocks are made.
enum Design {
    Fixed(Vec<usize>),
    Circle(Circle),
    First(Box<First>),
}

impl Sample {
    fn new(all: &Seatings, seed: u64) -> Sample {
        let rng = Rng::new(mix(seed ^ 0x5ea7));
        let design = match all.kind {
            Kind::Fixed => Design::Fixed((0..all.seats).collect()),
            Kind::Together | Kind::Pairs => Design::Circle(Circle::new(all.clone(), rng)),
            Kind::WithFirst => Design::First(Box::new(First::new(all, rng))),
        };
        Sample { design, games: 0, block: VecDeque::new() }
    }

    fn seating(&mut self, number: u64) -> Vec<usize> {
        loop {
            if self.block.is_empty() {
                self.block = match &mut self.design {
                    Design::Fixed(row) => vec![row.clone()],
                    Design::Circle(circle) => circle.block(),
                    Design::First(first) => first.round(),
                }
                .into();
                self.games += self.block.len() as u64;
            }
            let first = self.games - self.block.len() as u64;
            assert!(first <= number, "a sample goes forward");
            let seating = self.block.pop_front().expect("a block has games");
            if first == number {
                return seating;
            }
        }
    }
}

/// Blocks of as many games as there are agents, every agent on every seat once.
///
/// The agents sit in a circle. A block has a seating, and the same again with everybody replaced by the next in the circle, by the one
/// after that, and so on. So it is as if "a on seat i and b on seat j" had occurred once for all a, where b is so many places behind a,
/// and only these distances on two seats have to be balanced. There are few of them, and the cheapest of all seatings is found by trying
/// them.
struct Circle {
    all: Seatings,
    rng: Rng,
    /// The agents in their order.
    order: Vec<usize>,
    /// The seatings that may begin a block, one after another; empty if there are too many.
    starts: Vec<usize>,
    blocks: u64,
    /// For each two seats i < j and distance: in how many blocks the agent on j was so far behind the one on i.
    met: Vec<u32>,
    /// What it costs if that is so once more: positive if it has been so too often.
    costs: Vec<f64>,
    /// The part of blocks in which it should be so: for a distance of none, and for any other.
    expected: [f64; 2],
}

/// Most seatings that are all tried for a block, and how many are drawn at random if there are more.
const MOST_STARTS: u128 = 60_000;
const DRAWN_STARTS: usize = 5_000;
/// With at most so many seatings, the next block is looked at as well, for this many of the cheapest.
const FEW_STARTS: usize = 1_000;
const LOOKED_AT: usize = 8;
/// What it costs to go beyond the bounds.
const BOUND: f64 = 1000.0;
/// Most agents for which all orders of a block's games are compared.
const MOST_ORDERED: usize = 12;

impl Circle {
    fn new(all: Seatings, mut rng: Rng) -> Circle {
        let (agents, seats) = (all.agents, all.seats);
        // Two seats have the same agent as often as if they were one.
        let different = if all.kind == Kind::Pairs { 2 } else { agents };
        let count = |seats: usize| ways(different, seats)[seats][0][1] as f64;
        let same = if seats > different { count(seats - 1) / count(seats) } else { 0.0 };
        let mut order: Vec<usize> = (0..agents).collect();
        rng.shuffle(&mut order);
        // Those that begin with the first agent; they come first, but for pairs.
        let first = if all.kind == Kind::Pairs { all.count() } else { all.count() / agents as u128 };
        let mut starts = Vec::new();
        if first <= MOST_STARTS {
            starts = (0..first as u64).map(|index| all.get(index)).filter(|row| row[0] == 0).collect();
        }
        // With all agents in every game, they play equally often in any case.
        if agents <= MOST_ORDERED && different.min(seats) < agents {
            starts = even(starts, agents);
        }
        let starts = starts.concat();
        let met = vec![0; seats * seats * agents];
        let (costs, expected) = (vec![0.0; met.len()], [same, (1.0 - same) / (agents as f64 - 1.0).max(1.0)]);
        Circle { all, rng, order, starts, blocks: 0, met, costs, expected }
    }

    fn block(&mut self) -> Vec<Vec<usize>> {
        let k = self.all.agents;
        self.price();
        let start = self.cheapest();
        self.distances(&start).collect::<Vec<usize>>().into_iter().for_each(|at| self.met[at] += 1);
        self.blocks += 1;
        let turns = self.turns(&start);
        let row = |turn: usize| start.iter().map(|at| self.order[(at + turn) % k]).collect();
        turns.into_iter().map(row).collect()
    }

    /// Sets the costs for one more block.
    fn price(&mut self) {
        let (k, blocks) = (self.all.agents, (self.blocks + 1) as f64);
        for (at, cost) in self.costs.iter_mut().enumerate() {
            let (met, expected) = (f64::from(self.met[at]), self.expected[usize::from(!at.is_multiple_of(k))]);
            // In the first game of the block it would be too often, or without it too rare in the last.
            let is_most = met + 1.0 - (blocks - 1.0 + 1.0 / k as f64) * expected > 2.0;
            let is_least = blocks * expected - met > 2.0;
            let bound = f64::from(u8::from(is_most)) - f64::from(u8::from(is_least));
            *cost = steep(0.7 * (met + 0.5 - blocks * expected)) + bound * BOUND;
        }
    }

    /// The places of a seating's distances among the counts.
    fn distances(&self, row: &[usize]) -> impl Iterator<Item = usize> {
        let (n, k) = (self.all.seats, self.all.agents);
        (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i * n + j) * k + (row[j] + k - row[i]) % k))
    }

    fn cost(&self, row: &[usize]) -> f64 {
        self.distances(row).map(|at| self.costs[at]).sum()
    }

    /// The cheapest seating, of equals the first from a random one on.
    fn cheapest(&mut self) -> Vec<usize> {
        let n = self.all.seats;
        let drawn: Vec<usize> = if self.starts.is_empty() {
            let most = u64::try_from(self.all.count()).unwrap_or(u64::MAX);
            (0..DRAWN_STARTS).flat_map(|_| self.all.get(self.rng.bits() % most)).collect()
        } else {
            Vec::new()
        };
        let first = self.rng.below(self.starts.len().max(drawn.len()) / n);
        let starts = if drawn.is_empty() { &self.starts } else { &drawn };
        let (late, early) = starts.split_at(first * n);
        let rows = early.chunks(n).chain(late.chunks(n)).map(|row| (self.cost(row), row));
        if starts.len() > FEW_STARTS * n {
            let best = rows.reduce(|best, next| if next.0 < best.0 - 1e-9 { next } else { best });
            return best.expect("there is a seating").1.to_vec();
        }
        let mut rows: Vec<(f64, Vec<usize>)> = rows.map(|(cost, row)| (cost, row.to_vec())).collect();
        rows.sort_by(|one, other| one.0.total_cmp(&other.0));
        rows.truncate(LOOKED_AT);
        let looked_at = rows.into_iter().map(|(cost, row)| (cost + self.next_cost(&row), row));
        let best = looked_at.reduce(|best, next| if next.0 < best.0 - 1e-9 { next } else { best });
        best.expect("there is a seating").1
    }

    /// What this block, begun with a seating, and the next one cost together at least, as things stand after the next.
    fn next_cost(&mut self, row: &[usize]) -> f64 {
        let (n, costs, places) = (self.all.seats, self.costs.clone(), self.distances(row).collect::<Vec<usize>>());
        self.blocks += 1;
        self.price();
        let own = self.cost(row);
        places.iter().for_each(|&at| self.met[at] += 1);
        self.price();
        let least = self.starts.chunks(n).map(|row| self.cost(row)).fold(f64::INFINITY, f64::min);
        places.iter().for_each(|&at| self.met[at] -= 1);
        self.blocks -= 1;
        self.costs = costs;
        own + least
    }

    /// The order of a block's games, as turns of the circle.
    fn turns(&mut self, start: &[usize]) -> Vec<usize> {
        let (k, set) = (self.all.agents, sorted(start));
        if set.len() == k || k > MOST_ORDERED {
            let mut turns: Vec<usize> = (0..k).collect();
            self.rng.shuffle(&mut turns);
            return if set.len() == k { turns } else { by_load(&set, k, turns) };
        }
        best_order(&set, k).1
    }
}

/// The different agents of a seating, as places in the circle.
fn sorted(row: &[usize]) -> Vec<usize> {
    let mut set = row.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}

/// The order of turns in which agents play most evenly: at any moment, the number of games of the agent that is furthest from an equal
/// number is as close to it as can be. The answer has this largest distance as well. For at most [`MOST_ORDERED`] agents.
fn best_order(set: &[usize], k: usize) -> (f64, Vec<usize>) {
    // Who has played how often depends on which turns there have been, and not on their order.
    let mut played = vec![[0u8; MOST_ORDERED]; 1 << k];
    let mut least = vec![(0.0f64, 0); 1 << k];
    for turns in 1usize..1 << k {
        let one = turns.trailing_zeros() as usize;
        played[turns] = played[turns & (turns - 1)];
        set.iter().for_each(|at| played[turns][(at + one) % k] += 1);
        let even = (turns.count_ones() as usize * set.len()) as f64 / k as f64;
        let off = played[turns][..k].iter().map(|&games| (f64::from(games) - even).abs()).fold(0.0, f64::max);
        let last = (0..k).filter(|turn| turns >> turn & 1 == 1).map(|turn| (least[turns & !(1 << turn)].0, turn));
        let best = last.reduce(|best, next| if next.0 < best.0 { next } else { best });
        let (before, turn) = best.expect("there is a last one");
        least[turns] = (off.max(before), turn);
    }
    let (mut turns, mut order) = ((1 << k) - 1, Vec::new());
    let worst = least[turns].0;
    while turns > 0 {
        order.push(least[turns].1);
        turns &= !(1 << least[turns].1);
    }
    order.reverse();
    (worst, order)
}

/// The same with many agents, where not all orders can be tried: next is always a turn whose agents have played least.
fn by_load(set: &[usize], k: usize, mut left: Vec<usize>) -> Vec<usize> {
    let (mut played, mut order) = (vec![0usize; k], Vec::new());
    while !left.is_empty() {
        let load = |turn: usize| set.iter().map(|at| played[(at + turn) % k]).sum::<usize>();
        let next = (0..left.len()).min_by_key(|&at| load(left[at])).expect("some are left");
        let turn = left.swap_remove(next);
        set.iter().for_each(|at| played[(at + turn) % k] += 1);
        order.push(turn);
    }
    order
}

/// Those of some seatings with which agents play evenly at any moment of a block: within one game of an equal number or, if that leaves out
/// distances in the circle that are needed, within as little more as it takes.
fn even(starts: Vec<Vec<usize>>, k: usize) -> Vec<Vec<usize>> {
    // Seatings of the same agents are alike, and so are those of others at the same distances.
    let turned = |set: &[usize], turn: usize| sorted(&set.iter().map(|at| (at + turn) % k).collect::<Vec<usize>>());
    let key = |row: &[usize]| (0..k).map(|turn| turned(row, turn)).min().unwrap_or_default();
    let mut worst: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    let mut sets = Vec::new();
    for row in &starts {
        let set = key(row);
        worst.entry(set.clone()).or_insert_with(|| best_order(&set, k).0);
        sets.push(set);
    }
    let mut limits: Vec<f64> = worst.values().map(|worst| worst.max(1.0)).collect();
    limits.sort_by(f64::total_cmp);
    let is_within = |set: &Vec<usize>, limit: f64| worst[set] <= limit + 1e-9;
    let enough = limits.iter().find(|&&limit| {
        let some: Vec<&Vec<usize>> = worst.keys().filter(|set| is_within(set, limit)).collect();
        balances(&some, k)
    });
    let limit = enough.copied().unwrap_or(f64::INFINITY);
    starts.into_iter().zip(sets).filter(|(_, set)| is_within(set, limit)).map(|(row, _)| row).collect()
}

/// Whether agents at all distances in the circle meet equally often in the end, if sets of agents are chosen for that.
fn balances(sets: &[&Vec<usize>], k: usize) -> bool {
    const STEPS: usize = 400;
    let distances = |set: &[usize]| -> Vec<usize> {
        let pairs = set.iter().flat_map(|a| set.iter().map(move |b| (b + k - a) % k));
        pairs.filter(|&distance| distance != 0).collect()
    };
    let lists: Vec<Vec<usize>> = sets.iter().map(|set| distances(set)).collect();
    let Some(per_step) = lists.first().map(Vec::len) else { return false };
    let mut met = vec![0u64; k];
    for _ in 0..STEPS {
        // Those who have met least.
        let next = lists.iter().min_by_key(|list| list.iter().map(|&distance| met[distance]).sum::<u64>());
        next.into_iter().flatten().for_each(|&distance| met[distance] += 1);
    }
    let expected = (STEPS * per_step) as f64 / (k - 1) as f64;
    met[1..].iter().all(|&met| (met as f64 - expected).abs() <= 2.0 * per_step as f64)
}

/// Rounds of as many games as there are seats, the first agent on each of them once.
struct First {
    agents: usize,
    seats: usize,
    rng: Rng,
    games: u64,
    /// For each two seats i < j and agents a, b: how often a sat on i and b on j.
    met: Vec<u32>,
    /// What it costs if a sits on i and b on j once more: positive if they have met too often.
    costs: Vec<f64>,
    /// How often each agent sat on each seat, and in how many games it was.
    sat: Vec<u32>,
    took_part: Vec<u32>,
}

/// Sweeps of the local search for one game; it ends earlier if there is nothing to improve.
const SWEEPS: usize = 30;

impl First {
    fn new(all: &Seatings, rng: Rng) -> First {
        let &Seatings { agents, seats, .. } = all;
        let met = vec![0; seats * seats * agents * agents];
        let (costs, sat, took_part) = (vec![0.0; met.len()], vec![0; agents * seats], vec![0; agents]);
        First { agents, seats, rng, games: 0, met, costs, sat, took_part }
    }

    /// The place of "a on i and b on j" among the counts.
    fn cell(&self, i: usize, j: usize, a: usize, b: usize) -> usize {
        ((i * self.seats + j) * self.agents + a) * self.agents + b
    }

    /// The places of the pairs in a game.
    fn pairs_of(&self, row: &[usize]) -> impl Iterator<Item = usize> {
        (0..self.seats).flat_map(move |i| (i + 1..self.seats).map(move |j| self.cell(i, j, row[i], row[j])))
    }

    fn enter(&mut self, row: &[usize]) {
        let cells: Vec<usize> = self.pairs_of(row).collect();
        cells.into_iter().for_each(|cell| self.met[cell] += 1);
        for (seat, &agent) in row.iter().enumerate() {
            self.sat[agent * self.seats + seat] += 1;
            self.took_part[agent] += 1;
        }
        self.games += 1;
    }

    /// Sets the costs for one more game.
    fn price(&mut self) {
        let (games, n, k) = ((self.games + 1) as f64, self.seats as f64, self.agents as f64);
        let others = (n - 2.0) / n / ((k - 1.0) * (k - 2.0));
        for (cell, cost) in self.costs.iter_mut().enumerate() {
            let (a, b) = (cell / self.agents % self.agents, cell % self.agents);
            // The first agent is in every game, and nobody sits twice.
            let expected = match a == 0 || b == 0 {
                _ if a == b => 0.0,
                true => 1.0 / (n * (k - 1.0)),
                false => others,
            };
            *cost = steep(f64::from(self.met[cell]) + 0.5 - games * expected);
        }
    }

    fn cost(&self, row: &[usize]) -> f64 {
        self.pairs_of(row).map(|cell| self.costs[cell]).sum()
    }

    /// A round. Each game is the cheapest that a local search finds: first those who took part least, on the seats where they sat least.
    fn round(&mut self) -> Vec<Vec<usize>> {
        let mut seats: Vec<usize> = (0..self.seats).collect();
        self.rng.shuffle(&mut seats);
        let mut rows = Vec::new();
        for &seat in &seats {
            self.price();
            let mut best: Option<(f64, Vec<usize>)> = None;
            for _ in 0..8 {
                let found = self.around(seat);
                if best.as_ref().is_none_or(|best| found.0 < best.0 - 1e-9) {
                    best = Some(found);
                }
            }
            let (_, row) = best.expect("it was tried");
            self.enter(&row);
            rows.push(row);
        }
        rows
    }

    /// A game with the first agent on a seat, from a random start, and its cost.
    fn around(&mut self, seat: usize) -> (f64, Vec<usize>) {
        let (others, n) = (self.agents - 1, self.seats as f64);
        let mut waiting: Vec<usize> = (1..self.agents).collect();
        self.rng.shuffle(&mut waiting);
        waiting.sort_by_key(|&agent| self.took_part[agent]);
        let mut row: Vec<usize> = waiting.drain(..self.seats - 1).collect();
        self.rng.shuffle(&mut row);
        row.insert(seat, 0);
        let per_agent = (self.games + 1) as f64 * (n - 1.0) / others as f64;
        let total = |row: &[usize]| {
            let mut sum = self.cost(row);
            for (at, &agent) in row.iter().enumerate().filter(|(_, agent)| **agent != 0) {
                let sat = f64::from(self.sat[agent * self.seats + at]);
                sum += 10.0 * steep(sat + 0.5 - per_agent / n);
                sum += 1000.0 * steep(f64::from(self.took_part[agent]) + 0.5 - per_agent);
            }
            sum
        };
        let mut cost = total(&row);
        for _ in 0..SWEEPS {
            let before = cost;
            for i in (0..self.seats).filter(|&i| i != seat) {
                for j in (i + 1..self.seats).filter(|&j| j != seat) {
                    row.swap(i, j);
                    let changed = total(&row);
                    if changed < cost - 1e-9 {
                        cost = changed;
                    } else {
                        row.swap(i, j);
                    }
                }
                for other in &mut waiting {
                    std::mem::swap(&mut row[i], other);
                    let changed = total(&row);
                    if changed < cost - 1e-9 {
                        cost = changed;
                    } else {
                        std::mem::swap(&mut row[i], other);
                    }
                }
            }
            if cost >= before {
                break;
            }
        }
        (cost, row)
    }
}

/// What it costs to add to a count that is off by this: steep on both sides, so that what is far off counts most. It is made of
/// products, which are the same on every machine.
fn steep(off: f64) -> f64 {
    let cube = off * off * off;
    off + 4.0 * cube + 2.0 * cube * cube * off
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_agents_have_two_to_the_n_less_two_seatings() {
        for seats in 2..=6 {
            assert_eq!(seatings(2, seats).len(), (1 << seats) - 2);
        }
        assert_eq!(seatings(3, 3).len(), 6);
        assert_eq!(seatings(1, 4), [[0, 0, 0, 0]]);
    }

    #[test]
    fn every_agent_sits_on_every_seat_equally_often() {
        for (agents, seats) in [(2, 4), (3, 4), (4, 4), (3, 6), (5, 3)] {
            let all = seatings(agents, seats);
            for seat in 0..seats {
                for agent in 0..agents {
                    let count = all.iter().filter(|seating| seating[seat] == agent).count();
                    assert_eq!(count * agents, all.len(), "{agents} agents in {seats} seats");
                }
            }
        }
    }

    /// All seatings by counting up, as every version before sampling listed them.
    fn listed(agents: usize, seats: usize) -> Vec<Vec<usize>> {
        let (mut all, mut seating) = (Vec::new(), vec![0; seats]);
        loop {
            let used = (0..agents).filter(|agent| seating.contains(agent)).count();
            if used == agents.min(seats) {
                all.push(seating.clone());
            }
            let Some(seat) = seating.iter().rposition(|&agent| agent + 1 < agents) else { return all };
            seating[seat] += 1;
            seating[seat + 1..].fill(0);
        }
    }

    #[test]
    fn seatings_are_counted_and_found_by_their_index_as_if_they_were_listed_and_the_heaviest_is_found_too() {
        for (agents, seats) in (1..=6).flat_map(|agents| (1..=5).map(move |seats| (agents, seats))) {
            let every = |schedule| {
                let all = Seatings::new(agents, seats, Seating::All, schedule);
                (0..all.count() as u64).map(|index| all.get(index)).collect::<Vec<_>>()
            };
            let all = listed(agents, seats);
            assert_eq!(every(Schedule::All), all, "{agents} agents in {seats} seats");
            let with_first: Vec<Vec<usize>> = all.into_iter().filter(|seating| seating.contains(&0)).collect();
            assert_eq!(every(Schedule::Gauntlet), with_first, "{agents} agents in {seats} seats");
            if agents >= 2 && seats >= 2 {
                let mut pairs = every(Schedule::Pairs);
                pairs.sort();
                let two = listed(2, seats);
                let of = |a: usize, b: usize| {
                    two.iter().map(move |seating| seating.iter().map(|&agent| [a, b][agent]).collect::<Vec<usize>>())
                };
                let mut expected: Vec<Vec<usize>> =
                    (0..agents).flat_map(|a| (a + 1..agents).flat_map(move |b| of(a, b))).collect();
                expected.sort();
                assert_eq!(pairs, expected, "{agents} agents in {seats} seats");
            }
        }
        let weights = [5, 0, 9, 2, 7, 1];
        let sum = |seating: Vec<usize>| seating.into_iter().map(|agent| weights[agent]).sum::<u64>();
        for (agents, seats) in (2..=6).flat_map(|agents| (2..=4).map(move |seats| (agents, seats))) {
            for schedule in [Schedule::All, Schedule::Gauntlet, Schedule::Pairs] {
                let all = Seatings::new(agents, seats, Seating::All, schedule);
                let most = (0..all.count() as u64).map(|index| sum(all.get(index))).max();
                assert_eq!(Some(sum(all.heaviest(&weights[..agents]))), most, "{agents} agents in {seats} seats");
            }
        }
        let many = Seatings::new(12, 6, Seating::All, Schedule::All);
        assert_eq!((many.count(), many.get(665_279)), (665_280, vec![11, 10, 9, 8, 7, 6]));
        assert_eq!(Seatings::new(60, 60, Seating::All, Schedule::All).count(), u128::MAX);
    }

    fn sample(agents: usize, seats: usize, schedule: Schedule, seed: u64, games: u64) -> Vec<Vec<usize>> {
        let mut made = Games::new(Seatings::new(agents, seats, Seating::All, schedule), true, seed);
        (0..games).map(|number| made.seating(number)).collect()
    }

    /// The largest differences from perfect balance after any number of games: of an agent's games, of its games on a seat, and
    /// of two agents' games on two seats. What is perfect is how often each is in all seatings.
    fn imbalance(agents: usize, seats: usize, schedule: Schedule, games: &[Vec<usize>]) -> [f64; 3] {
        let all = Seatings::new(agents, seats, Seating::All, schedule);
        // Agents other than the first are alike, and so are seats.
        let (k, n) = (agents as f64, seats as f64);
        let different = if all.kind == Kind::Pairs { 2 } else { agents };
        let same = if seats > different {
            let two = |seats: usize| Seatings::new(different, seats, Seating::All, Schedule::All).count() as f64;
            two(seats - 1) / two(seats)
        } else {
            0.0
        };
        let with_first = all.kind == Kind::WithFirst;
        let in_game = |agent: usize| match all.kind {
            Kind::WithFirst => {
                if agent == 0 {
                    1.0
                } else {
                    (n - 1.0) / (k - 1.0)
                }
            }
            Kind::Pairs => 2.0 / k,
            Kind::Together | Kind::Fixed => (n / k).min(1.0),
        };
        let on_seat = |agent: usize| if with_first { in_game(agent) / n } else { 1.0 / k };
        let meet = |a: usize, b: usize| match (a, b) {
            _ if a == b => same / k,
            (0, _) | (_, 0) if with_first => 1.0 / (n * (k - 1.0)),
            _ if with_first => (n - 2.0) / n / ((k - 1.0) * (k - 2.0)),
            _ => (1.0 - same) / (k * (k - 1.0)),
        };
        // A count is furthest off just before it grows, just after it, or in the end.
        let off = |count: f64, perfect: f64| (count - perfect).abs();
        let mut counts = [vec![0.0f64; agents], vec![0.0; agents * seats], vec![0.0; (agents * seats).pow(2)]];
        let mut worst = [0.0f64; 3];
        let mut grow = |what: usize, cell: usize, expected: f64, played: f64| {
            let count = &mut counts[what][cell];
            let before = off(*count, (played - 1.0) * expected);
            *count += 1.0;
            worst[what] = worst[what].max(before).max(off(*count, played * expected));
        };
        for (number, row) in games.iter().enumerate() {
            let played = number as f64 + 1.0;
            (0..agents).filter(|a| row.contains(a)).for_each(|a| grow(0, a, in_game(a), played));
            for (i, &a) in row.iter().enumerate() {
                grow(1, a * seats + i, on_seat(a), played);
                for (j, &b) in row.iter().enumerate().filter(|(j, _)| *j != i) {
                    grow(2, (a * seats + i) * agents * seats + b * seats + j, meet(a, b), played);
                }
            }
        }
        let played = games.len() as f64;
        for (a, i) in (0..agents).flat_map(|a| (0..seats).map(move |i| (a, i))) {
            worst[0] = worst[0].max(off(counts[0][a], played * in_game(a)));
            worst[1] = worst[1].max(off(counts[1][a * seats + i], played * on_seat(a)));
            for (b, j) in (0..agents).flat_map(|b| (0..seats).map(move |j| (b, j))).filter(|&(_, j)| j != i) {
                let found = counts[2][(a * seats + i) * agents * seats + b * seats + j];
                worst[2] = worst[2].max(off(found, played * meet(a, b)));
            }
        }
        worst
    }

    /// Agents and seats with which agents cannot play within one game of an equal number if pairs are even.
    const UNEVEN: [(usize, usize); 9] = [(8, 3), (8, 5), (9, 2), (9, 4), (9, 5), (10, 3), (12, 2), (12, 3), (12, 5)];

    #[test]
    fn samples_are_balanced_after_any_number_of_games() {
        let mut rng = Rng::new(17);
        for (schedule, count) in [(Schedule::All, 200), (Schedule::Pairs, 40), (Schedule::Gauntlet, 40)] {
            for _ in 0..count {
                let (agents, seats) = (2 + rng.below(11), 2 + rng.below(5));
                let (games, seed) = (10 + rng.below(991) as u64, rng.bits());
                let found = imbalance(agents, seats, schedule, &sample(agents, seats, schedule, seed, games));
                // The bounds that docs/tournaments.md gives.
                let most = match schedule {
                    Schedule::All if UNEVEN.contains(&(agents, seats)) => [1.25, 1.0, 2.0],
                    Schedule::All => [1.0, 1.0, 2.0],
                    Schedule::Pairs => [1.2, 1.0, 2.5],
                    Schedule::Gauntlet if agents <= seats => [1.0, 1.0, 2.0],
                    Schedule::Gauntlet => [1.0, 2.0, 2.75],
                };
                let is_even = found.iter().zip(most).all(|(found, most)| *found <= most + 1e-9);
                assert!(is_even, "{schedule:?}, {agents} agents in {seats} seats, {games} games: {found:?}");
            }
        }
    }

    #[test]
    fn the_check_of_balance_finds_what_is_not_balanced() {
        let found = imbalance(4, 3, Schedule::All, &vec![vec![0, 1, 2]; 12]);
        assert!(found[0] > 1.0 && found[1] > 1.0 && found[2] > 2.0, "{found:?}");
        let whole = imbalance(4, 3, Schedule::All, &sample(4, 3, Schedule::All, 1, 24));
        assert!(whole[0] <= 1.0 && whole[1] <= 1.0, "{whole:?}");
    }

    #[test]
    fn a_sample_is_the_beginning_of_any_longer_one_and_depends_on_the_seed() {
        for (agents, seats, schedule) in
            [(12, 6, Schedule::All), (3, 5, Schedule::All), (5, 4, Schedule::Pairs), (6, 3, Schedule::Gauntlet)]
        {
            let long = sample(agents, seats, schedule, 7, 100);
            assert_eq!(long[..37], sample(agents, seats, schedule, 7, 37));
            assert_ne!(long, sample(agents, seats, schedule, 8, 100));
            // Numbers may be left out, as those of games that are kept already.
            let mut other = Games::new(Seatings::new(agents, seats, Seating::All, schedule), true, 7);
            assert_eq!((other.seating(50), other.seating(99)), (long[50].clone(), long[99].clone()));
        }
    }

    #[test]
    fn every_agent_sits_on_every_seat_once_in_a_block_of_a_sample() {
        for (agents, seats, schedule) in
            [(12, 6, Schedule::All), (3, 5, Schedule::All), (5, 4, Schedule::Pairs), (6, 2, Schedule::Pairs)]
        {
            for block in sample(agents, seats, schedule, 3, 10 * agents as u64).chunks(agents) {
                for seat in 0..seats {
                    let mut there: Vec<usize> = block.iter().map(|row| row[seat]).collect();
                    there.sort_unstable();
                    assert!(there.into_iter().eq(0..agents), "{block:?}");
                }
            }
        }
        for round in sample(6, 3, Schedule::Gauntlet, 3, 60).chunks(3) {
            assert!((0..3).all(|seat| round.iter().filter(|row| row[seat] == 0).count() == 1), "{round:?}");
        }
    }
}
