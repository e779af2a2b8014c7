"""Depth-first search for a layout, for forced boxes and for clues in conflict."""
