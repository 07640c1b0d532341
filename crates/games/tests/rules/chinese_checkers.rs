//! Chinese Checkers against a slow reference, written from the rules with cube coordinates in hash maps.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use crate::walk::{Line, perft_lines};
use nply::testing::check_judge;
use nply::{Declaration, Evaluator, Game, MoveOrder, Notation, OutOfTurn, Player, Rng, Stance};
use nply_games::chinese_checkers::{Board, ChineseCheckers, DistanceTable, Eval, Move, Options, Order, TableError};

type Cube = (i32, i32, i32);

/// Every number of players on both boards.
fn configurations() -> impl Iterator<Item = (usize, Board)> {
    ChineseCheckers::PLAYERS.iter().flat_map(|&players| [(players, Board::Small), (players, Board::Large)])
}

fn start(players: usize, board: Board, limit: u32) -> ChineseCheckers {
    ChineseCheckers::start(players, &Options { board, limit }, 0)
}

/// The rules, word for word.
#[derive(Clone)]
struct Reference {
    k: i32,
    players: usize,
    limit: u32,
    owner: HashMap<Cube, usize>,
    turn: usize,
    plies: u32,
    winner: Option<usize>,
}

impl Reference {
    fn empty(players: usize, board: Board, limit: u32) -> Reference {
        let k = if board == Board::Small { 3 } else { 4 };
        Reference { k, players, limit, owner: HashMap::new(), turn: 0, plies: 0, winner: None }
    }

    fn start(players: usize, board: Board, limit: u32) -> Reference {
        let mut start = Reference::empty(players, board, limit);
        for player in 0..players {
            for cube in start.corner(start.home(player)) {
                start.owner.insert(cube, player);
            }
        }
        start
    }

    /// Reads a valid position text.
    fn read(players: usize, board: Board, limit: u32, text: &str) -> Reference {
        let mut game = Reference::empty(players, board, limit);
        let words: Vec<&str> = text.split(' ').collect();
        for (row, fields) in words[0].split('/').enumerate() {
            for (column, c) in fields.chars().enumerate() {
                if let Some(number) = c.to_digit(10) {
                    let cube = game.row(row as i32)[column];
                    game.owner.insert(cube, number as usize - 1);
                }
            }
        }
        game.turn = words[1].parse::<usize>().unwrap() - 1;
        game.plies = words[2].parse().unwrap();
        game.winner = game.find_winner((game.turn + players - 1) % players);
        game
    }

    fn text(&self) -> String {
        let field = |cube: &Cube| self.owner.get(cube).map_or(".".to_string(), |player| (player + 1).to_string());
        let rows: Vec<String> = (0..=4 * self.k).map(|r| self.row(r).iter().map(field).collect()).collect();
        format!("{} {} {}", rows.join("/"), self.turn + 1, self.plies)
    }

    fn on_board(&self, (x, y, z): Cube) -> bool {
        x.max(y).max(z) <= self.k || x.min(y).min(z) >= -self.k
    }

    /// A row from left to right, counted from the top.
    fn row(&self, row: i32) -> Vec<Cube> {
        let z = row - 2 * self.k;
        (-20..=20).map(|x| (x, -x - z, z)).filter(|&cube| self.on_board(cube)).collect()
    }

    fn all(&self) -> Vec<Cube> {
        (0..=4 * self.k).flat_map(|row| self.row(row)).collect()
    }

    fn name(&self, cube: Cube) -> String {
        let row = cube.2 + 2 * self.k;
        let number = self.row(row).iter().position(|&c| c == cube).unwrap() + 1;
        format!("{}{number}", (b'a' + row as u8) as char)
    }

    fn named(&self, name: &str) -> Cube {
        let (letter, number) = name.split_at(1);
        self.row((letter.as_bytes()[0] - b'a').into())[number.parse::<usize>().unwrap() - 1]
    }

    fn home(&self, player: usize) -> usize {
        match self.players {
            2 => [0, 3][player],
            3 => [0, 2, 4][player],
            4 => [1, 2, 4, 5][player],
            _ => player,
        }
    }

    fn goal(&self, player: usize) -> usize {
        (self.home(player) + 3) % 6
    }

    fn in_corner(&self, (x, y, z): Cube, corner: usize) -> bool {
        [z < -self.k, x > self.k, y < -self.k, z > self.k, x < -self.k, y > self.k][corner]
    }

