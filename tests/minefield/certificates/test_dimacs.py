"""Formulas in DIMACS form: what is read, and what is wrong with it."""

import pytest

from minefield.certificates.dimacs import ProofError, read_cnf


@pytest.mark.parametrize(
    ("cnf", "line", "detail"),
    [
        ("", 1, "header"),
        ("c nothing\n\n", 1, "header"),
        ("c one\n1 0\np cnf 1 1\n", 2, "header"),
        ("p cnf 1\n1 0\n", 1, "header"),
        ("p cnf -1 1\n1 0\n", 1, "header"),
        ("p cnf 2 1\n1 0\n2 0\n", 1, "2 clauses, not 1"),
        ("p cnf 2 3\n1 0\n2 0\n", 1, "2 clauses, not 3"),
        ("p cnf 1 2\n1 0\n2 0\n", 3, "literal 2 is out of range"),
        ("p cnf 1 1\np cnf 1 1\n1 0\n", 2, "Not a literal: 'p'"),
        ("p cnf 9999999999 1\n1 0\n", 1, "variables"),
        ("p cnf 3 1\n99999999999999999999 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n4294967297 0\n", 2, "out of range"),
        ("p cnf 3 2\n1 0\n1 2\n", 3, "does not end in 0"),
        ("p cnf 3 2\n1 0 2 0\n", 2, "goes on"),
        ("p cnf 3 2\n1\n2 0\n", 2, "does not end in 0"),
        ("p cnf 3 1\nd 1 0\n", 2, "Not a literal: 'd'"),
        ("p cnf 3 1\n-0 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n+1 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n1_0 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n\u0661 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n\x0b\n1 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n1\u20280\n", 2, "Not a literal"),
    ],
)
def test_a_formula_that_cannot_be_read_names_its_line(cnf: str, line: int, detail: str) -> None:
    with pytest.raises(ProofError, match=detail) as found:
        read_cnf(cnf)
    assert (found.value.text, found.value.line) == ("cnf", line)


def test_comments_blank_lines_and_carriage_returns_are_passed_over() -> None:
    formula = read_cnf("c a\r\n\r\np cnf 1 2\r\n  1\t0 \r\nc b\r\n-1 0")
    assert formula.comments == [(1, "a"), (5, "b")]
    assert list(formula) == [(4, [1]), (6, [-1])]
    assert formula.lines == 6


def test_literals_that_stand_twice_count_once() -> None:
    assert read_cnf("p cnf 2 2\n1 1 0\n-1 2 2 -1 0\n").clauses == [[1], [-1, 2]]
