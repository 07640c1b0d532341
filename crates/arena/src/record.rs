//! A finished game as one record, and the columns that every file of games is made of.
//!
//! [`COLUMNS`] declares each field of a [`GameRecord`] once: its name, its type, what it means, how it is read and how it is
//! written. The SQLite table, CSV, JSON and Parquet all walk that list.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::openings::Opening;
use crate::store::MatchSettings;

/// A finished game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameRecord {
    /// The game's number in its match, from 0. Seating and seed follow from it.
    pub number: u64,
    /// For each seat, the index of its agent among those of the match.
    pub seating: Vec<usize>,
    /// Random seed of the game.
    pub seed: u64,
    /// Each seat's share of the win.
    pub payoff: Vec<f32>,
    /// Raw points, where the game counts them.
    pub points: Option<Vec<f32>>,
    /// Where the game started.
    pub opening: Opening,
    /// The moves that agents chose, as text.
    pub moves: Vec<String>,
    /// What each move cost, in the same order.
    pub decisions: Vec<DecisionRecord>,
    /// What each seat's decisions cost together.
    pub costs: Vec<Cost>,
    /// Why the game ended.
    pub ending: Ending,
}

impl GameRecord {
    /// The seats of an agent.
    pub fn seats_of(&self, agent: usize) -> impl Iterator<Item = usize> {
        (0..self.seating.len()).filter(move |&seat| self.seating[seat] == agent)
    }

    /// Whether the time of each decision is known: packed files have only their sums.
    pub fn has_times(&self) -> bool {
        self.decisions.iter().any(|decision| !decision.time.is_zero())
    }

    /// A hash of its seating, start and moves: games with the same one are repeats. It does not matter which of the moves belong to the
    /// opening.
    pub(crate) fn line(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.seating, &self.opening.position).hash(&mut hasher);
        self.opening.moves.iter().chain(&self.moves).for_each(|m| m.hash(&mut hasher));
        hasher.finish()
    }

    /// The seat that won alone, in a game that was played to its end.
    pub fn winner(&self) -> Option<usize> {
        self.payoff.iter().position(|&share| share > SOLE).filter(|_| self.ending == Ending::Normal)
    }

    /// Reads a record from the values of all columns, in their order; an error names a column whose value does not fit.
    pub(crate) fn from_values(values: impl IntoIterator<Item = Value>) -> Result<GameRecord, &'static str> {
        let mut record = GameRecord::default();
        let mut plies = Value::Null;
        for (column, value) in COLUMNS.iter().zip(values) {
            if column.name == PLIES {
                plies = value.clone();
            }
            (column.set)(&mut record, value).ok_or(column.name)?;
        }
        let seats = record.seating.len();
        let misfits = [
            ("payoffs", record.payoff.len() != seats),
            ("points", record.points.as_ref().is_some_and(|points| points.len() != seats)),
            ("decisions", record.costs.iter().any(|cost| cost.moves > LARGEST)),
            ("depths", record.costs.iter().any(|cost| cost.depth > LARGEST)),
            ("standard_depths", record.costs.iter().any(|cost| cost.standard > LARGEST)),
            // A list of moves that lost its end would still be one.
            ("moves", plies != record.moves.len()),
            ("ply_seats", record.decisions.iter().any(|decision| decision.seat >= seats)),
            ("ending_seat", record.ending.forfeit().is_some_and(|forfeit| forfeit.seat >= seats)),
        ];
        misfits.iter().find(|(_, is_wrong)| *is_wrong).map_or(Ok(record), |(name, _)| Err(*name))
    }
}

/// No game has more decisions or plies of depth, and sums over many games stay numbers of 64 bits.
const LARGEST: u64 = 1 << 48;

/// The column whose value follows from another one.
const PLIES: &str = "plies";

/// A share of the win above this is a win alone; shares are sums of rounded fractions.
const SOLE: f32 = 0.999;

/// Why a game ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It was played to its end.
    #[default]
    Normal,
    /// An agent broke the protocol and forfeited it.
    Forfeit(Forfeit),
    /// An agent's clock ran out, and it forfeited the game.
    OutOfTime(Forfeit),
    /// It could have gone on, and was ended as shared for this reason: see [`Adjudication`](crate::Adjudication).
    Adjudicated(String),
}