    fn corner(&self, corner: usize) -> Vec<Cube> {
        self.all().into_iter().filter(|&cube| self.in_corner(cube, corner)).collect()
    }

    /// Each neighbor of a field with the field behind it, on the board or not.
    fn around((x, y, z): Cube) -> Vec<(Cube, Cube)> {
        let mut around = Vec::new();
        for (dx, dy) in [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)] {
            let dz = -dx - dy;
            around.push(((x + dx, y + dy, z + dz), (x + 2 * dx, y + 2 * dy, z + 2 * dz)));
        }
        around
    }

    fn is_empty(&self, cube: Cube) -> bool {
        self.on_board(cube) && !self.owner.contains_key(&cube)
    }

    /// The fields that a piece can reach, disregarding the goal.
    fn targets(&self, from: Cube) -> HashSet<Cube> {
        let mut lifted = self.clone();
        lifted.owner.remove(&from);
        let mut hops = HashSet::new();
        lifted.hop(from, &mut hops);
        let steps = Reference::around(from).into_iter().map(|(near, _)| near).filter(|&near| lifted.is_empty(near));
        let mut targets: HashSet<Cube> = steps.chain(hops).collect();
        targets.remove(&from);
        targets
    }

    fn hop(&self, from: Cube, reached: &mut HashSet<Cube>) {
        for (over, behind) in Reference::around(from) {
            if self.owner.contains_key(&over) && self.is_empty(behind) && reached.insert(behind) {
                self.hop(behind, reached);
            }
        }
    }

    /// The legal moves, and the number of moves that the goal rule forbids.
    fn legal(&self) -> (Vec<(Cube, Cube)>, usize) {
        let goal = self.goal(self.turn);
        let (mut legal, mut forbidden) = (Vec::new(), 0);
        for (&from, _) in self.owner.iter().filter(|&(_, &owner)| owner == self.turn) {
            for to in self.targets(from) {
                if self.in_corner(from, goal) && !self.in_corner(to, goal) {
                    forbidden += 1;
                } else {
                    legal.push((from, to));
                }
            }
        }
        (legal, forbidden)
    }

    /// The legal moves as text, in byte order.
    fn moves(&self) -> Vec<String> {
        if self.payoff().is_some() {
            return Vec::new();
        }
        let legal: BTreeSet<String> =
            self.legal().0.iter().map(|&(from, to)| format!("{}-{}", self.name(from), self.name(to))).collect();
        if legal.is_empty() { vec!["-".to_string()] } else { legal.into_iter().collect() }
    }

    fn play(&mut self, text: &str) {
        let mover = self.turn;
        if let Some((from, to)) = text.split_once('-').filter(|_| text != "-") {
            let owner = self.owner.remove(&self.named(from)).unwrap();
            assert_eq!(owner, mover);
            self.owner.insert(self.named(to), mover);
        }
        self.plies += 1;
        self.turn = (mover + 1) % self.players;
        self.winner = self.find_winner(mover);
    }

    fn find_winner(&self, mover: usize) -> Option<usize> {
        (0..self.players).map(|i| (mover + i) % self.players).find(|&player| {
            let fillers: Vec<_> = self.corner(self.goal(player)).iter().map(|cube| self.owner.get(cube)).collect();
            fillers.iter().all(|filler| filler.is_some()) && fillers.contains(&Some(&player))
        })
    }

    fn payoff(&self) -> Option<Vec<f32>> {
        let n = self.players;
        match self.winner {
            Some(winner) => Some((0..n).map(|player| if player == winner { 1.0 } else { 0.0 }).collect()),
            None => (self.plies >= self.limit).then(|| vec![1.0 / n as f32; n]),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        let moves = self.moves();
        if depth <= 1 {
            return if depth == 0 { 1 } else { moves.len() as u64 };
        }
        let child = |text: &String| {
            let mut child = self.clone();
            child.play(text);
            child.perft(depth - 1)
        };
        moves.iter().map(child).sum()
    }

    /// Steps to the tip of a player's goal: of its fields the one that is farthest from the middle.
    fn steps(&self, player: usize, (x, y, z): Cube) -> i32 {
        let far = |&(x, y, z): &Cube| x.abs().max(y.abs()).max(z.abs());
        let (a, b, c) = self.corner(self.goal(player)).into_iter().max_by_key(far).unwrap();
        ((x - a).abs() + (y - b).abs() + (z - c).abs()) / 2
    }

    /// The evaluation by pieces in the goal, stragglers and distances.
    fn distance_score(&self, player: usize) -> i32 {
        let worth = |cube: Cube| {
            let inside = |corner| self.in_corner(cube, corner) as i32;
            5 * inside(self.goal(player)) - 5 * inside(self.home(player)) - 3 * self.steps(player, cube)
        };
        self.owner.iter().filter(|&(_, &owner)| owner == player).map(|(&cube, _)| worth(cube)).sum()
    }
}

