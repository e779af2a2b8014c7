"""Rows in the standard notation and nothing else, which most programs send.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from typing import Final

#: Rows without anything else: they can be read in one way only, unless the first or last one counts
#: the columns further than clues at an edge can, or is a wall. Nothing is tried again, which would
#: take memory for each row.
_PLAIN: Final = re.compile(r"\n?[0-8?B*SF]++(?:\r?\n[0-8?B*SF]++)*+(?:\r?\n)*+")
_NO_ROW: Final = re.compile(r"0?1234[5-8]*|\*{3,}")


def is_plain(text: str) -> bool:
    """Return True for rows in the standard notation that can be read in one way only."""
    lines = text.strip("\r\n").split("\n", 1)
    edges = (lines[0], lines[-1].rpartition("\n")[2])
    bold = edges[0].startswith("**") and edges[0].rstrip().endswith("**")
    if bold or any(map(_NO_ROW.fullmatch, map(str.strip, edges))):
        return False
    return _PLAIN.fullmatch(text) is not None
