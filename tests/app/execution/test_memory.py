"""Freed memory goes back to the system when the process has little to do."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from minecheck.app.execution import memory
from minecheck.app.execution.memory import Keeper

MB = 1 << 20


class Process:
    """A simulated process that computes and grows as a test sets it."""

    def __init__(self) -> None:
        self.size, self.free, self.computed, self.now = 100 * MB, 0, 0.0, 0.0
        self.trims = 0
        self.keeper = Keeper(lambda: self.size, lambda: self.computed, lambda: self.now, self._trim)

    def _trim(self) -> None:
        self.trims += 1
        self.size -= self.free
        self.free = 0

    def look(self, computed: float = 0.0) -> int:
        """Let a second pass, and return how often memory was given back."""
        self.now += 1.0
        self.computed += computed
        self.keeper.trim_if_due()
        return self.trims


def test_keeper_gives_freed_memory_back_once() -> None:
    process = Process()
    assert process.look() == 0
    process.size, process.free = 500 * MB, 390 * MB
    assert [process.look(), process.look()] == [1, 1]
    assert process.size == 110 * MB
    process.size, process.free = 300 * MB, 190 * MB
    assert process.look() == 2


def test_keeper_waits_until_process_computes_little() -> None:
    process = Process()
    process.size = process.free = 500 * MB
    assert [process.look(computed=1.0), process.look(computed=0.5)] == [0, 0]
    assert process.look(computed=0.1) == 1


def test_keeper_does_not_trim_again_for_memory_in_use() -> None:
    process = Process()
    process.size = 500 * MB
    assert [process.look() for _ in range(3)] == [1, 1, 1]
    process.size += 8 * MB
    assert process.look() == 1
    process.size += 8 * MB
    assert process.look() == 2


def test_keeper_counts_from_least_memory_in_use() -> None:
    process = Process()
    process.size = 60 * MB
    assert process.look() == 0
    process.size, process.free = 90 * MB, 30 * MB
    assert process.look() == 1


@pytest.mark.parametrize("libc", ["", "musl"])
def test_keeper_does_nothing_without_glibc(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, libc: str
) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: (libc, ""))
    memory._load_glibc.cache_clear()
    try:
        memory.use_one_heap()
        keeper = Keeper(lambda: memory.read_resident_bytes(tmp_path / "nowhere"))
        keeper.trim_if_due()
        keeper.trim()
    finally:
        memory._load_glibc.cache_clear()


#: A program that frees 200 MB with a little left in between, and prints its size after that.
_FREEING_PROGRAM = """
from minecheck.app.execution import memory
memory.use_one_heap()
keeper = memory.Keeper()
blocks = [bytearray(20_000) for _ in range(10_000)]
stay = blocks[::100]
del blocks
keeper.trim()
print(memory.read_resident_bytes() >> 20)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked")
@pytest.mark.parametrize("arenas", [None, "4"])
def test_keeper_returns_freed_memory_of_process_to_system(arenas: str | None) -> None:
    environment = os.environ | ({} if arenas is None else {"MALLOC_ARENA_MAX": arenas})
    printed = subprocess.run(
        [sys.executable, "-c", _FREEING_PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(printed.stdout) < 100
