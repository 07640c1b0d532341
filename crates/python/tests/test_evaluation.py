"""Evaluations of one's own."""

from __future__ import annotations

import pickle
import random
import re
import threading
import time
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from connect_four import ConnectFour

import nply
import nply.openspiel

GAMES = [
    ("focus", {"players": 3}, "height"),
    ("chinese-checkers", {"players": 3}, "distance"),
    ("connect-four", {"players": 2, "columns": 5, "rows": 4, "line": 3}, None),
    ("connect-four", {"players": 4, "columns": 6, "rows": 4, "line": 3}, None),
]


def positions() -> list[tuple[nply.Position, str | None]]:
    """Positions of several games, none of them over, each with the name of an evaluation."""
    rng, found = random.Random(5), []
    for name, options, evaluation in GAMES:
        for plies in (1, 6):
            position = nply.game(name, **options)  # type: ignore[arg-type]
            for _ in range(plies):
                later = position.play(rng.choice(position.moves()))
                position = later if later.payoff is None else position
            found.append((position, evaluation))
    return found


class Repeated(nply.Evaluation):
    """An evaluation of the game, in Python."""

    def __init__(self, name: str | None) -> None:
        self.name, self.sizes = name, list[int]()

    def evaluate(self, position: nply.Position) -> list[int]:
        self.sizes.append(1)
        return position.scores(self.name)

    def bounds(self, position: nply.Position) -> tuple[list[int], int]:
        return position.bounds(self.name)


class Together(Repeated):
    """The same for several positions at a time, as an array."""

    def evaluate_batch(self, positions: Sequence[nply.Position]) -> npt.NDArray[np.float32]:
        self.sizes.append(len(positions))
        return np.array([position.scores(self.name) for position in positions], dtype=np.float32)


class OnlyTogether(Together):
    evaluate = nply.Evaluation.evaluate  # type: ignore[assignment]


def chances(position: nply.Position, name: str | None) -> list[float]:
    """What Monte-Carlo tree search makes of the game's own evaluation where it cuts off a playout."""
    found = position.chances(name)
    assert found is not None
    return found


class Chances(nply.Evaluation):
    """The chances of an evaluation of the game, in Python."""

    def __init__(self, name: str | None) -> None:
        self.name, self.sizes = name, list[int]()

    def evaluate(self, position: nply.Position) -> list[float]:
        self.sizes.append(1)
        return chances(position, self.name)


class ChancesTogether(Chances):
    """The same for several positions at a time, as an array."""

    def evaluate_batch(self, positions: Sequence[nply.Position]) -> npt.NDArray[np.float64]:
        self.sizes.append(len(positions))
        return np.array([chances(position, self.name) for position in positions])


class ChancesOnlyTogether(ChancesTogether):
    evaluate = nply.Evaluation.evaluate  # type: ignore[assignment]


AGENTS: list[tuple[str, dict[str, int]]] = [
    ("maxn", {"nodes": 60}),
    ("maxn:pruning=speculative,score=relative", {"nodes": 60}),
    ("paranoid", {"nodes": 60}),
    ("brs", {"nodes": 60}),
    ("brs+", {"nodes": 60}),
    ("greedy", {"nodes": 1}),
    ("worlds:agent=(maxn),n=2", {"nodes": 40}),
    ("mcts:cutoff=0", {"playouts": 30}),
    ("mcts:cutoff=2,playout=random", {"playouts": 20}),
    ("mcts:cutoff=1,playout=random", {"nodes": 60}),
]


@pytest.mark.parametrize(
    ("agent", "limits", "kind"),
    [(*agent, Chances if "cutoff" in agent[0] else Repeated) for agent in AGENTS]
    + [(*AGENTS[0], OnlyTogether), (*AGENTS[7], ChancesOnlyTogether)],
)
def test_an_evaluation_that_repeats_the_games_own_is_searched_node_for_node_alike(
    agent: str, limits: dict[str, int], kind: type[Repeated] | type[Chances]
) -> None:
    for position, name in positions():
        own = nply.agent(agent, kind(name)).search(position, **limits, seed=3)
        if name is None:
            theirs = nply.agent(agent)
        elif "agent=(maxn)" in agent:
            theirs = nply.agent(agent.replace("(maxn)", f"(maxn:eval={name})"))
        else:
            theirs = nply.agent(agent + ("," if ":" in agent else ":") + f"eval={name}")
        expected = theirs.search(position, **limits, seed=3)
        assert (own.line, own.value, own.scores) == (expected.line, expected.value, expected.scores), position
        assert (own.nodes, own.depth) == (expected.nodes, expected.depth), position


