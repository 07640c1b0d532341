//! Openings: where the games of a match start, other than at the game's own start.
//!
//! All games of a round have the same opening, so that it favors no agent. Which one it is follows from the round and the seed
//! of the match, as everything else about a game does.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use nply::{Error, Rng, mix, quantity};
use serde_json::{Value, json};

use crate::npgn::{self, Reader};
use crate::registry::{NamedGame, Registry, Request};

/// Where a game started, if not at its own start: at a position, after moves that no agent chose, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Opening {
    /// The position; `None` for the game's own start.
    pub position: Option<String>,
    /// The moves from there.
    pub moves: Vec<String>,
}

impl Opening {
    /// A request for a session that starts here, with this seed, and has so many players.
    pub fn request(&self, players: usize, seed: u64) -> Request {
        let (players, position) = (Some(players), self.position.clone());
        Request { players, position, moves: self.moves.join(" "), seed, ..Request::default() }
    }
}

/// The openings of a match. Displays as it is kept with the match: `random:4`, or the name of a file with a hash of its openings,
/// `book.txt#0123456789abcdef`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Openings {
    /// So many legal moves at random that do not end the game; others in each round.
    Random(usize),
    /// Those of a file in their order, one for each round, and then again from the first.
    Book(Arc<Book>),
}

/// The openings of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    name: String,
    hash: u64,
    openings: Vec<Opening>,
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Openings::Random(plies) => write!(f, "random:{plies}"),
            Openings::Book(book) => write!(f, "{}#{:016x}", book.name, book.hash),
        }
    }
}

/// Openings in the settings of a match, in words.
pub(crate) fn described(text: Option<&str>) -> String {
    match text {
        None => "no openings".into(),
        Some(text) => match (text.strip_prefix("random:"), text.rsplit_once('#')) {
            (Some(plies), _) => format!("random openings of {plies} plies"),
            (None, Some((name, _))) => format!("the openings of {name}"),
            (None, None) => format!("the openings {text:?}"),
        },
    }
}

/// What tells openings in the settings of a match from others: of a file, what is in it, and not its name.
pub(crate) fn identity(text: &str) -> &str {
    text.rsplit_once('#').map_or(text, |(_, hash)| hash)
}

/// How often a random opening is drawn again because the game ended.
const TRIES: usize = 200;
/// Most plies of a random opening.
const MOST_PLIES: u64 = 10_000;
/// Most bytes of a file of openings, so that no file fills the memory.
const LARGEST: u64 = 64 << 20;

impl Openings {
    /// Reads `random:PLIES`, or a file and all openings in it. A path is relative to `folder`.
    ///
    /// A file `*.npgn` or `*.pgn4` has a game for each opening, any other file a line: see `docs/tournaments.md`.
    pub fn read(
        text: &str,
        folder: &Path,
        registry: &Registry,
        game: &NamedGame,
        players: usize,
    ) -> Result<Openings, Error> {
        if let Some(plies) = text.strip_prefix("random:") {
            let plies = quantity::count(plies).ok().filter(|plies| (1..=MOST_PLIES).contains(plies));
            let wrong = || {
                let help = format!("write random:4, or any number of plies from 1 to {MOST_PLIES}");
                Error::usage(format!("{text:?} is no number of random plies")).help(help)
            };
            return plies.map(|plies| Openings::Random(plies as usize)).ok_or_else(wrong);
        }
        let path = folder.join(text);
        let source = Source { registry, game, players, is_dealt: is_dealt(game, players)? };
        let openings = if npgn::is_called_text(&path) { source.games(&path)? } else { source.lines(&path)? };
        if openings.is_empty() {
            let error = Error::file(format!("{} has no opening", path.display()));
            return Err(error.help("write a position, or moves from the start, in each line"));
        }
        let name = path.file_name().map_or_else(|| text.into(), |name| name.to_string_lossy().into_owned());
        Ok(Openings::Book(Arc::new(Book { name, hash: hash(&openings), openings })))
    }

    /// The opening of a round, whose games have this seed.
    pub fn get(&self, game: &NamedGame, players: usize, round: u64, seed: u64) -> Result<Opening, Error> {
        match self {
            Openings::Book(book) => Ok(book.openings[(round % book.openings.len() as u64) as usize].clone()),
            Openings::Random(plies) => random(game, players, *plies, seed),
        }
    }

