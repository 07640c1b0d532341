use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::arena::{MOST_VISITS, Node};
use super::descent::Leaf;
use super::playout::PlayoutPolicy;
use super::shares::UNIT;
use super::solver::Proven;
use super::*;
use crate::settings::{self, Choice};
use crate::testing::{HashedOrder, HashedScores, Shape, Track, random_tree};
use crate::tree::LeafScores;
use crate::{AsListed, MAX_PLAYERS, Player, Rng, Stance, Tree};

type TreeMcts = Mcts<Tree, LeafScores, AsListed>;
type TrackMcts = Mcts<Track, HashedScores, HashedOrder>;
type HashedMcts = Mcts<Tree, HashedScores, HashedOrder>;

/// The default settings with random playouts.
fn random() -> MctsSettings {
    MctsSettings { playout: PlayoutPolicy::Random, ..MctsSettings::default() }
}

/// Random playouts without a solver.
fn unsolved() -> MctsSettings {
    MctsSettings { solver: Solver::Off, ..random() }
}

fn on_trees(seed: u64, settings: MctsSettings) -> TreeMcts {
    Mcts { settings, ..Mcts::new(LeafScores, AsListed, seed) }
}

fn on_tracks(seed: u64, settings: MctsSettings) -> TrackMcts {
    let (scores, order) = (HashedScores { most: 5, seed }, HashedOrder { ratings: 3, seed });
    Mcts { settings, ..Mcts::out_of_turn(scores, order, seed) }
}

/// A track, with odd turns if asked for.
fn track(players: usize, stride: u8, length: u8, odd: bool) -> Track {
    let mut game = Track::new(players, stride);
    (game.length, game.odd) = (length, odd);
    game
}

fn small_tree(rng: &mut Rng) -> Tree {
    loop {
        let shape = Shape { players: 2 + rng.below(3), ..Shape::random(rng) };
        let tree = random_tree(rng, shape);
        if tree.payoff().is_none() {
            return tree;
        }
    }
}

fn children<G: Game>(game: &G) -> Vec<(G::Move, G)> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let child = |&m: &G::Move| {
        let mut child = game.clone();
        child.play(m);
        (m, child)
    };
    moves.iter().map(child).collect()
}

type Vector = [u32; MAX_PLAYERS];

fn result<G: Game>(game: &G) -> Option<Vector> {
    let payoff = game.payoff()?;
    let mut vector = [0; MAX_PLAYERS];
    for (player, share) in payoff.iter() {
        vector[player.index()] = (share * UNIT as f32).round() as u32;
    }
    Some(vector)
}

/// The results of a game in which every mover takes a child with the greatest `wish`, any one among equals.
fn outcomes<G: Game, K: Ord + Copy>(game: &G, wish: &impl Fn(Player, &Vector) -> K) -> Vec<Vector> {
    if let Some(vector) = result(game) {
        return vec![vector];
    }
    let all: Vec<Vec<Vector>> = children(game).iter().map(|(_, child)| outcomes(child, wish)).collect();
    let key = |vector: &Vector| wish(game.turn(), vector);
    let mut found = Vec::new();
    for (index, own) in all.iter().enumerate() {
        let others = all.iter().enumerate().filter(|&(other, _)| other != index);
        // What the mover is sure of elsewhere.
        let sure = others.filter_map(|(_, other)| other.iter().map(key).min()).max();
        found.extend(own.iter().copied().filter(|vector| sure.is_none_or(|sure| key(vector) >= sure)));
    }
    found.sort();
    found.dedup();
    found
}

/// The outcomes under the tie-breaking rule of a solver.
fn outcomes_by(game: &Tree, rule: Solver, root: Player) -> Vec<Vector> {
    let players = game.player_count();
    match rule {
        Solver::Paranoid => outcomes(game, &|mover, vector| (vector[mover.index()], UNIT - vector[root.index()])),
        Solver::FirstWinner => outcomes(game, &|mover, vector| {
            let mut turns = [0; MAX_PLAYERS];
            for (index, turn) in turns.iter_mut().enumerate().take(players) {
                *turn = vector[(mover.index() + index) % players];
            }
            turns
        }),
        _ => outcomes(game, &|mover, vector| vector[mover.index()]),
    }
}

