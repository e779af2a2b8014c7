"""Labelled positions as columns of Arrow, and what each column means."""

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import SYMBOLS, UNKNOWN
from minecheck.solvers.datasets.labels import DatasetOptions, LabelledPositions
from minecheck.solvers.environment.dealing import wrap_seed

if TYPE_CHECKING:
    import pyarrow

#: The columns by name: the type in Arrow, and what they mean.
COLUMNS: Final = MappingProxyType(
    {
        "split": ("string", "train, validation or test: one for all positions of a map"),
        "game": ("int64", "the number of the game, from 0"),
        "game_seed": ("int64", "the seed of its board, for `minecheck board --seed`"),
        "turn": ("int32", "how many clicks were made after the first one"),
        "key": ("uint64", "a number that all symmetric positions with this total share"),
        "rows": ("int32", "rows of the board"),
        "cols": ("int32", "columns of the board"),
        "mines": ("int32", "the total of mines"),
        "board": ("string", "what is shown, one line a row: 0 to 8, and ? for a hidden cell"),
        "consistent": ("bool", "whether any layout fits: true, as these are positions of games"),
        "count": ("string", "the number of layouts, exact, in decimal digits"),
        "forced_safe": ("list<int32>", "cells proved safe, by number row * cols + col"),
        "forced_mines": ("list<int32>", "cells proved to be mines"),
        "chances": ("list<double>", "the exact chance of a mine in each cell; null if it is shown"),
        "safest_chance": ("double", "the least chance of a hidden cell"),
        "best_move": ("int32", "the best cell to open where the end was played out, else null"),
        "best_win": ("double", "the chance to win from there with best play, else null"),
        "map_guess_free": ("bool", "whether the whole map can be played without a guess"),
        "map_hardest_step": ("string", "the hardest step that it takes before the first guess"),
        "map_openings": ("int32", "the openings of the map"),
        "map_3bv": ("int32", "the fewest clicks that open all safe cells"),
        "proofs": ("string", "with --proofs: why cells are forced, as JSON of `minecheck explain`"),
    }
)


@cache
def make_schema(proofs: bool) -> "pyarrow.Schema":
    """Return the columns; those of proofs only where they were asked for."""
    import pyarrow

    types = {
        "list<int32>": pyarrow.list_(pyarrow.int32()),
        "list<double>": pyarrow.list_(pyarrow.float64()),
    }
    return pyarrow.schema(
        [
            pyarrow.field(name, types.get(kind, kind), metadata={"description": meaning})
            for name, (kind, meaning) in COLUMNS.items()
            if proofs or name != "proofs"
        ]
    )


def make_batch(options: DatasetOptions, labelled: LabelledPositions) -> "pyarrow.RecordBatch":
    """Return positions as a batch of rows."""
    import pyarrow

    kind, positions = options.kind, labelled.games.size
    grades = [labelled.grades[game] for game in labelled.games.tolist()]
    columns: dict[str, Any] = {
        "split": [grade.split.value for grade in grades],
        "game": labelled.games,
        "game_seed": [wrap_seed(options.seed + game) for game in labelled.games.tolist()],
        "turn": labelled.turns,
        "key": np.array(labelled.keys, np.uint64),
        "rows": np.full(positions, kind.rows, np.int32),
        "cols": np.full(positions, kind.cols, np.int32),
        "mines": np.full(positions, kind.mines, np.int32),
        "board": draw_boards(labelled.cells, kind.cols),
        "consistent": np.ones(positions, np.bool_),
        "count": list(map(str, labelled.counts)),
        "forced_safe": _list_cells(labelled.chances == 0),
        "forced_mines": _list_cells(labelled.chances == 1),
        "chances": _list_chances(labelled.chances),
        "safest_chance": np.where(labelled.cells == UNKNOWN, labelled.chances, 2.0).min(axis=1),
        "best_move": [None if best is None else best[0] for best in labelled.best],
        "best_win": [None if best is None else best[1] for best in labelled.best],
        "map_guess_free": [grade.guess_free for grade in grades],
        "map_hardest_step": [grade.hardest.label for grade in grades],
        "map_openings": [grade.openings for grade in grades],
        "map_3bv": [grade.clicks for grade in grades],
    }
    if options.proofs:
        columns["proofs"] = labelled.proofs
    schema = make_schema(options.proofs)
    arrays = [pyarrow.array(columns[field.name], field.type) for field in schema]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def draw_boards(cells: NDArray[np.int8], cols: int) -> list[str]:
    """Return boards as text, one line a row.

    Args:
        cells: cell codes: (boards, cells).
        cols: the columns of each board.
    """
    symbols = np.frombuffer(SYMBOLS.encode(), np.uint8)[cells].reshape(len(cells), -1, cols)
    ended = np.full((*symbols.shape[:2], cols + 1), ord("\n"), np.uint8)
    ended[:, :, :cols] = symbols
    return [board.tobytes().decode("ascii")[:-1] for board in ended]


def _list_cells(where: NDArray[np.bool_]) -> "pyarrow.ListArray":
    """Return the numbers of the cells that are true, a list for each board."""
    import pyarrow

    cells = where.nonzero()[1].astype(np.int32)
    return pyarrow.ListArray.from_arrays(_offsets(where.sum(axis=1)), pyarrow.array(cells))


def _list_chances(chances: NDArray[np.float64]) -> "pyarrow.ListArray":
    import pyarrow

    flat = chances.reshape(-1)
    values = pyarrow.array(flat, mask=np.isnan(flat))
    sizes = np.full(len(chances), chances.shape[1])
    return pyarrow.ListArray.from_arrays(_offsets(sizes), values)


def _offsets(sizes: NDArray[np.integer]) -> NDArray[np.int32]:
    return np.concatenate([[0], sizes.cumsum()]).astype(np.int32)
