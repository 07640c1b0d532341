//! Max^n: every player maximizes its own score and expects the same of all others.
//!
//! A leaf of the tree has one score per player. At an inner node the mover chooses the child that is best for it, and the
//! whole score vector is backed up. With two players and a constant sum this is minimax. The tree of figure 1 in Schadd
//! and Winands, where player 2 cares only about the second number and player 1 only about the first:
//!
//! ```text
//!                      1: (7,2,9)
//!                ┌─────────┴─────────▲
//!          2: (6,2,6)           2: (7,2,9)
//!          ▲────┴────┐          ▲────┴────┐
//!       6,2,6     4,1,6      7,2,9     5,2,1
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Maxn, Ties, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
//! let mut maxn = Maxn::new(LeafScores, AsListed);
//! let found = maxn.choose(&tree, &Budget::depth(2));
//! assert_eq!((found.m, found.scores.unwrap().as_slice()), (2, &[7.0, 2.0, 9.0][..]));
//! // At the second node both children are the same to player 2, but not to player 1.
//! maxn.settings.ties = Ties::Cautious;
//! let found = maxn.choose(&tree, &Budget::depth(2));
//! assert_eq!((found.m, found.scores.unwrap().as_slice()), (1, &[6.0, 2.0, 6.0][..]));
//! ```
//!
//! So the value of a tree is defined only together with a rule for ties, and that rule only together with the order of the moves.
//! *Left* here means first in the static ordering. Neither the table nor anything else that a search learns ever changes
//! the order.
//!
//! # Max-Prob
//!
//! A player who is indifferent may play any of its best moves. `ties=average` takes all of them to be equally likely: the value of a
//! node is the mean of the vectors of the children that are best for the mover. At the root the first of them is played. In the tree
//! above, player 2 is indifferent in the second node, which is worth 6,2,5 to the three, and so are then player 1's two moves:
//!
//! ```text
//!                     1: (6,2,5.5)
//!                ▲─────────┴─────────▲
//!          2: (6,2,6)           2: (6,2,5)
//!          ▲────┴────┐          ▲────┴────▲
//!       6,2,6     4,1,6      7,2,9     5,2,1
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Maxn, ScoreForm, Ties, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
//! let mut maxn = Maxn::new(LeafScores, AsListed);
//! maxn.settings.ties = Ties::Average;
//! let found = maxn.choose(&tree, &Budget::depth(2));
//! assert_eq!((found.m, found.scores.unwrap().as_slice()), (1, &[6.0, 2.0, 5.5][..]));
//! // As shares of the win: player 2 has none anywhere, so all its moves are equal to it.
//! maxn.settings.score = ScoreForm::Share;
//! let found = maxn.choose(&tree, &Budget::depth(2));
//! assert_eq!((found.m, found.scores.unwrap().as_slice()), (2, &[0.5, 0.0, 0.5][..]));
//! ```
//!
//! Values are then no longer those of a leaf, nor whole numbers. They are passed up without rounding, and two that differ by at most
//! 1e-9 are equal. Hashavit and Markovitch search for the probability to win; with `score=share` the leaves are each player's share of the
//! win, which is its payoff where the game is over and its [chances] elsewhere. Shares go with any rule for ties. An
//! evaluation without a fitted temperature has no chances, and `score=share` is refused for it.
//!
//! Neither can be pruned: bounds of leaves say nothing about which mean will be chosen. Table, threads, ordering and width work as
//! ever. The principal variation has the first of the equal moves at every node, and the chances of a decision are those at its end, or, with
//! shares, the shares. Of several lines, each has the value of the root without the moves before it.
//!
//! # Pruning
//!
//! Alpha-beta does not carry over to many players: a move that player 1 will never allow may still decide what player 2
//! does (Korf 1991; figure 3 in Sturtevant 2003, below). What can be pruned follows from [`Bounds`](crate::Bounds):
//! the least that each player can have, and the most that all can have together.
//!
//! The search of a node finds it either **exact**, with its max^n value, whatever lies above; or **dead up to** a
//! depth of the path: then the value of the path's node at that depth does not come from here. Suppose the path
//! leads from a node *s* down to a node *m*. If a value still to come at *m* is to become that of *s*, it must be
//! chosen at every node of this **chain**: each mover must get more from it than from the best child so far, or at
//! least as much if that child is further right. Everybody else gets at least the minimum. If all this adds up
//! to more than the maximum sum, no value still to come can become that of *s*. Nor must the best value that *m* has already:
//! some node of the chain above must **refuse** it, because the mover there gets more from another child, or as much from a
//! child further left. Then *m* is dead up to *s*, and the rest of its children need not be searched. The
//! best value of each node in between must be refused in the chain as well; otherwise *m* would have to be searched
//! after all. The prunings differ in the chains they consider:
//!
//! | [`Pruning`] | head of the chain | bounds |
//! | --- | --- | --- |
//! | `Shallow` | the parent | of the root |
//! | `Bound` | the parent | of each position |
//! | `LastBranch` | as far up as there are other players, if every node in between is at its last child | of each position |
//! | `Speculative` | as far up as there are other players | of each position |
//!
//! All include *immediate* pruning, whose chain is one node: a mover who has the most possible looks no further. The
//! bounds of a position are tighter the more is decided, such as tricks taken, and can show a node to be dead
//! before its first move: branch and bound. If turns are uneven, as when the winner of a trick leads to the next, a
//! player who appears twice in a chain must meet both demands.
//!
//! What a node does with a dead child: if the child is dead up to this node, nothing more. If it is dead up to a node
//! above, this mover might still choose it, so it is **queued**. When the other children are done and a node above refuses the
//! best of them (or there is none), the node itself is dead, up to where that node and everything queued is. If no node
//! refuses the best, the queued children are searched again from left to right, and now nothing above this node counts,
//! neither its demands nor its refusals. So they come back exact or dead up to this node, and nothing is queued twice
//! for the same reason. An equal value from a child searched again wins if it is further left, and below such a child
//! a demand may mean "at least" instead of "more". Last-branch pruning never searches again. Speculative pruning seldom
//! does if the moves are well ordered; if they are not, it can visit more nodes than last-branch pruning.
//!
//! All prunings find the vector and the move of plain max^n with ties to the left, and only those:
//! the other [`Ties`] are refused together with a pruning.
//!
//! The figures of Sturtevant 2003; gaps in the text are filled in, and the maximum sum is 10:
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Maxn, Pruning, Tree, tree::LeafScores};
//! // The value of a tree, and how many nodes a pruning saves.
//! let search = |text: &str, pruning, mu| {
//!     let tree = Tree::parse(text, None, Some(10)).unwrap();
//!     let mut maxn = Maxn::new(LeafScores, AsListed);
//!     let plain = maxn.choose(&tree, &Budget::default());
//!     (maxn.settings.pruning, maxn.settings.mu) = (pruning, mu);
//!     let found = maxn.choose(&tree, &Budget::default());
//!     assert_eq!((found.m, found.scores), (plain.m, plain.scores));
//!     (found.scores.unwrap().map(|score| score as i32).as_slice().to_vec(), plain.nodes as i64 - found.nodes as i64)
//! };
//! use Pruning::{LastBranch, Shallow, Speculative};
//!
//! // Figure 1: player 2 takes the left one of two sixes, which leaves player 1 nothing.
//! assert_eq!(search("(1 (2 5,4,1) (2 0,6,4 2,4,4 1,6,3) (2 3,5,2))", Pruning::None, 0).0, [5, 4, 1]);
//!
//! // Figure 2: player 1 is sure of 5. When player 2 has 6, there are only 4 left.
//! assert_eq!(search("(1 5,4,1 (2 4,6,0 0,5,5))", Shallow, 0), (vec![5, 4, 1], 1));
//!
//! // Figure 3: player 3 has 5, so player 1 will not get more than 5 out of (b). Still its last leaf decides what player 2
//! // does, and so what player 1 does: (b) is searched again, which costs three nodes.
//! assert_eq!(search("(1 5,4,1 (2 (3 2,3,5 4,0,6) 6,4,0))", Speculative, 0), (vec![6, 4, 0], 1 - 3));
//! assert_eq!(search("(1 5,4,1 (2 (3 2,3,5 0,4,6) 6,4,0))", Speculative, 0), (vec![5, 4, 1], 1 - 3));
//!
//! // Figure 4: 5 + 3 + 2 is the maximum sum, and (b) is the last child of (a).
//! assert_eq!(search("(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8)))", Shallow, 0), (vec![5, 4, 1], 0));
//! assert_eq!(search("(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8)))", LastBranch, 0), (vec![5, 4, 1], 1));
//!
//! // Figure 6: (b) is not the last child, and whether its last leaf is needed turns out later.
//! assert_eq!(search("(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 4,4,2))", LastBranch, 0), (vec![5, 4, 1], 0));
//! assert_eq!(search("(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 4,4,2))", Speculative, 0), (vec![5, 4, 1], 1));
//! assert_eq!(search("(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 6,4,0))", Speculative, 0), (vec![6, 4, 0], 1 - 3));
//!
//! // Figure 9: with whole numbers, 6 + 4 leave player 3 nothing, so 1 or even 0 is enough here.
//! assert_eq!(search("(1 5,4,1 (2 3,3,4 (3 7,2,1 0,5,5)))", LastBranch, 0), (vec![5, 4, 1], 0));
//! assert_eq!(search("(1 5,4,1 (2 3,3,4 (3 7,2,1 0,5,5)))", LastBranch, 1), (vec![5, 4, 1], 1));
//! assert_eq!(search("(1 5,4,1 (2 3,3,4 (3 7,3,0 0,5,5)))", LastBranch, 1), (vec![5, 4, 1], 1));
//! ```
//!
//! # Details
//!
//! Few evaluations have a tightly bounded sum. The values of [`ScoreForm::Relative`], where players want to be ahead
//! of the average, sum to zero for any evaluation, and [`ScoreForm::Difference`] has bounds of its own.
//!
//! The transposition table keeps exact values only, and answers only for the depth they were found for: there is no
//! value to keep for a node that was found dead. A value that no node on the path refuses is not taken
//! from the table, as it may become that of the root, so the principal variation is always complete. This costs about one
//! node in a hundred.
//!
//! Deepening ends early where the whole game has been searched, or with a win that the root player reaches by its own moves
//! alone. Any other win depends on the choices of others, and a deeper search may see them choose better.
//!
//! # Differences from the paper
//!
//! The pseudo-code of Sturtevant 2003 (figure 7), taken as printed, gives some trees a wrong value. It prunes when the
//! bounds sum to more than the maximum, where Lemma 1 has "at least", so that it prunes nothing where all leaves
//! are equal. It takes "no bound yet" for the bound 0. It loses a first child that comes back pruned. It lets a child
//! searched again lose an equal score to one on its right. With four or more players it returns a best value from a
//! node that still has pruned children, and it does not ask whether the players in between would refuse theirs. The
//! discrete bounds of section 4.4 count n − 2 or n − 1 improvements where a player may have no bound to improve on, or
//! need only reach it. The description above avoids all of these, and each has a test.
//!
//! # References
//!
//! - C. A. Luckhardt, K. B. Irani, *An Algorithmic Solution of N-Person Games*, 1986 (max^n).
//! - R. E. Korf, *Multi-Player Alpha-Beta Pruning*, 1991 (immediate and shallow pruning; no deep pruning).
//! - N. R. Sturtevant, R. E. Korf, *On Pruning Techniques for Multi-Player Games*, 2000 (branch and bound).
//! - N. R. Sturtevant, *Last-Branch and Speculative Pruning Algorithms for Max^n*, 2003.
//! - M. P. D. Schadd, M. H. M. Winands, *Best Reply Search for Multiplayer Games*, 2011 (cautious ties).
//! - A. Hashavit, S. Markovitch, *Max-Prob: An Unbiased Rational Decision Making Procedure for Multiple-Adversary Environments*, IJCAI 2011
//!   (averaged ties).

