"""A failed worker costs one question its answer, and no other question anything."""

import asyncio
import errno
import fcntl
import os
import pickle
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from minecheck.app.execution import states
from minecheck.app.execution.cache import Cache
from minecheck.app.execution.ladder import Ladder
from minecheck.app.execution.pool import spare_memory
from minecheck.app.execution.timed import Timed, wait_forever
from minecheck.app.execution.workers import Workers
from minecheck.app.games.stores import MemoryGames
from minecheck.app.problems import OutOfMemory, Overloaded, Unanswered, WorkerLost
from minecheck.minefield import parse
from minecheck.solvers import (
    FULL,
    INLINE,
    Backend,
    Deadline,
    NeedsMoreEffort,
    Question,
    answer_question,
)
from minecheck.solvers.tasks.count import Count
from minecheck.solvers.tasks.layouts import Layouts
from tests.app.jobs import job_of, whole
from tests.app.serving import lattice
from tests.clocks import LONG, pass_time
from tests.processes import PATIENCE, until

#: The memory that a question may take in these tests, in megabytes.
MEMORY = 64

HARD = Count(parse("\n".join(lattice(21))), backend=Backend.CPSAT)
EASY = Count(parse("1?\n??"))
EASY_FOR_A_WORKER = Count(parse("1?\n??"), backend=Backend.SAT)


def exit_at_once(status: int) -> None:
    """End the process without a word; ``os._exit`` itself cannot be sent where it is measured."""
    os._exit(status)


def list_pipe_sizes() -> list[int]:
    """Return the capacities of the pipes of this process."""
    sizes = []
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            sizes.append(fcntl.fcntl(int(descriptor), fcntl.F_GETPIPE_SZ))
    return sizes


@contextmanager
def working(processes: int = 1, **limits: int) -> Iterator[Workers]:
    workers = Workers(processes, **limits)
    try:
        yield workers
    finally:
        workers.close()


def run(workers: Workers, *call: Any, seconds: float = LONG) -> Awaitable[Any]:
    return workers.run(*call, deadline=Deadline.in_seconds(seconds), client_left=wait_forever)


def ask(
    workers: Workers,
    question: Question,
    seconds: float = LONG,
    client_left: Callable[[], Awaitable[object]] = wait_forever,
) -> Awaitable[Any]:
    return Ladder(workers, Cache(0), MemoryGames(1, 1)).answer_with(
        job_of(question, seconds), whole, client_left
    )


def clock_ticks_of(pid: int) -> int:
    """Return the clock ticks that a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


async def works_well(workers: Workers) -> None:
    """Check that both pools answer soon."""
    async with asyncio.timeout(PATIENCE):
        await workers.wait_until_ready()
        answer = await ask(workers, EASY_FOR_A_WORKER)
    assert (answer.count, answer.complete) == (3, True)
    assert (workers.busy, workers.waiting) == (0, 0)


def hoard(megabytes: int) -> int:
    """Take memory bit by bit, in a list that nothing but the error would hold on to."""
    return len([bytearray(2**20) for _ in range(megabytes)])


def hoard_sparingly(megabytes: int) -> int:
    with spare_memory():
        return hoard(megabytes)


class Block:
    """Work that keeps a worker until the test releases it."""

    def __init__(self, folder: Path) -> None:
        self.begun, self._end = folder / "begun", folder / "end"
        os.mkfifo(self._end)

    def __call__(self) -> None:
        """Say, in a worker, that work has begun, and wait."""
        self.begun.touch()
        self._end.read_bytes()

    def release(self) -> None:
        """Let the waiting worker go on."""
        self._end.write_bytes(b"")


@pytest.fixture
def block(tmp_path: Path) -> Block:
    return Block(tmp_path)


#: Events of an answer that is slow to read: reading has begun, and reading may end.
READING, READ = threading.Event(), threading.Event()


def read_slowly() -> None:
    """Read an answer, in the process that asked, until the test lets that end."""
    READING.set()
    assert READ.wait(PATIENCE)


class SlowToRead:
    """An answer whose reader takes as long as the test likes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return read_slowly, ()


