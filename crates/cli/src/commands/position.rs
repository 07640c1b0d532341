//! `nply show` and `nply moves`.

use std::fs;
use std::io::Write;
use std::path::Path;

use nply::scene::{Arrow, SvgOptions, Theme, svg};
use nply::{Declaration, Error};
use nply_arena::{Session, pgn4};
use nply_games::chess::FourPlayerChess;
use serde_json::json;

use super::App;
use crate::args::{DrawingTheme, OtherNotation, Position, Show};
use crate::output::{Failure, Out, color, shorts};

pub(super) fn show(asked: &Show, app: &App, out: &mut Out) -> Result<(), Failure> {
    let (position, common) = (&asked.position, &app.common);
    let mut session = position.open(&app.registry)?;
    if let Some(path) = &asked.svg {
        draw(asked, path, app, session.as_ref())?;
    }
    if let Some(OtherNotation::Fen4) = asked.notation {
        let game = session.info().name;
        if game != FourPlayerChess::NAME {
            let error = Error::usage(format!("positions of {game} are not written as FEN4"));
            return Err(error.help(format!("it is for {}", FourPlayerChess::NAME)).into());
        }
        let fen4 = pgn4::fen4(&session.position())?;
        let shown = if common.json { json!({ "fen4": fen4 }).to_string() } else { fen4 };
        return Ok(writeln!(out, "{shown}")?);
    }
    // Programs get the whole position; `nply engine` is for those that must not know it.
    if common.json {
        let shown = json!({
            "game": position.game, "players": session.player_count(), "turn": session.turn(),
            "position": session.position(), "moves": session.moves().len(), "payoff": session.payoff(),
            "points": session.points(),
        });
        writeln!(out, "{shown}")?;
        return Ok(());
    }
    let color = color(&std::io::stdout());
    let seen = session.picture_for(&[session.turn()], color);
    let is_hidden = !asked.all && session.payoff().is_none() && seen != session.picture(color);
    let picture = if is_hidden { seen } else { session.picture(color) };
    writeln!(out, "{}\n", picture.trim_end())?;
    match session.payoff() {
        Some(payoff) => writeln!(out, "over: {}", shorts(&payoff))?,
        None => writeln!(out, "player {} to move, {} legal moves", session.turn(), session.moves().len())?,
    }
    if let Some(points) = session.points() {
        writeln!(out, "points: {}", shorts(&points))?;
    }
    if is_hidden {
        writeln!(out, "{}", session.view())?;
        if !common.quiet {
            eprintln!(
                "note: what player {} cannot see is hidden, and in the text dealt at random; --all shows it",
                session.turn()
            );
        }
    } else {
        writeln!(out, "{}", session.position())?;
    }
    Ok(())
}

/// Writes the position as an SVG file.
fn draw(asked: &Show, path: &Path, app: &App, session: &dyn Session) -> Result<(), Error> {
    let all: Vec<usize> = (1..=session.player_count()).collect();
    let turn = [session.turn()];
    let viewers = if asked.all || session.payoff().is_some() { &all[..] } else { &turn };
    let scene = session.scene(viewers).ok_or_else(|| {
        Error::failed(format!("{} cannot be drawn", session.info().name)).help("the game has no scene; leave --svg out")
    })?;
    let mut after = asked.position.open(&app.registry)?;
    let before = after.played().len();
    after.play_all(asked.arrows.as_deref().unwrap_or_default()).map_err(|error| error.within("--arrows"))?;
    let line = after.played_clicks().split_off(before);
    let arrows = line.into_iter().map(|m| Arrow { player: Some(m.player), places: m.clicks });
    let theme = match asked.theme {
        DrawingTheme::Auto => Theme::Auto,
        DrawingTheme::Light => Theme::Light,
        DrawingTheme::Dark => Theme::Dark,
    };
    let title = format!("{}: {}", session.info().name, session.picture_for(viewers, false).trim_end());
    let options = SvgOptions { theme, arrows: arrows.collect(), title, ..SvgOptions::default() };
    fs::write(path, svg(&scene, &options))
        .map_err(|error| Error::file(format!("cannot write {}: {error}", path.display())))
}

pub(super) fn moves(position: &Position, app: &App, out: &mut Out) -> Result<(), Failure> {
    let session = position.open(&app.registry)?;
    let mut moves = session.moves();
    moves.sort();
    if app.common.json {
        writeln!(out, "{}", json!({ "turn": session.turn(), "moves": moves, "payoff": session.payoff() }))?;
        return Ok(());
    }
    if let Some(payoff) = session.payoff() {
        writeln!(out, "over {}", shorts(&payoff))?;
    }
    for m in moves {
        writeln!(out, "{m}")?;
    }
    Ok(())
}
