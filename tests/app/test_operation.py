"""An operation in the registry is available in every interface."""

import json
import sys
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from runpy import run_path
from types import ModuleType
from typing import Annotated, Any, ClassVar

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict, Field
from typer.testing import CliRunner

from clients.generate import python
from clients.generate.document import types
from minecheck.app import catalogue, functions, questions
from minecheck.app.batch import journal
from minecheck.app.batch.columns import find_types
from minecheck.app.catalogue import OPERATIONS, QUESTIONS
from minecheck.app.cli.program import Program
from minecheck.app.cli.questions import make_question
from minecheck.app.execution.cache import Cache
from minecheck.app.limits import Limits
from minecheck.app.main import create_app
from minecheck.app.operation import FunctionOperation, Operation
from minecheck.app.questions import QuestionOperation
from minecheck.app.questions.fields import DeadlineMs
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.minefield import parse
from minecheck.solvers import Backend, Deadline
from minecheck.solvers.annotations import Ge, Le, Text, doc
from minecheck.solvers.answer import CountedAnswer
from minecheck.solvers.backend import list_backends
from minecheck.solvers.composer import Composer
from minecheck.solvers.question import BackendOption, QuestionToCount, Steps
from minecheck.solvers.tasks.task import Example, Task, make_example
from tests.app.cli.running import drop_source


def divide(composer: Composer[Any, Any]) -> None:
    answer = composer.answer
    answer.rest = None if answer.count is None else answer.count % composer.question.of


@dataclass(kw_only=True)
class ParityAnswer(CountedAnswer):
    """The number of layouts, and its remainder."""

    json_fields: ClassVar = ("count", "rest", "numbers")

    rest: Annotated[int | None, doc("What is left of the count")] = None
    numbers: Annotated[tuple[int, ...], Text("")] = (1, 2)


@dataclass(frozen=True)
class Parity(QuestionToCount):
    """A board whose number of layouts is odd or even."""

    task: ClassVar = "parity"
    engines_like: ClassVar = "count"
    answer_type: ClassVar = ParityAnswer
    steps: ClassVar = Steps((Composer.count_layouts, divide))

    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    of: Annotated[int, Ge(1), Le(9), doc("What the count is divided by")] = 2


PARITY = Task(
    question=Parity,
    summary="What is left when the number of layouts is divided?",
    examples={
        "board": make_example({"board": ["?1?"]}, "strip-1", count="2", rest=0, numbers=[1, 2])
    },
)


