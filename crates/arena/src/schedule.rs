//! Who plays whom, and where: the seatings of a match, and the order in which they are played.
//!
//! A match with at least as many games as seatings plays all of them equally often, in lexical order, round by round. With fewer
//! games it plays a balanced sample, made block by block. In a block every agent sits on every seat once, so at any moment no
//! agent has been on a seat more than one game too often or too rarely. Within that, a local search makes the pairs "a on seat i
//! and b on seat j" as even as it can. What is sampled depends on the match's seed and on nothing else, least of all on the number
//! of games: a sample is the beginning of any longer one.

use std::collections::{HashMap, VecDeque};

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

/// A balanced sample of seatings.
struct Sample {
    agents: usize,
    seats: usize,
    kind: Kind,
    rng: Rng,
    /// Games that have been made, those of the current block among them.
    games: u64,
    /// The rest of the current block.
    block: VecDeque<Vec<usize>>,
    /// For each two seats i < j and agents a, b: how often a sat on i and b on j in the blocks before.
    met: Vec<u32>,
    /// The part of games in which that is so in all seatings together: for two agents, and for one on both seats.
    expected: [f64; 2],
    /// What it costs if a sits on i and b on j once more: positive if they have met too often.
    costs: Vec<f64>,
    /// The agents in a circle, and the seats in some order.
    circle: (Vec<usize>, Vec<usize>),
    /// With the first agent in every game: how often each agent sat on each seat, and in how many games it was.
    sat: Vec<u32>,
    took_part: Vec<u32>,
}

/// Sweeps of the local search over one block; it ends earlier if there is nothing to improve.
const SWEEPS: usize = 30;
/// How often the search is repeated for a block, and at most, if it is not within the bounds.
const TRIES: usize = 4;
const MOST_TRIES: usize = 60;

impl Sample {
    fn new(all: &Seatings, seed: u64) -> Sample {
        let &Seatings { agents, seats, kind, .. } = all;
        let (k, n) = (agents as f64, seats as f64);
        let expected = match kind {
            // The first agent's own meetings are looked up apart.
            Kind::WithFirst => [(n - 2.0) / n / ((k - 1.0) * (k - 2.0)), 0.0],
            Kind::Fixed | Kind::Together | Kind::Pairs => {
                // Two seats have the same agent as often as if they were one.
                let different = if kind == Kind::Pairs { 2 } else { agents };
                let count = |seats: usize| ways(different, seats)[seats][0][1] as f64;
                let same = if seats > different { count(seats - 1) / count(seats) } else { 0.0 };
                [(1.0 - same) / (k * (k - 1.0)), same / k]
            }
        };
        let met = vec![0; seats * seats * agents * agents];
        let (costs, sat, took_part) = (vec![0.0; met.len()], vec![0; agents * seats], vec![0; agents]);
        let rng = Rng::new(mix(seed ^ 0x5ea7));
        let (circle, block) = ((Vec::new(), Vec::new()), VecDeque::new());
        Sample { agents, seats, kind, rng, games: 0, block, met, expected, costs, circle, sat, took_part }
    }

    fn seating(&mut self, number: u64) -> Vec<usize> {
        loop {
            if self.block.is_empty() {
                self.make_block();
            }
            let first = self.games - self.block.len() as u64;
            assert!(first <= number, "a sample goes forward");
            let seating = self.block.pop_front().expect("a block has games");
            if first == number {
                return seating;
            }
        }
    }

    fn make_block(&mut self) {
        let block = match self.kind {
            Kind::Fixed => vec![(0..self.seats).collect()],
            Kind::WithFirst => self.round_of_first(),
            Kind::Together if self.agents > 2 => {
                self.price(self.agents as u64);
                self.everybody()
            }
            Kind::Together | Kind::Pairs => {
                self.price(self.agents as u64);
                self.pairs()
            }
        };
        if self.kind != Kind::WithFirst {
            block.iter().for_each(|row| self.enter(row));
        }
        self.games += block.len() as u64;
        self.block = block.into();
    }

    /// The place of "a on i and b on j" among the counts.
    fn cell(&self, i: usize, j: usize, a: usize, b: usize) -> usize {
        ((i * self.seats + j) * self.agents + a) * self.agents + b
    }

    /// The places of the pairs in a game.
    fn pairs_of(&self, row: &[usize]) -> impl Iterator<Item = usize> {
        (0..self.seats).flat_map(move |i| (i + 1..self.seats).map(move |j| self.cell(i, j, row[i], row[j])))
    }

