//! Openings of matches: where games start, what is kept of them, and how often the promised error rates hold with them.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nply::{Budget, Error};
use nply_arena::npgn::{self, Transcript};
use nply_arena::statistics::{Measure, Referee, Verdict, distinct};
use nply_arena::{GameRecord, Match, MatchFile, Opening, Openings, Registry, Request, Schedule, Seating, Store, Terms};

/// A small match without openings.
fn small(game: &str, players: usize, agents: &str, games: u64) -> Match {
    let game = Registry::standard().find(game).unwrap();
    Match {
        agents: game.agent_list(agents, players).unwrap(),
        game,
        players,
        games,
        budget: Budget::nodes(50),
        terms: Terms::default(),
        openings: None,
        seating: Seating::All,
        schedule: Schedule::All,
        sampled: None,
        seed: 5,
        threads: 1,
        progress: |_, _| (),
    }
}

fn rolit(games: u64, openings: Openings) -> Match {
    Match { openings: Some(openings), ..small("rolit", 3, "brs:eval=discs maxn:depth=1,eval=discs", games) }
}

/// The games of a match, without their times.
fn games(game: &Match) -> Vec<GameRecord> {
    timeless(game.run(&Arc::default(), |_| ()).unwrap())
}

fn timeless(mut games: Vec<GameRecord>) -> Vec<GameRecord> {
    for record in &mut games {
        record.decisions.iter_mut().for_each(|decision| decision.time = Duration::ZERO);
        record.costs.iter_mut().for_each(|cost| cost.time = Duration::ZERO);
    }
    games
}

/// The openings of a text, in a file of this name.
fn read(name: &str, text: &str, game: &str, players: usize) -> Result<Openings, Error> {
    let (folder, registry) = (tempfile::tempdir().unwrap(), Registry::standard());
    fs::write(folder.path().join(name), text).unwrap();
    Openings::read(name, folder.path(), &registry, &registry.find(game).unwrap(), players)
}

/// The first so many openings of some, and the positions after them.
fn first(openings: &Openings, game: &str, players: usize, count: u64) -> Vec<(Opening, String)> {
    let game = Registry::standard().find(game).unwrap();
    let get = |round| {
        let opening = openings.get(&game, players, round, 3 * round + 1).unwrap();
        let position = game.open(&opening.request(players, 3 * round + 1)).unwrap().position();
        (opening, position)
    };
    (0..count).map(get).collect()
}

#[test]
fn all_seatings_of_a_round_have_the_same_opening_and_rounds_have_different_ones() {
    let played = games(&rolit(18, Openings::Random(4)));
    let mut rounds: BTreeMap<u64, HashSet<Vec<String>>> = BTreeMap::new();
    for record in &played {
        assert_eq!((record.opening.moves.len(), &record.opening.position), (4, &None));
        rounds.entry(record.number / 6).or_default().insert(record.opening.moves.clone());
    }
    assert!(rounds.values().all(|openings| openings.len() == 1), "{rounds:?}");
    assert_eq!(rounds.values().flatten().collect::<HashSet<_>>().len(), 3, "{rounds:?}");
    // In a sample a round is a block.
    let sampled = Match { sampled: Some(true), ..rolit(6, Openings::Random(4)) };
    let openings: Vec<Opening> = games(&sampled).into_iter().map(|record| record.opening).collect();
    assert!(openings.chunks(2).all(|block| block[0] == block[1]) && openings[0] != openings[2], "{openings:?}");
}

