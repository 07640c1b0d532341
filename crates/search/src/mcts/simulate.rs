//! One simulation: selection, expansion, playout, backpropagation.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{ByPlayer, Decision, Evaluator, Game, MAX_PLAYERS, Meter, MoveOrder, OutOfBudget, Player, Rng, Stance};

use super::arena::{Arena, Block, Children, MOST_VISITS, Node, Room};
use super::moves::Moves;
use super::playout::{Playout, Scratch};
use super::solver::{Proven, Solver, judge, judge_team};
use super::{AnyTurn, FirstPlay, MctsSettings, TreePolicy, UNIT};

/// What every player got in a simulation, in units.
type Shares = [u32; MAX_PLAYERS];

/// Simulations that a thread takes on at a time, so that threads seldom meet at the counter.
const BATCH: u64 = 8;

/// Visits after which a node is busy: all threads would write there all the time. They do so later instead, many at once.
const BUSY: u32 = 1 << 12;

/// Visits of a thread after which it tells a busy node, or the root, of them.
const TALLY: u32 = 32;

/// The tree, and everything that a simulation in it must know: threads share it.
pub(super) struct Search<'a, G: Game, E, O> {
    pub(super) playout: Playout<'a, G, E, O>,
    pub(super) settings: &'a MctsSettings,
    /// Any opponent replies to the root, out of turn.
    pub(super) replies: Option<AnyTurn<G>>,
    /// Whether there is more than one thread.
    pub(super) shared: bool,
    pub(super) arena: &'a Arena,
    pub(super) moves: &'a Moves<G::Move>,
    pub(super) root: u32,
    pub(super) game: &'a G,
}

/// What one thread has for itself, away from what others write.
#[repr(align(128))]
pub(super) struct Worker<G: Game> {
    position: G,
    /// Where the turn is handed over.
    spare: G,
    rng: Rng,
    moves: Vec<G::Move>,
    listed: Vec<Listed<G::Move>>,
    path: Vec<Step>,
    /// Every move of the simulated game: who made it and where its history is kept.
    line: Vec<(Player, u32)>,
    history: Vec<Record>,
    scratch: Scratch<G::Move>,
    /// Where new nodes go.
    pub(super) room: Room,
    /// What the root and busy nodes have not been told: for each ply of the tree, one node's.
    tallies: Vec<Tally>,
    /// Simulations taken on and not begun.
    left: u64,
    /// Simulations completed in this decision.
    pub(super) playouts: u64,
    /// Plies of the longest path in the tree in this decision.
    pub(super) depth: u32,
}

/// Simulations that have come through a node and ended, and what they brought.
#[derive(Default)]
struct Tally {
    node: u32,
    visits: u32,
    shares: Shares,
}

/// A legal move that is about to become a node.
struct Listed<M> {
    rate: i32,
    index: u32,
    player: Player,
    m: M,
}

/// A node on the path of a simulation.
struct Step {
    node: u32,
    visit: Visit,
}

/// How a node learns of a visit.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    /// It has been told already.
    Counted,
    /// When it is told of many.
    Tallied,
    /// Never: its statistics rest.
    Ignored,
}

/// Progressive History's record of a move of a player: how often it was played, and the shares added up, in units. Whole
/// numbers as they are used; they stay exact.
#[derive(Clone, Copy, Default)]
pub(super) struct Record {
    plays: f64,
    shares: f64,
}

impl<G: Game> Worker<G> {
    pub(super) fn new(game: &G, seed: u64) -> Worker<G> {
        Worker {
            position: game.clone(),
            spare: game.clone(),
            rng: Rng::new(seed),
            moves: Vec::new(),
            listed: Vec::new(),
            path: Vec::new(),
            line: Vec::new(),
            history: Vec::new(),
            scratch: Scratch::new(),
            room: Room::default(),
            tallies: Vec::new(),
            left: 0,
            playouts: 0,
            depth: 0,
        }
    }

    /// Forgets what belongs to a tree that is gone.
    pub(super) fn clear(&mut self) {
        self.history.clear();
        self.scratch.clear();
        self.tallies.clear();
        self.room = Room::default();
    }

    /// Begins a decision.
    pub(super) fn begin(&mut self) {
        (self.left, self.playouts, self.depth) = (0, 0, 0);
    }

    /// Takes on one simulation more, if there may be one.
    #[inline]
    fn claim(&mut self, claimed: &AtomicU64, limit: u64) -> bool {
        if self.left == 0 {
            let others = claimed.fetch_add(BATCH, Ordering::Relaxed);
            self.left = limit.saturating_sub(others).min(BATCH);
        }
        let some = self.left > 0;
        self.left -= u64::from(some);
        some
    }

