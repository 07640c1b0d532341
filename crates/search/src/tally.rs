//! What a finished game is counted by: [`Tally`].

use crate::{Bounds, ByPlayer, Game, Player, Score};

/// Counts what each player has at the end of a game: points, or the share of the win. More is better.
///
/// [`solve`](crate::solve) asks how much of it a player can be sure of.
pub struct Tally<G> {
    /// What is counted, in one word: `discs`.
    pub name: &'static str,
    /// What each player has in a finished game.
    pub of: fn(&G) -> ByPlayer<Score>,
    /// What each player has at least, and all together at most, at the end of every game that goes on from here in turn. Proofs
    /// rely on it, so it follows from the rules alone.
    pub bounds: fn(&G) -> Bounds,
    /// Whether these are shares of the win, in [sixtieths](WHOLE); otherwise any whole number is possible.
    pub is_share: bool,
}

/// The whole win, in the unit of [`Tally::shares`]: a share of any number of players up to six is a whole number of sixtieths.
pub const WHOLE: Score = 60;

impl<G: Game> Tally<G> {
    /// Shares of the win, in [sixtieths](WHOLE): every game has them.
    pub fn shares() -> Tally<G> {
        Tally {
            name: "share",
            of: |game| {
                let payoff = game.payoff().expect("a finished game");
                payoff.map(|share| (share * WHOLE as f32).round() as Score)
            },
            bounds: |game| Bounds { min: ByPlayer::splat(game.player_count(), 0), max_sum: WHOLE },
            is_share: true,
        }
    }
}

impl<G: Game> Tally<G> {
    /// The amounts that `player` may end with from here, ascending, without the one that is certain: those worth asking for.
    pub fn amounts(&self, game: &G, player: Player) -> Vec<Score> {
        let bounds = (self.bounds)(game);
        let range = bounds.min[player] + 1..=bounds.max(player);
        match self.is_share {
            true => (1..=game.player_count() as Score)
                .rev()
                .map(|among| WHOLE / among)
                .filter(|share| range.contains(share))
                .collect(),
            false => range.collect(),
        }
    }
}

impl<G> Clone for Tally<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Tally<G> {}

/// Whether a player gets at least so much, against everybody.
pub struct Question<G> {
    /// What is counted.
    pub tally: Tally<G>,
    /// The player who tries.
    pub player: Player,
    /// How much is enough.
    pub at_least: Score,
}

impl<G> Clone for Question<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Question<G> {}

impl<G: Game> Question<G> {
    /// The answer where the game is over, or where nothing that can follow matters any more.
    #[inline]
    pub fn decided(&self, game: &G) -> Option<Decided> {
        if game.payoff().is_some() {
            return Some(Decided { yes: (self.tally.of)(game)[self.player] >= self.at_least, at_end: true });
        }
        let bounds = (self.tally.bounds)(game);
        if bounds.min[self.player] >= self.at_least {
            return Some(Decided { yes: true, at_end: false });
        }
        (bounds.max(self.player) < self.at_least).then_some(Decided { yes: false, at_end: false })
    }
}

/// A position in which a question has its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The answer.
    pub yes: bool,
    /// Whether the game is over; otherwise the bounds decide.
    pub at_end: bool,
}
