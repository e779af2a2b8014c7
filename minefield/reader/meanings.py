"""The meanings that people give to symbols, and the boards that a grid of symbols can stand for.

Tested in tests/minefield/reader/test_read.py.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, product
from types import MappingProxyType
from typing import Final
from unicodedata import numeric

import numpy as np

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minecheck.minefield.notation import DIALECTS
from minecheck.minefield.reader.reading import AmbiguousBoardError, BoardReading, Grid
from minecheck.minefield.reader.vocabulary import CLUE_NAMES
from minecheck.minefield.reduction.constraints import NONE, Constraints
from minecheck.minefield.symbols import MEANING_NAMES, STANDARD_CODES

#: Symbols with a single meaning on every board. Letters are compared in lower case.
_FIXED: Final[Mapping[str, int]] = MappingProxyType(
    {
        **{str(clue): clue for clue in range(9)},
        **{name: clue for clue, name in enumerate(CLUE_NAMES)},
        **dict.fromkeys(("?", "e", "h", "u", "❓", "█", "▓", "▒", "░", "■", "▣", "▢"), UNKNOWN),
        **dict.fromkeys(
            ("none", "null", "nil", "nan", "na", "<na>", "undefined", "undef"), UNKNOWN
        ),
        **dict.fromkeys(("nothing", "missing", "~", "--", "<>", "$null"), UNKNOWN),
        **dict.fromkeys(("hidden", "unknown", "covered", "closed"), UNKNOWN),
        **dict.fromkeys(("unopened", "unrevealed"), UNKNOWN),
        **dict.fromkeys(("b", "*", "m", "💣", "mine", "bomb"), MINE),
        **dict.fromkeys(("f", "p", "🚩", "flag", "flagged"), FLAG),
        **dict.fromkeys(("s", "safe"), SAFE),
    }
)
#: Symbols that players see on a cell that is not opened.
_SHOWN_UNKNOWN: Final = frozenset(
    (*"?hu❓█▓▒░■▣▢", "hidden", "unknown", "covered", "closed", "unopened", "unrevealed")
)
#: The number that programs write for a cell that is not a clue.
_MINUS_ONE: Final = "-1"
#: Symbols with several meanings: the primary ones, then the meanings on boards where another symbol
#: already has the primary one.
_VARYING: Final[Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]] = MappingProxyType(
    {
        ".": ((UNKNOWN, 0), ()),
        "-": ((UNKNOWN,), (0,)),
        "_": ((UNKNOWN,), (0,)),
        "#": ((UNKNOWN,), (MINE,)),
        "": ((UNKNOWN,), (0,)),
        _MINUS_ONE: ((UNKNOWN,), (MINE,)),
        **dict.fromkeys("x@+", ((MINE, UNKNOWN), ())),
        "o": ((0, UNKNOWN), ()),
        **dict.fromkeys((" ", "empty"), ((SAFE, 0, UNKNOWN), ())),
        "□": ((UNKNOWN, 0), ()),
        **dict.fromkeys("☒!", ((FLAG, MINE), ())),
        "⬜": ((UNKNOWN,), (0,)),
        "⬛": ((UNKNOWN,), (0,)),
        "🔲": ((UNKNOWN,), (0,)),
        "🔳": ((UNKNOWN,), (0,)),
        "🟩": ((UNKNOWN,), (0,)),
        "🟦": ((0, UNKNOWN), ()),
        **dict.fromkeys("🟫🟨🟪🟧", ((UNKNOWN, 0), ())),
        "🟥": ((UNKNOWN, MINE), ()),
    }
)
#: Symbols that mean something else on boards that have no others, and are the question there.
_ALONE: Final[tuple[Mapping[str, tuple[int, ...]], ...]] = (
    # Either may be the mine, and the other one the cover.
    {"x": (MINE, UNKNOWN), "*": (MINE, UNKNOWN)},
    # Covers among opened cells, or mines among safe ones.
    {"#": (UNKNOWN, MINE), ".": (0, SAFE)},
    {_MINUS_ONE: (UNKNOWN, MINE), "0": (0, SAFE)},
    # A board of nothing but mines is no question.
    {"*": (MINE, UNKNOWN)},
)
#: Meanings of other symbols that are tried only where clues contradict their own, and no other
#: symbol means that.
_IF_CONTRADICTED: Final[Mapping[str, int]] = MappingProxyType(dict.fromkeys("*mb", UNKNOWN))
#: Marks of a cell, which may be the mine that ended a game.
_MARKS: Final = frozenset("x@+!☒")
#: Symbols that end sentences, too: they are cells among others only.
_ALSO_PROSE: Final = frozenset("!")
#: Signs between cells, and the blank that each is as good as.
_SEPARATORS: Final = str.maketrans(",;|/", "    ")
#: Covers of which another one may be an opened cell.
_BLOCKS: Final = frozenset("█▓▒░■▣▢")
_COVERED_SQUARES: Final = frozenset("⬜⬛🔲🔳🟩")
_SQUARES: Final = frozenset("⬜⬛🔲🔳🟩🟦🟫🟨🟪🟧🟥□■▢▣")
#: Numbers as floats write them: whole ones.
_WHOLE_FLOAT: Final = re.compile(r"([+-]?[0-9]+)[.,]0*(?:e[+-]?0+)?")
#: The most symbols to which a fix gives a meaning, and how these look: numbers, words, signs that
#: part nothing; no letters that may be misread digits.
_MOST_NAMED: Final = 4
_NAMEABLE: Final = re.compile(
    r"(?![lI|]\Z)(?:-?[0-9]{1,4}|\w{1,19}|[$^~=<>&/]|[^\x00-\x7f\u2190-\u21ff]{1,4})"
)
#: Clues next to a mine, as texts write them, and how many of them a map has at least.
_CLUES: Final = frozenset("12345678")
_LEAST_CLUES: Final = 3
_CLUE_CODES: Final = frozenset(range(9))
#: Notes about a board of numbers alone, such as pairs of coordinates.
_PAIR: Final = 2
_NOTHING_HIDDEN: Final = "No cell is hidden, so the clues contradict each other."
_COORDINATES: Final = " Coordinates are no board."
_IF_ZERO_IS_HIDDEN: Final = ' If 0 is an unknown cell, say so with symbols: {"0": "unknown"}.'
#: The codes of a map on which nothing is hidden.
_OF_A_MAP: Final = _CLUE_CODES | {MINE, FLAG}
#: The most readings that are offered.
_MOST_READINGS: Final = 4
#: The most assignments that are tried where clues contradict the usual one, and the most cells that
#: all of these together have; a few are tried in any case.
_MOST_TRIED: Final = 64
_MOST_TRIED_CELLS: Final = 400_000
_LEAST_TRIED: Final = 3
_WORDS: Final[Mapping[int, str]] = MappingProxyType(
    {UNKNOWN: "unknown", MINE: "a mine", SAFE: "safe", FLAG: "a flag", 0: "a clue 0"}
)
#: Names, in sentences, for symbols that are invisible.
_NAMES: Final[Mapping[str, str]] = MappingProxyType({"": "an empty field", " ": "a blank"})


def interpret_grid(grid: Grid, symbols: Mapping[str, int]) -> BoardReading:
    """Return the one board that a grid of symbols can stand for.

    Args:
        grid: cells as they were written.
        symbols: cell codes of symbols whose meaning the sender has given.

    Raises:
        BoardError: a symbol has no meaning that people use.
        AmbiguousBoardError: the symbols can stand for different boards.
    """
    used = list(dict.fromkeys(chain.from_iterable(grid.cells)))
    choices = _list_choices(used, grid, symbols)
    readings = list(islice(_assign_meanings(choices), _MOST_READINGS))
    if not grid.opened and not symbols:
        readings += [
            {cell: dialect[cell] for cell in used}
            for dialect in DIALECTS.values()
            if all(cell in dialect for cell in used)
        ]
    readings += _list_exploded(grid, readings[0], symbols)
    # Notes name the symbols in the order in which they are met.
    in_order = [{cell: assigned[cell] for cell in used} for assigned in readings]
    boards = [_build_reading(grid, assigned, symbols) for assigned in in_order]
    distinct = list({reading.board: reading for reading in reversed(boards)}.values())[::-1]
    others: list[tuple[dict[str, int], BoardReading]] = []
    if all(_is_unlikely(reading.board, grid.mines) for reading in distinct):
        others = _list_fitting(choices, grid, symbols, apart=len(distinct) > 1)
    elif len(distinct) == 1:
        others = [*_list_full_maps(choices, readings[0], grid, symbols)]
    readings += [assigned for assigned, _ in others]
    distinct += [reading for _, reading in others]
    if len(distinct) == 1:
        return distinct[0]
    # The likeliest first: what is known of the board does not contradict it.
    distinct.sort(key=lambda reading: _is_unlikely(reading.board, grid.mines))
    symbol = next(cell for cell in used if len({assigned[cell] for assigned in readings}) > 1)
    ways = dict.fromkeys(_say_code(assigned[symbol]) for assigned in readings)
    name = _NAMES.get(symbol, f"the symbol {_say_symbol(symbol)}")
    raise AmbiguousBoardError(
        tuple(distinct),
        f"{name[0].upper()}{name[1:]} can mean {' or '.join(ways)}, which gives different boards.",
    )


def _list_exploded(
    grid: Grid, reading: Mapping[str, int], symbols: Mapping[str, int]
) -> list[dict[str, int]]:
    """Return the reading in which a single mark is the mine that ended a game, if it may be.

    Other mines have a symbol of their own, and nothing else is unknown.
    """
    marks = [cell for cell in reading if _fold_symbol(cell) in _MARKS and cell not in symbols]
    others = {code for cell, code in reading.items() if cell not in marks}
    if len(marks) != 1 or MINE not in others or UNKNOWN in others or reading[marks[0]] == MINE:
        return []
    single = sum(row.count(marks[0]) for row in grid.cells) == 1 < len(grid.cells)
    return [{**reading, marks[0]: MINE}] if single else []


def is_symbol(cell: str) -> bool:
    """Return True if people use this symbol for a cell."""
    folded = cell.lower() if len(cell) == 1 else _fold_symbol(cell)
    return folded in _FIXED or (folded in _VARYING and folded not in _ALSO_PROSE)


def is_cells(text: str) -> bool:
    """Return True if a text has nothing but symbols of cells, and signs between them."""
    words = set(text.translate(_SEPARATORS).split())
    return all(is_symbol(word) or all(map(is_symbol, set(word))) for word in words)


def _fold_symbol(cell: str) -> str:
    """Return the key of a symbol in the tables of meanings."""
    whole = _WHOLE_FLOAT.fullmatch(cell)
    text = whole[1] if whole else cell
    return text.lower() if len(text) < 12 else text


def _list_choices(
    used: list[str], grid: Grid, symbols: Mapping[str, int]
) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return for each symbol its primary meanings, and those for boards where these are taken.

    Raises:
        BoardError: a symbol has none.
    """
    unknown = []
    choices: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for cell in used:
        folded = _fold_symbol(cell)
        if cell in symbols:
            choices[cell] = ((symbols[cell],), ())
        elif cell in DIALECTS.get(grid.notation, ()):
            choices[cell] = ((DIALECTS[grid.notation][cell],), ())
        elif grid.opened and folded in _SQUARES:
            choices[cell] = ((0,), ())
        elif folded in _FIXED:
            choices[cell] = ((_FIXED[folded],), ())
        elif folded in _VARYING:
            choices[cell] = _VARYING[folded]
        else:
            unknown.append(cell)
    if unknown:
        raise _make_unknown_symbols_error(unknown, grid)
    _widen_choices(choices, symbols)
    return choices


