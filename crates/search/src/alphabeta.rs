//! Alpha-beta search of two-sided trees: what Paranoid, Best-Reply Search and BRS+ have in common.
//!
//! All three turn a game for many players into one for two sides, the root player against the rest. They differ only in who
//! may play what and when, and that is a [`View`]. The search of the two-sided tree is here, once:
//!
//! - *Principal variation search* (Marsland and Campbell 1982): the first action of a node is searched with the whole window,
//!   the others with an empty one that only asks whether they are better, and again if they are.
//! - A two-deep *transposition table*. A result is used only for the same depth, or if no line of it was cut off by the depth, and
//!   only to show that a value lies outside the window. So the value is exactly that of plain minimax, and the principal
//!   variation is complete.
//! - *Killers*, tried before the moves that the static ordering puts first, and *history*, which orders the moves that it rates alike.
//! - *Immediate pruning*: a side that already has the most that the evaluation's bounds allow looks no further.
//! - *Leaves* are [judged](Evaluator::judge) without being played, where the evaluation can do that, which changes nothing else.
//! - What goes beyond an exact search is off by default: [`Switches`](crate::Switches).
//!
//! Values are the root player's. Within a node everything is seen from the side to move, so that more is better.
//!
//! At the root the search chooses, among the moves with the highest value, the first in the static ordering, or in a shuffled one
//! ([`Equals::Random`]). What is searched first does not matter, so the choice is the same with and without
//! table, killers and history. Each iteration begins with the move of the one before, so that an unfinished one counts as soon as
//! that is searched.
//!
//! # The agent
//!
//! The agent `alphabeta` ([`AlphaBetaSettings`]) is [Paranoid](crate::paranoid) for two players. For two
//! players Paranoid is plain alpha-beta.
//!
//! ```text
//!                 1: 2
//!          ▲────────┴────────┐
//!        2: 2              2: ≤ 0
//!      ▲───┴───┐         ▲────┴────┐
//!    5-3=2   6-2=4     4-4=0       ✂
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Paranoid, Tree, tree::LeafScores};
//! // The second child of the root is refuted by its first leaf: the last leaf is never visited.
//! let tree: Tree = "(1 (2 5,3 6,2) (2 4,4 9,0))".parse().unwrap();
//! let found = Paranoid::new(LeafScores, AsListed).choose(&tree, &Budget::depth(2));
//! assert_eq!((found.value, found.pv), (Some(2.0), vec![1, 1]));
//! // Two nodes at depth 1, then five of the six at depth 2.
//! assert_eq!(found.nodes, 2 + 5);
//! ```
//!
//! # A view of your own
//!
//! [`TwoSided`] searches any [`View`]. This one lets the opponents move in turn, but only those with an even number; the others
//! play the first move of the game's list.
//!
//! ```
//! use nply::alphabeta::{Action, Level, List, Memory, TwoSided, View};
//! use nply::testing::{HashedScores, Track};
//! use nply::{AsListed, Budget, Dice, Game, MoveOrder, Parts, Player, ScoreForm, Stance};
//!
//! struct EvenOpponents {
//!     root: Player,
//! }
//!
//! impl<G: Game> View<G> for EvenOpponents {
//!     fn list<O: MoveOrder<G>>(&self, game: &mut G, _: Level, list: &mut List<'_, G, O>) {
//!         if game.turn() == self.root || game.turn().number() % 2 == 0 {
//!             list.add(game);
//!         } else {
//!             let first = list.first(game, Stance::Own);
//!             list.push(Action::new(game.turn(), first), 0);
//!         }
//!     }
//!
//!     fn visit<R>(&self, game: &mut G, _: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R {
//!         game.visit(action.m.expect("nobody passes"), |child| {
//!             let level = if child.turn() == self.root { Level::max(0) } else { Level::min(0) };
//!             f(child, level)
//!         })
//!     }
//! }
//!
//! let mut game = Track::new(4, 3);
//! game.captures = false;
//! let search = TwoSided {
//!     evaluator: &HashedScores { most: 9, seed: 1 },
//!     order: &AsListed,
//!     view: EvenOpponents { root: game.turn() },
//!     score: ScoreForm::Difference,
//!     parts: &Parts::default(),
//!     dice: Dice::default(),
//! };
//! let decision = search.decide(&mut Memory::default(), &game, &Budget::depth(6), &mut |_| ());
//! assert_eq!(decision.depth, 6);
//! ```
//!
//! # References
//!
//! - D. E. Knuth, R. W. Moore, *An Analysis of Alpha-Beta Pruning*, 1975.
//! - T. A. Marsland, M. Campbell, *Parallel Search of Strongly Ordered Game Trees*, 1982 (principal variation search).
//! - R. E. Korf, *Multi-Player Alpha-Beta Pruning*, 1991 (immediate pruning).