/// Visits every node of a tree with its position.
fn walk<G: Game>(grown: &SearchTree<G>, at: u32, game: &G, see: &mut impl FnMut(Node<'_>, &G)) {
    let node = grown.arena.node(at);
    see(node, game);
    let Some(block) = node.children() else { return };
    for (index, child) in grown.arena.children(block).nodes().enumerate() {
        let mut next = game.clone();
        next.play(grown.numbers.at(child.m()));
        walk(grown, block.first + index as u32, &next, see);
    }
}

/// Checks that the statistics of every node add up; `own` decides how many playouts may start at an inner node.
fn check<G: Game, E, O>(mcts: &Mcts<G, E, O>, own: impl Fn(u32) -> bool) -> usize {
    let grown = mcts.tree.as_ref().expect("a search has been made");
    let mut nodes = 0;
    let mut open = vec![grown.root];
    while let Some(at) = open.pop() {
        let node = grown.arena.node(at);
        nodes += 1;
        let shares: u64 = node.shares().take(grown.key.players).map(u64::from).sum();
        assert_eq!(shares, u64::from(node.visits()) * u64::from(UNIT), "a share for every visit");
        let Some(children) = node.children() else { continue };
        let below: u32 = grown.arena.children(children).nodes().map(|child| child.visits()).sum();
        if at == grown.root && node.visits() == below {
            // The root was expanded before it was visited.
        } else {
            assert!(below <= node.visits() && own(node.visits() - below), "{below} of {} visits", node.visits());
        }
        // A thread may be stopped on its way to a child.
        let tried = grown.arena.children(children).nodes().take_while(|child| child.visits() > 0).count();
        let visited = grown.arena.children(children).nodes().filter(|child| child.visits() > 0).count();
        let is_free = grown.key.threads > 1 || mcts.settings.grave.is_some() || mcts.settings.prior > 0.0;
        assert!(tried == visited || is_free, "children are tried in their order");
        for player in Player::all(grown.key.players) {
            let sum: u32 = grown.arena.children(children).nodes().map(|child| child.share(player)).sum();
            assert!(sum <= node.share(player), "children have no more shares than their parent");
        }
        open.extend((children.first..).take(children.count as usize));
    }
    nodes
}

#[test]
fn proofs_agree_with_exhaustive_search() {
    let mut rng = Rng::new(1);
    for rule in [Solver::Standard, Solver::Paranoid, Solver::FirstWinner] {
        let (mut proven, mut lost, mut drawn, mut roots) = (0, 0, 0, 0);
        for seed in 0..2500 {
            let tree = small_tree(&mut rng);
            let root = tree.turn();
            // Much exploration, so that draws do not keep the search from what is not yet proven.
            let mut mcts = on_trees(seed, MctsSettings { solver: rule, c: 3.0, ..random() });
            mcts.choose(&tree, &Budget::playouts(3000));
            // With two players, or a rule that breaks all ties, everything can be proven in the end.
            let must = rule == Solver::FirstWinner || tree.player_count() == 2;
            if must {
                mcts.choose(&tree, &Budget::playouts(2_000_000));
            }
            let grown = mcts.tree.as_ref().unwrap();
            walk(grown, grown.root, &tree, &mut |node, game| {
                let outcomes = || outcomes_by(game, rule, root);
                match node.proven() {
                    Proven::NOTHING => (),
                    Proven::LOST => {
                        lost += 1;
                        assert!(outcomes().iter().all(|vector| vector[root.index()] == 0), "{rule:?} {tree}");
                    }
                    exact => {
                        let mut vector = [0; MAX_PLAYERS];
                        for player in Player::all(tree.player_count()) {
                            vector[player.index()] = exact.share(player);
                        }
                        assert_eq!(outcomes(), [vector], "{rule:?} {tree}");
                        proven += 1;
                        drawn += u32::from(node.children().is_some() && exact.0.count_ones() > 1);
                    }
                }
            });
            let is_proven = grown.arena.node(grown.root).proven().is_proven();
            roots += u32::from(is_proven);
            assert!(is_proven || !must, "{rule:?} {tree}");
        }
        assert!(proven > 20_000 && drawn > 1000 && roots > 1500, "{rule:?}: {proven} {drawn} {roots}");
        assert_eq!(lost > 500, rule == Solver::Paranoid, "{lost}");
    }
}

#[test]
fn proofs_of_paranoid_trees_are_what_the_root_can_be_held_to() {
    let mut rng = Rng::new(17);
    let (mut lost, mut others) = (0, 0);
    for seed in 0..2000 {
        let tree = small_tree(&mut rng);
        let root = tree.turn();
        let mut mcts = on_trees(seed, MctsSettings { policy: TreePolicy::Paranoid, c: 3.0, ..random() });
        mcts.choose(&tree, &Budget::playouts(2000));
        let grown = mcts.tree.as_ref().unwrap();
        walk(grown, grown.root, &tree, &mut |node, game| {
            if !node.proven().is_proven() {
                return;
            }
            let share = |vector: &Vector| vector[root.index()];
            let wish = |mover, vector: &Vector| if mover == root { share(vector) } else { UNIT - share(vector) };
            let outcomes = outcomes(game, &wish);
            assert!(outcomes.iter().all(|vector| share(vector) == node.proven().root_share(root)), "{tree}");
            if node.proven().is_exact() {
                assert_eq!(outcomes.len(), 1, "{tree}");
                assert!(
                    Player::all(tree.player_count())
                        .all(|player| node.proven().share(player) == outcomes[0][player.index()])
                );
                others += 1;
            } else {
                lost += 1;
            }
        });
    }
    assert!(lost > 2000 && others > 5000, "{lost} {others}");
}

#[test]
fn it_converges_to_the_move_of_maxn() {
    let mut rng = Rng::new(2);
    let (mut trees, mut found) = (0, 0);
    for seed in 0..2000 {
        let tree = small_tree(&mut rng);
        let root = tree.turn();
        let values: Vec<Vec<Vector>> =
            children(&tree).iter().map(|(_, child)| outcomes_by(child, Solver::Standard, root)).collect();
        // Only trees whose values do not depend on how ties are broken.
        if values.iter().any(|values| values.len() > 1) {
            continue;
        }
        let best = values.iter().map(|values| values[0][root.index()]).max().unwrap();
        let is_best = |m: u32| values[m as usize - 1][0][root.index()] == best;
        let mut solving = on_trees(seed, MctsSettings { c: 1.0, ..random() });
        let decision = solving.choose(&tree, &Budget::playouts(3000));
        assert!(is_best(decision.m), "{tree}");
        let mut sampling = on_trees(seed, MctsSettings { c: 1.0, ..unsolved() });
        let sampled = sampling.choose(&tree, &Budget::playouts(3000));
        assert_eq!(sampling.statistics().iter().map(|child| child.visits).sum::<u64>(), 3000);
        trees += 1;
        found += u32::from(is_best(sampled.m));
    }
    assert!(trees > 1000 && found * 100 >= trees * 99, "{found} of {trees}");
}

#[test]
fn the_best_rate_is_played_and_the_decision_has_the_expected_shares() {
    for seed in 0..50 {
        let mut game = Track::new(2 + seed as usize % 5, 3);
        game.odd = seed % 2 == 0;
        let mut mcts = on_tracks(seed, unsolved());
        let decision = mcts.choose(&game, &Budget::playouts(2000));
        let statistics = mcts.statistics();
        assert_eq!(statistics.len(), 3);
        let rate = |child: &MoveStatistics<u8>| child.shares.unwrap()[game.turn()];
        let chosen = statistics.iter().find(|child| child.m == decision.m).unwrap();
        assert!(statistics.iter().all(|child| rate(child) <= rate(chosen)));
        assert_eq!((decision.value, decision.scores), (Some(rate(chosen)), chosen.shares));
        assert!((decision.scores.unwrap().sum() - 1.0).abs() < 1e-9);
        assert!(decision.pv[0] == decision.m && decision.depth as usize >= decision.pv.len());
        let mut line = game.clone();
        for &m in &decision.pv {
            let mut moves = Vec::new();
            line.moves(&mut moves);
            assert!(moves.contains(&m));
            line.play(m);
        }
    }
}

#[test]
fn statistics_of_every_node_add_up_with_one_thread() {
    for (solver, w) in [(Solver::Off, 5.0), (Solver::Off, 0.0), (Solver::Paranoid, 5.0)] {
        let mut mcts = on_tracks(1, MctsSettings { solver, w, ..random() });
        mcts.choose(&track(4, 3, 40, false), &Budget::playouts(100_000));
        let nodes = check(&mcts, |own| own == 1);
        assert!(nodes > 50_000, "{nodes}");
    }
}

#[test]
fn statistics_of_every_node_add_up_with_four_threads() {
    for policy in [TreePolicy::MaxN, TreePolicy::Paranoid] {
        let mut mcts = on_tracks(2, MctsSettings { threads: 4, policy, ..random() });
        mcts.choose(&track(4, 3, 40, false), &Budget::playouts(100_000));
        // Several threads may start a playout at a leaf before its children are listed, or none.
        let nodes = check(&mcts, |_| true);
        assert!(nodes > 50_000, "{nodes}");
        assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), 100_000);
    }
}

