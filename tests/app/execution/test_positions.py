"""Lines that are answered together: as each by itself, and as the strict reader reads them."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.batch import lines
from app.batch.lines import Asked
from app.execution import fast_path, positions
from app.problems import ProblemError
from app.questions.catalogue import QUESTIONS
from app.settings import Settings
from minefield import Board, draw
from tests import boards
from tests.app.jobs import RECORDS

ASKED = [record.name for record in QUESTIONS if record.at_once]
ELAPSED = re.compile(rb'"elapsed_ms":[0-9.e-]+')
SETTINGS = Settings()
ROWS = ["?1?", "???", "???"]


def together(
    name: str, given_lines: list[bytes], settings: Settings = SETTINGS, **defaults: Any
) -> list[bytes | None]:
    found = positions.answered(RECORDS[name], given_lines, defaults, settings).answers
    return [one and ELAPSED.sub(b"", one) for one in found]


def alone(name: str, line: bytes, **defaults: Any) -> bytes | None:
    """What the strict reader and the fast path make of a line."""
    try:
        asked = lines.job(Asked(RECORDS[name], defaults, SETTINGS), line, 0)
    except ProblemError:
        return None
    told, _ = fast_path.answered(asked)
    return told and ELAPSED.sub(b"", told) + b"\n"


def object_line(board: Board, mines: int | None) -> bytes:
    return json.dumps({"board": draw(board)} | ({} if mines is None else {"mines": mines})).encode()


def text_line(board: Board, _: int | None) -> bytes:
    return json.dumps("\n".join(draw(board))).encode()


@pytest.mark.parametrize("name", ASKED)
@given(st.lists(boards.positions(), max_size=6), st.sampled_from([object_line, text_line]))
def test_positions_are_answered_together_as_each_by_itself(
    name: str, asked: list[tuple[Board, int | None]], line_of: Any
) -> None:
    of_all = [line_of(*one) for one in asked]
    assert together(name, of_all) == [alone(name, line) for line in of_all]


@pytest.mark.parametrize("name", ASKED)
@given(boards.boards_with_totals())
def test_so_are_small_boards(name: str, asked: tuple[Board, int | None]) -> None:
    line = object_line(*asked)
    assert together(name, [line, line]) == [alone(name, line)] * 2


# Pieces of lines, from which those that make sense are made, and some that do not.
BEGIN = ["", '{"board":', ' { "board" :\t', '{"mines": 3, "board":', '\ufeff{"board":', "[", "\x00"]
BOARDS = [
    '["?1?","???","???"]',
    ' [ "?1?" ,\t"???", "???" ] ',
    '"?1?\\n???\\n???"',
    '["?1?","??","???"]',
    '["?1?","???",""]',
    '["?1?","?F?","???"]',
    '["?1?","?\\n?","???"]',
    '["?1?","???","???",]',
    '[["?","1","?"],["?","?","?"],["?","?","?"]]',
    '"?1?\\n??\\n???"',
    '"?1?\\n???\\n???\\n"',
    '"?1?\\r\\n???\\r\\n???"',
    '"?1?\\n?\\u003f?\\n???"',
    '"?1?\\n???\\n???',
    "[]",
    '""',
    "null",
]
NAMES = [',"mines":', ' , "mines" : ', ',"board":', ',"density":', ",", "mines"]
VALUES = ["0", "2", "02", "-1", "2.0", "2e0", "1234567890", "9" * 20, "true", "null", BOARDS[0]]
ENDS = ["", "}", " } ", "}\r", "}}", "}1", "\xff", "}\n{", "}\n"]
PIECES = [BEGIN, BOARDS, ["", *NAMES], ["", *VALUES], ["", "", *NAMES], ["", "", *VALUES], ENDS]


@pytest.mark.parametrize("name", ASKED)
@given(st.tuples(*map(st.sampled_from, PIECES)).map("".join))
def test_nothing_is_read_that_the_strict_reader_reads_otherwise(name: str, text: str) -> None:
    line = text.encode("latin-1" if "\xff" in text and "\ufeff" not in text else "utf-8")
    (found,) = together(name, [line])
    assert found is None or found == alone(name, line)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    "rest",
    ["", ",", ',"mines":2', ',"mines":2,"mines":2', ',"mines":02', f',"board":{BOARDS[0]}'],
)
def test_nor_of_those_that_nearly_make_sense(board: str, rest: str) -> None:
    line = f'{{"board":{board}{rest}}}'.encode()
    (found,) = together("analyze", [line])
    assert found is None or found == alone("analyze", line)


@given(st.data())
def test_of_a_line_with_a_letter_changed_as_well(data: st.DataObject) -> None:
    line = bytearray(json.dumps({"board": ROWS, "mines": 2}).encode())
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] = data.draw(st.sampled_from(sorted({*range(32, 127), 9, 13, 0, 255})))
    (found,) = together("analyze", [bytes(line)])
    assert found is None or found == alone("analyze", bytes(line))


@pytest.mark.parametrize("form", [ROWS, "\n".join(ROWS)])
def test_the_forms_that_games_write_are_read(form: object) -> None:
    asked = {"board": form, "mines": 2}
    back = dict(reversed(asked.items()))
    texts = [json.dumps(one, separators=by) for one in (asked, back) for by in ((",", ":"), None)]
    told = together("analyze", [text.encode() + end for text in texts for end in (b"", b"\r")])
    assert told[0] is not None
    assert told == [told[0]] * len(told)


def test_what_is_left_is_in_its_place() -> None:
    good = json.dumps({"board": ROWS}).encode()
    told = together("check", [b"", good, b"{", good, b'"F??\\n???\\n???"'])
    assert [one is not None for one in told] == [False, True, False, True, False]
    assert told[1] == told[3]


def test_a_total_for_all_lines_is_that_of_lines_without_one() -> None:
    own, none = (json.dumps(one).encode() for one in ({"board": ROWS, "mines": 3}, {"board": ROWS}))
    told = together("count", [own, none], mines=4)
    assert told == [alone("count", own), alone("count", none, mines=4)]
    assert b'"mines":3' in (told[0] or b"")
    assert b'"mines":4' in (told[1] or b"")


@pytest.mark.parametrize(
    "defaults", [{"density": "0.2"}, {"mines": "4"}, {"mines": True}, {"mines": -1}]
)
def test_with_other_options_for_all_lines_each_is_left(defaults: dict[str, Any]) -> None:
    assert together("count", [json.dumps(ROWS).encode()], **defaults) == [None]


@pytest.mark.parametrize("limits", [{"max_cells": 8}, {"max_body_bytes": 20}])
def test_what_is_too_large_is_left(limits: dict[str, int]) -> None:
    line = json.dumps({"board": ROWS}).encode()
    assert together("check", [line]) != [None]
    assert together("check", [line], Settings(**limits)) == [None]
    wide = json.dumps({"board": ["?" * (fast_path.MOST_CELLS // 3 + 1)] * 3}).encode()
    assert together("check", [wide]) == [None]


def test_a_long_line_takes_nothing_from_the_others() -> None:
    line = json.dumps({"board": ROWS}).encode()
    padded = line[:-1] + b" " * 1_000_000 + b"}"
    told = together("check", [padded, line])
    assert told == [None, alone("check", line)]


def test_what_was_tried_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    inconsistent = json.dumps({"board": ["0?0", "???", "0?8"]}).encode()
    found = positions.answered(RECORDS["check"], [inconsistent, b"{"], {}, SETTINGS)
    assert (found.answers, found.left, found.tried) == ([None, None], [0, 1], [True, False])
    monkeypatch.setattr(fast_path, "position", lambda *_: pytest.fail("it was tried before"))
    answer = lines.answered(Asked(RECORDS["check"], {}, SETTINGS), [inconsistent], 0)
    assert json.loads(answer.texts[0])["consistent"] is False


@pytest.mark.parametrize("name", ASKED)
@given(boards.positions())
def test_a_request_is_answered_as_a_line(name: str, asked: tuple[Board, int | None]) -> None:
    body = object_line(*asked)
    told, tried = positions.request_answered(RECORDS[name], body, SETTINGS)
    (line,) = together(name, [body])
    assert (told and ELAPSED.sub(b"", told) + b"\n") == line
    assert tried


@pytest.mark.parametrize(
    "body", [b"", b'"?1?\\n???\\n???"', b"[]", b' "?1?"', b'{"board":\n["?1?","???","???"]}']
)
def test_a_request_that_is_no_such_line_is_left(body: bytes) -> None:
    assert positions.request_answered(RECORDS["check"], body, SETTINGS) == (None, False)


def test_nothing_behind_a_line_break_is_taken_for_a_request() -> None:
    body = json.dumps({"board": ROWS}).encode()
    for more in (b"\n", b"\n{", b"\n" + body):
        assert positions.request_answered(RECORDS["check"], body + more, SETTINGS) == (None, False)
