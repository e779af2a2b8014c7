"""Counting a component box by box in plain Python: slow, and sharing nothing with the solvers.

Between two boxes the only thing that matters is how many mines each clue has
seen: that is the state. Its value is the number of layouts so far by mines.
"""

from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import TypeAlias

#: The boxes it is about, the fewest and the most mines.
Clue: TypeAlias = tuple[Sequence[int], int, int]


def by_mines(sizes: Sequence[int], clues: Sequence[Clue], held_in: int = -1) -> dict[int, int]:
    """Layouts by mines, ascending; with ``held_in`` the mines of that box over all layouts."""
    last: dict[int, int] = {}
    for box in range(len(sizes)):
        last |= {clue: box for clue, (boxes, _, _) in enumerate(clues) if box in boxes}
    states: dict[tuple[int, ...], Counter[int]] = {(0,) * len(clues): Counter({0: 1})}
    for box, size in enumerate(sizes):
        after: dict[tuple[int, ...], Counter[int]] = {}
        for state, layouts in states.items():
            for held in range(size + 1):
                seen = tuple(
                    n + held * (box in clue[0]) for n, clue in zip(state, clues, strict=True)
                )
                if not _fits(seen, clues, last, box):
                    continue
                # Complete clues are no longer distinguished.
                seen = tuple(0 if last[clue] == box else n for clue, n in enumerate(seen))
                ways = comb(size, held) * (held if box == held_in else 1)
                found = after.setdefault(seen, Counter())
                for mines, number in layouts.items():
                    found[mines + held] += number * ways
        states = after
    total = states.get((0,) * len(clues), Counter())
    return {mines: number for mines, number in sorted(total.items()) if number}


def _fits(seen: tuple[int, ...], clues: Sequence[Clue], last: dict[int, int], box: int) -> bool:
    """True if no clue has too many mines, and none that ends with ``box`` too few."""
    return all(
        n <= high and (last[clue] != box or n >= low)
        for clue, (n, (_, low, high)) in enumerate(zip(seen, clues, strict=True))
    )