#[test]
fn threads_prove_what_one_thread_proves() {
    let mut rng = Rng::new(3);
    for seed in 0..300 {
        let tree = small_tree(&mut rng);
        let mut mcts = on_trees(seed, MctsSettings { solver: Solver::FirstWinner, threads: 4, c: 3.0, ..random() });
        mcts.choose(&tree, &Budget::playouts(100_000));
        let grown = mcts.tree.as_ref().unwrap();
        let proven = grown.arena.node(grown.root).proven();
        let expected = outcomes_by(&tree, Solver::FirstWinner, tree.turn());
        for player in Player::all(tree.player_count()) {
            assert_eq!(proven.share(player), expected[0][player.index()], "{tree}");
        }
    }
}

#[test]
fn a_full_arena_ends_growth_and_not_the_search() {
    let game = track(3, 5, 60, false);
    for threads in [1, 3] {
        let mut mcts = on_tracks(4, MctsSettings { memory: 2 << 20, threads, ..unsolved() });
        let decision = mcts.choose(&game, &Budget::playouts(60_000));
        assert!(mcts.workers.iter().any(|worker| worker.room.is_full()));
        assert!(mcts.tree_bytes() <= 2 << 20 && mcts.tree_bytes() > 1 << 20, "{}", mcts.tree_bytes());
        assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), 60_000);
        check(&mcts, |_| true);
        assert!(decision.value.is_some());
    }
}

#[test]
fn children_are_tried_in_the_order_that_the_settings_name() {
    let (game, order) = (track(3, 6, 60, false), HashedOrder { ratings: 1000, seed: 1 });
    let tried = |first, seed| {
        let mut mcts = Mcts::new(HashedScores { most: 5, seed: 1 }, order, seed);
        mcts.settings.first = first;
        mcts.choose(&game, &Budget::playouts(6));
        let statistics = mcts.statistics();
        assert!(statistics.iter().all(|child| child.visits == 1));
        statistics.iter().map(|child| child.m).collect::<Vec<_>>()
    };
    let mut sorted = Vec::new();
    game.moves(&mut sorted);
    order.sort(&game, Stance::Own, &mut sorted);
    let orders: std::collections::BTreeSet<Vec<u8>> = (0..300).map(|seed| tried(FirstPlay::Random, seed)).collect();
    assert!(orders.len() > 200, "of 720 orders, {} came up", orders.len());
    for seed in 0..9 {
        assert_eq!(tried(FirstPlay::StaticOrder, seed), sorted);
    }
}

#[test]
fn a_kept_tree_that_is_full_makes_room() {
    for (memory, threads) in [(1 << 20, 1), (2 << 20, 1), (2 << 20, 2)] {
        let mut mcts = on_tracks(4, MctsSettings { memory, threads, ..unsolved() });
        let (mut game, mut full) = (track(3, 5, 60, false), 0);
        while game.payoff().is_none() {
            let decision = mcts.choose(&game, &Budget::playouts(20_000));
            assert!(decision.value.is_some() && decision.depth > 0, "{memory}, {threads}: nothing is known");
            assert!(mcts.tree_bytes() <= memory.max(threads << 20));
            full += u32::from(mcts.workers.iter().any(|worker| worker.room.is_full()));
            game.play(decision.m);
        }
        assert!(full > 1, "{memory}, {threads}: {full}");
    }
}

#[test]
fn the_same_seed_makes_the_same_tree() {
    let game = track(4, 4, 20, true);
    let play = |seed| {
        let mut mcts = on_tracks(seed, MctsSettings { playout: PlayoutPolicy::Paranoid, ..random() });
        let mut game = game.clone();
        let mut all = Vec::new();
        while game.payoff().is_none() {
            let decision = mcts.choose(&game, &Budget::playouts(300));
            all.push((decision.nodes, decision.pv, mcts.statistics()));
            game.play(decision.m);
        }
        all
    };
    assert_eq!(play(5), play(5));
    assert_ne!(play(5), play(6));
}

