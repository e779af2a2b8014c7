"""Lists of programs that are no boards: coordinates, masks, solutions, single cells.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

from minecheck.minefield.reader.lists import Candidate
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.reading import NAME_OF_MASK
from minecheck.minefield.reader.surroundings import count_cells

#: Names of lists that are the solution of a board.
_ANSWERS: Final = re.compile(
    r"\b(?:expected|solutions?|solved|answers?|outputs?|results?|actual|got|received|was|wrong)(?:_\w{1,20})?['\"]?"
    r"\s*(?::[^=\n]{0,40}=|[:=]|:=)\s*\Z",
    re.IGNORECASE,
)
#: Names of lists that have one.
_PUZZLES: Final = re.compile(
    r"\b(?:board|grid|field|puzzle|minefield|inputs?|cells|view|matrix)(?:_?\w{1,20})?['\"]?"
    r"\s*(?::[^=\n]{0,40}=|[:=]|:=)\s*\Z",
    re.IGNORECASE,
)
#: Names of lists of coordinates, of mines or of cells around one. Of several names, as in board,
#: mines =, the last is not that of a list right behind them.
_COORDINATE_LISTS: Final = re.compile(
    r"((?:^|;)[ \t(]*(?:\w+, ?)+)?"
    r"(?:\b|\$|_)(?<!= )(?:mines?|bombs?|flags?|dirs?|directions?|moves|offsets|neighbou?rs|deltas?"
    r"|kernel|adjacency|sizes|shapes?|levels|prob(?:abilitie)?s|chances|dist(?:ance)?s?|weights|scores|costs"
    r"|(?P<cells>(?:around)?(?:coord(?:inate)?s?|positions?|points?|locations?)|safe_cells|revealed"
    r"|opened|clicks|targets))(?:_\w{1,20})?"
    r"['\"]?\s*(?::[^=\n]{0,40}=|[ )]*(?:[:=]|:=))[\s(]*(?:array2d\([^\[\]]{0,40})?\Z",
    re.IGNORECASE | re.MULTILINE,
)
#: Names of lists that say of each cell whether it is opened; NumPy has dashes where it is not.
_MASKS: Final = re.compile(
    rf"(?<!  )\b{NAME_OF_MASK}['\"]?\s*(?::[^=\n]{{0,40}}=|:?=|:)[\s\w.]{{0,20}}\(?\s*\Z",
    re.IGNORECASE,
)
#: The beginning of a set of tuples, which stand on its line.
_SET: Final = re.compile(r"\{ ?\(")
_TUPLES: Final = re.compile(r"\[\s*\(")
#: The number of neighbours at the sides of a cell.
_LEAST_OFFSETS: Final = 4
BOOLEANS: Final = frozenset(("true", "false"))
#: The numbers that say where a cell is.
_PAIR: Final = 2


def count_rows_outside(text: str, parts: Sequence[Candidate]) -> int:
    """Return the number of lines outside of all parts that have nothing but several cells."""
    outside = list(text)
    for part in parts:
        start = max(0, part.start)
        outside[start : part.end] = "\0" * (min(part.end, len(text)) - start)
    return sum(is_cells(line) and count_cells(line) > 1 for line in "".join(outside).split("\n"))


def holds_coordinates(text: str, part: Candidate) -> bool:
    """Return True for a list that may hold coordinates, by its name or its triples."""
    named = _COORDINATE_LISTS.search(text[max(0, part.start - 80) : max(0, part.start)])
    if named is not None and named[1] is None:
        if named["cells"] and {*list_widths(part)} != {2}:
            return False
        return not any(map(_is_hidden, chain(*part.ways[0])))
    start = max(0, part.start)
    tuples = _TUPLES.match(text, start) is not None
    if _SET.match(text, start) or (tuples and count_rows_outside(text, [part]) > 1):
        return {*list_widths(part)} == {2} and not any(map(_is_hidden, chain(*part.ways[0])))
    # A row, a column and a value each: [(0, 0, 1), (0, 1, 2)].
    pairs = {tuple(row[:2]) for row in part.ways[0]}
    numbers = all(cell.isdigit() for pair in pairs for cell in pair)
    triples = tuples and part.certain and {*list_widths(part)} == {3} and numbers
    return (triples or _are_offsets(part)) and len(pairs) == len(part.ways[0]) > 1


def is_mask(text: str, part: Candidate) -> bool:
    """Return True for a list of several rows that says of each cell whether it is opened."""
    cells = {cell.lower() for cell in chain(*part.ways[0])}
    named = _MASKS.search(text[max(0, part.start - 80) : max(0, part.start)])
    return named is not None and part.certain and cells in ({"0", "1"}, BOOLEANS)


def is_answer(text: str, part: Candidate) -> bool:
    """Return True for a list that is named as the solution of another."""
    before = text[max(0, part.start - 80) : max(0, part.start)]
    return part.certain and _ANSWERS.search(before) is not None


def may_be_puzzle(text: str, part: Candidate) -> bool:
    """Return True for a list with hidden cells, or named as a board."""
    before = text[max(0, part.start - 80) : max(0, part.start)]
    return any(map(_is_hidden, chain(*part.ways[0]))) or _PUZZLES.search(before) is not None


def is_one_cell(text: str, part: Candidate) -> bool:
    """Return True for two numbers among several other lines, which may say where a cell is."""
    pair = not part.certain and list_widths(part) == [_PAIR]
    beside = f"{text[: part.start]}{text[part.end :]}".split("\n") if pair else []
    numbers = pair and all(map(str.isdigit, part.ways[0][0]))
    return numbers and sum(bool(line.strip()) for line in beside) > _PAIR


def _is_hidden(cell: str) -> bool:
    """Return True for a symbol that is neither a number nor true or false."""
    return is_symbol(cell) and re.fullmatch(r"-?[0-9]+\.?[0-9]*", cell) is None


def _are_offsets(part: Candidate) -> bool:
    """Return True for pairs of steps to cells around one: [[-1, -1], [-1, 0], [-1, 1]]."""
    rows = part.ways[0]
    steps = {*chain(*rows)}
    return {*list_widths(part)} == {2} and len(rows) >= _LEAST_OFFSETS and steps == {"-1", "0", "1"}


def list_widths(part: Candidate) -> list[int]:
    """Return the number of cells in each row of a list."""
    return [len(row) for row in part.ways[0]]
