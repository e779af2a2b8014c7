"""Which clues force a box, and which cannot hold together: sets without a clue to spare.

A set of clues is a *core* when they cannot hold together, or not with what is
supposed of one box. Cores are looked for from near to far: starting from no
clue at all, a layout is searched, and the clues it misses are added, until no
layout is left. Dropping one clue after another leaves a minimal core. A clue
without which all others could hold is *necessary*: it is in every core, and
when all clues of a core are necessary there is no other, and none smaller.
Otherwise the smallest core is found by hitting sets: every core holds a clue
of each set of clues that some layout misses (A. Ignatiev, A. Previti,
M. Liffiton, J. Marques-Silva, *Smallest MUS extraction with minimal hitting
set dualization*, CP 2015).

The total of mines is not looked at here: `solvers.conflict` does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import compiled
from minefield.constraints import IS_MINE, Constraints, Index, split
from solvers.boxes import BoxProblem
from solvers.branching import (
    BUDGET,
    CONSISTENT,
    INCONSISTENT,
    PROPAGATE,
    SUSPECT,
    TRAIL,
    Net,
    Verdict,
    Work,
    find_layout,
    narrow,
    net_of,
    pop,
    queue,
    reguess,
    undo,
    work_on,
)

#: Bounds of a clue that is switched off.
_OFF: Final = 1 << 30
#: No box is supposed to be otherwise.
_NO_BOX: Final = -1
#: A search may spend as much as if there were so many more clues.
_SMALL: Final = 10

# Values of `_Hunt.role`.
_OUTSIDE: Final = 0
_INSIDE: Final = 1
_EXCLUDED: Final = 2


@dataclass(frozen=True, slots=True)
class Found:
    """A core, as numbers of clues in the constraints, nearest first.

    ``minimal``: no clue of it can be dropped. ``smallest``: it is known that no
    core has fewer clues. ``necessary``: clues of it that every core is known to have.
    """

    clues: list[int]
    minimal: bool
    smallest: bool
    necessary: list[int]


class Reasons:
    """The clues of one board, to look for cores in.

    ``layout`` are the mines of a layout that satisfies all clues, (cells,), or
    None if there is none. ``budget`` bounds each search, in boxes looked at for
    each clue.
    """

    def __init__(
        self, constraints: Constraints, layout: NDArray[np.bool_] | None, budget: int
    ) -> None:
        self.problem = problem = BoxProblem.of(split(constraints), total=False)
        self.clue = problem.reduction.clue
        self._budget = budget
        guess = np.zeros(problem.size.size, np.int32) if layout is None else problem.held(layout)
        clues = self.clue.size
        off = np.full(clues, _OFF, np.int32)
        self._net = net_of(problem)._replace(low=-off, high=off)
        self._work = work_on(self._net, guess)
        self._hunt = _Hunt(
            problem.low,
            problem.high,
            np.empty(clues, np.int32),
            np.zeros(clues, np.int8),
            np.empty(clues, np.int32),
            np.zeros(1, np.int64),
            layout is None,
        )
        if layout is None:
            _note_missed(self._work, self._hunt)
        self._number = np.full(constraints.low.size, -1, np.int32)
        self._number[self.clue] = np.arange(clues, dtype=np.int32)
        self._box = np.full(constraints.cells, _NO_BOX, np.int32)
        cells = problem.reduction.box_cells
        sizes = np.diff(problem.reduction.box_start)
        self._box[cells] = np.repeat(np.arange(sizes.size), sizes)

    def box_of(self, cell: int) -> int:
        """The box of an undecided cell; -1 if no clue touches it."""
        return int(self._box[cell])

    def of_box(self, box: int, value: int) -> tuple[Verdict, Found | None]:
        """Clues that force all cells of a box to be mines (1) or safe (0).

        The verdict is INCONSISTENT with a core; CONSISTENT when the clues leave
        it open; GAVE_UP when the budget was spent.
        """
        least, most = self._otherwise(box, value)
        verdict, count, minimal, necessary = _core_of_box(
            self._net, self._work, self._hunt, box, least, most, value, self._budget
        )
        if verdict != INCONSISTENT:
            return Verdict(verdict), None
        return Verdict.INCONSISTENT, self._found(count, minimal, necessary)

    def within(self, clues: Sequence[int]) -> Found | None:
        """A minimal core within clues; None if they can hold, or the budget was spent."""
        chosen = self._number[np.asarray(clues, np.int32)]
        if (chosen < 0).any():
            # A clue without cells either says nothing or is a core of its own.
            alone = [clue for clue, number in zip(clues, chosen, strict=True) if number < 0]
            constraints = self.problem.reduction.constraints
            for clue in alone:
                if constraints.low[clue] > 0 or constraints.high[clue] < 0:
                    return Found([clue], True, True, [])
            chosen = chosen[chosen >= 0]
        found = _core_within(self._net, self._work, self._hunt, chosen, self._budget)
        return None if found[0] != INCONSISTENT else self._found(*found[1:])

    def smallest(
        self, found: Found, box: int, value: int, check: Callable[[], None], tries: int
    ) -> Found:
        """The smallest core, or ``found`` where so many tries are not enough.

        With ``box`` -1 of the clues alone. ``check`` is called between searches; what
        it raises passes through.
        """
        if found.smallest or not found.minimal:
            return found
        from pysat.examples.hitman import Hitman

        with Hitman(bootstrap_with=[[clue] for clue in found.necessary], htype="sorted") as hitman:
            for _ in range(tries):
                check()
                core = hitman.get() or []
                if len(core) >= len(found.clues):
                    return replace(found, smallest=True)
                missed = self._missed(core, box, value)
                if missed is None:
                    break
                if not missed:
                    return Found(core, True, True, found.necessary)
                hitman.hit(missed)
        return found

    def _missed(self, clues: Sequence[int], box: int, value: int) -> list[int] | None:
        """What a layout of some clues misses, none to spare; [] if there is none; None: gave up."""
        least, most = self._otherwise(box, value)
        chosen = self._number[np.asarray(clues, np.int32)]
        verdict, missed = _correction(
            self._net, self._work, self._hunt, chosen, box, least, most, self._budget
        )
        if verdict == INCONSISTENT:
            return []
        found: list[int] = self.clue[missed].tolist()
        return found or None

    def _otherwise(self, box: int, value: int) -> tuple[int, int]:
        """Mines of a box that is not all mines (1), or not all safe (0)."""
        size = 0 if box == _NO_BOX else int(self.problem.size[box])
        return (0, size - 1) if value == IS_MINE else (1, size)

    def _found(self, count: int, minimal: bool, necessary: NDArray[np.bool_]) -> Found:
        clues = self.clue[self._hunt.order[:count]]
        # A core of one clue is found before any of two, and what all cores have but for one
        # clue can hold: every core needs one more.
        smallest = minimal and (count <= 2 or np.count_nonzero(necessary) >= count - 1)
        return Found(clues.tolist(), bool(minimal), bool(smallest), clues[necessary].tolist())


class _Hunt(NamedTuple):
    """What a search for cores goes by.

    ``low``, ``high``: what the clues ask for (in the net they are switched off);
    ``order``: clues looked at, ``role`` whether a clue is among them, or
    excluded. ``bad`` are the clues that the guess misses, ``used[0]`` of them;
    ``adrift`` tells that the guess is no layout and may be bettered.
    """

    low: Index
    high: Index
    order: Index
    role: NDArray[np.int8]
    bad: Index
    used: NDArray[np.int64]
    adrift: bool


@compiled
def _misses(work: Work, hunt: _Hunt, clue: int) -> bool:
    return bool(work.sums[2, clue] < hunt.low[clue] or work.sums[2, clue] > hunt.high[clue])


@compiled
def _note_missed(work: Work, hunt: _Hunt) -> None:
    """Note the clues that the guess misses."""
    hunt.used[0] = 0
    for clue in range(hunt.low.size):
        if _misses(work, hunt, clue):
            hunt.bad[hunt.used[0]] = clue
            hunt.used[0] += 1


@compiled
def _attempt(
    net: Net,
    work: Work,
    hunt: _Hunt,
    skipped: tuple[int, int],
    count: int,
    box: int,
    least: int,
    most: int,
    budget: int,
) -> int:
    """Search a layout of ``order[:count]`` without the skipped places; `Verdict`.

    A layout that is found stands in the guess, the way to it on the trail:
    `_retract` or `_keep` it.
    """
    while work.used[SUSPECT] > 0:
        pop(work, SUSPECT)
    for place in range(count):
        if skipped[0] <= place < skipped[1]:
            continue
        clue = hunt.order[place]
        net.low[clue] = hunt.low[clue]
        net.high[clue] = hunt.high[clue]
        queue(work, PROPAGATE, clue)
        queue(work, SUSPECT, clue)
    work.used[BUDGET] = budget * (_SMALL + count)
    if box >= 0:
        narrow(net, work, box, least, most)
    verdict = find_layout(net, work)
    for place in range(count):
        clue = hunt.order[place]
        net.low[clue] = -_OFF
        net.high[clue] = _OFF
    return verdict


@compiled
def _retract(net: Net, work: Work) -> None:
    """Go back to the guess before the layout just found."""
    rows = work.used[TRAIL]
    undo(net, work, 0)
    # A box may stand on the trail twice: its first row has the old guess.
    for row in range(rows - 1, -1, -1):
        reguess(net, work, work.trail[row, 0], work.trail[row, 3])


@compiled
def _add(hunt: _Hunt, count: int, clue: int) -> int:
    hunt.order[count] = clue
    hunt.role[clue] = _INSIDE
    return count + 1


@compiled
def _forget(hunt: _Hunt, first: int, count: int) -> None:
    """No clue in ``order[first:count]`` is looked at any longer."""
    for place in range(first, count):
        hunt.role[hunt.order[place]] = _OUTSIDE


@compiled
def _add_missed(net: Net, work: Work, hunt: _Hunt, count: int) -> int:
    """Add the clues outside that the layout just found misses; how many there are then."""
    for place in range(hunt.used[0]):
        clue = hunt.bad[place]
        if hunt.role[clue] == _OUTSIDE and _misses(work, hunt, clue):
            count = _add(hunt, count, clue)
    for row in range(work.used[TRAIL]):
        box = work.trail[row, 0]
        for place in range(net.box_start[box], net.box_start[box + 1]):
            clue = net.box_clues[place]
            if hunt.role[clue] == _OUTSIDE and _misses(work, hunt, clue):
                count = _add(hunt, count, clue)
    return count


@compiled
def _grow(
    net: Net, work: Work, hunt: _Hunt, count: int, box: int, least: int, most: int, budget: int
) -> tuple[int, int]:
    """Add clues to ``order[:count]`` until they have no layout, or one that misses no clue.

    Clues that are excluded may be missed. Returns the `Verdict` and how many there are then.
    """
    while True:
        verdict = _attempt(net, work, hunt, (0, 0), count, box, least, most, budget)
        if verdict != CONSISTENT:
            return verdict, count
        more = _add_missed(net, work, hunt, count)
        if more == count:
            return CONSISTENT, count
        _retract(net, work)
        count = more


@compiled
def _shrink(
    net: Net, work: Work, hunt: _Hunt, count: int, box: int, least: int, most: int, budget: int
) -> tuple[int, bool]:
    """Drop clues from a core, the last ones first; how many are left, and if none is to spare."""
    untried = count
    chunk = max(1, count // 8)
    minimal = True
    while untried > 0:
        chunk = min(chunk, untried)
        first = untried - chunk
        verdict = _attempt(net, work, hunt, (first, untried), count, box, least, most, budget)
        if verdict == INCONSISTENT:
            _forget(hunt, first, untried)
            for place in range(untried, count):
                hunt.order[place - chunk] = hunt.order[place]
            count -= chunk
            untried = first
            chunk *= 2
            continue
        if verdict == CONSISTENT:
            _retract(net, work)
        if chunk == 1:
            untried = first
            minimal = minimal and verdict == CONSISTENT
        chunk = max(1, chunk // 2)
    return count, minimal


@compiled
def _necessary(
    net: Net, work: Work, hunt: _Hunt, count: int, box: int, least: int, most: int, budget: int
) -> NDArray[np.bool_]:
    """Which clues of a core are in every core: without them, all others can hold.

    Of one or two clues it does not matter, and none is looked at.
    """
    core = hunt.order[:count].copy()
    necessary = np.zeros(count, np.bool_)
    for place in range(count if count > 2 else 0):
        hunt.order[place] = core[count - 1]
        hunt.role[core[place]] = _EXCLUDED
        verdict, more = _grow(net, work, hunt, count - 1, box, least, most, budget)
        necessary[place] = verdict == CONSISTENT
        if verdict == CONSISTENT:
            if hunt.adrift:
                # Nearly a layout: the next searches start from there.
                undo(net, work, 0)
                _note_missed(work, hunt)
            else:
                _retract(net, work)
        _forget(hunt, count - 1, more)
        hunt.order[:count] = core
        for clue in core:
            hunt.role[clue] = _INSIDE
    return necessary


@compiled
def _core_of_box(
    net: Net,
    work: Work,
    hunt: _Hunt,
    box: int,
    least: int,
    most: int,
    value: int,
    budget: int,
) -> tuple[int, int, bool, NDArray[np.bool_]]:
    """(`Verdict`, clues in ``order``, whether minimal, which are necessary)."""
    nothing = np.zeros(0, np.bool_)
    for place in range(net.box_start[box], net.box_start[box + 1]):
        clue = net.box_clues[place]
        if (value == 0 and hunt.high[clue] == 0) or (
            value == 1 and hunt.low[clue] == work.sums[1, clue]
        ):
            hunt.order[0] = clue
            return INCONSISTENT, 1, True, np.zeros(1, np.bool_)
    verdict, count = _grow(net, work, hunt, 0, box, least, most, budget)
    if verdict != INCONSISTENT:
        if verdict == CONSISTENT:
            _retract(net, work)
        _forget(hunt, 0, count)
        return verdict, 0, False, nothing
    count, minimal = _shrink(net, work, hunt, count, box, least, most, budget)
    necessary = _necessary(net, work, hunt, count, box, least, most, budget)
    _forget(hunt, 0, count)
    return INCONSISTENT, count, minimal, necessary


@compiled
def _core_within(
    net: Net, work: Work, hunt: _Hunt, clues: Index, budget: int
) -> tuple[int, int, bool, NDArray[np.bool_]]:
    """The same for clues that cannot hold together, whatever the boxes are."""
    for clue in range(hunt.low.size):
        if hunt.low[clue] > work.sums[1, clue] or hunt.high[clue] < 0:
            hunt.order[0] = clue
            return INCONSISTENT, 1, True, np.zeros(1, np.bool_)
    count = 0
    for clue in clues:
        count = _add(hunt, count, clue)
    verdict = _attempt(net, work, hunt, (0, 0), count, _NO_BOX, 0, 0, budget)
    if verdict != INCONSISTENT:
        if verdict == CONSISTENT:
            _retract(net, work)
        _forget(hunt, 0, count)
        return verdict, 0, False, np.zeros(0, np.bool_)
    count, minimal = _shrink(net, work, hunt, count, _NO_BOX, 0, 0, budget)
    necessary = _necessary(net, work, hunt, count, _NO_BOX, 0, 0, budget)
    _forget(hunt, 0, count)
    return INCONSISTENT, count, minimal, necessary


@compiled
def _correction(
    net: Net, work: Work, hunt: _Hunt, clues: Index, box: int, least: int, most: int, budget: int
) -> tuple[int, Index]:
    """(`Verdict` of clues, those that a layout of them misses, none of which it need not)."""
    count = 0
    for clue in clues:
        count = _add(hunt, count, clue)
    verdict = _attempt(net, work, hunt, (0, 0), count, box, least, most, budget)
    if verdict != CONSISTENT:
        _forget(hunt, 0, count)
        return verdict, hunt.order[:0].copy()
    more = _add_missed(net, work, hunt, count)
    _retract(net, work)
    missed = hunt.order[count:more].copy()
    hunt.role[missed] = _EXCLUDED
    for clue in missed:
        # Can it be satisfied as well, with all that were so far?
        held = _add(hunt, count, clue)
        verdict, held = _grow(net, work, hunt, held, box, least, most, budget)
        if verdict == CONSISTENT:
            count = held
            _retract(net, work)
        else:
            _forget(hunt, count, held)
            hunt.role[clue] = _EXCLUDED
    left = missed[hunt.role[missed] == _EXCLUDED].copy()
    hunt.role[missed] = _OUTSIDE
    _forget(hunt, 0, count)
    return CONSISTENT, left
