"""The games of nply as environments of PettingZoo.

`env` makes an environment in which agents move one at a time, as PettingZoo's classic games are:

>>> import nply.pettingzoo
>>> env = nply.pettingzoo.env("chinese-checkers", players=3)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     done = termination or truncation
...     env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
>>> env.agents
[]

**Observations** are dicts. ``"observation"`` has the shape (rows, columns, planes), of float32 from 0 to 1; `raw_env.planes` names the planes.
Those of players stand in turn order from the observer on, ``player+0``; the board does not turn with the observer, whose seat is in planes of
its own. An observer sees no card that is hidden. ``"action_mask"`` has a 1 for each legal action, of the agent who is to move.

**Actions** are numbers below a fixed one; `raw_env.action` and `raw_env.move` translate between them and moves as text.

**Rewards** come once, when the game is over for the agent: (n × share − 1) / (n − 1) of n players, where the shares of the win sum to 1. A win alone
is 1, a draw of all is 0, and a loss is −1 of two players, −1/2 of three, and so on; they sum to 0. A player who is eliminated while others
go on is terminated at once, with the reward of a loss.
"""

from __future__ import annotations

import random
import sys
from typing import Any

try:
    import gymnasium
    import numpy as np
    import numpy.typing as npt
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"nply.pettingzoo needs {missing.name}, which is not installed\n  help: pip install pettingzoo", name=missing.name
    ) from None

from ._errors import UsageError
from ._nply import Position
from ._own import game as open_game

Observation = dict[str, "npt.NDArray[Any]"]


def env(
    game: str,
    players: int | None = None,
    *,
    position: str | None = None,
    render_mode: str | None = None,
    illegal_reward: float = -1.0,
    **options: object,
) -> AECEnv:
    """An environment of a game, by its name, players and options as `nply.game` takes them.

    It is a `raw_env` in the wrappers of PettingZoo's classic games: an illegal action ends the game, with `illegal_reward` for the agent and 0
    for all others, and calls in the wrong order are errors.

    >>> import nply.pettingzoo
    >>> env = nply.pettingzoo.env("hearts", players=4, hidden=True)
    >>> env.reset(seed=7)
    >>> env.observe("player_0")["observation"].shape, env.action_space("player_0").n.item()
    ((4, 13, 31), 52)
    """
    made: AECEnv = raw_env(game, players, position=position, render_mode=render_mode, **options)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=illegal_reward)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv):  # type: ignore[misc]
    """The environment without wrappers: an illegal action is an error that names legal ones.

    `render` shows everything, also cards that are hidden from players: ``"human"`` prints the picture after every step, ``"ansi"`` returns it as text, and
    ``"svg"`` as SVG.

    >>> import nply.pettingzoo
    >>> env = nply.pettingzoo.raw_env("connect-four", render_mode="ansi")
    >>> env.reset()
    >>> env.step(env.action("d"))
    >>> print(env.render())
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . 1 . . .
    a b c d e f g
    player 2 to move
    >>> env.planes[:2]
    ['piece of player+0', 'piece of player+1']
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi", "svg"], "is_parallelizable": False, "render_fps": 1}

    def __init__(
        self,
        game: str,
        players: int | None = None,
        *,
        position: str | None = None,
        render_mode: str | None = None,
        **options: object,
    ) -> None:
        super().__init__()
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise UsageError("bad-value", f"unknown render mode {render_mode!r}", f"there are {', '.join(modes)}")
        if "seed" in options:
            raise TypeError("the seed belongs to the reset: env.reset(seed=1)")
        start = open_game(game, players, position=position, seed=1, **options)
        self._steps = start._steps()
        if self._steps.turn[0] < 0:
            raise UsageError("position", "nobody is to move in the position: the game is over")
        self.metadata = {**self.metadata, "name": f"nply/{start.game}"}
        self.render_mode = render_mode
        #: The names of the planes of an observation.
        self.planes: list[str] = self._steps.planes
        self._random = random.Random()
        self._shape = (len(self.planes), *self._steps.grid)
        rows, columns = self._steps.grid
        self.possible_agents = [f"player_{seat}" for seat in range(self._steps.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        #: The space of `state`.
        self.state_space = spaces.Box(0.0, 1.0, (rows, columns, len(self.planes)), np.float32)
        self.action_spaces = {agent: spaces.Discrete(self._steps.actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, (rows, columns, len(self.planes)), np.float32),
                    "action_mask": spaces.Box(0, 1, (self._steps.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    @property
    def position(self) -> Position:
        """The position, for agents to search in and to look at. It stays as it is."""
        return self._steps.position

    def move(self, action: int) -> str:
        """The legal move that an action stands for, as text."""
        for text, number in self._steps.moves():
            if number == action:
                return text
        raise UsageError("move", f"no legal move has the number {action} here")

    def action(self, move: str) -> int:
        """The action that stands for a legal move."""
        moves = dict(self._steps.moves())
        if move not in moves:
            raise UsageError("move", f"no legal move {move!r} here", f"legal are {' '.join(moves)}")
        return moves[move]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Back to the start, dealt as ``nply.game(…, seed=seed)`` deals. Without a seed the deal is random, and follows from the last seed."""
        if seed is not None:
            self._random.seed(seed)
        turn, _ = self._steps.reset(self._random.getrandbits(63) if seed is None else seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._is_in = (1 << len(self.agents)) - 1
        self.agent_selection = self.possible_agents[turn]

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            # A dead agent's only action is None.
            self._was_dead_step(action)
            return
        if action is None:
            raise UsageError("move", f"{agent} is to move, and None is no action", "only an agent whose game is over steps with None")
        turn, is_in = self._steps.step(action)
        self._cumulative_rewards[agent] = 0.0
        if self._is_in != is_in or turn < 0:
            self._end(turn < 0, is_in)
        elif any(self.rewards.values()):
            self._clear_rewards()
        if turn >= 0:
            self.agent_selection = self.possible_agents[turn]
        if self._is_in != is_in or turn < 0:
            self._is_in = is_in
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def _end(self, is_over: bool, is_in: int) -> None:
        """The game is over, for everybody or for some."""
        count = len(self.possible_agents)
        payoff = self._steps.payoff or [0.0] * count
        self._clear_rewards()
        for agent in self.agents:
            seat = self._seats[agent]
            if (is_over or not is_in >> seat & 1) and not self.terminations[agent]:
                # Winners share equally: with up to six of them, 60 shares are whole numbers, which the payoff's 32 bits are not.
                self.rewards[agent] = (count * round(60 * payoff[seat]) / 60 - 1) / (count - 1)
                self.terminations[agent] = True
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        planes, mask = self._steps.observe(self._seats[agent])
        return {"observation": self._stacked(planes), "action_mask": np.frombuffer(mask, np.int8)}

    def state(self) -> npt.NDArray[Any]:
        """What who sees everything sees, from the first player's seat."""
        return self._stacked(self._steps.observe()[0])

    def _stacked(self, planes: bytearray) -> npt.NDArray[Any]:
        return np.frombuffer(planes, np.float32).reshape(self._shape).transpose(1, 2, 0)

    def render(self) -> str | None:
        if self.render_mode is None:
            gymnasium.logger.warn("render needs a render mode, such as render_mode=\"human\"")
            return None
        if self.render_mode == "svg":
            return self._steps.svg()
        picture = self._steps.picture(None, self.render_mode == "human" and sys.stdout.isatty()).rstrip("\n")
        if self.render_mode == "ansi":
            return picture
        print(picture, end="\n\n")
        return None

    def close(self) -> None:
        """Nothing to release."""
