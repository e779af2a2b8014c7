"""Certificates: answers with all that is needed to see that they are right.

A board that has a layout is shown to have one by a *witness*. That it has none,
or that all its layouts agree on a cell, is shown by a formula in CNF, of which
each clause follows from one clue alone, and by an LRAT proof that refutes it.

The formula is DIMACS text in which comments say what the clauses below them
follow from (rows, columns and positions are from 0):

``c clue ROW COL``
    the clue of that cell, with the known cells folded in
``c rule K``
    rule K
``c total``
    the total of mines
``c counter K``
    the meaning of the variables of counter K
``c claim``
    the contrary of the claim, a single literal

Variable k + 1 says that the unknown cell ``variables[k]`` is a mine. The
variables after these belong to the counters: each says that at least so many
cells of a range of its counter's ``order`` are mines.

How many layouts there are is shown by `minefield.certificates.tables`.

Here certificates are read and written; `minefield.certificates.judge` verifies them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Final

import numpy as np

from minecheck.minefield.board import MINE, Board, BoardError
from minecheck.minefield.certificates.fields import (
    CertificateError,
    require_fields,
    require_list,
    require_number,
    require_object,
)
from minecheck.minefield.certificates.meter import TooMuchWork
from minecheck.minefield.certificates.stated_facts import render_cells
from minecheck.minefield.certificates.tables import (
    CountProof,
    read_count,
    render_components,
    render_ways,
)
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import draw, parse
from minecheck.minefield.rules import Plain, RuleError, Rules, parse_rules

__all__ = [
    "Certificate",
    "CertificateError",
    "Claim",
    "Counter",
    "combine_documents",
    "read_certificate",
    "read_certificates",
    "read_subject",
    "render_puzzle",
]

#: More cells, or more characters in one text, are not looked at.
_MOST_CELLS: Final = 1_000_000
_MOST_TEXT: Final = 1 << 26


class Claim(StrEnum):
    """The claim of a certificate: about a board, about one of its cells, or about a count."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    MINE = "mine"
    SAFE = "safe"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Counter:
    """Variables that count mines.

    ``order`` are variables of cells. Each (first, end, mines) of ``at_least``
    is a further variable: at least so many of ``order[first:end]`` are mines.
    """

    order: tuple[int, ...]
    at_least: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """A claim and what shows it (see the module).

    Cells are numbered ``row * width + col``; those of rules as `Rules` has
    them. ``mines`` is the total, if there is one. ``cell`` belongs to the
    claims MINE and SAFE, ``witness`` to CONSISTENT, ``count`` to
    COUNT, what is between them to all others.

    Where there is no layout at all, MINE and SAFE hold for every cell.
    """

    claim: Claim
    puzzle: Plain
    mines: int | None
    cell: int | None = None
    witness: Layout | None = None
    variables: tuple[int, ...] = ()
    counters: tuple[Counter, ...] = ()
    cnf: str = ""
    proof: str = ""
    count: CountProof | None = None

    def to_document(self) -> dict[str, Any]:
        """Return the certificate as JSON types, as `read_certificate` reads them.

        Rules need names that are strings, and bounds that are not negative.
        """
        return {
            "claim": self.claim.value,
            **render_puzzle(self.puzzle),
            "mines": self.mines,
            **self.own_fields(),
        }

    def own_fields(self) -> dict[str, Any]:
        """Return the JSON fields that only this claim has."""
        return {
            name: value for name, value in self._iterate_fields() if name in _SHOWN_BY[self.claim]
        }

    def _iterate_fields(self) -> Iterator[tuple[str, Any]]:
        puzzle = self.puzzle
        yield "cell", None if self.cell is None else render_cells(puzzle, [self.cell])[0]
        yield "witness", None if self.witness is None else _render_witness(puzzle, self.witness)
        yield "variables", render_cells(puzzle, self.variables)
        yield (
            "counters",
            [
                {"order": list(counter.order), "at_least": list(map(list, counter.at_least))}
                for counter in self.counters
            ],
        )
        yield "cnf", self.cnf
        yield "proof", self.proof
        count = self.count
        if count is not None:
            yield "count", count.count
            yield "by_mines", None if count.by_mines is None else render_ways(count.by_mines, True)
            yield "components", render_components(count, partial(render_cells, puzzle))


_REFUTATION: Final = ("variables", "counters", "cnf", "proof")

#: The fields that show a claim.
_SHOWN_BY: Final[Mapping[Claim, tuple[str, ...]]] = {
    Claim.CONSISTENT: ("witness",),
    Claim.INCONSISTENT: _REFUTATION,
    Claim.MINE: ("cell", *_REFUTATION),
    Claim.SAFE: ("cell", *_REFUTATION),
    Claim.COUNT: ("count", "by_mines", "components"),
}


def read_certificate(source: object) -> Certificate:
    """Read a certificate from JSON values, without verifying it.

    Raises:
        CertificateError: the values are none; whether it is right is not asked.
    """
    document = require_object("certificate", source)
    return _read_about_puzzle(_read_puzzle(document), document)


