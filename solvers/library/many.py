"""Many boards analyzed together: compiled calls on all cores, and what they leave one by one."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Final, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Board, BoardError
from minecheck.minefield.numerals import format_count
from minecheck.solvers.documents.numbers import format_integer
from minecheck.solvers.documents.presenting import AnsweredQuestion
from minecheck.solvers.library.arrays import is_missing, read_cells
from minecheck.solvers.library.ask import read_mines
from minecheck.solvers.library.boards import BoardLike, parse
from minecheck.solvers.library.questions import analyze
from minecheck.solvers.position_answers import answer_from_position
from minecheck.solvers.positions.many import make_position, solve_many, spread_chances
from minecheck.solvers.positions.solve import ANY
from minecheck.solvers.positions.write import CELLS_END, SOLVED, STATE, SolvedPositions
from minecheck.solvers.question import QuestionError
from minecheck.solvers.tasks.analyze import Analyze, AnalyzeAnswer

#: Called as boards are done: how many, and how many there are.
ReportBoards: TypeAlias = Callable[[int, int], None]

#: The most cells of boards that are solved together; others are analyzed one by one.
_MOST_CELLS: Final = 4096
#: Cells of a compiled call, about: some hundredths of a second.
_CHUNK_CELLS: Final = 1 << 20
_COLUMNS: Final = (
    *("consistent", "count", "complete", "solver", "forced_mines", "forced_safe"),
    *("safest_row", "safest_col", "safest_probability"),
)


def analyze_many(
    boards: Iterable[BoardLike] | NDArray[Any],
    mines: int | Sequence[int | None] | NDArray[Any] | None = None,
    *,
    symbols: Mapping[str, str] | None = None,
    deadline: float | None = None,
    progress: bool | ReportBoards = False,
) -> "Analyses":
    """Analyze many boards: each as `analyze` does, those of games together.

    Positions of games are solved in compiled calls, on all cores. What these leave (inconsistent
    boards, strips, boards with flags, and those that are large or hard) is analyzed one by one.

    >>> found = analyze_many([["1??", "???", "???"], ["?1?", "???", "???"]], mines=2)
    >>> found.counts, found[0].probabilities[0, 1].item()
    ([15, 15], 0.3333333333333333)

    Args:
        boards: an array of cells of shape (boards, height, width), or boards in any form, such as
            the text column of a data frame.
        mines: the total of each board, or one for all; None (or NaN) where it is not known.
        symbols: what further symbols mean, as for `parse`.
        deadline: seconds that a board which is analyzed alone may take; None for no limit.
        progress: whether to show a progress bar, or a function of the boards that are done and of
            all boards.

    Raises:
        BoardError: a board cannot be read; the message says which.
        QuestionError: a total is out of its range, or there are more or fewer totals than boards.
        TypeError: a total is no whole number.
    """
    cells, shapes = _lay_out(boards, symbols)
    totals = _read_totals(mines, len(shapes))
    with _report_to(progress) as report:
        return _analyze_all(cells, shapes, totals, deadline, report)


class Analyses(Sequence[AnalyzeAnswer]):
    """The answers about many boards, in their order; each is made on demand.

    Columns hold one thing about all boards: `consistent`, `counts`, `probabilities`, `to_columns`.
    """

    def __init__(self, chunks: Sequence["_Chunk"]) -> None:
        self._chunks = chunks
        self._firsts = np.cumsum([0, *map(len, chunks)])

    def __len__(self) -> int:
        return int(self._firsts[-1])

    @overload
    def __getitem__(self, number: int) -> AnalyzeAnswer: ...
    @overload
    def __getitem__(self, number: slice) -> list[AnalyzeAnswer]: ...

    def __getitem__(self, number: int | slice) -> AnalyzeAnswer | list[AnalyzeAnswer]:
        if isinstance(number, slice):
            return [self[index] for index in range(*number.indices(len(self)))]
        index = range(len(self))[number]
        chunk = int(np.searchsorted(self._firsts, index, side="right")) - 1
        return self._chunks[chunk].make_answer(index - int(self._firsts[chunk]))

    def __iter__(self) -> Iterator[AnalyzeAnswer]:
        return (chunk.make_answer(index) for chunk in self._chunks for index in range(len(chunk)))

    @property
    def consistent(self) -> list[bool | None]:
        """The verdict on each board: whether any layout fits; None if not decided in time."""
        return [verdict for chunk in self._chunks for verdict in chunk.list_verdicts()]

    @property
    def counts(self) -> list[int | None]:
        """The exact number of layouts of each board; None where it was not counted in time."""
        return [layout_count for chunk in self._chunks for layout_count in chunk.list_counts()]

    @property
    def probabilities(self) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """The chance of a mine in each unknown cell: exactly 0 or 1 only where it is forced.

        float64 (boards, height, width) if all boards have one size, else a list of arrays (height,
        width). NaN in known cells, and on boards whose chances are not known.
        """
        arrays = [chances for chunk in self._chunks for chances in chunk.list_chances()]
        return (
            np.stack(arrays)
            if arrays and len({chances.shape for chances in arrays}) == 1
            else arrays
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return what data frames take: a list for each column, with an entry for each board.

        The columns are ``consistent``, ``count`` in decimal digits (frames have no integers of any
        size), ``complete``, ``solver``, the numbers of cells that are ``forced_mines`` and
        ``forced_safe``, and the unknown cell with the smallest chance of a mine: ``safest_row``,
        ``safest_col`` and ``safest_probability``.
        """
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for answer in self:
            forced, safest = answer.forced, answer.safest
            row = (
                *(answer.consistent, format_integer(answer.count), answer.complete, answer.method),
                *((None, None) if forced is None else (len(forced.mines), len(forced.safe))),
                *((*safest[0][0], safest[0][1]) if safest else (None, None, None)),
            )
            for name, value in zip(_COLUMNS, row, strict=True):
                columns[name].append(value)
        return columns

    def __repr__(self) -> str:
        return f"<Analyses of {format_count(len(self), 'board')}>"


