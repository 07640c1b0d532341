//! Focus against a slow reference, written from the rules, and rule by rule.

use std::collections::{BTreeMap, BTreeSet};

use crate::walk::{Line, perft_lines};
use nply::{Declaration, Evaluator, Game, MoveOrder, Noisy, Notation, OutOfTurn, Player, Rng, Stance};
use nply_games::focus::{Eval, Focus, Move, Options, Order, Rules};

const LIMIT: u32 = 300;
const PLAYERS: &[usize] = Focus::PLAYERS;

fn start(players: usize, rules: Rules, limit: u32) -> Focus {
    Focus::start(players, &Options { rules, limit }, 0)
}

const BOTH: [Rules; 2] = [Rules::Short, Rules::Standard];

/// The rules with nothing clever: a field is a column and a row, a stack a list of letters from the bottom to the top.
#[derive(Clone)]
struct Slow {
    colors: Vec<char>,
    rules: Rules,
    limit: u32,
    stacks: BTreeMap<(char, char), Vec<char>>,
    reserve: BTreeMap<char, u32>,
    /// By captor and color.
    captured: BTreeMap<(char, char), u32>,
    turn: usize,
    ply: u32,
    winner: Option<char>,
}

impl Slow {
    fn start(players: usize, rules: Rules, limit: u32) -> Slow {
        let drawn = match players {
            2 => "..____.. .RRGGRR. _GGRRGG_ _RRGGRR_ _GGRRGG_ _RRGGRR_ .GGRRGG. ..____..",
            3 => "..____.. .RRBBGG. _GGRRBB_ _BBGGRR_ _RRBBGG_ _GGRRBB_ .BBGGRR. ..____..",
            4 => "..BBRY.. .YYYRYR. BBBBRYRY YYYYRYRY GBGBGGGG GBGBRRRR .BGBGGG. ..GBRR..",
            _ => unreachable!(),
        };
        let mut stacks = BTreeMap::new();
        for (line, row) in drawn.split(' ').zip("87654321".chars()) {
            for (letter, column) in line.chars().zip("abcdefgh".chars()) {
                match letter {
                    '.' => None,
                    '_' => stacks.insert((column, row), vec![]),
                    piece => stacks.insert((column, row), vec![piece]),
                };
            }
        }
        let colors: Vec<char> = "RGBY".chars().take(players).collect();
        let reserve = colors.iter().map(|&color| (color, 0)).collect();
        let pairs = colors.iter().flat_map(|&captor| colors.iter().map(move |&color| ((captor, color), 0)));
        let captured = pairs.collect();
        Slow { colors, rules, limit, stacks, reserve, captured, turn: 0, ply: 0, winner: None }
    }

    /// The same position as a game that is not over.
    fn of(game: &Focus, rules: Rules, limit: u32) -> Slow {
        let mut slow = Slow::start(game.player_count(), rules, limit);
        let text = game.to_text();
        let words: Vec<&str> = text.split(' ').collect();
        for (line, row) in words[0].split('/').zip("87654321".chars()) {
            let mut columns = "abcdefgh".chars();
            let (mut inside, mut stack) = (false, vec![]);
            for letter in line.chars() {
                match letter {
                    '(' => inside = true,
                    ')' => inside = false,
                    '.' | '_' => (),
                    piece => stack.push(piece),
                }
                if !inside {
                    let column = columns.next().unwrap();
                    slow.stacks.entry((column, row)).and_modify(|old| *old = stack.clone());
                    stack.clear();
                }
            }
        }
        slow.turn = game.turn().index();
        for (color, count) in slow.colors.clone().iter().zip(words[2].split(',')) {
            slow.reserve.insert(*color, count.parse().unwrap());
        }
        for (captor, list) in slow.colors.clone().iter().zip(words[3].split('/')) {
            for (color, count) in slow.colors.clone().iter().zip(list.split(',')) {
                slow.captured.insert((*captor, *color), count.parse().unwrap());
            }
        }
        slow.ply = words[4].parse().unwrap();
        slow
    }

    fn is_over(&self) -> bool {
        self.winner.is_some() || self.ply >= self.limit
    }

    /// The moves of a color, without the pass.
    fn actions(&self, color: char) -> BTreeSet<String> {
        let mut actions = BTreeSet::new();
        for (&(column, row), stack) in &self.stacks {
            if self.reserve[&color] > 0 {
                actions.insert(format!("@{column}{row}"));
            }
            if stack.last() != Some(&color) {
                continue;
            }
            for k in 1..=stack.len() as i32 {
                for (x, y) in [(k, 0), (-k, 0), (0, k), (0, -k)] {
                    let shifted = |c: char, by: i32| char::from_u32((c as i32 + by) as u32).unwrap();
                    let to = (shifted(column, x), shifted(row, y));
                    if self.stacks.contains_key(&to) {
                        actions.insert(format!("{column}{row}-{}{}", to.0, to.1));
                    }
                }
            }
        }
        actions
    }

