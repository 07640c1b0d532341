//! Selection by more than a node's own results, each choice against a plain version that knows all games so far.

use super::descent::Leaf;
use super::search::Search;
use super::shares::UNIT;
use super::*;
use crate::testing::{HashedOrder, HashedScores, Track};
use crate::{Player, Stance, settings};

type TrackMcts = Mcts<Track, HashedScores, HashedOrder>;
type TrackSearch<'a> = Search<'a, Track, HashedScores, HashedOrder>;

fn game() -> Track {
    let mut game = Track::new(3, 6);
    game.length = 60;
    game
}

fn with(seed: u64, text: &str) -> TrackMcts {
    let (scores, order) = (HashedScores { most: 9, seed: 2 }, HashedOrder { ratings: 3, seed: 1 });
    let mut mcts = Mcts::out_of_turn(scores, order, seed);
    settings::read(&mut mcts.settings, text).unwrap();
    mcts
}

/// A simulated game: the nodes of the tree, all moves by their numbers, and what each player made of the result.
struct Simulated {
    path: Vec<u32>,
    line: Vec<(Player, u32)>,
    gains: Vec<f64>,
}

impl Simulated {
    fn ply_of(&self, node: u32) -> Option<usize> {
        self.path.iter().position(|&other| other == node)
    }
}

/// A child of a node at which is chosen.
struct Choosable {
    at: u32,
    player: Player,
    number: u32,
}

/// The number and the sum of the gains of some games.
fn rate<'a>(games: impl Iterator<Item = &'a Simulated>, player: Player) -> (f64, f64) {
    games.fold((0.0, 0.0), |(n, s), game| (n + 1.0, s + game.gains[player.index()]))
}

/// What games through a node have brought those who played a move after it, each game counted once. The game that made the node does
/// not count.
fn amaf(games: &[Simulated], node: u32, player: Player, number: u32) -> (f64, f64) {
    let has_move = |game: &&Simulated| {
        game.ply_of(node).is_some_and(|ply| ply + 1 < game.path.len() && game.line[ply..].contains(&(player, number)))
    };
    rate(games.iter().filter(has_move), player)
}