#[test]
fn openings_are_the_same_on_any_number_of_workers_on_resuming_and_with_more_games() {
    let book = read("book.txt", "c4 c3\nd3 c3 c4\nf5", "othello", 2).unwrap();
    let othello = |openings| Match { openings: Some(openings), ..small("othello", 2, "greedy random", 8) };
    for own in [rolit(12, Openings::Random(5)), othello(book), othello(Openings::Random(3))] {
        let whole = games(&own);
        assert_eq!(games(&Match { threads: 4, ..own.clone() }), whole);
        let fewer = Match { games: own.games / 2, ..own.clone() };
        assert_eq!(games(&fewer), whole[..whole.len() / 2]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let kept = |own: &Match| timeless(own.run_kept(&path, "test", &Arc::default(), |_| ()).unwrap());
        assert_eq!(kept(&fewer), whole[..whole.len() / 2]);
        assert_eq!(kept(&Match { threads: 3, ..own.clone() }), whole);
        // Another seed has other random openings, and the same of a file.
        let openings = |games: &[GameRecord]| games.iter().map(|record| record.opening.clone()).collect::<Vec<_>>();
        let other = games(&Match { seed: 6, ..own.clone() });
        let is_random = matches!(own.openings, Some(Openings::Random(_)));
        assert_eq!(openings(&other) != openings(&whole), is_random);
    }
}

#[test]
fn the_openings_of_a_file_come_in_their_order_and_then_again() {
    let position = Registry::standard().find("othello").unwrap();
    let position = position.open(&Request { moves: "d3".into(), ..Request::default() }).unwrap().position();
    let text =
        format!("\u{feff}# a comment\n\n  c4   c3  # two moves\r\nposition {position}\nmoves f5\n{position} # again\n");
    let openings = read("book.txt", &text, "othello", 2).unwrap();
    let moves = |text: &str| Opening { position: None, moves: text.split(' ').map(String::from).collect() };
    let at = Opening { position: Some(position.clone()), moves: Vec::new() };
    let expected = [moves("c4 c3"), at.clone(), moves("f5"), at, moves("c4 c3")];
    let found = first(&openings, "othello", 2, 5);
    assert_eq!(found.iter().map(|(opening, _)| opening.clone()).collect::<Vec<_>>(), expected);
    assert_eq!(found[1].1, position);
    // Comments and names do not matter, order does.
    let hash = |text: &str| read("book.txt", text, "othello", 2).unwrap().to_string();
    assert_eq!(openings.to_string(), hash(&text.replace("# again", "")));
    assert_eq!(hash("c4\nf5\n"), "book.txt#595a70defe9423d9");
    assert!(hash("c4\nf5") != hash("f5\nc4") && hash("c4 c3") != hash("c4"));
}

#[test]
fn a_card_game_has_its_deals_and_random_plies_or_whole_positions() {
    let own = Match { openings: Some(Openings::Random(7)), ..small("hearts", 3, "random greedy", 12) };
    let played = games(&own);
    let deals: HashSet<&Vec<String>> = played.iter().map(|record| &record.opening.moves).collect();
    assert_eq!((deals.len(), played[0].opening.moves.len()), (2, 7));
    let hearts = &own.game;
    for record in &played {
        // The record is enough to play the game again.
        let mut session = hearts.open(&record.opening.request(3, record.seed)).unwrap();
        session.play_all(&record.moves.join(" ")).unwrap();
        assert_eq!(session.payoff().as_ref(), Some(&record.payoff));
    }
    let start = hearts.open(&Request { players: Some(3), seed: 9, ..Request::default() }).unwrap();
    let first_move = start.moves()[0].clone();
    let error = read("book.txt", &first_move, "hearts", 3).unwrap_err();
    assert!(error.message.contains("book.txt line 1") && error.message.contains("is dealt"), "{error}");
    assert!(error.help.unwrap().contains("write whole positions"));
    let positions = read("book.txt", &start.position(), "hearts", 3).unwrap();
    let played = games(&Match { openings: Some(positions), ..own.clone() });
    assert!(played.iter().all(|record| record.opening.position.as_ref() == Some(&start.position())));
    assert_ne!(played[0].seed, played[6].seed);
    // A game in a text has its deal by its seed.
    let text = format!("[Game \"hearts\"]\n[Players \"3\"]\n[Seed \"9\"]\n[Result \"*\"]\n\n{first_move} *\n");
    let (opening, _) = first(&read("x.npgn", &text, "hearts", 3).unwrap(), "hearts", 3, 1).remove(0);
    assert_eq!(opening, Opening { position: Some(start.position()), moves: vec![first_move] });
}

#[test]
fn games_as_text_are_openings_up_to_where_they_say() {
    let game = |tags: &str, moves: &str| format!("[Game \"othello\"]\n[Players \"2\"]\n{tags}\n\n{moves}\n\n");
    let text = game("[Result \"*\"]", "c4 c3 *") + &game("[Result \"*\"]\n[OpeningPlies \"1\"]", "f5 f6 *");
    let found = first(&read("x.npgn", &text, "othello", 2).unwrap(), "othello", 2, 3);
    let moves: Vec<String> = found.iter().map(|(opening, _)| opening.moves.join(" ")).collect();
    assert_eq!(moves, ["c4 c3", "f5", "c4 c3"]);
    for (text, expected) in [
        (game("[Result \"*\"]", "c4 zz *"), "x.npgn line 5: "),
        (game("[Result \"*\"]\n[OpeningPlies \"3\"]", "f5 f6 *"), "x.npgn line 4: \"3\" in the tag OpeningPlies"),
        (
            game("[Ending \"forfeit\"]\n[EndingSeat \"1\"]\n[EndingReason \"x\"]\n[Result \"0-1\"]", "c4 0-1"),
            "is finished",
        ),
        (game("[Result \"*\"]", "a *").replace("othello", "connect-four"), "a game of connect-four with 2 players"),
        (String::new(), "has no opening"),
    ] {
        let error = read("x.npgn", &text, "othello", 2).unwrap_err();
        assert!(error.message.contains(expected), "{text}: {error:?}");
    }
}

#[test]
fn a_bad_line_is_named_with_what_is_wrong_and_what_is_right() {
    for (text, expected, help) in [
        ("c4\n\nc4 c4", "book.txt line 3: move 2: ", "legal"),
        ("c4 zz9", "book.txt line 1: move 2: ", "move"),
        ("# only\n\n", "book.txt has no opening", "in each line"),
        ("nonsense", "book.txt line 1: no position: ", "or legal moves from the start"),
        ("position c4", "book.txt line 1: ", ""),
        ("moves ", "book.txt line 1: ", ""),
    ] {
        let error = read("book.txt", text, "othello", 2).unwrap_err();
        assert!(error.message.contains(expected), "{text}: {error}");
        assert!(error.help.as_ref().unwrap().contains(help), "{text}: {error:?}");
        assert!(!error.message.contains('\n'), "{error}");
    }
    let tree = "(1 3,4 (2 1,2 2,1))\n3,4\n";
    let error = read("book.txt", tree, "tree", 2).unwrap_err();
    assert!(error.message.contains("book.txt line 2: the game is over in this opening"), "{error}");
    let registry = Registry::standard();
    let game = registry.find("othello").unwrap();
    for (text, expected) in [
        ("random:0", "no number of random plies"),
        ("random:", "no number of random plies"),
        ("random:x", "no number of random plies"),
        ("random:11k", "no number of random plies"),
        ("missing.txt", "cannot read"),
        (".", "cannot read"),
    ] {
        let error = Openings::read(text, Path::new(""), &registry, &game, 2).unwrap_err();
        assert!(error.message.contains(expected) && error.help.is_some(), "{text}: {error:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bytes"), b"c4\n\xff\n").unwrap();
    assert!(Openings::read("bytes", folder.path(), &registry, &game, 2).unwrap_err().message.contains("UTF-8"));
}

#[test]
fn openings_that_leave_nothing_to_play_are_refused_before_the_first_game() {
    let four = small("connect-four:columns=4,rows=4", 2, "random", 2);
    let error = Match { openings: Some(Openings::Random(40)), ..four.clone() }.check().unwrap_err();
    assert!(error.message.contains("openings of 40 random plies end the game"), "{error}");
    assert!(error.code.is_usage() && error.help.unwrap().contains("fewer plies"));
    // Sixteen plies fill the board: no opening of fifteen wins, and some of nine do.
    for record in games(&Match { openings: Some(Openings::Random(9)), games: 100, ..four.clone() }) {
        assert!(record.opening.moves.len() == 9 && !record.moves.is_empty());
    }
    let terms = Terms { adjudication: "plies=4".parse().unwrap(), ..Terms::default() };
    let error = Match { openings: Some(Openings::Random(4)), terms, ..four.clone() }.check().unwrap_err();
    assert!(error.message.contains("an opening has 4 plies, and games are adjudicated after 4"), "{error}");
    // The plies of an opening count for adjudication.
    let played = games(&Match { openings: Some(Openings::Random(3)), terms, ..four });
    assert!(played.iter().all(|record| record.moves.len() == 1), "{played:?}");
}

#[test]
fn a_match_is_resumed_with_the_same_openings_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let book = |name: &str, text: &str| read(name, text, "othello", 2).unwrap();
    let own = |openings| Match { openings, ..small("othello", 2, "random greedy", 4) };
    let run = |own: Match, name: &str| own.run_kept(&path, name, &Arc::default(), |_| ());
    let began = own(Some(book("book.txt", "c4 c3\nf5")));
    run(began.clone(), "book").unwrap();
    run(own(Some(Openings::Random(2))), "random").unwrap();
    run(own(None), "none").unwrap();
    // The name of the file does not matter.
    let moved = own(Some(book("other.txt", "c4 c3\nf5 # the second\n")));
    assert_eq!(run(Match { games: 8, ..moved.clone() }, "book").unwrap().len(), 8);
    let kept = Store::open(&path).unwrap().select_one(Some("book")).unwrap().settings;
    assert!(moved.is_same(&kept) && began.is_same(&kept));
    for (name, openings, expected) in [
        (
            "book",
            Some(book("book.txt", "c4 c3\nf5\nd3")),
            "the openings of book.txt have changed since match \"book\" in",
        ),
        ("book", Some(book("x.txt", "c4")), "was begun with the openings of book.txt, not with the openings of x.txt"),
        ("book", None, "was begun with the openings of book.txt, not with no openings"),
        (
            "random",
            Some(Openings::Random(3)),
            "was begun with random openings of 2 plies, not with random openings of 3",
        ),
        ("none", Some(Openings::Random(3)), "was begun with no openings, not with random openings of 3 plies"),
    ] {
        let other = own(openings);
        assert!(!other.is_same(&Store::open(&path).unwrap().select_one(Some(name)).unwrap().settings));
        let error = other.check_kept(&path, name, None).unwrap_err();
        assert!(error.message.contains(expected), "{error}");
        assert!(error.help.as_ref().unwrap().contains("another --db"), "{error:?}");
        assert_eq!(run(other, name).unwrap_err(), error);
    }
}

