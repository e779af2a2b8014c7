"""Positions of games with exact labels, to learn from, and questions about them, to evaluate by."""
