"""Boards as people write them: any text, read without a silent guess.

`read` answers plain rows (`plain_rows`) at once. Files and links of other programs that bear signs
are left by `any_text` to `minefield.formats`. The way of any other text:

1. `characters`: bytes become text; digits of other scripts, wide forms, keycaps, names of emoji
   and spoilers become single characters.
2. `containers`: links, commands, forms and JSON (`json_objects`) around a board are recognised and
   opened, and the string of a program that is the board (`programs`, `strings`); `cell_objects`
   gives cells that are objects a symbol, and `flat_boards` cuts one list of cells by a size beside
   it. Any other text is left to `bare_text`: `markup` leaves out what only says how it looks,
   `consoles` what was typed at prompts, and `legends` finds what it says that symbols mean.
3. `literals` (with `lists`, and `other_lists` that are no boards), or else `rows` (or
   `declared_rows`), cuts the text into a `Grid`, cells as they were written. Words around them
   (`labels`, `captions`), other lines that look like rows (`surroundings`), lines of tables
   (`frames`) and separators are left out, each with a note; `totals` finds the number of mines
   that the text states, wherever it stands, in digits or words (`written_numbers`), and `sizes`
   the size of the board. `row_labels` and `odd_lines` reject rows that are not the board as it is
   meant.
4. `rulers`: numbers or letters along the edges of a grid are distinguished from clues.
5. `meanings`: each symbol gets the meanings that people use it with. One assignment that fits is
   a reading; several with different boards are an `AmbiguousBoardError`. `mentions` compares the
   readings with sentences about symbols, and `other_grids` adds those without words and lines.
"""

from minecheck.minefield.reader.characters import decode_text
from minecheck.minefield.reader.read import read_board
from minecheck.minefield.reader.reading import AmbiguousBoardError, BoardReading

__all__ = ["AmbiguousBoardError", "BoardReading", "decode_text", "read_board"]
