"""/v1/check on stuck expert positions against an endpoint of the same app that only parses.

One worker process, a real server on loopback, eight kept-alive connections.
"""

import asyncio
import json
import subprocess
import sys
from time import perf_counter, sleep
from urllib.error import URLError
from urllib.request import urlopen

import uvicorn
from fastapi import FastAPI, Request, Response

from app import asking
from app.main import create
from app.settings import Settings
from benchmarks.positions import stuck
from minefield import draw
from solvers import Task

_PORT = 8765
_CONNECTIONS = 8
_REQUESTS = 4000


def run() -> None:
    """Requests per second of both, in turn."""
    bodies = [
        json.dumps({"board": draw(board), "mines": 99}).encode() for board in stuck(16, 30, 99, 50)
    ]
    server = subprocess.Popen([sys.executable, "-m", "benchmarks.http_check"])
    try:
        _wait()
        for path in ("/v1/check", "/parse", "/v1/analyze"):
            asyncio.run(load(path, bodies, 400))
        for path in ("/v1/check", "/v1/analyze"):
            rates = [
                (asyncio.run(load(path, bodies)), asyncio.run(load("/parse", bodies)))
                for _ in range(5)
            ]
            ratios = sorted(ours / parse for ours, parse in rates)
            ours, parse = sorted(rates)[2]
            print(
                f"  {path}: {ours:.0f} requests/s, parse only {parse:.0f}, "
                f"ratio {ratios[2]:.2f} ({ratios[0]:.2f}..{ratios[-1]:.2f}, 5 rounds)",
                flush=True,
            )
    finally:
        server.terminate()
        server.wait(10)


async def load(path: str, bodies: list[bytes], requests: int = _REQUESTS) -> float:
    """Requests per second; every answer must be a 200."""
    messages = [
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
        for body in bodies
    ]

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", _PORT)
        for number in range(requests // _CONNECTIONS):
            writer.write(messages[number % len(messages)])
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
            await reader.readexactly(int(length))
        writer.close()

    started = perf_counter()
    await asyncio.gather(*(client() for _ in range(_CONNECTIONS)))
    return requests / (perf_counter() - started)


def _wait() -> None:
    for _ in range(300):
        try:
            urlopen(f"http://127.0.0.1:{_PORT}/readyz").close()
        except (URLError, ConnectionError):
            sleep(0.2)
        else:
            return
    raise RuntimeError("the server did not start")


def app() -> FastAPI:
    """The service with one more route, that parses a question and answers with nothing."""
    service = create(Settings(workers=1))

    @service.post("/parse")
    async def parse(request: Request) -> Response:
        await asking.read(request, Task.CHECK, service.state.settings)
        return Response(b"{}", media_type="application/json")

    return service


if __name__ == "__main__":
    uvicorn.run(app(), port=_PORT, log_level="warning")