def _widen_choices(
    choices: dict[str, tuple[tuple[int, ...], tuple[int, ...]]], symbols: Mapping[str, int]
) -> None:
    """Give symbols further meanings that they have among certain others, if the sender gave none.

    Args:
        choices: the meanings of each symbol of a board, which are changed.
        symbols: cell codes of symbols whose meaning the sender has given.
    """
    if "E" in choices and "B" in choices and "B" not in symbols:
        # If E is an unopened empty cell, B is often a blank cell and M a mine.
        choices["B"] = ((0, MINE), ())
    if (empty := choices.keys() & {"E", "e"} - symbols.keys()) and any(
        cell in choices for cell in "UuHh."
    ):
        # E may be an empty cell if covered ones have another sign.
        choices |= dict.fromkeys(empty, ((UNKNOWN, 0), ()))
    if not symbols:
        alone = next((ways for ways in _ALONE if ways.keys() == choices.keys()), {})
        choices |= {cell: (own, ()) for cell, own in alone.items()}
    if "❓" in choices:
        # Players mark covered cells with it, and others write it for all of them.
        squares = choices.keys() & (_COVERED_SQUARES | {"-", "_"}) - symbols.keys()
        choices |= dict.fromkeys(squares, ((UNKNOWN, 0), ()))
    if len(blocks := choices.keys() & _BLOCKS - symbols.keys()) > 1:
        choices |= dict.fromkeys(blocks, ((UNKNOWN, 0), ()))
    if any({*own} == {UNKNOWN, 0} for cell, (own, _) in choices.items() if cell not in _SQUARES):
        # Either of the two signs may be the cover.
        choices |= {
            cell: ((UNKNOWN, 0), ())
            for cell, (_, further) in choices.items()
            if 0 in further and cell not in _SQUARES
        }
    if choices.keys() <= {".", "*"} and "." not in symbols:
        # A text without numbers is a layout, whose other cells are safe.
        choices["."] = ((UNKNOWN, SAFE), ())
    if len(choices) == 2 and not symbols:
        _widen_layout(choices)
    shown = (
        cell
        for cell in choices
        if cell and (_fold_symbol(cell) in _SHOWN_UNKNOWN or symbols.get(cell) == UNKNOWN)
    )
    if "" in choices.keys() - symbols and any(shown):
        # Some leave opened cells empty, and others cells that they have not filled in.
        choices[""] = ((UNKNOWN, 0), ())


