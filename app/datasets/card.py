"""The data card: what a data set holds, how it was made, and under which terms, as Markdown.

Tested in tests/app/datasets/test_dataset.py.
"""

from typing import Any

from minecheck.app.datasets.columns import COLUMNS
from minecheck.app.datasets.writing import LICENCE, LIMITS, DatasetSummary


def write_card(name: str, settings: dict[str, Any], summary: DatasetSummary) -> str:
    """Return the data card of a file.

    Args:
        name: the name of the file.
        settings: as `describe_settings` returns them.
        summary: what was written.
    """
    size = f"{settings['rows']} rows and {settings['cols']} columns with {settings['mines']} mines"
    command = (
        f"minecheck dataset --games {settings['games']} --seed {settings['seed']} --board "
        f"{settings['rows']}x{settings['cols']}/{settings['mines']} "
        f"--guarantee {settings['guarantee']}{' --proofs' * settings['proofs']} --out {name}"
    )
    columns = [
        f"| `{column}` | {kind} | {meaning} |"
        for column, (kind, meaning) in COLUMNS.items()
        if settings["proofs"] or column != "proofs"
    ]
    splits = [f"| {split} | {summary.splits.get(split, 0):,} |" for split in _SPLITS]
    return "\n".join(
        [
            "---",
            f"license: {LICENCE.lower()}",
            "tags: [minesweeper, exact-labels]",
            "---",
            f"# {name}",
            "",
            f"{summary.positions:,} positions of Minesweeper with exact labels, from "
            f"{settings['games']:,} games on boards of {size}.",
            "",
            f"Made by minecheck {settings['version']}; the same version makes the same data on "
            "every machine:",
            "",
            f"    {command}",
            "",
            "Each game is played by opening a cell that is least likely to be a mine; the position "
            "before each such click is a row. Chances are shares of all layouts that fit the "
            "position and the total of mines; counts are exact.",
            "",
            f"No two rows are the same position turned or mirrored (up to {LIMITS.keys:,} "
            "positions; later ones are compared with these). All positions of a map, and of maps "
            "symmetric to it, are in one split.",
            "",
            "| split | positions |",
            "|---|---|",
            *splits,
            "",
            "| column | type | meaning |",
            "|---|---|---|",
            *columns,
            "",
            f"Licence: {LICENCE}. Nobody has to be named, and anything may be done with the data.",
            "",
        ]
    )


_SPLITS = ("train", "validation", "test")
