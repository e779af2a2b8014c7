"""The asynchronous client: `httpx` carries what `asking` writes."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Iterable
from contextlib import aclosing
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias, TypeVar, Unpack, overload

import httpx

from minecheck_client import reading
from minecheck_client.answers import (
    AnalyzeAnswer,
    CheckAnswer,
    CountAnswer,
    ExplainAnswer,
    ForcedAnswer,
    Layout,
    LayoutsAnswer,
    RepairAnswer,
    SampleAnswer,
    StripsAnswer,
)
from minecheck_client.asking import Service
from minecheck_client.batch import Answers, cut_async
from minecheck_client.options import (
    AskBatch,
    AskCertified,
    AskCount,
    AskExplain,
    AskLayouts,
    AskRepair,
    AskSample,
    AskStrips,
    BatchTask,
    Board,
    Body,
    Line,
)
from minecheck_client.problem import Problem

_Answer = TypeVar("_Answer")
_Boards: TypeAlias = Iterable[Line] | AsyncIterable[Line]
_Answers: TypeAlias = AsyncGenerator[_Answer | Problem, None]


class AsyncClient:
    """As `Client`, to be awaited, with asyncio; boards of a batch may come asynchronously.

    Close streams that are not read to their end (`contextlib.aclosing`).
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        retries: int = 2,
        timeout: float = 10.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._service = Service(url, key, retries, timeout)
        self._http = httpx.AsyncClient(transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def check(
        self, board: Board | None = None, **options: Unpack[AskCertified]
    ) -> CheckAnswer:
        """Is any layout consistent with the board?"""
        found: CheckAnswer = await self._asked("check", board, options)
        return found

    async def count(self, board: Board | None = None, **options: Unpack[AskCount]) -> CountAnswer:
        """How many layouts are there?"""
        found: CountAnswer = await self._asked("count", board, options)
        return found

    async def forced(
        self, board: Board | None = None, **options: Unpack[AskCertified]
    ) -> ForcedAnswer:
        """Which cells are the same in every layout?"""
        found: ForcedAnswer = await self._asked("forced", board, options)
        return found

    async def analyze(
        self, board: Board | None = None, **options: Unpack[AskCount]
    ) -> AnalyzeAnswer:
        """All of these, and the chance of a mine in each unknown cell."""
        found: AnalyzeAnswer = await self._asked("analyze", board, options)
        return found

    async def layouts(
        self, board: Board | None = None, **options: Unpack[AskLayouts]
    ) -> LayoutsAnswer:
        """The layouts, a page of them."""
        found: LayoutsAnswer = await self._asked("layouts", board, options)
        return found

    async def sample(
        self, board: Board | None = None, **options: Unpack[AskSample]
    ) -> SampleAnswer:
        """Layouts drawn at random."""
        found: SampleAnswer = await self._asked("sample", board, options)
        return found

    async def explain(
        self, board: Board | None = None, **options: Unpack[AskExplain]
    ) -> ExplainAnswer:
        """Why are cells forced, or why is the board inconsistent?"""
        found: ExplainAnswer = await self._asked("explain", board, options)
        return found

    async def repair(
        self, board: Board | None = None, **options: Unpack[AskRepair]
    ) -> RepairAnswer:
        """The fewest clues to change to make the board consistent."""
        found: RepairAnswer = await self._asked("repair", board, options)
        return found

    async def strips(self, board: Board, **options: Unpack[AskStrips]) -> StripsAnswer:
        """What the clues in a window say about the cells in it."""
        found: StripsAnswer = await self._asked("strips", board, options)
        return found

    async def ask(self, route: str, body: Body = None, *, request_id: str | None = None) -> Any:
        """What a route answers in JSON that has no method here: "boards", "automata/hu-lin/run".

        Without a body the route is read (GET): "formats", "automata/kadlac". A mapping
        goes as JSON, a text or bytes as they are: "formats/auto".
        """
        return await self._told(self._service.other(route, body, request_id))

    async def layouts_stream(
        self, board: Board | None = None, **options: Unpack[AskLayouts]
    ) -> AsyncGenerator[Layout, None]:
        """All layouts, one after the other, or ``limit`` of them from ``offset`` on.

        Nothing is sent before the first is wanted.

        Raises:
            Incomplete: the deadline, or the loss of a worker, cut the stream short.
        """
        request = self._service.question("layouts", board, options, stream=True)
        lines = reading.Lines()
        async with aclosing(await self._opened(request)) as response:
            async for piece in response.aiter_bytes():
                for line in lines.more(piece):
                    yield reading.layout(line)

    @overload
    def batch(
        self, task: Literal["check"], boards: _Boards, **options: Unpack[AskBatch]
    ) -> _Answers[CheckAnswer]: ...

    @overload
    def batch(
        self, task: Literal["count"], boards: _Boards, **options: Unpack[AskBatch]
    ) -> _Answers[CountAnswer]: ...

    @overload
    def batch(
        self, task: Literal["forced"], boards: _Boards, **options: Unpack[AskBatch]
    ) -> _Answers[ForcedAnswer]: ...

    @overload
    def batch(
        self, task: Literal["analyze"], boards: _Boards, **options: Unpack[AskBatch]
    ) -> _Answers[AnalyzeAnswer]: ...

    @overload
    def batch(
        self, task: Literal["layouts"], boards: _Boards, **options: Unpack[AskBatch]
    ) -> _Answers[LayoutsAnswer]: ...

    @overload
    def batch(
        self, task: Literal["explain"], boards: _Boards, **options: Unpack[AskBatch]
    ) -> _Answers[ExplainAnswer]: ...

    @overload
    def batch(
        self, task: Literal["repair"], boards: _Boards, **options: Unpack[AskBatch]
    ) -> _Answers[RepairAnswer]: ...

    async def batch(
        self, task: BatchTask, boards: _Boards, **options: Unpack[AskBatch]
    ) -> AsyncGenerator[Any, None]:
        """An answer for each board, in their order; a `Problem` in place of it is not raised.

        Boards are taken as they are needed, and sent in parts of at most 64 KiB:
        64 boards first, then more. Options hold for all that do not say otherwise.

        Raises:
            Incomplete: the service ended a part early.
        """
        async for part in cut_async(boards):
            request = self._service.batch(task, part.lines, options)
            answers = Answers(part, request.headers["X-Request-ID"], options.get("summary"))
            async with aclosing(await self._opened(request)) as response:
                async for piece in response.aiter_bytes():
                    for found in answers.more(piece):
                        yield found
            answers.end()

    async def _asked(self, task: str, board: Board | None, options: Any) -> Any:
        return await self._told(self._service.question(task, board, options))

    async def _told(self, request: httpx.Request) -> Any:
        async with aclosing(await self._opened(request)) as response:
            return reading.answer(await response.aread())

    async def _opened(self, request: httpx.Request) -> httpx.Response:
        """The response to a request that may be sent again, its body still to come."""
        attempt = 0
        while True:
            try:
                return await self._sent(request)
            except (Problem, httpx.TransportError) as error:
                pause = self._service.pause(error, attempt)
                if pause is None:
                    raise
            await asyncio.sleep(pause)
            attempt += 1

    async def _sent(self, request: httpx.Request) -> httpx.Response:
        response = await self._http.send(request, stream=True)
        if response.is_success:
            return response
        async with aclosing(response):
            await response.aread()
            raise reading.problem(response)
