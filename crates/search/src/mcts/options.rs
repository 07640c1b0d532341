//! Settings that are off by default, each against a plain version of what it says.

use super::shares::{UNIT, units};
use super::*;
use crate::testing::{HashedOrder, HashedScores, PlainImplicit, Track, plain_reward, plain_widening, plain_wilson};
use crate::tree::LeafScores;
use crate::{AsListed, Bounds, ByPlayer, Player, Rng, Score, Tree, chances, settings};

fn game() -> Track {
    let mut game = Track::new(3, 6);
    game.length = 60;
    game
}

fn with<E: Evaluator<Track>>(evaluator: E, seed: u64, text: &str) -> Mcts<Track, E, HashedOrder> {
    let mut mcts = Mcts::out_of_turn(evaluator, HashedOrder { ratings: 3, seed: 1 }, seed);
    settings::read(&mut mcts.settings, text).unwrap();
    mcts
}

fn on_a_track(seed: u64, text: &str) -> Mcts<Track, HashedScores, HashedOrder> {
    with(HashedScores { most: 9, seed: 2 }, seed, text)
}

/// An evaluation with a temperature.
#[derive(Clone, Copy)]
struct Warm;

impl<G: Game> Evaluator<G> for Warm {
    fn bounds(&self, game: &G) -> Bounds {
        Evaluator::<G>::bounds(&HashedScores { most: 100, seed: 3 }, game)
    }

    fn evaluate(&self, game: &G) -> ByPlayer<Score> {
        HashedScores { most: 100, seed: 3 }.evaluate(game)
    }

    fn temperature(&self, _: &G) -> Option<f64> {
        Some(40.0)
    }
}

#[test]
fn a_playout_that_is_cut_off_ends_with_the_chances_of_the_position() {
    for batch in [1, 4] {
        let mut mcts = with(Warm, 1, &format!("cutoff=0,batch={batch}"));
        mcts.choose(&game(), &Budget::playouts(6));
        let tried = mcts.statistics();
        assert_eq!(tried.len(), 6);
        for statistics in tried {
            let mut child = game();
            child.play(statistics.m);
            let expected = chances::in_position(&Warm, &child).unwrap();
            assert_eq!(statistics.visits, 1);
            for (player, share) in statistics.shares.unwrap().iter() {
                assert!((share - expected[player]).abs() < 2.0 / f64::from(UNIT), "{share} {expected:?}");
            }
        }
    }
    // The same with a playout before it: units of chances, not of wins.
    let mut mcts = with(Warm, 1, "cutoff=3,playout=random");
    let mut peaceful = game();
    peaceful.captures = false;
    mcts.choose(&peaceful, &Budget::playouts(6));
    let shares: Vec<f64> =
        mcts.statistics().iter().flat_map(|found| found.shares.unwrap().as_slice().to_vec()).collect();
    assert!(shares.iter().all(|&share| share > 0.0 && share < 1.0), "{shares:?}");
}

#[test]
fn widening_opens_as_many_of_the_first_children_as_the_formula_says() {
    for (c, a) in [(1.0, 0.5), (2.0, 0.3), (1.5, 0.0), (0.1, 0.7), (1.0, 1.0), (3.3, 0.21)] {
        for playouts in [1, 2, 3, 5, 17, 100, 400] {
            let mut mcts = on_a_track(1, &format!("widen={c},widen-power={a},solver=off,playout=random"));
            mcts.choose(&game(), &Budget::playouts(playouts));
            let mut open = 0;
            for visits in 0..playouts {
                open += usize::from(open < plain_widening(c, a, visits).min(6));
            }
            let visits: Vec<u64> = mcts.statistics().iter().map(|found| found.visits).collect();
            assert!(visits[..open].iter().all(|&visits| visits > 0), "{c} {a} {playouts} {open}: {visits:?}");
            assert!(visits[open..].iter().all(|&visits| visits == 0), "{c} {a} {playouts} {open}: {visits:?}");
        }
    }
    let decisions = |text| {
        let found = on_a_track(1, text).choose(&game(), &Budget::playouts(500));
        (found.m, found.nodes, found.scores, found.pv)
    };
    assert_eq!(decisions("widen=1000"), decisions(""));
    assert_ne!(decisions("widen=1"), decisions(""));
}

