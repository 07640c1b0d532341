//! Nodes above the leaves, which are most of all inner nodes.
//!
//! Where the evaluation [judges](Evaluator::judge) moves without playing them, a node with one ply left and an empty window is searched
//! in two stages. First the moves that the table and the killers put first are tried, without listing any: most cuts end here. Where one move is
//! special, moves are listed to find out which before a killer is tried, but not judged. If there is no cut,
//! all moves are listed and judged together. Then a cut is unlikely, and without one their order does not matter: the
//! value is the greatest, and of the moves that have it the first is found by rating only those. Nodes, values, moves and all that
//! is learned are the same as if one move after another had been searched.

use std::cmp::Reverse;

use super::search::{Frame, INFINITY, Known, SPECIAL, Search, mark, rank_of};
use super::view::{Action, Level, Rated, Side, Special, View};
use crate::{Evaluator, Game, MAX_PLAYERS, MoveOrder, OutOfBudget, Player, code};

/// Moves by their [codes](code): those that the table and the killers name. One that is not found any more is only listed.
#[derive(Clone, Debug)]
pub(super) struct Coded<M> {
    /// Empty until something is noted.
    places: Vec<Option<(u32, Action<M>)>>,
}

impl<M> Default for Coded<M> {
    fn default() -> Coded<M> {
        Coded { places: Vec::new() }
    }
}

/// Number of places: more than there are good moves in most games.
const PLACES: usize = 1 << 12;

impl<M: Copy> Coded<M> {
    #[inline]
    pub(super) fn note(&mut self, code: u32, action: Action<M>) {
        if self.places.is_empty() {
            self.places = vec![None; PLACES];
        }
        self.places[code as usize % PLACES] = Some((code, action));
    }

    #[inline]
    fn find(&self, code: u32) -> Option<Action<M>> {
        let place = self.places.get(code as usize % PLACES).copied().flatten();
        place.filter(|&(noted, _)| noted == code).map(|(_, action)| action)
    }

    pub(super) fn clear(&mut self) {
        self.places.fill(None);
    }
}

/// What has been found at a node so far.
struct Best {
    value: i64,
    code: u32,
    mark: u8,
    /// How many actions have been searched.
    count: usize,
}

impl Best {
    #[inline]
    fn known(&self) -> Known {
        (self.value, self.code, self.mark)
    }
}

/// The leaves of a node as they are judged.
#[derive(Clone, Debug)]
pub(super) struct Leaves<M> {
    moves: Vec<M>,
    /// As the side to move sees them.
    values: Vec<i64>,
}

impl<M> Default for Leaves<M> {
    fn default() -> Leaves<M> {
        Leaves { moves: Vec::new(), values: Vec::new() }
    }
}

impl<G: Game, E: Evaluator<G>, O: MoveOrder<G>, V: View<G>> Search<'_, '_, G, E, O, V> {
    /// The value of a node with one ply left and the empty window below `high`, and the code and the mark of its best move. `known` has those
    /// of the table's move. `None` if it has to be searched as others are; then nothing has been searched yet.
    pub(super) fn frontier(
        &mut self,
        game: &mut G,
        frame: Frame,
        known: (u32, u8),
        high: i64,
    ) -> Result<Option<Known>, OutOfBudget> {
        let special = self.plan.view.special(frame.level);
        if special == Special::Alone {
            return self.alone(game, frame, high);
        }
        let killers = self.killers(frame);
        let mut favored = [None; 3];
        for (at, (action, code)) in favored.iter_mut().zip([known.0, killers[0], killers[1]]).enumerate() {
            if code == 0 {
                continue;
            }
            match self.memory.coded.find(code) {
                Some(noted) => *action = Some((code, Action { learned: true, ..noted })),
                // The others are not tried before this one. All moves may be searched at once instead.
                None if at > 0 && special == Special::One => break,
                None => return Ok(None),
            }
        }
        if let Some((_, action)) = &mut favored[0] {
            action.learned = known.1 != SPECIAL;
        }
        let mut best = Best { value: -INFINITY, code: 0, mark: 0, count: 0 };
        let mut listed = None;
        for (at, &(code, action)) in favored.iter().enumerate().filter_map(|(at, noted)| Some((at, noted.as_ref()?))) {
            if at > 0 && code == known.0 {
                continue;
            }
            match self.allows(game, frame.level, action) {
                None if best.count == 0 => return Ok(None),
                Some(true) => (),
                _ => continue,
            }
            // Killers come first unless they are special.
            if at > 0 && special == Special::One {
                let special = *listed.get_or_insert_with(|| self.list_leaves(game));
                if special == action.m {
                    continue;
                }
            }
            if best.count == 0 {
                self.meter.expand()?;
            }
            self.meter.tick()?;
            let value = self.leaf(game, frame, action)?;
            best.count += 1;
            if value > best.value {
                (best.value, best.code, best.mark) = (value, code, mark(action.learned));
            }
            if value >= high {
                // A single action has no code. The table has one only for nodes with several.
                if known.0 == 0 && self.is_forced(game, frame.level, action.player) {
                    best.code = 0;
                }
                self.cut(frame, action, &best);
                return Ok(Some(best.known()));
            }
        }
        self.all(game, frame, known.0, high, best, listed)
    }

