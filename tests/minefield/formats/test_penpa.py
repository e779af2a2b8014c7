"""Links of Penpa-edit: what is read of them, what is left out, and what is rejected."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import FormatError, Layout, Opened, draw, formats, parse
from minecheck.minefield.formats import penpa
from minecheck.minefield.formats.encodings import deflate_text
from minecheck.minefield.reader import read_board
from tests.minefield.formats.saved_files import HOST, PENPA_LINK

Change = Callable[[list[str]], None]


def change_link(change: Change, rows: tuple[str, ...] = ("1?", "2?")) -> str:
    """Return the link to a puzzle after a change of its lines."""
    link = str(formats.write(Opened(parse(list(rows))), "penpa"))
    lines = penpa._expand(penpa._inflate(link.partition("p=")[2])).split("\n")
    change(lines)
    return f"{HOST}solve&p={deflate_text(chr(10).join(lines).replace('z', 'zZ'))}"


def put_line(number: int, text: str) -> Change:
    """Return the change that replaces a line."""
    return lambda lines: lines.__setitem__(number, text)


def put_head(number: int, text: str) -> Change:
    """Return the change that replaces a field of the first line."""

    def change(lines: list[str]) -> None:
        fields = lines[0].split(",")
        fields[number] = text
        lines[0] = ",".join(fields)

    return change


def put_entry(part: str, key: object, entry: object, line: int = 3) -> Change:
    """Return the change that adds an entry to a part of a layer."""

    def change(lines: list[str]) -> None:
        layer: dict[str, Any] = json.loads(lines[line] or "{}")
        layer.setdefault(part, {})[str(key)] = entry
        lines[line] = json.dumps(layer, separators=(",", ":"))

    return change


def write_first_version(
    setter: dict[str, Any],
    player: dict[str, Any] | None = None,
    size: str = "3,2,38,0,0,0,0",
    address: str = HOST.replace("#m=", "?p="),
) -> str:
    """Return a link of the first version with the tables that are given by their indices."""
    layers = [[(one or {}).get(str(at), {}) for at in range(23)] for one in (setter, player)]
    lines = [f"{size},nb_grid1,nb_lat2,nb_out1", *map(json.dumps, layers)]
    return address + deflate_text("\n".join(lines))


def test_penpa_reads_links_of_the_first_version() -> None:
    clues = {"0": ["1", 1, "1"], "5": ["?", 1, "1"]}
    setter = {"11": clues, "16": {"1": [4, "sun_moon", 2]}}
    player = {"16": {"3": [4, "sun_moon", 2]}, "0": {"2": 1}}
    link = write_first_version(setter, player)
    for address in (HOST.replace("#m=", "#p="), "https://opt-pan.github.io/penpa-edit/?p="):
        moved = write_first_version(setter, player, address=address)
        assert read_board(f"Can you solve {moved} ?").rows == ["1B?", "F?S"]
    assert read_board(link).notes == ("Parts of the link were left out: surface.",)
    solve = write_first_version(setter, address=f"{HOST}solve&p=")
    assert read_board(solve).rows == ["1B?", "??S"]
    without_edges = write_first_version(setter, size="3,2,38,0,1,1,0")
    assert read_board(without_edges).rows == ["B?"]


def test_penpa_reads_what_the_program_wrote() -> None:
    opened = formats.read(PENPA_LINK)
    assert (opened.format, opened.layout, opened.notes) == ("penpa", None, ())
    assert draw(opened.to_board()) == ["2F1", "F21", "110", "000"]
    assert read_board(PENPA_LINK.replace("&p=", "&amp;p=").replace("+", "%2B")).rows[0] == "2F1"


def test_penpa_reads_the_solution_of_a_link_as_the_layout() -> None:
    layout = Layout(np.array([[0, 1, 0], [1, 0, 0]], np.bool_))
    link = str(formats.write(Opened(None, layout), "penpa"))
    opened = formats.read(link)
    assert draw(opened.to_board()) == ["2?1", "?21"]
    assert (opened.layout, opened.mines) == (layout, 2)
    other = link.partition("&a=")[0] + "&a=" + deflate_text('[[],[],[],[],[],["16,4I"]]')
    assert formats.read(other).layout is None


@given(st.lists(st.text("012345678?BSF", min_size=4, max_size=4), min_size=1, max_size=5))
def test_penpa_write_is_read_again(rows: list[str]) -> None:
    link = formats.write(Opened(parse(rows)), "penpa")
    assert draw(formats.read(link).to_board()) == rows


def test_penpa_reads_the_board_inside_a_margin() -> None:
    def cut_first_column(lines: list[str]) -> None:
        lines[5] = "[15,6]"

    assert draw(formats.read(change_link(cut_first_column)).to_board()) == ["?", "?"]


@pytest.mark.parametrize(
    ("change", "rows", "note"),
    [
        (put_entry("symbol", 15, [4, "sun_moon", 2]), ["1B", "2?"], ""),
        (put_entry("symbol", 15, [4, "sun_moon", 2], line=4), ["1F", "2?"], ""),
        (put_entry("symbol", 15, [2, "star", 2]), ["1B", "2?"], ""),
        (put_entry("symbol", 15, [0, "star", 2]), ["1?", "2?"], "symbols star"),
        (put_entry("symbol", 14, [1, "circle_L", 1]), ["1?", "2?"], "symbols circle_L"),
        (put_entry("symbol", 15, [8, "circle_L", 2], line=4), ["1F", "2?"], ""),
        (put_entry("surface", 15, 1), ["1?", "2?"], "surface"),
        (put_entry("number", 0, ["5", 1, "1"]), ["1?", "2?"], "numbers outside"),
        (put_entry("number", 15, [" ", 1, "1"]), ["1?", "2?"], ""),
        (put_entry("number", 15, ["?", 1, "1"]), ["1S", "2?"], ""),
        (put_entry("number", 15, ["3", 1, "1"], line=4), ["1?", "2?"], "number"),
        (put_head(18, "Each row has one mine."), ["1?", "2?"], "rules"),
    ],
)
def test_penpa_notes_what_it_leaves_out(change: Change, rows: list[str], note: str) -> None:
    opened = formats.read(change_link(change))
    assert draw(opened.to_board()) == rows
    assert note in " ".join(opened.notes)
    assert bool(opened.notes) == bool(note)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"{HOST}edit&p=", "no-board"),
        (f"{HOST}edit&p=https://puzz.link/p?mines/3/2/1g.i", "no-board"),
        (f"{HOST}edit&p=!!!", "wrong-length"),
        (PENPA_LINK[:300], "wrong-length"),
        ("https://example.org/", "wrong-head"),
        (change_link(put_head(0, "hex")), "wrong-head"),
        (change_link(put_head(4, "90")), "wrong-field"),
        (change_link(put_head(5, "-1")), "wrong-field"),
        (change_link(put_head(0, "1")), "wrong-length"),
        (write_first_version({"11": {"0": ["1", 1, "1"]}}), "wrong-head"),
        (write_first_version({"16": {"a": [4, "sun_moon", 2]}}), "wrong-length"),
        (write_first_version({"16": {}}, size="3,2"), "wrong-length"),
        (write_first_version({"16": {}}, size="3,2,38,2,0,0,0"), "empty-board"),
        (write_first_version({"16": {}}, size="9999,9999,38,0,0,0,0"), "board-too-large"),
        (write_first_version({"16": {}}, size="99999999,99999999,1,0,0,0,0"), "board-too-large"),
        (write_first_version({"16": {}}, size="0,99999999999,1,0,0,0,0"), "empty-board"),
        (change_link(put_head(1, "wide")), "wrong-length"),
        (change_link(put_head(1, "99999999")), "board-too-large"),
        (change_link(put_line(17, '["sudoku"]')), "wrong-head"),
        (change_link(put_head(15, "Title: Double Minesweeper")), "wrong-head"),
        (change_link(put_line(5, "[14,1,5]")), "wrong-size"),
        (change_link(put_line(5, "[]")), "empty-board"),
        (change_link(put_line(5, "[-9999]")), "wrong-length"),
        (change_link(put_line(3, "[1]")), "wrong-length"),
        (change_link(put_line(3, "{")), "wrong-length"),
        (change_link(put_entry("number", 15, ["9", 1, "1"])), "clue-too-large"),
        (change_link(put_entry("number", 15, ["a", 1, "1"])), "unknown-symbol"),
        (change_link(put_entry("number", 15, [[1, 2], 1, "7"])), "unknown-symbol"),
        (change_link(put_entry("symbol", 15, [5, "sun_moon", 2])), "unknown-symbol"),
        (change_link(put_entry("symbol", 14, [4, "sun_moon", 2])), "unknown-symbol"),
    ],
)
def test_penpa_rejects_what_is_no_board(text: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        formats.read(text, "penpa")
    assert caught.value.code == code


def test_penpa_rejects_a_puzzle_that_may_be_another_one() -> None:
    def clear_genre(lines: list[str]) -> None:
        put_head(15, "Title: ")(lines)
        lines[2] = "[]"
        lines[17] = "[]"

    with pytest.raises(FormatError, match="does not say that it is Minesweeper"):
        formats.read(change_link(clear_genre))