#[test]
fn a_file_of_matches_names_openings_beside_it() {
    let (folder, registry) = (tempfile::tempdir().unwrap(), Registry::standard());
    fs::write(folder.path().join("book.txt"), "c4\n").unwrap();
    let text = "game = 'othello'\nagents = ['random']\ngames = 1\nopenings = 'random:3'\n[[match]]\nname = 'a'\n[[match]]\nname = 'b'\nopenings = 'book.txt'";
    let file = MatchFile::parse_in(&registry, text, folder.path()).unwrap();
    let openings = |index| file.get(&registry, index).unwrap().openings.unwrap();
    assert_eq!(openings(0), Openings::Random(3));
    assert_eq!(first(&openings(1), "othello", 2, 1)[0].0.moves, ["c4"]);
    fs::write(folder.path().join("book.txt"), "c4\nz\n").unwrap();
    let error = MatchFile::parse_in(&registry, text, folder.path()).unwrap_err();
    assert!(error.message.contains("match b: ") && error.message.contains("book.txt line 2: "), "{error}");
    assert!(
        MatchFile::parse(&registry, &text.replace("random:3", "random:y")).unwrap_err().message.contains("match a: ")
    );
}

#[test]
fn a_game_with_an_opening_reads_back_from_its_text_and_is_replayed_from_it() {
    let registry = Registry::standard();
    let position = registry.find("othello").unwrap().open(&Request { moves: "d3 c3".into(), ..Request::default() });
    let book = read("book.txt", &format!("c4 c3\n{}", position.unwrap().position()), "othello", 2).unwrap();
    let own = Match { openings: Some(book), ..small("othello", 2, "greedy random", 4) };
    let (settings, played) = (own.settings(), own.run(&Arc::default(), |_| ()).unwrap());
    let (folder, mut text) = (tempfile::tempdir().unwrap(), Vec::new());
    for record in &played {
        npgn::write(&mut text, &Transcript::from_record("m", &settings, record)).unwrap();
    }
    let path = folder.path().join("games.npgn");
    fs::write(&path, &text).unwrap();
    let (store, unfinished) = Store::read_text(&path, &registry).unwrap();
    let kept = store.select_one(None).unwrap();
    assert_eq!((unfinished, kept.settings.openings.as_ref()), (0, settings.openings.as_ref()));
    let back = store.games(&kept).unwrap();
    for (back, record) in back.iter().zip(&played) {
        // Agents are numbered as they come in the text.
        assert_eq!((&back.opening, &back.moves, &back.decisions), (&record.opening, &record.moves, &record.decisions));
    }
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.contains("[OpeningPlies \"2\"]") && text.contains("[Position \"") && text.contains("1. c4 c3 3. "),
        "{text}"
    );
    // What was played from openings has them for others.
    let again = Openings::read("games.npgn", folder.path(), &registry, &own.game, 2).unwrap();
    for (record, (opening, _)) in played.iter().zip(first(&again, "othello", 2, 4)) {
        assert_eq!(record.opening, opening);
    }
}