fn texts(game: &ChineseCheckers) -> Vec<String> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.iter().map(|&m| game.move_to_text(m)).collect()
}

/// Compares everything visible of both, also with any other player to move.
fn compare(game: &ChineseCheckers, reference: &Reference) {
    let text = game.to_text();
    assert_eq!(text, reference.text());
    assert_eq!(game.turn().index(), reference.turn, "{text}");
    assert_eq!(game.payoff().map(|payoff| payoff.as_slice().to_vec()), reference.payoff(), "{text}");
    assert_eq!(texts(game), reference.moves(), "{text}");
    for player in Player::all(game.player_count()) {
        assert_eq!(Eval::Distance.evaluate_for(game, player), reference.distance_score(player.index()), "{text}");
        let handed = game.clone().with_turn(player, |handed| texts(handed));
        let other = Reference { turn: player.index(), ..reference.clone() };
        assert_eq!(handed, other.moves(), "{text} with player {player} to move");
    }
}

/// Counts of events in games.
#[derive(Default, Debug)]
struct Seen {
    positions: usize,
    wins: usize,
    draws: usize,
    /// Wins by a goal with others' pieces in it.
    shared_goals: usize,
    /// Positions where the goal rule forbids a move.
    forbidden: usize,
}

/// Plays a game in both, compares every `every`th position and the last. Of two random moves, `greed` times of ten the one
/// that gains more is played.
fn play_both(players: usize, board: Board, limit: u32, every: usize, greed: usize, rng: &mut Rng, seen: &mut Seen) {
    let mut game = start(players, board, limit);
    let mut reference = Reference::start(players, board, limit);
    let mut moves = Vec::new();
    for ply in rng.below(every).. {
        let over = game.payoff().is_some();
        if over || ply % every == 0 {
            compare(&game, &reference);
            seen.positions += 1;
            seen.forbidden += (reference.legal().1 > 0) as usize;
        }
        if over {
            break;
        }
        moves.clear();
        game.moves(&mut moves);
        let (a, b) = (rng.pick(&moves), rng.pick(&moves));
        let gain = |m: Move| Order.rate(&game, Stance::Own, m);
        let m = if rng.below(10) < greed && gain(b) > gain(a) { b } else { a };
        reference.play(&game.move_to_text(m));
        game.play(m);
    }
    match reference.winner {
        None => seen.draws += 1,
        Some(winner) => {
            seen.wins += 1;
            let fillers = reference.corner(reference.goal(winner)).into_iter().map(|cube| reference.owner[&cube]);
            seen.shared_goals += fillers.into_iter().any(|filler| filler != winner) as usize;
        }
    }
}

#[test]
fn random_games_agree_with_the_reference() {
    let (mut rng, mut seen) = (Rng::new(1), Seen::default());
    for (players, board) in configurations() {
        play_both(players, board, 1000, 7, 0, &mut rng, &mut seen);
        for _ in 0..4 {
            play_both(players, board, 40, 1, 0, &mut rng, &mut seen);
        }
    }
    assert!(seen.draws > 0 && seen.positions > 1000, "{seen:?}");
}

#[test]
fn races_to_the_goal_agree_with_the_reference() {
    for (players, board) in configurations() {
        let (mut rng, mut seen) = (Rng::new(2), Seen::default());
        for _ in 0..12 {
            play_both(players, board, 600, 11, 9, &mut rng, &mut seen);
        }
        assert!(seen.wins > 0 && seen.forbidden > 0, "{players} {board:?} {seen:?}");
        println!("{players} {board:?} {seen:?}");
    }
}

