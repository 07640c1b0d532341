//! The program's side of the protocol: any agent, driven line by line by another program.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use nply::{Budget, Clocks, Error};

use crate::protocol::{self, GameLine, Info, VERSION, one_line};
use crate::registry::{NamedAgent, NamedGame, Registry, Request};
use crate::session::{Session, Thought};

/// An agent that speaks the protocol.
pub struct Engine {
    registry: Registry,
    game: NamedGame,
    request: Request,
    agent: NamedAgent,
    session: Box<dyn Session>,
    seat: usize,
    /// The line `position` whose question has not come yet, and the line `played`.
    position: Option<String>,
    played: Option<String>,
    /// The line `clock` whose question has not come yet, or what is wrong with it.
    clocks: Option<Result<Clocks, String>>,
    /// The error in the last line `game`, if any.
    wrong: Option<String>,
}

/// A line with the flag that stops the search it starts.
type Line = (String, Arc<AtomicBool>);

impl Engine {
    /// Makes the agent. Until the driver sends a position, it answers for the position of the request.
    pub fn new(registry: Registry, game: NamedGame, request: Request, agent: &str) -> Result<Engine, Error> {
        let mut session = game.open(&request)?;
        let agent = session.agent(agent)?;
        let seat = session.seat(&agent, request.seed)?;
        let (position, played, clocks, wrong) = (None, None, None, None);
        Ok(Engine { registry, game, request, agent, session, seat, position, played, clocks, wrong })
    }

    /// Answers until `quit` or the end of the input. `stop` and `quit` end the search under way and those that wait; at the end of
    /// the input they end by their own budgets, or at once if they have none.
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
                "game" => {
                    (self.position, self.played, self.clocks) = (None, None, None);
                    self.wrong = self.open(rest).err();
                }
                "position" => (self.position, self.played) = (Some(rest.into()), None),
                "played" => self.played = Some(rest.into()),
                "clock" => self.clocks = Some(protocol::read_clock(rest)),
                "go" => self.go(rest, stop, out)?,
                "quit" => break,
                // The rest of a question follows from the position, and `stop` has been handled.
                "" | "turn" | "moves" | "stop" => {}
                _ => writeln!(out, "info unknown line {:?}", one_line(word))?,
            }
            out.flush()?;
        }
        Ok(())
    }

    fn open(&mut self, text: &str) -> Result<(), String> {
        let line = GameLine::read(text)?;
        let (asked, own) = (&line.game.name, self.game.info().name);
        if asked != own {
            return Err(format!("this plays {own}, not {asked}"));
        }
        let request = Request { players: line.players, position: None, moves: String::new(), ..self.request.clone() };
        let make = || -> Result<_, Error> {
            let mut session = self.registry.find_spec(&line.game)?.open(&request)?;
            // Its settings may not suit another number of players, and `best` may be another agent there.
            let agent = session.agent(&self.agent.asked_text())?;
            let seat = session.seat_with(&agent, line.chance)?;
            Ok((session, seat))
        };
        (self.session, self.seat) = make().map_err(|error| error.message)?;
        Ok(())
    }

    fn go(&mut self, text: &str, stop: Arc<AtomicBool>, out: &mut impl Write) -> io::Result<()> {
        let mut written = Ok(());
        let mut last = String::new();
        let question = match &self.wrong {
            Some(why) => Err(why.clone()),
            None => protocol::read_go(text),
        };
        let clocks = self.clocks.take();
        let thought = question.and_then(|(budget, ply)| {
            let played = self.played.take();
            if let Some(position) = &self.position {
                self.session.show(position, ply, played.as_deref()).map_err(|error| error.message)?;
                self.position = None;
            }
            let clocks = clocks.transpose()?;
            let players = self.session.player_count();
            if let Some(count) = clocks.as_ref().map(|clocks| clocks.left.len()).filter(|&count| count != players) {
                return Err(format!("the clock has {count} times, and there are {players} players"));
            }
            // With a clock, the time of `go` is for programs that do not plan their own.
            let time = clocks.as_ref().map_or(budget.time, |clocks| clocks.most);
            // Without any limit, `stop` ends it.
            let ends = Budget { time: time.or(clocks.as_ref().map(|_| Duration::ZERO)), ..budget.clone() };
            if ends != Budget::default() {
                self.agent.check_ends(&ends).map_err(|error| error.message)?;
            }
            self.session.set_clocks(clocks);
            let budget = Budget { stop: Some(stop), time, ..budget };
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
    let Thought { depth, nodes, value, scores, chances, pv, .. } = thought.clone();
    Info { depth, nodes, value, scores, chances, pv }.to_string()
}

/// Passes lines on, and stops searches when they should stop. A line `go` may be read while an earlier one is still answered, so
/// there can be several, under way or waiting.
fn listen(mut input: impl BufRead, lines: &Sender<Line>) {
    // The searches that are not over, and whether each has no limit.
    let mut searches: Vec<(Weak<AtomicBool>, bool)> = Vec::new();
    let mut has_clock = false;
    loop {
        let mut line = Vec::new();
        let read = input.read_until(b'\n', &mut line);
        let line = String::from_utf8_lossy(&line).trim().to_string();
        let is_last = !matches!(read, Ok(1..));
        let stop = Arc::new(AtomicBool::new(false));
        searches.retain(|(search, _)| search.strong_count() > 0);
        let end = |is_ended: &dyn Fn(bool) -> bool| {
            for (search, is_endless) in &searches {
                if let Some(stop) = search.upgrade().filter(|_| is_ended(*is_endless)) {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        };
        match protocol::split(&line).0 {
            "stop" | "quit" => end(&|_| true),
            _ if is_last => end(&|is_endless| is_endless),
            _ => {}
        }
        has_clock |= protocol::split(&line).0 == "clock";
        if let ("go", rest) = protocol::split(&line) {
            let is_endless = protocol::read_go(rest).is_ok_and(|(budget, _)| budget == Budget::default());
            // The line `clock` is for one question, and limits it.
            let is_endless = is_endless && !std::mem::take(&mut has_clock);
            searches.push((Arc::downgrade(&stop), is_endless));
        }
        if is_last || lines.send((line, stop)).is_err() {
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
        let registry = Registry::standard();
        let game = registry.find("tree").unwrap();
        let mut engine = Engine::new(registry, game, Request::default(), "random").unwrap();
        let samples = [
            "nply 1",
            "game tree:sum=20 players 3 seed 1 common 2 noise no",
            "position (1 5,4,1 (2 4,6,0 0,5,5)) sum=20",
            "position (2 4,6,0 0,5,5)",
            "turn 2",
            "moves 1 2",
            "played 1 2",
            "go depth 3 nodes 250k playouts 5 time 200 ply 4",
            "go nodes 10",
            "clock 59000 60000 60s increment 500 most 2000",
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
