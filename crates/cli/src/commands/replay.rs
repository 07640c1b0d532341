//! `nply replay`.

use std::io::{self, BufRead, Write};

use nply::{Error, quantity};
use nply_arena::npgn::{self, Parsed, Ply, Reader, Transcript};
use nply_arena::{GameRecord, MatchSettings, Registry, Session, Store, game_json, select_matches};
use serde_json::json;

use super::App;
use crate::args::Replay;
use crate::output::{self, Failure, Out, shorts};

pub(super) fn run(asked: &Replay, app: &App, out: &mut Out) -> Result<(), Failure> {
    if asked.step && app.common.json {
        return Err(Error::usage("--step is for people, --json for programs").help("leave one of them out").into());
    }
    asked.waiting.set(|| false);
    let found = Found::new(asked, &app.registry)?;
    let mut replay = Replaying::new(&found, &app.registry)?;
    if asked.step {
        return replay.step(&mut io::stdin().lock(), out);
    }
    if app.common.json {
        return replay.write_json(out);
    }
    replay.show(out)?;
    while replay.forward()? {
        writeln!(out)?;
        replay.show(out)?;
    }
    Ok(())
}

/// A game to replay.
struct Found {
    /// The match.
    name: String,
    settings: MatchSettings,
    number: u64,
    game: Transcript,
    /// None if it is unfinished.
    record: Option<GameRecord>,
}

impl Found {
    fn new(asked: &Replay, registry: &Registry) -> Result<Found, Error> {
        let (name, number) = match asked.game.as_deref().and_then(|game| game.rsplit_once('/')) {
            Some(_) if asked.name.is_some() => {
                return Err(Error::usage("the match is named twice").help("write --match NAME or NAME/NUMBER"));
            }
            Some((name, number)) => (Some(name), Some(number)),
            None => (asked.name.as_deref(), asked.game.as_deref()),
        };
        let read = |number: &str| {
            quantity::count(number).map_err(|_| {
                let game = asked.game.as_deref().unwrap_or_default();
                Error::usage(format!("{game:?} is not a game")).help("write its number, or NAME/NUMBER")
            })
        };
        let number = number.map(read).transpose()?;
        if npgn::is_text(&asked.db) {
            return Found::in_text(asked, name, number, registry);
        }
        let store = Store::open(&asked.db)?;
        let kept = store.select_one(name)?;
        let mut games = store.games(&kept)?;
        let numbers: Vec<u64> = games.iter().map(|record| record.number).collect();
        let record = games.swap_remove(position(&kept.name, &numbers, number)?);
        let game = Transcript::from_record(&kept.name, &kept.settings, &record);
        Ok(Found { name: kept.name, settings: kept.settings, number: record.number, game, record: Some(record) })
    }

    /// Finds a game in a text. Only that one is played by its rules.
    fn in_text(asked: &Replay, name: Option<&str>, number: Option<u64>, registry: &Registry) -> Result<Found, Error> {
        let mut matches: Vec<(String, Vec<u64>, Option<Parsed>)> = Vec::new();
        for game in Reader::open(&asked.db)? {
            let game = game?;
            let own = game.name().unwrap_or(npgn::NAMELESS).to_string();
            let index = matches.iter().position(|(known, ..)| *known == own).unwrap_or_else(|| {
                matches.push((own, Vec::new(), None));
                matches.len() - 1
            });
            let (_, numbers, found) = &mut matches[index];
            let place = game.number().unwrap_or(numbers.len() as u64);
            numbers.push(place);
            if number.is_none_or(|number| number == place) {
                *found = Some(game);
            }
        }
        let names: Vec<&str> = matches.iter().map(|(name, ..)| name.as_str()).collect();
        let selected = match name {
            Some(name) => select_matches(&names, name)?,
            None => (0..matches.len()).collect(),
        };
        let path = asked.db.display();
        let index = match selected[..] {
            [] => return Err(Error::failed(format!("{path} holds no game"))),
            [index] => index,
            _ => {
                let names: Vec<&str> = selected.iter().map(|&index| names[index]).collect();
                let message = format!("{path} holds {} such matches", names.len());
                return Err(Error::usage(message).help(format!("name one of {} with --match", names.join(", "))));
            }
        };
        let (name, numbers, game) = matches.swap_remove(index);
        let number = numbers[position(&name, &numbers, number)?];
        let game = game.expect("it has a game of this number").check(registry)?;
        let settings = game.settings();
        let record = game.record(number, &settings)?;
        Ok(Found { name, settings, number, game, record })
    }
}

