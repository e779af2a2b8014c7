"""Some names of fields pass through a batch, and others are rejected."""

import jiter
import pytest

from minecheck.app.batch.passed_fields import is_passed, split_fields
from minecheck.app.problems import ProblemError
from tests.app.jobs import QUESTIONS_BY_NAME

CHECK = QUESTIONS_BY_NAME["check"]


@pytest.mark.parametrize(
    "name",
    [
        *("id", "tags", "notes", "player", "index", "board_id", "game_id", "_mine", "_x", "source"),
        *("author", "date", "name", "meta", "url", "difficulty_rating", "seed", "width", "elo"),
    ],
)
def test_names_of_data_pass_through_batch(name: str) -> None:
    assert is_passed(CHECK, name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *[("mine", "mines"), ("minse", "mines"), ("Mines", "mines"), ("total_mines", "mines")],
        *[("bord", "board"), ("grid", "board"), ("solver", "backend"), ("bakend", "backend")],
        *[("notaton", "notation"), ("timeout", "deadline_ms"), ("deadline", "deadline_ms")],
        *[("neighbors", "neighbours"), ("legend", "symbols"), ("flag", "flags"), ("lie", "lies")],
    ],
)
def test_misspelt_options_are_rejected_with_right_name(name: str, meant: str) -> None:
    with pytest.raises(ProblemError) as caught:
        is_passed(CHECK, name)
    document = caught.value.document
    assert document["fix"].startswith(f"Did you mean {meant}?")
    assert document["pointer"] == f"/{name}"
    # The name that the fix offers is accepted.
    assert f'call it "_{name}"' in document["fix"]
    assert is_passed(CHECK, f"_{name}")


@pytest.mark.parametrize("name", ["consistent", "witness", "rows", "title", "line", "answer"])
def test_fields_of_answers_do_not_pass_through_batch(name: str) -> None:
    with pytest.raises(ProblemError, match="field of answers"):
        is_passed(CHECK, name)


def test_options_of_other_questions_do_not_pass_through_batch() -> None:
    with pytest.raises(ProblemError, match=r"an option of count, analyze.*, not of check"):
        is_passed(CHECK, "density")
    assert not is_passed(QUESTIONS_BY_NAME["count"], "density")


def test_split_fields_passes_valid_names_beside_rejected_name() -> None:
    found = split_fields(CHECK, {"board": "?", "id": 7, "mine": 3})
    assert (found.own, found.passed.text) == ({"board": "?"}, b',"id":7')
    assert found.problem is not None


def test_task_of_a_line_is_that_of_its_batch() -> None:
    assert split_fields(CHECK, {"board": "?", "task": "check"}).problem is None
    problem = split_fields(CHECK, {"board": "?", "task": "count"}).problem
    assert problem is not None
    assert "asks for" in problem.document["detail"]


def test_passed_numbers_keep_all_their_digits() -> None:
    numbers = b"0.1000000000000000055511151231257827,12345678901234567890123,1e400"
    text = b'{"id":{"a":[%b,null,"\xc3\xa9"]}}' % numbers
    fields = jiter.from_json(text, float_mode="lossless-float")
    assert b"{" + split_fields(CHECK, fields).passed.text[1:] + b"}" == text
