//! Solving: what one player can be sure of against everybody else.
//!
//! [`Solver::value`] finds how much that is by [questions](crate::Question) with the answer yes or no, halving the amounts that are still
//! possible with each: [`dfpn`](crate::dfpn) answers them. The value is that of Paranoid searched to the end of the game. Where a question stays
//! open because its budget ends, lower ones may still be proved and higher ones disproved: then the value is known to be between two
//! amounts.
//!
//! Every answer can be [written down as a proof](Solver::proof), which [`proof::check`] checks without any search, and shown as
//! a [line of play](Solver::line).
//!
//! ```
//! use nply::solve::Solver;
//! use nply::{Budget, Declaration, Player, Tree};
//! let tree: Tree = "(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))".parse().unwrap();
//! let tally = Tree::TALLY.unwrap();
//! let values: Vec<(i32, i32)> = Player::all(3)
//!     .map(|player| Solver::new(1 << 16).value(&tree, tally, player, &Budget::default(), &mut |_, _| ()))
//!     .map(|value| (value.least, value.most))
//!     .collect();
//! assert_eq!(values, [(5, 5), (2, 2), (1, 1)]);
//! ```

use crate::dfpn::{Answer, Dfpn, State};
use crate::proof::{self, Counts, Fault};
use crate::{Budget, Game, Meter, Notation, Player, Question, Score, Tally};

/// What a player can be sure of, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The player gets at least this.
    pub least: Score,
    /// The others can keep the player down to this.
    pub most: Score,
    /// The questions that were asked.
    pub asked: Vec<Asked>,
}

/// A question that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How much is enough.
    pub at_least: Score,
    /// The answer.
    pub answer: Answer,
    /// Positions expanded, counted each time.
    pub nodes: u64,
}

/// Asks questions about positions, and keeps what it finds in a table of bounded size.
#[derive(Debug)]
pub struct Solver<G: Game> {
    search: Dfpn<G>,
}

impl<G: Game> Solver<G> {
    /// A solver whose table takes at most so many bytes.
    pub fn new(bytes: usize) -> Solver<G> {
        Solver { search: Dfpn::new(bytes) }
    }

    /// Answers one question. Of the budget, nodes, time and the stop flag count.
    pub fn ask(&mut self, game: &G, question: &Question<G>, budget: &Budget, watch: &mut dyn FnMut(&State)) -> Asked {
        let mut meter = Meter::new(budget);
        let answer = self.search.ask(game, question, &mut meter, watch);
        Asked { at_least: question.at_least, answer, nodes: meter.nodes() }
    }

    /// What `player` can be sure of. The budget is that of each question; `watch` learns which amount is asked for, and how far
    /// the search is.
    pub fn value(
        &mut self,
        game: &G,
        tally: Tally<G>,
        player: Player,
        budget: &Budget,
        watch: &mut dyn FnMut(Score, &State),
    ) -> Value {
        if game.payoff().is_some() {
            let amount = (tally.of)(game)[player];
            return Value { least: amount, most: amount, asked: Vec::new() };
        }
        let amounts = tally.amounts(game, player);
        let mut asked = Vec::new();
        let mut ask = |index: usize| {
            let at_least = amounts[index];
            let question = Question { tally, player, at_least };
            asked.push(self.ask(game, &question, budget, &mut |state| watch(at_least, state)));
            asked[asked.len() - 1].answer
        };
        let (yes, no) = narrow(amounts.len(), &mut ask);
        let certain = (tally.bounds)(game).min[player];
        let amount = |count: usize| count.checked_sub(1).map_or(certain, |index| amounts[index]);
        Value { least: amount(yes), most: amount(no), asked }
    }

    /// A line of play to the end of the game in which whoever has a proof follows it. Given the proof of an amount, and that the player
    /// cannot have more, both sides do, and the line ends with that amount. Moves that no proof chooses are those whose
    /// answer took most nodes.
    pub fn line(&mut self, game: &G, proved: &[(Question<G>, bool)], stop: &Budget) -> Vec<G::Move> {
        let mut meter = Meter::new(&Budget { stop: stop.stop.clone(), ..Budget::default() });
        let (mut game, mut line) = (game.clone(), Vec::new());
        while game.payoff().is_none() {
            let depth = line.len();
            let is_open = |(question, _): &&(Question<G>, bool)| question.decided(&game).is_none();
            let chooses = |(question, yes): &&(Question<G>, bool)| (game.turn() == question.player) == *yes;
            let open: Vec<&(Question<G>, bool)> = proved.iter().filter(is_open).collect();
            let chosen = match open.iter().copied().find(chooses) {
                Some((question, _)) => self.search.choose(&game, depth, question, &mut meter),
                None => open.first().map(|(question, _)| self.hardest(&game, depth, question)),
            };
            let Some(m) = chosen.or_else(|| first(&game).filter(|_| open.is_empty())) else { break };
            line.push(m);
            game.play(m);
        }
        line
    }

