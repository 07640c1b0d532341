"""Tournaments, experiments and tunings on many machines, by Ray.

A game follows from its match and its number, so any worker can play any game. This process keeps the games and counts them in the order of
their numbers; workers get the match as plain data with the numbers of some games, and send back their records. What is lost with a worker
or a machine is played again, and a game that arrives twice counts once.
"""

from __future__ import annotations

import os
import time
import warnings
from typing import Any, overload

import ray
from ray.exceptions import RayTaskError

from . import _nply
from ._errors import Error
from ._experiment import Comparison, Experiment
from ._tournament import Report, Tournament, Watch, shown
from ._tune import Tuned, Tuning

#: Tasks for each core: one is played while the next waits there.
_AHEAD = 2
#: A task has at most this part of the games that are left for a core, so that all cores end at about the same time.
_PART = 1 / 3
#: A task takes at most this part of the time so far: a sequential test ends soon after it could, and the first tasks are short.
_GROWTH = 1 / 4
#: But at least this part of a shard: less is not worth sending.
_LEAST = 1 / 60
#: Machines come and go: how often they are counted, in seconds.
_LOOK = 5.0


def play(root: object, description: str, numbers: list[int]) -> tuple[list[str], float]:
    """What a worker does: games of a match by their numbers, and the seconds that they took."""
    begun = time.monotonic()
    return _nply.play_games(root, description, numbers), time.monotonic() - begun


class _Job:
    """A match that is being played."""

    def __init__(self, prepared: _nply.Prepared, db: str | None, retries: int) -> None:
        self.games = _nply.Collection(prepared, db)
        self.left = self.games.missing()[::-1]
        if self.games.decided:
            self.left = []
        self.seconds, self.played = 0.0, 0
        self.cores, self.memory = self.games.needs()
        self.arguments = ray.put(prepared.root()), ray.put(self.games.description())
        self.task = ray.remote(play).options(
            name=f"nply {prepared.name}", num_cpus=self.cores, memory=self.memory or None, max_retries=retries
        )

    def take(self, cores: int, shard: float, elapsed: float) -> list[int]:
        """The games of the next task."""
        speed = self.played / self.seconds if self.seconds > 0 else 0.0
        fair = len(self.left) * self.cores * _PART / max(cores, 1)
        count = max(min(fair, speed * min(shard, _GROWTH * elapsed)), speed * shard * _LEAST)
        return [self.left.pop() for _ in range(max(1, min(int(count), len(self.left))))]

    def add(self, records: list[str], seconds: float) -> None:
        """What a task sent."""
        self.seconds += seconds
        self.played += len(records)
        self.games.add(records)


@overload
def run(
    tournament: Tournament,
    *,
    address: str | None = ...,
    db: str | os.PathLike[str] | None = ...,
    progress: bool | Watch | None = ...,
    shard: float = ...,
    retries: int = ...,
) -> Report: ...


@overload
def run(
    tournament: Experiment,
    *,
    address: str | None = ...,
    db: str | os.PathLike[str] | None = ...,
    progress: bool | Watch | None = ...,
    shard: float = ...,
    retries: int = ...,
) -> Comparison: ...


@overload
def run(
    tournament: Tuning,
    *,
    address: str | None = ...,
    db: str | os.PathLike[str] | None = ...,
    progress: bool | Watch | None = ...,
    shard: float = ...,
    retries: int = ...,
) -> Tuned: ...


