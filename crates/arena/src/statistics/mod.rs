//! Statistics of games: intervals, tallies, ratings, a sequential test, the measures of papers' tables, and the series that
//! plots show.

mod compare;
mod distance;
mod interval;
mod measure;
mod rating;
mod sequential;
mod series;
mod tally;

pub use compare::{holm, two_sided};
pub use distance::Distances;
pub use interval::{Estimate, interval, margin, mean_interval, normal_interval, student, wilson_interval};
pub use measure::{Measure, difference, overruns};
pub use rating::{Rating, ratings};
pub use sequential::{Referee, Sprt, Verdict};
pub use series::{DepthByTime, MovesNeeded, Points, Series, by_move, mean_moves, moves_needed, progress};
pub use tally::{Row, Totals, cut_off, distinct, is_cycle, tally, totals};
