"""No batch waits for the lines of another, as the order of events shows."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.batch import lines
from minecheck.app.batch.engine import Engine
from minecheck.app.batch.lines import LineTemplate, PartialAnswers
from minecheck.app.execution.timed import Timed
from minecheck.app.execution.workers import Background
from minecheck.app.settings import Settings
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.app.serving import hard_question
from tests.batch_lines import number_lines
from tests.examples import examples
from tests.processes import PATIENCE, until

TEMPLATE = LineTemplate(QUESTIONS_BY_NAME["count"], {}, Settings())
#: Lines are answered at once, together; by bounded effort; as a problem; or by more effort.
KINDS = {
    "at once": b'"?1?\\n???\\n???"',
    "bounded": json.dumps({"board": ["?1?"] * 3, "density": 0.2}).encode(),
    "problem": b'"9"',
    "unfinished": b'{"board": ["1?", "??"], "backend": "sat"}',
}
HARD = json.dumps(hard_question(60_000)).encode()


@contextmanager
def background(processes: int, spare: int) -> Iterator[Background]:
    workers = Background(processes, spare=spare)
    try:
        yield workers
    finally:
        workers.close()


def play(scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def played() -> None:
        async with asyncio.timeout(PATIENCE):
            await scene()

    asyncio.run(played())


def summarise_parts(found: PartialAnswers) -> tuple[list[Any], list[int], Any]:
    """Return texts, unfinished lines and summary of answers, without times."""
    answers = [[json.loads(line) for line in text.splitlines()] for text in found.texts]
    for answer in (answer for text in answers for answer in text):
        answer.get("solver", {}).pop("elapsed_ms", None)
    return answers, [left.request.line.line for left in found.unfinished], found.summary


@examples(25)
@given(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=12))
def test_lines_answered_in_several_turns_equal_lines_answered_in_one_turn(kinds: list[str]) -> None:
    chunk = [KINDS[kind] for kind in kinds]
    whole = lines.answer_bounded(TEMPLATE, number_lines(chunk, 5))
    assert whole.lines == len(chunk)
    found = lines.answer_bounded(TEMPLATE, number_lines(chunk, 5), seconds=0)
    while found.lines < len(chunk):
        before = found.lines
        rest = lines.answer_bounded(TEMPLATE, number_lines(chunk[before:], 5 + before), seconds=0)
        found = found.append_answers(rest)
        assert found.lines > before
    assert summarise_parts(found) == summarise_parts(whole)


def test_bounded_turn_ends_with_line_that_uses_up_its_time() -> None:
    chunk = [KINDS[kind] for kind in ("at once", "bounded", "at once", "bounded", "at once")]
    found = lines.answer_bounded(TEMPLATE, number_lines(chunk, 0), seconds=0)
    assert (found.lines, found.summary.lines) == (3, 3)


def test_easy_batch_is_answered_while_another_batch_has_only_hard_lines() -> None:
    with background(1, spare=1) as workers:

        async def scene() -> None:
            turns = workers.turns
            hard_ones = Engine(TEMPLATE, workers, turns.new_batch("one")).answer_chunk(
                number_lines([HARD] * 6)
            )
            working = asyncio.create_task(hard_ones)
            # One hard line has the only long turn, and the other lines wait for it.
            await until(lambda: turns.waiting >= 5)
            easy = Engine(TEMPLATE, workers, turns.new_batch("two"))
            found = await easy.answer_chunk(number_lines([KINDS["bounded"]] * 10))
            assert found.text.count(b'"complete":true') == 10
            assert not working.done()
            working.cancel()
            await asyncio.wait((working,))

        play(scene)


def test_time_limit_of_chunk_begins_with_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    call = Timed.run_within

    async def watched(self: Timed, *given: Any) -> Any:
        called.append("timed")
        return await call(self, *given)

    monkeypatch.setattr(Timed, "run_within", watched)
    with background(1, spare=0) as workers:

        async def scene() -> None:
            turns = workers.turns
            engine = Engine(TEMPLATE, workers, turns.new_batch("one"))
            async with turns.short_turn(turns.new_batch("two")):
                answering = asyncio.create_task(
                    engine.answer_chunk(number_lines([KINDS["bounded"]]))
                )
                while not turns.waiting:
                    await asyncio.sleep(0)
                called.append("turn over")
            assert b'"complete":true' in (await answering).text
            assert called == ["turn over", "timed"]

        play(scene)


def test_deadline_of_line_begins_with_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines: list[float] = []
    work = Timed.work_on_answer

    async def watched(self: Timed, *given: Any) -> Any:
        deadlines.append(given[1].deadline.at)
        return await work(self, *given)

    monkeypatch.setattr(Timed, "work_on_answer", watched)
    with background(1, spare=1) as workers:

        async def scene() -> None:
            turns = workers.turns
            engine = Engine(TEMPLATE, workers, turns.new_batch("one"))
            async with turns.long_turn(turns.new_batch("two"), 1.0):
                answering = asyncio.create_task(
                    engine.answer_chunk(number_lines([KINDS["unfinished"]]))
                )
                await until(lambda: turns.waiting > 0)
                over = asyncio.get_running_loop().time()
            assert b'"complete":true' in (await answering).text
            # The default deadline is counted from after the turn that was waited for.
            assert deadlines[0] >= over + TEMPLATE.settings.deadline_ms / 1000

        play(scene)
