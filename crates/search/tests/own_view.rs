//! A view that no algorithm of this crate uses, as somebody else would write it: after each move of the root player only the
//! next few opponents reply, then it is the root player's turn again.

use nply::alphabeta::{Action, Level, List, Memory, Side, TwoSided, View};
use nply::brs::BestReply;
use nply::paranoid::InTurn;
use nply::testing::{HashedOrder, HashedScores, Plain, Track};
use nply::{
    Agent, Budget, Decision, Dice, Evaluator, Game, MoveOrder, OutOfTurn, Paranoid, Parts, Player, Rng, Score,
    ScoreForm,
};

/// The next few opponents reply. The count of a level is that of the replies so far.
struct FirstReplies {
    root: Player,
    /// At least one.
    replies: u8,
}

impl<G: OutOfTurn> View<G> for FirstReplies {
    fn list<O: MoveOrder<G>>(&self, game: &mut G, _level: Level, list: &mut List<'_, G, O>) {
        list.add(game);
    }

    fn visit<R>(&self, game: &mut G, level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R {
        let replies = if level.side == Side::Max { 0 } else { level.count + 1 };
        game.visit(action.m.expect("nobody passes"), |child| {
            let is_max = replies == self.replies || child.turn() == self.root;
            f(child, if is_max { Level::max(0) } else { Level::min(replies) })
        })
    }

    fn prepare<R>(&self, game: &mut G, level: Level, f: impl FnOnce(&mut G) -> R) -> R {
        if level.side == Side::Max { game.with_turn(self.root, f) } else { f(game) }
    }

    fn is_over(&self, game: &G, level: Level) -> bool {
        level.side == Side::Max && !game.is_in(self.root)
    }
}

/// An agent with this view.
struct FirstRepliesAgent<G: Game, E, O> {
    evaluator: E,
    order: O,
    replies: u8,
    score: ScoreForm,
    parts: Parts,
    memory: Memory<G::Move>,
}

impl<G: OutOfTurn, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for FirstRepliesAgent<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let view = FirstReplies { root: game.turn(), replies: self.replies };
        let FirstRepliesAgent { evaluator, order, score, parts, memory, .. } = self;
        TwoSided { evaluator, order, view, score: *score, parts, dice: Dice::default() }
            .decide(memory, game, budget, watch)
    }
}

/// The same by plain minimax. `replies` are those made so far; `None` if the root player is to move.
fn plain_first_replies(plain: &Plain<'_, Track>, most: u8, game: &Track, depth: u32, replies: Option<u8>) -> i64 {
    if game.payoff().is_some() || (replies.is_none() && !game.is_in(plain.root)) {
        return (plain.value)(game);
    }
    let mover = if replies.is_none() { plain.root } else { game.turn() };
    game.clone().with_turn(mover, |game| {
        if depth == 0 {
            return (plain.value)(game);
        }
        let children = (plain.moves)(game).into_iter().map(|m| {
            let mut child = game.clone();
            child.play(m);
            let made = replies.map_or(0, |replies| replies + 1);
            let replies = (made < most && child.turn() != plain.root).then_some(made);
            plain_first_replies(plain, most, &child, depth - 1, replies)
        });
        if replies.is_none() { children.max() } else { children.min() }.expect("a move")
    })
}

