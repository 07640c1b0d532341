//! Names with options, `name[:key=value,…]`: how games and agents are written everywhere.
//!
//! What options there are is data ([`OptionInfo`]), so that listings, checks and messages all come from one place.

use std::fmt;
use std::time::Duration;

use crate::error::{Error, among};
use crate::quantity;

/// A name with options, as it was written: `maxn:pruning=speculative`.
///
/// ```
/// use nply_arena::Spec;
/// let specs = Spec::parse_list("random worlds:n=5,agent=(greedy:eval=discs)").unwrap();
/// assert_eq!(specs[1].name, "worlds");
/// assert_eq!(specs[1].pairs[1], ("agent".to_string(), "greedy:eval=discs".to_string()));
/// assert_eq!(specs[1].to_string(), "worlds:n=5,agent=(greedy:eval=discs)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The name.
    pub name: String,
    /// Keys and values in the order written; parentheses around a value are gone.
    pub pairs: Vec<(String, String)>,
}

impl Spec {
    /// Reads one name with options.
    pub fn parse(text: &str) -> Result<Spec, Error> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() || name.contains(['(', ')', ',', '=']) || name.contains(char::is_whitespace) {
            return Err(Error::usage(format!("{text:?} is not of the form name[:key=value,…]")));
        }
        if text.ends_with(':') {
            return Err(Error::usage(format!("{text:?} has a colon but no options after it")));
        }
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in split_outside(options, |c| c == ',')?.into_iter().filter(|_| !options.is_empty()) {
            let pair = part.split_once('=').filter(|(key, value)| is_key(key) && !value.is_empty());
            let Some((key, value)) = pair else {
                return Err(Error::usage(format!("{part:?} in {text:?} is not of the form key=value")));
            };
            if pairs.iter().any(|(seen, _)| seen == key) {
                return Err(Error::usage(format!("{text:?} gives {key} twice")));
            }
            pairs.push((key.into(), unwrap(value).into()));
        }
        Ok(Spec { name: name.into(), pairs })
    }

    /// Reads several, separated by spaces.
    pub fn parse_list(text: &str) -> Result<Vec<Spec>, Error> {
        let parts = split_outside(text, char::is_whitespace)?;
        parts.into_iter().filter(|part| !part.is_empty()).map(Spec::parse).collect()
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (key, value)) in self.pairs.iter().enumerate() {
            let separator = if index == 0 { ':' } else { ',' };
            // What would be read as more than one value stands in parentheses.
            if value.is_empty() || value.contains(['=', ',', '(', ':']) || value.contains(char::is_whitespace) {
                write!(f, "{separator}{key}=({value})")?;
            } else {
                write!(f, "{separator}{key}={value}")?;
            }
        }
        Ok(())
    }
}

/// Whether a text can stand before the `=`.
fn is_key(text: &str) -> bool {
    !text.is_empty() && !text.contains(['(', ')']) && !text.contains(char::is_whitespace)
}

/// How deep parentheses may be nested: deeper than any use, and no reader that recurses runs out of stack.
const DEEPEST: usize = 100;

/// A text without the parentheses around the whole of it.
fn unwrap(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    // `(a)(b)` starts and ends with a parenthesis, but they are not a pair.
    inner.filter(|inner| split_outside(inner, |_| false).is_ok()).unwrap_or(text)
}

/// Splits where `separates` says so, but not inside parentheses.
fn split_outside(text: &str, separates: impl Fn(char) -> bool) -> Result<Vec<&str>, Error> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' if depth == DEEPEST => {
                return Err(Error::usage(format!("there are more than {DEEPEST} parentheses within each other")));
            }
            '(' => depth += 1,
            ')' if depth == 0 => return Err(Error::usage(format!("{text:?} has a `)` without a `(` before it"))),
            ')' => depth -= 1,
            c if depth == 0 && separates(c) => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(Error::usage(format!("{text:?} has a `(` without a `)` after it")));
    }
    parts.push(&text[start..]);
    Ok(parts)
}

/// One option of a game or an agent.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// What stands before the `=`.
    pub key: &'static str,
    /// What may stand after it.
    pub kind: Kind,
    /// What holds if it is not given; empty if that depends on other things.
    pub default: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
}

/// What an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number in a range, or a word that means none.
    Whole {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
        /// The word that stands for no number.
        or: Option<&'static str>,
    },
    /// A number in a range.
    Number {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
    },
    /// Bytes, such as `64M`, or a word that means none.
    Size {
        /// The word that stands for no size.
        or: Option<&'static str>,
    },
    /// One of the game's evaluations.
    Eval,
    /// Another agent, in parentheses.
    Agent,
    /// A file.
    Path,
    /// Words separated by spaces, in parentheses; one that has spaces itself stands in parentheses again.
    Words,
    /// A time, such as `200ms`.
    Time,
}

