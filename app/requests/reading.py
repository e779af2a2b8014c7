"""From the bytes of a request to a question."""

import gc
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from email.message import Message
from functools import cache
from http import HTTPStatus
from math import isfinite, prod
from time import monotonic
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from anyio import to_thread
from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError

from app import problems
from app.middleware.connections import in_time, waited
from app.problems import ProblemError
from app.questions.schemas import (
    Ask,
    AskAnalyze,
    AskBoard,
    AskCertified,
    AskCount,
    AskExplain,
    AskLayouts,
    AskPage,
    AskRepair,
    AskSample,
    AskStrips,
    AskWindow,
    Written,
)
from app.requests import puzzles
from app.settings import Settings
from automata import Window, WindowError, cut
from minefield import Board, Puzzle
from minefield.amounts import several
from solvers import Deadline, Question, QuestionError, Task, fresh_seed

Made = TypeVar("Made")
Asking = TypeVar("Asking", bound=BaseModel)


class _Text(NamedTuple):
    """What a text is called that has to be JSON, and what to send where it is not."""

    name: str
    fix: str


_BODY: Final = _Text(
    "body",
    'Send an object such as {"board": ["1?", "??"]}, or the bare board with '
    "Content-Type: text/plain.",
)
_OPTIONS: Final = _Text("body", "Send a JSON object with the fields that /docs names.")
_LINE: Final = _Text(
    "line",
    'Send an object with a board, such as {"board": ["1?", "??"]}, or the rows as one string, '
    'such as "1?\\n??".',
)
_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
_HOW: Final = "Send JSON with Content-Type: application/json"
_OR_ROWS: Final = ", or the rows of the board, one a line, with Content-Type: text/plain."
_CURL: Final = (
    "With curl use --data-binary @FILE -H 'Content-Type: text/plain', or --json: "
    "-d strips line breaks and sends a form."
)
_CURL_JSON: Final = "With curl use --json: -d sends a form."
#: Bodies above this size are parsed off the event loop.
_SMALL_BODY: Final = 64 * 1024
#: A body that is too large is still read, up to so many times the limit, for the
#: client to get the answer instead of a broken connection.
_DRAINED: Final = 8
_MOST_NAMES: Final = 100
_PAGE: Final = 100
#: Cells of all layouts in one JSON answer, at most.
_ANSWER_CELLS: Final = 20_000_000
#: What a request says, by what it asks.
MODELS: Final[dict[Task, type[AskBoard]]] = {
    Task.CHECK: AskCertified,
    Task.COUNT: AskCount,
    Task.FORCED: AskCertified,
    Task.LAYOUTS: AskLayouts,
    Task.ANALYZE: AskAnalyze,
    Task.STRIPS: AskStrips,
    Task.SAMPLE: AskSample,
    Task.EXPLAIN: AskExplain,
    Task.REPAIR: AskRepair,
}
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_WINDOW: Final = "Send row, col, height and width, or row,col,height,width in one string."
#: Python reads integers of at most so many digits.
_MOST_DIGITS: Final = 4300
_NUMBERS: Final = {"mines", "deadline_ms", "limit", "offset", "seed", "total_cells"}
_TRUTHS: Final = {"fractions", "certificate"}
#: What lines of a batch are about, each for itself.
_QUESTIONS: Final = ("board", "rules")
#: A board that is one in every notation.
_ANY_BOARD: Final = "0"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and when its answer is due; ``limited`` is False for all layouts."""

    question: Question
    deadline: Deadline
    limited: bool = True


async def read(request: Request, task: Task, settings: Settings, stream: bool = False) -> Asked:
    """The question that a request asks.

    Raises:
        ProblemError: it asks none; a 4xx that gives the location and the fix.
    """
    return await read_ask(request, MODELS[task], settings, _asking(task, settings, stream))


async def read_ask(
    request: Request,
    model: type[Asking],
    settings: Settings,
    use: Callable[[Asking, float], Made],
) -> Made:
    """What ``use`` makes of what a request asks, and of when it came, on the monotonic clock.

    Raises:
        ProblemError: it has not the fields of the model; a 4xx that gives the location and the fix.
    """
    arrived = monotonic() - waited(request.scope)
    rows = "board" in model.model_fields
    kind = _content_type(request, rows)
    body = await read_body(request, settings)
    return await made(body, lambda: _used(_fields(kind, body, request, rows), model, arrived, use))


async def made(body: bytes, make: Callable[[], Made]) -> Made:
    """What is made of a body; of a large one off the event loop."""
    return make() if len(body) <= _SMALL_BODY else await to_thread.run_sync(make)


def of_line(line: bytes, defaults: dict[str, Any], task: Task, settings: Settings) -> Asked:
    """The question that a line of a batch asks: an object, or a board as one string.

    What it does not say is taken from ``defaults``. The time for it begins now.

    Raises:
        ProblemError: as `read`.
    """
    arrived = monotonic()
    value = _json(_decoded(line, _LINE), _LINE)
    own = _named(value, _LINE) if not isinstance(value, str) else {"board": value}
    return _used(defaults | own, MODELS[task], arrived, _asking(task, settings))


def deadline_of(deadline_ms: int | None, settings: Settings, arrived: float) -> Deadline:
    """When the answer is due to what came then, on the monotonic clock.

    Raises:
        ProblemError: that is later than the settings allow.
    """
    allowed = deadline_ms or min(settings.deadline_ms, settings.max_deadline_ms)
    problems.at_most("deadline_ms", allowed, settings.max_deadline_ms)
    return Deadline(arrived + allowed / 1000)


def defaults_of(
    request: Request, own: Collection[str], task: Task, settings: Settings
) -> dict[str, Any]:
    """What the query of a batch says for all its lines; ``own`` are names that it keeps.

    Raises:
        ProblemError: a name, or a value, that would be refused of every line.
    """
    fields = {name: value for name, value in _from_query(request).items() if name not in own}
    known = [name for name in MODELS[task].model_fields if name not in _QUESTIONS]
    for name in fields:
        if name not in known:
            raise problems.of_name(name, [*own, *known])
    ask = _validated(MODELS[task], {"board": _ANY_BOARD, **fields})
    deadline_of(ask.deadline_ms, settings, monotonic())
    puzzles.board(ask, settings.max_cells)
    return fields


def accepted(request: Request, header: str) -> list[str]:
    """What a header such as Accept names, without what it gives the weight 0; lower case."""
    named = request.headers.get(header, "").replace(" ", "").lower().split(",")
    return [kind.split(";")[0] for kind in named if not re.search(r";q=0(\.0*)?(;|$)", kind)]


def _asking(
    task: Task, settings: Settings, stream: bool = False
) -> Callable[[AskBoard, float], Asked]:
    def asked(ask: AskBoard, arrived: float) -> Asked:
        deadline = deadline_of(ask.deadline_ms, settings, arrived)
        board = puzzles.puzzle(ask, settings.max_cells)
        limited = not stream or (isinstance(ask, AskPage) and ask.limit is not None)
        try:
            question = Question(task, board, **_options(ask, board, settings, stream))
        except QuestionError as error:
            raise problems.of_question(error) from None
        return Asked(question, deadline, limited)

    return asked


def _used(
    fields: dict[str, Any],
    model: type[Asking],
    arrived: float,
    use: Callable[[Asking, float], Made],
) -> Made:
    try:
        return use(_validated(model, fields), arrived)
    except RecursionError:
        # What could just be read may be too deep to be shown, or compared.
        _refuse("invalid-json", "The body is nested too deeply.", "Send a plain JSON object.")


def _fields(kind: str, body: bytes, request: Request, rows: bool) -> dict[str, Any]:
    """The options by name, and the board where there is one; ``rows`` may be sent bare."""
    text = _BODY if rows else _OPTIONS
    given = _decoded(body, text)
    if kind == _TEXT:
        return _from_query(request) | {"board": given}
    if request.scope["query_string"]:
        _refuse(
            "query-with-json",
            "The request has both a JSON body and query parameters.",
            "Put everything into the JSON body.",
        )
    return _named(_json(given, text), text)


def _options(ask: AskBoard, board: Puzzle, settings: Settings, stream: bool) -> dict[str, Any]:
    """What a `Question` takes beside its task and board."""
    options: dict[str, Any] = {}
    if isinstance(ask, Ask):
        options |= {"mines": ask.mines, "backend": ask.backend}
    if isinstance(ask, AskPage):
        # A page of layouts of a large board is as large as the board times their number.
        cells = max(1, prod(board.shape))
        most = min(settings.max_layouts, max(1, _ANSWER_CELLS // cells))
        options |= {"offset": ask.offset, "limit": ask.limit or min(_PAGE, most)}
        if not stream:
            problems.at_most("limit", options["limit"], most)
    if isinstance(ask, AskCount):
        options |= {"density": ask.density, "fractions": ask.fractions}
    if isinstance(ask, AskSample):
        seed = fresh_seed() if ask.seed is None else ask.seed
        options |= {"density": ask.density, "seed": seed}
    if isinstance(ask, AskCertified):
        options["certificate"] = ask.certificate
    if isinstance(ask, AskExplain) and ask.cell is not None:
        options["cell"] = puzzles.cell(ask.cell, board)
    if isinstance(ask, AskRepair):
        problems.at_most("limit", ask.limit, settings.max_layouts)
        options["limit"] = ask.limit
    if isinstance(ask, AskLayouts) and ask.layout is not None:
        if stream:
            problems.refuse(
                "bad-value",
                "A rank is not told in a stream of layouts.",
                "Leave layout out, or ask for JSON with Accept: application/json.",
                "/layout",
            )
        options["layout"] = puzzles.layout(ask.layout, board)
    if isinstance(ask, AskStrips | AskLayouts) and ask.window is not None:
        options["window"] = window(ask.window, board)
    return options


def window(asked: AskWindow, board: Puzzle) -> Window:
    """The window that is asked for, which can be cut if this is a board.

    Raises:
        ProblemError: it is not on the board, or too wide.
    """
    height, width = board.shape
    found = Window(
        asked.row,
        asked.col,
        height - asked.row if asked.height is None else asked.height,
        width - asked.col if asked.width is None else asked.width,
    )
    if isinstance(board, Board):
        try:
            cut(board, found)
        except WindowError as error:
            raise problems.of_window(error) from None
    return found


def _content_type(request: Request, rows: bool) -> str:
    """`_JSON`, or `_TEXT` where ``rows`` may be sent bare."""
    taken = (_JSON, _TEXT) if rows else (_JSON,)
    header = request.headers.get("content-type", "")
    kind = header.partition(";")[0].strip().lower()
    if kind in taken:
        if header == kind:
            return kind
        fields = Message()
        fields["Content-Type"] = header
        charset = fields.get_content_charset("utf-8")
        if charset not in ("utf-8", "utf8", "us-ascii"):
            raise ProblemError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "unsupported-charset",
                f"The body is in {charset[:80]!a}.",
                "Send UTF-8.",
            )
        return kind
    how = _HOW + (_OR_ROWS if rows else ".")
    curl = f" {_CURL if rows else _CURL_JSON}" if kind in _FORMS else ""
    raise problems.of_media_type(kind, how + curl, *taken)


async def read_body(request: Request, settings: Settings) -> bytes:
    """The body, if it is no longer, and no piece of it takes longer, than the settings allow."""
    limit = settings.max_body_bytes
    packed = request.headers.get("content-encoding", "").strip().lower()
    if packed not in ("", "identity"):
        fix = "Send the body as it is; POST /v1/batch takes lines that gzip has packed."
        raise problems.of_encoding(packed, fix, "identity")
    # A client that waits for "100 Continue" has not sent anything yet.
    if request.headers.get("expect", "").lower() == "100-continue":
        declared = request.headers.get("content-length", "")
        if declared.isascii() and declared.isdigit() and int(declared[:18]) > limit:
            raise _too_large(limit)
    receive = in_time(request.receive, settings.upload_seconds)
    chunks: list[bytes] = []
    size = 0
    more = True
    while more and size <= limit * _DRAINED:
        message = await receive()
        if message["type"] == "http.disconnect":
            _refuse("incomplete-body", "The body ended early.", "Send it again.")
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        more = message.get("more_body", False)
    if size > limit:
        raise _too_large(limit)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _too_large(limit: int) -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "body-too-large",
        f"The body is larger than {several(limit, 'byte')}.",
        "Send a smaller board, or raise MINECHECK_MAX_BODY_BYTES.",
        headers={"Connection": "close"},
    )


def _decoded(given: bytes, text: _Text) -> str:
    try:
        return given.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(
            "invalid-utf-8",
            f"The {text.name} is not UTF-8: byte {error.start} is 0x{given[error.start]:02x}.",
            f"Encode the {text.name} as UTF-8.",
        )


def _json(given: str, text: _Text) -> Any:
    """A JSON value, read strictly: no repeated names, no NaN, no infinite numbers."""
    try:
        with nullcontext() if len(given) < _SMALL_BODY else _without_collection():
            value = _strict().decode(given)
        whole = not _SURROGATE.search(given) or _encodable(value)
    except json.JSONDecodeError as error:
        row = "" if text is _LINE else f"line {error.lineno}, "
        why = f"not JSON: {error.msg} at {row}column {error.colno}" if given.strip() else "empty"
        _refuse("invalid-json", f"The {text.name} is {why}.", text.fix)
    except RecursionError:
        _refuse(
            "invalid-json", f"The {text.name} is nested too deeply.", "Send a plain JSON object."
        )
    except ValueError:
        _refuse(
            "invalid-json",
            f"An integer in the {text.name} is too large: it has more than {_MOST_DIGITS} digits.",
            "Send a smaller one; an offset of so many digits goes as a string.",
        )
    if not whole:
        _refuse(
            "invalid-json",
            "A string holds half of a surrogate pair.",
            "Send whole characters.",
        )
    return value


@cache
def _strict() -> json.JSONDecoder:
    """What reads JSON; made once, as it takes longer than what it reads of a board."""
    return json.JSONDecoder(
        object_pairs_hook=_without_repeats, parse_constant=_refuse_constant, parse_float=_finite
    )


def _named(value: Any, text: _Text) -> dict[str, Any]:
    """A JSON value that is an object."""
    if not isinstance(value, dict):
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "not-an-object",
            f"The {text.name} is JSON, but not an object.",
            text.fix,
            pointer="",
        )
    return value


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the collector: of millions of lists in a body none is garbage, and it looks at all."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _encodable(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Looked at before anything is made of them: a body may hold millions.
    if len(pairs) > _MOST_NAMES:
        _refuse(
            "too-many-names",
            f"An object has {len(pairs)} names.",
            "Send the board and its options only.",
        )
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            _refuse("repeated-name", f"The name {name!a} stands twice.", "Keep one of the two.")
        found[name] = value
    return found


def _refuse_constant(constant: str) -> NoReturn:
    _refuse("invalid-json", f"{constant} is not a JSON number.", "Send a finite number or null.")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        _refuse("invalid-json", f"The number {digits[:40]} is too large.", "Send a smaller number.")
    # An exponent of twenty digits is past the bounds of decimals.
    with suppress(InvalidOperation):
        if Decimal(repr(number)) == Decimal(digits):
            return number
    return Written(digits)


def queried(*known: str) -> Any:
    """For a route that is read: its query may have these names, each once, and no others."""

    async def check(request: Request) -> None:
        for name, _ in _parameters(request):
            if name not in known:
                raise problems.of_name(name, known)

    return Depends(check)


def _parameters(request: Request) -> list[tuple[str, str]]:
    """The names and values in the query, each name once."""
    items = request.query_params.multi_items()
    for name, times in Counter(name for name, _ in items).items():
        if times > 1:
            detail = f"The parameter {name[:80]!a} stands twice."
            _refuse("repeated-name", detail, "Keep one of the two.")
    return items


def _from_query(request: Request) -> dict[str, Any]:
    """The options beside a plain board."""
    fields: dict[str, Any] = {}
    for name, value in _parameters(request):
        fields[name] = value
        # What is no number stays as it is, for the validation to refuse.
        if name in _NUMBERS and re.fullmatch(r"-?[0-9]+", value):
            if len(value.lstrip("-")) <= _MOST_DIGITS:
                fields[name] = int(value)
            elif name != "offset":
                problems.refuse(
                    "bad-value",
                    f"{name}: a number of {len(value.lstrip('-'))} digits is too large.",
                    "Send a smaller one.",
                    f"/{name}",
                )
        elif name in _TRUTHS and value in ("true", "false"):
            fields[name] = value == "true"
    if "board" in fields:
        _refuse(
            "repeated-name",
            "The board stands in the body and in the query.",
            "Leave it out of the query.",
        )
    return fields


def _validated(model: type[Asking], fields: dict[str, Any]) -> Asking:
    """What is asked, from its fields; raises ProblemError for the first that is wrong."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
    # What follows a field's name in a location is pydantic's, but for the parts of a window.
    places = [str(place) for place in first["loc"][: 2 if first["loc"][:1] == ("window",) else 1]]
    field = ".".join(places)
    known = (AskWindow if len(places) == 2 else model).model_fields
    shown = field[:80]
    if first["type"] == "extra_forbidden":
        raise problems.of_name(field, known, *places)
    if first["type"] == "missing":
        code, detail = "missing-field", f"The field {shown} is missing."
        fix = f"Add {shown}."
    else:
        code, detail = "bad-value", f"{shown}: {first['msg'].removeprefix('Value error, ')}."
        choices = ", ".join(_choices(model).get(field, ()))
        said = f"Use one of: {choices}." if choices else f"{known[places[-1]].description}."
        fix = _WINDOW if field == "window" else said
    raise ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        code,
        detail,
        fix,
        pointer=problems.pointer(*places),
    )


@cache
def _choices(model: type[BaseModel]) -> dict[str, list[str]]:
    """The values that fields may have which have but some, by name."""
    fields = model.model_json_schema()["properties"]
    ways = {name: [field, *field.get("anyOf", ())] for name, field in fields.items()}
    found = {name: [way.get("enum", ()) for way in several] for name, several in ways.items()}
    return {name: [one for few in enums for one in few if one] for name, enums in found.items()}


def _refuse(code: str, detail: str, fix: str) -> NoReturn:
    """Refuse a body that cannot be read."""
    raise ProblemError(HTTPStatus.BAD_REQUEST, code, detail, fix)
