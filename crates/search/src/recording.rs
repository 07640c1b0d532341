//! The tree that a search really visited: [`Recording`].
//!
//! [`Agent::explain`](crate::Agent::explain) searches like any other time and notes every node on the way: who moves, the window or the
//! scores, the choice, and at each cut its [`Reason`] with the bounds that justify it. A decision that is recorded is the same, node for
//! node. Searches check once or twice at each node whether they are recorded, and nothing else happens if they are not.
//!
//! ```
//! use nply::recording::{Found, NODES, Reason};
//! use nply::{Agent, AsListed, Budget, Paranoid, Tree, tree::LeafScores};
//! let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
//! let (decision, recording) = Paranoid::new(LeafScores, AsListed).explain(&tree, &Budget::depth(2), NODES).unwrap();
//! assert_eq!(decision.m, 1);
//! // Five nodes of six: the last leaf is not visited. The second was asked about twice, first with a null window.
//! assert_eq!((recording.visited, recording.nodes[4].again), (5, Some(3)));
//! let refuted = &recording.nodes[5];
//! assert_eq!(refuted.found, Some(Found::AtMost(-4)));
//! let cut = refuted.cut.as_ref().unwrap();
//! assert_eq!((cut.reason, cut.skipped[0].m), (Reason::AlphaBeta, Some(2)));
//! ```
//!
//! Only one iteration is kept, the last that was completed. Numbers in a cut of max^n are what the players
//! [maximize](crate::ScoreForm), which the scores at the nodes are not if that is something else than their own score.

use std::fmt;

use crate::{ByPlayer, Player, Score};

/// The usual limit of recorded nodes.
pub const NODES: usize = 2000;

/// The nodes that an iteration visited, in the order in which it did. Of a Monte-Carlo tree, the nodes that were visited most, each
/// followed by the nodes below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording<M> {
    /// Plies of the iteration, or of the deepest recorded node of a Monte-Carlo tree.
    pub depth: u32,
    /// The nodes, the root first. They are numbered by their places.
    pub nodes: Vec<RecordedNode<M>>,
    /// How many positions were visited after the root, recorded or not.
    pub visited: u64,
    /// Whether there were more nodes than may be recorded: the first are there.
    pub is_truncated: bool,
    /// Whether the search was completed.
    pub is_complete: bool,
}

/// A node of a [`Recording`].
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedNode<M> {
    /// Number of the parent; `None` at the root.
    pub parent: Option<usize>,
    /// How the parent was left for this node.
    pub step: Option<Step<M>>,
    /// Who chooses here, and what for.
    pub kind: Kind,
    /// Who moves here; `None` at a leaf, and where any opponent may.
    pub player: Option<Player>,
    /// Plies left to search; in a Monte-Carlo tree, plies from the root.
    pub depth: u32,
    /// The window of an alpha-beta search.
    pub window: Option<Window>,
    /// What the search of the node found; `None` if the budget ended it.
    pub found: Option<Found>,
    /// Why the search of the node ended early, if it did.
    pub cut: Option<Cut<M>>,
    /// Whether the parent's mover chose it.
    pub is_chosen: bool,
    /// The node that was searched before with the same move of the same parent: this is the second time.
    pub again: Option<usize>,
    /// What simulations have shown of it.
    pub simulated: Option<Simulated>,
}

/// A move from one node to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<M> {
    /// Who moves, in turn or not.
    pub player: Player,
    /// The move; `None` for a pass that the rules of the game do not know.
    pub m: Option<M>,
}

/// Who chooses at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A player who maximizes its own value.
    Own,
    /// The root player, who maximizes the root player's value.
    Max,
    /// An opponent, who minimizes the root player's value.
    Min,
    /// Nobody: the position is evaluated, or the game is over.
    Leaf,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Own => "own",
            Kind::Max => "max",
            Kind::Min => "min",
            Kind::Leaf => "leaf",
        }
    }
}

/// The values that an alpha-beta search was asked to tell apart, as the root player sees them; `None` for infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What the root player is sure of.
    pub alpha: Option<i64>,
    /// What the opponents can hold the root player to.
    pub beta: Option<i64>,
}

impl Window {
    /// Whether it only asks if a value is more than `alpha`.
    pub fn is_null(&self) -> bool {
        self.alpha.zip(self.beta).is_some_and(|(alpha, beta)| beta - alpha == 1)
    }
}

/// What the search of a node found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// The root player's value.
    Value(i64),
    /// The root player's value is at least this.
    AtLeast(i64),
    /// The root player's value is at most this.
    AtMost(i64),
    /// The scores of all players.
    Scores(ByPlayer<Score>),
    /// The same of a search that averages: means of scores, or shares of the win.
    Means(ByPlayer<f64>),
    /// The value of the node with this number does not come from here. Whatever else is true of this one was not needed.
    Dead(usize),
}

