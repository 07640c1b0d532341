//! Information-set Monte-Carlo tree search: one tree over what the player sees, for games with hidden cards.
//!
//! [`Worlds`](crate::Worlds) guesses what is hidden a few times and searches each guess as if it were open, so its searches play
//! differently in positions that the player cannot tell apart. This agent has one tree, whose nodes are what the player sees: the moves that
//! were played. Each simulation of [Monte-Carlo tree search](crate::mcts) has a new deal ([`Game::determinize`]) and follows only
//! moves that are legal in it. A node has the moves of all deals that have come by; a deal with a new one adds it. Results of all
//! deals go to the same nodes, so a move is judged by how it does whatever is hidden.
//!
//! # Selection
//!
//! ```text
//! v = s/n + C · sqrt(ln n′ / n) + (s_a/n_a) · W / (n − s + 1)
//! ```
//!
//! A move that is seldom legal must not look as if it were neglected. So where UCT has the visits of the node, each child has its own
//! number n′: the visits in which its move was legal, tried or not. Of the moves that are legal in this deal, those that have
//! never been tried come first. Everything else is as in [`mcts`](crate::mcts): playouts, Progressive History, the choice of the move.
//! Where nothing is hidden every deal is the same, and n′ is N: then it is Monte-Carlo tree search with `solver=off`, node for node.
//!
//! In this tree nothing is hidden. Player 1 wins on the right whatever player 2 does:
//!
//! ```text
//!                      1
//!         ┌────────────┴────────────▲
//!         2                         2
//!    ▲────┴────┐               ┌────┴────┐
//!  1,9,0     8,0,0           9,1,0     7,0,2
//! ```
//!
//! ```
//! use nply::{Agent, AsListed, Budget, Ismcts, Mcts, Solver, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 1,9,0 8,0,0) (2 9,1,0 7,0,2))".parse().unwrap();
//! let found = Ismcts::new(LeafScores, AsListed, 1).choose(&tree, &Budget::playouts(200));
//! let mut mcts = Mcts::new(LeafScores, AsListed, 1);
//! mcts.settings.solver = Solver::Off;
//! let open = mcts.choose(&tree, &Budget::playouts(200));
//! assert_eq!((found.m, found.scores, found.nodes), (open.m, open.scores, open.nodes));
//! assert_eq!(found.m, 2);
//! ```
//!
//! # What the player cannot see
//!
//! The position that it is given is dealt anew before anything is looked at, so a decision is the same for all positions that the
//! player cannot tell apart.
//!
//! # What it does not do
//!
//! The tree is that of the player who decides (*single observer*): opponents choose as if they knew the deal of the simulation. Nothing
//! is proven, the tree is not kept from move to move, and there is one thread. The principal variation is the move alone, since
//! what follows depends on the deal.
//!
//! Reference: P.I. Cowling, E.J. Powley and D. Whitehouse, *Information Set Monte Carlo Tree Search*, IEEE Transactions on
//! Computational Intelligence and AI in Games, 2012.

use crate::settings::Visitor;
use crate::{
    Agent, AgentSettings, Algorithm, AnyTurn, Budget, Context, Decision, Declaration, Evaluator, Game, Kit, Limit,
    Made, Mcts, MctsSettings, MoveOrder, OutOfTurn, Settings, Solver, refuse_out_of_turn,
};

/// The settings of the agent `ismcts`: those of [`MctsSettings`] that apply to a tree with a new deal in each simulation. The others
/// stay as they are by default.
#[derive(Clone, Debug, PartialEq)]
pub struct IsmctsSettings(MctsSettings);

impl Default for IsmctsSettings {
    fn default() -> IsmctsSettings {
        IsmctsSettings(MctsSettings { solver: Solver::Off, reuse: false, ..MctsSettings::default() })
    }
}

impl Settings for IsmctsSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        self.0.visit_for(v, true);
    }
}

impl AgentSettings for IsmctsSettings {
    const NAME: &'static str = "ismcts";
    const ABOUT: &'static str = "information-set Monte-Carlo tree search: one tree over all deals of what is hidden";
    const LIMITS: &'static [Limit] = MctsSettings::LIMITS;
    const USES_ORDER: bool = true;
}

impl IsmctsSettings {
    fn make<D: Declaration>(&self, kit: &Kit<'_, D>, any_turn: Option<AnyTurn<D::Game>>) -> Made<D::Game> {
        let mut agent = Ismcts::new(kit.evaluator(&self.0.judging)?, kit.order.clone(), kit.chance.own);
        (agent.mcts.settings, agent.mcts.any_turn) = (self.0.clone(), any_turn);
        Ok(Box::new(agent))
    }
}

