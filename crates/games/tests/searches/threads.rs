//! Several threads find in every game what one finds: each search, each part of it on and off, the games' own evaluations and
//! few-valued random ones, anywhere in a game.

use crate::walk::{configurations, evaluations, variants};
use nply::testing::{HashedScores, check_threads, check_threads_out_of_turn};
use nply::{Declaration, Game, GameVisitor, OutOfTurn, Rng, Score};

/// A position of a random game that is not over: anywhere in it, its last plies included.
fn position<G: Game>(start: &G, rng: &mut Rng) -> G {
    let (mut game, mut past) = (start.clone(), Vec::new());
    for _ in 0..=rng.below(150) {
        if game.payoff().is_some() {
            break;
        }
        past.push(game.clone());
        let m = game.random_move(&mut Vec::new(), rng);
        game.play(m);
    }
    let last = past.len();
    past.swap_remove(rng.below(last))
}

/// Few moves deep down, or many near the root.
const SHAPES: [(u32, Option<usize>); 3] = [(3, Some(10)), (4, Some(5)), (7, Some(2))];

/// Calls `check` twice with a position, for each number of players and all options.
fn each<D: Declaration>(mut check: impl FnMut(&D::Game, &D::Eval, &D::Order, &mut Rng)) {
    for (players, options) in configurations::<D>() {
        let start = D::start(players, &options, 5);
        let mut rng = Rng::new(players as u64);
        for _ in 0..2 {
            let game = position(&start, &mut rng);
            let (evals, orders) = (evaluations::<D>(&start), variants::<D::Order>());
            check(&game, &evals[rng.below(evals.len())].1, &orders[rng.below(orders.len())], &mut rng);
        }
    }
}

struct Threads;

impl GameVisitor for Threads {
    fn game<D: Declaration>(&mut self) {
        each::<D>(|game, eval, order, rng| {
            let few = HashedScores { most: 1 + rng.below(3) as Score, seed: rng.bits() };
            check_threads(game, rng.pick(&SHAPES), eval, order, rng);
            check_threads(game, rng.pick(&SHAPES), &few, order, rng);
        });
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        self.game::<D>();
        each::<D>(|game, eval, order, rng| {
            let few = HashedScores { most: 1 + rng.below(3) as Score, seed: rng.bits() };
            check_threads_out_of_turn(game, rng.pick(&SHAPES), eval, order, rng);
            check_threads_out_of_turn(game, rng.pick(&SHAPES), &few, order, rng);
        });
    }
}

#[test]
fn every_search_finds_in_every_game_with_any_number_of_threads_what_it_finds_with_one() {
    nply_games::games(&mut Threads);
}
