"""The functions of the library take boards in any form, and errors name the argument."""

import doctest
import inspect
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given

from minecheck.automata import Window
from minecheck.minefield import Board, BoardError, draw, parse
from minecheck.solvers import Backend, BackendError, Composition, Deadline, QuestionError
from minecheck.solvers.backend import BoardKind, list_backends
from minecheck.solvers.library import questions
from minecheck.solvers.router import answer_question
from tests.boards import boards_with_totals
from tests.tasks import Task, question_of

ROWS = ["?1?", "???", "1?1"]

#: Each function with the task that it asks, and the least that it takes beside a board.
FUNCTIONS: list[tuple[Callable[..., Any], Task, dict[str, Any]]] = [
    (questions.check, Task.CHECK, {}),
    (questions.count, Task.COUNT, {}),
    (questions.forced, Task.FORCED, {}),
    (questions.analyze, Task.ANALYZE, {}),
    (questions.layouts, Task.LAYOUTS, {}),
    (questions.sample, Task.SAMPLE, {"seed": 3}),
    (questions.strips, Task.STRIPS, {"window": Window(0, 0, 2, 3)}),
    (questions.explain, Task.EXPLAIN, {}),
    (questions.conflicts, Task.CONFLICTS, {}),
    (questions.repair, Task.REPAIR, {}),
    (questions.moves, Task.MOVES, {"mines": 3}),
    (questions.compose, Task.COMPOSE, {}),
]


def describe_answer(answer: Any) -> dict[str, Any]:
    """Return what an answer says, without its time."""
    fields = vars(answer) | {"witness": str(answer.witness)}
    fields["by_mines"] = getattr(answer, "by_mines", None)
    probabilities = getattr(answer, "probabilities", None)
    fields["probabilities"] = None if probabilities is None else repr(probabilities.tolist())
    return {
        name: value
        for name, value in fields.items()
        if name not in ("elapsed", "presenter") and not name.startswith("_") and value is not None
    }


def test_library_docstring_examples_run() -> None:
    results = doctest.testmod(questions)
    assert (results.failed, results.attempted > 10) == (0, True)


def test_library_documentation_examples_run() -> None:
    page = Path(__file__).parents[3] / "docs" / "library.md"
    results = doctest.testfile(str(page), module_relative=False)
    assert (results.failed, results.attempted > 8) == (0, True)


def test_library_has_a_function_for_each_task() -> None:
    assert {task for _, task, _ in FUNCTIONS} == set(Task)


@pytest.mark.parametrize(
    ("function", "task", "options"), FUNCTIONS, ids=[str(task) for _, task, _ in FUNCTIONS]
)
def test_library_functions_answer_as_questions_do(
    function: Callable[..., Any], task: Task, options: dict[str, Any]
) -> None:
    by_mines = None if task in (Task.COUNT, Task.ANALYZE) else False
    limit = {Task.SAMPLE: 1, Task.REPAIR: 10, Task.MOVES: 10}.get(task, 100)
    more = Composition().options if task is Task.COMPOSE else {}
    question = question_of(task, parse(ROWS), by_mines=by_mines, limit=limit, **options, **more)
    assert describe_answer(function(ROWS, **options)) == describe_answer(answer_question(question))


def test_library_limits_what_is_listed() -> None:
    two = ["0B??0B"]
    every, one = questions.conflicts(two).conflicts, questions.conflicts(two, limit=1).conflicts
    assert every is not None
    assert one is not None
    assert (len(every.sets), len(one.sets), one.more) == (2, 1, True)
    assert len(questions.layouts("???", limit=3).layouts or ()) == 3
    moves = questions.moves("1??", 1, limit=1).moves
    assert moves is not None
    assert len(moves.moves) == 1


@given(boards_with_totals())
def test_library_functions_read_boards_in_every_form(case: tuple[Board, int | None]) -> None:
    board, mines = case
    if mines is not None and mines > board.cells.size:
        with pytest.raises(QuestionError):
            questions.count(board, mines)
        return
    rows = draw(board)
    symbols = [list(row) for row in rows]
    nested = [[int(cell) if cell.isdigit() else cell for cell in row] for row in rows]
    right = questions.count(board, mines).count
    for form in (rows, "\n".join(rows), symbols, nested, np.array(symbols), tuple(rows)):
        assert questions.count(form, mines).count == right
    assert questions.count(np.array(nested, object), mines).count == right


def test_library_reads_numpy_numbers_as_clues() -> None:
    assert questions.count([[cast(int, np.int64(1)), "?"]]).count == 1
    assert questions.check(np.array([[1, 1]])).consistent is False


