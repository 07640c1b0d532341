"""Games of OpenSpiel for nply's agents, and nply's agents as bots of OpenSpiel.

`load` makes a game of OpenSpiel one that every agent searches and every tournament plays:

>>> import nply.openspiel
>>> game = nply.openspiel.load("tic_tac_toe")
>>> nply.Maxn().search(game.play(0).play(1).play(3).play(2), depth=5).move
6

`Bot` lets an agent play where OpenSpiel wants a ``pyspiel.Bot``. In Chinese Checkers and Othello, which nply has too, it can search nply's own
game, with its evaluations and all algorithms.

A game is accepted if it has two to six players who move one at a time, and no chance after the first move: chance before it is the deal,
which the seed decides. **Hidden information is searched with open cards**: an agent sees all hands, and a bot plays as if it did.
"""

from __future__ import annotations

import functools
import random
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pyspiel

from ._agent import Agent, Count, Time
from ._agent import agent as agent_of
from ._errors import UsageError
from ._nply import Position
from ._own import Game
from ._own import game as game_of

#: How returns become shares of the win.
Payoff = Literal["returns", "winner"]
#: Whose game an agent searches.
Rules = Literal["openspiel", "nply"]

#: A player's score where everybody is equal. Scores are shares of the win times the number of players times this, and shares have 24 bits.
UNIT = 1_000_000
#: Random games in which chance after the first move is looked for: in a game that declares no more of it than it deals, which not every
#: game does rightly, and in any other.
PROBES = (5, 50)
MASK = 2**64 - 1


class Spiel(Game[int]):
    """A position of a game of OpenSpiel; its moves are OpenSpiel's actions.

    `load` returns the start, and `of` the position of a state. `state` is the position in OpenSpiel: do not change it.

    >>> import nply.openspiel
    >>> position = nply.openspiel.load("connect_four").play(3)
    >>> position.turn(), position.moves(), position.state.action_to_string(3)
    (1, [0, 1, 2, 3, 4, 5, 6], 'o3')
    """

    #: The name of the game as OpenSpiel writes it.
    spiel: ClassVar[str]
    #: How returns become shares of the win.
    mapping: ClassVar[Payoff]
    _loaded: ClassVar[Any]

    def __init__(self, state: Any, key: int, mover: int, is_dealt: bool) -> None:
        self._state, self._key, self._mover, self._is_dealt = state, key, mover, is_dealt

    @property
    def state(self) -> Any:
        """The ``pyspiel.State``."""
        return self._state

    def player_count(self) -> int:
        return int(self._state.num_players())

    def turn(self) -> int:
        return self._mover

    def moves(self) -> list[int]:
        moves: list[int] = self._state.legal_actions()
        return moves

    def play(self, m: int) -> Spiel:
        state = self._state.clone()
        state.apply_action(m)
        if state.is_terminal():
            mover = self._mover
        else:
            mover = state.current_player()
            if mover < 0:
                raise _late(self.spiel)
        return type(self)(state, _step(self._key, m), mover, True)

    def points(self) -> list[float] | None:
        """OpenSpiel's returns, once the game is over."""
        return list(self._state.returns()) if self._state.is_terminal() else None

    def payoff(self) -> list[float] | None:
        if not self._state.is_terminal():
            return None
        return shares(self._state.returns(), self._state.get_game().min_utility(), self.mapping)

    def key(self) -> int:
        # Of the moves: what OpenSpiel shows of a state need not tell it from others.
        return self._key

    def evaluate(self) -> list[int]:
        return [UNIT] * self.player_count()

    def bounds(self) -> tuple[list[int], int]:
        return [0] * self.player_count(), UNIT * self.player_count()

    def deal(self, seed: int) -> Spiel:
        """The start with the deal of this seed; a position that has been dealt, or needs no deal, stays as it is."""
        return self if self._is_dealt else _dealt(type(self), seed)

    def to_text(self) -> str:
        """The game and OpenSpiel's history, chance included: ``tic_tac_toe() 4 0``."""
        return " ".join([str(self._state.get_game()), *map(str, self._state.history())])

    def __repr__(self) -> str:
        return f"nply.openspiel.load({self.spiel!r})" if not self._is_dealt else f"<{self.to_text()}>"

    def __str__(self) -> str:
        return str(self._state)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spiel) and (self.to_text(), self.mapping) == (other.to_text(), other.mapping)

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Callable[..., Spiel], tuple[object, ...]]:
        if not self._is_dealt:
            return _loaded, (self.spiel, self.mapping)
        return _restored, (self.spiel, self.mapping, str(self._state.get_game()), self._state.history())


