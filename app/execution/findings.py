"""Answers as lines of JSON: what is found, a line each, and a last line that says how it ended."""

from itertools import islice
from typing import Any

import orjson

from app.answers.cells import drawing
from app.questions.record import Found
from app.requests.jobs import Job
from solvers import Answer


class Findings:
    """The lines of the answer to one job, each of which is written once."""

    def __init__(self, job: Job) -> None:
        assert job.record.stream is not None, "the question is one that is streamed"
        assert job.record.stream.found is not None, "a set at a time, not in pages"
        self._found: Found = job.record.stream.found
        self._draw = drawing(job.question)
        self._written = 0

    def more(self, known: Answer) -> bytes:
        """The lines of what was found since this was last asked."""
        found = self._found.sets(known)
        new = [] if found is None else list(islice(found.sets, self._written, None))
        self._written += len(new)
        return b"".join(_line(self._found.drawn(one, self._draw)) for one in new)

    def last(self, known: Answer) -> bytes:
        """The last line, of an answer to which no more is added."""
        found = self._found.sets(known)
        more = None if found is None else found.more
        return last(known.consistent, complete=known.complete, more=more)


def last(consistent: bool | None, *, complete: bool, more: bool | None) -> bytes:
    """The line that ends all others; ``more`` tells whether there are, or may be, others."""
    return _line({"complete": complete, "consistent": consistent, "more": more})


def cut_short(consistent: bool | None) -> bytes:
    """The last line where nobody is left to write it: only an inconsistent board may have more."""
    return last(consistent, complete=False, more=None if consistent is None else not consistent)


def _line(said: Any) -> bytes:
    return orjson.dumps(said) + b"\n"
