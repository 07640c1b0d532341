//! MP-Mix: Paranoid in the lead, against the leader when somebody else is far ahead, and calm otherwise.
//!
//! No single assumption about the opponents suits every position. A player who leads has everybody against it, so
//! [Paranoid](crate::paranoid) is right. If somebody else leads by far, that player wins unless it is stopped, so it is worth a sacrifice to stop it. In
//! between, everybody plays for itself. MP-Mix looks at the evaluation of the position to decide, and then searches with one of three
//! strategies:
//!
//! ```text
//! strategy(s) =
//!   Paranoid    if nobody is above the root player, who leads the second by at least `defend`
//!   offensive   if somebody else leads the second by at least `attack`
//!   calm        otherwise
//! ```
//!
//! The *offensive* search is [max^n](crate::maxn) without pruning in which the root player, wherever it moves, minimizes the leader's
//! score instead of maximizing its own; everybody else plays max^n, and of equal children the first is chosen. The *calm*
//! one is `maxn`, `brs+` or `opps`, with settings of its own: `mix:defend=25,attack=40,calm=(opps:opponents=2)`.
//!
//! # Details
//!
//! - Thresholds are in the units of the evaluation, and depend on the game. By default they are infinite (`inf`), and then the agent is
//!   the calm one, move for move. With `defend=0` it is Paranoid whenever it leads, alone or with others.
//! - A player who leads together with another leads by 0. If several others do, the first of them is the leader.
//! - Ordering, table and the other parts are those of the directed searches, Paranoid and the offensive one. The calm agent has its
//!   own. It has the same evaluation unless it names one.
//! - Paranoid maximizes the difference, as it does alone.
//!
//! How much there is to gain depends on the game: where nobody can harm another, an offensive search finds nothing. The authors measure
//! that as the *opponent impact*, the fraction of positions in which a player can lower a given opponent's evaluation; `nply impact GAME`
//! computes it.
//!
//! # Example
//!
//! Player 1 has three moves, and player 2 answers. In calm, player 1 takes the 7 of its second move. In the lead it must expect the
//! worst, which is best after its first move. Against player 3, its third move leaves that player nothing.
//!
//! ```text
//!                               1
//!         ┌─────────────────────┼─────────────────────┐
//!         2                     2                     2
//!    ▲────┴────┐           ▲────┴────┐           ▲────┴────┐
//!  4,3,3     3,2,2       7,5,6     2,0,9       3,6,0     1,5,0
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Bounds, Budget, ByPlayer, Evaluator, Maxn, Mix, Score, Tree, tree::LeafScores};
//! /// Who leads, as long as the game is not over.
//! #[derive(Clone)]
//! struct Standing([Score; 3]);
//! impl Evaluator<Tree> for Standing {
//!     fn bounds(&self, tree: &Tree) -> Bounds {
//!         LeafScores.bounds(tree)
//!     }
//!     fn evaluate(&self, _: &Tree) -> ByPlayer<Score> {
//!         ByPlayer::from_slice(&self.0)
//!     }
//!     fn terminal(&self, tree: &Tree, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
//!         LeafScores.terminal(tree, payoff)
//!     }
//! }
//! let tree: Tree = "(1 (2 4,3,3 3,2,2) (2 7,5,6 2,0,9) (2 3,6,0 1,5,0))".parse().unwrap();
//! let choose = |standing| {
//!     let calm = Box::new(Maxn::new(Standing(standing), AsListed));
//!     let mut mix = Mix::new(Standing(standing), AsListed, calm);
//!     (mix.settings.defend, mix.settings.attack) = (Some(2), Some(3));
//!     mix.choose(&tree, &Budget::depth(2)).m
//! };
//! assert_eq!(choose([3, 1, 1]), 1, "ahead by 2: Paranoid");
//! assert_eq!(choose([0, 1, 4]), 3, "player 3 is ahead by 3: offensive");
//! assert_eq!(choose([1, 1, 3]), 2, "calm");
//! assert_eq!(choose([2, 1, 0]), 2, "calm");
//! ```
//!
//! Reference: I. Zuckerman, A. Felner, S. Kraus, *Mixing Search Strategies for Multi-Player Games*, IJCAI 2009.

