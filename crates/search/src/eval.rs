//! Judging positions ([`Evaluator`]) and moves ([`MoveOrder`]).

use crate::settings::Visitor;
use crate::{ByPlayer, Game, Player, Settings, mix};

/// A heuristic value for one player; a whole number, the more the better.
pub type Score = i32;

/// What is known of every score vector: what each player has at least, and what all together have at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least that each player can have.
    pub min: ByPlayer<Score>,
    /// The most that all players can have together.
    pub max_sum: Score,
}

impl Bounds {
    /// The most that `player` can have: what is left when all others have their least.
    #[inline]
    pub fn max(&self, player: Player) -> Score {
        self.max_sum - self.min.sum() + self.min[player]
    }
}

/// Judges positions: one score for each player.
///
/// Values kept incrementally live in the position, so an evaluator is shared freely.
pub trait Evaluator<G: Game>: Clone + Send + Sync {
    /// Bounds of the scores of this position and of all that can follow it: what pruning works with.
    fn bounds(&self, game: &G) -> Bounds;

    /// The scores of a position that is not over.
    fn evaluate(&self, game: &G) -> ByPlayer<Score>;

    /// One player's score of a position that is not over.
    #[inline]
    fn evaluate_for(&self, game: &G, player: Player) -> Score {
        self.evaluate(game)[player]
    }

    /// The scores of a finished game.
    ///
    /// The default shares out what the bounds allow: the sole winner has the most, losers have the least, and a draw is
    /// shared equally. Games with points say otherwise.
    #[inline]
    fn terminal(&self, game: &G, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        let bounds = self.bounds(game);
        let open = (bounds.max_sum - bounds.min.sum()) as f32;
        ByPlayer::from_fn(payoff.len(), |player| bounds.min[player] + (open * payoff[player]) as Score)
    }

    /// The scores of a sole win of `player`, the most that can be hoped for: a search that is sure of them need not look
    /// further.
    fn win(&self, game: &G, player: Player) -> ByPlayer<Score> {
        let bounds = self.bounds(game);
        let mut scores = bounds.min;
        scores[player] = bounds.max(player);
        scores
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
/// Each score gains from 0 to `most` points, by the position's key and a seed: it agrees with transposition tables, and a
/// game can be played again.
#[derive(Clone, Copy, Debug)]
pub struct Noisy<E> {
    /// The evaluator that is made noisy.
    pub inner: E,
    /// The most that is added to a score; 0 adds nothing.
    pub most: Score,
    /// The seed of the noise.
    pub seed: u64,
}

impl<E> Noisy<E> {
    /// An evaluator without noise.
    pub fn quiet(inner: E) -> Noisy<E> {
        Noisy { inner, most: 0, seed: 0 }
    }

    fn noise(&self, key: u64, player: Player) -> Score {
        let bits = mix(key ^ mix(self.seed.wrapping_add(player.index() as u64)));
        (((bits >> 32) * (self.most as u64 + 1)) >> 32) as Score
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Noisy<E> {
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

    fn terminal(&self, game: &G, payoff: &ByPlayer<f32>) -> ByPlayer<Score> {
        self.inner.terminal(game, payoff)
    }

    /// A finished game has no noise, so neither has a win.
    fn win(&self, game: &G, player: Player) -> ByPlayer<Score> {
        self.inner.win(game, player)
    }
}

/// Whose good the mover has in mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stance {
    /// The own good, as max^n assumes.
    Own,
    /// This player's harm, as Paranoid and Best-Reply Search assume of the root's opponents. The player itself has the own
    /// good in mind.
    Against(Player),
}

/// Static move ordering: a function of the position alone.
///
/// The searches use it, and so do BRS+'s special moves and greedy playouts.
pub trait MoveOrder<G: Game>: Clone + Send + Sync {
    /// How promising a legal move is for the player to move: higher is tried first, ties stay in the order of
    /// [`Game::moves`].
    fn rate(&self, game: &G, stance: Stance, m: G::Move) -> i32;

    /// Puts legal moves, listed in the order of [`Game::moves`], in order, best first.
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

/// The order in which the game lists its moves: for games that know no better, and for comparisons.
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
