//! Games as text: whatever is written reads back, and no text makes the reader fail.

use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nply::{Budget, Error, Rng, mix, testing};
use nply_arena::npgn::{self, Ply, Reader, TextFormat, Transcript, result_text};
use nply_arena::{Ending, Forfeit, Match, MatchSettings, Opening, Openings, Registry, Schedule, Seating, Terms};

fn text(games: &[Transcript]) -> String {
    let mut out = Vec::new();
    games.iter().for_each(|game| npgn::write(&mut out, game).unwrap());
    String::from_utf8(out).unwrap()
}

fn read(text: &str, registry: &Registry) -> Result<Vec<Transcript>, Error> {
    Reader::new(text.as_bytes(), TextFormat::Npgn, "x.npgn").map(|game| game?.check(registry)).collect()
}

/// A text with everything in it that a reader might trip over.
fn odd_text(rng: &mut Rng) -> String {
    let parts = [
        "a",
        "é∞",
        " ",
        "  ",
        "\n",
        "\r\n",
        "{",
        "}",
        "\\",
        "\"",
        "[",
        "]",
        "[%depth 3]",
        "\\[%nodes",
        "[%",
        ";",
        "%",
        "1-0",
        "*",
        "12.",
        "(",
        "$1",
        "[Game \"x\"]",
        "\\n",
        "\t",
        "\0",
        "\u{feff}",
    ];
    let text: String = (0..rng.below(8)).map(|_| rng.pick(&parts)).collect();
    text.trim().into()
}

fn chance<T>(rng: &mut Rng, value: T) -> Option<T> {
    (rng.below(2) == 0).then_some(value)
}

/// A random game of some plies, or to its end, with random things said about it.
fn random_game(registry: &Registry, name: &str, players: usize, seed: u64) -> Transcript {
    let mut rng = Rng::new(mix(seed));
    let mut game = Transcript {
        game: name.into(),
        seats: (0..players).map(|_| odd_text(&mut rng)).collect(),
        names: (0..players).map(|_| chance(&mut rng, ()).map(|()| odd_text(&mut rng))).collect(),
        budget: if seed.is_multiple_of(2) { "depth=3,nodes=250k,time=200ms".into() } else { String::new() },
        seed: mix(seed),
        name: chance(&mut rng, ()).map(|()| odd_text(&mut rng)),
        number: chance(&mut rng, mix(seed)),
        tags: vec![("Event".into(), odd_text(&mut rng)), ("Ending_2".into(), odd_text(&mut rng))],
        comment: odd_text(&mut rng),
        ..Transcript::default()
    };
    let named = registry.find(name).unwrap();
    let mut session = named.open(&game.request()).unwrap();
    if seed.is_multiple_of(3) {
        // From a position in the middle.
        for _ in 0..rng.below(20) {
            let moves = session.moves();
            if session.payoff().is_some() {
                break;
            }
            session.play(&moves[rng.below(moves.len())]).unwrap();
        }
        game.position = Some(session.position());
        session = named.open(&game.request()).unwrap();
    }
    let most = if seed.is_multiple_of(5) { rng.below(30) } else { 150 };
    while session.payoff().is_none() && game.plies.len() < most {
        let moves = session.moves();
        let m = moves[rng.below(moves.len())].clone();
        let nanos = mix(rng.below(1 << 30) as u64) >> rng.below(30) >> 34;
        game.plies.push(Ply {
            seat: session.turn() - 1,
            depth: chance(&mut rng, nanos as u32),
            nodes: chance(&mut rng, mix(nanos)),
            time: chance(&mut rng, Duration::from_nanos(nanos)),
            comment: if rng.below(4) == 0 { odd_text(&mut rng) } else { String::new() },
            m: m.clone(),
        });
        session.play(&m).unwrap();
    }
    game.result = session.payoff();
    game
}

/// Games with some options, and all without.
fn names(registry: &Registry) -> Vec<(String, Vec<usize>)> {
    let plain = registry.games().map(|info| (info.name.to_string(), info.players.to_vec()));
    let others =
        ["focus:rules=standard,limit=80", "connect-four:columns=5,rows=4", "hearts:hidden=yes", "spades:break=yes"];
    let others = others.into_iter().map(|name| (name.into(), registry.find(name).unwrap().info().players.to_vec()));
    plain.chain(others).collect()
}

