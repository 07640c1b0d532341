//! FEN4 and PGN4: what both rules can tell reads back, and the rest is refused with the reason.

use nply::{Declaration, Error, Game, Notation, Rng, testing};
use nply_arena::npgn::{Ply, Reader, TextFormat, Transcript};
use nply_arena::{Registry, pgn4};
use nply_games::chess::FourPlayerChess;

/// The starting position as the public documentation of FEN4 gives it.
const DOCUMENTED: &str = "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-
3,yR,yN,yB,yK,yQ,yB,yN,yR,3/
3,yP,yP,yP,yP,yP,yP,yP,yP,3/
14/
bR,bP,10,gP,gR/
bN,bP,10,gP,gN/
bB,bP,10,gP,gB/
bK,bP,10,gP,gQ/
bQ,bP,10,gP,gK/
bB,bP,10,gP,gB/
bN,bP,10,gP,gN/
bR,bP,10,gP,gR/
14/
3,rP,rP,rP,rP,rP,rP,rP,rP,3/
3,rR,rN,rB,rQ,rK,rB,rN,rR,3";

/// The other one in use, in which all sides see the same, and corners are crosses. It is ours.
const TURNED: &str = "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-x,x,x,yR,yN,yB,yK,yQ,yB,yN,yR,x,x,x/\
    x,x,x,yP,yP,yP,yP,yP,yP,yP,yP,x,x,x/x,x,x,8,x,x,x/bR,bP,10,gP,gR/bN,bP,10,gP,gN/bB,bP,10,gP,gB/\
    bQ,bP,10,gP,gK/bK,bP,10,gP,gQ/bB,bP,10,gP,gB/bN,bP,10,gP,gN/bR,bP,10,gP,gR/x,x,x,8,x,x,x/\
    x,x,x,rP,rP,rP,rP,rP,rP,rP,rP,x,x,x/x,x,x,rR,rN,rB,rQ,rK,rB,rN,rR,x,x,x";

fn start() -> FourPlayerChess {
    FourPlayerChess::start(4, &(), 0)
}

fn read(text: &str) -> Result<Vec<Transcript>, Error> {
    let registry = Registry::standard();
    Reader::new(text.as_bytes(), TextFormat::Pgn4, "x.pgn4").map(|game| game?.check(&registry)).collect()
}

/// What a position is without the plies played and the earlier positions.
fn board(game: &FourPlayerChess) -> Vec<String> {
    game.to_text().split(' ').take(6).map(String::from).collect()
}

#[test]
fn both_starting_positions_of_fen4_are_read() {
    assert_eq!(start().read(TURNED).unwrap().to_text(), start().to_text());
    let error = start().read(DOCUMENTED).err().unwrap();
    assert!(error.expected.contains("Blue only with the king on a7"), "{error}");
    let without = DOCUMENTED.replace("1,1,1,1-1,1,1,1", "1,0,1,0-1,0,1,0");
    let game = start().read(&without).unwrap();
    assert_eq!(testing::perft(&mut game.clone(), 1), 20);
    let written = game.to_fen4().unwrap();
    assert_eq!(written, without.replace('\n', ""));
}

#[test]
fn random_positions_read_back_from_fen4_unless_a_pawn_has_bent_off() {
    let mut rng = Rng::new(4);
    let (mut same, mut bent, mut passed) = (0, 0, 0);
    for _ in 0..60 {
        let mut game = start();
        let mut moves = Vec::new();
        for _ in 0..rng.below(120) {
            moves.clear();
            game.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            game.play(rng.pick(&moves));
            match game.to_fen4() {
                Ok(fen4) => {
                    same += 1;
                    passed += usize::from(fen4.contains("enPassant"));
                    assert_eq!(board(&start().read(&fen4).unwrap()), board(&game), "{fen4}");
                }
                Err(why) => {
                    bent += 1;
                    let is_bent = game.to_text().contains(['^', '>', '<']) || game.to_text().contains('v');
                    assert!(if why.contains("bent off") { is_bent } else { game.payoff().is_some() }, "{why}");
                }
            }
        }
    }
    assert!(same > 1000 && bent > 100 && passed > 500, "{same} {bent} {passed}");
}

