"""The asynchronous client: `httpx` carries what `request` writes and `response` reads."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias, TypeVar, Unpack, overload

import httpx

from minecheck_client import response
from minecheck_client.answers import (
    AnalyzeAnswer,
    CheckAnswer,
    CircuitAnswer,
    Clues,
    ComposeAnswer,
    ConflictsAnswer,
    CountAnswer,
    ExplainAnswer,
    ForcedAnswer,
    GameAnswer,
    GradeAnswer,
    LanguageAnswer,
    Layout,
    LayoutsAnswer,
    MovesAnswer,
    PathsAnswer,
    RepairAnswer,
    ReplaysAnswer,
    RunAnswer,
    SampleAnswer,
    SolutionAnswer,
    StepAnswer,
    StripsAnswer,
)
from minecheck_client.batch import Answers, AsyncBoards, BatchOptions, cut_async
from minecheck_client.options import (
    AskAnalyze,
    AskCertified,
    AskCircuit,
    AskCompose,
    AskConflicts,
    AskCount,
    AskExplain,
    AskExport,
    AskGame,
    AskGrade,
    AskLanguage,
    AskLayouts,
    AskMoves,
    AskPaths,
    AskRepair,
    AskReplays,
    AskRun,
    AskSample,
    AskSolution,
    AskStep,
    AskStrips,
    BatchTask,
    Board,
)
from minecheck_client.problem import Problem
from minecheck_client.request import Body, Service

_Answer = TypeVar("_Answer")
_Answers: TypeAlias = AsyncGenerator[_Answer | Problem]


class AsyncClient:
    """The asynchronous client of the service at ``url``. Close it, or use ``async with``.

    ``key`` is an API key. What the service is too busy for (503 or 429 with
    Retry-After), and connections that fail, are tried ``retries`` times more;
    a part of a batch only as long as none of its answers has come. An answer
    may come ``timeout`` seconds after its deadline, or 60 s more where none is
    named. ``transport`` is for proxies, certificates or tests.

    All methods raise `Problem` where the service has no answer, and what
    `httpx` raises: `httpx.ConnectError`, `httpx.TimeoutException` and the like,
    whose ``request.headers`` tell the X-Request-ID. Close streams that are not
    read to their end (`contextlib.aclosing`).
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
        answer: CheckAnswer = await self._question("check", board, options)
        return answer

    async def count(self, board: Board | None = None, **options: Unpack[AskCount]) -> CountAnswer:
        """How many layouts are there?"""
        answer: CountAnswer = await self._question("count", board, options)
        return answer

    async def forced(
        self, board: Board | None = None, **options: Unpack[AskCertified]
    ) -> ForcedAnswer:
        """Which cells are the same in every layout?"""
        answer: ForcedAnswer = await self._question("forced", board, options)
        return answer

    async def analyze(
        self, board: Board | None = None, **options: Unpack[AskAnalyze]
    ) -> AnalyzeAnswer:
        """All of these, and the chance of a mine in each unknown cell."""
        answer: AnalyzeAnswer = await self._question("analyze", board, options)
        return answer

    async def layouts(
        self, board: Board | None = None, **options: Unpack[AskLayouts]
    ) -> LayoutsAnswer:
        """The layouts, a page of them."""
        answer: LayoutsAnswer = await self._question("layouts", board, options)
        return answer

    async def sample(
        self, board: Board | None = None, **options: Unpack[AskSample]
    ) -> SampleAnswer:
        """Layouts drawn at random."""
        answer: SampleAnswer = await self._question("sample", board, options)
        return answer

    async def explain(
        self, board: Board | None = None, **options: Unpack[AskExplain]
    ) -> ExplainAnswer:
        """Why are cells forced, or why is the board inconsistent?"""
        answer: ExplainAnswer = await self._question("explain", board, options)
        return answer

    async def conflicts(
        self, board: Board | None = None, **options: Unpack[AskConflicts]
    ) -> ConflictsAnswer:
        """All minimal sets of clues that contradict each other, the smallest first."""
        answer: ConflictsAnswer = await self._question("conflicts", board, options)
        return answer

    async def repair(
        self, board: Board | None = None, **options: Unpack[AskRepair]
    ) -> RepairAnswer:
        """The fewest clues to change to make the board consistent."""
        answer: RepairAnswer = await self._question("repair", board, options)
        return answer

    async def moves(self, board: Board, **options: Unpack[AskMoves]) -> MovesAnswer:
        """Which cell is best to open next, and the chances to win; ``mines`` is required."""
        answer: MovesAnswer = await self._question("moves", board, options)
        return answer

    async def compose(self, board: Board, **options: Unpack[AskCompose]) -> ComposeAnswer:
        """The fewest clues that keep what a board tells, and what best to reveal."""
        answer: ComposeAnswer = await self._question("compose", board, options)
        return answer

    async def strips(self, board: Board, **options: Unpack[AskStrips]) -> StripsAnswer:
        """What the clues in a window say about the cells in it."""
        answer: StripsAnswer = await self._question("strips", board, options)
        return answer

    async def boards(self, **options: Unpack[AskGame]) -> GameAnswer:
        """A board to play: ``rows``, ``cols`` and ``mines`` are required."""
        answer: GameAnswer = await self._question("boards", None, options)
        return answer

    async def grade(self, **options: Unpack[AskGrade]) -> GradeAnswer:
        """How hard a map is: its ``layout`` with the ``first`` click, or a ``file``."""
        answer: GradeAnswer = await self._question("grade", None, options)
        return answer

    async def replays(self, **options: Unpack[AskReplays]) -> ReplaysAnswer:
        """A replay of another program, reviewed: its ``file`` is the bytes in Base64."""
        answer: ReplaysAnswer = await self._question("replays", None, options)
        return answer

    async def run(self, machine: str, board: Board, **options: Unpack[AskRun]) -> RunAnswer:
        """What an automaton such as "hu-lin" does with a board, column by column."""
        answer: RunAnswer = await self._question(f"automata/{machine}/run", board, options)
        return answer

    async def paths(self, machine: str, board: Board, **options: Unpack[AskPaths]) -> PathsAnswer:
        """The accepted and rejected paths of an automaton over a board."""
        answer: PathsAnswer = await self._question(f"automata/{machine}/paths", board, options)
        return answer

    async def step(self, machine: str, **options: Unpack[AskStep]) -> StepAnswer:
        """The states of an automaton after one more ``column``, which is required."""
        answer: StepAnswer = await self._question(f"automata/{machine}/step", None, options)
        return answer

    async def languages(self, **options: Unpack[AskLanguage]) -> LanguageAnswer:
        """Consistent boards of a size, counted, in order or at random; ``rows`` and ``cols``."""
        answer: LanguageAnswer = await self._question("languages", None, options)
        return answer

    async def circuits(self, **options: Unpack[AskCircuit]) -> CircuitAnswer:
        """A Boolean ``formula`` as a board, whose layouts are its satisfying assignments."""
        answer: CircuitAnswer = await self._question("circuits", None, options)
        return answer

    async def export(self, board: Board | None = None, **options: Unpack[AskExport]) -> str:
        """The board in a format of other solvers; ``into`` is required."""
        request = self._service.question("export", board, options)
        return (await self._body(request)).decode()

    async def solution(
        self, board: Board | None = None, **options: Unpack[AskSolution]
    ) -> SolutionAnswer:
        """What a solver printed for an exported board, ``output``, as a layout."""
        answer: SolutionAnswer = await self._question("solution", board, options)
        return answer

    async def ask(self, route: str, body: Body = None, *, request_id: str | None = None) -> Any:
        """What a route answers in JSON that has no method here: "games", "formats".

        Without a body the route is read (GET): "formats", "automata/kadlac". A mapping
        goes as JSON, a text or bytes as they are: "formats/auto".
        """
        return await self._answer(self._service.route(route, body, request_id))

    async def layouts_stream(
        self, board: Board | None = None, **options: Unpack[AskLayouts]
    ) -> AsyncGenerator[Layout]:
        """All layouts, one after the other, or ``limit`` of them from ``offset`` on.

        Nothing is sent before the first is asked for.

        Raises:
            Incomplete: the deadline, or the loss of a worker, cut the stream short.
        """
        request = self._service.question("layouts", board, options, stream=True)
        lines = response.LineSplitter()
        async with aclosing(await self._open(request)) as stream:
            async for piece in stream.aiter_bytes():
                for line in lines.more(piece):
                    yield response.layout(line)

    async def conflicts_stream(
        self, board: Board | None = None, **options: Unpack[AskConflicts]
    ) -> AsyncGenerator[Clues]:
        """All conflicts, the smallest first, each as soon as it is found, or ``limit`` of them.

        Nothing is sent before the first is asked for.

        Raises:
            Incomplete: the deadline, or the loss of a worker, cut the stream short.
        """
        request = self._service.question("conflicts", board, options, stream=True)
        lines, conflicts = response.LineSplitter(), response.Conflicts()
        async with aclosing(await self._open(request)) as stream:
            async for piece in stream.aiter_bytes():
                for conflict in conflicts.read(lines.more(piece)):
                    yield conflict
        conflicts.end()

    @overload
    def batch(
        self, task: Literal["check"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[CheckAnswer]: ...

    @overload
    def batch(
        self, task: Literal["count"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[CountAnswer]: ...

    @overload
    def batch(
        self, task: Literal["forced"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[ForcedAnswer]: ...

    @overload
    def batch(
        self, task: Literal["analyze"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[AnalyzeAnswer]: ...

    @overload
    def batch(
        self, task: Literal["layouts"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[LayoutsAnswer]: ...

    @overload
    def batch(
        self, task: Literal["explain"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[ExplainAnswer]: ...

    @overload
    def batch(
        self, task: Literal["repair"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[RepairAnswer]: ...

    @overload
    def batch(
        self, task: Literal["moves"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[MovesAnswer]: ...

    @overload
    def batch(
        self, task: Literal["compose"], boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> _Answers[ComposeAnswer]: ...

    async def batch(
        self, task: BatchTask, boards: AsyncBoards, **options: Unpack[BatchOptions]
    ) -> AsyncGenerator[Any]:
        """An answer for each board, in their order; a `Problem` in place of it is not raised.

        Boards are taken as they are needed, and sent in parts of at most 64 KiB:
        64 boards first, then more. Options hold for all that do not say otherwise.

        Raises:
            Incomplete: the service ended a part early.
        """
        async for part in cut_async(boards):
            request = self._service.batch(task, part.lines, options)
            answers = Answers(part, request.headers["X-Request-ID"], options.get("summary"))
            async with aclosing(await self._open(request)) as stream:
                async for piece in stream.aiter_bytes():
                    for answer in answers.more(piece):
                        yield answer
            answers.end()

    async def _question(self, task: str, board: Board | None, options: Any) -> Any:
        return await self._answer(self._service.question(task, board, options))

    async def _answer(self, request: httpx.Request) -> Any:
        return response.answer(await self._body(request))

    async def _body(self, request: httpx.Request) -> bytes:
        async with aclosing(await self._open(request)) as stream:
            return await stream.aread()

    async def _open(self, request: httpx.Request) -> httpx.Response:
        """The response to a request that may be sent again, its body still to come."""
        attempt = 0
        while True:
            try:
                return await self._send(request)
            except (Problem, httpx.TransportError) as error:
                pause = self._service.pause(error, attempt)
                if pause is None:
                    raise
            await asyncio.sleep(pause)
            attempt += 1

    async def _send(self, request: httpx.Request) -> httpx.Response:
        stream = await self._http.send(request, stream=True)
        if stream.is_success:
            return stream
        async with aclosing(stream):
            await stream.aread()
            raise response.problem(stream)
