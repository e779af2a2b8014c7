"""The synchronous client: `httpx` carries what `asking` writes."""

from collections.abc import Generator, Iterable
from contextlib import closing
from time import sleep
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
from minecheck_client.batch import Answers, cut
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
_Boards: TypeAlias = Iterable[Line]
_Answers: TypeAlias = Generator[_Answer | Problem, None, None]


class Client:
    """Questions to the service at ``url``; threads may share it. Close it, or use ``with``.

    ``key`` is an API key. What the service is too busy for (503 or 429 with
    Retry-After), and connections that fail, are tried ``retries`` times more;
    a part of a batch only as long as none of its answers has come. An answer
    may come ``timeout`` seconds after its deadline, or 60 s more where none is
    named. ``transport`` is for proxies, certificates or tests.

    All methods raise `Problem` where the service has no answer, and what
    `httpx` raises: `httpx.ConnectError`, `httpx.TimeoutException` and the like,
    whose ``request.headers`` tell the X-Request-ID.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        retries: int = 2,
        timeout: float = 10.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._service = Service(url, key, retries, timeout)
        self._http = httpx.Client(transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def check(self, board: Board | None = None, **options: Unpack[AskCertified]) -> CheckAnswer:
        """Is any layout consistent with the board?"""
        found: CheckAnswer = self._asked("check", board, options)
        return found

    def count(self, board: Board | None = None, **options: Unpack[AskCount]) -> CountAnswer:
        """How many layouts are there?"""
        found: CountAnswer = self._asked("count", board, options)
        return found

    def forced(self, board: Board | None = None, **options: Unpack[AskCertified]) -> ForcedAnswer:
        """Which cells are the same in every layout?"""
        found: ForcedAnswer = self._asked("forced", board, options)
        return found

    def analyze(self, board: Board | None = None, **options: Unpack[AskCount]) -> AnalyzeAnswer:
        """All of these, and the chance of a mine in each unknown cell."""
        found: AnalyzeAnswer = self._asked("analyze", board, options)
        return found

    def layouts(self, board: Board | None = None, **options: Unpack[AskLayouts]) -> LayoutsAnswer:
        """The layouts, a page of them."""
        found: LayoutsAnswer = self._asked("layouts", board, options)
        return found

    def sample(self, board: Board | None = None, **options: Unpack[AskSample]) -> SampleAnswer:
        """Layouts drawn at random."""
        found: SampleAnswer = self._asked("sample", board, options)
        return found

    def explain(self, board: Board | None = None, **options: Unpack[AskExplain]) -> ExplainAnswer:
        """Why are cells forced, or why is the board inconsistent?"""
        found: ExplainAnswer = self._asked("explain", board, options)
        return found

    def repair(self, board: Board | None = None, **options: Unpack[AskRepair]) -> RepairAnswer:
        """The fewest clues to change to make the board consistent."""
        found: RepairAnswer = self._asked("repair", board, options)
        return found

    def strips(self, board: Board, **options: Unpack[AskStrips]) -> StripsAnswer:
        """What the clues in a window say about the cells in it."""
        found: StripsAnswer = self._asked("strips", board, options)
        return found

    def ask(self, route: str, body: Body = None, *, request_id: str | None = None) -> Any:
        """What a route answers in JSON that has no method here: "boards", "automata/hu-lin/run".

        Without a body the route is read (GET): "formats", "automata/kadlac". A mapping
        goes as JSON, a text or bytes as they are: "formats/auto".
        """
        return self._told(self._service.other(route, body, request_id))

    def layouts_stream(
        self, board: Board | None = None, **options: Unpack[AskLayouts]
    ) -> Generator[Layout, None, None]:
        """All layouts, one after the other, or ``limit`` of them from ``offset`` on.

        Nothing is sent before the first is wanted.

        Raises:
            Incomplete: the deadline, or the loss of a worker, cut the stream short.
        """
        request = self._service.question("layouts", board, options, stream=True)
        lines = reading.Lines()
        with closing(self._opened(request)) as response:
            for piece in response.iter_bytes():
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

    def batch(
        self, task: BatchTask, boards: _Boards, **options: Unpack[AskBatch]
    ) -> Generator[Any, None, None]:
        """An answer for each board, in their order; a `Problem` in place of it is not raised.

        Boards are taken as they are needed, and sent in parts of at most 64 KiB:
        64 boards first, then more. Options hold for all that do not say otherwise.

        Raises:
            Incomplete: the service ended a part early.
        """
        for part in cut(boards):
            request = self._service.batch(task, part.lines, options)
            answers = Answers(part, request.headers["X-Request-ID"], options.get("summary"))
            with closing(self._opened(request)) as response:
                for piece in response.iter_bytes():
                    yield from answers.more(piece)
            answers.end()

    def _asked(self, task: str, board: Board | None, options: Any) -> Any:
        return self._told(self._service.question(task, board, options))

    def _told(self, request: httpx.Request) -> Any:
        with closing(self._opened(request)) as response:
            return reading.answer(response.read())

    def _opened(self, request: httpx.Request) -> httpx.Response:
        """The response to a request that may be sent again, its body still to come."""
        attempt = 0
        while True:
            try:
                return self._sent(request)
            except (Problem, httpx.TransportError) as error:
                pause = self._service.pause(error, attempt)
                if pause is None:
                    raise
            sleep(pause)
            attempt += 1

    def _sent(self, request: httpx.Request) -> httpx.Response:
        response = self._http.send(request, stream=True)
        if response.is_success:
            return response
        with closing(response):
            response.read()
            raise reading.problem(response)
