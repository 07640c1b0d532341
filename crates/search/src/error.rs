//! Errors for people to read: [`Error`].

use std::fmt;

/// The kind of an [`Error`]. Its text is stable: scripts may rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request cannot be understood or makes no sense.
    Usage,
    /// No game, agent, match or experiment has this name.
    UnknownName,
    /// A game or an agent has no such setting.
    UnknownSetting,
    /// A setting does not take this value.
    BadValue,
    /// An agent does not play this game or not with these settings.
    Refused,
    /// A text is not a position of the game.
    Position,
    /// A text is not a legal move of the position.
    Move,
    /// An agent broke the rules of play and loses the game.
    Forfeit,
    /// An agent's clock ran out, and it loses the game.
    OutOfTime,
    /// A file cannot be read or written, or is not what it should be.
    File,
    /// Anything else that failed.
    Failed,
}

impl Code {
    /// The code as scripts see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Usage => "usage",
            Code::UnknownName => "unknown-name",
            Code::UnknownSetting => "unknown-setting",
            Code::BadValue => "bad-value",
            Code::Refused => "refused",
            Code::Position => "position",
            Code::Move => "move",
            Code::Forfeit => "forfeit",
            Code::OutOfTime => "out-of-time",
            Code::File => "file",
            Code::Failed => "failed",
        }
    }

    /// Whether the request itself was wrong, so that it can never succeed.
    pub fn is_usage(self) -> bool {
        matches!(self, Code::Usage | Code::UnknownName | Code::UnknownSetting | Code::BadValue | Code::Refused)
    }
}

/// A failure for people to read: one line for what is wrong and, where there is one, a help line for what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub code: Code,
    /// What is wrong, in one line.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl Error {
    /// An error of a kind. The message may quote input: control characters are escaped, so it stays one line.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: one_line(message.into()), help: None }
    }

    /// A valid request that failed.
    pub fn failed(message: impl Into<String>) -> Error {
        Error::new(Code::Failed, message)
    }

    /// An invalid request.
    pub fn usage(message: impl Into<String>) -> Error {
        Error::new(Code::Usage, message)
    }

    /// A file that cannot be read or written, or is not what it should be.
    pub fn file(message: impl Into<String>) -> Error {
        Error::new(Code::File, message)
    }

    /// An agent, a game or settings that do not go together.
    pub fn refused(message: impl Into<String>) -> Error {
        Error::new(Code::Refused, message)
    }

    /// Puts the place of the error before the message.
    pub fn within(self, place: impl fmt::Display) -> Error {
        Error { message: one_line(format!("{place}: {}", self.message)), ..self }
    }

    /// Adds what would be right.
    pub fn help(self, help: impl Into<String>) -> Error {
        Error { help: Some(help.into()), ..self }
    }

    /// A name that is not one of those known.
    pub fn unknown(code: Code, what: &str, name: &str, known: &[&str]) -> Error {
        let error = Error::new(code, format!("unknown {what} {name:?}"));
        match nearest(name, known) {
            Some(near) => error.help(format!("did you mean {near:?}? There are {}", known.join(", "))),
            None if known.is_empty() => error.help("there are none"),
            None => error.help(format!("there are {}", known.join(", "))),
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

impl From<crate::PositionError> for Error {
    fn from(error: crate::PositionError) -> Error {
        let failed = Error::new(Code::Position, error.to_string());
        if error.text.len() > 200 || error.text.contains(char::is_control) {
            return failed;
        }
        let pointer = " ".repeat(error.text[..error.at].chars().count());
        failed.help(format!("the error is here:\n  {}\n  {pointer}^", error.text))
    }
}

impl From<crate::MoveError> for Error {
    fn from(error: crate::MoveError) -> Error {
        Error::new(Code::Move, error.to_string())
    }
}

/// A text with its control characters escaped, so that none ends the line or controls a terminal.
fn one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let escaped = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}

/// The known name that a misspelled one probably means: at most two letters differ.
///
/// ```
/// assert_eq!(nply::nearest("brss", &["maxn", "brs", "paranoid"]), Some("brs"));
/// assert_eq!(nply::nearest("minimax", &["maxn", "brs", "paranoid"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().copied().min_by_key(|known| distance(name, known))?;
    (distance(name, near) <= 2).then_some(near)
}

/// The Levenshtein distance of two words.
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
        let error = Error::unknown(Code::UnknownName, "game", "fokus", &["focus", "rolit"]);
        assert_eq!(error.to_string(), "unknown game \"fokus\"\n  help: did you mean \"focus\"? There are focus, rolit");
        let error = Error::unknown(Code::UnknownName, "game", "go", &["focus", "rolit"]);
        assert_eq!(error.help.as_deref(), Some("there are focus, rolit"));
    }
}
