"""The process that workers are forked from: it has imported all that they need.

This module imports little, so that a service may start that process first, and load its own modules
at the same time.
"""

import multiprocessing
import signal
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext
from typing import Final

#: Modules that it imports. Without "__main__", each worker would import that module again.
_PRELOADED: Final = ["__main__", "minecheck.app.execution.preload"]


def start_fork_server() -> ForkServerContext:
    """Start the process unless it runs, and return its context.

    It is deaf to Ctrl+C from its first moment on.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    # It needs another one first, and to start that lets signals through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context
