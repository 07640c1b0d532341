//! The memory of the tree.
//!
//! A node is four words and one more for each player: its visits, the place and number of its children, a label with its
//! move, mover and proof, and the sum of every player's shares. With four players that is 32 bytes, with six 40. The children
//! of a node are adjacent. All words are atomic, so that threads share the tree without locks. Memory comes in chunks: each
//! thread puts new nodes into a chunk of its own and takes another when that is full, so that threads seldom wait for each
//! other.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{ByPlayer, Player, Score};

use super::shares::FINER;
use super::solver::Proven;

/// Nodes in a chunk. The children of one node are never in two.
const CHUNK: u32 = 1 << 14;

/// The most chunks, whatever the memory: nodes have numbers of 32 bits.
const MOST_CHUNKS: usize = 1 << 17;

/// Words in a cache line. Chunks start with one, so that no node of 32 bytes is in two.
const LINE: usize = 16;

/// Bits of a node's label: the proof, then the mover, then the number of the move.
const MOVER: u32 = 8;
const MOVE: u32 = 11;

/// The most moves that can be numbered.
pub(super) const MOST_MOVES: u32 = 1 << (32 - MOVE);

/// Stands for the children of a node while a thread is listing them.
const CLAIMED: u32 = u32::MAX;

/// Visits after which a node stops counting, so that the sums of its shares stay within a word.
pub(super) const MOST_VISITS: u32 = 1 << (26 - FINER);

/// All nodes of a tree.
pub(crate) struct Arena {
    chunks: Vec<OnceLock<Chunk>>,
    width: usize,
    /// Chunks that have been handed out.
    given: AtomicU32,
    /// The most that may be.
    limit: u32,
}

/// The memory of some nodes.
struct Chunk {
    words: Box<[AtomicU32]>,
    /// Words before the first cache line.
    skip: usize,
}

/// The part of a chunk that one thread may put new nodes in.
#[derive(Default)]
pub(crate) struct Room {
    next: u32,
    end: u32,
    /// Whether a node has been refused.
    full: bool,
}

impl Room {
    /// Whether a node has been refused, so that it is useless to ask again.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.full
    }
}

impl Arena {
    /// An arena of at most `memory` bytes, but at least one chunk for each thread. A node has so many words besides the usual four: one
    /// for each player, and what else is kept after them.
    pub(crate) fn new(words: usize, memory: usize, threads: usize) -> Arena {
        let width = 4 + words;
        Arena::with_chunks(width, (memory / chunk_bytes(width)).max(threads).clamp(1, MOST_CHUNKS))
    }

    fn with_chunks(width: usize, count: usize) -> Arena {
        let chunks = (0..count).map(|_| OnceLock::new()).collect();
        Arena { chunks, width, given: AtomicU32::new(0), limit: count as u32 }
    }

    /// Forgets all nodes and keeps the memory; every [`Room`] becomes invalid.
    pub(crate) fn clear(&mut self) {
        *self.given.get_mut() = 0;
    }

    /// Frees memory that no node uses.
    pub(super) fn trim(&mut self) {
        let given = *self.given.get_mut() as usize;
        for chunk in &mut self.chunks[given..] {
            chunk.take();
        }
    }

