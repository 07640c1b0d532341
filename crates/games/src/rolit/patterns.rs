//! The pattern evaluation: the results that rows, diagonals and corners of a board led to in recorded games.
//!
//! Ten kinds of pattern are looked up: the four lines of eight fields that differ by symmetry (the edge, and those one, two and
//! three fields inside it), the five diagonals of eight down to four fields, and the two times four fields at a corner. Each
//! field is empty, the player's own, or another's: 6 · 3^8 + 3^7 + 3^6 + 3^5 + 3^4 = 42,606 patterns, in each of
//! twelve stages of five plies: 511,272 values. A position's score is the average over all 42 places where a pattern lies on
//! the board. There are two [methods](Method) to find the values: a value is the average final difference, own discs less the
//! others', of the games in which the pattern was seen at that stage, as in the paper; or all values together are those with
//! which the scores come closest to the final differences.
//!
//! All other colors are treated as one, so that averages from games for two serve three and four players. Fitted values do not:
//! for three and four players they come from games of Rolit, where exchanged colors need not have opposite values.
//!
//! A board and its mirror images have the same score, and so has a row read from either end. If own and other discs are
//! exchanged, a value only changes its sign: each position is learned from both sides. Files keep only the values that do not
//! follow from another one.
//!
//! References: M. P. D. Schadd and M. H. M. Winands, *Best-Reply Search for Multi-Player Games*, 2011, section IV-C; M.
//! Buro, *The Evolution of Strong Othello Programs*, 2003. [`learn`](super::learn) finds the values.

use std::sync::{Arc, OnceLock};

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use nply::{Score, mix};
use thiserror::Error;

/// The number of stages of a game.
pub const STAGES: usize = 12;

/// The number of plies in each stage.
const STAGE_PLIES: u32 = 5;

/// The number of patterns of one stage.
pub const PATTERNS: usize = 42_606;

/// The number of places on the board where a pattern lies.
pub(super) const PLACES: usize = 42;

/// The kinds of pattern: the number of fields and of places, and whether it reads the same from either end.
const SHAPES: [Shape; 10] = [
    Shape { fields: 8, places: 4, row: true },
    Shape { fields: 8, places: 4, row: true },
    Shape { fields: 8, places: 4, row: true },
    Shape { fields: 8, places: 4, row: true },
    Shape { fields: 8, places: 2, row: true },
    Shape { fields: 7, places: 4, row: true },
    Shape { fields: 6, places: 4, row: true },
    Shape { fields: 5, places: 4, row: true },
    Shape { fields: 4, places: 4, row: true },
    Shape { fields: 8, places: 8, row: false },
];

struct Shape {
    fields: u32,
    places: usize,
    row: bool,
}

/// For each place, where the patterns of its shape begin.
const OFFSETS: Codes = offsets();

const fn offsets() -> Codes {
    let mut offsets = Codes([0; 48]);
    let (mut shape, mut place, mut offset) = (0, 0, 0);
    while shape < SHAPES.len() {
        let mut left = SHAPES[shape].places;
        while left > 0 {
            offsets.0[place] = offset;
            place += 1;
            left -= 1;
        }
        offset += 3u16.pow(SHAPES[shape].fields);
        shape += 1;
    }
    assert!(place == PLACES && offset as usize == PATTERNS);
    offsets
}

/// The column and the row of the field that is digit `k` of the pattern at a place; `None` if the pattern has fewer digits.
const fn field_of(place: usize, k: usize) -> Option<(usize, usize)> {
    if place < 16 {
        // Lines, from the edge inwards: a column, the one opposite, a row, the one opposite.
        let distance = place / 4;
        let line = if place % 2 == 1 { 7 - distance } else { distance };
        return Some(if place % 4 < 2 { (line, k) } else { (k, line) });
    }
    if place < 34 {
        // Diagonals, from the longest: column less row is 0, 1, -1, … -4. Each is followed by its mirror image.
        let number = (place - 16) / 2;
        let distance = number.div_ceil(2);
        let (column, row) = if number % 2 == 1 { (k + distance, k) } else { (k, k + distance) };
        return match (column < 8 && row < 8, place % 2) {
            (false, _) => None,
            (true, 0) => Some((column, row)),
            (true, _) => Some((7 - column, row)),
        };
    }
    // Two columns of four fields at each corner, then two rows.
    let corner = place - 34;
    let column = if corner & 2 == 0 { k / 4 } else { 7 - k / 4 };
    let row = if corner & 1 == 0 { k % 4 } else { 7 - k % 4 };
    Some(if corner & 4 == 0 { (column, row) } else { (row, column) })
}

