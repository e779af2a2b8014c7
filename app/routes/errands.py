"""The routes of errands, which workers do: one handler for all of them."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from fastapi import FastAPI, Request, Response

from app import problems
from app.execution.workers import Workers
from app.questions.record import Errand
from app.requests.body import read_fields
from app.requests.jobs import Commission, commission
from app.requests.scope import second_try
from app.routes import openapi
from app.routes.fast_route import Handler
from app.settings import Settings


def add(app: FastAPI, errands: Iterable[Errand]) -> None:
    """Add the routes."""
    for errand in errands:
        app.add_api_route(
            errand.path,
            _endpoint(errand),
            methods=["POST"],
            summary=errand.summary,
            description=errand.description,
            name=errand.name,
            operation_id=errand.name,
            tags=[errand.tag],
            response_class=Response,
            responses=_responses(errand),
            openapi_extra=openapi.of(errand, errand.placed),
        )


def _endpoint(errand: Errand) -> Handler:
    async def endpoint(request: Request) -> Response:
        asked = await read(request, errand)
        if errand.quick and not asked.packed:
            body = errand.told(asked.wanted, asked.deadline)
        else:
            workers: Workers = request.app.state.workers
            body = await workers.done(asked, request.receive)
        return Response(body, headers=asked.headers)

    return endpoint


async def read(request: Request, errand: Errand) -> Commission:
    """What a request wants, and by when.

    Raises:
        ProblemError: nothing that there is.
    """
    placed = {name: request.path_params[name] for name in errand.placed}
    read = partial(_asked, errand, placed)
    apart = partial(_sealed, errand, placed, second_try(request.scope))
    return await read_fields(request, errand.asked, read, apart)


def _asked(
    errand: Errand,
    placed: Mapping[str, str],
    fields: dict[str, Any],
    settings: Settings,
    arrived: float,
) -> Commission:
    """What fields want, beside those that are ``placed`` in the path."""
    for name, one in placed.items():
        if fields.get(name, one) != one:
            problems.refuse(
                "bad-value",
                f"{name}: the path and the body have different ones.",
                "Leave it out of the body.",
                f"/{name}",
            )
    return commission(errand, {**fields, **placed}, settings, arrived)


def _sealed(
    errand: Errand,
    placed: Mapping[str, str],
    second_try: bool,
    fields: dict[str, Any],
    settings: Settings,
    arrived: float,
) -> Commission:
    """In a worker: the same for another one."""
    return _asked(errand, placed, fields, settings, arrived).sealed(second_try)


def _responses(errand: Errand) -> dict[int | str, dict[str, Any]]:
    examples: dict[str, Any] = {"examples": openapi.answered(errand)}
    done: dict[str, Any] = {"description": "The answer", "model": errand.answered}
    if errand.answered is None:
        done = {"description": "The text"}
        examples = {"schema": {"type": "string"}, **examples}
    kind = "application/json" if errand.answered else "text/plain"
    missing = (404,) if errand.placed else ()
    return {
        200: done | {"content": {kind: examples, **{other: {} for other in errand.others}}},
        **problems.described(400, *missing, 408, 413, 415, 422, 503),
    }
