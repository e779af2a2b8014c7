"""From what was found to the bytes of an answer."""