    /// Bytes in use for nodes.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().filter(|chunk| chunk.get().is_some()).count() * chunk_bytes(self.width)
    }

    /// Whether more than half of the chunks are handed out.
    pub(super) fn is_half_full(&self) -> bool {
        self.given.load(Ordering::Relaxed) > self.limit / 2
    }

    /// Reserves adjacent nodes. Their words are not cleared.
    pub(crate) fn allocate(&self, room: &mut Room, count: usize) -> Option<u32> {
        if count >= CHUNK as usize {
            return None;
        }
        let count = count as u32;
        if room.end - room.next < count {
            let Some(chunk) = self.give() else {
                room.full = true;
                return None;
            };
            // There is no node 0: it stands for "no children".
            (room.next, room.end) = ((chunk * CHUNK).max(1), (chunk + 1) * CHUNK);
        }
        let first = room.next;
        room.next += count;
        Some(first)
    }

    /// The number of a chunk that no other thread has.
    fn give(&self) -> Option<u32> {
        let more = |given| (given < self.limit).then_some(given + 1);
        let chunk = self.given.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        self.chunks[chunk as usize].get_or_init(|| Chunk::new(self.width));
        Some(chunk)
    }

    /// Adjacent nodes.
    #[inline]
    pub(crate) fn block(&self, first: u32, count: usize) -> Block<'_> {
        let chunk = self.chunks[(first / CHUNK) as usize].get().expect("nodes are used after they are allocated");
        let start = chunk.skip + (first % CHUNK) as usize * self.width;
        Block { words: &chunk.words[start..start + count * self.width], width: self.width }
    }

    /// One node.
    #[inline]
    pub(crate) fn node(&self, at: u32) -> Node<'_> {
        Node { words: self.block(at, 1).words }
    }

    /// A node's children.
    #[inline]
    pub(crate) fn children(&self, children: Children) -> Block<'_> {
        self.block(children.first, children.count as usize)
    }

    /// Copies the tree below a node to a new arena of at most `room` bytes, where that node is number 1. Also returns the
    /// room for its next nodes; `None` if the bytes do not suffice.
    pub(super) fn copy(&self, root: u32, room: usize) -> Option<(Arena, Room)> {
        let mut to = Arena::with_chunks(self.width, self.chunks.len());
        let whole = to.limit;
        to.limit = whole.min((room / chunk_bytes(self.width)) as u32);
        let mut room = Room::default();
        let mut at = to.allocate(&mut room, 1)?;
        to.node(at).set(self.node(root));
        // Cheney's algorithm: the copied nodes are themselves the list of those whose children must be copied. Nodes
        // skipped at the end of a chunk have no children.
        while at < room.next {
            if let Some(children) = to.node(at).children() {
                let first = to.allocate(&mut room, children.count as usize)?;
                let (old, new) = (self.children(children), to.block(first, children.count as usize));
                for (from, to) in old.nodes().zip(new.nodes()) {
                    to.set(from);
                }
                to.node(at).words[FIRST].store(first, Ordering::Relaxed);
            }
            at += 1;
        }
        to.limit = whole;
        Some((to, room))
    }
}

impl Chunk {
    fn new(width: usize) -> Chunk {
        // Zeros come from the system when they are first touched; the conversion happens in place and costs nothing.
        let zeros = vec![0; CHUNK as usize * width + LINE];
        let words: Vec<AtomicU32> = zeros.into_iter().map(AtomicU32::new).collect();
        let skip = words.as_ptr().align_offset(LINE * size_of::<AtomicU32>()).min(LINE);
        Chunk { words: words.into_boxed_slice(), skip }
    }
}

fn chunk_bytes(width: usize) -> usize {
    (CHUNK as usize * width + LINE) * size_of::<AtomicU32>()
}

/// Adjacent nodes.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    words: &'a [AtomicU32],
    width: usize,
}

impl<'a> Block<'a> {
    /// The nodes in order.
    #[inline]
    pub(crate) fn nodes(self) -> impl Iterator<Item = Node<'a>> + Clone {
        self.words.chunks_exact(self.width).map(|words| Node { words })
    }

    /// One of the nodes.
    #[inline]
    pub(crate) fn node(self, index: usize) -> Node<'a> {
        Node { words: &self.words[index * self.width..(index + 1) * self.width] }
    }
}

/// The place and number of a node's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Children {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Number of children that have been tried, in their order.
    pub(super) tried: u32,
}

const VISITS: usize = 0;
const FIRST: usize = 1;
const COUNT: usize = 2;
const LABEL: usize = 3;
const SHARES: usize = 4;

/// A node of the tree.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    words: &'a [AtomicU32],
}

impl<'a> Node<'a> {
    /// One of the words after the shares of all players, whose meaning is the settings'.
    #[inline]
    pub(super) fn word(self, at: usize) -> &'a AtomicU32 {
        &self.words[SHARES + at]
    }
}