#[test]
fn a_view_from_outside_is_searched_to_the_value_of_plain_minimax() {
    let mut rng = Rng::new(60);
    for number in 0..1000 {
        let players = 2 + number % 5;
        let mut game = Track::new(players, 2 + rng.below(2) as u8);
        (game.length, game.odd) = (8 + rng.below(12) as u8, rng.below(3) == 0);
        if players > 2 {
            game.play(2);
        }
        let evaluator = HashedScores { most: 1 + rng.below(6) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        let score = rng.pick(&[ScoreForm::Difference, ScoreForm::Own]);
        let replies = 1 + rng.below(players) as u8;
        for parts in [Parts::plain(), Parts::default(), Parts { width: Some(2), ..Parts::default() }] {
            let mut agent = FirstRepliesAgent { evaluator, order, replies, score, parts, memory: Memory::default() };
            let plain = Plain::with(&game, evaluator, order, score, parts);
            for depth in 1..=6 {
                let found = agent.choose(&game, &Budget::depth(depth));
                let expected = plain_first_replies(&plain, replies, &game, found.depth, None);
                assert_eq!(found.value, Some(expected as f64), "{game:?} {parts:?} replies {replies} depth {depth}");
            }
        }
    }
}

#[test]
fn with_replies_from_everybody_it_is_paranoid() {
    let (evaluator, order) = (HashedScores { most: 9, seed: 1 }, HashedOrder { ratings: 3, seed: 2 });
    for players in 2..=6 {
        let mut game = Track::new(players, 3);
        // Or the root player may be out, when this view ends and Paranoid continues.
        game.captures = false;
        let replies = players as u8 - 1;
        let (score, parts) = (ScoreForm::Difference, Parts::default());
        let mut agent = FirstRepliesAgent { evaluator, order, replies, score, parts, memory: Memory::default() };
        let (found, paranoid) =
            (agent.choose(&game, &Budget::depth(8)), Paranoid::new(evaluator, order).choose(&game, &Budget::depth(8)));
        assert_eq!((found.value, found.pv), (paranoid.value, paranoid.pv));
        assert!(agent.memory.statistics().cut_nodes > 0);
    }
}

/// Another view, whose moves are all rated when they are listed.
struct AtOnce<V> {
    view: V,
    /// Whose moves are listed at a minimizing node, if not those of the player to move.
    opponents: Vec<Player>,
}

impl<G: OutOfTurn, V: View<G>> View<G> for AtOnce<V> {
    fn list<O: MoveOrder<G>>(&self, game: &mut G, level: Level, list: &mut List<'_, G, O>) {
        if level.side == Side::Max || self.opponents.is_empty() {
            return list.add(game);
        }
        for &opponent in &self.opponents {
            if game.is_in(opponent) {
                game.with_turn(opponent, |game| list.add(game));
            }
        }
    }

    fn visit<R>(&self, game: &mut G, level: Level, action: Action<G::Move>, f: impl FnOnce(&mut G, Level) -> R) -> R {
        self.view.visit(game, level, action, f)
    }

    fn prepare<R>(&self, game: &mut G, level: Level, f: impl FnOnce(&mut G) -> R) -> R {
        self.view.prepare(game, level, f)
    }

    fn is_over(&self, game: &G, level: Level) -> bool {
        self.view.is_over(game, level)
    }
}

#[test]
fn moves_that_are_rated_later_are_searched_in_the_order_of_those_rated_at_once() {
    let mut rng = Rng::new(61);
    let mut cuts = 0;
    for number in 0..200 {
        let players = 2 + number % 5;
        let mut game = Track::new(players, 3 + rng.below(3) as u8);
        game.length = 12 + rng.below(12) as u8;
        let root = game.turn();
        let evaluator = HashedScores { most: 1 + rng.below(9) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2 + rng.below(5) as u64, seed: rng.bits() };
        let parts = Parts { killers: rng.below(4) > 0, history: rng.below(4) > 0, ..Parts::default() };
        let (score, parts, dice) = (ScoreForm::Difference, &parts, Dice::default());
        let opponents: Vec<Player> = (1..players).map(|after| Player::new((root.index() + after) % players)).collect();
        for depth in [3, 6] {
            let budget = Budget::depth(depth);
            macro_rules! search {
                ($view:expr) => {{
                    let mut memory = Memory::default();
                    let plan = TwoSided { evaluator: &evaluator, order: &order, view: $view, score, parts, dice };
                    let found = plan.decide(&mut memory, &game, &budget, &mut |_| ());
                    (found.nodes, found.value, found.pv, memory.statistics())
                }};
            }
            let in_turn = InTurn { root };
            let at_once = search!(AtOnce { view: in_turn, opponents: Vec::new() });
            assert_eq!(search!(in_turn), at_once, "Paranoid {game:?} {parts:?} depth {depth}");
            let reply = BestReply { root };
            let at_once = search!(AtOnce { view: reply, opponents: opponents.clone() });
            assert_eq!(search!(reply), at_once, "Best-Reply Search {game:?} {parts:?} depth {depth}");
            cuts += at_once.3.cut_nodes;
        }
    }
    assert!(cuts > 5_000, "{cuts}");
}
