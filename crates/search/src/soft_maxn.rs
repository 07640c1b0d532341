//! Soft-max^n: a node has every value that players who are indifferent, or whose wishes are unknown, may lead to.
//!
//! [Max^n](crate::maxn) needs to know what a player does when two moves are equally good for it, and what it wants in the first
//! place. If either assumption is wrong, its value can be far off. Soft-max^n makes neither. The value of a node is a *set* of
//! vectors. At a node of player i, child A **strictly dominates** child B if every vector of A is worth more to i than every
//! vector of B, under every model of what i may want. A dominated child is never played. Of the others any may be, so the
//! value is the union of their sets.
//!
//! | model | what player i maximizes |
//! | --- | --- |
//! | `own` | its score |
//! | `difference` | its score less the sum of the others' |
//! | `leader` | its score less the highest of the others' |
//!
//! At the root the move whose set has the best worst case for the root player is played ([`Choose::Cautious`]), or the one whose set has the best
//! mean ([`Choose::Mean`]). The root player knows what it wants: its own score.
//!
//! # What is exact
//!
//! - Without a cap the order of moves does not matter: it never decides a tie, except between moves of the root.
//! - Without ties and with the model `own` alone it is max^n.
//! - The set of a node contains the vector that max^n finds there, whatever its rule for ties.
//!
//! Sets grow with every tie. They are capped at [`sets`](SoftMaxnSettings::sets) vectors: for each player those with its least and its greatest
//! score are kept, then, one after another, the one that is farthest from all that are kept. Vectors are compared in a fixed order,
//! so even then the order of moves does not matter.
//!
//! Scores and value of a [`Decision`] are each player's least over the set of the chosen move, or, with `choose=mean`, its mean. There
//! is nothing to prune. The table keeps sets that are small enough, which without ties are all.
//!
//! # Example
//!
//! The tree of max^n's essay. At the second node both children are the same to player 2, so its value is both. Player 1 may get 5 there,
//! and is sure of 6 at the first node. On average both nodes are worth 6.
//!
//! ```text
//!                1: sure of 6 or of 5
//!                ▲─────────┴─────────┐
//!         2: {6,2,6}      2: {7,2,9  5,2,1}
//!          ▲────┴────┐          ▲────┴────▲
//!       6,2,6     4,1,6      7,2,9     5,2,1
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, SoftMaxn, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
//! let mut soft = SoftMaxn::new(LeafScores, AsListed);
//! let found = soft.choose(&tree, &Budget::depth(2));
//! assert_eq!((found.m, found.scores.unwrap().as_slice()), (1, &[6.0, 2.0, 6.0][..]));
//! // Neither move of player 1 dominates the other, since 6 lies between 5 and 7.
//! let set: Vec<Vec<f64>> = soft.set(&tree, 2).iter().map(|vector| vector.as_slice().to_vec()).collect();
//! assert_eq!(set, [[5.0, 2.0, 1.0], [6.0, 2.0, 6.0], [7.0, 2.0, 9.0]]);
//! // Player 2 may also want the others to have little, and then 4,1,6 is better for it than 6,2,6.
//! soft.settings.models = vec!["own".into(), "difference".into()];
//! assert_eq!(soft.set(&tree, 2).len(), 4);
//! ```
//!
//! Reference: N. R. Sturtevant, M. H. Bowling, *Robust Game Play Against Unknown Opponents*, AAMAS 2006.

use crate::recording::Recorder;
use crate::settings::{Choice, Visitor};
use crate::vectors::{Children, EQUAL, Leaves, Plan, Rule, Shared};
use crate::{
    Agent, AgentSettings, Algorithm, Budget, ByPlayer, Context, Decision, Declaration, Dice, Error, Evaluator,
    Explained, Game, Judging, Kit, Limit, MoveOrder, Parts, Player, Settings, Stance,
};

/// What a player may want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Its score.
    Own,
    /// Its score less the sum of the others'.
    Difference,
    /// Its score less the highest of the others'.
    Leader,
    /// The least for the root player, who itself wants its own score. Only [`prob_maxn`](crate::prob_maxn) has it.
    Against,
}

