"""Answers as lines of JSON: what is found, a line each, and a last line that says how it ended."""

from itertools import islice
from typing import Any, Final

import orjson

from minecheck.app.requests.jobs import Job
from minecheck.solvers import Answer
from minecheck.solvers.documents.cells import choose_drawing
from minecheck.solvers.documents.writing import make_object_writer
from minecheck.solvers.findings import Conflict

#: The function that renders a line.
_write: Final = make_object_writer(Conflict)


class Findings:
    """The lines of the answer to one job, each of which is written once."""

    def __init__(self, job: Job) -> None:
        assert job.operation.stream is not None, "the question is one that is streamed"
        assert job.operation.stream.found is not None, "a set at a time, not in pages"
        self._sets = job.operation.stream.found
        self._draw = choose_drawing(job.question)
        self._written = 0

    def list_new_lines(self, answer: Answer) -> bytes:
        """Return the lines of what was found since the last call."""
        sets = self._sets(answer)
        new_sets = [] if sets is None else list(islice(sets.sets, self._written, None))
        self._written += len(new_sets)
        return b"".join(_render_line(_write(self._draw, clue_set)) for clue_set in new_sets)

    def last_line(self, answer: Answer) -> bytes:
        """Return the last line, of an answer to which no more is added."""
        sets = self._sets(answer)
        more = None if sets is None else sets.more
        return render_last_line(answer.consistent, complete=answer.complete, more=more)


def render_last_line(consistent: bool | None, *, complete: bool, more: bool | None) -> bytes:
    """Return the last line.

    Args:
        consistent: the verdict, None if there is none.
        complete: whether all was found in time.
        more: whether there are, or may be, others; None if that is not known.
    """
    return _render_line({"complete": complete, "consistent": consistent, "more": more})


def render_incomplete_ending(consistent: bool | None) -> bytes:
    """Return the last line if nobody else can write it.

    Only an inconsistent board may have more.
    """
    return render_last_line(
        consistent, complete=False, more=None if consistent is None else not consistent
    )


def _render_line(value: Any) -> bytes:
    return orjson.dumps(value) + b"\n"
