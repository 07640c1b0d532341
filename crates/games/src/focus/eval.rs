//! The two evaluations of the papers.

use nply::{Bounds, ByPlayer, Evaluator, Game, Player, Score};

use super::board::{FIELD_COUNT, pieces};
use super::rules::Rules;
use super::stack::Stack;
use super::{Focus, Move};

/// The evaluations; both start from the pieces a player still [needs](Focus::needed).
///
/// The standard rules have no captures to count; there it is the number of stacks and reserve pieces that opponents could
/// still move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Eval {
    /// −1000 for each piece needed, and the squared height of every piece of the player on the board, 1 being the bottom: *Best-Reply
    /// Search for Multi-Player Games*, Schadd and Winands, 2011.
    #[default]
    Height,
    /// 600, −100 for each piece needed, and 1 for each stack controlled: *Playout Search for Monte-Carlo Tree Search in
    /// Multi-Player Games*, Nijssen and Winands, 2011.
    Stacks,
}

impl Eval {
    /// The cost of a needed piece.
    #[inline]
    fn unit(self) -> Score {
        match self {
            Eval::Height => 1000,
            Eval::Stacks => 100,
        }
    }

    /// The score of a player who needs nothing and has nothing on the board.
    #[inline]
    fn base(self) -> Score {
        match self {
            Eval::Height => 0,
            Eval::Stacks => 600,
        }
    }
}

impl Evaluator<Focus> for Eval {
    /// The same for all positions of a game, so that a win is worth the same wherever it is found, and more than anything
    /// else; a loss is always worth the same, too, and less.
    ///
    /// Pieces only ever leave the game. So nobody needs more than at the start of the short game, or more than the others'
    /// pieces in the standard game; squared heights add up to the most when all pieces stand in full stacks; and while the
    /// game goes on everybody needs at least one piece.
    fn bounds(&self, game: &Focus) -> Bounds {
        let players = game.player_count();
        let all = players * pieces(players) as usize;
        let board = match self {
            Eval::Height => highest(all),
            Eval::Stacks => all.min(FIELD_COUNT) as Score,
        };
        let least = self.base() - self.unit() * game.most_needed() as Score;
        let most = self.base() - self.unit();
        Bounds { min: ByPlayer::splat(players, least), max_sum: players as Score * most + board }
    }

    #[inline]
    fn evaluate(&self, game: &Focus) -> ByPlayer<Score> {
        ByPlayer::from_fn(game.player_count(), |player| self.evaluate_for(game, player))
    }

    #[inline]
    fn evaluate_for(&self, game: &Focus, player: Player) -> Score {
        let board = match self {
            Eval::Height => (game.heights >> (16 * player.index()) & 0xffff) as Score,
            Eval::Stacks => game.stacks(player) as Score,
        };
        self.base() - self.unit() * game.needed(player) as Score + board
    }

    /// Only heights in the short game: a move changes those of two stacks, and what the mover needs if it takes pieces off the board.
    #[inline]
    fn judge(&self, game: &Focus, weights: &ByPlayer<i64>, moves: &[Move], mut each: impl FnMut(Option<i64>)) -> bool {
        if *self != Eval::Height || game.rules != Rules::Short {
            return false;
        }
        let mover = game.turn();
        // Somebody else can go on whatever happens to one stack.
        let goes_on = game.ply + 1 < game.limit
            && game.others(mover).any(|other| game.stacks(other) > 1 || game.reserve(other) > 0);
        let unit = i64::from(self.unit());
        let needed = |player: Player| weights[player] * unit * i64::from(game.needed(player));
        let rest: i64 = Player::all(weights.len()).map(|player| -needed(player)).sum();
        let taken = game.taken[mover.index()];
        for &m in moves {
            if m == Move::PASS || !goes_on {
                each(None);
                continue;
            }
            let (target, count) = (game.stacks[m.to()], m.pieces());
            let (from, left, lifted) = if m.is_placement() {
                (Stack::EMPTY, Stack::EMPTY, mover.index() as u32)
            } else {
                let (left, lifted) = game.stacks[m.from()].split(count);
                (game.stacks[m.from()], left, lifted)
            };
            let (stack, lost) = target.join(lifted, count);
            let gained = left.heights().wrapping_add(stack.heights());
            let heights = game.heights.wrapping_add(gained).wrapping_sub(from.heights()).wrapping_sub(target.heights());
            let mut value = rest;
            if lost != Stack::EMPTY {
                let after = game.count_needed(mover, taken + lost.colors());
                if after == 0 {
                    each(None);
                    continue;
                }
                value += needed(mover) - weights[mover] * unit * i64::from(after);
            }
            for player in Player::all(weights.len()) {
                value += weights[player] * (heights >> (16 * player.index()) & 0xffff) as i64;
            }
            each(Some(value));
        }
        true
    }
}

/// The most that the squared heights of `pieces` pieces can add up to: full stacks, and one of the rest.
fn highest(pieces: usize) -> Score {
    let stack = |height: usize| (1..=height as Score).map(|level| level * level).sum::<Score>();
    (pieces / Stack::MOST) as Score * stack(Stack::MOST) + stack(pieces % Stack::MOST)
}
