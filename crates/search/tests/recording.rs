//! What is recorded of a search is what it did, and recording changes nothing.

use std::fmt::Write;

use nply::recording::{Found, Kind, NODES, Reason, RecordedNode, Why};
use nply::testing::{HashedScores, Plain, Shape, Track, plain_brs, plain_maxn, plain_paranoid, random_tree};
use nply::tree::LeafScores;
use nply::{
    Agent, AsListed, Bounds, Brs, BrsPlus, Budget, ByPlayer, Count, Decision, Evaluator, Game, GeneralizedBrs, Maxn,
    Mcts, Opps, Paranoid, Parts, Player, Pruning, Recording, Rng, Score, ScoreForm, Tree,
};

/// A line for each node: its number and move, a star if it was chosen, who moves, what was found, and the cut with what it left out.
fn lines(recording: &Recording<u32>) -> String {
    let mut text = String::new();
    for (id, node) in recording.nodes.iter().enumerate() {
        let m = node.step.map_or(String::new(), |step| step.m.map_or("pass".into(), |m| m.to_string()));
        let player = node.player.map_or(String::new(), |player| format!("{player}:"));
        let found = match node.found {
            Some(Found::Value(value)) => value.to_string(),
            Some(Found::AtLeast(value)) => format!(">={value}"),
            Some(Found::AtMost(value)) => format!("<={value}"),
            Some(Found::Scores(scores)) => scores.as_slice().iter().map(Score::to_string).collect::<Vec<_>>().join(","),
            Some(Found::Means(scores)) => format!("{:?}", scores.as_slice()),
            Some(Found::Dead(head)) => format!("dead{head}"),
            None => "?".into(),
        };
        let parent = node.parent.map_or(String::new(), |parent| format!("<{parent} "));
        write!(text, "{id}{parent} {m}{} {player}{found}", if node.is_chosen { "*" } else { "" }).unwrap();
        if let Some(first) = node.again {
            write!(text, " again{first}").unwrap();
        }
        if let Some(cut) = &node.cut {
            let skipped: Vec<u32> = cut.skipped.iter().filter_map(|step| step.m).collect();
            write!(text, " {} {skipped:?}", cut.reason.word()).unwrap();
        }
        text.push('\n');
    }
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n")
}

fn maxn(text: &str, pruning: Pruning, mu: Score) -> Recording<u32> {
    let tree = Tree::parse(text, None, Some(10)).unwrap();
    let mut maxn = Maxn::new(LeafScores, AsListed);
    (maxn.settings.pruning, maxn.settings.mu) = (pruning, mu);
    maxn.explain(&tree, &Budget::default(), NODES).unwrap().1
}

#[test]
fn the_figures_of_sturtevant_2003_have_their_nodes_values_and_cuts() {
    // Figure 2: shallow pruning.
    let shallow = maxn("(1 5,4,1 (2 4,6,0 0,5,5))", Pruning::Shallow, 0);
    assert_eq!(lines(&shallow), "0 1:5,4,1\n1<0 1* 5,4,1\n2<0 2 2:dead0 shallow [2]\n3<2 1* 4,6,0");
    let why = shallow.nodes[2].cut.as_ref().unwrap().why.to_string();
    assert_eq!(
        why,
        "to become the value of node 0, a value must give player 1 more than 5 (node 0), player 2 more than 6 (node 2), \
         player 3 at least 0: together more than 11, and all can have at most 10"
    );
    // Figure 4: last-branch pruning, which shallow pruning cannot do.
    let four = "(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8)))";
    let last_branch = maxn(four, Pruning::LastBranch, 0);
    assert_eq!(
        lines(&last_branch),
        "0 1:5,4,1\n1<0 1* 5,4,1\n2<0 2 2:dead0\n3<2 1* 3,3,4\n4<2 2 3:dead0 last-branch [2]\n5<4 1* 4,4,2"
    );
    assert!(maxn(four, Pruning::Shallow, 0).nodes.iter().all(|node| node.cut.is_none()));
    // Figure 6: speculative pruning, once right and once wrong.
    let right = maxn("(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 4,4,2))", Pruning::Speculative, 0);
    assert_eq!(
        lines(&right),
        "0 1:5,4,1\n1<0 1* 5,4,1\n2<0 2 2:dead0\n3<2 1 3,3,4\n4<2 2 3:dead0 speculative [2]\n5<4 1* 4,4,2\n6<2 3* 4,4,2"
    );
    let wrong = maxn("(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 6,4,0))", Pruning::Speculative, 0);
    assert_eq!(
        lines(&wrong),
        "0 1:6,4,0\n1<0 1 5,4,1\n2<0 2* 2:6,4,0\n3<2 1 3,3,4\n4<2 2 3:dead0 speculative [2]\n5<4 1* 4,4,2\n6<2 3* 6,4,0\n\
         7<2 2 3:1,1,8 again4\n8<7 1 4,4,2\n9<7 2* 1,1,8"
    );
    // Figure 9: with whole numbers, one point less is enough.
    let nine = maxn("(1 5,4,1 (2 3,3,4 (3 7,2,1 0,5,5)))", Pruning::LastBranch, 1);
    let cut = nine.nodes[4].cut.as_ref().unwrap();
    assert_eq!(cut.reason, Reason::LastBranch);
    let Why::Needs(needs) = cut.why else { panic!("{cut:?}") };
    assert_eq!((needs.bounds().as_slice(), needs.most), (&[6, 4, 2][..], 10));
}

