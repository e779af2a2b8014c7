"""The HTTP service as replicas of Ray Serve: ``serve run app.ray_serve:service``.

Every replica is the whole service, with workers of its own, behind the same contract. How many
there are, and what each may use, is for the configuration, such as docker/ray/serve.yaml.
"""

from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minecheck.app.batch.ray_engine import ClusterError
from minecheck.app.quoting import quote_text


def service(arguments: dict[str, str]) -> Any:
    """Build the application for Ray Serve; it takes no ``arguments``.

    Raises:
        ClusterError: Ray Serve is missing, or there are arguments.
    """
    if arguments:
        raise ClusterError(
            f"unknown argument {quote_text(min(arguments))}: leave it out, and set environment "
            "variables named MINECHECK_… instead"
        )
    try:
        from ray import serve
    except ImportError:
        raise ClusterError(
            "Ray Serve is not installed: run pip install 'minecheck[cluster]'"
        ) from None
    replica = serve.deployment(
        serve.ingress(_make_replica)(),
        name="minecheck",
        num_replicas="auto",
        # Requests beyond the limit are rejected by the replica, with a problem.
        max_ongoing_requests=1 << 10,
    )
    return replica.bind()


def _make_replica() -> ASGIApp:
    """Build the app in a replica; it starts its workers as soon as it is served."""
    from minecheck.app.main import create_app

    app = create_app()

    async def serve_replica(scope: Scope, receive: Receive, send: Send) -> None:
        async def drop_id(message: Message) -> None:
            # The proxy in front names the request, and sends the name to the client itself.
            if message["type"] == "http.response.start":
                headers = [
                    pair for pair in message["headers"] if pair[0].lower() != b"x-request-id"
                ]
                message = {**message, "headers": headers}
            await send(message)

        await app(scope, receive, drop_id)

    return serve_replica
