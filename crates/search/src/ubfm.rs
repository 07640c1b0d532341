//! Unbounded best-first search with completion, for any number of players.
//!
//! Searches to a depth look at every line equally far. This one has no depth: it always looks next where play is expected to go.
//! What it knows is a tree whose leaves are evaluated. Each iteration
//!
//! 1. *walks* from the root to a leaf, at every node to the child that is best for its mover and not resolved; of equals to the one
//!    with the fewest visits, then to the first of the static ordering. With the probability [`epsilon`](UbfmSettings::epsilon) it
//!    goes to any child that is not resolved instead;
//! 2. *expands* the leaf: all its moves are played, and the positions after them evaluated;
//! 3. *backs up* to the root: every node on the way takes the scores of the child that is best for its mover.
//!
//! As soon as another move of some player on the way looks better, the next walk goes there. So the line that everybody would play is
//! looked at most deeply, and a doubt about any move in it is followed at once.
//!
//! # Completion
//!
//! A game that is over has exact scores: it is *resolved*. A node is resolved when all its children are, and as soon as a resolved
//! child gives the mover the most that the [bounds](crate::Bounds) of the evaluation allow anybody. Walks leave resolved nodes alone,
//! so no iteration is spent on what is known, and a finite tree is resolved after finitely many iterations. Then the scores of the root are those of max^n:
//! exactly, where no player is indifferent between moves that differ for others, and otherwise by some rule for ties. The search ends there.
//!
//! A win is a resolved child with the greatest possible score, not any child in which the mover has the highest score: with the
//! scores of a game that counts points, max^n prefers a higher win. Where evaluations give a sole winner the most that the bounds
//! allow, as they do unless they say otherwise, the two are the same.
//!
//! A resolved root plays its best child. Otherwise the move that has been walked most is played, not that with the best value, which
//! may be one evaluation deep: resolved wins (the root player wins alone) come first, resolved losses (it gets nothing) last, then visits count, then the
//! value, then the static ordering.
//!
//! # What the players want
//!
//! [`BestFirstPolicy`] decides. In max^n every player maximizes its own score. In Paranoid the opponents minimize the root player's
//! value. In BRS+ they do so too, and between two moves of the root player only one opponent leaves the first move of the
//! ordering ([`brs_plus`](crate::brs_plus)). A resolved root has the value of the search of that name to the end of the game.
//!
//! # Example
//!
//! Positions inside this tree are worth 0 to everybody until something below them is known. The first walk evaluates both moves of
//! player 1. The second goes left, since both are equal: player 2 takes 6, and the node is resolved. The third goes right, where player
//! 2 can have 8, the most that anybody has in this tree. That resolves the node and with it the root, and nobody looks below
//! player 3's node.
//!
//! ```text
//!                      1: (1,6,1)
//!                ▲─────────┴─────────┐
//!          2: (1,6,1)           2: (0,8,0)
//!          ▲────┴────┐          ▲────┴────┐
//!        1,6,1     4,3,1      0,8,0       3
//!                                         ✂
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Maxn, Tree, Ubfm, tree::LeafScores};
//! let tree: Tree = "(1 (2 1,6,1 4,3,1) (2 0,8,0 (3 3,0,5)))".parse().unwrap();
//! let found = Ubfm::new(LeafScores, AsListed).choose(&tree, &Budget::default());
//! assert_eq!((&found.pv[..], found.nodes), (&[1, 1][..], 6));
//! assert_eq!(found.scores.unwrap().as_slice(), [1.0, 6.0, 1.0]);
//! assert_eq!(Maxn::new(LeafScores, AsListed).choose(&tree, &Budget::default()).scores, found.scores);
//! ```
//!
//! # Transpositions
//!
//! A position that is reached in several ways is expanded once, and all ways to it share what is below. Positions at different
//! distances from the root are kept apart, so that no line leads back to itself, and so are those whose
//! [history matters](crate::Game::history_matters). What changes below a shared position reaches each parent with the next walk through it.
//!
//! # Memory
//!
//! Nodes are words in the arena that [`mcts`](crate::mcts) has too: 16 bytes, and 4 for each player. They, the table that finds
//! transpositions and the table of moves take at most [`memory`](UbfmSettings::memory) bytes, but at least about a megabyte
//! for each thread. When the arena is full, nothing more can be learned, and the search ends. Nothing is kept for the next decision.
//!
//! # Batches and threads
//!
//! The children of a leaf are evaluated together ([`Evaluator::evaluate_all`]), which is what evaluations like neural networks
//! need; [`batch`](UbfmSettings::batch) leaves are taken at a time, for even larger batches. A leaf that is waiting for its evaluation is passed over: the next walk
//! takes the best of what is left around it. Threads do the same, each with a leaf of its own, and share everything without locks, except that
//! two do not write to the same node at once. A single thread gives the same decisions for the same seed, on every machine.
//!
//! # What it does not do
//!
//! Depth means nothing here: a decision limited by nothing else takes [`NODES`] nodes.
//! A node, for budgets, is a position that is evaluated, the same one twice if it is reached in two ways and not expanded. Hidden
//! information is not respected: it searches the position it is given.
//!
//! # References
//!
//! - R.E. Korf and D.M. Chickering, *Best-First Minimax Search*, Artificial Intelligence, 1996.
//! - Q. Cohen-Solal, *Learning to Play Two-Player Perfect-Information Games without Knowledge*, 2020: the walk, and the choice by visits.
//! - Q. Cohen-Solal, *Completeness of Unbounded Best-First Game Search*, 2021: resolved nodes. For more than two players it is read
//!   here as: every player takes what is best for it, and all scores are passed up.