#[test]
fn random_games_of_every_game_and_number_of_players_read_back_exactly() {
    let registry = Registry::standard();
    let mut finished = 0;
    for (name, counts) in names(&registry) {
        for &players in &counts {
            let games: Vec<Transcript> = (1..=8).map(|seed| random_game(&registry, &name, players, seed)).collect();
            let written = text(&games);
            let back =
                read(&written, &registry).unwrap_or_else(|error| panic!("{name}, {players}: {error}\n{written}"));
            assert_eq!(back, games, "{name}, {players} players");
            finished += games.iter().filter(|game| game.result.is_some()).count();
        }
    }
    assert!(finished > 50, "{finished}");
}

/// A small match between agents with costs of every kind.
fn sample_match(registry: &Registry) -> (MatchSettings, Vec<nply_arena::GameRecord>) {
    let game = registry.find("connect-four:columns=5,rows=4").unwrap();
    let agents = game.agent_list("brs:nodes=200 fast=random maxn:depth=1", 3).unwrap();
    let (budget, seating) = (Budget::time(Duration::from_millis(1)), Seating::All);
    let (players, games, seed, threads, terms) = (3, 12, 7, 2, Terms::default());
    let (schedule, sampled, progress) = (Schedule::All, None, |_: &str, _| ());
    let openings = Some(Openings::Random(2));
    let sample = Match {
        game,
        players,
        agents,
        games,
        budget,
        terms,
        openings,
        seating,
        schedule,
        sampled,
        seed,
        threads,
        progress,
    };
    let mut games = sample.run(&Arc::new(AtomicBool::new(false)), |_| ()).unwrap();
    assert!(games.iter().all(|record| record.opening.moves.len() == 2));
    // As from a file of positions.
    let start = sample.game.open(&games[5].opening.request(3, games[5].seed)).unwrap();
    games[5].opening = Opening { position: Some(start.position()), moves: Vec::new() };
    // As if a program had broken the protocol, and as a packed file has it.
    let forfeit = Forfeit { seat: 1, reason: "it wrote \"no, ö\"\n} [%depth 3]".into() };
    games[3].moves.truncate(5);
    games[3].decisions.truncate(5);
    games[3].payoff = vec![0.5, 0.0, 0.5];
    games[3].points = None;
    games[3].ending = Ending::Forfeit(forfeit);
    games[4].decisions.iter_mut().for_each(|decision| decision.time = Duration::ZERO);
    (sample.settings(), games)
}

#[test]
fn the_records_of_a_match_read_back_exactly() {
    let registry = Registry::standard();
    let (settings, games) = sample_match(&registry);
    let written: Vec<Transcript> =
        games.iter().map(|record| Transcript::from_record("a match", &settings, record)).collect();
    let mut back = read(&text(&written), &registry).unwrap();
    // Who made the moves of an opening is not in a record, and is found by the rules.
    assert_eq!((back[0].plies[1].seat, back[0].opening), (1, 2));
    back.iter_mut().for_each(|game| game.plies[..game.opening].iter_mut().for_each(|ply| ply.seat = 0));
    assert!(back == written, "{}", text(&back));
    for (game, record) in back.iter().zip(&games) {
        assert_eq!(game.record(game.number.unwrap(), &settings).unwrap().as_ref(), Some(record));
        let (agents, names) = (settings.agents.clone(), settings.names.clone());
        assert_eq!(MatchSettings { agents, names, ..game.settings() }, settings);
        assert_eq!(game.name.as_deref(), Some("a match"));
    }
}

