"""Games: those of nply by name, and your own as a subclass of `Game`."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NoReturn, TypeVar, cast

from . import _nply
from ._errors import Error
from ._nply import Position

M = TypeVar("M")


class Game(Generic[M]):
    """A position of a game of your own: six methods, and every agent plays it.

    A position never changes: `play` returns another one. Players are numbered from 0. A move is any object whose text (``str``) is one
    word and differs from those of the other moves. The text is what agents, files and tables know of it.

    >>> import nply
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Sticks(nply.Game[int]):
    ...     '''Three players take one to three sticks in turn; whoever takes the last one wins.'''
    ...     left: int = 12
    ...     mover: int = 0
    ...     def player_count(self): return 3
    ...     def turn(self): return self.mover
    ...     def moves(self): return range(1, min(self.left, 3) + 1)
    ...     def play(self, m): return Sticks(self.left - m, (self.mover + 1) % 3)
    ...     def payoff(self):
    ...         return None if self.left else [float((player + 1) % 3 == self.mover) for player in range(3)]
    ...     def key(self): return self.left * 3 + self.mover
    >>> nply.check_game(Sticks())
    >>> nply.Maxn().search(Sticks(), depth=12).move
    2
    """

    #: The name in tables and files; by default that of the class.
    name: str
    #: The most that the random factor of tournaments adds to a score, so that games between fixed programs differ.
    noise: int = 1

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower().strip("_").replace("_", "-")

    def _missing(self, method: str) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} has no method {method}: a game needs {', '.join(REQUIRED)}")

    def player_count(self) -> int:
        """Number of players, the same from the start to the end: 2 to 6."""
        self._missing("player_count")

    def turn(self) -> int:
        """The player to move."""
        self._missing("turn")

    def moves(self) -> Iterable[M]:
        """The legal moves of the player to move, always in the same order. Whoever is stuck has a pass as the only move."""
        self._missing("moves")

    def play(self, m: M) -> Game[M]:
        """The position after a legal move. This one stays as it is."""
        self._missing("play")

    def payoff(self) -> Sequence[float] | None:
        """Each player's share of the win, or None while the game is not over. Shares sum to 1."""
        self._missing("payoff")

    def key(self) -> object:
        """What tells this position from others, the player to move included: a whole number, of which 64 bits count, or anything else
        whose ``repr`` says it all. Python's ``hash`` of a text differs from run to run, and searches with it."""
        self._missing("key")

    # What a game can add.

    def evaluate(self) -> Sequence[int]:
        """The scores of a position that is not over, one for each player. Without it, everybody is equal until the end."""
        self._missing("evaluate")

    def bounds(self) -> tuple[Sequence[int], int]:
        """The least score of each player and the greatest sum of all, in this position and all that can follow. `evaluate` needs it."""
        raise NotImplementedError(f"{type(self).__name__} has evaluate and no bounds: the least score of each player, the greatest sum")

    def rate(self, m: M, against: int | None) -> int:
        """How promising a move is: higher ones are tried first. The mover wants the best for itself or, if `against` is a player, the
        worst for that player."""
        self._missing("rate")

    def with_turn(self, player: int) -> Game[M]:
        """The same position with another player to move, as Best-Reply Search needs it. Who has no move then has a pass."""
        self._missing("with_turn")

    def deal(self, seed: int) -> Game[M]:
        """The start of a game with this seed, where cards are dealt. By default every game starts from the position given."""
        self._missing("deal")

    def determinize(self, observer: int, seed: int) -> Game[M]:
        """A position that `observer` cannot tell from this one, where something is hidden."""
        self._missing("determinize")

    def is_in(self, player: int) -> bool:
        """Whether a player still takes part."""
        self._missing("is_in")

    def points(self) -> Sequence[float] | None:
        """Raw points, where the game counts them."""
        self._missing("points")

    def history_matters(self) -> bool:
        """Whether the result may depend on how the position arose, so that the transposition table is not asked."""
        self._missing("history_matters")

    def to_text(self) -> str:
        """The position in one line; by default its ``repr``."""
        self._missing("to_text")

    @classmethod
    def from_text(cls, text: str) -> Game[M]:
        """The position that a text stands for."""
        raise NotImplementedError(f"{cls.__name__} has no method from_text")


#: The methods that every game has.
REQUIRED = ["player_count", "turn", "moves", "play", "payoff", "key"]