def test_a_batch_of_one_is_the_unbatched_search() -> None:
    for position, name in positions():
        expected = nply.Mcts(cutoff=0, eval=name).tree(position, playouts=40)
        for kind in (Chances, ChancesTogether, ChancesOnlyTogether):
            tree = nply.Mcts(cutoff=0, batch=1, evaluation=kind(name)).tree(position, playouts=40)
            assert tree.moves == expected.moves
            assert (tree.visits == expected.visits).all() and np.array_equal(tree.shares, expected.shares, equal_nan=True)


def test_a_batch_asks_about_up_to_so_many_positions_and_finds_what_the_games_own_evaluation_does() -> None:
    for position, name in positions():
        evaluation = ChancesTogether(name)
        found = nply.Mcts(cutoff=0, batch=16, evaluation=evaluation).search(position, playouts=100)
        assert all(size <= 16 for size in evaluation.sizes) and sum(evaluation.sizes) <= 100
        if position.game.startswith("focus"):
            # No game ends within a hundred leaves of these, so that every batch is full.
            assert evaluation.sizes == [16] * 6 + [4]
        expected = nply.Mcts(cutoff=0, batch=16, eval=name).search(position, playouts=100)
        assert (found.line, found.value, found.nodes) == (expected.line, expected.value, expected.nodes)
        one_by_one = nply.Mcts(cutoff=0, batch=16, evaluation=Chances(name)).search(position, playouts=100)
        assert (one_by_one.line, one_by_one.nodes) == (found.line, found.nodes)


def test_a_batch_needs_a_cutoff_of_zero() -> None:
    with pytest.raises(nply.UsageError, match="batch=16 evaluates leaves together, and cutoff=off plays each of them on first"):
        nply.Mcts(batch=16, evaluation=Together(None))


class Shares(nply.Evaluation):
    """Shares of the win by the lines that are open."""

    def evaluate(self, position: nply.Position) -> npt.NDArray[np.float64]:  # type: ignore[override]
        scores = np.array(position.scores(), dtype=np.float64) + 1
        shares: npt.NDArray[np.float64] = scores / scores.sum()
        return shares


def test_shares_of_the_win_are_results_of_playouts_and_chances_of_tree_searches() -> None:
    position = nply.game("connect-four", players=3, columns=6, rows=5)
    tree = nply.Mcts(cutoff=0, evaluation=Shares()).tree(position, playouts=6)
    leaf = int(tree.children(0)[0])
    expected = Shares().evaluate(position.play(tree.moves[leaf]))  # type: ignore[arg-type]
    assert tree.shares[leaf] == pytest.approx(expected, abs=1 / 60)
    assert 0 < tree.shares[leaf][0] < 1
    for agent in (nply.Maxn, nply.Paranoid, nply.Brs, nply.BrsPlus):
        decision = agent(evaluation=Shares()).search(position, depth=2)
        end = position.play(*decision.line[: decision.depth]) if agent is not nply.Brs else None
        assert decision.scores is not None and sum(decision.scores) == 1_000_000
        assert decision.chances == pytest.approx([score / 1e6 for score in decision.scores])
        if end is not None and len(decision.line) == 2:
            assert decision.chances == pytest.approx(list(Shares().evaluate(end)), abs=1e-5)
    # Their sum is always the same, so that max^n prunes.
    pruned, whole = (nply.Maxn(pruning=pruning, evaluation=Shares()).search(position, depth=3).nodes for pruning in ("shallow", "none"))
    assert pruned < whole


