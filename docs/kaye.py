"""Draw the pictures of docs/kaye.md: ``python -m docs.kaye``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from minecheck.minefield import Board, draw, parse
from minecheck.minefield.board import MINE, SAFE, Cells
from minecheck.solvers import forced
from minecheck.solvers.circuits.circuit import build_circuit
from minecheck.solvers.circuits.formula import parse_formula
from minecheck.solvers.circuits.gadgets import GADGETS, SIDE

FOLDER: Final = Path(__file__).parent
#: Pixels of a cell, and between gadgets.
CELL: Final = 14
GAP: Final = 26
#: Gadgets of the overview, row by row.
SHOWN: Final = (
    ("across", "tap", "tap turned", "first", "last", "bend"),
    ("input", "not", "crossing", "end", "true", "false"),
    ("and", "or", "xor", "implies", "iff"),
)
#: Colours of unknown cells, mines, safe cells and clues; readable on light and dark pages.
FILLS: Final = {
    "?": "#f2b134",
    "B": "#b91c1c",
    "S": "#9bd1a4",
    "0": "#d6d3d1",
    **dict.fromkeys("12345678", "#292524"),
}
OPEN: Final = "#fafaf9"
#: Mines that the board shows.
KNOWN: Final = "#8a8580"


def gadgets() -> str:
    """All gadgets without what another one shows: unknown cells in yellow, known mines dark."""
    pieces = []
    for row, names in enumerate(SHOWN):
        for col, name in enumerate(names):
            x, y = col * (SIDE * CELL + GAP), row * (SIDE * CELL + GAP + 6)
            pieces.append(_text(x, y + 14, name, 12, "start", "#78716c"))
            pieces += _cells(parse(GADGETS[name]).cells, x, y + 20)
    return _svg(6 * (SIDE * CELL + GAP) - GAP, 3 * (SIDE * CELL + GAP + 6), pieces)


def at_work() -> str:
    """A circuit, and the same with two variables set, as far as its cells are forced."""
    made = build_circuit(parse_formula("(a & b) | !c"))
    board = made.board.with_assumption(made.variables["a"][0], True)
    board = board.with_assumption(made.variables["b"][0], False)
    found = forced(board).forced
    assert found is not None
    cells = board.cells.copy()
    for code, coordinates in ((MINE, found.mines), (SAFE, found.safe)):
        for cell in coordinates:
            cells[cell] = code
    pieces: list[str] = []
    width = made.board.width * CELL
    for number, shown in enumerate((made.board.cells, cells)):
        x = number * (width + GAP)
        pieces += _cells(shown, x, 20, made.board.cells)
        for name, (cell, *_) in made.variables.items():
            value = {MINE: " = 1", SAFE: " = 0"}.get(int(shown[cell]), "")
            col = cell[1] // SIDE * SIDE + SIDE // 2
            pieces.append(_text(x + (col + 0.5) * CELL, 14, name + value, 13, "middle", "#78716c"))
    return _svg(2 * width + GAP, made.board.height * CELL + 20, pieces)


def _cells(cells: Cells, x: int, y: int, drawn: Cells | None = None) -> Iterator[str]:
    """The cells of a board; mines that the board ``drawn`` shows are paler."""
    given = cells if drawn is None else drawn
    height, width = cells.shape
    lines = [f"M0 {row * CELL}h{width * CELL}" for row in range(height + 1)]
    lines += [f"M{col * CELL} 0v{height * CELL}" for col in range(width + 1)]
    yield f'<g transform="translate({x} {y})" font-size="10" text-anchor="middle">'
    yield f'<rect width="{width * CELL}" height="{height * CELL}" fill="{OPEN}"/>'
    for row, symbols in enumerate(draw(Board(cells))):
        for col, symbol in enumerate(symbols):
            shown = symbol == "B" and given[row, col] == MINE
            fill = KNOWN if shown else FILLS[symbol]
            if symbol in "?BS":
                box = f'x="{col * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}"'
                yield f'<rect {box} fill="{fill}"/>'
            else:
                left, top = col * CELL + CELL / 2, (row + 1) * CELL - 3.5
                yield f'<text x="{left:g}" y="{top}" fill="{fill}">{symbol}</text>'
    yield f'<path d="{"".join(lines)}" stroke="#d6d3d1" stroke-width=".6"/></g>'


def _text(x: float, y: float, text: str, size: int, anchor: str, fill: str) -> str:
    where = f'x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {where} fill="{fill}">{text}</text>'


def _svg(width: int, height: int, pieces: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
    body = "\n".join(pieces)
    return f'{head} width="{width}" font-family="sans-serif">\n{body}\n</svg>\n'


if __name__ == "__main__":
    (FOLDER / "kaye-gadgets.svg").write_text(gadgets())
    (FOLDER / "kaye-circuit.svg").write_text(at_work())