mod frontier;
mod search;
mod selective;
mod split;
mod view;

use std::sync::atomic::AtomicI64;

use crate::recording::{Recorder, Recording};
use crate::settings::Visitor;
use crate::threads::{Apart, HELPED_DEPTH, Scheme, Searched, scheme, together, variant};
use crate::{
    Agent, AgentSettings, Algorithm, Budget, ByPlayer, Decision, Declaration, Dice, Equals, Error, Evaluator, Game,
    History, Iteration, Killers, Kit, Limit, Line, Meter, MoveOrder, ParanoidSettings, Parts, Score, ScoreForm,
    Settings, TranspositionTable, chances, deepen,
};
use frontier::{Coded, Leaves};
use search::{INFINITY, Search, Terms};
use split::Pool;
use view::Rated;

pub use view::{Action, Level, List, Side, Special, View};

/// What a search did, readable after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes at which a move was too good for the other side to allow it.
    pub cut_nodes: u64,
    /// Moves searched at those nodes, including the one that made the cut.
    pub cut_moves: u64,
    /// Nodes that the transposition table answered.
    pub table_cuts: u64,
}

impl Statistics {
    /// The mean number of moves searched at a cut node: 1 if the best is always tried first.
    pub fn moves_per_cut(&self) -> f64 {
        self.cut_moves as f64 / self.cut_nodes as f64
    }
}

/// What a search keeps from node to node. It is reused from decision to decision only to save allocations: each decision starts by
/// forgetting everything.
#[derive(Clone, Debug)]
pub struct Memory<M> {
    shared: Shared,
    /// Of the thread that decides.
    own: Own<M>,
    /// Of its helpers.
    helpers: Vec<Apart<Own<M>>>,
}

/// What [threads](crate::threads) share.
#[derive(Debug)]
struct Shared {
    table: TranspositionTable<2>,
    searched: Searched,
    /// The highest value that a thread has found for a move of the root in this iteration.
    best: AtomicI64,
}

/// A clone has a table of the same size, and knows nothing.
impl Clone for Shared {
    fn clone(&self) -> Shared {
        Shared { table: self.table.clone(), ..Shared::default() }
    }
}

impl Default for Shared {
    fn default() -> Shared {
        let (table, searched) = (TranspositionTable::new(0), Searched::alone());
        Shared { table, searched, best: AtomicI64::new(-INFINITY) }
    }
}

/// What each thread has of its own.
#[derive(Clone, Debug)]
struct Own<M> {
    /// The number of the thread; that of the one that decides is 0.
    thread: usize,
    killers: Killers,
    history: History,
    /// The moves that the table and the killers name.
    coded: Coded<M>,
    /// What a node above the leaves leads to.
    leaves: Leaves<M>,
    /// Moves being listed.
    moves: Vec<M>,
    /// The actions still to be searched at each node of the path, one node after another.
    stack: Vec<Rated<M>>,
    /// The best line from each ply of the path.
    lines: Vec<Vec<Action<M>>>,
    /// How often the depth has cut off a line.
    horizons: u64,
    /// Whether a position that is not over was evaluated as high as a win: then such a value proves nothing.
    optimistic: bool,
    /// Loud moves beyond the horizon on the path.
    loud: u32,
    /// Positions visited by such moves.
    loud_visits: u64,
    /// The ply after the last null move on the path; 0 for none.
    null: u32,
    statistics: Statistics,
    /// Takes down the search, if it is to be explained.
    recorder: Option<Box<Recorder<M>>>,
}

impl<M> Default for Own<M> {
    fn default() -> Own<M> {
        Own {
            thread: 0,
            killers: Killers::default(),
            history: History::default(),
            coded: Coded::default(),
            leaves: Leaves::default(),
            moves: Vec::new(),
            stack: Vec::new(),
            lines: Vec::new(),
            horizons: 0,
            optimistic: false,
            loud: 0,
            loud_visits: 0,
            null: 0,
            statistics: Statistics::default(),
            recorder: None,
        }
    }
}

impl<M> Default for Memory<M> {
    fn default() -> Memory<M> {
        Memory { shared: Shared::default(), own: Own::default(), helpers: Vec::new() }
    }
}

impl<M: Copy> Memory<M> {
    /// What the last search did.
    pub fn statistics(&self) -> Statistics {
        self.own.statistics
    }

