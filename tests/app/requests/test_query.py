"""A plain board has its options in the query."""

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from minecheck.app.requests import query
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem

WORDS = ["true", "false", "1", "0", "on", "off", "yes", "no", "t", "f", "y", "n", "TRUE", "Off"]


@pytest.mark.parametrize("word", WORDS)
def test_parse_truth_reads_words_that_fastapi_reads(word: str) -> None:
    assert query.parse_truth(word) is TypeAdapter(bool).validate_python(word)


@pytest.mark.parametrize("word", ["", "2", "maybe", "truth", "null", "00"])
def test_parse_truth_rejects_other_words(word: str) -> None:
    assert query.parse_truth(word) is None


@pytest.mark.parametrize("word", WORDS)
def test_boolean_option_in_query_accepts_each_word(client: TestClient, word: str) -> None:
    answer = client.post(f"/v1/count?certificate={word}", content="?1?", headers=TEXT)
    assert ("certificate" in answer.json()) is query.parse_truth(word)


def test_boolean_option_in_query_rejects_other_word(client: TestClient) -> None:
    answer = client.post("/v1/count?certificate=maybe", content="?1?", headers=TEXT)
    assert_problem(answer, 422, "bad-value", "/certificate")