    /// Lists the moves of the only player who may move, and finds the special one.
    #[inline]
    fn list_leaves(&mut self, game: &G) -> Option<G::Move> {
        let moves = &mut self.memory.leaves.moves;
        moves.clear();
        game.distinct(moves);
        self.plan.view.special_move(game, self.plan.order, moves)
    }

    /// The killers of a node.
    #[inline]
    fn killers(&self, frame: Frame) -> [u32; 2] {
        if self.plan.parts.killers { self.memory.killers.at(frame.ply) } else { [0, 0] }
    }

    /// The same for a node whose only action is the special move.
    fn alone(&mut self, game: &mut G, frame: Frame, high: i64) -> Result<Option<Known>, OutOfBudget> {
        let (plan, player) = (self.plan, game.turn());
        if plan.view.may_move(game, frame.level, player) != Some(true) {
            return Ok(None);
        }
        let moves = &mut self.memory.leaves.moves;
        moves.clear();
        game.distinct(moves);
        let Some(m) = plan.view.special_move(game, plan.order, moves) else { return Ok(None) };
        let action = Action { learned: false, ..Action::new(player, m) };
        self.meter.expand()?;
        self.meter.tick()?;
        let best = Best { value: self.leaf(game, frame, action)?, code: 0, mark: SPECIAL, count: 1 };
        if best.value >= high {
            self.cut(frame, action, &best);
        }
        Ok(Some(best.known()))
    }

    /// Whether an action that is noted is one of those at a node; `None` if the game cannot tell.
    #[inline]
    fn allows(&self, game: &mut G, level: Level, action: Action<G::Move>) -> Option<bool> {
        let view = &self.plan.view;
        let (Action { player, .. }, m) = (action, action.m?);
        if view.may_move(game, level, player)? {
            view.as_listed(game, level, player, |game| game.allows(m))
        } else {
            Some(false)
        }
    }

    /// Whether a node, at which this player may move, has a single action.
    #[inline]
    fn is_forced(&mut self, game: &mut G, level: Level, player: Player) -> bool {
        let view = &self.plan.view;
        let other = |other| other != player && view.may_move(game, level, other) == Some(true);
        if Player::all(game.player_count()).any(other) {
            return false;
        }
        let scratch = &mut self.memory.leaves.moves;
        view.as_listed(game, level, player, |game| game.is_forced(scratch))
    }

    /// The value of the leaf that an action leads to, as the side to move sees it.
    #[inline]
    fn leaf(&mut self, game: &mut G, frame: Frame, action: Action<G::Move>) -> Result<i64, OutOfBudget> {
        let (plan, weights) = (self.plan, &self.terms.weights);
        let mut value = None;
        plan.view.as_listed(game, frame.level, action.player, |game| {
            plan.evaluator.judge(game, weights, action.m.as_slice(), |judged| value = judged);
        });
        match value {
            Some(value) => {
                self.memory.horizons += 1;
                self.memory.optimistic |= value >= self.terms.won;
                Ok(if frame.level.side == Side::Max { value } else { -value })
            }
            None => self.visited_leaf(game, frame, action),
        }
    }

    /// The same for one that has to be visited.
    #[cold]
    #[inline(never)]
    fn visited_leaf(&mut self, game: &mut G, frame: Frame, action: Action<G::Move>) -> Result<i64, OutOfBudget> {
        let value = self.plan.view.visit(game, frame.level, action, |child, level| {
            self.value(child, Frame { level, ply: frame.ply + 1, depth: 0, ..frame })
        })?;
        Ok(if frame.level.side == Side::Max { value } else { -value })
    }

    /// Notes a cut by the last action that was searched.
    #[inline]
    fn cut(&mut self, frame: Frame, action: Action<G::Move>, best: &Best) {
        self.reward(action, best.code, frame.ply, frame.depth);
        self.memory.statistics.cut_nodes += 1;
        self.memory.statistics.cut_moves += best.count as u64;
    }

