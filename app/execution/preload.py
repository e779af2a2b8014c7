"""Imported once, by the process that workers are forked from.

Against our habit this module does its work on import: what is loaded here every worker has from
its first moment, so that one which takes the place of a killed one is ready within a fraction of a
second, and what is loaded for a question does not count as its memory. The garbage collector leaves
it alone: it would write to every page of it, and so give each worker a copy of its own.
"""

import gc

from app.execution import warm
from app.execution.rehearsal import rehearse
from solvers import FULL

warm.load()
rehearse(FULL)
gc.collect()
gc.freeze()
