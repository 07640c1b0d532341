//! Games as text: `.npgn`, a relative of PGN for any number of players, and what other formats of games have in common with it.
//!
//! `docs/npgn.md` specifies the format. A [`Reader`] goes through a file game by game, so that a file may be of any size.
//! A [`Parsed`] game has the form of one; [`Parsed::check`] plays it by the rules.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::Duration;

use nply::{Budget, Error, quantity};
use serde_json::{Value, json};

use crate::openings::Opening;
use crate::pgn4;
use crate::record::{COLUMNS, Column, ColumnType, Cost, DecisionRecord, GameRecord, plain};
use crate::registry::{Registry, Request};
use crate::session::Session;
use crate::store::{MatchSettings, opened};

/// A game as its text holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The game with its options.
    pub game: String,
    /// Who plays each seat: an agent with its settings, `human`, any other name, or `?`.
    pub seats: Vec<String>,
    /// How the agents of the seats are called, if they have names.
    pub names: Vec<Option<String>>,
    /// The common budget of the seats that have none of their own among their settings; empty if it is not known.
    pub budget: String,
    /// Random seed of the game, and with it of a deal.
    pub seed: u64,
    /// The position that the game started from, if not the usual one.
    pub position: Option<String>,
    /// Name of the match.
    pub name: Option<String>,
    /// The game's number in its match.
    pub number: Option<u64>,
    /// All other tags in their order, each name once.
    pub tags: Vec<(String, String)>,
    /// What is said before the first move, without space around it.
    pub comment: String,
    /// The moves.
    pub plies: Vec<Ply>,
    /// How many of them, from the first, are those of an opening that no player chose.
    pub opening: usize,
    /// Each seat's share of the win; `None` if the game is unfinished.
    pub result: Option<Vec<f32>>,
}

/// A move of a [`Transcript`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ply {
    /// The seat that moves, from 0, as the rules have it; always 0 in the opening of a game that comes from a record.
    pub seat: usize,
    /// The move as text.
    pub m: String,
    /// Depth of the decision.
    pub depth: Option<u32>,
    /// Nodes of the decision.
    pub nodes: Option<u64>,
    /// Time of the decision.
    pub time: Option<Duration>,
    /// What is said of the move, without space around it.
    pub comment: String,
}

/// The columns of a record that have a form of their own in the text. All others are tags.
const OWN_FORM: [&str; 12] = [
    "game",
    "seed",
    "seats",
    "payoffs",
    "plies",
    "position",
    "opening",
    "moves",
    "ply_seats",
    "ply_depths",
    "ply_nodes",
    "ply_time_ms",
];

/// The settings of a match that have a form of their own in the text, or follow from the games. All others are tags.
const OWN_SETTINGS: [&str; 5] = ["game", "players", "agents", "names", "budget"];

/// The match of games that have no tag `Match`.
pub const NAMELESS: &str = "games";

/// The tag for the number of plies of an opening. PGN has a tag `Opening` for its name.
const OPENING: &str = "OpeningPlies";

/// What a setting's tag starts with.
const SETTING: &str = "Match";

impl Transcript {
    /// A game of a match.
    pub fn from_record(name: &str, settings: &MatchSettings, record: &GameRecord) -> Transcript {
        let has_times = record.has_times();
        let ply = |(index, m): (usize, &String)| {
            let decision = record.decisions.get(index);
            Ply {
                seat: decision.map_or(0, |decision| decision.seat),
                m: m.clone(),
                depth: decision.map(|decision| decision.depth),
                nodes: decision.map(|decision| decision.nodes),
                time: decision.filter(|_| has_times).map(|decision| decision.time),
                comment: String::new(),
            }
        };
        let given = record.opening.moves.iter().map(|m| Ply { m: m.clone(), ..Ply::default() });
        let mut game = Transcript {
            game: settings.game.clone(),
            seats: record.seating.iter().map(|&agent| settings.agents.get(agent).map_or("?", |a| a).into()).collect(),
            names: record.seating.iter().map(|&agent| settings.names.get(agent).cloned().flatten()).collect(),
            budget: settings.common_budget().map_or_else(String::new, |budget| budget.to_string()),
            seed: record.seed,
            position: record.opening.position.clone(),
            name: Some(name.into()),
            number: Some(record.number),
            tags: Vec::new(),
            comment: String::new(),
            plies: given.chain(record.moves.iter().enumerate().map(ply)).collect(),
            opening: record.opening.moves.len(),
            result: Some(record.payoff.clone()),
        };
        if let Value::Object(all) = settings.json() {
            for (key, value) in
                all.iter().filter(|(key, value)| !OWN_SETTINGS.contains(&key.as_str()) && !value.is_null())
            {
                let text = value.as_str().map_or_else(|| value.to_string(), String::from);
                game.tags.push((format!("{SETTING}{}", tag_name(key)), text));
            }
        }
        // Only what does not follow from the moves is written.
        let derived = game.derived(record.number, record.seating.clone());
        for column in tagged_columns() {
            let value = column.value(record);
            if value != column.value(&derived) && !value.is_null() {
                game.tags.push((tag_name(column.name), plain(&value)));
            }
        }
        game
    }

