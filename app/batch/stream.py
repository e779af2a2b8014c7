"""Many boards in one request: one board and one answer per line, in order, streamed both ways.

Lines are read as long as there is room, answered in chunks by worker
processes, and sent as soon as their turn has come. What takes more than
bounded effort goes on alone, with its own deadline. Nothing but a window of
chunks is ever held.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator
from dataclasses import asdict
from http import HTTPStatus
from time import monotonic
from typing import Final, TypeAlias

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.batch import lines
from app.batch.chunks import Pace
from app.batch.engine import Answers, Engine
from app.batch.lines import Summary
from app.problems import ProblemError
from app.requests.body import in_time
from app.requests.scope import LEFT

#: Bytes that are inflated at once.
_INFLATED: Final = 1 << 16
_GZIP: Final = 16 + zlib.MAX_WBITS

_Source: TypeAlias = AsyncIterator[bytes]


#: Answers to come, or why there are no more; None after the last.
_Coming: TypeAlias = asyncio.Task[Answers] | ProblemError | None


class Gone(Exception):
    """The client has left."""


def _summary(summary: Summary, seconds: float) -> bytes:
    """The summary of a batch, its last line."""
    told = {**asdict(summary), "elapsed_ms": round(seconds * 1000, 3)}
    return orjson.dumps({"summary": told}) + b"\n"


class BatchResponse(Response):
    """The answers to the lines of the request, which this reads itself.

    ``first`` is the number of the first line. ``gzipped`` tells whether lines come
    packed, ``gzip`` whether answers are to be.
    """

    def __init__(
        self, engine: Engine, *, first: int, gzipped: bool, gzip: bool, summary: bool
    ) -> None:
        super().__init__(media_type="application/x-ndjson")
        del self.headers["content-length"]
        if gzip:
            self.headers["content-encoding"] = "gzip"
        self.headers["vary"] = "Accept-Encoding"
        self._engine = engine
        self._first = first
        self._gzipped = gzipped
        self._deflate = zlib.compressobj(1, zlib.DEFLATED, _GZIP) if gzip else None
        self._summary = summary
        #: For chunks that are under way, or wait to be sent.
        self._room = asyncio.Semaphore(engine.room)
        self._under_way: set[asyncio.Task[Answers]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, answer and send until the client has all or is gone."""
        coming: asyncio.Queue[_Coming] = asyncio.Queue()
        reading = asyncio.create_task(self._read(receive, coming))
        writing = asyncio.create_task(self._write(scope, receive, send, coming))
        # What does not read on does not see the client leave.
        leaving = asyncio.create_task(scope[LEFT]()) if LEFT in scope else reading
        try:
            # What ends the reading before all is written is that the client has left.
            await asyncio.wait((reading, writing, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            under_way = {reading, writing, leaving, *self._under_way}
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        if not writing.cancelled():
            writing.result()

    async def _read(self, receive: Receive, coming: asyncio.Queue[_Coming]) -> None:
        """Queue the answers to come as the lines come in, then wait until the client leaves."""
        number = self._first
        source = _bytes(in_time(receive, self._engine.asked.settings.upload_seconds))
        most = self._engine.asked.settings.max_body_bytes
        try:
            bodies = _inflated(source) if self._gzipped else source
            async for chunk in _chunks(bodies, most, self._engine.pace):
                await self._room.acquire()
                answers = asyncio.create_task(self._engine.answers(chunk, number))
                self._under_way.add(answers)
                answers.add_done_callback(self._under_way.discard)
                coming.put_nowait(answers)
                number += len(chunk)
        except zlib.error:
            await coming.put(_bad_gzip())
        except ProblemError as late:
            await coming.put(late)
        except Gone:
            return
        await coming.put(None)
        while (await receive())["type"] != "http.disconnect":
            pass

    async def _write(
        self, scope: Scope, receive: Receive, send: Send, coming: asyncio.Queue[_Coming]
    ) -> None:
        started = monotonic()
        sent = Summary()
        while (next_one := await coming.get()) is not None:
            if isinstance(next_one, ProblemError) and not sent.lines:
                await next_one.response()(scope, receive, send)
                return
            if isinstance(next_one, ProblemError):
                told = lines.problem_line(next_one, self._first + sent.lines)
                found = Answers(told, lines.summed_up([told]))
            else:
                found = await next_one
                self._room.release()
            if not sent.lines:
                await self._start(send)
            sent += found.summary
            await self._send(send, found.text)
        if not sent.lines:
            await self._start(send)
        last = _summary(sent, monotonic() - started) if self._summary else b""
        await self._send(send, last, last=True)

    async def _start(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})

    async def _send(self, send: Send, body: bytes, last: bool = False) -> None:
        if self._deflate is not None:
            mode = zlib.Z_FINISH if last else zlib.Z_SYNC_FLUSH
            body = self._deflate.compress(body) + self._deflate.flush(mode)
        await send({"type": "http.response.body", "body": body, "more_body": not last})


def _bad_gzip() -> ProblemError:
    return ProblemError(
        HTTPStatus.BAD_REQUEST,
        "invalid-gzip",
        "The body is not valid gzip, or ends early.",
        "Send it again, or without Content-Encoding.",
    )


async def _bytes(receive: Receive) -> _Source:
    """The body of the request, as it comes in."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


async def _inflated(source: _Source) -> _Source:
    """What gzip holds, a little at a time, however much it inflates to."""
    inflate = zlib.decompressobj(_GZIP)
    fresh = True
    async for body in source:
        while body:
            if inflate.eof:
                # Another member of the same file.
                inflate = zlib.decompressobj(_GZIP)
            fresh = False
            yield inflate.decompress(body, _INFLATED)
            # However much it inflates to, others have their turn in between.
            await asyncio.sleep(0)
            body = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
    if not fresh and not inflate.eof:
        raise zlib.error


async def _chunks(source: _Source, most: int, pace: Pace) -> AsyncIterator[list[bytes]]:
    """The lines that are there in chunks; of a line longer than ``most`` only its beginning."""
    rest = bytearray()
    async for body in source:
        first, *others = body.split(b"\n")
        rest += first[: most + 1 - len(rest)]
        if not others:
            continue
        whole = [bytes(rest), *others[:-1]]
        rest = bytearray(others[-1])
        for chunk in pace.cut(whole):
            yield chunk
    if rest:
        yield [bytes(rest)]
