//! A game of your own: three players take one, two or three sticks in turn, and whoever takes
//! the last one wins.
//!
//! Six methods make a game and two an evaluation; then every agent plays it. `OutOfTurn` is what
//! Best-Reply Search needs in addition.

use nply::testing::{check_game, check_out_of_turn};
use nply::{
    Agent, AsListed, Bounds, Brs, Budget, ByPlayer, Evaluator, Game, Maxn, OutOfTurn, Paranoid, Player, Score, mix,
};

#[derive(Clone)]
struct Sticks {
    left: u32,
    turn: Player,
}

impl Game for Sticks {
    type Move = u32;

    fn player_count(&self) -> usize {
        3
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn moves(&self, out: &mut Vec<u32>) {
        out.extend(1..=self.left.min(3));
    }

    fn play(&mut self, m: u32) {
        self.left -= m;
        self.turn = self.turn.next(3);
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        // The player before the one to move took the last stick.
        (self.left == 0).then(|| ByPlayer::from_fn(3, |player| if player.next(3) == self.turn { 1.0 } else { 0.0 }))
    }

    fn key(&self) -> u64 {
        mix(u64::from(self.left) * 3 + self.turn.index() as u64)
    }
}

impl OutOfTurn for Sticks {
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        let turn = std::mem::replace(&mut self.turn, player);
        let result = f(self);
        self.turn = turn;
        result
    }
}

/// Nobody is ahead until the game is over; then the winner has all three points.
#[derive(Clone)]
struct Even;

impl Evaluator<Sticks> for Even {
    fn bounds(&self, _: &Sticks) -> Bounds {
        Bounds { min: ByPlayer::splat(3, 0), max_sum: 3 }
    }

    fn evaluate(&self, _: &Sticks) -> ByPlayer<Score> {
        ByPlayer::splat(3, 1)
    }
}

fn main() {
    // The conformance tests that every game should pass.
    let mut game = Sticks { left: 12, turn: Player::new(0) };
    check_game(&game, 100);
    check_out_of_turn(&game, 100);

    // Max^n searches to the end of the game: the first player wins by taking two.
    let decision = Maxn::new(Even, AsListed).choose(&game, &Budget::default());
    assert_eq!((decision.m, decision.value), (2, Some(3.0)));

    // A game between three searches.
    let mut agents: [Box<dyn Agent<Sticks>>; 3] = [
        Box::new(Maxn::new(Even, AsListed)),
        Box::new(Paranoid::new(Even, AsListed)),
        Box::new(Brs::new(Even, AsListed)),
    ];
    while game.payoff().is_none() {
        let decision = agents[game.turn().index()].choose(&game, &Budget::nodes(10_000));
        println!("{:12} player {} takes {}", "|".repeat(game.left as usize), game.turn(), decision.m);
        game.play(decision.m);
    }
}
