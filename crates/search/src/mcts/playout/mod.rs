//! Playouts: how a simulated game that has left the tree is played to its end.
//!
//! All players follow one [`PlayoutPolicy`]. The light ones draw a move at random or take the first of the static
//! ordering. A one-ply search plays every legal move and takes the one with the best evaluation. *Playout Search* makes a
//! search of two plies for every move. All of these but the random one are ε-greedy: with probability ε they draw a move uniformly
//! at random instead, which saves searches, varies the playouts and ends the shuffling to and fro of players who all think
//! that they stand well.
//!
//! Playout Search saves time in three ways:
//!
//! - *k-best pruning*: on both plies only the first k moves of the static ordering are searched, ordered by the mover's own
//!   interest. Where any opponent may reply, these are k moves of all opponents together.
//! - *Alpha-beta pruning*, where the reply is the worst one for the mover (Paranoid and Best-Reply Search): a move is given
//!   up at the first reply that makes it no better than the best so far. Two plies of max^n allow no pruning.
//! - *Killer moves*, for the same two: for each ply of the playout and both plies of its search, the last two moves that
//!   were best or gave a cutoff are tried first, and count among the k. They are kept from playout to playout.
//!
//! The paper does not say how ties are broken, which matters a lot: evaluations are coarse, and most moves of Focus and many
//! of Chinese Checkers leave the mover's score unchanged. Here the static ordering decides between equal positions, as it
//! does in any search that sorts its moves, and chance decides between moves that it rates the same ([`PlayoutTies`]). A
//! move is not preferred for being tried first, as a killer is. With chance alone, one-ply playouts of Focus are five times
//! as long, and one in four is never decided.
//!
//! Two-ply searches maximize the mover's score less the sum of the others' ([`ScoreForm::Difference`]), as Paranoid and
//! Best-Reply Search do: by the mover's score alone, a reply means nothing in games like Chinese Checkers, where nobody can
//! harm another's pieces. One-ply searches maximize the mover's own score, as in the paper.
//!
//! A playout may be cut off after a number of plies. Its result is then the [chances](crate::chances) of the position. Where the
//! evaluation has none, the win goes to the highest score, and equal scores share it, unless the evaluation says
//! [otherwise](Evaluator::shares). A long playout says little about the position where it began, and an
//! evaluation may say more. With a cutoff of 0 there is no playout, and the search is as good as the evaluation of its leaves.
//!
//! In this tree nobody has a choice below the root, and the evaluation gives whoever is to move three chances of four. The first move leads to
//! player 2's turn, then to player 1's, and is lost in the end; the second is the other way round. So what they are worth to player 1
//! depends on where playouts end:
//!
//! ```text
//!           1
//!      ┌────┴────┐
//!      2         1      cutoff=0:   1/4 and 3/4
//!      │         │
//!      1         2      cutoff=1:   3/4 and 1/4
//!      │         │
//!     0,1       1,0     cutoff=off:  0  and  1
//! ```
//!
//! ```
//! use nply::tree::{LeafScores, Tree};
//! use nply::{Agent, AsListed, Bounds, Budget, ByPlayer, Evaluator, Game, Mcts, Player, Score, settings};
//! #[derive(Clone)]
//! struct Initiative;
//! impl Evaluator<Tree> for Initiative {
//!     fn bounds(&self, game: &Tree) -> Bounds {
//!         LeafScores.bounds(game)
//!     }
//!     fn evaluate(&self, game: &Tree) -> ByPlayer<Score> {
//!         ByPlayer::from_fn(2, |player| (player == game.turn()).into())
//!     }
//!     // A lead of 1 is three to one.
//!     fn temperature(&self, _: &Tree) -> Option<f64> {
//!         Some(1.0 / 3f64.ln())
//!     }
//! }
//! let tree: Tree = "(1 (2 (1 0,1)) (1 (2 1,0)))".parse().unwrap();
//! let shares = |cutoff: &str| {
//!     let mut mcts = Mcts::new(Initiative, AsListed, 1);
//!     settings::read(&mut mcts.settings, &format!("cutoff={cutoff},solver=off")).unwrap();
//!     let found = mcts.choose(&tree, &Budget::playouts(2));
//!     (found.m, mcts.statistics().iter().map(|m| m.shares.unwrap()[Player::new(0)]).collect::<Vec<_>>())
//! };
//! assert_eq!(shares("0"), (2, vec![0.25, 0.75]));
//! assert_eq!(shares("1"), (1, vec![0.75, 0.25]));
//! assert_eq!(shares("off"), (2, vec![0.0, 1.0]));
//! ```
//!
//! Three more policies learn from earlier simulations and know nothing of the evaluation. MAST and NST take the move that has brought
//! its player most; the literature has ε = 0.1 for them. *Playout policy adaptation* (PPA) draws a move with a probability that
//! grows with exp(θ), and adapts the weights θ of the moves after every playout: those that were played gain α times what the
//! game gave their player, and all that could have been lose as much together, in proportion to their probabilities. α is
//! [`learning`](MctsSettings::learning), and there is no ε.
//!
//! # References
//!
//! - T. Cazenave, *Playout Policy Adaptation for Games*, Advances in Computer Games, 2015: PPA.
//! - C.F. Sironi, T. Cazenave and M.H.M. Winands, *Enhancing Playout Policy Adaptation for General Game Playing*, 2021: PPA for all players by
//!   their payoffs.
//! - H. Finnsson and Y. Björnsson, *Simulation-Based Approach to General Game Playing*, AAAI, 2008: MAST.
//! - M.J.W. Tak, M.H.M. Winands and Y. Björnsson, *N-Grams and the Last-Good-Reply Policy Applied in General Game Playing*, IEEE
//!   Transactions on Computational Intelligence and AI in Games, 2012: NST.
//! - J.A.M. Nijssen and M.H.M. Winands, *Playout Search for Monte-Carlo Tree Search in Multi-Player Games*, Advances in
//!   Computer Games, 2011.

