//! What went wrong, and what would be right.

use std::fmt;

/// A failure that a person can read: what is wrong and, where there is more to say, what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, in one line.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
    /// Whether the request itself was wrong, so that it can never be answered.
    pub is_usage: bool,
    /// What an outside program did, if it is its own fault and forfeits the game: the message without the program's name.
    pub forfeit: Option<String>,
}

impl Error {
    /// A failure to do what was asked. The message may quote what was typed: it stays one line, whatever that was.
    pub fn failed(message: impl Into<String>) -> Error {
        Error { message: one_line(message.into()), help: None, is_usage: false, forfeit: None }
    }

    /// A wrong request.
    pub fn usage(message: impl Into<String>) -> Error {
        Error { is_usage: true, ..Error::failed(message) }
    }

    /// The own fault of the agent of this name.
    pub fn forfeit(name: &str, misdeed: impl ToString) -> Error {
        let misdeed = misdeed.to_string();
        Error { forfeit: Some(misdeed.clone()), ..Error::failed(format!("{name} forfeits the game: {misdeed}")) }
    }

    /// Says where it is wrong, before what.
    pub fn within(self, place: impl fmt::Display) -> Error {
        Error { message: one_line(format!("{place}: {}", self.message)), ..self }
    }

    /// Adds what would be right.
    pub fn help(self, help: impl Into<String>) -> Error {
        Error { help: Some(help.into()), ..self }
    }

    /// A name that is not one of those known.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Error {
        let known_names = if known.is_empty() { "none".into() } else { known.join(", ") };
        let error = Error::usage(format!("unknown {what}: {name:?}; there are {known_names}"));
        match known.iter().min_by_key(|known| distance(name, known)) {
            Some(near) if distance(name, near) <= 2 => error.help(format!("did you mean {near}?")),
            _ => error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<nply::PositionError> for Error {
    fn from(error: nply::PositionError) -> Error {
        let failed = Error::failed(error.to_string());
        if error.text.len() > 200 || error.text.contains(char::is_control) {
            return failed;
        }
        let pointer = " ".repeat(error.text[..error.at].chars().count());
        failed.help(format!("it goes wrong here:\n  {}\n  {pointer}^", error.text))
    }
}

impl From<nply::MoveError> for Error {
    fn from(error: nply::MoveError) -> Error {
        Error::failed(error.to_string())
    }
}

/// A text with its control characters written out, so that none ends the line or steers a terminal.
fn one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let written = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(written).collect()
}

/// Words as a list to choose from.
pub(crate) fn among(words: &[&str]) -> String {
    words.join("|")
}

/// How many letters must change to make one word of another (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_one_line_whatever_it_quotes() {
        let error = Error::usage("no\nway").within("line\r1\x1b[31m");
        assert_eq!(error.message, "line\\r1\\u{1b}[31m: no\\nway");
        assert_eq!(Error::failed("só ∞").message, "só ∞");
    }

    #[test]
    fn a_near_name_is_suggested() {
        let error = Error::unknown("game", "fokus", &["focus", "rolit"]);
        assert_eq!(error.help.as_deref(), Some("did you mean focus?"));
        assert_eq!(Error::unknown("game", "go", &["focus", "rolit"]).help, None);
    }
}
