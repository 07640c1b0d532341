//! Clocks and adjudication in matches.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nply::settings::Visitor;
use nply::{
    Agent, AgentSettings, AlgorithmFor, Budget, Clocks, Context, Decision, Game, Kit, Limit, Made, Notation, Settings,
};
use nply_arena::statistics::Tally;
use nply_arena::{Ending, GameRecord, Match, Registry, Request, Schedule, Seating, Store, Terms};
use nply_games::chinese_checkers::ChineseCheckers;

/// A match of two players with these agents and terms.
fn between(registry: &Registry, game: &str, agents: &str, terms: Terms) -> Match {
    let game = registry.find(game).unwrap();
    Match {
        agents: game.agent_list(agents, 2).unwrap(),
        game,
        players: 2,
        games: 2,
        budget: terms.usual_budget(),
        terms,
        openings: None,
        seating: Seating::All,
        schedule: Schedule::All,
        sampled: Some(false),
        seed: 3,
        threads: 2,
        progress: |_, _| (),
    }
}

fn clock(text: &str) -> Terms {
    Terms { clock: Some(text.parse().unwrap()), ..Terms::default() }
}

fn adjudicate(text: &str) -> Terms {
    Terms { adjudication: text.parse().unwrap(), ..Terms::default() }
}

/// Plays the whole match.
fn games(game: &Match) -> Vec<GameRecord> {
    game.run(&Arc::default(), |_| ()).unwrap()
}

#[test]
fn agents_that_plan_their_time_stay_within_their_clocks_on_a_busy_machine() {
    let small = "connect-four:columns=4,rows=4";
    // More threads than this test can have cores.
    let game = Match {
        games: 50,
        threads: 8,
        ..between(&Registry::standard(), small, "brs maxn:time=20ms mcts:playout=random", clock("2s+20ms"))
    };
    let games = games(&game);
    assert!(games.len() >= 50);
    for record in &games {
        assert_eq!(record.ending, Ending::Normal, "game {}", record.number);
        for (seat, cost) in record.costs.iter().enumerate() {
            let most = Duration::from_secs(2) + Duration::from_millis(20) * cost.moves as u32;
            assert!(cost.time <= most, "game {}, seat {seat}: {cost:?}", record.number);
        }
    }
    // An agent with a time of its own keeps it. One decision may be late, but not all are.
    let capped = games.iter().flat_map(|record| {
        record.decisions.iter().filter(|decision| record.seating[decision.seat] == 1).map(|decision| decision.time)
    });
    let capped: Vec<Duration> = capped.collect();
    let late = capped.iter().filter(|&&time| time > Duration::from_millis(100)).count();
    assert!(!capped.is_empty() && late * 2 < capped.len(), "{late} of {}", capped.len());
}

#[test]
fn a_search_uses_its_clock_and_a_further_limit_ends_it_earlier() {
    let play = |agents: &str, budget: Budget| {
        let game = Match { budget, ..between(&Registry::standard(), "othello", agents, clock("300ms")) };
        games(&game)
    };
    // The whole game would take for ever, so that most of the time is used.
    for record in play("maxn mcts:playout=random", Budget::default()) {
        assert!(record.ending == Ending::Normal || matches!(record.ending, Ending::OutOfTime(_)));
        let used: Duration = record.costs.iter().map(|cost| cost.time).sum();
        assert!(used > Duration::from_millis(200), "{used:?}");
    }
    for record in play("maxn maxn:nodes=20", Budget::nodes(10)) {
        assert_eq!(record.ending, Ending::Normal);
        assert!(record.decisions.iter().all(|decision| decision.nodes <= 20));
    }
}

#[test]
fn a_clock_ends_the_thinking_of_agents_that_need_a_limit() {
    let registry = Registry::standard();
    between(&registry, "othello", "brs mcts:playout=random", clock("1s")).check_limits().unwrap();
    let endless = Match { budget: Budget::default(), ..between(&registry, "othello", "brs random", Terms::default()) };
    assert!(endless.check_limits().unwrap_err().message.contains("nothing ends the thinking of brs"));
}

