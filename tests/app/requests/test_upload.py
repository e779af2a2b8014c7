"""Uploads join the pieces of a body, which may arrive slowly within limits."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from minecheck.app.problems import ProblemError
from minecheck.app.requests import upload
from minecheck.app.requests.budget import SCARCE_RATE, MemoryBudget, MemoryShare, OutOfMemoryBudget
from minecheck.app.requests.upload import PatientReceive, Upload

LIMIT = 1 << 20


def share_with(most: int) -> MemoryShare:
    return MemoryShare(MemoryBudget(most), "a")


async def nothing_more() -> Message:
    raise AssertionError("pieces are added by the test")


#: A receiver that waits for a client that sends in time.
PATIENT = PatientReceive(nothing_more, 20.0)


@pytest.mark.parametrize("size", [1, 1000, 70_000])
def test_upload_joins_pieces(size: int) -> None:
    share = share_with(8 * LIMIT)
    pieces = [bytes([number]) * size for number in range(10)]
    coming = Upload(LIMIT, share, PATIENT)
    for piece in pieces:
        coming.add(piece)
    assert coming.problem is None
    assert coming.take() == b"".join(pieces)
    assert share.held == (10 * size if 10 * size > 16384 else 0)


def test_upload_of_tiny_pieces_counts_their_memory() -> None:
    share = share_with(8 * LIMIT)
    coming = Upload(LIMIT, share, PATIENT)
    for _ in range(100_000):
        coming.add(b"x")
    assert 100_000 <= share.held <= 120_000


def test_upload_holds_nothing_of_body_above_limit() -> None:
    share = share_with(8 * LIMIT)
    coming = Upload(100_000, share, PATIENT)
    for _ in range(10):
        coming.add(b"x" * 50_000)
    assert coming.problem is not None
    assert coming.problem.document["status"] == 413
    assert share.held == 0
    assert coming.size == 500_000


def test_upload_holds_nothing_of_body_announced_above_limit() -> None:
    share = share_with(8 * LIMIT)
    coming = Upload(100_000, share, PATIENT, 100_001)
    coming.add(b"x" * 90_000)
    assert coming.problem is not None
    assert coming.problem.document["status"] == 413
    assert share.held == 0


def test_upload_without_room_ends_and_says_when_to_try_again() -> None:
    share = share_with(400_000)
    coming = Upload(LIMIT, share, PATIENT)
    coming.add(b"x" * 100_000)
    with pytest.raises(OutOfMemoryBudget) as caught:
        coming.add(b"x" * 200_000)
    assert share.held == 0
    # The connection stays open: the rest of the body is discarded.
    assert caught.value.headers == {"Retry-After": "1"}
    assert caught.value.document["type"].endswith(":overloaded")


def test_upload_of_known_length_reserves_its_whole_size_at_start() -> None:
    budget = MemoryBudget(8 * LIMIT)
    share = MemoryShare(budget, "a")
    coming = Upload(2 * LIMIT, share, PATIENT, 2 * LIMIT)
    assert share.held == 2 * LIMIT
    for _ in range(8):
        coming.add(bytes(LIMIT // 4))
        assert share.held == 2 * LIMIT
    coming.end()
    assert len(coming.take()) == share.held == 2 * LIMIT


def test_uploads_of_known_length_are_admitted_or_rejected_before_first_byte() -> None:
    budget = MemoryBudget(8 * LIMIT)
    admitted = [
        Upload(2 * LIMIT, MemoryShare(budget, client), PATIENT, 2 * LIMIT) for client in "abc"
    ]
    with pytest.raises(OutOfMemoryBudget):
        Upload(2 * LIMIT, MemoryShare(budget, "d"), PATIENT, 2 * LIMIT)
    for coming in admitted:
        coming.add(bytes(2 * LIMIT))
        coming.end()
        assert len(coming.take()) == 2 * LIMIT
    assert (budget.held, budget.refused) == (6 * LIMIT, 1)


@given(st.lists(st.integers(1, LIMIT // 2), min_size=1, max_size=8), st.booleans())
def test_upload_releases_all_memory_at_any_end(sizes: list[int], whole: bool) -> None:
    budget = MemoryBudget(8 * LIMIT)
    share = MemoryShare(budget, "a")
    length = sum(sizes) + (0 if whole else 1)
    coming = Upload(8 * LIMIT, share, PATIENT, length)
    for size in sizes:
        coming.add(bytes(size))
    coming.end()
    share.set(0)
    assert budget.held == 0
    assert not budget.reclaims


class Sender:
    """A client that sends `size` bytes after each pause, by a clock that it moves."""

    def __init__(self, pause: float, size: int) -> None:
        self.now = 0.0
        self.pause = pause
        self.size = size

    async def receive(self) -> Message:
        await asyncio.sleep(0)
        self.now += self.pause
        return {"type": "http.request", "body": b"x" * self.size, "more_body": True}


def pieces_until_late(
    monkeypatch: pytest.MonkeyPatch, sender: Sender, *, anew: bool = False
) -> int:
    """Return how many pieces arrive, at most 1000, until the client is rejected as too slow."""
    monkeypatch.setattr(upload, "monotonic", lambda: sender.now)
    patient = PatientReceive(sender.receive, 20.0, 1000.0)

    async def count() -> int:
        for number in range(1000):
            try:
                await patient()
            except ProblemError:
                return number
            if anew:
                patient.begin_anew()
        return 1000

    return asyncio.run(count())


def test_slow_upload_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # A client has 20 s, and one more for each 1000 bytes.
    assert pieces_until_late(monkeypatch, Sender(10.0, 1)) in (2, 3)
    assert pieces_until_late(monkeypatch, Sender(10.0, 5000)) in (4, 5)


def test_quick_upload_does_not_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pieces_until_late(monkeypatch, Sender(10.0, 10_000)) == 1000


def test_each_line_of_batch_upload_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pieces_until_late(monkeypatch, Sender(10.0, 1), anew=True) == 1000


def test_line_that_ends_while_more_is_waited_for_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(upload, "monotonic", lambda: now)

    async def test() -> None:
        nonlocal now
        there = asyncio.Event()

        async def receive() -> Message:
            await there.wait()
            return {"type": "http.request", "body": bytes(12 * SCARCE_RATE), "more_body": True}

        patient = PatientReceive(receive, 60.0)
        waiting = asyncio.ensure_future(patient())
        await asyncio.sleep(0)
        now = 15.0
        patient.begin_anew()
        now = 25.0
        there.set()
        await waiting
        # All of the pause would be too much for what has come, what was left of it is not.
        assert not patient.is_slow

    asyncio.run(test())


async def wait_for_nothing() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize("sent", [0, 100_000])
def test_slow_upload_loses_memory_that_another_request_needs(
    monkeypatch: pytest.MonkeyPatch, sent: int
) -> None:
    now = 0.0
    monkeypatch.setattr(upload, "monotonic", lambda: now)
    budget = MemoryBudget(4 * LIMIT)

    async def test() -> None:
        nonlocal now
        patient = PatientReceive(wait_for_nothing, 3600.0)
        slow = Upload(2 * LIMIT, MemoryShare(budget, "a"), patient, 2 * LIMIT)
        slow.add(bytes(sent))
        patient.begin_anew(sent)
        waiting = asyncio.ensure_future(patient())
        await asyncio.sleep(0)
        quick = MemoryShare(budget, "b")
        # The slow upload has a second, and one more for each 64 KiB that arrived.
        now = 1.0 + sent / SCARCE_RATE
        assert not quick.has_room(2 * LIMIT)
        now += 0.01
        assert quick.has_room(2 * LIMIT)
        quick.resize(2 * LIMIT)
        assert budget.held == 2 * LIMIT + sent + sent // 8
        # From now on the slow upload takes memory as it grows, as long as there is some.
        slow.add(bytes(LIMIT // 2))
        with pytest.raises(OutOfMemoryBudget):
            slow.add(bytes(LIMIT + LIMIT // 2 - sent))
        waiting.cancel()
        assert budget.held == 2 * LIMIT

    asyncio.run(test())


def test_upload_that_service_keeps_waiting_loses_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(upload, "monotonic", lambda: now)
    budget = MemoryBudget(4 * LIMIT)
    Upload(2 * LIMIT, MemoryShare(budget, "a"), PatientReceive(nothing_more, 20.0), 2 * LIMIT)
    now = 1000.0
    assert not MemoryShare(budget, "b").has_room(2 * LIMIT)
