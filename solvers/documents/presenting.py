"""An answer as its question has it written: as JSON, and as a picture for notebooks.

Tested in tests/solvers/library/test_presenting.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Any, Final

import numpy as np

from minecheck.minefield.board import Board
from minecheck.minefield.board_svg import draw_svg
from minecheck.minefield.heat_colors import USUAL_DENSITY
from minecheck.minefield.numerals import format_count
from minecheck.minefield.rules import Puzzle, Rules
from minecheck.solvers.answer import Answer
from minecheck.solvers.documents.cells import choose_drawing
from minecheck.solvers.documents.render import render_answer
from minecheck.solvers.findings import RankedMoves
from minecheck.solvers.question import Question

#: The most layouts that are drawn.
_MOST_LAYOUTS: Final = 12
#: Larger counts are shown rounded.
_LONG: Final = 10**15
_VERDICTS: Final = {True: "consistent", False: "inconsistent", None: "not decided in time"}


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question that the library has answered: its class, its board and its options."""

    kind: type[Question]
    board: Puzzle
    options: Mapping[str, Any]

    @property
    def question(self) -> Question:
        """The question itself."""
        return self.kind(self.board, **self.options)

    def to_json(self, answer: Answer) -> bytes:
        """Return the answer as the service writes it."""
        return render_answer(self.question, answer)

    def draw_html(self, answer: Answer) -> str:
        """Return a picture of the answer: the board with what was found, or the layouts."""
        caption = _describe_answer(answer)
        if isinstance(self.board, Rules):
            return f"<pre>{caption}</pre>"
        layouts = getattr(answer, "layouts", None)
        if layouts:
            drawing = choose_drawing(self.question)
            drawn = map(drawing.render_layout, layouts[:_MOST_LAYOUTS])
            # Layouts of some variants are objects, with the rows as one of their fields.
            shown = "".join(
                draw_svg(picture["rows"] if isinstance(picture, dict) else picture)
                for picture in drawn
            )
            omitted = len(layouts) - _MOST_LAYOUTS
            if omitted > 0:
                caption += f" · {format_count(omitted, 'layout')} more"
            return f"{shown}<div>{escape(caption)}</div>"
        board = self.board if isinstance(self.board, Board) else self.board.board
        chances = getattr(answer, "probabilities", None)
        if chances is not None:
            chances = np.array(chances, np.float64)
        mines = getattr(self.question, "mines", None)
        density = mines / board.cells.size if mines else USUAL_DENSITY
        return draw_svg(board.rows(), chances, _list_marks(answer), caption, density)


def _describe_answer(answer: Answer) -> str:
    """Return the verdict, the count and the engine in a line."""
    parts = [_VERDICTS[answer.consistent]]
    count = getattr(answer, "count", None)
    if count:
        digits = f"{count:,}" if count < _LONG else f"{Decimal(count):.3e}"
        parts.append(format_count(digits, "layout"))
    parts.append(answer.method)
    if not answer.complete:
        parts.append("not complete")
    return " · ".join(parts)


def _list_marks(answer: Answer) -> dict[tuple[int, int], str]:
    """Return what to point out on the board: the conflict, forced cells, and the best move."""
    marks: dict[tuple[int, int], str] = {}
    if answer.forced is not None:
        marks |= dict.fromkeys(answer.forced.mines, "mine")
        marks |= dict.fromkeys(answer.forced.safe, "safe")
    if answer.conflict is not None:
        marks |= dict.fromkeys(answer.conflict.clues, "conflict")
    ranked = getattr(answer, "moves", None)
    if isinstance(ranked, RankedMoves) and ranked.moves:
        marks[ranked.moves[0].cell] = "best"
    return marks
