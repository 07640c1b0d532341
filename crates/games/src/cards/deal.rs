//! Dealing at the start, and dealing anew what an observer cannot see.
//!
//! Unseen cards go to three places: the other players' hands and, with three players, the card left out. A deal fits if every
//! place gets its number of cards and no player gets a suit shown to be lacking. All deals that fit are equally likely: they
//! are counted suit by suit (only the number of cards of a suit that go to each place matters to the other suits), and a split
//! of each suit is drawn in proportion to the number of deals that have it.

use nply::{Player, Rng};

use super::rules::Suits;
use super::{Card, Hand, Suit, Tricks};

/// Deals all cards, one left out with three players.
pub(super) fn deal(game: &mut Tricks, rng: &mut Rng) {
    let mut cards: Vec<Card> = Hand::ALL.iter().collect();
    rng.shuffle(&mut cards);
    let players = game.players as usize;
    let each = cards.len() / players;
    for (player, cards) in cards.chunks_exact(each).enumerate() {
        game.hands[player] = cards.iter().copied().collect();
    }
    game.out = cards.get(each * players).copied();
}

/// A place for unseen cards.
#[derive(Clone, Copy, Default)]
struct Place {
    /// A player; `None` for the card left out.
    owner: Option<usize>,
    /// The number of cards.
    room: usize,
    /// Suits that cannot be there.
    lacks: Suits,
}

/// Keeps the observer's hand and everything public and deals the rest anew, each deal that fits as likely as any other. The
/// result depends on nothing that the observer does not know.
pub(super) fn redeal(game: &Tricks, observer: Player, rng: &mut Rng) -> Tricks {
    let mut places = [Place::default(); 3];
    let others = (0..game.players as usize).filter(|&player| player != observer.index());
    let mut unseen = Hand::NONE;
    for (place, player) in places.iter_mut().zip(others) {
        *place = Place { owner: Some(player), room: game.hands[player].len(), lacks: game.lacks[player] };
        unseen = unseen | game.hands[player];
    }
    if let Some(out) = game.out {
        places[2] = Place { owner: None, room: 1, lacks: 0 };
        unseen.insert(out);
    }

    let counts = Suit::ALL.map(|suit| unseen.of(suit).len());
    let ways = Ways::count(&places, &counts);
    let mut dealt = game.clone();
    for place in &places {
        if let Some(player) = place.owner {
            dealt.hands[player] = Hand::NONE;
        }
    }
    for suit in Suit::ALL {
        let split = ways.draw(suit, &places, counts[suit as usize], rng);
        let mut cards: Vec<Card> = unseen.of(suit).iter().collect();
        rng.shuffle(&mut cards);
        let mut cards = cards.into_iter();
        for (place, count) in places.iter_mut().zip(split) {
            place.room -= count;
            for card in cards.by_ref().take(count) {
                match place.owner {
                    Some(player) => dealt.hands[player].insert(card),
                    None => dealt.out = Some(card),
                }
            }
        }
    }
    dealt.key = dealt.fresh_key();
    dealt
}

/// A hand has at most 17 cards.
const SIZES: usize = 18;

/// For every suit and room left in the first two places: the number of ways in which this suit and the later ones can be
/// dealt. The third place has the rest of the room. At most 39 cards in hands of 13 are dealt, in about 8.4 × 10^16 ways.
struct Ways([[[u64; SIZES]; SIZES]; 5]);

impl Ways {
    fn count(places: &[Place; 3], counts: &[usize; 4]) -> Ways {
        let mut ways = Ways([[[0; SIZES]; SIZES]; 5]);
        ways.0[4][0][0] = 1;
        let mut cards = 0;
        for suit in Suit::ALL.into_iter().rev() {
            let count = counts[suit as usize];
            cards += count;
            for first in 0..=places[0].room.min(cards) {
                for second in 0..=places[1].room.min(cards - first) {
                    let third = cards - first - second;
                    if third > places[2].room {
                        continue;
                    }
                    let mut left = *places;
                    (left[0].room, left[1].room, left[2].room) = (first, second, third);
                    ways.0[suit as usize][first][second] =
                        splits(suit, &left, count).map(|split| ways.of(suit, &left, split)).sum();
                }
            }
        }
        ways
    }

    /// The number of deals of this suit and the later ones with this split of the suit.
    fn of(&self, suit: Suit, places: &[Place; 3], split: [usize; 3]) -> u64 {
        let later = self.0[suit as usize + 1][places[0].room - split[0]][places[1].room - split[1]];
        let [first, second, third] = split;
        choose(first + second + third, first) * choose(second + third, second) * later
    }

    /// Draws a split of this suit, in proportion to the number of deals that have it.
    fn draw(&self, suit: Suit, places: &[Place; 3], count: usize, rng: &mut Rng) -> [usize; 3] {
        let all = self.0[suit as usize][places[0].room][places[1].room];
        let mut at = below(all, rng);
        let found = splits(suit, places, count).find(|&split| {
            let ways = self.of(suit, places, split);
            let here = at < ways;
            at = at.wrapping_sub(ways);
            here
        });
        found.expect("the true deal fits, so some deal does")
    }
}

/// The ways to split `count` cards of a suit among the places.
fn splits(suit: Suit, places: &[Place; 3], count: usize) -> impl Iterator<Item = [usize; 3]> {
    let most = places.map(|place| if place.lacks >> suit as u8 & 1 != 0 { 0 } else { place.room.min(count) });
    (0..=most[0]).flat_map(move |first| {
        let least = (count - first).saturating_sub(most[2]);
        (least..=most[1].min(count - first)).map(move |second| [first, second, count - first - second])
    })
}

/// A whole number below `n`, each exactly as likely as any other.
fn below(n: u64, rng: &mut Rng) -> u64 {
    let fair = u64::MAX - u64::MAX % n;
    loop {
        let bits = rng.bits();
        if bits < fair {
            return bits % n;
        }
    }
}

/// The binomial coefficient, for `n` up to 13.
fn choose(n: usize, k: usize) -> u64 {
    const TRIANGLE: [[u64; 14]; 14] = {
        let mut rows = [[0; 14]; 14];
        let mut n = 0;
        while n < 14 {
            rows[n][0] = 1;
            let mut k = 1;
            while k <= n {
                rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][k];
                k += 1;
            }
            n += 1;
        }
        rows
    };
    TRIANGLE[n][k]
}
