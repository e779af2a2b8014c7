"""Formulas in DIMACS form: what is read, and what is wrong with it."""

import pickle

import pytest

from minecheck.minefield.certificates.dimacs import ProofError, read_cnf


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
        # Blanks at the margins, and a 0 among others, are not what is wrong.
        ("p cnf 3 1\n \tx 0\n", 2, "Not a literal: 'x'"),
        ("p cnf 3 1\n1  2\t \n", 2, "does not end in 0"),
        ("p cnf 3 1\n0 x 0\n", 2, "Not a literal: 'x'"),
        ("p cnf 3 1\nc\n1 3\nc1 0\n", 3, "does not end in 0"),
        ("p cnf 3 1\nc1 0\n", 2, "Not a literal: 'c1'"),
        (f"p cnf {(1 << 30) + 1} 1\n1 0\n", 1, "More than 1073741824 variables"),
    ],
)
def test_read_cnf_names_the_line_at_fault(cnf: str, line: int, detail: str) -> None:
    with pytest.raises(ProofError, match=detail) as found:
        read_cnf(cnf)
    assert (found.value.text, found.value.line) == ("cnf", line)


def test_read_cnf_skips_comments_blank_lines_and_carriage_returns() -> None:
    formula = read_cnf("c a\r\n\r\np cnf 1 2\r\n  1\t0 \r\nc b\r\n-1 0")
    assert formula.comments == [(1, "a"), (5, "b")]
    assert list(formula) == [(4, [1]), (6, [-1])]
    assert formula.lines == 6


def test_read_cnf_counts_repeated_literals_once() -> None:
    assert read_cnf("p cnf 2 2\n1 1 0\n-1 2 2 -1 0\n").clauses == [[1], [-1, 2]]


def test_read_cnf_accepts_the_largest_number_of_variables() -> None:
    assert read_cnf(f"p cnf {1 << 30} 1\n{1 << 30} 0\n").clauses == [[1 << 30]]


@pytest.mark.parametrize("comment", ["c", "c ", "c\t", "c x", "c\tx"])
def test_read_cnf_takes_c_alone_or_before_a_blank_as_a_comment(comment: str) -> None:
    formula = read_cnf(f"p cnf 1 1\n{comment}\n1 0\n")
    assert (formula.comments, formula.line) == ([(2, comment[2:])], [3])


def test_read_cnf_shortens_an_invalid_literal_in_the_message() -> None:
    with pytest.raises(ProofError) as found:
        read_cnf(f"p cnf 1 1\n{'x' * 20}y 0\n")
    assert found.value.detail == f"Not a literal: {'x' * 20!r}."


@pytest.mark.parametrize("error", [ProofError(3, "Why."), ProofError(3, "Why.", "cnf")])
def test_proof_error_can_be_pickled(error: ProofError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (again.line, again.detail, again.text) == (3, "Why.", error.text)
    assert str(again) == f"Line 3 of the {error.text}: Why."


def test_proof_error_is_about_the_proof_by_default() -> None:
    assert ProofError(1, "Why.").text == "proof"
