"""The time of `solvers.analyze` per cell on growing boards, and the count of a million cells.

The public call is timed, from the text of a board to its count, chances and forced cells,
each of them read; in processor time, boards of all sizes in turn.
"""

from itertools import product
from statistics import median
from time import process_time

from benchmarks.positions import board_and_layout, random_board
from benchmarks.timing import Action, kept
from minecheck.minefield import draw, parse
from minecheck.solvers import analyze, count

#: Sides, the part of the safe cells that is shown, boards of each; one mine in five cells.
_SIDES = (32, 100, 316)
_SHOWN = (0.3, 0.4, 0.5)
_SEEDS = range(1, 6)
_ROUNDS = 3
#: No board with a total is larger: it would take minutes.
_LARGEST_WITH_TOTAL = 100


def run() -> None:
    """Measure growth without a total and with one, and the count."""
    for with_total in (False, True):
        for shown in _SHOWN:
            _growth(shown, with_total)
    text = draw(random_board(1000, 1000, 0.2, 0.4, 1))
    taken = _seconds(lambda: count(parse(text)).count)
    print(f"  count 1000x1000, 40% shown: {taken:.1f} s{kept(taken, 10)}")


def _growth(shown: float, with_total: bool) -> None:
    """Print how many times the time a cell of the smallest board is that of the others."""
    sides = [side for side in _SIDES if side <= _LARGEST_WITH_TOTAL or not with_total]
    boards = []
    for seed, side in product(_SEEDS, sides):
        board, layout = board_and_layout(side, side, 0.2, shown, seed)
        boards.append((side, draw(board), layout.total if with_total else None))
    rounds = [[_a_cell(side, text, mines) for side, text, mines in boards] for _ in range(_ROUNDS)]
    best = [min(taken) for taken in zip(*rounds, strict=True)]
    cells = {
        side: [taken for board, taken in zip(boards, best, strict=True) if board[0] == side]
        for side in sides
    }
    least = median(cells[sides[0]])
    for side in sides[1:]:
        growths = sorted(taken / least for taken in cells[side])
        print(
            f"  analyze {side}x{side}, {shown:.0%} shown{', with its total' * with_total}: "
            f"{median(growths):.2f} ({growths[0]:.2f}..{growths[-1]:.2f}) times the time a cell "
            f"of {sides[0]}x{sides[0]} ({least * 1e6:.2f} us){kept(median(growths), 4)}",
            flush=True,
        )


def _a_cell(side: int, text: list[str], mines: int | None) -> float:
    """Seconds a cell of one analysis; small boards are timed some times in a row."""

    def analysed() -> None:
        found = analyze(parse(text), mines)
        assert found.count is not None
        assert found.probabilities is not None
        assert found.forced is not None

    return min(_seconds(analysed) for _ in range(1 if side > 100 else 3)) / (side * side)


def _seconds(action: Action) -> float:
    """Processor time of one call."""
    started = process_time()
    action()
    return process_time() - started