impl Kind {
    /// What may be written, for listings and messages.
    pub fn describe(&self) -> String {
        let or = |or: &Option<&str>| or.map(|word| format!("{word}|")).unwrap_or_default();
        match self {
            Kind::Choice(words) => words.join("|"),
            Kind::Whole { min, max: u64::MAX, or: word } => format!("{}{min} or more", or(word)),
            Kind::Whole { min, max, or: word } => format!("{}{min} to {max}", or(word)),
            Kind::Number { min, max } if max.is_infinite() => format!("{min} or more"),
            Kind::Number { min, max } => format!("{min} to {max}"),
            Kind::Size { or: word } => format!("{}a size such as 64M", or(word)),
            Kind::Eval => "one of the game's evaluations".into(),
            Kind::Agent => "an agent in parentheses".into(),
            Kind::Path => "a path".into(),
            Kind::Words => "words in parentheses".into(),
            Kind::Time => "a time such as 200ms or 1.5s".into(),
        }
    }

    fn accepts(&self, value: &str, evals: &[&str]) -> bool {
        match self {
            Kind::Choice(words) => words.contains(&value),
            Kind::Whole { min, max, or } => {
                *or == Some(value) || quantity::count(value).is_ok_and(|n| (*min..=*max).contains(&n))
            }
            Kind::Number { min, max } => value.parse().is_ok_and(|x: f64| (*min..=*max).contains(&x)),
            Kind::Size { or } => *or == Some(value) || quantity::size(value).is_ok(),
            Kind::Eval => evals.contains(&value),
            Kind::Time => quantity::time(value).is_ok(),
            Kind::Agent | Kind::Path | Kind::Words => true,
        }
    }
}

/// The options of a game or an agent, checked and complete.
#[derive(Clone, Debug)]
pub struct Options {
    values: Vec<(OptionInfo, String)>,
}

impl Options {
    /// Checks what was written against what there is; `evals` are the names for [`Kind::Eval`].
    pub fn check(spec: &Spec, known: &[OptionInfo], evals: &[&str]) -> Result<Options, Error> {
        let mut values: Vec<(OptionInfo, String)> = known.iter().map(|info| (*info, info.default.into())).collect();
        for (key, value) in &spec.pairs {
            let Some((info, slot)) = values.iter_mut().find(|(info, _)| info.key == key) else {
                let keys: Vec<&str> = known.iter().map(|info| info.key).collect();
                return Err(Error::unknown(&format!("option of {}", spec.name), key, &keys));
            };
            if !info.kind.accepts(value, evals) {
                let allowed = match info.kind {
                    Kind::Eval => among(evals),
                    kind => kind.describe(),
                };
                return Err(Error::usage(format!("{}:{key}={value} is not possible", spec.name))
                    .help(format!("{key} takes {allowed}")));
            }
            slot.clone_from(value);
        }
        Ok(Options { values })
    }

    /// All of them written out, after a name.
    pub fn spec(&self, name: &str) -> Spec {
        let said = self.values.iter().filter(|(_, value)| !value.is_empty());
        Spec { name: name.into(), pairs: said.map(|(info, value)| (info.key.into(), value.clone())).collect() }
    }

    /// The text of an option's value; empty if it was not given and has no fixed default.
    ///
    /// # Panics
    /// If no such option was declared: that is a mistake in the program, not of a user.
    pub fn text(&self, key: &str) -> &str {
        let found = self.values.iter().find(|(info, _)| info.key == key);
        &found.unwrap_or_else(|| panic!("option {key} is not declared")).1
    }

    /// Whether there is such an option here.
    pub fn has(&self, key: &str) -> bool {
        self.values.iter().any(|(info, _)| info.key == key)
    }

    /// A choice of `yes` or `no`.
    pub fn yes(&self, key: &str) -> bool {
        self.text(key) == "yes"
    }

    /// A whole number or a size; `None` is the word that stands for none.
    pub fn whole(&self, key: &str) -> Option<u64> {
        let text = self.text(key);
        quantity::count(text).or_else(|_| quantity::size(text)).ok()
    }

    /// A size in bytes; `None` is the word that stands for none.
    pub fn size(&self, key: &str) -> Option<u64> {
        quantity::size(self.text(key)).ok()
    }

    /// A time.
    pub fn time(&self, key: &str) -> Duration {
        quantity::time(self.text(key)).expect("checked when it was given")
    }

    /// Words, each without the parentheses around it.
    pub fn words(&self, key: &str) -> Vec<String> {
        let parts = split_outside(self.text(key), char::is_whitespace).expect("checked when the name was read");
        parts.into_iter().filter(|part| !part.is_empty()).map(|part| unwrap(part).into()).collect()
    }

