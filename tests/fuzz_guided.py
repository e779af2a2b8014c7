"""Fuzzing that keeps what reaches new code: ``make fuzz ARGS="format/board proof --seconds 300"``.

Targets and valid inputs are those of `tests.fuzz`. Atheris guides: an input that reaches code which
none before it has reached is changed further. Of these, the fewest that reach all of it go to
``tests/corpus``, and are tried again by the tests. A finding is saved as `tests.fuzz` saves it.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from random import Random
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final

CORPUS: Final = Path(__file__).parent / "corpus"
#: Inputs that were findings, which stay, whatever is reached by others.
FINDINGS: Final = Path(__file__).parent / "data" / "fuzz_findings.json"
#: What reads what strangers send, apart from compiled loops.
_WATCHED: Final = (
    "minecheck.app.batch.lines",
    "minecheck.app.batch.stream",
    "minecheck.app.functions",
    "minecheck.app.middleware",
    "minecheck.app.problems",
    "minecheck.app.questions",
    "minecheck.app.requests",
    "minecheck.app.routes",
    "minecheck.minefield.certificates",
    "minecheck.minefield.formats",
    "minecheck.minefield.notation",
    "minecheck.minefield.rules",
    "minecheck.minefield.topology",
    "minecheck.minefield.variant",
    "minecheck.solvers.circuits",
    "minecheck.solvers.export",
)
#: Longer inputs are not made, and those that take longer (seconds) are findings.
_LONGEST: Final = 4096
_SLOWEST: Final = 10
#: Of one target, so many bytes at most are kept.
_KEPT_BYTES: Final = 8_000


def read_corpus(target: str) -> list[bytes]:
    """The inputs of the corpus for a target; they are written as the characters of their bytes."""
    path = _path(target)
    return [one.encode("latin-1") for one in json.loads(path.read_text())] if path.exists() else []


def keep(target: str, inputs: Collection[bytes]) -> None:
    """Write the corpus for a target."""
    CORPUS.mkdir(exist_ok=True)
    written = json.dumps([one.decode("latin-1") for one in inputs], indent=0)
    _path(target).write_text(written + "\n")


def findings() -> list[tuple[str, bytes]]:
    """Targets, each with an input that it once did not handle; `keep_finding` adds to them."""
    return [(target, given.encode("latin-1")) for target, given in json.loads(FINDINGS.read_text())]


def keep_finding(target: str, given: bytes) -> None:
    """Have the tests repeat an input."""
    known = dict.fromkeys([*findings(), (target, given)])
    written = json.dumps([(name, one.decode("latin-1")) for name, one in known], indent=0)
    FINDINGS.write_text(written + "\n")


def _path(target: str) -> Path:
    return CORPUS / f"{target.replace('/', '-')}.json"


def run(target: str, seconds: int, folder: Path, renew: bool = True) -> str:
    """Fuzz a target for some seconds, renew its corpus, and report the number of inputs.

    Unless ``renew``, the corpus stays as it is.

    Raises:
        SystemExit: there is a finding, which is saved in the folder.
    """
    from tests import fuzz

    with tempfile.TemporaryDirectory() as name:
        inputs = Path(name, "inputs")
        inputs.mkdir()
        for number, given in enumerate([*fuzz.valid(target), *read_corpus(target)]):
            (inputs / f"{number}").write_bytes(given)
        command = [sys.executable, "-m", __spec__.name, "--one", target, f"{inputs}"]
        options = {
            "max_total_time": seconds,
            "max_len": _LONGEST,
            "timeout": _SLOWEST,
            "artifact_prefix": f"{name}/",
        }
        command += [f"-{option}={value}" for option, value in options.items()]
        ended = subprocess.run(command, capture_output=True, text=True, errors="replace")
        for path in Path(name).glob("*-*"):
            finding = fuzz.Finding(target, path.read_bytes(), path.name.partition("-")[0])
            print(ended.stderr[-3000:])
            raise SystemExit(f"{target}: see {finding.save(folder)}, replay with tests.fuzz")
        found = sorted((path.read_bytes() for path in inputs.iterdir()), key=len)
    if renew:
        keep(target, _fewest(found, fuzz.TARGETS[target]))
    many = re.findall(r"^#(\d+)\s+DONE", ended.stderr, re.MULTILINE)
    if not many:
        raise SystemExit(ended.stderr[-3000:])
    return f"{target}: {many[-1]} inputs, {len(found)} reached something new"


def _fewest(inputs: Sequence[bytes], read: Callable[[bytes], str]) -> list[bytes]:
    """Return the inputs that reach code that no shorter input has reached, up to some bytes."""
    reached: set[tuple[CodeType, int, int]] = set()
    chosen, size = [], 0
    for given in inputs:
        steps = _steps(given, read)
        if not steps <= reached and size + len(given) <= _KEPT_BYTES:
            reached |= steps
            chosen.append(given)
            size += len(given)
    return chosen


def _steps(given: bytes, read: Callable[[bytes], str]) -> set[tuple[CodeType, int, int]]:
    """The pairs of lines that are run one after the other, where what is watched reads an input."""
    steps = set()

    def call(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_globals.get("__name__", "").startswith(_WATCHED):
            return None
        before = frame.f_lineno

        def line(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal before
            steps.add((frame.f_code, before, frame.f_lineno))
            before = frame.f_lineno
            return line

        return line

    # What traces already, such as a measurement of coverage, goes on afterwards.
    before = sys.gettrace()
    sys.settrace(call)
    try:
        read(given)
    finally:
        sys.settrace(before)
    return steps


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods that are written in a module; compiled loops are none."""
    spaces = [vars(module), *(vars(one) for one in vars(module).values() if isinstance(one, type))]
    for value in [value for space in spaces for value in space.values()]:
        function = getattr(value, "__func__", value)
        if isinstance(function, FunctionType) and function.__module__ == module.__name__:
            yield function


def _run_guided(target: str, arguments: Sequence[str]) -> None:
    """Have Atheris try a target; never returns."""
    import atheris

    from tests import fuzz

    for name in [one for one in sys.modules if one.startswith(_WATCHED)]:
        for function in _functions(sys.modules[name]):
            atheris.instrument_func(function)

    def change(given: bytes, longest: int, seed: int) -> bytes:
        """By the structure of the input, or by what code compares it with."""
        if seed % 2:
            return fuzz.mutate_input(Random(seed), target, given)[:longest]
        return bytes(atheris.Mutate(given, longest))

    # All that is loaded at the first input is no news of it.
    for given in fuzz.valid(target):
        fuzz.TARGETS[target](given)
    read = fuzz.TARGETS[target]
    atheris.Setup(["", *arguments], lambda given: (read(given), None)[1], custom_mutator=change)
    atheris.Fuzz()


def main() -> None:
    """Run; the exit status is 1 for a finding."""
    if sys.argv[1:2] == ["--one"]:
        _run_guided(sys.argv[2], sys.argv[3:])
    from tests.fuzz import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_guided", description=__doc__)
    parser.add_argument("targets", nargs="*", help="by default all")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--folder", type=Path, default=Path("/tmp"), help="where findings go")
    parser.add_argument("--no-keep", action="store_true", help="leave the corpus as it is")
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    for target in options.targets or TARGETS:
        print(run(target, options.seconds, options.folder, not options.no_keep), flush=True)


if __name__ == "__main__":
    main()
