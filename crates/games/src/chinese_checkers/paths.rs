//! Finding the fields that pieces can reach.

use nply::Rng;

use super::board::{FIELDS, OFF, Star};

/// Finds the fields that pieces can reach on a board with these fields occupied.
pub(super) struct Paths<'a> {
    star: &'a Star,
    /// Each field: 1 if no piece can go there, else 0.
    full: [u8; FIELDS],
    /// Longer than the number of fields a piece can reach, so that any byte is an index.
    found: [u8; 256],
}

impl<'a> Paths<'a> {
    #[inline]
    pub(super) fn new(star: &'a Star, occupied: u128) -> Paths<'a> {
        let mut full = [0; FIELDS];
        for (bytes, bits) in full.as_chunks_mut::<8>().0.iter_mut().zip((occupied | 1 << OFF).to_le_bytes()) {
            *bytes = SPREAD[bits as usize];
        }
        Paths { star, full, found: [0; 256] }
    }

    /// Puts a piece on a field, or takes it away.
    #[inline]
    pub(super) fn put(&mut self, field: u8, there: bool) {
        self.full[field as usize] = there as u8;
    }

    /// The fields that the piece on `from` can reach, in no particular order, disregarding the goal.
    ///
    /// Hops keep the parity of a field's coordinates and go over fields of another parity. So a field that was
    /// reached can be marked as full, so that it is not reached again, without becoming a piece to hop over; and the start
    /// may stay full: nothing hops over it, and nothing may end there.
    #[inline]
    pub(super) fn reach(&mut self, from: u8) -> &mut [u8] {
        let Paths { star, full, found } = self;
        let (around, mut end) = (&star.around, 0u8);
        for (near, _) in around[from as usize] {
            found[end as usize] = near;
            end += 1 & !full[near as usize];
        }
        let steps = end;
        // Without a piece beside it there is no hop.
        if steps == star.degree[from as usize] {
            return &mut found[..steps as usize];
        }
        let (mut at, mut next) = (from, steps);
        loop {
            for (over, behind) in around[at as usize] {
                let hop = full[over as usize] & !full[behind as usize];
                full[behind as usize] |= hop;
                found[end as usize] = behind;
                end += hop;
            }
            if next == end {
                break;
            }
            at = found[next as usize];
            next += 1;
        }
        for &reached in &found[steps as usize..end as usize] {
            full[reached as usize] = 0;
        }
        &mut found[..end as usize]
    }

    /// The fields that the piece on `from` can reach, in no particular order, if `goal` is its goal, which it may not leave.
    #[inline]
    pub(super) fn targets(&mut self, from: u8, goal: u8) -> &[u8] {
        let star = self.star;
        let inside = |field: u8| star.corner_of[field as usize] == goal;
        let reached = self.reach(from);
        if inside(from) { retain(reached, inside) } else { reached }
    }
}

/// Finds a random path on a board with these fields occupied.
pub(super) struct Walk<'a> {
    star: &'a Star,
    full: [u64; 2],
}

impl<'a> Walk<'a> {
    #[inline]
    pub(super) fn new(star: &'a Star, occupied: u128) -> Walk<'a> {
        let full = occupied | 1 << OFF;
        Walk { star, full: [full as u64, (full >> 64) as u64] }
    }

    /// 1 if no piece can go to this field, else 0.
    #[inline]
    fn full(&self, field: u8) -> usize {
        (self.full[(field >> 6) as usize & 1] >> (field & 63)) as usize & 1
    }

    /// The end of a path of the piece on `from` that begins in this direction, if there is one. The start counts as full:
    /// nothing may end there, and nothing hops over it, since hops keep the parity of a field's coordinates.
    #[inline]
    pub(super) fn end(&self, from: u8, direction: usize, rng: &mut Rng) -> Option<u8> {
        let (near, behind) = self.star.around[from as usize][direction];
        if self.full(near) == 0 {
            return Some(near);
        }
        if self.full(behind) == 1 {
            return None;
        }
        let mut at = behind;
        loop {
            let (mut next, mut count) = ([at; 8], 1);
            for (over, behind) in self.star.around[at as usize] {
                next[count] = behind;
                count += self.full(over) & !self.full(behind);
            }
            match next[rng.below(count)] {
                end if end == at => return Some(end),
                on => at = on,
            }
        }
    }
}

/// Moves the items to keep to the front of a slice, and returns them.
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
