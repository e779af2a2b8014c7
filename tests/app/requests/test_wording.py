"""Errors are explained in plain words, with the value as JSON has it."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from minecheck.app.functions.boards import AskGame
from minecheck.app.problems import ProblemError, make_question_problem
from minecheck.app.questions.fields import AskCell, Density, Offset
from minecheck.app.requests.jobs import validate_fields
from minecheck.app.requests.json_reader import BODY, read_json
from minecheck.app.requests.wording import describe_error
from minecheck.solvers import QuestionError


class WordingRequest(BaseModel):
    """Some fields that are hard to get right."""

    density: Density = None
    offset: Offset = 0
    cell: AskCell = [0, 0]


def describe_fault(**fields: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        WordingRequest.model_validate(fields)
    return describe_error(caught.value.errors(include_url=False)[0])


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


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('["1?"', "it ends inside a list"),
        ('{"board":', "it ends before a value is complete"),
        ("not json", "a value is neither in quotation marks nor true, false, null or a number"),
        ('{"board": NaN}', "a value is missing"),
        ("[1,]", "there is a comma before the closing bracket"),
        ("[] x", "something follows the value"),
        ('["\\x"]', "a string has an escape that JSON does not have"),
        ('["\x01"]', "a string has a control character that is not escaped"),
    ],
)
def test_invalid_json_is_explained_in_plain_words(text: str, fault: str) -> None:
    with pytest.raises(ProblemError) as caught:
        read_json(text.encode(), BODY)
    assert caught.value.document["detail"].startswith(f"The body is not JSON: {fault} at line 1")


def test_field_beside_its_other_name_is_rejected_for_meaning_the_same() -> None:
    fields = {"rows": 8, "height": 9, "cols": 9, "mines": 10}
    with pytest.raises(ProblemError) as caught:
        validate_fields(AskGame, fields)
    document = caught.value.document
    assert document["detail"] == "The request has both rows and height, which mean the same."
    assert (document["pointer"], document["fix"]) == ("/height", "Leave out height.")
    del fields["height"]
    assert validate_fields(AskGame, fields).rows == 8


def test_total_of_mines_that_is_required_has_a_fix_with_its_range() -> None:
    game = AskGame(rows=8, cols=9, mines=73)
    problem = make_question_problem(QuestionError("mines", "Too many.", fix="Send 0 to 72."), game)
    assert problem.document["fix"] == "Send 0 to 72."
    problem = make_question_problem(QuestionError("mines", "Too many."), game)
    assert problem.document["fix"] == "Change mines."
    problem = make_question_problem(QuestionError("seed", "Too large."), game)
    assert problem.document["fix"] == "Change seed, or leave it out."
