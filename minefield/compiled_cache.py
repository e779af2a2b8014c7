"""The cache of compiled kernels, and the check that its files are still valid.

Tested in tests/minefield/test_compiled.py.
"""

from contextlib import suppress
from functools import cache
from hashlib import sha256
from types import CodeType, FunctionType, ModuleType
from typing import Annotated, Any, Final, NamedTuple, get_origin

import numpy as np
from numba.core import config
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

from minecheck.minefield.checked_indices import VERSION
from minecheck.minefield.kernel import Kernel
from minecheck.minefield.kernel_files import (
    KernelFiles,
    explain_unwritable,
    log_compilation,
    warn_uncached,
)
from minecheck.minefield.kernel_mode import MODE, Mode

#: Globals of these types are compiled in by value.
_CONSTANTS: Final = (int, float, complex, str, bytes, np.generic)


class KernelCache(FunctionCache):
    """Numba's cache of one kernel, made stale by a change in anything that is compiled into it.

    Numba itself only looks at the file that the kernel stands in. The kernels that it calls and the
    constants that it uses are compiled in as well, and may come from other files.
    """

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load machine code for Numba, which calls this before it compiles anything.

        Args:
            signature: the types of the arguments, as Numba has them.
            context: Numba's target context.

        Returns:
            The compiled code, or None if the kernel must be compiled.
        """
        self._find_files()
        # It also makes ready to compile, which takes longer than to load; whatever compiles does
        # that for itself.
        rtsys.initialize(context)
        # Files whose damage shows only now are compiled again, too.
        with suppress(Exception):
            loaded = self._load_overload(signature, context)  # type: ignore[no-untyped-call]
            if loaded is not None:
                return loaded
        log_compilation(self._py_func.__qualname__, is_kept=self.can_save())
        return None

    def save_overload(self, signature: Any, overload: Any) -> None:
        """Keep what was compiled; where that is impossible, say so in the log.

        Args:
            signature: the types of the arguments, as Numba has them.
            overload: the compiled code.
        """
        try:
            self._save_overload(signature, overload)  # type: ignore[no-untyped-call]
        except OSError as error:
            warn_uncached(error.strerror or type(error).__name__)

    def has_kernel(self, signature: Any, context: Any) -> bool:
        """Return True if there is machine code for this signature on this processor.

        Args:
            signature: the types of the arguments, as Numba has them.
            context: Numba's target context.
        """
        files = self._find_files()
        key = self._index_key(signature, context.codegen())  # type: ignore[no-untyped-call]
        return files.has_key(key)

    def can_save(self) -> bool:
        """Return True if machine code can be written; if not, log the reason once."""
        reason = explain_unwritable(self.cache_path)
        if reason is not None:
            warn_uncached(reason)
        return reason is None

    def _find_files(self) -> KernelFiles:
        """See what is kept for the source as it is now."""
        # Not sooner: a kernel may use what is defined below it.
        stamp = (self._impl.locator.get_source_stamp(), _digest_sources(self._py_func))
        self._cache_file = files = KernelFiles(
            self.cache_path, self._impl.filename_base + _name_checks(), stamp
        )
        return files


def _name_checks() -> str:
    """Name the checks of indices that are compiled in: each kind has files of its own."""
    named = f".checked-{VERSION}" if MODE is Mode.CHECKED else ""
    # NUMBA_BOUNDSCHECK, which overrides what a kernel asks for.
    overriding = vars(config)["BOUNDSCHECK"]
    return named if overriding is None else f"{named}.bounds-{overriding:d}"


@cache
def _digest_sources(function: FunctionType) -> bytes:
    """Return a digest of all that is compiled along with a function."""
    return sha256(
        b"".join(sorted(_find_parts(reached).digest for reached in find_reached(function)))
    ).digest()


@cache
def find_reached(function: FunctionType) -> frozenset[FunctionType]:
    """Return all functions that are compiled along with one: itself and whatever it calls."""
    reached = {function}
    waiting = [function]
    while waiting:
        new_calls = _find_parts(waiting.pop()).calls - reached
        reached |= new_calls
        waiting += new_calls
    return frozenset(reached)


class _Parts(NamedTuple):
    """What a function is made of: a digest of its code and constants, and what it calls."""

    digest: bytes
    calls: frozenset[FunctionType]


@cache
def _find_parts(function: FunctionType) -> _Parts:
    codes = [function.__code__]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    texts = [f"{function.__module__}.{function.__qualname__} {function.__defaults__}"]
    for code in codes:
        literals = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
        texts.append(repr((code.co_code, code.co_names, code.co_varnames, literals)))
    used = _find_used_globals(function, {name for code in codes for name in code.co_names})
    texts += [f"{name} = {_describe_value(value)}" for name, value in used.items()]
    # The types of tuples are known by their fields, in this order.
    texts += [_describe_value(kind) for kind in function.__annotations__.values()]
    calls = frozenset(value.py_func for value in used.values() if isinstance(value, Kernel))
    return _Parts(sha256("\n".join(texts).encode()).digest(), calls)


def _find_used_globals(function: FunctionType, names: set[str]) -> dict[str, object]:
    """Return the globals of a function that have one of these names, and attributes of modules."""
    used = {name: function.__globals__[name] for name in names & function.__globals__.keys()}
    modules = [(name, vars(value)) for name, value in used.items() if isinstance(value, ModuleType)]
    for module, attributes in modules:
        used |= {f"{module}.{name}": attributes[name] for name in names & attributes.keys()}
    return dict(sorted(used.items()))


def _describe_value(value: object) -> str:
    """Describe a value: constants by value, types of tuples by their fields, all else by name."""
    if isinstance(value, _CONSTANTS):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_describe_value, value))})"
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    if get_origin(value) is Annotated:
        return repr(value)
    name = str(getattr(value, "__qualname__", type(value)))
    if isinstance(value, type) and issubclass(value, tuple):
        kinds = getattr(value, "__annotations__", {})
        fields = [
            f"{field}: {_describe_value(kinds.get(field))}"
            for field in getattr(value, "_fields", ())
        ]
        return f"{name}({', '.join(fields)})"
    return name
