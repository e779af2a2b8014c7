"""Many boards: lines in, lines out, over cores or a cluster."""
