"""The fields that all questions share, and the options that several take.

Each question is a dataclass with its own options, beside its answer in `solvers.tasks`: one that
makes no sense cannot be written, or raises `QuestionError`.

Tested in tests/solvers/test_router.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, fields, replace
from fractions import Fraction
from secrets import randbits
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, NamedTuple, Self, TypeAlias

import numpy as np

from minecheck.automata import Window
from minecheck.minefield.board import SAFE, UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count
from minecheck.minefield.rules import Puzzle, Rules
from minecheck.minefield.variant import Variant
from minecheck.solvers.annotations import Coordinates, Ge, Number, ValueKind, doc
from minecheck.solvers.answer import Answer, BackendError
from minecheck.solvers.backend import ENGINES, Backend, BoardKind, list_backends, list_tasks

#: The kind of a board by `Variant.beyond`, the field that makes it more than intervals.
_KIND_BEYOND: Final[Mapping[str, BoardKind]] = MappingProxyType(
    {
        "clues": BoardKind.SETS,
        "mines_per_cell": BoardKind.SEVERAL_MINES,
        "lies": BoardKind.LIES,
        "most_lies": BoardKind.LIES,
    }
)
#: Seeds of samples lie below this.
SEEDS = 1 << 63


def fresh_seed() -> int:
    """Return a seed for questions without one: a number that JavaScript can repeat."""
    return randbits(53)


class QuestionError(ValueError):
    """A question that makes no sense.

    Args:
        field: the name of the value at fault.
        detail: what is wrong.
        cell: the cell at fault, None if there is none.
        fix: what to do, None for the general advice.
    """

    def __init__(
        self, field: str, detail: str, cell: Coordinates | None = None, fix: str | None = None
    ) -> None:
        super().__init__(field, detail, cell, fix)
        self.field = field
        self.detail = detail
        self.cell = cell
        self.fix = fix

    def __str__(self) -> str:
        return self.detail


#: A step of an answer; it is called with the `solvers.composer.Composer`.
Step: TypeAlias = Callable[[Any], None]


class Steps(NamedTuple):
    """The steps that a question requests beyond the verdict.

    Attributes:
        consistent: steps if there is a layout.
        certified: steps after these, if proof is requested.
        inconsistent: steps if there is none, once the conflict is known.
        refuted: steps before these, if proof is requested.
        nothing: the first steps if there is no layout.
        known: the first steps, before the verdict.
    """

    consistent: tuple[Step, ...] = ()
    certified: tuple[Step, ...] = ()
    inconsistent: tuple[Step, ...] = ()
    refuted: tuple[Step, ...] = ()
    nothing: tuple[Step, ...] = ()
    known: tuple[Step, ...] = ()


# Options that several questions take.

TotalOption: TypeAlias = Annotated[
    int, Ge(0), doc("Exact number of mines on the whole board, known ones included")
]
BackendOption: TypeAlias = Annotated[
    Backend,
    doc(
        "The engine that answers, in any letter case; `auto` takes the cheapest that is exact. "
        "Also `pysat` for `sat`, and `cp-sat`, `ortools` and `or-tools` for `cpsat`"
    ),
]
CertifiedOption: TypeAlias = Annotated[
    bool,
    doc(
        "Whether to give a certificate: a layout, proofs, or tables of the count, "
        "for `minecheck verify`"
    ),
]
DensityOption: TypeAlias = Annotated[
    Fraction,
    doc(
        "Chance of a mine in each unknown cell, exactly as written, instead of equally "
        "likely layouts: a number, or a string with a decimal number or a fraction such as 1/3"
    ),
]
OffsetOption: TypeAlias = Annotated[
    Number, doc("Number of the first layout to return, as an integer or a string of digits")
]


@dataclass(frozen=True)
class Question:
    """A question about a board, or about rules in its place.

    What is a property here is an option of some questions; the others are answered as if it had
    this value.

    Attributes:
        task: its name.
        engines_like: the task whose engines answer it, where `solvers.backend.ENGINES` does not
            list its own.
        options_name: the name of its options in schemas, if that is not the task's.
        answer_type: the class of its answers.
        steps: what finds them.
        at_once: whether all that it asks for may come from one call for a position.
        quick: whether the interpreter answers it of small boards before machine code is loaded.
        counts: whether layouts are counted, which then comes first if it is cheap.
        forced_by_count: whether forced cells are read off the count, where there is one.
        needs_layout: whether a layout is looked for even where it is known that there are some.
        patient: whether it asks for the best reasons.
        unbounded: whether it is left to effort without bounds.
        engine: the engine that answers, if it is always the same one; others help it.

    Raises:
        QuestionError: an option is out of its range, or does not go with the board or another one.
        BackendError: the backend does not answer this question, or takes no such boards.
    """

    task: ClassVar[str] = ""
    engines_like: ClassVar[str] = ""
    options_name: ClassVar[str] = ""
    answer_type: ClassVar[type[Answer]] = Answer
    steps: ClassVar[Steps] = Steps()
    at_once: ClassVar[bool] = False
    quick: ClassVar[bool] = False
    counts: ClassVar[bool] = False
    forced_by_count: ClassVar[bool] = False
    needs_layout: ClassVar[bool] = True
    patient: ClassVar[bool] = False
    unbounded: ClassVar[bool] = False
    engine: ClassVar[Backend | None] = None

    board: Puzzle

    def __post_init__(self) -> None:
        if self.mines is not None and not 0 <= self.mines <= self.cells:
            self._check_mines(self.mines)
        self._check_options()
        if isinstance(self.board, Variant):
            self._check_variant(self.board)
        if self.backend is not Backend.AUTO:
            self._check_backend(self.backend)

    def _check_options(self) -> None:
        """Check the options of the question."""

    def _check_mines(self, mines: int) -> None:
        most = self.board.capacity if isinstance(self.board, Variant) else self.cells
        if not 0 <= mines <= most:
            raise QuestionError(
                "mines",
                f"A board of {format_count(self.cells, 'cell')} has 0 to "
                f"{format_count(most, 'mine')}, known ones included; not {mines}.",
                fix=f"Send 0 to {most}.",
            )

    def _check_backend(self, backend: Backend) -> None:
        task, described = self.engine_task
        check_backend(backend, task, described, self.board_kind)
        if self.board_kind not in ENGINES[backend].boards:
            raise self.make_backend_error(f"The backend {backend} does not take {self.board_kind}.")
        if not ENGINES[backend].can_answer(task, self.board_kind):
            raise self.make_backend_error(
                f"The backend {backend} does not answer {described} for {self.board_kind}."
            )

    def make_backend_error(self, detail: str) -> BackendError:
        """Return the error of a backend that cannot answer, with those that may."""
        choices = list_backends(self.engine_task[0], self.board_kind)
        others = tuple(choice for choice in choices if choice is not self.backend)
        return BackendError(detail, others, for_board=True)

    def _check_variant(self, variant: Variant) -> None:
        if self.certificate:
            raise QuestionError("certificate", "Only plane boards and rules have certificates.")
        beyond = variant.beyond
        if beyond is None:
            return
        takers = list_tasks(self.board_kind)
        if self.engine_task[0] not in takers:
            raise QuestionError(
                beyond,
                f"The question {self.task} does not take {self.board_kind}. These do: "
                f"{', '.join(takers)}.",
            )
        if variant.most > 1 and self.density is not None:
            raise QuestionError(
                "density", "Boards with several mines in a cell cannot be weighed by a density."
            )

    @property
    def mines(self) -> int | None:
        """The exact total over the whole board."""
        return None

    @property
    def backend(self) -> Backend:
        """The backend that is to answer."""
        return Backend.AUTO

    @property
    def engine_task(self) -> tuple[str, str]:
        """The task whose engines can answer, and what messages call the question."""
        return self.choose_engine_task(), self.task

    @classmethod
    def choose_engine_task(cls) -> str:
        """Return the task that `ENGINES` lists for the question: its own, or the one it is like."""
        return cls.engines_like or cls.task

    @property
    def board_kind(self) -> BoardKind:
        """The kind of its board."""
        if isinstance(self.board, Rules):
            return BoardKind.RULES
        if isinstance(self.board, Variant):
            if self.board.beyond is not None:
                return _KIND_BEYOND[self.board.beyond]
            is_plane = self.board.topology.plain
            return BoardKind.INTERVALS if is_plane else BoardKind.TOPOLOGY
        return BoardKind.PLANE

    @property
    def is_bounded(self) -> bool:
        """True if an effort bounds the work; otherwise only a deadline ends it."""
        is_beyond = isinstance(self.board, Variant) and self.board.beyond is not None
        return ENGINES[self.backend].is_bounded and not is_beyond

    @property
    def density(self) -> Fraction | None:
        """What weighs the layouts: each unknown cell is a mine with this chance."""
        return None

    @property
    def fractions(self) -> bool:
        """True if chances are requested as exact fractions."""
        return False

    @property
    def certificate(self) -> bool:
        """True if a proof is requested."""
        return False

    @property
    def by_mines(self) -> bool | None:
        """True if layouts by number of mines are requested.

        Only where that is cheap, always (True), or as soon as they are read (None).
        """
        return False

    @property
    def offset(self) -> int:
        """The number of the first layout, or sample, that is requested."""
        return 0

    @property
    def limit(self) -> int:
        """The number of layouts, or other items, that are requested."""
        return 100

    @property
    def cutout(self) -> Window | None:
        """The window in the board that it is about."""
        return None

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
    def page(self) -> int:
        """The number of cells of all requested layouts."""
        return 0

    def with_page(self, offset: int, limit: int) -> Self:
        """Return the question for another page of layouts.

        Args:
            offset: the number of the first layout.
            limit: the most layouts.
        """
        options: dict[str, Any] = {"offset": offset, "limit": limit}
        known = {field.name for field in fields(self)}
        return replace(self, **{name: value for name, value in options.items() if name in known})

    @property
    def clued(self) -> Puzzle:
        """The board, without the clues outside the window if there is one."""
        window = self.cutout
        if window is None or not isinstance(self.board, Board):
            return self.board
        outside = np.ones(self.board.shape, np.bool_)
        outside[window.row_slice, window.col_slice] = False
        return Board(np.where(outside & (self.board.cells < UNKNOWN), SAFE, self.board.cells))

    @property
    def flags(self) -> list[Coordinates]:
        """The flags of the board, those in the window if there is one, in reading order."""
        window, flags = self.cutout, self.board.flags
        return [flag for flag in flags if flag in window] if window else flags


@dataclass(frozen=True)
class QuestionWithTotal(Question):
    """A question about a board whose total of mines may be known."""

    mines: TotalOption | None = None


@dataclass(frozen=True)
class QuestionToCount(QuestionWithTotal):
    """A question for which layouts are counted before all else, where that is cheap."""

    counts: ClassVar = True


@dataclass(frozen=True)
class PagedQuestion(QuestionWithTotal):
    """A question about layouts, of which a page is listed."""

    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    offset: OffsetOption = 0
    limit: Annotated[int, ValueKind.PAGE, Ge(1)] = 100

    @property
    def page(self) -> int:
        """The most cells of all layouts on a page."""
        return self.limit * self.cells

    def _check_options(self) -> None:
        if self.offset < 0:
            raise QuestionError("offset", "An offset is 0 or more.")
        check_limit(self.limit)


def check_limit(limit: int) -> None:
    """Reject a limit that lets nothing through.

    Raises:
        QuestionError: it is below 1.
    """
    if limit < 1:
        raise QuestionError("limit", "A limit is 1 or more.")


def check_backend(
    backend: Backend, task: str, described: str | None = None, kind: BoardKind | None = None
) -> None:
    """Raise `BackendError` for a backend that does not answer a task, which has this name.

    ``described`` is what the message calls the question. It lists backends that take the ``kind``
    of board, or any.
    """
    if task not in ENGINES[backend].questions:
        detail = f"The backend {backend} does not answer {described or task}."
        raise BackendError(detail, list_backends(task, kind))


def check_density(density: Fraction | None, mines: int | None) -> None:
    """Reject a density that is no chance, or comes with a total.

    Args:
        density: the chance of a mine, None if there is none.
        mines: the total of mines, None if there is none.

    Raises:
        QuestionError: the density is not between 0 and 1, or there is a total as well.
    """
    if density is None:
        return
    if not 0 < density < 1:
        raise QuestionError("density", "A density lies between 0 and 1, both excluded.")
    if mines is not None:
        raise QuestionError(
            "density",
            "The question has both a total of mines and a density.",
            fix="Leave out mines or density.",
        )


def check_layout(question: Question, layout: Layout) -> None:
    """Reject a layout that does not fit the board of a question.

    Args:
        question: the question.
        layout: the layout.

    Raises:
        QuestionError: it has another shape, or breaks a clue, a rule or the total.
    """
    board = question.board
    if layout.mines.shape != board.shape:
        height, width = board.shape
        raise QuestionError(
            "layout",
            f"The layout does not have the shape of the board, which is "
            f"{format_count(height, 'row')} and {format_count(width, 'column')}.",
        )
    if isinstance(board, Rules):
        for rule in board.list_broken(layout.mines)[:1]:
            raise QuestionError("layout", f"The layout breaks rule {rule}.")
    else:
        wrong = (
            board.list_contradictions(layout.mine_counts)
            if isinstance(board, Variant)
            else layout.list_contradictions(board)
        )
        for row, col in wrong[:1]:
            raise QuestionError(
                "layout",
                f"The layout does not fit the board at row {row}, column {col}.",
                (row, col),
            )
    if question.mines not in (None, layout.total):
        raise QuestionError(
            "layout", f"The layout has {format_count(layout.total, 'mine')}, not {question.mines}."
        )


def check_cell(board: Puzzle, cell: Coordinates | None, about: str, *, safe: bool = False) -> None:
    """Reject a cell that a question cannot be about.

    Args:
        board: the board of the question.
        cell: (row, col), None if there is none.
        about: the verb for the message, such as "explain".
        safe: whether a known safe cell without a number is right, too.

    Raises:
        QuestionError: the cell is not on the board, or is known.
    """
    if cell is None:
        return
    height, width = board.shape
    row, col = cell
    if not (0 <= row < height and 0 <= col < width):
        raise QuestionError(
            "cell",
            f"The cell at row {row}, column {col} is not on the board.",
            fix=f"Send a row from 0 to {height - 1} and a column from 0 to {width - 1}.",
        )
    # One that is safe may still be opened.
    is_given_safe = safe and isinstance(board, Board) and board.cells[row, col] == SAFE
    if not (board.unknown[row, col] or is_given_safe):
        raise QuestionError(
            "cell",
            f"The cell at row {row}, column {col} is known: there is nothing to {about}.",
            fix="Send an unknown cell.",
        )
