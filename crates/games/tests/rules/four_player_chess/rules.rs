//! One test for each rule.

use nply::{Declaration, Game, Notation, OutOfTurn, Player, PositionError};
use nply_games::chess::FourPlayerChess;

use super::reference::{is_square, name};
use super::texts;

/// The text of a position: pieces with their squares, such as `wKh1 uPm5`, then the other words.
fn text(men: &str, rest: &str) -> String {
    let mut rows = Vec::new();
    let mut placed = 0;
    for y in (0..14).rev() {
        let (mut row, mut empty) = (String::new(), 0);
        for at in (0..14).map(|x| (x, y)).filter(|&p| is_square(p)) {
            empty += 1;
            if let Some(man) = men.split(' ').find(|man| man[2..] == name(at)) {
                empty -= 1;
                row += &format!("{}{}", if empty > 0 { empty.to_string() } else { String::new() }, &man[..2]);
                (empty, placed) = (0, placed + 1);
            }
        }
        rows.push(if empty > 0 { format!("{row}{empty}") } else { row });
    }
    assert_eq!(placed, men.split(' ').count(), "all of {men} are on the board");
    format!("{} {rest}", rows.join("/"))
}

fn try_place(men: &str, rest: &str) -> Result<FourPlayerChess, PositionError> {
    FourPlayerChess::start(4, &(), 0).read(&text(men, rest))
}

pub(crate) fn place(men: &str, rest: &str) -> FourPlayerChess {
    try_place(men, rest).unwrap()
}

/// The four kings in their places, out of everybody's way.
const KINGS: &str = "wKh1 rKa7 bKg14 uKn8";

/// A position with the four kings and more.
fn with_kings(men: &str, turn: char) -> FourPlayerChess {
    place(&format!("{KINGS} {men}"), &format!("{turn} wrbu - - 0 0 -"))
}

/// The targets of the moves from a square.
fn targets(game: &FourPlayerChess, from: &str) -> Vec<String> {
    let moves = texts(game);
    moves.iter().filter_map(|m| m.strip_prefix(from)?.strip_prefix('-')).map(str::to_string).collect()
}

fn play(game: &mut FourPlayerChess, moves: &str) {
    for text in moves.split(' ') {
        game.play(game.move_from_text(text).unwrap());
    }
}

/// What is on a square, as in a position text: `wK`, or `..`.
fn at(game: &FourPlayerChess, square: &str) -> String {
    let picture = game.to_string();
    let (column, row) = square.split_at(1);
    let line = picture.lines().find(|line| line[..2].trim() == row).unwrap().to_string() + " ";
    let start = 3 + 3 * (column.as_bytes()[0] - b'a') as usize;
    line[start..start + 2].replace(". ", "..")
}

fn living(game: &FourPlayerChess) -> Vec<usize> {
    Player::all(4).filter(|&p| game.is_in(p)).map(Player::number).collect()
}

fn payoff(game: &FourPlayerChess) -> Option<Vec<f32>> {
    game.payoff().map(|payoff| payoff.as_slice().to_vec())
}

#[test]
fn the_armies_stand_as_their_owners_see_them() {
    let game = FourPlayerChess::start(4, &(), 0);
    for (square, piece) in [
        ("d1", "wR"),
        ("g1", "wQ"),
        ("h1", "wK"),
        ("k1", "wR"),
        ("d2", "wP"),
        ("k2", "wP"),
        ("a11", "rR"),
        ("a8", "rQ"),
        ("a7", "rK"),
        ("b4", "rP"),
        ("k14", "bR"),
        ("h14", "bQ"),
        ("g14", "bK"),
        ("n4", "uR"),
        ("n7", "uQ"),
        ("n8", "uK"),
        ("m11", "uP"),
    ] {
        assert_eq!(at(&game, square), piece, "{square}");
    }
    assert_eq!(game.turn(), Player::new(0));
}

#[test]
fn a_pawn_steps_once_or_from_its_start_twice() {
    let game = with_kings("wPe2 wPf3 wPj2 rNj4", 'w');
    assert_eq!(targets(&game, "e2"), ["e3", "e4"]);
    assert_eq!(targets(&game, "f3"), ["f4"]);
    assert_eq!(targets(&game, "j2"), ["j3"]);
}

