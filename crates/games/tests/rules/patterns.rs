//! The pattern evaluation and the games it is learned from, against slow versions of both.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::disc_board::{turned, turned_text};
use nply::{Declaration, Evaluator, Game, Notation, Player, Rng};
use nply_games::rolit::learn::{Lessons, Report, learn};
use nply_games::rolit::wthor::{self, Record, WthorError};
use nply_games::rolit::{
    Discs, Eval, Method, Move, Options, Othello, PATTERNS, Patterns, PatternsError, Rolit, STAGES,
};

/// The fields of one place of each kind of pattern, in the order of the kinds.
fn kinds() -> Vec<Vec<(usize, usize)>> {
    let lines = (0..4).map(|column| (0..8).map(|row| (column, row)).collect());
    let diagonals = (0..5).map(|shift| (0..8 - shift).map(|row| (row + shift, row)).collect());
    let corner = (0..8).map(|index| (index / 4, index % 4)).collect();
    lines.chain(diagonals).chain([corner]).collect()
}

/// Every place of a kind: its mirror images that lie on other fields.
fn places(kind: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    let mut seen = BTreeSet::new();
    let mut places: Vec<Vec<_>> = (0..8).map(|s| kind.iter().map(|&field| turned(s, field)).collect()).collect();
    places.retain(|place| seen.insert(place.iter().copied().collect::<BTreeSet<_>>()));
    places
}

/// 1 for a disc of the player, 2 for another's, 0 for none.
fn digit(own: u64, occupied: u64, (x, y): (usize, usize)) -> usize {
    let bit = 1 << Move::new(x, y).index();
    usize::from(occupied & bit != 0) * 2 - usize::from(own & bit != 0)
}

fn number(digits: &[usize]) -> usize {
    digits.iter().rev().fold(0, |number, digit| 3 * number + digit)
}

fn stage_of(occupied: u64) -> usize {
    (occupied.count_ones() as usize).saturating_sub(4).min(59) / 5
}

/// The average of the values at all places, looked up one by one.
fn slow_score(values: &[i32], own: u64, occupied: u64) -> i32 {
    let (mut sum, mut count, mut offset) = (0, 0, stage_of(occupied) * PATTERNS);
    for kind in kinds() {
        for place in places(&kind) {
            let digits: Vec<usize> = place.iter().map(|&field| digit(own, occupied, field)).collect();
            sum += values[offset + number(&digits)];
            count += 1;
        }
        offset += 3usize.pow(kind.len() as u32);
    }
    assert_eq!(count, 42);
    sum / count
}

/// A random game of Othello, without the passes that end it; `plies` cuts it short.
fn random_game(rng: &mut Rng, plies: usize) -> (Vec<Move>, Othello) {
    let (mut game, mut moves) = (Othello::start(2, &Options::default(), 0), Vec::new());
    while game.payoff().is_none() && moves.len() < plies {
        let m = game.random_move(&mut Vec::new(), rng);
        game.play(m);
        moves.push(m);
    }
    while moves.last() == Some(&Move::PASS) {
        moves.pop();
    }
    (moves, game)
}

fn difference(game: &Othello) -> i8 {
    let points = game.points().unwrap();
    (points[Player::new(0)] - points[Player::new(1)]) as i8
}

fn random_records(seed: u64, count: usize) -> Vec<Record> {
    let mut rng = Rng::new(seed);
    let record = |_| {
        let (moves, game) = random_game(&mut rng, 200);
        Record { year: 2000, moves, difference: difference(&game) }
    };
    (0..count).map(record).collect()
}

