"""Boolean formulas as boards: wires and gates of clues (Kaye's reduction)."""
