"""Moves in words: prompts, replies of all kinds, and scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.solvers import QuestionError
from minecheck.solvers.environment.text import parse_move, prompt_move, score_move
from tests import oracle
from tests.boards import small_boards

BOARD = ["1??", "???", "???"]


def test_prompt_move_shows_the_board_with_rulers() -> None:
    prompt = prompt_move(BOARD, 2)
    assert "with 2 mines" in prompt
    assert "    0 1 2\n0 | 1 ? ?\n1 | ? ? ?\n2 | ? ? ?" in prompt
    assert prompt.endswith("ANSWER: row,column")


@pytest.mark.parametrize(
    "reply",
    [
        "ANSWER: 3,14",
        "answer = 3 , 14",
        "Because of the 1 at 0,0.\n\n**ANSWER: 3,14**\n\n",
        "ANSWER: 0,0\nNo, that is wrong.\nANSWER: 3,14",
        "**Final answer:** `(3, 14)`.",
        "The answer is row 3, column 14",
        "Answer: [3, 14]",
        "3 14",
        "r3c14",
        "> Move: row 3 and col 14",
        "ANSWER: 3,14\r\n",
    ],
)
def test_parse_move_reads_replies_that_name_one_cell(reply: str) -> None:
    assert parse_move(reply) == (3, 14)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "\n \n",
        "ANSWER: 314",
        "ANSWER: 3,14 or 3,15",
        "ANSWER: 3,14; 3,15",
        "ANSWER: 3,14 ANSWER: 3,15",
        "ANSWER: 3,14\nI hope that this is right.",
        "ANSWER: 3,14 \u2028ANSWER: 3,14,15",
        "ANSWER: -3,14",
        "ANSWER: 3.5,14",
        "ANSWER: \uff13,14",
        "ANSWER: 3,99999",
        "ANSWER:" + " " * 300 + "3,14",
        "any cell",
    ],
)
def test_parse_move_ignores_replies_that_name_no_cell_or_several(reply: str) -> None:
    assert parse_move(reply) is None


@given(st.text(max_size=300))
def test_parse_move_returns_a_cell_or_none_for_any_reply(reply: str) -> None:
    found = parse_move(reply)
    assert found is None or min(found) >= 0


@given(small_boards(), st.integers(0, 3), st.integers(0, 5), st.integers(0, 5))
def test_score_move_agrees_with_all_layouts(board: Board, mines: int, row: int, col: int) -> None:
    known = oracle.answer(board, mines)
    hidden = [cell for cell, code in _list_cells(board) if code in (UNKNOWN, 11, 12)]
    if not known.layouts or not hidden:
        with pytest.raises(QuestionError, match=r"no move to score|cells? has 0 to [0-9]+ mine"):
            score_move(board, mines, "ANSWER: 0,0")
        return
    chances = {
        cell: sum(cell in layout for layout in known.layouts) / known.count for cell in hidden
    }
    least = min(chances.values())
    score = score_move(board, mines, f"ANSWER: {row},{col}")
    assert score.cell == (row, col)
    assert score.had_proved_cell == (least == 0)
    assert score.legal == ((row, col) in chances)
    if score.legal:
        assert score.mine_chance == pytest.approx(chances[row, col])
        assert score.chance_lost == pytest.approx(chances[row, col] - least)
        assert score.value == pytest.approx(1 - chances[row, col] + least)
    else:
        assert score.value == 0


def _list_cells(board: Board) -> list[tuple[tuple[int, int], int]]:
    return [
        ((row, col), code)
        for row, codes in enumerate(board.cells.tolist())
        for col, code in enumerate(codes)
    ]


def test_score_move_gives_zero_for_a_reply_without_a_cell() -> None:
    score = score_move(BOARD, 2, "I pass.")
    assert (score.value, score.cell, score.legal) == (0, None, False)


def test_prompt_move_rejects_boards_under_other_rules() -> None:
    from minecheck.minefield import Shape, Topology, Variant, parse

    with pytest.raises(QuestionError, match="ordinary boards only"):
        prompt_move(Variant(parse(BOARD), Topology(Shape.TORUS)), 2)
