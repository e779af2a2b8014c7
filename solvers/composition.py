"""The way in which the clues of a board are chosen.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from minecheck.minefield.layout import Layout


class Keep(StrEnum):
    """The facts about the original board that a composed board has to preserve.

    LAYOUT: that no other layout fits. FORCED: the verdict, and all that is known of cells.
    SOLVABLE: that people can find the layout by steps up to a grade.
    """

    LAYOUT = "layout"
    FORCED = "forced"
    SOLVABLE = "solvable"


class Symmetry(StrEnum):
    """The symmetry group of the cells with clues."""

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
    """A way to choose clues.

    ``difficulty`` is the label of a `solvers.reasons.deduction.Level`, for `Keep.SOLVABLE`.
    ``reveals`` is how many hidden clues to return at most, those that would decide most; on
    ``layout`` if it is given.
    """

    keep: Keep = Keep.FORCED
    difficulty: str | None = None
    symmetry: Symmetry = Symmetry.NONE
    leave: Leave = Leave.UNKNOWN
    reveals: int = 0
    layout: Layout | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The same as options of a question."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