/// Pieces anywhere, often in corners; anybody to move; sometimes goals are full.
fn random_position(players: usize, board: Board, rng: &mut Rng) -> Reference {
    let mut game = Reference::empty(players, board, 1000);
    let count = game.corner(0).len();
    let mut pieces: Vec<usize> = (0..players * count).map(|piece| piece % players).collect();
    rng.shuffle(&mut pieces);
    let mut free = game.all();
    rng.shuffle(&mut free);
    let crowded = rng.below(7);
    free.sort_by_key(|&cube| !game.in_corner(cube, crowded % 6) || crowded == 6);
    if rng.below(2) == 0 {
        // The middle first: many hops.
        free.sort_by_key(|&(x, y, z)| x.abs().max(y.abs()).max(z.abs()) / 2);
    }
    game.owner = free.into_iter().zip(pieces).collect();
    game.turn = rng.below(players);
    game.plies = rng.below(1001) as u32;
    game.winner = game.find_winner((game.turn + players - 1) % players);
    game
}

#[test]
fn pieces_set_anywhere_agree_with_the_reference() {
    let mut rng = Rng::new(3);
    let (mut wins, mut forbidden) = (0, 0);
    for (players, board) in configurations() {
        let start = start(players, board, 1000);
        for _ in 0..600 {
            let reference = random_position(players, board, &mut rng);
            let game = start.read(&reference.text()).unwrap();
            compare(&game, &reference);
            let copy = Reference::read(players, board, 1000, &reference.text());
            assert_eq!(copy.payoff(), reference.payoff());
            wins += reference.winner.is_some() as usize;
            forbidden += (reference.legal().1 > 0) as usize;
            if reference.payoff().is_none() {
                let text = rng.below(reference.moves().len());
                let text = &reference.moves()[text];
                let (mut game, mut reference) = (game, reference);
                game.play(game.move_from_text(text).unwrap());
                reference.play(text);
                compare(&game, &reference);
            }
        }
    }
    assert!(wins > 500 && forbidden > 500, "{wins} {forbidden}");
}

#[test]
fn several_full_goals_are_won_by_the_last_mover_first() {
    let mut rng = Rng::new(4);
    for (players, board) in configurations() {
        let start = start(players, board, 1000);
        for _ in 0..20 {
            let mut reference = Reference::empty(players, board, 1000);
            let count = reference.corner(0).len();
            let full: Vec<usize> = (0..players).filter(|_| rng.below(3) > 0).collect();
            let mut pieces: Vec<usize> = (0..players * count).map(|piece| piece % players).collect();
            rng.shuffle(&mut pieces);
            let mut fields = reference.all();
            rng.shuffle(&mut fields);
            fields.sort_by_key(|&cube| !full.iter().any(|&player| reference.in_corner(cube, reference.goal(player))));
            reference.owner = fields.into_iter().zip(pieces).collect();
            for turn in 0..players {
                reference.turn = turn;
                reference.winner = reference.find_winner((turn + players - 1) % players);
                compare(&start.read(&reference.text()).unwrap(), &reference);
            }
        }
    }
}

/// A player's pieces all stand in the home corner, locked in by others' pieces.
fn locked(players: usize, board: Board, player: usize) -> Reference {
    let mut game = Reference::empty(players, board, 1000);
    let home = game.corner(game.home(player));
    let around: HashSet<Cube> =
        home.iter().flat_map(|&cube| Reference::around(cube)).flat_map(|(a, b)| [a, b]).collect();
    let mut rest = game.all();
    rest.retain(|cube| !home.contains(cube));
    rest.sort_by_key(|cube| (!around.contains(cube), cube.0.abs().max(cube.1.abs()).max(cube.2.abs())));
    let others = (0..players * home.len()).map(|piece| piece % players).filter(|&owner| owner != player);
    game.owner = rest.into_iter().zip(others).collect();
    game.owner.extend(home.into_iter().map(|cube| (cube, player)));
    game.turn = player;
    game.winner = game.find_winner((player + players - 1) % players);
    game
}

#[test]
fn a_player_who_cannot_move_passes() {
    for (players, board) in configurations().filter(|&(players, _)| players > 2) {
        for player in 0..players {
            let mut reference = locked(players, board, player);
            let start = start(players, board, 1000);
            let mut game = start.read(&reference.text()).unwrap();
            assert_eq!(texts(&game), ["-"]);
            compare(&game, &reference);
            assert_eq!(game.random_move(&mut Vec::new(), &mut Rng::new(1)), Move::PASS);
            let key = game.key();
            game.visit(Move::PASS, |child| {
                let mut passed = reference.clone();
                passed.play("-");
                compare(child, &passed);
                assert_ne!(child.key(), key);
            });
            game.play(Move::PASS);
            reference.play("-");
            compare(&game, &reference);
            assert_eq!(game.key(), start.read(&game.to_text()).unwrap().key());
        }
    }
}

