"""The time of a match on a Ray cluster beside that of one process with as many cores: `tools/python ray CORES`.

The games are the same, of Focus for three with a second or so each. The cluster has a node for each core, and is started before the clock
is, with its workers. Runs alternate, so that what else the machine does hits both alike.
"""

import os
import statistics
import sys
import time

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.cluster_utils import Cluster

import nply
import nply.distributed

CORES = int(sys.argv[1])
RUNS = int(os.environ.get("RUNS", "3"))
GAMES = int(os.environ.get("GAMES", "42"))
NODES = os.environ.get("NODES", "100k")


def planned(games: int = GAMES) -> nply.Tournament:
    return nply.Tournament("focus", "brs paranoid", games=games, players=3, nodes=NODES)


def timed(run: object) -> tuple[float, float]:
    """The wall-clock time of a run, and the time that its agents thought on all cores together."""
    begun = time.monotonic()
    report = run()  # type: ignore[operator]
    return time.monotonic() - begun, sum(sum(game["time_ms"]) for game in report.games()) / 1e3


cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
for _ in range(CORES - 1):
    cluster.add_node(num_cpus=1)
ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
try:
    nply.distributed.run(planned(6 * CORES), progress=False)
    ratios = []
    for _ in range(RUNS):
        alone, thought = timed(lambda: planned().run(threads=CORES, progress=False))
        there, thought_there = timed(lambda: nply.distributed.run(planned(), progress=False))
        ratios.append(alone / there)
        print(
            f"{GAMES} games, {CORES} cores: one process {alone:.1f} s ({thought:.1f} s of thinking), "
            f"Ray {there:.1f} s ({thought_there:.1f} s): {100 * alone / there:.1f} %; "
            f"cores busy thinking: {100 * thought / alone / CORES:.1f} % and {100 * thought_there / there / CORES:.1f} %",
            flush=True,
        )
    print(f"efficiency, the median of {RUNS}: {100 * statistics.median(ratios):.1f} %")
finally:
    ray.shutdown()
    cluster.shutdown()
