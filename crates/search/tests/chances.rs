//! Chances and the best few moves in the decisions of every search.

use nply::testing::{HashedScores, Plain, Track, plain_brs, plain_paranoid};
use nply::{
    Agent, AsListed, Bounds, Brs, BrsPlus, Budget, ByPlayer, Decision, Evaluator, Game, Greedy, Ismcts, IsmctsSettings,
    Maxn, Mcts, Mix, Opps, Paranoid, Player, ProbMaxn, Pruning, Rng, Score, SoftMaxn, Ubfm, Worlds, chances, settings,
};

/// Hashed scores with a temperature.
#[derive(Clone, Copy)]
struct Warm(HashedScores);

const TEMPERATURE: f64 = 4.0;

impl<G: Game> Evaluator<G> for Warm {
    fn bounds(&self, game: &G) -> Bounds {
        self.0.bounds(game)
    }

    fn evaluate(&self, game: &G) -> ByPlayer<Score> {
        self.0.evaluate(game)
    }

    fn temperature(&self, _game: &G) -> Option<f64> {
        Some(TEMPERATURE)
    }
}

fn warm(seed: u64) -> Warm {
    Warm(HashedScores { most: 9, seed })
}

/// Positions of random games in which somebody may be out, and a seed for each.
fn positions(count: u64) -> impl Iterator<Item = (Track, u64)> {
    (0..count).filter_map(|seed| {
        let mut rng = Rng::new(seed);
        let mut game = Track::new(2 + rng.below(3), 3);
        for _ in 0..rng.below(12) {
            if game.payoff().is_none() {
                game.play(game.random_move(&mut Vec::new(), &mut rng));
            }
        }
        game.payoff().is_none().then_some((game, seed))
    })
}

/// Every agent that evaluates or simulates.
fn agents(seed: u64, lines: usize) -> Vec<(&'static str, Box<dyn Agent<Track>>)> {
    let mut maxn = Maxn::new(warm(seed), AsListed);
    let mut paranoid = Paranoid::new(warm(seed), AsListed);
    let mut brs = Brs::new(warm(seed), AsListed);
    let mut plus = BrsPlus::new(warm(seed), AsListed);
    let mut mcts = Mcts::new(warm(seed), AsListed, seed);
    maxn.settings.parts.lines = lines;
    paranoid.settings.parts.lines = lines;
    brs.settings.parts.lines = lines;
    plus.settings.parts.lines = lines;
    let mut opps = Opps::new(warm(seed), AsListed);
    let mut soft = SoftMaxn::new(warm(seed), AsListed);
    let mut prob = ProbMaxn::new(warm(seed), AsListed);
    let mut mix = Mix::new(warm(seed), AsListed, Box::new(Maxn::new(warm(seed), AsListed)));
    let mut ubfm = Ubfm::new(warm(seed), AsListed);
    let mut ismcts = IsmctsSettings::default();
    opps.settings.parts.lines = lines;
    soft.settings.parts.lines = lines;
    prob.settings.parts.lines = lines;
    (mix.settings.defend, mix.settings.attack, mix.settings.parts.lines) = (Some(1), Some(3), lines);
    (ubfm.settings.lines, ubfm.settings.memory) = (lines, 4 << 20);
    mcts.settings.lines = lines;
    settings::read(&mut ismcts, &format!("lines={lines}")).unwrap();
    vec![
        ("maxn", Box::new(maxn)),
        ("paranoid", Box::new(paranoid)),
        ("brs", Box::new(brs)),
        ("brs+", Box::new(plus)),
        ("opps", Box::new(opps)),
        ("soft-maxn", Box::new(soft)),
        ("prob-maxn", Box::new(prob)),
        ("mix", Box::new(mix)),
        ("ubfm", Box::new(ubfm)),
        ("mcts", Box::new(mcts)),
        ("ismcts", Box::new(Ismcts::with(&ismcts, warm(seed), AsListed, seed))),
        ("greedy", Box::new(Greedy::new(warm(seed), seed))),
        ("worlds", Box::new(Worlds::new(3, Greedy::new(warm(seed), seed), seed))),
    ]
}

fn budget() -> Budget {
    Budget { playouts: Some(200), ..Budget::depth(3) }
}

fn check_shares(chances: &ByPlayer<f64>) {
    assert!(chances.as_slice().iter().all(|chance| (0.0..=1.0).contains(chance)), "{chances:?}");
    assert!((chances.sum() - 1.0).abs() < 1e-9, "{chances:?}");
}

#[test]
fn every_agent_gives_chances_that_sum_to_one() {
    for (game, seed) in positions(60) {
        for (name, mut agent) in agents(seed, 1) {
            let found = agent.choose(&game, &budget());
            check_shares(&found.chances.unwrap_or_else(|| panic!("{name} has none")));
            assert!(found.lines.is_empty(), "{name}");
        }
    }
}

#[test]
fn the_chances_of_a_decision_are_those_at_the_end_of_its_line() {
    let mut finished = 0;
    for (game, seed) in positions(300) {
        // Best-Reply Search leaves the turn order, so its line may be longer than the one it can show.
        for (name, mut agent) in
            agents(seed, 1).into_iter().filter(|(name, _)| ["maxn", "paranoid", "opps", "greedy"].contains(name))
        {
            let found = agent.choose(&game, &budget());
            let mut leaf = game.clone();
            found.pv.iter().for_each(|&m| leaf.play(m));
            let expected = match leaf.payoff() {
                Some(payoff) => {
                    finished += 1;
                    payoff.map(f64::from)
                }
                None => chances::of(&found.scores.unwrap(), |player| leaf.is_in(player), TEMPERATURE),
            };
            assert_eq!(found.chances, Some(expected), "{name}");
        }
    }
    assert!(finished > 20, "{finished}");
}

