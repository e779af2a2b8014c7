"""Header fields name the type of the body of a request."""

JSON = {"Content-Type": "application/json"}


TEXT = {"Content-Type": "text/plain"}
