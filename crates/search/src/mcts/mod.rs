//! Monte-Carlo tree search for any number of players: UCT with Progressive History, a solver, and Playout Search.
//!
//! # How it works
//!
//! A tree grows by one node with each *simulation*: a game played from the root to its end. In the tree, moves are chosen by
//! the results of earlier simulations (*selection*); the first move that leaves the tree becomes a node (*expansion*); from
//! there all players follow a [playout policy](playout) (*playout*); and the result, each player's share of the win, is
//! added to every node on the way (*backup*). The player to move chooses the child with the highest
//!
//! ```text
//! v = s/n + C · sqrt(ln N / n) + (s_a/n_a) · W / (n − s + 1)
//! ```
//!
//! where s is the share that the simulations through the child brought the chooser, n their number, and N the number of those
//! through the node. The last term is Progressive History: s_a is the share that the chooser got in all games in which it
//! played the child's move, anywhere in the tree or the playout, and n_a the number of times it did. It fades with the losses
//! n − s, so that it does not hold back good children. Histories are kept for each player and move. Children that have never
//! been tried come first, in the order of the static ordering or in a random one ([`FirstPlay`]). At the end, the move with
//! the best rate s/n is played: proven wins before all others, proven losses after them, then more visits, then the static
//! ordering.
//!
//! # What is proven
//!
//! A game that ends in the tree has a known result, and a node is won for its mover if a child is. If all children are proven
//! and none is won for the mover, the mover takes what gives it most, and the [`Solver`] decides between children that are
//! equal for it: *standard* proves the node if all of them have the same result; *paranoid* assumes the one worst for the root
//! player, which often proves no more than that the root loses; *first-winner* the one best for the next player in turn
//! order. A drawn game is proven if all who share in it share equally, which gives the mover more than a loss and less than a
//! win; other payoffs are left unproven. Standard proofs hold for max^n with any tie-breaking rule, the other two for max^n
//! with their own. Where the opponents are one party (see below), a proof says what the root can be held to; where they reply
//! out of turn, it says so of that game. A simulation that reaches a proven node takes its result. Nodes that are proven to
//! bring the chooser nothing are not chosen while there are others. The search ends when the root is proven.
//!
//! In this tree player 2 wins in the left node by its first move. In the right node player 1 has the highest score in both
//! leaves, so player 1 has won there, and with it at the root:
//!
//! ```text
//!               1: won, proven
//!         ┌─────────┴─────────▲
//!   2: won by 2            2: won by 1
//!    ▲────┴────┐          ┌────┴────┐
//!  1,9,0     8,0,0      9,1,0     7,0,2
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Mcts, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 1,9,0 8,0,0) (2 9,1,0 7,0,2))".parse().unwrap();
//! let found = Mcts::new(LeafScores, AsListed, 1).choose(&tree, &Budget::playouts(100));
//! assert_eq!((found.m, found.value), (2, Some(1.0)));
//! ```
//!
//! # What the players want
//!
//! [`TreePolicy`] decides. In max^n every player maximizes its own share. In Paranoid the root's opponents maximize what the
//! root does not get. In Best-Reply Search they do so too, and between two moves of the root only one of them moves, any one,
//! out of turn. Playouts are always played in turn.
//!
//! # What else can be chosen
//!
//! Each of these is off by default. The source file of each has an example whose numbers are easy to check: `implicit.rs`, `widening.rs`,
//! `selection/grave.rs`, `selection/oma.rs`, `prior.rs`, `halving.rs`, `decision.rs`, `reward.rs`.
//!
//! - *Implicit evaluations* ([`implicit`](MctsSettings::implicit)): when a node's children are listed, all are evaluated. A node's
//!   implicit vector is that of the child that promises its mover most. Selection uses (1 − α) · s/n + α · v instead of s/n, v what
//!   the child's vector promises the chooser. Every child that is evaluated is a node of the budget.
//! - *Progressive widening* ([`widen`](MctsSettings::widen)): at a node with N visits only the first ⌊c · (N + 1)^a⌋ moves of the static
//!   ordering are open, at least one, so that a wide node is searched where the ordering expects most.
//! - *GRAVE* ([`grave`](MctsSettings::grave)): a child with few visits is judged by its move in all games through a node above it that has many
//!   visits. It takes the place of exploration and history, so children need not all be tried:
//!
//!   ```text
//!   v = (1 − β) · s/n + β · AMAF      β = p̃ / (p̃ + n + bias · p̃ · n)
//!   ```
//!
//!   AMAF is the rate of the move in the p̃ games in which the chooser played it at any time after the nearest node on the path with
//!   more than `ref` visits, or after the root.
//! - *Opponent move abstraction* ([`oma`](MctsSettings::oma)): below the root, the root player's moves have a second rate s̄/n̄, by all games in
//!   which it made the same move after the same own node and own move, whatever the opponents did in between. Selection
//!   uses (1 − β) · s/n + β · s̄/n̄ instead of s/n, with β = sqrt(k / (k + 3n)).
//! - *Priors by a shallow search* ([`prior`](MctsSettings::prior)): when a node's children are listed, each gets w virtual visits at the chances
//!   that a two-ply search of the first k moves finds below it. In selection it has n + w visits and s + w · v of the win, so that no
//!   child comes first for being new. Every position of those searches is a node of the budget.
//! - *Sequential halving* at the root ([`RootRule::Halving`]): rounds of equally many simulations for every move that is left, each
//!   of which leaves the better half. It ends with one move, which is played. Without a limit of playouts it is repeated with rounds of one.
//! - *The final choice* ([`FinalChoice`]): the best rate, the most visits, or the best lower end of the rate's confidence interval.
//! - *Objectives* ([`Reward`]): a result is worth the share of the win, or the rank, the part of the points or the lead that the final scores
//!   give. Rewards are parts of 1. Only shares of the win are proven, so with others no solver is at work, and values are no chances.
//!
//! # What it does not do
//!
//! Positions reached in two ways are two nodes. In the tree only implicit evaluations and priors use the evaluation; otherwise
//! playouts alone do. Hidden information is not respected: it searches the position it is given. Depth means nothing here: a
//! decision limited by nothing else takes [`PLAYOUTS`] playouts.
//!
//! # Memory
//!
//! Nodes are words in an arena: 16 bytes, and 4 for each player. Children are adjacent. Shares are counted in 960ths, so
//! that sums are exact for up to six winners and do not depend on the order of additions, and chances are right to a thousandth. The arena and the tables of moves
//! take at most [`memory`](MctsSettings::memory) bytes, but at least about a megabyte for each thread. When the arena is full,
//! the tree stops growing, and games are played out from its leaves. A node stops counting after 2^22 visits, so that its sums stay within a word. Simulations
//! allocate nothing. Statistics of moves by node (GRAVE, opponent move abstraction) take up to a quarter of the memory, and a word more in
//! each node.
//!
//! The tree is kept for the next decision, with histories and killers, if the new position is found in it within a round of
//! moves and has at least a thousandth of the visits; its moves are compared too. It stays where it is in the arena until that
//! is half full. Then the part that is still needed is copied, if there is room for both, and the rest is freed. A full tree
//! for which there is no such room is given up. The tree of Best-Reply Search is never kept, since the game does not follow
//! it.
//!
//! # Batches
//!
//! A playout that is cut off ends with the [chances](crate::chances) of the position, where the evaluation has any; otherwise the
//! highest score takes the win. With a cutoff of 0 there is no playout: the evaluation of a leaf is its result. An evaluation that costs much for each
//! call, such as a neural network, judges many positions at once for little more ([`Evaluator::shares_of_all`]). So
//! [`batch`](MctsSettings::batch) descents are made before any of their leaves is evaluated. A pending descent counts as a
//! visit that brought nobody anything (*virtual loss*), so that the next one goes elsewhere. It is what threads do as
//! well; it needs no estimate of results that are not known, and it leaves no trace once the result is there. A descent that
//! ends in a known result is backed up at once: proofs are never late. A larger batch decides with less knowledge, like
//! more threads, but the same seed gives the same decisions. A batch of 1 is the ordinary search.
//!
//! # Threads
//!
//! Threads share the tree without locks. A pending simulation counts as a loss for every player (*virtual loss*), except at
//! the root and at other busy nodes, to which results are written many at a time. Each thread has its own histories and
//! killers. Interim reports give the nodes and the depth of the first thread. A single thread gives the same decisions for
//! the same seed, on every machine.
//!
//! # References
//!
//! - J.A.M. Nijssen and M.H.M. Winands, *Playout Search for Monte-Carlo Tree Search in Multi-Player Games*, Advances in
//!   Computer Games, 2011: the whole, with C = 0.2, W = 5, ε = 0.05, k = 5.
//! - J.A.M. Nijssen and M.H.M. Winands, *Enhancements for Multi-Player Monte-Carlo Tree Search*, Computers and Games, 2010:
//!   Progressive History, and the three rules of the solver.
//! - L. Kocsis and C. Szepesvári, *Bandit Based Monte-Carlo Planning*, 2006: UCT.
//! - N.R. Sturtevant, *An Analysis of UCT in Multi-Player Games*, Computers and Games, 2008.
//! - M.H.M. Winands, Y. Björnsson and J.-T. Saito, *Monte-Carlo Tree Search Solver*, Computers and Games, 2008.
//! - M. Lanctot, M.H.M. Winands, T. Pepels and N.R. Sturtevant, *Monte Carlo Tree Search with Heuristic Evaluations using Implicit
//!   Minimax Backups*, Computational Intelligence and Games, 2014.
//! - T. Cazenave, *Generalized Rapid Action Value Estimation*, International Joint Conference on Artificial Intelligence, 2015: GRAVE.
//! - H. Baier and M. Kaisers, *Guiding Multiplayer MCTS by Focusing on Yourself*, Conference on Games, 2020: opponent move abstraction.
//! - H. Baier and M.H.M. Winands, *MCTS-Minimax Hybrids with State Evaluations*, Journal of Artificial Intelligence Research, 2018: priors.
//! - G. Chaslot, M. Winands, J. van den Herik, J. Uiterwijk and B. Bouzy, *Progressive Strategies for Monte-Carlo Tree Search*, 2008: widening.
//! - Z. Karnin, T. Koren and O. Somekh, *Almost Optimal Exploration in Multi-Armed Bandits*, 2013, and D. Sagers, M.H.M. Winands and
//!   D.J.N.J. Soemers, *Anytime Sequential Halving in Monte-Carlo Tree Search*, 2024.
//! - J. Goodman and others, work on what a playout should maximize in games of several players, Foundations of Digital Games, 2023: objectives.

