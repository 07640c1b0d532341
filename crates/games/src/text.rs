//! Reading position texts word by word, with errors that name the place.

use std::ops::RangeInclusive;

use nply::PositionError;

/// The words of a position text, one after another.
pub(crate) struct Words<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Words<'a> {
        Words { text, rest: text }
    }

    /// An error at `part`, a slice of the text.
    pub(crate) fn error<T>(&self, part: &str, expected: impl Into<String>) -> Result<T, PositionError> {
        Err(PositionError::at(self.text, part, expected))
    }

    /// The next word; `expected` describes it in the error if there is none.
    pub(crate) fn word(&mut self, expected: &str) -> Result<&'a str, PositionError> {
        self.rest = self.rest.trim_start();
        if self.rest.is_empty() {
            return self.error(self.rest, expected);
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    /// The next word, a whole number in a range.
    pub(crate) fn number(&mut self, what: &str, range: RangeInclusive<u32>) -> Result<u32, PositionError> {
        let expected = format!("{what}, from {} to {}", range.start(), range.end());
        let word = self.word(&expected)?;
        match word.parse() {
            Ok(number) if range.contains(&number) && !word.starts_with('+') => Ok(number),
            _ => self.error(word, expected),
        }
    }

    /// Checks that nothing follows.
    pub(crate) fn end(self) -> Result<(), PositionError> {
        let rest = self.rest.trim_start();
        if rest.is_empty() { Ok(()) } else { self.error(rest, "the end") }
    }
}
