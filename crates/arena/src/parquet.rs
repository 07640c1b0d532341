//! Games as a Parquet file, a row each, for data frames: [`Parquet`].
//!
//! Written by hand, since what is needed is a small and settled part of the format: flat columns and lists, plain values, one
//! page for each column of a row group, compressed by gzip. A library that can do all of it would bring two dozen others along.
//!
//! Reference: Apache Parquet, *File Format*, version 1 data pages; its metadata are structs in Thrift's compact protocol.

use serde_json::{Value, json};

use crate::store::Settings;
use crate::tournament::{Cost, Played, Step};

/// Games in a row group, so that a page stays far below the two gigabytes that it can have.
const GROUP: usize = 50_000;

/// A file of games that is being written: add experiments, then finish.
///
/// The columns are those of the comma-separated values, then what else is known of every seat and ply. What the experiments'
/// games depend on is in the file's metadata, under `nply`, as JSON.
#[derive(Default)]
pub struct Parquet {
    bytes: Vec<u8>,
    groups: Vec<Group>,
    experiments: Vec<Value>,
}

/// Where the columns of a row group are.
struct Group {
    rows: usize,
    chunks: Vec<Chunk>,
}

struct Chunk {
    /// Offset of its page.
    at: usize,
    /// Entries in it, also those that stand for nothing.
    entries: usize,
    /// Bytes of the page with its header, before compression and after.
    plain: usize,
    packed: usize,
}

impl Parquet {
    /// Adds the games of an experiment.
    pub fn add(&mut self, name: &str, settings: &Settings, games: &[Played]) {
        let Settings { game, players, agents, budget, seed, version } = settings;
        self.experiments.push(json!({
            "experiment": name, "game": game, "players": players, "agents": agents, "budget": budget,
            "seed": seed.to_string(), "version": version,
        }));
        for games in games.chunks(GROUP) {
            self.group(games.len(), &columns(name, settings, games));
        }
    }

    fn group(&mut self, rows: usize, columns: &[Column]) {
        if self.bytes.is_empty() {
            self.bytes.extend(MAGIC);
        }
        let chunks = columns.iter().map(|column| self.chunk(column)).collect();
        self.groups.push(Group { rows, chunks });
    }

    fn chunk(&mut self, column: &Column) -> Chunk {
        let page = column.page();
        let packed = gzip(&page);
        let mut header = Thrift::default();
        header.number(1, 0); // a data page
        header.number(2, page.len() as i64);
        header.number(3, packed.len() as i64);
        header.record(5, |header| {
            header.number(1, column.entries as i64);
            header.number(2, PLAIN);
            header.number(3, RLE);
            header.number(4, RLE);
        });
        let header = header.finish();
        let at = self.bytes.len();
        self.bytes.extend(&header);
        self.bytes.extend(&packed);
        let (plain, packed) = (header.len() + page.len(), header.len() + packed.len());
        Chunk { at, entries: column.entries, plain, packed }
    }

    /// The bytes of the whole file.
    pub fn finish(mut self) -> Vec<u8> {
        // The columns without a game, for their names and types.
        let columns = columns("", &Settings::default(), &[]);
        if self.bytes.is_empty() {
            self.bytes.extend(MAGIC);
        }
        let mut footer = Thrift::default();
        footer.number(1, 1); // the version of the format
        let mut schema = vec![element(|root| {
            root.text(4, "games");
            root.number(5, columns.len() as i64);
        })];
        columns.iter().for_each(|column| column.declare(&mut schema));
        footer.list(2, STRUCT, schema);
        footer.long(3, self.groups.iter().map(|group| group.rows).sum());
        footer.list(4, STRUCT, self.groups.iter().map(|group| group.declare(&columns)));
        let about = element(|pair| {
            pair.text(1, "nply");
            pair.text(2, &Value::from(self.experiments).to_string());
        });
        footer.list(5, STRUCT, [about]);
        footer.text(6, concat!("nply version ", env!("CARGO_PKG_VERSION")));
        let footer = footer.finish();
        self.bytes.extend(&footer);
        self.bytes.extend((footer.len() as u32).to_le_bytes());
        self.bytes.extend(MAGIC);
        self.bytes
    }
}

