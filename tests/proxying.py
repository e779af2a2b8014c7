"""The proxy of docker-compose.yml, with a name server that knows the replicas."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

from tests.app.serving import free_port
from tests.processes import ROOT, holds_soon, running_program

DOCKER = ROOT / "docker"


class Names:
    """A name server that has the same addresses for every name, and these may change."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while query := self._socket.recvfrom(512):
            message, client = query
            if not message:
                return
            # RFC 1035, 4.1: the head, then the one question: a name of labels, a type, a class.
            question = message[12 : message.index(0, 12) + 5]
            head = struct.pack("!2s5H", message[:2], 0x8180, 1, len(self.addresses), 0, 0)
            # Each answer has the name at 12, the type A, the class IN, a time to live, 4 bytes.
            found = (
                struct.pack("!3HIH", 0xC00C, 1, 1, 1, 4) + socket.inet_aton(address)
                for address in self.addresses
            )
            self._socket.sendto(head + question + b"".join(found), client)

    def close(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()


def configure_proxy(
    folder: Path, port: int, names: int, service: int, changes: dict[str, str] | None = None
) -> list[str]:
    """The command for the proxy, with a configuration in a folder: only its paths differ.

    More ``changes`` are texts by those that they replace.
    """
    text = (DOCKER / "haproxy.cfg").read_text()
    for before, after in (
        ("/usr/local/etc/haproxy/problems", str(DOCKER / "problems")),
        ("bind :8080", f"bind 127.0.0.1:{port}"),
        ("127.0.0.11:53", f"127.0.0.1:{names}"),
        ("minecheck:8000", f"minecheck:{service}"),
        # Names of the whole network namespace.
        ("abns@minecheck", f"abns@minecheck-{port}"),
        *(changes or {}).items(),
    ):
        assert before in text
        text = text.replace(before, after)
    file = folder / "haproxy.cfg"
    file.write_text(text)
    return ["haproxy", "-f", str(file)]


@contextmanager
def running_proxy(
    folder: Path, service: int, *addresses: str, changes: dict[str, str] | None = None
) -> Iterator[tuple[str, Names]]:
    """A proxy in front of a port of some addresses: its own URL, and who knows them."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with closing(Names(*addresses)) as names:
        command = configure_proxy(folder, port, names.port, service, changes)
        with (folder / "log").open("wb") as log, running_program(command, stdout=log) as process:
            expected = 200 if addresses else 503
            assert holds_soon(lambda: process.poll() is None and status(url, "/readyz") == expected)
            yield url, names


def send_get(url: str, path: str, headers: dict[str, str] | None = None) -> tuple[int, str, bytes]:
    """Status, type and body of the answer to a request that is sent just as it is given."""
    connection = HTTPConnection(url.removeprefix("http://"), timeout=10)
    with closing(connection):
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers["content-type"] or "", answer.read()


def status(url: str, path: str) -> int:
    return send_get(url, path)[0]


def send_post(url: str, path: str, body: bytes, headers: dict[str, str] | None = None) -> int:
    connection = HTTPConnection(url.removeprefix("http://"), timeout=10)
    with closing(connection):
        sent_headers = {"Content-Type": "application/json"} | (headers or {})
        connection.request("POST", path, body, sent_headers)
        return connection.getresponse().status
