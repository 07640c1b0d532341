//! `nply play`: a game in the terminal.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use nply::{Budget, Code, Error, Spec, mix};
use nply_arena::npgn::{self, Ply, Reader, Transcript};
use nply_arena::{Demand, MoveClicks, NamedAgent, Registry, Session, Thought};
use serde_json::{Value, json};

use super::input::{Input, Typed};
use super::stop::{INTERRUPT, signal};
use super::tournament::{check_memory, mention_memory};
use super::{App, idle_limits, mention_best, search};
use crate::args::{Limits, Play, Position};
use crate::output::{Failure, Out, color, number, numbers, short, shorts};

/// What a person may type besides a move.
const HELP: &str = "type a move, or: moves, undo, hint, save FILE, quit";

/// Legal moves are listed without asking up to this many.
const FEW: usize = 40;

pub(super) fn run(mut asked: Play, app: &App, out: &mut Out) -> Result<(), Failure> {
    if let Some(path) = asked.resume.take() {
        resume(&path, &mut asked, &app.registry)?;
    }
    let game = LiveGame::new(&asked, app)?;
    if app.common.json { game.play(&mut io::stderr(), Some(out)) } else { game.play(out, None) }
}

/// Who plays a seat.
enum Seat {
    Human,
    /// The number of an agent of the session.
    Agent(usize),
}

struct LiveGame<'a> {
    session: Box<dyn Session>,
    seats: Vec<Seat>,
    names: Vec<String>,
    hint: NamedAgent,
    budget: Budget,
    asked: &'a Play,
    quiet: bool,
    input: Input,
    /// What agents thought whose cards are hidden, after ply and player: shown when the game is over.
    thoughts: Vec<(usize, usize, Thought)>,
}

/// The agent of whoever names none: the best or, if the machine has not the memory for a game of it, one that needs none.
fn unnamed(session: &dyn Session, budget: &Budget, app: &App) -> Result<&'static str, Error> {
    let best = session.agent_within("best", budget)?;
    let all = vec![&best; session.player_count()];
    match check_memory(&Demand::new(1, all)) {
        Ok(_) => Ok("best"),
        Err(error) => {
            app.note(&format!("note: greedy plays where no agent is named, not {best}: {}", error.message));
            Ok("greedy")
        }
    }
}

/// What follows a person's line.
enum Next {
    Ask,
    Go,
    Quit,
    /// A signal has come.
    Stop,
}

