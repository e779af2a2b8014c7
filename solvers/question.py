"""Questions about a board, and which of them make sense."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from secrets import randbits
from typing import TypeAlias

import numpy as np

from automata import Window
from minefield.amounts import several
from minefield.board import MINE, SAFE, UNKNOWN, Board
from minefield.layout import Layout
from minefield.rules import Puzzle, Rules
from minefield.variant import Variant

Place: TypeAlias = tuple[int, int]

#: Seeds of samples lie below this.
SEEDS = 1 << 63


def fresh_seed() -> int:
    """A seed for questions without one: a number that JavaScript can repeat."""
    return randbits(53)


class Task(StrEnum):
    """What can be asked."""

    CHECK = "check"
    LAYOUTS = "layouts"
    COUNT = "count"
    FORCED = "forced"
    ANALYZE = "analyze"
    STRIPS = "strips"
    SAMPLE = "sample"
    EXPLAIN = "explain"
    REPAIR = "repair"
    CONFLICTS = "conflicts"
    MOVES = "moves"
    COMPOSE = "compose"


#: Layouts by number of mines fill the page: one of 10,000 cells has 10,000 numbers of 3,000 digits.
BY_MINES_CELLS = 10_000
#: What may be proved.
CERTIFIED = (Task.CHECK, Task.COUNT, Task.FORCED, Task.ANALYZE)
#: Larger boards are not composed: their clauses alone take minutes.
COMPOSED_CELLS = 2_500
#: What is answered by no backend in particular.
REASONED = (Task.EXPLAIN, Task.REPAIR, Task.CONFLICTS, Task.MOVES, Task.COMPOSE)
#: What may be asked of a window.
WINDOWED = (Task.STRIPS, Task.LAYOUTS)
#: What a density weighs.
WEIGHED = (Task.COUNT, Task.ANALYZE, Task.SAMPLE)


class Backend(StrEnum):
    """Who answers; `AUTO` takes the cheapest that is exact."""

    AUTO = "auto"
    AUTOMATA = "automata"
    FRONTIER = "frontier"
    SAT = "sat"
    CPSAT = "cpsat"
    EXHAUSTIVE = "exhaustive"


class Keep(StrEnum):
    """What a composed board has to keep of the one that it is made from.

    LAYOUT: that no other layout fits. FORCED: the verdict, and all that is known of cells.
    SOLVABLE: that people can find the layout by steps up to a grade.
    """

    LAYOUT = "layout"
    FORCED = "forced"
    SOLVABLE = "solvable"


class Symmetry(StrEnum):
    """What carries the cells of the clues to each other."""

    NONE = "none"
    HALF_TURN = "half-turn"
    QUARTER_TURN = "quarter-turn"
    LEFT_RIGHT = "left-right"
    TOP_BOTTOM = "top-bottom"


class Leave(StrEnum):
    """What is left where a clue was: an unknown cell, or one that is safe without a number."""

    UNKNOWN = "unknown"
    SAFE = "safe"


@dataclass(frozen=True, slots=True)
class Composition:
    """How `Task.COMPOSE` chooses clues.

    ``difficulty`` is the label of a `solvers.reasons.deduction.Level`, for `Keep.SOLVABLE`.
    ``reveals`` is how many hidden clues are wanted at most, those that would decide most; on
    ``layout`` if it is given.
    """

    keep: Keep = Keep.FORCED
    difficulty: str | None = None
    symmetry: Symmetry = Symmetry.NONE
    leave: Leave = Leave.UNKNOWN
    reveals: int = 0
    layout: Layout | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A task on a board, or on rules in its place.

    ``mines`` is the exact total over the whole board. ``density`` weighs the
    layouts instead: each unknown cell is a mine with this chance. ``offset`` and
    ``limit`` say which layouts, or samples, are wanted. `Task.STRIPS` asks what
    the clues in a ``window`` of the board say about the cells in it, and
    `Task.LAYOUTS` with a window for its layouts.
    ``fractions`` asks for exact chances. ``layout`` is one whose rank is wanted.
    ``by_mines`` says whether layouts by number of mines are part of the answer: only where that
    is cheap, always (True), or as soon as they are read (None).
    Samples depend on the ``seed`` only. `Task.EXPLAIN` may ask for one ``cell``, `Task.MOVES` for
    one beside the best. ``limit`` bounds the repairs of `Task.REPAIR`, the sets of
    `Task.CONFLICTS`, and the moves of `Task.MOVES`, which needs ``mines``.
    ``certificate`` asks for proof. ``composition`` says which clues `Task.COMPOSE` has to choose.

    Raises:
        QuestionError: a value out of its range, ``mines`` with ``density``, a
            layout that does not fit, or an option that the task does not take.
    """

    task: Task
    board: Puzzle
    mines: int | None = None
    density: Fraction | None = None
    backend: Backend = Backend.AUTO
    offset: int = 0
    limit: int = 100
    window: Window | None = None
    fractions: bool = False
    layout: Layout | None = None
    seed: int = 0
    cell: Place | None = None
    certificate: bool = False
    by_mines: bool | None = False
    composition: Composition | None = None

    def __post_init__(self) -> None:
        if self.mines is not None and not 0 <= self.mines <= self.cells:
            self._check_mines(self.mines)
        # Most questions are plain: what they leave out takes no time to be looked at.
        if self.offset < 0:
            raise QuestionError("offset", "An offset is 0 or more.")
        if self.limit < 1:
            raise QuestionError("limit", "A limit is 1 or more.")
        if not 0 <= self.seed < SEEDS:
            raise QuestionError("seed", f"A seed lies between 0 and {SEEDS - 1}.")
        if self.density is not None:
            self._check_density(self.density)
        if self.window is not None:
            self._check_window()
        elif self.task is Task.STRIPS:
            raise QuestionError("window", "A strip needs a window.")
        if self.layout is not None:
            self._check_layout(self.layout)
        if self.cell is not None:
            self._check_cell(self.cell)
        if self.by_mines:
            self._check_by_mines()
        if self.certificate and self.task not in CERTIFIED:
            raise QuestionError(
                "certificate", "Only verdicts, counts and forced cells have certificates."
            )
        if self.certificate and self.density is not None:
            raise QuestionError(
                "certificate", "What is certified is a count, in which all layouts weigh the same."
            )
        if self.backend is not Backend.AUTO and self.task in REASONED:
            raise QuestionError(
                "backend", "Reasons, repairs, moves and the like have a method of their own."
            )
        if self.task is Task.MOVES:
            self._check_moves()
        if self.task is Task.COMPOSE:
            self._check_composition(self.composition or Composition())
        elif self.composition is not None:
            raise QuestionError("composition", "Only the question compose chooses clues.")
        if isinstance(self.board, Variant):
            self._check_variant(self.board)

    def _check_mines(self, mines: int) -> None:
        most = self.board.capacity if isinstance(self.board, Variant) else self.cells
        if not 0 <= mines <= most:
            raise QuestionError(
                "mines",
                f"{several(self.cells, 'cell')} can hold 0 to {several(most, 'mine')}, "
                "known ones included.",
            )

    def _check_variant(self, variant: Variant) -> None:
        if self.certificate:
            raise QuestionError("certificate", "Only plane boards and rules have certificates.")
        beyond = variant.beyond
        if beyond is None:
            return
        if self.task in REASONED:
            raise QuestionError(
                beyond, f"The question {self.task} takes clues that are exact or an interval only."
            )
        if self.backend is not Backend.AUTO:
            raise QuestionError("backend", f"With {beyond} there is one method only, auto.")
        if variant.most > 1 and self.density is not None:
            raise QuestionError("density", "A density is that of cells with one mine or none.")

    def _check_by_mines(self) -> None:
        if self.task not in (Task.COUNT, Task.ANALYZE):
            raise QuestionError("by_mines", "Only counts and analyses tell layouts by mines.")
        if self.mines is None and np.count_nonzero(self.board.unknown) > BY_MINES_CELLS:
            raise QuestionError(
                "by_mines",
                f"Layouts are told by number of mines for up to {BY_MINES_CELLS} unknown cells.",
            )

    def _check_moves(self) -> None:
        if not isinstance(self.board, Board):
            raise QuestionError("board", "Moves are made on a plane board.")
        if self.mines is None:
            raise QuestionError("mines", "Who plays knows how many mines there are.")

    def _check_composition(self, asked: Composition) -> None:
        board = self.board
        if not isinstance(board, Board):
            raise QuestionError("board", "Clues are chosen on a plane board.")
        if self.cells > COMPOSED_CELLS:
            raise QuestionError("board", f"Boards of up to {COMPOSED_CELLS} cells are composed.")
        if asked.symmetry is Symmetry.QUARTER_TURN and board.height != board.width:
            raise QuestionError("symmetry", "Only squares are the same after a quarter turn.")
        if asked.difficulty is not None and asked.keep is not Keep.SOLVABLE:
            raise QuestionError("difficulty", "Only what has to be solvable has a difficulty.")
        if asked.difficulty == "global" and self.mines is None:
            raise QuestionError("mines", "Steps by the total of mines need that total.")
        if asked.layout is not None and asked.reveals == 0:
            raise QuestionError("layout", "A layout only helps to choose what to reveal.")
        if asked.layout is not None:
            self._check_fits(asked.layout)
        if asked.keep is not Keep.FORCED:
            self._check_full(board, asked.keep)

    def _check_full(self, board: Board, keep: Keep) -> None:
        for row, col in np.argwhere(board.unknown)[:1].tolist():
            raise QuestionError(
                "board",
                f"To keep {keep}, every cell has to show a mine or a number; not so at row {row}, "
                f"column {col}. Any board will do to keep forced.",
                (row, col),
            )
        layout = Layout(board.cells == MINE)
        for row, col in layout.contradictions(board)[:1]:
            around = int(layout.numbers()[row, col])
            raise QuestionError(
                "board",
                f"Around row {row}, column {col} the board shows {several(around, 'mine')}, "
                f"not {board.cells[row, col]}.",
                (row, col),
            )
        if self.mines not in (None, layout.total):
            raise QuestionError(
                "mines", f"The board shows {several(layout.total, 'mine')}, not {self.mines}."
            )

    def _check_density(self, density: Fraction) -> None:
        if not 0 < density < 1:
            raise QuestionError("density", "A density lies between 0 and 1, both excluded.")
        if self.mines is not None:
            raise QuestionError("density", "A board has a total of mines or a density, not both.")
        if self.window is not None:
            raise QuestionError("density", "The layouts of a window all weigh the same.")
        if self.task not in WEIGHED:
            raise QuestionError(
                "density", "Only counts, chances and samples are weighed by a density."
            )

    def _check_window(self) -> None:
        if self.task not in WINDOWED:
            raise QuestionError("window", "Only strips and layouts take a window.")
        if self.mines is not None:
            raise QuestionError("mines", "The total of mines says nothing of a window.")
        if self.backend is not Backend.AUTO:
            raise QuestionError("backend", "Only automata read windows.")
        if not isinstance(self.board, Board):
            raise QuestionError("window", "A window is cut out of a plane board.")

    def _check_layout(self, layout: Layout) -> None:
        if self.task is not Task.LAYOUTS:
            raise QuestionError("layout", "Only the question layouts tells the rank of a layout.")
        if self.window is not None:
            raise QuestionError("layout", "Only layouts of a whole board have a rank.")
        self._check_fits(layout)

    def _check_fits(self, layout: Layout) -> None:
        if layout.mines.shape != self.board.shape:
            height, width = self.board.shape
            raise QuestionError(
                "layout",
                f"Its layouts have {several(height, 'row')} of {several(width, 'cell')}.",
            )
        if isinstance(self.board, Rules):
            for rule in self.board.broken(layout.mines)[:1]:
                raise QuestionError("layout", f"The layout breaks rule {rule}.")
        else:
            wrong = (
                self.board.contradictions(layout.amounts)
                if isinstance(self.board, Variant)
                else layout.contradictions(self.board)
            )
            for row, col in wrong[:1]:
                raise QuestionError(
                    "layout",
                    f"The layout does not fit the board at row {row}, column {col}.",
                    (row, col),
                )
        if self.mines not in (None, layout.total):
            raise QuestionError(
                "layout", f"The layout has {several(layout.total, 'mine')}, not {self.mines}."
            )

    def _check_cell(self, cell: Place) -> None:
        if self.task not in (Task.EXPLAIN, Task.MOVES):
            raise QuestionError("cell", "Only explain and moves take a cell.")
        height, width = self.board.shape
        row, col = cell
        if not (0 <= row < height and 0 <= col < width):
            raise QuestionError(
                "cell", f"The board has {several(height, 'row')} of {several(width, 'cell')}."
            )
        # One that is safe may still be opened.
        given = isinstance(self.board, Board) and self.board.cells[row, col] == SAFE
        if not (self.board.unknown[row, col] or (given and self.task is Task.MOVES)):
            about = "explain" if self.task is Task.EXPLAIN else "open"
            raise QuestionError(
                "cell",
                f"The cell at row {row}, column {col} is known: there is nothing to {about}.",
            )

    @property
    def cells(self) -> int:
        """Number of cells."""
        height, width = self.board.shape
        return height * width

    @property
    def size(self) -> int:
        """Number of cells, or of all that clues name if they name more than eight each."""
        if isinstance(self.board, Rules):
            return max(self.cells, sum(len(rule.cells) for rule in self.board.rules))
        if isinstance(self.board, Variant):
            return self.cells * -(-self.board.topology.most // 8)
        return self.cells

    @property
    def clued(self) -> Puzzle:
        """The board, without the clues outside the window if there is one."""
        if self.window is None or not isinstance(self.board, Board):
            return self.board
        outside = np.ones(self.board.shape, np.bool_)
        outside[self.window.rows, self.window.cols] = False
        return Board(np.where(outside & (self.board.cells < UNKNOWN), SAFE, self.board.cells))

    @property
    def flags(self) -> list[Place]:
        """The flags of the board, those in the window if there is one, in reading order."""
        window, flags = self.window, self.board.flags
        return [flag for flag in flags if flag in window] if window else flags


class QuestionError(ValueError):
    """A question that makes no sense; ``field`` is the value at fault, ``place`` a cell of it."""

    def __init__(self, field: str, detail: str, place: Place | None = None) -> None:
        super().__init__(field, detail, place)
        self.field = field
        self.detail = detail
        self.place = place

    def __str__(self) -> str:
        return self.detail
