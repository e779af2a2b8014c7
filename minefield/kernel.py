"""A kernel, which the interpreter or machine code runs.

Numba and the machine code are loaded when a kernel is first called, not before. That takes longer
than to interpret the kernels of a small board, so whoever knows that a board is small calls them
within `interpret_kernels`.

Tested in tests/minefield/test_kernel.py.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import update_wrapper
from operator import attrgetter
from threading import RLock
from types import CodeType, FunctionType
from typing import Any, Final, TypeVar

from minecheck.minefield.kernel_mode import MODE, Mode

_IS_INTERPRETING: Final = ContextVar("_IS_INTERPRETING", default=False)
_MACHINE_CODE: Final = "minecheck.minefield.machine_code"
_MAKING: Final = RLock()
T = TypeVar("T")


class KernelKind(StrEnum):
    """What calls a kernel, and what becomes of it: see `minefield.compiled`."""

    ENTRY = "entry"
    INNER = "inner"
    BORROWING = "borrowing"
    INLINED = "inlined"
    #: An operation whose instructions are written by hand.
    OPERATION = "operation"


class Kernel:
    """A function for arrays and numbers, with the one signature that its annotations declare.

    Args:
        function: what is compiled: the kernel in Python, or what generates its instructions.
        kind: what calls it.
        interpreted: the same in the interpreter, an `interpreted.Interpreted`.
        make_machine_code: returns what Numba compiles; it loads Numba.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        kind: KernelKind,
        interpreted: Any,
        make_machine_code: "Callable[[Kernel], Any]",
    ) -> None:
        assert isinstance(function, FunctionType), "a kernel is a function"
        update_wrapper(self, interpreted.py_func)
        self.py_func: Final[FunctionType] = function
        self.kind: Final = kind
        self.interpreted: Final = interpreted
        self._make_machine_code: Final = make_machine_code
        self._machine_code: Any = None
        self._run: Any = self._choose

    #: Run it, with arrays of NumPy, which it also returns. What runs is found out by the first
    #: calls; later ones cost a lookup, without a frame of the interpreter.
    __call__ = property(attrgetter("_run"))

    def _choose(self, *arguments: Any, **named: Any) -> Any:
        if MODE is Mode.PYTHON or _IS_INTERPRETING.get():
            return self.interpreted(*arguments, **named)
        self._run = self.machine_code
        return self._run(*arguments, **named)

    @property
    def machine_code(self) -> Any:
        """The same for Numba: what it compiles, or has compiled."""
        if self._machine_code is None:
            with _MAKING:
                if self._machine_code is None:
                    self._machine_code = self._make_machine_code(self)
        return self._machine_code


@contextmanager
def interpret_kernels() -> Iterator[None]:
    """Let the interpreter run what this thread calls within, except loaded machine code."""
    token = _IS_INTERPRETING.set(True)
    try:
        yield
    finally:
        _IS_INTERPRETING.reset(token)


def is_numba_loaded() -> bool:
    """Return True once machine code runs, or may run, in this process."""
    return _MACHINE_CODE in sys.modules


def call_small(function: Callable[[], T]) -> T:
    """Call a function that is not worth loading Numba for: its kernels have little to do."""
    if is_numba_loaded():
        return function()
    with interpret_kernels():
        return function()


# --- the globals of kernels -----------------------------------------------------------------------


def copy_without_globals(function: Callable[..., Any]) -> FunctionType:
    """Return a function of the same code, which coverage sees, that knows no globals yet.

    Kernels may call themselves and each other, so a copy is made known before it is linked.
    """
    assert isinstance(function, FunctionType), "a kernel is a function"
    names = {"__builtins__": __builtins__, "__name__": function.__module__}
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    update_wrapper(copy, function)
    return copy


def link_globals(
    copy: FunctionType, function: Callable[..., Any], translate: Callable[[Any], Any]
) -> None:
    """Give a copy the globals that its function uses, each as ``translate`` returns it."""
    assert isinstance(function, FunctionType), "a kernel is a function"
    for name in _collect_names(function.__code__) & function.__globals__.keys():
        copy.__globals__[name] = translate(function.__globals__[name])


def _collect_names(code: CodeType) -> set[str]:
    nested = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_collect_names, nested))