impl Choice for Model {
    const WORDS: &'static [(Model, &'static str)] = &[
        (Model::Own, "own"),
        (Model::Difference, "difference"),
        (Model::Leader, "leader"),
        (Model::Against, "against"),
    ];
}

/// The models of soft-max^n.
const MODELS: [Model; 3] = [Model::Own, Model::Difference, Model::Leader];

impl Model {
    /// What scores are worth to a player of this kind, where `root` searches.
    ///
    /// ```
    /// use nply::{Player, soft_maxn::Model};
    /// let worth = |model: Model| model.worth(&[6.0, 2.0, 5.0], Player::new(0), Player::new(1));
    /// let all = [Model::Own, Model::Difference, Model::Leader, Model::Against];
    /// assert_eq!(all.map(worth), [6.0, -1.0, 1.0, -2.0]);
    /// ```
    pub fn worth(self, scores: &[f64], player: Player, root: Player) -> f64 {
        let own = scores[player.index()];
        match self {
            Model::Against if player != root => -scores[root.index()],
            Model::Own | Model::Against => own,
            Model::Difference => 2.0 * own - scores.iter().sum::<f64>(),
            Model::Leader => {
                let others = scores.iter().enumerate().filter(|&(at, _)| at != player.index());
                own - others.map(|(_, &score)| score).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// The models of these names among those that there are; there must be one, and each only once.
    pub(crate) fn all(words: &[String], among: &[Model]) -> Result<Vec<Model>, Error> {
        let known: Vec<&str> = among.iter().map(|model| model.word()).collect();
        let model = |word: &String| {
            let unknown =
                || Error::refused(format!("unknown model {word:?}")).help(format!("there are {}", known.join(", ")));
            among.iter().copied().find(|model| model.word() == word).ok_or_else(unknown)
        };
        if let Some(word) = words.iter().enumerate().find_map(|(at, word)| words[..at].contains(word).then_some(word)) {
            return Err(Error::refused(format!("the model {word:?} is named twice")));
        }
        if words.is_empty() {
            return Err(Error::refused("players need a model").help(format!("there are {}", known.join(", "))));
        }
        words.iter().map(model).collect()
    }
}

/// Which move is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Choose {
    /// The one whose worst case is best.
    #[default]
    Cautious,
    /// The one whose mean is best.
    Mean,
}

impl Choice for Choose {
    const WORDS: &'static [(Choose, &'static str)] = &[(Choose::Cautious, "cautious"), (Choose::Mean, "mean")];
}

/// The soft-max^n search.
#[derive(Clone, Debug)]
pub struct SoftMaxn<E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering, which decides only between equal moves of the root.
    pub order: O,
    /// Everything else.
    pub settings: SoftMaxnSettings,
    /// Chooses among equal moves, if that is [left to chance](Parts::equals).
    pub dice: Dice,
    shared: Shared,
}

impl<E, O> SoftMaxn<E, O> {
    /// A search with the default settings.
    pub fn new(evaluator: E, order: O) -> SoftMaxn<E, O> {
        let (settings, dice) = (SoftMaxnSettings::default(), Dice::default());
        SoftMaxn { evaluator, order, settings, dice, shared: Shared::new() }
    }

    /// The vectors that a position may lead to, searched to a depth, in ascending order: its value.
    ///
    /// # Panics
    /// If a model is unknown.
    pub fn set<G: Game>(&mut self, game: &G, depth: u32) -> Vec<ByPlayer<f64>>
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
    {
        let value = self.with_plan(game, |plan, shared| plan.value(shared, game, depth));
        value.chunks(game.player_count()).map(ByPlayer::from_slice).collect()
    }

