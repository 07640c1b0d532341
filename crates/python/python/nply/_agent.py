"""Agents: a name with settings, and what they find in a position."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from . import _nply
from ._decision import Decision, Tree
from ._errors import UsageError
from ._evaluation import Evaluation, checked
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
    #: Whether it has an evaluation.
    _evaluates: bool = False
    #: The agent inside it, if none is named.
    _inside: str | None = None

    def __init__(self, *, evaluation: Evaluation | None = None, **settings: object) -> None:
        # The evaluation of an agent inside is that of the whole.
        inside = [value.evaluation for value in settings.values() if isinstance(value, Agent) and value.evaluation is not None]
        if inside and evaluation is not None:
            raise TypeError("the evaluation is given here or with the agent inside, not both")
        given = {key.replace("_", "-"): plain(value) for key, value in settings.items() if value is not None}
        given.update({key: time_text(value) for key, value in given.items() if key in self._times})
        label, self._spec = _nply.check_agent(json.dumps({"name": self.name, **given}))
        self._label: str | None = label
        self._evaluation = self._judged(inside[0] if inside else evaluation)

    @classmethod
    def _read(cls, label: str | None, spec: str, evaluation: Evaluation | None = None) -> Self:
        agent = cls.__new__(cls)
        agent._label, agent._spec = label, spec
        agent._evaluation = agent._judged(evaluation)
        return agent

    def _judged(self, evaluation: Evaluation | None) -> Evaluation | None:
        """An evaluation that the settings go with."""
        if evaluation is None:
            return None
        settings = _nply.settings_of(self._spec)
        inner = settings.get("agent", self._inside)
        if inner is not None:
            return agent(inner, evaluation).evaluation
        if not self._evaluates:
            raise UsageError("refused", f"{self.name} does not evaluate positions", "these do: maxn, paranoid, brs, brs+, mcts and others")
        if "eval" in settings:
            raise UsageError("refused", f"eval={settings['eval']} is an evaluation of the game, and another one is given", "leave out eval")
        if settings.get("noise") == "yes":
            raise UsageError("refused", "noise=yes is for the game's own evaluations", "add noise in evaluate")
        return checked(evaluation)

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of your own that it judges positions by, if there is one."""
        return self._evaluation

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
        return self._read(label, self._spec, self._evaluation)

    @property
    def _text(self) -> str:
        return self._spec if self._label is None else f"{self._label}={self._spec}"

    def __repr__(self) -> str:
        return f"nply.agent({self._text!r}{'' if self._evaluation is None else f', evaluation={self._evaluation!r}'})"

    def __str__(self) -> str:
        # What is more than a name is no text that is read back.
        return self._text if self._evaluation is None else f"{self._text} with {self._evaluation!r}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Agent) and self._text == other._text and self._evaluation is other._evaluation

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return agent, (self._text, self._evaluation)

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
        found = opened._search(self._spec, limits_text(depth, nodes, playouts, time), seed, self._evaluation)
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
        limits = limits_text(depth, nodes, playouts, time)
        found, text, svg = opened._explain(self._spec, limits, seed, recorded, self._evaluation)
        return Tree(Decision._of(found, move), text, svg, move)


#: The class of each agent, by its name.
CLASSES: dict[str, type[Agent]] = {}


def agent(text: str | Agent, evaluation: Evaluation | None = None) -> Agent:
    """The agent that a text names, as the command does: ``name[:key=value,…]``, with a label before it if there is one. It judges positions
    by the evaluation, if one is given.

    >>> import nply
    >>> nply.agent("deep=brs:table=1M,score=own")
    nply.agent('deep=brs:score=own,table=1M')
    >>> type(nply.agent("brs+"))
    <class 'nply.agents.BrsPlus'>
    """
    if isinstance(text, Agent):
        return text if evaluation is None else text._read(text.label, text.spec, evaluation)
    label, spec = _nply.check_agent(json.dumps(text))
    return CLASSES[spec.partition(":")[0]]._read(label, spec, evaluation)
