//! Monte-Carlo tree search on every game: each way of playing plays legal moves, and batches of leaves are searched as they should.

use crate::walk::{configurations, evaluations};
use nply::{
    Agent, AnyTurn, Budget, Declaration, Game, GameVisitor, Mcts, OutOfTurn, PlayoutPolicy, Rng, Solver, TreePolicy,
};

/// One way of playing.
type Way = (PlayoutPolicy, TreePolicy, Solver, usize);

fn ways() -> Vec<Way> {
    vec![
        (PlayoutPolicy::Random, TreePolicy::MaxN, Solver::Standard, 1),
        (PlayoutPolicy::Move, TreePolicy::Paranoid, Solver::Standard, 1),
        (PlayoutPolicy::OnePly, TreePolicy::MaxN, Solver::FirstWinner, 2),
        (PlayoutPolicy::MaxN, TreePolicy::Paranoid, Solver::Off, 1),
        (PlayoutPolicy::Paranoid, TreePolicy::MaxN, Solver::Paranoid, 1),
    ]
}

fn ways_out_of_turn() -> Vec<Way> {
    let more = [
        (PlayoutPolicy::Brs, TreePolicy::MaxN, Solver::Paranoid, 1),
        (PlayoutPolicy::Move, TreePolicy::Brs, Solver::Standard, 1),
        (PlayoutPolicy::Brs, TreePolicy::Brs, Solver::Standard, 2),
    ];
    ways().into_iter().chain(more).collect()
}

/// Plays games: every other move at random, the others by each way in turn.
fn play<D: Declaration>(ways: &[Way], any_turn: Option<AnyTurn<D::Game>>) {
    for (players, options) in configurations::<D>() {
        let start = D::start(players, &options, 1);
        let (_, evaluator) = &evaluations::<D>(&start)[0];
        let mut agents: Vec<Mcts<D::Game, D::Eval, D::Order>> = Vec::new();
        for &(playout, policy, solver, threads) in ways {
            let mut mcts = Mcts::new(evaluator.clone(), D::Order::default(), 1);
            (mcts.settings.playout, mcts.settings.policy, mcts.settings.solver, mcts.settings.threads) =
                (playout, policy, solver, threads);
            mcts.any_turn = any_turn;
            (mcts.settings.memory, mcts.settings.cutoff) = (8 << 20, Some(60));
            agents.push(mcts);
        }
        let count = agents.len();
        let (mut game, mut rng, mut moves) = (start.clone(), Rng::new(1), Vec::new());
        for ply in 0..4 * count {
            if game.payoff().is_some() {
                game = start.clone();
            }
            moves.clear();
            game.moves(&mut moves);
            let m = if ply % 2 == 1 {
                let agent = &mut agents[ply / 2 % count];
                let decision = agent.choose(&game, &Budget::playouts(20));
                let statistics = agent.statistics();
                assert_eq!(statistics.len(), moves.len());
                assert!(statistics.iter().all(|child| moves.contains(&child.m)));
                assert!(statistics.iter().any(|child| child.m == decision.m));
                decision.m
            } else {
                rng.pick(&moves)
            };
            assert!(moves.contains(&m), "{}: {m:?} is legal", D::NAME);
            game.play(m);
        }
    }
}

struct Plays;

impl GameVisitor for Plays {
    fn game<D: Declaration>(&mut self) {
        play::<D>(&ways(), None);
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        play::<D>(&ways_out_of_turn(), Some(AnyTurn::new()));
    }
}

#[test]
fn every_way_plays_every_game() {
    nply_games::games(&mut Plays);
}

/// Searches with every evaluation from positions of random games.
struct Batches(u64);

impl GameVisitor for Batches {
    fn game<D: Declaration>(&mut self) {
        for (players, options) in configurations::<D>() {
            let start = D::start(players, &options, 1);
            // Nothing that takes long to make.
            let (_, evaluator) = &evaluations::<D>(&start)[0];
            let (mut game, mut rng) = (start, Rng::new(players as u64));
            for plies in [0, 7] {
                for _ in 0..plies {
                    let m = game.random_move(&mut Vec::new(), &mut rng);
                    game.play(m);
                }
                if game.payoff().is_none() && !game.history_matters() {
                    self.compare::<D>(&game, evaluator);
                }
            }
        }
    }
}

impl Batches {
    fn compare<D: Declaration>(&mut self, game: &D::Game, evaluator: &D::Eval) {
        let make = |batch| {
            let mut mcts = Mcts::new(evaluator.clone(), D::Order::default(), 5);
            (mcts.settings.cutoff, mcts.settings.batch, mcts.settings.memory) = (Some(0), batch, 8 << 20);
            mcts
        };
        let tree = |mcts: &mut Mcts<D::Game, D::Eval, D::Order>, playouts| {
            let (decision, recording) = mcts.explain(game, &Budget::playouts(playouts), 1_000_000).unwrap();
            (format!("{:?} {:?}", decision.pv, decision.scores), format!("{recording:?}"))
        };
        let (mut single, mut roomy) = (make(1), make(16));
        for _ in 0..59 {
            roomy.choose(game, &Budget::playouts(1));
        }
        // The same 60 simulations, in batches that each get one leaf.
        let (expected, found) = (tree(&mut single, 60), tree(&mut roomy, 1));
        assert!(expected == found, "{}: {} and {}", D::NAME, expected.0, found.0);
        let (mut batched, mut again) = (make(16), make(16));
        let found = tree(&mut batched, 100);
        assert!(found == tree(&mut again, 100), "{}: a batch is repeatable", D::NAME);
        let visits: u64 = batched.statistics().iter().map(|child| child.visits).sum();
        assert!(
            visits == 100 || batched.statistics().iter().any(|child| child.proof.is_some()),
            "{}: {visits}",
            D::NAME
        );
        self.0 += 1;
    }
}

#[test]
fn batches_of_leaves_search_every_game_and_single_ones_node_for_node() {
    let mut batches = Batches(0);
    nply_games::games(&mut batches);
    assert!(batches.0 > 20, "{} positions", batches.0);
}