mod outcome;
mod rule;
mod search;
#[cfg(test)]
mod tests;

use crate::agent::visit_lines;
use crate::settings::{Choice, Visitor};
use crate::threads::{together, visit_threads};
use crate::{
    Agent, AgentSettings, Algorithm, Budget, Context, Decision, Declaration, Dice, Evaluator, Explained, Game, Judging,
    Kit, Limit, Made, Meter, MoveOrder, ScoreForm, Settings, mix,
};

use rule::Rule;
use search::{Graph, Search, Worker};

/// Nodes of a decision that nothing else limits.
pub const NODES: u64 = 20_000;

/// Nodes before the first interim report; each report is followed by one after twice as many.
const FIRST_REPORT: u64 = 1024;

/// What the players want in a best-first search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BestFirstPolicy {
    /// Every player maximizes its own value.
    #[default]
    MaxN,
    /// The root's opponents minimize the root player's value.
    Paranoid,
    /// The same, and between two moves of the root player only one of them leaves the first move of the ordering.
    BrsPlus,
}

impl Choice for BestFirstPolicy {
    const WORDS: &'static [(BestFirstPolicy, &'static str)] =
        &[(BestFirstPolicy::MaxN, "maxn"), (BestFirstPolicy::Paranoid, "paranoid"), (BestFirstPolicy::BrsPlus, "brs+")];
}

/// The settings of the agent `ubfm`.
#[derive(Clone, Debug, PartialEq)]
pub struct UbfmSettings {
    /// What the players want.
    pub policy: BestFirstPolicy,
    /// What a player maximizes; `None` for its own score in max^n and the difference to the others' in the other two.
    pub score: Option<ScoreForm>,
    /// ε, the probability that a walk goes to any child instead of the best.
    pub epsilon: f64,
    /// Leaves whose children are evaluated together.
    pub batch: usize,
    /// The most bytes that a search takes.
    pub memory: usize,
    /// The number of best moves that a decision [lists](crate::Decision::lines).
    pub lines: usize,
    /// Threads that search one tree.
    pub threads: usize,
    /// The evaluation.
    pub judging: Judging,
}

impl Default for UbfmSettings {
    fn default() -> UbfmSettings {
        UbfmSettings {
            policy: BestFirstPolicy::MaxN,
            score: None,
            epsilon: 0.0,
            batch: 1,
            memory: 1 << 30,
            lines: 1,
            threads: 1,
            judging: Judging::default(),
        }
    }
}

impl Settings for UbfmSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.choice("policy", &mut self.policy, "what the players want");
        let forms = [ScoreForm::Own, ScoreForm::Difference];
        let about = "what a player maximizes; by default own with policy=maxn, difference with the others";
        v.open_choice("score", &mut self.score, &forms, about);
        v.number("epsilon", &mut self.epsilon, 0.0..=1.0, "probability of going to any child instead of the best");
        v.whole("batch", &mut self.batch, 1..=65_536, "leaves whose children are evaluated together");
        v.size("memory", &mut self.memory, "most memory that the tree takes");
        visit_lines(&mut self.lines, v);
        visit_threads(&mut self.threads, v);
        self.judging.visit(v);
    }
}

impl UbfmSettings {
    fn form(&self) -> ScoreForm {
        let usual = match self.policy {
            BestFirstPolicy::MaxN => ScoreForm::Own,
            BestFirstPolicy::Paranoid | BestFirstPolicy::BrsPlus => ScoreForm::Difference,
        };
        self.score.unwrap_or(usual)
    }
}

