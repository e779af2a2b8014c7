"""The local engine answers lines on all cores in order, each once, and leaves no threads."""

import json
import threading
from itertools import count

import pytest

from minecheck.app.batch import files
from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.lines import LineTemplate, Summary
from minecheck.app.settings import Settings
from tests.app.jobs import QUESTIONS_BY_NAME, TASKS
from tests.app.serving import lattice
from tests.batch_lines import number_lines
from tests.processes import holds_soon

SETTINGS = Settings()


def make_template(task: str) -> LineTemplate:
    return LineTemplate(QUESTIONS_BY_NAME[task], {}, SETTINGS)


@pytest.mark.parametrize("task", TASKS)
def test_local_engine_answers_lines_in_order_with_summary(task: str) -> None:
    # At once, inconsistent, a problem, counted by effort, and left to unbounded methods.
    few = ["?1?\n???\n???", "11?\n???\n3??", "9", "\n".join(lattice(9)), "1?\n??"]
    source = [json.dumps({"board": board}).encode() + b"\r\n" for board in few * 4]
    found = list(files.answer_lines(make_template(task), number_lines(source, 100), 1))
    answers = [json.loads(line) for part in found for line in part.text.splitlines()]
    verdicts = [True, False, None, True, True]
    assert [one.get("consistent") for one in answers] == verdicts * 4
    assert [one["line"] for one in answers if "line" in one] == [102, 107, 112, 117]
    assert sum((part.summary for part in found), Summary()) == Summary(20, 4, 0)


def test_local_engine_closed_early_leaves_no_threads() -> None:
    before = threading.active_count()
    lines = (BatchLine(b'"?1?"', number) for number in count())
    answers = files.answer_lines(make_template("check"), lines, 1)
    assert next(answers).text.startswith(b'{"consistent":true')
    answers.close()
    assert holds_soon(lambda: threading.active_count() == before)
