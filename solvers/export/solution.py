"""The output of solvers as a layout, judged by the board that was exported.

Solutions are recognised by their form: lines ``v 1 -2 0`` of SAT solvers and ``v x1 -x2`` of
pseudo-Boolean ones, files of MiniSat with a line of numbers, MiniZinc's ``x1 = 0;``, and models and
values of SMT-LIB.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from minecheck.minefield.board import MINE
from minecheck.minefield.errors import FixableError
from minecheck.minefield.layout import Layout
from minecheck.minefield.rules import Puzzle, Rules
from minecheck.minefield.variant import Variant
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.export.instance import Instance

_VERDICT: Final = re.compile(
    r"^[ \t]*(?:s[ \t]+)?(?:=====)?(UN)?(?:SATISFIABLE|SAT|sat|(OPTIMUM FOUND|UNKNOWN|unknown)|"
    r"(unsat))(?:=====)?[ \t\r]*$",
    re.MULTILINE,
)
#: Numbers of variables, those that are false with a minus, and a 0 at the end of some lines.
_LITERALS: Final = re.compile(
    r"^(?:v[ \t]+(?P<values>-?x?[0-9][-x0-9 \t]*)|(?P<bare>-?[1-9][-0-9 \t]*[ \t]0|0))[ \t\r]*$",
    re.MULTILINE,
)
_ASSIGNMENT: Final = re.compile(
    r"\bx([1-9][0-9]*)[ \t]*=[ \t]*([01]|true|false)[ \t]*;|"
    r"\([ \t\r\n]*(?:define-fun[ \t\r\n]+)?x([1-9][0-9]*)"
    r"(?:[ \t\r\n]*\([ \t\r\n]*\)[ \t\r\n]*Bool)?[ \t\r\n]+(true|false)[ \t\r\n]*\)"
)
_LITERAL: Final = re.compile(r"-?x?([0-9]+)")
_TRUE: Final = ("1", "true")
#: No board has variables with more digits.
_LONGEST: Final = 18


@dataclass(eq=False, repr=False)
class SolutionError(FixableError):
    """An output that holds no solution, or several; what is wrong, and how to fix it."""

    detail: str
    fix: str


@dataclass(frozen=True, slots=True)
class Solution:
    """The output of a solver.

    Attributes:
        satisfiable: its verdict; None if it has none.
        values: whether each variable that it names is true.
    """

    satisfiable: bool | None
    values: dict[int, bool]


@dataclass(frozen=True, slots=True)
class Judged:
    """A solution as a layout, and what speaks against it.

    Attributes:
        layout: a mine wherever the solution has one, or the board.
        unassigned: the cells that the solution says nothing of, which are safe in the layout.
        clues: the cells of the clues that the layout breaks; (0, k) for rule k.
        total: whether it breaks the total.
    """

    layout: Layout
    unassigned: list[Coordinates]
    clues: list[Coordinates]
    total: bool

    @property
    def fits(self) -> bool:
        """True if it is a layout of the board."""
        return not (self.clues or self.total)


def read_solution(text: str) -> Solution:
    """Read the solution in the output of a solver, in time linear in its length.

    Raises:
        SolutionError: there is none, there are several, or it contradicts itself.
    """
    verdict = _read_verdict(text)
    values: dict[int, bool] = {}
    shown = False
    for variable, value in _iterate_values(text):
        shown = True
        if variable and values.setdefault(variable, value) is not value:
            raise SolutionError(
                f"The output has variable {variable} both true and false.", "Send one solution."
            )
    if verdict is False and values:
        raise SolutionError(
            "The output says that there is no solution, and has one.", "Send the output of one run."
        )
    if verdict is None and not shown and not _is_undecided(text):
        raise SolutionError(
            "There is no solution in the output.",
            "Send the output of the solver: lines that begin with v, lines such as x1 = 0; from "
            "MiniZinc, or the result of (get-model) or (get-value).",
        )
    return Solution(True if shown and verdict is None else verdict, values)


def judge_solution(solution: Solution, puzzle: Puzzle, mines: int | None = None) -> Judged | None:
    """Judge the layout that a solution stands for, by the board or the rules alone.

    Args:
        solution: the output of a solver.
        puzzle: the board or rules that were exported.
        mines: the total of mines, None for any.

    Returns:
        None if the solver says that there is no solution, or nothing.

    Raises:
        SolutionError: it says that there is one and does not show it.
    """
    if not solution.satisfiable:
        return None
    instance = Instance.from_puzzle(puzzle, mines)
    values = [solution.values.get(variable) for variable in range(1, len(instance.cells) + 1)]
    if values and not any(value is not None for value in values):
        raise SolutionError(
            "The output says that there is a solution, and does not show it.",
            "Have the solver print its model.",
        )
    mined = np.zeros(puzzle.shape, np.bool_)
    if not isinstance(puzzle, Rules):
        mined |= puzzle.cells == MINE
    mined.ravel()[[cell for cell, value in zip(instance.cells, values, strict=True) if value]] = (
        True
    )
    layout = Layout(mined)
    width = puzzle.shape[1]
    return Judged(
        layout,
        [
            divmod(cell, width)
            for cell, value in zip(instance.cells, values, strict=True)
            if value is None
        ],
        _list_broken(puzzle, layout),
        mines is not None and mines != layout.total,
    )


def _list_broken(puzzle: Puzzle, layout: Layout) -> list[tuple[int, int]]:
    """Return the clues, or known cells, that a layout breaks; (0, k) for rule k."""
    if isinstance(puzzle, Rules):
        return [(0, rule) for rule in puzzle.list_broken(layout.mines)]
    if isinstance(puzzle, Variant):
        return puzzle.list_contradictions(layout.mines)
    return layout.list_contradictions(puzzle)


def _read_verdict(text: str) -> bool | None:
    """Return True if the output states a solution, False if it denies one, None otherwise."""
    verdicts = {
        False if unsat or small else None if other in ("UNKNOWN", "unknown") else True
        for unsat, other, small in (match.groups() for match in _VERDICT.finditer(text))
    } - {None}
    if len(verdicts) > 1:
        raise SolutionError(
            "The output says both that there is a solution and that there is none.",
            "Send the output of one run.",
        )
    return next(iter(verdicts), None)


def _is_undecided(text: str) -> bool:
    """Return True if the output has a verdict, including that none was found."""
    return _VERDICT.search(text) is not None


def _iterate_values(text: str) -> Iterator[tuple[int, bool]]:
    """Yield variables and whether they are true; 0 where a line ends."""
    for line in _LITERALS.finditer(text):
        for literal in _LITERAL.finditer(line["values"] or line["bare"]):
            yield _read_number(literal[1]), literal[0][0] != "-"
    for match in _ASSIGNMENT.finditer(text):
        yield _read_number(match[1] or match[3]), (match[2] or match[4]) in _TRUE


def _read_number(digits: str) -> int:
    """Return the number of a variable; one that no board has if there are too many digits."""
    return int(digits) if len(digits) <= _LONGEST else 10**_LONGEST