mod any_turn;
pub(crate) mod arena;
mod backup;
mod decision;
mod descent;
mod explain;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod guided;
mod halving;
mod hidden;
mod implicit;
pub(crate) mod numbers;
#[cfg(test)]
mod options;
pub mod playout;
mod prior;
mod records;
mod reward;
mod search;
mod search_tree;
mod selection;
mod settings;
mod shares;
mod simulation;
mod solver;
#[cfg(test)]
mod tests;
mod widening;
mod worker;

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use crate::threads::Apart;
use crate::{Agent, Budget, Context, Decision, Evaluator, Explained, Game, Meter, MoveOrder, OutOfTurn, Rng, mix};

use arena::Room;
use halving::Halving;
use playout::Playout;
use search::Search;
use search_tree::{SearchTree, TreeKey};
use worker::Worker;

pub use any_turn::AnyTurn;
pub use decision::MoveStatistics;
pub use reward::Reward;
pub use settings::{FinalChoice, FirstPlay, MctsSettings, RootRule, TreePolicy};
pub use solver::{Proof, Solver};

/// Playouts of a decision that nothing else limits.
pub const PLAYOUTS: u64 = 5000;

/// Playouts before the first interim report; each report is followed by one after twice as many.
const FIRST_REPORT: u64 = 1024;

