"""Games of one's own."""

from __future__ import annotations

import pickle
import random
import traceback
from dataclasses import dataclass
from pathlib import Path

import pytest
from connect_four import ConnectFour, follow

import nply

BOARDS = [(2, 5, 4, 3), (2, 5, 5, 4), (3, 5, 4, 3), (4, 6, 4, 3)]


def positions() -> list[tuple[ConnectFour, nply.Position]]:
    """Two hundred positions in Python and in Rust, none of them over."""
    rng, found = random.Random(7), []
    for number in range(200):
        players, columns, rows, line = BOARDS[number % len(BOARDS)]
        own = ConnectFour(players, columns, rows, line)
        theirs = nply.game("connect-four", players, columns=columns, rows=rows, line=line)
        for _ in range(rng.randrange(8)):
            m = rng.choice(own.moves())
            if own.play(m).payoff() is not None:
                break
            own, theirs = own.play(m), theirs.play("abcdef"[m])
        found.append((own, theirs))
    return found


class Points(nply.Evaluation):
    """The game's own evaluation without its chances, as games of one's own have none: the highest takes the win."""

    def evaluate(self, position: nply.Position) -> list[int]:
        return position.scores()

    def bounds(self, position: nply.Position) -> tuple[list[int], int]:
        return position.bounds()


@pytest.mark.parametrize(
    ("agent", "limits"),
    [
        ("maxn", {"nodes": 60}),
        ("maxn:ties=cautious", {"depth": 2}),
        ("paranoid", {"nodes": 60}),
        ("brs+", {"nodes": 60}),
        ("mcts", {"playouts": 5}),
        ("mcts:cutoff=0", {"playouts": 15}),
        ("brs", {"depth": 2}),
    ],
)
def test_a_game_in_python_is_searched_node_for_node_like_the_same_in_rust(agent: str, limits: dict[str, int]) -> None:
    search, same = nply.agent(agent), nply.agent(agent, Points() if "cutoff" in agent else None)
    for own, theirs in positions():
        mine, expected = search.search(own, **limits, seed=3), same.search(theirs, **limits, seed=3)
        assert ["abcdef"[m] for m in mine.line] == expected.line, own.to_text()
        assert (mine.nodes, mine.depth, mine.value, mine.scores) == (expected.nodes, expected.depth, expected.value, expected.scores)
        assert "abcdef"[mine.move] == expected.move


def test_the_comparison_is_of_the_same_positions() -> None:
    for own, theirs in positions():
        assert own.to_text() == theirs.text
        assert own.evaluate() == theirs.scores()
        assert nply.game(own).perft(3) == theirs.perft(3)


@dataclass(frozen=True)
class Sticks(nply.Game[int]):
    """Three players take one to three sticks in turn, and whoever takes the last one wins."""

    left: int = 12
    mover: int = 0

    def player_count(self) -> int:
        return 3

    def turn(self) -> int:
        return self.mover

    def moves(self) -> list[int]:
        return list(range(1, min(self.left, 3) + 1))

    def play(self, m: int) -> Sticks:
        return type(self)(self.left - m, (self.mover + 1) % 3)

    def payoff(self) -> list[float] | None:
        return None if self.left else [float((player + 1) % 3 == self.mover) for player in range(3)]

    def key(self) -> object:
        return self.left, self.mover


def test_six_methods_are_a_game_that_every_algorithm_plays() -> None:
    nply.check_game(Sticks)
    for agent in ["random", "greedy", "maxn", "paranoid", "brs+", "mcts", "worlds:agent=(maxn)"]:
        limits = {"playouts": 50} if agent == "mcts" else {"nodes": 500}
        assert nply.agent(agent).search(Sticks(), **limits).move in Sticks().moves()
    # The first player wins by taking two.
    decision = nply.Maxn().search(Sticks(), depth=12)
    assert (decision.move, decision.value) == (2, 180)
    with pytest.raises(nply.UsageError, match=r"which sticks does not allow: its class has no method with_turn\(player\), which returns the position with"):
        nply.Brs().search(Sticks(), nodes=10)
    position = nply.game(Sticks)
    assert (position.game, position.players, position.moves(), position.perft(2)) == ("sticks", 3, ["1", "2", "3"], 9)
    assert position.play("3").text == "Sticks(left=9, mover=1)"
    assert pickle.loads(pickle.dumps(position.play("3"))) == position.play("3")
    tree = nply.Maxn(table="off").tree(Sticks(4), depth=2)
    assert tree.moves[1] in [1, 2, 3]


