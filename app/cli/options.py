"""Commands whose options are a dataclass: each field is one, annotated for typer.

Tested in tests/app/cli/test_options.py.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

Options = TypeVar("Options")


def make_parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Make a parameter of a command.

    Args:
        name: its name.
        annotation: its type, for typer.
        default: its default; ... if it must be given.
    """
    default = inspect.Parameter.empty if default is ... else default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def make_command(
    options: type[Options], run: Callable[[Options], None], **others: Any
) -> Callable[..., None]:
    """Make a command, whose help is the docstring of ``options``.

    Inherited options come after its own.

    Args:
        options: a dataclass; a field without a default must be given.
        run: what the command does.
        **others: annotations of fields that are known only when the program runs.
    """

    def command(**values: Any) -> None:
        run(options(**values))

    annotations = {**get_type_hints(options, include_extras=True), **others}
    own = inspect.get_annotations(options)
    parameters = [
        make_parameter(
            field.name,
            annotations[field.name],
            ... if field.default is MISSING else field.default,
        )
        # Sorting is stable.
        for field in sorted(fields(options), key=lambda field: field.name not in own)  # type: ignore[arg-type]
    ]
    return describe_command(command, parameters, options.__doc__)


def describe_command(
    command: Callable[..., None], parameters: list[inspect.Parameter], text: str | None
) -> Callable[..., None]:
    """Give a function, which takes keywords, what typer makes a command of; return it."""
    command.__doc__ = text
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command
