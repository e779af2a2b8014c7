"""The query of a request."""

import re
from collections import Counter
from typing import Any, Final

from fastapi import Depends, Request
from pydantic import BaseModel

from minecheck.app import problems
from minecheck.app.questions.fields import list_alternatives
from minecheck.app.quoting import quote_text
from minecheck.app.requests.json_reader import reject_request
from minecheck.minefield.numerals import MOST_DIGITS

#: The words that FastAPI takes for true and for false, in any letter case.
_TRUE: Final = frozenset({"true", "t", "1", "on", "yes", "y"})
_FALSE: Final = frozenset({"false", "f", "0", "off", "no", "n"})


def read_query(request: Request, model: type[BaseModel]) -> dict[str, Any]:
    """Return the options in the query of a plain board.

    Args:
        request: the request.
        model: the fields that it may have, which say what are numbers, and true and false.

    Raises:
        ProblemError: a name appears twice, or is that of the board or the file.
    """
    fields: dict[str, Any] = {}
    for name, value in _list_parameters(request):
        fields[name] = value
        types = [way["type"] for way in list_alternatives(model).get(name, ())]
        # Values that are not numbers stay unchanged, for the validation to reject.
        if "integer" in types and re.fullmatch(r"-?[0-9]+", value):
            if len(value.lstrip("-")) <= MOST_DIGITS:
                fields[name] = int(value)
            elif name != "offset":
                problems.reject_field(
                    "bad-value",
                    f"{name}: a number with {len(value.lstrip('-'))} digits is too large.",
                    "Send a smaller number.",
                    f"/{name}",
                )
        elif "boolean" in types and (truth := parse_truth(value)) is not None:
            fields[name] = truth
    for name in fields.keys() & {"board", "file"}:
        reject_request(
            "repeated-name",
            f"The {name} is both in the body and in the query.",
            f"Leave {name} out of the query.",
        )
    return fields


def parse_truth(value: str) -> bool | None:
    """Return the truth value that a word in a query stands for, or None."""
    word = value.lower()
    return True if word in _TRUE else False if word in _FALSE else None


def allow_query_names(*allowed: str) -> Any:
    """Return a dependency for a route without a body, whose query may have only these names.

    Each may be there once.
    """

    async def check_names(request: Request) -> None:
        read_parameters(request, *allowed)

    return Depends(check_names)


def read_parameters(request: Request, *allowed: str) -> dict[str, str]:
    """Return the parameters of a query that may have these names, each once, and no others.

    Raises:
        ProblemError: it has another one, or a name twice.
    """
    parameters = dict(_list_parameters(request))
    for name in parameters:
        if name not in allowed:
            raise problems.make_name_problem(name, allowed)
    return parameters


def _list_parameters(request: Request) -> list[tuple[str, str]]:
    """List the names and values in the query, each name once."""
    items = request.query_params.multi_items()
    for name, times in Counter(name for name, _ in items).items():
        if times > 1:
            detail = f"The query has the parameter {quote_text(name)} {times} times."
            reject_request("repeated-name", detail, "Send each parameter once.")
    return items
