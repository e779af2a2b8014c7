"""Console examples of the documents: commands, and what they print.

Examples stand in fences of the language ``console``. A line that begins with ``$`` is a command,
lines that begin with ``>`` continue it, and all others are its output. The examples of a document
are run in order, in one empty folder. ``python -m docs.console`` runs all of them against a service
that it starts, and writes what they print into the documents.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from docs.problems import serving

ROOT: Final = Path(__file__).resolve().parents[1]
#: The documents with console examples.
DOCUMENTS: Final = (
    "README.md",
    "app/page/llms.txt",
    "docs/api.md",
    "docs/browsers.md",
    "docs/cli.md",
    "docs/how-do-i.md",
    "docs/kaye.md",
    "docs/reproduce.md",
    "docs/tutorial.md",
)
_FENCE: Final = re.compile(r"(^```console\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
_EXAMPLE: Final = re.compile(
    r"^\$ (?P<command>.*\n(?:> ?.*\n)*)(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE
)
#: What an answer says if the same was asked before.
_CACHED: Final = ',"cached":true'
_SECONDS: Final = 120
#: The exit status of commands for an inconsistent board.
_INCONSISTENT: Final = 1


class Example(NamedTuple):
    """A command as it is written, perhaps in several lines, and what it prints."""

    command: str
    output: str


def find_examples(text: str) -> list[Example]:
    """Return the console examples of a document, in order."""
    return [
        Example(found["command"], found["output"])
        for fence in _FENCE.finditer(text)
        for found in _EXAMPLE.finditer(fence[2])
    ]


def run_command(command: str, port: int, folder: Path) -> str:
    """Run a command in a folder, and return what it prints.

    Args:
        command: the command, written for a clone whose service is at 127.0.0.1:8000.
        port: the port of the service that it is sent to instead.
        folder: where it runs.

    Raises:
        RuntimeError: it failed.
    """
    command = re.sub(r"^> ?", "", command, flags=re.MULTILINE)
    meant = {
        "127.0.0.1:8000": f"127.0.0.1:{port}",
        "curl ": "curl -s ",
        ".venv/bin/minecheck": f"{sys.executable} -m minecheck",
        ".venv/bin/python": sys.executable,
    }
    shown = re.compile("|".join(map(re.escape, meant)))
    command = shown.sub(lambda found: meant[found[0]], command)
    shell = ["sh", "-c", command]
    run = subprocess.run(shell, cwd=folder, capture_output=True, text=True, timeout=_SECONDS)
    if run.returncode > _INCONSISTENT or "Traceback" in run.stderr:
        raise RuntimeError(f"{command}failed with status {run.returncode}:\n{run.stderr}")
    return run.stdout


def drop_times(line: str) -> object:
    """Return a line of output; if it is JSON, its value without what differs from run to run.

    That is the time that it took, and whether the same was asked before.
    """
    try:
        answer = json.loads(line)
    except ValueError:
        return line
    if isinstance(answer, dict):
        for part in ("solver", "summary"):
            for field in ("elapsed_ms", "cached"):
                answer.get(part, {}).pop(field, None)
    return answer


def record_document(text: str, port: int, folder: Path) -> str:
    """Return a document with what its examples print now; a line that differs in time stays."""

    def record_example(found: re.Match[str]) -> str:
        old = found["output"].splitlines()
        new = run_command(found["command"], port, folder).replace(_CACHED, "").splitlines()
        for index, (before, now) in enumerate(zip(old, new, strict=False)):
            if drop_times(before) == drop_times(now):
                new[index] = before
        return "".join([f"$ {found['command']}", *(f"{line}\n" for line in new)])

    return _FENCE.sub(
        lambda fence: fence[1] + _EXAMPLE.sub(record_example, fence[2]) + fence[3], text
    )


def main(documents: list[str]) -> None:
    """Record the examples of some documents, or of all."""
    with serving("default") as port:
        for name in documents or DOCUMENTS:
            with tempfile.TemporaryDirectory() as folder:
                path = ROOT / name
                path.write_text(record_document(path.read_text("utf-8"), port, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
