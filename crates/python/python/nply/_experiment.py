"""Experiments: the tables of papers, and other files of matches."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _nply
from ._tournament import Report, Watch, html_table, shown

if TYPE_CHECKING:
    import pandas


class Comparison:
    """A table of a paper beside what was measured here. It shows itself as a table."""

    def __init__(self, compared: _nply.Compared, reports: dict[str, Report]) -> None:
        self._compared = compared
        #: The games of each match.
        self.reports = reports

    def text(self, format: str = "text") -> str:
        """The table as ``text``, ``markdown``, ``csv`` or ``latex``."""
        return self._compared.text(format)

    def json(self) -> dict[str, Any]:
        """All of it, as ``nply reproduce --json`` writes it."""
        found: dict[str, Any] = json.loads(self._compared.json())
        return found

    def __str__(self) -> str:
        return f"{self.text()}\n{self._compared.summary}".rstrip("\n")

    def __repr__(self) -> str:
        return f"<nply.Comparison of {len(self.json()['cells'])} figures: {self.json()['id']}>"

    def _repr_html_(self) -> str:
        return html_table(*self._compared.table())

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a frame of pandas, a row for each figure."""
        import pandas

        return pandas.json_normalize(self.json()["cells"])


class Experiment:
    """The matches of a paper's table, or of a file ``*.toml``, that are yet to be played: by `run` in this process, or by
    `nply.distributed.run` on many machines.

    `match` selects some of them by their names. `games` is the number for each match, `scale` the part of the paper's numbers, and
    `budget_scale` the part of its nodes, playouts and times.

    >>> import nply
    >>> table = nply.Experiment("brs-2011-5", match="rolit-3-250", games=6, budget_scale=0.001)
    >>> table.matches
    {'brs-2011-5/rolit-3-250': 6}
    >>> table.run().json()["cells"][0]["here"]["games"]
    6
    """

    def __init__(
        self, id: str, *, match: str | None = None, games: int | None = None, scale: float = 1.0, budget_scale: float = 1.0
    ) -> None:
        self._experiment = _nply.experiment(id, match, games, scale, budget_scale)
        self._matches = self._experiment.matches()
        described = json.loads(self._experiment.json())
        #: Its name, what it compares, where its figures are from, and what to know about them.
        self.id: str = described["id"]
        self.title: str = described["title"]
        self.source: str = described["source"]
        self.note: str = described["note"]

    @property
    def matches(self) -> dict[str, int]:
        """The number of games of each match."""
        return {prepared.name: len(prepared) for prepared in self._matches}

    def __len__(self) -> int:
        return sum(self.matches.values())

    def __repr__(self) -> str:
        return f"<nply.Experiment of {len(self._matches)} matches, {len(self)} games: {self.id}>"

    def run(
        self,
        *,
        threads: int | None = None,
        db: str | os.PathLike[str] | None = None,
        progress: bool | Watch | None = None,
    ) -> Comparison:
        """Plays all matches, one after the other. With a file `db` every game is kept, and what was interrupted is resumed. Progress is
        shown in terminals and notebooks, or given to a function, for all matches together."""
        outcomes: list[_nply.Outcome] = []
        with shown(progress) as watch:
            for prepared in self._matches:
                before = sum(len(outcome) for outcome in outcomes)

                def told(games: int, total: int, rates: list[tuple[str, float, float, float]], before: int = before) -> None:
                    if watch is not None:
                        watch(before + games, len(self), rates)

                outcomes.append(prepared.play(threads or os.cpu_count() or 1, None if db is None else os.fspath(db), told))
        return self._compared(outcomes)

    def _compared(self, outcomes: list[_nply.Outcome]) -> Comparison:
        return Comparison(self._experiment.compare(outcomes), {outcome.name: Report(outcome) for outcome in outcomes})


def experiments() -> dict[str, str]:
    """The tables of the papers, each with what it compares.

    >>> import nply
    >>> nply.experiments()["brs-2011-1"]
    'Paranoid against max^n in Chinese Checkers'
    """
    return dict(_nply.experiments())
