"""Stops a build of a checkout that has no links; all else stands in pyproject.toml."""

from pathlib import Path

from setuptools import setup

for part in ("minefield", "automata", "solvers", "app"):
    if not Path("minecheck", part).is_dir():
        raise SystemExit(
            f"minecheck: 'minecheck/{part}' is no folder, so nothing that works can be built. "
            f"It should be a link to '{part}', which Git writes as a file if core.symlinks is "
            "false. Run 'git config core.symlinks true' and 'git checkout -- minecheck' (on "
            "Windows, first turn on Developer Mode), or install a wheel"
        )
setup()
