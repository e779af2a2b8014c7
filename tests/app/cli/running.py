"""Tests run the command line in their own process."""

from typing import Any

from typer.main import get_command
from typer.testing import CliRunner, Result

from minecheck.app.cli.program import Program


def run(*arguments: str, stdin: bytes = b"") -> Result:
    """Return the result of a command."""
    return CliRunner().invoke(Program(), list(arguments), input=stdin)


def load_command(name: str) -> Any:
    """Return a command as typer has it."""
    group: Any = get_command(Program())
    return group.get_command(None, name)


def one_line(found: Result, message: str, status: int = 2) -> None:
    """Check that a command failed with one line on standard error, and no verdict."""
    assert found.exit_code == status
    assert found.stdout == ""
    assert message in found.stderr
    assert found.stderr.count("\n") == 1
    assert "Traceback" not in found.stderr


def drop_source(printed: str) -> str:
    """Return what a command has printed, without its last line, which says who answered."""
    *lines, last = printed.splitlines(keepends=True)
    assert last.startswith("answered by ")
    return "".join(lines)
