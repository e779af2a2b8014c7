"""How commands are read: what typer leaves to be said in plain words."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from minecheck import __version__
from minecheck.app.requests.wording import in_words


class Program(typer.Typer):
    """Commands that are read in this way."""

    def __init__(self) -> None:
        super().__init__(
            cls=_Group,
            help="Is this Minesweeper board consistent?",
            no_args_is_help=True,
            add_completion=False,
        )

    def command(  # type: ignore[override]
        self, name: str | None = None, **given: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Add a command."""
        return super().command(name, cls=_Command, **given)


def add_version(program: Program) -> None:
    """Let a program say its version."""

    def tell_version(is_requested: bool) -> None:
        if is_requested:
            print(f"minecheck {__version__}")
            raise typer.Exit

    @program.callback()
    def begin(
        version: Annotated[
            bool,
            typer.Option(
                "--version", callback=tell_version, is_eager=True, help="Print the version"
            ),
        ] = False,
    ) -> None:
        pass


class _Command(TyperCommand):
    """A command whose flags have no type, and whose errors are in plain words."""

    def __init__(self, *arguments: Any, **given: Any) -> None:
        super().__init__(*arguments, **given)
        for one in self.params:
            if isinstance(one, TyperOption | TyperArgument) and one.help:
                # Else what stands in square brackets is taken for a style, and left out.
                one.help = one.help.replace("[", r"\[")

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            if isinstance(error.__cause__, ValidationError):
                error.message = f"{in_words(error.__cause__.errors(include_url=False)[0])}."
            raise


class _Group(TyperGroup):
    """All commands; its own flags have no type either."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    """Show flags without a type: they take no value."""
    for one in parameters:
        if isinstance(one, TyperOption) and one.is_flag:
            one.metavar = ""
    return parameters