def run(
    tournament: Tournament | Experiment | Tuning,
    *,
    address: str | None = None,
    db: str | os.PathLike[str] | None = None,
    progress: bool | Watch | None = None,
    shard: float = 60.0,
    retries: int = 20,
) -> Report | Comparison | Tuned:
    """Plays a tournament, an experiment or a tuning on a Ray cluster. The games are those that one process plays.

    `address` is that of the cluster, ``"auto"`` for the one that this machine belongs to; without it, it is that in the environment,
    ``RAY_ADDRESS``, and without that a cluster is started on this machine for the time of the call. A program that is connected to a
    cluster already uses that one.

    With a file `db` every game is kept as it arrives, and the same call resumes what was interrupted. Tasks take about `shard` seconds, and
    one that is lost with its worker or machine is given to another one, up to `retries` times. A sequential test that is decided ends the
    tasks that are under way.

    Each game has a core, or as many as an agent has threads, and the memory that its agents may take.
    """
    is_ours = not ray.is_initialized()
    if is_ours:
        # Otherwise Ray would look for a cluster that somebody else started on this machine.
        if address is None and "RAY_ADDRESS" not in os.environ:
            address = "local"
        local: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        ray.init(address=address, log_to_driver=False, configure_logging=False, **local)
    try:
        with shown(progress) as watch:

            def play(matches: list[_nply.Prepared]) -> list[_nply.Outcome]:
                jobs = [_Job(prepared, None if db is None else os.fspath(db), retries) for prepared in matches]
                _play(jobs, watch, shard)
                return [job.games.outcome() for job in jobs]

            if isinstance(tournament, Tuning):
                # Each match follows from the results of those before.
                return tournament._played(lambda prepared: play([prepared])[0])
            if isinstance(tournament, Experiment):
                return tournament._compared(play(tournament._matches))
            return Report(play([tournament._prepared])[0])
    finally:
        if is_ours:
            ray.shutdown()


def _play(jobs: list[_Job], watch: Watch | None, shard: float) -> None:
    begun = looked = time.monotonic()
    told, cores = -1, _cores(jobs)
    pending: dict[ray.ObjectRef[tuple[list[str], float]], _Job] = {}
    try:
        while True:
            busy = sum(job.cores for job in pending.values())
            for job in jobs:
                while job.left and busy < _AHEAD * cores:
                    numbers = job.take(cores, shard, time.monotonic() - begun)
                    pending[job.task.remote(*job.arguments, numbers)] = job
                    busy += job.cores
            there = sum(len(job.games) for job in jobs)
            if watch is not None and there != told:
                current = next((job for job in jobs if len(job.games) < job.games.total), jobs[-1])
                watch(there, sum(job.games.total for job in jobs), current.games.rates())
                told = there
            if not pending:
                return
            ray.wait(list(pending), timeout=_LOOK)
            if time.monotonic() - looked > _LOOK:
                looked, cores = time.monotonic(), _cores(jobs)
            for ref in ray.wait(list(pending), num_returns=len(pending), timeout=0)[0]:
                # Of several that are done, the first may decide the match and end the others.
                if ref not in pending:
                    continue
                job = pending.pop(ref)
                if job.games.decided:
                    continue
                job.add(*_result(ref))
                if job.games.decided:
                    job.left = []
                    for other in [ref for ref, its in pending.items() if its is job]:
                        ray.cancel(other)
                        del pending[other]
    finally:
        # What is under way is of no use to anybody any more.
        for ref in pending:
            ray.cancel(ref)


def _result(ref: Any) -> tuple[list[str], float]:
    """What a task sent; its error as it was raised there."""
    try:
        result: tuple[list[str], float] = ray.get(ref)
        return result
    except RayTaskError as error:
        cause = error.cause
        if isinstance(cause, Error):
            raise cause from None
        raise


def _cores(jobs: list[_Job]) -> int:
    """The cores of the cluster."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    for job in jobs:
        fits = any(node.get("CPU", 0) >= job.cores and node.get("memory", 0) >= job.memory for node in nodes)
        if job.left and not fits:
            needed = f"{job.cores} cores and {job.memory >> 20} MB of memory"
            warnings.warn(f"no machine of the cluster has {needed}, as a game takes; waiting for one", stacklevel=5)
            break
    return int(sum(node.get("CPU", 0) for node in nodes)) or 1
