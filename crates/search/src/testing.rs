//! Tests for any game and evaluation, and the plain versions that fast searches are compared with.
//!
//! [`check_game`] tests any implementation of [`Game`], [`check_notation`] one with text, [`check_text`] its readers against
//! damaged text, [`check_out_of_turn`] moves out of turn, [`check_numbers`] planes and numbers of moves, [`check_bounds`] an
//! evaluation, [`check_judge`] how it judges moves that are not played, and [`check_threads`] every search with several threads.
//!
//! ```
//! use nply::{Tree, testing};
//! let tree: Tree = "(1 5,4,1 (2 4,6,0 0,5,5))".parse().unwrap();
//! testing::check_notation(&tree, 10);
//! assert_eq!(testing::perft(&mut tree.clone(), 2), 2);
//! ```

mod bounds;
mod brs;
mod grams;
mod halving;
mod implicit;
mod judge;
mod maxn;
mod means;
mod numbers;
mod opps;
mod outcomes;
mod paranoid;
mod plain;
mod ppa;
mod prob_maxn;
mod quiet;
mod reward;
mod scene;
mod selection;
mod simulated;
mod soft_maxn;
mod text;
mod threads;
mod track;
mod trees;
mod uniform;

use std::collections::HashSet;
use std::fmt::Write;

use crate::{Game, Notation, OutOfTurn, Player, Rng, mix};

pub use bounds::check_bounds;
pub use brs::{plain_brs, plain_brs_plus, plain_one_leaves};
pub use grams::PlainGrams;
pub use halving::plain_halving;
pub use implicit::PlainImplicit;
pub use judge::{Played, check_judge};
pub use maxn::plain_maxn;
pub use means::{PlainMeans, plain_leaf, plain_worth};
pub use numbers::check_numbers;
pub use opps::plain_opps;
pub use outcomes::{Outcome, plain_outcomes};
pub use paranoid::plain_paranoid;
pub use plain::{Plain, plain_moves};
pub use ppa::{PlainChoice, PlainWeights};
pub use prob_maxn::{PlainProb, Stored};
pub use quiet::plain_quiet;
pub use reward::plain_reward;
pub use scene::check_scene;
pub use selection::{plain_grave, plain_oma, plain_prior, plain_uct, plain_widening, plain_wilson};
pub use simulated::PlainGame;
pub use soft_maxn::plain_soft_maxn;
pub use text::{check_error, check_text, mangle};
pub use threads::{check_threads, check_threads_out_of_turn};
pub use track::{HashedOrder, HashedScores, Track};
pub use trees::{Shape, random_tree};
pub use uniform::{AllEqual, Uniform};

/// Counts the sequences of exactly `depth` moves.
pub fn perft<G: Game>(game: &mut G, depth: u32) -> u64 {
    let mut buffers = vec![Vec::new(); depth as usize];
    perft_with(game, &mut buffers)
}

/// `buffers` has one for each remaining ply.
fn perft_with<G: Game>(game: &mut G, buffers: &mut [Vec<G::Move>]) -> u64 {
    let Some((moves, rest)) = buffers.split_first_mut() else { return 1 };
    moves.clear();
    game.moves(moves);
    // The last ply need not be played: each legal move leads to one position.
    if rest.is_empty() {
        return moves.len() as u64;
    }
    moves.iter().map(|&m| game.visit(m, |child| perft_with(child, rest))).sum()
}

/// [`perft`], split by the first move.
pub fn divide<G: Game>(game: &mut G, depth: u32) -> Vec<(G::Move, u64)> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.iter().map(|&m| (m, game.visit(m, |child| perft(child, depth.saturating_sub(1))))).collect()
}

/// [`perft`] in the plainest way: every position is copied, every move played.
pub fn plain_perft<G: Game>(game: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let child = |&m: &G::Move| {
        let mut child = game.clone();
        child.play(m);
        plain_perft(&child, depth - 1)
    };
    moves.iter().map(child).sum()
}

/// Plays `games` random games from a start position and checks at every position what every [`Game`] promises.
///
/// A move exists unless the game is over; moves are distinct; shares sum to 1; [`visit`](Game::visit) shows the child that
/// [`play`](Game::play) makes and restores everything; playing without the key differs in nothing else; a random move is
/// legal; what a player is shown of a position allows the same moves; loud moves are listed as such; a null move hands the turn to
/// another player, changes the key, and is taken back.
///
/// Games with text are better checked by [`check_notation`], which includes all of this.
///
/// # Panics
/// If any of it does not hold, with the moves that lead there.
pub fn check_game<G: Game>(start: &G, games: u64) {
    for seed in 0..games {
        random_game(start, seed, |game, context| check_position(game, seed, |_| String::new(), context));
    }
}

