"""Outputs of solvers are read in every form, judged by the board, and rejected if invalid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import Board, parse
from minecheck.minefield.rules import Rule, Rules
from minecheck.solvers.export import solution
from minecheck.solvers.export.solution import Solution, SolutionError
from tests import oracle
from tests.boards import boards_with_totals
from tests.examples import examples

MODEL = "sat\n(\n  (define-fun x1 () Bool\n    true)\n  (define-fun x2 () Bool\n    false)\n)\n"


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("c hello\ns SATISFIABLE\nv 1 -2\nv 3 0\n", Solution(True, {1: True, 2: False, 3: True})),
        ("v 1 -2 0\r\n", Solution(True, {1: True, 2: False})),
        ("s OPTIMUM FOUND\no 0\nv x1 -x2\n", Solution(True, {1: True, 2: False})),
        ("SAT\n1 -2 0\n", Solution(True, {1: True, 2: False})),
        ("SAT\n0\n", Solution(True, {})),
        ("s SATISFIABLE\nv 0\n", Solution(True, {})),
        ("x1 = 1;\nx2 = 0;\n----------\n", Solution(True, {1: True, 2: False})),
        ("x1 = true; x2=false;", Solution(True, {1: True, 2: False})),
        (MODEL, Solution(True, {1: True, 2: False})),
        ("((x1 true)\n (x2 false))", Solution(True, {1: True, 2: False})),
        ("s UNSATISFIABLE\n", Solution(False, {})),
        ("=====UNSATISFIABLE=====\n", Solution(False, {})),
        ("UNSAT\n", Solution(False, {})),
        ('unsat\n(error "line 9: model is not available")\n', Solution(False, {})),
        ("s UNKNOWN\n", Solution(None, {})),
        ("unknown\n", Solution(None, {})),
        ("=====UNKNOWN=====\n", Solution(None, {})),
        (f"v {'9' * 5000} -1 0", Solution(True, {10**18: True, 1: False})),
    ],
)
def test_read_solution_reads_every_form(output: str, found: Solution) -> None:
    assert solution.read_solution(output) == found


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("", "There is no solution"),
        ("hello\nv\n", "There is no solution"),
        ("v 1 -2 -1 0", "variable 1 both true and false"),
        ("x1 = 0;\n----------\nx1 = 1;\n----------\n", "variable 1 both true and false"),
        ("sat\nunsat\n", "both that there is a solution and that there is none"),
        ("s UNSATISFIABLE\nv 1 0\n", "no solution, and has one"),
    ],
)
def test_read_solution_rejects_text_that_is_not_a_solution(output: str, message: str) -> None:
    with pytest.raises(SolutionError) as error:
        solution.read_solution(output)
    assert message in error.value.detail
    assert error.value.fix


@given(boards_with_totals(), st.data())
@examples(200)
def test_judge_solution_agrees_with_the_oracle(
    case: tuple[Board, int | None], data: st.DataObject
) -> None:
    board, mines = case
    unknown = [(int(r), int(c)) for r, c in zip(*board.unknown.nonzero(), strict=True)]
    values = data.draw(st.lists(st.booleans(), min_size=len(unknown), max_size=len(unknown)))
    right = oracle.answer(board, mines)
    if right.count and data.draw(st.booleans()):
        layout = data.draw(st.sampled_from(right.layouts))
        values = [cell in layout for cell in unknown]
    judged = solution.judge_solution(Solution(True, dict(enumerate(values, 1))), board, mines)
    assert judged is not None
    found = {(int(r), int(c)) for r, c in zip(*judged.layout.mines.nonzero(), strict=True)}
    assert judged.fits == (frozenset(found) in right.layouts)
    assert judged.total == (mines is not None and len(found) != mines)
    assert judged.unassigned == []


def test_judge_solution_names_broken_clues() -> None:
    board = parse(["1??", "??2"])
    judged = solution.judge_solution(Solution(True, {1: True, 3: True}), board, 3)
    assert judged is not None
    assert not judged.fits
    assert (judged.clues, judged.total) == ([(0, 0), (1, 2)], True)
    assert judged.unassigned == [(0, 2), (1, 1)]


def test_judge_solution_names_broken_rules() -> None:
    rules = Rules((Rule(("a", "b"), 1, 1), Rule(("b", "c"), 1, 2)), 4)
    judged = solution.judge_solution(Solution(True, {1: False, 2: False, 3: True, 4: False}), rules)
    assert judged is not None
    assert (judged.clues, judged.total, judged.fits) == ([(0, 0)], False, False)


def test_judge_solution_rejects_a_solution_without_values() -> None:
    with pytest.raises(SolutionError, match="does not show it"):
        solution.judge_solution(Solution(True, {}), parse(["1?"]))
    judged = solution.judge_solution(Solution(True, {}), parse(["1B"]))
    assert judged is not None
    assert judged.fits


def test_judge_solution_of_an_unsatisfiable_verdict_is_none() -> None:
    for verdict in (False, None):
        assert solution.judge_solution(Solution(verdict, {}), parse(["1?"])) is None
