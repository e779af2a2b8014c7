"""Games of both clients: each is played in Python and in Node, with the same result."""

from collections.abc import Sequence
from typing import Any

import pytest
from minecheck_client import Game

from tests.clients.playing import in_node

#: As the service answers it; one safe cell is closed, at the top left.
ANSWER: Any = {"layout": ["11000", "B2000", "B2000"], "board": ["?1000", "?2000", "?2000"]}
CLOSED: Any = {"layout": ["11000", "B2000", "B2000"], "board": ["?????", "?????", "?????"]}

Step = tuple[str, Sequence[int]]


def python(answer: Any, steps: Sequence[Step]) -> list[Any]:
    """Of each step its changes, in order, and rows and state after it; or what is wrong."""
    game = Game(answer)
    told: list[Any] = []
    for name, cell in steps:
        try:
            changed = sorted(getattr(game, name)(cell))
        except IndexError as error:
            changed = [str(error)]
        told.append([changed, game.rows, game.state])
    return told


def node(answer: Any, steps: Sequence[Step]) -> Any:
    """The same in Node."""
    script = """
        const game = new Game(answer);
        return steps.map(([name, cell]) => {
            let changed;
            try { changed = game[name](cell).sort(([a, b], [c, d]) => a - c || b - d); }
            catch (error) { changed = [error instanceof RangeError && error.message]; }
            return [changed, game.rows, game.state];
        });
    """
    return in_node(script, answer=answer, steps=steps)


@pytest.fixture(params=[python, node])
def play(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_game_is_won_when_all_safe_cells_are_open(play: Any) -> None:
    flagged, won, late = play(ANSWER, [("flag", [1, 0]), ("open", [0, 0]), ("open", [2, 0])])
    assert flagged == [[[1, 0]], ["?1000", "F2000", "?2000"], "playing"]
    assert won == [[[0, 0]], ["11000", "F2000", "?2000"], "won"]
    assert late == [[], *won[1:]]


def test_a_mine_ends_it(play: Any) -> None:
    lost, *late = play(ANSWER, [("open", [2, 0]), ("open", [0, 0]), ("flag", [0, 0])])
    assert lost == [[[2, 0]], ["?1000", "?2000", "B2000"], "lost"]
    assert late == [[[], *lost[1:]]] * 2


def test_around_a_zero_all_is_opened_but_flags(play: Any) -> None:
    _, opened = play(CLOSED, [("flag", [2, 3]), ("open", [0, 4])])
    assert opened[0] == [
        [row, col] for row in range(3) for col in range(1, 5) if (row, col) != (2, 3)
    ]
    assert opened[1:] == [["?1000", "?2000", "?20F0"], "playing"]


def test_numbers_open_alone_and_flags_not_at_all(play: Any) -> None:
    told = play(CLOSED, [("open", [0, 1]), ("flag", [0, 1]), ("flag", [0, 0]), ("open", [0, 0])])
    assert [changed for changed, _, _ in told] == [[[0, 1]], [], [[0, 0]], []]
    assert told[-1][1] == ["F1???", "?????", "?????"]


def test_a_flag_is_taken_away(play: Any) -> None:
    flagged, freed = play(CLOSED, [("flag", [0, 0])] * 2)
    assert (flagged[1][0], freed[1]) == ("F????", CLOSED["board"])


@pytest.mark.parametrize("cell", [[3, 0], [0, 5], [-1, 0], [0, -1], [0.5, 0]], ids=str)
@pytest.mark.parametrize("name", ["open", "flag"])
def test_cells_beyond_the_edges_are_named(play: Any, name: str, cell: Sequence[int]) -> None:
    ((changed, rows, state),) = play(ANSWER, [(name, cell)])
    said = f"Row {cell[0]}, column {cell[1]} is not on the board: it has 3 rows and 5 columns"
    assert changed == [f"{said}, from 0."]
    assert (rows, state) == (ANSWER["board"], "playing")


def test_without_a_board_there_is_no_game() -> None:
    answer: Any = {"found": False, "layout": None, "board": None}
    with pytest.raises(ValueError, match="none was found in time"):
        Game(answer)
    script = "try { new Game(answer); } catch (error) { return error.message; }"
    assert "none was found in time" in in_node(script, answer=answer)


def test_a_large_board_opens_at_once(play: Any) -> None:
    side = 150
    empty = {"layout": ["0" * side] * side, "board": ["?" * side] * side}
    ((changed, _, state),) = play(empty, [("open", [0, 0])])
    assert (len(changed), state) == (side * side, "won")