/// Written down when the agent was new: a seed means the same on every machine.
#[test]
fn a_seed_means_the_same_everywhere() {
    let mut mcts = on_tracks(7, random());
    let decision = mcts.choose(&track(3, 4, 30, false), &Budget::playouts(20_000));
    let visits: Vec<u64> = mcts.statistics().iter().map(|child| child.visits).collect();
    assert_eq!((decision.nodes, visits), (EXPECTED_NODES, EXPECTED_VISITS.to_vec()));
}

const EXPECTED_NODES: u64 = 390_233;
const EXPECTED_VISITS: [u64; 4] = [2, 4684, 13_494, 1820];

#[test]
fn a_kept_tree_is_consistent_and_worth_keeping() {
    let start = track(3, 4, 60, false);
    let (mut kept, mut shed) = (0, 0);
    for memory in [1 << 30, 3 << 20] {
        let mut mcts = on_tracks(8, MctsSettings { memory, ..unsolved() });
        let mut game = start.clone();
        while game.payoff().is_none() {
            let before = mcts.tree_bytes();
            let decision = mcts.choose(&game, &Budget::playouts(8000));
            let visits: u64 = mcts.statistics().iter().map(|child| child.visits).sum();
            assert!(visits >= 8000);
            kept += visits - 8000;
            shed += u32::from(mcts.tree_bytes() < before);
            assert!(mcts.tree_bytes() <= memory);
            check(&mcts, |own| memory < 1 << 30 || own == 1);
            let grown = mcts.tree.as_ref().unwrap();
            assert_eq!(grown.game, game);
            game.play(decision.m);
        }
    }
    assert!(kept > 10_000 && shed > 0, "{kept} kept, shed {shed} times");
}

#[test]
fn a_copied_tree_is_the_same_tree() {
    let game = track(3, 4, 60, false);
    let mut mcts = on_tracks(9, random());
    mcts.choose(&game, &Budget::playouts(30_000));
    let mut grown = mcts.tree.take().unwrap();
    let child = grown.arena.node(grown.root).children().unwrap().first;
    let mut next = game.clone();
    next.play(grown.numbers.at(grown.arena.node(child).m()));
    let describe = |grown: &SearchTree<Track>, at: u32| {
        let mut nodes = Vec::new();
        walk(grown, at, &next, &mut |node, game| {
            nodes.push((node.visits(), node.shares().collect::<Vec<u32>>(), node.m(), node.proven(), game.key()));
        });
        nodes
    };
    let before = describe(&grown, child);
    assert!(grown.arena.copy(child, 1 << 10).is_none(), "there must be room");
    grown.arena = grown.arena.copy(child, 1 << 30).unwrap().0;
    assert_eq!(describe(&grown, 1), before);
    assert!(before.len() > 1000);
}

#[test]
fn another_position_starts_another_tree() {
    let mut mcts = on_tracks(10, random());
    mcts.choose(&Track::new(3, 4), &Budget::playouts(1000));
    mcts.choose(&Track::new(3, 3), &Budget::playouts(1000));
    assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), 1000);
    mcts.choose(&Track::new(4, 3), &Budget::playouts(1000));
    assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), 1000);
    // The same position continues with its tree, unless reuse is off.
    mcts.choose(&Track::new(4, 3), &Budget::playouts(1000));
    assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), 2000);
    mcts.settings.reuse = false;
    mcts.choose(&Track::new(4, 3), &Budget::playouts(1000));
    assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), 1000);
}

#[test]
fn budgets_are_met_exactly() {
    let game = track(4, 3, 60, false);
    for threads in [1, 3] {
        for policy in [PlayoutPolicy::Random, PlayoutPolicy::OnePly, PlayoutPolicy::Paranoid] {
            let make = || on_tracks(11, MctsSettings { threads, playout: policy, ..unsolved() });
            for playouts in [0, 1, 2, 100, 1001] {
                let mut mcts = make();
                mcts.choose(&game, &Budget::playouts(playouts));
                assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), playouts);
            }
            for nodes in [0, 1, 50, 12_345] {
                let mut mcts = make();
                let decision = mcts.choose(&game, &Budget::nodes(nodes));
                assert_eq!(decision.nodes, nodes);
                check(&mcts, |own| threads > 1 || own == 1);
            }
        }
    }
    let mut mcts = on_tracks(12, unsolved());
    mcts.choose(&game, &Budget::depth(3));
    assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), PLAYOUTS);
}

#[test]
fn time_and_the_stop_flag_end_a_decision() {
    let game = track(4, 3, 200, false);
    let mut mcts = on_tracks(13, unsolved());
    let most = Duration::from_millis(30);
    let started = Instant::now();
    let decision = mcts.choose(&game, &Budget::time(most));
    assert!(started.elapsed() >= most && decision.value.is_some());
    let stop = Arc::new(AtomicBool::new(false));
    let mut reports = 0;
    mcts.search(&game, &Budget { stop: Some(stop.clone()), ..Budget::default() }, &mut |interim| {
        reports += 1;
        assert!(interim.nodes > 0 && interim.value.is_some());
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(reports, 1);
}

#[test]
fn nodes_stop_counting_before_their_words_overflow() {
    let game = track(3, 3, 60, false);
    let mut mcts = on_tracks(14, unsolved());
    mcts.choose(&game, &Budget::playouts(1000));
    let grown = mcts.tree.as_ref().unwrap();
    let root = grown.arena.node(grown.root);
    let shares: Vec<u32> = root.shares().collect();
    root.force_visits(MOST_VISITS);
    mcts.choose(&game, &Budget::playouts(1000));
    let grown = mcts.tree.as_ref().unwrap();
    let root = grown.arena.node(grown.root);
    assert_eq!((root.visits(), root.shares().collect()), (MOST_VISITS, shares));
    assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), 2000);
}

