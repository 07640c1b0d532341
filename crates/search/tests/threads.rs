//! Several threads find what one finds: every search, every part of it on and off, on random trees and on tracks whose positions
//! arise in many ways.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use nply::settings::read;
use nply::testing::{HashedOrder, HashedScores, Shape, Track, check_threads, check_threads_out_of_turn, random_tree};
use nply::tree::LeafScores;
use nply::{
    Agent, AgentSettings, AsListed, Bounds, Brs, BrsPlus, Budget, ByPlayer, Code, Evaluator, GeneralizedBrs, Maxn,
    MaxnSettings, Opps, Paranoid, ParanoidSettings, Parts, Rng, Score,
};

/// Mostly all moves.
fn random_width(rng: &mut Rng) -> Option<usize> {
    (rng.below(4) == 0).then(|| 1 + rng.below(3))
}

#[test]
fn on_random_trees_every_search_finds_with_any_number_of_threads_what_it_finds_with_one() {
    let mut rng = Rng::new(41);
    let mut common = 0;
    for number in 0..60 {
        let (constant_sum, any_turn) = (rng.below(2) == 0, rng.below(2) == 0);
        let most = 1 + rng.below(8) as Score;
        let shape = Shape { players: 2 + number % 5, height: 6, width: 4, most, constant_sum, any_turn };
        let tree = random_tree(&mut rng, shape);
        common += check_threads(&tree, (6, random_width(&mut rng)), &LeafScores, &AsListed, &mut rng);
    }
    assert!(common > 1000, "{common}");
}

#[test]
fn on_tracks_every_search_finds_with_any_number_of_threads_what_it_finds_with_one() {
    let mut rng = Rng::new(42);
    let mut common = 0;
    for number in 0..40 {
        let mut game = Track::new(2 + number % 5, 2 + rng.below(2) as u8);
        game.length = 8 + rng.below(12) as u8;
        (game.odd, game.captures) = (rng.below(3) == 0, rng.below(3) > 0);
        // Few values, so that many moves are equally good.
        let evaluator = HashedScores { most: 1 + rng.below(4) as Score, seed: rng.bits() };
        let order = HashedOrder { ratings: 2, seed: rng.bits() };
        common += check_threads(&game, (6, random_width(&mut rng)), &evaluator, &order, &mut rng);
        common += check_threads_out_of_turn(&game, (5, random_width(&mut rng)), &evaluator, &order, &mut rng);
    }
    assert!(common > 1000, "{common}");
}

/// A track on which nobody wins soon.
fn long_track() -> Track {
    let mut game = Track::new(3, 3);
    (game.length, game.captures) = (60, false);
    game
}

/// Counts its evaluations, and who makes them.
#[derive(Clone)]
struct Watched {
    inner: HashedScores,
    threads: Arc<Mutex<Vec<ThreadId>>>,
    /// Evaluations after which a thread other than the first fails.
    left: Option<Arc<AtomicU32>>,
}

impl Watched {
    fn new() -> Watched {
        Watched { inner: HashedScores { most: 5, seed: 3 }, threads: Arc::default(), left: None }
    }

    fn threads(&self) -> usize {
        self.threads.lock().unwrap().len()
    }
}

impl Evaluator<Track> for Watched {
    fn bounds(&self, game: &Track) -> Bounds {
        self.inner.bounds(game)
    }

    fn evaluate(&self, game: &Track) -> ByPlayer<Score> {
        let own = thread::current().id();
        let is_helper = {
            let mut threads = self.threads.lock().unwrap();
            if !threads.contains(&own) {
                threads.push(own);
            }
            threads[0] != own
        };
        if let Some(left) = self.left.as_ref().filter(|_| is_helper)
            && left.fetch_sub(1, Ordering::Relaxed) == 1
        {
            resume_unwind(Box::new("the helper fails"));
        }
        self.inner.evaluate(game)
    }
}

/// The searches by their settings, each with so many threads.
fn agents(evaluator: &Watched, parts: Parts) -> Vec<Box<dyn Agent<Track>>> {
    let (mut paranoid, mut brs) = (Paranoid::new(evaluator.clone(), AsListed), Brs::new(evaluator.clone(), AsListed));
    let (mut plus, mut passing) =
        (BrsPlus::new(evaluator.clone(), AsListed), GeneralizedBrs::new(evaluator.clone(), AsListed));
    let mut maxn = Maxn::new(evaluator.clone(), AsListed);
    let mut opps = Opps::new(evaluator.clone(), AsListed);
    (opps.settings.parts, opps.settings.others) = (parts, 2);
    (paranoid.settings.parts, brs.settings.parts, plus.settings.parts) = (parts, parts, parts);
    (passing.settings.parts, maxn.settings.parts) = (parts, Parts { killers: false, history: false, ..parts });
    vec![Box::new(paranoid), Box::new(brs), Box::new(plus), Box::new(passing), Box::new(maxn), Box::new(opps)]
}

