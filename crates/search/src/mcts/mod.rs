//! Monte-Carlo tree search for any number of players: UCT with Progressive History, a solver, and Playout Search.
//!
//! # What it does
//!
//! A tree grows by one node with each *simulation*: a game played from the root to its end. In the tree, moves are chosen by what
//! earlier simulations brought (*selection*); the first move that leaves the tree becomes a node (*expansion*); from there
//! all players follow a [`PlayoutPolicy`] (*playout*); and what every player got, a tuple of shares of the win, is added to each
//! node on the way (*backpropagation*). Whoever is to move chooses the child with the highest
//!
//! ```text
//! v = s/n + C · sqrt(ln N / n) + (s_a/n_a) · W / (n − s + 1)
//! ```
//!
//! where s is the share that the simulations through the child brought the chooser, n their number, and N that of the node. The
//! last term is Progressive History: s_a is what the games brought the chooser in which it played the child's move, anywhere
//! in the tree or the playout, and n_a how often it did; it fades with the losses n − s, so that good children are not held
//! back by it. Histories are kept for each player and move. Children that have never been tried come first, in the
//! order of the static ordering or in a random one ([`FirstPlay`]). At the end, the move with the best rate s/n is played: proven wins before all others,
//! proven losses after them, then more visits, then the static ordering.
//!
//! # What is proven
//!
//! A game that ends in the tree has a known result, and a node is won for its mover if a child is. If all children are
//! proven and none is won for the mover, the mover takes what gives it most, and the [`Solver`] decides between those that are
//! equal for it: *standard* proves the node if all of them have the same result; *paranoid* counts the one worst for the root player,
//! which often proves no more than that the root loses; *first-winner* the one best for the next player in turn order.
//! A drawn game is proven as such when all who share in it share equally, which gives the mover more than a loss and less than a
//! win; other payoffs are left unproven. Standard proofs are true of max^n with any rule for ties, the other two of max^n with their
//! own rule for ties. Where the opponents are one party (see below), a proof is of what the root can be held to, and where they
//! reply out of turn, of that game. A simulation that comes to
//! a proven node takes its result; nodes that are proven to bring the chooser nothing are not chosen while there are others; the
//! search ends when the root is proven.
//!
//! # Who wants what
//!
//! By [`TreePolicy`]: in the max^n way everybody maximises the own share; in the paranoid way the root's opponents maximise
//! what the root does not get; in the way of Best-Reply Search they do so too, and between two moves of the root only one
//! of them moves, any one, out of turn. Playouts are always played in turn.
//!
//! # What it does not do
//!
//! Positions reached by two ways are two nodes. The tree policy does not look at the evaluation, which only playouts use. Nothing
//! that is hidden is respected: it searches the position it is shown. A decision without any limit but depth, which means nothing
//! here, takes [`PLAYOUTS`] playouts.
//!
//! # How it is kept
//!
//! Nodes are words in an arena: 16 bytes and 4 for each player, children side by side, shares in sixtieths, so that sums
//! are exact for up to six winners and do not depend on the order of additions. The arena, with the tables of moves,
//! takes at most `memory` bytes (but at least about a megabyte for each thread); when it is full the tree grows no more, and games are played out
//! from its leaves. A node's statistics rest after 2^26 visits. Nothing is allocated for a simulation.
//!
//! From one decision to the next the tree is kept, with histories and killers, if the new position is found in it within a
//! round of moves, with a thousandth of the visits at least; its moves are compared too. It stays where it is in the arena until that is half
//! full; then the part that is still needed is copied out, if there is room for both, and the rest is given back. A full tree for which
//! there is no such room is given up. The tree of Best-Reply Search is never kept, as the game does not go its ways.
//!
//! Threads share the tree without locks. A simulation on its way counts as lost by everybody (virtual loss), but not at the root and at
//! other busy nodes, which are told of many at once when they have ended. Each thread has histories and killers of its own; what is
//! reported on the way are the nodes and the depth of the first. One thread always does the same for the same seed, on every machine.
//!
//! # References
//!
//! - J.A.M. Nijssen and M.H.M. Winands, *Playout Search for Monte-Carlo Tree Search in Multi-Player Games*, Advances in Computer
//!   Games, 2011: the whole, with C = 0.2, W = 5, ε = 0.05, k = 5.
//! - J.A.M. Nijssen and M.H.M. Winands, *Enhancements for Multi-Player Monte-Carlo Tree Search*, Computers and Games, 2010:
//!   Progressive History, and the three rules of the solver.
//! - L. Kocsis and C. Szepesvári, *Bandit Based Monte-Carlo Planning*, 2006: UCT.
//! - N.R. Sturtevant, *An Analysis of UCT in Multi-Player Games*, Computers and Games, 2008.
//! - M.H.M. Winands, Y. Björnsson and J.-T. Saito, *Monte-Carlo Tree Search Solver*, Computers and Games, 2008.

