"""What is raised in place of an answer; what `httpx` raises is not wrapped."""

from collections.abc import Mapping
from typing import Any, Final

#: The type of what the status alone tells (RFC 9457).
_BLANK: Final = "about:blank"


class Problem(Exception):
    """The service has no answer and says why (application/problem+json).

    Attributes:
        status: the HTTP status.
        type: the URI of the problem, such as urn:minecheck:problem:unknown-symbol.
        code: its last part, such as unknown-symbol; of a proxy, such as bad-gateway.
        detail: what is wrong.
        fix: how to fix it; empty where a proxy answered, not the service.
        pointer: the JSON pointer to the value at fault, if any.
        row, col: the cell at fault, if any.
        line: the number from 0 of the board in a batch, else None.
        retry_after: seconds after which it may be asked again, if the service says so.
        request_id: the id by which the logs of the service know the request.
        document: all that the service said.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(document, retry_after, request_id)
        self.document = dict(document)
        self.status: int = document.get("status", 0)
        self.type: str = document.get("type", _BLANK)
        name = document.get("title", "") if self.type == _BLANK else self.type.rpartition(":")[2]
        self.code: str = name.lower().replace(" ", "-")
        self.detail: str = document.get("detail", "")
        self.fix: str = document.get("fix", "")
        self.pointer: str | None = document.get("pointer")
        self.row: int | None = document.get("row")
        self.col: int | None = document.get("col")
        self.line: int | None = document.get("line")
        self.retry_after = retry_after
        self.request_id = request_id

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.detail} {self.fix}".strip()


class Incomplete(Exception):
    """A stream ended before all was said; what came before holds.

    Attributes:
        next_offset: how far it came: the offset of the next layout, how many conflicts there
            were, or how many boards of a batch have an answer.
        consistent: whether any layout fits, if that is known.
    """

    def __init__(self, next_offset: int, consistent: bool | None = None) -> None:
        super().__init__(next_offset, consistent)
        self.next_offset = next_offset
        self.consistent = consistent

    def __str__(self) -> str:
        return "The stream ended early: next_offset says how far it came."
