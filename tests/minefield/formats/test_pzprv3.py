"""Files of puzz.link: clues and marks, and when marks are a solution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import Board, Layout, Opened, draw, formats, parse
from minecheck.minefield.board import FLAG, UNKNOWN
from minecheck.minefield.reader import read_board

#: A puzzle with its solution as the program writes it.
SOLVED = "pzprv3/mines/3/4/. 2 . . /1 . . - /. . 0 . /# . # + /. + + . /+ + . + /"


def test_pzprv3_read_takes_marks_of_a_solution_for_a_layout() -> None:
    opened = formats.read(SOLVED)
    assert draw(opened.to_board()) == ["F2F?", "1??S", "??0?"]
    assert opened.layout is not None
    assert opened.layout.rows() == ["B2B1", "1211", "0000"]
    assert opened.mines == 2


@pytest.mark.parametrize(
    ("marks", "row"),
    [
        (". # . /", "1F?"),
        (". # + /", "1F?"),
        (". + # /", "1?F"),
        (". + . /", "1??"),
        (". . . /", "1??"),
        ("", "1??"),
        ("info:{/", "1??"),
        ("TrialData(1)/1 . . /", "1??"),
        ("http://pzv.jp/p.html?mines/3/1/1h", "1??"),
    ],
)
def test_pzprv3_read_takes_marks_for_claims(marks: str, row: str) -> None:
    opened = formats.read(f"pzprv3/mines/1/3/1 . . /{marks}")
    assert draw(opened.to_board()) == [row]
    assert (opened.layout is None) == (marks != ". # + /")
    assert opened.mines == (None if opened.layout is None else 1)


@pytest.mark.parametrize(
    "text",
    [
        "pzprv3/mines/1/2/1 . /. # /",
        "pzprv3.1\r\nmines\r\n1\r\n2\r\n1 . \r\n. # \r\n",
        "\n pzprv3\nmines\n1\n2\n1 .\n. #",
        "https://puzz.link/p?pzprv3/mines/1/2/1%20./.%20%23/",
        "http://pzv.jp/p.html?type=player&pzprv3/mines/1/2/1 . /. # /",
        'pzprv3/mines/1/2/1 . /. # /info:{\n "metadata": {"author": "a/b"}\n}',
    ],
)
def test_pzprv3_is_recognised_in_all_its_forms(text: str) -> None:
    found = read_board(text)
    assert (found.notation, found.rows, found.mines) == ("pzprv3", ["1F"], 1)


def test_pzprv3_write_writes_what_the_program_does() -> None:
    board = parse(["1?S", "??F"])
    assert formats.write(Opened(board), "pzprv3") == (
        "pzprv3\nmines\n2\n3\n1 . - \n. . . \n. . . \n. . # \n"
    )


@given(seed=st.integers(0, 2**32 - 1), share=st.sampled_from([0.0, 0.2, 1.0]))
def test_pzprv3_write_marks_a_layout_that_fits(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    layout = Layout(rng.random(rng.integers(1, 9, 2)) < share)
    hidden = rng.random(layout.mines.shape) < 0.5
    flags = layout.mines & (rng.random(layout.mines.shape) < 0.5)
    cells = np.where(hidden | layout.mines, UNKNOWN, layout.count_neighbours())
    board = Board(np.where(flags, FLAG, cells))
    back = formats.read(formats.write(Opened(board, layout), "pzprv3"))
    assert (back.layout, back.mines) == (layout, layout.total)
    assert back.board == Board(np.where(layout.mines, FLAG, cells))


@pytest.mark.parametrize(("row", "mines"), [("1?", "B."), ("F?1", "B.."), ("?F1", "B..")])
def test_pzprv3_write_leaves_out_a_layout_that_does_not_fit(row: str, mines: str) -> None:
    layout = Layout(np.array([[cell == "B" for cell in mines]]))
    opened = Opened(parse(row), layout)
    back = formats.read(formats.write(opened, "pzprv3"))
    assert (back.board, back.layout) == (opened.board, None)
