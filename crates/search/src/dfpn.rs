//! Depth-first proof-number search for one player against the rest.
//!
//! A question has the answer yes or no: does the player get at least so much, whatever all the others do? That makes a game for
//! many players an AND/OR tree, as Paranoid sees it: where the player moves one good move is enough, where anybody else moves every
//! move must be good. The *proof number* of a node is the least number of leaves below it that must turn out well to answer yes,
//! its *disproof number* the least number that must turn out badly to answer no:
//!
//! ```text
//! yes:  pn = 0, dn = ∞        no:  pn = ∞, dn = 0        not looked at:  see below
//! the player moves:           pn = min over children,      dn = sum over children
//! anybody else moves:         pn = sum over children,      dn = min over children
//! ```
//!
//! The search always goes on at a leaf that counts in both, so it is drawn to narrow parts of the tree, however deep: where a side
//! has few replies. It does so depth-first (*df-pn*): it stays below a node until its numbers reach limits at which another
//! child of one of its ancestors becomes more promising, and keeps the numbers of positions in a table of bounded size. What the
//! table has lost is searched again.
//!
//! - *Sums*. Where several orders of moves lead to a position, it counts in all of them. The largest number of the children and one for
//!   every other open child would not grow like that (*weak proof-number search*, Ueda et al. 2008), but took from as many to ninety
//!   times as many nodes as sums in Rolit for three on 6 by 6 fields.
//! - *1 + ε*. A child may grow to a quarter more than its best sibling before the search turns to that one, not just to one more, so
//!   that it does not jump to and fro between them, each time losing what the table has no room for (Pawlewicz and Lew 2007).
//! - *New leaves*. A leaf that has not been looked at needs one good reply, or all of them: its numbers are 1 and its number of moves
//!   (*mobility*, Allis 1994).
//! - *Bounds*. A position is a leaf as soon as the [bounds](crate::Tally::bounds) decide it.
//!
//! # History
//!
//! The table knows a position by its key, by its distance from the root and by the [key of its history](crate::Game::history_key). So no
//! position is below itself, and what repetitions or limits of plies decide is never carried over to where they do not. A position
//! whose result depends on a history that the game has no key for is neither yes nor no: both numbers are ∞ there, and so they are
//! wherever it would decide. The answer is then [`Answer::Unknown`], never a wrong one.
//!
//! # Example
//!
//! Player 1 asks for 5 points. On the left player 2 can leave 4. On the right everybody must leave at least 5.
//!
//! ```text
//!                      1: yes
//!               ┌────────┴────────▲
//!            2: no             2: yes
//!          ┌────┴────▲        ┌────┴────┐
//!        6,2,6     4,1,6    7,2,9     5,2,1
//! ```
//!
//! ```
//! use nply::dfpn::{Answer, Dfpn};
//! use nply::{Budget, Declaration, Meter, Player, Question, Tree};
//! let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
//! let tally = Tree::TALLY.unwrap();
//! let ask = |at_least| {
//!     let question = Question { tally, player: Player::new(0), at_least };
//!     Dfpn::new(1 << 16).ask(&tree, &question, &mut Meter::new(&Budget::default()), &mut |_| ())
//! };
//! assert_eq!(ask(5), Answer::Proved);
//! assert_eq!(ask(6), Answer::Disproved);
//! ```
//!
//! # References
//!
//! - L. V. Allis, *Searching for Solutions in Games and Artificial Intelligence*, 1994.
//! - A. Nagai, *Df-pn Algorithm for Searching AND/OR Trees and Its Applications*, 2002.
//! - J. Pawlewicz, Ł. Lew, *Improving Depth-First PN-Search: 1 + ε Trick*, 2007.
//! - T. Ueda, T. Hashimoto, J. Hashimoto, H. Iida, *Weak Proof-Number Search*, 2008.
//! - J.-T. Saito, M. H. M. Winands, *Paranoid Proof-Number Search*, 2010: one player against the rest.

use crate::{Game, Meter, OutOfBudget, Question, mix};

/// Infinite: there is nothing to wait for any more.
const INFINITE: u32 = u32::MAX;

/// The deepest position below the root. Beyond it a position is not looked at.
const DEEPEST: usize = 10_000;

/// Nodes between two reports of progress.
const REPORT: u64 = 1 << 18;

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The player gets that much, whatever the others do.
    Proved,
    /// The others together can prevent it.
    Disproved,
    /// The budget ended first, or the answer depends on a history that the game has no key for.
    Unknown,
}

impl Answer {
    /// The word for it: `proved`, `disproved` or `unknown`.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Proved => "proved",
            Answer::Disproved => "disproved",
            Answer::Unknown => "unknown",
        }
    }
}

