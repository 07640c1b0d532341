#!/usr/bin/env python3
"""An outside agent for nply that plays any game by choosing a legal move at random.

    nply play rolit --seats "human program:path=examples/agents/random_agent.py greedy greedy"

To make it stronger, change `choose`: look at `position`, and think up to `limits`. docs/engine.md describes
the protocol.
"""

import random
import sys


def choose(position, turn, moves, limits):
    """Return one of `moves` for player `turn`. `limits` has the limits of `go`: depth, nodes, playouts, time (in ms)."""
    return random.choice(moves)


def say(line):
    print(line, flush=True)  # without the flush, nply would wait forever


def main():
    position, turn, moves = "", 1, []
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "nply":
            say("name Random in Python")
            say("ready")
        elif word == "game":  # game NAME players N seed S …
            words = rest.split()
            random.seed(dict(zip(words[1::2], words[2::2])).get("seed"))
        elif word == "position":
            position = rest
        elif word == "turn":
            turn = int(rest)
        elif word == "moves":
            moves = rest.split()
        elif word == "go":
            words = rest.split()
            limits = {key: float(value) for key, value in zip(words[::2], words[1::2])}
            say("move " + choose(position, turn, moves, limits))
        elif word == "quit":
            break


main()
