"""An unexpected exception costs the line that raises it, is logged once, and is counted."""

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from minecheck.app import catalogue
from minecheck.app.batch import files, lines
from minecheck.app.batch.engine import Engine
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.cli.ending import SOME_FAILED
from minecheck.app.cli.program import Program
from minecheck.app.main import create_app
from minecheck.app.problems import OutOfMemory
from minecheck.app.settings import Settings
from minecheck.app.telemetry.faults import Fault
from minecheck.solvers import FULL
from minecheck.solvers.positions import pipeline
from tests import faulty
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.app.telemetry.samples import read_sample as measured
from tests.batch_lines import number_lines
from tests.faulty import BATCHED, DEFECTS, READING, STUCK, WRITING
from tests.processes import ROOT

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pq = pytest.importorskip("pyarrow.parquet")

SETTINGS = Settings(workers=1, cache_mb=0)
INTERNAL = "urn:minecheck:problem:internal-error"
NDJSON = {"Content-Type": "application/x-ndjson"}
#: Questions that any backend answers: `sat` knows no bounds, so these lines take full effort.
BY_BACKEND = ("check", "layouts", "count", "forced", "analyze")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A service with defects planted in all its operations."""
    app = create_app(SETTINGS, faulty.OPERATIONS)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def batch_of(name: str) -> list[bytes]:
    """Return lines with each defect, for bounded and for full effort, between sound lines."""
    whole = faulty.request(name)
    broken = [faulty.request(name, defect) for defect in DEFECTS]
    if name in BY_BACKEND:
        broken += [{**one, "backend": "sat"} for one in broken]
    requests = [whole, *broken[:2], whole, *broken[2:], whole]
    return [json.dumps(one).encode() for one in requests]


def check_answers(text: bytes, name: str, first: int = 0) -> int:
    """Check that exactly the lines with a defect are internal errors, and return their number."""
    found = [json.loads(line) for line in text.splitlines()]
    broken = [b"deadline_ms" in line for line in batch_of(name)]
    assert [one.get("type") == INTERNAL for one in found] == broken
    assert [one["line"] for one in found if "type" in one] == [
        number for number, is_broken in enumerate(broken, first) if is_broken
    ]
    assert not any(
        "type" in one for one, is_broken in zip(found, broken, strict=True) if not is_broken
    )
    assert b"planted" not in text, "what went wrong is for the log"
    return sum(broken)


def tracebacks(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the logged errors, with their tracebacks."""
    records = [one for one in caplog.records if one.levelno >= logging.ERROR]
    return [logging.Formatter().format(one) for one in records]


def check_log(caplog: pytest.LogCaptureFixture, many: int) -> None:
    """Check that so many exceptions were logged, each with where it was raised."""
    logged = tracebacks(caplog)
    assert len(logged) == many
    assert all("in fail" in one and "planted" in one for one in logged)
    assert all(one.startswith("Unexpected exception in line ") for one in logged)


