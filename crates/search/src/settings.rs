//! Settings of an agent, a game or a budget, declared once.
//!
//! A settings type is a plain struct with public fields and a `Default`. Its one method, [`Settings::visit`], shows every field to
//! a visitor: key, value, allowed values, and a description in one line. Everything else is derived from that: reading
//! `key=value` and writing it back, listings, error messages with the nearest name, tables in the documentation, JSON, and
//! schemas from which a form or a Python signature can be made.
//!
//! ```
//! use nply::settings::{Choice, Settings, Visitor, read, write};
//!
//! #[derive(Clone, Copy, Debug, PartialEq)]
//! enum Mood { Calm, Bold }
//!
//! impl Choice for Mood {
//!     const WORDS: &'static [(Mood, &'static str)] = &[(Mood::Calm, "calm"), (Mood::Bold, "bold")];
//! }
//!
//! #[derive(Clone, Debug, PartialEq)]
//! struct Dreamer { mood: Mood, worlds: usize }
//!
//! impl Default for Dreamer {
//!     fn default() -> Dreamer {
//!         Dreamer { mood: Mood::Calm, worlds: 20 }
//!     }
//! }
//!
//! impl Settings for Dreamer {
//!     fn visit(&mut self, v: &mut Visitor<'_>) {
//!         v.choice("mood", &mut self.mood, "how it feels");
//!         v.whole("worlds", &mut self.worlds, 1..=1000, "number of worlds");
//!     }
//! }
//!
//! let mut dreamer = Dreamer::default();
//! read(&mut dreamer, "worlds=1k,mood=bold").unwrap();
//! assert_eq!(dreamer, Dreamer { mood: Mood::Bold, worlds: 1000 });
//! assert_eq!(write(&dreamer), "mood=bold,worlds=1k");
//! assert_eq!(write(&Dreamer::default()), "");
//! let error = read(&mut dreamer, "mod=calm").unwrap_err();
//! assert_eq!(error.to_string(), "unknown setting \"mod\"\n  help: did you mean \"mood\"? There are mood, worlds");
//! let error = read(&mut dreamer, "mood=gay").unwrap_err();
//! assert_eq!(error.to_string(), "mood does not take \"gay\"\n  help: it takes calm|bold");
//! ```

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::spec::{Spec, split_words};
use crate::{Code, Error, quantity};

/// A set of named values with defaults.
pub trait Settings {
    /// Shows every setting to a visitor, in the order in which they are listed and written.
    fn visit(&mut self, v: &mut Visitor<'_>);
}

/// No settings.
impl Settings for () {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

/// One set after another; no key may be in both.
impl<A: Settings, B: Settings> Settings for (A, B) {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        self.0.visit(v);
        self.1.visit(v);
    }
}

impl<S: Settings + ?Sized> Settings for &mut S {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        (**self).visit(v);
    }
}

/// The values that a setting takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// One of these words.
    Words(Vec<&'static str>),
    /// `yes` or `no`.
    Flag,
    /// A whole number.
    Whole {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
        /// A word that stands for no number.
        or: Option<&'static str>,
    },
    /// A number.
    Number {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
    },
    /// Bytes of memory, such as `64M`.
    Size {
        /// A word that stands for none.
        or: Option<&'static str>,
    },
    /// A time, such as `200ms`.
    Time,
    /// The name of one of the game's evaluations.
    Evaluation,
    /// Another agent, in parentheses.
    Agent,
    /// The path of a file.
    Path,
    /// Words in parentheses, separated by spaces; one that contains spaces is in parentheses itself.
    List,
}

impl Domain {
    /// A description for listings and messages.
    pub fn describe(&self) -> String {
        let or = |or: &Option<&str>| or.map(|word| format!("{word}|")).unwrap_or_default();
        match self {
            Domain::Words(words) => words.join("|"),
            Domain::Flag => "yes|no".into(),
            Domain::Whole { min, max: u64::MAX, or: word } => format!("{}{min} or more, such as 250k", or(word)),
            Domain::Whole { min, max, or: word } => format!("{}{min} to {}", or(word), quantity::count_text(*max)),
            Domain::Number { min, max } if max.is_infinite() => format!("{min} or more"),
            Domain::Number { min, max } => format!("{min} to {max}"),
            Domain::Size { or: word } => format!("{}a size such as 64M", or(word)),
            Domain::Time => "a time such as 200ms or 1.5s".into(),
            Domain::Evaluation => "an evaluation of the game".into(),
            Domain::Agent => "an agent in parentheses".into(),
            Domain::Path => "a path".into(),
            Domain::List => "words in parentheses".into(),
        }
    }
}

