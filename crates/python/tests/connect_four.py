"""Connect Four in Python: the same game as nply's own, with the same keys, scores and ordering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import nply

MASK = 2**64 - 1
WORTH = [0, 32, 8, 2, 1, 1]
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def mix(bits: int) -> int:
    z = (bits + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class ConnectFour(nply.Game[int]):
    """Columns are numbered from 0, and so are the moves."""

    def __init__(self, players: int, columns: int, rows: int, line: int) -> None:
        self.players, self.columns, self.rows, self.line = players, columns, rows, line
        self.board: tuple[tuple[int, ...], ...] = ((),) * columns
        self.mover = 0
        self.winner: int | None = None
        self.pieces = 0

    def player_count(self) -> int:
        return self.players

    def turn(self) -> int:
        return self.mover

    def moves(self) -> list[int]:
        return [column for column in range(self.columns) if len(self.board[column]) < self.rows]

    def play(self, m: int) -> ConnectFour:
        child: ConnectFour = object.__new__(type(self))
        child.__dict__.update(self.__dict__)
        row = len(self.board[m])
        child.winner = self.mover if self.completes(self.mover, m, row) else None
        child.board = self.board[:m] + (self.board[m] + (self.mover,),) + self.board[m + 1 :]
        child.pieces = self.pieces ^ mix(self.mover << 8 | m << 4 | row)
        child.mover = (self.mover + 1) % self.players
        return child

    def payoff(self) -> list[float] | None:
        if self.winner is not None:
            return [float(player == self.winner) for player in range(self.players)]
        if all(len(column) == self.rows for column in self.board):
            return [1 / self.players] * self.players
        return None

    def key(self) -> int:
        return self.pieces ^ mix(1 << 16 | self.mover)

    def owner(self, column: int, row: int) -> int | None:
        inside = 0 <= column < self.columns and 0 <= row < len(self.board[column])
        return self.board[column][row] if inside else None

    def completes(self, player: int, column: int, row: int) -> bool:
        for right, up in DIRECTIONS:
            count = 1
            for sign in [1, -1]:
                n = sign
                while self.owner(column + right * n, row + up * n) == player:
                    count, n = count + 1, n + sign
            if count >= self.line:
                return True
        return False

    def lines(self) -> list[list[tuple[int, int]]]:
        fields = [(column, row) for column in range(self.columns) for row in range(self.rows)]
        lines = [[(c + right * n, r + up * n) for n in range(self.line)] for right, up in DIRECTIONS for c, r in fields]
        return [line for line in lines if line[-1][0] < self.columns and 0 <= line[-1][1] < self.rows]

    def bounds(self) -> tuple[list[int], int]:
        return [0] * self.players, WORTH[1] * len(self.lines())

    def evaluate(self) -> list[int]:
        scores = [0] * self.players
        for line in self.lines():
            owners = [owner for owner in (self.owner(*field) for field in line) if owner is not None]
            if owners and len(set(owners)) == 1:
                scores[owners[0]] += WORTH[self.line - len(owners)]
        return scores

    def rate(self, m: int, against: int | None) -> int:
        row, center = len(self.board[m]), -abs(2 * m + 1 - self.columns)
        if self.completes(self.mover, m, row):
            return 1000 + center
        block = 0
        for later in range(1, self.players):
            opponent = (self.mover + later) % self.players
            if self.completes(opponent, m, row):
                block = max(block, 100 * (self.players if against == opponent else self.players - later))
        return block + center

    def with_turn(self, player: int) -> ConnectFour:
        handed: ConnectFour = object.__new__(type(self))
        handed.__dict__.update(self.__dict__, mover=player)
        return handed

    def to_text(self) -> str:
        def field(column: int, row: int) -> str:
            owner = self.owner(column, row)
            return "." if owner is None else str(owner + 1)

        rows = ["".join(field(column, row) for column in range(self.columns)) for row in reversed(range(self.rows))]
        return f"{'/'.join(rows)} {self.mover + 1}"


def follow(game: ConnectFour, moves: Sequence[int]) -> Any:
    for m in moves:
        game = game.play(m)
    return game