class TestLost:
    """A worker that dies takes its question with it."""

    def test_worker_killed_while_answering_loses_its_question_and_is_replaced(
        self, block: Block
    ) -> None:
        async def scene(workers: Workers) -> None:
            worker = await run(workers, os.getpid)
            answer = asyncio.ensure_future(run(workers, block))
            await until(block.begun.exists)
            assert (workers.busy, workers.waiting) == (1, 0)
            os.kill(worker, signal.SIGKILL)
            with pytest.raises(WorkerLost):
                await asyncio.wait_for(answer, PATIENCE)
            assert (workers.restarts, workers.lost) == (1, 1)
            await works_well(workers)
            assert await run(workers, os.getpid) != worker
            assert (workers.restarts, workers.lost) == (1, 1)

        with working() as workers:
            asyncio.run(scene(workers))

    @pytest.mark.parametrize("crash", [(os.abort,), (exit_at_once, 3)])
    def test_worker_that_crashes_is_lost_and_replaced(self, crash: tuple[Any, ...]) -> None:
        async def scene(workers: Workers) -> None:
            with pytest.raises(WorkerLost):
                await run(workers, *crash, seconds=PATIENCE)
            assert (workers.restarts, workers.lost) == (1, 1)
            await works_well(workers)

        with working() as workers:
            asyncio.run(scene(workers))

    def test_crash_of_one_worker_leaves_other_worker_at_work(self, block: Block) -> None:
        async def scene(workers: Workers) -> None:
            other = asyncio.ensure_future(run(workers, block))
            await until(block.begun.exists)
            with pytest.raises(WorkerLost):
                await run(workers, os.abort)
            assert not other.done()
            block.release()
            assert await other is None

        with working(processes=2) as workers:
            asyncio.run(scene(workers))

    def test_killed_idle_worker_costs_no_question(self) -> None:
        async def scene(workers: Workers) -> None:
            pid = await run(workers, os.getpid)
            os.kill(pid, signal.SIGKILL)
            await until(lambda: states.has_ended(pid))
            await works_well(workers)
            assert workers.lost == 0

        with working() as workers:
            asyncio.run(scene(workers))

    def test_worker_killed_before_it_begins_costs_no_question(self) -> None:
        async def scene(workers: Workers) -> None:
            pid = await run(workers, os.getpid)
            os.kill(pid, signal.SIGSTOP)
            await until(lambda: states.is_stopped(pid))
            question = asyncio.ensure_future(run(workers, os.getpid))
            await until(lambda: workers.busy == 1)
            os.kill(pid, signal.SIGKILL)
            assert await asyncio.wait_for(question, PATIENCE) != pid
            assert (workers.restarts, workers.lost) == (1, 0)

        with working() as workers:
            asyncio.run(scene(workers))

    def test_killed_idle_worker_is_replaced_before_next_question(self) -> None:
        async def scene(workers: Workers) -> None:
            await workers.wait_until_ready()
            pid = await run(workers, os.getpid)
            os.kill(pid, signal.SIGKILL)
            await until(lambda: workers.restarts > 0)
            assert await run(workers, os.getpid) != pid

        with working() as workers:
            asyncio.run(scene(workers))

    def test_worker_that_cannot_be_started_is_lost(self, monkeypatch: Any) -> None:
        def refused(*_: object) -> None:
            raise BlockingIOError(errno.EAGAIN, "no more processes")

        async def scene(workers: Workers) -> None:
            with monkeypatch.context() as patch:
                patch.setattr(ProcessPoolExecutor, "submit", refused)
                with pytest.raises(WorkerLost):
                    await run(workers, os.getpid)
            await works_well(workers)

        with working() as workers:
            asyncio.run(scene(workers))


