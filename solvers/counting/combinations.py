"""Choices of some of many items, numbered in lexicographic order."""

from collections.abc import Sequence
from math import comb


def unrank_combination(items: int, size: int, rank: int) -> list[int]:
    """Return subset number ``rank``, in lexicographic order, of ``range(items)``.

    Args:
        items: the number of items.
        size: the size of the subset.
        rank: from 0 to C(items, size) - 1.
    """
    if size == items:
        return list(range(items))
    subset: list[int] = []
    # Subsets of the items after this one that complete a choice of this one.
    subsets_with_item = comb(items - 1, size - 1) if size else 0
    for item in range(items):
        if size == 0:
            break
        items_after = items - item - 1
        if rank < subsets_with_item:
            subset.append(item)
            size -= 1
            subsets_with_item = subsets_with_item * size // items_after if items_after else 0
        else:
            rank -= subsets_with_item
            subsets_with_item = (
                subsets_with_item * (items_after - size + 1) // items_after if items_after else 0
            )
    return subset


def rank_combination(items: int, subset: Sequence[int]) -> int:
    """Return the number of a subset: the inverse of `unrank_combination`.

    Args:
        items: the number of items.
        subset: the subset of ``range(items)``, ascending.
    """
    rank, members_left = 0, len(subset)
    members = set(subset)
    # Subsets of the items after this one that complete a choice of this one.
    subsets_with_item = comb(items - 1, members_left - 1) if members_left else 0
    for item in range(items):
        if not members_left:
            break
        items_after = items - item - 1
        if item in members:
            members_left -= 1
            subsets_with_item = (
                subsets_with_item * members_left // items_after if items_after else 0
            )
        else:
            rank += subsets_with_item
            subsets_with_item = (
                subsets_with_item * (items_after - members_left + 1) // items_after
                if items_after
                else 0
            )
    return rank