    /// All places that a pair can have, and the part of games in which it should occur.
    fn cells(&self) -> impl Iterator<Item = (usize, f64)> {
        let seats = (0..self.seats).flat_map(|i| (i + 1..self.seats).map(move |j| (i, j)));
        let agents = move || (0..self.agents).flat_map(|a| (0..self.agents).map(move |b| (a, b)));
        seats.flat_map(move |(i, j)| {
            agents().map(move |(a, b)| {
                let is_first = self.kind == Kind::WithFirst && (a == 0 || b == 0) && a != b;
                let expected = if is_first {
                    1.0 / (self.seats * (self.agents - 1)) as f64
                } else {
                    self.expected[usize::from(a == b)]
                };
                (self.cell(i, j, a, b), expected)
            })
        })
    }

    fn enter(&mut self, row: &[usize]) {
        let cells: Vec<usize> = self.pairs_of(row).collect();
        cells.into_iter().for_each(|cell| self.met[cell] += 1);
    }

    /// Sets the costs for so many more games.
    fn price(&mut self, more: u64) {
        let games = (self.games + more) as f64;
        let mut costs = std::mem::take(&mut self.costs);
        for (cell, expected) in self.cells() {
            costs[cell] = steep(f64::from(self.met[cell]) + 0.5 - games * expected);
        }
        self.costs = costs;
    }

