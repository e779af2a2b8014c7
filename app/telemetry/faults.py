"""Unexpected exceptions, logged once with their traceback, whichever process they were raised in.

A line of a batch that raises one gets a problem in place of its answer. The fault itself goes to
the process that collects the answers, as text, and into the log of that one.
"""

import logging
import traceback
from typing import Final, NamedTuple

_LOG: Final = logging.getLogger("minecheck.faults")
#: Characters of a traceback that are kept: the last ones, where the exception was raised.
_MOST_CHARACTERS: Final = 20_000


class Fault(NamedTuple):
    """An unexpected exception, as text, and the number of the line that it happened in.

    There is no number where it happened in several lines that were answered together.
    """

    traceback: str
    line: int | None = None

    @classmethod
    def from_exception(cls, error: Exception, line: int | None = None) -> "Fault":
        """Describe an exception, with those that caused it.

        Args:
            error: the exception.
            line: the number of the line that it happened in, None if there is no single one.
        """
        text = "".join(traceback.format_exception(error)).rstrip("\n")
        return cls(text[-_MOST_CHARACTERS:], line)


def log_fault(fault: Fault) -> None:
    """Write a fault to the log, as an error."""
    if not _LOG.isEnabledFor(logging.ERROR):
        return
    fields: dict[str, object] = {}
    message = "Unexpected exception in lines that were answered together"
    if fault.line is not None:
        message, fields = f"Unexpected exception in line {fault.line}", {"line": fault.line}
    record = _LOG.makeRecord(
        *(_LOG.name, logging.ERROR, __file__, 0, message, (), None),
        extra={"fields": fields},
    )
    # Every formatter appends this text, as it does with the traceback of an exception at hand.
    record.exc_text = fault.traceback
    _LOG.handle(record)
