"""The one exact problem that every method shares: clues as intervals over boxes of cells."""