#[test]
fn without_a_temperature_only_the_end_of_a_game_has_chances() {
    for (game, seed) in positions(100) {
        let mut agent = Paranoid::new(HashedScores { most: 9, seed }, AsListed);
        let found = agent.choose(&game, &Budget::depth(2));
        let mut leaf = game.clone();
        found.pv.iter().for_each(|&m| leaf.play(m));
        assert_eq!(found.chances, leaf.payoff().map(|payoff| payoff.map(f64::from)));
    }
}

#[test]
fn several_lines_leave_the_decision_as_it_is_and_begin_with_it() {
    for (game, seed) in positions(100) {
        let (plain, several) = (agents(seed, 1), agents(seed, 3));
        for ((name, mut agent), (_, mut lister)) in plain.into_iter().zip(several) {
            let (found, listed) = (agent.choose(&game, &budget()), lister.choose(&game, &budget()));
            let what = |d: &Decision<_>| (d.m, d.value, d.scores, d.chances, d.depth, d.pv.clone());
            assert_eq!(what(&found), what(&listed), "{name}");
            let Some(first) = listed.lines.first() else { continue };
            assert_eq!(
                (first.value, first.scores, first.chances),
                (found.value, found.scores, found.chances),
                "{name}"
            );
            assert_eq!(first.pv, found.pv, "{name}");
        }
    }
}

/// All lines of an agent are different moves, in the order of their values, and as many as there are moves.
fn check_lines(name: &str, game: &Track, found: &Decision<<Track as Game>::Move>, value: impl Fn(&Track) -> f64) {
    let mut moves = Vec::new();
    game.distinct(&mut moves);
    assert_eq!(found.lines.len(), if moves.len() > 1 { moves.len() } else { 0 }, "{name}");
    for (index, line) in found.lines.iter().enumerate() {
        assert!(found.lines[..index].iter().all(|other| other.pv[0] != line.pv[0]), "{name}");
        assert!(index == 0 || found.lines[index - 1].value >= line.value, "{name}");
        let mut child = game.clone();
        child.play(line.pv[0]);
        assert_eq!(line.value, Some(value(&child)), "{name}");
        check_shares(&line.chances.unwrap());
    }
}

#[test]
fn each_line_has_the_value_that_a_plain_search_of_its_move_has() {
    for (game, seed) in positions(200) {
        let root = game.turn();
        let plain = Plain::new(&game, warm(seed));
        for (name, mut agent) in agents(seed, 1000) {
            let found = agent.choose(&game, &budget());
            let depth = found.depth;
            match name {
                "paranoid" => check_lines(name, &game, &found, |child| plain_paranoid(&plain, child, depth - 1) as f64),
                "brs" => check_lines(name, &game, &found, |child| plain_brs(&plain, child, depth - 1, false) as f64),
                "maxn" => check_lines(name, &game, &found, |child| maxn_value(child, seed, depth - 1, root)),
                _ => {}
            }
        }
        for pruning in [Pruning::Shallow, Pruning::Bound, Pruning::LastBranch, Pruning::Speculative] {
            let mut agent = Maxn::new(warm(seed), AsListed);
            (agent.settings.pruning, agent.settings.parts.lines) = (pruning, 1000);
            let found = agent.choose(&game, &budget());
            check_lines("pruned maxn", &game, &found, |child| maxn_value(child, seed, found.depth - 1, root));
        }
    }
}

/// The root player's score under max^n: what the other players choose does not depend on who is the root.
fn maxn_value(game: &Track, seed: u64, depth: u32, root: Player) -> f64 {
    let evaluator = warm(seed);
    if depth == 0 || game.payoff().is_some() {
        return evaluator.scores(game)[root].into();
    }
    let mut moves = Vec::new();
    game.distinct(&mut moves);
    let value = |m| {
        let mut child = game.clone();
        child.play(m);
        let of = |player| maxn_value(&child, seed, depth - 1, player);
        (of(game.turn()), of(root))
    };
    let values = moves.into_iter().map(value);
    // The first of equals.
    values.reduce(|best, next| if next.0 > best.0 { next } else { best }).expect("a move").1
}

#[test]
fn the_lines_of_mcts_are_in_the_order_of_its_choice() {
    for (game, seed) in positions(60) {
        let mut agent = Mcts::new(warm(seed), AsListed, seed);
        agent.settings.lines = 1000;
        let found = agent.choose(&game, &Budget::playouts(300));
        let statistics = agent.statistics();
        let tried = statistics.iter().filter(|m| m.shares.is_some()).count();
        assert_eq!(found.lines.len(), tried.max(1));
        for line in &found.lines {
            let of = statistics.iter().find(|m| m.m == line.pv[0]).expect("a move of the root");
            assert_eq!(line.chances, of.shares);
            assert_eq!(line.value, of.shares.map(|shares| shares[game.turn()]));
        }
        // Proven wins come first, proven losses last; between them rates decide.
        let rates: Vec<f64> =
            found.lines.iter().filter_map(|line| line.value).filter(|v| (0.001..0.999).contains(v)).collect();
        assert!(rates.windows(2).all(|pair| pair[0] >= pair[1]), "{rates:?}");
    }
}

#[test]
fn a_budget_that_ends_between_two_lines_leaves_whole_lines() {
    for (game, seed) in positions(40) {
        for nodes in [1, 5, 20, 80, 300] {
            for (name, mut agent) in agents(seed, 3).into_iter().take(4) {
                let found = agent.choose(&game, &Budget::nodes(nodes));
                assert!(found.lines.len() != 1 && found.lines.len() <= 3, "{name}");
                if let Some(first) = found.lines.first() {
                    assert_eq!((first.value, &first.pv), (found.value, &found.pv), "{name}");
                }
            }
        }
    }
}
