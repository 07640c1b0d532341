//! What can be switched on and off in every tree search: [`Parts`].

use crate::{Player, Stance};

/// Which static ordering a search sorts its moves by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OrderBy {
    /// What suits the algorithm: [`Own`](OrderBy::Own) for max^n, [`Against`](OrderBy::Against) for Paranoid and Best-Reply
    /// Search.
    #[default]
    Usual,
    /// The best for the mover first.
    Own,
    /// The worst for the root player first; the root player's own moves as in [`Own`](OrderBy::Own).
    Against,
    /// As the game lists its moves.
    None,
}

impl OrderBy {
    /// Whose good the moves are sorted by, in a search for `root` that usually sorts by `usual`; `None` if they are
    /// left as listed.
    pub fn stance(self, usual: Stance, root: Player) -> Option<Stance> {
        match self {
            OrderBy::Usual => Some(usual),
            OrderBy::Own => Some(Stance::Own),
            OrderBy::Against => Some(Stance::Against(root)),
            OrderBy::None => None,
        }
    }
}

/// The parts that all tree searches share, each of which can be switched off or changed.
///
/// None of them but `width` changes the value that Paranoid, Best-Reply Search and BRS+ find, nor the move that they
/// choose unless it is `order`, which breaks ties. Max^n's value depends on `order` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The bytes of the transposition table; 0 for none.
    pub table: usize,
    /// Whether killer moves are tried early. Max^n has none.
    pub killers: bool,
    /// Whether the history heuristic sorts moves. Max^n has none.
    pub history: bool,
    /// Only the first so many [distinct](crate::Game::distinct) moves of the static ordering at every node, at least one; `None` for all.
    pub width: Option<usize>,
    /// The static ordering.
    pub order: OrderBy,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { table: 64 << 20, killers: true, history: true, width: None, order: OrderBy::Usual }
    }
}

impl Parts {
    /// Nothing but the static ordering.
    pub fn plain() -> Parts {
        Parts { table: 0, killers: false, history: false, ..Parts::default() }
    }
}
