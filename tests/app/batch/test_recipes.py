"""The commands and programs of docs/batch.md print the output that it shows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.app.serving import Server
from tests.processes import ROOT

PAGE: Final = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")
#: Shell functions for the programs that the page names.
PROGRAMS: Final = f"""
minecheck() {{ "{sys.executable}" -m minecheck "$@"; }}
curl() {{ command curl -sS "$@"; }}
"""


#: The page has many commands, each in a process of its own.
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_batch_guide_shows_output_of_its_commands_and_programs(
    server: Server, tmp_path: Path
) -> None:
    blocks = re.findall(r"```(console|python)\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) > 8
    for kind, block in blocks:
        text = block.replace("127.0.0.1:8000", server.url.removeprefix("http://"))
        if kind == "python":
            shown = "".join(f"{line}\n" for line in re.findall(r"print\(.*# (.*)", text))
            check_output([sys.executable, "-c", text], shown, tmp_path)
            continue
        for part in text.split("$ ")[1:]:
            command, _, shown = part.partition("\n")
            check_output(["sh", "-c", PROGRAMS + command], shown, tmp_path)


def check_output(command: list[str], shown: str, folder: Path) -> None:
    """Run a command in a folder, and compare what it prints."""
    # The client is a distribution of its own, which need not be installed.
    environment = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
    found = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.stdout == shown, (command[-1], found.stderr)
    assert found.returncode == 0, (command[-1], found.stderr)