#[test]
fn what_fen4_says_and_these_rules_do_not_is_refused_with_the_reason() {
    for (from, to, expected) in [
        ("R-0", "W-0", "a piece, such as wK"),
        ("R-0,0,0,0", "R-1,0,0,0", "the player to move, who is not out"),
        ("R-0,0,0,0", "R-0,0,0,1", "Green among the living, with pieces on the board"),
        ("R-0,0,0,0", "R-0,0,0", "who is out, 0 or 1"),
        ("0,0,0,0-0-", "0,5,0,0-0-", "points are not counted"),
        ("0,0,0,0-0-", "0,0,0,0-201-", "at most 200"),
        ("0,0,0,0-0-", "0,0,0,0-0-{'lives':(3,3,3,3)}-", "the only rule in braces"),
        ("0,0,0,0-0-", "0,0,0,0-0-{'enPassant':('e4:e5','','','')}-", "a square that a pawn of Red has passed"),
        ("x,x,x,yR", "yP,x,x,yR", "no piece beyond the board"),
        ("bR,bP,10,gP", "bR,bP,9,gP", "14 squares in row 11"),
        ("8,x,x,x/bR", "dP,7,x,x,x/bR", "leave the board here"),
        ("8,x,x,x/bR", "yα,7,x,x,x/bR", "a piece, such as rK"),
        ("rB,rN,rR", "rB,rN,rK", "exactly one king of Red"),
        ("yK,yQ", "yP,yQ", "no such pawn on g14"),
        ("rR,x,x,x", "rR,x,x,x/14", "nothing after row 1"),
    ] {
        assert!(TURNED.contains(from), "{from}");
        let text = TURNED.replacen(from, to, 1);
        let error = start().read(&text).err().unwrap_or_else(|| panic!("{text}"));
        assert!(error.expected.contains(expected), "{to}: {error}");
    }
    testing::mangle(&[TURNED, DOCUMENTED], 20_000, |text| match start().read(text) {
        Ok(game) => assert_eq!(start().read(&game.to_text()).unwrap().to_text(), game.to_text()),
        Err(error) => testing::check_error(&error, &text.replace(['\n', '\r'], " ")),
    });
}

/// A random game up to the first ply that PGN4 cannot tell, and why.
fn random_game(seed: u64) -> (Transcript, Option<(String, String)>) {
    let mut rng = Rng::new(seed);
    let mut position = start();
    let mut game = Transcript {
        game: FourPlayerChess::NAME.into(),
        seats: ["brs", "human", "?", "maxn:depth=1"].map(String::from).to_vec(),
        number: Some(seed),
        comment: "a game".into(),
        seed: 1,
        ..Transcript::default()
    };
    if seed.is_multiple_of(3) {
        let mut moves = Vec::new();
        for _ in 0..3 {
            moves.clear();
            position.moves(&mut moves);
            position.play(rng.pick(&moves));
        }
        let text = start().read(&position.to_fen4().unwrap()).unwrap().to_text();
        position = start().read(&text).unwrap();
        game.position = Some(text);
    }
    let mut moves = Vec::new();
    loop {
        moves.clear();
        position.moves(&mut moves);
        if moves.is_empty() {
            game.result = position.payoff().map(|payoff| payoff.as_slice().to_vec());
            return (game, None);
        }
        let m = rng.pick(&moves);
        let text = position.move_to_text(m);
        match position.move_to_pgn4(m) {
            Ok(written) => assert!(position.move_from_pgn4(&written) == Ok(m), "{written}"),
            Err(why) => return (game, Some((text, why))),
        }
        let comment = if rng.below(5) == 0 { "well, \\ played".into() } else { String::new() };
        game.plies.push(Ply { seat: position.turn().index(), m: text, comment, ..Ply::default() });
        position.play(m);
    }
}

#[test]
fn random_games_read_back_from_pgn4_up_to_the_first_ply_where_the_rules_differ() {
    let mut reasons = String::new();
    let (mut castles, mut captures) = (0, 0);
    for seed in 1..=60 {
        let (game, next) = random_game(seed);
        let text = pgn4::text(&game).unwrap();
        assert_eq!(
            read(&text).unwrap_or_else(|error| panic!("{error}\n{text}")),
            std::slice::from_ref(&game),
            "{text}"
        );
        castles += text.matches("O-O").count();
        captures += text.matches('x').count();
        let Some((m, why)) = next else { continue };
        reasons.push_str(&why);
        let mut longer = game.clone();
        longer.plies.push(Ply { m, ..Ply::default() });
        let error = pgn4::text(&longer).unwrap_err();
        assert_eq!(error.message, format!("not to be written as PGN4: ply {}: {why}", longer.plies.len()));
    }
    assert!(reasons.contains("bends off"), "{reasons}");
    assert!(captures > 100 && castles > 0, "{captures} {castles}");
}