impl Group {
    /// The struct that says where its columns are.
    fn declare(&self, columns: &[Column]) -> Vec<u8> {
        let chunk = |(chunk, column): (&Chunk, &Column)| {
            element(|out| {
                out.long(2, chunk.at);
                out.record(3, |out| {
                    out.number(1, column.kind.physical());
                    out.list(2, I32, [PLAIN, RLE].map(zigzag));
                    out.list(3, BINARY, column.path().into_iter().map(binary));
                    out.number(4, GZIP);
                    out.long(5, chunk.entries);
                    out.long(6, chunk.plain);
                    out.long(7, chunk.packed);
                    out.long(9, chunk.at);
                });
            })
        };
        element(|out| {
            out.list(1, STRUCT, self.chunks.iter().zip(columns).map(chunk));
            out.long(2, self.chunks.iter().map(|chunk| chunk.plain).sum());
            out.long(3, self.rows);
        })
    }
}

/// A column as it is declared: its name, and what it has of a game, a list or a single value.
type Declared<'a> = (&'static str, Kind, Shape, &'a dyn Fn(&Played) -> Option<Vec<Cell>>);

/// The columns of these games.
fn columns(experiment: &str, settings: &Settings, games: &[Played]) -> Vec<Column> {
    let by_seat = |value: fn(&Cost) -> i64| {
        move |played: &Played| Some(played.costs.iter().map(|cost| Cell::Long(value(cost))).collect())
    };
    let by_ply = |value: fn(&Step) -> i64| {
        move |played: &Played| Some(played.steps.iter().map(|step| Cell::Long(value(step))).collect())
    };
    let floats = |numbers: &[f32]| numbers.iter().map(|&number| Cell::Float(number)).collect::<Vec<Cell>>();
    let texts = |texts: &[String]| texts.iter().map(|text| Cell::Text(text.clone())).collect();
    let millis = |time: std::time::Duration| Cell::Double(time.as_nanos() as f64 / 1e6);
    let one = |cell: Cell| Some(vec![cell]);
    let seats = |played: &Played| {
        let name = |&kind: &usize| Cell::Text(settings.agents.get(kind).cloned().unwrap_or_default());
        Some(played.seating.iter().map(name).collect())
    };
    let times = |played: &Played| Some(played.costs.iter().map(|cost| millis(cost.time)).collect());
    let overruns = |played: &Played| Some(played.costs.iter().map(|cost| millis(cost.over)).collect());
    let ply_times = |played: &Played| Some(played.steps.iter().map(|step| millis(step.time)).collect());
    let all: [Declared<'_>; 19] = [
        ("experiment", Kind::Text, Shape::One, &|_| one(Cell::Text(experiment.into()))),
        ("game", Kind::Long, Shape::One, &|played| one(Cell::Long(played.number as i64))),
        ("seed", Kind::Unsigned, Shape::One, &|played| one(Cell::Long(played.seed as i64))),
        ("seats", Kind::Text, Shape::List, &seats),
        ("payoffs", Kind::Float, Shape::List, &|played| Some(floats(&played.payoff))),
        ("points", Kind::Float, Shape::MaybeList, &|played| played.points.as_deref().map(floats)),
        ("plies", Kind::Long, Shape::One, &|played| one(Cell::Long(played.moves.len() as i64))),
        ("decisions", Kind::Long, Shape::List, &by_seat(|cost| cost.moves as i64)),
        ("depths", Kind::Long, Shape::List, &by_seat(|cost| cost.depth as i64)),
        ("nodes", Kind::Unsigned, Shape::List, &by_seat(|cost| cost.nodes as i64)),
        ("time_ms", Kind::Double, Shape::List, &times),
        ("moves", Kind::Text, Shape::List, &|played| Some(texts(&played.moves))),
        ("forfeit", Kind::Text, Shape::Maybe, &|played| {
            played.forfeit.as_ref().and_then(|forfeit| one(Cell::Text(forfeit.to_string())))
        }),
        ("standard_depths", Kind::Long, Shape::List, &by_seat(|cost| cost.standard as i64)),
        ("overrun_ms", Kind::Double, Shape::List, &overruns),
        ("ply_seats", Kind::Long, Shape::List, &by_ply(|step| step.seat as i64 + 1)),
        ("ply_depths", Kind::Long, Shape::List, &by_ply(|step| step.depth.into())),
        ("ply_nodes", Kind::Unsigned, Shape::List, &by_ply(|step| step.nodes as i64)),
        ("ply_time_ms", Kind::Double, Shape::List, &ply_times),
    ];
    let fill = |(name, kind, shape, cells): Declared<'_>| {
        let mut column = Column::new(name, kind, shape);
        games.iter().for_each(|played| column.push(cells(played).as_deref()));
        column
    };
    all.into_iter().map(fill).collect()
}

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Long,
    /// Long, but never negative.
    Unsigned,
    Float,
    Double,
    Text,
}

