"""Steps of a deduction in plain English.

Rows and columns are counted from 0, as everywhere in answers; steps from 1.
"""

from collections.abc import Sequence

import numpy as np

from minecheck.minefield.board import Board
from minecheck.minefield.numerals import format_count, join_words
from minecheck.minefield.reduction.constraints import IS_MINE, Constraints
from minecheck.minefield.rules import Puzzle, Rules
from minecheck.minefield.variant import Clue, Variant
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.findings import Statement
from minecheck.solvers.reasons.deduction import Deduction, Inference

#: The most cells that are named one by one.
_NAMED = 8


class Narrator:
    """The sentences for the steps of a proof about one board, or rules."""

    def __init__(self, puzzle: Puzzle, constraints: Constraints) -> None:
        self._puzzle = puzzle
        self._board = None if isinstance(puzzle, Rules) else puzzle
        self._names = list(puzzle.number) if isinstance(puzzle, Rules) else []
        self._width = puzzle.shape[1]
        self._constraints = constraints

    def locate_cell(self, cell: int) -> Coordinates:
        """Return (row, col) of a cell."""
        return divmod(cell, self._width)

    def locate_clue(self, clue: int) -> Coordinates:
        """Return (row, col) of a clue; (0, k) of rule k."""
        return self._constraints.locate_clue(clue, self._puzzle)

    def narrate_steps(self, steps: Sequence[Deduction]) -> list[Statement]:
        """Return the steps with their sentences."""
        return [
            Statement(
                str(step.rule),
                [self.locate_cell(cell) for cell in step.cells],
                step.low,
                step.high,
                step.sources,
                step.under,
                None
                if step.rule is not Inference.CLUE or step.clue is None
                else self.locate_clue(step.clue),
                self._write_sentence(step, steps),
            )
            for step in steps
        ]

    def _write_sentence(self, step: Deduction, steps: Sequence[Deduction]) -> str:
        match step.rule:
            case Inference.CLUE:
                return self._write_clue(step)
            case Inference.TOTAL:
                return self._write_total(step)
            case Inference.ASSUME:
                return f"Suppose {self._write_verdict(step)}."
            case Inference.LOOK_AHEAD:
                supposed, against = (_write_references([source]) for source in step.sources)
                return f"{against.capitalize()} refutes {supposed}: {self._write_verdict(step)}."
            case Inference.SEARCH if step.contradictory:
                return f"No way of placing mines agrees with {_write_references(step.sources)}."
            case Inference.SEARCH:
                return (
                    "In every way of placing mines that agrees with "
                    f"{_write_references(step.sources)}, "
                    f"{self._write_verdict(step)}."
                )
            case Inference.UNION:
                return (
                    f"{_write_references(step.sources).capitalize()} are about different cells, "
                    f"which together hold {_write_mines(step)}."
                )
        return self._write_combination(step, steps)

    def _write_clue(self, step: Deduction) -> str:
        assert step.clue is not None
        if self._board is None:
            rule = f"Rule {self.locate_clue(step.clue)[1]}"
            if step.contradictory:
                return f"{rule} cannot be: it has {format_count(len(step.cells), 'cell')}."
            return f"{rule} says: {self._write_claim(step)}."
        row, col = self.locate_clue(step.clue)
        clue = _find_clue_at(self._board, (row, col))
        number = clue.high
        known_mines_beside = number - int(self._constraints.high[step.clue])
        which = f"The {'' if clue.low == number else 'clue '}{clue} at row {row}, column {col}"
        if step.contradictory:
            known_mines = (
                f" beside {format_count(known_mines_beside, 'known mine')}"
                if known_mines_beside
                else ""
            )
            touched = format_count(len(step.cells), "unknown cell")
            return f"{which} cannot be: it touches {touched}{known_mines}."
        touched = (
            f" touches {format_count(known_mines_beside, 'known mine')} and"
            if known_mines_beside
            else " touches"
        )
        if step.high == 0:
            enough = "has all its mines" if number else "touches no mine"
            return f"{which} {enough}: {self._write_verdict(step)}."
        if step.low == len(step.cells):
            return f"{which}{touched} {_write_only(len(step.cells))}: {self._write_verdict(step)}."
        return (
            f"{which}{touched} {format_count(len(step.cells), 'unknown cell')}, which hold "
            f"{_write_mines(step)}: {self._write_cells(step.cells)}."
        )

    def _write_total(self, step: Deduction) -> str:
        constraints = self._constraints
        known_mines = int(np.count_nonzero(constraints.known == IS_MINE))
        total = constraints.total or 0
        which = f"There {'is' if total == 1 else 'are'} {format_count(total, 'mine')} in all"
        if step.high < 0:
            return f"{which}, but {known_mines} are known."
        if known_mines:
            which += ", and it is known" if total == 1 else f", {known_mines} of them known"
        if step.contradictory:
            for_others = " for the others" if known_mines else ""
            return f"{which}, but only {format_count(len(step.cells), 'unknown cell')}{for_others}."
        return f"{which}: {self._write_claim(step)}."

    def _write_combination(self, step: Deduction, steps: Sequence[Deduction]) -> str:
        """Write a difference or an intersection."""
        if step.contradictory:
            names = _write_references(step.sources).capitalize()
            if not 0 <= step.high < step.low <= len(step.cells):
                return f"{names} contradict each other."
            least, most = format_count(step.low, "mine"), format_count(step.high, "mine")
            cells = self._write_cells(step.cells)
            return f"{names} contradict each other: at least {least} and at most {most} at {cells}."
        if step.rule is Inference.INTERSECTION:
            return f"By {_write_references(step.sources)}: {self._write_claim(step)}."
        return self._write_difference(step, steps)

    def _write_difference(self, step: Deduction, steps: Sequence[Deduction]) -> str:
        """Write a set without the cells of another: first the one, then what is taken away."""
        mine = set(step.cells)
        whole = [index for index in step.sources if not mine.isdisjoint(steps[index].cells)]
        part = [index for index in step.sources if index not in whole]
        base = _write_references(whole)
        if not part:
            return f"By {base}: {self._write_claim(step)}."
        other = _write_references(part)
        taken = [steps[index] for index in part]
        if all(removed.high == 0 or removed.low == len(removed.cells) for removed in taken):
            verdicts = " and ".join(map(self._write_verdict, taken))
            verb = "leaves" if len(whole) == 1 else "leave"
            return f"Since {verdicts} ({other}), {base} {verb}: {self._write_claim(step)}."
        if len(whole) == len(part) == 1:
            source, removed = steps[whole[0]], taken[0]
            shared = len(set(source.cells) & set(removed.cells))
            if _is_exact(source) and _is_exact(removed) and shared == len(removed.cells):
                verb = "is" if removed.low == 1 else "are"
                mines = format_count(source.low, "mine")
                if removed.low == source.low:
                    return f"The {mines} in {base} {verb} in {other}: {self._write_claim(step)}."
                claim = self._write_claim(step)
                return f"Of the {mines} in {base}, {removed.low} {verb} in {other}: {claim}."
            if step.high == len(step.cells):
                most = min(removed.high, shared)
                return (
                    f"{base.capitalize()} needs {format_count(source.low, 'mine')}, and {other} "
                    f"allows no more than {most} in the cells they share: "
                    f"{self._write_claim(step)}."
                )
            if step.low == 0:
                least = removed.low - (len(removed.cells) - shared)
                return (
                    f"{base.capitalize()} allows {format_count(source.high, 'mine')}, and {other} "
                    f"needs {least} in the cells they share: {self._write_claim(step)}."
                )
        return f"{base.capitalize()} without the cells of {other}: {self._write_claim(step)}."

    def _write_claim(self, step: Deduction) -> str:
        """Return the claim of a step about its cells, as a clause."""
        if step.high == 0 or step.low == len(step.cells):
            return self._write_verdict(step)
        verb = "holds" if len(step.cells) == 1 else "hold"
        return f"{self._write_cells(step.cells)} {verb} {_write_mines(step)}"

    def _write_verdict(self, step: Deduction) -> str:
        """Return a clause that says that all cells are mines, or safe."""
        cells = self._write_cells(step.cells)
        if len(step.cells) == 1:
            return f"{cells} is {'safe' if step.high == 0 else 'a mine'}"
        return f"{cells} are {'safe' if step.high == 0 else 'mines'}"

    def _write_cells(self, cells: Sequence[int]) -> str:
        if len(cells) > _NAMED:
            return f"{len(cells)} cells"
        if self._board is None:
            named = len(self._names)
            names = [self._names[c] if c < named else f"unnamed cell {c - named}" for c in cells]
            return join_words(str(name) for name in names)
        pairs = [self.locate_cell(cell) for cell in cells]
        if len(pairs) == 1:
            return "row {}, column {}".format(*pairs[0])
        return join_words(f"({row}, {col})" for row, col in pairs)


def _is_exact(step: Deduction) -> bool:
    return step.low == step.high


def _write_mines(step: Deduction) -> str:
    """Return a phrase for the number of mines in a step."""
    low, high = max(step.low, 0), min(step.high, len(step.cells))
    if low == high:
        return f"exactly {format_count(low, 'mine')}"
    if low == 0:
        return f"at most {format_count(high, 'mine')}"
    if high == len(step.cells):
        return f"at least {format_count(low, 'mine')}"
    return f"{low} {'or' if high == low + 1 else 'to'} {high} mines"


def _write_only(cells: int) -> str:
    return "only one unknown cell" if cells == 1 else f"only {cells} unknown cells"


def _write_references(indices: Sequence[int]) -> str:
    """Write steps by their numbers from 1."""
    numbers = [str(index + 1) for index in indices]
    return f"step {numbers[0]}" if len(numbers) == 1 else f"steps {join_words(numbers)}"


def _find_clue_at(board: Board | Variant, cell: Coordinates) -> Clue:
    """Return the clue that stands in a cell."""
    if isinstance(board, Variant):
        return board.clue_at(cell)
    number = int(board.cells[cell])
    return Clue(number, number)
