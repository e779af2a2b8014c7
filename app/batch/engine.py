"""Chunks of lines answered by worker processes: the one way for requests and for files."""

import asyncio
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from minecheck.app.batch import lines
from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.chunks import Pace
from minecheck.app.batch.lines import (
    LineAnswer,
    LineRequest,
    LineTemplate,
    PartialAnswers,
    Report,
    Summary,
    Unfinished,
)
from minecheck.app.execution.turns import SHORT_SECONDS, Batch
from minecheck.app.execution.workers import Background
from minecheck.app.problems import ProblemError, Unanswered, WorkerLost, make_defect_problem
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
        return WINDOW * self.workers.processes

    async def answer_chunk(self, chunk: list[BatchLine]) -> Answers:
        """Answer a chunk by a line for each line.

        What takes more than bounded effort goes on alone, with its own deadline.
        """
        answers = await self._answer_turn(chunk)
        while answers.lines < len(chunk):
            answers = answers.append_answers(await self._answer_turn(chunk[answers.lines :]))
        for fault in answers.faults:
            self.report(fault)
        self.pace.learn_pace(len(chunk), answers.seconds, sum(map(len, answers.texts)))
        if not answers.unfinished:
            return Answers(answers.texts[0], answers.summary)
        finished = await asyncio.gather(*map(self._finish_line, answers.unfinished))
        texts = chain.from_iterable(
            zip((answer.text for answer in finished), answers.texts[1:], strict=True)
        )
        return Answers(
            b"".join((answers.texts[0], *texts)),
            answers.summary + lines.summarise_answers(finished),
        )

    async def _answer_turn(self, chunk: list[BatchLine]) -> PartialAnswers:
        """Return the answers of one turn: to as many lines as there is time for, at least one."""
        seconds = _CHUNK_SECONDS + _LINE_SECONDS * len(chunk)
        # Between processes, lines take five times as long one by one as field by field.
        fields = tuple(zip(*chunk, strict=True))
        call = (lines.answer_fields, self.template, fields, SHORT_SECONDS)
        try:
            return await self.workers.run_briefly(self.batch, *call, seconds=seconds)
        except (TimeoutError, Unanswered):
            faults = []
        except Exception as error:  # noqa: BLE001 - reported
            faults = [Fault.from_exception(error)]
        # The worker was lost with the chunk, or its answer was: each line gets a chance of its own.
        unfinished = [Unfinished(LineRequest(line)) for line in chunk]
        texts = [b""] * (len(chunk) + 1)
        return PartialAnswers(texts, unfinished, Summary(), faults, len(chunk), seconds)

    async def _finish_line(self, unfinished: Unfinished) -> LineAnswer:
        """Answer one line with all the effort that its deadline allows."""
        request = unfinished.request
        try:
            if request.job is None:
                # It may be what ended the worker.
                call = (lines.read_request, self.template, request.line)
                request = await self.workers.run_briefly(self.batch, *call)
            if request.job is None:
                return LineAnswer.from_problem(request)
            body = await self.workers.finish_job(self.batch, request.job, unfinished.progress)
            return LineAnswer.from_body(body, request)
        except ProblemError as error:
            return LineAnswer.from_problem(request, error)
        except TimeoutError:
            # The service is about to end, and has ended the worker.
            return LineAnswer.from_problem(request, WorkerLost())
        except Exception as error:  # noqa: BLE001 - reported
            self.report(Fault.from_exception(error, request.line.line))
            return LineAnswer.from_problem(request, make_defect_problem())