def test_a_position_that_an_evaluation_sees_is_one_like_any_other() -> None:
    start = nply.game("focus", players=3).play(nply.game("focus", players=3).moves()[0])
    seen: list[nply.Position] = []

    class Look(Shares):
        def evaluate(self, position: nply.Position) -> npt.NDArray[np.float64]:  # type: ignore[override]
            seen.append(position)
            return np.full(3, 1 / 3)

    nply.Paranoid(evaluation=Look()).search(start, depth=1)
    assert len(seen) >= len(start.moves())
    texts = {start.play(m).text for m in start.moves()}
    for position in seen:
        assert position.text in texts and (position.game, position.players) == ("focus", 3)
        later = position.play(position.moves()[0])
        assert later == nply.game("focus", 3, position=position.text).play(position.moves()[0])
        assert later.played == position.moves()[:1] and position.played == []
        assert pickle.loads(pickle.dumps(later)) == later and pickle.loads(pickle.dumps(position)) == position
    assert nply.Paranoid().search(seen[0], depth=1).move in seen[0].moves()


class Own(nply.Evaluation):
    """The evaluation of Connect Four in Python, for positions in Python."""

    def evaluate(self, position: ConnectFour) -> Sequence[int]:
        assert isinstance(position, ConnectFour)
        return position.evaluate()

    def bounds(self, position: ConnectFour) -> tuple[Sequence[int], int]:
        return position.bounds()


@pytest.mark.parametrize(("agent", "limits"), [("maxn", {"nodes": 60}), ("paranoid", {"depth": 2}), ("brs", {"depth": 2}), ("mcts:cutoff=0,batch=4", {"playouts": 20})])
def test_a_game_in_python_is_judged_by_its_own_objects(agent: str, limits: dict[str, int]) -> None:
    for players, plies in [(2, 0), (3, 4), (4, 2)]:
        position = ConnectFour(players, 5, 4, 3)
        for ply in range(plies):
            position = position.play(position.moves()[ply % 3])
        mine, expected = nply.agent(agent, Own()).search(position, **limits), nply.agent(agent).search(position, **limits)
        assert (mine.move, mine.line, mine.nodes, mine.value) == (expected.move, expected.line, expected.nodes, expected.value)


def test_an_openspiel_game_is_judged_by_its_states() -> None:
    class Tensor(nply.Evaluation):
        def evaluate_batch(self, positions: Sequence[nply.openspiel.Spiel]) -> npt.NDArray[np.float64]:
            planes = np.array([position.state.observation_tensor(0) for position in positions])
            first = 0.5 + 0.4 * np.tanh(planes[:, 9:18] @ np.arange(9) - planes[:, 18:] @ np.arange(9))
            return np.stack([first, 1 - first], axis=1)

    start = nply.openspiel.load("tic_tac_toe")
    for agent in (nply.Mcts(cutoff=0, batch=8, evaluation=Tensor()), nply.Paranoid(evaluation=Tensor())):
        assert agent.search(start, depth=2).move in start.moves()
    bot = nply.openspiel.Bot(nply.Mcts(cutoff=0, batch=8, evaluation=Tensor()), playouts=50)
    assert bot.step(start.state) in start.moves()


class Broken(nply.Evaluation):
    def evaluate_batch(self, positions: Sequence[nply.Position]) -> object:
        raise ZeroDivisionError("no network today")


@pytest.mark.parametrize("agent", ["maxn", "brs", "mcts:cutoff=0", "mcts:cutoff=0,batch=8", "mcts:cutoff=0,threads=2"])
def test_an_exception_surfaces_with_its_traceback(agent: str, capfd: pytest.CaptureFixture[str]) -> None:
    position = nply.game("connect-four", players=3)
    with pytest.raises(ZeroDivisionError, match="no network today") as raised:
        nply.agent(agent, Broken()).search(position, nodes=10**9)
    shown = "".join(traceback.format_exception(raised.value))
    assert "test_evaluation.py" in shown and 'raise ZeroDivisionError("no network today")' in shown
    assert nply.agent(agent, Shares()).search(position, nodes=50).move in position.moves()
    assert capfd.readouterr().err == ""