    /// The value of a tag without a field of its own.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The moves as text.
    pub fn moves(&self) -> Vec<String> {
        self.plies.iter().map(|ply| ply.m.clone()).collect()
    }

    /// What a session of the game starts from, before its first move.
    pub fn request(&self) -> Request {
        let (players, position) = (Some(self.seats.len()), self.position.clone());
        Request { players, position, seed: self.seed, ..Request::default() }
    }

    /// The settings of the match that the game belongs to, as far as the text has them, with the agents of this game.
    pub fn settings(&self) -> MatchSettings {
        let mut settings = MatchSettings {
            game: self.game.clone(),
            players: self.seats.len(),
            budget: self.budget.clone(),
            ..MatchSettings::default()
        };
        for (name, text) in &self.tags {
            let Some(key) = name.strip_prefix(SETTING).filter(|key| !key.is_empty()) else { continue };
            // A text where the setting is a text, else JSON.
            let mut values = std::iter::once(json!(text)).chain(serde_json::from_str(text).ok());
            let read = values.find_map(|value| {
                let mut all = settings.json();
                all[setting_name(key)] = value;
                serde_json::from_value(all).ok()
            });
            settings = read.unwrap_or(settings);
        }
        settings.add_agents(self.agents());
        settings
    }

    /// The agent of each seat, with its name.
    pub(crate) fn agents(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let names = self.names.iter().map(Option::as_deref).chain(std::iter::repeat(None));
        self.seats.iter().map(String::as_str).zip(names)
    }

    /// How the agent of a seat is called: by its name or else by its settings.
    pub fn label(&self, seat: usize) -> &str {
        self.agents().nth(seat).map_or("?", |(agent, name)| name.unwrap_or(agent))
    }

    /// The finished game as a record with this number, in a match with these settings, which have all of its agents. `None` if
    /// the game is unfinished; an error names a tag that cannot be read.
    pub fn record(&self, number: u64, settings: &MatchSettings) -> Result<Option<GameRecord>, Error> {
        if self.result.is_none() {
            return Ok(None);
        }
        let seating = self.agents().map(|(agent, name)| settings.index_of(agent, name).unwrap_or(0)).collect();
        let derived = self.derived(number, seating);
        let mut values = Vec::new();
        for column in COLUMNS {
            let name = tag_name(column.name);
            let tag = self.tag(&name).filter(|_| !OWN_FORM.contains(&column.name));
            let value = tag.map_or_else(|| Some(column.value(&derived)), |text| column_value(column, text));
            values.push(value.ok_or_else(|| misread(&name, column))?);
        }
        GameRecord::from_values(values).map(Some).map_err(|column| {
            Error::failed(format!("the tag {} does not fit the game", tag_name(column)))
                .help("it has a value for each seat, in the order of the seats")
        })
    }

    /// The record that follows from the moves and what they cost, if no tag says otherwise.
    fn derived(&self, number: u64, seating: Vec<usize>) -> GameRecord {
        let decision = |ply: &Ply| DecisionRecord {
            seat: ply.seat,
            depth: ply.depth.unwrap_or_default(),
            nodes: ply.nodes.unwrap_or_default(),
            time: ply.time.unwrap_or_default(),
            // A tag has them.
            playouts: 0,
        };
        let (mut moves, opening) = (self.moves(), self.opening.min(self.plies.len()));
        let mut record = GameRecord {
            number,
            seed: self.seed,
            payoff: self.result.clone().unwrap_or_default(),
            opening: Opening { position: self.position.clone(), moves: moves.drain(..opening).collect() },
            moves,
            decisions: self.plies[opening..].iter().map(decision).collect(),
            costs: vec![Cost::default(); seating.len()],
            seating,
            ..GameRecord::default()
        };
        for decision in &record.decisions {
            let Some(cost) = record.costs.get_mut(decision.seat) else { continue };
            cost.moves += 1;
            cost.depth += u64::from(decision.depth);
            cost.standard += u64::from(decision.depth);
            cost.nodes = cost.nodes.saturating_add(decision.nodes);
            cost.time = cost.time.saturating_add(decision.time);
        }
        record
    }

    /// Plays the game by its rules, and tells every seat that moved.
    ///
    /// The result must be that of the rules, unless the game ended in another way, which its tag `Ending` says.
    fn check(&mut self, registry: &Registry, lines: &Lines) -> Result<(), Error> {
        let game = registry.find(&self.game).map_err(|error| lines.at_tag("Game", error))?;
        game.player_count(Some(self.seats.len())).map_err(|error| lines.at_tag("Players", error))?;
        let mut session = game.open(&self.request()).map_err(|error| lines.at_tag("Position", error))?;
        for (ply, &line) in self.plies.iter_mut().zip(&lines.plies) {
            ply.seat = session.turn() - 1;
            session.play(&ply.m).map_err(|error| lines.at(line, error))?;
        }
        self.check_result(session.as_ref()).map_err(|error| lines.at(lines.end, error))?;
        let record = self.record(self.number.unwrap_or(0), &self.settings());
        record.map_err(|error| lines.at(lines.start, error))?;
        Ok(())
    }

