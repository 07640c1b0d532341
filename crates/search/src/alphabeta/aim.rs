//! Aspiration windows: where the value of an iteration is expected.

use super::search::INFINITY;

/// The values among which an iteration looks for that of the root: from `floor` up to, but without, `ceiling`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    pub(super) floor: i64,
    pub(super) ceiling: i64,
}

impl Aim {
    /// All values.
    pub(super) const ANYWHERE: Aim = Aim { floor: -INFINITY, ceiling: INFINITY };

    /// At most `by` from the value of the iteration before; anywhere if there is none, or if `by` is 0.
    pub(super) fn around(previous: Option<i64>, by: u32) -> Aim {
        match previous {
            Some(value) if by > 0 => Aim { floor: value - i64::from(by), ceiling: value + i64::from(by) + 1 },
            _ => Aim::ANYWHERE,
        }
    }

    /// Where to look again, if an iteration found no value here, or one that is only a lower bound.
    pub(super) fn wider(self, found: Option<i64>) -> Option<Aim> {
        match found {
            None => Some(Aim { floor: -INFINITY, ..self }),
            Some(value) if value >= self.ceiling => Some(Aim { floor: value, ceiling: INFINITY }),
            Some(_) => None,
        }
    }
}
