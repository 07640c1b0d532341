//! The program's side of the protocol: any agent, driven line by line by another program.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use nply::Budget;

use crate::error::Error;
use crate::limits::check_ends;
use crate::protocol::{self, GameLine, Info, VERSION, one_line};
use crate::registry::{NamedGame, Request};
use crate::session::{Session, Thought};
use crate::spec::Spec;

/// An agent that speaks the protocol.
pub struct Engine {
    game: NamedGame,
    request: Request,
    agent: Spec,
    session: Box<dyn Session>,
    seat: usize,
    /// What was wrong with the last line `game`, and with the last line `position` after it.
    wrong: [Option<String>; 2],
}

/// A line with the flag that stops what it starts.
type Line = (String, Arc<AtomicBool>);

impl Engine {
    /// Makes the agent, which plays from what the request says until a driver says otherwise.
    pub fn new(game: NamedGame, request: Request, agent: Spec) -> Result<Engine, Error> {
        let mut session = game.open(&request)?;
        let seat = session.seat(&agent, request.seed)?;
        Ok(Engine { game, request, agent, session, seat, wrong: [None, None] })
    }

    /// Answers until it is told to quit or there is no more input; a search under way ends by its own budget, or at once if it has
    /// none.
    pub fn serve(&mut self, input: impl BufRead + Send + 'static, out: &mut impl Write) -> io::Result<()> {
        let (send, lines) = channel();
        thread::spawn(move || listen(input, &send));
        self.answer(&lines, out)
    }

    fn answer(&mut self, lines: &Receiver<Line>, out: &mut impl Write) -> io::Result<()> {
        while let Ok((line, stop)) = lines.recv() {
            let (word, rest) = protocol::split(&line);
            match word {
                "nply" => {
                    let name = format!("{} of nply {}", self.agent, env!("CARGO_PKG_VERSION"));
                    writeln!(out, "name {}\nready {VERSION}", one_line(&name))?;
                }
                "game" => self.wrong = [self.open(rest).err(), None],
                "position" => self.wrong[1] = self.session.show(rest).err().map(|error| error.message),
                "go" => self.go(rest, stop, out)?,
                "quit" => break,
                // The rest of a question follows from the position, and `stop` has been seen to.
                "" | "turn" | "moves" | "stop" => {}
                _ => writeln!(out, "info unknown line {:?}", one_line(word))?,
            }
            out.flush()?;
        }
        Ok(())
    }

    fn open(&mut self, text: &str) -> Result<(), String> {
        let line = GameLine::read(text)?;
        let (asked, own) = (&line.game.name, &self.game.spec.name);
        if asked != own {
            return Err(format!("this plays {own}, not {asked}"));
        }
        let request = Request { players: line.players, position: None, moves: String::new(), ..self.request.clone() };
        let make = || -> Result<_, Error> {
            let mut session = NamedGame::new(&line.game)?.open(&request)?;
            let seat = session.seat_with(&self.agent, line.chance)?;
            Ok((session, seat))
        };
        (self.session, self.seat) = make().map_err(|error| error.message)?;
        Ok(())
    }

    fn go(&mut self, text: &str, stop: Arc<AtomicBool>, out: &mut impl Write) -> io::Result<()> {
        let mut written = Ok(());
        let mut last = String::new();
        let budget = match self.wrong.iter().flatten().next() {
            Some(why) => Err(why.clone()),
            None => protocol::read_go(text),
        };
        let thought = budget.and_then(|budget| {
            // Without any limit, `stop` ends it.
            if budget != Budget::default() {
                check_ends(&self.agent, &budget).map_err(|error| error.message)?;
            }
            let budget = Budget { stop: Some(stop), ..budget };
            let thought = self.session.think(self.seat, &budget, &mut |thought| {
                last = info(thought);
                if written.is_ok() {
                    written = writeln!(out, "{last}").and_then(|()| out.flush());
                }
            });
            thought.map_err(|error| error.message)
        });
        written?;
        match thought {
            Ok(thought) => {
                let found = info(&thought);
                if found != last {
                    writeln!(out, "{found}")?;
                }
                writeln!(out, "move {}", thought.m)
            }
            Err(why) => writeln!(out, "error {}", one_line(&why)),
        }
    }
}

fn info(thought: &Thought) -> String {
    let Thought { depth, nodes, value, scores, pv, .. } = thought.clone();
    Info { depth, nodes, value, scores, pv }.to_string()
}

/// Passes lines on, and sees to it that what is under way stops when it should.
fn listen(mut input: impl BufRead, lines: &Sender<Line>) {
    let mut stop = Arc::new(AtomicBool::new(false));
    let mut is_endless = false;
    loop {
        let mut line = Vec::new();
        let read = input.read_until(b'\n', &mut line);
        let line = String::from_utf8_lossy(&line).trim().to_string();
        let is_last = !matches!(read, Ok(1..));
        match protocol::split(&line) {
            ("go", rest) => {
                stop = Arc::new(AtomicBool::new(false));
                is_endless = protocol::read_go(rest).is_ok_and(|budget| budget == Budget::default());
            }
            ("stop", _) => stop.store(true, Ordering::Relaxed),
            (word, _) if (word == "quit" || is_last) && is_endless => stop.store(true, Ordering::Relaxed),
            _ => {}
        }
        if is_last || lines.send((line, stop.clone())).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;

    #[test]
    fn no_line_makes_an_engine_fail() {
        let game = NamedGame::new(&Spec::parse("tree").unwrap()).unwrap();
        let agent = Spec::parse("random").unwrap();
        let mut engine = Engine::new(game, Request::default(), agent).unwrap();
        let samples = [
            "nply 1",
            "game tree:sum=20 players 3 seed 1 common 2 noise no",
            "position (1 5,4,1 (2 4,6,0 0,5,5)) sum=20",
            "position (2 4,6,0 0,5,5)",
            "turn 2",
            "moves 1 2",
            "go depth 3 nodes 250k playouts 5 time 200",
            "go nodes 10",
            "stop",
        ];
        let mut out = Vec::new();
        let mut moves = 0;
        testing::mangle(&samples, 1_000_000, |text| {
            // Only what a line can hold.
            let line = text.replace('\n', " ");
            let (send, lines) = channel();
            send.send((line, Arc::default())).unwrap();
            drop(send);
            out.clear();
            engine.answer(&lines, &mut out).unwrap();
            let answer = std::str::from_utf8(&out).unwrap();
            for line in answer.lines() {
                let (word, rest) = protocol::split(line);
                assert!(
                    ["name", "ready", "info", "move", "error"].contains(&word) && !rest.is_empty(),
                    "{text:?}: {line}"
                );
                moves += u32::from(word == "move");
            }
        });
        assert!(moves > 10_000, "{moves}");
    }
}
