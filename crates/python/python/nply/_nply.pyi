from _typeshed import SupportsGetItem
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final

__all__ = ["FINGERPRINT", "VERSION", "Collection", "Compared", "Experiment", "Found", "Outcome", "Position", "Prepared", "Steps", "Tuning", "agents", "check_agent", "check_rules", "experiment", "experiments", "games", "open", "own", "play_games", "prepare", "read", "settings_of", "tuning"]

FINGERPRINT: Final[str]
"""
Two programs with the same fingerprint search alike.
"""

VERSION: Final[str]

@final
class Collection:
    """
    The games of a match as they arrive, in any order and some of them twice: kept in a file, and counted in the order of their
    numbers, so that the result is that of one process.
    """
    def __len__(self, /) -> int:
        """
        Number of games that are there.
        """
    def __new__(cls, /, prepared: Prepared, db: str | PathLike[str] | None) -> Collection:
        """
        The games of a match that are in the file already, if there is one.
        """
    def add(self, /, records: SupportsGetItem[int, str]) -> None:
        """
        Adds records of games. Those that are there already change nothing.
        """
    @property
    def decided(self, /) -> bool:
        """
        Whether the sequential test is decided.
        """
    def description(self, /) -> str:
        """
        The match as plain data, for `play_games`.
        """
    def missing(self, /) -> list[int]:
        """
        The numbers of the games that are not there.
        """
    def needs(self, /) -> tuple[int, int]:
        """
        The cores that a game takes, and the most bytes of memory.
        """
    def outcome(self, /) -> Outcome:
        """
        What the games add up to.
        """
    def rates(self, /) -> list[tuple[str, float, float, float]]:
        """
        The agents' rates with their intervals.
        """
    @property
    def total(self, /) -> int:
        """
        Number of games of the whole match.
        """

@final
class Compared:
    """
    A table of a paper beside what was measured here.
    """
    def json(self, /) -> str:
        """
        All of it as JSON.
        """
    @property
    def summary(self, /) -> str:
        """
        The verdicts in one line, and what to know about the table.
        """
    def table(self, /) -> tuple[str, list[str], list[list[str]]]:
        """
        The table: caption, names of the columns, rows.
        """
    def text(self, /, format: str) -> str:
        """
        The table as `text`, `markdown`, `csv` or `latex`.
        """

@final
class Experiment:
    """
    A file of matches with the figures of a paper, or without.
    """
    def compare(self, /, outcomes: SupportsGetItem[int, Outcome]) -> Compared:
        """
        The figures of the paper beside those of the matches' games.
        """
    def json(self, /) -> str:
        """
        Name, title, source and note, as JSON.
        """
    def matches(self, /) -> list[Prepared]:
        """
        The matches, with the names that they have in files of games.
        """

@final
class Found:
    """
    What a tuning found.
    """
    def json(self, /) -> str:
        """
        All of it as JSON.
        """
    def notes(self, /) -> list[str]:
        """
        Candidates that were left out, and the standing after each match.
        """
    def text(self, /) -> str:
        """
        All of it as text.
        """
    def toml(self, /) -> str:
        """
        The entry as it stands in the table.
        """

@final
class Outcome:
    """
    The games of a match and what they add up to.
    """
    def __len__(self, /) -> int: ...
    @property
    def done(self, /) -> bool:
        """
        Whether all games were played, or enough for a verdict.
        """
    def games(self, /) -> list[str]:
        """
        Every game, as JSON.
        """
    def json(self, /) -> str:
        """
        Everything that the games add up to, as JSON.
        """
    @property
    def name(self, /) -> str:
        """
        The name of the match.
        """
    def settings(self, /) -> str:
        """
        The settings that the games depend on, as JSON.
        """
    def svg(self, /) -> str:
        """
        The rates with their intervals, as SVG.
        """
    def tables(self, /) -> list[tuple[str, list[str], list[list[str]]]]:
        """
        The tables: caption, names of the columns, rows.
        """
    def text(self, /, format: str) -> str:
        """
        The tables as `text`, `markdown`, `csv` or `latex`.
        """
    @property
    def verdict(self, /) -> str | None:
        """
        The outcome of the sequential test, if there was one.
        """

