"""The routes POST /v1/check, /v1/count and so on: one for each task."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from anyio import to_thread
from fastapi import FastAPI, Request, Response
from starlette.datastructures import State

from app import problems
from app.answers import render
from app.execution import fast_path
from app.execution.cache import Cache
from app.execution.workers import Workers
from app.questions import examples, schemas
from app.requests import reading
from app.routes import openapi, streaming
from app.routes.fast_route import Handler
from solvers import Answer, BackendRefusal, Question, Task

#: Answers about more cells are rendered off the event loop.
_SMALL: Final = 50_000

_ANSWERS: Final[dict[Task, tuple[str, type[schemas.AskBoard], type[schemas.Verdict]]]] = {
    Task.CHECK: (
        "Is any layout consistent with the board?",
        schemas.AskCertified,
        schemas.CheckAnswer,
    ),
    Task.LAYOUTS: (
        "All layouts, a page at a time or one a line",
        schemas.AskLayouts,
        schemas.LayoutsAnswer,
    ),
    Task.COUNT: ("How many layouts?", schemas.AskCount, schemas.CountAnswer),
    Task.FORCED: ("Which cells are forced?", schemas.AskCertified, schemas.ForcedAnswer),
    Task.ANALYZE: ("All of these, and the chances", schemas.AskAnalyze, schemas.AnalyzeAnswer),
    Task.STRIPS: (
        "What the clues in a window say about the cells in it",
        schemas.AskStrips,
        schemas.StripsAnswer,
    ),
    Task.SAMPLE: (
        "Layouts drawn at random, all alike or with a density",
        schemas.AskSample,
        schemas.SampleAnswer,
    ),
    Task.EXPLAIN: (
        "Why are cells forced, or why is the board inconsistent?",
        schemas.AskExplain,
        schemas.ExplainAnswer,
    ),
    Task.REPAIR: (
        "The fewest clues to change to make the board consistent",
        schemas.AskRepair,
        schemas.RepairAnswer,
    ),
}
#: What is answered one layout a line, if so wanted.
_STREAMED: Final = (Task.LAYOUTS, Task.SAMPLE)
_STREAM: Final = (
    "The answer; as NDJSON one layout a line, none at all where no layout fits. If cut short, "
    "the last line is an object with `complete` false, `consistent` and `next_offset`"
)


def add(app: FastAPI) -> dict[str, Handler]:
    """Add the routes; what answers them, by path."""
    handlers = {}
    for task in Task:
        path = f"/v1/{task}"
        handlers[path] = _endpoint(task)
        _add_route(app, task, path, handlers[path])
    return handlers


def _endpoint(task: Task) -> Handler:
    """What answers POST /v1/{task}."""

    async def endpoint(request: Request) -> Response:
        stream = task in _STREAMED and _wants_ndjson(request)
        state = request.app.state
        ask = await reading.read(request, task, state.settings, stream)
        # After the body, what a client sends next is that it has left.
        gone = request.receive
        try:
            if stream:
                return await streaming.layouts(state.workers, ask, gone)
            body = await _answered(state, ask, gone)
        except BackendRefusal as refusal:
            raise problems.of_backend(refusal) from None
        return Response(body, media_type="application/json")

    return endpoint


def _add_route(app: FastAPI, task: Task, path: str, endpoint: Handler) -> None:
    """The route POST /v1/{task}."""
    summary, asked, answered = _ANSWERS[task]
    app.add_api_route(
        path,
        endpoint,
        methods=["POST"],
        summary=summary,
        name=str(task),
        operation_id=str(task),
        tags=["questions"],
        response_class=Response,
        responses=_responses(task, answered),
        openapi_extra=openapi.described(asked, **_both(examples.ASKED, examples.RULES_ASKED, task)),
    )


async def _answered(
    state: State, ask: reading.Asked, gone: Callable[[], Awaitable[object]]
) -> bytes:
    """The body of the answer, given before or new."""
    cache: Cache = state.cache
    workers: Workers = state.workers
    question, deadline = ask.question, ask.deadline
    entry = cache.entry(question)
    if (body := cache.known(entry)) is not None:
        return body
    with state.traces.answering(question) as told:
        if (body := _ordinary(question)) is not None:
            told(fast_path.METHOD, True)
            cache.put(entry, body)
            return body
        if (answer := workers.at_once(question, deadline)) is None:
            if (body := await cache.fetched(entry, deadline)) is not None:
                return body
            answer = await workers.worked(question, deadline, gone)
        told(answer.method, answer.complete)
    streaming.check_offset(question, answer)
    body = await _body(question, answer)
    cache.keep(entry, answer, body, deadline)
    return body


def _ordinary(question: Question) -> bytes | None:
    """The body of the answer about an ordinary position; None for all else."""
    asked = fast_path.of(question)
    return asked and fast_path.told(asked, question.task)


async def _body(question: Question, answer: Answer) -> bytes:
    """The answer as JSON; a large one is rendered off the event loop."""
    size = question.cells * (1 + len(answer.layouts or ()))
    if size <= _SMALL:
        return render.rendered(question, answer)
    return await to_thread.run_sync(render.rendered, question, answer)


def _wants_ndjson(request: Request) -> bool:
    """Whether the client accepts lines, of either name."""
    return any(kind in streaming.NDJSON for kind in reading.accepted(request, "accept"))


def _both(
    board: Mapping[Task, dict[str, Any]], rules: Mapping[Task, dict[str, Any]], task: Task
) -> dict[str, dict[str, Any]]:
    """The examples for a task, with a board and, where they may be, with rules."""
    return {"board": board[task]} | ({"rules": rules[task]} if task in rules else {})


def shown(task: Task) -> dict[str, Any]:
    """Examples of answers, as OpenAPI has them."""
    return openapi.by_name(_both(examples.ANSWERED, examples.RULES_ANSWERED, task))


def _responses(task: Task, model: type[schemas.Verdict]) -> dict[int | str, dict[str, Any]]:
    content: dict[str, Any] = {"application/json": {"examples": shown(task)}}
    description = "The answer"
    if task in _STREAMED:
        description = _STREAM
        content[streaming.NDJSON[0]] = {
            "schema": {"type": "string"},
            "example": examples.LINES[task],
        }
    return {
        200: {"description": description, "model": model, "content": content},
        **problems.described(400, 408, 413, 415, 422, 503),
    }
