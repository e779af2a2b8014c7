"""Rules in place of a board: how they are read, what they are, which are rejected."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from minecheck.minefield import Rule, RuleError, Rules, parse_rules, reduce
from minecheck.minefield.reduction.constraints import NONE
from tests import oracle
from tests.boards import rule_sets
from tests.rule_constraints import build_constraints, reduce_board


def test_rules_number_cells_in_the_order_of_mention() -> None:
    rules = parse_rules([{"cells": ["b", "a"], "mines": 1}, {"cells": ["a", "c"], "mines": 0}], 5)
    assert dict(rules.number) == {"b": 0, "a": 1, "c": 2}
    assert rules.shape == (1, 5)
    assert rules.unknown.all()
    assert rules.unknown.shape == (1, 5)
    assert rules.flags == []


def test_rules_without_a_number_of_cells_have_the_named_cells() -> None:
    assert parse_rules([{"cells": ["b", "a"], "mines": 1}]).shape == (1, 2)


@pytest.mark.parametrize(
    ("given", "low", "high"),
    [
        ({"mines": 1}, 1, 1),
        ({"mines": 9}, 9, 9),
        ({"low": 1, "high": 2}, 1, 2),
        ({"low": 2}, 2, 3),
        ({"low": 7}, 7, 7),
        ({"high": 1}, 0, 1),
        ({"high": 10**30}, 0, 10**30),
    ],
)
def test_parse_rules_reads_a_number_of_mines_or_bounds(
    given: dict[str, int], low: int, high: int
) -> None:
    (rule,) = parse_rules([{"cells": ["a", "b", "c"], **given}]).rules
    assert rule == Rule(("a", "b", "c"), low, high)


@pytest.mark.parametrize(
    ("source", "cells", "rule", "field"),
    [
        (None, None, None, ""),
        ({}, None, None, ""),
        ("a", None, None, ""),
        ([], None, None, ""),
        ([], 5, None, ""),
        ([{"cells": [], "mines": 0}], None, None, ""),
        ([{"cells": [], "mines": 0}], 0, None, ""),
        ([None], None, 0, ""),
        ([["a"]], None, 0, ""),
        ([{"cells": ["a"], "mines": 1}, 5], None, 1, ""),
        ([{"cells": ["a"]}], None, 0, ""),
        ([{"mines": 1}], None, 0, "/cells"),
        ([{"cells": "ab", "mines": 1}], None, 0, "/cells"),
        ([{"cells": {"a": 1}, "mines": 1}], None, 0, "/cells"),
        ([{"cells": ["a", 1], "mines": 1}], None, 0, "/cells/1"),
        ([{"cells": [["a"]], "mines": 1}], None, 0, "/cells/0"),
        ([{"cells": [{}], "mines": 1}], None, 0, "/cells/0"),
        ([{"cells": [None], "mines": 1}], None, 0, "/cells/0"),
        ([{"cells": [""], "mines": 1}], None, 0, "/cells/0"),
        ([{"cells": ["a" * 101], "mines": 1}], None, 0, "/cells/0"),
        ([{"cells": ["a", "b", "a"], "mines": 1}], None, 0, "/cells/2"),
        ([{"cells": ["a"], "mines": -1}], None, 0, "/mines"),
        ([{"cells": ["a"], "mines": 1.0}], None, 0, "/mines"),
        ([{"cells": ["a"], "mines": True}], None, 0, "/mines"),
        ([{"cells": ["a"], "mines": "1"}], None, 0, "/mines"),
        ([{"cells": ["a"], "mines": None}], None, 0, "/mines"),
        ([{"cells": ["a"], "mines": {"low": 0, "high": 1}}], None, 0, "/mines"),
        ([{"cells": ["a"], "low": -1}], None, 0, "/low"),
        ([{"cells": ["a"], "low": 0, "high": 0.5}], None, 0, "/high"),
        ([{"cells": ["a"], "low": 1, "high": 0}], None, 0, ""),
        ([{"cells": ["a"], "mines": 1, "low": 1}], None, 0, ""),
        ([{"cells": ["a"], "mines": 1, "name": "x"}], None, 0, ""),
        ([{"cells": ["a", "b"], "mines": 1}], 1, None, "/total_cells"),
    ],
)
def test_parse_rules_rejects_invalid_rules_and_names_rule_and_field(
    source: Any, cells: int | None, rule: int | None, field: str
) -> None:
    with pytest.raises(RuleError) as error:
        parse_rules(source, cells)
    assert (error.value.rule, error.value.field) == (rule, field)
    assert error.value.detail.endswith(".")
    assert error.value.fix.endswith(".")


def test_rule_error_can_be_pickled() -> None:
    error = RuleError("No.", "Change it.", 3, "/cells/1")
    again = pickle.loads(pickle.dumps(error))
    assert (again.rule, again.field, str(again)) == (3, "/cells/1", "No. Change it.")


def test_rules_can_be_pickled() -> None:
    rules = parse_rules([{"cells": ["a", "b"], "mines": 1}], 4)
    again = pickle.loads(pickle.dumps(rules))
    assert (again.rules, again.shape, again.number) == (rules.rules, (1, 4), {"a": 0, "b": 1})


@given(rule_sets())
def test_rules_reduce_as_their_constraints_do(
    case: tuple[list[Rule], int, int | None],
) -> None:
    given, cells, mines = case
    alone = reduce(build_constraints(given, cells, mines)[0])
    within = reduce_board(Rules(tuple(given), cells), mines)
    assert within.conflict == alone.conflict
    assert within.state.tolist() == alone.state.tolist()
    if alone.conflict == NONE:
        assert within.box_cells.tolist() == alone.box_cells.tolist()


@given(rule_sets())
def test_list_broken_is_empty_exactly_for_solutions(
    case: tuple[list[Rule], int, int | None],
) -> None:
    given, cells, _ = case
    rules = Rules(tuple(given), cells)
    constraints = [([rules.number[n] for n in rule.cells], rule.low, rule.high) for rule in given]
    solutions = set(oracle.sets_of(constraints, range(cells)))
    for number in range(0, 1 << cells, 7):
        mines = np.array([[number >> cell & 1 for cell in range(cells)]], dtype=np.bool_)
        held = frozenset(np.flatnonzero(mines).tolist())
        assert (not rules.list_broken(mines)) == (held in solutions)
