"""A real Redis runs in a process of its own."""

import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.app.serving import free_port
from tests.processes import PATIENCE, holds_soon, prepare


class Redis:
    """A Redis on a port of its own that can be stopped, continued and started anew."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self.start()

    def start(self) -> None:
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        command = ["redis-server", "--port", str(self.port), "--dir", str(self._folder), *options]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=prepare
        )
        if not holds_soon(self._answers):
            self.end()
            raise RuntimeError("redis-server did not start")

    def _answers(self) -> bool:
        import redis

        with suppress(redis.ConnectionError), self.client() as client:
            return bool(client.ping())
        return False

    def client(self) -> Any:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        return redis.Redis(port=self.port, retry=Retry(NoBackoff(), 0))

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)
