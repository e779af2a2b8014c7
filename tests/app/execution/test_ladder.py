"""From rung to rung: each takes over what the one before has found, and none does it again."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from app.batch import lines
from app.batch.engine import Engine
from app.batch.lines import Asked
from app.execution import fast_path, positions, rungs
from app.execution.cache import Cache
from app.execution.ladder import Ladder
from app.execution.workers import Background, Timed, Workers, never
from app.problems import ProblemError
from app.requests import jobs as requests_jobs
from app.requests.jobs import Sealed
from app.settings import Settings
from minefield import parse, parse_rules
from solvers import (
    BOUNDED,
    FULL,
    INLINE,
    Answer,
    Backend,
    Effort,
    NeedsWorker,
    Progress,
    Question,
    Task,
    answer,
    at_once,
)
from solvers.backends import search as searching
from solvers.backends.search import Auto
from solvers.composer import Composer
from solvers.search import search
from tests.app.jobs import RECORDS, job_of, rendered, whole
from tests.app.serving import lattice

#: To decide it takes no time; to count it takes more than `INLINE` has, not more than `BOUNDED`.
WIDE = parse("\n".join(lattice(13)))
WIDE_LINE = b'"' + "\\n".join(lattice(13)).encode() + b'"'
#: Looks like a position, and is inconsistent.
NO_POSITION = parse("11?\n???\n3??")
RULES = parse_rules([{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 0, "high": 1}])

POSITION = Question(Task.COUNT, parse("?1?\n???\n???"))

Calls = Counter[str]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """How often solvers do what takes time, and requests are parsed."""
    counted: Calls = Counter()

    def count(owner: Any, name: str, told: str) -> None:
        work: Callable[..., Any] = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            counted[told] += 1
            return work(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    count(search, "witness", "witness")
    count(search, "forced_within", "forced")
    count(at_once, "most_of", "position in the solvers")
    count(searching, "position", "position in the solvers")
    count(fast_path, "position", "position at once")
    together = positions.answered

    def tried(*given: Any) -> Any:
        found = together(*given)
        counted["position at once"] += sum(found.tried)
        return found

    monkeypatch.setattr(positions, "answered", tried)
    count(Composer, "_decide", "verdict")
    count(requests_jobs, "read_json", "parsed")
    return counted


def timeless(found: Answer) -> bytes:
    return rendered(Question(Task.COUNT, WIDE), replace(found, elapsed=0.0, method=""))


class TestProgress:
    """What one effort has found the next one takes over."""

    def test_a_count_that_inline_cannot_do_is_not_begun_anew_by_bounded(self, calls: Calls) -> None:
        job = job_of(Question(Task.COUNT, WIDE))
        found, progress = rungs.here(job, (INLINE,))
        assert found is None
        assert progress is not None
        assert progress.answer is not None
        assert progress.answer.consistent is True
        assert calls["witness"] == 1
        found, progress = rungs.here(job, (BOUNDED,), progress)
        assert found is not None
        assert progress is None
        assert (calls["witness"], calls["verdict"]) == (1, 1)
        assert timeless(found) == timeless(answer(job.question))

    def test_in_one_go_it_is_the_same(self, calls: Calls) -> None:
        job = job_of(Question(Task.COUNT, WIDE))
        found, _ = rungs.here(job, rungs.BOUNDEDLY)
        assert found is not None
        assert (calls["witness"], calls["verdict"]) == (1, 1)

    def test_forced_cells_that_are_known_are_not_sought_again(self, calls: Calls) -> None:
        job = job_of(Question(Task.ANALYZE, WIDE))
        found, progress = rungs.here(job, (INLINE,))
        assert found is None
        assert progress is not None
        assert progress.answer is not None
        assert progress.answer.forced is not None
        assert calls["forced"] == 1
        found, _ = rungs.here(job, (BOUNDED,), progress)
        assert found is not None
        assert (calls["witness"], calls["forced"]) == (1, 1)
        assert found.forced == answer(job.question).forced

    def test_a_conflict_goes_on_where_it_was(
        self, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Before the clues are as few as possible, more effort is needed.
        found = answer(Question(Task.EXPLAIN, NO_POSITION))

        def needs(self: Composer) -> None:
            if not self.effort.unbounded:
                raise NeedsWorker

        monkeypatch.setattr(Composer, "feasible", needs)
        job = job_of(Question(Task.EXPLAIN, NO_POSITION))
        cores = Counter[Effort]()
        core = Auto.core

        def counted(self: Auto) -> Any:
            cores[self.effort] += 1
            return core(self)

        monkeypatch.setattr(Auto, "core", counted)
        again, progress = rungs.here(job, (INLINE, FULL))
        assert progress is None
        assert again is not None
        assert (again.conflict, again.steps) == (found.conflict, found.steps)
        assert cores == {INLINE: 1}

    def test_the_time_is_that_of_all_efforts(self) -> None:
        job = job_of(Question(Task.COUNT, WIDE))
        _, progress = rungs.here(job, (INLINE,))
        assert progress is not None
        assert progress.answer is not None
        assert progress.answer.elapsed > 0
        progress.answer.elapsed += 1000
        found, _ = rungs.here(job, (BOUNDED,), progress)
        assert found is not None
        assert found.elapsed > 1000

    @pytest.mark.parametrize("task", [Task.CHECK, Task.COUNT, Task.FORCED, Task.ANALYZE])
    def test_from_rung_to_rung_the_answer_is_that_of_one(self, task: Task) -> None:
        for board in (WIDE, NO_POSITION, RULES):
            question = Question(task, board)
            found, _ = rungs.here(job_of(question), (INLINE, BOUNDED, FULL))
            assert found is not None
            whole = answer(question)
            for one in (found, whole):
                one.elapsed = 0.0
                # Who decided, and by which layout, depends on what each may try.
                one.method, one.witness = "", None
            assert rendered(question, found) == rendered(question, whole)

    def test_workers_are_handed_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        handed: list[tuple[Effort, Progress | None]] = []
        further = Progress(steps=1)

        async def work(self: Timed, *given: Any) -> Answer:
            effort, progress = given[2:4]
            handed.append((effort, progress))
            if effort is BOUNDED:
                needs = NeedsWorker()
                needs.progress = further
                raise needs
            return answer(given[1].question)

        monkeypatch.setattr(Timed, "work", work)
        job = job_of(Question(Task.COUNT, WIDE))
        at_first = Progress(no_position=True)

        async def scene(workers: Workers) -> Answer:
            return await Ladder(workers, Cache(0)).worked(job, at_first, whole, never)

        workers = Workers(1)
        try:
            assert asyncio.run(scene(workers)).complete
        finally:
            workers.close()
        assert handed == [(BOUNDED, at_first), (FULL, further)]


class Nobody:
    """In place of workers, where none may be needed."""


def body(rungs: Ladder, question: Question) -> bytes:
    return asyncio.run(rungs.body(job_of(question), never))


class TestOrder:
    """The cheapest rung first."""

    def rungs(self, megabytes: int = 1) -> tuple[Ladder, Cache]:
        cache = Cache(megabytes)
        return Ladder(Nobody(), cache), cache  # type: ignore[arg-type]

    def test_what_is_answered_at_once_is_neither_sought_nor_kept(self, calls: Calls) -> None:
        rungs, cache = self.rungs()
        for _ in range(2):
            assert b'"cached"' not in body(rungs, Question(Task.COUNT, parse("?1?\n???\n???")))
        assert (cache.entries, cache.memory_hits, cache.memory_misses) == (0, 0, 0)
        assert calls == {"position at once": 2}

    def test_a_miss_of_the_fast_path_is_not_tried_a_second_time(self, calls: Calls) -> None:
        rungs, _ = self.rungs(0)
        assert b'"consistent":false' in body(rungs, Question(Task.CHECK, NO_POSITION))
        assert calls["position at once"] == 1
        assert calls["position in the solvers"] == 0

    def test_what_the_fast_path_leaves_alone_the_solvers_try(self, calls: Calls) -> None:
        rungs, _ = self.rungs(0)
        body(rungs, Question(Task.EXPLAIN, NO_POSITION))
        assert calls["position at once"] == 0
        assert calls["position in the solvers"] == 1

    def test_what_was_kept_is_not_solved_again(self, calls: Calls) -> None:
        rungs, cache = self.rungs()
        first = body(rungs, Question(Task.COUNT, RULES))
        assert calls["verdict"] == 1
        assert body(rungs, Question(Task.COUNT, RULES)) == first[:-2] + b',"cached":true}}'
        assert calls["verdict"] == 1
        assert (cache.memory_hits, cache.memory_misses) == (1, 1)

    def test_who_answered_is_told(self) -> None:
        rungs, _ = self.rungs()
        told: list[tuple[str, bool]] = []

        async def ask(question: Question) -> None:
            await rungs.body(job_of(question), never, lambda *one: told.append(one))

        for _ in range(2):
            asyncio.run(ask(Question(Task.COUNT, parse("?1?\n???\n???"))))
            asyncio.run(ask(Question(Task.COUNT, RULES)))
        # What was kept nobody has worked on.
        assert told == [("frontier", True), ("frontier", True), ("frontier", True)]

    @pytest.mark.parametrize("question", [POSITION, Question(Task.EXPLAIN, RULES)])
    def test_a_second_try_is_for_workers_alone(self, question: Question, calls: Calls) -> None:
        workers = Workers(1)
        try:
            job = Sealed.of(job_of(question), second_try=True)
            answer = asyncio.run(Ladder(workers, Cache(1)).body(job, never))
        finally:
            workers.close()
        assert b'"consistent":true' in answer
        assert calls == {}

    def test_a_backend_that_refuses_is_a_problem(self) -> None:
        board = parse("\n".join(["?" * 13] * 13))
        rungs, _ = self.rungs()
        with pytest.raises(ProblemError) as raised:
            body(rungs, Question(Task.CHECK, board, backend=Backend.AUTOMATA))
        assert raised.value.document["pointer"] == "/backend"

    def test_an_offset_beyond_the_last_is_a_problem_and_not_kept(self) -> None:
        rungs, cache = self.rungs()
        for _ in range(2):
            with pytest.raises(ProblemError) as raised:
                body(rungs, Question(Task.LAYOUTS, parse("1?"), offset=5))
            assert raised.value.document["pointer"] == "/offset"
        assert cache.entries == 0


class TestLines:
    """Lines of a batch take the same way."""

    asked = Asked(RECORDS["count"], {}, Settings())

    def test_a_line_that_needs_all_rungs_is_parsed_and_decided_once(
        self, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        small = replace(BOUNDED, transitions=INLINE.transitions)
        monkeypatch.setattr(rungs, "BOUNDEDLY", (INLINE, small))
        (left,) = lines.answered(self.asked, [WIDE_LINE], 0).unfinished
        assert left.job is not None
        calls.clear()
        (told,) = lines.here(self.asked, [WIDE_LINE], 0, FULL)
        assert b'"complete":true' in told
        assert (calls["parsed"], calls["verdict"], calls["witness"]) == (1, 1, 1)

    def test_a_miss_of_the_fast_path_is_not_tried_a_second_time(self, calls: Calls) -> None:
        lines.here(self.asked, [WIDE_LINE], 0, FULL)
        assert calls["position at once"] == 1
        assert calls["position in the solvers"] == 0

    def test_what_is_left_takes_its_question_and_progress_along(self, calls: Calls) -> None:
        line = b'{"board": "' + "\\n".join(lattice(21)).encode() + b'"}'
        found = lines.answered(self.asked, [line, b'"?1?"'], 7)
        (left,) = found.unfinished
        assert (left.number, left.line) == (7, line)
        assert left.job is not None
        assert left.progress is not None
        assert left.progress.answer is not None
        assert left.progress.answer.consistent is True
        assert calls["verdict"] == 2
        assert calls["parsed"] == 2

    def test_who_finishes_a_line_does_not_read_it_again(
        self, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        handed: list[Progress | None] = []
        work = Timed.work

        async def watched(self: Timed, *given: Any) -> Answer:
            handed.append(given[3])
            return await work(self, *given)

        monkeypatch.setattr(Timed, "work", watched)
        line = b'{"board": ["1?", "??"], "backend": "sat"}'

        async def scene(workers: Background) -> bytes:
            chunk = [line, b'"?1?"', WIDE_LINE]
            return (await Engine(self.asked, workers).answers(chunk, 0)).text

        workers = Background(1)
        try:
            told = asyncio.run(scene(workers))
        finally:
            workers.close()
        assert told.count(b"\n") == 3
        assert told.count(b'"complete":true') == 3
        # SAT has no bounds, so that line alone went on; this process has read none of them.
        assert len(handed) == 1
        assert calls["parsed"] == 0
