//! Finding the fields that pieces can reach.

use std::cell::Cell;

use nply::Rng;

use super::board::{Board, FIELDS, OFF, Star};

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
        let (_, end) = self.find(from);
        &mut self.found[..end]
    }

    /// Finds the same: how many are steps, which come first, and how many there are.
    #[inline]
    fn find(&mut self, from: u8) -> (usize, usize) {
        let Paths { star, full, found } = self;
        let (around, mut end) = (&star.around, 0u8);
        for (near, _) in around[from as usize] {
            found[end as usize] = near;
            end += 1 & !full[near as usize];
        }
        let steps = end;
        // Without a piece beside it there is no hop.
        if steps == star.degree[from as usize] {
            return (steps as usize, steps as usize);
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
        (steps as usize, end as usize)
    }

    /// The fields that the piece on `from` can reach, in no particular order, if `goal` is its goal, which it may not leave.
    #[inline]
    pub(super) fn targets(&mut self, from: u8, goal: u8) -> &[u8] {
        let star = self.star;
        let inside = |field: u8| star.corner_of[field as usize] == goal;
        let reached = self.reach(from);
        if inside(from) { retain(reached, inside) } else { reached }
    }

    /// The same as a set.
    #[inline]
    pub(super) fn target_set(&mut self, from: u8, goal: u8) -> u128 {
        self.targets(from, goal).iter().fold(0, |set, &to| set | 1u128 << (to & OFF))
    }
}

/// What a piece on a field reaches, disregarding the goal.
#[derive(Clone, Copy)]
struct Kept {
    /// The fields that decide it.
    seen: u128,
    /// Those of them that were occupied.
    full: u128,
    reached: u128,
}

/// No set of occupied fields has this.
const NOTHING: Kept = Kept { seen: 0, full: 1, reached: 0 };

thread_local! {
    /// What was found last, by board and field.
    static KEPT: [[Cell<Kept>; 128]; 2] = const { [const { [const { Cell::new(NOTHING) }; 128] }; 2] };
}

/// Finds the same as [`Paths`], and keeps what each piece reaches until a field changes that decides it. A move changes two fields, and
/// most positions of a search differ by a few moves from the one before: most pieces reach the same fields.
pub(super) struct Reached {
    board: Board,
    star: &'static Star,
    occupied: u128,
    /// Made for the first piece that is not known.
    paths: Option<Paths<'static>>,
}

impl Reached {
    #[inline]
    pub(super) fn new(board: Board, star: &'static Star, occupied: u128) -> Reached {
        Reached { board, star, occupied, paths: None }
    }

    /// The fields that the piece on `from` can reach if `goal` is its goal, which it may not leave.
    #[inline]
    pub(super) fn targets(&mut self, from: u8, goal: u8) -> u128 {
        let reached = KEPT.with(|kept| {
            let kept = &kept[self.board as usize][(from & OFF) as usize];
            let Kept { seen, full, reached } = kept.get();
            if self.occupied & seen == full {
                return reached;
            }
            let found = self.find(from);
            kept.set(found);
            found.reached
        });
        let star = self.star;
        if star.corner_of[from as usize] == goal { reached & star.corners[goal as usize] } else { reached }
    }

    #[inline(never)]
    fn find(&mut self, from: u8) -> Kept {
        let Reached { star, occupied, .. } = *self;
        let paths = self.paths.get_or_insert_with(|| Paths::new(star, occupied));
        let (steps, end) = paths.find(from);
        let (stepped, hopped) = paths.found[..end].split_at(steps);
        // Without a piece beside it nothing else is looked at.
        let is_alone = steps == star.degree[from as usize] as usize;
        let mut seen = if is_alone { star.near[from as usize] } else { star.looked_at[from as usize] };
        let mut reached = stepped.iter().fold(0, |set, &to| set | 1u128 << (to & OFF));
        for &to in hopped {
            reached |= 1u128 << (to & OFF);
            seen |= star.looked_at[to as usize];
        }
        Kept { seen, full: occupied & seen, reached }
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

#[cfg(test)]
mod tests {
    use nply::Game;

    use super::super::board::fields;
    use super::super::{ChineseCheckers, Options};
    use super::*;

    /// Every piece reaches what is found anew, whoever is to move.
    fn compare(game: &ChineseCheckers) {
        let occupied = game.occupied();
        let (mut kept, mut paths) = (Reached::new(game.board, game.star, occupied), Paths::new(game.star, occupied));
        for player in 0..game.players as usize {
            for from in fields(game.pieces[player]) {
                let found = paths.target_set(from, game.goals[player]);
                assert_eq!(kept.targets(from, game.goals[player]), found, "{} on {:?}", from, game.board);
            }
        }
    }

    #[test]
    fn what_pieces_reach_is_kept_only_while_it_is_the_same() {
        let mut rng = Rng::new(1);
        for players in [2, 3, 4, 6] {
            let start = |board| ChineseCheckers::new(players, &Options { board, ..Options::default() });
            let mut pasts = [Board::Small, Board::Large].map(|board| vec![start(board)]);
            for _ in 0..3_000 {
                // Both boards in turns, one move on or a few back, as in a search.
                let past = &mut pasts[rng.below(2)];
                let mut game = past[past.len() - 1].clone();
                compare(&game);
                if game.payoff().is_some() || rng.below(3) == 0 {
                    past.truncate((past.len() - rng.below(past.len().min(4))).max(1));
                    continue;
                }
                let m = game.random_move(&mut Vec::new(), &mut rng);
                game.play(m);
                past.push(game);
            }
            assert!(pasts.iter().all(|past| past.len() > 100));
        }
    }
}
