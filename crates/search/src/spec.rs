//! Names with settings, `name[:key=value,…]`: how games and agents are written everywhere.
//!
//! A [`Spec`] is the bare form. Which keys and values a name takes is declared by its [`Settings`](crate::Settings).

use std::fmt;

use crate::Error;

/// A name with settings, as it was written: `maxn:pruning=speculative`.
///
/// ```
/// use nply::Spec;
/// let specs = Spec::parse_list("random worlds:n=5,agent=(greedy:eval=discs)").unwrap();
/// assert_eq!(specs[1].name, "worlds");
/// assert_eq!(specs[1].pairs[1], ("agent".to_string(), "greedy:eval=discs".to_string()));
/// assert_eq!(specs[1].to_string(), "worlds:n=5,agent=(greedy:eval=discs)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// What stands before the colon.
    pub name: String,
    /// Keys and values in the order written; parentheses around a value are gone.
    pub pairs: Vec<(String, String)>,
}

impl Spec {
    /// Reads one name with settings.
    pub fn parse(text: &str) -> Result<Spec, Error> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() || name.contains(['(', ')', ',', '=']) || name.contains(char::is_whitespace) {
            return Err(Error::usage(format!("{text:?} is not of the form name[:key=value,…]")));
        }
        if text.ends_with(':') {
            return Err(Error::usage(format!("{text:?} has a colon but no settings after it")));
        }
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in split_outside(settings, |c| c == ',')?.into_iter().filter(|_| !settings.is_empty()) {
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

    /// Reads one that may have a name of the user's own before it, and answers with that name: `fast=brs:nodes=10k`.
    ///
    /// ```
    /// use nply::Spec;
    /// let (name, spec) = Spec::parse_named("fast=brs:nodes=10k").unwrap();
    /// assert_eq!((name.as_deref(), spec.name.as_str()), (Some("fast"), "brs"));
    /// assert_eq!(Spec::parse_named("brs:nodes=10k").unwrap().0, None);
    /// ```
    pub fn parse_named(text: &str) -> Result<(Option<String>, Spec), Error> {
        match text.find([':', '=']).map(|at| text.split_at(at)) {
            Some((name, rest)) if rest.starts_with('=') => {
                check_given_name(name)?;
                Ok((Some(name.into()), Spec::parse(&rest[1..])?))
            }
            _ => Ok((None, Spec::parse(text)?)),
        }
    }

    /// The same for several, separated by spaces.
    pub fn parse_named_list(text: &str) -> Result<Vec<(Option<String>, Spec)>, Error> {
        let parts = split_outside(text, char::is_whitespace)?;
        parts.into_iter().filter(|part| !part.is_empty()).map(Spec::parse_named).collect()
    }

    /// Reads several, separated by spaces.
    pub fn parse_list(text: &str) -> Result<Vec<Spec>, Error> {
        let parts = split_outside(text, char::is_whitespace)?;
        parts.into_iter().filter(|part| !part.is_empty()).map(Spec::parse).collect()
    }
}

/// The most characters of a name that a user or a program gives.
pub(crate) const LONGEST_NAME: usize = 40;

/// Whether a name that a user or a program gives may have this character: one that no list, table or file takes for its own.
fn is_in_names(c: char) -> bool {
    c.is_alphanumeric() || "-_.+".contains(c)
}

/// Refuses a name that cannot be given to an agent.
pub fn check_given_name(name: &str) -> Result<(), Error> {
    if !name.is_empty() && name.chars().all(is_in_names) && name.chars().count() <= LONGEST_NAME {
        return Ok(());
    }
    let help = format!("a name has 1 to {LONGEST_NAME} letters, digits, and `-`, `_`, `.` and `+`");
    Err(Error::usage(format!("{name:?} cannot be the name of an agent")).help(help))
}

/// The name that is nearest to a text, such as one that a program has for itself: anything that a name cannot have becomes `-`.
/// `None` if nothing is left.
///
/// ```
/// assert_eq!(nply::given_name("Deep Thought (v1.0)").as_deref(), Some("Deep-Thought-v1.0"));
/// assert_eq!(nply::given_name(" / "), None);
/// ```
pub fn given_name(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(|c| !is_in_names(c)).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(LONGEST_NAME).collect();
    (!name.is_empty()).then_some(name)
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (key, value)) in self.pairs.iter().enumerate() {
            let separator = if index == 0 { ':' } else { ',' };
            // Values that would be read as more than one are in parentheses.
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

/// The greatest nesting of parentheses: more than any use needs, and no recursive reader runs out of stack.
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

/// The words of a list, each without the parentheses around it.
pub(crate) fn split_words(text: &str) -> Result<Vec<String>, Error> {
    let parts = split_outside(text, char::is_whitespace)?;
    Ok(parts.into_iter().filter(|part| !part.is_empty()).map(|part| unwrap(part).into()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn what_is_not_a_name_with_settings_gets_an_error_that_says_why() {
        for (text, expected) in [
            ("maxn:", "has a colon but no settings"),
            ("maxn:ties", "not of the form key=value"),
            ("maxn:ti(es=le)ft", "not of the form key=value"),
            ("maxn:ti es=left", "not of the form key=value"),
            ("maxn:ties=left,ties=left", "gives ties twice"),
            ("maxn:agent=(x", "has a `(` without a `)`"),
            ("maxn:agent=x)", "has a `)` without a `(`"),
            ("", "not of the form name"),
        ] {
            let error = Spec::parse(text).unwrap_err();
            assert!(error.message.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_name_before_an_agent_is_its_own() {
        let named = |text: &str| Spec::parse_named(text).map(|(name, spec)| (name, spec.to_string()));
        assert_eq!(named("fast=brs:nodes=10k"), Ok((Some("fast".into()), "brs:nodes=10k".into())));
        assert_eq!(named("brs=brs"), Ok((Some("brs".into()), "brs".into())));
        assert_eq!(named("worlds:agent=(maxn:ties=left)"), Ok((None, "worlds:agent=(maxn:ties=left)".into())));
        let list = Spec::parse_named_list("a=brs  ä_2.0+=program:path=(x y) random").unwrap();
        let names: Vec<Option<&str>> = list.iter().map(|(name, _)| name.as_deref()).collect();
        assert_eq!(names, [Some("a"), Some("ä_2.0+"), None]);
        for text in ["=brs", "a,b=brs", "a/b=brs", &format!("{}=brs", "x".repeat(41)), "(a b)=brs"] {
            let error = Spec::parse_named(text).unwrap_err();
            assert!(error.message.contains("cannot be the name of an agent"), "{text}: {error}");
            assert!(error.help.unwrap().contains("1 to 40 letters, digits"), "{text}");
        }
        for text in ["a=", "a=b=brs", "a=:x=1"] {
            assert!(Spec::parse_named(text).is_err(), "{text}");
        }
        assert_eq!(given_name(&"long ".repeat(20)).unwrap().chars().count(), 40);
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
            "fast=brs:nodes=10k slow_2.0+=random",
        ];
        testing::mangle(&samples, 1_000_000, |text| {
            match Spec::parse_named_list(text) {
                Ok(specs) => specs.iter().for_each(|(name, spec)| {
                    let written = name.iter().map(|name| format!("{name}=")).collect::<String>() + &spec.to_string();
                    assert_eq!(Spec::parse_named(&written), Ok((name.clone(), spec.clone())), "{text:?}");
                }),
                Err(error) => testing::check_error(&error.message, text),
            }
            for read in [Spec::parse_list(text), Spec::parse(text).map(|spec| vec![spec])] {
                match read {
                    Ok(specs) => specs.into_iter().for_each(|spec| {
                        assert_eq!(Spec::parse(&spec.to_string()).as_ref(), Ok(&spec), "{text:?}");
                        for (_, value) in &spec.pairs {
                            split_words(value).expect("parentheses were checked with the name");
                        }
                    }),
                    Err(error) => testing::check_error(&error.message, text),
                }
            }
        });
    }

    #[test]
    fn words_with_spaces_stand_in_parentheses() {
        let words = |text: &str| split_words(&Spec::parse(text).unwrap().pairs[0].1).unwrap();
        assert_eq!(words("x:args=(-c (print (1)) () ((a)) brs:n=(5))"), ["-c", "print (1)", "", "(a)", "brs:n=(5)"]);
        assert_eq!(words("x:args=one"), ["one"]);
    }
}
