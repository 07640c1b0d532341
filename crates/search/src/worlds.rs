//! Voting over determinizations: how an agent that needs perfect information plays a game with hidden information.
//!
//! The player to move imagines `n` worlds: positions that it cannot tell from the true one ([`Game::determinize`]). The agent
//! inside searches each as if it were the true position, and its choice there is a vote. The move with the most votes is played.
//! Ties go to the move with the greater sum of values in the worlds that voted for it, and then to the one that the game lists
//! first. The budget's nodes, playouts and time are divided evenly among the worlds; its depth applies to each. With fewer nodes
//! or playouts than worlds, only that many worlds are searched.
//!
//! ```text
//!               what the player knows
//!        ┌──────────────┼──────────────┐
//!     world 1        world 2        world 3     guesses of what is hidden
//!     ▲──┴──┐        ┌──┴──▲        ▲──┴──┐     the agent's choice in each
//!     a     b        a     b        a     b     two votes for a, one for b: it plays a
//! ```
//!
//! This is perfect-information Monte Carlo. Its weakness: each world is played as if its cards lay open, so the agent never plays
//! to learn or to conceal something, and it assumes that it will know later what it does not know now ("strategy fusion"). In a
//! game with nothing hidden all worlds are the same, and it plays as the agent inside does with a smaller budget.
//!
//! It makes no difference whether it is shown the true position or a determinization for the player to move: the worlds depend
//! only on what that player knows, which both have in common.
//!
//! # References
//!
//! - M. Ginsberg, *GIB: Imperfect Information in a Computationally Challenging Game*, 2001.
//! - J. Long, N. Sturtevant, M. Buro, T. Furtak, *Understanding the Success of Perfect Information Monte Carlo Sampling in Game
//!   Tree Search*, 2010.

use crate::settings::Visitor;
use crate::{
    Agent, AgentSettings, Algorithm, Budget, ByPlayer, Context, Decision, Declaration, Error, Game, Kit, Limit, Meter,
    Rng, Settings, Spec, mix,
};

/// Searches several determinizations with an agent and plays the move that most of them choose.
///
/// ```
/// use nply::{Agent, Budget, Greedy, Tree, Worlds};
/// let tree: Tree = "(1 1,0 3,0 2,0)".parse().unwrap();
/// let mut agent = Worlds::new(5, Greedy::new(nply::tree::LeafScores, 1), 1);
/// assert_eq!(agent.choose(&tree, &Budget::default()).value, Some(3.0));
/// ```
#[derive(Clone, Debug)]
pub struct Worlds<A> {
    /// Number of worlds; at least one is searched.
    pub n: u64,
    /// The agent that searches them.
    pub agent: A,
    rng: Rng,
}

impl<A> Worlds<A> {
    /// The same seed imagines the same worlds.
    pub fn new(n: u64, agent: A, seed: u64) -> Worlds<A> {
        Worlds { n, agent, rng: Rng::new(seed) }
    }
}

/// The mean of what worlds give each player.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: Option<ByPlayer<f64>>,
    count: u64,
}

impl Mean {
    fn add(&mut self, values: Option<ByPlayer<f64>>) {
        let Some(values) = values else { return };
        let sum = self.sum.map_or(values, |sum| ByPlayer::from_fn(values.len(), |player| sum[player] + values[player]));
        (self.sum, self.count) = (Some(sum), self.count + 1);
    }

    fn get(&self) -> Option<ByPlayer<f64>> {
        self.sum.map(|sum| sum.map(|value| value / self.count as f64))
    }
}

/// The votes for a move.
#[derive(Clone)]
struct Votes<M> {
    m: M,
    count: u64,
    /// Sum of the values, and how many worlds gave one.
    value: (f64, u64),
    scores: Mean,
}

impl<M: Copy> Votes<M> {
    fn new(m: M) -> Votes<M> {
        Votes { m, count: 0, value: (0.0, 0), scores: Mean::default() }
    }

    fn add(&mut self, decision: &Decision<M>) {
        self.count += 1;
        if let Some(value) = decision.value {
            self.value = (self.value.0 + value, self.value.1 + 1);
        }
        self.scores.add(decision.scores);
    }

    fn beats(&self, other: &Votes<M>) -> bool {
        (self.count, self.value.0) > (other.count, other.value.0)
    }
}