#[test]
fn the_final_choice_is_that_of_its_definition() {
    let mut differ = 0;
    for seed in 0..60 {
        let choices = ["rate", "visits", "lcb"].map(|choose| {
            let text = format!("choose={choose},solver=off,playout=random,c=1.5,w=0");
            let mut mcts = on_a_track(seed, &text);
            let found = mcts.choose(&game(), &Budget::playouts(90));
            let worth = |found: &MoveStatistics<u8>| {
                let (n, rate) = (found.visits as f64, found.shares.unwrap()[Player::new(0)]);
                match choose {
                    "rate" => (rate, n),
                    "visits" => (n, rate),
                    _ => (plain_wilson(rate, n), n),
                }
            };
            let all = mcts.statistics();
            let best = all.iter().map(worth).reduce(|a, b| if b > a { b } else { a }).unwrap();
            let played = all.iter().find(|other| other.m == found.m).map(worth).unwrap();
            assert!(best.0 - played.0 < 1e-12 && best.1 <= played.1 + 1e-12, "{choose}: {best:?} {played:?}");
            found.m
        });
        differ += usize::from(choices[0] != choices[1] || choices[1] != choices[2]);
    }
    assert!(differ > 1, "{differ}");
}

#[test]
fn halving_divides_simulations_by_rounds_and_plays_the_survivor() {
    for (seed, threads) in [(1, 1), (2, 1), (3, 2)] {
        let text = format!("root=halving,solver=off,reuse=no,playout=random,threads={threads}");
        let mut mcts = on_a_track(seed, &text);
        let found = mcts.choose(&game(), &Budget::playouts(180));
        let mut visits: Vec<(u64, u8)> = mcts.statistics().iter().map(|found| (found.visits, found.m)).collect();
        visits.sort_unstable();
        // Three rounds: ten for each of six moves, twenty for three, thirty for two.
        let counts: Vec<u64> = visits.iter().map(|(visits, _)| *visits).collect();
        assert_eq!(counts, [10, 10, 10, 30, 60, 60]);
        assert!(visits[4..].iter().any(|(_, m)| *m == found.m));
        let rate = |m: u8| mcts.statistics().iter().find(|found| found.m == m).unwrap().shares.unwrap().as_slice()[0];
        assert!(visits[4..].iter().all(|(_, m)| rate(*m) <= rate(found.m)));
    }
    // A limit of nodes: passes of six, three and two, again and again.
    let mut mcts = on_a_track(1, "root=halving,solver=off,reuse=no,playout=random");
    let found = mcts.choose(&game(), &Budget::nodes(20_000));
    let visits: Vec<u64> = mcts.statistics().iter().map(|found| found.visits).collect();
    let passes = found.playouts / 11;
    assert!(visits.iter().all(|&visits| (passes..=3 * passes + 3).contains(&visits)), "{visits:?} {passes}");
    assert!(visits.iter().max().unwrap() > &(2 * passes), "{visits:?} {passes}");
}