/// Proof and disproof number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    pn: u32,
    dn: u32,
}

impl Numbers {
    const YES: Numbers = Numbers { pn: 0, dn: INFINITE };
    const NO: Numbers = Numbers { pn: INFINITE, dn: 0 };
    /// Nothing can be proved here.
    const UNKNOWN: Numbers = Numbers { pn: INFINITE, dn: INFINITE };

    fn of(yes: bool) -> Numbers {
        if yes { Numbers::YES } else { Numbers::NO }
    }

    /// Whether nothing that is searched below can change the numbers.
    #[inline]
    fn is_final(self) -> bool {
        self.pn == 0 || self.dn == 0 || self == Numbers::UNKNOWN
    }

    fn answer(self) -> Answer {
        match self {
            Numbers { pn: 0, .. } => Answer::Proved,
            Numbers { dn: 0, .. } => Answer::Disproved,
            _ => Answer::Unknown,
        }
    }

    /// The same from the other side.
    #[inline]
    fn turned(self, turn: bool) -> Numbers {
        if turn { Numbers { pn: self.dn, dn: self.pn } } else { self }
    }

    /// Whether the numbers have reached limits, of which infinite ones are never reached.
    #[inline]
    fn reach(self, limit: Numbers) -> bool {
        self.pn >= limit.pn && limit.pn < INFINITE || self.dn >= limit.dn && limit.dn < INFINITE
    }
}

/// What the search knows of the question at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Positions expanded so far.
    pub nodes: u64,
    /// The proof number.
    pub pn: u32,
    /// The disproof number.
    pub dn: u32,
}

/// Depth-first proof-number search with its table, which stays from question to question.
#[derive(Debug)]
pub struct Dfpn<G: Game> {
    table: ProofTable,
    /// The path from the root; only the first `depth` are in use, the others keep their memory.
    frames: Vec<Frame<G>>,
    moves: Vec<G::Move>,
}

/// A position on the path.
#[derive(Debug)]
struct Frame<G: Game> {
    game: G,
    id: u64,
    /// Whether others than the player who asks are to move: their numbers are seen from the other side, so that one move is enough.
    against: bool,
    limit: Numbers,
    /// Nodes searched before this one.
    before: u64,
    children: Vec<Child<G::Move>>,
    /// The child that is being searched.
    at: usize,
}

#[derive(Clone, Copy, Debug)]
struct Child<M> {
    m: M,
    id: u64,
    /// From the side of the mover.
    numbers: Numbers,
}

/// What decides the identity of a position besides itself.
fn salt<G: Game>(question: &Question<G>) -> u64 {
    let name = question.tally.name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
    mix(name ^ mix(question.at_least as u64) ^ question.player.index() as u64)
}

/// The identity of a position in the table; `None` if its history has no key.
#[inline]
fn identity<G: Game>(game: &G, salt: u64, depth: usize) -> Option<u64> {
    let history = game.history_key()?;
    Some(mix(game.key() ^ mix(salt ^ mix(history ^ (depth as u64) << 32))))
}

impl<G: Game> Dfpn<G> {
    /// A search whose table takes at most so many bytes.
    pub fn new(bytes: usize) -> Dfpn<G> {
        Dfpn { table: ProofTable::new(bytes), frames: Vec::new(), moves: Vec::new() }
    }

    /// Answers a question about a position. `watch` learns how far the search is, now and then.
    pub fn ask(
        &mut self,
        game: &G,
        question: &Question<G>,
        meter: &mut Meter,
        watch: &mut dyn FnMut(&State),
    ) -> Answer {
        self.ask_below(game, 0, question, meter, watch)
    }

    /// The same for a position at a distance from the root of the question.
    pub(crate) fn ask_below(
        &mut self,
        game: &G,
        depth: usize,
        question: &Question<G>,
        meter: &mut Meter,
        watch: &mut dyn FnMut(&State),
    ) -> Answer {
        if let Some(decided) = question.decided(game) {
            return Numbers::of(decided.yes).answer();
        }
        let Some(id) = identity(game, salt(question), depth) else { return Answer::Unknown };
        let kept = self.table.get(id);
        if let Some(numbers) = kept.filter(|numbers| numbers.is_final()) {
            return numbers.answer();
        }
        self.search(game, id, depth, question, meter, watch).map_or(Answer::Unknown, Numbers::answer)
    }

    /// What the table has on a position at a distance from the root, or what needs no table; with the nodes that it took.
    pub(crate) fn known(&self, game: &G, depth: usize, question: &Question<G>) -> (Answer, u32) {
        if let Some(decided) = question.decided(game) {
            return (Numbers::of(decided.yes).answer(), 0);
        }
        let kept = identity(game, salt(question), depth).and_then(|id| self.table.find(id));
        kept.map_or((Answer::Unknown, 0), |entry| (entry.numbers.answer(), entry.work))
    }