impl Kind {
    /// The format's number for how values are written.
    fn physical(self) -> i64 {
        match self {
            Kind::Long | Kind::Unsigned => 2,
            Kind::Float => 4,
            Kind::Double => 5,
            Kind::Text => 6,
        }
    }
}

/// How many values a row has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    One,
    Maybe,
    List,
    MaybeList,
}

impl Shape {
    fn is_list(self) -> bool {
        matches!(self, Shape::List | Shape::MaybeList)
    }

    /// How much of an entry there is if it is a value: the definition level.
    fn depth(self) -> u8 {
        match self {
            Shape::One => 0,
            Shape::Maybe | Shape::List => 1,
            Shape::MaybeList => 2,
        }
    }
}

enum Cell {
    Long(i64),
    Float(f32),
    Double(f64),
    Text(String),
}

/// The values of one column of a row group, as the format wants them.
struct Column {
    name: &'static str,
    kind: Kind,
    shape: Shape,
    entries: usize,
    /// For each entry, whether it goes on with the list of the one before.
    repetition: Vec<u8>,
    /// For each entry, how much of it there is.
    definition: Vec<u8>,
    values: Vec<u8>,
}

impl Column {
    fn new(name: &'static str, kind: Kind, shape: Shape) -> Column {
        Column { name, kind, shape, entries: 0, repetition: Vec::new(), definition: Vec::new(), values: Vec::new() }
    }

    /// Adds a row: a list, a single value, or nothing.
    fn push(&mut self, cells: Option<&[Cell]>) {
        let depth = self.shape.depth();
        let count = cells.map_or(0, <[Cell]>::len);
        // A list without items has an entry that says so, and no list one that says still less.
        let entries = count.max(1);
        self.entries += entries;
        self.repetition.extend((0..entries).map(|index| u8::from(index > 0)));
        let there = if count > 0 { depth } else { u8::from(cells.is_some() && depth == 2) };
        self.definition.extend(std::iter::repeat_n(there, entries));
        for cell in cells.into_iter().flatten() {
            match cell {
                Cell::Long(number) => self.values.extend(number.to_le_bytes()),
                Cell::Float(number) => self.values.extend(number.to_le_bytes()),
                Cell::Double(number) => self.values.extend(number.to_le_bytes()),
                Cell::Text(text) => {
                    self.values.extend((text.len() as u32).to_le_bytes());
                    self.values.extend(text.bytes());
                }
            }
        }
    }

    /// Levels and values.
    fn page(&self) -> Vec<u8> {
        let mut page = Vec::new();
        if self.shape.is_list() {
            page.extend(runs(&self.repetition));
        }
        if self.shape.depth() > 0 {
            page.extend(runs(&self.definition));
        }
        page.extend(&self.values);
        page
    }