#[test]
fn a_piece_in_its_goal_stays_there() {
    let start = start(2, Board::Small, 1000);
    let game = start.read("1/11/111/........../........./......../......./......../........./2........./.../../1 1 0");
    assert!(game.is_err(), "a piece too many for player 1 and too few for player 2");
    let text = "1/11/11./........../........./......../......./......../........./.....22222/..2/../1 1 0";
    let game = start.read(text).unwrap();
    let from_goal: Vec<String> = texts(&game).into_iter().filter(|m| m.starts_with('m')).collect();
    assert_eq!(from_goal, ["m1-l1", "m1-l2"]);
}

#[test]
fn a_chain_of_hops_from_the_goal_may_pass_outside_it() {
    let start = start(2, Board::Small, 1000);
    let (mut chains, mut rng) = (0, Rng::new(5));
    let mut reference = Reference::empty(2, Board::Small, 1000);
    let mut fields = reference.all();
    fields.retain(|&(_, _, z)| z > 0);
    while chains < 20 {
        rng.shuffle(&mut fields);
        reference.owner = fields.iter().copied().zip([0, 1].into_iter().cycle()).take(12).collect();
        if reference.find_winner(0).is_some() {
            continue;
        }
        let inside = reference.corner(reference.goal(0));
        // Outside the goal all is full, so hops stay inside.
        let mut walled = reference.clone();
        for cube in reference.all().into_iter().filter(|cube| !inside.contains(cube)) {
            walled.owner.insert(cube, 1);
        }
        let game = start.read(&reference.text()).unwrap();
        for (from, to) in reference.legal().0 {
            if inside.contains(&from) && !walled.targets(from).contains(&to) {
                chains += 1;
                let text = format!("{}-{}", reference.name(from), reference.name(to));
                assert!(game.move_from_text(&text).is_ok(), "{text} in {}", reference.text());
            }
        }
    }
}

#[test]
fn a_win_by_the_last_ply_is_a_win() {
    let start = start(2, Board::Small, 50);
    let rows = "./22/222/........../2......../......../......./......../........./....1...../.11/11/1";
    let game = start.read(&format!("{rows} 1 49")).unwrap();
    assert!(game.payoff().is_none());
    let after = |text: &str| {
        let mut child = game.clone();
        child.play(child.move_from_text(text).unwrap());
        child.payoff().unwrap()
    };
    assert_eq!(after("j5-j6").as_slice(), [0.5, 0.5]);
    assert_eq!(after("k2-k1").as_slice(), [0.5, 0.5]);
    let winning = texts(&game).into_iter().filter(|text| after(text).as_slice() == [1.0, 0.0]);
    assert_eq!(winning.collect::<Vec<_>>(), ["j5-k1"]);
}