/// A value that can be written as text and read from it.
pub trait Value {
    /// What the value may be.
    fn domain(&self) -> Domain;
    /// The value as text; `None` if it is left open, to be decided where the setting is used.
    fn text(&self) -> Option<String>;
    /// Takes the value that a text stands for, and returns whether there is one.
    fn read(&mut self, text: &str) -> bool;
    /// Leaves the value open, and returns whether that is possible.
    fn clear(&mut self) -> bool {
        false
    }
}

/// One setting, as a visitor is shown it.
pub struct Field<'a> {
    /// What stands before the `=`.
    pub key: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Its value.
    pub value: &'a mut dyn Value,
}

/// Goes through settings; see [`Settings::visit`].
pub struct Visitor<'a> {
    call: &'a mut dyn FnMut(Field<'_>),
}

/// A type with a word for each of its values, best the default first.
pub trait Choice: Copy + PartialEq + 'static {
    /// All values with their words.
    const WORDS: &'static [(Self, &'static str)];

    /// The word of this value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(value, _)| *value == self).expect("every value has a word").1
    }
}

/// A whole number that settings can hold.
pub trait Whole: Copy {
    /// As the widest type.
    fn wide(self) -> u64;
    /// From the widest type; within the declared range it fits.
    fn narrow(wide: u64) -> Self;
}

macro_rules! whole {
    ($($t:ty),*) => { $(impl Whole for $t {
        fn wide(self) -> u64 { self as u64 }
        fn narrow(wide: u64) -> $t { wide as $t }
    })* };
}
whole!(u16, u32, u64, usize, i32);

