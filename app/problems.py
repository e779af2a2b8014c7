"""Errors as `application/problem+json` (RFC 9457).

Every problem has a stable ``type``, says what is wrong in ``detail`` and how
to fix it in ``fix``; where it applies it names the JSON ``pointer`` and the
``row`` and ``col`` at fault.
"""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

import orjson
from pydantic import BaseModel, Field

from minecheck.app.field_names import suggest_field
from minecheck.app.problem_types import title_of
from minecheck.app.quoting import quote_text
from minecheck.automata import WindowError
from minecheck.minefield import BoardError, FormatError, RuleError
from minecheck.solvers import BackendRefusal, QuestionError
from minecheck.solvers.documents.numbers import format_integer

if TYPE_CHECKING:
    from starlette.responses import Response

    from minecheck.automata.drawing import TooLargeToDraw

#: The fix if nothing is wrong with the request.
_LATER: Final = "Try again in a few seconds."

#: The fields that errors of boards are about, by code, where that is not the board.
_OTHER_FIELDS: Final = {"unknown-notation": "notation", "unknown-meaning": "symbols"}
#: The fields of windows in requests, by their names in `Window`, where these differ.
_WINDOW_FIELDS: Final = {"height": "rows", "width": "cols"}

TYPE_PREFIX = "urn:minecheck:problem:"


class TextReading(BaseModel):
    """A board that was read from text, and how."""

    notation: str = Field(description="How the cells were written, or the name of the format")
    board: list[str] = Field(description="The board in the standard notation")
    mines: int | None = Field(description="The total that the text states")
    symbols: dict[str, str] = Field(description="The meaning of each symbol that is not standard")
    notes: list[str] = Field(description="How it was read, and what was left out")


class PossibleReading(TextReading):
    """One of several boards that a text may mean."""

    request: dict[str, Any] = Field(description="The fields of a request that chooses it")