const SAMPLE: &str = "[Game \"connect-four:columns=5,rows=4\"]
[Players \"3\"]
[Match \"sample\"]
[Number \"0\"]
[Seat1 \"brs\"]
[Seat2 \"human\"]
[Seat3 \"a \\\"quoted\\\" \\\\ name\"]
[Budget \"nodes=500\"]
[Seed \"1\"]
[Result \"*\"]

{a game} 1. b {[%depth 3] [%nodes 120] [%time 1.5ms] well\\} played} a ; to the end of the line
c 4. *

[Game \"othello\"]
[Players \"2\"]
[Result \"*\"]

1. c4 c3 3.d3 *
";

#[test]
fn a_text_written_by_hand_is_read() {
    let registry = Registry::standard();
    let text = SAMPLE.to_string();
    for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}% a line to skip\n\n{text}\n\n")] {
        let games = read(&text, &registry).unwrap();
        assert_eq!(games.len(), 2);
        let [one, other] = &games[..] else { panic!("two games") };
        assert_eq!(one.seats, ["brs", "human", "a \"quoted\" \\ name"]);
        assert_eq!((one.comment.as_str(), one.plies[0].comment.as_str()), ("a game", "well} played"));
        let first = &one.plies[0];
        assert_eq!((first.depth, first.nodes, first.time), (Some(3), Some(120), Some(Duration::from_micros(1500))));
        assert_eq!((one.plies[1].comment.as_str(), one.plies[2].seat), ("to the end of the line", 2));
        assert_eq!(
            (other.seats.len(), other.seats[0].as_str(), other.seed, other.moves()),
            (2, "?", 1, ["c4", "c3", "d3"].map(String::from).to_vec())
        );
    }
}

#[test]
fn a_damaged_text_gets_an_error_with_its_line_and_what_would_be_right() {
    let registry = Registry::standard();
    let game = Transcript { comment: "one".into(), ..random_game(&registry, "rolit", 3, 2) };
    let game = Transcript {
        seats: vec!["a".into(), "b".into(), "c".into()],
        names: vec![None; 3],
        name: Some("m".into()),
        number: Some(5),
        tags: vec![("Points".into(), "9 9 9".into())],
        plies: game
            .plies
            .iter()
            .map(|ply| Ply { depth: Some(2), nodes: None, time: None, comment: String::new(), ..ply.clone() })
            .collect(),
        ..game
    };
    let right = text(&[Transcript { tags: Vec::new(), ..game.clone() }]);
    assert!(read(&right, &registry).is_ok(), "{right}");
    let last = right.trim_end().lines().count();
    let result = result_text(game.result.as_deref());
    let end = format!(" {result}");
    let changed = |from: &str, to: &str| {
        assert!(right.contains(from), "{from:?} in {right}");
        right.replacen(from, to, 1)
    };
    let first = &game.plies[0].m;
    let unclosed = right.trim_end().trim_end_matches(&end).trim_end_matches('}').to_string();
    let wrong_result = |to: &str| right.replace(&result, to);
    for (text, line, message, help) in [
        (changed("[Game \"rolit\"]\n", ""), 1, "without the tag Game", "write [Game \"focus\"]"),
        (changed("\"rolit\"", "\"rollit\""), 1, "unknown game \"rollit\"", "did you mean \"rolit\""),
        (changed("\"rolit\"", "\"rolit:size=5\""), 1, "size", ""),
        (changed("\"rolit\"]", "\"rolit\""), 1, "the tag Game has no closing bracket", "write [Name \"value\"]"),
        (changed("\"rolit\"]", "\"rolit]"), 1, "the value of the tag Game has no closing quote", "for a quote"),
        (changed("[Players \"3\"]", "[Players]"), 2, "a tag without a name and a value", "write [Name \"value\"]"),
        (changed("[Players \"3\"]", "[Players \"many\"]"), 2, "\"many\" in the tag Players", "a number of players"),
        ("[Game \"rolit\"]\n[Players \"5\"]\n[Result \"*\"]\n\n*\n".into(), 2, "rolit is not for 5 players", "2, 3, 4"),
        (changed("[Number \"5\"]", "[Number \"-5\"]"), 4, "\"-5\" in the tag Number", "a whole number"),
        (changed("[Match \"m\"]", "[Number \"4\"]"), 4, "the tag Number a second time", "once"),
        (
            changed("[Seat1 \"a\"]", "[Seat4 \"a\"]"),
            5,
            "the tag Seat4 of \"a\" in a game of 3 players",
            "Seat1 to Seat3",
        ),
        (changed("\"depth=3,", "\"deepness=3,"), 8, "in the tag Budget", "limits, such as nodes=10k"),
        (changed("[Result ", "[Outcome "), 1, "without the tag Result", "1/2-1/2-1/2 or *"),
        (
            changed(&format!("[Result \"{result}\"]"), "[Result \"1-0\"]"),
            10,
            "\"1-0\" in the tag Result",
            "1/2-1/2-1/2 or *",
        ),
        (
            changed(&format!("[Result \"{result}\"]"), "[Result \"*\"]"),
            last,
            "after the moves, and * in the tag",
            "both are the same",
        ),
        (wrong_result("*"), last, "the result is not *", &format!("write {result}")[..]),
        (wrong_result("0.9-0.1-0"), last, "the result is not 0.9-0.1-0", &format!("write {result}")[..]),
        (
            right.trim_end().trim_end_matches(&end).into(),
            last,
            "without a result after its last move",
            &format!("write {result}")[..],
        ),
        (right.clone() + "a1", last + 2, "the move a1 after the result", "a tag begins the next game"),
        (right.clone() + "*", last + 2, "a second result *", "the game ended with"),
        (unclosed, last, "a comment that is never closed", "write }"),
        (changed("{one}", "(a1)"), 12, "'(' where a move", "stands in quotes"),
        (changed("{one}", "\"a1"), 12, "has no closing quote", "write it as \"MOVE\""),
        (changed("1. ", "2. "), 12, "the number 2 before ply 1", "write 1."),
        (changed("[%depth 2]", "[%depth two]"), 12, "\"two\" is no depth", "[%depth 5]"),
        (changed("[%depth 2]", "[%depth 2] [%depth 3]"), 12, "a second depth", "once"),
        (changed(&format!("1. {first} "), "1. z9 "), 12, "no legal move \"z9\"", ""),
        (text(std::slice::from_ref(&game)), last + 1, "the points are not \"9 9 9\"", "write "),
    ] {
        let error = read(&text, &registry).expect_err(&text);
        let place = format!("x.npgn line {line}: ");
        assert!(error.message.starts_with(&place), "{place}{message}: {error}\n{text}");
        assert!(error.message.contains(message), "{message}: {error}\n{text}");
        let found = error.help.clone().unwrap_or_default();
        assert!(found.contains(help), "{help}: {error}\n{text}");
    }
    let error = Reader::new(&b"[Game \"a\xff\"]"[..], TextFormat::Npgn, "x.npgn").next().unwrap().unwrap_err();
    assert!(error.message.contains("line 1: not a text in UTF-8"), "{error}");
    // What cannot be over has no result, unless it ended in another way.
    let cut = Transcript { plies: game.plies[..3].to_vec(), tags: Vec::new(), ..game.clone() };
    let error = read(&text(std::slice::from_ref(&cut)), &registry).unwrap_err();
    assert!(error.message.contains("is not over after its last move"), "{error}");
    let tags = [("Ending", "forfeit"), ("EndingSeat", "2"), ("EndingReason", "it was silent")];
    let tags = tags.map(|(name, value)| (name.into(), value.into())).to_vec();
    let forfeited = Transcript { tags, ..cut.clone() };
    assert_eq!(read(&text(std::slice::from_ref(&forfeited)), &registry).unwrap(), [forfeited]);
    let tags = vec![("Ending".into(), "boredom".into())];
    let error = read(&text(&[Transcript { tags, ..cut }]), &registry).unwrap_err();
    assert!(error.message.contains("the tag Ending does not fit"), "{error}");
}

#[test]
fn no_text_makes_the_reader_fail_and_what_is_read_reads_back() {
    let registry = Registry::standard();
    let (settings, records) = sample_match(&registry);
    let mut samples = vec![SAMPLE.to_string(), text(&[Transcript::from_record("m", &settings, &records[3])])];
    for (name, players) in [("connect-four:columns=5,rows=4", 2), ("tree", 3), ("connect-four", 2), ("hearts", 3)] {
        samples.push(text(&[random_game(&registry, name, players, 5)]));
        samples.push(text(&[random_game(&registry, name, players, 10), random_game(&registry, name, players, 2)]));
    }
    let mut whole = 0;
    testing::mangle(&samples, 10_000, |damaged| match read(damaged, &registry) {
        Ok(games) => {
            whole += games.len();
            assert_eq!(read(&text(&games), &registry).as_ref(), Ok(&games), "{damaged:?}");
        }
        Err(error) => testing::check_error(&error.message, damaged),
    });
    assert!(whole > 250, "{whole}");
}

/// The same text again and again.
struct Repeated<'a> {
    text: &'a [u8],
    at: usize,
    left: usize,
}

impl Read for Repeated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.text.len() {
            (self.at, self.left) = (0, self.left - 1);
        }
        let rest = if self.left == 0 { &[][..] } else { &self.text[self.at..] };
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

#[test]
fn a_large_text_is_read_game_by_game() {
    let registry = Registry::standard();
    let game = text(&[random_game(&registry, "connect-four:columns=5,rows=4", 2, 4)]);
    let large = Repeated { text: game.as_bytes(), at: 0, left: 5_000 };
    let mut count = 0;
    for game in Reader::new(BufReader::new(large), TextFormat::Npgn, "x.npgn") {
        count += 1;
        if count % 500 == 0 {
            game.unwrap().check(&registry).unwrap();
        }
    }
    assert_eq!(count, 5_000);
}