/// What [`check_game`] does, for a game with text: in addition, the text of a position is one line and reads back, with a rebuilt
/// key equal to the incremental one, the texts of moves are distinct and read back, and whatever restores or plays a position
/// restores or plays its text.
///
/// # Panics
/// If any of it does not hold, with the moves that lead there.
pub fn check_notation<G: Notation>(start: &G, games: u64) {
    for seed in 0..games {
        random_game(start, seed, |game, context| {
            check_position(game, seed, G::to_text, context);
            let image = Image::of(game, G::to_text);
            assert!(!image.text.contains('\n'), "the text is one line; {}", context());
            let read = start.read(&image.text).unwrap_or_else(|error| panic!("{error}; {}", context()));
            assert_eq!(Image::of(&read, G::to_text), image, "the text reads back; {}", context());
            let texts: HashSet<String> = image.moves.iter().map(|&m| game.move_to_text(m)).collect();
            assert_eq!(texts.len(), image.moves.len(), "the texts of moves are distinct; {}", context());
            // One move of each position, others in other games.
            if !image.moves.is_empty() {
                let m = Rng::new(mix(game.key() ^ mix(seed))).pick(&image.moves);
                let text = game.move_to_text(m);
                assert_eq!(game.move_from_text(&text), Ok(m), "{text} reads back; {}", context());
            }
        });
    }
}

/// Plays `games` random games and checks that [`with_turn`](OutOfTurn::with_turn) hands the turn to every player who is in, who
/// then has at least one move, and restores everything.
///
/// # Panics
/// If any of it does not hold, with the moves that lead there.
pub fn check_out_of_turn<G: OutOfTurn>(start: &G, games: u64) {
    for seed in 0..games {
        random_game(start, seed, |game, context| {
            if game.payoff().is_some() {
                return;
            }
            let image = |game: &G| Image::of(game, |_| String::new());
            let before = image(game);
            let mut position = game.clone();
            for player in Player::all(game.player_count()).filter(|&player| game.is_in(player)) {
                let handed = position.with_turn(player, |handed| image(handed));
                assert_eq!(handed.turn, player, "with_turn hands over the turn; {}", context());
                assert_eq!(
                    handed.key == before.key,
                    player == before.turn,
                    "the key depends on whose turn it is; {}",
                    context()
                );
                assert!(!handed.moves.is_empty(), "player {player} has at least a pass out of turn; {}", context());
                assert_eq!(image(&position), before, "with_turn restores the position; {}", context());
            }
        });
    }
}

/// One random game as text: every position with its picture, the number of legal moves, and the move played. Kept in files, such
/// records show any change of the rules as a readable difference.
pub fn playthrough<G: Notation>(start: &G, seed: u64) -> String {
    let mut out = String::new();
    let (mut game, mut rng, mut moves) = (start.clone(), Rng::new(seed), Vec::new());
    for ply in 0.. {
        moves.clear();
        game.moves(&mut moves);
        let picture = format!("{game}");
        writeln!(out, "ply {ply}: {}\n{}", game.to_text(), picture.trim_end()).unwrap();
        if let Some(payoff) = game.payoff() {
            writeln!(out, "over: {:?}", payoff.as_slice()).unwrap();
            break;
        }
        let m = rng.pick(&moves);
        writeln!(out, "player {} plays {}, one of {}\n", game.turn(), game.move_to_text(m), moves.len()).unwrap();
        game.play(m);
    }
    out
}

/// Everything that can be seen of a position.
#[derive(Debug, PartialEq)]
struct Image<M> {
    text: String,
    key: u64,
    turn: Player,
    moves: Vec<M>,
    payoff: Option<Vec<f32>>,
    points: Option<Vec<f32>>,
    history_matters: bool,
}

impl<M> Image<M> {
    fn of<G: Game<Move = M>>(game: &G, to_text: impl Fn(&G) -> String) -> Image<M> {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        Image {
            text: to_text(game),
            key: game.key(),
            turn: game.turn(),
            moves,
            payoff: game.payoff().map(|payoff| payoff.as_slice().to_vec()),
            points: game.points().map(|points| points.as_slice().to_vec()),
            history_matters: game.history_matters(),
        }
    }
}

/// Plays one random game and shows every position of it, including the last.
fn random_game<G: Game>(start: &G, seed: u64, mut see: impl FnMut(&G, &dyn Fn() -> String)) {
    let mut game = start.clone();
    let mut rng = Rng::new(mix(seed));
    let (mut line, mut moves) = (Vec::new(), Vec::new());
    loop {
        see(&game, &|| format!("game {seed}, after {line:?}"));
        if game.payoff().is_some() {
            return;
        }
        moves.clear();
        game.moves(&mut moves);
        let m = rng.pick(&moves);
        line.push(m);
        game.play(m);
    }
}