def game(
    game: str | Game[Any] | type[Game[Any]],
    players: int | None = None,
    *,
    position: str | None = None,
    seed: int = 1,
    **options: object,
) -> Position:
    """The start of a game, or a position of it.

    Options are those of the game, by keyword or as the command writes them. The seed decides the deal, where there is one. A game of your
    own can be given as its start position, or as a class that needs no arguments.

    >>> import nply
    >>> nply.game("connect-four", players=3, line=3).game
    'connect-four:line=3'
    >>> nply.game("connect-four:line=3").players
    2
    """
    if isinstance(game, str):
        if not options:
            return _nply.open(game, players, position, seed)
        name, _, given = game.partition(":")
        if given:
            raise TypeError("options are written after the name or as keywords, not both")
        keys = {key.replace("_", "-"): value for key, value in options.items() if value is not None}
        return _nply.open(json.dumps({"name": name, **keys}), players, position, seed)
    if options or players is not None or position is not None:
        raise TypeError("a game of your own is its start position: players and options are its own")
    return _nply.own(instance(game), seed)


def instance(game: Game[Any] | type[Game[Any]]) -> Game[Any]:
    """The start position of a game of one's own."""
    start = game() if isinstance(game, type) else game
    if not isinstance(start, Game):
        raise TypeError(f"expected a position, the name of a game or a nply.Game, not {type(start).__name__}")
    return start


def position_of(position: Position | Game[Any]) -> tuple[Position, Callable[[str], Any]]:
    """A position to search in, and what its moves are to whoever searches."""
    if isinstance(position, Position):
        return position, str
    opened = _nply.own(instance(position))

    def move(text: str) -> object:
        return opened._move(text)

    return opened, move


def restore(
    root: Game[Any] | None, name: str, players: int, position: str | None, seed: int, moves: list[str]
) -> Position:
    """A position from what it was opened with and the moves since, as it is pickled."""
    opened = _nply.open(name, players, position, seed) if root is None else _nply.own(root, seed)
    return opened.play(*moves) if moves else opened


class RulesError(Error):
    """Rules that contradict each other."""

    def __init__(self, message: str) -> None:
        super().__init__("failed", message)

    def __reduce__(self) -> tuple[type[Error], Any]:
        return type(self), (self.message,)


def check_game(game: Game[Any] | type[Game[Any]], games: int = 20) -> None:
    """Plays random games and checks in every position what every game promises.

    A move exists unless the game is over; moves are distinct; shares sum to 1; `play` leaves the position as it was; the same moves lead to
    the same position; scores stay within their bounds; who gets the turn has a move. The error names the moves that lead there.

    >>> import nply
    >>> class Endless(nply.Game[int]):
    ...     def player_count(self): return 2
    ...     def turn(self): return 0
    ...     def moves(self): return [1, 1]
    ...     def play(self, m): return self
    ...     def payoff(self): return None
    ...     def key(self): return 0
    >>> nply.check_game(Endless)
    Traceback (most recent call last):
    nply._own.RulesError: moves are distinct: two are 1; after []
    """
    start = instance(game)
    for seed in range(games):
        _check_play(start.deal(seed) if type(start).deal is not Game.deal else start, seed)
    try:
        _nply.check_rules(start, games)
    except Error as error:
        raise RulesError(error.message) from None


def _image(game: Game[Any]) -> tuple[Any, ...]:
    payoff = game.payoff()
    moves = [] if payoff is not None else [str(m) for m in game.moves()]
    return game.turn(), moves, payoff and list(payoff), repr(game.key())


def _check_play(game: Game[Any], seed: int) -> None:
    """What can be seen only with the objects themselves."""
    rng, line = random.Random(seed), cast("list[str]", [])
    # Where a game that has no end is found out.
    for _ in range(10_000):
        if game.payoff() is not None:
            return
        before, moves = _image(game), list(game.moves())
        context = f"after [{', '.join(line)}]"
        if not moves:
            raise RulesError(f"moves exist unless the game is over; {context}")
        texts = [str(m) for m in moves]
        if len(set(texts)) < len(texts):
            raise RulesError(f"moves are distinct: two are {max(texts, key=texts.count)}; {context}")
        m = rng.choice(moves)
        after = game.play(m)
        if not isinstance(after, Game):
            raise RulesError(f"play({m}) returns the position afterwards, not {after!r}; {context}")
        if _image(game) != before:
            raise RulesError(f"play({m}) leaves the position as it was; {context}")
        if _image(after) != _image(game.play(m)):
            raise RulesError(f"play({m}) leads to the same position every time; {context}")
        line.append(str(m))
        game = after
    raise RulesError(f"a game ends: this one goes on after {len(line)} moves")
