"""The smallest core, by hitting sets: every core has a clue of all that some layout misses.

A. Ignatiev, A. Previti, M. Liffiton, J. Marques-Silva, *Smallest MUS extraction with minimal
hitting set dualization*, CP 2015.

Tested in tests/solvers/search/test_core.py.
"""

from collections.abc import Callable, Collection, Iterable, Sequence


def find_smallest_core(
    known: Sequence[int],
    missed: Callable[[list[int]], Collection[int] | None],
    tries: int,
    necessary: Iterable[int] = (),
) -> Sequence[int] | None:
    """Return a smallest core, ``known`` if none is smaller; None if the tries run out.

    Args:
        known: a core.
        missed: a function that returns what a layout of some clues misses, empty where they are a
            core, or None to give up.
        tries: how often ``missed`` is called before, and while, hitting sets are tried.
        necessary: clues that every core has.
    """
    # Of sets that have no clue in common, a core has a clue of each: often as many as `known` has.
    sets, apart = [[clue] for clue in necessary], [*necessary]
    while len(sets) < len(known) and tries > 0:
        tries -= 1
        rest = missed(apart)
        if not rest:
            break
        sets.append([*rest])
        apart += rest
    if len(sets) >= len(known):
        return known
    from pysat.examples.hitman import Hitman

    with Hitman(bootstrap_with=sets, htype="sorted") as hitman:
        for _ in range(tries):
            tried: list[int] = hitman.get() or []
            if len(tried) >= len(known):
                return known
            rest = missed(tried)
            if rest is None:
                return None
            if not rest:
                return tried
            hitman.hit(rest)
    return None
