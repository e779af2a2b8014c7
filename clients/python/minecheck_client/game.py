"""A game to play, from a board with its solution."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from minecheck_client.answers import Coordinates, GameAnswer


class Game:
    """A game of a board as ``boards`` answers it, from its first click on.

    Raises:
        ValueError: the answer has no board, since none was found in time.
    """

    def __init__(self, answer: GameAnswer) -> None:
        layout, board = answer["layout"], answer["board"]
        if layout is None or board is None:
            raise ValueError("There is no board to play: none was found in time.")
        self._layout = layout
        self._seen = [list(row) for row in board]
        safe = sum(symbol != "B" for row in layout for symbol in row)
        #: Safe cells that are not open.
        self._left = safe - sum(symbol != "?" for row in board for symbol in row)
        self._lost = False
        #: Of each call that changed something, the cells and what was seen of them before.
        self._moves: list[list[tuple[Coordinates, str]]] = []

    @property
    def rows(self) -> list[str]:
        """What the player sees.

        Numbers, ``?`` on closed cells, ``F`` on flags, ``B`` on a mine that was hit.
        """
        return ["".join(row) for row in self._seen]

    @property
    def state(self) -> Literal["playing", "won", "lost"]:
        """Whether a mine was hit, or all safe cells are open."""
        if self._lost:
            return "lost"
        return "playing" if self._left else "won"

    @property
    def revealed(self) -> list[str]:
        """What is shown at the end.

        As `rows`, but once the game is lost ``X`` is the mine that was hit, ``B`` are the other
        mines, and ``!`` wrong flags; once it is won, ``F`` is on all mines.
        """
        state = self.state
        if state == "playing":
            return self.rows
        pairs = zip(self._seen, self._layout, strict=True)
        return ["".join(map(_REVEALED[state], seen, layout)) for seen, layout in pairs]

    @property
    def mines_left(self) -> int:
        """Mines without a flag; below zero with too many flags."""
        flags = sum(row.count("F") for row in self._seen)
        return sum(row.count("B") for row in self._layout) - flags

    def open(self, cell: Sequence[int]) -> list[Coordinates]:
        """Open ``[row, col]``, and around a 0 all that follows; gives the cells that changed.

        Flags are not opened, nor is anything after the end.

        Raises:
            IndexError: the cell is not on the board.
        """
        row, col = self._on_board(cell)
        return self._open([[row, col]])

    def chord(self, cell: Sequence[int]) -> list[Coordinates]:
        """Open all around a number that has as many flags; gives the cells that changed.

        Raises:
            IndexError: the cell is not on the board.
        """
        row, col = self._on_board(cell)
        around = list(self._around(row, col))
        flags = sum(self._seen[r][c] == "F" for r, c in around)
        return self._open(around) if self._seen[row][col] == str(flags) else []

    def undo(self) -> list[Coordinates]:
        """Take back what changed the board last, a fatal move too; gives the cells that changed."""
        if not self._moves:
            return []
        changed = self._moves.pop()
        for (row, col), before in changed:
            symbol = self._seen[row][col]
            if symbol == "B":
                self._lost = False
            elif symbol != "F" and before == "?":
                self._left += 1
            self._seen[row][col] = before
        return [cell for cell, _ in changed]

    def _open(self, following: list[Coordinates]) -> list[Coordinates]:
        """Open closed cells, and around each 0 all that follows."""
        changed: list[Coordinates] = []
        if self.state != "playing":
            return changed
        while following:
            row, col = following.pop()
            if self._seen[row][col] != "?":
                continue
            symbol = self._seen[row][col] = self._layout[row][col]
            changed.append([row, col])
            if symbol == "B":
                self._lost = True
            else:
                self._left -= 1
            if symbol == "0":
                following += self._around(row, col)
        if changed:
            self._moves.append([(cell, "?") for cell in changed])
        return changed

    def flag(self, cell: Sequence[int]) -> list[Coordinates]:
        """Flag ``[row, col]``, or take its flag away; gives the cell, if that changed it.

        Raises:
            IndexError: the cell is not on the board.
        """
        row, col = self._on_board(cell)
        other = {"?": "F", "F": "?"}.get(self._seen[row][col])
        if other is None or self.state != "playing":
            return []
        self._moves.append([([row, col], self._seen[row][col])])
        self._seen[row][col] = other
        return [[row, col]]

    def _on_board(self, cell: Sequence[int]) -> Sequence[int]:
        row, col = cell
        height, width = len(self._seen), len(self._seen[0])
        if row in range(height) and col in range(width):
            return cell
        raise IndexError(
            f"Row {row}, column {col} is not on the board: it has {height} rows and "
            f"{width} columns, from 0."
        )

    def _around(self, row: int, col: int) -> Iterator[Coordinates]:
        for down in range(max(0, row - 1), min(row + 2, len(self._seen))):
            for right in range(max(0, col - 1), min(col + 2, len(self._seen[0]))):
                yield [down, right]


def _reveal_lost(seen: str, hidden: str) -> str:
    if seen == "F":
        return "F" if hidden == "B" else "!"
    if seen == "B":
        return "X"
    return "B" if hidden == "B" else seen


def _reveal_won(seen: str, hidden: str) -> str:
    return "F" if hidden == "B" else seen


_REVEALED: Final = {"lost": _reveal_lost, "won": _reveal_won}