    /// All of them as plain data: a file need not be where they are read back.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Openings::Random(plies) => json!({ "plies": plies }),
            Openings::Book(book) => {
                let opening = |opening: &Opening| json!([opening.position, opening.moves]);
                json!({ "name": book.name, "openings": book.openings.iter().map(opening).collect::<Vec<Value>>() })
            }
        }
    }

    /// Reads [`to_json`](Openings::to_json) back; `None` for anything else.
    pub(crate) fn from_json(json: &Value) -> Option<Openings> {
        if let Some(plies) = json["plies"].as_u64() {
            return Some(Openings::Random(plies as usize));
        }
        let opening = |json: &Value| {
            let (position, moves) = serde_json::from_value(json.clone()).ok()?;
            Some(Opening { position, moves })
        };
        let openings: Vec<Opening> = json["openings"].as_array()?.iter().map(opening).collect::<Option<_>>()?;
        let name = json["name"].as_str()?.into();
        (!openings.is_empty()).then(|| Openings::Book(Arc::new(Book { name, hash: hash(&openings), openings })))
    }

    /// The largest number of moves in an opening.
    pub(crate) fn longest(&self) -> usize {
        match self {
            Openings::Random(plies) => *plies,
            Openings::Book(book) => book.openings.iter().map(|opening| opening.moves.len()).max().unwrap_or(0),
        }
    }
}

/// Whether games with different seeds start differently.
pub(crate) fn is_dealt(game: &NamedGame, players: usize) -> Result<bool, Error> {
    let start = |seed| Ok::<String, Error>(game.open(&Opening::default().request(players, seed))?.position());
    Ok(start(1)? != start(2)?)
}

/// Legal moves at random from the start that a seed gives.
fn random(game: &NamedGame, players: usize, plies: usize, seed: u64) -> Result<Opening, Error> {
    let mut rng = Rng::new(mix(seed ^ 0x09e4));
    let mut session = game.open(&Opening::default().request(players, seed))?;
    for _ in 0..TRIES {
        let mut played = 0;
        while played < plies && session.payoff().is_none() {
            let moves = session.moves();
            session.play(&moves[rng.below(moves.len())])?;
            played += 1;
        }
        if session.payoff().is_none() {
            return Ok(Opening { position: None, moves: session.played() });
        }
        while session.undo() {}
    }
    let message = format!("openings of {plies} random plies end the game: {TRIES} of them did");
    Err(Error::usage(message).help(format!("ask for fewer plies, such as random:{}", (plies / 4).clamp(1, 8))))
}

/// A hash that is the same on every machine and in every version.
fn hash(openings: &[Opening]) -> u64 {
    let line = |opening: &Opening| {
        format!("{}\n{}\n", opening.position.as_deref().unwrap_or_default(), opening.moves.join(" ")).into_bytes()
    };
    openings.iter().flat_map(line).fold(0, |hash: u64, byte| mix(hash.wrapping_mul(31) ^ u64::from(byte)))
}

/// What the openings of a file are for.
struct Source<'a> {
    registry: &'a Registry,
    game: &'a NamedGame,
    players: usize,
    is_dealt: bool,
}