pub(crate) mod means;
mod path;
mod search;
#[cfg(test)]
mod tests;

use std::mem;

use crate::recording::Recorder;
use crate::settings::{Choice, Visitor};
use crate::threads::{HELPED_DEPTH, Searched, together};
use crate::{
    Agent, AgentSettings, Algorithm, Budget, ByPlayer, Context, Decision, Declaration, Dice, Error, Evaluator,
    Explained, Game, Iteration, Judging, Kit, Limit, Line, MAX_PLAYERS, Meter, MoveOrder, Parts, Score, ScoreForm,
    Settings, Stance, TranspositionTable, chances, deepen, vectors,
};
use means::Means;
use search::Search;
use vectors::Plan;

/// What max^n prunes, each time without changing value or move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pruning {
    /// Nothing.
    #[default]
    None,
    /// What the demands of the player to move and of the one before, with the bounds of the root position, show to be useless.
    /// Like all that follow, it includes immediate pruning.
    Shallow,
    /// The same with the bounds of each position: alpha-beta branch and bound.
    Bound,
    /// The same with the demands of as many movers as there are players, where those in between have no choice left.
    LastBranch,
    /// The same before that is certain; if it turns out otherwise, what was pruned is searched again.
    Speculative,
}

impl Choice for Pruning {
    const WORDS: &'static [(Pruning, &'static str)] = &[
        (Pruning::None, "none"),
        (Pruning::Shallow, "shallow"),
        (Pruning::Bound, "bound"),
        (Pruning::LastBranch, "last-branch"),
        (Pruning::Speculative, "speculative"),
    ];
}