#[test]
fn perft_agrees_with_the_reference() {
    for Line { text, players, options, game, numbers } in perft_lines::<ChineseCheckers>() {
        let reference = Reference::read(players, options.board, options.limit, &game.to_text());
        for (depth, count) in (1..).zip(numbers).filter(|(_, count)| count.is_some_and(|count| count < 10_000)) {
            assert_eq!(Some(reference.perft(depth)), count, "{text}: depth {depth}");
        }
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let start = start(2, Board::Small, 1000);
    let error = |text: &str| start.read(text).unwrap_err().to_string();
    let rows = "1/11/111/........../........./......../......./......../........./........../222/22/2";
    assert!(error("").contains("the rows of the board at character 1, found the end"));
    assert!(error("1/1").contains("expected b2, \".\" or a player's number up to 2 at character 4, found the end"));
    assert!(error("1/13").contains("character 4, found \"3\""));
    assert!(error("1/11x").contains("expected \"/\" before row c at character 5"));
    assert!(error(&format!("{rows}/ 1 0")).contains("no more rows"));
    assert!(error(&rows.replacen('2', "1", 1)).contains("6 pieces of player 1, not 7"));
    assert!(error(rows).contains("the number of the player to move, from 1 to 2"));
    assert!(error(&format!("{rows} 3 0")).contains("from 1 to 2"));
    assert!(error(&format!("{rows} 1 1001")).contains("plies played, from 0 to 1000"));
    assert!(error(&format!("{rows} 1 0 x")).contains("expected the end"));
    let error = start.move_from_text("a1-a2").unwrap_err().to_string();
    assert!(error.contains("c1-d5") && error.contains("a pass is"), "{error}");
}

#[test]
fn random_moves_are_uniform() {
    let mut rng = Rng::new(6);
    for (players, board) in configurations() {
        let mut game = start(players, board, 1000);
        for _ in 0..30 * players {
            let m = game.random_move(&mut Vec::new(), &mut rng);
            game.play(m);
        }
        let moves = texts(&game);
        let mut counts: BTreeMap<String, f64> = moves.iter().map(|m| (m.clone(), 0.0)).collect();
        let draws = 2000 * moves.len();
        for _ in 0..draws {
            *counts.get_mut(&game.move_to_text(game.random_move(&mut Vec::new(), &mut rng))).unwrap() += 1.0;
        }
        // The normal approximation of chi-square: four standard deviations.
        let chi: f64 = counts.values().map(|count| (count - 2000.0).powi(2) / 2000.0).sum();
        let freedom = moves.len() as f64 - 1.0;
        assert!(chi < freedom + 4.0 * (2.0 * freedom).sqrt(), "{chi} with {freedom} degrees of freedom");
    }
}

#[test]
fn playouts_can_draw_every_legal_move_and_no_other() {
    let mut rng = Rng::new(8);
    for (players, board) in configurations() {
        for _ in 0..20 {
            let game = start(players, board, 1000);
            let game = game.read(&random_position(players, board, &mut rng).text()).unwrap();
            if game.payoff().is_some() {
                continue;
            }
            let mut moves = Vec::new();
            game.moves(&mut moves);
            let mut missing: HashSet<Move> = moves.iter().copied().collect();
            for _ in 0..5_000_000 {
                let m = game.playout_move(&mut Vec::new(), &mut rng);
                if missing.remove(&m) && missing.is_empty() {
                    break;
                }
                assert!(moves.contains(&m), "{}; {game}", game.move_to_text(m));
            }
            assert!(missing.is_empty(), "{missing:?} not drawn; {game}");
        }
    }
}

#[test]
fn bounds_hold_and_are_reached() {
    let mut rng = Rng::new(7);
    for (players, board) in configurations() {
        let start = start(players, board, 1000);
        let bounds = Eval::Distance.bounds(&start);
        for _ in 0..50 {
            let game = start.read(&random_position(players, board, &mut rng).text()).unwrap();
            let scores = Eval::Distance.evaluate(&game);
            assert!(scores.iter().all(|(player, score)| score >= bounds.min[player]));
            assert!(scores.sum() <= bounds.max_sum);
            assert_eq!(Eval::Distance.bounds(&game), bounds);
        }
        // Home is the worst place to be, the goal the best.
        assert_eq!(Eval::Distance.evaluate(&start), bounds.min);
        let arrived = Reference::start(players, board, 1000);
        let mut arrived = Reference { owner: HashMap::new(), ..arrived };
        for player in 0..players {
            for cube in arrived.corner(arrived.goal(player)) {
                arrived.owner.insert(cube, player);
            }
        }
        assert_eq!(Eval::Distance.evaluate(&start.read(&arrived.text()).unwrap()).sum(), bounds.max_sum);
    }
}

#[test]
fn moves_that_gain_most_come_first() {
    let mut rng = Rng::new(8);
    for (players, board) in configurations() {
        let start = start(players, board, 1000);
        for _ in 0..20 {
            let reference = random_position(players, board, &mut rng);
            let game = start.read(&reference.text()).unwrap();
            let mut moves = Vec::new();
            game.moves(&mut moves);
            let Some(&listed) = moves.first() else { continue };
            let gain = |m: &Move| {
                let text = game.move_to_text(*m);
                let (from, to) = text.split_once('-').unwrap();
                let steps = |name: &str| reference.steps(reference.turn, reference.named(name));
                if text == "-" { 0 } else { steps(from) - steps(to) }
            };
            let mut expected = moves.clone();
            expected.sort_by_key(|m| -gain(m));
            let first = Order.first(&game, Stance::Own, &moves);
            Order.sort(&game, Stance::Own, &mut moves);
            assert_eq!(moves, expected);
            assert_eq!(first, moves[0]);
            assert_eq!(Order.rate(&game, Stance::Against(Player::new(0)), listed), gain(&listed));
        }
    }
}

#[test]
fn history_matters_when_the_limit_is_near() {
    let rows = "1/11/111/........../........./......../......./......../........./........../222/22/2";
    let start = start(2, Board::Small, 200);
    assert!(!start.history_matters());
    assert!(!start.read(&format!("{rows} 1 135")).unwrap().history_matters());
    assert!(start.read(&format!("{rows} 1 136")).unwrap().history_matters());
    assert!(start.read(&format!("{rows} 1 200")).unwrap().payoff().is_some());
}

#[test]
#[should_panic(expected = "is for [2, 3, 4, 6] players, not 5")]
fn five_cannot_play() {
    start(5, Board::Small, 1000);
}

/// One player's pieces alone on the small board.
type Placement = BTreeSet<Cube>;

/// Placements one move after this one, or one move before it, for a player from north to south.
fn neighbors(placement: &Placement, backwards: bool) -> Vec<Placement> {
    let mut alone = Reference::empty(2, Board::Small, 1000);
    alone.owner = placement.iter().map(|&cube| (cube, 0)).collect();
    let mut found = Vec::new();
    for &near in placement {
        for far in alone.targets(near) {
            let (from, to) = if backwards { (far, near) } else { (near, far) };
            if !alone.in_corner(from, 3) || alone.in_corner(to, 3) {
                let others = placement.iter().copied().filter(|&cube| cube != near);
                found.push(others.chain([far]).collect());
            }
        }
    }
    found
}

/// The table's value of a placement seen from a seat: the star is turned until the home corner is there.
fn look_up(table: &DistanceTable, placement: &Placement, players: usize, player: usize) -> u8 {
    let mut game = Reference::empty(players, Board::Small, 1000);
    for &cube in placement {
        let turned = (0..game.home(player)).fold(cube, |(x, y, z), _| (-z, -x, -y));
        game.owner.insert(turned, player);
    }
    // The others may stand anywhere.
    let free: Vec<Cube> = game.all().into_iter().filter(|&cube| game.is_empty(cube)).collect();
    let others = (0..6 * players).map(|piece| piece % players).filter(|&other| other != player);
    game.owner.extend(free.into_iter().zip(others));
    let game = start(players, Board::Small, 1000).read(&game.text()).unwrap();
    table.value(&game, Player::new(player))
}

/// Checks that the value is one more than that of the best child.
fn check_placement(table: &DistanceTable, placement: &Placement) {
    let value = look_up(table, placement, 2, 0);
    let children = neighbors(placement, false);
    let best = children.iter().map(|child| look_up(table, child, 2, 0)).min();
    let full = placement.iter().all(|&(_, _, z)| z > 3);
    assert_eq!(value, if full { 0 } else { best.unwrap() + 1 }, "{placement:?}");
    let mirrored = placement.iter().map(|&(x, y, z)| (y, x, z)).collect();
    assert_eq!(look_up(table, &mirrored, 2, 0), value, "{placement:?}");
}

/// Two builders at once, over a truncated file and the remains of a killed builder.
fn build_twice(path: &Path) -> DistanceTable {
    fs::write(path, &b"NPLYDIST and not much more"[..]).unwrap();
    fs::write(path.with_extension("new"), "half").unwrap();
    assert!(matches!(DistanceTable::open(path), Err(TableError::Damaged { .. })));
    let builders = AtomicUsize::new(0);
    let build = || {
        let reported = AtomicBool::new(false);
        let progress = |part: f64| {
            assert!((0.0..=1.0).contains(&part));
            builders.fetch_add(!reported.swap(true, Relaxed) as usize, Relaxed);
        };
        DistanceTable::open_or_build(path, &progress).unwrap()
    };
    let table = thread::scope(|scope| {
        let other = scope.spawn(build);
        build();
        other.join().unwrap()
    });
    assert_eq!(builders.into_inner(), 1, "one builds, the other waits");
    assert!(!path.with_extension("new").exists());
    table
}

/// Any change of the file is noticed.
fn check_damage(path: &Path) {
    let damaged = path.with_extension("damaged");
    let length = fs::copy(path, &damaged).unwrap();
    let mut file = File::options().read(true).write(true).open(&damaged).unwrap();
    let mut flip = |at: u64| {
        let mut byte = [0];
        file.seek(SeekFrom::Start(at)).unwrap();
        file.read_exact(&mut byte).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&[byte[0] ^ 1]).unwrap();
    };
    for at in [0, 9, 17, 25, 33, 64, length / 2, length - 1] {
        flip(at);
        assert!(matches!(DistanceTable::open(&damaged), Err(TableError::Damaged { .. })), "byte {at}");
        flip(at);
        assert!(DistanceTable::open(&damaged).is_ok());
    }
    for length in [length - 1, 64, 63, 7, 0] {
        file.set_len(length).unwrap();
        assert!(matches!(DistanceTable::open(&damaged), Err(TableError::Damaged { .. })), "length {length}");
    }
    assert!(matches!(DistanceTable::open(&path.with_extension("none")), Err(TableError::Io { .. })));
}

