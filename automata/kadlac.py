"""Kadlac's machine for boards of one row: its runs and its errors.

Source: M. Kadlac, Explorations of the Minesweeper Consistency Problem (2003),
section 7. Table 1 decides every board of one row. The output map of Table 2
does not give a layout for every consistent board (``?0`` comes out as ``B0``),
and no other map over the same states can, nor any machine that writes a letter
for each square as it reads it: the first square of ``?0`` is safe and that of
``?10`` is a mine.

A row here is a string over ``0`` to ``8``, ``B`` and ``?``. A single row has
no clue above two, so ``3`` to ``8`` are errors.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Final

from minecheck.automata.kadlac_errors import Inconsistency, classify_piece
from minecheck.automata.machine import Machine

#: Table 1: a row for each state, a column for each symbol and for the end of the board (e).
TABLE: Final = """
      0   1   2   B   ?   e
so    0   1o  Er  B   ??  Er
0     0   1o  Er  Er  ?o  0
1o    Er  Er  Er  B   ?b  Er
1b    0   1o  Er  Er  ?o  1b
1?    0   1o  Er  B   ??  1?
2     Er  Er  Er  B   ?b  Er
B     Er  1b  2   B   ??  B
?o    0   1o  Er  B   ??  ?o
?b    Er  1b  2   B   ??  ?b
??    0   1?  2   B   ??  ??
Er    Er  Er  Er  Er  Er  Er
"""

#: Table 2: what each state writes: 0 no mine, B a mine, X an error.
OUTPUTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "so": "X",
        "0": "0",
        "1o": "0",
        "1b": "0",
        "1?": "0",
        "2": "0",
        "B": "B",
        "?o": "0",
        "?b": "B",
        "??": "B",
        "Er": "X",
    }
)

_START: Final = "so"
#: The state of all boards that are inconsistent.
ERROR: Final = "Er"
_END: Final = "e"
_UNDECIDED: Final = "??"

#: The symbols of Table 1, and how many of them Appendix B goes through at a time.
_PRINTED: Final = "012B?"
_WINDOW: Final = 4

#: No cell of a single row has more than two neighbours.
_CLUES_TOO_LARGE: Final = tuple("345678")


@dataclass(frozen=True)
class Run:
    """A run of the machine of Tables 1 and 2 on a row of n squares.

    Attributes:
        states: the start, the state after each square, the state after the
            end of the board: n + 2 names.
        output: what Table 2 writes for each square: n letters 0, B or X. Not
            always a layout when the run is accepted.
        failed_at: the first square after which the state is Er, n for the end
            of the board, None if there is none.
        inconsistency: what is wrong: the piece of the row that is complete at
            ``failed_at``; None if nothing is.
    """

    states: tuple[str, ...]
    output: str
    failed_at: int | None
    inconsistency: Inconsistency | None

    @property
    def accepted(self) -> bool:
        """True if the row is consistent."""
        return self.failed_at is None


def run_machine(row: str) -> Run:
    """Run the machine on ``row``, step by step, in O(n).

    Raises:
        ValueError: the row is empty, or a square is safe with its number not
            known (``S``) or no symbol at all; it names the square.
    """
    states = _visit_states(row)
    return Run(
        states=states,
        output="".join(OUTPUTS[state] for state in states[1:-1]),
        failed_at=states.index(ERROR) - 1 if states[-1] == ERROR else None,
        inconsistency=next(_iterate_inconsistencies(row), None),
    )


def find_errors(row: str) -> tuple[Inconsistency, ...]:
    """Find all the smallest contradictory pieces of ``row``, from left to right, in O(n).

    There are none when the row is consistent. The first is the one the
    machine fails on. A ``?`` before and after a row takes away its ends.

    Raises:
        ValueError: as for `run_machine`.
    """
    _check_row(row)
    return tuple(_iterate_inconsistencies(row))


@cache
def list_end_states() -> Mapping[str, str]:
    """Return Table 1's column for the end of the board: state -> state after the end."""
    return MappingProxyType({state: row[_END] for state, row in _list_moves().items()})


