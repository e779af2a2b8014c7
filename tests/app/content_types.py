"""Header fields that name the type of a request's body."""

JSON = {"Content-Type": "application/json"}


TEXT = {"Content-Type": "text/plain"}
