//! What Hearts and Spades share: the position, following suit, taking tricks, counting.

use nply::{ByPlayer, Game, Player, Rng, mix, shares};

use super::{Card, Hand, Options, Suit, deal, hearts, spades};

/// Which of the two games is played: its points and its special suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// One point for each heart taken and 13 for the queen of spades; the fewest win.
    Hearts,
    /// One point for each trick taken, and spades are trump; the most win.
    Spades,
}

impl Rules {
    /// The suit of the game's name: trump in Spades, the one that counts in Hearts, and in both the one that
    /// [`Options::breaking`] restricts.
    #[inline]
    pub const fn suit(self) -> Suit {
        match self {
            Rules::Hearts => Suit::Hearts,
            Rules::Spades => Suit::Spades,
        }
    }

    /// The points of a trick with these cards.
    #[inline]
    pub fn worth(self, trick: Hand) -> usize {
        match self {
            Rules::Hearts => hearts::points(trick),
            Rules::Spades => spades::points(trick),
        }
    }

    /// Whether a card beats the best one of the trick so far.
    #[inline]
    pub fn beats(self, card: Card, best: Card) -> bool {
        card.tops(best) || self == Rules::Spades && card.suit() == Suit::Spades && best.suit() != Suit::Spades
    }

    /// Whether a player with this hand can beat the best card of the trick so far.
    #[inline]
    pub fn can_beat(self, hand: Hand, led: Suit, best: Card) -> bool {
        let follow = hand.of(led);
        if !follow.is_empty() {
            return !(follow & Hand::above(best)).is_empty();
        }
        let higher = if best.suit() == Suit::Spades { Hand::above(best) } else { Hand::suit(Suit::Spades) };
        self == Rules::Spades && !(hand & higher).is_empty()
    }
}

/// A set of suits, one bit per [`Suit`].
pub(super) type Suits = u8;

/// A position of Hearts or Spades.
///
/// It has all hands, and what is publicly known, so that hidden hands can be dealt anew. What only matters for that (suits
/// shown to be lacking, the card left out) is not in the key.
#[derive(Clone, Debug)]
pub struct Tricks {
    pub(super) rules: Rules,
    pub(super) options: Options,
    pub(super) players: u8,
    /// The player who leads, or led, to the current trick.
    pub(super) leader: u8,
    /// The number of cards on the table.
    pub(super) laid: u8,
    /// Whether the suit of the game's name has been played on another suit's lead; kept whatever the options.
    pub(super) broken: bool,
    /// The cards on the table from the leader's on; the rest of the array is meaningless.
    pub(super) table: [Card; 4],
    /// Points, or tricks, taken.
    pub(super) taken: [u8; 4],
    /// Suits that players have shown to lack.
    pub(super) lacks: [Suits; 4],
    /// The card left out, with three players.
    pub(super) out: Option<Card>,
    pub(super) hands: [Hand; 4],
    pub(super) key: u64,
}

impl Tricks {
    /// The deal of a seed, player 1 to lead. The same seed deals the same cards in both games.
    pub(super) fn new(rules: Rules, players: usize, options: &Options, seed: u64) -> Tricks {
        let mut game = Tricks::empty(rules, players, *options);
        deal::deal(&mut game, &mut Rng::new(seed));
        game.key = game.fresh_key();
        game
    }

    /// A position without cards.
    pub(super) fn empty(rules: Rules, players: usize, options: Options) -> Tricks {
        let mut game = Tricks {
            rules,
            options,
            players: players as u8,
            leader: 0,
            laid: 0,
            broken: false,
            table: [Card::QUEEN; 4],
            taken: [0; 4],
            lacks: [0; 4],
            out: None,
            hands: [Hand::NONE; 4],
            key: 0,
        };
        game.key = game.fresh_key();
        game
    }

    /// Which of the two games is played.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The options of the game.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The cards that a player holds.
    #[inline]
    pub fn hand(&self, player: Player) -> Hand {
        self.hands[player.index()]
    }

    /// The points, or tricks, that a player has taken.
    #[inline]
    pub fn taken(&self, player: Player) -> usize {
        self.taken[player.index()] as usize
    }

    /// The player who leads, or led, to the current trick.
    #[inline]
    pub fn leader(&self) -> Player {
        Player::new(self.leader as usize)
    }

