//! The reference: the rules once more, written to be read and not to be fast.

use std::collections::BTreeMap;

pub(crate) type Point = (i32, i32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Man {
    pub(crate) owner: usize,
    pub(crate) kind: char,
    /// A pawn's direction; (0, 0) for the others.
    pub(crate) way: Point,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ply {
    pub(crate) from: Point,
    pub(crate) to: Point,
    pub(crate) promotion: Option<char>,
}

#[derive(Clone)]
pub(crate) struct Position {
    pub(crate) men: BTreeMap<Point, Man>,
    pub(crate) turn: usize,
    pub(crate) living: Vec<usize>,
    /// Players and sides ('K', 'Q') of castlings that are still allowed.
    pub(crate) rights: Vec<(usize, char)>,
    /// The owner, the square passed and the pawn's square.
    pub(crate) passed: Vec<(usize, Point, Point)>,
    pub(crate) clock: usize,
    pub(crate) plies: usize,
    pub(crate) history: Vec<String>,
    pub(crate) payoff: Option<Vec<f32>>,
    /// The legal moves of the player to move; none means that only a pass is left.
    pub(crate) legal: Vec<Ply>,
    /// Counts of events by name.
    pub(crate) events: BTreeMap<&'static str, usize>,
}

pub(crate) const LETTERS: [char; 4] = ['w', 'r', 'b', 'u'];
const WAYS: [Point; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const STRAIGHT: [Point; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const SLANTING: [Point; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const LEAPS: [Point; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

fn plus(a: Point, b: Point) -> Point {
    (a.0 + b.0, a.1 + b.1)
}

pub(crate) fn is_square((x, y): Point) -> bool {
    let middle = |c: i32| (3..=10).contains(&c);
    let inside = |c: i32| (0..=13).contains(&c);
    inside(x) && inside(y) && (middle(x) || middle(y))
}

/// A quarter turn clockwise, of the board and of a direction.
pub(crate) fn turn_square((x, y): Point) -> Point {
    (y, 13 - x)
}

pub(crate) fn turn_way((dx, dy): Point) -> Point {
    (dy, -dx)
}

fn turned(mut p: Point, times: usize) -> Point {
    for _ in 0..times {
        p = turn_square(p);
    }
    p
}

pub(crate) fn name((x, y): Point) -> String {
    format!("{}{}", (b'a' + x as u8) as char, y + 1)
}

impl Ply {
    pub(crate) fn text(&self) -> String {
        let promotion = self.promotion.map(|kind| format!("={kind}")).unwrap_or_default();
        format!("{}-{}{promotion}", name(self.from), name(self.to))
    }
}

impl Position {
    pub(crate) fn bare() -> Position {
        Position {
            men: BTreeMap::new(),
            turn: 0,
            living: vec![0, 1, 2, 3],
            rights: Vec::new(),
            passed: Vec::new(),
            clock: 0,
            plies: 0,
            history: Vec::new(),
            payoff: None,
            legal: Vec::new(),
            events: BTreeMap::new(),
        }
    }

    pub(crate) fn start() -> Position {
        let mut position = Position::bare();
        for (owner, way) in WAYS.into_iter().enumerate() {
            for (i, kind) in "RNBQKBNR".chars().enumerate() {
                let x = 3 + i as i32;
                position.men.insert(turned((x, 0), owner), Man { owner, kind, way: (0, 0) });
                position.men.insert(turned((x, 1), owner), Man { owner, kind: 'P', way });
            }
            position.rights.extend([(owner, 'K'), (owner, 'Q')]);
        }
        position.arrive();
        position
    }

    /// How rare a move is in random play: 3 is en passant, 2 stepping onto a passed square, 1 castling, bends, promotions and double steps.
    pub(crate) fn rarity(&self, ply: Ply) -> u32 {
        let (man, step) = (self.men[&ply.from], (ply.to.0 - ply.from.0, ply.to.1 - ply.from.1));
        let long = step.0.abs().max(step.1.abs()) == 2;
        let passing = self.passed.iter().any(|&(_, square, _)| square == ply.to);
        let bends = step.0 * man.way.0 + step.1 * man.way.1 <= 0;
        match man.kind {
            'P' if passing && step.0 != 0 && step.1 != 0 => 3,
            _ if passing => 2,
            'P' if long || bends || ply.promotion.is_some() => 1,
            'K' if long => 1,
            _ => 0,
        }
    }

    fn event(&mut self, what: &'static str) {
        *self.events.entry(what).or_default() += 1;
    }

    /// The second direction of a pawn on a square, if it may bend there.
    fn bend(&self, at: Point, man: Man) -> Option<Point> {
        if man.way != WAYS[man.owner] {
            return None;
        }
        // Turn the board back until the pawn moves up.
        let mut p = at;
        let back = (4 - man.owner) % 4;
        for _ in 0..back {
            p = turn_square(p);
        }
        let second = if p.0 == p.1 {
            (1, 0)
        } else if p.0 + p.1 == 13 {
            (-1, 0)
        } else {
            return None;
        };
        let mut way = second;
        for _ in 0..man.owner {
            way = turn_way(way);
        }
        Some(way)
    }

    fn pawn_strikes(way: Point) -> [Point; 2] {
        // Forward and one to either side.
        [(way.0 + way.1, way.1 + way.0), (way.0 - way.1, way.1 - way.0)]
    }

    /// Whether the man on `at` could capture on `to`.
    fn strikes(&self, at: Point, man: Man, to: Point) -> bool {
        let slide = |steps: &[Point]| {
            steps.iter().any(|&step| {
                let mut p = plus(at, step);
                while is_square(p) {
                    if p == to {
                        return true;
                    }
                    if self.men.contains_key(&p) {
                        return false;
                    }
                    p = plus(p, step);
                }
                false
            })
        };
        match man.kind {
            'P' => {
                let mut steps = Self::pawn_strikes(man.way).to_vec();
                if let Some(second) = self.bend(at, man) {
                    steps.extend(Self::pawn_strikes(second));
                }
                steps.iter().any(|&step| plus(at, step) == to)
            }
            'N' => LEAPS.iter().any(|&step| plus(at, step) == to),
            'K' => STRAIGHT.iter().chain(&SLANTING).any(|&step| plus(at, step) == to),
            'B' => slide(&SLANTING),
            'R' => slide(&STRAIGHT),
            _ => slide(&STRAIGHT) || slide(&SLANTING),
        }
    }

    /// Whether the square is attacked by somebody who is not `player`.
    fn attacked(&self, player: usize, to: Point) -> bool {
        self.men.iter().any(|(&at, &man)| man.owner != player && self.strikes(at, man, to))
    }

    pub(crate) fn king(&self, player: usize) -> Option<Point> {
        self.men.iter().find(|(_, man)| man.owner == player && man.kind == 'K').map(|(&at, _)| at)
    }

    fn checked(&self, player: usize) -> bool {
        self.king(player).is_some_and(|king| self.attacked(player, king))
    }

    /// All moves of the pieces, disregarding the safety of the mover's king.
    fn plies_of_pieces(&self) -> Vec<Ply> {
        let me = self.turn;
        let mut out = Vec::new();
        for (&from, &man) in self.men.iter().filter(|(_, man)| man.owner == me) {
            if man.kind == 'P' {
                self.pawn_plies(from, man, &mut out);
                continue;
            }
            for x in 0..14 {
                for y in 0..14 {
                    let to = (x, y);
                    let free = self.men.get(&to).is_none_or(|other| other.owner != me);
                    if is_square(to) && free && self.strikes(from, man, to) {
                        out.push(Ply { from, to, promotion: None });
                    }
                }
            }
            if man.kind == 'K' {
                self.castlings(from, &mut out);
            }
        }
        out
    }

    fn castlings(&self, from: Point, out: &mut Vec<Ply>) {
        for &(_, side) in self.rights.iter().filter(|(player, _)| *player == self.turn) {
            let (between, path): (&[i32], [i32; 3]) =
                if side == 'K' { (&[8, 9], [7, 8, 9]) } else { (&[4, 5, 6], [7, 6, 5]) };
            let place = |x: i32| turned((x, 0), self.turn);
            let empty = between.iter().all(|&x| !self.men.contains_key(&place(x)));
            let safe = path.iter().all(|&x| !self.attacked(self.turn, place(x)));
            if empty && safe {
                out.push(Ply { from, to: place(path[2]), promotion: None });
            }
        }
    }

    fn pawn_plies(&self, from: Point, man: Man, out: &mut Vec<Ply>) {
        let mut targets: Vec<(Point, Point)> = Vec::new();
        let second = self.bend(from, man);
        for way in std::iter::once(man.way).chain(second) {
            let one = plus(from, way);
            if is_square(one) && !self.men.contains_key(&one) {
                targets.push((one, way));
                let two = plus(one, way);
                let mut home = from;
                for _ in 0..(4 - man.owner) % 4 {
                    home = turn_square(home);
                }
                if way == WAYS[man.owner] && man.way == way && home.1 == 1 && !self.men.contains_key(&two) {
                    targets.push((two, way));
                }
            }
            for step in Self::pawn_strikes(way) {
                let to = plus(from, step);
                let known = targets.iter().any(|&(target, _)| target == to);
                let victim = match self.men.get(&to) {
                    Some(other) => other.owner != man.owner,
                    None => self.passed.iter().any(|&(owner, square, _)| owner != man.owner && square == to),
                };
                if is_square(to) && victim && !known {
                    targets.push((to, way));
                }
            }
        }
        for (to, way) in targets {
            if is_square(plus(to, way)) {
                out.push(Ply { from, to, promotion: None });
            } else {
                out.extend("BNQR".chars().map(|kind| Ply { from, to, promotion: Some(kind) }));
            }
        }
    }

    /// Takes a man from the board; a king takes all of its owner's along.
    fn capture(&mut self, at: Point) {
        let man = self.men.remove(&at).unwrap();
        self.passed.retain(|&(_, _, pawn)| pawn != at);
        self.rights.retain(|&(player, side)| turned((if side == 'K' { 10 } else { 3 }, 0), player) != at);
        self.clock = 0;
        if man.kind == 'K' {
            self.eliminate(man.owner);
            self.event("king captured");
        }
    }

    fn eliminate(&mut self, player: usize) {
        self.men.retain(|_, man| man.owner != player);
        self.living.retain(|&p| p != player);
        self.rights.retain(|&(p, _)| p != player);
        self.passed.retain(|&(p, _, _)| p != player);
        self.clock = 0;
    }

    /// Moves the pieces, without handing on the turn.
    fn shift(&mut self, ply: Ply) {
        let Ply { from, to, promotion } = ply;
        let mut man = self.men[&from];
        let me = man.owner;
        let before = self.men.len();
        let step = (to.0 - from.0, to.1 - from.1);
        let passed = self.passed.iter().find(|&&(owner, square, _)| owner != me && square == to).copied();
        self.clock += 1;
        if self.men.contains_key(&to) {
            self.capture(to);
        }
        if man.kind == 'P' {
            self.clock = 0;
            if let Some((_, _, pawn)) = passed
                && step.0 != 0
                && step.1 != 0
                && self.men.contains_key(&pawn)
            {
                self.capture(pawn);
                self.event("en passant");
                if self.men.len() + 2 == before {
                    self.event("double capture");
                }
            }
            let ahead = step.0 * man.way.0 + step.1 * man.way.1;
            if ahead <= 0 {
                man.way = self.bend(from, man).unwrap();
                self.event("bend");
                if step.0 != 0 && step.1 != 0 {
                    self.event("bending capture");
                }
            }
            if step.0.abs() == 2 || step.1.abs() == 2 {
                self.passed.push((me, (from.0 + step.0 / 2, from.1 + step.1 / 2), to));
            }
            if let Some(kind) = promotion {
                self.event(["up", "right", "down", "left"][WAYS.iter().position(|&way| way == man.way).unwrap()]);
                man = Man { owner: me, kind, way: (0, 0) };
            }
        }
        self.men.remove(&from);
        self.men.insert(to, man);
        if man.kind == 'K' && step.0.abs().max(step.1.abs()) == 2 {
            self.event("castling");
            let side = if turned((9, 0), me) == to { (10, 8) } else { (3, 6) };
            let rook = self.men.remove(&turned((side.0, 0), me)).unwrap();
            self.men.insert(turned((side.1, 0), me), rook);
        }
        self.rights.retain(|&(player, side)| {
            let home = [(7, 0), (if side == 'K' { 10 } else { 3 }, 0)];
            !home.iter().any(|&p| turned(p, player) == from)
        });
    }

    fn legal_plies(&self) -> Vec<Ply> {
        let bare = Position { history: Vec::new(), legal: Vec::new(), events: BTreeMap::new(), ..self.clone() };
        let safe = |ply: &Ply| {
            let mut after = bare.clone();
            after.shift(*ply);
            !after.checked(self.turn)
        };
        self.plies_of_pieces().into_iter().filter(safe).collect()
    }

    /// The legal moves as text, sorted as bytes; a pass is `-`.
    pub(crate) fn moves(&self) -> Vec<String> {
        if self.payoff.is_some() {
            return Vec::new();
        }
        let mut texts: Vec<String> = self.legal.iter().map(Ply::text).collect();
        texts.sort();
        if texts.is_empty() { vec!["-".into()] } else { texts }
    }

    /// Hands the turn to a player: nothing else happens.
    pub(crate) fn hand_to(&mut self, player: usize) {
        self.turn = player;
        self.legal = self.legal_plies();
    }

    pub(crate) fn play(&mut self, text: &str) {
        self.plies += 1;
        // Only after a move out of turn is there a square of the mover's own left.
        self.passed.retain(|&(owner, _, _)| owner != self.turn);
        if text == "-" {
            self.clock += 1;
            self.event("stalemate pass");
        } else {
            let ply = *self.legal.iter().find(|ply| ply.text() == text).unwrap();
            self.shift(ply);
        }
        self.hand_on();
        self.arrive();
    }

    fn hand_on(&mut self) {
        loop {
            self.turn = (self.turn + 1) % 4;
            if self.living.contains(&self.turn) {
                return;
            }
        }
    }

    /// The turn comes to the player to move.
    pub(crate) fn arrive(&mut self) {
        let before = self.living.len();
        loop {
            let q = self.turn;
            self.passed.retain(|&(owner, _, _)| owner != q);
            loop {
                let hanged = self.living.iter().copied().find(|&p| {
                    let king = self.king(p);
                    p != q
                        && king.is_some_and(|k| {
                            self.men.iter().any(|(&at, &man)| man.owner == q && self.strikes(at, man, k))
                        })
                });
                let Some(p) = hanged else { break };
                self.eliminate(p);
                self.event("hanged");
            }
            if self.living.len() == 1 {
                self.event("won");
                break;
            }
            self.legal = self.legal_plies();
            if !self.legal.is_empty() {
                break;
            }
            if !self.checked(q) {
                if self.living.len() == 2 {
                    self.event("stalemate draw");
                    self.draw();
                }
                break;
            }
            self.event("mate");
            self.eliminate(q);
            self.hand_on();
        }
        if self.living.len() + 2 <= before {
            self.event("chain");
        }
        self.record();
    }

    fn record(&mut self) {
        if self.clock == 0 {
            self.history.clear();
        }
        self.history.push(self.identity());
        if self.living.len() == 1 {
            self.payoff = Some((0..4).map(|p| if self.living.contains(&p) { 1.0 } else { 0.0 }).collect());
        }
        if self.payoff.is_some() {
            return;
        }
        let now = self.history.last().unwrap();
        if self.men.values().all(|man| man.kind == 'K') {
            self.event("kings alone");
            self.draw();
        } else if self.history.iter().filter(|&earlier| earlier == now).count() >= 3 {
            self.event("repetition");
            self.draw();
        } else if self.clock >= 50 * self.living.len() {
            self.event("fifty");
            self.draw();
        }
    }

    fn draw(&mut self) {
        let share = 1.0 / self.living.len() as f32;
        self.payoff = Some((0..4).map(|p| if self.living.contains(&p) { share } else { 0.0 }).collect());
    }

    /// Everything that makes two positions the same.
    fn identity(&self) -> String {
        self.text().split(' ').take(5).collect::<Vec<_>>().join(" ")
    }

    /// The number of positions after so many plies.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let child = |text: &String| {
            let mut child = self.clone();
            child.play(text);
            child.perft(depth - 1)
        };
        self.moves().iter().map(child).sum()
    }

    /// The first seven words of the position's text.
    pub(crate) fn text(&self) -> String {
        let mut rows = Vec::new();
        for y in (0..14).rev() {
            let mut text = String::new();
            let mut empty = 0;
            for at in (0..14).map(|x| (x, y)).filter(|&p| is_square(p)) {
                let Some(man) = self.men.get(&at) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text += &empty.to_string();
                    empty = 0;
                }
                text.push(LETTERS[man.owner]);
                let way = WAYS.iter().position(|&way| way == man.way);
                text.push(if man.kind == 'P' && way != Some(man.owner) {
                    ['^', '>', 'v', '<'][way.unwrap()]
                } else {
                    man.kind
                });
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            rows.push(text);
        }
        let or_none = |text: String| if text.is_empty() { "-".to_string() } else { text };
        let mut living = self.living.clone();
        living.sort();
        let mut rights = String::new();
        for (player, letter) in LETTERS.into_iter().enumerate() {
            let sides: String = "KQ".chars().filter(|&side| self.rights.contains(&(player, side))).collect();
            if !sides.is_empty() {
                rights += &format!("{letter}{sides}");
            }
        }
        let mut passed = self.passed.clone();
        passed.sort();
        let passed: Vec<String> = passed.iter().map(|&(_, square, _)| name(square)).collect();
        format!(
            "{} {} {} {} {} {} {}",
            rows.join("/"),
            LETTERS[self.turn],
            living.iter().map(|&p| LETTERS[p]).collect::<String>(),
            or_none(rights),
            or_none(passed.join(",")),
            self.clock,
            self.plies
        )
    }

    /// The board turned by 90 degrees, each player in the place of the next.
    pub(crate) fn rotated(&self) -> Position {
        let next = |p: usize| (p + 1) % 4;
        let mut turned = self.clone();
        turned.men = self
            .men
            .iter()
            .map(|(&at, &man)| (turn_square(at), Man { owner: next(man.owner), way: turn_way(man.way), ..man }))
            .collect();
        turned.turn = next(self.turn);
        turned.living = self.living.iter().map(|&p| next(p)).collect();
        turned.rights = self.rights.iter().map(|&(p, side)| (next(p), side)).collect();
        turned.passed = self.passed.iter().map(|&(p, a, b)| (next(p), turn_square(a), turn_square(b))).collect();
        turned
    }
}