impl<'a> LiveGame<'a> {
    fn new(asked: &'a Play, app: &App) -> Result<LiveGame<'a>, Error> {
        let App { registry, common } = app;
        let mut session = asked.position.open(registry)?;
        let players = session.player_count();
        let budget = asked.limits.budget_or(Budget::time(Duration::from_secs(1)));
        let is_named = asked.seats.is_some() && asked.hint.is_some();
        let unnamed = if is_named { "best" } else { unnamed(&*session, &budget, app)? };
        let specs = match &asked.seats {
            Some(seats) => Spec::parse_list(seats)?,
            None => Spec::parse_list(&format!("human{}", format!(" {unnamed}").repeat(players - 1)))?,
        };
        if specs.len() != players {
            let message = format!("{} players need as many seats, and {} are given", players, specs.len());
            return Err(Error::usage(message).help("write --seats \"human best …\", a word for each player"));
        }
        let named = |text: &str| {
            let agent = search::with_threads(&*session, text, &budget, app.common.threads)?;
            agent.check_ends(&budget)?;
            Ok(agent)
        };
        // Everything is checked before the first agent is made, which may take long.
        let agent = |spec: &Spec| {
            let is_human = spec.name == "human" && spec.pairs.is_empty();
            if is_human { Ok(None) } else { named(&spec.to_string()).map(Some) }
        };
        let agents = specs.iter().map(agent).collect::<Result<Vec<Option<NamedAgent>>, Error>>()?;
        let hint = named(asked.hint.as_deref().unwrap_or(unnamed)).map_err(|error: Error| error.within("--hint"))?;
        mention_best(agents.iter().flatten().chain([&hint]), app);
        mention_memory(&Demand::new(1, agents.iter().flatten().chain([&hint])))?;
        asked.position.open(registry)?.try_agents(&agents.iter().flatten().collect::<Vec<&NamedAgent>>())?;
        let asked_of = agents.iter().flatten().chain([&hint]);
        idle_limits(asked_of, &budget).iter().for_each(|note| app.note(note));
        let mut seats = Vec::new();
        for (seat, agent) in agents.iter().enumerate() {
            seats.push(match agent {
                None => Seat::Human,
                Some(agent) => Seat::Agent(session.seat(agent, mix(asked.position.seed.wrapping_add(seat as u64)))?),
            });
        }
        // Tried now, so that whoever asks for a hint gets one.
        asked.position.open(registry)?.seat(&hint, 0).map_err(|error| error.within("--hint"))?;
        let name = |agent: &Option<NamedAgent>| agent.as_ref().map_or_else(|| "human".into(), NamedAgent::to_string);
        let names = agents.iter().map(name).collect();
        let input = Input::new();
        let budget = Budget { stop: Some(input.stop.clone()), ..budget };
        Ok(LiveGame { session, seats, names, hint, budget, asked, quiet: common.quiet, input, thoughts: Vec::new() })
    }

    /// Plays to the end. `talk` is for people; `record` gets the game as JSON, if it is wanted.
    fn play(mut self, talk: &mut dyn Write, mut record: Option<&mut Out>) -> Result<(), Failure> {
        let mut record_line = |what: Value| -> io::Result<()> {
            let Some(record) = &mut record else { return Ok(()) };
            writeln!(record, "{what}")?;
            record.flush()
        };
        while self.session.payoff().is_none() {
            let turn = self.session.turn();
            let name = &self.names[turn - 1];
            let ply = self.session.played().len() + 1;
            let mut entry = json!({ "ply": ply, "player": turn, "agent": name });
            self.draw(talk)?;
            match self.seats[turn - 1] {
                Seat::Agent(agent) => {
                    let thought = self.session.think(agent, &self.budget, &mut |_| ());
                    if self.input.is_stopped() {
                        return self.leave(talk);
                    }
                    let thought = match thought {
                        Err(Error { code: Code::Forfeit, message: why, .. }) => {
                            writeln!(talk, "player {turn} ({name}) forfeits the game: {why}")?;
                            let payoff = self.without(turn);
                            self.shares(&payoff, talk)?;
                            let thoughts = self.reveal(talk)?;
                            let forfeit = json!({ "player": turn, "why": why });
                            let end = json!({ "payoff": numbers(&payoff), "points": null, "forfeit": forfeit });
                            return Ok(record_line(with_thoughts(end, thoughts))?);
                        }
                        thought => thought?,
                    };
                    let hides = self.hides();
                    if !self.quiet {
                        writeln!(talk, "player {turn} ({name}): {}", thought.m)?;
                        if !hides {
                            writeln!(talk, "  {}", search::line(&thought))?;
                        }
                        writeln!(talk)?;
                    }
                    self.session.play(&thought.m)?;
                    if hides {
                        // Even how long it thought, or about how many moves, depends on its cards.
                        self.thoughts.push((ply, turn, thought));
                    } else {
                        add_thought(&mut entry, &thought);
                    }
                }
                Seat::Human => match self.ask(turn, talk)? {
                    Next::Quit => return Ok(()),
                    Next::Stop => return self.leave(talk),
                    Next::Ask | Next::Go => {}
                },
            }
            let played = self.session.played();
            if played.len() == ply {
                entry["move"] = json!(played.last());
                record_line(entry)?;
            } else {
                record_line(json!({ "undo": ply - 1 - played.len() }))?;
                self.thoughts.retain(|&(at, ..)| at <= played.len());
            }
        }
        self.draw(talk)?;
        let payoff = self.session.payoff().expect("the game is over");
        self.shares(&payoff, talk)?;
        let points = self.session.points();
        if let Some(points) = &points {
            writeln!(talk, "points: {}", shorts(points))?;
        }
        let points = points.as_deref().map(numbers);
        let thoughts = self.reveal(talk)?;
        let end = json!({ "payoff": numbers(&payoff), "points": points, "forfeit": null });
        Ok(record_line(with_thoughts(end, thoughts))?)
    }

    /// Shows what agents thought while their cards were hidden; the same for the record.
    fn reveal(&self, talk: &mut dyn Write) -> Result<Vec<Value>, Failure> {
        let mut all = Vec::new();
        for (ply, player, thought) in &self.thoughts {
            let name = &self.names[player - 1];
            if !self.quiet {
                writeln!(talk, "ply {ply}, player {player} ({name}): {}\n  {}", thought.m, search::line(thought))?;
            }
            let mut entry = json!({ "ply": ply, "player": player, "agent": name });
            add_thought(&mut entry, thought);
            all.push(entry);
        }
        Ok(all)
    }

    /// Ends a game at a signal.
    fn leave(&mut self, talk: &mut dyn Write) -> Result<(), Failure> {
        let signal = signal().unwrap_or(INTERRUPT);
        // After the others nobody is there, or has the time.
        if signal == INTERRUPT {
            self.offer_to_save(talk)?;
        }
        Err(Failure::Stopped(signal))
    }

    fn offer_to_save(&mut self, talk: &mut dyn Write) -> io::Result<()> {
        loop {
            let answer = self.input.answer(|| {
                write!(talk, "\nsave the game? name a file, or press Enter to discard it: ")?;
                talk.flush()
            })?;
            match answer.as_deref().map(str::trim) {
                None | Some("") => return Ok(()),
                Some(name) if self.save_as(name, talk)? => return Ok(()),
                Some(_) => {}
            }
        }
    }

    fn draw(&self, talk: &mut dyn Write) -> Result<(), Failure> {
        if !self.quiet {
            let picture = self.session.picture_for(&self.watchers(), color(&io::stdout()));
            writeln!(talk, "{}\n", picture.trim_end())?;
            // An agent may think for long.
            talk.flush()?;
        }
        Ok(())
    }

    /// The players whose cards are shown: those of the one person who plays; of several, those of whose turn it is; and all
    /// where only agents play.
    fn watchers(&self) -> Vec<usize> {
        let count = self.seats.len();
        let people: Vec<usize> = (1..=count).filter(|&seat| matches!(self.seats[seat - 1], Seat::Human)).collect();
        match people.len() {
            _ if self.asked.all || self.session.payoff().is_some() => (1..=count).collect(),
            0 => (1..=count).collect(),
            1 => people,
            _ => people.into_iter().filter(|&seat| seat == self.session.turn()).collect(),
        }
    }

    /// Whether there is something that those who watch do not see.
    fn hides(&self) -> bool {
        self.session.picture_for(&self.watchers(), false) != self.session.picture(false)
    }

    /// Asks a person until a move is made or taken back, or the person quits.
    fn ask(&mut self, turn: usize, talk: &mut dyn Write) -> Result<Next, Failure> {
        let legal = self.session.moves();
        if legal.len() <= FEW {
            writeln!(talk, "legal: {}", legal.join(" "))?;
        } else {
            writeln!(talk, "{} legal moves; `moves` lists them", legal.len())?;
        }
        loop {
            write!(talk, "player {turn}> ")?;
            talk.flush()?;
            let line = match self.input.line()? {
                Typed::Line(line) => line,
                Typed::End => {
                    let played = self.session.played().join(" ");
                    writeln!(talk, "\nno more input; the game stays unfinished after: {played}")?;
                    return Ok(Next::Quit);
                }
                Typed::Stop => return Ok(Next::Stop),
            };
            match self.obey(line.trim(), talk)? {
                Next::Ask => {}
                next => return Ok(next),
            }
        }
    }

    fn obey(&mut self, line: &str, talk: &mut dyn Write) -> Result<Next, Failure> {
        let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "" | "help" => writeln!(talk, "{HELP}")?,
            "quit" => return Ok(Next::Quit),
            "moves" => writeln!(talk, "{}", self.session.moves().join(" "))?,
            "hint" => match self.think_for_hint() {
                Ok(line) => writeln!(talk, "{line}")?,
                Err(error) => writeln!(talk, "{error}")?,
            },
            "save" if rest.is_empty() => writeln!(talk, "name a file: save FILE")?,
            "save" => drop(self.save_as(rest, talk)?),
            "undo" => {
                if self.undo() {
                    return Ok(Next::Go);
                }
                writeln!(talk, "there is no move of yours to take back")?;
            }
            _ => match self.session.play(line) {
                Ok(()) => return Ok(Next::Go),
                Err(error) => writeln!(talk, "{error}\n{HELP}")?,
            },
        }
        Ok(Next::Ask)
    }

