"""Evaluations of your own, for any game: a function, a table, a neural network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn


class Evaluation:
    """Judges positions in place of the game's own evaluation: `evaluate`, `evaluate_batch` or both.

    What they return are *shares of the win*: one number for each player, none below 0, with a sum of 1. Monte-Carlo tree search takes them
    as results where it cuts off a playout, in 960ths of a win. Tree searches count them in millionths, which is what the value and the scores of
    a decision are then; its chances are the shares. Since the sum is always the same, max^n prunes.

    With a method `bounds` they are *points* instead, as `nply.Game.evaluate` returns them: whole numbers within those bounds. Tree
    searches compare them, and where Monte-Carlo tree search cuts off a playout, the highest takes the win.

    A position is an `nply.Position` or, in a game of your own, an object of your class. Pass the evaluation to any agent that evaluates:

    >>> import nply
    >>> class Lines(nply.Evaluation):
    ...     def evaluate(self, position):
    ...         scores = [score + 1 for score in position.scores()]
    ...         return [score / sum(scores) for score in scores]
    >>> position = nply.game("connect-four", columns=5, rows=4, line=3)
    >>> nply.Paranoid(evaluation=Lines()).search(position, depth=2).move
    'c'
    >>> nply.Mcts(cutoff=0, batch=16, evaluation=Lines()).search(position, playouts=200).move in position.moves()
    True
    """

    def evaluate(self, position: Any) -> Sequence[float]:
        """A number for each player in a position that is not over. Without it, `evaluate_batch` is asked about one position."""
        self._missing()

    def evaluate_batch(self, positions: Sequence[Any]) -> Any:
        """A row for each of several positions, each with a number for each player: an array of NumPy, a tensor, or lists.

        Monte-Carlo tree search with ``cutoff=0`` and ``batch=16`` asks about up to 16 leaves at a time, every other search about one.
        Without it, `evaluate` is asked about one position after the other.
        """
        self._missing()

    def bounds(self, position: Any) -> tuple[Sequence[int], int]:
        """The least score of each player and the greatest sum of all, in the position that is searched and all that can follow it. What it
        returns is asked for once in each search; scores outside it are an error. A finished game divides what it leaves open: a sole
        winner has the most, and losers have the least."""
        raise NotImplementedError("without bounds, an evaluation returns shares of the win")

    def _missing(self) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} has neither evaluate nor evaluate_batch")


def checked(evaluation: object) -> Evaluation:
    """An evaluation that can be asked."""
    if not isinstance(evaluation, Evaluation):
        what = evaluation.__name__ + ", a class" if isinstance(evaluation, type) else type(evaluation).__name__
        raise TypeError(f"expected an nply.Evaluation, not {what}")
    own = type(evaluation)
    if own.evaluate is Evaluation.evaluate and own.evaluate_batch is Evaluation.evaluate_batch:
        evaluation._missing()
    return evaluation
