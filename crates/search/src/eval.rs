//! Evaluation of positions ([`Evaluator`]) and ordering of moves ([`MoveOrder`]).

use crate::settings::Visitor;
use crate::{ByPlayer, Dice, Game, Player, Settings, chances, mix, shares};

/// A heuristic value for one player; higher is better.
pub type Score = i32;

/// Bounds of score vectors: the minimum of each player and the maximum sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least score of each player.
    pub min: ByPlayer<Score>,
    /// The greatest sum of all scores.
    pub max_sum: Score,
}

impl Bounds {
    /// The greatest score of `player`: what is left when all others have their least.
    #[inline]
    pub fn max(&self, player: Player) -> Score {
        self.max_sum - self.min.sum() + self.min[player]
    }
}

/// Evaluates positions: one score for each player.
///
/// Values that are updated incrementally belong to the position, so an evaluator can be shared freely.
pub trait Evaluator<G: Game>: Clone + Send + Sync {
    /// Turns to the decision after `ply` plies of the game. Agents call it when they [observe](crate::Agent::observe).
    fn begin(&mut self, _ply: u32) {}

    /// Bounds of the scores of this position and of all that can follow it. Pruning relies on them.
    fn bounds(&self, game: &G) -> Bounds;

    /// The scores of a position that is not over.
    fn evaluate(&self, game: &G) -> ByPlayer<Score>;

    /// One player's score of a position that is not over.
    #[inline]
    fn evaluate_for(&self, game: &G, player: Player) -> Score {
        self.evaluate(game)[player]
    }

    /// Judges the positions after some legal moves of the player to move without playing them, and returns whether it can. By default
    /// it cannot.
    ///
    /// For each move, in their order, `each` is called with the sum of the players' scores times their weights, or with `None` if
    /// the move has to be played to find out: if the game is over after it, or somebody is out of it. Only an evaluation that does not depend on whose
    /// turn it is can be judged like that, since searches hand the turn to others. Whether it can must not depend on the moves, of which there may be none.
    ///
    /// Most nodes of a search are leaves, so this is worth having where a move changes little of an evaluation.
    /// [`check_judge`](crate::testing::check_judge) compares it with [`evaluate`](Evaluator::evaluate).
    #[inline]
    fn judge(&self, _game: &G, _weights: &ByPlayer<i64>, _moves: &[G::Move], _each: impl FnMut(Option<i64>)) -> bool {
        false
    }

    /// The scores of a finished game.
    ///
    /// The default distributes what the bounds allow: a sole winner has the most, losers have the least, and a draw is
    /// shared equally. Games with points override it.
    #[inline]
    fn terminal(&self, game: &G, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        let bounds = self.bounds(game);
        let open = (bounds.max_sum - bounds.min.sum()) as f32;
        ByPlayer::from_fn(payoff.len(), |player| bounds.min[player] + (open * payoff[player]) as Score)
    }

    /// The scores of a sole win of `player`. A search that has proven them need not look further.
    fn win(&self, game: &G, player: Player) -> ByPlayer<Score> {
        let bounds = self.bounds(game);
        let mut scores = bounds.min;
        scores[player] = bounds.max(player);
        scores
    }

    /// The temperature at which the scores of a position become [`chances`](crate::chances); `None` if it is not known.
    fn temperature(&self, _game: &G) -> Option<f64> {
        None
    }

    /// Each player's share of the win in a position that is not over; `None` if nothing is known of it. By default that is
    /// where there is no temperature.
    fn chances(&self, game: &G) -> Option<ByPlayer<f64>> {
        let temperature = self.temperature(game)?;
        Some(chances::of(&self.evaluate(game), |player| game.is_in(player), temperature))
    }

    /// Each player's share of the win where a playout ends in a position that is not over. Shares sum to 1.
    ///
    /// By default they are the [chances](Evaluator::chances). Where those are not known, the highest score takes the win, and equal
    /// scores share it.
    #[inline]
    fn shares(&self, game: &G) -> ByPlayer<f32> {
        match self.chances(game) {
            Some(chances) => chances.map(|chance| chance as f32),
            None => shares(&self.evaluate(game)),
        }
    }

    /// Calls `each` with the [`shares`](Evaluator::shares) of several positions, in their order.
    ///
    /// By default they are judged one by one. An evaluation that costs much for each call, such as a network, overrides
    /// it and judges all of them together.
    fn shares_of_all(&self, games: &mut dyn Iterator<Item = &G>, each: &mut dyn FnMut(ByPlayer<f32>)) {
        for game in games {
            each(self.shares(game));
        }
    }

    /// Calls `each` with the scores of several positions that are not over, in their order.
    ///
    /// By default they are [evaluated](Evaluator::evaluate) one by one, as their [shares](Evaluator::shares_of_all) are.
    fn evaluate_all(&self, games: &mut dyn Iterator<Item = &G>, each: &mut dyn FnMut(ByPlayer<Score>)) {
        for game in games {
            each(self.evaluate(game));
        }
    }

    /// The scores of any position.
    #[inline]
    fn scores(&self, game: &G) -> ByPlayer<Score> {
        match game.payoff() {
            Some(payoff) => self.terminal(game, &payoff),
            None => self.evaluate(game),
        }
    }
}