mod any_turn;
mod arena;
#[cfg(test)]
mod golden;
mod moves;
pub mod playout;
mod settings;
mod simulate;
mod solver;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicU64;

use crate::{Agent, Budget, ByPlayer, Decision, Evaluator, Game, Meter, MoveOrder, OutOfTurn, Player, mix};

use arena::{Arena, Node, Room};
use moves::Moves;
use playout::Playout;
use simulate::{Record, Search, Worker};

pub use any_turn::AnyTurn;
pub use settings::{FirstPlay, MctsSettings, TreePolicy};
pub use solver::{Proof, Solver};

/// Playouts of a decision that nothing else limits.
pub const PLAYOUTS: u64 = 5000;

/// Parts of a share that statistics count in: divisible by up to six winners.
const UNIT: u32 = 60;

/// A part of a tree is worth keeping from one in so many visits on; so few nodes are compared with a new position.
const LEAST_PART: u32 = 1000;

/// Playouts after which a watcher is told for the first time; then after twice as many each time.
const FIRST_REPORT: u64 = 1024;

/// Monte-Carlo tree search.
///
/// A node, for budgets, is a position that is played or looked at, in the tree, in playouts and in the searches that playouts
/// make. The depth of a decision is that of the deepest node that a simulation came to; its value and scores are expected shares of
/// the win; its line follows the most visited moves.
///
/// ```
/// use nply::{Agent, AsListed, Budget, Mcts, Tree, tree::LeafScores};
/// let tree: Tree = "(1 (2 1,0,0 0,1,0) (2 0,0,1 (3 1,0,0)))".parse().unwrap();
/// let mut mcts = Mcts::new(LeafScores, AsListed, 1);
/// assert_eq!(mcts.choose(&tree, &Budget::playouts(100)).m, 2);
/// ```
///
/// # Panics
/// [`search`](Agent::search) panics if the settings have `playout=brs` or `policy=brs` and there is no
/// [`any_turn`](Mcts::any_turn). An agent made [from settings](crate::Algorithm) is refused instead.
pub struct Mcts<G: Game, E, O> {
    /// Judges positions in playouts.
    pub evaluator: E,
    /// Orders moves, in the tree and in playouts.
    pub order: O,
    /// How it searches.
    pub settings: MctsSettings,
    /// Lets players move out of turn: `playout=brs` and `policy=brs` need it.
    pub any_turn: Option<AnyTurn<G>>,
    seed: u64,
    grown: Option<Grown<G>>,
    workers: Vec<Worker<G>>,
}

/// The tree of the last decision.
struct Grown<G: Game> {
    arena: Arena,
    moves: Moves<G::Move>,
    root: u32,
    game: G,
    kind: Kind,
}

/// What a tree depends on: with any of it changed, it is of no use.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    players: usize,
    /// The root player, where the tree is one-sided.
    root: Option<Player>,
    is_team: bool,
    solver: Solver,
    has_replies: bool,
    has_history: bool,
    memory: usize,
    threads: usize,
}

/// What simulations have shown of a move of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics<M> {
    /// The move.
    pub m: M,
    /// Simulations that played it.
    pub visits: u64,
    /// Every player's expected share, if anything is known.
    pub shares: Option<ByPlayer<f64>>,
    /// What is proven.
    pub proof: Option<Proof>,
}

impl<G: Game, E, O> Mcts<G, E, O> {
    /// Searches with the default settings. With one thread, the same seed always gives the same decisions.
    pub fn new(evaluator: E, order: O, seed: u64) -> Mcts<G, E, O> {
        let settings = MctsSettings::default();
        Mcts { evaluator, order, settings, any_turn: None, seed, grown: None, workers: Vec::new() }
    }

    /// The same for a game in which players may move out of turn, so that every setting can be used.
    pub fn out_of_turn(evaluator: E, order: O, seed: u64) -> Mcts<G, E, O>
    where
        G: OutOfTurn,
    {
        Mcts { any_turn: Some(AnyTurn::new()), ..Mcts::new(evaluator, order, seed) }
    }

