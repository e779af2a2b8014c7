"""Steps of a deduction in plain English.

Rows and columns are counted from 0, as everywhere in answers; steps from 1.
"""

from collections.abc import Sequence

import numpy as np

from minefield.amounts import several
from minefield.board import Board
from minefield.reduction.constraints import IS_MINE, Constraints
from minefield.rules import Puzzle, Rules
from minefield.variant import Clue, Variant
from solvers.answer import Statement
from solvers.question import Place
from solvers.reasons.deduction import Deduction, Inference

#: So many cells are named one by one.
_NAMED = 8


class Narrator:
    """Tells steps about one board, or rules, whose clues and cells ``constraints`` number."""

    def __init__(self, puzzle: Puzzle, constraints: Constraints) -> None:
        self._puzzle = puzzle
        self._board = None if isinstance(puzzle, Rules) else puzzle
        self._names = list(puzzle.number) if isinstance(puzzle, Rules) else []
        self._width = puzzle.shape[1]
        self._constraints = constraints

    def place(self, cell: int) -> Place:
        """(row, col) of a cell."""
        return divmod(cell, self._width)

    def clue(self, clue: int) -> Place:
        """(row, col) of a clue; (0, k) of rule k."""
        return self._constraints.place_of(clue, self._puzzle)

    def narrate(self, steps: Sequence[Deduction]) -> list[Statement]:
        """The steps with their sentences."""
        return [
            Statement(
                str(step.rule),
                [self.place(cell) for cell in step.cells],
                step.low,
                step.high,
                step.sources,
                step.under,
                None
                if step.rule is not Inference.CLUE or step.clue is None
                else self.clue(step.clue),
                self._sentence(step, steps),
            )
            for step in steps
        ]

    def _sentence(self, step: Deduction, steps: Sequence[Deduction]) -> str:
        match step.rule:
            case Inference.CLUE:
                return self._clue(step)
            case Inference.TOTAL:
                return self._total(step)
            case Inference.ASSUME:
                return f"Suppose {self._are(step)}."
            case Inference.LOOK_AHEAD:
                supposed, against = (_named([source]) for source in step.sources)
                return f"{against.capitalize()} refutes {supposed}: {self._are(step)}."
            case Inference.SEARCH if step.contradictory:
                return f"No way of placing mines agrees with {_named(step.sources)}."
            case Inference.SEARCH:
                return (
                    f"In every way of placing mines that agrees with {_named(step.sources)}, "
                    f"{self._are(step)}."
                )
            case Inference.UNION:
                return (
                    f"{_named(step.sources).capitalize()} are about different cells, which "
                    f"together hold {_mines(step)}."
                )
        return self._combined(step, steps)

    def _clue(self, step: Deduction) -> str:
        assert step.clue is not None
        if self._board is None:
            rule = f"Rule {self.clue(step.clue)[1]}"
            if step.contradictory:
                return f"{rule} cannot be: it has {several(len(step.cells), 'cell')}."
            return f"{rule} says: {self._hold(step)}."
        row, col = self.clue(step.clue)
        clue = _clue_at(self._board, (row, col))
        number = clue.high
        known = number - int(self._constraints.high[step.clue])
        which = f"The {'' if clue.low == number else 'clue '}{clue} at row {row}, column {col}"
        if step.contradictory:
            beside = f" beside {several(known, 'known mine')}" if known else ""
            return (
                f"{which} cannot be: it touches {several(len(step.cells), 'unknown cell')}{beside}."
            )
        touched = f" touches {several(known, 'known mine')} and" if known else " touches"
        if step.high == 0:
            enough = "has all its mines" if number else "touches no mine"
            return f"{which} {enough}: {self._are(step)}."
        if step.low == len(step.cells):
            return f"{which}{touched} {_only(len(step.cells))}: {self._are(step)}."
        return (
            f"{which}{touched} {several(len(step.cells), 'unknown cell')}, which hold "
            f"{_mines(step)}: {self._cells(step.cells)}."
        )

    def _total(self, step: Deduction) -> str:
        constraints = self._constraints
        known = int(np.count_nonzero(constraints.known == IS_MINE))
        total = constraints.total or 0
        which = f"There {'is' if total == 1 else 'are'} {several(total, 'mine')} in all"
        if step.high < 0:
            return f"{which}, but {known} are known."
        if known:
            which += ", and it is known" if total == 1 else f", {known} of them known"
        if step.contradictory:
            rest = " for the others" if known else ""
            return f"{which}, but only {several(len(step.cells), 'unknown cell')}{rest}."
        return f"{which}: {self._hold(step)}."

    def _combined(self, step: Deduction, steps: Sequence[Deduction]) -> str:
        """A difference or an intersection."""
        if step.contradictory:
            both = _named(step.sources).capitalize()
            if not 0 <= step.high < step.low <= len(step.cells):
                return f"{both} contradict each other."
            least, most = several(step.low, "mine"), several(step.high, "mine")
            cells = self._cells(step.cells)
            return f"{both} contradict each other: at least {least} and at most {most} at {cells}."
        if step.rule is Inference.INTERSECTION:
            return f"By {_named(step.sources)}: {self._hold(step)}."
        return self._difference(step, steps)

    def _difference(self, step: Deduction, steps: Sequence[Deduction]) -> str:
        """A set without the cells of another: what it is taken from, then what is taken away."""
        mine = set(step.cells)
        whole = [place for place in step.sources if not mine.isdisjoint(steps[place].cells)]
        part = [place for place in step.sources if place not in whole]
        one = _named(whole)
        if not part:
            return f"By {one}: {self._hold(step)}."
        other = _named(part)
        taken = [steps[place] for place in part]
        if all(gone.high == 0 or gone.low == len(gone.cells) for gone in taken):
            known = " and ".join(map(self._are, taken))
            verb = "leaves" if len(whole) == 1 else "leave"
            return f"Since {known} ({other}), {one} {verb}: {self._hold(step)}."
        if len(whole) == len(part) == 1:
            source, gone = steps[whole[0]], taken[0]
            shared = len(set(source.cells) & set(gone.cells))
            if _is_exact(source) and _is_exact(gone) and shared == len(gone.cells):
                verb = "is" if gone.low == 1 else "are"
                mines = several(source.low, "mine")
                if gone.low == source.low:
                    return f"The {mines} in {one} {verb} in {other}: {self._hold(step)}."
                return f"Of the {mines} in {one}, {gone.low} {verb} in {other}: {self._hold(step)}."
            if step.high == len(step.cells):
                most = min(gone.high, shared)
                return (
                    f"{one.capitalize()} needs {several(source.low, 'mine')}, and {other} allows "
                    f"no more than {most} in the cells they share: {self._hold(step)}."
                )
            if step.low == 0:
                least = gone.low - (len(gone.cells) - shared)
                return (
                    f"{one.capitalize()} allows {several(source.high, 'mine')}, and {other} needs "
                    f"{least} in the cells they share: {self._hold(step)}."
                )
        return f"{one.capitalize()} without the cells of {other}: {self._hold(step)}."

    def _hold(self, step: Deduction) -> str:
        """What is said of the cells, as a clause."""
        if step.high == 0 or step.low == len(step.cells):
            return self._are(step)
        verb = "holds" if len(step.cells) == 1 else "hold"
        return f"{self._cells(step.cells)} {verb} {_mines(step)}"

    def _are(self, step: Deduction) -> str:
        """That all the cells are mines, or safe."""
        cells = self._cells(step.cells)
        if len(step.cells) == 1:
            return f"{cells} is {'safe' if step.high == 0 else 'a mine'}"
        return f"{cells} are {'safe' if step.high == 0 else 'mines'}"

    def _cells(self, cells: Sequence[int]) -> str:
        if len(cells) > _NAMED:
            return f"{len(cells)} cells"
        if self._board is None:
            named = len(self._names)
            names = [self._names[c] if c < named else f"unnamed cell {c - named}" for c in cells]
            return _listed([str(name) for name in names])
        places = [self.place(cell) for cell in cells]
        if len(places) == 1:
            return "row {}, column {}".format(*places[0])
        return _listed([f"({row}, {col})" for row, col in places])


def _is_exact(step: Deduction) -> bool:
    return step.low == step.high


def _mines(step: Deduction) -> str:
    """How many mines a step speaks of."""
    low, high = max(step.low, 0), min(step.high, len(step.cells))
    if low == high:
        return f"exactly {several(low, 'mine')}"
    if low == 0:
        return f"at most {several(high, 'mine')}"
    if high == len(step.cells):
        return f"at least {several(low, 'mine')}"
    return f"{low} {'or' if high == low + 1 else 'to'} {high} mines"


def _only(cells: int) -> str:
    return "only one unknown cell" if cells == 1 else f"only {cells} unknown cells"


def _named(places: Sequence[int]) -> str:
    """Steps by their numbers from 1."""
    numbers = [str(place + 1) for place in places]
    return f"step {numbers[0]}" if len(numbers) == 1 else f"steps {_listed(numbers)}"


def _listed(words: Sequence[str]) -> str:
    """One, two and three."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _clue_at(board: Board | Variant, place: Place) -> Clue:
    """The clue that stands in a cell."""
    if isinstance(board, Variant):
        return board.clue_at(place)
    number = int(board.cells[place])
    return Clue(number, number)