/// Where a number is among those of a match; the only one if none is given.
fn position(name: &str, numbers: &[u64], number: Option<u64>) -> Result<usize, Error> {
    let error = match number {
        Some(number) => match numbers.iter().position(|&known| known == number) {
            Some(index) => return Ok(index),
            None => Error::failed(format!("match {name} has no game {number}")),
        },
        None if numbers.len() == 1 => return Ok(0),
        None => Error::usage(format!("match {name} has {} games", numbers.len())),
    };
    Err(match (numbers.first(), numbers.last()) {
        (Some(first), Some(last)) => error.help(format!("it has {} games, from {first} to {last}", numbers.len())),
        _ => error.help("it has no games yet"),
    })
}

/// A game at one of its plies.
struct Replaying<'a> {
    found: &'a Found,
    session: Box<dyn Session>,
    /// Number of moves played.
    ply: usize,
    color: bool,
}

/// What a person may type while stepping through a game.
const HELP: &str = "Enter or n: forward, b: back, a number: that ply, first, last, q: quit";

impl<'a> Replaying<'a> {
    fn new(found: &'a Found, registry: &Registry) -> Result<Replaying<'a>, Error> {
        let session = registry.find(&found.game.game)?.open(&found.game.request())?;
        Ok(Replaying { found, session, ply: 0, color: output::color(&io::stdout()) })
    }

    fn agent(&self, seat: usize) -> &str {
        self.found.game.label(seat)
    }

    /// Plays the next move; false if there is none.
    fn forward(&mut self) -> Result<bool, Error> {
        let Some(ply) = self.found.game.plies.get(self.ply) else { return Ok(false) };
        self.session.play(&ply.m).map_err(|error| {
            Error::failed(format!("ply {}: {}", self.ply + 1, error.message))
                .help("another version of nply played the game by other rules, or the file is damaged")
        })?;
        self.ply += 1;
        Ok(true)
    }

    /// Goes to a ply, or as far as the game goes.
    fn go_to(&mut self, ply: usize) -> Result<(), Error> {
        while self.ply > ply && self.session.undo() {
            self.ply -= 1;
        }
        while self.ply < ply && self.forward()? {}
        Ok(())
    }

    /// The last move, with who made it.
    fn last(&self) -> Option<(usize, &'a Ply)> {
        let ply = &self.found.game.plies[self.ply.checked_sub(1)?];
        let played = self.session.played_clicks();
        Some((played.last().map_or(ply.seat + 1, |m| m.player.number()), ply))
    }

    /// Writes what led to the position, the picture and, at the end, the result.
    fn show(&self, out: &mut Out) -> Result<(), Failure> {
        let Found { number, game, .. } = self.found;
        match self.last() {
            None => {
                let seats: Vec<String> =
                    (0..game.seats.len()).map(|seat| format!("{} {}", seat + 1, game.label(seat))).collect();
                writeln!(out, "game {number}: {}, seats {}\n", game.game, seats.join(", "))?;
                self.comment(&game.comment, out)?;
            }
            Some((player, ply)) => {
                let thought = [
                    ply.depth.map(|depth| format!("depth {depth}")),
                    ply.nodes.map(|nodes| format!("{nodes} nodes")),
                    ply.time.map(|time| format!("{:.1} ms", time.as_secs_f64() * 1e3)),
                ];
                let thought: Vec<String> = thought.into_iter().flatten().collect();
                let colon = if thought.is_empty() { "" } else { ": " };
                let (agent, thought) = (self.agent(player - 1), thought.join(", "));
                if self.ply <= game.opening {
                    writeln!(out, "{}. the opening has player {player} ({agent}) play {}\n", self.ply, ply.m)?;
                } else {
                    writeln!(out, "{}. player {player} ({agent}) plays {}{colon}{thought}\n", self.ply, ply.m)?;
                }
                self.comment(&ply.comment, out)?;
            }
        }
        writeln!(out, "{}", self.session.picture(self.color).trim_end())?;
        if self.ply == game.plies.len() { self.show_result(out) } else { Ok(()) }
    }

    fn comment(&self, comment: &str, out: &mut Out) -> io::Result<()> {
        if comment.is_empty() { Ok(()) } else { writeln!(out, "{comment}\n") }
    }

    fn show_result(&self, out: &mut Out) -> Result<(), Failure> {
        let Some(record) = &self.found.record else { return Ok(writeln!(out, "\nunfinished")?) };
        if let Some(forfeit) = record.ending.forfeit() {
            let (player, agent) = (forfeit.seat + 1, self.agent(forfeit.seat));
            writeln!(out, "\nplayer {player} ({agent}) forfeits the game: {}", forfeit.reason)?;
        } else if let Some(reason) = record.ending.reason() {
            writeln!(out, "\nthe game is adjudicated: {reason}")?;
        }
        writeln!(out, "\nshares of the win: {}", shorts(&record.payoff))?;
        if let Some(points) = &record.points {
            writeln!(out, "points: {}", shorts(points))?;
        }
        Ok(())
    }

    /// Goes through the game as the lines of `input` say, until it ends.
    fn step(&mut self, input: &mut dyn BufRead, out: &mut Out) -> Result<(), Failure> {
        let last = self.found.game.plies.len();
        self.show(out)?;
        loop {
            write!(out, "\nply {} of {last}> ", self.ply)?;
            out.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(writeln!(out)?);
            }
            let line = line.trim();
            // An arrow key types an escape sequence.
            let ply = match line {
                "" | "n" | "next" | "\x1b[C" | "\x1bOC" => Some(self.ply + 1),
                "b" | "back" | "\x1b[D" | "\x1bOD" => Some(self.ply.saturating_sub(1)),
                "first" => Some(0),
                "last" => Some(last),
                "q" | "quit" => return Ok(()),
                _ => line.strip_prefix("g ").unwrap_or(line).trim().parse().ok(),
            };
            match ply {
                Some(ply) if ply > last => writeln!(out, "the game has {last} plies")?,
                Some(ply) => {
                    self.go_to(ply)?;
                    self.show(out)?;
                }
                None => writeln!(out, "{HELP}")?,
            }
        }
    }

    /// A line for each ply, and one for the whole game.
    fn write_json(&mut self, out: &mut Out) -> Result<(), Failure> {
        let Found { name, settings, game, record, .. } = self.found;
        while self.forward()? {
            let (player, ply) = self.last().expect("a move was played");
            let line = json!({
                "ply": self.ply, "player": player, "agent": self.agent(player - 1), "move": ply.m, "depth": ply.depth,
                "nodes": ply.nodes, "time_ms": ply.time.map(|time| time.as_secs_f64() * 1e3),
                "position": self.session.position(), "opening": self.ply <= game.opening,
            });
            writeln!(out, "{line}")?;
        }
        let whole = match record {
            Some(record) => game_json(name, settings, record),
            None => json!({
                "match": name, "game": self.found.number, "seed": game.seed.to_string(), "seats": game.seats,
                "plies": game.plies.len(), "payoffs": null, "ending": "unfinished",
            }),
        };
        Ok(writeln!(out, "{whole}")?)
    }
}
