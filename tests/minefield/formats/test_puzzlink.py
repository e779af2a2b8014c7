"""Links of puzz.link: clues, safe cells and runs of unknown cells, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import Layout, Opened, draw, formats, parse
from minecheck.minefield.reader import read_board


@pytest.mark.parametrize(
    ("link", "rows"),
    [
        ("https://puzz.link/p?mines/3/2/1g.i", ["1?S", "???"]),
        ("http://pzv.jp/p.html?mines/3/2/1g.i", ["1?S", "???"]),
        ("https://puzz.link/p?type=editor&mines/2/2/80gg/", ["80", "??"]),
        ("https://puzz.link/p?type=editor&amp;mines/2/2/80h", ["80", "??"]),
        ("  puzz.link/p?mines_play/2/1/..\n", ["SS"]),
        ("https://puzz.link/p?mines/21/1/z4", ["?" * 20 + "4"]),
        ("https://puzz.link/p?mines/5/2/g-02l5g", ["?2???", "???5?"]),
    ],
)
def test_puzzlink_read_decodes_clues_and_runs(link: str, rows: list[str]) -> None:
    opened = formats.read(link)
    assert (opened.format, opened.layout, opened.mines) == ("puzzlink", None, None)
    assert draw(opened.to_board()) == rows
    assert read_board(link).rows == rows


def test_puzzlink_write_encodes_as_the_program_does() -> None:
    rows = ["1S?????", "??????2", "???????", "??????."[:6] + "S"]
    link = formats.write(Opened(parse(rows)), "puzzlink")
    # Runs of 11 and 13 cells, and a slash behind a full stop at the end.
    assert link == "https://puzz.link/p?mines/7/4/1.q2s./"


def test_puzzlink_write_shows_all_clues_of_a_layout() -> None:
    layout = Layout(np.array([[True, False, False]]))
    link = formats.write(Opened(None, layout), "puzzlink")
    assert link == "https://puzz.link/p?mines/3/1/g10"


@given(st.lists(st.integers(1, 45), min_size=1, max_size=9))
def test_puzzlink_runs_are_of_20_cells_at_most(runs: list[int]) -> None:
    row = "".join("?" * run + "3" for run in runs)
    link = str(formats.write(Opened(parse(row)), "puzzlink"))
    code = link.rsplit("/", 1)[1]
    whole = "".join("z" * (run // 20) + "fghijklmnopqrstuvwxy"[run % 20] + "3" for run in runs)
    assert code == whole.replace("f", "")
    assert draw(formats.read(link).to_board()) == [row]
