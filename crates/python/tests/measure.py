"""Nodes of a search of 100 ms from Python beside the command's, in turn: `tools/python measure`."""

import json
import statistics

import command

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
