"""Tuning: the strongest agent and settings for a game, a number of players and a budget."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from . import _nply
from ._agent import Agent, Count, Time, limits_text
from ._errors import UsageError
from ._nply import Position
from ._own import Game
from ._own import game as open_game
from ._tournament import Report, Watch, named, shown


class Tuned:
    """The strongest agent that a tuning found, with the matches that show it."""

    def __init__(self, found: _nply.Found, reports: dict[str, Report]) -> None:
        self._found = found
        described = self.json()
        #: The candidate that was left, and the outcome of its test against what was called best before.
        self.winner: str = described["winner"]
        self.verdict: str = described["verdict"]
        #: The entry for the table of the agent ``best``. Its agent is the winner only if that is shown to be stronger.
        self.entry: dict[str, Any] = described["entry"]
        #: A row for each match: its name, its numbers of agents and games, and which agent was first.
        self.matches: list[dict[str, Any]] = described["matches"]
        #: The games of each match.
        self.reports = reports

    @property
    def toml(self) -> str:
        """The entry as it stands in the table."""
        return self._found.toml()

    @property
    def notes(self) -> list[str]:
        """What the command writes beside the result: candidates that are left out, and the standing after each match."""
        return self._found.notes()

    def json(self) -> dict[str, Any]:
        """All of it, as ``nply tune --json`` writes it."""
        found: dict[str, Any] = json.loads(self._found.json())
        return found

    def __str__(self) -> str:
        return self._found.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<nply.Tuned by {len(self.matches)} matches: {self.entry['agent']}>"


class Tuning:
    """A tuning that is yet to be played: by `run` in this process, or by `nply.distributed.run` on many machines.

    A decision has `nodes` or `time`: 10,000 nodes if there are neither. Without `candidates`, every family of agents that fits the game is
    tried, and then settings of the last two. Each candidate has so many `games` in the first match, and twice as many when the field has
    halved; `last` is the most games of the test at the end, and `sprt` the distance from one half that matters there. What is left out is as
    in ``nply tune``.

    >>> import nply
    >>> planned = nply.Tuning("connect-four:columns=4,rows=4,line=3", candidates="random alphabeta", nodes=50, games=4, last=40)
    >>> planned.candidates
    ['random', 'alphabeta']
    >>> planned.run().winner
    'alphabeta'
    """

    def __init__(
        self,
        game: str | Position | Game[Any] | type[Game[Any]],
        *,
        players: int | None = None,
        nodes: Count | None = None,
        time: Time | None = None,
        games: int | None = None,
        last: int | None = None,
        candidates: str | Iterable[str | Agent] | None = None,
        openings: str | None = None,
        sprt: float | None = None,
        seed: int | None = None,
    ) -> None:
        if nodes is not None and time is not None:
            raise UsageError("usage", "a tuning has one budget, and here are nodes and time", "tune once for each")
        opened = game if isinstance(game, Position) else open_game(game, players)
        # A game in Python has the interpreter to itself.
        self._threads = (os.cpu_count() or 1) if isinstance(game, (str, Position)) else 1
        listed = candidates if candidates is None or isinstance(candidates, str) else " ".join(named(each) for each in candidates)
        asked = {
            "limits": limits_text(None, nodes, None, time),
            "games": games,
            "last": last,
            "candidates": listed,
            "openings": openings,
            "sprt": sprt,
            "seed": seed,
        }
        self._tuning = _nply.tuning(opened, json.dumps(asked))

    @property
    def candidates(self) -> list[str]:
        """The agents of the first match."""
        return self._tuning.candidates()

    def __repr__(self) -> str:
        return f"<nply.Tuning of {len(self.candidates)} candidates>"

    def run(
        self,
        *,
        threads: int | None = None,
        db: str | os.PathLike[str] | None = None,
        progress: bool | Watch | None = None,
    ) -> Tuned:
        """Plays it. With a file `db` every game is kept, and a tuning that was interrupted is resumed. Progress is shown in terminals and
        notebooks, or given to a function, for one match after the other."""
        path = None if db is None else os.fspath(db)
        with shown(progress) as watch:
            return self._played(lambda prepared: prepared.play(threads or self._threads, path, watch))

    def _played(self, play: Callable[[_nply.Prepared], _nply.Outcome]) -> Tuned:
        reports: dict[str, Report] = {}

        def kept(prepared: _nply.Prepared) -> _nply.Outcome:
            outcome = play(prepared)
            reports[outcome.name] = Report(outcome)
            return outcome

        return Tuned(self._tuning.run(kept), reports)


def tune(
    game: str | Position | Game[Any] | type[Game[Any]],
    *,
    players: int | None = None,
    nodes: Count | None = None,
    time: Time | None = None,
    games: int | None = None,
    last: int | None = None,
    candidates: str | Iterable[str | Agent] | None = None,
    openings: str | None = None,
    sprt: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
    db: str | os.PathLike[str] | None = None,
    progress: bool | Watch | None = None,
) -> Tuned:
    """Finds the strongest agent by successive halving, and tests it against what is called best: `Tuning.run` in one call.

    >>> import nply
    >>> small = "connect-four:columns=4,rows=4,line=3"
    >>> found = nply.tune(small, candidates="random alphabeta greedy:eval=lines", nodes=50, games=4, last=40)
    >>> found.winner, [row["agents"] for row in found.matches]
    ('alphabeta', [3, 2, 2])
    >>> print(found.toml.splitlines()[0])
    [[entry]]
    """
    planned = Tuning(
        game,
        players=players,
        nodes=nodes,
        time=time,
        games=games,
        last=last,
        candidates=candidates,
        openings=openings,
        sprt=sprt,
        seed=seed,
    )
    return planned.run(threads=threads, db=db, progress=progress)
