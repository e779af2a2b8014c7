"""The community's formats hold what goes into them, and what is broken is refused, not misread."""

import json
from dataclasses import replace
from hashlib import sha1

import ms_toollib
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minecheck.minefield import FORMATS, Board, FormatError, Layout, Opened, draw, formats, parse
from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN
from minecheck.minefield.formats import tatham
from tests.boards import layout_boards
from tests.minefield.formats.saved_files import MGB_FILE, PENPA_LINK

#: Formats that hold what a player sees without the layout.
VIEWS = [name for name, known in FORMATS.items() if known.views and name != "tatham-save"]
MAPS = [name for name, known in FORMATS.items() if known.maps]

#: What a view may hold: of the formats, only board has every kind of cell.
SEEN = {
    "jsminesweeper": [*range(9), UNKNOWN, FLAG],
    "mine": [*range(9), UNKNOWN, FLAG, MINE],
    "board": [*range(9), UNKNOWN, FLAG, MINE, SAFE],
    "puzzlink": [*range(9), UNKNOWN, SAFE],
    "pzprv3": [*range(9), UNKNOWN, FLAG, SAFE],
    "legup": [*range(1, 9), UNKNOWN, MINE, SAFE],
    "penpa": [*range(9), UNKNOWN, FLAG, MINE, SAFE],
}
#: Formats of views that tell the number of mines.
WITH_TOTALS = ["jsminesweeper", "mine", "board"]

REPORTED = (
    "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/mines.html#9x9:4,4,"
    "m00b7d48a3e0231c419200"
)
#: From the comment in Tatham's mines.c, masked and plain.
MASKED, PLAIN = "9x9:4,4,mb071b49fbd1cb6a0d5868", "9x9:4,4,004000007c00010022080"
LARGE = (
    "49x22:9,12,m5141a7b0615643db1b461184eb1f52ef59a7de6edaea3c5cec7d4f84b8e694d1f4969d86c6b84570d1"
    "06192ce297d73357451b54e18c4ab254eb79a4ba876ebdf50f4e00a91f90587b22038679ca036af88871ace4351c3e"
    "0472db9bc6421098a6343c1560e5e0e2df9a06cf070f21ee81d37791a65a89681d88a27fc97d0ef97c8dd5589b2c24"
)
ZINI = (
    "https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/"
    "?b=2&m=2op8000009p4i40p0g94288s001g30g624088g002o980i015g90"
)
#: What JSMinesweeper's own client made of these boards: getSimpleCompressedData, getPositionData.
ANALYSED = [
    (
        "ajajaaakb2bgSlb2b2lcSs2bO9lcTl3b2lbVb2lcWldWldWo",
        10,
        "1F1000000 112121100 ?22F3F200 ?3F5?F310 ??3FF4F20 ????3F310 ?????2100 ?????1000 ?????1111",
    ),
    ("adadaaad9sS9bV", 3, "F2? F0? ???"),
    ("acacaaadG4", 3, "8F FF"),
    ("aEaqaabLVZR", 99, " ".join(["?" * 30] * 16)),
]
BOARD_FILE = """\
# MINESWEEPER-BOARD v0.1
# Render: ascii
# made by hand
author: someone
comment: 10:30, a colon and a #
rows: 3
columns: 7
mines: 9
game_mode: classic
colour: blue

[view]
UUU2100
UF1X1?U
#@U#111
"""
#: A puzzle of LEGUP: its head, with the board, and its end.
LEGUP = '<Legup><puzzle name="Minesweeper"><board height="2" width="3"><cells>'
LEGUP_END = "</cells></board></puzzle></Legup>"
SAVED = """\
SAVEFILE:41:Simon Tatham's Portable Puzzle Collection
VERSION :1:1
GAME    :5:Mines
CPARAMS :5:5x4n3
DESC    :10:2,0,u88004
PRIVDESC:6:u88004
NSTATES :1:4
STATEPOS:1:3
MOVE    :4:F1,1
MOVE    :9:O2,0;C2,2
SOLVE   :1:S
"""
SAMPLES: dict[str, list[bytes | str]] = {
    "mbf": [bytes([3, 2, 0, 2, 0, 0, 2, 1])],
    "abf": [bytes([3, 2, 0, 2, 0, 0, 2, 1])],
    "hex": ["0302 0002\n0000 0201", "0x3, 0x2, 0x0, 0x02, 0X00 00 0x02 01"],
    "mine": ["3x2x2\nM1F\n11H\n", "3x2x2\r\n?11\r\n11M"],
    "jsminesweeper": [*(f"https://x/?board=9x9x10&analysis={code}" for code, *_ in ANALYSED), ZINI],
    "board": [BOARD_FILE],
    "tatham": [MASKED, PLAIN, REPORTED],
    "puzzlink": ["https://puzz.link/p?mines/5/4/h3k1i.2l", "pzv.jp/p.html?mines_edit/3/1/-03h/"],
    "pzprv3": [
        "pzprv3\nmines\n2\n3\n1 . - \n. . . \n. . . \n. # + \n",
        "pzprv3/mines/1/4/2 . . 1 /. # # . /",
        "https://puzz.link/p?pzprv3/mines/2/2/.%20./3%20./",
    ],
    "tatham-save": [SAVED],
    "legup": [f'{LEGUP}<cell value="2" x="0" y="1"/><cell value="-1" x="0" y="0"/>{LEGUP_END}'],
    "penpa": [PENPA_LINK],
    "mgb": [MGB_FILE],
}