    /// A move with which the player to move, at a distance from the root, keeps the answer to a question that goes the mover's way. What the
    /// table has lost is searched again; nothing if the budget ends first.
    pub(crate) fn choose(
        &mut self,
        game: &G,
        depth: usize,
        question: &Question<G>,
        meter: &mut Meter,
    ) -> Option<G::Move> {
        let wanted = if game.turn() == question.player { Answer::Proved } else { Answer::Disproved };
        let (mut moves, mut position) = (Vec::new(), game.clone());
        game.distinct(&mut moves);
        let known = moves.iter().map(|&m| (m, position.visit(m, |child| self.known(child, depth + 1, question))));
        let good = known.filter(|(_, (answer, _))| *answer == wanted);
        // Less work makes a shorter proof.
        if let Some((m, _)) = good.min_by_key(|(_, (_, work))| *work) {
            return Some(m);
        }
        let id = identity(game, salt(question), depth)?;
        let numbers = self.search(game, id, depth, question, meter, &mut |_| ()).ok()?;
        let good = self.frames[0].children.iter().find(|child| child.numbers.pn == 0);
        good.filter(|_| numbers.answer() == wanted).map(|child| child.m)
    }

    /// The numbers of the root, final ones.
    fn search(
        &mut self,
        game: &G,
        id: u64,
        above: usize,
        question: &Question<G>,
        meter: &mut Meter,
        watch: &mut dyn FnMut(&State),
    ) -> Result<Numbers, OutOfBudget> {
        let salt = salt(question);
        let mut next_report = meter.nodes() + REPORT;
        let mut depth = 0;
        self.enter(depth, game.clone(), id, Numbers::UNKNOWN, above, question, salt, meter)?;
        loop {
            let Frame { game, id, against, limit, before, children, at } = &mut self.frames[depth];
            let numbers = combine(children);
            if numbers.is_final() || numbers.reach(*limit) {
                let (numbers, work) = (numbers.turned(*against), meter.nodes() - *before);
                self.table.store(*id, numbers, u32::try_from(work).unwrap_or(u32::MAX));
                if depth == 0 {
                    return Ok(numbers);
                }
                depth -= 1;
                let Frame { against, children, at, .. } = &mut self.frames[depth];
                children[*at].numbers = numbers.turned(*against);
                continue;
            }
            if meter.nodes() >= next_report {
                next_report = meter.nodes() + REPORT;
                let Frame { against, children, .. } = &self.frames[0];
                let Numbers { pn, dn } = combine(children).turned(*against);
                watch(&State { nodes: meter.nodes(), pn, dn });
                continue;
            }
            let (best, child_limit) = select(children, *limit);
            *at = best;
            let (child, child_limit) = (children[best], child_limit.turned(*against));
            let mut next = game.clone();
            next.play(child.m);
            depth += 1;
            self.enter(depth, next, child.id, child_limit, above, question, salt, meter)?;
        }
    }

    /// Expands a position: the numbers of its children are from the table, or first ones.
    #[allow(clippy::too_many_arguments, reason = "one for each part of a frame, and what identifies children")]
    fn enter(
        &mut self,
        depth: usize,
        game: G,
        id: u64,
        limit: Numbers,
        above: usize,
        question: &Question<G>,
        salt: u64,
        meter: &mut Meter,
    ) -> Result<(), OutOfBudget> {
        let before = meter.nodes();
        meter.tick()?;
        let against = game.turn() != question.player;
        let limit = limit.turned(against);
        if self.frames.len() == depth {
            self.frames.push(Frame { game, id, against, limit, before, children: Vec::new(), at: 0 });
        } else {
            let frame = &mut self.frames[depth];
            (frame.game, frame.id, frame.against, frame.limit, frame.before, frame.at) =
                (game, id, against, limit, before, 0);
        }
        let Frame { game, children, .. } = &mut self.frames[depth];
        children.clear();
        self.moves.clear();
        game.distinct(&mut self.moves);
        let count = self.moves.len();
        let below = above + depth + 1;
        for index in 0..count {
            let m = self.moves[index];
            let (moves, table) = (&mut self.moves, &self.table);
            let (id, numbers) = game.visit(m, |child| {
                if let Some(decided) = question.decided(child) {
                    return (0, Numbers::of(decided.yes));
                }
                let Some(id) = identity(child, salt, below).filter(|_| below < DEEPEST) else {
                    return (0, Numbers::UNKNOWN);
                };
                let numbers = table.get(id).unwrap_or_else(|| {
                    child.distinct(moves);
                    let replies = (moves.len() - count) as u32;
                    moves.truncate(count);
                    Numbers { pn: 1, dn: replies }.turned(child.turn() != question.player)
                });
                (id, numbers)
            });
            let numbers = numbers.turned(against);
            children.push(Child { m, id, numbers });
            // One good move is enough.
            if numbers.pn == 0 {
                break;
            }
        }
        Ok(())
    }
}

