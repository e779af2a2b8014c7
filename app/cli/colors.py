"""Colours of the output: on a terminal, or as people ask for them."""

import os
import sys
from enum import StrEnum
from typing import Annotated, Final

import typer


class ColorChoice(StrEnum):
    """When the output has colours."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


Color = Annotated[
    ColorChoice,
    typer.Option(
        "--color", help="When the output has colours; auto: on a terminal, unless NO_COLOR is set"
    ),
]

#: The codes of terminals for each style.
_CODES: Final = {"bold": "1", "dim": "2", "red": "31", "reverse": "7", "": ""}


def use_colors(choice: ColorChoice) -> bool:
    """Return True if standard output is to have colours.

    Args:
        choice: what was asked for. AUTO follows the variables NO_COLOR and FORCE_COLOR.
    """
    if choice is not ColorChoice.AUTO:
        return choice is ColorChoice.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def paint_text(text: str, *styles: str) -> str:
    """Return text in styles, as terminals show it."""
    codes = ";".join(code for style in styles if (code := _CODES[style]))
    return f"\x1b[{codes}m{text}\x1b[0m" if codes else text
