"""Search for games of two to six players.

A first search:

>>> import nply
>>> position = nply.game("focus", players=3)
>>> decision = nply.Brs().search(position, nodes=1000)
>>> decision.move in position.moves()
True

`nply.game` opens a game by its name and gives its start `Position`. There is a class for each agent: `nply.Maxn`, `nply.Brs`, `nply.Mcts` and
so on. `nply.tournament` lets agents play each other, `nply.tune` finds the strongest, and `nply.Experiment` is a table of a paper. A subclass of `nply.Game` is a game of your own,
and a subclass of `nply.Evaluation` judges positions of any game.
"""

from __future__ import annotations

import json as _json
from typing import Any as _Any

from . import _nply
from . import agents as agents
from ._agent import Agent as Agent
from ._agent import agent as agent
from ._decision import Decision as Decision
from ._decision import Line as Line
from ._decision import Tree as Tree
from ._errors import Error as Error
from ._errors import FileError as FileError
from ._errors import UsageError as UsageError
from ._evaluation import Evaluation as Evaluation
from ._experiment import Comparison as Comparison
from ._experiment import Experiment as Experiment
from ._experiment import experiments as experiments
from ._nply import FINGERPRINT as FINGERPRINT
from ._nply import Position as Position
from ._own import Game as Game
from ._own import RulesError as RulesError
from ._own import check_game as check_game
from ._own import game as game
from ._tournament import Report as Report
from ._tournament import Tournament as Tournament
from ._tournament import read as read
from ._tournament import tournament as tournament
from ._tune import Tuned as Tuned
from ._tune import Tuning as Tuning
from ._tune import tune as tune
from .agents import *

__version__ = _nply.VERSION


def games() -> dict[str, dict[str, _Any]]:
    """What each game declares: players, options with their schema, evaluations.

    >>> import nply
    >>> nply.games()["connect-four"]["players"]
    [2, 3, 4]
    """
    return {declared["name"]: declared for declared in _json.loads(_nply.games())}