    fn check_result(&self, session: &dyn Session) -> Result<(), Error> {
        if self.tag("Ending").is_some_and(|ending| ending != "normal") {
            return Ok(());
        }
        match (session.payoff(), &self.result) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Error::failed("the game is not over after its last move, but has a result")
                .help("write * as the result, or add the moves that are missing")),
            (Some(payoff), result) => {
                let is_same = |result: &Vec<f32>| result.iter().zip(&payoff).all(|(a, b)| (a - b).abs() < 1e-3);
                if result.as_ref().is_some_and(is_same) {
                    return self.check_points(session);
                }
                let written = result_text(result.as_deref());
                let message = format!("the result is not {written}: by the rules the game ended otherwise");
                Err(Error::failed(message).help(format!("write {}", result_text(Some(&payoff)))))
            }
        }
    }

    fn check_points(&self, session: &dyn Session) -> Result<(), Error> {
        let (Some(written), Some(points)) = (self.tag("Points"), session.points()) else { return Ok(()) };
        let read: Option<Vec<f32>> = written.split_whitespace().map(|word| word.parse().ok()).collect();
        let is_same = |read: Vec<f32>| {
            read.len() == points.len() && read.iter().zip(&points).all(|(a, b)| (a - b).abs() <= b.abs() * 1e-5 + 1e-5)
        };
        if read.is_some_and(is_same) {
            return Ok(());
        }
        let right: Vec<String> = points.iter().map(f32::to_string).collect();
        Err(Error::failed(format!("the points are not {written:?}")).help(format!("write {}", right.join(" "))))
    }
}

/// The columns that are tags.
fn tagged_columns() -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(|column| !OWN_FORM.contains(&column.name))
}

/// `ending_seat` as a tag: `EndingSeat`.
fn tag_name(column: &str) -> String {
    let mut name = String::new();
    for word in column.split('_') {
        let mut letters = word.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}

/// A tag's name as a setting: `LongName` is `long_name`.
fn setting_name(tag: &str) -> String {
    let mut name = String::new();
    for (at, letter) in tag.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// The value of a column that a tag's text means.
fn column_value(column: &Column, text: &str) -> Option<Value> {
    let one = |word: &str| match column.kind {
        ColumnType::Count => word.parse::<u64>().ok().map(|number| json!(number)),
        ColumnType::Share | ColumnType::Millis => {
            word.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| json!(number))
        }
        ColumnType::Seed | ColumnType::Text | ColumnType::Agent => Some(json!(word)),
    };
    if column.shape.is_list() { text.split_whitespace().map(one).collect() } else { one(text) }
}

fn misread(tag: &str, column: &Column) -> Error {
    let what = match column.kind {
        ColumnType::Count => "a whole number",
        ColumnType::Share | ColumnType::Millis => "a number",
        ColumnType::Seed | ColumnType::Text | ColumnType::Agent => "a text",
    };
    let many = if column.shape.is_list() { " for each, separated by spaces" } else { "" };
    Error::failed(format!("the tag {tag} cannot be read")).help(format!("it has {what}{many}: {}", column.about))
}

/// Where the parts of a game stand in its file.
#[derive(Clone, Debug, Default)]
struct Lines {
    file: String,
    start: usize,
    end: usize,
    tags: Vec<(String, usize)>,
    plies: Vec<usize>,
}

impl Lines {
    fn at(&self, line: usize, error: Error) -> Error {
        error.within(format_args!("{} line {line}", self.file))
    }

    fn at_tag(&self, name: &str, error: Error) -> Error {
        let line = self.tags.iter().find(|(known, _)| known == name).map_or(self.start, |&(_, line)| line);
        self.at(line, error)
    }
}

/// A game that has the form of one; its moves have not been played yet.
#[derive(Clone, Debug)]
pub struct Parsed {
    game: Transcript,
    lines: Lines,
    format: TextFormat,
}

impl Parsed {
    /// Name of the match.
    pub fn name(&self) -> Option<&str> {
        self.game.name.as_deref()
    }

    /// The game's number in its match.
    pub fn number(&self) -> Option<u64> {
        match self.format {
            TextFormat::Npgn => self.game.number,
            TextFormat::Pgn4 => self.game.tag(pgn4::NUMBER)?.parse().ok(),
        }
    }

    /// Where the game begins, for messages.
    pub(crate) fn place(&self) -> String {
        format!("{} line {}", self.lines.file, self.lines.start)
    }

    /// Plays the game by its rules; an error names the line that is wrong.
    pub fn check(mut self, registry: &Registry) -> Result<Transcript, Error> {
        if self.format == TextFormat::Pgn4 {
            let lines = &self.lines;
            pgn4::translate(&mut self.game).map_err(|(ply, error)| {
                lines.at(ply.and_then(|ply| lines.plies.get(ply).copied()).unwrap_or(lines.start), error)
            })?;
        }
        self.game.check(registry, &self.lines)?;
        Ok(self.game)
    }
}

/// A format of games as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextFormat {
    /// `.npgn`: any game.
    #[default]
    Npgn,
    /// `.pgn4`: Four-Player Chess, as other programs write it.
    Pgn4,
}

