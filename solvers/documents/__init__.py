"""Rendering: from results to the bytes of an answer."""
