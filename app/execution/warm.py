"""Compile what is compiled, before anyone waits for it: ``python -m app.execution.warm``.

What there is to compile the kernels themselves declare (`minefield.compiled`). It happens once on a
machine, in as many processes as there are cores; what was finished before an interruption stays.
"""

import asyncio
import gc
import multiprocessing
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Final, TypeAlias

from minefield.compiled import Kernel

#: Where kernels are looked for.
PACKAGES: Final = ("minefield", "automata", "solvers", "app")
#: What it says of how far it is.
_TOLD: Final = re.compile(rb"Compiling (\d+) of (\d+)")
#: What is told how many of how many kernels are there.
Tell: TypeAlias = Callable[[int, int], None]
_DECLARED: Final = re.compile(r"^@(compiled|inner|borrowing)$", re.MULTILINE)


@cache
def declared() -> tuple[Kernel, ...]:
    """All that is compiled by itself."""
    found: dict[Kernel, None] = {}
    for module in map(import_module, _modules()):
        found |= dict.fromkeys(one for one in vars(module).values() if isinstance(one, Kernel))
    return tuple(found)


def kernels() -> list[Kernel]:
    """All compiled functions that Python calls."""
    return [kernel for kernel in declared() if kernel.called_from_python]


def missing() -> list[Kernel]:
    """The kernels whose machine code is not on disk, but can be."""
    return [kernel for kernel in kernels() if kernel.missing]


def unkept() -> list[Kernel]:
    """The kernels without machine code, in memory or on disk, where none can be kept on disk."""
    return [kernel for kernel in kernels() if not (kernel.kept or kernel.loaded)]


def load(tell: Tell = lambda done, whole: None) -> None:
    """Have all machine code in memory; what is not on disk is compiled, here and now.

    ``tell`` is called before each kernel that can only be compiled.
    """
    for done, kernel in enumerate(kernels()):
        if not (kernel.kept or kernel.loaded):
            tell(done, len(kernels()))
        kernel.load()


def compile_missing(tell: Tell = lambda done, whole: None) -> None:
    """Have all machine code on disk, as far as it can be kept there."""
    waiting = missing()
    if not waiting:
        return
    whole = len(kernels())
    done = whole - len(waiting)
    tell(done, whole)
    # Processes that begin with nothing: this one may have threads, and a fork would lose them.
    context = multiprocessing.get_context("spawn")
    # Who interrupts this wants no word from them.
    interrupt = (signal.SIGINT, signal.SIG_DFL)
    with ProcessPoolExecutor(os.cpu_count(), context, signal.signal, interrupt) as pool:
        groups = [pool.submit(_compile, names) for names in _groups(waiting)]
        for group in as_completed(groups):
            done += group.result()
            tell(done, whole)


async def compile_apart(tell: Tell) -> None:
    """As `compile_missing`, in a process of its own, which ends with this call."""
    command = (sys.executable, "-m", __name__)
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, start_new_session=True)
    assert process.stdout is not None, "as asked for"
    try:
        async for line in process.stdout:
            if told := _TOLD.match(line):
                tell(int(told[1]), int(told[2]))
        await process.wait()
    finally:
        # With the processes that it has started.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _modules() -> Iterator[str]:
    """The modules that declare kernels, by what they say: importing others may cost."""
    for package in PACKAGES:
        (root,) = import_module(package).__path__
        for path in sorted(Path(root).rglob("*.py")):
            if _DECLARED.search(path.read_text(encoding="utf-8")):
                inside = path.relative_to(root).with_suffix("").parts
                yield ".".join((package, *inside))


def _groups(waiting: Iterable[Kernel]) -> list[list[tuple[str, str]]]:
    """The modules and names of kernels, those together that share parts, the longest ones first.

    What several kernels call is compiled once in a process.
    """
    apart = {kernel.py_func for kernel in declared()}
    groups: list[tuple[frozenset[FunctionType], list[Kernel]]] = []
    for kernel in waiting:
        parts, members = kernel.source & apart, [kernel]
        for group in [one for one in groups if parts & one[0]]:
            groups.remove(group)
            parts |= group[0]
            members += group[1]
        groups.append((parts, members))
    groups.sort(key=lambda group: sum(map(_length, group[1])), reverse=True)
    return [[(one.__module__, one.py_func.__name__) for one in members] for _, members in groups]


def _length(kernel: Kernel) -> int:
    """Bytes of the bytecode that it is compiled from."""
    return sum(len(part.__code__.co_code) for part in kernel.source)


def _compile(names: list[tuple[str, str]]) -> int:
    """In a process of its own: compile kernels; how many."""
    # Nothing that a compiler makes is garbage soon, and the collector looks at it all.
    gc.disable()
    for module, name in names:
        getattr(import_module(module), name).load()
    return len(names)


def _tell(done: int, whole: int) -> None:
    # On a screen one line that changes.
    end = "\r" if done < whole and sys.stdout.isatty() else "\n"
    print(f"Compiling {done} of {whole}, once on this machine", end=end, flush=True)


if __name__ == "__main__":
    try:
        compile_missing(_tell)
    except (KeyboardInterrupt, BrokenProcessPool):
        sys.exit("Interrupted: what is compiled stays, the rest follows next time.")