/// Monte-Carlo tree search.
///
/// A node, for budgets, is a position that is played or looked at, in the tree, in playouts and in their searches. The
/// depth of a decision is that of the deepest node that a simulation reached. Its value and scores are expected shares of the
/// win. Its line follows the most visited moves.
///
/// ```
/// use nply::{Agent, AsListed, Budget, Mcts, Tree, tree::LeafScores};
/// let tree: Tree = "(1 (2 1,0,0 0,1,0) (2 0,0,1 (3 1,0,0)))".parse().unwrap();
/// let mut mcts = Mcts::new(LeafScores, AsListed, 1);
/// mcts.settings.c = 0.5;
/// assert_eq!(mcts.choose(&tree, &Budget::playouts(100)).m, 2);
/// ```
///
/// # Panics
/// [`search`](Agent::search) panics if the settings have `playout=brs` or `policy=brs` and there is no
/// [`any_turn`](Mcts::any_turn), a [`batch`](MctsSettings::batch) above 1 without a cutoff of 0, or both
/// [`grave`](MctsSettings::grave) and [`oma`](MctsSettings::oma). An agent made
/// [from settings](crate::Algorithm) is refused instead.
pub struct Mcts<G: Game, E, O> {
    /// Evaluates positions in playouts.
    pub evaluator: E,
    /// Orders moves, in the tree and in playouts.
    pub order: O,
    /// How it searches.
    pub settings: MctsSettings,
    /// Lets players move out of turn: `playout=brs` and `policy=brs` need it.
    pub any_turn: Option<AnyTurn<G>>,
    /// Whether the tree is one over what the player sees, with a new deal in each simulation: see [`ismcts`](crate::ismcts).
    is_hidden: bool,
    seed: u64,
    tree: Option<SearchTree<G>>,
    workers: Vec<Worker<G>>,
}

