"""Clients start `minecheck mcp` and call its tools over stdio."""

import os
import subprocess
import sys
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from minecheck.app.mcp.local import AnsweringProcess, LocalAnswerer, LostCallError
from minecheck.app.settings import MissingExtra, check_mcp
from minecheck.minefield.kernel_mode import VARIABLE, Mode
from tests.app.mcp.calling import answer_of, call_all, error_of
from tests.processes import ROOT, every, holds_soon, running

COMMAND = [sys.executable, "-m", "minecheck", "mcp"]


def parameters(**environment: str) -> StdioServerParameters:
    # Compiled kernels are locked for tests of the service; this process does without them.
    variables = {**os.environ, VARIABLE: Mode.PYTHON, **environment}
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=variables, cwd=ROOT)


def test_mcp_command_answers_calls_over_stdio() -> None:
    checked, wrong, unknown = call_all(
        parameters(),
        ("check", {"board": "?1?\n131\n???"}),
        ("check", {"board": "?1?\n?9?"}),
        ("nothing", {}),
    )
    assert answer_of(checked)["consistent"] is False
    assert "not a clue from 0 to 8" in error_of(wrong)
    assert "Use one of: read_board" in error_of(unknown)


@pytest.mark.slow
def test_mcp_command_follows_settings_of_environment() -> None:
    (found,) = call_all(parameters(MINECHECK_MAX_CELLS="4"), ("check", {"board": "?1?\n???"}))
    assert "at most 4 cells" in error_of(found)


@pytest.mark.slow
def test_mcp_command_survives_invalid_lines_and_prints_only_json_rpc() -> None:
    lines = b'rubbish\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = subprocess.run(
        COMMAND, input=lines, capture_output=True, cwd=ROOT, timeout=120,
        env={**os.environ, VARIABLE: Mode.PYTHON},
    )  # fmt: skip
    assert done.returncode == 0
    assert all(line.startswith(b'{"jsonrpc"') for line in done.stdout.splitlines())


@pytest.fixture
def process() -> Any:
    process = AnsweringProcess(Mode.PYTHON)
    yield process
    process.kill()


def test_answering_process_that_ended_raises_lost_call(process: AnsweringProcess) -> None:
    process.wait_until_ready()
    process._process.kill()
    with pytest.raises(LostCallError, match="has ended"):
        process.call("check", {"board": "?1?"}, 60.0)


def test_call_that_takes_too_long_raises_lost_call(process: AnsweringProcess) -> None:
    with pytest.raises(LostCallError, match="much longer"):
        process.call("check", {"board": "?1?"}, 0.0)


@pytest.mark.slow
def test_local_answerer_starts_new_process_after_lost_call() -> None:
    async def call() -> None:
        async with LocalAnswerer(Mode.PYTHON) as answerer:
            first = answerer._process
            assert first is not None
            first._process.kill()
            lost = await answerer.answer_call("check", {"board": "?1?"})
            assert lost.structured is None
            assert "There is no answer" in lost.text
            found = await answerer.answer_call("check", {"board": "?1?"})
            assert found.structured is not None

    anyio.run(call)


@pytest.mark.slow
def test_local_answerer_answers_after_cancelled_call() -> None:
    async def call() -> int | None:
        async with LocalAnswerer(Mode.PYTHON) as answerer:
            process = answerer._process
            assert process is not None
            with anyio.CancelScope() as scope:
                scope.cancel()
                await answerer.answer_call("check", {"board": "?1?"})
            found = await answerer.answer_call("check", {"board": "?1?"})
            assert found.structured is not None
            return process._process.pid

    assert anyio.run(call) is not None


@pytest.mark.slow
def test_mcp_processes_end_with_client() -> None:
    pids: list[int] = []
    others = children_of_this()

    async def connect() -> None:
        async with Client(parameters()) as client:
            await client.call_tool("check", {"board": "?1?"})
            pids.extend(pid for pid in children_of_this() if pid not in others)

    anyio.run(connect)
    assert pids
    assert holds_soon(lambda: not running(pids))


def children_of_this() -> list[int]:
    """Return the processes that this one has started, and their children."""
    parents = {pid: parent for pid, (parent, _) in every().items()}
    found = [os.getpid()]
    for pid in found:
        found.extend(child for child, parent in parents.items() if parent == pid)
    return found[1:]


def test_mcp_command_without_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtra, match=r"pip install 'minecheck\[mcp\]'"):
        check_mcp()