impl<G: Game, A: Agent<G>> Agent<G> for Worlds<A> {
    /// Reports the vote to `watch` after each world. Value and scores are means over the worlds that voted for the move,
    /// chances are means over all worlds, the depth is the least of all worlds, and the principal variation is the move alone, since worlds differ in what follows.
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let meter = Meter::new(budget);
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let mut votes: Vec<Votes<G::Move>> = moves.iter().map(|&m| Votes::new(m)).collect();
        let most = budget.nodes.unwrap_or(u64::MAX).min(budget.playouts.unwrap_or(u64::MAX));
        let worlds = self.n.min(most).max(1);
        let mut chances = Mean::default();
        let mut result = Decision { depth: u32::MAX, ..Decision::blind(moves[0]) };
        for world in 0..worlds {
            if world > 0 && meter.check().is_err() {
                break;
            }
            let position = game.determinize(game.turn(), &mut self.rng);
            let share = share(budget, &meter, world, worlds);
            let found = self.agent.choose(&position, &share);
            chances.add(found.chances);
            if let Some(votes) = votes.iter_mut().find(|votes| votes.m == found.m) {
                votes.add(&found);
            }
            let best = votes.iter().reduce(|best, next| if next.beats(best) { next } else { best });
            if let Some(best) = best {
                result = Decision {
                    value: (best.value.1 > 0).then(|| best.value.0 / best.value.1 as f64),
                    scores: best.scores.get(),
                    chances: chances.get(),
                    depth: result.depth.min(found.depth),
                    nodes: result.nodes + found.nodes,
                    playouts: result.playouts + found.playouts,
                    time: meter.elapsed(),
                    ..Decision::blind(best.m)
                };
            }
            watch(&result);
        }
        result
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        // The agent inside has a part of the planned time, not the clock.
        self.agent.observe(&Context { clocks: None, ..*context });
    }

    fn fault(&self) -> Option<&Error> {
        self.agent.fault()
    }
}

/// The settings of the agent `worlds`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldsSettings {
    /// Number of worlds.
    pub n: u64,
    /// The agent that searches them, with its settings.
    pub agent: String,
}

impl Default for WorldsSettings {
    fn default() -> WorldsSettings {
        WorldsSettings { n: 20, agent: "maxn".into() }
    }
}

impl Settings for WorldsSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.whole("n", &mut self.n, 1..=1_000_000, "number of worlds, which share the budget");
        v.agent("agent", &mut self.agent, "agent that searches each world");
    }
}

impl AgentSettings for WorldsSettings {
    const NAME: &'static str = "worlds";
    const ABOUT: &'static str = "a vote of an agent over several guesses of what is hidden";
    const LIMITS: &'static [Limit] = Limit::ALL;

    fn inner(&self) -> Option<&str> {
        Some(&self.agent)
    }
}

impl Algorithm for WorldsSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        let inner = (kit.make)(&Spec::parse(&self.agent)?)?;
        // A seed other than that of the agent inside.
        Ok(Box::new(Worlds::new(self.n, inner, mix(kit.chance.own))))
    }
}

