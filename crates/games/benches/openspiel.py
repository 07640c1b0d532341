"""Compare simulations per second of nply's Monte-Carlo tree search and OpenSpiel's C++ one.

    pip install open_spiel
    cargo build --release
    python crates/games/benches/openspiel.py [--nply target/release/nply] [--rounds 5] [--core 0]

Both search alternately on one core with one thread. Rates are by processor time, so that a busy machine does little harm;
for nply it includes the start of the command. Both start from the same position of Chinese Checkers, where OpenSpiel has
one action for each hop and nply one move for the whole chain, and where OpenSpiel's playouts end undecided after 1,000
moves; and from a deal of Hearts without passing, which is not the same for both.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import time

import pyspiel


def hearts():
    """A deal without passing, before the first card that is not forced."""
    game = pyspiel.load_game("hearts", {"pass_cards": False})
    state, chance = game.new_initial_state(), random.Random(1)
    state.apply_action(0)  # No passing.
    while state.is_chance_node() or len(state.legal_actions()) == 1:
        state.apply_action(chance.choice(state.legal_actions()))
    return game, state


def chinese_checkers():
    """The start for three on the board with ten pieces each."""
    game = pyspiel.load_game("chinese_checkers", {"players": 3})
    return game, game.new_initial_state()


def theirs(start, simulations, seed):
    """Seconds of processor time that OpenSpiel takes."""
    game, state = start
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, seed, False)
    started = time.process_time()
    root = bot.mcts_search(state)
    seconds = time.process_time() - started
    assert root.explore_count == simulations, root.explore_count
    return seconds


def ours(nply, game, agent, simulations, seed):
    """Seconds of processor time that nply takes."""
    command = [nply, "search", *game.split(), "--agent", agent, "--seed", str(seed)]
    command += ["--playouts", str(simulations), "--json", "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert answer["nodes"] >= simulations
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# What, OpenSpiel's start and simulations a round, nply's game, agent and simulations a round.
STAR = "chinese-checkers:board=large --players 3"
ROWS = [
    ("hearts 4, random", hearts, 50_000, "hearts --players 4", "mcts:playout=random,solver=off", 200_000),
    ("chinese-checkers 3 large, random, 1,000 plies", chinese_checkers, 1000, STAR,
     "mcts:playout=random,cutoff=1000,solver=off", 10_000),
    ("chinese-checkers 3 large, move", chinese_checkers, 1000, STAR, "mcts:playout=move,solver=off", 5000),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nply", default="target/release/nply", help="the command")
    parser.add_argument("--rounds", type=int, default=5, help="how often both search each position")
    parser.add_argument("--core", type=int, default=0, help="the core that both run on")
    options = parser.parse_args()
    os.sched_setaffinity(0, {options.core})
    print(f"{'simulations/s':<46}{'OpenSpiel':>10}{'nply':>10}{'ratio':>7}   from round to round")
    for name, start, their_count, game, agent, our_count in ROWS:
        position = start()
        rates = []
        for seed in range(1, options.rounds + 1):
            their_rate = their_count / theirs(position, their_count, seed)
            rates.append((their_rate, our_count / ours(options.nply, game, agent, our_count, seed)))
        their_rate, our_rate = (sum(column) / len(rates) for column in zip(*rates))
        ratios = [b / a for a, b in rates]
        print(f"{name:<46}{their_rate:>10,.0f}{our_rate:>10,.0f}{our_rate / their_rate:>7.2f}"
              f"   {min(ratios):.2f} to {max(ratios):.2f}", flush=True)


if __name__ == "__main__":
    main()