/// What a player chooses among children that are equally good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ties {
    /// The first of the static ordering.
    #[default]
    Left,
    /// The worst for the root player; among several of those, the first of the static ordering.
    Cautious,
    /// Each of them equally often, so that the value is the mean of theirs: Max-Prob. At the root the first of the static ordering
    /// is played.
    Average,
}

impl Choice for Ties {
    const WORDS: &'static [(Ties, &'static str)] =
        &[(Ties::Left, "left"), (Ties::Cautious, "cautious"), (Ties::Average, "average")];
}

/// The settings of the agent `maxn`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaxnSettings {
    /// What is pruned.
    pub pruning: Pruning,
    /// What is chosen among equals.
    pub ties: Ties,
    /// What each player maximizes.
    pub score: ScoreForm,
    /// The least difference between two scores of a player: 1, since scores are whole numbers, or 0 to prune as if they
    /// were not.
    pub mu: Score,
    /// Table, ordering and width. Killers and history would change the order of moves, so max^n has none.
    pub parts: Parts,
    /// The evaluation.
    pub judging: Judging,
}

impl Default for MaxnSettings {
    fn default() -> MaxnSettings {
        MaxnSettings {
            pruning: Pruning::None,
            ties: Ties::Left,
            score: ScoreForm::Own,
            mu: 1,
            parts: Parts { killers: false, history: false, ..Parts::default() },
            judging: Judging::default(),
        }
    }
}