#[test]
fn a_mover_who_has_everything_looks_no_further() {
    let found = maxn("(1 (2 0,10,0 1,1,1) 3,3,4)", Pruning::Shallow, 1);
    assert_eq!(lines(&found), "0 1:3,3,4\n1<0 1 2:0,10,0 immediate [2]\n2<1 1* 0,10,0\n3<0 2* 3,3,4");
}

/// The leaves of a tree, with the bounds of those below each node.
#[derive(Clone, Copy)]
struct Tight;

impl Evaluator<Tree> for Tight {
    fn bounds(&self, game: &Tree) -> Bounds {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let below = |m| game.clone().visit(m, |child| self.bounds(child));
        let both = |a: Bounds, b: Bounds| Bounds {
            min: ByPlayer::from_fn(a.min.len(), |player| a.min[player].min(b.min[player])),
            max_sum: a.max_sum.max(b.max_sum),
        };
        let scores = LeafScores.evaluate(game);
        moves.into_iter().map(below).reduce(both).unwrap_or(Bounds { min: scores, max_sum: scores.sum() })
    }

    fn evaluate(&self, game: &Tree) -> ByPlayer<Score> {
        LeafScores.evaluate(game)
    }

    fn terminal(&self, game: &Tree, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        LeafScores.terminal(game, payoff)
    }
}

#[test]
fn branch_and_bound_needs_no_move_to_cut() {
    let tree: Tree = "(1 3,0,0 (2 2,1,0 2,0,1) 0,0,9)".parse().unwrap();
    let mut maxn = Maxn::new(Tight, AsListed);
    maxn.settings.pruning = Pruning::Bound;
    let found = maxn.explain(&tree, &Budget::depth(2), NODES).unwrap().1;
    assert_eq!(lines(&found), "0 1:3,0,0\n1<0 1* 3,0,0\n2<0 2 2:dead0 bound [1, 2]\n3<0 3 0,0,9");
    let why = found.nodes[2].cut.as_ref().unwrap().why.to_string();
    assert_eq!(
        why,
        "to become the value of node 0, a value must give player 1 more than 3 (node 0), player 2 at least 0, player 3 at least 0: \
         together 4, and all can have at most 3"
    );
}

