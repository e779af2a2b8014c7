"""One name for each engine: in requests, in answers, and in the documentation."""

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs import engines
from minecheck import solvers
from minecheck.automata import Window
from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse
from minecheck.minefield.rules import parse_rules
from minecheck.minefield.topology import Shape, Topology
from minecheck.minefield.variant import Clue, Variant
from minecheck.solvers.answer import BackendError
from minecheck.solvers.backend import ALIASES, ENGINES, Backend, BoardKind, list_backends
from minecheck.solvers.effort import Effort
from minecheck.solvers.question import Question
from minecheck.solvers.router import answer_question
from tests import oracle
from tests.boards import boards_with_totals
from tests.examples import examples
from tests.tasks import LISTED, REASONED, Task, question_of
from tests.variants import judge, variants

#: Engines that answers name: all but the one that only chooses.
NAMED = frozenset(one.value for one in Backend if one is not Backend.AUTO)
#: Fields that all engines agree on where they have them.
AGREED = ("consistent", "count", "by_mines", "forced", "flags", "rank")
#: A board whose clues are decided one by one.
DECIDED = parse("111\n1?1\n111")

cases = boards_with_totals().filter(lambda case: case[1] is None or case[1] <= case[0].cells.size)


def make_question(task: str, board: Any, mines: int | None, backend: Backend) -> Question:
    options: dict[str, Any] = {"limit": 3 if task in REASONED else 300}
    if task == "strips":
        options["window"] = Window(0, 0, *board.shape)
    return question_of(Task(task), board, mines, backend=backend, **options)


def answer_or_refusal(task: str, board: Any, mines: int | None, backend: Backend) -> Any:
    """Return the answer to a question, or the error of a backend that does not answer it."""
    try:
        return answer_question(make_question(task, board, mines, backend))
    except BackendError as error:
        return error


def agree(found: Any, other: Any) -> None:
    """Compare what two engines say, as far as both say it."""
    for name in AGREED:
        one, same = getattr(found, name, None), getattr(other, name, None)
        if one is not None and same is not None:
            assert one == same, name
    chances = getattr(found, "probabilities", None), getattr(other, "probabilities", None)
    if chances[0] is not None and chances[1] is not None:
        np.testing.assert_allclose(chances[0], chances[1])


def check_names(found: Any, backend: Backend) -> None:
    """Check the names in an answer of ``backend``."""
    assert found.method in NAMED
    assert set(found.engines) <= NAMED
    assert found.engines[-1] == found.method
    assert len(set(found.engines)) == len(found.engines)
    assert bool(found.automata) == ("automata" in found.engines)
    if backend is not Backend.AUTO:
        assert found.method == backend


# The table.


def test_engine_table_has_each_backend() -> None:
    assert set(ENGINES) == set(Backend)


def test_engine_table_has_exactly_the_existing_questions() -> None:
    names = set(LISTED)
    assert {name for engine in ENGINES.values() for name in engine.questions} == names
    assert set(ENGINES[Backend.AUTO].questions) == names
    for name in names:
        assert len(list_backends(name)) > 1, name


def test_engine_table_of_the_documentation_is_up_to_date() -> None:
    text = engines.PAGE.read_text("utf-8")
    assert engines.render_page(text) == text, "run python -m docs.engines"
    for backend in Backend:
        assert f"| `{backend}` |" in text


@pytest.mark.parametrize(
    ("given_name", "backend"),
    [
        *(("pysat", "sat"), ("cp-sat", "cpsat"), ("ortools", "cpsat"), ("or-tools", "cpsat")),
        *(("PySAT", "sat"), ("CP-SAT", "cpsat"), ("OR-Tools", "cpsat"), ("Auto", "auto")),
        ("FRONTIER", "frontier"),
    ],
)
def test_backend_names_are_read_with_aliases_in_any_letter_case(
    given_name: str, backend: str
) -> None:
    assert Backend(given_name) is Backend[backend.upper()]
    assert solvers.check("?1?", backend=given_name).consistent


def test_backend_aliases_are_not_names_of_engines() -> None:
    assert not ALIASES.keys() & set(Backend)
    assert set(ALIASES.values()) <= set(Backend)


@pytest.mark.parametrize("wrong", ["", "sat ", "search+sat", "z3", "pysat2", None, 1])
def test_unknown_backend_is_rejected_with_the_list_of_names(wrong: Any) -> None:
    with pytest.raises(solvers.QuestionError, match="Use one of: auto, propagation, ") as error:
        solvers.check("?1?", backend=wrong)
    assert error.value.field == "backend"