    fn moves(&self) -> Vec<String> {
        if self.is_over() {
            return vec![];
        }
        let actions = self.actions(self.colors[self.turn]);
        if actions.is_empty() { vec!["-".into()] } else { actions.into_iter().collect() }
    }

    fn play(&mut self, m: &str) {
        let mover = self.colors[self.turn];
        let letters: Vec<char> = m.chars().collect();
        let lifted = match letters[..] {
            ['@', column, row] => {
                *self.reserve.get_mut(&mover).unwrap() -= 1;
                Some((vec![mover], (column, row)))
            }
            [column, row, '-', to_column, to_row] => {
                let k = (column as i32 - to_column as i32).abs() + (row as i32 - to_row as i32).abs();
                let stack = self.stacks.get_mut(&(column, row)).unwrap();
                let top = stack.split_off(stack.len() - k as usize);
                Some((top, (to_column, to_row)))
            }
            _ => None,
        };
        if let Some((pieces, to)) = lifted {
            let stack = self.stacks.get_mut(&to).unwrap();
            stack.extend(pieces);
            while stack.len() > 5 {
                let piece = stack.remove(0);
                if piece == mover {
                    *self.reserve.get_mut(&mover).unwrap() += 1;
                } else {
                    *self.captured.get_mut(&(mover, piece)).unwrap() += 1;
                }
            }
        }
        self.ply += 1;
        self.turn = (self.turn + 1) % self.colors.len();
        if (self.rules == Rules::Short && self.has_captures(mover)) || self.is_alone(mover) {
            self.winner = Some(mover);
        }
    }

    fn has_captures(&self, mover: char) -> bool {
        let counts: Vec<u32> =
            self.colors.iter().filter(|&&c| c != mover).map(|&c| self.captured[&(mover, c)]).collect();
        let total: u32 = counts.iter().sum();
        match self.colors.len() {
            2 => total >= 6,
            3 => total >= 10 || counts.iter().all(|&count| count >= 3),
            _ => total >= 10 || counts.iter().all(|&count| count >= 2),
        }
    }

    fn is_alone(&self, mover: char) -> bool {
        self.colors.iter().filter(|&&c| c != mover).all(|&c| self.actions(c).is_empty())
    }

    fn payoff(&self) -> Option<Vec<f32>> {
        let share = |&color: &char| match self.winner {
            Some(winner) => (winner == color) as u32 as f32,
            None => 1.0 / self.colors.len() as f32,
        };
        self.is_over().then(|| self.colors.iter().map(share).collect())
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in "87654321".chars() {
            for column in "abcdefgh".chars() {
                match self.stacks.get(&(column, row)) {
                    None => text.push('.'),
                    Some(stack) if stack.is_empty() => text.push('_'),
                    Some(stack) if stack.len() == 1 => text.push(stack[0]),
                    Some(stack) => text.push_str(&format!("({})", String::from_iter(stack))),
                }
            }
            text.push('/');
        }
        text.pop();
        let list = |counts: Vec<u32>| counts.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let reserve = list(self.colors.iter().map(|c| self.reserve[c]).collect());
        let by = |&captor: &char| list(self.colors.iter().map(|&c| self.captured[&(captor, c)]).collect());
        let captured: Vec<String> = self.colors.iter().map(by).collect();
        format!("{text} {} {reserve} {} {}", self.colors[self.turn], captured.join("/"), self.ply)
    }

    /// −1000 × pieces needed + squared heights; 600 − 100 × pieces needed + stacks.
    fn scores(&self, player: usize) -> [i32; 2] {
        let own = self.colors[player];
        let others: Vec<char> = self.colors.iter().copied().filter(|&c| c != own).collect();
        let controlled = |c: char| self.stacks.values().filter(|stack| stack.last() == Some(&c)).count() as i32;
        let needed = match self.rules {
            Rules::Standard => others.iter().map(|&c| controlled(c) + self.reserve[&c] as i32).sum(),
            Rules::Short => {
                let (total, each) = [(6, 6), (10, 3), (10, 2)][self.colors.len() - 2];
                let counts: Vec<i32> = others.iter().map(|&c| self.captured[&(own, c)] as i32).collect();
                let of_each: i32 = counts.iter().map(|&count| (each - count).max(0)).sum();
                of_each.min((total - counts.iter().sum::<i32>()).max(0))
            }
        };
        let height = |(below, _): (usize, _)| (below as i32 + 1).pow(2);
        let pieces = self.stacks.values().flat_map(|stack| stack.iter().enumerate());
        let heights: i32 = pieces.filter(|&(_, &c)| c == own).map(height).sum();
        [heights - 1000 * needed, 600 - 100 * needed + controlled(own)]
    }
}