#[test]
fn rewards_are_parts_of_one_that_grow_with_the_score() {
    let mut rng = Rng::new(1);
    for _ in 0..20_000 {
        let players = 2 + rng.below(5);
        let min = ByPlayer::from_fn(players, |_| rng.below(20) as Score - 10);
        let open = rng.below(30) as Score;
        let mut scores = min;
        for _ in 0..open {
            scores[Player::new(rng.below(players))] += 1;
        }
        let bounds = Bounds { min, max_sum: min.sum() + open };
        for reward in [Reward::Win, Reward::Rank, Reward::Points, Reward::Lead] {
            let parts = reward.of_scores(&scores, &bounds);
            assert!((parts.sum() - 1.0).abs() < 1e-4, "{reward:?} {scores:?} {bounds:?}: {parts:?}");
            for (part, expected) in parts.as_slice().iter().zip(plain_reward(reward, &scores, &bounds)) {
                assert!((f64::from(*part) - expected).abs() < 1e-5, "{reward:?} {scores:?}: {parts:?} {expected}");
            }
            assert!(parts.as_slice().iter().all(|part| (0.0..=1.0).contains(part)), "{reward:?} {parts:?}");
            assert_eq!(units(&parts).iter().sum::<u32>(), UNIT);
            for (a, b) in Player::all(players).flat_map(|a| Player::all(players).map(move |b| (a, b))) {
                let points = |player| scores[player] - min[player];
                let is_less = if [Reward::Points, Reward::Lead].contains(&reward) {
                    points(a) < points(b)
                } else {
                    scores[a] < scores[b]
                };
                assert!(!is_less || parts[a] <= parts[b] + 1e-6, "{reward:?} {scores:?}: {parts:?}");
            }
        }
    }
    let parts = |reward: Reward, scores: &[Score]| {
        let scores = ByPlayer::from_slice(scores);
        let bounds = Bounds { min: ByPlayer::splat(scores.len(), 0), max_sum: 10 };
        reward.of_scores(&scores, &bounds).as_slice().to_vec()
    };
    assert_eq!(parts(Reward::Rank, &[7, 2, 1]), [2.0 / 3.0, 1.0 / 3.0, 0.0]);
    assert_eq!(parts(Reward::Rank, &[4, 4, 2]), [0.5, 0.5, 0.0]);
    assert_eq!(parts(Reward::Points, &[6, 4]), [0.6, 0.4]);
    assert_eq!(parts(Reward::Lead, &[10, 0]), [1.0, 0.0]);
    assert_eq!(parts(Reward::Lead, &[5, 5]), [0.5, 0.5]);
}

#[test]
fn a_reward_decides_what_is_played_and_only_a_win_is_proven() {
    let choose = |tree: &str, reward: &str| {
        let tree: Tree = tree.parse().unwrap();
        let mut mcts = Mcts::new(LeafScores, AsListed, 1);
        settings::read(&mut mcts.settings, &format!("reward={reward}")).unwrap();
        let found = mcts.choose(&tree, &Budget::playouts(60));
        let proven = mcts.statistics().iter().any(|found| found.proof.is_some());
        assert_eq!((proven, found.chances.is_some()), (reward == "win", reward == "win"), "{reward}");
        (found.m, (found.value.unwrap() * 960.0).round() / 960.0)
    };
    // Both moves win; the second by more. Then both lose, the first as the last of all.
    for (reward, both_win, both_lose) in [
        ("win", (1, 1.0), (1, 0.0)),
        ("rank", (1, 1.0), (2, 320.0 / 960.0)),
        ("points", (2, 1.0), (2, 192.0 / 960.0)),
        ("lead", (2, 720.0 / 960.0), (2, 0.25)),
    ] {
        assert_eq!(choose("(1 6,4 5,0)", reward), both_win, "{reward}");
        let found = choose("(1 0,4,1 1,0,4)", reward);
        assert_eq!(found.0, both_lose.0, "{reward}");
        assert!(reward == "lead" || found.1 == both_lose.1, "{reward}: {found:?}");
    }
}

#[test]
fn leaves_that_are_evaluated_together_have_the_same_rewards() {
    for reward in ["rank", "points", "lead"] {
        let found = [1, 2].map(|batch| {
            let mut mcts = with(Warm, 1, &format!("reward={reward},cutoff=0,batch={batch}"));
            mcts.choose(&game(), &Budget::playouts(6));
            mcts.statistics()
        });
        assert_eq!(found[0], found[1], "{reward}");
        let bounds = Warm.bounds(&game());
        for statistics in &found[0] {
            let mut child = game();
            child.play(statistics.m);
            let reward = crate::settings::Choice::WORDS.iter().find(|(_, word)| *word == reward).unwrap();
            let expected = Reward::of_scores(reward.0, &Warm.evaluate(&child), &bounds);
            for (player, share) in statistics.shares.unwrap().iter() {
                assert!((share - f64::from(expected[player])).abs() < 2.0 / f64::from(UNIT), "{share} {expected:?}");
            }
        }
    }
}

