"""The query of a request."""

import re
from collections import Counter
from typing import Any, Final

from fastapi import Depends, Request

from app import problems
from app.requests.json_reader import MOST_DIGITS, unreadable

#: Fields that are read as numbers, or as true and false; all others stay texts.
_NUMBERS: Final = frozenset(
    {"mines", "deadline_ms", "limit", "reveals", "offset", "seed", "total_cells"}
    | {"layers", "mines_per_cell", "lies", "most_lies", "rows", "cols", "height", "width"}
)
_TRUTHS: Final = frozenset({"by_mines", "certificate", "fractions", "picture", "safe"})


def fields(request: Request) -> dict[str, Any]:
    """The options beside a plain board.

    Raises:
        ProblemError: a name appears twice, or is that of the board.
    """
    found: dict[str, Any] = {}
    for name, value in _parameters(request):
        found[name] = value
        # What is no number stays as it is, for the validation to refuse.
        if name in _NUMBERS and re.fullmatch(r"-?[0-9]+", value):
            if len(value.lstrip("-")) <= MOST_DIGITS:
                found[name] = int(value)
            elif name != "offset":
                problems.refuse(
                    "bad-value",
                    f"{name}: a number of {len(value.lstrip('-'))} digits is too large.",
                    "Send a smaller one.",
                    f"/{name}",
                )
        elif name in _TRUTHS and value in ("true", "false"):
            found[name] = value == "true"
    for name in found.keys() & {"board", "file"}:
        unreadable(
            "repeated-name",
            f"The {name} is both in the body and in the query.",
            "Leave it out of the query.",
        )
    return found


def only(*known: str) -> Any:
    """For a route without a body: its query may have these names, each once, and no others."""

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
            detail = f"The parameter {name[:80]!a} appears twice."
            unreadable("repeated-name", detail, "Keep one of the two.")
    return items
