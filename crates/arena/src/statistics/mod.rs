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
pub use interval::{Estimate, Ratio, interval, margin, normal_interval, student, wilson_interval};
pub use measure::{Measure, difference};
pub use rating::elo;
pub use sequential::{Referee, Sprt, Verdict, verdict_text};
pub use series::{DepthByTime, MovesNeeded, Point, Series};
pub use tally::{Row, Tally, Totals, cut_off, distinct, is_cycle, is_draw, ply_limit};