/// A `.wtb` file; passes are left out.
fn write_wthor(year: u16, games: &[(Vec<Move>, u8)]) -> Vec<u8> {
    let mut bytes = vec![20, 24, 1, 2];
    bytes.extend((games.len() as u32).to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(year.to_le_bytes());
    bytes.extend([8, 0, 0, 0]);
    for (moves, black) in games {
        let mut game = vec![1, 0, 2, 0, 3, 0, *black, *black];
        let placed = moves.iter().filter(|&&m| m != Move::PASS);
        game.extend(placed.map(|m| 10 * (m.index() as u8 % 8 + 1) + m.index() as u8 / 8 + 1));
        game.resize(68, 0);
        bytes.extend(game);
    }
    bytes
}

/// A folder of one test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn the_shipped_files_are_small_whole_and_say_where_they_come_from() {
    assert_eq!(STAGES * PATTERNS, 511_272);
    for (patterns, method, players, file) in [
        (Patterns::shipped(), Method::Averages, 2, "rolit.patterns"),
        (Patterns::fitted(2), Method::Regression, 2, "rolit.regression"),
        (Patterns::fitted(3), Method::Regression, 3, "rolit.regression-3"),
        (Patterns::fitted(4), Method::Regression, 4, "rolit.regression-4"),
    ] {
        assert_eq!(patterns.values().len(), 511_272);
        let provenance = patterns.provenance();
        assert_eq!((provenance.method, provenance.players), (method, players));
        if players == 2 {
            assert!(provenance.source.contains("WTHOR"));
            assert_eq!((provenance.games, provenance.years), (99_846, (1977, 2008)));
        } else {
            assert!(provenance.source.contains("Rolit"));
            assert_eq!((provenance.games, provenance.years), (40_000, (0, 0)));
        }
        let file = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file)).unwrap();
        assert!(file.len() < 250_000, "{}", file.len());
        assert_eq!(patterns.to_bytes(), file);
    }
    let most = Patterns::shipped().values().map(i32::abs).max().unwrap();
    assert!((50_000..=64_000).contains(&most), "{most}");
}

#[test]
fn scores_are_averages_over_all_places() {
    let patterns = Patterns::shipped();
    let values: Vec<i32> = patterns.values().collect();
    let mut rng = Rng::new(31);
    for _ in 0..30 {
        let mut game = Rolit::start(4, &Options::default(), 0);
        while game.payoff().is_none() {
            let player = Player::new(rng.below(4));
            let (own, occupied) = (game.discs(player), game.occupied());
            assert_eq!(patterns.score(own, occupied), slow_score(&values, own, occupied));
            let m = game.random_move(&mut Vec::new(), &mut rng);
            game.play(m);
        }
    }
    for _ in 0..2000 {
        let occupied = rng.bits() | rng.bits();
        let own = occupied & rng.bits();
        assert_eq!(patterns.score(own, occupied), slow_score(&values, own, occupied));
    }
}

#[test]
fn mirror_images_have_the_same_scores() {
    let (start, eval, mut rng) = (Rolit::start(3, &Options::default(), 0), Eval::default(), Rng::new(32));
    for _ in 0..20 {
        let mut game = start.clone();
        while game.payoff().is_none() {
            for symmetry in 1..8 {
                let image = start.read(&turned_text(symmetry, &game.to_text())).unwrap();
                assert_eq!(eval.evaluate(&image), eval.evaluate(&game));
            }
            let m = game.random_move(&mut Vec::new(), &mut rng);
            game.play(m);
        }
    }
}

#[test]
fn the_start_is_even() {
    let eval = Eval::default();
    assert_eq!(eval.evaluate(&Othello::start(2, &Options::default(), 0)).as_slice(), [0, 0]);
    let scores = eval.evaluate(&Rolit::start(4, &Options::default(), 0));
    assert!(scores.as_slice().iter().all(|&score| score == scores.as_slice()[0]), "{scores:?}");
}

#[test]
fn corners_are_good_and_a_board_full_of_own_discs_is_best() {
    let (patterns, mut rng, mut gains) = (Patterns::shipped(), Rng::new(43), Vec::new());
    let corner = 1 << Move::new(0, 0).index();
    while gains.len() < 200 {
        let (_, game) = random_game(&mut rng, 40);
        let (own, occupied) = (game.discs(Player::new(0)), game.occupied());
        if occupied & corner == 0 {
            gains.push(patterns.score(own | corner, occupied | corner) - patterns.score(own, occupied));
        }
    }
    let gain = gains.iter().sum::<i32>() / 200;
    assert!(gain > 500, "a corner is worth {gain} on average");
    assert!(patterns.score(u64::MAX ^ 1, u64::MAX ^ 1) > 20_000);
    assert_eq!(patterns.score(0, 0), 0);
}

#[test]
fn scores_keep_within_the_bounds_and_sum_to_nothing_between_two() {
    let (eval, mut rng) = (Eval::default(), Rng::new(33));
    for players in 2..=4 {
        for _ in 0..30 {
            let mut game = Rolit::start(players, &Options::default(), 0);
            let mut bounds = vec![eval.bounds(&game)];
            loop {
                let scores = eval.scores(&game);
                for player in Player::all(players) {
                    if game.payoff().is_none() {
                        assert_eq!(eval.evaluate_for(&game, player), scores[player]);
                    }
                    assert!(bounds.iter().all(|b| b.min[player] <= scores[player] && scores[player] <= b.max(player)));
                }
                assert!(bounds.iter().all(|b| scores.sum() <= b.max_sum));
                if game.payoff().is_some() {
                    break;
                }
                let m = game.random_move(&mut Vec::new(), &mut rng);
                game.play(m);
                bounds.push(eval.bounds(&game));
            }
            assert_eq!(players == 2, bounds.last().unwrap().max_sum == 0, "colors of nobody are soon gone");
        }
    }
}

