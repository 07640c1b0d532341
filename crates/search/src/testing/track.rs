//! A small game with everything that makes searching hard: transpositions, eliminations, uneven turn orders, a draw limit.

use crate::{Bounds, ByPlayer, Evaluator, Game, MoveOrder, OutOfTurn, Player, Rng, Score, Stance, code, mix};

/// Tokens on a track, for comparing searches.
///
/// Each player has one token and moves it 1 to `stride` fields ahead, but not past the end. With `captures`, a player
/// whose token is landed on is out. Whoever reaches the end, or is left alone, wins; after `limit` plies the game is a draw
/// of all who are in. With `odd`, landing on every fourth field gives another move, and landing on the field after that
/// skips the next player.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Fields from the start to the end.
    pub length: u8,
    /// The greatest number of fields a token moves.
    pub stride: u8,
    /// The plies after which the game is a draw.
    pub limit: u32,
    /// Whether a token that is landed on is out.
    pub captures: bool,
    /// Whether some fields change the turn order.
    pub odd: bool,
    fields: ByPlayer<u8>,
    is_in: ByPlayer<bool>,
    turn: Player,
    ply: u32,
}

impl Track {
    /// A track of 20 fields with the tokens on the first ones, one per field.
    pub fn new(players: usize, stride: u8) -> Track {
        Track {
            length: 20,
            stride,
            limit: u32::MAX,
            captures: true,
            odd: false,
            fields: ByPlayer::from_fn(players, |player| player.index() as u8),
            is_in: ByPlayer::splat(players, true),
            turn: Player::new(0),
            ply: 0,
        }
    }

    /// A position in the middle of a random game, not over, in which players may move twice, be skipped and be eliminated, and which may
    /// be near its limit: the same position can have different values there.
    pub fn random(players: usize, rng: &mut Rng) -> Track {
        loop {
            let mut game = Track::new(players, 2 + rng.below(2) as u8);
            game.length = 8 + rng.below(12) as u8;
            game.odd = rng.below(2) == 0;
            if rng.below(3) == 0 {
                game.limit = 4 + rng.below(20) as u32;
            }
            for _ in 0..rng.below(12) {
                if game.payoff().is_none() {
                    let m = game.random_move(&mut Vec::new(), rng);
                    game.play(m);
                }
            }
            if game.payoff().is_none() {
                return game;
            }
        }
    }

    /// The field on which a player's token stands.
    pub fn field(&self, player: Player) -> u8 {
        self.fields[player]
    }

    fn next(&self, player: Player) -> Player {
        let mut next = player.next(self.player_count());
        while !self.is_in[next] {
            next = next.next(self.player_count());
        }
        next
    }
}

impl Game for Track {
    /// Number of fields the token moves.
    type Move = u8;

    const HAS_LOUD_MOVES: bool = true;
    const HAS_NULL_MOVES: bool = true;

    fn player_count(&self) -> usize {
        self.fields.len()
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn moves(&self, out: &mut Vec<u8>) {
        if self.payoff().is_none() {
            out.extend((1..=self.stride).filter(|step| self.fields[self.turn] + step <= self.length));
        }
    }

    /// A capture.
    fn is_loud(&self, m: u8) -> bool {
        let field = self.fields[self.turn] + m;
        let is_taken = |player| player != self.turn && self.is_in[player] && self.fields[player] == field;
        self.captures && Player::all(self.player_count()).any(is_taken)
    }

    /// Not on the last fields, where a step too far may be the only one left.
    fn null_move<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let is_possible = self.payoff().is_none() && self.fields[self.turn] + 3 <= self.length;
        is_possible.then(|| self.with_turn(self.next(self.turn), f))
    }

    fn play(&mut self, m: u8) {
        let mover = self.turn;
        self.fields[mover] += m;
        self.ply += 1;
        let field = self.fields[mover];
        for player in Player::all(self.player_count()) {
            if self.captures && player != mover && self.fields[player] == field {
                self.is_in[player] = false;
            }
        }
        self.turn = match field % 4 {
            0 if self.odd => mover,
            1 if self.odd => self.next(self.next(mover)),
            _ => self.next(mover),
        };
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        let count = self.player_count();
        let arrived = Player::all(count).find(|&player| self.is_in[player] && self.fields[player] == self.length);
        if let Some(winner) = arrived {
            return Some(ByPlayer::from_fn(count, |player| if player == winner { 1.0 } else { 0.0 }));
        }
        let left = self.is_in.as_slice().iter().filter(|&&is_in| is_in).count();
        let over = left == 1 || self.ply >= self.limit;
        over.then(|| self.is_in.map(|is_in| if is_in { 1.0 / left as f32 } else { 0.0 }))
    }

    fn key(&self) -> u64 {
        self.fields.iter().fold(mix(self.turn.index() as u64), |key, (player, field)| {
            mix(key ^ u64::from(field) << 1 ^ u64::from(self.is_in[player]))
        })
    }

    fn is_in(&self, player: Player) -> bool {
        self.is_in[player]
    }

    fn history_matters(&self) -> bool {
        self.limit - self.ply < 16
    }
}

impl OutOfTurn for Track {
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let turn = std::mem::replace(&mut self.turn, player);
        let result = f(self);
        self.turn = turn;
        result
    }
}

/// Scores hashed from the position, from 0 to `most`: the fewer there are, the more ties.
#[derive(Clone, Copy, Debug)]
pub struct HashedScores {
    /// The greatest score.
    pub most: Score,
    /// Other seeds give other scores.
    pub seed: u64,
}

impl<G: Game> Evaluator<G> for HashedScores {
    fn bounds(&self, game: &G) -> Bounds {
        let count = game.player_count();
        Bounds { min: ByPlayer::splat(count, 0), max_sum: self.most * count as Score }
    }

    fn evaluate(&self, game: &G) -> ByPlayer<Score> {
        let key = mix(game.key() ^ self.seed);
        let score = |player: Player| mix(key.wrapping_add(player.index() as u64)) % (self.most as u64 + 1);
        ByPlayer::from_fn(game.player_count(), |player| score(player) as Score)
    }
}

/// A move ordering hashed from the position, the stance and the move, with so few ratings that many moves tie.
#[derive(Clone, Copy, Debug)]
pub struct HashedOrder {
    /// Number of different ratings.
    pub ratings: u64,
    /// Other seeds give other orders.
    pub seed: u64,
}

impl<G: Game> MoveOrder<G> for HashedOrder {
    fn rate(&self, game: &G, stance: Stance, m: G::Move) -> i32 {
        let stance = match stance {
            Stance::Own => 0,
            Stance::Against(player) if player == game.turn() => 0,
            Stance::Against(player) => 1 + player.index() as u64,
        };
        (mix(game.key() ^ mix(self.seed ^ stance << 32) ^ u64::from(code(game.turn(), &m))) % self.ratings) as i32
    }
}
