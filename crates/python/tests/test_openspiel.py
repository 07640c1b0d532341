"""The bridge to OpenSpiel, compared with OpenSpiel itself and with nply's own games.

``NPLY_OPENSPIEL_GAMES`` is the number of random games for each game of OpenSpiel: 100 for the full comparison.
"""

from __future__ import annotations

import doctest
import os
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
import spiel_match
import test_pages

import nply

pyspiel = pytest.importorskip("pyspiel")
import open_spiel.python.games  # noqa: E402,F401  registers those in Python

from nply import openspiel  # noqa: E402

GAMES = int(os.environ.get("NPLY_OPENSPIEL_GAMES", "2"))

#: Ten of the many games of two: board games, hidden ones, cards, and one with returns that do not sum to zero.
TWO = [
    "othello",
    "connect_four",
    "breakthrough",
    "mancala",
    "checkers",
    "chess",
    "hex(board_size=7)",
    "kuhn_poker",
    "bargaining",
    "phantom_ttt",
]

#: The names of the parameter that is the number of players. With any other, a game needs more parameters that go with it.
PLAYERS = ["players", "num_players"]


def accepted() -> list[str]:
    """Every game of OpenSpiel with three to six players that the bridge accepts, with its defaults otherwise."""
    found = ["turn_based_simultaneous_game(game=blotto(players=3))", "turn_based_simultaneous_game(game=matching_pennies_3p())"]
    for kind in pyspiel.registered_games():
        if not kind.default_loadable or kind.max_num_players < 3:
            continue
        key = next((key for key in PLAYERS if key in kind.parameter_specification), None)
        for count in range(max(kind.min_num_players, 3), min(kind.max_num_players, 6) + 1):
            if key is None and kind.min_num_players != kind.max_num_players:
                continue
            name = kind.short_name if kind.min_num_players == kind.max_num_players else f"{kind.short_name}({key}={count})"
            try:
                openspiel.load(name)
            except nply.UsageError:
                continue
            found.append(name)
    return found


MANY = accepted()


def test_the_games_for_more_than_two_are_found() -> None:
    for name in ["chinese_checkers(players=6)", "hearts", "kuhn_poker(players=3)", "skat", "quoridor(players=4)", "tarok(players=4)"]:
        assert name in MANY


@pytest.mark.parametrize("name", MANY + TWO)
def test_random_play_agrees_with_openspiel(name: str) -> None:
    start = openspiel.load(name)
    for seed in range(GAMES):
        dealt, rng = start.deal(seed), random.Random(seed)
        position, theirs = nply.game(dealt), replayed(dealt.state)
        assert str(theirs) == str(dealt.state)
        while not theirs.is_terminal():
            assert not theirs.is_chance_node()
            assert position.payoff is None and position.points is None
            assert position.turn == theirs.current_player()
            assert position.moves() == [str(action) for action in theirs.legal_actions()]
            action = rng.choice(theirs.legal_actions())
            theirs.apply_action(action)
            position = position.play(str(action))
        assert position.moves() == []
        assert position.points == pytest.approx(theirs.returns())
        assert position.payoff is not None and sum(position.payoff) == pytest.approx(1)
        assert ranks(position.payoff) == ranks(theirs.returns())
        assert position.text == f"{dealt.state.get_game()} {' '.join(map(str, theirs.history()))}"


def replayed(state: Any) -> Any:
    """The same state, made by OpenSpiel alone."""
    other = pyspiel.load_game(str(state.get_game())).new_initial_state()
    for action in state.history():
        assert other.is_chance_node() and action in [outcome for outcome, _ in other.chance_outcomes()]
        other.apply_action(action)
    return other