/// The games so far, the path to the node at which is chosen, and a child: its value, `None` if it is chosen at once.
type Rule<'a> = &'a dyn Fn(&TrackSearch<'_>, &[Simulated], &[u32], &Choosable) -> Option<f64>;

/// Simulates game after game and compares every choice with a rule.
fn follow(mcts: &mut TrackMcts, game: &Track, playouts: usize, rule: Rule<'_>) {
    let mut tree = mcts.grow(game);
    let mut workers = std::mem::take(&mut mcts.workers);
    let worker = &mut workers[0];
    worker.begin(&mcts.settings, tree.key.players);
    mcts.searching(&tree, None).expand_root(worker, &mut Meter::new(&Budget::default()));
    let (mut meter, mut leaf, mut games) = (Meter::new(&Budget::default()), Leaf::new(game), Vec::new());
    for number in 0..playouts {
        if tree.is_crowded() {
            tree.make_room();
        }
        let search = mcts.searching(&tree, None);
        search.descend(&mut leaf, worker, &mut meter).unwrap();
        let path: Vec<u32> = leaf.path.iter().map(|at| at.node).collect();
        for (ply, pair) in path.windows(2).enumerate() {
            let children = tree.arena.node(pair[0]).children().unwrap();
            let values: Vec<Option<f64>> = (children.first..children.first + children.count)
                .map(|at| {
                    let node = tree.arena.node(at);
                    rule(&search, &games, &path[..=ply], &Choosable { at, player: node.mover(), number: node.m() })
                })
                .collect();
            let chosen = (pair[1] - children.first) as usize;
            let expected = values.iter().position(Option::is_none);
            let most = values.iter().flatten().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            match expected {
                Some(first) => assert_eq!(chosen, first, "game {number}, ply {ply}: {values:?}"),
                None => assert!(values[chosen].unwrap() > most - 1e-9, "game {number}, ply {ply}: {chosen} {values:?}"),
            }
        }
        let shares = leaf.known.unwrap_or_else(|| search.play_out(&mut leaf, worker, &mut meter).unwrap());
        search.back_up(&leaf, worker, &shares);
        let gains = search.gains(&shares).iter().map(|&gain| f64::from(gain) / f64::from(UNIT)).collect();
        games.push(Simulated { path, line: leaf.line.iter().map(|m| (m.player, m.number)).collect(), gains });
    }
    (mcts.workers, mcts.tree) = (workers, Some(tree));
}

/// The visits of a child and its rate of success.
fn own_rate(games: &[Simulated], child: &Choosable) -> (f64, f64) {
    let (n, s) = rate(games.iter().filter(|game| game.ply_of(child.at).is_some()), child.player);
    (n, if n > 0.0 { s / n } else { 0.0 })
}

/// The games in which the root player came to a node by an own move and then made a move as its next.
fn after_own(search: &TrackSearch<'_>, games: &[Simulated], node: u32, number: u32) -> (f64, f64) {
    let (arena, root) = (&search.tree.arena, search.tree.game.turn());
    let has_move = |game: &&Simulated| {
        let after = game.ply_of(node).map_or(&[][..], |ply| &game.path[ply + 1..]);
        after.iter().map(|&at| arena.node(at)).find(|next| next.mover() == root).is_some_and(|next| next.m() == number)
    };
    rate(games.iter().filter(has_move), root)
}

#[test]
fn opponent_moves_are_abstracted_by_definition() {
    for (text, k, c) in [
        ("oma=30", 30.0, 0.2),
        ("oma=1,c=1,policy=paranoid", 1.0, 1.0),
        ("oma=100,c=0.5,policy=brs,cutoff=3", 100.0, 0.5),
    ] {
        let used = std::cell::Cell::new(0);
        let rule = |search: &TrackSearch<'_>, games: &[Simulated], path: &[u32], child: &Choosable| {
            let node = *path.last().unwrap();
            let (n, q) = own_rate(games, child);
            if n == 0.0 {
                return None;
            }
            let visits = games.iter().filter(|game| game.ply_of(node).is_some()).count() as f64;
            let plain = q + c * (visits.max(1.0).ln() / n).sqrt();
            let root = search.tree.game.turn();
            let own = path[1..].iter().rfind(|&&at| search.tree.arena.node(at).mover() == root);
            let Some(&before) = own.filter(|_| child.player == root) else { return Some(plain) };
            let (all, sum) = after_own(search, games, before, child.number);
            if all == 0.0 {
                return Some(plain);
            }
            used.set(used.get() + u32::from(all > n));
            let beta: f64 = k / (k + 3.0 * n);
            let beta = beta.sqrt();
            Some((1.0 - beta) * q + beta * sum / all + plain - q)
        };
        let mut mcts = with(1, &format!("{text},solver=off,playout=random,w=0"));
        follow(&mut mcts, &game(), 800, &rule);
        assert!(used.get() > 20, "{text}: {}", used.get());
    }
}

/// What a search over so many plies of the first k moves finds: every player takes what it wants most, the first of equals.
fn look_ahead(search: &TrackSearch<'_>, game: &Track, plies: u32, k: usize) -> Vec<f64> {
    if let Some(payoff) = game.payoff() {
        return payoff.as_slice().iter().map(|&share| f64::from(share)).collect();
    }
    if plies == 0 {
        return search.playout.evaluator.shares(game).as_slice().iter().map(|&share| f64::from(share)).collect();
    }
    let mut moves = Vec::new();
    game.moves(&mut moves);
    search.order.sort(game, search.stance(), &mut moves);
    moves.truncate(k);
    let all = moves.iter().map(|&m| look_ahead(search, &after(game, m), plies - 1, k));
    let wish = |found: &Vec<f64>| wish(search, found, game.turn());
    all.reduce(|a, b| if wish(&b) > wish(&a) { b } else { a }).unwrap()
}

fn wish(search: &TrackSearch<'_>, found: &[f64], player: Player) -> f64 {
    let root = search.tree.game.turn();
    let is_against = search.settings.policy == TreePolicy::Paranoid && player != root;
    if is_against { 1.0 - found[root.index()] } else { found[player.index()] }
}

fn after(game: &Track, m: u8) -> Track {
    let mut child = game.clone();
    child.play(m);
    child
}

