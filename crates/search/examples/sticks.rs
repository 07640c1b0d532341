//! A game of one's own: three players take one, two or three sticks in turn; whoever takes the last one wins.
//!
//! Six methods make a game, four more give it text; then every agent plays it and the conformance test checks it.

use std::fmt;

use nply::{
    Agent, Bounds, Budget, ByPlayer, Evaluator, Game, Greedy, Notation, Player, PositionError, Random, Score, mix,
    testing,
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

impl Notation for Sticks {
    const MOVE_FORM: &'static str = "a number of sticks from 1 to 3";

    fn to_text(&self) -> String {
        format!("{} {}", self.left, self.turn)
    }

    fn read(&self, text: &str) -> Result<Sticks, PositionError> {
        let read = || {
            let (left, turn) = text.split_once(' ')?;
            let turn: usize = turn.parse().ok().filter(|turn| (1..=3).contains(turn))?;
            Some(Sticks { left: left.parse().ok()?, turn: Player::new(turn - 1) })
        };
        read().ok_or_else(|| PositionError::new(text, 0, "the sticks left and whose turn it is"))
    }

    fn move_to_text(&self, m: u32) -> String {
        m.to_string()
    }
}

impl fmt::Display for Sticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", "|".repeat(self.left as usize))
    }
}

/// Nobody knows who is ahead until the game is over.
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
    let start = Sticks { left: 21, turn: Player::new(0) };
    testing::check_game(&start, 100);
    let mut agents: [Box<dyn Agent<Sticks>>; 3] =
        [Box::new(Greedy::new(Even, 1)), Box::new(Random::new(2)), Box::new(Random::new(3))];
    let mut game = start;
    while game.payoff().is_none() {
        let decision = agents[game.turn().index()].choose(&game, &Budget::depth(1));
        println!("{game}player {} takes {}", game.turn(), decision.m);
        game.play(decision.m);
    }
}