/// A number for each place, rounded up to whole vectors of eight and aligned to them. Those beyond the last place are not used.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Codes([u16; 48]);

/// What each column adds to the code of a set of fields: 3^k at each place of which a field of the set is digit k.
static COLUMNS: [[Codes; 256]; 8] = columns();

const fn columns() -> [[Codes; 256]; 8] {
    let mut columns = [[Codes([0; 48]); 256]; 8];
    let mut place = 0;
    while place < PLACES {
        let mut k = 0;
        while k < 8 {
            if let Some((column, row)) = field_of(place, k) {
                let mut byte = 0;
                while byte < 256 {
                    if byte >> row & 1 == 1 {
                        columns[column][byte].0[place] += 3u16.pow(k as u32);
                    }
                    byte += 1;
                }
            }
            k += 1;
        }
        place += 1;
    }
    columns
}

/// The code of a set of fields at each place: 3^k for each field of the set.
#[inline]
fn codes(board: u64) -> Codes {
    let mut codes = Codes([0; 48]);
    for (columns, byte) in COLUMNS.iter().zip(board.to_le_bytes()) {
        for (code, term) in codes.0.iter_mut().zip(columns[byte as usize].0) {
            *code += term;
        }
    }
    codes
}

/// What a single field adds to the code of a set.
static FIELDS: [Codes; 64] = {
    let mut fields = [Codes([0; 48]); 64];
    let mut field = 0;
    while field < 64 {
        fields[field] = COLUMNS[field / 8][1 << (field % 8)];
        field += 1;
    }
    fields
};

/// The patterns of a player on a board of which a move is tried.
pub(super) struct Side {
    indices: Codes,
    own: u64,
}

impl Side {
    #[inline]
    pub(super) fn new(own: u64, others: &Codes) -> Side {
        let codes = codes(own);
        Side { indices: Codes(std::array::from_fn(|place| others.0[place].wrapping_sub(codes.0[place]))), own }
    }

    /// The patterns after a disc is put on a field and flips others, which are all the mover's then.
    #[inline]
    fn after(&self, field: usize, flips: u64, is_mover: bool) -> Codes {
        let mut indices = self.indices;
        let mut change = |field: usize, by: u16| {
            for (index, term) in indices.0.iter_mut().zip(FIELDS[field].0) {
                *index = index.wrapping_add(term.wrapping_mul(by));
            }
        };
        // A field is 1 if it is the player's and 2 if it is another's.
        let (placed, flipped, changed) =
            if is_mover { (1, 1u16.wrapping_neg(), flips) } else { (2, 1, flips & self.own) };
        change(field, placed);
        let mut rest = changed;
        while rest != 0 {
            change(rest.trailing_zeros() as usize, flipped);
            rest &= rest - 1;
        }
        indices
    }
}

/// The pattern at each place: fields are 1 if own, 2 if another's, 0 if empty. `others` is what [`others`] gives.
#[inline]
pub(super) fn indices(own: u64, others: &Codes) -> [u16; PLACES] {
    let codes = codes(own);
    std::array::from_fn(|place| others.0[place] - codes.0[place])
}

/// The pattern at each place if all these discs are others'.
#[inline]
pub(super) fn others(occupied: u64) -> Codes {
    let codes = codes(occupied);
    Codes(std::array::from_fn(|place| OFFSETS.0[place] + 2 * codes.0[place]))
}

/// The stage of a board with these discs.
#[inline]
pub(super) fn stage(occupied: u64) -> usize {
    stage_of(occupied.count_ones())
}

/// The stage of a board with so many discs.
#[inline]
fn stage_of(discs: u32) -> usize {
    (discs.saturating_sub(4) / STAGE_PLIES).min(STAGES as u32 - 1) as usize
}

/// A pattern and what follows from its value, as numbers within a stage.
pub(super) struct Family {
    /// The pattern itself.
    pub(super) pattern: usize,
    /// The same read from the other end: it has the same value.
    pub(super) reverse: usize,
    /// Own and other discs exchanged, read either way: of two players' discs, these have the opposite value.
    pub(super) opposites: Option<[usize; 2]>,
}

