"""Commands whose options are the fields of a dataclass."""

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from minecheck.app.cli.options import make_command


@dataclass(frozen=True, kw_only=True)
class Inherited:
    last: Annotated[int, typer.Option(help="Comes last")] = 3


@dataclass(frozen=True, kw_only=True)
class Given(Inherited):
    """Say what is given.

    It is printed.
    """

    word: Annotated[str, typer.Argument(help="Any word")]
    loud: Annotated[bool, typer.Option("--loud", help="In capitals")] = False


def run(*arguments: str) -> tuple[int, str]:
    program = typer.Typer()
    program.command("say")(make_command(Given, lambda given: print(given)))
    found = CliRunner().invoke(program, list(arguments))
    return found.exit_code, found.output


def test_fields_are_what_is_given() -> None:
    assert run("hello", "--loud") == (0, "Given(last=3, word='hello', loud=True)\n")


def test_fields_without_a_default_are_required() -> None:
    assert run()[0] == 2


def test_help_is_the_docstring_and_inherited_options_come_last() -> None:
    status, text = run("--help")
    assert status == 0
    assert "Say what is given." in text
    assert text.index("--loud") < text.index("--last")
