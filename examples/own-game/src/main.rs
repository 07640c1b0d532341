//! A game of your own in the whole command: `cargo run -- tournament sticks --agents "maxn brs random" --games 12 --depth 6`, or
//! `cargo run -- serve` for the page.
//!
//! Sticks: the players take one to three sticks in turn, and whoever takes the last one wins.

use std::fmt;
use std::process::ExitCode;

use nply::{
    AsListed, Bounds, ByPlayer, Declaration, Evaluation, Evaluator, Game, Notation, OutOfTurn, Player, PositionError,
    Score, mix,
};
use nply_arena::Registry;

#[derive(Clone)]
struct Sticks {
    left: u32,
    players: usize,
    turn: Player,
}

impl Game for Sticks {
    type Move = u32;

    fn player_count(&self) -> usize {
        self.players
    }

    fn turn(&self) -> Player {
        self.turn
    }

    fn moves(&self, out: &mut Vec<u32>) {
        out.extend(1..=self.left.min(3));
    }

    fn play(&mut self, m: u32) {
        self.left -= m;
        self.turn = self.turn.next(self.players);
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        // The player before the one to move took the last stick.
        let share = |player: Player| if player.next(self.players) == self.turn { 1.0 } else { 0.0 };
        (self.left == 0).then(|| ByPlayer::from_fn(self.players, share))
    }

    fn key(&self) -> u64 {
        mix(u64::from(self.left) * 8 + self.turn.index() as u64)
    }
}

impl OutOfTurn for Sticks {
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R {
        f(&mut Sticks { turn: player, ..self.clone() })
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
            let turn: usize = turn.parse().ok().filter(|turn| (1..=self.players).contains(turn))?;
            Some(Sticks { left: left.parse().ok()?, turn: Player::new(turn - 1), ..self.clone() })
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
    fn bounds(&self, game: &Sticks) -> Bounds {
        Bounds { min: ByPlayer::splat(game.players, 0), max_sum: game.players as Score }
    }

    fn evaluate(&self, game: &Sticks) -> ByPlayer<Score> {
        ByPlayer::splat(game.players, 1)
    }
}

impl Declaration for Sticks {
    type Game = Sticks;
    type Options = ();
    type Eval = Even;
    type Order = AsListed;
    const NAME: &'static str = "sticks";
    const ABOUT: &'static str = "take one to three sticks; whoever takes the last one wins";
    const PLAYERS: &'static [usize] = &[2, 3, 4];
    const USUAL_PLAYERS: usize = 3;
    const EVALUATIONS: &'static [Evaluation<Sticks, Even>] =
        &[Evaluation { name: "even", about: "all players alike", make: |_, _| Ok(Even) }];

    fn start(players: usize, _: &(), _seed: u64) -> Sticks {
        Sticks { left: 21, players, turn: Player::new(0) }
    }
}

fn main() -> ExitCode {
    nply_cli::run(Registry::standard().game_out_of_turn::<Sticks>())
}