impl Visitor<'_> {
    /// A setting of any kind.
    pub fn field(&mut self, key: &'static str, value: &mut dyn Value, about: &'static str) {
        (self.call)(Field { key, about, value });
    }

    /// One of several words.
    pub fn choice<T: Choice>(&mut self, key: &'static str, value: &mut T, about: &'static str) {
        let words: Vec<T> = T::WORDS.iter().map(|(value, _)| *value).collect();
        self.choice_of(key, value, &words, about);
    }

    /// One of some of the words.
    pub fn choice_of<T: Choice>(&mut self, key: &'static str, value: &mut T, among: &[T], about: &'static str) {
        self.field(key, &mut Chosen { value: Slot::Set(value), among }, about);
    }

    /// One of several words, or left open.
    pub fn open_choice<T: Choice>(
        &mut self,
        key: &'static str,
        value: &mut Option<T>,
        among: &[T],
        about: &'static str,
    ) {
        self.field(key, &mut Chosen { value: Slot::Open(value), among }, about);
    }

    /// `yes` or `no`.
    pub fn flag(&mut self, key: &'static str, value: &mut bool, about: &'static str) {
        self.field(key, &mut Flag(Slot::Set(value)), about);
    }

    /// `yes` or `no`, or left open.
    pub fn open_flag(&mut self, key: &'static str, value: &mut Option<bool>, about: &'static str) {
        self.field(key, &mut Flag(Slot::Open(value)), about);
    }

    /// A setting that others of its kind have and that has only one value here.
    pub fn fixed(&mut self, key: &'static str, word: &'static str, about: &'static str) {
        self.field(key, &mut Fixed(word), about);
    }

    /// A whole number.
    pub fn whole<T: Whole>(
        &mut self,
        key: &'static str,
        value: &mut T,
        range: RangeInclusive<u64>,
        about: &'static str,
    ) {
        self.field(key, &mut Number { value, range }, about);
    }

    /// A whole number, or none, for which there is a word.
    pub fn whole_or<T: Whole>(
        &mut self,
        key: &'static str,
        value: &mut Option<T>,
        none: &'static str,
        range: RangeInclusive<u64>,
        about: &'static str,
    ) {
        self.field(key, &mut NumberOr { value, none: Some(none), range }, about);
    }

    /// A whole number, or left open.
    pub fn open_whole<T: Whole>(
        &mut self,
        key: &'static str,
        value: &mut Option<T>,
        range: RangeInclusive<u64>,
        about: &'static str,
    ) {
        self.field(key, &mut NumberOr { value, none: None, range }, about);
    }

    /// A number.
    pub fn number(&mut self, key: &'static str, value: &mut f64, range: RangeInclusive<f64>, about: &'static str) {
        self.field(key, &mut Real { value, range }, about);
    }

    /// A number of bytes of memory that may be taken.
    pub fn size(&mut self, key: &'static str, value: &mut usize, about: &'static str) {
        self.field(key, &mut Size { value, zero: None }, about);
    }

    /// A number of bytes, with a word for none at all.
    pub fn size_or(&mut self, key: &'static str, value: &mut usize, zero: &'static str, about: &'static str) {
        self.field(key, &mut Size { value, zero: Some(zero) }, about);
    }

    /// A time.
    pub fn time(&mut self, key: &'static str, value: &mut Duration, about: &'static str) {
        self.field(key, &mut Time(Slot::Set(value)), about);
    }

    /// A time, or left open.
    pub fn open_time(&mut self, key: &'static str, value: &mut Option<Duration>, about: &'static str) {
        self.field(key, &mut Time(Slot::Open(value)), about);
    }

    /// The name of one of the game's evaluations; left open, the game decides.
    pub fn evaluation(&mut self, key: &'static str, value: &mut Option<String>, about: &'static str) {
        self.field(key, &mut Text { value: Slot::Open(value), domain: Domain::Evaluation }, about);
    }

    /// Another agent.
    pub fn agent(&mut self, key: &'static str, value: &mut String, about: &'static str) {
        self.field(key, &mut Text { value: Slot::Set(value), domain: Domain::Agent }, about);
    }

    /// The path of a file; left open, it is missing.
    pub fn path(&mut self, key: &'static str, value: &mut Option<String>, about: &'static str) {
        self.field(key, &mut Text { value: Slot::Open(value), domain: Domain::Path }, about);
    }

    /// A list of words.
    pub fn list(&mut self, key: &'static str, value: &mut Vec<String>, about: &'static str) {
        self.field(key, &mut List(value), about);
    }
}

/// A value that is there, or one that may be left open.
enum Slot<'a, T> {
    Set(&'a mut T),
    Open(&'a mut Option<T>),
}

impl<T> Slot<'_, T> {
    fn get(&self) -> Option<&T> {
        match self {
            Slot::Set(value) => Some(value),
            Slot::Open(value) => value.as_ref(),
        }
    }

    /// Takes the new value, if there is one.
    fn set(&mut self, new: Option<T>) -> bool {
        let Some(new) = new else { return false };
        match self {
            Slot::Set(value) => **value = new,
            Slot::Open(value) => **value = Some(new),
        }
        true
    }

    fn clear(&mut self) -> bool {
        match self {
            Slot::Set(_) => return false,
            Slot::Open(value) => **value = None,
        }
        true
    }
}

struct Chosen<'a, T> {
    value: Slot<'a, T>,
    among: &'a [T],
}

impl<T: Choice> Value for Chosen<'_, T> {
    fn domain(&self) -> Domain {
        Domain::Words(self.among.iter().map(|value| value.word()).collect())
    }

    fn text(&self) -> Option<String> {
        self.value.get().map(|value| value.word().into())
    }

    fn read(&mut self, text: &str) -> bool {
        let found = self.among.iter().copied().find(|value| value.word() == text);
        self.value.set(found)
    }

    fn clear(&mut self) -> bool {
        self.value.clear()
    }
}

struct Flag<'a>(Slot<'a, bool>);

impl Value for Flag<'_> {
    fn domain(&self) -> Domain {
        Domain::Flag
    }

    fn text(&self) -> Option<String> {
        self.0.get().map(|&flag| if flag { "yes" } else { "no" }.into())
    }

    fn read(&mut self, text: &str) -> bool {
        self.0.set(match text {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        })
    }

    fn clear(&mut self) -> bool {
        self.0.clear()
    }
}

