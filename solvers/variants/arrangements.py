"""Mines in cells that hold several each: in how many ways, and which way has which number."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache


@lru_cache(64)
def count_arrangements(cells: int, span: int) -> tuple[int, ...]:
    """Count the ways to lay each number of mines, the coefficients of (1 + … + x^span)^cells.

    Args:
        cells: the number of cells.
        span: the most mines of a cell.
    """
    ways = [1]
    # Each coefficient of P = p^n with p = 1 + x + … + x^s follows from the s before it, by
    # p P' = n p' P.
    for mines in range(1, cells * span + 1):
        terms = range(1, min(span, mines) + 1)
        total = sum(((cells + 1) * step - mines) * ways[mines - step] for step in terms)
        ways.append(total // mines)
    return tuple(ways)


def divide_out_cell(ways: Sequence[int], span: int) -> list[int]:
    """Divide coefficients by 1 + x + … + x^span: the ways in all cells but one.

    Args:
        ways: the first coefficients.
        span: the most mines of the cell that is left out.
    """
    ways_without: list[int] = []
    for power, number in enumerate(ways):
        before = ways[power - 1] if power else 0
        far = ways_without[power - span - 1] if power > span else 0
        ways_without.append(number - before + far)
    return ways_without


def iterate_arrangement(
    ways: Sequence[int], spans: Iterable[int], mines: int, number: int
) -> Iterator[int]:
    """Yield the mines of each cell in one way to lay them; ways are in lexicographic order.

    Args:
        ways: the ways of all cells together, by mines.
        spans: the most mines of each cell.
        mines: how many mines are laid.
        number: the number of the way, from 0.
    """
    left = list(ways[: mines + 1])
    for span in spans:
        left = divide_out_cell(left, span)
        held = 0
        while number >= left[mines - held]:
            number -= left[mines - held]
            held += 1
        yield held
        mines -= held
        del left[mines + 1 :]


def rank_arrangement(ways: Sequence[int], cells: Iterable[tuple[int, int]], mines: int) -> int:
    """Return the number of a way to lay mines: the inverse of `iterate_arrangement`.

    Args:
        ways: the ways of all cells together, by mines.
        cells: (span, mines) of each cell.
        mines: how many mines are laid.
    """
    left, rank = list(ways[: mines + 1]), 0
    for span, held in cells:
        left = divide_out_cell(left, span)
        rank += sum(left[mines - less] for less in range(held))
        mines -= held
        del left[mines + 1 :]
    return rank