def catch_format_error(
    data: bytes | str, format: str | None, most: int = formats.MOST_CELLS
) -> FormatError:
    with pytest.raises(FormatError) as caught:
        formats.read(data, format, most)
    return caught.value


def unwritten(opened: Opened, format: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        formats.write(opened, format)
    return caught.value


def of_mines(*rows: str) -> Layout:
    return Layout(np.array([[cell == "B" for cell in row] for row in rows]))


@st.composite
def layouts(draw: st.DrawFn, side: int = 20) -> Layout:
    height, width = draw(st.integers(1, side)), draw(st.integers(1, side))
    share = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    seed = draw(st.integers(0, 2**32 - 1))
    return Layout(np.random.default_rng(seed).random((height, width)) < share)


@st.composite
def views(draw: st.DrawFn, codes: list[int], side: int = 9) -> tuple[Board, int]:
    """Any cells at all, consistent or not, and a number of mines."""
    height, width = draw(st.integers(1, side)), draw(st.integers(1, side))
    chosen = draw(st.lists(st.sampled_from(codes), min_size=1, max_size=4))
    seed = draw(st.integers(0, 2**32 - 1))
    cells = np.random.default_rng(seed).choice(chosen, (height, width))
    return Board(cells.astype(np.int8)), draw(st.integers(0, height * width))


@pytest.mark.parametrize("format", MAPS)
@given(layout=layouts())
def test_format_reads_back_the_layout_that_it_writes(format: str, layout: Layout) -> None:
    written = formats.write(Opened(None, layout), format)
    back = formats.read(written, format)
    assert (back.layout, back.mines, back.format) == (layout, layout.total, format)


@pytest.mark.parametrize("format", VIEWS)
@given(data=st.data())
def test_format_reads_back_the_view_that_it_writes(format: str, data: st.DataObject) -> None:
    board, mines = data.draw(views(SEEN[format]))
    written = formats.write(Opened(board, None, mines, ""), format)
    back = formats.read(written, format)
    assert back.board == board
    assert back.mines == mines or format not in WITH_TOTALS


@pytest.mark.parametrize("format", [name for name in VIEWS if FORMATS[name].signed])
@given(board=layout_boards(8))
def test_open_file_recognises_views_by_their_signs(format: str, board: Board) -> None:
    cells = np.where(np.isin(board.cells, SEEN[format]), board.cells, UNKNOWN)
    opened = Opened(Board(cells), None, board.cells.size, format)
    written = formats.write(opened, format)
    assert formats.read(written).format == format
    assert formats.read(written).board == opened.board


@pytest.mark.parametrize("format", ["board", "jsminesweeper"])
@given(layout=layouts(9), seed=st.integers(0, 99))
def test_format_reads_back_a_view_with_its_layout(format: str, layout: Layout, seed: int) -> None:
    hidden = np.random.default_rng(seed).random(layout.mines.shape) < 0.4
    board = Board(np.where(hidden | layout.mines, UNKNOWN, layout.count_neighbours()))
    opened = Opened(board, layout, layout.total, format)
    assert formats.read(formats.write(opened, format)) == opened


@given(layout=layouts(), data=st.data())
def test_format_reads_back_the_first_cell_of_a_game(layout: Layout, data: st.DataObject) -> None:
    height, width = layout.mines.shape
    first = (data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1)))
    opened = Opened(None, layout, layout.total, "tatham", first)
    assert formats.read(formats.write(opened, "tatham")) == opened


def test_mbf_has_width_height_mines_and_columns_before_rows() -> None:
    data = bytes([3, 2, 0, 2, 0, 0, 2, 1])
    opened = formats.read(data, "mbf")
    assert opened == Opened(None, of_mines("B..", "..B"), 2, "mbf")
    assert formats.write(opened, "mbf") == data
    assert formats.read(data, "abf") == replace(opened, format="abf")
    for pasted in SAMPLES["hex"]:
        assert formats.read(pasted, "hex") == replace(opened, format="hex")