#[test]
fn games_that_differ_in_their_opening_alone_are_distinct() {
    let game = |position: Option<&str>, opening: &[&str], moves: &[&str]| GameRecord {
        opening: Opening {
            position: position.map(String::from),
            moves: opening.iter().map(ToString::to_string).collect(),
        },
        moves: moves.iter().map(ToString::to_string).collect(),
        seating: vec![0, 1],
        ..GameRecord::default()
    };
    let all = [
        game(None, &[], &["a", "b"]),
        game(None, &["a"], &["b"]),
        game(None, &["c"], &["b"]),
        game(Some("x"), &[], &["b"]),
        game(Some("y"), &[], &["b"]),
    ];
    // The first two are the same, move by move.
    assert_eq!(distinct(&all), 4);
    // Agents without chance repeat a game for each opening.
    let book = read("book.txt", "a\nb\nc", "connect-four", 2).unwrap();
    let own = small("connect-four", 2, "brs:noise=no maxn:depth=1,noise=no", 18);
    let repeated = games(&Match { openings: Some(book), ..own });
    assert_eq!((repeated.len(), distinct(&repeated)), (18, 6));
}

/// Matches between agents that play at random: the openings are real, and so are the games.
struct World {
    players: usize,
    agents: usize,
    plies: usize,
    is_sampled: bool,
    /// Whether the games of an opening and a seating are always the same, as between agents without chance.
    repeats: bool,
}

