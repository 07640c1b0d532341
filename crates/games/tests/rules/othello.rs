//! Othello against its rules.

use crate::disc_board::{Board, after, count, field, flipping, is_full, moves, name, place, turned, turned_text};
use crate::walk::{Line, perft_lines};
use nply::{Declaration, Evaluator, Game, MoveOrder, Notation, OutOfTurn, Player, Rng, Stance};
use nply_games::rolit::{Eval, Move, Options, Order, Othello, Size};

const BLACK: usize = 0;
const WHITE: usize = 1;

/// Othello straight from the rules.
#[derive(Clone)]
struct Reference {
    board: Board,
    side: usize,
    turn: usize,
    /// The passes since the last disc, by whom.
    passes: Vec<usize>,
}

impl Reference {
    fn new(size: Size) -> Reference {
        let mut board = [[None; 8]; 8];
        let (side, middle) = match size {
            Size::Four => (4, ["b2", "c3", "c2", "b3"]),
            Size::Six => (6, ["c3", "d4", "d3", "c4"]),
            Size::Eight => (8, ["d4", "e5", "e4", "d5"]),
        };
        for (name, color) in middle.into_iter().zip([WHITE, WHITE, BLACK, BLACK]) {
            let (x, y) = field(name);
            board[x][y] = Some(color);
        }
        Reference { board, side, turn: BLACK, passes: Vec::new() }
    }

    fn is_over(&self) -> bool {
        is_full(&self.board, self.side) || self.passes.contains(&BLACK) && self.passes.contains(&WHITE)
    }

    fn moves(&self) -> Vec<String> {
        let flipping = flipping(&self.board, self.side, self.turn);
        match self.is_over() {
            true => Vec::new(),
            false if flipping.is_empty() => vec!["-".into()],
            false => flipping.into_iter().map(name).collect(),
        }
    }

    fn play(&mut self, m: &str) {
        if m == "-" {
            self.passes.push(self.turn);
        } else {
            place(&mut self.board, self.turn, field(m));
            self.passes.clear();
        }
        self.turn = 1 - self.turn;
    }

    fn points(&self) -> Vec<usize> {
        vec![count(&self.board, BLACK), count(&self.board, WHITE)]
    }

    fn payoff(&self) -> Option<Vec<f32>> {
        self.is_over().then(|| crate::disc_board::payoff(&self.points()))
    }

    fn perft(&self, depth: u64) -> u64 {
        if depth == 0 {
            return 1;
        }
        let child = |m: &String| {
            let mut child = self.clone();
            child.play(m);
            child.perft(depth - 1)
        };
        self.moves().iter().map(child).sum()
    }

    fn check(&self, game: &Othello, context: &[String]) {
        assert_eq!(game.turn().index(), self.turn);
        assert_eq!(moves(game), self.moves(), "after {context:?}");
        let board = crate::disc_board::text(&self.board, self.side, "BW");
        assert!(game.to_text().starts_with(&format!("{board} {} ", b"BW"[self.turn] as char)), "after {context:?}");
        let points: Vec<usize> = game.points().unwrap().as_slice().iter().map(|&points| points as usize).collect();
        assert_eq!(points, self.points(), "after {context:?}");
        let payoff = game.payoff().map(|payoff| payoff.as_slice().to_vec());
        assert_eq!(payoff, self.payoff(), "after {context:?}");
    }
}

#[test]
fn the_board_agrees_with_the_rules_in_and_out_of_turn() {
    let mut rng = Rng::new(21);
    let (mut passes, mut full) = (0, 0);
    for size in [Size::Eight, Size::Six, Size::Four].repeat(200) {
        let (mut game, mut reference) = (Othello::start(2, &Options { size }, 0), Reference::new(size));
        let mut line: Vec<String> = Vec::new();
        while reference.payoff().is_none() {
            reference.check(&game, &line);
            for other in 0..2 {
                game.with_turn(Player::new(other), |game| {
                    let handed = Reference { turn: other, ..reference.clone() };
                    handed.check(game, &line);
                    let legal = handed.moves();
                    let m = &legal[rng.below(legal.len())];
                    let mut child = handed.clone();
                    child.play(m);
                    game.visit(game.move_from_text(m).unwrap(), |game| child.check(game, &line));
                });
            }
            let legal = reference.moves();
            line.push(legal[rng.below(legal.len())].clone());
            let m = game.move_from_text(line.last().unwrap()).unwrap();
            passes += usize::from(m == Move::PASS);
            game.play(m);
            reference.play(line.last().unwrap());
        }
        reference.check(&game, &line);
        let is_full = !game.to_text().contains('.');
        assert!(is_full || line[line.len() - 2..] == ["-", "-"], "a full board or two passes end the game: {line:?}");
        full += usize::from(is_full);
    }
    assert!(passes > 50 && full > 100, "{passes} passes, {full} full boards");
}

#[test]
fn perft_agrees_with_the_reference() {
    for Line { text, options, numbers, .. } in perft_lines::<Othello>() {
        for (depth, count) in (1..).zip(numbers).filter(|(_, count)| count.is_some_and(|count| count < 400_000)) {
            assert_eq!(Some(Reference::new(options.size).perft(depth)), count, "depth {depth} of {text}");
        }
    }
}

#[test]
fn black_begins_with_four_moves() {
    assert_eq!(
        Othello::start(2, &Options::default(), 0).to_text(),
        "...........................WB......BW........................... B -"
    );
    assert_eq!(moves(&Othello::start(2, &Options::default(), 0)), ["c4", "d3", "e6", "f5"]);
}

