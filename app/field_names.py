"""Names that people give to the fields of requests, and the fields that they mean."""

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from minecheck.minefield.spelling import find_nearest, suggest_name

#: The names that people use for a field, by field, as `_fold_name` writes them.
_NAMES_OF_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "board": "grid field cells map minefield puzzle state position matrix array tiles data "
        "boards game table values input",
        "mines": "total_mines mines_total num_mines number_of_mines n_mines nb_mines mine_count "
        "mines_count minecount totalmines nummines total bombs total_bombs num_bombs bomb_count "
        "mine_number total_mine_count count_mines",
        "rules": "constraints equations groups regions",
        "total_cells": "cells_total num_cells cell_count number_of_cells n_cells tiles_total",
        "backend": "solver method engine algorithm strategy technique solver_name mode",
        "deadline_ms": "timeout timeout_ms time_limit time_limit_ms max_time max_time_ms timelimit "
        "deadline limit_ms timeout_s max_seconds seconds",
        "limit": "max max_layouts max_solutions max_results page_size count size n num k top "
        "first_n number samples num_samples",
        "offset": "skip start page begin from cursor start_at",
        "notation": "format dialect encoding style syntax",
        "symbols": "legend mapping alphabet symbol_map symbol_table characters chars charset key",
        "flags": "trust_flags flag_mode flagged",
        "density": "probability mine_density p mine_probability rate prior mine_rate",
        "cell": "position coordinates coordinate at xy square tile target click place",
        "layout": "solution mines_layout answer assignment board grid map field",
        "file": "board grid content contents text data path upload",
        "first": "first_click start click opening start_cell first_cell",
        "seed": "random_seed rng rng_seed random_state",
        "rows": "height row_count num_rows n_rows h y lines number_of_rows",
        "cols": "width columns column_count num_cols n_cols w x num_columns number_of_columns",
        "topology": "shape wrap edges geometry torus toroidal kind_of_board board_type",
        "neighbours": "neighbors neighborhood neighbourhood offsets adjacency",
        "layers": "depth z planes",
        "formula": "expression circuit boolean expr sat",
        "fractions": "exact exact_probabilities rational as_fractions",
        "by_mines": "counts_by_mines histogram distribution per_mines",
        "certificate": "proof proofs cert",
        "window": "region area rectangle strip view",
        "reveals": "clicks opened revealed moves",
        "difficulty": "level grade hardness",
        "technique": "pattern drill exercise tactic",
        "cells": "cell names variables squares tiles",
        "low": "min minimum at_least least lower",
        "high": "max maximum at_most most upper",
        "row": "y r line i",
        "col": "x c column j",
    }
)
#: The fields of boards under other rules, which some requests do not take: `app.questions.fields`.
VARIANT_FIELDS: Final = frozenset(
    {"topology", "layers", "neighbours", "clues", "mines_per_cell", "lies", "most_lies"}
)
#: The similarity from which on a name is taken for one that people use for a field.
_ALIKE: Final = 0.8
#: Names of the mines that are not found yet.
_MINES_LEFT: Final = frozenset(
    {
        *("mines_left", "remaining_mines", "mines_remaining", "left", "remaining"),
        *("bombs_left", "remaining_bombs", "unflagged_mines", "mines_to_find"),
    }
)


def suggest_field(name: str, known: Collection[str]) -> str:
    """Return the beginning of a fix if a name stands for a known one, else an empty string.

    What a name means goes before how it is spelt.
    """
    folded = _fold_name(name)
    for field in known:
        if folded in _NAMES_OF_FIELDS.get(field, "").split() or folded == field:
            return f"Did you mean {field}? "
    if near := suggest_name(folded, known):
        return near
    # Or a common name, misspelt.
    others = {name: field for field in known for name in _NAMES_OF_FIELDS.get(field, "").split()}
    nearest = find_nearest(folded, others, _ALIKE)
    return "" if nearest is None else f"Did you mean {others[nearest]}? "


def names_mines_left(name: str) -> bool:
    """Return True for a name of the number of mines that are not found yet."""
    return _fold_name(name) in _MINES_LEFT


def _fold_name(name: str) -> str:
    """Return a name in lower case, with _ between its words: ``totalMines`` is total_mines."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:200])
    return re.sub(r"[\s-]+", "_", parted).lower()