#[test]
fn a_match_with_a_clock_resumes_with_the_same_clock_and_plays_each_game_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    // One thread plays no game after the one that ends the match; of several, one can be ahead of another that waits for a core.
    let game = |text: &str| Match {
        games: 12,
        threads: 1,
        ..between(&Registry::standard(), "connect-four:columns=3,rows=3,line=3", "maxn random", clock(text))
    };
    let stop = Arc::new(AtomicBool::new(false));
    let mut seen = 0;
    let first = game("5s+10ms").run_kept(&path, "m", &stop, |_| {
        seen += 1;
        stop.store(seen >= 4, Ordering::Relaxed);
    });
    let first = first.unwrap();
    assert_eq!(first.len(), 4);
    let error = game("5s").run_kept(&path, "m", &Arc::default(), |_| ()).unwrap_err();
    assert!(error.message.contains("has the clock \"5s+10ms\", not \"5s\""), "{error}");
    let all = game("5s+10ms").run_kept(&path, "m", &Arc::default(), |_| ()).unwrap();
    assert_eq!(all.iter().map(|record| record.number).collect::<Vec<u64>>(), (0..12).collect::<Vec<u64>>());
    assert!(first.iter().all(|record| all.contains(record)), "games that were kept stay as they are");
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.select_one(None).unwrap().settings.clock.as_deref(), Some("5s+10ms"));
    // With a clock the times of decisions matter, and a packed file has them.
    let packed = folder.path().join("games.db.gz");
    std::fs::write(&packed, store.pack().unwrap()).unwrap();
    let packed = Store::open(&packed).unwrap();
    assert_eq!(packed.games(&packed.select_one(None).unwrap()).unwrap(), all);
}

/// Moves a piece forth and back, and takes a while.
#[derive(Clone, Debug, Default, PartialEq)]
struct ShuttleSettings {
    wait: Duration,
}

impl Settings for ShuttleSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.time("wait", &mut self.wait, "how long it takes");
    }
}

impl AgentSettings for ShuttleSettings {
    const NAME: &'static str = "shuttle";
    const ABOUT: &'static str = "a piece forth and back";
    const LIMITS: &'static [Limit] = &[];
    const NEEDS_LIMIT: bool = false;
}

impl AlgorithmFor<ChineseCheckers> for ShuttleSettings {
    fn agent(&self, _: &Kit<'_, ChineseCheckers>) -> Made<ChineseCheckers> {
        Ok(Box::new(Shuttle { wait: self.wait, back: None, clocks: None }))
    }
}

struct Shuttle {
    wait: Duration,
    back: Option<String>,
    clocks: Option<Clocks>,
}

impl Agent<ChineseCheckers> for Shuttle {
    fn search(
        &mut self,
        game: &ChineseCheckers,
        budget: &Budget,
        _: &mut dyn FnMut(&Decision<<ChineseCheckers as Game>::Move>),
    ) -> Decision<<ChineseCheckers as Game>::Move> {
        if let Some(clocks) = &self.clocks {
            let left = clocks.left[game.turn().index()];
            assert!(budget.time.is_some_and(|time| time <= left / 2), "{clocks:?}, {:?}", budget.time);
        }
        std::thread::sleep(self.wait);
        let m = match self.back.take() {
            Some(back) => game.move_from_text(&back).expect("the way back is free"),
            None => {
                let mut moves = Vec::new();
                game.moves(&mut moves);
                let text = game.move_to_text(moves[0]);
                let (from, to) = text.split_once('-').expect("a move from here to there");
                self.back = Some(format!("{to}-{from}"));
                moves[0]
            }
        };
        Decision::blind(m)
    }

    fn observe(&mut self, context: &Context<'_, <ChineseCheckers as Game>::Move>) {
        self.clocks = context.clocks.cloned();
    }
}

fn shuttles() -> Registry {
    Registry::empty().game_out_of_turn::<ChineseCheckers>().agent::<ChineseCheckers, ShuttleSettings>()
}

