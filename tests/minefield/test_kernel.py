"""A kernel runs in the interpreter where that is requested, and links what it calls."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from minecheck.minefield import kernel
from minecheck.minefield.interpreted import Interpreted
from minecheck.minefield.kernel import (
    Kernel,
    KernelKind,
    call_small,
    copy_without_globals,
    interpret_kernels,
    link_globals,
)
from minecheck.minefield.kernel_mode import MODE, Mode

FACTOR = 3


def multiply(number: int) -> int:
    def by_factor() -> int:
        return FACTOR * number

    return by_factor()


@pytest.fixture
def made() -> Any:
    """A kernel whose machine code is a function that answers otherwise."""
    return Kernel(
        multiply, KernelKind.ENTRY, Interpreted(multiply), lambda kernel: lambda number: -number
    )


@pytest.mark.skipif(MODE is Mode.PYTHON, reason="the interpreter runs everything")
def test_kernel_runs_in_interpreter_only_where_that_is_requested(made: Any) -> None:
    with interpret_kernels():
        assert made(2) == 6
        with ThreadPoolExecutor(1) as other_thread:
            assert other_thread.submit(made, 2).result() == -2
    assert made(2) == -2


def test_kernel_runs_as_machine_code_again_after_an_error(made: Any) -> None:
    with pytest.raises(TypeError), interpret_kernels():
        made("two")
    assert made(2) == (6 if MODE is Mode.PYTHON else -2)


@pytest.mark.skipif(MODE is Mode.PYTHON, reason="the interpreter runs everything")
def test_loaded_machine_code_runs_also_where_kernels_are_interpreted(made: Any) -> None:
    assert made(2) == -2
    with interpret_kernels():
        assert made(2) == -2


@pytest.mark.parametrize("loaded", [True, False])
def test_small_calls_are_interpreted_unless_numba_is_loaded(
    monkeypatch: pytest.MonkeyPatch, made: Any, loaded: bool
) -> None:
    monkeypatch.setattr(kernel, "is_numba_loaded", lambda: loaded)
    assert call_small(lambda: made(2)) == (-2 if loaded and MODE is not Mode.PYTHON else 6)


def test_linked_copy_sees_translated_globals_of_nested_functions_too() -> None:
    copy = copy_without_globals(multiply)
    with pytest.raises(NameError):
        copy(2)
    link_globals(copy, multiply, lambda value: 10 * value)
    assert copy(2) == 60
    assert multiply(2) == 6
