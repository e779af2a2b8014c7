"""Replays of games that were played in other programs: read, and reviewed click by click."""
