//! The walks of one search, which threads share.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use crate::mcts::arena::{Arena, Children, Node, Room};
use crate::mcts::numbers::{self, MoveNumbers};
use crate::{
    ByPlayer, Evaluator, Game, Meter, MoveOrder, OutOfBudget, Player, Rng, Score, Stance, TranspositionTable, mix,
};

use super::rule::{Rule, marks};
use super::{BestFirstPolicy, UbfmSettings};

/// The positions that a decision has looked at.
///
/// A node is a move to a position with that position's scores. Its children are a block of adjacent nodes, and a position that is reached
/// in several ways has one block, which several nodes have for their children.
pub(super) struct Graph<G: Game> {
    pub(super) arena: Arena,
    pub(super) numbers: MoveNumbers<G::Move>,
    /// The block of a position.
    table: TranspositionTable<1>,
    pub(super) root: u32,
    pub(super) game: G,
    shape: (usize, usize, usize),
}

impl<G: Game> Graph<G> {
    fn shape(game: &G, settings: &UbfmSettings) -> (usize, usize, usize) {
        (game.player_count(), settings.memory, settings.threads.max(1))
    }

    fn new(game: &G, settings: &UbfmSettings) -> Graph<G> {
        let shape @ (players, memory, threads) = Graph::shape(game, settings);
        let each = MoveNumbers::<G::Move>::bytes_each();
        let numbers = (memory / 16).max(numbers::LEAST as usize * each);
        let table = memory / 8;
        Graph {
            arena: Arena::new(players, memory.saturating_sub(numbers + table), threads),
            numbers: MoveNumbers::new(numbers / each),
            table: TranspositionTable::new(table),
            root: 0,
            game: game.clone(),
            shape,
        }
    }

    /// A graph with nothing but a root, in the memory of an old one if that has the right size.
    pub(super) fn plant(old: Option<Graph<G>>, game: &G, settings: &UbfmSettings, worker: &mut Worker<G>) -> Graph<G> {
        let is_fit = |old: &Graph<G>| old.shape == Graph::shape(game, settings) && !old.numbers.is_scarce();
        let mut graph = old.filter(is_fit).unwrap_or_else(|| Graph::new(game, settings));
        graph.arena.clear();
        match settings.threads {
            0 | 1 => graph.table.clear(),
            _ => graph.table.clear_to_share(),
        }
        graph.game.clone_from(game);
        graph.root = graph.arena.allocate(&mut worker.room, 1).expect("an arena has room for one node");
        graph.arena.node(graph.root).start(game.turn(), 0);
        graph
    }

    /// The most bytes that it can take now.
    pub(super) fn bytes(&self) -> usize {
        self.arena.bytes() + self.table.bytes() + self.numbers.bytes()
    }

    pub(super) fn root_children(&self) -> Option<Children> {
        self.arena.node(self.root).children()
    }
}

/// What one thread has to itself.
pub(super) struct Worker<G: Game> {
    room: Room,
    rng: Rng,
    position: G,
    leaves: Vec<Leaf>,
    /// The children of the leaves.
    pool: Vec<G>,
    payoffs: Vec<Option<ByPlayer<f32>>>,
    evaluated: Vec<ByPlayer<Score>>,
    moves: Vec<G::Move>,
    listed: Vec<Listed<G::Move>>,
    /// Nodes that this walk cannot go through.
    avoided: Vec<u32>,
    /// The most plies from the root to a position that was looked at.
    pub(super) depth: u32,
}

/// A legal move that is about to become a node.
struct Listed<M> {
    rate: i32,
    index: u32,
    m: M,
}

/// Where a walk has ended: a node whose children are about to be evaluated.
#[derive(Default)]
struct Leaf {
    /// The nodes from the root to the leaf.
    path: Vec<u32>,
    mover: Option<Player>,
    /// Whether its only child is the special move.
    is_limited: bool,
    /// The key under which its children can be found again, if they can.
    key: Option<u64>,
    /// The numbers of its moves.
    numbers: Vec<u32>,
}

/// How a walk ended.
enum Walk {
    /// At a leaf, which this thread has claimed.
    Leaf,
    /// At a node whose children resolve it.
    Settled,
    /// Nowhere: all leaves are claimed.
    Blocked,
}

