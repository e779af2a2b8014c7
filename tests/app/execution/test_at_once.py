"""Positions of games are answered at once, byte for byte as by the solvers."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given

from minecheck.app.batch import lines
from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.catalogue import QUESTIONS
from minecheck.app.execution.at_once import answer_job
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.minefield import Board, draw, parse, parse_rules
from minecheck.solvers import Backend, Progress, Question
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.check import Check
from minecheck.solvers.tasks.count import Count
from minecheck.solvers.tasks.explain import Explain
from minecheck.solvers.tasks.layouts import Layouts
from tests.app import jobs
from tests.app.jobs import QUESTIONS_BY_NAME, job_of
from tests.boards import boards_with_totals, positions
from tests.tasks import Task, question_of

SETTINGS = Settings()
#: Names of the questions that are answered at once about positions of games.
NAMES = [operation.name for operation in QUESTIONS if operation.at_once]
ELAPSED = re.compile(rb'"elapsed_ms":[0-9.e-]+')


def read_line_job(line: bytes, name: str, **defaults: Any) -> Job:
    template = LineTemplate(QUESTIONS_BY_NAME[name], defaults, SETTINGS)
    job = lines.read_request(template, BatchLine(line, 0)).job
    assert job is not None
    return job


def answer_at_once(job: Job) -> bytes | None:
    return drop_elapsed(answer_job(job, Progress()))


def is_looked_at(job: Job) -> bool:
    """Return True if the fast path looks at the board of the job."""
    progress = Progress()
    answer_job(job, progress)
    return progress.looked


def answer_by_solvers(job: Job) -> bytes | None:
    return drop_elapsed(jobs.render_body(job.question))


def drop_elapsed(body: bytes | None) -> bytes | None:
    return body and ELAPSED.sub(b"", body)


def line_of(board: Board, mines: int | None) -> bytes:
    return json.dumps({"board": draw(board)} | ({} if mines is None else {"mines": mines})).encode()


def test_check_count_forced_and_analyze_are_answered_at_once() -> None:
    assert NAMES == ["check", "count", "forced", "analyze"]


@pytest.mark.parametrize("name", NAMES)
@given(positions())
def test_positions_are_answered_at_once_as_by_solvers(
    name: str, position: tuple[Board, int | None]
) -> None:
    job = read_line_job(line_of(*position), name)
    found = answer_at_once(job)
    assert found is None or found == answer_by_solvers(job)


@pytest.mark.parametrize("name", NAMES)
@given(boards_with_totals())
def test_small_boards_are_answered_at_once_as_by_solvers(
    name: str, position: tuple[Board, int | None]
) -> None:
    board, mines = position
    assume(mines is None or mines <= board.cells.size)
    job = read_line_job(line_of(*position), name)
    found = answer_at_once(job)
    assert found is None or found == answer_by_solvers(job)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "line",
    [
        '{"board": ["??1", "?21", "110"], "mines": 2}',
        '{"mines":2,"board":[["?","?",1],["?","2","1"],["1",1,"0"]]}',
        '{"board": ["?B1", "?S1", "110"], "mines": null}',
        ' {"board": "??1\\n?21\\n110\\n"}\r',
        '"??1\\n?21\\n110"',
        '\ufeff"??1\\n?21\\n110"',
        '{"board": ["???", "???", "???"]}',
        '{"board": ["???", "???", "???"], "mines": 9}',
        '{"board": ["???", "???", "???"], "flags": "trust", "backend": "auto"}',
        '{"board": ["???", "???", "???"], "notation": "standard", "deadline_ms": 500}',
        '{"board": ["011", "01B", "011"]}',
    ],
)
def test_lines_of_every_form_are_answered_at_once(line: str, name: str) -> None:
    job = read_line_job(line.encode(), name)
    found = answer_at_once(job)
    assert found is not None
    assert found == answer_by_solvers(job)


def test_defaults_give_total_of_lines_without_total() -> None:
    for line, mines in (
        (b'{"board": ["?1?", "???", "???"], "mines": 3}', 3),
        (b'"?1?\\n???\\n???"', 4),
    ):
        job = read_line_job(line, "count", mines=4)
        assert job.question.mines == mines
        body = answer_at_once(job)
        assert body == answer_by_solvers(job)
        assert body is not None


@pytest.mark.parametrize(
    "line",
    [
        b'{"board": ["???", "???", "???"], "density": 0.2}',
        b'{"board": ["???", "???", "???"], "fractions": true}',
        b'{"board": ["???", "???", "???"], "backend": "frontier"}',
        b'{"board": ["?F?", "???", "???"]}',
        b'{"rules": [{"cells": ["a"], "mines": 1}]}',
        b'"?1?"',
        b'"?1?\\n1??"',
    ],
)
def test_lines_with_other_options_or_boards_are_left_to_solvers(line: bytes) -> None:
    assert not is_looked_at(read_line_job(line, "analyze"))


@pytest.mark.parametrize(
    "line",
    [
        b'{"board": ["???", "???", "???"], "mines": 2, "mines": 3}',
        b'{"board": ["???", "???", "???"], "board": ["???", "???", "??1"]}',
        b'{"board": ["???", "???", "???"], "mines": true}',
        b'{"board": ["???", "???", "???"], "mines": 2.5}',
        b'{"board": ["???", "???", "???"], "mines": -1}',
        b'{"board": ["???", "???", "???"], "mines": 10}',
        b'{"board": ["???", "???", "???"], "mines": 99999999999999999999999}',
        b'{"board": ["???", "???", "???"], "mines": NaN}',
        b'{"board": ["???", "?", "???"]}',
        b'{"board": ["x??", "???", "???"]}',
        b'{"board": null, "rules": []}',
        b'{"board": {"board": 1}}',
        b'{"mines": 3}',
        b'"???\\n???\\n\\ud800??"',
        b"\xff",
        b"",
        b"[]",
        b"3",
        b"null",
        b'{"board": ["???", "???", "???"]',
    ],
)
def test_invalid_lines_are_problems(line: bytes) -> None:
    template = LineTemplate(QUESTIONS_BY_NAME["analyze"], {}, SETTINGS)
    assert lines.read_request(template, BatchLine(line, 0)).problem is not None


@pytest.mark.parametrize("name", NAMES)
@given(positions())
def test_every_question_about_positions_is_looked_at_at_once(
    name: str, position: tuple[Board, int | None]
) -> None:
    job = job_of(question_of(Task(name), *position))
    assert is_looked_at(job)
    assert answer_at_once(job) in (None, answer_by_solvers(job))


@pytest.mark.parametrize(
    "question",
    [
        Layouts(parse("?1?\n???\n???")),
        Explain(parse("?1?\n???\n???")),
        Check(parse("?1?\n???\n???"), certificate=True),
        Count(parse("?1?\n???\n???"), density=Fraction(1, 5)),
        Analyze(parse("?1?\n???\n???"), fractions=True),
        Count(parse("?1?\n???\n???"), backend=Backend.SAT),
        Count(parse("?1?\n??F\n???")),
        Count(parse("?1?\n???")),
        Count(parse("\n".join(["?" * 50] * 82))),
        Count(parse_rules([{"cells": ["a", "b"], "mines": 1}])),
    ],
    ids=str,
)
def test_questions_with_other_options_or_boards_are_left_to_solvers(question: Question) -> None:
    assert not is_looked_at(job_of(question))


@pytest.mark.parametrize("rows", ["9??", "3??\n???\n???", "11?\n???\n3??"])
def test_inconsistent_boards_are_not_answered_at_once(rows: str) -> None:
    board = parse(rows.replace("9", "8") + ("\n???\n???" if "\n" not in rows else ""))
    job = job_of(Check(board))
    consistent = json.loads(jobs.render_body(job.question))["consistent"]
    assert (answer_at_once(job) is not None) == consistent


def test_operation_without_writer_is_left_to_solvers() -> None:
    job = job_of(Count(parse("?1?\n???\n???")))
    assert is_looked_at(job)
    assert not is_looked_at(replace(job, operation=replace(job.operation, at_once=0)))