/// Whether a file has this ending.
fn ends_in(path: &Path, end: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(end))
}

/// Whether a file is called like one of games as text.
pub(crate) fn is_called_text(path: &Path) -> bool {
    ends_in(path, "npgn") || ends_in(path, "pgn4")
}

/// Whether a file holds games as text: by its name, or by its first character, which is that of a tag or a comment.
pub fn is_text(path: &Path) -> bool {
    // A file that cannot be read is reported by whoever reads it.
    let start = opened::start(path, 1000);
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    let first = start.iter().find(|byte| !byte.is_ascii_whitespace());
    is_called_text(path) || first.is_some_and(|byte| b"[{;%".contains(byte))
}

/// The games of a text, one after another. It ends after the first error.
pub struct Reader<R> {
    input: R,
    format: TextFormat,
    /// The name of the file, for messages.
    file: String,
    /// The number of the last line read, from 1.
    line: usize,
    /// A line that belongs to the next game.
    ahead: Option<String>,
    /// Most bytes of a game.
    most: usize,
    is_over: bool,
}

/// Most bytes of a game: far more than any needs, so that memory stays bounded whatever the file is.
const LONGEST: usize = 16 << 20;

impl Reader<BufReader<File>> {
    /// Opens a file of games, `*.pgn4` as PGN4.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        let input = File::open(path).map_err(|error| Error::file(format!("cannot read {file}: {error}")))?;
        let format = if ends_in(path, "pgn4") { TextFormat::Pgn4 } else { TextFormat::Npgn };
        Ok(Reader::new(BufReader::new(input), format, file))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads games; `file` is named in messages.
    pub fn new(input: R, format: TextFormat, file: impl Into<String>) -> Reader<R> {
        Reader { input, format, file: file.into(), line: 0, ahead: None, most: LONGEST, is_over: false }
    }

    fn error(&self, line: usize, message: impl Into<String>) -> Error {
        Error::file(message).within(format_args!("{} line {line}", self.file))
    }

    /// The next line without its end.
    fn next_line(&mut self) -> Result<Option<String>, Error> {
        if self.ahead.is_some() {
            return Ok(self.ahead.take());
        }
        let mut bytes = Vec::new();
        let read = self.input.by_ref().take(self.most as u64 + 1).read_until(b'\n', &mut bytes);
        read.map_err(|error| Error::file(format!("cannot read {}: {error}", self.file)))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.line += 1;
        while bytes.last().is_some_and(|byte| b"\r\n".contains(byte)) {
            bytes.pop();
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| self.error(self.line, "not a text in UTF-8").help("games are written in UTF-8"))?;
        let is_first = self.line == 1;
        Ok(Some(text.strip_prefix('\u{feff}').filter(|_| is_first).map_or_else(|| text.clone(), String::from)))
    }