mod epsilon_greedy;
pub(super) mod grams;
mod one_ply;
mod ppa;
mod random;
mod static_order;
#[cfg(test)]
mod tests;
mod two_ply;

use crate::settings::Choice;
use crate::{Bounds, ByPlayer, Evaluator, Game, Meter, MoveOrder, OutOfBudget, Player, Rng, ScoreForm, Stance};

use super::{AnyTurn, MctsSettings, Reward};
use epsilon_greedy::{BestMove, EpsilonGreedy};
use grams::{ByGrams, Coded, Grams};
use one_ply::OnePly;
use ppa::{ByWeight, Weights};
use random::Random;
use static_order::StaticOrder;
use two_ply::{OwnReply, TwoPly, WorstReply};

/// How the moves of playouts are chosen. The letters are those of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PlayoutPolicy {
    /// The move with the best evaluation for the mover, of all legal moves (O).
    #[default]
    OnePly,
    /// A random move, as [`Game::playout_move`] draws it.
    Random,
    /// The best move by the static ordering (E, the move evaluator).
    Move,
    /// Two plies in which the mover and the next player each maximize their own value (M).
    MaxN,
    /// Two plies in which the next player minimizes the mover's value (P).
    Paranoid,
    /// Two plies in which one opponent, any of them, minimizes the mover's value (B). Needs
    /// [`Mcts::any_turn`](super::Mcts::any_turn).
    Brs,
    /// The move that has brought its player most in earlier simulations (MAST).
    Mast,
    /// The same, by the move alone, after the last move, and after the last two (N-grams, NST).
    Nst,
    /// A move drawn by its weight, which earlier playouts have adapted (PPA).
    Ppa,
}

impl PlayoutPolicy {
    /// Whether playouts learn from all moves of earlier simulations.
    #[inline]
    pub(super) fn learns(self) -> bool {
        matches!(self, PlayoutPolicy::Mast | PlayoutPolicy::Nst)
    }
}

