//! Prob-max^n: opponents are of unknown kinds, and their moves tell which.
//!
//! [Max^n](crate::maxn) takes every player to maximize one thing, and is wrong if that is not what it wants. Prob-max^n knows several
//! [models](Model) of a player and how likely each is: its *beliefs*. At a node of an opponent each model of it chooses the
//! children that are best in its own eyes, each of several equally often, and everything that is passed up becomes its expectation
//! under the beliefs about the mover. The root player has one model, the first of the list, and averages ties too.
//!
//! | model | what player i maximizes |
//! | --- | --- |
//! | `own` | its score |
//! | `difference` | its score less the sum of the others' |
//! | `leader` | its score less the highest of the others' |
//! | `against` | the root player's score, negated; for the root player itself, its own score |
//!
//! # Utilities
//!
//! A leaf has a utility for every player and model, and it is utilities that are averaged on the way up: the expected difference to a
//! leader is not the difference of expected scores. Except for `leader`, all models are sums of scores, so it is
//! enough to pass up the expected scores and, if the model `leader` is among them, each player's expected lead.
//!
//! # Beliefs
//!
//! Beliefs start uniform. After each move m of an opponent, which had b moves, the belief in each model is multiplied by
//!
//! ```text
//! (1 − ε) · P(m | model) + ε / b
//! ```
//!
//! and all are normalized. P(m | model) is 0, or one over the number of moves that are best in the eyes of the model, by a search of the
//! opponent's position to [`look`](ProbMaxnSettings::look) plies with the beliefs of that moment. The mixing with ε is not in the
//! paper: without it a single move that no model explains would leave nothing to believe in, and one slip would exclude a model
//! forever.
//!
//! An agent is told the moves since its last decision ([`Agent::observe`]), and replays them from the position of that decision, or,
//! before its first, from the one that it was made for. Where they do not lead to the position that it is asked about, such as after a
//! move was taken back or where cards are hidden, they change no belief.
//!
//! With one model there is nothing to believe, and the search is [Max-Prob](crate::maxn#max-prob) for its utility. There is
//! nothing to prune. The table keeps values of up to six numbers.
//!
//! # Example
//!
//! Player 2 may want its own score, or that player 1 has little, and the two never agree. If both are equally likely, player 1 can
//! expect 4.5 after its first move and 5 after its second.
//!
//! ```text
//!                   1: (5, 4.5)
//!             ┌──────────┴──────────▲
//!        2: (4.5, 3.5)           2: (5, 4.5)
//!        ▲────┴────▲           ▲────┴────▲
//!       9,5       0,2         6,5       4,4
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Context, ProbMaxn, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 9,5 0,2) (2 6,5 4,4))".parse().unwrap();
//! let mut prob = ProbMaxn::new(LeafScores, AsListed);
//! prob.settings.models = vec!["own".into(), "against".into()];
//! let found = prob.choose(&tree, &Budget::depth(2));
//! assert_eq!((found.m, found.scores.unwrap().as_slice()), (2, &[5.0, 4.5][..]));
//!
//! // Player 1 plays its second move, and player 2 answers with its first: its own score is what it wants, unless it erred.
//! use nply::Game;
//! let mut tree: Tree = "(1 9,9 (2 (1 1,5 0,0) (1 0,4 0,0)))".parse().unwrap();
//! prob.settings.look = 9;
//! prob.choose(&tree, &Budget::depth(2));
//! [2, 1].map(|m| tree.play(m));
//! prob.observe(&Context { ply: 2, played: Some(&[2, 1]), texts: &Vec::new, clocks: None });
//! prob.choose(&tree, &Budget::depth(2));
//! let (own, against) = (0.9 * 1.0 + 0.1 / 2.0, 0.1 / 2.0);
//! assert!((prob.beliefs(nply::Player::new(1))[0] - own / (own + against)).abs() < 1e-9);
//! ```
//!
//! Reference: N. Sturtevant, M. Zinkevich, M. Bowling, *Prob-Max^n: Playing N-Player Games with Opponent Models*, AAAI 2006.

