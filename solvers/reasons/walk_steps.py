"""The steps of a walk as people read them: cells, names of patterns, and sentences.

Tested in tests/solvers/reasons/test_walk.py.
"""

from typing import Final

from minecheck.minefield.board import Board
from minecheck.minefield.numerals import format_count, join_words
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, TOTAL, Constraints
from minecheck.minefield.rules import Rules
from minecheck.minefield.variant import Variant
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.findings import WalkStep
from minecheck.solvers.reasons.walk import WalkedStep

#: Names of clues side by side in a row or a column, by the mines that they lack.
_IN_A_LINE: Final = {(1, 1): "1-1", (1, 2): "1-2", (1, 2, 1): "1-2-1", (1, 2, 2, 1): "1-2-2-1"}
#: The most cells that a sentence names.
_NAMED: Final = 8


def describe_walk(
    puzzle: Board | Variant | Rules, constraints: Constraints, steps: list[WalkedStep]
) -> list[WalkStep]:
    """Describe the steps of a walk.

    Args:
        puzzle: what the constraints are of.
        constraints: its clues.
        steps: the steps, in order.
    """
    value: dict[int, int] = {}
    described = []
    for step in steps:
        described.append(_describe_step(puzzle, constraints, step, value))
        value |= step.decided
    return described


def _describe_step(
    puzzle: Board | Variant | Rules,
    constraints: Constraints,
    step: WalkedStep,
    value: dict[int, int],
) -> WalkStep:
    width = puzzle.shape[1]
    clues = [clue for clue in step.clues if clue != TOTAL]
    clue_cells = [constraints.locate_clue(clue, puzzle) for clue in clues]
    lacks = [_count_lacking(constraints, clue, value) for clue in clues]
    total = len(clues) < len(step.clues)
    mines, safe = (
        [divmod(cell, width) for cell, held in step.decided.items() if held == kind]
        for kind in (IS_MINE, IS_SAFE)
    )
    is_plane = isinstance(puzzle, Board)
    pattern = None
    if total:
        pattern = "mine counting"
    elif is_plane:
        boxes = [_list_undecided(constraints, clue, value) for clue in clues]
        pattern = _name_pattern(clue_cells, lacks, boxes)
    is_reduced = (
        isinstance(puzzle, Board)
        and pattern in _IN_A_LINE.values()
        and any(
            puzzle.cells[cell] > high for cell, (_, high) in zip(clue_cells, lacks, strict=True)
        )
    )
    return WalkStep(
        [divmod(cell, width) for cell in step.seen],
        clue_cells,
        total,
        mines,
        safe,
        step.uses,
        pattern,
        is_reduced,
        _write_sentence(clue_cells, lacks, total, mines, safe, is_rules=isinstance(puzzle, Rules)),
    )


def _count_lacking(constraints: Constraints, clue: int, value: dict[int, int]) -> tuple[int, int]:
    """Return the fewest and the most mines that a clue still lacks."""
    held = sum(value.get(cell) == IS_MINE for cell in constraints.cells_of(clue).tolist())
    return int(constraints.low[clue]) - held, int(constraints.high[clue]) - held


def _list_undecided(constraints: Constraints, clue: int, value: dict[int, int]) -> set[int]:
    """Return the cells that a clue counts and that are not decided yet."""
    return set(constraints.cells_of(clue).tolist()) - value.keys()


def _name_pattern(
    clue_cells: list[Coordinates], lacks: list[tuple[int, int]], boxes: list[set[int]]
) -> str | None:
    """Return the name of a set of clues on a plane board, None if it has none.

    Args:
        clue_cells: the cells of the clues.
        lacks: the fewest and the most mines that each of them lacks.
        boxes: the undecided cells that each of them counts.
    """
    if len(clue_cells) == 1:
        return "single clue"
    return _name_line(clue_cells, lacks) or ("box" if _are_boxes(boxes) else None)


def _are_boxes(boxes: list[set[int]]) -> bool:
    """Return True if taking boxes away from a box leaves the cells that clues decide.

    Two clues that decide a cell together differ by as many mines as one of them has cells of its
    own, or fewer clues would be enough. Of more, the boxes are in one of them, apart.
    """
    if len(boxes) == 2:
        return True
    largest = max(boxes, key=len)
    inner = [box for box in boxes if box is not largest]
    united = set[int]().union(*inner)
    return united <= largest and len(united) == sum(map(len, inner))


def _name_line(clue_cells: list[Coordinates], lacks: list[tuple[int, int]]) -> str | None:
    """Return the name of clues side by side in a row or a column, None if it has none."""
    ordered = sorted(zip(clue_cells, lacks, strict=True))
    (row, col), _ = ordered[0]
    for down, across in ((0, 1), (1, 0)):
        line = [(row + down * number, col + across * number) for number in range(len(ordered))]
        if [cell for cell, _ in ordered] == line:
            numbers = tuple(high for _, (_, high) in ordered)
            return _IN_A_LINE.get(min(numbers, numbers[::-1]))
    return None


def _write_sentence(
    clue_cells: list[Coordinates],
    lacks: list[tuple[int, int]],
    total: bool,
    mines: list[Coordinates],
    safe: list[Coordinates],
    *,
    is_rules: bool,
) -> str:
    clues = [
        _write_clue(cell, low, high, is_rules=is_rules)
        for cell, (low, high) in zip(clue_cells, lacks, strict=True)
    ]
    clues += ["the total"] if total else []
    result = " and ".join(
        f"{_write_cells(cells, is_rules=is_rules)} {'is' if len(cells) == 1 else 'are'} {kind}"
        for cells, kind in ((safe, "safe"), (mines, "a mine" if len(mines) == 1 else "mines"))
        if cells
    )
    return f"By {join_words(clues)}, {result}."


def _write_clue(cell: Coordinates, low: int, high: int, *, is_rules: bool) -> str:
    which = f"rule {cell[1]}" if is_rules else f"the clue at row {cell[0]}, column {cell[1]}"
    if high <= 0:
        return f"{which} (it has all its mines)"
    need = format_count(high, "more mine") if low == high else f"{low} to {high} more mines"
    return f"{which} (it needs {need})"


def _write_cells(cells: list[Coordinates], *, is_rules: bool) -> str:
    if len(cells) > _NAMED or is_rules:
        return format_count(len(cells), "cell")
    return join_words(f"({row}, {col})" for row, col in cells)
