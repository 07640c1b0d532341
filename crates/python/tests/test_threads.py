"""Searches beside other threads, and their end by Ctrl-C."""

import signal
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import pytest
from connect_four import ConnectFour

import nply


def test_other_threads_run_while_one_searches() -> None:
    position = nply.game("rolit", 3)
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    nply.Maxn(eval="discs").search(position, time=0.5)
    done.set()
    counter.join()
    # A search that kept the interpreter would let it count to one or two.
    assert counted > 20


def test_several_threads_search_at_once_and_find_the_same() -> None:
    position = nply.game("rolit", 3)

    def search(seed: int) -> nply.Decision[str]:
        return nply.Mcts(eval="discs").search(position, playouts=60, seed=seed)

    alone = [search(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(search, range(8))) == alone


@pytest.mark.parametrize("agent", ["maxn", "maxn:pruning=speculative", "paranoid", "brs", "brs+"])
def test_a_search_with_several_threads_finds_what_one_finds(agent: str) -> None:
    separator = "," if ":" in agent else ":"
    for position in (nply.game("rolit", 3), ConnectFour(3, 5, 4, 3)):
        found = [
            nply.agent(f"{agent}{separator}threads={threads}").search(position, depth=4) for threads in (1, 2, 8)
        ]
        one = found[0]
        for other in found[1:]:
            assert (other.move, other.value, other.depth) == (one.move, one.value, one.depth)


def test_rules_in_python_that_fail_in_any_thread_end_the_search() -> None:
    class Failing(ConnectFour):
        def payoff(self) -> list[float] | None:
            if threading.get_ident() not in self.known and len(self.known) > 5:
                raise RuntimeError("a helper asks")
            self.known.add(threading.get_ident())
            return super().payoff()

        known: ClassVar[set[int]] = set()

    with pytest.raises(RuntimeError, match="a helper asks"):
        nply.Paranoid(threads=8).search(Failing(3, 6, 5, 4), time=60)


ENDLESS = """
import os, sys, time, nply
from dataclasses import dataclass

@dataclass(frozen=True)
class Walk(nply.Game[int]):
    steps: int = 0
    def player_count(self): return 2
    def turn(self): return self.steps % 2
    def moves(self): return [1, 2, 3]
    def play(self, m): return Walk(self.steps + 1)
    def payoff(self): return [1.0, 0.0] if self.steps > 1000 else None
    def key(self): return self.steps

class Slow(nply.Evaluation):
    def evaluate_batch(self, positions):
        time.sleep(0.01)
        return [[1 / 3] * 3 for _ in positions]

def interrupted(work):
    for _ in range(5):
        print("ready", flush=True)
        try:
            work()
        except KeyboardInterrupt:
            print(time.time(), flush=True)
        else:
            print("it was not interrupted", flush=True)

position = nply.game("rolit", 3)
agent = nply.agent("maxn:eval=discs,table=off")
interrupted(lambda: agent.search(position, depth=50))
interrupted(lambda: nply.Mcts(eval="discs", threads=2).search(position, playouts=10**9))
interrupted(lambda: nply.Maxn(table="off").search(Walk(), depth=500))
interrupted(lambda: nply.Mcts(cutoff=0, batch=8, threads=2, evaluation=Slow()).search(position, playouts=10**9))
interrupted(lambda: nply.tournament("rolit", "maxn:eval=discs random", games=10**6, nodes=10**9, progress=False))
interrupted(lambda: nply.tune("rolit", candidates="maxn:eval=discs random", games=10**6, nodes=10**9, progress=False))
interrupted(lambda: position.perft(30, threads=2))
# Whatever was interrupted ends soon, and leaves no thread behind.
for _ in range(100):
    left = len(os.listdir("/proc/self/task")) - 1 if os.path.isdir("/proc/self/task") else 0
    if left == 0:
        break
    time.sleep(0.1)
print(left, flush=True)
print(agent.search(position, depth=1).move, nply.Maxn().search(Walk(), depth=1).move, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
def test_an_interrupt_ends_any_work_within_a_tenth_of_a_second_and_leaves_everything_usable() -> None:
    # SIGINT may be ignored where the tests run.
    restore = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    child = subprocess.Popen([sys.executable, "-c", restore + ENDLESS], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    late = []
    for _ in range(7):
        late.append(list[float]())
        for _ in range(5):
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.2)
            sent = time.time()
            child.send_signal(signal.SIGINT)
            late[-1].append(float(child.stdout.readline()) - sent)
    assert child.stdout.readline() == "0\n"
    move, _, own = child.stdout.readline().partition(" ")
    assert move in nply.game("rolit", 3).moves() and own == "1\n"
    assert child.wait(20) == 0
    # On a machine that is busy with other things a thread may have to wait now and then: the rule is a tenth of a second for each work.
    assert all(statistics.median(each) < 0.1 and max(each) < 1 for each in late), late