class AskLength(BaseModel):
    """A text."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    text: str = Field(description="What is measured")
    deadline_ms: DeadlineMs = None


class LengthAnswer(BaseModel):
    """The length of a text."""

    length: int


def make_input(request: AskLength, limits: Limits) -> str:
    return request.text


def measure(text: str, until: object) -> bytes:
    return b'{"length":%d}' % len(text)


LENGTH = FunctionOperation(
    name="length",
    path="/v1/length",
    tag="boards",
    summary="How long is a text?",
    request=AskLength,
    response=LengthAnswer,
    make_input=make_input,
    answer=measure,
    partial_answer=measure,
    examples={"text": Example({"text": "abc"}, {"length": 3})},
)


def register_operations() -> tuple[Operation, ...]:
    """Return all operations, with two new ones that have a module and a name in a list each."""
    modules = {"minecheck.solvers.tasks.parity": PARITY, "minecheck.app.functions.length": LENGTH}
    with pytest.MonkeyPatch.context() as patch:
        for name, operation in modules.items():
            module = ModuleType(name)
            setattr(module, name.rpartition(".")[2].upper(), operation)
            patch.setitem(sys.modules, name, module)
        patch.setattr(questions, "NAMES", (*questions.NAMES, "parity"))
        patch.setattr(functions, "NAMES", (*functions.NAMES, "length"))
        found: tuple[Operation, ...] = run_path(catalogue.__file__)["OPERATIONS"]
    return found


EVERY = register_operations()


@pytest.fixture(scope="module")
def client() -> Any:
    with TestClient(create_app(Settings(workers=1), EVERY)) as client:
        yield client


def test_new_operation_is_answered_over_http(client: TestClient) -> None:
    found = client.post("/v1/parity", json={"board": ["?1?"], "of": 3}).json()
    assert (found["count"], found["rest"], found["conflict"]) == ("2", 2, None)
    # A request with another option is another question, in the cache, too.
    assert client.post("/v1/parity", json={"board": ["?1?"]}).json()["rest"] == 0
    assert "rest" not in client.post("/v1/count", json={"board": ["?1?"]}).json()
    plain = client.post("/v1/parity?mines=1", content="?1?", headers={"Content-Type": "text/plain"})
    assert plain.json()["rest"] == 0
    plain = client.post("/v1/parity?of=3", content="?1?", headers={"Content-Type": "text/plain"})
    assert plain.json()["rest"] == 2
    wrong = client.post("/v1/parity", json={"board": ["?1?"], "of": "two"})
    assert (wrong.status_code, wrong.json()["pointer"]) == (422, "/of")
    wrong = client.post("/v1/parity", json={"board": ["?1?"], "of": 10})
    assert (wrong.status_code, wrong.json()["fix"][:15]) == (422, "Send 9 or less.")


def test_new_question_is_answered_by_engines_of_the_task_that_it_names(client: TestClient) -> None:
    for backend in ("auto", "frontier", "automata", "sat", "cpsat", "exhaustive"):
        answer = client.post("/v1/parity", json={"board": ["?1?"], "backend": backend})
        assert answer.status_code == 200, backend
    torus = {"board": ["?1?", "???"], "topology": "torus", "backend": "sat"}
    assert client.post("/v1/parity", json=torus).json()["count"] == "5"
    lies = {"board": ["?1?"], "lies": 1}
    assert client.post("/v1/parity", json=lies).status_code == 200
    wrong = client.post("/v1/parity", json={"board": ["?1?"], "backend": "play"}).json()
    assert wrong["detail"] == "The backend play does not answer parity."
    assert "play" not in wrong["fix"]
    batch = client.post("/v1/batch?task=parity&backend=play", content='"?1?"').json()
    assert batch["detail"] == wrong["detail"]


def test_new_operation_is_in_openapi(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    operation = document["paths"]["/v1/parity"]["post"]
    assert (operation["operationId"], operation["summary"]) == ("parity", PARITY.summary)
    body = operation["requestBody"]["content"]["application/json"]
    options = body["schema"]["properties"]
    assert options["of"]["maximum"] == 9
    assert options["backend"]["enum"] == list(list_backends("count"))
    assert "ParityAnswer" in document["components"]["schemas"]
    batch = document["paths"]["/v1/batch"]["post"]
    task = next(one for one in batch["parameters"] if one["name"] == "task")
    assert "parity" in task["schema"]["enum"]


def test_new_operation_is_a_task_of_batches(client: TestClient) -> None:
    lines = '"?1?"\n{"board": ["?1?"], "of": 3}\n{"board": ["9"]}\n'
    headers = {"Content-Type": "application/x-ndjson"}
    answer = client.post("/v1/batch?task=parity", content=lines, headers=headers)
    answer_lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [one.get("rest") for one in answer_lines] == [0, 2, None]
    assert answer_lines[2]["type"].endswith("unknown-symbol")


def test_new_operation_is_a_command(tmp_path: Path) -> None:
    cli = Program()
    (operation,) = (one for one in EVERY if one.name == "parity")
    assert isinstance(operation, QuestionOperation)
    cli.command("parity")(make_question(operation))
    board = tmp_path / "board.txt"
    board.write_text("?1?\n", encoding="utf-8")
    found = CliRunner().invoke(cli, ["parity", str(board), "--of", "3"])
    assert found.exit_code == 0
    assert drop_source(found.stdout) == "consistent\n2 layouts in all\nrest: 2\n"
    found = CliRunner().invoke(cli, ["parity", str(board), "--of", "1"])
    assert drop_source(found.stdout) == "consistent\n2 layouts in all\nrest: 0\n"
    assert "--of" in CliRunner().invoke(cli, ["parity", "--help"]).stdout
    found = CliRunner().invoke(cli, ["parity", str(board), "--json"])
    assert json.loads(found.stdout)["rest"] == 0


def test_new_operation_needs_only_a_module_and_a_name() -> None:
    new = {one.name for one in EVERY} - {one.name for one in OPERATIONS}
    assert new == {"parity", "length"}


def test_new_function_is_a_route_a_task_of_batches_and_columns(client: TestClient) -> None:
    assert client.post("/v1/length", json={"text": "abc"}).json() == {"length": 3}
    assert client.post("/v1/length", json={"txt": "abc"}).json()["pointer"] == "/txt"
    lines = '{"text": "abcd"}\n{}\n'
    headers = {"Content-Type": "application/x-ndjson"}
    answer = client.post("/v1/batch?task=length", content=lines, headers=headers)
    answer_lines = [json.loads(line) for line in answer.text.splitlines()]
    assert (answer_lines[0], answer_lines[1]["pointer"]) == ({"length": 4}, "/text")
    paths = client.get("/openapi.json").json()["paths"]
    assert paths["/v1/length"]["post"]["operationId"] == "length"
    assert find_types(LENGTH, "text") == ["strings"]


@pytest.mark.slow
def test_batch_resumes_answers_of_new_operation_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "OPERATIONS", EVERY)
    cli = Program()
    boards, answers = tmp_path / "boards.ndjson", tmp_path / "answers.ndjson"
    boards.write_text('"?1?"\n"?1"\n', encoding="utf-8")
    command = ["batch", str(boards), "--task", "parity", "--output", str(answers)]
    assert CliRunner().invoke(cli, [*command, "--processes", "1"]).exit_code == 0
    whole = answers.read_text(encoding="utf-8")
    answers.write_text(whole.splitlines(keepends=True)[0], encoding="utf-8")
    assert CliRunner().invoke(cli, [*command, "--processes", "1", "--resume"]).exit_code == 0
    found = [json.loads(line)["rest"] for line in answers.read_text(encoding="utf-8").splitlines()]
    assert found == [0, 1]
    with pytest.raises(OSError, match="--task count"):
        journal.open_journal(answers, QUESTIONS[2], resume=True)


@pytest.mark.parametrize(
    "operation",
    [one for one in EVERY if one.batched and one.response is not None],
    ids=lambda one: one.name,
)
def test_answers_identify_their_operation(operation: Operation) -> None:
    shown = [one.answer for one in operation.examples.values() if one.answer is not None]
    assert shown
    for answer in shown:
        named = [one.name for one in EVERY if one.batched and one.is_answer(answer)]
        assert named == [operation.name]


def test_options_of_new_operation_are_columns_of_parquet() -> None:
    assert find_types(QuestionOperation.from_task(PARITY), "of") == ["integers"]
    assert find_types(OPERATIONS[0], "of") == []


def test_cache_key_depends_on_options_of_new_operation() -> None:
    def key(of: int) -> bytes:
        question = Parity(parse("?1?"), of=of)
        entry = Cache(1).find_entry(
            Job.from_input(QuestionOperation.from_task(PARITY), question, Deadline(), 60.0)
        )
        assert entry is not None
        return entry.key

    assert key(2) == key(2) != key(3)


def test_clients_have_types_of_new_operation(client: TestClient) -> None:
    known = types(client.get("/openapi.json").json())
    assert "class AskParity(" in python.options(known)
    assert "of:" in python.options(known)
    assert "class ParityAnswer(" in python.answers(known)
    assert "class AskLength(" in python.options(known)
    assert "class LengthAnswer(" in python.answers(known)
    assert known.batch["length"] == "LengthAnswer"


def test_names_of_operations_are_unique() -> None:
    assert len({one.name for one in OPERATIONS}) == len(OPERATIONS)