impl<G: Game, E, O> Mcts<G, E, O> {
    /// Searches with the default settings. With one thread, the same seed always gives the same decisions.
    pub fn new(evaluator: E, order: O, seed: u64) -> Mcts<G, E, O> {
        let settings = MctsSettings::default();
        Mcts { evaluator, order, settings, any_turn: None, is_hidden: false, seed, tree: None, workers: Vec::new() }
    }

    /// Searches a tree over what the player to move sees: each simulation has a deal of its own. The settings must be those that
    /// [`ismcts`](crate::ismcts) has.
    pub(crate) fn hidden(evaluator: E, order: O, seed: u64) -> Mcts<G, E, O> {
        Mcts { is_hidden: true, ..Mcts::new(evaluator, order, seed) }
    }

    /// The same for a game in which players may move out of turn, so that every setting can be used.
    pub fn out_of_turn(evaluator: E, order: O, seed: u64) -> Mcts<G, E, O>
    where
        G: OutOfTurn,
    {
        Mcts { any_turn: Some(AnyTurn::new()), ..Mcts::new(evaluator, order, seed) }
    }

    /// Statistics of each move of the last decision, in the order in which they were tried.
    pub fn statistics(&self) -> Vec<MoveStatistics<G::Move>> {
        self.tree.as_ref().map(SearchTree::statistics).unwrap_or_default()
    }

    /// Bytes that the nodes of the tree take.
    pub fn tree_bytes(&self) -> usize {
        self.tree.as_ref().map_or(0, |tree| tree.arena.bytes())
    }

    /// The tree for a position: the part of the last one that is still of use, or a new one.
    fn grow(&mut self, game: &G) -> SearchTree<G> {
        let key = TreeKey::new(game, &self.settings, self.is_hidden);
        let mut old = self.tree.take().filter(|tree| tree.key == key && !tree.numbers.is_scarce());
        self.workers.truncate(key.threads);
        while self.workers.len() < key.threads {
            let seed = mix(self.seed).wrapping_add(self.workers.len() as u64);
            self.workers.push(Worker::new(game, seed));
        }
        if self.settings.reuse
            && let Some(tree) = &mut old
            && let Some(root) = tree.find(game)
        {
            let room = tree.keep(root, game);
            // A full tree that cannot be made smaller would never grow again.
            if room.is_some() || !self.workers.iter().any(|worker| worker.room.is_full()) {
                if let Some(room) = room {
                    self.workers.iter_mut().for_each(|worker| worker.room = Room::default());
                    self.workers[0].room = room;
                }
                return old.expect("the position has been found there");
            }
        }
        self.workers.iter_mut().for_each(Worker::clear);
        let mut tree = old.unwrap_or_else(|| SearchTree::new(game, key));
        tree.plant(game, &mut self.workers[0].room);
        tree
    }
}

