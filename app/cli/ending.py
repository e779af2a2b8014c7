"""How a command ends: its statuses, as grep has them, and its message on failure."""

import sys
from typing import Final, NoReturn

import typer

from minecheck.app.problems import ProblemError

CONSISTENT: Final = 0
INCONSISTENT: Final = 1
NO_ANSWER: Final = 2
#: The answer is right as far as its certificate goes, which is not all the way.
NOT_ALL_PROVED: Final = 3
#: The exit status if some of many questions were rejected.
SOME_FAILED: Final = 1
#: As shells have it: 128 and the number of the signal.
INTERRUPTED: Final = 130


def fail_with(message: str) -> NoReturn:
    """End the command without an answer, and say why in one line.

    Raises:
        Exit: always, with the status `NO_ANSWER`.
    """
    print(f"minecheck: {message}", file=sys.stderr)
    raise typer.Exit(NO_ANSWER)


def reject_problem(error: ProblemError) -> NoReturn:
    """End the command because of a problem, and print the fix."""
    fail_with(f"{error.document['detail']} {error.document['fix']}")
