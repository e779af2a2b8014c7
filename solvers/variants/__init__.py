"""Clues that are no intervals, or lie, and cells with several mines: exact counts and layouts."""
