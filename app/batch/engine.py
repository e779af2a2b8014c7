"""Chunks of lines answered by worker processes: the one way for requests and for files."""

import asyncio
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from minecheck.app.batch import lines
from minecheck.app.batch.chunks import Pace
from minecheck.app.batch.lines import LineTemplate, PartialAnswers, Report, Summary, Unfinished
from minecheck.app.execution.turns import SHORT_SECONDS, Batch
from minecheck.app.execution.workers import Background
from minecheck.app.problems import ProblemError, Unanswered, WorkerLost, of_defect
from minecheck.app.telemetry.faults import Fault, log_fault

#: Chunks under way for each worker, so that none waits for the next one.
WINDOW: Final = 2
#: The seconds for a chunk within its turn, and for each of its lines.
_CHUNK_SECONDS: Final = 10.0
_LINE_SECONDS: Final = 0.2


class Answers(NamedTuple):
    """Lines of answers, and what they are."""

    text: bytes
    summary: Summary


@dataclass(slots=True)
class Engine:
    """The job that all lines share, the workers that answer, and the log for exceptions.

    ``batch`` is which of all batches it is.
    """

    template: LineTemplate
    workers: Background
    batch: Batch
    pace: Pace = field(default_factory=Pace)
    report: Report = log_fault

    @property
    def room(self) -> int:
        """The number of chunks that should be in progress."""
        return WINDOW * self.workers.pool.processes

    async def answer_chunk(self, chunk: list[bytes], first: int) -> Answers:
        """Answer a chunk by a line for each line.

        What takes more than bounded effort goes on alone, with its own deadline.

        Args:
            chunk: the lines.
            first: the number of the first one.
        """
        found = await self._answer_turn(chunk, first)
        while found.lines < len(chunk):
            later = await self._answer_turn(chunk[found.lines :], first + found.lines)
            found = found.followed_by(later)
        for fault in found.faults:
            self.report(fault)
        self.pace.learn_pace(len(chunk), found.seconds, sum(map(len, found.texts)))
        alone = await asyncio.gather(*map(self._finish_line, found.unfinished))
        rest = chain.from_iterable(zip(alone, found.texts[1:], strict=True))
        return Answers(b"".join((found.texts[0], *rest)), found.summary + lines.summed_up(alone))

    async def _answer_turn(self, chunk: list[bytes], first: int) -> PartialAnswers:
        """Return the answers of one turn: to as many lines as there is time for, at least one."""
        seconds = _CHUNK_SECONDS + _LINE_SECONDS * len(chunk)
        call = (lines.answer_bounded, self.template, chunk, first, SHORT_SECONDS)
        try:
            return await self.workers.run_briefly(self.batch, *call, seconds=seconds)
        except (TimeoutError, Unanswered):
            faults = []
        except Exception as error:  # noqa: BLE001 - reported
            faults = [Fault.from_exception(error)]
        # The worker was lost with the chunk, or its answer was: each line gets a chance of its own.
        left = [Unfinished(number, line) for number, line in enumerate(chunk, first)]
        texts = [b""] * (len(chunk) + 1)
        return PartialAnswers(texts, left, Summary(), faults, len(chunk), seconds)

    async def _finish_line(self, left: Unfinished) -> bytes:
        """Answer one line with all the effort that its deadline allows."""
        try:
            job = left.job
            if job is None:
                # It may be what ended the worker.
                call = (lines.read_job, self.template, left.line, left.number)
                job = await self.workers.run_briefly(self.batch, *call)
            return await self.workers.finish_job(self.batch, job, left.progress) + b"\n"
        except ProblemError as error:
            return lines.problem_line(error, left.number)
        except TimeoutError:
            # The service is about to end, and has ended the worker.
            return lines.problem_line(WorkerLost(), left.number)
        except Exception as error:  # noqa: BLE001 - reported
            self.report(Fault.from_exception(error, left.number))
            return lines.problem_line(of_defect(), left.number)
