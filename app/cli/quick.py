"""How kernels run in a command: small boards are answered before Numba would be loaded.

Loading Numba and machine code takes a second, and so does compiling on a new machine. The
interpreter answers a small board in some milliseconds, with the same kernels and the same answer.
The choice has to be made before any module with kernels is imported, so it goes by the words of the
command alone.
"""

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

#: The names in `minefield.kernel_mode`, whose import would load all of that package.
VARIABLE: Final = "MINECHECK_KERNELS"
INTERPRETED: Final = "python"
#: Questions of which the interpreter answers every small board in less than the second it saves.
_QUESTIONS: Final = frozenset(
    {"check", "count", "forced", "analyze", "layouts", "sample", "conflicts"}
)
#: Options that leave a small question small: flags, and those whose value is the next word.
_FLAGS: Final = frozenset({"--json", "--trust-flags"})
_VALUES: Final = frozenset(
    {"-m", "--mines", "--notation", "--symbols", "--format", "--color", "--seed"}
)
_HELP: Final = frozenset({"-h", "--help", "--install-completion", "--show-completion"})
#: Bytes of all boards of the command together: that is 5 rows of 6 cells.
_MOST_BYTES: Final = 36
_COMPLETION: Final = "_MINECHECK_COMPLETE"


def choose_kernels(arguments: Sequence[str]) -> None:
    """Leave the kernels to the interpreter if none runs in this command, or for a small board.

    Nothing is changed if ``MINECHECK_KERNELS`` is set.

    Args:
        arguments: the words of the command.
    """
    if os.environ.get(VARIABLE):
        return
    runs_none = _COMPLETION in os.environ or not _HELP.isdisjoint(arguments)
    if runs_none or _is_small_question(arguments):
        os.environ[VARIABLE] = INTERPRETED


def _is_small_question(arguments: Sequence[str]) -> bool:
    """Return True for a question about small boards, with options that leave it small."""
    if not arguments or arguments[0] not in _QUESTIONS:
        return False
    files = _list_files(arguments[1:])
    if files is None:
        return False
    names = [name for name in files if name != "-"]
    try:
        size = sum(Path(name).stat().st_size for name in names)
    except (OSError, ValueError):
        return False
    if size > _MOST_BYTES:
        return False
    return (bool(files) and names == files) or size + len(_read_stdin()) <= _MOST_BYTES


def _list_files(words: Sequence[str]) -> list[str] | None:
    """Return the names of the files of a question, or None if an option may make it large."""
    files = []
    remaining = iter(words)
    for word in remaining:
        name, _, value = word.partition("=")
        if word == "-" or not word.startswith("-"):
            files.append(word)
        elif name in _VALUES:
            if not value:
                next(remaining, None)
        elif word not in _FLAGS:
            return None
    return files


def _read_stdin() -> bytes:
    """Return what standard input has, which the command reads again."""
    if sys.stdin is None or sys.stdin.isatty():
        return bytes(_MOST_BYTES + 1)
    read = sys.stdin.buffer.read()
    sys.stdin = io.TextIOWrapper(io.BytesIO(read), encoding="utf-8")
    return read
