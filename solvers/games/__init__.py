"""Boards to play."""
