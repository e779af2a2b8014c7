"""The memory of one batch: a body that comes in, chunks that workers answer, answers to be sent."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Final

from minecheck.app.batch.batch_line import BatchLine, render_problem
from minecheck.app.batch.engine import Answers
from minecheck.app.batch.lines import Summary
from minecheck.app.requests.budget import MemoryShare, OutOfMemoryBudget

#: Seconds between two looks whether there is room.
_LOOK_SECONDS: Final = 0.05
#: Answers to a chunk up to this size are always sent: they are already there.
_FEW_BYTES: Final = 4 << 20
#: An incomplete line counts from this size on.
_LONG_LINE: Final = 64 * 1024


class BatchMemory:
    """The memory that a batch holds for requests in progress.

    A batch waits where there is no room, and its client with it, but for the one chunk that
    every batch may have: so all of them go on.
    """

    def __init__(self, share: MemoryShare, patience: float) -> None:
        self._share = share
        self._patience = patience
        self._line = 0
        self._chunks = 0
        self._ahead = 0

    async def hold_line(self, size: int) -> None:
        """Count the beginning of a line, which may be long.

        Raises:
            OutOfMemoryBudget: there is no room for it, and has not been for as long as a client
                may pause.
        """
        size = size if size > _LONG_LINE else 0
        until = monotonic() + self._patience
        while not self.has_room(size - self._line):
            if monotonic() > until:
                raise OutOfMemoryBudget
            await asyncio.sleep(_LOOK_SECONDS)
        self._line = size
        self._update_count()

    async def hold_chunk(self, size: int) -> None:
        """Count a chunk, once there is room for it."""
        # It came as a line that counted already, or is small.
        size_more = size - self._line
        while self._chunks and not self.has_room(size_more):
            await asyncio.sleep(_LOOK_SECONDS)
        self._line = 0
        self._chunks += size
        self._update_count()

    def replace_chunk(self, size: int, answers: Answers, chunk: Sequence[BatchLine]) -> Answers:
        """Have the answers to a chunk count in its place.

        Where there is no room for many bytes of them, each line gets a problem.

        Returns:
            The answers, or the problems.
        """
        if len(answers.text) > _FEW_BYTES and not self.has_room(len(answers.text) - size):
            document = OutOfMemoryBudget().document
            problems = [render_problem(document, line) for line in chunk]
            answers = Answers(b"".join(problems), Summary(len(problems), len(problems)))
        self._chunks += len(answers.text) - size
        self._update_count()
        return answers

    def release_answers(self, answers: Answers) -> None:
        """Stop counting answers that are about to be sent, and count elsewhere."""
        self._chunks -= len(answers.text)
        self._update_count()

    def count_ahead(self, size: int) -> None:
        """Count what has come of the body ahead of its time."""
        self._ahead = size
        self._update_count()

    def has_room(self, growth: int) -> bool:
        """Return True if there is room for so many bytes more."""
        return growth <= 0 or self._share.has_room(self._share.held + growth)

    def _update_count(self) -> None:
        self._share.set(self._line + self._chunks + self._ahead)
