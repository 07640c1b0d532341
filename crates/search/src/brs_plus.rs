//! BRS+: one opponent moves freely, the others play special moves.
//!
//! Best-Reply Search lets all opponents but one pass, which leads to positions that cannot arise. Generalized Best-Reply Search
//! lets them play a *special move* instead, in proper turn order. If the special move is a pass, this is Best-Reply Search
//! again ([`generalized_brs`](crate::generalized_brs)). If it is the first move of the static ordering, it is BRS+, which visits
//! only positions that can arise and so works for every game, including card games.
//!
//! ```text
//! gbrs(s, d, made) =
//!   value(s)                                if s is over or d = 0
//!   max over moves m: gbrs(s·m, d - 1, no)  if the root player moves
//!   min over the actions:                   otherwise
//!     every move m: gbrs(s·m, d - 1, yes)   if not made
//!     special p:    gbrs(s·p, d - 1, made)  if made, or the root is not next
//! ```
//!
//! Here *made* means that an opponent has made a regular move since the root player's last move. So between two moves of the
//! root player exactly one opponent makes a regular move. A special move does not count as
//! one (an implementation that counts it never searches the second opponent's replies), and the last opponent before
//! the root player must make it if nobody has. Every action is one ply of depth, special ones included.
//! The search itself is described in [`alphabeta`](crate::alphabeta).
//!
//! # Details
//!
//! - The special move is the first of an ordering, so it is also one of the regular moves. Played as the special one it
//!   leaves the opponents everything that it would leave them as a regular one, and a regular move besides; if the root
//!   player is next, the two are the same. So the regular twin is never searched, and the rule comes down to: *between two
//!   moves of the root player at most one opponent deviates from the first move of the ordering*.
//! - The special move is a function of the position alone: of the static ordering and, with [`top`](BrsPlusSettings::top), of
//!   the position's key and the seed (Rand-Top-k). Table, killers and history order the regular moves, but never choose the
//!   special one.
//! - Any turn order works: players may be skipped, move twice, or be eliminated.
//! - [`Parts::width`] limits the regular moves. The special move is added if it is not one of them, and is drawn from the first
//!   `width` moves if `top` is larger.
//!
//! # Example
//!
//! Player 1 has one move, then players 2 and 3 answer; the ordering is as listed. If player 2 plays the first move,
//! player 3 is free and leaves player 1 with 5. If player 2 deviates, player 3 must play the first move, and player 1
//! has 9 or 6. So player 1 is sure of 5, where Paranoid, with both of them free, sees 0.
//!
//! ```text
//!                           1
//!                           │
//!                           2
//!         ┌─────────────────┼─────────────────┐
//!      3: free          3: first only     3: first only
//!      ┌────┴────▲         ▲────┐            ▲────┐
//!    7,0,0     5,0,0     9,0,0  ✂          6,0,0  ✂
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, BrsPlus, Budget, Paranoid, ScoreForm, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 (3 7,0,0 5,0,0) (3 9,0,0 1,0,0) (3 6,0,0 0,0,0)))".parse().unwrap();
//! let mut search = BrsPlus::new(LeafScores, AsListed);
//! search.settings.score = ScoreForm::Own;
//! assert_eq!(search.choose(&tree, &Budget::depth(3)).value, Some(5.0));
//! let mut paranoid = Paranoid::new(LeafScores, AsListed);
//! paranoid.settings.score = ScoreForm::Own;
//! assert_eq!(paranoid.choose(&tree, &Budget::depth(3)).value, Some(0.0));
//! ```
//!
//! Reference: M. Esser, M. Gras, M. H. M. Winands, M. P. D. Schadd, M. Lanctot, *Improving Best-Reply Search*, 2013.

use crate::alphabeta::{Action, Level, List, Memory, Side, Statistics, TwoSided, View};
use crate::settings::{Choice, Visitor};
use crate::{
    Agent, AgentSettings, Algorithm, BrsSettings, Budget, Context, Decision, Declaration, Dice, Error, Evaluator,
    Explained, Game, GeneralizedBrs, Judging, Kit, Limit, MoveOrder, OutOfTurn, Parts, Player, ScoreForm, Settings,
    Stance, mix, refuse_out_of_turn,
};

/// Searches as if between two moves of the root player one opponent moved freely and the others played special moves.
#[derive(Clone, Debug)]
pub struct BrsPlus<G: Game, E, O> {
    /// The evaluation.
    pub evaluator: E,
    /// The static move ordering, which also chooses the special moves.
    pub order: O,
    /// Everything else.
    pub settings: BrsPlusSettings,
    /// Seed of the draw among the first [`top`](BrsPlusSettings::top) moves.
    pub seed: u64,
    /// Chooses among equal moves, if that is [left to chance](Parts::equals).
    pub dice: Dice,
    memory: Memory<G::Move>,
}