class TestMemory:
    """A question that needs too much memory fails alone."""

    def test_worker_without_memory_stays_and_frees_memory(self) -> None:
        async def scene(workers: Workers) -> None:
            worker = await run(workers, os.getpid)
            for _ in range(3):
                with pytest.raises(OutOfMemory):
                    await run(workers, hoard, 10 * MEMORY)
                assert await run(workers, hoard, MEMORY // 2) == MEMORY // 2
            assert await run(workers, os.getpid) == worker
            assert (workers.restarts, workers.lost) == (0, 0)
            await works_well(workers)

        with working(memory_mb=MEMORY) as workers:
            asyncio.run(scene(workers))

    def test_question_that_needs_too_much_memory_fails_alone(self) -> None:
        async def scene(workers: Workers) -> None:
            page = Layouts(parse("\n".join(["?" * 500] * 100)), limit=10_000)
            with pytest.raises(OutOfMemory):
                await ask(workers, page)
            await works_well(workers)

        with working(memory_mb=MEMORY) as workers:
            asyncio.run(scene(workers))

    def test_second_try_has_half_of_memory_limit(self) -> None:
        async def scene(workers: Workers) -> None:
            # Less than the limit by more than this module takes, which a worker has to load.
            much = 5 * MEMORY // 8
            assert await run(workers, hoard, much) == much
            with pytest.raises(OutOfMemory):
                await run(workers, hoard_sparingly, much)
            assert await run(workers, hoard, much) == much

        with working(memory_mb=MEMORY) as workers:
            asyncio.run(scene(workers))

    def test_question_larger_than_memory_limit_leaves_pipe(self, block: Block) -> None:
        """A question that hardly fits through the pipe does not stay in it."""

        async def scene(workers: Workers) -> None:
            slow = asyncio.ensure_future(run(workers, block))
            await until(block.begun.exists)
            with pytest.raises(OutOfMemory):
                await run(workers, bytes.upper, bytes(2 * MEMORY * 2**20))
            block.release()
            assert await slow is None
            await works_well(workers)
            assert workers.restarts == 0

        with working(processes=2, memory_mb=MEMORY) as workers:
            asyncio.run(scene(workers))

    def test_workers_without_memory_limit_have_none(self) -> None:
        async def scene(workers: Workers) -> None:
            assert await run(workers, hoard, 4 * MEMORY) == 4 * MEMORY

        with working() as workers:
            asyncio.run(scene(workers))


class TestQueue:
    """No more questions than the queue takes wait for workers or occupy them."""

    def test_question_beyond_queue_is_rejected(self, block: Block) -> None:
        async def scene(workers: Workers) -> None:
            slow = asyncio.ensure_future(run(workers, block))
            await until(lambda: workers.busy == 1)
            next_one = asyncio.ensure_future(ask(workers, HARD))
            await until(lambda: workers.waiting == 1)
            for asking in (run, ask):
                with pytest.raises(Overloaded):
                    await asking(workers, HARD)
            assert (workers.busy, workers.waiting, workers.refused) == (1, 1, 2)
            assert (await ask(workers, EASY)).count == 3
            for question in (slow, next_one):
                question.cancel()
            await asyncio.wait((slow, next_one))
            await works_well(workers)
            assert workers.refused == 2

        with working(queue=2) as workers:
            asyncio.run(scene(workers))

    def test_question_that_times_out_in_queue_costs_no_worker(self, block: Block) -> None:
        async def scene(workers: Workers) -> None:
            worker = await run(workers, os.getpid)
            slow = asyncio.ensure_future(run(workers, block, seconds=3 * LONG))
            await until(block.begun.exists)
            called = asyncio.ensure_future(run(workers, os.getpid, seconds=LONG))
            question = asyncio.ensure_future(ask(workers, HARD, seconds=LONG))
            await until(lambda: workers.waiting == 2)
            pass_time(2 * LONG)
            with pytest.raises(TimeoutError):
                await called
            answer = await question
            assert (answer.complete, answer.count) == (False, None)
            block.release()
            assert await slow is None
            assert await run(workers, os.getpid) == worker
            assert workers.restarts == 0

        with working() as workers:
            asyncio.run(scene(workers))


def test_question_past_its_deadline_costs_its_worker_but_is_answered(block: Block) -> None:
    async def scene(workers: Workers) -> None:
        called = asyncio.ensure_future(run(workers, block))
        await until(block.begun.exists)
        pass_time(2 * LONG)
        with pytest.raises(TimeoutError):
            await called
        await until(lambda: workers.busy == 0)
        assert (workers.restarts, workers.lost) == (1, 0)
        worker = await run(workers, os.getpid)
        before = clock_ticks_of(worker)
        question = asyncio.ensure_future(ask(workers, HARD))
        await until(lambda: clock_ticks_of(worker) > before + 5)
        pass_time(2 * LONG)
        answer = await question
        # A layout may or may not have been found in time.
        assert (answer.complete, answer.count) == (False, None)
        assert answer.consistent is not False
        assert (workers.restarts, workers.lost) == (2, 0)
        await works_well(workers)

    with working() as workers:
        asyncio.run(scene(workers))


def test_disconnected_client_ends_work_of_its_worker() -> None:
    async def scene(workers: Workers) -> None:
        await workers.wait_until_ready()
        left = asyncio.Event()
        answer = asyncio.ensure_future(ask(workers, HARD, client_left=left.wait))
        await until(lambda: workers.busy == 1)
        left.set()
        assert (await answer).complete is False
        await works_well(workers)
        assert (workers.restarts, workers.lost) == (1, 0)

    with working() as workers:
        asyncio.run(scene(workers))


@pytest.mark.slow
def test_answer_of_abandoned_question_is_not_given_to_next_question() -> None:
    """A worker may have made its answer, and be free again, while that is still being read."""

    async def scene(workers: Workers) -> None:
        await workers.wait_until_ready()
        for _ in range(3):
            READING.clear()
            READ.clear()
            left = asyncio.ensure_future(run(workers, SlowToRead))
            await until(READING.is_set)
            pass_time(2 * LONG)
            with pytest.raises(TimeoutError):
                await left
            following = asyncio.ensure_future(run(workers, pow, 2, 5, seconds=LONG))
            await until(lambda: workers.busy == 1)
            READ.set()
            assert await following == 32
        assert workers.lost == 0
        await works_well(workers)

    with working() as workers:
        asyncio.run(scene(workers))


def test_earlier_progress_is_answer_when_worker_finds_nothing_in_time() -> None:
    question = Count(parse("\n".join(lattice(21))))
    with pytest.raises(NeedsMoreEffort) as raised:
        answer_question(question, effort=INLINE)
    progress = raised.value.progress
    assert progress is not None
    assert progress.answer is not None
    progress.answer.elapsed = 30.0

    async def work(*call: object) -> Any:
        pass_time(2 * LONG)
        await wait_forever()
        raise AssertionError

    async def scene() -> Any:
        timed = Timed()
        try:
            return await timed.work_on_answer(work, job_of(question, LONG), FULL, progress, whole)
        finally:
            timed.close()

    found = asyncio.run(scene())
    assert (found.complete, found.consistent, found.count) == (False, True, None)
    assert found.witness is not None
    # The elapsed time is that of all efforts, not only of the last worker.
    assert found.elapsed > 30.0


@pytest.mark.parametrize(
    ("problem", "code"),
    [(Overloaded, "overloaded"), (WorkerLost, "worker-lost"), (OutOfMemory, "out-of-memory")],
)
def test_problem_of_unanswered_question_says_when_to_try_again(
    problem: type[Unanswered], code: str
) -> None:
    answer = problem().to_response()
    assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert answer.headers["retry-after"] == "1"
    assert problem().document["type"].endswith(f":{code}")
    # The problem can be sent from a worker.
    assert type(pickle.loads(pickle.dumps(problem()))) is problem


@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="only Linux has them")
def test_pipe_for_results_holds_most_of_them_whole() -> None:
    async def test() -> list[int]:
        with working() as workers:
            sizes: list[int] = await run(workers, list_pipe_sizes)
            return sizes

    assert 1 << 20 in asyncio.run(test())