def answering(answer: Any, bounds: Any = None, batch: bool = False) -> nply.Evaluation:
    """An evaluation that always says the same."""
    members: dict[str, Any] = {"evaluate_batch" if batch else "evaluate": lambda self, position: answer}
    if bounds is not None:
        members["bounds"] = lambda self, position: bounds
    made: nply.Evaluation = type("Answering", (nply.Evaluation,), members)()
    return made


@pytest.mark.parametrize(
    ("evaluation", "problem", "help"),
    [
        (answering(None), "evaluate returned None", "for 3 players it returns 3 numbers"),
        (answering([1, 0]), r"evaluate returned \[1, 0\]", "for 3 players it returns 3 numbers"),
        (answering(np.ones((1, 3)) / 3), r"evaluate returned array\(\[\[0.33", "for 3 players it returns 3 numbers"),
        (answering([0.5, float("nan"), 0.5]), r"evaluate returned \[0.5, NaN, 0.5\]: not all of them are finite numbers", "every player has a finite number"),
        (answering([0.5, 0.5, 0.5]), r"evaluate returned \[0.5, 0.5, 0.5\]: they are not shares of the win", "their sum is 1; points need a method bounds"),
        (answering([1.5, -0.5, 0]), "they are not shares of the win", "each is at least 0"),
        (answering([5, 1, 2], ([0, 0, 0], 7)), r"evaluate returned \[5, 1, 2\]: they are not within the bounds", r"at least \[0, 0, 0\], and together at most 7"),
        (answering([5, 1, -2], ([0, 0, 0], 7)), "they are not within the bounds", "at least"),
        (answering([0.5, 1, 2], ([0, 0, 0], 7)), "not all of them are whole numbers", "returns points, which are whole numbers"),
        (answering([1, 1, 1], ([0, 0], 7)), r"bounds returned \(\[0, 0\], 7\)", "the least score of each, 3 numbers, and the greatest"),
        (answering([1, 1, 1], ([3, 3, 3], 7)), r"bounds returned \(\[3, 3, 3\], 7\)", "which is no less than theirs"),
        (answering(np.full(3, 1 / 3), batch=True), r"evaluate_batch returned an array of shape \(3,\)", r"an array of shape \(1, 3\)"),
        (answering(np.full((2, 3), 1 / 3), batch=True), r"evaluate_batch returned an array of shape \(2, 3\)", r"for 1 positions of 3 players"),
        (answering([[1, 0]], batch=True), r"evaluate_batch returned \[\[1, 0\]\]", r"an array of shape \(1, 3\)"),
        (answering(np.full((1, 3), np.inf), batch=True), "evaluate_batch returned .* not all of them are finite", "finite"),
    ],
)
def test_wrong_answers_are_explained(evaluation: nply.Evaluation, problem: str, help: str) -> None:
    position = nply.game("connect-four", players=3)
    for agent in ("paranoid:depth=1", "mcts:cutoff=0,playouts=3"):
        with pytest.raises(nply.UsageError, match=problem) as raised:
            nply.agent(agent, evaluation).search(position)
        assert raised.value.help is not None and nply.UsageError is type(raised.value)
        assert re.search(help, raised.value.help), raised.value.help


def test_rounding_of_shares_is_no_error() -> None:
    shares = np.array([1, 1e-9, -1e-9], dtype=np.float32)
    decision = nply.Maxn(evaluation=answering(shares)).search(nply.game("connect-four", players=3), depth=1)
    assert decision.scores == [1_000_000, 0, 0]
    third = np.full(3, 1 / 3, dtype=np.float32)
    assert sum(nply.Maxn(evaluation=answering(third)).search(nply.game("connect-four", players=3), depth=1).scores or []) == 1_000_000


