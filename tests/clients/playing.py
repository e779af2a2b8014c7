"""The browser module where it runs: in Node, and in a page in Chromium."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import CLIENTS

MODULE = CLIENTS / "browser" / "minecheck.js"

#: What a script returns as JSON; integers of any size as digits.
SHOWN = "(_, value) => typeof value === 'bigint' ? `${value}n` : value"


def node() -> str:
    """Where Node is: Playwright brings one along.

    Skips the test where there is none.
    """
    try:
        from playwright._impl._driver import compute_driver_executable

        found: str | None = str(compute_driver_executable()[0])
    except ImportError:
        found = shutil.which("node")
    if found is None or not Path(found).exists():
        pytest.skip("needs Node")
    return found


def in_node(script: str, **names: Any) -> Any:
    """What the body of an async function returns in Node, with these names."""
    program = f"""
        import * as minecheck from {json.dumps(MODULE.as_uri())};
        const {{ Game, Minecheck, MinecheckProblem, MinecheckIncomplete }} = minecheck;
        const run = async ({{ {", ".join(names)} }}) => {{ {script} }};
        const found = await run({json.dumps(names)});
        console.log(JSON.stringify(found, {SHOWN}) ?? null);
    """
    command = [node(), "--input-type=module", "--eval", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