impl Algorithm for IsmctsSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Made<D::Game> {
        if let Some(key) = self.0.out_of_turn() {
            let error = refuse_out_of_turn(kit, &format!("ismcts:{key}=brs"));
            return Err(error.help(format!("{key}=paranoid keeps the turn order")));
        }
        self.make(kit, None)
    }

    fn agent_out_of_turn<D: Declaration>(&self, kit: &Kit<'_, D>) -> Made<D::Game>
    where
        D::Game: OutOfTurn,
    {
        self.make(kit, Some(AnyTurn::new()))
    }
}

/// Information-set Monte-Carlo tree search.
///
/// A node, for budgets, is a position that is played or looked at, as in [`Mcts`]. Value, scores and chances are expected shares of the
/// win.
pub struct Ismcts<G: Game, E, O> {
    mcts: Mcts<G, E, O>,
}

impl<G: Game, E, O> Ismcts<G, E, O> {
    /// Searches with the default settings. The same seed always gives the same decisions.
    pub fn new(evaluator: E, order: O, seed: u64) -> Ismcts<G, E, O> {
        Ismcts::with(&IsmctsSettings::default(), evaluator, order, seed)
    }

    /// Searches with other settings, except `playout=brs`, which only an agent made [from settings](Algorithm) can have.
    pub fn with(settings: &IsmctsSettings, evaluator: E, order: O, seed: u64) -> Ismcts<G, E, O> {
        let mut mcts = Mcts::hidden(evaluator, order, seed);
        mcts.settings = settings.0.clone();
        Ismcts { mcts }
    }
}