    /// The names that lead to the values.
    fn path(&self) -> Vec<&'static str> {
        if self.shape.is_list() { vec![self.name, "list", "element"] } else { vec![self.name] }
    }

    /// Adds what the schema says of it: a list is a group of a repeated group of the values.
    fn declare(&self, schema: &mut Vec<Vec<u8>>) {
        let converted = match self.kind {
            Kind::Unsigned => Some(UINT_64),
            Kind::Text => Some(UTF8),
            Kind::Long | Kind::Float | Kind::Double => None,
        };
        let leaf = |name: &str, repetition: i64| {
            element(|out| {
                out.number(1, self.kind.physical());
                out.number(3, repetition);
                out.text(4, name);
                if let Some(converted) = converted {
                    out.number(6, converted);
                }
            })
        };
        let outer = if matches!(self.shape, Shape::Maybe | Shape::MaybeList) { OPTIONAL } else { REQUIRED };
        if !self.shape.is_list() {
            schema.push(leaf(self.name, outer));
            return;
        }
        schema.push(element(|out| {
            out.number(3, outer);
            out.text(4, self.name);
            out.number(5, 1);
            out.number(6, LIST);
        }));
        schema.push(element(|out| {
            out.number(3, REPEATED);
            out.text(4, "list");
            out.number(5, 1);
        }));
        schema.push(leaf("element", REQUIRED));
    }
}

const MAGIC: &[u8] = b"PAR1";
// The format's numbers for repetitions, for what values mean, for encodings and for compression.
const REQUIRED: i64 = 0;
const OPTIONAL: i64 = 1;
const REPEATED: i64 = 2;
const UTF8: i64 = 0;
const LIST: i64 = 3;
const UINT_64: i64 = 14;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const GZIP: i64 = 2;

/// Levels as runs of equals, after their length in bytes.
fn runs(levels: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 4];
    for run in levels.chunk_by(|one, other| one == other) {
        out.extend(varint((run.len() as u64) << 1));
        out.push(run[0]);
    }
    let length = (out.len() - 4) as u32;
    out[..4].copy_from_slice(&length.to_le_bytes());
    out
}

