//! Greedy play: the move whose position is best for the mover, one ply deep.
//!
//! Every legal move is played and the position after it judged by the evaluation; the highest score for the mover wins. Equal
//! moves are chosen from at random, as in the thesis that the Chinese Checkers evaluation is taken from: without that, two
//! greedy players shuffle to and fro for ever.
//!
//! Reference: *An Evaluation of Classical and Monte Carlo Game Tree Search Algorithms in the Multiplayer Domain of Chinese
//! Checkers*, 2020, section 4.5.

use crate::{Agent, Budget, Decision, Evaluator, Game, Meter, Rng, Score};

/// Plays the move that looks best at once.
#[derive(Clone, Debug)]
pub struct Greedy<E> {
    /// What judges the positions.
    pub evaluator: E,
    rng: Rng,
}

impl<E> Greedy<E> {
    /// The same seed chooses the same among equals.
    pub fn new(evaluator: E, seed: u64) -> Greedy<E> {
        Greedy { evaluator, rng: Rng::new(seed) }
    }
}

impl<G: Game, E: Evaluator<G>> Agent<G> for Greedy<E> {
    fn search(&mut self, game: &G, budget: &Budget, _: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let mut meter = Meter::new(budget);
        let mut position = game.clone();
        let mover = game.turn();
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let mut best: Vec<G::Move> = Vec::new();
        let mut scores = None;
        let mut most = Score::MIN;
        for &m in &moves {
            if meter.tick().is_err() {
                break;
            }
            let found = position.visit(m, |child| self.evaluator.scores(child));
            if found[mover] > most {
                best.clear();
            }
            if found[mover] >= most {
                most = found[mover];
                best.push(m);
            }
        }
        let m = if best.is_empty() { moves[0] } else { self.rng.pick(&best) };
        if !best.is_empty() {
            scores = Some(position.visit(m, |child| self.evaluator.scores(child)).map(f64::from));
        }
        Decision {
            value: scores.map(|scores| scores[mover]),
            scores,
            depth: u32::from(meter.nodes() == moves.len() as u64),
            nodes: meter.nodes(),
            time: meter.elapsed(),
            ..Decision::blind(m)
        }
    }
}
