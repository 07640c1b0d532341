//! Hearts and Spades, for three or four players.
//!
//! Both have the same position, [`Tricks`], with the points of one or the other game ([`Rules`]); everything else is the same.
//! Hands are open unless [`Options::hidden`] is set.
//!
//! ```
//! use nply::{Declaration, Game, Notation};
//! use nply_games::cards::{Hearts, Options};
//! let start = Hearts::start(3, &Options::default(), 1);
//! let small = start.read("1:AK.Q.. QJ.2.. T9.3..").unwrap();
//! let mut moves = Vec::new();
//! small.moves(&mut moves);
//! assert_eq!(moves.iter().map(|m| m.to_string()).collect::<Vec<_>>(), ["AS", "KS", "QH"]);
//! ```
//!
//! # Text
//!
//! A position is the number of the leader (from 1), a colon, and the hands in player order as
//! spades.hearts.diamonds.clubs, high to low: `1:AK.Q.. QJ.2.. T9.3..`. That is the start of a trick, unbroken, with nothing
//! taken. Words after the hands, each only where needed, add the rest:
//!
//! - `table=QS,AS`: the current trick, from the leader's card on; these cards are no longer in the hands;
//! - `taken=0,13,1`: points, or tricks, taken, by player;
//! - `lacks=-,SH,-`: suits that players have shown to lack, by player;
//! - `broken`: the suit of the game's name has been played on another suit's lead;
//! - `out=2C`: the card left out. It is omitted where 51 cards are in hands and on the table.

mod card;
mod deal;
mod eval;
mod hand;
mod hearts;
mod numbers;
mod order;
mod rules;
mod scene;
mod spades;
mod text;

use nply::numbers::Numbers;
use nply::settings::Visitor;
use nply::{BenchPosition, ByPlayer, Declaration, Evaluation, Evaluator, Game, Settings, Tally};

pub use card::{Card, Suit};
pub use eval::Eval;
pub use hand::Hand;
pub use order::Order;
pub use rules::{Rules, Tricks};

use crate::{CHANCES, bench, check_players};

/// Options of the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The suit of the game's name may not be led before a card of it has been played on another suit's lead, unless the
    /// leader holds nothing else.
    pub breaking: bool,
    /// Players see only their own cards: [`determinize`](nply::Game::determinize) deals the others anew.
    pub hidden: bool,
}

impl Settings for Options {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.flag(
            "break",
            &mut self.breaking,
            "lead the suit of the game's name only after it was played on another suit's lead",
        );
        v.flag("hidden", &mut self.hidden, "players see only their own cards");
    }
}

const PLAYERS: &[usize] = &[3, 4];
const EVALUATIONS: &[Evaluation<Tricks, Eval>] = &[Evaluation {
    name: "forecast",
    about: "points or tricks taken, and a forecast from the cards held",
    make: |_, _| Ok(Eval),
}];
const IN_TURN: &str = "who leads decides what the others may play, and a trick with a card missing means nothing";
const BENCH: &[BenchPosition] = &[bench(3, 15, [7, 9, 0, 12]), bench(4, 16, [6, 9, 0, 12])];

/// The part of the pack that has been played: the stage of both games.
fn stage(game: &Tricks) -> f64 {
    1.0 - game.held().len() as f64 / 52.0
}

/// Hearts: one point for each heart taken and 13 for the queen of spades; the fewest win.
#[derive(Clone, Copy, Debug)]
pub struct Hearts;

/// The final scores, which are exact.
const fn tally(name: &'static str) -> Tally<Tricks> {
    Tally {
        name,
        of: |game| Eval.terminal(game, &ByPlayer::splat(game.player_count(), 0.0)),
        bounds: |game| Eval.bounds(game),
        is_share: false,
    }
}

impl Declaration for Hearts {
    type Game = Tricks;
    type Options = Options;
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "hearts";
    const ABOUT: &'static str = "avoid hearts and the queen of spades; fewest points win";
    const PLAYERS: &'static [usize] = PLAYERS;
    const USUAL_PLAYERS: usize = 4;
    const EVALUATIONS: &'static [Evaluation<Tricks, Eval>] = EVALUATIONS;
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<Tricks>> = Some(Numbers::NEW);
    const TALLY: Option<Tally<Tricks>> = Some(tally("points avoided"));
    const IN_TURN: &'static str = IN_TURN;
    const BENCH: &'static [BenchPosition] = BENCH;

    fn start(players: usize, options: &Options, seed: u64) -> Tricks {
        check_players::<Hearts>(players);
        Tricks::new(Rules::Hearts, players, options, seed)
    }

    fn stage(game: &Tricks) -> f64 {
        stage(game)
    }
}

/// Spades: one point for each trick taken, and spades are trump; the most win.
#[derive(Clone, Copy, Debug)]
pub struct Spades;

impl Declaration for Spades {
    type Game = Tricks;
    type Options = Options;
    type Eval = Eval;
    type Order = Order;

    const NAME: &'static str = "spades";
    const ABOUT: &'static str = "take tricks with spades as trump; most tricks win";
    const PLAYERS: &'static [usize] = PLAYERS;
    const USUAL_PLAYERS: usize = 4;
    const EVALUATIONS: &'static [Evaluation<Tricks, Eval>] = EVALUATIONS;
    const CHANCES: &'static str = CHANCES;
    const NUMBERS: Option<Numbers<Tricks>> = Some(Numbers::NEW);
    const TALLY: Option<Tally<Tricks>> = Some(tally("tricks"));
    const IN_TURN: &'static str = IN_TURN;
    const BENCH: &'static [BenchPosition] = BENCH;

    fn start(players: usize, options: &Options, seed: u64) -> Tricks {
        check_players::<Spades>(players);
        Tricks::new(Rules::Spades, players, options, seed)
    }

    fn stage(game: &Tricks) -> f64 {
        stage(game)
    }
}
