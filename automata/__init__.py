"""Boards one or two cells wide, read by finite automata in linear time."""

from automata.strips import NotAStrip, Strip, strip

__all__ = ["NotAStrip", "Strip", "strip"]
