"""Write docs/problems.md, every type of problems with an example: ``python -m docs.problems``.

The examples are sent to servers that the script starts, so what the page shows is what they answer.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any, Final

from docs.problem_examples import EXAMPLES, SERVERS, Request
from minecheck.app.problem_types import PROBLEM_TYPES, ProblemType

PAGE: Final = Path(__file__).with_suffix(".md")
_INTRODUCTION: Final = """\
# Problems

The service rejects what it cannot answer with a problem document (`application/problem+json`,
RFC 9457). This page lists all types of problems, each with an example.

The `type` of a problem is `urn:minecheck:problem:` and the code of a section below; it never
changes. Programs should look at `type`, `status`, `pointer`, `row` and `col`. The texts of `title`,
`detail` and `fix` are for people, and may change. In a batch, a problem is the answer to one line,
and `line` is the number of that line.

This page is written by `python -m docs.problems`, which sends the requests and shows the answers.

"""
#: Repeated characters are shown up to this number of times.
_SHOWN: Final = 12


@contextmanager
def serving(name: str) -> Iterator[int]:
    """Start the server of a name in `SERVERS` on a free port; it ends with the block.

    Yields:
        Its port on this machine.
    """
    ours = {key: value for key, value in os.environ.items() if not key.startswith("MINECHECK_")}
    kernels = {key: value for key, value in os.environ.items() if key == "MINECHECK_KERNELS"}
    process = subprocess.Popen(
        [sys.executable, "-m", "minecheck", "serve", "--port", "0"],
        env={**ours, **kernels, "MINECHECK_WORKERS": "1", **SERVERS[name]},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None, "as asked for"
        said = (re.search(r"http://[^/]*:([0-9]+)/docs", line) for line in process.stdout)
        yield int(next(found[1] for found in said if found))
    finally:
        process.terminate()
        process.communicate()


def send_bytes(port: int, content: bytes) -> tuple[int, bytes]:
    """Send the bytes of a request, and return the status and the body of the answer."""
    with socket.create_connection(("127.0.0.1", port), 60.0) as client:
        client.sendall(content)
        response = HTTPResponse(client, method=content.partition(b" ")[0].decode())
        response.begin()
        return response.status, response.read()


def ask(port: int, content: bytes) -> dict[str, Any]:
    """Send the bytes of a request, and return the problem that answers it.

    Of the answer to a batch, it is the last line that is a problem.
    """
    _, body = send_bytes(port, content)
    documents = [json.loads(line) for line in body.splitlines()]
    found: dict[str, Any] = [one for one in documents if "type" in one][-1]
    return found


def answers() -> dict[str, dict[str, Any]]:
    """Return the problem that each example brings about, by code."""
    found = {}
    for name in SERVERS:
        with serving(name) as port:
            for code, example in EXAMPLES.items():
                if isinstance(example, Request) and example.server == name:
                    found[code] = ask(port, example.content)
    for code, example in EXAMPLES.items():
        if not isinstance(example, Request):
            found[code] = example.problem()
    return found


def render_page(problems: dict[str, dict[str, Any]]) -> str:
    """Return the page with these answers to the examples, by code."""
    rows = [
        f"| [{code}](#{code}) | {_format_statuses(kind)} | {kind.title} |\n"
        for code, kind in PROBLEM_TYPES.items()
    ]
    table = "| code | status | title |\n|---|---|---|\n" + "".join(rows)
    sections = [_render_section(code, kind, problems[code]) for code, kind in PROBLEM_TYPES.items()]
    return _INTRODUCTION + table + "".join(sections)


def _format_statuses(kind: ProblemType) -> str:
    return ", ".join(map(str, kind.statuses))


def _render_section(code: str, kind: ProblemType, problem: dict[str, Any]) -> str:
    example = EXAMPLES[code]
    if isinstance(example, Request):
        settings = SERVERS[example.server]
        where = f"With {', '.join(f'`{name}`' for name in settings)}:\n\n" if settings else ""
        origin = f"{where}```http\n{_show_request(example.content)}\n```"
    else:
        origin = f"For example: {example.description}"
    return (
        f"\n## {code}\n\n**{kind.title}** ({_format_statuses(kind)}). {kind.cause}\n\n{origin}\n\n"
        f"```json\n{json.dumps(problem, indent=2, ensure_ascii=False)}\n```\n\n"
        f"Fix: {problem['fix']}\n"
    )


def _show_request(content: bytes) -> str:
    """Return the bytes of a request as text, long runs of a character shortened."""
    text = "".join(
        character if character.isprintable() or character == "\n" else f"\\x{ord(character):02x}"
        for character in content.decode("latin-1").replace("\r\n", "\n")
    )
    return re.sub(
        rf"(.)\1{{{5 * _SHOWN},}}",
        lambda run: f"{run[1] * _SHOWN}… ({len(run[0])} times)",
        text.strip("\n"),
    )


if __name__ == "__main__":
    PAGE.write_text(render_page(answers()))