def load(game: str, payoff: Payoff = "returns", **parameters: object) -> Spiel:
    """The start of a game of OpenSpiel, by its name with parameters as ``pyspiel.load_game`` takes it.

    With `payoff` ``"returns"``, a player's share of the win is proportional to the return less the least that the game declares. In games
    of constant sum, whoever gets most of the win so gets the greatest return. With ``"winner"``, the greatest return takes all.

    The cards are dealt by the seed of a tournament, of ``nply.game(load(…), seed=…)`` or of ``load(…).deal(seed)``; a start that was not
    dealt is searched as dealt by seed 1.

    >>> import nply, nply.openspiel
    >>> game = nply.openspiel.load("kuhn_poker(players=3)")
    >>> nply.game(game, seed=5).moves()
    ['0', '1']
    >>> nply.openspiel.load("kuhn_poker", players=3) == game
    True
    >>> nply.openspiel.load("backgammon")
    Traceback (most recent call last):
    nply._errors.UsageError: OpenSpiel's backgammon() has chance after the first move, which no search of nply knows
    """
    if payoff not in ("returns", "winner"):
        raise UsageError("bad-value", f'payoff is "returns" or "winner", not {payoff!r}')
    try:
        found = pyspiel.load_game(game, parameters) if parameters else pyspiel.load_game(game)
    except pyspiel.SpielError as error:
        # Some messages go on with a long list.
        reason = str(error).strip().partition(". Available")[0]
        raise UsageError("unknown-name", f"OpenSpiel does not load {game!r}: {reason}", "pyspiel.registered_names() lists its games") from None
    return _loaded(str(found), payoff)


def of(state: Any, payoff: Payoff = "returns") -> Spiel:
    """The position that a ``pyspiel.State`` is in, where a player is to move or the game is over.

    >>> import nply, nply.openspiel, pyspiel
    >>> state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    >>> nply.Paranoid().search(nply.openspiel.of(state), depth=2).move in state.legal_actions()
    True
    """
    start = _loaded(str(state.get_game()), payoff)
    return _position(type(start), state.clone())


def shares(returns: Sequence[float], least: float, mapping: Payoff) -> list[float]:
    """Every player's share of the win, of the returns and the least that there can be.

    >>> from nply.openspiel import shares
    >>> shares([2, -1, -1], -1, "returns"), shares([4, -2, -2], -4, "returns")
    ([1.0, 0.0, 0.0], [0.6666666666666666, 0.16666666666666666, 0.16666666666666666])
    >>> shares([4, 4, -8], -16, "winner")
    [0.5, 0.5, 0.0]
    """
    best = max(returns)
    if mapping == "winner":
        above = [float(value == best) for value in returns]
    else:
        # No share is negative, even if a game declares its least return wrongly.
        least = min(least, *returns)
        above = [value - least for value in returns]
    total = sum(above)
    return [value / total for value in above] if total > 0 else [1 / len(returns)] * len(returns)


