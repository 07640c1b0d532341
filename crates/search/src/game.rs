//! What a game is: [`Game`], and what only some games have: [`OutOfTurn`], [`Notation`].

use std::fmt::{Debug, Display};
use std::hash::Hash;

use thiserror::Error;

use crate::scene::{Clicks, Scene};
use crate::{ByPlayer, Player, Rng};

/// A position in a game for two or more players who move one at a time.
///
/// A position is a game: six methods are required, everything else has a default. The [crate documentation](crate) has a
/// complete example; [`check_game`](crate::testing::check_game) tests any implementation.
pub trait Game: Clone + Send + Sync {
    /// A move. Small and cheap to copy.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// Whether some moves are [loud](Game::is_loud).
    const HAS_LOUD_MOVES: bool = false;
    /// Whether some positions allow a [null move](Game::null_move).
    const HAS_NULL_MOVES: bool = false;

    /// Number of players, the same from the start to the end.
    fn player_count(&self) -> usize;

    /// The player to move.
    fn turn(&self) -> Player;

    /// Appends the legal moves of the player to move: at least one unless the game is over (a stuck player's pass is a
    /// move), none if it is over.
    ///
    /// Their order breaks the ties of every [`MoveOrder`](crate::MoveOrder): the byte order of the notation, unless the game
    /// documents another.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Appends the legal moves like [`moves`](Game::moves), without those that are equivalent to an earlier one. Tree searches
    /// use these. The default appends all.
    ///
    /// Two moves are equivalent if the games after them are equal except for names, such as those of neighboring cards in
    /// one hand, which no rule, evaluation or ordering distinguishes.
    #[inline]
    fn distinct(&self, out: &mut Vec<Self::Move>) {
        self.moves(out);
    }

    /// Whether a move that is legal in some position of this game is legal in this one; `None` if that takes listing all
    /// moves, as by default. A game in which some legal moves are not [distinct](Game::distinct) leaves it at that.
    #[inline]
    fn allows(&self, _m: Self::Move) -> Option<bool> {
        None
    }

    /// Whether the player to move has a single [distinct](Game::distinct) move. The default lists them; override it where that is not
    /// necessary, if moves are [allowed](Game::allows) without a list.
    #[inline]
    fn is_forced(&self, scratch: &mut Vec<Self::Move>) -> bool {
        scratch.clear();
        self.distinct(scratch);
        scratch.len() == 1
    }

    /// Whether a legal move changes so much, such as by a capture, that a position should not be judged before the answers to it.
    /// Quiescence search looks at these moves only.
    #[inline]
    fn is_loud(&self, _m: Self::Move) -> bool {
        false
    }

