//! PGN4 and FEN4: Four-Player Chess as other programs write it.
//!
//! Their rules differ from ours. A game can be told in both as long as nobody is eliminated and no pawn bends off; `docs/npgn.md` lists
//! the differences. What only one of the two can tell is refused with the reason.

use nply::{Declaration, Error, Game, Notation};
use nply_games::chess::{COLORS, FourPlayerChess};

use crate::npgn::{Transcript, result_text};

/// Rules that make no difference to a game in which nobody is eliminated and no pawn promotes before the last row.
const HARMLESS: [&str; 5] = ["EnPassant", "Play4Mate", "DeadKingWalking", "Prom=", "PromoteTo="];

/// The rules that a game of ours is told by.
const RULES: &str = "EnPassant Prom=14";

/// A tag of ours for the result that the text had, which may be in points.
const RESULT: &str = "Pgn4Result";

/// The tag of a game's number.
pub(crate) const NUMBER: &str = "GameNr";

fn start() -> FourPlayerChess {
    FourPlayerChess::start(4, &(), 0)
}

/// A position of Four-Player Chess, as its own text has it, as FEN4.
pub fn fen4(position: &str) -> Result<String, Error> {
    start().read(position)?.to_fen4().map_err(|why| Error::failed(format!("not to be written as FEN4: {why}")))
}

/// Turns what was read from PGN4 into a game of ours; an error comes with the ply that it is about.
pub(crate) fn translate(game: &mut Transcript) -> Result<(), (Option<usize>, Error)> {
    let refused = |message: String, help: &str| (None, Error::file(message).help(help));
    let mut take = |name: &str| {
        let index = game.tags.iter().position(|(known, _)| known == name)?;
        Some(game.tags.remove(index).1)
    };
    if let Some(variant) = take("Variant").filter(|variant| variant != "FFA") {
        let message = format!("the variant {variant:?}, in which players do not play for themselves alone");
        return Err(refused(message, "only games for all against all, FFA, can be read"));
    }
    let rules = take("RuleVariants").unwrap_or_default();
    let is_harmless = |rule: &str| {
        HARMLESS.iter().any(|known| if known.ends_with('=') { rule.starts_with(known) } else { rule == *known })
    };
    if let Some(rule) = rules.split_whitespace().find(|rule| !is_harmless(rule)) {
        return Err(refused(
            format!("the rule {rule:?}, which is not one of these rules"),
            "only plain games can be read",
        ));
    }
    let Some(fen4) = take("StartFen4") else {
        return Err(refused(
            "a game without the tag StartFen4".into(),
            "write the starting position, there are several",
        ));
    };
    if !fen4.contains('-') {
        let help = "write the starting position as FEN4, as `nply show four-player-chess --notation fen4` does";
        return Err(refused(format!("the starting position {fen4:?} by a name"), help));
    }
    let mut position = start().read(&fen4).map_err(|error| (None, Error::from(error).within("StartFen4")))?;
    game.seats = COLORS.iter().map(|color| take(color).unwrap_or("?".into())).collect();
    let number = take(NUMBER);
    let result = take("Result");
    game.number = match number.map(|number| number.parse().map_err(|_| number)).transpose() {
        Ok(number) => number,
        Err(number) => return Err(refused(format!("{number:?} in the tag {NUMBER}"), "write a whole number")),
    };
    game.game = FourPlayerChess::NAME.into();
    let text = position.to_text();
    game.position = (text != start().to_text()).then_some(text);
    for (index, ply) in game.plies.iter_mut().enumerate() {
        let m = position.move_from_pgn4(&ply.m);
        let m = m.map_err(|why| (Some(index), Error::file(format!("ply {}: {why}", index + 1))))?;
        ply.m = position.move_to_text(m);
        position.play(m);
    }
    game.result = position.payoff().map(|payoff| payoff.as_slice().to_vec());
    if let Some(result) = result.filter(|result| *result != result_text(game.result.as_deref())) {
        game.tags.push((RESULT.into(), result));
    }
    Ok(())
}

/// A game as PGN4, with an empty line after it; an error says what it cannot hold. What is known of decisions is left out.
pub fn text(game: &Transcript) -> Result<String, Error> {
    if game.game != FourPlayerChess::NAME {
        let message = format!("{} is not written as PGN4", game.game);
        return Err(Error::usage(message).help(format!("it is for {}; write --format npgn", FourPlayerChess::NAME)));
    }
    let refused = |why: String| Error::failed(format!("not to be written as PGN4: {why}"));
    let start = start();
    let mut position = game.position.as_deref().map_or(Ok(start.clone()), |text| start.read(text))?;
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        if value.contains(['"', '\\', '\n', '\r']) {
            return Err(refused(format!("the tag {name} has a quote, a backslash or an end of a line in it")));
        }
        text.push_str(&format!("[{name} \"{value}\"]\n"));
        Ok(())
    };
    if let Some(number) = game.number {
        tag(NUMBER, &number.to_string())?;
    }
    tag("Variant", "FFA")?;
    tag("RuleVariants", RULES)?;
    tag("StartFen4", &position.to_fen4().map_err(refused)?)?;
    for (color, seat) in COLORS.iter().zip(&game.seats) {
        tag(color, seat)?;
    }
    let own = result_text(game.result.as_deref());
    tag("Result", game.tag(RESULT).unwrap_or(&own))?;
    text.push('\n');
    text.push_str(&comment(&game.comment).map_err(refused)?);
    let first = position.turn().index();
    for (index, ply) in game.plies.iter().enumerate() {
        let m = position.move_from_text(&ply.m)?;
        let written = position.move_to_pgn4(m).map_err(|why| refused(format!("ply {}: {why}", index + 1)))?;
        let round = (index + first) / 4 + 1;
        let before = match (index + first) % 4 {
            _ if index == 0 => format!("{round}. "),
            0 => format!("\n{round}. "),
            _ => " .. ".into(),
        };
        text.push_str(&before);
        text.push_str(&written);
        text.push_str(&comment(&ply.comment).map_err(refused)?);
        position.play(m);
    }
    text.push_str("\n\n");
    Ok(text)
}

fn comment(text: &str) -> Result<String, String> {
    match text {
        "" => Ok(String::new()),
        text if text.contains(['{', '}']) => Err("a comment has a brace in it".into()),
        text => Ok(format!(" {{ {text} }}")),
    }
}
