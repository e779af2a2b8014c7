"""A stub server gives responses that the real service does not give at will."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class StubResponse:
    """A response; ``broken`` ends the connection in the midst of it, ``late`` before it begins."""

    status: int = 200
    body: bytes = b'{"consistent":true,"solver":{"complete":true}}'
    headers: dict[str, str] = field(default_factory=dict)
    broken: bool = False
    late: bool = False


def busy(wait: str | None) -> StubResponse:
    """Return the response of an overloaded service."""
    body = b'{"type":"urn:minecheck:problem:overloaded","status":503,"detail":"D.","fix":"M."}'
    headers = {"Content-Type": "application/problem+json"}
    return StubResponse(503, body, headers | ({} if wait is None else {"Retry-After": wait}))


@dataclass
class Stub:
    """The URL of a stub, and the path, headers and body of each request it received."""

    url: str
    requests: list[tuple[str, dict[str, str], bytes]]


@contextmanager
def stub(*script: StubResponse) -> Iterator[Stub]:
    """Serve the responses in order, and the last one for ever."""
    requests: list[tuple[str, dict[str, str], bytes]] = []
    ended = Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            response = script[min(len(requests), len(script) - 1)]
            requests.append((self.path, headers, body))
            if response.late:
                ended.wait()
                self.close_connection = True
                return
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(response.body), response.body))
            if not response.broken:
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = response.broken

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    # The server does not wait for requests in progress.
    server.block_on_close = False
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield Stub(f"http://127.0.0.1:{server.server_port}", requests)
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