#[test]
fn priors_are_virtual_visits_at_what_a_plain_search_finds() {
    for (text, w, k, oma) in [
        ("prior=4,k=2", 4.0, 2, None),
        ("prior=1.5,k=3,policy=paranoid,cutoff=2", 1.5, 3, None),
        ("prior=0.25,k=100,cutoff=0", 0.25, 100, None),
        ("prior=2,k=1,oma=30", 2.0, 1, Some(30.0)),
    ] {
        let untried = std::cell::Cell::new(0);
        let rule = |search: &TrackSearch<'_>, games: &[Simulated], path: &[u32], child: &Choosable| {
            let number = |at: u32| search.tree.numbers.at(search.tree.arena.node(at).m());
            let position = path[1..].iter().fold(search.tree.game.clone(), |game, &at| after(&game, number(at)));
            let v = wish(search, &look_ahead(search, &after(&position, number(child.at)), 2, k), child.player);
            let (n, q) = own_rate(games, child);
            let rate = (n * q + w * v) / (n + w);
            let through = |game: &&Simulated| game.ply_of(*path.last().unwrap()).is_some();
            let visits = games.iter().filter(through).count() as f64;
            let plain = rate + 0.3 * (visits.max(1.0).ln() / (n + w)).sqrt();
            untried.set(untried.get() + u32::from(n == 0.0 && visits > 12.0));
            let root = search.tree.game.turn();
            let own = path[1..].iter().rfind(|&&at| search.tree.arena.node(at).mover() == root);
            let (Some(&before), Some(k)) = (own.filter(|_| child.player == root), oma) else { return Some(plain) };
            let (all, sum) = after_own(search, games, before, child.number);
            let beta: f64 = if all > 0.0 { k / (k + 3.0 * n) } else { 0.0 };
            Some(plain + beta.sqrt() * (sum / all.max(1.0) - rate))
        };
        let mut mcts = with(1, &format!("{text},solver=off,playout=random,w=0,c=0.3"));
        follow(&mut mcts, &game(), 300, &rule);
        // Some moves are not tried while others are tried again and again.
        assert!(untried.get() > 0, "{text}");
    }
}

#[test]
fn searches_for_priors_cost_nodes_and_meet_the_budget() {
    fn positions(game: &Track, plies: u32, k: usize) -> u64 {
        if plies == 0 || game.payoff().is_some() {
            return 1;
        }
        let mut moves = Vec::new();
        game.moves(&mut moves);
        HashedOrder { ratings: 3, seed: 1 }.sort(game, Stance::Own, &mut moves);
        1 + moves.iter().take(k).map(|&m| positions(&after(game, m), plies - 1, k)).sum::<u64>()
    }
    for k in [1, 2, 9] {
        let found = with(1, &format!("prior=3,k={k},cutoff=0")).choose(&game(), &Budget::playouts(1));
        // All positions below the root's six moves, and one of these again, which is played.
        let expected: u64 = (1..=6).map(|m| positions(&after(&game(), m), 2, k)).sum();
        assert_eq!((found.nodes, expected > 6), (expected + 1, true), "{k}");
    }
    for limit in [1, 5, 19, 20, 100, 777] {
        let found = with(1, "prior=3,k=2,playout=random").choose(&game(), &Budget::nodes(limit));
        assert!(found.nodes <= limit, "{} of {limit}", found.nodes);
    }
}

