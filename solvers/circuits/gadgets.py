"""The pieces that circuits are laid of: squares of nine by nine cells with wires at their sides.

A wire is Kaye's ("Minesweeper is NP-complete", The Mathematical Intelligencer 22, 2000): pairs of
cells of which one is a mine, three cells apart. It enters a square in the middle of a side. On the
left and above, its first cell is in the square (row 4 of column 0, column 4 of row 0); on the
right and below, it is in the next square. A mine in it means true. All other cells at the sides are
clues, which see nothing of the neighbours but these first cells: so the layouts of a circuit are
those of its squares, put together wherever they agree about the wires between them.

The squares themselves are no copies of Kaye's: for each state of its wires that a square allows,
it has exactly one layout, so that nothing is counted twice. They were found by a solver, which
looked for those with the fewest unknown cells and mines; the tests try all their layouts. In the
middle of a gate one clue adds: for `and`, with known mines counted out,
``a + b + n + n + r = 3``, where ``n`` are two cells that always agree. Whatever a and b are, that
leaves one way: n is their nand, and r what is missing. All gates are this half adder with wires in
one phase or the other. The clue in the middle of the crossing adds likewise: it reads a and b from
``a + 2b``, and writes them on the other side.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

#: Rows and columns of a gadget.
SIDE: Final = 9
#: Where wires enter: the row on the left and the right, the column above and below.
MIDDLE: Final = 4

#: The rows of all gadgets. What is ``turned`` sends the other phase down; so does the crossing.
GADGETS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "across": """
            000000000
            000000000
            000000000
            111111111
            ??1??1??1
            111111111
            000000000
            000000000
            000000000
            """,
        "down": """
            0001?1000
            0001?1000
            000111000
            0001?1000
            0001?1000
            000111000
            0001?1000
            0001?1000
            000111000
            """,
        "bend": """
            0001?1000
            0001?1000
            001221000
            112B?1000
            ??2??2100
            11112B100
            000011100
            000000000
            000000000
            """,
        "input": """
            000000000
            000000000
            000000000
            000000000
            001232100
            001BBB100
            0013?3100
            0001?1000
            000111000
            """,
        "first": """
            000000000
            000000000
            001221000
            002BB2111
            002B?3??1
            00123B211
            0001?2100
            0001?1000
            000111000
            """,
        "first turned": """
            000000000
            000000000
            000011100
            00002B311
            00124B??1
            001BB3211
            0013?2000
            0001?1000
            000111000
            """,
        "tap": """
            000000000
            012321000
            01BBB1000
            123?32111
            ??22?2??1
            12B22B211
            0112?2100
            0001?1000
            000111000
            """,
        "tap turned": """
            000000000
            001232100
            001BBB100
            1123?3211
            ??1?11??1
            111111111
            0001?1000
            0001?1000
            000111000
            """,
        "last": """
            000000000
            000000000
            011100000
            12B111100
            ??222B100
            122??3200
            01B3?B100
            0112?2100
            000111000
            """,
        "last turned": """
            000000000
            000000000
            001221000
            112BB2000
            ??2?B3100
            11123B100
            0001?2100
            0001?1000
            000111000
            """,
        "crossing": """
            0001?1000
            0013?3221
            001BB4BB1
            1124???42
            ??1?B5B?1
            1124???42
            002BB5BB1
            002B?B321
            001232100
            """,
        "not": """
            0001?1000
            0001?1000
            001232100
            001B?B100
            002353200
            001B?B100
            002353200
            001B?B100
            001232100
            """,
        "and": """
            0123?1000
            12BB?2100
            2B6?5B100
            3B?BB3211
            3B?5?4??2
            3B?B?B?B3
            2B6?5?5B2
            12BB?2B21
            012322110
            """,
        "or": """
            1111?1000
            1B22?1111
            12??322B1
            13?B???32
            2BB5??B?2
            3B?B?3?B3
            2B5?3?4B2
            12B2?2B21
            011212110
            """,
        "xor": """
            1111?1000
            2B32?1000
            2B??32211
            235??B4B2
            1B?B5?B?2
            235?4?B42
            2B?????B2
            2B32?23B2
            111111111
            """,
        "implies": """
            0123?3210
            12BB?BB21
            2B6?5?4B1
            3B?B?3?22
            3B?5B?2?1
            3B?B?4?32
            2B5?3?BB1
            12B2?3B31
            011212110
            """,
        "iff": """
            1111?1000
            2B32?1000
            2B??32211
            235??B3B2
            1B?B6?5?3
            235??B3B2
            2B??53311
            2B4B?B100
            112232100
            """,
        "true": """
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            000111000
            """,
        "false": """
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            """,
        "end": """
            0001?1000
            000111000
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            000000000
            """,
    }
)

#: A square without a wire.
EMPTY: Final = np.zeros((SIDE, SIDE), np.int8)
