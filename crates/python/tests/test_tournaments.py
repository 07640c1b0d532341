"""Tournaments, their reports, and files of games."""

import json
from pathlib import Path

import command
import matplotlib
import pandas
import polars
import pytest

import nply

matplotlib.use("Agg")


def play(**changed: object) -> nply.Report:
    settings = {"games": 12, "players": 3, "nodes": 60, "seed": 7, "progress": False, **changed}
    return nply.tournament("rolit", ["brs:eval=discs", nply.Greedy(eval="discs"), "any=random"], **settings)  # type: ignore[arg-type]


def timeless(report: nply.Report) -> list[dict[str, object]]:
    return [{key: value for key, value in game.items() if "_ms" not in key} for game in report.games()]


@command.needed
def test_a_tournament_plays_the_games_that_the_command_plays(tmp_path: Path) -> None:
    agents = "brs:eval=discs greedy:eval=discs any=random"
    words = ["--games", "12", "--players", "3", "--nodes", "60", "--seed", "7", "--quiet", "--db", str(tmp_path / "games.db")]
    command.run("tournament", "rolit", "--agents", agents, *words)
    theirs, ours = nply.read(tmp_path / "games.db"), play(threads=2)
    assert timeless(ours) == timeless(theirs) and len(ours) == 12
    assert ours.settings == theirs.settings
    reported = json.loads(command.run("report", str(tmp_path / "games.db"), "--json"))
    assert theirs.json() == reported
    assert theirs.text() in command.run("report", str(tmp_path / "games.db"))


def test_a_match_is_kept_and_resumed(tmp_path: Path) -> None:
    kept = tmp_path / "games.db"
    first = play(db=kept, name="first", games=6)
    assert len(first) == 6
    more = play(db=kept, name="first", games=12)
    assert timeless(more)[:6] == timeless(first) and more.games()[:6] == first.games()
    play(db=kept, name="second", games=6, seed=8)
    assert nply.read(kept, "first").games() == more.games()
    with pytest.raises(nply.Error, match="has 2 matches|several|matches"):
        nply.read(kept)
    with pytest.raises(nply.Error, match='match "first" in .* has the seed "7", not "9"'):
        play(db=kept, name="first", seed=9)


def test_games_are_frames_of_pandas_and_polars() -> None:
    report = play()
    games = report.games()
    frame = report.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 12
    assert list(frame["moves"]) == [game["moves"] for game in games]
    lazy = report.to_polars()
    assert isinstance(lazy, polars.DataFrame) and lazy.height == 12
    assert lazy["payoffs"].to_list() == [game["payoffs"] for game in games]
    assert set(frame.columns) == set(lazy.columns) == set(games[0])
    wins = {name: 0.0 for name in report.rates()}
    for _, row in frame.iterrows():
        for agent, share in zip(row["seats"], row["payoffs"]):
            wins[agent] += share
    assert {name: pytest.approx(points / 12) for name, points in wins.items()} == report.rates()


def test_a_report_shows_itself() -> None:
    report = play()
    assert "any" in str(report) and "95 % interval" in str(report)
    assert report.text("markdown").startswith("**") and "\\begin{table}" in report.text("latex")
    shown = report._repr_html_()
    assert shown.count("<table>") == shown.count("</table>") > 0 and "<svg" in shown and "greedy:eval=discs" in shown
    axes = report.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == list(report.rates())
    with pytest.raises(nply.UsageError, match='unknown format "html"'):
        report.text("html")


def test_progress_is_told_in_order_and_ends_with_everything() -> None:
    told: list[tuple[int, int]] = []
    report = play(progress=lambda games, total, rates: told.append((games, total)), threads=1)
    assert told == sorted(told) and told[-1] == (12, 12) and report.done

    def fail(games: int, total: int, rates: object) -> None:
        raise RuntimeError("seen enough")

    with pytest.raises(RuntimeError, match="seen enough"):
        play(progress=fail)


def test_a_terminal_has_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    play(progress=True)
    shown = capsys.readouterr().err
    assert "12/12: brs:eval=discs" in shown and shown.endswith("\r\x1b[K")
    play(progress=None)
    assert capsys.readouterr().err == ""


def test_a_sequential_test_ends_a_match() -> None:
    report = nply.tournament("connect-four", "maxn random", games=4000, depth=2, sprt=0.1, progress=False)
    assert report.verdict == "maxn is stronger" and report.done and len(report) < 2000
    with pytest.raises(nply.UsageError, match="sprt compares two agents, and here are 3"):
        play(sprt=0.1)
    with pytest.raises(nply.UsageError, match="0.7 is no difference that a sequential test can look for"):
        nply.tournament("connect-four", "maxn random", games=4, depth=2, sprt=0.7)


def test_schedules_seatings_clocks_and_adjudication_are_those_of_the_command() -> None:
    assert play(seating="fixed", games=2).games()[0]["seats"] == ["brs:eval=discs", "greedy:eval=discs", "any"]
    assert play(schedule="pairs", games=18).settings["schedule"] == "pairs"
    assert {game["ending"] for game in play(adjudicate="plies=5").games()} == {"adjudicated"}
    assert len({tuple(game["opening"]) for game in play(openings="random:3").games()}) == 2
    assert play(clock="20s", games=6).settings["clock"] == "20s"
    with pytest.raises(nply.UsageError, match='unknown schedule "pair"'):
        play(schedule="pair")
    with pytest.raises(nply.UsageError, match="a tournament needs a number of games"):
        play(games=0)
    with pytest.raises(nply.UsageError, match="a tournament needs agents"):
        nply.tournament("rolit", "", games=3)
