"""Moves of a game: which are best, and how good they are."""