    fn with_plan<G: Game, R>(&mut self, game: &G, f: impl FnOnce(&Plan<'_, E, O>, &mut Shared) -> R) -> R {
        let SoftMaxn { evaluator, order, settings, dice, shared } = self;
        let models = Model::all(&settings.models, &MODELS).unwrap_or_else(|error| panic!("{error}"));
        let rule = Soft {
            players: game.player_count(),
            models: &models,
            sets: settings.sets.unwrap_or(usize::MAX).max(1),
            choose: settings.choose,
        };
        let plan = Plan {
            evaluator: &*evaluator,
            order: &*order,
            rule: &rule,
            leaves: Leaves::Scores,
            stance: settings.parts.stance(Stance::Own, game.turn()),
            parts: &settings.parts,
            dice: *dice,
        };
        f(&plan, shared)
    }
}

/// # Panics
/// If a model is unknown.
impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for SoftMaxn<E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        self.with_plan(game, |plan, shared| plan.decide(shared, game, budget, watch, None))
    }

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        let mut recorder = Recorder::new(nodes);
        let decision =
            self.with_plan(game, |plan, shared| plan.decide(shared, game, budget, &mut |_| (), Some(&mut *recorder)));
        Some((decision, recorder.finish()))
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
        self.dice.begin(context.ply);
    }
}

/// Sets of vectors, one after the other.
struct Soft<'a> {
    players: usize,
    models: &'a [Model],
    sets: usize,
    choose: Choose,
}

impl Soft<'_> {
    fn vectors<'v>(&self, value: &'v [f64]) -> impl Iterator<Item = &'v [f64]> + Clone {
        value.chunks_exact(self.players)
    }

    /// The least and the greatest worth of a set to a player.
    fn range(&self, model: Model, value: &[f64], player: Player) -> (f64, f64) {
        let worths = self.vectors(value).map(|vector| model.worth(vector, player, player));
        worths.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), worth| (least.min(worth), most.max(worth)))
    }

    /// Whether one set strictly dominates another for a player.
    fn dominates(&self, better: &[f64], worse: &[f64], player: Player) -> bool {
        self.models
            .iter()
            .all(|&model| self.range(model, better, player).0 > self.range(model, worse, player).1 + EQUAL)
    }

    /// Keeps no more vectors than allowed, of those from `from` on, which are in ascending order.
    fn cap(&self, out: &mut Vec<f64>, from: usize) {
        let all: Vec<&[f64]> = out[from..].chunks_exact(self.players).collect();
        if all.len() <= self.sets {
            return;
        }
        let mut kept: Vec<usize> = Vec::new();
        let keep = |kept: &mut Vec<usize>, at: usize| {
            if kept.len() < self.sets && !kept.contains(&at) {
                kept.push(at);
            }
        };
        for player in 0..self.players {
            let by = |a: &usize, b: &usize| all[*a][player].total_cmp(&all[*b][player]).then(b.cmp(a));
            // Of several, the first.
            let least = (0..all.len()).min_by(|a, b| all[*a][player].total_cmp(&all[*b][player]).then(a.cmp(b)));
            keep(&mut kept, least.expect("there are some"));
            keep(&mut kept, (0..all.len()).max_by(by).expect("there are some"));
        }
        let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        while kept.len() < self.sets {
            let spread =
                |at: usize| kept.iter().map(|&other| distance(all[at], all[other])).fold(f64::INFINITY, f64::min);
            let next = (0..all.len()).filter(|at| !kept.contains(at));
            let farthest = next.max_by(|&a, &b| spread(a).total_cmp(&spread(b)).then(b.cmp(&a)));
            keep(&mut kept, farthest.expect("there are more than are kept"));
        }
        kept.sort_unstable();
        let chosen: Vec<f64> = kept.iter().flat_map(|&at| all[at].iter().copied()).collect();
        out.truncate(from);
        out.extend(chosen);
    }

    /// How good a set is for a player who has to choose it.
    fn rate(&self, value: &[f64], player: Player) -> f64 {
        match self.choose {
            Choose::Cautious => self.range(Model::Own, value, player).0,
            Choose::Mean => {
                let count = (value.len() / self.players) as f64;
                self.vectors(value).map(|vector| vector[player.index()]).sum::<f64>() / count
            }
        }
    }
}