    /// The move whose answer took most nodes, the first of equals.
    fn hardest(&self, game: &G, depth: usize, question: &Question<G>) -> G::Move {
        let (mut moves, mut position) = (Vec::new(), game.clone());
        game.distinct(&mut moves);
        let work = |m: &G::Move| position.visit(*m, |child| self.search.known(child, depth + 1, question).1);
        let works: Vec<u32> = moves.iter().map(work).collect();
        let most = works.iter().copied().max().unwrap_or(0);
        moves[works.iter().position(|&work| work == most).unwrap_or(0)]
    }
}

fn first<G: Game>(game: &G) -> Option<G::Move> {
    let mut moves = Vec::new();
    game.distinct(&mut moves);
    moves.first().copied()
}

/// Of so many questions, each harder to prove than the one before, how many are proved, and how many are not disproved. Halves what is
/// left; at an open question, looks for more on both sides of it.
fn narrow(count: usize, ask: &mut dyn FnMut(usize) -> Answer) -> (usize, usize) {
    let (mut yes, mut no) = (0, count);
    let mut open = None;
    while yes < no && open.is_none() {
        let middle = yes.midpoint(no);
        match ask(middle) {
            Answer::Proved => yes = middle + 1,
            Answer::Disproved => no = middle,
            Answer::Unknown => open = Some(middle),
        }
    }
    let Some(open) = open else { return (yes, no) };
    // The hardest that is proved, with all that is open taken for disproved; and the easiest that is disproved.
    let mut end = open;
    while yes < end {
        let middle = yes.midpoint(end);
        match ask(middle) {
            Answer::Proved => yes = middle + 1,
            Answer::Disproved => (no, end) = (middle, middle),
            Answer::Unknown => end = middle,
        }
    }
    let mut begin = open + 1;
    while begin < no {
        let middle = begin.midpoint(no);
        match ask(middle) {
            Answer::Proved => (yes, begin) = (middle + 1, middle + 1),
            Answer::Disproved => no = middle,
            Answer::Unknown => begin = middle + 1,
        }
    }
    (yes, no)
}

/// A proof as bytes, and what it consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The numbers of the chosen moves: see [`proof`].
    pub bytes: Vec<u8>,
    /// What the proof consists of.
    pub counts: Counts,
}

impl<G: Notation> Solver<G> {
    /// Writes down why the answer to a question is `yes`, or why it is not, in at most so many positions. What the table has lost is searched
    /// again, without a limit other than the stop flag.
    ///
    /// The fault is that there are more positions, that the search was stopped, or that the answer is another one.
    pub fn proof(
        &mut self,
        game: &G,
        question: &Question<G>,
        yes: bool,
        most: u64,
        stop: &Budget,
        watch: &mut dyn FnMut(&Counts),
    ) -> Result<Proof, Fault> {
        let mut meter = Meter::new(&Budget { stop: stop.stop.clone(), ..Budget::default() });
        let (mut bytes, mut choices) = (Vec::new(), 0);
        let choose = |game: &G, depth: usize, moves: &[G::Move]| {
            choices += 1;
            if choices > most {
                return Err(format!("the proof chooses more than {most} moves"));
            }
            let chosen = self.search.choose(game, depth, question, &mut meter);
            let chosen = chosen.and_then(|m| moves.iter().position(|&other| other == m));
            let number = chosen.ok_or_else(|| String::from("the search found no move that keeps the answer"))?;
            proof::write(number, &mut bytes);
            Ok(number)
        };
        let counts = proof::walk(game, question, yes, choose, watch)?;
        Ok(Proof { bytes, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_finds_the_value_and_open_questions_leave_a_range() {
        for count in 0..20 {
            for value in 0..=count {
                let ask = &mut |index| if index < value { Answer::Proved } else { Answer::Disproved };
                assert_eq!(narrow(count, ask), (value, value));
                for open in [1, 2, 5] {
                    // Questions near the value are too hard.
                    let ask = &mut |index: usize| match index {
                        _ if index + open < value => Answer::Proved,
                        _ if index >= value + open => Answer::Disproved,
                        _ => Answer::Unknown,
                    };
                    let expected = (value.saturating_sub(open), (value + open).min(count));
                    assert_eq!(narrow(count, ask), expected, "{count} questions, value {value}, {open} open");
                }
            }
        }
    }
}