#[test]
fn a_game_by_other_rules_is_refused_with_the_reason() {
    let right = format!(
        "[Variant \"FFA\"]\n[RuleVariants \"EnPassant Prom=8\"]\n[StartFen4 \"{}\"]\n[Red \"a\"]\n[Result \"R: 3 - B: 0 - Y: 1 - G: 2\"]\n\n\
        1. d2-d4 .. b8-c8 .. k13-k11 .. m8-l8 {{ a comment }}\n2. Nj1-i3 .. b5-d5 .. Yx\n",
        TURNED.replace('/', "/\n")
    );
    let right = right.replace(" .. Yx", " .. Nj14-i12");
    let [game] = &read(&right).unwrap()[..] else { panic!("one game") };
    assert_eq!(game.moves().join(" "), "d2-d4 b8-c8 k13-k11 m8-l8 j1-i3 b5-d5 j14-i12");
    assert_eq!((game.seats[0].as_str(), game.seats[1].as_str(), game.result.as_ref()), ("a", "?", None));
    assert_eq!(
        (game.plies[3].comment.as_str(), game.tag("Pgn4Result")),
        ("a comment", Some("R: 3 - B: 0 - Y: 1 - G: 2"))
    );
    assert_eq!(read(&pgn4::text(game).unwrap()).unwrap(), std::slice::from_ref(game));
    for (from, to, line, message) in [
        ("\"FFA\"", "\"Teams\"", 1, "the variant \"Teams\""),
        ("Prom=8", "KingOfTheHill", 1, "the rule \"KingOfTheHill\""),
        ("[StartFen4 ", "[Opening ", 1, "without the tag StartFen4"),
        ("R-0,0,0,0", "R-0,0,0,2", 1, "StartFen4: "),
        ("d2-d4", "Rd2-d4", 20, "another piece stands on d2"),
        ("d2-d4", "d2-d5", 20, "ply 1: \"d2-d5\" is not a legal move of Red by these rules"),
        ("d2-d4", "d2-d4=Q", 20, "a pawn promotes where its way ends"),
        ("d2-d4", "d4", 20, "is not a move, such as e2-e4"),
        ("d2-d4", "R", 20, "ply 1: Red resigns"),
        ("b8-c8", "T", 20, "ply 2: Blue runs out of time"),
        ("b8-c8", "O-O", 20, "not a legal move of Blue"),
        ("Nj14-i12", "#", 21, "ply 7: Yellow is mated, whose pieces stay on the board there"),
        ("Nj14-i12", "S", 21, "ply 7: Yellow is stalemated"),
    ] {
        assert!(right.contains(from), "{from}");
        let error = read(&right.replacen(from, to, 1)).unwrap_err();
        assert!(error.message.starts_with(&format!("x.pgn4 line {line}: ")), "{to}: {error}");
        assert!(error.message.contains(message), "{message}: {error}");
    }
    let text = right.replace(&TURNED.replace('/', "/\n"), "4PC");
    assert!(read(&text).unwrap_err().message.contains("the starting position \"4PC\" by a name"));
    // A pawn that bends off, and one who is out.
    let (moves, why) = ("e2-e4 b4-c4 d13-d12 m4-l4 e4-e5 b5-c5 e13-e12 m5-l5 e5-f5", "ply 9: the pawn on e5 bends off");
    let plies = moves.split(' ').map(|m| Ply { m: m.into(), ..Ply::default() }).collect();
    let bent = Transcript { plies, position: None, ..game.clone() };
    assert!(pgn4::text(&bent).unwrap_err().message.ends_with(why), "{why}: {:?}", pgn4::text(&bent));
    let other = Transcript { game: "focus".into(), ..game.clone() };
    assert!(pgn4::text(&other).unwrap_err().message.contains("focus is not written as PGN4"));
    let odd = Transcript { comment: "a } brace".into(), ..game.clone() };
    assert!(pgn4::text(&odd).unwrap_err().message.contains("a comment has a brace"));
    let samples = [right.clone(), pgn4::text(game).unwrap()];
    testing::mangle(&samples, 5_000, |text| match read(text) {
        Ok(_) => {}
        Err(error) => testing::check_error(&error.message, text),
    });
}

#[test]
fn a_position_as_text_is_written_as_fen4() {
    assert_eq!(pgn4::fen4(TURNED).unwrap(), start().to_fen4().unwrap());
    assert!(pgn4::fen4("nonsense").is_err());
}
