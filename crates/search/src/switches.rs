//! What two-sided searches can do beyond the exact search of a fixed depth: [`Switches`].

use crate::settings::Visitor;
use crate::{Declaration, Error, Game, Kit, Settings, Spec};

/// What [two-sided searches](crate::alphabeta) can do beyond the exact search of a fixed depth. All of it is off by default, and then
/// changes nothing.
///
/// With `quiet`, value and move of a completed iteration are exactly those of a search whose leaves are quiet. With `deeper`, `reduce`
/// and `null` they depend on what was searched before, so there only one thread searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Whether the table answers with results of deeper searches too, not only with those of the same depth.
    pub deeper: bool,
    /// Whether late moves of a node are searched less deep, and again if they turn out to be better than expected.
    pub reduce: bool,
    /// Whether a side that is well off even if it [passes](crate::Game::null_move) is searched no further.
    pub null: bool,
    /// Plies of [loud](crate::Game::is_loud) moves that are searched beyond the horizon before a position is evaluated; 0 for none.
    pub quiet: u32,
}

impl Settings for Switches {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.flag("deeper", &mut self.deeper, "use results of deeper searches from the table");
        v.flag("reduce", &mut self.reduce, "search late moves of a node less deep, and again if they are better");
        v.flag("null", &mut self.null, "try null moves, in games that allow them");
        v.whole("quiet", &mut self.quiet, 0..=100, "plies of captures beyond the horizon, in games that have them");
    }
}

impl Switches {
    /// What makes value and move depend on what was searched before, if anything does.
    pub(crate) fn inexact(&self) -> Option<&'static str> {
        [(self.deeper, "deeper=yes"), (self.reduce, "reduce=yes"), (self.null, "null=yes")]
            .into_iter()
            .find_map(|(is_on, text)| is_on.then_some(text))
    }

    /// Refuses what needs a table where there is none.
    pub(crate) fn check(&self, has_table: bool) -> Result<(), Error> {
        if self.deeper && !has_table {
            let error = Error::refused("deeper=yes uses the transposition table, and there is none");
            return Err(error.help("leave out table=off"));
        }
        Ok(())
    }

    /// Refuses what does not go with a game.
    pub(crate) fn check_game<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<(), Error> {
        let Spec { name, .. } = kit.spec;
        if self.null && !D::Game::HAS_NULL_MOVES {
            let message = format!("null=yes has no effect in {name}, which has no null moves");
            return Err(Error::refused(message).help("leave out null=yes"));
        }
        if self.quiet > 0 && !D::Game::HAS_LOUD_MOVES {
            let message =
                format!("quiet={} has no effect in {name}, which has no loud moves such as captures", self.quiet);
            return Err(Error::refused(message).help("leave out quiet"));
        }
        Ok(())
    }
}
