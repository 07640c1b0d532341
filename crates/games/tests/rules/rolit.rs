//! Rolit against its rules.

use crate::disc_board::{
    Board, adjacent, after, count, field, flipped, flipping, is_full, moves, name, place, turned, turned_text,
};
use crate::walk::{Line, perft_lines};
use nply::{Declaration, Evaluator, Game, MoveOrder, Notation, OutOfTurn, Player, Rng, Stance};
use nply_games::rolit::{Eval, Options, Order, Rolit, Size};

/// Rolit straight from the rules.
#[derive(Clone)]
struct Reference {
    board: Board,
    side: usize,
    turn: usize,
    players: usize,
}

impl Reference {
    fn new(players: usize, size: Size) -> Reference {
        let mut board = [[None; 8]; 8];
        // d4 Red, e4 Yellow, d5 Blue, e5 Green, for any number of players; in the middle of smaller boards.
        let (side, middle) = match size {
            Size::Four => (4, ["b2", "c2", "b3", "c3"]),
            Size::Six => (6, ["c3", "d3", "c4", "d4"]),
            Size::Eight => (8, ["d4", "e4", "d5", "e5"]),
        };
        for (name, color) in middle.into_iter().zip([0, 2, 3, 1]) {
            let (x, y) = field(name);
            board[x][y] = Some(color);
        }
        Reference { board, side, turn: 0, players }
    }

    fn moves(&self) -> Vec<String> {
        let flipping = flipping(&self.board, self.side, self.turn);
        let legal = if flipping.is_empty() { adjacent(&self.board, self.side) } else { flipping };
        legal.into_iter().map(name).collect()
    }

    fn play(&mut self, m: &str) {
        place(&mut self.board, self.turn, field(m));
        self.turn = (self.turn + 1) % self.players;
    }

    fn points(&self) -> Vec<usize> {
        (0..self.players).map(|player| count(&self.board, player)).collect()
    }

    fn payoff(&self) -> Option<Vec<f32>> {
        is_full(&self.board, self.side).then(|| crate::disc_board::payoff(&self.points()))
    }

