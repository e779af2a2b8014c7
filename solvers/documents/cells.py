"""How cells, clues and layouts are written: by row and column on a board, by name for rules.

Tested in tests/app/test_exact.py and tests/app/test_library_answers.py.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import Window, draw_layout
from minecheck.minefield import Board, Layout, Rules, Variant
from minecheck.minefield.board import format_symbol_rows
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.answer import Answer
from minecheck.solvers.documents import numbers
from minecheck.solvers.question import Question


class OnBoard:
    """Cells as [row, col], layouts and chances as rows."""

    def render_layout(self, layout: Layout) -> Any:
        """Return a layout as rows."""
        return layout.rows()

    def render_cells(self, cells: list[Coordinates]) -> Any:
        """Return cells as JSON types."""
        return cells

    def all_cells(self, cells: list[Coordinates]) -> Any:
        """Return cells as JSON types, those without a name included."""
        return cells

    def render_clues(self, clues: list[Coordinates]) -> Any:
        """Return clues as JSON types."""
        return clues

    def render_chances(self, chances: NDArray[Any]) -> Any:
        """Return a chance for each cell, (height, width), as what orjson writes."""
        # orjson writes arrays, too, if they are in one piece.
        exact = chances.dtype == np.object_
        return numbers.render_chances(chances) if exact else np.ascontiguousarray(chances)

    def render_others(self, answer: Answer) -> dict[str, Any]:
        """Return the field for the cells without names, if there may be any."""
        return {}


class OnRules(OnBoard):
    """Cells by name, those without by their index among these; rules by index."""

    def __init__(self, rules: Rules) -> None:
        self.names = list(rules.number)
        self.unnamed = rules.shape[1] - len(self.names)

    def render_layout(self, layout: Layout) -> Any:
        """Return a layout as the names of mines, and the indices of mines without a name."""
        mines, named = layout.mines[0], len(self.names)
        return {
            "mines": [self.names[cell] for cell in np.flatnonzero(mines[:named]).tolist()],
            "others": np.flatnonzero(mines[named:]).tolist(),
        }

    def render_cells(self, cells: list[Coordinates]) -> Any:
        """Return the names of cells; those without one are left out."""
        return [self.names[col] for _, col in cells if col < len(self.names)]

    def all_cells(self, cells: list[Coordinates]) -> Any:
        """Return the names of cells, or their indices among those without one."""
        named = len(self.names)
        return [self.names[col] if col < named else col - named for _, col in cells]

    def render_clues(self, clues: list[Coordinates]) -> Any:
        """Return the indices of rules."""
        return [rule for _, rule in clues]

    def render_chances(self, chances: NDArray[Any]) -> Any:
        """Return the chances of the cells with names, by name."""
        named = numbers.render_chances(chances[:, : len(self.names)])[0]
        return dict(zip(self.names, named, strict=True))

    def render_others(self, answer: Answer) -> dict[str, Any]:
        """Return the field ``others`` for cells without names; they all have one chance."""
        if not self.unnamed or answer.consistent is False:
            return {}
        if answer.forced is None:
            return {"others": None}
        chances, forced = getattr(answer, "probabilities", None), answer.forced
        last = (0, len(self.names) + self.unnamed - 1)
        verdicts = {"mines": forced.mines, "safe": forced.safe}
        fields = {
            "cells": self.unnamed,
            "probability": None
            if chances is None
            else numbers.render_chances(chances[:, -1:])[0][0],
            "forced": next((name for name, cells in verdicts.items() if last in cells[-1:]), None),
        }
        return {"others": fields}


def render_window(window: Window) -> dict[str, int]:
    """Return a window as answers have it."""
    size = {"height": window.rows, "width": window.cols}
    return {"row": window.row, "col": window.col} | size


class InWindow(OnBoard):
    """Layouts of a window, with the numbers of its clues only; cells as on the board."""

    def __init__(self, board: Board, window: Window) -> None:
        self.board = board
        self.window = window

    def render_layout(self, layout: Layout) -> Any:
        """Return a layout of the window as rows."""
        return draw_layout(self.board, self.window, layout.mines)


class OnVariant(OnBoard):
    """Layouts with the numbers of another topology; extra fields hold what rows cannot express."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant

    def render_rows(self, layout: Layout) -> list[str]:
        """Return a layout as rows: numbers on safe cells, S for those above 8, and B on mines."""
        numbers = self.variant.count_neighbours(layout.mine_counts)
        symbols = np.where(numbers > 8, ord("S"), ord("0") + numbers).astype(np.uint8)
        symbols[layout.mines] = ord("B")
        return format_symbol_rows(symbols)

    def render_layout(self, layout: Layout) -> Any:
        """Return a layout as rows, or an object with rows, numbers of mines and lies."""
        rows, extra = self.render_rows(layout), {}
        if self.variant.most > 1:
            extra["mines"] = layout.mine_counts.tolist()
        if self.variant.lies != (0, 0):
            extra["lies"] = self.variant.list_liars(layout.mine_counts)
        return {"rows": rows, **extra} if extra else rows


def choose_drawing(question: Question) -> OnBoard:
    """Return the renderer of cells and layouts for a question."""
    if isinstance(question.board, Rules):
        return OnRules(question.board)
    if isinstance(question.board, Variant):
        return OnVariant(question.board)
    return InWindow(question.board, question.cutout) if question.cutout else OnBoard()