    fn cost(&self, row: &[usize]) -> f64 {
        self.pairs_of(row).map(|cell| self.costs[cell]).sum()
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..count).collect();
        self.rng.shuffle(&mut items);
        items
    }

    /// A block of as many games as there are agents, every agent on every seat once.
    fn everybody(&mut self) -> Vec<Vec<usize>> {
        let (k, n) = (self.agents, self.seats);
        // If k is prime, k − 1 blocks with the same circle and another step through it have every pair once on every two seats.
        let is_prime = (2..k).all(|part| !k.is_multiple_of(part)) && k >= n;
        let step = if is_prime { 1 + (self.games / k as u64 % (k as u64 - 1)) as usize } else { 1 };
        if step == 1 {
            self.circle = (self.shuffled(k), self.shuffled(n));
        }
        let (order, seats) = &self.circle;
        let mut rows = vec![vec![0; n]; k];
        if k < n {
            // The first k seats are a Latin square, so every row has everybody.
            for (at, &seat) in seats.iter().enumerate() {
                let shift = if at < k { at } else { self.rng.below(k) };
                (0..k).for_each(|game| rows[game][seat] = order[(game + shift) % k]);
            }
        } else {
            // The agents in a circle, n at a time: all take part equally often at any moment. After k / gcd(k, n) games the
            // windows come again, shifted by a seat.
            let period = k / gcd(k, n);
            for (game, offset) in (0..k).flat_map(|game| (0..n).map(move |offset| (game, offset))) {
                rows[game][seats[(offset + game / period) % n]] = order[(game * n + offset) * step % k];
            }
        }
        if is_prime {
            return rows;
        }
        let mut least = self.improve(&mut rows);
        // Disturbed a little and improved again, as often as it takes.
        for tried in 0..MOST_TRIES {
            if tried >= TRIES && self.is_within(&rows) {
                break;
            }
            let mut other = rows.clone();
            for _ in 0..1 + tried % 3 {
                relabel(&mut other, self.rng.below(k), self.rng.below(k));
                let (i, j) = (self.rng.below(n), self.rng.below(n));
                other.iter_mut().for_each(|row| row.swap(i, j));
            }
            let cost = self.improve(&mut other);
            if cost < least {
                (rows, least) = (other, cost);
            }
        }
        rows
    }

    /// Whether, at any moment of this block, all pairs of agents on two seats have met as often as they should, rounded up or down,
    /// within two games.
    fn is_within(&self, rows: &[Vec<usize>]) -> bool {
        let mut met = self.met.clone();
        for (row, games) in rows.iter().zip(self.games..) {
            for (i, j) in (0..self.seats).flat_map(|i| (i + 1..self.seats).map(move |j| (i, j))) {
                let (cell, expected) = (self.cell(i, j, row[i], row[j]), self.expected[usize::from(row[i] == row[j])]);
                let few = (games as f64 * expected).floor() - 2.0;
                met[cell] += 1;
                let many = ((games + 1) as f64 * expected).ceil() + 2.0;
                if f64::from(met[cell] - 1) < few || f64::from(met[cell]) > many {
                    return false;
                }
            }
        }
        let games = self.games as f64 + rows.len() as f64;
        self.cells().all(|(cell, expected)| f64::from(met[cell]) >= (games * expected).floor() - 2.0)
    }

    /// Puts cheap games first, so that no pair meets too often too early.
    fn sort(&self, rows: &mut [Vec<usize>]) {
        let (k, n) = (self.agents, self.seats);
        let mut costs: Vec<f64> = rows.iter().map(|row| self.cost(row)).collect();
        for _ in 0..k {
            for game in 0..k - 1 {
                let two = [rows[game + 1].clone(), rows[game].clone()];
                let may = k <= n || self.may_exchange(rows, &two, (game, game + 1), &prefix_counts(rows, k));
                if costs[game] > costs[game + 1] && may {
                    rows.swap(game, game + 1);
                    costs.swap(game, game + 1);
                }
            }
        }
    }

    /// Makes a block cheaper by exchanges that leave every agent on every seat once; its cost.
    fn improve(&self, rows: &mut [Vec<usize>]) -> f64 {
        let (k, n) = (self.agents, self.seats);
        let mut costs: Vec<f64> = rows.iter().map(|row| self.cost(row)).collect();
        let mut held = prefix_counts(rows, k);
        for _ in 0..SWEEPS {
            let mut is_better = false;
            // Two games exchange the agents of some seats.
            for (g, h) in (0..k).flat_map(|g| (g + 1..k).map(move |h| (g, h))) {
                for seat in 0..n {
                    let mut new = [rows[g].clone(), rows[h].clone()];
                    exchange(&mut new, seat, k >= n);
                    let new_costs = [self.cost(&new[0]), self.cost(&new[1])];
                    let is_cheaper = new_costs[0] + new_costs[1] < costs[g] + costs[h] - 1e-9;
                    if is_cheaper && self.may_exchange(rows, &new, (g, h), &held) {
                        [rows[g], rows[h]] = new;
                        (costs[g], costs[h], is_better) = (new_costs[0], new_costs[1], true);
                        if k > n {
                            held = prefix_counts(rows, k);
                        }
                    }
                }
            }
            // Two seats exchange their agents in some games.
            for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
                let mut is_seen = vec![false; k];
                for start in 0..k {
                    let mut games = Vec::new();
                    let mut game = start;
                    while !is_seen[game] {
                        is_seen[game] = true;
                        games.push(game);
                        let moved = rows[game][j];
                        game = rows.iter().position(|row| row[i] == moved).expect("everybody sits on every seat");
                    }
                    let mut change = 0.0;
                    for &game in &games {
                        rows[game].swap(i, j);
                        change += self.cost(&rows[game]) - costs[game];
                    }
                    if change < -1e-9 {
                        games.iter().for_each(|&game| costs[game] = self.cost(&rows[game]));
                        is_better = true;
                    } else {
                        games.iter().for_each(|&game| rows[game].swap(i, j));
                    }
                }
            }
            // Two agents exchange their names.
            for (a, b) in (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))) {
                relabel(rows, a, b);
                let new: Vec<f64> = rows.iter().map(|row| self.cost(row)).collect();
                if new.iter().sum::<f64>() < costs.iter().sum::<f64>() - 1e-9 {
                    (costs, is_better) = (new, true);
                } else {
                    relabel(rows, a, b);
                }
            }
            held = prefix_counts(rows, k);
            if !is_better {
                break;
            }
        }
        self.sort(rows);
        costs.iter().sum()
    }

    /// Whether two games of a block may become others: all agents are still there or, with more agents than seats, at no
    /// moment more than one game ahead or behind.
    fn may_exchange(
        &self,
        rows: &[Vec<usize>],
        new: &[Vec<usize>; 2],
        (g, h): (usize, usize),
        held: &[Vec<i64>],
    ) -> bool {
        let (k, n) = (self.agents, self.seats);
        if k <= n {
            return new.iter().all(|row| (0..k).all(|agent| row.contains(&agent)));
        }
        (0..k).all(|agent| {
            let change = i64::from(new[0].contains(&agent)) - i64::from(rows[g].contains(&agent));
            let is_even =
                |games: usize| ((held[games][agent] + change) * k as i64 - (games * n) as i64).abs() <= k as i64;
            change == 0 || (g + 1..=h).all(is_even)
        })
    }

    /// A block of as many games as there are agents, two agents in each: every agent twice, on the second time where its
    /// opponent was on the first, if only in the same circle.
    fn pairs(&mut self) -> Vec<Vec<usize>> {
        let k = self.agents;
        let mut order = self.shuffled(k);
        // Circles of two who play each other twice and, for an odd number, one of three.
        let odd = if k.is_multiple_of(2) { 0 } else { 3 };
        let circles = |order: &[usize]| -> Vec<Vec<usize>> {
            let three = (odd > 0).then(|| order[..odd].to_vec());
            three.into_iter().chain(order[odd..].chunks(2).map(<[usize]>::to_vec)).collect()
        };
        let mut known = HashMap::new();
        let mut load = |sample: &mut Sample, order: &[usize]| -> f64 {
            let cost = |circle: Vec<usize>| {
                *known.entry(circle).or_insert_with_key(|circle| {
                    let rows = sample.circle(circle);
                    rows.iter().map(|row| sample.cost(row)).sum::<f64>()
                })
            };
            circles(order).into_iter().map(cost).sum()
        };
        let mut least = load(self, &order);
        for _ in 0..SWEEPS {
            let before = least;
            for (i, j) in (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))) {
                order.swap(i, j);
                let changed = load(self, &order);
                if changed < least - 1e-9 {
                    least = changed;
                } else {
                    order.swap(i, j);
                }
            }
            if least >= before {
                break;
            }
        }
        // First one game of every pair, then the other.
        let (mut early, mut late) = (Vec::new(), Vec::new());
        for circle in circles(&order) {
            let games = self.circle(&circle);
            if let [first, second, third] = &games[..] {
                early.extend([first.clone(), second.clone()]);
                late.push(third.clone());
            } else {
                let mut games = games.into_iter();
                early.splice(0..0, games.next());
                late.splice(0..0, games.next());
            }
        }
        early.into_iter().chain(late).collect()
    }

    /// The games of a circle of agents: each plays the next, who sits where it does not; and so each agent is on every seat once
    /// in its two games.
    fn circle(&mut self, circle: &[usize]) -> Vec<Vec<usize>> {
        let patterns = ways(2, self.seats)[self.seats][0][1];
        // All of them or, with very many seats, some.
        let tried = patterns.min(4096) as usize;
        let first = self.rng.below(tried);
        let games = |pattern: u128| -> Vec<Vec<usize>> {
            let row = |at: usize| {
                let (own, next) = (circle[at], circle[(at + 1) % circle.len()]);
                (0..self.seats).map(|seat| if pattern >> seat & 1 == 0 { own } else { next }).collect()
            };
            (0..circle.len()).map(row).collect()
        };
        let step = patterns / tried as u128;
        let all = (0..tried).map(|index| games(1 + ((first + index) % tried) as u128 * step));
        let cost = |rows: &Vec<Vec<usize>>| rows.iter().map(|row| self.cost(row)).sum::<f64>();
        let (_, best) = all
            .map(|rows| (cost(&rows), rows))
            .reduce(|best, next| if next.0 < best.0 { next } else { best })
            .expect("two agents have a seating");
        best
    }

    /// A round of as many games as there are seats, the first agent on each of them once. Each game is the cheapest that a local
    /// search finds: first those who took part least, on the seats where they sat least.
    fn round_of_first(&mut self) -> Vec<Vec<usize>> {
        let seats = self.shuffled(self.seats);
        let mut rows = Vec::new();
        for (at, &seat) in seats.iter().enumerate() {
            self.price(at as u64 + 1);
            let games = (self.games + at as u64) as f64;
            let mut best: Option<(f64, Vec<usize>)> = None;
            for _ in 0..8 {
                let found = self.around(seat, games);
                if best.as_ref().is_none_or(|best| found.0 < best.0 - 1e-9) {
                    best = Some(found);
                }
            }
            let (_, row) = best.expect("it was tried");
            self.enter(&row);
            for (seat, &agent) in row.iter().enumerate() {
                self.sat[agent * self.seats + seat] += 1;
                self.took_part[agent] += 1;
            }
            rows.push(row);
        }
        rows
    }

    /// A game with the first agent on a seat, from a random start, and its cost.
    fn around(&mut self, seat: usize, games: f64) -> (f64, Vec<usize>) {
        let (others, n) = (self.agents - 1, self.seats as f64);
        let mut waiting: Vec<usize> = (1..self.agents).collect();
        self.rng.shuffle(&mut waiting);
        waiting.sort_by_key(|&agent| self.took_part[agent]);
        let mut row: Vec<usize> = waiting.drain(..self.seats - 1).collect();
        self.rng.shuffle(&mut row);
        row.insert(seat, 0);
        let per_agent = (games + 1.0) * (n - 1.0) / others as f64;
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

/// Exchanges the agents of a seat between two games and, if nobody may sit twice, of the seats that follow from it.
fn exchange(rows: &mut [Vec<usize>; 2], seat: usize, is_single: bool) {
    let mut seats = vec![seat];
    let mut at = 0;
    while at < seats.len() {
        let moved = seats[at];
        for (from, to) in [(0, 1), (1, 0)].into_iter().filter(|_| is_single) {
            let agent = rows[from][moved];
            if let Some(next) = rows[to].iter().position(|&other| other == agent).filter(|next| !seats.contains(next)) {
                seats.push(next);
            }
        }
        at += 1;
    }
    let [one, other] = rows;
    seats.into_iter().for_each(|seat| std::mem::swap(&mut one[seat], &mut other[seat]));
}

/// Exchanges two agents everywhere.
fn relabel(rows: &mut [Vec<usize>], a: usize, b: usize) {
    for agent in rows.iter_mut().flatten() {
        *agent = match *agent {
            other if other == a => b,
            other if other == b => a,
            other => other,
        };
    }
}

/// In how many of the first 0, 1, … games of a block each agent takes part.
fn prefix_counts(rows: &[Vec<usize>], agents: usize) -> Vec<Vec<i64>> {
    let mut all = vec![vec![0; agents]];
    for row in rows {
        let before = &all[all.len() - 1];
        all.push((0..agents).map(|agent| before[agent] + i64::from(row.contains(&agent))).collect());
    }
    all
}

/// What it costs to add to a count that is off by this: steep on both sides, so that what is far off counts most. It is made of
/// products, which are the same on every machine.
fn steep(off: f64) -> f64 {
    let cube = off * off * off;
    off + 4.0 * cube + 2.0 * cube * cube * off
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
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
        // A count is furthest off just before it grows, just after it, or in the end. Pairs are compared with the whole numbers next
        // to what is perfect.
        let off = |what: usize, count: f64, perfect: f64| match what {
            2 => (perfect.floor() - count).max(count - perfect.ceil()),
            _ => (count - perfect).abs(),
        };
        let mut counts = [vec![0.0f64; agents], vec![0.0; agents * seats], vec![0.0; (agents * seats).pow(2)]];
        let mut worst = [0.0f64; 3];
        let mut grow = |what: usize, cell: usize, expected: f64, played: f64| {
            let count = &mut counts[what][cell];
            let before = off(what, *count, (played - 1.0) * expected);
            *count += 1.0;
            worst[what] = worst[what].max(before).max(off(what, *count, played * expected));
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
            worst[0] = worst[0].max(off(0, counts[0][a], played * in_game(a)));
            worst[1] = worst[1].max(off(1, counts[1][a * seats + i], played * on_seat(a)));
            for (b, j) in (0..agents).flat_map(|b| (0..seats).map(move |j| (b, j))).filter(|&(_, j)| j != i) {
                let found = counts[2][(a * seats + i) * agents * seats + b * seats + j];
                worst[2] = worst[2].max(off(2, found, played * meet(a, b)));
            }
        }
        worst
    }

    #[test]
    fn samples_are_balanced_after_any_number_of_games() {
        let mut rng = Rng::new(17);
        for (schedule, count) in [(Schedule::All, 200), (Schedule::Pairs, 40), (Schedule::Gauntlet, 40)] {
            for _ in 0..count {
                let (agents, seats) = (2 + rng.below(11), 2 + rng.below(5));
                let (games, seed) = (10 + rng.below(991) as u64, rng.bits());
                let found = imbalance(agents, seats, schedule, &sample(agents, seats, schedule, seed, games));
                let on_seat = if schedule == Schedule::Gauntlet { 2.0 } else { 1.0 };
                let on_two = if schedule == Schedule::All { 2.0 } else { 3.0 };
                let is_even = found[0] <= 1.0 + 1e-9 && found[1] <= on_seat + 1e-9 && found[2] <= on_two;
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