use crate::recording::Recorder;
use crate::settings::Visitor;
use crate::soft_maxn::Model;
use crate::vectors::{Children, EQUAL, Leaves, Plan, Rule, Shared};
use crate::{
    Agent, AgentSettings, Algorithm, Budget, ByPlayer, Context, Decision, Declaration, Dice, Error, Evaluator,
    Explained, Game, Judging, Kit, Limit, MoveOrder, Parts, Player, Settings, Stance,
};

/// The models of prob-max^n.
const MODELS: [Model; 4] = [Model::Own, Model::Difference, Model::Leader, Model::Against];

/// How likely each model of a player is, in the order in which they are named; they sum to 1.
type Beliefs = [f64; MODELS.len()];

/// The prob-max^n search.
#[derive(Clone, Debug)]
pub struct ProbMaxn<G: Game, E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering, which decides only between equal moves of the root.
    pub order: O,
    /// Everything else.
    pub settings: ProbMaxnSettings,
    /// Chooses among equal moves, if that is [left to chance](Parts::equals).
    pub dice: Dice,
    /// Beliefs about every player; empty before anything is known.
    beliefs: Vec<Beliefs>,
    /// The position of the last decision, or the one that the agent was made for.
    last: Option<G>,
    /// The moves since then.
    played: Option<Vec<G::Move>>,
    shared: Shared,
}

impl<G: Game, E, O> ProbMaxn<G, E, O> {
    /// A search with the default settings.
    pub fn new(evaluator: E, order: O) -> ProbMaxn<G, E, O> {
        ProbMaxn {
            evaluator,
            order,
            settings: ProbMaxnSettings::default(),
            dice: Dice::default(),
            beliefs: Vec::new(),
            last: None,
            played: None,
            shared: Shared::new(),
        }
    }

    /// How likely each model of a player is, in the order of the [settings](ProbMaxnSettings::models).
    pub fn beliefs(&self, player: Player) -> Vec<f64> {
        let count = self.settings.models.len();
        self.beliefs.get(player.index()).map_or_else(|| uniform(count), |beliefs| *beliefs)[..count].to_vec()
    }

    /// Believes so much in each model of a player, in the order of the [settings](ProbMaxnSettings::models).
    ///
    /// # Panics
    /// If these are not as many as there are models, or do not sum to 1.
    pub fn believe(&mut self, player: Player, beliefs: &[f64]) {
        let count = self.settings.models.len();
        assert!(beliefs.len() == count && (beliefs.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{beliefs:?}");
        if self.beliefs.len() <= player.index() {
            self.beliefs.resize(player.index() + 1, uniform(count));
        }
        self.beliefs[player.index()][..count].copy_from_slice(beliefs);
    }

    /// Calls `f` with a search for `root`, by present beliefs.
    fn with_plan<R>(
        &mut self,
        game: &G,
        root: Player,
        f: impl FnOnce(&Plan<'_, E, O>, &Prob<'_>, &mut Shared) -> R,
    ) -> R {
        let ProbMaxn { evaluator, order, settings, dice, beliefs, shared, .. } = self;
        let models = Model::all(&settings.models, &MODELS).unwrap_or_else(|error| panic!("{error}"));
        beliefs.resize(game.player_count(), uniform(models.len()));
        let rule = Prob { players: game.player_count(), root, models: &models, beliefs: &*beliefs };
        let plan = Plan {
            evaluator: &*evaluator,
            order: &*order,
            rule: &rule,
            leaves: Leaves::Scores,
            stance: settings.parts.stance(Stance::Own, root),
            parts: &settings.parts,
            dice: *dice,
        };
        f(&plan, &rule, shared)
    }

    /// Learns from a move of an opponent.
    fn learn(&mut self, game: &G, root: Player, m: G::Move)
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
    {
        let (mover, look, epsilon) = (game.turn(), self.settings.look, self.settings.epsilon);
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let likely = self.with_plan(game, root, |plan, rule, shared| {
            let mut value = |m: G::Move| {
                let mut child = game.clone();
                child.play(m);
                plan.value_of(shared, &child, look.saturating_sub(1))
            };
            let values: Vec<Vec<f64>> = moves.iter().map(|&m| value(m)).collect();
            let played = moves.iter().position(|&other| other == m);
            let likely = |model: Model| {
                let worths: Vec<f64> = values.iter().map(|value| rule.utility(value, mover, model)).collect();
                let most = worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let best = worths.iter().filter(|&&worth| worth >= most - EQUAL).count();
                let is_best = played.is_some_and(|at| worths[at] >= most - EQUAL);
                if is_best { 1.0 / best as f64 } else { 0.0 }
            };
            rule.models.iter().map(|&model| likely(model)).collect::<Vec<f64>>()
        });
        let beliefs = &mut self.beliefs[mover.index()];
        for (belief, likely) in beliefs.iter_mut().zip(&likely) {
            *belief *= (1.0 - epsilon) * likely + epsilon / moves.len() as f64;
        }
        let sum: f64 = beliefs.iter().sum();
        // Without mixing, a move that no model explains says nothing.
        if sum > 0.0 {
            beliefs.iter_mut().for_each(|belief| *belief /= sum);
        } else {
            *beliefs = uniform(likely.len());
        }
    }
}

/// All models are equally likely.
fn uniform(models: usize) -> Beliefs {
    std::array::from_fn(|at| if at < models { 1.0 / models as f64 } else { 0.0 })
}

/// # Panics
/// If a model is unknown.
impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for ProbMaxn<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        self.remember(game);
        self.with_plan(game, game.turn(), |plan, _, shared| plan.decide(shared, game, budget, watch, None))
    }

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        self.remember(game);
        let mut recorder = Recorder::new(nodes);
        let decision = self.with_plan(game, game.turn(), |plan, _, shared| {
            plan.decide(shared, game, budget, &mut |_| (), Some(&mut *recorder))
        });
        Some((decision, recorder.finish()))
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
        self.dice.begin(context.ply);
        // Whose opponents these are, the next decision shows.
        self.played = context.played.map(<[G::Move]>::to_vec);
    }
}

