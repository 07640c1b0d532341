"""Tournaments, experiments and tunings on a Ray cluster of four local nodes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# Or they would wait for whatever else the machine does.
os.environ.setdefault("RAY_worker_niceness", "0")

import pytest
import ray
from ray.cluster_utils import Cluster
from ray.exceptions import RayError

import nply
import nply.distributed
from nply import _nply

# The games below travel with their code, as those of a notebook do: workers cannot import this file.
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])

#: As much as a node needs, of a memory that may be small.
STORE = 80 << 20


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False})
    for _ in range(3):
        found.add_node(num_cpus=1, object_store_memory=STORE)
    ray.init(address=found.address, log_to_driver=False, configure_logging=False)
    yield found
    ray.shutdown()
    found.shutdown()


def planned(**changed: Any) -> nply.Tournament:
    settings = {"games": 500, "playouts": 4, "nodes": 40, "seed": 7, **changed}
    return nply.Tournament("connect-four", "maxn mcts", **settings)


def timeless(report: nply.Report) -> list[dict[str, object]]:
    return [{key: value for key, value in game.items() if "_ms" not in key} for game in report.games()]


def children(parent: int) -> list[tuple[int, str]]:
    """The processes that another one started, with their titles."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                title = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append((int(entry.name), title))
    return found


def test_the_games_are_those_of_one_process_though_a_worker_and_a_node_are_killed(cluster: Cluster, tmp_path: Path) -> None:
    lost: list[str] = []
    node = cluster.add_node(num_cpus=1, object_store_memory=STORE)
    # Five nodes for a moment: four are left when one is killed.
    raylets = [each.all_processes["raylet"][0].process.pid for each in cluster.list_all_nodes() if each is not node]

    def kill(games: int, total: int, rates: object) -> None:
        if games >= 100 and not lost:
            workers = [pid for raylet in raylets for pid, title in children(raylet) if title.startswith("ray::nply")]
            for pid in workers[:1]:
                os.kill(pid, signal.SIGKILL)
                lost.append(f"a worker after {games}")
        if games >= 250 and len(lost) == 1:
            cluster.remove_node(node, allow_graceful=False)
            lost.append(f"a node after {games}")

    kept = tmp_path / "games.db"
    report = nply.distributed.run(planned(), db=kept, progress=kill, shard=6)
    assert len(lost) == 2, lost
    alone = planned().run(progress=False)
    assert len(report) == 500 and report.done
    assert timeless(report) == timeless(alone)
    assert timeless(nply.read(kept)) == timeless(alone)
    assert report.settings == alone.settings and report.rates() == alone.rates()
    # All are there: nothing is played again.
    assert nply.distributed.run(planned(), db=kept, progress=False).games() == nply.read(kept).games()


def test_a_driver_that_was_killed_is_started_again_and_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    kept = tmp_path / "games.db"
    code = f"""
import nply, nply.distributed
planned = nply.Tournament("connect-four", "maxn mcts", games=120, playouts=4, nodes=40, seed=7)
told = lambda games, total, rates: print(games, flush=True)
nply.distributed.run(planned, address={cluster.address!r}, db={str(kept)!r}, progress=told, shard=1)
"""
    driver = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    assert driver.stdout is not None
    for line in driver.stdout:
        if line.strip().isdigit() and int(line) >= 10:
            break
    driver.kill()
    driver.wait()
    first = nply.read(kept).games()
    assert 10 <= len(first) < 120
    told: list[int] = []
    report = nply.distributed.run(planned(games=120), db=kept, progress=lambda games, total, rates: told.append(games), shard=1)
    assert told[0] == len(first) and told[-1] == 120 and told == sorted(told)
    # With the times that they took: they were not played again.
    numbers = {game["game"] for game in first}
    assert [game for game in report.games() if game["game"] in numbers] == first
    assert timeless(report) == timeless(planned(games=120).run(progress=False))


@dataclass(frozen=True)
class Race(nply.Game[int]):
    """Whoever has 12 first wins, and agents take the most if they see no difference. In games with some seeds nobody ever moves."""

    endless: frozenset[int] = frozenset()
    taken: tuple[int, ...] = (0, 0)
    mover: int = 0
    seed: int = 0

    def deal(self, seed: int) -> Race:
        return Race(self.endless, seed=seed)

    def player_count(self) -> int:
        return 2

    def turn(self) -> int:
        return self.mover

    def moves(self) -> list[int]:
        while self.seed in self.endless:
            time.sleep(0.05)
        return [5, 4, 3, 2, 1, 0]

    def play(self, m: int) -> Race:
        taken = tuple(have + m * (player == self.mover) for player, have in enumerate(self.taken))
        return Race(self.endless, taken, 1 - self.mover, self.seed)

    def payoff(self) -> list[float] | None:
        return [float(have >= 12) for have in self.taken] if max(self.taken) >= 12 else None

    def key(self) -> object:
        return self.taken, self.mover


def test_a_sequential_test_of_a_game_in_python_stops_the_work_of_the_whole_cluster(cluster: Cluster) -> None:
    def race(endless: frozenset[int]) -> nply.Tournament:
        return nply.Tournament(Race(endless), "maxn random", games=400, depth=1, sprt=0.2)

    alone = race(frozenset()).run(progress=False)
    assert alone.verdict == "maxn is stronger" and len(alone) < 200
    # Games that the test does not need are never over, and are being played when it is decided.
    seeds = [game["seed"] for game in nply.Tournament(Race(), "maxn random", games=400, depth=1).run(progress=False).games()]
    endless = frozenset(seeds[len(alone) :])
    # Tasks of one game, so that none has both kinds.
    report = nply.distributed.run(race(endless), progress=False, shard=0.0)
    assert timeless(report) == timeless(alone) and report.verdict == alone.verdict and report.done
    until = time.monotonic() + 30
    while ray.available_resources().get("CPU") != 4 and time.monotonic() < until:
        time.sleep(0.1)
    assert ray.available_resources().get("CPU") == 4