def test_mbf_total_of_a_large_board_takes_both_bytes() -> None:
    layout = Layout(np.ones((255, 255), np.bool_))
    data = formats.write(Opened(None, layout), "mbf")
    assert data[:4] == b"\xff\xff" + (255 * 255).to_bytes(2, "big")
    assert formats.read(data, "mbf").layout == layout


def test_dotmine_question_mark_is_a_mine_and_flag_is_a_claim() -> None:
    opened = formats.read("4x2x3\nF?M1\n22HH\n", "mine")
    assert opened.board == Board(
        np.array([[FLAG, MINE, MINE, 1], [2, 2, UNKNOWN, UNKNOWN]], np.int8)
    )
    assert (opened.layout, opened.mines) == (None, 3)


def test_dotmine_with_all_mines_drawn_is_a_layout() -> None:
    assert formats.read("3x1x1\nM1H", "mine").layout == of_mines("B..")
    assert formats.read("3x1x1\nM2H", "mine").layout is None
    assert formats.read("3x1x2\nM1H", "mine").layout is None


@pytest.mark.parametrize(("code", "mines", "rows"), ANALYSED)
def test_jsminesweeper_links_are_those_of_the_program(code: str, mines: int, rows: str) -> None:
    board = parse(rows.split())
    opened = formats.read(f"?analysis={code}", "jsminesweeper")
    assert opened == Opened(board, None, mines, "jsminesweeper")
    assert str(formats.write(opened, "jsminesweeper")).endswith(f"?analysis={code}")


def test_jsminesweeper_mines_of_an_analysis_are_unknown_to_the_player() -> None:
    """In `acacaaabbO9l` the 2 tells that ? is a mine, which leaves no room for F at the 1."""
    assert formats.read("?analysis=acacaaabbO9l").board == parse(["1?", "F2"])
    link = formats.write(Opened(parse(["3?", "??"]), None, 3), "jsminesweeper")
    assert str(link).endswith("acacaaadbQ")
    assert formats.read(link).board == parse(["3?", "??"])


def test_jsminesweeper_link_size_is_a_game_or_two_numbers() -> None:
    assert formats.read("?b=1&m=" + "0" * 17).to_board().shape == (9, 9)
    assert formats.read("?b=3&m=" + "0" * 96).to_board().shape == (16, 30)
    assert formats.read("?b=0503&m=000").to_board().shape == (3, 5)
    # JSMinesweeper pads to the digits of the width only, and cuts in the middle.
    assert formats.read("?b=916&m=" + "0" * 29).to_board().shape == (16, 9)
    link = formats.write(Opened(None, Layout(np.zeros((10, 9), np.bool_)), 0, ""), "jsminesweeper")
    assert "?b=0910&" in str(link)


def test_zini_calculator_link_is_read() -> None:
    opened = formats.read(ZINI)
    assert opened.mines == 55
    assert formats.write(opened, "jsminesweeper") == (
        "https://davidnhill.github.io/JSMinesweeper/index.html?b=1616&m=" + ZINI.split("m=")[1]
    )


def test_tatham_id_is_unmasked() -> None:
    masked, plain = formats.read(MASKED), formats.read(PLAIN)
    assert masked == plain
    assert (masked.mines, masked.first) == (10, (4, 4))
    assert formats.write(plain, "tatham") == MASKED
    assert formats.read(PLAIN.replace("4,4,", "4,4,u")) == plain


@pytest.mark.parametrize(
    ("id_", "mines"), [(REPORTED, 35), ("9x9:0,0,me0691ca8a278f3c371688", 35), (LARGE, 220)]
)
def test_tatham_ids_of_played_games_begin_with_a_0(id_: str, mines: int) -> None:
    """Two were reported to ports of the program, one is the game on its icon."""
    opened = formats.read(id_)
    assert opened.layout is not None
    assert opened.first is not None
    assert (opened.mines, opened.layout.count_neighbours()[opened.first]) == (mines, 0)
    assert not opened.layout.mines[opened.first]


