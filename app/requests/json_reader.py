"""JSON as requests have it, read strictly and exactly, in one place.

No name twice, no NaN, integers of up to 4300 digits, and numbers with a point or an exponent as
they were written (`jiter.LosslessFloat`), since no float equals 0.1.
"""

import gc
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn

import jiter

from minecheck.app.problems import ProblemError, reject_field
from minecheck.app.quoting import quote_text
from minecheck.minefield.numerals import MOST_DIGITS

#: The garbage collector is paused for longer texts, which may hold many lists.
_MANY_BYTES: Final = 64 * 1024
_MOST_NAMES: Final = 100
#: Text that may have numbers such as 1.0 or 1e2, which are whole.
_WHOLE: Final = re.compile(rb"[0-9](?:\.0|[eE])")
_WHOLE_NUMBER: Final = re.compile(r"(-?[0-9]{1,15})(?:\.0+)?(?:[eE]\+?0*([0-9]{1,2}))?")
#: JSON without the quotation marks that a shell has removed.
_UNQUOTED: Final = re.compile(rb"\s*(?:'|\{\s*\\?\w+\\?\s*:|\{\s*\\\")")
_BOM: Final = b"\xef\xbb\xbf"


class Source(NamedTuple):
    """The name of a text that has to be JSON, and the fix if it is not."""

    name: str
    fix: str


BODY: Final = Source(
    "body",
    'Send an object such as {"board": ["1?", "??"]}, or the bare board with '
    "Content-Type: text/plain.",
)
FILE: Final = Source(
    "body",
    "Send a JSON object with the fields that /docs names, or the file itself with Content-Type: "
    "text/plain or application/octet-stream.",
)
OPTIONS: Final = Source("body", "Send a JSON object with the fields that /docs names.")
LINE: Final = Source(
    "line",
    'Send an object with a board, such as {"board": ["1?", "??"]}, or the rows as one string, '
    'such as "1?\\n??".',
)
#: The source of a task that has no board.
FIELDS_LINE: Final = Source("line", "Send an object with the fields that /docs names.")


def read_json(content: bytes, kind: Source) -> Any:
    """Read the value that a text stands for.

    Args:
        content: the text, in UTF-8.
        kind: what it is, for messages.

    Raises:
        ProblemError: it is not JSON, or has a name twice.
    """
    try:
        if len(content) < _MANY_BYTES:
            return _read_exactly(content)
        with _without_collection():
            return _read_exactly(content)
    except ValueError as error:
        _reject_json(content, kind, str(error))


def _read_exactly(content: bytes) -> Any:
    value = _read(content.removeprefix(_BOM))
    return with_whole_numbers(value) if _WHOLE.search(content) else value


def with_whole_numbers(value: Any) -> Any:
    """Return a JSON value with an int for each number that is whole, however it is written: 1.0.

    Args:
        value: the value, from any reader of JSON.
    """
    if isinstance(value, dict):
        return {name: with_whole_numbers(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [with_whole_numbers(entry) for entry in value]
    if isinstance(value, jiter.LosslessFloat) and (whole := _WHOLE_NUMBER.fullmatch(str(value))):
        return int(whole[1]) * 10 ** int(whole[2] or 0)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def read_object(value: Any, kind: Source) -> dict[str, Any]:
    """Return a JSON value that must be an object.

    Args:
        value: the value.
        kind: what it is, for messages.

    Raises:
        ProblemError: it is not.
    """
    if not isinstance(value, dict):
        detail = f"The {kind.name} is valid JSON, but not an object."
        reject_field("not-an-object", detail, kind.fix, "")
    # Looked at before anything is made of them: a body may hold millions.
    if len(value) > _MOST_NAMES:
        reject_request(
            "too-many-names",
            f"The object has {len(value)} names; at most {_MOST_NAMES} are read.",
            "Send only the fields that /docs lists.",
        )
    return value


def decode_utf8(content: bytes, kind: Source) -> str:
    """Decode a text in UTF-8.

    Args:
        content: its bytes.
        kind: what it is, for messages.

    Raises:
        ProblemError: it is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reject_request(
            "invalid-utf-8",
            f"The {kind.name} is not UTF-8: byte {error.start} is 0x{content[error.start]:02x}.",
            f"Encode the {kind.name} as UTF-8.",
        )


def reject_request(code: str, detail: str, fix: str) -> NoReturn:
    """Reject a request that cannot be read.

    Args:
        code: the code of the type of problem.
        detail: what is wrong.
        fix: what to do.

    Raises:
        ProblemError: always, 400.
    """
    raise ProblemError(HTTPStatus.BAD_REQUEST, code, detail, fix)


#: Messages of the parser that say too little, and what they mean.
_FAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "expected value": "a value is missing",
        "expected ident": "a value is neither in quotation marks nor true, false, null or a number",
        "key must be a string": "a name is not in double quotation marks",
        "trailing characters": "something follows the value",
        "trailing comma": "there is a comma before the closing bracket",
        "invalid escape": "a string has an escape that JSON does not have",
        "unexpected end of hex escape": "a string has half of a surrogate pair",
    }
)
_read: Final = partial(
    jiter.from_json,
    allow_inf_nan=False,
    cache_mode="none",
    catch_duplicate_keys=True,
    float_mode="lossless-float",
)


def _explain_fault(message: str) -> str:
    """Say in plain words what the parser says is wrong."""
    if message.startswith("EOF while parsing"):
        unfinished = message.removeprefix("EOF while parsing ")
        return (
            "it ends before a value is complete"
            if unfinished == "a value"
            else f"it ends inside {unfinished}"
        )
    if message.startswith("control character"):
        return "a string has a control character that is not escaped"
    return _FAULTS.get(message, message)


def _reject_json(content: bytes, kind: Source, why: str) -> NoReturn:
    """Say why a text is not JSON, from what the parser says."""
    decode_utf8(content, kind)
    message, _, location = why.rpartition(" at line ")
    row, _, column = location.partition(" column ")
    if message.startswith("Detected duplicate key"):
        name = message.partition(" key ")[2].strip('"')
        reject_request(
            "repeated-name",
            f"The name {quote_text(name)} appears twice in one object.",
            "Send each name once.",
        )
    if message.startswith("recursion limit"):
        detail, fix = "nested too deeply", kind.fix
    elif message.startswith("number out of range"):
        detail = f"not readable: it has an integer of more than {MOST_DIGITS} digits"
        fix = "Send a smaller number. Only offset takes more digits, as a string."
    elif _UNQUOTED.match(content):
        detail = "not JSON: quotation marks are missing or escaped, as if a shell had removed them"
        fix = "Write the JSON to a file, and send that: curl --json @FILE works in every shell."
    elif not content.strip():
        detail, fix = "empty", kind.fix
    else:
        where = f"column {column}" if kind.name == LINE.name else f"line {row}, column {column}"
        detail, fix = f"not JSON: {_explain_fault(message)} at {where}", kind.fix
    reject_request("invalid-json", f"The {kind.name} is {detail}.", fix)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the collector: of millions of lists in a body none is garbage, and it looks at all."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
