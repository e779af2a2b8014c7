"""The OpenAPI document as a whole: what its operations share, and how it is sent."""

import asyncio
from collections.abc import Callable, Mapping
from http import HTTPStatus
from threading import Lock
from types import MappingProxyType
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from starlette.routing import Route

from minecheck.app.problem_responses import Problem, describe_problem, refer_to_problem
from minecheck.app.requests.scope import PROBES
from minecheck.app.routes.constant import answer_constant, tag_content

#: The name of the route of the document, as FastAPI has it.
_DOCUMENT: Final = "openapi"
_SCHEMAS: Final = "#/components/schemas/{model}"

#: The beginning of the page of the documentation, in Markdown.
DESCRIPTION: Final = """\
minecheck tells whether a Minesweeper board is consistent: whether any layout of mines fits its
clues. It also counts the layouts, lists them, finds the cells that are mines or safe in all of
them, and gives the exact chance of a mine in every other cell.

* **Requests** are JSON, or the bare board as `text/plain` with the options in the query. Cells are
  `[row, col]`, counted from 0.
* **Answers** are JSON. Counts and offsets are decimal strings, exact at any size. A field that
  was not decided by the deadline is null, and `solver.complete` is false.
* **Errors** are problem documents (RFC 9457, `application/problem+json`): `detail` says what is
  wrong, `fix` what to do, and `pointer`, `row` and `col` where it is.
* **API keys** are needed only if the operator has set some. Send one as `Authorization: Bearer KEY`
  or `X-API-Key: KEY`.
"""
#: The sections of the documentation in their order.
TAGS: Final[tuple[Mapping[str, str], ...]] = tuple(
    MappingProxyType({"name": name, "description": description})
    for name, description in {
        "questions": "Questions about a board, or about rules",
        "boards": "Boards and games to play, and how hard they are",
        "automata": "Finite automata for narrow boards, and how they read one",
        "circuits": "Boolean formulas as boards",
        "export": "Boards for other solvers",
        "formats": "Files and links of other programs",
        "operations": "For operators: probes and metrics",
    }.items()
)
_SCHEMES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key, in the header Authorization",
        },
        "header": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "An API key, in a header of its own",
        },
    }
)
#: Every operation but the probes may be answered with these.
_ANYWHERE: Final = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)


def complete_document(document: dict[str, Any], *, needs_key: bool) -> None:
    """Add what operations share: problems, security schemes, the answers to those without a key.

    Args:
        document: the document of FastAPI, which is changed in place.
        needs_key: whether requests need an API key.
    """
    components = document["components"]
    components["schemas"] |= _problem_schemas()
    components["securitySchemes"] = {name: dict(scheme) for name, scheme in _SCHEMES.items()}
    # Either will do; the empty one stands for no key at all.
    document["security"] = [*([] if needs_key else [{}]), *({name: []} for name in _SCHEMES)]
    used: set[int] = set()
    for path, operations in document["paths"].items():
        for operation in operations.values():
            if path in PROBES:
                operation["security"] = []
            responses = operation["responses"]
            statuses = {int(status) for status, scheme in responses.items() if "$ref" in scheme}
            statuses |= set() if path in PROBES else set(_ANYWHERE)
            responses |= {str(status): refer_to_problem(status) for status in statuses}
            operation["responses"] = dict(sorted(responses.items()))
            used |= statuses
    components["responses"] = dict(map(describe_problem, sorted(used)))


def _problem_schemas() -> dict[str, Any]:
    """Return the schema of problems and those that it refers to, by name."""
    schema = Problem.model_json_schema(ref_template=_SCHEMAS)
    return {**schema.pop("$defs"), Problem.__name__: schema}


def amend_document(app: FastAPI, *changes: Callable[[dict[str, Any]], None]) -> None:
    """Have the OpenAPI document of an app changed before anybody gets it.

    Args:
        app: the application.
        changes: functions that change the document in place, in this order.
    """
    plain, building = app.openapi, Lock()
    amended: dict[str, Any] = {}

    def build_document() -> dict[str, Any]:
        # A thread goes on if the request that it works for is cancelled.
        with building:
            if not amended:
                document = plain()
                for change in changes:
                    change(document)
                amended.update(document)
        return amended

    # FastAPI requires this form.
    app.openapi = build_document  # type: ignore[method-assign]


def write_document_once(app: FastAPI) -> None:
    """Have the document of an app written once, and only when it is first asked for.

    To build it takes half a second, outside the event loop.
    """
    (route,) = (
        candidate
        for candidate in app.routes
        if isinstance(candidate, Route) and candidate.name == _DOCUMENT
    )
    app.router.routes.remove(route)
    #: The documents and their ETags, by the prefix of the app, which they name.
    written: dict[str, tuple[bytes, str]] = {}

    async def send_document(request: Request) -> Response:
        prefix: str = request.scope.get("root_path", "")
        if prefix not in written:
            await asyncio.to_thread(app.openapi)
            content = bytes((await route.endpoint(request)).body)
            written[prefix] = content, tag_content(content)
        content, tag = written[prefix]
        return answer_constant(request, content, "application/json", tag)

    app.add_route(route.path, send_document, name=_DOCUMENT, include_in_schema=False)