use std::cmp::Reverse;

use crate::maxn::means::Means;
use crate::recording::Recorder;
use crate::settings::Visitor;
use crate::vectors::{Leaves, Plan, Shared};
use crate::{
    Agent, AgentSettings, Algorithm, Budget, Context, Decision, Declaration, Dice, Error, Evaluator, Explained, Game,
    Judging, Kit, Limit, MoveOrder, Paranoid, Parts, Player, ScoreForm, Settings, Spec, Stance, Ties,
};

/// How a position is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// By the calm agent.
    Calm,
    /// By Paranoid.
    Paranoid,
    /// To the harm of this player.
    Against(Player),
}

/// Searches as the standing in the position suggests.
pub struct Mix<G: Game, E, O> {
    /// The evaluation: it decides how to search, and directed searches use it.
    pub evaluator: E,
    /// The static move ordering of directed searches.
    pub order: O,
    /// Everything else.
    pub settings: MixSettings,
    /// Chooses among equal moves, if that is [left to chance](Parts::equals).
    pub dice: Dice,
    /// Searches where nobody is far ahead.
    pub calm: Box<dyn Agent<G>>,
    /// The last directed search, which keeps its memory as long as the strategy stays the same.
    directed: Option<(Strategy, Box<dyn Agent<G>>)>,
}

impl<G: Game, E, O> Mix<G, E, O> {
    /// A search with the default settings, which is the calm one.
    pub fn new(evaluator: E, order: O, calm: Box<dyn Agent<G>>) -> Mix<G, E, O> {
        Mix { evaluator, order, settings: MixSettings::default(), dice: Dice::default(), calm, directed: None }
    }

    /// How a position is searched.
    pub fn strategy(&self, game: &G) -> Strategy
    where
        E: Evaluator<G>,
    {
        let scores = self.evaluator.evaluate(game).map(i64::from);
        let highest = |left_out: Player| {
            let others = scores.iter().filter(|&(player, _)| player != left_out);
            others.max_by_key(|&(player, score)| (score, Reverse(player.index()))).expect("there are two players")
        };
        let root = game.turn();
        let (leader, most) = highest(root);
        let is_far = |lead: i64, threshold: Option<u32>| threshold.is_some_and(|least| lead >= i64::from(least));
        if scores[root] >= most {
            return if is_far(scores[root] - most, self.settings.defend) { Strategy::Paranoid } else { Strategy::Calm };
        }
        let lead = most - highest(leader).1;
        if is_far(lead, self.settings.attack) { Strategy::Against(leader) } else { Strategy::Calm }
    }

    /// The agent for a position.
    fn agent(&mut self, game: &G) -> &mut dyn Agent<G>
    where
        E: Evaluator<G> + 'static,
        O: MoveOrder<G> + 'static,
        G: 'static,
    {
        let strategy = self.strategy(game);
        if strategy == Strategy::Calm {
            return &mut *self.calm;
        }
        if self.directed.as_ref().is_none_or(|(last, _)| *last != strategy) {
            let (evaluator, order, dice, parts) =
                (self.evaluator.clone(), self.order.clone(), self.dice, self.settings.parts);
            let agent: Box<dyn Agent<G>> = match strategy {
                Strategy::Against(target) => {
                    let parts = Parts { killers: false, history: false, ..parts };
                    Box::new(Offensive { evaluator, order, parts, dice, target, shared: Shared::new() })
                }
                Strategy::Paranoid | Strategy::Calm => {
                    let mut paranoid = Paranoid::new(evaluator, order);
                    (paranoid.settings.parts, paranoid.dice) = (parts, dice);
                    Box::new(paranoid)
                }
            };
            self.directed = Some((strategy, agent));
        }
        let (_, agent) = self.directed.as_mut().expect("it has just been made");
        &mut **agent
    }
}

