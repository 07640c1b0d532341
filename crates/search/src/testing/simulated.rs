//! Plain statistics of Monte-Carlo tree search, for comparison with those that its nodes keep.

use crate::Player;

/// A simulated game, as plain statistics look through it.
///
/// Three games of a player with the moves 7 and 8 and an opponent in between, through the nodes 0 to 4; the last move of each game is
/// made in the playout:
///
/// ```
/// use nply::{Player, testing::PlainGame};
/// let [own, other] = [0, 1].map(Player::new);
/// let game = |path: &[u32], reply, last, gain: f64| PlainGame {
///     path: path.to_vec(),
///     line: vec![(own, 7), (other, reply), (own, last)],
///     gains: vec![gain, 1.0 - gain],
/// };
/// let games = [game(&[0, 1], 5, 7, 1.0), game(&[0, 1, 2, 3], 5, 8, 0.0), game(&[0, 1, 4], 6, 8, 1.0)];
/// assert_eq!(PlainGame::through(&games, 1, own), (3.0, 2.0));
/// // The move 8 after node 1 in any way, but not in the game that made the node.
/// assert_eq!(PlainGame::amaf(&games, 1, own, 8), (2.0, 1.0));
/// assert_eq!(PlainGame::amaf(&games, 1, own, 7), (0.0, 0.0));
/// // As the next own move, if it is in the tree.
/// assert_eq!(PlainGame::next_own(&games, 1, own, 8), (1.0, 0.0));
/// ```
#[derive(Clone, Debug)]
pub struct PlainGame {
    /// The nodes of the tree, from the root on.
    pub path: Vec<u32>,
    /// All moves by their numbers: those from one node of the path to the next, then those of the playout.
    pub line: Vec<(Player, u32)>,
    /// What each player made of the result.
    pub gains: Vec<f64>,
}

impl PlainGame {
    /// The place of a node on the path.
    fn place(&self, node: u32) -> Option<usize> {
        self.path.iter().position(|&other| other == node)
    }

    /// The number of the games through a node, and what they brought a player.
    pub fn through(games: &[PlainGame], node: u32, player: Player) -> (f64, f64) {
        sum(games.iter().filter(|game| game.place(node).is_some()), player)
    }

    /// The same of those in which the player made a move at any time after the node. The game that made the node does not count.
    pub fn amaf(games: &[PlainGame], node: u32, player: Player, m: u32) -> (f64, f64) {
        let has_move = |game: &&PlainGame| {
            let place = game.place(node).filter(|place| place + 1 < game.path.len());
            place.is_some_and(|place| game.line[place..].contains(&(player, m)))
        };
        sum(games.iter().filter(has_move), player)
    }

    /// The same of those in which a move was the player's next one after the node, and led to a node.
    pub fn next_own(games: &[PlainGame], node: u32, player: Player, m: u32) -> (f64, f64) {
        let has_move = |game: &&PlainGame| {
            let after = game.place(node).map_or(&[][..], |place| &game.line[place..game.path.len() - 1]);
            after.iter().find(|played| played.0 == player).is_some_and(|played| played.1 == m)
        };
        sum(games.iter().filter(has_move), player)
    }
}

fn sum<'a>(games: impl Iterator<Item = &'a PlainGame>, player: Player) -> (f64, f64) {
    games.fold((0.0, 0.0), |(count, gain), game| (count + 1.0, gain + game.gains[player.index()]))
}