impl AgentSettings for UbfmSettings {
    const NAME: &'static str = "ubfm";
    const ABOUT: &'static str = "unbounded best-first max^n: the leaf of the expected line is looked at next";
    const RULE: Option<&'static str> = Some(
        "Each walk follows the moves that are best for their movers to a position that is not resolved and evaluates \
         the positions after it; in the end the move that was walked most is played, or the best if all is resolved.",
    );
    const LIMITS: &'static [Limit] = &[Limit::Nodes, Limit::Time];
    const USES_ORDER: bool = true;
}

impl Algorithm for UbfmSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Made<D::Game> {
        let ubfm = Ubfm::new(kit.evaluator(&self.judging)?, kit.order.clone());
        Ok(Box::new(Ubfm { settings: self.clone(), dice: Dice::new(kit.chance.own), ..ubfm }))
    }
}

/// Unbounded best-first search.
///
/// The value of a [`Decision`] is that of its move for the root player, in the evaluation's units: its score in max^n, and what it maximizes otherwise. Its depth is that of the deepest position evaluated, its line what the players are expected to
/// play.
pub struct Ubfm<G: Game, E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering.
    pub order: O,
    /// Everything else.
    pub settings: UbfmSettings,
    /// Chance, with an [`epsilon`](UbfmSettings::epsilon) above 0.
    pub dice: Dice,
    /// The memory of the last decision, to be used again.
    graph: Option<Graph<G>>,
}

impl<G: Game, E, O> Ubfm<G, E, O> {
    /// A search with the default settings.
    pub fn new(evaluator: E, order: O) -> Ubfm<G, E, O> {
        Ubfm { evaluator, order, settings: UbfmSettings::default(), dice: Dice::default(), graph: None }
    }

    /// Bytes that the last decision took.
    pub fn bytes(&self) -> usize {
        self.graph.as_ref().map_or(0, Graph::bytes)
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Ubfm<G, E, O> {
    /// Searches, and records so many nodes if that is wanted.
    // It has two callers, and is compiled for every game.
    #[inline(never)]
    fn run(
        &mut self,
        game: &G,
        budget: &Budget,
        watch: &mut dyn FnMut(&Decision<G::Move>),
        recorded: Option<usize>,
    ) -> Explained<G::Move> {
        let Ubfm { evaluator, order, settings, dice, graph } = self;
        let mut budget = budget.clone();
        let is_limited = budget.nodes.is_some() || budget.time.is_some();
        if !is_limited && (budget.depth.is_some() || budget.stop.is_none()) {
            budget.nodes = Some(NODES);
        }
        let mut meter = Meter::new(&budget);
        let seeds = (0..settings.threads.max(1) as u64).map(|thread| mix(dice.bits()).wrapping_add(thread));
        let mut workers: Vec<Worker<G>> = seeds.map(|seed| Worker::new(game, seed)).collect();
        let mut planted = Graph::plant(graph.take(), game, settings, &mut workers[0]);
        let rule = Rule::new(settings.policy, settings.form(), game.turn(), &evaluator.bounds(game));
        let mut report = FIRST_REPORT;
        loop {
            let search = Search::new(settings, (evaluator, order), &planted, &rule);
            let (first, others) = workers.split_first_mut().expect("there is at least one thread");
            let help = |worker: &mut Worker<G>, meter: &mut Meter| {
                search.run(worker, meter, &mut |_, _| ());
            };
            let done = together(&mut meter, others, help, |meter| {
                search.run(first, meter, &mut |worker, meter| {
                    if meter.nodes() >= report {
                        report = meter.nodes() * 2;
                        let (depth, nodes, time) = (worker.depth, meter.nodes(), meter.elapsed());
                        watch(&Decision { depth, nodes, time, ..search.decide() });
                    }
                })
            });
            if done {
                break;
            }
            planted.numbers.grow();
        }
        let search = Search::new(settings, (evaluator, order), &planted, &rule);
        let decision = Decision {
            depth: workers.iter().map(|worker| worker.depth).max().unwrap_or(0),
            nodes: meter.nodes(),
            time: meter.elapsed(),
            ..search.decide()
        };
        let recording = search.record(&decision, recorded.unwrap_or(1));
        *graph = Some(planted);
        (decision, recording)
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Ubfm<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        self.run(game, budget, watch, None).0
    }

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        Some(self.run(game, budget, &mut |_| (), Some(nodes)))
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
        self.dice.begin(context.ply);
    }
}