def ranks(values: list[float]) -> list[int]:
    """How many players have clearly more, for each player."""
    return [sum(other > value + 1e-6 for other in values) for value in values]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("leduc_poker(players=3)", r"leduc_poker\(players=3\) has chance after the first move"),
        ("first_sealed_auction(players=3)", "has chance after the first move"),
        ("pig", "has chance after the first move"),
        ("goofspiel", "has players who do not move one at a time"),
        ("mfg_garnet", "has players who do not move one at a time"),
        ("kuhn_poker(players=7)", "has 7 players: nply has games of 2 to 6"),
        ("2048", "has 1 players: nply has games of 2 to 6"),
        ("tiny_hanabi", "gives all players the same return"),
        ("fokus", "OpenSpiel does not load 'fokus': Unknown game 'fokus'\n  help: pyspiel.registered_names"),
        ("tic_tac_toe(x=1)", "OpenSpiel does not load 'tic_tac_toe.x=1.': Unknown parameter 'x'"),
    ],
)
def test_what_no_search_knows_is_refused_with_a_reason(name: str, reason: str) -> None:
    with pytest.raises(nply.UsageError, match=reason):
        openspiel.load(name)


def test_chance_that_no_probe_found_ends_a_search_with_the_same_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openspiel, "PROBES", (0, 0))
    game = openspiel.load("leduc_poker(players=4)")
    openspiel._loaded.cache_clear()
    with pytest.raises(nply.UsageError, match="has chance after the first move"):
        nply.Mcts(playout="random").search(game, playouts=50)


def test_moves_out_of_turn_are_refused_with_a_reason() -> None:
    with pytest.raises(nply.UsageError, match="brs lets opponents move out of turn, which chinese_checkers-players-3 does not allow"):
        nply.Brs().search(openspiel.load("chinese_checkers(players=3)"), nodes=10)


def test_every_other_algorithm_searches_a_game_of_openspiel() -> None:
    start = openspiel.load("quoridor(players=3,board_size=3,wall_count=1)")
    for agent in ["random", "greedy", "maxn", "paranoid", "brs+", "mcts:playout=random"]:
        limits = {"playouts": 30} if "mcts" in agent else {"nodes": 300}
        decision = nply.agent(agent).search(start, **limits)
        assert decision.move in start.moves()
        assert decision == nply.agent(agent).search(start, **limits)


def best(state: Any) -> list[float]:
    """max^n by OpenSpiel alone: the returns that follow if everybody wants the most, and the first of equal moves."""
    if state.is_terminal():
        return list(state.returns())
    return max((best(state.child(action)) for action in state.legal_actions()), key=lambda returns: returns[state.current_player()])


@pytest.mark.parametrize("name", ["kuhn_poker(players=2)", "kuhn_poker(players=3)", "kuhn_poker(players=4)", "tic_tac_toe"])
def test_a_search_to_the_end_finds_the_returns_that_openspiel_gives(name: str) -> None:
    for seed in range(8):
        position = openspiel.load(name).deal(seed)
        for _ in range(3 if name == "tic_tac_toe" else 0):
            position = position.play(random.Random(seed).choice(position.moves()))
        count = position.player_count()
        found = nply.Maxn(pruning="none", table="off").search(position, depth=12)
        least = position.state.get_game().min_utility()
        expected = best(position.state)
        assert found.scores is not None
        # A score is a share of the sum of all, and a zero-sum return a share of what all may lose.
        returns = [score / (openspiel.UNIT * count) * -least * count + least for score in found.scores]
        assert returns[position.turn()] == pytest.approx(expected[position.turn()], abs=1e-4)


def test_shares_follow_the_returns() -> None:
    assert openspiel.shares([2, -1, -1], -1, "returns") == [1, 0, 0]
    assert openspiel.shares([0, 0, 0], -1, "returns") == pytest.approx([1 / 3] * 3)
    assert openspiel.shares([0, 0], 0, "returns") == [0.5, 0.5]
    assert openspiel.shares([3, 1, -5], -4, "returns") == pytest.approx([8 / 14, 6 / 14, 0])
    assert openspiel.shares([3, 1, 3], -4, "winner") == [0.5, 0, 0.5]
    won = openspiel.load("hearts", payoff="winner")
    assert won.name == "hearts-winner" and won != openspiel.load("hearts")
    with pytest.raises(nply.UsageError, match='payoff is "returns" or "winner", not .points'):
        openspiel.load("hearts", payoff="points")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["hearts", "tarok", "kuhn_poker(players=3)", "coin_game(players=3)"])
