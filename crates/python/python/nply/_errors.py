"""Errors of nply as exceptions: the message and the help are those of the command."""

from __future__ import annotations


class Error(Exception):
    """What went wrong, and where there is one, what would be right.

    >>> import nply
    >>> try:
    ...     nply.game("fokus")
    ... except nply.Error as error:
    ...     print(error.code, error.message, error.help, sep="\\n")
    unknown-name
    unknown game "fokus"
    did you mean "focus"? There are chinese-checkers, focus, rolit, othello, four-player-chess, connect-four, hearts, spades, tree
    """

    #: The kind of error, as the command writes it with ``--json``.
    code: str
    #: What is wrong, in one line.
    message: str
    #: What would be right.
    help: str | None

    def __init__(self, code: str, message: str, help: str | None = None) -> None:
        super().__init__(message if help is None else f"{message}\n  help: {help}")
        self.code, self.message, self.help = code, message, help

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, str | None]]:
        return type(self), (self.code, self.message, self.help)


class UsageError(Error, ValueError):
    """A request that can never succeed: an unknown name, a setting that does not exist, a value that is not allowed."""


class FileError(Error, OSError):
    """A file that cannot be read or written, or is not what it should be."""


_CLASSES: dict[str, type[Error]] = {
    "usage": UsageError,
    "unknown-name": UsageError,
    "unknown-setting": UsageError,
    "bad-value": UsageError,
    "refused": UsageError,
    "position": UsageError,
    "move": UsageError,
    "file": FileError,
}


def make(code: str, message: str, help: str | None) -> Error:
    """The exception of an error."""
    return _CLASSES.get(code, Error)(code, message, help)
