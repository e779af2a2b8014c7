"""Lines answered together are read and answered as each line alone."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.batch import lines
from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.catalogue import QUESTIONS
from minecheck.app.execution import at_once
from minecheck.app.questions import QuestionOperation
from minecheck.app.requests import jobs
from minecheck.app.requests.body import Body
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.minefield import Board, draw, parse
from minecheck.solvers import Progress, position_answers
from minecheck.solvers.positions.pipeline import ParsedLine
from tests import boards
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.batch_lines import number_lines

NAMES_OF_QUESTIONS = [operation.name for operation in QUESTIONS if operation.at_once]
ELAPSED = re.compile(rb'"elapsed_ms":[0-9.e-]+')
SETTINGS = Settings()
ROWS = ["?1?", "???", "???"]


def answer_lines_together(
    name: str, given_lines: list[bytes], settings: Settings = SETTINGS, **defaults: Any
) -> list[bytes | None]:
    found = at_once.answer_together(
        QUESTIONS_BY_NAME[name], given_lines, defaults, settings
    ).answers
    return [one and ELAPSED.sub(b"", one) for one in found]


def answer_single_line(name: str, line: bytes, **defaults: Any) -> bytes | None:
    """Return the answer of the fast path to a line that the strict reader reads."""
    template = LineTemplate(QUESTIONS_BY_NAME[name], defaults, SETTINGS)
    job = lines.read_request(template, BatchLine(line, 0)).job
    if job is None:
        return None
    assert isinstance(job, Job)
    answer = at_once.answer_job(job, Progress())
    return answer and ELAPSED.sub(b"", answer) + b"\n"


def object_line(board: Board, mines: int | None) -> bytes:
    return json.dumps({"board": draw(board)} | ({} if mines is None else {"mines": mines})).encode()


def text_line(board: Board, _: int | None) -> bytes:
    return json.dumps("\n".join(draw(board))).encode()


@pytest.mark.parametrize("name", NAMES_OF_QUESTIONS)
@given(st.lists(boards.positions(), max_size=6), st.sampled_from([object_line, text_line]))
def test_positions_answered_together_equal_positions_answered_singly(
    name: str, positions: list[tuple[Board, int | None]], line_of: Any
) -> None:
    of_all = [line_of(*one) for one in positions]
    assert answer_lines_together(name, of_all) == [
        answer_single_line(name, line) for line in of_all
    ]


@pytest.mark.parametrize("name", NAMES_OF_QUESTIONS)
@given(boards.boards_with_totals())
def test_small_boards_answered_together_equal_boards_answered_singly(
    name: str, position: tuple[Board, int | None]
) -> None:
    line = object_line(*position)
    assert answer_lines_together(name, [line, line]) == [answer_single_line(name, line)] * 2


@st.composite
def texts_with_blanks(draw: st.DrawFn) -> list[str]:
    """Draw rows of about equal length with blanks, tabs and empty rows anywhere."""
    width = draw(st.integers(3, 5))
    rows = draw(st.lists(st.text("??1", min_size=width, max_size=width), min_size=3, max_size=5))
    gap = draw(st.sampled_from(["", "", " ", "\t", "  "]))
    rows = [gap.join(row) for row in rows]
    for blank in draw(st.lists(st.sampled_from([" ", "\t", "", "1", "\r"]), max_size=3)):
        number = draw(st.integers(0, len(rows) - 1))
        at = draw(st.integers(0, len(rows[number])))
        rows[number] = rows[number][:at] + blank + rows[number][at:]
    return rows


@given(texts_with_blanks(), st.sampled_from(["\n", " ", "\n\n", "\r\n"]), st.booleans())
def test_compiled_reader_leaves_texts_with_blanks_to_notation(
    rows: list[str], between: str, as_list: bool
) -> None:
    line = json.dumps(rows if as_list else between.join(rows)).encode()
    line = b'{"board": ' + line + b"}" if as_list else line
    (found,) = answer_lines_together("count", [line])
    if found is not None:
        assert found == answer_single_line("count", line)
    texts = rows if as_list else [between.join(rows)]
    if any(re.search(r"[ \t\r]", text) for text in texts):
        assert found is None, "the notation alone knows what blanks are"


# Pieces of lines, which join to valid and to invalid lines.
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


@pytest.mark.parametrize("name", NAMES_OF_QUESTIONS)
@given(st.tuples(*map(st.sampled_from, PIECES)).map("".join))
def test_fast_reader_reads_random_lines_as_strict_reader(name: str, text: str) -> None:
    line = text.encode("latin-1" if "\xff" in text and "\ufeff" not in text else "utf-8")
    (found,) = answer_lines_together(name, [line])
    assert found is None or found == answer_single_line(name, line)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    "rest",
    ["", ",", ',"mines":2', ',"mines":2,"mines":2', ',"mines":02', f',"board":{BOARDS[0]}'],
)
def test_fast_reader_reads_nearly_valid_lines_as_strict_reader(board: str, rest: str) -> None:
    line = f'{{"board":{board}{rest}}}'.encode()
    (found,) = answer_lines_together("analyze", [line])
    assert found is None or found == answer_single_line("analyze", line)


@given(st.data())
def test_fast_reader_reads_lines_with_changed_byte_as_strict_reader(data: st.DataObject) -> None:
    line = bytearray(json.dumps({"board": ROWS, "mines": 2}).encode())
    index = data.draw(st.integers(0, len(line) - 1))
    line[index] = data.draw(st.sampled_from(sorted({*range(32, 127), 9, 13, 0, 255})))
    (found,) = answer_lines_together("analyze", [bytes(line)])
    assert found is None or found == answer_single_line("analyze", bytes(line))


@pytest.mark.parametrize("form", [ROWS, "\n".join(ROWS)])
def test_fast_reader_reads_each_form_that_games_write(form: object) -> None:
    request = {"board": form, "mines": 2}
    back = dict(reversed(request.items()))
    texts = [json.dumps(one, separators=by) for one in (request, back) for by in ((",", ":"), None)]
    answers = answer_lines_together(
        "analyze", [text.encode() + end for text in texts for end in (b"", b"\r")]
    )
    assert answers[0] is not None
    assert answers == [answers[0]] * len(answers)


def test_lines_left_by_fast_reader_keep_their_position() -> None:
    good = json.dumps({"board": ROWS}).encode()
    answers = answer_lines_together("check", [b"", good, b"{", good, b'"F??\\n???\\n???"'])
    assert [one is not None for one in answers] == [False, True, False, True, False]
    assert answers[1] == answers[3]


def test_default_total_applies_to_lines_without_total() -> None:
    own, none = (json.dumps(one).encode() for one in ({"board": ROWS, "mines": 3}, {"board": ROWS}))
    answers = answer_lines_together("count", [own, none], mines=4)
    assert answers == [answer_single_line("count", own), answer_single_line("count", none, mines=4)]
    assert b'"mines":3' in (answers[0] or b"")
    assert b'"mines":4' in (answers[1] or b"")


@pytest.mark.parametrize(
    "defaults", [{"density": "0.2"}, {"mines": "4"}, {"mines": True}, {"mines": -1}]
)
def test_fast_reader_leaves_all_lines_with_other_default_options(defaults: dict[str, Any]) -> None:
    assert answer_lines_together("count", [json.dumps(ROWS).encode()], **defaults) == [None]


@pytest.mark.parametrize("limits", [{"max_cells": 8}, {"max_body_bytes": 20}])
def test_fast_reader_leaves_lines_above_limits(limits: dict[str, int]) -> None:
    line = json.dumps({"board": ROWS}).encode()
    assert answer_lines_together("check", [line]) != [None]
    assert answer_lines_together("check", [line], Settings(**limits)) == [None]
    wide = json.dumps({"board": ["?" * (at_once.MOST_CELLS // 3 + 1)] * 3}).encode()
    assert answer_lines_together("check", [wide]) == [None]


def test_fast_reader_answers_line_after_long_line() -> None:
    line = json.dumps({"board": ROWS}).encode()
    padded = line[:-1] + b" " * 1_000_000 + b"}"
    answers = answer_lines_together("check", [padded, line])
    assert answers == [None, answer_single_line("check", line)]


def test_line_that_fast_path_has_read_is_not_read_or_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inconsistent = json.dumps({"board": ["0?0", "???", "0?8"]}).encode()
    found = at_once.answer_together(QUESTIONS_BY_NAME["check"], [inconsistent, b"{"], {}, SETTINGS)
    assert (found.answers, found.unanswered) == ([None, None], [0, 1])
    assert found.parsed == {0: ParsedLine(parse(["0?0", "???", "0?8"]), None, True, None)}
    monkeypatch.setattr(
        position_answers,
        "solve_narrow_components",
        lambda *_: pytest.fail("it was looked at before"),
    )
    monkeypatch.setattr(jobs, "read_json", lambda *_: pytest.fail("it was read before"))
    answer = lines.answer_bounded(
        LineTemplate(QUESTIONS_BY_NAME["check"], {}, SETTINGS), number_lines([inconsistent])
    )
    assert json.loads(answer.texts[0])["consistent"] is False


def request(operation: QuestionOperation, content: bytes) -> tuple[bytes | None, ParsedLine | None]:
    """Return the answer to a body that may be an object, or the part of it that was read."""
    body = Body(content, "application/json", {}, "board", 0.0, False)
    if not body.is_small_object:
        return None, None
    found = at_once.answer_together(operation, (content,), {}, SETTINGS)
    return found.text[:-1] or None, found.parsed.get(0)


@pytest.mark.parametrize("name", NAMES_OF_QUESTIONS)
@given(boards.positions())
def test_fast_path_answers_request_as_line(name: str, position: tuple[Board, int | None]) -> None:
    body = object_line(*position)
    answer, read = request(QUESTIONS_BY_NAME[name], body)
    (line,) = answer_lines_together(name, [body])
    assert (answer and ELAPSED.sub(b"", answer) + b"\n") == line
    assert answer is not None or (read is not None and read.looked)


@pytest.mark.parametrize(
    "body", [b"", b'"?1?\\n???\\n???"', b"[]", b' "?1?"', b'{"board":\n["?1?","???","???"]}']
)
def test_fast_path_leaves_request_that_is_not_one_object_line(body: bytes) -> None:
    assert request(QUESTIONS_BY_NAME["check"], body) == (None, None)


def test_fast_path_leaves_request_with_line_break() -> None:
    body = json.dumps({"board": ROWS}).encode()
    for more in (b"\n", b"\n{", b"\n" + body):
        assert request(QUESTIONS_BY_NAME["check"], body + more) == (None, None)