    fn next_game(&mut self) -> Result<Option<Parsed>, Error> {
        let mut parts = Parts { format: self.format, ..Parts::default() };
        let mut size = 0;
        while let Some(line) = self.next_line()? {
            size += line.len();
            if size > self.most {
                let message = format!("a game of more than {} MiB", LONGEST >> 20);
                return Err(self
                    .error(self.line, message)
                    .help("this is no file of games, or a comment is never closed"));
            }
            if parts.has_moves && parts.open.is_none() && line.starts_with('[') {
                self.ahead = Some(line);
                break;
            }
            parts.add_line(&line, self.line).map_err(|(message, help)| self.error(self.line, message).help(help))?;
        }
        if parts.is_empty() {
            return Ok(None);
        }
        if let Some((_, line)) = parts.open {
            return Err(self.error(line, "a comment that is never closed").help("write } after it"));
        }
        if let Some((_, line)) = parts.open_tag {
            return Err(self.error(line, "a tag that is never closed").help("write \"] after it"));
        }
        parts
            .finish(&self.file)
            .map(Some)
            .map_err(|(line, error)| error.within(format_args!("{} line {line}", self.file)))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Parsed, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.next_game().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// A message and a help line.
type Fault = (String, String);

fn fault<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, Fault> {
    Err((message.into(), help.into()))
}

/// The parts of a game, as its lines come in.
#[derive(Default)]
struct Parts {
    format: TextFormat,
    /// The first line with anything on it, and the last.
    start: usize,
    end: usize,
    /// Whether the moves have begun.
    has_moves: bool,
    tags: Vec<(String, String, usize)>,
    comment: Remark,
    plies: Vec<(String, usize, Remark)>,
    /// The result after the last move.
    result: Option<String>,
    /// A comment under way and the line it began on.
    open: Option<(String, usize)>,
    /// A tag under way, which may take several lines in PGN4, and the line it began on.
    open_tag: Option<(String, usize)>,
}

/// What stands in the comments after a move.
#[derive(Clone, Debug, Default)]
struct Remark {
    depth: Option<u32>,
    nodes: Option<u64>,
    time: Option<Duration>,
    text: String,
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.start == 0
    }

    fn add_line(&mut self, line: &str, number: usize) -> Result<(), Fault> {
        let whole;
        let mut rest = line;
        if let Some((begun, _)) = self.open_tag.take() {
            whole = begun + line;
            rest = &whole;
        } else if self.open.is_none() && line.starts_with('%') {
            return Ok(());
        }
        loop {
            if let Some((mut raw, start)) = self.open.take() {
                let Some(end) = self.end_of(rest, '}') else {
                    raw.push_str(rest);
                    raw.push('\n');
                    self.open = Some((raw, start));
                    return Ok(());
                };
                raw.push_str(&rest[..end]);
                self.remark(&raw)?;
                rest = &rest[end + 1..];
            }
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else { return Ok(()) };
            if self.is_empty() {
                self.start = number;
            }
            self.end = number;
            match first {
                '{' => {
                    self.open = Some((String::new(), number));
                    rest = &rest[1..];
                }
                ';' => {
                    self.say(&rest[1..]);
                    return Ok(());
                }
                '[' if !self.has_moves => rest = self.add_tag(rest, number)?,
                '"' => {
                    let Some(end) = self.end_of(&rest[1..], '"') else {
                        return fault(format!("the move {rest} has no closing quote"), "write it as \"MOVE\"");
                    };
                    self.add_move(self.plain(&rest[1..=end]), number)?;
                    rest = &rest[end + 2..];
                }
                '[' | ']' | '(' | ')' | '}' | '$' => {
                    let message = format!("{first:?} where a move or a result would stand");
                    return fault(
                        message,
                        "variations and glyphs have no place here; a move that begins so stands in quotes",
                    );
                }
                _ => {
                    let end = rest.find(|c: char| c.is_whitespace() || "{;\"".contains(c)).unwrap_or(rest.len());
                    self.add_word(&rest[..end], number)?;
                    rest = &rest[end..];
                }
            }
        }
    }

    /// Adds the tag that a text begins with, and returns what follows it.
    fn add_tag<'a>(&mut self, text: &'a str, number: usize) -> Result<&'a str, Fault> {
        const FORM: &str = "write [Name \"value\"], with \\\" for a quote and \\\\ for a backslash in it";
        let inner = text[1..].trim_start();
        let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let (name, rest) = inner.split_at(end);
        let Some(rest) = rest.trim_start().strip_prefix('"').filter(|_| !name.is_empty()) else {
            return fault("a tag without a name and a value in quotes", FORM);
        };
        let Some(end) = self.end_of(rest, '"') else {
            if self.format == TextFormat::Pgn4 && text.len() < LONGEST_TAG {
                self.open_tag = Some((text.into(), number));
                return Ok("");
            }
            return fault(format!("the value of the tag {name} has no closing quote"), FORM);
        };
        let Some(after) = rest[end + 1..].trim_start().strip_prefix(']') else {
            return fault(format!("the tag {name} has no closing bracket"), FORM);
        };
        if self.tags.iter().any(|(known, ..)| known == name) {
            return fault(format!("the tag {name} a second time"), "each tag stands once in a game");
        }
        if self.tags.len() == MOST_TAGS {
            return fault(format!("more than {MOST_TAGS} tags"), "a game has a few");
        }
        let value = self.plain(&rest[..end]);
        self.tags.push((name.into(), value, number));
        Ok(after)
    }

    fn add_word(&mut self, mut word: &str, number: usize) -> Result<(), Fault> {
        self.has_moves = true;
        // `3.` and `3...`; a move may follow at once.
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && word[digits..].starts_with('.') && !is_result(word) {
            if self.format == TextFormat::Npgn && word[..digits].parse() != Ok(self.plies.len() + 1) {
                let message = format!("the number {} before ply {}", &word[..digits], self.plies.len() + 1);
                return fault(message, format!("write {}., or leave the number out", self.plies.len() + 1));
            }
            word = word[digits..].trim_start_matches('.');
        }
        if word.is_empty() {
            return Ok(());
        }
        match self.format {
            // The dots between moves, and a result that the tags have, too.
            TextFormat::Pgn4 if word == ".." || is_result(word) => return Ok(()),
            TextFormat::Npgn if is_result(word) => {}
            TextFormat::Npgn | TextFormat::Pgn4 => return self.add_move(word.into(), number),
        }
        match self.result.replace(word.into()) {
            None => Ok(()),
            Some(result) => fault(format!("a second result {word}"), format!("the game ended with {result} already")),
        }
    }

    fn add_move(&mut self, m: String, number: usize) -> Result<(), Fault> {
        self.has_moves = true;
        if let Some(result) = &self.result {
            let message = format!("the move {m} after the result {result}");
            return fault(message, "a tag begins the next game, and the result stands after the last move");
        }
        if self.plies.len() == MOST_PLIES {
            return fault(format!("more than {MOST_PLIES} moves"), "this is no file of games");
        }
        self.plies.push((m, number, Remark::default()));
        Ok(())
    }

    /// Where a string or comment ends.
    fn end_of(&self, text: &str, close: char) -> Option<usize> {
        match self.format {
            TextFormat::Npgn => end_of(text, close),
            TextFormat::Pgn4 => text.find(close),
        }
    }

    /// A text without its escapes, of which PGN4 has none.
    fn plain(&self, text: &str) -> String {
        match self.format {
            TextFormat::Npgn => unescape(text),
            TextFormat::Pgn4 => text.into(),
        }
    }

    fn last_remark(&mut self) -> &mut Remark {
        self.plies.last_mut().map_or(&mut self.comment, |(.., remark)| remark)
    }

    fn say(&mut self, text: &str) {
        let (text, known) = (text.trim(), &mut self.last_remark().text);
        if !known.is_empty() && !text.is_empty() {
            known.push(' ');
        }
        known.push_str(text);
    }

    /// Adds a comment in braces, with what it says of the decision: `[%depth 5]`.
    fn remark(&mut self, raw: &str) -> Result<(), Fault> {
        let mut rest = raw;
        let mut texts = Vec::new();
        while let Some((start, command, end)) = self.next_command(rest) {
            texts.push(&rest[..start]);
            let (name, value) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
            self.set_command(name, value.trim())?;
            rest = &rest[end..];
        }
        texts.push(rest);
        let texts: Vec<String> = texts.into_iter().map(|text| self.plain(text)).collect();
        let texts: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
        self.say(&texts.join(" "));
        Ok(())
    }

    /// The next command that is known: where it starts, what it says, and where it ends. There are none before the first move, nor in PGN4.
    fn next_command<'a>(&self, raw: &'a str) -> Option<(usize, &'a str, usize)> {
        if self.plies.is_empty() || self.format == TextFormat::Pgn4 {
            return None;
        }
        let starts = raw.match_indices("[%").map(|(at, _)| at);
        let mut unescaped = starts.filter(|&at| raw[..at].bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 0);
        unescaped.find_map(|at| {
            let length = raw.as_bytes()[at..].iter().take(LONGEST_COMMAND).position(|&byte| byte == b']')?;
            let command = raw[at + 2..at + length].trim();
            let name = command.split_whitespace().next()?;
            COMMANDS.contains(&name).then_some((at, command, at + length + 1))
        })
    }

    fn set_command(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let remark = self.last_remark();
        let is_new = match name {
            "depth" => value.parse().ok().map(|depth| remark.depth.replace(depth).is_none()),
            "nodes" => value.parse().ok().map(|nodes| remark.nodes.replace(nodes).is_none()),
            _ => quantity::time(value).ok().map(|time| remark.time.replace(time).is_none()),
        };
        match is_new {
            Some(true) => Ok(()),
            Some(false) => fault(format!("a second {name} of one move"), format!("write [%{name} …] once")),
            None => fault(
                format!("{value:?} is no {name}"),
                "write [%depth 5], [%nodes 1234] or [%time 12.5ms]".to_string(),
            ),
        }
    }

    /// The game that the parts make.
    fn finish(self, file: &str) -> Result<Parsed, (usize, Error)> {
        let Parts { format, start, end, mut tags, comment, plies, result, .. } = self;
        let lines = Lines {
            file: file.into(),
            start,
            end,
            tags: tags.iter().map(|(name, _, line)| (name.clone(), *line)).collect(),
            plies: plies.iter().map(|&(_, line, _)| line).collect(),
        };
        let mut take = |name: &str| {
            let index = tags.iter().position(|(known, ..)| known == name)?;
            let (_, value, line) = tags.remove(index);
            Some((value, line))
        };
        let ply = |(m, _, Remark { depth, nodes, time, text }): (String, usize, Remark)| Ply {
            seat: 0,
            m,
            depth,
            nodes,
            time,
            comment: text,
        };
        let mut game = Transcript {
            comment: comment.text,
            plies: plies.into_iter().map(ply).collect(),
            seed: 1,
            ..Transcript::default()
        };
        if format == TextFormat::Npgn {
            let missing = |name: &str, form: &str| {
                let help = format!("write [{name} \"{form}\"] before its moves");
                (start, Error::file(format!("a game without the tag {name}")).help(help))
            };
            let wrong = |name: &str, (value, line): (String, usize), form: &str| {
                (line, Error::file(format!("{value:?} in the tag {name}")).help(format!("write {form}")))
            };
            game.game = take("Game").ok_or_else(|| missing("Game", "focus"))?.0;
            let players = take("Players").ok_or_else(|| missing("Players", "4"))?;
            let count = players.0.parse().ok().filter(|count| (2..=MOST_PLAYERS).contains(count));
            let count = count.ok_or_else(|| wrong("Players", players, "a number of players, such as 4"))?;
            let mut take_each = |what: &str| -> Vec<Option<String>> {
                (1..=count).map(|seat| take(&format!("{what}{seat}")).map(|(value, _)| value)).collect()
            };
            game.seats = take_each("Seat").into_iter().map(|seat| seat.unwrap_or("?".into())).collect();
            game.names = take_each("Name");
            if let Some(budget) = take("Budget") {
                let is_known = budget.0.parse::<Budget>().is_ok();
                game.budget = budget.0.clone();
                is_known.then_some(()).ok_or_else(|| wrong("Budget", budget, "limits, such as nodes=10k"))?;
            }
            if let Some(seed) = take("Seed") {
                game.seed = seed.0.parse().map_err(|_| wrong("Seed", seed, "a whole number, such as 1"))?;
            }
            if let Some(number) = take("Number") {
                game.number = Some(number.0.parse().map_err(|_| wrong("Number", number, "a whole number, such as 0"))?);
            }
            game.position = take("Position").map(|(position, _)| position);
            if let Some(plies) = take(OPENING) {
                let most = game.plies.len();
                let count = plies.0.parse().ok().filter(|&count: &usize| count <= most);
                let form = format!("a number of plies from 0 to {most}");
                game.opening = count.ok_or_else(|| wrong(OPENING, plies, &form))?;
            }
            game.name = take("Match").map(|(name, _)| name);
            let form = format!("{} or *", vec!["1/2"; count].join("-"));
            let tag = take("Result").ok_or_else(|| missing("Result", &form))?;
            game.result = read_result(&tag.0, count).ok_or_else(|| wrong("Result", tag.clone(), &form))?;
            let Some(written) = result else {
                let error = Error::file("a game without a result after its last move");
                return Err((end, error.help(format!("write {}", result_text(game.result.as_deref())))));
            };
            if read_result(&written, count).as_ref() != Some(&game.result) {
                let error = Error::file(format!("the result {written} after the moves, and {} in the tag", tag.0));
                return Err((end, error.help("both are the same")));
            }
            if let Some((name, value, line)) = tags.iter().find(|(name, ..)| is_seat(name)) {
                let error = Error::file(format!("the tag {name} of {value:?} in a game of {count} players"));
                return Err((*line, error.help(format!("the seats are Seat1 to Seat{count}"))));
            }
        }
        game.tags = tags.into_iter().map(|(name, value, _)| (name, value)).collect();
        Ok(Parsed { game, lines, format })
    }
}