fn names(game: &Focus) -> Vec<String> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.iter().map(|&m| game.move_to_text(m)).collect()
}

fn play(game: &mut Focus, text: &str) {
    let m = game.move_from_text(text).unwrap_or_else(|error| panic!("{error}"));
    game.play(m);
}

/// A game where half of the moves are the boldest: stacks grow, players get stuck, somebody wins.
fn bold_move(game: &Focus, rng: &mut Rng) -> Move {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    if rng.below(2) == 0 { Order.first(game, Stance::Own, &moves) } else { rng.pick(&moves) }
}

/// Every position of some games, half of them bold.
fn see_games(start: &Focus, games: u64, mut see: impl FnMut(&Focus)) {
    for seed in 0..games {
        let (mut game, mut rng) = (start.clone(), Rng::new(seed));
        loop {
            see(&game);
            if game.payoff().is_some() {
                break;
            }
            let bold = seed % 2 == 0;
            let m = if bold { bold_move(&game, &mut rng) } else { game.random_move(&mut Vec::new(), &mut rng) };
            game.play(m);
        }
    }
}

fn agree(game: &Focus, slow: &Slow) {
    assert_eq!(game.to_text(), slow.text());
    assert_eq!(game.turn().index(), slow.turn);
    assert_eq!(names(game), slow.moves(), "{game}");
    assert_eq!(game.payoff().map(|payoff| payoff.as_slice().to_vec()), slow.payoff(), "{game}");
}

#[test]
fn every_position_of_many_games_is_as_the_rules_say() {
    let (mut positions, mut passes, mut wins, mut draws) = (0, 0, [0; 2], 0);
    for &players in PLAYERS {
        for (rules, wins) in BOTH.into_iter().zip(&mut wins) {
            for seed in 0..40 {
                let limit = if seed % 10 == 9 { 20 } else { LIMIT };
                let mut game = start(players, rules, limit);
                let mut slow = Slow::start(players, rules, limit);
                let mut rng = Rng::new(seed);
                agree(&game, &slow);
                while !slow.is_over() {
                    let m = if seed < 10 {
                        game.random_move(&mut Vec::new(), &mut rng)
                    } else {
                        bold_move(&game, &mut rng)
                    };
                    let m = m.to_string();
                    passes += u32::from(m == "-");
                    play(&mut game, &m);
                    slow.play(&m);
                    agree(&game, &slow);
                    positions += 1;
                }
                *wins += u32::from(slow.winner.is_some());
                draws += u32::from(slow.winner.is_none());
            }
        }
    }
    assert!(
        positions > 20_000 && passes > 20 && draws > 20 && wins[0] > 50 && wins[1] > 20,
        "{positions} positions, {passes} passes, {wins:?} wins, {draws} draws"
    );
}

#[test]
fn turns_handed_to_anybody_are_as_the_rules_say() {
    let (mut passes, mut wins) = (0, 0);
    for &players in PLAYERS {
        for rules in BOTH {
            for seed in 0..30 {
                let mut game = start(players, rules, LIMIT);
                let mut slow = Slow::start(players, rules, LIMIT);
                let mut rng = Rng::new(seed);
                while !slow.is_over() {
                    slow.turn = rng.below(players);
                    game = game.with_turn(Player::new(slow.turn), |handed| {
                        agree(handed, &slow);
                        let m = bold_move(handed, &mut rng);
                        passes += u32::from(m == Move::PASS);
                        slow.play(&m.to_string());
                        handed.visit(m, |child| child.clone())
                    });
                    agree(&game, &slow);
                    let start = start(players, rules, LIMIT);
                    agree(&start.read(&game.to_text()).unwrap(), &slow);
                    wins += u32::from(slow.winner.is_some());
                }
            }
        }
    }
    assert!(passes > 50 && wins > 50, "{passes} passes, {wins} wins");
}

#[test]
fn bold_positions_keep_what_every_game_promises() {
    for &players in PLAYERS {
        for rules in BOTH {
            let start = start(players, rules, LIMIT);
            see_games(&start, 20, |game| {
                let again = start.read(&game.to_text()).unwrap();
                assert_eq!(again.key(), game.key(), "{game}");
                assert_eq!(again.payoff(), game.payoff(), "{game}");
                assert_eq!(names(&again), names(game), "{game}");
            });
        }
    }
}

#[test]
fn a_random_move_is_the_one_the_same_draw_picks_from_the_list() {
    for &players in PLAYERS {
        see_games(&start(players, Rules::Standard, LIMIT), 20, |game| {
            let mut moves = Vec::new();
            game.moves(&mut moves);
            if !moves.is_empty() {
                let mut rng = Rng::new(game.key());
                assert_eq!(game.random_move(&mut Vec::new(), &mut rng.clone()), rng.pick(&moves), "{game}");
            }
        });
    }
}

