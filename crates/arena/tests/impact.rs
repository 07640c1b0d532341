//! Who can be harmed, move by move.

use nply::Rng;
use nply_arena::{Registry, Request};

#[test]
fn a_player_is_harmed_if_some_move_leaves_it_a_lower_score() {
    let registry = Registry::standard();
    let mut counts = [0; 2];
    for (name, players, eval) in [("rolit", 3, "discs"), ("focus", 3, "height"), ("connect-four", 2, "lines")] {
        let game = registry.find(name).unwrap();
        let eval = game.info().evaluations.iter().map(|(name, _)| *name).find(|name| *name == eval);
        let mut rng = Rng::new(7);
        let mut session = game.open(&Request { players: Some(players), ..Request::default() }).unwrap();
        for _ in 0..30 {
            let moves = session.moves();
            if moves.is_empty() {
                break;
            }
            let before = session.judge(eval).unwrap().scores;
            let children: Vec<_> = moves.iter().map(|m| session.child(m).unwrap()).collect();
            // Of a finished game only the end has scores.
            if children.iter().all(|child| child.payoff().is_none()) {
                let after: Vec<_> = children.iter().map(|child| child.judge(eval).unwrap().scores).collect();
                let harmed: Vec<bool> =
                    (0..players).map(|player| after.iter().any(|scores| scores[player] < before[player])).collect();
                assert_eq!(session.harmed(eval).unwrap(), harmed, "{name}");
                harmed.iter().for_each(|&harmed| counts[usize::from(harmed)] += 1);
            }
            session.play(&moves[rng.below(moves.len())]).unwrap();
        }
    }
    assert!(counts[0] > 10 && counts[1] > 10, "{counts:?}");
}

#[test]
fn who_only_runs_harms_nobody() {
    // Scores in Chinese Checkers are the distances that pieces have come, which nobody else changes.
    let game = Registry::standard().find("chinese-checkers").unwrap();
    let eval = game.info().bench.iter().find_map(|position| position.eval);
    let mut rng = Rng::new(8);
    let mut session = game.open(&Request { players: Some(3), ..Request::default() }).unwrap();
    for _ in 0..20 {
        let mover = session.turn() - 1;
        let harmed = session.harmed(eval).unwrap();
        assert!(harmed.iter().enumerate().all(|(player, &harmed)| player == mover || !harmed), "{harmed:?}");
        let moves = session.moves();
        session.play(&moves[rng.below(moves.len())]).unwrap();
    }
}