@pytest.mark.parametrize("backend", list_backends("count", BoardKind.PLANE))
def test_library_count_takes_backends_by_name(backend: Backend) -> None:
    if backend is Backend.PROPAGATION:
        with pytest.raises(BackendError, match="does not decide"):
            questions.count(["1?", "??"], backend=str(backend))
        return
    found = questions.count(["1?", "??"], backend=str(backend))
    about = found.approximate
    assert (found.count if about is None else about.count) == 3


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        (
            {"mines": "3"},
            TypeError,
            "None, not str. Write mines=3",
        ),
        (
            {"mines": 2.0},
            TypeError,
            "None, not float. Write mines=2",
        ),
        ({"mines": True}, TypeError, "mines has to be a whole number or None, not bool"),
        ({"mines": -1}, QuestionError, "A board of 2 cells has 0 to 2 mines"),
        ({"backend": "z3"}, QuestionError, '"z3" is not a valid backend. Use one of: auto'),
        ({"backend": None}, QuestionError, '"None" is not a valid backend'),
        ({"density": "a half"}, QuestionError, "A density is a number between 0 and 1"),
        ({"density": "1/0"}, QuestionError, "A density is a number between 0 and 1"),
        ({"density": 2}, QuestionError, "A density lies between 0 and 1"),
        ({"deadline": "5"}, TypeError, "deadline has to be seconds, a Deadline or None, not str"),
        ({"deadline": True}, TypeError, "not bool"),
        ({"deadline": 0}, QuestionError, "A deadline is more than 0 seconds from now"),
        ({"deadline": float("nan")}, QuestionError, "A deadline is more than 0 seconds from now"),
    ],
)
def test_library_count_names_the_argument_at_fault(
    options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as raised:
        questions.count("?1", **options)
    assert says in str(raised.value)
    if isinstance(raised.value, QuestionError):
        assert raised.value.field in options


@pytest.mark.parametrize(
    ("board", "says"),
    [
        (None, "A board cannot be null"),
        (3, "A board cannot be a number"),
        (np.array([[0.5, 1.0]]), "The cell at row 0, column 0 is 0.5"),
        (np.array([[1, -1]]), "The cell at row 0, column 1 is -1"),
        (np.array([]), "The board has no cells"),
        ([["?", True]], "The cell at row 0, column 1 is a boolean"),
        ("9?", "The symbol '9' at row 0, column 0"),
    ],
)
def test_library_check_says_where_a_board_cannot_be_read(board: Any, says: str) -> None:
    with pytest.raises(BoardError) as raised:
        questions.check(board)
    assert says in str(raised.value)


@pytest.mark.parametrize("density", [0.1, "0.1", "1/10", Fraction(1, 10)])
def test_library_analyze_takes_densities_exactly_as_written(density: Any) -> None:
    answer = questions.analyze("??", density=density, fractions=True)
    assert answer.probabilities is not None
    assert answer.probabilities.tolist() == [[Fraction(1, 10)] * 2]


@pytest.mark.parametrize("deadline", [600, 600.0, float("inf"), Deadline(), None])
def test_library_check_takes_deadlines_in_seconds_or_as_objects(deadline: Any) -> None:
    assert questions.check(["1?", "??"], backend="sat", deadline=deadline).complete


def test_library_layouts_rejects_a_limit_of_zero() -> None:
    with pytest.raises(QuestionError, match="A limit is 1 or more"):
        questions.layouts("??", limit=0)


def test_library_sample_repeats_with_the_same_seed() -> None:
    drawn = [
        [layout.rows() for layout in questions.sample("?" * 20, limit=20, seed=seed).layouts or []]
        for seed in (7, 7, 8)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    fresh = [questions.sample("?" * 20, limit=20).layouts or [] for _ in range(2)]
    assert len({str([layout.rows() for layout in one]) for one in fresh}) == 2


@pytest.mark.parametrize(
    ("function", "options", "says"),
    [
        (questions.layouts, {"limit": "3"}, "limit has to be a whole number, not '3'"),
        (questions.layouts, {"offset": 1.5}, "offset has to be a whole number, not 1.5"),
        (questions.sample, {"seed": "7"}, "seed has to be a whole number, not '7'"),
        (questions.explain, {"cell": "0,1"}, r"cell has to be \(row, col\), both from 0"),
        (questions.strips, {"window": (0, 0, 1, 3)}, r"window has to be a minecheck.Window\(row, "),
    ],
)
def test_library_functions_name_option_of_wrong_type(
    function: Any, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(TypeError, match=says):
        function("?1?", **options)


@pytest.mark.parametrize(
    ("function", "options"), [(one, more) for one, _, more in FUNCTIONS], ids=range(len(FUNCTIONS))
)
def test_library_functions_reject_arguments_of_wrong_types(
    function: Callable[..., Any], options: dict[str, Any]
) -> None:
    wrong = {"deadline": "5", "mines": "3", "backend": "z3", "density": "a half"}
    taken = inspect.signature(function).parameters
    for name in wrong.keys() & taken.keys():
        with pytest.raises((TypeError, QuestionError), match=name):
            function(ROWS, **{**options, name: wrong[name]})


def test_library_layouts_begin_at_the_offset() -> None:
    every = [layout.rows() for layout in questions.layouts(ROWS).layouts or []]
    some = [layout.rows() for layout in questions.layouts(ROWS, offset=2, limit=3).layouts or []]
    assert some == every[2:5]
