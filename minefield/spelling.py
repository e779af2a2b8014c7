"""Suggestions for misspelt names.

Tested in tests/app/requests/test_bad_requests.py.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

#: Characters of a name that are looked at.
_LONGEST: Final = 200


def find_nearest(name: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """Return the known name that is nearest, None if none is near enough.

    Args:
        name: the name as it was spelt.
        known: the right names.
        alike: the least similarity, from 0 to 1.
    """
    near = get_close_matches(name[:_LONGEST], list(known), 1, alike)
    return near[0] if near else None


def suggest_name(name: object, known: Iterable[str]) -> str:
    """Return the beginning of a fix if a name is close to a known one, else an empty string.

    Args:
        name: the name as it was spelt.
        known: the right names, in lower case.
    """
    near = find_nearest(str(name).lower(), known)
    return "" if near is None else f"Did you mean {near}? "
