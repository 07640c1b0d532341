//! The agent `program`: an outside program that speaks the protocol.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nply::settings::Visitor;
use nply::{
    Agent, AgentSettings, Algorithm, Budget, ByPlayer, Clocks, Code, Context, Decision, Declaration, Error, Game, Kit,
    Limit, Meter, Notation, Settings, given_name,
};

use crate::process::{Launch, Process, Question, Violation};
use crate::protocol::{GameLine, Info};

/// The settings of an outside program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSettings {
    /// The program: a path, or the name of an installed one.
    pub path: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// How long it may take to get ready.
    pub start: Duration,
    /// How much longer than the budget's time it may take.
    pub grace: Duration,
    /// How long it may take for a move where the budget has no time.
    pub patience: Duration,
}

impl Default for ProgramSettings {
    fn default() -> ProgramSettings {
        let (start, grace, patience) = (Duration::from_secs(30), Duration::from_secs(1), Duration::from_secs(60));
        ProgramSettings { path: None, args: Vec::new(), start, grace, patience }
    }
}

impl Settings for ProgramSettings {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        v.path("path", &mut self.path, "the program: a path, or the name of an installed one; required");
        v.list("args", &mut self.args, "its arguments; one that contains spaces in parentheses");
        v.time("start", &mut self.start, "how long it may take to get ready");
        v.time("grace", &mut self.grace, "how much longer than the budget's time it may take");
        v.time("patience", &mut self.patience, "how long it may take for a move where the budget has no time");
    }
}

impl AgentSettings for ProgramSettings {
    const NAME: &'static str = "program";
    const ABOUT: &'static str = "an outside program that speaks nply's protocol";
    const LIMITS: &'static [Limit] = Limit::ALL;
    const KEEPS_TIME: bool = true;

    fn check(&self, _players: usize) -> Result<(), Error> {
        match self.path {
            Some(_) => Ok(()),
            None => Err(Error::usage("program needs a path").help("write program:path=./agent.py")),
        }
    }
}

impl ProgramSettings {
    fn launch(&self) -> Launch {
        let usual = Launch::new(self.path.clone().unwrap_or_default(), self.args.clone());
        Launch { start: self.start, grace: self.grace, patience: self.patience, ..usual }
    }

    /// Starts the program to ask for its name; `None` if it gives none, whatever the reason, or if `stop` is set.
    pub(crate) fn own_name(&self, stop: &AtomicBool) -> Option<String> {
        let mut process = Process::start(&self.launch()).ok()?;
        process.greet(Some(stop)).ok()?;
        given_name(process.name.as_ref()?)
    }
}

impl Algorithm for ProgramSettings {
    fn agent<D: Declaration>(&self, kit: &Kit<'_, D>) -> Result<Box<dyn Agent<D::Game>>, Error> {
        if !kit.programs {
            return Err(Error::refused("outside programs are not started here"));
        }
        self.check(kit.game.player_count())?;
        let launch = self.launch();
        launch.find()?;
        let game = GameLine { game: kit.spec.clone(), players: Some(kit.game.player_count()), chance: kit.chance };
        Ok(Box::new(Program { launch, game, process: None, ply: 0, played: None, clocks: None, fault: None }))
    }
}

/// An outside program, started when it is first asked and ended when this is dropped.
struct Program {
    launch: Launch,
    game: GameLine,
    process: Option<Process>,
    /// The context of the next question.
    ply: u32,
    played: Option<Vec<String>>,
    clocks: Option<Clocks>,
    fault: Option<Error>,
}

impl Program {
    fn ask<G: Notation>(
        &mut self,
        game: &G,
        moves: &[G::Move],
        budget: &Budget,
        watch: &mut dyn FnMut(&Decision<G::Move>),
    ) -> Result<Decision<G::Move>, Error> {
        let forfeit = |violation: Violation| {
            let code = if let Violation::OutOfTime(_) = violation { Code::OutOfTime } else { Code::Forfeit };
            Error::new(code, violation.to_string())
        };
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
        let (ply, played, clocks) = (self.ply, self.played.take(), self.clocks.take());
        let (position, turn) = (game.to_text(), game.turn().number());
        let question = Question { position, turn, moves: texts, ply, played, clocks };
        let meter = Meter::new(budget);
        let mut last = Info::default();
        let answer = process.ask(&question, budget, |text| {
            last = Info::read(text);
            if let Some(decision) = decision(game, None, &last, &meter) {
                watch(&decision);
            }
        });
        let text = answer.map_err(forfeit)?;
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
    let by_player = |numbers: &Option<Vec<f64>>| {
        numbers
            .as_ref()
            .filter(|numbers| numbers.len() == game.player_count())
            .map(|numbers| ByPlayer::from_slice(numbers))
    };
    let are_shares = |chances: &ByPlayer<f64>| {
        chances.as_slice().iter().all(|chance| (0.0..=1.0).contains(chance)) && (chances.sum() - 1.0).abs() < 1e-6
    };
    Some(Decision {
        m,
        value: info.value,
        scores: by_player(&info.scores),
        chances: by_player(&info.chances).filter(are_shares),
        depth: info.depth,
        nodes: info.nodes,
        playouts: 0,
        time: meter.elapsed(),
        pv,
        lines: Vec::new(),
    })
}

impl<G: Notation> Agent<G> for Program {
    /// If the program fails, the first move stands in, [`fault`](Agent::fault) says why, and the program is not asked again.
    fn search(&mut self, game: &G, budget: &Budget, watch: &mut dyn FnMut(&Decision<G::Move>)) -> Decision<G::Move> {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        if self.fault.is_none() {
            match self.ask(game, &moves, budget, watch) {
                Ok(decision) => return decision,
                Err(error) => {
                    self.fault = Some(error);
                    if let Some(process) = self.process.take() {
                        process.kill();
                    }
                }
            }
        }
        Decision::blind(moves[0])
    }

    fn observe(&mut self, context: &Context<'_, G::Move>) {
        self.ply = context.ply;
        self.played = context.played.map(|_| (context.texts)());
        self.clocks = context.clocks.cloned();
    }

    fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }
}
