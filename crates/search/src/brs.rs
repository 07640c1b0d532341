//! Best-Reply Search: of all opponents, only the one with the strongest reply moves.
//!
//! The root player's moves alternate with one reply, which any opponent may make, in turn or not. The others pass.
//!
//! ```text
//! brs(s, d, MAX) = max over the root player's moves m of brs(s·m, d - 1, MIN)
//! brs(s, d, MIN) = min over all opponents o, over moves m of o, of brs(s·m, d - 1, MAX)
//! brs(s, d, _)   = value(s)   if s is over or d = 0
//! ```
//!
//! ```text
//!                    1
//!          ┌─────────┴─────────┐
//!         2,3                 2,3         one reply, by 2 or by 3
//!      ┌──┬┴─┬──┐          ┌──┬┴─┬──┐
//!     2:  2: 3: 3:        2:  2: 3: 3:
//!      1   1  1  1         1   1  1  1    then the root player again
//! ```
//!
//! For the same cost the root player sees more of its own moves than in Paranoid, and is less pessimistic. The price
//! is that the search visits positions that cannot arise. A uniform tree with b moves costs at best about (b (n -
//! 1))^(D/2) nodes for D levels with n players. For two players it is Paranoid, that is alpha-beta, value for value.
//! The search itself is described in [`alphabeta`](crate::alphabeta).
//!
//! # Depth
//!
//! A level of replies is one ply here. The paper counts it as the n - 1 plies that it stands for, so that its depths
//! are 1, n, n + 1, 2n, …; [`standard_depth`] converts.
//!
//! # Details
//!
//! - After the root player's move the position is the game's own, with the next player to move. After a reply the turn
//!   is handed to the root player ([`OutOfTurn`]), unless the game is over. Nothing else happens to those who are passed
//!   over; in particular nobody is eliminated.
//! - An opponent who is out has no reply. If the root player is out, no move that matters is left, and the position is
//!   evaluated as it stands.
//! - Games that make no sense out of turn, such as card games, do not implement `OutOfTurn`, so this does not compile
//!   for them; see [BRS+](crate::brs_plus).
//! - [`Parts::width`] limits the moves of each opponent separately.
//! - The principal variation of a [`Decision`] ends before the first move out of turn.
//!
//! # Example
//!
//! ```
//! use nply::testing::{HashedScores, Plain, Track, plain_brs};
//! use nply::{Agent, AsListed, Brs, Budget};
//! let (game, evaluator) = (Track::new(4, 3), HashedScores { most: 9, seed: 1 });
//! let decision = Brs::new(evaluator, AsListed).choose(&game, &Budget::depth(4));
//! assert_eq!(decision.value, Some(plain_brs(&Plain::new(&game, evaluator), &game, 4, true) as f64));
//! ```
//!
//! In a tree drawn by hand nobody can move out of turn:
//!
//! ```compile_fail,E0277
//! use nply::{Agent, AsListed, Brs, Budget, Tree, tree::LeafScores};
//! let tree: Tree = "(1 5,4,1 (2 4,6,0 0,5,5))".parse().unwrap();
//! Brs::new(LeafScores, AsListed).choose(&tree, &Budget::depth(2));
//! ```
//!
//! Reference: M. P. D. Schadd, M. H. M. Winands, *Best-Reply Search for Multi-Player Games*, 2011.

use crate::alphabeta::{Action, Level, List, Memory, Side, Statistics, TwoSided, View};
use crate::settings::Visitor;
use crate::{
    Agent, AgentSettings, Algorithm, Budget, Context, Decision, Declaration, Dice, Error, Evaluator, Explained, Game,
    Judging, Kit, Limit, MoveOrder, OutOfTurn, Parts, Player, ScoreForm, Settings, refuse_out_of_turn,
};

/// Searches as if after each move of the root player only the opponent with the strongest reply moved.
#[derive(Clone, Debug)]
pub struct Brs<G: Game, E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering.
    pub order: O,
    /// Everything else.
    pub settings: BrsSettings,
    /// Chooses among equal moves, if that is [left to chance](Parts::equals).
    pub dice: Dice,
    memory: Memory<G::Move>,
}

impl<G: Game, E, O> Brs<G, E, O> {
    /// A search with the default settings.
    pub fn new(evaluator: E, order: O) -> Brs<G, E, O> {
        Brs { evaluator, order, settings: BrsSettings::default(), dice: Dice::default(), memory: Memory::default() }
    }

