"""The routes that show the automata."""

from functools import partial
from typing import Annotated, Final

import orjson
from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from minecheck.app import problem_responses, problems
from minecheck.app.execution.workers import Workers
from minecheck.app.functions import machine_documents
from minecheck.app.functions.machine_documents import FORMATS
from minecheck.app.quoting import quote_text
from minecheck.app.requests import query
from minecheck.app.requests.accept import parse_weights
from minecheck.app.requests.body import run_off_loop
from minecheck.app.routes.constant import answer_constant, answer_unchanged, is_known, tag_content
from minecheck.automata.drawing import TooLargeToDraw
from minecheck.solvers import Deadline


class KadlacWindow(BaseModel):
    """Four squares inside a board of one row, with a free one on either side."""

    window: str = Field(description="Over 0, 1, 2, B and ?")
    consistent: bool
    type: str | None = Field(description="Of the first error: 1e, 2e or Be, as in Table 3")
    subtype: str | None


router: Final = APIRouter(prefix="/v1/automata", tags=["automata"])

#: The ETags of machines that were sent, by name, form and format: there are a few dozen.
_TAGS: Final[dict[tuple[str, str, str], str]] = {}
#: The seconds in which a slow computer builds the largest machine; a fast one takes one.
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
        json_schema_extra={"enum": list(FORMATS)},
    ),
]


@router.get(
    "",
    summary="Which automata can be listed in full?",
    responses=problem_responses.problem_responses(400, 422),
    response_model=list[str],
    dependencies=[query.allow_query_names()],
)
async def list_machines(request: Request) -> Response:
    """Return the names of all machines that can be listed."""
    content = orjson.dumps(machine_documents.NAMES)
    return answer_constant(request, content, "application/json", tag_content(content))


@router.get(
    "/{name}",
    summary="An automaton as JSON, DOT or SVG",
    response_class=Response,
    responses={
        200: {
            "description": "The machine",
            "content": {
                kind: {"schema": {"type": "object" if name == "json" else "string"}}
                for name, kind in FORMATS.items()
            },
        },
        **problem_responses.problem_responses(400, 404, 422, 503),
    },
    dependencies=[query.allow_query_names("form", "format")],
)
async def get_machine(
    request: Request, name: _Name, form: _Form = None, kind: _Format = None
) -> Response:
    """Return the states and moves of the automaton: as JSON, for Graphviz, or as a picture."""
    chosen = _choose_format(kind, ",".join(request.headers.getlist("accept")))
    forms = list(machine_documents.list_forms(name)) if form is None else [form]
    problem = None
    for tried in forms if chosen == "svg" else forms[:1]:
        machine_documents.build_in_form(name, tried)
        location = f"{router.prefix}/{name}?form={tried}&format={chosen}"
        headers = {"Content-Location": location, "Vary": "Accept, Accept-Encoding"}
        tag = _TAGS.get((name, tried, chosen))
        if tag is not None and is_known(request, tag):
            return answer_unchanged(tag, headers)
        try:
            body = await _workers_of(request).run(
                *(machine_documents.write_machine, name, tried, chosen),
                deadline=Deadline.in_seconds(_WORKED_OUT_IN),
                client_left=partial(_wait_until_left, request),
            )
        except TooLargeToDraw as error:
            problem = problem or error
            continue
        except TimeoutError:
            raise problems.make_unready_problem() from None
        tag = _TAGS[name, tried, chosen] = await run_off_loop(body, partial(tag_content, body))
        return answer_constant(request, body, FORMATS[chosen], tag, headers)
    assert problem is not None, "every machine has a form"
    raise problems.make_picture_problem(problem)


@router.get(
    "/kadlac/windows",
    summary="Kadlac's Appendix B: all windows of four squares, and what is wrong in each",
    responses={
        200: {"description": "All 625 windows", "model": list[KadlacWindow]},
        **problem_responses.problem_responses(400, 422, 503),
    },
    dependencies=[query.allow_query_names()],
    response_class=Response,
)
async def get_windows(request: Request) -> Response:
    """Return the windows as computed; six differ from the printed table: see docs/errata.md, K9."""
    try:
        body = await _workers_of(request).run(
            machine_documents.render_windows,
            deadline=Deadline.in_seconds(_WORKED_OUT_IN),
            client_left=partial(_wait_until_left, request),
        )
    except TimeoutError:
        raise problems.make_unready_problem() from None
    return answer_constant(request, body, "application/json", tag_content(body))


def _choose_format(named: str | None, accept: str) -> str:
    """Return the one of `FORMATS` asked for: by name, else by an Accept header, else JSON.

    Raises:
        ProblemError: 422, no format of this name.
    """
    if named is not None:
        if named not in FORMATS:
            detail = f"There is no format {quote_text(named)}."
            problems.reject_field("unknown-format", detail, f"Use one of: {', '.join(FORMATS)}.")
        return named
    weights = parse_weights(accept)
    order = {media: index for index, media in enumerate(weights)}

    def rank_format(kind: str) -> tuple[float, int, int]:
        """Return the rank of a media type: weight, explicit before wildcards, then position."""
        media = FORMATS[kind]
        for general, fitting in enumerate((media, f"{media.partition('/')[0]}/*", "*/*")):
            if fitting in weights:
                return -weights[fitting], general, order[fitting]
        return 0.0, 0, 0

    preferred = min(FORMATS, key=rank_format)
    return preferred if rank_format(preferred)[0] else "json"


async def _wait_until_left(request: Request) -> None:
    """Wait until the client has left; a body, which no GET needs, is thrown away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _workers_of(request: Request) -> Workers:
    workers: Workers = request.app.state.workers
    return workers