impl World {
    fn of(&self, seed: u64, games: u64) -> Match {
        let agents: Vec<String> = (0..self.agents).map(|agent| format!("a{agent}=random")).collect();
        let own = small("connect-four:columns=4,rows=4", self.players, &agents.join(" "), games);
        Match { openings: Some(Openings::Random(self.plies)), seed, sampled: Some(self.is_sampled), ..own }
    }

    /// The games of a match until `watch` ends it.
    fn play(&self, seed: u64, most: u64, mut watch: impl FnMut(&GameRecord) -> bool + Send) {
        let stop = Arc::new(AtomicBool::new(false));
        let (mut known, mut is_over) = (BTreeMap::new(), false);
        let see = |record: &GameRecord| {
            let key = (record.seating.clone(), record.opening.moves.clone());
            let mut record = record.clone();
            if self.repeats {
                let number = record.number;
                record = GameRecord { number, ..known.entry(key).or_insert(record).clone() };
            }
            is_over = is_over || watch(&record);
            stop.store(is_over, Ordering::Relaxed);
        };
        self.of(seed, most).run(&stop, see).unwrap();
    }

    /// How many of `runs` matches of at most so many games end with each verdict.
    fn verdicts(&self, runs: u64, most: u64) -> [u64; 3] {
        let mut ends = [0; 3];
        for seed in 0..runs {
            let mut referee = Referee::new(0.15, self.of(seed, most).round_length());
            self.play(seed, most, |record| referee.see(record).is_some());
            match referee.verdict() {
                Some(Verdict::First) => ends[0] += 1,
                Some(Verdict::Second) => ends[1] += 1,
                Some(Verdict::Equal) => ends[2] += 1,
                None => {}
            }
        }
        ends
    }

    /// How many 95 % intervals of the first agent's rate, from `runs` matches of so many games, hold the true one.
    fn covered(&self, runs: u64, games: u64) -> u64 {
        let mut covered = 0;
        for seed in 0..runs {
            let mut records = Vec::new();
            self.play(seed, games, |record| {
                records.push(record.clone());
                false
            });
            let settings = self.of(seed, games).settings();
            let found = Measure::Rate.estimate(&Registry::empty(), 0, &settings, &records).unwrap().unwrap();
            // Equals have equal rates, whatever the seats and the openings give.
            covered += u64::from((found.low..=found.high).contains(&(100.0 * settings.even_rate())));
        }
        covered
    }
}

#[test]
fn equals_are_called_different_in_at_most_one_match_of_twenty_with_real_openings() {
    for (players, plies, is_sampled, repeats) in
        [(2, 1, true, false), (3, 2, true, false), (3, 4, false, false), (3, 2, true, true), (2, 3, false, true)]
    {
        let world = World { players, agents: 2, plies, is_sampled, repeats };
        let ends = world.verdicts(60, 600);
        assert!(ends[0] + ends[1] <= 3, "{players} players, {plies} plies: {ends:?}");
        assert!(repeats || ends[2] >= 40, "{players} players, {plies} plies: {ends:?}");
    }
}

#[test]
fn intervals_hold_the_true_rate_in_nineteen_matches_of_twenty_with_real_openings() {
    for (agents, players, plies, is_sampled, repeats, games) in [
        (2, 2, 1, true, false, 60),
        (5, 3, 2, true, false, 120),
        (3, 3, 4, false, false, 60),
        (2, 3, 2, false, true, 120),
        (5, 3, 2, true, true, 200),
    ] {
        let world = World { players, agents, plies, is_sampled, repeats };
        let covered = world.covered(100, games);
        // Two standard errors of 100 matches below 95.
        assert!(covered >= 91, "{agents} agents, {players} players, {plies} plies: {covered}");
    }
}
