"""The program z3, and the cells that comments of an exported text name."""

import re
import sys
from pathlib import Path

#: Where the program z3 is, beside this Python.
Z3 = str(Path(sys.executable).with_name("z3"))


def cells_of(text: str) -> dict[int, tuple[int, int]]:
    """The cell of each variable, by the comments."""
    matches = re.findall(
        r"x?([0-9]+)(?: Bool\))?;? (?:is|;|%) row ([0-9]+), column ([0-9]+)$", text, re.M
    )
    return {int(variable): (int(row), int(col)) for variable, row, col in matches}