#[test]
fn a_pawn_moving_up_bends_right_on_one_diagonal_and_left_on_the_other() {
    let mut game = with_kings("wPe5 wPj5 wPf5", 'w');
    assert_eq!(targets(&game, "e5"), ["e6"], "f5 is taken");
    assert_eq!(targets(&game, "j5"), ["i5", "j6"]);
    assert_eq!(targets(&game, "f5"), ["f6"], "f5 is on no diagonal");
    play(&mut game, "j5-i5");
    assert_eq!(at(&game, "i5"), "w<");
}

#[test]
fn every_player_s_pawns_bend_turned_by_a_quarter() {
    for (men, turn, from, to) in [
        ("rPe10", 'r', "e10", ["e9", "f10"]),
        ("rPe5", 'r', "e5", ["e6", "f5"]),
        ("bPj10", 'b', "j10", ["i10", "j9"]),
        ("bPe10", 'b', "e10", ["e9", "f10"]),
        ("uPj5", 'u', "j5", ["i5", "j6"]),
        ("uPj10", 'u', "j10", ["i10", "j9"]),
    ] {
        assert_eq!(targets(&with_kings(men, turn), from), to, "{men}");
    }
}

#[test]
fn a_capture_that_both_directions_allow_keeps_the_first() {
    let game = with_kings("wPe5 bNf6 bNf4 bNd6 bNd4", 'w');
    assert_eq!(targets(&game, "e5"), ["d6", "e6", "f4", "f5", "f6"]);
    for (to, pawn) in [("f6", "wP"), ("d6", "wP"), ("f4", "w>"), ("f5", "w>")] {
        let mut game = game.clone();
        play(&mut game, &format!("e5-{to}"));
        assert_eq!(at(&game, to), pawn);
    }
}

#[test]
fn a_pawn_bends_only_once() {
    let game = with_kings("w>i5 w>j5 w<e5", 'w');
    assert_eq!(targets(&game, "j5"), ["k5"]);
    assert_eq!(targets(&game, "e5"), ["d5"]);
}

#[test]
fn there_is_no_double_step_after_a_bend() {
    let game = with_kings("w>b5", 'w');
    assert_eq!(targets(&game, "b5"), ["c5"]);
}

#[test]
fn a_pawn_promotes_where_no_square_is_ahead_of_it() {
    let game = with_kings("wPa10 wPe13 w>m5 w<b5 wPc10", 'w');
    assert_eq!(targets(&game, "a10"), ["a11=B", "a11=N", "a11=Q", "a11=R"]);
    assert_eq!(targets(&game, "e13"), ["e14=B", "e14=N", "e14=Q", "e14=R"]);
    assert_eq!(targets(&game, "m5"), ["n5=B", "n5=N", "n5=Q", "n5=R"]);
    assert_eq!(targets(&game, "b5"), ["a5=B", "a5=N", "a5=Q", "a5=R"]);
    assert_eq!(targets(&game, "c10"), ["c11=B", "c11=N", "c11=Q", "c11=R"]);
}

#[test]
fn the_direction_after_the_move_decides_on_promotion() {
    // Up, c11 is the end of its column; to the left, it is not the end of its row.
    let game = with_kings("wPd10 wPd11 bNc11", 'w');
    assert_eq!(targets(&game, "d10"), ["c11=B", "c11=N", "c11=Q", "c11=R"]);
    let game = with_kings("wPd11", 'w');
    assert_eq!(targets(&game, "d11"), ["c11", "d12"]);
}

#[test]
fn a_passed_pawn_can_be_captured_until_the_turn_comes_to_its_owner() {
    let mut game = with_kings("wPe2 bPf4", 'w');
    play(&mut game, "e2-e4 a7-a8");
    assert_eq!(targets(&game, "f4"), ["e3", "f3"]);
    let mut taken = game.clone();
    play(&mut taken, "f4-e3");
    assert_eq!([at(&taken, "e3"), at(&taken, "e4")], ["bP", ".."]);
    play(&mut game, "g14-h14 n8-n7");
    assert_eq!(game.to_text().split(' ').nth(4), Some("-"));
    play(&mut game, "h1-h2 a8-a7");
    assert_eq!(targets(&game, "f4"), ["f3"]);
}