def test_agents_keep_their_evaluation_and_those_that_cannot_use_one_refuse_it() -> None:
    evaluation = Shares()
    agent = nply.Mcts(cutoff=0, evaluation=evaluation)
    assert agent.evaluation is evaluation and agent.labelled("net").evaluation is evaluation and agent.labelled("net").label == "net"
    assert agent == nply.agent("mcts:cutoff=0", evaluation) != nply.Mcts(cutoff=0)
    assert repr(agent).startswith("nply.agent('mcts:cutoff=0', evaluation=<")
    again = pickle.loads(pickle.dumps(agent))
    assert again.spec == "mcts:cutoff=0" and isinstance(again.evaluation, Shares)
    assert nply.Worlds(agent=nply.Maxn(evaluation=evaluation)).evaluation is evaluation
    assert nply.Worlds(evaluation=evaluation).evaluation is evaluation
    with pytest.raises(TypeError, match="given here or with the agent inside"):
        nply.Worlds(agent=nply.Maxn(evaluation=evaluation), evaluation=evaluation)
    with pytest.raises(nply.UsageError, match="random does not evaluate positions"):
        nply.agent("random", evaluation)
    with pytest.raises(nply.UsageError, match="random does not evaluate positions"):
        nply.Worlds(agent="random", evaluation=evaluation)
    with pytest.raises(nply.UsageError, match="eval=height is an evaluation of the game"):
        nply.Maxn(eval="height", evaluation=evaluation)
    with pytest.raises(nply.UsageError, match="noise=yes is for the game's own evaluations"):
        nply.Maxn(noise=True, evaluation=evaluation)
    with pytest.raises(TypeError, match="expected an nply.Evaluation, not Shares, a class"):
        nply.Maxn(evaluation=Shares)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="Evaluation has neither evaluate nor evaluate_batch"):
        nply.Maxn(evaluation=nply.Evaluation())
    with pytest.raises(nply.UsageError, match="games are kept and repeated by the names of agents"):
        nply.tournament("connect-four", [agent, "random"], games=2, playouts=5)


def test_an_evaluation_is_kept_by_nothing_after_its_search() -> None:
    position = nply.game("connect-four", players=2, columns=5, rows=4, line=3)
    low, high = answering([1, 0], ([0, 0], 9)), answering([0, 1], ([0, 0], 9))
    for agent in ("maxn", "paranoid", "mcts:cutoff=0"):
        found = [nply.agent(agent, each).search(position, nodes=60) for each in (low, high, low)]
        assert found[0] == found[2] and found[0].scores != found[1].scores
        assert nply.agent(agent).search(position, nodes=60) == nply.agent(agent).search(position, nodes=60)


@pytest.mark.parametrize("agent", ["maxn", "paranoid", "mcts:cutoff=0", "mcts:cutoff=0,batch=4"])
def test_a_slow_evaluation_does_not_outlast_the_time(agent: str) -> None:
    calls = 0

    class Slow(nply.Evaluation):
        def evaluate_batch(self, positions: Sequence[nply.Position]) -> list[list[float]]:
            nonlocal calls
            calls += 1
            time.sleep(0.01)
            return [[1 / 3] * 3 for _ in positions]

    nply.agent(agent, Slow()).search(nply.game("connect-four", players=3), time=0.1)
    # The one at the end of the line is judged again.
    assert 0 < calls <= 13, calls


def test_threads_share_an_evaluation_and_other_threads_run_meanwhile() -> None:
    position = nply.game("connect-four", players=3)
    threads: set[int] = set()

    class Seen(Shares):
        def evaluate_batch(self, positions: Sequence[nply.Position]) -> npt.NDArray[np.float64]:
            threads.add(threading.get_ident())
            return np.array([self.evaluate(position) for position in positions])

    decision = nply.Mcts(cutoff=0, batch=4, threads=2, evaluation=Seen()).search(position, playouts=400)
    assert decision.move in position.moves() and len(threads) == 2 and threading.get_ident() not in threads

    def search(seed: int) -> nply.Decision[str]:
        return nply.Mcts(cutoff=0, batch=4, first="random", evaluation=Shares()).search(position, playouts=60, seed=seed)

    alone = [search(seed) for seed in range(4)]
    found: list[nply.Decision[str] | None] = [None] * 4
    workers = [threading.Thread(target=lambda seed=seed: found.__setitem__(seed, search(seed))) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == alone
