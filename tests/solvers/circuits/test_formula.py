"""Formulas as text: precedence of operators, and messages about faults."""

from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.solvers.circuits.formula import (
    MOST_CHARACTERS,
    MOST_GATES,
    MOST_VARIABLES,
    FormulaError,
    StepKind,
    parse_formula,
)
from tests.formulas import evaluate


def table(text: str) -> list[bool]:
    bits = product((False, True), repeat=3)
    return [evaluate(parse_formula(text), dict(zip("abc", row, strict=True))) for row in bits]


@pytest.mark.parametrize(
    ("loose", "bracketed"),
    [
        ("!a & b", "(!a) & b"),
        ("a & b ^ c", "(a & b) ^ c"),
        ("a ^ b | c", "(a ^ b) | c"),
        ("a | b -> c", "(a | b) -> c"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a -> b <-> c", "(a -> b) <-> c"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("!!a|~b", "(!(!a)) | (~b)"),
        ("a & b & c", "(a & b) & c"),
        ("a -> !b | c & a", "a -> ((!b) | (c & a))"),
    ],
)
def test_formula_operators_have_the_usual_precedence(loose: str, bracketed: str) -> None:
    assert table(loose) == table(bracketed)
    kinds = [step.kind for step in parse_formula(bracketed).steps]
    assert [step.kind for step in parse_formula(loose).steps] == kinds


def test_formula_reads_constants_and_names() -> None:
    steps = parse_formula("true & false | 1 & 0 & _x1 & TRUE").steps
    kinds = [step.kind for step in steps if not step.text.count(" ")]
    constants = [StepKind.TRUE, StepKind.FALSE, StepKind.TRUE, StepKind.FALSE]
    assert kinds == [*constants, StepKind.VARIABLE, StepKind.VARIABLE]
    assert parse_formula("b | a | b").variables == ("b", "a")


def test_formula_keeps_the_text_of_its_parts() -> None:
    texts = [step.text for step in parse_formula(" (a&b) | !( c )").steps]
    assert texts == ["a", "b", "a&b", "c", "!( c )", "(a&b) | !( c )"]


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "empty"),
        (" \n", 0, "empty"),
        ("a &", 3, "before the end"),
        ("a && b", 3, "a single &"),
        ("a || b", 3, "a single |"),
        ("a b", 2, "no operator before 'b'"),
        ("a !b", 2, "no operator before '!'"),
        ("(a", 0, "never closed"),
        ("a)", 1, "has no ( before it"),
        ("()", 1, "missing before ')'"),
        ("a + b", 2, "symbol '+' at character 2"),
        ("a & 2", 4, "symbol '2'"),
        ("a & 1x", 4, "symbol '1'"),
        ("a ∧ b", 2, "at character 2 is not allowed"),
        ("a - b", 2, "symbol '-'"),
    ],
)
def test_formula_errors_name_the_position(text: str, position: int, message: str) -> None:
    with pytest.raises(FormulaError) as raised:
        parse_formula(text)
    assert raised.value.position == position
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        " " * MOST_CHARACTERS + "a",
        "|".join(f"x{number}" for number in range(MOST_VARIABLES + 1)),
        "!" * (MOST_GATES + 1) + "a",
    ],
)
def test_formula_that_is_too_large_is_rejected_with_the_bound(text: str) -> None:
    with pytest.raises(FormulaError, match="at most") as raised:
        parse_formula(text)
    assert raised.value.code == "formula-too-large"


def test_formula_reads_deeply_nested_brackets() -> None:
    deep = "(" * 900 + "a" + ")" * 900
    assert parse_formula(deep).variables == ("a",)


@given(st.text("ab01!~&|^<->() x", max_size=40) | st.text(max_size=20))
def test_parse_formula_reads_or_rejects_any_text(text: str) -> None:
    with suppress(FormulaError):
        formula = parse_formula(text)
        assert evaluate(formula, dict.fromkeys(formula.variables, True)) in (True, False)
