"""The fields of an answer: the one table that `write` follows and that says how much room it needs.

Both go through the rows in order, so a field is neither written without room nor given room for
nothing. `write` asserts that each field keeps to its row.

Tested in tests/solvers/positions/test_write.py.
"""

from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.compiled import inline_kernel
from minecheck.solvers.counting.safest import SAFEST

# What a question may ask for, as bits: the layout, the counts, the forced cells, and the chances
# with the safest cells.
WITNESS: Final = 1
COUNT: Final = 2
FORCED: Final = 4
CHANCES: Final = 8

#: Letters of the longest double, such as -2.2250738585072014e-308, and digits of the largest int64.
_CHANCE: Final = 24
_NUMBER: Final = 19
#: Digits of a row or a column: boards have fewer than 2**31 cells, as kinds are int32.
_HALF: Final = 10
#: Letters of [row,col] and a comma.
_CELL: Final = 2 * _HALF + len("[,],")
#: Letters of one of the safest cells and a comma.
CELL_IS: Final = b'{"cell":'
CHANCE_IS: Final = b',"probability":'
_SAFE_CELL: Final = len(CELL_IS) + _CELL - 1 + len(CHANCE_IS) + _CHANCE + len("},")
#: The text between the parts of a field.
SAFE_ARE: Final = b',"safe":'
COLS_ARE: Final = b',"cols":'
MINES_ARE: Final = b',"mines":'
SOLVER_IS: Final = b',"solver":'
#: The value for a missing total.
NULL: Final = b"null"


class _Field(NamedTuple):
    """The room for a field: its ``name``, and the letters of its value in all, per row, per cell.

    It is written if a question asks for all of its ``bits``. What Python writes in one piece, the
    counts and the solver, is not included.
    """

    bits: int
    name: bytes
    letters: int = 0
    a_row: int = 0
    a_cell: int = 0


# The indices of the rows. Every value ends with what separates it from the next name.
VERDICT, LAYOUT, COUNTS, CERTAIN, ODDS, LEAST, SIZE = range(7)
_TABLE: Final = (
    _Field(0, b'{"consistent":true,'),
    # ["..",".."],
    _Field(WITNESS, b'"witness":', letters=2, a_row=3, a_cell=1),
    _Field(COUNT, b""),
    # [..],"safe":[..]},: no cell is in both lists, and an empty one takes two letters.
    _Field(FORCED, b'"forced":{"mines":', letters=4 + len(SAFE_ARE) + 2, a_cell=_CELL),
    # [[..],[..]],: the last comma of a list becomes its bracket.
    _Field(CHANCES, b'"probabilities":', letters=2, a_row=2, a_cell=_CHANCE + 1),
    _Field(CHANCES, b'"safest":', letters=3 + SAFEST * _SAFE_CELL),
    # The solver follows, and "}\n".
    _Field(
        0,
        b'"conflict":null,"rows":',
        letters=3 * _NUMBER + len(COLS_ARE + MINES_ARE + SOLVER_IS) + 2,
    ),
)
assert len(_TABLE) == SIZE + 1
assert len(NULL) <= _NUMBER

#: Room for a text that is copied as a whole: a chance or a coordinate, and what separates it.
TEXT_ROOM: Final = 32
assert max(_CHANCE + 1, _HALF + len("],")) <= TEXT_ROOM

#: The table for compiled code: (fields,), (fields + 1,) offsets in the text of all names, (fields,
#: 3) letters in all, a row and a cell.
BITS: Final = np.array([field.bits for field in _TABLE])
NAMES: Final = np.frombuffer(b"".join(field.name for field in _TABLE), np.uint8)
NAME_STARTS: Final = np.cumsum([0, *(len(field.name) for field in _TABLE)])
_ROOM: Final = np.array(
    [(len(field.name) + field.letters, field.a_row, field.a_cell) for field in _TABLE]
)


@inline_kernel
def is_requested(field: int, fields: int) -> bool:
    """Return True if an answer with these bits has a field of the table.

    Args:
        field: the row of the field.
        fields: the bits of the answer.
    """
    return bool(BITS[field] & ~fields == 0)


@inline_kernel
def bound_letters(field: int, rows: int, cols: int) -> int:
    """Return the most letters of a field of the table, on a board of this size.

    Args:
        field: the row of the field.
        rows: rows of the board.
        cols: columns of the board.
    """
    return int(_ROOM[field, 0] + rows * _ROOM[field, 1] + rows * cols * _ROOM[field, 2])
