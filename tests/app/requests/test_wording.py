"""Errors of values are said in plain words, with the value as JSON has it."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from minecheck.app.questions.fields import AskPlace, Density, Offset
from minecheck.app.requests.wording import in_words


class Asked(BaseModel):
    """Some fields that are hard to get right."""

    density: Density = None
    offset: Offset = 0
    cell: AskPlace = [0, 0]


def describe_fault(**fields: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        Asked.model_validate(fields)
    return in_words(caught.value.errors(include_url=False)[0])


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"density": 1.5}, "1.5 is not a valid density"),
        ({"density": "a/b"}, '"a/b" is not a valid density'),
        ({"density": [1]}, "[1] is not a valid density"),
        ({"cell": [0]}, "[0] is not a cell"),
        ({"cell": {"row": 0, "col": 1}}, '{"row": 0, "col": 1} is not a cell'),
        ({"cell": "💣"}, '"💣" is not a cell'),
        ({"cell": list(range(99))}, "the list is not a cell"),
        ({"offset": -1}, "-1 is not a whole number that is 0 or more"),
    ],
)
def test_describe_error_names_the_value_and_what_it_is_not(
    fields: dict[str, Any], text: str
) -> None:
    assert describe_fault(**fields) == text
