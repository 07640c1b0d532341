//! Monte-Carlo tree search on every game: each way of playing plays legal moves from start to end.

use nply::{
    Agent, AnyTurn, Budget, Evaluator, Game, Mcts, MctsSettings, MoveOrder, PlayoutPolicy, Rng, Solver, TreePolicy,
};
use nply_games::cards;
use nply_games::chess::{self, FourPlayerChess};
use nply_games::chinese_checkers::{self, Board, ChineseCheckers};
use nply_games::focus::{self, Focus};
use nply_games::rolit::{self, Othello, Rolit};

/// One way of playing.
type Way = (PlayoutPolicy, TreePolicy, Solver, usize);

const IN_TURN: &[Way] = &[
    (PlayoutPolicy::Random, TreePolicy::MaxN, Solver::Standard, 1),
    (PlayoutPolicy::Move, TreePolicy::Paranoid, Solver::Standard, 1),
    (PlayoutPolicy::OnePly, TreePolicy::MaxN, Solver::FirstWinner, 2),
    (PlayoutPolicy::MaxN, TreePolicy::Paranoid, Solver::Off, 1),
    (PlayoutPolicy::Paranoid, TreePolicy::MaxN, Solver::Paranoid, 1),
];

const OUT_OF_TURN: &[Way] = &[
    (PlayoutPolicy::Brs, TreePolicy::MaxN, Solver::Paranoid, 1),
    (PlayoutPolicy::Move, TreePolicy::Brs, Solver::Standard, 1),
    (PlayoutPolicy::Brs, TreePolicy::Brs, Solver::Standard, 2),
];

/// Plays a game: some moves by chance, then one by each way in turn.
fn play<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    start: &G,
    evaluator: E,
    order: O,
    any_turn: Option<AnyTurn<G>>,
    budget: u64,
) {
    let mut agents: Vec<Mcts<G, E, O>> = Vec::new();
    let more = if any_turn.is_some() { OUT_OF_TURN } else { &[] };
    for &(playout, policy, solver, threads) in IN_TURN.iter().chain(more) {
        let mut mcts = Mcts::new(evaluator.clone(), order.clone(), 1);
        mcts.any_turn = any_turn;
        mcts.settings = MctsSettings { playout, policy, solver, threads, memory: 8 << 20, ..MctsSettings::default() };
        agents.push(mcts);
    }
    let (mut game, mut rng, mut moves) = (start.clone(), Rng::new(1), Vec::new());
    for ply in 0.. {
        if game.payoff().is_some() {
            assert!(ply > agents.len(), "a game too short for all");
            return;
        }
        moves.clear();
        game.moves(&mut moves);
        let m = if ply % 8 == 7 {
            let count = agents.len();
            let agent = &mut agents[ply / 8 % count];
            let decision = agent.choose(&game, &Budget::playouts(budget));
            let statistics = agent.statistics();
            assert_eq!(statistics.len(), moves.len());
            assert!(statistics.iter().all(|child| moves.contains(&child.m)));
            assert!(statistics.iter().any(|child| child.m == decision.m));
            decision.m
        } else {
            rng.pick(&moves)
        };
        assert!(moves.contains(&m), "{m:?} is legal");
        game.play(m);
    }
}

#[test]
fn every_way_plays_chinese_checkers() {
    for players in [2, 3, 6] {
        let start = ChineseCheckers::new(players, Board::Small, 200);
        play(&start, chinese_checkers::Eval::Distance, chinese_checkers::Order, Some(AnyTurn::new()), 20);
    }
}

#[test]
fn every_way_plays_focus() {
    for players in [2, 3, 4] {
        let start = Focus::new(players, focus::Rules::Standard, 200);
        play(&start, focus::Eval::Height, focus::Order, Some(AnyTurn::new()), 20);
    }
}

#[test]
fn every_way_plays_rolit_and_othello() {
    for players in [2, 3, 4] {
        let start = Rolit::new(players).expect("two to four players");
        play(&start, rolit::Eval::Discs, rolit::Order, Some(AnyTurn::new()), 200);
    }
    play(&Othello::new(), rolit::Eval::Discs, rolit::Order, Some(AnyTurn::new()), 200);
}

#[test]
fn every_way_plays_four_player_chess() {
    play(&FourPlayerChess::new(), chess::Eval::default(), chess::Order::default(), Some(AnyTurn::new()), 2);
}

#[test]
fn every_way_in_turn_plays_cards() {
    for kind in [cards::Hearts, cards::Spades] {
        for players in [3, 4] {
            let start = cards::Tricks::new(kind, players, 1, cards::Options::default());
            play(&start, cards::Eval, cards::Order, None, 200);
        }
    }
}