    fn text(&self) -> String {
        format!("{} {}", crate::disc_board::text(&self.board, self.side, "RGYB"), b"RGYB"[self.turn] as char)
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

    fn check(&self, game: &Rolit, context: &[String]) {
        assert_eq!(game.turn().index(), self.turn);
        assert_eq!(moves(game), self.moves(), "after {context:?}");
        assert_eq!(game.to_text(), self.text(), "after {context:?}");
        let points: Vec<usize> = game.points().unwrap().as_slice().iter().map(|&points| points as usize).collect();
        assert_eq!(points, self.points(), "after {context:?}");
        let payoff = game.payoff().map(|payoff| payoff.as_slice().to_vec());
        assert_eq!(payoff, self.payoff(), "after {context:?}");
    }
}

const SIZES: [Size; 3] = [Size::Four, Size::Six, Size::Eight];

fn start(players: usize) -> Rolit {
    start_of(players, Size::Eight)
}

fn start_of(players: usize, size: Size) -> Rolit {
    Rolit::start(players, &Options { size }, 0)
}

#[test]
fn the_board_agrees_with_the_rules_in_and_out_of_turn() {
    let mut rng = Rng::new(11);
    for (players, size) in (2..=4).flat_map(|players| SIZES.map(|size| (players, size))) {
        for _ in 0..60 {
            let (mut game, mut reference) = (start_of(players, size), Reference::new(players, size));
            let mut line: Vec<String> = Vec::new();
            while reference.payoff().is_none() {
                reference.check(&game, &line);
                for other in 0..players {
                    game.with_turn(Player::new(other), |game| {
                        let handed = Reference { turn: other, ..reference.clone() };
                        handed.check(game, &line);
                        let m = rng.pick(&handed.moves().iter().map(String::as_str).collect::<Vec<_>>()).to_string();
                        let mut child = handed.clone();
                        child.play(&m);
                        game.visit(game.move_from_text(&m).unwrap(), |game| child.check(game, &line));
                    });
                }
                let moves = reference.moves();
                line.push(moves[rng.below(moves.len())].clone());
                let m = game.move_from_text(line.last().unwrap()).unwrap();
                game.play(m);
                reference.play(line.last().unwrap());
            }
            reference.check(&game, &line);
            assert_eq!(line.len(), size.side().pow(2) - 4, "nobody passes");
        }
    }
}

#[test]
fn perft_agrees_with_the_reference() {
    for Line { text, players, options, numbers, .. } in perft_lines::<Rolit>() {
        for (depth, count) in (1..).zip(numbers).filter(|(_, count)| count.is_some_and(|count| count < 200_000)) {
            assert_eq!(Some(Reference::new(players, options.size).perft(depth)), count, "depth {depth} of {text}");
        }
    }
}

#[test]
fn the_start_is_the_same_for_any_number_of_players() {
    for players in 2..=4 {
        assert_eq!(start(players).to_text(), "...........................RY......BG........................... R");
        assert_eq!(start_of(players, Size::Six).to_text(), "..............RY....BG.............. R");
        assert_eq!(start_of(players, Size::Four).to_text(), ".....RY..BG..... R");
    }
}

#[test]
fn whoever_can_flip_must_and_whoever_cannot_puts_a_disc_next_to_another() {
    let game = start(4);
    assert_eq!(moves(&game), ["d6", "f4", "f6"]);
    // Red takes Green's only disc; Green, without a disc, may go anywhere beside the group and flips nothing.
    let game = after(&game, "f6");
    assert_eq!(game.points().unwrap().as_slice(), [3.0, 0.0, 1.0, 1.0]);
    let expected = "c3 c4 c5 c6 d3 d6 e3 e6 e7 f3 f4 f5 f7 g5 g6 g7";
    assert_eq!(moves(&game).join(" "), expected);
    let game = after(&game, "d6");
    assert_eq!(game.points().unwrap().as_slice(), [3.0, 1.0, 1.0, 1.0]);
}

#[test]
fn any_mix_of_other_colors_between_two_own_pieces_is_flipped() {
    let text = format!("RGYBGYB.{} R", ".".repeat(56));
    let game = after(&start(4).read(&text).unwrap(), "h1");
    assert_eq!(game.to_text(), format!("RRRRRRRR{} G", ".".repeat(56)));
}

#[test]
fn colors_without_a_player_can_be_flipped_and_score_for_nobody() {
    let game = start(2);
    assert_eq!(game.points().unwrap().as_slice(), [1.0, 1.0]);
    let game = after(&game, "f4");
    assert_eq!(game.points().unwrap().as_slice(), [3.0, 1.0]);
    // Yellow has most pieces but nobody plays Yellow.
    let text = format!("{}{}{}{} R", "Y".repeat(40), "R".repeat(12), "G".repeat(11), "B");
    assert_eq!(start(2).read(&text).unwrap().payoff().unwrap().as_slice(), [1.0, 0.0]);
    assert_eq!(start(3).read(&text).unwrap().payoff().unwrap().as_slice(), [0.0, 0.0, 1.0]);
}

#[test]
fn ties_share_the_win() {
    let text = format!("{}{}{}{} R", "R".repeat(20), "G".repeat(20), "Y".repeat(20), "B".repeat(4));
    let third = 1.0 / 3.0;
    assert_eq!(start(4).read(&text).unwrap().payoff().unwrap().as_slice(), [third, third, third, 0.0]);
    assert_eq!(start(2).read(&text).unwrap().payoff().unwrap().as_slice(), [0.5, 0.5]);
}

#[test]
fn flips_are_the_same_on_a_turned_board() {
    let mut rng = Rng::new(12);
    for _ in 0..20 {
        let mut game = start(4);
        while game.payoff().is_none() {
            let symmetry = rng.below(8);
            let mirror = start(4).read(&turned_text(symmetry, &game.to_text())).unwrap();
            let m = game.random_move(&mut Vec::new(), &mut rng);
            let to = name(turned(symmetry, field(&game.move_to_text(m))));
            game.play(m);
            assert_eq!(after(&mirror, &to).to_text(), turned_text(symmetry, &game.to_text()));
        }
    }
}

#[test]
fn the_key_is_the_same_by_any_path_and_tells_the_turn() {
    let mut keys = std::collections::HashMap::new();
    let mut rng = Rng::new(13);
    for _ in 0..2000 {
        let mut game = start(3);
        for _ in 0..4 {
            let m = game.random_move(&mut Vec::new(), &mut rng);
            game.play(m);
            let text = game.to_text();
            assert_eq!(keys.insert(game.key(), text.clone()).unwrap_or(text.clone()), text);
        }
    }
    let texts: std::collections::HashSet<&String> = keys.values().collect();
    assert_eq!(texts.len(), keys.len());
}

#[test]
fn errors_say_where_and_what() {
    let board = "...........................RY......BG...........................";
    for (text, expected) in [
        (String::new(), "expected 64 fields at character 1, found the end"),
        (board.into(), "expected the color to move, one of R, G, Y at character 65, found the end"),
        (format!("{board} B"), "expected the color to move, one of R, G, Y at character 66, found \"B\""),
        (format!("{board} R 1"), "expected the end at character 68, found \"1\""),
        (format!("{board}. R"), "expected no more than 64 fields at character 65, found \". R\""),
        (board.replace('Y', "W"), "expected R, G, Y, B or . at character 29, found \"W......BG...........\"…"),
        (format!("{} R", &board[1..]), "expected 64 fields, not 63, at character 64, found \" R\""),
        (format!("{} R", ".".repeat(64)), "expected at least one disc at character 1, found \"....................\"…"),
    ] {
        let error = start(3).read(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let error = start_of(3, Size::Six).read(board).unwrap_err().to_string();
    assert!(error.contains("expected no more than 36 fields at character 37"), "{error}");
    let error = start_of(3, Size::Four).read(&format!("{} R", &board[1..16])).unwrap_err().to_string();
    assert!(error.contains("expected 16 fields, not 15, at character 16"), "{error}");
    let error = start(3).move_from_text("d3").unwrap_err().to_string();
    assert_eq!(error, "no legal move \"d3\" here: a move is a field, `d3`; legal are d6 f4 f6");
}

#[test]
fn discs_are_counted_in_thousandths_within_the_bounds() {
    let mut rng = Rng::new(14);
    for (players, size) in (2..=4).flat_map(|players| SIZES.map(|size| (players, size))) {
        for _ in 0..50 {
            let mut game = start_of(players, size);
            let mut bounds = vec![Eval::Discs.bounds(&game)];
            loop {
                let scores = Eval::Discs.scores(&game);
                assert_eq!(scores.map(|score| score as f32 / 1000.0), game.points().unwrap());
                for player in Player::all(players) {
                    assert_eq!(Eval::Discs.evaluate_for(&game, player), scores[player]);
                    assert!(bounds.iter().all(|b| b.min[player] <= scores[player] && scores[player] <= b.max(player)));
                }
                assert!(bounds.iter().all(|b| scores.sum() <= b.max_sum));
                if game.payoff().is_some() {
                    break;
                }
                let m = game.random_move(&mut Vec::new(), &mut rng);
                game.play(m);
                bounds.push(Eval::Discs.bounds(&game));
            }
        }
    }
}

#[test]
fn evaluations_that_know_the_full_board_only_refuse_smaller_ones() {
    for size in [Size::Four, Size::Six] {
        let game = start_of(3, size);
        assert_eq!(Rolit::usual_evaluation(&game), "discs");
        for evaluation in Rolit::EVALUATIONS {
            match (evaluation.make)(&game, &|_, _| ()) {
                Ok(_) => assert_eq!(evaluation.name, "discs"),
                Err(error) => {
                    let expected = format!("the evaluation {:?} is for size=8 only", evaluation.name);
                    assert_eq!((error.message.as_str(), error.help.as_deref()), (&*expected, Some("use eval=discs")));
                }
            }
        }
    }
    assert_eq!(Rolit::usual_evaluation(&start(3)), "patterns");
}

#[test]
fn corners_come_first_on_smaller_boards_too() {
    let text = format!("..R...{}G.....{} Y", ".".repeat(18), ".....R");
    let game = start_of(3, Size::Six).read(&text).unwrap();
    let mut all = Vec::new();
    game.moves(&mut all);
    Order.sort(&game, Stance::Own, &mut all);
    let sorted: Vec<String> = all.iter().map(|m| m.to_string()).collect();
    assert_eq!(sorted.join(" "), "a6 a4 d1 b4 c2 d2 b1 b6 e6 f5 b2 b5 e5");
}

#[test]
fn corners_come_first_and_fields_next_to_corners_last() {
    // Yellow can flip nothing, so every field next to a disc is legal.
    let text = format!("..R.....{}G.......{} Y", ".".repeat(40), ".......R");
    let game = start(3).read(&text).unwrap();
    let sorted = |stance| {
        let mut all = Vec::new();
        game.moves(&mut all);
        Order.sort(&game, stance, &mut all);
        all.iter().map(|m| m.to_string()).collect::<Vec<_>>().join(" ")
    };
    let expected = "a8 a6 d1 b6 c2 d2 b1 b8 g8 h7 b2 b7 g7";
    let own = sorted(Stance::Own);
    assert_eq!(own, expected);
    assert_eq!(sorted(Stance::Against(Player::new(0))), own, "nothing is flipped");
}

#[test]
fn an_opponent_flips_more_of_the_victims_discs_first_among_equal_fields() {
    let mut rng = Rng::new(15);
    for _ in 0..30 {
        let mut game = start(4);
        let mut reference = Reference::new(4, Size::Eight);
        while game.payoff().is_none() {
            for victim in 0..4 {
                let stance = Stance::Against(Player::new(victim));
                let mut all = Vec::new();
                game.moves(&mut all);
                for &m in &all {
                    let (x, y) = field(&m.to_string());
                    let harm = flipped(&reference.board, reference.turn, x, y);
                    let harm = harm.iter().filter(|&&(x, y)| reference.board[x][y] == Some(victim)).count() as i32;
                    let more = Order.rate(&game, stance, m) - Order.rate(&game, Stance::Own, m);
                    assert_eq!(more, if victim == reference.turn { 0 } else { harm });
                }
            }
            let m = game.random_move(&mut Vec::new(), &mut rng);
            reference.play(&m.to_string());
            game.play(m);
        }
    }
}

#[test]
fn the_picture_has_row_one_at_the_top_and_colors_on_demand() {
    let game = after(&start(3), "f4");
    let expected = "  a b c d e f g h
1 . . . . . . . .
2 . . . . . . . .
3 . . . . . . . .
4 . . . R R R . .
5 . . . B G . . .
6 . . . . . . . .
7 . . . . . . . .
8 . . . . . . . .
  Red     3 discs
> Green   1 disc
  Yellow  0 discs
";
    assert_eq!(game.to_string(), expected);
    let small = "  a b c d
1 . . . .
2 . R Y .
3 . B G .
4 . . . .
> Red    1 disc
  Green  1 disc
";
    assert_eq!(start_of(2, Size::Four).to_string(), small);
    let colored = format!("{game:#}");
    assert!(colored.contains("\x1b[1;31mR\x1b[0m") && colored.contains("\x1b[2mB\x1b[0m"));
}