def test_an_experiment_is_the_table_of_one_process(cluster: Cluster, tmp_path: Path) -> None:
    table = nply.Experiment("brs-2011-5", match="rolit-3-250,rolit-4-250", games=14, budget_scale=0.0002)
    assert table.matches == {"brs-2011-5/rolit-3-250": 18, "brs-2011-5/rolit-4-250": 14}
    told: list[tuple[int, int]] = []
    here = table.run(db=tmp_path / "here.db", progress=lambda games, total, rates: told.append((games, total)))
    assert told[-1] == (32, 32) and told == sorted(told)
    there = nply.distributed.run(table, db=tmp_path / "there.db", progress=False)
    assert there.json() == here.json() and there.text() == here.text() and str(there) == str(here)
    for name, report in here.reports.items():
        assert timeless(there.reports[name]) == timeless(report)
        assert timeless(nply.read(tmp_path / "there.db", name)) == timeless(report)
    assert len(there.to_pandas()) == 2 and "<table>" in there._repr_html_()


def test_a_tuning_finds_what_one_process_finds(cluster: Cluster, tmp_path: Path) -> None:
    candidates = "random alphabeta greedy:eval=lines mcts:playout=random"
    tuning = nply.Tuning("connect-four:columns=4,rows=4,line=3", candidates=candidates, nodes=100, games=6, last=60)
    here = tuning.run(db=tmp_path / "here.db", progress=False)
    told: list[int] = []

    def stop(games: int, total: int, rates: list[Any]) -> None:
        told.append(games)
        # In the last match or the one before.
        if len(rates) == 2 and games >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nply.distributed.run(tuning, db=tmp_path / "there.db", progress=stop)
    assert told
    there = nply.distributed.run(tuning, db=tmp_path / "there.db", progress=False)
    assert there.json() == here.json() and there.toml == here.toml and str(there) == str(here)
    assert list(there.reports) == list(here.reports) == [row["match"] for row in here.matches]
    for name, report in here.reports.items():
        assert timeless(there.reports[name]) == timeless(report)
    # One process finds everything in the file.
    again = tuning.run(db=tmp_path / "there.db", progress=False)
    assert [report.games() for report in again.reports.values()] == [report.games() for report in there.reports.values()]


def test_a_worker_with_another_program_is_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(nply.distributed._Job):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            described = json.loads(self.games.description())
            described["settings"]["fingerprint"] = "other"
            self.arguments = ray.put(None), ray.put(json.dumps(described))

    monkeypatch.setattr(nply.distributed, "_Job", Other)
    with pytest.raises(nply.UsageError, match="other search behavior: fingerprint other, and this one has") as raised:
        nply.distributed.run(planned(games=2), progress=False)
    assert raised.value.help == "install the same version of nply wherever games are played"


@dataclass(frozen=True)
class Broken(Race):
    """A game that cannot be played."""

    fatal: bool = False

    def deal(self, seed: int) -> Race:
        return self

    def play(self, m: int) -> Race:
        if self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        raise ArithmeticError("broken rules")


def test_an_exception_in_a_game_is_raised_here_and_a_game_that_ends_its_worker_is_given_up(cluster: Cluster) -> None:
    with pytest.raises(ArithmeticError, match="broken rules"):
        nply.distributed.run(nply.Tournament(Broken(), "random random", games=2), progress=False)
    with pytest.raises(RayError):
        nply.distributed.run(nply.Tournament(Broken(fatal=True), "random random", games=2), progress=False, retries=1)


def test_games_count_once_in_the_order_of_their_numbers_however_they_arrive(tmp_path: Path) -> None:
    match = planned(games=20)
    alone = match.run(progress=False)
    for db in [None, str(tmp_path / "games.db")]:
        games = _nply.Collection(match._prepared, db)
        assert games.missing() == list(range(20)) and not games.outcome().done
        records = _nply.play_games(None, games.description(), [17, 3, 0, 1, 2])
        games.add(records)
        games.add(records[::-1])
        assert games.missing() == [4, *range(5, 17), 18, 19] and len(games) == 5
        assert len(games.outcome()) == 4
        games.add(_nply.play_games(None, games.description(), games.missing()))
        assert games.missing() == [] and games.outcome().done
        assert timeless(nply.Report(games.outcome())) == timeless(alone)
        other = json.loads(records[0])
        other["seats"] = other["seats"][::-1]
        with pytest.raises(nply.Error, match="another seating|does not fit|another one"):
            games.add([json.dumps(other)])
    assert timeless(nply.read(tmp_path / "games.db")) == timeless(alone)
    # What one process has begun is resumed, and the other way round.
    more = planned(games=30).run(db=tmp_path / "games.db", progress=False)
    assert _nply.Collection(planned(games=40)._prepared, str(tmp_path / "games.db")).missing() == list(range(30, 40))
    assert len(more) == 30


def test_a_game_has_as_many_cores_as_its_agents_have_threads_and_their_memory() -> None:
    def needs(agents: str) -> tuple[int, int]:
        return _nply.Collection(nply.Tournament("rolit", agents, games=6, nodes=9)._prepared, None).needs()

    assert needs("random greedy") == (1, 0)
    assert needs("mcts:threads=3,memory=5M,playouts=9 brs:table=1M") == (3, 16 << 20)


def test_ray_is_imported_only_where_it_is_needed() -> None:
    code = "import sys, nply; print('ray' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
