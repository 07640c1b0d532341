//! The agent `program`: an outside program that speaks the protocol.

use nply::{Agent, Budget, ByPlayer, Decision, Meter, Notation};

use crate::error::Error;
use crate::process::{Launch, Misdeed, Process, Question};
use crate::protocol::{GameLine, Info};
use crate::session::Fault;
use crate::spec::{Options, Spec};

/// An outside program, started when it is first asked and ended when this is dropped.
pub(crate) struct Program {
    launch: Launch,
    /// As people wrote it.
    name: String,
    game: GameLine,
    process: Option<Process>,
    fault: Fault,
}

impl Program {
    /// Checks that there is such a program, and does not start it yet.
    pub(crate) fn new(options: &Options, game: GameLine, fault: &Fault) -> Result<Program, Error> {
        let path = options.text("path");
        if path.is_empty() {
            return Err(Error::usage("program needs a path").help("write program:path=./agent.py"));
        }
        let launch = Launch {
            start: options.time("start"),
            grace: options.time("grace"),
            patience: options.time("patience"),
            ..Launch::new(path, options.words("args"))
        };
        launch.find()?;
        let name = Spec { name: "program".into(), pairs: vec![("path".into(), path.into())] }.to_string();
        Ok(Program { launch, name, game, process: None, fault: fault.clone() })
    }

    fn ask<G: Notation>(
        &mut self,
        game: &G,
        moves: &[G::Move],
        budget: &Budget,
        watch: &mut dyn FnMut(&Decision<G::Move>),
    ) -> Result<Decision<G::Move>, Error> {
        let forfeit = |misdeed: Misdeed| Error::forfeit(&self.name, misdeed);
        let process = match &mut self.process {
            Some(process) => process,
            empty => {
                let process = empty.insert(Process::start(&self.launch)?);
                process.greet(budget.stop.as_deref()).map_err(forfeit)?;
                process.send(&self.game.to_string());
                process
            }
        };
        let texts: Vec<String> = moves.iter().map(|&m| game.move_to_text(m)).collect();
        let question = Question { position: game.to_text(), turn: game.turn().number(), moves: texts };
        let meter = Meter::new(budget);
        let mut last = Info::default();
        let chosen = process.ask(&question, budget, |text| {
            last = Info::read(text);
            if let Some(decision) = decision(game, None, &last, &meter) {
                watch(&decision);
            }
        });
        let text = chosen.map_err(forfeit)?;
        let found = question.moves.iter().position(|legal| *legal == text).expect("the answer is one of these");
        Ok(decision(game, Some(moves[found]), &last, &meter).expect("it has a move"))
    }
}

/// What a program found, with its move or else with the first of its line; what makes no sense here is left out.
fn decision<G: Notation>(game: &G, m: Option<G::Move>, info: &Info, meter: &Meter) -> Option<Decision<G::Move>> {
    let mut position = game.clone();
    let mut pv = Vec::new();
    for text in &info.pv {
        let Ok(next) = position.move_from_text(text) else { break };
        pv.push(next);
        position.play(next);
    }
    let m = m.or(pv.first().copied())?;
    if pv.first() != Some(&m) {
        pv = vec![m];
    }
    let scores = info.scores.as_ref().filter(|scores| scores.len() == game.player_count());
    Some(Decision {
        m,
        value: info.value,
        scores: scores.map(|scores| ByPlayer::from_slice(scores)),
        depth: info.depth,
        nodes: info.nodes,
        time: meter.elapsed(),
        pv,
    })
}

impl<G: Notation> Agent<G> for Program {
    /// Where the program fails, the first move stands in, the fault is told, and the program is not asked again.
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        if self.fault.lock().expect("nobody panics with it").is_none() {
            match self.ask(game, &moves, budget, watch) {
                Ok(decision) => return decision,
                Err(error) => {
                    *self.fault.lock().expect("nobody panics with it") = Some(error);
                    if let Some(process) = self.process.take() {
                        process.kill();
                    }
                }
            }
        }
        Decision::blind(moves[0])
    }
}

#[cfg(test)]
mod tests {
    use crate::{NamedGame, Request, Spec};

    #[test]
    fn programs_are_started_only_where_that_is_allowed() {
        let game = NamedGame::new(&Spec::parse("tree").unwrap()).unwrap();
        for agent in ["program:path=sh", "worlds:agent=(program:path=sh)"] {
            let mut session = game.open(&Request::default()).unwrap();
            let error = session.seat(&Spec::parse(agent).unwrap(), 1).unwrap_err();
            assert_eq!(error.message, "outside programs are not started here");
        }
    }
}
