"""The memory of batches: they wait for room, but never for each other for ever."""

import asyncio
from collections.abc import Awaitable

import pytest

from minecheck.app.batch.batch_line import number_lines
from minecheck.app.batch.engine import Answers
from minecheck.app.batch.lines import Summary
from minecheck.app.batch.memory import BatchMemory, BatchSlots
from minecheck.app.problems import TooManyBatches
from minecheck.app.requests.budget import MemoryBudget, MemoryShare, OutOfMemoryBudget

MOST = 16 << 20
PIECE = 1 << 20


def memory_of(budget: MemoryBudget, patience: float = 60.0) -> BatchMemory:
    return BatchMemory(MemoryShare(budget, "a"), patience)


async def is_waiting(what: Awaitable[None]) -> "asyncio.Future[None]":
    """The same, after some turns of the loop, in which it has not ended."""
    waiting = asyncio.ensure_future(what)
    for _ in range(10):
        await asyncio.sleep(0)
    assert not waiting.done()
    return waiting


def test_one_chunk_goes_on_without_room_and_the_next_waits_for_it() -> None:
    async def test() -> None:
        budget = MemoryBudget(MOST)
        MemoryShare(budget, "a").set(MOST)
        memory = memory_of(budget)
        await memory.hold_chunk(PIECE)
        waiting = await is_waiting(memory.hold_chunk(PIECE))
        found = memory.replace_chunk(PIECE, Answers(b"x" * 100, Summary(1)), number_lines([b"x"]))
        memory.release_answers(found)
        await waiting
        assert budget.held == MOST + PIECE

    asyncio.run(test())


def test_a_long_line_waits_for_room_and_gives_up_in_the_end() -> None:
    async def test() -> None:
        budget = MemoryBudget(MOST)
        other = MemoryShare(budget, "b")
        other.set(MOST)
        with pytest.raises(OutOfMemoryBudget):
            await memory_of(budget, patience=-1.0).hold_line(PIECE)
        memory = memory_of(budget)
        # What is short does not count.
        await memory.hold_line(1000)
        waiting = await is_waiting(memory.hold_line(PIECE))
        other.set(0)
        await waiting
        assert budget.held == PIECE
        # As a chunk it counts once.
        await memory.hold_chunk(PIECE + 5)
        assert budget.held == PIECE + 5

    asyncio.run(test())


@pytest.mark.parametrize("full", [False, True])
def test_large_answers_without_room_are_problems(full: bool) -> None:
    async def test() -> None:
        budget = MemoryBudget(MOST)
        memory = memory_of(budget)
        await memory.hold_chunk(100)
        if full:
            MemoryShare(budget, "b").set(MOST)
        answers = Answers(b"x" * (5 * PIECE), Summary(2))
        found = memory.replace_chunk(100, answers, number_lines([b"x", b"y"], 7))
        assert (found is answers) == (not full)
        if full:
            assert found.summary == Summary(2, 2)
            assert found.text.count(b'"line":') == 2
            assert b'"line":8' in found.text

    asyncio.run(test())


def test_only_so_many_batches_are_in_progress() -> None:
    slots = BatchSlots(2)
    slots.take()
    slots.take()
    with pytest.raises(TooManyBatches) as caught:
        slots.take()
    assert caught.value.headers == {"Retry-After": "1"}
    slots.give_back()
    slots.take()