#[test]
fn the_examples_of_paranoid_and_brs_plus_have_their_nodes_values_and_cuts() {
    let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
    let found = Paranoid::new(LeafScores, AsListed).explain(&tree, &Budget::depth(2), NODES).unwrap().1;
    assert_eq!(
        lines(&found),
        "0 1:-3\n1<0 1* 2:-3\n2<1 1 -2\n3<1 2 -3\n4<1 2* -3 again3\n5<0 2 2:<=-4 alpha-beta [2]\n6<5 1* -4"
    );
    let why = found.nodes[5].cut.as_ref().unwrap().why.to_string();
    assert_eq!(why, "the value is at most -4, and alpha is -3: it was only asked whether it is more than -3");

    let tree: Tree = "(1 (2 (3 7,0,0 5,0,0) (3 9,0,0 1,0,0) (3 6,0,0 0,0,0)))".parse().unwrap();
    let mut brs_plus = BrsPlus::new(LeafScores, AsListed);
    brs_plus.settings.score = ScoreForm::Own;
    let found = brs_plus.explain(&tree, &Budget::depth(3), NODES).unwrap().1;
    // Whoever is not free plays the first move only.
    assert_eq!(
        lines(&found),
        "0 1:5\n1<0 1* 2:5\n2<1 1* 3:5\n3<2 1 7\n4<2 2 5\n5<2 2* 5 again4\n6<1 2 3:>=9\n7<6 1 9\n8<1 3 3:>=6\n9<8 1 6"
    );
    assert_eq!((found.nodes[1].kind, found.nodes[0].kind, found.nodes[3].kind), (Kind::Min, Kind::Max, Kind::Leaf));
}

/// Explains a decision, and checks that the tree is that of its last iteration and that nothing else is different.
fn check<G: Game>(agent: &mut dyn Agent<G>, game: &G, budget: &Budget, is_pvs: bool) -> Recording<G::Move> {
    let mut iterations = vec![0];
    let plain = agent.search(game, budget, &mut |decision| iterations.push(decision.nodes));
    let (decision, recording) = agent.explain(game, budget, usize::MAX).unwrap();
    let seen = |decision: &Decision<G::Move>| {
        (decision.m, decision.value, decision.scores, decision.depth, decision.nodes, decision.pv.clone())
    };
    assert_eq!(seen(&decision), seen(&plain));
    assert_eq!(recording.depth, plain.depth);
    let [.., before, last] = iterations[..] else { panic!("an iteration was completed") };
    assert_eq!(recording.visited, last - before);
    // A null window and the whole window after it are two nodes of the recording and one visit.
    let visits = recording.nodes.iter().skip(1).filter(|node| !is_pvs || node.again.is_none()).count();
    assert_eq!(visits as u64, recording.visited);
    assert!(recording.is_complete && !recording.is_truncated);
    for (id, node) in recording.nodes.iter().enumerate() {
        assert_eq!((node.parent.is_none(), node.step.is_none()), (id == 0, id == 0));
        assert!(node.found.is_some() && node.parent.is_none_or(|parent| parent < id));
        assert!(node.again.is_none_or(|first| recording.nodes[first].step == node.step && first < id));
    }
    let line: Vec<&RecordedNode<G::Move>> = recording.nodes.iter().filter(|node| node.is_chosen).collect();
    let first = line.iter().find(|node| node.parent == Some(0)).unwrap();
    assert_eq!(first.step.unwrap().m, Some(plain.m));
    // With the limit, the beginning is the same.
    let limit = recording.nodes.len().div_ceil(2);
    let (_, short) = agent.explain(game, budget, limit).unwrap();
    assert_eq!((short.nodes.len(), short.visited), (limit, recording.visited));
    assert_eq!(short.is_truncated, limit < recording.nodes.len());
    for (short, long) in short.nodes.iter().zip(&recording.nodes) {
        assert_eq!((short.parent, short.step, short.found), (long.parent, long.step, long.found));
    }
    recording
}

/// The position of a recorded node whose path is played in turn.
fn position<G: Game>(root: &G, recording: &Recording<G::Move>, id: usize) -> G {
    match recording.nodes[id].parent {
        None => root.clone(),
        Some(parent) => {
            let mut game = position(root, recording, parent);
            game.play(recording.nodes[id].step.unwrap().m.unwrap());
            game
        }
    }
}

