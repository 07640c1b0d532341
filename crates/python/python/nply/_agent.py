"""Agents: a name with settings, and what they find in a position."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from . import _nply
from ._decision import Decision, Tree
from ._nply import Position
from ._own import Game, position_of

if TYPE_CHECKING:
    from typing_extensions import Self

M = TypeVar("M")

#: A whole number, also one of NumPy, or text: ``"250k"``.
Count = SupportsIndex | str
#: Seconds, or text with a unit: ``"100ms"``.
Time = float | str


def time_text(time: object) -> object:
    """A time as nply writes it, of seconds or a text."""
    return f"{time * 1e3:.6f}ms" if isinstance(time, (int, float)) else time


def limits_text(depth: Count | None, nodes: Count | None, playouts: Count | None, time: Time | None) -> str:
    """Limits as nply writes them."""
    limits = {"depth": depth, "nodes": nodes, "playouts": playouts, "time": time_text(time)}
    return ",".join(f"{key}={value}" for key, value in limits.items() if value is not None)


def plain(value: object) -> object:
    """A setting as JSON has it."""
    if isinstance(value, Agent):
        return value.spec
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    if hasattr(value, "item"):
        # A number of NumPy.
        return value.item()
    return value


class Agent:
    """Chooses moves: an algorithm with its settings. `nply.agent` makes one of its text, and there is a class for each algorithm.

    >>> import nply
    >>> nply.agent("brs:score=own") == nply.Brs(score="own")
    True
    """

    #: The name, as the command has it.
    name: str = ""
    #: The settings that are times.
    _times: frozenset[str] = frozenset()

    def __init__(self, **settings: object) -> None:
        given = {key: plain(value) for key, value in settings.items() if value is not None}
        given.update({key: time_text(value) for key, value in given.items() if key in self._times})
        label, self._spec = _nply.check_agent(json.dumps({"name": self.name, **given}))
        self._label: str | None = label

    @classmethod
    def _read(cls, label: str | None, spec: str) -> Self:
        agent = cls.__new__(cls)
        agent._label, agent._spec = label, spec
        return agent

    @property
    def spec(self) -> str:
        """The name with the settings that differ from their defaults, as the command writes it."""
        return self._spec

    @property
    def label(self) -> str | None:
        """How it is called in tables, if not by its settings."""
        return self._label

    def labelled(self, label: str) -> Self:
        """The same agent under another name in tables."""
        return self._read(label, self._spec)

    def __repr__(self) -> str:
        return f"nply.agent({str(self)!r})"

    def __str__(self) -> str:
        return self._spec if self._label is None else f"{self._label}={self._spec}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Agent) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return agent, (str(self),)

    @overload
    def search(
        self,
        position: Position,
        *,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        seed: int = 1,
    ) -> Decision[str]: ...

    @overload
    def search(
        self,
        position: Game[M],
        *,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        seed: int = 1,
    ) -> Decision[M]: ...

    def search(
        self,
        position: Position | Game[Any],
        *,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        seed: int = 1,
    ) -> Decision[Any]:
        """Chooses a move of a game that is not over. Whichever limit is met first ends the search; time is in seconds.

        Other Python threads run meanwhile, and Ctrl-C ends the search. The same agent, limits of nodes and seed give the same answer
        on every machine.

        >>> import nply
        >>> decision = nply.Brs().search(nply.game("focus", players=3), nodes=2000)
        >>> decision.nodes
        2000
        >>> decision.move in nply.game("focus", players=3).moves()
        True
        """
        opened, move = position_of(position)
        found = opened._search(self._spec, limits_text(depth, nodes, playouts, time), seed)
        return Decision._of(found, move)

    @overload
    def tree(
        self,
        position: Position,
        *,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        seed: int = 1,
        recorded: int = 2000,
    ) -> Tree[str]: ...

    @overload
    def tree(
        self,
        position: Game[M],
        *,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        seed: int = 1,
        recorded: int = 2000,
    ) -> Tree[M]: ...

    def tree(
        self,
        position: Position | Game[Any],
        *,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        seed: int = 1,
        recorded: int = 2000,
    ) -> Tree[Any]:
        """Chooses a move as `search` does, and records the tree that it visits: at most so many nodes.

        >>> import nply
        >>> tree = nply.Paranoid().tree(nply.game("tree", position="(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))"), depth=2)
        >>> tree.decision.move, tree.visited, tree.cuts
        ('1', 5, [None, None, None, None, None, 'alpha-beta', None])
        """
        opened, move = position_of(position)
        found, text, svg = opened._explain(self._spec, limits_text(depth, nodes, playouts, time), seed, recorded)
        return Tree(Decision._of(found, move), text, svg, move)


#: The class of each agent, by its name.
CLASSES: dict[str, type[Agent]] = {}


def agent(text: str | Agent) -> Agent:
    """The agent that a text names, as the command does: ``name[:key=value,…]``, with a label before it if there is one.

    >>> import nply
    >>> nply.agent("deep=brs:table=1M,score=own")
    nply.agent('deep=brs:score=own,table=1M')
    >>> type(nply.agent("brs+"))
    <class 'nply.agents.BrsPlus'>
    """
    if isinstance(text, Agent):
        return text
    label, spec = _nply.check_agent(json.dumps(text))
    return CLASSES[spec.partition(":")[0]]._read(label, spec)