    /// Visits of a node at this ply that it has not been told of.
    #[inline]
    fn untold(&self, ply: usize, node: u32) -> u32 {
        self.tallies.get(ply).filter(|tally| tally.node == node).map_or(0, |tally| tally.visits)
    }

    #[inline]
    fn note(&mut self, player: Player, number: u32, players: usize) {
        note(&mut self.line, &mut self.history, player, number, players);
    }
}

#[inline]
fn note(line: &mut Vec<(Player, u32)>, history: &mut Vec<Record>, player: Player, number: u32, players: usize) {
    let at = number * players as u32 + player.index() as u32;
    if at as usize >= history.len() {
        history.resize((number as usize + 1) * players, Record::default());
    }
    line.push((player, at));
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>> Search<'_, G, E, O> {
    /// Simulates until the budget is used up, somebody proves the root, or the numbers of moves get scarce; whether it is
    /// not the last.
    pub(super) fn run(
        &self,
        worker: &mut Worker<G>,
        meter: &mut Meter,
        claimed: &AtomicU64,
        limit: u64,
        mut completed: impl FnMut(&Worker<G>, &Meter),
    ) -> bool {
        let root = self.arena.node(self.root);
        let done = loop {
            if root.proven().is_proven() {
                break true;
            }
            if self.moves.is_crowded() {
                break false;
            }
            if !worker.claim(claimed, limit) || self.simulate(worker, meter).is_err() {
                break true;
            }
            worker.playouts += 1;
            completed(worker, meter);
        };
        for tally in &mut worker.tallies {
            self.settle(tally);
        }
        done
    }

    /// Tells a node what simulations have brought.
    fn settle(&self, tally: &mut Tally) {
        if tally.visits == 0 {
            return;
        }
        let node = self.arena.node(tally.node);
        if node.visits() < MOST_VISITS {
            node.add(tally.visits, &tally.shares[..self.game.player_count()], self.shared);
        }
        *tally = Tally { node: tally.node, ..Tally::default() };
    }

    /// Plays one game through the tree and on to the end. A game that the budget ends is as if it had not been.
    fn simulate(&self, worker: &mut Worker<G>, meter: &mut Meter) -> Result<(), OutOfBudget> {
        worker.position.clone_from(self.game);
        worker.path.clear();
        worker.line.clear();
        match self.descend(worker, meter) {
            Ok((shares, proven)) => {
                self.back_up(worker, &shares);
                if proven {
                    self.solve(&worker.path);
                }
                worker.depth = worker.depth.max(worker.path.len() as u32 - 1);
                Ok(())
            }
            Err(out) => {
                for step in worker.path.iter().filter(|step| step.visit == Visit::Counted) {
                    self.arena.node(step.node).leave();
                }
                Err(out)
            }
        }
    }

    /// Selection, expansion and playout: what the players got, and whether the last node has just been proven.
    fn descend(&self, worker: &mut Worker<G>, meter: &mut Meter) -> Result<(Shares, bool), OutOfBudget> {
        let players = self.game.player_count();
        let mut at = self.root;
        let mut replying = false;
        loop {
            let node = self.arena.node(at);
            // The visit counts from now on, and its shares only when it has ended: until then it is a loss for everybody,
            // so that other threads look elsewhere (virtual loss). A busy node is told of many at once, later.
            let is_root = at == self.root;
            let (before, visit) = if is_root || self.shared && node.visits() >= BUSY {
                (node.visits() + worker.untold(worker.path.len(), at), Visit::Tallied)
            } else {
                node.enter(self.shared).map_or((MOST_VISITS, Visit::Ignored), |before| (before, Visit::Counted))
            };
            worker.path.push(Step { node: at, visit });
            let proven = node.proven();
            if proven.is_exact() {
                let mut shares = [0; MAX_PLAYERS];
                for player in Player::all(players) {
                    shares[player.index()] = proven.share(player);
                }
                return Ok((shares, false));
            }
            let children = match node.children() {
                Some(children) => children,
                None => {
                    if let Some(payoff) = worker.position.payoff() {
                        let shares = units(&payoff);
                        if self.settings.solver != Solver::Off {
                            node.prove(Proven::over(&shares[..players]));
                        }
                        return Ok((shares, self.settings.solver != Solver::Off));
                    }
                    // One node is added by each simulation: a new one is played out, and its children are listed when
                    // it is visited again.
                    let new = before == 0 && !is_root;
                    match if new { None } else { self.expand(node, worker, replying) } {
                        Some(children) => children,
                        None => return Ok((self.play_out(worker, meter)?, false)),
                    }
                }
            };
            let block = self.arena.children(children);
            let index = match node.next(children, self.shared) {
                Some(index) => index,
                None => self.select(worker, block, before, proven == Proven::LOST),
            };
            let child = block.node(index);
            meter.tick()?;
            let (player, number) = (child.mover(), child.m());
            if self.settings.w != 0.0 {
                worker.note(player, number, players);
            }
            replying = self.play(worker, player, self.moves.at(number), replying);
            at = children.first + index as u32;
        }
    }

    /// UCT with Progressive History. Children that are proven to give the chooser nothing are left alone while there are
    /// others; in a node that is lost for the root, those that are not.
    fn select(&self, worker: &Worker<G>, block: Block<'_>, visits: u32, lost: bool) -> usize {
        let players = self.game.player_count();
        let root = self.game.turn();
        let explore = self.settings.c * self.settings.c * ln(visits.max(1));
        let weight = self.settings.w / f64::from(UNIT);
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        let (mut shut_best, mut shut_most) = (0, f64::NEG_INFINITY);
        for (index, child) in block.nodes().enumerate() {
            let n = child.visits();
            if n == 0 {
                return index;
            }
            let (n, player) = (f64::from(n), child.mover());
            let against = self.is_against(player);
            let sum = if against {
                // Not what is missing of the visits: those on the way are nobody's.
                Player::all(players).filter(|&other| other != root).map(|other| child.share(other)).sum()
            } else {
                child.share(player)
            };
            let s = f64::from(sum) * (1.0 / f64::from(UNIT));
            let part = 1.0 / n;
            let mut value = s * part + (explore * part).sqrt();
            if let Some(record) = worker.history.get(child.m() as usize * players + player.index())
                && record.shares > 0.0
            {
                value += record.shares * weight / (record.plays * (n - s + 1.0));
            }
            let proven = child.proven();
            let shut = if lost {
                !proven.is_proven() || proven.root_share(root) > 0
            } else if !proven.is_proven() {
                false
            } else if player == root {
                proven.root_share(root) == 0
            } else if against {
                proven.root_share(root) == UNIT
            } else {
                proven.is_exact() && proven.share(player) == 0
            };
            if shut {
                if value > shut_most {
                    (shut_best, shut_most) = (index, value);
                }
            } else if value > most {
                (best, most) = (index, value);
            }
        }
        if most == f64::NEG_INFINITY { shut_best } else { best }
    }

    /// Whether a player wants the root's harm.
    #[inline]
    fn is_against(&self, player: Player) -> bool {
        !matches!(self.settings.policy, TreePolicy::MaxN) && player != self.game.turn()
    }

    /// Lists the children of a node; `None` if there is no room, or if another thread is at it.
    fn expand(&self, node: Node<'_>, worker: &mut Worker<G>, replying: bool) -> Option<Children> {
        if worker.room.is_full() || !node.claim() {
            return None;
        }
        let children = self.list(worker, replying);
        node.publish(children);
        node.children()
    }

    /// Makes the nodes of all moves of a position, in the order in which they are to be tried.
    fn list(&self, worker: &mut Worker<G>, replying: bool) -> Option<(u32, usize)> {
        let root = self.game.turn();
        let stance = match self.settings.policy {
            TreePolicy::MaxN => Stance::Own,
            _ => Stance::Against(root),
        };
        let Worker { position, moves, listed, room, rng, .. } = worker;
        listed.clear();
        let mut rate_all = |game: &G| {
            moves.clear();
            game.moves(moves);
            for &m in moves.iter() {
                let rate = match self.settings.first {
                    FirstPlay::StaticOrder => self.playout.order.rate(game, stance, m),
                    FirstPlay::Random => (rng.bits() >> 33) as i32,
                };
                let index = listed.len() as u32;
                listed.push(Listed { rate, index, player: game.turn(), m });
            }
        };
        match self.replies {
            Some(any) if replying && any.opponents(position, root).next().is_some() => {
                for player in any.opponents(position, root) {
                    any.with_turn(position, player, &mut |game| rate_all(game));
                }
            }
            _ => rate_all(position),
        }
        listed.sort_unstable_by_key(|listed| (Reverse(listed.rate), listed.index));
        // A move is numbered for good, whether or not its node finds room.
        for listed in listed.iter_mut() {
            listed.index = self.moves.number(listed.m)?;
        }
        let first = self.arena.allocate(room, listed.len())?;
        for (node, listed) in self.arena.block(first, listed.len()).nodes().zip(listed.iter()) {
            node.start(listed.player, listed.index);
        }
        Some((first, listed.len()))
    }

    /// Plays a move of the tree, and says whether an opponent of the root, any of them, answers it.
    #[inline]
    fn play(&self, worker: &mut Worker<G>, player: Player, m: G::Move, replying: bool) -> bool {
        let Worker { position, spare, .. } = worker;
        let Some(any) = self.replies else {
            position.play(m);
            return false;
        };
        let root = self.game.turn();
        if position.turn() != player {
            any.with_turn(position, player, &mut |game| spare.clone_from(game));
            std::mem::swap(position, spare);
        }
        position.play(m);
        if !replying {
            return player == root;
        }
        if position.turn() != root && position.payoff().is_none() && any.is_in(position, root) {
            any.with_turn(position, root, &mut |game| spare.clone_from(game));
            std::mem::swap(position, spare);
        }
        false
    }

    fn play_out(&self, worker: &mut Worker<G>, meter: &mut Meter) -> Result<Shares, OutOfBudget> {
        let players = self.game.player_count();
        let Worker { position, rng, line, history, scratch, .. } = worker;
        let payoff = if self.settings.w == 0.0 {
            self.playout.run(position, scratch, rng, meter, |_, _| ())?
        } else {
            self.playout.run(position, scratch, rng, meter, |player, m| {
                if let Some(number) = self.moves.number_in_playout(m) {
                    note(line, history, player, number, players);
                }
            })?
        };
        Ok(units(&payoff))
    }

    /// Backpropagation: to the nodes of the path, and to the history of every move played.
    fn back_up(&self, worker: &mut Worker<G>, shares: &Shares) {
        let players = self.game.player_count();
        let Worker { path, tallies, .. } = worker;
        if tallies.len() < path.len() {
            tallies.resize_with(path.len(), Tally::default);
        }
        for (step, tally) in path.iter().zip(tallies) {
            match step.visit {
                Visit::Counted => self.arena.node(step.node).reward(&shares[..players], self.shared),
                Visit::Tallied => self.tally(tally, step.node, shares),
                Visit::Ignored => (),
            }
        }
        let root = self.game.turn();
        for &(player, at) in &worker.line {
            let against = self.is_against(player);
            let share = if against { UNIT - shares[root.index()] } else { shares[player.index()] };
            let record = &mut worker.history[at as usize];
            record.plays += 1.0;
            record.shares += f64::from(share);
        }
    }

    /// Keeps in mind what a node will be told.
    #[inline]
    fn tally(&self, tally: &mut Tally, node: u32, shares: &Shares) {
        if tally.node != node {
            self.settle(tally);
            tally.node = node;
        }
        tally.visits += 1;
        for (sum, share) in tally.shares.iter_mut().zip(shares) {
            *sum += share;
        }
        if tally.visits == TALLY {
            self.settle(tally);
        }
    }

    /// Takes a proof of the last node of a path as far up as it goes.
    fn solve(&self, path: &[Step]) {
        let root = self.game.turn();
        for step in path.iter().rev().skip(1) {
            let node = self.arena.node(step.node);
            if node.proven().is_proven() {
                return;
            }
            let Some(children) = node.children() else { return };
            let block = self.arena.children(children);
            let mover = block.node(0).mover();
            let proofs = block.nodes().map(|child| child.proven_for_all());
            let proven = match self.settings.policy {
                TreePolicy::MaxN => judge(self.settings.solver, self.game.player_count(), mover, root, proofs),
                _ => judge_team(root, mover == root, proofs),
            };
            if !proven.is_proven() {
                return;
            }
            node.prove(proven);
        }
    }

    /// Makes sure that the moves of the root are in the tree, if there is room for them.
    pub(super) fn open(&self, worker: &mut Worker<G>) {
        let root = self.arena.node(self.root);
        if root.children().is_none() {
            worker.position.clone_from(self.game);
            self.expand(root, worker, false);
        }
    }

    /// The decision as things stand.
    pub(super) fn decide(&self) -> Decision<G::Move> {
        let root = self.arena.node(self.root);
        let Some(children) = root.children() else {
            let mut moves = Vec::new();
            self.game.moves(&mut moves);
            return Decision::blind(self.playout.order.first(self.game, Stance::Own, &moves));
        };
        let turn = self.game.turn();
        let block = self.arena.children(children);
        let mut best = block.node(0);
        for child in block.nodes().skip(1) {
            if Standing::of(child, turn).beats(&Standing::of(best, turn)) {
                best = child;
            }
        }
        let scores = scores(best, self.game.player_count());
        Decision {
            value: scores.map(|scores| scores[turn]),
            scores,
            pv: self.line(best),
            ..Decision::blind(self.moves.at(best.m()))
        }
    }

    /// The line that starts with a child of the root: the most visited moves, but a proven win of the mover first.
    fn line<'b>(&'b self, mut node: Node<'b>) -> Vec<G::Move> {
        let mut line = vec![self.moves.at(node.m())];
        while let Some(children) = node.children() {
            let key = |child: &Node<'_>| (child.proven() == Proven::won(child.mover()), child.visits());
            // The first of equals.
            let Some(next) = self.arena.children(children).nodes().reduce(|a, b| if key(&b) > key(&a) { b } else { a })
            else {
                break;
            };
            if next.visits() == 0 {
                break;
            }
            line.push(self.moves.at(next.m()));
            node = next;
        }
        line
    }
}