#[test]
fn moves_are_listed_in_the_order_of_the_notation() {
    for &players in PLAYERS {
        see_games(&start(players, Rules::Short, LIMIT), 10, |game| assert!(names(game).is_sorted(), "{game}"));
    }
}

#[test]
fn perft_agrees_with_the_reference() {
    for Line { text, options, game, numbers, .. } in perft_lines::<Focus>() {
        let slow = Slow::of(&game, options.rules, options.limit);
        for (depth, count) in (1..=2).zip(numbers) {
            assert_eq!(Some(slow_perft(&slow, depth)), count, "depth {depth} of {text}");
        }
    }
}

fn slow_perft(slow: &Slow, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let child = |m: &String| {
        let mut child = slow.clone();
        child.play(m);
        slow_perft(&child, depth - 1)
    };
    slow.moves().iter().map(child).sum()
}

/// A position with stacks such as `c3 RGB`, from the bottom to the top.
fn position(players: usize, stacks: &str, rest: &str) -> String {
    let stacks: Vec<&str> = stacks.split(' ').collect();
    let mut board = String::new();
    for row in "87654321".chars() {
        for column in "abcdefgh".chars() {
            let name = format!("{column}{row}");
            let corner = !Slow::start(players, Rules::Short, LIMIT).stacks.contains_key(&(column, row));
            match stacks.chunks(2).find(|pair| pair[0] == name) {
                Some(pair) if pair[1].len() == 1 => board.push_str(pair[1]),
                Some(pair) => board.push_str(&format!("({})", pair[1])),
                None => board.push(if corner { '.' } else { '_' }),
            }
        }
        board.push(if row == '1' { ' ' } else { '/' });
    }
    board + rest
}

