"""What an agent found: decisions, and the trees that they come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

M = TypeVar("M")
N = TypeVar("N")


@dataclass(frozen=True)
class Line(Generic[M]):
    """One of the best few moves, with what was found of it."""

    #: The value of the move for the player to move.
    value: float | None
    #: The value for every player.
    scores: list[float] | None
    #: Every player's share of the win.
    chances: list[float] | None
    #: The principal variation that starts with the move.
    line: list[M]

    @property
    def move(self) -> M:
        """The move."""
        return self.line[0]


@dataclass(frozen=True)
class Decision(Generic[M]):
    """A chosen move and what is known about it.

    >>> import nply
    >>> tree = nply.game("tree", position="(1 5,4,1 (2 4,6,0 0,5,5))")
    >>> nply.Maxn(pruning="shallow").search(tree, depth=2)
    Decision(move='1', value=5.0, scores=[5.0, 4.0, 1.0], chances=[1.0, 0.0, 0.0], depth=2, nodes=5, line=['1'], lines=[])
    """

    #: The chosen move.
    move: M
    #: The value of the move for the player to move: a score in the evaluation's units, or a share of the win.
    value: float | None
    #: The value for every player.
    scores: list[float] | None
    #: Every player's share of the win, as far as the agent can tell.
    chances: list[float] | None
    #: Plies of the last completed iteration.
    depth: int
    #: Positions visited after the root.
    nodes: int
    #: Time used, in seconds. Two decisions that differ in nothing else are equal.
    time: float = field(repr=False, compare=False)
    #: The principal variation, this move first.
    line: list[M]
    #: The best few moves, where several were asked for (``lines=3``).
    lines: list[Line[M]]

    @classmethod
    def _of(cls, given: dict[str, object], move: Callable[[str], N]) -> Decision[N]:
        found: dict[str, Any] = dict(given)

        def along(texts: Iterable[str]) -> list[N]:
            return [move(text) for text in texts]

        lines = [Line(value, scores, chances, along(line)) for value, scores, chances, line in found.pop("lines")]
        found["move"], found["line"] = move(found["move"]), along(found["line"])
        return Decision(lines=lines, **found)


class Tree(Generic[M]):
    """The tree that a search visited, with one array for each column; row 0 is the root.

    Of a tree search, the nodes are those of the last completed iteration in visiting order. Of Monte-Carlo tree search, they are those
    that were visited most. What a node does not have is -1 among whole numbers and NaN among others.

    >>> import nply
    >>> tree = nply.Mcts().tree(nply.game("connect-four"), playouts=500)
    >>> tree.children(0).size, int(tree.visits[0])
    (7, 500)
    >>> tree.shares.shape == (len(tree), 2)
    True
    """

    #: The decision that the tree led to.
    decision: Decision[M]
    #: The rule of the search in one sentence.
    rule: str
    #: Positions visited after the root, recorded or not.
    visited: int
    #: Whether there were more nodes than were recorded.
    truncated: bool
    #: The move that led to each node; None at the root.
    moves: list[M | None]
    #: Who chooses at each node: ``own``, ``max``, ``min`` or ``leaf``.
    kinds: list[str]
    #: Why the search of a node ended early, if it did.
    cuts: list[str | None]

    def __init__(self, decision: Decision[M], text: str, svg: str, move: Callable[[str], M]) -> None:
        found = json.loads(text)
        self._nodes: list[dict[str, Any]] = found["nodes"]
        self._players: int = found["players"]
        self._svg = svg
        self.decision, self.rule = decision, found["rule"]
        self.visited, self.truncated = found["visited"], found["truncated"]
        # Some searches let a player pass where the rules of the game do not.
        known = {"pass": None} if found["nodes"] else {}
        self.moves = [None if node["move"] is None or node["move"] in known else move(node["move"]) for node in self._nodes]
        self.kinds = [node["kind"] for node in self._nodes]
        self.cuts = [node["cut"] and node["cut"]["reason"] for node in self._nodes]

    def __len__(self) -> int:
        return len(self._nodes)

    def __repr__(self) -> str:
        return f"<nply.Tree of {len(self)} nodes, {self.visited} visited after the root>"

    def _whole(self, key: str) -> NDArray[np.int64]:
        import numpy as np

        return np.array([-1 if node[key] is None else node[key] for node in self._nodes], dtype=np.int64)

    def _number(self, key: str) -> NDArray[np.float64]:
        import numpy as np

        return np.array([np.nan if node[key] is None else node[key] for node in self._nodes], dtype=np.float64)

    def _each(self, key: str) -> NDArray[np.float64]:
        import numpy as np

        none = [np.nan] * self._players
        return np.array([node[key] or none for node in self._nodes], dtype=np.float64).reshape(len(self), self._players)

    @property
    def parents(self) -> NDArray[np.int64]:
        """The row of each node's parent."""
        return self._whole("parent")

    @property
    def players(self) -> NDArray[np.int64]:
        """Who moves at each node, from 0; -1 at leaves, and where any opponent may."""
        return self._whole("player")

    @property
    def depths(self) -> NDArray[np.int64]:
        """Plies left to search; in a Monte-Carlo tree, plies from the root."""
        return self._whole("depth")

    @property
    def values(self) -> NDArray[np.float64]:
        """The root player's value, or a bound of it, where the search has one value."""
        return self._number("value")

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores of all players, where the search has them: a row for each node, a column for each player."""
        return self._each("vector")

    @property
    def alphas(self) -> NDArray[np.float64]:
        """The lower end of each node's window."""
        return self._number("alpha")

    @property
    def betas(self) -> NDArray[np.float64]:
        """The upper end of each node's window."""
        return self._number("beta")

    @property
    def visits(self) -> NDArray[np.int64]:
        """Simulations that reached each node of a Monte-Carlo tree."""
        return self._whole("visits")

    @property
    def shares(self) -> NDArray[np.float64]:
        """Every player's expected share of the win in a Monte-Carlo tree: a row for each node, a column for each player."""
        return self._each("rate")

    @property
    def chosen(self) -> NDArray[np.bool_]:
        """Whether the parent's mover chose each node."""
        import numpy as np

        return np.array([node["chosen"] for node in self._nodes], dtype=np.bool_)

    def children(self, node: int) -> NDArray[np.intp]:
        """The rows of a node's children."""
        import numpy as np

        return np.flatnonzero(self.parents == node)

    def _repr_svg_(self) -> str:
        return self._svg