def _widen_layout(choices: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    """Give two symbols, one of them for mines, the meanings of a layout: other cells are safe.

    Args:
        choices: the meanings of each symbol of a board, which are changed.
    """
    mines = [cell for cell, (own, _) in choices.items() if MINE in own]
    sure = [cell for cell in mines if choices[cell] == ((MINE,), ())] or mines
    for cell, (own, further) in choices.items():
        if len(sure) != 1 or cell in sure or SAFE in own:
            continue
        if UNKNOWN in own and len(own + further) > 1:
            choices[cell] = ((UNKNOWN, SAFE), ())


def _assign_meanings(
    choices: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]],
) -> Iterator[dict[str, int]]:
    """Yield each assignment of meanings in which different symbols mean different things.

    Symbols with one meaning may share it. If their own meanings leave no assignment, symbols may
    have their further ones; and if that leaves none either, each has all of its meanings.
    """
    fixed = {cell: own[0] for cell, (own, further) in choices.items() if len(own + further) == 1}
    varying = {cell: both for cell, both in choices.items() if cell not in fixed}
    taken = {code for cell, code in fixed.items() if cell != "❓"}
    alike = {_fold_symbol(cell) for cell in varying}
    for tier in (0, 1, 2):
        if tier < 2 and len(alike) > len(_WORDS):
            continue
        fits = False
        ways = [both[0] if tier == 0 else both[0] + both[1] for both in varying.values()]
        for codes in product(*ways):
            by_key = {_fold_symbol(cell): code for cell, code in zip(varying, codes, strict=True)}
            assigned = dict(zip(varying, codes, strict=True))
            if any(by_key[_fold_symbol(cell)] != code for cell, code in assigned.items()):
                continue
            # An empty field may be as unknown as a cell that is shown so.
            empty = {by_key.pop("")} if "" in by_key else set()
            own_codes = set(by_key.values())
            apart = len(own_codes) == len(by_key) and not own_codes & (taken | empty)
            if apart or tier == 2:
                fits = True
                yield fixed | assigned
        if fits:
            return