/// Compares the implicit vectors below a sequence of moves with their definition; returns how many were backed up.
fn check_implicit(
    mcts: &Mcts<Track, Warm, HashedOrder>,
    plain: &PlainImplicit<'_, Track>,
    at: u32,
    game: &Track,
    path: &mut Vec<u8>,
) -> usize {
    let tree = mcts.tree.as_ref().unwrap();
    let node = tree.arena.node(at);
    if at != tree.root || node.children().is_some() {
        let vector: Vec<f64> = Player::all(3).map(|player| node.implicit(3, player).into()).collect();
        assert_eq!(vector, plain.vector(game, path), "{path:?}");
    }
    let Some(children) = node.children() else { return 0 };
    let mut count = 1;
    for (child, at) in tree.arena.children(children).nodes().zip(children.first..) {
        let (mut next, m) = (game.clone(), tree.numbers.at(child.m()));
        next.play(m);
        path.push(m);
        count += check_implicit(mcts, plain, at, &next, path);
        path.pop();
    }
    count
}

/// The moves that have been listed after a sequence of moves.
fn listed(mcts: &Mcts<Track, Warm, HashedOrder>, path: &[u8]) -> Option<Vec<u8>> {
    let tree = mcts.tree.as_ref().unwrap();
    let mut block = tree.arena.children(tree.arena.node(tree.root).children()?);
    for m in path {
        let node = block.nodes().find(|node| tree.numbers.at(node.m()) == *m).unwrap();
        block = tree.arena.children(node.children()?);
    }
    Some(block.nodes().map(|node| tree.numbers.at(node.m())).collect())
}

#[test]
fn implicit_vectors_are_those_of_the_movers_best_children() {
    for (policy, is_against) in [("maxn", false), ("paranoid", true)] {
        for text in
            ["implicit=0.3", "implicit=1,c=0.01,w=0", "implicit=0.2,cutoff=0,solver=off", "implicit=0.5,widen=2"]
        {
            let mut mcts = with(Warm, 1, &format!("{text},policy={policy},playout=random"));
            mcts.choose(&game(), &Budget::playouts(300));
            let root = mcts.tree.as_ref().unwrap().root;
            let leaf = |game: &Track| {
                let found = chances::in_position(&Warm, game).unwrap();
                found.as_slice().iter().map(|&chance| f64::from(chance as f32)).collect()
            };
            let worth = |vector: &[f64], player: Player| match is_against && player != Player::new(0) {
                true => 1.0 - vector[0],
                false => vector[player.index()],
            };
            let count = {
                let listed = |path: &[u8]| listed(&mcts, path);
                let plain = PlainImplicit { leaf: Box::new(leaf), worth: &worth, listed: &listed };
                check_implicit(&mcts, &plain, root, &game(), &mut Vec::new())
            };
            assert!(count > 50, "{text}: {count}");
            let limited = mcts.choose(&game(), &Budget::nodes(777));
            assert!(limited.nodes <= 777);
        }
    }
}

#[test]
fn playouts_that_learn_prefer_what_has_won() {
    // A race: long steps win, and games are shorter if everybody has noticed.
    let mut race = game();
    race.captures = false;
    let plies = |playout: &str| {
        let mut mcts = on_a_track(1, &format!("playout={playout},w=0,solver=off,epsilon=0.1"));
        let found = mcts.choose(&race, &Budget::playouts(600));
        let mut again = on_a_track(1, &format!("playout={playout},w=0,solver=off,epsilon=0.1"));
        let repeated = again.choose(&race, &Budget::playouts(600));
        assert_eq!((repeated.m, repeated.nodes, repeated.scores), (found.m, found.nodes, found.scores));
        found.nodes
    };
    let (random, mast, nst, ppa) = (plies("random"), plies("mast"), plies("nst"), plies("ppa"));
    assert!(mast * 10 < random * 9 && nst * 10 < random * 9, "{random} {mast} {nst}");
    assert!(ppa * 10 < random * 9, "{random} {ppa}");
}
