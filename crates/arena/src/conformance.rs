//! Checks whether an outside program speaks the protocol: every part of it, in every game that the program plays.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nply::{Budget, Chance, Clock, Clocks, Error, Player, Rng, moves_left};

use crate::process::{Launch, Process, Question, Violation};
use crate::protocol::GameLine;
use crate::registry::{NamedGame, Request};
use crate::session::Session;

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was tried.
    pub name: String,
    /// How it went.
    pub outcome: Outcome,
}

/// How a [`Check`] went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should; with a remark.
    Passed(String),
    /// Not as it should.
    Failed {
        /// What is wrong.
        why: String,
        /// What would be right.
        hint: String,
    },
    /// The program does not play this game, which is allowed; its own words.
    Skipped(String),
}

/// How long a program may take to end after `quit`.
const QUIT: Duration = Duration::from_secs(2);

/// Tries everything, reports each check as it is done, and returns whether all passed.
pub fn check(launch: &Launch, games: &[NamedGame], report: &mut dyn FnMut(&Check)) -> Result<bool, Error> {
    launch.find()?;
    let mut trial = Trial { launch, report, is_good: true };
    let started = Instant::now();
    let Greeted { process, result } = trial.greeted(|_| Ok(()))?;
    let name = process.name.clone().map_or_else(String::new, |name| format!(", it is {name:?}"));
    drop(process);
    let time = started.elapsed().as_millis();
    let is_ready = result.is_ok();
    trial.record("handshake", result.map(|()| format!("ready in {time} ms{name}")));
    if !is_ready {
        return Ok(false);
    }
    let mut known = None;
    for game in games {
        if trial.game(game)? {
            known = known.or(Some(game));
        }
    }
    match known {
        Some(game) => trial.limits(game)?,
        None => trial.report("any game", Outcome::Failed { why: "it plays none of them".into(), hint: NO_GAME.into() }),
    }
    trial.ends()?;
    Ok(trial.is_good)
}

const NO_GAME: &str =
    "choose among the words of the line `moves` and any game can be played; name games to try with --game";

struct Trial<'a> {
    launch: &'a Launch,
    report: &'a mut dyn FnMut(&Check),
    is_good: bool,
}

/// A program after the handshake, and what came of it.
struct Greeted<T> {
    process: Process,
    result: Result<T, Violation>,
}