    /// Asks an agent that is made for this question in a session of its own: nobody else notices.
    fn think_for_hint(&self) -> Result<String, Error> {
        let mut session = self.session.fork(self.session.played().len()).expect("it is the last ply");
        let agent = session.seat(&self.hint, self.asked.position.seed)?;
        let thought = session.think(agent, &self.budget, &mut |_| ())?;
        Ok(format!("{}: {}\n  {}", self.hint, thought.m, search::line(&thought)))
    }

    /// Back to the last time a person was to move.
    fn undo(&mut self) -> bool {
        let played = self.session.played();
        while self.session.undo() {
            if matches!(self.seats[self.session.turn() - 1], Seat::Human) {
                return true;
            }
        }
        // Only agents moved so far: everything is played again.
        self.session.play_all(&played.join(" ")).expect("these moves were legal before");
        false
    }

    /// Saves the game and says so, or why not; whether it is saved.
    fn save_as(&self, name: &str, talk: &mut dyn Write) -> io::Result<bool> {
        let saved = self.save(Path::new(name));
        match &saved {
            Ok(()) => writeln!(talk, "saved; resume with: nply play {} --resume {name}", self.asked.position.game)?,
            Err(error) => writeln!(talk, "{error}")?,
        }
        Ok(saved.is_ok())
    }