    /// The cards on the table, from the leader's on.
    #[inline]
    pub fn table(&self) -> &[Card] {
        &self.table[..self.laid as usize]
    }

    /// Whether the suit of the game's name has been played on another suit's lead.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// The card that was left out of the deal, with three players.
    pub fn left_out(&self) -> Option<Card> {
        self.out
    }

    /// Whether a player has shown to lack a suit.
    pub fn lacks(&self, player: Player, suit: Suit) -> bool {
        self.lacks[player.index()] >> suit as u8 & 1 != 0
    }

    /// The index of the player who plays `after` cards after the leader.
    #[inline]
    pub(super) fn seat(&self, after: usize) -> usize {
        let (seat, players) = (self.leader as usize + after, self.players as usize);
        if seat >= players { seat - players } else { seat }
    }

    /// The card that a player has on the table.
    #[inline]
    pub fn laid_by(&self, player: Player) -> Option<Card> {
        let (seat, leader) = (player.index(), self.leader as usize);
        let after = if seat < leader { seat + self.players as usize - leader } else { seat - leader };
        self.table().get(after).copied()
    }

    /// The player whose card is the best of the current trick, and the card.
    #[inline]
    pub fn holder(&self) -> Option<(Player, Card)> {
        let (&led, rest) = self.table().split_first()?;
        let (mut after, mut best) = (0, led);
        for (index, &card) in rest.iter().enumerate() {
            if self.rules.beats(card, best) {
                (after, best) = (index + 1, card);
            }
        }
        Some((Player::new(self.seat(after)), best))
    }

    /// The cards on the table as a set.
    #[inline]
    pub(super) fn laid_cards(&self) -> Hand {
        self.table().iter().copied().collect()
    }

    /// The cards in all hands together.
    #[inline]
    pub(super) fn held(&self) -> Hand {
        self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3]
    }

    /// The number of tricks still to be decided, the current one included.
    #[inline]
    pub(super) fn tricks_left(&self) -> usize {
        // The leader has played to the current trick, if it has begun.
        self.hands[self.leader as usize].len() + usize::from(self.laid > 0)
    }

    /// The cards that the player to move may play.
    #[inline]
    pub fn legal(&self) -> Hand {
        let hand = self.hands[self.turn().index()];
        let wanted = match self.table().first() {
            Some(led) => hand.of(led.suit()),
            None if self.options.breaking && !self.broken => hand & !Hand::suit(self.rules.suit()),
            None => hand,
        };
        if wanted.is_empty() { hand } else { wanted }
    }

    /// Plays a card and, if `KEYED`, updates the key.
    #[inline]
    fn put<const KEYED: bool>(&mut self, card: Card) {
        let player = self.turn().index();
        self.learn::<KEYED>(player, card);
        self.hands[player].remove(card);
        self.table[self.laid as usize] = card;
        self.laid += 1;
        if KEYED {
            self.key ^= KEYS.held[player][card.index()] ^ KEYS.laid[player][card.index()] ^ KEYS.turn[player];
        }
        if self.laid == self.players {
            self.take::<KEYED>();
        }
        if KEYED {
            self.key ^= KEYS.turn[self.turn().index()];
        }
    }

    /// Records what a card that is about to be played shows.
    #[inline]
    fn learn<const KEYED: bool>(&mut self, player: usize, card: Card) {
        let own = self.rules.suit();
        match self.table().first() {
            Some(led) => {
                // Without a branch: whether somebody follows suit cannot be predicted.
                let is_other = led.suit() != card.suit();
                self.lacks[player] |= u8::from(is_other) << led.suit() as u8;
                if !self.broken && is_other && card.suit() == own {
                    self.broken = true;
                    if KEYED && self.options.breaking {
                        self.key ^= KEYS.broken;
                    }
                }
            }
            None if self.options.breaking && !self.broken && card.suit() == own => {
                self.lacks[player] |= 0b1111 ^ 1 << own as u8;
            }
            _ => {}
        }
    }

    /// Gives the full trick to its taker, who leads next.
    #[inline]
    fn take<const KEYED: bool>(&mut self) {
        let Some((taker, _)) = self.holder() else { return };
        let taker = taker.index();
        if KEYED {
            for after in 0..self.players as usize {
                self.key ^= KEYS.laid[self.seat(after)][self.table[after].index()];
            }
            self.key ^= KEYS.taken[taker][self.taken[taker] as usize];
        }
        self.taken[taker] += self.rules.worth(self.laid_cards()) as u8;
        if KEYED {
            self.key ^= KEYS.taken[taker][self.taken[taker] as usize];
        }
        self.leader = taker as u8;
        self.laid = 0;
    }

    /// The key, computed from scratch.
    pub(super) fn fresh_key(&self) -> u64 {
        let mut key = KEYS.turn[self.turn().index()];
        for player in 0..self.players as usize {
            key ^= KEYS.taken[player][self.taken[player] as usize];
            for card in self.hands[player].iter() {
                key ^= KEYS.held[player][card.index()];
            }
        }
        for (after, card) in self.table().iter().enumerate() {
            key ^= KEYS.laid[self.seat(after)][card.index()];
        }
        if self.options.breaking && self.broken {
            key ^= KEYS.broken;
        }
        key
    }
}