    /// Searches all actions of a node, of which the first few made no cut. If the moves are listed already, the special one is given.
    fn all(
        &mut self,
        game: &mut G,
        frame: Frame,
        known: u32,
        high: i64,
        mut best: Best,
        listed: Option<Option<G::Move>>,
    ) -> Result<Option<Known>, OutOfBudget> {
        let (plan, level) = (self.plan, frame.level);
        let sign = if level.side == Side::Max { 1 } else { -1 };
        let Leaves { moves, values } = &mut self.memory.leaves;
        if listed.is_none() {
            moves.clear();
        }
        values.clear();
        // The movers, and where the moves of each end.
        let mut movers = [(self.terms.root, 0); MAX_PLAYERS];
        let mut mover_count = 0;
        let (mut least, mut most) = (INFINITY, -INFINITY);
        let players = game.player_count();
        let mut player = self.terms.root;
        for _ in 0..players {
            player = player.next(players);
            match plan.view.may_move(game, level, player) {
                None => return Ok(None),
                Some(false) => continue,
                Some(true) => (),
            }
            plan.view.as_listed(game, level, player, |game| {
                let from = if listed.is_some() { 0 } else { moves.len() };
                if listed.is_none() {
                    game.distinct(moves);
                }
                values.reserve(moves.len() - from);
                plan.evaluator.judge(game, &self.terms.weights, &moves[from..], |value| {
                    if let Some(value) = value {
                        let value = sign * value;
                        (least, most) = (least.min(value), most.max(value));
                        values.push(value);
                    }
                });
            });
            movers[mover_count] = (player, moves.len());
            mover_count += 1;
        }
        let (count, is_judged) = (moves.len(), values.len() == moves.len());
        if count == 0 {
            return Ok(None);
        }
        if best.count == 0 {
            self.meter.expand()?;
        }
        if !is_judged || most >= high {
            return self.in_order(game, frame, known, high, best, is_judged).map(Some);
        }
        self.memory.optimistic |= (if sign > 0 { most } else { -least }) >= self.terms.won;
        for _ in best.count..count {
            self.meter.tick()?;
            self.memory.horizons += 1;
        }
        if most > best.value {
            best.value = most;
            (best.code, best.mark) =
                if count == 1 { (0, 0) } else { self.first(game, frame, &movers[..mover_count], most, listed) };
        } else if count == 1 {
            best.code = 0;
        }
        Ok(Some(best.known()))
    }

    /// The code and the mark of the action that comes first of those with this value.
    #[inline]
    fn first(
        &mut self,
        game: &mut G,
        frame: Frame,
        movers: &[(Player, usize)],
        value: i64,
        listed: Option<Option<G::Move>>,
    ) -> (u32, u8) {
        let (plan, stance) = (self.plan, self.terms.stance);
        let Leaves { moves, values } = &self.memory.leaves;
        let special = match plan.view.special(frame.level) {
            Special::None => None,
            _ => listed.unwrap_or_else(|| plan.view.special_move(game, plan.order, moves)),
        };
        let [killer, other_killer] = self.killers(frame);
        let is_one = values.iter().filter(|&&other| other == value).count() == 1;
        let (mut chosen, mut highest) = (None, 0);
        let mut from = 0;
        for &(player, end) in movers {
            let mut leaves = moves[from..end].iter().zip(&values[from..end]).filter(|leaf| *leaf.1 == value).peekable();
            from = end;
            if leaves.peek().is_none() {
                continue;
            }
            plan.view.as_listed(game, frame.level, player, |game| {
                for (&m, _) in leaves {
                    let learned = special != Some(m);
                    let action = Action { learned, ..Action::new(player, m) };
                    let code = code(player, &action.m);
                    let rank = if is_one {
                        0
                    } else {
                        let rate = stance.map_or(0, |stance| plan.order.rate(game, stance, m));
                        let tally = if plan.parts.history && learned { self.memory.history.at(code) } else { 0 };
                        // Killers that are searched already are not among these.
                        let favor = match code {
                            _ if !learned => 0,
                            _ if code == killer => 2,
                            _ if code == other_killer => 1,
                            _ => 0,
                        };
                        favor << 62 | rank_of(rate, tally)
                    };
                    if chosen.is_none() || rank > highest {
                        (chosen, highest) = (Some((code, action)), rank);
                    }
                }
            });
        }
        chosen.map_or((0, 0), |(code, action)| {
            self.memory.coded.note(code, action);
            (code, mark(action.learned))
        })
    }

    /// Searches the actions of a node in their order, without the first few that made no cut. If they are judged already, the values
    /// are with the leaves.
    #[inline(never)]
    fn in_order(
        &mut self,
        game: &mut G,
        frame: Frame,
        known: u32,
        high: i64,
        mut best: Best,
        is_judged: bool,
    ) -> Result<Known, OutOfBudget> {
        let start = self.memory.stack.len();
        self.list(game, frame.level, start);
        let rest = self.rank(start, frame.ply, known);
        self.rate(game, frame.level, rest);
        self.memory.stack[rest..].sort_unstable_by_key(|rated| (Reverse(rated.rank), rated.index));
        for at in start + best.count..self.memory.stack.len() {
            let Rated { action, code, index, .. } = self.memory.stack[at];
            self.meter.tick()?;
            let value = if is_judged {
                let value = self.memory.leaves.values[index as usize];
                let root_value = if frame.level.side == Side::Max { value } else { -value };
                self.memory.horizons += 1;
                self.memory.optimistic |= root_value >= self.terms.won;
                value
            } else {
                self.visited_leaf(game, frame, action)?
            };
            best.count += 1;
            if value > best.value {
                (best.value, best.code, best.mark) = (value, code, mark(action.learned));
                self.memory.coded.note(code, action);
            }
            if value >= high {
                self.cut(frame, action, &best);
                break;
            }
        }
        self.memory.stack.truncate(start);
        Ok(best.known())
    }
}
