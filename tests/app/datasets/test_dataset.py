"""`minecheck dataset` writes equal data however it runs, without leaks, for many readers."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from minecheck.app.cli.program import Program
from minecheck.app.datasets import writing
from minecheck.app.datasets.card import write_card
from minecheck.app.datasets.columns import COLUMNS
from minecheck.minefield import parse
from minecheck.solvers import analyze_many
from minecheck.solvers.datasets.labels import DatasetOptions
from minecheck.solvers.datasets.symmetry import make_key
from minecheck.solvers.environment.dealing import DealtBoards
from tests import oracle

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pq = pytest.importorskip("pyarrow.parquet")

OPTIONS = DatasetOptions(DealtBoards(5, 5, 4))
GAMES = 40
#: Pieces of 3 games, and parts of 6.
SMALL_PARTS = writing.LIMITS._replace(games=3, pieces=2)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(Program(), ["dataset", *map(str, arguments)])


def write(
    output: Path,
    resume: bool = False,
    options: DatasetOptions = OPTIONS,
    limits: writing.DatasetLimits = writing.LIMITS,
) -> Any:
    return writing.write_dataset(
        output, options, GAMES, label_here(options), _ignore, resume, limits
    )


def label_here(options: DatasetOptions) -> Any:
    return lambda pieces: (writing.label_piece(options, piece) for piece in pieces)


def _ignore(done: int) -> None:
    pass


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    write(tmp_path / "positions.parquet")
    found: list[dict[str, Any]] = pq.read_table(tmp_path / "positions.parquet").to_pylist()
    return found


def test_dataset_rows_agree_with_oracle(rows: list[dict[str, Any]]) -> None:
    compared = 0
    for row in rows:
        board = parse(row["board"])
        if row["board"].count("?") > 12:
            continue
        compared += 1
        known = oracle.answer(board, row["mines"])
        cells = [(index, divmod(index, 5)) for index in range(25)]
        assert row["count"] == str(known.count)
        assert row["consistent"]
        assert row["forced_safe"] == [index for index, at in cells if at in known.forced_safe]
        assert row["forced_mines"] == [index for index, at in cells if at in known.forced_mines]
        for index, at in cells:
            if board.unknown[at]:
                hits = sum(at in layout for layout in known.layouts)
                assert row["chances"][index] == pytest.approx(hits / known.count)
            else:
                assert row["chances"][index] is None
        assert row["safest_chance"] == min(one for one in row["chances"] if one is not None)
    assert compared > 20


def test_dataset_has_distinct_positions_and_one_split_per_game(rows: list[dict[str, Any]]) -> None:
    keys = [make_key(parse(row["board"]).cells, row["mines"]) for row in rows]
    assert [row["key"] for row in rows] == keys
    assert len(set(keys)) == len(keys)
    splits = {(row["game"], row["split"]) for row in rows}
    assert len(splits) == len({game for game, _ in splits})
    assert len({split for _, split in splits}) > 1
    assert [(row["game"], row["turn"]) for row in rows] == sorted(
        (row["game"], row["turn"]) for row in rows
    )


def test_dataset_is_equal_for_all_sizes_of_pieces(tmp_path: Path) -> None:
    write(tmp_path / "cut.parquet", limits=SMALL_PARTS)
    write(tmp_path / "whole.parquet")
    assert pq.read_table(tmp_path / "cut.parquet").equals(pq.read_table(tmp_path / "whole.parquet"))


def test_dataset_run_that_wrote_no_part_is_begun_anew(tmp_path: Path) -> None:
    output = tmp_path / "failed.parquet"

    def fail(pieces: list[range]) -> Any:
        raise OSError("no process could be started")

    with pytest.raises(OSError, match="no process"):
        writing.write_dataset(output, OPTIONS, GAMES, fail, _ignore)
    write(output)
    assert not (tmp_path / "failed.parquet.parts").exists()


def test_interrupted_dataset_run_resumes_after_whole_parts(tmp_path: Path) -> None:
    write(tmp_path / "whole.parquet", limits=SMALL_PARTS)
    output, labelled = tmp_path / "resumed.parquet", []

    def stop(pieces: list[range]) -> Any:
        for piece in pieces[:5]:
            yield writing.label_piece(OPTIONS, piece)
        raise KeyboardInterrupt

    def go_on(pieces: list[range]) -> Any:
        labelled.extend(pieces)
        return (writing.label_piece(OPTIONS, piece) for piece in pieces)

    with pytest.raises(KeyboardInterrupt):
        writing.write_dataset(output, OPTIONS, GAMES, stop, _ignore, limits=SMALL_PARTS)
    assert not output.exists()
    with pytest.raises(writing.DatasetError, match="--resume, or delete"):
        write(output)
    with pytest.raises(writing.DatasetError, match="other options"):
        write(output, True, DatasetOptions(DealtBoards(5, 5, 4), 1))
    writing.write_dataset(output, OPTIONS, GAMES, go_on, _ignore, True, SMALL_PARTS)
    # Two parts of two pieces each were whole.
    assert labelled[0] == range(12, 15)
    assert output.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert not (tmp_path / "resumed.parquet.parts").exists()


def test_dataset_compares_positions_with_first_keys_beyond_memory_limit(tmp_path: Path) -> None:
    write(tmp_path / "positions.parquet", limits=writing.LIMITS._replace(keys=5))
    keys = pq.read_table(tmp_path / "positions.parquet")["key"].to_pylist()
    assert all(keys.count(key) == 1 for key in keys[:5])
    assert len(set(keys)) < len(keys)


@pytest.mark.slow
def test_dataset_command_writes_data_card_and_tasks(tmp_path: Path) -> None:
    output, tasks = tmp_path / "positions.parquet", tmp_path / "tasks.parquet"
    given = ("--games", GAMES, "--board", "5x5/4", "--processes", 2)
    done = run(*given, "--out", output, "--tasks", tasks, "--tasks-each", 2)
    assert done.exit_code == 0, done.output
    write(tmp_path / "here.parquet")
    assert output.read_bytes() == (tmp_path / "here.parquet").read_bytes()
    table = pq.read_table(output)
    assert f"{table.num_rows} positions of {GAMES} games" in done.stdout
    metadata = {name.decode(): value.decode() for name, value in table.schema.metadata.items()}
    assert metadata["minecheck.licence"] == "CC0-1.0"
    assert metadata["minecheck.seed"] == "0"
    assert "minecheck.version" in metadata
    card = output.with_suffix(".md").read_text("utf-8")
    assert all(f"`{name}`" in card for name in table.schema.names)
    found = pq.read_table(tasks).to_pylist()
    assert f"{len(found)} tasks" in done.stdout
    assert max(Counter((row["kind"], row["difficulty"]) for row in found).values()) == 2
    tests = {row["key"] for row in table.to_pylist() if row["split"] == "test"}
    assert {row["key"] for row in found} <= tests


@pytest.mark.slow
@pytest.mark.parametrize("name", ["positions.parquet", "positions.md", "tasks.parquet"])
def test_dataset_command_replaces_files_only_on_demand(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("kept")
    files = ("--out", tmp_path / "positions.parquet", "--tasks", tmp_path / "tasks.parquet")
    given = ("--games", 1, "--board", "5x5/4", "--processes", 1, *files)
    found = run(*given)
    assert found.exit_code == 2
    assert f"{name}: that file exists. Use --overwrite to replace it." in found.stderr
    assert (tmp_path / name).read_text() == "kept"
    assert run(*given, "--resume", "--overwrite").exit_code == 2
    assert run(*given, "--overwrite").exit_code == 0
    assert (tmp_path / name).read_bytes() != b"kept"


@pytest.mark.slow
def test_dataset_has_proofs_on_demand(tmp_path: Path) -> None:
    options = DatasetOptions(DealtBoards(5, 5, 4), proofs=True)
    write(tmp_path / "positions.parquet", options=options)
    table = pq.read_table(tmp_path / "positions.parquet")
    assert table.schema.names == list(COLUMNS)
    proofs = table["proofs"].to_pylist()
    assert any('"difficulty":"subset"' in proof for proof in proofs)
    settings = writing.describe_settings(options, GAMES)
    summary = writing.DatasetSummary(3, {"train": 3})
    assert "--proofs" in write_card("positions.parquet", settings, summary)


def test_pandas_and_polars_read_dataset(tmp_path: Path) -> None:
    pd: Any = pytest.importorskip("pandas", reason="pandas is not installed")
    pl: Any = pytest.importorskip("polars", reason="Polars is not installed")
    output = tmp_path / "positions.parquet"
    write(output)
    expected = pq.read_table(output).to_pylist()
    by_pandas = pd.read_parquet(output)
    assert by_pandas["board"].tolist() == [row["board"] for row in expected]
    assert [list(cells) for cells in by_pandas["forced_safe"]] == [
        row["forced_safe"] for row in expected
    ]
    by_polars = pl.read_parquet(output)
    assert by_polars["chances"].to_list() == [row["chances"] for row in expected]
    assert by_polars["key"].to_list() == [row["key"] for row in expected]
    again = analyze_many(by_pandas["board"].tolist(), mines=4)
    assert [str(count) for count in again.counts] == by_pandas["count"].tolist()


def test_duckdb_reads_dataset(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    output = tmp_path / "positions.parquet"
    write(output)
    (many,) = duckdb.sql(f"SELECT count(*) FROM '{output}' WHERE len(chances) = 25").fetchone()
    assert many == pq.read_metadata(output).num_rows


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "a.csv"], '--out: "a.csv" must be a name that ends in .parquet'),
        (["--out", "a.parquet", "--tasks", "a.json"], '--tasks: "a.json" must be'),
        (["--out", "a.parquet", "--tasks", "./a.parquet"], "that is the file of --out"),
        (
            ["--out", "a.parquet", "--board", "9x9"],
            '--board: "9x9" is not a valid board. Use one of: ',
        ),
        (["--out", "a.parquet", "--board", "9x9/80"], "--board: There is room for 0 to"),
        (["--out", "a.parquet", "--board", "99x99/80"], "--board: A board has 1 to 4096 cells"),
        (["--out", "nowhere/a/b.parquet", "--games", "1"], "--out: "),
    ],
)
def test_dataset_command_rejects_wrong_options_in_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nowhere").write_text("a file, not a folder")
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_dataset_key_fits_in_64_bits() -> None:
    assert 0 <= make_key(np.zeros((3, 3), np.int8), 0) < 1 << 64