impl Family {
    /// Whether the value must be 0, because the pattern is its own opposite.
    pub(super) fn is_zero(&self) -> bool {
        self.opposites.is_some_and(|opposites| opposites.contains(&self.pattern))
    }
}

/// Every pattern of a stage that does not follow from an earlier one, learned from games for so many players.
pub(super) fn families(players: usize) -> impl Iterator<Item = Family> {
    let mut offset = 0;
    let ranges = SHAPES.iter().map(move |shape| {
        let begin = offset;
        offset += 3usize.pow(shape.fields);
        (shape, begin)
    });
    ranges.flat_map(move |(shape, begin)| {
        (0..3usize.pow(shape.fields)).filter_map(move |index| {
            let reverse = if shape.row { reversed(index, shape.fields) } else { index };
            let opposites = (players == 2).then(|| [exchanged(index), exchanged(reverse)]);
            let first = index <= reverse && opposites.iter().flatten().all(|&opposite| index <= opposite);
            first.then(|| Family {
                pattern: begin + index,
                reverse: begin + reverse,
                opposites: opposites.map(|opposites| opposites.map(|opposite| begin + opposite)),
            })
        })
    })
}

/// A number's digits in base three, in opposite order.
fn reversed(mut index: usize, digits: u32) -> usize {
    let mut result = 0;
    for _ in 0..digits {
        result = 3 * result + index % 3;
        index /= 3;
    }
    result
}

/// A number with its digits 1 and 2 in base three exchanged.
fn exchanged(mut index: usize) -> usize {
    let (mut result, mut power) = (0, 1);
    while index > 0 {
        result += (3 - index % 3) % 3 * power;
        index /= 3;
        power *= 3;
    }
    result
}

/// How the values follow from the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each value is the average result of the games in which the pattern was seen.
    Averages,
    /// All values of a stage are fitted together by regularized least squares.
    Regression,
}

impl Method {
    /// The step of a value, in thousandths of a disc. A fitted value is 42 times what it adds to a score, in steps of 25.
    pub(super) const fn unit(self) -> Score {
        match self {
            Method::Averages => 50,
            Method::Regression => 25 * PLACES as Score,
        }
    }

    /// The most that a value can be, in its steps: alone it makes a score of 64 discs.
    pub(super) const fn most(self) -> i16 {
        match self {
            Method::Averages => (MOST / self.unit()) as i16,
            Method::Regression => (MOST * PLACES as Score / self.unit()) as i16,
        }
    }
}

/// The source of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// How they follow from the games.
    pub method: Method,
    /// The number of players in the games.
    pub players: usize,
    /// A description of the games, in one line.
    pub source: String,
    /// The first and the last year in which they were played; 0 for games that were played to learn from them.
    pub years: (u16, u16),
    /// The number of games.
    pub games: u64,
    /// The number of positions in them.
    pub positions: u64,
}

/// The learned values: 511,272 of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns {
    values: Box<[Stage; STAGES]>,
    provenance: Provenance,
}

/// The values of a stage, in the method's steps. Only the first [`PATTERNS`] are used: an array with a value for every index of 16
/// bits is read without a check.
pub(super) type Stage = [i16; 1 << 16];

/// Values of 0.
pub(super) fn no_values() -> Box<[Stage; STAGES]> {
    vec![[0; 1 << 16]; STAGES].try_into().expect("as many as there are stages")
}

/// The most that a score can be, in thousandths of a disc.
const MOST: Score = 64_000;

/// The first line of a file of averages.
const MAGIC: &str = "nply patterns 1";

/// The first line of a file that names its method and the number of players in the next two.
const MAGIC_WITH_METHOD: &str = "nply patterns 2";

/// Why bytes are not a pattern file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternsError {
    /// Another kind of file.
    #[error("not a pattern file: it does not begin with {MAGIC:?}")]
    Magic,
    /// A line of the header is missing or wrong.
    #[error("damaged pattern file: the line {0:?} of its header is missing or wrong")]
    Header(&'static str),
    /// The values cannot be unpacked, or their number is wrong.
    #[error("damaged pattern file: the values cannot be unpacked")]
    Values,
    /// The contents have changed.
    #[error("damaged pattern file: the checksum is {found:016x}, not {expected:016x}")]
    Checksum {
        /// The checksum in the file.
        expected: u64,
        /// The checksum of the contents.
        found: u64,
    },
}