@final
class Position:
    """
    A position of a game. It never changes: `play` returns another one.

    Players are numbered from 0, as in Python's lists.

    >>> import nply
    >>> position = nply.game("connect-four").play("d", "d", "e")
    >>> position.text
    '......./......./......./......./...2.../...11.. 2'
    >>> position.turn
    1
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __reduce__(self, /) -> "tuple[object, ...]":
        """
        By what it was opened with, and the moves since.
        """
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """
        The position as a picture in characters.
        """
    def _explain(self, /, agent: str, limits: str, seed: SupportsIndex, nodes: SupportsIndex, evaluation: Any | None = None) -> "tuple[dict[str, object], str, str]":
        """
        The same, with the tree that the agent visited as JSON and as SVG.
        """
    def _move(self, /, text: str) -> "object":
        """
        The move of a game in Python that a text stands for.
        """
    def _repr_html_(self, /) -> str | None: ...
    def _repr_svg_(self, /) -> str | None: ...
    def _search(self, /, agent: str, limits: str, seed: SupportsIndex, evaluation: Any | None = None) -> "dict[str, object]":
        """
        Asks an agent for a move, which judges positions by an `nply.Evaluation` if there is one.
        """
    def _steps(self, /) -> Steps:
        """
        The game from here on, played in place.
        """
    def bounds(self, /, evaluation: str | None = None) -> tuple[list[int], int]:
        """
        The least score of each player and the greatest sum of all by the same evaluation, in this position and all that can follow it.

        >>> import nply
        >>> nply.game("rolit", 3).bounds("discs")
        ([0, 0, 0], 64000)
        """
    def chances(self, /, evaluation: str | None = None) -> list[float] | None:
        """
        Each player's share of the win by those scores, or None if the evaluation has not been calibrated.
        """
    def divide(self, /, depth: SupportsIndex, threads: SupportsIndex = 1) -> "dict[str, int]":
        """
        `perft`, split by the first move.

        >>> import nply
        >>> nply.game("othello").divide(2)
        {'c4': 3, 'd3': 3, 'e6': 3, 'f5': 3}
        """
    @property
    def game(self, /) -> str:
        """
        The game with its options, as text.
        """
    def moves(self, /) -> list[str]:
        """
        The legal moves, in the game's own order; none once the game is over.

        >>> import nply
        >>> nply.game("rolit").play("f4").moves()
        ['c3', 'c5', 'e3', 'g3']
        """
    @property
    def payoff(self, /) -> list[float] | None:
        """
        Each player's share of the win once the game is over, otherwise None.
        """
    def perft(self, /, depth: SupportsIndex, threads: SupportsIndex = 1) -> int:
        """
        Number of sequences of exactly `depth` moves.

        >>> import nply
        >>> [nply.game("othello").perft(depth) for depth in range(1, 5)]
        [4, 12, 56, 244]
        """
    def play(self, /, *moves: "str") -> Position:
        """
        The position after one or more moves. A text may hold several, separated by spaces.

        >>> import nply
        >>> nply.game("tree").play("2").text
        '(2 4,6,0 0,5,5)'
        """
    @property
    def played(self, /) -> list[str]:
        """
        The moves played since the game was opened.
        """
    @property
    def players(self, /) -> int:
        """
        Number of players.
        """
    @property
    def points(self, /) -> list[float] | None:
        """
        Raw points of the players, where the game counts them.
        """
    def scores(self, /, evaluation: str | None = None) -> list[int]:
        """
        What an evaluation, or the game's usual one, gives each player in a position that is not over.

        >>> import nply
        >>> nply.game("connect-four").play("d").scores()
        [14, 0]
        """
    def svg(self, /, arrows: str = "", everything: bool = True) -> str | None:
        """
        The position as SVG, with moves from here as arrows; None if the game has no picture.

        Cards that the player to move does not see are hidden, unless `everything` is to be seen.
        """
    @property
    def text(self, /) -> str:
        """
        The position in one line, which `nply.game` reads back.
        """
    @property
    def turn(self, /) -> int:
        """
        The player to move, from 0.
        """

@final
class Prepared:
    """
    A match that is yet to be played.
    """
    def __len__(self, /) -> int: ...
    @property
    def name(self, /) -> str:
        """
        The name of the match.
        """
    def play(self, /, threads: SupportsIndex, db: str | PathLike[str] | None, watch: Any | None) -> Outcome:
        """
        Plays it here. `watch` is told now and then how many games there are of how many, and the agents' rates with their intervals.
        """
    def root(self, /) -> "object":
        """
        The start of a game in Python.
        """

@final
class Steps:
    """
    A game that is played in place. Players are numbered from 0.
    """
    def __reduce__(self, /) -> "tuple[object, ...]":
        """
        By its position.
        """
    @property
    def actions(self, /) -> int:
        """
        How many numbers moves have.
        """
    @property
    def grid(self, /) -> tuple[int, int]:
        """
        The rows and columns of every plane.
        """
    def moves(self, /) -> list[tuple[str, int]]:
        """
        The legal moves as text with their numbers, in the game's own order.
        """
    def observe(self, /, player: SupportsIndex | None = None) -> tuple[bytearray, bytearray]:
        """
        What a player sees, or who sees everything: the planes as float32, and a byte for each number of a move, 1 if the player may play it.
        """
    @property
    def payoff(self, /) -> list[float] | None:
        """
        Each player's share of the win once the game is over, otherwise None.
        """
    def picture(self, /, player: SupportsIndex | None = None, color: bool = False) -> str:
        """
        The picture in characters that a player sees, or who sees everything.
        """
    @property
    def planes(self, /) -> list[str]:
        """
        The names of the planes.
        """
    @property
    def players(self, /) -> int:
        """
        Number of players.
        """
    @property
    def position(self, /) -> Position:
        """
        The position, which stays as it is.
        """
    def reset(self, /, seed: SupportsIndex) -> tuple[int, int]:
        """
        Back to the start, with the deal of this seed; returns `turn`.
        """
    def step(self, /, action: SupportsIndex) -> tuple[int, int]:
        """
        Plays the legal move with this number; returns `turn`.
        """
    def svg(self, /, player: SupportsIndex | None = None) -> str | None:
        """
        The picture as SVG, or None if the game has none.
        """
    @property
    def turn(self, /) -> tuple[int, int]:
        """
        The player to move, or -1 if the game is over; and whether each player still takes part, one bit each.
        """

@final
class Tuning:
    """
    A tuning that is yet to be played, with the candidates of its first match.
    """
    def candidates(self, /) -> list[str]:
        """
        The candidates of the first match.
        """
    def run(self, /, play: Any) -> Found:
        """
        Plays it. `play` is called with each match that is to be played, and returns its outcome.
        """

def agents() -> str:
    """
    The declarations of all agents, as JSON: each with its settings, those of the games' orderings and its limits, in order, with schemas.
    """

def check_agent(agent: str) -> tuple[str | None, str]:
    """
    Checks an agent that is given as JSON, for any game that takes it, and returns its label and its name with settings.
    """

def check_rules(game: Any, games: SupportsIndex) -> None:
    """
    Plays random games and checks what every game promises.
    """

def experiment(id: str, select: str | None, games: SupportsIndex | None, scale: SupportsFloat | SupportsIndex, budget_scale: SupportsFloat | SupportsIndex) -> Experiment:
    """
    The matches of an experiment, or of a file `*.toml`, at a scale.
    """

def experiments() -> list[tuple[str, str]]:
    """
    The names of the experiments, each with what it compares.
    """

def games() -> str:
    """
    The declarations of all games, as JSON.
    """

def open(game: str, players: SupportsIndex | None = None, position: str | None = None, seed: SupportsIndex = 1) -> Position:
    """
    Opens a game by its name with options, as JSON or as it is written in text.
    """

def own(game: Any, seed: SupportsIndex = 1) -> Position:
    """
    The position of a game in Python that an object stands for.
    """

def play_games(root: Any | None, description: str, numbers: SupportsGetItem[int, SupportsIndex]) -> list[str]:
    """
    Plays games of a match that is given as its description, and returns their records as JSON. `root` is the start of a game in
    Python.
    """

def prepare(game: Position, asked: str, name: str) -> Prepared:
    """
    Prepares a match that is described as JSON.
    """

def read(path: str | PathLike[str], select: str | None = None) -> Outcome:
    """
    Reads a match from a file of games; `select` names it if there are several.
    """

def settings_of(agent: str) -> dict[str, str]:
    """
    The settings in an agent's name, as texts.
    """

def tuning(game: Position, asked: str) -> Tuning:
    """
    Prepares a tuning that is described as JSON.
    """
