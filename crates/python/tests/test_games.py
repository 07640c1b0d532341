"""Games, positions and moves."""

import pickle
import random

import command
import pytest

import nply


@pytest.mark.parametrize("name", nply.games())
def test_every_game_can_be_played_to_its_end_and_read_back(name: str) -> None:
    rng = random.Random(1)
    for players in nply.games()[name]["players"]:
        position = nply.game(name, players)
        assert position.players == players
        while position.payoff is None:
            assert 0 <= position.turn < players
            position = position.play(rng.choice(position.moves()))
        assert position.moves() == []
        assert sum(position.payoff) == pytest.approx(1)
        if name != "tree":
            assert nply.game(name, players, position=position.text) == position


def test_playing_leaves_the_position_as_it_was() -> None:
    start = nply.game("othello")
    text = start.text
    child = start.play("d3")
    assert (start.text, start.played, child.played) == (text, [], ["d3"])
    assert child == nply.game("othello").play("d3") != start
    assert hash(child) == hash(nply.game("othello", position=child.text))


def test_moves_can_be_played_one_by_one_or_as_a_text() -> None:
    start = nply.game("othello")
    assert start.play("d3 c5").text == start.play("d3", "c5").text == start.play("d3").play("c5").text
    with pytest.raises(nply.UsageError, match="move 2: no legal move"):
        start.play("d3", "d3")


def test_positions_survive_pickling_with_their_history() -> None:
    position = nply.game("hearts", 4, seed=7, hidden=True).play(nply.game("hearts", 4, seed=7).moves()[0])
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert (again.played, again.game) == (position.played, "hearts:hidden=yes")


def test_perft_and_its_division_agree() -> None:
    position = nply.game("focus", 3)
    assert position.perft(0) == 1
    assert position.perft(1) == len(position.moves())
    assert sum(position.divide(3).values()) == position.perft(3) == position.perft(3, threads=2)


def test_a_position_draws_itself() -> None:
    for name in nply.games():
        position = nply.game(name)
        picture = position._repr_svg_()
        if picture is None:
            html = position._repr_html_()
            assert html is not None and html.startswith("<pre>")
        else:
            assert picture.startswith("<svg") and position._repr_html_() is None
    start = nply.game("connect-four")
    assert start.svg("d d") != start.svg()
    hidden = nply.game("hearts", hidden=True)
    assert hidden.svg(everything=False) != hidden.svg()


def test_scores_and_chances_are_those_of_an_evaluation() -> None:
    position = nply.game("rolit", 3).play("f4")
    assert len(position.scores()) == 3 and position.scores("discs") != position.scores()
    chances = position.chances()
    assert chances is not None and sum(chances) == pytest.approx(1)
    with pytest.raises(nply.UsageError, match='unknown evaluation of rolit "disks"'):
        position.scores("disks")


def test_points_are_there_where_the_game_counts_them() -> None:
    assert nply.game("othello").points == [2, 2]
    assert nply.game("focus").points is None


@pytest.mark.parametrize(
    ("code", "words", "arguments", "options"),
    [
        ("unknown-name", ["show", "fokus"], ["fokus"], {}),
        ("unknown-setting", ["show", "focus:limits=3"], ["focus"], {"limits": 3}),
        ("bad-value", ["show", "connect-four:line=9"], ["connect-four"], {"line": 9}),
        ("refused", ["show", "focus", "--players", "6"], ["focus", 6], {}),
        ("position", ["show", "othello", "--position", "x"], ["othello"], {"position": "x"}),
    ],
)
@command.needed
def test_errors_are_those_of_the_command(code: str, words: list[str], arguments: list[str], options: dict[str, object]) -> None:
    with pytest.raises(nply.Error) as raised:
        nply.game(*arguments, **options)  # type: ignore[arg-type]
    error, expected = raised.value, command.refused(*words)
    assert (error.code, error.message, error.help) == (code, expected["message"], expected["help"])
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_an_error_is_an_ordinary_exception_of_its_kind() -> None:
    with pytest.raises(ValueError):
        nply.game("fokus")
    with pytest.raises(OSError, match="there is no file"):
        nply.read("no such file.db")


def test_options_are_written_in_one_way_at_a_time() -> None:
    assert nply.game("connect-four", line=3, columns="5").game == "connect-four:columns=5,line=3"
    with pytest.raises(TypeError, match="not both"):
        nply.game("connect-four:line=3", columns=5)