    /// What is known of each move of the last decision, in the order in which they were tried.
    pub fn statistics(&self) -> Vec<MoveStatistics<G::Move>> {
        let Some(grown) = &self.grown else { return Vec::new() };
        let Some(children) = grown.arena.node(grown.root).children() else { return Vec::new() };
        let players = grown.game.player_count();
        let statistics = |child: Node<'_>| MoveStatistics {
            m: grown.moves.at(child.m()),
            visits: u64::from(child.visits()),
            shares: simulate::scores(child, players),
            proof: child.proven().proof(players, grown.game.turn()),
        };
        grown.arena.children(children).nodes().map(statistics).collect()
    }

    /// Bytes that the nodes of the tree take.
    pub fn tree_bytes(&self) -> usize {
        self.grown.as_ref().map_or(0, |grown| grown.arena.bytes())
    }

    fn kind(&self, game: &G) -> Kind {
        let is_team = !matches!(self.settings.policy, TreePolicy::MaxN);
        Kind {
            players: game.player_count(),
            root: (is_team || self.settings.solver == Solver::Paranoid).then(|| game.turn()),
            is_team,
            solver: self.settings.solver,
            has_replies: matches!(self.settings.policy, TreePolicy::Brs),
            has_history: self.settings.w != 0.0,
            memory: self.settings.memory,
            threads: self.settings.threads.max(1),
        }
    }

    /// The tree for a position: that of the last decision as far as it is of use.
    fn grow(&mut self, game: &G) -> Grown<G> {
        let kind = self.kind(game);
        let mut old = self.grown.take().filter(|grown| grown.kind == kind && !grown.moves.is_scarce());
        self.workers.truncate(kind.threads);
        while self.workers.len() < kind.threads {
            let seed = mix(self.seed).wrapping_add(self.workers.len() as u64);
            self.workers.push(Worker::new(game, seed));
        }
        if let Some(grown) = &mut old
            && self.settings.reuse
            && !kind.has_replies
            && let Some(root) = grown.find(game)
        {
            grown.root = root;
            grown.game.clone_from(game);
            let room = grown.shed(arena_memory::<G>(kind));
            // A full tree that cannot be made smaller would never grow again.
            if room.is_some() || !self.workers.iter().any(|worker| worker.room.is_full()) {
                if let Some(room) = room {
                    self.workers.iter_mut().for_each(|worker| worker.room = Room::default());
                    self.workers[0].room = room;
                }
                return old.expect("the position has been found there");
            }
        }
        for worker in &mut self.workers {
            worker.clear();
        }
        let mut grown = match old {
            Some(mut old) => {
                old.arena.clear();
                old.game.clone_from(game);
                old
            }
            None => Grown {
                arena: Arena::new(kind.players, arena_memory::<G>(kind), kind.threads),
                moves: Moves::new(table_memory::<G>(kind) / move_bytes::<G>(kind)),
                root: 0,
                game: game.clone(),
                kind,
            },
        };
        grown.root = grown.arena.allocate(&mut self.workers[0].room, 1).expect("an arena has room for one node");
        grown.arena.node(grown.root).start(game.turn(), 0);
        grown
    }
}

/// Bytes that each move that is told apart takes at most: its number, and its histories in lists that may be half empty.
fn move_bytes<G: Game>(kind: Kind) -> usize {
    Moves::<G::Move>::bytes_each() + 2 * kind.threads * kind.players * size_of::<Record>()
}

/// Bytes for tables of moves: a sixteenth of all.
fn table_memory<G: Game>(kind: Kind) -> usize {
    (kind.memory / 16).max(moves::LEAST as usize * move_bytes::<G>(kind))
}

fn arena_memory<G: Game>(kind: Kind) -> usize {
    kind.memory.saturating_sub(table_memory::<G>(kind))
}

impl<G: Game> Grown<G> {
    /// The node of a position that is at most one round of moves away, unless too little is known of it to be of use.
    fn find(&self, game: &G) -> Option<u32> {
        if game.history_matters() {
            return None;
        }
        let least = (self.arena.node(self.root).visits() / LEAST_PART).max(1);
        let mut found = None;
        self.look(self.root, &mut self.game.clone(), self.kind.players, game.key(), least, &mut found);
        let (_, node) = found?;
        self.has_moves(node, game).then_some(node)
    }

    /// Looks below a node for the most visited one with a key.
    fn look(&self, at: u32, game: &mut G, plies: usize, key: u64, least: u32, found: &mut Option<(u32, u32)>) {
        let node = self.arena.node(at);
        if game.key() == key {
            *found = (*found).max(Some((node.visits(), at)));
            return;
        }
        let Some(children) = node.children().filter(|_| plies > 0) else { return };
        for (index, child) in self.arena.children(children).nodes().enumerate() {
            if child.visits() >= least {
                let next = children.first + index as u32;
                game.visit(self.moves.at(child.m()), |game| self.look(next, game, plies - 1, key, least, found));
            }
        }
    }

