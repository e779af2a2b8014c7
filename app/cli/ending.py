"""How a command ends: its statuses, as grep has them, and its message on failure."""

import sys
from collections.abc import Iterable
from typing import Final, NoReturn

CONSISTENT: Final = 0
INCONSISTENT: Final = 1
#: The command, an option or the board makes no sense: the fix is on the side of the caller.
BAD_INPUT: Final = 2
#: There is no answer: not before the deadline, or because something went wrong.
NO_ANSWER: Final = 3
#: The answer is right as far as its certificate goes, which is not all the way.
NOT_ALL_PROVED: Final = NO_ANSWER
#: The exit status if some of many questions were rejected.
SOME_FAILED: Final = 1
#: As shells have it: 128 and the number of the signal.
INTERRUPTED: Final = 130

#: Exit statuses by severity: of several boards, the one whose status is last here decides.
_SEVERITY: Final = (CONSISTENT, INCONSISTENT, NO_ANSWER, BAD_INPUT)


def fail_with(message: str, status: int = BAD_INPUT) -> NoReturn:
    """End the command without an answer, and say why in one line.

    Raises:
        Exit: always, with the status.
    """
    import typer

    print(f"minecheck: {message}", file=sys.stderr)
    raise typer.Exit(status)


def end_with_verdict(verdict: bool | None) -> NoReturn:
    """End the command with the status of a verdict, None for no answer.

    Raises:
        Exit: always.
    """
    import typer

    raise typer.Exit({True: CONSISTENT, False: INCONSISTENT, None: NO_ANSWER}[verdict])


def combine_statuses(statuses: Iterable[int]) -> int:
    """Return the status for several boards: that of the one that needs attention most."""
    return max(statuses, key=_SEVERITY.index)