    /// What the last search did.
    pub fn statistics(&self) -> Statistics {
        self.memory.statistics()
    }
}

impl<G: OutOfTurn, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Brs<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let Brs { evaluator, order, settings: BrsSettings { score, parts, .. }, dice, memory } = self;
        let view = BestReply { root: game.turn() };
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

/// The plies of the game that a depth of Best-Reply Search stands for: 1, n, n + 1, 2n, … for n players.
///
/// ```
/// use nply::standard_depth;
/// let depths: Vec<u32> = (1..=5).map(|depth| standard_depth(depth, 4)).collect();
/// assert_eq!(depths, [1, 4, 5, 8, 9]);
/// ```
pub fn standard_depth(depth: u32, players: usize) -> u32 {
    depth / 2 * players as u32 + depth % 2
}

/// The settings of the agent `brs`, and of [`GeneralizedBrs`](crate::GeneralizedBrs), which searches the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrsSettings {
    /// What the root player maximizes.
    pub score: ScoreForm,
    /// Table, ordering, width, killers and history.
    pub parts: Parts,
    /// The evaluation.
    pub judging: Judging,
}

impl Settings for BrsSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        self.score.visit_against(v);
        self.parts.visit(v);
        self.judging.visit(v);
    }
}

impl AgentSettings for BrsSettings {
    const NAME: &'static str = "brs";
    const ABOUT: &'static str = "Best-Reply Search: one opponent replies to each move, the one who does most harm";
    const RULE: Option<&'static str> = Some(
        "After each move of the root player only one opponent replies, the one whose reply leaves the root player \
         the lowest value.",
    );
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        self.parts.check()
    }

    fn standard_depth(&self, depth: u32, players: usize) -> u32 {
        standard_depth(depth, players)
    }
}

impl Algorithm for BrsSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        Err(refuse_out_of_turn(kit, "brs").help("brs+ keeps the turn order and plays it"))
    }

    fn agent_out_of_turn<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error>
    where
        D::Game: OutOfTurn,
    {
        self.parts.switches.check_game(kit)?;
        let brs = Brs::new(kit.evaluator(&self.judging)?, kit.order.clone());
        Ok(Box::new(Brs { settings: self.clone(), dice: Dice::new(kit.chance.own), ..brs }))
    }
}

/// The root player and one opponent, any of them, take turns.
#[derive(Clone, Copy, Debug)]
pub struct BestReply {
    /// The player who searches.
    pub root: Player,
}

impl<G: OutOfTurn> View<G> for BestReply {
    #[inline]
    fn list<O: MoveOrder<G>>(&self, game: &mut G, level: Level, list: &mut List<'_, G, O>) {
        if level.side == Side::Max {
            list.add_later(game);
            return;
        }
        let count = game.player_count();
        let mut opponent = self.root.next(count);
        while opponent != self.root {
            if game.is_in(opponent) {
                game.with_turn(opponent, |game| list.add_later(game));
            }
            opponent = opponent.next(count);
        }
    }

    #[inline]
    fn visit<R>(&self, game: &mut G, level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R {
        let m = action.m.expect("passes are not listed");
        match level.side {
            Side::Max => game.visit(m, |child| f(child, Level::min(0))),
            Side::Min => game.with_turn(action.player, |game| game.visit(m, |child| f(child, Level::max(0)))),
        }
    }

    #[inline]
    fn may_move(&self, game: &G, level: Level, player: Player) -> Option<bool> {
        Some((player == self.root) == (level.side == Side::Max) && game.is_in(player))
    }

    #[inline]
    fn as_listed<R>(&self, game: &mut G, level: Level, player: Player, f: impl FnOnce(&mut G) -> R) -> R {
        match level.side {
            Side::Max => f(game),
            Side::Min => game.with_turn(player, f),
        }
    }

    #[inline]
    fn prepare<R>(&self, game: &mut G, level: Level, f: impl FnOnce(&mut G) -> R) -> R {
        match level.side {
            Side::Max if game.turn() != self.root => game.with_turn(self.root, f),
            _ => f(game),
        }
    }

    #[inline]
    fn null(&self, level: Level, _turn: Player) -> Option<Level> {
        Some(match level.side {
            Side::Max => Level::min(0),
            Side::Min => Level::max(0),
        })
    }

    #[inline]
    fn is_over(&self, game: &G, level: Level) -> bool {
        level.side == Side::Max && !game.is_in(self.root)
    }
}