impl<G: Game, E, O> ProbMaxn<G, E, O> {
    /// Learns from the moves since the last decision, if they have led to this position.
    fn remember(&mut self, game: &G)
    where
        E: Evaluator<G>,
        O: MoveOrder<G>,
    {
        if let (Some(mut position), Some(played)) = (self.last.take(), self.played.take()) {
            let (root, before) = (game.turn(), self.beliefs.clone());
            let mut moves = Vec::new();
            let is_played = played.iter().all(|&m| {
                moves.clear();
                position.moves(&mut moves);
                let is_legal = moves.contains(&m);
                if is_legal && position.turn() != root && moves.len() > 1 {
                    self.learn(&position, root, m);
                }
                if is_legal {
                    position.play(m);
                }
                is_legal
            });
            if !is_played || position.key() != game.key() {
                self.beliefs = before;
            }
        }
        self.last = Some(game.clone());
    }
}

/// Expected scores and, if a model needs them, expected leads.
struct Prob<'a> {
    players: usize,
    root: Player,
    models: &'a [Model],
    beliefs: &'a [Beliefs],
}

impl Prob<'_> {
    /// What a value is worth to a player of a kind.
    fn utility(&self, value: &[f64], player: Player, model: Model) -> f64 {
        match model {
            Model::Leader => value[self.players + player.index()],
            Model::Own | Model::Difference | Model::Against => model.worth(&value[..self.players], player, self.root),
        }
    }

    /// The models of a player with how likely they are.
    fn models(&self, player: Player) -> impl Iterator<Item = (Model, f64)> {
        let (is_root, beliefs) = (player == self.root, &self.beliefs[player.index()]);
        let count = if is_root { 1 } else { self.models.len() };
        self.models[..count]
            .iter()
            .zip(beliefs)
            .map(move |(&model, &belief)| (model, if is_root { 1.0 } else { belief }))
    }

    /// The best utility of a model, and how many children have it.
    fn best(&self, mover: Player, model: Model, children: &Children<'_>) -> (f64, f64) {
        let worths = || (0..children.len()).map(|at| self.utility(children.value(at), mover, model));
        let most = worths().fold(f64::NEG_INFINITY, f64::max);
        (most, worths().filter(|&worth| worth >= most - EQUAL).count() as f64)
    }
}

