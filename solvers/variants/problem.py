"""A variant as boxes of cells that only their sums tell apart, whatever its clues allow."""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

import numpy as np

from minefield.board import MINE
from minefield.topology import NOBODY
from minefield.variant import Clue, Variant


@dataclass(frozen=True, slots=True)
class Box:
    """Cells with the same clues, each of which holds ``least`` to ``least + span`` mines.

    Mines above ``least`` are called spare: only how many of them a box holds matters to its clues.
    They are known to be ``low`` to ``high``.
    """

    cells: tuple[int, ...]
    clues: tuple[int, ...]
    least: int
    span: int
    low: int
    high: int

    @property
    def capacity(self) -> int:
        """The most spare mines that fit in."""
        return len(self.cells) * self.span

    @property
    def ways(self) -> tuple[int, ...]:
        """In how many ways so many spare mines lie in its cells."""
        return arrangements(len(self.cells), self.span)


@dataclass(frozen=True, slots=True)
class Problem:
    """Boxes with clues, the ``loose`` ones without, and what the clues allow.

    Boxes whose spare mines are known in number are ``decided``, and sure. Clue k allows
    ``clues[k]`` mines, of which ``sure[k]`` lie around it in every layout. ``lies`` are the least
    and the most clues that are wrong. Of all mines on the board ``sure_mines`` are in every
    layout; ``spare`` is what the total leaves to the boxes, None without a total.
    """

    boxes: tuple[Box, ...]
    loose: tuple[Box, ...]
    decided: tuple[Box, ...]
    clues: tuple[Clue, ...]
    sure: tuple[int, ...]
    lies: tuple[int, int]
    sure_mines: int
    spare: int | None

    @classmethod
    def of(cls, variant: Variant, mines: int | None = None) -> "Problem":
        """What a variant asks, with so many mines in all if they are known."""
        codes = variant.cells.ravel()
        around = variant.around_clues
        known = codes == MINE
        # Of nobody the last place is read, which counts for nothing.
        sure = np.append(known, False)[around].sum(axis=1)
        seen_by: dict[int, list[int]] = {
            cell: []
            for cell in np.flatnonzero(
                variant.unknown.ravel() | (known & (variant.most > 1))
            ).tolist()
        }
        for clue, cell in np.argwhere(around != NOBODY).tolist():
            seen_by.get(int(around[clue, cell]), []).append(clue)
        boxes = []

        def alike(cell: int) -> tuple[list[int], bool]:
            return seen_by[cell], bool(known[cell])

        for (clues, is_mine), cells in groupby(sorted(seen_by, key=alike), alike):
            least, among = int(is_mine), tuple(cells)
            span = variant.most - least
            boxes.append(Box(among, tuple(clues), least, span, 0, len(among) * span))
        sure_mines = int(np.count_nonzero(known))
        found = cls(
            tuple(box for box in boxes if box.clues),
            tuple(box for box in boxes if not box.clues),
            (),
            tuple(variant.clues.values()),
            tuple(sure.tolist()),
            variant.lies,
            sure_mines,
            None if mines is None else mines - sure_mines,
        )
        # A clue that may lie says nothing by itself.
        return found._propagated() if variant.lies == (0, 0) else found

    def _propagated(self) -> "Problem":
        """The same with closer bounds of the boxes, those that are decided taken out."""
        low, high = [box.low for box in self.boxes], [box.high for box in self.boxes]
        among: list[list[int]] = [[] for _ in self.clues]
        for place, box in enumerate(self.boxes):
            for clue in box.clues:
                among[clue].append(place)
        waiting = dict.fromkeys(range(len(self.clues)))
        while waiting:
            clue, _ = waiting.popitem()
            places, allowed = among[clue], self.clues[clue]
            least = self.sure[clue] + sum(low[place] for place in places)
            most = self.sure[clue] + sum(high[place] for place in places)
            if least > allowed.high or most < allowed.low:
                # The sweep will find nothing.
                break
            for place in places:
                fewest = max(low[place], allowed.low - most + high[place])
                fullest = min(high[place], allowed.high - least + low[place])
                if (fewest, fullest) != (low[place], high[place]):
                    most += fullest - high[place]
                    least += fewest - low[place]
                    low[place], high[place] = fewest, fullest
                    waiting.update(dict.fromkeys(self.boxes[place].clues))
        boxes = [
            replace(box, low=low[place], high=high[place]) for place, box in enumerate(self.boxes)
        ]
        decided = [box for box in boxes if box.low == box.high]
        sure, mines = list(self.sure), sum(box.low for box in decided)
        for box in decided:
            for clue in box.clues:
                sure[clue] += box.low
        return replace(
            self,
            boxes=tuple(box for box in boxes if box.low != box.high),
            decided=tuple(decided),
            sure=tuple(sure),
            sure_mines=self.sure_mines + mines,
            spare=None if self.spare is None else self.spare - mines,
        )


@lru_cache(64)
def arrangements(cells: int, span: int) -> tuple[int, ...]:
    """The coefficients of (1 + x + … + x^span)^cells: ways to lay so many mines, up to all."""
    found = [1]
    # With P = p^n and p = 1 + x + … + x^s, p P' = n p' P gives each coefficient from s before it.
    for mines in range(1, cells * span + 1):
        terms = range(1, min(span, mines) + 1)
        total = sum(((cells + 1) * step - mines) * found[mines - step] for step in terms)
        found.append(total // mines)
    return tuple(found)
