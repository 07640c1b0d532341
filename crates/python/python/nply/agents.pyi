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
        deeper: bool | None = None,
        reduce: bool | None = None,
        null: bool | None = None,
        quiet: Count | None = None,
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
        ties: Literal['left', 'cautious', 'average'] | None = None,
        score: Literal['own', 'difference', 'relative', 'share'] | None = None,
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

class SoftMaxn(Agent):
    """Soft-max^n: every value that indifferent or unknown players may lead to."""

    def __init__(
        self,
        *,
        models: Sequence[str] | None = None,
        sets: Count | Literal['all'] | None = None,
        choose: Literal['cautious', 'mean'] | None = None,
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

class ProbMaxn(Agent):
    """Prob-max^n: opponents are of several kinds, and their moves tell which."""

    def __init__(
        self,
        *,
        models: Sequence[str] | None = None,
        epsilon: float | None = None,
        look: Count | None = None,
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
        deeper: bool | None = None,
        reduce: bool | None = None,
        null: bool | None = None,
        quiet: Count | None = None,
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
        deeper: bool | None = None,
        reduce: bool | None = None,
        null: bool | None = None,
        quiet: Count | None = None,
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
        deeper: bool | None = None,
        reduce: bool | None = None,
        null: bool | None = None,
        quiet: Count | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Opps(Agent):
    """OPPS: few of the opponents' moves are free, the rest are among the first."""

    def __init__(
        self,
        *,
        opponents: Count | None = None,
        best: Count | Literal['all'] | None = None,
        others: Count | None = None,
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
        deeper: bool | None = None,
        reduce: bool | None = None,
        null: bool | None = None,
        quiet: Count | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Mix(Agent):
    """MP-Mix: Paranoid in the lead, against a leader who is far ahead, calm otherwise."""

    def __init__(
        self,
        *,
        defend: Count | Literal['inf'] | None = None,
        attack: Count | Literal['inf'] | None = None,
        calm: Agent | str | None = None,
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
        deeper: bool | None = None,
        reduce: bool | None = None,
        null: bool | None = None,
        quiet: Count | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        evaluation: Evaluation | None = None,
    ) -> None: ...

class Ubfm(Agent):
    """Unbounded best-first max^n: the leaf of the expected line is looked at next."""

    def __init__(
        self,
        *,
        policy: Literal['maxn', 'paranoid', 'brs+'] | None = None,
        score: Literal['own', 'difference'] | None = None,
        epsilon: float | None = None,
        batch: Count | None = None,
        memory: Count | str | None = None,
        lines: Count | None = None,
        threads: Count | None = None,
        eval: str | None = None,
        noise: bool | None = None,
        attacker: bool | None = None,
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
        playout: Literal['one-ply', 'random', 'move', 'maxn', 'paranoid', 'brs', 'mast', 'nst', 'ppa'] | None = None,
        learning: float | None = None,
        policy: Literal['maxn', 'paranoid', 'brs'] | None = None,
        solver: Literal['standard', 'paranoid', 'first-winner', 'off'] | None = None,
        cutoff: Count | Literal['off'] | None = None,
        reward: Literal['win', 'rank', 'points', 'lead'] | None = None,
        implicit: float | None = None,
        widen: float | None = None,
        widen_power: float | None = None,
        grave: Count | Literal['off'] | None = None,
        bias: float | None = None,
        oma: Count | Literal['off'] | None = None,
        prior: float | None = None,
        root: Literal['ucb', 'halving'] | None = None,
        choose: Literal['rate', 'visits', 'lcb'] | None = None,
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

class Ismcts(Agent):
    """Information-set Monte-Carlo tree search: one tree over all deals of what is hidden."""

    def __init__(
        self,
        *,
        c: float | None = None,
        w: float | None = None,
        epsilon: float | None = None,
        k: Count | None = None,
        playout: Literal['one-ply', 'random', 'move', 'maxn', 'paranoid', 'brs', 'mast', 'nst', 'ppa'] | None = None,
        learning: float | None = None,
        cutoff: Count | Literal['off'] | None = None,
        reward: Literal['win', 'rank', 'points', 'lead'] | None = None,
        choose: Literal['rate', 'visits', 'lcb'] | None = None,
        killers: bool | None = None,
        ties: Literal['order', 'random'] | None = None,
        score: Literal['own', 'difference'] | None = None,
        memory: Count | str | None = None,
        lines: Count | None = None,
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

class Best(Agent):
    """The strongest agent known for the game, the number of players and the budget."""

    def __init__(
        self,
        *,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
    ) -> None: ...

DECLARED: list[dict[str, Any]]

def class_name(name: str) -> str: ...
def keyword(key: str) -> str: ...
def is_time(schema: dict[str, Any]) -> bool: ...
def takes_evaluation(declared: dict[str, Any]) -> bool: ...

__all__ = [
    "Random",
    "Greedy",
    "Alphabeta",
    "Maxn",
    "SoftMaxn",
    "ProbMaxn",
    "Paranoid",
    "Brs",
    "BrsPlus",
    "Opps",
    "Mix",
    "Ubfm",
    "Mcts",
    "Ismcts",
    "Worlds",
    "Program",
    "Best",
]