def test_a_tournament_of_a_game_in_python_is_the_same_with_any_number_of_threads(tmp_path: Path) -> None:
    def play(threads: int) -> list[list[str]]:
        report = nply.tournament(Sticks, ["maxn", "random", nply.Mcts(playouts=20)], games=12, depth=4, threads=threads)
        assert report.settings["game"] == "sticks" and report.done
        return [game["moves"] for game in report.games()]

    assert play(1) == play(3)
    kept = tmp_path / "sticks.db"
    first = nply.tournament(Sticks(7), "maxn random", games=6, depth=3, db=kept)
    again = nply.tournament(Sticks(7), "maxn random", games=6, depth=3, db=kept)
    assert first.games() == again.games() == nply.read(kept).games()


class Broken(Sticks):
    def play(self, m: int) -> Sticks:
        if self.left < 9:
            raise ZeroDivisionError(f"no sticks below {self.left}")
        return super().play(m)


@pytest.mark.parametrize("agent", ["maxn:depth=6", "paranoid:depth=6", "brs+:depth=6", "mcts:playouts=50", "mcts:playouts=50,threads=2"])
def test_an_exception_surfaces_with_its_traceback(agent: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError, match="no sticks below 8") as raised:
        nply.agent(agent).search(Broken())
    shown = "".join(traceback.format_exception(raised.value))
    assert "test_own.py" in shown and 'raise ZeroDivisionError(f"no sticks below' in shown
    assert nply.agent(agent).search(Sticks()).move in [1, 2, 3]
    assert capfd.readouterr().err == ""


def test_an_exception_ends_a_tournament_and_a_position_too() -> None:
    for threads in [1, 3]:
        with pytest.raises(ZeroDivisionError, match="no sticks below"):
            nply.tournament(Broken, "maxn random", games=60, depth=2, threads=threads)
    position = nply.game(Broken(9)).play("1")
    with pytest.raises(ZeroDivisionError, match="no sticks below 8"):
        position.play("1")
    with pytest.raises(ZeroDivisionError):
        nply.game(Broken(9)).perft(3)
    assert position.moves() == ["1", "2", "3"]


class Mutable(Sticks):
    def play(self, m: int) -> Sticks:
        object.__setattr__(self, "left", self.left - m)
        return self


class Forgetful(Sticks):
    def play(self, m: int) -> Sticks:
        return None  # type: ignore[return-value]


class Generous(Sticks):
    def payoff(self) -> list[float] | None:
        return None if self.left else [0.5, 0.5, 0.5]


class Stuck(Sticks):
    def moves(self) -> list[int]:
        return [] if self.left == 7 else super().moves()


class Moody(Sticks):
    def play(self, m: int) -> Sticks:
        return Moody(self.left - m, random.randrange(3))


class Boundless(Sticks):
    def evaluate(self) -> list[int]:
        return [self.left, 0, 0]

    def bounds(self) -> tuple[list[int], int]:
        return [0, 0, 0], 5


