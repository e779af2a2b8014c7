"""From the bytes of responses to answers, wherever the bytes come from."""

import json
from typing import Any, Final

import httpx

from minecheck_client.answers import Clues, Layout
from minecheck_client.numbers import integer
from minecheck_client.problem import Incomplete, Problem

#: Fields of answers that are integers, written as digits.
_COUNTS: Final = ("count", "offset", "next_offset", "rank", "seed", "accepted", "rejected")
#: Of what is not a problem document, so many characters are shown.
_EXCERPT: Final = 200


def answer(body: bytes) -> Any:
    """An answer, its counts and its seed as integers."""
    document = json.loads(body)
    if not isinstance(document, dict):
        return document
    for name in _COUNTS:
        if isinstance(document.get(name), str):
            document[name] = integer(document[name])
    if (by_mines := document.get("by_mines")) is not None:
        document["by_mines"] = {int(mines): integer(count) for mines, count in by_mines.items()}
    if (approximate := document.get("approximate")) is not None:
        approximate["count"] = integer(approximate["count"])
    for path in document.get("paths") or ():
        if isinstance(path["layouts"], str):
            path["layouts"] = integer(path["layouts"])
    return document


def layout(line: bytes) -> Layout:
    """A line of a stream of layouts.

    Raises:
        Incomplete: it is the last line of a stream that was cut short.
    """
    document: Any = json.loads(line)
    if "complete" in document:
        raise Incomplete(integer(document["next_offset"]), document["consistent"])
    drawn: Layout = document
    return drawn


class Conflicts:
    """The lines of a stream of conflicts."""

    def __init__(self) -> None:
        self._read = 0
        self._last: Any = {"complete": False, "consistent": None}

    def read(self, lines: list[bytes]) -> list[Clues]:
        """The conflicts in some more lines."""
        found = []
        for line in lines:
            document: Any = json.loads(line)
            if "complete" in document:
                self._last = document
            else:
                found.append(document)
        self._read += len(found)
        return found

    def end(self) -> None:
        """There are no more lines.

        Raises:
            Incomplete: there should be, or the last one says that time was up.
        """
        if not self._last["complete"]:
            raise Incomplete(self._read, False if self._read else self._last["consistent"])


def problem(response: httpx.Response) -> Problem:
    """What a response, read to its end, says is wrong, whoever wrote it."""
    wait = response.headers.get("retry-after", "")
    retry_after = float(wait) if wait.isascii() and wait.isdigit() else None
    document = {"title": response.reason_phrase}
    if response.headers.get("content-type", "").startswith("application/problem+json"):
        document |= json.loads(response.content)
    else:
        document["detail"] = response.text[:_EXCERPT]
    request_id = response.headers.get("x-request-id")
    return Problem(document | {"status": response.status_code}, retry_after, request_id)


class LineSplitter:
    """Bytes, as they come, cut at line feeds alone: strings in JSON may hold other breaks."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def more(self, piece: bytes) -> list[bytes]:
        """The lines that these bytes end."""
        first, *others = piece.split(b"\n")
        self._rest += first
        if not others:
            return []
        whole = [bytes(self._rest), *others[:-1]]
        self._rest = bytearray(others[-1])
        return whole
