//! Solving by proof numbers against exhaustive Paranoid, and proofs against their claims.

use nply::dfpn::Answer;
use nply::solve::Solver;
use nply::testing::{Plain, Shape, Track, plain_paranoid, random_tree};
use nply::{Budget, ByPlayer, Declaration, Game, Notation, Player, Question, Rng, Score, Tally, Tree, proof};

/// What a player gets if everybody else is against them, in the plainest way.
fn exhaustive<G: Game>(game: &G, tally: Tally<G>, player: Player) -> Score {
    let moves = |game: &G| {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        moves
    };
    let value = move |game: &G| i64::from((tally.of)(game)[player]);
    let plain = Plain { root: player, value: Box::new(value), moves: Box::new(moves) };
    plain_paranoid(&plain, game, u32::MAX) as Score
}

/// A table with four places, a small one, and one with room for everything.
const TABLES: [usize; 3] = [1, 1 << 12, 1 << 20];

fn solve<G: Game>(game: &G, tally: Tally<G>, player: Player, table: usize) -> (Solver<G>, Score, Score) {
    let mut solver = Solver::new(table);
    let value = solver.value(game, tally, player, &Budget::default(), &mut |_, _| ());
    (solver, value.least, value.most)
}

#[test]
fn values_are_those_of_exhaustive_paranoid_and_have_lines_and_proofs() {
    let mut rng = Rng::new(41);
    let mut chosen = 0;
    for number in 0..10_000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let player = Player::new(rng.below(tree.player_count()));
        let tally = if rng.below(3) == 0 { Tally::shares() } else { Tree::TALLY.unwrap() };
        let expected = exhaustive(&tree, tally, player);
        let (mut solver, least, most) = solve(&tree, tally, player, rng.pick(&TABLES));
        assert_eq!((least, most), (expected, expected), "player {player} in {}", tree.to_text());
        if number % 5 > 0 {
            continue;
        }
        // The least that is proved, and what comes next.
        let question = |at_least| Question { tally, player, at_least };
        let claims = [(question(least), true), (question(least + 1), false)];
        let mut end = tree.clone();
        for m in solver.line(&tree, &claims, &Budget::default()) {
            end.play(m);
        }
        assert!(end.payoff().is_some(), "the line of player {player} ends in {}", tree.to_text());
        assert_eq!((tally.of)(&end)[player], expected, "player {player} in {}", tree.to_text());
        for (question, yes) in claims {
            let found = solver.proof(&tree, &question, yes, u64::MAX, &Budget::default(), &mut |_| ()).unwrap();
            assert_eq!(proof::check(&tree, &question, yes, &found.bytes, &mut |_| ()), Ok(found.counts));
            chosen += found.counts.choices;
            // Nothing proves the opposite.
            let noise: Vec<u8> = (0..rng.below(8)).map(|_| rng.below(4) as u8).collect();
            assert!(proof::check(&tree, &question, !yes, &found.bytes, &mut |_| ()).is_err());
            assert!(proof::check(&tree, &question, !yes, &noise, &mut |_| ()).is_err());
            let longer = [&found.bytes[..], &[0]].concat();
            assert!(proof::check(&tree, &question, yes, &longer, &mut |_| ()).is_err(), "all bytes are needed");
            if let Some(shorter) = found.bytes.len().checked_sub(1) {
                assert!(proof::check(&tree, &question, yes, &found.bytes[..shorter], &mut |_| ()).is_err());
            }
        }
    }
    assert!(chosen > 5_000, "{chosen} moves were chosen in proofs");
}

#[test]
fn every_threshold_is_answered_as_exhaustive_paranoid_does() {
    let mut rng = Rng::new(42);
    for _ in 0..300 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        for player in Player::all(tree.player_count()) {
            let tally = Tree::TALLY.unwrap();
            let expected = exhaustive(&tree, tally, player);
            let mut solver = Solver::new(rng.pick(&TABLES));
            for at_least in -1..=10 {
                let question = Question { tally, player, at_least };
                let asked = solver.ask(&tree, &question, &Budget::default(), &mut |_| ());
                let answer = if expected >= at_least { Answer::Proved } else { Answer::Disproved };
                assert_eq!(asked.answer, answer, "{at_least} for player {player} in {}", tree.to_text());
            }
        }
    }
}

#[test]
fn transpositions_and_odd_turns_do_not_change_the_value() {
    let mut rng = Rng::new(43);
    for _ in 0..150 {
        let players = 2 + rng.below(4);
        let mut track = Track::new(players, 1 + rng.below(2) as u8);
        track.length = (players + 2 + rng.below(3)) as u8;
        track.captures = rng.below(2) == 0;
        track.odd = rng.below(2) == 0;
        let player = Player::new(rng.below(players));
        let expected = exhaustive(&track, Tally::shares(), player);
        let (_, least, most) = solve(&track, Tally::shares(), player, rng.pick(&TABLES));
        assert_eq!((least, most), (expected, expected), "player {player}: {track:?}");
    }
}

