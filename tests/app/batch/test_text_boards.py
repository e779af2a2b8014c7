"""A text holds one board or several, or is a problem where it is ambiguous."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.text_boards import TextParser
from minecheck.app.settings import Settings
from tests.app.jobs import QUESTIONS_BY_NAME


def parse(
    content: bytes, split: bool | None = None, size: int = 1000, **defaults: Any
) -> list[BatchLine]:
    template = LineTemplate(QUESTIONS_BY_NAME["check"], defaults, Settings())
    parser = TextParser(template, None, split=split)
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    return [line for piece in pieces for line in parser.feed(piece)] + list(parser.finish())


def boards(found: list[BatchLine]) -> list[tuple[int, bytes]]:
    assert {line.kind for line in found} <= {"text"}
    return [(line.line, line.content) for line in found]


GRIDS = st.lists(st.sampled_from([b"1?\n??", b"?\n?\n?", b"???\n1??"]), min_size=2, max_size=6)


@given(GRIDS, st.lists(st.integers(1, 3), min_size=6, max_size=6), st.integers(1, 9))
def test_text_parser_separates_boards_at_blank_lines(
    grids: list[bytes], gaps: list[int], size: int
) -> None:
    text, expected, line = b"", [], 0
    for grid, gap in zip(grids, gaps, strict=False):
        expected.append((line, grid))
        text += grid + b"\n" + b" \r\n" * gap
        line += grid.count(b"\n") + 1 + gap
    assert boards(parse(text, size=size)) == expected


def test_text_without_inner_blank_lines_is_one_board() -> None:
    assert boards(parse(b"\n\n1?\r\n??\n\n")) == [(2, b"1?\n??")]
    assert parse(b"\n \n") == []


@pytest.mark.parametrize(
    "text", [b"1?\n\n??\n", b"1?\n\n??\n\n?2\n", b"1.\n\n..\n", b"1?\n\n???\n"]
)
def test_single_rows_of_equal_width_need_the_split_option(text: bytes) -> None:
    found = parse(text)
    if b"???" in text:
        # Rows of different widths are not one board.
        assert boards(found) == [(0, b"1?"), (2, b"???")]
        return
    (problem,) = found
    assert (problem.kind, problem.line) == ("problem", 0)
    assert json.loads(problem.content)["type"].endswith(":ambiguous-blank-lines")
    assert len(boards(parse(text, split=True))) == text.count(b"\n\n") + 1
    assert len(boards(parse(text, split=False))) == 1


def test_text_parser_keeps_lines_that_are_not_a_board_with_board() -> None:
    text = b"Mines: 1\n\n1?\n??\n"
    assert boards(parse(text)) == [(0, b"Mines: 1\n\n1?\n??")]


def test_text_parser_separates_title_between_boards() -> None:
    found = boards(parse(b"1?\n??\n\n!!!\n\n1?\n??\n"))
    assert [line for line, _ in found] == [0, 3, 5]


def test_notation_with_blank_cells_is_split_at_empty_lines_only() -> None:
    found = boards(parse(b"-1\n  \n\n-1\n--\n", notation="probst"))
    assert found == [(0, b"-1\n  "), (3, b"-1\n--")]


def test_text_parser_holds_bounded_part_of_long_text() -> None:
    template = LineTemplate(QUESTIONS_BY_NAME["check"], {}, Settings(max_body_bytes=1000))
    parser = TextParser(template, None)
    for _ in range(1000):
        list(parser.feed(b"?" * 50 + b"\n"))
        assert parser.buffered_bytes < 5000
    (line,) = parser.finish()
    assert len(line.content) == 1001
    parser = TextParser(template, None)
    found = [line for _ in range(1000) for line in parser.feed(b"?" * 50 + b"\n\n")]
    assert len([*found, *parser.finish()]) == 1000