/// The values follow the pieces, from every seat, all through games.
fn check_evaluation(table: &'static DistanceTable) {
    let mut rng = Rng::new(10);
    for &players in ChineseCheckers::PLAYERS {
        let start = start(players, Board::Small, 60);
        assert!(Player::all(players).all(|player| table.value(&start, player) == 17));
        let eval = Eval::Table(table);
        let bounds = eval.bounds(&start);
        assert!(check_judge(&start, &eval, 2) > 1000);
        let mut game = start.clone();
        while game.payoff().is_none() {
            let m = game.random_move(&mut Vec::new(), &mut rng);
            if rng.below(2) == 0 {
                game.play(m)
            } else {
                game.play_unkeyed(m)
            }
            let reference = Reference::read(players, Board::Small, 60, &game.to_text());
            let scores = eval.evaluate(&game);
            for (player, score) in scores.iter() {
                let own = reference.owner.iter().filter(|&(_, &owner)| owner == player.index());
                let upright =
                    |&cube: &Cube| (0..6 - reference.home(player.index())).fold(cube, |(x, y, z), _| (-z, -x, -y));
                let placement: Placement = own.map(|(cube, _)| upright(cube)).collect();
                assert_eq!(score, -1000 * i32::from(look_up(table, &placement, 2, 0)));
                assert!(score >= bounds.min[player] && score <= 0);
            }
            assert!(scores.sum() <= bounds.max_sum);
        }
    }
}

