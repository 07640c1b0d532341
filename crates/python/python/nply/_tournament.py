"""Tournaments: games between agents, every seating equally often, with tables, frames and plots."""

from __future__ import annotations

import html
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import _nply
from ._agent import Agent, Count, Time, limits_text
from ._errors import UsageError
from ._nply import Position
from ._own import Game
from ._own import game as open_game

if TYPE_CHECKING:
    import pandas
    import polars
    from matplotlib.axes import Axes

#: Is told how many games there are of how many, and each agent's rate with its interval.
Watch = Callable[[int, int, "list[tuple[str, float, float, float]]"], object]


def html_table(caption: str, header: list[str], rows: list[list[str]]) -> str:
    """A table in HTML."""

    def row(cells: list[str], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><caption>{html.escape(caption)}</caption>{row(header, 'th')}{body}</table>"


class Report:
    """The games of a match and what they add up to. It shows itself as tables, in a notebook with a plot."""

    def __init__(self, outcome: _nply.Outcome) -> None:
        self._outcome = outcome

    @property
    def name(self) -> str:
        """The name of the match."""
        return self._outcome.name

    @property
    def done(self) -> bool:
        """Whether all games were played, or enough for a verdict."""
        return self._outcome.done

    @property
    def verdict(self) -> str | None:
        """The outcome of the sequential test, if there was one."""
        return self._outcome.verdict

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the games depend on."""
        found: dict[str, Any] = json.loads(self._outcome.settings())
        return found

    def __len__(self) -> int:
        return len(self._outcome)

    def json(self) -> dict[str, Any]:
        """Everything that the games add up to, as ``nply report --json`` writes it."""
        found: dict[str, Any] = json.loads(self._outcome.json())
        return found

    def rates(self) -> dict[str, float]:
        """Each agent's share of the points that it could have won."""
        return {row["agent"]: row["rate"] for row in self.json()["agents"]}

    def games(self) -> list[dict[str, Any]]:
        """Every game with all its columns."""
        return [json.loads(line) for line in self._outcome.games()]

    def text(self, format: str = "text") -> str:
        """The tables as ``text``, ``markdown``, ``csv`` or ``latex``."""
        return self._outcome.text(format)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<nply.Report of {len(self)} games: {self.name}>"

    def svg(self) -> str:
        """The rates with their intervals, as SVG."""
        return self._outcome.svg()

    def _repr_html_(self) -> str:
        return self.svg() + "".join(html_table(*each) for each in self._outcome.tables())

    def to_pandas(self) -> pandas.DataFrame:
        """The games as a frame of pandas, a row for each."""
        import pandas

        return pandas.DataFrame(self.games())

    def to_polars(self) -> polars.DataFrame:
        """The games as a frame of polars, a row for each."""
        import polars

        return polars.DataFrame(self.games(), infer_schema_length=None)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the rates with their intervals by matplotlib."""
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.subplots(figsize=(6, 1 + 0.4 * len(self.json()["agents"])))[1]
        rows = self.json()["agents"]
        places = list(range(len(rows)))
        rates = [100 * row["rate"] for row in rows]
        below = [rate - 100 * row["interval"][0] for rate, row in zip(rates, rows)]
        above = [100 * row["interval"][1] - rate for rate, row in zip(rates, rows)]
        axes.errorbar(rates, places, xerr=[below, above], fmt="o", capsize=3)
        axes.set_yticks(places, [row["agent"] for row in rows])
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of the points in %, with 95 % intervals")
        settings = self.settings
        axes.set_title(f"{settings['game']}, {settings['players']} players, {len(self)} games")
        return axes


class Tournament:
    """A tournament that is yet to be played: by `run` in this process, or by `nply.distributed.run` on many machines.

    Agents are objects or texts, and one text may name several. The limits hold for each decision of agents that have none of their own:
    10,000 nodes if there are none at all. Every seating is played equally often.

    >>> import nply
    >>> planned = nply.Tournament("rolit", "brs:eval=discs random", games=6, nodes=100, players=3)
    >>> len(planned), planned.run().done
    (6, True)
    """

    def __init__(
        self,
        game: str | Position | Game[Any] | type[Game[Any]],
        agents: str | Iterable[str | Agent],
        games: int,
        *,
        players: int | None = None,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        clock: str | None = None,
        adjudicate: str | None = None,
        openings: str | None = None,
        seating: str = "all",
        schedule: str = "all",
        sprt: float | None = None,
        seed: int = 1,
        name: str = "tournament",
    ) -> None:
        opened = game if isinstance(game, Position) else open_game(game, players)
        listed = agents.split() if isinstance(agents, str) else list(agents)
        # A game in Python has the interpreter to itself.
        self._threads = (os.cpu_count() or 1) if isinstance(game, (str, Position)) else 1
        asked = {
            "agents": [named(each) for each in listed],
            "games": games,
            "limits": limits_text(depth, nodes, playouts, time),
            "clock": clock,
            "adjudicate": adjudicate,
            "openings": openings,
            "seating": seating,
            "schedule": schedule,
            "sprt": sprt,
            "seed": seed,
        }
        self._prepared = _nply.prepare(opened, json.dumps(asked), name)

    @property
    def name(self) -> str:
        """The name of the match in a file of games."""
        return self._prepared.name

    def __len__(self) -> int:
        return len(self._prepared)

    def __repr__(self) -> str:
        return f"<nply.Tournament of {len(self)} games: {self.name}>"

    def run(
        self,
        *,
        threads: int | None = None,
        db: str | os.PathLike[str] | None = None,
        progress: bool | Watch | None = None,
    ) -> Report:
        """Plays it. With a file `db` every game is kept, and a match that was interrupted is resumed. Progress is shown in terminals and
        notebooks, or given to a function."""
        with shown(progress) as watch:
            return Report(self._prepared.play(threads or self._threads, None if db is None else os.fspath(db), watch))


def tournament(
    game: str | Position | Game[Any] | type[Game[Any]],
    agents: str | Iterable[str | Agent],
    games: int,
    *,
    players: int | None = None,
    depth: Count | None = None,
    nodes: Count | None = None,
    playouts: Count | None = None,
    time: Time | None = None,
    clock: str | None = None,
    adjudicate: str | None = None,
    openings: str | None = None,
    seating: str = "all",
    schedule: str = "all",
    sprt: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    db: str | os.PathLike[str] | None = None,
    name: str = "tournament",
    progress: bool | Watch | None = None,
) -> Report:
    """Plays a tournament in which every seating is played equally often: `Tournament.run` in one call.

    >>> import nply
    >>> report = nply.tournament("rolit", "brs:eval=discs random", games=6, nodes=100, players=3)
    >>> len(report), report.done
    (6, True)
    >>> sorted(report.rates())
    ['brs:eval=discs', 'random']
    """
    planned = Tournament(
        game,
        agents,
        games,
        players=players,
        depth=depth,
        nodes=nodes,
        playouts=playouts,
        time=time,
        clock=clock,
        adjudicate=adjudicate,
        openings=openings,
        seating=seating,
        schedule=schedule,
        sprt=sprt,
        seed=seed,
        name=name,
    )
    return planned.run(threads=threads, db=db, progress=progress)


def named(each: str | Agent) -> str:
    """An agent as files keep it."""
    if isinstance(each, Agent) and each.evaluation is not None:
        message = f"{each}: games are kept and repeated by the names of agents, and an evaluation of your own has none"
        raise UsageError("refused", message, "let agents play by search and play: docs/python.md shows it")
    return str(each)


def read(path: str | os.PathLike[str], match: str | None = None) -> Report:
    """A match from a file of games, which a tournament with `db` writes; `match` names it if there are several."""
    return Report(_nply.read(os.fspath(path), match))


@contextmanager
def shown(progress: bool | Watch | None) -> Iterator[Watch | None]:
    """What is told of progress, until it ends."""
    watch = _watch(progress)
    try:
        yield watch
    finally:
        if isinstance(watch, Bar):
            watch.close()


def _watch(progress: bool | Watch | None) -> Watch | None:
    if callable(progress):
        return progress
    if progress is False:
        return None
    if "IPython" in sys.modules:
        from IPython import get_ipython

        shell = get_ipython()
        if shell is not None and shell.has_trait("kernel"):
            return NotebookBar()
    return TerminalBar() if progress or sys.stderr.isatty() else None


class Bar:
    """Shows how far a tournament is."""

    WIDTH = 20

    def line(self, games: int, total: int, rates: list[tuple[str, float, float, float]]) -> str:
        """It all in one line."""
        done = self.WIDTH * games // max(total, 1)
        each = ", ".join(f"{name} {100 * rate:.1f} % ({100 * low:.1f} to {100 * high:.1f})" for name, rate, low, high in rates)
        return f"{'█' * done}{'░' * (self.WIDTH - done)} {games}/{total}: {each}"

    def __call__(self, games: int, total: int, rates: list[tuple[str, float, float, float]]) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Takes it away."""


class TerminalBar(Bar):
    """In a line of standard error that is written again and again."""

    def __call__(self, games: int, total: int, rates: list[tuple[str, float, float, float]]) -> None:
        import shutil

        columns = shutil.get_terminal_size().columns
        sys.stderr.write("\r\x1b[K" + self.line(games, total, rates)[: columns - 1])
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class NotebookBar(Bar):
    """In an output of the cell that is updated."""

    def __init__(self) -> None:
        from IPython.display import display

        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def __call__(self, games: int, total: int, rates: list[tuple[str, float, float, float]]) -> None:
        text = self.line(games, total, rates)
        shown = f"<progress value='{games}' max='{total}'></progress> <code>{html.escape(text.partition(' ')[2])}</code>"
        self._handle.update({"text/plain": text, "text/html": shown}, raw=True)