struct Fixed(&'static str);

impl Value for Fixed {
    fn domain(&self) -> Domain {
        Domain::Words(vec![self.0])
    }

    fn text(&self) -> Option<String> {
        Some(self.0.into())
    }

    fn read(&mut self, text: &str) -> bool {
        text == self.0
    }
}

fn read_whole(text: &str, range: &RangeInclusive<u64>) -> Option<u64> {
    quantity::count(text).ok().filter(|number| range.contains(number))
}

struct Number<'a, T> {
    value: &'a mut T,
    range: RangeInclusive<u64>,
}

impl<T: Whole> Value for Number<'_, T> {
    fn domain(&self) -> Domain {
        Domain::Whole { min: *self.range.start(), max: *self.range.end(), or: None }
    }

    fn text(&self) -> Option<String> {
        Some(quantity::count_text(self.value.wide()))
    }

    fn read(&mut self, text: &str) -> bool {
        Slot::Set(self.value).set(read_whole(text, &self.range).map(T::narrow))
    }
}

struct NumberOr<'a, T> {
    value: &'a mut Option<T>,
    /// The word for none; without one, none means that it is left open.
    none: Option<&'static str>,
    range: RangeInclusive<u64>,
}

impl<T: Whole> Value for NumberOr<'_, T> {
    fn domain(&self) -> Domain {
        Domain::Whole { min: *self.range.start(), max: *self.range.end(), or: self.none }
    }

    fn text(&self) -> Option<String> {
        self.value.map_or(self.none.map(String::from), |value| Some(quantity::count_text(value.wide())))
    }

    fn read(&mut self, text: &str) -> bool {
        if self.none == Some(text) {
            *self.value = None;
            return true;
        }
        Slot::Open(self.value).set(read_whole(text, &self.range).map(T::narrow))
    }

    fn clear(&mut self) -> bool {
        *self.value = None;
        self.none.is_none()
    }
}

struct Real<'a> {
    value: &'a mut f64,
    range: RangeInclusive<f64>,
}

impl Value for Real<'_> {
    fn domain(&self) -> Domain {
        Domain::Number { min: *self.range.start(), max: *self.range.end() }
    }

    fn text(&self) -> Option<String> {
        Some(self.value.to_string())
    }

    fn read(&mut self, text: &str) -> bool {
        let number = text.parse().ok().filter(|number| self.range.contains(number));
        // Minus zero would be written differently from zero.
        Slot::Set(self.value).set(number.map(|number: f64| number + 0.0))
    }
}

struct Size<'a> {
    value: &'a mut usize,
    /// The word for no bytes at all.
    zero: Option<&'static str>,
}

impl Value for Size<'_> {
    fn domain(&self) -> Domain {
        Domain::Size { or: self.zero }
    }

    fn text(&self) -> Option<String> {
        match self.zero {
            Some(word) if *self.value == 0 => Some(word.into()),
            _ => Some(quantity::size_text(*self.value as u64)),
        }
    }

    fn read(&mut self, text: &str) -> bool {
        if self.zero == Some(text) {
            *self.value = 0;
            return true;
        }
        Slot::Set(self.value).set(quantity::size(text).ok().and_then(|bytes| usize::try_from(bytes).ok()))
    }
}

struct Time<'a>(Slot<'a, Duration>);

impl Value for Time<'_> {
    fn domain(&self) -> Domain {
        Domain::Time
    }

    fn text(&self) -> Option<String> {
        self.0.get().map(|&time| quantity::time_text(time))
    }

    fn read(&mut self, text: &str) -> bool {
        self.0.set(quantity::time(text).ok())
    }

    fn clear(&mut self) -> bool {
        self.0.clear()
    }
}

struct Text<'a> {
    value: Slot<'a, String>,
    domain: Domain,
}

impl Value for Text<'_> {
    fn domain(&self) -> Domain {
        self.domain.clone()
    }

    fn text(&self) -> Option<String> {
        self.value.get().cloned()
    }

    fn read(&mut self, text: &str) -> bool {
        let makes_sense = !text.is_empty() && (self.domain != Domain::Agent || Spec::parse(text).is_ok());
        self.value.set(makes_sense.then(|| text.into()))
    }

    fn clear(&mut self) -> bool {
        self.value.clear()
    }
}