impl<G: Game, E: Evaluator<G>, O> Mcts<G, E, O> {
    fn searching<'a>(&'a self, tree: &'a SearchTree<G>, halving: Option<&'a Mutex<Halving>>) -> Search<'a, G, E, O> {
        let Mcts { settings, evaluator, order, any_turn, .. } = self;
        Search {
            settings,
            order,
            playout: Playout { settings, evaluator, order, bounds: evaluator.bounds(&tree.game), any_turn: *any_turn },
            replies: any_turn.filter(|_| settings.policy == TreePolicy::Brs),
            shared: tree.key.threads > 1,
            keeps_lines: settings.has_history() || tree.key.has_amaf,
            is_evaluated: tree.key.has_implicit || tree.key.has_prior(),
            is_guided: tree.key.is_guided(),
            tree,
            halving,
        }
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Mcts<G, E, O> {
    // It has two callers, and is compiled for every game.
    #[inline(never)]
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        if let (Some(key), None) = (self.settings.out_of_turn(), self.any_turn) {
            panic!("{key}=brs needs players to move out of turn: see Mcts::out_of_turn");
        }
        if let Err(error) = self.settings.check_together() {
            panic!("{error}");
        }
        let clock = Meter::new(budget);
        let mut tree = if self.is_hidden {
            // What the player cannot see in the position has no influence.
            self.grow(&game.determinize(game.turn(), &mut Rng::new(mix(!self.seed))))
        } else {
            self.grow(game)
        };
        let mut workers = std::mem::take(&mut self.workers);
        for worker in &mut workers {
            worker.begin(&self.settings, tree.key.players);
        }
        let is_limited = budget.playouts.is_some() || budget.nodes.is_some() || budget.time.is_some();
        let limit = match budget.playouts {
            None if !is_limited && (budget.depth.is_some() || budget.stop.is_none()) => PLAYOUTS,
            playouts => playouts.unwrap_or(u64::MAX),
        };
        // Each thread has a part of the nodes, and all have the same deadline.
        let threads = workers.len() as u64;
        let mut meters: Vec<Apart<Meter>> = (0..threads)
            .map(|thread| {
                let nodes = budget.nodes.map(|nodes| nodes / threads + u64::from(thread < nodes % threads));
                let time = budget.time.map(|time| time.saturating_sub(clock.elapsed()));
                Apart(Meter::new(&Budget { nodes, time, ..budget.clone() }))
            })
            .collect();
        let claimed = AtomicU64::new(0);
        let known = Some(limit).filter(|_| budget.nodes.is_none() && budget.time.is_none() && limit < u64::MAX);
        let halving = (self.settings.root == RootRule::Halving).then(|| Mutex::new(Halving::new(known)));
        let halving = halving.as_ref();
        let mut report = FIRST_REPORT;
        self.searching(&tree, None).expand_root(&mut workers[0], &mut meters[0].0);
        loop {
            let search = self.searching(&tree, halving);
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
                        let (depth, nodes, playouts) = (worker.depth, meter.nodes(), worker.playouts);
                        watch(&Decision { depth, nodes, playouts, time: clock.elapsed(), ..search.decide() });
                    }
                });
                // A thread that stopped for a larger table has something left to do.
                running
                    .into_iter()
                    .fold(done, |done, other| other.join().unwrap_or_else(|error| resume_unwind(error)) && done)
            });
            if done {
                break;
            }
            tree.make_room();
        }
        let decision = Decision {
            depth: workers.iter().map(|worker| worker.depth).max().unwrap_or(0),
            nodes: meters.iter().map(|meter| meter.0.nodes()).sum(),
            playouts: workers.iter().map(|worker| worker.playouts).sum(),
            time: clock.elapsed(),
            ..self.searching(&tree, halving).decide()
        };
        self.workers = workers;
        self.tree = Some(tree);
        decision
    }

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        let decision = self.choose(game, budget);
        let recording = self.record(&decision, nodes);
        Some((decision, recording))
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
    }
}
