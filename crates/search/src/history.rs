//! The history heuristic: moves that were best somewhere in the tree are tried early elsewhere.
//!
//! Each move of each player has a tally. Whenever the move makes a cut, the square of the remaining depth is added: the
//! larger the tree that it saved, the more. A library cannot number the moves of all games, so a move is identified by a
//! 32-bit [`code`], and the tallies are in a table of fixed size. Two moves that share an entry only spoil each other's
//! order.
//!
//! Reference: J. Schaeffer, *The History Heuristic*, 1983.

use std::hash::{Hash, Hasher};

use crate::Player;

/// The number that identifies a player's move to tables, killers and history; never 0.
///
/// It is the same on every machine. Two moves share a code with a probability of 1 in 2^32, so codes serve to order moves,
/// never to play them.
///
/// ```
/// use nply::{Player, code};
/// let (first, second) = (Player::new(0), Player::new(1));
/// assert_eq!(code(first, &(3, 4)), code(first, &(3, 4)));
/// assert_ne!(code(first, &(3, 4)), code(first, &(4, 3)));
/// assert_ne!(code(first, &(3, 4)), code(second, &(3, 4)));
/// ```
#[inline]
pub fn code(player: Player, m: &impl Hash) -> u32 {
    let mut mixer = Mixer(player.index() as u64 + 1);
    m.hash(&mut mixer);
    ((mixer.finish() >> 32) as u32).max(1)
}

/// A fast hash of small values: a rotation, an exclusive or and a multiplication for each.
struct Mixer(u64);

impl Mixer {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(25) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    #[inline]
    fn finish(&self) -> u64 {
        (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.add(byte.into()));
    }

    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }

    #[inline]
    fn write_u16(&mut self, n: u16) {
        self.add(n.into());
    }

    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }
}

/// Tallies of cuts for the moves of all players, identified by their [codes](code).
///
/// ```
/// use nply::History;
/// let mut history = History::default();
/// history.add(17, 3);
/// assert_eq!((history.at(17), history.at(18)), (9, 0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Empty until something is added.
    tallies: Vec<u32>,
}

/// Logarithm of the number of tallies: 128 KiB in all, which fit into the processor's cache.
const BITS: u32 = 15;

impl History {
    #[inline]
    fn index(code: u32) -> usize {
        (code.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS)) as usize
    }

    /// The tally of a move.
    #[inline]
    pub fn at(&self, code: u32) -> u32 {
        self.tallies.get(History::index(code)).copied().unwrap_or(0)
    }

    /// Records a cut by a move with `depth` plies remaining.
    #[inline]
    pub fn add(&mut self, code: u32, depth: u32) {
        if self.tallies.is_empty() {
            self.tallies = vec![0; 1 << BITS];
        }
        let tally = &mut self.tallies[History::index(code)];
        *tally = tally.saturating_add(depth.saturating_mul(depth));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.tallies.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_of_small_moves_do_not_collide_and_fill_the_table() {
        let (mut codes, mut places) = (HashSet::new(), HashSet::new());
        for player in Player::all(4) {
            for from in 0..80u8 {
                for to in 0..80u8 {
                    let code = code(player, &(from, to));
                    assert_ne!(code, 0);
                    codes.insert(code);
                    places.insert(History::index(code));
                }
            }
        }
        // 25,600 codes in 2^32: 0.08 collisions are expected; in 2^15 places: 17,768 are expected to be taken.
        assert_eq!(codes.len(), 25_600);
        assert!((17_000..20_000).contains(&places.len()), "{}", places.len());
    }

    #[test]
    fn every_type_of_whole_number_makes_a_code() {
        let first = Player::new(0);
        let codes = [code(first, &7u8), code(first, &7u16), code(first, &7u32), code(first, &7u64), code(first, &7i8)];
        assert!(codes.iter().all(|&code| code == codes[0]));
        assert_ne!(code(first, &Some(1u8)), code(first, &None::<u8>));
        assert_ne!(code(first, &[1u8, 2]), code(first, &[2u8, 1]));
    }
}
