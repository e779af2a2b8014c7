"""How commands are read: what typer leaves to be said in plain words."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from minecheck import __version__
from minecheck.app.cli.commands import COMMANDS, HIDDEN
from minecheck.app.cli.ending import BAD_INPUT

#: Typer's class of mistakes of the caller, which is not public.
_UsageError: Final[Any] = typer.BadParameter.__mro__[1]


class Program(typer.Typer):
    """Commands that are read in this way."""

    def __init__(self) -> None:
        super().__init__(
            name="minecheck",
            cls=_Group,
            help="Is this Minesweeper board consistent?",
            epilog="The exit status is 0 for consistent, 1 for inconsistent, 2 for a mistake in "
            "the command or the board, 3 for no answer.",
            no_args_is_help=True,
            context_settings={"help_option_names": ["-h", "--help"]},
            # Plain text: to load Rich takes longer than to print the help.
            rich_markup_mode=None,
        )
        self._offer_version()

    def command(  # type: ignore[override]
        self, name: str | None = None, **settings: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Add a command."""
        return super().command(name, cls=_Command, **settings)

    def _offer_version(self) -> None:
        def print_version(is_requested: bool) -> None:
            if is_requested:
                print(f"minecheck {__version__}")
                raise typer.Exit

        @self.callback()
        def begin(
            version: Annotated[
                bool,
                typer.Option(
                    "--version", callback=print_version, is_eager=True, help="Print the version"
                ),
            ] = False,
        ) -> None:
            pass


def _load_command(name: str) -> Any:
    """Return a command of the table, after loading its module."""
    entry = COMMANDS[name]
    module = import_module(f"minecheck.app.cli.{entry.module}")
    if entry.module == "batch":
        from minecheck.app.catalogue import OPERATIONS

        command = module.make_batch(OPERATIONS)
    elif entry.module == "questions":
        from minecheck.app.questions import find_question

        command = module.make_question(find_question(name))
    else:
        command = module.COMMANDS[name]
    program = Program()
    program.command(name)(command)
    group: Any = get_command(program)
    return group.commands[name]


class _Command(TyperCommand):
    """A command whose flags have no type, and whose errors are in plain words."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from pydantic import ValidationError

        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            if isinstance(error.__cause__, ValidationError):
                from minecheck.app.requests.wording import describe_error

                error.message = f"{describe_error(error.__cause__.errors(include_url=False)[0])}."
            raise


class _Group(TyperGroup):
    """All commands; a mistake in one of them is reported in one line.

    Those of the table are loaded when they are needed; until then each is None.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: dict[str, Any] = {**dict.fromkeys(COMMANDS), **self.commands}

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, after loading it; None if there is none of its name."""
        if cmd_name in COMMANDS and self.commands[cmd_name] is None:
            self.commands[cmd_name] = _load_command(cmd_name)
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands that are shown."""
        return [name for name in self.commands if name not in HIDDEN]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, without loading those of the table."""
        names = self.list_commands(ctx)
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._summarize_command(name)) for name in names])

    def _summarize_command(self, name: str) -> str:
        if name in COMMANDS:
            return COMMANDS[name].summary
        summary: str = self.commands[name].get_short_help_str()
        return summary

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the commands that begin with what was typed, or the options."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        from typer._click.shell_completion import CompletionItem

        return [
            CompletionItem(name, help=self._summarize_command(name))
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]

    def main(self, *arguments: Any, standalone_mode: bool = True, **named: Any) -> Any:
        """Run the program; a mistake in the command ends it with one line and its status."""
        named.setdefault("prog_name", "minecheck")
        try:
            named["standalone_mode"] = False
            status = super().main(*arguments, **named)
        except _UsageError as error:
            print(_describe_mistake(error), file=sys.stderr)
            sys.exit(BAD_INPUT)
        if standalone_mode:
            sys.exit(status if isinstance(status, int) else 0)
        return status


def _describe_mistake(error: Any) -> str:
    """Describe a mistake of the caller in one line; without any arguments, show the help."""
    context = error.ctx
    if context is not None and error.message == context.get_help():
        return str(error.message)
    parameter = getattr(error, "param", None)
    if parameter is None or type(error) is not typer.BadParameter:
        message = " ".join(error.format_message().split())
    else:
        message = f"{_name_parameter(parameter)}: {error.message}"
    if not message.endswith((".", "?")):
        message += "."
    path = "minecheck" if context is None else context.command_path
    return f"minecheck: {message} For help: {path} --help"


def _name_parameter(parameter: Any) -> str:
    if isinstance(parameter, TyperArgument):
        return str(parameter.metavar or parameter.name).upper()
    return str(parameter.opts[0])


def _without_types(parameters: list[Any]) -> list[Any]:
    """Show flags without a type: they take no value."""
    for parameter in parameters:
        if isinstance(parameter, TyperOption) and parameter.is_flag:
            parameter.metavar = ""
    return parameters
