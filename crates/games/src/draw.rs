//! Colours of a terminal, for pictures of positions.

use std::fmt;

/// The colours of players, in the order in which most games use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    White,
    /// What is there but matters little: empty fields, coordinates.
    Dim,
}

/// Writes text in a colour if the alternate form (`{:#}`) is asked for, and plainly otherwise.
pub(crate) fn paint(f: &mut fmt::Formatter<'_>, colour: Colour, text: impl fmt::Display) -> fmt::Result {
    if !f.alternate() {
        return write!(f, "{text}");
    }
    let code = match colour {
        Colour::Red => "1;31",
        Colour::Green => "1;32",
        Colour::Yellow => "1;33",
        Colour::Blue => "1;34",
        Colour::Magenta => "1;35",
        Colour::Cyan => "1;36",
        Colour::White => "1;37",
        Colour::Dim => "2",
    };
    write!(f, "\x1b[{code}m{text}\x1b[0m")
}
