"""A whole JSON document of boards: a list, an object with ``boards``, or one request.

Each board, or request, becomes a line of its own, as it is written there: what reads lines of JSON
also checks these. A document that is followed by others is read as lines (NDJSON).

Tested in tests/app/batch/test_json_documents.py.
"""

import json
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.json_lines import JsonLineParser
from minecheck.app.problems import ProblemError
from minecheck.app.requests.upload import make_too_large_problem

#: The field of a document whose value is all boards; its other fields hold for each of them.
_BOARDS: Final = "boards"
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


class JsonDocumentParser:
    """Makes a request of every item of a document; see `InputParser`.

    Args:
        most: the most bytes of the document.
        file: the name of the file, None for a stream.
        first: the number of the first item.
    """

    def __init__(self, most: int, file: str | None, first: int = 0) -> None:
        self._most = most
        self._file = file
        self._first = first
        self._text = bytearray()

    @property
    def buffered_bytes(self) -> int:
        """The bytes of the document, of which nothing is answered before it ends."""
        return len(self._text)

    def feed(self, data: bytes) -> Iterator[BatchLine]:
        """Take further bytes; a document has no boards before it ends.

        Raises:
            ProblemError: it is too large.
        """
        self._text += data
        if len(self._text) > self._most:
            raise make_too_large_problem(self._most)
        return iter(())

    def finish(self) -> Iterator[BatchLine]:
        """Yield the items of the document.

        Raises:
            ProblemError: it is not JSON.
        """
        content, self._text = bytes(self._text), bytearray()
        if not content.strip():
            return
        try:
            text = content.decode("utf-8-sig")
            start = _skip_space(text, 0)
            value, end = _DECODER.raw_decode(text, start)
            if _skip_space(text, end) < len(text):
                lines = JsonLineParser(self._most, self._file, self._first)
                yield from lines.feed(content)
                yield from lines.finish()
                return
            items = list(_split_document(text[start:end], value))
        except (ValueError, RecursionError) as error:
            raise ProblemError(
                HTTPStatus.BAD_REQUEST,
                "invalid-json",
                f"The document is not valid JSON: {error}.",
                'Send a list of boards, or an object with "boards"; or one request a line, as '
                "NDJSON.",
            ) from None
        for number, item in enumerate(items, self._first):
            yield BatchLine(item.encode(), number, self._file)


def _split_document(text: str, value: Any) -> Iterator[str]:
    """Yield the items of a document as they are written."""
    if isinstance(value, dict) and _BOARDS in value:
        fields = dict(_iterate_members(text))
        boards = fields.pop(_BOARDS)
        if not isinstance(value[_BOARDS], list):
            raise ValueError('"boards" is not a list')
        for item, written in _iterate_items(boards):
            yield _add_fields(item, written, fields)
    elif isinstance(value, list) and not _is_board(value):
        for _, written in _iterate_items(text):
            yield written
    else:
        yield text


def _is_board(items: list[Any]) -> bool:
    """Return True for the rows of one board: strings, or lists of cells, as in a line of JSON."""
    return all(
        (isinstance(row, str) and not {"\n", "/"} & set(row))
        or (isinstance(row, list) and all(_is_cell(cell) for cell in row))
        for row in items
    ) and bool(items)


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, int) or (isinstance(value, str) and len(value) < 2)


def _add_fields(item: Any, written: str, fields: Mapping[str, str]) -> str:
    """Return an item with the fields of its document, unless it has them itself."""
    if not fields:
        return written
    if not isinstance(item, dict):
        return _write_object({"board": written, **fields})
    added = {name: text for name, text in fields.items() if name not in item}
    return _write_object(dict(_iterate_members(written)) | added)


def _write_object(members: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in members.items()) + "}"


def _iterate_items(text: str) -> Iterator[tuple[Any, str]]:
    """Yield the items of a list that is valid JSON, each with its text."""
    start = _skip_space(text, 1)
    while text[start] != "]":
        value, end = _DECODER.raw_decode(text, start)
        yield value, text[start:end]
        start = _skip_separator(text, end)


def _iterate_members(text: str) -> Iterator[tuple[str, str]]:
    """Yield the members of an object that is valid JSON: names, and texts of values.

    Raises:
        ValueError: a name is there twice.
    """
    names: set[str] = set()
    position = _skip_space(text, 1)
    while text[position] != "}":
        name, end = _DECODER.raw_decode(text, position)
        if name in names:
            raise ValueError(f"{json.dumps(name)} is there twice")
        names.add(name)
        start = _skip_space(text, _skip_space(text, end) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield name, text[start:end]
        position = _skip_separator(text, end)


def _skip_space(text: str, start: int) -> int:
    space = _SPACE.match(text, start)
    assert space is not None, "it may be empty"
    return space.end()


def _skip_separator(text: str, start: int) -> int:
    """Return where the next part begins, or the bracket at the end is."""
    start = _skip_space(text, start)
    return _skip_space(text, start + 1) if text[start] == "," else start
