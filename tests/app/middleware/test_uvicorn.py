"""The parts of uvicorn that are not public, and that connections build on, are as they were.

Where another version of uvicorn fails here, compare what has changed with what
`minecheck.app.middleware.slices` and `connections` say they rely on, then note the new digest.
"""

import inspect
from hashlib import sha256
from typing import Any

import pytest
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

#: The first letters of the digest of the source of each function.
DIGESTS = {
    HttpToolsProtocol.__init__: "4f0899941034",
    HttpToolsProtocol.connection_made: "6efb565ff3d3",
    HttpToolsProtocol.connection_lost: "c91a4c9bf2e2",
    HttpToolsProtocol.data_received: "010a7ae59a5d",
    HttpToolsProtocol.on_message_begin: "96d377fdc7c2",
    HttpToolsProtocol.on_header: "65d62c044f61",
    HttpToolsProtocol.on_headers_complete: "1ea8589acfad",
    HttpToolsProtocol._start_asgi_task: "9c08c2571ae9",
    HttpToolsProtocol.on_body: "dba9c32aeba3",
    HttpToolsProtocol.on_message_complete: "1fbad42dc31f",
    HttpToolsProtocol.on_response_complete: "64e254f28e38",
    HttpToolsProtocol.pause_writing: "17a8fd215d96",
    HttpToolsProtocol.resume_writing: "7844bbaa8cce",
    HttpToolsProtocol.shutdown: "d7351fa33f00",
    HttpToolsProtocol.timeout_keep_alive_handler: "8b53bf5f2e20",
    RequestResponseCycle.__init__: "4d2f220910c3",
    RequestResponseCycle.run_asgi: "0f33f2449a44",
    RequestResponseCycle.send: "abdd8601b326",
    RequestResponseCycle.receive: "8124ae006be7",
    FlowControl.pause_reading: "7c27388bb984",
    FlowControl.resume_reading: "a0429d30857e",
    FlowControl.__init__: "0152d94a0407",
}


@pytest.mark.parametrize("function", DIGESTS, ids=lambda function: function.__qualname__)
def test_private_functions_of_uvicorn_have_known_source(function: Any) -> None:
    digest = sha256(inspect.getsource(function).encode()).hexdigest()[:12]
    assert digest == DIGESTS[function], "compare it with app/middleware/slices.py, connections.py"
