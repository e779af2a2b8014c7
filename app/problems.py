"""Errors as `application/problem+json` (RFC 9457).

Every problem has a stable ``type``, says what is wrong in ``detail`` and how
to fix it in ``fix``; where it applies it names the JSON ``pointer`` and the
``row`` and ``col`` at fault.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

import orjson

from minecheck.app.field_names import VARIANT_FIELDS, suggest_field
from minecheck.app.problem_types import title_of
from minecheck.app.quoting import quote_text
from minecheck.automata import WindowError
from minecheck.minefield import BoardError, FormatError, RuleError
from minecheck.solvers import BackendError, QuestionError
from minecheck.solvers.backend import BoardKind, list_tasks
from minecheck.solvers.documents.numbers import format_integer

if TYPE_CHECKING:
    from pydantic import BaseModel
    from starlette.responses import Response

    from minecheck.automata.drawing import TooLargeToDraw

#: The fix if nothing is wrong with the request.
_LATER: Final = "Try again in a few seconds."

#: The fields that errors of boards are about, by code, where that is not the board.
_OTHER_FIELDS: Final = {"unknown-notation": "notation", "unknown-meaning": "symbols"}

TYPE_PREFIX = "urn:minecheck:problem:"


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
        cell: tuple[int | None, int | None] = (None, None),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        # No board has a cell whose number JSON cannot hold.
        row, col = (number if number is None or abs(number) < 2**53 else None for number in cell)
        location = {"pointer": pointer, "row": row, "col": col}
        self.headers = headers
        self.document: dict[str, Any] = {
            "type": TYPE_PREFIX + code,
            "title": title_of(code, status),
            "status": int(status),
            "detail": detail,
            "fix": fix,
            **{name: value for name, value in location.items() if value is not None},
        }

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers raise problems, which are pickled on their way to the serving process.
        return _restore_problem, (type(self), self.args, vars(self))

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


def _restore_problem(
    kind: type[ProblemError], arguments: tuple[object, ...], attributes: dict[str, Any]
) -> ProblemError:
    """Return a problem of another process, with all of its attributes."""
    problem = kind.__new__(kind, *arguments)
    vars(problem).update(attributes)
    return problem


def make_board_problem(error: BoardError, field: str = "board") -> ProblemError:
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
    return make_field_problem(
        error.code, error.detail, error.fix, pointer if named else None, cell=(error.row, error.col)
    )


def make_format_problem(error: FormatError, field: str | None = None) -> ProblemError:
    """Return the problem of a file that cannot be read, or written.

    Args:
        error: what is wrong.
        field: the JSON pointer of the field that it was written from, None if it was read.
    """
    cell = error.row is not None and error.col is not None
    return make_field_problem(
        error.code,
        error.detail,
        error.fix,
        f"{field}/{error.row}/{error.col}" if field == "/board" and cell else field,
        cell=(error.row, error.col),
    )


def make_field_problem(
    code: str,
    detail: str,
    fix: str,
    pointer: str | None = None,
    cell: tuple[int | None, int | None] = (None, None),
) -> ProblemError:
    """Return the problem (422) of a field of a request, or of a request as a whole.

    Args:
        code: the code of the type of problem.
        detail: what is wrong, and where.
        fix: what to do.
        pointer: the JSON pointer of the field, None for a request as a whole.
        cell: (row, col) of the cell at fault.
    """
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY, code, detail, fix, pointer=pointer, cell=cell
    )


def reject_field(
    code: str,
    detail: str,
    fix: str,
    pointer: str | None = None,
    cell: tuple[int | None, int | None] = (None, None),
) -> NoReturn:
    """Reject a field of a request, with the same arguments as `make_field_problem`.

    Raises:
        ProblemError: always; 422.
    """
    raise make_field_problem(code, detail, fix, pointer, cell)


def format_json_pointer(*names: str) -> str:
    """Return the JSON pointer (RFC 6901) with these names, cut to 200 characters."""
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)[:200]


def make_name_problem(
    name: str, known: Iterable[str], *path: str, value: object = None
) -> ProblemError:
    """Return the problem of a field that is not ``known``.

    Args:
        name: the name of the field.
        known: the names that are allowed instead.
        *path: the parts of the pointer to the field; without them, it is at the top.
        value: the value of the field, which may be an object with known fields.
    """
    names = list(known)
    if name in VARIANT_FIELDS and not path[1:]:
        return _make_variant_field_problem(name)
    near = suggest_field((path or (name,))[-1], names)
    fix = f"{near}The fields are" if near else "Leave it out. The fields are"
    if inner := [known for known in names if isinstance(value, dict) and known in value]:
        fix = f"Send {' and '.join(inner)} without {quote_text(name)} around. The fields are"
    return make_field_problem(
        "unknown-field",
        f"{quote_text(name)} is not a field of this request.",
        f"{fix} {', '.join(names)}." if names else "Leave it out.",
        format_json_pointer(*(path or (name,))),
    )


def _make_variant_field_problem(name: str) -> ProblemError:
    """Return the problem of a field of boards under other rules where only plain ones are taken."""
    *tasks, last = list_tasks(BoardKind.SETS)
    return make_field_problem(
        "unknown-field",
        f"The field {name} makes a board under other rules; this request takes ordinary ones only.",
        f"Send the board with {name} to {', '.join(tasks)} or {last}. If the board is an ordinary "
        f"one, leave {name} out.",
        format_json_pointer(name),
    )


def make_rule_problem(error: RuleError) -> ProblemError:
    """Return the problem of rules that cannot be read."""
    return make_field_problem(
        "bad-rule",
        error.detail,
        error.fix,
        (error.field or "/rules") if error.rule is None else f"/rules/{error.rule}{error.field}",
    )


def make_question_problem(error: QuestionError, request: "BaseModel") -> ProblemError:
    """Return the problem of a value of a request that is not possible for this board."""
    row, col = error.cell or (None, None)
    name = "the board" if error.field == "board" else error.field
    field = type(request).model_fields.get(error.field)
    is_required = error.field == "board" or (field is not None and field.is_required())
    return make_field_problem(
        "bad-value",
        str(error),
        error.fix or (f"Change {name}." if is_required else f"Change {name}, or leave it out."),
        f"/{error.field}" + (f"/{row}/{col}" if error.cell else ""),
        cell=(row, col),
    )


def make_media_type_problem(kind: str, fix: str, *taken: str) -> ProblemError:
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


def make_encoding_problem(encoding: str, fix: str, *taken: str) -> ProblemError:
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


def make_offset_problem(offset: int, count: int, what: str = "layout") -> ProblemError:
    """Return the problem of an offset above the number of layouts, or of other items.

    Args:
        offset: the offset, from 0.
        count: the number of items.
        what: the noun for an item.
    """
    return make_field_problem(
        "offset-beyond-the-last",
        f"The offset {format_integer(offset)} is above the number of {what}s, which is "
        f"{format_integer(count)}.",
        f"Send an offset of at most {format_integer(count)}, where the page is empty."
        if count
        else f"Leave offset out: there is no {what} at all.",
        "/offset",
    )


def require_at_most(field: str, value: int, limit: int, limit_in_words: str | None = None) -> None:
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
        reject_field(
            "over-the-limit",
            f"{field}: {allowed}" if field else allowed.capitalize(),
            f"Stay at or below {limit}.",
            f"/{field}" if field else None,
        )


def require_on_board(field: str, what: str, cell: tuple[int, int], shape: tuple[int, int]) -> None:
    """Reject a cell at (row, col) that is not on a board of (height, width).

    Args:
        field: the name of the field.
        what: the words for the cell, such as "The first click".
        cell: (row, col) from 0.
        shape: (height, width).

    Raises:
        ProblemError: 422, it is not; the code begins with the name of the field.
    """
    (row, col), (height, width) = cell, shape
    if not (0 <= row < height and 0 <= col < width):
        reject_field(
            f"{field}-off-the-board",
            f"{what} at row {row}, column {col} is outside the board.",
            f"Send a row from 0 to {height - 1} and a column from 0 to {width - 1}.",
            f"/{field}",
        )


def make_window_problem(error: WindowError) -> ProblemError:
    """Return the problem of a window that is not on the board, or too wide."""
    return make_field_problem("bad-window", error.detail, error.fix, f"/window/{error.field}")


def make_picture_problem(error: "TooLargeToDraw") -> ProblemError:
    """Return the problem of a machine that is too large for a picture."""
    return make_field_problem(
        "too-large-to-draw",
        f"{str(error).capitalize()}.",
        "Ask for another form of the machine, or for format=dot.",
    )


def make_backend_problem(error: BackendError) -> ProblemError:
    """Return the problem of a backend that does not answer the question, or for this board."""
    return make_field_problem("backend-refuses", error.detail, error.fix, "/backend")


def make_late_problem(fix: str) -> ProblemError:
    """Return the problem of an answer without a partial form that missed its deadline."""
    return ProblemError(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "deadline-passed",
        "The answer was not complete at the deadline, and part of it would be of no use.",
        fix,
    )


def make_unready_problem(
    compiled: tuple[int, int] | None = None, seconds: int = 1, *, answers_small: bool = False
) -> ProblemError:
    """Return the problem of a service that starts, perhaps compiling, or stops.

    Args:
        compiled: how many kernels are compiled, and how many there are, if that is in progress.
        seconds: how long it is expected to take.
        answers_small: whether small questions are answered meanwhile.
    """
    if compiled is None:
        return make_temporary_problem("not-ready", "The service is starting or stopping.")
    detail = f"The service is compiling its kernels: {compiled[0]} of {compiled[1]} are ready."
    if answers_small:
        detail += " Until then it answers small boards only, and keeps no games."
    return make_temporary_problem("not-ready", detail, f"Try again in about {seconds} s.", seconds)


def to_problem(error: Exception) -> ProblemError:
    """Return the problem for any error under a route, which may be a problem already."""
    return error if isinstance(error, ProblemError) else make_defect_problem()


def make_defect_problem() -> ProblemError:
    """Return the problem of an error that nobody expected."""
    return ProblemError(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "internal-error",
        "The service failed on this request. The fault is not in the request.",
        "Please report the request as a defect of minecheck.",
    )


def make_temporary_problem(
    code: str, detail: str, fix: str = _LATER, seconds: int = 1
) -> ProblemError:
    """Return a problem that may have passed when the client tries again, some seconds later.

    Args:
        code: the code of the type of problem.
        detail: what is wrong.
        fix: what to do.
        seconds: when to try again.
    """
    return ProblemError(
        HTTPStatus.SERVICE_UNAVAILABLE, code, detail, fix, headers={"Retry-After": str(seconds)}
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
