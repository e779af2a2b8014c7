"""Sets of numbers of mines, as bits of an integer: bit m for m mines."""


def find_least(mine_set: int) -> int:
    """Return the smallest number of a set; there must be one."""
    return (mine_set & -mine_set).bit_length() - 1


def add_sets(left: int, right: int) -> int:
    """Return the set of all sums of a number from ``left`` and one from ``right``.

    Args:
        left: a set of numbers as bits, not negative.
        right: another set.
    """
    if _mark_run_starts(left).bit_count() > _mark_run_starts(right).bit_count():
        left, right = right, left
    sums = 0
    while left:
        # The run of ones that begins with the lowest, in steps that double.
        lowest = find_least(left)
        left += 1 << lowest
        length = find_least(left) - lowest
        left &= left - 1
        run, covered = right, 1
        while covered < length:
            step = min(covered, length - covered)
            run |= run << step
            covered += step
        sums |= run << lowest
    return sums


def _mark_run_starts(mine_set: int) -> int:
    """Return the lowest bits of all runs of ones."""
    return mine_set & ~(mine_set << 1)


def mirror_set(mine_set: int, total: int) -> int:
    """Return the set of ``total - m`` for each number m of a set that is at most ``total``.

    Args:
        mine_set: the set as bits.
        total: the number that m and its mirror image add up to.
    """
    digits = f"{mine_set & ((1 << total + 1) - 1):0{total + 1}b}"
    return int(digits[::-1], 2)
