"""Chunks of lines answered by worker processes: the one way for requests and for files."""

import asyncio
from dataclasses import dataclass, field
from itertools import chain
from time import monotonic
from typing import Final, NamedTuple

from app.batch import lines
from app.batch.chunks import Pace
from app.batch.lines import Answered, Asked, Summary, Unfinished
from app.execution import ladder
from app.execution.workers import Background
from app.problems import ProblemError, Unanswered

#: Chunks under way for each worker, so that none waits for the next one.
WINDOW: Final = 2
#: A chunk takes less than so many seconds with bounded effort, and so many for each line.
_CHUNK_SECONDS: Final = 10.0
_LINE_SECONDS: Final = 0.2


class Answers(NamedTuple):
    """Lines of answers, and what they are."""

    text: bytes
    summary: Summary


@dataclass(slots=True)
class Engine:
    """What is asked of all lines, and who answers."""

    asked: Asked
    workers: Background
    pace: Pace = field(default_factory=Pace)

    @property
    def room(self) -> int:
        """How many chunks are worth having under way."""
        return WINDOW * self.workers.pool.processes

    async def answers(self, chunk: list[bytes], first: int) -> Answers:
        """A line for each line of a chunk; ``first`` is the number of the first one.

        What takes more than bounded effort goes on alone, with its own deadline.
        """
        started = monotonic()
        found = await self._bounded(chunk, first)
        self.pace.learn(len(chunk), monotonic() - started, sum(map(len, found.texts)))
        alone = await asyncio.gather(*map(self._finished, found.unfinished))
        rest = chain.from_iterable(zip(alone, found.texts[1:], strict=True))
        return Answers(b"".join((found.texts[0], *rest)), found.summary + lines.summed_up(alone))

    async def _bounded(self, chunk: list[bytes], first: int) -> Answered:
        seconds = _CHUNK_SECONDS + _LINE_SECONDS * len(chunk)
        try:
            return await self.workers.run(lines.answered, self.asked, chunk, first, seconds=seconds)
        except (TimeoutError, Unanswered):
            # The worker was lost with the chunk: each line gets a chance of its own.
            left = [Unfinished(number, line) for number, line in enumerate(chunk, first)]
            return Answered([b""] * (len(chunk) + 1), left, Summary())

    async def _finished(self, left: Unfinished) -> bytes:
        """The answer to one line with all the effort that its deadline allows."""
        try:
            job = left.job
            if job is None:
                # It may be what ended the worker.
                job = await self.workers.run(lines.job, self.asked, left.line, left.number)
            return await ladder.finish(self.workers, job, left.progress) + b"\n"
        except ProblemError as error:
            return lines.problem_line(error, left.number)