def test_the_seed_decides_the_deal(name: str) -> None:
    start = openspiel.load(name)
    shown = [str(start.deal(seed).state) for seed in range(12)]
    assert shown == [str(start.deal(seed).state) for seed in range(12)]
    assert len(set(shown)) > 1
    assert nply.game(start, seed=4).text == nply.game(start.deal(4)).text == start.deal(4).deal(7).to_text()
    assert str(start.state) == shown[1]


@pytest.mark.parametrize("name", ["hearts", "tarok", "othello", "chinese_checkers(players=4)"])
def test_positions_are_pickled_and_known_by_their_moves(name: str) -> None:
    position = start = openspiel.load(name)
    assert pickle.loads(pickle.dumps(start)) == start and str(pickle.loads(pickle.dumps(start)).deal(9)) == str(start.deal(9))
    for _ in range(10):
        position = position.play(position.moves()[0])
    copy = pickle.loads(pickle.dumps(position))
    assert (copy, str(copy), copy.key(), copy.turn(), copy.moves()) == (
        position,
        str(position),
        position.key(),
        position.turn(),
        position.moves(),
    )
    assert openspiel.of(position.state) == position and openspiel.of(position.state).key() == position.key()
    played = nply.game(start).play(str(start.moves()[0]))
    assert pickle.loads(pickle.dumps(played)) == played


@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker(players=3)", "nim", "oh_hell(players=3)"])
def test_the_rules_pass_the_checks_of_a_game_of_ones_own(name: str) -> None:
    nply.check_game(openspiel.load(name), games=3)


def test_a_tournament_of_a_game_of_openspiel() -> None:
    def play(threads: int) -> list[list[str]]:
        start = openspiel.load("kuhn_poker(players=3)")
        report = nply.tournament(start, "maxn paranoid random", games=12, depth=6, threads=threads)
        assert report.done and report.settings["game"] == "kuhn_poker-players-3"
        return [game["moves"] for game in report.games()]

    assert play(1) == play(2)


def test_a_bot_plays_in_openspiel() -> None:
    game = pyspiel.load_game("chinese_checkers(players=3,max_moves=6)")
    bots = [openspiel.Bot("maxn", nodes=30), openspiel.Bot(nply.Mcts(playout="random"), playouts=3), pyspiel.make_uniform_random_bot(2, 5)]
    assert pyspiel.evaluate_bots(game.new_initial_state(), bots, 7) == [0, 0, 0]
    hearts = pyspiel.load_game("hearts")
    bots = [openspiel.Bot("paranoid", nodes=40) for _ in range(4)]
    first, again = (pyspiel.evaluate_bots(hearts.new_initial_state(), bots, 7) for _ in range(2))
    assert first == again and sum(first) in [78, 26]


def test_a_bot_beats_chance() -> None:
    game, won = pyspiel.load_game("connect_four"), 0.0
    for seed in range(6):
        bot, other = openspiel.Bot(nply.Mcts(playout="random"), playouts=60, seed=seed), pyspiel.make_uniform_random_bot(1, seed)
        won += pyspiel.evaluate_bots(game.new_initial_state(), [bot, other], seed)[0]
    assert won >= 4


def test_a_bot_chooses_what_the_agent_finds_and_is_told_of_moves() -> None:
    state, bot = pyspiel.load_game("tic_tac_toe").new_initial_state(), openspiel.Bot("maxn", depth=5)
    bot.restart()
    bot.restart_at(state)
    for action in [0, 1, 3, 2]:
        bot.inform_action(state, state.current_player(), action)
        state.apply_action(action)
    shown = str(state)
    # It wins at once.
    assert bot.step(state) == 6 and str(state) == shown
    assert not bot.provides_policy()


