"""Boards to test with: the papers' own, and Hypothesis strategies for small ones."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.rules import Rule
from tests import oracle
from tests.oracle import Cell

_DATA = json.loads((Path(__file__).parent / "data" / "boards.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Case:
    """A board from a paper and its right answers (not always those of the paper)."""

    id: str
    source: str
    rows: tuple[str, ...]
    consistent: bool
    layouts: int
    by_mines: dict[int, int]
    forced_mines: frozenset[Cell]
    forced_safe: frozenset[Cell]

    @property
    def unknown(self) -> int:
        """Number of unknown cells."""
        return sum(row.count("?") for row in self.rows)

    def __str__(self) -> str:
        return self.id


def _cells(pairs: list[list[int]]) -> frozenset[Cell]:
    return frozenset((row, col) for row, col in pairs)


#: All boards of the papers: ``@pytest.mark.parametrize("case", CASES, ids=str)``.
CASES = [
    Case(
        case["id"],
        case["source"],
        tuple(case["rows"]),
        case["consistent"],
        case["layouts"],
        {int(mines): count for mines, count in case["by_mines"].items()},
        _cells(case["forced_mines"]),
        _cells(case["forced_safe"]),
    )
    for case in _DATA["boards"]
]

#: Those of `CASES` that the oracle can answer.
SMALL_CASES = [case for case in CASES if case.unknown <= oracle.MOST_UNKNOWN]

CASE = {case.id: case for case in CASES}

#: The sixteen layouts that Kadlac prints for his first board, `??` over `??`.
BOARD_1_LAYOUTS = [tuple(rows) for rows in _DATA["board_1_layouts"]]

_MOST_UNKNOWN = 12


@st.composite
def layout_boards(draw: st.DrawFn, side: int = 4) -> Board:
    """Consistent boards: a layout of which some cells are hidden."""
    height = draw(st.integers(1, side))
    width = draw(st.integers(1, side))
    cells = [(row, col) for row in range(height) for col in range(width)]
    mines = {cell for cell in cells if draw(st.integers(0, 3)) == 3}
    # Most cells show themselves or are hidden; few are flags or only known to be safe.
    looks = draw(
        st.lists(st.sampled_from("??????.....SF"), min_size=len(cells), max_size=len(cells))
    )
    board = np.empty((height, width), dtype=np.int8)
    hidden = 0
    for cell, look in zip(cells, looks, strict=True):
        hidden += look in "?F"
        if look in "?F" and hidden <= _MOST_UNKNOWN:
            board[cell] = UNKNOWN if look == "?" else FLAG
        elif cell in mines:
            board[cell] = MINE
        elif look == "S":
            board[cell] = SAFE
        else:
            board[cell] = sum(near in mines for near in oracle.neighbours(cell, height, width))
    return Board(board)


@st.composite
def changed_boards(draw: st.DrawFn, side: int = 4) -> Board:
    """Near misses: a consistent board of which one or two cells were changed."""
    cells = draw(layout_boards(side)).cells.copy()
    for _ in range(draw(st.integers(1, 2))):
        row = draw(st.integers(0, cells.shape[0] - 1))
        col = draw(st.integers(0, cells.shape[1] - 1))
        code = int(cells[row, col])
        if code <= 8:
            cells[row, col] = draw(st.sampled_from([max(code - 1, 0), min(code + 1, 8)]))
        else:
            cells[row, col] = draw(st.sampled_from([0, 1, 2, 3, MINE, SAFE]))
    return Board(cells)


@st.composite
def random_boards(draw: st.DrawFn, side: int = 4) -> Board:
    """Any cells at all, most of them inconsistent."""
    height = draw(st.integers(1, side))
    width = draw(st.integers(1, side))
    codes = [UNKNOWN] * 6 + [0, 1, 1, 2, 2, 3, 4, 5, 8, MINE, SAFE, FLAG]
    cells = draw(st.lists(st.sampled_from(codes), min_size=height * width, max_size=height * width))
    unknown = [index for index, code in enumerate(cells) if code in (UNKNOWN, FLAG)]
    for index in unknown[_MOST_UNKNOWN:]:
        cells[index] = SAFE
    return Board(np.array(cells, dtype=np.int8).reshape(height, width))


@st.composite
def strip_boards(
    draw: st.DrawFn,
    heights: st.SearchStrategy[int] | None = None,
    cells: int = 18,
    unknown: int = 10,
) -> Board:
    """Strips with at most so many cells and unknown cells: a layout of which cells are hidden.

    Most have a clue changed, which leaves two in three consistent. ``heights`` are 1 to 6 unless
    given.
    """
    height = draw(st.integers(1, 6) if heights is None else heights)
    longest = max(1, cells // height)
    width = draw(st.integers(1, longest) | st.just(longest))
    size = height * width
    mines = np.array(
        draw(st.lists(st.sampled_from([False, False, True]), min_size=size, max_size=size))
    )
    looks = draw(
        st.sampled_from(["?.", "????.", "???..SF"]).flatmap(
            lambda kinds: st.lists(st.sampled_from(kinds), min_size=size, max_size=size)
        )
    )
    layout = Layout(mines.reshape(height, width))
    board = np.where(layout.mines, np.int8(MINE), layout.count_neighbours())
    for index, look in enumerate(looks):
        at = divmod(index, width)
        if look == "S" and not layout.mines[at]:
            board[at] = SAFE
        elif look in "?F" and unknown:
            board[at] = UNKNOWN if look == "?" else FLAG
            unknown -= 1
    clues = np.argwhere(board <= 8).tolist()
    if clues and draw(st.sampled_from([True, True, False])):
        row, col = draw(st.sampled_from(clues))
        board[row, col] = min(max(board[row, col] + draw(st.sampled_from([-2, -1, 1, 2])), 0), 8)
    return Board(board)


def lattice(side: int) -> Board:
    """A 3 wherever row and column are odd, everything else unknown."""
    cells = np.full((side, side), UNKNOWN, np.int8)
    cells[1::2, 1::2] = 3
    return Board(cells)


def dominoes(squares: NDArray[np.bool_]) -> Board:
    """Layouts are the tilings of these squares with dominoes, (height, width).

    A 1 stands for each square, and an unknown cell between two for a domino on them.
    """
    height, width = squares.shape
    cells = np.full((2 * height - 1, 2 * width - 1), SAFE, np.int8)
    cells[::2, ::2][squares] = 1
    cells[1::2, ::2][squares[1:] & squares[:-1]] = UNKNOWN
    cells[::2, 1::2][squares[:, 1:] & squares[:, :-1]] = UNKNOWN
    return Board(cells)


def chessboard(side: int, mutilated: bool = False) -> NDArray[np.bool_]:
    """The squares of a chessboard, or of one that lacks two opposite corners."""
    squares = np.ones((side, side), np.bool_)
    squares[0, 0] = squares[-1, -1] = not mutilated
    return squares


def aztec_diamond(order: int) -> NDArray[np.bool_]:
    """The squares of the Aztec diamond: it has 2^(n(n+1)/2) tilings."""
    middle = np.abs(np.arange(2 * order) - order + 0.5)
    squares: NDArray[np.bool_] = middle[:, None] + middle <= order
    return squares


def hidden_layout(height: int, width: int, hidden: float, seed: int) -> Board:
    """A layout with a mine in each fourth cell, of which this part is hidden, both at random."""
    random = np.random.default_rng(seed)
    layout = Layout(random.random((height, width)) < 0.25)
    cells = np.where(layout.mines, np.int8(MINE), layout.count_neighbours())
    return Board(np.where(random.random(cells.shape) < hidden, np.int8(UNKNOWN), cells))


def small_boards(side: int = 4) -> st.SearchStrategy[Board]:
    """Boards up to 4x4 with at most 12 unknown cells, about half of them surely consistent."""
    return st.one_of(
        layout_boards(side), layout_boards(side), changed_boards(side), random_boards(side)
    )


def mines_totals(board: Board) -> st.SearchStrategy[int]:
    """Totals of mines, from one too few to one too many, often those at the ends."""
    known = int(np.count_nonzero(board.cells == MINE))
    unknown = int(np.count_nonzero(board.unknown))
    return st.sampled_from([known, known + unknown]) | st.integers(
        max(0, known - 1), known + unknown + 1
    )


@st.composite
def boards_with_totals(draw: st.DrawFn) -> tuple[Board, int | None]:
    """A small board with a total of mines, or with None."""
    board = draw(small_boards())
    return board, draw(st.none() | mines_totals(board))


@st.composite
def rule_sets(draw: st.DrawFn) -> tuple[list[Rule], int, int | None]:
    """(rules, number of cells, total of mines or None); the cells are named 0, 1, ...

    Bounds may be vacuous or impossible, and rules may have no cells.
    """
    count = draw(st.integers(0, 9))
    names = st.lists(st.integers(0, count - 1), unique=True, max_size=6) if count else st.just([])
    rules = []
    for _ in range(draw(st.integers(0, 5))):
        cells = tuple(draw(names))
        low = draw(st.integers(-1, len(cells) + 1))
        rules.append(Rule(cells, low, draw(st.integers(low, len(cells) + 2))))
    return rules, count, draw(st.none() | st.integers(0, count + 1))


@st.composite
def positions(draw: st.DrawFn) -> tuple[Board, int | None]:
    """Boards of a game's size and density, partly shown, and perhaps the total."""
    height, width = draw(st.integers(3, 20)), draw(st.integers(3, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layout = Layout(rng.random((height, width)) < draw(st.floats(0, 0.5)))
    shown = ~layout.mines & (rng.random((height, width)) < draw(st.floats(0.3, 1)))
    board = Board(np.where(shown, layout.count_neighbours(), np.int8(UNKNOWN)))
    return board, draw(st.sampled_from([None, layout.total]))


def wire(clues: int) -> str:
    """A row of alternate cells that each clue decides from the one before, up to a wrong end."""
    return "0" + "1?" * (clues - 1) + "1" + ("0" if clues % 2 else "B")
