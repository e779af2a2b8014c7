"""Games that the service keeps, so that clients need not know where the mines are.

A game is what was dealt and the clicks since, in their order; where it stands follows from these
(`minefield.game.Game.played`). So two clicks at once, wherever they come in, have only to be kept.
"""

from array import array
from dataclasses import dataclass
from time import monotonic
from typing import Final, NamedTuple, Protocol

import numpy as np
import orjson
from cachetools import TTLCache

from app import problems
from minefield import Layout
from minefield.game import Game

#: Bytes that a game in memory takes beside its mines and clicks.
_OVERHEAD: Final = 1000


@dataclass(frozen=True, slots=True)
class Deal:
    """A game, and how it was made; ``difficulty`` is None where it was not graded."""

    game: Game
    kind: str
    difficulty: str | None
    seed: int

    def packed(self) -> bytes:
        """As it is kept: a line of JSON, and a bit for each cell."""
        mines = self.game.layout.mines
        told = {
            "shape": mines.shape,
            "first": self.game.first,
            "kind": self.kind,
            "difficulty": self.difficulty,
            "seed": self.seed,
        }
        return orjson.dumps(told) + b"\n" + np.packbits(mines).tobytes()

    @classmethod
    def unpacked(cls, packed: bytes) -> "Deal":
        """What was packed."""
        line, _, bits = packed.partition(b"\n")
        told = orjson.loads(line)
        height, width = told["shape"]
        row, col = told["first"]
        cells = np.unpackbits(np.frombuffer(bits, np.uint8), count=height * width)
        layout = Layout(cells.reshape(height, width).view(np.bool_))
        return cls(Game(layout, (row, col)), told["kind"], told["difficulty"], told["seed"])


class Kept(NamedTuple):
    """A packed deal, and the cells that were clicked on since, numbered in reading order."""

    deal: bytes
    clicks: "array[int]" = array("q")


class Games(Protocol):
    """Where games are kept by their ids, each for so many ``seconds`` after it was last asked for.

    ``fix`` says what to do about a game that is not there. What cannot be reached, or has no
    room, raises a ProblemError: a 503.
    """

    seconds: int
    fix: str

    async def keep(self, game: str, deal: bytes) -> None:
        """Keep what was dealt."""

    async def find(self, game: str) -> Kept | None:
        """A game, if it is there."""

    async def click(self, game: str, cell: int) -> Kept | None:
        """A game, if it is there, with one more click."""

    async def close(self) -> None:
        """Keep nothing any more."""


class MemoryGames:
    """Games in so many megabytes (2**20 bytes) of this process; those unused longest make room."""

    fix = (
        "Deal a new one with POST /v1/games. Replicas know the games of each other only where "
        "MINECHECK_REDIS_URL is set."
    )

    def __init__(self, megabytes: int, seconds: int) -> None:
        self.seconds = seconds
        self._kept: TTLCache[str, Kept] = TTLCache(megabytes << 20, seconds, monotonic, _size)

    async def keep(self, game: str, deal: bytes) -> None:
        """Keep what was dealt."""
        self._put(game, Kept(deal))

    async def find(self, game: str) -> Kept | None:
        """A game, if it is there."""
        kept = self._kept.get(game)
        if kept is not None:
            self._put(game, kept)
        return kept

    async def click(self, game: str, cell: int) -> Kept | None:
        """A game, if it is there, with one more click."""
        kept = self._kept.get(game)
        if kept is not None:
            kept = Kept(kept.deal, kept.clicks + array("q", (cell,)))
            self._put(game, kept)
        return kept

    async def close(self) -> None:
        """Nothing is left to do."""

    def _put(self, game: str, kept: Kept) -> None:
        """Keep a game from now on, as the one used last."""
        if _size(kept) > self._kept.maxsize:
            raise problems.for_now(
                "no-room-for-game",
                "The game is larger than the memory for games.",
                "Deal a smaller one, or raise MINECHECK_GAMES_MB.",
            )
        self._kept[game] = kept


def _size(kept: Kept) -> int:
    return len(kept.deal) + kept.clicks.itemsize * len(kept.clicks) + _OVERHEAD