def _is_unlikely(board: Board, mines: int | None) -> bool:
    """Return True for a board whose clues contradict each other, or that shows too many mines."""
    shown = int(np.count_nonzero(board.cells == MINE))
    return (mines is not None and shown > mines) or is_contradictory(board)


def is_contradictory(board: Board) -> bool:
    """Return True if clues contradict each other in a way that is easily seen."""
    return Constraints.from_board(board).reduction.conflict != NONE


def _list_fitting(
    choices: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]],
    grid: Grid,
    symbols: Mapping[str, int],
    *,
    apart: bool,
) -> list[tuple[dict[str, int], BoardReading]]:
    """Return a few readings with unusual meanings that clues and total do not contradict.

    Args:
        choices: the meanings of each symbol.
        grid: the cells.
        symbols: cell codes of symbols whose meaning the sender has given.
        apart: whether no two symbols may have the same meaning.
    """
    if choices.keys() == {"0", "1"} - symbols.keys() and grid.notation == "literal":
        # The zeros and ones may say where mines are.
        marked = {"0": SAFE, "1": MINE}
        return [(marked, _build_reading(grid, marked, symbols))]
    fitting: dict[Board, tuple[dict[str, int], BoardReading]] = {}
    meanings, unusual = _list_unusual_meanings(choices, symbols)
    shown = sum(cell in unusual for row in grid.cells for cell in row)
    exceeded = grid.mines is not None and shown > grid.mines
    varying = [cell for cell, ways in meanings.items() if len(ways) > 1]
    cells = len(grid.cells) * len(grid.cells[0])
    tried = min(_MOST_TRIED, max(_LEAST_TRIED, _MOST_TRIED_CELLS // cells))
    for codes in islice(product(*meanings.values()), tried):
        assigned = dict(zip(choices, codes, strict=True))
        # Mines may be a second kind of cover where they are more than the total.
        alone = () if exceeded else (cell for cell in unusual if assigned[cell] == unusual[cell])
        if any(codes.count(assigned[cell]) > 1 for cell in (varying if apart else alone)):
            continue
        reading = _build_reading(grid, assigned, symbols)
        if not _is_unlikely(reading.board, grid.mines):
            fitting.setdefault(reading.board, (assigned, reading))
    return list(fitting.values())[: _MOST_READINGS - 1]


def _list_unusual_meanings(
    choices: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]], symbols: Mapping[str, int]
) -> tuple[dict[str, list[int]], dict[str, int]]:
    """Return all meanings of symbols where clues contradict the usual ones, and those added.

    Args:
        choices: the meanings of each symbol.
        symbols: cell codes of symbols whose meaning the sender has given.
    """
    meanings = {cell: [*own, *further] for cell, (own, further) in choices.items()}
    unusual: dict[str, int] = {}
    for cell, ways in meanings.items():
        other = _IF_CONTRADICTED.get(_fold_symbol(cell))
        if other is not None and other not in ways and cell not in symbols:
            ways.append(other)
            unusual[cell] = other
    if unusual and "#" in meanings.keys() - symbols:
        # It may be an opened cell where covers have another sign.
        meanings["#"].append(0)
    return meanings, unusual


