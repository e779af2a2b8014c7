"""Batches wait for memory, but never for each other for ever."""

import asyncio
from collections.abc import Awaitable

import pytest

from minecheck.app.batch.engine import Answers
from minecheck.app.batch.lines import Summary
from minecheck.app.batch.memory import BatchMemory
from minecheck.app.requests.budget import MemoryBudget, MemoryShare, OutOfMemoryBudget
from tests.batch_lines import number_lines

MOST = 16 << 20
PIECE = 1 << 20


def memory_of(budget: MemoryBudget, patience: float = 60.0) -> BatchMemory:
    return BatchMemory(MemoryShare(budget, "a"), patience)


async def is_waiting(what: Awaitable[None]) -> "asyncio.Future[None]":
    """Return a future of the awaitable, which does not end in ten turns of the loop."""
    waiting = asyncio.ensure_future(what)
    for _ in range(10):
        await asyncio.sleep(0)
    assert not waiting.done()
    return waiting


def test_batch_memory_lets_one_chunk_exceed_budget_and_next_chunk_wait() -> None:
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


def test_batch_memory_makes_long_line_wait_and_give_up_after_patience() -> None:
    async def test() -> None:
        budget = MemoryBudget(MOST)
        other = MemoryShare(budget, "b")
        other.set(MOST)
        with pytest.raises(OutOfMemoryBudget):
            await memory_of(budget, patience=-1.0).hold_line(PIECE)
        memory = memory_of(budget)
        # A short line does not count.
        await memory.hold_line(1000)
        waiting = await is_waiting(memory.hold_line(PIECE))
        other.set(0)
        await waiting
        assert budget.held == PIECE
        # The line counts once when it becomes part of a chunk.
        await memory.hold_chunk(PIECE + 5)
        assert budget.held == PIECE + 5

    asyncio.run(test())


@pytest.mark.parametrize("full", [False, True])
def test_batch_memory_replaces_large_answers_without_room_by_problems(full: bool) -> None:
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
