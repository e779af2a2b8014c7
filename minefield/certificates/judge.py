"""Verification of certificates that consist of clauses.

Every clause of a formula is judged by itself, by adding up: if all its literals are false, so many
mines there would be at least, so many at most, and that misses what was asked. Then the proof is
checked (`minefield.certificates.lrat`). No code is shared with what finds the answers.

Tested in tests/minefield/certificates/test_document.py.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from minecheck.minefield.board import Board
from minecheck.minefield.certificates import lrat
from minecheck.minefield.certificates.boxes import Sum, count_shown_mines, read_clue
from minecheck.minefield.certificates.counting import Counted, verify_count
from minecheck.minefield.certificates.dimacs import DimacsFormula, ProofError, read_cnf
from minecheck.minefield.certificates.document import Certificate, CertificateError, Claim
from minecheck.minefield.numerals import format_count
from minecheck.minefield.rules import Rules

#: Clauses judged between two calls of ``pause``.
_CHUNK: Final = 1000

#: Numbers of mines that count as least and most, by the range of cells they are in.
_Bounds: TypeAlias = dict[tuple[int, int], tuple[int, int]]


def verify_all(certificates: Sequence[Certificate]) -> list[Counted | None]:
    """Verify all certificates, and return for each what `verify` does.

    Raises:
        CertificateError: one does not show what it claims; of several, the ``field`` begins with
            ``proofs`` and a position from 0.
    """
    counts = []
    for index, certificate in enumerate(certificates):
        try:
            counts.append(verify(certificate))
        except CertificateError as error:
            raise (error.within_certificate(index) if len(certificates) > 1 else error) from None
    return counts


def verify(certificate: Certificate, pause: Callable[[], None] = lambda: None) -> Counted | None:
    """Verify that the certificate shows what it claims; return what else a count shows.

    Args:
        certificate: the certificate.
        pause: a function called now and then; an exception from it ends the verification.

    Returns:
        The counts of the tables if the claim is a count, else None.

    Raises:
        CertificateError: it does not show what it claims.
    """
    if certificate.claim is Claim.CONSISTENT:
        _verify_witness(certificate)
        return None
    if certificate.count is not None:
        return verify_count(certificate.puzzle, certificate.mines, certificate.count, pause)
    try:
        formula = read_cnf(certificate.cnf)
        _Judge(certificate).check_formula(formula, pause)
        lrat.check_proof(formula, certificate.proof, pause)
    except ProofError as error:
        raise CertificateError(error.text, error.detail, line=error.line) from None
    return None


def name_sources(certificate: Certificate) -> tuple[list[object], bool]:
    """Return the clues that the formula of a verified certificate names, and if the total is named.

    Clues are as answers name them: [row, col], or the position of a rule.
    """
    clues: list[object] = []
    total = False
    for _, comment in read_cnf(certificate.cnf).comments:
        match comment.split()[:4]:
            case ["clue", row, col] if row.isdecimal() and col.isdecimal():
                clues.append([int(row[:9]), int(col[:9])])
            case ["rule", rule] if rule.isdecimal():
                clues.append(int(rule[:9]))
            case ["total"]:
                total = True
    return clues, total


def _verify_witness(certificate: Certificate) -> None:
    puzzle, witness, mines = certificate.puzzle, certificate.witness, certificate.mines
    if witness is None or witness.mines.shape != puzzle.shape:
        raise CertificateError("witness", "It does not have the rows and columns of the board.")
    if isinstance(puzzle, Rules):
        for rule in puzzle.list_broken(witness.mines)[:1]:
            raise CertificateError("witness", f"It breaks rule {rule}.", (rule,))
    else:
        for row, col in witness.list_contradictions(puzzle)[:1]:
            detail = f"It contradicts the board at row {row}, column {col}."
            raise CertificateError("witness", detail, (row, col))
    if mines is not None and mines != witness.total:
        detail = f"It has {format_count(witness.total, 'mine')}, which is not the total."
        raise CertificateError("witness", detail)


class _Judge:
    """The check that the clauses of a certificate follow from its board."""

    def __init__(self, certificate: Certificate) -> None:
        self.puzzle, self.mines = certificate.puzzle, certificate.mines
        self.unknown = frozenset(np.flatnonzero(self.puzzle.unknown).tolist())
        self.variables = certificate.variables
        seen: set[int] = set()
        for entry, cell in enumerate(self.variables):
            if cell not in self.unknown or cell in seen:
                detail = f"Variable {entry + 1} is not an unknown cell, or repeats an earlier one."
                raise CertificateError("variables", detail, (entry,))
            seen.add(cell)
        self.counters = certificate.counters
        self.position = [self._number_variables(entry) for entry in range(len(self.counters))]
        #: (counter, first, end, mines) of each variable after those of cells.
        self.ranges = [
            (entry, *bound)
            for entry, counter in enumerate(self.counters)
            for bound in counter.at_least
        ]
        self.denied = self._find_denial(certificate)
        #: Claims denied so far, the sums that hints have named, and which of them a counter counts.
        self.denials = 0
        self.sums: dict[str, tuple[frozenset[int], int, int]] = {}
        self.counted: dict[int, str] = {}

    def check_formula(self, formula: DimacsFormula, pause: Callable[[], None]) -> None:
        """Raise `ProofError` unless all clauses follow, and the claim is denied once."""
        variables = len(self.variables) + len(self.ranges)
        hints, hint = [*formula.comments, (formula.lines + 1, "")], 0
        holds: Callable[[list[int]], bool] | None = None
        for index, (line, clause) in enumerate(formula):
            if index % _CHUNK == 0:
                pause()
            while hints[hint][0] < line:
                holds = self._choose_check(*hints[hint])
                hint += 1
            if holds is None:
                raise ProofError(line, "No comment says what the clause follows from.", "cnf")
            if any(abs(literal) > variables for literal in clause):
                raise ProofError(line, f"The variables go up to {variables}.", "cnf")
            if not holds(clause):
                detail = f"The clause does not follow from: {hints[hint - 1][1][:80]!r}."
                raise ProofError(line, detail, "cnf")
        if self.denied and not self.denials:
            raise ProofError(formula.lines, "The formula does not deny the claim.", "cnf")

    def _number_variables(self, entry: int) -> dict[int, int]:
        """Return the position of each variable in the order of a counter."""
        counter = self.counters[entry]
        order = {variable: index for index, variable in enumerate(counter.order)}
        if len(order) < len(counter.order):
            raise CertificateError("counters", "A variable appears twice.", (entry,))
        if not all(1 <= variable <= len(self.variables) for variable in order):
            raise CertificateError("counters", "A variable does not stand for a cell.", (entry,))
        for index, (first, end, _) in enumerate(counter.at_least):
            if not 0 <= first < end <= len(order):
                detail = f"The range of bound {index} does not consist of cells."
                raise CertificateError("counters", detail, (entry, index))
        return order

    def _find_denial(self, certificate: Certificate) -> list[int]:
        """Return the clause that denies the claim, empty if none does."""
        if certificate.claim is Claim.INCONSISTENT:
            return []
        if certificate.cell not in self.variables:
            raise CertificateError("cell", "No variable stands for it.")
        variable = self.variables.index(certificate.cell) + 1
        return [-variable if certificate.claim is Claim.MINE else variable]

    def _choose_check(self, line: int, hint: str) -> Callable[[list[int]], bool]:
        """Return the check for the clauses below a comment."""
        kind, *words = hint.split()[:4] or [""]
        if all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
            match kind, *map(int, words):
                case ["clue", int(row), int(col)] if isinstance(self.puzzle, Board):
                    return self._check_sum(
                        f"clue {row} {col}", partial(self._sum_of_clue, line, row, col)
                    )
                case ["rule", int(rule)] if isinstance(self.puzzle, Rules):
                    return self._check_sum(f"rule {rule}", partial(self._sum_of_rule, line, rule))
                case ["total"]:
                    return self._check_sum("total", partial(self._sum_of_total, line))
                case ["counter", int(counter)] if counter < len(self.counters):
                    return partial(self._is_definition, counter)
                case ["claim"]:
                    return self._is_denial
        raise ProofError(line, f"Nothing follows from this comment: {hint[:80]!r}.", "cnf")

    def _check_sum(self, name: str, read: Callable[[], Sum]) -> Callable[[list[int]], bool]:
        if name not in self.sums:
            cells, low, high = read()
            self.sums[name] = frozenset(cells), low, high
        return partial(self._is_implied, name)

    def _sum_of_clue(self, line: int, row: int, col: int) -> Sum:
        assert isinstance(self.puzzle, Board), "clues are those of a board"
        cells, (height, width) = self.puzzle.cells, self.puzzle.shape
        if row >= height or col >= width or cells[row, col] > 8:
            raise ProofError(line, f"There is no clue at row {row}, column {col}.", "cnf")
        return read_clue(cells, row, col)

    def _sum_of_rule(self, line: int, index: int) -> Sum:
        assert isinstance(self.puzzle, Rules), "there are no rules for a board"
        if index >= len(self.puzzle.rules):
            raise ProofError(line, f"There is no rule {index}.", "cnf")
        rule, number = self.puzzle.rules[index], self.puzzle.number
        return [number[name] for name in rule.cells], rule.low, rule.high

    def _sum_of_total(self, line: int) -> Sum:
        if self.mines is None:
            raise ProofError(line, "There is no total of mines.", "cnf")
        left = self.mines - count_shown_mines(self.puzzle)
        return self.unknown, left, left

    def _is_implied(self, name: str, clause: list[int]) -> bool:
        """Return True if a clause follows from a clue, a rule or the total."""
        read = self._read_literals(clause)
        if read is None:
            return False
        cells, low, high = self.sums[name]
        counter, bounds = read
        if counter is not None:
            if not self._is_counter_of(counter, name):
                return False
        elif not all(cell in cells for cell, _ in bounds):
            return False
        return _has_no_solution(bounds, len(cells), low, high)

    def _is_counter_of(self, counter: int, name: str) -> bool:
        """Return True if a counter counts only cells of this sum, the first one that uses it."""
        if counter not in self.counted:
            order = self.counters[counter].order
            if all(self.variables[variable - 1] in self.sums[name][0] for variable in order):
                self.counted[counter] = name
        return self.counted.get(counter) == name

    def _is_definition(self, counter: int, clause: list[int]) -> bool:
        """Return True if a clause follows from the meaning of a counter's variables.

        The mines in its longest range are those in the others, which lie in it,
        and in the cells that are left.
        """
        read = self._read_literals(clause)
        if read is None or read[0] != counter:
            return False
        bounds = read[1]
        first, end = max(bounds, key=lambda span: span[1] - span[0])
        low, high = bounds.pop((first, end))
        inside = all(first <= begin and stop <= end for begin, stop in bounds)
        return low > high or (inside and _has_no_solution(bounds, end - first, low, high))

    def _is_denial(self, clause: list[int]) -> bool:
        self.denials += 1
        return clause == self.denied != [] and self.denials == 1

    def _read_literals(self, clause: list[int]) -> tuple[int | None, _Bounds] | None:
        """Return the counter of a clause, and the bounds on ranges if its literals were false.

        Without a counter, a range is a cell by its number. None if there are two counters.
        """
        cells = len(self.variables)
        counter, bounds = None, _Bounds()
        for literal in clause:
            if abs(literal) > cells:
                counter = self.ranges[abs(literal) - cells - 1][0]
        for literal in clause:
            bound = self._bound_of_variable(abs(literal), counter)
            if bound is None:
                return None
            first, end, mines = bound
            low, high = bounds.get((first, end), (0, end - first))
            bounds[first, end] = (
                (low, min(high, mines - 1)) if literal > 0 else (max(low, mines), high)
            )
        return counter, bounds

    def _bound_of_variable(self, variable: int, counter: int | None) -> tuple[int, int, int] | None:
        """Return the (first, end, mines) of a variable, None if it is none of the counter's."""
        cells = len(self.variables)
        if variable > cells:
            owner, first, end, mines = self.ranges[variable - cells - 1]
            return (first, end, mines) if owner == counter else None
        if counter is None:
            cell = self.variables[variable - 1]
            return cell, cell + 1, 1
        index = self.position[counter].get(variable)
        return None if index is None else (index, index + 1, 1)


def _has_no_solution(bounds: _Bounds, size: int, low: int, high: int) -> bool:
    """Return True if bounds on parts of ``size`` cells rule out low..high mines.

    Where parts overlap that is left open.
    """
    least = most = free = 0
    last = -1
    for first, end in sorted(bounds):
        fewest, greatest = bounds[first, end]
        if fewest > greatest:
            return True
        if first < last:
            return False
        last = end
        least += fewest
        most += greatest
        free += end - first
    return least > high or most + size - free < low
