"""The cache answers a question with the earlier answer to an equal question."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.execution.cache import Cache, Entry
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.automata import Window
from minecheck.minefield import Board, Layout, parse, parse_rules
from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN
from minecheck.solvers import Answer, Backend, Deadline, Question, answer_question
from minecheck.solvers.composition import Composition, Keep, Leave, Symmetry
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.check import Check
from minecheck.solvers.tasks.compose import Compose
from minecheck.solvers.tasks.count import Count
from minecheck.solvers.tasks.explain import Explain
from minecheck.solvers.tasks.layouts import Layouts
from minecheck.solvers.tasks.sample import Sample
from minecheck.solvers.tasks.strips import Strips
from tests.app.jobs import QUESTIONS_BY_NAME, job_of, render_body
from tests.boards import small_boards
from tests.tasks import Task, question_of

EVER = Deadline()
LATE = Deadline.in_seconds(-1)
LOPSIDED = parse("?1?2\n????\n12??")


def entry_of(cache: Cache, question: Question) -> Entry | None:
    return cache.find_entry(job_of(question))


def keep_rendered(cache: Cache, question: Question, found: Answer | None = None) -> bytes:
    """Give the cache the answer to a question, and return its body."""
    found = found or answer_question(question)
    body = render_body(question, found)
    cache.keep_answer(entry_of(cache, question), found, body, EVER)
    return body


def read_cached(cache: Cache, question: Question) -> dict[str, Any] | None:
    body = cache.get_local(entry_of(cache, question))
    return None if body is None else json.loads(body)


def key_of(job: Job) -> bytes:
    entry = Cache(1).find_entry(job)
    assert entry is not None
    return entry.key


def key(question: Question) -> bytes:
    return key_of(job_of(question))


@given(small_boards(), small_boards())
def test_cache_keys_are_equal_for_equal_boards_only(one: Board, other: Board) -> None:
    same = np.array_equal(one.cells, other.cells)
    assert (key(Check(one)) == key(Check(other))) == same
    assert key(Check(Board(one.cells.copy()))) == key(Check(one))


def test_cache_key_depends_on_shape_of_board() -> None:
    cells = np.full(6, UNKNOWN, np.int8)
    boards = [Board(cells.reshape(height, -1)) for height in (1, 2, 3, 6)]
    assert len({key(Check(board)) for board in boards}) == 4


#: Pairs of questions that differ in one field only.
DIFFERING: dict[str, tuple[Question, Question]] = {
    "board": (Check(parse("1?")), Check(parse("2?"))),
    "mines": (Count(LOPSIDED), Count(LOPSIDED, 3)),
    "density": (
        Count(LOPSIDED, density=Fraction(1, 5)),
        Count(LOPSIDED, density=Fraction(1, 6)),
    ),
    "backend": (
        Count(LOPSIDED),
        Count(LOPSIDED, backend=Backend.SAT),
    ),
    "offset": (
        Layouts(LOPSIDED, offset=10**5000),
        Layouts(LOPSIDED, offset=10**5000 + 1),
    ),
    "limit": (Layouts(LOPSIDED), Layouts(LOPSIDED, limit=99)),
    "window": (
        Strips(LOPSIDED, window=Window(0, 0, 1, 2)),
        Strips(LOPSIDED, window=Window(0, 0, 2, 1)),
    ),
    "fractions": (
        Analyze(LOPSIDED),
        Analyze(LOPSIDED, fractions=True),
    ),
    "layout": (
        Layouts(parse("??"), layout=Layout(np.array([[True, False]]))),
        Layouts(parse("??"), layout=Layout(np.array([[False, True]]))),
    ),
    "cell": (
        Explain(LOPSIDED, cell=(0, 0)),
        Explain(LOPSIDED, cell=(0, 2)),
    ),
    "certificate": (
        Check(LOPSIDED),
        Check(LOPSIDED, certificate=True),
    ),
    "by_mines": (
        Count(LOPSIDED),
        Count(LOPSIDED, by_mines=True),
    ),
    "reveals": (
        Compose(LOPSIDED, keep=Keep.FORCED),
        Compose(LOPSIDED, keep=Keep.FORCED, reveals=1),
    ),
}


@pytest.mark.parametrize("field", DIFFERING)
def test_cache_key_depends_on_every_field_of_question(field: str) -> None:
    one, other = DIFFERING[field]
    assert [each.name for each in fields(one) if _differs(one, other, each.name)] == [field]
    # Both jobs have one operation, so that only the field differs.
    job = job_of(one)
    assert key_of(job) != key_of(replace(job, input=other))
    assert key_of(job) == key_of(replace(job, input=replace(one)))


def _differs(one: Question, other: Question, name: str) -> bool:
    mine, its = getattr(one, name), getattr(other, name)
    if name == "layout" and mine is not None:
        return not np.array_equal(mine.mines, its.mines)
    if name == "board":
        return not np.array_equal(mine.cells, its.cells)
    return bool(mine != its)


def test_cache_key_depends_on_name_of_operation() -> None:
    job = job_of(Check(LOPSIDED))
    assert key_of(job) != key_of(replace(job, operation=QUESTIONS_BY_NAME["count"]))


@pytest.mark.parametrize("field", [field.name for field in fields(Window)])
def test_cache_key_depends_on_every_field_of_window(field: str) -> None:
    board, window = parse("\n".join(["????"] * 4)), Window(1, 1, 1, 2)
    other = replace(window, **{field: getattr(window, field) + 1})
    keys = {key(Strips(board, window=one)) for one in (window, other)}
    assert len(keys) == 2


def test_cache_key_depends_on_every_field_of_composition() -> None:
    mines, none = (Layout(np.array([[held, False]])) for held in (True, False))
    ways = [
        Composition(Keep.SOLVABLE),
        Composition(Keep.SOLVABLE, "bounds"),
        Composition(Keep.SOLVABLE, "subset"),
        Composition(Keep.SOLVABLE, symmetry=Symmetry.HALF_TURN),
        Composition(Keep.SOLVABLE, leave=Leave.SAFE),
        Composition(Keep.SOLVABLE, reveals=1),
        Composition(Keep.SOLVABLE, reveals=2),
        Composition(Keep.SOLVABLE, reveals=2, layout=none),
        Composition(Keep.FORCED),
        Composition(Keep.FORCED, reveals=2, layout=none),
    ]
    full = [Compose(parse("00"), **one.options) for one in ways]
    hidden = [
        Compose(parse("??"), keep=Keep.FORCED, reveals=1, layout=layout) for layout in (mines, none)
    ]
    assert len({key(question) for question in full + hidden}) == len(full + hidden)


def test_cache_key_does_not_depend_on_deadline() -> None:
    question = Count(LOPSIDED)
    assert key_of(job_of(question, 1.0)) == key_of(job_of(question, 30.0))


def test_cache_key_rejects_values_of_unknown_type() -> None:
    question = Explain(LOPSIDED)
    object.__setattr__(question, "cell", [0, 0])
    with pytest.raises(TypeError, match="list"):
        key(question)


@pytest.mark.parametrize("task", [task for task in Task if task is not Task.SAMPLE])
def test_cache_key_of_mirrored_board_differs(task: Task) -> None:
    window = Window(0, 0, 2, 2) if task is Task.STRIPS else None
    mines = 3 if task is Task.MOVES else None
    pictures = [LOPSIDED.cells, LOPSIDED.cells[:, ::-1], LOPSIDED.cells[::-1]]
    questions = [question_of(task, Board(cells), mines, window=window) for cells in pictures]
    assert len({key(question) for question in questions}) == len(pictures)


def test_cache_key_distinguishes_flag_unknown_mine_and_safe_cell() -> None:
    boards = [Board(np.array([[1, code]], np.int8)) for code in (UNKNOWN, FLAG, MINE, SAFE)]
    assert len({key(Check(board)) for board in boards}) == 4


def test_cache_key_of_rules_depends_on_names_bounds_and_number_of_cells() -> None:
    triangle = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 0, "high": 1}]
    others = [
        parse_rules(triangle),
        parse_rules(triangle, 4),
        parse_rules(triangle[:1], 3),
        parse_rules([triangle[0], {"cells": ["b", "d"], "low": 0, "high": 1}]),
        parse_rules([triangle[0], {"cells": ["b", "c"], "low": 0, "high": 2}]),
    ]
    assert len({key(Check(rules)) for rules in others}) == len(others)
    assert key(Check(parse_rules(triangle))) == key(Check(parse_rules(triangle)))


@pytest.mark.parametrize("task", [task for task in Task if task is not Task.SAMPLE])
def test_cached_answer_differs_only_in_field_cached(task: Task) -> None:
    cache = Cache(1)
    window = Window(0, 0, 2, 2) if task is Task.STRIPS else None
    mines = 3 if task is Task.MOVES else None
    question = question_of(task, LOPSIDED, mines, window=window)
    body = json.loads(keep_rendered(cache, question))
    cached = read_cached(cache, question)
    assert cached is not None
    assert list(cached["solver"].items())[-1] == ("cached", True)
    del cached["solver"]["cached"]
    assert cached == body


def test_samples_with_seed_have_no_cache_entry() -> None:
    assert entry_of(Cache(1), Sample(LOPSIDED, seed=7)) is None


def test_cache_without_memory_and_redis_keeps_nothing() -> None:
    cache = Cache.from_settings(Settings(cache_mb=0, redis_url=None), "1")
    entry = entry_of(cache, Check(LOPSIDED))
    assert entry is None
    assert cache.get_local(entry) is None
    keep_rendered(cache, Check(LOPSIDED))
    assert cache.entries == 0


@pytest.mark.parametrize(
    "unfinished",
    [
        lambda found: replace(found, complete=False),
        lambda found: replace(found, note="more time would help"),
    ],
)
def test_cache_does_not_keep_unfinished_answers(unfinished: Callable[[Answer], Answer]) -> None:
    cache = Cache(1)
    question = Count(LOPSIDED)
    keep_rendered(cache, question, unfinished(answer_question(question)))
    assert read_cached(cache, question) is None


def test_cache_does_not_keep_conflict_that_deadline_may_have_cut_short() -> None:
    cache = Cache(1)
    question = Check(parse("11?\n???\n3??"))
    found = answer_question(question)
    assert found.conflict is not None
    found.conflict = replace(found.conflict, smallest=False)
    body = render_body(question, found)
    cache.keep_answer(entry_of(cache, question), found, body, LATE)
    assert read_cached(cache, question) is None
    cache.keep_answer(entry_of(cache, question), found, body, EVER)
    assert read_cached(cache, question) is not None


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(1, 60_000)), max_size=120))
def test_cache_memory_is_bounded_and_last_answer_stays(questions: list[tuple[int, int]]) -> None:
    cache = Cache(1)
    found = Answer(consistent=True, method="none")
    for mines, length in questions:
        question = Count(Board(np.full((20, 20), UNKNOWN, np.int8)), mines)
        body = b'{"filler":"' + b"x" * length + b'","solver":{"complete":true}}'
        cache.keep_answer(entry_of(cache, question), found, body, EVER)
        assert read_cached(cache, question) is not None
        assert cache.size <= 1 << 20
        assert cache.entries <= len(questions)


def test_cache_does_not_keep_answer_that_would_evict_all_entries() -> None:
    cache = Cache(1)
    keep_rendered(cache, Check(LOPSIDED))
    large = b'{"filler":"' + b"x" * (1 << 17) + b'","solver":{}}'
    found = Answer(consistent=True, method="none")
    entry = entry_of(cache, Count(LOPSIDED))
    cache.keep_answer(entry, found, large, EVER)
    assert cache.get_local(entry) is None
    assert read_cached(cache, Check(LOPSIDED)) is not None


def test_cache_counts_hits_and_misses() -> None:
    cache = Cache(1)
    question = Check(LOPSIDED)
    read_cached(cache, question)
    keep_rendered(cache, question)
    read_cached(cache, question)
    read_cached(cache, question)
    assert (cache.memory_hits, cache.memory_misses) == (2, 1)
    assert cache.entries == 1
    assert cache.size > 0