#[test]
fn the_distance_table_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deeper").join("a.table");
    fs::create_dir(folder.path().join("deeper")).unwrap();
    let table: &'static DistanceTable = Box::leak(Box::new(build_twice(&path)));
    assert_eq!(table.histogram(), DistanceTable::HISTOGRAM);
    assert_eq!(DistanceTable::verify(&path).unwrap(), DistanceTable::HISTOGRAM);
    assert_eq!(DistanceTable::HISTOGRAM.iter().sum::<u32>(), 170_230_452);

    // All placements near the goal, by a breadth-first search backwards.
    let mut level: BTreeSet<Placement> = [Reference::empty(2, Board::Small, 0).corner(3).into_iter().collect()].into();
    let mut known = level.clone();
    for (value, &count) in (0..).zip(&DistanceTable::HISTOGRAM[..5]) {
        assert_eq!(level.len(), count as usize);
        assert!(level.iter().all(|placement| look_up(table, placement, 2, 0) == value));
        let parents: BTreeSet<Placement> = level.iter().flat_map(|placement| neighbors(placement, true)).collect();
        level = parents.difference(&known).cloned().collect();
        known.extend(level.iter().cloned());
    }

    // Any placements: spread over the board, or nearly home.
    let mut rng = Rng::new(11);
    let mut fields = Reference::empty(2, Board::Small, 0).all();
    for round in 0..1000 {
        rng.shuffle(&mut fields);
        let low = fields.iter().copied().filter(|&(_, _, z)| round % 2 == 0 || z > 0);
        let placement: Placement = low.take(6).collect();
        check_placement(table, &placement);
        for &players in ChineseCheckers::PLAYERS {
            let player = rng.below(players);
            assert_eq!(look_up(table, &placement, players, player), look_up(table, &placement, 2, 0));
        }
    }
    check_evaluation(table);
    check_damage(&path);
}

#[test]
fn the_table_is_for_the_small_board() {
    let error = Eval::table(Board::Large, &|_| ()).unwrap_err();
    assert!(matches!(error, TableError::LargeBoard));
    assert!(error.to_string().contains("board=small") && error.to_string().contains("\"table\""));
}
