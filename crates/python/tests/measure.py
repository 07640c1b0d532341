"""What `tools/python measure` prints.

Nodes of a search of 100 ms from Python beside the command's, in turn; and steps a second of random play through PettingZoo beside OpenSpiel.
"""

import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import command
import numpy as np
import pyspiel
from open_spiel.python import rl_environment

import nply
import nply.pettingzoo

RUNS = 15
#: The moves after which a random game is left, which in Chinese Checkers would go on for long.
MOST = 300

for game, players, agent in [("focus", 3, "paranoid"), ("rolit", 3, "brs"), ("four-player-chess", 4, "maxn"), ("othello", 2, "mcts")]:
    position, search = nply.game(game, players), nply.agent(agent)
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(search.search(position, time=0.1).nodes)
        words = ["--players", str(players), "--agent", agent, "--time", "100ms", "--json", "--quiet"]
        theirs.append(json.loads(command.run("search", game, *words))["nodes"])
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"{game} {agent}: {statistics.median(ours):.0f} nodes from Python, {statistics.median(theirs):.0f} from the command: {100 * ratio:.1f} %")


def zoo(env: Any) -> Callable[[int], int]:
    """Random play through an environment of PettingZoo, from a seed; the number of moves."""

    def play(seed: int) -> int:
        rng, moves = random.Random(seed), 0
        env.reset(seed=seed)
        for _ in env.agent_iter(MOST):
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
                moves += 1
        return moves

    return play


def spiel_environment(name: str) -> Callable[[int], int]:
    """The same through OpenSpiel's environment for learning, which shows every step to every player."""
    env = rl_environment.Environment(name)

    def play(seed: int) -> int:
        rng, moves = random.Random(seed), 0
        env.seed(seed)
        step = env.reset()
        while not step.last() and moves < MOST:
            player = step.observations["current_player"]
            step = env.step([rng.choice(step.observations["legal_actions"][player])])
            moves += 1
        return moves

    return play


def spiel(name: str, observes: bool) -> Callable[[int], int]:
    """The same through OpenSpiel's states, with what the mover observes as an array, or without."""
    game = pyspiel.load_game(name)
    has_observation = game.get_type().provides_observation_tensor

    def play(seed: int) -> int:
        rng, moves, state = random.Random(seed), 0, game.new_initial_state()
        while not state.is_terminal() and moves < MOST:
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
                continue
            if observes:
                np.asarray(state.observation_tensor() if has_observation else state.information_state_tensor(), np.float32)
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
        return moves

    return play


def rate(play: Callable[[int], int], seed: int) -> float:
    """Moves a second of the processor's time, in games of about a fifth of a second."""
    begun, moves = time.process_time(), 0
    while (used := time.process_time() - begun) < 0.2:
        moves += play(seed)
        seed += 1
    return moves / used


for name, players, spiel_name in [("chinese-checkers:board=large", 3, "chinese_checkers(players=3)"), ("othello", 2, "othello"), ("hearts", 4, "hearts")]:
    ways = {
        "nply.pettingzoo.raw_env": zoo(nply.pettingzoo.raw_env(name, players)),
        "nply.pettingzoo.env": zoo(nply.pettingzoo.env(name, players)),
        "OpenSpiel rl_environment": spiel_environment(spiel_name),
        "pyspiel with observations": spiel(spiel_name, True),
        "pyspiel without": spiel(spiel_name, False),
    }
    rates: dict[str, list[float]] = {way: [] for way in ways}
    # In turn, so that all have the same weather.
    for run in range(RUNS):
        for way, play in ways.items():
            rates[way].append(rate(play, 100 * run))
    for way, found in rates.items():
        print(f"{name} {players}, {way}: {statistics.median(found):.0f} steps a second")
