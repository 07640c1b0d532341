//! Selection by more than a node's own results, each choice against a plain version that knows all games so far.

use super::descent::Leaf;
use super::search::Search;
use super::shares::UNIT;
use super::*;
use crate::testing::{
    HashedOrder, HashedScores, PlainGame, PlainMeans, Track, plain_grave, plain_leaf, plain_moves, plain_oma,
    plain_prior, plain_uct,
};
use crate::{Player, ScoreForm, Stance, Ties, settings};

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

/// A child of a node at which is chosen.
struct Choosable {
    at: u32,
    player: Player,
    number: u32,
}

/// The games so far, the path to the node at which is chosen, and a child: its value, `None` if it is chosen at once.
type Rule<'a> = &'a dyn Fn(&TrackSearch<'_>, &[PlainGame], &[u32], &Choosable) -> Option<f64>;

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
        let in_tree = path[1..].iter().map(|&at| tree.arena.node(at)).map(|node| (node.mover(), node.m()));
        let in_playout = leaf.line.iter().skip(path.len() - 1).map(|m| (m.player, m.number));
        games.push(PlainGame { line: in_tree.chain(in_playout).collect(), path, gains });
    }
    (mcts.workers, mcts.tree) = (workers, Some(tree));
}

/// The visits of a node, whoever asks.
fn visits(games: &[PlainGame], node: u32) -> u32 {
    PlainGame::through(games, node, Player::new(0)).0 as u32
}

/// What opponent move abstraction knows of a child: nothing but for own moves of the root player below its first.
fn whatever(search: &TrackSearch<'_>, games: &[PlainGame], path: &[u32], child: &Choosable) -> (f64, f64) {
    let root = search.tree.game.turn();
    let own = path[1..].iter().rfind(|&&at| search.tree.arena.node(at).mover() == root);
    let before = own.filter(|_| child.player == root);
    before.map_or((0.0, 0.0), |&before| PlainGame::next_own(games, before, root, child.number))
}

#[test]
fn opponent_moves_are_abstracted_by_definition() {
    for (text, k, c) in [
        ("oma=30", 30.0, 0.2),
        ("oma=1,c=1,policy=paranoid", 1.0, 1.0),
        ("oma=100,c=0.5,policy=brs,cutoff=3", 100.0, 0.5),
    ] {
        let used = std::cell::Cell::new(0);
        let rule = |search: &TrackSearch<'_>, games: &[PlainGame], path: &[u32], child: &Choosable| {
            let (n, share) = PlainGame::through(games, child.at, child.player);
            if n == 0.0 {
                return None;
            }
            let all = whatever(search, games, path, child);
            used.set(used.get() + u32::from(all.0 > n));
            Some(plain_uct(plain_oma(share / n, n, all, k), visits(games, path[path.len() - 1]), n, c))
        };
        let mut mcts = with(1, &format!("{text},solver=off,playout=random,w=0"));
        follow(&mut mcts, &game(), 800, &rule);
        assert!(used.get() > 20, "{text}: {}", used.get());
    }
}

/// What a search over two plies of the first k moves finds: every player takes what it wants most, the first of equals.
fn look_ahead(search: &TrackSearch<'_>, game: &Track, k: usize) -> Vec<f64> {
    let plain = PlainMeans {
        root: search.tree.game.turn(),
        leaf: Box::new(|game: &Track| plain_leaf(game, search.playout.evaluator, ScoreForm::Share)),
        list: Box::new(|game: &Track| plain_moves(game, search.order, Some(search.stance()), Some(k))),
        worth: Box::new(|found: &[f64], player| wish(search, found, player)),
        ties: Ties::Left,
    };
    plain.value(game, 2).0
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
        let rule = |search: &TrackSearch<'_>, games: &[PlainGame], path: &[u32], child: &Choosable| {
            let number = |at: u32| search.tree.numbers.at(search.tree.arena.node(at).m());
            let position = path[1..].iter().fold(search.tree.game.clone(), |game, &at| after(&game, number(at)));
            let v = wish(search, &look_ahead(search, &after(&position, number(child.at)), k), child.player);
            let own = PlainGame::through(games, child.at, child.player);
            let (n, share) = plain_prior(own, w, v);
            let through = visits(games, path[path.len() - 1]);
            untried.set(untried.get() + u32::from(own.0 == 0.0 && through > 12));
            let all = if oma.is_some() { whatever(search, games, path, child) } else { (0.0, 0.0) };
            Some(plain_uct(plain_oma(share / n, own.0, all, oma.unwrap_or(1.0)), through, n, 0.3))
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
    for (text, least, bias, implicit) in [
        ("grave=0", 0, 1e-5, 0.0),
        ("grave=5,bias=0.01", 5, 0.01, 0.0),
        ("grave=12,bias=0,policy=paranoid", 12, 0.0, 0.0),
        ("grave=12,policy=brs,cutoff=4", 12, 1e-5, 0.0),
        ("grave=1000,implicit=0.3", 1000, 1e-5, 0.3),
    ] {
        let above = std::cell::Cell::new([0; 3]);
        let rule = |search: &TrackSearch<'_>, games: &[PlainGame], path: &[u32], child: &Choosable| {
            let goes_on = |game: &PlainGame, node| game.path.iter().rev().skip(1).any(|&other| other == node);
            let has_gathered = |node: u32| games.iter().any(|game| goes_on(game, node));
            let is_reference = |node: u32| visits(games, node) > least && has_gathered(node);
            let place = (1..path.len()).rev().find(|&ply| is_reference(path[ply])).unwrap_or(0);
            let mut counts = above.get();
            counts[if place == 0 { 0 } else { 1 + usize::from(place + 1 == path.len()) }] += 1;
            above.set(counts);
            let own = PlainGame::through(games, child.at, child.player);
            let value = plain_grave(own, PlainGame::amaf(games, path[place], child.player, child.number), bias)?;
            let promise =
                if implicit > 0.0 { search.promise(search.tree.arena.node(child.at), child.player) } else { 0.0 };
            Some((1.0 - implicit) * value + implicit * f64::from(promise))
        };
        let mut mcts = with(1, &format!("{text},solver=off,playout=random"));
        follow(&mut mcts, &game(), 300, &rule);
        // References are the root, nodes in between and the node itself.
        let [root, between, own] = above.get();
        assert!(least == 1000 && between + own == 0 || root > 0 && own > 0, "{text}: {:?}", above.get());
        assert!(least != 5 || between > 0, "{text}: {:?}", above.get());
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