impl<G: Game, E, O> BrsPlus<G, E, O> {
    /// A search with the default settings.
    pub fn new(evaluator: E, order: O) -> BrsPlus<G, E, O> {
        BrsPlus {
            evaluator,
            order,
            settings: BrsPlusSettings::default(),
            seed: 1,
            dice: Dice::default(),
            memory: Memory::default(),
        }
    }

    /// What the last search did.
    pub fn statistics(&self) -> Statistics {
        self.memory.statistics()
    }
}

/// # Panics
/// If the special move is a pass: [`GeneralizedBrs`] searches that.
impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for BrsPlus<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let BrsPlus { evaluator, order, settings, seed, dice, memory } = self;
        let BrsPlusSettings { special, top, score, parts, .. } = settings;
        let root = game.turn();
        let stance = match special {
            Special::Against => Stance::Against(root),
            Special::Own => Stance::Own,
            Special::Pass => panic!("BrsPlus does not pass, GeneralizedBrs does"),
        };
        let stance = Some(stance);
        let view = SpecialMoves { root, stance, top: *top, seed: *seed, opponents: 1, best: usize::MAX, others: 1 };
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

/// The special move of generalized Best-Reply Search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Special {
    /// The first move of the ordering against the root player.
    #[default]
    Against,
    /// The first move of the mover's own ordering, as max^n assumes.
    Own,
    /// A pass, which makes it Best-Reply Search.
    Pass,
}

impl Choice for Special {
    const WORDS: &'static [(Special, &'static str)] =
        &[(Special::Against, "against"), (Special::Own, "own"), (Special::Pass, "pass")];
}

/// The settings of the agent `brs+`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrsPlusSettings {
    /// The special move.
    pub special: Special,
    /// The special move is drawn from this many first moves of the ordering, by the position's key and a seed (Rand-Top-k); at
    /// least 1.
    pub top: usize,
    /// What the root player maximizes.
    pub score: ScoreForm,
    /// Table, ordering, width, killers and history.
    pub parts: Parts,
    /// The evaluation.
    pub judging: Judging,
}

impl Default for BrsPlusSettings {
    fn default() -> BrsPlusSettings {
        BrsPlusSettings {
            special: Special::default(),
            top: 1,
            score: ScoreForm::default(),
            parts: Parts::default(),
            judging: Judging::default(),
        }
    }
}

impl Settings for BrsPlusSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        let about = "special move: the first of an ordering, or a pass, which makes it Best-Reply Search";
        v.choice("special", &mut self.special, about);
        v.whole("top", &mut self.top, 1..=1000, "draw the special move from this many first moves");
        self.score.visit_against(v);
        self.parts.visit(v);
        self.judging.visit(v);
    }
}

impl AgentSettings for BrsPlusSettings {
    const NAME: &'static str = "brs+";
    const ABOUT: &'static str = "BRS+: one opponent replies, the others play a special move in turn";
    const RULE: Option<&'static str> = Some(
        "Between two moves of the root player one opponent chooses freely to leave it the lowest value, and the \
         others play their special moves in turn.",
    );
    const LIMITS: &'static [Limit] = Limit::DEEPENING;
    const USES_ORDER: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        if self.special == Special::Pass && self.top != 1 {
            let error = Error::refused(format!("special=pass has only one special move, and top is {}", self.top));
            return Err(error.help("leave out top"));
        }
        self.parts.check()
    }
}

impl Algorithm for BrsPlusSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        if self.special == Special::Pass {
            let help = "special=against and special=own keep the turn order";
            return Err(refuse_out_of_turn(kit, "brs+:special=pass").help(help));
        }
        self.parts.switches.check_game(kit)?;
        let brs_plus = BrsPlus::new(kit.evaluator(&self.judging)?, kit.order.clone());
        let dice = Dice::new(kit.chance.own);
        Ok(Box::new(BrsPlus { settings: self.clone(), seed: kit.chance.common, dice, ..brs_plus }))
    }

    fn agent_out_of_turn<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error>
    where
        D::Game: OutOfTurn,
    {
        if self.special != Special::Pass {
            return self.agent(kit);
        }
        let BrsPlusSettings { score, parts, judging, .. } = self.clone();
        parts.switches.check_game(kit)?;
        let mut passing = GeneralizedBrs::new(kit.evaluator(&judging)?, kit.order.clone());
        passing.settings = BrsSettings { score, parts, judging };
        passing.dice = Dice::new(kit.chance.own);
        Ok(Box::new(passing))
    }
}

/// The level of a child in which `turn` is to move. The count is that of the opponents' regular moves since the root player's.
#[inline]
pub(crate) fn child_level(root: Player, turn: Player, level: Level, is_regular: bool) -> Level {
    match level.side {
        _ if turn == root => Level::max(0),
        Side::Max => Level::min(0),
        Side::Min => Level::min(level.count + u8::from(is_regular)),
    }
}