#[test]
fn a_finished_game_has_the_difference_it_ended_with() {
    let eval = Eval::default();
    let text = format!("{}{}{}{} R", "R".repeat(30), "G".repeat(20), "Y".repeat(10), "B".repeat(4));
    let scores =
        |players| eval.scores(&Rolit::start(players, &Options::default(), 0).read(&text).unwrap()).as_slice().to_vec();
    assert_eq!(scores(4), [-4_000, -24_000, -44_000, -56_000]);
    assert_eq!(scores(2), [-4_000, -24_000]);
    let othello = Othello::start(2, &Options::default(), 0).read(&format!("B......W{}B W BW", ".".repeat(55))).unwrap();
    assert_eq!(eval.scores(&othello).as_slice(), [1_000, -1_000]);
}

#[test]
fn values_are_plain_averages_of_the_final_differences() {
    let games = random_records(34, 20);
    let patterns = learn(Method::Averages, "random\ngames", &Lessons::from(&games[..]));
    assert_eq!(patterns.provenance().source, "random games");
    assert_eq!(patterns.provenance().games, 20);

    // By stage, kind and fields: the sum of differences and their number, over both views and all mirror images.
    let mut seen: HashMap<(usize, usize, Vec<usize>), (i64, i64)> = HashMap::new();
    let kinds = kinds();
    let mut positions = 0;
    for game in &games {
        let mut position = Othello::start(2, &Options::default(), 0);
        for &m in &game.moves {
            if m != Move::PASS {
                positions += 1;
                for (player, sign) in [(0, 1), (1, -1)] {
                    let (own, occupied) = (position.discs(Player::new(player)), position.occupied());
                    for (kind, symmetry) in (0..10).flat_map(|kind| (0..8).map(move |symmetry| (kind, symmetry))) {
                        let place = kinds[kind].iter().map(|&field| turned(symmetry, field));
                        let digits = place.map(|field| digit(own, occupied, field)).collect();
                        let entry = seen.entry((stage_of(occupied), kind, digits)).or_default();
                        *entry = (entry.0 + sign * i64::from(game.difference), entry.1 + 1);
                    }
                }
            }
            position.play(m);
        }
    }
    assert_eq!(patterns.provenance().positions, positions);

    let mut expected = vec![0; STAGES * PATTERNS];
    for ((stage, kind, digits), (sum, count)) in seen {
        let offset: usize = kinds[..kind].iter().map(|kind| 3usize.pow(kind.len() as u32)).sum();
        // Twentieths of a disc.
        let value = (20.0 * sum as f64 / count as f64).round() as i32 * 50;
        expected[stage * PATTERNS + offset + number(&digits)] = value;
    }
    assert!(patterns.values().eq(expected));
}

#[test]
fn fitted_values_come_closer_to_the_results_than_averages() {
    let of_othello = Lessons::from(&random_records(41, 60)[..]);
    for lessons in [of_othello, Lessons::by_play(3, 0..30, 5), Lessons::by_play(4, 0..30, 5)] {
        let report = |method| Report::new(&learn(method, "a test", &lessons), &lessons);
        let (averages, fitted) = (report(Method::Averages), report(Method::Regression));
        for (stage, (averages, fitted)) in averages.stages.iter().zip(&fitted.stages).enumerate().skip(1) {
            assert!(fitted.error < averages.error, "stage {stage}: {} {}", fitted.error, averages.error);
        }
        for method in [Method::Averages, Method::Regression] {
            let learned = learn(method, "a test", &lessons);
            assert_eq!(Patterns::from_bytes(&learned.to_bytes()), Ok(learned.clone()));
            assert_eq!(learned.provenance().method, method);
        }
    }
    assert_eq!(Patterns::from_bytes(b"nply patterns 2\nmethod: guesses\n"), Err(PatternsError::Header("method")));
    assert_eq!(
        Patterns::from_bytes(b"nply patterns 2\nmethod: regression\nplayers: 5\n"),
        Err(PatternsError::Header("players"))
    );
}