#[test]
fn a_straight_step_onto_a_passed_square_takes_nothing() {
    let mut game = with_kings("wPe2 rPd3", 'w');
    play(&mut game, "e2-e4 d3-e3");
    assert_eq!(at(&game, "e4"), "wP");
}

#[test]
fn a_pawn_captures_en_passant_by_bending_too() {
    let mut game = with_kings("wPk11 uPm10", 'u');
    play(&mut game, "m10-k10");
    assert_eq!(targets(&game, "k11"), ["k12", "l10", "l11"]);
    play(&mut game, "k11-l10");
    assert_eq!([at(&game, "l10"), at(&game, "k10")], ["w>", ".."]);
}

#[test]
fn en_passant_takes_a_piece_on_the_passed_square_too() {
    let mut game = with_kings("wPe2 bPf4 rRd3 rRa5", 'w');
    play(&mut game, "e2-e4 d3-e3 f4-e3");
    assert_eq!(at(&game, "e4"), "..");
    assert_eq!(at(&game, "e3"), "bP");
    assert_eq!(game.to_string().matches("rR").count(), 1);
}

#[test]
fn en_passant_lapses_when_the_pawn_is_captured() {
    let mut game = with_kings("wPe2 bPf4 rRa4", 'w');
    play(&mut game, "e2-e4 a4-e4");
    assert_eq!(game.to_text().split(' ').nth(4), Some("-"));
    assert_eq!(targets(&game, "f4"), ["f3"]);
}

#[test]
fn castling_goes_two_squares_towards_the_rook() {
    let men =
        "wKh1 wRd1 wRk1 rKa7 rRa4 rRa11 bKg14 bRk14 bRd14 uKn8 uRn11 uRn4 wPg2 wPi2 rPb8 rPb6 bPh13 bPf13 uPm7 uPm9";
    let mut game = place(men, "w wrbu wKQrKQbKQuKQ - 0 0 -");
    play(&mut game, "h1-j1 a7-a5 g14-e14 n8-n10");
    assert_eq!([at(&game, "j1"), at(&game, "i1")], ["wK", "wR"]);
    assert_eq!([at(&game, "a5"), at(&game, "a6")], ["rK", "rR"]);
    assert_eq!([at(&game, "e14"), at(&game, "f14")], ["bK", "bR"]);
    assert_eq!([at(&game, "n10"), at(&game, "n9")], ["uK", "uR"]);
    let mut game = place(men, "w wrbu wKQrKQbKQuKQ - 0 0 -");
    play(&mut game, "h1-f1 a7-a9 g14-i14 n8-n6");
    assert_eq!([at(&game, "f1"), at(&game, "g1")], ["wK", "wR"]);
    assert_eq!([at(&game, "a9"), at(&game, "a8")], ["rK", "rR"]);
    assert_eq!([at(&game, "i14"), at(&game, "h14")], ["bK", "bR"]);
    assert_eq!([at(&game, "n6"), at(&game, "n7")], ["uK", "uR"]);
    assert_eq!(game.to_text().split(' ').nth(3), Some("-"));
}

#[test]
fn no_square_that_a_castling_king_leaves_crosses_or_reaches_is_attacked() {
    let king = |rook: &str| {
        let game = place(&format!("wKh1 wRd1 wRk1 rKa7 bKg14 uKn8 {rook}"), "w wrbu wKQ - 0 0 -");
        targets(&game, "h1").into_iter().filter(|to| to == "f1" || to == "j1").collect::<Vec<_>>()
    };
    assert_eq!(king("rNa5"), ["f1", "j1"]);
    assert_eq!(king("bRh12"), [""; 0], "leaves");
    assert_eq!(king("bRi12"), ["f1"], "crosses");
    assert_eq!(king("bRj12"), ["f1"], "reaches");
    assert_eq!(king("bRe12"), ["f1", "j1"], "the rook may cross an attacked square");
    assert_eq!(king("bNe1"), ["j1"], "a piece between");
}