#[test]
fn a_player_without_a_flipping_move_passes() {
    // White can flank b1 from c1; Black can flank nothing.
    let game = Othello::start(2, &Options::default(), 0).read(&format!("WB......{} B -", ".".repeat(56))).unwrap();
    assert_eq!(moves(&game), ["-"]);
    let game = after(&game, "-");
    assert_eq!(game.payoff(), None);
    assert_eq!(moves(&game), ["c1"], "the opponent goes on");
}

#[test]
fn two_passes_in_succession_end_the_game() {
    let text = format!("{}. B -", "B".repeat(63));
    let game = Othello::start(2, &Options::default(), 0).read(&text).unwrap();
    assert_eq!(moves(&game), ["-"]);
    let game = after(&game, "-");
    assert_eq!((moves(&game), game.payoff()), (vec!["-".to_string()], None));
    let game = after(&game, "-");
    assert_eq!(game.payoff().unwrap().as_slice(), [1.0, 0.0]);
    assert!(moves(&game).is_empty());
    assert_eq!(game.to_text(), format!("{}. B BW", "B".repeat(63)));
}

#[test]
fn a_full_board_ends_the_game_at_once() {
    // White's disc on h8 is the last.
    let text = format!("{}{}B. W -", "B".repeat(24), "W".repeat(38));
    let game = after(&Othello::start(2, &Options::default(), 0).read(&text).unwrap(), "h8");
    assert_eq!(game.payoff().unwrap().as_slice(), [0.0, 1.0]);
    assert!(moves(&game).is_empty());
}

#[test]
fn empty_fields_count_for_nobody_and_a_tie_is_shared() {
    let text = format!("B......W{} W BW", ".".repeat(56));
    assert_eq!(Othello::start(2, &Options::default(), 0).read(&text).unwrap().payoff().unwrap().as_slice(), [0.5, 0.5]);
    assert_eq!(Othello::start(2, &Options::default(), 0).read(&text).unwrap().points().unwrap().as_slice(), [1.0, 1.0]);
}

#[test]
fn passing_twice_out_of_turn_does_not_end_what_the_opponent_can_play() {
    let text = format!("WB......{} B -", ".".repeat(56));
    let mut game = after(&Othello::start(2, &Options::default(), 0).read(&text).unwrap(), "-");
    let (black, white) = (Player::new(BLACK), Player::new(WHITE));
    game.with_turn(black, |game| {
        assert_eq!(moves(game), ["-"]);
        game.visit(Move::PASS, |game| {
            assert_eq!(game.turn(), white);
            assert_eq!(game.payoff(), None);
            assert_eq!(moves(game), ["c1"]);
        });
    });
}

#[test]
fn the_key_tells_whether_the_last_ply_was_a_pass() {
    let text = format!("{}{} B ", "B".repeat(30), "W".repeat(34));
    let key = |passed: &str| Othello::start(2, &Options::default(), 0).read(&format!("{text}{passed}")).unwrap().key();
    let keys = ["-", "B", "W", "BW"].map(key);
    assert_eq!(std::collections::HashSet::from(keys).len(), 4);
}

#[test]
fn flips_are_the_same_on_a_turned_board() {
    let mut rng = Rng::new(22);
    for _ in 0..20 {
        let mut game = Othello::start(2, &Options::default(), 0);
        while game.payoff().is_none() {
            let symmetry = rng.below(8);
            let mirror =
                Othello::start(2, &Options::default(), 0).read(&turned_text(symmetry, &game.to_text())).unwrap();
            let m = game.random_move(&mut Vec::new(), &mut rng);
            let to = match m {
                Move::PASS => "-".into(),
                m => name(turned(symmetry, field(&m.to_string()))),
            };
            game.play(m);
            assert_eq!(after(&mirror, &to).to_text(), turned_text(symmetry, &game.to_text()));
        }
    }
}

#[test]
fn errors_say_where_and_what() {
    let board = "...........................WB......BW...........................";
    for (text, expected) in [
        (board.to_string(), "expected the color to move, one of B, W at character 65, found the end"),
        (
            format!("{board} B"),
            "expected who has passed since the last disc: -, B, W or BW at character 67, found the end",
        ),
        (
            format!("{board} B x"),
            "expected who has passed since the last disc: -, B, W or BW at character 68, found \"x\"",
        ),
        (format!("{board} B W"), "expected no pass of White, who has a move, at character 68, found \"W\""),
        (format!("{board} B - -"), "expected the end at character 70, found \"-\""),
    ] {
        let error = Othello::start(2, &Options::default(), 0).read(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn the_final_scores_are_the_discs() {
    let text = format!("{}{} B BW", "B".repeat(20), "W".repeat(44));
    let game = Othello::start(2, &Options::default(), 0).read(&text).unwrap();
    assert_eq!(Eval::Discs.scores(&game).as_slice(), [20_000, 44_000]);
    assert_eq!(Eval::Discs.bounds(&game).min.as_slice(), [2_000, 2_000]);
    assert_eq!(Eval::Discs.bounds(&game).max_sum, 64_000);
}

#[test]
fn a_pass_can_be_rated() {
    let text = format!("WB......{} B -", ".".repeat(56));
    let game = Othello::start(2, &Options::default(), 0).read(&text).unwrap();
    for stance in [Stance::Own, Stance::Against(Player::new(WHITE)), Stance::Against(Player::new(BLACK))] {
        assert_eq!(Order.rate(&game, stance, Move::PASS), 0);
    }
}
