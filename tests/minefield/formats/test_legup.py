"""Puzzles of LEGUP: what each value means, and which parts of the XML are read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import Board, FormatError, Layout, Opened, draw, formats, parse
from minecheck.minefield.board import MINE, SAFE, UNKNOWN
from minecheck.minefield.reader import read_board

#: A puzzle as the program writes it, with a goal and a proof, whose cells are not of the board.
PUZZLE = """\
<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<Legup version="6.0.0">
    <puzzle name="Minesweeper" tag="one">
        <board height="2" width="3">
            <goal type="PROVE_CELL_MUST_BE" assumeSolution="true">
                <cell value="-1" x="1" y="0"/>
            </goal>
            <cells>
                <cell value="-1" x="0" y="0"/>
                <cell value="0" x="0" y="1"/>
                <cell value="2" x="1" y="1"/>
                <cell value="-2" x="2" y="1"/>
            </cells>
        </board>
        <proof>
            <tree>
                <node id="1" root="true">
                    <transition child="2" id="3" rule="Finish with Mines">
                        <cell value="-1" x="2" y="0"/>
                    </transition>
                </node>
            </tree>
        </proof>
    </puzzle>
    <solved isSolved="12" lastSaved="2026-11-01 10:00:00"/>
</Legup>
"""
BOMB = """\
<!DOCTYPE Legup [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<Legup>&b;</Legup>
"""


def test_legup_read_reads_the_given_cells_only() -> None:
    opened = formats.read(PUZZLE)
    assert (opened.format, opened.layout, opened.mines) == ("legup", None, None)
    assert draw(opened.to_board()) == ["B??", "S2?"]
    assert read_board(PUZZLE.encode()).rows == ["B??", "S2?"]


def test_legup_read_takes_a_board_without_unset_cells_for_a_layout() -> None:
    text = str(formats.write(Opened(parse(["B2S", "12B"])), "legup"))
    opened = formats.read(text)
    assert opened.layout is not None
    assert (opened.layout.rows(), opened.mines) == (["B21", "12B"], 2)
    assert formats.read(text.replace('value="1"', 'value="3"')).layout is None


def test_legup_read_takes_one_size_for_both_sides() -> None:
    text = '<Legup><puzzle name="Minesweeper"><board size="2"><cells/></board></puzzle></Legup>'
    assert formats.read(text).to_board().shape == (2, 2)


@pytest.mark.parametrize("text", [BOMB, BOMB.replace("&b;", ""), "<!DOCTYPE a SYSTEM 'x'><a/>"])
def test_legup_read_expands_no_entities(text: str) -> None:
    with pytest.raises(FormatError, match="document type") as caught:
        formats.read(text, "legup")
    assert caught.value.code == "invalid-xml"


def test_legup_read_takes_no_encoding_but_utf_8() -> None:
    head = '<?xml version="1.0" encoding="UTF-7"?>'
    assert formats.read(head + PUZZLE.partition("\n")[2]).format == "legup"
    with pytest.raises(FormatError) as caught:
        formats.read(PUZZLE.encode("utf-16"), "legup")
    assert caught.value.code == "invalid-utf-8"


@given(seed=st.integers(0, 2**32 - 1))
def test_legup_write_keeps_what_a_clue_0_says(seed: int) -> None:
    """The board that comes back has the same solutions: safe cells in place of zeros."""
    rng = np.random.default_rng(seed)
    layout = Layout(rng.random(rng.integers(1, 9, 2)) < 0.15)
    codes = np.where(rng.random(layout.mines.shape) < 0.5, layout.to_codes(), UNKNOWN)
    back = formats.read(formats.write(Opened(Board(codes)), "legup")).to_board()
    expected = codes.copy()
    for row, col in np.argwhere(codes == 0).tolist():
        near = expected[max(0, row - 1) : row + 2, max(0, col - 1) : col + 2]
        near[(near == 0) | (near == UNKNOWN)] = SAFE
    assert back == Board(expected)
    assert np.array_equal(back.cells == MINE, codes == MINE)
