"""One board of a batch: its bytes, and where they are from."""

from collections.abc import Iterable
from itertools import repeat
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import orjson

from minecheck.app.problems import ProblemError

#: The content of a line: JSON as a request has it; the JSON of a row of a table, whose board may be
#: any text; a board as text; or a problem that the file itself has there.
LineKind: TypeAlias = Literal["json", "row", "text", "problem"]

#: A problem begins with its type.
PROBLEM: Final = b'{"type":'


class BatchLine(NamedTuple):
    """A board, or a whole request, as it came.

    ``line`` is the number, from 0, of the line or the row of the ``file`` where it begins; without
    a file, of the stream. The ``kind`` is a string, which costs little on its way to a worker.
    """

    content: bytes
    line: int
    file: str | None = None
    kind: LineKind = "json"

    @property
    def origin(self) -> dict[str, Any]:
        """The fields of an answer that say where the board is from.

        Answers to a stream of JSON have none: the n-th answer is that to the n-th line.
        """
        if self.file is not None:
            return {"file": self.file, "line": self.line}
        return {} if self.kind == "json" else {"line": self.line}

    @classmethod
    def list_lines(
        cls,
        contents: Iterable[bytes],
        numbers: Iterable[int],
        files: Iterable[str | None],
        kinds: Iterable[LineKind] = repeat("json"),
    ) -> "list[BatchLine]":
        """Return as many lines as there are contents; one by one they take twice the time."""
        fields = zip(contents, numbers, files, kinds, strict=False)
        return list(map(tuple.__new__, repeat(cls), fields))

    @classmethod
    def from_problem(cls, error: ProblemError, line: int, file: str | None) -> "BatchLine":
        """Return a line that is answered with a problem, whatever the question."""
        return cls(orjson.dumps(error.document), line, file, "problem")


class Passed(NamedTuple):
    """Fields of a line that its answer repeats, as JSON: `,"id":7`, and the names of them."""

    text: bytes = b""
    names: frozenset[str] = frozenset()


NOTHING_PASSED: Final = Passed()


def finish_answer(body: bytes, line: BatchLine, passed: Passed) -> bytes:
    """Return an answer as the line of an output, with its origin and the fields passed through.

    They come last: the first field tells problems from answers.
    """
    origin = {name: value for name, value in line.origin.items() if name not in passed.names}
    return body[:-1] + _render_further(origin) + passed.text + b"}\n"


def render_problem(
    document: dict[str, Any], line: BatchLine, passed: Passed = NOTHING_PASSED
) -> bytes:
    """Return the document of a problem as the answer to a line, whose number it always has."""
    origin = {"line": line.line, **line.origin}
    origin = {name: value for name, value in origin.items() if name not in passed.names}
    return orjson.dumps(document)[:-1] + _render_further(origin) + passed.text + b"}\n"


def _render_further(fields: dict[str, Any]) -> bytes:
    """Return fields as they stand behind others in a JSON object."""
    return b"," + orjson.dumps(fields)[1:-1] if fields else b""