impl Patterns {
    /// The averages that come with this crate, unpacked at the first call.
    pub fn shipped() -> Arc<Patterns> {
        static AVERAGES: OnceLock<Arc<Patterns>> = OnceLock::new();
        unpacked(&AVERAGES, include_bytes!("../../data/rolit.patterns"))
    }

    /// The fitted values for so many players that come with this crate, unpacked at the first call.
    ///
    /// # Panics
    /// If a game cannot have so many players.
    pub fn fitted(players: usize) -> Arc<Patterns> {
        static REGRESSION: [OnceLock<Arc<Patterns>>; 3] = [const { OnceLock::new() }; 3];
        let [two, three, four] = &REGRESSION;
        match players {
            2 => unpacked(two, include_bytes!("../../data/rolit.regression")),
            3 => unpacked(three, include_bytes!("../../data/rolit.regression-3")),
            4 => unpacked(four, include_bytes!("../../data/rolit.regression-4")),
            _ => panic!("{players} players"),
        }
    }

    pub(super) fn new(values: Box<[Stage; STAGES]>, provenance: Provenance) -> Patterns {
        Patterns { values, provenance }
    }

    /// The source of the values.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// All values in thousandths of a disc, stage by stage.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Score> + '_ {
        let unit = self.provenance.method.unit();
        (0..STAGES * PATTERNS).map(move |number| Score::from(self.values[number / PATTERNS][number % PATTERNS]) * unit)
    }

    /// The expected final difference, own discs less all others, in thousandths of a disc. Boards are sets of fields as in
    /// [`Discs`](super::Discs).
    #[inline]
    pub fn score(&self, own: u64, occupied: u64) -> Score {
        self.scorer(occupied)(own)
    }

    /// [`score`](Patterns::score) on one board, for several players.
    #[inline(always)]
    pub(super) fn scorer(&self, occupied: u64) -> impl Fn(u64) -> Score + '_ {
        let values = &self.values[stage(occupied)];
        let others = others(occupied);
        move |own| self.total(values, &indices(own, &others))
    }

    /// [`score`](Patterns::score) after a disc is put on an empty field and flips others, for the mover or for another player.
    #[inline(always)]
    pub(super) fn scorer_after(&self, occupied: u64) -> impl Fn(&Side, usize, u64, bool) -> Score + '_ {
        let values = &self.values[stage_of(occupied.count_ones() + 1)];
        move |side, field, flips, is_mover| {
            let Codes(found) = side.after(field, flips, is_mover);
            self.total(values, found.first_chunk().expect("as many places"))
        }
    }

    #[inline(always)]
    fn total(&self, values: &Stage, found: &[u16; PLACES]) -> Score {
        let sum: Score = found.iter().map(|&index| Score::from(values[index as usize])).sum();
        (sum * self.provenance.method.unit() / PLACES as Score).clamp(-MOST, MOST)
    }

    /// Reads what [`to_bytes`](Patterns::to_bytes) writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Patterns, PatternsError> {
        let mut rest = bytes;
        let (method, players) = match line(&mut rest) {
            Some(MAGIC) => (Method::Averages, 2),
            Some(MAGIC_WITH_METHOD) => {
                let method = match field(&mut rest, "method")? {
                    "averages" => Method::Averages,
                    "regression" => Method::Regression,
                    _ => return Err(PatternsError::Header("method")),
                };
                // Values for two players do not say so.
                let players = if rest.starts_with(b"players") { number(&mut rest, "players")? } else { 2 };
                if !(2..=4).contains(&players) {
                    return Err(PatternsError::Header("players"));
                }
                (method, players as usize)
            }
            _ => return Err(PatternsError::Magic),
        };
        let source = field(&mut rest, "source")?.to_string();
        let years = field(&mut rest, "years")?;
        let years = years.split_once('-').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        let years = years.ok_or(PatternsError::Header("years"))?;
        let games = number(&mut rest, "games")?;
        let positions = number(&mut rest, "positions")?;
        let expected = field(&mut rest, "checksum")?;
        let expected = u64::from_str_radix(expected, 16).map_err(|_| PatternsError::Header("checksum"))?;
        let provenance = Provenance { method, players, source, years, games, positions };

        let families: Vec<Family> = families(players).collect();
        let count = families.len();
        let packed = decompress_to_vec_with_limit(rest, 2 * STAGES * count).map_err(|_| PatternsError::Values)?;
        if packed.len() != 2 * STAGES * count {
            return Err(PatternsError::Values);
        }
        let found = checksum(&header(&provenance), &packed);
        if found != expected {
            return Err(PatternsError::Checksum { expected, found });
        }
        // Low bytes first, then high bytes: they compress better that way.
        let (low, high) = packed.split_at(STAGES * count);
        let mut packed = low.iter().zip(high).map(|(&low, &high)| i16::from_le_bytes([low, high]));
        let mut values = no_values();
        for stage in values.iter_mut() {
            for (family, value) in families.iter().zip(&mut packed) {
                set(stage, family, value.clamp(-method.most(), method.most()));
            }
        }
        Ok(Patterns { values, provenance })
    }

    /// A file: a few lines of text with the source of the values, then the compressed values that do not follow from others.
    pub fn to_bytes(&self) -> Vec<u8> {
        let families: Vec<Family> = families(self.provenance.players).collect();
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for stage in self.values.iter() {
            for family in &families {
                let [a, b] = stage[family.pattern].to_le_bytes();
                low.push(a);
                high.push(b);
            }
        }
        low.extend(high);
        let header = header(&self.provenance);
        let checksum = checksum(&header, &low);
        let mut file = format!("{header}checksum: {checksum:016x}\n").into_bytes();
        file.extend(compress_to_vec(&low, 10));
        file
    }
}