#[test]
fn games_played_to_learn_from_are_the_same_for_the_same_seed_and_in_parts() {
    let learned = |lessons: &Lessons| learn(Method::Regression, "a test", lessons);
    let all = Lessons::by_play(3, 0..12, 5);
    let mut parts = Lessons::by_play(3, 0..5, 5);
    parts.extend(Lessons::by_play(3, 5..12, 5));
    assert_eq!((parts.games(), learned(&parts)), (12, learned(&all)));
    assert_eq!(learned(&all).provenance().positions, 12 * 60 * 3);
    assert_ne!(learned(&all), learned(&Lessons::by_play(3, 0..12, 6)));
}

#[test]
fn files_of_patterns_read_back_and_damage_is_found() {
    let patterns = learn(Method::Averages, "a test", &Lessons::from(&random_records(35, 10)[..]));
    let file = patterns.to_bytes();
    assert_eq!(Patterns::from_bytes(&file), Ok(patterns.clone()));
    assert_eq!(
        file,
        learn(Method::Averages, "a test", &Lessons::from(&random_records(35, 10)[..])).to_bytes(),
        "learning is deterministic"
    );

    let mut rng = Rng::new(36);
    for _ in 0..300 {
        let mut damaged = file.clone();
        match rng.below(3) {
            0 => damaged.truncate(rng.below(file.len())),
            1 => damaged[rng.below(200)] ^= 1 << rng.below(8),
            _ => damaged[rng.below(file.len())] ^= 1 << rng.below(8),
        }
        // The last bits of a compressed stream may be unused; every other change must be detected.
        assert!(
            Patterns::from_bytes(&damaged).is_ok_and(|read| read == patterns)
                || Patterns::from_bytes(&damaged).is_err()
        );
    }
    assert_eq!(Patterns::from_bytes(b"hello\n"), Err(PatternsError::Magic));
    assert_eq!(Patterns::from_bytes(b"nply patterns 1\n"), Err(PatternsError::Header("source")));
    let other = String::from_utf8_lossy(&file[..60]).replace("a test", "a jest");
    let other = [other.as_bytes(), &file[60..]].concat();
    assert!(matches!(Patterns::from_bytes(&other), Err(PatternsError::Checksum { .. })));
    let short = String::from_utf8_lossy(&file[..60]).into_owned();
    assert!(Patterns::from_bytes(short.as_bytes()).is_err());
}

#[test]
fn a_report_counts_positions_and_correlates_by_stage() {
    let games = random_records(37, 100);
    let patterns = learn(Method::Averages, "a test", &Lessons::from(&games[..]));
    let report = Report::new(&patterns, &Lessons::from(&games[..]));
    assert_eq!((report.games, report.positions), (100, patterns.provenance().positions));
    assert_eq!(report.stages[0].positions, 500);
    assert!(report.stages[11].correlation > report.stages[1].correlation, "{report:?}");
    assert!(report.stages.iter().all(|stage| (-1.0..=1.0).contains(&stage.correlation)), "{report:?}");

    // By hand: one game, one stage.
    let one = &random_records(38, 1);
    let (mut products, mut squares, mut distances, mut count) = (0.0, 0.0, 0.0, 0.0);
    let difference = f64::from(one[0].difference);
    let mut position = Othello::start(2, &Options::default(), 0);
    for &m in &one[0].moves {
        let stage = stage_of(position.occupied());
        if stage == 4 && m != Move::PASS {
            let score = f64::from(patterns.score(position.discs(Player::new(0)), position.occupied())) / 1000.0;
            (products, squares) = (products + score * difference, squares + score * score);
            distances += (score - difference).abs();
            count += 1.0;
        }
        position.play(m);
    }
    let stage = Report::new(&patterns, &Lessons::from(&one[..])).stages[4];
    assert!((stage.correlation - products / (squares * count * difference * difference).sqrt()).abs() < 1e-9);
    assert!((stage.error - distances / count).abs() < 1e-9);
    assert_eq!(Report::new(&patterns, &Lessons::from(&[][..])).stages, [Default::default(); STAGES]);
}

