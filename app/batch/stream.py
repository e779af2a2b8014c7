"""Many boards in one request: one board and one answer per line, in order, streamed both ways.

Lines are read as long as there is room, answered in chunks by worker
processes, and sent as soon as their turn has come. What takes more than
bounded effort goes on alone, with its own deadline. Nothing but a window of
chunks is ever held.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from time import monotonic
from typing import Final, TypeAlias

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from minecheck.app.batch.batch_line import BatchLine, render_problem
from minecheck.app.batch.chunks import Pace
from minecheck.app.batch.engine import Answers, Engine
from minecheck.app.batch.inflating import inflate_body
from minecheck.app.batch.json_lines import InputParser
from minecheck.app.batch.lines import Summary
from minecheck.app.batch.memory import BatchMemory
from minecheck.app.batch.read_ahead import ClientLeft, ReadAhead
from minecheck.app.compression import GZIP, CompressionError
from minecheck.app.execution.work_slots import WorkSlots
from minecheck.app.problems import ProblemError
from minecheck.app.requests.budget import find_memory_share
from minecheck.app.requests.decompressing import make_damaged_body_problem
from minecheck.app.requests.scope import LEFT
from minecheck.app.requests.upload import PatientReceive

#: A body may inflate to this many times the largest body, however small it is.
_FREE_BODIES: Final = 4

_Source: TypeAlias = AsyncIterator[bytes]


#: Answers to come, or why there are no more; None after the last.
_Coming: TypeAlias = asyncio.Task[Answers] | ProblemError | None


class BatchResponse(Response):
    """The answers to the lines of the request, which this reads itself.

    ``parser`` makes boards of the body. ``compression`` tells how the body comes packed, if it is;
    ``gzip`` whether answers are to be. It takes one of the ``slots``.
    """

    def __init__(
        self,
        engine: Engine,
        slots: WorkSlots,
        *,
        parser: InputParser,
        compression: str | None,
        gzip: bool,
        summary: bool,
    ) -> None:
        super().__init__(media_type="application/x-ndjson")
        del self.headers["content-length"]
        if gzip:
            self.headers["content-encoding"] = "gzip"
        self.headers["vary"] = "Accept-Encoding"
        self._engine = engine
        self._slots = slots
        self._parser = parser
        self._compression = compression
        self._deflate = zlib.compressobj(1, zlib.DEFLATED, GZIP) if gzip else None
        self._summary = summary
        #: The number of the line after the last one that was read.
        self._next = 0
        #: The queue of chunks that are in progress, or wait to be sent.
        self._room = asyncio.Semaphore(engine.room)
        self._under_way: set[asyncio.Task[Answers]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, answer and send until the client has all of it or has left.

        Raises:
            TooManyBatches: too many others are in progress.
        """
        with self._slots.take_slot():
            settings = self._engine.template.settings
            self._memory = BatchMemory(find_memory_share(scope), settings.upload_seconds)
            await self._stream_answers(scope, receive, send)

    async def _stream_answers(self, scope: Scope, receive: Receive, send: Send) -> None:
        coming: asyncio.Queue[_Coming] = asyncio.Queue()
        settings = self._engine.template.settings
        patient = PatientReceive(receive, settings.upload_seconds, settings.upload_rate)
        self._ahead = ReadAhead(patient, self._memory, settings.max_body_bytes)
        reading = asyncio.create_task(self._read_requests(receive, patient, coming))
        writing = asyncio.create_task(self._write_answers(scope, receive, send, coming))
        # A task that does not read does not see the client leave.
        leaving = asyncio.create_task(scope[LEFT]()) if LEFT in scope else reading
        try:
            # The reading ends before all is written only if the client has left.
            await asyncio.wait((reading, writing, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            under_way = {reading, writing, leaving, *self._under_way}
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        if not writing.cancelled():
            writing.result()

    async def _read_requests(
        self, receive: Receive, patient: PatientReceive, coming: asyncio.Queue[_Coming]
    ) -> None:
        """Queue the answers to come as the lines come in, then wait until the client leaves."""
        most = self._engine.template.settings.max_body_bytes
        source = self._ahead.iterate_pieces()
        receiving = asyncio.create_task(self._ahead.receive_pieces())
        try:
            if self._compression is not None:
                source = inflate_body(source, self._compression, _FREE_BODIES * most)
            pace, hold = self._engine.pace, self._memory.hold_line
            async for chunk in _cut_chunks(source, self._parser, pace, hold):
                # Each line may take its time, as a body may.
                patient.begin_anew()
                await self._room.acquire()
                size = sum(len(line.content) for line in chunk)
                await self._memory.hold_chunk(size)
                answers = asyncio.create_task(self._answer_chunk(chunk, size))
                self._under_way.add(answers)
                answers.add_done_callback(self._under_way.discard)
                coming.put_nowait(answers)
                self._next = chunk[-1].line + 1
        except CompressionError:
            await coming.put(make_damaged_body_problem(self._compression or "gzip"))
        except ProblemError as late:
            await coming.put(late)
        except ClientLeft:
            return
        finally:
            receiving.cancel()
        await coming.put(None)
        while (await receive())["type"] != "http.disconnect":
            pass

    async def _answer_chunk(self, chunk: list[BatchLine], size: int) -> Answers:
        """Return the answers to a chunk of ``size`` bytes, and the memory for them."""
        answers = await self._engine.answer_chunk(chunk)
        return self._memory.replace_chunk(size, answers, chunk)

    async def _write_answers(
        self, scope: Scope, receive: Receive, send: Send, coming: asyncio.Queue[_Coming]
    ) -> None:
        started = monotonic()
        sent = Summary()
        while (next_one := await coming.get()) is not None:
            if isinstance(next_one, ProblemError) and not sent.lines:
                await next_one.to_response()(scope, receive, send)
                return
            if isinstance(next_one, ProblemError):
                # The rest of the body cannot be read.
                text = render_problem(next_one.document, BatchLine(b"", self._next))
                answers = Answers(text, Summary(1, 1))
            else:
                answers = await next_one
                self._room.release()
                self._memory.release_answers(answers)
            if not sent.lines:
                await self._start_response(send)
            sent += answers.summary
            await self._send_body(send, answers.text)
        if not sent.lines:
            await self._start_response(send)
        last_line = b""
        if self._summary:
            summary = {**asdict(sent), "elapsed_ms": round((monotonic() - started) * 1000, 3)}
            last_line = orjson.dumps({"summary": summary}) + b"\n"
        await self._send_body(send, last_line, last=True)

    async def _start_response(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})

    async def _send_body(self, send: Send, body: bytes, last: bool = False) -> None:
        if self._deflate is not None:
            mode = zlib.Z_FINISH if last else zlib.Z_SYNC_FLUSH
            body = self._deflate.compress(body) + self._deflate.flush(mode)
        with self._ahead.watch_sending():
            await send({"type": "http.response.body", "body": body, "more_body": not last})


async def _cut_chunks(
    source: _Source, parser: InputParser, pace: Pace, hold: Callable[[int], Awaitable[None]]
) -> AsyncIterator[list[BatchLine]]:
    """Yield the boards that are there in chunks.

    ``hold`` is called with the length of the board that has begun, and may wait.
    """
    async for body in source:
        lines = list(parser.feed(body))
        if not lines:
            await hold(parser.buffered_bytes)
        for chunk in pace.cut_chunks(lines):
            yield chunk
    for chunk in pace.cut_chunks(parser.finish()):
        yield chunk
