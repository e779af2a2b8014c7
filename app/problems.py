"""Errors as `application/problem+json` (RFC 9457).

Every problem has a stable ``type``, says what is wrong in ``detail`` and how
to fix it in ``fix``; where it applies it names the JSON ``pointer`` and the
``row`` and ``col`` at fault.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

import orjson
from pydantic import BaseModel, Field

from app.answers.numbers import digits
from automata import WindowError
from minefield import BoardError, FormatError, RuleError
from minefield.spelling import meant
from solvers import BackendRefusal, QuestionError

if TYPE_CHECKING:
    from starlette.responses import Response

    from automata.drawing import TooLargeToDraw

# The phrases of HTTPStatus for these depend on the version of Python.
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}

#: What helps where nothing is wrong.
_LATER: Final = "Try again in a moment."

TYPE_PREFIX = "urn:minecheck:problem:"


class Problem(BaseModel):
    """A problem document."""

    type: str = Field(examples=[TYPE_PREFIX + "ragged-rows"])
    title: str = Field(examples=["Unprocessable Content"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["Row 1 has 1 cells where row 0 has 2."])
    fix: str = Field(examples=["Make all rows the same length."])
    pointer: str | None = Field(default=None, examples=["/board/1"])
    row: int | None = Field(default=None, examples=[1])
    col: int | None = None


class ProblemError(Exception):
    """Raise it anywhere under a route to answer with a problem."""

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
            "title": _TITLES.get(status, status.phrase),
            "status": int(status),
            "detail": detail,
            "fix": fix,
            **{name: value for name, value in place.items() if value is not None},
        }

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers raise problems, too: they come from there as they are.
        return _as_it_was, (type(self), self.args, vars(self))

    def response(self) -> "Response":
        """The problem as a response."""
        # Commands have problems, too, and no need of a web framework.
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
    """A problem of another process."""
    found = kind.__new__(kind, *arguments)
    vars(found).update(held)
    return found


def of_board(error: BoardError, field: str = "board") -> ProblemError:
    """A board, or what has its form, that cannot be read."""
    pointer = "/notation" if error.code == "unknown-notation" else f"/{field}"
    if error.row is not None:
        pointer += f"/{error.row}" if error.col is None else f"/{error.row}/{error.col}"
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        error.code,
        error.detail,
        error.fix,
        pointer=pointer,
        row=error.row,
        col=error.col,
    )


def of_format(error: FormatError, field: str | None = None) -> ProblemError:
    """A file that cannot be read, or written from ``field`` of a request."""
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


def refuse(code: str, detail: str, fix: str, pointer: str) -> NoReturn:
    """Reject a field of a request that makes no sense."""
    raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, code, detail, fix, pointer=pointer)


def pointer(*places: str) -> str:
    """The JSON pointer to a place in a request, cut where the names in it are long."""
    return "".join("/" + place.replace("~", "~0").replace("/", "~1") for place in places)[:200]


def of_name(name: str, known: Iterable[str], *places: str) -> ProblemError:
    """An unknown field, at these places unless it is at the top."""
    names = list(known)
    near = meant(name, names)
    fix = f"{near}The fields are" if near else "Leave it out; the fields are"
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "unknown-field",
        f"Unknown field {name[:80]!a}.",
        f"{fix} {', '.join(names)}." if names else "Leave it out.",
        pointer=pointer(*(places or (name,))),
    )


def of_rule(error: RuleError) -> ProblemError:
    """Rules that cannot be read."""
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
    """A value that makes no sense for this board."""
    row, col = error.place or (None, None)
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "bad-value",
        str(error),
        "Change the board." if error.field == "board" else f"Change or leave out {error.field}.",
        pointer=f"/{error.field}" + (f"/{row}/{col}" if error.place else ""),
        row=row,
        col=col,
    )


def of_media_type(kind: str, fix: str, *taken: str) -> ProblemError:
    """A body whose Content-Type, empty if it has none, is not one of those that are taken."""
    return ProblemError(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "unsupported-media-type",
        f"The Content-Type is {kind[:80]!a}." if kind else "The request has no Content-Type.",
        fix,
        headers={"Accept-Post": ", ".join(taken)},
    )


def of_encoding(encoding: str, fix: str, *taken: str) -> ProblemError:
    """A body whose Content-Encoding is not one of those that are taken."""
    return ProblemError(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "unsupported-encoding",
        f"The Content-Encoding is {encoding[:80]!a}.",
        fix,
        headers={"Accept-Encoding": ", ".join(taken)},
    )


def beyond(offset: int, count: int, what: str = "layout") -> ProblemError:
    """An offset beyond the last layout, or beyond the last of what else there are so many."""
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "offset-beyond-the-last",
        f"There is no {what} number {digits(offset)}: the count is {digits(count)}.",
        "Send an offset below the count.",
        pointer="/offset",
    )


def at_most(field: str, value: int, limit: int, amount: str | None = None) -> None:
    """Reject a value above a limit of the service, which ``amount`` has in words."""
    if value > limit:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "over-the-limit",
            f"{field}: this service allows at most {amount or limit} here.",
            f"Stay at or below {limit}.",
            pointer=f"/{field}",
        )


def on_the_board(field: str, what: str, place: tuple[int, int], shape: tuple[int, int]) -> None:
    """Reject a cell at (row, col) that is not on a board of (height, width)."""
    (row, col), (height, width) = place, shape
    if not (0 <= row < height and 0 <= col < width):
        refuse(
            f"{field}-off-the-board",
            f"{what} at row {row}, column {col} is outside the board.",
            f"Rows go from 0 to {height - 1}, columns from 0 to {width - 1}.",
            f"/{field}",
        )


def of_window(error: WindowError) -> ProblemError:
    """A window that is not on the board, or too wide."""
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "bad-window",
        error.detail,
        error.fix,
        pointer=f"/window/{error.field}",
    )


def of_picture(error: "TooLargeToDraw") -> ProblemError:
    """A machine that is too large for a picture."""
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "too-large-to-draw",
        f"{str(error).capitalize()}.",
        "Ask for another form, or for format=dot.",
    )


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route may answer with, for OpenAPI."""
    descriptions = {
        400: "The body, or the query, cannot be read",
        401: "The key is missing or wrong",
        404: "There is nothing with this path or name",
        408: "The rest of the body did not come",
        413: "The body is too large",
        415: "The body is neither JSON nor plain text",
        422: "The board or an option makes no sense",
        429: "Too many requests",
        503: "No answer for now: too much to do, or the worker was lost or out of memory",
    }
    content = {"application/problem+json": {"schema": Problem.model_json_schema()}}
    return {
        status: {"description": descriptions[status], "content": content} for status in statuses
    }