class Problem(BaseModel):
    """A problem document."""

    type: str = Field(examples=[TYPE_PREFIX + "ragged-rows"])
    title: str = Field(examples=["Rows of different lengths"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["Row 1 has 1 cell where row 0 has 2."])
    fix: str = Field(examples=["Make all rows the same length."])
    pointer: str | None = Field(default=None, examples=["/board/1"])
    row: int | None = Field(default=None, examples=[1])
    col: int | None = None
    readings: list[PossibleReading] | None = Field(
        default=None, description="The boards that an ambiguous text may mean, the likeliest first"
    )


class ProblemError(Exception):
    """An error that a route answers with a problem document, wherever it is raised."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        detail: str,
        fix: str,
        *,
        pointer: str | None = None,
        row: int | None = None,
        col: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        place = {"pointer": pointer, "row": row, "col": col}
        self.headers = headers
        self.document: dict[str, Any] = {
            "type": TYPE_PREFIX + code,
            "title": title_of(code, status),
            "status": int(status),
            "detail": detail,
            "fix": fix,
            **{name: value for name, value in place.items() if value is not None},
        }

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers raise problems, which are pickled on their way to the serving process.
        return _as_it_was, (type(self), self.args, vars(self))

    def to_response(self) -> "Response":
        """Return the problem as a response."""
        # Commands show problems, too, and do not need a web framework.
        from starlette.responses import Response

        return Response(
            orjson.dumps(self.document),
            self.document["status"],
            self.headers,
            media_type="application/problem+json",
        )


def _as_it_was(
    kind: type[ProblemError], arguments: tuple[object, ...], held: dict[str, Any]
) -> ProblemError:
    """Return a problem of another process, with all of its attributes."""
    found = kind.__new__(kind, *arguments)
    vars(found).update(held)
    return found


def of_board(error: BoardError, field: str = "board") -> ProblemError:
    """Return the problem of a board, or another field drawn like one, that cannot be read.

    Args:
        error: what is wrong.
        field: the name of the field; empty for a whole body.
    """
    named = _OTHER_FIELDS.get(error.code, field)
    # A whole body is no field.
    pointer = f"/{named}" if named else ""
    if error.row is not None:
        pointer += f"/{error.row}" if error.col is None else f"/{error.row}/{error.col}"
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        error.code,
        error.detail,
        error.fix,
        pointer=pointer if named else None,
        row=error.row,
        col=error.col,
    )


def of_format(error: FormatError, field: str | None = None) -> ProblemError:
    """Return the problem of a file that cannot be read, or written.

    Args:
        error: what is wrong.
        field: the JSON pointer of the field that it was written from, None if it was read.
    """
    cell = error.row is not None and error.col is not None
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        error.code,
        error.detail,
        error.fix,
        pointer=f"{field}/{error.row}/{error.col}" if field == "/board" and cell else field,
        row=error.row,
        col=error.col,
    )


def reject_field(code: str, detail: str, fix: str, pointer: str) -> NoReturn:
    """Reject a field of a request.

    Args:
        code: the code of the type of problem.
        detail: what is wrong, and where.
        fix: what to do.
        pointer: the JSON pointer of the field.

    Raises:
        ProblemError: always; 422, with the code, the texts and the pointer.
    """
    raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, code, detail, fix, pointer=pointer)


def json_pointer(*places: str) -> str:
    """Return the JSON pointer (RFC 6901) with these names, cut to 200 characters."""
    return "".join("/" + place.replace("~", "~0").replace("/", "~1") for place in places)[:200]


def of_name(name: str, known: Iterable[str], *places: str) -> ProblemError:
    """Return the problem of a field that is not ``known``.

    Args:
        name: the name of the field.
        known: the names that are allowed instead.
        *places: the parts of the pointer to the field; without them, it is at the top.
    """
    names = list(known)
    near = suggest_field((places or (name,))[-1], names)
    fix = f"{near}The fields are" if near else "Leave it out. The fields are"
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "unknown-field",
        f"{quote_text(name)} is not a field of this request.",
        f"{fix} {', '.join(names)}." if names else "Leave it out.",
        pointer=json_pointer(*(places or (name,))),
    )


def of_rule(error: RuleError) -> ProblemError:
    """Return the problem of rules that cannot be read."""
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "bad-rule",
        error.detail,
        error.fix,
        pointer=(error.field or "/rules")
        if error.rule is None
        else f"/rules/{error.rule}{error.field}",
    )


def of_question(error: QuestionError) -> ProblemError:
    """Return the problem of a value that is not possible for this board."""
    row, col = error.place or (None, None)
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "bad-value",
        str(error),
        "Change the board."
        if error.field == "board"
        else f"Change {error.field}, or leave it out.",
        pointer=f"/{error.field}" + (f"/{row}/{col}" if error.place else ""),
        row=row,
        col=col,
    )


def of_media_type(kind: str, fix: str, *taken: str) -> ProblemError:
    """Return the problem of a Content-Type that is not taken.

    Args:
        kind: the type, empty if there is none.
        fix: what to do.
        taken: the types that are taken.
    """
    return ProblemError(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "unsupported-media-type",
        f"The Content-Type {quote_text(kind)} is not supported here."
        if kind
        else "The request has no Content-Type.",
        fix,
        headers={"Accept-Post": ", ".join(taken)},
    )


def of_encoding(encoding: str, fix: str, *taken: str) -> ProblemError:
    """Return the problem of a Content-Encoding that is not taken.

    Args:
        encoding: the encoding.
        fix: what to do.
        taken: the encodings that are taken.
    """
    return ProblemError(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "unsupported-encoding",
        f"The Content-Encoding {quote_text(encoding)} is not supported here.",
        fix,
        headers={"Accept-Encoding": ", ".join(taken)},
    )


def offset_beyond(offset: int, count: int, what: str = "layout") -> ProblemError:
    """Return the problem of an offset above the number of layouts, or of other items.

    Args:
        offset: the offset, from 0.
        count: the number of items.
        what: the noun for an item.
    """
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "offset-beyond-the-last",
        f"The offset {format_integer(offset)} is above the number of {what}s, which is "
        f"{format_integer(count)}.",
        "Send an offset from 0 to that number: there, the page is empty."
        if count
        else f"Leave offset out: there is no {what} at all.",
        pointer="/offset",
    )


def at_most(field: str, value: int, limit: int, limit_in_words: str | None = None) -> None:
    """Reject a value above a limit of the service.

    Args:
        field: the name of the field; empty for a whole body.
        value: the value.
        limit: the limit.
        limit_in_words: the limit as messages show it, None for the number.

    Raises:
        ProblemError: 422, the value is above the limit.
    """
    if value > limit:
        allowed = f"this service allows at most {limit_in_words or limit}."
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "over-the-limit",
            f"{field}: {allowed}" if field else allowed.capitalize(),
            f"Stay at or below {limit}.",
            pointer=f"/{field}" if field else None,
        )


def on_the_board(field: str, what: str, place: tuple[int, int], shape: tuple[int, int]) -> None:
    """Reject a cell at (row, col) that is not on a board of (height, width).

    Args:
        field: the name of the field.
        what: the words for the cell, such as "The first click".
        place: (row, col) from 0.
        shape: (height, width).

    Raises:
        ProblemError: 422, it is not; the code begins with the name of the field.
    """
    (row, col), (height, width) = place, shape
    if not (0 <= row < height and 0 <= col < width):
        reject_field(
            f"{field}-off-the-board",
            f"{what} at row {row}, column {col} is outside the board.",
            f"Send a row from 0 to {height - 1} and a column from 0 to {width - 1}.",
            f"/{field}",
        )


def of_window(error: WindowError) -> ProblemError:
    """Return the problem of a window that is not on the board, or too wide."""
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "bad-window",
        error.detail,
        error.fix,
        pointer=f"/window/{_WINDOW_FIELDS.get(error.field, error.field)}",
    )


def of_picture(error: "TooLargeToDraw") -> ProblemError:
    """Return the problem of a machine that is too large for a picture."""
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "too-large-to-draw",
        f"{str(error).capitalize()}.",
        "Ask for another form of the machine, or for format=dot.",
    )


#: The responses that operations share, by status: their names in OpenAPI, descriptions and headers.
_RESPONSES: Final[Mapping[int, tuple[str, str, Mapping[str, str]]]] = MappingProxyType(
    {
        400: ("BadRequest", "The body or the query cannot be read", {}),
        401: (
            "Unauthorized",
            "The API key is missing or not valid, where the operator requires one",
            {"WWW-Authenticate": "How to send the key"},
        ),
        404: ("NotFound", "Nothing has this path or name", {}),
        408: ("RequestTimeout", "The rest of the body did not arrive in time", {}),
        413: ("ContentTooLarge", "The body, or what it expands to, is too large", {}),
        415: (
            "UnsupportedMediaType",
            "The body has a media type or an encoding that this route does not read",
            {
                "Accept-Post": "The media types that the route reads",
                "Accept-Encoding": "The encodings that the route reads",
            },
        ),
        422: ("UnprocessableContent", "The board or an option is not valid", {}),
        429: (
            "TooManyRequests",
            "The client sends more requests than the operator allows",
            {"Retry-After": "Seconds until the next request is answered"},
        ),
        503: (
            "ServiceUnavailable",
            "The service is overloaded, starting or stopping, or its worker was lost or ran out of "
            "memory",
            {"Retry-After": "Seconds after which to try again"},
        ),
    }
)


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses for the problems that a route may answer with."""
    return {status: refer_to_problem(status) for status in statuses}


def refer_to_problem(status: int) -> dict[str, Any]:
    """Return a reference to the OpenAPI response for problems of a status."""
    return {"$ref": f"#/components/responses/{_RESPONSES[status][0]}"}


def describe_problem(status: int) -> tuple[str, dict[str, Any]]:
    """Return the OpenAPI response for problems of a status, and its name."""
    name, description, headers = _RESPONSES[status]
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    found: dict[str, Any] = {
        "description": description,
        "content": {"application/problem+json": {"schema": schema}},
    }
    if headers:
        found["headers"] = {
            header: {"description": text, "schema": {"type": "string"}}
            for header, text in headers.items()
        }
    return name, found


def of_backend(error: BackendRefusal) -> ProblemError:
    """Return the problem of a backend that does not answer the question, or for this board."""
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "backend-refuses",
        error.detail,
        error.fix,
        pointer="/backend",
    )