class _Chunk:
    """Boards that were solved in one compiled call, and the answers about those that it left."""

    def __init__(
        self, cells: NDArray[np.int8], shapes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> None:
        self.cells = cells
        self.shapes = shapes
        self.totals = totals
        self.ends = shapes.prod(axis=1).cumsum()
        self.alone: dict[int, AnalyzeAnswer] = {}

    def __len__(self) -> int:
        return len(self.shapes)

    def solve(self) -> "_Chunk":
        """Solve what the compiled call takes."""
        started = perf_counter()
        self.solved: SolvedPositions = solve_many(self.cells, self.shapes, self.totals, _MOST_CELLS)
        self.rows: list[list[int]] = self.solved.records.tolist()
        #: The numbers of the boards that the compiled call has left.
        self.left = [index for index, row in enumerate(self.rows) if row[STATE] != SOLVED]
        self.seconds = (perf_counter() - started) / len(self)
        return self

    def board_at(self, number: int) -> Board:
        """Return a board."""
        height, width = self.shapes[number].tolist()
        end = int(self.ends[number])
        return Board.read_only(self.cells[end - height * width : end].reshape(height, width))

    def total_at(self, number: int) -> int | None:
        """Return the total of a board, None for none."""
        total = int(self.totals[number])
        return None if total == ANY else total

    def make_answer(self, number: int) -> AnalyzeAnswer:
        """Return the answer about a board."""
        if number in self.alone:
            return self.alone[number]
        position = make_position(self.rows, number, self.solved)
        answer = answer_from_position(Analyze, position, None)
        assert isinstance(answer, AnalyzeAnswer), "as the position is complete"
        answer.elapsed = self.seconds
        options = {"mines": self.total_at(number), "by_mines": None}
        answer.presenter = AnsweredQuestion(Analyze, self.board_at(number), options)
        return answer

    def list_verdicts(self) -> list[bool | None]:
        """Return whether the boards are consistent."""
        return [
            self.alone[index].consistent if index in self.alone else True
            for index in range(len(self))
        ]

    def list_counts(self) -> list[int | None]:
        """Return the numbers of layouts."""
        layout_counts: list[int | None] = []
        for number, counts in enumerate(self.solved.counts):
            if number in self.alone:
                layout_counts.append(self.alone[number].count)
            else:
                assert counts is not None, "as it was solved"
                layout_counts.append(counts.count)
        return layout_counts

    def list_chances(self) -> list[NDArray[np.float64]]:
        """Return the chances of mines, (height, width) each."""
        chances, ends = spread_chances(self.solved), self.solved.records[:, CELLS_END]
        arrays = []
        for number, (height, width) in enumerate(self.shapes.tolist()):
            if number not in self.alone:
                end = int(ends[number])
                arrays.append(chances[end - height * width : end].reshape(height, width))
                continue
            unsolved_chances = self.alone[number].probabilities
            arrays.append(
                np.full((height, width), np.nan) if unsolved_chances is None else unsolved_chances
            )
        return arrays


def _analyze_all(
    cells: NDArray[np.int8],
    shapes: NDArray[np.int64],
    totals: NDArray[np.int64],
    deadline: float | None,
    report: ReportBoards,
) -> Analyses:
    """Solve chunks on all cores, and then what they leave, board by board."""
    chunks = list(_cut_chunks(cells, shapes, totals))
    done, boards = 0, len(shapes)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for chunk in threads.map(_Chunk.solve, chunks):
            done += len(chunk) - len(chunk.left)
            report(done, boards)
    first = 0
    for chunk in chunks:
        for number in chunk.left:
            with _naming_board(first + number):
                chunk.alone[number] = analyze(
                    chunk.board_at(number), chunk.total_at(number), deadline=deadline
                )
            done += 1
            report(done, boards)
        first += len(chunk)
    return Analyses(chunks)


def _cut_chunks(
    cells: NDArray[np.int8],
    shapes: NDArray[np.int64],
    totals: NDArray[np.int64],
    chunk_cells: int = _CHUNK_CELLS,
) -> Iterator[_Chunk]:
    """Cut boards into chunks of about ``chunk_cells`` cells."""
    ends = shapes.prod(axis=1).cumsum()
    begin = cell = 0
    while begin < len(shapes):
        end = max(begin + 1, int(np.searchsorted(ends, cell + chunk_cells, side="right")))
        last = int(ends[end - 1])
        yield _Chunk(cells[cell:last], shapes[begin:end], totals[begin:end])
        begin, cell = end, last


def _lay_out(
    boards: Iterable[BoardLike] | NDArray[Any], symbols: Mapping[str, str] | None
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return the codes of all cells, one board after the other, and the shapes of the boards."""
    if hasattr(boards, "__array__"):
        array = np.asarray(boards)
        if array.ndim == 3 and array.size:
            shapes = np.tile(np.array(array.shape[1:], np.int64), (len(array), 1))
            return read_cells(array, symbols).reshape(-1), shapes
        if array.ndim != 1:
            raise QuestionError(
                "boards",
                f"An array of the shape {array.shape} does not hold boards. Give an array of the "
                "shape (boards, rows, columns), or the one column that has the boards, such as "
                'frame["board"].',
            )
        boards = array.tolist()
    if isinstance(boards, str):
        raise QuestionError("boards", "One text is one board. Give a list of boards.")
    if not isinstance(boards, Iterable):
        raise QuestionError("boards", "boards is not a list of boards. Give a list, or an array.")
    read: list[Board] = []
    for number, board in enumerate(boards):
        with _naming_board(number):
            if not hasattr(board, "__len__") and is_missing(board):
                raise BoardError("board-type", "It is missing.", "Leave it out, or give a board.")
            read.append(parse(board, symbols=symbols))
    if not read:
        return np.empty(0, np.int8), np.empty((0, 2), np.int64)
    cells = np.concatenate([board.cells.reshape(-1) for board in read])
    cells.setflags(write=False)
    return cells, np.array([board.shape for board in read], np.int64)


def _read_totals(
    mines: int | Sequence[int | None] | NDArray[Any] | None, boards: int
) -> NDArray[np.int64]:
    """Return the total of each board, ANY where there is none."""
    text: object = mines
    several = hasattr(mines, "__len__") or hasattr(mines, "__array__")
    if mines is None or isinstance(text, str) or not several:
        return np.full(boards, ANY if mines is None else _read_total(mines), np.int64)
    values = mines.tolist() if isinstance(mines, np.ndarray) else list(mines)  # type: ignore[arg-type]
    if len(values) != boards:
        raise QuestionError(
            "mines",
            f"mines has {format_count(len(values), 'total')} for {format_count(boards, 'board')}. "
            "Give one for each board, or one number for all.",
        )
    totals = np.empty(boards, np.int64)
    for number, total in enumerate(values):
        with _naming_board(number):
            totals[number] = ANY if is_missing(total) else _read_total(total)
    return totals


def _read_total(value: object) -> int:
    """Return a total, which may be a whole float, as frames with missing totals have them."""
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    total = read_mines(whole)
    if not 0 <= total < 2**31:
        raise QuestionError("mines", f"{total} is not a number of mines. Send 0 or more.")
    return total


@contextmanager
def _naming_board(number: int) -> Iterator[None]:
    """Say in errors which board they are about, within a context."""
    try:
        yield
    except BoardError as error:
        detail = f"Board {number}: {error.detail}"
        raise BoardError(error.code, detail, error.fix, error.row, error.col) from error
    except QuestionError as error:
        raise QuestionError(error.field, f"Board {number}: {error.detail}") from error
    except TypeError as error:
        raise TypeError(f"Board {number}: {error}") from error


@contextmanager
def _report_to(progress: bool | ReportBoards) -> Iterator[ReportBoards]:
    """Yield the function to call as boards are done, within a context."""
    if not isinstance(progress, bool):
        yield progress
        return
    # Only those who want to see progress need it.
    from rich.progress import Progress

    with Progress(disable=not progress) as shown:
        bar = shown.add_task("Boards", total=None)
        yield lambda done, total: shown.update(bar, completed=done, total=total)