/// The root's value of the game in which one opponent replies to each of its moves.
fn best_reply_value(game: &mut Track, root: Player, replying: bool) -> f32 {
    use crate::OutOfTurn;
    if let Some(payoff) = game.payoff() {
        return payoff[root];
    }
    let mut values = Vec::new();
    if !replying || !game.is_in(root) {
        for (_, mut child) in children(game) {
            let to_reply = game.turn() == root;
            values.push(best_reply_value(&mut child, root, to_reply));
        }
        let is_root = game.turn() == root;
        return values.into_iter().reduce(if is_root { f32::max } else { f32::min }).unwrap();
    }
    for player in Player::all(game.player_count()).filter(|&player| player != root && game.is_in(player)) {
        for (_, mut child) in game.clone().with_turn(player, |handed| children(handed)) {
            values.push(if child.is_in(root) && child.payoff().is_none() {
                child.with_turn(root, |child| best_reply_value(child, root, false))
            } else {
                best_reply_value(&mut child, root, false)
            });
        }
    }
    values.into_iter().reduce(f32::min).unwrap()
}

#[test]
fn best_replies_are_proven_as_by_plain_search() {
    let mut won = 0;
    let mut rng = Rng::new(15);
    for seed in 0..200 {
        let odd = seed % 2 == 1;
        let mut game = track(3 + seed as usize % 2, 3, 9, odd);
        for _ in 0..rng.below(4) {
            let m = game.random_move(&mut Vec::new(), &mut rng);
            let mut next = game.clone();
            next.play(m);
            if next.payoff().is_none() {
                game = next;
            }
        }
        let root = game.turn();
        let expected = best_reply_value(&mut game.clone(), root, false);
        let mut mcts = on_tracks(seed, MctsSettings { policy: TreePolicy::Brs, ..random() });
        let decision = mcts.choose(&game, &Budget::playouts(200_000));
        let grown = mcts.tree.as_ref().unwrap();
        let proven = grown.arena.node(grown.root).proven();
        assert!(proven.is_proven(), "{game:?}");
        assert_eq!(proven.root_share(root) as f32 / UNIT as f32, expected, "{game:?}");
        won += u32::from(expected == 1.0);
        if expected == 1.0 {
            assert_eq!(decision.value, Some(1.0));
        }
        check(&mcts, |own| own == 1);
    }
    assert!((20..180).contains(&won), "{won}");
}

#[test]
fn paranoid_trees_minimize_the_root() {
    // Player 2 gets nothing either way and takes from player 1 only in the paranoid tree.
    let tree: Tree = "(1 (2 (3 1,0,0) (3 0,0,1)))".parse().unwrap();
    let play = |policy| {
        let mut mcts = on_trees(16, MctsSettings { policy, w: 0.0, ..unsolved() });
        mcts.choose(&tree, &Budget::playouts(2000));
        mcts.statistics()[0].shares.unwrap()[Player::new(0)]
    };
    assert!((0.4..0.6).contains(&play(TreePolicy::MaxN)));
    assert!(play(TreePolicy::Paranoid) < 0.1);
}

#[test]
fn every_playout_policy_plays_every_number_of_players() {
    for players in 2..=6 {
        for &(playout, _) in PlayoutPolicy::WORDS {
            for cutoff in [None, Some(0), Some(3)] {
                let mut mcts = on_tracks(players as u64, MctsSettings { playout, cutoff, ..random() });
                let decision = mcts.choose(&track(players, 3, 20, true), &Budget::playouts(200));
                assert_eq!(decision.scores.unwrap().len(), players);
                check(&mcts, |own| own == 1);
            }
        }
    }
}

#[test]
fn leaves_can_be_collected_before_they_are_backed_up() {
    let game = track(4, 3, 40, false);
    let mut mcts = on_tracks(3, unsolved());
    mcts.choose(&game, &Budget::playouts(1000));
    let (grown, mut worker) = (mcts.tree.as_ref().unwrap(), mcts.workers.remove(0));
    let search = mcts.searching(grown, None);
    let visits = || {
        let mut all = Vec::new();
        walk(grown, grown.root, &game, &mut |node, _| all.extend(Some(node.visits()).filter(|&visits| visits > 0)));
        all
    };
    let mut meter = Meter::new(&Budget::default());
    for (size, is_abandoned) in [(1, false), (64, false), (8, true), (500, true)] {
        let before = visits();
        let mut leaves: Vec<Leaf<Track>> = (0..size).map(|_| Leaf::new(&game)).collect();
        for leaf in &mut leaves {
            search.descend(leaf, &mut worker, &mut meter).unwrap();
        }
        // Virtual loss sends them to different places.
        let ends: std::collections::BTreeSet<u32> = leaves.iter().map(|leaf| leaf.path.last().unwrap().node).collect();
        assert!(ends.len() > size / 2, "{} leaves of {size}", ends.len());
        for leaf in &mut leaves {
            if is_abandoned {
                search.abandon(leaf);
            } else {
                let shares = leaf.known.unwrap_or_else(|| search.play_out(leaf, &mut worker, &mut meter).unwrap());
                search.back_up(leaf, &mut worker, &shares);
            }
        }
        search.flush_all(&mut worker);
        assert_eq!(visits() == before, is_abandoned);
        if !is_abandoned {
            // A pending leaf that is visited again is expanded, so several playouts may start at an inner node.
            check(&mcts, |_| true);
        }
    }
    assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), 1065);
}