def _read_puzzle(document: dict[str, Any]) -> Plain:
    missing = next(
        (field for field in (*_read_topic(document), "mines") if field not in document), None
    )
    if missing is not None:
        raise CertificateError(missing, "It is missing.")
    if document["mines"] is not None:
        require_number("mines", document["mines"])
    return _read_rules(document) if "rules" in document else _read_rows("board", document["board"])


def _read_topic(document: dict[str, Any]) -> tuple[str, ...]:
    return ("rules", "total_cells") if "rules" in document else ("board",)


def _read_about_puzzle(puzzle: Plain, document: dict[str, Any]) -> Certificate:
    """Read a certificate about a puzzle that has been read."""
    claim = next((claim for claim in Claim if claim.value == document.get("claim")), None)
    if claim is None:
        raise CertificateError("claim", f"Use one of: {', '.join(Claim)}.")
    require_fields(document, "claim", *_read_topic(document), "mines", *_SHOWN_BY[claim])
    if claim is Claim.COUNT:
        count = read_count(
            document, lambda field, cell, *entry: _read_cell(field, puzzle, cell, *entry)
        )
        return Certificate(claim, puzzle, document["mines"], count=count)
    shown = {name: _READERS[name](puzzle, document[name]) for name in _SHOWN_BY[claim]}
    return Certificate(claim, puzzle, document["mines"], **shown)


def combine_documents(
    puzzle: Plain, mines: int | None, certificates: Sequence[Certificate]
) -> dict[str, Any]:
    """Return certificates of one puzzle and total as JSON types that name these once.

    Each certificate has its own fields in the list ``proofs``.

    Args:
        puzzle: the board or rules of all certificates.
        mines: the total of mines of all certificates, None if there is none.
        certificates: the certificates in the order of ``proofs``.
    """
    shared = {**render_puzzle(puzzle), "mines": mines}
    own = (
        {"claim": certificate.claim.value, **certificate.own_fields()}
        for certificate in certificates
    )
    return {**shared, "proofs": list(own)}


def read_certificates(source: object) -> list[Certificate]:
    """Read the certificates in JSON values: one, or several that were combined, or an answer's.

    Other fields of an answer are for `minefield.certificates.agreement`.

    Raises:
        CertificateError: there are none, or one cannot be read (with several, its ``field`` begins
            with ``proofs`` and a position from 0).
    """
    document = require_object("certificate", source)
    if "certificate" not in document:
        return _read_parts(document)
    if document["certificate"] is None:
        raise CertificateError("certificate", "The answer has none.")
    return _read_parts(require_object("certificate", document["certificate"]))


def read_subject(source: object) -> tuple[Plain, int | None]:
    """Read the board or rules, and the total of mines, that certificates in JSON are about.

    Raises:
        CertificateError: they cannot be read.
    """
    document = require_object("certificate", source)
    document = require_object("certificate", document.get("certificate", document))
    return _read_puzzle(document), document["mines"]


def _read_parts(document: dict[str, Any]) -> list[Certificate]:
    if "proofs" not in document:
        return [read_certificate(document)]
    topic = _read_topic(document)
    require_fields(document, *topic, "mines", "proofs")
    shared = {name: document[name] for name in (*topic, "mines")}
    puzzle = _read_puzzle(document)
    certificates = []
    for index, own in enumerate(require_list("proofs", document["proofs"])):
        try:
            fields = require_object("", own)
            for name in shared.keys() & fields.keys():
                raise CertificateError(name, "It belongs above all proofs, and nowhere else.")
            certificates.append(_read_about_puzzle(puzzle, shared | fields))
        except CertificateError as error:
            raise error.within_certificate(index) from None
    return certificates


def render_puzzle(puzzle: Plain) -> dict[str, Any]:
    """Return the board, or the rules, as JSON types."""
    if isinstance(puzzle, Board):
        return {"board": draw(puzzle)}
    # Bounds that are out of reach may be of any size, and JSON is not.
    rules = [
        {
            "cells": list(rule.cells),
            "low": min(rule.low, len(rule.cells) + 1),
            "high": min(rule.high, len(rule.cells) + 1),
        }
        for rule in puzzle.rules
    ]
    return {"rules": rules, "total_cells": puzzle.total_cells}


def _render_witness(puzzle: Plain, witness: Layout) -> Any:
    if isinstance(puzzle, Board):
        return witness.rows()
    mines, named = witness.mines[0], len(puzzle.number)
    return {
        "mines": render_cells(puzzle, np.flatnonzero(mines[:named]).tolist()),
        "others": np.flatnonzero(mines[named:]).tolist(),
    }


def _read_text(field: str, _: Plain, text: object) -> str:
    if not isinstance(text, str):
        raise CertificateError(field, "It is not a string.")
    if len(text) > _MOST_TEXT:
        raise TooMuchWork(field, f"It is longer than {_MOST_TEXT} characters.")
    return text


