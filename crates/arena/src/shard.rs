//! Shards: the games of a match divided among processes that know nothing of each other.
//!
//! Which shard plays a game follows from the game's number, the number of shards and the match's [round
//! length](crate::Match::round_length), and from nothing else: not from the number of games, of threads or of machines. Of as many
//! consecutive games as there are shards each shard has one, so no shard has more than one game more than another, however many
//! games there are. Which one it is moves on by one from time to time, so that a shard plays every seating of a round equally
//! often also where the number of shards and the number of seatings have a common divisor.

use std::fmt;
use std::str::FromStr;

use nply::{Code, Error};
use serde_json::{Map, Value};

use crate::matches::Match;
use crate::record::{COLUMNS, GameRecord};

/// A part of every match of a tournament: `3/10` is the third of ten.
///
/// ```
/// use nply_arena::Shard;
/// let shard: Shard = "3/10".parse().unwrap();
/// assert_eq!((shard.index(), shard.count()), (3, 10));
/// assert!("0/10".parse::<Shard>().is_err() && "11/10".parse::<Shard>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// The most shards that a match can have.
    pub const MOST: u32 = 1_000_000;

    /// Shard `index` of `count`, from 1.
    pub fn new(index: u32, count: u32) -> Result<Shard, Error> {
        if (1..=Shard::MOST).contains(&count) && (1..=count).contains(&index) {
            return Ok(Shard { index, count });
        }
        Err(Error::new(
            Code::BadValue,
            format!("there is no shard {index}/{count}; the shards of ten are 1/10 to 10/10"),
        ))
    }

    /// Its number among the shards, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// The number of shards.
    pub fn count(self) -> u32 {
        self.count
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard, Error> {
        let wrong = || Error::new(Code::BadValue, format!("{text:?} is not a shard; write 3/10 for the third of ten"));
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        Shard::new(index.parse().map_err(|_| wrong())?, count.parse().map_err(|_| wrong())?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// How the games of a match are divided into shards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    count: u64,
    /// For so many cycles of `count` games each shard has the game in the same place.
    period: u64,
}

impl Division {
    /// The division of a match with rounds of this length into so many shards.
    pub(crate) fn new(count: u32, round_length: u64) -> Division {
        let count = u64::from(count);
        Division { count, period: round_length.max(1) / common_divisor(round_length.max(1), count) }
    }

    /// The shard that plays the game of this number.
    pub(crate) fn shard_of(self, number: u64) -> u32 {
        let (cycle, place) = (number / self.count, number % self.count);
        ((place + self.count - self.shift(cycle)) % self.count) as u32 + 1
    }

    fn shift(self, cycle: u64) -> u64 {
        cycle / self.period % self.count
    }

    /// The game of a shard in a cycle; a saturated number is that of no game.
    fn number(self, shard: u32, cycle: u64) -> u64 {
        let place = (u64::from(shard - 1) + self.shift(cycle)) % self.count;
        cycle.saturating_mul(self.count).saturating_add(place)
    }

    /// Number of a shard's games below this number.
    pub(crate) fn count_below(self, shard: u32, number: u64) -> u64 {
        let cycle = number / self.count;
        cycle + u64::from(self.number(shard, cycle) < number)
    }

    /// The first game of a shard from this number on.
    fn from(self, shard: u32, number: u64) -> u64 {
        let cycle = number / self.count;
        let own = self.number(shard, cycle);
        if own >= number { own } else { self.number(shard, cycle + 1) }
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The games of a match that a process plays.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    total: u64,
    which: Which,
}

#[derive(Clone, Debug)]
enum Which {
    All,
    Shard(Division, u32),
    /// In order, each once.
    These(Vec<u64>),
}

impl Numbers {
    /// Number of games.
    pub(crate) fn count(&self) -> u64 {
        self.count_below(self.total)
    }

    /// The number after the last game of the match.
    pub(crate) fn end(&self) -> u64 {
        self.total
    }

    /// The first of the games from this number on.
    pub(crate) fn from(&self, number: u64) -> Option<u64> {
        let first = match &self.which {
            Which::All => number,
            Which::Shard(division, shard) => division.from(*shard, number),
            Which::These(all) => *all.get(all.partition_point(|&one| one < number))?,
        };
        (first < self.total).then_some(first)
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        self.from(number) == Some(number)
    }

    /// How many of the games have numbers below this.
    pub(crate) fn count_below(&self, number: u64) -> u64 {
        let number = number.min(self.total);
        match &self.which {
            Which::All => number,
            Which::Shard(division, shard) => division.count_below(*shard, number),
            Which::These(all) => all.partition_point(|&one| one < number) as u64,
        }
    }
}

impl Match {
    /// How its games are divided into so many shards.
    fn division(&self, count: u32) -> Division {
        Division::new(count, self.round_length())
    }

    /// The games of a shard, or all.
    pub(crate) fn numbers(&self, shard: Option<Shard>) -> Numbers {
        let which = match shard {
            None => Which::All,
            Some(Shard { index, count }) => Which::Shard(self.division(count), index),
        };
        Numbers { total: self.total(), which }
    }

    /// These games; an error names one that the match does not have.
    pub(crate) fn these(&self, numbers: &[u64]) -> Result<Numbers, Error> {
        let (total, mut all) = (self.total(), numbers.to_vec());
        all.sort_unstable();
        all.dedup();
        match all.last().filter(|&&last| last >= total) {
            Some(last) => Err(Error::usage(format!("there is no game {last} in a match of {total} games, from 0"))),
            None => Ok(Numbers { total, which: Which::These(all) }),
        }
    }

    /// The numbers of a shard's games, in order.
    pub fn shard_games(&self, shard: Shard) -> impl Iterator<Item = u64> {
        let numbers = self.numbers(Some(shard));
        let mut next = 0;
        std::iter::from_fn(move || {
            let number = numbers.from(next)?;
            next = number + 1;
            Some(number)
        })
    }

    /// Number of a shard's games.
    pub fn shard_total(&self, shard: Shard) -> u64 {
        self.numbers(Some(shard)).count()
    }
}

impl GameRecord {
    /// The record as JSON, with every column: what another process needs to have it back.
    ///
    /// ```
    /// use nply_arena::GameRecord;
    /// let record = GameRecord { number: 7, ..GameRecord::default() };
    /// assert_eq!(GameRecord::from_json(record.to_json()).unwrap(), record);
    /// ```
    pub fn to_json(&self) -> Value {
        Value::Object(COLUMNS.iter().map(|column| (column.name.into(), column.value(self))).collect())
    }

    /// Reads [`to_json`](GameRecord::to_json) back.
    pub fn from_json(json: Value) -> Result<GameRecord, Error> {
        let wrong = |what: &str| Error::new(Code::BadValue, format!("not the record of a game: {what} does not fit"));
        let mut columns: Map<String, Value> = serde_json::from_value(json).map_err(|_| wrong("an object"))?;
        let values = COLUMNS.iter().map(|column| columns.remove(column.name).unwrap_or(Value::Null));
        GameRecord::from_values(values.collect::<Vec<Value>>()).map_err(wrong)
    }
}

/// Shards as Slurm writes the tasks of an array: `1-3,7`.
///
/// ```
/// use nply_arena::array_text;
/// assert_eq!(array_text(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
/// assert_eq!(array_text(&[]), "");
/// ```
pub fn array_text(shards: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &shard in shards {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == shard => *last = shard,
            _ => runs.push((shard, shard)),
        }
    }
    let text = |&(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    runs.iter().map(text).collect::<Vec<String>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::sample;

    #[test]
    fn every_game_is_in_one_shard_and_every_shard_plays_every_seating_equally_often() {
        for count in [1, 2, 3, 4, 6, 7, 10, 12, 100] {
            for length in [1, 2, 3, 6, 14, 24, 36, 62] {
                let division = Division::new(count, length);
                // After this many games every shard has had every seating as often as every other.
                let whole = u64::from(count) * length;
                let mut played = vec![vec![0; length as usize]; count as usize];
                let mut of_shard = vec![0; count as usize];
                for number in 0..whole {
                    let shard = division.shard_of(number);
                    assert_eq!(division.from(shard, number), number);
                    assert_eq!(division.count_below(shard, number), of_shard[shard as usize - 1]);
                    of_shard[shard as usize - 1] += 1;
                    played[shard as usize - 1][(number % length) as usize] += 1;
                    let (least, most) = (of_shard.iter().min().unwrap(), of_shard.iter().max().unwrap());
                    assert!(most - least <= 1, "{count} shards of rounds of {length} after game {number}");
                }
                assert!(played.iter().flatten().all(|&times| times == 1), "{count} shards of rounds of {length}");
            }
        }
    }

    #[test]
    fn numbers_are_found_and_counted_whatever_the_total() {
        let division = Division::new(7, 6);
        for total in [0, 1, 6, 7, 8, 100] {
            let of = |which| Numbers { total, which };
            let shards: Vec<Numbers> = (1..=7).map(|shard| of(Which::Shard(division, shard))).collect();
            let list: Vec<u64> = (0..total).filter(|number| division.shard_of(*number) == 3).collect();
            assert_eq!(shards.iter().map(Numbers::count).sum::<u64>(), total);
            assert_eq!(of(Which::All).count(), total);
            let listed = of(Which::These(list.clone()));
            for number in 0..total + 9 {
                assert_eq!(shards[2].from(number), listed.from(number));
                assert_eq!(shards[2].count_below(number), listed.count_below(number));
                assert_eq!(shards[2].contains(number), list.contains(&number));
            }
        }
        // The largest match that can be asked for.
        let endless = Numbers { total: u64::MAX, which: Which::Shard(Division::new(1000, u64::MAX), 1000) };
        assert!(endless.count() > u64::MAX / 1001 && endless.from(u64::MAX - 1).is_none());
    }

    #[test]
    fn no_text_makes_the_reader_of_shards_fail() {
        for text in ["", "/", "1", "1/", "/2", "0/3", "4/3", "-1/3", "1/3/3", "1.0/3", "1/1000001", "5000000000/5"] {
            let error = text.parse::<Shard>().unwrap_err();
            assert!(error.message.contains("shard"), "{text:?}: {error}");
        }
        nply::testing::mangle(&["1/1", "3/10", "100/100"], 200_000, |text| match text.parse::<Shard>() {
            Ok(shard) => assert!(shard.index() <= shard.count()),
            Err(error) => nply::testing::check_error(&error, text),
        });
    }

    #[test]
    fn a_record_reads_back_from_json_and_from_nothing_else() {
        for number in 0..12 {
            let json: Value = serde_json::from_str(&sample(number).to_json().to_string()).unwrap();
            assert_eq!(GameRecord::from_json(json.clone()).unwrap(), sample(number));
            let mut less = json;
            less["payoffs"] = Value::Null;
            assert!(GameRecord::from_json(less).unwrap_err().message.contains("payoffs does not fit"));
        }
        assert!(GameRecord::from_json(Value::Null).is_err());
    }
}
