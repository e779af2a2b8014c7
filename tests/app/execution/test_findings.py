"""Lines of what is found: as it is found, whatever becomes of the worker that finds it."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from minecheck.app.execution import workers
from minecheck.app.execution.findings import Findings, cut_short, render_last_line
from minecheck.app.execution.workers import Timed, wait_forever
from minecheck.app.problems import Unanswered, WorkerLost
from minecheck.app.requests.jobs import Job, make_job
from minecheck.app.settings import Settings
from minecheck.solvers import Progress
from minecheck.solvers.answer import Conflict, Conflicts
from minecheck.solvers.tasks.conflicts import ConflictsAnswer
from tests.app.jobs import RECORDS
from tests.clocks import pass_time

#: Each row is inconsistent by itself, in more ways than one.
BOARD = ["1??1??1", "2??2??2"]

#: What a worker does that is given a file for its lines.
Written = Callable[[Path], Awaitable[bytes]]


def make_conflicts_job(board: list[str] = BOARD, **fields: object) -> Job:
    return make_job(
        RECORDS["conflicts"], {"board": board, **fields}, Settings(), monotonic(), stream=True
    )


def by(write: Written) -> Callable[..., Any]:
    """Runs this in place of a worker."""

    async def run(_: object, job: Job, progress: Progress | None, kept: Path) -> bytes:
        return await write(kept)

    return run


async def collect_lines(
    write: Written,
    wanted: Job,
    progress: Progress | None = None,
    gone: Callable[[], Awaitable[object]] = wait_forever,
) -> list[bytes]:
    timed = Timed()
    try:
        pieces = [one async for one in timed.stream_lines(by(write), wanted, progress, gone)]
        assert not os.listdir(timed._folder.name)
        return pieces
    finally:
        timed.close()


def conflict(row: int) -> Conflict:
    return Conflict([(row, 0)], mines=False, minimal=True, smallest=True)


def test_each_line_is_written_once() -> None:
    findings, sets = Findings(make_conflicts_job()), [conflict(0)]
    answer = ConflictsAnswer(method="", consistent=False, conflicts=Conflicts(sets, more=True))
    assert json.loads(findings.new_lines(answer))["clues"] == [[0, 0]]
    assert findings.new_lines(answer) == b""
    sets += [conflict(1), conflict(2)]
    assert [json.loads(line)["clues"] for line in findings.new_lines(answer).splitlines()] == [
        [[1, 0]],
        [[2, 0]],
    ]
    assert json.loads(findings.last_line(answer)) == {
        "complete": True,
        "consistent": False,
        "more": True,
    }


def test_an_answer_that_knows_nothing_says_so() -> None:
    findings = Findings(make_conflicts_job())
    nothing = ConflictsAnswer(method="", complete=False)
    assert findings.new_lines(nothing) == b""
    assert json.loads(findings.last_line(nothing)) == {
        "complete": False,
        "consistent": None,
        "more": None,
    }


def test_a_worker_writes_all_lines_and_returns_the_last(tmp_path: Path) -> None:
    kept = tmp_path / "lines"
    rest = workers._find_lines(make_conflicts_job(limit=5), None, kept)
    assert kept.read_bytes().count(b"\n") == 3
    assert rest == render_last_line(False, complete=True, more=False)


def test_lines_that_there_was_no_room_for_come_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / "whole"
    workers._find_lines(make_conflicts_job(), None, whole)

    class Full:
        """Takes a few bytes, and no more."""

        def __init__(self) -> None:
            self.taken = b""

        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def write(self, text: bytearray) -> int:
            if self.taken:
                raise OSError
            self.taken = bytes(text[:5])
            return len(self.taken)

    full = Full()
    monkeypatch.setattr(Path, "open", lambda *_, **__: full)
    rest = workers._find_lines(make_conflicts_job(), None, tmp_path / "full")
    monkeypatch.undo()
    assert full.taken + rest == whole.read_bytes() + render_last_line(
        False, complete=True, more=False
    )


def test_lines_arrive_before_the_last_one_is_there() -> None:
    async def scene() -> None:
        read = asyncio.Event()

        async def write(kept: Path) -> bytes:
            kept.write_bytes(b"1\n")
            await read.wait()
            return b"2\n"

        timed = Timed()
        lines = timed.stream_lines(by(write), make_conflicts_job(), None)
        assert await anext(lines) == b"1\n"
        read.set()
        assert [one async for one in lines] == [b"2\n"]
        timed.close()

    asyncio.run(scene())


def test_what_is_written_while_nobody_reads_is_not_lost() -> None:
    async def scene() -> None:
        reading, written = asyncio.Event(), asyncio.Event()

        async def write(kept: Path) -> bytes:
            kept.write_bytes(b"1\n")
            await reading.wait()
            kept.write_bytes(b"1\n2\nhalf")
            written.set()
            return b" a line\n"

        timed = Timed()
        lines = timed.stream_lines(by(write), make_conflicts_job(), None)
        first = await anext(lines)
        reading.set()
        await written.wait()
        assert first + b"".join([one async for one in lines]) == b"1\n2\nhalf a line\n"
        timed.close()

    asyncio.run(scene())


@pytest.mark.parametrize("written", [b"", b"1\n", b"1\n2\nhalf a li"])
@pytest.mark.parametrize("known", [None, False])
def test_whoever_is_killed_leaves_whole_lines_and_a_last_word(
    written: bytes, known: bool | None
) -> None:
    async def write(kept: Path) -> bytes:
        kept.write_bytes(written)
        pass_time()
        await wait_forever()
        raise AssertionError("it is killed")

    progress = None if known is None else Progress(ConflictsAnswer(method="", consistent=known))
    pieces = asyncio.run(collect_lines(write, make_conflicts_job(), progress))
    whole = written[: written.rfind(b"\n") + 1]
    assert b"".join(pieces) == whole + cut_short(False if whole else known)


def test_a_client_that_leaves_ends_the_worker() -> None:
    ended = []
    began = asyncio.Event()

    async def write(kept: Path) -> bytes:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        return b""

    async def leaves() -> None:
        await began.wait()

    assert asyncio.run(collect_lines(write, make_conflicts_job(), gone=leaves)) == [cut_short(None)]
    assert ended == [True]


def test_a_worker_that_is_lost_before_the_first_line_is_a_problem() -> None:
    async def write(kept: Path) -> bytes:
        raise WorkerLost

    with pytest.raises(Unanswered):
        asyncio.run(collect_lines(write, make_conflicts_job()))


@pytest.mark.parametrize("is_read", [False, True])
def test_a_worker_that_is_lost_after_a_line_cuts_the_answer_short(is_read: bool) -> None:
    async def scene() -> None:
        read = asyncio.Event()

        async def write(kept: Path) -> bytes:
            kept.write_bytes(b"1\n")
            if is_read:
                await read.wait()
            raise WorkerLost

        timed = Timed()
        lines = timed.stream_lines(by(write), make_conflicts_job(), None)
        assert await anext(lines) == b"1\n"
        read.set()
        assert [one async for one in lines] == [cut_short(False)]
        timed.close()

    asyncio.run(scene())
