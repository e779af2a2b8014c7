"""Choices of some of many items, numbered in lexicographic order."""

from collections.abc import Sequence
from math import comb


def unrank_combination(items: int, chosen: int, rank: int) -> list[int]:
    """Return subset number ``rank``, in lexicographic order, of ``range(items)``.

    Args:
        items: the number of items.
        chosen: the size of the subset.
        rank: from 0 to C(items, chosen) - 1.
    """
    if chosen == items:
        return list(range(items))
    found: list[int] = []
    # Subsets of the items after this one that complete a choice of this one.
    ways = comb(items - 1, chosen - 1) if chosen else 0
    for item in range(items):
        if chosen == 0:
            break
        after = items - item - 1
        if rank < ways:
            found.append(item)
            chosen -= 1
            ways = ways * chosen // after if after else 0
        else:
            rank -= ways
            ways = ways * (after - chosen + 1) // after if after else 0
    return found


def combination_rank(items: int, chosen: Sequence[int]) -> int:
    """Return the number of a subset: the inverse of `unrank_combination`.

    Args:
        items: the number of items.
        chosen: the subset of ``range(items)``, ascending.
    """
    rank, left = 0, len(chosen)
    members = set(chosen)
    # Subsets of the items after this one that complete a choice of this one.
    ways = comb(items - 1, left - 1) if left else 0
    for item in range(items):
        if not left:
            break
        after = items - item - 1
        if item in members:
            left -= 1
            ways = ways * left // after if after else 0
        else:
            rank += ways
            ways = ways * (after - left + 1) // after if after else 0
    return rank