    /// Appends the [distinct](Game::distinct) moves that are [loud](Game::is_loud), in the same order. Override it where that is
    /// faster than listing all.
    #[inline]
    fn loud(&self, out: &mut Vec<Self::Move>) {
        let start = out.len();
        self.distinct(out);
        let mut kept = start;
        for at in start..out.len() {
            if self.is_loud(out[at]) {
                out[kept] = out[at];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// Calls `f` with the position in which the player to move has passed, though the rules do not allow it, and takes that
    /// back. `None` where the player to move may be better off without a move (*zugzwang*), as it always is by default.
    #[inline]
    fn null_move<R>(&mut self, _f: impl FnOnce(&mut Self) -> R) -> Option<R> {
        None
    }

    /// Plays a legal move.
    fn play(&mut self, m: Self::Move);

    /// Each player's share of the win, or `None` while the game is not over. Shares sum to 1.
    fn payoff(&self) -> Option<ByPlayer<f32>>;

    /// Zobrist key of the position: of everything that decides what can happen from here, but not of the number of plies
    /// played (see [`history_matters`](Game::history_matters)).
    fn key(&self) -> u64;

    /// Plays `m`, calls `f` on the child, takes `m` back. The default copies; a large position plays in place and undoes.
    #[inline]
    fn visit<R>(&mut self, m: Self::Move, f: impl FnOnce(&mut Self) -> R) -> R {
        let mut child = self.clone();
        child.play(m);
        f(&mut child)
    }

    /// A legal move of a game that is not over, uniformly at random. Override it where that does not take listing all
    /// moves.
    #[inline]
    fn random_move(&self, scratch: &mut Vec<Self::Move>, rng: &mut Rng) -> Self::Move {
        scratch.clear();
        self.moves(scratch);
        rng.pick(scratch)
    }

    /// A legal move of a game that is not over, for random playouts: every move is possible, but not always with the same
    /// probability. Override it where that is much faster than [`random_move`](Game::random_move).
    #[inline]
    fn playout_move(&self, scratch: &mut Vec<Self::Move>, rng: &mut Rng) -> Self::Move {
        self.random_move(scratch, rng)
    }

    /// Plays without updating the key, for playouts.
    #[inline]
    fn play_unkeyed(&mut self, m: Self::Move) {
        self.play(m);
    }

    /// Whether `player` still takes part: not once a player is eliminated while the others go on.
    #[inline]
    fn is_in(&self, _player: Player) -> bool {
        true
    }

    /// Raw points, where the game counts them (cards, discs).
    fn points(&self) -> Option<ByPlayer<f32>> {
        None
    }

    /// Whether the result may depend on how the position arose, because a repetition or a limit is near. Searches then skip
    /// the transposition table.
    #[inline]
    fn history_matters(&self) -> bool {
        false
    }

    /// A key of what [`key`](Game::key) leaves out and can decide the result: the number of plies where there is a limit, earlier
    /// positions where repetitions count. `None` if there is no such key, as by default wherever history matters.
    fn history_key(&self) -> Option<u64> {
        if self.history_matters() { None } else { Some(0) }
    }

    /// A random position that `observer` cannot tell from this one. With perfect information that is this one. What the
    /// observer knows stays the same.
    fn determinize(&self, _observer: Player, _rng: &mut Rng) -> Self {
        self.clone()
    }
}

/// A game in which the turn can be handed to any player, as Best-Reply Search does.
///
/// Games where that makes no sense do not implement it, so Best-Reply Search on Hearts does not compile.
pub trait OutOfTurn: Game {
    /// Hands the turn to `player`, calls `f`, and hands it back.
    ///
    /// Nobody is eliminated, nothing lapses, nothing is recorded. The key changes unless it was that player's turn. A player
    /// who then has no legal move has a pass.
    fn with_turn<R>(&mut self, player: Player, f: impl FnOnce(&mut Self) -> R) -> R;
}

/// Text for positions and moves.
///
/// `Display` draws the position for people, in several lines; the alternate form `{:#}` adds terminal colors.
pub trait Notation: Game + Display {
    /// How moves are written, for messages: "a field, `d3`; a pass is `-`".
    const MOVE_FORM: &'static str;

    /// The complete position in one line.
    fn to_text(&self) -> String;

    /// Reads what [`to_text`](Notation::to_text) writes.
    ///
    /// It is a method of a start position, which knows the players and options. It rebuilds the key from scratch.
    fn read(&self, text: &str) -> Result<Self, PositionError>;

    /// How the position looks to these players together: what is hidden from all of them is left out. `None`, the default, if the
    /// game has no scene and is played by text.
    fn scene(&self, _viewers: &[Player]) -> Option<Scene> {
        None
    }

    /// What a person clicks in the [`scene`](Notation::scene) to make a legal move. Moves with the same clicks have different
    /// choices. In a game without a scene there is nothing to click.
    fn clicks(&self, _m: Self::Move) -> Clicks {
        Clicks::default()
    }

    /// The picture that these players together may see, with colors or without: the [`scene`](Notation::scene) in characters or,
    /// in a game without one, the whole picture.
    fn picture_for(&self, players: &[Player], color: bool) -> String {
        match self.scene(players) {
            Some(scene) if color => format!("{scene:#}"),
            Some(scene) => scene.to_string(),
            None if color => format!("{self:#}"),
            None => self.to_string(),
        }
    }

    /// A move of this position as text.
    fn move_to_text(&self, m: Self::Move) -> String;

    /// The legal move that a text means.
    fn move_from_text(&self, text: &str) -> Result<Self::Move, MoveError> {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        let texts: Vec<String> = moves.iter().map(|&m| self.move_to_text(m)).collect();
        match texts.iter().position(|t| t == text) {
            Some(found) => Ok(moves[found]),
            None if texts.is_empty() => Err(MoveError::Over { text: text.into() }),
            None => Err(MoveError::NotLegal { text: text.into(), form: Self::MOVE_FORM, legal: texts }),
        }
    }
}

/// The shares of the win where the highest score wins and ties share.
///
/// ```
/// use nply::{ByPlayer, shares};
/// assert_eq!(shares(&ByPlayer::from_slice(&[3, 7, 7])), ByPlayer::from_slice(&[0.0, 0.5, 0.5]));
/// ```
pub fn shares<T: Copy + Default + PartialOrd>(points: &ByPlayer<T>) -> ByPlayer<f32> {
    let mut most = points[Player::new(0)];
    for &value in points.as_slice() {
        if value > most {
            most = value;
        }
    }
    let winners = points.as_slice().iter().filter(|&&value| value == most).count();
    points.map(|value| if value == most { 1.0 / winners as f32 } else { 0.0 })
}

/// A text that is not a position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no such position: expected {expected} at character {}, found {}", self.character(), self.found())]
pub struct PositionError {
    /// The whole text.
    pub text: String,
    /// Byte offset of the error.
    pub at: usize,
    /// What would be right there.
    pub expected: String,
}

impl PositionError {
    /// The text is wrong at byte `at`, where `expected` would be right.
    pub fn new(text: &str, at: usize, expected: impl Into<String>) -> PositionError {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        PositionError { text: text.into(), at, expected: expected.into() }
    }

    /// The same, where `part` is a slice of `text`.
    pub fn at(text: &str, part: &str, expected: impl Into<String>) -> PositionError {
        let offset = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
        PositionError::new(text, offset.unwrap_or(0), expected)
    }

    fn character(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    fn found(&self) -> String {
        let rest = &self.text[self.at..];
        if rest.is_empty() { "the end".into() } else { shortened(rest) }
    }
}

/// The beginning of a text, quoted, for messages.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(20) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A text that is not a move of a position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The game has ended.
    #[error("no move {}: the game is over", shortened(text))]
    Over {
        /// The offending text.
        text: String,
    },
    /// Not one of the legal moves.
    #[error("no legal move {} here: a move is {form}; {}", shortened(text), legal_moves(legal))]
    NotLegal {
        /// The offending text.
        text: String,
        /// How moves are written.
        form: &'static str,
        /// The moves that are legal.
        legal: Vec<String>,
    },
}

fn legal_moves(legal: &[String]) -> String {
    match legal {
        [one] => format!("only {one} is legal"),
        few if few.len() <= 20 => format!("legal are {}", few.join(" ")),
        many => format!("{} moves are legal, among them {}", many.len(), many[..10].join(" ")),
    }
}