/// An evaluator with a small random factor, so that games between fixed programs differ.
///
/// Each score gains from 0 to `most` points, depending on the position's key, a seed and the ply of the decision. So it is
/// consistent with the transposition table of a decision, it changes from decision to decision, which keeps fixed programs from
/// repeating their moves forever, and a game can be repeated.
#[derive(Clone, Copy, Debug)]
pub struct Noisy<E> {
    /// The evaluator without noise.
    pub inner: E,
    /// The most that is added to a score; 0 for no noise.
    pub most: Score,
    /// The noise.
    pub dice: Dice,
}

impl<E> Noisy<E> {
    /// An evaluator without noise.
    pub fn quiet(inner: E) -> Noisy<E> {
        Noisy { inner, most: 0, dice: Dice::default() }
    }

    #[inline]
    fn noise(&self, key: u64, player: Player) -> Score {
        let bits = mix(key ^ mix(self.dice.bits().wrapping_add(player.index() as u64)));
        (((bits >> 32) * (self.most as u64 + 1)) >> 32) as Score
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Noisy<E> {
    fn begin(&mut self, ply: u32) {
        self.inner.begin(ply);
        self.dice.begin(ply);
    }

    fn bounds(&self, game: &G) -> Bounds {
        let inner = self.inner.bounds(game);
        Bounds { max_sum: inner.max_sum + self.most * game.player_count() as Score, ..inner }
    }

    #[inline]
    fn evaluate(&self, game: &G) -> ByPlayer<Score> {
        let mut scores = self.inner.evaluate(game);
        if self.most > 0 {
            let key = game.key();
            for player in Player::all(scores.len()) {
                scores[player] += self.noise(key, player);
            }
        }
        scores
    }

    #[inline]
    fn evaluate_for(&self, game: &G, player: Player) -> Score {
        let score = self.inner.evaluate_for(game, player);
        if self.most > 0 { score + self.noise(game.key(), player) } else { score }
    }

    /// Only without noise, which depends on the key.
    #[inline]
    fn judge(&self, game: &G, weights: &ByPlayer<i64>, moves: &[G::Move], each: impl FnMut(Option<i64>)) -> bool {
        self.most == 0 && self.inner.judge(game, weights, moves, each)
    }

    fn terminal(&self, game: &G, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        self.inner.terminal(game, payoff)
    }

    fn temperature(&self, game: &G) -> Option<f64> {
        self.inner.temperature(game)
    }

    /// Without noise, what the evaluator says.
    fn chances(&self, game: &G) -> Option<ByPlayer<f64>> {
        if self.most == 0 {
            return self.inner.chances(game);
        }
        let temperature = self.temperature(game)?;
        Some(chances::of(&self.evaluate(game), |player| game.is_in(player), temperature))
    }

    /// Without noise, what the evaluator makes of its scores.
    #[inline]
    fn shares(&self, game: &G) -> ByPlayer<f32> {
        match self.most {
            0 => self.inner.shares(game),
            _ => match self.chances(game) {
                Some(chances) => chances.map(|chance| chance as f32),
                None => shares(&self.evaluate(game)),
            },
        }
    }

    fn shares_of_all(&self, games: &mut dyn Iterator<Item = &G>, each: &mut dyn FnMut(ByPlayer<f32>)) {
        if self.most == 0 {
            return self.inner.shares_of_all(games, each);
        }
        for game in games {
            each(self.shares(game));
        }
    }

    fn evaluate_all(&self, games: &mut dyn Iterator<Item = &G>, each: &mut dyn FnMut(ByPlayer<Score>)) {
        if self.most == 0 {
            return self.inner.evaluate_all(games, each);
        }
        for game in games {
            each(self.evaluate(game));
        }
    }

    /// A finished game has no noise, so neither has a win.
    fn win(&self, game: &G, player: Player) -> ByPlayer<Score> {
        self.inner.win(game, player)
    }
}

/// What a mover is assumed to want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stance {
    /// The best for itself, as max^n assumes.
    Own,
    /// The worst for this player, as Paranoid and Best-Reply Search assume of the root player's opponents. The player itself
    /// wants the best for itself.
    Against(Player),
}

/// Static move ordering: a function of the position alone.
///
/// The searches use it, and so do BRS+'s special moves and greedy playouts.
pub trait MoveOrder<G: Game>: Clone + Send + Sync {
    /// How promising a legal move of the player to move is. Higher ratings are tried first; ties stay in the order of
    /// [`Game::moves`].
    fn rate(&self, game: &G, stance: Stance, m: G::Move) -> i32;

    /// Sorts legal moves, given in the order of [`Game::moves`], best first.
    fn sort(&self, game: &G, stance: Stance, moves: &mut [G::Move]) {
        moves.sort_by_cached_key(|&m| std::cmp::Reverse(self.rate(game, stance, m)));
    }

    /// The move that [`sort`](MoveOrder::sort) puts first, of moves in the order of [`Game::moves`].
    ///
    /// # Panics
    /// If there are no moves.
    #[inline]
    fn first(&self, game: &G, stance: Stance, moves: &[G::Move]) -> G::Move {
        let (mut best, mut rate) = (moves[0], self.rate(game, stance, moves[0]));
        for &m in &moves[1..] {
            let next = self.rate(game, stance, m);
            if next > rate {
                (best, rate) = (m, next);
            }
        }
        best
    }
}

/// The order in which the game lists its moves: for games without an ordering, and for comparisons.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsListed;

impl Settings for AsListed {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

impl<G: Game> MoveOrder<G> for AsListed {
    #[inline]
    fn rate(&self, _game: &G, _stance: Stance, _m: G::Move) -> i32 {
        0
    }
}
