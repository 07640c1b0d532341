"""Agents: their classes, what they find, and the trees that they search."""

import inspect
import json
import pickle
from collections.abc import Callable

import command
import numpy as np
import pytest

import nply


def test_a_class_takes_the_settings_that_its_agent_declares() -> None:
    for declared in nply.agents.DECLARED:
        made = getattr(nply, nply.agents.class_name(declared["name"]))
        keys = [nply.agents.keyword(key) for key, _ in declared["settings"]]
        evaluation = ["evaluation"] if {"eval", "agent"} & set(keys) else []
        assert list(inspect.signature(made).parameters) == keys + evaluation
        assert all(f"\n{key}: " in made.__doc__ for key in keys)
    assert nply.Mcts(widen=2, widen_power=0.25).spec == "mcts:widen=2,widen-power=0.25"


def test_an_agent_is_the_same_by_class_and_by_text() -> None:
    assert nply.Brs(score="own", table="64M").spec == "brs:score=own"
    assert nply.Mcts(c=0.5, playouts=100, reuse=False) == nply.agent("mcts:c=0.5,reuse=no,playouts=100")
    assert nply.Worlds(n=5, agent=nply.Maxn(ties="cautious")) == nply.agent("worlds:n=5,agent=(maxn:ties=cautious)")
    assert nply.Brs(nodes=np.int64(1000), time=0.25) == nply.agent("brs:nodes=1k,time=250ms")
    assert nply.Brs(time="250ms") == nply.Brs(time=0.25)
    fast = nply.Brs(nodes="1k").labelled("fast")
    assert (str(fast), fast.label, repr(fast)) == ("fast=brs:nodes=1k", "fast", "nply.agent('fast=brs:nodes=1k')")
    assert pickle.loads(pickle.dumps(fast)) == fast == nply.agent("fast=brs:nodes=1k")


@command.needed
def test_wrong_settings_have_the_errors_of_the_command() -> None:
    wrong: list[tuple[str, Callable[[], object]]] = [
        ("brs:scor=own", lambda: nply.Brs(scor="own")),  # type: ignore[call-arg]
        ("brs:score=x", lambda: nply.Brs(score="x")),  # type: ignore[arg-type]
        ("mcts:depth=3", lambda: nply.Mcts(depth=3)),  # type: ignore[call-arg]
        ("brss", lambda: nply.agent("brss")),
    ]
    for text, make in wrong:
        with pytest.raises(nply.UsageError) as raised:
            make()
        expected = command.refused("search", "chinese-checkers", "--agent", text, "--nodes", "1")
        error = raised.value
        assert (error.code, error.message, error.help) == (expected["code"], expected["message"], expected["help"])


@command.needed
@pytest.mark.parametrize("agent", ["maxn", "paranoid:lines=3", "brs+", "brs:noise=yes", "mcts", "greedy", "worlds:agent=(maxn)"])
@pytest.mark.parametrize("game", ["rolit", "connect-four", "focus", "hearts:hidden=yes"])
def test_a_search_finds_what_the_command_finds(game: str, agent: str) -> None:
    if game.startswith("hearts") and agent.startswith("brs:"):
        pytest.skip("its players move in turn")
    players = 2 if game == "connect-four" else 3
    position = nply.game(game, players, seed=5)
    for ply in range(3):
        position = position.play(position.moves()[ply])
    found = nply.agent(agent).search(position, nodes=700, seed=5)
    words = ["--players", str(players), "--moves", " ".join(position.played), "--nodes", "700", "--seed", "5"]
    expected = json.loads(command.run("search", game, "--agent", agent, *words, "--json", "--quiet"))
    assert (found.move, found.nodes, found.depth, found.value) == tuple(expected[key] for key in ["move", "nodes", "depth", "value"])
    assert (found.scores, found.chances, found.line) == tuple(expected[key] for key in ["scores", "chances", "pv"])
    lines = [(line.move, line.value, line.line) for line in found.lines]
    assert lines == [(line["move"], line["value"], line["pv"]) for line in expected.get("lines", [])]


def test_any_limit_ends_a_search() -> None:
    position = nply.game("rolit", 3)
    assert nply.Maxn(eval="discs").search(position, depth=2).depth == 2
    assert nply.Maxn(eval="discs").search(position, nodes="1k").nodes == 1000
    assert nply.Mcts(eval="discs").search(position, playouts=20).nodes > 20
    assert nply.Maxn(eval="discs").search(position, time=0.05).time < 5
    assert nply.Maxn(eval="discs", depth=1).search(position).depth == 1
    with pytest.raises(nply.UsageError, match="playouts=10 does not end the thinking of maxn"):
        nply.Maxn().search(position, playouts=10)
    with pytest.raises(nply.UsageError, match="nodes does not take"):
        nply.Maxn().search(position, nodes=-1)


def test_there_is_nothing_to_search_once_the_game_is_over() -> None:
    over = nply.game("connect-four").play("a b a b a b a")
    with pytest.raises(nply.Error, match="the game is over"):
        nply.Maxn().search(over, depth=1)
    with pytest.raises(nply.UsageError, match="which hearts does not allow"):
        nply.Brs().search(nply.game("hearts"), nodes=10)


def test_a_monte_carlo_tree_has_statistics_as_arrays() -> None:
    position = nply.game("connect-four", 3)
    tree = nply.Mcts().tree(position, playouts=400, recorded=300)
    moves = tree.children(0)
    assert tree.visits.dtype == np.int64 and tree.shares.shape == (len(tree), 3)
    assert [tree.moves[row] for row in sorted(moves, key=lambda row: str(tree.moves[row]))] == position.moves()
    assert tree.visits[moves].sum() == tree.visits[0] == 400
    assert np.allclose(tree.shares.sum(axis=1), 1)
    assert tree.truncated and len(tree) == 300
    # The root's share is the mean of its children's, weighted by visits.
    mean = (tree.visits[moves, None] * tree.shares[moves]).sum(axis=0) / 400
    assert np.allclose(mean, tree.shares[0])
    assert tree.decision == nply.Mcts().search(position, playouts=400)
    assert tree.moves[int(moves[tree.chosen[moves]][0])] == tree.decision.move


def test_a_recorded_tree_is_the_search_itself() -> None:
    position = nply.game("rolit", 3)
    agent = nply.Paranoid(eval="discs", table="off")
    tree = agent.tree(position, depth=2, recorded=10_000)
    assert tree.decision == agent.search(position, depth=2)
    assert not tree.truncated and len(tree) > tree.visited
    assert (tree.parents[1:] < np.arange(1, len(tree))).all() and tree.parents[0] == -1
    assert set(tree.kinds) == {"max", "min", "leaf"} and "alpha-beta" in tree.cuts
    assert np.isnan(tree.values).sum() < len(tree) and (tree.visits == -1).all()
    assert tree._repr_svg_().startswith("<svg")
    plain = nply.Maxn(eval="discs", table="off", pruning="none").tree(position, depth=2)
    assert len(plain) == plain.visited + 1
    assert plain.scores.shape == (len(plain), 3) and plain.scores[0].tolist() == plain.decision.scores
    with pytest.raises(nply.UsageError, match="greedy does not search a tree that can be shown"):
        nply.Greedy().tree(position, nodes=5)
