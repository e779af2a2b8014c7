"""`minecheck dataset --engine ray` writes the bytes that one machine writes, also if it resumes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minecheck.app.datasets import writing
from minecheck.app.datasets.card import write_card
from minecheck.solvers.datasets.labels import DatasetOptions
from minecheck.solvers.environment.dealing import DealtBoards
from tests.cluster.running import Nodes, minecheck

pytestmark = pytest.mark.slow

OPTIONS = DatasetOptions(DealtBoards(4, 4, 3), 7)
LIMITS = writing.LIMITS._replace(games=3, pieces=2)
#: Three parts, the last of which has one piece.
GAMES = 2 * LIMITS.games * LIMITS.pieces + 1
#: Has the command write small parts.
SMALL = (
    "from functools import partial; from minecheck.app.datasets import writing; "
    f"limits = writing.LIMITS._replace(games={LIMITS.games}, pieces={LIMITS.pieces}); "
    "writing.write_dataset = partial(writing.write_dataset, limits=limits)"
)


def label_in_process(pieces: list[range]) -> Iterator[Any]:
    return (writing.label_piece(OPTIONS, piece) for piece in pieces)


def write_on_cluster(nodes: Nodes, output: Path, *arguments: str) -> str:
    """Write the data set, and return what the command says."""
    command = ("dataset", "--games", GAMES, "--board", "4x4/3", "--seed", OPTIONS.seed)
    done = minecheck(
        *command,
        "--out",
        output,
        "--engine",
        "ray",
        "--address",
        nodes.address,
        *arguments,
        before=SMALL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str]:
    """The file and the data card of one machine."""
    output = tmp_path_factory.mktemp("expected") / "positions.parquet"
    summary = writing.write_dataset(
        output, OPTIONS, GAMES, label_in_process, lambda done: None, limits=LIMITS
    )
    card = write_card(output.name, writing.describe_settings(OPTIONS, GAMES), summary)
    return output.read_bytes(), card


def test_cluster_writes_dataset_as_one_machine(
    nodes: Nodes, expected: tuple[bytes, str], tmp_path: Path
) -> None:
    output = tmp_path / "positions.parquet"
    assert f"of {GAMES:,} games" in write_on_cluster(nodes, output)
    assert (output.read_bytes(), output.with_suffix(".md").read_text("utf-8")) == expected


def test_cluster_resumes_dataset_after_whole_parts(
    nodes: Nodes, expected: tuple[bytes, str], tmp_path: Path
) -> None:
    output = tmp_path / "positions.parquet"

    def stop(pieces: list[range]) -> Iterator[Any]:
        yield from label_in_process(pieces[: LIMITS.pieces])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        writing.write_dataset(output, OPTIONS, GAMES, stop, lambda done: None, limits=LIMITS)
    first = output.with_name("positions.parquet.parts") / "000000.parquet"
    assert first.exists()
    write_on_cluster(nodes, output, "--resume")
    assert (output.read_bytes(), output.with_suffix(".md").read_text("utf-8")) == expected