    /// Forgets everything, so that a decision does not depend on the one before.
    fn begin(&mut self, parts: &Parts) {
        let threads = if self.own.recorder.is_some() { 1 } else { parts.helpful_threads() };
        let Shared { table, searched, .. } = &mut self.shared;
        table.resize(parts.table);
        if threads > 1 {
            table.clear_to_share();
        }
        searched.clear(threads);
        self.helpers.resize_with(threads - 1, Apart::default);
        self.own.begin();
        for (helper, thread) in self.helpers.iter_mut().zip(1..) {
            helper.0.begin();
            helper.0.thread = thread;
        }
    }
}

impl<M: Copy> Own<M> {
    fn begin(&mut self) {
        self.killers.clear();
        self.history.clear();
        self.coded.clear();
        self.horizons = 0;
        self.optimistic = false;
        self.loud_visits = 0;
        self.statistics = Statistics::default();
    }

    /// Counts what a helper did to what the search did.
    fn add(&mut self, helper: &mut Own<M>) {
        let Statistics { cut_nodes, cut_moves, table_cuts } = std::mem::take(&mut helper.statistics);
        self.statistics.cut_nodes += cut_nodes;
        self.statistics.cut_moves += cut_moves;
        self.statistics.table_cuts += table_cuts;
        self.optimistic |= helper.optimistic;
    }
}

impl<M: Copy + Eq> Memory<M> {
    /// Records the next search, at most so many nodes of its last iteration. It has one thread, whatever the settings say.
    pub fn record(&mut self, nodes: usize) {
        self.own.recorder = Some(Recorder::new(nodes));
    }

    /// Takes what was recorded, and records no more; `None` if nothing was.
    pub fn recording(&mut self) -> Option<Recording<M>> {
        self.own.recorder.take().map(|recorder| recorder.finish())
    }
}

impl<M: Copy> Own<M> {
    /// The best line from a ply is this action and the best line after it.
    fn extend_line(&mut self, ply: u32, action: Action<M>) {
        let (before, after) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut before[ply as usize];
        line.clear();
        line.push(action);
        line.extend_from_slice(&after[0]);
    }
}

/// A search of the two-sided tree that a view makes of a game.
#[derive(Clone, Copy, Debug)]
pub struct TwoSided<'a, E, O, V> {
    /// The evaluation.
    pub evaluator: &'a E,
    /// The static move ordering.
    pub order: &'a O,
    /// Who may play what, and when.
    pub view: V,
    /// What the root player maximizes.
    pub score: ScoreForm,
    /// The parts of the search that can be switched.
    pub parts: &'a Parts,
    /// What shuffles the moves of the root, if [equal ones](Parts::equals) are chosen at random.
    pub dice: Dice,
}