#[test]
fn a_moved_or_captured_rook_ends_the_right_to_castle() {
    let men = "wKh1 wRd1 wRk1 rKa7 bKg14 uKn8 uRk5";
    let mut game = place(men, "w wrbu wKQ - 0 0 -");
    play(&mut game, "d1-e1");
    assert_eq!(game.to_text().split(' ').nth(3), Some("wK"));
    play(&mut game, "a7-a8 g14-h14 k5-k1");
    assert_eq!(game.to_text().split(' ').nth(3), Some("-"));
}

#[test]
fn a_pawn_on_its_diagonal_attacks_in_both_directions() {
    // White's pawn on e5 may turn right: it attacks d6, f6 and f4, but not d4.
    let game = place("wKh1 wPe5 rKe3 bKg14 uKn8", "r wrbu - - 0 0 -");
    assert!(targets(&game, "e3").contains(&"d4".into()));
    assert!(!targets(&game, "e3").contains(&"f4".into()));
}

#[test]
fn the_own_king_may_not_be_left_attacked_even_by_one_about_to_be_eliminated() {
    // Black's rooks have mated Red, who is out at the next turn; yet Red's rook pins White's.
    let mut game = place("wKh1 wRh3 rKa4 rRh9 bKg14 bRb9 bRa10 uKn8", "w wrbu - - 0 0 -");
    assert_eq!(living(&game), [1, 2, 3, 4]);
    assert!(targets(&game, "h3").iter().all(|to| to.starts_with('h')));
    play(&mut game, "h3-h4");
    assert_eq!(living(&game), [1, 3, 4]);
}

#[test]
fn whoever_s_king_is_attacked_when_the_turn_comes_to_the_attacker_is_hanged() {
    // White uncovers Red's attack on Black, who cannot answer before Red is to move.
    let mut game = with_kings("rRg5 wNg9 wPd2", 'w');
    play(&mut game, "g9-i10");
    assert_eq!(living(&game), [1, 2, 4]);
    assert_eq!(game.turn(), Player::new(1));
    assert_eq!(at(&game, "g14"), "..");
}

#[test]
fn hanging_goes_on_as_lines_open() {
    // With Black's rook and king gone, the line to Blue's king is open.
    let mut game = place("wKh1 wNd9 rKa4 rBa11 rRa9 bKg9 bPm9 uKn9 wPd2", "w wrbu - - 0 0 -");
    play(&mut game, "d9-e11");
    assert_eq!(living(&game), [1, 2]);
}

#[test]
fn a_player_in_check_without_a_legal_move_is_out() {
    let mut game = place("wKh1 wRb9 wRd10 rKa4 rPc11 bKg14 uKn8", "w wrbu - - 0 0 -");
    play(&mut game, "d10-a10");
    assert_eq!(living(&game), [1, 3, 4]);
    assert_eq!(game.turn(), Player::new(2));
    assert_eq!(at(&game, "c11"), "..");
}

#[test]
fn a_stuck_player_passes_while_three_are_living() {
    let game = place("wKh1 wRb10 rKa4 wRd5 bKg14 uKn8", "r wrbu - - 0 0 -");
    assert_eq!(texts(&game), ["-"]);
    let mut after = game.clone();
    play(&mut after, "-");
    assert_eq!(after.turn(), Player::new(2));
    assert_eq!(after.plies(), 1);
    assert!(after.to_text().contains(" - - 1 1 "), "a pass is a ply without progress");
}

#[test]
fn a_stuck_player_draws_when_two_are_living() {
    let game = place("wKh1 wRb10 rKa4 wRd5", "r wr - - 0 0 -");
    assert_eq!(payoff(&game), Some(vec![0.5, 0.5, 0.0, 0.0]));
    assert!(texts(&game).is_empty());
}

#[test]
fn the_last_player_standing_wins() {
    let mut game = place("wKh1 wRg3 bKg14 wPd2 bPk13", "b wb - - 0 0 -");
    play(&mut game, "g14-h14");
    assert_eq!(payoff(&game), None);
    let game = place("wKh1 wRg3 bKg14", "w wb - - 0 0 -");
    assert_eq!(payoff(&game), Some(vec![1.0, 0.0, 0.0, 0.0]), "hanged as the turn comes to White");
}