impl Settings for MaxnSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.choice("pruning", &mut self.pruning, "what is pruned; never changes the value");
        let ties =
            "what a player chooses among equals: the first move, the worst for the root player, or each equally often";
        v.choice("ties", &mut self.ties, ties);
        let forms = [ScoreForm::Own, ScoreForm::Difference, ScoreForm::Relative, ScoreForm::Share];
        let score = "what a player maximizes: its score, less the sum of the others', less the average, or its share of the win";
        v.choice_of("score", &mut self.score, &forms, score);
        let mu = "least difference between two scores; 0 prunes as if scores were not whole numbers";
        v.whole("mu", &mut self.mu, 0..=1, mu);
        self.parts.visit_static(v);
        for key in ["killers", "history"] {
            v.fixed(key, "no", "always no, since the value of max^n depends on the order of moves");
        }
        self.judging.visit(v);
    }
}

impl MaxnSettings {
    /// Pruning is exact only if ties go left and values are leaves' scores.
    fn check_pruning(&self) -> Result<(), Error> {
        if self.pruning != Pruning::None {
            if self.ties != Ties::Left {
                let error = Error::refused("max^n prunes only with ties=left");
                return Err(error.help(format!("with ties={} use pruning=none", self.ties.word())));
            }
            if self.score == ScoreForm::Share {
                let error = Error::refused("max^n prunes scores, and score=share has none");
                return Err(error.help("with score=share use pruning=none"));
            }
        }
        if !(0..=1).contains(&self.mu) {
            return Err(Error::refused(format!("mu is 0 or 1, not {}", self.mu)));
        }
        Ok(())
    }
}

impl MaxnSettings {
    /// Whether values are no leaf's scores.
    fn has_means(&self) -> bool {
        self.ties == Ties::Average || self.score == ScoreForm::Share
    }
}

