"""Minesweeper puzzles of LEGUP, an editor of proofs: XML with one element for each cell.

The cells are in `Legup/puzzle/board/cells`. The value of a cell is -2 if it is unset, -1 for a
mine, 0 if it is empty, and 1 to 8 for a clue; cells that are left out are unset. An empty cell is
safe and says nothing about its neighbours, so it is not a clue 0. Goals and proofs are not read.
Source: MinesweeperImporter.java, MinesweeperCellFactory.java, MinesweeperTileData.java and
TooManyMinesContradictionRule.java of Bram-Hub/LEGUP.
"""

import re
from collections.abc import Mapping
from typing import Final
from xml.parsers import expat

import numpy as np

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, Cells
from minecheck.minefield.formats import grid
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.layout import Layout
from minecheck.minefield.openings import dilate_cells

NAME: Final = "legup"

_BEGIN: Final = re.compile(r"\s*+(?:<\?xml[^>]{0,200}>\s*+)?<Legup[\s/>]")
_PUZZLE: Final = "Minesweeper"
#: The elements around a cell and the cell, from the outermost in.
_PATH: Final = ("Legup", "puzzle", "board", "cells", "cell")
_INTEGER: Final = re.compile(r"-?[0-9]{1,9}")
_VALUES: Final = {-2: UNKNOWN, -1: MINE, 0: SAFE} | {clue: clue for clue in range(1, 9)}
_WRITTEN: Final = {code: value for value, code in _VALUES.items()}
_LARGEST_CLUE: Final = 8
#: Elements in each other; the program writes seven at most.
_DEEPEST: Final = 100
#: No cell was read there.
_NOTHING: Final = -1


def is_recognised(text: str) -> bool:
    """Return True if a text begins as the files of the program do."""
    return _BEGIN.match(text) is not None


def read(data: bytes | str, most: int) -> Opened:
    """Read the board of a puzzle, and its layout if every cell is set and the numbers agree.

    Raises:
        FormatError: it is not XML, has a document type, is another puzzle, or has no board; or an
            attribute is wrong, or a cell is off the board or there twice.
    """
    text = grid.decode_text(data)
    reader = _Reader(most)
    try:
        reader.parse(text)
    except expat.ExpatError as error:
        raise FormatError(
            "invalid-xml",
            f"The file is not well-formed XML: {expat.ErrorString(error.code)}, at line "
            f"{error.lineno}, column {error.offset + 1}.",
            "Send the whole file as the program saved it.",
        ) from None
    cells = reader.finish()
    board = Board(cells)
    layout = None
    if not np.any(cells == UNKNOWN):
        solution = Layout(cells == MINE)
        layout = solution if solution.fits_board(board) else None
    return Opened(board, layout)


def write(opened: Opened) -> str:
    """Write a board, or else a layout with all its numbers.

    The program has no clue 0: such a cell and its unknown neighbours are written as empty, which
    says the same.

    Raises:
        FormatError: there is neither; or the board has flags, or a mine beside a clue 0.
    """
    cells = opened.to_board().cells
    zeros = cells == 0
    beside = dilate_cells(zeros)
    grid.require_writable(cells == FLAG, "flag", "Make it unknown")
    if opened.board is not None:
        grid.require_writable(beside & (cells == MINE), "mine beside a clue 0", "Correct the clue")
    shown = np.where(zeros | (beside & (cells == UNKNOWN)), np.int8(SAFE), cells)
    height, width = cells.shape
    lines = [
        f'                <cell value="{_WRITTEN[int(shown[row, col])]}" x="{col}" y="{row}"/>'
        for row, col in np.argwhere(shown != UNKNOWN).tolist()
    ]
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
            '<Legup version="2.0.0">',
            f'    <puzzle name="{_PUZZLE}">',
            f'        <board height="{height}" width="{width}">',
            "            <cells>",
            *lines,
            "            </cells>",
            "        </board>",
            "    </puzzle>",
            '    <solved isSolved="false" lastSaved="--"/>',
            "</Legup>",
            "",
        ]
    )