#[test]
fn all_threads_search_and_a_recorded_search_has_one() {
    for kind in 0..6 {
        let (mut evaluator, parts) = (Watched::new(), Parts { threads: 4, ..Parts::default() });
        // On a busy machine an iteration may be over before a helper gets a core.
        for nodes in [40_000, 400_000, 4_000_000] {
            agents(&evaluator, parts)[kind].choose(&long_track(), &Budget::nodes(nodes));
            if evaluator.threads() >= 4 {
                break;
            }
        }
        assert!(evaluator.threads() >= 4, "search {kind}: {}", evaluator.threads());
        evaluator = Watched::new();
        let (recorded, tree) =
            agents(&evaluator, parts)[kind].explain(&long_track(), &Budget::depth(4), 1_000_000).expect("a tree");
        assert_eq!(evaluator.threads(), 1, "search {kind}");
        let alone = agents(&evaluator, Parts { threads: 1, ..parts })[kind].choose(&long_track(), &Budget::depth(4));
        assert_eq!((recorded.value, recorded.nodes), (alone.value, alone.nodes));
        assert!(tree.is_complete);
    }
}

#[test]
fn a_limit_of_nodes_is_not_exceeded_and_little_of_it_is_left() {
    for threads in [2, 8] {
        for kind in 0..6 {
            for nodes in [0, 1, 100, 10_007, 60_000] {
                let parts = Parts { threads, ..Parts::default() };
                let decision = agents(&Watched::new(), parts)[kind].choose(&long_track(), &Budget::nodes(nodes));
                let left = nodes - decision.nodes;
                assert!(left <= 256 * (threads as u64 - 1), "search {kind}, {threads} threads: {left} of {nodes} left");
            }
        }
    }
}

#[test]
fn time_and_stop_flag_end_all_threads() {
    let parts = Parts { threads: 3, ..Parts::default() };
    for kind in 0..6 {
        let time = Budget::time(Duration::from_millis(30));
        let decision = agents(&Watched::new(), parts)[kind].choose(&long_track(), &time);
        assert!(decision.time >= Duration::from_millis(30), "search {kind}: nothing else ends it");
        let stop = Arc::new(AtomicBool::new(false));
        let budget = Budget { stop: Some(stop.clone()), ..Budget::default() };
        let decision = agents(&Watched::new(), parts)[kind].search(&long_track(), &budget, &mut |decision| {
            stop.store(decision.depth >= 4, Ordering::Relaxed);
        });
        assert!(decision.depth >= 4, "search {kind}");
    }
}

#[test]
fn a_helper_that_fails_ends_the_search_with_its_failure() {
    for kind in 0..6 {
        let evaluator = Watched { left: Some(Arc::new(AtomicU32::new(20))), ..Watched::new() };
        let mut agent = agents(&evaluator, Parts { threads: 3, ..Parts::default() }).swap_remove(kind);
        let search = AssertUnwindSafe(|| agent.choose(&long_track(), &Budget::default()));
        let payload = catch_unwind(search).expect_err("without it the search would not end");
        assert_eq!(payload.downcast_ref(), Some(&"the helper fails"), "search {kind}");
    }
}

#[test]
fn threads_without_a_table_to_share_are_refused() {
    for text in ["threads=2,table=off", "table=off,threads=256"] {
        let (mut paranoid, mut maxn) = (ParanoidSettings::default(), MaxnSettings::default());
        read(&mut paranoid, text).unwrap();
        read(&mut maxn, text).unwrap();
        for error in [paranoid.check(3).unwrap_err(), maxn.check(3).unwrap_err()] {
            assert_eq!(error.code, Code::Refused);
            assert!(error.to_string().contains("share the search through the table"), "{error}");
        }
    }
    let mut one = ParanoidSettings::default();
    read(&mut one, "threads=1,table=off").unwrap();
    assert!(one.check(3).is_ok());
    // Nobody checks the settings of an agent that is made by hand: it searches alone.
    let evaluator = Watched::new();
    agents(&evaluator, Parts { threads: 4, table: 0, ..Parts::default() })[0].choose(&long_track(), &Budget::depth(5));
    assert_eq!(evaluator.threads(), 1);
}
