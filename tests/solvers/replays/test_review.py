"""Reviews of games against every layout of small boards, and a game whose values are known."""

from fractions import Fraction
from math import isclose, log10

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from minecheck.minefield import draw
from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.replays.reading import Replay, ReplayClick, read_replay
from minecheck.solvers.replays.review import ReplayReview, draw_moment, review_replay
from tests import oracle
from tests.replay_files import write_replay

HEIGHT, WIDTH = 3, 4
CELLS = [(row, col) for row in range(HEIGHT) for col in range(WIDTH)]


def review_game(mines: list[str], clicks: list[tuple[str, int, int]]) -> ReplayReview:
    return review_replay(read_replay(write_replay(mines, clicks), "evf"))


def number_of(cell: oracle.Cell, mines: set[oracle.Cell]) -> int:
    return len(mines & set(oracle.neighbours(cell, HEIGHT, WIDTH)))


def list_opened(
    own: set[oracle.Cell], shown: set[oracle.Cell], mines: set[oracle.Cell]
) -> set[oracle.Cell]:
    found: set[oracle.Cell] = set()
    left = list(own - mines)
    while left:
        cell = left.pop()
        if cell in found or cell in shown:
            continue
        found.add(cell)
        if number_of(cell, mines) == 0:
            left += oracle.neighbours(cell, HEIGHT, WIDTH)
    return found


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_review_of_every_click_agrees_with_all_layouts(data: st.DataObject) -> None:
    mines = data.draw(st.sets(st.sampled_from(CELLS), min_size=1, max_size=5))
    shown: set[oracle.Cell] = set()
    flags: set[oracle.Cell] = set()
    clicks: list[ReplayClick] = []
    facts = []
    moves = st.tuples(st.sampled_from(CELLS), st.booleans())
    for cell, is_flag in data.draw(st.lists(moves, min_size=8, max_size=20)):
        around = set(oracle.neighbours(cell, HEIGHT, WIDTH))
        if cell in shown:
            closed = sorted(around - shown - flags)
            missing = number_of(cell, mines) - len(around & flags)
            if not 0 <= missing < len(closed):
                continue
            # Flags that make the chord possible, right or wrong.
            for flag in data.draw(st.permutations(closed))[:missing]:
                flags.add(flag)
                clicks.append(ReplayClick(0.0, "flag", flag, (), False))
            own, kind = around - shown - flags, "chord"
        elif cell in flags:
            continue
        elif is_flag:
            flags.add(cell)
            clicks.append(ReplayClick(0.0, "flag", cell, (), False))
            continue
        else:
            own, kind = {cell}, "open"
        codes = [[number_of(c, mines) if c in shown else UNKNOWN for c in CELLS]]
        board = Board(np.array(codes, np.int8).reshape(HEIGHT, WIDTH))
        known = oracle.answer(board, len(mines))
        survived = sum(not (layout & own) for layout in known.layouts)
        facts.append((own, board, Fraction(survived, known.count), known.forced_safe))
        opened = list_opened(own, shown, mines)
        lost = bool(own & mines)
        clicks.append(ReplayClick(0.0, kind, cell, tuple(sorted(opened)), lost))
        shown |= opened
        if lost or len(shown) + len(mines) == len(CELLS):
            break
    grid = np.zeros((HEIGHT, WIDTH), np.bool_)
    for cell in mines:
        grid[cell] = True
    replay = Replay(
        "evf", "", "", "", "custom", None, None, 1.0, Layout(grid), tuple(clicks), "unfinished"
    )
    review = review_replay(replay)
    assert review.complete
    assert len(review.clicks) == len(facts)
    luck = 0.0
    for index, (one, (own, board, survival, safe)) in enumerate(
        zip(review.clicks, facts, strict=True)
    ):
        assert set(one.cells) == own
        assert one.board == board
        if index == 0 and not one.click.lost:
            assert one.survival == 1
            continue
        assert one.survival == survival
        assert (one.safe is None) == (not safe)
        assert one.safe is None or one.safe in safe
        assert one.is_needless == (survival < 1 and bool(safe))
        assert not (one.click.lost and survival == 1)
        if one.better is not None and safe:
            assert one.better.mine == 0
        luck -= 0.0 if one.click.lost else log10(survival)
    assert review.luck is not None
    assert isclose(review.luck, luck, abs_tol=1e-12)


def test_review_names_a_needless_guess_and_a_safe_cell() -> None:
    found = review_game(["B..", "...", "..B"], [("l", 1, 1), ("r", 2, 2), ("l", 0, 2), ("l", 0, 0)])
    first, guess, last = found.clicks
    assert (first.survival, first.is_guess) == (Fraction(1), False)
    assert guess.survival == Fraction(3, 4)
    assert (guess.is_needless, guess.better) == (False, None)
    assert guess.win is not None
    assert guess.win.exact
    assert last.survival == Fraction(1, 2)
    assert last.is_needless
    assert last.better is not None
    assert (last.better.cell, last.better.mine) == ((2, 0), 0.0)
    assert last.win is not None
    assert (last.win.low, last.win.high) == (0.75, 0.75)
    # The last one was not survived.
    assert found.luck is not None
    assert isclose(found.luck, -log10(3 / 4))


def test_review_reports_the_cells_of_a_chord_on_a_wrong_flag() -> None:
    clicks = [("l", 1, 3), ("r", 1, 0), ("r", 0, 0), ("c", 1, 1)]
    lost = review_game(["B...", "....", "B..."], clicks).clicks[-1]
    assert lost.cells == ((2, 0),)
    assert (lost.survival, lost.safe) == (Fraction(0), (1, 0))


def test_draw_moment_shows_flags_and_the_mine_that_was_hit() -> None:
    clicks = [("l", 1, 3), ("r", 2, 0), ("l", 0, 0)]
    replay = read_replay(write_replay(["B...", "....", "B..."], clicks), "evf")
    drawn = [draw(draw_moment(replay, moment)) for moment in range(4)]
    assert drawn[0] == ["????", "????", "????"]
    assert drawn[1] == ["?100", "?200", "?100"]
    assert drawn[2] == ["?100", "?200", "F100"]
    assert drawn[3] == ["B100", "?200", "F100"]


def test_review_past_the_deadline_is_incomplete() -> None:
    replay = read_replay(write_replay(["B..", "...", "..B"], [("l", 1, 1), ("l", 0, 0)]), "evf")
    found = review_replay(replay, Deadline.in_seconds(0))
    assert (found.complete, found.luck) == (False, None)
    assert [one.survival for one in found.clicks] == [None, None]