class Bot(pyspiel.Bot):  # type: ignore[misc]
    """An agent of nply as a ``pyspiel.Bot``, in any seat.

    The limits are those of `Agent.search`; whichever is met first ends the search of a move. The seed and the number of the move decide
    what is random. A game that the bridge refuses is refused when the bot is started or asked for a move. The bot sees what is hidden.

    With `rules` ``"nply"``, the agent searches nply's own Chinese Checkers or Othello from the same board, and the bot plays what it chose:
    a chain of hops, for example, as so many actions. Where nply's rules know no move and OpenSpiel's do, or the game is over by nply's alone,
    it plays the first legal action.

    >>> import nply, nply.openspiel, pyspiel
    >>> game = pyspiel.load_game("tic_tac_toe")
    >>> bots = [nply.openspiel.Bot(nply.Maxn(), depth=2), nply.openspiel.Bot("paranoid", depth=2)]
    >>> sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1))
    0.0
    >>> checkers = pyspiel.load_game("chinese_checkers(players=3)").new_initial_state()
    >>> checkers.action_to_string(nply.openspiel.Bot("brs", nodes=500, rules="nply").step(checkers))
    '3=>14'
    """

    def __init__(
        self,
        agent: Agent | str,
        *,
        depth: Count | None = None,
        nodes: Count | None = None,
        playouts: Count | None = None,
        time: Time | None = None,
        seed: int = 1,
        payoff: Payoff = "returns",
        rules: Rules = "openspiel",
    ) -> None:
        pyspiel.Bot.__init__(self)
        if rules not in ("openspiel", "nply"):
            raise UsageError("bad-value", f'rules is "openspiel" or "nply", not {rules!r}')
        self._agent = agent_of(agent)
        self._limits: dict[str, Any] = {"depth": depth, "nodes": nodes, "playouts": playouts, "time": time}
        self._seed, self._payoff, self._rules = seed, payoff, rules
        # The rest of a move that takes several actions, by the states in which they are due.
        self._due: dict[tuple[int, ...], int] = {}

    def restart(self) -> None:
        """Nothing is kept from one move to the next."""
        self._due = {}

    def restart_at(self, state: Any) -> None:
        self._due = {}
        if self._rules == "nply":
            _twin(state)
        else:
            _loaded(str(state.get_game()), self._payoff)

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Nothing to do: the state of the next step has the move."""

    def provides_policy(self) -> bool:
        return False

    def provides_force_action(self) -> bool:
        return True

    def force_action(self, state: Any, action: int) -> None:
        """Nothing to do: the state of the next step has the move."""

    def is_clonable(self) -> bool:
        return False

    def step(self, state: Any) -> int:
        """The action that the agent chooses."""
        limits = {**self._limits, "seed": (self._seed + state.move_number()) & MASK}
        if self._rules == "openspiel":
            return self._agent.search(of(state, self._payoff), **limits).move
        history = tuple(state.history())
        if (due := self._due.get(history)) is not None:
            return due
        twin = _twin(state)
        position = twin.position(state)
        move = None if position is None or position.payoff is not None else self._agent.search(position, **limits).move
        actions = [state.legal_actions()[0]] if move is None else twin.actions(state, move)
        self._due = {(*history, *actions[:done]): actions[done] for done in range(1, len(actions))}
        return actions[0]


@dataclass(frozen=True)
class _Twin:
    """A game that OpenSpiel and nply both have."""

    #: The position of nply with the same board and player to move; None in the middle of a move.
    position: Callable[[Any], Position | None]
    #: The actions that make up a move of nply; the first legal one if there are none.
    actions: Callable[[Any, str], list[int]]


def _twin(state: Any) -> _Twin:
    """Nply's game of a state, or why there is none."""
    game = state.get_game()
    name = game.get_type().short_name
    if (twin := _TWINS.get(name)) is None:
        raise UsageError("refused", f"nply has no game with the rules of OpenSpiel's {game}", f"rules=\"nply\" goes with {' and '.join(_TWINS)}")
    if name == "chinese_checkers" and state.num_players() == 4:
        raise UsageError("refused", "OpenSpiel's four players of Chinese Checkers sit at other corners than nply's", "2, 3 or 6 players have the same corners")
    return twin


#: Fields in the rows of the large star, from the top.
_ROWS = (1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1)


def _checkers(state: Any) -> Position | None:
    if "hopping from" in str(state):
        return None
    rows = ["".join(row.split()) for row in str(state).splitlines()[: len(_ROWS)]]
    # The limit of turns is not known to the search: it would have to be counted from the history.
    return game_of("chinese-checkers", state.num_players(), board="large", position=f"{'/'.join(rows)} {state.current_player() + 1} 0")


def _checkers_actions(state: Any, move: str) -> list[int]:
    if move == "-":
        return [state.legal_actions()[0]]
    first, last = (sum(_ROWS[: ord(field[0]) - ord("a")]) + int(field[1:]) - 1 for field in move.split("-"))
    mover, seen = state.current_player(), {first}
    waiting: deque[tuple[Any, int, list[int]]] = deque([(state, first, [])])
    while waiting:
        at, field, actions = waiting.popleft()
        for action in at.legal_actions():
            text, after = at.action_to_string(action), at.child(action)
            source, _, target = text.replace("=>", "->").partition("->")
            end = field if text == "Pass" else int(target)
            if text != "Pass" and int(source) != field:
                continue
            if after.is_terminal() or after.current_player() != mover:
                if end == last:
                    return [*actions, action]
            elif end not in seen:
                seen.add(end)
                waiting.append((after, end, [*actions, action]))
    raise AssertionError(f"OpenSpiel does not know {move} in\n{state}")


