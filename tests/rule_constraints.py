"""The clues of bare rules, for code that takes `Constraints`."""

from collections.abc import Hashable, Mapping, Sequence

from minecheck.minefield.reduction.constraints import Constraints, Reduction
from minecheck.minefield.rules import Puzzle, Rule, Rules


def build_constraints(
    rules: Sequence[Rule], cells: int | None = None, mines: int | None = None
) -> tuple[Constraints, Mapping[Hashable, int]]:
    """Return the clues, and the number of each named cell."""
    named = Rules(tuple(rules), cells)
    return Constraints.from_position(named, mines), named.number


def reduce_board(puzzle: Puzzle, mines: int | None = None) -> Reduction:
    """Return the reduction of the clues of a board, variant or rules, with a total if given."""
    return Constraints.from_position(puzzle, mines).reduction