def _list_full_maps(
    choices: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]],
    assigned: Mapping[str, int],
    grid: Grid,
    symbols: Mapping[str, int],
) -> Iterator[tuple[dict[str, int], BoardReading]]:
    """Yield readings in which an unknown cell is a 0 instead, and every clue is right then.

    All mines are seen in such a map, and a few clues are seldom right by chance.
    """
    shown_clues = sum(cell in _CLUES for row in grid.cells for cell in row)
    if shown_clues < _LEAST_CLUES:
        return
    for cell, (_, further) in choices.items():
        others = {code for other, code in assigned.items() if other != cell}
        mines = others & {MINE, FLAG}
        if 0 in further and assigned[cell] == UNKNOWN and mines and others <= _OF_A_MAP:
            shown = {**assigned, cell: 0}
            reading = _build_reading(grid, shown, symbols)
            cells = np.where(reading.board.cells == FLAG, MINE, reading.board.cells)
            if not is_contradictory(Board(cells)):
                yield shown, reading


def _build_reading(
    grid: Grid, assigned: Mapping[str, int], symbols: Mapping[str, int]
) -> BoardReading:
    codes = [[assigned[cell] for cell in row] for row in grid.cells]
    changed = {cell: code for cell, code in assigned.items() if STANDARD_CODES.get(cell) != code}
    notes = list(grid.notes)
    if changed:
        said = [f"{_say_symbol(cell)} as {_say_code(code)}" for cell, code in changed.items()]
        notes.append(f"Read {', '.join(said)}.")
    for cell, code in changed.items():
        if _fold_symbol(cell) == _MINUS_ONE and cell not in symbols:
            other = UNKNOWN if code == MINE else MINE
            notes.append(
                f"If {_say_symbol(cell)} is {_say_code(other)}, say so with symbols: "
                f'{{"{cell}": "{MEANING_NAMES[other]}"}}.'
            )
    if any(assigned.values()) and {*assigned.values()} <= _CLUE_CODES and not symbols:
        pairs = len(grid.cells[0]) == _PAIR and grid.notation in ("literal", "csv")
        if_zero = _IF_ZERO_IS_HIDDEN if "0" in assigned else ""
        notes.append(_NOTHING_HIDDEN + (_COORDINATES if pairs else "") + if_zero)
    return BoardReading(
        Board(np.array(codes, dtype=np.int8)),
        grid.mines,
        grid.notation,
        tuple(notes),
        {cell: MEANING_NAMES[code] for cell, code in changed.items()},
    )