/// Why a leaf is not expanded.
enum Refused {
    OutOfBudget,
    /// There is no room for its moves in the table of moves, which can grow.
    Crowded,
    Full,
}

impl From<OutOfBudget> for Refused {
    fn from(_: OutOfBudget) -> Refused {
        Refused::OutOfBudget
    }
}

impl<G: Game> Worker<G> {
    pub(super) fn new(game: &G, seed: u64) -> Worker<G> {
        Worker {
            room: Room::default(),
            rng: Rng::new(seed),
            position: game.clone(),
            leaves: Vec::new(),
            pool: Vec::new(),
            payoffs: Vec::new(),
            evaluated: Vec::new(),
            moves: Vec::new(),
            listed: Vec::new(),
            avoided: Vec::new(),
            depth: 0,
        }
    }
}

/// A graph, and everything that a walk needs besides what its thread has.
pub(super) struct Search<'a, G: Game, E, O> {
    pub(super) settings: &'a UbfmSettings,
    pub(super) evaluator: &'a E,
    pub(super) order: &'a O,
    pub(super) graph: &'a Graph<G>,
    pub(super) rule: &'a Rule,
    /// Whether there is more than one thread.
    shared: bool,
    is_full: AtomicBool,
    /// Claims of leaves that threads have made, and those that they have given back.
    claims: [AtomicU64; 2],
}

