"""Sets of numbers of mines, as bits of an integer: bit m for m mines."""


def find_least(numbers: int) -> int:
    """Return the smallest number of a set; there must be one."""
    return (numbers & -numbers).bit_length() - 1


def add_sets(left: int, right: int) -> int:
    """Return the set of all sums of a number from ``left`` and one from ``right``.

    Args:
        left: a set of numbers as bits, not negative.
        right: another set.
    """
    if _mark_run_starts(left).bit_count() > _mark_run_starts(right).bit_count():
        left, right = right, left
    found = 0
    while left:
        # The run of ones that begins with the lowest, in steps that double.
        first = find_least(left)
        left += 1 << first
        length = find_least(left) - first
        left &= left - 1
        run, done = right, 1
        while done < length:
            step = min(done, length - done)
            run |= run << step
            done += step
        found |= run << first
    return found


def _mark_run_starts(numbers: int) -> int:
    """Return the lowest bits of all runs of ones."""
    return numbers & ~(numbers << 1)


def mirror_set(numbers: int, total: int) -> int:
    """Return the set of ``total - m`` for each number m of a set that is at most ``total``.

    Args:
        numbers: the set as bits.
        total: the number that m and its mirror image add up to.
    """
    digits = f"{numbers & ((1 << total + 1) - 1):0{total + 1}b}"
    return int(digits[::-1], 2)