def test_a_bot_refuses_what_the_bridge_refuses() -> None:
    state = pyspiel.load_game("pig").new_initial_state()
    with pytest.raises(nply.UsageError, match="has chance after the first move"):
        openspiel.Bot("maxn", nodes=10).step(state)
    with pytest.raises(nply.UsageError, match="has chance after the first move"):
        openspiel.Bot("maxn", nodes=10).restart_at(state)
    with pytest.raises(nply.UsageError, match="it is a chance node\n  help: apply its outcomes first"):
        openspiel.Bot("maxn", nodes=10).step(pyspiel.load_game("hearts").new_initial_state())


@pytest.mark.parametrize("players", [2, 3, 6])
def test_a_bot_plays_chinese_checkers_by_nplys_rules(players: int) -> None:
    state = pyspiel.load_game(f"chinese_checkers(players={players},max_moves=300)").new_initial_state()
    bots = [openspiel.Bot(agent, nodes=60, rules="nply") for agent in ("brs", "paranoid", "maxn")]
    lasted = []
    while not state.is_terminal():
        mover, before, actions = state.current_player(), turns(state), 0
        ours = nply.game("chinese-checkers", players, board="large", position=f"{board(state)} {mover + 1} 0")
        seed = 1 + state.move_number()
        # A goal that others' pieces fill ends the game in nply only.
        is_known = ours.payoff is None and ours.moves() != ["-"]
        chosen = nply.agent(["brs", "paranoid", "maxn"][mover % 3]).search(ours, nodes=60, seed=seed).move if is_known else None
        while not state.is_terminal() and state.current_player() == mover:
            state.apply_action(bots[mover % 3].step(state))
            actions += 1
        lasted.append(actions)
        if chosen is not None:
            first, last = (place(field) for field in chosen.split("-"))
            assert board(state) == board(before[first, last])
    # Some moves take several actions.
    assert max(lasted) > 3
    if players == 3:
        assert max(state.returns()) == 2


def test_a_bot_plays_othello_by_nplys_rules() -> None:
    for seed in range(5):
        state, rng = pyspiel.load_game("othello").new_initial_state(), random.Random(seed)
        ours, bot = nply.game("othello"), openspiel.Bot("alphabeta", depth=2, rules="nply")
        while not state.is_terminal():
            number = state.move_number()
            action = bot.step(state) if state.current_player() == seed % 2 else rng.choice(state.legal_actions())
            name = "-" if action == 64 else state.action_to_string(action)
            if state.current_player() == seed % 2:
                assert nply.agent("alphabeta").search(ours, depth=2, seed=1 + number).move == name
            state.apply_action(action)
            ours = ours.play(name)


def test_a_bot_ends_a_chain_of_hops_that_it_did_not_begin() -> None:
    state = pyspiel.load_game("chinese_checkers(players=3)").new_initial_state()
    hop = next(action for action in state.legal_actions() if "=>" in state.action_to_string(action))
    state.apply_action(hop)
    if state.current_player() == 0:
        state.apply_action(openspiel.Bot("brs", nodes=60, rules="nply").step(state))
    assert state.current_player() == 1


def test_nplys_rules_are_refused_where_nply_has_no_such_game() -> None:
    for name, reason in [("hearts", "goes with chinese_checkers and othello"), ("chinese_checkers(players=4)", "sit at other corners")]:
        state = pyspiel.load_game(name).new_initial_state()
        for call in ("restart_at", "step"):
            with pytest.raises(nply.UsageError, match=reason):
                getattr(openspiel.Bot("brs", nodes=60, rules="nply"), call)(state)
    with pytest.raises(nply.UsageError, match='rules is "openspiel" or "nply", not \'ours\''):
        openspiel.Bot("brs", rules="ours")  # type: ignore[arg-type]


