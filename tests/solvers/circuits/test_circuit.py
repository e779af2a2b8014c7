"""The layouts of circuits are the satisfying assignments, one for one."""

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import Layout
from minecheck.minefield.board import MINE, UNKNOWN
from minecheck.minefield.notation import parse
from minecheck.solvers import count, layouts
from minecheck.solvers.circuits.circuit import MOST_CELLS, Circuit, build_circuit
from minecheck.solvers.circuits.formula import FormulaError, StepKind, parse_formula
from minecheck.solvers.circuits.gadgets import GADGETS, SIDE
from tests.examples import examples
from tests.formulas import evaluate

Tree: TypeAlias = "str | tuple[str, Tree] | tuple[str, Tree, Tree]"

TABLES = {
    "&": {(1, 1)},
    "|": {(0, 1), (1, 0), (1, 1)},
    "^": {(0, 1), (1, 0)},
    "->": {(0, 0), (0, 1), (1, 1)},
    "<->": {(0, 0), (1, 1)},
}


def text(tree: Tree) -> str:
    """A tree in brackets."""
    if isinstance(tree, str):
        return tree
    if len(tree) == 2:
        return f"!{text(tree[1])}"
    return f"({text(tree[1])} {tree[0]} {text(tree[2])})"


def truth(tree: Tree, values: dict[str, int]) -> int:
    """Return the value of a tree for the values of its variables."""
    if isinstance(tree, str):
        return values[tree]
    if len(tree) == 2:
        return 1 - truth(tree[1], values)
    return (truth(tree[1], values), truth(tree[2], values)) in TABLES[tree[0]]


def names(tree: Tree) -> set[str]:
    if isinstance(tree, str):
        return {tree} - {"0", "1"}
    return set[str]().union(*map(names, tree[1:]))


def satisfying(tree: Tree) -> set[tuple[int, ...]]:
    """The satisfying assignments, to the names in order."""
    known = {"0": 0, "1": 1}
    order = sorted(names(tree))
    bits = product((0, 1), repeat=len(order))
    return {row for row in bits if truth(tree, known | dict(zip(order, row, strict=True)))}


def trees(size: int, leaves: str) -> Iterator[Tree]:
    """All trees of so many operators."""
    if size == 0:
        yield from leaves
        return
    for operand in trees(size - 1, leaves):
        yield "!", operand
    for left in range(size):
        for one, two in product(trees(left, leaves), trees(size - 1 - left, leaves)):
            for operator in TABLES:
                yield operator, one, two


def compare(tree: Tree) -> Circuit:
    """Check the layouts of the circuit of a tree against its truth table."""
    made = build_circuit(parse_formula(text(tree)))
    meant = satisfying(tree)
    assert count(made.board).count == len(meant)
    answer = layouts(made.board, limit=len(meant) + 1)
    found = [made.read_assignment(layout) for layout in answer.layouts or []]
    assert {tuple(one[name] for name in sorted(one)) for one in found} == meant
    assert len(found) == len(meant)
    return made


def name_squares(made: Circuit) -> dict[tuple[int, int], str | None]:
    """Return the gadgets of a circuit by row and column of squares, None for empty ones."""
    names = {parse(rows).cells.tobytes(): name for name, rows in GADGETS.items()}
    rows, cols = (length // SIDE for length in made.board.shape)
    squares = made.board.cells.reshape(rows, SIDE, cols, SIDE).swapaxes(1, 2)
    return {cell: names.get(squares[cell].tobytes()) for cell in np.ndindex(rows, cols)}


@pytest.mark.parametrize("size", [0, 1])
def test_circuits_of_all_formulas_of_up_to_one_operator_are_right(size: int) -> None:
    for tree in trees(size, "abc01"):
        compare(tree)


@pytest.mark.slow
def test_circuits_of_all_formulas_of_two_operators_are_right() -> None:
    for tree in trees(2, "abc"):
        compare(tree)


@pytest.mark.parametrize("start", range(8))
def test_circuits_of_formulas_of_two_and_three_operators_are_right(start: int) -> None:
    for size, step in ((2, 397), (3, 20011)):
        for number, tree in enumerate(trees(size, "abc")):
            if number % step == start * 41:
                compare(tree)


def larger() -> st.SearchStrategy[Tree]:
    """Trees of many shapes, with variables that occur several times."""
    return st.recursive(
        st.sampled_from("aabbccdde01"),
        lambda inner: st.one_of(
            st.tuples(st.just("!"), inner), st.tuples(st.sampled_from(list(TABLES)), inner, inner)
        ),
        max_leaves=12,
    )


@given(larger())
@examples(300)
def test_circuit_has_one_layout_for_each_satisfying_assignment(tree: Tree) -> None:
    made = compare(tree)
    height, width = made.board.shape
    squares = name_squares(made)
    for kind, row, col in ((gate.kind, gate.row, gate.col) for gate in made.gates):
        assert squares[row // SIDE, col // SIDE] == kind
    for cells in (*made.variables.values(), (made.output,)):
        assert cells
        for row, col in cells:
            assert 0 <= row < height
            assert 0 <= col < width
            assert made.board.cells[row, col] == UNKNOWN


@given(larger())
@examples(100)
def test_circuit_mines_give_the_values_of_variables_and_gates(tree: Tree) -> None:
    made = build_circuit(parse_formula(text(tree)))
    for layout in layouts(made.board, limit=5).layouts or []:
        values = made.read_assignment(layout)
        for name, cells in made.variables.items():
            assert {bool(layout.mines[cell]) for cell in cells} == {values[name]}
        for gate in made.gates:
            value = evaluate(parse_formula(gate.text), values)
            assert bool(layout.mines[gate.output]) == value, gate
        assert layout.mines[made.output]


def test_circuit_assignments_are_read_from_the_first_cell() -> None:
    made = build_circuit(parse_formula("a | b"))
    mines = np.zeros(made.board.shape, bool)
    mines[made.variables["b"][0]] = True
    assert made.read_assignment(Layout(mines)) == {"a": False, "b": True}


def test_circuit_turns_crossed_wires_back() -> None:
    made = build_circuit(parse_formula("(a ^ b ^ c) & (a ^ b ^ c)"))
    drawn = list(name_squares(made).values())
    assert drawn.count("crossing") == 3
    assert {name for name in drawn if name and name.endswith("turned")}
    assert [gate.kind for gate in made.gates] == [StepKind.XOR] * 4 + [StepKind.AND]


def test_circuit_board_is_no_larger_than_needed() -> None:
    assert build_circuit(parse_formula("1")).board.shape == (18, 9)
    assert build_circuit(parse_formula("(a & b) | !c")).board.shape == (36, 27)
    assert build_circuit(parse_formula("(a | b) & (!a | c) & (b -> c)")).board.shape[0] < 100
    assert MINE in build_circuit(parse_formula("a & b")).board.cells


def test_build_circuit_rejects_a_board_that_is_too_large() -> None:
    text = " & ".join(f"a{number % 16}" for number in range(64))
    with pytest.raises(FormulaError, match="cells") as raised:
        build_circuit(parse_formula(text))
    assert f"{MOST_CELLS:,}" in raised.value.detail
    with pytest.raises(FormulaError, match="more than 100"):
        build_circuit(parse_formula("a & b"), most_cells=100)