@pytest.mark.parametrize("name", BATCHED)
def test_batch_route_goes_on_after_each_defect(
    client: TestClient, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    before = measured(client, "minecheck_internal_errors_total", where="batch")
    body = b"\n".join(batch_of(name))
    answer = client.post(f"/v1/batch?task={name}&first=40", content=body, headers=NDJSON)
    assert answer.status_code == 200
    many = check_answers(answer.content, name, 40)
    check_log(caplog, many)
    after = measured(client, "minecheck_internal_errors_total", where="batch")
    assert before is not None
    assert after == before + many


@pytest.mark.parametrize("name", BATCHED)
def test_cluster_node_goes_on_after_each_defect(name: str) -> None:
    faults: list[Fault] = []
    template = LineTemplate(BATCHED[name], {}, SETTINGS)
    found = lines.answer_unbounded(template, number_lines(batch_of(name), 7), FULL, faults.append)
    many = check_answers(b"".join(found), name, 7)
    assert [fault.line for fault in faults] == [
        number for number, line in enumerate(batch_of(name), 7) if b"deadline_ms" in line
    ]
    assert len(faults) == many


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("name", ["analyze", "grade"])
def test_local_engine_goes_on_after_each_defect(
    caplog: pytest.LogCaptureFixture, name: str, processes: int
) -> None:
    # Several chunks.
    source = batch_of(name) * 5
    template = LineTemplate(BATCHED[name], {}, SETTINGS)
    found = list(files.answer_lines(template, number_lines(source), processes))
    text = b"".join(one.text for one in found).splitlines(keepends=True)
    per_batch = len(batch_of(name))
    many = sum(
        check_answers(b"".join(text[first : first + per_batch]), name, first)
        for first in range(0, len(source), per_batch)
    )
    check_log(caplog, many)
    assert sum(one.summary.problems for one in found) == many


@pytest.mark.parametrize("into", ["answers.ndjson", "answers.parquet"])
@pytest.mark.parametrize("source", ["boards.ndjson", "boards.parquet"])
def test_batch_command_goes_on_after_each_defect_and_resumes(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    into: str,
) -> None:
    monkeypatch.setattr(catalogue, "OPERATIONS", faulty.OPERATIONS)
    boards, output = tmp_path / source, tmp_path / into
    rows = [line.decode() for line in batch_of("analyze")]
    if source.endswith(".parquet"):
        pq.write_table(pa.table({"line": rows}), boards)
    else:
        boards.write_text("\n".join(rows))

    def run(*more: str) -> bytes:
        command = ["batch", str(boards), "--task", "analyze", "--output", str(output)]
        found = CliRunner().invoke(Program(), [*command, "--processes", "1", *more])
        assert found.exit_code == SOME_FAILED, found.stderr
        if into.endswith(".parquet"):
            table = pq.read_table(output).to_pylist()
            assert [row["problem"] == INTERNAL for row in table] == [
                "deadline_ms" in row for row in rows
            ]
            return "".join(row["answer"] + "\n" for row in table).encode()
        return output.read_bytes()

    whole = run()
    check_log(caplog, check_answers(whole, "analyze"))
    # The output looks as if the command had been stopped after the first defect.
    kept = b"".join(whole.splitlines(keepends=True)[:2])
    output.unlink()
    journal = output if into.endswith(".ndjson") else output.with_name(f"{into}.journal")
    journal.write_bytes(kept)
    resumed = run("--resume")
    assert resumed.startswith(kept)
    check_answers(resumed, "analyze")


@pytest.mark.slow
def test_batch_command_prints_traceback_of_each_defect(tmp_path: Path) -> None:
    boards = tmp_path / "boards.ndjson"
    boards.write_bytes(b"\n".join(batch_of("count")))
    program = "from minecheck.app.cli.program import Program; from tests import faulty; "
    program += "from minecheck.app import catalogue; "
    program += "catalogue.OPERATIONS = faulty.OPERATIONS; Program()()"
    options = ["batch", str(boards), "--task", "count", "--processes", "1"]
    ran = subprocess.run(
        [sys.executable, "-c", program, *options], cwd=ROOT, capture_output=True, timeout=60
    )
    assert ran.returncode == SOME_FAILED
    many = check_answers(ran.stdout, "count")
    assert ran.stderr.count(b"Unexpected exception in line ") == many
    assert ran.stderr.count(b"in fail\n") >= many


#: Operations whose requests may have a deadline, which stands for the defect.
DUE: Final = [one.name for one in faulty.OPERATIONS if "deadline_ms" in one.request.model_fields]


@pytest.mark.parametrize("name", DUE)
@pytest.mark.parametrize("defect", DEFECTS)
def test_request_with_defect_gets_500_without_details_and_is_counted(
    client: TestClient, name: str, defect: int
) -> None:
    operation = next(operation for operation in faulty.OPERATIONS if operation.name == name)
    request = faulty.request(name, defect)
    path = operation.path.format(
        **{field: request.pop(field, "") for field in operation.path_fields}
    )
    before = measured(client, "minecheck_internal_errors_total", where="request")
    answer = client.post(path, json=request)
    assert (answer.status_code, answer.json()["type"]) == (500, INTERNAL)
    assert "lanted" not in answer.text
    assert before is not None
    after = measured(client, "minecheck_internal_errors_total", where="request")
    assert after == before + 1
    # The workers are still there.
    assert client.post("/v1/check", json={"board": ["?1?"], "backend": "sat"}).status_code == 200


@pytest.mark.parametrize("defect", [WRITING, STUCK])
def test_defect_in_worker_has_traceback_to_its_origin(
    defect: int,
) -> None:
    app = create_app(SETTINGS, faulty.OPERATIONS)
    with TestClient(app) as client, pytest.raises(Exception, match="planted") as raised:
        client.post("/v1/check", json={**faulty.request("check", defect), "backend": "sat"})
    # The server logs the exception in this form.
    shown = Fault.from_exception(raised.value).traceback
    assert "faulty.py" in shown
    assert "in fail" in shown


class TestTogether:
    """One call answers several positions of games together."""

    template = LineTemplate(QUESTIONS_BY_NAME["count"], {}, SETTINGS)
    chunk: Final = [b'"?1?\\n???\\n???"', b'"9"', b'"1??\\n???\\n???"']

    @pytest.fixture(autouse=True)
    def break_joint_answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise faulty.PlantedError("planted")

        monkeypatch.setattr(pipeline, "_read_and_solve", fail)

    def test_failure_of_joint_answer_leaves_each_line_to_be_answered_alone(self) -> None:
        found = lines.answer_bounded(self.template, number_lines(self.chunk, 3))
        answers = [json.loads(line) for line in b"".join(found.texts).splitlines()]
        assert [one.get("count") for one in answers] == ["40", None, "96"]
        assert [(one.get("line"), one.get("status")) for one in answers[1:2]] == [(4, 422)]
        (fault,) = found.faults
        assert fault.line is None
        assert "PlantedError: planted" in fault.traceback
        assert found.summary == lines.Summary(3, 1, 0)

    def test_cluster_node_answers_each_line_alone_after_joint_failure(self) -> None:
        faults: list[Fault] = []
        found = lines.answer_unbounded(
            self.template, number_lines(self.chunk, 3), FULL, faults.append
        )
        assert [b'"count"' in line for line in found] == [True, False, True]
        assert [fault.line for fault in faults] == [None]


class TestMemory:
    """A lack of memory is handled as such, not as a defect."""

    template = LineTemplate(QUESTIONS_BY_NAME["count"], {}, SETTINGS)

    @pytest.fixture(autouse=True)
    def exhaust_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> Any:
            raise MemoryError

        monkeypatch.setattr(lines, "read_request", fail)

    def test_worker_without_memory_gives_up_its_chunk(self) -> None:
        with pytest.raises(MemoryError):
            lines.answer_bounded(self.template, number_lines([b'"?"']))

    def test_cluster_node_without_memory_reports_line(self) -> None:
        faults: list[Fault] = []
        (found,) = lines.answer_unbounded(
            self.template, number_lines([b'"?"'], 5), FULL, faults.append
        )
        answer = json.loads(found)
        assert (answer["type"], answer["line"]) == (OutOfMemory().document["type"], 5)
        assert faults == []


class FailingWorkers:
    """Workers that raise the given error on every call."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def run_briefly(self, *_: object, **__: object) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "code", "logged"),
    [
        (faulty.PlantedError("planted"), "internal-error", 3),
        # Workers are lost when the service ends: that is not a defect.
        (TimeoutError(), "worker-lost", 0),
        (OutOfMemory(), "out-of-memory", 0),
    ],
)
def test_lines_get_problem_however_workers_fail(error: Exception, code: str, logged: int) -> None:
    faults: list[Fault] = []
    workers: Any = FailingWorkers(error)
    batch: Any = None
    engine = Engine(
        LineTemplate(QUESTIONS_BY_NAME["count"], {}, SETTINGS), workers, batch, report=faults.append
    )
    found = asyncio.run(engine.answer_chunk(number_lines([b'"?"', b'"1"'], 8)))
    problems = [json.loads(line) for line in found.text.splitlines()]
    assert [(one["type"].rpartition(":")[2], one["line"]) for one in problems] == [
        (code, 8),
        (code, 9),
    ]
    assert found.summary.problems == 2
    # The chunk and each of its lines are reported.
    assert len(faults) == logged


def test_line_with_defect_in_reading_is_a_fault_and_not_unfinished() -> None:
    template = LineTemplate(BATCHED["check"], {}, SETTINGS)
    line = json.dumps(faulty.request("check", READING)).encode()
    found = lines.answer_bounded(template, number_lines([line]))
    assert found.unfinished == []
    assert [fault.line for fault in found.faults] == [0]
