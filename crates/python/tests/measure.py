"""Nodes of a search of 100 ms from Python beside the command's, in turn, and leaves of a network: `tools/python measure`."""

import json
import statistics
import time
from collections.abc import Sequence

import command
import numpy as np
import numpy.typing as npt

import nply

RUNS = 15

for game, players, agent in [("focus", 3, "paranoid"), ("rolit", 3, "brs"), ("four-player-chess", 4, "maxn"), ("othello", 2, "mcts")]:
    position, search = nply.game(game, players), nply.agent(agent)
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(search.search(position, time=0.1).nodes)
        words = ["--players", str(players), "--agent", agent, "--time", "100ms", "--json", "--quiet"]
        theirs.append(json.loads(command.run("search", game, *words))["nodes"])
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"{game} {agent}: {statistics.median(ours):.0f} nodes from Python, {statistics.median(theirs):.0f} from the command: {100 * ratio:.1f} %")


class Net(nply.Evaluation):
    """Two layers for Connect Four, 126 inputs and 64 hidden units, as fast as NumPy is."""

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self.hidden = (rng.normal(size=(126, 64)) / 8).astype(np.float32)
        self.out = (rng.normal(size=(64, 2)) / 8).astype(np.float32)
        self.calls, self.seen = 0, 0

    def evaluate_batch(self, positions: Sequence[nply.Position]) -> npt.NDArray[np.float32]:
        self.calls, self.seen = self.calls + 1, self.seen + len(positions)
        boards = "".join(position.text[:47].replace("/", "") for position in positions).encode()
        fields = np.frombuffer(boards, dtype=np.uint8).reshape(len(positions), 42)
        planes = np.concatenate([fields == ord(piece) for piece in ".12"], axis=1).astype(np.float32)
        values = np.exp(np.tanh(planes @ self.hidden) @ self.out)
        shares: npt.NDArray[np.float32] = values / values.sum(axis=1, keepdims=True)
        return shares


for batch in (1, 16, 64):
    runs = []
    for _ in range(5):
        net, begun = Net(), time.perf_counter()
        nply.Mcts(cutoff=0, batch=batch, evaluation=net).search(nply.game("connect-four"), playouts=4000)
        spent = time.perf_counter() - begun
        runs.append((net.calls / spent, net.seen / spent))
    calls, leaves = (statistics.median(column) for column in zip(*runs))
    print(f"connect-four mcts:cutoff=0,batch={batch}: {calls:.0f} calls/s, {leaves:.0f} leaves/s")