#[test]
fn every_recorded_value_of_maxn_is_that_of_plain_maxn() {
    let mut rng = Rng::new(15);
    let prunings = [Pruning::None, Pruning::Shallow, Pruning::Bound, Pruning::LastBranch, Pruning::Speculative];
    let list = |game: &Tree| {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        moves
    };
    let (mut cuts, mut again) = (std::collections::BTreeMap::new(), 0);
    for number in 0..8000 {
        let shape = Shape::random(&mut rng);
        let tree = random_tree(&mut rng, shape);
        let mut maxn = Maxn::new(LeafScores, AsListed);
        (maxn.settings.pruning, maxn.settings.mu) = (prunings[number % 5], rng.below(2) as Score);
        let recording = check(&mut maxn, &tree, &Budget::default(), false);
        for (id, node) in recording.nodes.iter().enumerate() {
            if let Some(Found::Scores(scores)) = node.found {
                let game = position(&tree, &recording, id);
                let rate = |scores: &ByPlayer<Score>, player: Player| scores[player];
                assert_eq!(scores, plain_maxn(&game, node.depth, &LeafScores, &list, &rate).0, "{}", lines(&recording));
            }
            again += usize::from(node.again.is_some());
            let Some(cut) = &node.cut else { continue };
            *cuts.entry(cut.reason.word()).or_insert(0) += 1;
            let Why::Needs(needs) = cut.why else { continue };
            assert!(!cut.skipped.is_empty());
            let is_open = !needs.is_whole && needs.each.as_slice().iter().any(|need| need.more);
            assert!(needs.bounds().sum() + i64::from(is_open) > needs.most, "{cut:?}");
        }
    }
    println!("{cuts:?}, {again} again");
    for reason in ["immediate", "shallow", "last-branch", "speculative"] {
        assert!(cuts[reason] > 20, "{cuts:?}");
    }
    // Speculation is seldom wrong.
    assert!(again > 3, "{again}");
}

#[test]
fn every_recorded_value_of_alpha_beta_is_or_bounds_that_of_plain_search() {
    let mut rng = Rng::new(16);
    let mut cuts = std::collections::BTreeMap::new();
    for number in 0..600 {
        let mut track = Track::new(2 + number % 4, 3);
        track.captures = rng.below(2) == 0;
        let evaluator = HashedScores { seed: rng.bits(), most: 1 + rng.below(9) as Score };
        let parts = if rng.below(2) == 0 { Parts::default() } else { Parts::plain() };
        let budget = Budget::depth(1 + rng.below(4) as u32);
        let plain = Plain::new(&track, evaluator);
        let mut paranoid = Paranoid::new(evaluator, AsListed);
        paranoid.settings.parts = parts;
        let recording = check(&mut paranoid, &track, &budget, true);
        for (id, node) in recording.nodes.iter().enumerate() {
            let value = plain_paranoid(&plain, &position(&track, &recording, id), node.depth);
            match node.found {
                Some(Found::Value(found)) => assert_eq!(found, value),
                Some(Found::AtLeast(found)) => assert!(value >= found),
                Some(Found::AtMost(found)) => assert!(value <= found),
                found => panic!("{found:?}"),
            }
            if let Some(cut) = &node.cut {
                *cuts.entry(cut.reason.word()).or_insert(0) += 1;
                assert!(!cut.skipped.is_empty());
            }
        }
        let mut brs = Brs::new(evaluator, AsListed);
        brs.settings.parts = parts;
        let recording = check(&mut brs, &track, &budget, true);
        assert_eq!(recording.nodes[0].found, Some(Found::Value(plain_brs(&plain, &track, recording.depth, true))));
        // With several opponents, any of them may reply.
        let replies = recording.nodes.iter().filter(|node| node.kind == Kind::Min);
        assert!(track.player_count() == 2 || track.captures || replies.clone().all(|node| node.player.is_none()));
        let mut generalized = GeneralizedBrs::new(evaluator, AsListed);
        generalized.settings.parts = parts;
        check(&mut generalized, &track, &budget, true);
        let mut brs_plus = BrsPlus::new(evaluator, AsListed);
        brs_plus.settings.parts = parts;
        check(&mut brs_plus, &track, &budget, true);
        let mut opps = Opps::new(evaluator, AsListed);
        (opps.settings.parts, opps.settings.others) = (parts, 2);
        check(&mut opps, &track, &budget, true);
    }
    println!("{cuts:?}");
    for reason in ["alpha-beta", "table", "immediate"] {
        assert!(cuts[reason] > 20, "{cuts:?}");
    }
}

