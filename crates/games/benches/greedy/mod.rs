//! What the benches of searches share: the bench positions of a game with its usual evaluation, and positions of games between greedy
//! players.

use nply::{Agent, Budget, Declaration, Evaluator, Game, Greedy, Rng, settings};

/// Calls `rows` with a name, so many positions and the usual evaluation for each of the bench positions of a game whose name is
/// `wanted`.
pub(crate) fn each<D: Declaration>(
    wanted: &dyn Fn(&str) -> bool,
    count: usize,
    mut rows: impl FnMut(&str, &[D::Game], &D::Eval, &D::Order),
) {
    for bench in D::BENCH {
        let name = format!("{} {} {}", D::NAME, bench.players, bench.options);
        let name = name.trim_end();
        if !wanted(name) {
            continue;
        }
        let mut options = D::Options::default();
        settings::read(&mut options, bench.options).expect("options of the game");
        let start = D::start(bench.players, &options, 1);
        let usual = D::usual_evaluation(&start);
        let usual =
            D::EVALUATIONS.iter().find(|evaluation| evaluation.name == usual).expect("an evaluation of the game");
        let evaluator = (usual.make)(&start, &|_, _| ()).unwrap_or_else(|error| panic!("{error}"));
        let positions = positions(&start, &evaluator, 2 * bench.plies, count);
        rows(name, &positions, &evaluator, &D::Order::default());
    }
}

/// So many positions, spread over the first plies of a game between greedy players, or of several if one does not have as many.
fn positions<G: Game, E: Evaluator<G>>(start: &G, evaluator: &E, plies: usize, count: usize) -> Vec<G> {
    let (mut positions, mut scratch) = (Vec::new(), Vec::new());
    for seed in 1.. {
        let (mut game, mut greedy) = (start.clone(), Greedy::new(evaluator.clone(), seed));
        let (mut rng, before) = (Rng::new(seed), positions.len());
        for ply in 0..plies {
            if game.payoff().is_some() || positions.len() == count {
                break;
            }
            if ply >= (2 * (positions.len() - before) + 1) * plies / (2 * count) {
                positions.push(game.clone());
            }
            // A random move now and then, so that greedy players do not move back and forth.
            let m = if rng.below(5) == 0 {
                game.random_move(&mut scratch, &mut rng)
            } else {
                greedy.choose(&game, &Budget::default()).m
            };
            game.play(m);
        }
        if positions.len() == count {
            break;
        }
    }
    positions
}
