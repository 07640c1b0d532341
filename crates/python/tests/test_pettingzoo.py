"""The environments of PettingZoo: PettingZoo's own tests, and comparisons with the rules."""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle
import random
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import test_pages

import nply

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, render_test, seed_test  # noqa: E402

from nply import pettingzoo as zoo  # noqa: E402

#: Every game with every number of players, and boards and cards of another kind.
GAMES: list[tuple[str, int]] = [(name, players) for name, about in nply.games().items() for players in about["players"]]
VARIANTS = [("chinese-checkers:board=large", 2), ("hearts:hidden=yes", 3), ("spades:break=yes,hidden=yes", 4), ("connect-four:columns=5,rows=4,line=3", 3)]

#: Of a dict as observation, which PettingZoo has in games of a list of its own only; and of the mask once there is nothing to choose.
EXPECTED = ["Observation is not a NumPy array", "Observation space for each agent probably should be", "Action mask numpy array is all zeros"]


@pytest.mark.parametrize(("game", "players"), GAMES + VARIANTS)
def test_pettingzoos_own_tests_pass(game: str, players: int, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(zoo.env(game, players), num_cycles=300)
        seed_test(lambda: zoo.env(game, players), num_cycles=40)
        render_test(lambda render_mode: zoo.env(game, players, render_mode=render_mode), {"svg": lambda shown: shown.startswith("<svg")})
    assert not [str(warning.message) for warning in caught if not str(warning.message).startswith(tuple(EXPECTED))]
    assert "Passed API test" in capsys.readouterr().out


def play(env: Any, seed: int) -> dict[str, float]:
    """Plays at random, compares every step with the rules, and returns each agent's rewards."""
    rng = random.Random(seed)
    env.reset(seed=seed)
    total = dict.fromkeys(env.agents, 0.0)
    position = env.position
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        total[agent] += reward
        assert not truncation
        if termination:
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        moves = position.moves()
        listed, actions = zip(*env._steps.moves(), strict=True)
        assert list(listed) == moves
        assert agent == f"player_{position.turn}"
        assert len(set(actions)) == len(moves)
        assert sorted(actions) == np.flatnonzero(observation["action_mask"]).tolist()
        assert all(not env.observe(other)["action_mask"].any() for other in env.agents if other != agent)
        chosen = rng.randrange(len(moves))
        assert env.move(actions[chosen]) == moves[chosen] and env.action(moves[chosen]) == actions[chosen]
        env.step(actions[chosen])
        position = position.play(moves[chosen])
    assert env.position == position and position.payoff is not None
    count = len(position.payoff)
    assert list(total.values()) == pytest.approx([(count * share - 1) / (count - 1) for share in position.payoff], abs=1e-6)
    return total


@pytest.mark.parametrize(("game", "players"), GAMES + VARIANTS)
def test_random_play_agrees_with_the_rules(game: str, players: int) -> None:
    limit: dict[str, Any] = {"limit": 120} if game in ("chinese-checkers", "focus") else {}
    if game == "chinese-checkers:board=large":
        game, limit = "chinese-checkers", {"board": "large", "limit": 60}
    for seed in range(2):
        total = play(zoo.raw_env(game, players, **limit), seed)
        assert sum(total.values()) == pytest.approx(0, abs=1e-12)


def test_an_eliminated_player_is_terminated_while_the_others_go_on() -> None:
    # Red's king steps aside, and Black, who has the turn then, attacks White's.
    text = "8/6rN1/8/14/6b<7/uR2bP9bK/8uP5/5r^6uK1/14/14/8uv2uN2/wK2rK2bR1/8/8 r wrbu - - 0 0 -"
    env = zoo.env("four-player-chess", position=text)
    env.reset()
    assert env.agent_selection == "player_1"
    env.step(env.unwrapped.action("g3-h4"))
    assert env.terminations == {"player_0": True, "player_1": False, "player_2": False, "player_3": False}
    assert env.agent_selection == "player_0" and env.last()[1:4] == (pytest.approx(-1 / 3), True, False)
    env.step(None)
    assert env.agents == ["player_1", "player_2", "player_3"] and env.agent_selection == "player_2"
    assert env.rewards == {"player_1": 0, "player_2": 0, "player_3": 0}
    # The numbers of seats and planes stay what they were.
    assert env.observe("player_2")["action_mask"].any() and env.observe("player_0") in env.observation_space("player_0")
    total = play(zoo.raw_env("four-player-chess", position=text), 3)
    assert sum(total.values()) == pytest.approx(0, abs=1e-12)


def swapped(text: str) -> str:
    """A deal in which the second and the third player have each other's cards."""
    leader, _, hands = text.partition(":")
    first, second, third, *rest = hands.split(" ")
    return f"{leader}:{' '.join([first, third, second, *rest])}"


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(np.array_equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize(("game", "players"), [("hearts", 3), ("hearts", 4), ("spades", 3), ("spades", 4)])
def test_worlds_that_a_player_cannot_tell_apart_are_observed_alike(game: str, players: int) -> None:
    text = nply.game(game, players, seed=5).text
    for hidden in (True, False):
        worlds = [zoo.raw_env(game, players, position=deal, hidden=hidden) for deal in (text, swapped(text))]
        for env in worlds:
            env.reset()
        for _ in range(2):
            alike = [same(*(env.observe(agent) for env in worlds)) for agent in worlds[0].possible_agents]
            # The first player, and the fourth if there is one, see none of the cards that differ.
            assert alike == ([True, False, False, True][:players] if hidden else [False] * players)
            assert not np.array_equal(worlds[0].state(), worlds[1].state())
            if worlds[0].agent_selection == "player_0":
                m = worlds[0].position.moves()[0]
                for env in worlds:
                    env.step(env.action(m))


def test_planes_are_those_of_the_observer_first() -> None:
    env = zoo.raw_env("connect-four", 3)
    env.reset()
    env.step(env.action("c"))
    rows, columns = 7, 9
    for seat, agent in enumerate(env.possible_agents):
        observation = env.observe(agent)["observation"]
        assert observation.shape == (rows, columns, 9) and observation.dtype == np.float32
        assert observation in env.observation_space(agent)["observation"]
        planes = dict(zip(env.planes, observation.transpose(2, 0, 1), strict=True))
        # The first player's piece, seen from the others' seats.
        piece = planes[f"piece of player+{(3 - seat) % 3}"]
        assert piece[rows - 1, 2] == 1 and piece.sum() == 1
        assert planes[f"player+{(1 - seat) % 3} to move"].all()
        assert planes[f"viewer in seat {seat}"].all()
        assert observation.sum() == 1 + 2 * rows * columns
    assert np.array_equal(env.state(), env.observe("player_0")["observation"])
    assert env.state() in env.state_space


def test_an_observation_is_memory_of_its_own() -> None:
    env = zoo.raw_env("othello")
    env.reset()
    before = env.observe("player_0")
    kept = copy.deepcopy(before)
    env.step(env.action("d3"))
    assert same(before, kept) and not same(before, env.observe("player_0"))
    # Planes first is how it lies in memory, as networks want it.
    assert before["observation"].transpose(2, 0, 1).flags.c_contiguous
    before["observation"][0, 0, 0] = before["action_mask"][0] = 1


def test_a_seed_deals_as_the_rules_do() -> None:
    env = zoo.raw_env("hearts", 4, hidden=True)
    env.reset(seed=7)
    assert env.position == nply.game("hearts", 4, hidden=True, seed=7)
    env.reset()
    following = env.position
    assert following != nply.game("hearts", 4, hidden=True, seed=7)
    env.reset(seed=7)
    env.reset()
    assert env.position == following


def test_an_illegal_action_ends_the_game_or_is_an_error() -> None:
    env = zoo.env("othello", illegal_reward=-2)
    env.reset()
    env.step(0)
    assert env.rewards == {"player_0": -2, "player_1": 0} and all(env.terminations.values())
    raw = zoo.raw_env("connect-four")
    raw.reset()
    with pytest.raises(nply.Error, match=r"no legal move has the number 9 here\n  help: legal are 0 \(a\), 1 \(b\)"):
        raw.step(9)
    with pytest.raises(nply.Error, match="None is no action"):
        raw.step(None)
    with pytest.raises(nply.Error, match="no legal move 'h' here\n  help: legal are a b"):
        raw.action("h")
    with pytest.raises(nply.Error, match="no legal move has the number 7 here"):
        raw.move(7)
    many = zoo.raw_env("focus")
    many.reset()
    with pytest.raises(nply.Error, match="and 34 more"):
        many.step(620)


def test_an_environment_is_pickled_and_copied_in_the_middle_of_a_game() -> None:
    env = zoo.raw_env("hearts", 3)
    env.reset(seed=3)
    for _ in range(5):
        env.step(env._steps.moves()[0][1])
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert twin.position == env.position and twin.position.played == env.position.played
        assert same(twin.observe(env.agent_selection), env.observe(env.agent_selection))
        twin.step(twin._steps.moves()[0][1])
        assert twin.position != env.position


def test_agents_of_nply_play_in_an_environment() -> None:
    env = zoo.env("rolit", 3)
    env.reset()
    for agent in env.agent_iter(6):
        found = nply.Brs().search(env.unwrapped.position, depth=2)
        action = env.unwrapped.action(found.move)
        assert env.observe(agent)["action_mask"][action]
        env.step(action)
    assert len(env.unwrapped.position.played) == 6


def test_an_environment_starts_from_any_position() -> None:
    env = zoo.raw_env("tree", position="(2 (1 5,4 1,2 3,3) 0,1)")
    env.reset()
    assert env.agent_selection == "player_1" and env.action_space("player_0").n == 3
    env.step(1)
    assert env.terminations == {"player_0": True, "player_1": True} and env.rewards == {"player_0": -1, "player_1": 1}
    with pytest.raises(nply.Error, match="the game is over"):
        zoo.raw_env("tree", position="1,2")


def test_rendering_shows_the_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = zoo.raw_env("connect-four", render_mode="human")
    env.reset()
    env.step(env.action("d"))
    assert capsys.readouterr().out == f"{env.position}\n\n"
    assert zoo.env("focus").metadata["render_modes"] == ["human", "ansi", "svg"]
    with pytest.raises(nply.Error, match="unknown render mode 'rgb_array'\n  help: there are human, ansi, svg"):
        zoo.env("focus", render_mode="rgb_array")


def test_what_is_no_environment_is_refused() -> None:
    with pytest.raises(nply.Error, match='did you mean "focus"'):
        zoo.env("fokus")
    with pytest.raises(nply.Error, match="is not for 5 players"):
        zoo.env("focus", 5)
    with pytest.raises(TypeError, match=r"env.reset\(seed=1\)"):
        zoo.env("hearts", seed=3)

    class Own(nply.Game[int]):
        def player_count(self) -> int:
            return 2

        def turn(self) -> int:
            return 0

        def moves(self) -> list[int]:
            return [1]

        def play(self, m: int) -> Own:
            return self

        def payoff(self) -> list[float] | None:
            return None

        def key(self) -> int:
            return 0

    with pytest.raises(nply.Error, match="positions and moves of own are not numbered"):
        nply.game(Own)._steps()


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "nply.pettingzoo")
    with pytest.raises(ModuleNotFoundError, match="nply.pettingzoo needs pettingzoo, which is not installed\n  help: pip install pettingzoo"):
        importlib.import_module("nply.pettingzoo")


def test_the_package_alone_imports_nothing_of_pettingzoo() -> None:
    code = "import sys, nply; sys.exit(any(name in sys.modules for name in ['pettingzoo', 'gymnasium', 'numpy']))"
    assert subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL).returncode == 0


PAGE = test_pages.ROOT / "docs" / "pettingzoo.md"


def test_the_page_has_every_shape_and_number_of_actions() -> None:
    found = {}
    for game, players, shape, actions in re.findall(r"^\| `([^`]+)` \| ([\d, ]+) \| ([^|]+ × [^|]+) \| (\d+)", PAGE.read_text(), re.MULTILINE):
        rows, columns, planes = shape.split(" × ")
        for count, number in zip(players.split(", "), planes.split(", "), strict=True):
            found[game, int(count)] = (int(rows), int(columns), int(number)), int(actions)
    for game, count in [*GAMES, *(("chinese-checkers:board=large", players) for players in (2, 3, 4, 6))]:
        env = zoo.raw_env(game, count)
        assert found.pop((game, count)) == (env.state_space.shape, int(env.action_space("player_0").n))
    assert not found


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test_pages.test_the_code_of_a_page_runs("docs/pettingzoo.md", tmp_path, monkeypatch)


def test_the_examples_show_what_happens() -> None:
    assert doctest.testmod(zoo, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).failed == 0