@given(
    plain=st.integers(1, 150).flatmap(lambda size: st.binary(min_size=size, max_size=size)),
    cut=st.integers(0, 7),
)
@example(plain=b"\xff", cut=3)
def test_tatham_mask_is_the_digest_of_the_other_half(plain: bytes, cut: int) -> None:
    """Written out again from the specification, bit by bit."""
    bits = 8 * len(plain) - cut
    given_ = bytearray(plain)
    given_[-1] &= 0xFF << cut & 0xFF
    half = len(plain) // 2
    hidden = bytearray(given_)
    for seed, target in (
        (range(half, len(plain)), range(half)),
        (range(half), range(half, len(plain))),
    ):
        key = bytes(hidden[index] for index in seed)
        for count, index in enumerate(target):
            digest = sha1(key + str(count // 20).encode()).digest()
            hidden[index] ^= digest[count % 20]
        hidden[-1] &= 0xFF << cut & 0xFF
    assert tatham.mask_bits(bytes(given_), bits) == bytes(hidden)
    assert tatham.unmask_bits(bytes(hidden), bits) == bytes(given_)


def test_board_file_is_read_with_all_its_fields() -> None:
    opened = formats.read(BOARD_FILE)
    assert (opened.mines, opened.layout) == (9, None)
    assert draw(opened.to_board()) == ["???2100", "?F1B1??", "SB?S111"]
    assert formats.read(formats.write(opened, "board")) == opened


def test_board_file_can_be_written_in_emoji() -> None:
    text = "# MINESWEEPER-BOARD v0.1\n# Render: emoji\nrows: 2\ncolumns: 7\nmines: 3\n[view]\n"
    text += "⬜⬜️⬜2️⃣1️⃣0️⃣0️⃣\n⬜🚩1️⃣💥💣❓❌\n"
    assert draw(formats.read(text.encode()).to_board()) == ["???2100", "?F1BB?S"]
    text = text.replace("[view]", "[real]").split("⬜")[0] + "💣2️⃣1️⃣1️⃣0️⃣0️⃣0️⃣\n💣2️⃣1️⃣💣1️⃣0️⃣0️⃣\n"
    assert catch_format_error(text, "board").code == "wrong-number"


@given(seed=st.integers(0, 2**16), mines=st.integers(0, 60))
def test_board_file_numbers_agree_with_ms_toollib(seed: int, mines: int) -> None:
    """Their program lays the numbers; the format is as their specification draws it."""
    rng = np.random.default_rng(seed)
    height, width = (int(side) for side in rng.integers(3, 12, 2))
    flat = np.zeros(height * width, np.int64)
    flat[: min(mines, flat.size)] = -1
    real = ms_toollib.cal_board_numbers(rng.permutation(flat).reshape(height, width).tolist())
    rows = "\n".join("".join("*" if cell < 0 else str(cell) for cell in row) for row in real)
    total = sum(cell < 0 for row in real for cell in row)
    head = f"# MINESWEEPER-BOARD v0.1\n# Render: ascii\nrows: {height}\ncolumns: {width}\n"
    opened = formats.read(f"{head}mines: {total}\n\n[real]\n{rows}\n")
    assert opened.layout == Layout(np.array(real) == -1)
    assert f"[real]\n{rows}\n" in str(formats.write(opened, "board"))


def test_open_file_does_not_guess_the_format_of_unsigned_text() -> None:
    for data in (
        b"",
        b"1?\n??",
        bytes([2, 2, 0, 0]),
        "02020000",
        b"\xff\xfe",
        "9x9",
        "1",
        "4,4,m0",
    ):
        assert catch_format_error(data, None).code == "format-unknown"
        assert "MBF" in catch_format_error(data, formats.AUTO).fix


@pytest.mark.parametrize(
    "link",
    ["/#analyse?b=_2__.____&m=3", "http://x/#analyse?b=1_&amp;m=1", "x#analyse%3Fb%3D_2%26m%3D1"],
)
def test_page_link_is_distinguished_from_links_of_other_sites(link: str) -> None:
    assert formats.find_format(link) is None


def test_escaped_link_is_read_as_the_original() -> None:
    expected = formats.read("index.html?b=0202&m=g").layout
    for escaped in ("index.html?x=1&amp;b=0202&amp;m=g", "index.html%3Fb%3D0202%26m%3Dg"):
        assert formats.read(escaped).layout == expected


def test_format_is_chosen_by_the_name_of_a_file() -> None:
    known = {"a.mbf": "mbf", "A.ABF": "abf", "x.y.mine": "mine", "/z/b.board": "board"}
    assert {name: formats.find_format_by_name(name) for name in known} == known
    assert formats.find_format_by_name("a.txt") is formats.find_format_by_name("mbf") is None


@pytest.mark.parametrize(
    ("format", "data", "code", "location"),
    [
        ("mbf", b"", "wrong-length", (0, None, None)),
        ("mbf", b"\x02\x02\x00", "wrong-length", (3, None, None)),
        ("mbf", "0202", "not-binary", (None, None, None)),
        ("mbf", b"\x00\x02\x00\x00", "empty-board", (None, None, None)),
        ("mbf", b"\x02\x02\x00\x01\x00", "wrong-length", (5, None, None)),
        ("mbf", b"\x02\x02\x00\x01\x00\x00\x00", "wrong-length", (6, None, None)),
        ("mbf", b"\x02\x02\x00\x01\x02\x00", "mine-off-the-board", (4, 0, 2)),
        ("mbf", b"\x02\x02\x00\x02\x01\x00\x01\x00", "mine-repeated", (6, 0, 1)),
        ("hex", "02020001 0g 00", "unknown-symbol", (10, None, None)),
        ("hex", "0x02 0x02 000 0", "half-a-byte", (10, None, None)),
        ("hex", "0x", "half-a-byte", (2, None, None)),
        ("hex", "0 " * 200_000, "wrong-length", (260_108, None, None)),
        ("hex", b"\xef\xbb\xbf02\xff", "invalid-utf-8", (5, None, None)),
        ("mine", "", "wrong-head", (0, None, None)),
        ("mine", "2x2\nHH\nHH", "wrong-head", (0, None, None)),
        ("mine", "2x2x5\nHH\nHH", "too-many-mines", (None, None, None)),
        ("mine", "0x2x0\n\n", "empty-board", (None, None, None)),
        ("mine", "2x2x1\nHH", "wrong-size", (None, 1, None)),
        ("mine", "2x2x1\nHH\nHHH", "wrong-size", (None, 1, None)),
        ("mine", "2x2x1\nHH\nH9", "unknown-symbol", (None, 1, 1)),
        ("mine", "2x2x1\nHé\nHH", "unknown-symbol", (None, 0, 1)),
        ("mine", "99999x99999x1\nH", "board-too-large", (None, None, None)),
        ("jsminesweeper", "https://x/index.html", "no-board", (None, None, None)),
        ("jsminesweeper", "https://x/?board=30x16x99&seed=5", "no-board", (None, None, None)),
        ("jsminesweeper", "?" + "&" * 60, "no-board", (None, None, None)),
        ("jsminesweeper", "?m=" + "0" * 200_000, "link-too-long", (200_000, None, None)),
        ("jsminesweeper", "?analysis=acac", "unknown-symbol", (4, None, None)),
        ("jsminesweeper", "?analysis=acacaaa!V", "unknown-symbol", (7, None, None)),
        ("jsminesweeper", "?analysis=acacaaabZ", "wrong-size", (8, None, None)),
        ("jsminesweeper", "?analysis=acacaaabU", "wrong-size", (9, None, None)),
        ("jsminesweeper", "?analysis=acacaaab" + "Z" * 9999, "wrong-size", (8, None, None)),
        ("jsminesweeper", "?analysis=acacaaabM4", "clue-too-large", (None, 0, 0)),
        ("jsminesweeper", "?analysis=eGacaaabZ", "side-too-long", (None, None, None)),
        ("jsminesweeper", "?b=5&m=0", "wrong-head", (None, None, None)),
        ("jsminesweeper", "?b=1&m=0", "wrong-size", (1, None, None)),
        ("jsminesweeper", "?b=22&m=w", "unknown-symbol", (0, None, None)),
        ("jsminesweeper", "?b=22&m=1", "wrong-size", (0, None, None)),
        ("jsminesweeper", "?b=22&m=g&analysis=acacaaacV", "two-boards", (None, None, None)),
        ("board", "", "wrong-head", (None, None, None)),
        ("board", "# MINESWEEPER-BOARD v2", "unknown-version", (None, None, None)),
        ("board", BOARD_FILE.replace("ascii", "svg"), "unknown-render", (None, None, None)),
        ("board", BOARD_FILE.replace("rows: 3", ""), "wrong-field", (None, None, None)),
        ("board", BOARD_FILE.replace("mines: 9", "mines: -1"), "wrong-field", (None, None, None)),
        ("board", BOARD_FILE.replace("rows: 3", "rows: 4"), "wrong-size", (None, 3, None)),
        ("board", BOARD_FILE.replace("columns: 7", "columns"), "wrong-line", (None, None, None)),
        ("board", BOARD_FILE + "111?111", "wrong-line", (None, None, None)),
        ("board", BOARD_FILE.replace("111", "11+"), "unknown-symbol", (None, 2, 6)),
        ("board", BOARD_FILE + "[view]", "wrong-line", (None, None, None)),
        ("board", BOARD_FILE.split("[")[0], "no-board", (None, None, None)),
        ("board", BOARD_FILE + "[real]\n1*10000\n1110000\n0000000", "mines-differ", (None,) * 3),
        ("tatham", "9x9n35a", "no-board", (None, None, None)),
        ("tatham", "9x9n35#952602088781240", "no-board", (None, None, None)),
        ("tatham", "9x9:r10,u,abcdef", "no-board", (None, None, None)),
        ("tatham", "minesweeper", "wrong-head", (0, None, None)),
        ("tatham", MASKED[:-1], "wrong-size", (29, None, None)),
        ("tatham", MASKED.replace("71", "7!"), "unknown-symbol", (12, None, None)),
        ("tatham", PLAIN[:-1] + "1", "wrong-size", (28, None, None)),
        ("tatham", "3x3:3,0,m000", "first-off-the-board", (None, 0, 3)),
        ("tatham", "99999x1:m0", "side-too-long", (None, None, None)),
        ("tatham", "9999x9999:m0", "board-too-large", (None, None, None)),
        ("puzzlink", "https://puzz.link/p?slither/5/5/g", "wrong-head", (0, None, None)),
        ("puzzlink", "p?mines/5", "wrong-head", (0, None, None)),
        ("puzzlink", "p?mines/v:knight/5/5/y", "wrong-head", (0, None, None)),
        ("puzzlink", "p?mines/5/5", "no-board", (11, None, None)),
        ("puzzlink", "p?mines/5/5/", "no-board", (12, None, None)),
        ("puzzlink", "p?mines/0/5/g", "empty-board", (None, None, None)),
        ("puzzlink", "p?mines/99999/99999/g", "board-too-large", (None, None, None)),
        ("puzzlink", " p?mines/2/2/1g1", "wrong-size", (16, None, None)),
        ("puzzlink", "p?mines/2/2/1i1", "wrong-size", (15, None, None)),
        ("puzzlink", "p?mines/2/2/g9h", "clue-too-large", (13, None, None)),
        ("puzzlink", "p?mines/2/2/g-1fh", "clue-too-large", (13, None, None)),
        ("puzzlink", "p?mines/2/2/g+100h", "clue-too-large", (13, None, None)),
        ("puzzlink", "p?mines/2/2/g_h", "unknown-symbol", (13, None, None)),
        ("pzprv3", "mines/1/1/./", "wrong-head", (0, None, None)),
        ("pzprv3", "pzprv3/slither/1/1/./", "wrong-head", (None, None, None)),
        ("pzprv3", "pzprv3\nmines\n2", "wrong-field", (None, None, None)),
        ("pzprv3", "pzprv3\nmines\n2\nx\n", "wrong-field", (None, None, None)),
        ("pzprv3", "pzprv3/mines/0/1/", "empty-board", (None, None, None)),
        ("pzprv3", "pzprv3/mines/99999/99999/", "board-too-large", (None, None, None)),
        ("pzprv3", "pzprv3/mines/2/2/. . /", "wrong-size", (None, 1, None)),
        ("pzprv3", "pzprv3/mines/2/2/. . /. . . /", "wrong-size", (None, 1, None)),
        ("pzprv3", "pzprv3/mines/2/2/. . /. . /# + /", "wrong-size", (None, 1, None)),
        ("pzprv3", "pzprv3/mines/1/2/. . /# + /# + /", "wrong-size", (None, 1, None)),
        ("pzprv3", "pzprv3/mines/1/2/. 12 /", "unknown-symbol", (None, 0, 1)),
        ("pzprv3", "pzprv3/mines/1/2/. # /", "unknown-symbol", (None, 0, 1)),
        ("pzprv3", "pzprv3/mines/1/2/. 1 /. # /", "unknown-symbol", (None, 0, 1)),
        ("legup", "", "invalid-xml", (None, None, None)),
        ("legup", "<Legup>", "invalid-xml", (None, None, None)),
        ("legup", "<Legup>\ud800</Legup>", "invalid-xml", (None, None, None)),
        ("legup", "<Legup>&name;</Legup>", "invalid-xml", (None, None, None)),
        ("legup", "<!DOCTYPE Legup><Legup/>", "invalid-xml", (None, None, None)),
        ("legup", "<xml/>", "wrong-head", (None, None, None)),
        ("legup", '<Legup><puzzle name="LightUp"/></Legup>', "wrong-head", (None, None, None)),
        ("legup", "<Legup><puzzle/></Legup>", "wrong-head", (None, None, None)),
        ("legup", "<Legup/>", "no-board", (None, None, None)),
        ("legup", LEGUP.replace('"2"', '"two"') + LEGUP_END, "wrong-field", (None, None, None)),
        ("legup", LEGUP.replace("width", "cols") + LEGUP_END, "wrong-field", (None, None, None)),
        ("legup", LEGUP.replace('"3"', '"0"') + LEGUP_END, "empty-board", (None, None, None)),
        ("legup", LEGUP.replace('"3"', '"99999999"'), "board-too-large", (None, None, None)),
        ("legup", LEGUP + '<cell x="0" y="0"/>' + LEGUP_END, "wrong-field", (None, None, None)),
        ("legup", LEGUP + '<cell value="1" x="3" y="0"/>' + LEGUP_END, "wrong-size", (None, 0, 3)),
        ("legup", LEGUP + '<cell value="1" x="0" y="-1"/>', "wrong-size", (None, -1, 0)),
        ("legup", LEGUP + '<cell value="9" x="1" y="0"/>', "clue-too-large", (None, 0, 1)),
        ("legup", LEGUP + '<cell value="-3" x="1" y="0"/>', "unknown-symbol", (None, 0, 1)),
        ("legup", LEGUP + '<cell value="1" x="1" y="0"/>' * 2, "wrong-line", (None, 0, 1)),
        (
            "legup",
            LEGUP + '</cells></board><board width="1" height="1"/>',
            "wrong-line",
            (None,) * 3,
        ),
        ("gif", b"GIF89a", "no-such-format", (None, None, None)),
    ],
)
def test_format_error_names_the_location_of_the_fault(
    format: str, data: bytes | str, code: str, location: tuple[int | None, ...]
) -> None:
    error = catch_format_error(data, format)
    assert (error.code, (error.offset, error.row, error.col)) == (code, location), str(error)
    assert error.fix


@pytest.mark.parametrize(
    ("format", "opened", "code"),
    [
        ("mbf", Opened(None), "nothing-to-write"),
        ("mbf", Opened(parse("1?"), None, 1), "layout-missing"),
        ("tatham", Opened(parse("1?"), None, 1), "layout-missing"),
        ("mbf", Opened(None, Layout(np.zeros((1, 256), np.bool_)), None, ""), "side-too-long"),
        (
            "jsminesweeper",
            Opened(None, Layout(np.zeros((251, 1), np.bool_)), None, ""),
            "side-too-long",
        ),
        ("tatham", Opened(None, Layout(np.zeros((1, 32768), np.bool_)), None, ""), "side-too-long"),
        ("mine", Opened(parse("1?")), "mines-missing"),
        ("board", Opened(parse("1?")), "mines-missing"),
        ("mine", Opened(parse("1S"), None, 1), "symbol-missing"),
        ("jsminesweeper", Opened(parse("1B"), None, 1), "symbol-missing"),
        ("puzzlink", Opened(parse("1B"), None, 1), "symbol-missing"),
        ("puzzlink", Opened(parse("1F"), None, 1), "symbol-missing"),
        ("puzzlink", Opened(None), "nothing-to-write"),
        ("pzprv3", Opened(parse("1B"), None, 1), "symbol-missing"),
        ("legup", Opened(parse("1F"), None, 1), "symbol-missing"),
        ("legup", Opened(parse("0B"), None, 1), "symbol-missing"),
        ("mine", Opened(parse("1?"), None, 3), "too-many-mines"),
        ("hex", Opened(None, of_mines("B."), 2), "mines-differ"),
        ("board", Opened(parse("1?"), of_mines("B"), 1), "shapes-differ"),
        ("tatham", Opened(None, of_mines("B."), 1, "", (1, 0)), "first-off-the-board"),
        ("auto", Opened(None, of_mines("B."), 1), "no-such-format"),
    ],
)
def test_format_rejects_boards_that_it_cannot_hold(format: str, opened: Opened, code: str) -> None:
    assert unwritten(opened, format).code == code


@pytest.mark.parametrize("format", FORMATS)
def test_format_rejects_boards_above_the_limit_of_cells(format: str) -> None:
    written = formats.write(Opened(None, Layout(np.zeros((7, 8), np.bool_)), 0, ""), format)
    assert formats.read(written, format, 56).to_board().shape == (7, 8)
    assert catch_format_error(written, format, 55).code == "board-too-large"


def assert_explained(error: FormatError) -> None:
    assert error.code
    assert error.detail
    assert error.fix


def hold(data: bytes | str, format: str) -> None:
    """What is read at all is whole, and comes back when it is written."""
    try:
        opened = formats.read(data, format)
    except FormatError as error:
        assert_explained(error)
        return
    if opened.mines is not None:
        assert 0 <= opened.mines <= opened.to_board().cells.size
    back = formats.read(formats.write(opened, opened.format), opened.format)
    # What was left out is not written.
    assert back == replace(opened, notes=())


EVERY_SAMPLE = pytest.mark.parametrize(
    ("format", "sample"),
    [(format, sample) for format, samples in SAMPLES.items() for sample in samples],
)


def as_bytes(sample: bytes | str) -> bytes:
    return sample if isinstance(sample, bytes) else sample.encode()


@EVERY_SAMPLE
def test_format_reads_every_sample(format: str, sample: bytes | str) -> None:
    assert formats.read(sample, format).format == format


@EVERY_SAMPLE
def test_format_never_misreads_truncated_files(format: str, sample: bytes | str) -> None:
    data = as_bytes(sample)
    for end in range(len(data)):
        hold(data[:end], format)
        hold(data[end:], format)


@EVERY_SAMPLE
@pytest.mark.parametrize("flip", [0x01, 0x20, 0x80])
def test_format_raises_only_format_errors_for_flipped_bytes(
    format: str, sample: bytes | str, flip: int
) -> None:
    data = bytearray(as_bytes(sample))
    for at in range(len(data)):
        data[at] ^= flip
        hold(bytes(data), format)
        data[at] ^= flip


@pytest.mark.parametrize("format", [*FORMATS, formats.AUTO])
@given(data=st.one_of(st.binary(max_size=60), st.text(max_size=60)))
def test_format_raises_only_format_errors_for_random_bytes(format: str, data: bytes | str) -> None:
    hold(data, format)


@pytest.mark.parametrize(
    ("format", "unit", "around"),
    [
        ("hex", "0", "{}"),
        ("hex", "0x ", "{}"),
        ("mine", "\n", "2x2x1\n{}"),
        ("mine", "9", "{}"),
        ("jsminesweeper", "a", "?analysis=acacaaab{}"),
        ("jsminesweeper", "Z", "?analysis=acacaaab{}"),
        ("jsminesweeper", "a&", "?{}"),
        ("jsminesweeper", "%", "?b={}"),
        ("board", "[real]\n", "# MINESWEEPER-BOARD v0.1\nrows: 1\ncolumns: 1\n{}"),
        ("board", "a:\n", "# MINESWEEPER-BOARD v0.1\n{}"),
        ("tatham", "0", "9x9:{}"),
        ("tatham", "/mines", "https://x{}"),
        ("puzzlink", "?", "p?mines/{}"),
        ("puzzlink", "a=b&", "p?{}mines/2/2/"),
        ("puzzlink", "z", "p?mines/999/999/{}"),
        ("puzzlink", "-0", "p?mines/999/999/{}"),
        ("puzzlink", "-07", "p?mines/9/9/{}"),
        ("puzzlink", "9", "p?mines/{}/2/g"),
        ("pzprv3", "/", "pzprv3/mines/9/9{}"),
        ("pzprv3", ". ", "pzprv3/mines/9/9/{}"),
        ("pzprv3", "1", "pzprv3/mines/9/9/{}"),
        ("pzprv3", ". /", "pzprv3/mines/9/1/{}."),
        ("pzprv3", " ", "pzprv3{}"),
        ("pzprv3", "%2", "p?pzprv3/mines/{}"),
        ("legup", "<a>", "<Legup>{}"),
        ("legup", "<a/>", LEGUP + "{}"),
        ("legup", "x", '<Legup a="{}">'),
        ("legup", " ", "<Legup>{}"),
        ("legup", 'a="" ', "<Legup {}/>"),
        ("legup", '<cell value="-2" x="0" y="0"/>', LEGUP + "{}" + LEGUP_END),
        ("legup", "&lt;", "<Legup>{}</Legup>"),
        ("tatham-save", "\n", SAVED + "{}x"),
        ("tatham-save", "X       :0:\n", SAVED + "{}"),
        ("tatham-save", "MOVE    :0:\n", SAVED.replace(":1:4", ":9:999999999") + "{}"),
        ("tatham-save", "F0,0;", SAVED + "MOVE    :1000001:{}"),
        ("tatham-save", "9", SAVED + "MOVE    :{}"),
        ("auto", " ", "<?xml {}"),
        ("auto", "\n", "{}<Legup"),
        ("auto", "x?", "{}"),
        ("auto", "x=y&", "?{}"),
        ("auto", "?", "{}"),
        ("auto", "a&", "?{}"),
        ("auto", " ", "{}x"),
        ("auto", "/mines", "https://x{}"),
    ],
)
def test_format_raises_format_errors_for_long_hostile_texts(
    format: str, unit: str, around: str
) -> None:
    """Of a million characters: what took more than linear time would not end here."""
    assert catch_format_error(around.format(unit * (1_000_000 // len(unit))), format).code


def test_format_names_are_those_of_the_catalogue() -> None:
    for name, known in FORMATS.items():
        assert known.name == name
        assert known.holds
        assert set(known.holds) <= {"view", "map"}
        json.dumps([known.title, known.media_type, known.suffix])