impl Rule for Prob<'_> {
    fn leaf(&self, scores: &ByPlayer<f64>, out: &mut Vec<f64>) {
        out.extend_from_slice(scores.as_slice());
        if self.models.contains(&Model::Leader) {
            let lead = |player| Model::Leader.worth(scores.as_slice(), player, self.root);
            out.extend(Player::all(self.players).map(lead));
        }
    }

    fn combine(&self, mover: Player, _is_root: bool, children: &Children<'_>, out: &mut Vec<f64>) -> usize {
        let from = out.len();
        out.resize(from + children.value(0).len(), 0.0);
        // How likely each child is; of the likeliest, the first.
        let (mut likeliest, mut chosen) = (0.0, 0);
        let mut tops = [(Model::Own, 0.0, 0.0, 1.0); MODELS.len()];
        let mut count = 0;
        for (model, belief) in self.models(mover) {
            let (most, ties) = self.best(mover, model, children);
            tops[count] = (model, belief, most, ties);
            count += 1;
        }
        for at in 0..children.len() {
            let value = children.value(at);
            let part = |&(model, belief, most, ties): &(Model, f64, f64, f64)| {
                if self.utility(value, mover, model) >= most - EQUAL { belief / ties } else { 0.0 }
            };
            let likely: f64 = tops[..count].iter().map(part).sum();
            out[from..].iter_mut().zip(value).for_each(|(sum, number)| *sum += likely * number);
            if likely > likeliest + EQUAL {
                (likeliest, chosen) = (likely, at);
            }
        }
        chosen
    }

    fn scores(&self, value: &[f64]) -> ByPlayer<f64> {
        ByPlayer::from_slice(&value[..self.players])
    }
}

/// The settings of the agent `prob-maxn`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbMaxnSettings {
    /// What opponents may want: names of a [`Model`], the first of which is the root player's own.
    pub models: Vec<String>,
    /// How much of a player's moves no model explains, from 0 to 1.
    pub epsilon: f64,
    /// The plies that are searched to learn from an opponent's move, at least 1.
    pub look: u32,
    /// Table, ordering and width. There are no killers and no history.
    pub parts: Parts,
    /// The evaluation.
    pub judging: Judging,
}

impl Default for ProbMaxnSettings {
    fn default() -> ProbMaxnSettings {
        ProbMaxnSettings {
            models: MODELS.map(|model| crate::settings::Choice::word(model).to_string()).to_vec(),
            epsilon: 0.1,
            look: 1,
            parts: Parts { killers: false, history: false, ..Parts::default() },
            judging: Judging::default(),
        }
    }
}

impl Settings for ProbMaxnSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        let models = "what opponents may want: own, difference, leader, against (the root player); the first is also the root player's";
        v.list("models", &mut self.models, models);
        v.number("epsilon", &mut self.epsilon, 0.0..=1.0, "part of an opponent's moves that no model explains");
        v.whole("look", &mut self.look, 1..=100, "plies searched to learn from an opponent's move");
        self.parts.visit_static(v);
        for key in ["killers", "history"] {
            v.fixed(key, "no", "always no, since there is nothing to prune");
        }
        self.judging.visit(v);
    }
}

impl AgentSettings for ProbMaxnSettings {
    const NAME: &'static str = "prob-maxn";
    const ABOUT: &'static str = "prob-max^n: opponents are of several kinds, and their moves tell which";
    const RULE: Option<&'static str> = Some(
        "Every kind of player that the mover may be chooses what is best in its own eyes, and the scores passed up are those expected \
         under the beliefs about the mover.",
    );
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        Model::all(&self.models, &MODELS)?;
        self.parts.check()
    }
}

impl Algorithm for ProbMaxnSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        let prob = ProbMaxn::new(kit.evaluator(&self.judging)?, kit.order.clone());
        let (dice, last) = (Dice::new(kit.chance.own), Some(kit.game.clone()));
        Ok(Box::new(ProbMaxn { settings: self.clone(), dice, last, ..prob }))
    }
}
