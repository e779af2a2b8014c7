"""Texts that a model may read: how boards are written, and what the words mean."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import mcp_types as types

_NOTATION: Final = """# How boards are written

One row a line, all rows of the same length. Each cell is one symbol:

| symbol | meaning |
|---|---|
| 0 to 8 | a clue: the cell is open, and so many of the up to eight cells around it are mines |
| ? | unknown: the cell is not open |
| B or * | a mine |
| S | safe, but its number is unknown |
| F | a flag of a player; a claim, unless flags is "trust" |

An example of three rows and four columns:

    ?1??
    12?1
    ???1

Cells are (row, column), counted from 0 at the top left. In the example, the 2 is at (1, 1). An
argument that takes a cell takes "1,1" or [1, 1].

Other texts are read as well: emoji, tables, cells with separators, symbols of other programs, game
IDs and files. read_board shows how a text was read. If a text may mean several boards, the error
lists each of them, ready to be sent. With the argument symbols, such as
{"X": "mine", ".": "unknown"}, nothing has to be guessed.

mines is the total on the whole board, with those that are shown or flagged. Without it, layouts
with any number of mines count.
"""

_GLOSSARY: Final = """# Glossary

- **clue**: a number on an open cell: how many of its neighbours are mines.
- **layout**: for every cell of a board, whether it is a mine.
- **consistent**: at least one layout fits all clues, and the total of mines if it is stated.
- **conflict**: clues that no layout fits together; minimal if that needs every one of them.
- **proved safe, proved mine** (forced): the same in every layout that fits. It is no guess, and no
  matter of probability.
- **chance**: the share of the layouts that fit in which a cell is a mine. All layouts are equally
  likely. The value is exact up to the rounding of its digits.
- **win**: the chance to win the game from here with the best play. Exact where the answer says so,
  else between two bounds.
- **progress**: the chance that opening a cell leads to a cell that is proved safe.
- **guess that cannot be avoided**: cells of which no play will ever tell which is the mine.
- **opening**: an area of zeros with the clues around it, which one click opens.
- **3BV**: the fewest clicks (without flags) that open all safe cells.
- **guess-free**: a map on which, after the first click, some cell can always be proved safe.
- **levels of steps**, the easiest first: *trivial* (one clue alone), *subset* (one clue within
  another), *bounds* (least and most mines of overlapping clues), *look-ahead* (a mine supposed, and
  a contradiction), *global* (with the total of mines), *search* (anything harder).
- **incomplete**: the time did not suffice. What is stated is still exact; the rest is missing.
"""

#: The texts by their URI.
TEXTS: Final[Mapping[str, str]] = MappingProxyType(
    {"minecheck://notation": _NOTATION, "minecheck://glossary": _GLOSSARY}
)
MARKDOWN: Final = "text/markdown"
#: What the texts are.
RESOURCES: Final = (
    types.Resource(
        uri="minecheck://notation",
        name="notation",
        title="How boards are written",
        description="The symbols of boards, and cells",
        mime_type=MARKDOWN,
    ),
    types.Resource(
        uri="minecheck://glossary",
        name="glossary",
        title="What the words mean",
        description="The terms of the answers",
        mime_type=MARKDOWN,
    ),
)

#: The instructions that a model gets at the beginning.
INSTRUCTIONS: Final = (
    "minecheck answers questions about Minesweeper boards exactly. Paste a board as text, one row "
    "a line: 0-8 for clues, ? for unknown cells, B for mines. Cells are (row, column), counted "
    "from 0 at the top left. Give mines, the total on the whole board, if you know it. Answers "
    "begin with the verdict; what is too long is left out, and the answer tells how to ask for it."
)