#[test]
fn kings_alone_are_a_draw() {
    assert_eq!(payoff(&place("wKh1 rKa7 uKn8", "w wru - - 0 0 -")), Some(vec![1.0 / 3.0, 1.0 / 3.0, 0.0, 1.0 / 3.0]));
    let mut game = place("wKh1 bKg14 bNh2", "w wb - - 0 0 -");
    assert_eq!(payoff(&game), None);
    play(&mut game, "h1-h2");
    assert_eq!(payoff(&game), Some(vec![0.5, 0.0, 0.5, 0.0]));
}

#[test]
fn the_third_occurrence_of_a_position_is_a_draw() {
    let mut game = FourPlayerChess::start(4, &(), 0);
    let shuffle = "e1-f3 a10-c9 j14-i12 n5-l6 f3-e1 c9-a10 i12-j14 l6-n5";
    play(&mut game, shuffle);
    assert!(game.history_matters(), "the start has come again");
    let plies: Vec<&str> = shuffle.split(' ').collect();
    play(&mut game, &plies[..7].join(" "));
    assert_eq!(payoff(&game), None);
    play(&mut game, plies[7]);
    assert_eq!(payoff(&game), Some(vec![0.25; 4]));
}

#[test]
fn a_lost_castling_right_makes_another_position() {
    let men = "wKh1 wRk1 bKg14 bNd14";
    let mut game = place(men, "w wb wK - 0 0 -");
    play(&mut game, "k1-k2 g14-h14 k2-k1 h14-g14 k1-k2 g14-h14 k2-k1 h14-g14");
    assert_eq!(payoff(&game), None, "twice without the right, once with it");
    play(&mut game, "k1-k2");
    assert_eq!(payoff(&game), Some(vec![0.5, 0.0, 0.5, 0.0]));
}

#[test]
fn a_text_remembers_earlier_positions() {
    let mut game = FourPlayerChess::start(4, &(), 0);
    play(
        &mut game,
        "e1-f3 a10-c9 j14-i12 n5-l6 f3-e1 c9-a10 i12-j14 l6-n5 e1-f3 a10-c9 j14-i12 n5-l6 f3-e1 c9-a10 i12-j14",
    );
    let mut read = FourPlayerChess::start(4, &(), 0).read(&game.to_text()).unwrap();
    assert_eq!(read.history_matters(), game.history_matters());
    play(&mut read, "l6-n5");
    assert_eq!(payoff(&read), Some(vec![0.25; 4]));
}

#[test]
fn fifty_plies_for_each_living_player_without_progress_are_a_draw() {
    for (men, living, limit) in [("wKh1 wNd1 bKg14", "wb", 100), ("wKh1 wNd1 bKg14 uKn8", "wbu", 150)] {
        let mut game = place(men, &format!("w {living} - - {} 400 -", limit - 1));
        assert!(game.history_matters());
        let drawn = |game: &FourPlayerChess| game.payoff().is_some();
        assert!(!drawn(&game));
        play(&mut game, "d1-e3");
        assert!(drawn(&game), "{limit}");
    }
    let mut game = place("wKh1 wNd1 bKg14 uKn8 wPd2", "w wbu - - 149 400 -");
    play(&mut game, "d2-d4");
    assert_eq!(payoff(&game), None, "a pawn move is progress");
}

#[test]
fn a_win_by_the_ply_that_reaches_the_limit_is_a_win() {
    // Black has no answer to the rooks on rows 13 and 14.
    let mut game = place("wKh1 wRa10 wRe13 bKk14", "w wb - - 99 400 -");
    play(&mut game, "a10-d10");
    assert!(game.payoff().is_some_and(|p| p.as_slice()[0] == 0.5));
    let mut game = place("wKh1 wRd5 wRe13 bKk14", "w wb - - 99 400 -");
    play(&mut game, "d5-d14");
    assert_eq!(payoff(&game), Some(vec![1.0, 0.0, 0.0, 0.0]));
}