/// Seven bits at a time, the lowest first.
fn varint(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// A number with its sign in the lowest bit.
fn zigzag(number: i64) -> Vec<u8> {
    varint(((number << 1) ^ (number >> 63)) as u64)
}

fn binary(text: &str) -> Vec<u8> {
    [varint(text.len() as u64), text.into()].concat()
}

/// A struct in Thrift's compact protocol.
#[derive(Default)]
struct Thrift {
    out: Vec<u8>,
    last: u8,
}

// Types of that protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LISTED: u8 = 9;
const STRUCT: u8 = 12;

/// A struct on its own.
fn element(fill: impl FnOnce(&mut Thrift)) -> Vec<u8> {
    let mut out = Thrift::default();
    fill(&mut out);
    out.finish()
}

impl Thrift {
    /// Fields come in the order of their numbers, which are close together.
    fn field(&mut self, number: u8, kind: u8) {
        self.out.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    fn number(&mut self, number: u8, value: i64) {
        self.field(number, I32);
        self.out.extend(zigzag(value));
    }

    fn long(&mut self, number: u8, value: usize) {
        self.field(number, I64);
        self.out.extend(zigzag(value as i64));
    }

    fn text(&mut self, number: u8, text: &str) {
        self.field(number, BINARY);
        self.out.extend(binary(text));
    }

    fn record(&mut self, number: u8, fill: impl FnOnce(&mut Thrift)) {
        self.field(number, STRUCT);
        self.out.extend(element(fill));
    }

    fn list(&mut self, number: u8, kind: u8, items: impl IntoIterator<Item = Vec<u8>>) {
        let items: Vec<Vec<u8>> = items.into_iter().collect();
        self.field(number, LISTED);
        if items.len() < 15 {
            self.out.push((items.len() as u8) << 4 | kind);
        } else {
            self.out.push(0xf0 | kind);
            self.out.extend(varint(items.len() as u64));
        }
        self.out.extend(items.concat());
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.push(0);
        self.out
    }
}

/// Compressed as gzip does.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let packed = miniz_oxide::deflate::compress_to_vec(bytes, 6);
    let (sum, length) = (crc(bytes).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
    [&header[..], &packed, &sum, &length].concat()
}

/// The checksum of gzip, CRC-32.
fn crc(bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    });
    !bytes.iter().fold(u32::MAX, |sum, &byte| sum >> 8 ^ table[(sum as u8 ^ byte) as usize])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::tournament::Forfeit;

    /// Anything that Thrift's compact protocol can say here.
    #[derive(Clone, Debug, PartialEq)]
    enum Said {
        Number(i64),
        Bytes(Vec<u8>),
        List(Vec<Said>),
        Struct(BTreeMap<i64, Said>),
    }

    impl Said {
        fn field(&self, number: i64) -> &Said {
            let Said::Struct(fields) = self else { panic!("no struct: {self:?}") };
            fields.get(&number).unwrap_or_else(|| panic!("no field {number}: {self:?}"))
        }

        fn number(&self, field: i64) -> i64 {
            let Said::Number(number) = self.field(field) else { panic!("no number: {self:?}") };
            *number
        }

        fn text(&self, field: i64) -> String {
            let Said::Bytes(bytes) = self.field(field) else { panic!("no text: {self:?}") };
            String::from_utf8(bytes.clone()).unwrap()
        }

        fn list(&self, field: i64) -> &[Said] {
            let Said::List(items) = self.field(field) else { panic!("no list: {self:?}") };
            items
        }

        fn has(&self, field: i64) -> bool {
            matches!(self, Said::Struct(fields) if fields.contains_key(&field))
        }
    }

    struct Reader<'a>(&'a [u8]);

    impl Reader<'_> {
        fn take(&mut self, count: usize) -> Vec<u8> {
            let (taken, rest) = self.0.split_at(count);
            self.0 = rest;
            taken.into()
        }

        fn byte(&mut self) -> u8 {
            self.take(1)[0]
        }

        fn varint(&mut self) -> u64 {
            let (mut number, mut shift) = (0, 0);
            loop {
                let byte = self.byte();
                number |= u64::from(byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    return number;
                }
            }
        }

        fn signed(&mut self) -> i64 {
            let number = self.varint();
            if number.is_multiple_of(2) { (number / 2) as i64 } else { -((number / 2) as i64) - 1 }
        }

        fn read(&mut self, kind: u8) -> Said {
            match kind {
                5 | 6 => Said::Number(self.signed()),
                8 => {
                    let length = self.varint() as usize;
                    Said::Bytes(self.take(length))
                }
                9 => {
                    let head = self.byte();
                    let count = if head >> 4 == 15 { self.varint() } else { u64::from(head >> 4) };
                    Said::List((0..count).map(|_| self.read(head & 15)).collect())
                }
                12 => {
                    let (mut fields, mut last) = (BTreeMap::new(), 0);
                    loop {
                        let head = self.byte();
                        if head == 0 {
                            return Said::Struct(fields);
                        }
                        assert!(head >> 4 > 0, "a field far from the last one");
                        last += i64::from(head >> 4);
                        fields.insert(last, self.read(head & 15));
                    }
                }
                kind => panic!("type {kind}"),
            }
        }

        /// Levels of so many entries.
        fn levels(&mut self, entries: usize) -> Vec<u8> {
            let length = u32::from_le_bytes(self.take(4).try_into().unwrap()) as usize;
            let bytes = self.take(length);
            let (mut reader, mut levels) = (Reader(&bytes), Vec::new());
            while !reader.0.is_empty() {
                let head = reader.varint();
                assert_eq!(head % 2, 0, "only runs are written");
                levels.extend(vec![reader.byte(); head as usize / 2]);
            }
            assert_eq!(levels.len(), entries);
            levels
        }

        fn value(&mut self, kind: i64, converted: Option<i64>) -> Value {
            match (kind, converted) {
                (2, Some(14)) => json!(u64::from_le_bytes(self.take(8).try_into().unwrap())),
                (2, None) => json!(i64::from_le_bytes(self.take(8).try_into().unwrap())),
                (4, None) => json!(f32::from_le_bytes(self.take(4).try_into().unwrap())),
                (5, None) => json!(f64::from_le_bytes(self.take(8).try_into().unwrap())),
                (6, Some(0)) => {
                    let length = u32::from_le_bytes(self.take(4).try_into().unwrap()) as usize;
                    json!(String::from_utf8(self.take(length)).unwrap())
                }
                other => panic!("values of {other:?}"),
            }
        }
    }

    /// The rows of a column chunk, one JSON value each.
    fn chunk(bytes: &[u8], meta: &Said, outer: &Said, leaf: &Said) -> Vec<Value> {
        let (is_list, is_optional) = (outer.has(5), outer.number(3) == 1);
        let converted = leaf.has(6).then(|| leaf.number(6));
        assert_eq!((meta.number(1), meta.number(4)), (leaf.number(1), 2));
        let at = meta.number(9) as usize;
        let mut reader = Reader(&bytes[at..]);
        let header = reader.read(12);
        let head = bytes.len() - at - reader.0.len();
        let packed = reader.take(header.number(3) as usize);
        assert_eq!(meta.number(7) as usize, head + packed.len());
        assert_eq!(meta.number(6), head as i64 + header.number(2));
        let page = miniz_oxide::inflate::decompress_to_vec(&packed[10..packed.len() - 8]).unwrap();
        assert_eq!(page.len() as i64, header.number(2));
        let entries = header.field(5).number(1) as usize;
        assert_eq!(meta.number(5) as usize, entries);
        let mut reader = Reader(&page);
        let repetition = if is_list { reader.levels(entries) } else { vec![0; entries] };
        let full = u8::from(is_list) + u8::from(is_optional);
        let definition = if full > 0 { reader.levels(entries) } else { vec![0; entries] };
        let mut rows: Vec<Value> = Vec::new();
        for (again, there) in repetition.into_iter().zip(definition) {
            let value = (there == full).then(|| reader.value(meta.number(1), converted));
            match (again, is_list) {
                (1, true) => rows.last_mut().unwrap().as_array_mut().unwrap().push(value.unwrap()),
                (_, true) if is_optional && there == 0 => rows.push(Value::Null),
                (_, true) => rows.push(value.into_iter().collect()),
                _ => rows.push(value.unwrap_or(Value::Null)),
            }
        }
        assert!(reader.0.is_empty());
        rows
    }

    /// The rows of a file as objects, and its metadata.
    fn read(bytes: &[u8]) -> (Vec<BTreeMap<String, Value>>, Value) {
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        let end = bytes.len() - 8;
        let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
        let footer = Reader(&bytes[end - length..end]).read(12);
        let schema = footer.list(2);
        // Each column with its leaf, which for a list is two further on.
        let (mut columns, mut at) = (Vec::new(), 1);
        while at < schema.len() {
            let step = if schema[at].has(5) { 2 } else { 0 };
            columns.push((&schema[at], &schema[at + step]));
            at += step + 1;
        }
        assert_eq!(schema[0].number(5) as usize, columns.len());
        let mut rows = Vec::new();
        for group in footer.list(4) {
            let mut found = vec![BTreeMap::new(); group.number(3) as usize];
            for (chunked, &(outer, leaf)) in group.list(1).iter().zip(&columns) {
                let values = chunk(bytes, chunked.field(3), outer, leaf);
                assert_eq!(values.len(), found.len(), "{}", outer.text(4));
                found.iter_mut().zip(values).for_each(|(row, value)| drop(row.insert(outer.text(4), value)));
            }
            rows.extend(found);
        }
        assert_eq!(rows.len() as i64, footer.number(3));
        let about = &footer.list(5)[0];
        assert_eq!(about.text(1), "nply");
        (rows, serde_json::from_str(&about.text(2)).unwrap())
    }

    fn settings() -> Settings {
        let agents = vec!["brs".into(), "program:path=(ä \"b\"),args=(x y)".into()];
        Settings { game: "rolit".into(), players: 3, agents, seed: u64::MAX, ..Settings::default() }
    }

    fn game(number: u64) -> Played {
        let plies = (number % 7) as usize;
        let time = |nanos: u64| Duration::from_nanos(nanos * 1_234_567);
        let step = |ply: usize| Step { seat: ply % 3, depth: ply as u32, nodes: number * 1000, time: time(ply as u64) };
        let cost = Cost { moves: 2, depth: 7, standard: 9, nodes: u64::MAX / 2, time: time(number), over: time(1) };
        Played {
            number,
            seating: vec![0, 1, number as usize % 2],
            seed: u64::MAX - number,
            payoff: vec![1.0 / 3.0, 0.0, 2.0 / 3.0],
            points: (!number.is_multiple_of(3)).then(|| vec![0.1, -2.0, 7e9][..number as usize % 3 * 3 / 2].into()),
            moves: (0..plies).map(|ply| format!("m{ply}")).collect(),
            steps: (0..plies).map(step).collect(),
            costs: vec![cost, Cost::default(), cost],
            forfeit: number.is_multiple_of(5).then(|| Forfeit { seat: 1, why: "it wrote \"ö\"".into() }),
        }
    }

    #[test]
    fn every_game_reads_back_as_it_was() {
        let games: Vec<Played> = (0..100).map(game).collect();
        let mut file = Parquet::default();
        file.add("first", &settings(), &games);
        file.add("none", &settings(), &[]);
        file.add("second", &settings(), &games[..3]);
        let (rows, about) = read(&file.finish());
        assert_eq!((rows.len(), about.as_array().unwrap().len()), (103, 3));
        assert_eq!((&about[0]["seed"], &about[2]["experiment"]), (&json!(u64::MAX.to_string()), &json!("second")));
        let millis = |time: Duration| time.as_nanos() as f64 / 1e6;
        let experiments = std::iter::repeat_n("first", 100).chain(std::iter::repeat_n("second", 3));
        for ((row, played), experiment) in rows.iter().zip(games.iter().chain(&games[..3])).zip(experiments) {
            let names: Vec<String> = played.seating.iter().map(|&kind| settings().agents[kind].clone()).collect();
            let costs = |value: fn(&Cost) -> u64| json!(played.costs.iter().map(value).collect::<Vec<u64>>());
            let steps = |value: fn(&Step) -> u64| json!(played.steps.iter().map(value).collect::<Vec<u64>>());
            let expected = [
                ("experiment", json!(experiment)),
                ("game", json!(played.number)),
                ("seed", json!(played.seed)),
                ("seats", json!(names)),
                ("payoffs", json!(played.payoff)),
                ("points", json!(played.points)),
                ("plies", json!(played.moves.len())),
                ("decisions", costs(|cost| cost.moves)),
                ("depths", costs(|cost| cost.depth)),
                ("nodes", costs(|cost| cost.nodes)),
                ("time_ms", json!(played.costs.iter().map(|cost| millis(cost.time)).collect::<Vec<f64>>())),
                ("moves", json!(played.moves)),
                ("forfeit", json!(played.forfeit.as_ref().map(|_| "seat 2: it wrote \"ö\""))),
                ("standard_depths", costs(|cost| cost.standard)),
                ("overrun_ms", json!(played.costs.iter().map(|cost| millis(cost.over)).collect::<Vec<f64>>())),
                ("ply_seats", steps(|step| step.seat as u64 + 1)),
                ("ply_depths", steps(|step| step.depth.into())),
                ("ply_nodes", steps(|step| step.nodes)),
                ("ply_time_ms", json!(played.steps.iter().map(|step| millis(step.time)).collect::<Vec<f64>>())),
            ];
            let expected: BTreeMap<String, Value> =
                expected.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
            assert_eq!(row, &expected);
        }
    }

    #[test]
    fn a_file_without_games_has_all_columns() {
        let (rows, about) = read(&Parquet::default().finish());
        assert!(rows.is_empty() && about == json!([]));
    }

    #[test]
    fn the_checksum_is_that_of_gzip() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }
}