/// Everybody moves in turn; of the opponents only so many leave their first moves.
///
/// BRS+ lets one of them leave one move, which is then the special one. [`opps`](crate::opps) has other numbers.
#[derive(Clone, Copy, Debug)]
pub struct SpecialMoves {
    /// The player who searches.
    pub root: Player,
    /// The ordering whose first moves are the special ones; `None` for the order in which the game lists them.
    pub stance: Option<Stance>,
    /// If there is one special move, it is drawn from the first so many, by the position's key and the seed; at least 1.
    pub top: usize,
    /// The seed of that draw.
    pub seed: u64,
    /// How many moves of the opponents, between two of the root player, need not be special; below [`Level::COUNTS`].
    pub opponents: u8,
    /// How many of the first moves those may be.
    pub best: usize,
    /// How many of the first moves are special; at least 1.
    pub others: usize,
}

impl SpecialMoves {
    /// The special move of the player to move, where there is one.
    #[inline]
    fn special<G: Game, O: MoveOrder<G>>(&self, game: &G, list: &mut List<'_, G, O>) -> G::Move {
        if let Some(stance) = self.stance
            && self.top.min(list.width()) <= 1
        {
            return list.first(game, stance);
        }
        let from = list.len();
        list.add_all(game, self.stance);
        let special = self.draw(game, list, from);
        list.truncate(from);
        special
    }

    /// One of the first moves of those from number `from` on, which are ordered by the stance.
    #[inline]
    fn draw<G: Game, O: MoveOrder<G>>(&self, game: &G, list: &mut List<'_, G, O>, from: usize) -> G::Move {
        let top = self.top.max(1).min(list.width()).min(list.len() - from);
        let draw = if self.top > 1 { mix(game.key() ^ mix(self.seed)) } else { 0 };
        let place = ((u128::from(draw) * top as u128) >> 64) as usize;
        list.nth(from, place).m.expect("a move, not a pass")
    }

    /// Lists the moves of an opponent where several are special, and the ordering of the search is theirs.
    fn list_several<G: Game, O: MoveOrder<G>>(&self, game: &G, is_open: bool, list: &mut List<'_, G, O>) {
        let from = list.len();
        list.add_all(game, self.stance);
        list.keep(from, if is_open { self.best.max(self.others) } else { self.others });
        for action in list.first_ones(from, self.others) {
            action.learned = false;
        }
    }
}

impl<G: Game> View<G> for SpecialMoves {
    #[inline]
    fn list<O: MoveOrder<G>>(&self, game: &mut G, level: Level, list: &mut List<'_, G, O>) {
        if level.side == Side::Max {
            return list.add_later(game);
        }
        let is_open = level.count < self.opponents;
        if self.others > 1 {
            return self.list_several(game, is_open, list);
        }
        let special = |m| Action { learned: false, ..Action::new(game.turn(), m) };
        // The regular moves are made: only special ones are left.
        if !is_open {
            let m = self.special(game, list);
            return list.push(special(m), 0);
        }
        // All moves, of which the special one counts as special only.
        let from = list.len();
        list.add_all(game, list.stance());
        let m = if list.stance() == self.stance { self.draw(game, list, from) } else { self.special(game, list) };
        list.narrow(from);
        list.keep(from, self.best);
        match list.find(from, m) {
            Some(action) => action.learned = false,
            None => list.push(special(m), i32::MAX),
        }
    }

    /// Not if special moves are drawn, or if there are several, or if opponents may not play all the others.
    #[inline]
    fn may_move(&self, game: &G, level: Level, player: Player) -> Option<bool> {
        let is_plain = self.top <= 1 && self.others <= 1 && self.best == usize::MAX && self.stance.is_some();
        (level.side == Side::Max || is_plain).then(|| player == game.turn())
    }

    #[inline]
    fn special(&self, level: Level) -> crate::alphabeta::Special {
        match level.side {
            Side::Max => crate::alphabeta::Special::None,
            Side::Min if level.count < self.opponents => crate::alphabeta::Special::One,
            Side::Min => crate::alphabeta::Special::Alone,
        }
    }

    #[inline]
    fn special_move<O: MoveOrder<G>>(&self, game: &G, order: &O, moves: &[G::Move]) -> Option<G::Move> {
        self.stance.map(|stance| order.first(game, stance, moves))
    }

    #[inline]
    fn visit<R>(&self, game: &mut G, level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R {
        let m = action.m.expect("nobody passes");
        game.visit(m, |child| {
            let level = child_level(self.root, child.turn(), level, action.learned);
            f(child, level)
        })
    }

    /// A null move of an opponent is one of the free moves.
    #[inline]
    fn null(&self, level: Level, turn: Player) -> Option<Level> {
        let is_free = level.side == Side::Max || level.count < self.opponents;
        is_free.then(|| child_level(self.root, turn, level, true))
    }
}
