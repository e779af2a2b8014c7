"""A data set, written part by part: killed at any time, it goes on where it was.

Parts are files of so many games each, in a folder beside the output; at the end their row groups
become one file. What is written depends on the options alone: not on the number of workers, nor on
where it was interrupted.

Tested in tests/app/datasets/test_dataset.py.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import orjson

from minecheck import __version__
from minecheck.app.batch.naming import replace_file
from minecheck.app.datasets.columns import make_batch, make_schema
from minecheck.minefield import parse
from minecheck.solvers.datasets.labels import DatasetOptions, label_games
from minecheck.solvers.datasets.tasks import make_tasks

if TYPE_CHECKING:
    import pyarrow

LICENCE: Final = "CC0-1.0"
#: A worker plays fewer games at once on large boards: rows by cells are to take some tens of
#: megabytes, and there are nearly as many rows a game as cells.
_PIECE_ROWS_BY_CELLS: Final = 1 << 23
_SETTINGS: Final = "settings.json"


class DatasetLimits(NamedTuple):
    """Limits that keep a run small in memory.

    Attributes:
        games: the most games that a worker plays at once, which are a piece.
        pieces: the pieces of a part.
        keys: the most keys that are remembered to find repeated positions: 0.6 GB.
    """

    games: int = 256
    pieces: int = 4
    keys: int = 1 << 23


LIMITS: Final = DatasetLimits()


class DatasetError(ValueError):
    """A data set that cannot be written, and what to do."""


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """The number of positions that were written, in all and of each split."""

    positions: int
    splits: dict[str, int]


def describe_settings(options: DatasetOptions, games: int) -> dict[str, Any]:
    """Return what the data depend on, as metadata of the file."""
    kind = options.kind
    return {
        "generator": "minecheck",
        "version": __version__,
        "licence": LICENCE,
        "games": games,
        "seed": options.seed,
        "rows": kind.rows,
        "cols": kind.cols,
        "mines": kind.mines,
        "guarantee": kind.guarantee.value,
        "first": list(kind.opened_first),
        "proofs": options.proofs,
    }


def list_pieces(options: DatasetOptions, games: int, most: int) -> list[range]:
    """Return the games, cut into pieces of at most ``most`` games for workers."""
    cells = options.kind.rows * options.kind.cols
    size = max(1, min(most, _PIECE_ROWS_BY_CELLS // cells**2))
    return [range(first, min(games, first + size)) for first in range(0, games, size)]


def label_piece(options: DatasetOptions, numbers: range) -> "pyarrow.RecordBatch":
    """Return the positions of some games as rows; this is what workers do."""
    return make_batch(options, label_games(options, numbers))


class Parts:
    """The folder with the parts of a data set that is being written.

    Args:
        output: the file that the parts are joined to in the end.
        settings: what the data depend on.
        resume: whether parts that are there are kept.
        most_keys: the most keys that are remembered to find repeated positions.

    Raises:
        DatasetError: there is such a folder and ``resume`` is False, or it was begun with other
            options.
    """

    def __init__(
        self,
        output: Path,
        settings: dict[str, Any],
        resume: bool,
        most_keys: int = LIMITS.keys,
    ) -> None:
        self._most_keys = most_keys
        self.folder = output.with_name(f"{output.name}.parts")
        self._known: set[int] = set()
        begun = self.folder / _SETTINGS
        # A run that ended before its first part was whole has left nothing to keep.
        if begun.is_file() and self.files:
            if not resume:
                raise DatasetError(
                    f"{self.folder} was left by a run that did not end. Go on with it by --resume, "
                    "or delete the folder."
                )
            if orjson.loads(begun.read_bytes()) != settings:
                raise DatasetError(
                    f"{self.folder} was begun with other options. Give the same, or delete it."
                )
        self.folder.mkdir(parents=True, exist_ok=True)
        with replace_file(begun) as file:
            file.write(orjson.dumps(settings, option=orjson.OPT_INDENT_2))

    @property
    def files(self) -> list[Path]:
        """The parts that are whole, in order; what comes after a gap does not count."""
        files: list[Path] = []
        while (path := self.folder / f"{len(files):06}.parquet").is_file():
            files.append(path)
        return files

    def read_keys(self) -> None:
        """Remember the keys of the parts that are there."""
        from pyarrow import parquet

        for path in self.files:
            self._remember(parquet.read_table(path, columns=["key"])["key"].to_pylist())

    def write_part(self, number: int, batches: Iterable["pyarrow.RecordBatch"]) -> None:
        """Write the rows of a part whose positions have not come before."""
        import pyarrow
        from pyarrow import parquet

        new_batches = [batch.filter(pyarrow.array(self._find_new(batch))) for batch in batches]
        table = pyarrow.Table.from_batches(new_batches)
        with replace_file(self.folder / f"{number:06}.parquet") as file:
            parquet.write_table(table, file, compression="zstd", row_group_size=1 << 16)

    def _find_new(self, batch: "pyarrow.RecordBatch") -> Any:
        """Return which rows have a key that has not come before."""
        is_new = np.zeros(batch.num_rows, np.bool_)
        for row, key in enumerate(batch["key"].to_pylist()):
            if key not in self._known:
                is_new[row] = True
                self._remember((key,))
        return is_new

    def _remember(self, keys: Iterable[int]) -> None:
        """Remember keys while there is room: what comes later is compared with those."""
        for key in keys:
            if len(self._known) >= self._most_keys:
                return
            self._known.add(key)

    def delete(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder)


def write_dataset(
    output: Path,
    options: DatasetOptions,
    games: int,
    map_pieces: Callable[[list[range]], Iterator["pyarrow.RecordBatch"]],
    report: Callable[[int], None],
    resume: bool = False,
    limits: DatasetLimits = LIMITS,
) -> DatasetSummary:
    """Write a data set as a Parquet file.

    Args:
        output: the file, which appears when it is whole.
        options: what the games are.
        games: how many there are.
        map_pieces: a function that labels pieces of games, in their order.
        report: called with the number of games that are done.
        resume: whether parts that are there are kept.
        limits: how much is in memory at a time.

    Raises:
        DatasetError: parts of another run are in the way.
        OSError: a file cannot be written.
    """
    settings = describe_settings(options, games)
    parts = Parts(output, settings, resume, limits.keys)
    pieces = list_pieces(options, games, limits.games)
    first = len(parts.files)
    parts.read_keys()
    labelled = map_pieces(pieces[first * limits.pieces :])
    for number in range(first, -(-len(pieces) // limits.pieces)):
        held = pieces[number * limits.pieces : (number + 1) * limits.pieces]
        parts.write_part(number, islice(labelled, len(held)))
        report(held[-1].stop)
    return _join_parts(output, parts, options, settings)


def _join_parts(
    output: Path, parts: Parts, options: DatasetOptions, settings: dict[str, Any]
) -> DatasetSummary:
    """Write all parts as one file, a part at a time in memory."""
    from pyarrow import parquet

    metadata = {f"minecheck.{name}": _format_setting(value) for name, value in settings.items()}
    schema = make_schema(options.proofs).with_metadata(metadata)
    splits: dict[str, int] = {}
    with (
        replace_file(output) as file,
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for path in parts.files:
            table = parquet.read_table(path)
            if table.num_rows:
                writer.write_table(table.cast(schema), row_group_size=1 << 16)
            for counted in table["split"].value_counts().to_pylist():
                splits[counted["values"]] = splits.get(counted["values"], 0) + counted["counts"]
    parts.delete()
    return DatasetSummary(sum(splits.values()), splits)


def _format_setting(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def write_tasks(dataset: Path, output: Path, each: int) -> int:
    """Write evaluation tasks about positions of the split ``test``; return how many there are.

    Args:
        dataset: the data set.
        output: the Parquet file for the tasks.
        each: how many there are of a kind and difficulty at most.

    Raises:
        OSError: a file cannot be read or written.
    """
    import pyarrow
    from pyarrow import parquet

    rows = parquet.read_table(
        dataset, columns=["board", "mines", "key"], filters=[("split", "=", "test")]
    ).sort_by("key")
    positions = ((parse(row["board"]), row["mines"], row["key"]) for row in rows.to_pylist())
    schema = pyarrow.schema(
        [
            *((name, "string") for name in ("kind", "difficulty", "board")),
            ("mines", "int32"),
            *((name, "string") for name in ("prompt", "answer")),
            ("key", "uint64"),
        ]
    ).with_metadata(parquet.read_schema(dataset).metadata)
    tasks = [asdict(task) for task in make_tasks(positions, each)]
    with replace_file(output) as file:
        parquet.write_table(pyarrow.Table.from_pylist(tasks, schema), file, compression="zstd")
    return len(tasks)