def test_the_examples_show_what_happens() -> None:
    ran = doctest.testmod(openspiel, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert ran.failed == 0 and ran.attempted > 10


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test_pages.test_the_code_of_a_page_runs("docs/openspiel.md", tmp_path, monkeypatch)


def test_the_table_of_the_page_is_that_of_the_kept_games() -> None:
    root = Path(__file__).parents[3]
    kept = spiel_match.read(root / "results/openspiel-chinese-checkers.jsonl.gz")
    page = (root / "docs/openspiel.md").read_text()
    assert len(kept) == len(list(spiel_match.games())) and "\n".join(spiel_match.table(kept)) in page
    # A kept game is one by OpenSpiel's rules.
    for game in kept[::29]:
        state = pyspiel.load_game(spiel_match.RULES).new_initial_state()
        for action in game["actions"]:
            assert action in state.legal_actions()
            state.apply_action(action)
        assert state.is_terminal() and state.returns() == game["returns"]


# The same games under nply's own rules: docs/openspiel.md explains the differences.


def test_othello_differs_from_nply_in_the_passes_after_the_last_disc() -> None:
    for seed in range(20):
        theirs, ours, rng = pyspiel.load_game("othello").new_initial_state(), nply.game("othello"), random.Random(seed)
        while not theirs.is_terminal():
            names = {action: "-" if action == 64 else theirs.action_to_string(action) for action in theirs.legal_actions()}
            assert ours.turn == theirs.current_player()
            assert sorted(ours.moves()) == sorted(names.values())
            action = rng.choice(list(names))
            theirs.apply_action(action)
            ours = ours.play(names[action])
        # OpenSpiel ends where nobody can place a disc; nply when both have passed, unless the board is full.
        while ours.payoff is None:
            assert ours.moves() == ["-"]
            ours = ours.play("-")
        assert [2 * share - 1 for share in ours.payoff] == theirs.returns()


def card(action: int) -> str:
    return "23456789TJQKA"[action // 4] + "CDHS"[action % 4]


@pytest.mark.parametrize("breaks", [False, True])
def test_hearts_differs_from_nply_in_the_start_the_moon_and_led_hearts(breaks: bool) -> None:
    rules = {"no_pts_on_first_trick": False, "qs_breaks_hearts": False, "must_break_hearts": breaks}
    game, compared, forced = pyspiel.load_game("hearts", rules), 0, 0
    for seed in range(40):
        theirs, rng = game.new_initial_state(), random.Random(seed)
        # The first outcome is the direction in which cards are passed: here, none are. Then each card goes to the next player.
        theirs.apply_action(0)
        hands: list[set[str]] = [set() for _ in range(4)]
        for number, action in enumerate(rng.sample(range(52), 52)):
            theirs.apply_action(action)
            hands[number % 4].add(card(action))
        # In OpenSpiel, whoever has the two of clubs leads it; in nply, player 1 leads any card.
        leader = next(player for player in range(4) if "2C" in hands[player])
        assert theirs.current_player() == leader and theirs.legal_actions() == [0]
        texts = [".".join("".join(rank for rank in "AKQJT98765432" if rank + suit in hand) for suit in "SHDC") for hand in hands]
        rule = "yes" if breaks else "no"
        ours = nply.game(f"hearts:break={rule}", 4, position=f"{leader + 1}:{' '.join(texts)}")
        ours = ours.play("2C")
        theirs.apply_action(0)
        on_table, was_forced = 1, False
        while not theirs.is_terminal():
            legal = theirs.legal_actions()
            assert ours.turn == theirs.current_player()
            assert sorted(ours.moves()) == sorted(map(card, legal))
            action = rng.choice(legal)
            # A heart that is led because there is nothing else breaks hearts in OpenSpiel, and not in nply.
            led = breaks and on_table == 0 and card(action)[1] == "H" and "broken" not in ours.text.split()
            theirs.apply_action(action)
            ours, on_table = ours.play(card(action)), (on_table + 1) % 4
            if led and not theirs.is_terminal():
                was_forced = True
                break
        if was_forced:
            forced += 1
            continue
        assert ours.points is not None and ours.payoff is not None
        if max(ours.points) == 26:
            # Whoever takes all points gives them to the others in OpenSpiel, and loses in nply.
            assert sorted(theirs.returns()) == [0, 0, 0, 26]
        else:
            assert [26 - points for points in ours.points] == theirs.returns()
            assert ours.payoff == pytest.approx(openspiel.shares(theirs.returns(), 0, "winner"))
        compared += 1
    assert compared + forced == 40 and compared >= 20 and (forced > 0) == breaks


def turns(state: Any) -> dict[tuple[int, int], Any]:
    """Where the pieces of the player to move may go in one turn: all chains of hops to where they end."""
    found: dict[tuple[int, int], Any] = {}
    seen: set[tuple[int, int]] = set()

    def follow(state: Any, mover: int, first: int | None) -> None:
        for action in state.legal_actions():
            text, after = state.action_to_string(action), state.child(action)
            if text == "Pass":
                last, origin = int(str(state).rpartition("hopping from ")[2].rstrip(")\n")), first
            else:
                source, _, target = text.replace("=>", "->").partition("->")
                last, origin = int(target), int(source) if first is None else first
            assert origin is not None
            if not after.is_terminal() and after.current_player() == mover:
                # Another way to the same field leads nowhere else: the fields that only one of them may hop to were reached on the other.
                if (origin, last) not in seen:
                    seen.add((origin, last))
                    follow(after, mover, origin)
            else:
                found[origin, last] = after

    follow(state, state.current_player(), None)
    return found


def board(state: Any) -> str:
    return "/".join("".join(row.split()) for row in str(state).splitlines()[:17])


LENGTHS = [1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1]
#: Row and column of each field of the large star, in half fields, in OpenSpiel's order.
PLACES = [(row, 13 - length + 2 * number) for row, length in enumerate(LENGTHS) for number in range(length)]


def place(text: str) -> int:
    """OpenSpiel's number of a field of the large star."""
    return sum(LENGTHS[: ord(text[0]) - ord("a")]) + int(text[1:]) - 1


def goals_of(text: str, players: int) -> list[set[int]]:
    """The goals of a start: what is opposite to the homes."""
    fields = text.split()[0].replace("/", "")
    return [{120 - field for field in range(121) if fields[field] == str(player + 1)} for player in range(players)]


def distance(field: int, goal: set[int]) -> float:
    """How far a field is from the far end of a goal."""
    tip = max(goal, key=lambda field: (PLACES[field][0] - 8) ** 2 * 3 + (PLACES[field][1] - 12) ** 2)
    return float((PLACES[field][0] - PLACES[tip][0]) ** 2 * 3 + (PLACES[field][1] - PLACES[tip][1]) ** 2)


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_chinese_checkers_differs_from_nply_in_corners_hops_and_leaving_the_goal(players: int) -> None:
    rules = pyspiel.load_game(f"chinese_checkers(players={players})")
    text = nply.game("chinese-checkers", players, board="large").text
    # Four players sit at other corners.
    assert (text == f"{board(rules.new_initial_state())} 1 0") == (players != 4)
    goals, their_goals = goals_of(text, players), goals_of(board(rules.new_initial_state()), players)
    left = won = 0
    state, rng = rules.new_initial_state(), random.Random(0)
    for plies in range(80 * players):
        player, theirs = state.current_player(), turns(state)
        ours = nply.game("chinese-checkers", players, board="large", position=f"{board(state)} {player + 1} {plies}")
        mine = {(place(first), place(last)): m for m in ours.moves() for first, last in [m.split("-")]}
        # A piece that is in its goal stays there in nply.
        leaving = {(first, last) for first, last in theirs if first in goals[player] and last not in goals[player]}
        assert set(mine) == set(theirs) - leaving
        left += len(leaving)
        # A race, so that goals are reached.
        target = their_goals[player]
        ranked = sorted(theirs, key=lambda move: (distance(move[1], target) - distance(move[0], target), move))
        move = ranked[0] if rng.random() < 0.8 else rng.choice(ranked[:6])
        state = theirs[move]
        if move in mine:
            after = ours.play(mine[move])
            assert after.text.split()[0] == board(state)
            if state.is_terminal() and players != 4:
                # Whoever fills the goal wins in both.
                assert after.payoff == [float(seat == player) for seat in range(players)]
                assert state.returns() == [players - 1.0 if seat == player else -1.0 for seat in range(players)]
                won += 1
        if state.is_terminal():
            break
    assert left > 0 and (won > 0) == (players != 4)
