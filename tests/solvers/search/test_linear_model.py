"""Models for CP-SAT, against all values of their variables."""

from collections.abc import Sequence
from itertools import product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.search.linear_model import LinearModel

MOST = 3
#: Four variables: two numbers and two literals.
RANGES = (range(MOST + 1), range(MOST + 1), range(2), range(2))
LITERALS = st.sampled_from((2, 3, ~2, ~3))
SUMS = st.tuples(
    st.lists(st.sampled_from(range(4)), min_size=1, max_size=4, unique=True),
    st.integers(0, 4),
    st.integers(0, 4),
    st.none() | LITERALS,
)
Sum = tuple[list[int], int, int, int | None]


def is_true(values: tuple[int, ...], literal: int) -> bool:
    return bool(values[literal]) if literal >= 0 else not values[~literal]


def build_model(sums: list[Sum], clause: list[int], least: int) -> LinearModel:
    model = LinearModel()
    assert [model.add_variable(values[-1]) for values in RANGES] == [0, 1, 2, 3]
    for variables, low, more, condition in sums:
        model.constrain_sum(variables, [low, low + more], condition)
    model.add_clause(clause)
    model.constrain_difference(0, 1, least, 2)
    return model


def list_solutions(sums: list[Sum], clause: list[int], least: int) -> set[tuple[int, ...]]:
    return {
        values
        for values in product(*RANGES)
        if all(
            (condition is not None and not is_true(values, condition))
            or low <= sum(values[variable] for variable in variables) <= low + more
            for variables, low, more, condition in sums
        )
        and any(is_true(values, literal) for literal in clause)
        and (not values[2] or values[0] >= values[1] + least)
    }


@given(st.lists(SUMS, max_size=3), st.lists(LITERALS, min_size=1), st.integers(0, 2))
def test_each_solution_is_visited_once(sums: list[Sum], clause: list[int], least: int) -> None:
    visited: list[tuple[int, ...]] = []

    def visit(values: Sequence[int]) -> bool:
        visited.append(tuple(values))
        return True

    assert build_model(sums, clause, least).visit_solutions(visit, Deadline())
    assert sorted(visited) == sorted(list_solutions(sums, clause, least))


@given(
    st.lists(SUMS, max_size=3),
    st.lists(LITERALS, min_size=1),
    st.lists(st.integers(-3, 3), min_size=4, max_size=4),
    st.booleans(),
)
def test_best_solution_is_the_least_of_all(
    sums: list[Sum], clause: list[int], weights: list[int], hard: bool
) -> None:
    model = build_model(sums, clause, 1)
    model.set_objective(dict(enumerate(weights)))
    model.suggest_values({0: 1, 3: 0})
    solved = model.find_best(Deadline(), relaxed=hard, interleaved=hard)
    costs = {
        values: sum(weight * value for weight, value in zip(weights, values, strict=True))
        for values in list_solutions(sums, clause, 1)
    }
    assert solved.complete
    if not costs:
        assert solved.values is None
        return
    assert solved.values is not None
    assert costs[tuple(solved.values)] == min(costs.values()) == solved.bound


def test_visit_ends_when_it_has_enough() -> None:
    model = build_model([], [2, ~2], 0)
    visited: list[Sequence[int]] = []

    def visit(values: Sequence[int]) -> bool:
        visited.append(values)
        return False

    assert model.visit_solutions(visit, Deadline())
    assert len(visited) == 1


def test_past_deadline_begins_nothing() -> None:
    model = build_model([], [2], 0)
    with pytest.raises(DeadlinePassed):
        model.find_best(Deadline(-inf))


def test_no_work_leaves_a_bound() -> None:
    model = LinearModel()
    variables = [model.add_variable() for _ in range(60)]
    for first in range(60):
        for second in range(first):
            if (first * second) % 7 < 4:
                model.add_clause([first, second])
    model.set_objective(dict.fromkeys(variables, 1))
    solved = model.find_best(Deadline(), work=1e-9)
    assert not solved.complete
    assert solved.bound >= 0
