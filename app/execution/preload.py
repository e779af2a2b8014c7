"""Imported once, by the process that workers are forked from.

Against our habit this module does its work on import: what is loaded and
compiled here every worker has from its first moment, so that one which takes
the place of a killed one is ready within a fraction of a second.
"""

import ortools.sat.python.cp_model  # noqa: F401 - loaded, not used
import pysat.solvers  # noqa: F401 - loaded, not used

from app.execution import warm

warm.load()