    /// A number.
    pub fn number(&self, key: &str) -> f64 {
        self.text(key).parse().expect("checked when it was given")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;

    const KNOWN: &[OptionInfo] = &[
        OptionInfo { key: "ties", kind: Kind::Choice(&["left", "cautious"]), default: "left", about: "" },
        OptionInfo {
            key: "width",
            kind: Kind::Whole { min: 1, max: 1000, or: Some("all") },
            default: "all",
            about: "",
        },
        OptionInfo { key: "table", kind: Kind::Size { or: Some("off") }, default: "64M", about: "" },
        OptionInfo { key: "c", kind: Kind::Number { min: 0.0, max: f64::INFINITY }, default: "0.2", about: "" },
    ];

    fn check(text: &str) -> Result<Options, Error> {
        Options::check(&Spec::parse(text)?, KNOWN, &[])
    }

    #[test]
    fn options_have_defaults_and_given_values() {
        let options = check("maxn:ties=cautious,width=1k").unwrap();
        assert_eq!(options.text("ties"), "cautious");
        assert_eq!(options.whole("width"), Some(1000));
        assert_eq!(options.size("table"), Some(64 << 20));
        assert_eq!(options.number("c"), 0.2);
        assert_eq!(check("maxn").unwrap().whole("width"), None);
        assert_eq!(check("maxn:table=off").unwrap().size("table"), None);
    }

    #[test]
    fn wrong_options_are_told_what_would_be_right() {
        for (text, expected) in [
            ("maxn:tie=left", "unknown option of maxn: \"tie\"; there are ties, width, table, c"),
            ("maxn:ties=right", "ties takes left|cautious"),
            ("maxn:width=0", "width takes all|1 to 1000"),
            ("maxn:table=big", "table takes off|a size such as 64M"),
            ("maxn:c=x", "c takes 0 or more"),
            ("maxn:", "has a colon but no options"),
            ("maxn:ties", "not of the form key=value"),
            ("maxn:ti(es=le)ft", "not of the form key=value"),
            ("maxn:ti es=left", "not of the form key=value"),
            ("maxn:ties=left,ties=left", "gives ties twice"),
            ("maxn:agent=(x", "has a `(` without a `)`"),
            ("maxn:agent=x)", "has a `)` without a `(`"),
            ("", "not of the form name"),
        ] {
            let error = check(text).unwrap_err();
            assert!(format!("{error:?}").contains(&expected.replace('"', "\\\"")), "{text}: {error:?}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            "brs",
            "maxn:pruning=speculative,mu=0",
            "worlds:n=20,agent=(maxn:ties=cautious)",
            "program:path=(/a b),args=(-c (print 1) ())",
            "program:path=x,args=((a)(b))",
            "program:path=x,args=()",
        ] {
            let spec = Spec::parse(text).unwrap();
            assert_eq!(spec.to_string(), text);
            assert_eq!(Spec::parse_list(&format!("random {text}")).unwrap()[1], spec);
        }
    }

    #[test]
    fn parentheses_nested_too_deep_are_refused() {
        let nested = |depth: usize| format!("{}random{}", "worlds:agent=(".repeat(depth), ")".repeat(depth));
        assert_eq!(Spec::parse(&nested(DEEPEST)).unwrap().to_string(), nested(DEEPEST));
        let error = Spec::parse(&nested(9000)).unwrap_err();
        assert_eq!(error.message, "there are more than 100 parentheses within each other");
        assert_eq!(Spec::parse_list(&nested(9000)), Err(error));
    }

    #[test]
    fn no_text_makes_the_reader_of_names_fail() {
        let samples = [
            "brs maxn:pruning=speculative,mu=0  random",
            "worlds:n=20,agent=(maxn:ties=cautious,table=off)",
            "program:path=(/a b),args=(-c (print 1) ())",
            "mcts:c=0.2,memory=64M,time=1.5s",
        ];
        testing::mangle(&samples, 1_000_000, |text| {
            for read in [Spec::parse_list(text), Spec::parse(text).map(|spec| vec![spec])] {
                match read {
                    Ok(specs) => specs.into_iter().for_each(|spec| {
                        assert_eq!(Spec::parse(&spec.to_string()).as_ref(), Ok(&spec), "{text:?}");
                        let args = Options { values: vec![(ARGS[0], spec.pairs.into_iter().map(|p| p.1).collect())] };
                        args.words("args");
                    }),
                    Err(error) => testing::check_error(&error.message, text),
                }
            }
        });
    }

    const ARGS: &[OptionInfo] = &[OptionInfo { key: "args", kind: Kind::Words, default: "", about: "" }];

    #[test]
    fn words_with_spaces_stand_in_parentheses() {
        let words = |text: &str| Options::check(&Spec::parse(text).unwrap(), ARGS, &[]).unwrap().words("args");
        assert_eq!(words("x:args=(-c (print (1)) () ((a)) brs:n=(5))"), ["-c", "print (1)", "", "(a)", "brs:n=(5)"]);
        assert_eq!(words("x:args=one"), ["one"]);
        assert!(words("x").is_empty());
    }
}
