//! Seatings: every assignment of agents to seats, so that no agent gains by its seat or its neighbors.

use serde::{Deserialize, Serialize};

/// Which seatings a match plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seating {
    /// All of them equally often, so that no seat favors anybody.
    #[default]
    All,
    /// One: the agents in their order.
    Fixed,
}

impl Seating {
    /// Whether it is the usual one.
    pub(crate) fn is_all(&self) -> bool {
        *self == Seating::All
    }

    /// The seatings of so many agents in so many seats.
    pub fn seatings(self, agents: usize, seats: usize) -> Vec<Vec<usize>> {
        match self {
            Seating::All => seatings(agents, seats),
            Seating::Fixed => vec![(0..seats).collect()],
        }
    }
}

/// The seatings of `agents` agents in `seats` seats: all assignments that use every agent, in lexical order.
///
/// Two agents have 2^n − 2 seatings. If there are more agents than seats, a seating has a different agent on every seat.
///
/// ```
/// use nply_arena::seatings;
/// assert_eq!(seatings(2, 3).len(), 6);
/// assert_eq!(seatings(3, 4).len(), 36);
/// assert_eq!(seatings(4, 4).len(), 24);
/// assert_eq!(seatings(3, 2), [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
/// ```
pub fn seatings(agents: usize, seats: usize) -> Vec<Vec<usize>> {
    let different = agents.min(seats);
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
        let Some(seat) = seating.iter().rposition(|&agent| agent + 1 < agents) else { return all };
        seating[seat] += 1;
        seating[seat + 1..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_agents_have_two_to_the_n_less_two_seatings() {
        for seats in 2..=6 {
            assert_eq!(seatings(2, seats).len(), (1 << seats) - 2);
        }
        assert_eq!(seatings(3, 3).len(), 6);
        assert_eq!(seatings(1, 4), [[0, 0, 0, 0]]);
    }

    #[test]
    fn every_agent_sits_on_every_seat_equally_often() {
        for (agents, seats) in [(2, 4), (3, 4), (4, 4), (3, 6), (5, 3)] {
            let all = seatings(agents, seats);
            for seat in 0..seats {
                for agent in 0..agents {
                    let count = all.iter().filter(|seating| seating[seat] == agent).count();
                    assert_eq!(count * agents, all.len(), "{agents} agents in {seats} seats");
                }
            }
        }
    }
}