#[test]
fn where_history_without_a_key_matters_the_answer_is_unknown_rather_than_wrong() {
    let mut rng = Rng::new(44);
    let (mut open, mut solved) = (0, 0);
    for _ in 0..200 {
        let players = 2 + rng.below(3);
        let mut track = Track::new(players, 2);
        track.length = (players + 3) as u8;
        track.captures = false;
        // From 15 plies before the limit on, the track says that its history matters.
        track.limit = 16 + rng.below(6) as u32;
        let player = Player::new(rng.below(players));
        let expected = exhaustive(&track, Tally::shares(), player);
        let (_, least, most) = solve(&track, Tally::shares(), player, rng.pick(&TABLES));
        assert!(least <= expected && expected <= most, "player {player}: {track:?}");
        if least < most { open += 1 } else { solved += 1 }
    }
    assert!(open > 20 && solved > 20, "{open} open, {solved} solved");
}

/// Two rooms: everybody goes to the other one, or leaves and loses. Nobody need ever leave.
#[derive(Clone)]
struct Rooms {
    at: u8,
    turn: Player,
    leaver: Option<Player>,
}

impl Game for Rooms {
    type Move = bool;

    fn player_count(&self) -> usize {
        2
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn moves(&self, out: &mut Vec<bool>) {
        if self.leaver.is_none() {
            out.extend([false, true]);
        }
    }

    fn play(&mut self, leave: bool) {
        self.leaver = leave.then_some(self.turn);
        self.at ^= 1;
        self.turn = self.turn.next(2);
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        let leaver = self.leaver?;
        Some(ByPlayer::from_fn(2, |player| if player == leaver { 0.0 } else { 1.0 }))
    }

    fn key(&self) -> u64 {
        u64::from(self.at) << 1 | self.turn.index() as u64
    }
}

#[test]
fn a_game_without_end_is_not_answered() {
    let rooms = Rooms { at: 0, turn: Player::new(0), leaver: None };
    for player in Player::all(2) {
        let (_, least, most) = solve(&rooms, Tally::shares(), player, 1 << 20);
        assert_eq!((least, most), (0, nply::WHOLE));
    }
}

#[test]
fn a_budget_of_nodes_is_kept_and_leaves_the_answer_open() {
    let mut rng = Rng::new(45);
    let shape = Shape { players: 3, height: 6, width: 4, most: 8, constant_sum: true, any_turn: false };
    let mut open = 0;
    for _ in 0..50 {
        let tree = random_tree(&mut rng, shape);
        let question = Question { tally: Tree::TALLY.unwrap(), player: Player::new(0), at_least: 3 };
        let whole = Solver::new(1 << 20).ask(&tree, &question, &Budget::default(), &mut |_| ());
        assert_ne!(whole.answer, Answer::Unknown);
        if whole.nodes > 0 {
            let less = Solver::new(1 << 20).ask(&tree, &question, &Budget::nodes(whole.nodes - 1), &mut |_| ());
            assert_eq!((less.answer, less.nodes), (Answer::Unknown, whole.nodes - 1));
            open += 1;
        }
    }
    assert!(open > 20);
}

#[test]
fn a_proof_that_is_too_long_is_refused() {
    let tree: Tree = "(1 (2 (1 5,5 0,10) (1 5,5 0,10)) 0,10)".parse().unwrap();
    let question = Question { tally: Tree::TALLY.unwrap(), player: Player::new(0), at_least: 5 };
    let mut solver = Solver::new(1 << 12);
    // Both answers of player 2 lead to the same position, which is proved once.
    let found = solver.proof(&tree, &question, true, 2, &Budget::default(), &mut |_| ()).unwrap();
    assert_eq!((found.counts.positions, found.counts.choices, found.counts.ends), (3, 2, 1));
    let fault = solver.proof(&tree, &question, true, 1, &Budget::default(), &mut |_| ()).unwrap_err();
    assert_eq!(fault.what, "the proof chooses more than 1 moves");
}

#[test]
fn a_wrong_proof_is_refused_where_it_fails() {
    let tree: Tree = "(1 (2 (1 5,5 0,10) (1 1,9 2,8)) (2 6,4 5,5))".parse().unwrap();
    let question = Question { tally: Tree::TALLY.unwrap(), player: Player::new(0), at_least: 5 };
    let fault = |yes, bytes: &[u8]| proof::check(&tree, &question, yes, bytes, &mut |_| ()).unwrap_err().to_string();
    assert!(proof::check(&tree, &question, true, &[1], &mut |_| ()).is_ok());
    let fails = fault(true, &[0, 0, 1]);
    assert_eq!(fails, "the player has 2, less than 5, at the end; position 2,8 after 1 2 2");
    let fails = fault(false, &[1, 0]);
    assert_eq!(fails, "the player has 6, not less than 5, at the end; position 6,4 after 2 1");
    assert!(fault(true, &[]).starts_with("the proof ends too early; position (1 (2 "));
    assert!(fault(true, &[2]).starts_with("the proof has move 3 of 2; position (1 (2 "));
    assert!(fault(true, &[1, 7]).starts_with("the proof is complete, but 1 more bytes follow"));
}