@cache
def list_windows() -> Mapping[str, Inconsistency | None]:
    """Return Appendix B: four squares inside a board -> the first error in them, or None.

    There are all 625, sorted by their squares in the order of Table 1; a free square stands on
    either side.
    """
    rows = map("".join, product(_PRINTED, repeat=_WINDOW))
    return MappingProxyType({row: next(_iterate_inconsistencies(f"?{row}?"), None) for row in rows})


@cache
def build_machine() -> Machine:
    """Build the deterministic machine of Table 1; it says whether a row is consistent."""
    moves = _list_moves()
    symbols = tuple(symbol for symbol in moves[_START] if symbol != _END)
    return Machine(
        name="kadlac",
        rows=1,
        states=tuple(moves),
        symbols=symbols,
        start=_START,
        accepting=frozenset(state for state, row in moves.items() if row[_END] != ERROR),
        moves={
            state: {symbol: (row[symbol],) for symbol in symbols} for state, row in moves.items()
        },
        columns={},
    )


@cache
def _list_moves() -> dict[str, dict[str, str]]:
    """Return Table 1 as state -> symbol or end -> state, with the clues that are too large."""
    header, *rows = (line.split() for line in TABLE.strip().splitlines())
    too_large = dict.fromkeys(_CLUES_TOO_LARGE, ERROR)
    return {
        state: {**dict(zip(header, targets, strict=True)), **too_large} for state, *targets in rows
    }


@cache
def _list_moves_from_ends() -> dict[str, dict[str, str]]:
    """Return Table 1 with the end of the board leading to the start.

    A reading may come from there, too.
    """
    return {
        state: {**row, _END: ERROR if row[_END] == ERROR else _START}
        for state, row in _list_moves().items()
    }


def _check_row(row: str) -> None:
    if not row:
        raise ValueError("a row has at least one square")
    symbols = build_machine().symbols
    for index, symbol in enumerate(row):
        if symbol == "S":
            raise ValueError(
                f"square {index} is safe with its number not known, "
                "which is not in the alphabet of Kadlac's machine"
            )
        if symbol not in symbols:
            raise ValueError(f"square {index} is {symbol!r}: a square is one of {''.join(symbols)}")


def _visit_states(row: str) -> tuple[str, ...]:
    """Return the start, the state after each square, and the state after the end of the board."""
    _check_row(row)
    moves = _list_moves()
    states = [_START]
    for symbol in row + _END:
        states.append(moves[states[-1]][symbol])
    return tuple(states)


def _iterate_inconsistencies(row: str) -> Iterator[Inconsistency]:
    """Yield the smallest contradictory pieces of a row, from left to right.

    A piece that the machine fails on is made as short as can be by reading it
    backwards from where it failed: the mirror image of a row is as consistent
    as the row. Two pieces share at most two squares, for within a piece 1 and
    ? take turns, so that reading a piece again for the next one keeps the
    whole linear.
    """
    word = _END + row + _END
    last_index = _find_failure(word, range(len(word)))
    while last_index is not None:
        first_index = _find_failure(word, range(last_index, -1, -1))
        assert first_index is not None, "a piece is as consistent as its mirror image"
        kind, subtype = classify_piece(word[first_index : last_index + 1])
        yield Inconsistency(
            kind,
            subtype,
            # Indices in the word count the end at the left.
            start=max(first_index - 1, 0),
            stop=min(last_index, len(row)),
            at_start=first_index == 0,
            at_end=last_index == len(word) - 1,
        )
        last_index = _find_failure(word, range(first_index + 1, len(word)))


def _find_failure(word: str, indices: Iterable[int]) -> int | None:
    """Return where the machine fails when it reads these indices of a word, None if it does not.

    In ``??`` nothing is known of what is before, so a reading begins there.
    Er means that nothing read after it could help, so a reading without it
    can be completed.
    """
    moves = _list_moves_from_ends()
    state = _UNDECIDED
    for index in indices:
        state = moves[state][word[index]]
        if state == ERROR:
            return index
    return None