    fn save(&self, path: &Path) -> Result<(), Error> {
        let Position { game, position, seed, .. } = &self.asked.position;
        let ply = |m: MoveClicks| Ply { seat: m.player.index(), m: m.text, ..Ply::default() };
        let saved = Transcript {
            game: game.clone(),
            seats: self.names.clone(),
            budget: self.budget.to_string(),
            seed: *seed,
            position: position.clone(),
            tags: vec![("Hint".into(), self.hint.to_string())],
            plies: self.session.played_clicks().into_iter().map(ply).collect(),
            ..Transcript::default()
        };
        let mut text = Vec::new();
        let written = npgn::write(&mut text, &saved).and_then(|()| fs::write(path, text));
        written.map_err(|error| Error::file(format!("cannot write {}: {error}", path.display())))
    }

    /// The shares of the win if a player forfeits.
    fn without(&self, turn: usize) -> Vec<f32> {
        let share = 1.0 / (self.names.len() - 1) as f32;
        (1..=self.names.len()).map(|seat| if seat == turn { 0.0 } else { share }).collect()
    }

    fn shares(&self, payoff: &[f32], talk: &mut dyn Write) -> Result<(), Failure> {
        for (seat, (name, &share)) in self.names.iter().zip(payoff).enumerate() {
            let outcome = if share == 1.0 { "wins".into() } else { format!("{} of the win", short(share)) };
            writeln!(talk, "player {} ({name}): {outcome}", seat + 1)?;
        }
        Ok(())
    }
}