class Clumsy(Sticks):
    def with_turn(self, player: int) -> Sticks:
        return self


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (Mutable, r"play\(\d\) leaves the position as it was; after \[\]"),
        (Forgetful, r"play\(\d\) returns the position afterwards, not None"),
        (Generous, r"shares sum to 1.5; game 0, after \["),
        (Stuck, "moves exist unless the game is over; after"),
        (Moody, r"play\(\d\) leads to the same position every time"),
        (Boundless, r"\[12, 0, 0\] after \[\] is not within"),
        (Clumsy, "with_turn hands over the turn"),
    ],
)
def test_rules_that_contradict_each_other_are_reported(rules: type[Sticks], problem: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(nply.RulesError, match=problem):
        nply.check_game(rules)
    assert capfd.readouterr().err == ""


def test_connect_four_passes_the_checks() -> None:
    nply.check_game(ConnectFour(3, 5, 4, 3), games=5)
    assert follow(ConnectFour(2, 5, 4, 3), [0, 1, 0, 1, 0]).payoff() == [1, 0]


class Unfinished(nply.Game[int]):
    def player_count(self) -> int:
        return 2


def test_wrong_answers_are_explained() -> None:
    with pytest.raises(NotImplementedError, match="Unfinished has no method payoff: a game needs player_count, turn, moves, play"):
        nply.Maxn().search(Unfinished(), depth=1)

    class Seven(Sticks):
        def player_count(self) -> int:
            return 7

    with pytest.raises(ValueError, match="player_count is 7: a game has 2 to 6 players"):
        nply.game(Seven)

    class Off(Sticks):
        def turn(self) -> int:
            return 3

    with pytest.raises(ValueError, match="turn is 3: the players are numbered from 0 to 2"):
        nply.Maxn().search(Off(), depth=1)

    class Few(Sticks):
        def payoff(self) -> list[float] | None:
            return [1.0]

    with pytest.raises(ValueError, match="payoff has 1 values for 3 players"):
        nply.Maxn().search(Few(), depth=1)
    with pytest.raises(ValueError, match="moves is empty although payoff is None"):
        nply.Maxn().search(Stuck(9), depth=3)
    with pytest.raises(TypeError, match="play returned None: it returns the position afterwards"):
        nply.Maxn().search(Forgetful(), depth=3)
    with pytest.raises(TypeError, match="expected a position, the name of a game or a nply.Game, not int"):
        nply.Maxn().search(7, depth=3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="a game of your own is its start position"):
        nply.game(Sticks, players=3)


@dataclass(frozen=True)
class Guess(nply.Game[str]):
    """The first player hides a coin; the second guesses where it is."""

    coin: str = ""
    guess: str = ""
    dealt: int = 0

    def player_count(self) -> int:
        return 2

    def turn(self) -> int:
        return 1 if self.coin else 0

    def moves(self) -> list[str]:
        return ["left", "right"]

    def play(self, m: str) -> Guess:
        return Guess(self.coin, m, self.dealt) if self.coin else Guess(m, "", self.dealt)

    def payoff(self) -> list[float] | None:
        if not self.guess:
            return None
        return [0.0, 1.0] if self.guess == self.coin else [1.0, 0.0]

    def key(self) -> object:
        return self.coin, self.guess

    def determinize(self, observer: int, seed: int) -> Guess:
        if observer == 0 or not self.coin:
            return self
        return Guess(random.Random(seed).choice(self.moves()), "", self.dealt)

    def deal(self, seed: int) -> Guess:
        return Guess(dealt=seed)


def test_what_is_hidden_stays_hidden() -> None:
    def guessed(coin: str) -> list[str]:
        position = nply.game(Guess).play(coin)
        return [nply.Maxn().search(nply.game(Guess, seed=seed).play(coin), depth=1).move for seed in range(20)] if position else []

    # Whoever guesses sees where a coin would be, and not where it is.
    assert guessed("left") == guessed("right")
    assert set(guessed("left")) == {"left", "right"}


def test_texts_as_moves_and_deals_by_seed() -> None:
    assert nply.game(Guess, seed=5).text == "Guess(coin='', guess='', dealt=5)"
    assert nply.Maxn().search(Guess(), depth=2).move in ["left", "right"]
    nply.check_game(Guess)