impl Choice for PlayoutPolicy {
    const WORDS: &'static [(PlayoutPolicy, &'static str)] = &[
        (PlayoutPolicy::OnePly, "one-ply"),
        (PlayoutPolicy::Random, "random"),
        (PlayoutPolicy::Move, "move"),
        (PlayoutPolicy::MaxN, "maxn"),
        (PlayoutPolicy::Paranoid, "paranoid"),
        (PlayoutPolicy::Brs, "brs"),
        (PlayoutPolicy::Mast, "mast"),
        (PlayoutPolicy::Nst, "nst"),
        (PlayoutPolicy::Ppa, "ppa"),
    ];
}

/// How one-ply and two-ply playouts choose among equal moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PlayoutTies {
    /// By the static ordering, and at random among moves that it rates the same.
    #[default]
    StaticOrder,
    /// At random.
    Random,
}

impl Choice for PlayoutTies {
    const WORDS: &'static [(PlayoutTies, &'static str)] =
        &[(PlayoutTies::StaticOrder, "order"), (PlayoutTies::Random, "random")];
}

/// Chooses the moves of a playout.
trait Policy<G: Game> {
    /// Whether it evaluates positions, and evaluations may need the key.
    const EVALUATES: bool;

    /// Chooses a move of a game that is not over, `ply` plies after the playout began. Every position that is looked at
    /// costs a node.
    fn choose(
        &self,
        game: &mut G,
        ply: usize,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> Result<G::Move, OutOfBudget>;
}

/// Plays games to their ends as the settings say.
pub(super) struct Playout<'a, G, E, O> {
    pub(super) settings: &'a MctsSettings,
    pub(super) evaluator: &'a E,
    pub(super) order: &'a O,
    /// The bounds of the root.
    pub(super) bounds: Bounds,
    /// Needed by [`PlayoutPolicy::Brs`].
    pub(super) any_turn: Option<AnyTurn<G>>,
}

/// What playouts write to and remember; it outlives them, so that they allocate nothing.
pub(super) struct Scratch<M> {
    moves: Vec<M>,
    two_ply: two_ply::Memory<M>,
    pub(super) grams: Grams,
    pub(super) weights: Weights,
    /// The moves of the simulation so far, if playouts learn from them.
    pub(super) line: Vec<Coded>,
}

impl<M> Scratch<M> {
    pub(super) fn new() -> Scratch<M> {
        Scratch {
            moves: Vec::new(),
            two_ply: two_ply::Memory::new(),
            grams: Grams::default(),
            weights: Weights::default(),
            line: Vec::new(),
        }
    }

    /// Begins a decision: nothing is learned from a playout that the last one has not completed.
    pub(super) fn begin(&mut self) {
        self.weights.begin();
    }