/// Most tags and moves of a game, and bytes of a tag on several lines: no text makes the reader slow or large.
const MOST_TAGS: usize = 1000;
const LONGEST_TAG: usize = 1 << 16;
const MOST_PLIES: usize = 1_000_000;

/// Most bytes of a command in a comment.
const LONGEST_COMMAND: usize = 100;

/// What a comment says of the decision before it.
const COMMANDS: [&str; 3] = ["depth", "nodes", "time"];

/// Most players of any game.
const MOST_PLAYERS: usize = 6;

/// Whether a tag is about a seat, by its number.
fn is_seat(tag: &str) -> bool {
    let number = tag.strip_prefix("Seat").or(tag.strip_prefix("Name"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Where the first `close` is that no backslash stands before.
fn end_of(text: &str, close: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_end = c == close && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end.then_some(at)
    })
}

/// A text without its escapes: `\n` and `\r` are ends of lines, any other character stands for itself.
fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('r') => plain.push('\r'),
                Some(letter) => plain.push(letter),
                None => plain.push('\\'),
            },
            letter => plain.push(letter),
        }
    }
    plain
}

/// The same the other way, with `close` escaped.
fn escape(text: &str, close: char) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\\' => escaped.push_str("\\\\"),
            letter if letter == close => escaped.extend(['\\', letter]),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Whether a word has the form of a result, of any number of players.