impl Source<'_> {
    /// An opening in each line.
    fn lines(&self, path: &Path) -> Result<Vec<Opening>, Error> {
        let shown = path.display();
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
        read.map_err(|error| {
            Error::file(format!("cannot read {shown}: {error}")).help("openings are random:PLIES or a file of them")
        })?;
        if text.len() as u64 > LARGEST {
            let error = Error::file(format!("{shown} has more than {} MiB", LARGEST >> 20));
            return Err(error.help("a file of openings has one in each line"));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let lines = text.lines().map(|line| uncommented(line).trim()).enumerate().filter(|(_, line)| !line.is_empty());
        let read = |(index, line): (usize, &str)| {
            self.line(line).map_err(|error| error.within(format_args!("{shown} line {}", index + 1)))
        };
        lines.map(read).collect()
    }

    /// The opening of a line: a position, or moves from the start. Either word may stand before it.
    fn line(&self, line: &str) -> Result<Opening, Error> {
        let position = |text: &str| Opening { position: Some(text.trim().into()), moves: Vec::new() };
        let moves = |text: &str| Opening { position: None, moves: text.split_whitespace().map(String::from).collect() };
        let help = "write a position, as `nply show` does, or legal moves from the start";
        let rejected = |error: Error| Error::file(error.message).help(error.help.unwrap_or_else(|| help.into()));
        let opening = if let Some(text) = line.strip_prefix("position ") {
            self.checked(position(text)).map_err(rejected)?
        } else if let Some(text) = line.strip_prefix("moves ") {
            self.check_moves()?;
            self.checked(moves(text)).map_err(rejected)?
        } else {
            match (self.checked(position(line)), self.checked(moves(line))) {
                (Ok(_), Ok(_)) if !self.is_dealt => {
                    let error = Error::file(format!("{line:?} is both a position and moves"));
                    return Err(error.help("write `position` or `moves` before it"));
                }
                (Ok(opening), _) => opening,
                (Err(error), _) if self.is_dealt => {
                    return Err(self.check_moves().err().unwrap_or(error).within(format_args!("{line:?}")));
                }
                (Err(_), Ok(opening)) => opening,
                (Err(as_position), Err(as_moves)) => {
                    let first = moves(line.split_whitespace().next().unwrap_or_default());
                    // Whoever writes a legal move means moves.
                    if self.open(&first).is_ok() {
                        return Err(rejected(as_moves));
                    }
                    if as_position.message == OVER {
                        return Err(rejected(as_position));
                    }
                    let message = format!("no position: {}; and no moves: {}", as_position.message, as_moves.message);
                    return Err(Error::file(message).help(help));
                }
            }
        };
        Ok(opening)
    }

    /// Refuses moves where every deal has others.
    fn check_moves(&self) -> Result<(), Error> {
        if !self.is_dealt {
            return Ok(());
        }
        let error = Error::file(format!("the start of {} is dealt, so no moves fit every round", self.game));
        Err(error.help(format!("write whole positions, as `nply show {}` does, or ask for random:PLIES", self.game)))
    }

    /// The opening of each game in a text of games.
    fn games(&self, path: &Path) -> Result<Vec<Opening>, Error> {
        let opening = |parsed: Result<npgn::Parsed, Error>| {
            let parsed = parsed?;
            let place = parsed.place();
            self.game(&parsed.check(self.registry)?).map_err(|error| error.within(place))
        };
        Reader::open(path)?.map(opening).collect()
    }

    fn game(&self, game: &npgn::Transcript) -> Result<Opening, Error> {
        let (own, players) = (self.registry.find(&game.game)?, game.seats.len());
        if own != *self.game || players != self.players {
            let message = format!("a game of {own} with {players} players");
            return Err(Error::file(message).help(format!("openings of {} have {} players", self.game, self.players)));
        }
        let plies = match (game.opening, &game.result) {
            (0, None) => game.plies.len(),
            (0, Some(_)) if game.position.is_none() => {
                let error = Error::file("the game is finished, and does not say where its opening ends");
                return Err(error.help("write a tag [OpeningPlies \"4\"], or end the game there with the result *"));
            }
            (plies, _) => plies,
        };
        let position = match &game.position {
            None if self.is_dealt => Some(self.game.open(&game.request())?.position()),
            position => position.clone(),
        };
        self.checked(Opening { position, moves: game.moves().into_iter().take(plies).collect() })
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn crate::Session>, Error> {
        self.game.open(&opening.request(self.players, 1))
    }

    /// An opening that can be played, and does not end the game.
    fn checked(&self, opening: Opening) -> Result<Opening, Error> {
        match self.open(&opening)?.payoff() {
            Some(_) => Err(Error::file(OVER).help("leave the opening out, or end it earlier")),
            None => Ok(opening),
        }
    }
}

/// What is wrong with an opening that ends the game.
const OVER: &str = "the game is over in this opening";

/// A line without its comment, which begins the line or comes after white space.
fn uncommented(line: &str) -> &str {
    let is_start = |at: usize| line[..at].chars().next_back().is_none_or(char::is_whitespace);
    line.match_indices('#').find(|(at, _)| is_start(*at)).map_or(line, |(at, _)| &line[..at])
}
