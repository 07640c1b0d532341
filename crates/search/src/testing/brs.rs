//! Plain Best-Reply Search and BRS+, for comparison with the fast ones.

use super::Plain;
use crate::{Game, OutOfTurn, Player};

/// The value of a position for the root player under Best-Reply Search, in the plainest way. If `max`, the root player is to
/// move, otherwise any opponent.
pub fn plain_brs<G: OutOfTurn>(plain: &Plain<'_, G>, game: &G, depth: u32, max: bool) -> i64 {
    if game.payoff().is_some() || (max && !game.is_in(plain.root)) {
        return (plain.value)(game);
    }
    let mut values = Vec::new();
    for player in Player::all(game.player_count()) {
        if (player == plain.root) != max || !game.is_in(player) {
            continue;
        }
        game.clone().with_turn(player, |game| {
            if depth == 0 && max {
                values.push((plain.value)(game));
            } else if depth > 0 {
                for m in (plain.moves)(game) {
                    let mut child = game.clone();
                    child.play(m);
                    values.push(plain_brs(plain, &child, depth - 1, !max));
                }
            }
        });
    }
    if depth == 0 && !max {
        return (plain.value)(game);
    }
    if max { values.into_iter().max() } else { values.into_iter().min() }.expect("a move")
}

/// The value of a position for the root player under generalized Best-Reply Search: algorithm 1 of the BRS+ paper as
/// printed, except that only the opponents' regular moves are counted and that any turn order is possible.
///
/// `special` gives the position after the special move, for a position and the count; `None` if nothing more can
/// happen.
pub fn plain_brs_plus<G: Game>(
    plain: &Plain<'_, G>,
    special: &dyn Fn(&G, u32) -> Option<G>,
    game: &G,
    depth: u32,
    regular: u32,
) -> i64 {
    if depth == 0 || game.payoff().is_some() {
        return (plain.value)(game);
    }
    let max = game.turn() == plain.root;
    let regular = if max { 0 } else { regular };
    let mut values = Vec::new();
    if regular == 0 {
        for m in (plain.moves)(game) {
            let mut child = game.clone();
            child.play(m);
            values.push(plain_brs_plus(plain, special, &child, depth - 1, regular + u32::from(!max)));
        }
    }
    if !max {
        let Some(child) = special(game, regular) else { return (plain.value)(game) };
        if regular == 1 || child.turn() != plain.root {
            values.push(plain_brs_plus(plain, special, &child, depth - 1, regular));
        }
    }
    if max { values.into_iter().max() } else { values.into_iter().min() }.expect("a move")
}

/// BRS+ in other words: between two moves of the root player at most one opponent deviates from the first move of the
/// ordering, which `first` returns.
pub fn plain_one_leaves<G: Game>(
    plain: &Plain<'_, G>,
    first: &dyn Fn(&G) -> G::Move,
    game: &G,
    depth: u32,
    left: bool,
) -> i64 {
    if depth == 0 || game.payoff().is_some() {
        return (plain.value)(game);
    }
    if game.turn() == plain.root {
        let children = (plain.moves)(game).into_iter().map(|m| {
            let mut child = game.clone();
            child.play(m);
            plain_one_leaves(plain, first, &child, depth - 1, false)
        });
        return children.max().expect("a move");
    }
    let kept = first(game);
    let mut moves = vec![kept];
    if !left {
        moves.extend((plain.moves)(game).into_iter().filter(|&m| m != kept));
    }
    let children = moves.into_iter().map(|m| {
        let mut child = game.clone();
        child.play(m);
        plain_one_leaves(plain, first, &child, depth - 1, left || m != kept)
    });
    children.min().expect("a move")
}