impl<E, O, V> TwoSided<'_, E, O, V> {
    /// Chooses a move by iterative deepening, and reports every completed iteration to `watch`.
    ///
    /// The principal variation of the decision ends before the first pass or move out of turn.
    ///
    /// # Panics
    /// If the game is over.
    // It has two callers, and is compiled for every view of every game.
    #[inline(never)]
    pub fn decide<G: Game>(
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
        let mut meter = Meter::counting(self.parts.count, budget);
        memory.begin(self.parts);
        let Memory { shared, own, helpers } = memory;
        let mut position = game.clone();
        let terms = Terms::new(self, game);
        let moves = Search {
            plan: self,
            shared,
            memory: &mut *own,
            meter: &mut meter,
            terms,
            pool: None,
            split: None,
            lazy: 0,
        }
        .root_moves(&mut position);
        let first = moves[0].m.expect("the root player moves");
        let (moves, mut queue) = self.ranked(moves);
        let (scheme, variant) = (scheme(), variant("NPLY_LAZY", 5));
        deepen(budget, &mut meter, first, self.parts.partial, watch, |depth, meter, partial| {
            let mut iterate =
                |own: &mut Own<G::Move>, meter: &mut Meter, queue: &mut [usize], best: &mut Option<i64>| {
                    shared.searched.clear(if scheme == Scheme::Abdada { 1 + helpers.len() } else { 1 });
                    *shared.best.get_mut() = -INFINITY;
                    let helpers = if depth < HELPED_DEPTH { &mut [] } else { &mut helpers[..] };
                    let before = queue.to_vec();
                    let pool = (scheme == Scheme::Ybw && !helpers.is_empty()).then(Pool::default);
                    let pool = pool.as_ref();
                    let lazy = if scheme == Scheme::Lazy && !helpers.is_empty() { variant } else { 0 };
                    let threads = 1 + helpers.len();
                    let help = |helper: &mut Apart<Own<G::Move>>, meter: &mut Meter| {
                        let (mut position, mut queue) = (game.clone(), before.clone());
                        let thread = helper.0.thread;
                        let memory = &mut helper.0;
                        let mut search =
                            Search { plan: self, shared: &*shared, memory, meter, terms, pool, split: None, lazy };
                        if let Some(pool) = pool {
                            return search.help(pool, depth);
                        }
                        if lazy & 1 != 0 && queue.len() > 1 {
                            let rest = queue.len() - 1;
                            queue[1..].rotate_left(thread * rest / threads);
                        }
                        // What it finds is in the table; whether it got to the end does not matter.
                        let _ = search.iterate(&mut position, &moves, &mut queue, depth, &mut None);
                    };
                    let end = together(meter, helpers, help, |meter| {
                        let memory = &mut *own;
                        let mut search =
                            Search { plan: self, shared: &*shared, memory, meter, terms, pool, split: None, lazy };
                        let end = search.iterate(&mut position, &moves, queue, depth, best);
                        pool.inspect(|pool| pool.end());
                        end
                    });
                    helpers.iter_mut().for_each(|helper| own.add(&mut helper.0));
                    end
                };
            let (mut best, horizons) = (None, own.horizons);
            let end = iterate(own, meter, &mut queue, &mut best);
            let found = best.map(|value| {
                let line = self.line(&mut game.clone(), &own.lines[0], value);
                let is_final = (value >= terms.won && !own.optimistic) || own.horizons == horizons;
                Iteration { line, is_final, others: Vec::new() }
            });
            if let Err(error) = end {
                *partial = found;
                return Err(error);
            }
            // The best few moves: what is left of the queue is searched again without those at its front, which is not recorded.
            let recorder = own.recorder.take();
            let found = found.expect("the root player has a move");
            let found = found.with_others(self.parts.lines.min(queue.len()), partial, |known| {
                let mut best = None;
                iterate(own, meter, &mut queue[known.len()..], &mut best)?;
                Ok(self.line(&mut game.clone(), &own.lines[0], best.expect("there is a move left")))
            });
            own.recorder = recorder;
            found
        })
    }

    /// What was found of a move of the root: its value, and what its line leads to.
    fn line<G: Game>(&self, game: &mut G, line: &[Action<G::Move>], value: i64) -> Line<G::Move>
    where
        E: Evaluator<G>,
        V: View<G>,
    {
        let (scores, chances) = self.end_of_line(game, Level::ROOT, line);
        debug_assert_eq!(self.score.value(&scores, game.turn()), value, "the line belongs to the value");
        let pv = playable(game, line);
        Line { value: Some(value as f64), scores: Some(scores.map(f64::from)), chances, pv }
    }

    /// The moves of the root in the order that breaks ties, and the numbers that they have there in the order in which they are
    /// searched, which is the static one that they are given in.
    fn ranked<M: Copy>(&self, moves: Vec<Action<M>>) -> (Vec<Action<M>>, Vec<usize>) {
        let mut numbers: Vec<usize> = (0..moves.len()).collect();
        if self.parts.equals == Equals::Random {
            self.dice.rng().shuffle(&mut numbers);
        }
        let mut ranked = moves.clone();
        for (&number, action) in numbers.iter().zip(moves) {
            ranked[number] = action;
        }
        (ranked, numbers)
    }

    /// The scores and the chances at the end of a line.
    fn end_of_line<G: Game>(
        &self,
        game: &mut G,
        level: Level,
        line: &[Action<G::Move>],
    ) -> (ByPlayer<Score>, Option<ByPlayer<f64>>)
    where
        E: Evaluator<G>,
        V: View<G>,
    {
        let here = |game: &G| (self.evaluator.scores(game), chances::in_position(self.evaluator, game));
        if game.payoff().is_some() || self.view.is_over(game, level) {
            return here(game);
        }
        self.view.prepare(game, level, |game| match line.split_first() {
            None => here(game),
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

/// The settings of the agent `alphabeta`: [Paranoid](crate::paranoid) for two players only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlphaBetaSettings(pub ParanoidSettings);

impl Settings for AlphaBetaSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        self.0.visit(v);
    }
}

impl AgentSettings for AlphaBetaSettings {
    const NAME: &'static str = "alphabeta";
    const ABOUT: &'static str = "alpha-beta, for two players";
    const RULE: Option<&'static str> = Some(
        "The player to move takes the highest value and the opponent the lowest, and neither looks further into \
         what the other would avoid.",
    );
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, players: usize) -> Result<(), Error> {
        if players > 2 {
            let error = Error::refused(format!("alphabeta is for two players, and there are {players}"));
            return Err(error.help("paranoid is alpha-beta for more"));
        }
        self.0.check(players)
    }
}

impl Algorithm for AlphaBetaSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        self.0.agent(kit)
    }
}
