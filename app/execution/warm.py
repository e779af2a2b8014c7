"""Compile what is compiled, before anyone waits for it, as ``minecheck warm`` does.

What there is to compile the kernels themselves declare (`minefield.compiled`). It happens once on a
machine, in as many processes as there are cores; what was finished before an interruption stays.
"""

import gc
import logging
import multiprocessing
import os
import re
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Final, TextIO

from minecheck.app.execution.compilation import Report
from minecheck.minefield.kernel import Kernel, KernelKind
from minecheck.minefield.kernel_mode import MODE, Mode

if TYPE_CHECKING:
    from minecheck.minefield.machine_code import CompiledKernel

#: The packages that are searched for kernels.
PACKAGES: Final = tuple(
    f"minecheck.{floor}" for floor in ("minefield", "automata", "solvers", "app")
)
_COMPILED_ALONE: Final = (KernelKind.ENTRY, KernelKind.INNER, KernelKind.BORROWING)
_DECLARED: Final = re.compile(
    r"^@(compile_kernel|compile_inner|compile_without_references)$", re.MULTILINE
)


@cache
def list_declared() -> "tuple[CompiledKernel, ...]":
    """Return all kernels that are compiled on their own: none if the interpreter runs them."""
    modules = list(map(import_module, _iterate_modules()))
    if MODE is Mode.PYTHON:
        return ()
    values = [value for module in modules for value in vars(module).values()]
    kernels = dict.fromkeys(value for value in values if isinstance(value, Kernel))
    return tuple(kernel.machine_code for kernel in kernels if kernel.kind in _COMPILED_ALONE)


def list_kernels() -> "list[CompiledKernel]":
    """List all compiled functions that Python calls."""
    return [kernel for kernel in list_declared() if kernel.called_from_python]


def list_missing() -> "list[CompiledKernel]":
    """List the kernels whose machine code is not on disk, but can be."""
    return [kernel for kernel in list_kernels() if kernel.missing]


def list_unkept() -> "list[CompiledKernel]":
    """List kernels without machine code, in memory or on disk, where none can be kept on disk."""
    return [kernel for kernel in list_kernels() if not (kernel.kept or kernel.loaded)]


def load_kernels(report: Report = lambda done, whole: None) -> None:
    """Have all machine code in memory; what is not on disk is compiled, here and now.

    ``report`` is called before each kernel that can only be compiled.
    """
    for done, kernel in enumerate(list_kernels()):
        if not (kernel.kept or kernel.loaded):
            report(done, len(list_kernels()))
        kernel.load()


def compile_missing(report: Report = lambda done, whole: None) -> None:
    """Have all machine code on disk, as far as it can be kept there."""
    waiting = list_missing()
    if not waiting:
        return
    whole = len(list_kernels())
    done = whole - len(waiting)
    report(done, whole)
    # Processes that begin with nothing: this one may have threads, and a fork would lose them.
    context = multiprocessing.get_context("spawn")
    # After an interrupt by the user, they print no messages.
    interrupt = (signal.SIGINT, signal.SIG_DFL)
    with ProcessPoolExecutor(os.cpu_count(), context, signal.signal, interrupt) as pool:
        groups = [pool.submit(_compile_group, names) for names in _group_kernels(waiting)]
        for group in as_completed(groups):
            done += group.result()
            report(done, whole)
    if list_missing():
        from minecheck.minefield.kernel_files import warn_uncached

        warn_uncached("not all of it could be written")


def _iterate_modules() -> Iterator[str]:
    """Yield the modules that declare kernels, by what they say: importing others may cost."""
    for package in PACKAGES:
        (root,) = import_module(package).__path__
        for path in sorted(Path(root).rglob("*.py")):
            if _DECLARED.search(path.read_text(encoding="utf-8")):
                inside = path.relative_to(root).with_suffix("").parts
                yield ".".join((package, *inside))


def _group_kernels(waiting: "Iterable[CompiledKernel]") -> list[list[tuple[str, str]]]:
    """Group modules and names of kernels by shared parts, the longest groups first.

    What several kernels call is compiled once in a process.
    """
    apart = {compiled.kernel.py_func for compiled in list_declared()}
    groups: list[tuple[frozenset[FunctionType], list[CompiledKernel]]] = []
    for kernel in waiting:
        parts, members = kernel.source & apart, [kernel]
        for group in [known for known in groups if parts & known[0]]:
            groups.remove(group)
            parts |= group[0]
            members += group[1]
        groups.append((parts, members))
    groups.sort(key=lambda group: sum(map(_code_length, group[1])), reverse=True)
    return [
        [(kernel.__module__, kernel.py_func.__name__) for kernel in members]
        for _, members in groups
    ]


def _code_length(kernel: "CompiledKernel") -> int:
    """Return the bytes of the bytecode that a kernel is compiled from."""
    return sum(len(part.__code__.co_code) for part in kernel.source)


def _compile_group(names: list[tuple[str, str]]) -> int:
    """Compile kernels in a process of its own, and return how many."""
    # Nothing that a compiler makes is garbage soon, and the collector looks at it all.
    gc.disable()
    leave_warnings_to_caller()
    for module, name in names:
        getattr(import_module(module), name).machine_code.load()
    return len(names)


def leave_warnings_to_caller() -> None:
    """Do not say what cannot be kept: who has started this process says it, once."""
    logging.getLogger("minecheck.compiled").setLevel(logging.ERROR)


def report_progress(done: int, whole: int, stream: TextIO) -> None:
    """Print how many kernels are compiled, on a terminal in one line that changes."""
    end = "\r" if done < whole and stream.isatty() else "\n"
    print(f"Compiling {done} of {whole}, once on this machine", end=end, file=stream, flush=True)
