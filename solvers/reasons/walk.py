"""One walk through a position: steps that decide all forced cells, each cell once, easy ones first.

A step is a set of clues that decides cells, given those that earlier steps decided. The fewest
clues come first: all sets of one, two or three clues that share cells are tried before any larger
one. What is decided only makes further steps easier, so no other order has a smaller hardest step,
as long as that takes up to three clues. Cells that need more are decided by their own reasons, of
which clues are left out that earlier steps make needless; hence no step is larger than the largest
reasons of a single cell.

The idea of a sequence of cheapest steps is that of Bogaerts, Gamba and Guns (A framework for
step-wise explaining how to solve constraint satisfaction problems, Artificial Intelligence 2021).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from minecheck.minefield.reduction.constraints import (
    IS_MINE,
    IS_SAFE,
    TOTAL,
    UNDECIDED,
    Constraints,
)
from minecheck.solvers.deadline import Deadline

#: The most clues of a step of which all sets are tried.
MOST_TRIED: Final = 3
#: Ways to fill boxes that are tried for one set of clues; more of them decide nothing.
_MOST_WAYS: Final = 20_000


class Reason(NamedTuple):
    """Clues, `TOTAL` for the total, that decide some cells on the board as it is given."""

    clues: tuple[int, ...]
    cells: tuple[int, ...]


class WalkedStep(NamedTuple):
    """A step: the clues, the cells that it decides with their values, and what these rest on.

    ``seen`` are the cells that were undecided and counted by the clues, ``uses`` the numbers of
    earlier steps that decided others of their cells.
    """

    clues: tuple[int, ...]
    decided: dict[int, int]
    seen: tuple[int, ...]
    uses: tuple[int, ...]


@dataclass
class Walk:
    """The walk through one position.

    Attributes:
        constraints: the clues of the board.
        deadline: when to stop.
        steps: the steps so far.
    """

    constraints: Constraints
    deadline: Deadline
    steps: list[WalkedStep] = field(default_factory=list)

    def __post_init__(self) -> None:
        limits = self.constraints
        clues = range(limits.low.size)
        self._cells = {clue: frozenset(limits.cells_of(clue).tolist()) for clue in clues}
        self._low = dict(enumerate(limits.low.tolist()))
        self._high = dict(enumerate(limits.high.tolist()))
        left = limits.mines_left
        if left is not None:
            self._cells[TOTAL] = frozenset((limits.known == UNDECIDED).nonzero()[0].tolist())
            self._low[TOTAL] = self._high[TOTAL] = left
        self._clues_of: dict[int, list[int]] = {}
        for clue, cells in self._cells.items():
            for cell in cells if clue != TOTAL else ():
                self._clues_of.setdefault(cell, []).append(clue)
        self._value: dict[int, int] = {}
        self._step_of: dict[int, int] = {}
        # Sets of clues that decide nothing, as long as none of their cells is decided.
        self._idle: set[tuple[int, ...]] = set()

    def decide_cells(self, reasons: Sequence[Reason]) -> bool:
        """Add steps until all cells of the reasons are decided; False if some are not.

        Args:
            reasons: what is known to force cells, from the clues alone.

        Raises:
            DeadlinePassed: the walk has the steps up to then.
        """
        targets = {cell for reason in reasons for cell in reason.cells}
        while not targets <= self._value.keys():
            step = self._find_small_step() or self._find_large_step(reasons)
            if step is None:
                return False
            self._take_step(*step)
        return True

    def _find_small_step(self) -> tuple[tuple[int, ...], dict[int, int]] | None:
        """Return the best of the sets with the fewest clues that decide a cell."""
        for size in range(1, MOST_TRIED + 1):
            # The first of those that decide the most cells.
            best = max(
                self.iterate_deciding_sets(size),
                key=lambda deciding: len(deciding[1]),
                default=None,
            )
            if best is not None:
                return best
        return None

    def iterate_deciding_sets(self, size: int) -> Iterator[tuple[tuple[int, ...], dict[int, int]]]:
        """Yield sets of ``size`` clues that decide cells, and these cells with their values.

        Only clues that share undecided cells are put together, and the total with none.

        Raises:
            DeadlinePassed: not all sets were tried in time.
        """
        for clues in self._iterate_sets(size):
            self.deadline.check()
            decided = self.find_decided_by(clues)
            if decided:
                yield clues, decided
            else:
                self._idle.add(clues)

    def _find_large_step(
        self, reasons: Sequence[Reason]
    ) -> tuple[tuple[int, ...], dict[int, int]] | None:
        """Return the reasons with the fewest clues, without those that are needless by now."""
        steps: list[tuple[tuple[int, ...], dict[int, int]]] = []
        for reason in sorted(reasons, key=lambda reason: len(reason.clues)):
            self.deadline.check()
            if steps and len(reason.clues) > 2 * len(steps[0][0]):
                break
            if set(reason.cells) <= self._value.keys():
                continue
            clues, decided = reason.clues, self.find_decided_by(reason.clues)
            if not decided:
                continue
            for clue in reason.clues:
                fewer = tuple(other for other in clues if other != clue)
                if kept := self.find_decided_by(fewer):
                    clues, decided = fewer, kept
            steps.append((clues, decided))
        return min(steps, key=lambda step: (len(step[0]), -len(step[1])), default=None)

    def make_step(self, clues: tuple[int, ...], decided: dict[int, int]) -> WalkedStep:
        """Return the step that would come next if clues decide some cells."""
        seen = frozenset().union(*[self._cells[clue] for clue in clues])
        uses = sorted({self._step_of[cell] for cell in seen if cell in self._step_of})
        undecided = tuple(sorted(seen - self._value.keys()))
        return WalkedStep(clues, dict(sorted(decided.items())), undecided, tuple(uses))

    def _take_step(self, clues: tuple[int, ...], decided: dict[int, int]) -> None:
        step = self.make_step(clues, decided)
        for cell in decided:
            self._step_of[cell] = len(self.steps)
        self.steps.append(step)
        self._value |= decided
        touched = {clue for cell in decided for clue in self._clues_of.get(cell, ())}
        self._idle = {idle for idle in self._idle if touched.isdisjoint(idle)}

    def _iterate_sets(self, size: int) -> Iterator[tuple[int, ...]]:
        """Yield sets of ``size`` clues, joined by undecided cells, that may decide something."""
        for clue in self._cells:
            if clue == TOTAL or self._cells[clue] <= self._value.keys():
                continue
            for chosen in self._extend({clue}, size):
                if chosen[0] == clue and chosen not in self._idle:
                    yield chosen

    def _extend(self, chosen: set[int], size: int) -> Iterator[tuple[int, ...]]:
        """Yield the sets of ``size`` clues around some, each once, in ascending order."""
        layer = {tuple(sorted(chosen))}
        for _ in range(size - len(chosen)):
            layer = {
                tuple(sorted((*clues, near)))
                for clues in layer
                for clue in clues
                for cell in self._cells[clue] - self._value.keys()
                for near in self._clues_of[cell]
                if near > clues[0] and near not in clues
            }
        yield from sorted(layer)

    def find_decided_by(self, clues: Collection[int]) -> dict[int, int]:
        """Return the undecided cells that some clues decide, with their values.

        None are decided if there are too many ways to try.
        """
        groups: dict[tuple[int, ...], list[int]] = {}
        for cell in frozenset().union(*[self._cells[clue] for clue in clues]) - self._value.keys():
            at = tuple(clue for clue in clues if cell in self._cells[clue])
            groups.setdefault(at, []).append(cell)
        boxes = list(groups.items())
        mines = {
            clue: sum(self._value.get(cell) == IS_MINE for cell in self._cells[clue])
            for clue in clues
        }
        needs = {
            clue: (self._low[clue] - mines[clue], self._high[clue] - mines[clue]) for clue in clues
        }
        spans = _fill_boxes([(len(cells), at) for at, cells in boxes], needs)
        decided: dict[int, int] = {}
        for (_, cells), (least, most) in zip(boxes, spans, strict=True):
            if most == 0:
                decided |= dict.fromkeys(cells, IS_SAFE)
            elif least == len(cells):
                decided |= dict.fromkeys(cells, IS_MINE)
        return decided


def _fill_boxes(
    boxes: Sequence[tuple[int, tuple[int, ...]]], needs: Mapping[int, tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the fewest and the most mines of each box over all ways to satisfy clues.

    Args:
        boxes: the number of cells of each, and the clues that count them.
        needs: the fewest and the most mines of each clue.
    """
    spans = [(size, 0) for size, _ in boxes]
    room = {clue: sum(size for size, at in boxes if clue in at) for clue in needs}
    low = {clue: need[0] for clue, need in needs.items()}
    high = {clue: need[1] for clue, need in needs.items()}
    held = [0] * len(boxes)
    ways = 0

    def fill(index: int) -> bool:
        nonlocal ways
        if index == len(boxes):
            for box, mines in enumerate(held):
                spans[box] = min(spans[box][0], mines), max(spans[box][1], mines)
            return True
        size, at = boxes[index]
        for clue in at:
            room[clue] -= size
        least = max((low[clue] - room[clue] for clue in at), default=0)
        most = min((high[clue] for clue in at), default=size)
        in_time = True
        for mines in range(max(0, least), min(size, most) + 1):
            ways += 1
            if ways > _MOST_WAYS:
                in_time = False
                break
            held[index] = mines
            for clue in at:
                low[clue] -= mines
                high[clue] -= mines
            in_time = fill(index + 1)
            for clue in at:
                low[clue] += mines
                high[clue] += mines
            if not in_time:
                break
        for clue in at:
            room[clue] += size
        return in_time

    if not fill(0) or any(least > most for least, most in spans):
        # Too many ways, or none at all.
        return [(0, size) for size, _ in boxes]
    return spans
