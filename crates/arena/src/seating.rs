//! Who sits where: every assignment of kinds of agents to seats, so that no kind gains by its seat or its neighbours.

/// The seatings of `kinds` kinds of agents in `seats` seats: all assignments that use each kind, in lexical order.
///
/// Two kinds have 2^n − 2 seatings. Where there are more kinds than seats, a seating is a choice of different kinds.
///
/// ```
/// use nply_arena::seatings;
/// assert_eq!(seatings(2, 3).len(), 6);
/// assert_eq!(seatings(3, 4).len(), 36);
/// assert_eq!(seatings(4, 4).len(), 24);
/// assert_eq!(seatings(3, 2), [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
/// ```
pub fn seatings(kinds: usize, seats: usize) -> Vec<Vec<usize>> {
    let different = kinds.min(seats);
    let mut all = Vec::new();
    let mut seating = vec![0; seats];
    loop {
        let mut used: Vec<usize> = seating.clone();
        used.sort_unstable();
        used.dedup();
        if used.len() == different {
            all.push(seating.clone());
        }
        // Counts up, the last seat fastest.
        let Some(seat) = seating.iter().rposition(|&kind| kind + 1 < kinds) else { return all };
        seating[seat] += 1;
        seating[seat + 1..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_kinds_have_two_to_the_n_less_two_seatings() {
        for seats in 2..=6 {
            assert_eq!(seatings(2, seats).len(), (1 << seats) - 2);
        }
        assert_eq!(seatings(3, 3).len(), 6);
        assert_eq!(seatings(1, 4), [[0, 0, 0, 0]]);
    }

    #[test]
    fn every_kind_sits_on_every_seat_equally_often() {
        for (kinds, seats) in [(2, 4), (3, 4), (4, 4), (3, 6), (5, 3)] {
            let all = seatings(kinds, seats);
            for seat in 0..seats {
                for kind in 0..kinds {
                    let count = all.iter().filter(|seating| seating[seat] == kind).count();
                    assert_eq!(count * kinds, all.len(), "{kinds} kinds in {seats} seats");
                }
            }
        }
    }
}