    /// Forgets what earlier playouts have shown.
    pub(super) fn clear(&mut self) {
        self.two_ply.killers.clear();
        self.grams.clear();
        self.weights.clear();
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Playout<'_, G, E, O> {
    /// Plays a game to its end, or to the cutoff, and returns the shares of the win. Calls `played` for every move.
    ///
    /// Every position that is played or looked at costs a node.
    pub(super) fn run(
        &self,
        game: &mut G,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        meter: &mut Meter,
        played: impl FnMut(Player, G::Move),
    ) -> Result<ByPlayer<f32>, OutOfBudget> {
        match self.settings.playout {
            PlayoutPolicy::Random => self.play(&Random, game, scratch, rng, meter, played),
            PlayoutPolicy::Move => {
                let policy = self.greedy(StaticOrder { order: self.order });
                self.play(&policy, game, scratch, rng, meter, played)
            }
            PlayoutPolicy::OnePly => {
                let policy = self.greedy(OnePly { judge: self.judge(ScoreForm::Own) });
                self.play(&policy, game, scratch, rng, meter, played)
            }
            PlayoutPolicy::MaxN => {
                let policy = self.greedy(self.two_ply(OwnReply));
                self.play(&policy, game, scratch, rng, meter, played)
            }
            PlayoutPolicy::Paranoid => {
                let policy = self.greedy(self.two_ply(WorstReply { any_turn: None }));
                self.play(&policy, game, scratch, rng, meter, played)
            }
            PlayoutPolicy::Brs => {
                let policy = self.greedy(self.two_ply(WorstReply { any_turn: self.any_turn }));
                self.play(&policy, game, scratch, rng, meter, played)
            }
            PlayoutPolicy::Mast | PlayoutPolicy::Nst => {
                let most = if self.settings.playout == PlayoutPolicy::Mast { 1 } else { 3 };
                let policy = self.greedy(ByGrams { most });
                self.play(&policy, game, scratch, rng, meter, played)
            }
            PlayoutPolicy::Ppa => {
                scratch.weights.begin();
                self.play(&ByWeight, game, scratch, rng, meter, played)
            }
        }
    }

    fn play<P: Policy<G>>(
        &self,
        policy: &P,
        game: &mut G,
        scratch: &mut Scratch<G::Move>,
        rng: &mut Rng,
        meter: &mut Meter,
        mut played: impl FnMut(Player, G::Move),
    ) -> Result<ByPlayer<f32>, OutOfBudget> {
        let keyed = P::EVALUATES || self.settings.cutoff.is_some();
        let mut ply = 0;
        loop {
            if let Some(payoff) = game.payoff() {
                return Ok(self.reward(game, &payoff));
            }
            if self.settings.cutoff == Some(ply) {
                return Ok(self.cut_off(game));
            }
            let m = policy.choose(game, ply as usize, scratch, rng, meter)?;
            meter.tick()?;
            played(game.turn(), m);
            if self.settings.playout.learns() {
                scratch.line.push(Coded::new(game.turn(), &m));
            }
            if keyed {
                game.play(m);
            } else {
                game.play_unkeyed(m);
            }
            ply += 1;
        }
    }

    /// What a position that is not over is worth to each player.
    #[inline]
    pub(super) fn cut_off(&self, game: &G) -> ByPlayer<f32> {
        match self.settings.reward {
            Reward::Win => self.evaluator.shares(game),
            reward => reward.of_scores(&self.evaluator.evaluate(game), &self.bounds),
        }
    }

    /// What the result of a finished game is worth to each player.
    #[inline]
    pub(super) fn reward(&self, game: &G, payoff: &ByPlayer<f32>) -> ByPlayer<f32> {
        match self.settings.reward {
            Reward::Win => *payoff,
            reward => reward.of_scores(&self.evaluator.terminal(game, payoff), &self.bounds),
        }
    }

    fn greedy<B: BestMove<G>>(&self, best: B) -> EpsilonGreedy<B> {
        EpsilonGreedy { epsilon: self.settings.epsilon, best }
    }

    fn two_ply<R>(&self, reply: R) -> TwoPly<'_, E, O, R> {
        let MctsSettings { k, killers, .. } = *self.settings;
        TwoPly { judge: self.judge(ScoreForm::Difference), k: k.max(1), killers, reply }
    }

    fn judge(&self, usual: ScoreForm) -> Judge<'_, E, O> {
        let MctsSettings { score, ties, .. } = *self.settings;
        Judge { evaluator: self.evaluator, order: self.order, form: score.unwrap_or(usual), ties }
    }
}

/// Judges the positions and moves of playouts.
struct Judge<'a, E, O> {
    evaluator: &'a E,
    order: &'a O,
    form: ScoreForm,
    ties: PlayoutTies,
}

impl<E, O> Judge<'_, E, O> {
    /// The mover's rating of a move by the static ordering.
    #[inline]
    fn rate<G: Game>(&self, game: &G, m: G::Move) -> i32
    where
        O: MoveOrder<G>,
    {
        self.order.rate(game, Stance::Own, m)
    }

    /// The value of any position for a player.
    #[inline]
    fn value<G: Game>(&self, game: &G, player: Player) -> i64
    where
        E: Evaluator<G>,
    {
        match game.payoff() {
            Some(payoff) => self.result(game, &payoff, player),
            None if self.form == ScoreForm::Own => self.evaluator.evaluate_for(game, player).into(),
            None => self.form.value(&self.evaluator.evaluate(game), player),
        }
    }

    /// The value of a finished game for a player.
    #[inline]
    fn result<G: Game>(&self, game: &G, payoff: &ByPlayer<f32>, player: Player) -> i64
    where
        E: Evaluator<G>,
    {
        self.form.value(&self.evaluator.terminal(game, payoff), player)
    }
}