/// The numbers of a position from those of its children, all from the side of its mover.
#[inline]
fn combine<M>(children: &[Child<M>]) -> Numbers {
    let (mut pn, mut dn) = (INFINITE, 0);
    for Child { numbers, .. } in children {
        pn = pn.min(numbers.pn);
        dn = match numbers.dn {
            INFINITE => INFINITE,
            _ if dn == INFINITE => INFINITE,
            more => dn.saturating_add(more).min(INFINITE - 1),
        };
    }
    Numbers { pn, dn: if pn == 0 { INFINITE } else { dn } }
}

/// The child to search, of a position whose numbers are neither final nor at their limits, and the limits of its own numbers; all from
/// the side of the mover.
#[inline]
fn select<M>(children: &[Child<M>], limit: Numbers) -> (usize, Numbers) {
    let (mut best, mut second, mut others) = (usize::MAX, INFINITE, 0u32);
    for (index, Child { numbers, .. }) in children.iter().enumerate() {
        others = others.saturating_add(numbers.dn);
        if numbers.is_final() {
            continue;
        }
        let is_better =
            best == usize::MAX || (numbers.pn, numbers.dn) < (children[best].numbers.pn, children[best].numbers.dn);
        if is_better {
            if best != usize::MAX {
                second = second.min(children[best].numbers.pn);
            }
            best = index;
        } else {
            second = second.min(numbers.pn);
        }
    }
    let pn = match second {
        INFINITE => limit.pn,
        second => limit.pn.min(second.saturating_add(1 + second / 4)),
    };
    // A limit that is finite is above the sum.
    let dn = if limit.dn == INFINITE { INFINITE } else { limit.dn - (others - children[best].numbers.dn) };
    (best, Numbers { pn, dn })
}

/// What is kept of a position.
#[derive(Clone, Copy, Debug)]
struct Entry {
    id: u64,
    numbers: Numbers,
    /// The nodes that its numbers took; 0 for none.
    work: u32,
}

const EMPTY: Entry = Entry { id: 0, numbers: Numbers::UNKNOWN, work: 0 };

/// Entries that compete for the same places.
const WAYS: usize = 4;

/// The numbers of positions, in a bounded number of places. What took the fewest nodes gives way.
#[derive(Debug)]
struct ProofTable {
    buckets: Vec<[Entry; WAYS]>,
    most: usize,
    used: usize,
}

impl ProofTable {
    fn new(bytes: usize) -> ProofTable {
        let most = (bytes / size_of::<[Entry; WAYS]>()).max(1);
        let mut first = most;
        while first > 1 << 8 {
            first = first.div_ceil(4);
        }
        ProofTable { buckets: vec![[EMPTY; WAYS]; first], most, used: 0 }
    }

    #[inline]
    fn bucket(&self, id: u64) -> usize {
        ((u128::from(id) * self.buckets.len() as u128) >> 64) as usize
    }

    #[inline]
    fn find(&self, id: u64) -> Option<&Entry> {
        self.buckets[self.bucket(id)].iter().find(|entry| entry.id == id && entry.work > 0)
    }

    #[inline]
    fn get(&self, id: u64) -> Option<Numbers> {
        self.find(id).map(|entry| entry.numbers)
    }

    fn store(&mut self, id: u64, numbers: Numbers, work: u32) {
        if self.used > self.buckets.len() * WAYS / 2 && self.buckets.len() < self.most {
            self.grow();
        }
        let bucket = self.bucket(id);
        let bucket = &mut self.buckets[bucket];
        let at = match bucket.iter().position(|entry| entry.id == id && entry.work > 0) {
            Some(at) => at,
            None => {
                let least = (0..WAYS).min_by_key(|&at| bucket[at].work).unwrap_or(0);
                self.used += usize::from(bucket[least].work == 0);
                least
            }
        };
        let work = if bucket[at].id == id { bucket[at].work.saturating_add(work) } else { work };
        bucket[at] = Entry { id, numbers, work: work.max(1) };
    }

    /// Four times as many places, or as many as are allowed.
    fn grow(&mut self) {
        let more = (self.buckets.len() * 4).min(self.most);
        let old = std::mem::replace(&mut self.buckets, vec![[EMPTY; WAYS]; more]);
        self.used = 0;
        for entry in old.into_iter().flatten().filter(|entry| entry.work > 0) {
            self.store(entry.id, entry.numbers, entry.work);
        }
    }
}
