//! The killer heuristic: moves that recently made a cut at the same distance from the root are tried early.
//!
//! Two moves are remembered for each ply: the last that made a cut there, and the last other one.
//!
//! Reference: S. G. Akl, M. M. Newborn, *The Principal Continuation and the Killer Heuristic*, 1977.

/// Two killer moves for each ply, identified by their [codes](crate::code).
///
/// ```
/// use nply::Killers;
/// let mut killers = Killers::default();
/// killers.add(3, 17);
/// killers.add(3, 18);
/// killers.add(3, 18);
/// assert_eq!(killers.at(3), [18, 17]);
/// assert_eq!(killers.at(4), [0, 0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Killers {
    plies: Vec<[u32; 2]>,
}

impl Killers {
    /// The killers of a ply, the latest first; 0 stands for none.
    #[inline]
    pub fn at(&self, ply: u32) -> [u32; 2] {
        self.plies.get(ply as usize).copied().unwrap_or_default()
    }

    /// Records a cut by a move at a ply.
    #[inline]
    pub fn add(&mut self, ply: u32, code: u32) {
        let ply = ply as usize;
        if ply >= self.plies.len() {
            self.plies.resize(ply + 1, [0, 0]);
        }
        let killers = &mut self.plies[ply];
        if killers[0] != code {
            *killers = [code, killers[0]];
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.plies.clear();
    }
}