#[test]
fn capturing_a_king_out_of_turn_eliminates_its_owner() {
    // It is Red's turn; White, to whom the turn is handed, can take Black's king.
    let mut game = place("wKh1 wRg5 rKa7 rPb4 bKg14 bPd13 uKn8", "r wrbu - - 0 0 -");
    assert_eq!(living(&game), [1, 2, 3, 4]);
    let before = game.to_text();
    game.with_turn(Player::new(0), |game| {
        let m = game.move_from_text("g5-g14").unwrap();
        game.visit(m, |child| {
            assert_eq!(living(child), [1, 2, 4]);
            assert_eq!(at(child, "d13"), "..");
        });
    });
    assert_eq!(game.to_text(), before);
}

#[test]
fn out_of_turn_a_mated_player_can_only_pass() {
    let mut game = place("wKh1 wRb9 wRa10 rKa4 rPc11 bKg14 uKn8", "u wrbu - - 0 0 -");
    let moves = game.with_turn(Player::new(1), |game| texts(game));
    assert_eq!(moves, ["-"]);
    assert_eq!(living(&game), [1, 2, 3, 4]);
}

#[test]
fn reading_counts_as_the_turn_coming_to_the_player_to_move() {
    let game = place("wKh1 wRg3 rKa7 rPb7 bKg14 uKn8", "w wrbu - - 7 30 -");
    assert_eq!(living(&game), [1, 2, 4]);
    assert!(game.to_text().ends_with(" w wru - - 0 30 -"));
    let game = place(&format!("{KINGS} wPe4 bPg12"), "w wrbu - e3 0 9 -");
    assert!(game.to_text().ends_with(" w wrbu - - 0 9 -"), "what White passed lapses as White is to move");
}

#[test]
fn impossible_texts_are_refused_with_the_reason() {
    let error = |men: &str, rest: &str| try_place(men, rest).map(|_| ()).unwrap_err().to_string();
    let cases = [
        ("wKh1 rKa7 bKg14", "w wrbu - - 0 0 -", "king of Blue"),
        ("wKh1 wKh2 bKg14", "w wb - - 0 0 -", "one king of White"),
        ("wKh1 bKg14 rPb4", "w wb - - 0 0 -", "Red among the living"),
        ("wKh1 bKg14", "r wb - - 0 0 -", "player to move"),
        ("wKh1 bKg14", "w bw - - 0 0 -", "order wrbu"),
        ("wKh1 bKg14 wPe14", "w wb - - 0 0 -", "no such pawn on e14"),
        ("wKh1 bKg14 wPe1", "w wb - - 0 0 -", "no such pawn on e1"),
        ("wKh1 bKg14 wve5", "w wb - - 0 0 -", "a piece"),
        ("wKh1 bKg14 wRk1", "w wb wQ - 0 0 -", "rook on d1"),
        ("wKh1 bKg14 wRk1", "w wb w - 0 0 -", "K, Q or KQ"),
        ("wKh1 bKg14 wPe4", "b wb - f3 0 0 -", "passed"),
        ("wKh1 bKg14 wPe4", "b wb - e9 0 0 -", "passed"),
        ("wKh1 bKg14 wPe4", "b wb - c3 0 0 -", "a square"),
        ("wKh1 bKg14", "w wb - - 101 200 -", "from 0 to 100"),
        ("wKh1 bKg14", "w wb - - 5 4 -", "plies played"),
        ("wKh1 bKg14", "w wb - - 5 5 zz", "16 hexadecimal"),
        ("wKh1 bKg14", "w wb - - 1 5 0000000000000001,0000000000000002", "at most 1"),
        ("wKh1 bKg14", "w wb - - 5 5 0000000000000002,0000000000000001", "ascending"),
        ("wKh1 bKg14", "w wb - - 0 0 - x", "the end"),
        ("wKh1 bKg14", "w wb - - 0", "plies played"),
    ];
    for (men, rest, reason) in cases {
        let message = error(men, rest);
        assert!(message.contains(reason), "{men} {rest}: {message}");
    }
    let nine = "wPd2 wPe2 wPf2 wPg2 wPh2 wPi2 wPj2 wPk2 wQd1 wQe1";
    assert!(error(&format!("wKh1 bKg14 {nine}"), "w wb - - 0 0 -").contains("eight pawns of White"));
}