impl Trial<'_> {
    fn report(&mut self, name: &str, outcome: Outcome) {
        self.is_good &= !matches!(outcome, Outcome::Failed { .. });
        (self.report)(&Check { name: name.into(), outcome });
    }

    fn record(&mut self, name: &str, result: Result<String, Violation>) {
        let outcome = match result {
            Ok(about) => Outcome::Passed(about),
            Err(violation) => Outcome::Failed { why: violation.to_string(), hint: hint(&violation).into() },
        };
        self.report(name, outcome);
    }

    /// Starts the program, makes the handshake and continues.
    fn greeted<T>(&self, go_on: impl FnOnce(&mut Process) -> Result<T, Violation>) -> Result<Greeted<T>, Error> {
        let mut process = Process::start(self.launch)?;
        let result = process.greet(None).and_then(|()| go_on(&mut process));
        Ok(Greeted { process, result })
    }

    /// Plays for all seats: the opening, and the middle game after some random moves. Whether the program plays this game.
    fn game(&mut self, game: &NamedGame) -> Result<bool, Error> {
        let mut session = game.open(&Request::default())?;
        let name = format!("{game}, {} players", session.player_count());
        let (mut asked, mut rng) = (0, Rng::new(1));
        let played = self.greeted(|process| {
            process.send(&game_line(game, session.as_ref()));
            for ply in 0..48 {
                if session.payoff().is_some() {
                    break;
                }
                let question = question(session.as_mut());
                let m = if (12..36).contains(&ply) {
                    rng.pick(&question.moves.iter().collect::<Vec<_>>()).clone()
                } else {
                    asked += 1;
                    process.ask(&question, &Budget::nodes(1000), |_| ())?
                };
                session.play(&m).expect("the move is one of the legal ones");
            }
            Ok(())
        })?;
        match played.result {
            Err(Violation::GaveUp(why)) if asked == 1 => {
                self.report(&name, Outcome::Skipped(why));
                return Ok(false);
            }
            result => self.record(&name, result.map(|()| format!("{asked} legal moves"))),
        }
        Ok(true)
    }

    /// Every kind of budget, and the lines that a driver may send at any time.
    fn limits(&mut self, game: &NamedGame) -> Result<(), Error> {
        let second = Duration::from_secs(1);
        let stop = Some(Arc::new(AtomicBool::new(true)));
        let budgets = [
            ("one node", Budget::nodes(1)),
            ("depth 1", Budget::depth(1)),
            ("100 ms", Budget::time(Duration::from_millis(100))),
            ("one playout or 100 ms", Budget { playouts: Some(1), ..Budget::time(Duration::from_millis(100)) }),
            ("no time at all", Budget::time(Duration::ZERO)),
            ("stop after a long time is given", Budget { stop, ..Budget::time(600 * second) }),
        ];
        for (name, budget) in budgets {
            self.asked(game, name, "", &budget, None)?;
        }
        for (name, time) in [("a clock with a minute left", 60 * second), ("a clock with two seconds left", 2 * second)]
        {
            let clock = Clock { time, increment: Duration::from_millis(100) };
            self.asked(game, name, "", &Budget::default(), Some(clock))?;
        }
        self.asked(game, "lines it does not know", "xyzzy 1 2 3", &Budget::time(Duration::from_millis(100)), None)
    }

    fn asked(
        &mut self,
        game: &NamedGame,
        name: &str,
        before: &str,
        budget: &Budget,
        clock: Option<Clock>,
    ) -> Result<(), Error> {
        let mut session = game.open(&Request::default())?;
        let played = self.greeted(|process| {
            process.send(&game_line(game, session.as_ref()));
            if !before.is_empty() {
                process.send(before);
            }
            let clocks = clock.map(|clock| Clocks::new(clock, session.player_count()));
            let plan = |clocks: &Clocks| clocks.plan(Player::new(session.turn() - 1), moves_left(0, 0.0));
            let budget = Budget { time: clocks.as_ref().map(plan).or(budget.time), ..budget.clone() };
            let question = Question { clocks, ..question(session.as_mut()) };
            let asked = Instant::now();
            process.ask(&question, &budget, |_| ())?;
            Ok(format!("answered in {} ms", asked.elapsed().as_millis()))
        })?;
        self.record(name, played.result);
        Ok(())
    }

    /// Whether it ends when it should.
    fn ends(&mut self) -> Result<(), Error> {
        for (name, by_word) in [("quit", true), ("end of input", false)] {
            let Greeted { process, result } = self.greeted(|_| Ok(()))?;
            let started = Instant::now();
            match result {
                Err(violation) => self.record(name, Err(violation)),
                Ok(()) if process.quits(by_word, QUIT) => {
                    self.report(name, Outcome::Passed(format!("ended in {} ms", started.elapsed().as_millis())));
                }
                Ok(()) => {
                    let why = format!("it still ran {} ms later", QUIT.as_millis());
                    let hint = "end at `quit` and when there is no more input, or it may stay behind forever";
                    self.report(name, Outcome::Failed { why, hint: hint.into() });
                }
            }
        }
        Ok(())
    }
}

fn game_line(game: &NamedGame, session: &dyn Session) -> String {
    let chance = Chance { own: 1, common: 1, noise: false };
    GameLine { game: game.spec().clone(), players: Some(session.player_count()), chance }.to_string()
}

fn question(session: &mut dyn Session) -> Question {
    let ply = session.played().len() as u32;
    Question { position: session.view(), turn: session.turn(), moves: session.moves(), ply, played: None, clocks: None }
}

fn hint(violation: &Violation) -> &'static str {
    match violation {
        Violation::Ended { .. } => "it has to go on until `quit` or the end of its input",
        Violation::Late(_) => {
            "answer `nply 1` with `ready` and `go` with `move …`, and flush the output after every line"
        }
        Violation::OutOfTime(_) => {
            "a program that knows clocks answers within its time of the line `clock`; others within the time of `go`"
        }
        Violation::Nonsense { .. } => {
            "output is only `name`, `ready`, `info`, `move` and `error`; a move is a word of the line `moves`; \
             anything else belongs on standard error"
        }
        Violation::LongLine | Violation::Flood => "write less: an `info` line now and then is enough",
        Violation::GaveUp(_) => "`error` is for what it cannot play at all, and gives the game up",
    }
}
