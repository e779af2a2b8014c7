"""Findings are streamed as lines when they are found, even if their worker is lost."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from minecheck.app.execution import timed
from minecheck.app.execution.ndjson import Findings, render_end_of_cut_findings, render_last_line
from minecheck.app.execution.timed import Timed, wait_forever
from minecheck.app.problems import Unanswered, WorkerLost
from minecheck.app.requests.jobs import Job, make_job
from minecheck.app.settings import Settings
from minecheck.solvers import Progress
from minecheck.solvers.findings import Conflict, Conflicts
from minecheck.solvers.tasks.conflicts import ConflictsAnswer
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.clocks import pass_time

#: Each row is inconsistent by itself, in several ways.
BOARD = ["1??1??1", "2??2??2"]

#: A function that stands for a worker, which writes lines to the given file.
Writer = Callable[[Path], Awaitable[bytes]]


def make_conflicts_job(board: list[str] = BOARD, **fields: object) -> Job:
    return make_job(
        QUESTIONS_BY_NAME["conflicts"],
        {"board": board, **fields},
        Settings(),
        monotonic(),
        stream=True,
    )


def run_with(write: Writer) -> Callable[..., Any]:
    """Return a function that runs `write` in place of a worker."""

    async def run(_: object, job: Job, progress: Progress | None, kept: Path) -> bytes:
        return await write(kept)

    return run


async def collect_lines(
    write: Writer,
    job: Job,
    progress: Progress | None = None,
    client_left: Callable[[], Awaitable[object]] = wait_forever,
) -> list[bytes]:
    calls = Timed()
    try:
        pieces = [
            one async for one in calls.stream_lines(run_with(write), job, progress, client_left)
        ]
        assert not os.listdir(calls._folder.name)
        return pieces
    finally:
        calls.close()


def conflict(row: int) -> Conflict:
    return Conflict([(row, 0)], mines=False, minimal=True, smallest=True)


def test_findings_write_each_line_once() -> None:
    findings, sets = Findings(make_conflicts_job()), [conflict(0)]
    answer = ConflictsAnswer(method="", consistent=False, conflicts=Conflicts(sets, more=True))
    assert json.loads(findings.list_new_lines(answer))["clues"] == [[0, 0]]
    assert findings.list_new_lines(answer) == b""
    sets += [conflict(1), conflict(2)]
    assert [json.loads(line)["clues"] for line in findings.list_new_lines(answer).splitlines()] == [
        [[1, 0]],
        [[2, 0]],
    ]
    assert json.loads(findings.last_line(answer)) == {
        "complete": True,
        "consistent": False,
        "more": True,
    }


def test_last_line_of_unknown_answer_says_that_nothing_is_known() -> None:
    findings = Findings(make_conflicts_job())
    nothing = ConflictsAnswer(method="", complete=False)
    assert findings.list_new_lines(nothing) == b""
    assert json.loads(findings.last_line(nothing)) == {
        "complete": False,
        "consistent": None,
        "more": None,
    }


def test_worker_writes_all_lines_and_returns_last_line(tmp_path: Path) -> None:
    kept = tmp_path / "lines"
    rest = timed._find_lines(make_conflicts_job(limit=5), None, kept)
    assert kept.read_bytes().count(b"\n") == 3
    assert rest == render_last_line(False, complete=True, more=False)


def test_worker_returns_lines_that_file_has_no_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / "whole"
    timed._find_lines(make_conflicts_job(), None, whole)

    class Full:
        """A file that has room for five bytes only."""

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
    rest = timed._find_lines(make_conflicts_job(), None, tmp_path / "full")
    monkeypatch.undo()
    assert full.taken + rest == whole.read_bytes() + render_last_line(
        False, complete=True, more=False
    )


def test_streamed_lines_arrive_before_last_line_exists() -> None:
    async def scene() -> None:
        read = asyncio.Event()

        async def write(kept: Path) -> bytes:
            kept.write_bytes(b"1\n")
            await read.wait()
            return b"2\n"

        calls = Timed()
        lines = calls.stream_lines(run_with(write), make_conflicts_job(), None)
        assert await anext(lines) == b"1\n"
        read.set()
        assert [one async for one in lines] == [b"2\n"]
        calls.close()

    asyncio.run(scene())


def test_lines_written_between_reads_are_not_lost() -> None:
    async def scene() -> None:
        reading, written = asyncio.Event(), asyncio.Event()

        async def write(kept: Path) -> bytes:
            kept.write_bytes(b"1\n")
            await reading.wait()
            kept.write_bytes(b"1\n2\nhalf")
            written.set()
            return b" a line\n"

        calls = Timed()
        lines = calls.stream_lines(run_with(write), make_conflicts_job(), None)
        first = await anext(lines)
        reading.set()
        await written.wait()
        assert first + b"".join([one async for one in lines]) == b"1\n2\nhalf a line\n"
        calls.close()

    asyncio.run(scene())


@pytest.mark.parametrize("written", [b"", b"1\n", b"1\n2\nhalf a li"])
@pytest.mark.parametrize("known", [None, False])
def test_stream_of_killed_worker_has_whole_lines_and_last_line(
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
    assert b"".join(pieces) == whole + render_end_of_cut_findings(False if whole else known)


def test_disconnected_client_ends_streaming_worker() -> None:
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

    assert asyncio.run(collect_lines(write, make_conflicts_job(), client_left=leaves)) == [
        render_end_of_cut_findings(None)
    ]
    assert ended == [True]


def test_worker_lost_before_first_line_is_a_problem() -> None:
    async def write(kept: Path) -> bytes:
        raise WorkerLost

    with pytest.raises(Unanswered):
        asyncio.run(collect_lines(write, make_conflicts_job()))


@pytest.mark.parametrize("is_read", [False, True])
def test_worker_lost_after_a_line_cuts_answer_short(is_read: bool) -> None:
    async def scene() -> None:
        read = asyncio.Event()

        async def write(kept: Path) -> bytes:
            kept.write_bytes(b"1\n")
            if is_read:
                await read.wait()
            raise WorkerLost

        calls = Timed()
        lines = calls.stream_lines(run_with(write), make_conflicts_job(), None)
        assert await anext(lines) == b"1\n"
        read.set()
        assert [one async for one in lines] == [render_end_of_cut_findings(False)]
        calls.close()

    asyncio.run(scene())
