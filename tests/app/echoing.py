"""The protocol of the service runs an app that echoes its request."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import Receive, Scope, Send

from minecheck.app.middleware.connections import Bounded
from tests.app.serving import free_port
from tests.processes import holds_soon


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the client's address, the fields of the head, and the body."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        more = message["more_body"]
    fields = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]]
    seen = {"client": scope["client"][0], "scheme": scope["scheme"], "fields": fields}
    answer = json.dumps(seen | {"path": scope["path"], "body": body.decode("latin-1")}).encode()
    headers = [(b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


@contextmanager
def echoing() -> Iterator[int]:
    """Run the app until the block ends, and yield its port."""
    port = free_port()
    config = uvicorn.Config(_echo, port=port, http=Bounded, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert holds_soon(lambda: server.started)
        yield port
    finally:
        server.should_exit = True
        thread.join()