impl Ending {
    /// The forfeit, if that is how the game ended: by breaking the protocol or on time.
    pub fn forfeit(&self) -> Option<&Forfeit> {
        match self {
            Ending::Forfeit(forfeit) | Ending::OutOfTime(forfeit) => Some(forfeit),
            Ending::Normal | Ending::Adjudicated(_) => None,
        }
    }

    /// Why the game ended before its end.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Ending::Normal => None,
            Ending::Forfeit(forfeit) | Ending::OutOfTime(forfeit) => Some(&forfeit.reason),
            Ending::Adjudicated(reason) => Some(reason),
        }
    }

    /// An ending of each kind.
    fn kinds() -> [Ending; 4] {
        let (forfeit, reason) = (Forfeit::default(), String::new());
        [Ending::Normal, Ending::Forfeit(forfeit.clone()), Ending::OutOfTime(forfeit), Ending::Adjudicated(reason)]
    }

    fn name(&self) -> &'static str {
        match self {
            Ending::Normal => "normal",
            Ending::Forfeit(_) => "forfeit",
            Ending::OutOfTime(_) => "time",
            Ending::Adjudicated(_) => "adjudicated",
        }
    }
}

/// A game lost by an agent whose clock ran out, or by an outside program that broke the protocol.
///
/// All seats of that agent lose, so that an agent never profits from its own fault; the others share the win equally, as if
/// they had drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forfeit {
    /// The seat at fault, from 0.
    pub seat: usize,
    /// What the agent did.
    pub reason: String,
}

/// In one line: `seat 2: it did not answer within 1000 ms`.
impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}: {}", self.seat + 1, self.reason)
    }
}

impl Forfeit {
    /// Each seat's share of the win.
    pub(crate) fn payoff(&self, seating: &[usize]) -> Vec<f32> {
        // If the same agent sits everywhere, only the seat at fault loses.
        let is_alone = seating.iter().all(|&agent| agent == seating[self.seat]);
        let loses = |seat: usize| if is_alone { seat == self.seat } else { seating[seat] == seating[self.seat] };
        let winners = (0..seating.len()).filter(|&seat| !loses(seat)).count();
        (0..seating.len()).map(|seat| if loses(seat) { 0.0 } else { 1.0 / winners as f32 }).collect()
    }
}

/// What one decision cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecisionRecord {
    /// The seat that made it, from 0.
    pub seat: usize,
    /// Plies of the last completed iteration.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
    /// Games played out; 0 for an agent that plays none out, and where it was not kept.
    pub playouts: u64,
    /// Time from question to answer; zero where it was not kept.
    pub time: Duration,
}

/// What one seat's decisions cost in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Number of decisions.
    pub moves: u64,
    /// Sum of their depths.
    pub depth: u64,
    /// Sum of their depths in plies of the game: in Best-Reply Search, a level of replies counts for all opponents.
    pub standard: u64,
    /// Sum of their nodes.
    pub nodes: u64,
    /// Sum of their playouts.
    pub playouts: u64,
    /// Sum of their times.
    pub time: Duration,
    /// The longest time by which one exceeded its budget.
    pub over: Duration,
}

/// A column of the files of games: one field of a [`GameRecord`].
pub struct Column {
    /// The name in every format.
    pub name: &'static str,
    /// What it holds, in one line.
    pub about: &'static str,
    /// The type of a value.
    pub kind: ColumnType,
    /// How many values a game has.
    pub shape: Shape,
    get: fn(&GameRecord) -> Value,
    set: fn(&mut GameRecord, Value) -> Option<()>,
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number.
    Count,
    /// A whole number of all 64 bits: text where the format's numbers have fewer.
    Seed,
    /// A number of 32 bits.
    Share,
    /// Milliseconds, exact to the nanosecond.
    Millis,
    /// Text.
    Text,
    /// An agent: its index in the database, where the match has the names; its name elsewhere.
    Agent,
}

/// How many values of a column a game has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    One,
    /// One or none.
    Maybe,
    /// One for each seat.
    Seats,
    /// One for each seat, or none at all.
    MaybeSeats,
    /// One for each ply.
    Plies,
    /// One for each ply, or none at all.
    MaybePlies,
    /// Any number, or none at all.
    MaybeList,
}