def of_backend(error: BackendRefusal) -> ProblemError:
    """A backend that cannot take this board."""
    reason = str(error)
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "backend-refuses",
        f"The backend cannot take this board: {reason}.",
        "Choose another backend, or leave it out.",
        pointer="/backend",
    )


def not_in_time(fix: str) -> ProblemError:
    """What is answered whole or not at all, and was not done by the deadline."""
    return ProblemError(
        HTTPStatus.SERVICE_UNAVAILABLE, "deadline-passed", "It was not done by the deadline.", fix
    )


def not_ready(compiling: tuple[int, int] | None = None) -> ProblemError:
    """The service is starting, perhaps with so many of so many kernels compiled, or stopping."""
    detail = "The service is not ready."
    if compiling is not None:
        done, whole = compiling
        detail = f"The service is compiling: {done} of {whole} are done."
    return for_now("not-ready", detail)


def of(error: Exception) -> ProblemError:
    """Any error under a route, which may be a problem already."""
    return error if isinstance(error, ProblemError) else of_defect()


def of_defect() -> ProblemError:
    """An error that nobody expected."""
    return ProblemError(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "internal-error",
        "The service failed on this request.",
        "The fault is ours: please report the request that caused it.",
    )


def for_now(code: str, detail: str, fix: str = _LATER) -> ProblemError:
    """A problem that may be gone in a second."""
    return ProblemError(
        HTTPStatus.SERVICE_UNAVAILABLE, code, detail, fix, headers={"Retry-After": "1"}
    )


class Unanswered(ProblemError):
    """No answer for now; nothing is wrong with the question."""

    code: ClassVar[str]
    detail: ClassVar[str]
    fix: ClassVar[str] = _LATER

    def __init__(self) -> None:
        retry = {"Retry-After": "1"}
        super().__init__(
            HTTPStatus.SERVICE_UNAVAILABLE, self.code, self.detail, self.fix, headers=retry
        )


class Overloaded(Unanswered):
    """As many requests, or questions, as may wait already do."""

    code = "overloaded"
    detail = "Too many requests are waiting already."


class WorkerLost(Unanswered):
    """The process that worked on the question died of it, or was killed."""

    code = "worker-lost"
    detail = "The process that worked on the question ended before it had an answer."
    fix = "Try again; if that ends the same way, ask for less or for another backend."


class OutOfMemory(Unanswered):
    """The question needs more memory than a worker may have."""

    code = "out-of-memory"
    detail = "The question needs more memory than this service allows."
    fix = "Ask for less, such as a smaller limit or a verdict only, or for another backend."
