"""The image runs in containers as in docker-compose.yml, by means of the kernel, without an engine.

``IMAGE`` is a folder that `.ci/image` fills: ``root``, the files of the image, and ``config.json``,
how it is run. Takes root, and a namespace of processes of its own.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.app.serving import Server, wait_until_ready
from tests.processes import PATIENCE, holds_soon, running_program

#: The folder of the image, if there is one.
IMAGE = Path(os.environ.get("IMAGE", "/nowhere"))
ROOT = IMAGE / "root"
#: The limit of memory in bytes, half of the limit in docker-compose.yml.
MEMORY = 2**30
#: A script that mounts all but a few folders read-only, and runs a command without extra rights.
_INSIDE = """
set -e
root=$1 group=$2; shift 2
[ -z "$group" ] || echo 0 > "$group/cgroup.procs"
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o size=256m,mode=1777,nosuid,nodev,noexec tmp "$root/tmp"
mount -t tmpfs -o mode=755 dev "$root/dev"
mkdir "$root/dev/shm"
for device in null zero full random urandom; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mount -o remount,ro "$root/dev"
mount -t tmpfs -o size=64m,mode=1777 shm "$root/dev/shm"
exec chroot "$root" setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set -all \\
    --inh-caps -all --no-new-privs -- env --chdir /srv "$@"
"""


def config() -> dict[str, Any]:
    """Return the configuration with which Docker runs the image."""
    found: dict[str, Any] = json.loads((IMAGE / "config.json").read_text())
    return found


class Container(Server):
    """A container that runs the service."""

    @property
    def main(self) -> int:
        """The process that the image starts."""
        (main,) = self.family()[:1]
        return main

    def stop(self, number: int = signal.SIGTERM, patience: float = PATIENCE) -> None:
        """Send the service a signal, and wait for its end."""
        os.kill(self.main, number)
        self.process.wait(patience)

    def path(self, inside: str) -> Path:
        """Return the path to a file of the container."""
        return Path(f"/proc/{self.main}/root{inside}")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the container, as its user."""
        enter = ["nsenter", "--target", str(self.main), "--mount", "--pid", "--root"]
        user = ["--setuid", "10001", "--setgid", "10001", "env", "-i", *config()["Env"]]
        return subprocess.run([*enter, *user, *command], capture_output=True, text=True)


@contextmanager
def running_container(
    address: str = "127.0.0.1", env: Mapping[str, str] | None = None
) -> Iterator[Container]:
    """Run the service in a container, and yield it when ready at port 8000 of an address."""
    given = config()
    command = list(given["Cmd"])
    command[command.index("0.0.0.0")] = address
    settings = [f"{name}={value}" for name, value in (env or {}).items()]
    with ExitStack() as ending:
        group = ending.enter_context(_limited())
        inside = ["sh", "-c", _INSIDE, "sh", str(ROOT), group, "-i", *given["Env"], *settings]
        unshared = ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"]
        process = ending.enter_context(
            running_program([*unshared, *inside, *given["Entrypoint"], *command])
        )
        container = Container(8000, process, address)
        wait_until_ready(container)
        yield container


@contextmanager
def _limited() -> Iterator[str]:
    """Yield a control group limited to `MEMORY`, or an empty name where there can be none."""
    for parent, limit in (("memory", "memory.limit_in_bytes"), ("", "memory.max")):
        with suppress(OSError):
            group = Path(mkdtemp(prefix="minecheck-", dir=Path("/sys/fs/cgroup", parent)))
            if (group / limit).exists():
                (group / limit).write_text(str(MEMORY))
                break
            group.rmdir()
    else:
        yield ""
        return
    try:
        yield str(group)
    finally:
        holds_soon(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()