#[test]
fn recorded_games_read_back_with_their_passes() {
    let mut rng = Rng::new(39);
    let games: Vec<(Vec<Move>, Othello)> = (0..300).map(|_| random_game(&mut rng, 200)).collect();
    let passes = games.iter().flat_map(|(moves, _)| moves).filter(|&&m| m == Move::PASS).count();
    assert!(passes > 100, "{passes}");
    // The recorded score counts empty fields for the winner; only the board counts here.
    let file = write_wthor(1999, &games.iter().map(|(moves, _)| (moves.clone(), 64)).collect::<Vec<_>>());
    let read = wthor::read("test.wtb", &file).unwrap();
    assert_eq!(read.len(), 300);
    for (record, (moves, game)) in read.iter().zip(&games) {
        assert_eq!(*record, Record { year: 1999, moves: moves.clone(), difference: difference(game) });
    }
}

#[test]
fn a_game_given_up_has_the_result_on_record() {
    let (moves, _) = random_game(&mut Rng::new(40), 30);
    let read = wthor::read("test.wtb", &write_wthor(1999, &[(moves.clone(), 50), (Vec::new(), 0)])).unwrap();
    assert_eq!((&read[0].moves, read[0].difference), (&moves, 36));
    assert_eq!((read[1].moves.len(), read[1].difference), (0, -64));
}

#[test]
fn a_folder_is_read_in_the_order_of_names() {
    let path = folder("wthor-order");
    let games = |year| write_wthor(year, &[(Vec::new(), 32), (Vec::new(), 32)]);
    std::fs::write(path.join("WTH_2001.wtb"), games(2001)).unwrap();
    std::fs::write(path.join("WTH_1999.WTB"), games(1999)).unwrap();
    std::fs::write(path.join("README.md"), "no games").unwrap();
    let years: Vec<u16> = wthor::read_folder(&path).unwrap().iter().map(|record| record.year).collect();
    assert_eq!(years, [1999, 1999, 2001, 2001]);
}

#[test]
fn damaged_records_say_where_they_are_damaged() {
    let (moves, _) = random_game(&mut Rng::new(41), 200);
    let file = write_wthor(1999, &[(moves.clone(), 32), (moves, 32)]);
    let damage = |at: usize, byte: u8| {
        let mut file = file.clone();
        file[at] = byte;
        wthor::read("x.wtb", &file).unwrap_err().to_string()
    };
    let error = |bytes: &[u8]| wthor::read("x.wtb", bytes).unwrap_err().to_string();
    assert_eq!(error(&file[..10]), "x.wtb: not a WTHOR file: the header has 10 bytes instead of 16");
    assert_eq!(error(&file[..100]), "x.wtb: damaged: 2 games take 152 bytes, the file has 100");
    assert_eq!(error(&[&file[..], &[0]].concat()), "x.wtb: damaged: 2 games take 152 bytes, the file has 153");
    assert_eq!(damage(12, 10), "x.wtb: not a WTHOR file: the header has board size 10 instead of 8, or 0 for 8");
    assert_eq!(damage(11, 0), "x.wtb: not a WTHOR file: the header has year 207 instead of one from 1900 to 2199");
    assert_eq!(damage(7, 255), "x.wtb: damaged: 4278190082 games take 290916925592 bytes, the file has 152");
    assert_eq!(damage(16 + 68 + 6, 65), "x.wtb: game 2: Black ends with 65 discs of 64");
    assert_eq!(damage(16 + 8, 11), "x.wtb: game 1, disc 1: a1 is not a legal move");
    assert_eq!(damage(16 + 8, 99), "x.wtb: game 1, disc 1: 99 is not a legal move");
    let error = damage(16 + 68 + 8 + 10, 0);
    assert!(error.starts_with("x.wtb: game 2, disc 12: "), "a move after the end: {error}");

    let empty = folder("wthor-empty");
    assert!(matches!(wthor::read_folder(&empty), Err(WthorError::Empty { .. })));
    assert!(matches!(wthor::read_folder(&empty.join("none")), Err(WthorError::Unreadable { .. })));
}

#[test]
fn no_bytes_make_a_reader_fail() {
    let mut rng = Rng::new(42);
    let (moves, _) = random_game(&mut rng, 200);
    let file = write_wthor(1999, &[(moves.clone(), 32), (moves, 32)]);
    let mut read = 0;
    for _ in 0..20_000 {
        let mut damaged = file.clone();
        for _ in 0..1 + rng.below(3) {
            damaged[rng.below(file.len())] = rng.below(256) as u8;
        }
        if rng.below(10) == 0 {
            damaged.truncate(rng.below(file.len()));
        }
        read += usize::from(wthor::read("x.wtb", &damaged).is_ok());
    }
    assert!(read > 100, "bytes that mean nothing here may be anything: {read}");
}
