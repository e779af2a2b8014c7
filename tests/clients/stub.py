"""A server that answers as it is told, for what the real one does not do at will."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Told:
    """A response; ``broken`` ends the connection in the midst of it, ``late`` before it begins."""

    status: int = 200
    body: bytes = b'{"consistent":true,"solver":{"complete":true}}'
    headers: dict[str, str] = field(default_factory=dict)
    broken: bool = False
    late: bool = False


def busy(wait: str | None) -> Told:
    """What an overloaded service says."""
    body = b'{"type":"urn:minecheck:problem:overloaded","status":503,"detail":"D.","fix":"M."}'
    headers = {"Content-Type": "application/problem+json"}
    return Told(503, body, headers | ({} if wait is None else {"Retry-After": wait}))


@dataclass
class Stub:
    """Where it is, and the path, headers and body of each request that came."""

    url: str
    asked: list[tuple[str, dict[str, str], bytes]]


@contextmanager
def stub(*script: Told) -> Iterator[Stub]:
    """Gives the responses in their order, the last one for ever."""
    asked: list[tuple[str, dict[str, str], bytes]] = []
    ended = Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            told = script[min(len(asked), len(script) - 1)]
            asked.append((self.path, headers, body))
            if told.late:
                ended.wait()
                self.close_connection = True
                return
            self.send_response(told.status)
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(told.body), told.body))
            if not told.broken:
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = told.broken

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    # What is under way is not waited for.
    server.block_on_close = False
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield Stub(f"http://127.0.0.1:{server.server_port}", asked)
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
