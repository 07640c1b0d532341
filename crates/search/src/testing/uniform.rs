//! A game with a uniform tree, for which best cases can be computed.

use crate::{Bounds, ByPlayer, Evaluator, Game, Player, Score, mix};

/// An endless game with a uniform tree: the players take turns, each has `branching` moves, and no position arises twice.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    players: usize,
    branching: u32,
    turn: Player,
    key: u64,
}

impl Uniform {
    /// The start position.
    pub fn new(players: usize, branching: u32) -> Uniform {
        Uniform { players, branching, turn: Player::new(0), key: 0 }
    }
}

impl Game for Uniform {
    type Move = u32;

    fn player_count(&self) -> usize {
        self.players
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn moves(&self, out: &mut Vec<u32>) {
        out.extend(0..self.branching);
    }

    fn play(&mut self, m: u32) {
        self.turn = self.turn.next(self.players);
        self.key = mix(self.key ^ u64::from(m + 1));
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        None
    }

    fn key(&self) -> u64 {
        self.key
    }
}

/// Gives every player this score in every position, which is also the maximum sum divided by the number of players.
#[derive(Clone, Copy, Debug)]
pub struct AllEqual(pub Score);

impl<G: Game> Evaluator<G> for AllEqual {
    fn bounds(&self, game: &G) -> Bounds {
        let players = game.player_count();
        Bounds { min: ByPlayer::splat(players, 0), max_sum: self.0 * players as Score }
    }

    fn evaluate(&self, game: &G) -> ByPlayer<Score> {
        ByPlayer::splat(game.player_count(), self.0)
    }
}
