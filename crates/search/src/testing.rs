//! Tests that any game can call, and the simple versions that fast ones are compared with.
//!
//! ```
//! use nply::{Tree, testing};
//! let tree: Tree = "(1 5,4,1 (2 4,6,0 0,5,5))".parse().unwrap();
//! testing::check_game(&tree, 10);
//! assert_eq!(testing::perft(&mut tree.clone(), 2), 2);
//! ```

mod bounds;
mod brs;
mod maxn;
mod paranoid;
mod plain;
mod text;
mod track;
mod trees;
mod uniform;

use std::collections::HashSet;
use std::fmt::Write;

use crate::{Game, Notation, OutOfTurn, Player, Rng, mix};

pub use bounds::check_bounds;
pub use brs::{plain_brs, plain_brs_plus, plain_one_leaves};
pub use maxn::plain_maxn;
pub use paranoid::plain_paranoid;
pub use plain::{Plain, plain_moves};
pub use text::{check_error, check_text, mangle};
pub use track::{HashedOrder, HashedScores, Track};
pub use trees::{Shape, random_tree};
pub use uniform::{AllEqual, Uniform};

/// Counts the positions reached by exactly `depth` plies, one per sequence of moves.
pub fn perft<G: Game>(game: &mut G, depth: u32) -> u64 {
    let mut buffers = vec![Vec::new(); depth as usize];
    perft_with(game, &mut buffers)
}

/// One buffer of moves for each ply still to go.
fn perft_with<G: Game>(game: &mut G, buffers: &mut [Vec<G::Move>]) -> u64 {
    let Some((moves, rest)) = buffers.split_first_mut() else { return 1 };
    moves.clear();
    game.moves(moves);
    // The last ply need not be played: each legal move makes one position.
    if rest.is_empty() {
        return moves.len() as u64;
    }
    moves.iter().map(|&m| game.visit(m, |child| perft_with(child, rest))).sum()
}

/// Perft, split by the first move.
pub fn divide<G: Game>(game: &mut G, depth: u32) -> Vec<(G::Move, u64)> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves.iter().map(|&m| (m, game.visit(m, |child| perft(child, depth.saturating_sub(1))))).collect()
}

/// Perft as the rules define it, with nothing clever: every position is copied, every move played.
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

/// Plays `games` random games from a start position and checks at every position what every game promises.
///
/// A move exists unless the game is over; shares sum to 1; moves are distinct and read back; the position's text is one line and
/// reads back, with the key rebuilt equal to the one kept; [`visit`](Game::visit) shows the child that
/// [`play`](Game::play) makes and restores everything; playing without the key differs in nothing else; a random move is
/// legal; what a player is shown of a position allows the same moves.
///
/// # Panics
/// If any of it does not hold, with the moves that lead there.
pub fn check_game<G: Notation>(start: &G, games: u64) {
    for seed in 0..games {
        random_game(start, seed, |game, context| check_position(start, game, seed, context));
    }
}

/// What [`check_game`] does for a game that can hand the turn to anybody: besides, [`with_turn`](OutOfTurn::with_turn) shows
/// that player to move with at least one move, and restores everything.
///
/// # Panics
/// If any of it does not hold, with the moves that lead there.
pub fn check_out_of_turn<G: Notation + OutOfTurn>(start: &G, games: u64) {
    for seed in 0..games {
        random_game(start, seed, |game, context| {
            if game.payoff().is_some() {
                return;
            }
            let before = Image::of(game);
            let mut position = game.clone();
            for player in Player::all(game.player_count()).filter(|&player| game.is_in(player)) {
                let (turn, key, moves) = position.with_turn(player, |handed| {
                    let image = Image::of(handed);
                    (handed.turn(), handed.key(), image.moves)
                });
                assert_eq!(turn, player, "with_turn hands over the turn; {}", context());
                assert_eq!(key == before.key, player == before.turn, "the key tells whose turn it is; {}", context());
                assert!(!moves.is_empty(), "player {player} has at least a pass out of turn; {}", context());
                assert_eq!(Image::of(&position), before, "with_turn restores the position; {}", context());
            }
        });
    }
}