def _othello(state: Any) -> Position:
    lines = str(state).splitlines()[2:10]
    fields = "".join("".join(line.split()[1:9]) for line in lines).translate(str.maketrans("-xo", ".BW"))
    mover = state.current_player()
    passed = "BW"[1 - mover] if state.history()[-1:] == [64] else "-"
    return game_of("othello", position=f"{fields} {'BW'[mover]} {passed}")


def _othello_actions(state: Any, move: str) -> list[int]:
    return [64 if move == "-" else 8 * (int(move[1]) - 1) + ord(move[0]) - ord("a")]


_TWINS = {"chinese_checkers": _Twin(_checkers, _checkers_actions), "othello": _Twin(_othello, _othello_actions)}


def _late(game: str) -> UsageError:
    return UsageError("refused", f"OpenSpiel's {game} has chance after the first move, which no search of nply knows")


def _step(key: int, action: int) -> int:
    """The key after a move: the same mixing of bits as SplitMix64."""
    z = (key + 0x9E3779B97F4A7C15 * (action + 1)) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


@functools.cache
def _loaded(name: str, mapping: Payoff) -> Spiel:
    """The start of a game by OpenSpiel's full name of it, or why it is refused."""
    game = pyspiel.load_game(name)
    _check(game)
    # In nply's names, parentheses, commas and equals signs have a meaning of their own.
    label = re.sub(r"[^\w.+-]", "-", name.removesuffix(")").removesuffix("("))
    label += "" if mapping == "returns" else f"-{mapping}"
    kind: type[Spiel] = type("Spiel", (Spiel,), {"name": label, "spiel": name, "mapping": mapping, "_loaded": game})
    if game.new_initial_state().is_chance_node():
        dealt = _dealt(kind, 1)
        return kind(dealt.state, dealt.key(), dealt.turn(), False)
    return _position(kind, game.new_initial_state())


def _restored(name: str, mapping: Payoff, game: str, history: list[int]) -> Spiel:
    """A position of its game and history, as it is pickled."""
    state = pyspiel.load_game(game).new_initial_state()
    for action in history:
        state.apply_action(action)
    return _position(type(_loaded(name, mapping)), state)


def _position(kind: type[Spiel], state: Any) -> Spiel:
    mover = state.current_player()
    if state.is_chance_node():
        raise UsageError("position", "nobody is to move in the state: it is a chance node", "apply its outcomes first")
    if state.is_terminal():
        # As in `play`: whoever moved last.
        mover = next((entry.player for entry in reversed(state.full_history()) if entry.player >= 0), 0)
    return kind(state, functools.reduce(_step, state.history(), 0), mover, True)


def _dealt(kind: type[Spiel], seed: int) -> Spiel:
    """The first position in which a player is to move."""
    return _position(kind, _deal(_seeded(kind._loaded, seed).new_initial_state(), random.Random(seed)))


def _seeded(game: Any, seed: int) -> Any:
    """A game, anew if it rolls dice of its own, so that they are those of the seed."""
    if game.get_type().chance_mode != pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return game
    return pyspiel.load_game(game.get_type().short_name, {**game.get_parameters(), "rng_seed": seed % 2**31})


def _deal(state: Any, rng: random.Random) -> Any:
    while state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes())
        state.apply_action(rng.choices(outcomes, weights)[0])
    return state


def _check(game: Any) -> None:
    """Refuses what no search of nply knows."""
    kind = game.get_type()

    def refuse(reason: str) -> UsageError:
        return UsageError("refused", f"OpenSpiel's {game} {reason}")

    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise refuse("has players who do not move one at a time: the bridge needs a sequential game")
    if not 2 <= game.num_players() <= 6:
        raise refuse(f"has {game.num_players()} players: nply has games of 2 to 6")
    if kind.utility == pyspiel.GameType.Utility.IDENTICAL:
        raise refuse("gives all players the same return, so that nobody's share of the win differs from the others'")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC:
        return
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC and "rng_seed" not in game.get_parameters():
        raise refuse("rolls dice of its own, and has no parameter rng_seed to repeat them")
    game, rng = _seeded(game, 0), random.Random(0)
    for probe in range(PROBES[1]):
        state = _deal(game.new_initial_state(), rng)
        if probe >= PROBES[0] and len(state.history()) >= game.max_chance_nodes_in_history():
            return
        while not state.is_terminal():
            if state.is_chance_node():
                raise _late(str(game))
            state.apply_action(rng.choice(state.legal_actions()))