impl Rule for Soft<'_> {
    fn leaf(&self, scores: &ByPlayer<f64>, out: &mut Vec<f64>) {
        out.extend_from_slice(scores.as_slice());
    }

    fn combine(&self, mover: Player, is_root: bool, children: &Children<'_>, out: &mut Vec<f64>) -> usize {
        let all = 0..children.len();
        // With one model, what is dominated at all is dominated by the child with the best worst case.
        let bar = match self.models {
            [model] => all.clone().map(|at| self.range(*model, children.value(at), mover).0).reduce(f64::max),
            _ => None,
        };
        let is_possible = |at: usize| match (bar, self.models) {
            (Some(bar), [model]) => self.range(*model, children.value(at), mover).1 + EQUAL >= bar,
            _ => !all
                .clone()
                .any(|other| other != at && self.dominates(children.value(other), children.value(at), mover)),
        };
        let possible = || all.clone().filter(|&at| is_possible(at));
        let rate = |at: usize| self.rate(children.value(at), mover);
        let best = possible().map(rate).fold(f64::NEG_INFINITY, f64::max);
        let chosen = possible().find(|&at| rate(at) >= best - EQUAL).expect("the best is one of them");
        if is_root || possible().nth(1).is_none() {
            out.extend_from_slice(children.value(chosen));
            return chosen;
        }
        let mut union: Vec<&[f64]> = possible().flat_map(|at| self.vectors(children.value(at))).collect();
        union.sort_unstable_by(|a, b| {
            let differing = a.iter().zip(*b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
            differing.unwrap_or(std::cmp::Ordering::Equal)
        });
        union.dedup();
        let from = out.len();
        union.iter().for_each(|vector| out.extend_from_slice(vector));
        self.cap(out, from);
        chosen
    }

    fn scores(&self, value: &[f64]) -> ByPlayer<f64> {
        ByPlayer::from_fn(self.players, |player| self.rate(value, player))
    }
}

/// The settings of the agent `soft-maxn`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoftMaxnSettings {
    /// What players may want: names of a [`Model`].
    pub models: Vec<String>,
    /// The most vectors of a set, at least 1; `None` for any number.
    pub sets: Option<usize>,
    /// Which move is played.
    pub choose: Choose,
    /// Table, ordering and width. There are no killers and no history.
    pub parts: Parts,
    /// The evaluation.
    pub judging: Judging,
}

impl Default for SoftMaxnSettings {
    fn default() -> SoftMaxnSettings {
        SoftMaxnSettings {
            models: vec!["own".into()],
            sets: Some(16),
            choose: Choose::default(),
            parts: Parts { killers: false, history: false, ..Parts::default() },
            judging: Judging::default(),
        }
    }
}

impl Settings for SoftMaxnSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        let models =
            "what players may want: own, difference (to all others), leader (difference to the highest of them)";
        v.list("models", &mut self.models, models);
        v.whole_or("sets", &mut self.sets, "all", 1..=1_000_000, "vectors that the value of a node has at most");
        v.choice("choose", &mut self.choose, "move that is played: the one with the best worst case, or the best mean");
        self.parts.visit_static(v);
        for key in ["killers", "history"] {
            v.fixed(key, "no", "always no, since there is nothing to prune");
        }
        self.judging.visit(v);
    }
}

impl AgentSettings for SoftMaxnSettings {
    const NAME: &'static str = "soft-maxn";
    const ABOUT: &'static str = "soft-max^n: every value that indifferent or unknown players may lead to";
    const RULE: Option<&'static str> = Some(
        "A player may choose any move that no other one is surely better than, and all that may follow is passed up; the scores \
         shown are the least, or the mean, of each player.",
    );
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        Model::all(&self.models, &MODELS)?;
        self.parts.check()
    }
}

impl Algorithm for SoftMaxnSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        let soft = SoftMaxn::new(kit.evaluator(&self.judging)?, kit.order.clone());
        Ok(Box::new(SoftMaxn { settings: self.clone(), dice: Dice::new(kit.chance.own), ..soft }))
    }
}
