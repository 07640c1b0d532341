//! The solver: what is proven of a node, and what follows for its parent.

use crate::settings::Choice;
use crate::{ByPlayer, MAX_PLAYERS, Player};

use super::shares::UNIT;

/// What is proven of a node if all its children are proven and none is won for its mover.
///
/// Where the root's opponents are one party ([`TreePolicy::Paranoid`](super::TreePolicy::Paranoid) and
/// [`TreePolicy::Brs`](super::TreePolicy::Brs)), it is always clear who loses, and all rules but `Off` are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Solver {
    /// The common result of the children that are best for the mover, if they have one.
    #[default]
    Standard,
    /// Of children that are best for the mover, the result of the one worst for the root player.
    Paranoid,
    /// Of children that are best for the mover, the result of the one best for the next player, then for the one after:
    /// the first winner after the mover in turn order.
    FirstWinner,
    /// Nothing is proven.
    Off,
}

impl Choice for Solver {
    const WORDS: &'static [(Solver, &'static str)] = &[
        (Solver::Standard, "standard"),
        (Solver::Paranoid, "paranoid"),
        (Solver::FirstWinner, "first-winner"),
        (Solver::Off, "off"),
    ];
}

/// What is proven of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Proof {
    /// The shares of the win.
    Payoff(ByPlayer<f32>),
    /// This player has no share in the win; who has is not known.
    Lost(Player),
}

/// A proof as a node holds it: nothing, the set of players who share the win equally, or [`Proven::LOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proven(pub(super) u8);

impl Proven {
    /// Nothing is proven.
    pub(super) const NOTHING: Proven = Proven(0);
    /// The root player loses; who wins is not known.
    pub(super) const LOST: Proven = Proven(1 << MAX_PLAYERS);

    /// One player wins.
    #[inline]
    pub(super) fn won(player: Player) -> Proven {
        Proven(1 << player.index())
    }

    /// The result of a finished game; nothing unless all who share in it share equally.
    pub(super) fn over(shares: &[u32]) -> Proven {
        let winners = shares.iter().filter(|&&share| share > 0);
        let most = winners.clone().max();
        if winners.min() != most {
            return Proven::NOTHING;
        }
        Proven(shares.iter().enumerate().fold(0, |set, (index, &share)| set | u8::from(share > 0) << index))
    }

    /// Whether anything is proven.
    #[inline]
    pub(super) fn is_proven(self) -> bool {
        self != Proven::NOTHING
    }

    /// Whether the shares of all players are proven.
    #[inline]
    pub(super) fn is_exact(self) -> bool {
        self.is_proven() && self != Proven::LOST
    }

    /// A player's share, in units, of an exact result.
    #[inline]
    pub(super) fn share(self, player: Player) -> u32 {
        if self.0 >> player.index() & 1 == 1 { UNIT / self.0.count_ones() } else { 0 }
    }

    /// The root player's share, where anything is proven.
    #[inline]
    pub(super) fn root_share(self, root: Player) -> u32 {
        if self == Proven::LOST { 0 } else { self.share(root) }
    }

    /// The proof in public terms.
    pub(super) fn proof(self, players: usize, root: Player) -> Option<Proof> {
        match self {
            Proven::NOTHING => None,
            Proven::LOST => Some(Proof::Lost(root)),
            set => Some(Proof::Payoff(ByPlayer::from_fn(players, |player| set.share(player) as f32 / UNIT as f32))),
        }
    }
}

/// What follows for a node from what is proven of its children, of which there is at least one, all moves of `mover`.
///
/// The mover takes the most it can get. A child won for the mover decides at once; otherwise all must be proven, and the
/// rule decides between those that are best for the mover.
pub(super) fn deduce(
    rule: Solver,
    players: usize,
    mover: Player,
    root: Player,
    children: impl Iterator<Item = Proven> + Clone,
) -> Proven {
    let mut open = false;
    for child in children.clone() {
        if child == Proven::won(mover) {
            return child;
        }
        open |= !child.is_proven();
    }
    if open {
        return Proven::NOTHING;
    }
    match rule {
        Solver::Off => Proven::NOTHING,
        Solver::Standard => {
            let most = children.clone().map(|child| child.share(mover)).max().unwrap_or(0);
            agreed(children.filter(|child| child.share(mover) == most))
        }
        Solver::FirstWinner => {
            let turns = |child: Proven| {
                let mut player = mover;
                let mut shares = [0; MAX_PLAYERS];
                for share in &mut shares[..players] {
                    *share = child.share(player);
                    player = player.next(players);
                }
                shares
            };
            children.max_by_key(|&child| turns(child)).unwrap_or(Proven::NOTHING)
        }
        Solver::Paranoid => deduce_paranoid(mover, root, children),
    }
}

/// The mover takes the most it can get and, between equals, what gives the root player least.
fn deduce_paranoid(mover: Player, root: Player, children: impl Iterator<Item = Proven> + Clone) -> Proven {
    let exact = children.clone().filter(|child| child.is_exact());
    let key = |child: Proven| (child.share(mover), UNIT - child.share(root));
    let best = exact.clone().map(key).max();
    // What the mover gets where the root is lost is not known, unless the mover is the root.
    let lost = exact.clone().count() < children.count();
    match best {
        None => Proven::LOST,
        Some((0, _)) if lost => Proven::LOST,
        Some((_, UNIT)) if lost => Proven::LOST,
        Some(_) if lost && mover != root => Proven::NOTHING,
        Some(best) => match agreed(exact.filter(|&child| key(child) == best)) {
            Proven::NOTHING if best.1 == UNIT => Proven::LOST,
            agreed => agreed,
        },
    }
}

/// What follows where the opponents are one party against the root player, and take what gives it least.
pub(super) fn deduce_one_sided(
    root: Player,
    roots_turn: bool,
    children: impl Iterator<Item = Proven> + Clone,
) -> Proven {
    let wish = |child: Proven| if roots_turn { child.root_share(root) } else { UNIT - child.root_share(root) };
    let mut most = 0;
    let mut open = false;
    for child in children.clone() {
        open |= !child.is_proven();
        if child.is_proven() {
            most = most.max(wish(child));
        }
    }
    match most {
        UNIT if roots_turn => Proven::won(root),
        UNIT => Proven::LOST,
        _ if open => Proven::NOTHING,
        _ => match agreed(children.filter(|&child| wish(child) == most)) {
            Proven::NOTHING if roots_turn && most == 0 => Proven::LOST,
            agreed => agreed,
        },
    }
}

/// What all have in common, if they are the same.
fn agreed(mut all: impl Iterator<Item = Proven>) -> Proven {
    let Some(first) = all.next() else { return Proven::NOTHING };
    if all.all(|other| other == first) { first } else { Proven::NOTHING }
}
