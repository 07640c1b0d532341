//! Paranoid: all opponents cooperate against the root player.
//!
//! Under that assumption a game for many players is a game for two: the root player maximizes, everybody else minimizes, and
//! alpha-beta works.
//!
//! ```text
//! paranoid(s, d) =
//!   value(s)                                if s is over or d = 0
//!   max over moves m: paranoid(s·m, d - 1)  if the root player moves
//!   min over moves m: paranoid(s·m, d - 1)  otherwise
//! ```
//!
//! The value of a leaf is the root player's score less the sum of the others' ([`ScoreForm::Difference`]), or the root
//! player's score alone ([`ScoreForm::Own`]). With two players this is plain alpha-beta.
//!
//! In the best case a uniform tree of depth d with b moves at every node costs about b^(d (n - 1) / n) nodes with n
//! players: only the root player's moves are pruned as in a game for two. As the opponents' coalition is imaginary,
//! deep searches tend to see every move as lost, and then play badly.
//!
//! The table, killers, history and principal variation search never change the value ([`Parts`] lists what can be
//! switched). Among moves of equal value the first in the static ordering is played, whatever was searched first.
//! The search itself is described in [`alphabeta`](crate::alphabeta).
//!
//! There is no quiescence search, no null move and no forward pruning other than [`Parts::width`], unless [switched on](crate::Switches):
//! the papers used none.
//!
//! # Example
//!
//! The tree of figures 1 and 2 in the Best-Reply Search paper. In node (b) the right child is worse for player 1, with
//! 4 - 1 - 6 = -3; in node (c) the first child is already worse, with 7 - 2 - 9 = -4, and the other one is pruned.
//!
//! ```text
//!                       1: -3
//!                ▲────────┴────────┐
//!         (b) 2: -3         (c) 2: ≤ -4
//!          ┌────┴────▲         ▲────┴────┐
//!      6-2-6=-2  4-1-6=-3   7-2-9=-4     ✂
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Paranoid, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
//! let decision = Paranoid::new(LeafScores, AsListed).choose(&tree, &Budget::depth(2));
//! assert_eq!(decision.value, Some(-3.0));
//! assert_eq!(decision.pv, [1, 2]);
//! assert_eq!(decision.scores.unwrap().as_slice(), [4.0, 1.0, 6.0]);
//! // Two nodes at depth 1; at depth 2 the last leaf is not visited.
//! assert_eq!(decision.nodes, 2 + 5);
//! ```
//!
//! # References
//!
//! - N. R. Sturtevant, R. E. Korf, *On Pruning Techniques for Multi-Player Games*, 2000.
//! - M. P. D. Schadd, M. H. M. Winands, *Best-Reply Search for Multi-Player Games*, 2011, section II-B.

use crate::alphabeta::{Action, Level, List, Memory, Statistics, TwoSided, View};
use crate::settings::Visitor;
use crate::{
    Agent, AgentSettings, Algorithm, Budget, Context, Decision, Declaration, Dice, Error, Evaluator, Explained, Game,
    Judging, Kit, Limit, MoveOrder, Parts, Player, ScoreForm, Settings,
};

/// Searches as if all opponents played against the root player; alpha-beta for two players.
#[derive(Clone, Debug)]
pub struct Paranoid<G: Game, E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering.
    pub order: O,
    /// Everything else.
    pub settings: ParanoidSettings,
    /// Chooses among equal moves, if that is [left to chance](Parts::equals).
    pub dice: Dice,
    memory: Memory<G::Move>,
}

impl<G: Game, E, O> Paranoid<G, E, O> {
    /// A search with the default settings.
    pub fn new(evaluator: E, order: O) -> Paranoid<G, E, O> {
        Paranoid {
            evaluator,
            order,
            settings: ParanoidSettings::default(),
            dice: Dice::default(),
            memory: Memory::default(),
        }
    }

    /// What the last search did.
    pub fn statistics(&self) -> Statistics {
        self.memory.statistics()
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Paranoid<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let Paranoid { evaluator, order, settings: ParanoidSettings { score, parts, .. }, dice, memory } = self;
        let view = InTurn { root: game.turn() };
        TwoSided { evaluator, order, view, score: *score, parts, dice: *dice }.decide(memory, game, budget, watch)
    }

    fn explain(&mut self, game: &G, budget: &Budget, nodes: usize) -> Option<Explained<G::Move>> {
        self.memory.record(nodes);
        let decision = self.choose(game, budget);
        self.memory.recording().map(|recording| (decision, recording))
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.evaluator.begin(context.ply);
        self.dice.begin(context.ply);
    }
}

/// The settings of the agent `paranoid`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParanoidSettings {
    /// What the root player maximizes.
    pub score: ScoreForm,
    /// Table, ordering, width, killers and history.
    pub parts: Parts,
    /// The evaluation.
    pub judging: Judging,
}

impl Settings for ParanoidSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        self.score.visit_against(v);
        self.parts.visit(v);
        self.judging.visit(v);
    }
}

impl AgentSettings for ParanoidSettings {
    const NAME: &'static str = "paranoid";
    const ABOUT: &'static str = "Paranoid: all opponents play against the player to move";
    const RULE: Option<&'static str> =
        Some("The root player takes the highest value, and all opponents together leave it the lowest.");
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        self.parts.check()
    }
}

impl Algorithm for ParanoidSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        self.parts.switches.check_game(kit)?;
        let paranoid = Paranoid::new(kit.evaluator(&self.judging)?, kit.order.clone());
        Ok(Box::new(Paranoid { settings: self.clone(), dice: Dice::new(kit.chance.own), ..paranoid }))
    }
}

/// Everybody moves in turn; whoever is not the root player minimizes.
#[derive(Clone, Copy, Debug)]
pub struct InTurn {
    /// The player who searches.
    pub root: Player,
}

impl<G: Game> View<G> for InTurn {
    #[inline]
    fn list<O: MoveOrder<G>>(&self, game: &mut G, _level: Level, list: &mut List<'_, G, O>) {
        list.add_later(game);
    }

    #[inline]
    fn may_move(&self, game: &G, _level: Level, player: Player) -> Option<bool> {
        Some(player == game.turn())
    }

    #[inline]
    fn visit<R>(&self, game: &mut G, _level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R {
        let m = action.m.expect("nobody passes");
        game.visit(m, |child| {
            let level = if child.turn() == self.root { Level::max(0) } else { Level::min(0) };
            f(child, level)
        })
    }

    #[inline]
    fn null(&self, _level: Level, turn: Player) -> Option<Level> {
        Some(if turn == self.root { Level::max(0) } else { Level::min(0) })
    }
}
