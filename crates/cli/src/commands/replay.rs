//! `nply replay`.

use std::io::Write;

use nply_arena::{Error, NamedGame, Played, Request, Settings, Spec, Store, quantity, report};
use serde_json::json;

use crate::args::{Common, Replay};
use crate::output::{self, Failure, Out, numbers, shorts};

pub(super) fn run(asked: &Replay, common: &Common, out: &mut Out) -> Result<(), Failure> {
    let (settings, played) = find(asked)?;
    let game = NamedGame::new(&Spec::parse(&settings.game)?)?;
    let mut session =
        game.open(&Request { players: Some(settings.players), seed: played.seed, ..Request::default() })?;
    let agent = |seat: usize| settings.agents.get(played.seating[seat]).map_or("?", String::as_str);
    let colour = output::colour(&std::io::stdout());
    if !common.json {
        let seats: Vec<String> = (0..settings.players).map(|seat| format!("{} {}", seat + 1, agent(seat))).collect();
        writeln!(out, "game {}: {}, seats {}\n", played.number, settings.game, seats.join(", "))?;
        writeln!(out, "{}", session.picture(colour).trim_end())?;
    }
    for (ply, m) in played.moves.iter().enumerate() {
        let (player, step) = (session.turn(), played.steps.get(ply));
        session.play(m).map_err(|error| {
            let message = format!("ply {}: {}", ply + 1, error.message);
            Error::failed(message).help("the game was kept by another version of nply, or the file is damaged")
        })?;
        let (depth, nodes) = step.map_or((0, 0), |step| (step.depth, step.nodes));
        let time = step.map_or(0.0, |step| step.time.as_secs_f64() * 1e3);
        if common.json {
            let line = json!({
                "ply": ply + 1, "player": player, "agent": agent(player - 1), "move": m, "depth": depth,
                "nodes": nodes, "time_ms": time, "position": session.position(),
            });
            writeln!(out, "{line}")?;
        } else {
            let thought = format!("depth {depth}, {nodes} nodes, {time:.1} ms");
            writeln!(out, "\n{}. player {player} ({}) plays {m}: {thought}\n", ply + 1, agent(player - 1))?;
            writeln!(out, "{}", session.picture(colour).trim_end())?;
        }
    }
    if common.json {
        let points = played.points.as_deref().map(numbers);
        let forfeit = report::forfeit_json(&played);
        writeln!(out, "{}", json!({ "payoff": numbers(&played.payoff), "points": points, "forfeit": forfeit }))?;
        return Ok(());
    }
    if let Some(forfeit) = &played.forfeit {
        writeln!(out, "\nplayer {} ({}) forfeits the game: {}", forfeit.seat + 1, agent(forfeit.seat), forfeit.why)?;
    }
    writeln!(out, "\nshares of the win: {}", shorts(&played.payoff))?;
    if let Some(points) = &played.points {
        writeln!(out, "points: {}", shorts(points))?;
    }
    Ok(())
}

fn find(asked: &Replay) -> Result<(Settings, Played), Error> {
    let store = Store::open(&asked.db)?;
    let (name, number) = match asked.game.rsplit_once('/') {
        Some((name, number)) => (Some(name), number),
        None => (None, asked.game.as_str()),
    };
    let number = quantity::count(number).map_err(|_| {
        Error::usage(format!("{:?} is not a game", asked.game)).help("write its number, or NAME/NUMBER")
    })?;
    let experiment = store.experiment(name)?;
    let games = store.games(&experiment)?;
    let found = games.iter().find(|played| played.number == number).cloned();
    let Some(played) = found else {
        let error = Error::failed(format!("experiment {} has no game {number}", experiment.name));
        return Err(match (games.first(), games.last()) {
            (Some(first), Some(last)) => {
                error.help(format!("{} games are kept, from {} to {}", games.len(), first.number, last.number))
            }
            _ => error.help("no games are kept yet"),
        });
    };
    Ok((experiment.settings, played))
}