/// Why a search left out moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The mover has the most possible.
    Immediate,
    /// The mover and the one before it cannot both get what they have elsewhere already.
    Shallow,
    /// The same of several movers, where those in between have no other choice left.
    LastBranch,
    /// The same before that is certain: if it turns out otherwise, the node is searched again.
    Speculative,
    /// The same, shown by what the position itself still allows: branch and bound.
    Bound,
    /// The other side has something better.
    AlphaBeta,
    /// The transposition table knows enough.
    Table,
}

impl Reason {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Reason::Immediate => "immediate",
            Reason::Shallow => "shallow",
            Reason::LastBranch => "last-branch",
            Reason::Speculative => "speculative",
            Reason::Bound => "bound",
            Reason::AlphaBeta => "alpha-beta",
            Reason::Table => "table",
        }
    }
}

/// The early end of a node's search.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut<M> {
    /// Its name.
    pub reason: Reason,
    /// What justifies it. Displays as a sentence without a full stop.
    pub why: Why,
    /// The moves that were left out, as far as they were listed.
    pub skipped: Vec<Step<M>>,
}

/// The bounds that justify a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// The root player's value is outside the window.
    Window {
        /// The value so far: a lower bound where the root player moves, an upper bound elsewhere.
        value: i64,
        /// Whether the root player moves.
        is_max: bool,
        /// The window.
        window: Window,
    },
    /// The root player's value is the end of the evaluation's range: the most where the root player moves, the least elsewhere.
    Range {
        /// The value.
        value: i64,
        /// Whether the root player moves.
        is_max: bool,
    },
    /// The table's value of the position is outside the window, or, in max^n, refused by a node above.
    Table,
    /// The players need more than there is.
    Needs(Needs),
}

/// What the players need for a value to be chosen on the way up to a node, which is more than there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// Number of the node whose value is in question.
    pub head: usize,
    /// What each player needs.
    pub each: ByPlayer<Need>,
    /// The most that all can have together.
    pub most: i64,
    /// Whether values are whole numbers, so that more is at least one more.
    pub is_whole: bool,
}

/// What a player needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// So much.
    pub least: i64,
    /// Or rather more than that.
    pub more: bool,
    /// Number of the node where the player has that already; `None` if nobody can have less.
    pub at: Option<usize>,
}

impl Needs {
    /// The least that each player needs, where scores are whole numbers.
    pub fn bounds(&self) -> ByPlayer<i64> {
        self.each.map(|need| need.least + i64::from(need.more && self.is_whole))
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Window { value, is_max, window } => {
                let (relation, name, bound) =
                    if *is_max { ("least", "beta", window.beta) } else { ("most", "alpha", window.alpha) };
                write!(f, "the value is at {relation} {value}, and {name} is {}", bound.unwrap_or(*value))?;
                match window.alpha.filter(|_| window.is_null()) {
                    Some(alpha) => write!(f, ": it was only asked whether it is more than {alpha}"),
                    None if *is_max => f.write_str(": the opponents can do better elsewhere"),
                    None => f.write_str(": the root player has something better elsewhere"),
                }
            }
            Why::Range { value, is_max } => {
                let end = if *is_max { "most" } else { "least" };
                write!(f, "{value} is the {end} that the bounds of the evaluation allow")
            }
            Why::Table => f.write_str("the transposition table knows enough about this position at this depth"),
            Why::Needs(needs) => needs.fmt(f),
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "to become the value of node {}, a value must give", self.head)?;
        for (index, player) in Player::all(self.each.len()).enumerate() {
            let Need { least, more, at } = self.each[player];
            let word = if more { "more than" } else { "at least" };
            write!(f, "{} player {player} {word} {least}", if index == 0 { "" } else { "," })?;
            if let Some(at) = at {
                write!(f, " (node {at})")?;
            }
        }
        let is_open = !self.is_whole && self.each.as_slice().iter().any(|need| need.more);
        let word = if is_open { "more than " } else { "" };
        write!(f, ": together {word}{}, and all can have at most {}", self.bounds().sum(), self.most)
    }
}

/// What simulations have shown of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Simulations that reached it.
    pub visits: u64,
    /// Every player's expected share of the win, if anything is known.
    pub shares: Option<ByPlayer<f64>>,
    /// The terms by which it would be compared with its siblings now, by name; their sum is compared. None at the root.
    pub terms: Vec<(&'static str, f64)>,
    /// Whether the shares are proven.
    pub is_proven: bool,
}

