"""Ends a program with all that it has started.

Tested in tests/app/cli/test_evaluate.py.
"""

import os
import signal
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
#: Times that processes are looked for: one may start others while they are listed.
_ROUNDS: Final = 10


def kill_session(leader: int) -> None:
    """Kill the leader of a session, and what runs in it or was started from there.

    On Linux these are also process groups of their own, and sessions whose first process has a
    parent here; elsewhere only the group of the leader.

    Args:
        leader: the process, whose number is not given to others before it is waited for.
    """
    for _ in range(_ROUNDS):
        processes = _list_started(leader)
        for process in processes:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if not processes:
            break
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _list_started(leader: int) -> set[int]:
    """Return the living processes of the session, and their descendants."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    processes: list[int] = []
    for entry in _PROCESSES.glob("[0-9]*/stat"):
        try:
            # The name of the program, in parentheses, may have spaces and parentheses.
            state, parent, _, session = entry.read_text("latin-1").rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        process = int(entry.parent.name)
        if state == "Z":
            continue
        children[int(parent)].append(process)
        if process == leader or int(session) == leader:
            processes.append(process)
    started: set[int] = set()
    while processes:
        process = processes.pop()
        if process not in started:
            started.add(process)
            processes += children[process]
    return started
