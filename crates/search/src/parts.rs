//! The parts that all tree searches share: [`Parts`].

use crate::agent::visit_lines;
use crate::settings::{Choice, Visitor};
use crate::threads::visit_threads;
use crate::{Count, Error, Player, Settings, Stance, Switches, quantity};

/// The static ordering by which a search sorts its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderBy {
    /// The best for the mover first.
    Own,
    /// The worst for the root player first; the root player's own moves as in [`Own`](OrderBy::Own).
    Against,
    /// The order in which the game lists its moves.
    AsListed,
}

impl Choice for OrderBy {
    const WORDS: &'static [(OrderBy, &'static str)] =
        &[(OrderBy::Own, "own"), (OrderBy::Against, "against"), (OrderBy::AsListed, "none")];
}

/// Which of several best moves of the root is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Equals {
    /// The first of the static ordering.
    #[default]
    First,
    /// The first of an order that is shuffled anew for each decision.
    Random,
}

impl Choice for Equals {
    const WORDS: &'static [(Equals, &'static str)] = &[(Equals::First, "first"), (Equals::Random, "random")];
}

/// The parts that all tree searches share, each of which can be switched off or changed.
///
/// Only `width` changes the value that Paranoid, Best-Reply Search and BRS+ find in an iteration. The move that they choose depends
/// on `order` and `equals` too, which break ties, and on nothing else. The value of max^n depends on `order` as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Size of the transposition table in bytes; 0 for none.
    pub table: usize,
    /// The static ordering; `None` for what suits the algorithm: [`OrderBy::Own`] for max^n, [`OrderBy::Against`] for the
    /// others.
    pub order: Option<OrderBy>,
    /// The number of [distinct](crate::Game::distinct) moves searched at every node, the first of the static ordering, at
    /// least one; `None` for all.
    pub width: Option<usize>,
    /// Whether an iteration that the budget ends counts, once the move of the one before has been searched in it.
    pub partial: bool,
    /// Which of several best moves is played.
    pub equals: Equals,
    /// The number of best moves that a decision [lists](crate::Decision::lines). Each costs another search of the root without
    /// those before it.
    pub lines: usize,
    /// What a limit of nodes, and a decision's number of nodes, count.
    pub count: Count,
    /// Number of [threads](crate::threads) that search one tree. They share it through the table, so without one there is only one.
    pub threads: usize,
    /// Whether killer moves are tried early. Max^n has none.
    pub killers: bool,
    /// Whether the history heuristic orders moves. Max^n has none.
    pub history: bool,
    /// What goes beyond an exact search. Max^n has nothing of it.
    pub switches: Switches,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts {
            table: 64 << 20,
            order: None,
            width: None,
            partial: true,
            equals: Equals::First,
            lines: 1,
            count: Count::Visits,
            threads: 1,
            killers: true,
            history: true,
            switches: Switches::default(),
        }
    }
}

impl Settings for Parts {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        self.visit_static(v);
        v.flag("killers", &mut self.killers, "try killer moves early");
        v.flag("history", &mut self.history, "order moves by the history heuristic");
        self.switches.visit(v);
    }
}

impl Parts {
    /// Only the static ordering: no table, killers or history.
    pub fn plain() -> Parts {
        Parts { table: 0, killers: false, history: false, ..Parts::default() }
    }

    /// Shows a visitor all settings but `killers`, `history` and the switches.
    pub fn visit_static(&mut self, v: &mut Visitor<'_>) {
        v.size_or("table", &mut self.table, "off", "size of the transposition table");
        v.open_choice(
            "order",
            &mut self.order,
            &[OrderBy::Own, OrderBy::Against, OrderBy::AsListed],
            "static move ordering; by default own in max^n and against in the other searches",
        );
        v.whole_or(
            "width",
            &mut self.width,
            "all",
            1..=1_000_000,
            "moves searched at a node, best of the ordering first",
        );
        v.flag("partial", &mut self.partial, "let an unfinished iteration count");
        v.choice(
            "equals",
            &mut self.equals,
            "which of several best moves is played: the first of the ordering, or any",
        );
        visit_lines(&mut self.lines, v);
        v.choice("count", &mut self.count, "what is a node: a position visited, or one whose moves are searched");
        visit_threads(&mut self.threads, v);
    }

    /// The stance by which a search for `root` orders moves, where `usual` suits the algorithm; `None` if they are left as
    /// listed.
    pub fn stance(&self, usual: Stance, root: Player) -> Option<Stance> {
        match self.order {
            None => Some(usual),
            Some(OrderBy::Own) => Some(Stance::Own),
            Some(OrderBy::Against) => Some(Stance::Against(root)),
            Some(OrderBy::AsListed) => None,
        }
    }

    /// The number of threads that are of use: those that share a table, and find what one would find.
    pub(crate) fn helpful_threads(&self) -> usize {
        if self.table == 0 || self.switches.inexact().is_some() { 1 } else { self.threads.max(1) }
    }

    /// Refuses switches without what they need, several threads without a table to share, and a table that is larger than the available memory. A table asks for its memory when it stores its first result,
    /// and then it is too late to refuse.
    pub fn check(&self) -> Result<(), Error> {
        self.switches.check(self.table > 0)?;
        if let Some(switch) = self.switches.inexact().filter(|_| self.threads > 1) {
            let threads = self.threads;
            let error = Error::refused(format!(
                "with {switch} the value depends on the order of the search, and threads={threads} would change it"
            ));
            return Err(error.help(format!("leave out {switch}, or use threads=1")));
        }
        if self.helpful_threads() < self.threads {
            let message = format!("threads={} share the search through the table, and there is none", self.threads);
            return Err(Error::refused(message).help("leave out table=off, or use threads=1"));
        }
        let mut room: Vec<u8> = Vec::new();
        let is_available = room.try_reserve_exact(self.table).is_ok();
        // The compiler could drop an allocation that nobody uses.
        std::hint::black_box(&room);
        if is_available {
            return Ok(());
        }
        let size = quantity::size_text(self.table as u64);
        Err(Error::refused(format!("table={size} is more than the available memory")).help("64M is the usual size"))
    }
}