impl AgentSettings for MaxnSettings {
    const NAME: &'static str = "maxn";
    const ABOUT: &'static str = "max^n: every player maximizes its own score";
    const RULE: Option<&'static str> =
        Some("Every player chooses the move that is best for itself, and the scores of all players are passed up.");
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        self.check_pruning()?;
        self.parts.check()
    }
}

impl Algorithm for MaxnSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        let evaluator = kit.evaluator(&self.judging)?;
        if self.score == ScoreForm::Share {
            refuse_without_chances(kit, &evaluator, "maxn:score=share")?;
        }
        let maxn = Maxn::new(evaluator, kit.order.clone());
        Ok(Box::new(Maxn { settings: self.clone(), dice: Dice::new(kit.chance.own), ..maxn }))
    }
}

/// Refuses an evaluation whose scores are no chances, unless every search reaches the end of the game anyway.
pub(crate) fn refuse_without_chances<D: Declaration>(
    kit: &Kit<'_, D>,
    evaluator: &impl Evaluator<D::Game>,
    what: &str,
) -> Result<(), Error> {
    if evaluator.chances(kit.game).is_some() || D::least_depth(kit.game).is_some() {
        return Ok(());
    }
    let error = Error::refused(format!("{what} needs chances, and this evaluation of {} has none", kit.spec.name));
    Err(error.help("nply calibrate fits the temperature that turns scores into chances"))
}

/// A table entry: the value, and whether a line was cut off by the depth.
type Entry = ([Score; MAX_PLAYERS], bool);

/// The words of an entry as the table keeps it.
const WORDS: usize = MAX_PLAYERS.div_ceil(2) + 1;

/// What [threads](crate::threads) share.
#[derive(Clone, Debug)]
struct Shared {
    table: TranspositionTable<WORDS>,
    searched: Searched,
}

impl Shared {
    fn new() -> Shared {
        Shared { table: TranspositionTable::new(0), searched: Searched::alone() }
    }
}

/// The max^n search.
///
/// Value and scores of a [`Decision`] are those of the expected leaf as evaluated, whatever the players
/// [maximize](MaxnSettings::score).
#[derive(Clone, Debug)]
pub struct Maxn<E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering, the best for the mover first unless [`Parts::order`] differs.
    pub order: O,
    /// Everything else.
    pub settings: MaxnSettings,
    /// Chooses among equal moves, if that is [left to chance](Parts::equals).
    pub dice: Dice,
    shared: Shared,
    /// The same for values that are no leaf's scores.
    means: vectors::Shared,
}

impl<E, O> Maxn<E, O> {
    /// A search with the default settings: no pruning, ties to the left, and every player maximizes its own score.
    pub fn new(evaluator: E, order: O) -> Maxn<E, O> {
        let (settings, dice) = (MaxnSettings::default(), Dice::default());
        Maxn { evaluator, order, settings, dice, shared: Shared::new(), means: vectors::Shared::new() }
    }

    /// What was found of a move of the root: its value, and what its line leads to.
    fn line<G: Game>(&self, game: &G, line: &[G::Move], scores: ByPlayer<Score>) -> Line<G::Move>
    where
        E: Evaluator<G>,
    {
        let mut leaf = game.clone();
        line.iter().for_each(|&m| leaf.play(m));
        Line {
            value: Some(scores[game.turn()].into()),
            scores: Some(scores.map(f64::from)),
            chances: chances::in_position(&self.evaluator, &leaf),
            pv: line.to_vec(),
        }
    }

    /// Whether the root player wins by its own moves alone, so that no deeper search finds anything better.
    fn is_won<G: Game>(&self, game: &G, line: &[G::Move], scores: &ByPlayer<Score>) -> bool
    where
        E: Evaluator<G>,
    {
        let root = game.turn();
        if scores[root] < self.evaluator.win(game, root)[root] {
            return false;
        }
        let mut game = game.clone();
        for &m in line {
            if game.turn() != root {
                return false;
            }
            game.play(m);
        }
        game.payoff().is_some_and(|payoff| payoff[root] == 1.0)
    }
}

