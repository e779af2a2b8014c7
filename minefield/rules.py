"""Rules: "among these cells lie this many mines", without rows and columns, for any topology."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Board
from minecheck.minefield.errors import FixableError
from minecheck.minefield.numerals import format_count
from minecheck.minefield.spelling import suggest_name
from minecheck.minefield.variant import Variant

_BOUNDS: Final = ("mines", "low", "high")
_FIELDS: Final = ("cells", *_BOUNDS)
_LONGEST_NAME: Final = 100


@dataclass(eq=False, repr=False)
class RuleError(FixableError):
    """A malformed rule set, and how to fix it.

    ``rule`` is the position of the rule at fault, from 0, or None; ``field`` is
    the part of it, or of the whole set, as a JSON pointer such as ``/cells/2``.
    """

    detail: str
    fix: str
    rule: int | None = None
    field: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """Among ``cells`` lie between ``low`` and ``high`` mines, both included."""

    cells: tuple[Hashable, ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Rules instead of a board: one row of unknown cells, of shape (1, cells).

    First come the cells that rules name, in the order of their first mention,
    each at its ``number``; then the others, up to ``total_cells`` in all (None:
    there are no others).

    Raises:
        RuleError: a rule names a cell twice, its low is above its high, or
            the rules name more cells than there are.
    """

    rules: tuple[Rule, ...]
    total_cells: int | None = None
    number: Mapping[Hashable, int] = field(init=False)

    def __post_init__(self) -> None:
        number: dict[Hashable, int] = {}
        for index, rule in enumerate(self.rules):
            if len(set(rule.cells)) != len(rule.cells):
                raise _make_repeated_error(index, rule)
            if rule.low > rule.high:
                raise RuleError(f"Rule {index} has a low above its high.", "Swap the two.", index)
            for name in rule.cells:
                number.setdefault(name, len(number))
        if self.total_cells is not None and self.total_cells < len(number):
            raise RuleError(
                f"The rules name {format_count(len(number), 'cell')}, more than there are in all.",
                f"Make total_cells {len(number)} or more, or leave it out.",
                field="/total_cells",
            )
        object.__setattr__(self, "number", number)

    @property
    def shape(self) -> tuple[int, int]:
        """(1, cells), those that no rule names included."""
        return 1, len(self.number) if self.total_cells is None else self.total_cells

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """All true, (1, cells)."""
        return np.ones(self.shape, np.bool_)

    @property
    def flags(self) -> list[tuple[int, int]]:
        """No cell has a flag."""
        return []

    def with_assumption(self, cell: tuple[int, int], mine: bool) -> "Rules":
        """Return the same cells under more rules: one cell is a mine, or safe.

        Args:
            cell: (0, col); it need not have a name.
            mine: True for a mine, False for a safe cell.
        """
        named = list(self.number)
        # Cells without a name get their numbers in the order in which they are named.
        named += (object() for _ in range(len(named), cell[1] + 1))
        fresh = tuple(named[len(self.number) :])
        own = Rule((named[cell[1]],), int(mine), int(mine))
        return Rules((*self.rules, Rule(fresh, 0, len(fresh)), own), self.total_cells)

    def list_broken(self, mines: NDArray[np.bool_]) -> list[int]:
        """Return the positions of the rules that mines of shape (1, cells) break."""
        held = mines[0].tolist()
        broken = []
        for index, rule in enumerate(self.rules):
            if not rule.low <= sum(held[self.number[name]] for name in rule.cells) <= rule.high:
                broken.append(index)
        return broken


#: A puzzle that its symbols, or its rules, describe completely.
Plain: TypeAlias = Board | Rules
#: A puzzle that a player may see.
Puzzle: TypeAlias = Plain | Variant


def parse_rules(source: object, total_cells: int | None = None) -> Rules:
    """Read rules from JSON values.

    A rule is an object: ``cells`` is a list of names (strings), and either
    ``mines`` is the number of mines among them, or ``low`` and ``high`` are its
    bounds (one of the two may be missing).

    Args:
        source: a list of rules.
        total_cells: the number of all cells; None if rules name them all.

    Raises:
        RuleError: the values are not rules.
    """
    if not isinstance(source, list):
        raise RuleError(
            "Rules must be a list.", 'Send rules such as [{"cells": ["a"], "mines": 1}].'
        )
    if not source:
        raise RuleError("There are no rules.", "Send at least one rule.")
    rules = Rules(tuple(_parse_rule(index, item) for index, item in enumerate(source)), total_cells)
    if not rules.shape[1]:
        raise RuleError("There are no cells.", "Name at least one cell, or send total_cells.")
    return rules


def _parse_rule(index: int, item: object) -> Rule:
    if not isinstance(item, dict):
        raise RuleError(
            f"Rule {index} is not an object.", 'Send {"cells": ["a"], "mines": 1}.', index
        )
    extra = next((name for name in item if name not in _FIELDS), None)
    if extra is not None:
        raise RuleError(
            f"Rule {index} has a field {extra[:80]!r}.",
            f"{suggest_name(extra, _FIELDS) or 'Leave it out. '}The fields are "
            f"{', '.join(_FIELDS)}.",
            index,
        )
    cells = _parse_cells(index, item.get("cells"))
    bounds = {name: _parse_bound(index, name, item[name]) for name in _BOUNDS if name in item}
    if not bounds or ("mines" in bounds and len(bounds) > 1):
        raise RuleError(
            f"Rule {index} has {'mines beside low or high' if bounds else 'no number of mines'}.",
            "Give it either mines, or low and high.",
            index,
        )
    exact = bounds.get("mines")
    if exact is not None:
        return Rule(cells, exact, exact)
    low = bounds.get("low", 0)
    return Rule(cells, low, bounds.get("high", max(low, len(cells))))


def _parse_cells(rule_index: int, names: object) -> tuple[str, ...]:
    if not isinstance(names, list):
        raise RuleError(
            f"Rule {rule_index} has no list of cells.",
            'Name its cells, as in {"cells": ["a", "b"], "mines": 1}.',
            rule_index,
            "/cells",
        )
    for index, name in enumerate(names):
        if not isinstance(name, str) or not 1 <= len(name) <= _LONGEST_NAME:
            raise RuleError(
                f"Cell {index} of rule {rule_index} has no valid name.",
                f"Name cells with strings of 1 to {_LONGEST_NAME} characters.",
                rule_index,
                f"/cells/{index}",
            )
    return tuple(names)


def _parse_bound(index: int, name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise RuleError(
            f"In rule {index}, {name} is not a number of mines.",
            "Send a whole number, 0 or more.",
            index,
            f"/{name}",
        )
    return value


def _make_repeated_error(rule_index: int, rule: Rule) -> RuleError:
    name = next(name for name, times in Counter(rule.cells).items() if times > 1)
    index = rule.cells.index(name, rule.cells.index(name) + 1)
    return RuleError(
        f"Rule {rule_index} names the cell {str(name)[:80]!r} twice.",
        "Name each cell once.",
        rule_index,
        f"/cells/{index}",
    )
