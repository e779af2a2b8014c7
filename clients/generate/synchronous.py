"""From asynchronous to synchronous Python, word for word."""

import re
from typing import Final

#: Patterns and what stands in place of them.
_WORDS: Final = (
    (r"\b(async|await) ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basynchronous", "synchronous"),
    (r"\basyncio\b", "time"),
    (r"\bcut_async\b", "cut"),
    # aclose, aclosing, aiter_bytes, aread, __aenter__, __aexit__
    (r"\b(__)?a(?=clos|iter_|read\b|enter__|exit__)", r"\1"),
)


def synchronous(source: str) -> str:
    """The source of the synchronous twin, not yet formatted."""
    for pattern, word in _WORDS:
        source = re.sub(pattern, word, source)
    return source
