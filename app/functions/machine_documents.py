"""The automata as documents: drawn, as DOT, or in JSON."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import orjson

from minecheck.app.functions.machines import PAPERS, parse_name
from minecheck.app.problems import reject_field
from minecheck.app.quoting import quote_text
from minecheck.automata import hu_lin, kadlac
from minecheck.automata.determinising import determinise, minimise
from minecheck.automata.diagram import WIDEST
from minecheck.automata.drawing import check_drawable, render_dot
from minecheck.automata.machine import Machine
from minecheck.automata.profiles import WIDEST_LISTED, Profiles
from minecheck.minefield.spelling import suggest_name

#: The formats of a machine and their media types.
FORMATS: Final = MappingProxyType(
    {"json": "application/json", "dot": "text/vnd.graphviz", "svg": "image/svg+xml"}
)
#: The folder of the pictures.
PICTURES: Final = Path(__file__).parents[1] / "pictures"
#: The machines that can be had as a whole.
NAMES: Final = (*PAPERS, *(f"strip-{width}" for width in range(1, WIDEST_LISTED + 1)))
#: Sets of profiles are worked out on demand for strips so wide.
_WIDEST_DETERMINISED: Final = 2


def list_forms(name: str) -> dict[str, Callable[[], Machine]]:
    """Return the forms of a machine, the default one first.

    Raises:
        ProblemError: 404 for a name that is none, 422 for a strip too wide to be listed.
    """
    rows = parse_name(name)
    if name == "kadlac":
        return {"given": kadlac.build_machine, "minimal": lambda: minimise(kadlac.build_machine())}
    small: Callable[[], Machine]
    if name == "hu-lin":
        small = hu_lin.build_merged_machine
        forms: dict[str, Callable[[], Machine]] = {"given": hu_lin.build_machine, "merged": small}
    elif rows <= WIDEST_LISTED:
        small = Profiles(rows).build_machine
        forms = {"given": small}
    else:
        reject_field(
            "too-wide",
            f"{name} has too many moves to be listed: {WIDEST_LISTED} rows are the limit.",
            f"Use strip-1 to strip-{WIDEST_LISTED}; runs are shown up to strip-{WIDEST}.",
        )
    if rows <= _WIDEST_DETERMINISED:
        forms["deterministic"] = lambda: determinise(small())
        forms["minimal"] = lambda: minimise(determinise(small()))
    return forms


def build_in_form(name: str, form: str) -> Callable[[], Machine]:
    """Return the function that builds a machine in one of its forms.

    Raises:
        ProblemError: as `list_forms`, and 422 for a form that it does not have.
    """
    forms = list_forms(name)
    if form not in forms:
        reject_field(
            "unknown-form",
            f"{name} has no form {quote_text(form)}.",
            f"{suggest_name(name, forms)}Use one of: {', '.join(forms)}.",
        )
    return forms[form]


@cache
def write_machine(name: str, form: str, kind: str) -> bytes:
    """Write a machine as a file in one of the `FORMATS`.

    Raises:
        TooLargeToDraw: the picture would have too many states or edges.
    """
    described = build_in_form(name, form)()
    if kind == "svg":
        check_drawable(described)
        return picture_path(name, form).read_bytes()
    if kind == "dot":
        return render_dot(described).encode()
    tables: dict[str, Any] = {}
    if (name, form) == ("kadlac", "given"):
        # State -> letter, and state -> state at the end.
        tables = {"outputs": dict(kadlac.OUTPUTS), "ends": dict(kadlac.list_end_states())}
    return orjson.dumps(
        {
            "name": name,
            "form": form,
            "forms": list(list_forms(name)),
            "rows": described.rows,
            "symbols": described.symbols,
            "states": described.states,
            "start": described.start,
            "accepting": [state for state in described.states if state in described.accepting],
            "moves": dict(described.moves),
            **tables,
        }
    )


@cache
def render_windows() -> bytes:
    """Return Kadlac's Appendix B as JSON."""
    return orjson.dumps(
        [
            {
                "window": window,
                "consistent": error is None,
                "type": error and error.type,
                "subtype": error and error.subtype,
            }
            for window, error in kadlac.list_windows().items()
        ]
    )


def picture_path(name: str, form: str) -> Path:
    """Return the path of the picture of a machine, which `make pictures` draws."""
    return PICTURES / f"{name}-{form}.svg"