/// One world's share of a budget: exactly its part of nodes and playouts, and an equal part of the time left.
fn share(budget: &Budget, meter: &Meter, world: u64, worlds: u64) -> Budget {
    // 128 bits, or a large budget would overflow.
    let until = |all: u64, world: u64| (u128::from(all) * u128::from(world) / u128::from(worlds)) as u64;
    let part = |all: u64| until(all, world + 1) - until(all, world);
    let left = budget.time.map(|time| time.saturating_sub(meter.elapsed()));
    Budget {
        depth: budget.depth,
        nodes: budget.nodes.map(part),
        playouts: budget.playouts.map(part),
        time: left.map(|left| left / u32::try_from(worlds - world).unwrap_or(u32::MAX)),
        stop: budget.stop.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::Player;

    /// A coin lies hidden; the first player guesses what it shows, 0 or 1, or passes with 2. Heads is three times as likely.
    #[derive(Clone)]
    struct Coin {
        shows: usize,
        guess: Option<usize>,
    }

    impl Game for Coin {
        type Move = usize;
        fn player_count(&self) -> usize {
            2
        }
        fn turn(&self) -> Player {
            Player::new(0)
        }
        fn moves(&self, out: &mut Vec<usize>) {
            if self.guess.is_none() {
                out.extend(0..3);
            }
        }
        fn play(&mut self, m: usize) {
            self.guess = Some(m);
        }
        fn payoff(&self) -> Option<ByPlayer<f32>> {
            let right = f32::from(u8::from(self.guess? == self.shows));
            Some(ByPlayer::from_slice(&[right, 1.0 - right]))
        }
        fn key(&self) -> u64 {
            (self.shows * 4 + self.guess.map_or(3, |guess| guess)) as u64
        }
        fn determinize(&self, _: Player, rng: &mut Rng) -> Coin {
            Coin { shows: usize::from(rng.below(4) == 0), guess: self.guess }
        }
    }

    /// Names what the coin shows in the world it is given, and records its budgets and contexts.
    #[derive(Default)]
    struct Peek {
        budgets: Vec<Budget>,
        plies: Vec<u32>,
        fault: Option<Error>,
        stop: Option<Arc<AtomicBool>>,
        /// The value of each answer.
        values: [f64; 2],
    }

    impl Agent<Coin> for Peek {
        fn search(&mut self, game: &Coin, budget: &Budget, _: &mut dyn FnMut(&Decision<usize>)) -> Decision<usize> {
            self.budgets.push(budget.clone());
            if let Some(stop) = &self.stop {
                stop.store(true, Ordering::Relaxed);
            }
            let value = Some(self.values[game.shows]);
            Decision { value, depth: 1, nodes: 3, ..Decision::blind(game.shows) }
        }

        fn observe(&mut self, context: &Context<'_, usize>) {
            assert_eq!(context.played, Some(&[1, 0][..]));
            self.plies.push(context.ply);
        }

        fn fault(&self) -> Option<&Error> {
            self.fault.as_ref()
        }
    }

    const TAILS: Coin = Coin { shows: 1, guess: None };

    #[test]
    fn what_is_hidden_does_not_change_the_vote() {
        for seed in 0..50 {
            let mut first = Worlds::new(41, Peek::default(), seed);
            let mut second = Worlds::new(41, Peek::default(), seed);
            let decision = first.choose(&TAILS, &Budget::default());
            let other = second.choose(&Coin { shows: 0, guess: None }, &Budget::default());
            assert_eq!((decision.m, decision.nodes), (other.m, other.nodes));
            assert_eq!(decision.m, 0, "heads is more likely");
            assert_eq!((decision.nodes, decision.depth), (3 * 41, 1));
        }
    }

    #[test]
    fn of_moves_with_as_many_votes_the_one_of_greater_value_wins_and_then_the_first() {
        // With two worlds, a tie is common.
        let mut ties = 0;
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let shown: Vec<usize> = (0..2).map(|_| TAILS.determinize(Player::new(0), &mut rng).shows).collect();
            for (values, expected) in [([1.0, 2.0], 1), ([2.0, 1.0], 0), ([1.0, 1.0], 0), ([-2.0, -1.0], 1)] {
                let agent = Peek { values, ..Peek::default() };
                let decision = Worlds::new(2, agent, seed).choose(&TAILS, &Budget::default());
                let tie = shown[0] != shown[1];
                ties += u32::from(tie);
                assert_eq!(decision.m, if tie { expected } else { shown[0] });
                assert_eq!(decision.value, Some(values[decision.m]), "the mean of equal values");
            }
        }
        assert!(ties > 100, "{ties}");
    }

    #[test]
    fn a_budget_is_shared_out_exactly_and_its_depth_is_kept() {
        let budget = Budget { depth: Some(4), playouts: Some(1003), ..Budget::nodes(u64::MAX) };
        let mut worlds = Worlds::new(20, Peek::default(), 1);
        worlds.choose(&TAILS, &budget);
        let budgets = &worlds.agent.budgets;
        assert_eq!(budgets.len(), 20);
        assert_eq!(budgets.iter().map(|budget| budget.playouts.unwrap()).sum::<u64>(), 1003);
        assert!(budgets.iter().all(|budget| (50..=51).contains(&budget.playouts.unwrap())));
        assert_eq!(budgets.iter().map(|budget| budget.nodes.unwrap()).sum::<u64>(), u64::MAX);
        assert!(budgets.iter().all(|budget| budget.depth == Some(4) && budget.time.is_none()));
    }

    #[test]
    fn no_world_is_searched_with_nothing() {
        for (nodes, expected) in [(0, 1), (1, 1), (7, 7), (100, 20)] {
            let mut worlds = Worlds::new(20, Peek::default(), 1);
            worlds.choose(&TAILS, &Budget::nodes(nodes));
            assert_eq!(worlds.agent.budgets.len(), expected);
        }
        let mut worlds = Worlds::new(0, Peek::default(), 1);
        worlds.choose(&TAILS, &Budget::default());
        assert_eq!(worlds.agent.budgets.len(), 1);
    }

    #[test]
    fn the_vote_ends_when_time_is_up_or_the_stop_flag_is_set() {
        let mut worlds = Worlds::new(20, Peek::default(), 1);
        worlds.choose(&TAILS, &Budget::time(Duration::ZERO));
        assert_eq!(worlds.agent.budgets.len(), 1);
        let stop = Arc::new(AtomicBool::new(false));
        let mut worlds = Worlds::new(20, Peek { stop: Some(stop.clone()), ..Peek::default() }, 1);
        worlds.choose(&TAILS, &Budget { stop: Some(stop), ..Budget::default() });
        assert_eq!(worlds.agent.budgets.len(), 1);
    }

    #[test]
    fn every_world_is_reported() {
        let mut reports = 0;
        let mut worlds = Worlds::new(20, Peek::default(), 1);
        let last = worlds.search(&TAILS, &Budget::default(), &mut |decision| {
            reports += 1;
            assert_eq!(decision.nodes, 3 * reports);
        });
        assert_eq!((reports, last.nodes), (20, 60));
    }

    #[test]
    fn the_agent_inside_learns_the_context_and_its_faults_are_reported() {
        let mut worlds = Worlds::new(20, Peek::default(), 1);
        Agent::<Coin>::observe(&mut worlds, &Context { ply: 2, played: Some(&[1, 0]), texts: &Vec::new, clocks: None });
        worlds.choose(&TAILS, &Budget::default());
        assert_eq!(worlds.agent.plies, [2], "once for each question, not for each world");
        assert_eq!(Agent::<Coin>::fault(&worlds), None);
        worlds.agent.fault = Some(Error::failed("it gave up"));
        assert_eq!(Agent::<Coin>::fault(&worlds), worlds.agent.fault.as_ref());
    }
}