/// A node: visits, shares, the move that leads to it, mover and proof.
type Shown<M> = (u32, Vec<u32>, Option<M>, Player, Proven);

/// Every node of the last decision's tree, from the root down.
fn image<G: Game, E, O>(mcts: &Mcts<G, E, O>) -> Vec<Shown<G::Move>> {
    let grown = mcts.tree.as_ref().expect("a search has been made");
    let (mut nodes, mut open) = (Vec::new(), vec![grown.root]);
    while let Some(at) = open.pop() {
        let node = grown.arena.node(at);
        let shares = node.shares().take(grown.key.players).collect();
        let m = (at != grown.root).then(|| grown.numbers.at(node.m()));
        nodes.push((node.visits(), shares, m, node.mover(), node.proven()));
        open.extend(node.children().into_iter().flat_map(|c| c.first..c.first + c.count));
    }
    nodes
}

/// Calls `compare` with 10,000 random trees and one pair of searches after another, made from each text, whose memory serves many trees.
fn on_random_trees(
    seed: u64,
    texts: &[&str],
    make: impl Fn(&str) -> [HashedMcts; 2],
    mut compare: impl FnMut(&Tree, &mut [HashedMcts; 2], &str),
) {
    let mut pairs: Vec<[HashedMcts; 2]> = texts.iter().map(|text| make(text)).collect();
    let mut rng = Rng::new(seed);
    for number in 0..10_000 {
        // The number of players changes seldom, since memory serves only one.
        let shape = Shape { players: 2 + number / 2000, ..Shape::random(&mut rng) };
        let at = number % texts.len();
        compare(&random_tree(&mut rng, shape), &mut pairs[at], texts[at]);
    }
}

/// Hashed scores and a hashed order, with settings.
fn hashed(text: &str) -> HashedMcts {
    let mut mcts = Mcts::new(HashedScores { most: 5, seed: 1 }, HashedOrder { ratings: 3, seed: 2 }, 3);
    settings::read(&mut mcts.settings, &format!("memory=1M{text}")).unwrap();
    mcts
}

#[test]
fn without_weight_implicit_vectors_change_no_node() {
    // Not GRAVE, no batches and no priors: where several children have a rate of 0 and no exploration, any weight decides.
    let texts = [
        "",
        ",w=0",
        ",solver=off",
        ",solver=paranoid",
        ",solver=first-winner",
        ",policy=paranoid",
        ",policy=paranoid,solver=off,w=0",
        ",policy=paranoid,playout=random",
        ",playout=maxn,k=3",
        ",playout=mast",
        ",playout=ppa",
        ",cutoff=0",
        ",cutoff=2",
        ",reward=rank",
        ",reward=points,cutoff=1",
        ",widen=1",
        ",oma=30",
        ",root=halving,reuse=no",
        ",choose=lcb,c=1",
        ",first=random",
        ",ties=random,score=difference",
    ];
    // Of a number that is greater than nothing, such a part more is nothing more, and 1 less such a part is 1.
    let pair = |text: &str| {
        [0.0, 1e-300].map(|implicit| {
            let mut mcts = hashed(text);
            mcts.settings.implicit = implicit;
            mcts
        })
    };
    let (mut evaluated, mut steered, mut rival) = (0, 0, hashed(",implicit=0.5"));
    on_random_trees(21, &texts, pair, |tree, [plain, implicit], text| {
        let mut game = tree.clone();
        // The second decision has the tree of the first.
        for _ in 0..2 {
            let budget = Budget::playouts(30);
            let (expected, found) = (plain.choose(&game, &budget), implicit.choose(&game, &budget));
            assert!(image(implicit) == image(plain), "{text}: {tree}");
            assert_eq!(
                (found.m, found.scores, found.depth),
                (expected.m, expected.scores, expected.depth),
                "{text}: {tree}"
            );
            evaluated += usize::from(found.nodes > expected.nodes);
            if text.is_empty() {
                rival.choose(&game, &budget);
                steered += usize::from(image(&rival) != image(plain));
            }
            game.play(found.m);
            if game.payoff().is_some() {
                break;
            }
        }
    });
    assert!(evaluated > 9000 && steered > 100, "{evaluated} {steered}");
}

/// The settings of information-set search, one of them after another.
const HIDDEN: &[&str] = &[
    "",
    ",c=0.7,w=0",
    ",epsilon=0.5",
    ",playout=random",
    ",playout=move",
    ",playout=maxn,k=3",
    ",playout=paranoid",
    ",playout=mast",
    ",playout=nst",
    ",playout=ppa,learning=0.5",
    ",cutoff=0",
    ",cutoff=2",
    ",reward=rank",
    ",reward=points,cutoff=1",
    ",reward=lead",
    ",choose=visits",
    ",choose=lcb",
    ",killers=no,playout=paranoid",
    ",ties=random",
    ",score=difference",
    ",lines=3",
];

/// The nodes that have been visited: where something is hidden, the moves of a node are listed one visit earlier, in its first deal.
fn visited<G: Game, E, O>(mcts: &Mcts<G, E, O>) -> Vec<Shown<G::Move>> {
    let mut nodes = image(mcts);
    nodes.retain(|(visits, ..)| *visits > 0);
    nodes
}

/// A search and the one with a deal for each simulation, which has the same settings.
fn open_and_hidden(text: &str) -> [HashedMcts; 2] {
    let open = hashed(&format!("{text},solver=off,reuse=no"));
    let hidden = Mcts { settings: open.settings.clone(), ..Mcts::hidden(open.evaluator, open.order, 3) };
    [open, hidden]
}

