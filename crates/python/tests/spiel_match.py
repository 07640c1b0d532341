"""BRS, Paranoid and MCTS of nply against OpenSpiel's MCTS in OpenSpiel's Chinese Checkers for three: the table of docs/openspiel.md.

    python crates/python/tests/spiel_match.py play GAMES.jsonl    plays what is missing there
    python crates/python/tests/spiel_match.py table GAMES.jsonl   writes the table; the file may be packed, GAMES.jsonl.gz

The players of nply have, for each turn, the mean time of OpenSpiel's turns so far in the game, or a tenth of it.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pyspiel

import nply
from nply.openspiel import Bot

AGENTS = ["brs", "paranoid", "mcts"]
PARTS = [1.0, 0.1]
#: Each side has one seat or two.
SEATINGS = [seats for seats in product([True, False], repeat=3) if any(seats) and not all(seats)]
#: Games of each agent and part of the time; the same number from each seating.
GAMES = 24
SIMULATIONS = 100
RULES = "chinese_checkers(players=3)"


def opponent(game: Any, seed: int) -> Any:
    """OpenSpiel's MCTS as its examples have it: one random playout a simulation, exploration 2."""
    return pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, SIMULATIONS, 1000, False, seed, False)


def play(agent: str, part: float, seats: tuple[bool, ...], seed: int) -> dict[str, Any]:
    game = pyspiel.load_game(RULES)
    state = game.new_initial_state()
    bots = [Bot(agent, time=1, seed=seed, rules="nply") if ours else opponent(game, 10 * seed + seat) for seat, ours in enumerate(seats)]
    # The first time is that of three searches of the start.
    begun = time.perf_counter()
    for trial in range(3):
        opponent(game, seed + trial).step(state)
    theirs = [(time.perf_counter() - begun) / 3]
    own: list[float] = []
    while not state.is_terminal():
        mover, begun = state.current_player(), time.perf_counter()
        if seats[mover]:
            bots[mover] = Bot(agent, time=part * sum(theirs) / len(theirs), seed=seed, rules="nply")
        while not state.is_terminal() and state.current_player() == mover:
            state.apply_action(bots[mover].step(state))
        (own if seats[mover] else theirs).append(time.perf_counter() - begun)
    return {
        "agent": agent,
        "part": part,
        "seats": "".join("on"[ours] for ours in seats),
        "seed": seed,
        "returns": state.returns(),
        "turns": len(own) + len(theirs) - 1,
        "ms": [round(1e3 * sum(times) / len(times), 1) for times in (own, theirs)],
        "actions": state.history(),
    }


def games() -> Iterator[tuple[str, float, tuple[bool, ...], int]]:
    """In rounds, so that all cells have about as many games whenever it is stopped."""
    for number in range(GAMES):
        for agent, part in product(AGENTS, PARTS):
            yield agent, part, SEATINGS[number % len(SEATINGS)], number + 1


def read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    data = path.read_bytes()
    return [json.loads(line) for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()]


def share(game: dict[str, Any]) -> float:
    """1 if a seat of nply won, 0 if one of OpenSpiel did, a half in a draw."""
    ours = [value for value, seat in zip(game["returns"], game["seats"]) if seat == "n"]
    return 0.5 if max(game["returns"]) == 0 else float(max(ours) > 0)


def wilson(mean: float, count: int) -> tuple[float, float]:
    z = 1.959964
    middle = (mean + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(mean * (1 - mean) / count + z * z / (4 * count * count))
    return middle - half, middle + half


def table(kept: list[dict[str, Any]]) -> Iterator[str]:
    yield "| agent | its time | games | won | drawn | lost | share (95 % interval) | ms a turn | OpenSpiel's | turns |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for agent, part in product(AGENTS, PARTS):
        cell = [game for game in kept if (game["agent"], game["part"]) == (agent, part)]
        shares = [share(game) for game in cell]
        mean = sum(shares) / len(shares)
        low, high = wilson(mean, len(cell))
        own, theirs, turns = (
            sum(values) / len(cell) for values in ([game["ms"][0] for game in cell], [game["ms"][1] for game in cell], [game["turns"] for game in cell])
        )
        yield (
            f"| `{agent}` | {'equal' if part == 1 else 'a tenth'} | {len(cell)} | {shares.count(1)} | {shares.count(0.5)} | {shares.count(0)} "
            f"| {100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f}) | {own:.0f} | {theirs:.0f} | {turns:.0f} |"
        )


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] not in ("play", "table"):
        sys.exit(__doc__)
    path = Path(sys.argv[2])
    kept = read(path)
    if sys.argv[1] == "table":
        print("\n".join(table(kept)))
        return
    done = {(game["agent"], game["part"], game["seats"], game["seed"]) for game in kept}
    for agent, part, seats, seed in games():
        if (agent, part, "".join("on"[ours] for ours in seats), seed) not in done:
            record = play(agent, part, seats, seed)
            with path.open("a") as file:
                file.write(json.dumps(record, separators=(",", ":")) + "\n")
            print(agent, part, record["seats"], record["returns"], record["ms"], record["turns"], nply.FINGERPRINT, flush=True)


if __name__ == "__main__":
    main()