# Rejections.


@pytest.mark.parametrize(
    ("task", "backend"),
    [
        (task, backend)
        for task, backend in product(LISTED, Backend)
        if task not in ENGINES[backend].questions
    ],
)
def test_backend_that_does_not_answer_a_question_is_rejected(task: str, backend: Backend) -> None:
    with pytest.raises(BackendError) as error:
        make_question(task, parse("?1?"), 1, backend)
    assert str(error.value) == f"The backend {backend} does not answer {task}."
    choices = list_backends(task, BoardKind.PLANE)
    assert error.value.choices == choices
    assert error.value.fix == f"Use one of: {', '.join(choices)}."
    for choice in choices:
        make_question(task, parse("?1?"), 1, choice)


def test_backend_rejection_by_the_board_lists_other_backends() -> None:
    board = parse(("?" * 13 + "\n") * 13)
    with pytest.raises(BackendError, match="The backend automata cannot answer") as error:
        solvers.count(board, backend="automata")
    assert Backend.AUTOMATA not in error.value.choices
    assert error.value.choices[:2] == (Backend.AUTO, Backend.PROPAGATION)
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.choices) == (str(error.value), error.value.choices)


def test_backend_rejection_by_the_kind_of_board_lists_suitable_backends() -> None:
    rules = parse_rules([{"cells": ["a", "b"], "mines": 1}])
    with pytest.raises(BackendError, match="exhaustive does not take rules") as error:
        solvers.count(rules, backend="exhaustive")
    for choice in error.value.choices:
        assert BoardKind.RULES in ENGINES[choice].boards


_VARIANTS = {
    BoardKind.TOPOLOGY: Variant(parse("?1?"), Topology(Shape.TORUS)),
    BoardKind.INTERVALS: Variant(parse("?S?"), differences={(0, 1): Clue(0, 1)}),
    BoardKind.SETS: Variant(parse("?S?"), differences={(0, 1): Clue.one_of([0, 2])}),
    BoardKind.SEVERAL_MINES: Variant(parse("?1?"), most=2),
    BoardKind.LIES: Variant(parse("?1?"), lies=(0, 1)),
}


@pytest.mark.parametrize("kind", _VARIANTS)
@pytest.mark.parametrize("task", ["check", "count", "forced", "analyze", "layouts", "sample"])
def test_backend_rejection_of_a_variant_names_its_kind_and_suitable_backends(
    task: str, kind: BoardKind
) -> None:
    takers = list_backends(task, kind)
    for backend in set(list_backends(task)) - set(takers):
        with pytest.raises(BackendError, match=str(kind)) as error:
            make_question(task, _VARIANTS[kind], 1, backend)
        assert error.value.choices == takers
    for backend in {Backend.AUTO, Backend.SWEEP, Backend.FRONTIER}.intersection(takers):
        assert answer_question(make_question(task, _VARIANTS[kind], 1, backend)).complete


@pytest.mark.parametrize("kind", [BoardKind.SETS, BoardKind.SEVERAL_MINES, BoardKind.LIES])
@pytest.mark.parametrize("task", ["explain", "conflicts", "repair"])
def test_question_about_reasons_rejects_a_variant_by_its_kind(task: str, kind: BoardKind) -> None:
    with pytest.raises(solvers.QuestionError, match=f"{task} does not take {kind}. These do"):
        make_question(task, _VARIANTS[kind], 1, Backend.AUTO)


def test_layouts_of_a_window_need_the_automata_backend() -> None:
    question: dict[str, Any] = {"window": Window(0, 0, 2, 2), "limit": 3}
    board = parse("1??\n???")
    named = question_of(Task.LAYOUTS, board, None, backend=Backend.AUTOMATA, **question)
    assert answer_question(named).method == "automata"
    with pytest.raises(BackendError, match="layouts of a window") as error:
        question_of(Task.LAYOUTS, board, None, backend=Backend.FRONTIER, **question)
    assert error.value.choices == (Backend.AUTO, Backend.AUTOMATA)


# Stages of auto.


def test_propagation_backend_answers_boards_that_it_decides() -> None:
    found = solvers.analyze(DECIDED, backend="propagation")
    assert (found.method, found.count, found.complete) == ("propagation", 1, True)
    assert found.forced is not None
    assert found.forced.mines == [(1, 1)]
    assert not solvers.check("1?3?1", backend="propagation").consistent
    free = solvers.count("0??\n???\n???", 2, backend="propagation")
    assert (free.count, free.method) == (10, "propagation")
    with pytest.raises(BackendError, match="does not decide all of its clues"):
        solvers.check("?1?", backend="propagation")