#[test]
fn grave_chooses_by_its_definition() {
    for (text, visits, bias, implicit) in [
        ("grave=0", 0.0, 1e-5, 0.0),
        ("grave=5,bias=0.01", 5.0, 0.01, 0.0),
        ("grave=12,bias=0,policy=paranoid", 12.0, 0.0, 0.0),
        ("grave=12,policy=brs,cutoff=4", 12.0, 1e-5, 0.0),
        ("grave=1000,implicit=0.3", 1000.0, 1e-5, 0.3),
    ] {
        let above = std::cell::Cell::new([0; 3]);
        let rule = |search: &TrackSearch<'_>, games: &[Simulated], path: &[u32], child: &Choosable| {
            let visited = |node: u32| games.iter().filter(|game| game.ply_of(node).is_some()).count() as f64;
            let goes_on = |game: &Simulated, node| game.ply_of(node).is_some_and(|ply| ply + 1 < game.path.len());
            let has_gathered = |node: u32| games.iter().any(|game| goes_on(game, node));
            let is_reference = |node: u32| visited(node) > visits && has_gathered(node);
            let place = (1..path.len()).rev().find(|&ply| is_reference(path[ply])).unwrap_or(0);
            let mut counts = above.get();
            counts[if place == 0 { 0 } else { 1 + usize::from(place + 1 == path.len()) }] += 1;
            above.set(counts);
            let (p, q) = own_rate(games, child);
            let (all, sum) = amaf(games, path[place], child.player, child.number);
            if p + all == 0.0 {
                return None;
            }
            let beta = all / (all + p + bias * all * p);
            let elsewhere = if all > 0.0 { sum / all } else { 0.0 };
            let promise =
                if implicit > 0.0 { search.promise(search.tree.arena.node(child.at), child.player) } else { 0.0 };
            Some((1.0 - implicit) * ((1.0 - beta) * q + beta * elsewhere) + implicit * f64::from(promise))
        };
        let mut mcts = with(1, &format!("{text},solver=off,playout=random"));
        follow(&mut mcts, &game(), 300, &rule);
        // References are the root, nodes in between and the node itself.
        let [root, between, own] = above.get();
        assert!(visits == 1000.0 && between + own == 0 || root > 0 && own > 0, "{text}: {:?}", above.get());
        assert!(visits != 5.0 || between > 0, "{text}: {:?}", above.get());
    }
}

/// What a decision shows, and the statistics of its moves.
fn found(text: &str) -> (u8, u64, Vec<MoveStatistics<u8>>) {
    let mut mcts = with(1, text);
    let found = mcts.choose(&game(), &Budget::playouts(400));
    (found.m, found.nodes, mcts.statistics())
}

#[test]
fn what_is_off_changes_nothing_and_what_is_on_does() {
    let plain = found("playout=random");
    assert_eq!(found("playout=random,grave=off,bias=3,oma=off,prior=0"), plain);
    for text in ["grave=100", "grave=0", "oma=30", "prior=2"] {
        assert_ne!(found(&format!("playout=random,{text}")), plain, "{text}");
    }
    // Without exploration and history, their weights do not matter.
    assert_eq!(found("playout=random,grave=20,c=7,w=0"), found("playout=random,grave=20"));
}

#[test]
fn guided_searches_share_their_tree_and_stay_within_their_memory() {
    for text in ["grave=10", "oma=30", "oma=30,widen=2", "prior=2,k=2", "prior=1,k=1,grave=10", "prior=1,k=1,oma=30"] {
        for threads in [1, 4] {
            let mut mcts = with(1, &format!("{text},playout=random,memory=2M,threads={threads}"));
            let mut position = game();
            for _ in 0..4 {
                let found = mcts.choose(&position, &Budget::playouts(5000));
                assert!(found.playouts == 5000 || found.value.is_some_and(|value| value == 0.0 || value == 1.0));
                let tree = mcts.tree.as_ref().unwrap();
                let records = tree.records.as_ref().map_or(0, |records| records.bytes());
                assert!(records <= 512 << 10, "{text}: {records}");
                assert!(tree.arena.bytes() <= 4 << 20, "{text}: {}", tree.arena.bytes());
                for (visits, below) in inner_nodes(&mcts) {
                    assert!(below <= visits, "{text}: {below} of {visits}");
                }
                position.play(found.m);
            }
            let again = (0..2).map(|_| with(1, text).choose(&game(), &Budget::playouts(300)).scores);
            assert!(again.collect::<Vec<_>>().windows(2).all(|pair| pair[0] == pair[1]));
        }
    }
}

/// The visits of every inner node, and of its children together. Every visit has brought one win.
fn inner_nodes(mcts: &TrackMcts) -> Vec<(u32, u32)> {
    let tree = mcts.tree.as_ref().unwrap();
    let (mut all, mut open) = (Vec::new(), vec![tree.root]);
    while let Some(at) = open.pop() {
        let node = tree.arena.node(at);
        let shares: u64 = node.shares().take(3).map(u64::from).sum();
        assert_eq!(shares, u64::from(node.visits()) * u64::from(UNIT));
        let Some(children) = node.children() else { continue };
        all.push((node.visits(), tree.arena.children(children).nodes().map(|child| child.visits()).sum()));
        open.extend(children.first..children.first + children.count);
    }
    all
}