/// Reads a saved game into the command line's words. What the command line says itself stays: seats, limits and who gives hints.
fn resume(path: &Path, asked: &mut Play, registry: &Registry) -> Result<(), Error> {
    if !npgn::is_text(path) {
        let text = fs::read_to_string(path)
            .map_err(|error| Error::file(format!("cannot read {}: {error}", path.display())))?;
        return read_older(&text, path, asked);
    }
    let mut games = Reader::open(path)?;
    let game =
        games.next().ok_or_else(|| Error::failed(format!("{} holds no game", path.display())))??.check(registry)?;
    if games.next().is_some() {
        let message = format!("{} holds several games", path.display());
        return Err(Error::usage(message).help("resume a file with the one game to play on"));
    }
    if registry.find(&asked.position.game)? != registry.find(&game.game)? {
        return Err(other_game(path, &game.game, asked));
    }
    let (players, moves) = (game.seats.len(), game.moves().join(" "));
    let Transcript { position, seed, .. } = game.clone();
    asked.position = Position { game: asked.position.game.clone(), players: Some(players), position, moves, seed };
    if game.seats.iter().any(|seat| seat != "?") {
        asked.seats = asked.seats.take().or(Some(game.seats.join(" ")));
    }
    if asked.limits.budget_or(Budget::default()) == Budget::default() {
        let Budget { depth, nodes, playouts, time, .. } = game.budget.parse()?;
        asked.limits = Limits { depth, nodes, playouts, time };
    }
    asked.hint = asked.hint.take().or(game.tag("Hint").map(String::from));
    Ok(())
}

/// Adds what an agent found to the entry of its move.
fn add_thought(entry: &mut Value, thought: &Thought) {
    let Thought { depth, nodes, time, value, chances, .. } = thought;
    entry["depth"] = json!(depth);
    entry["nodes"] = json!(nodes);
    entry["time_ms"] = json!(time.as_secs_f64() * 1e3);
    entry["value"] = json!(value.map(number));
    entry["chances"] = json!(chances.as_deref().map(numbers));
}

/// The last line of a record, with what was hidden before.
fn with_thoughts(mut end: Value, thoughts: Vec<Value>) -> Value {
    if !thoughts.is_empty() {
        end["thoughts"] = json!(thoughts);
    }
    end
}

fn other_game(path: &Path, game: &str, asked: &Play) -> Error {
    let message = format!("{} is a game of {game}, not of {}", path.display(), asked.position.game);
    Error::usage(message).help(format!("write: nply play {game} --resume {}", path.display()))
}

/// Reads a game that an older version saved, with a line for each of the command line's words.
fn read_older(text: &str, path: &Path, asked: &mut Play) -> Result<(), Error> {
    let wrong = |number: usize, line: &str| {
        let message = format!("{} line {}: {line:?} is not part of a saved game", path.display(), number + 1);
        Error::failed(message).help("a line is `game`, `players`, `seed`, `seats`, `moves` or `position` and its value")
    };
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "game" if value == asked.position.game => {}
            "game" => return Err(other_game(path, value, asked)),
            "players" => asked.position.players = Some(value.parse().map_err(|_| wrong(number, line))?),
            "seed" => asked.position.seed = value.parse().map_err(|_| wrong(number, line))?,
            "seats" => asked.seats = asked.seats.take().or(Some(value.into())),
            "moves" => asked.position.moves = value.into(),
            "position" => asked.position.position = Some(value.into()),
            _ => return Err(wrong(number, line)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Command, Nply};
    use clap::Parser;
    use nply::testing;

    #[test]
    fn no_text_makes_the_reader_of_saved_games_fail() {
        let nply = Nply::parse_from(["nply", "play", "focus"]);
        let Command::Play(mut asked) = nply.command else { panic!("it is `play`") };
        let samples = [
            "game focus\nplayers 4\nseed 7\nseats human greedy greedy brs:depth=2\nmoves e1-d1 c3-c4\n",
            "game focus\nplayers 2\nseed 1\nmoves \nposition ..._/_RG R 0,0 0,0/0,0 0\n",
        ];
        let mut read = 0;
        testing::mangle(&samples, 1_000_000, |text| match read_older(text, Path::new("saved"), &mut asked) {
            Ok(()) => read += 1,
            Err(error) => testing::check_error(&error.message, text),
        });
        assert!(read > 10_000, "{read}");
    }
}
