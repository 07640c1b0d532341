"""Tuning, beside the command."""

import json
from pathlib import Path
from typing import Any

import command
import pytest
from connect_four import ConnectFour

import nply

#: A game that is soon over, in which looking ahead wins.
GAME = "connect-four:columns=4,rows=4,line=3"
CANDIDATES = "random alphabeta greedy:eval=lines mcts:playout=random"
LAST = "tune-connect-four-columns-4-rows-4-line-3-2-nodes-100-last"


def tuned(**changed: Any) -> nply.Tuned:
    settings = {"players": 2, "nodes": 100, "games": 6, "last": 60, "candidates": CANDIDATES, "progress": False, **changed}
    return nply.tune(GAME, **settings)


def words(db: Path, last: int = 60) -> list[str]:
    """The same for the command."""
    small = ["tune", GAME, "--players", "2", "--nodes", "100", "--games", "6", "--last", str(last)]
    return [*small, "--candidates", CANDIDATES, "--db", str(db), "--quiet"]


def games(found: nply.Tuned) -> dict[str, list[dict[str, Any]]]:
    return {name: report.games() for name, report in found.reports.items()}


def timeless(found: nply.Tuned) -> list[list[dict[str, Any]]]:
    return [[{key: value for key, value in game.items() if "_ms" not in key} for game in each] for each in games(found).values()]


@command.needed
def test_it_finds_what_the_command_finds_with_any_number_of_threads(tmp_path: Path) -> None:
    theirs = json.loads(command.run(*words(tmp_path / "theirs.db"), "--json"))
    for threads in [1, 2]:
        ours = tuned(threads=threads, db=tmp_path / f"{threads}.db")
        assert ours.json() == theirs
    assert (ours.winner, ours.verdict, ours.entry, ours.matches) == tuple(theirs[key] for key in ["winner", "verdict", "entry", "matches"])
    assert ours.winner == "alphabeta" and [row["agents"] for row in ours.matches] == [4, 2, 2]
    written = command.run(*words(tmp_path / "theirs.db"))
    assert str(ours) + "\n" == written and written.endswith(ours.toml) and ours.toml.startswith("[[entry]]")
    assert [row["match"] for row in ours.matches] == list(ours.reports) and ours.reports[LAST].verdict == ours.verdict
    assert "alphabeta" in repr(ours) and any("points a seat" in note for note in ours.notes)


@command.needed
def test_without_candidates_families_and_settings_are_those_of_the_command(tmp_path: Path) -> None:
    game, db = "connect-four:columns=3,rows=3,line=3", str(tmp_path / "theirs.db")
    small = ["--players", "2", "--nodes", "20", "--games", "1", "--last", "4", "--seed", "3", "--openings", "random:2"]
    theirs = json.loads(command.run("tune", game, *small, "--db", db, "--quiet", "--json"))
    planned = nply.Tuning(game, players=2, nodes=20, games=1, last=4, seed=3, openings="random:2")
    ours = planned.run(progress=False)
    assert ours.json() == theirs and len(planned.candidates) == ours.matches[0]["agents"]
    assert any("-settings-1" in row["match"] for row in ours.matches)


@command.needed
def test_what_is_not_asked_for_is_as_in_the_command(tmp_path: Path) -> None:
    game = "connect-four:columns=3,rows=3,line=3"
    db = ["--db", str(tmp_path / "theirs.db"), "--quiet", "--json"]
    theirs = json.loads(command.run("tune", game, "--candidates", "random greedy", *db))
    assert nply.tune(game, candidates=[nply.Random(), "greedy"], progress=False).json() == theirs


