"""Layouts counted exactly, and the chances that follow from the counts."""
