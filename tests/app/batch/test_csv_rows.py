"""Rows of CSV become lines of a batch, with their columns as fields."""

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.csv_rows import CsvParser
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.problems import ProblemError
from minecheck.app.settings import Settings
from tests.app.jobs import QUESTIONS_BY_NAME


def parse(content: bytes, task: str = "count", size: int = 1000) -> list[BatchLine]:
    parser = CsvParser(LineTemplate(QUESTIONS_BY_NAME[task], {}, Settings()), None)
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    return [line for piece in pieces for line in parser.feed(piece)] + list(parser.finish())


def rows(content: bytes, task: str = "count") -> list[tuple[int, Any]]:
    return [(line.line, json.loads(line.content)) for line in parse(content, task)]


def test_csv_parser_reads_columns_as_options_or_passed_fields() -> None:
    text = b"id,board,mines,by_mines,author\n007,?1??,1,TRUE,Ann\n,?1??,2.0,,\n"
    assert rows(text) == [
        (1, {"id": "007", "board": "?1??", "mines": 1, "by_mines": True, "author": "Ann"}),
        (2, {"id": "", "board": "?1??", "mines": 2, "author": ""}),
    ]


def test_csv_board_has_line_breaks_or_slashes_between_rows() -> None:
    text = b'board,id\r\n"1?\r\n??",a\r\n1?/??,b\r\n"a ""b"" c",d\r\n'
    found = rows(text)
    assert [(line, row["board"]) for line, row in found] == [
        (1, "1?\n??"),
        (3, "1?\n??"),
        (4, 'a "b" c'),
    ]


def test_csv_row_whose_quotation_mark_is_not_closed_is_a_problem() -> None:
    cut = parse(b'board,id\n?1?,a\n"1?\n??\n')
    assert [(line.line, line.kind) for line in cut] == [(1, "row"), (2, "problem")]
    assert b"not closed" in cut[1].content


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_parser_takes_separator_from_header(delimiter: str) -> None:
    text = "\ufeffid,board\n5,1?\n".replace(",", delimiter).encode()
    assert rows(text) == [(1, {"id": "5", "board": "1?"})]


def test_csv_first_column_without_name_is_index() -> None:
    assert rows(b",board\n0,1?\n") == [(1, {"index": "0", "board": "1?"})]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "no header row with a column board"),
        (b"1?,2\n", "no header row with a column board"),
        (b"boards,id\n", "no header row with a column board"),
        (b"board,minse\n", "minse"),
        (b"board,consistent\n", "field of answers"),
        (b"board,id,id\n", "2 times"),
        (b"board,\n", "has no name"),
    ],
)
def test_csv_parser_rejects_header_with_wrong_columns(header: bytes, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        parse(header + b"1?,2\n" * bool(header))


def test_csv_parser_reports_bad_row_as_problem_of_its_line() -> None:
    found = parse(b"board,id\n1?\n??,2\n\xff,3\n\n??,4\n")
    assert [(line.line, line.kind) for line in found] == [
        (1, "problem"),
        (2, "row"),
        (3, "problem"),
        (5, "row"),
    ]


CELLS = st.lists(st.text('a",\n;?1 ', max_size=6), min_size=2, max_size=2)


@given(st.lists(CELLS, max_size=8), st.integers(1, 7))
def test_csv_parser_reads_rows_that_module_csv_writes(cells: list[list[str]], size: int) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["board", "id"], *cells])
    found = parse(text.getvalue().encode(), size=size)
    assert [json.loads(line.content)["id"] for line in found] == [row[1] for row in cells]
