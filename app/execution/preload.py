"""Imported once, by the process that workers are forked from.

Against our habit this module does its work on import: what is loaded here every worker has from
its first moment, so that one which takes the place of a killed one is ready within a fraction of a
second, and what is loaded for a question does not count as its memory. The garbage collector leaves
it alone: it would write to every page of it, and so give each worker a copy of its own. That there
is one heap, workers have from here, too.
"""

# ruff: noqa: E402 - what these modules would say of a folder that cannot be written to, the process
# that starts this one has said.
import gc
import logging

logging.getLogger("minecheck.compiled").setLevel(logging.ERROR)

from minecheck.app.execution import memory, warm
from minecheck.app.execution.rehearsal import rehearse_examples, rehearse_reading
from minecheck.minefield.kernel_mode import MODE, Mode
from minecheck.solvers import FULL

memory.use_one_heap()
warm.load_kernels()
if MODE is not Mode.PYTHON:
    rehearse_examples(FULL)
rehearse_reading()
gc.collect()
gc.freeze()
