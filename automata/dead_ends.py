"""Why a path of a machine ends before the board does: clues that cannot hold together.

A column that cannot be read contradicts clues in it and in the column before. Which of them, the
automaton of `automata.profiles` tells: a clue that is taken out asks nothing any more, and as long
as there still is no move, it was not needed.

Tested in tests/automata/test_paths.py.
"""

from functools import lru_cache
from typing import Final

from minecheck.automata import hu_lin
from minecheck.automata.profiles import Profiles
from minecheck.automata.windows import OVERFULL

_CLUES: Final = "012345678"
_REMEMBERED: Final = 1 << 14


def find_profile(machine: str, state: str, column: str) -> str:
    """Return the profile (see `automata.profiles`) that a state stands for after a column of cells.

    Args:
        machine: ``hu-lin``, or ``strip-`` and a width.
        state: one of its states.
        column: the cells that it has read last, from top to bottom; empty at the start.
    """
    if machine != "hu-lin":
        return state
    mines, needs = hu_lin.read_memory(state)
    cells = []
    # Both cells of a column see the same cells, so it does not matter which of two is the mine.
    mines_left = mines - column.count("B")
    for cell in column or "??":
        mined = cell == "B" or (cell == "?" and mines_left > 0)
        mines_left -= cell == "?" and mined
        cells.append("B" if mined else str(needs) if cell in _CLUES else "-")
    return "".join(cells)


def list_unmet_rows(profile: str) -> list[int]:
    """List the rows of the clues that still need mines when the board ends."""
    return [row for row, cell in enumerate(profile) if cell in "123"]


@lru_cache(maxsize=_REMEMBERED)
def find_contradiction(profile: str, column: str) -> tuple[tuple[int, int], ...]:
    """Return clues for which a column cannot follow a profile, none of which can be left out.

    They are found by leaving out one clue after the other, the new ones first.

    Args:
        profile: the state before the column.
        column: its symbols, from top to bottom.

    Returns:
        For each clue 0 for the column of the profile or 1 for the new one, and its row; nothing if
        the column can follow.
    """
    overfull = column.find(OVERFULL)
    if overfull >= 0:
        return ((1, overfull),)
    machine = Profiles(len(profile))
    if machine.follow(profile, column):
        return ()
    conflicting = []
    for side, row in [(side, row) for side in (1, 0) for row in range(len(profile))]:
        cells = (profile, column)[side]
        if cells[row] not in _CLUES:
            continue
        # A clue that is left out is a safe cell that asks nothing.
        without = cells[:row] + "-S"[side] + cells[row + 1 :]
        columns = (profile, without) if side else (without, column)
        if machine.follow(*columns):
            conflicting.append((side, row))
        else:
            profile, column = columns
    return tuple(sorted(conflicting))