impl Shape {
    /// Whether a game may have no value at all.
    pub(crate) fn is_optional(self) -> bool {
        matches!(self, Shape::Maybe | Shape::MaybeSeats | Shape::MaybePlies | Shape::MaybeList)
    }

    /// Whether a game has a list of values.
    pub(crate) fn is_list(self) -> bool {
        !matches!(self, Shape::One | Shape::Maybe)
    }
}

impl Column {
    /// The value as the record has it.
    pub(crate) fn value(&self, record: &GameRecord) -> Value {
        (self.get)(record)
    }

    /// The value with agents by name.
    pub(crate) fn exported(&self, record: &GameRecord, settings: &MatchSettings) -> Value {
        if self.kind != ColumnType::Agent {
            return self.value(record);
        }
        json!(record.seating.iter().map(|&agent| settings.label(agent)).collect::<Vec<&str>>())
    }
}

/// The columns, in their order in tables.
pub const COLUMNS: &[Column] = {
    use ColumnType::{Agent, Count, Millis, Seed, Share, Text};
    use Shape::{Maybe, MaybeList, MaybePlies, MaybeSeats, One, Plies, Seats};
    &[
        Column {
            name: "game",
            about: "number of the game in its match, from 0",
            kind: Count,
            shape: One,
            get: |record| json!(record.number),
            set: |record, value| put(&mut record.number, value),
        },
        Column {
            name: "seed",
            about: "random seed of the game: 64 bits, unsigned",
            kind: Seed,
            shape: One,
            get: |record| json!(record.seed.to_string()),
            set: |record, value| {
                record.seed = value.as_str()?.parse().ok()?;
                Some(())
            },
        },
        Column {
            name: "seats",
            about: "agent",
            kind: Agent,
            shape: Seats,
            get: |record| json!(record.seating),
            set: |record, value| {
                put(&mut record.seating, value)?;
                record.costs = vec![Cost::default(); record.seating.len()];
                Some(())
            },
        },
        Column {
            name: "payoffs",
            about: "share of the win",
            kind: Share,
            shape: Seats,
            get: |record| shares(&record.payoff),
            set: |record, value| put(&mut record.payoff, value),
        },
        Column {
            name: "points",
            about: "raw points, where the game counts them",
            kind: Share,
            shape: MaybeSeats,
            get: |record| record.points.as_deref().map_or(Value::Null, shares),
            set: |record, value| put(&mut record.points, value),
        },
        Column {
            name: PLIES,
            about: "number of moves after the opening",
            kind: Count,
            shape: One,
            get: |record| json!(record.moves.len()),
            set: |_, _| Some(()),
        },
        Column {
            name: "decisions",
            about: "number of decisions",
            kind: Count,
            shape: Seats,
            get: |record| each(&record.costs, |cost| cost.moves),
            set: |record, value| put_each(&mut record.costs, value, |cost, moves| cost.moves = moves),
        },
        Column {
            name: "depths",
            about: "sum of the decisions' depths",
            kind: Count,
            shape: Seats,
            get: |record| each(&record.costs, |cost| cost.depth),
            set: |record, value| put_each(&mut record.costs, value, |cost, depth| cost.depth = depth),
        },
        Column {
            name: "standard_depths",
            about: "the same in plies of the game, which differs for Best-Reply Search",
            kind: Count,
            shape: Seats,
            get: |record| each(&record.costs, |cost| cost.standard),
            set: |record, value| put_each(&mut record.costs, value, |cost, depth| cost.standard = depth),
        },
        Column {
            name: "nodes",
            about: "sum of the decisions' nodes",
            kind: Count,
            shape: Seats,
            get: |record| each(&record.costs, |cost| cost.nodes),
            set: |record, value| put_each(&mut record.costs, value, |cost, nodes| cost.nodes = nodes),
        },
        Column {
            name: "playouts",
            about: "sum of the decisions' playouts, where any agent makes some",
            kind: Count,
            shape: MaybeSeats,
            get: |record| {
                let are_any = record.costs.iter().any(|cost| cost.playouts > 0);
                if are_any { each(&record.costs, |cost| cost.playouts) } else { Value::Null }
            },
            set: |record, value| {
                if value.is_null() {
                    return Some(());
                }
                put_each(&mut record.costs, value, |cost, playouts| cost.playouts = playouts)
            },
        },
        Column {
            name: "time_ms",
            about: "sum of the decisions' times in milliseconds",
            kind: Millis,
            shape: Seats,
            get: |record| each(&record.costs, |cost| millis(cost.time)),
            set: |record, value| put_each(&mut record.costs, value, |cost, time| cost.time = duration(time)),
        },
        Column {
            name: "overrun_ms",
            about: "longest time by which a decision exceeded its budget, in milliseconds",
            kind: Millis,
            shape: Seats,
            get: |record| each(&record.costs, |cost| millis(cost.over)),
            set: |record, value| put_each(&mut record.costs, value, |cost, time| cost.over = duration(time)),
        },
        Column {
            name: "position",
            about: "position that the game started from, if not its own start",
            kind: Text,
            shape: Maybe,
            get: |record| json!(record.opening.position),
            set: |record, value| put(&mut record.opening.position, value),
        },
        Column {
            name: "opening",
            about: "move of the opening, which no agent chose",
            kind: Text,
            shape: MaybeList,
            get: |record| if record.opening.moves.is_empty() { Value::Null } else { json!(record.opening.moves) },
            set: |record, value| {
                if value.is_null() {
                    return Some(());
                }
                put(&mut record.opening.moves, value)
            },
        },
        Column {
            name: "moves",
            about: "move",
            kind: Text,
            shape: Plies,
            get: |record| json!(record.moves),
            set: |record, value| put(&mut record.moves, value),
        },
        Column {
            name: "ply_seats",
            about: "seat that moved, from 1",
            kind: Count,
            shape: Plies,
            get: |record| each(&record.decisions, |decision| decision.seat + 1),
            set: |record, value| {
                let seats = read::<Vec<usize>>(value)?.into_iter().map(|seat| seat.checked_sub(1));
                let decision = |seat| DecisionRecord { seat, ..DecisionRecord::default() };
                record.decisions = seats.map(|seat| seat.map(decision)).collect::<Option<Vec<DecisionRecord>>>()?;
                Some(())
            },
        },
        Column {
            name: "ply_depths",
            about: "depth of the decision",
            kind: Count,
            shape: Plies,
            get: |record| each(&record.decisions, |decision| decision.depth),
            set: |record, value| put_each(&mut record.decisions, value, |decision, depth| decision.depth = depth),
        },
        Column {
            name: "ply_nodes",
            about: "nodes of the decision",
            kind: Count,
            shape: Plies,
            get: |record| each(&record.decisions, |decision| decision.nodes),
            set: |record, value| put_each(&mut record.decisions, value, |decision, nodes| decision.nodes = nodes),
        },
        Column {
            name: "ply_playouts",
            about: "playouts of the decision, where any agent makes some",
            kind: Count,
            shape: MaybePlies,
            get: |record| {
                let are_any = record.decisions.iter().any(|decision| decision.playouts > 0);
                if are_any { each(&record.decisions, |decision| decision.playouts) } else { Value::Null }
            },
            set: |record, value| {
                if value.is_null() {
                    return Some(());
                }
                put_each(&mut record.decisions, value, |decision, playouts| decision.playouts = playouts)
            },
        },
        Column {
            name: "ply_time_ms",
            about: "time of the decision in milliseconds; none in packed files without a time limit",
            kind: Millis,
            shape: MaybePlies,
            get: |record| {
                let is_kept = record.has_times() || record.decisions.is_empty();
                if is_kept { each(&record.decisions, |decision| millis(decision.time)) } else { Value::Null }
            },
            set: |record, value| {
                if value.is_null() {
                    return Some(());
                }
                put_each(&mut record.decisions, value, |decision, time| decision.time = duration(time))
            },
        },
        Column {
            name: "ending",
            about: "why the game ended: `normal`, `forfeit`, `time` (a forfeit on time) or `adjudicated`",
            kind: Text,
            shape: One,
            get: |record| json!(record.ending.name()),
            set: |record, value| {
                record.ending = Ending::kinds().into_iter().find(|ending| value == ending.name())?;
                Some(())
            },
        },
        Column {
            name: "ending_seat",
            about: "seat at fault, from 1",
            kind: Count,
            shape: Maybe,
            get: |record| json!(record.ending.forfeit().map(|forfeit| forfeit.seat + 1)),
            set: |record, value| match &mut record.ending {
                Ending::Forfeit(forfeit) | Ending::OutOfTime(forfeit) => {
                    forfeit.seat = read::<usize>(value)?.checked_sub(1)?;
                    Some(())
                }
                Ending::Normal | Ending::Adjudicated(_) => value.is_null().then_some(()),
            },
        },
        Column {
            name: "ending_reason",
            about: "what the agent at fault did, or why the game was adjudicated",
            kind: Text,
            shape: Maybe,
            get: |record| json!(record.ending.reason()),
            set: |record, value| match &mut record.ending {
                Ending::Forfeit(forfeit) | Ending::OutOfTime(forfeit) => put(&mut forfeit.reason, value),
                Ending::Adjudicated(reason) => put(reason, value),
                Ending::Normal => value.is_null().then_some(()),
            },
        },
    ]
};