/// What is expected of a node for every player, if anything is.
pub(super) fn scores(node: Node<'_>, players: usize) -> Option<ByPlayer<f64>> {
    let proven = node.proven();
    if proven.is_exact() {
        return Some(ByPlayer::from_fn(players, |player| f64::from(proven.share(player)) / f64::from(UNIT)));
    }
    let sum: u64 = node.shares().map(u64::from).sum();
    (sum > 0).then(|| ByPlayer::from_fn(players, |player| f64::from(node.share(player)) / sum as f64))
}

/// How good a move of the root is: what is proven, then the rate, then the visits.
struct Standing {
    /// Lost, unknown, known, won.
    class: u8,
    share: u64,
    sum: u64,
    visits: u32,
}

impl Standing {
    fn of(node: Node<'_>, player: Player) -> Standing {
        let proven = node.proven();
        let mut share = u64::from(node.share(player));
        let mut sum: u64 = node.shares().map(u64::from).sum();
        let class = match proven.is_proven().then(|| proven.root_share(player)) {
            Some(UNIT) => 3,
            Some(0) => 0,
            Some(exact) => {
                (share, sum) = (u64::from(exact), u64::from(UNIT));
                2
            }
            None if sum == 0 => 1,
            None => 2,
        };
        Standing { class, share, sum, visits: node.visits() }
    }