fn set_up(players: usize, rules: Rules, stacks: &str, rest: &str) -> Focus {
    let text = position(players, stacks, rest);
    let game = start(players, rules, LIMIT).read(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(game.to_text(), text);
    game
}

/// The winner after a move.
fn winner(game: &Focus, m: &str) -> Option<usize> {
    let mut game = game.clone();
    play(&mut game, m);
    let payoff = game.payoff()?;
    payoff.as_slice().iter().position(|&share| share == 1.0)
}

#[test]
fn the_top_pieces_move_exactly_as_far_as_they_are_many() {
    let mut game = set_up(2, Rules::Short, "d4 GRR h6 G", "R 0,0 0,0/0,0 0");
    assert_eq!(names(&game).join(" "), "d4-a4 d4-b4 d4-c4 d4-d1 d4-d2 d4-d3 d4-d5 d4-d6 d4-d7 d4-e4 d4-f4 d4-g4");
    play(&mut game, "d4-f4");
    assert_eq!(game.to_text(), position(2, "d4 G f4 RR h6 G", "G 0,0 0,0/0,0 1"));
}

#[test]
fn a_stack_moves_over_anything_but_never_into_a_corner() {
    let game = set_up(2, Rules::Short, "b2 RRR b3 G b4 GGGGG c2 G", "R 0,0 0,0/0,0 0");
    assert_eq!(names(&game).join(" "), "b2-b3 b2-b4 b2-b5 b2-c2 b2-d2 b2-e2");
    let mut game = set_up(2, Rules::Short, "b2 RRR b3 G b4 GGGGG c2 G", "R 0,0 0,0/0,0 0");
    play(&mut game, "b2-b5");
    assert_eq!(game.to_text(), position(2, "b3 G b4 GGGGG b5 RRR c2 G", "G 0,0 0,0/0,0 1"));
}

#[test]
fn what_is_over_five_leaves_at_the_bottom_own_pieces_to_the_reserve() {
    let mut game = set_up(3, Rules::Short, "c3 BGR f3 GRBGB h4 B", "R 0,0,0 0,0,0/0,0,0/0,0,0 7");
    play(&mut game, "c3-f3");
    assert_eq!(game.to_text(), position(3, "f3 GBBGR h4 B", "G 1,0,0 0,1,1/0,0,0/0,0,0 8"));
}

#[test]
fn whoever_is_uncovered_controls_the_rest_of_a_split_stack() {
    let mut game = set_up(2, Rules::Short, "c3 GR e8 G", "R 0,0 0,0/0,0 0");
    play(&mut game, "c3-d3");
    assert_eq!(game.stacks(Player::new(1)), 2);
    assert!(names(&game).contains(&"c3-d3".to_string()));
}

#[test]
fn a_piece_of_the_reserve_goes_on_any_field() {
    let game = set_up(2, Rules::Short, "c3 GRGRG e8 R", "R 2,0 0,0/0,0 0");
    let placements = names(&game).iter().filter(|name| name.starts_with('@')).count();
    assert_eq!(placements, 52);
    for (m, stacks, rest) in [
        ("@a3", "a3 R c3 GRGRG e8 R", "G 1,0 0,0/0,0 1"),
        ("@e8", "c3 GRGRG e8 RR", "G 1,0 0,0/0,0 1"),
        ("@c3", "c3 RGRGR e8 R", "G 1,0 0,1/0,0 1"),
    ] {
        let mut game = game.clone();
        play(&mut game, m);
        // Taking the last green stack wins, so the position may be over; it is written all the same.
        assert_eq!(game.to_text(), position(2, stacks, rest), "{m}");
    }
}

#[test]
fn a_placement_on_a_full_stack_of_own_pieces_gives_one_back() {
    let mut game = set_up(2, Rules::Short, "c3 RGGGG e8 G", "R 1,0 0,0/0,0 0");
    play(&mut game, "@c3");
    assert_eq!(game.to_text(), position(2, "c3 GGGGR e8 G", "G 1,0 0,0/0,0 1"));
}

#[test]
fn a_player_who_can_do_nothing_passes_and_moves_again_later() {
    for rules in BOTH {
        let mut game = set_up(3, rules, "c3 GR e5 B", "G 0,0,0 0,0,0/0,0,0/0,0,0 0");
        assert_eq!(names(&game), ["-"]);
        for m in ["-", "e5-e6", "c3-d3", "c3-c4"] {
            assert_eq!(game.payoff(), None);
            play(&mut game, m);
        }
        assert_eq!(game.to_text(), position(3, "c4 G d3 R e6 B", "B 0,0,0 0,0,0/0,0,0/0,0,0 4"));
    }
}

#[test]
fn several_players_can_be_stuck_at_once() {
    let mut game = set_up(4, Rules::Short, "c3 GBR e5 Y", "G 0,0,0,0 0,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0 0");
    for m in ["-", "-"] {
        assert_eq!(names(&game), [m]);
        play(&mut game, m);
        assert_eq!(game.payoff(), None, "a pass wins nothing");
    }
    assert_eq!(winner(&game, "e5-d5"), None);
    let mut alone = set_up(4, Rules::Short, "c3 GBR c4 Y", "Y 0,0,0,0 0,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0 0");
    assert_eq!(winner(&alone, "c4-c3"), Some(3));
    play(&mut alone, "c4-d4");
    assert_eq!(alone.payoff(), None);
}

#[test]
fn captures_win_the_short_game_at_once() {
    // Red's move captures the bottom piece of the full stack; the captures before it are given.
    for (players, color, captures, expected) in [
        (2, 'G', "0,5/0,0", Some(0)),
        (2, 'G', "0,4/0,0", None),
        (3, 'G', "0,2,3/0,0,0/0,0,0", Some(0)),
        (3, 'G', "0,2,7/0,0,0/0,0,0", Some(0)),
        (3, 'G', "0,7,2/0,0,0/0,0,0", Some(0)),
        (3, 'B', "0,7,2/0,0,0/0,0,0", Some(0)),
        (3, 'G', "0,1,4/0,0,0/0,0,0", None),
        (3, 'G', "0,6,2/0,0,0/0,0,0", None),
        (4, 'G', "0,1,2,2/0,0,0,0/0,0,0,0/0,0,0,0", Some(0)),
        (4, 'G', "0,8,1,0/0,0,0,0/0,0,0,0/0,0,0,0", Some(0)),
        (4, 'Y', "0,8,1,0/0,0,0,0/0,0,0,0/0,0,0,0", Some(0)),
        (4, 'G', "0,7,1,0/0,0,0,0/0,0,0,0/0,0,0,0", None),
        (4, 'G', "0,1,1,4/0,0,0,0/0,0,0,0/0,0,0,0", None),
    ] {
        let zeros = vec!["0"; players].join(",");
        let stacks = format!("c3 R d3 {color}RRRR f6 G f7 G");
        let game = set_up(players, Rules::Short, &stacks, &format!("R {zeros} {captures} 50"));
        assert_eq!(winner(&game, "c3-d3"), expected, "{players} players, {captures}, takes {color}");
        let standard = set_up(players, Rules::Standard, &stacks, &format!("R {zeros} {captures} 50"));
        assert_eq!(winner(&standard, "c3-d3"), None, "the standard game is not won by captures");
    }
}

#[test]
fn own_pieces_are_no_captures() {
    let game = set_up(2, Rules::Short, "c3 RR e3 RRRRR f6 G", "R 9,0 0,5/0,0 50");
    assert_eq!(winner(&game, "c3-e3"), None);
}

#[test]
fn whoever_leaves_nobody_else_able_wins() {
    for rules in BOTH {
        let last = set_up(3, rules, "c3 BR c4 G f6 R", "R 0,0,0 0,0,0/0,0,0/0,0,0 50");
        assert_eq!(winner(&last, "f6-f7"), None, "Green can move");
        assert_eq!(winner(&last, "c3-c4"), None, "Blue is uncovered");
        let last = set_up(3, rules, "c3 BR c4 G d4 R", "R 0,0,0 0,0,0/0,0,0/0,0,0 50");
        assert_eq!(winner(&last, "d4-c4"), Some(0));
        let reserve = set_up(3, rules, "c3 BR c4 G d4 R", "R 0,0,1 0,0,0/0,0,0/0,0,0 50");
        assert_eq!(winner(&reserve, "d4-c4"), None, "Blue can place");
    }
}

#[test]
fn the_limit_is_a_draw_unless_the_last_ply_wins() {
    for &players in PLAYERS {
        for rules in BOTH {
            let zeros = vec!["0"; players].join(",");
            let captures = vec![zeros.clone(); players].join("/");
            let game = set_up(players, rules, "c3 R c4 G", &format!("R {zeros} {captures} 299"));
            assert_eq!(winner(&game, "c3-c4"), Some(0));
            let mut drawn = game.clone();
            play(&mut drawn, "c3-d3");
            assert_eq!(drawn.payoff().unwrap().as_slice(), vec![1.0 / players as f32; players]);
            assert_eq!(names(&drawn), [""; 0]);
            let again = start(players, rules, LIMIT).read(&drawn.to_text()).unwrap();
            assert_eq!(again.payoff(), drawn.payoff());
        }
    }
    assert!(start(2, Rules::Short, 0).payoff().is_some());
}

#[test]
fn history_matters_when_the_limit_is_near() {
    assert!(!set_up(2, Rules::Short, "c3 R c4 G", "R 0,0 0,0/0,0 235").history_matters());
    assert!(set_up(2, Rules::Short, "c3 R c4 G", "R 0,0 0,0/0,0 236").history_matters());
}

#[test]
fn a_finished_game_reads_back_as_finished() {
    for (stacks, rest) in [
        ("c3 RRR c4 G", "G 0,0 0,6/0,0 20"),
        ("c3 RRR c4 RG", "R 0,0 0,0/6,0 300"),
        ("c3 RRR c4 GR", "G 1,0 0,1/0,0 20"),
    ] {
        let game = set_up(2, Rules::Short, stacks, rest);
        let payoff = game.payoff().unwrap();
        assert_eq!(payoff[game.turn()], 0.0, "who is to move has lost");
        assert_eq!(payoff.sum(), 1.0);
        assert_eq!(names(&game), [""; 0]);
    }
}

#[test]
fn errors_say_where_and_what() {
    let start = start(2, Rules::Short, LIMIT);
    let good = start.to_text();
    let few = |rest: &str| position(2, "c3 RG d3 R", rest);
    for (text, expected) in [
        (String::new(), "expected the board at character 1, found the end"),
        (good.replacen("..", "__", 1), "expected `.`, a corner at character 1, found \"______../.RRGGRR./_G\"…"),
        (good.replacen("R", "B", 1), "expected `_`, `(` or a piece, one of RG at character 11, found"),
        (good.replacen("R", "(R)", 1), "expected a piece, one of RG at character 13, found"),
        (
            good.replacen("G_", "(GG_", 1),
            "expected `)` or a piece, one of RG at character 28, found \"_/_RRGGRR_/_GGRRGG_/",
        ),
        (good.replacen("R", "(RRRRRR)", 1), "expected `)`, as a stack has at most five pieces at character 17, found"),
        (good.replacen("_", "R", 1), "expected no more than 18 pieces of Red at character 59, found"),
        (good.replacen("/", "", 1), "expected `/`, the next row at character 9, found"),
        (good.replace(" R ", "_ R "), "expected the end of the board at character 72, found \"_ R 0,0 0,0/0,0 0\""),
        (
            good.replace(" R ", " Y "),
            "expected the color to move, one of RG at character 73, found \"Y 0,0 0,0/0,0 0\"",
        ),
        (
            good.replace(" 0,0 ", " 0 "),
            "expected 2 numbers, separated by commas at character 75, found \"0 0,0/0,0 0\"",
        ),
        (good.replace(" 0,0 ", " 0,+1 "), "expected a number of pieces at character 77, found \"+1 0,0/0,0 0\""),
        (good.replace(" 0,0 ", " 1,0 "), "expected at most 0, as Red has no more pieces at character 75, found"),
        (
            good.replace("/0,0 0", " 0"),
            "expected 2 lists of captures, separated by `/` at character 79, found \"0,0 0\"",
        ),
        (few("R 0,0 1,0/0,0 0"), "expected 0, as Red's own go to the reserve at character 82, found \"1,0/0,0 0\""),
        (few("R 9,0 0,0/8,0 0"), "expected at most 7, as Red has no more pieces at character 86, found \"8,0 0\""),
        (few("R 0,0 0,6/0,0 9"), "expected G, as Red has won and so must have moved last at character 76, found"),
        (few("R 0,0 0,0/0,0 301"), "expected the number of plies played, from 0 to 300 at character 90, found \"301\""),
        (few("R 0,0 0,0/0,0 3 x"), "expected the end at character 92, found \"x\""),
        (few("R 0,0 0,0/0,0"), "expected the number of plies played, from 0 to 300 at character 89, found the end"),
        (
            position(2, "c3 R", "R 0,0 0,0/0,0 3"),
            "expected G, as Red has won and so must have moved last at character 73",
        ),
        (
            position(2, "", "R 0,0 0,0/0,0 3"),
            "expected a board or reserves with a piece to move at character 73, found",
        ),
    ] {
        let error = start.read(&text).expect_err(&text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn the_key_tells_everything_that_matters() {
    let texts = [
        ("c3 RG d3 R f6 G", "R 0,0 0,0/0,0 3"),
        ("c3 GR d3 R f6 G", "R 0,0 0,0/0,0 3"),
        ("c3 RG d4 R f6 G", "R 0,0 0,0/0,0 3"),
        ("c3 RG d3 R f6 G", "G 0,0 0,0/0,0 3"),
        ("c3 RG d3 R f6 G", "R 1,0 0,0/0,0 3"),
        ("c3 RG d3 R f6 G", "R 0,1 0,0/0,0 3"),
        ("c3 RG d3 R f6 G", "R 0,0 0,1/0,0 3"),
        ("c3 RG d3 R f6 G", "R 0,0 0,0/1,0 3"),
    ];
    let keys: BTreeSet<u64> = texts.iter().map(|(stacks, rest)| set_up(2, Rules::Short, stacks, rest).key()).collect();
    assert_eq!(keys.len(), texts.len());
    let later = set_up(2, Rules::Short, "c3 RG d3 R f6 G", "R 0,0 0,0/0,0 99");
    assert!(keys.contains(&later.key()), "the number of plies does not");
}

#[test]
fn positions_are_drawn_so_that_stacks_can_be_read() {
    let game = set_up(3, Rules::Short, "c8 RGB b7 R e5 BGRGR", "B 2,0,0 0,1,2/0,0,0/0,0,0 9");
    assert_eq!(
        game.to_string().lines().collect::<Vec<_>>(),
        [
            "8             RGB   .     .     .",
            "7       R     .     .     .     .     .",
            "6 .     .     .     .     .     .     .     .",
            "5 .     .     .     .     BGRGR .     .     .",
            "4 .     .     .     .     .     .     .     .",
            "3 .     .     .     .     .     .     .     .",
            "2       .     .     .     .     .     .",
            "1             .     .     .     .",
            "  a     b     c     d     e     f     g     h",
            "  Red     2 stacks,  2 in reserve, captured G BB",
            "  Green   0 stacks,  0 in reserve",
            "> Blue    1 stack,  0 in reserve",
            "ply 10 of 300",
        ]
    );
    assert!(format!("{game:#}").contains("\x1b[1;31mR\x1b[0m\x1b[1;32mG\x1b[0m\x1b[1;34mB\x1b[0m"));
}

#[test]
fn evaluations_are_what_the_papers_say() {
    for (players, height, stacks) in [(2, 18 - 6000, 18), (3, 12 - 6000, 12), (4, 13 - 6000, 13)] {
        let start = start(players, Rules::Short, LIMIT);
        assert_eq!(Eval::Height.evaluate(&start).as_slice(), vec![height; players]);
        assert_eq!(Eval::Stacks.evaluate(&start).as_slice(), vec![stacks; players]);
    }
    // Red needs 2 for three of each and 4 for ten in all.
    let game = set_up(3, Rules::Short, "c8 RGR b7 R e5 BGBGB", "B 2,0,0 0,1,5/0,0,0/0,0,0 9");
    assert_eq!(Eval::Height.evaluate(&game).as_slice(), [1 + 9 + 1 - 2000, 4 + 4 + 16 - 6000, 1 + 9 + 25 - 6000]);
    assert_eq!(Eval::Stacks.evaluate(&game).as_slice(), [600 - 200 + 2, 0, 1]);
    // Now 1 for ten in all.
    let game = set_up(3, Rules::Short, "c8 RGR b7 R e5 BGBGB", "B 2,0,0 0,0,9/0,0,0/0,0,0 9");
    assert_eq!(Eval::Stacks.evaluate(&game).as_slice(), [600 - 100 + 2, 0, 1]);
    // The standard game counts what others can still move.
    let game = set_up(3, Rules::Standard, "c8 RGR b7 R e5 BGBGB", "B 2,0,0 0,0,9/0,0,0/0,0,0 9");
    assert_eq!(Eval::Stacks.evaluate(&game).as_slice(), [600 - 100 + 2, 600 - 500, 600 - 400 + 1]);
}

/// The evaluations for these rules.
fn evaluations(rules: Rules) -> Vec<Eval> {
    let fitted = (rules == Rules::Short).then_some(Eval::Regression);
    [Eval::Height, Eval::Stacks].into_iter().chain(fitted).collect()
}

#[test]
fn kept_values_equal_fresh_ones_and_keep_within_the_bounds() {
    for &players in PLAYERS {
        for rules in BOTH {
            let start = start(players, rules, LIMIT);
            for (which, eval) in evaluations(rules).into_iter().enumerate() {
                let noisy = Noisy { inner: eval, most: Focus::noise(&eval), dice: nply::Dice::new(3) };
                let at_start = eval.bounds(&start);
                see_games(&start, 12, |game| {
                    let (bounds, scores) = (eval.bounds(game), eval.scores(game));
                    if game.payoff().is_none() && eval != Eval::Regression {
                        let slow = Slow::of(game, rules, LIMIT);
                        let expected: Vec<i32> = (0..players).map(|player| slow.scores(player)[which]).collect();
                        assert_eq!(scores.as_slice(), expected, "{game}");
                    }
                    assert!(scores.sum() <= at_start.max_sum.min(bounds.max_sum), "{scores:?}\n{game}");
                    for (player, score) in scores.iter() {
                        assert!(score >= at_start.min[player].max(bounds.min[player]), "{scores:?}\n{game}");
                        assert_eq!(eval.evaluate_for(game, player), eval.evaluate(game)[player]);
                    }
                    assert!(noisy.scores(game).sum() <= noisy.bounds(game).max_sum);
                });
            }
        }
    }
}

#[test]
fn a_win_is_better_and_a_loss_is_worse_than_any_open_position() {
    for &players in PLAYERS {
        for rules in BOTH {
            let start = start(players, rules, LIMIT);
            for eval in evaluations(rules) {
                let difference = |game: &Focus, player| 2 * eval.scores(game)[player] - eval.scores(game).sum();
                let (mut open, mut won, mut lost) = ([i32::MAX, i32::MIN], i32::MAX, i32::MIN);
                see_games(&start, 20, |game| {
                    for player in Player::all(players) {
                        let score = difference(game, player);
                        match game.payoff().map(|payoff| payoff[player]) {
                            None => open = [open[0].min(score), open[1].max(score)],
                            Some(1.0) => won = won.min(score),
                            Some(0.0) => lost = lost.max(score),
                            Some(_) => (),
                        }
                    }
                });
                assert!(lost < open[0] && open[1] < won, "{lost} {open:?} {won}");
            }
        }
    }
}

fn rates(game: &Focus, stance: Stance) -> BTreeMap<String, i32> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.iter().map(|&m| (m.to_string(), Order.rate(game, stance, m))).collect()
}

#[test]
fn moves_of_many_pieces_and_moves_that_gain_stacks_come_first() {
    let game = set_up(3, Rules::Short, "c3 BRRR c4 R d3 GG c5 G f3 B", "R 1,0,0 0,0,0/0,0,0/0,0,0 9");
    let own = rates(&game, Stance::Own);
    for (m, rate) in [
        ("c3-b3", 11), // splits
        ("c3-d3", 31), // splits onto two
        ("c3-c4", 20), // splits onto one of its own
        ("c3-f3", 40), // leaves Blue's piece
        ("c4-c3", 49), // gives a stack up
        ("c4-c5", 20),
        ("@a3", 11),
        ("@c3", 50),
        ("@d3", 31),
    ] {
        assert_eq!(own[m], rate, "{m}");
    }
    assert_eq!(rates(&game, Stance::Against(Player::new(0))), own, "the player itself rates by its own good");
}

#[test]
fn against_a_player_captures_come_first_then_stacks_taken_over() {
    let game = set_up(3, Rules::Short, "c3 RRR f3 GGBRB c6 GGG d3 B e3 R", "R 0,0,0 0,0,0/0,0,0/0,0,0 9");
    let green = rates(&game, Stance::Against(Player::new(1)));
    let blue = rates(&game, Stance::Against(Player::new(2)));
    for (m, against_green, against_blue) in [
        ("c3-f3", 20_080, 11_080), // loses GGB to Red, and Blue the stack
        ("e3-f3", 10_060, 1_060),
        ("c3-c6", 11_060, 60),
        ("c3-d3", 21, 1_021),
        ("c3-b3", 11, 11),
    ] {
        assert_eq!((green[m], blue[m]), (against_green, against_blue), "{m}");
    }
}

#[test]
fn a_pass_is_rated_too() {
    let game = set_up(3, Rules::Short, "c3 GR e5 B", "G 0,0,0 0,0,0/0,0,0/0,0,0 0");
    assert_eq!(Order.rate(&game, Stance::Own, Move::PASS), 0);
    assert_eq!(Order.rate(&game, Stance::Against(Player::new(0)), Move::PASS), 0);
}