#[test]
fn a_repeated_position_ends_the_game_as_shared() {
    let play = |text: &str, game: &str| games(&between(&shuttles(), game, "shuttle", adjudicate(text)));
    // Everybody's piece is back after four plies.
    for (text, plies, reason) in [
        ("repetition=2", 4, "the same position occurred 2 times"),
        ("repetition=3,plies=90", 8, "the same position occurred 3 times"),
        ("repetition=5,plies=9", 9, "9 plies were played"),
    ] {
        for record in play(text, "chinese-checkers") {
            assert_eq!((record.ending, record.moves.len()), (Ending::Adjudicated(reason.into()), plies), "{text}");
            assert_eq!((record.payoff, record.points), (vec![0.5, 0.5], None));
        }
    }
    // The game's own limit comes first, and is a normal ending.
    for record in play("plies=30", "chinese-checkers:limit=30") {
        assert_eq!((record.ending, record.moves.len()), (Ending::Normal, 30));
    }
}

#[test]
fn adjudicated_games_are_kept_and_read_back_and_the_rules_belong_to_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let run = |text: &str| {
        let game = between(&shuttles(), "chinese-checkers", "shuttle", adjudicate(text));
        game.run_kept(&path, "m", &Arc::default(), |_| ())
    };
    let played = run("repetition=3").unwrap();
    assert_eq!(run("repetition=3").unwrap(), played);
    let error = run("repetition=4").unwrap_err();
    assert!(error.message.contains("has the adjudicate \"repetition=3\", not \"repetition=4\""), "{error}");
    let kept = Store::open(&path).unwrap().select_one(None).unwrap();
    assert_eq!(kept.settings.adjudicate, "repetition=3");
    let json = nply_arena::game_json("m", &kept.settings, &played[0]);
    assert_eq!((json["ending"].as_str(), json["ending_seat"].as_u64()), (Some("adjudicated"), None));
    assert_eq!(json["ending_reason"], "the same position occurred 3 times");
    let report = nply_arena::report::json("m", &Tally::of(&shuttles(), &kept.settings, &played));
    assert_eq!((&report["adjudicated"], &report["draws"]), (&played.len().into(), &0.into()));
}

#[test]
fn only_players_who_are_still_in_share_an_adjudicated_game() {
    let registry = Registry::standard();
    let chess = registry.find("four-player-chess").unwrap();
    let game = Match {
        agents: chess.agent_list("random", 4).unwrap(),
        game: chess,
        players: 4,
        games: 1,
        ..between(&registry, "othello", "random", adjudicate("plies=700"))
    };
    let (mut shares, mut seen) = (HashSet::new(), 0);
    for seed in 0..20 {
        for record in games(&Match { seed, ..game.clone() }) {
            let request = Request { players: Some(4), seed: record.seed, ..Request::default() };
            let mut session = game.game.open(&request).unwrap();
            session.play_all(&record.moves.join(" ")).unwrap();
            if let Ending::Adjudicated(_) = record.ending {
                let is_in = session.judge(None).unwrap().is_in;
                let count = is_in.iter().filter(|&&is_in| is_in).count();
                let expected: Vec<f32> =
                    is_in.iter().map(|&is_in| if is_in { 1.0 / count as f32 } else { 0.0 }).collect();
                assert_eq!(record.payoff, expected);
                shares.insert(count);
                seen += 1;
            }
        }
    }
    assert!(seen > 0 && shares.iter().any(|&count| count < 4), "{seen} games, {shares:?} players left");
}

#[test]
fn an_agent_that_exceeds_its_clock_forfeits_on_time() {
    let started = Instant::now();
    for record in games(&between(&shuttles(), "chinese-checkers", "shuttle shuttle:wait=150ms", clock("400ms"))) {
        let Ending::OutOfTime(forfeit) = &record.ending else { panic!("{:?}", record.ending) };
        assert_eq!(record.seating[forfeit.seat], 1);
        assert!(forfeit.reason.starts_with("its time ran out: it took "), "{}", forfeit.reason);
        assert_eq!(record.payoff[forfeit.seat], 0.0);
        assert!(record.decisions.iter().filter(|decision| decision.seat == forfeit.seat).count() <= 2);
    }
    assert!(started.elapsed() < Duration::from_secs(60));
    // The increment keeps it alive.
    let alive = Terms { clock: Some("400ms+2s".parse().unwrap()), ..adjudicate("plies=8") };
    for record in games(&between(&shuttles(), "chinese-checkers", "shuttle:wait=150ms", alive)) {
        assert!(matches!(record.ending, Ending::Adjudicated(_)), "{:?}", record.ending);
    }
}