fn read<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

fn put<T: DeserializeOwned>(field: &mut T, value: Value) -> Option<()> {
    *field = read(value)?;
    Some(())
}

fn each<R, T: serde::Serialize>(rows: &[R], field: impl Fn(&R) -> T) -> Value {
    json!(rows.iter().map(field).collect::<Vec<T>>())
}

fn put_each<R, T: DeserializeOwned>(rows: &mut [R], value: Value, put: impl Fn(&mut R, T)) -> Option<()> {
    let values: Vec<T> = read(value)?;
    let fits = values.len() == rows.len();
    rows.iter_mut().zip(values).for_each(|(row, value)| put(row, value));
    fits.then_some(())
}

/// Numbers of 32 bits as short as they read, without the digits that 64 bits would show.
fn shares(numbers: &[f32]) -> Value {
    each(numbers, |number| number.to_string().parse::<f64>().unwrap_or(f64::NAN))
}

fn millis(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}

fn duration(millis: f64) -> Duration {
    Duration::from_nanos((millis * 1e6).round() as u64)
}

/// One game as JSON: an object with the match's name and every column.
pub fn game_json(name: &str, settings: &MatchSettings, record: &GameRecord) -> Value {
    let columns = COLUMNS.iter().map(|column| (column.name.into(), column.exported(record, settings)));
    Value::Object(std::iter::once(("match".into(), json!(name))).chain(columns).collect())
}