    fn beats(&self, other: &Standing) -> bool {
        let rate = |a: &Standing, b: &Standing| u128::from(a.share) * u128::from(b.sum);
        (self.class, rate(self, other), self.visits) > (other.class, rate(other, self), other.visits)
    }
}

/// Shares in units that sum to exactly one share.
fn units(payoff: &ByPlayer<f32>) -> Shares {
    let mut shares = [0; MAX_PLAYERS];
    for (share, &part) in shares.iter_mut().zip(payoff.as_slice()) {
        *share = (part.clamp(0.0, 1.0) * UNIT as f32 + 0.5) as u32;
    }
    // What rounding has left over or taken too much of goes to whoever has most.
    let sum: u32 = shares.iter().sum();
    if sum != UNIT
        && let Some(most) = shares.iter_mut().max()
    {
        *most = (*most + UNIT).saturating_sub(sum);
    }
    shares
}

/// The natural logarithm, the same on every machine: only additions, multiplications and divisions, which are exact to the
/// last bit everywhere.
fn ln(n: u32) -> f64 {
    let exponent = n.ilog2();
    let (mut power, mut mantissa) = (f64::from(exponent), f64::from(n) / f64::from(1u32 << exponent));
    if mantissa > std::f64::consts::SQRT_2 {
        (power, mantissa) = (power + 1.0, mantissa / 2.0);
    }
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let series =
        [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0].into_iter().fold(1.0 / 17.0, |sum, odd| sum * square + 1.0 / odd);
    power * std::f64::consts::LN_2 + 2.0 * t * (1.0 + square * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_right() {
        for n in (1..100_000).chain((1..32).map(|bit| u32::MAX >> bit)) {
            let (own, library) = (ln(n), f64::from(n).ln());
            assert!((own - library).abs() <= 1e-13 * library.max(1.0), "{n}: {own} {library}");
        }
    }

    #[test]
    fn shares_in_units_sum_to_one() {
        for shares in
            [&[1.0, 0.0][..], &[0.5, 0.5], &[1.0 / 3.0; 3], &[0.25; 4], &[0.2; 5], &[1.0 / 6.0; 6], &[0.71, 0.29]]
        {
            let units = units(&ByPlayer::from_slice(shares));
            assert_eq!(units.iter().sum::<u32>(), UNIT, "{units:?}");
            for (unit, share) in units.iter().zip(shares) {
                assert!((f64::from(*unit) / f64::from(UNIT) - f64::from(*share)).abs() < 0.01, "{units:?}");
            }
        }
    }
}