impl<G: Game + 'static, E: Evaluator<G> + 'static, O: MoveOrder<G> + 'static> Agent<G> for Mix<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        self.agent(game).search(game, budget, watch)
    }

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        self.agent(game).explain(game, budget, nodes)
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
        self.dice.begin(context.ply);
        self.calm.observe(context);
        if let Some((_, agent)) = &mut self.directed {
            agent.observe(context);
        }
    }

    fn fault(&self) -> Option<&Error> {
        self.calm.fault()
    }
}

/// Max^n in which the root player minimizes the score of a target.
struct Offensive<E, O> {
    evaluator: E,
    order: O,
    parts: Parts,
    dice: Dice,
    target: Player,
    shared: Shared,
}

impl<E, O> Offensive<E, O> {
    fn run<G: Game>(
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
        let root = game.turn();
        let plan = Plan {
            evaluator: &self.evaluator,
            order: &self.order,
            rule: &Means { ties: Ties::Left, score: ScoreForm::Own, root, target: Some(self.target) },
            leaves: Leaves::Scores,
            stance: self.parts.stance(Stance::Own, root),
            parts: &self.parts,
            dice: self.dice,
        };
        plan.decide(&mut self.shared, game, budget, watch, recorder)
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Offensive<E, O> {
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

/// The settings of the agent `mix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixSettings {
    /// The lead over the second from which the root player searches with Paranoid; `None` for never.
    pub defend: Option<u32>,
    /// The lead of somebody else over the second from which the root player searches to that player's harm; `None` for never.
    pub attack: Option<u32>,
    /// The agent for all other positions, with its settings: `maxn`, `brs+` or `opps`.
    pub calm: String,
    /// Table, ordering, width, killers and history of the directed searches, and the switches of Paranoid.
    pub parts: Parts,
    /// The evaluation.
    pub judging: Judging,
}

impl Default for MixSettings {
    fn default() -> MixSettings {
        let (parts, judging) = (Parts::default(), Judging::default());
        MixSettings { defend: None, attack: None, calm: "maxn".into(), parts, judging }
    }
}

impl Settings for MixSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        let range = 0..=1_000_000_000;
        v.whole_or(
            "defend",
            &mut self.defend,
            "inf",
            range.clone(),
            "lead, in evaluation units, from which it is Paranoid",
        );
        v.whole_or("attack", &mut self.attack, "inf", range, "lead of another from which it plays against the leader");
        v.agent("calm", &mut self.calm, "agent where nobody is that far ahead: maxn, brs+ or opps");
        self.parts.visit(v);
        self.judging.visit(v);
    }
}

/// The agents that may be the calm one.
const CALM: [&str; 3] = ["maxn", "brs+", "opps"];

impl AgentSettings for MixSettings {
    const NAME: &'static str = "mix";
    const ABOUT: &'static str = "MP-Mix: Paranoid in the lead, against a leader who is far ahead, calm otherwise";
    const RULE: Option<&'static str> = Some(
        "The evaluation of the position decides how to search: as Paranoid in the lead, to the leader's harm if another is far \
         ahead, and otherwise as the calm agent does.",
    );
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        let name = Spec::parse(&self.calm)?.name;
        if !CALM.contains(&name.as_str()) {
            let error = Error::refused(format!("mix cannot be calm as {name:?}"));
            return Err(error.help(format!("it can as {}", CALM.join(", "))));
        }
        self.parts.check()
    }

    fn inner(&self) -> Option<&str> {
        Some(&self.calm)
    }
}

impl Algorithm for MixSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        self.parts.switches.check_game(kit)?;
        let mut calm = Spec::parse(&self.calm)?;
        let Judging { eval, noise } = &self.judging;
        let noise = noise.map(|noise| if noise { "yes" } else { "no" }.to_string());
        for (key, value) in [("eval", eval.clone()), ("noise", noise)] {
            if let Some(value) = value.filter(|_| calm.pairs.iter().all(|(other, _)| other != key)) {
                calm.pairs.push((key.into(), value));
            }
        }
        let calm = (kit.make)(&calm)?;
        let mix = Mix::new(kit.evaluator(&self.judging)?, kit.order.clone(), calm);
        Ok(Box::new(Mix { settings: self.clone(), dice: Dice::new(kit.chance.own), ..mix }))
    }
}