impl<M> RecordedNode<M> {
    /// A node of which nothing is known yet.
    pub(crate) fn new(parent: Option<usize>, step: Option<Step<M>>, depth: u32) -> RecordedNode<M> {
        RecordedNode {
            parent,
            step,
            kind: Kind::Leaf,
            player: None,
            depth,
            window: None,
            found: None,
            cut: None,
            is_chosen: false,
            again: None,
            simulated: None,
        }
    }
}

impl<M> Recording<M> {
    /// The same with moves in another form, such as text.
    pub fn map<N>(self, form: impl Fn(M) -> N) -> Recording<N> {
        let step = |step: Step<M>| Step { player: step.player, m: step.m.map(&form) };
        let cut = |Cut { reason, why, skipped }: Cut<M>| {
            let skipped = skipped.into_iter().map(&step).collect();
            Cut { reason, why, skipped }
        };
        let node = |node: RecordedNode<M>| RecordedNode {
            step: node.step.map(&step),
            cut: node.cut.map(&cut),
            parent: node.parent,
            kind: node.kind,
            player: node.player,
            depth: node.depth,
            window: node.window,
            found: node.found,
            is_chosen: node.is_chosen,
            again: node.again,
            simulated: node.simulated,
        };
        let Recording { depth, nodes, visited, is_truncated, is_complete } = self;
        Recording { depth, nodes: nodes.into_iter().map(node).collect(), visited, is_truncated, is_complete }
    }
}

/// Takes down what a search does. Every method is for the node that the search is at.
///
/// Searches have an `Option<Box<Recorder>>`, and call nothing here if there is none.
#[derive(Clone, Debug)]
pub(crate) struct Recorder<M> {
    limit: usize,
    current: Recording<M>,
    /// The last completed iteration before this one.
    last: Option<Recording<M>>,
    /// From the root to the node that the search is at.
    path: Vec<Place<M>>,
}

#[derive(Clone, Debug)]
struct Place<M> {
    /// `None` if there are too many nodes.
    node: Option<usize>,
    /// The last step from here.
    step: Option<Step<M>>,
    /// The recorded nodes that were entered from here.
    children: Vec<usize>,
    /// The last node that was left for this one.
    left: Option<usize>,
    chosen: Option<usize>,
}

impl<M> Place<M> {
    fn new(node: Option<usize>) -> Place<M> {
        Place { node, step: None, children: Vec::new(), left: None, chosen: None }
    }
}

/// Values beyond these are infinite.
const INFINITE: i64 = i64::MAX / 8;

impl<M: Copy + Eq> Recorder<M> {
    /// Records at most so many nodes, but at least the root.
    pub(crate) fn new(limit: usize) -> Box<Recorder<M>> {
        let current = Recording { depth: 0, nodes: Vec::new(), visited: 0, is_truncated: false, is_complete: false };
        Box::new(Recorder { limit: limit.max(1), current, last: None, path: Vec::new() })
    }