fn is_result(word: &str) -> bool {
    word == "*" || (word.contains('-') && word.split('-').all(|part| share(part).is_some()))
}

/// A share of the win: `1`, `0`, `1/3`, `0.25`.
fn share(text: &str) -> Option<f32> {
    let is_plain = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit()) && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    let number = |text: &str| text.parse::<f32>().ok().filter(|_| is_plain(text));
    let share = match text.split_once('/') {
        Some((part, whole)) => number(part)? / number(whole)?,
        None => number(text)?,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

/// The shares of so many players; `Some(None)` for an unfinished game.
fn read_result(text: &str, players: usize) -> Option<Option<Vec<f32>>> {
    if text == "*" {
        return Some(None);
    }
    let shares: Vec<f32> = text.split('-').map(share).collect::<Option<_>>()?;
    (shares.len() == players).then_some(Some(shares))
}

/// The shares of the win as PGN has them: `1-0-0`, `1/3-1/3-1/3`; `*` for an unfinished game.
pub fn result_text(result: Option<&[f32]>) -> String {
    let text = |share: &f32| {
        let whole = (2..=MOST_PLAYERS).find(|&whole| *share == 1.0 / whole as f32);
        whole.map_or_else(|| share.to_string(), |whole| format!("1/{whole}"))
    };
    result.map_or("*".into(), |shares| shares.iter().map(text).collect::<Vec<String>>().join("-"))
}

/// Writes a game, and an empty line after it.
pub fn write(out: &mut dyn Write, game: &Transcript) -> io::Result<()> {
    let mut tag = |name: &str, value: &str| writeln!(out, "[{name} \"{}\"]", escape(value, '"'));
    tag("Game", &game.game)?;
    tag("Players", &game.seats.len().to_string())?;
    if let Some(name) = &game.name {
        tag("Match", name)?;
    }
    if let Some(number) = game.number {
        tag("Number", &number.to_string())?;
    }
    for (index, seat) in game.seats.iter().enumerate() {
        tag(&format!("Seat{}", index + 1), seat)?;
        if let Some(Some(name)) = game.names.get(index) {
            tag(&format!("Name{}", index + 1), name)?;
        }
    }
    if !game.budget.is_empty() {
        tag("Budget", &game.budget)?;
    }
    tag("Seed", &game.seed.to_string())?;
    if let Some(position) = &game.position {
        tag("Position", position)?;
    }
    if game.opening > 0 {
        tag(OPENING, &game.opening.to_string())?;
    }
    for (name, value) in &game.tags {
        tag(name, value)?;
    }
    let result = result_text(game.result.as_deref());
    tag("Result", &result)?;
    writeln!(out)?;
    let mut lines = Wrapped { out, width: 0 };
    if !game.comment.is_empty() {
        lines.word(&format!("{{{}}}", comment_text(&game.comment)))?;
    }
    for (index, ply) in game.plies.iter().enumerate() {
        let m = if is_plain_move(&ply.m) { ply.m.clone() } else { format!("\"{}\"", escape(&ply.m, '"')) };
        let is_numbered = index % game.seats.len().max(1) == 0;
        lines.word(&if is_numbered { format!("{}. {m}", index + 1) } else { m })?;
        let said = said_of(ply);
        if !said.is_empty() {
            lines.word(&format!("{{{said}}}"))?;
        }
    }
    lines.word(&result)?;
    writeln!(out, "\n")
}

/// What is said of a move and its decision.
fn said_of(ply: &Ply) -> String {
    let mut said = String::new();
    let mut say = |what: std::fmt::Arguments<'_>| {
        let space = if said.is_empty() { "" } else { " " };
        write!(said, "{space}{what}").expect("a text takes everything");
    };
    if let Some(depth) = ply.depth {
        say(format_args!("[%depth {depth}]"));
    }
    if let Some(nodes) = ply.nodes {
        say(format_args!("[%nodes {nodes}]"));
    }
    if let Some(time) = ply.time {
        say(format_args!("[%time {}]", quantity::time_text(time)));
    }
    if !ply.comment.is_empty() {
        say(format_args!("{}", comment_text(&ply.comment)));
    }
    said
}

