"""Certificates of counts, as they are written: how boxes are joined, and all tables.

Tested in tests/solvers/reasons/test_tables.py.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from minecheck.minefield.certificates.fields import (
    CertificateError,
    is_count,
    require_list,
    require_number,
    require_object,
)
from minecheck.minefield.numerals import format_integer

#: Ways by number of mines, or all together at 0; decimal digits.
Ways: TypeAlias = Mapping[int, str]
#: A cell as JSON has it, at a position in its field.
ReadCell: TypeAlias = Callable[..., int]

_MINES: Final = re.compile("0|[1-9][0-9]{0,6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Join:
    """The join of two tables, by their numbers, and its entries: state and ways."""

    left: int
    right: int
    table: tuple[tuple[tuple[int, ...], Ways], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A component: a cell of each of its boxes, and its joins.

    Tables are numbered, those of the boxes first.
    """

    boxes: tuple[int, ...]
    joins: tuple[Join, ...]


@dataclass(frozen=True, slots=True)
class CountProof:
    """A number of layouts, by number of mines or (None) in all, with the tables that prove it."""

    count: str
    by_mines: Ways | None
    components: tuple[Part, ...]


def render_components(
    count: CountProof, draw: Callable[[Sequence[int]], list[Any]]
) -> list[dict[str, Any]]:
    """Return the components of a count as JSON types.

    Args:
        count: the tables of all components.
        draw: a function that returns cells, given by number, as JSON types.
    """
    polynomial = count.by_mines is not None
    return [
        {
            "boxes": draw(part.boxes),
            "joins": [
                {
                    "of": [join.left, join.right],
                    "table": [
                        [list(state), render_ways(ways, polynomial)] for state, ways in join.table
                    ],
                }
                for join in part.joins
            ],
        }
        for part in count.components
    ]


def format_digits(ways: Mapping[int, int]) -> Ways:
    """Return ways by number of mines with each number in decimal digits."""
    return {mines: format_integer(number) for mines, number in ways.items()}


def render_ways(ways: Ways, polynomial: bool) -> Any:
    """Return ways as JSON has them: an object by number of mines, or the one number.

    Args:
        ways: digits by number of mines.
        polynomial: whether they are by mines; if not, all are at 0.
    """
    return {str(mines): text for mines, text in ways.items()} if polynomial else ways[0]


def read_count(document: Mapping[str, Any], cell: ReadCell) -> CountProof:
    """Read a count from the fields ``count``, ``by_mines`` and ``components``.

    Whether it is right is not asked.

    Args:
        document: an object that has the three fields.
        cell: a function that returns the number of a cell in JSON, or raises CertificateError.

    Raises:
        CertificateError: a field cannot be read.
    """
    count, by_mines = document["count"], document["by_mines"]
    polynomial = by_mines is not None
    parts = require_list("components", document["components"])
    return CountProof(
        _read_ways("count", count, False)[0],
        _read_ways("by_mines", by_mines, True) if polynomial else None,
        tuple(_read_part(part, polynomial, cell, entry) for entry, part in enumerate(parts)),
    )


def _read_part(part: object, polynomial: bool, cell: ReadCell, entry: int) -> Part:
    fields = require_object("components", part, entry, names=("boxes", "joins"))
    return Part(
        tuple(
            cell("components", box, entry, index)
            for index, box in enumerate(require_list("components", fields["boxes"], entry))
        ),
        tuple(
            _read_join(join, polynomial, entry, index)
            for index, join in enumerate(require_list("components", fields["joins"], entry))
        ),
    )


def _read_join(join: object, polynomial: bool, *entry: int) -> Join:
    fields = require_object("components", join, *entry, names=("of", "table"))
    of = require_list("components", fields["of"], *entry)
    if len(of) != 2:
        raise CertificateError("components", "A join is of two tables.", entry)
    left, right = (require_number("components", table, *entry) for table in of)
    rows = require_list("components", fields["table"], *entry)
    return Join(
        left, right, tuple(_read_row(row, polynomial, *entry, k) for k, row in enumerate(rows))
    )


def _read_row(item: object, polynomial: bool, *entry: int) -> tuple[tuple[int, ...], Ways]:
    row = require_list("components", item, *entry)
    if len(row) != 2:
        raise CertificateError("components", "An entry is a state and its ways.", entry)
    state = require_list("components", row[0], *entry)
    numbers = tuple(require_number("components", mines, *entry) for mines in state)
    return numbers, _read_ways("components", row[1], polynomial, *entry)


def _read_ways(field: str, ways_json: object, polynomial: bool, *entry: int) -> Ways:
    ways: dict[str, Any] = (
        require_object(field, ways_json, *entry) if polynomial else {"0": ways_json}
    )
    for mines, text in ways.items():
        if not _MINES.fullmatch(mines):
            raise CertificateError(field, "A key is not a number of mines.", entry)
        if not is_count(text):
            raise CertificateError(field, "A number is not a text of digits.", entry)
    return {int(mines): text for mines, text in ways.items()}
