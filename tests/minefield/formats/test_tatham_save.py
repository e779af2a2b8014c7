"""Saved games of Tatham's Mines: moves are replayed as the program makes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.minefield import Board, FormatError, Layout, Opened, draw, formats, parse
from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN
from minecheck.minefield.reader import read_board

#: A layout of 5 by 4 with mines at (0, 0), (0, 4) and (3, 2), as bits, in hexadecimal.
DESC = "u88004"
ROWS = ["B101B", "11011", "01110", "01B10"]


def save(*moves: str, desc: str = DESC, position: int | None = None) -> str:
    """Return a saved game; a move is the value of MOVE, or another key and a value."""
    states = [move.split("=") if "=" in move else ["MOVE", move] for move in moves]
    fields = [
        ("SAVEFILE", "Simon Tatham's Portable Puzzle Collection"),
        ("VERSION", "1"),
        ("GAME", "Mines"),
        ("PARAMS", "9x9n10"),
        ("CPARAMS", "5x4n3"),
        ("DESC", desc),
        ("UI", "D0"),
        ("TIME", "7.5"),
        ("NSTATES", str(len(states) + 1)),
        ("STATEPOS", str(len(states) + 1 if position is None else position)),
        *states,
    ]
    return "".join(f"{key:8}:{len(value)}:{value}\n" for key, value in fields)


def rows_after(*moves: str, **changes: object) -> list[str]:
    opened = formats.read(save(*moves, **changes))  # type: ignore[arg-type]
    assert opened.layout is not None
    assert opened.layout.rows() == ROWS
    return draw(opened.to_board())


@pytest.mark.parametrize(
    ("moves", "rows"),
    [
        ((), ["?????"] * 4),
        (("F0,0", "F1,0", "F1,0"), ["F????", "?????", "?????", "?????"]),
        (("O1,0",), ["?1???", "?????", "?????", "?????"]),
        # A flag keeps an open 0 from opening a square, and a later click opens it.
        (("F1,1", "O2,0"), ["?101?", "?F01?", "?111?", "?????"]),
        (("O0,3", "F0,0", "C1,1"), ["F101?", "1101?", "0111?", "01???"]),
        # A chord opens whatever has no flag, mines too, and loses.
        (("O1,0", "C1,0"), ["B101?", "1101?", "?111?", "?????"]),
        (("O0,0",), ["B????", "?????", "?????", "?????"]),
        (("F0,1", "O0,0", "SOLVE=S"), ["B???B", "S????", "?????", "??B??"]),
        (("SOLVE=S",), ["F101F", "11011", "01110", "01F10"]),
        # The game is won as soon as all safe squares are open.
        (("O2,0", "O0,3", "O4,2"), ["F101F", "11011", "01110", "01F10"]),
        (("SOLVE=S", "F4,0"), ["F101?", "11011", "01110", "01F10"]),
        (("SOLVE=S", "F4,0", "O1,0"), ["F101F", "11011", "01110", "01F10"]),
        (("O1,0", f"RESTART={DESC}"), ["?????"] * 4),
        ((f"RESTART=1,0,{DESC}",), ["?1???", "?????", "?????", "?????"]),
        (("O1,0;F0,0;O0,1",), ["F1???", "1????", "?????", "?????"]),
        # After a mine, the rest of the same move counts.
        (("O0,0;O4,0;O1,0",), ["B1??B", "?????", "?????", "?????"]),
    ],
)
def test_tatham_save_read_replays_moves(moves: tuple[str, ...], rows: list[str]) -> None:
    assert rows_after(*moves) == rows


def test_tatham_save_read_stops_at_the_position() -> None:
    assert rows_after("O1,0", "O0,0", position=2) == ["?1???", "?????", "?????", "?????"]
    assert rows_after("O1,0", "O0,0", position=1) == ["?????"] * 4


def test_tatham_save_read_opens_the_first_square_of_its_description() -> None:
    opened = formats.read(save(desc=f"1,0,{DESC}"))
    assert draw(opened.to_board()) == ["?1???", "?????", "?????", "?????"]
    assert (opened.first, opened.mines) == ((0, 1), 3)


def test_tatham_save_read_takes_the_private_description_for_the_beginning() -> None:
    text = save("F0,0", desc=f"1,0,{DESC}").replace("UI ", f"PRIVDESC:6:{DESC}\nUI ")
    opened = formats.read(text)
    assert (draw(opened.to_board())[0], opened.first) == ("F????", (0, 1))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n\n"])
def test_tatham_save_is_recognised(newline: str) -> None:
    text = save("O1,0").replace("\n", newline)
    found = read_board(text)
    assert (found.notation, found.rows[0], found.mines) == ("tatham-save", "?1???", 3)
    assert formats.read(text.encode("utf-8-sig")).format == "tatham-save"


def test_tatham_save_read_counts_bytes_of_any_encoding() -> None:
    text = save("O1,0").encode().replace(b"DESC ", b"SEED    :3:a\xff\nDESC ".replace(b"3", b"2"))
    assert formats.read(text, "tatham-save").mines == 3
    accented = save("O1,0").replace("DESC ", "SEED    :2:\xe9\nDESC ")
    assert formats.read(accented).mines == 3


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SAVEFILE:4:Game\n", "wrong-head"),
        (save().replace("Mines", "Slant"), "wrong-head"),
        (save().replace("VERSION :1:1", "VERSION :1:2"), "unknown-version"),
        (save().replace("GAME    :5:Mines\n", ""), "wrong-field"),
        (save().replace("STATEPOS:1:1", "STATEPOS:1:x"), "wrong-field"),
        (save(position=0), "wrong-field"),
        (save(position=2), "wrong-field"),
        (save("O1,0").removesuffix("MOVE    :4:O1,0\n"), "wrong-length"),
        (save("O1,0")[:-3], "wrong-length"),
        (save().replace("NSTATES ", "NSTATES"), "wrong-line"),
        (save() + "DESC    :1:1\n", "wrong-line"),
        (save(desc="r3,u,abcdef"), "no-board"),
        (save(desc=DESC + "0"), "wrong-size"),
        (save(desc="u8800g"), "unknown-symbol"),
        (save(desc=f"5,0,{DESC}"), "first-off-the-board"),
        (save().replace(":5:5x4n3", ":11:9999x9999n3"), "board-too-large"),
        (save("O5,0"), "wrong-line"),
        (save("O0,4"), "wrong-line"),
        (save("X0,0"), "wrong-line"),
        (save("O0"), "wrong-line"),
        (save("O0,0x"), "wrong-line"),
        (save("O1,0", "F1,0"), "wrong-line"),
        (save("O0,0", "O1,0"), "wrong-line"),
        (save("SOLVE=S;S"), "wrong-line"),
        (save("RESTART=u88"), "wrong-size"),
    ],
)
def test_tatham_save_read_rejects_what_the_program_does_not_write(text: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        formats.read(text, "tatham-save")
    assert caught.value.code == code
    assert caught.value.offset is None or 0 <= caught.value.offset <= len(text)


def test_tatham_save_read_names_the_byte_of_a_wrong_digit() -> None:
    text = save(desc="u88g04")
    with pytest.raises(FormatError) as caught:
        formats.read(text)
    assert caught.value.offset is not None
    assert text[caught.value.offset] == "g"


@st.composite
def played(draw: st.DrawFn) -> tuple[Layout, list[str]]:
    """A layout of 5 by 4, and moves that are possible or not."""
    bits = draw(st.integers(0, 2**20 - 1)) & draw(st.integers(0, 2**20 - 1))
    events = st.tuples(st.sampled_from("OOOFFC"), st.integers(0, 4), st.integers(0, 3))
    steps = draw(st.lists(events, max_size=12))
    cells = np.array([bits >> index & 1 for index in range(20)]).reshape(4, 5) == 1
    moves = [f"{kind}{col},{row}" for kind, col, row in steps]
    return Layout(cells), moves + ["SOLVE=S"] * draw(st.integers(0, 1))


def replay_slowly(layout: Layout, moves: list[str]) -> NDArray[np.int64] | None:
    """Replay moves as the rules of the program say, pass by pass; None if one is not possible."""
    codes, cells = layout.to_codes(), np.full(layout.mines.shape, UNKNOWN)
    dead = False

    def near(row: int, col: int) -> list[tuple[int, int]]:
        return [
            (there, across)
            for there in range(max(0, row - 1), min(codes.shape[0], row + 2))
            for across in range(max(0, col - 1), min(codes.shape[1], col + 2))
        ]

    def uncover(row: int, col: int) -> bool:
        if codes[row, col] == MINE:
            cells[row, col] = MINE
            return True
        cells[row, col] = codes[row, col]
        changed = True
        while changed:
            changed = False
            for zero in np.argwhere(cells == 0).tolist():
                for cell in near(*zero):
                    if cells[cell] == UNKNOWN:
                        cells[cell], changed = codes[cell], True
        if not dead and np.all((cells <= 8) == ~layout.mines):
            cells[layout.mines] = FLAG
        return False

    for move in moves:
        if move == "SOLVE=S":
            if dead:
                cells[layout.mines & (cells == UNKNOWN)] = MINE
                cells[~layout.mines & (cells == FLAG)] = SAFE
            else:
                cells = np.where(layout.mines, FLAG, codes)
            continue
        col, row = map(int, move[1:].split(","))
        if dead or (move[0] == "F" and cells[row, col] not in (UNKNOWN, FLAG)):
            return None
        if move[0] == "F":
            cells[row, col] = UNKNOWN + FLAG - cells[row, col]
        for cell in [(row, col)] if move[0] == "O" else near(row, col) if move[0] == "C" else []:
            if move[0] == "O" or cells[cell] == UNKNOWN:
                dead = uncover(*cell) or dead
    return cells


@given(played())
def test_tatham_save_read_follows_the_rules_of_the_program(game: tuple[Layout, list[str]]) -> None:
    layout, moves = game
    digits = np.packbits(layout.mines).tobytes().hex()[:5]
    expected = replay_slowly(layout, moves)
    text = save(*moves, desc=f"u{digits}")
    if expected is None:
        with pytest.raises(FormatError):
            formats.read(text)
        return
    opened = formats.read(text)
    assert opened.board == Board(expected.astype(np.int8))
    # Whatever can be reached can be written, and is reached again.
    assert formats.read(formats.write(opened, "tatham-save")) == opened


@given(seed=st.integers(0, 2**32 - 1), losing=st.booleans())
def test_tatham_save_write_reaches_boards_that_agree(seed: int, losing: bool) -> None:
    rng = np.random.default_rng(seed)
    layout = Layout(rng.random(rng.integers(1, 9, 2)) < 0.2)
    chosen = rng.random(layout.mines.shape)
    cells = np.where(chosen < 0.4, layout.to_codes(), UNKNOWN)
    if not losing:
        cells[cells == MINE] = FLAG
    cells[chosen > 0.9] = FLAG
    opened = Opened(Board(cells.astype(np.int8)), layout, layout.total, "tatham-save")
    assert formats.read(formats.write(opened, "tatham-save")) == opened


@pytest.mark.parametrize(
    ("row", "mines", "location"),
    [("2?", ".B", (0, 0)), ("S?", ".B", (0, 0)), ("B?", ".B", (0, 0)), ("1?1", ".B.", None)],
)
def test_tatham_save_write_rejects_boards_that_no_game_shows(
    row: str, mines: str, location: tuple[int, int] | None
) -> None:
    layout = Layout(np.array([[cell == "B" for cell in mines]]))
    opened = Opened(parse(row), layout)
    if location is None:
        assert formats.read(formats.write(opened, "tatham-save")).board == opened.board
        return
    with pytest.raises(FormatError) as caught:
        formats.write(opened, "tatham-save")
    assert (caught.value.code, (caught.value.row, caught.value.col)) == ("symbol-missing", location)


def test_tatham_save_write_writes_parameters_that_the_program_takes() -> None:
    narrow = Layout(np.zeros((2, 9), np.bool_))
    assert "CPARAMS :6:9x2n1a\n" in str(formats.write(Opened(None, narrow), "tatham-save"))
    full = Layout(np.ones((4, 4), np.bool_))
    assert "CPARAMS :5:4x4n7\n" in str(formats.write(Opened(None, full), "tatham-save"))
