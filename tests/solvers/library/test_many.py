"""Many boards together get the answers that each of them gets alone."""

import doctest
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minecheck
from minecheck.minefield import Board, BoardError, draw
from minecheck.solvers import QuestionError
from minecheck.solvers.library import many
from tests.boards import boards_with_totals

GAME = ["?1?", "???", "1?1"]


def describe_answer(answer: Any) -> dict[str, Any]:
    """Return what an answer says, without its time."""
    found: dict[str, Any] = answer.to_dict()
    return found | {"solver": {**found["solver"], "elapsed_ms": None}}


def test_analyze_many_docstring_examples_run() -> None:
    results = doctest.testmod(many)
    assert (results.failed, results.attempted) == (0, 2)


@given(st.lists(boards_with_totals(), max_size=8), st.integers(1, 40))
def test_analyze_many_answers_as_analyze_does(
    cases: list[tuple[Board, int | None]], chunk: int
) -> None:
    cases = [case for case in cases if case[1] is None or case[1] <= case[0].cells.size]
    boards, totals = [board for board, _ in cases], [mines for _, mines in cases]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(many, "_cut_chunks", partial(many._cut_chunks, chunk_cells=chunk))
        found = minecheck.analyze_many(boards, totals)
    alone = [minecheck.analyze(*case) for case in cases]
    assert list(map(describe_answer, found)) == list(map(describe_answer, alone))
    assert found.consistent == [one.consistent for one in alone]
    assert found.counts == [one.count for one in alone]
    for one, other in zip(found.probabilities, alone, strict=True):
        blank = np.full(one.shape, np.nan)
        chances = blank if other.probabilities is None else other.probabilities
        assert np.array_equal(one, chances, equal_nan=True)


@pytest.mark.parametrize("dtype", ["U1", "S1", object])
def test_analyze_many_takes_arrays_of_cells(dtype: Any) -> None:
    cube = np.array([[list(row) for row in GAME]] * 3).astype(dtype)
    found = minecheck.analyze_many(cube, mines=[1, 2, None])
    right = [minecheck.analyze(GAME, mines).count for mines in (1, 2, None)]
    assert found.counts == right
    assert np.asarray(found.probabilities).shape == (3, 3, 3)


def test_analyze_many_takes_numbers_with_their_meaning() -> None:
    cube = np.array([[[-1, 1, -1], [-1, -1, -1], [1, -1, 1]]])
    found = minecheck.analyze_many(cube, symbols={"-1": "unknown"})
    assert found.counts == [minecheck.analyze(GAME).count]


def test_analyze_many_takes_a_column_of_texts_with_totals_that_are_missing() -> None:
    column = np.array(["\n".join(GAME)] * 2, object)
    found = minecheck.analyze_many(column, np.array([np.nan, 2.0]))
    assert found.counts == [minecheck.analyze(GAME).count, minecheck.analyze(GAME, 2).count]


@pytest.mark.parametrize(
    ("boards", "mines", "error", "says"),
    [
        ([GAME, ["?x"]], None, BoardError, "Board 1: "),
        ([GAME, GAME], [1, 99], QuestionError, "Board 1: A board of 9 cells has 0 to 9 mines"),
        ([GAME], [1, 2], QuestionError, "2 totals for 1 board."),
        ([GAME], -1, QuestionError, "-1 is not a number of mines"),
        ([GAME], ["1"], TypeError, "Board 0: mines has to be a whole number"),
        ([GAME], "1", TypeError, "not str"),
        ("?1?", None, QuestionError, "One text is one board"),
        (
            np.array([["?", "1"]]),
            None,
            QuestionError,
            'column that has the boards, such as frame["',
        ),
        (None, None, QuestionError, "boards is not a list of boards"),
        ([GAME] * 2, "10", TypeError, "not str"),
        ([GAME, None], None, BoardError, "Board 1: It is missing."),
        ([GAME, np.nan], None, BoardError, "Board 1: It is missing."),
        ([b"?1?"], None, BoardError, "Board 0: A board cannot be bytes."),
        ([minecheck.Variant(minecheck.parse(GAME), most=2)], None, BoardError, "Board 0: "),
    ],
)
def test_analyze_many_names_the_board_at_fault(
    boards: Any, mines: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as raised:
        minecheck.analyze_many(boards, mines)
    assert says in str(raised.value)


def test_analyze_many_of_no_boards_is_empty() -> None:
    found = minecheck.analyze_many([])
    assert (len(found), found.counts, list(found.probabilities)) == (0, [], [])
    assert set(map(len, found.to_columns().values())) == {0}


def test_analyze_many_returns_a_sequence_with_columns() -> None:
    found = minecheck.analyze_many([GAME, ["?2", "1?"], GAME], mines=2)
    assert (len(found), len(found[1:]), found[-1].count) == (3, 2, found[0].count)
    with pytest.raises(IndexError):
        found[3]
    columns = found.to_columns()
    assert columns["count"] == list(map(str, found.counts))
    assert columns["consistent"] == found.consistent
    assert columns["solver"][0] == "positions"
    assert columns["safest_probability"][0] == min(chance for _, chance in found[0].safest or [])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_analyze_many_reads_and_fills_data_frames(library: str) -> None:
    frames = import_module(library)
    large = ["?" * 16] * 16
    boards = ["\n".join(GAME), "\n".join(large), "\n".join(GAME)]
    frame = frames.DataFrame({"board": boards, "mines": [2, None, 3]})
    found = minecheck.analyze_many(frame["board"], frame["mines"])
    right = [minecheck.analyze(GAME, 2).count, 2**256, minecheck.analyze(GAME, 3).count]
    assert found.counts == right
    assert frames.DataFrame(found.to_columns())["count"].to_list() == list(map(str, right))
    cells = frames.DataFrame({"a": [1, None], "b": [None, 2]})
    assert str(minecheck.parse(cells)) == "1?\n?2"
    with pytest.raises(QuestionError, match="column that has the boards"):
        minecheck.analyze_many(frame)


def test_analyze_many_progress_ends_with_all_boards() -> None:
    seen: list[tuple[int, int]] = []
    flagged = draw(minecheck.parse(["F1?", "???", "???"]))
    minecheck.analyze_many([GAME, flagged, GAME], progress=lambda done, of: seen.append((done, of)))
    assert seen == [(2, 3), (3, 3)]
    minecheck.analyze_many([GAME], progress=True)
