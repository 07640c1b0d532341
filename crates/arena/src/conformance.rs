//! Whether an outside program speaks the protocol: every part of it tried, in every game that it plays.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nply::{Budget, Rng};

use crate::error::Error;
use crate::process::{Launch, Misdeed, Process, Question};
use crate::protocol::GameLine;
use crate::registry::{NamedGame, Request};
use crate::session::{Chance, Session};

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
    /// As it should; and what there is to say about it.
    Passed(String),
    /// Not as it should.
    Failed {
        /// What is wrong.
        why: String,
        /// What would be right.
        hint: String,
    },
    /// The program does not play this game, which it need not; its own words.
    Skipped(String),
}

/// How long a program that is told to quit may take.
const QUIT: Duration = Duration::from_secs(2);

/// Tries everything, tells of each as it is done, and says whether all is well.
pub fn check(launch: &Launch, games: &[NamedGame], tell: &mut dyn FnMut(&Check)) -> Result<bool, Error> {
    launch.find()?;
    let mut trial = Trial { launch, tell, is_good: true };
    let started = Instant::now();
    let Greeted { process, said } = trial.greeted(|_| Ok(()))?;
    let name = process.name.clone().map_or_else(String::new, |name| format!(", it is {name:?}"));
    drop(process);
    let time = started.elapsed().as_millis();
    let is_ready = said.is_ok();
    trial.told("handshake", said.map(|()| format!("ready in {time} ms{name}")));
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
        None => trial.tell("any game", Outcome::Failed { why: "it plays none of them".into(), hint: NO_GAME.into() }),
    }
    trial.ends()?;
    Ok(trial.is_good)
}

const NO_GAME: &str =
    "choose among the words of the line `moves` and any game can be played; name games to try with --game";

struct Trial<'a> {
    launch: &'a Launch,
    tell: &'a mut dyn FnMut(&Check),
    is_good: bool,
}

/// A program that was greeted, and what came of it.
struct Greeted<T> {
    process: Process,
    said: Result<T, Misdeed>,
}

impl Trial<'_> {
    fn tell(&mut self, name: &str, outcome: Outcome) {
        self.is_good &= !matches!(outcome, Outcome::Failed { .. });
        (self.tell)(&Check { name: name.into(), outcome });
    }

    fn told(&mut self, name: &str, said: Result<String, Misdeed>) {
        let outcome = match said {
            Ok(about) => Outcome::Passed(about),
            Err(misdeed) => Outcome::Failed { why: misdeed.to_string(), hint: hint(&misdeed).into() },
        };
        self.tell(name, outcome);
    }

    /// Starts the program, greets it and goes on.
    fn greeted<T>(&self, go_on: impl FnOnce(&mut Process) -> Result<T, Misdeed>) -> Result<Greeted<T>, Error> {
        let mut process = Process::start(self.launch)?;
        let said = process.greet(None).and_then(|()| go_on(&mut process));
        Ok(Greeted { process, said })
    }

    /// Plays for all seats: the beginning, and further on after some moves of chance. Whether the program plays this game.
    fn game(&mut self, game: &NamedGame) -> Result<bool, Error> {
        let mut session = game.open(&Request::default())?;
        let name = format!("{}, {} players", game.spec, session.player_count());
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
        match played.said {
            Err(Misdeed::GaveUp(why)) if asked == 1 => {
                self.tell(&name, Outcome::Skipped(why));
                return Ok(false);
            }
            said => self.told(&name, said.map(|()| format!("{asked} legal moves"))),
        }
        Ok(true)
    }

    /// Every kind of budget, and what a driver may say at any time.
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
            self.asked(game, name, "", &budget)?;
        }
        self.asked(game, "lines it does not know", "xyzzy 1 2 3", &Budget::time(Duration::from_millis(100)))
    }

    fn asked(&mut self, game: &NamedGame, name: &str, before: &str, budget: &Budget) -> Result<(), Error> {
        let mut session = game.open(&Request::default())?;
        let played = self.greeted(|process| {
            process.send(&game_line(game, session.as_ref()));
            if !before.is_empty() {
                process.send(before);
            }
            let asked = Instant::now();
            process.ask(&question(session.as_mut()), budget, |_| ())?;
            Ok(format!("answered in {} ms", asked.elapsed().as_millis()))
        })?;
        self.told(name, played.said);
        Ok(())
    }

    /// Whether it goes when it should.
    fn ends(&mut self) -> Result<(), Error> {
        for (name, says_so) in [("quit", true), ("end of input", false)] {
            let Greeted { process, said } = self.greeted(|_| Ok(()))?;
            let started = Instant::now();
            match said {
                Err(misdeed) => self.told(name, Err(misdeed)),
                Ok(()) if process.quits(says_so, QUIT) => {
                    self.tell(name, Outcome::Passed(format!("ended in {} ms", started.elapsed().as_millis())));
                }
                Ok(()) => {
                    let why = format!("it still ran {} ms later", QUIT.as_millis());
                    let hint = "end at `quit` and when there is no more input, or it may stay behind for ever";
                    self.tell(name, Outcome::Failed { why, hint: hint.into() });
                }
            }
        }
        Ok(())
    }
}

fn game_line(game: &NamedGame, session: &dyn Session) -> String {
    let chance = Chance { own: 1, common: 1, noise: false };
    GameLine { game: game.spec.clone(), players: Some(session.player_count()), chance }.to_string()
}

fn question(session: &mut dyn Session) -> Question {
    Question { position: session.view(), turn: session.turn(), moves: session.moves() }
}

fn hint(misdeed: &Misdeed) -> &'static str {
    match misdeed {
        Misdeed::Ended { .. } => "it has to go on until `quit` or the end of its input",
        Misdeed::Late(_) => {
            "answer `nply 1` with `ready` and `go` with `move …`, and flush the output after every line"
        }
        Misdeed::Nonsense { .. } => {
            "output is only `name`, `ready`, `info`, `move` and `error`; a move is a word of the line `moves`; \
             anything else belongs on standard error"
        }
        Misdeed::LongLine | Misdeed::Flood => "write less: an `info` line now and then is enough",
        Misdeed::GaveUp(_) => "`error` is for what it cannot play at all, and gives the game up",
    }
}