#[test]
fn searches_for_further_lines_are_not_recorded() {
    let (track, evaluator) = (Track::new(3, 4), HashedScores { seed: 1, most: 9 });
    let parts = Parts { lines: 3, ..Parts::plain() };
    let mut paranoid = Paranoid::new(evaluator, AsListed);
    paranoid.settings.parts = parts;
    let mut maxn = Maxn::new(evaluator, AsListed);
    maxn.settings.parts = parts;
    for agent in [&mut paranoid as &mut dyn Agent<Track>, &mut maxn] {
        for budget in [Budget::depth(3), Budget::nodes(100)] {
            let (decision, recording) = agent.explain(&track, &budget, NODES).unwrap();
            assert_eq!(decision.lines.len(), 3);
            let first = recording.nodes.iter().filter(|node| node.parent == Some(0) && node.again.is_none());
            assert_eq!(first.count(), 4);
            assert!(recording.is_complete);
        }
    }
}

#[test]
fn an_unfinished_iteration_is_not_shown_if_there_is_another() {
    let (track, evaluator) = (Track::new(3, 4), HashedScores { seed: 1, most: 9 });
    let mut maxn = Maxn::new(evaluator, AsListed);
    let whole = maxn.explain(&track, &Budget::depth(2), NODES).unwrap();
    let ended = maxn.explain(&track, &Budget::nodes(whole.0.nodes + 3), NODES).unwrap();
    assert_eq!(ended.1, whole.1);
    let first = maxn.explain(&track, &Budget::nodes(2), NODES).unwrap().1;
    assert!(!first.is_complete && first.nodes.len() > 1);
}

#[test]
fn a_monte_carlo_tree_has_its_visits_rates_and_terms() {
    let mut game = Track::new(3, 4);
    game.limit = 30;
    let new = || {
        let mut mcts = Mcts::new(HashedScores { seed: 1, most: 9 }, AsListed, 7);
        mcts.settings.solver = nply::Solver::Off;
        mcts
    };
    let plain = new().choose(&game, &Budget::playouts(500));
    let mut mcts = new();
    let (decision, recording) = mcts.explain(&game, &Budget::playouts(500), usize::MAX).unwrap();
    assert_eq!((decision.m, decision.nodes, &decision.pv), (plain.m, plain.nodes, &plain.pv));
    assert_eq!(recording.visited, recording.nodes.len() as u64 - 1);
    let of = |id: usize| recording.nodes[id].simulated.as_ref().unwrap();
    assert_eq!(of(0).visits, 500);
    for (id, node) in recording.nodes.iter().enumerate() {
        let below: u64 = (0..recording.nodes.len())
            .filter(|&at| recording.nodes[at].parent == Some(id))
            .map(|at| of(at).visits)
            .sum();
        // The first simulation of a node ends there; the root is never played out.
        let own = u64::from(id > 0);
        assert!(below == 0 || below + own == of(id).visits, "#{id}");
        let Some(parent) = node.parent else { continue };
        let names: Vec<&str> = of(id).terms.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["rate", "exploration", "history"]);
        let (visits, player) = (of(id).visits as f64, node.step.unwrap().player);
        let rate = of(id).shares.unwrap()[player];
        let exploration = mcts.settings.c * ((of(parent).visits as f64).ln() / visits).sqrt();
        assert!((of(id).terms[0].1 - rate).abs() < 1e-9 && (of(id).terms[1].1 - exploration).abs() < 1e-9);
    }
    // The line of the decision is chosen, and the moves of the root are those of its statistics.
    let chosen: Vec<u8> = {
        let (mut at, mut line) = (0, Vec::new());
        while let Some(next) = recording.nodes.iter().position(|node| node.parent == Some(at) && node.is_chosen) {
            line.extend(recording.nodes[next].step.unwrap().m);
            at = next;
        }
        line
    };
    assert_eq!(chosen, decision.pv);
    let children = recording.nodes.iter().filter(|node| node.parent == Some(0));
    let visits: Vec<u64> = children.map(|node| node.simulated.as_ref().unwrap().visits).collect();
    assert_eq!(visits, mcts.statistics().iter().map(|child| child.visits).collect::<Vec<u64>>());
    // A limit keeps the most visited.
    let short = new().explain(&game, &Budget::playouts(500), 20).unwrap().1;
    assert!(short.is_truncated && short.nodes.len() == 20 && short.visited == recording.visited);
    let mut most: Vec<u64> = (0..recording.nodes.len()).map(|id| of(id).visits).collect();
    most.sort_unstable_by_key(|&visits| std::cmp::Reverse(visits));
    let mut kept: Vec<u64> = short.nodes.iter().map(|node| node.simulated.as_ref().unwrap().visits).collect();
    kept.sort_unstable_by_key(|&visits| std::cmp::Reverse(visits));
    assert_eq!(kept, most[..20]);
}

