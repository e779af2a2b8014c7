"""The two modes for tests: what lies outside an array is an error, and no index wraps."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from minecheck.minefield.compiled import compile_kernel, in_machine_code
from minecheck.minefield.double_double import _multiply_add, _multiply_add_exactly
from minecheck.minefield.interpreted import GuardedArray, Interpreted
from minecheck.minefield.kernel import KernelKind
from minecheck.minefield.kernel_mode import MODE, Mode
from minecheck.solvers.counting.naturals import _multiply_add_in_python

ROOT = Path(__file__).parents[2]
KERNELS: Final = """
import json
import numpy as np
from minecheck.minefield.compiled import Matrix, Vector, compile_kernel

@compile_kernel
def item(vector: Vector[np.int64], index: int) -> int:
    return int(vector[index])

@compile_kernel
def put(vector: Vector[np.int64], index: int) -> None:
    vector[index] = 3

@compile_kernel
def cut(vector: Vector[np.int64], begin: int, end: int) -> int:
    return vector[begin:end].size

@compile_kernel
def fill(vector: Vector[np.int64], begin: int, end: int) -> None:
    vector[begin:end] = 3

@compile_kernel
def entry(matrix: Matrix[np.int64], row: int, col: int) -> int:
    return int(matrix[row, col] + matrix[row][col])

@compile_kernel
def chosen(vector: Vector[np.int64], indices: Vector[np.int64]) -> int:
    return int(vector[indices][0])

@compile_kernel
def usual(vector: Vector[np.int64]) -> int:
    return vector[:-1].size + vector[1:].size + vector[2:1].size + vector[4:4].size

vector = np.arange(4)
outcomes = {"usual": usual(vector)}
for kernel, *given in (
    *((item, index) for index in (-5, -1, 0, 3, 4)),
    *((put, index) for index in (-5, -1, 0, 3, 4)),
    *((cut, *bounds) for bounds in ((0, 4), (0, 5), (-2, 3), (5, 5))),
    *((fill, *bounds) for bounds in ((0, 4), (0, 5), (-2, 3), (5, 5))),
    *((entry, *index) for index in ((1, 1), (0, -1), (-1, 0), (0, 2), (2, 0))),
    *((chosen, np.array([index])) for index in (0, -1, 4)),
):
    array = vector.reshape(2, 2) if kernel is entry else vector
    texts = [one.tolist() if isinstance(one, np.ndarray) else one for one in given]
    try:
        kernel(array, *given)
    except IndexError:
        outcomes[f"{kernel.__name__}{texts}"] = "outside"
    else:
        outcomes[f"{kernel.__name__}{texts}"] = "inside"
print(json.dumps(outcomes))
"""


def run(mode: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {"MINECHECK_KERNELS": mode, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments], env=os.environ | environment, capture_output=True, text=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["checked", "python"])
def test_kernel_cannot_index_outside_its_arrays(mode: str, tmp_path: Path) -> None:
    script = tmp_path / "kernels.py"
    script.write_text(KERNELS)
    ran = run(mode, str(script))
    assert ran.returncode == 0, ran.stderr
    outcomes = json.loads(ran.stdout)
    assert outcomes.pop("usual") == 6
    inside = {name for name, outcome in outcomes.items() if outcome == "inside"}
    assert inside == {
        *("item[0]", "item[3]", "put[0]", "put[3]"),
        *("cut[0, 4]", "fill[0, 4]", "entry[1, 1]", "chosen[[0]]"),
    }


def test_unknown_kernel_mode_is_rejected_with_the_known_modes() -> None:
    ran = run("fast", "-c", "import minecheck.minefield.kernel_mode")
    assert ran.returncode == 1
    assert "MINECHECK_KERNELS: 'fast' is not a mode." in ran.stderr
    assert "compiled, checked, python" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_empty_kernel_mode_variable_means_compiled() -> None:
    ran = run("", "-c", "from minecheck.minefield.kernel_mode import MODE; print(MODE)")
    assert ran.stdout == "compiled\n"


def count(numbers: "np.ndarray[Any, Any]", most: int) -> int:
    found = np.empty(1, np.uint8)
    assert isinstance(found, GuardedArray)
    found[0] = most
    return int(found[0]) + numbers.size


def test_interpreted_kernel_rejects_an_integer_that_an_array_cannot_hold() -> None:
    kernel = Interpreted(count).inside
    assert kernel(np.zeros(2), 255) == 257
    with pytest.raises(OverflowError):
        kernel(np.zeros(2), 256)


@pytest.mark.parametrize(
    ("kind", "given", "wrapped"),
    [
        (np.int8, 200, -56),
        (np.int32, -(2**31) - 1, 2**31 - 1),
        (np.uint16, -1, 2**16 - 1),
        (np.uint64, -1, 2**64 - 1),
        (np.int64, 2**63, -(2**63)),
    ],
)
def test_interpreted_conversion_wraps_as_in_machine_code(
    kind: type[np.generic], given: int, wrapped: int
) -> None:
    def convert(number: int) -> Any:
        return np.array([number]).dtype

    inside: Any = Interpreted(convert).inside
    assert inside.__globals__["np"].__getattr__(kind.__name__)(given) == wrapped


@compile_kernel
def multiply_and_add(one: float, other: float, addend: float) -> float:
    return _multiply_add(one, other, addend)


NUMBERS: Final = (0.1, 1 / 3, 1e300, -2.5, 3e-200, 0.0)


def test_interpreted_multiply_add_is_rounded_once_as_in_machine_code() -> None:
    for one in NUMBERS:
        for other in NUMBERS:
            for addend in (-one * other, 0.0, 1.0, 1e-30):
                assert multiply_and_add(one, other, addend) == _multiply_add_exactly(
                    one, other, addend
                )


def test_interpreted_limbs_are_multiplied_without_losing_bits() -> None:
    most = np.uint64(2**64 - 1)
    assert _multiply_add_in_python(most, most, most, most) == (most, most)


@pytest.mark.skipif(MODE is not Mode.COMPILED, reason="the operation replaces the instructions")
def test_operation_that_trusts_indices_is_compiled_only_without_checks() -> None:
    def plain(one: int) -> int:
        return one

    made: Any = in_machine_code(
        lambda typing, one: None, unless_compiled=plain, trusts_indices=True
    )
    assert made is not plain
    assert made.kind is KernelKind.OPERATION
    assert made.interpreted.py_func is plain
