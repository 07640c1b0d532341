//! The two evaluations of the papers, and one whose weights are fitted to games.

use nply::{Bounds, ByPlayer, Evaluator, Game, Player, Score};

use super::board::{FIELD_COUNT, pieces};
use super::rules::Rules;
use super::stack::Stack;
use super::weights::Weights;
use super::{Focus, Move};

/// The evaluations; all start from the pieces a player still [needs](Focus::needed).
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
    /// What each piece adds to the logarithm of the player's chance, by where it is in which stack, and each piece in reserve and each
    /// capture needed, in thousandths; [fitted](super::learn) to games of the short game, the only one that it is for.
    Regression,
}

impl Eval {
    /// What the papers' evaluations make of captures needed.
    #[inline]
    fn far(self, needed: u32) -> Score {
        match self {
            Eval::Stacks => 600 - 100 * needed as Score,
            _ => -1000 * needed as Score,
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
            Eval::Regression => {
                let (least, most) = Weights::shipped(players).range();
                return Bounds { min: ByPlayer::splat(players, least), max_sum: players as Score * most };
            }
        };
        let (least, most) = (self.far(game.most_needed()), self.far(1));
        Bounds { min: ByPlayer::splat(players, least), max_sum: players as Score * most + board }
    }

    #[inline]
    fn evaluate(&self, game: &Focus) -> ByPlayer<Score> {
        match self {
            Eval::Regression => Weights::shipped(game.player_count()).evaluate(game),
            _ => ByPlayer::from_fn(game.player_count(), |player| self.evaluate_for(game, player)),
        }
    }

    #[inline]
    fn evaluate_for(&self, game: &Focus, player: Player) -> Score {
        let board = match self {
            Eval::Height => (game.heights >> (16 * player.index()) & 0xffff) as Score,
            Eval::Stacks => game.stacks(player) as Score,
            Eval::Regression => return Weights::shipped(game.player_count()).evaluate(game)[player],
        };
        self.far(game.needed(player)) + board
    }

    /// Not stacks, and only in the short game: a move changes what two stacks are worth, and what the mover has beside the board if it
    /// takes pieces off or places one.
    #[inline]
    fn judge(&self, game: &Focus, weights: &ByPlayer<i64>, moves: &[Move], each: impl FnMut(Option<i64>)) -> bool {
        if *self == Eval::Stacks || game.rules != Rules::Short {
            return false;
        }
        if *self == Eval::Regression {
            judge_fitted(game, weights, moves, each);
        } else {
            let board = |mut value: i64, before: [Stack; 2], after: [Stack; 2]| {
                let gained = after[0].heights().wrapping_add(after[1].heights());
                let heights = game.heights.wrapping_add(gained);
                let heights = heights.wrapping_sub(before[0].heights()).wrapping_sub(before[1].heights());
                for player in Player::all(weights.len()) {
                    value += weights[player] * (heights >> (16 * player.index()) & 0xffff) as i64;
                }
                value
            };
            judge(game, weights, moves, each, board, |_, needed| self.far(needed));
        }
        true
    }
}

/// [`judge`] with fitted weights. The pieces on the board are added up once, unless there is nothing to judge.
#[inline(never)]
fn judge_fitted(game: &Focus, weights: &ByPlayer<i64>, moves: &[Move], each: impl FnMut(Option<i64>)) {
    if moves.is_empty() {
        return;
    }
    let fitted = Weights::shipped(weights.len());
    let weigh = |worth: [Score; 4]| -> i64 {
        Player::all(weights.len()).map(|player| weights[player] * i64::from(worth[player.index()])).sum()
    };
    let now = weigh(fitted.board(game));
    let board = |value: i64, before: [Stack; 2], after: [Stack; 2]| {
        let [a, b, c, d] = [before[0], before[1], after[0], after[1]].map(|stack| fitted.stack(stack).map(Score::from));
        value + now + weigh([0, 1, 2, 3].map(|color| c[color] + d[color] - a[color] - b[color]))
    };
    judge(game, weights, moves, each, board, |reserve, needed| fitted.rest(reserve, needed));
}

/// Judges moves of the short game. `board` is the weighted worth of all pieces on the board if a move turns two stacks into two others, and
/// `rest` what pieces in reserve and captures needed are worth.
#[inline(always)]
fn judge(
    game: &Focus,
    weights: &ByPlayer<i64>,
    moves: &[Move],
    mut each: impl FnMut(Option<i64>),
    board: impl Fn(i64, [Stack; 2], [Stack; 2]) -> i64,
    rest: impl Fn(u32, u32) -> Score,
) {
    let mover = game.turn();
    // Somebody else can go on whatever happens to one stack.
    let goes_on =
        game.ply + 1 < game.limit && game.others(mover).any(|other| game.stacks(other) > 1 || game.reserve(other) > 0);
    let weighted = |player: Player, reserve, needed| weights[player] * i64::from(rest(reserve, needed));
    let now = |player: Player| weighted(player, game.reserve(player), u32::from(game.needed[player.index()]));
    let of_all: i64 = Player::all(weights.len()).map(now).sum();
    let (taken, reserve) = (game.taken[mover.index()], game.reserve(mover));
    for &m in moves {
        if m == Move::PASS || !goes_on {
            each(None);
            continue;
        }
        let (target, count) = (game.stacks[m.to()], m.pieces());
        let placed = u32::from(m.is_placement());
        let (from, left, lifted) = if m.is_placement() {
            (Stack::EMPTY, Stack::EMPTY, mover.index() as u32)
        } else {
            let (left, lifted) = game.stacks[m.from()].split(count);
            (game.stacks[m.from()], left, lifted)
        };
        let (stack, lost) = target.join(lifted, count);
        let mut value = of_all;
        if lost != Stack::EMPTY {
            let lost = lost.colors();
            let needed = game.count_needed(mover, taken + lost).into();
            if needed == 0 {
                each(None);
                continue;
            }
            let gained = lost >> (8 * mover.index()) & 0xff;
            value += weighted(mover, reserve + gained - placed, needed) - now(mover);
        } else if placed == 1 {
            value += weighted(mover, reserve - 1, game.needed[mover.index()].into()) - now(mover);
        }
        each(Some(board(value, [from, target], [left, stack])));
    }
}

/// The most that the squared heights of `pieces` pieces can add up to: full stacks, and one of the rest.
fn highest(pieces: usize) -> Score {
    let stack = |height: usize| (1..=height as Score).map(|level| level * level).sum::<Score>();
    (pieces / Stack::MOST) as Score * stack(Stack::MOST) + stack(pieces % Stack::MOST)
}
