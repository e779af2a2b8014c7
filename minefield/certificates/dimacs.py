"""Clauses in DIMACS form, with the lines that they stand on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from minecheck.minefield.numerals import format_count

_MOST_VARIABLES: Final = 1 << 30

_HEADER: Final = re.compile(r"p[ \t]+cnf[ \t]+([0-9]{1,10})[ \t]+([0-9]{1,10})[ \t]*")
_CLAUSE: Final = re.compile(r"[ \t]*((?:-?[1-9][0-9]{0,9}[ \t]+)*)0[ \t]*")
_LITERAL: Final = re.compile(r"-?[1-9][0-9]{0,9}")


class ProofError(ValueError):
    """A formula, or a proof of it, that proves nothing: ``detail`` says why.

    ``text`` is "cnf" or "proof", and ``line`` its line at fault, from 1.
    """

    def __init__(self, line: int, detail: str, text: str = "proof") -> None:
        super().__init__(line, detail, text)
        self.line = line
        self.detail = detail
        self.text = text

    def __str__(self) -> str:
        return f"Line {self.line} of the {self.text}: {self.detail}"


@dataclass(frozen=True, slots=True)
class DimacsFormula:
    """Clauses of literals, signed variables from 1, as they were read.

    Clause k stands on line ``line[k]``, from 1. ``lines`` is the number of lines, and
    ``comments`` are the (line, text) of the comments.
    """

    clauses: list[list[int]]
    line: list[int]
    lines: int
    comments: list[tuple[int, str]]

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        """(line, literals) of each clause."""
        return zip(self.line, self.clauses, strict=True)


def read_cnf(text: str) -> DimacsFormula:
    """Read clauses in DIMACS form, one a line that ends in 0, below a header that is true.

    Raises:
        ProofError: the text is something else.
    """
    lines = split_lines(text)
    formula = DimacsFormula([], [], len(lines), [])
    header: re.Match[str] | None = None
    top, header_line = 0, 1
    for number, line in enumerate(lines, 1):
        if is_comment(line):
            formula.comments.append((number, line[2:]))
        elif not line.strip(" \t"):
            continue
        elif header is None:
            header, header_line = _HEADER.fullmatch(line), number
            if header is None:
                break
            top = int(header[1])
            if top > _MOST_VARIABLES:
                raise ProofError(number, f"More than {_MOST_VARIABLES} variables.", "cnf")
        else:
            formula.clauses.append(_read_clause(number, line, top))
            formula.line.append(number)
    if header is None:
        raise ProofError(header_line, "The header `p cnf VARIABLES CLAUSES` is missing.", "cnf")
    if len(formula.clauses) != int(header[2]):
        detail = f"It has {format_count(len(formula.clauses), 'clause')}, not {int(header[2])}."
        raise ProofError(header_line, detail, "cnf")
    return formula


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without carriage returns at their ends and an empty last line."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def is_comment(line: str) -> bool:
    """Return True if a line is a comment."""
    return line == "c" or line.startswith(("c ", "c\t"))


def _read_clause(number: int, line: str, top: int) -> list[int]:
    match = _CLAUSE.fullmatch(line)
    if match is None:
        _reject_line(number, line)
    clause = list(dict.fromkeys(map(int, match[1].split())))
    for literal in clause:
        if abs(literal) > top:
            detail = f"The literal {literal} is out of range: variables go up to {top}."
            raise ProofError(number, detail, "cnf")
    return clause


def _reject_line(number: int, line: str) -> NoReturn:
    words = re.split(r"[ \t]+", line.strip(" \t"))
    wrong = next((word for word in words if word != "0" and not _LITERAL.fullmatch(word)), None)
    if wrong is not None:
        raise ProofError(number, f"Not a literal: {wrong[:20]!r}.", "cnf")
    if "0" in words[:-1]:
        raise ProofError(number, "The clause goes on after its 0.", "cnf")
    raise ProofError(number, "The clause does not end in 0.", "cnf")