#[test]
fn with_nothing_hidden_a_deal_for_each_simulation_changes_no_node() {
    let mut nodes = 0;
    on_random_trees(22, HIDDEN, open_and_hidden, |tree, [open, hidden], text| {
        let budget = Budget::playouts(40);
        let (expected, found) = (open.choose(tree, &budget), hidden.choose(tree, &budget));
        assert!(visited(hidden) == visited(open), "{text}: {tree}");
        assert_eq!(Decision { time: expected.time, ..found }, expected, "{text}: {tree}");
        nodes += visited(open).len();
    });
    assert!(nodes > 50_000, "{nodes}");
    for number in 0..500 {
        let playout = PlayoutPolicy::Brs;
        let settings = MctsSettings { playout, reuse: false, memory: 1 << 20, ..unsolved() };
        let game = track(2 + number % 5, 4, 12, number % 2 == 0);
        let mut open = on_tracks(3, settings.clone());
        let mut hidden = Mcts { is_hidden: true, ..on_tracks(3, settings) };
        let budget = Budget::playouts(40);
        let (expected, found) = (open.choose(&game, &budget), hidden.choose(&game, &budget));
        assert!(visited(&hidden) == visited(&open), "{game:?}");
        assert_eq!(Decision { time: expected.time, ..found }, expected, "{game:?}");
    }
    // None is left out but the room for the tree, and what belongs to games with evaluations of their own.
    for setting in settings::list(&mut crate::IsmctsSettings::default()) {
        let is_there = HIDDEN.iter().any(|text| text.contains(&format!("{}=", setting.key)));
        assert!(is_there || ["memory", "eval", "noise"].contains(&setting.key), "{}", setting.key);
    }
}

/// Simulations one after another, each completed before the next one begins: what a batch of 1 must equal.
fn simulate_plainly<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(
    mcts: &mut Mcts<G, E, O>,
    game: &G,
    playouts: u64,
) -> u64 {
    let mut tree = mcts.grow(game);
    let mut workers = std::mem::take(&mut mcts.workers);
    let worker = &mut workers[0];
    worker.begin(&mcts.settings, tree.key.players);
    mcts.searching(&tree, None).expand_root(worker, &mut Meter::new(&Budget::default()));
    let (mut meter, mut leaf) = (Meter::new(&Budget::default()), Leaf::new(game));
    for _ in 0..playouts {
        if tree.numbers.is_crowded() {
            tree.numbers.grow();
        }
        let search = mcts.searching(&tree, None);
        if tree.arena.node(tree.root).proven().is_proven() {
            break;
        }
        search.descend(&mut leaf, worker, &mut meter).unwrap();
        let shares = match leaf.known {
            Some(shares) => shares,
            None => search.play_out(&mut leaf, worker, &mut meter).unwrap(),
        };
        search.back_up(&leaf, worker, &shares);
    }
    mcts.searching(&tree, None).flush_all(worker);
    (mcts.workers, mcts.tree) = (workers, Some(tree));
    meter.nodes()
}

/// Settings of searches whose leaves are evaluated.
fn evaluated() -> Vec<MctsSettings> {
    let mut all = Vec::new();
    for policy in [TreePolicy::MaxN, TreePolicy::Paranoid, TreePolicy::Brs] {
        for solver in [Solver::Standard, Solver::Paranoid, Solver::FirstWinner, Solver::Off] {
            for (w, first) in [(5.0, FirstPlay::StaticOrder), (0.0, FirstPlay::Random)] {
                all.push(MctsSettings { policy, solver, w, first, cutoff: Some(0), ..MctsSettings::default() });
            }
        }
    }
    all
}

#[test]
fn a_batch_of_one_is_the_search_that_completes_each_simulation_before_the_next_one_begins() {
    let mut nodes_compared = 0;
    for (number, settings) in evaluated().into_iter().enumerate() {
        let game = track(2 + number % 5, 4, 20, number % 2 == 0);
        let mut plain = on_tracks(number as u64, settings.clone());
        let nodes = simulate_plainly(&mut plain, &game, 1500);
        let mut mcts = on_tracks(number as u64, settings);
        assert_eq!(mcts.choose(&game, &Budget::playouts(1500)).nodes, nodes);
        assert!(image(&mcts) == image(&plain), "{:?}", mcts.settings);
        nodes_compared += image(&mcts).len();
    }
    assert!(nodes_compared > 20_000, "{nodes_compared}");
}

#[test]
fn a_batch_that_has_room_for_more_leaves_than_it_gets_is_the_ordinary_search() {
    for (number, settings) in evaluated().into_iter().enumerate() {
        // The tree of best replies is never kept.
        if settings.policy == TreePolicy::Brs {
            continue;
        }
        let game = track(2 + number % 5, 4, 20, number % 2 == 0);
        let mut single = on_tracks(number as u64, settings.clone());
        single.choose(&game, &Budget::playouts(400));
        let mut mcts = on_tracks(number as u64, MctsSettings { batch: 16, ..settings });
        for _ in 0..400 {
            mcts.choose(&game, &Budget::playouts(1));
        }
        assert!(image(&mcts) == image(&single), "{:?}", mcts.settings);
    }
}

