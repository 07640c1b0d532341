"""A class for each agent of nply."""

# Written by tools/python stubs.

from collections.abc import Sequence
from typing import Any, Literal

from ._agent import Agent, Count, Time
from ._evaluation import Evaluation

class Random(Agent):
    """Any legal move, each with the same probability."""

    def __init__(
        self,
    ) -> None: ...

class Greedy(Agent):
    """The move that looks best for the mover one ply ahead; ties are broken at random."""

    def __init__(
        self,
        *,
        eval: str | None = None,
        noise: bool | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Alphabeta(Agent):
    """Alpha-beta, for two players."""

    def __init__(
        self,
        *,
        score: Literal['difference', 'own'] | None = None,
        table: Count | str | Literal['off'] | None = None,
        order: Literal['own', 'against', 'none'] | None = None,
        width: Count | Literal['all'] | None = None,
        partial: bool | None = None,
        equals: Literal['first', 'random'] | None = None,
        lines: Count | None = None,
        count: Literal['visits', 'expansions'] | None = None,
        threads: Count | None = None,
        killers: bool | None = None,
        history: bool | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Maxn(Agent):
    """Max^n: every player maximizes its own score."""

    def __init__(
        self,
        *,
        pruning: Literal['none', 'shallow', 'bound', 'last-branch', 'speculative'] | None = None,
        ties: Literal['left', 'cautious'] | None = None,
        score: Literal['own', 'difference', 'relative'] | None = None,
        mu: Count | None = None,
        table: Count | str | Literal['off'] | None = None,
        order: Literal['own', 'against', 'none'] | None = None,
        width: Count | Literal['all'] | None = None,
        partial: bool | None = None,
        equals: Literal['first', 'random'] | None = None,
        lines: Count | None = None,
        count: Literal['visits', 'expansions'] | None = None,
        threads: Count | None = None,
        killers: Literal['no'] | None = None,
        history: Literal['no'] | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Paranoid(Agent):
    """Paranoid: all opponents play against the player to move."""

    def __init__(
        self,
        *,
        score: Literal['difference', 'own'] | None = None,
        table: Count | str | Literal['off'] | None = None,
        order: Literal['own', 'against', 'none'] | None = None,
        width: Count | Literal['all'] | None = None,
        partial: bool | None = None,
        equals: Literal['first', 'random'] | None = None,
        lines: Count | None = None,
        count: Literal['visits', 'expansions'] | None = None,
        threads: Count | None = None,
        killers: bool | None = None,
        history: bool | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Brs(Agent):
    """Best-Reply Search: one opponent replies to each move, the one who does most harm."""

    def __init__(
        self,
        *,
        score: Literal['difference', 'own'] | None = None,
        table: Count | str | Literal['off'] | None = None,
        order: Literal['own', 'against', 'none'] | None = None,
        width: Count | Literal['all'] | None = None,
        partial: bool | None = None,
        equals: Literal['first', 'random'] | None = None,
        lines: Count | None = None,
        count: Literal['visits', 'expansions'] | None = None,
        threads: Count | None = None,
        killers: bool | None = None,
        history: bool | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class BrsPlus(Agent):
    """BRS+: one opponent replies, the others play a special move in turn."""

    def __init__(
        self,
        *,
        special: Literal['against', 'own', 'pass'] | None = None,
        top: Count | None = None,
        score: Literal['difference', 'own'] | None = None,
        table: Count | str | Literal['off'] | None = None,
        order: Literal['own', 'against', 'none'] | None = None,
        width: Count | Literal['all'] | None = None,
        partial: bool | None = None,
        equals: Literal['first', 'random'] | None = None,
        lines: Count | None = None,
        count: Literal['visits', 'expansions'] | None = None,
        threads: Count | None = None,
        killers: bool | None = None,
        history: bool | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Mcts(Agent):
    """Monte-Carlo tree search: UCT with Progressive History, a solver and Playout Search."""

    def __init__(
        self,
        *,
        c: float | None = None,
        w: float | None = None,
        epsilon: float | None = None,
        k: Count | None = None,
        playout: Literal['one-ply', 'random', 'move', 'maxn', 'paranoid', 'brs'] | None = None,
        policy: Literal['maxn', 'paranoid', 'brs'] | None = None,
        solver: Literal['standard', 'paranoid', 'first-winner', 'off'] | None = None,
        cutoff: Count | Literal['off'] | None = None,
        batch: Count | None = None,
        killers: bool | None = None,
        first: Literal['order', 'random'] | None = None,
        ties: Literal['order', 'random'] | None = None,
        score: Literal['own', 'difference'] | None = None,
        reuse: bool | None = None,
        memory: Count | str | None = None,
        lines: Count | None = None,
        threads: Count | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Worlds(Agent):
    """A vote of an agent over several guesses of what is hidden."""

    def __init__(
        self,
        *,
        n: Count | None = None,
        agent: Agent | str | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Program(Agent):
    """An outside program that speaks nply's protocol."""

    def __init__(
        self,
        *,
        path: str | None = None,
        args: Sequence[str] | None = None,
        start: Time | None = None,
        grace: Time | None = None,
        patience: Time | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
    ) -> None: ...

DECLARED: list[dict[str, Any]]

def class_name(name: str) -> str: ...
def is_time(schema: dict[str, Any]) -> bool: ...
def takes_evaluation(declared: dict[str, Any]) -> bool: ...

__all__ = [
    "Random",
    "Greedy",
    "Alphabeta",
    "Maxn",
    "Paranoid",
    "Brs",
    "BrsPlus",
    "Mcts",
    "Worlds",
    "Program",
]