/// The values of a file that comes with this crate.
fn unpacked(kept: &OnceLock<Arc<Patterns>>, file: &[u8]) -> Arc<Patterns> {
    kept.get_or_init(|| Arc::new(Patterns::from_bytes(file).expect("the file is tested"))).clone()
}

/// Sets a value and all that follow from it; a pattern that is its own opposite is worth 0.
pub(super) fn set(stage: &mut Stage, family: &Family, value: i16) {
    let value = if family.is_zero() { 0 } else { value };
    for opposite in family.opposites.into_iter().flatten() {
        stage[opposite] = -value;
    }
    stage[family.pattern] = value;
    stage[family.reverse] = value;
}

/// The first lines of a file.
fn header(provenance: &Provenance) -> String {
    let Provenance { method, players, source, years, games, positions } = provenance;
    let magic = match method {
        Method::Averages if *players == 2 => MAGIC.to_string(),
        Method::Averages => format!("{MAGIC_WITH_METHOD}\nmethod: averages"),
        Method::Regression => format!("{MAGIC_WITH_METHOD}\nmethod: regression"),
    };
    let players = if *players == 2 { String::new() } else { format!("\nplayers: {players}") };
    format!(
        "{magic}{players}\nsource: {source}\nyears: {}-{}\ngames: {games}\npositions: {positions}\n",
        years.0, years.1
    )
}

/// A checksum of the whole file.
fn checksum(header: &str, packed: &[u8]) -> u64 {
    let words = [header.as_bytes(), packed].into_iter().flat_map(|bytes| bytes.chunks(8));
    words.fold(0, |sum, word| {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        mix(sum ^ u64::from_le_bytes(padded))
    })
}

/// Takes a line of text.
fn line<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let end = rest.iter().position(|&byte| byte == b'\n')?;
    let line = std::str::from_utf8(&rest[..end]).ok()?;
    *rest = &rest[end + 1..];
    Some(line)
}

/// Takes a line `name: text`.
fn field<'a>(rest: &mut &'a [u8], name: &'static str) -> Result<&'a str, PatternsError> {
    let line = line(rest).ok_or(PatternsError::Header(name))?;
    line.strip_prefix(name).and_then(|line| line.strip_prefix(": ")).ok_or(PatternsError::Header(name))
}

/// Takes a line `name: number`.
fn number(rest: &mut &[u8], name: &'static str) -> Result<u64, PatternsError> {
    field(rest, name)?.parse().map_err(|_| PatternsError::Header(name))
}
