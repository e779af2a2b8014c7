"""Batches take turns, as the order of granted turns shows, without a clock."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.execution.turns import SHORT_SECONDS, Batch, Turns
from tests.examples import examples


class Scene:
    """Turns that a test requests and ends by name."""

    def __init__(self, workers: int, most_alike: int) -> None:
        self.turns = Turns(workers, most_alike)
        #: Names of granted turns, in order.
        self.granted: list[str] = []
        self.running: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def short(self, name: str, batch: Batch) -> None:
        await self._ask(name, self.turns.short_turn(batch))

    async def long(self, name: str, batch: Batch, seconds: float = 5.0) -> None:
        await self._ask(name, self.turns.long_turn(batch, seconds))

    async def end(self, *names: str) -> None:
        for name in names:
            self.running.pop(name).set()
            await settle()

    async def cancel(self, name: str) -> None:
        self.tasks[name].cancel()
        await settle()

    async def _ask(self, name: str, turn: AbstractAsyncContextManager[None]) -> None:
        async def take() -> None:
            async with turn:
                self.granted.append(name)
                over = self.running[name] = asyncio.Event()
                await over.wait()

        self.tasks[name] = asyncio.create_task(take())
        await settle()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def play(
    workers: int, most_alike: int, scene: Callable[[Scene], Coroutine[Any, Any, None]]
) -> list[str]:
    """Return the names of the turns granted in a scene, in order."""

    async def played() -> list[str]:
        stage = Scene(workers, most_alike)
        await scene(stage)
        for task in stage.tasks.values():
            task.cancel()
        await asyncio.gather(*stage.tasks.values(), return_exceptions=True)
        assert (stage.turns.taken, stage.turns.waiting) == (0, 0)
        return stage.granted

    return asyncio.run(played())


def test_turns_leave_a_worker_to_chunks_while_lines_wait() -> None:
    async def scene(stage: Scene) -> None:
        hard, easy = stage.turns.new_batch("one"), stage.turns.new_batch("two")
        for number in range(9):
            await stage.long(f"hard {number}", hard)
        await stage.short("easy", easy)

    assert play(3, 2, scene) == ["hard 0", "hard 1", "easy"]


def test_turns_alternate_between_lines_of_two_batches() -> None:
    async def scene(stage: Scene) -> None:
        first, second = stage.turns.new_batch("one"), stage.turns.new_batch("two")
        for number in range(4):
            await stage.long(f"a{number}", first)
        for number in range(2):
            await stage.long(f"b{number}", second)
        await stage.end("a0", "b0", "a1", "b1", "a2")

    assert play(2, 1, scene) == ["a0", "b0", "a1", "b1", "a2", "a3"]


def test_turns_of_client_do_not_grow_with_its_batches() -> None:
    async def scene(stage: Scene) -> None:
        await stage.long("begin", stage.turns.new_batch("other"))
        many = [stage.turns.new_batch("one") for _ in range(3)]
        for number, batch in enumerate(many):
            await stage.long(f"a{number}", batch)
        few = stage.turns.new_batch("two")
        for number in range(3):
            await stage.long(f"b{number}", few)
        await stage.end("begin", "a0", "b0", "a1", "b1", "a2")

    assert play(1, 1, scene) == ["begin", "a0", "b0", "a1", "b1", "a2", "b2"]


def test_turns_are_weighed_by_time_that_lines_may_take() -> None:
    async def scene(stage: Scene) -> None:
        await stage.long("begin", stage.turns.new_batch("other"))
        slow, quick = stage.turns.new_batch("one"), stage.turns.new_batch("two")
        for number in range(2):
            await stage.long(f"slow {number}", slow, seconds=60)
        for number in range(4):
            await stage.long(f"quick {number}", quick, seconds=20)
        await stage.end("begin", "slow 0", "quick 0", "quick 1", "quick 2", "slow 1")

    quick = [f"quick {number}" for number in range(3)]
    assert play(1, 1, scene) == ["begin", "slow 0", *quick, "slow 1", "quick 3"]


def test_unused_turns_are_not_saved_up() -> None:
    async def scene(stage: Scene) -> None:
        first, second = stage.turns.new_batch("one"), stage.turns.new_batch("two")
        await stage.long("second", second)
        await stage.end("second")
        for number in range(10):
            await stage.long(f"a{number}", first)
            await stage.end(f"a{number}")
        await stage.long("now", first)
        for number in range(3):
            await stage.long(f"b{number}", second)
        for number in range(2):
            await stage.long(f"c{number}", first)
        await stage.end("now", "b0", "c0", "b1")

    assert play(1, 1, scene)[-5:] == ["now", "b0", "c0", "b1", "c1"]


def test_turns_of_lines_come_while_chunks_never_end() -> None:
    async def scene(stage: Scene) -> None:
        busy, hard = stage.turns.new_batch("one"), stage.turns.new_batch("two")
        await stage.short("begin", busy)
        await stage.long("hard", hard, seconds=SHORT_SECONDS)
        for number in range(3):
            await stage.short(f"chunk {number}", busy)
        await stage.end("begin")

    assert play(1, 1, scene) == ["begin", "hard"]


def test_turn_passes_to_next_batch_when_waiting_line_is_cancelled() -> None:
    async def scene(stage: Scene) -> None:
        batch, other = stage.turns.new_batch("one"), stage.turns.new_batch("two")
        await stage.long("has it", batch)
        await stage.long("leaves", batch)
        await stage.long("next", other)
        await stage.cancel("leaves")
        await stage.end("has it")

    assert play(1, 1, scene) == ["has it", "next"]


def test_turn_granted_to_line_that_is_being_cancelled_is_given_back() -> None:
    async def scene(stage: Scene) -> None:
        batch, other = stage.turns.new_batch("one"), stage.turns.new_batch("two")
        await stage.long("has it", batch)
        await stage.long("leaves", other)
        await stage.long("next", batch)
        stage.running.pop("has it").set()
        # The turn is granted in the next step of the loop, and taken in the step after that.
        while not stage.turns.taken or stage.turns.waiting == 2:
            await asyncio.sleep(0)
        await stage.cancel("leaves")

    assert play(1, 1, scene) == ["has it", "next"]


@examples(40)
@given(
    st.integers(1, 4),
    st.integers(1, 3),
    st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans()), max_size=30),
)
def test_turns_are_granted_to_all_and_never_exceed_workers(
    most_alike: int, spare: int, calls: list[tuple[str, bool, bool]]
) -> None:
    workers = most_alike + spare

    async def scene() -> None:
        turns = Turns(workers, most_alike)
        batches = {name: turns.new_batch(name) for name in "abc"}
        running = {True: 0, False: 0}
        done = 0

        async def ask(name: str, is_long: bool) -> None:
            nonlocal done
            batch = batches[name]
            async with turns.long_turn(batch, 1.0) if is_long else turns.short_turn(batch):
                running[is_long] += 1
                try:
                    assert max(running.values()) <= most_alike
                    assert sum(running.values()) <= workers
                    await asyncio.sleep(0)
                finally:
                    running[is_long] -= 1
            done += 1

        tasks: list[asyncio.Task[None]] = []
        leaving: list[Awaitable[None]] = []
        for name, is_long, leaves in calls:
            tasks.append(asyncio.create_task(ask(name, is_long)))
            await asyncio.sleep(0)
            if leaves:
                tasks[-1].cancel()
                leaving.append(tasks.pop())
        await asyncio.gather(*tasks)
        await asyncio.gather(*leaving, return_exceptions=True)
        assert done >= len(tasks)
        assert (turns.taken, turns.waiting) == (0, 0)

    asyncio.run(scene())
