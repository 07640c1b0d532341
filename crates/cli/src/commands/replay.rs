//! `nply replay`.

use std::io::Write;

use nply::{Error, quantity};
use nply_arena::{GameRecord, KeptMatch, Request, Store, game_json};
use serde_json::json;

use super::App;
use crate::args::Replay;
use crate::output::{self, Failure, Out, shorts};

pub(super) fn run(asked: &Replay, app: &App, out: &mut Out) -> Result<(), Failure> {
    let common = &app.common;
    asked.waiting.set(|| false);
    let (kept, record) = find(asked)?;
    let settings = &kept.settings;
    let game = app.registry.find(&settings.game)?;
    let mut session =
        game.open(&Request { players: Some(settings.players), seed: record.seed, ..Request::default() })?;
    let agent = |seat: usize| settings.label(record.seating[seat]);
    let color = output::color(&std::io::stdout());
    if !common.json {
        let seats: Vec<String> = (0..settings.players).map(|seat| format!("{} {}", seat + 1, agent(seat))).collect();
        writeln!(out, "game {}: {}, seats {}\n", record.number, settings.game, seats.join(", "))?;
        writeln!(out, "{}", session.picture(color).trim_end())?;
    }
    for (ply, m) in record.moves.iter().enumerate() {
        let (player, decision) = (session.turn(), record.decisions.get(ply));
        session.play(m).map_err(|error| {
            let message = format!("ply {}: {}", ply + 1, error.message);
            Error::failed(message)
                .help("another version of nply played the game by other rules, or the file is damaged")
        })?;
        let (depth, nodes) = decision.map_or((0, 0), |decision| (decision.depth, decision.nodes));
        let time = decision.filter(|_| record.has_times()).map(|decision| decision.time.as_secs_f64() * 1e3);
        if common.json {
            let line = json!({
                "ply": ply + 1, "player": player, "agent": agent(player - 1), "move": m, "depth": depth,
                "nodes": nodes, "time_ms": time, "position": session.position(),
            });
            writeln!(out, "{line}")?;
        } else {
            let time = time.map_or_else(String::new, |time| format!(", {time:.1} ms"));
            let thought = format!("depth {depth}, {nodes} nodes{time}");
            writeln!(out, "\n{}. player {player} ({}) plays {m}: {thought}\n", ply + 1, agent(player - 1))?;
            writeln!(out, "{}", session.picture(color).trim_end())?;
        }
    }
    if common.json {
        return Ok(writeln!(out, "{}", game_json(&kept.name, settings, &record))?);
    }
    if let Some(forfeit) = record.ending.forfeit() {
        let (player, agent) = (forfeit.seat + 1, agent(forfeit.seat));
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

fn find(asked: &Replay) -> Result<(KeptMatch, GameRecord), Error> {
    let (name, number) = match asked.game.rsplit_once('/') {
        Some(_) if asked.name.is_some() => {
            return Err(Error::usage("the match is named twice").help("write --match NAME or NAME/NUMBER"));
        }
        Some((name, number)) => (Some(name), number),
        None => (asked.name.as_deref(), asked.game.as_str()),
    };
    let number = quantity::count(number).map_err(|_| {
        Error::usage(format!("{:?} is not a game", asked.game)).help("write its number, or NAME/NUMBER")
    })?;
    let store = Store::open(&asked.db)?;
    let kept = store.select_one(name)?;
    let mut games = store.games(&kept)?;
    if let Some(index) = games.iter().position(|record| record.number == number) {
        return Ok((kept, games.swap_remove(index)));
    }
    let error = Error::failed(format!("match {} has no game {number}", kept.name));
    Err(match (games.first(), games.last()) {
        (Some(first), Some(last)) => {
            error.help(format!("it has {} games, from {} to {}", games.len(), first.number, last.number))
        }
        _ => error.help("it has no games yet"),
    })
}
