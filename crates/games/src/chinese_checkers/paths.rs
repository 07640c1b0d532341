//! Finding where pieces can go.

use super::board::{FIELDS, OFF, Star};

/// Room for the fields that a piece can reach: at most 37 of the start's parity, 6 neighbours, and one that is not kept.
const ROOM: usize = 64;

/// Finds where pieces can go on a board with these fields occupied.
pub(super) struct Paths<'a> {
    star: &'a Star,
    /// Each field: 1 if no piece can go there, else 0.
    full: [u8; FIELDS],
    found: [u8; ROOM],
}

impl<'a> Paths<'a> {
    #[inline]
    pub(super) fn new(star: &'a Star, occupied: u128) -> Paths<'a> {
        let mut full = [0; FIELDS];
        for (bytes, bits) in full.chunks_exact_mut(8).zip((occupied | 1 << OFF).to_le_bytes()) {
            bytes.copy_from_slice(&SPREAD[bits as usize]);
        }
        Paths { star, full, found: [0; ROOM] }
    }

    /// Puts a piece on a field, or takes it away.
    #[inline]
    pub(super) fn put(&mut self, field: u8, there: bool) {
        self.full[field as usize % FIELDS] = there as u8;
    }

    /// Where the piece on `from` can go, in no special order, if the goal did not matter.
    ///
    /// Hops keep the parity of a field's coordinates and go over fields of another parity. So a field that was
    /// reached can be marked as full, lest it is reached again, without making a piece to hop over; and the start may stay
    /// full: nothing hops over it, and nothing may end there.
    #[inline]
    pub(super) fn reach(&mut self, from: u8) -> &mut [u8] {
        let Paths { star, full, found } = self;
        let (around, mut end) = (&star.around, 0);
        for (near, _) in around[from as usize % FIELDS] {
            found[end % ROOM] = near;
            end += (1 & !full[near as usize % FIELDS]) as usize;
        }
        let steps = end;
        // Without a piece beside it there is no hop.
        if steps == star.degree[from as usize % FIELDS] as usize {
            return &mut found[..steps];
        }
        let (mut at, mut next) = (from, steps);
        loop {
            for (over, behind) in around[at as usize % FIELDS] {
                let hop = full[over as usize % FIELDS] & !full[behind as usize % FIELDS];
                full[behind as usize % FIELDS] |= hop;
                found[end % ROOM] = behind;
                end += hop as usize;
            }
            if next == end {
                break;
            }
            at = found[next % ROOM];
            next += 1;
        }
        for &reached in &found[steps..end] {
            full[reached as usize % FIELDS] = 0;
        }
        &mut found[..end]
    }

    /// Where the piece on `from` can go, in no special order, if `goal` is its goal: from there it may not leave.
    #[inline]
    pub(super) fn targets(&mut self, from: u8, goal: u8) -> &[u8] {
        let star = self.star;
        let inside = |field: u8| star.corner_of[field as usize % FIELDS] == goal;
        let reached = self.reach(from);
        if inside(from) { retain(reached, inside) } else { reached }
    }
}

/// The items of a slice that are to be kept, moved to its front.
#[inline]
pub(super) fn retain(items: &mut [u8], keep: impl Fn(u8) -> bool) -> &[u8] {
    let mut kept = 0;
    for index in 0..items.len() {
        let item = items[index];
        items[kept] = item;
        kept += keep(item) as usize;
    }
    &items[..kept]
}

/// The bits of a byte as bytes, lowest first.
static SPREAD: [[u8; 8]; 256] = {
    let mut spread = [[0; 8]; 256];
    let mut index = 0;
    while index < 256 * 8 {
        spread[index / 8][index % 8] = ((index / 8) >> (index % 8)) as u8 & 1;
        index += 1;
    }
    spread
};