/// One random game as text: every position drawn, its legal moves counted, and the move played. As files, such records show any
/// change of the rules as a readable difference.
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
}

impl<M> Image<M> {
    fn of<G: Notation<Move = M>>(game: &G) -> Image<M> {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        Image {
            text: game.to_text(),
            key: game.key(),
            turn: game.turn(),
            moves,
            payoff: game.payoff().map(|payoff| payoff.as_slice().to_vec()),
            points: game.points().map(|points| points.as_slice().to_vec()),
        }
    }
}

/// Plays one random game and shows every position of it, the last included.
fn random_game<G: Notation>(start: &G, seed: u64, mut see: impl FnMut(&G, &dyn Fn() -> String)) {
    let mut game = start.clone();
    let mut rng = Rng::new(mix(seed));
    let mut line: Vec<String> = Vec::new();
    let mut moves = Vec::new();
    loop {
        see(&game, &|| format!("start {:?}, moves {:?}", start.to_text(), line.join(" ")));
        if game.payoff().is_some() {
            return;
        }
        moves.clear();
        game.moves(&mut moves);
        let m = rng.pick(&moves);
        line.push(game.move_to_text(m));
        game.play(m);
    }
}

fn check_position<G: Notation>(start: &G, game: &G, seed: u64, context: &dyn Fn() -> String) {
    let image = Image::of(game);
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
    }

    // Text.
    assert!(!image.text.contains('\n'), "the text is one line; {}", context());
    let read = start.read(&image.text).unwrap_or_else(|error| panic!("{error}; {}", context()));
    assert_eq!(Image::of(&read), image, "the text reads back; {}", context());
    let moves = &image.moves;
    let distinct: HashSet<String> = moves.iter().map(|&m| game.move_to_text(m)).collect();
    assert_eq!(distinct.len(), moves.len(), "moves are distinct; {}", context());
    if moves.is_empty() {
        return;
    }

    // Moves: a few of each position, others in other games.
    let mut rng = Rng::new(mix(game.key() ^ mix(seed)));
    let mut position = game.clone();
    for _ in 0..2 {
        let m = rng.pick(moves);
        let text = game.move_to_text(m);
        assert_eq!(game.move_from_text(&text), Ok(m), "{text} reads back; {}", context());
        let mut played = game.clone();
        played.play(m);
        let child = Image::of(&played);
        for (position, legal) in [(game, moves), (&played, &child.moves)] {
            for other in moves.iter().filter(|&&other| position.allows(other).is_some()) {
                let (allowed, listed) = (position.allows(*other), legal.contains(other));
                assert_eq!(allowed, Some(listed), "{other:?} is allowed if it is listed, {text}; {}", context());
            }
        }
        let visited = position.visit(m, |child| Image::of(child));
        assert_eq!(visited, child, "visit shows what play makes of {text}; {}", context());
        assert_eq!(Image::of(&position), image, "visit takes {text} back; {}", context());
        let mut unkeyed = game.clone();
        unkeyed.play_unkeyed(m);
        let unkeyed = Image { key: child.key, ..Image::of(&unkeyed) };
        assert_eq!(unkeyed, child, "playing {text} without the key differs in nothing else; {}", context());
    }
    let mut scratch = Vec::new();
    for random in [game.random_move(&mut scratch, &mut rng), game.playout_move(&mut scratch, &mut rng)] {
        assert!(moves.contains(&random), "the random move {random:?} is legal; {}", context());
    }
    let mut seen = Vec::new();
    game.determinize(game.turn(), &mut rng).moves(&mut seen);
    assert_eq!(seen, *moves, "the mover knows the legal moves; {}", context());
}