fn check_position<G: Game>(game: &G, seed: u64, to_text: impl Fn(&G) -> String, context: &dyn Fn() -> String) {
    let of = |game: &G| Image::of(game, &to_text);
    let image = of(game);
    let count = game.player_count();
    assert!((2..=crate::MAX_PLAYERS).contains(&count), "{count} players; {}", context());
    assert!(game.turn().index() < count, "the turn is a player's; {}", context());

    // The end.
    assert_eq!(image.moves.is_empty(), image.payoff.is_some(), "moves exist unless the game is over; {}", context());
    if let Some(shares) = &image.payoff {
        assert_eq!(shares.len(), count, "one share per player; {}", context());
        let sum: f32 = shares.iter().sum();
        assert!((sum - 1.0).abs() < 1e-5, "shares sum to {sum}; {}", context());
        assert!(shares.iter().all(|&share| share >= 0.0), "no share is negative; {}", context());
        return;
    }

    // Moves: a few of each position, others in other games.
    let moves = &image.moves;
    assert_eq!(moves.iter().collect::<HashSet<_>>().len(), moves.len(), "moves are distinct; {}", context());
    let mut rng = Rng::new(mix(game.key() ^ mix(seed)));
    let mut position = game.clone();
    for _ in 0..2 {
        let m = rng.pick(moves);
        let mut played = game.clone();
        played.play(m);
        let child = of(&played);
        for (position, legal) in [(game, moves), (&played, &child.moves)] {
            let answers = moves.iter().filter(|&&other| position.allows(other).is_some()).count();
            assert!(
                [0, moves.len()].contains(&answers),
                "it is known of all moves whether they are allowed, or of none; {}",
                context()
            );
            let mut distinct = Vec::new();
            position.distinct(&mut distinct);
            let is_forced = position.is_forced(&mut Vec::new());
            assert_eq!(is_forced, distinct.len() == 1, "whether there is a single move; {}", context());
            assert!(
                answers == 0 || distinct.len() == legal.len(),
                "moves that are allowed are distinct; {}",
                context()
            );
            for other in moves.iter().filter(|&&other| position.allows(other).is_some()) {
                let (allowed, listed) = (position.allows(*other), legal.contains(other));
                assert_eq!(allowed, Some(listed), "{other:?} is allowed if it is listed, {m:?}; {}", context());
            }
        }
        let visited = position.visit(m, |child| of(child));
        assert_eq!(visited, child, "visit shows what play makes of {m:?}; {}", context());
        assert_eq!(of(&position), image, "visit takes {m:?} back; {}", context());
        let mut unkeyed = game.clone();
        unkeyed.play_unkeyed(m);
        let unkeyed = Image { key: child.key, ..of(&unkeyed) };
        assert_eq!(unkeyed, child, "playing {m:?} without the key differs in nothing else; {}", context());
    }
    let (mut distinct, mut loud) = (Vec::new(), Vec::new());
    game.distinct(&mut distinct);
    game.loud(&mut loud);
    distinct.retain(|&m| game.is_loud(m));
    assert_eq!(loud, distinct, "loud moves are listed as such; {}", context());
    assert!(G::HAS_LOUD_MOVES || loud.is_empty(), "the game has loud moves; {}", context());
    if let Some((turn, key, is_over)) =
        position.null_move(|passed| (passed.turn(), passed.key(), passed.payoff().is_some()))
    {
        assert!(G::HAS_NULL_MOVES && !is_over, "the game has null moves, and goes on; {}", context());
        assert!(turn != image.turn && key != image.key, "a null move hands over the turn; {}", context());
        assert_eq!(of(&position), image, "a null move is taken back; {}", context());
    }
    let mut scratch = Vec::new();
    for random in [game.random_move(&mut scratch, &mut rng), game.playout_move(&mut scratch, &mut rng)] {
        assert!(moves.contains(&random), "the random move {random:?} is legal; {}", context());
    }
    let mut seen = Vec::new();
    game.determinize(game.turn(), &mut rng).moves(&mut seen);
    assert_eq!(seen, *moves, "the mover knows the legal moves; {}", context());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ByPlayer;

    /// A track whose `visit` forgets to take back the turn.
    #[derive(Clone)]
    struct Forgetful(Track);

    impl Game for Forgetful {
        type Move = u8;

        fn player_count(&self) -> usize {
            self.0.player_count()
        }

        fn turn(&self) -> Player {
            self.0.turn()
        }

        fn moves(&self, out: &mut Vec<u8>) {
            self.0.moves(out);
        }

        fn play(&mut self, m: u8) {
            self.0.play(m);
        }

        fn payoff(&self) -> Option<ByPlayer<f32>> {
            self.0.payoff()
        }

        fn key(&self) -> u64 {
            self.0.key()
        }

        fn visit<R>(&mut self, m: u8, f: impl FnOnce(&mut Forgetful) -> R) -> R {
            let mut child = self.clone();
            child.play(m);
            let result = f(&mut child);
            self.0 = self.0.with_turn(child.turn(), |game| game.clone());
            result
        }
    }

    #[test]
    fn a_game_without_text_is_checked() {
        for players in 2..=6 {
            let mut track = Track::new(players, 3);
            track.odd = true;
            check_game(&track, 100);
            check_out_of_turn(&track, 100);
        }
    }

    #[test]
    #[should_panic(expected = "takes 2 back; game 0, after []")]
    fn a_visit_that_does_not_restore_the_position_is_found() {
        check_game(&Forgetful(Track::new(3, 3)), 1);
    }
}