/// The first line of games as CSV.
pub fn csv_header() -> String {
    let names: Vec<&str> = std::iter::once("match").chain(COLUMNS.iter().map(|column| column.name)).collect();
    format!("{}\n", names.join(","))
}

/// Games as CSV, one line each; the items of a list are separated by spaces.
pub fn games_csv(name: &str, settings: &MatchSettings, games: &[GameRecord]) -> String {
    let mut text = String::new();
    for record in games {
        text.push_str(&csv_field(name));
        for column in COLUMNS {
            text.push(',');
            text.push_str(&csv_field(&plain(&column.exported(record, settings))));
        }
        text.push('\n');
    }
    text
}

/// A value as plain text: lists with spaces between their items, nothing for none.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<String>>().join(" "),
        // Without the ".0" of JSON.
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        value => value.to_string(),
    }
}

/// A field of a CSV line, quoted where it needs to be.
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record with a value of its own in every field.
    pub(crate) fn sample(number: u64) -> GameRecord {
        let plies = 1 + number as usize % 7;
        let time = |nanos: u64| Duration::from_nanos(nanos * 1_234_567);
        let decision = |ply: usize| DecisionRecord {
            seat: ply % 3,
            depth: ply as u32,
            nodes: number * 1000 + ply as u64,
            playouts: number * ply as u64,
            time: time(ply as u64),
        };
        let cost = |seat: u64| Cost {
            moves: 2 + seat,
            depth: 7 + seat,
            standard: 9 + seat,
            nodes: (1 << 62) + seat,
            playouts: number * seat,
            time: time(number + seat),
            over: time(seat),
        };
        let forfeit = Forfeit { seat: 1, reason: "it wrote \"no, ö\"".into() };
        GameRecord {
            number,
            seating: vec![0, 1, number as usize % 2],
            seed: u64::MAX - number,
            payoff: vec![1.0 / 3.0, 0.0, 2.0 / 3.0],
            points: (!number.is_multiple_of(3)).then(|| vec![0.1, -2.0, 7e9]),
            opening: Opening {
                position: (number % 4 > 1).then(|| format!("(1 {number}, \"x\")")),
                moves: (0..number % 3).map(|ply| format!("o{ply}")).collect(),
            },
            moves: (0..plies).map(|ply| format!("m{ply}-x")).collect(),
            decisions: (0..plies).map(decision).collect(),
            costs: (0..3).map(cost).collect(),
            ending: match number % 10 {
                0 | 5 => Ending::Forfeit(forfeit),
                9 => Ending::OutOfTime(Forfeit { seat: 2, reason: "its time ran out".into() }),
                7 => Ending::Adjudicated("9 plies were played".into()),
                _ => Ending::Normal,
            },
        }
    }

    #[test]
    fn a_record_reads_back_from_the_values_of_its_columns() {
        for number in 0..30 {
            let record = sample(number);
            let values = COLUMNS.iter().map(|column| column.value(&record));
            assert_eq!(GameRecord::from_values(values).unwrap(), record);
        }
    }

    #[test]
    fn names_of_columns_are_unique_and_values_have_their_shape() {
        for (index, column) in COLUMNS.iter().enumerate() {
            assert!(COLUMNS[..index].iter().all(|other| other.name != column.name), "{}", column.name);
            for number in 0..6 {
                let (record, value) = (sample(number), column.value(&sample(number)));
                let length = match column.shape {
                    Shape::Seats | Shape::MaybeSeats => record.seating.len(),
                    Shape::Plies | Shape::MaybePlies => record.moves.len(),
                    Shape::MaybeList => record.opening.moves.len(),
                    Shape::One | Shape::Maybe => 0,
                };
                match &value {
                    Value::Null => assert!(column.shape.is_optional(), "{}", column.name),
                    Value::Array(items) => assert_eq!((column.shape.is_list(), items.len()), (true, length)),
                    _ => assert!(!column.shape.is_list(), "{}: {value}", column.name),
                }
            }
        }
    }

    #[test]
    fn the_documentation_lists_every_column() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tournaments.md");
        let (docs, mut at) = (std::fs::read_to_string(path).unwrap(), 0);
        for column in COLUMNS {
            let values = match column.shape {
                Shape::One => "one",
                Shape::Maybe => "one or none",
                Shape::Seats => "per seat",
                Shape::MaybeSeats => "per seat or none",
                Shape::Plies => "per ply",
                Shape::MaybePlies => "per ply or none",
                Shape::MaybeList => "any number or none",
            };
            let row = format!("| `{}` | {values} | {} |\n", column.name, column.about);
            at += docs[at..].find(&row).unwrap_or_else(|| panic!("docs/tournaments.md lacks, in order: {row}"));
        }
    }

    #[test]
    fn games_are_written_with_every_column_and_agents_by_name() {
        let settings = MatchSettings { agents: vec!["brs".into(), "a,b".into()], ..MatchSettings::default() };
        let (header, line) = (csv_header(), games_csv("one, two", &settings, &[sample(5)]));
        assert!(header.starts_with("match,game,seed,seats,payoffs,points,plies,"), "{header}");
        assert!(
            line.starts_with("\"one, two\",5,18446744073709551610,\"brs a,b a,b\",0.33333334 0 0.6666667,"),
            "{line}"
        );
        assert!(line.ends_with(",forfeit,2,\"it wrote \"\"no, ö\"\"\"\n"), "{line}");
        let json = game_json("x", &settings, &sample(4));
        assert_eq!((&json["match"], &json["seats"]), (&json!("x"), &json!(["brs", "a,b", "brs"])));
        assert_eq!((&json["payoffs"][0], &json["ending_seat"]), (&json!(0.33333334), &Value::Null));
        assert_eq!(json.as_object().unwrap().len(), COLUMNS.len() + 1);
    }

    #[test]
    fn a_forfeit_costs_the_agent_and_the_others_share_the_win() {
        let payoff = |seat, seating: &[usize]| Forfeit { seat, reason: String::new() }.payoff(seating);
        assert_eq!(payoff(1, &[0, 1, 2, 2, 0]), [0.25, 0.0, 0.25, 0.25, 0.25]);
        assert_eq!(payoff(0, &[1, 0, 1]), [0.0, 1.0, 0.0]);
        assert_eq!(payoff(2, &[0, 0, 0]), [0.5, 0.5, 0.0]);
    }
}
