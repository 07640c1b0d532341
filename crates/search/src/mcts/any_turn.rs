use std::fmt;

use crate::{Game, MAX_PLAYERS, OutOfTurn, Player};

/// Evidence that a game is [`OutOfTurn`], as a value.
///
/// [`Mcts`](crate::Mcts) plays every game, and only some of its settings need players to move out of turn. They use this
/// value, so that the rest asks nothing of the game.
pub struct AnyTurn<G> {
    is_in: fn(&G, Player) -> bool,
    with_turn: fn(&mut G, Player, Call<'_, G>),
}

/// A function to call while another player has the turn.
type Call<'a, G> = &'a mut dyn FnMut(&mut G);

impl<G: OutOfTurn> AnyTurn<G> {
    /// The evidence for a game in which players may move out of turn.
    pub fn new() -> AnyTurn<G> {
        AnyTurn { is_in: G::is_in, with_turn: |game, player, f| game.with_turn(player, |game| f(game)) }
    }
}

impl<G: OutOfTurn> Default for AnyTurn<G> {
    fn default() -> Self {
        AnyTurn::new()
    }
}

impl<G> AnyTurn<G> {
    /// Whether `player` still takes part.
    #[inline]
    pub fn is_in(&self, game: &G, player: Player) -> bool {
        (self.is_in)(game, player)
    }

    /// Hands the turn to `player`, calls `f`, and hands it back.
    #[inline]
    pub fn with_turn(&self, game: &mut G, player: Player, f: Call<'_, G>) {
        (self.with_turn)(game, player, f);
    }
}

impl<G: Game> AnyTurn<G> {
    /// The opponents of `player` who still take part, in turn order after the player.
    pub(super) fn opponents(self, game: &G, player: Player) -> impl Iterator<Item = Player> + use<G> {
        let count = game.player_count();
        let mut present = [false; MAX_PLAYERS];
        for other in Player::all(count) {
            present[other.index()] = self.is_in(game, other);
        }
        let after = std::iter::successors(Some(player.next(count)), move |other| Some(other.next(count)));
        after.take(count - 1).filter(move |other| present[other.index()])
    }
}

impl<G> Clone for AnyTurn<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for AnyTurn<G> {}

impl<G> fmt::Debug for AnyTurn<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyTurn")
    }
}
