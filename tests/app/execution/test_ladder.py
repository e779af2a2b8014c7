"""Each rung of the ladder continues the work of the rung before, and repeats none of it."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from minecheck.app.batch import lines
from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.engine import Engine
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.execution import at_once, rungs
from minecheck.app.execution.cache import Cache
from minecheck.app.execution.ladder import Ladder
from minecheck.app.execution.timed import Timed, wait_forever
from minecheck.app.execution.workers import Background, Workers
from minecheck.app.games.stores import MemoryGames
from minecheck.app.problems import ProblemError
from minecheck.app.requests import jobs as requests_jobs
from minecheck.app.settings import Settings
from minecheck.app.telemetry.faults import log_fault
from minecheck.minefield import parse, parse_rules
from minecheck.solvers import (
    BOUNDED,
    FULL,
    INLINE,
    Backend,
    Effort,
    NeedsMoreEffort,
    Progress,
    Question,
    answer_question,
    position_answers,
)
from minecheck.solvers.backends import auto as searching
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.composer import Composer
from minecheck.solvers.search import search
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.check import Check
from minecheck.solvers.tasks.count import Count
from minecheck.solvers.tasks.explain import Explain, ExplainAnswer
from minecheck.solvers.tasks.layouts import Layouts
from tests.app.jobs import QUESTIONS_BY_NAME, job_of, render_body, whole
from tests.app.serving import lattice
from tests.batch_lines import number_lines
from tests.tasks import Task, question_of

#: A board that is decided at once; to count it, `BOUNDED` suffices, and `INLINE` does not.
WIDE = parse("\n".join(lattice(13)))
WIDE_LINE = b'"' + "\\n".join(lattice(13)).encode() + b'"'
#: A board that looks like a position, and is inconsistent.
NO_POSITION = parse("11?\n???\n3??")
RULES = parse_rules([{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 0, "high": 1}])

POSITION = Count(parse("?1?\n???\n???"))
GAMES = MemoryGames(1, 1)

Calls = Counter[str]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """The numbers of calls of slow steps of solvers, and of parsers of requests."""
    counted: Calls = Counter()

    def count(owner: Any, name: str, label: str) -> None:
        work: Callable[..., Any] = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            counted[label] += 1
            return work(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    count(search, "find_witness", "witness")
    count(search, "find_forced", "forced")
    count(position_answers, "solve_narrow_components", "looked")
    count(searching, "solve_position", "looked in the method")
    together = at_once.answer_together

    def looked(*given: Any) -> Any:
        found = together(*given)
        answered = len(found.ends) - len(found.unanswered)
        counted["read"] += answered + len(found.parsed)
        counted["looked"] += answered + sum(read.looked for read in found.parsed.values())
        return found

    monkeypatch.setattr(at_once, "answer_together", looked)
    count(Composer, "_decide_verdict", "verdict")
    count(requests_jobs, "read_json", "parsed")
    return counted


def render_without_time(found: Any) -> bytes:
    return render_body(Count(WIDE), replace(found, elapsed=0.0, method="", engines=()))


class TestProgress:
    """Each effort takes over the findings of the effort before."""

    def test_bounded_effort_continues_count_of_inline_effort(self, calls: Calls) -> None:
        job = job_of(Count(WIDE))
        found, progress = rungs.answer_in_process(job, (INLINE,))
        assert found is None
        assert progress is not None
        assert progress.answer is not None
        assert progress.answer.consistent is True
        assert calls["witness"] == 1
        found, progress = rungs.answer_in_process(job, (BOUNDED,), progress)
        assert found is not None
        assert progress is None
        assert (calls["witness"], calls["verdict"]) == (1, 1)
        assert render_without_time(found) == render_without_time(answer_question(job.question))

    def test_count_through_both_efforts_in_one_call_decides_once(self, calls: Calls) -> None:
        job = job_of(Count(WIDE))
        found, _ = rungs.answer_in_process(job, rungs.BOUNDEDLY)
        assert found is not None
        assert (calls["witness"], calls["verdict"]) == (1, 1)

    def test_bounded_effort_does_not_search_known_forced_cells_again(self, calls: Calls) -> None:
        job = job_of(Analyze(WIDE))
        found, progress = rungs.answer_in_process(job, (INLINE,))
        assert found is None
        assert progress is not None
        assert progress.answer is not None
        assert progress.answer.forced is not None
        assert calls["forced"] == 1
        found, _ = rungs.answer_in_process(job, (BOUNDED,), progress)
        assert found is not None
        assert (calls["witness"], calls["forced"]) == (1, 1)
        assert found.forced == answer_question(job.question).forced

    def test_full_effort_continues_conflict_of_inline_effort(
        self, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # More effort is needed before the clues are as few as possible.
        found = answer_question(Explain(NO_POSITION))

        def needs(self: Composer[Any, Any]) -> None:
            if not self.effort.unbounded:
                raise NeedsMoreEffort

        monkeypatch.setattr(Composer, "find_feasible_totals", needs)
        job = job_of(Explain(NO_POSITION))
        cores = Counter[Effort]()
        core = Auto.find_core

        def counted(self: Auto) -> Any:
            cores[self.effort] += 1
            return core(self)

        monkeypatch.setattr(Auto, "find_core", counted)
        again, progress = rungs.answer_in_process(job, (INLINE, FULL))
        assert progress is None
        assert isinstance(again, ExplainAnswer)
        assert (again.conflict, again.steps) == (found.conflict, found.steps)
        assert cores == {INLINE: 1}

    def test_elapsed_time_is_sum_of_all_efforts(self) -> None:
        job = job_of(Count(WIDE))
        _, progress = rungs.answer_in_process(job, (INLINE,))
        assert progress is not None
        assert progress.answer is not None
        assert progress.answer.elapsed > 0
        progress.answer.elapsed += 1000
        found, _ = rungs.answer_in_process(job, (BOUNDED,), progress)
        assert found is not None
        assert found.elapsed > 1000

    @pytest.mark.parametrize("task", [Task.CHECK, Task.COUNT, Task.FORCED, Task.ANALYZE])
    def test_answer_through_all_rungs_equals_answer_of_one_effort(self, task: Task) -> None:
        for board in (WIDE, NO_POSITION, RULES):
            question = question_of(task, board)
            found, _ = rungs.answer_in_process(job_of(question), (INLINE, BOUNDED, FULL))
            assert found is not None
            whole = answer_question(question)
            for one in (found, whole):
                one.elapsed = 0.0
                # The engine and the witness depend on what each effort may try.
                one.method, one.engines, one.witness = "", (), None
            assert render_body(question, found) == render_body(question, whole)

    def test_workers_receive_progress_of_earlier_efforts(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        handed: list[tuple[Effort, Progress | None]] = []
        further = Progress(steps=1)

        async def work(self: Timed, *given: Any) -> Any:
            effort, progress = given[2:4]
            handed.append((effort, progress))
            if effort is BOUNDED:
                needs = NeedsMoreEffort()
                needs.progress = further
                raise needs
            return answer_question(given[1].question)

        monkeypatch.setattr(Timed, "work_on_answer", work)
        job = job_of(Count(WIDE))
        at_first = Progress(looked=True)

        async def scene(workers: Workers) -> Any:
            return await Ladder(workers, Cache(0), GAMES).answer_in_workers(
                job, at_first, whole, wait_forever
            )

        workers = Workers(1)
        try:
            assert asyncio.run(scene(workers)).complete
        finally:
            workers.close()
        assert handed == [(BOUNDED, at_first), (FULL, further)]


class NoWorkers:
    """A stand-in for workers in tests that must not need any."""


def body(rungs: Ladder, question: Question) -> bytes:
    return asyncio.run(rungs.answer_body(job_of(question), wait_forever))


class TestOrder:
    """The ladder tries the cheapest rung first."""

    def rungs(self, megabytes: int = 1) -> tuple[Ladder, Cache]:
        cache = Cache(megabytes)
        return Ladder(NoWorkers(), cache, GAMES), cache  # type: ignore[arg-type]

    def test_answer_at_once_does_not_touch_cache(self, calls: Calls) -> None:
        rungs, cache = self.rungs()
        for _ in range(2):
            assert b'"cached"' not in body(rungs, Count(parse("?1?\n???\n???")))
        assert (cache.entries, cache.memory_hits, cache.memory_misses) == (0, 0, 0)
        assert calls == {"looked": 2}

    def test_board_that_is_no_position_is_looked_at_once(self, calls: Calls) -> None:
        rungs, _ = self.rungs(0)
        assert b'"consistent":false' in body(rungs, Check(NO_POSITION))
        assert calls["looked"] == 1
        assert calls["looked in the method"] == 0

    def test_question_not_for_first_rung_is_looked_at_by_method(self, calls: Calls) -> None:
        rungs, _ = self.rungs(0)
        body(rungs, Explain(NO_POSITION))
        assert calls["looked"] == 0
        assert calls["looked in the method"] == 1

    def test_cached_answer_is_not_solved_again(self, calls: Calls) -> None:
        rungs, cache = self.rungs()
        first = body(rungs, Count(RULES))
        assert calls["verdict"] == 1
        assert body(rungs, Count(RULES)) == first[:-2] + b',"cached":true}}'
        assert calls["verdict"] == 1
        assert (cache.memory_hits, cache.memory_misses) == (1, 1)

    def test_ladder_reports_method_of_each_answer(self) -> None:
        rungs, _ = self.rungs()
        reports: list[dict[str, str | int]] = []

        async def ask(question: Question) -> None:
            await rungs.answer_body(
                job_of(question), wait_forever, lambda **one: reports.append(one)
            )

        for _ in range(2):
            asyncio.run(ask(Count(parse("?1?\n???\n???"))))
            asyncio.run(ask(Count(RULES)))
        # No method has worked on a cached answer, and none is reported.
        assert [one["method"] for one in reports] == ["positions", "frontier", "positions"]
        assert all(one["complete"] for one in reports)

    @pytest.mark.parametrize("question", [POSITION, Explain(RULES)])
    def test_second_try_is_answered_by_workers_alone(
        self, question: Question, calls: Calls
    ) -> None:
        workers = Workers(1)
        try:
            job = job_of(question).pack_input(second_try=True)
            answer = asyncio.run(Ladder(workers, Cache(1), GAMES).answer_body(job, wait_forever))
        finally:
            workers.close()
        assert b'"consistent":true' in answer
        assert calls == {}

    def test_backend_that_rejects_board_is_a_problem(self) -> None:
        board = parse("\n".join(["?" * 13] * 13))
        rungs, _ = self.rungs()
        with pytest.raises(ProblemError) as raised:
            body(rungs, Check(board, backend=Backend.AUTOMATA))
        assert raised.value.document["pointer"] == "/backend"

    def test_offset_beyond_last_layout_is_a_problem_and_not_cached(self) -> None:
        rungs, cache = self.rungs()
        for _ in range(2):
            with pytest.raises(ProblemError) as raised:
                body(rungs, Layouts(parse("1?"), offset=5))
            assert raised.value.document["pointer"] == "/offset"
        assert cache.entries == 0


class TestLines:
    """Lines of a batch climb the same ladder."""

    template = LineTemplate(QUESTIONS_BY_NAME["count"], {}, Settings())

    def test_line_that_needs_all_rungs_is_parsed_and_decided_once(
        self, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        small = replace(BOUNDED, transitions=INLINE.transitions)
        with_small = partial(rungs.answer_boundedly, efforts=(INLINE, small))
        monkeypatch.setattr(rungs, "answer_boundedly", with_small)
        (left,) = lines.answer_bounded(self.template, number_lines([WIDE_LINE], 0)).unfinished
        assert left.request.job is not None
        calls.clear()
        (answer,) = lines.answer_unbounded(
            self.template, number_lines([WIDE_LINE]), FULL, log_fault
        )
        assert b'"complete":true' in answer
        assert (calls["read"], calls["parsed"]) == (1, 0)
        assert (calls["verdict"], calls["witness"]) == (1, 1)

    def test_batch_line_is_read_once_and_looked_at_once(self, calls: Calls) -> None:
        lines.answer_unbounded(self.template, number_lines([WIDE_LINE]), FULL, log_fault)
        assert (calls["read"], calls["parsed"]) == (1, 0)
        assert calls["looked"] == 1
        assert calls["looked in the method"] == 0

    def test_unfinished_line_carries_its_question_and_progress(self, calls: Calls) -> None:
        line = b'{"board": "' + "\\n".join(lattice(21)).encode() + b'"}'
        found = lines.answer_bounded(self.template, number_lines([line, b'"?1?"'], 7))
        (left,) = found.unfinished
        assert left.request.line == BatchLine(line, 7)
        assert left.request.job is not None
        assert left.progress is not None
        assert left.progress.answer is not None
        assert left.progress.answer.consistent is True
        assert calls["verdict"] == 2
        # The strip is read as well, and too narrow for a position.
        assert (calls["read"], calls["parsed"]) == (2, 0)

    def test_worker_does_not_read_unfinished_line_again(
        self, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        handed: list[Progress | None] = []
        work = Timed.work_on_answer

        async def watched(self: Timed, *given: Any) -> Any:
            handed.append(given[3])
            return await work(self, *given)

        monkeypatch.setattr(Timed, "work_on_answer", watched)
        line = b'{"board": ["1?", "??"], "backend": "sat"}'

        async def scene(workers: Background) -> bytes:
            chunk = [line, b'"?1?"', WIDE_LINE]
            engine = Engine(self.template, workers, workers.turns.new_batch())
            return (await engine.answer_chunk(number_lines(chunk))).text

        workers = Background(1)
        try:
            text = asyncio.run(scene(workers))
        finally:
            workers.close()
        assert text.count(b"\n") == 3
        assert text.count(b'"complete":true') == 3
        # SAT has no bounds, so that line alone went on; this process has read none of them.
        assert len(handed) == 1
        assert calls["parsed"] == 0
