"""The routes that show the automata."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from app import problems
from app.errands import machines
from app.execution.workers import Workers
from app.requests import query
from automata.drawing import TooLargeToDraw
from solvers import Deadline


class WindowError(BaseModel):
    """Four squares inside a board of one row, with a free one on either side."""

    window: str = Field(description="Over 0, 1, 2, B and ?")
    consistent: bool
    type: str | None = Field(description="Of the first error: 1e, 2e or Be, as in Table 3")
    subtype: str | None


router: Final = APIRouter(prefix="/v1/automata", tags=["automata"])

#: The largest machine is worked out within a second, on a slow computer within so many.
_WORKED_OUT_IN: Final = 60.0

_Name = Annotated[
    str,
    Path(
        description="kadlac, hu-lin, or strip-1 to strip-12 (listed: strip-1 to strip-3)",
        openapi_examples={"hu-lin": {"value": "hu-lin"}},
    ),
]
_Form = Annotated[
    str | None,
    Query(
        description="given, merged (hu-lin only), deterministic or minimal; without it the "
        "machine as given, or for a picture the fullest form that can be drawn",
        json_schema_extra={"enum": ["given", "merged", "deterministic", "minimal"]},
    ),
]
_Format = Annotated[
    str | None,
    Query(
        alias="format",
        description="json, dot or svg, instead of the Accept header",
        json_schema_extra={"enum": list(machines.FORMATS)},
    ),
]


@router.get(
    "",
    summary="Which automata can be listed in full?",
    responses=problems.described(400, 422),
    dependencies=[query.only()],
)
async def names() -> list[str]:
    """The names of all machines that can be listed."""
    return list(machines.NAMES)


@router.get(
    "/{name}",
    summary="An automaton as JSON, DOT or SVG",
    response_class=Response,
    responses={
        200: {
            "description": "The machine",
            "content": {kind: {} for kind in machines.FORMATS.values()},
        },
        **problems.described(400, 404, 422, 503),
    },
    dependencies=[query.only("form", "format")],
)
async def machine(
    request: Request, name: _Name, form: _Form = None, kind: _Format = None
) -> Response:
    """The machine, in the format asked for."""
    wanted = machines.format_of(kind, ",".join(request.headers.getlist("accept")))
    forms = list(machines.forms(name)) if form is None else [form]
    refusal = None
    for tried in forms if wanted == "svg" else forms[:1]:
        machines.in_form(name, tried)
        try:
            body = await _workers(request).run(
                *(machines.written, name, tried, wanted),
                deadline=Deadline.after(_WORKED_OUT_IN),
                gone=partial(_left, request),
            )
        except TooLargeToDraw as error:
            refusal = refusal or error
            continue
        except TimeoutError:
            raise problems.not_ready() from None
        location = f"{router.prefix}/{name}?form={tried}&format={wanted}"
        headers = {"Content-Location": location, "Vary": "Accept"}
        return Response(body, headers=headers, media_type=machines.FORMATS[wanted])
    assert refusal is not None, "every machine has a form"
    raise problems.of_picture(refusal)


@router.get(
    "/kadlac/windows",
    summary="Kadlac's Appendix B: all windows of four squares, and what is wrong in each",
    responses={
        200: {"description": "All 625 windows", "model": list[WindowError]},
        **problems.described(400, 422, 503),
    },
    dependencies=[query.only()],
    response_class=Response,
)
async def windows(request: Request) -> Response:
    """Computed, which differs from the printed table in six windows: see docs/errata.md, K9."""
    try:
        body = await _workers(request).run(
            machines.windows,
            deadline=Deadline.after(_WORKED_OUT_IN),
            gone=partial(_left, request),
        )
    except TimeoutError:
        raise problems.not_ready() from None
    return Response(body, media_type="application/json")


async def _left(request: Request) -> None:
    """Until the client has left; a body, which no GET needs, is thrown away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _workers(request: Request) -> Workers:
    workers: Workers = request.app.state.workers
    return workers