    /// Begins an iteration.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin(&mut self, kind: Kind, player: Player, depth: u32) {
        let root = RecordedNode { kind, player: Some(player), ..RecordedNode::new(None, None, depth) };
        let next = Recording { depth, nodes: vec![root], visited: 0, is_truncated: false, is_complete: false };
        let before = std::mem::replace(&mut self.current, next);
        self.last = Some(before).filter(|before| before.is_complete).or(self.last.take());
        self.path.clear();
        self.path.push(Place::new(Some(0)));
    }

    /// Ends an iteration with what was found at the root.
    #[cold]
    #[inline(never)]
    pub(crate) fn end(&mut self, found: Found) {
        self.current.nodes[0].found = Some(found);
        self.current.is_complete = true;
    }

    /// The last completed iteration, or the first one as far as it got.
    pub(crate) fn finish(self) -> Recording<M> {
        if self.current.is_complete { self.current } else { self.last.unwrap_or(self.current) }
    }

    /// A move is about to be visited, once or more than once.
    #[cold]
    #[inline(never)]
    pub(crate) fn step(&mut self, step: Step<M>) {
        self.current.visited += 1;
        if let Some(place) = self.path.last_mut() {
            place.step = Some(step);
        }
    }

    /// A move is about to be visited with a window, and the node after it is entered. A search may ask about a move several times in
    /// the same visit, one after the other.
    #[cold]
    #[inline(never)]
    pub(crate) fn enter_window(&mut self, step: Step<M>, depth: u32, (alpha, beta): (i64, i64)) {
        if self.path.last().is_some_and(|place| place.step != Some(step)) {
            self.step(step);
        }
        self.enter(depth, Some((alpha, beta)));
    }

    /// The next step is another one, even if it is made by the same move, as a pass after a null move is.
    pub(crate) fn begin_step(&mut self) {
        if let Some(place) = self.path.last_mut() {
            place.step = None;
        }
    }

    /// Positions were visited beyond a leaf, which are not recorded.
    pub(crate) fn pass_by(&mut self, visited: u64) {
        self.current.visited += visited;
    }

    /// Enters the node after the last step.
    #[cold]
    #[inline(never)]
    pub(crate) fn enter(&mut self, depth: u32, window: Option<(i64, i64)>) {
        let place = self.path.last_mut().expect("an iteration begins at the root");
        let nodes = &mut self.current.nodes;
        let is_full = nodes.len() >= self.limit;
        self.current.is_truncated |= is_full;
        let number = place.node.filter(|_| !is_full).map(|parent| {
            let step = place.step;
            let again = place.children.iter().copied().find(|&child| nodes[child].step == step);
            let ends = |(alpha, beta): (i64, i64)| Window {
                alpha: Some(alpha).filter(|alpha| alpha.abs() < INFINITE),
                beta: Some(beta).filter(|beta| beta.abs() < INFINITE),
            };
            nodes.push(RecordedNode {
                window: window.map(ends),
                again,
                ..RecordedNode::new(Some(parent), step, depth)
            });
            place.children.push(nodes.len() - 1);
            nodes.len() - 1
        });
        self.path.push(Place::new(number));
    }

    /// The node has moves.
    #[cold]
    #[inline(never)]
    pub(crate) fn expand(&mut self, kind: Kind, player: Option<Player>) {
        if let Some(node) = self.node() {
            (node.kind, node.player) = (kind, player);
        }
    }

    /// The search of the node ends early.
    #[cold]
    #[inline(never)]
    pub(crate) fn cut(&mut self, reason: Reason, why: Why, skipped: impl Iterator<Item = Step<M>>) {
        if let Some(node) = self.node() {
            node.cut = Some(Cut { reason, why, skipped: skipped.collect() });
        }
    }

    /// Immediate pruning that finds one move after another useless.
    #[cold]
    #[inline(never)]
    pub(crate) fn skip(&mut self, why: Why, step: Step<M>) {
        if let Some(node) = self.node() {
            let cut = node.cut.get_or_insert_with(|| Cut { reason: Reason::Immediate, why, skipped: Vec::new() });
            cut.skipped.push(step);
        }
    }

    /// Leaves the node with what was found.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave(&mut self, found: Found) {
        let left = self.path.pop().and_then(|place| place.node);
        if let Some(number) = left {
            self.current.nodes[number].found = Some(found);
        }
        if let Some(place) = self.path.last_mut() {
            place.left = left;
        }
    }

    /// Leaves the node with a value of the root player, which is exact only within the window.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_value(&mut self, value: i64) {
        let found = match self.node() {
            Some(RecordedNode { kind: Kind::Max | Kind::Min, window: Some(Window { alpha, beta }), .. }) => {
                if alpha.is_some_and(|alpha| value <= alpha) {
                    Found::AtMost(value)
                } else if beta.is_some_and(|beta| value >= beta) {
                    Found::AtLeast(value)
                } else {
                    Found::Value(value)
                }
            }
            _ => Found::Value(value),
        };
        self.leave(found);
    }

    /// The mover chooses the node that was left last, in place of the one chosen before.
    #[cold]
    #[inline(never)]
    pub(crate) fn choose(&mut self) {
        let Some(place) = self.path.last_mut() else { return };
        if let Some(left) = place.left {
            if let Some(before) = place.chosen.replace(left) {
                self.current.nodes[before].is_chosen = false;
            }
            self.current.nodes[left].is_chosen = true;
        }
    }

    /// The mover chooses the child that was entered at this place, of those entered from the node, each once.
    #[cold]
    #[inline(never)]
    pub(crate) fn choose_child(&mut self, at: usize) {
        if let Some(&child) = self.path.last().and_then(|place| place.children.get(at)) {
            self.current.nodes[child].is_chosen = true;
        }
    }

    /// So many positions were visited again after the end of the iteration, which is not recorded.
    #[cold]
    #[inline(never)]
    pub(crate) fn revisit(&mut self, visits: u64) {
        self.current.visited += visits;
    }

    /// The window of the node.
    pub(crate) fn window(&self) -> Option<Window> {
        let number = self.path.last()?.node?;
        self.current.nodes[number].window
    }

    /// The number of the node at a depth of the path; that of the root, if it is not recorded.
    pub(crate) fn number(&self, depth: usize) -> usize {
        self.path.get(depth).and_then(|place| place.node).unwrap_or(0)
    }

    fn node(&mut self) -> Option<&mut RecordedNode<M>> {
        let number = self.path.last()?.node?;
        Some(&mut self.current.nodes[number])
    }
}