def not_in_time(fix: str) -> ProblemError:
    """Return the problem of an answer without a partial form that missed its deadline."""
    return ProblemError(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "deadline-passed",
        "The answer was not complete at the deadline, and a part of it is of no use.",
        fix,
    )


def not_ready(compiling: tuple[int, int] | None = None) -> ProblemError:
    """Return the problem of a service that starts, perhaps compiling, or stops."""
    detail = "The service is starting or stopping."
    if compiling is not None:
        done, whole = compiling
        detail = f"The service is compiling its kernels: {done} of {whole} are ready."
    return for_now("not-ready", detail)


def problem_of(error: Exception) -> ProblemError:
    """Return the problem for any error under a route, which may be a problem already."""
    return error if isinstance(error, ProblemError) else of_defect()


def of_defect() -> ProblemError:
    """Return the problem of an error that nobody expected."""
    return ProblemError(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "internal-error",
        "The service failed on this request. The fault is not in the request.",
        "Please report the request as a defect of minecheck.",
    )


def for_now(code: str, detail: str, fix: str = _LATER) -> ProblemError:
    """Return a problem that may be gone when the client tries again, a second later.

    Args:
        code: the code of the type of problem.
        detail: what is wrong.
        fix: what to do.
    """
    return ProblemError(
        HTTPStatus.SERVICE_UNAVAILABLE, code, detail, fix, headers={"Retry-After": "1"}
    )


class Unanswered(ProblemError):
    """A problem of the service: nothing is wrong with the request."""

    code: ClassVar[str]
    detail: ClassVar[str]
    fix: ClassVar[str] = _LATER

    def __init__(self) -> None:
        retry = {"Retry-After": "1"}
        super().__init__(
            HTTPStatus.SERVICE_UNAVAILABLE, self.code, self.detail, self.fix, headers=retry
        )


class Overloaded(Unanswered):
    """The limit of waiting requests, or questions, is reached."""

    code = "overloaded"
    detail = "As many requests are waiting as the service allows."


class TooManyBatches(Overloaded):
    """The limit of batches in progress is reached."""

    detail = "As many batches are in progress as the service allows."


class WorkerLost(Unanswered):
    """The worker ended while it worked on the request: it failed, or was killed."""

    code = "worker-lost"
    detail = "The worker that computed the answer ended before it was complete."
    fix = "Try again. If that ends the same way, ask for less, or for another backend."


class OutOfMemory(Unanswered):
    """The request needs more memory than a worker may have."""

    code = "out-of-memory"
    detail = "The answer needs more memory than the service allows a worker."
    fix = "Ask for less, such as a smaller limit or only /v1/check, or for another backend."
