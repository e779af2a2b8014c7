"""How a command ends: its statuses, as grep has them, and its message on failure."""

import sys
from typing import Final, NoReturn

import typer

from app.problems import ProblemError

CONSISTENT: Final = 0
INCONSISTENT: Final = 1
NO_ANSWER: Final = 2
#: Of many questions, some were refused.
SOME_FAILED: Final = 1
#: As shells have it: 128 and the number of the signal.
INTERRUPTED: Final = 130


def fail(message: str) -> NoReturn:
    """End the command without an answer, and say why in one line."""
    print(f"minecheck: {message}", file=sys.stderr)
    raise typer.Exit(NO_ANSWER)


def refuse(error: ProblemError) -> NoReturn:
    """End the command because of what it was asked, and say what to mend."""
    fail(f"{error.document['detail']} {error.document['fix']}")