impl Node<'_> {
    /// Clears a node, which a player's move leads to.
    pub(crate) fn start(self, mover: Player, m: u32) {
        for word in self.words {
            word.store(0, Ordering::Relaxed);
        }
        self.words[LABEL].store(m << MOVE | (mover.index() as u32) << MOVER, Ordering::Relaxed);
    }

    /// Takes over all that another node has.
    pub(super) fn set(self, other: Node<'_>) {
        for (to, from) in self.words.iter().zip(other.words) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Simulations that have reached the node, pending ones included.
    #[inline]
    pub(crate) fn visits(self) -> u32 {
        self.words[VISITS].load(Ordering::Relaxed)
    }

    /// The sum of a player's shares, in units.
    #[inline]
    pub(super) fn share(self, player: Player) -> u32 {
        self.words[SHARES + player.index()].load(Ordering::Relaxed)
    }

    /// The sums of all players' shares, in units; together, one share for each simulation that has been backed up. Other words may
    /// follow.
    #[inline]
    pub(super) fn shares(self) -> impl Iterator<Item = u32> {
        self.words[SHARES..].iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// The part of the win that a player has by evaluations, if the arena keeps that: in the words after the shares of so many players.
    #[inline]
    pub(super) fn implicit(self, players: usize, player: Player) -> f32 {
        f32::from_bits(self.words[SHARES + players + player.index()].load(Ordering::Relaxed))
    }

    /// Sets what every player has by evaluations.
    pub(super) fn set_implicit(self, shares: &ByPlayer<f32>) {
        for (word, share) in self.words[SHARES + shares.len()..].iter().zip(shares.as_slice()) {
            word.store(share.to_bits(), Ordering::Relaxed);
        }
    }

    /// How often the move that leads here was legal when its parent was visited, if the arena keeps that: in the word after the shares of
    /// so many players.
    #[inline]
    pub(super) fn available(self, players: usize) -> u32 {
        self.words[SHARES + players].load(Ordering::Relaxed)
    }

    /// Counts that the move was legal once more.
    #[inline]
    pub(super) fn make_available(self, players: usize) {
        add(&self.words[SHARES + players], 1, false);
    }

    /// The player whose move leads here.
    #[inline]
    pub(crate) fn mover(self) -> Player {
        Player::new((self.label() >> MOVER & 7) as usize)
    }

    /// The number of the move that leads here.
    #[inline]
    pub(crate) fn m(self) -> u32 {
        self.label() >> MOVE
    }

    #[inline]
    fn label(self) -> u32 {
        self.words[LABEL].load(Ordering::Relaxed)
    }

    /// Counts a visit and returns the visits before; `None` if the node has stopped counting.
    #[inline]
    pub(crate) fn enter(self, shared: bool) -> Option<u32> {
        if self.visits() >= MOST_VISITS {
            return None;
        }
        Some(add(&self.words[VISITS], 1, shared))
    }

    /// Takes back a visit.
    pub(super) fn leave(self) {
        self.words[VISITS].fetch_sub(1, Ordering::Relaxed);
    }

    /// Adds visits and their results.
    pub(super) fn add(self, visits: u32, shares: &[u32], shared: bool) {
        add(&self.words[VISITS], visits, shared);
        self.reward(shares, shared);
    }

    /// Adds a result.
    #[inline]
    pub(super) fn reward(self, shares: &[u32], shared: bool) {
        for (word, &share) in self.words[SHARES..].iter().zip(shares) {
            if share > 0 {
                add(word, share, shared);
            }
        }
    }

    /// What is proven of the node.
    #[inline]
    pub(super) fn proven(self) -> Proven {
        Proven(self.label() as u8)
    }

    /// Enters a proof, unless there is one.
    pub(super) fn prove(self, proven: Proven) {
        let label = self.label();
        if label as u8 == 0 {
            // This fails only if another thread has found the same proof.
            let _ = self.words[LABEL].compare_exchange(
                label,
                label | u32::from(proven.0),
                Ordering::SeqCst,
                Ordering::SeqCst,
            );
        }
    }

    /// What is proven, in an order that all threads agree on: if two prove the last two children of a node at once, one of
    /// them sees both.
    pub(super) fn proven_for_all(self) -> Proven {
        Proven(self.words[LABEL].load(Ordering::SeqCst) as u8)
    }

    /// The children, if they have been listed.
    #[inline]
    pub(crate) fn children(self) -> Option<Children> {
        // The children were written before their place was published.
        let first = self.words[FIRST].load(Ordering::Acquire);
        if first == 0 || first == CLAIMED {
            return None;
        }
        let count = self.words[COUNT].load(Ordering::Relaxed);
        Some(Children { first, count: count & 0xffff, tried: count >> 16 })
    }

    /// The first child that has not been tried, which is now.
    #[inline]
    pub(super) fn next(self, children: Children, shared: bool) -> Option<usize> {
        if children.tried >= children.count {
            return None;
        }
        let tried = add(&self.words[COUNT], 1 << 16, shared) >> 16;
        (tried < children.count).then_some(tried as usize)
    }

    /// Claims the right to list the children, which only one thread gets.
    pub(crate) fn claim(self) -> bool {
        self.words[FIRST].compare_exchange(0, CLAIMED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Publishes the children, or gives back the right to list them.
    pub(crate) fn publish(self, children: Option<(u32, usize)>) {
        let (first, count) = children.unwrap_or((0, 0));
        self.words[COUNT].store(count as u32, Ordering::Relaxed);
        self.words[FIRST].store(first, Ordering::Release);
    }

    /// Whether a thread is listing the children.
    #[inline]
    pub(crate) fn is_claimed(self) -> bool {
        self.words[FIRST].load(Ordering::Relaxed) == CLAIMED
    }

    #[cfg(test)]
    pub(super) fn force_visits(self, visits: u32) {
        self.words[VISITS].store(visits, Ordering::Relaxed);
    }
}

/// Stands in the label of a node while a thread writes its scores.
const WRITTEN: u32 = 1 << 7;

/// What a search by evaluations keeps: every player's score where a Monte-Carlo tree has the sum of its shares, and marks of
/// its own where that has a proof.
impl Node<'_> {
    /// A player's score.
    #[inline]
    pub(crate) fn score(self, player: Player) -> Score {
        self.share(player) as Score
    }

    /// The scores of all players. If another thread is writing them, some may be old and some new, unless the node has a
    /// mark, after which nothing is written.
    #[inline]
    pub(crate) fn scores(self) -> ByPlayer<Score> {
        ByPlayer::from_fn(self.words.len() - SHARES, |player| self.score(player))
    }

    /// The marks: seven bits, 0 until the scores are final.
    #[inline]
    pub(crate) fn marks(self) -> u8 {
        // Final scores were written before the marks.
        (self.words[LABEL].load(Ordering::Acquire) & (WRITTEN - 1)) as u8
    }

    /// Writes scores and marks, unless there are marks. Threads wait for each other while they write to one node.
    #[inline]
    pub(crate) fn settle(self, scores: &ByPlayer<Score>, marks: u8, shared: bool) {
        let word = &self.words[LABEL];
        let mut label = word.load(Ordering::Acquire);
        loop {
            if label & (WRITTEN - 1) != 0 {
                return;
            }
            if !shared {
                break;
            }
            let free = label & !WRITTEN;
            match word.compare_exchange_weak(free, free | WRITTEN, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => {
                    label = now;
                    std::hint::spin_loop();
                }
            }
        }
        for (word, &score) in self.words[SHARES..].iter().zip(scores.as_slice()) {
            word.store(score as u32, Ordering::Relaxed);
        }
        word.store(label & !WRITTEN | u32::from(marks), Ordering::Release);
    }
}

/// Adds to a word and returns what it was. A single thread need not pay for an atomic addition.
#[inline]
fn add(word: &AtomicU32, more: u32, shared: bool) -> u32 {
    if shared {
        return word.fetch_add(more, Ordering::Relaxed);
    }
    let old = word.load(Ordering::Relaxed);
    word.store(old.wrapping_add(more), Ordering::Relaxed);
    old
}