def _say_symbol(cell: str) -> str:
    return _NAMES.get(cell) or (json.dumps(cell[:20]) if cell.isascii() else cell[:20])


def _say_code(code: int) -> str:
    return _WORDS.get(code, f"a clue {code}")


def _is_nameable(cell: str) -> bool:
    """Return True for a symbol that may have any meaning: it is no part of code, and no numeral."""
    numeral = len(cell) == 1 and not cell.isdigit() and numeric(cell, None) is not None
    return _NAMEABLE.fullmatch(cell) is not None and not numeral


def _make_unknown_symbols_error(cells: Sequence[str], grid: Grid) -> BoardError:
    """Return the error of cells without a meaning; its fix offers to name the meanings of a few."""
    row, col = next(
        (row, line.index(cells[0])) for row, line in enumerate(grid.cells) if cells[0] in line
    )
    number = _fold_symbol(cells[0]).lstrip("-").isdigit()
    if not number and any(
        len(cell) > 1 and not (cell.isalpha() or cell.isdigit()) and is_cells(cell)
        for cell in cells
    ):
        detail = f"An item of a row, {_say_symbol(cells[0])}, is a row itself."
        one_board = "Send one board, of which each row is a list of cells, or a string."
        return BoardError("unknown-symbol", detail, one_board, row, col)
    detail = f"The cell at row {row}, column {col} is {_say_symbol(cells[0])}, which "
    detail += "is not a clue from 0 to 8." if number else "is not a known symbol."
    fix = (
        "Write 0 to 8 for clues, ? for unknown cells, B for mines, S for safe cells and F for flags"
    )
    if len(cells) <= _MOST_NAMED and all(map(_is_nameable, cells)):
        # Numbers above 8 are rather mines if all other cells are numbers.
        numbers = all(cell.isdecimal() for row in grid.cells for cell in row)
        usual = dict.fromkeys(cells, "mine" if numbers else "unknown")
        meanings = json.dumps(usual, ensure_ascii=False)
        fix += f"; or say what it means with symbols, such as {meanings}"
    return BoardError("unknown-symbol", detail, f"{fix}.", row, col)