impl<E, O> Maxn<E, O> {
    /// Searches, and records that if there is a recorder.
    // It has two callers, and is compiled for every game.
    #[inline(never)]
    fn run<G: Game>(
        &mut self,
        game: &G,
        budget: &Budget,
        watch: &mut dyn FnMut(&Decision<G::Move>),
        mut recorder: Option<&mut Recorder<G::Move>>,
    ) -> Decision<G::Move>
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
    {
        if let Err(error) = self.settings.check_pruning() {
            panic!("{error}");
        }
        if self.settings.has_means() {
            return self.run_means(game, budget, watch, recorder);
        }
        let parts = self.settings.parts;
        let threads = if recorder.is_some() { 1 } else { parts.helpful_threads() };
        let mut shared = mem::replace(&mut self.shared, Shared::new());
        shared.table.resize(parts.table);
        if threads > 1 {
            shared.table.clear_to_share();
        }
        let mut helpers = vec![(); threads - 1];
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let first = match parts.stance(Stance::Own, game.turn()) {
            Some(stance) => self.order.first(game, stance, &moves),
            None => moves[0],
        };
        moves.clear();
        game.distinct(&mut moves);
        let choices = moves.len().min(parts.width.unwrap_or(usize::MAX).max(1));
        let mut meter = Meter::counting(parts.count, budget);
        let mut previous = None;
        let decision = deepen(budget, &mut meter, first, parts.partial, watch, |depth, meter, partial| {
            let mut iterate = |meter: &mut Meter, left_out: &[G::Move], recorder: Option<&mut Recorder<G::Move>>| {
                shared.searched.clear(threads);
                let helpers = if depth < HELPED_DEPTH { &mut [] } else { &mut helpers[..] };
                let (maxn, shared) = (&*self, &shared);
                let help = |_: &mut (), meter: &mut Meter| {
                    let mut search = Search::new(maxn, game, shared, meter, None, left_out);
                    // What it finds is in the table; whether it got to the end does not matter.
                    let _ = search.run(&mut game.clone(), depth);
                };
                together(meter, helpers, help, |meter| {
                    let mut search = Search::new(maxn, game, shared, meter, recorder, left_out);
                    let end = search.run(&mut game.clone(), depth);
                    let found = search.found(previous.filter(|_| left_out.is_empty()));
                    let line = found.map(|scores| (maxn.line(game, search.line(), scores), scores));
                    (line, search.met_horizon(), end)
                })
            };
            let (found, met_horizon, end) = iterate(meter, &[], recorder.as_deref_mut());
            let found = found.map(|(line, scores)| {
                let is_final = !met_horizon || self.is_won(game, &line.pv, &scores);
                Iteration { line, is_final, others: Vec::new() }
            });
            if let Err(error) = end {
                *partial = found;
                return Err(error);
            }
            // The best few moves: the root is searched again without those that are already known, which is not recorded.
            let found = found.expect("the root player has a move");
            let found = found.with_others(parts.lines.min(choices), partial, |known| {
                let (other, _, end) = iterate(meter, known, None);
                end.map(|()| other.expect("there is a move left").0)
            })?;
            previous = Some(found.line.pv[0]);
            Ok(found)
        });
        self.shared = shared;
        decision
    }
}

impl<E, O> Maxn<E, O> {
    /// The same where values are no leaf's scores.
    fn run_means<G: Game>(
        &mut self,
        game: &G,
        budget: &Budget,
        watch: &mut dyn FnMut(&Decision<G::Move>),
        recorder: Option<&mut Recorder<G::Move>>,
    ) -> Decision<G::Move>
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
    {
        let Maxn { evaluator, order, settings, dice, means, .. } = self;
        let root = game.turn();
        let plan = Plan {
            evaluator: &*evaluator,
            order: &*order,
            rule: &Means::new(settings, root),
            leaves: means::leaves(settings.score),
            stance: settings.parts.stance(Stance::Own, root),
            parts: &settings.parts,
            dice: *dice,
        };
        plan.decide(means, game, budget, watch, recorder)
    }
}

/// # Panics
/// If the settings do not pass their [`check`](AgentSettings::check), or the scores leave the evaluator's own bounds.
impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Maxn<E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        self.run(game, budget, watch, None)
    }

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        let mut recorder = Recorder::new(nodes);
        let decision = self.run(game, budget, &mut |_| (), Some(&mut *recorder));
        Some((decision, recorder.finish()))
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
        self.dice.begin(context.ply);
    }
}