/// What follows the move depends on the deal.
fn alone<M>(mut decision: Decision<M>) -> Decision<M> {
    decision.pv.truncate(1);
    decision.lines.iter_mut().for_each(|line| line.pv.truncate(1));
    decision
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Agent<G> for Ismcts<G, E, O> {
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        alone(self.mcts.search(game, budget, &mut |interim| watch(&alone(interim.clone()))))
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.mcts.observe(context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{HashedOrder, HashedScores, Shape, Track, random_tree};
    use crate::tree::LeafScores;
    use crate::{AsListed, ByPlayer, Player, Rng, mix, settings};

    /// A move with what was found of it.
    type Found<M> = (M, Option<ByPlayer<f64>>);

    /// Everything that a decision shows.
    fn all<M: Copy>(found: &Decision<M>) -> (M, u64, u64, u32, Vec<Found<M>>) {
        let lines = found.lines.iter().map(|line| (line.pv[0], line.scores)).collect();
        (found.m, found.nodes, found.playouts, found.depth, lines)
    }

    fn with(text: &str) -> (IsmctsSettings, MctsSettings) {
        let (mut hidden, mut open) = (IsmctsSettings::default(), MctsSettings::default());
        settings::read(&mut hidden, text).unwrap();
        settings::read(&mut open, &format!("{text},solver=off,reuse=no")).unwrap();
        (hidden, open)
    }

    #[test]
    fn where_nothing_is_hidden_it_is_mcts_node_for_node() {
        let mut rng = Rng::new(1);
        for number in 0..60 {
            let text =
                ["", "c=0.7,w=0", "playout=random", "playout=maxn,k=3", "cutoff=3", "choose=visits,score=difference"];
            let (hidden, open) =
                with(&format!("lines=1000,memory=8M{}{}", if number % 6 == 0 { "" } else { "," }, text[number % 6]));
            let budget = if rng.below(2) == 0 { Budget::playouts(150) } else { Budget::nodes(2000) };
            let shape = Shape::random(&mut rng);
            let tree = random_tree(&mut rng, shape);
            let mut mcts = Mcts::new(LeafScores, AsListed, 7);
            mcts.settings = open.clone();
            let expected = mcts.choose(&tree, &budget);
            let mut ismcts = Ismcts::with(&hidden, LeafScores, AsListed, 7);
            assert_eq!(all(&ismcts.choose(&tree, &budget)), all(&expected), "{tree} {text:?}");

            let mut game = Track::new(2 + rng.below(4), 4);
            (game.odd, game.length) = (rng.below(2) == 0, 30);
            let (scores, order) = (HashedScores { most: 9, seed: 2 }, HashedOrder { ratings: 3, seed: 1 });
            let mut mcts = Mcts::new(scores, order, 7);
            mcts.settings = open;
            let expected = mcts.choose(&game, &budget);
            let mut ismcts = Ismcts::with(&hidden, scores, order, 7);
            assert_eq!(all(&ismcts.choose(&game, &budget)), all(&expected), "{game:?} {text:?}");
        }
    }

    /// Two players each hold two of the numbers 0 to 4; one stays aside. They lay one after the other; the sum of a player's numbers that
    /// beat the other's wins. Nobody sees more than its own numbers and what was laid.
    #[derive(Clone, Debug, PartialEq)]
    struct Numbers {
        held: [Vec<u8>; 2],
        aside: u8,
        laid: Vec<u8>,
    }

    impl Game for Numbers {
        type Move = u8;
        fn player_count(&self) -> usize {
            2
        }
        fn turn(&self) -> Player {
            Player::new(self.laid.len() % 2)
        }
        fn moves(&self, out: &mut Vec<u8>) {
            out.extend(&self.held[self.turn().index()]);
        }
        fn play(&mut self, m: u8) {
            let turn = self.turn().index();
            self.held[turn].retain(|&held| held != m);
            self.laid.push(m);
        }
        fn payoff(&self) -> Option<ByPlayer<f32>> {
            let [a, b, c, d] = self.laid[..] else { return None };
            let first = f32::from(u8::from(a > b) * 2 + u8::from(c > d)) / 3.0;
            Some(ByPlayer::from_slice(&[first, 1.0 - first]))
        }
        fn key(&self) -> u64 {
            let cards = self.held.iter().flatten().chain(&self.laid).chain([&self.aside]);
            cards.fold(self.laid.len() as u64, |key, &card| mix(key ^ u64::from(card)))
        }
        fn determinize(&self, observer: Player, rng: &mut Rng) -> Numbers {
            let other = 1 - observer.index();
            let known: Vec<u8> = self.held[observer.index()].iter().chain(&self.laid).copied().collect();
            let mut unknown: Vec<u8> = (0..5).filter(|card| !known.contains(card)).collect();
            rng.shuffle(&mut unknown);
            let mut seen = self.clone();
            seen.aside = unknown.pop().unwrap();
            unknown.sort_unstable();
            seen.held[other] = unknown;
            seen
        }
    }

    #[test]
    fn no_decision_depends_on_what_is_hidden_and_all_deals_count() {
        let mut rng = Rng::new(3);
        for number in 0..200 {
            let mut deck: Vec<u8> = (0..5).collect();
            rng.shuffle(&mut deck);
            let sorted = |cards: &[u8]| {
                let mut cards = cards.to_vec();
                cards.sort_unstable();
                cards
            };
            let mut game =
                Numbers { held: [sorted(&deck[..2]), sorted(&deck[2..4])], aside: deck[4], laid: Vec::new() };
            for _ in 0..rng.below(3) {
                let m = game.random_move(&mut Vec::new(), &mut rng);
                game.play(m);
            }
            let turn = game.turn();
            let (hidden, _) = with("lines=9,memory=1M,playout=random");
            let decide = |game: &Numbers| {
                let mut agent = Ismcts::with(&hidden, HashedScores { most: 9, seed: 1 }, AsListed, 5);
                agent.choose(game, &Budget::playouts(60))
            };
            let expected = decide(&game);
            for _ in 0..4 {
                let other = game.determinize(turn, &mut rng);
                assert_eq!(all(&decide(&other)), all(&expected), "{number}: {game:?} {other:?}");
            }
            assert_eq!((expected.pv.len(), expected.playouts), (1, 60));
        }
        // Player 1 holds 0 and 3, player 2 two of 1, 2 and 4, each pair equally often. Laying 0 first loses the more valuable half.
        let game = Numbers { held: [vec![0, 3], vec![1, 2]], aside: 4, laid: Vec::new() };
        let (hidden, _) = with("lines=9,playout=random,c=1,w=0");
        let mut agent = Ismcts::with(&hidden, HashedScores { most: 9, seed: 1 }, AsListed, 5);
        let found = agent.choose(&game, &Budget::playouts(6000));
        assert_eq!(found.m, 3);
        // In two deals of three player 2 has the 4 and beats the 3; otherwise nothing beats it.
        let value = found.value.unwrap();
        assert!((value - 2.0 / 9.0).abs() < 0.1, "{value}");
    }
}
