"""The three ways to run kernels, chosen by the environment variable ``MINECHECK_KERNELS``.

The variable is read once, when this module is imported. All modes give the same answers; two of
them are slow.
"""

import os
from enum import StrEnum
from typing import Final

VARIABLE: Final = "MINECHECK_KERNELS"


class Mode(StrEnum):
    """A way to run kernels."""

    #: Machine code that does not check indices.
    COMPILED = "compiled"
    #: Machine code in which an index or a slice outside its array raises IndexError. Negative
    #: indices count as outside, since a kernel that computes one has miscounted.
    CHECKED = "checked"
    #: The interpreter, with the same checks and an OverflowError where an integer does not fit into
    #: the array that it is written to. Only this mode lets coverage see kernels.
    PYTHON = "python"


def _read_mode() -> Mode:
    named = os.environ.get(VARIABLE) or Mode.COMPILED
    try:
        return Mode(named)
    except ValueError:
        raise SystemExit(
            f"{VARIABLE}: {named!r} is not a mode. Use one of: {', '.join(Mode)}; or unset it."
        ) from None


MODE: Final = _read_mode()
#: True if the variable names the mode; otherwise it is the one by default.
IS_CHOSEN: Final = bool(os.environ.get(VARIABLE))