def test_search_backend_reports_incomplete_when_its_effort_ends() -> None:
    board = parse("?????\n?3?3?\n?????\n?3?3?\n?????")
    assert solvers.check(board, backend="search").consistent
    stuck = Effort(search=-1_000_000, transitions=0, unbounded=True)
    for task in (Task.CHECK, Task.FORCED):
        found = answer_question(question_of(task, board, backend=Backend.SEARCH), effort=stuck)
        assert (found.consistent, found.complete, found.method) == (None, False, "search")


def test_counter_backends_count_the_whole_board_with_a_total() -> None:
    pytest.importorskip("pyganak")
    pytest.importorskip("pyapproxmc")
    board = parse("?1???\n?????\n??2??\n?????")
    for mines in (None, 5):
        expected = solvers.count(board, mines, backend="frontier").count
        exact = solvers.count(board, mines, backend="ganak")
        assert (exact.count, exact.method, exact.complete) == (expected, "ganak", True)
        assert exact.by_mines == (None if mines is None else {mines: expected})
        assert exact.witness is not None
        about = solvers.count(board, mines, backend="approxmc")
        assert (about.count, about.method, about.complete) == (None, "approxmc", False)
        assert about.approximate is not None
        assert expected is not None
        assert expected / 1.8 <= about.approximate.count <= expected * 1.8


@pytest.mark.parametrize("backend", ["ganak", "approxmc"])
def test_counter_backends_find_no_layout_of_an_inconsistent_board(backend: str) -> None:
    pytest.importorskip(f"py{backend}")
    for board, mines in (("1?3?1", None), ("?1?", 2), ("?1?\n???", 3)):
        found = solvers.count(board, mines, backend=backend)
        assert (found.consistent, found.count, found.method) == (False, 0, backend)


def test_missing_counter_is_rejected_with_other_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minecheck.solvers.backends.model_counters.find_spec", lambda name: None)
    for backend in ("ganak", "approxmc"):
        with pytest.raises(BackendError, match="pip install") as error:
            solvers.count("?1?", backend=backend)
        assert Backend.FRONTIER in error.value.choices


# All questions, all engines.


@examples(25)
@given(case=cases, task=st.sampled_from(LISTED))
def test_backends_agree_and_report_their_names(case: tuple[Board, int | None], task: str) -> None:
    board, mines = case
    if task == "moves" and mines is None:
        mines = int(board.unknown.sum()) // 2
    if task == "strips":
        mines = None
    if task == "compose":
        # Only boards that show everything have other things to keep.
        board = parse("1B10\n1121\n001B")
        mines = 2
    usual = answer_question(make_question(task, board, mines, Backend.AUTO))
    check_names(usual, Backend.AUTO)
    expected = oracle.answer(board, mines)
    if task not in ("strips", "compose"):
        assert usual.consistent == bool(expected.layouts)
    for backend in Backend:
        found = answer_or_refusal(task, board, mines, backend)
        if isinstance(found, BackendError):
            assert found.choices[0] is Backend.AUTO
            assert backend not in found.choices
            # Engines answer what the table has, but for its limits.
            limited = (Backend.SWEEP, Backend.PROPAGATION, Backend.POSITIONS)
            assert task not in ENGINES[backend].questions or backend in limited
        else:
            check_names(found, backend)
            agree(found, usual)
            if backend in (Backend.PROPAGATION, Backend.POSITIONS, Backend.FRONTIER):
                assert found.complete


@examples(25)
@given(variant=variants(), task=st.sampled_from(["check", "count", "forced", "analyze", "layouts"]))
def test_backends_agree_about_boards_under_other_rules(variant: Variant, task: str) -> None:
    judged = judge(variant)
    for backend in Backend:
        found = answer_or_refusal(task, variant, None, backend)
        if isinstance(found, BackendError):
            assert found.choices[0] is Backend.AUTO
            continue
        check_names(found, backend)
        assert found.consistent in (bool(judged.layouts), None)
        count = getattr(found, "count", None)
        assert count in (None, len(judged.layouts))
        if backend is Backend.SWEEP:
            # Small boards are within its limits.
            assert found.complete
        if backend is Backend.AUTO:
            assert found.complete
