"""Draw the pictures of the documentation: ``python -m docs.pictures``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from benchmarks import exhaustive
from benchmarks.optimal import Size, load_table
from benchmarks.widths import measured
from minecheck.minefield import Board, draw, parse
from minecheck.solvers import analyze, answer_question
from minecheck.solvers.tasks.explain import Explain

FOLDER = Path(__file__).parent

POSITION = """\
??????100000
??????211110
??22?3?11?10
??1112122321
??100002?3?1
??212112?421
??3?2?333?10
???322??2110
???201221000
"""
MINES = 22
CLUE_COLOURS = [
    "",
    "#1f4ed8",
    "#15803d",
    "#c2410c",
    "#4c1d95",
    "#7f1d1d",
    "#0e7490",
    "#111",
    "#555",
]


def chances() -> None:
    """A position as its player sees it, with the chance of a mine in every unknown cell."""
    board = parse(POSITION)
    found = analyze(board, MINES).probabilities
    assert found is not None
    figure, axes = pyplot.subplots(figsize=(7.2, 5.4))
    colours = matplotlib.colormaps["RdYlGn_r"]
    for (row, col), symbol in _cells(board):
        chance = found[row, col]
        if np.isnan(chance):
            _clue(axes, row, col, symbol)
        else:
            _cell(axes, row, col, colours(0.08 + 0.84 * chance), f"{100 * chance:.0f}")
    _finish(axes, board)
    figure.savefig(FOLDER / "chances.svg", bbox_inches="tight", metadata={"Date": None})


def reasons() -> None:
    """The conflict of a board, and the reasons for a forced cell of another, with the words."""
    figure, panels = pyplot.subplots(1, 2, figsize=(10.5, 3.6))
    for axes, rows, notation, cell in (
        (panels[0], ["?1?2", "2?4?", "?2??", "1???"], "standard", None),
        (panels[1], ["++4-2", "--++-", "+6--3", "++22+"], "probst", (1, 1)),
    ):
        board = parse(rows, notation)
        found = answer_question(Explain(board, cell=cell))
        shown = found.conflict if cell is None else (found.explanations or [])[0].reasons
        assert shown is not None
        for (row, col), symbol in _cells(board):
            if symbol in "?B":
                face = "#fbbf24" if (row, col) == cell else "#d6d3d1"
                _cell(axes, row, col, face, "" if symbol == "?" else "●")
            else:
                _clue(axes, row, col, symbol)
        for row, col in shown.clues:
            outline = (col + 0.05, row + 0.05)
            axes.add_patch(Rectangle(outline, 0.9, 0.9, fill=False, edgecolor="#dc2626", lw=2.5))
        title = "These clues cannot hold together" if cell is None else "These force a mine"
        axes.set_title(title, fontsize=11)
        _finish(axes, board)
    figure.savefig(FOLDER / "reasons.svg", bbox_inches="tight", metadata={"Date": None})


def _cells(board: Board) -> Iterator[tuple[tuple[int, int], str]]:
    for row, symbols in enumerate(draw(board)):
        for col, symbol in enumerate(symbols):
            yield (row, col), symbol


def _cell(axes: Axes, row: int, col: int, face: Any, text: str) -> None:
    axes.add_patch(Rectangle((col, row), 1, 1, facecolor=face, edgecolor="white"))
    axes.text(col + 0.5, row + 0.53, text, ha="center", va="center", fontsize=10, color="#1a1a1a")


def _clue(axes: Axes, row: int, col: int, symbol: str) -> None:
    axes.add_patch(Rectangle((col, row), 1, 1, facecolor="#f4f4f2", edgecolor="white"))
    if symbol != "0":
        axes.text(
            col + 0.5,
            row + 0.53,
            symbol,
            ha="center",
            va="center",
            fontsize=15,
            fontweight="bold",
            color=CLUE_COLOURS[int(symbol)],
        )


def _finish(axes: Axes, board: Board) -> None:
    axes.set(xlim=(0, board.width), ylim=(board.height, 0), aspect="equal")
    axes.axis("off")


def widths() -> None:
    """Largest tables by the side of the board, and time by the largest table."""
    rows = measured()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.5, 3.8))
    for kind, marker, colour in (("random", "o", "#1f4ed8"), ("lattice", "s", "#c2410c")):
        mine = [row for row in rows if row.kind == kind]
        sides = [row.side for row in mine]
        left.plot(sides, [row.line for row in mine], marker + ":", color=colour, alpha=0.5)
        left.plot(sides, [row.tree for row in mine], marker + "-", color=colour, label=kind)
        trees = [row.tree for row in mine]
        right.plot(trees, [row.ours for row in mine], marker, color=colour, label=f"{kind}, ours")
        theirs = [(row.tree, row.ganak) for row in mine if row.ganak]
        right.plot(*zip(*theirs, strict=True), marker, color=colour, alpha=0.3, label="Ganak")
    left.set(xlabel="side of the board", ylabel="largest table, bits (dotted: line)", ylim=(0, 110))
    right.set(xlabel="largest table of the tree, bits", ylabel="seconds", yscale="log")
    for axes in (left, right):
        axes.legend(frameon=False, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(FOLDER / "widths.svg", metadata={"Date": None})


def searching() -> None:
    """Seconds of exhaustive search, and of counting, by the number of squares."""
    rows = list(exhaustive.measured())
    figure, axes = pyplot.subplots(figsize=(6.4, 3.8))
    for kind, colour in zip(exhaustive.PATTERNS, ("#c2410c", "#1f4ed8", "#15803d"), strict=True):
        mine = [row for row in rows if row.kind == kind]
        squares = [row.squares for row in mine]
        axes.plot(squares, [row.search for row in mine], "o-", color=colour, label=kind)
        axes.plot(squares, [row.counting for row in mine], ":", color=colour)
    axes.set(xlabel="squares, in three rows", ylabel="seconds (dotted: counting)", yscale="log")
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(FOLDER / "exhaustive.svg", metadata={"Date": None})


#: Boards of which the chance to win is drawn by first cell, as names in docs/optimal.json.
_FIRST_CELLS = ("3,3,2", "4,4,2", "4,4,4", "4,5,4", "5,5,2", "5,5,3")


def first_cells() -> None:
    """The chance to win small boards by the first cell, which is safe; the best ones are framed."""
    table = load_table()
    figure, grid = pyplot.subplots(2, 3, figsize=(8.4, 5.4))
    colours = matplotlib.colormaps["YlGn"]
    for axes, name in zip(grid.flat, _FIRST_CELLS, strict=True):
        size = Size(*map(int, name.split(",")))
        won = np.array(table[name])
        chances = won / (size.layouts * (1 - size.mines / won.size))
        span = max(float(np.ptp(chances)), 1e-9)
        for (row, col), chance in np.ndenumerate(chances):
            shade = colours(0.1 + 0.6 * (chance - chances.min()) / span)
            _cell(axes, row, col, shade, f"{100 * chance:.1f}")
            if won[row, col] == won.max():
                frame = Rectangle((col + 0.04, row + 0.04), 0.92, 0.92, fill=False, lw=2)
                axes.add_patch(frame)
        axes.set(xlim=(0, size.cols), ylim=(size.rows, 0), aspect="equal")
        axes.set_title(f"{size.rows} x {size.cols}, {size.mines} mines, %", fontsize=10)
        axes.axis("off")
    figure.tight_layout()
    figure.savefig(FOLDER / "optimal.svg", metadata={"Date": None})


if __name__ == "__main__":
    matplotlib.rcParams["svg.hashsalt"] = "minecheck"
    chances()
    reasons()
    widths()
    searching()
    first_cells()
