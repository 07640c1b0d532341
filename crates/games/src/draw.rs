//! Terminal colors for pictures of positions.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Color {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    White,
    /// For what matters little: empty fields, coordinates.
    Dim,
}

/// Writes text in a color if the alternate form (`{:#}`) is requested, and plainly otherwise.
pub(crate) fn paint(f: &mut fmt::Formatter<'_>, color: Color, text: impl fmt::Display) -> fmt::Result {
    if !f.alternate() {
        return write!(f, "{text}");
    }
    let code = match color {
        Color::Red => "1;31",
        Color::Green => "1;32",
        Color::Yellow => "1;33",
        Color::Blue => "1;34",
        Color::Magenta => "1;35",
        Color::Cyan => "1;36",
        Color::White => "1;37",
        Color::Dim => "2",
    };
    write!(f, "\x1b[{code}m{text}\x1b[0m")
}
