//! What positions are worth.

use nply::{Bounds, ByPlayer, Evaluator, Player, Score};

use super::discs::Discs;

/// The random factor of the Best-Reply Search experiments: a tenth of a disc.
pub const NOISE: Score = 100;

/// The scores of one disc.
const DISC: Score = 1000;

/// The corner fields: what stands there is never flipped.
const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The evaluations of Rolit and Othello, in thousandths of a disc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eval {
    /// The own discs.
    #[default]
    Discs,
}

impl<G: Discs> Evaluator<G> for Eval {
    /// Whoever has a corner keeps it, and the board has 64 fields.
    fn bounds(&self, game: &G) -> Bounds {
        let min = ByPlayer::from_fn(game.player_count(), |player| {
            (game.discs(player) & CORNERS).count_ones() as Score * DISC
        });
        Bounds { min, max_sum: 64 * DISC }
    }

    #[inline]
    fn evaluate(&self, game: &G) -> ByPlayer<Score> {
        ByPlayer::from_fn(game.player_count(), |player| self.evaluate_for(game, player))
    }

    #[inline]
    fn evaluate_for(&self, game: &G, player: Player) -> Score {
        match self {
            Eval::Discs => game.discs(player).count_ones() as Score * DISC,
        }
    }

    fn terminal(&self, game: &G, _: &ByPlayer<f32>) -> ByPlayer<Score> {
        self.evaluate(game)
    }
}