    /// Whether the moves of a node, if they have been listed, are those of a position.
    fn has_moves(&self, node: u32, game: &G) -> bool {
        let Some(children) = self.arena.node(node).children() else { return true };
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let is_legal = |child: Node<'_>| child.mover() == game.turn() && moves.contains(&self.moves.at(child.m()));
        moves.len() == children.count as usize && self.arena.children(children).nodes().all(is_legal)
    }

    /// Gives back what is not below the root, if room has become scarce; then all room is new.
    fn shed(&mut self, memory: usize) -> Option<Room> {
        if !self.arena.is_half_full() {
            return None;
        }
        self.arena.trim();
        let (copied, room) = self.arena.copy(self.root, memory.saturating_sub(self.arena.bytes()))?;
        self.arena = copied;
        self.root = 1;
        Some(room)
    }
}

/// On lines of the cache of its own: what one thread writes all the time must not stand beside what another reads.
#[repr(align(128))]
struct Apart<T>(T);

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Mcts<G, E, O> {
    fn searching<'a>(&'a self, grown: &'a Grown<G>) -> Search<'a, G, E, O> {
        let playout = Playout {
            settings: &self.settings,
            evaluator: &self.evaluator,
            order: &self.order,
            any_turn: self.any_turn,
        };
        Search {
            playout,
            settings: &self.settings,
            replies: self.any_turn.filter(|_| self.settings.policy == TreePolicy::Brs),
            shared: grown.kind.threads > 1,
            arena: &grown.arena,
            moves: &grown.moves,
            root: grown.root,
            game: &grown.game,
        }
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Mcts<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        if let (Some(key), None) = (self.settings.out_of_turn(), self.any_turn) {
            panic!("{key}=brs needs players to move out of turn: see Mcts::out_of_turn");
        }
        let clock = Meter::new(budget);
        let mut grown = self.grow(game);
        let mut workers = std::mem::take(&mut self.workers);
        for worker in &mut workers {
            worker.begin();
        }
        let is_limited = budget.playouts.is_some() || budget.nodes.is_some() || budget.time.is_some();
        let limit = match budget.playouts {
            None if !is_limited && (budget.depth.is_some() || budget.stop.is_none()) => PLAYOUTS,
            playouts => playouts.unwrap_or(u64::MAX),
        };
        // Each thread has its part of the nodes and the same deadline.
        let threads = workers.len() as u64;
        let mut meters: Vec<Apart<Meter>> = (0..threads)
            .map(|thread| {
                let nodes = budget.nodes.map(|nodes| nodes / threads + u64::from(thread < nodes % threads));
                let time = budget.time.map(|time| time.saturating_sub(clock.elapsed()));
                Apart(Meter::new(&Budget { nodes, time, ..budget.clone() }))
            })
            .collect();
        let claimed = AtomicU64::new(0);
        let mut report = FIRST_REPORT;
        self.searching(&grown).open(&mut workers[0]);
        loop {
            let search = self.searching(&grown);
            let (first, others) = workers.split_first_mut().expect("there is at least one thread");
            let (meter, other_meters) = meters.split_first_mut().expect("there is a meter for each thread");
            let done = std::thread::scope(|scope| {
                let (search, claimed) = (&search, &claimed);
                let mut running = Vec::new();
                for (worker, meter) in others.iter_mut().zip(other_meters) {
                    running.push(scope.spawn(move || search.run(worker, &mut meter.0, claimed, limit, |_, _| ())));
                }
                let done = search.run(first, &mut meter.0, claimed, limit, |worker, meter| {
                    if worker.playouts == report {
                        report *= 2;
                        let (depth, nodes) = (worker.depth, meter.nodes());
                        watch(&Decision { depth, nodes, time: clock.elapsed(), ..search.decide() });
                    }
                });
                // Whoever stopped for want of numbers has something left to do.
                running.into_iter().fold(done, |done, other| other.join().expect("a search does not fail") && done)
            });
            if done {
                break;
            }
            grown.moves.grow();
        }
        let decision = Decision {
            depth: workers.iter().map(|worker| worker.depth).max().unwrap_or(0),
            nodes: meters.iter().map(|meter| meter.0.nodes()).sum(),
            time: clock.elapsed(),
            ..self.searching(&grown).decide()
        };
        self.workers = workers;
        self.grown = Some(grown);
        decision
    }
}
