"""A question is one record: what is registered is there wherever people ask."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from app.answers import parts
from app.answers.cells import OnBoard
from app.batch import journal
from app.cli.main import commands
from app.main import create
from app.questions import Record
from app.questions.catalogue import QUESTIONS
from app.questions.fields import Ask
from app.questions.record import example
from app.questions.verdict import AnyAnswer, Count
from app.settings import Settings
from minefield import Puzzle
from solvers import Answer, Question, Task


class AskParity(Ask):
    """A board whose number of layouts is odd or even."""

    of: int = 2


class ParityAnswer(AnyAnswer):
    """The number of layouts, and what is left when it is divided."""

    count: Count | None
    rest: int | None


def question(ask: AskParity, board: Puzzle, settings: Settings, stream: bool) -> Question:
    # What is left depends on an option that the solvers know nothing of: so it goes into a field.
    return Question(Task.COUNT, board, ask.mines, backend=ask.backend, limit=ask.of)


def rest(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    return {"rest": None if answer.count is None else answer.count % question.limit}


PARITY = Record(
    name="parity",
    summary="What is left when the number of layouts is divided?",
    asked=AskParity,
    answered=ParityAnswer,
    question=question,
    parts=(parts.count, rest),
    examples={"board": example({"board": ["?1?"]}, "strip-1", count="2", rest=0)},
)
EVERY = (*QUESTIONS, PARITY)


@pytest.fixture(scope="module")
def client() -> Any:
    with TestClient(create(Settings(workers=1), EVERY)) as client:
        yield client


def test_it_is_answered_over_http(client: TestClient) -> None:
    found = client.post("/v1/parity", json={"board": ["?1?"], "of": 3}).json()
    assert (found["count"], found["rest"], found["conflict"]) == ("2", 2, None)
    # Another option is another question, in the cache, too.
    assert client.post("/v1/parity", json={"board": ["?1?"]}).json()["rest"] == 0
    assert "rest" not in client.post("/v1/count", json={"board": ["?1?"]}).json()
    plain = client.post("/v1/parity?mines=1", content="?1?", headers={"Content-Type": "text/plain"})
    assert plain.json()["rest"] == 0
    wrong = client.post("/v1/parity", json={"board": ["?1?"], "of": "two"})
    assert (wrong.status_code, wrong.json()["pointer"]) == (422, "/of")


def test_it_is_in_openapi(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    operation = document["paths"]["/v1/parity"]["post"]
    assert (operation["operationId"], operation["summary"]) == ("parity", PARITY.summary)
    body = operation["requestBody"]["content"]["application/json"]
    assert "of" in body["schema"]["properties"]
    assert "ParityAnswer" in document["components"]["schemas"]
    batch = document["paths"]["/v1/batch"]["post"]
    task = next(one for one in batch["parameters"] if one["name"] == "task")
    assert "parity" in task["schema"]["enum"]


def test_it_may_be_asked_of_a_batch(client: TestClient) -> None:
    lines = '"?1?"\n{"board": ["?1?"], "of": 3}\n{"board": ["9"]}\n'
    headers = {"Content-Type": "application/x-ndjson"}
    answer = client.post("/v1/batch?task=parity", content=lines, headers=headers)
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert [one.get("rest") for one in told] == [0, 2, None]
    assert told[2]["type"].endswith("unknown-symbol")


def test_it_is_a_command(tmp_path: Path) -> None:
    cli = commands(EVERY)
    board = tmp_path / "board.txt"
    board.write_text("?1?\n", encoding="utf-8")
    found = CliRunner().invoke(cli, ["parity", str(board), "--of", "3"])
    assert (found.exit_code, found.stdout) == (0, "consistent\n2 layouts in all\nrest: 2\n")
    found = CliRunner().invoke(cli, ["parity", str(board), "--json"])
    assert json.loads(found.stdout)["rest"] == 0


def test_its_answers_are_resumed_and_no_others(tmp_path: Path) -> None:
    cli = commands(EVERY)
    boards, answers = tmp_path / "boards.ndjson", tmp_path / "answers.ndjson"
    boards.write_text('"?1?"\n"?1"\n', encoding="utf-8")
    asked = ["batch", str(boards), "--task", "parity", "--output", str(answers)]
    assert CliRunner().invoke(cli, [*asked, "--processes", "1"]).exit_code == 0
    whole = answers.read_text(encoding="utf-8")
    answers.write_text(whole.splitlines(keepends=True)[0], encoding="utf-8")
    assert CliRunner().invoke(cli, [*asked, "--processes", "1", "--resume"]).exit_code == 0
    found = [json.loads(line)["rest"] for line in answers.read_text(encoding="utf-8").splitlines()]
    assert found == [0, 1]
    with pytest.raises(OSError, match="--task count"):
        journal.opened(answers, QUESTIONS[2], resume=True)


@pytest.mark.parametrize("record", EVERY, ids=lambda one: one.name)
def test_answers_tell_which_question_they_answer(record: Record) -> None:
    for shown in record.examples.values():
        assert [one.name for one in EVERY if one.answers(shown.answered)] == [record.name]


def test_names_are_unique() -> None:
    assert len({record.name for record in QUESTIONS}) == len(QUESTIONS)
