"""Games as they are kept: what was dealt, and the clicks since.

A game is what was dealt and the clicks since, in their order; where it stands follows from these
(`minefield.game.Game.replay_clicks`). So two clicks at once, wherever they come in, have only to be
kept.
"""

from array import array
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, NamedTuple

import numpy as np
import orjson

from minecheck.app.problems import ProblemError
from minecheck.minefield import Layout
from minecheck.minefield.game import Game, Played

#: An upper bound on the bytes of a game besides its mines.
_LONGEST_HEAD: Final = 1000
#: Clicks of a game beyond one for each cell: those on one cell that came at the same time.
_REPEATED: Final = 1000
_KINDS: Final = ("random", "opening", "guess-free")


class DamagedGame(ProblemError):
    """What is kept under the id of a game is none: somebody else wrote there."""

    def __init__(self) -> None:
        super().__init__(
            HTTPStatus.NOT_FOUND,
            "no-such-game",
            "What is kept under this id is not a game: it was damaged.",
            "Deal a new one with POST /v1/games.",
        )


@dataclass(frozen=True, slots=True)
class Deal:
    """A game, and how it was made; ``difficulty`` is None where it was not graded."""

    game: Game
    kind: str
    difficulty: str | None
    seed: int

    def pack(self) -> bytes:
        """Pack the game as it is kept: a line of JSON, and a bit for each cell."""
        mines = self.game.layout.mines
        fields = {
            "shape": mines.shape,
            "first": self.game.first,
            "kind": self.kind,
            "difficulty": self.difficulty,
            "seed": self.seed,
        }
        return orjson.dumps(fields) + b"\n" + np.packbits(mines).tobytes()

    @classmethod
    def unpack(cls, packed: bytes) -> "Deal":
        """Return what was packed; anybody may have put it there.

        Raises:
            DamagedGame: it was not. Nothing is allocated that is larger than what is given.
        """
        if not isinstance(packed, bytes):
            raise DamagedGame
        line, _, bits = packed[:_LONGEST_HEAD].partition(b"\n")
        try:
            fields = orjson.loads(line)
            (height, width), first = fields["shape"], tuple(fields["first"])
            kind, difficulty, seed = fields["kind"], fields["difficulty"], fields["seed"]
        except (ValueError, TypeError, KeyError):
            raise DamagedGame from None
        bits = packed[len(line) + 1 :]
        numbers = (height, width, *first, seed)
        if (
            not all(type(number) is int for number in numbers)
            or min(height, width) < 1
            or len(bits) != (height * width + 7) // 8
            or len(first) != 2
            or kind not in _KINDS
            or not isinstance(difficulty, str | None)
        ):
            raise DamagedGame
        cells = np.unpackbits(np.frombuffer(bits, np.uint8), count=height * width)
        layout = Layout(cells.reshape(height, width).view(np.bool_))
        try:
            return cls(Game(layout, (first[0], first[1])), kind, difficulty, seed)
        except ValueError:
            raise DamagedGame from None


class Kept(NamedTuple):
    """A packed deal, and the cells that were clicked on since, numbered in reading order."""

    deal: bytes
    clicks: "array[int]" = array("q")


def count_most_clicks(deal: bytes) -> int:
    """Return the most clicks of a game of that many bytes.

    A click on a cell that is open is not kept, so there is about one for each cell.
    """
    return 8 * len(deal) + _REPEATED


def replay_game(stored: Kept) -> tuple[Deal, Played]:
    """Return what was dealt, and how it stands after the clicks.

    Raises:
        DamagedGame: they are not those of a game.
    """
    deal = Deal.unpack(stored.deal)
    mines = deal.game.layout.mines
    clicks = np.frombuffer(stored.clicks, np.int64)
    if clicks.size and not (clicks.min() >= 0 and clicks.max() < mines.size):
        raise DamagedGame
    return deal, deal.game.replay_clicks([divmod(cell, mines.shape[1]) for cell in stored.clicks])
