//! What plain searches have in common.

use crate::{Evaluator, Game, MoveOrder, Parts, Player, ScoreForm, Stance};

/// A function of a position.
pub(super) type Of<'a, G, T> = Box<dyn Fn(&G) -> T + 'a>;

/// What a plain search needs to know about a position.
pub struct Plain<'a, G: Game> {
    /// The player who searches.
    pub root: Player,
    /// The value of a position for that player as it stands.
    pub value: Of<'a, G, i64>,
    /// The moves that are searched.
    pub moves: Of<'a, G, Vec<G::Move>>,
}

impl<'a, G: Game + 'a> Plain<'a, G> {
    /// Searches all moves; the value of a position is the score difference.
    pub fn new(game: &G, evaluator: impl Evaluator<G> + 'a) -> Plain<'a, G> {
        let root = game.turn();
        let value = move |game: &G| ScoreForm::Difference.value(&evaluator.scores(game), root);
        Plain { root, value: Box::new(value), moves: Box::new(all_moves) }
    }

    /// Values by a score form, and the moves of a search against the root player: in order, and no more than the width
    /// allows.
    pub fn with(
        game: &G,
        evaluator: impl Evaluator<G> + 'a,
        order: impl MoveOrder<G> + 'a,
        score: ScoreForm,
        parts: Parts,
    ) -> Plain<'a, G> {
        let root = game.turn();
        let value = move |game: &G| score.value(&evaluator.scores(game), root);
        let moves = move |game: &G| plain_moves(game, &order, parts.stance(Stance::Against(root), root), parts.width);
        Plain { root, value: Box::new(value), moves: Box::new(moves) }
    }
}

/// The moves that a search visits, in order: as many of the first as the width allows.
pub fn plain_moves<G: Game>(
    game: &G,
    order: &impl MoveOrder<G>,
    stance: Option<Stance>,
    width: Option<usize>,
) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.distinct(&mut moves);
    if let Some(stance) = stance {
        order.sort(game, stance, &mut moves);
    }
    moves.truncate(width.unwrap_or(usize::MAX));
    moves
}

fn all_moves<G: Game>(game: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}