#[test]
fn batches_are_repeatable_count_exactly_and_meet_their_budgets() {
    let game = track(4, 4, 40, true);
    let mut trees = Vec::new();
    for batch in [1, 2, 16, 100] {
        let settings = MctsSettings { batch, cutoff: Some(0), solver: Solver::Off, ..MctsSettings::default() };
        let make = || on_tracks(3, settings.clone());
        let (mut first, mut again) = (make(), make());
        let decision = first.choose(&game, &Budget::playouts(3001));
        let same = again.choose(&game, &Budget::playouts(3001));
        assert_eq!((decision.playouts, decision.nodes, &decision.pv), (3001, same.nodes, &same.pv));
        assert_eq!(first.statistics().iter().map(|child| child.visits).sum::<u64>(), 3001);
        assert!(image(&first) == image(&again), "batch={batch}");
        // A pending leaf that is visited again is expanded before it is evaluated.
        check(&first, |own| own == 1 || batch > 1 && own < batch as u32);
        trees.push(image(&first));
        for playouts in [0, 1, 15, 16, 17] {
            let mut mcts = make();
            assert_eq!(mcts.choose(&game, &Budget::playouts(playouts)).playouts, playouts);
            assert_eq!(mcts.statistics().iter().map(|child| child.visits).sum::<u64>(), playouts);
        }
        for nodes in [0, 1, 50, 4321] {
            let mut mcts = make();
            assert_eq!(mcts.choose(&game, &Budget::nodes(nodes)).nodes, nodes);
            check(&mcts, |_| true);
        }
        let mut shared = on_tracks(3, MctsSettings { threads: 3, ..settings.clone() });
        assert_eq!(shared.choose(&game, &Budget::playouts(3001)).playouts, 3001);
        check(&shared, |_| true);
    }
    trees.dedup();
    assert_eq!(trees.len(), 4, "descents that are made together know less of each other");
}

#[test]
fn batches_prove_what_exhaustive_search_finds() {
    let mut rng = Rng::new(21);
    let mut proven = 0;
    for seed in 0..600 {
        let tree = small_tree(&mut rng);
        for batch in [1, 7, 32] {
            let solver = [Solver::Standard, Solver::FirstWinner][seed as usize % 2];
            let settings = MctsSettings { solver, c: 3.0, cutoff: Some(0), batch, ..MctsSettings::default() };
            let mut mcts = on_trees(seed, settings);
            mcts.choose(&tree, &Budget::playouts(20_000));
            let grown = mcts.tree.as_ref().unwrap();
            let is_proven = grown.arena.node(grown.root).proven().is_proven();
            assert!(is_proven || solver == Solver::Standard, "batch={batch} {tree}");
            walk(grown, grown.root, &tree, &mut |node, game| {
                if node.proven().is_proven() {
                    let mut vector = [0; MAX_PLAYERS];
                    for player in Player::all(tree.player_count()) {
                        vector[player.index()] = node.proven().share(player);
                    }
                    assert_eq!(outcomes_by(game, solver, tree.turn()), [vector], "batch={batch} {tree}");
                    proven += 1;
                }
            });
        }
    }
    assert!(proven > 10_000, "{proven}");
}

/// An evaluation whose scores are shares of the win in hundredths, and which counts the positions of each call.
#[derive(Clone)]
struct Counted {
    sizes: Arc<std::sync::Mutex<Vec<usize>>>,
}

impl Evaluator<Track> for Counted {
    fn bounds(&self, game: &Track) -> crate::Bounds {
        crate::Bounds { min: crate::ByPlayer::splat(game.player_count(), 0), max_sum: 100 }
    }

    fn evaluate(&self, game: &Track) -> crate::ByPlayer<crate::Score> {
        let first = (game.key() % 101) as crate::Score;
        crate::ByPlayer::from_slice(&[first, (100 - first) / 2, (101 - first) / 2])
    }

    fn shares(&self, game: &Track) -> crate::ByPlayer<f32> {
        self.sizes.lock().unwrap().push(1);
        self.evaluate(game).map(|score| score as f32 / 100.0)
    }

    fn shares_of_all(&self, games: &mut dyn Iterator<Item = &Track>, each: &mut dyn FnMut(crate::ByPlayer<f32>)) {
        let all: Vec<&Track> = games.collect();
        self.sizes.lock().unwrap().push(all.len());
        all.iter().for_each(|game| each(self.evaluate(game).map(|score| score as f32 / 100.0)));
    }
}

#[test]
fn leaves_are_evaluated_together_once_each_and_their_shares_are_the_results() {
    let game = track(3, 4, 60, false);
    let shares = |batch| {
        let sizes = Arc::new(std::sync::Mutex::new(Vec::new()));
        let evaluator = crate::Noisy::quiet(Counted { sizes: sizes.clone() });
        let mut mcts = Mcts::new(evaluator, HashedOrder { ratings: 3, seed: 1 }, 1);
        mcts.settings = MctsSettings { batch, cutoff: Some(0), ..MctsSettings::default() };
        mcts.choose(&game, &Budget::playouts(1600));
        let sizes = sizes.lock().unwrap().clone();
        assert!(sizes.iter().all(|&size| size <= batch), "{sizes:?}");
        let (calls, leaves) = (sizes.len(), sizes.iter().sum::<usize>());
        assert!(leaves <= 1600 && leaves > 1200, "{leaves} leaves");
        assert!(calls < 3 * leaves / (2 * batch) + 1 || batch == 1 && calls == leaves, "{calls} calls for {leaves}");
        // A share that is neither a win, a draw nor a loss.
        let leaf = image(&mcts).into_iter().filter(|(visits, ..)| *visits == 1).map(|(_, shares, ..)| shares[0]);
        leaf.filter(|share| ![0, UNIT / 2, UNIT].contains(share)).count()
    };
    assert!(shares(1) > 100 && shares(16) > 100);
}

#[test]
#[should_panic(expected = "batch=2 evaluates leaves together, and cutoff=off plays each of them on first")]
fn a_batch_needs_a_cutoff_of_zero() {
    on_tracks(1, MctsSettings { batch: 2, ..random() }).choose(&Track::new(2, 3), &Budget::playouts(1));
}

#[test]
#[should_panic(expected = "policy=brs needs players to move out of turn: see Mcts::out_of_turn")]
fn best_replies_need_a_game_out_of_turn() {
    let tree: Tree = "(1 1,0 0,1)".parse().unwrap();
    on_trees(1, MctsSettings { policy: TreePolicy::Brs, ..random() }).choose(&tree, &Budget::playouts(1));
}