class _Reader:
    """A parser of one file: it keeps the cells, and of the XML only how deep it is.

    The ``matched`` outermost elements around what the parser reads are those of `_PATH`.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._depth = 0
        self._matched = 0
        self._cells: Cells | None = None
        # No namespaces, and the encoding is known: a declaration cannot choose another one.
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._reject_document_type

    def parse(self, text: str) -> None:
        """Parse the whole file.

        Raises:
            ExpatError: it is not well-formed.
            FormatError: as for `read`.
        """
        self._parser.Parse(text.encode("utf-8", "surrogatepass"), True)

    def finish(self) -> Cells:
        """Return the cells, int8 of shape (height, width).

        Raises:
            FormatError: there was no board.
        """
        if self._cells is None:
            raise FormatError(
                "no-board",
                "The file has no element board in Legup and puzzle.",
                "Save the puzzle again.",
            )
        return np.where(self._cells == _NOTHING, np.int8(UNKNOWN), self._cells)

    def _reject_document_type(self, *_: object) -> None:
        raise FormatError(
            "invalid-xml",
            f"The file has a document type declaration, at line "
            f"{self._parser.CurrentLineNumber}; the program writes none.",
            "Leave out <!DOCTYPE and all entities.",
        )

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        depth = self._depth
        if depth == _DEEPEST:
            raise FormatError(
                "invalid-xml",
                f"More than {_DEEPEST} elements are in each other, at line "
                f"{self._parser.CurrentLineNumber}.",
                "Send the file as the program saved it.",
            )
        if depth == 0 and name != _PATH[0]:
            raise FormatError(
                "wrong-head", f"The file is <{name[:40]}>, not <Legup>.", "Send a file of LEGUP."
            )
        self._depth += 1
        if depth == self._matched < len(_PATH) and name == _PATH[depth]:
            self._matched += 1
            if name == "cell":
                self._set_cell(attributes)
            elif name == "board":
                self._begin_board(attributes)
            elif name == "puzzle":
                self._check_puzzle(attributes.get("name", ""))

    def _end(self, _: str) -> None:
        self._depth -= 1
        self._matched = min(self._matched, self._depth)

    def _check_puzzle(self, name: str) -> None:
        if name != _PUZZLE:
            raise FormatError(
                "wrong-head",
                f"The puzzle is {name[:40]!r}, not {_PUZZLE}.",
                f"Send a puzzle of {_PUZZLE}.",
            )

    def _begin_board(self, attributes: Mapping[str, str]) -> None:
        if self._cells is not None:
            raise self._make_repeated_error("The element board")
        size = "size" if attributes.get("size") else ""
        height = self._read_integer("board", attributes, size or "height")
        width = self._read_integer("board", attributes, size or "width")
        grid.check_size(height, width, self._most)
        self._cells = np.full((height, width), _NOTHING, np.int8)

    def _set_cell(self, attributes: Mapping[str, str]) -> None:
        cells = self._cells
        assert cells is not None  # the path has a board
        height, width = cells.shape
        value = self._read_integer("cell", attributes, "value")
        col = self._read_integer("cell", attributes, "x")
        row = self._read_integer("cell", attributes, "y")
        if not (0 <= row < height and 0 <= col < width):
            raise FormatError(
                "wrong-size",
                f"The cell with x={col} and y={row}, at line {self._parser.CurrentLineNumber}, is "
                f"not on a board of {width} by {height}.",
                "Correct the cell, or the size of the board.",
                row=row,
                col=col,
            )
        if value not in _VALUES:
            raise FormatError(
                "clue-too-large" if value > _LARGEST_CLUE else "unknown-symbol",
                f"The cell at row {row}, column {col} has the value {value}.",
                "Values are -2 for an unset cell, -1 for a mine, 0 for an empty cell, 1 to 8.",
                row=row,
                col=col,
            )
        if cells[row, col] != _NOTHING:
            raise self._make_repeated_error(f"The cell with x={col} and y={row}", row, col)
        cells[row, col] = _VALUES[value]

    def _read_integer(self, element: str, attributes: Mapping[str, str], name: str) -> int:
        value = attributes.get(name, "")
        if not _INTEGER.fullmatch(value):
            fault = f"is {value[:40]!r}" if name in attributes else "is missing"
            raise FormatError(
                "wrong-field",
                f"The attribute {name} of <{element}>, at line "
                f"{self._parser.CurrentLineNumber}, {fault}.",
                f'Write a whole number, as in {name}="1".',
            )
        return int(value)

    def _make_repeated_error(
        self, element: str, row: int | None = None, col: int | None = None
    ) -> FormatError:
        return FormatError(
            "wrong-line",
            f"{element} appears twice, the second time at line {self._parser.CurrentLineNumber}.",
            "Keep one of the two.",
            row=row,
            col=col,
        )