/// A comment with what would be read as a command escaped.
fn comment_text(text: &str) -> String {
    escape(text, '}').replace("[%", "\\[%")
}

/// Whether a move needs no quotes.
fn is_plain_move(m: &str) -> bool {
    let digits = m.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = digits > 0 && m[digits..].starts_with('.');
    let is_odd = m.contains(|c: char| c.is_whitespace() || c.is_control() || "{;\"\\".contains(c));
    !m.is_empty() && !is_odd && !m.starts_with(['[', ']', '(', ')', '}', '$', '%']) && !is_number && !is_result(m)
}

/// Writes words in lines of at most 80 characters.
struct Wrapped<'a> {
    out: &'a mut dyn Write,
    width: usize,
}

impl Wrapped<'_> {
    fn word(&mut self, word: &str) -> io::Result<()> {
        let width = word.chars().count();
        if self.width > 0 {
            let is_full = self.width + 1 + width > 80;
            self.out.write_all(if is_full { b"\n" } else { b" " })?;
            self.width = if is_full { 0 } else { self.width + 1 };
        }
        self.width += width;
        self.out.write_all(word.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;

    /// A text again and again.
    struct Endless<'a>(std::iter::Cycle<std::slice::Iter<'a, u8>>);

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.iter_mut().zip(&mut self.0).for_each(|(to, from)| *to = *from);
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_text_that_never_ends_is_refused() {
        for text in ["{", "{\n", "a", "a ", "[A \"x\"]", "{[%", "1.", "\\", "\"", "[", "1-", "{}", "a1\n", "\n;"] {
            for format in [TextFormat::Npgn, TextFormat::Pgn4] {
                let input = BufReader::new(Endless(text.as_bytes().iter().cycle()));
                let mut games = Reader { most: 100_000, ..Reader::new(input, format, "x") };
                let error = games.next().unwrap().unwrap_err();
                testing::check_error(&error.message, text);
                assert!(games.next().is_none(), "it ends after an error");
            }
        }
    }

    #[test]
    fn tags_are_named_after_columns_and_settings() {
        assert_eq!((tag_name("ending_seat").as_str(), setting_name("LongName").as_str()), ("EndingSeat", "long_name"));
        assert!(OWN_FORM.iter().all(|name| COLUMNS.iter().any(|column| column.name == *name)));
        let settings = MatchSettings { names: vec![None], ..MatchSettings::default() }.json();
        assert!(OWN_SETTINGS.iter().all(|name| settings.get(name).is_some()));
    }
}
