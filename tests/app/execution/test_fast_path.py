"""Ordinary lines at once: to the byte what the general way says, and silence on all others."""

import json
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.answers import render
from app.execution import fast_path
from app.problems import ProblemError
from app.requests import reading
from app.settings import Settings
from minefield import UNKNOWN, Board, Layout, draw, parse, parse_rules
from solvers import Backend, Question, Task, answer
from tests.boards import boards_with_totals

SETTINGS = Settings()
TASKS = sorted(fast_path.TASKS)
ELAPSED = re.compile(rb'"elapsed_ms":[0-9.e-]+')


def at_once(line: bytes, task: Task, **defaults: Any) -> bytes | None:
    read = fast_path.read(line, defaults, SETTINGS.max_cells)
    return None if read is None else timeless(fast_path.told(read, task))


def generally(line: bytes, task: Task, **defaults: Any) -> bytes | None:
    asked = reading.of_line(line, defaults, task, SETTINGS)
    return rendered(asked.question)


def rendered(question: Question) -> bytes | None:
    return timeless(render.rendered(question, answer(question)))


def timeless(told: bytes | None) -> bytes | None:
    return told and ELAPSED.sub(b"", told)


@st.composite
def positions(draw: st.DrawFn) -> tuple[Board, int | None]:
    """Boards of a game's size and density, partly shown, and perhaps the total."""
    height, width = draw(st.integers(3, 20)), draw(st.integers(3, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layout = Layout(rng.random((height, width)) < draw(st.floats(0, 0.5)))
    shown = ~layout.mines & (rng.random((height, width)) < draw(st.floats(0.3, 1)))
    board = Board(np.where(shown, layout.numbers(), np.int8(UNKNOWN)))
    return board, draw(st.sampled_from([None, layout.total]))


def line_of(board: Board, mines: int | None) -> bytes:
    return json.dumps({"board": draw(board)} | ({} if mines is None else {"mines": mines})).encode()


@pytest.mark.parametrize("task", TASKS)
@given(positions())
def test_positions_are_told_as_ever(task: Task, asked: tuple[Board, int | None]) -> None:
    line = line_of(*asked)
    found = at_once(line, task)
    assert found is None or found == generally(line, task)


@pytest.mark.parametrize("task", TASKS)
@given(boards_with_totals())
def test_small_boards_are_told_as_ever(task: Task, asked: tuple[Board, int | None]) -> None:
    line = line_of(*asked)
    found = at_once(line, task)
    assert found is None or found == generally(line, task)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "line",
    [
        '{"board": ["??1", "?21", "110"], "mines": 2}',
        '{"mines":2,"board":[["?","?",1],["?","2","1"],["1",1,"0"]]}',
        '{"board": ["?B1", "?S1", "110"], "mines": null}',
        ' {"board": "??1\\n?21\\n110\\n"}\r',
        '"??1\\n?21\\n110"',
        '{"board": ["???", "???", "???"]}',
        '{"board": ["???", "???", "???"], "mines": 9}',
        '{"board": ["011", "01B", "011"]}',
    ],
)
def test_lines_in_all_their_forms_are_told(line: str, task: Task) -> None:
    found = at_once(line.encode(), task)
    assert found is not None
    assert found == generally(line.encode(), task)


def test_the_query_gives_the_total_unless_the_line_does() -> None:
    for line in (b'{"board": ["?1?", "???", "???"], "mines": 3}', b'"?1?\\n???\\n???"'):
        told = at_once(line, Task.COUNT, mines=4)
        assert told == generally(line, Task.COUNT, mines=4)
        assert told is not None


@pytest.mark.parametrize(
    "line",
    [
        b'{"board": ["???", "???", "???"], "mines": 2, "mines": 3}',
        b'{"board": ["???", "???", "???"], "board": ["???", "???", "??1"]}',
        b'{"board": ["???", "???", "???"], "mines": true}',
        b'{"board": ["???", "???", "???"], "mines": 2.0}',
        b'{"board": ["???", "???", "???"], "mines": -1}',
        b'{"board": ["???", "???", "???"], "mines": 10}',
        b'{"board": ["???", "???", "???"], "mines": 99999999999999999999999}',
        b'{"board": ["???", "???", "???"], "mines": NaN}',
        b'{"board": ["???", "???", "???"], "density": 0.2}',
        b'{"board": ["???", "???", "???"], "flags": "trust"}',
        b'{"board": ["?F?", "???", "???"]}',
        b'{"board": ["???", "?", "???"]}',
        b'{"board": ["x??", "???", "???"]}',
        b'{"board": null, "rules": []}',
        b'{"board": {"board": 1}}',
        b'{"rules": [{"cells": ["a"], "mines": 1}]}',
        b'{"mines": 3}',
        b"\xef\xbb\xbf" + b'"???\\n???\\n???"',
        b'"???\\n???\\n\\ud800??"',
        b"\xff",
        b"",
        b"[]",
        b"3",
        b"null",
        b'"?1?"',
        b'{"board": ["???", "???", "???"]',
    ],
)
def test_other_lines_are_left_to_the_general_way(line: bytes) -> None:
    assert at_once(line, Task.ANALYZE) is None


def test_other_options_are_left_to_the_general_way() -> None:
    assert at_once(b'"???\\n???\\n???"', Task.ANALYZE, notation="standard") is None


@pytest.mark.parametrize("task", TASKS)
@given(positions())
def test_questions_are_answered_as_ever(task: Task, asked: tuple[Board, int | None]) -> None:
    question = Question(task, *asked)
    plain = fast_path.of(question)
    assert plain == asked
    found = fast_path.told(plain, task)
    assert found is None or timeless(found) == rendered(question)


@pytest.mark.parametrize(
    "question",
    [
        Question(Task.LAYOUTS, parse("?1?\n???\n???")),
        Question(Task.EXPLAIN, parse("?1?\n???\n???")),
        Question(Task.CHECK, parse("?1?\n???\n???"), certificate=True),
        Question(Task.COUNT, parse("?1?\n???\n???"), density=Fraction(1, 5)),
        Question(Task.ANALYZE, parse("?1?\n???\n???"), fractions=True),
        Question(Task.COUNT, parse("?1?\n???\n???"), backend=Backend.SAT),
        Question(Task.COUNT, parse("?1?\n??F\n???")),
        Question(Task.COUNT, parse("?1?\n???")),
        Question(Task.COUNT, parse("\n".join(["?" * 50] * 41))),
        Question(Task.COUNT, parse_rules([{"cells": ["a", "b"], "mines": 1}])),
    ],
    ids=str,
)
def test_other_questions_are_left_to_the_general_way(question: Question) -> None:
    assert fast_path.of(question) is None


def test_boards_beyond_the_limit_are_left_to_the_general_way() -> None:
    line = b'"????\\n????\\n????"'
    assert fast_path.read(line, {}, 12) is not None
    assert fast_path.read(line, {}, 11) is None
    assert fast_path.read(json.dumps("\n".join(["?" * 50] * 41)).encode(), {}, 10**6) is None


@given(
    st.dictionaries(
        st.sampled_from(["board", "mines", "rules", "x"]),
        st.one_of(
            st.integers(-1, 12),
            st.none(),
            st.booleans(),
            st.floats(),
            st.lists(st.text("?12F", min_size=3, max_size=3), min_size=3, max_size=4),
            st.just("???\n?2?\r\n???"),
        ),
    )
)
def test_what_is_read_is_what_the_general_way_reads(value: dict[str, Any]) -> None:
    line = json.dumps(value).encode()
    read = fast_path.read(line, {}, SETTINGS.max_cells)
    try:
        asked = reading.of_line(line, {}, Task.ANALYZE, SETTINGS)
    except ProblemError:
        assert read is None
        return
    if read is not None:
        assert read == (asked.question.board, asked.question.mines)