struct List<'a>(&'a mut Vec<String>);

impl Value for List<'_> {
    fn domain(&self) -> Domain {
        Domain::List
    }

    fn text(&self) -> Option<String> {
        let word = |word: &String| {
            if word.is_empty() || word.contains(['(', ')']) || word.contains(char::is_whitespace) {
                format!("({word})")
            } else {
                word.clone()
            }
        };
        Some(self.0.iter().map(word).collect::<Vec<String>>().join(" "))
    }

    fn read(&mut self, text: &str) -> bool {
        Slot::Set(self.0).set(split_words(text).ok())
    }
}

/// The words of a list, as [`Domain::List`] writes them.
pub fn words(text: &str) -> Vec<String> {
    split_words(text).unwrap_or_default()
}

/// The declaration of one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What stands before the `=`.
    pub key: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The values it takes.
    pub domain: Domain,
    /// The text of its value; `None` if it is left open.
    pub value: Option<String>,
}

/// Calls a function for each field.
pub fn each(settings: &mut (impl Settings + ?Sized), mut call: impl FnMut(Field<'_>)) {
    settings.visit(&mut Visitor { call: &mut call });
}

/// The settings with their values; those of a default are the declared defaults.
pub fn list(settings: &mut (impl Settings + ?Sized)) -> Vec<Setting> {
    let mut all = Vec::new();
    each(settings, |Field { key, about, value }| {
        all.push(Setting { key, about, domain: value.domain(), value: value.text() });
    });
    all
}

/// The settings by which something takes memory, each with the most bytes.
///
/// ```
/// use nply::{MaxnSettings, settings};
/// assert_eq!(settings::sizes(&mut MaxnSettings::default()), [("table", 64 << 20)]);
/// ```
pub fn sizes(settings: &mut (impl Settings + ?Sized)) -> Vec<(&'static str, u64)> {
    let mut sizes = Vec::new();
    each(settings, |Field { key, value, .. }| {
        if let Domain::Size { .. } = value.domain() {
            // A word stands for none.
            let bytes = value.text().and_then(|text| quantity::size(&text).ok());
            sizes.push((key, bytes.unwrap_or(0)));
        }
    });
    sizes
}

/// Changes one setting; `None` leaves it open.
pub fn set(settings: &mut (impl Settings + ?Sized), key: &str, text: Option<&str>) -> Result<(), Error> {
    let (mut taken, mut known) = (None, Vec::new());
    each(settings, |field| {
        known.push(field.key);
        if field.key == key {
            let is_taken = match text {
                Some(text) => field.value.read(text),
                None => field.value.clear(),
            };
            taken = Some(if is_taken { Ok(()) } else { Err(field.value.domain().describe()) });
        }
    });
    match taken {
        Some(Ok(())) => Ok(()),
        Some(Err(allowed)) => {
            let error = Error::new(Code::BadValue, format!("{key} does not take {:?}", text.unwrap_or("none")));
            Err(error.help(format!("it takes {allowed}")))
        }
        None => Err(Error::unknown(Code::UnknownSetting, "setting", key, &known)),
    }
}

/// Changes the settings that a text names: `key=value,…`.
pub fn read(settings: &mut (impl Settings + ?Sized), text: &str) -> Result<(), Error> {
    let separator = if text.is_empty() { "" } else { ":" };
    let spec = Spec::parse(&format!("settings{separator}{text}"))?;
    spec.pairs.iter().try_for_each(|(key, value)| set(settings, key, Some(value)))
}

/// The settings that differ from the default, in the order in which they are declared: what names keep.
pub fn changed<S: Settings + Clone + Default>(settings: &S) -> Vec<Setting> {
    let (all, defaults) = (list(&mut settings.clone()), list(&mut S::default()));
    let changed = all.into_iter().zip(defaults).filter(|(setting, default)| setting.value != default.value);
    changed.map(|(setting, _)| setting).filter(|setting| setting.value.is_some()).collect()
}

/// Settings under a name, `name[:key=value,…]`; those that are left open are left out.
pub fn spec(name: &str, settings: Vec<Setting>) -> Spec {
    let pairs = settings.into_iter().filter_map(|setting| Some((setting.key.into(), setting.value?)));
    Spec { name: name.into(), pairs: pairs.collect() }
}

/// The settings that differ from the default, as `key=value,…`.
pub fn write<S: Settings + Clone + Default>(settings: &S) -> String {
    let spec = spec("", changed(settings)).to_string();
    spec.strip_prefix(':').unwrap_or(&spec).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Everything {
        flag: bool,
        open_flag: Option<bool>,
        k: usize,
        cutoff: Option<u32>,
        depth: Option<u32>,
        c: f64,
        memory: usize,
        table: usize,
        start: Duration,
        limit: Option<Duration>,
        eval: Option<String>,
        agent: String,
        path: Option<String>,
        args: Vec<String>,
    }

    impl Settings for Everything {
        fn visit(&mut self, v: &mut Visitor<'_>) {
            v.flag("flag", &mut self.flag, "a flag");
            v.open_flag("open-flag", &mut self.open_flag, "an open flag");
            v.fixed("killers", "no", "fixed");
            v.whole("k", &mut self.k, 0..=1000, "a number");
            v.whole_or("cutoff", &mut self.cutoff, "off", 1..=1_000_000, "a number or a word");
            v.open_whole("depth", &mut self.depth, 1..=500, "an open number");
            v.number("c", &mut self.c, 0.0..=1e9, "a number with a point");
            v.size("memory", &mut self.memory, "a size");
            v.size_or("table", &mut self.table, "off", "a size or a word");
            v.time("start", &mut self.start, "a time");
            v.open_time("time", &mut self.limit, "an open time");
            v.evaluation("eval", &mut self.eval, "an evaluation");
            v.agent("agent", &mut self.agent, "an agent");
            v.path("path", &mut self.path, "a path");
            v.list("args", &mut self.args, "words");
        }
    }

    #[test]
    fn no_text_makes_the_reader_of_settings_fail_and_what_is_read_reads_back() {
        let samples = [
            "flag=yes,open-flag=no,killers=no,k=1k,cutoff=250k,depth=3",
            "c=0.25,memory=64M,table=off,start=1.5s,time=200ms,cutoff=off",
            "eval=discs,agent=(maxn:ties=cautious),path=(./a b),args=(-c (print 1) ())",
        ];
        let mut reads = 0;
        testing::mangle(&samples, 300_000, |text| {
            let mut settings = Everything::default();
            match read(&mut settings, text) {
                Ok(()) if settings.start < Duration::from_secs(1_000_000) => {
                    let mut again = Everything::default();
                    let written = write(&settings);
                    read(&mut again, &written).unwrap_or_else(|error| panic!("{text:?}: {written:?}: {error}"));
                    assert!(again == settings || settings.limit > Some(Duration::from_secs(1_000_000)), "{text:?}");
                    reads += 1;
                }
                Ok(()) => {}
                Err(error) => testing::check_error(&error.message, text),
            }
        });
        assert!(reads > 1000, "{reads}");
    }

    #[test]
    fn wrong_settings_get_an_error_that_says_what_would_be_right() {
        for (text, expected) in [
            ("flagg=yes", "unknown setting \"flagg\"\n  help: did you mean \"flag\"?"),
            ("flag=maybe", "flag does not take \"maybe\"\n  help: it takes yes|no"),
            ("killers=yes", "killers does not take \"yes\"\n  help: it takes no"),
            ("k=1001", "k does not take \"1001\"\n  help: it takes 0 to 1k"),
            ("cutoff=0", "it takes off|1 to 1M"),
            ("c=x", "it takes 0 to 1000000000"),
            ("table=big", "it takes off|a size such as 64M"),
            ("start=5", "it takes a time such as 200ms or 1.5s"),
            ("agent=(a:)", "it takes an agent in parentheses"),
            ("agent=(a", "has a `(` without a `)`"),
            ("flag", "is not of the form key=value"),
        ] {
            let error = read(&mut Everything::default(), text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn an_open_setting_can_be_left_open_again() {
        let mut settings = Everything::default();
        set(&mut settings, "open-flag", Some("yes")).unwrap();
        set(&mut settings, "open-flag", None).unwrap();
        assert_eq!(settings, Everything::default());
        assert!(set(&mut settings, "k", None).is_err());
    }
}