def _read_rows(field: str, rows: object) -> Board:
    if not all(isinstance(row, str) for row in require_list(field, rows)):
        raise CertificateError(field, "Its rows are not text.")
    try:
        board = parse(rows)
    except BoardError as error:
        entry = tuple(part for part in (error.row, error.col) if part is not None)
        raise CertificateError(field, error.detail, entry) from None
    if board.cells.size > _MOST_CELLS:
        raise TooMuchWork(field, f"It has more than {_MOST_CELLS} cells.")
    return board


def _read_rules(document: dict[str, Any]) -> Rules:
    total = document["total_cells"]
    if total is not None and require_number("total_cells", total) > _MOST_CELLS:
        raise TooMuchWork("total_cells", f"It is more than {_MOST_CELLS}.")
    try:
        rules = parse_rules(document["rules"], total)
    except RuleError as error:
        entry = () if error.rule is None else (error.rule,)
        field = "total_cells" if error.field == "/total_cells" else "rules"
        raise CertificateError(field, error.detail, entry) from None
    if rules.shape[1] > _MOST_CELLS:
        raise TooMuchWork("rules", f"They have more than {_MOST_CELLS} cells.")
    return rules


def _read_cell(field: str, puzzle: Plain, cell: object, *entry: int) -> int:
    """Return the number of a cell that a field names.

    Raises:
        CertificateError: there is no such cell.
    """
    if isinstance(puzzle, Rules):
        if isinstance(cell, str) and cell in puzzle.number:
            return puzzle.number[cell]
        named = len(puzzle.number)
        if type(cell) is int and 0 <= cell < puzzle.shape[1] - named:
            return named + cell
    elif isinstance(cell, list) and [type(part) for part in cell] == [int, int]:
        row, col = cell
        if 0 <= row < puzzle.height and 0 <= col < puzzle.width:
            return int(row * puzzle.width + col)
    raise CertificateError(field, "There is no such cell.", entry)


def _read_variables(puzzle: Plain, variables: object) -> tuple[int, ...]:
    cells = require_list("variables", variables)
    return tuple(_read_cell("variables", puzzle, cell, entry) for entry, cell in enumerate(cells))


def _read_counters(_: Plain, counters: object) -> tuple[Counter, ...]:
    return tuple(
        _read_counter(entry, item) for entry, item in enumerate(require_list("counters", counters))
    )


def _read_counter(entry: int, counter: object) -> Counter:
    field = "counters"
    fields = require_object(field, counter, entry, names=("order", "at_least"))
    order = require_list(field, fields["order"], entry)
    bounds = require_list(field, fields["at_least"], entry)
    for index, bound in enumerate(bounds):
        if len(require_list(field, bound, entry, index)) != 3:
            raise CertificateError(field, "A bound is three numbers.", (entry, index))
    return Counter(
        tuple(require_number(field, variable, entry) for variable in order),
        tuple(
            (
                require_number(field, first, entry, index),
                require_number(field, end, entry, index),
                require_number(field, mines, entry, index),
            )
            for index, (first, end, mines) in enumerate(bounds)
        ),
    )


def _read_witness(puzzle: Plain, witness: object) -> Layout:
    return (
        _read_named_layout(puzzle, witness) if isinstance(puzzle, Rules) else _read_layout(witness)
    )


def _read_layout(rows: object) -> Layout:
    """Read a layout from rows that show mines, and the right number on all other cells."""
    board = _read_rows("witness", rows)
    for row, col in np.argwhere((board.cells > 8) & (board.cells != MINE))[:1].tolist():
        detail = f"Row {row}, column {col} shows neither a mine nor a number."
        raise CertificateError("witness", detail, (row, col))
    layout = Layout(board.cells == MINE)
    for row, col in layout.list_contradictions(board)[:1]:
        detail = f"Row {row}, column {col} does not show the number of mines around it."
        raise CertificateError("witness", detail, (row, col))
    return layout


def _read_named_layout(rules: Rules, members: object) -> Layout:
    """Read a layout from the names of its mines, and the numbers of those without."""
    source = require_object("witness", members, names=("mines", "others"))
    mines = np.zeros(rules.shape, np.bool_)
    for name, kind in (("mines", str), ("others", int)):
        for entry, given_cell in enumerate(require_list("witness", source[name])):
            cell = _read_cell("witness", rules, given_cell, entry)
            if type(given_cell) is not kind or mines[0, cell]:
                detail = f"In {name} it is in the wrong place, or there twice."
                raise CertificateError("witness", detail, (entry,))
            mines[0, cell] = True
    return Layout(mines)


_READERS: Final[Mapping[str, Callable[[Plain, object], Any]]] = {
    "cell": partial(_read_cell, "cell"),
    "witness": _read_witness,
    "variables": _read_variables,
    "counters": _read_counters,
    "cnf": partial(_read_text, "cnf"),
    "proof": partial(_read_text, "proof"),
}