impl Game for Tricks {
    type Move = Card;

    #[inline]
    fn player_count(&self) -> usize {
        self.players as usize
    }

    #[inline]
    fn turn(&self) -> Player {
        Player::new(self.seat(self.laid as usize))
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Card>) {
        out.extend(self.legal().iter());
    }

    /// Of cards in one hand with no card in play between them only the highest: they take and lose the same tricks. The
    /// queen of spades in Hearts is equivalent to no other card.
    #[inline]
    fn distinct(&self, out: &mut Vec<Card>) {
        let hand = self.hands[self.turn().index()];
        let in_play = self.held() | self.laid_cards();
        let is_queen = |card| self.rules == Rules::Hearts && card == Card::QUEEN;
        out.extend(self.legal().iter().filter(|&card| {
            let next = (in_play & Hand::above(card)).last();
            !next.is_some_and(|next| hand.contains(next) && !is_queen(card) && !is_queen(next))
        }));
    }

    #[inline]
    fn play(&mut self, m: Card) {
        self.put::<true>(m);
    }

    #[inline]
    fn payoff(&self) -> Option<ByPlayer<f32>> {
        // The last to play to a trick holds a card until the trick is full.
        if !self.hands[self.turn().index()].is_empty() {
            return None;
        }
        let sign = if self.rules == Rules::Hearts { -1 } else { 1 };
        Some(shares(&ByPlayer::from_fn(self.player_count(), |player| sign * self.taken(player) as i32)))
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    #[inline]
    fn random_move(&self, _: &mut Vec<Card>, rng: &mut Rng) -> Card {
        self.legal().pick(rng)
    }

    #[inline]
    fn play_unkeyed(&mut self, m: Card) {
        self.put::<false>(m);
    }

    fn points(&self) -> Option<ByPlayer<f32>> {
        Some(ByPlayer::from_fn(self.player_count(), |player| self.taken(player) as f32))
    }

    fn determinize(&self, observer: Player, rng: &mut Rng) -> Tricks {
        if self.options.hidden { deal::redeal(self, observer, rng) } else { self.clone() }
    }
}

/// The most points or tricks that can be taken.
pub(super) const MOST: usize = 26;

/// Zobrist keys.
struct Keys {
    held: [[u64; 64]; 4],
    laid: [[u64; 64]; 4],
    taken: [[u64; MOST + 1]; 4],
    turn: [u64; 4],
    broken: u64,
}

static KEYS: Keys = Keys::new();

impl Keys {
    const fn new() -> Keys {
        let mut keys = Keys {
            held: [[0; 64]; 4],
            laid: [[0; 64]; 4],
            taken: [[0; MOST + 1]; 4],
            turn: [0; 4],
            broken: mix(1 << 60),
        };
        let mut player = 0;
        while player < 4 {
            let seed = (player as u64 + 1) << 32;
            let mut index = 0;
            while index < 64 {
                keys.held[player][index] = mix(seed + index as u64);
                keys.laid[player][index] = mix(seed + 64 + index as u64);
                if index <= MOST {
                    keys.taken[player][index] = mix(seed + 128 + index as u64);
                }
                index += 1;
            }
            keys.turn[player] = mix(seed + 192);
            player += 1;
        }
        keys
    }
}