@command.needed
def test_either_goes_on_where_the_other_was_interrupted(tmp_path: Path) -> None:
    whole = tuned()
    told: list[int] = []

    def stop(games: int, total: int, rates: list[Any]) -> None:
        told.append(games)
        # In the second match.
        if len(rates) == 2 and games >= 2:
            raise KeyboardInterrupt

    ours = tmp_path / "ours.db"
    with pytest.raises(KeyboardInterrupt):
        tuned(db=ours, progress=stop, threads=1)
    begun = nply.read(ours, whole.matches[1]["match"]).games()
    assert told and begun
    assert json.loads(command.run(*words(ours), "--json")) == whole.json()
    # With the times that they took: they were not played again.
    assert nply.read(ours, whole.matches[1]["match"]).games()[: len(begun)] == begun
    # The command begins one with a shorter last match.
    theirs = tmp_path / "theirs.db"
    short = json.loads(command.run(*words(theirs, last=4), "--json"))
    assert short["matches"][-1]["games"] < whole.matches[-1]["games"]
    kept = {row["match"]: nply.read(theirs, row["match"]).games() for row in short["matches"]}
    found = tuned(db=theirs)
    assert found.json() == whole.json() and timeless(found) == timeless(whole)
    assert all(games(found)[name][: len(each)] == each for name, each in kept.items())
    # All are there: nothing is played again.
    assert games(tuned(db=theirs)) == games(found)


@command.needed
def test_errors_are_those_of_the_command(tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    for key, value in [
        ("candidates", "random"),
        ("candidates", "alphabeta alphabeta:table=64M"),
        ("candidates", "random brss"),
        ("candidates", "random alphabeta:depht=3"),
        ("candidates", "random maxn:eval=x"),
        ("openings", "random:0"),
        ("players", 7),
    ]:
        with pytest.raises(nply.UsageError) as raised:
            tuned(**{key: value}, db=db)
        theirs = command.refused("tune", GAME, "--nodes", "100", "--db", str(db), "--quiet", f"--{key}", str(value))
        assert (raised.value.code, raised.value.message, raised.value.help) == (theirs["code"], theirs["message"], theirs.get("help"))
    assert not db.exists()
    # Games of other candidates under the same name are not mixed.
    tuned(db=db)
    with pytest.raises(nply.Error, match="tune-connect-four-columns-4-rows-4-line-3-2-nodes-100-families-1"):
        tuned(db=db, candidates="random alphabeta")
    with pytest.raises(nply.FileError):
        tuned(db=tmp_path / "none" / "games.db")


def test_numbers_that_make_no_sense_are_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"games": 0}, r"games=0 is not in 1\.\.=1000000"),
        ({"last": 0}, r"last=0 is not in 1\.\.=1000000000"),
        ({"games": -1}, "games=-1 is not a whole number"),
        ({"seed": 1.5}, "seed=1.5 is not a whole number"),
        ({"nodes": "many"}, 'nodes does not take "many"'),
        ({"sprt": 0.7}, "0.7 is no difference"),
        ({"sprt": 0}, "0 is no difference"),
        ({"time": 0.1}, "a tuning has one budget, and here are nodes and time"),
    ]
    for changed, message in cases:
        with pytest.raises(nply.UsageError, match=message):
            tuned(**changed)


def test_a_budget_may_be_a_time() -> None:
    found = tuned(nodes=None, time=0.001, candidates="random greedy:eval=lines", last=4)
    assert found.entry["budget"] == "time=1ms" and "--time 1ms" in found.entry["source"]


def test_a_game_in_python_is_tuned_too() -> None:
    found = nply.tune(ConnectFour(2, 4, 4, 3), candidates="random alphabeta", nodes=30, games=4, last=8, progress=False)
    assert found.winner == "alphabeta" and found.entry["game"] == found.json()["game"]

    class Broken(ConnectFour):
        def play(self, m: int) -> ConnectFour:
            raise ArithmeticError("broken rules")

    with pytest.raises(ArithmeticError, match="broken rules"):
        nply.tune(Broken(2, 4, 4, 3), candidates="random alphabeta", nodes=30, games=4, last=8, progress=False)