/// The expansions of an agent's last iteration as recorded, and as counted: those of all iterations without those of all but the last.
fn expansions(make: &dyn Fn(Count) -> Box<dyn Agent<Track>>, track: &Track, depth: u32) -> (u64, u64) {
    let count = |depth| make(Count::Expansions).choose(track, &Budget::depth(depth)).nodes;
    let (decision, recording) = make(Count::Visits).explain(track, &Budget::depth(depth), 1_000_000).unwrap();
    assert_eq!(decision.m, make(Count::Expansions).choose(track, &Budget::depth(depth)).m);
    let is_expanded = |node: &&RecordedNode<u8>| {
        let is_refused = |reason| matches!(reason, Reason::Table | Reason::Bound);
        let has_children = node.cut.as_ref().is_none_or(|cut| !is_refused(cut.reason));
        node.kind != Kind::Leaf && has_children
    };
    let recorded = recording.nodes[1..].iter().filter(is_expanded).count() as u64;
    (recorded, if decision.depth < depth { recorded } else { count(depth) - count(depth - 1) })
}

#[test]
fn expansions_are_counted_where_a_limit_of_nodes_is_one_of_expansions() {
    let mut rng = Rng::new(41);
    let mut all = 0;
    for number in 0..60 {
        let mut track = Track::new(2 + number % 4, 3);
        track.captures = rng.below(2) == 0;
        let evaluator = HashedScores { seed: rng.bits(), most: 4 };
        for parts in [Parts::plain(), Parts::default()] {
            let agents: [&dyn Fn(Count) -> Box<dyn Agent<Track>>; 6] = [
                &|count| {
                    let mut agent = Maxn::new(evaluator, AsListed);
                    agent.settings.parts = Parts { count, ..parts };
                    Box::new(agent)
                },
                &|count| {
                    let mut agent = Maxn::new(evaluator, AsListed);
                    agent.settings.pruning = Pruning::Speculative;
                    agent.settings.parts = Parts { count, ..parts };
                    Box::new(agent)
                },
                &|count| {
                    let mut agent = Paranoid::new(evaluator, AsListed);
                    agent.settings.parts = Parts { count, ..parts };
                    Box::new(agent)
                },
                &|count| {
                    let mut agent = BrsPlus::new(evaluator, AsListed);
                    agent.settings.parts = Parts { count, ..parts };
                    Box::new(agent)
                },
                &|count| {
                    let mut agent = Opps::new(evaluator, AsListed);
                    (agent.settings.parts, agent.settings.others) = (Parts { count, ..parts }, 2);
                    Box::new(agent)
                },
                &|count| {
                    let mut agent = Brs::new(evaluator, AsListed);
                    agent.settings.parts = Parts { count, ..parts };
                    Box::new(agent)
                },
            ];
            for make in agents {
                for depth in 2..=4 {
                    let (recorded, counted) = expansions(make, &track, depth);
                    assert_eq!(recorded, counted, "game {number}, depth {depth}");
                    all += counted;
                }
                // The limit is met exactly.
                let most = make(Count::Expansions).choose(&track, &Budget::depth(4)).nodes;
                for limit in [1, most / 2, most] {
                    let budget = Budget { depth: Some(4), ..Budget::nodes(limit) };
                    assert_eq!(make(Count::Expansions).choose(&track, &budget).nodes, limit.min(most));
                }
            }
        }
    }
    assert!(all > 10_000, "{all}");
}