impl<'a, G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'a, G, E, O> {
    pub(super) fn new(
        settings: &'a UbfmSettings,
        (evaluator, order): (&'a E, &'a O),
        graph: &'a Graph<G>,
        rule: &'a Rule,
    ) -> Search<'a, G, E, O> {
        let shared = settings.threads > 1;
        Search {
            settings,
            evaluator,
            order,
            graph,
            rule,
            shared,
            is_full: AtomicBool::new(false),
            claims: Default::default(),
        }
    }

    /// Walks until the budget or the memory is used up or the root is resolved; `false` if it stopped earlier, because the table of
    /// moves must grow.
    pub(super) fn run(
        &self,
        worker: &mut Worker<G>,
        meter: &mut Meter,
        completed: &mut dyn FnMut(&Worker<G>, &Meter),
    ) -> bool {
        let mut leaves = std::mem::take(&mut worker.leaves);
        leaves.resize_with(self.settings.batch.max(1), Leaf::default);
        let done = loop {
            let (pending, end) = self.collect(&mut leaves, worker, meter);
            self.complete(&leaves[..pending], worker);
            if pending > 0 {
                completed(worker, meter);
            }
            if let Some(done) = end {
                break done;
            }
        };
        worker.leaves = leaves;
        done
    }

    /// Claims leaves, lists their moves and plays them. Returns the number of leaves, and whether the search is done, if it ends, as
    /// [`run`](Search::run) does.
    fn collect(&self, leaves: &mut [Leaf], worker: &mut Worker<G>, meter: &mut Meter) -> (usize, Option<bool>) {
        let root = self.graph.arena.node(self.graph.root);
        let mut pending = 0;
        let mut used = 0;
        while pending < leaves.len() {
            if root.marks() != 0 || self.is_full.load(Ordering::Relaxed) {
                return (pending, Some(true));
            }
            if self.graph.numbers.is_crowded() {
                return (pending, Some(false));
            }
            let before = self.claims[1].load(Ordering::SeqCst);
            let leaf = &mut leaves[pending];
            match self.walk(leaf, worker) {
                Walk::Settled => {
                    if meter.check().is_err() {
                        return (pending, Some(true));
                    }
                }
                Walk::Blocked if pending > 0 => return (pending, None),
                Walk::Blocked => {
                    // Others have the leaves; if nobody had any during the walk, there are none.
                    let is_over = self.claims[0].load(Ordering::SeqCst) == before;
                    if is_over || meter.check().is_err() {
                        return (0, Some(true));
                    }
                    std::thread::yield_now();
                }
                Walk::Leaf => match self.list(leaf, worker, used, meter) {
                    Ok(()) => (pending, used) = (pending + 1, used + leaf.numbers.len()),
                    Err(refused) => {
                        self.release(*leaf.path.last().expect("a path has a root"), None);
                        if let Refused::Full = refused {
                            self.is_full.store(true, Ordering::Relaxed);
                        }
                        return (pending, Some(!matches!(refused, Refused::Crowded)));
                    }
                },
            }
        }
        (pending, None)
    }

    /// Claims a node without children for this thread.
    fn claim(&self, node: Node<'_>) -> bool {
        self.claims[0].fetch_add(1, Ordering::SeqCst);
        let is_mine = node.claim();
        if !is_mine {
            self.claims[1].fetch_add(1, Ordering::SeqCst);
        }
        is_mine
    }

    /// Gives a claimed node its children, if it has any.
    fn release(&self, node: u32, children: Option<(u32, usize)>) {
        self.graph.arena.node(node).publish(children);
        self.claims[1].fetch_add(1, Ordering::SeqCst);
    }

    /// Walks from the root to a leaf, at each node to the best child that is not resolved.
    fn walk(&self, leaf: &mut Leaf, worker: &mut Worker<G>) -> Walk {
        worker.avoided.clear();
        leaf.path.clear();
        leaf.path.push(self.graph.root);
        // From a dead end a walk goes a step back, and on without it.
        loop {
            if let Some(walk) = self.walk_on(leaf, worker) {
                return walk;
            }
            worker.avoided.extend(leaf.path.pop());
            if leaf.path.is_empty() {
                return Walk::Blocked;
            }
        }
    }

    /// Walks on from where the path ends; `None` if it comes to a dead end.
    fn walk_on(&self, leaf: &mut Leaf, worker: &mut Worker<G>) -> Option<Walk> {
        let Graph { arena, game, numbers, .. } = self.graph;
        let Worker { position, avoided, rng, .. } = worker;
        // Plays a move and returns whether an opponent has left its special move, which is the first, since the root player moved.
        let play = |position: &mut G, child: Node<'_>, is_first: bool, has_deviated: bool| {
            position.play(numbers.at(child.m()));
            position.turn() != game.turn() && (has_deviated || child.mover() != game.turn() && !is_first)
        };
        position.clone_from(game);
        let mut has_deviated = false;
        for step in leaf.path.windows(2) {
            let first = arena.node(step[0]).children().expect("the path goes on there").first;
            has_deviated = play(position, arena.node(step[1]), step[1] == first, has_deviated);
        }
        loop {
            let at = *leaf.path.last().expect("a path has a root");
            let node = arena.node(at);
            // The way to a node that is shared may differ, and with it a result that depends on the way.
            if position.history_matters() && position.payoff().is_some() {
                return None;
            }
            let children = match node.children() {
                Some(children) => children,
                None => {
                    if !self.claim(node) {
                        return None;
                    }
                    leaf.is_limited = self.rule.policy == BestFirstPolicy::BrsPlus && has_deviated;
                    leaf.key = key(position, leaf.path.len(), leaf.is_limited);
                    leaf.mover = Some(position.turn());
                    let known = leaf.key.and_then(|key| self.graph.table.probe(key).next());
                    let Some((_, [block])) = known else { return Some(Walk::Leaf) };
                    // The block was written before the table.
                    fence(Ordering::Acquire);
                    self.release(at, Some((block as u32, (block >> 32) as usize)));
                    node.children().expect("they have just been published")
                }
            };
            let block = arena.children(children);
            let survey = self.rule.survey(block, children.first, avoided);
            if survey.marks != 0 {
                self.back_up(&leaf.path);
                return Some(Walk::Settled);
            }
            let mut index = survey.open?;
            if self.settings.epsilon > 0.0 && rng.unit() < self.settings.epsilon {
                index = self.nth_open(children, avoided, rng.below(survey.open_count)).unwrap_or(index);
            }
            has_deviated = play(position, block.node(index), index == 0, has_deviated);
            leaf.path.push(children.first + index as u32);
        }
    }

    /// One of the children that can be searched further.
    fn nth_open(&self, children: Children, avoided: &[u32], nth: usize) -> Option<usize> {
        let nodes = self.graph.arena.children(children).nodes().enumerate();
        let is_open = |&(index, node): &(usize, Node<'_>)| {
            node.marks() == 0 && !node.is_claimed() && !avoided.contains(&(children.first + index as u32))
        };
        nodes.filter(is_open).nth(nth).map(|(index, _)| index)
    }

    /// Lists the moves of a leaf and plays them, into the pool from a place on. Each costs a node.
    fn list(&self, leaf: &mut Leaf, worker: &mut Worker<G>, from: usize, meter: &mut Meter) -> Result<(), Refused> {
        let Worker { position, pool, moves, listed, .. } = worker;
        let root = self.graph.game.turn();
        let stance = match self.rule.policy {
            BestFirstPolicy::MaxN => Stance::Own,
            BestFirstPolicy::Paranoid | BestFirstPolicy::BrsPlus => Stance::Against(root),
        };
        moves.clear();
        position.distinct(moves);
        listed.clear();
        let rated = |(index, &m): (u32, &G::Move)| Listed { rate: self.order.rate(position, stance, m), index, m };
        listed.extend((0..).zip(moves.iter()).map(rated));
        listed.sort_unstable_by_key(|listed| (Reverse(listed.rate), listed.index));
        if leaf.is_limited {
            listed.truncate(1);
        }
        leaf.numbers.clear();
        for (place, listed) in (from..).zip(listed.iter()) {
            meter.tick()?;
            let number = self.graph.numbers.number(listed.m);
            let is_crowded = || if self.graph.numbers.is_crowded() { Refused::Crowded } else { Refused::Full };
            leaf.numbers.push(number.ok_or_else(is_crowded)?);
            match pool.get_mut(place) {
                Some(child) => child.clone_from(position),
                None => pool.push(position.clone()),
            }
            pool[place].play(listed.m);
        }
        worker.depth = worker.depth.max(leaf.path.len() as u32);
        Ok(())
    }

    /// Evaluates the children of leaves, all together, and takes what that shows up to the root.
    fn complete(&self, leaves: &[Leaf], worker: &mut Worker<G>) {
        let Worker { pool, payoffs, evaluated, room, .. } = worker;
        let count: usize = leaves.iter().map(|leaf| leaf.numbers.len()).sum();
        if count == 0 {
            return;
        }
        payoffs.clear();
        payoffs.extend(pool[..count].iter().map(G::payoff));
        evaluated.clear();
        let mut open = pool.iter().zip(payoffs.iter()).filter(|(_, payoff)| payoff.is_none()).map(|(game, _)| game);
        self.evaluator.evaluate_all(&mut open, &mut |scores| evaluated.push(scores));
        let mut evaluated = evaluated.iter();
        let mut place = 0;
        for leaf in leaves {
            let at = *leaf.path.last().expect("a path has a root");
            let size = leaf.numbers.len();
            let children = self.graph.arena.allocate(room, size).map(|first| (first, size));
            let block = children.map(|(first, size)| self.graph.arena.block(first, size));
            for (index, &number) in leaf.numbers.iter().enumerate() {
                let (game, payoff) = (&pool[place + index], &payoffs[place + index]);
                let (scores, marks) = match payoff {
                    Some(payoff) => (self.evaluator.terminal(game, payoff), marks(payoff, self.graph.game.turn())),
                    None => (*evaluated.next().expect("an evaluation judges every position"), 0),
                };
                if let Some(block) = block {
                    let node = block.node(index);
                    node.start(leaf.mover.expect("a leaf has a mover"), number);
                    node.settle(&scores, marks, false);
                }
            }
            place += size;
            self.release(at, children);
            let Some((first, size)) = children else {
                self.is_full.store(true, Ordering::Relaxed);
                continue;
            };
            if let Some(key) = leaf.key {
                fence(Ordering::Release);
                self.graph.table.store(key, 0, [u64::from(first) | (size as u64) << 32]);
            }
            self.back_up(&leaf.path);
        }
    }

    /// Counts a walk, and lets each node of its path take over what its children show, from the leaf to the root.
    fn back_up(&self, path: &[u32]) {
        for &at in path.iter().rev() {
            let node = self.graph.arena.node(at);
            node.enter(self.shared);
            let Some(children) = node.children() else { continue };
            let block = self.graph.arena.children(children);
            let survey = self.rule.survey(block, children.first, &[]);
            node.settle(&block.node(survey.best).scores(), survey.marks, self.shared);
        }
    }
}

/// The key of a position so many plies from the root, unless its history matters. Positions of different plies are different, so that no
/// way leads back to a node.
fn key<G: Game>(position: &G, plies: usize, is_limited: bool) -> Option<u64> {
    (!position.history_matters()).then(|| mix(position.key() ^ mix(plies as u64 * 2 + u64::from(is_limited))))
}
