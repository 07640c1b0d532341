//! Players, and one value for each of them.

use std::fmt;
use std::ops::{Index, IndexMut};

/// The greatest number of players a game may have.
pub const MAX_PLAYERS: usize = 6;

/// One of the players of a game, numbered in turn order.
///
/// In text, players count from 1.
///
/// ```
/// use nply::Player;
/// let last = Player::new(2);
/// assert_eq!(last.to_string(), "3");
/// assert_eq!(last.next(3), Player::new(0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Player(u8);

impl Player {
    /// The player with this index, from 0.
    ///
    /// # Panics
    /// If the index is not below [`MAX_PLAYERS`].
    #[inline]
    pub const fn new(index: usize) -> Player {
        assert!(index < MAX_PLAYERS, "a game has at most six players");
        Player(index as u8)
    }

    /// The index, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number used in text, from 1.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize + 1
    }

    /// The next of `count` players in plain turn order.
    #[inline]
    pub const fn next(self, count: usize) -> Player {
        let next = self.0 + 1;
        Player(if next as usize >= count { 0 } else { next })
    }

    /// The first `count` players in turn order.
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Player> + ExactSizeIterator + Clone {
        (0..count as u8).map(Player)
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Player {}", self.number())
    }
}

/// One value for each player of a game, indexed by [`Player`].
///
/// ```
/// use nply::{ByPlayer, Player};
/// let scores = ByPlayer::from_slice(&[5, 4, 1]);
/// assert_eq!(scores[Player::new(1)], 4);
/// assert_eq!(scores.sum(), 10);
/// ```
#[derive(Clone, Copy)]
pub struct ByPlayer<T> {
    items: [T; MAX_PLAYERS],
    len: u8,
}

impl<T: Copy + Default> ByPlayer<T> {
    /// The same value for each of `count` players.
    #[inline]
    pub fn splat(count: usize, value: T) -> Self {
        Self::from_fn(count, |_| value)
    }

    /// A value for each of `count` players.
    #[inline]
    pub fn from_fn(count: usize, mut value: impl FnMut(Player) -> T) -> Self {
        let mut items = [T::default(); MAX_PLAYERS];
        for (index, item) in items[..count].iter_mut().enumerate() {
            *item = value(Player(index as u8));
        }
        ByPlayer { items, len: count as u8 }
    }

    /// The values of a slice, in player order.
    ///
    /// # Panics
    /// If there are more than [`MAX_PLAYERS`].
    pub fn from_slice(values: &[T]) -> Self {
        Self::from_fn(values.len(), |player| values[player.index()])
    }

    /// Applies `f` to each value.
    #[inline]
    pub fn map<U: Copy + Default>(&self, mut f: impl FnMut(T) -> U) -> ByPlayer<U> {
        ByPlayer::from_fn(self.len(), |player| f(self[player]))
    }

    /// The sum of all values.
    #[inline]
    pub fn sum(&self) -> T
    where
        T: std::iter::Sum,
    {
        self.as_slice().iter().copied().sum()
    }

    /// Each player with its value, in player order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Player, T)> + '_ {
        Player::all(self.len()).map(|player| (player, self[player]))
    }
}

impl<T> ByPlayer<T> {
    /// Number of players.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "a game has players")]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// The values in player order.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.items[..self.len as usize]
    }
}

impl<T> Index<Player> for ByPlayer<T> {
    type Output = T;
    #[inline]
    fn index(&self, player: Player) -> &T {
        &self.items[player.index()]
    }
}

impl<T> IndexMut<Player> for ByPlayer<T> {
    #[inline]
    fn index_mut(&mut self, player: Player) -> &mut T {
        &mut self.items[player.index()]
    }
}

impl<T: PartialEq> PartialEq for ByPlayer<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq> Eq for ByPlayer<T> {}

impl<T: fmt::Debug> fmt::Debug for ByPlayer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}
